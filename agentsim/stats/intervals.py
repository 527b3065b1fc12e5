"""An estimate with its interval, and the intervals of proportions over independent trials.

Definitions. Of ``n`` independent trials ``x`` succeeded; ``p = x / n``. Wilson's score interval collects the values
that the score test does not reject:

    (p + z^2/2n  -+  z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2/n)

(Wilson 1927; recommended by Brown, Cai and DasGupta 2001). The difference of two independent proportions is closed by
Newcombe's (1998) method 10, which combines the two Wilson intervals by square-and-add.

Games are independent trials only if each is a deal of its own. Seat-swapped games and anything counted several times
per game go through :mod:`agentsim.stats.clustered`.

>>> print(wilson(523, 1000).format_percent())
52.3 % [49.2, 55.4]
>>> difference_of_proportions(56, 70, 48, 80).format_percent(signed=True)
'+20.0 pp [+5.2, +33.4]'
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agentsim.errors import InputError
from agentsim.stats._numeric import FloatArray, check_level, clean, whole_vector, z_value
from agentsim.stats._score import divide, mover_arrays, wilson_arrays

__all__ = ["Interval", "TestResult", "wilson", "wilson_bounds", "difference_of_proportions"]


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate, its confidence bounds and what they rest on.

    Attributes
    ----------
    estimate, low, high : the estimate and its bounds in its own unit; rates are fractions. All NaN without data.
    n : how many units were averaged (trials, deals, turns: as the function that made it says).
    level : confidence level of the interval.
    method : name of the method, as explained in ``docs/statistics.md``.
    n_deals, n_games : the deals and games behind it, where known.
    """

    estimate: float
    low: float
    high: float
    n: int
    level: float
    method: str
    n_deals: int | None = None
    n_games: int | None = None

    @property
    def half_width(self) -> float:
        """Half the distance between the bounds, in the unit of the estimate."""
        return (self.high - self.low) / 2.0

    @property
    def is_empty(self) -> bool:
        """True if there were no data (or too little to bound anything): the bounds are NaN."""
        return math.isnan(self.low) or math.isnan(self.high)

    def contains(self, value: float) -> bool:
        """Whether ``value`` lies within the bounds (ends included); False without data."""
        return self.low <= value <= self.high

    def complement(self) -> Interval:
        """The interval of ``1 - x``: the other player's share."""
        return Interval(1.0 - self.estimate, 1.0 - self.high, 1.0 - self.low, self.n, self.level, self.method,
                        self.n_deals, self.n_games)

    def as_dict(self) -> dict[str, float | int | str | None]:
        """Plain values for JSON (NaN and infinity become None)."""
        return {
            "estimate": clean(self.estimate), "low": clean(self.low), "high": clean(self.high), "n": self.n,
            "n_deals": self.n_deals, "n_games": self.n_games, "level": self.level, "method": self.method,
        }

    def format_percent(self, decimals: int | None = None, *, signed: bool = False) -> str:
        """``52.3 % [51.9, 52.7]``; with ``signed`` a difference in percentage points, ``+1.2 pp [+0.8, +1.6]``.

        ``decimals`` defaults to what the interval supports: down to the first significant digit of its half-width, or
        the second if that is a 1, and at least one.
        """
        if math.isnan(self.estimate):
            return "no data"
        if decimals is None:
            width = 100.0 * self.half_width
            decimals = 1 if not 0.0 < width < math.inf else min(max(math.ceil(-math.log10(width) + 0.3), 1), 6)
        sign, unit = ("+", "pp") if signed else ("", "%")
        parts = [f"{100.0 * value:{sign}.{decimals}f}" for value in (self.estimate, self.low, self.high)]
        return f"{parts[0]} {unit} [{parts[1]}, {parts[2]}]"


@dataclass(frozen=True, slots=True)
class TestResult:
    """The outcome of a significance test.

    Attributes
    ----------
    statistic : the test statistic (NaN if there was nothing to test).
    p_value : two-sided; 1 if there was nothing to test.
    n : number of informative units; n_deals : deals looked at.
    method : name of the test.
    """

    __test__ = False  # not a test case, whatever pytest reads into the name

    statistic: float
    p_value: float
    n: int
    n_deals: int
    method: str

    def as_dict(self) -> dict[str, float | int | str | None]:
        """Plain values for JSON (NaN becomes None)."""
        return {"statistic": clean(self.statistic), "p_value": clean(self.p_value), "n": self.n,
                "n_deals": self.n_deals, "method": self.method}


def _counts(successes: npt.ArrayLike, n: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    x, size = np.broadcast_arrays(np.asarray(successes), np.asarray(n))
    wins = whole_vector(x.ravel(), "successes").astype(np.float64).reshape(x.shape)
    trials = whole_vector(size.ravel(), "n").astype(np.float64).reshape(x.shape)
    if (wins > trials).any():
        worst = int(np.argmax(wins > trials))
        raise InputError(f"{wins.flat[worst]:.0f} successes of {trials.flat[worst]:.0f} trials", key="successes",
                         allowed="0 to n")
    return wins, trials


def wilson_bounds(successes: npt.ArrayLike, n: npt.ArrayLike, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Wilson's lower and upper bounds, elementwise over arrays of any (broadcastable) shapes.

    NaN where ``n`` is 0. Raises InputError for values that are no counts or for more successes than trials.
    """
    wins, trials = _counts(successes, n)
    return wilson_arrays(divide(wins, trials), trials, z_value(level))


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Wilson's interval for ``successes`` of ``n`` independent trials; all NaN if ``n`` is 0.

    Raises InputError for counts that are negative, fractional or contradictory, and for a level outside (0, 1).
    """
    low, high = wilson_bounds(successes, n, level)
    estimate = successes / n if n else math.nan
    return Interval(estimate, float(low), float(high), int(n), check_level(level), "wilson")


def difference_of_proportions(successes_1: int, n_1: int, successes_2: int, n_2: int, level: float = 0.95) -> Interval:
    """``p1 - p2`` of two *independent* samples, with Newcombe's (1998) hybrid score interval (his method 10).

    ``n`` of the result is ``n_1 + n_2``. NaN if either sample is empty. Raises InputError as :func:`wilson`.
    """
    first, second = wilson(successes_1, n_1, level), wilson(successes_2, n_2, level)
    low, high = mover_arrays(_triple(first), _triple(second), 0.0, 1, z_value(level))
    difference = first.estimate - second.estimate
    return Interval(difference, float(low), float(high), first.n + second.n, first.level, "newcombe")


def _triple(interval: Interval) -> tuple[FloatArray, FloatArray, FloatArray]:
    return np.asarray(interval.estimate), np.asarray(interval.low), np.asarray(interval.high)
