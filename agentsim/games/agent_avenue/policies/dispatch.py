"""From a family's number to the code that plays it."""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.policies.baselines import random_discards_offer, random_offer, random_take
from agentsim.games.agent_avenue.policies.greedy import greedy_offer, greedy_take
from agentsim.games.agent_avenue.policies.minmax import minmax_offer, minmax_take
from agentsim.games.agent_avenue.policies.planner import planner_offer, planner_take
from agentsim.jit import jit

FAMILY_RANDOM, FAMILY_RANDOM_DISCARDS, FAMILY_GREEDY, FAMILY_MINMAX, FAMILY_PLANNER, FAMILY_FITTED = range(6)
FAMILY_USER = 100

# The planner is by far the largest policy. Compiled on its own, not as a piece of the kernel, it takes 10 s off the
# time to compile and adds 5 % to a game of `expert`.
_planner_offer = jit(getattr(planner_offer, "py_func", planner_offer))
_planner_take = jit(getattr(planner_take, "py_func", planner_take))


@jit(inline="always")
def decide_offer(family, users, view, seat, table, rows, policy, scratch, work, key):
    """The offering action that a policy chooses: ``16 * up + down`` or ``DISCARD + name``.

    ``users``: the policies' own functions, or None if all are built in (the last line is then not even compiled).
    ``seat`` only tells where in ``scratch`` the viewer's look-ahead stands (see exchange.py).
    """
    if family == FAMILY_RANDOM:
        return random_offer(view, key)
    if family == FAMILY_GREEDY:
        return greedy_offer(view, seat, table, scratch, key)
    if family == FAMILY_MINMAX:
        return minmax_offer(view, seat, table, np.int64(rows[policy, 0]), scratch, key)
    if family == FAMILY_PLANNER:
        return _planner_offer(view, table, rows, policy, scratch, work, key)
    if users is None or family == FAMILY_RANDOM_DISCARDS:
        return random_discards_offer(view, key)
    return users[policy](view, table, rows[policy], key)


@jit(inline="always")
def decide_take(family, users, view, seat, table, rows, policy, scratch, work, key):
    """The receiver's choice: 1 for the face-up card, 0 for the hidden one."""
    if family in (FAMILY_RANDOM, FAMILY_RANDOM_DISCARDS):
        return random_take(key)
    if family == FAMILY_GREEDY:
        return greedy_take(view, seat, table, scratch, key)
    if family == FAMILY_MINMAX:
        return minmax_take(view, seat, table, np.int64(rows[policy, 0]), scratch, key)
    if users is None or family == FAMILY_PLANNER:
        return _planner_take(view, table, rows, policy, scratch, work, key)
    return users[policy](view, table, rows[policy], key)
