"""Two treatments on the same deals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from agentsim.errors import InputError
from agentsim.stats import (
    bootstrap_deals,
    difference_of_proportions,
    mcnemar,
    mcnemar_by_deal,
    paired_difference,
    paired_difference_from_counts,
    sign_test,
)
from tests.stats.planted import allowed


def pair(rng: np.random.Generator, n: int, effect: float) -> tuple[np.ndarray, np.ndarray]:
    """Scores of two games each under shared luck of the deal; ``a`` wins by ``effect`` more on average."""
    luck = rng.uniform(0.2, 0.8, n)
    return rng.binomial(2, luck + effect / 2) / 2, rng.binomial(2, luck - effect / 2) / 2


@pytest.mark.parametrize("effect", [0.0, 0.1])
def test_paired_difference_covers_a_planted_effect(effect: float) -> None:
    rng = np.random.default_rng(17)
    missed = sum(not paired_difference(*pair(rng, 500, effect)).contains(effect) for _ in range(2000))
    assert missed / 2000 <= allowed(0.05, 2000)


def test_rare_differences_are_covered_too() -> None:
    # Two rule sets that differ in one deal of a hundred.
    rng = np.random.default_rng(18)
    missed = 0
    for _ in range(2000):
        a = rng.integers(0, 2, 1000).astype(float)
        b = np.where(rng.random(1000) < 0.01, 0.0, a)
        missed += not paired_difference(a, b).contains(0.005)
    assert missed / 2000 <= allowed(0.05, 2000)


def test_equal_treatments_give_zero_with_a_width() -> None:
    scores = np.repeat([0.0, 0.5, 1.0], 100)
    interval = paired_difference(scores, scores)
    assert interval.estimate == 0.0
    assert 0.001 < interval.half_width < 0.02
    assert paired_difference([0.5], [0.5]).half_width > 0.5


def test_pairing_pays_and_agrees_with_the_bootstrap() -> None:
    a, b = pair(np.random.default_rng(1), 5000, 0.1)
    interval = paired_difference(a, b, n_games=20_000)
    other = bootstrap_deals({"d": a - b, "n": np.ones(5000)}, lambda s: s["d"] / s["n"], seed=2)
    assert interval.half_width == pytest.approx(other.half_width, rel=0.06)
    unpaired = difference_of_proportions(int(a.sum() * 2), 10_000, int(b.sum() * 2), 10_000)
    assert interval.half_width < unpaired.half_width
    assert (interval.n_deals, interval.n_games) == (5000, 20_000)


def test_counts_give_the_same_as_scores() -> None:
    rng = np.random.default_rng(3)
    g, h = rng.integers(0, 5, 400), rng.integers(0, 5, 400)
    joint = np.zeros((5, 5), int)
    np.add.at(joint, (g, h), 1)
    by_counts, by_scores = paired_difference_from_counts(joint), paired_difference(g / 4, h / 4)
    assert (by_counts.low, by_counts.estimate, by_counts.high) == pytest.approx(
        (by_scores.low, by_scores.estimate, by_scores.high), abs=1e-12)
    assert (by_counts.n_deals, by_counts.n_games) == (400, 1600)
    assert paired_difference_from_counts(np.zeros((3, 3))).is_empty
    for bad in (np.zeros((2, 2)), np.zeros((3, 5)), np.full((3, 3), -1)):
        with pytest.raises(InputError, match="joint"):
            paired_difference_from_counts(bad)


def test_sign_test_is_the_binomial_test() -> None:
    a, b = [1, 1, 1, 0, 0.5, 0.5, 1, 0], [0, 0, 0.5, 0, 0.5, 1, 0, 0]
    result = sign_test(a, b)
    assert (result.n, result.n_deals, result.statistic) == (5, 8, 0.8)
    assert result.p_value == pytest.approx(scipy_stats.binomtest(4, 5).pvalue)
    for plus, minus in ((70, 40), (1, 1), (0, 9)):
        ours = sign_test([1] * plus + [0] * minus, [0] * plus + [1] * minus).p_value
        assert ours == pytest.approx(scipy_stats.binomtest(plus, plus + minus).pvalue)


def test_nothing_to_test() -> None:
    assert sign_test([], []).p_value == 1.0
    assert math.isnan(sign_test([0.5], [0.5]).statistic)
    assert mcnemar(0, 0).p_value == 1.0
    assert mcnemar_by_deal([1, 0], [1, 0]).as_dict()["statistic"] is None


def test_mcnemar_known_values() -> None:
    # Approval before and after (Agresti, Categorical Data Analysis, 2nd ed., 10.1): 150 and 86 changed; z^2 = 17.36
    result = mcnemar(150, 86)
    assert result.statistic == pytest.approx(17.36, abs=0.005)
    assert result.p_value == pytest.approx(scipy_stats.binomtest(86, 236).pvalue)
    assert result.p_value < 0.0001


def test_mcnemar_by_deal_of_single_games_is_mcnemars() -> None:
    only_a, only_b = [1] * 150 + [0] * 186, [0] * 150 + [1] * 86 + [0] * 100
    result = mcnemar_by_deal(only_a, only_b)
    assert result.statistic**2 == pytest.approx(17.36, abs=0.005)
    assert (result.n, result.n_deals, result.method) == (236, 336, "mcnemar-by-deal")


def test_few_differing_deals_use_the_exact_test() -> None:
    result = mcnemar_by_deal([2, 1, 1, 0], [0, 0, 0, 0])
    assert result.method == "sign-test-by-deal"
    assert result.p_value == 0.25


def test_mcnemar_by_deal_keeps_its_level_where_counting_games_does_not() -> None:
    # Four games a deal that nearly always turn out the same way.
    rng = np.random.default_rng(23)
    by_deal = by_game = 0
    for _ in range(1000):
        tilt = rng.choice([0.05, 0.95], 200)
        a, b = rng.binomial(4, tilt), rng.binomial(4, 1 - tilt)
        by_deal += mcnemar_by_deal(a, b).p_value < 0.05
        by_game += mcnemar(int(a.sum()), int(b.sum())).p_value < 0.05
    assert by_deal / 1000 <= allowed(0.05, 1000)
    assert by_game / 1000 > 2 * allowed(0.05, 1000)


@pytest.mark.parametrize("call", [
    lambda: paired_difference([1.0], [1.0, 0.0]), lambda: paired_difference([1.5], [0.0]),
    lambda: paired_difference([math.nan], [0.0]), lambda: mcnemar(-1, 2), lambda: mcnemar_by_deal([1], [1, 2]),
])
def test_bad_input_is_refused(call) -> None:
    with pytest.raises(InputError):
        call()
