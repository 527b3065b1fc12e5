"""The bootstrap over deals: a second way to an interval, for cross-checks and for statistics without a formula.

Definitions. A statistic is a function of sums over deals (wins, games, takes ...). Each replicate draws deals with
replacement (multinomial weights, Efron 1979) or gives each deal an independent Poisson(1) weight, and the bounds are
the percentiles of the statistic. Deals with equal rows are drawn together, which changes no distribution (multinomial
counts add up, and so do Poisson ones) and makes millions of deals with few distinct rows as fast as hundreds.

>>> import numpy as np
>>> wins, games = np.repeat([0, 1, 2], [200, 500, 300]), np.full(1000, 2)
>>> interval = bootstrap_deals({"wins": wins, "games": games}, lambda s: s["wins"] / s["games"], seed=1)
>>> interval.format_percent()
'55.0 % [52.8, 57.1]'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from agentsim.errors import InputError
from agentsim.stats._numeric import FloatArray, check_level, real_vector
from agentsim.stats.intervals import Interval

__all__ = ["bootstrap_deals"]


def bootstrap_deals(
    columns: Mapping[str, npt.ArrayLike],
    statistic: Callable[[Mapping[str, FloatArray]], npt.ArrayLike],
    *,
    replicates: int = 2000,
    seed: int = 0,
    scheme: Literal["multinomial", "poisson"] = "multinomial",
    level: float = 0.95,
) -> Interval:
    """Percentile bootstrap over deals of a function of sums.

    Parameters
    ----------
    columns : named arrays with one value per deal, all of one length.
    statistic : called with the named *sums*, arrays of shape (replicates,) of the resampled totals, and returning one
        value each (elementwise arithmetic does that); also called with arrays of shape (1,) for the estimate.
    replicates, seed : resamples, at least 100, and their seed.
    scheme : ``multinomial`` (the sum of weights is the number of deals) or ``poisson``.

    Replicates in which the statistic is not finite (nothing drawn to divide by) are left out; if they are more than one
    in twenty the bounds are NaN, as they are without deals. It needs some hundred deals, and cannot see what never
    occurred: if all deals are equal the width is 0. Raises InputError for columns of different lengths.
    """
    check_level(level)
    if replicates != int(replicates) or replicates < 100:
        raise InputError(f"must be at least 100, got {replicates}", key="replicates")
    if scheme not in ("multinomial", "poisson"):
        raise InputError(f"unknown scheme '{scheme}'", key="scheme", allowed="multinomial, poisson")
    if not columns:
        raise InputError("names no column", key="columns")
    arrays = {name: real_vector(values, name) for name, values in columns.items()}
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) != 1:
        raise InputError(f"have different lengths ({', '.join(map(str, sorted(lengths)))})", key="columns")
    n = lengths.pop()
    method = f"bootstrap-{scheme}"
    if n == 0:
        return Interval(math.nan, math.nan, math.nan, 0, level, method, 0)
    rows, counts = np.unique(np.column_stack(list(arrays.values())), axis=0, return_counts=True)
    sums = _resampled_sums(rows, counts, int(replicates), seed, scheme)

    def evaluate(totals: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            named = {name: totals[:, i] for i, name in enumerate(arrays)}
            return np.asarray(statistic(named), dtype=np.float64)

    values = evaluate(sums)
    if values.shape != (int(replicates),):
        raise InputError(f"returned shape {values.shape} for {replicates} replicates", key="statistic")
    estimate = float(evaluate((counts @ rows)[np.newaxis, :])[0])
    finite = values[np.isfinite(values)]
    if len(finite) < 0.95 * replicates:
        return Interval(estimate, math.nan, math.nan, n, level, method, n)
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(finite, [tail, 1.0 - tail])
    return Interval(estimate, float(low), float(high), n, level, method, n)


def _resampled_sums(
    rows: FloatArray, counts: npt.NDArray[np.int64], replicates: int, seed: int, scheme: str
) -> FloatArray:
    """Sums of the columns over resampled deals, shape (replicates, columns), from distinct rows and their counts."""
    rng = np.random.default_rng(seed)
    n = int(counts.sum())
    sums = np.empty((replicates, rows.shape[1]))
    step = max(1, 4_000_000 // len(rows))
    for start in range(0, replicates, step):
        stop = min(replicates, start + step)
        if scheme == "multinomial":
            weights = rng.multinomial(n, counts / n, size=stop - start)
        else:
            weights = rng.poisson(counts, size=(stop - start, len(rows)))
        sums[start:stop] = weights @ rows
    return sums
