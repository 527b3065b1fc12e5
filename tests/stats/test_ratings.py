"""Ratings: against known fits, planted strengths under correlated deals, circles, and policies that won everything."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special

from agentsim.errors import InputError
from agentsim.stats import bradley_terry, bradley_terry_from_deals, deal_histogram
from agentsim.stats.ratings import ELO, pair_covariance
from tests.stats.planted import allowed

NAMES = ("a", "b", "c", "d", "e")
PAIRS = list(combinations(NAMES, 2))
PLANTED = np.array([0.8, 0.3, 0.0, -0.4, -0.7])


def chances(strength: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = special.expit(
        [strength[NAMES.index(a)] - strength[NAMES.index(b)] for a, b in PAIRS])
    return found


def deals(rng: np.random.Generator, p: npt.NDArray[np.float64], n: int, shared: float = 0.6) -> npt.NDArray[np.float64]:
    """Half-points of two games a deal; in a share of the deals the luck is one and the same for all pairs and games."""
    luck = np.where(rng.random((n, 1, 1)) < shared, rng.random((n, 1, 1)), rng.random((n, len(p), 2)))
    wins: npt.NDArray[np.float64] = 2.0 * (luck < p[:, np.newaxis]).sum(axis=2)
    return wins


def histograms(points: npt.NDArray[np.float64]) -> dict[tuple[str, str], npt.NDArray[np.int64]]:
    return {pair: deal_histogram(points[:, at], 2) for at, pair in enumerate(PAIRS)}


def test_two_policies_have_the_logit_of_their_score() -> None:
    found = bradley_terry({("x", "y"): [100, 0, 250, 0, 150]})
    score = 0.55
    assert np.diff(found.table["elo"])[0] == pytest.approx(-ELO * np.log(score / (1 - score)))
    assert found.table["elo"].mean() == pytest.approx(1500)
    assert found.misfit.p_value == 1.0
    # The delta method on one score: se / p(1 - p), halved since the mean is fixed.
    sd = np.sqrt((100 * 0.55**2 + 250 * 0.05**2 + 150 * 0.45**2) / 500 / 500)
    assert found.table["se"][0] == pytest.approx(ELO * sd / (score * (1 - score)) / 2, rel=0.01)


def test_maximum_of_the_likelihood() -> None:
    rng = np.random.default_rng(3)
    points = deals(rng, chances(PLANTED), 500)
    found = bradley_terry(histograms(points)).table.set_index("policy")["elo"]
    t = (found[list(NAMES)].to_numpy() - 1500) / ELO
    for a in NAMES:  # the equations of the maximum: what a policy won is what it should have won
        won = sum(points[:, at].mean() / 4 if pair[0] == a else 1 - points[:, at].mean() / 4
                  for at, pair in enumerate(PAIRS) if a in pair)
        assert won == pytest.approx(sum(special.expit(t[NAMES.index(a)] - t[NAMES.index(b)]) for b in NAMES if b != a))


def test_covariance_of_pairs_on_the_same_deals() -> None:
    points = deals(np.random.default_rng(5), chances(PLANTED), 4000) / 4
    exact = np.cov(points, rowvar=False) / 4000
    blocks = points.reshape(100, 40, -1).mean(axis=1)
    measured, df = pair_covariance(np.sqrt(np.diag(exact)), np.full(10, 4000.0), blocks)
    assert df == 99
    assert np.diag(measured) == pytest.approx(np.diag(exact))
    assert np.abs(measured - exact).max() < 0.35 * exact.max()
    assert measured[0, 1] > 0.2 * measured[0, 0]  # they do share luck
    # A pair that stopped at a quarter shares a quarter of its luck with the others' longer means.
    short = blocks.copy()
    short[25:, 0] = np.nan
    less, _ = pair_covariance(np.array([2.0] + [1.0] * 9), np.array([1000.0] + [4000.0] * 9), short)
    part = np.corrcoef(blocks[:25, 0], blocks[:25, 1])[0, 1]
    assert less[0, 1] == pytest.approx(2.0 * 0.5 * part, abs=0.1)


def test_bootstrap_and_sandwich_agree_and_the_conservative_is_wider() -> None:
    points = deals(np.random.default_rng(7), chances(PLANTED), 600)
    sandwich = bradley_terry_from_deals(points / 4, PAIRS)
    drawn = bradley_terry_from_deals(points / 4, PAIRS, bootstrap=500, seed=1)
    careful = bradley_terry(histograms(points))
    assert drawn.variance == "bootstrap"
    assert drawn.table["se"].to_numpy() == pytest.approx(sandwich.table["se"].to_numpy(), rel=0.15)
    assert drawn.table["low"].to_numpy() == pytest.approx(sandwich.table["low"].to_numpy(), abs=6)
    assert careful.table["elo"].to_numpy() == pytest.approx(sandwich.table["elo"].to_numpy())
    assert (careful.table["se"] > 1.2 * sandwich.table["se"]).all()


def test_a_circle_does_not_fit() -> None:
    pairs = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock"), ("rock", "wait"), ("paper", "wait"),
             ("scissors", "wait")]
    found = bradley_terry({pair: [60, 0, 250, 0, 190] if at < 3 else [125, 0, 250, 0, 125]
                           for at, pair in enumerate(pairs)}, correlation="independent")
    assert found.misfit.p_value < 1e-6
    clear = found.residuals[found.residuals["clear"]]
    assert {frozenset(pair) for pair in zip(clear["policy_a"], clear["policy_b"], strict=True)} == {
        frozenset(pair) for pair in pairs[:3]}
    assert clear["residual"].abs().to_numpy() == pytest.approx(0.13, abs=1e-9)
    assert (found.table["rank_low"] == 1).all()  # all alike, in the mean
    assert (found.table["rank_high"] == 4).all()


def test_weights_by_pair_do_not_depend_on_who_played_more() -> None:
    counts = {("rock", "scissors"): [60, 0, 250, 0, 190], ("scissors", "paper"): [60, 0, 250, 0, 190],
              ("paper", "rock"): [60, 0, 250, 0, 190]}
    more = counts | {("paper", "rock"): [6000, 0, 25000, 0, 19000]}
    even = bradley_terry(more, weights="pairs").table
    assert even["elo"].to_numpy() == pytest.approx(1500, abs=1e-6)
    assert np.ptp(bradley_terry(more).table["elo"]) > 40


def test_who_won_everything_has_no_upper_bound() -> None:
    found = bradley_terry({("god", "a"): [0, 0, 0, 0, 100], ("god", "b"): [0, 0, 0, 0, 100],
                           ("a", "b"): [20, 0, 50, 0, 30]})
    table = found.table.set_index("policy")
    assert found.unbounded == ("god", "a", "b")
    assert table.loc["god", "high"] == np.inf
    assert table.loc["a", "low"] == -np.inf
    assert np.isfinite(table.loc["a", "high"])
    assert np.isfinite(table["elo"]).all()
    assert np.isfinite(table.loc["god", "low"])
    assert table.loc["god", "rank"] == 1


def test_bad_input_is_refused() -> None:
    even = [1, 0, 2, 0, 1]
    with pytest.raises(InputError, match="never met"):
        bradley_terry({("a", "b"): even, ("c", "d"): even})
    with pytest.raises(InputError, match="twice"):
        bradley_terry({("a", "b"): even, ("b", "a"): even})
    with pytest.raises(InputError, match="weights"):
        bradley_terry({("a", "b"): even}, weights="pears")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no pair"):
        bradley_terry({("a", "a"): even})
    with pytest.raises(InputError, match="scores"):
        bradley_terry_from_deals([[0.5, 1.5]], [("a", "b"), ("b", "c")])
    with pytest.raises(InputError, match="bootstrap"):
        bradley_terry_from_deals([[0.5], [0.25]], [("a", "b")], bootstrap=3)


def coverage(repetitions: int, seed: int, way: str) -> float:
    """The share of planted strengths within their pointwise 95 % intervals."""
    rng = np.random.default_rng(seed)
    p, truth = chances(PLANTED), 1500 + ELO * (PLANTED - PLANTED.mean())
    held = 0
    for _ in range(repetitions):
        points = deals(rng, p, 400)
        if way == "deals":
            found = bradley_terry_from_deals(points / 4, PAIRS, method="pointwise")
        else:
            found = bradley_terry(histograms(points), blocks=points.reshape(40, 10, -1).mean(axis=1) / 4,
                                  method="pointwise", weights="pairs")
        table = found.table.set_index("policy").loc[list(NAMES)]
        held += int(((table["low"] <= truth) & (truth <= table["high"])).sum())
    return held / repetitions / len(NAMES)


@pytest.mark.parametrize("way", ["deals", "blocks"])
def test_coverage_in_short(way: str) -> None:
    assert 0.91 <= coverage(60, 1, way) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("way", ["deals", "blocks"])
def test_intervals_cover_planted_strengths(way: str) -> None:
    assert 0.93 <= coverage(500, 2, way) <= 0.97


@pytest.mark.slow
def test_false_alarms_among_equals() -> None:
    """Simultaneous intervals that miss 1500, ranks told apart, misfits found: all of them chance among equals."""
    rng = np.random.default_rng(4)
    p, repetitions = np.full(len(PAIRS), 0.5), 2000
    missed = told_apart = misfit = clear = 0
    for _ in range(repetitions):
        points = deals(rng, p, 300)
        found = bradley_terry_from_deals(points / 4, PAIRS)
        missed += bool(((found.table["low"] > 1500) | (found.table["high"] < 1500)).any())
        told_apart += bool((found.table["rank_low"] > 1).any())
        misfit += found.misfit.p_value < 0.05
        clear += bool(found.residuals["clear"].any())
    for count in (missed, told_apart, misfit, clear):
        assert count / repetitions <= allowed(0.05, repetitions)
