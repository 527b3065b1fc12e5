"""What all analyses share: facts about a run for captions, who is strongest, sums by deal, words for numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.games.base import get_game
from agentsim.report import Finding, numbers, theme
from agentsim.runs import Run
from agentsim.stats import Interval, strength, win_rate_matrix

__all__ = [
    "Ints", "about", "caption", "clear", "finding", "hit_sums", "largest", "listed", "local", "number",
    "pair_histograms", "part_sums", "percent", "points", "rows_of", "smallest", "strongest", "who",
]

LEVEL = 0.95
"""Confidence level of every interval, or of every family of intervals."""
Ints: TypeAlias = NDArray[np.integer[Any]]
"""Whole numbers of any width: there are millions of turns, so they are kept as narrow as they may be."""
CHANCE_FAMILIES = ("random", "random_discards")
"""The families whose choice between the two cards is a fair coin."""


# ------------------------------------------------------------------------------------------------ about a run


def about(run: Run) -> pd.DataFrame:
    """One row of facts that captions need.

    Columns ``name, game, seed, log, n_games, n_deals, n_matchups, policies, changes``. ``n_deals`` counts different
    deals: all matchups of a run are played on the same ones. ``changes`` names the rules that differ from the
    publisher's, "" if none do.
    """
    matchups = run.matchups
    keys = get_game(run.experiment.game).rule_keys()
    changes = [f"{key.name} = {run.rules[key.name]}" for key in keys
               if key.name in run.rules and run.rules[key.name] != key.default
               and not key.name.endswith(".provenance")]  # who made a card up is no rule
    return pd.DataFrame([{
        "name": run.experiment.name, "game": run.experiment.game, "seed": str(run.seed), "log": run.log,
        "n_games": run.n_games, "n_deals": int(matchups["n_deals"].max()), "n_matchups": len(matchups),
        "policies": ", ".join(policy.label for policy in run.experiment.policies), "changes": ", ".join(changes),
    }])


def caption(facts: pd.DataFrame, *, n_games: int | None = None, n_deals: int | None = None,
            policies: str | Sequence[str] = "", interval: str = "95 % intervals", note: str = "") -> str:
    """The line under a chart, from a table of :func:`about`; what is not given is the whole run's."""
    row = facts.iloc[0]
    named = policies or who(str(row["policies"]).split(", "))
    rules = f"Changed rules: {row['changes']}." if row["changes"] else ""
    return theme.caption(int(row["n_games"]) if n_games is None else n_games,
                         int(row["n_deals"]) if n_deals is None else n_deals, seed=int(row["seed"]), policies=named,
                         interval=interval, note=" ".join(filter(None, (note, rules))))


def who(policies: Iterable[str]) -> str:
    """Policies for a caption: by name if they are few."""
    labels = list(policies)
    return ", ".join(labels) if len(labels) <= 6 else f"all {len(labels)} in the run"


def pair_histograms(run: Run) -> dict[tuple[str, str], NDArray[np.int64]]:
    """For every matchup of two different policies: counts of deals by the half-points of the first one."""
    found = {}
    for (_, row), tally in zip(run.matchups.iterrows(), run.tallies(), strict=True):
        if not row["mirror"]:
            found[str(row["policy_a"]), str(row["policy_b"])] = tally.get("deal_score_a", np.zeros(5, np.int64))
    return found


def strongest(run: Run) -> str:
    """The policy with the best mean score against all others of the run.

    The last policy listed if the run is no round robin (the shipped list has its baselines first).
    """
    matrix = win_rate_matrix(pair_histograms(run))
    labels = [policy.label for policy in run.experiment.policies]
    n = matrix["policy_a"].nunique()
    if n < 2 or len(matrix) < n * (n - 1) or (matrix["n_deals"] < 2).any():
        return "expert" if "expert" in labels else labels[-1]
    return str(strength(matrix)["policy"].iloc[0])


# ------------------------------------------------------------------------------------------------ sums by deal


def hit_sums(cell: NDArray[Any], n_cells: int, deal: NDArray[Any], hit: NDArray[Any]) -> pd.DataFrame:
    """Sums over deals for the share of rows with ``hit``, per cell: what ``stats.ratio_table`` takes, with ``cell``.

    ``cell``, ``deal`` and ``hit`` have one entry per row; ``hit`` is in [0, 1]. Cells without rows are left out.
    """
    rows = []
    for number, (deals, hits) in _slices(cell, n_cells, deal, hit):
        den = np.bincount(deals).astype(np.float64)
        rows.append((number, *_products(np.bincount(deals, weights=hits).astype(np.float64), den)))
    return pd.DataFrame(rows, columns=["cell", *_SUMS])


