"""The random baseline, exactly defined so that figures of other programs can be compared.

One decision per turn, uniform over one entry per non-empty pile (however many things can be done with its card) and one
entry per face-down card before another player; then, seeing the card drawn, uniform over keeping it and offering it to
each other player; the asked player accepts with 1/2. An owl looks at each card put aside with the same chance.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.argh.bits import nth, size
from agentsim.games.argh.view import PASS, STEAL
from agentsim.jit import jit
from agentsim.rng import below, word

__all__ = ["random_answer", "random_choose", "random_peek", "random_place"]


@jit
def random_choose(view, key):
    """Draw from a pile (0, 1, 2), steal a card (``STEAL + place``) or, without either, pass."""
    places = view.down_1 | view.down_2 | view.down_3
    has_0, has_1, has_2 = np.int64(view.left_0 > 0), np.int64(view.left_1 > 0), np.int64(view.left_2 > 0)
    piles = has_0 + has_1 + has_2
    entries = piles + size(places)
    if entries == 0:
        return np.int64(PASS)
    index = below(word(key, 0), entries)
    if index >= piles:
        return STEAL + nth(places, index - piles)
    # The index-th of the piles that are left.
    if has_0 > index:
        return np.int64(0)
    return np.int64(1) if has_0 + has_1 > index else np.int64(2)


@jit
def random_place(view, key):
    """Keep the card (0) or offer it to the player so many seats to the left."""
    return below(word(key, 0), view.players)


@jit
def random_answer(key):
    """1 to accept, 0 to refuse."""
    return np.int64(word(key, 0) >> np.uint64(63))


@jit
def random_peek(aside, key):
    """A place out of those of the cards put aside."""
    return nth(aside, below(word(key, 0), size(aside)))
