"""Means, ratios and differences whose unit is the deal."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from agentsim.errors import InputError
from agentsim.stats import (
    bootstrap_deals,
    cluster_ratio,
    deal_histogram,
    difference_of_proportions,
    difference_of_ratios,
    mean_of_deals,
    mean_of_values,
    ratio_sums,
    ratio_table,
    wilson,
)
from agentsim.stats.clustered import histogram_moments
from tests.stats.planted import PLANTED, Deals, allowed


def misses(deals: Deals, mean: float, games: int, n: int, repetitions: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    missed = sum(not mean_of_deals(deal_histogram(deals(rng, n), games)).contains(mean) for _ in range(repetitions))
    return missed / repetitions


# ------------------------------------------------------------------------------------------------ means


@pytest.mark.parametrize("name", list(PLANTED))
def test_mean_covers_planted_values(name: str) -> None:
    deals, mean, games = PLANTED[name]
    assert misses(deals, mean, games, n=1000, repetitions=1500, seed=11) <= allowed(0.05, 1500)


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 200, 2000])
@pytest.mark.parametrize("name", list(PLANTED))
def test_mean_covers_planted_values_at_many_sizes(name: str, n: int) -> None:
    deals, mean, games = PLANTED[name]
    share = misses(deals, mean, games, n=n, repetitions=10_000, seed=100 + n)
    if name == "one game":
        # Wilson's own error at one p and n is lumpy; its exact value is known from the binomial distribution.
        from scipy.stats import binom

        x = np.arange(n + 1)
        alpha = float(sum(binom.pmf(k, n, mean) for k in x if not wilson(int(k), n).contains(mean)))
    else:
        alpha = 0.05
    assert share <= allowed(alpha, 10_000)


def test_ignoring_the_deals_would_fail_the_same_check() -> None:
    # Four alike games a deal counted as independent: the check above must be able to see it.
    rng = np.random.default_rng(3)
    deals, mean, games = PLANTED["alike, strong"]
    missed = 0
    for _ in range(500):
        points = deals(rng, 500)
        missed += not wilson(int(points.sum() // 2), 500 * games).contains(mean)
    assert missed / 500 > 2 * allowed(0.05, 500)


def test_intervals_are_no_wider_than_they_must_be() -> None:
    for deals, _, games in PLANTED.values():
        points = deals(np.random.default_rng(0), 20_000)
        interval = mean_of_deals(deal_histogram(points, games))
        normal = 1.959964 * (points / (2 * games)).std(ddof=1) / math.sqrt(20_000)
        assert interval.half_width == pytest.approx(normal, rel=0.01)


@pytest.mark.parametrize(("won", "n"), [(0, 1), (1, 1), (3, 7), (50, 50), (620, 1000)])
def test_one_game_a_deal_is_wilson(won: int, n: int) -> None:
    interval, expected = mean_of_deals([n - won, 0, won]), wilson(won, n)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert (interval.n, interval.n_deals, interval.n_games) == (n, n, n)


@pytest.mark.parametrize("n", [1, 2, 10, 1000])
@pytest.mark.parametrize("score", [0, 1, 2, 3, 4])
def test_equal_deals_never_give_width_zero(n: int, score: int) -> None:
    interval = mean_of_deals(np.bincount([score] * n, minlength=5))
    assert interval.estimate == score / 4
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    # About as far as a deal that was never seen may still weigh: z^2 / n of them, at distance 1/2 or 1.
    assert 1.5 / (n + 4) < interval.high - interval.low < 4.0 / n + 0.2 / n
    assert interval.n_games == 2 * n


def test_no_deals_give_an_empty_interval() -> None:
    interval = mean_of_deals([0, 0, 0, 0, 0])
    assert interval.is_empty
    assert (interval.n_deals, interval.n_games) == (0, 0)


def test_moments_are_exact_for_a_thousand_million_deals() -> None:
    n, games, mean, variance = histogram_moments([10**9, 1, 10**9])
    assert (n, games, mean) == (2 * 10**9 + 1, 1, 0.5)
    assert variance == pytest.approx(0.25 * 2 * 10**9 / (2 * 10**9 + 1), rel=1e-15)


@pytest.mark.parametrize("histogram", [[1, 2], [1, 2, 3, 4], [1], [], [1, -1, 1], [1, 0.5, 1], [[1, 2, 3]]])
def test_no_histogram_is_refused(histogram: list[object]) -> None:
    with pytest.raises(InputError, match="histogram"):
        mean_of_deals(histogram)


def test_deal_histogram_counts_and_refuses() -> None:
    assert deal_histogram([0, 4, 4, 2, 1], 2).tolist() == [1, 1, 1, 0, 2]
    assert deal_histogram([], 1).tolist() == [0, 0, 0]
    with pytest.raises(InputError, match="5 half-points in a deal of 2 games"):
        deal_histogram([5], 2)
    with pytest.raises(InputError, match="games_per_deal"):
        deal_histogram([1], 0)


def test_mean_of_values_with_and_without_bounds() -> None:
    values = [3.0, 4.0, 5.0, 8.0]
    interval = mean_of_values(values)
    half = 3.182446 * np.std(values, ddof=1) / 2  # t with 3 degrees of freedom
    assert (interval.low, interval.high) == pytest.approx((5 - half, 5 + half), rel=1e-6)
    assert mean_of_values([7.0]).is_empty
    assert mean_of_values([7.0, 7.0]).is_empty
    assert mean_of_values([]).is_empty
    bounded = mean_of_values([7.0] * 20, bounds=(0, 14))
    assert bounded.low < 7 < bounded.high
    with pytest.raises(InputError, match="bounds"):
        mean_of_values([7.0], bounds=(1, 1))
    with pytest.raises(InputError, match="bounds"):
        mean_of_values([7.0], bounds=(0, 6))


# ------------------------------------------------------------------------------------------------ ratios


def turns(rng: np.random.Generator, n: int, p: float) -> tuple[np.ndarray, np.ndarray]:
    """Takes and offers per deal: between none and nine offers, and a deal's own tendency, so that offers are alike."""
    offers = rng.integers(0, 10, n)
    return rng.binomial(offers, rng.beta(3 * p, 3 * (1 - p), n)), offers


