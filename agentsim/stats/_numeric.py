"""Quantiles and checks of arguments that every module of :mod:`agentsim.stats` shares.

Only :mod:`scipy.special` is used: importing :mod:`scipy.stats` would cost every command half a second.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from agentsim.errors import InputError

__all__ = [
    "FloatArray", "check_level", "z_value", "t_value", "two_sided_p", "level_of_z", "real_vector", "whole_vector",
    "deal_index", "sign_test_p",
]

FloatArray: TypeAlias = npt.NDArray[np.float64]


def check_level(level: float, key: str = "level") -> float:
    """``level`` as a float strictly between 0 and 1; InputError otherwise."""
    value = float(level)
    if not 0.0 < value < 1.0:
        raise InputError(f"must be a confidence level, got {level}", key=key, allowed="between 0 and 1, such as 0.95")
    return value


def z_value(level: float) -> float:
    """The two-sided critical value of the standard normal distribution: 1.96 for ``level`` 0.95."""
    return float(-special.ndtri((1.0 - check_level(level)) / 2.0))


def level_of_z(z: float) -> float:
    """The level whose two-sided critical value is ``z``, the inverse of :func:`z_value`."""
    return float(1.0 - 2.0 * special.ndtr(-z))


def t_value(level: float, df: npt.ArrayLike) -> FloatArray:
    """Two-sided critical values of Student's t; infinite where ``df`` is below 1 (one unit has no spread)."""
    freedom = np.asarray(df, dtype=np.float64)
    quantile = -special.stdtrit(np.maximum(freedom, 1.0), (1.0 - check_level(level)) / 2.0)
    return np.where(freedom < 1.0, np.inf, quantile)


def two_sided_p(z: float) -> float:
    """The two-sided p-value of a standard normal statistic (NaN stays NaN)."""
    return float(2.0 * special.ndtr(-abs(z)))


def sign_test_p(plus: int, minus: int) -> float:
    """Exact two-sided p-value of ``plus`` heads and ``minus`` tails from a fair coin; 1 if there was no toss."""
    if plus + minus == 0:
        return 1.0
    return min(1.0, 2.0 * float(special.bdtr(min(plus, minus), plus + minus, 0.5)))


def real_vector(values: npt.ArrayLike, key: str) -> FloatArray:
    """``values`` as a one-dimensional array of finite floats; InputError otherwise."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("must hold numbers only", key=key) from None
    if array.ndim != 1:
        raise InputError(f"must be one-dimensional, got shape {array.shape}", key=key)
    if not np.isfinite(array).all():
        raise InputError("holds a missing or infinite value", key=key, allowed="finite numbers")
    return array


def whole_vector(values: npt.ArrayLike, key: str) -> npt.NDArray[np.int64]:
    """``values`` as a one-dimensional array of counts (whole, not negative); InputError otherwise."""
    array = real_vector(values, key)
    if (array < 0).any() or (array != np.floor(array)).any():
        raise InputError("holds a value that is no count", key=key, allowed="whole numbers from 0")
    return array.astype(np.int64)


def deal_index(deal: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], int]:
    """Deal ids as integers 0..n-1 fit for :func:`numpy.bincount`, and the number of bins.

    Ids that are already small integers are used as they are (no sort of many millions of rows); others are renumbered.
    """
    ids: npt.NDArray[Any] = np.asarray(deal)
    if ids.ndim != 1:
        raise InputError(f"must be one-dimensional, got shape {ids.shape}", key="deal")
    if ids.size == 0:
        return np.zeros(0, dtype=np.int64), 0
    if ids.dtype.kind in "iu" and int(ids.min()) >= 0 and int(ids.max()) < 4 * ids.size + 1024:
        return ids.astype(np.int64, copy=False), int(ids.max()) + 1
    labels, inverse = np.unique(ids, return_inverse=True)
    return inverse.astype(np.int64, copy=False), len(labels)


def clean(number: float) -> float | None:
    """A float for JSON, where NaN and infinity do not exist: they become None."""
    return float(number) if math.isfinite(number) else None
