"""How two policies differ in style: what each hides, takes and discards, how long their games are and how they end.

All numbers are of the games of one match, in which both play every deal from both seats. Whatever is counted per offer
or choice is clustered by deal; differences are of the two policies over the same deals. All intervals of the table hold
together (Sidak).

*Hides the better card*: of a policy's offers with one card better for whoever chooses, by the policy greedy's value of
the outcome (:func:`analyses.turnlog.offers`), those in which it lies face down. For the base game only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.runs import Run
from agentsim.stats import Interval, adjusted_level, cluster_ratio, difference_of_ratios
from analyses.common import LEVEL
from analyses.turnlog import load_turns, offers

__all__ = ["style"]

Sums = NDArray[np.float64]
Both = tuple[Sums, Sums]


@dataclass(frozen=True)
class _Measure:
    """A number of each of the two policies: per policy the sums over deals of what is counted, and of what it is of."""

    key: str
    label: str
    of: str
    counts: Both
    whole: Both
    most: float = 1.0
    """The largest possible value: 1 for a share."""


def style(run: Run, level: float = LEVEL) -> pd.DataFrame:
    """The style of the two policies of a run with one matchup and a log of turns.

    Columns ``measure, label, of`` (what a share is of), ``rate`` (whether it is a share), ``a, a_low, a_high, n_a``
    (how many offers, choices or games), the same with ``b``, ``difference, low, high`` (a minus b), ``clear`` (+1, -1:
    the whole interval lies on one side of 0), ``n_deals, n_games, family_size``. The last row, ``length``, is of both
    together: ``a`` is the mean number of turns of a game, and there is no difference. Ends that never occurred are left
    out.
    """
    measures = _measures(run)
    size = 3 * len(measures) + 1
    each = adjusted_level(size, level)
    games = run.sql("SELECT deal_id, n_turns FROM games")
    n_games, n_deals = len(games), int(games["deal_id"].nunique())
    rows = []
    for one in measures:
        bounds = (0.0, one.most)
        a, b = (cluster_ratio(one.counts[who], one.whole[who], each, bounds=bounds) for who in (0, 1))
        gap = difference_of_ratios(one.counts[0], one.whole[0], one.counts[1], one.whole[1], each, bounds=bounds)
        rows.append({"measure": one.key, "label": one.label, "of": one.of, "rate": one.most == 1.0, **_columns("a", a),
                     **_columns("b", b), "difference": gap.estimate, "low": gap.low, "high": gap.high,
                     "clear": 1 if gap.low > 0 else -1 if gap.high < 0 else 0})
    deal = games["deal_id"].to_numpy(np.int64)
    length = cluster_ratio(np.bincount(deal, games["n_turns"].to_numpy(float)), np.bincount(deal), each, bounds=None)
    none = math.nan
    rows.append({"measure": "length", "label": "turns in a game", "of": "games", "rate": False, **_columns("a", length),
                 "b": none, "b_low": none, "b_high": none, "n_b": 0, "difference": none, "low": none, "high": none,
                 "clear": 0})
    return pd.DataFrame(rows).assign(n_deals=n_deals, n_games=n_games, family_size=size)


def _columns(name: str, found: Interval) -> dict[str, float]:
    return {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high, f"n_{name}": found.n}


def _measures(run: Run) -> list[_Measure]:
    a = run.experiment.policies[0].label
    games = run.sql("""
        SELECT deal_id, (policy_0 = $a) AS a_starts, discards_0, discards_1, winner, end_reason FROM games
        ORDER BY game_id""", a=a)
    deal, starts = games["deal_id"].to_numpy(np.int64), games["a_starts"].to_numpy(bool)
    n = int(deal.max()) + 1

    def summed(values: Mapping[bool, NDArray[np.float64]]) -> Both:
        """Sums by deal for policy a and b, from what seat 0 (True) and seat 1 did in each game."""
        mine, its = (np.where(starts == who, values[True], values[False]) for who in (True, False))
        return _summed(deal, mine, n), _summed(deal, its, n)

    every = _summed(deal, np.ones(len(deal)), n)
    found = _of_turns(run, a, n)
    rules = run.experiment.rules()
    # Of a side: two players have twice as many.
    most = float(2 * rules.discards)
    if most:
        found.append(_Measure("discards", "discards in a game", "games", summed({
            True: games["discards_0"].to_numpy(float), False: games["discards_1"].to_numpy(float)}), (every, every),
            most))
    winner = games["winner"].fillna(-1).to_numpy(np.int64)
    for reason in games.loc[winner >= 0, "end_reason"].value_counts().index:
        ended = (games["end_reason"] == reason).to_numpy()
        words = str(reason).replace("_", " ")
        found.append(_Measure(f"wins_{reason}", f"wins by {words}", "games", summed({
            True: (ended & (winner == 0)).astype(float), False: (ended & (winner == 1)).astype(float)}),
            (every, every)))
    return found


def _of_turns(run: Run, a: str, n: int) -> list[_Measure]:
    turns = run.sql("""
        SELECT games.deal_id, (CASE active WHEN 0 THEN policy_0 ELSE policy_1 END = $a) AS a_offers, took_face_up
        FROM turns JOIN games USING (game_id) WHERE face_up <> face_down ORDER BY game_id, turn""", a=a)
    deal, by_a = turns["deal_id"].to_numpy(np.int64), turns["a_offers"].to_numpy(bool)
    took = turns["took_face_up"].to_numpy(float)
    # Who is offered something chooses.
    found = [_Measure("takes_up", "takes the face-up card", "choices",
                      (_summed(deal, took * ~by_a, n), _summed(deal, took * by_a, n)),
                      (_summed(deal, ~by_a, n), _summed(deal, by_a, n)))]
    rules = run.experiment.rules()
    if not rules.plain:
        return found
    logged = load_turns(run)
    judged = offers(logged, rules)
    told = judged.better != 0
    deals = logged.deal[logged.game].astype(np.int64)[told]
    hides, offerer = (judged.better < 0)[told], judged.offerer[told]
    return [_Measure("hides", "hides the better card", "offers with one card better",
                     (_summed(deals, hides & (offerer == 0), n), _summed(deals, hides & (offerer == 1), n)),
                     (_summed(deals, offerer == 0, n), _summed(deals, offerer == 1, n))), *found]


def _summed(deal: NDArray[np.int64], values: NDArray[Any], n: int) -> Sums:
    """Sums of values over the rows of each of ``n`` deals."""
    found: Sums = np.bincount(deal, weights=np.asarray(values, np.float64), minlength=n).astype(np.float64)
    return found
