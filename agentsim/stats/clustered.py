"""Means, ratios and differences whose unit is the deal.

Definitions. A deal is played once (a mirror) or several times (seats swapped); its *score* is the mean result of its
games, in half-points ``h = 0 .. 2 m`` for ``m`` games (a win is 2, a draw 1), so a whole matchup is a *histogram* of
``2 m + 1`` exact counts. Deals are independent, the games of a deal and the turns of a game are not.

- Mean of deal scores: the score interval with an effective number of deals (``wilson-deals``; see
  ``docs/statistics.md``): Wilson's interval for one game a deal, the normal interval for many deals, never of width 0.
- Ratio ``R = sum N_i / sum D_i`` over deals ``i`` (wins per game, takes per offer): linearised variance
  ``sum (N_i - R D_i)^2 / (sum D_i)^2`` (Cochran 1977, ch. 2; Woodruff 1971), closed by the same score interval if
  ``0 <= N_i <= D_i``, by Student's t otherwise.
- Difference of two ratios over the same deals: the linearised residuals give the correlation, MOVER (Zou and Donner
  2008) the bounds.

If several matchups are played on the same deals, a deal is one cluster over all of them: sum by deal id first.

>>> mean_of_deals([100, 0, 250, 0, 150]).format_percent()
'55.0 % [51.9, 58.1]'
>>> cluster_ratio([1, 0, 2, 1], [2, 3, 4, 1]).format_percent()
'40.0 % [9.9, 80.2]'
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from agentsim.errors import InputError
from agentsim.stats._numeric import FloatArray, check_level, real_vector, t_value, whole_vector, z_value
from agentsim.stats._score import divide, guarded_arrays, mover_arrays
from agentsim.stats.intervals import Interval
from agentsim.stats.simultaneous import adjusted_level, check_bounds, check_method

__all__ = [
    "deal_histogram", "histogram_moments", "mean_of_deals", "mean_of_values", "cluster_ratio", "difference_of_ratios",
    "ratio_sums", "ratio_table",
]

METHOD_DEALS = "wilson-deals"
SUMS = ("n_deals", "num", "den", "num_num", "num_den", "den_den")


# ------------------------------------------------------------------------------------------------ means over deals


def deal_histogram(half_points: npt.ArrayLike, games_per_deal: int) -> npt.NDArray[np.int64]:
    """Counts of deals by score: ``result[h]`` deals made ``h`` half-points, ``h = 0 .. 2 * games_per_deal``.

    Raises InputError for a value outside that range.
    """
    points = whole_vector(half_points, "half_points")
    top = 2 * _games_per_deal(games_per_deal)
    if points.size and int(points.max()) > top:
        raise InputError(f"{int(points.max())} half-points in a deal of {games_per_deal} games", key="half_points",
                         allowed=f"0 to {top}")
    return np.bincount(points, minlength=top + 1).astype(np.int64)


def _games_per_deal(games: int) -> int:
    if games != int(games) or games < 1:
        raise InputError(f"must be a whole number from 1, got {games}", key="games_per_deal")
    return int(games)


def histogram_moments(histogram: npt.ArrayLike) -> tuple[int, int, float, float]:
    """``(deals, games per deal, mean score, population variance of the score)`` of a histogram of half-points.

    Sums are exact integers: no digits are lost at 10^9 deals. Mean and variance are NaN without deals. Raises
    InputError unless there are 2 m + 1 counts.
    """
    counts = whole_vector(histogram, "histogram")
    if len(counts) < 3 or len(counts) % 2 == 0:
        raise InputError(f"has {len(counts)} counts", key="histogram",
                         allowed="2 m + 1 counts for m games a deal: 3 for single games, 5 for pairs")
    top = len(counts) - 1
    whole = [int(count) for count in counts]
    n = sum(whole)
    if n == 0:
        return 0, top // 2, math.nan, math.nan
    first = sum(h * count for h, count in enumerate(whole))
    second = sum(h * h * count for h, count in enumerate(whole))
    return n, top // 2, first / (n * top), (n * second - first * first) / (n * n * top * top)


def mean_of_deals(histogram: npt.ArrayLike, level: float = 0.95) -> Interval:
    """Mean score per game from a histogram of deal scores (``2 m + 1`` counts of deals by half-points).

    ``n`` of the result counts deals. All NaN without deals. One game a deal and no draws: exactly Wilson's interval.
    """
    n, games, mean, variance = histogram_moments(histogram)
    return bounded_mean(mean, variance, n, games=n * games, level=level)


def mean_of_values(values: npt.ArrayLike, level: float = 0.95, bounds: tuple[float, float] | None = None) -> Interval:
    """Mean of one number per deal.

    With ``bounds`` (the least and largest possible value) the guarded score interval; without, Student's t, whose
    interval is NaN for a single deal and where all values are equal (nothing was seen of the spread).
    """
    array = real_vector(values, "values")
    n = len(array)
    mean = float(array.mean()) if n else math.nan
    variance = float(array.var()) if n else math.nan
    if bounds is not None:
        return bounded_mean(mean, variance, n, level=level, bounds=bounds)
    reach = float(t_value(level, n - 1)) * math.sqrt(variance / (n - 1)) if n > 1 and variance > 0 else math.nan
    return Interval(mean, mean - reach, mean + reach, n, check_level(level), "t", n)


def bounded_mean(
    mean: float, variance: float, n: int, *, games: int | None = None, level: float = 0.95,
    bounds: tuple[float, float] = (0.0, 1.0), method: str = METHOD_DEALS,
) -> Interval:
    """Guarded interval of the mean of ``n`` deal scores with population variance ``variance`` within ``bounds``."""
    least, largest = check_bounds(bounds)
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0, check_level(level), method, 0, games)
    width = largest - least
    unit = (mean - least) / width
    if not -1e-9 <= unit <= 1.0 + 1e-9:
        raise InputError(f"mean {mean:g} lies outside the stated bounds", key="bounds", allowed="bounds of all values")
    low, high = guarded_arrays(min(max(unit, 0.0), 1.0), variance / (n * width * width), n, n, z_value(level))
    return Interval(mean, min(least + width * float(low), mean), max(least + width * float(high), mean), n,
                    check_level(level), method, n, games)


# ------------------------------------------------------------------------------------------------ ratios


def _pair(numerator: npt.ArrayLike, denominator: npt.ArrayLike, bounds: tuple[float, float] | None,
          suffix: str = "") -> tuple[FloatArray, FloatArray]:
    """Checked sums by deal; with bounds the numerator is rescaled to lie within 0 and the denominator."""
    num = real_vector(numerator, f"numerator{suffix}")
    den = real_vector(denominator, f"denominator{suffix}")
    if len(num) != len(den):
        raise InputError(f"{len(num)} numerators for {len(den)} denominators", key=f"numerator{suffix}")
    if (den < 0).any():
        raise InputError("holds a negative value", key=f"denominator{suffix}")
    if (num[den == 0] != 0).any():
        raise InputError("is not 0 in a deal whose denominator is 0", key=f"numerator{suffix}")
    if bounds is not None:
        least, largest = check_bounds(bounds)
        num = (num - least * den) / (largest - least)
        slack = 1e-9 * np.maximum(den, 1.0)
        if (num < -slack).any() or (num > den + slack).any():
            raise InputError("lies outside the bounds in some deal", key=f"numerator{suffix}",
                             allowed=f"{least:g} to {largest:g} times the denominator; bounds=None for no bounds")
    return num, den


def cluster_ratio(
    numerator_by_deal: npt.ArrayLike, denominator_by_deal: npt.ArrayLike, level: float = 0.95, *,
    bounds: tuple[float, float] | None = (0.0, 1.0), n_games: int | None = None,
) -> Interval:
    """``sum N / sum D`` with an interval clustered by deal.

    Parameters
    ----------
    numerator_by_deal, denominator_by_deal : one pair of sums per deal (deals with ``D = 0`` may be left in).
    bounds : least and largest possible value *per unit of the denominator*, (0, 1) for a proportion; None if there is
        no bound, then Student's t.
    n_games : games behind it, carried into the result.

    ``n`` of the result is ``sum D`` (rounded); ``n_deals`` counts deals with ``D > 0``. NaN if there are none. Raises
    InputError for lengths that differ, negative denominators and numerators outside the bounds.
    """
    num, den = _pair(numerator_by_deal, denominator_by_deal, bounds)
    sums = [np.asarray(x) for x in (np.count_nonzero(den), num.sum(), den.sum(), num @ num, num @ den, den @ den)]
    least, width = (0.0, 1.0) if bounds is None else (bounds[0], bounds[1] - bounds[0])
    found = _ratio_arrays(sums, check_level(level), bounds is not None)
    estimate, low, high = (width * float(value) + least for value in found[:3])
    return Interval(estimate, low, high, round(float(den.sum())), check_level(level),
                    METHOD_DEALS if bounds is not None else "ratio-t", int((den > 0).sum()), n_games)


def _ratio_arrays(
    sums: Sequence[FloatArray], level: float, bounded: bool
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Estimate, low, high and standard error of ratios from the sums over deals named in :data:`SUMS`.

    ``bounded`` says that ``0 <= num <= den`` in each deal.
    """
    n, num, den, num_num, num_den, den_den = sums
    ratio = divide(num, den)
    squares = np.maximum(num_num - 2.0 * ratio * num_den + ratio**2 * den_den, 0.0)
    variance = divide(squares, den * den)
    # The unbiased factor is for the standard error shown and for t; the guarded interval has its own correction.
    se = np.sqrt(variance * divide(n, n - 1.0))
    if bounded:
        if (ratio < -1e-9).any() or (ratio > 1.0 + 1e-9).any():
            raise InputError("holds a ratio outside the stated bounds", key="sums", allowed="bounds of all values")
        kish = divide(den * den, den_den)
        low, high = guarded_arrays(np.clip(ratio, 0.0, 1.0), variance, kish, n, z_value(level))
    else:
        reach = t_value(level, n - 1.0) * np.where(se > 0, se, np.nan)
        low, high = ratio - reach, ratio + reach
    return ratio, low, high, se


