"""Wilson, Newcombe and the Interval itself."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from agentsim.errors import InputError
from agentsim.stats import Interval, difference_of_proportions, wilson, wilson_bounds


@pytest.mark.parametrize(("successes", "n", "low", "high"), [
    # Newcombe (1998), Statistics in Medicine 17:857, table I, method 3
    (81, 263, 0.2553, 0.3662),
    (15, 148, 0.0624, 0.1605),
    (0, 20, 0.0000, 0.1611),
    (1, 29, 0.0061, 0.1718),
])
def test_wilson_gives_published_values(successes: int, n: int, low: float, high: float) -> None:
    interval = wilson(successes, n)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)
    assert interval.estimate == successes / n


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_wilson_agrees_with_scipy_for_all_counts(level: float) -> None:
    n = 37
    low, high = wilson_bounds(np.arange(n + 1), n, level)
    for x in range(n + 1):
        expected = scipy_stats.binomtest(x, n).proportion_ci(level, method="wilson")
        assert low[x] == pytest.approx(expected.low, abs=1e-12)
        assert high[x] == pytest.approx(expected.high, abs=1e-12)


@pytest.mark.parametrize(("x1", "n1", "x2", "n2", "low", "high"), [
    # Newcombe (1998), Statistics in Medicine 17:873, table II, method 10
    (56, 70, 48, 80, 0.0524, 0.3339),
    (9, 10, 3, 10, 0.1705, 0.8090),
    (6, 7, 2, 7, 0.0582, 0.8062),
    (5, 56, 0, 29, -0.0381, 0.1926),
    (0, 10, 0, 20, -0.1611, 0.2775),
    (0, 10, 0, 10, -0.2775, 0.2775),
    (10, 10, 0, 20, 0.6791, 1.0),
    (10, 10, 0, 10, 0.6075, 1.0),
])
def test_difference_gives_published_values(x1: int, n1: int, x2: int, n2: int, low: float, high: float) -> None:
    interval = difference_of_proportions(x1, n1, x2, n2)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)
    assert interval.n == n1 + n2


def test_exact_coverage_of_wilson_is_nominal_on_average() -> None:
    n, grid = 60, np.linspace(0.02, 0.98, 481)
    low, high = wilson_bounds(np.arange(n + 1), n)
    inside = (low[:, None] <= grid) & (grid <= high[:, None])
    coverage = (inside * scipy_stats.binom.pmf(np.arange(n + 1)[:, None], n, grid)).sum(axis=0)
    assert 0.945 < coverage.mean() < 0.965
    assert coverage.min() > 0.90  # it dips, and is known to


@pytest.mark.parametrize(("successes", "low", "high"), [(0, 0.0, 0.2775), (10, 0.7225, 1.0)])
def test_all_lost_and_all_won_keep_a_width(successes: int, low: float, high: float) -> None:
    interval = wilson(successes, 10)
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_no_trials_give_an_empty_interval_not_a_warning() -> None:
    interval = wilson(0, 0)
    assert interval.is_empty
    assert math.isnan(interval.estimate)
    assert not interval.contains(0.5)
    assert interval.format_percent() == "no data"
    assert difference_of_proportions(1, 2, 0, 0).is_empty
    low, _ = wilson_bounds([0, 3], [0, 6])
    assert math.isnan(low[0])
    assert low[1] > 0


def test_vectorised_over_two_dimensions() -> None:
    low, high = wilson_bounds([[1, 2], [3, 4]], 10)
    assert low.shape == high.shape == (2, 2)
    assert low[1, 0] == wilson(3, 10).low


@pytest.mark.parametrize("call", [
    lambda: wilson(-1, 5), lambda: wilson(6, 5), lambda: wilson(1, -5), lambda: wilson(1, 5, 1.0),
    lambda: wilson(1, 5, 0.0), lambda: wilson(1, 5, 95), lambda: wilson_bounds([0.5], [2]),
    lambda: wilson_bounds([math.nan], [2]), lambda: wilson_bounds(["a"], [2]),
])
def test_bad_input_is_one_line(call) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert "\n" not in str(error.value)


def test_the_message_names_the_counts() -> None:
    with pytest.raises(InputError, match="6 successes of 5 trials"):
        wilson(6, 5)


@pytest.mark.parametrize(("interval", "text"), [
    (Interval(0.523, 0.519, 0.527, 1, 0.95, "x"), "52.3 % [51.9, 52.7]"),
    (Interval(0.5, 0.4998, 0.5002, 1, 0.95, "x"), "50.00 % [49.98, 50.02]"),
    (Interval(1.0, 1.0, 1.0, 1, 0.95, "x"), "100.0 % [100.0, 100.0]"),
    (Interval(0.5, 0.1, 0.9, 1, 0.95, "x"), "50.0 % [10.0, 90.0]"),
])
def test_percent_has_the_decimals_that_the_interval_supports(interval: Interval, text: str) -> None:
    assert interval.format_percent() == text


def test_percent_signed_and_with_chosen_decimals() -> None:
    interval = Interval(-0.012, -0.02, 0.001, 1, 0.95, "x")
    assert interval.format_percent(signed=True) == "-1.2 pp [-2.0, +0.1]"
    assert interval.format_percent(0, signed=True) == "-1 pp [-2, +0]"


def test_as_dict_is_json_with_null_for_missing_numbers() -> None:
    assert json.loads(json.dumps(wilson(0, 0).as_dict(), allow_nan=False)) == {
        "estimate": None, "low": None, "high": None, "n": 0, "n_deals": None, "n_games": None, "level": 0.95,
        "method": "wilson"}


def test_complement_and_half_width() -> None:
    interval = wilson(30, 100)
    other = interval.complement()
    assert (other.low, other.estimate, other.high) == (1 - interval.high, 0.7, 1 - interval.low)
    assert other.half_width == pytest.approx(interval.half_width)
