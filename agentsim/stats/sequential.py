"""Stopping early without fooling oneself: a confidence sequence that stays valid under peeking.

Definitions. Deal scores ``X_1, X_2, ...`` in [0, 1], in deal order, have conditional mean ``mu`` (independent deals
do). A *confidence sequence* is a sequence of intervals that contain ``mu`` *all at once* with probability 1 - a: one
may look as often as one likes and stop whenever the interval pleases.

With centres ``c_i`` that depend only on earlier deals, ``S = sum (X_i - mu)`` and ``V = sum (X_i - c_i)^2``,
``exp(l S - (-log(1 - l) - l) V)`` is a supermartingale for each ``0 <= l < 1`` (Fan, Grama and Liu 2015; Howard,
Ramdas, McAuliffe and Sekhon 2021, theorem 4). Mixing over ``1 - l`` with a Gamma(r, r) density cut off at 1 gives
(ibid., the gamma-exponential mixture)

    log m(s, v) = r log r - log Gamma(r) - log P(r, r)
                  + log Gamma(v + r) + log P(v + r, s + v + r) - (v + r) log(s + v + r) + s + v

with the regularised lower incomplete gamma function P. By Ville's inequality ``m`` exceeds ``2/a`` at some time with
probability at most ``a/2``; both sides together give ``mean -+ u(V) / n`` with ``m(u(V), V) = 2/a``. It is exact for
every n, needs no guess of the variance, and adapts to it. Any choice of ``r`` is valid; it is tuned to be tightest at
an expected number of deals. The price of peeking: the half-width is 1.6 times that of a fixed-n interval there, and at
most 2 times from a tenth of that number to a thousand times it.

Here a whole batch of deals shares the centre (the mean of all batches before it), so a batch enters as a histogram.

Decision with an indifference margin ``d`` around a null value (1/2): *equivalent* once the interval lies within
null -+ d; else *better* once it lies above the null, *worse* once below; else *undecided*. It ends at the latest when
the interval is narrower than ``d``, and the decision is wrong with probability at most a, whenever one stops.

>>> test = SequentialTest(margin=0.02, expected_deals=2_000)
>>> [test.add([100, 50, 200, 50, 150], first_deal=550 * i) for i in range(4)]
['undecided', 'better', 'better', 'better']
>>> test.decided_at, test.interval.format_percent()
(1100, '54.5 % [52.1, 57.0]')
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from agentsim.errors import InputError
from agentsim.stats._numeric import FloatArray, check_level, real_vector, whole_vector
from agentsim.stats.clustered import histogram_moments
from agentsim.stats.intervals import Interval

__all__ = ["Decision", "SequentialTest", "confidence_sequence", "boundary", "tuning"]

Decision: TypeAlias = Literal["better", "worse", "equivalent", "undecided"]

#: Standard deviation of the mean of two independent even games, for tuning only.
_TYPICAL_SD = 0.35


def tuning(expected_deals: float, alpha: float, sd: float = _TYPICAL_SD) -> float:
    """The parameter ``r`` that makes a one-sided boundary of error ``alpha`` tightest near ``expected_deals``.

    From the normal mixture, to which the gamma mixture tends (Howard et al. 2021, section 3.5):
    ``r = v / (2 log(1/alpha) + log(1 + 2 log(1/alpha)))`` at ``v = expected_deals * sd^2``.
    """
    if not 1.0 <= expected_deals < math.inf:
        raise InputError(f"must be at least 1, got {expected_deals}", key="expected_deals")
    if not 0.0 < sd <= 0.5:
        raise InputError(f"must be the standard deviation of a score, got {sd}", key="sd", allowed="above 0 to 0.5")
    log = 2.0 * math.log(1.0 / alpha)
    return max(expected_deals * sd * sd / (log + math.log1p(log)), 1e-3)


def _log_mixture(s: FloatArray, v: FloatArray, r: float) -> FloatArray:
    total = s + v + r
    value: FloatArray = (
        r * math.log(r) - special.gammaln(r) - np.log(special.gammainc(r, r)) + special.gammaln(v + r)
        + np.log(special.gammainc(v + r, total)) - (v + r) * np.log(total) + s + v
    )
    return value


def boundary(v: npt.ArrayLike, alpha: float, r: float) -> FloatArray:
    """``u(v)`` with ``m(u, v) = 1 / alpha``: what ``S`` exceeds at some time with probability at most ``alpha``.

    Elementwise over ``v >= 0``; by bisection to a relative 1e-9, rounded outwards.
    """
    variance = np.atleast_1d(np.asarray(v, dtype=np.float64))
    target = math.log(1.0 / alpha)
    # The mixture is convex and increasing in s and below 1 at s = 0, so doubling finds the far side.
    high = np.sqrt(2.0 * (variance + r) * target) + target + 1.0
    for _ in range(200):
        short = _log_mixture(high, variance, r) < target
        if not short.any():
            break
        high = np.where(short, 2.0 * high, high)
    low = np.zeros_like(high)
    while ((high - low) > 1e-9 * high).any():
        middle = 0.5 * (low + high)
        below = _log_mixture(middle, variance, r) < target
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high.reshape(np.shape(v))


class SequentialTest:
    """A matchup watched while it is played, batch by batch in deal order.

    Parameters
    ----------
    margin : the indifference margin ``d`` (a fraction: 0.01 is one point).
    null : the value to compare with.
    level : 1 - a, for all looks together.
    expected_deals : where the sequence is to be tightest; valid whatever it is.

    Raises InputError for a margin or null that leaves nothing to decide.
    """

    def __init__(
        self, *, margin: float, null: float = 0.5, level: float = 0.95, expected_deals: float = 100_000
    ) -> None:
        if not 0.0 < null < 1.0:
            raise InputError(f"must lie between 0 and 1, got {null}", key="null")
        if not 0.0 < margin < 1.0:
            raise InputError(f"must be a positive fraction, got {margin}", key="margin", allowed="such as 0.01")
        self.margin, self.null, self.level = float(margin), float(null), check_level(level)
        self._alpha = (1.0 - self.level) / 2.0
        self._r = tuning(expected_deals, self._alpha)
        self._n, self._games = 0, 0
        self._sum, self._variance = 0.0, 0.0
        self._decision: Decision = "undecided"
        self._decided_at: int | None = None

    @property
    def n_deals(self) -> int:
        """Deals seen so far."""
        return self._n

    @property
    def decision(self) -> Decision:
        """The first decision reached; it stays."""
        return self._decision

    @property
    def decided_at(self) -> int | None:
        """Deals seen when the decision fell; None while undecided."""
        return self._decided_at

    @property
    def interval(self) -> Interval:
        """The confidence sequence now; the whole of [0, 1] with a NaN estimate before the first deal."""
        if self._n == 0:
            return Interval(math.nan, 0.0, 1.0, 0, self.level, "confidence-sequence", 0, 0)
        reach = float(boundary(self._variance, self._alpha, self._r)) / self._n
        mean = self._sum / self._n
        return Interval(mean, max(mean - reach, 0.0), min(mean + reach, 1.0), self._n, self.level,
                        "confidence-sequence", self._n, self._games)

    def add(self, histogram: npt.ArrayLike, *, first_deal: int | None = None) -> Decision:
        """Add the next batch and return the decision.

        Parameters
        ----------
        histogram : counts of its deals by half-points, as for :func:`~agentsim.stats.clustered.mean_of_deals`.
        first_deal : number of the batch's first deal; if given it must continue where the last batch ended, since
            results taken as they arrive (quick games first) are no fair sample.

        What is a batch must not depend on results. Raises InputError for a gap and for counts that are no histogram.
        """
        if first_deal is not None and first_deal != self._n:
            raise InputError(f"the batch starts at deal {first_deal}, the next is {self._n}", key="first_deal",
                             allowed="batches in deal order without gaps")
        n, games, mean, variance = histogram_moments(histogram)
        if n == 0:
            return self._decision
        centre = self._sum / self._n if self._n else self.null
        self._variance += n * (variance + (mean - centre) ** 2)
        self._n += n
        self._sum += n * mean
        self._games += n * games
        if self._decision == "undecided":
            self._decision = self._decide(self.interval)
            if self._decision != "undecided":
                self._decided_at = self._n
        return self._decision

    def _decide(self, interval: Interval) -> Decision:
        if interval.low >= self.null - self.margin and interval.high <= self.null + self.margin:
            return "equivalent"
        if interval.low > self.null:
            return "better"
        return "worse" if interval.high < self.null else "undecided"


def confidence_sequence(
    scores: npt.ArrayLike, looks: Sequence[int] | npt.ArrayLike, *, level: float = 0.95, expected_deals: float = 100_000
) -> pd.DataFrame:
    """The confidence sequence of per-deal scores at given looks.

    Parameters
    ----------
    scores : deal scores in [0, 1], in deal order.
    looks : ascending numbers of deals at which to look; chosen beforehand.

    Columns ``n_deals, estimate, low, high``. Raises InputError for scores outside [0, 1] and looks beyond the deals.
    """
    x = real_vector(scores, "scores")
    if ((x < 0) | (x > 1)).any():
        raise InputError("holds a value that is no score", key="scores", allowed="0 to 1")
    ends = whole_vector(np.asarray(looks), "looks")
    if len(ends) == 0 or ends[0] < 1 or (np.diff(ends) <= 0).any() or ends[-1] > len(x):
        raise InputError("must ascend from 1 to the number of deals", key="looks", allowed=f"1 to {len(x)}")
    alpha = (1.0 - check_level(level)) / 2.0
    total = np.concatenate([[0.0], np.cumsum(x)])
    squares = np.concatenate([[0.0], np.cumsum(x * x)])
    starts = np.concatenate([[0], ends[:-1]])
    centre = np.where(starts > 0, total[starts] / np.maximum(starts, 1), 0.5)
    size = ends - starts
    spread = (squares[ends] - squares[starts]) - 2.0 * centre * (total[ends] - total[starts]) + size * centre * centre
    mean = total[ends] / ends
    reach = boundary(np.cumsum(np.maximum(spread, 0.0)), alpha, tuning(expected_deals, alpha)) / ends
    return pd.DataFrame({"n_deals": ends, "estimate": mean, "low": np.maximum(mean - reach, 0.0),
                         "high": np.minimum(mean + reach, 1.0)})