def part_sums(cell: NDArray[Any], n_cells: int, deal: NDArray[Any], part: NDArray[Any], n_parts: int) -> pd.DataFrame:
    """Sums over deals for the share that each part has of a cell's rows: the same with ``cell`` and ``part``.

    Parts that do not occur in a cell are listed with a share of 0.
    """
    rows = []
    for number, (deals, parts) in _slices(cell, n_cells, deal, part):
        n_deals = int(deals.max()) + 1
        den = np.bincount(deals, minlength=n_deals).astype(np.float64)
        nums = np.bincount(parts.astype(np.int64) * n_deals + deals, minlength=n_parts * n_deals)
        for at in range(n_parts):
            num = nums[at * n_deals:(at + 1) * n_deals].astype(np.float64)
            rows.append((number, at, *_products(num, den)))
    return pd.DataFrame(rows, columns=["cell", "part", *_SUMS])


_SUMS = ("n_deals", "num", "den", "num_num", "num_den", "den_den")


def _products(num: NDArray[np.float64], den: NDArray[np.float64]) -> tuple[float, ...]:
    # No BLAS here: for sums as short as these it spends its time waking threads.
    return (float(np.count_nonzero(den)), float(num.sum()), float(den.sum()), float((num * num).sum()),
            float((num * den).sum()), float((den * den).sum()))


def _slices(cell: NDArray[Any], n_cells: int, deal: NDArray[Any], value: NDArray[Any]) -> Iterable[
    tuple[int, tuple[NDArray[np.int64], NDArray[Any]]]
]:
    """The rows of one cell after the other, with their deals numbered anew where they are few of many."""
    keys = cell.astype(np.uint16) if n_cells < 65_536 else cell  # 16-bit keys are sorted by radix
    order = np.argsort(keys, kind="stable")
    ends = np.cumsum(np.bincount(cell, minlength=n_cells))
    start = 0
    for number, end in enumerate(ends):
        rows = order[start:int(end)]
        start = int(end)
        if len(rows) == 0:
            continue
        deals = deal[rows]
        if 4 * len(rows) < int(deals.max()) + 1:
            deals = np.unique(deals, return_inverse=True)[1]
        yield number, (deals.astype(np.int64), value[rows])


# ------------------------------------------------------------------------------------------------ rows


def rows_of(table: pd.DataFrame) -> Iterable[Any]:
    """The rows of a table, one after the other, with the columns as attributes."""
    return table.itertuples(index=False)


def largest(rows: pd.DataFrame, column: str, *, size: bool = False) -> pd.Series:
    """The row with the largest number in ``column``, or with the one furthest from 0 if ``size``."""
    values = rows[column].to_numpy(dtype=float)
    return rows.iloc[int(np.nanargmax(np.abs(values) if size else values))]


def smallest(rows: pd.DataFrame, column: str) -> pd.Series:
    """The row with the smallest number in ``column``."""
    return rows.iloc[int(np.nanargmin(rows[column].to_numpy(dtype=float)))]


def clear(row: Mapping[str, Any] | pd.Series, reference: float, low: str = "low", high: str = "high") -> int:
    """+1 if the whole interval lies above ``reference``, -1 if below, 0 if it does not say."""
    return 1 if row[low] > reference else -1 if row[high] < reference else 0


# ------------------------------------------------------------------------------------------------ words for numbers


def percent(rate: Any, decimals: int = 1) -> str:
    """``52.3 %``."""
    return numbers.value(rate, "percent", decimals)


def points(difference: Any, decimals: int = 1) -> str:
    """``+2.3 pp``: a difference of two rates."""
    return numbers.value(difference, "points", decimals)


def number(raw: Any, decimals: int = 1) -> str:
    """``7.3``."""
    return numbers.value(raw, "number", decimals)


def listed(words: Sequence[str], joint: str = "and") -> str:
    """``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def finding(text: str, source: Interval | pd.Series | Mapping[str, Any], *, estimate: str = "estimate",
            low: str = "low", high: str = "high", n: int | None = None, deals: int | None = None,
            **options: Any) -> Finding | None:
    """A finding from an interval or a row of a table; None if there is no number to show."""
    if isinstance(source, Interval):
        values = (source.estimate, source.low, source.high)
        n = source.n_games if n is None else n
        deals = source.n_deals if deals is None else deals
    else:
        values = (float(source[estimate]), float(source[low]), float(source[high]))
        n = int(source["n_games"]) if n is None and "n_games" in source else n
        deals = int(source["n_deals"]) if deals is None and "n_deals" in source else deals
    if n is None or not all(math.isfinite(value) for value in values):
        return None
    return Finding(text, *values, n=n, deals=deals, **options)


def local(findings: Iterable[Finding]) -> list[Finding]:
    """The same findings for their own page, where a link to it would lead nowhere."""
    return [replace(item, section="") for item in findings]
