"""The two random baselines, exactly defined so that figures of other programs can be compared.

``random``: offers uniformly over ordered pairs of distinct names in hand, takes either card with 1/2, never discards.
``random_discards``: the same, but at each decision to offer uniform over those offers and one discard per name in hand
while discarding is legal.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.view import DISCARD, offer_action
from agentsim.games.agent_avenue.zones import lowest, name_set, nth_name, size_of_set
from agentsim.jit import jit
from agentsim.rng import below

_HALF = np.uint64(32)


@jit(inline="always")
def random_offer(view, key):
    names = name_set(view.hand)
    n = size_of_set(names)
    if n == 1:
        return offer_action(lowest(names), lowest(names))
    # The upper half of the random word chooses the face-up name, the lower half one of the others.
    up, down = below(key, n), below(key << _HALF, n - 1)
    return offer_action(nth_name(names, up), nth_name(names, down + (down >= up)))


@jit(inline="always")
def random_discards_offer(view, key):
    if view.discards_left <= 0 or view.deck <= 0:
        return random_offer(view, key)
    names = name_set(view.hand)
    n = size_of_set(names)
    up, down = below(key, n), below(key << _HALF, n)
    # Of the n * n pairs of names those of twice the same stand for the n discards. With one name there are two actions.
    if up == down and (n > 1 or key & np.uint64(1)):
        return DISCARD + nth_name(names, up)
    return offer_action(nth_name(names, up), nth_name(names, down))


@jit(inline="always")
def random_take(key):
    return np.int64(key >> np.uint64(63))
