"""What a change of the rules does: two or more rule sets played on the same deals, and compared deal by deal.

Both rule sets get the same seed, so the k-th card off the deck is the same card as long as the deck is, and the random
policies toss the same coins. Luck that both share cancels in the difference of a deal. :func:`measure` plays and adds
up; :func:`differences` compares each change with the base, :func:`doses` lists a curve, :func:`nearest_value` reads
off it. Nothing is written to disk: only sums over deals are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.base import Batch, Game, PolicyRef, ScoredByShares, Table
from agentsim.simulation.progress import Meter
from agentsim.simulation.worker import warm_up
from agentsim.standings import who_plays
from agentsim.stats import adjusted_level, deals_for_half_width
from agentsim.stats.clustered import bounded_mean
from agentsim.stats.intervals import Interval
from analyses.common import LEVEL
from analyses.whatif_shares import game_values, share_metrics

__all__ = ["FIRST_PLAYER", "Measured", "Metric", "Variant", "deals_needed", "differences", "doses", "measure",
           "metrics_of", "nearest_value"]

CHUNK = 20_000
"""Deals at a time: large enough to forget the calls, small enough for the caches."""
_CHUNK_GAMES = 40_000
"""Games at a time where a deal is played in many rotations."""
FIRST_PLAYER = "first_player"


@dataclass(frozen=True)
class Metric:
    """A headline number: the mean over games of something between ``bounds`` (None: no upper bound is known)."""

    key: str
    label: str
    bounds: tuple[float, float] | None = (0.0, 1.0)

    @property
    def is_rate(self) -> bool:
        """Whether it is a share or a score, written in per cent."""
        return self.bounds is not None


@dataclass(frozen=True)
class Variant:
    """A rule set and what to call it."""

    label: str
    rules: Any


@dataclass
class Measured:
    """Sums over deals of a base and its variants, per matchup.

    ``total``, ``square`` and ``cross``: ``[matchup, variant, metric]``, sums over deals of the deal's mean, of its
    square, and of its product with that of the base; variant 0 is the base. NaN where a variant has no such metric.
    """

    metrics: list[Metric]
    variants: list[Variant]
    policies: list[str]
    seed: int
    n_deals: int
    n_games: NDArray[np.int64]  # [matchup, variant]
    total: NDArray[np.float64] = field(repr=False)
    square: NDArray[np.float64] = field(repr=False)
    cross: NDArray[np.float64] = field(repr=False)

    def value(self, matchup: int, variant: int, metric: int, level: float = LEVEL) -> Interval:
        """One number of one rule set, over deals."""
        n, total = self.n_deals, float(self.total[matchup, variant, metric])
        mean = total / n if n else math.nan
        spread = max(float(self.square[matchup, variant, metric]) / n - mean * mean, 0.0) if n else math.nan
        return _interval(mean, spread, n, int(self.n_games[matchup, variant]), self.metrics[metric].bounds, level)

    def difference(self, matchup: int, variant: int, metric: int, level: float = LEVEL) -> Interval:
        """The variant minus the base, paired by deal."""
        n = self.n_deals
        mean = float(self.total[matchup, variant, metric] - self.total[matchup, 0, metric]) / n if n else math.nan
        square = float(self.square[matchup, variant, metric] + self.square[matchup, 0, metric]
                       - 2.0 * self.cross[matchup, variant, metric])
        spread = max(square / n - mean * mean, 0.0) if n else math.nan
        bounds = self.metrics[metric].bounds
        games = int(self.n_games[matchup, [0, variant]].sum())
        return _interval(mean, spread, n, games, None if bounds is None else (-1.0, 1.0), level)

    def correlation(self, matchup: int, variant: int, metric: int) -> float:
        """Correlation of the variant's deals with the base's; the closer to 1 the more the pairing helps."""
        n = max(self.n_deals, 1)
        x, y = self.total[matchup, 0, metric] / n, self.total[matchup, variant, metric] / n
        v = (self.square[matchup, 0, metric] / n - x * x) * (self.square[matchup, variant, metric] / n - y * y)
        cov = self.cross[matchup, variant, metric] / n - x * y
        return float(cov / math.sqrt(v)) if v > 1e-18 else math.nan


def _interval(mean: float, spread: float, n: int, games: int, bounds: tuple[float, float] | None, level: float
              ) -> Interval:
    if math.isnan(mean) or n == 0:
        return Interval(math.nan, math.nan, math.nan, n, level, "paired-deals", n, games)
    if bounds is not None:
        return bounded_mean(mean, spread, n, games=games, level=level, bounds=bounds, method="paired-deals")
    from agentsim.stats._numeric import t_value

    reach = float(t_value(level, n - 1)) * math.sqrt(spread / (n - 1)) if n > 1 else math.nan
    return Interval(mean, mean - reach, mean + reach, n, level, "t", n, games)


# ------------------------------------------------------------------------------------------------ what is measured


def metrics_of(game: Game, variants: Sequence[Variant], matchups: Sequence[Sequence[PolicyRef]]) -> list[Metric]:
    """The headline numbers that the games' logs hold, over all rule sets together."""
    two_policies = any(ref != matchup[0] for matchup in matchups for ref in matchup)
    tables = [_games_table(game, variant.rules) for variant in variants]
    if isinstance(game, ScoredByShares):
        return [Metric(*each) for each in share_metrics(tables, game.seats(variants[0].rules), first=FIRST_PLAYER,
                                                        two_policies=two_policies)]
    found = [Metric(FIRST_PLAYER, "the player who starts scores")]
    if two_policies:
        found.append(Metric("score_a", "the first policy scores"))
    found.append(Metric("draws", "drawn games"))
    columns = {column.name for table in tables for column in table.columns}
    if "lone_seat" in columns:
        found.append(Metric("lone", "the single player scores against the team"))
    if "tie_rule" in columns:
        found.append(Metric("tie_rule", "decided by the tie rule, or level at the run-out"))
    if "n_turns" in columns:
        found.append(Metric("turns", "turns in a game", None))
    if "discards_0" in columns:
        found.append(Metric("discards", "discards in a game", None))
    reasons = dict.fromkeys(reason for table in tables for reason in _reasons(table))
    return found + [Metric(f"end_{reason}", f"ends by {reason.replace('_', ' ')}") for reason in reasons]


