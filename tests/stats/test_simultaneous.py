"""Families: levels, Holm, max-t."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from agentsim.errors import InputError
from agentsim.stats import (
    adjusted_level,
    critical_value,
    holm,
    max_t_critical_value,
    max_t_intervals,
    mean_of_deals,
    simultaneous_intervals,
    wilson,
)
from tests.stats.planted import allowed


def test_levels_and_critical_values() -> None:
    assert adjusted_level(10, 0.95, "bonferroni") == pytest.approx(0.995)
    assert adjusted_level(10, 0.95, "sidak") == pytest.approx(0.95**0.1)
    assert adjusted_level(10, 0.95, "pointwise") == 0.95
    assert critical_value(1) == pytest.approx(1.959964, abs=1e-6)
    # Bonferroni's t for 5 comparisons and many degrees of freedom, as tabulated (Dunn 1961): 2.576
    assert critical_value(5, 0.95, "bonferroni") == pytest.approx(2.5758, abs=1e-4)
    assert critical_value(10**6) == pytest.approx(critical_value(10**6, 0.95, "bonferroni"), abs=0.01)
    assert adjusted_level(0) == adjusted_level(1)


@pytest.mark.parametrize("arguments", [(-1,), (1.5,), (3, 1.0), (3, 0.95, "sidac")])
def test_bad_families_are_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises(InputError):
        adjusted_level(*arguments)


def test_a_misspelt_method_gets_a_suggestion() -> None:
    with pytest.raises(InputError, match="did you mean 'bonferroni'"):
        critical_value(3, method="bonferoni")


def test_holm() -> None:
    # The classic example of four tests: 0.01, 0.04, 0.03, 0.005 -> 0.03, 0.06, 0.06, 0.02 (R, p.adjust)
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]).tolist() == [1.0, 1.0]
    assert holm([]).tolist() == []
    for bad in ([1.1], [-0.1], [math.nan]):
        with pytest.raises(InputError):
            holm(bad)


# ------------------------------------------------------------------------------------------------ max-t


@pytest.mark.parametrize(("cells", "expected"), [(1, 1.96), (2, 2.21), (3, 2.35), (5, 2.51), (9, 2.69)])
def test_max_t_gives_dunnetts_critical_values(cells: int, expected: float) -> None:
    # Two-sided 5 % points for infinitely many degrees of freedom and correlations 1/2 (Dunnett 1964, table II).
    rng = np.random.default_rng(1)
    raw = rng.standard_normal((4000, cells + 1))
    raw = np.linalg.qr(raw - raw.mean(axis=0))[0]  # exactly uncorrelated, so that the correlations are exactly 1/2
    found = max_t_critical_value(raw[:, :cells] - raw[:, cells:], replicates=400_000)
    assert found == pytest.approx(expected, abs=0.011)


def test_max_t_of_independent_cells_is_sidak_and_of_equal_cells_is_pointwise() -> None:
    rng = np.random.default_rng(2)
    independent = rng.integers(0, 3, (5000, 12)) / 2
    assert max_t_critical_value(independent) == pytest.approx(critical_value(12), abs=0.03)
    same = np.repeat(independent[:, :1], 12, axis=1)
    assert max_t_critical_value(same) == pytest.approx(critical_value(1), abs=0.03)
    assert max_t_critical_value(np.hstack([same[:, :1], 1 - same[:, :1]])) == pytest.approx(1.96, abs=0.03)


def test_max_t_is_the_multiplier_bootstrap_over_deals() -> None:
    rng = np.random.default_rng(3)
    scores = (rng.random((400, 6)) + rng.random((400, 1)) > 1.0).astype(float)
    centred = scores - scores.mean(axis=0)
    multipliers = rng.standard_normal((20_000, 400))
    t = np.abs(multipliers @ centred) / np.sqrt((centred**2).sum(axis=0))
    assert max_t_critical_value(scores) == pytest.approx(np.quantile(t.max(axis=1), 0.95), abs=0.03)


def test_cells_that_never_vary_do_not_disturb() -> None:
    rng = np.random.default_rng(4)
    scores = rng.integers(0, 2, (300, 2)).astype(np.int8)
    with_constant = np.hstack([scores, np.ones((300, 1), np.int8)])
    table = max_t_intervals(with_constant, family="test", names=["a", "b", "c"])
    without = max_t_intervals(scores, family="test", names=["a", "b"])
    assert table["low"][:2].to_list() == pytest.approx(without["low"].to_list(), abs=1e-3)
    assert table["high"][2] == 1.0
    assert 0.9 < table["low"][2] < 1.0
    only = max_t_intervals(np.ones((50, 3)), family="test")
    assert only["low"].to_list() == pytest.approx([wilson(50, 50, adjusted_level(3)).low] * 3)


def family_misses(n: int, repetitions: int, seed: int) -> tuple[float, float]:
    """Shares of repetitions in which a max-t or a pointwise interval of a correlated family misses."""
    rng = np.random.default_rng(seed)
    p = np.linspace(0.2, 0.8, 12)
    missed = pointwise = 0
    for i in range(repetitions):
        luck = rng.random((n, 1))
        scores = (np.where(rng.random((n, 12)) < 0.7, luck, rng.random((n, 12))) < p).astype(float)
        table = max_t_intervals(scores, family="12 cells", replicates=2000, seed=i)
        missed += bool(((p < table["low"]) | (p > table["high"])).any())
        reach = 1.96 * scores.std(axis=0) / math.sqrt(n)
        pointwise += bool((np.abs(scores.mean(axis=0) - p) > reach).any())
    return missed / repetitions, pointwise / repetitions


def test_max_t_intervals_hold_together() -> None:
    missed, pointwise = family_misses(n=400, repetitions=250, seed=5)
    assert missed <= allowed(0.05, 250)
    assert pointwise > allowed(0.05, 250)  # the family matters


@pytest.mark.slow
def test_max_t_intervals_hold_together_over_many_repetitions() -> None:
    missed, _ = family_misses(n=400, repetitions=3000, seed=6)
    assert missed <= allowed(0.05, 3000)
    assert missed >= 0.025  # sharp, not just safe


@pytest.mark.parametrize("scores", [[1, 2], [[]], [["a"]], [[math.nan], [1.0]]])
def test_bad_scores_are_refused(scores: list[object]) -> None:
    with pytest.raises(InputError):
        max_t_critical_value(scores)
    with pytest.raises(InputError, match="names"):
        max_t_intervals([[1.0]], family="x", names=["a", "b"])
    with pytest.raises(InputError, match="replicates"):
        max_t_critical_value([[1.0]], replicates=3)


# ------------------------------------------------------------------------------------------------ tables


def test_table_of_estimates_to_simultaneous_intervals() -> None:
    table = pd.DataFrame({"card": ["a", "b"], "estimate": [0.5, 2.0], "se": [0.1, 0.2], "n": [10**6, 10**6]})
    result = simultaneous_intervals(table, family="two cards", family_size=10, method="bonferroni")
    assert result["low"].to_list() == pytest.approx([0.5 - 2.8070 * 0.1, 2 - 2.8070 * 0.2], abs=1e-3)
    assert result[["method", "family", "family_size", "level"]].iloc[0].to_list() == [
        "bonferroni", "two cards", 10, 0.95]
    assert "low" not in table.columns  # the argument is left alone


def test_bounded_table_is_the_mean_of_deals() -> None:
    interval = mean_of_deals([50, 0, 30, 0, 20], adjusted_level(3))
    variance = (0.3 * 0.25 + 0.2) - 0.35**2
    table = pd.DataFrame({"estimate": [0.35, 1.0, math.nan], "se": [math.sqrt(variance / 100), 0.0, math.nan],
                          "n": [100, 100, 0]})
    result = simultaneous_intervals(table, family="x", family_size=3, bounds=(0, 1))
    assert (result["low"][0], result["high"][0]) == pytest.approx((interval.low, interval.high))
    assert result["low"][1] < 1.0
    assert math.isnan(result["low"][2])


def test_table_without_spread_or_bounds_says_nothing() -> None:
    table = pd.DataFrame({"estimate": [4.0, 4.0], "se": [0.0, 0.5], "n": [50, 1]})
    result = simultaneous_intervals(table, family="x")
    assert result[["low", "high"]].isna().all(axis=None)
    assert result["estimate"].to_list() == [4.0, 4.0]


@pytest.mark.parametrize(("change", "options"), [
    ({"se": [-0.1]}, {}), ({"estimate": [1.5]}, {"bounds": (0, 1)}), ({}, {"family_size": 0}), ({}, {"bounds": (1, 0)}),
])
def test_bad_tables_are_refused(change: dict[str, object], options: dict[str, object]) -> None:
    table = pd.DataFrame({"estimate": [0.5], "se": [0.1], "n": [10]} | change)
    with pytest.raises(InputError):
        simultaneous_intervals(table, family="x", **options)
    with pytest.raises(InputError, match="'se' is missing"):
        simultaneous_intervals(table.drop(columns="se"), family="x")
