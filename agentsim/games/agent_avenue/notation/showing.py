"""The table as one side sees it, in a few lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.cards.words import card_text
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.actions import (
    Action,
    Discard,
    FaceDown,
    FaceUp,
    Gain,
    MoveDivisionM,
    Offer,
    PickCard,
    PlayerUp,
    RecruitAgain,
    Take,
    Target,
)
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.notation.record import State, members
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.step import text_of

__all__ = ["action_in_words", "question_in_words", "rules_in_words", "seen_event", "table_lines"]


def table_lines(game: State, seat: int, player: int | None = None) -> list[str]:
    """What a side sees: play areas, lead, deck, Black Market, and the hand of the player who is asked.

    Without ``player`` a team is shown the hands of both, as one person who plays the whole side would see them.
    """
    rules = game.rules
    seen = game.observe(seat, player) if isinstance(game, ModeState) else game.observe(seat)
    modes: Any = seen if isinstance(game, ModeState) else None
    where = (f"you are {abs(seen.lead)} {'ahead' if seen.lead > 0 else 'behind'}" if seen.lead else "level")
    lines = [(f"Turn {game.turn + 1}. {where[0].upper()}{where[1:]} (you catch at +{seen.catch_at}, are caught at "
              f"-{seen.caught_at}). Deck {seen.deck}.")]
    if modes and (rules.advanced or rules.with_m):
        here = [f"your pawn on {modes.space}, theirs on {modes.their_space}"]
        if rules.with_m:
            here.append("Division M: yours " + _board(modes.division_m) + ", theirs " + _board(modes.their_division_m))
        lines.append("  spaces       " + "; ".join(here))
    if modes and rules.advanced:
        lines.append(f"  market       {', '.join(modes.supply) or 'nothing'}; {modes.market_pile} in the pile")
    lines.append(f"  they have    {_area(seen.theirs, rules)}" + _before(modes.their_ongoing if modes else ()))
    known = f"; seen in it: {text_of(modes.known_of_them)}" if modes and modes.known_of_them else ""
    lines.append(f"               {seen.their_hand} cards in hand{known}; {seen.their_discards_left} discards left")
    lines.append(f"  you have     {_area(seen.mine, rules)}" + _before(modes.ongoing if modes else ()))
    for member in range(members(game, seat)):
        if player is not None and member != player:
            continue
        own = game.observe(seat, member) if isinstance(game, ModeState) else seen
        who = f"hand of player {member}" if members(game, seat) == 2 else "your hand"
        lines.append(f"  {who}    {text_of(own.hand)}; {own.discards_left} discards left")
    if seen.face_up is not None:
        down = f", {seen.own_face_down} face down" if seen.own_face_down else (
            " and a hidden card" if game.state[e.DOWN] >= 0 else "")
        lines.append(f"  on the table {seen.face_up} face up{down}")
    return lines


def question_in_words(game: State) -> str:
    """What the side to move is asked."""
    if not isinstance(game, ModeState):
        return "Take the face-up card or the hidden one?" if game.state[e.PHASE] == e.TAKING else (
            "Offer two cards (the first face up), or discard one.")
    who = "" if members(game, game.to_move) == 1 or game.player_to_move is None else (
        f"Player {game.player_to_move} of your team: ")
    return who + {"play": "Offer two cards (the first face up), or discard one.",
                  "player_up": "Which of your players lays the face-up card?",
                  "face_up": "Lay a card face up, or discard one.",
                  "face_down": "Lay a card face down, or discard one.",
                  "take": "Take the face-up card or the hidden one?",
                  "market": "Your pawn stops on the Black Market. Which card?",
                  "member": "Which of your players is it for?",
                  "target": "Which agent?",
                  "recruit": "Recruit it at once?",
                  "division_m": "Move your Division M pawn."}[str(game.question)]


def action_in_words(action: Action, game: State) -> str:
    """A choice for a list, with what the card does where that is not printed on the table."""
    if isinstance(action, PickCard):
        card = next(card for card in game.rules.market_cards if card.id == action.card)
        return f"{action.card}: {card_text(card, game.rules.cards)}"
    if isinstance(action, Offer):
        return f"offer {action.face_up} up, {action.face_down} down"
    return str(action)


def seen_event(game: State, action: Action, after: State, seat: int) -> list[str]:
    """What a side sees of an action and of what follows from it."""
    actor, mine = game.to_move, game.to_move == seat
    who = "You" if mine else "They"
    lines: list[str] = []
    if isinstance(action, Discard):
        lines.append(f"{who} discard {action.name if mine else 'a card'}.")
    elif isinstance(action, Offer):
        lines.append(f"{who} offer {action.face_up} face up and {action.face_down if mine else 'a card'} face down.")
    elif isinstance(action, FaceUp):
        lines.append(f"{who} lay {action.name} face up.")
    elif isinstance(action, FaceDown):
        lines.append(f"{who} lay {action.name if mine else 'a card'} face down.")
    elif isinstance(action, Take):
        mine_, its = (after.rules.names[int(n)] for n in after.state[e.RECRUITED:e.RECRUITED + 2])
        moved = [int(n) for n in after.state[e.MOVED:e.MOVED + 2]]
        taken, left = (its, mine_)
        other = "They" if mine else "You"
        lines.append(f"{who} take the {'face-up' if action.card == 'face_up' else 'hidden'} card: {taken} "
                     f"({moved[1]:+d}). {other} get {left} ({moved[0]:+d}).")
    elif isinstance(action, PickCard):
        lines.append(f"{who} pick {action.card} from the Black Market.")
    elif isinstance(action, Gain):
        lines.append(f"Player {action.member} of seat {actor} gains it.")
    elif isinstance(action, Target):
        lines.append(f"{who} choose {action.agent}.")
    elif isinstance(action, RecruitAgain):
        lines.append(f"{who} {'recruit it at once' if action.recruit else 'keep it'}.")
    elif isinstance(action, MoveDivisionM):
        lines.append(f"{who} move a Division M pawn {action.steps:+d}.")
    elif isinstance(action, PlayerUp):
        lines.append(f"Player {action.player} of seat {actor} lays the face-up card.")
    if isinstance(after, ModeState) and after.state[x.EVENTS] != game.state[x.EVENTS] and isinstance(game, ModeState):
        for side in (0, 1):
            if after.in_play(side) != game.in_play(side):
                lines.append(f"Now {'you have' if side == seat else 'they have'} {text_of(after.in_play(side))} in "
                             "play.")
    if mine:
        gained = _gained(game, after, seat)
        if gained:
            lines.append(f"You draw {text_of(gained)}.")
    return lines


def _gained(game: State, after: State, seat: int) -> dict[str, int]:
    """Cards that a side drew; only what came off the deck counts."""
    first, last = int(game.state[e.DRAWN]), int(after.state[e.DRAWN])
    drawn = [after.rules.names[int(name)] for name in after.state[e.DECK + first:e.DECK + last]]
    found: dict[str, int] = {}
    for player in range(members(after, seat)):
        now = after.hand(seat, player) if isinstance(after, ModeState) else after.hand(seat)
        for name in now:
            if name in drawn and name not in found:
                found[name] = min(drawn.count(name), now[name])
    return found


def _area(cards: Mapping[str, int], rules: Rules) -> str:
    """Agents in play, with what one more of each would move."""
    label = []
    for card in rules.cards:
        copies = cards.get(card.id, 0)
        if copies:
            move = (card.first, card.second, card.third)[min(copies, 2)]
            sets = "".join(f", {size - copies} to {what}" for size, what in (
                (card.wins_at, "win"), (card.loses_at, "lose")) if size and size > copies)
            label.append(f"{copies} {card.id} (next {move:+d}{sets})")
    return "; ".join(label) or "nothing in play"


def _before(cards: tuple[str, ...]) -> str:
    return f"; Black Market: {', '.join(cards)}" if cards else ""


def _board(space: int | None) -> str:
    return "off the board" if space is None else f"on {space}"


def rules_in_words(rules: Rules) -> str:
    """One line on what is played."""
    parts = ["Agent Avenue"]
    if rules.advanced:
        parts.append("with the Black Market")
    if rules.expansion == "division_m":
        parts.append("Division M")
    if rules.players > 2:
        parts.append(f"{rules.players} players")
    return ", ".join(parts)
