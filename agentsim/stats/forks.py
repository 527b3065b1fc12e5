"""What a card does against a blank, from games continued twice; and whether two ways of measuring it agree.

Definitions. A *fork* takes a game at a pick, and plays on from the same state with the same random streams once with
the card and once with the card doing nothing. ``d`` is the taker's result with the card minus that with the blank, in
half-points -2 .. 2. One fork per game, so forks are independent; what both branches share cancels.

    strength = sum d / 2 n        variance = (sum d^2 / 4 - n strength^2) / n^2

with the guarded score interval within [-1, 1] (``docs/statistics.md``). A blank against itself gives exactly 0.

*Agreement.* With blanks in the market the contrast of takers of the card with takers of the blank, picked by chance
from supplies that held both (:func:`blank_contrast`), estimates the same number as forks restricted to such supplies.
:func:`agreement` tests the difference of the two, card by card: ``z = (a - b) / sqrt(se_a^2 + se_b^2)`` for samples
of different deals, p-values adjusted over the cards by Holm.

>>> fork_effects([[10, 20, 900, 40, 30]], ["lamp"])[["card", "effect", "low", "high"]].round(3).values.tolist()
[['lamp', 0.03, 0.015, 0.045]]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from agentsim.errors import InputError
from agentsim.stats._numeric import check_level, two_sided_p, z_value
from agentsim.stats._score import divide, guarded_arrays, mover_arrays
from agentsim.stats.picks import SCORES
from agentsim.stats.simultaneous import adjusted_level, bounded_bounds, check_method, holm

__all__ = ["agreement", "blank_contrast", "fork_effects"]

_DIFFERENCES = np.arange(-2, 3) / 2.0


def _whole(counts: npt.ArrayLike, key: str, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    table: npt.NDArray[Any] = np.asarray(counts)
    if table.shape != shape:
        raise InputError(f"has shape {table.shape}", key=key, allowed=" by ".join(map(str, shape)))
    if table.dtype.kind not in "iu" or (table < 0).any():
        raise InputError("holds a value that is no count", key=key, allowed="whole numbers from 0")
    return table.astype(np.float64)


def fork_effects(
    forks: npt.ArrayLike, names: Sequence[str], *, level: float = 0.95, method: str = "sidak",
    family_size: int | None = None,
) -> pd.DataFrame:
    """Strength of each card: the mean difference to a blank over independent forks.

    Parameters
    ----------
    forks : whole numbers ``[card, d + 2]``: forks at a pick of that card by ``d``, the taker's half-points with the
        card minus those with a blank.
    names : the cards' names.
    level, method, family_size : of the intervals; the family is by default the cards with forks.

    Returns ``card, effect, low, high, se, changed, n_forks, level, method, family_size``: ``changed`` is the share of
    forks whose result the card changed. NaN without forks. Raises InputError for another shape or no counts.
    """
    counts = _whole(forks, "forks", (len(names), 5))
    n = counts.sum(axis=1)
    mean = divide(counts @ _DIFFERENCES, n)
    spread = np.maximum(divide(counts @ _DIFFERENCES**2, n) - mean**2, 0.0)
    size = int((n > 0).sum()) if family_size is None else family_size
    known = n > 0
    low, high = np.full(len(n), np.nan), np.full(len(n), np.nan)
    low[known], high[known] = bounded_bounds(mean[known], divide(spread, n)[known], n[known], (-1.0, 1.0),
                                             z_value(adjusted_level(size, level, method)))
    return pd.DataFrame({
        "card": list(names), "effect": mean, "low": low, "high": high, "se": np.sqrt(divide(spread, n - 1.0)),
        "changed": divide(n - counts[:, 2], n), "n_forks": n.astype(np.int64), "level": check_level(level),
        "method": check_method(method), "family_size": max(1, size),
    })


def blank_contrast(
    with_blank: npt.ArrayLike, names: Sequence[str], *, level: float = 0.95, method: str = "sidak",
    family_size: int | None = None,
) -> pd.DataFrame:
    """Takers of the card minus takers of a blank, from uniform picks of supplies that held both.

    Parameters
    ----------
    with_blank : whole numbers ``[card, which, result]``: games whose first landing had the card and one blank on offer,
        by which of the two was taken (0 the card, 1 the blank) and the taker's result (win, draw, loss). Both have the
        same chance to be taken, so the difference of the means is an effect; this needs a market with a single blank
        (of several in one supply, a blank would be taken more often than the card).

    Returns ``card, effect, low, high, se, n_card, n_blank, level, method, family_size``.
    """
    counts = _whole(with_blank, "with_blank", (len(names), 2, 3))
    n = counts.sum(axis=2)
    mean = divide(counts @ SCORES, n)
    spread = np.maximum(divide(counts @ SCORES**2, n) - mean**2, 0.0)
    both = (n > 0).all(axis=1)
    size = int(both.sum()) if family_size is None else family_size
    z = z_value(adjusted_level(size, level, method))
    sides = [(mean[:, i], *guarded_arrays(mean[:, i], divide(spread, n)[:, i], n[:, i], n[:, i], z)) for i in (0, 1)]
    low, high = mover_arrays(sides[0], sides[1], 0.0, n.sum(axis=1), z)
    return pd.DataFrame({
        "card": list(names), "effect": mean[:, 0] - mean[:, 1], "low": np.where(both, low, np.nan),
        "high": np.where(both, high, np.nan), "se": np.sqrt(divide(spread, n - 1.0).sum(axis=1)),
        "n_card": n[:, 0].astype(np.int64), "n_blank": n[:, 1].astype(np.int64), "level": check_level(level),
        "method": check_method(method), "family_size": max(1, size),
    })


def agreement(first: pd.DataFrame, second: pd.DataFrame, *, alpha: float = 0.05) -> pd.DataFrame:
    """Do two independent measurements of each card's effect agree? z-tests, adjusted over the cards by Holm.

    Parameters
    ----------
    first, second : tables with ``card, effect, se`` (:func:`blank_contrast` and :func:`fork_effects` on *different*
        deals). Cards that one of them lacks are left out.
    alpha : what the adjusted p-values are held against.

    Returns ``card, effect_1, se_1, effect_2, se_2, difference, low, high, z, p_value, p_adjusted, agree``; ``low`` and
    ``high`` bound the difference, all cards together at level ``1 - alpha``.
    """
    for key, table in (("first", first), ("second", second)):
        for name in ("card", "effect", "se"):
            if name not in table.columns:
                raise InputError(f"column '{name}' is missing", key=key, allowed="card, effect, se")
    both = first[["card", "effect", "se"]].merge(second[["card", "effect", "se"]], on="card", suffixes=("_1", "_2"))
    both = both.dropna(ignore_index=True)
    effect_1, se_1, effect_2, se_2 = (both[name].to_numpy(dtype=np.float64) for name in (
        "effect_1", "se_1", "effect_2", "se_2"))
    difference, error = effect_1 - effect_2, np.hypot(se_1, se_2)
    # Two measurements without any spread agree if they are the same number.
    z = np.where(error > 0, divide(difference, error, 0.0), np.where(difference == 0, 0.0, np.inf))
    p = np.array([two_sided_p(float(value)) for value in z])
    adjusted = holm(p)
    reach = z_value(adjusted_level(len(both), 1.0 - alpha)) * error
    return both.assign(difference=difference, low=difference - reach, high=difference + reach, z=z, p_value=p,
                       p_adjusted=adjusted, agree=adjusted > alpha)
