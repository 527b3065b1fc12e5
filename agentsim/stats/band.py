"""A verdict on an effect, held against a band that somebody has set before: fine, too strong, too weak, not yet known.

Definitions. The *band* is ``-b .. b``: effects that need no change. With the interval ``low .. high`` of an effect

- *fine*: the interval lies inside the band (an equivalence test: Schuirmann 1987, by the inclusion of the interval),
- *too strong*: it lies wholly above the band, *too weak*: wholly below,
- *not yet known*: anything else. Then, were the estimate the truth, ``n`` times ``((z + z_power) se / gap)^2`` games
  would put the interval on one side of the nearest edge of the band with the stated power; ``gap`` is the distance of
  the estimate from that edge, ``z`` the critical value of the family. Within a tenth of a point of the edge no number
  of games is worth naming (NaN): the card is on the border, which is an answer too.

With simultaneous intervals all verdicts of a table hold together: with probability 95 % no card is called fine whose
effect is outside the band, and none too strong or too weak whose effect is inside.

>>> verdict(0.06, 0.052, 0.068, band=0.05), verdict(0.01, -0.01, 0.03, band=0.05), verdict(0.04, 0.02, 0.06, band=0.05)
('too strong', 'fine', 'not yet known')
>>> games_to_decide(0.04, se=0.01, n=10_000, band=0.05, z=1.96, power=0.9)
105077
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy import special

from agentsim.errors import InputError
from agentsim.stats.simultaneous import critical_value

__all__ = ["BORDER", "FINE", "STRONG", "UNKNOWN", "WEAK", "games_to_decide", "verdict", "verdicts"]

FINE, STRONG, WEAK, UNKNOWN = "fine", "too strong", "too weak", "not yet known"
BORDER = 0.001
"""Nearer than this to an edge of the band, an effect is on the border and no number of games is named."""


def _check_band(band: float) -> float:
    if not 0.0 < band < 1.0:
        raise InputError(f"must lie between 0 and 1 (a difference of win rates), got {band:g}", key="band",
                         allowed="such as 0.05 for 5 points")
    return float(band)


def verdict(effect: float, low: float, high: float, *, band: float) -> str:
    """The verdict on one effect: ``fine``, ``too strong``, ``too weak`` or ``not yet known`` (also without data)."""
    edge = _check_band(band)
    if not (math.isfinite(effect) and math.isfinite(low) and math.isfinite(high)):
        return UNKNOWN
    if low > edge:
        return STRONG
    if high < -edge:
        return WEAK
    return FINE if -edge < low and high < edge else UNKNOWN


def games_to_decide(effect: float, *, se: float, n: int, band: float, z: float, power: float = 0.9) -> float:
    """Games with which an effect like this one would be decided with probability ``power``; NaN on the border.

    ``se`` is the standard error that ``n`` games gave, ``z`` the critical value of its interval. Raises InputError for
    a band or a power that are none.
    """
    if not 0.0 < power < 1.0:
        raise InputError(f"must lie between 0 and 1, got {power}", key="power", allowed="such as 0.9")
    gap = abs(abs(effect) - _check_band(band))
    if not (math.isfinite(effect) and se > 0.0) or gap < BORDER:
        return math.nan
    exact = n * ((z + float(special.ndtri(power))) * se / gap) ** 2
    return max(1, math.ceil(exact - 1e-9 * exact))


def verdicts(table: pd.DataFrame, *, band: float, n: int, power: float = 0.9) -> pd.DataFrame:
    """A table of effects with ``verdict``, ``band`` and ``games_needed`` added (NaN where it is decided, or no number).

    Parameters
    ----------
    table : columns ``effect, low, high, se, level, method, family_size``, as :func:`agentsim.stats.pick_effects` gives.
    band : half the width of the band, as a difference of win rates (0.05 is 5 points).
    n : games that were played for the table; ``games_needed`` counts in the same unit.
    power : probability with which that many games decide.
    """
    for name in ("effect", "low", "high", "se", "level", "method", "family_size"):
        if name not in table.columns:
            raise InputError(f"column '{name}' is missing", key="table", allowed="a table of pick_effects")
    found, needed = [], []
    for row in table.itertuples(index=False):
        effect, low, high, se = (float(getattr(row, name)) for name in ("effect", "low", "high", "se"))
        found.append(verdict(effect, low, high, band=band))
        z = critical_value(int(row.family_size), float(row.level), str(row.method))  # type: ignore[arg-type]
        # Of an estimate that happened to miss by little, the same number again is the least that can be asked for.
        needed.append(np.maximum(n, games_to_decide(effect, se=se, n=n, band=band, z=z, power=power))
                      if found[-1] == UNKNOWN and math.isfinite(effect) else math.nan)
    return table.assign(verdict=found, band=float(band), games_needed=np.array(needed, dtype=np.float64))
