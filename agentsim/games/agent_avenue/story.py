"""One game of a run, retold in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.playing import make_player
from agentsim.games.agent_avenue.replay import play_one
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.step import Discard, GameState, Offer, Take
from agentsim.games.base import PolicyRef

__all__ = ["cards_in_words", "heading", "lead_in_words", "ordinal", "result_in_words", "tell_game"]

_BY = {"catch": "catching the other pawn", "codebreakers": "a complete set of codebreakers",
       "daredevils": "the other's set of daredevils", "out_of_cards": "being closer when the cards ran out"}


def tell_game(rules: Rules, matchup: Sequence[PolicyRef], number: int, per_deal: int, seed: int, index: int,
              n_matchups: int) -> str:
    """Play game ``index`` of matchup ``number`` again and tell it turn by turn, under its number in the run."""
    players = [make_player(ref, rules) for ref in matchup]
    course = play_one(seed, number, index, per_deal, rules, players)
    swap = index % 2 if per_deal == 2 else 0
    labels = [matchup[seat ^ swap].label for seat in (0, 1)]
    label = {card.id: card.name() for card in rules.cards}
    who = [f"seat {seat} ({labels[seat]})" for seat in (0, 1)]
    start = course[0][0]
    lines = [f"{heading(index, number, n_matchups, per_deal, seed)}: {labels[0]} starts against {labels[1]}."]
    lines += [f"  {who[seat]} is dealt {cards_in_words(start.hand(seat), label)}." for seat in (0, 1)]
    for (game, action), (after, _) in pairwise(course):
        me, other = game.active, 1 - game.active
        if isinstance(action, Discard):
            lines.append(f"Turn {game.turn + 1}: {who[me]} discards {label[action.name]} and draws.")
        elif isinstance(action, Offer):
            lines.append(f"Turn {game.turn + 1}: {who[me]} offers {label[action.face_up]} face up and "
                         f"{label[action.face_down]} face down.")
        elif isinstance(action, Take):
            choice = "the face-up card" if action.card == "face_up" else "the hidden card"
            mine, its = (rules.names[int(n)] for n in after.state[e.RECRUITED:e.RECRUITED + 2])
            lines.append(f"    {who[other]} takes {choice}: {_recruit(after, other, its, 1, label)}; "
                         f"{who[me]} gets {_recruit(after, me, mine, 0, label)}. {lead_in_words(after.lead)}")
    end = course[-1][0]
    reason = _BY.get(str(end.end_reason), str(end.end_reason))
    lines.append(result_in_words(end.turn + 1, None if end.winner is None else who[end.winner], reason,
                                 end.tie_rule_used))
    return "\n".join(lines)


def heading(index: int, number: int, n_matchups: int, per_deal: int, seed: int) -> str:
    """Which game it is: its number in the run, where that is not the whole address, its place there."""
    where = f"deal {index // per_deal}, seed {seed}"
    if n_matchups > 1:
        where = f"game {index} of matchup {number}, {where}"
    return f"Game {index * n_matchups + number} ({where})"


def result_in_words(n_turns: int, winner: str | None, reason: str, tie_rule: bool) -> str:
    """The last sentence."""
    who = "Nobody wins: " if winner is None else f"{winner} wins by "
    return f"After {n_turns} turns {who}{reason}{', by the tie rule' if tie_rule else ''}."


def ordinal(number: int) -> str:
    """``1st``, ``2nd`` ..."""
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def _recruit(after: GameState, seat: int, name: str, slot: int, label: dict[str, str]) -> str:
    copies = after.in_play(seat)[name]
    move = int(after.state[e.MOVED + slot])
    return f"{label[name]}, its {ordinal(copies)}, {f'moves {move:+d}' if move else 'does not move'}"


def lead_in_words(lead: int) -> str:
    """Who leads, by how much; positive for seat 0."""
    return "Level." if lead == 0 else f"Seat {0 if lead > 0 else 1} leads by {abs(lead)}."


def cards_in_words(cards: dict[str, int], label: dict[str, str]) -> str:
    """Cards by their printed names."""
    return ", ".join(label[name] if copies == 1 else f"{copies} {label[name]}" for name, copies in cards.items())
