"""One game, step by step: for people, for adapters, for policies in Python.

The same jitted rules as the batch kernel, one action at a time::

    >>> from agentsim.games.shady_agents.step import new_game
    >>> game = new_game(seed=1)
    >>> game.to_move, len(game.legal_actions()), str(game.legal_actions()[-1])
    (0, 11, 'call an interrogation for free')
    >>> game = game.apply(game.legal_actions()[-1])
    >>> len(game.observe(3).statements)
    5

A game is immutable: :meth:`GameState.apply` returns the next one, so positions can be kept, compared and forked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.shady_agents import engine as e
from agentsim.games.shady_agents.belief import CHANCE, SENSE_SIZE
from agentsim.games.shady_agents.decision import deal_stream, one_belief
from agentsim.games.shady_agents.policies.parameters import policy_row
from agentsim.games.shady_agents.rules import MAX_PLAYERS, SIDES, TOOLS, Rules, make_rules
from agentsim.games.shady_agents.table import CALLER_ANSWERS, compile_rules
from agentsim.games.shady_agents.view import (
    V_COUNT,
    V_FRIENDS,
    V_RECEIVED,
    V_SIDE,
    V_TO,
    V_TOOL,
    V_TOOLS,
    V_TURN,
    VIEW_SIZE,
)

__all__ = ["Action", "Call", "GameState", "Give", "IllegalAction", "Observation", "Statement", "code_of", "new_game"]

_ALL_CODES = [tool * e.GIVE + seat for tool in range(2) for seat in range(MAX_PLAYERS)] + [
    e.CALL + e.BULLET, e.CALL + e.MEDKIT, e.CALL_FREE]


@dataclass(frozen=True, order=True)
class Give:
    """Give a tool, face down, to a seat."""

    tool: str
    seat: int

    def __str__(self) -> str:
        return f"give the {self.tool} to seat {self.seat}"


@dataclass(frozen=True, order=True)
class Call:
    """Call an interrogation and throw a tool away for it; None for the first player's, which is free."""

    thrown: str | None

    def __str__(self) -> str:
        price = "for free" if self.thrown is None else f"and throw the {self.thrown} away"
        return f"call an interrogation {price}"


Action: TypeAlias = Give | Call


class IllegalAction(ValueError):
    """An action that the rules do not allow here; the message names what is legal."""


@dataclass(frozen=True)
class Statement:
    """A statement that a player heard: in which interrogation, called and made by whom, and what it says.

    ``verdict``: whether the observer found it true; None if it could not verify it, or made it.
    """

    question: int
    caller: int
    speaker: int
    yes: bool
    verdict: bool | None


@dataclass(frozen=True)
class Observation:
    """What one player may know, in names. Lists have one entry per seat, in seat order.

    ``side``: its own; ``friends``: how many others are of it; ``smaller_side``: the side that is one player smaller,
    None at even tables. ``tools``: those that it still has. ``lying``: tools that lie with each seat. ``gave``: whom
    each seat gave its tool of each round (None: not yet, or it called an interrogation); ``callers``: who called one.
    ``received``: ``(giver, tool)``. ``friend``: chance that each seat is of its side, by the evidence as the model has
    it; 1 for itself. ``to_place``: the tool that it is asked to place, None in the first round.
    """

    seat: int
    to_move: bool
    turn: int
    side: str
    friends: int
    smaller_side: str | None
    tools: tuple[str, ...]
    lying: tuple[int, ...]
    gave: tuple[tuple[int | None, int | None], ...]
    callers: tuple[int, ...]
    received: tuple[tuple[int, str], ...]
    statements: tuple[Statement, ...]
    friend: tuple[float, ...]
    to_place: str | None
    legal: tuple[Action, ...]


