"""A solver's table as compiled policies read it: through addresses in their row of parameters.

The arrays (28 and 55 MB for the shipped rules) are mapped into memory once and shared by all threads; a row of
parameters holds where they lie, and the rule set's space as one vector of whole numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import carray as _carray  # type: ignore[attr-defined]
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from agentsim.games.agent_avenue.rules import COPIES
from agentsim.games.agent_avenue.solver.backward import LEVELS
from agentsim.games.agent_avenue.solver.hands import DRAWN_ANEW
from agentsim.games.agent_avenue.solver.parameters import ANSWERS, FACTS, N_STATES, VALUES
from agentsim.games.agent_avenue.solver.states import Space
from agentsim.games.agent_avenue.solver.turn_game import SIZE
from agentsim.games.agent_avenue.zones import count
from agentsim.jit import jit

__all__ = ["Opened", "answers_of", "array_at", "best_discard", "best_of", "digits", "facts_of", "names_of",
           "open_table"]

# The space as one vector.
F_NAMES, F_GAP, F_SIDE, F_TIES, F_SETS, F_PAIRS, F_KEPT = range(7)
F_DIGIT, F_MOVES, F_WINS, F_LOSES, F_PAIR_OF, F_LISTS = 8, 16, 40, 48, 56, 120


class Opened(NamedTuple):
    """A table and its space; see :class:`..states.Space` and :func:`..backward.solve_states` for the fields."""

    values: Any
    answers: Any
    n: Any
    gap: Any
    side: Any
    tie: Any
    digit: Any
    moves: Any
    wins: Any
    loses: Any
    pair_of: Any
    sets: Any
    start: Any
    pairs: Any
    kept: Any


def facts_of(space: Space, kept: NDArray[np.float64] = DRAWN_ANEW) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A space as the vector that :func:`open_table` reads."""
    n = space.n_names
    facts = np.zeros(F_LISTS, np.int64)
    facts[:6] = n, space.gap, space.side, round(2 * space.tie), len(space.sets), len(space.set_pairs)
    facts[F_DIGIT:F_DIGIT + n], facts[F_WINS:F_WINS + n] = space.digit, space.wins
    facts[F_LOSES:F_LOSES + n] = space.loses
    facts[F_MOVES:F_MOVES + 24].reshape(SIZE, 3)[:n] = space.moves
    facts[F_PAIR_OF:F_PAIR_OF + 64].reshape(SIZE, SIZE)[:n, :n] = space.pair_of
    lists = np.concatenate([facts, space.sets, space.set_start, space.set_pairs])
    # Weights are read in place: the same eight bytes each, as numbers with a fraction.
    lists[F_KEPT] = len(kept)
    return np.concatenate([lists, kept.view(np.int64)])


carray: Any = _carray


@intrinsic
def _intrinsic_pointer(context: Any, address: Any) -> Any:
    """An address as a pointer, for ``numba.carray``."""
    def make(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.uintp), make


_pointer: Any = _intrinsic_pointer


@jit(inline="always")
def array_at(address, shape, kind):
    """The array of this shape and kind at an address that stands in a row."""
    return carray(_pointer(np.uintp(address)), shape, kind)


@jit(inline="always")
def open_table(params):
    """The table that a row of parameters points to."""
    states = np.int64(params[N_STATES])
    facts = array_at(params[FACTS], (4096,), np.int64)
    sets, pairs = facts[F_SETS], facts[F_PAIRS]
    last = F_LISTS + 2 * sets + 1 + pairs
    return Opened(
        array_at(params[VALUES], (states,), np.float32), array_at(params[ANSWERS], (states, SIZE), np.uint8),
        facts[F_NAMES], facts[F_GAP], facts[F_SIDE], facts[F_TIES] / 2.0, facts[F_DIGIT:F_DIGIT + SIZE],
        facts[F_MOVES:F_MOVES + 24].reshape((SIZE, 3)), facts[F_WINS:F_WINS + SIZE], facts[F_LOSES:F_LOSES + SIZE],
        facts[F_PAIR_OF:F_PAIR_OF + 64].reshape((SIZE, SIZE)), facts[F_LISTS:F_LISTS + sets],
        facts[F_LISTS + sets:F_LISTS + 2 * sets + 1], facts[F_LISTS + 2 * sets + 1:last],
        array_at(params[FACTS] + 8 * last, (facts[F_KEPT],), np.float64))


@jit(inline="always")
def digits(zone, digit, n):
    """A play area as a number in base 3."""
    found = 0
    for name in range(n):
        found += digit[name] * min(count(zone, name), 2)
    return found


@jit
def names_of(zone, n):
    """The names in a zone, as bits."""
    found = 0
    for name in range(n):
        if count(zone, name) > 0:
            found |= 1 << name
    return found


@jit
def best_of(hand, values, n):
    """The best value of an offer that a set of names allows."""
    best = -1.0
    for u in range(n):
        if hand >> u & 1:
            for d in range(n):
                if hand >> d & 1 and (u != d or hand == 1 << u):
                    best = max(best, values[u, d])
    return best


@jit
def best_discard(cards, seen, table, hand, offers, n):
    """``(promise, name)``: the mean best offer after the best discard and a draw for it, and what goes (-1: nothing).

    ``cards``: the zone of the hand, whose names are ``hand``; ``seen``: the zone of all cards that cannot be drawn.
    """
    gone, promise = np.int64(-1), 0.0
    for name in range(n):
        if hand >> name & 1:
            kept = hand if count(cards, name) > 1 else hand ^ (1 << name)
            copies, total = 0.0, 0.0
            for drawn in range(n):
                weight = float(table[COPIES + drawn] - count(seen, drawn))
                if weight > 0.0:
                    copies += weight
                    total += weight * best_of(kept | 1 << drawn, offers, n)
            if copies > 0.0 and total / copies > promise:
                promise, gone = total / copies, np.int64(name)
    return promise, gone


@jit
def answers_of(answers, state, n, q):
    """``q[name]``: with what chance a card lying face up is taken in a state."""
    for name in range(n):
        q[name] = answers[state, name] / LEVELS
