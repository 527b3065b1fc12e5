"""Sets of cards as numbers: bit ``i`` of a 64-bit word stands for card (or place in a pile) ``i``."""

from __future__ import annotations

import numpy as np

from agentsim.jit import jit

__all__ = ["bit", "first", "nth", "size"]

_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTS, _SUM = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_S1, _S2, _S4, _S56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@jit
def bit(index):
    """The set that holds just ``index``."""
    return np.int64(1) << np.int64(index)


@jit
def size(cards):
    """How many are in the set: the bits added up in parallel, in unsigned words because the last product wraps."""
    x = np.uint64(cards)
    x = x - ((x >> _S1) & _PAIRS)
    x = (x & _FOURS) + ((x >> _S2) & _FOURS)
    x = (x + (x >> _S4)) & _EIGHTS
    return np.int64((x * _SUM) >> _S56)


@jit
def first(cards):
    """The lowest member of a set that is not empty."""
    return size((cards & -cards) - np.int64(1))


@jit
def nth(cards, n):
    """The n-th member (from 0) in ascending order; ``n`` must be below the set's size."""
    for _ in range(n):
        cards &= cards - np.int64(1)
    return first(cards)
