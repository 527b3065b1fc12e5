"""One game, step by step: for people, for adapters, for policies in Python.

The same jitted rules as the batch kernel, one action at a time::

    >>> from agentsim.games.argh.step import new_game
    >>> game = new_game(seed=1)
    >>> game.to_move, [str(action) for action in game.legal_actions()]
    (0, ['draw from the house pile', 'draw from the garden pile', 'draw from the laboratory pile'])
    >>> game = game.apply(game.legal_actions()[0])

A game is immutable: :meth:`GameState.apply` returns the next one, so positions can be kept, compared and forked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.argh import engine as e
from agentsim.games.argh.cards import LOCATIONS
from agentsim.games.argh.decision import deal_stream
from agentsim.games.argh.rules import Rules, make_rules
from agentsim.games.argh.scoring import is_even, outcome, points
from agentsim.games.argh.table import LOCATION, START, compile_rules
from agentsim.games.argh.view import observe

__all__ = ["Action", "Answer", "Draw", "FaceDown", "GameState", "IllegalAction", "Keep", "Observation", "OfferTo",
           "Pass", "Peek", "Steal", "count_cards", "new_game", "pile_orders"]


@dataclass(frozen=True, order=True)
class Draw:
    """Take the top card of a pile and look at it."""

    pile: str

    def __str__(self) -> str:
        return f"draw from the {self.pile} pile"


@dataclass(frozen=True, order=True)
class Steal:
    """Take a seat's face-down card, the one drawn as card ``number`` (from 0, those put aside included) of its pile."""

    seat: int
    pile: str
    number: int

    def __str__(self) -> str:
        return f"steal {self.pile} card {self.number} of seat {self.seat}"


@dataclass(frozen=True, order=True)
class Pass:
    """There is nothing to draw and nothing to steal."""

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, order=True)
class Keep:
    """Lay the drawn card face down before oneself."""

    def __str__(self) -> str:
        return "keep the card"


@dataclass(frozen=True, order=True)
class OfferTo:
    """Offer the drawn card, face down, to a seat."""

    seat: int

    def __str__(self) -> str:
        return f"offer the card to seat {self.seat}"


@dataclass(frozen=True, order=True)
class Answer:
    """Accept the card that one is offered, or refuse it."""

    accept: bool

    def __str__(self) -> str:
        return "accept the card" if self.accept else "refuse the card"


@dataclass(frozen=True, order=True)
class Peek:
    """Look, as the owl's owner, at card ``number`` (from 0) of those put aside from a pile."""

    pile: str
    number: int

    def __str__(self) -> str:
        return f"look at {self.pile} card {self.number}, put aside"


Action: TypeAlias = Draw | Steal | Pass | Keep | OfferTo | Answer | Peek


class IllegalAction(ValueError):
    """An action that the rules do not allow here; the message names what is legal."""


@dataclass(frozen=True, order=True)
class FaceDown:
    """What everybody sees of a face-down card: its pile, and as which card of the pile it was drawn."""

    pile: str
    number: int


@dataclass(frozen=True)
class Observation:
    """What one player may know, in names. Lists have one entry per seat, in seat order.

    ``own_face_down``: the observer's face-down cards; ``drawn``: the card it drew and has to place, else None;
    ``offered``: ``(offerer, location)`` of the card it is offered, else None; ``seen_aside``: what its owl saw.
    ``last_round``: turns still to come in the last round, the current one included; None before it.
    ``accepted``, ``refused``, ``stolen``: face-up cards by how they came to lie there; ``asks``, ``yes``: how often
    each seat was offered a card, and how often it accepted.
    """

    seat: int
    to_move: bool
    turn: int
    last_round: int | None
    face_up: tuple[tuple[str, ...], ...]
    face_down: tuple[tuple[FaceDown, ...], ...]
    own_face_down: tuple[str, ...]
    seen_aside: tuple[str, ...]
    piles: dict[str, int]
    accepted: tuple[str, ...]
    refused: tuple[str, ...]
    stolen: tuple[str, ...]
    asks: tuple[int, ...]
    yes: tuple[int, ...]
    drawn: str | None
    offered: tuple[int, str] | None
    legal: tuple[Action, ...]