@dataclass(frozen=True, eq=False)
class GameState:
    """A position. Made by :func:`new_game`; ``state`` and ``odds`` are the engine's vectors (do not write to them).

    ``rows``: how each seat weighs evidence, one row per seat.
    """

    rules: Rules
    table: NDArray[np.int64]
    rows: NDArray[np.float64]
    state: NDArray[np.int64]
    odds: NDArray[np.float64]

    @property
    def players(self) -> int:
        return self.rules.players

    @property
    def is_over(self) -> bool:
        return bool(self.state[e.PHASE] == e.OVER)

    @property
    def to_move(self) -> int:
        """The seat that decides now; -1 when the game is over."""
        return -1 if self.is_over else int(self.state[e.ACTIVE])

    @property
    def turn(self) -> int:
        """Number of the turn, from 0; the second round begins with turn ``players``."""
        return int(self.state[e.TURN])

    @property
    def to_place(self) -> str | None:
        """The tool that the seat to move is asked to place; None in the first round and after the end."""
        tool = int(self.state[e.TOOL])
        return None if tool < 0 else TOOLS[tool]

    @property
    def roles(self) -> tuple[str, ...]:
        """The side of each seat. Not for policies: they get :meth:`observe`."""
        return tuple(SIDES[self.state[e.ROLES] >> seat & 1] for seat in range(self.players))

    @property
    def smaller_side(self) -> str | None:
        """The side that is one player smaller; None at even tables."""
        return None if self.state[e.SMALLER] < 0 else SIDES[int(self.state[e.SMALLER])]

    @property
    def interrogations(self) -> int:
        """How many were held so far."""
        return int(self.state[e.CALLS])

    @property
    def winner(self) -> str | None:
        """The side that won; None for a draw and while the game goes on."""
        return SIDES[int(self.state[e.WINNER])] if self.state[e.WINNER] >= 0 else None

    @property
    def end_reason(self) -> str | None:
        """How the game was decided (see ``END_REASONS``); None while it goes on."""
        return e.END_REASONS[int(self.state[e.REASON])] if self.is_over else None

    @property
    def shares(self) -> tuple[float, ...]:
        """Win share by seat: 1 for the winning side's members, 1/2 for all in a draw; 0 while the game goes on."""
        if not self.is_over:
            return (0.0,) * self.players
        return tuple(0.5 if self.winner is None else float(role == self.winner) for role in self.roles)

    @property
    def side_points(self) -> dict[str, int]:
        """Points of each side at the end, the odd-number bonus included; 0 while the game goes on."""
        return {side: int(self.state[e.POINTS + number]) for number, side in enumerate(SIDES)}

    @property
    def side_medkits(self) -> dict[str, int]:
        """Medkits lying with each side's members at the end; 0 while the game goes on."""
        return {side: int(self.state[e.MEDKITS + number]) for number, side in enumerate(SIDES)}

    @property
    def points(self) -> tuple[int, ...]:
        """What the tools lying with each seat count at the end; 0 while the game goes on."""
        return tuple(int(self.state[e.SCORE + seat]) for seat in range(self.players))

    @property
    def resets(self) -> tuple[int, ...]:
        """How often contradictory evidence took each seat's beliefs back to the prior."""
        return tuple(int(self.state[e.RESETS + seat]) for seat in range(self.players))

    def legal_actions(self) -> list[Action]:
        """Everything that the player to move may do, in a fixed order; empty when the game is over."""
        return [_named(code) for code in _ALL_CODES if e.is_legal(self.state, self.table, code)]

    def apply(self, action: Action) -> GameState:
        """The position after an action. Raises IllegalAction, naming what is legal, if the rules do not allow it."""
        legal = self.legal_actions()
        if action not in legal:
            what = "; ".join(map(str, legal)) if legal else "nothing, the game is over"
            raise IllegalAction(f"'{action}' is not legal here; legal: {what}")
        state, odds = self.state.copy(), self.odds.copy()
        e.answer(state, odds, self.table, self.rows, code_of(action))
        return GameState(self.rules, self.table, self.rows, state, odds)

    def observe(self, seat: int) -> Observation:
        """What a seat may know."""
        if not 0 <= seat < self.players:
            raise InputError(f"there is no seat {seat}", allowed=f"0 to {self.players - 1}")
        n = self.players
        view, sense = np.zeros(VIEW_SIZE, dtype=np.int64), np.zeros(SENSE_SIZE)
        one_belief(self.state, self.odds, self.table, seat, view, sense)
        # Everything comes from the view, turned from the viewer's side to seat order; the talk, which views only
        # have in sum, from the viewer's own record.
        turned = [(other - seat) % n for other in range(n)]

        def back(side: int) -> int | None:
            return None if side < 0 else (int(side) + seat) % n

        mine = self.to_move == seat
        received = [(other, tool) for other in range(n) for number, tool in enumerate(TOOLS)
                    if view[V_RECEIVED + turned[other]] >> number & 1]
        return Observation(
            seat, mine, int(view[V_TURN]), SIDES[view[V_SIDE]], int(view[V_FRIENDS]), self.smaller_side,
            tuple(tool for number, tool in enumerate(TOOLS) if view[V_TOOLS] >> number & 1),
            tuple(int(view[V_COUNT + side]) for side in turned),
            tuple((back(view[V_TO + 2 * side]), back(view[V_TO + 2 * side + 1])) for side in turned),
            tuple(other for other in range(n) if view[V_TO + 2 * turned[other]] == e.CALLED),
            tuple(received), self._heard(seat), tuple(float(sense[CHANCE + side]) if side else 1.0 for side in turned),
            TOOLS[view[V_TOOL]] if view[V_TOOL] >= 0 else None, tuple(self.legal_actions()) if mine else ())

    def _heard(self, seat: int) -> tuple[Statement, ...]:
        heard = []
        for question in range(self.interrogations):
            caller = int(self.state[e.CALLER + question])
            known = int(self.state[e.KNOWN + MAX_PLAYERS * seat + question])
            found = int(self.state[e.FOUND_TRUE + MAX_PLAYERS * seat + question])
            for steps in range(1, self.players + int(self.table[CALLER_ANSWERS])):
                speaker = (caller + steps) % self.players
                heard.append(Statement(question, caller, speaker, bool(self.state[e.SAID + question] >> speaker & 1),
                                       bool(found >> speaker & 1) if known >> speaker & 1 else None))
        return tuple(heard)

    def __str__(self) -> str:
        lines = [f"turn {min(self.turn + 1, self.rules.turns)} of {self.rules.turns}, {self.interrogations} "
                 f"interrogations" + ("" if self.is_over else f", seat {self.to_move} to move")]
        given = [self.state[e.GIVEN + 2 * seat:e.GIVEN + 2 * seat + 2].tolist() for seat in range(self.players)]
        for seat, role in enumerate(self.roles):
            where = {e.IN_HAND: "in hand", e.AWAY: "thrown away"}
            tools = ", ".join(f"{tool} {where.get(to, f'to seat {to}')}"
                              for tool, to in zip(TOOLS, given[seat], strict=True))
            lines.append(f"  seat {seat} ({role}): {tools}")
        if self.is_over:
            score = ", ".join(f"{side} {points:+d}" for side, points in self.side_points.items())
            lines.append(f"  over: {score}; {self.winner or 'nobody'} wins ({self.end_reason})")
        return "\n".join(lines)


