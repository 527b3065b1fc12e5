"""What a player believes about the others' sides: the exact posterior over all ways to deal the roles.

Every piece of evidence speaks of one other player: a statement heard, a tool received. So an observer's weight of an
assignment of sides is the product of one factor per player, and an observer keeps no more than one number for each:
the log odds of *friend* (of the observer's own side) against *enemy* as the evidence alone has them. What binds the
players together is the exact number of friends, which is known; the posterior is the product restricted to the
assignments with that many friends (at most 126 of them, with ten players). :func:`posterior` sums over them all without
listing them: the sum over all ways to choose k friends among the first i players is an elementary symmetric polynomial
of their odds and follows from the sums for i - 1 players.

Evidence can be certain (log odds of plus or minus infinity). :func:`impossible` tells whether it leaves no assignment.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.shady_agents.rules import MAX_PLAYERS
from agentsim.jit import jit

__all__ = ["CHANCE", "ODDS", "SENSE_SIZE", "impossible", "posterior"]

ODDS, CHANCE = 0, MAX_PLAYERS
"""In a vector of beliefs, by relative seat from 1 on: the log odds of friend, and the posterior probability."""
_FRIEND, _ENEMY, _SORTED = 2 * MAX_PLAYERS, 3 * MAX_PLAYERS, 4 * MAX_PLAYERS
_WIDTH = MAX_PLAYERS + 1
_BEFORE = 5 * MAX_PLAYERS
_AFTER = _BEFORE + _WIDTH * _WIDTH
SENSE_SIZE = _AFTER + (_WIDTH + 1) * _WIDTH
_SAFE = 50.0
"""Log odds up to which no product of factors can underflow."""


@jit
def impossible(odds, at, others, friends):
    """Whether log odds ``odds[at + 1] .. odds[at + others]`` leave no assignment with so many friends."""
    surely_friends, surely_enemies = 0, 0
    for r in range(1, others + 1):
        x = odds[at + r]
        if np.isnan(x):
            return True
        if x == np.inf:
            surely_friends += 1
        elif x == -np.inf:
            surely_enemies += 1
    return surely_friends > friends or surely_enemies > others - friends


@jit
def _pivot(sense, others, friends):
    """A level such that as many players' log odds as there are friends lie above it, or at it, and the others below.

    Odds may all be multiplied by one number without a change to the posterior. After this shift the likeliest
    assignment weighs exactly 1, so sums cannot vanish.
    """
    for r in range(others):
        x, place = sense[ODDS + 1 + r], r
        while place > 0 and sense[_SORTED + place - 1] < x:
            sense[_SORTED + place] = sense[_SORTED + place - 1]
            place -= 1
        sense[_SORTED + place] = x
    above, below = sense[_SORTED + friends - 1], sense[_SORTED + friends]
    if above < np.inf:
        return 0.5 * (above + below) if below > -np.inf else above
    return below if below > -np.inf else 0.0


@jit
def posterior(sense, others, friends):
    """Fill ``sense[CHANCE + r]``, the probability that player r is a friend, from ``sense[ODDS + r]``, r = 1 .. others.

    ``friends``: how many of the others are, from 1 to ``others - 1``. The log odds must leave an assignment.
    """
    largest, equal = 0.0, True
    for r in range(1, others + 1):
        largest = max(largest, abs(sense[ODDS + r]))
        equal = equal and sense[ODDS + r] == sense[ODDS + 1]
    if equal:
        for r in range(1, others + 1):
            sense[CHANCE + r] = friends / others
        return
    level = _pivot(sense, others, friends) if largest > _SAFE else 0.0
    for r in range(1, others + 1):
        x = sense[ODDS + r] - level
        sense[_FRIEND + r] = np.exp(min(x, 0.0))
        sense[_ENEMY + r] = np.exp(min(-x, 0.0))
    # Sums over the choices of m friends among the players up to r, and among those from r on.
    for m in range(friends + 1):
        sense[_BEFORE + m] = sense[_AFTER + (others + 1) * _WIDTH + m] = 1.0 if m == 0 else 0.0
    for r in range(1, others + 1):
        here, last = _BEFORE + r * _WIDTH, _BEFORE + (r - 1) * _WIDTH
        sense[here] = sense[last] * sense[_ENEMY + r]
        for m in range(1, friends + 1):
            sense[here + m] = sense[last + m] * sense[_ENEMY + r] + sense[last + m - 1] * sense[_FRIEND + r]
    for r in range(others, 0, -1):
        here, last = _AFTER + r * _WIDTH, _AFTER + (r + 1) * _WIDTH
        sense[here] = sense[last] * sense[_ENEMY + r]
        for m in range(1, friends + 1):
            sense[here + m] = sense[last + m] * sense[_ENEMY + r] + sense[last + m - 1] * sense[_FRIEND + r]
    total = sense[_BEFORE + others * _WIDTH + friends]
    for r in range(1, others + 1):
        before, after = _BEFORE + (r - 1) * _WIDTH, _AFTER + (r + 1) * _WIDTH
        found = 0.0
        for m in range(friends):
            found += sense[before + m] * sense[after + friends - 1 - m]
        sense[CHANCE + r] = min(sense[_FRIEND + r] * found / total, 1.0)