def ratio_sums(table: pd.DataFrame, by: list[str], numerator: str, denominator: str) -> pd.DataFrame:
    """From one row per (cell, deal) to the sums per cell that :func:`ratio_table` takes.

    ``by`` names the columns that make a cell; ``numerator`` and ``denominator`` those with the deal's sums. The same in
    SQL: ``count(*) as n_deals, sum(n) as num, sum(d) as den, sum(n*n) as num_num, sum(n*d) as num_den, sum(d*d) as
    den_den``, over deals with ``d > 0``.
    """
    for name in (*by, numerator, denominator):
        if name not in table.columns:
            raise InputError(f"column '{name}' is missing", key="table", allowed=", ".join(map(str, table.columns)))
    kept = table[table[denominator] > 0]
    num, den = kept[numerator].astype(np.float64), kept[denominator].astype(np.float64)
    parts = kept[by].assign(n_deals=1, num=num, den=den, num_num=num * num, num_den=num * den, den_den=den * den)
    return parts.groupby(by, sort=True, observed=True)[list(SUMS)].sum().reset_index()


def ratio_table(
    sums: pd.DataFrame, *, level: float = 0.95, method: str = "sidak", family_size: int | None = None,
    bounds: tuple[float, float] | None = (0.0, 1.0),
) -> pd.DataFrame:
    """Ratios of many cells, each clustered by deal, with simultaneous intervals.

    Parameters
    ----------
    sums : columns ``n_deals, num, den, num_num, num_den, den_den`` (see :func:`ratio_sums`; large tables sum in the
        database); other columns are kept.
    level, method, family_size : family-wise level, method (``sidak``, ``bonferroni``, ``pointwise``) and size of the
        family (default: the rows with data).
    bounds : as in :func:`cluster_ratio`.

    Adds ``estimate, low, high, se, n, level, method, family_size``; ``n`` is the denominator's total. NaN without data.
    """
    for name in SUMS:
        if name not in sums.columns:
            raise InputError(f"column '{name}' is missing", key="sums", allowed=", ".join(SUMS))
    n, num, den, num_num, num_den, den_den = (sums[name].to_numpy(dtype=np.float64) for name in SUMS)
    least, width = 0.0, 1.0
    if bounds is not None:
        least, largest = check_bounds(bounds)
        width = largest - least
        num_num = (num_num - 2.0 * least * num_den + least**2 * den_den) / width**2
        num_den = (num_den - least * den_den) / width
        num = (num - least * den) / width
    size = int((den > 0).sum()) if family_size is None else family_size
    cell_level = adjusted_level(size, level, method)
    cells = (n, num, den, num_num, num_den, den_den)
    ratio, low, high, se = _ratio_arrays(cells, cell_level, bounds is not None)
    return sums.assign(estimate=least + width * ratio, low=least + width * low, high=least + width * high,
                       se=width * se, n=np.rint(den).astype(np.int64), level=check_level(level),
                       method=check_method(method), family_size=max(1, size))


