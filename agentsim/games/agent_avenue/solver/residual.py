"""How far the table is from solved where games go: what either player could still gain in the turns that are played.

The table's own residual is a mean over all states, most of which no game ever sees. Here every turn of games of a
policy against itself counts once. In its state the stored answers meet the offers that follow from them, with the
successors' stored values; the *gaps* are what the offerer, and the receiver, could still gain in that turn by the best
reply (``turn_game``). What hands tell beyond that is not in them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.solver.backward import fill_turn
from agentsim.games.agent_avenue.solver.hand_worth import visited_states
from agentsim.games.agent_avenue.solver.store import Solution, solution
from agentsim.games.agent_avenue.solver.turn_game import HARD, PAIRS, SIZE, solve_turn
from agentsim.games.base import PolicyRef
from agentsim.jit import jit
from agentsim.stats.clustered import mean_of_values
from agentsim.stats.intervals import Interval

__all__ = ["Gap", "Residual", "gaps_in", "visited_residual"]

_BLOCKS = 20


@dataclass(frozen=True)
class Gap:
    """A gap in winning chance of one turn, over turns: its mean and 99th percentile.

    Both intervals (95 %) come from how much blocks of games differ.
    """

    mean: Interval
    p99: Interval


@dataclass(frozen=True)
class Residual:
    """Gaps weighted by how often states are visited. ``states``: different ones among ``turns`` of ``games``."""

    offerer: Gap
    receiver: Gap
    games: int
    turns: int
    states: int


@jit
def _fill_gaps(states, n, digit, moves, wins, loses, copies, gap, side, tie, hand, sets, set_start, set_pairs, pair_of,
               values, answers, kept, p, left, subsets, outcomes, q, offers, weights, bonus, sums, shares, gaps):
    for at in range(states.shape[0]):
        fill_turn(states[at], n, digit, moves, wins, loses, copies, gap, side, tie, hand, sets, values, answers, kept,
                  p, left, subsets, outcomes, q, bonus)
        # No step: what stands there is judged, not improved.
        _, gaps[at, 0], gaps[at, 1] = solve_turn(n, outcomes, bonus, p, set_start, set_pairs, pair_of, q, True, 0, HARD,
                                                 offers, weights, sums, shares)


def gaps_in(found: Solution, states: NDArray[np.int64]) -> NDArray[np.float64]:
    """What the offerer, and the receiver, could gain in each of these states of a table: (n, 2)."""
    space, square, pairs = found.space, np.zeros((4, SIZE, SIZE)), np.zeros((2, PAIRS))
    gaps = np.zeros((len(states), 2))
    _fill_gaps(states, space.n_names, space.digit, space.moves, space.wins, space.loses, space.copies, space.gap,
               space.side, space.tie, space.hand, space.sets, space.set_start, space.set_pairs, space.pair_of,
               found.values, found.answers, found.kept, np.zeros(len(space.sets)), np.zeros(SIZE, np.int64),
               np.zeros(1 << SIZE), square[0], np.zeros(SIZE), square[1], square[2], square[3], pairs[0], pairs[1],
               gaps)
    return gaps


def visited_residual(rules: Rules, policy: PolicyRef, *, games: int = 20_000, seed: int = 1) -> Residual:
    """The gaps in the turns of at least ``games`` games of a policy against itself.

    Raises InputError for rules without a solver's table.
    """
    found = solution(rules)
    each = -(-games // _BLOCKS)
    blocks = [visited_states(policy, rules, each, (seed * _BLOCKS + block) % 2**63) for block in range(_BLOCKS)]
    states, place = np.unique(np.concatenate(blocks), return_inverse=True)
    parts = np.split(gaps_in(found, states)[place], np.cumsum([len(block) for block in blocks])[:-1])
    offerer, receiver = (Gap(mean_of_values([float(part[:, side].mean()) for part in parts]),
                             mean_of_values([float(np.quantile(part[:, side], 0.99)) for part in parts]))
                         for side in range(2))
    return Residual(offerer, receiver, each * _BLOCKS, sum(map(len, blocks)), len(states))