def _named(code: int) -> Action:
    if code >= e.CALL:
        return Call(None if code == e.CALL_FREE else TOOLS[code - e.CALL])
    return Give(TOOLS[code // e.GIVE], code % e.GIVE)


def code_of(action: Action) -> int:
    """The engine's code of an action; -1 for one that names no tool of the game."""
    match action:
        case Call(None):
            return e.CALL_FREE
        case Call(tool) if tool in TOOLS:
            return e.CALL + TOOLS.index(tool)
        case Give(tool, seat) if tool in TOOLS:
            return TOOLS.index(tool) * e.GIVE + seat
    return -1


def new_game(seed: int = 1, rules: Rules | None = None, *, deal: int = 0, turned: int = 0,
             rows: NDArray[np.float64] | None = None) -> GameState:
    """Deal a game. ``seed`` and ``deal`` fix the roles and all that the talk brings, as in a run with that seed.

    ``turned``: by how many seats the roles move on from where they were dealt; ``rows``: one parameter row per seat
    (by default all learn as the model does).
    """
    rules = rules or make_rules()
    if not 0 <= seed < 2**64:
        raise InputError(f"{seed} is out of range", key="seed", allowed="0 to 2^64 - 1")
    if not 0 <= deal < 2**62:
        raise InputError(f"{deal} is out of range", key="deal", allowed="0 or more")
    if not 0 <= turned < rules.players:
        raise InputError(f"{turned} is out of range", key="turned", allowed=f"0 to {rules.players - 1}")
    if rows is None:
        rows = np.stack([policy_row("random", {}, rules)] * rules.players)
    table, state = compile_rules(rules), np.zeros(e.STATE_SIZE, dtype=np.int64)
    odds, everybody = np.zeros(MAX_PLAYERS * MAX_PLAYERS), (1 << rules.players) - 1
    e.start(state, odds, table, np.uint64(deal_stream(np.uint64(seed), deal)), turned, everybody, everybody)
    state[e.ROW:e.ROW + rules.players] = np.arange(rules.players)
    return GameState(rules, table, rows, state, odds)