def difference_of_ratios(
    numerator_1: npt.ArrayLike, denominator_1: npt.ArrayLike, numerator_2: npt.ArrayLike, denominator_2: npt.ArrayLike,
    level: float = 0.95, *, bounds: tuple[float, float] | None = (0.0, 1.0), n_games: int | None = None,
) -> Interval:
    """``sum N1 / sum D1 - sum N2 / sum D2`` over the same deals (row i of all four belongs to deal i).

    ``bounds`` as in :func:`cluster_ratio`, for both. ``n`` of the result is ``sum D1 + sum D2``; NaN if one is empty.
    """
    num_1, den_1 = _pair(numerator_1, denominator_1, bounds, "_1")
    num_2, den_2 = _pair(numerator_2, denominator_2, bounds, "_2")
    if len(num_1) != len(num_2):
        raise InputError(f"{len(num_1)} deals on one side and {len(num_2)} on the other", key="numerator_1",
                         allowed="the same deals in the same order")
    one = {"num": num_1, "den": den_1}
    two = {"num": num_2, "den": den_2}
    sums = {f"{a}{i}_{b}{j}": np.asarray(x[a] @ y[b]) for i, x in ((1, one), (2, two)) for j, y in ((1, one), (2, two))
            for a in x for b in y}
    sums |= {f"{a}{i}": np.asarray(x[a].sum()) for i, x in ((1, one), (2, two)) for a in x}
    counts = [np.asarray(float(np.count_nonzero(mask))) for mask in (den_1 > 0, den_2 > 0, (den_1 > 0) | (den_2 > 0))]
    estimate, low, high, _ = difference_arrays(
        sums, counts[0], counts[1], counts[2], check_level(level), bounds is not None
    )
    width = 1.0 if bounds is None else bounds[1] - bounds[0]
    return Interval(width * float(estimate), width * float(low), width * float(high),
                    round(float(den_1.sum() + den_2.sum())), check_level(level),
                    "mover-deals" if bounds is not None else "ratio-difference-t", int(counts[2]), n_games)


