"""Ratings: one number per policy from who met whom (Bradley-Terry, Elo), with intervals, and where they do not fit.

Definitions. Policy ``a`` has a strength ``t_a``, and its score against ``b`` is ``p_ab = 1 / (1 + e^-(t_a - t_b))``
(Zermelo 1929; Bradley and Terry 1952); Elo points are ``400 / log 10`` of these, and only differences mean anything:
the mean is put to 1500. Draws count as half a win (a quasi-likelihood: right for the means, and the intervals do not
use its variance). The strengths maximise

    sum over pairs  w_ab (s_ab log p_ab + (1 - s_ab) log(1 - p_ab))

for the measured scores ``s``. With ``w`` the numbers of deals this is maximum likelihood. With ``w = 1`` every pair
counts alike: where the model does not fit, the answer then does not depend on who was given more deals.

Intervals. The games of a deal are not independent, nor are pairs that met on the same deals, so the inverse
information would be wrong. With ``X`` the pairs' incidence matrix and ``L = X' W diag(p (1 - p)) X``,
``t^ - t = L^+ X' W (s - p) = G (s - p)``, hence the *sandwich* ``G V G'``, ``V`` the covariance of the measured scores:

- per-deal scores (:func:`bradley_terry_from_deals`): ``V`` is exact, whatever pairs share deals (clustered sandwich);
- histograms with the scores of equal blocks of deals: variances from the histograms, correlations from the
  blocks, scaled by ``sqrt(min(n) / max(n))`` as pairs share only their first deals;
- histograms alone: nothing is known of the correlations, and standard errors are added up (*conservative*: right for
  any correlation, up to sqrt(k) too wide); ``correlation="independent"`` if the pairs met on different deals.

The maximum exists if no group of policies has won all its games against all others (Ford 1957). Otherwise half a deal
of draws is added to each pair, and a bound that may be anything is infinite.

*Misfit*: residuals ``s - p`` with their covariance ``(I - D G) V (I - D G)'``; their standardised sum of squares is
compared with ``c chi2(nu)`` of the same mean and variance (Satterthwaite; Rao and Scott 1984), since they are
correlated.

>>> found = bradley_terry({("a", "b"): [100, 0, 250, 0, 150], ("b", "c"): [90, 0, 250, 0, 160],
...                        ("a", "c"): [60, 0, 250, 0, 190]}, correlation="independent")
>>> found.table[["policy", "elo"]].round(0).values.tolist()
[['a', 1542.0], ['b', 1505.0], ['c', 1453.0]]
>>> found.misfit.p_value > 0.05
True
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import linalg, sparse, special
from scipy.sparse import csgraph

from agentsim.errors import InputError, nearest
from agentsim.stats._numeric import FloatArray, check_level, t_value, z_value
from agentsim.stats.clustered import mean_of_deals
from agentsim.stats.intervals import TestResult
from agentsim.stats.simultaneous import adjusted_level, check_method

__all__ = ["ELO", "Ratings", "bradley_terry", "bradley_terry_from_deals", "pair_covariance"]

#: Elo points of one unit of strength.
ELO = 400.0 / math.log(10.0)
MEAN_ELO = 1500.0
_PRIOR = 0.5

Weights = Literal["deals", "pairs"]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Strengths and what they rest on.

    Attributes
    ----------
    table : by policy, the strongest first: ``rank, policy, elo, low, high, se`` (in Elo points, simultaneous over the
        policies), ``rank_low, rank_high`` (ranks that the differences of all pairs leave open), ``n_deals``,
        ``n_games, level, method, family_size``.
    residuals : by pair: ``policy_a, policy_b, score, expected, residual`` (fractions), ``se, z, clear`` (whether ``z``
        is clear among all pairs), the largest ``|z|`` first.
    misfit : the test that all residuals are chance.
    covariance : of the strengths, in Elo points squared, in the order ``names``.
    unbounded : policies of groups that won or lost everything against the rest.
    variance : how the variance was found: ``sandwich``, ``conservative``, ``independent`` or ``bootstrap``.
    """

    table: pd.DataFrame
    residuals: pd.DataFrame
    misfit: TestResult
    covariance: FloatArray
    names: tuple[str, ...]
    unbounded: tuple[str, ...]
    variance: str