def test_linearised_variance_is_cochrans() -> None:
    takes, offers = np.array([1.0, 0, 2, 5, 3]), np.array([2.0, 1, 4, 6, 4])
    ratio = takes.sum() / offers.sum()
    se = math.sqrt(5 / 4 * ((takes - ratio * offers) ** 2).sum()) / offers.sum()
    interval = cluster_ratio(takes, offers, bounds=None)
    assert interval.estimate == ratio
    assert interval.half_width == pytest.approx(2.776445 * se, rel=1e-6)  # t with 4 degrees of freedom


@pytest.mark.parametrize("p", [0.5, 0.9])
def test_ratio_covers_a_planted_value_where_plain_wilson_does_not(p: float) -> None:
    rng = np.random.default_rng(21)
    missed = plain = 0
    for _ in range(1000):
        takes, offers = turns(rng, 400, p)
        missed += not cluster_ratio(takes, offers).contains(p)
        plain += not wilson(int(takes.sum()), int(offers.sum())).contains(p)
    assert missed / 1000 <= allowed(0.05, 1000)
    assert plain / 1000 > 2 * allowed(0.05, 1000)


def test_ratio_agrees_with_the_bootstrap() -> None:
    takes, offers = turns(np.random.default_rng(2), 3000, 0.3)
    interval = cluster_ratio(takes, offers, n_games=6000)
    for scheme in ("multinomial", "poisson"):
        other = bootstrap_deals({"t": takes, "o": offers}, lambda s: s["t"] / s["o"], seed=5, scheme=scheme)
        assert other.estimate == pytest.approx(interval.estimate)
        assert other.half_width == pytest.approx(interval.half_width, rel=0.06)
    assert (interval.n, interval.n_deals, interval.n_games) == (offers.sum(), (offers > 0).sum(), 6000)


