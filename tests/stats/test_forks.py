"""Strength by forks, contrasts with blanks, and whether both agree."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from agentsim.errors import InputError
from agentsim.stats import agreement, blank_contrast, fork_effects, paired_difference
from tests.stats.planted import allowed


def test_the_mean_and_error_are_those_of_the_differences() -> None:
    counts = np.array([[3, 10, 60, 17, 10]])
    d = np.repeat([-1.0, -0.5, 0.0, 0.5, 1.0], counts[0])
    row = fork_effects(counts, ["a"]).iloc[0]
    assert row["effect"] == pytest.approx(d.mean())
    assert row["se"] == pytest.approx(d.std(ddof=1) / 10)
    assert row["changed"] == 0.4
    # The same as the paired difference of scores, whose interval is tested elsewhere.
    known = paired_difference(np.maximum(d, 0), np.maximum(-d, 0))
    assert (row["low"], row["high"]) == pytest.approx((known.low, known.high))


def test_a_blank_against_itself_is_exactly_nothing() -> None:
    row = fork_effects([[0, 0, 5000, 0, 0]], ["blank"]).iloc[0]
    assert (row["effect"], row["se"], row["changed"]) == (0.0, 0.0, 0.0)
    assert -0.001 < row["low"] < 0 < row["high"] < 0.001


def test_planted_strengths_are_covered_together() -> None:
    rng = np.random.default_rng(1)
    chances = np.array([[0.02, 0.03, 0.85, 0.04, 0.06], [0.0, 0.0, 1.0, 0.0, 0.0], [0.1, 0.0, 0.5, 0.0, 0.4]])
    truth = chances @ np.array([-1, -0.5, 0, 0.5, 1])
    bad = 0
    for _ in range(400):
        table = fork_effects(np.array([rng.multinomial(800, chance) for chance in chances]), ["a", "b", "c"])
        bad += bool(((table["low"] > truth) | (table["high"] < truth)).any())
    assert bad / 400 <= allowed(0.05, 400)


def test_no_forks_no_numbers() -> None:
    table = fork_effects(np.zeros((1, 5), int), ["a"])
    assert table[["effect", "low", "high", "se"]].isna().all(axis=None)


@pytest.mark.parametrize("counts", [np.zeros((2, 5), int), np.zeros((1, 4), int), np.full((1, 5), -1),
                                    np.full((1, 5), 0.5)])
def test_other_arrays_are_refused(counts: np.ndarray) -> None:
    with pytest.raises(InputError, match="forks"):
        fork_effects(counts, ["a"])


def both_ways(rng: np.random.Generator, worth: np.ndarray, forked: np.ndarray, n: int = 3000) -> pd.DataFrame:
    """Agreement of contrasts with a blank, where card c changes the chance by worth[c], and of forks by forked[c]."""
    with_blank = np.zeros((len(worth), 2, 3), np.int64)
    forks = np.zeros((len(worth), 5), np.int64)
    for card, (effect, strength) in enumerate(zip(worth, forked, strict=True)):
        wins = rng.binomial(n, [0.45 + effect, 0.45])
        with_blank[card, :, 0], with_blank[card, :, 2] = wins, n - wins
        forks[card] = rng.multinomial(n, [0.05, 0.0, 0.9 - strength, 0.0, 0.05 + strength])
    names = [f"card {at}" for at in range(len(worth))]
    return agreement(blank_contrast(with_blank, names), fork_effects(forks, names))


def test_two_measurements_of_the_same_agree_and_of_different_things_do_not() -> None:
    rng = np.random.default_rng(2)
    worth = np.linspace(0.0, 0.2, 15)
    false = sum(bool((~both_ways(rng, worth, worth)["agree"]).any()) for _ in range(300))
    assert false / 300 <= allowed(0.05, 300)
    other = worth.copy()
    other[4] += 0.08
    table = both_ways(rng, worth, other)
    assert table["agree"].tolist() == [at != 4 for at in range(15)]
    assert table["high"][4] < 0


def test_the_blank_beside_itself_has_no_spread_and_agrees() -> None:
    one = pd.DataFrame({"card": ["blank"], "effect": [0.0], "se": [0.0]})
    assert agreement(one, one)["agree"].tolist() == [True]
    assert agreement(one, one.assign(effect=0.1))["agree"].tolist() == [False]


def test_cards_that_one_side_lacks_are_left_out() -> None:
    one = pd.DataFrame({"card": ["a", "b"], "effect": [0.1, np.nan], "se": [0.01, np.nan]})
    two = pd.DataFrame({"card": ["a", "b", "c"], "effect": [0.1, 0.2, 0.3], "se": [0.01, 0.01, 0.01]})
    assert agreement(one, two)["card"].tolist() == ["a"]
    with pytest.raises(InputError, match="se"):
        agreement(one[["card", "effect"]], two)
