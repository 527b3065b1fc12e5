"""Zones of cards as numbers: a hand or a play area is one 64-bit word of 4-bit counts, one per agent name (up to 15).

Counting, adding and removing a card, listing the names that are there: each is a shift and a mask, without memory and
without branches. Order within a zone never matters in this game, so nothing is lost.
"""

from __future__ import annotations

import numpy as np

from agentsim.jit import jit

__all__ = ["add", "count", "lowest", "name_set", "nth_name", "one", "pop_lowest", "remove", "size", "size_of_set"]

_EACH = np.int64(0x1111111111111111)  # bit 0 of every count
_EVEN = np.int64(0x0F0F0F0F0F0F0F0F)
# Numba tells LLVM that signed arithmetic never overflows, so sums of lanes, which overflow on purpose, are unsigned.
_EACH_U, _BYTES_U = np.uint64(0x1111111111111111), np.uint64(0x0101010101010101)
_FIVES, _THREES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_FIFTEENS = np.uint64(0x0F0F0F0F0F0F0F0F)
_U1, _U2, _U4, _U56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@jit
def one(name):
    """The zone that holds one card of that name."""
    return np.int64(1) << np.int64(4 * name)


@jit
def count(zone, name):
    """Copies of ``name`` in the zone, 0 .. 15."""
    return (zone >> np.int64(4 * name)) & np.int64(15)


@jit
def add(zone, name):
    """The zone with one more card of that name."""
    return zone + one(name)


@jit
def remove(zone, name):
    """The zone with one card fewer of that name, which must be there."""
    return zone - one(name)


@jit
def size(zone):
    """Cards in the zone, 0 .. 240."""
    pairs = (zone & _EVEN) + ((zone >> np.int64(4)) & _EVEN)
    return np.int64((np.uint64(pairs) * _BYTES_U) >> np.uint64(56))


@jit
def name_set(zone):
    """The names present in the zone: a set with bit ``4 * name`` for each of them."""
    return (zone | (zone >> np.int64(1)) | (zone >> np.int64(2)) | (zone >> np.int64(3))) & _EACH


@jit
def size_of_set(names):
    """How many names are in a set of names, 0 .. 15: the sum of all sixteen 4-bit lanes, by one multiplication."""
    return np.int64((np.uint64(names) * _EACH_U) >> np.uint64(60))


@jit
def ones(bits):
    """How many bits of a number >= 0 are set: the textbook's formula, which LLVM turns into one instruction."""
    bits = np.uint64(bits)
    bits -= (bits >> _U1) & _FIVES
    bits = (bits & _THREES) + ((bits >> _U2) & _THREES)
    return np.int64((((bits + (bits >> _U4)) & _FIFTEENS) * _BYTES_U) >> _U56)


@jit
def first_one(bits):
    """The position of the lowest set bit of a number > 0: the number of zeros below it, one instruction again."""
    return ones(~bits & (bits - np.int64(1)))


@jit
def lowest(names):
    """The lowest name of a set that is not empty."""
    return first_one(names) >> np.int64(2)


@jit
def pop_lowest(names):
    """The set without its lowest name."""
    return names & (names - np.int64(1))


@jit
def nth_name(names, n):
    """The n-th name (from 0), in table order, of a set of at most 8 names; ``n`` must be below its size.

    Without a branch, since a random one costs more than the arithmetic: lane i of ``names * _EACH`` counts the names
    up to i; the answer is the number of lanes that count at most n. Adding 7 - n sets a lane's top bit where it counts
    more.
    """
    more = np.uint64(names) * _EACH_U + np.uint64(7 - n) * _EACH_U
    return size_of_set((~more >> np.uint64(3)) & _EACH_U)
