"""What taking one card rather than the average other one on offer does, from picks that chance made.

Definitions. A supply of ``s`` different cards lies open and the pick is uniform: each card is taken with the known
probability ``1/s``, whatever happened before. Supplies of one card say nothing and are left out. Among the landings
that had card c on offer let ``T`` be 1 if it was taken, ``y`` the taker's result (1, 1/2 for a draw, 0), and

    effect = sum T y w1 / sum T w1  -  sum (1 - T) y w0 / sum (1 - T) w0,      w1 = s,   w0 = s / (s - 1)

the Hajek contrast: inverse probabilities as weights, each side divided by the sum of its weights (Hajek 1971; Sarndal,
Swensson and Wretman 1992, section 5.7). Those who took c and those who did not differ in nothing but the pick, so this
is what taking c *changes*, against the average of the cards that lay beside it. It is an effect and not a comparison
of those who have with those who have not. With one size of supply it is a difference of two means.

- *Primary*, :func:`pick_effects`: each game gives its first landing, so the unit of independence is the game; the games
  must be games of different deals (a mirror plays each deal once). With the residual ``e`` of a landing from its side's
  mean, ``variance = sum (w1 T e / sum w1 T)^2 + sum (w0 (1 - T) e / sum w0 (1 - T))^2``. The sides share no game.
- *Secondary*, :func:`landing_effects`: all landings, later picks left to chance and never adjusted for (what is taken
  later is a consequence). Landings of a game share its result, games of a deal its cards: residuals are added by deal.

Each side has its guarded score interval with Kish's number of games (``docs/statistics.md``), MOVER closes the
difference. A table holds simultaneously over its cards.

>>> import numpy as np
>>> taken, left = np.zeros((2, 4, 3), int), np.zeros((2, 4, 3), int)      # cards, size of the supply, result
>>> taken[0, 3], left[0, 3] = [560, 0, 440], [1000, 0, 1000]
>>> taken[1, 3], left[1, 3] = [490, 0, 510], [1000, 0, 1000]
>>> pick_effects(taken, left, ["lamp", "lens"])[["card", "effect", "low", "high"]].round(3).values.tolist()
[['lamp', 0.06, 0.017, 0.103], ['lens', -0.01, -0.053, 0.033]]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from agentsim.errors import InputError
from agentsim.stats._numeric import FloatArray, check_level, deal_index, z_value
from agentsim.stats._score import divide, guarded_arrays, mover_arrays
from agentsim.stats.clustered import difference_arrays
from agentsim.stats.simultaneous import adjusted_level, check_method

__all__ = ["landing_effects", "pick_effects", "pick_shares", "pick_sums"]

SCORES: FloatArray = np.array([1.0, 0.5, 0.0])
"""The taker's result in the order of the counters: win, draw, loss."""
_NO_CARD = -1


def _counters(counts: npt.ArrayLike, key: str, names: Sequence[str]) -> FloatArray:
    table: npt.NDArray[Any] = np.asarray(counts)
    if table.ndim != 3 or table.shape[0] != len(names) or table.shape[2] != 3:
        raise InputError(f"has shape {table.shape}", key=key,
                         allowed=f"{len(names)} cards by sizes of the supply by win, draw, loss")
    if table.dtype.kind not in "iu" or (table < 0).any():
        raise InputError("holds a value that is no count", key=key, allowed="whole numbers from 0")
    return table.astype(np.float64)


