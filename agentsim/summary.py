"""From the exact counters of a run to the table of results: scores, seat advantage, draws, length, ends.

Every estimate is an :class:`agentsim.stats.intervals.Interval` with the deals and games behind it.

*Scores* (a win is 1, a draw 1/2) are means over deals, so the two games of a deal with the seats swapped count as the
one observation they are. *Shares and lengths* are counted by game; where a deal is played more than once their
intervals use the number of deals as if the games of a deal were copies of each other. The true variance is at most
that (the variance of a mean of ``m`` results is at most the mean of their variances), so these intervals err on the
wide side.

With several matchups the intervals of one column hold *together* with the stated level (Sidak).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.experiment import Experiment
from agentsim.games.base import ScoredByShares, get_game
from agentsim.stats.clustered import bounded_mean, mean_of_deals
from agentsim.stats.intervals import Interval
from agentsim.stats.simultaneous import adjusted_level

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MatchupResult", "Tally", "endings_of", "mean_of_counts", "result_frame", "share_of_games", "summarise"]

Tally = Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True)
class MatchupResult:
    """What a matchup showed.

    ``policies`` are the labels in the order of the matchup; the first is called *a*. ``score_a`` is a's mean score per
    game (in a mirror: that of seat 0, who starts), ``score_seat0`` that of the starting seat whoever sat there.
    ``wins_a + draws + losses_a`` are all games. ``ends`` is the share of games by how they ended.
    """

    matchup_id: int
    policies: tuple[str, ...]
    mirror: bool
    games_per_deal: int
    n_games: int
    n_deals: int
    wins_a: int
    draws: int
    losses_a: int
    score_a: Interval
    score_seat0: Interval
    draw_share: Interval
    turns: Interval
    ends: Mapping[str, Interval]

    @property
    def policy_a(self) -> str:
        """The first policy of the matchup."""
        return self.policies[0]

    @property
    def policy_b(self) -> str:
        """The last policy of the matchup."""
        return self.policies[-1]

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types, as documented in docs/cli.md."""
        return {"matchup_id": self.matchup_id, "policies": list(self.policies), "mirror": self.mirror,
                "games_per_deal": self.games_per_deal, "n_games": self.n_games, "n_deals": self.n_deals,
                "wins_a": self.wins_a, "draws": self.draws, "losses_a": self.losses_a,
                "score_a": self.score_a.as_dict(), "score_seat0": self.score_seat0.as_dict(),
                "draw_share": self.draw_share.as_dict(), "turns": self.turns.as_dict(),
                "ends": {name: share.as_dict() for name, share in self.ends.items()}}


def summarise(experiment: Experiment, tallies: Sequence[Tally], level: float = 0.95) -> list[MatchupResult]:
    """The result of every matchup, in order of their ids.

    ``tallies`` holds one dictionary of counters per matchup, as a game's ``Batch.tally`` defines them; ``level`` is the
    confidence level of each column as a whole. A matchup without games has estimates of NaN. Raises ``InputError`` for
    a game that is scored by win shares: its results are :func:`agentsim.standings.standings`.
    """
    if isinstance(get_game(experiment.game), ScoredByShares):
        raise InputError(f"'{experiment.game}' is scored by win shares", key="game",
                         allowed="agentsim.standings for its results")
    each = adjusted_level(len(tallies), level)
    endings = endings_of(experiment)
    per_deal = experiment.games_per_deal()
    return [_result(number, tuple(policy.label for policy in pairing), per_deal[number], tally, endings, each)
            for number, (pairing, tally) in enumerate(zip(experiment.pairings(), tallies, strict=True))]


def result_frame(results: Sequence[MatchupResult]) -> pd.DataFrame:
    """The results as a DataFrame, one row per matchup.

    Columns: ``matchup_id, policy_a, policy_b, n_games, n_deals, wins_a, draws, losses_a``, then for each of
    ``score_a, score_seat0, draw_share, turns`` the estimate with ``_low`` and ``_high``, then ``end_<kind>``, the
    shares of the kinds of ending that occurred, and ``level``, the confidence level of each single interval.
    """
    import pandas as pd

    occurred = {name for result in results for name, share in result.ends.items() if share.estimate > 0}
    rows = []
    for result in results:
        row: dict[str, Any] = {name: getattr(result, name) for name in (
            "matchup_id", "policy_a", "policy_b", "n_games", "n_deals", "wins_a", "draws", "losses_a")}
        for name in ("score_a", "score_seat0", "draw_share", "turns"):
            found: Interval = getattr(result, name)
            row |= {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
        row |= {f"end_{name}": result.ends[name].estimate for name in result.ends if name in occurred}
        row["level"] = result.score_a.level
        rows.append(row)
    return pd.DataFrame(rows)


def _result(number: int, labels: tuple[str, ...], per_deal: int, tally: Tally, endings: Sequence[str],
            level: float) -> MatchupResult:
    mirror = len(set(labels)) == 1
    # A matchup that a cut run has not reached has no counters at all.
    tally = tally or _nothing(per_deal, len(endings))
    by_result = tally["seat0"] if mirror else tally["a_by_seat"].sum(axis=0)
    wins, draws, losses = (int(count) for count in by_result)
    n_games, n_deals = wins + draws + losses, int(tally["deal_score_a"].sum())
    return MatchupResult(
        matchup_id=number, policies=labels, mirror=mirror, games_per_deal=per_deal,
        n_games=n_games, n_deals=n_deals, wins_a=wins, draws=draws, losses_a=losses,
        score_a=mean_of_deals(tally["deal_score_a"], level),
        score_seat0=mean_of_deals(tally["deal_score_seat0"], level),
        draw_share=share_of_games(draws, n_games, n_deals, level),
        turns=mean_of_counts(tally["turns"], n_deals, level),
        ends={name: share_of_games(int(count), n_games, n_deals, level)
              for name, count in zip(endings, tally["end_reason"], strict=True)})


def _nothing(per_deal: int, n_endings: int) -> Tally:
    scores = np.zeros(2 * per_deal + 1, np.int64)
    return {"seat0": np.zeros(3, np.int64), "a_by_seat": np.zeros((2, 3), np.int64), "deal_score_a": scores,
            "deal_score_seat0": scores, "turns": np.zeros(1, np.int64), "end_reason": np.zeros(n_endings, np.int64)}


def share_of_games(count: int, n_games: int, n_deals: int, level: float) -> Interval:
    """A share of games, with an interval as if the games of a deal were copies of each other."""
    share = count / n_games if n_games else math.nan
    return bounded_mean(share, share * (1 - share), n_deals, games=n_games, level=level)


def mean_of_counts(histogram: NDArray[np.int64], n_deals: int, level: float) -> Interval:
    """The mean of ``0, 1, 2 ...`` weighted by a histogram of games."""
    counts = [int(count) for count in histogram]
    n_games = sum(counts)
    if not n_games:
        return bounded_mean(math.nan, math.nan, 0, games=0, level=level)
    mean = sum(value * count for value, count in enumerate(counts)) / n_games
    variance = sum((value - mean) ** 2 * count for value, count in enumerate(counts)) / n_games
    return bounded_mean(mean, variance, n_deals, games=n_games, level=level, bounds=(0, max(len(counts) - 1, 1)))


def endings_of(experiment: Experiment) -> tuple[str, ...]:
    """The kinds of ending that the game logs, in the order of the tally."""
    for table in get_game(experiment.game).tables(experiment.rules(), "games"):
        for column in table.columns:
            if column.name == "end_reason":
                return column.categories
    return ()
