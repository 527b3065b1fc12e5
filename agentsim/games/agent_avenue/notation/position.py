"""A position as one player knows it, as text: ``docs/notation.md``, section *Positions*. For two players.

What the player does not see is filled with placeholders; how many cards there are of it follows from the counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError, nearest
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue import step as base
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes import step as modes
from agentsim.games.agent_avenue.modes.market import ask
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.notation.reading import parse_rule, read_lines, read_text
from agentsim.games.agent_avenue.notation.record import State
from agentsim.games.agent_avenue.notation.words import find_name, name_list
from agentsim.games.agent_avenue.notation.writing import settings_lines
from agentsim.games.agent_avenue.rules import Rules, make_rules
from agentsim.games.agent_avenue.step import GameState, text_of

__all__ = ["is_position", "parse_position", "read_position", "write_position"]

_VERBS = {"offers": x.ASK_PLAY, "chooses": x.ASK_TAKE, "picks": x.ASK_MARKET}
_KEYS = ("Game", "Position", "Rule", "Turn", "Active", "Hand", "Discarded", "Play 0", "Play 1", "Lead", "Discards 0",
         "Discards 1", "Other hand", "Face up", "Market", "Taken", "Ongoing 0", "Ongoing 1", "Space 0", "Space 1",
         "Division M 0", "Division M 1")


def is_position(text: str) -> bool:
    """Whether a text is a position rather than a game."""
    return any(line.lower().startswith("position:") for _, line in read_lines(text))


def read_position(path: str | Path) -> State:
    """The position that a file tells. Raises InputError with file and line."""
    return parse_position(read_text(path), where=str(path))


def parse_position(text: str, *, where: str = "") -> State:
    """The position that a text tells; what nobody told is a placeholder. Raises InputError."""
    return _Reader(text, where).position()


class _Reader:
    """One file being read; ``fields`` holds its headers, each with its line."""

    def __init__(self, text: str, where: str) -> None:
        self.where = where or "position"
        self.fields: dict[str, tuple[int, str]] = {}
        settings: dict[str, Any] = {}
        first_rule = 1
        for number, line in read_lines(text):
            name, colon, value = line.partition(":")
            key = " ".join(name.split()).capitalize().replace("Division m", "Division M")
            if not colon or key not in _KEYS:
                raise InputError(f"unknown header '{name.strip()[:40]}'", where=self.at(number),
                                 allowed=", ".join(_KEYS), nearest=nearest(key, _KEYS))
            if key == "Rule":
                first_rule = number
                parse_rule(value, settings, self.at(number))
            elif key in self.fields:
                raise InputError("is given twice", where=self.at(number), key=key)
            else:
                self.fields[key] = number, value.strip()
        try:
            self.rules: Rules = make_rules(settings)
        except InputError as error:
            raise error.at(where=self.at(first_rule)) from None

    def at(self, number: int) -> str:
        return f"{self.where}, line {number}"

    def cards(self, key: str) -> list[int]:
        number, value = self.fields.get(key, (0, ""))
        names = self.rules.names
        return [names.index(name) for name in name_list(value, names, where=self.at(number), key=key)]

    def market(self, key: str) -> list[str]:
        number, value = self.fields.get(key, (0, ""))
        return list(name_list(value, [card.id for card in self.rules.market_cards], what="a Black Market card",
                              where=self.at(number), key=key))

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        if key not in self.fields:
            return default
        number, value = self.fields[key]
        try:
            found = int(value)
        except ValueError:
            raise InputError(f"'{value}' is not a whole number", where=self.at(number), key=key,
                             allowed=f"{low} to {high}") from None
        if not low <= found <= high:
            raise InputError(f"{found} is out of range", where=self.at(number), key=key, allowed=f"{low} to {high}")
        return found

    def position(self) -> State:
        rules = self.rules
        if rules.players != 2:
            raise InputError("a position is for two players", where=self.where,
                             allowed="with three or four a game, whose last turn may be open")
        if "Position" not in self.fields:
            raise InputError("no line says who decides what", where=self.where, allowed="Position: seat 0 offers")
        line, text = self.fields["Position"]
        words = text.lower().split()
        if len(words) != 3 or words[0] != "seat" or words[1] not in ("0", "1") or words[2] not in _VERBS:
            raise InputError(f"cannot read '{text}'", where=self.at(line), key="Position",
                             allowed="seat 0 or seat 1, which offers, chooses or (on the Black Market) picks")
        seat, question = int(words[1]), _VERBS[words[2]]
        if question == x.ASK_MARKET and not rules.advanced:
            raise InputError("there is no Black Market in this game", where=self.at(line), key="Position",
                             allowed="with Rule: rules.mode = advanced")
        if question == x.ASK_MARKET and not self.market("Market"):
            raise InputError("is missing", where=self.at(line), key="Market", allowed="the cards to pick from")
        active = seat if question == x.ASK_PLAY else 1 - seat
        active = self.whole("Active", active, 0, 1) if question == x.ASK_MARKET else active
        game: State = base.new_game(1, rules) if rules.plain else modes.new_game(1, rules)
        state = game.state.copy()
        state[e.ACTIVE] = active
        plays = [self.cards("Play 0"), self.cards("Play 1")]
        state[e.PLAY], state[e.PLAY + 1] = map(_zone, plays)
        state[e.TURN] = self.whole("Turn", (len(plays[0]) + len(plays[1])) // 2 + 1, 1, 999) - 1
        # While landings are resolved a pawn may be beyond the other: only the End step looks.
        low, high = (1 - rules.gap_1, rules.gap_0 - 1) if question != x.ASK_MARKET else (-99, 99)
        state[e.LEAD] = self.whole("Lead", 0, low, high)
        self._deal(state, game, seat, question, plays)
        if isinstance(game, ModeState):
            self._set_board(state, game)
            ask(state, game.table, question, seat, 0 if question == x.ASK_PLAY else -1,
                int(state[x.N_SUPPLY]) if question == x.ASK_MARKET else 2, 0)
            return ModeState(rules, game.table, state)
        state[e.PHASE] = e.TAKING if question == x.ASK_TAKE else e.PLAYING
        return GameState(rules, game.table, state)

    def _deal(self, state: NDArray[np.int64], game: State, seat: int, question: int,
              plays: Sequence[list[int]]) -> None:
        """Hands, discards, offer and deck; placeholders for what is not seen."""
        rules, other = self.rules, 1 - seat
        hand, gone = self.cards("Hand"), self.cards("Discarded")
        used = [self.whole(f"Discards {who}", len(gone) if who == seat else 0, 0, rules.discards) for who in (0, 1)]
        if "Hand" not in self.fields:
            raise InputError("is missing", where=self.where, key="Hand", allowed="the cards in hand of who decides")
        if used[seat] != len(gone):
            raise InputError(f"{used[seat]} discards, but {len(gone)} discarded cards", key=f"Discards {seat}",
                             where=self.at(self.fields.get(f"Discards {seat}", self.fields["Hand"])[0]),
                             allowed="Discarded with a card for each")
        up = []
        if question == x.ASK_TAKE:
            line, word = self.fields.get("Face up", (0, ""))
            if not word:
                raise InputError("is missing", where=self.where, key="Face up", allowed="the card that lies face up")
            up = [rules.names.index(find_name(word, rules.names, where=self.at(line), key="Face up"))]
        pool = [name for name, card in enumerate(rules.cards) for _ in range(card.copies)]
        for name in [*hand, *gone, *up, *plays[0], *plays[1]]:
            if name not in pool:
                raise InputError(f"there are not so many {rules.names[name]} in the game", where=self.where)
            pool.remove(name)
        # A hand is full but at the end of the deck.
        rest = len(pool) - used[other] - len(up)
        theirs = self.whole("Other hand", min(rules.hand_size, max(rest, 0)), 0, rules.n_cards)
        if rest < theirs or len(hand) > rules.n_cards:
            raise InputError("there are not so many cards left", where=self.where, key="Other hand",
                             allowed=f"at most {max(rest, 0)}")
        if question == x.ASK_PLAY and len(hand) < 2:
            raise InputError("an offer takes two cards", where=self.at(self.fields["Hand"][0]), key="Hand")
        down = next((name for name in pool if name not in up), pool[0]) if up else -1
        if up:
            pool.remove(down)
        tossed = [pool.pop() for _ in range(used[other])]
        held = [pool.pop() for _ in range(theirs)]
        state[e.UP], state[e.DOWN] = (up[0] if up else -1), down
        drawn = rules.n_cards - len(pool)
        state[e.DRAWN] = drawn
        state[e.DECK + drawn:e.DECK + rules.n_cards] = pool
        hands, gones, spent = ((x.HANDS, x.GONE, x.SPENT) if isinstance(game, ModeState) else
                               (e.HAND, e.TOSSED, e.USED))
        wide = 2 if isinstance(game, ModeState) else 1
        for who, cards, away in ((seat, hand, gone), (other, held, tossed)):
            state[hands + wide * who], state[gones + wide * who] = _zone(cards), _zone(away)
            state[spent + wide * who] = used[who]
        if isinstance(game, ModeState) and up:
            # Before the offer the hand was full, unless the deck had run out.
            before = max(rules.hand_size if theirs >= rules.hand_size - 2 else theirs + 2, 2)
            state[x.OFFER_UP_HAND] = _zone((held + tossed + pool + [down] * before)[:before])

    def _set_board(self, state: NDArray[np.int64], game: ModeState) -> None:
        """Pawns and Black Market."""
        rules = self.rules
        for who in (0, 1):
            home = (rules.home_0, rules.home_1)[who]
            space = self.whole(f"Space {who}", home, 0, rules.ring - 1)
            state[x.SPACE + who], state[x.WENT + who] = space, (space - home) % rules.ring
            _, word = self.fields.get(f"Division M {who}", (0, ""))
            off = word.lower() in ("", "off", "none", "-")
            state[x.M_SPACE + who] = -1 if off else self.whole(f"Division M {who}", 0, 0, rules.ring - 1)
        if rules.advanced or rules.with_m:
            lead = (int(state[x.WENT]) - int(state[x.WENT + 1]) - int(state[e.LEAD])) % rules.ring
            if lead:
                raise InputError("spaces and lead do not agree", where=self.where, key="Space 0",
                                 allowed="Lead is what the pawn of seat 0 has moved more than that of seat 1")
        if not rules.advanced:
            return
        ids = [card.id for card in rules.market_cards]
        free = {number: ids[int(game.table[x.COPY + number])] for number in range(len(rules.pile))}

        def copies(key: str) -> list[int]:
            found = []
            for card in self.market(key):
                copy = next((number for number, name in free.items() if name == card), -1)
                if copy < 0:
                    raise InputError(f"there are not so many '{card}' in the game", where=self.where, key=key)
                del free[copy]
                found.append(copy)
            return found

        held = [copies("Ongoing 0"), copies("Ongoing 1")]
        supply, taken = copies("Market"), copies("Taken")
        if len(supply) > rules.supply:
            raise InputError(f"{len(supply)} cards", where=self.where, key="Market",
                             allowed=f"at most {rules.supply}")
        out = [*held[0], *held[1], *taken, *supply]
        state[x.PILE:x.PILE + len(out)], state[x.BOARD] = out, len(out)
        state[x.PILE + len(out):x.PILE + len(rules.pile)] = sorted(free)
        state[x.N_SUPPLY], state[x.SUPPLY:x.SUPPLY + len(supply)] = len(supply), supply
        for who in (0, 1):
            if any(rules.market_cards[int(game.table[x.COPY + copy])].kind != "ongoing" for copy in held[who]):
                raise InputError("an instant card does not stay", where=self.where, key=f"Ongoing {who}",
                                 allowed="instant cards stand under Taken")
            state[x.N_HELD + who] = len(held[who])
            state[x.ORDER + 64 * who:x.ORDER + 64 * who + len(held[who])] = held[who]
            state[x.HELD + who] = sum(1 << copy for copy in held[who])


def write_position(game: State) -> str:
    """A position as whoever decides in it knows it, for two players; reading it shows that player the same.

    Raises InputError for teams, inside a Black Market card, and after a discard in the same turn.
    """
    rules, seat = game.rules, game.to_move
    question = game.question if isinstance(game, ModeState) else "take" if game.state[e.PHASE] == e.TAKING else "play"
    verb = {"play": "offers", "take": "chooses", "market": "picks"}.get(str(question), "")
    if game.is_over or rules.players != 2 or not verb:
        raise InputError("this position has no text of its own", key="position",
                         allowed="two players, an offer, a choice or a Black Market pick; else a game up to it")
    seen = game.observe(seat)
    used = {seat: sum(seen.discarded.values()), 1 - seat: rules.discards - seen.their_discards_left}
    lines = ["Game: Agent Avenue", f"Position: seat {seat} {verb}", *settings_lines(rules), f"Turn: {game.turn + 1}"]
    if verb == "picks":
        lines.append(f"Active: {game.active}")
    lines.append(f"Hand: {text_of(seen.hand)}")
    if seen.discarded:
        lines.append(f"Discarded: {text_of(seen.discarded)}")
    lines += [f"Play {who}: {text_of(game.in_play(who))}" for who in (0, 1)]
    lines.append(f"Lead: {game.lead:+d}")
    lines += [f"Discards {who}: {used[who]}" for who in (0, 1)]
    lines.append(f"Other hand: {seen.their_hand}")
    if verb == "chooses":
        lines.append(f"Face up: {seen.face_up}")
    if isinstance(game, ModeState):
        lines += [f"Space {who}: {game.space(who)}" for who in (0, 1)]
        lines += [f"Division M {who}: {game.m_space(who)}" for who in (0, 1) if game.m_space(who) is not None]
        if rules.advanced:
            held = [game.ongoing(0), game.ongoing(1)]
            ids = [card.id for card in rules.market_cards]
            out = [ids[int(game.table[x.COPY + int(copy)])]
                   for copy in game.state[x.PILE:x.PILE + int(game.state[x.BOARD])]]
            for card in (*held[0], *held[1], *game.supply):
                out.remove(card)
            lines.append(f"Market: {', '.join(game.supply) or 'nothing'}")
            lines += [f"Taken: {', '.join(sorted(out))}"] if out else []
            lines += [f"Ongoing {who}: {', '.join(held[who])}" for who in (0, 1) if held[who]]
    return "\n".join(lines) + "\n"


def _zone(names: Sequence[int]) -> int:
    return sum(1 << 4 * name for name in names)
