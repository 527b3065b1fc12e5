"""What a position is worth: the winning chance of the side in front, by a network of one hidden layer.

Each feature that holds adds its row of weights to WIDTH sums. All sums but the last are cut at 0, weighted and added;
the last one is added as it is. The total is the log-odds. Weights are whole numbers (UNIT, UNIT_OUT to 1): sums of
these come out the same in whatever order they are added, so games do not depend on the processor.
"""

from __future__ import annotations

import math

import numpy as np

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.modes.policies.board import verdict
from agentsim.games.agent_avenue.rules import TIE_RULE
from agentsim.games.agent_avenue.solver.advanced.features import N_FEATURES, board_features, still_features
from agentsim.games.agent_avenue.solver.memory import number_32
from agentsim.jit import jit

__all__ = ["FACTS", "N_FACTS", "N_WEIGHTS", "ROW_SIZE", "UNIT", "UNIT_OUT", "WEIGHTS", "WIDTH", "chance",
           "prepare"]

WIDTH = s.FITTED_WIDTH
UNIT, UNIT_OUT = 1 << 12, 1 << 12
N_WEIGHTS = (N_FEATURES + 2) * WIDTH
"""A row for each feature, one that always counts, and the weights of the sums."""
N_FACTS = 4096
"""Length of the vector of facts, see ``weights.facts_of``."""
WEIGHTS, FACTS, ROW_SIZE = 16, 17, 24
"""Where the addresses of weights and facts stand in a row of parameters."""


@jit
def _add(weights, scratch, first, last, sums):
    for at in range(first, last):
        row = WIDTH * scratch[at]
        for lane in range(WIDTH):
            scratch[sums + lane] += number_32(weights, row + lane)


@jit
def prepare(table, rows, policy, scratch, front, discards, discards_behind, deck, told, hand):
    """Note what all positions of a decision share; see :func:`still_features`."""
    weights, facts = np.uintp(rows[policy, WEIGHTS]), np.uintp(rows[policy, FACTS])
    scratch[s.FRONT], scratch[s.TAKEN] = front, -1
    for lane in range(WIDTH):
        scratch[s.BASE + lane] = number_32(weights, WIDTH * N_FEATURES + lane)
    last = still_features(table, facts, discards, discards_behind, deck, told, hand, scratch, np.int64(s.LIST))
    _add(weights, scratch, np.int64(s.LIST), last, np.int64(s.BASE))


@jit
def chance(scratch, table, rows, policy):
    """The winning chance of the side ``scratch[ME]`` on the board, after :func:`prepare`.

    Conditions at End count once no landing is owed.
    """
    me, front = scratch[s.ME] & 1, scratch[s.FRONT] & 1
    if scratch[x.OWED] + scratch[x.OWED + 1] == 0 or scratch[x.N_SUPPLY] == 0:
        end = verdict(scratch, table, table[TIE_RULE], me, scratch[s.ACTIVE])
        if end != 0:
            return 1.0 if end > 0 else 0.0
    weights, facts = np.uintp(rows[policy, WEIGHTS]), np.uintp(rows[policy, FACTS])
    last = board_features(scratch, table, facts, front, scratch[s.TAKEN], scratch, np.int64(s.LIST))
    for lane in range(WIDTH):
        scratch[s.SUMS + lane] = scratch[s.BASE + lane]
    _add(weights, scratch, np.int64(s.LIST), last, np.int64(s.SUMS))
    total = UNIT_OUT * scratch[s.SUMS + WIDTH - 1]
    out = WIDTH * (N_FEATURES + 1)
    for lane in range(WIDTH - 1):
        total += number_32(weights, out + lane) * max(scratch[s.SUMS + lane], 0)
    log_odds = total / float(UNIT * UNIT_OUT)
    return 1.0 / (1.0 + math.exp(-log_odds if front == me else log_odds))
