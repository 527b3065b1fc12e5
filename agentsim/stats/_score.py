"""The interval arithmetic behind every bounded mean, ratio and difference, in arrays.

Definitions. A quantity in [0, 1] is estimated by ``p`` from ``n`` deals. Were all units of a deal copies of each other,
its variance would be ``p (1 - p) / kish`` with Kish's ``kish = (sum d)^2 / sum d^2`` over the deals' sizes ``d`` (equal
sizes: the number of deals). The *share* ``c`` is the estimated variance as a fraction of that bound: 1 for one game a
deal, 1/2 for two independent games, less where seat-swapped games of a deal offset each other.

The effective number of deals ``kish / c`` goes into Wilson's score interval, as recommended for proportions from
clustered samples (Korn and Graubard 1998 for the idea of the effective sample size; Dean and Pagano 2015 and Franco,
Little, Louis and Slud 2019 for its use with Wilson's interval). ``c`` is itself an estimate with n - 1 degrees of
freedom, so it is first multiplied by Korn and Graubard's ``(t / z)^2`` for the quantiles of Student's t and the normal
distribution, up to its natural limit 1. And it can be 0 by chance when all deals seen were alike, so it is then shrunk
towards 1 by the weight of ``z^2`` deals, the same number of pseudo-observations by which Wilson's interval shrinks its
centre:

    c* = ((n - 1) min(c (t / z)^2, max(c, 1)) + z^2) / (n - 1 + z^2)

It follows that one game a deal gives exactly Wilson's interval, that the width is never zero, that one single deal is
treated as one observation, and that with many deals the interval is the usual normal one.

A difference of two such quantities on the same deals is closed by MOVER (Zou and Donner 2008; with independent samples
it is Newcombe's 1998 method 10): the distances from the estimates to their own bounds take the place of the standard
errors, and the correlation between both is shrunk towards 0 by the same ``z^2`` deals.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from agentsim.stats._numeric import FloatArray

__all__ = ["wilson_arrays", "guarded_arrays", "mover_arrays", "divide"]


def divide(numerator: npt.ArrayLike, denominator: npt.ArrayLike, empty: float = np.nan) -> FloatArray:
    """Elementwise quotient with ``empty`` where the denominator is 0, without a warning."""
    top, bottom = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    result: FloatArray = np.divide(top, bottom, out=np.full(top.shape, empty), where=bottom != 0)
    return result


def wilson_arrays(p: npt.ArrayLike, n: npt.ArrayLike, z: float) -> tuple[FloatArray, FloatArray]:
    """Wilson's bounds for estimates ``p`` from ``n`` (real, effective) observations; NaN where ``n`` is 0."""
    share, size = np.asarray(p, np.float64), np.asarray(n, np.float64)
    spread = z * np.sqrt(np.maximum(divide(share * (1.0 - share), size), 0.0) + divide(z * z / 4.0, size * size))
    scale = 1.0 + divide(z * z, size)
    centre = share + divide(z * z / 2.0, size)
    # Rounding must not push a bound past the estimate (at 0 and 1 they coincide).
    low = np.clip(np.minimum((centre - spread) / scale, share), 0.0, 1.0)
    high = np.clip(np.maximum((centre + spread) / scale, share), 0.0, 1.0)
    # The end that coincides with the estimate is exact; elsewhere rounding would leave 1e-18.
    return np.where(share <= 0.0, 0.0, low), np.where(share >= 1.0, 1.0, high)


def guarded_arrays(
    p: npt.ArrayLike, variance: npt.ArrayLike, kish: npt.ArrayLike, n: npt.ArrayLike, z: float
) -> tuple[FloatArray, FloatArray]:
    """Bounds for bounded quantities: Wilson with the shrunk effective number of deals (see the module's text).

    Parameters
    ----------
    p : estimates in [0, 1].
    variance : estimated variances *of the estimates*, from residuals divided by n (not n - 1: with one game a deal the
        share is then exactly 1).
    kish : numbers of deals after Kish's correction for unequal sizes.
    n : numbers of deals.
    z : critical value.
    """
    share = np.asarray(p, np.float64)
    deals = np.asarray(n, np.float64)
    ceiling = divide(share * (1.0 - share), kish)
    c = divide(variance, ceiling, empty=1.0)
    # One deal has no degree of freedom, and no weight either in the next line but one.
    t = -special.stdtrit(np.maximum(deals - 1.0, 1.0), special.ndtr(-z))
    c = np.minimum(c * (t / z) ** 2, np.maximum(c, 1.0))
    c = ((deals - 1.0) * c + z * z) / (np.maximum(deals, 1.0) - 1.0 + z * z)
    return wilson_arrays(share, divide(kish, c), z)


def mover_arrays(
    first: tuple[FloatArray, FloatArray, FloatArray],
    second: tuple[FloatArray, FloatArray, FloatArray],
    correlation: npt.ArrayLike,
    n: npt.ArrayLike,
    z: float,
) -> tuple[FloatArray, FloatArray]:
    """Bounds of ``first - second``, both given as (estimate, low, high); see the module's text.

    ``correlation`` is that of the two estimates over ``n`` common deals, 0 for independent samples.
    """
    p1, l1, u1 = first
    p2, l2, u2 = second
    deals = np.maximum(np.asarray(n, np.float64), 1.0)
    rho = np.asarray(correlation, np.float64) * (deals - 1.0) / (deals - 1.0 + z * z)
    difference = p1 - p2
    down = (p1 - l1) ** 2 - 2.0 * rho * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2
    up = (u1 - p1) ** 2 - 2.0 * rho * (u1 - p1) * (p2 - l2) + (p2 - l2) ** 2
    low = difference - np.sqrt(np.maximum(down, 0.0))
    high = difference + np.sqrt(np.maximum(up, 0.0))
    return np.maximum(low, -1.0), np.minimum(high, 1.0)