def difference_arrays(
    sums: dict[str, FloatArray], n_1: FloatArray, n_2: FloatArray, n: FloatArray, level: float, bounded: bool
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Estimate, low, high and standard error of differences of ratios from sums over deals, elementwise over cells.

    ``sums`` holds ``num1 den1 num2 den2`` and their products by deal (``num1_den2`` ...); ``n_1, n_2, n`` count deals
    with ``den1 > 0``, ``den2 > 0`` and either.
    """
    r1, r2 = divide(sums["num1"], sums["den1"]), divide(sums["num2"], sums["den2"])
    d1, d2 = sums["den1"], sums["den2"]

    def residual_products(i: int, j: int, ri: FloatArray, rj: FloatArray) -> FloatArray:
        return (sums[f"num{i}_num{j}"] - rj * sums[f"num{i}_den{j}"] - ri * sums[f"den{i}_num{j}"]
                + ri * rj * sums[f"den{i}_den{j}"])

    v1 = divide(np.maximum(residual_products(1, 1, r1, r1), 0.0), d1 * d1)
    v2 = divide(np.maximum(residual_products(2, 2, r2, r2), 0.0), d2 * d2)
    cov = divide(residual_products(1, 2, r1, r2), d1 * d2)
    se = np.sqrt(np.maximum(v1 + v2 - 2.0 * cov, 0.0) * divide(n, n - 1.0))
    estimate = r1 - r2
    if not bounded:
        reach = t_value(level, n - 1.0) * np.where(se > 0, se, np.nan)
        return estimate, estimate - reach, estimate + reach, se
    z = z_value(level)
    low1, high1 = guarded_arrays(r1, v1, divide(d1 * d1, sums["den1_den1"]), n_1, z)
    low2, high2 = guarded_arrays(r2, v2, divide(d2 * d2, sums["den2_den2"]), n_2, z)
    rho = np.clip(divide(cov, np.sqrt(v1 * v2), empty=0.0), -1.0, 1.0)
    low, high = mover_arrays((r1, low1, high1), (r2, low2, high2), rho, n, z)
    return estimate, low, high, se
