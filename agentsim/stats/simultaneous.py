"""Intervals and p-values that hold for a whole family of statements at once.

Definitions. A *family* is the set of cells that a reader may pick from: every pair of a win-rate matrix, every (card,
count) of a table. *Simultaneous* intervals of level 1 - a contain all true values of the family with probability 1 - a.

- Bonferroni: each cell at level ``1 - a / m``; valid whatever the dependence.
- Sidak (1967): each at ``(1 - a)^(1/m)``; valid for two-sided intervals of jointly normal estimates with *any*
  correlation, and exact for independent ones. The default.
- max-t: the critical value is the ``1 - a`` quantile of the largest of the family's t statistics, by the Gaussian
  multiplier bootstrap over deals (Chernozhukov, Chetverikov and Kato 2013; Dudoit and van der Laan 2008). The shorter
  the more correlated the cells; needs the per-deal scores of all cells on the same deals.
- Holm (1979): p-values adjusted step-down.

With Gaussian multipliers the bootstrap statistic given the data is *exactly* the maximum of a normal vector with the
correlations of the scores, so it is drawn from those correlations (k x k) and not from the deals.

>>> round(critical_value(1), 3), round(critical_value(91), 3)
(1.96, 3.449)
>>> [round(float(p), 3) for p in holm([0.01, 0.04, 0.03])]
[0.03, 0.06, 0.06]
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from agentsim.errors import InputError, nearest
from agentsim.stats._numeric import FloatArray, check_level, level_of_z, real_vector, t_value, z_value
from agentsim.stats._score import guarded_arrays

__all__ = [
    "Method", "METHODS", "check_method", "adjusted_level", "critical_value", "simultaneous_intervals", "holm",
    "max_t_critical_value", "max_t_intervals",
]

Method: TypeAlias = Literal["sidak", "bonferroni", "pointwise"]
#: Methods that need nothing but the size of the family; ``pointwise`` makes no adjustment (and tables say so).
METHODS: tuple[Method, ...] = ("sidak", "bonferroni", "pointwise")


def check_method(method: str, key: str = "method") -> Method:
    """``method`` if it is one of :data:`METHODS`; InputError otherwise."""
    for known in METHODS:
        if method == known:
            return known
    raise InputError(f"unknown method '{method}'", key=key, allowed=", ".join(METHODS),
                     nearest=nearest(method, METHODS))


def adjusted_level(family_size: int, level: float = 0.95, method: str = "sidak") -> float:
    """The level at which each of ``family_size`` intervals must be made so that all hold with probability ``level``.

    A family of 0 (an empty table) counts as 1.
    """
    size, family_level = _family(family_size), check_level(level)
    known = check_method(method)
    if known == "pointwise":
        return family_level
    if known == "bonferroni":
        return 1.0 - (1.0 - family_level) / size
    # expm1 and log1p keep the digits of a tiny error rate when the family is large.
    return 1.0 + math.expm1(math.log(family_level) / size)


def critical_value(family_size: int, level: float = 0.95, method: str = "sidak") -> float:
    """How many standard errors each side of an estimate for simultaneous normal intervals: 1.96 for a family of one."""
    return z_value(adjusted_level(family_size, level, method))


def _family(family_size: int) -> int:
    if family_size != int(family_size) or family_size < 0:
        raise InputError(f"must be a whole number from 0, got {family_size}", key="family_size")
    return max(1, int(family_size))


def simultaneous_intervals(
    table: pd.DataFrame,
    *,
    family: str,
    family_size: int | None = None,
    level: float = 0.95,
    method: str = "sidak",
    critical: float | None = None,
    bounds: tuple[float, float] | None = None,
) -> pd.DataFrame:
    """A table of estimates with intervals that hold together.

    Parameters
    ----------
    table : columns ``estimate``, ``se`` (standard error) and ``n`` (deals); others are kept.
    family : in words, over what the intervals hold together ("all 91 pairs of policies"); goes into the result.
    family_size : number of cells in the family; default the rows that have an estimate. At least that many.
    level, method : family-wise level; ``sidak``, ``bonferroni`` or ``pointwise``.
    critical : a critical value found elsewhere (:func:`max_t_critical_value`); replaces ``method``, named ``max-t``.
    bounds : the least and largest possible value. Then the guarded score interval is used, which is never of width 0
        and stays within the bounds; without it ``estimate -+ t se`` with n - 1 degrees of freedom, NaN where the
        standard error is 0 or n is 1 (no spread was seen, so nothing says how far off the estimate is).

    Returns the table with ``low``, ``high``, ``level``, ``method``, ``family``, ``family_size`` added. Raises
    InputError for missing columns, estimates outside ``bounds``, negative standard errors, a family that is too small.
    """
    missing = [name for name in ("estimate", "se", "n") if name not in table.columns]
    if missing:
        raise InputError(f"column '{missing[0]}' is missing", key="table", allowed="columns estimate, se, n")
    estimate, se, n = (table[name].to_numpy(dtype=np.float64) for name in ("estimate", "se", "n"))
    present = np.isfinite(estimate)
    if (se[present] < 0).any():
        raise InputError("holds a negative standard error", key="se")
    cells = int(present.sum())
    size = cells if family_size is None else family_size
    if size < cells:
        raise InputError(f"{size} is smaller than the table, which has {cells} estimates", key="family_size")
    if critical is None:
        cell_level, name = adjusted_level(size, level, method), check_method(method) + ""
    else:
        cell_level, name = level_of_z(critical), "max-t"
    if bounds is None:
        reach = t_value(cell_level, n - 1.0) * np.where(se > 0, se, np.nan)
        low, high = estimate - reach, estimate + reach
    else:
        low, high = bounded_bounds(estimate, se * se, n, bounds, z_value(cell_level))
    known = present & np.isfinite(low)
    return table.assign(low=np.where(known, low, np.nan), high=np.where(known, high, np.nan), level=check_level(level),
                        method=name, family=family, family_size=_family(size))


def bounded_bounds(
    estimate: FloatArray, variance: FloatArray, n: FloatArray, bounds: tuple[float, float], z: float
) -> tuple[FloatArray, FloatArray]:
    """Guarded bounds of means of ``n`` deals within ``bounds``; ``variance`` is that of the estimates."""
    least, largest = check_bounds(bounds)
    width = largest - least
    unit = (estimate - least) / width
    if (unit < -1e-9).any() or (unit > 1.0 + 1e-9).any():
        raise InputError("holds an estimate outside the stated bounds", key="estimate",
                         allowed=f"{least:g} to {largest:g}")
    low, high = guarded_arrays(np.clip(unit, 0.0, 1.0), variance / (width * width), n, n, z)
    return least + width * low, least + width * high


def check_bounds(bounds: tuple[float, float]) -> tuple[float, float]:
    """``bounds`` as two floats in order; InputError otherwise."""
    least, largest = float(bounds[0]), float(bounds[1])
    if not (math.isfinite(least) and math.isfinite(largest) and least < largest):
        raise InputError(f"({least:g}, {largest:g}) is no range", key="bounds", allowed="(least, largest), finite")
    return least, largest


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Holm's step-down adjusted p-values, in the order given: rejecting those up to a keeps any false alarm below a."""
    p = real_vector(p_values, "p_values")
    if (p < 0).any() or (p > 1).any():
        raise InputError("holds a value that is no probability", key="p_values", allowed="0 to 1")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def _scores_matrix(scores: npt.ArrayLike) -> npt.NDArray[np.generic]:
    array: npt.NDArray[np.generic] = np.asarray(scores)
    if array.ndim != 2 or array.shape[1] == 0:
        raise InputError(f"must be a table of deals by cells, got shape {array.shape}", key="scores")
    if array.dtype.kind not in "biuf":
        raise InputError("must hold numbers only", key="scores")
    return array


