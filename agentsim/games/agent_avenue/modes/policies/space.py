"""The work space that the kernel lends to policies, and what stands where in it.

``scratch`` begins as a state vector of the engine (``layout.py``) that holds only what the view tells: the *board*. On
it a policy tries out recruitments and moves with the engine's own functions, so the rules are written once. Behind the
board lie *lanes*: by agent, for the viewer and THEM further for the other side, what recruiting one more copy brings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.modes.layout import MODE_STATE
from agentsim.games.agent_avenue.policies.planner import WORK_SIZE

__all__ = ["MODE_SCRATCH", "MODE_WORK", "mode_scratch_space", "mode_work_space"]

THEM = 16
# Lanes in `scratch`: the move, moves caused by stops included; the landings that it owes; the space where it ends, and
# the same for a Division M trap (NOWHERE if the trap asks for a move and there is none); the conditions (WIN, LOSE)
# that it fulfils; the spaces, as bits, on which the other side's pawn would lose to cards, and to the Division M pawn;
# the points that a policy gives it.
NEXT, LANDED, PLACE, M_PLACE, CLAIMS, SNARE, TRAP, POINTS = range(MODE_STATE, MODE_STATE + 8 * 32, 32)
NOWHERE = 63
"""A space on no ring."""
WAYS = POINTS + 32
"""``scratch[WAYS + 64 * (0 or 1) + d]``: unseen cards that would move my pawn (the other side's) d spaces round the
ring; at WAYS + 128 the number of unseen cards."""
KEPT = WAYS + 136
"""The board as it was before a trial."""
ME, ACTIVE, FAMILY, UNSEEN, HAND, DECK, SHOWN = range(KEPT + 24, KEPT + 31)
"""Who decides: the side, whether it is active, by which family; what it knows: the zone of cards that it has not seen,
its hand (empty if that is not known), cards in the deck; at SHOWN and one further the cards that its own side and the
other one are known to hold."""
SCORES, ACTIONS = KEPT + 32, KEPT + 32 + 128
"""Offers of the pairs of names in hand, with their scores: at most 105."""
(BEFORE, SUM, LEADING, OF_WINNING, OF_LOSING, OF_OWED, GAP_ME, GAP_THEM, OURS, THEIRS, TIE,
 AT_A_GLANCE) = range(ACTIONS + 128, ACTIONS + 140)
"""What ``glance.py`` knows of the board, for the side that decides: points in all and without an end of the game; the
lead; points of winning and (taken off) of losing cards, of landings owed; the gaps; completed sets that win for it,
that win for the other side; what a tie is for it; whether all that tells what the board is worth."""
VIEW = ACTIONS + 144
"""The view, see ``sight.py``."""
FRONT, TAKEN = VIEW + 40, VIEW + 41
"""For fitted values (``solver/advanced``): the side that offers next, a copy that has left the supply (-1: none)."""
FITTED_WIDTH = 64
LIST, BASE, SUMS = VIEW + 44, VIEW + 44 + 104, VIEW + 44 + 104 + FITTED_WIDTH
"""Features that hold; sums of weights that a decision's positions share, and those of a position."""
MODE_SCRATCH = SUMS + FITTED_WIDTH

# Lanes in `work`, behind the planner's: steps nearer to a card's condition at End; change of the chance that the next
# move ends on the other side's Division M pawn; of the chance that the other side's ends on one's own.
PLOT, EXPOSED, GRIP = WORK_SIZE, WORK_SIZE + 32, WORK_SIZE + 64
SCORE, WEIGHT = WORK_SIZE + 96, WORK_SIZE + 112
"""Lanes: the score of laying an agent, and how likely a card that comes is of that name."""
MODE_WORK = WORK_SIZE + 128


def mode_scratch_space() -> NDArray[np.int64]:
    """Whole numbers for one thread's decisions, (MODE_SCRATCH,)."""
    return np.zeros(MODE_SCRATCH, dtype=np.int64)


def mode_work_space() -> NDArray[np.float64]:
    """Floats for one thread's decisions, (MODE_WORK,), aligned to cache lines as ``planner.work_space`` are."""
    memory = np.zeros(MODE_WORK + 8)
    start = -(memory.ctypes.data // 8) % 8
    return memory[start:start + MODE_WORK]
