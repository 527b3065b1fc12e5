"""The exact counters of a matchup in any mode: those of the base game (``..tally``), for blocks of up to four games.

The counters of Black Market cards are the kernel's; these are the ones that every game adds to once, when it is over.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.ruleset import MAX_MARKET
from agentsim.games.agent_avenue.tally import TURN_BINS, Tally
from agentsim.jit import jit

__all__ = ["COUNTS_SIZE", "count_game", "named_counts", "new_counts"]

BINS = 9
"""Half-points of a side in a deal: 0 .. 8 in the four games of two policies, one against a team."""

SCORE_A, SCORE_0 = 0, 16  # deals by the half-points of policy a / of side 0 in all their games
A_BY_SEAT = 32  # 2 x 3: policy a's wins, draws, losses as side 0 and as side 1
LONE = 38  # 2 x 3: the lone side's wins, draws, losses as side 0 and as side 1
TIED, DISCARDED = 44, 46  # by the active side / by side
OPEN_A, OPEN_0 = 48, 49  # half-points in the games so far of a deal that is not finished
TURNS = 50
REASON = TURNS + TURN_BINS  # games by end reason: at most one per Black Market card and the five of all modes
COUNTS_SIZE = REASON + 128
assert MAX_MARKET + 5 <= 128


def new_counts() -> NDArray[np.int64]:
    """Counters of no game."""
    return np.zeros(COUNTS_SIZE, dtype=np.int64)


@jit
def count_game(counts, side_of_a, lone, last_of_deal, winner, reason, tied, active, turns, discards_0, discards_1):
    """Count one game; the games of a deal must follow each other. ``lone``: the side of one player, -1 if none is."""
    half_0 = 1 if winner < 0 else 2 if winner == 0 else 0
    half_a = 2 - half_0 if side_of_a else half_0
    counts[A_BY_SEAT + 3 * (side_of_a & 1) + 2 - half_a] += 1
    if lone >= 0:
        half_lone = 2 - half_0 if lone else half_0
        counts[LONE + 3 * (lone & 1) + 2 - half_lone] += 1
    counts[OPEN_A] += half_a
    counts[OPEN_0] += half_0
    if last_of_deal:
        counts[SCORE_A + (counts[OPEN_A] & 15)] += 1
        counts[SCORE_0 + (counts[OPEN_0] & 15)] += 1
        counts[OPEN_A] = counts[OPEN_0] = 0
    counts[REASON + (reason & 127)] += 1
    counts[TIED + (active & 1)] += tied
    counts[TURNS + (turns & 127)] += 1
    counts[DISCARDED] += discards_0
    counts[DISCARDED + 1] += discards_1


def named_counts(counts: NDArray[np.int64], games_per_deal: int, n_reasons: int, lone: bool) -> Tally:
    """The counters by name, as copies: those of :func:`..tally.named_counts`, with ``n_reasons`` end reasons.

    With ``lone`` (one player against a team) also ``lone`` [2, 3]: the lone side's wins, draws and losses as the side
    that starts and as the other.
    """
    bins = 2 * games_per_deal + 1
    a_by_seat = counts[A_BY_SEAT:A_BY_SEAT + 6].reshape(2, 3).copy()
    found = {
        "seat0": a_by_seat[0] + a_by_seat[1, ::-1],
        "deal_score_a": counts[SCORE_A:SCORE_A + bins].copy(),
        "deal_score_seat0": counts[SCORE_0:SCORE_0 + bins].copy(),
        "a_by_seat": a_by_seat,
        "end_reason": counts[REASON:REASON + n_reasons].copy(),
        "tie": counts[TIED:TIED + 2].copy(),
        "turns": counts[TURNS:TURNS + TURN_BINS].copy(),
        "discards": counts[DISCARDED:DISCARDED + 2].copy(),
    }
    if lone:
        found["lone"] = counts[LONE:LONE + 6].reshape(2, 3).copy()
    return found