@dataclass(frozen=True, eq=False)
class _Scores:
    """Measured scores of pairs: by pair the two policies, the score, deals and games; the covariance of the scores."""

    pairs: list[tuple[str, str]]
    score: FloatArray
    n_deals: FloatArray
    n_games: FloatArray
    covariance: FloatArray
    df: float
    variance: str


def bradley_terry(
    histograms: Mapping[tuple[str, str], npt.ArrayLike], *, blocks: npt.ArrayLike | None = None,
    correlation: Literal["conservative", "independent"] = "conservative", weights: Weights = "deals",
    level: float = 0.95, method: str = "sidak",
) -> Ratings:
    """Ratings from histograms of deal scores.

    Parameters
    ----------
    histograms : for each pair ``(a, b)``, counts of deals by the half-points of ``a``; one entry per pair, in either
        order; mirrors and pairs without deals are left out.
    blocks : shape (blocks, pairs in the order of ``histograms``), mean scores of ``a`` in equal blocks of deals, row by
        row the same deals, NaN where a pair did not play them. At least 8 blocks in common make a correlation.
    correlation : what to assume without blocks.
    weights : ``deals`` (maximum likelihood) or ``pairs`` (each counts alike).
    level, method : of the ratings together; ``sidak``, ``bonferroni`` or ``pointwise``.

    Raises InputError for a pair given twice, fewer than two policies, and policies that never met, directly or through
    others.
    """
    kept = {pair: np.asarray(counts) for pair, counts in histograms.items() if pair[0] != pair[1]}
    if correlation not in ("conservative", "independent"):
        raise InputError(f"unknown correlation '{correlation}'", key="correlation",
                         allowed="conservative, independent")
    found = [mean_of_deals(counts) for counts in kept.values()]
    played = [at for at, interval in enumerate(found) if interval.n]
    pairs = [list(kept)[at] for at in played]
    # The standard error behind the guarded interval: never 0, and with many deals the plain one.
    se = np.array([found[at].half_width / z_value(0.95) for at in played])
    n = np.array([found[at].n for at in played], dtype=np.float64)
    games = np.array([found[at].n_games for at in played], dtype=np.float64)
    df, variance = math.inf, str(correlation)
    covariance: FloatArray = np.diag(se**2)
    if blocks is not None:
        table = np.asarray(blocks, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(histograms):
            raise InputError(f"shape {table.shape} for {len(histograms)} pairs", key="blocks",
                             allowed="(blocks, pairs)")
        kept_columns = [at for at, pair in enumerate(histograms) if pair[0] != pair[1]]
        covariance, df = pair_covariance(se, n, table[:, [kept_columns[at] for at in played]])
        variance = "sandwich"
    scores = _Scores(pairs, np.array([found[at].estimate for at in played]), n, games, covariance, df, variance)
    return _rate(scores, weights, level, method)


def bradley_terry_from_deals(
    scores: npt.ArrayLike, pairs: Sequence[tuple[str, str]], *, games_per_deal: int = 2, weights: Weights = "deals",
    level: float = 0.95, method: str = "sidak", bootstrap: int = 0, seed: int = 0,
) -> Ratings:
    """Ratings from per-deal scores, with the exact covariance of pairs that met on the same deals.

    Parameters
    ----------
    scores : shape (deals, pairs), the score in [0, 1] of the first-named policy; NaN where a pair did not meet.
    pairs : the policies of each column.
    games_per_deal : to count games.
    weights, level, method : as in :func:`bradley_terry`.
    bootstrap, seed : with ``bootstrap`` resamples of the deals (at least 100) the bounds are percentiles of refitted
        strengths instead of the sandwich.

    Raises InputError as :func:`bradley_terry`, for shapes that do not match and values that are no scores.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(pairs) or not len(pairs):
        raise InputError(f"shape {table.shape} for {len(pairs)} pairs", key="scores", allowed="(deals, pairs)")
    if ((table < 0) | (table > 1)).any():
        raise InputError("holds a value that is no score", key="scores", allowed="0 to 1, NaN where nothing was played")
    if bootstrap and (bootstrap != int(bootstrap) or bootstrap < 100):
        raise InputError(f"must be 0 or at least 100, got {bootstrap}", key="bootstrap")
    there = ~np.isnan(table)
    n = there.sum(axis=0).astype(np.float64)
    if (n == 0).any():
        a, b = pairs[int(np.argmax(n == 0))]
        raise InputError(f"the pair {a}, {b} has no deals", key="scores")
    mean = np.where(there, table, 0.0).sum(axis=0) / n
    centred = np.where(there, table - mean, 0.0)
    # n / (n - 1) for the estimated means.
    factor = np.sqrt(n / np.maximum(n - 1.0, 1.0)) / n
    covariance: FloatArray = (centred.T @ centred) * np.outer(factor, factor)
    measured = _Scores(list(pairs), mean, n, n * games_per_deal, covariance, float(n.min() - 1.0), "sandwich")
    found = _rate(measured, weights, level, method)
    if not bootstrap:
        return found
    filled, mask = np.where(there, table, 0.0), there.astype(np.float64)
    rng = np.random.default_rng(seed)
    names, first, second = _incidence(measured.pairs)
    draws = np.empty((int(bootstrap), len(names)))
    start, _ = _fit(first, second, len(names), mean, _weights(weights, n))
    for at in range(int(bootstrap)):
        times = rng.multinomial(len(table), np.full(len(table), 1.0 / len(table)))
        count = times @ mask
        # A pair that no resampled deal holds, or that was won whole, is pulled in by a trifle.
        score = (times @ filled + 0.5 * 1e-3) / (count + 1e-3)
        draws[at] = _fit(first, second, len(names), score, _weights(weights, count + 1e-3), start)[0]
    tail = (1.0 - adjusted_level(len(names), level, method)) / 2.0
    low, high = MEAN_ELO + ELO * np.quantile(draws, [tail, 1.0 - tail], axis=0)
    place = {name: at for at, name in enumerate(names)}
    order = [place[name] for name in found.table["policy"]]
    table_out = found.table.assign(low=low[order], high=high[order], se=ELO * draws.std(axis=0, ddof=1)[order])
    return Ratings(table_out, found.residuals, found.misfit, ELO**2 * np.cov(draws, rowvar=False), found.names,
                   found.unbounded, "bootstrap")


def pair_covariance(se: FloatArray, n_deals: FloatArray, blocks: FloatArray) -> tuple[FloatArray, float]:
    """Covariance of the scores of pairs, and the degrees of freedom behind it.

    ``se`` (pairs,) are their standard errors, ``n_deals`` their deals (each its first ones), ``blocks``
    (blocks, pairs) their scores in equal blocks of these deals, NaN where not played. Pairs with fewer than 8 blocks in
    common count as uncorrelated.
    """
    there = ~np.isnan(blocks)
    k = blocks.shape[1]
    common = there.T.astype(np.float64) @ there.astype(np.float64)
    correlation = np.eye(k)
    # Pairs played a prefix of the blocks, so groups of equal length share their centring.
    for length in np.unique(np.diag(common)):
        rows = int(length)
        if rows < 8:
            continue
        has = np.flatnonzero(np.diag(common) >= rows)
        own = np.flatnonzero(np.diag(common) == rows)
        part = blocks[:rows][:, has]
        part = part - part.mean(axis=0)
        size = np.sqrt((part**2).sum(axis=0))
        part = part / np.where(size > 0, size, 1.0)
        found = part.T @ part
        here = np.searchsorted(has, own)
        correlation[np.ix_(own, has)] = found[here]
        correlation[np.ix_(has, own)] = found[:, here]
    np.fill_diagonal(correlation, 1.0)
    values, vectors = linalg.eigh((correlation + correlation.T) / 2.0)
    if values[0] < 0:  # measured pair by pair, the matrix need not be a covariance: the nearest that is
        correlation = (vectors * np.maximum(values, 0.0)) @ vectors.T
        size = np.sqrt(np.diag(correlation))
        correlation = correlation / np.outer(size, size)
    share = np.sqrt(np.minimum.outer(n_deals, n_deals) / np.maximum.outer(n_deals, n_deals))
    return correlation * share * np.outer(se, se), float(max(np.diag(common).min() - 1.0, 1.0))


# ------------------------------------------------------------------------------------------------ the fit


def _incidence(pairs: Sequence[tuple[str, str]]) -> tuple[list[str], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    place = {name: at for at, name in enumerate(names)}
    return names, np.array([place[a] for a, _ in pairs]), np.array([place[b] for _, b in pairs])


def _weights(weights: str, n: FloatArray) -> FloatArray:
    if weights not in ("deals", "pairs"):
        raise InputError(f"unknown weights '{weights}'", key="weights", allowed="deals, pairs",
                         nearest=nearest(weights, ("deals", "pairs")))
    return n / n.mean() if weights == "deals" else np.ones_like(n)


def _fit(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64], k: int, score: FloatArray, weight: FloatArray,
         start: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Strengths of mean 0 and the pseudo-inverse of the information, by Newton's method with step halving."""
    rows = np.arange(len(first))
    x = np.zeros((len(first), k))
    x[rows, first], x[rows, second] = 1.0, -1.0

    def loss(t: FloatArray) -> float:
        gap = t[first] - t[second]
        return float((weight * (np.logaddexp(0.0, gap) - score * gap)).sum())

    strength = np.zeros(k) if start is None else start
    here = loss(strength)
    inverse = np.zeros((k, k))
    for _ in range(200):
        p = special.expit(strength[first] - strength[second])
        gradient = x.T @ (weight * (p - score))
        information = (x * (weight * p * (1.0 - p))[:, np.newaxis]).T @ x
        # All ones are its kernel in a connected field.
        inverse = linalg.inv(information + 1.0 / k) - 1.0 / k
        step = -inverse @ gradient
        if float(np.abs(step).max()) < 1e-10:
            break
        length = 1.0
        while loss(strength + length * step) > here + 1e-15 and length > 1e-6:
            length /= 2.0
        strength = strength + length * step
        strength = strength - strength.mean()
        here = loss(strength)
    return strength, inverse


def _rate(scores: _Scores, weights: str, level: float, method: str) -> Ratings:
    check_level(level)
    check_method(method)
    seen = {frozenset(pair) for pair in scores.pairs}
    if len(seen) < len(scores.pairs):
        raise InputError("holds a pair twice", key="pairs", allowed="one entry per pair, in either order")
    if not scores.pairs:
        raise InputError("holds no pair that met", key="pairs", allowed="two policies or more")
    names, first, second = _incidence(scores.pairs)
    k, m = len(names), len(scores.pairs)
    unbounded = _separated(names, first, second, scores.score)
    score = scores.score
    if unbounded:
        score = (scores.n_deals * score + _PRIOR / 2.0) / (scores.n_deals + _PRIOR)
    weight = _weights(weights, scores.n_deals)
    strength, inverse = _fit(first, second, k, score, weight)
    p = special.expit(strength[first] - strength[second])
    x = np.zeros((m, k))
    x[np.arange(m), first], x[np.arange(m), second] = 1.0, -1.0
    pull = inverse @ (x.T * weight)  # G
    covariance = pull @ scores.covariance @ pull.T
    errors = np.sqrt(np.diag(scores.covariance))
    conservative = scores.variance == "conservative"
    se = np.abs(pull) @ errors if conservative else np.sqrt(np.maximum(np.diag(covariance), 0.0))
    cell = float(t_value(adjusted_level(k, level, method), scores.df)) if scores.df < np.inf else z_value(
        adjusted_level(k, level, method))
    low, high = strength - cell * se, strength + cell * se
    for name, side in unbounded.items():
        at = names.index(name)
        low[at], high[at] = (low[at], np.inf) if side > 0 else (-np.inf, high[at])

    # Ranks that are open: all differences at once.
    gap = strength[:, np.newaxis] - strength
    if conservative:
        gap_se = np.abs(pull[:, np.newaxis, :] - pull[np.newaxis]) @ errors
    else:
        own = np.diag(covariance)
        gap_se = np.sqrt(np.maximum(own[:, np.newaxis] + own - 2.0 * covariance, 0.0))
    number = adjusted_level(k * (k - 1) // 2, level, method)
    reach = float(t_value(number, scores.df)) if scores.df < np.inf else z_value(number)
    above = (gap > reach * gap_se) & ~np.eye(k, dtype=bool)
    met = np.zeros(k), np.zeros(k)
    for ends in (first, second):
        np.add.at(met[0], ends, scores.n_deals)
        np.add.at(met[1], ends, scores.n_games)
    table = pd.DataFrame({
        "policy": names, "elo": MEAN_ELO + ELO * strength, "low": MEAN_ELO + ELO * low, "high": MEAN_ELO + ELO * high,
        "se": ELO * se, "rank_low": 1 + above.sum(axis=0), "rank_high": k - above.sum(axis=1),
        "n_deals": met[0].astype(np.int64), "n_games": met[1].astype(np.int64), "level": level, "method": method,
        "family_size": k,
    }).sort_values("elo", ascending=False, kind="stable").reset_index(drop=True)
    table.insert(0, "rank", np.arange(1, k + 1))
    residuals, misfit = _residuals(scores, p, x, pull, level)
    return Ratings(table, residuals, misfit, ELO**2 * covariance, tuple(names), tuple(unbounded), scores.variance)


def _residuals(scores: _Scores, p: FloatArray, x: FloatArray, pull: FloatArray, level: float
               ) -> tuple[pd.DataFrame, TestResult]:
    m, k = x.shape
    keep = np.eye(m) - (p * (1.0 - p))[:, np.newaxis] * (x @ pull)
    spread = keep @ scores.covariance @ keep.T
    residual = scores.score - p
    se = np.sqrt(np.maximum(np.diag(spread), 0.0))
    # With no more pairs than strengths nothing is left over, but for rounding.
    tells = se > 1e-6 * np.sqrt(np.diag(scores.covariance))
    z = np.where(tells, residual / np.where(tells, se, 1.0), 0.0)
    table = pd.DataFrame({
        "policy_a": [a for a, _ in scores.pairs], "policy_b": [b for _, b in scores.pairs], "score": scores.score,
        "expected": p, "residual": residual, "se": np.where(tells, se, np.nan), "z": z,
        "clear": np.abs(z) > z_value(adjusted_level(int(tells.sum()), level)),
        "n_deals": scores.n_deals.astype(np.int64), "n_games": scores.n_games.astype(np.int64)})
    table = table.sort_values("z", key=lambda column: -column.abs(), kind="stable").reset_index(drop=True)
    deals = int(scores.n_deals.sum())
    freedom = m - k + 1
    if freedom < 1 or not tells.any():
        return table, TestResult(math.nan, 1.0, 0, deals, "rao-scott")
    root = np.where(tells, 1.0 / np.where(tells, se, 1.0), 0.0)
    shape = spread * np.outer(root, root)
    trace, square = float(np.trace(shape)), float((shape**2).sum())
    scale, nu = square / trace, trace**2 / square
    statistic = float((z**2).sum()) / scale
    p_value = float(special.gammaincc(nu / 2.0, statistic / 2.0))
    return table, TestResult(statistic, p_value, freedom, deals, "rao-scott")


def _separated(names: Sequence[str], first: npt.NDArray[np.int64], second: npt.NDArray[np.int64], score: FloatArray
               ) -> dict[str, int]:
    """Policies whose strength has no bound above (+1) or below (-1); InputError if some never met the others."""
    k = len(names)
    graph = sparse.coo_matrix((np.ones(len(first)), (first, second)), shape=(k, k))
    parts, label = csgraph.connected_components(graph, directed=False)
    if parts > 1:
        inside = [name for name, part in zip(names, label, strict=True) if part == label[0]]
        outside = [name for name, part in zip(names, label, strict=True) if part != label[0]]
        raise InputError(f"{', '.join(inside[:3])} never met {', '.join(outside[:3])}, directly or through others",
                         key="pairs", allowed="a connected field")
    # An edge from a to b: a took something off b.
    rows = np.concatenate([first[score > 0], second[score < 1]])
    columns = np.concatenate([second[score > 0], first[score < 1]])
    wins = sparse.coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(k, k)).tocsr()
    parts, label = csgraph.connected_components(wins, directed=True, connection="strong")
    if parts == 1:
        return {}
    beaten = np.zeros(parts, dtype=bool)  # something was taken off this group by another
    took = np.zeros(parts, dtype=bool)
    for row, column in zip(*wins.nonzero(), strict=True):
        if label[row] != label[column]:
            took[label[row]] = beaten[label[column]] = True
    return {name: 1 if not beaten[part] else -1 for name, part in zip(names, label, strict=True)
            if not beaten[part] or not took[part]}