@dataclass(frozen=True, eq=False)
class GameState:
    """A position. Made by :func:`new_game`; ``state`` is the engine's vector (do not write to it)."""

    rules: Rules
    table: NDArray[np.int64]
    state: NDArray[np.int64]

    @property
    def players(self) -> int:
        return self.rules.players

    @property
    def to_move(self) -> int:
        """The seat that decides now; -1 when the game is over."""
        phase = self.state[e.PHASE]
        if phase == e.OVER:
            return -1
        return int(self.state[e.ASKED if phase == e.ANSWERING else e.PEEKER if phase == e.PEEKING else e.ACTIVE])

    @property
    def is_over(self) -> bool:
        return bool(self.state[e.PHASE] == e.OVER)

    @property
    def active(self) -> int:
        """The seat whose turn it is."""
        return int(self.state[e.ACTIVE])

    @property
    def turn(self) -> int:
        """Number of the turn, from 0."""
        return int(self.state[e.TURN])

    @property
    def last_round(self) -> int | None:
        """Turns still to come in the last round, the current one included; None before it."""
        return int(self.state[e.LAST]) if self.state[e.LAST] >= 0 else None

    @property
    def shares(self) -> tuple[float, ...]:
        """Win share by seat: they sum to 1, or to 0 when nobody wins or the game is not over."""
        return tuple(int(self.state[e.SHARE + seat]) / e.WHOLE_WIN for seat in range(self.players))

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won or share the win."""
        return tuple(seat for seat in range(self.players) if self.state[e.SHARE + seat] > 0)

    @property
    def end_reason(self) -> str | None:
        """How the game ended (see ``END_REASONS``); None while it goes on."""
        return e.END_REASONS[int(self.state[e.REASON])] if self.is_over else None

    @property
    def points(self) -> tuple[int, ...]:
        """What all cards before each seat are worth now, hidden ones included. Not for policies."""
        return tuple(count_cards(self.face_up(seat) + self.held(seat), self.rules)[0] for seat in range(self.players))

    def pile_left(self, pile: str) -> int:
        """Cards left in a pile."""
        return int(e.pile_left(self.state, self.table, LOCATIONS.index(pile)))

    def face_up(self, seat: int) -> tuple[str, ...]:
        """The face-up cards before a seat, in table order."""
        return self._named(self.state[e.UP + seat])

    def face_down(self, seat: int) -> tuple[FaceDown, ...]:
        """What everybody sees of a seat's face-down cards."""
        return tuple(FaceDown(*self.place(place)) for place in _members(self.state[e.DOWN + seat]))

    def held(self, seat: int) -> tuple[str, ...]:
        """A seat's face-down cards. Not for policies: they get :meth:`observe`."""
        return self._named(self.state[e.HELD + seat])

    def legal_actions(self) -> list[Action]:
        """Everything that the player to move may do, in a fixed order; empty when the game is over."""
        phase = self.state[e.PHASE]
        if phase == e.OVER:
            return []
        if phase == e.ANSWERING:
            return [Answer(True), Answer(False)]
        if phase == e.PLACING:
            return [Keep(), *(OfferTo(seat) for seat in range(self.players) if seat != self.active)]
        if phase == e.PEEKING:
            return [Peek(*self.place(place)) for place in _members(e.places_aside(self.table))]
        actions: list[Action] = [Draw(pile) for pile in LOCATIONS if self.pile_left(pile)]
        actions += [Steal(seat, card.pile, card.number) for seat in range(self.players) if seat != self.active
                    for card in self.face_down(seat)]
        return actions or [Pass()]

    def apply(self, action: Action) -> GameState:
        """The position after an action. Raises IllegalAction, naming what is legal, if the rules do not allow it."""
        legal = self.legal_actions()
        if action not in legal:
            what = "; ".join(map(str, legal)) if legal else "nothing, the game is over"
            raise IllegalAction(f"'{action}' is not legal here; legal: {what}")
        state, table = self.state.copy(), self.table
        match action:
            case Draw(pile):
                e.draw(state, table, LOCATIONS.index(pile))
            case Keep():
                e.keep(state, table)
            case OfferTo(seat):
                e.offer(state, seat)
            case Answer(accept):
                e.answer(state, table, accept)
            case Steal(_, pile, number):
                e.steal(state, table, self.number(pile, number))
            case Pass():
                e.pass_turn(state, table)
            case Peek(pile, number):
                e.peek(state, table, self.number(pile, number))
        return GameState(self.rules, table, state)

    def observe(self, seat: int) -> Observation:
        """What a seat may know."""
        if not 0 <= seat < self.players:
            raise InputError(f"there is no seat {seat}", allowed=f"0 to {self.players - 1}")
        view = observe(self.state, self.table, seat)
        # Cards that everybody sees come from the view as well, turned from the viewer's side to seat order.
        ups, downs = (view.up_0, view.up_1, view.up_2, view.up_3), (view.down_0, view.down_1, view.down_2, view.down_3)
        asks = (view.asks_0, view.asks_1, view.asks_2, view.asks_3)
        yes = (view.yes_0, view.yes_1, view.yes_2, view.yes_3)
        turned = [(other - seat) % self.players for other in range(self.players)]
        offered = view.offered >= 0
        mine = self.to_move == seat
        return Observation(
            seat, mine, int(view.turn), int(view.last) if view.last >= 0 else None,
            tuple(self._named(ups[side]) for side in turned),
            tuple(tuple(FaceDown(*self.place(place)) for place in _members(downs[side])) for side in turned),
            self._named(view.held),
            self._named(view.seen),
            dict(zip(LOCATIONS, (int(view.left_0), int(view.left_1), int(view.left_2)), strict=True)),
            self._named(view.accepted), self._named(view.refused), self._named(view.stolen),
            tuple(int(asks[side]) for side in turned), tuple(int(yes[side]) for side in turned),
            self.rules.names[int(view.card)] if view.card >= 0 else None,
            ((seat + int(view.offerer)) % self.players, LOCATIONS[int(view.offered)]) if offered else None,
            tuple(self.legal_actions()) if mine else ())

    def __str__(self) -> str:
        left = ", ".join(f"{pile} {self.pile_left(pile)}" for pile in LOCATIONS)
        last = "" if self.last_round is None else f", {self.last_round} to come in the last round"
        lines = [f"turn {self.turn + 1}, seat {self.active}{last}; piles: {left}"]
        for seat in range(self.players):
            total, even = count_cards(self.face_up(seat) + self.held(seat), self.rules)
            lines.append(f"  seat {seat}: face up {_text(self.face_up(seat))}; face down {_text(self.held(seat))}; "
                         f"{total:+d} points" + ("" if even else ", odd spies"))
        if self.state[e.PHASE] in (e.PLACING, e.ANSWERING):
            asked = f", offered to seat {self.to_move}" if self.state[e.PHASE] == e.ANSWERING else ""
            lines.append(f"  drawn: {self.rules.names[int(self.state[e.CARD])]}{asked}")
        if self.state[e.PHASE] == e.PEEKING:
            lines.append(f"  seat {self.to_move} looks at a card put aside")
        if self.is_over:
            who = " and ".join(f"seat {seat}" for seat in self.winners) or "nobody"
            lines.append(f"  over: {who} {'win' if len(self.winners) > 1 else 'wins'} ({self.end_reason})")
        return "\n".join(lines)

    def _named(self, cards: int) -> tuple[str, ...]:
        return tuple(self.rules.names[number] for number in _members(cards))

    def place(self, place: int) -> tuple[str, int]:
        """The pile of a place of the engine, and which card of the pile lies there."""
        location = int(self.table[LOCATION + place])
        return LOCATIONS[location], place - int(self.table[START + location])

    def number(self, pile: str, number: int) -> int:
        """The engine's place of a card of a pile; the inverse of :meth:`place`."""
        return int(self.table[START + LOCATIONS.index(pile)]) + number


