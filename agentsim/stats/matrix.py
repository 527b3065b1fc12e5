"""The win-rate matrix of a round robin: who beats whom, in what order, and around which circles.

Definitions. The score of ``a`` against ``b`` is its mean result per game (a draw is half), averaged over deals; a
mirror says who starts, not who is stronger, and is no part of the matrix. The family is all pairs of policies, and
every interval holds simultaneously over it. *a beats b* if the whole interval lies above 1/2; three policies are a
*non-transitive triple* if a beats b, b beats c and c beats a, all three in that sense. Strength is the mean score
against all others, each counting once.

The matchups of a round robin are played on the same deals, so their scores are correlated. Sidak's adjustment holds for
any correlation. For strength, per-deal scores give the exact variance; from histograms alone the standard errors are
added up, which holds for any correlation (and is up to sqrt(k) too wide for k opponents).

>>> matrix = win_rate_matrix({("rock", "scissors"): [200, 0, 300, 0, 500], ("scissors", "paper"): [200, 0, 300, 0, 500],
...                           ("paper", "rock"): [200, 0, 300, 0, 500]})
>>> nontransitive_triples(matrix)[["a", "b", "c", "weakest_low"]].round(3).values.tolist()
[['paper', 'rock', 'scissors', 0.62]]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from agentsim.errors import InputError
from agentsim.stats._numeric import check_level
from agentsim.stats.clustered import histogram_moments, mean_of_deals
from agentsim.stats.simultaneous import adjusted_level, check_method, max_t_intervals, simultaneous_intervals

__all__ = ["win_rate_matrix", "beats", "nontransitive_triples", "strength", "strength_from_deals"]

_NEEDED = ["policy_a", "policy_b", "score", "low", "high", "sd", "n_deals", "n_games"]
_COLUMNS = [*_NEEDED, "level", "method", "family_size"]


def win_rate_matrix(
    histograms: Mapping[tuple[str, str], npt.ArrayLike], *, level: float = 0.95, method: str = "sidak"
) -> pd.DataFrame:
    """The matrix as a tidy table with simultaneous intervals.

    Parameters
    ----------
    histograms : for each matchup ``(a, b)``, counts of deals by the half-points of ``a`` (see
        :func:`~agentsim.stats.clustered.deal_histogram`). One entry per pair, in either order; mirrors are left out.
    level, method : family-wise level over all pairs; ``sidak``, ``bonferroni`` or ``pointwise``.

    Returns a row for ``(a, b)`` and one for ``(b, a)``: ``policy_a, policy_b, score`` (of a), ``low, high, sd`` (of a
    deal's score), ``n_deals, n_games, level, method, family_size``, in the order of the policies' first mention. NaN
    for pairs without deals. Raises InputError if a pair is given twice.
    """
    pairs = {pair: np.asarray(counts) for pair, counts in histograms.items() if pair[0] != pair[1]}
    for a, b in pairs:
        if (b, a) in pairs:
            raise InputError(f"the pair {a}, {b} is given in both orders", key="histograms",
                             allowed="one entry per pair")
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    cell_level = adjusted_level(len(pairs), level, method)
    rows: list[tuple[object, ...]] = []
    for (a, b), counts in pairs.items():
        interval = mean_of_deals(counts, cell_level)
        variance = histogram_moments(counts)[3]
        n = interval.n
        sd = math.sqrt(variance * n / (n - 1)) if n > 1 else math.nan
        common = (sd, n, interval.n_games, check_level(level), check_method(method), max(1, len(pairs)))
        other = interval.complement()
        rows.append((a, b, interval.estimate, interval.low, interval.high, *common))
        rows.append((b, a, other.estimate, other.low, other.high, *common))
    table = pd.DataFrame(rows, columns=_COLUMNS)
    position = {name: i for i, name in enumerate(names)}
    order = sorted(range(len(rows)), key=lambda i: (position[str(rows[i][0])], position[str(rows[i][1])]))
    return table.iloc[order].reset_index(drop=True)


def _check_matrix(matrix: pd.DataFrame) -> pd.DataFrame:
    missing = [name for name in _NEEDED if name not in matrix.columns]
    if missing:
        raise InputError(f"column '{missing[0]}' is missing", key="matrix", allowed="a result of win_rate_matrix")
    return matrix


def beats(matrix: pd.DataFrame) -> pd.DataFrame:
    """Pairs in which one beats the other by its whole simultaneous interval, the clearest first.

    Columns ``winner, loser, score, low, high, margin`` (score - 1/2), ``n_deals, n_games``.
    """
    table = _check_matrix(matrix)
    clear = table[table["low"] > 0.5].rename(columns={"policy_a": "winner", "policy_b": "loser"})
    clear = clear.assign(margin=clear["score"] - 0.5)
    columns = ["winner", "loser", "score", "low", "high", "margin", "n_deals", "n_games"]
    return clear[columns].sort_values("low", ascending=False, kind="stable").reset_index(drop=True)


def nontransitive_triples(matrix: pd.DataFrame) -> pd.DataFrame:
    """Triples in which a beats b, b beats c and c beats a, each by its whole simultaneous interval.

    Columns ``a, b, c`` (``a`` first in the alphabet), the scores and lower bounds of the edges ``ab, bc, ca``
    (``score_ab, low_ab, ...``) and ``weakest_low``, the least of the three bounds; the clearest triple first. Each is
    listed once.
    """
    table = _check_matrix(matrix)
    names = sorted(set(table["policy_a"]))
    index = {name: i for i, name in enumerate(names)}
    k = len(names)
    score, low = np.full((k, k), np.nan), np.full((k, k), np.nan)
    rows = [index[name] for name in table["policy_a"]], [index[name] for name in table["policy_b"]]
    score[rows], low[rows] = table["score"].to_numpy(float), table["low"].to_numpy(float)
    wins = low > 0.5
    found = []
    for a, b in zip(*np.nonzero(wins), strict=True):
        for c in np.flatnonzero(wins[b] & wins[:, a]):
            if a < b and a < c:  # each circle starts at its first name
                edges = ((a, b), (b, c), (c, a))
                found.append((names[a], names[b], names[c], *(float(score[e]) for e in edges),
                              *(float(low[e]) for e in edges), float(min(low[e] for e in edges))))
    columns = ["a", "b", "c", "score_ab", "score_bc", "score_ca", "low_ab", "low_bc", "low_ca", "weakest_low"]
    result = pd.DataFrame(found, columns=columns)
    return result.sort_values("weakest_low", ascending=False, kind="stable").reset_index(drop=True)


def strength(matrix: pd.DataFrame, *, level: float = 0.95, method: str = "sidak") -> pd.DataFrame:
    """Policies by their mean score against the field, the strongest first, from the matrix alone.

    The standard error is the mean of those of the matchups: an upper bound whatever their correlation, so the intervals
    are conservative; :func:`strength_from_deals` is sharper where per-deal scores are at hand.

    Columns ``rank, policy, score, low, high, se, n_deals`` (the least of its matchups), ``n_games, n_opponents, level,
    method, family, family_size``; simultaneous over policies. Raises InputError if a pair is missing or without deals
    (means over different fields do not compare).
    """
    table = _check_matrix(matrix)
    names = list(dict.fromkeys(table["policy_a"]))
    given = set(zip(table["policy_a"], table["policy_b"], strict=True))
    for a in names:
        for b in names:
            if a != b and (a, b) not in given:
                raise InputError(f"the pair {a}, {b} is missing", key="matrix", allowed="a full round robin")
    if (table["n_deals"] < 2).any():
        row = table[table["n_deals"] < 2].iloc[0]
        raise InputError(f"the pair {row['policy_a']}, {row['policy_b']} has {row['n_deals']} deals", key="matrix",
                         allowed="at least 2")
    parts = table.assign(se=table["sd"] / np.sqrt(table["n_deals"].to_numpy(float)))
    grouped = parts.groupby("policy_a", sort=False)
    result = pd.DataFrame({
        "estimate": grouped["score"].mean(), "se": grouped["se"].mean(), "n": grouped["n_deals"].min(),
        "n_games": grouped["n_games"].sum(), "n_opponents": grouped.size(),
    }).rename_axis("policy").reset_index()
    return _ranked(simultaneous_intervals(result, family="all policies", level=level, method=method, bounds=(0.0, 1.0)))


def strength_from_deals(
    scores: npt.ArrayLike, pairs: Sequence[tuple[str, str]], *, games_per_deal: int, level: float = 0.95,
    replicates: int = 20_000, seed: int = 0,
) -> pd.DataFrame:
    """Policies by their mean score against the field, with max-t intervals from per-deal scores.

    Parameters
    ----------
    scores : shape (deals, matchups): the score in [0, 1] of the first-named policy in each deal, all matchups on the
        same deals.
    pairs : the policies of each matchup; a full round robin without mirrors.
    games_per_deal : games of a matchup in a deal, to count them.
    replicates, seed : draws of the multiplier bootstrap, and their seed.

    Columns as :func:`strength`. Raises InputError for shapes that do not match and for missing or repeated pairs.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != len(pairs):
        raise InputError(f"shape {table.shape} for {len(pairs)} matchups", key="scores", allowed="(deals, matchups)")
    if ((table < 0) | (table > 1)).any():
        raise InputError("holds a value that is no score", key="scores", allowed="0 to 1")
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    if len({frozenset(pair) for pair in pairs if pair[0] != pair[1]}) != len(pairs):
        raise InputError("holds a mirror or a repeated pair", key="pairs", allowed="each pair of policies once")
    if len(pairs) != len(names) * (len(names) - 1) // 2:
        raise InputError(f"{len(pairs)} pairs of {len(names)} policies", key="pairs", allowed="a full round robin")
    field = np.zeros((len(table), len(names)))
    for j, (a, b) in enumerate(pairs):
        field[:, names.index(a)] += table[:, j]
        field[:, names.index(b)] += 1.0 - table[:, j]
    # Rounding of the sum must not leave the unit interval.
    field = np.clip(field / max(1, len(names) - 1), 0.0, 1.0)
    result = max_t_intervals(field, names=names, family="all policies", level=level, replicates=replicates, seed=seed)
    opponents = len(names) - 1
    return _ranked(result.rename(columns={"cell": "policy"}).assign(
        n_games=len(table) * games_per_deal * opponents, n_opponents=opponents))


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    ordered = table.rename(columns={"estimate": "score", "n": "n_deals"})
    ordered = ordered.sort_values("score", ascending=False, kind="stable").reset_index(drop=True)
    ordered = ordered.assign(rank=np.arange(1, len(ordered) + 1))
    return ordered[["rank", "policy", "score", "low", "high", "se", "n_deals", "n_games", "n_opponents", "level",
                    "method", "family", "family_size"]]