def _games_table(game: Game, rules: Any) -> Table:
    return next(table for table in game.tables(rules, "games") if table.name == "games")


def _reasons(table: Table) -> tuple[str, ...]:
    return next((column.categories for column in table.columns if column.name == "end_reason"), ())


def _by_deal(batch: Batch, table: Table, metrics: Sequence[Metric], first_deal: int, n_deals: int, a: int
             ) -> NDArray[np.float64]:
    """The mean of every metric by deal, ``[metric, deal]``."""
    games = batch.tables["games"]
    deal = games["deal_id"].astype(np.int64) - first_deal
    rows = np.full((len(metrics), n_deals), np.nan)
    per_deal = np.bincount(deal, minlength=n_deals)

    def mean(values: NDArray[Any]) -> NDArray[np.float64]:
        return np.bincount(deal, weights=values.astype(np.float64), minlength=n_deals) / per_deal

    if "share_0" in games:
        for at, metric in enumerate(metrics):
            values = game_values(metric.key, games, table, a)
            rows[at] = values if isinstance(values, float) else mean(values)
        return rows
    winner = games["winner"]
    half = np.where(winner < 0, 0.5, winner == 0)
    reasons = _reasons(table)
    for at, metric in enumerate(metrics):
        if metric.key == FIRST_PLAYER:
            rows[at] = mean(half)
        elif metric.key == "score_a":
            rows[at] = mean(np.where(games["policy_0"] == a, half, 1.0 - half))
        elif metric.key == "lone":
            rows[at] = _of_the_lone(games, half, mean)
        elif metric.key == "draws":
            rows[at] = mean(winner < 0)
        elif metric.key == "turns":
            rows[at] = mean(games["n_turns"])
        elif metric.key == "discards":
            rows[at] = mean(games["discards_0"].astype(np.int64) + games["discards_1"])
        elif metric.key.startswith("end_"):
            reason = metric.key.removeprefix("end_")
            # An end that a rule set does not know happens in none of its games.
            rows[at] = mean(games["end_reason"] == reasons.index(reason)) if reason in reasons else 0.0
        else:
            rows[at] = mean(games[metric.key])
    return rows


def _of_the_lone(games: Mapping[str, NDArray[Any]], half: NDArray[np.float64], mean: Callable[[NDArray[Any]], Any]
                 ) -> Any:
    """The score of the one player against a team; NaN where all sides are alike."""
    lone = games.get("lone_seat")
    if lone is None or (lone < 0).any():
        return np.nan
    return mean(np.where(lone == 0, half, 1.0 - half))


# ------------------------------------------------------------------------------------------------ playing


