"""The confidence sequence under peeking, and its decisions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, special

from agentsim.errors import InputError
from agentsim.stats import SequentialTest, confidence_sequence, deal_histogram
from agentsim.stats.sequential import boundary, tuning
from tests.stats.planted import PLANTED, allowed

LOOKS = np.unique(np.geomspace(20, 4000, 60).astype(int))


@pytest.mark.parametrize(("v", "r"), [(0.0, 1.0), (3.0, 2.0), (50.0, 8.0), (400.0, 30.0)])
def test_boundary_solves_the_mixture_integral(v: float, r: float) -> None:
    u = float(boundary(v, 0.025, r))

    def mixture(x: float) -> float:  # x = 1 - lambda, Gamma(r, r) cut off at 1
        log_density = r * math.log(r) + (r - 1) * math.log(x) - r * x - special.gammaln(r)
        return math.exp((1 - x) * u + (math.log(x) + 1 - x) * v + log_density)

    total = integrate.quad(mixture, 0, 1, limit=200)[0] / special.gammainc(r, r)
    assert total == pytest.approx(40.0, rel=1e-5)


def test_price_of_peeking_is_as_documented() -> None:
    r = tuning(100_000, 0.025)
    n = np.array([1e4, 1e5, 1e6, 1e8])
    ratio = boundary(n * 0.35**2, 0.025, r) / np.sqrt(n * 0.35**2) / 1.959964
    assert ratio[1] == pytest.approx(1.6, abs=0.05)
    assert ratio.max() < 2.0
    assert ratio.min() > 1.5


def peeking_errors(name: str, repetitions: int, seed: int) -> tuple[float, float]:
    """Shares of repetitions in which the sequence, or a fixed-n interval, excludes the truth at any of 60 looks."""
    deals, mean, games = PLANTED[name]
    rng = np.random.default_rng(seed)
    missed = fixed = 0
    for _ in range(repetitions):
        scores = deals(rng, int(LOOKS[-1])) / (2 * games)
        table = confidence_sequence(scores, LOOKS, expected_deals=1000)
        missed += bool(((table["low"] > mean) | (table["high"] < mean)).any())
        total, squares = np.cumsum(scores)[LOOKS - 1], np.cumsum(scores**2)[LOOKS - 1]
        se = np.sqrt(np.maximum(squares / LOOKS - (total / LOOKS) ** 2, 0) / LOOKS)
        fixed += bool((np.abs(total / LOOKS - mean) > 1.96 * se).any())
    return missed / repetitions, fixed / repetitions


def test_peeking_is_safe_and_would_not_be_with_fixed_intervals() -> None:
    missed, fixed = peeking_errors("two independent", 300, seed=1)
    assert missed <= allowed(0.05, 300)
    assert fixed > 3 * allowed(0.05, 300)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PLANTED))
def test_measured_error_under_peeking(name: str) -> None:
    missed, fixed = peeking_errors(name, 2000, seed=2)
    assert missed <= allowed(0.05, 2000)
    assert fixed > 2 * allowed(0.05, 2000)


def decide(rng: np.random.Generator, p: float, margin: float) -> SequentialTest:
    test = SequentialTest(margin=margin, expected_deals=3000)
    while test.decision == "undecided":
        test.add(deal_histogram(2 * rng.binomial(2, p, 500), 2), first_deal=test.n_deals)
    return test


@pytest.mark.parametrize(("p", "right"), [(0.56, "better"), (0.44, "worse"), (0.5, "equivalent")])
def test_decisions(p: float, right: str) -> None:
    test = decide(np.random.default_rng(3), p, 0.03)
    assert test.decision == right
    assert test.decided_at == test.n_deals
    assert test.interval.contains(p)


@pytest.mark.slow
def test_measured_error_of_decisions() -> None:
    rng = np.random.default_rng(4)
    repetitions = 1200
    for p, margin, wrong in ((0.5, 0.03, {"better", "worse"}), (0.5301, 0.03, {"equivalent", "worse"}),
                             (0.49, 0.03, {"better"})):
        errors = sum(decide(rng, p, margin).decision in wrong for _ in range(repetitions))
        assert errors / repetitions <= allowed(0.05, repetitions)


def test_it_ends_when_the_interval_is_narrower_than_the_margin() -> None:
    rng = np.random.default_rng(5)
    for p in np.linspace(0.45, 0.55, 11):
        test = SequentialTest(margin=0.02, expected_deals=3000)
        while test.decision == "undecided":
            assert test.n_deals == 0 or 2 * test.interval.half_width >= 0.02
            test.add(deal_histogram(2 * rng.binomial(2, p, 500), 2))
        assert test.decided_at is not None


def test_decision_stays_while_data_go_on() -> None:
    test = SequentialTest(margin=0.01, expected_deals=1000)
    assert test.add([0, 0, 500]) == "better"
    assert test.add([2000, 0, 0]) == "better"
    assert (test.decided_at, test.n_deals) == (500, 2500)
    assert test.interval.estimate == 0.2


def test_batches_must_follow_each_other() -> None:
    test = SequentialTest(margin=0.01)
    test.add([5, 0, 5], first_deal=0)
    with pytest.raises(InputError, match="starts at deal 20, the next is 10"):
        test.add([5, 0, 5], first_deal=20)
    assert test.n_deals == 10


def test_test_and_sequence_agree() -> None:
    rng = np.random.default_rng(6)
    points = 2 * rng.binomial(2, 0.6, 3000)
    looks = [100, 500, 1700, 3000]
    table = confidence_sequence(points / 4, looks, expected_deals=2000)
    test = SequentialTest(margin=0.001, expected_deals=2000)
    for start, end, row in zip([0, *looks], looks, table.itertuples(), strict=False):
        test.add(deal_histogram(points[start:end], 2), first_deal=start)
        assert (test.interval.low, test.interval.high) == pytest.approx((row.low, row.high), abs=1e-9)
    assert (test.interval.n_deals, test.interval.n_games) == (3000, 6000)


def test_before_the_first_deal_everything_is_possible() -> None:
    test = SequentialTest(margin=0.01)
    assert test.add([0, 0, 0]) == "undecided"
    assert (test.interval.low, test.interval.high) == (0.0, 1.0)
    assert test.decided_at is None


def test_equal_scores_keep_a_width() -> None:
    table = confidence_sequence(np.full(1000, 0.5), [1, 10, 1000], expected_deals=100)
    assert (table["low"] < 0.5).all()
    assert (table["high"] > 0.5).all()
    assert table["low"][0] == 0.0


@pytest.mark.parametrize("call", [
    lambda: SequentialTest(margin=0), lambda: SequentialTest(margin=0.01, null=1.0),
    lambda: SequentialTest(margin=0.01, level=1.0), lambda: SequentialTest(margin=0.01, expected_deals=0),
    lambda: confidence_sequence([0.5, 1.5], [1]), lambda: confidence_sequence([0.5], [2]),
    lambda: confidence_sequence([0.5, 0.5], [2, 1]), lambda: confidence_sequence([0.5], []),
    lambda: SequentialTest(margin=0.01).add([1, 2]), lambda: tuning(10, 0.05, sd=0.6),
])
def test_bad_input_is_refused(call) -> None:
    with pytest.raises(InputError):
        call()
