"""Effects from a fair coin: what getting this card rather than the other one does to the chance of winning.

Definitions. An offer shows the receiver two cards. Under a receiver that takes either with probability 1/2, independent
of everything (the policy ``random``), those who got card x and those who got the other one differ in nothing but that,
so

    effect = mean(won | got x) - mean(won | got the other)        among the offers of a stratum

estimates without bias what getting it changes: it is an effect, and not a difference between those who have and those
who have not. ``won`` is the *receiver's* result (1, 1/2 for a draw, 0), which for a row of the ``turns`` table is
``1 - active_won``. The stratum of :func:`card_effects` is (card, count that the receiver would reach with it), over
offers that hold the card and another one; any other stratum known before the coin falls will do.

Turns of a game share its result and games of a deal its cards, so both means and their covariance are clustered by
deal, and MOVER closes the difference (``docs/statistics.md``). A table holds simultaneously over its strata.

>>> import numpy as np
>>> rng = np.random.default_rng(5)
>>> deal, got = np.repeat(np.arange(20_000), 2), rng.integers(0, 2, 40_000)
>>> won = rng.random(40_000) < 0.5 + 0.1 * (got - 0.5)                      # a planted effect of 10 points
>>> coin_effects(deal, got, won, np.zeros(40_000, int))[["effect", "low", "high"]].round(2).values.tolist()
[[0.1, 0.09, 0.11]]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from agentsim.errors import InputError
from agentsim.stats._numeric import FloatArray, check_level, deal_index, sign_test_p, z_value
from agentsim.stats._score import divide
from agentsim.stats.clustered import difference_arrays
from agentsim.stats.intervals import Interval, TestResult
from agentsim.stats.simultaneous import adjusted_level, bounded_bounds, check_method

__all__ = ["check_coin", "coin_effects", "card_effects", "effects_from_grouped", "effects_from_sums", "pooled_effect"]

# Per (stratum, deal): rows that got it and their wins, rows that got the other and theirs.
_PARTS = ("den1", "num1", "den2", "num2")
_PRODUCTS = tuple(f"{a}_{b}" for i, a in enumerate(_PARTS) for b in _PARTS[i:])
_COUNTS = ("n_1", "n_2", "n_deals")
_GROUPED = {"n_got": "den1", "won_got": "num1", "n_other": "den2", "won_other": "num2"}


# ------------------------------------------------------------------------------------------------ the rows


def _rows(deal: npt.ArrayLike, got: npt.ArrayLike, won: npt.ArrayLike) -> tuple[
    npt.NDArray[np.int64], int, npt.NDArray[np.bool_], FloatArray
]:
    deals, n_deals = deal_index(deal)
    coin = _coin(got)
    try:
        result = np.asarray(won).astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise InputError("holds a missing value", key="won", allowed="0, 0.5 (draw), 1") from None
    if not deals.shape == coin.shape == result.shape:
        raise InputError(f"{len(deals)} deals, {len(coin)} coins and {len(result)} results", key="got",
                         allowed="columns of one length")
    if not ((result >= 0.0) & (result <= 1.0)).all():  # NaN fails too
        raise InputError("holds a value that is no result", key="won", allowed="0, 0.5 (draw), 1")
    return deals, n_deals, coin, result


def _coin(got: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    coin: npt.NDArray[Any] = np.asarray(got)
    if coin.ndim != 1:
        raise InputError(f"must be one-dimensional, got shape {coin.shape}", key="got")
    if coin.dtype != np.bool_ and not ((coin == 0) | (coin == 1)).all():
        raise InputError("holds a value that is neither true nor false", key="got")
    return coin.astype(np.bool_, copy=False)


def check_coin(got: npt.ArrayLike) -> TestResult:
    """Is the coin fair? Exact test that ``got`` (one value per offer) is true half of the time.

    Only a coin that the policy tosses may be analysed as one; a small p-value says that these rows are not such.
    ``statistic`` is the share of true values.
    """
    coin = _coin(got)
    heads, n = int(coin.sum()), len(coin)
    return TestResult(heads / n if n else float("nan"), sign_test_p(heads, n - heads), n, n, "coin")


def _stratum_sums(
    deals: npt.NDArray[np.int64], n_deals: int, coin: npt.NDArray[np.bool_], won: FloatArray,
    stratum: npt.NDArray[np.int64], n_strata: int,
) -> pd.DataFrame:
    """Sums and products over deals of the four parts, a row per stratum."""
    # 16-bit keys are sorted by radix, in linear time.
    keys = stratum.astype(np.uint16) if n_strata < 65_536 else stratum
    order = np.argsort(keys, kind="stable")
    ends = np.cumsum(np.bincount(stratum, minlength=n_strata))
    result = np.zeros((n_strata, len(_COUNTS) + len(_PARTS) + len(_PRODUCTS)))
    start = 0
    for s, end in enumerate(ends):
        rows = order[start:end]
        start = int(end)
        if len(rows) == 0:
            continue
        where, size = deals[rows], n_deals
        if len(rows) * 8 < n_deals:  # few rows of many deals: renumber instead of filling empty bins
            labels, where = np.unique(where, return_inverse=True)
            size = len(labels)
        heads, wins = coin[rows].astype(np.float64), won[rows]
        parts = np.empty((4, size))
        parts[0] = np.bincount(where, weights=heads, minlength=size)
        parts[1] = np.bincount(where, weights=heads * wins, minlength=size)
        parts[2] = np.bincount(where, minlength=size) - parts[0]
        parts[3] = np.bincount(where, weights=wins, minlength=size) - parts[1]
        products = parts @ parts.T
        has_1, has_2 = parts[0] > 0, parts[2] > 0
        counts = np.count_nonzero(has_1), np.count_nonzero(has_2), np.count_nonzero(has_1 | has_2)
        result[s] = [*counts, *parts.sum(axis=1), *products[np.triu_indices(4)]]
    return pd.DataFrame(result, columns=[*_COUNTS, *_PARTS, *_PRODUCTS])


# ------------------------------------------------------------------------------------------------ effects by stratum


def coin_effects(
    deal: npt.ArrayLike, got: npt.ArrayLike, won: npt.ArrayLike, stratum: npt.ArrayLike, *,
    level: float = 0.95, method: str = "sidak", family_size: int | None = None,
) -> pd.DataFrame:
    """Effects of a fair coin by stratum, clustered by deal, from one row per offer.

    Parameters
    ----------
    deal : id of the deal (of all matchups together if they share deals); small integers are fastest.
    got : the coin: whether the receiver got the card in question.
    won : the receiver's result: 1, 0.5, 0.
    stratum : what the offer was, anything known before the coin fell: numbers, strings or a pandas Categorical.
    level, method, family_size : family-wise level, method (``sidak``, ``bonferroni``, ``pointwise``) and size of the
        family; default the strata in which both sides occur.

    Returns ``stratum, effect, low, high, se, win_got, win_other, n_turns, n_got, n_deals, level, method, family_size``,
    a row per stratum in ascending order; NaN where one side is missing. Raises InputError for columns that do not
    match, coins that are not true or false, and results outside 0 to 1.
    """
    deals, n_deals, coin, result = _rows(deal, got, won)
    codes, labels = _codes(stratum, "stratum")
    if len(codes) != len(deals):
        raise InputError(f"{len(codes)} strata for {len(deals)} rows", key="stratum", allowed="columns of one length")
    sums = _stratum_sums(deals, n_deals, coin, result, codes, len(labels))
    sums.insert(0, "stratum", labels)
    return effects_from_sums(sums[sums["n_deals"] > 0].reset_index(drop=True), level=level, method=method,
                             family_size=family_size)


def _codes(values: npt.ArrayLike, key: str) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """Integer codes of ``values`` and the sorted labels they stand for; missing values are refused."""
    series = values if isinstance(values, pd.Series) else pd.Series(values)
    codes: npt.NDArray[Any]
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes, names = series.cat.codes.to_numpy(), list(series.cat.categories)
    else:
        codes, labels = pd.factorize(series, sort=True)
        names = list(labels)
    if (codes < 0).any():
        raise InputError("holds a missing value", key=key)
    return codes.astype(np.int64), names


def card_effects(
    deal: npt.ArrayLike, took_face_up: npt.ArrayLike, won: npt.ArrayLike, face_up: npt.ArrayLike,
    face_down: npt.ArrayLike, count_up: npt.ArrayLike, count_down: npt.ArrayLike, *,
    level: float = 0.95, method: str = "sidak", family_size: int | None = None,
) -> pd.DataFrame:
    """For each (card, count reached): the effect of getting it rather than the other card of the offer.

    Parameters
    ----------
    deal, won : as in :func:`coin_effects`; rows are turns.
    took_face_up : the receiver's coin.
    face_up, face_down : names of the two cards (offers of one name twice say nothing and are left out).
    count_up, count_down : copies the receiver would have with the face-up or the face-down card, this one included.

    Returns ``card, count`` and the columns of :func:`coin_effects`. An offer speaks for both of its cards: rows of the
    table are not independent of each other, which Sidak's adjustment allows for.
    """
    coin = _coin(took_face_up)
    up, up_names = _codes(face_up, "face_up")
    down, down_names = _codes(face_down, "face_down")
    names = sorted({*up_names, *down_names})
    up = np.asarray([names.index(name) for name in up_names], dtype=np.int64)[up] if len(up) else up
    down = np.asarray([names.index(name) for name in down_names], dtype=np.int64)[down] if len(down) else down
    counts = []
    for key, raw in (("count_up", count_up), ("count_down", count_down)):
        count: npt.NDArray[Any] = np.asarray(raw)
        if count.shape != coin.shape or (count.size and (count.dtype.kind not in "iu" or int(count.min()) < 1)):
            raise InputError("must hold one count from 1 per turn", key=key)
        counts.append(count.astype(np.int64))
    result: npt.NDArray[Any] = np.asarray(won)
    deals: npt.NDArray[Any] = np.asarray(deal)
    if not up.shape == down.shape == coin.shape == result.shape == deals.shape:
        raise InputError("columns have different lengths", key="face_up", allowed="columns of one length")
    told = up != down
    most = int(max((count.max() for count in counts if count.size), default=1)) + 1
    stratum = np.concatenate([(up * most + counts[0])[told], (down * most + counts[1])[told]])
    table = coin_effects(np.tile(deals[told], 2), np.concatenate([coin[told], ~coin[told]]), np.tile(result[told], 2),
                         stratum, level=level, method=method, family_size=family_size)
    keys = table.pop("stratum").to_numpy(dtype=np.int64)
    table.insert(0, "card", [names[key // most] for key in keys])
    table.insert(1, "count", keys % most)
    return table


def effects_from_grouped(
    table: pd.DataFrame, by: Sequence[str], *, deal: str = "deal", level: float = 0.95, method: str = "sidak",
    family_size: int | None = None,
) -> pd.DataFrame:
    """The same from a table grouped by stratum and deal.

    Parameters
    ----------
    table : one row per (stratum, deal): the columns ``by``, ``deal``, and ``n_got, won_got, n_other, won_other``:
        offers in which the receiver got the card and its wins among them, and those in which it got the other.

    Returns the columns ``by`` and those of :func:`coin_effects`. Raises InputError for missing columns, a stratum of a
    deal given twice, and more wins than offers.
    """
    for name in (*by, deal, *_GROUPED):
        if name not in table.columns:
            raise InputError(f"column '{name}' is missing", key="table", allowed=", ".join((*by, deal, *_GROUPED)))
    if table.duplicated([*by, deal]).any():
        raise InputError("holds a stratum of a deal twice", key="table", allowed="one row per stratum and deal")
    parts = {part: table[name].to_numpy(dtype=np.float64) for name, part in _GROUPED.items()}
    for i in ("1", "2"):
        if not ((parts[f"num{i}"] >= 0) & (parts[f"num{i}"] <= parts[f"den{i}"])).all():
            raise InputError("holds more wins than offers", key="won_got" if i == "1" else "won_other")
    has_1, has_2 = parts["den1"] > 0, parts["den2"] > 0
    columns: dict[str, npt.NDArray[Any]] = {"n_1": has_1, "n_2": has_2, "n_deals": has_1 | has_2, **parts}
    columns |= {product: parts[product[:4]] * parts[product[5:]] for product in _PRODUCTS}
    wide = table[list(by)].assign(**{name: column.astype(np.float64) for name, column in columns.items()})
    sums = wide.groupby(list(by), sort=True, observed=True)[list(columns)].sum().reset_index()
    return effects_from_sums(sums, level=level, method=method, family_size=family_size)


def effects_from_sums(
    sums: pd.DataFrame, *, level: float = 0.95, method: str = "sidak", family_size: int | None = None
) -> pd.DataFrame:
    """The same from sums over deals, a row per stratum, so that a database can do the work.

    Per stratum and deal let ``den1, num1`` be offers that got the card and wins among them, ``den2, num2`` those that
    got the other. Columns: their sums over deals under these names; the sums of products ``den1_den1, den1_num1,
    den1_den2, den1_num2, num1_num1, num1_den2, num1_num2, den2_den2, den2_num2, num2_num2``; and ``n_1, n_2, n_deals``,
    deals with ``den1 > 0``, ``den2 > 0`` and either. Other columns are kept in front.
    """
    for name in (*_COUNTS, *_PARTS, *_PRODUCTS):
        if name not in sums.columns:
            raise InputError(f"column '{name}' is missing", key="sums")
    values = {name: sums[name].to_numpy(dtype=np.float64) for name in (*_PARTS, *_PRODUCTS)}
    values |= {f"{b}_{a}": values[f"{a}_{b}"] for a in _PARTS for b in _PARTS if f"{a}_{b}" in values}
    n_1, n_2, n = (sums[name].to_numpy(dtype=np.float64) for name in _COUNTS)
    both = (n_1 > 0) & (n_2 > 0)
    size = int(both.sum()) if family_size is None else family_size
    effect, low, high, se = difference_arrays(values, n_1, n_2, n, adjusted_level(size, level, method), True)
    keys = [name for name in sums.columns if name not in (*_COUNTS, *_PARTS, *_PRODUCTS)]
    return sums[keys].assign(
        effect=effect, low=low, high=high, se=se, win_got=divide(values["num1"], values["den1"]),
        win_other=divide(values["num2"], values["den2"]), n_turns=(values["den1"] + values["den2"]).astype(np.int64),
        n_got=values["den1"].astype(np.int64), n_deals=n.astype(np.int64), level=check_level(level),
        method=check_method(method), family_size=max(1, size),
    )


# ------------------------------------------------------------------------------------------------ one number


def pooled_effect(
    deal: npt.ArrayLike, got: npt.ArrayLike, won: npt.ArrayLike, stratum: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    """One effect over all offers: the mean of the strata's effects, each weighted by its share of the offers.

    Post-stratification (Miratrix, Sekhon and Yu 2013) takes the differences between strata out of the noise and leaves
    the effect. Strata in which only one side occurs are left out. ``n`` of the result counts offers. Linearised
    variance by deal, including that of the strata's shares, and the guarded score interval within [-1, 1].
    """
    deals, n_deals, coin, result = _rows(deal, got, won)
    strata = np.zeros(len(deals), dtype=np.int64) if stratum is None else _codes(stratum, "stratum")[0]
    if len(strata) != len(deals):
        raise InputError(f"{len(strata)} strata for {len(deals)} rows", key="stratum", allowed="columns of one length")
    heads = coin.astype(np.float64)
    n_got, n_all = np.bincount(strata, weights=heads), np.bincount(strata).astype(np.float64)
    n_other = n_all - n_got
    kept = (n_got > 0) & (n_other > 0)
    total = float(n_all[kept].sum())
    if total == 0:
        nan = float("nan")
        return Interval(nan, nan, nan, 0, check_level(level), "coin-pooled", 0)
    r1 = divide(np.bincount(strata, weights=heads * result), n_got)
    r0 = divide(np.bincount(strata, weights=(1.0 - heads) * result), n_other)
    effects = np.where(kept, r1 - r0, 0.0)
    weight = np.where(kept, n_all / total, 0.0)
    estimate = float(weight @ effects)
    scale_1, scale_0 = weight * divide(1.0, n_got, 0.0), weight * divide(1.0, n_other, 0.0)
    influence = np.where(coin, scale_1[strata] * (result - np.where(kept, r1, 0.0)[strata]),
                         -scale_0[strata] * (result - np.where(kept, r0, 0.0)[strata]))
    influence += np.where(kept, (effects - estimate) / total, 0.0)[strata]
    by_deal = np.bincount(deals, weights=influence, minlength=n_deals)
    present = int(np.count_nonzero(np.bincount(deals, weights=kept[strata].astype(np.float64), minlength=n_deals)))
    variance = np.asarray(float(by_deal @ by_deal))
    low, high = bounded_bounds(np.asarray(estimate), variance, np.asarray(float(present)), (-1.0, 1.0), z_value(level))
    return Interval(estimate, float(low), float(high), int(total), check_level(level), "coin-pooled", present)