def new_game(seed: int = 1, rules: Rules | None = None, *, deal: int = 0) -> GameState:
    """Deal a game. ``seed`` and ``deal`` fix every card, as in a run with that seed."""
    if not 0 <= seed < 2**64:
        raise InputError(f"{seed} is out of range", key="seed", allowed="0 to 2^64 - 1")
    if not 0 <= deal < 2**62:
        raise InputError(f"{deal} is out of range", key="deal", allowed="0 or more")
    rules = rules or make_rules()
    table, state = compile_rules(rules), np.zeros(e.STATE_SIZE, dtype=np.int64)
    e.deal(state, table, np.uint64(deal_stream(np.uint64(seed), deal)))
    return GameState(rules, table, state)


def pile_orders(seed: int, deal: int, rules: Rules | None = None) -> dict[str, list[str]]:
    """The cards of each pile of a deal in their order, those put aside first."""
    game = new_game(seed, rules, deal=deal)
    state, table, names = game.state.copy(), game.table, game.rules.names
    orders: dict[str, list[str]] = {}
    for location, pile in enumerate(LOCATIONS):
        for _ in range(game.pile_left(pile)):
            e.take_top(state, table, location)
        first = int(table[START + location])
        orders[pile] = [names[card] for card in state[e.DECK + first:e.DECK + first + game.rules.pile_size(pile)]]
    return orders


def count_cards(cards: tuple[str, ...], rules: Rules | None = None) -> tuple[int, bool]:
    """What a set of cards is worth to its owner, modifiers applied: ``(total, whether the spies are even)``.

    Raises InputError for a card that is not in the game or given twice.
    """
    rules = rules or make_rules()
    numbers = {name: number for number, name in enumerate(rules.names)}
    word = 0
    for name in cards:
        if name not in numbers or word >> numbers[name] & 1:
            problem = "is given twice" if name in numbers else "is not in the game"
            raise InputError(f"card '{name}' {problem}", allowed=", ".join(numbers))
        word |= 1 << numbers[name]
    result = outcome(np.int64(word), compile_rules(rules))
    return int(points(result)), bool(is_even(result))


def _members(cards: int) -> Iterator[int]:
    word = int(cards)
    return (index for index in range(word.bit_length()) if word >> index & 1)


def _text(cards: tuple[str, ...]) -> str:
    return ", ".join(cards) or "nothing"
