"""The parameterised family: exact beliefs, and rules of thumb for what to do with them.

It turns the evidence (weighed to its taste) into the posterior chance of each other player being a friend. A medkit is
worth sending to the likeliest friend, a bullet to the likeliest enemy. In the first round it gives the tool that clears
its threshold by more; if neither does it calls an interrogation, if it may and has not heard enough. The preset
``bayes`` weighs evidence as the model has it.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.shady_agents.belief import CHANCE, posterior
from agentsim.games.shady_agents.engine import BULLET, CALL, CALL_FREE, GIVE, MEDKIT
from agentsim.games.shady_agents.policies.parameters import (
    BAIT,
    CROWD,
    ENOUGH_CALLS,
    FREE_CALL,
    MEDKIT_FIRST,
    NOISE,
    SURE_BULLET,
    SURE_MEDKIT,
    THROW_BULLET,
)
from agentsim.games.shady_agents.view import (
    V_CALLS,
    V_COUNT,
    V_FREE,
    V_FRIENDS,
    V_MAY_CALL,
    V_PLAYERS,
    V_RECEIVERS,
    V_TOOL,
)
from agentsim.jit import jit
from agentsim.rng import below, unit, word

__all__ = ["sleuth_choose", "sleuth_place"]

_TIE = 1e-9
"""Chances closer than this are the same: rounding must not prefer a seat."""
# Words of a decision's stream: of the options' noise two each, then of ties and coins.
_TIES, _COIN, _BAIT = 64, 66, 67


@jit
def _shaken(key, option, rows, policy):
    """The random amount added to an option: triangular around 0."""
    if rows[policy, NOISE] == 0.0:
        return 0.0
    return rows[policy, NOISE] * (unit(word(key, 2 * option)) + unit(word(key, 2 * option + 1)) - 1.0)


@jit
def _appeal(tool, r, view, sense, rows, policy, key):
    """How well a tool seems to lie with a player: the chance that it is right there, with taste and noise."""
    friend = sense[CHANCE + r]
    chance = friend if tool == MEDKIT else 1.0 - friend
    return chance + rows[policy, CROWD] * view[V_COUNT + r] + _shaken(key, 10 * tool + r, rows, policy)


@jit
def _best(tool, view, sense, rows, policy, key):
    """``(relative seat, appeal)`` of the best receiver of a tool; chance decides between equals."""
    players, may = view[V_PLAYERS], view[V_RECEIVERS]
    top, ties = -np.inf, 0
    for r in range(players):
        if may >> r & 1 != 0:
            value = _appeal(tool, r, view, sense, rows, policy, key)
            if value > top + _TIE:
                top, ties = value, 1
            elif value >= top - _TIE:
                ties += 1
    pick = below(word(key, _TIES + tool), ties)
    for r in range(players):
        if may >> r & 1 != 0 and _appeal(tool, r, view, sense, rows, policy, key) >= top - _TIE:
            if pick == 0:
                return r, top
            pick -= 1
    return 0, top


@jit
def _believe(view, sense):
    """Work out the chances; of oneself one is sure."""
    posterior(sense, view[V_PLAYERS] - 1, view[V_FRIENDS])
    sense[CHANCE] = 1.0


@jit
def sleuth_choose(view, sense, rows, policy, key):
    """A gift or an interrogation, as a code with a relative seat."""
    _believe(view, sense)
    friend, medkit = _best(MEDKIT, view, sense, rows, policy, key)
    enemy, bullet = _best(BULLET, view, sense, rows, policy, key)
    caution = rows[policy, FREE_CALL] if view[V_FREE] != 0 else 0.0
    spare_medkit = medkit - rows[policy, SURE_MEDKIT] - caution
    spare_bullet = bullet - rows[policy, SURE_BULLET] - caution
    coin = 1e-12 if word(key, _COIN) >> np.uint64(63) != 0 else -1e-12
    if (view[V_MAY_CALL] != 0 and spare_medkit < -_TIE and spare_bullet < -_TIE
            and view[V_CALLS] < rows[policy, ENOUGH_CALLS]):
        if view[V_FREE] != 0:
            return np.int64(CALL_FREE)
        return np.int64(CALL + (BULLET if medkit - bullet + rows[policy, THROW_BULLET] + coin > 0.0 else MEDKIT))
    if rows[policy, BAIT] > 0.0 and unit(word(key, _BAIT)) < rows[policy, BAIT]:
        return np.int64(MEDKIT * GIVE + enemy)
    if spare_medkit + rows[policy, MEDKIT_FIRST] + coin > spare_bullet:
        return np.int64(MEDKIT * GIVE + friend)
    return np.int64(BULLET * GIVE + enemy)


@jit
def sleuth_place(view, sense, rows, policy, key):
    """The relative seat that the tool in question goes to."""
    _believe(view, sense)
    return _best(view[V_TOOL], view, sense, rows, policy, key)[0]