def test_ratio_of_equal_deals_is_the_mean_of_deals() -> None:
    wins = np.repeat([0, 1, 2], [30, 50, 20])
    ratio, mean = cluster_ratio(wins, np.full(100, 2)), mean_of_deals([30, 0, 50, 0, 20])
    assert (ratio.low, ratio.high) == pytest.approx((mean.low, mean.high), abs=1e-12)


def test_ratio_at_its_ends_and_without_data() -> None:
    for takes in (0, 3):
        interval = cluster_ratio([takes] * 8, [3] * 8)
        expected = wilson(8 if takes else 0, 8)  # deals, not turns, when nothing is known of how alike they are
        assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))
    assert cluster_ratio([], []).is_empty
    assert cluster_ratio([0, 0], [0, 0]).is_empty
    assert cluster_ratio([2], [4]).half_width > 0.3  # one deal is one observation
    assert cluster_ratio([2], [4], bounds=None).is_empty


def test_ratio_with_other_bounds_is_rescaled() -> None:
    moves, turns_ = np.array([3.0, -2, 6, 0]), np.array([1.0, 2, 2, 1])
    wide = cluster_ratio(moves, turns_, bounds=(-4, 6))
    unit = cluster_ratio((moves + 4 * turns_) / 10, turns_)
    assert (wide.low, wide.estimate, wide.high) == pytest.approx(
        (10 * unit.low - 4, 7 / 6, 10 * unit.high - 4))


@pytest.mark.parametrize(("numerator", "denominator"), [
    ([1, 2], [1]), ([2], [1]), ([-1], [1]), ([0], [-1]), ([1], [0]), ([math.nan], [1]), ([[1]], [[1]]),
])
def test_bad_ratios_are_refused(numerator: list[object], denominator: list[object]) -> None:
    with pytest.raises(InputError):
        cluster_ratio(numerator, denominator)


def test_table_of_ratios_from_rows_per_deal() -> None:
    rng = np.random.default_rng(8)
    frames = []
    for card, p in (("mole", 0.2), ("sentinel", 0.7)):
        takes, offers = turns(rng, 300, p)
        frames.append(pd.DataFrame({"card": card, "deal": np.arange(300), "takes": takes, "offers": offers}))
    rows = pd.concat(frames)
    table = ratio_table(ratio_sums(rows, ["card"], "takes", "offers"))
    assert table["card"].tolist() == ["mole", "sentinel"]
    assert table["family_size"].tolist() == [2, 2]
    level = 0.95**0.5
    for _, row in table.iterrows():
        one = rows[rows["card"] == row["card"]]
        single = cluster_ratio(one["takes"], one["offers"], level)
        assert (row["estimate"], row["low"], row["high"]) == pytest.approx((single.estimate, single.low, single.high))
        assert row["n"] == one["offers"].sum()
    with pytest.raises(InputError, match="'take' is missing"):
        ratio_sums(rows, ["card"], "take", "offers")
    with pytest.raises(InputError, match="'n_deals' is missing"):
        ratio_table(rows)


def test_table_keeps_cells_without_data() -> None:
    sums = pd.DataFrame({"n_deals": [0, 3], "num": [0, 2], "den": [0, 6], "num_num": [0, 2], "num_den": [0, 4],
                         "den_den": [0, 12]})
    table = ratio_table(sums)
    assert math.isnan(table["estimate"][0])
    assert math.isnan(table["low"][0])
    assert table["estimate"][1] == pytest.approx(1 / 3)
    assert table["family_size"].tolist() == [1, 1]


# ------------------------------------------------------------------------------------------------ differences


def test_difference_covers_a_planted_difference_of_paired_ratios() -> None:
    rng = np.random.default_rng(31)
    missed = 0
    for _ in range(1000):
        luck = rng.normal(0, 0.1, 300)  # shared by both sides
        offers = rng.integers(1, 6, (2, 300))
        first = rng.binomial(offers[0], np.clip(0.6 + luck, 0, 1))
        second = rng.binomial(offers[1], np.clip(0.5 + luck, 0, 1))
        missed += not difference_of_ratios(first, offers[0], second, offers[1]).contains(0.1)
    assert missed / 1000 <= allowed(0.05, 1000)


