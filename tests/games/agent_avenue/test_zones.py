"""Zones of cards as numbers, against the same zones as lists of counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.games.agent_avenue import zones as z
from agentsim.jit import jit

counts_of_zones = st.lists(st.integers(0, 15), min_size=15, max_size=15)
sets_of_names = st.sets(st.integers(0, 14))


def word(counts: list[int]) -> np.int64:
    return np.int64(sum(count << 4 * name for name, count in enumerate(counts)))


def word_of_set(names: set[int]) -> np.int64:
    return np.int64(sum(1 << 4 * name for name in names))


@given(counts_of_zones)
def test_counting(counts: list[int]) -> None:
    zone = word(counts)
    assert [int(z.count(zone, name)) for name in range(15)] == counts
    assert z.size(zone) == sum(counts)
    assert z.name_set(zone) == word_of_set({name for name, count in enumerate(counts) if count})


@given(counts_of_zones, st.integers(0, 14))
def test_one_card_more_and_less(counts: list[int], name: int) -> None:
    zone = word(counts)
    if counts[name] < 15:
        more = z.add(zone, name)
        assert z.count(more, name) == counts[name] + 1
        assert z.remove(more, name) == zone
        assert z.size(more) == sum(counts) + 1
    assert z.count(z.one(name), name) == z.size(z.one(name)) == 1


@given(sets_of_names)
def test_sets_of_names(names: set[int]) -> None:
    rest = word_of_set(names)
    assert z.size_of_set(rest) == len(names)
    listed = []
    while rest:
        listed.append(int(z.lowest(rest)))
        rest = z.pop_lowest(rest)
    assert listed == sorted(names)


@given(st.sets(st.integers(0, 14), min_size=1, max_size=8))
def test_names_by_number(names: set[int]) -> None:
    assert [int(z.nth_name(word_of_set(names), np.int64(n))) for n in range(len(names))] == sorted(names)


@given(st.integers(0, 2**63 - 1))
def test_bits_of_a_number(bits: int) -> None:
    assert z.ones(np.int64(bits)) == bits.bit_count()
    if bits:
        assert z.first_one(np.int64(bits)) == (bits & -bits).bit_length() - 1


@jit
def compare(zone, limit, out):
    """Everything that rules and policies ask, inside compiled code, where a compiler may rearrange it."""
    out[0] = z.size(zone) < limit
    out[1] = z.size(zone) == limit
    out[2] = min(limit - z.size(zone), 3)
    names = z.name_set(zone)
    out[3] = z.size_of_set(names) < limit
    out[4] = z.size_of_set(names) == 1
    out[5] = z.lowest(names) < limit if names else -1
    out[6] = z.lowest(names) == limit if names else -1
    out[7] = z.nth_name(names, 0) < limit if names else -1


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 7, 8, 14])
def test_comparisons_in_compiled_code(limit: int) -> None:
    """Signed sums that overflow would be undefined there: they gave right numbers and wrong comparisons."""
    rng = np.random.default_rng(limit)
    out = np.zeros(8, dtype=np.int64)
    hands = [np.eye(15, dtype=int)[name] * copies for name in range(15) for copies in (1, 2, 3, 15)]
    hands += [np.bincount(rng.integers(0, 15, rng.integers(0, 9)), minlength=15) for _ in range(300)]
    for hand in hands:
        compare(word(hand.tolist()), np.int64(limit), out)
        total, names = int(hand.sum()), np.flatnonzero(hand)
        low = int(names[0]) if len(names) else 99
        assert out.tolist() == [
            total < limit, total == limit, min(limit - total, 3), len(names) < limit, len(names) == 1,
            low < limit if len(names) else -1, low == limit if len(names) else -1, low < limit if len(names) else -1]
