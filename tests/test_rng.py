"""The random streams: reference values, uniform words, addresses that have nothing to do with each other."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chisquare, kstest

from agentsim import rng
from agentsim.jit import jit

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
uint64s = st.integers(0, MASK)
counters = st.integers(0, 2**62)
P = 1e-4
"""Below it a test of uniformity fails; the streams are fixed, so it fails always or never."""


def split_mix(seed: int, index: int) -> int:
    """Output ``index`` of SplitMix64 as Steele, Lea and Flood wrote it, in whole numbers."""
    z = (seed + (index + 1) * GOLDEN) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def un_mix(z: int) -> int:
    """The inverse of the finaliser."""
    z ^= (z >> 31) ^ (z >> 62)
    z = (z * pow(0x94D049BB133111EB, -1, 2**64)) & MASK
    z ^= (z >> 27) ^ (z >> 54)
    z = (z * pow(0xBF58476D1CE4E5B9, -1, 2**64)) & MASK
    return z ^ (z >> 30) ^ (z >> 60)


@jit
def fill_words(key, out):
    for index in range(len(out)):
        out[index] = rng.word(key, index)


@jit
def fill_below(key, n, out):
    for index in range(len(out)):
        out[index] = rng.below(rng.word(key, index), n)


@jit
def fill_units(key, out):
    for index in range(len(out)):
        out[index] = rng.unit(rng.word(key, index))


@jit
def fill_deal_words(seed, index, out):
    for deal in range(len(out)):
        out[deal] = rng.word(rng.deal_key(seed, deal), index)


@jit
def fill_decision_words(seed, matchup, seat, turn, kind, index, out):
    for game in range(len(out)):
        out[game] = rng.word(rng.decision_key(rng.seat_key(seed, matchup, game, seat), turn, kind), index)


@jit
def fill_keys(seed, matchups, games, turns, kinds, out):
    """Keys of deals, seats and decisions of a whole run; returns how many there are."""
    n = 0
    for deal in range(games):
        out[n] = rng.deal_key(seed, deal)
        n += 1
    for matchup in range(matchups):
        for game in range(games):
            for seat in range(2):
                seat_key = rng.seat_key(seed, matchup, game, seat)
                out[n] = seat_key
                n += 1
                for turn in range(turns):
                    for kind in range(kinds):
                        out[n] = rng.decision_key(seat_key, turn, kind)
                        n += 1
                    out[n] = rng.decision_key(seat_key, turn, 32)
                    n += 1
    return n


def words(n: int, seed: int = 1) -> NDArray[np.uint64]:
    out = np.zeros(n, dtype=np.uint64)
    fill_words(np.uint64(seed), out)
    return out


def deal_words(n: int, seed: int = 1, index: int = 0) -> NDArray[np.uint64]:
    out = np.zeros(n, dtype=np.uint64)
    fill_deal_words(np.uint64(seed), index, out)
    return out


def decision_words(n: int, seed: int = 1, matchup: int = 0, seat: int = 0, turn: int = 0, kind: int = 0,
                   index: int = 0) -> NDArray[np.uint64]:
    out = np.zeros(n, dtype=np.uint64)
    fill_decision_words(np.uint64(seed), matchup, seat, turn, kind, index, out)
    return out


# ---- the generator ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "outputs"), [
    (0, [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B]),
    (1234567, [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
               16408922859458223821])])
def test_published_outputs_of_split_mix(seed: int, outputs: list[int]) -> None:
    assert [split_mix(seed, index) for index in range(5)] == outputs
    assert [int(rng.word(np.uint64(seed), index)) for index in range(5)] == outputs


@given(uint64s, counters)
def test_words_keys_and_addresses_by_definition(key: int, part: int) -> None:
    assert int(rng.word(np.uint64(key), part)) == split_mix(key, part)
    assert int(rng.combine(np.uint64(key), part)) == split_mix(key, part)
    deal = split_mix(split_mix(((key ^ 0xD1B54A32D192ED03) - GOLDEN) & MASK, 0), part)
    assert int(rng.deal_key(np.uint64(key), part)) == deal
    root = split_mix(((key ^ 0x8CB92BA72F3D8DD7) - GOLDEN) & MASK, 0)
    seat = split_mix(split_mix(split_mix(root, 3), part), 1)
    assert int(rng.seat_key(np.uint64(key), 3, part, 1)) == seat
    assert int(rng.decision_key(np.uint64(seat), 17, 32)) == split_mix(seat, 17 * 64 + 32)


@given(uint64s)
def test_mixing_loses_nothing(z: int) -> None:
    assert un_mix(int(rng.mix64(np.uint64(z)))) == z


def test_every_input_bit_flips_every_output_bit_half_of_the_time() -> None:
    inputs = words(4000)
    plain = np.zeros_like(inputs)
    apply_mix(inputs, plain)
    for bit in range(64):
        flipped = np.zeros_like(inputs)
        apply_mix(inputs ^ np.uint64(1 << bit), flipped)
        changed = np.unpackbits((plain ^ flipped).view(np.uint8)).reshape(-1, 64).mean(axis=0)
        assert np.abs(changed - 0.5).max() < 5.5 * 0.5 / np.sqrt(4000)


@jit
def apply_mix(z, out):
    for index in range(len(z)):
        out[index] = rng.mix64(z[index])


# ---- uniform words ---------------------------------------------------------------------------------------------------


SERIES = {
    "one stream": lambda n: words(n),
    "first words of deals": lambda n: deal_words(n),
    "eighth words of deals": lambda n: deal_words(n, index=7),
    "deals of a large seed": lambda n: deal_words(n, seed=2**64 - 1),
    "decisions": lambda n: decision_words(n),
    "choices of a late turn": lambda n: decision_words(n, matchup=5, seat=1, turn=17, kind=32),
}


@pytest.mark.parametrize("series", SERIES)
def test_bits_and_bytes_are_uniform(series: str) -> None:
    values = SERIES[series](200_000)
    bytes_ = values.view(np.uint8).reshape(-1, 8)
    for place in range(8):
        assert chisquare(np.bincount(bytes_[:, place], minlength=256)).pvalue > P
    bits = np.unpackbits(bytes_, axis=1)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 4.5 * 0.5 / np.sqrt(len(values))
    # Pairs of bits of one word, all 2016 of them, are as uncorrelated as independent ones.
    correlation = np.corrcoef(bits.T)
    assert np.abs(correlation[~np.eye(64, dtype=bool)]).max() < 5.5 / np.sqrt(len(values))
    assert len(np.unique(values)) == len(values)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 12, 30, 38, 56, 120, 1000])
def test_numbers_below_n_are_uniform(n: int) -> None:
    out = np.zeros(300_000, dtype=np.int64)
    fill_below(np.uint64(n), np.int64(n), out)
    assert (out.min(), out.max()) == (0, n - 1)
    if n > 1:
        assert chisquare(np.bincount(out, minlength=n)).pvalue > P


@given(uint64s, st.integers(1, 2**31 - 1))
def test_below_by_definition(word: int, n: int) -> None:
    assert int(rng.below(np.uint64(word), np.int64(n))) == ((word >> 32) * n) >> 32
    assert int(rng.below(np.uint64(MASK), np.int64(n))) == n - 1
    assert int(rng.below(np.uint64(0), np.int64(n))) == 0


@given(uint64s)
def test_unit_by_definition(word: int) -> None:
    value = float(rng.unit(np.uint64(word)))
    assert value == (word >> 11) / 2**53
    assert 0.0 <= value < 1.0
    assert float(rng.unit(np.uint64(MASK))) == 1 - 2**-53


def test_units_are_uniform() -> None:
    out = np.zeros(200_000)
    fill_units(np.uint64(3), out)
    assert kstest(out, "uniform").pvalue > P


# ---- neighbours ------------------------------------------------------------------------------------------------------


N = 120_000
NEIGHBOURS = {
    "deals": lambda: (deal_words(N)[:-1], deal_words(N)[1:]),
    "words of a deal": lambda: (deal_words(N), deal_words(N, index=1)),
    "seeds": lambda: (deal_words(N, seed=1), deal_words(N, seed=2)),
    "seeds far apart": lambda: (deal_words(N, seed=0), deal_words(N, seed=2**63)),
    "games": lambda: (decision_words(N)[:-1], decision_words(N)[1:]),
    "seats": lambda: (decision_words(N), decision_words(N, seat=1)),
    "turns": lambda: (decision_words(N), decision_words(N, turn=1)),
    "steps of a turn": lambda: (decision_words(N), decision_words(N, kind=1)),
    "offer and choice": lambda: (decision_words(N), decision_words(N, kind=32)),
    "matchups": lambda: (decision_words(N), decision_words(N, matchup=1)),
    "seeds of decisions": lambda: (decision_words(N, seed=1), decision_words(N, seed=2)),
    "deal and decision": lambda: (deal_words(N), decision_words(N)),
    "words of a decision": lambda: (decision_words(N), decision_words(N, index=1)),
}


@pytest.mark.parametrize("pair", NEIGHBOURS)
def test_neighbours_have_nothing_in_common(pair: str) -> None:
    a, b = NEIGHBOURS[pair]()
    for bits in (1, 3, 4):
        cells = (a >> np.uint64(64 - bits)) * np.uint64(2**bits) + (b >> np.uint64(64 - bits))
        assert chisquare(np.bincount(cells.astype(np.int64), minlength=4**bits)).pvalue > P
    # Products of halves, and sums of that many, are exact in 32 bits.
    bits_a, bits_b = (np.unpackbits(x.view(np.uint8)).reshape(-1, 64) - np.float32(0.5) for x in (a, b))
    correlation = 4 * (bits_a.T @ bits_b) / len(a)
    assert np.abs(correlation).max() < 5.5 / np.sqrt(len(a))  # the largest of 4096


# ---- streams do not meet ---------------------------------------------------------------------------------------------


def keys(seed: int, matchups: int, games: int, turns: int, kinds: int) -> NDArray[np.uint64]:
    out = np.zeros(games + matchups * games * 2 * (1 + turns * (kinds + 1)), dtype=np.uint64)
    assert fill_keys(np.uint64(seed), matchups, games, turns, kinds, out) == len(out)
    return out


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_a_million_streams_are_different_and_do_not_overlap(seed: int) -> None:
    """Two streams overlap if their keys are less than a stream's length of golden steps apart."""
    found = keys(seed, matchups=3, games=2000, turns=18, kinds=4)
    assert len(found) > 1_000_000
    assert len(np.unique(found)) == len(found)
    # Measured in golden steps, keys of streams of 64 words must be at least 64 apart.
    steps = np.sort(found * np.uint64(pow(GOLDEN, -1, 2**64)))
    assert int(np.diff(steps).min()) > 64
    assert int(steps[0]) + 2**64 - int(steps[-1]) > 64


def test_runs_of_neighbouring_seeds_share_no_stream() -> None:
    found = np.concatenate([keys(seed, matchups=2, games=200, turns=18, kinds=5) for seed in range(25)])
    assert len(found) > 1_000_000
    assert len(np.unique(found)) == len(found)


def test_the_kinds_of_decision_of_a_turn_stay_within_it() -> None:
    """Kinds are numbered below 64, so that the last of a turn is not the first of the next."""
    seat = np.uint64(5)
    found = {int(rng.decision_key(seat, turn, kind)) for turn in range(60) for kind in range(64)}
    assert len(found) == 60 * 64


def test_words_are_the_same_in_plain_python() -> None:
    if numba.config.DISABLE_JIT:
        pytest.skip("there is nothing to compare")
    with np.errstate(over="ignore"):
        for key in (0, 1, MASK):
            assert rng.mix64.py_func(np.uint64(key)) == rng.mix64(np.uint64(key))
            assert rng.word.py_func(np.uint64(key), 5) == rng.word(np.uint64(key), 5)
            assert rng.below.py_func(np.uint64(key), 38) == rng.below(np.uint64(key), 38)
            assert rng.unit.py_func(np.uint64(key)) == rng.unit(np.uint64(key))
