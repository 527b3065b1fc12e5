"""Whether stated chances come true: reliability by bins of belief, and one test of all bins together.

A belief p about something that turns out to be x (0 or 1) is *calibrated* if among the beliefs of any size p a share p
comes true. For each bin the *gap* is the mean of x - p; calibration says that all gaps are 0. Beliefs of one deal hang
together (those of one player even add up to a known number), so the deal is the unit throughout: the gap's interval
comes from its variance between deals, and the test is Hotelling's T^2 on the deals' sums of x - p by bin,

    T^2 = n m' S^-1 m,        T^2 (n - k) / (k (n - 1))  ~  F(k, n - k),

with m the mean and S the covariance of these sums over n deals, k bins. One bin is left out, because all gaps of a
player add up to nothing. The p-value is exact for normal sums and good for thousands of deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import f as f_distribution

from agentsim.errors import InputError
from agentsim.stats import ratio_table

__all__ = ["BINS", "Calibration", "calibration"]

BINS = 10
_LEAST = 15.0
"""Deals times the variance p (1 - p) that a bin needs in the test, so that its sums are near normal; smaller ones are
joined with their neighbour. Beliefs close to 0 and 1 take many deals."""
_DEALS = 30


@dataclass(frozen=True)
class Calibration:
    """What was found: ``bins`` (one row each), and the test over all of them; NaN where there are too few deals."""

    bins: pd.DataFrame
    statistic: float
    df: tuple[int, int]
    p_value: float
    n_beliefs: int
    n_deals: int


def calibration(deal: NDArray[Any], believed: NDArray[Any], came_true: NDArray[Any], *, family_size: int | None = None
                ) -> Calibration:
    """Compare beliefs with what came true.

    Parameters
    ----------
    deal, believed, came_true : one entry per belief: its deal, a chance from 0 to 1, and whether it came true.
    family_size : how many bins the intervals hold together over; by default those of this call.

    ``bins`` has the columns ``bin, believed, estimate, low, high, gap, gap_low, gap_high, n_beliefs, n_deals,
    family_size``: the mean belief in the bin, the share that came true, and their difference with intervals that hold
    together (Sidak). Raises InputError for chances outside 0 to 1 or arrays of different length.
    """
    p, x = np.asarray(believed, dtype=np.float64), np.asarray(came_true, dtype=np.float64)
    if not len(p) == len(x) == len(deal):
        raise InputError("deal, believed and came_true need one entry per belief each", key="believed")
    if len(p) == 0 or not ((p >= 0) & (p <= 1)).all():
        raise InputError("beliefs are chances", key="believed", allowed="0 to 1, at least one")
    at = np.unique(deal, return_inverse=True)[1]
    n = int(at.max()) + 1
    place = np.minimum((p * BINS).astype(np.int64), BINS - 1)
    cell = at * BINS + place

    def sums(values: NDArray[Any] | None) -> NDArray[np.float64]:
        found: NDArray[np.float64] = np.bincount(cell, weights=values, minlength=n * BINS).reshape(n, BINS).astype(
            np.float64)
        return found

    gaps, counts = sums(x - p), sums(None)
    used = np.flatnonzero(counts.sum(axis=0))
    den = counts[:, used]
    table = ratio_table(pd.DataFrame({
        "n_deals": np.count_nonzero(den, axis=0).astype(float), "num": gaps[:, used].sum(axis=0),
        "den": den.sum(axis=0), "num_num": (gaps[:, used] ** 2).sum(axis=0),
        "num_den": (gaps[:, used] * den).sum(axis=0),
        "den_den": (den * den).sum(axis=0)}), bounds=(-1.0, 1.0), family_size=family_size)
    mean = sums(p).sum(axis=0)[used] / den.sum(axis=0)
    found = pd.DataFrame({
        "bin": used, "believed": mean, "gap": table["estimate"], "gap_low": table["low"], "gap_high": table["high"],
        "n_beliefs": den.sum(axis=0).astype(np.int64), "n_deals": np.count_nonzero(den, axis=0),
        "family_size": table["family_size"]})
    for name, gap in (("estimate", "gap"), ("low", "gap_low"), ("high", "gap_high")):
        found[name] = (found["believed"] + found[gap]).clip(0.0, 1.0)
    variance = sums(p * (1 - p)).sum(axis=0) / np.maximum(counts.sum(axis=0), 1)
    statistic, df, p_value = _test(gaps, np.count_nonzero(counts, axis=0) * variance)
    return Calibration(found, statistic, df, p_value, len(p), n)


def _test(gaps: NDArray[np.float64], weight: NDArray[np.float64]) -> tuple[float, tuple[int, int], float]:
    """Hotelling's test that all mean gaps are 0: statistic F, degrees of freedom, p."""
    n = len(gaps)
    joined = _joined(gaps, weight)
    # All gaps of a deal add up to nothing, so one bin says no more; the fullest is left out.
    if joined.shape[1] > 1:
        joined = np.delete(joined, int(np.abs(joined).sum(axis=0).argmax()), axis=1)
    k = joined.shape[1]
    if n <= max(k + 1, _DEALS):
        return float("nan"), (k, max(n - k, 0)), float("nan")
    mean = joined.mean(axis=0)
    covariance = np.atleast_2d(np.cov(joined, rowvar=False))
    t2 = n * float(mean @ np.linalg.pinv(covariance, rcond=1e-9) @ mean)
    statistic = t2 * (n - k) / (k * (n - 1))
    return statistic, (k, n - k), float(f_distribution.sf(statistic, k, n - k))


def _joined(gaps: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Neighbouring bins put together until each has enough weight."""
    columns: list[NDArray[np.float64]] = []
    have, total = np.zeros(len(gaps)), 0.0
    for at in range(gaps.shape[1]):
        have, total = have + gaps[:, at], total + float(weight[at])
        if total >= _LEAST:
            columns.append(have)
            have, total = np.zeros(len(gaps)), 0.0
    if columns:
        columns[-1] = columns[-1] + have
    else:
        columns.append(have)
    return np.stack(columns, axis=1)
