"""One game, step by step: for people, for adapters, for policies with Python methods.

The same jitted rules as the batch kernel, one action at a time::

    >>> from agentsim.games.agent_avenue.step import new_game
    >>> game = new_game(seed=1)
    >>> game.to_move, len(game.legal_actions()) > 0
    (0, True)
    >>> game = game.apply(game.legal_actions()[0])

A game is immutable: :meth:`GameState.apply` returns the next one, so positions can be kept, compared and forked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from agentsim.errors import InputError
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.decision import deal_stream
from agentsim.games.agent_avenue.position import Position
from agentsim.games.agent_avenue.rules import Rules, compile_rules, make_rules
from agentsim.games.agent_avenue.view import observe

__all__ = ["Action", "Discard", "GameState", "IllegalAction", "Observation", "Offer", "Take", "deck_order", "named",
           "new_game", "text_of"]


@dataclass(frozen=True, order=True)
class Offer:
    """Lay one card face up and one face down."""

    face_up: str
    face_down: str

    def __str__(self) -> str:
        return f"offer {self.face_up} face up, {self.face_down} face down"


@dataclass(frozen=True, order=True)
class Discard:
    """Put a hand card away face down and draw another."""

    name: str

    def __str__(self) -> str:
        return f"discard {self.name}"


@dataclass(frozen=True, order=True)
class Take:
    """Take the face-up card or the hidden one."""

    card: Literal["face_up", "hidden"]

    def __str__(self) -> str:
        return "take the face-up card" if self.card == "face_up" else "take the hidden card"


Action: TypeAlias = Offer | Discard | Take


class IllegalAction(ValueError):
    """An action that the rules do not allow here; the message names what is legal."""


@dataclass(frozen=True)
class Observation:
    """What one player may know, in names. ``lead`` is positive when the observer is ahead.

    ``discards_left`` and ``their_discards_left`` count discards, ``deck`` and ``their_hand`` cards. ``face_up`` is the
    card on the table while the offerer's opponent chooses, else None; ``own_face_down`` is known to its offerer only.
    """

    seat: int
    to_move: bool
    turn: int
    hand: dict[str, int]
    mine: dict[str, int]
    theirs: dict[str, int]
    discarded: dict[str, int]
    lead: int
    catch_at: int
    caught_at: int
    discards_left: int
    their_discards_left: int
    deck: int
    their_hand: int
    face_up: str | None
    own_face_down: str | None
    legal: tuple[Action, ...]


class GameState(Position):
    """A position of the base game for two. Made by :func:`new_game`."""

    @property
    def to_move(self) -> int:
        """The seat that decides now; -1 when the game is over."""
        if self.is_over:
            return -1
        active = int(self.state[e.ACTIVE])
        return active if self.state[e.PHASE] == e.PLAYING else 1 - active

    def legal_actions(self) -> list[Action]:
        """Everything that the player to move may do, in table order; empty when the game is over."""
        if self.is_over:
            return []
        if self.state[e.PHASE] == e.TAKING:
            return [Take("face_up"), Take("hidden")]
        hand, names = int(self.state[e.HAND + self.active]), self.rules.names
        actions: list[Action] = [Offer(up, down) for i, up in enumerate(names) for j, down in enumerate(names)
                                 if e.may_offer(hand, i, j)]
        if e.may_discard(self.state, self.table):
            actions += [Discard(name) for i, name in enumerate(names) if (hand >> (4 * i)) & 15]
        return actions

    def apply(self, action: Action) -> GameState:
        """The position after an action. Raises IllegalAction, naming what is legal, if the rules do not allow it."""
        legal = self.legal_actions()
        if action not in legal:
            what = "; ".join(map(str, legal)) if legal else "nothing, the game is over"
            raise IllegalAction(f"'{action}' is not legal here; legal: {what}")
        state, names = self.state.copy(), self.rules.names
        if isinstance(action, Discard):
            e.discard(state, self.table, names.index(action.name))
        elif isinstance(action, Offer):
            e.offer(state, self.table, names.index(action.face_up), names.index(action.face_down))
        else:
            e.take(state, self.table, action.card == "face_up")
            e.end_step(state, self.table)
        return GameState(self.rules, self.table, state)

    def observe(self, seat: int) -> Observation:
        """What a seat may know."""
        if seat not in (0, 1):
            raise InputError(f"there is no seat {seat}", allowed="0 or 1")
        view, names = observe(self.state, self.table, seat), self.rules.names
        mine_to_move = self.to_move == seat
        offered = self.state[e.PHASE] == e.TAKING
        return Observation(
            seat, mine_to_move, self.turn, named(view.hand, names), named(view.mine, names),
            named(view.theirs, names), named(view.tossed, names), int(view.lead), int(view.gap_me),
            int(view.gap_them), int(view.discards_left),
            int(view.their_discards_left), int(view.deck), int(view.their_hand),
            names[int(view.up)] if offered else None,
            names[int(self.state[e.DOWN])] if offered and seat == self.active else None,
            tuple(self.legal_actions()) if mine_to_move else ())

    def hand(self, seat: int) -> dict[str, int]:
        """A seat's hand, copies by name. Not for policies: they get :meth:`observe`."""
        return named(int(self.state[e.HAND + seat]), self.rules.names)

    def in_play(self, seat: int) -> dict[str, int]:
        """The agents recruited by a seat, copies by name."""
        return named(int(self.state[e.PLAY + seat]), self.rules.names)

    def __str__(self) -> str:
        ends = f"catches at {self.rules.gap_0:+d}, is caught at {-self.rules.gap_1:+d}"
        lines = [(f"turn {self.turn + 1}, seat {self.active} offers; lead {self.lead:+d} for seat 0 ({ends}); "
                 f"deck {self.deck_left}")]
        for seat in (0, 1):
            used = int(self.state[e.USED + seat])
            lines.append(f"  seat {seat}: hand {text_of(self.hand(seat))}; in play {text_of(self.in_play(seat))}; "
                         f"discards used {used} of {self.rules.discards}")
        if self.state[e.PHASE] == e.TAKING:
            names = self.rules.names
            lines.append(f"  on the table: {names[int(self.state[e.UP])]} face up, "
                         f"{names[int(self.state[e.DOWN])]} face down")
        if self.is_over:
            who = "nobody wins" if self.winner is None else f"seat {self.winner} wins"
            lines.append(f"  over: {who} by {self.end_reason}" + (" (tie rule)" if self.tie_rule_used else ""))
        return "\n".join(lines)


