"""The two random baselines, exactly defined so that figures of other programs can be compared.

``random``: offers uniformly over ordered pairs of distinct names in hand, takes either card with 1/2, never discards.
``random_discards``: the same, but at each decision to offer uniform over those offers and one discard per distinct name.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.view import DISCARD, offer_action
from agentsim.games.agent_avenue.zones import lowest, name_set, nth_name, size_of_set
from agentsim.jit import jit
from agentsim.rng import below, word


@jit
def _pair(names, n, index):
    """Ordered pair number ``index`` of the ``n * (n - 1)`` that a set of ``n`` names has."""
    first = index // (n - 1)
    second = index - first * (n - 1)
    second += second >= first
    return offer_action(nth_name(names, first), nth_name(names, second))


@jit
def random_offer(view, key):
    names = name_set(view.hand)
    n = size_of_set(names)
    if n == 1:
        return offer_action(lowest(names), lowest(names))
    return _pair(names, n, below(word(key, 0), n * (n - 1)))


@jit
def random_discards_offer(view, key):
    names = name_set(view.hand)
    n = size_of_set(names)
    offers = max(n * (n - 1), 1)
    discards = n if view.discards_left > 0 and view.deck > 0 else 0
    index = below(word(key, 0), offers + discards)
    if index >= offers:
        return DISCARD + nth_name(names, index - offers)
    if n == 1:
        return offer_action(lowest(names), lowest(names))
    return _pair(names, n, index)


@jit
def random_take(key):
    return np.int64(word(key, 0) >> np.uint64(63))