def _moments(array: npt.NDArray[np.generic]) -> tuple[FloatArray, FloatArray]:
    """Means and the population covariance matrix, in slices of deals so that small integer types stay small."""
    n, k = array.shape
    if n == 0:
        return np.full(k, np.nan), np.zeros((k, k))
    step = max(1, 4_000_000 // k)
    mean = np.zeros(k)
    for start in range(0, n, step):
        mean += array[start:start + step].astype(np.float64).sum(axis=0)
    mean /= n
    if not np.isfinite(mean).all():
        raise InputError("holds a missing or infinite value", key="scores", allowed="finite numbers")
    products = np.zeros((k, k))
    for start in range(0, n, step):
        centred = array[start:start + step].astype(np.float64) - mean
        products += centred.T @ centred
    return mean, products / n


def _max_t(covariance: FloatArray, level: float, replicates: int, seed: int) -> float:
    variance = np.diag(covariance)
    # Cells that never varied have no t statistic; rounding may leave a trace of variance.
    live = variance > 1e-12 * max(1.0, float(variance.max(initial=0.0)))
    k = len(variance)
    upper = critical_value(k, level)
    if not live.any():
        return upper
    sd = np.sqrt(variance[live])
    correlation = covariance[np.ix_(live, live)] / np.outer(sd, sd)
    # Symmetric square root: also for singular correlations (a cell given twice, shares that add up to 1).
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    rng = np.random.default_rng(seed)
    largest = np.empty(replicates)
    step = max(1, 2_000_000 // len(sd))
    for start in range(0, replicates, step):
        stop = min(replicates, start + step)
        draws = rng.standard_normal((stop - start, len(sd))) @ root.T
        largest[start:stop] = np.abs(draws).max(axis=1)
    # Sidak's value is an upper bound and the pointwise one a lower: simulation noise must not cross them.
    return min(max(float(np.quantile(largest, level)), z_value(level)), upper)


def _check_replicates(replicates: int) -> int:
    if replicates != int(replicates) or replicates < 100:
        raise InputError(f"must be at least 100, got {replicates}", key="replicates")
    return int(replicates)


def max_t_critical_value(
    scores: npt.ArrayLike, *, level: float = 0.95, replicates: int = 20_000, seed: int = 0
) -> float:
    """The max-t critical value of a family of means over the same deals.

    Parameters
    ----------
    scores : numbers of shape (deals, cells), row i from deal i in every cell.
    level : family-wise level.
    replicates, seed : draws of the multiplier bootstrap, and their seed.

    At most Sidak's value for as many cells, at least the pointwise one. Raises InputError for anything that is not
    such a table of finite numbers.
    """
    _, covariance = _moments(_scores_matrix(scores))
    return _max_t(covariance, check_level(level), _check_replicates(replicates), seed)


def max_t_intervals(
    scores: npt.ArrayLike,
    *,
    family: str,
    names: list[str] | None = None,
    bounds: tuple[float, float] | None = (0.0, 1.0),
    level: float = 0.95,
    replicates: int = 20_000,
    seed: int = 0,
) -> pd.DataFrame:
    """Simultaneous max-t intervals of the means of per-deal scores, one row per cell.

    Parameters as :func:`max_t_critical_value` and :func:`simultaneous_intervals`; ``names`` labels the cells (column
    ``cell``, default their numbers). The intervals rest on normal approximation over deals: meant for 200 deals and
    more.
    """
    array = _scores_matrix(scores)
    n, k = array.shape
    if names is not None and len(names) != k:
        raise InputError(f"{len(names)} names for {k} cells", key="names")
    mean, covariance = _moments(array)
    critical = _max_t(covariance, check_level(level), _check_replicates(replicates), seed)
    # The guarded interval wants the variance from residuals over n, the t interval the one over n - 1.
    divisor = n if bounds is not None else n - 1
    se = np.sqrt(np.diag(covariance) / divisor) if divisor > 0 else np.zeros(k)
    table = pd.DataFrame({"cell": list(range(k)) if names is None else names, "estimate": mean, "se": se, "n": n})
    return simultaneous_intervals(table, family=family, level=level, critical=critical, bounds=bounds)
