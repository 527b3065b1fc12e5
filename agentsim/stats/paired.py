"""Comparisons of two treatments played on the same deals.

Definitions. Deal ``i`` gives the scores ``a_i`` and ``b_i``, in [0, 1] (two policies against one opponent, or one
matchup under two rules). Luck of the cards that both share cancels in ``a_i - b_i``.

- Paired difference: the mean of ``a_i - b_i`` with the guarded score interval within [-1, 1] (``docs/statistics.md``).
- Sign test: among deals with ``a_i != b_i``, is either side more often ahead? Exact binomial; it asks about the
  *frequency* of being ahead, not about the mean.
- McNemar (1947) on games that both treatments played: only the games won by exactly one of them count. Exact if games
  are independent; with several games a deal the statistic ``sum (b_i - c_i) / sqrt(sum (b_i - c_i)^2)`` over deals
  (Obuchowski 1998; Durkalski, Palesch, Lipsitz and Rust 2003).

>>> paired_difference([1, 0.5, 1, 0.5] * 50, [0.5, 0.5, 1, 0.0] * 50).format_percent(signed=True)
'+25.0 pp [+21.0, +28.9]'
>>> round(sign_test([1, 1, 1, 0, 1, 1], [0, 0, 0, 0, 0, 1]).p_value, 4)
0.125
>>> round(mcnemar(5, 15).p_value, 4)
0.0414
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from agentsim.errors import InputError
from agentsim.stats._numeric import FloatArray, real_vector, sign_test_p, two_sided_p, whole_vector
from agentsim.stats.clustered import bounded_mean
from agentsim.stats.intervals import Interval, TestResult

__all__ = ["paired_difference", "paired_difference_from_counts", "sign_test", "mcnemar", "mcnemar_by_deal"]


def _scores(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = real_vector(a, "scores_a"), real_vector(b, "scores_b")
    if len(first) != len(second):
        raise InputError(f"{len(first)} scores beside {len(second)}", key="scores_a",
                         allowed="the same deals in the same order")
    for key, scores in (("scores_a", first), ("scores_b", second)):
        if (scores < 0).any() or (scores > 1).any():
            raise InputError("holds a value that is no score", key=key, allowed="0 to 1")
    return first, second


def paired_difference(
    scores_a: npt.ArrayLike, scores_b: npt.ArrayLike, level: float = 0.95, *, n_games: int | None = None
) -> Interval:
    """Mean of ``a - b`` over common deals; ``n`` counts deals, all NaN without any.

    Scores are in [0, 1], row i of both from deal i. Raises InputError otherwise.
    """
    a, b = _scores(scores_a, scores_b)
    d = a - b
    n = len(d)
    mean, variance = (float(d.mean()), float(d.var())) if n else (math.nan, math.nan)
    return bounded_mean(mean, variance, n, games=n_games, level=level, bounds=(-1.0, 1.0), method="paired-deals")


def paired_difference_from_counts(joint: npt.ArrayLike, level: float = 0.95) -> Interval:
    """The same from a table of counts: ``joint[g, h]`` deals in which a made ``g`` half-points and b made ``h``.

    Square, of 2 m + 1 rows for m games a deal. ``n_games`` of the result counts the games of both sides. Raises
    InputError for another shape or values that are no counts.
    """
    table = np.asarray(joint)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.shape[0] < 3 or table.shape[0] % 2 == 0:
        raise InputError(f"has shape {table.shape}", key="joint", allowed="2 m + 1 rows and columns for m games a deal")
    top = table.shape[0] - 1
    counts = [int(count) for count in whole_vector(table.ravel(), "joint")]
    gaps = [g - h for g in range(top + 1) for h in range(top + 1)]
    n = sum(counts)
    first = sum(gap * count for gap, count in zip(gaps, counts, strict=True))
    second = sum(gap * gap * count for gap, count in zip(gaps, counts, strict=True))
    mean = first / (n * top) if n else math.nan
    variance = (n * second - first * first) / (n * n * top * top) if n else math.nan
    return bounded_mean(mean, variance, n, games=n * top, level=level, bounds=(-1.0, 1.0), method="paired-deals")


def sign_test(scores_a: npt.ArrayLike, scores_b: npt.ArrayLike) -> TestResult:
    """Exact sign test over deals; ``statistic`` is the share with a ahead of the ``n`` deals with a difference."""
    a, b = _scores(scores_a, scores_b)
    plus, minus = int((a > b).sum()), int((a < b).sum())
    share = plus / (plus + minus) if plus + minus else math.nan
    return TestResult(share, sign_test_p(plus, minus), plus + minus, len(a), "sign-test")


def mcnemar(only_a: int, only_b: int) -> TestResult:
    """Exact McNemar test for *independent* games: won under a only, and under b only (the others do not matter).

    ``statistic`` is the usual ``(b - c)^2 / (b + c)``; ``n`` and ``n_deals`` count the games that differ. Raises
    InputError for values that are no counts.
    """
    plus, minus = (int(count) for count in whole_vector([only_a, only_b], "only_a, only_b"))
    total = plus + minus
    statistic = (plus - minus) ** 2 / total if total else math.nan
    return TestResult(statistic, sign_test_p(plus, minus), total, total, "mcnemar-exact")


def mcnemar_by_deal(only_a_by_deal: npt.ArrayLike, only_b_by_deal: npt.ArrayLike) -> TestResult:
    """McNemar's test for several games a deal: per deal, the games won under a only and under b only.

    ``statistic`` is standard normal under equality when some dozens of deals differ (with fewer than 30 the exact sign
    test over these deals gives the p-value, named ``sign-test-by-deal``); ``n`` counts the deals that differ.
    """
    b = whole_vector(only_a_by_deal, "only_a_by_deal")
    c = whole_vector(only_b_by_deal, "only_b_by_deal")
    if len(b) != len(c):
        raise InputError(f"{len(b)} deals beside {len(c)}", key="only_a_by_deal", allowed="the same deals")
    gap = b - c
    informative = int(np.count_nonzero(gap))
    if informative == 0:
        return TestResult(math.nan, 1.0, 0, len(gap), "mcnemar-by-deal")
    z = float(gap.sum()) / math.sqrt(float((gap * gap).sum()))
    if informative < 30:
        p = sign_test_p(int((gap > 0).sum()), int((gap < 0).sum()))
        return TestResult(z, p, informative, len(gap), "sign-test-by-deal")
    return TestResult(z, two_sided_p(z), informative, len(gap), "mcnemar-by-deal")
