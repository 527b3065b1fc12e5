"""Counter-based random streams: every random word is a hash of its address.

There is no generator state. A word is ``mix64(key + (i + 1) * GOLDEN)``, the i-th output of SplitMix64 (Steele, Lea and
Flood 2014) started at ``key``, and keys are themselves mixed from addresses, so a result depends on
the seed and nothing else: not on workers, batch size, order or resume.

Addresses
    deal stream       (seed, deal)                       its word k decides the k-th card off the deck
    seat stream       (seed, matchup, game, seat)        whoever sits there
    decision stream   (seat stream, turn, kind of step)  so two branches of an experiment stay aligned after they part

Two streams can only overlap when two 64-bit keys are within a few steps of each other on the golden-ratio sequence:
for 1e9 streams of 50 words about five such pairs are expected, far below anything a statistic can see.
"""

from __future__ import annotations

import numpy as np

from agentsim.jit import jit

__all__ = ["below", "combine", "deal_key", "decision_key", "mix64", "seat_key", "unit", "word"]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_DEALS = np.uint64(0xD1B54A32D192ED03)
_SEATS = np.uint64(0x8CB92BA72F3D8DD7)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32), np.uint64(11)
_ONE = np.uint64(1)


@jit
def mix64(z):
    """SplitMix64's finaliser: a bijection of 64-bit words in which every input bit changes every output bit."""
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@jit
def combine(key, part):
    """A new key from a key and one more part of the address (an integer below 2**63)."""
    return mix64(key + (np.uint64(part) + _ONE) * GOLDEN)


@jit
def word(key, index):
    """The uniform 64-bit word number ``index`` (from 0) of a stream."""
    return mix64(key + (np.uint64(index) + _ONE) * GOLDEN)


@jit
def below(word_, n):
    """A number 0 .. n-1 from a word's upper 32 bits; uniform to within n / 2**32. ``n`` below 2**31."""
    return np.int64(((word_ >> _S32) * np.uint64(n)) >> _S32)


@jit
def unit(word_):
    """A float in [0, 1) from a word's upper 53 bits."""
    return np.float64(word_ >> _S11) * (1.0 / 9007199254740992.0)


@jit
def deal_key(seed, deal):
    """The stream that fixes the cards of a deal. ``seed`` is a uint64."""
    return combine(mix64(seed ^ _DEALS), deal)


@jit
def seat_key(seed, matchup, game, seat):
    """The stream of all decisions that one seat makes in one game."""
    return combine(combine(combine(mix64(seed ^ _SEATS), matchup), game), seat)


@jit
def decision_key(seat_stream, turn, kind):
    """The stream of one decision: ``kind`` (0 .. 63) numbers the steps of a turn.

    The key is a hash of its address and so a uniform word itself: a decision that needs no more than one random word
    takes the key for it and spares a hash (14 % of a game of ``random``).
    """
    return combine(seat_stream, turn * 64 + kind)