def test_difference_agrees_with_the_bootstrap_and_gains_from_pairing() -> None:
    rng = np.random.default_rng(4)
    luck = rng.beta(2, 2, 4000)
    first, second, two = rng.binomial(2, luck), rng.binomial(2, luck * 0.9), np.full(4000, 2)
    interval = difference_of_ratios(first, two, second, two)
    other = bootstrap_deals({"a": first, "b": second, "n": two}, lambda s: (s["a"] - s["b"]) / s["n"], seed=1)
    assert interval.half_width == pytest.approx(other.half_width, rel=0.06)
    shuffled = difference_of_ratios(first, two, rng.permutation(second), two)
    assert interval.half_width < 0.9 * shuffled.half_width


def test_difference_of_unrelated_single_games_is_newcombes() -> None:
    # 56 of 70 against 48 of 80 as deals of which each has a game on one side only: no correlation.
    won_1, won_2 = np.r_[np.ones(56), np.zeros(94)], np.r_[np.zeros(70), np.ones(48), np.zeros(32)]
    on_1, on_2 = np.r_[np.ones(70), np.zeros(80)], np.r_[np.zeros(70), np.ones(80)]
    interval, expected = difference_of_ratios(won_1, on_1, won_2, on_2), difference_of_proportions(56, 70, 48, 80)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_difference_of_identical_sides_is_zero_with_a_width() -> None:
    wins, games = np.repeat([0, 1, 2], 40), np.full(120, 2)
    interval = difference_of_ratios(wins, games, wins, games)
    assert interval.estimate == 0
    assert 0.0 < interval.half_width < 0.08
    for same in (0, 2):
        assert difference_of_ratios([same] * 9, [2] * 9, [same] * 9, [2] * 9).half_width > 0


def test_difference_without_bounds_uses_t_and_without_data_is_empty() -> None:
    rng = np.random.default_rng(6)
    a, b, n = rng.normal(3, 1, 40), rng.normal(2, 1, 40), np.ones(40)
    interval = difference_of_ratios(a, n, b, n, bounds=None)
    se = (a - b).std(ddof=1) / math.sqrt(40)
    assert interval.half_width == pytest.approx(2.022691 * se, rel=1e-6)  # t with 39 degrees of freedom
    assert difference_of_ratios([], [], [], []).is_empty
    assert difference_of_ratios([1], [1], [0], [0]).is_empty
    with pytest.raises(InputError, match="same deals"):
        difference_of_ratios([1], [1], [1, 1], [1, 1])


# ------------------------------------------------------------------------------------------------ bootstrap


def test_bootstrap_depends_on_the_seed_alone_and_not_on_the_order_of_deals() -> None:
    takes, offers = turns(np.random.default_rng(2), 500, 0.3)
    def run(seed: int, order: np.ndarray) -> tuple[float, float]:
        found = bootstrap_deals({"t": takes[order], "o": offers[order]}, lambda s: s["t"] / s["o"], seed=seed)
        return found.low, found.high
    straight, turned = np.arange(500), np.arange(500)[::-1]
    assert run(1, straight) == run(1, turned)
    assert run(1, straight) != run(2, straight)


def test_bootstrap_leaves_out_undefined_replicates_and_refuses_nonsense() -> None:
    ratio = bootstrap_deals({"t": [1, 0, 0], "o": [1, 0, 0]}, lambda s: s["t"] / s["o"])
    assert ratio.is_empty  # nearly a third of the resamples have no offer at all
    assert bootstrap_deals({"t": []}, lambda s: s["t"]).is_empty
    for bad in ({"columns": {}}, {"columns": {"a": [1], "b": [1, 2]}}, {"scheme": "jackknife"}, {"replicates": 5}):
        with pytest.raises(InputError):
            bootstrap_deals(**({"columns": {"a": [1, 2]}, "statistic": lambda s: s["a"]} | bad))
    with pytest.raises(InputError, match="statistic"):
        bootstrap_deals({"a": [1, 2]}, lambda s: s["a"].sum())
