"""How many deals a question needs.

Definitions. With standard deviation ``s`` of a deal's score, ``n`` deals give a half-width of ``z s / sqrt(n)`` at the
critical value ``z`` of the family, and show a true difference ``d`` with probability ``power`` if
``n = ((z + z_power) s / d)^2`` (normal approximation; the far tail is left out). ``s`` of a mean of ``m`` games won
with probability ``p`` and correlated by ``r`` within a deal is ``sqrt(p (1 - p) (1 + (m - 1) r) / m)``.

>>> deals_for_half_width(0.001, sd=deal_sd(games_per_deal=2))
480183
>>> deals_for_difference(0.01, sd=deal_sd(games_per_deal=2), power=0.9)
13135
"""

from __future__ import annotations

import math

from scipy import special

from agentsim.errors import InputError
from agentsim.stats.simultaneous import critical_value

__all__ = ["deal_sd", "deals_for_half_width", "half_width_of", "deals_for_difference", "detectable_difference"]


def deal_sd(p: float = 0.5, games_per_deal: int = 1, correlation: float = 0.0) -> float:
    """Standard deviation of a deal's mean score: ``games_per_deal`` games without draws, won with probability ``p``.

    ``correlation`` is that of two games of a deal, at least ``-1 / (m - 1)``; negative if the seats swapped offset each
    other. Raises InputError outside these ranges.
    """
    if not 0.0 <= p <= 1.0:
        raise InputError(f"must be a probability, got {p}", key="p", allowed="0 to 1")
    if games_per_deal != int(games_per_deal) or games_per_deal < 1:
        raise InputError(f"must be a whole number from 1, got {games_per_deal}", key="games_per_deal")
    least = -1.0 if games_per_deal == 1 else -1.0 / (games_per_deal - 1)
    if not least <= correlation <= 1.0:
        raise InputError(f"impossible for {games_per_deal} games a deal, got {correlation}", key="correlation",
                         allowed=f"{least:g} to 1")
    return math.sqrt(p * (1.0 - p) * max(1.0 + (games_per_deal - 1) * correlation, 0.0) / games_per_deal)


def _positive(value: float, key: str) -> float:
    if not 0.0 < value < math.inf:
        raise InputError(f"must be a positive number, got {value}", key=key)
    return float(value)


def _power_quantile(power: float) -> float:
    if not 0.0 < power < 1.0:
        raise InputError(f"must lie between 0 and 1, got {power}", key="power", allowed="such as 0.9")
    return float(special.ndtri(power))


def _squared_ratio(top: float, bottom: float) -> int:
    # A whole number of deals, but not one more for the last bit of a float.
    exact = (top / bottom) ** 2
    return max(1, math.ceil(exact - 1e-9 * exact))


def deals_for_half_width(
    half_width: float, *, sd: float, level: float = 0.95, family_size: int = 1, method: str = "sidak"
) -> int:
    """Deals for simultaneous intervals of the given half-width (in the unit of ``sd``) over ``family_size`` cells."""
    return _squared_ratio(critical_value(family_size, level, method) * _positive(sd, "sd"),
                          _positive(half_width, "half_width"))


def half_width_of(
    n_deals: int, *, sd: float, level: float = 0.95, family_size: int = 1, method: str = "sidak"
) -> float:
    """The half-width that ``n_deals`` give, the inverse of :func:`deals_for_half_width`."""
    return critical_value(family_size, level, method) * _positive(sd, "sd") / math.sqrt(_positive(n_deals, "n_deals"))


def deals_for_difference(
    difference: float, *, sd: float, level: float = 0.95, power: float = 0.9, family_size: int = 1,
    method: str = "sidak",
) -> int:
    """Deals to find a true difference (or distance from 1/2) with probability ``power``.

    ``sd`` is that of one deal's contribution: of ``a - b`` for a paired comparison.
    """
    needed = critical_value(family_size, level, method) + _power_quantile(power)
    if needed <= 0:
        raise InputError(f"{power} is below the chance of a false alarm", key="power", allowed="such as 0.9")
    return _squared_ratio(needed * _positive(sd, "sd"), _positive(abs(difference), "difference"))


def detectable_difference(
    n_deals: int, *, sd: float, level: float = 0.95, power: float = 0.9, family_size: int = 1, method: str = "sidak"
) -> float:
    """The difference that ``n_deals`` find with probability ``power``, the inverse of :func:`deals_for_difference`."""
    needed = critical_value(family_size, level, method) + _power_quantile(power)
    return max(needed, 0.0) * _positive(sd, "sd") / math.sqrt(_positive(n_deals, "n_deals"))