def new_game(seed: int = 1, rules: Rules | None = None, *, deal: int = 0) -> GameState:
    """Deal a game. ``seed`` and ``deal`` fix every card, as in a run with that seed."""
    if not 0 <= seed < 2**64:
        raise InputError(f"{seed} is out of range", key="seed", allowed="0 to 2^64 - 1")
    rules = rules or make_rules()
    table, state = compile_rules(rules), np.zeros(e.STATE_SIZE, dtype=np.int64)
    e.deal(state, table, np.uint64(deal_stream(np.uint64(seed), deal)))
    return GameState(rules, table, state)


def deck_order(seed: int, deal: int, rules: Rules | None = None) -> list[str]:
    """The cards of a deal in the order in which they leave the deck: hand of seat 0, hand of seat 1, then the draws."""
    game = new_game(seed, rules, deal=deal)
    state = game.state.copy()
    names = game.rules.names
    for _ in range(game.deck_left):
        e.draw(state, game.table)
    return [names[number] for number in state[e.DECK:e.DECK + game.rules.n_cards]]


def named(zone: int, names: Sequence[str]) -> dict[str, int]:
    """A zone of cards as copies by name."""
    return {name: (int(zone) >> (4 * number)) & 15 for number, name in enumerate(names)
            if (int(zone) >> (4 * number)) & 15}


def text_of(cards: dict[str, int]) -> str:
    """Cards by name in words."""
    return ", ".join(name if copies == 1 else f"{copies} {name}" for name, copies in cards.items()) or "nothing"