def _arm(counts: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Mean, its variance, Kish's and the plain number of games of one side, by card; counts[card, size, result]."""
    by_size = counts.sum(axis=2)
    total = by_size @ weight
    mean = divide((counts @ SCORES) @ weight, total)
    residuals = (counts * (SCORES - np.where(np.isnan(mean), 0.0, mean)[:, None, None]) ** 2).sum(axis=2)
    variance = divide(residuals @ weight**2, total * total)
    return mean, variance, divide(total * total, by_size @ weight**2), by_size.sum(axis=1)


def pick_effects(
    taken: npt.ArrayLike, left: npt.ArrayLike, names: Sequence[str], *, level: float = 0.95, method: str = "sidak",
    family_size: int | None = None,
) -> pd.DataFrame:
    """Effect of taking each card rather than the average other one, from one landing per game.

    Parameters
    ----------
    taken : whole numbers ``[card, size of the supply, result]``: games whose landing had that card *taken* from a
        supply of that many cards (index 0 up to the largest), by the taker's result (win, draw, loss).
    left : the same for games whose landing had the card on offer and another one was taken.
    names : the cards' names.
    level, method, family_size : of the intervals; the family is by default the cards that have both sides.

    Returns ``card, effect, low, high, se, win_taken, win_left, n_taken, n_left, n_games, level, method, family_size``,
    a row per card; NaN where one side is missing. Supplies of one card do not count. Raises InputError for arrays of
    another shape and values that are no counts.
    """
    arms = _counters(taken, "taken", names), _counters(left, "left", names)
    if arms[0].shape != arms[1].shape:
        raise InputError(f"has shape {arms[1].shape} beside {arms[0].shape}", key="left", allowed="the same shape")
    sizes = np.arange(arms[0].shape[1], dtype=np.float64)
    many = sizes >= 2
    weights = np.where(many, sizes, 0.0), np.where(many, divide(sizes, sizes - 1.0, 0.0), 0.0)
    (mean_1, var_1, kish_1, n_1), (mean_0, var_0, kish_0, n_0) = (
        _arm(counts[:, many], weight[many]) for counts, weight in zip(arms, weights, strict=True))
    both = (n_1 > 0) & (n_0 > 0)
    size = int(both.sum()) if family_size is None else family_size
    z = z_value(adjusted_level(size, level, method))
    bounds = [guarded_arrays(mean, var, kish, n, z) for mean, var, kish, n in (
        (mean_1, var_1, kish_1, n_1), (mean_0, var_0, kish_0, n_0))]
    low, high = mover_arrays((mean_1, *bounds[0]), (mean_0, *bounds[1]), 0.0, n_1 + n_0, z)
    unbiased = var_1 * divide(n_1, n_1 - 1.0) + var_0 * divide(n_0, n_0 - 1.0)
    return pd.DataFrame({
        "card": list(names), "effect": np.where(both, mean_1 - mean_0, np.nan), "low": np.where(both, low, np.nan),
        "high": np.where(both, high, np.nan), "se": np.where(both, np.sqrt(unbiased), np.nan),
        "win_taken": mean_1, "win_left": mean_0, "n_taken": n_1.astype(np.int64), "n_left": n_0.astype(np.int64),
        "n_games": (n_1 + n_0).astype(np.int64), "level": check_level(level), "method": check_method(method),
        "family_size": max(1, size),
    })


def pick_shares(taken: npt.ArrayLike, left: npt.ArrayLike, names: Sequence[str]) -> pd.DataFrame:
    """Was the pick uniform? Per card the share of landings that took it, beside the ``1/s`` it should be.

    Arguments as in :func:`pick_effects`. Returns ``card, n, share, expected, z``: ``z`` is standard normal if picks are
    what they are said to be.
    """
    arms = _counters(taken, "taken", names).sum(axis=2), _counters(left, "left", names).sum(axis=2)
    sizes = np.arange(arms[0].shape[1], dtype=np.float64)
    chance = np.where(sizes >= 2, divide(1.0, sizes, 0.0), 0.0)
    offered = np.where(sizes >= 2, arms[0] + arms[1], 0.0)
    n, hits = offered.sum(axis=1), np.where(sizes >= 2, arms[0], 0.0).sum(axis=1)
    expected = offered @ chance
    spread = np.sqrt(offered @ (chance * (1.0 - chance)))
    return pd.DataFrame({"card": list(names), "n": n.astype(np.int64), "share": divide(hits, n),
                         "expected": divide(expected, n), "z": divide(hits - expected, spread)})


# ------------------------------------------------------------------------------------------------ all landings


def pick_sums(
    deal: npt.ArrayLike, supply: npt.ArrayLike, taken: npt.ArrayLike, won: npt.ArrayLike, n_cards: int,
) -> dict[int, tuple[FloatArray, FloatArray, FloatArray, FloatArray]]:
    """By card, the weighted sums ``w1 T, w1 T y, w0 (1 - T), w0 (1 - T) y`` of each deal that had it on offer.

    Parameters
    ----------
    deal : id of the deal, one per landing.
    supply : whole numbers ``[landing, place]``: the card that lay in each place, -1 for none. A card that lies there
        ``m`` times of ``s`` is taken with probability ``m/s``, which is what its weights then are made from.
    taken : the card that was taken. won : the taker's result.

    Raises InputError for columns that do not match and for cards that are not 0 .. n_cards - 1.
    """
    deals, _ = deal_index(deal)
    places: npt.NDArray[Any] = np.asarray(supply)
    picked: npt.NDArray[Any] = np.asarray(taken)
    result = np.asarray(won, dtype=np.float64)
    if places.ndim != 2 or not len(places) == len(deals) == len(picked) == len(result):
        raise InputError("columns have different lengths", key="supply", allowed="one row per landing")
    if places.size and (places.min() < _NO_CARD or places.max() >= n_cards):
        raise InputError("holds a card that is not in the table", key="supply", allowed=f"-1 to {n_cards - 1}")
    if not ((result >= 0.0) & (result <= 1.0)).all():
        raise InputError("holds a value that is no result", key="won", allowed="0, 0.5 (draw), 1")
    if len(places) and not (places == picked[:, None]).any(axis=1).all():
        raise InputError("holds a card that did not lie there", key="taken", allowed="a card of its supply")
    size = (places >= 0).sum(axis=1)
    found = {}
    for card in range(n_cards):
        times = (places == card).sum(axis=1)
        rows = np.flatnonzero((times > 0) & (times < size))
        s, m = size[rows].astype(np.float64), times[rows].astype(np.float64)
        hit = picked[rows] == card
        weight_1, weight_0 = np.where(hit, s / m, 0.0), np.where(hit, 0.0, s / (s - m))
        labels, where = np.unique(deals[rows], return_inverse=True)
        found[card] = tuple(np.bincount(where, weights=part, minlength=len(labels)) for part in (
            weight_1, weight_1 * result[rows], weight_0, weight_0 * result[rows]))
    return found  # type: ignore[return-value]


def landing_effects(
    deal: npt.ArrayLike, supply: npt.ArrayLike, taken: npt.ArrayLike, won: npt.ArrayLike, names: Sequence[str], *,
    level: float = 0.95, method: str = "sidak", family_size: int | None = None,
) -> pd.DataFrame:
    """The same over *all* landings, clustered by deal, from one row per landing.

    Parameters as in :func:`pick_sums` and :func:`pick_effects`. Every pick must have been uniform, also the later ones.
    Returns ``card, effect, low, high, se, n_landings, n_deals, level, method, family_size``; ``n_landings`` counts
    those with the card and another one on offer.
    """
    sums = pick_sums(deal, supply, taken, won, len(names))
    offered: npt.NDArray[Any] = np.asarray(supply)
    counted = [int(((offered == card).any(axis=1) & ((offered != card) & (offered >= 0)).any(axis=1)).sum())
               if len(offered) else 0 for card in range(len(names))]
    parts = {f"{name}{i}": np.array([float(sums[card][at].sum()) for card in sums])
             for at, (name, i) in enumerate((("den", 1), ("num", 1), ("den", 2), ("num", 2)))}
    index = {"den1": 0, "num1": 1, "den2": 2, "num2": 3}
    products = {f"{a}_{b}": np.array([float((sums[card][i] * sums[card][j]).sum()) for card in sums])
                for a, i in index.items() for b, j in index.items()}
    n_1, n_2 = (np.array([float(np.count_nonzero(sums[card][at])) for card in sums]) for at in (0, 2))
    n = np.array([float(np.count_nonzero(sums[card][0] + sums[card][2])) for card in sums])
    both = (n_1 > 0) & (n_2 > 0)
    size = int(both.sum()) if family_size is None else family_size
    effect, low, high, se = difference_arrays({**parts, **products}, n_1, n_2, n, adjusted_level(size, level, method),
                                              True)
    return pd.DataFrame({"card": list(names), "effect": effect, "low": low, "high": high, "se": se,
                         "n_landings": counted, "n_deals": n.astype(np.int64), "level": check_level(level),
                         "method": check_method(method), "family_size": max(1, size)})