def measure(
    game: Game, variants: Sequence[Variant], matchups: Sequence[Sequence[PolicyRef]], n_deals: int, seed: int, *,
    workers: int = 1, meter: Meter | None = None,
) -> Measured:
    """Play every rule set on the deals 0 .. n_deals - 1 of every matchup.

    Parameters
    ----------
    variants : rule sets; the first is the base that the others are compared with.
    matchups : policies by seat; a policy against itself plays each deal once.
    seed : fixes the deals; results depend on it and on nothing else.
    workers : how many stretches of deals are played at a time.
    meter : told how far it is, and that something has to be compiled first.
    """
    metrics = metrics_of(game, variants, matchups)
    shape = len(matchups), len(variants), len(metrics)
    result = Measured(metrics, list(variants), [_title(matchup) for matchup in matchups], seed, n_deals,
                      np.zeros(shape[:2], np.int64), *(np.zeros(shape) for _ in range(3)))
    sessions = [game.session(variant.rules, matchups, seed) for variant in variants]
    tables = [_games_table(game, variant.rules) for variant in variants]
    meter = meter or Meter(None, 0, 0)
    warm_up(lambda: [session.warm_up("games") for session in sessions], meter)
    meter.start()
    labels = list(dict.fromkeys(ref.label for matchup in matchups for ref in matchup))
    codes = [labels.index(matchup[0].label) for matchup in matchups]

    # The same for any number of workers, as every sum is rounded.
    steps = [max(1, min(CHUNK, _CHUNK_GAMES // per_deal)) if per_deal > 2 else CHUNK for per_deal in (
        max(game.games_per_deal(matchup, variant.rules) for variant in variants) for matchup in matchups)]

    def stretch(job: tuple[int, int]) -> tuple[int, NDArray[np.float64], list[int]]:
        matchup, first = job
        count = min(steps[matchup], n_deals - first)
        sums, played = np.zeros((3, *shape[1:])), []
        base: NDArray[np.float64] | None = None
        for at, (session, table) in enumerate(zip(sessions, tables, strict=True)):
            batch = session.play(matchup, first, count, "games")
            rows = _by_deal(batch, table, metrics, first, count, codes[matchup])
            base = rows if base is None else base
            sums[:, at] = rows.sum(axis=1), (rows * rows).sum(axis=1), (rows * base).sum(axis=1)
            played.append(batch.n_games)
            meter.advance(batch.n_games)
        return matchup, sums, played

    jobs = [(matchup, first) for matchup in range(len(matchups)) for first in range(0, n_deals, steps[matchup])]
    with ThreadPoolExecutor(max_workers=max(1, workers)) as crew:
        try:
            # In the order of the deals, so that not even rounding depends on the number of workers.
            for matchup, sums, played in crew.map(stretch, jobs):
                result.total[matchup] += sums[0]
                result.square[matchup] += sums[1]
                result.cross[matchup] += sums[2]
                result.n_games[matchup] += played
        except BaseException:
            crew.shutdown(wait=False, cancel_futures=True)
            raise
    return result


def _title(matchup: Sequence[PolicyRef]) -> str:
    labels = [ref.label for ref in matchup]
    if len(labels) == 2 or len(set(labels)) == 1:
        return labels[0] if len(set(labels)) == 1 else f"{labels[0]} against {labels[1]}"
    return who_plays(labels)


def deals_needed(pilot: Measured, half_width: float) -> int:
    """Deals with which every difference of rates has at most this half-width, from the spread seen in a pilot."""
    rates = [at for at, metric in enumerate(pilot.metrics) if metric.is_rate]
    size = _family(pilot)
    worst = 2
    for matchup in range(len(pilot.policies)):
        for variant in range(1, len(pilot.variants)):
            for metric in rates:
                n = max(pilot.n_deals, 1)
                gap = (pilot.total[matchup, variant, metric] - pilot.total[matchup, 0, metric]) / n
                square = (pilot.square[matchup, variant, metric] + pilot.square[matchup, 0, metric]
                          - 2.0 * pilot.cross[matchup, variant, metric]) / n
                if square - gap * gap > 0:
                    worst = max(worst, deals_for_half_width(half_width, sd=math.sqrt(square - gap * gap), level=LEVEL,
                                                            family_size=size))
    return worst


def _family(measured: Measured) -> int:
    return len(measured.policies) * max(len(measured.variants) - 1, 1) * len(measured.metrics)


# ------------------------------------------------------------------------------------------------ tables


def differences(measured: Measured) -> pd.DataFrame:
    """Every headline number of the base and of each change, and their difference, simultaneous over the table.

    Columns ``policies, variant, metric, label, rate, base, base_low, base_high, changed, changed_low, changed_high,
    difference, low, high, correlation, n_deals, n_games, clear, family_size``. ``clear``: +1 or -1 if the whole
    interval of the difference lies above or below 0. Ends that never occurred are left out.
    """
    size = _family(measured)
    level = adjusted_level(size, LEVEL)
    rows = []
    for m, policies in enumerate(measured.policies):
        for v in range(1, len(measured.variants)):
            for k, metric in enumerate(measured.metrics):
                base, changed = measured.value(m, 0, k, level), measured.value(m, v, k, level)
                if math.isnan(base.estimate) or math.isnan(changed.estimate):
                    continue  # a number that one of the two does not have: there is no single player
                if metric.key.startswith("end_") and not base.estimate and not changed.estimate:
                    continue
                gap = measured.difference(m, v, k, level)
                rows.append({
                    "policies": policies, "variant": measured.variants[v].label, "metric": metric.key,
                    "label": metric.label, "rate": metric.is_rate, "base": base.estimate, "base_low": base.low,
                    "base_high": base.high, "changed": changed.estimate, "changed_low": changed.low,
                    "changed_high": changed.high, "difference": gap.estimate, "low": gap.low, "high": gap.high,
                    "correlation": measured.correlation(m, v, k), "n_deals": measured.n_deals,
                    "n_games": gap.n_games, "clear": 1 if gap.low > 0 else -1 if gap.high < 0 else 0,
                    "family_size": size})
    return pd.DataFrame(rows)


def doses(measured: Measured, values: Sequence[Any]) -> pd.DataFrame:
    """The dose curve: every headline number at every value, one row per (policies, value, metric).

    Columns ``policies, value, metric, label, rate, estimate, low, high, difference, difference_low, difference_high,
    n_deals, n_games, is_base``; ``values`` belong to the variants in their order, and the differences are from the
    base, paired. Simultaneous over the values of each curve.
    """
    level = adjusted_level(len(values), LEVEL)
    rows = []
    for m, policies in enumerate(measured.policies):
        for k, metric in enumerate(measured.metrics):
            if metric.key.startswith("end_") and not np.nansum(measured.total[m, :, k]):
                continue
            if np.isnan(measured.total[m, :, k]).any():
                continue
            for v, value in enumerate(values, 1):
                found, gap = measured.value(m, v, k, level), measured.difference(m, v, k, level)
                rows.append({
                    "policies": policies, "value": value, "metric": metric.key, "label": metric.label,
                    "rate": metric.is_rate, "estimate": found.estimate, "low": found.low, "high": found.high,
                    "difference": gap.estimate, "difference_low": gap.low, "difference_high": gap.high,
                    "n_deals": measured.n_deals, "n_games": found.n_games,
                    "is_base": measured.variants[v].rules == measured.variants[0].rules})
    return pd.DataFrame(rows)


def nearest_value(curve: pd.DataFrame, metric: str, aim: float) -> pd.DataFrame:
    """By policies the value whose estimate is nearest to ``aim``, and the values that may be as near.

    Columns ``policies, value, estimate, low, high, distance, rivals``. ``rivals`` names the other values that the
    simultaneous intervals do not rule out to be nearer; ``hit``: the interval of the nearest holds the aim itself.
    Raises InputError for a metric that the curve does not have.
    """
    part = curve[curve["metric"] == metric]
    if part.empty:
        raise InputError(f"'{metric}' is not measured here", key="aim",
                         allowed=", ".join(dict.fromkeys(curve["metric"])))
    rows = []
    for policies, group in part.groupby("policies", sort=False):
        distance = (group["estimate"] - aim).abs()
        best = group.iloc[int(distance.to_numpy().argmin())]
        most = max(abs(best["low"] - aim), abs(best["high"] - aim))
        least = np.maximum(0.0, np.maximum(group["low"] - aim, aim - group["high"]))
        rivals = [str(value) for value, near in zip(group["value"], least, strict=True)
                  if near < most and value != best["value"]]
        rows.append({"policies": policies, "value": best["value"], "estimate": best["estimate"], "low": best["low"],
                     "high": best["high"], "distance": float(distance.min()), "n_deals": int(best["n_deals"]),
                     "n_games": int(best["n_games"]), "rivals": ", ".join(rivals),
                     "hit": bool(best["low"] <= aim <= best["high"])})
    return pd.DataFrame(rows)
