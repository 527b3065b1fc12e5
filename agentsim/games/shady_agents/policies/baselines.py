"""The baselines, exactly defined so that figures of other programs can be compared.

``random``: the first round is uniform over 2 (n - 1) gifts (a tool and another player each) and 2 interrogations, told
apart by the tool thrown away; the very first player, who throws none away, has one interrogation among the entries. In
the second round each tool goes to a uniformly chosen other player. Where house rules allow more receivers or forbid
interrogations the choice is uniform over what is legal.

``naive``: holds somebody for law-abiding if it found more of that player's statements true than false, for crooked if
it found more false, and knows nothing else. In the first round it picks uniformly among the gifts that this supports (a
medkit for a friend, a bullet for an enemy), or, without any, plays as ``random``. In the second round a medkit goes to
a uniformly chosen friend, a bullet to an enemy; without one, to somebody it knows nothing about; else to anyone.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.shady_agents.engine import BULLET, CALL, CALL_FREE, GIVE, LAW, MEDKIT
from agentsim.games.shady_agents.view import (
    V_FREE,
    V_MAY_CALL,
    V_PLAYERS,
    V_RECEIVERS,
    V_SIDE,
    V_TOOL,
    V_VERDICTS,
)
from agentsim.jit import jit
from agentsim.rng import below

__all__ = ["naive_choose", "naive_place", "random_choose", "random_place"]


@jit
def _size(members):
    """How many relative seats a set has."""
    count = 0
    while members != 0:
        members &= members - 1
        count += 1
    return count


@jit
def _nth(members, n):
    """The n-th relative seat of a set, from 0; ``n`` must be below its size."""
    for _ in range(n):
        members &= members - 1
    low, seat = members & -members, 0
    while low > 1:
        low >>= 1
        seat += 1
    return seat


@jit
def random_choose(players, own_tools, may_call, free, key):
    """A gift or an interrogation, as a code with a relative seat. Reads nothing but what everybody sees."""
    receivers = players if own_tools != 0 else players - 1
    calls = 0 if may_call == 0 else 1 if free else 2
    # The key is a uniform word itself.
    index = below(key, 2 * receivers + calls)
    if index >= 2 * receivers:
        return CALL_FREE if free else CALL + index - 2 * receivers
    tool = np.int64(index >= receivers)
    return tool * GIVE + index - tool * receivers + (0 if own_tools != 0 else 1)


@jit
def random_place(players, own_tools, barred, key):
    """The relative seat that a tool of the second round goes to; ``barred``: one that may not be chosen, or -1."""
    first = 0 if own_tools != 0 else 1
    seat = first + below(key, players - first - (1 if barred >= first else 0))
    return seat + 1 if barred >= first and seat >= barred else seat


@jit
def _held(view, friends):
    """The relative seats that verified statements show as friends, or as enemies."""
    found = np.int64(0)
    for r in range(1, view[V_PLAYERS]):
        verdict = view[V_VERDICTS + r] if view[V_SIDE] == LAW else -view[V_VERDICTS + r]
        if (verdict > 0 and friends) or (verdict < 0 and not friends):
            found |= np.int64(1) << r
    # Of oneself one knows.
    return found | 1 if friends else found


@jit
def naive_choose(view, key):
    """A gift that verified statements support, else chance."""
    friends, enemies = _held(view, True) & view[V_RECEIVERS], _held(view, False) & view[V_RECEIVERS]
    n_friends, n_enemies = _size(friends), _size(enemies)
    if n_friends + n_enemies == 0:
        return random_choose(view[V_PLAYERS], view[V_RECEIVERS] & 1, view[V_MAY_CALL], view[V_FREE] != 0, key)
    index = below(key, n_friends + n_enemies)
    if index < n_friends:
        return MEDKIT * GIVE + _nth(friends, index)
    return BULLET * GIVE + _nth(enemies, index - n_friends)


@jit
def naive_place(view, key):
    """A supported receiver, else an unknown one, else any."""
    medkit = view[V_TOOL] == MEDKIT
    may = view[V_RECEIVERS]
    wanted = _held(view, medkit) & may
    if wanted == 0:
        wanted = may & ~_held(view, not medkit)
    if wanted == 0:
        wanted = may
    return _nth(wanted, below(key, _size(wanted)))
