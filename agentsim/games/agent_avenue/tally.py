"""The exact counters of a matchup: kept by the kernel game by game, named for everybody else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.engine import END_REASONS
from agentsim.jit import jit

__all__ = ["COUNTS_SIZE", "TURN_BINS", "Tally", "add_tally", "count_game", "named_counts", "new_counts"]

Tally = dict[str, NDArray[np.int64]]

TURN_BINS = 128
"""Games are counted by their number of turns, 0 .. TURN_BINS - 1; the largest deck allowed gives 61."""

# The vector of counters. Half-points: 2 for a win, 1 for a draw; `a` is the matchup's first policy.
SCORE_A, SCORE_0 = 0, 5  # deals by the half-points of policy a / of seat 0 in all their games
A_BY_SEAT = 10  # 2 x 3: policy a's wins, draws, losses in seat 0 and in seat 1
REASON = 16  # games by end reason
TIED = REASON + len(END_REASONS)  # games that the tie rule decided, by the active seat
DISCARDED = TIED + 2  # discards by seat
OPEN_A, OPEN_0 = DISCARDED + 2, DISCARDED + 3  # half-points in the games so far of a deal that is not finished
TURNS = OPEN_0 + 1
COUNTS_SIZE = TURNS + TURN_BINS


def new_counts() -> NDArray[np.int64]:
    """Counters of no game."""
    return np.zeros(COUNTS_SIZE, dtype=np.int64)


@jit
def count_game(counts, seat_of_a, last_of_deal, winner, reason, tied, active, turns, discards_0, discards_1):  # type: ignore[no-untyped-def]
    """Count one game. The games of a deal must follow each other."""
    half_0 = 1 if winner < 0 else 2 if winner == 0 else 0
    half_a = 2 - half_0 if seat_of_a else half_0
    counts[A_BY_SEAT + 3 * (seat_of_a & 1) + 2 - half_a] += 1
    counts[OPEN_A] += half_a
    counts[OPEN_0] += half_0
    if last_of_deal:
        counts[SCORE_A + (counts[OPEN_A] & 7)] += 1
        counts[SCORE_0 + (counts[OPEN_0] & 7)] += 1
        counts[OPEN_A] = counts[OPEN_0] = 0
    counts[REASON + (reason & 7)] += 1
    counts[TIED + (active & 1)] += tied
    counts[TURNS + (turns & 127)] += 1
    counts[DISCARDED] += discards_0
    counts[DISCARDED + 1] += discards_1


def named_counts(counts: NDArray[np.int64], games_per_deal: int) -> Tally:
    """The counters by name, as copies.

    ``seat0`` [3] seat 0's wins, draws, losses; ``deal_score_a``, ``deal_score_seat0`` [2 * games_per_deal + 1] deals by
    half-points; ``a_by_seat`` [2, 3] policy a's wins, draws, losses in either seat; ``end_reason`` [8]; ``tie`` [2]
    games decided by the tie rule with seat 0 / 1 active; ``turns`` [TURN_BINS]; ``discards`` [2] by seat.
    """
    bins = 2 * games_per_deal + 1
    a_by_seat = counts[A_BY_SEAT:A_BY_SEAT + 6].reshape(2, 3).copy()
    return {
        "seat0": a_by_seat[0] + a_by_seat[1, ::-1],
        "deal_score_a": counts[SCORE_A:SCORE_A + bins].copy(),
        "deal_score_seat0": counts[SCORE_0:SCORE_0 + bins].copy(),
        "a_by_seat": a_by_seat,
        "end_reason": counts[REASON:REASON + len(END_REASONS)].copy(),
        "tie": counts[TIED:TIED + 2].copy(),
        "turns": counts[TURNS:].copy(),
        "discards": counts[DISCARDED:DISCARDED + 2].copy(),
    }


def add_tally(total: Tally, part: Tally) -> None:
    """Add the counters of ``part`` to ``total`` in place."""
    for name, counts in part.items():
        total[name] = total[name] + counts if name in total else counts
