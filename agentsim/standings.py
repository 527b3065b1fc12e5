"""The results of games that are scored by win shares: for any number of players, policies and sides.

A *party* is whatever collects shares: a policy with all its seats, a seat, a side. Its score is the mean win share of
one of its seats per game, and its *lead* the score minus the mean score of everybody else at the table. Both are means
over deals of linear combinations ``w . x`` of the deal's scores ``x`` (one per slot, seat or side), so the sums
``S = sum x`` and ``P = sum x x'`` over deals, which the tallies hold as exact whole numbers, give

    mean = w . S / n        variance = w' P w / n - mean^2

with nothing assumed about the games of a deal, the seats of a game or the members of a side: the deal is the one unit
(Cochran 1977, ch. 2). The interval is that of :func:`agentsim.stats.clustered.bounded_mean`.

All intervals of one kind (scores, leads, seats ...) in a run hold *together* with the stated level (Sidak).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.experiment import Experiment
from agentsim.games.base import SHARE_PARTS, ScoredByShares, get_game
from agentsim.stats.clustered import bounded_mean
from agentsim.stats.intervals import Interval
from agentsim.stats.simultaneous import adjusted_level
from agentsim.summary import endings_of, mean_of_counts, share_of_games

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Party", "Standing", "scored_by_shares", "standing_frame", "standings", "who_plays"]

Tally = Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True)
class Party:
    """A policy, a seat or a side: its score, and by how much it leads the others at its table.

    ``n_seats``: how many seats of the table the score is the mean of; 0 for a side, whose seats the deal decides. The
    lead of a policy that has the whole table is NaN.
    """

    name: str
    n_seats: int
    score: Interval
    lead: Interval

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {"name": self.name, "n_seats": self.n_seats, "score": self.score.as_dict(), "lead": self.lead.as_dict()}


@dataclass(frozen=True)
class Standing:
    """What a matchup showed.

    ``policies`` are the labels in the order of the matchup, one per seat; ``scores`` has one party per different label,
    ``seats`` one per seat (seat 0 starts), ``groups`` the game's other kinds of parties, such as its sides. ``turns``
    is None in games of fixed length. ``ends``: the share of games by how they ended.
    """

    matchup_id: int
    policies: tuple[str, ...]
    games_per_deal: int
    n_games: int
    n_deals: int
    scores: tuple[Party, ...]
    seats: tuple[Party, ...]
    groups: Mapping[str, tuple[Party, ...]]
    turns: Interval | None
    ends: Mapping[str, Interval]

    @property
    def mirror(self) -> bool:
        """Whether one policy has all seats."""
        return len(set(self.policies)) == 1

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types, as documented in docs/cli.md."""
        return {"matchup_id": self.matchup_id, "policies": list(self.policies), "mirror": self.mirror,
                "games_per_deal": self.games_per_deal, "n_games": self.n_games, "n_deals": self.n_deals,
                "scores": [party.as_dict() for party in self.scores],
                "seats": [party.as_dict() for party in self.seats],
                "groups": {name: [party.as_dict() for party in parties] for name, parties in self.groups.items()},
                "turns": None if self.turns is None else self.turns.as_dict(),
                "ends": {name: share.as_dict() for name, share in self.ends.items()}}


def scored_by_shares(experiment: Experiment) -> bool:
    """Whether the results of an experiment are standings."""
    return isinstance(get_game(experiment.game), ScoredByShares)


def standings(experiment: Experiment, tallies: Sequence[Tally], level: float = 0.95) -> list[Standing]:
    """The standing of every matchup, in order of their ids.

    ``tallies`` holds one dictionary of counters per matchup (:class:`agentsim.games.base.ScoredByShares`); ``level`` is
    the confidence level of each kind of interval as a whole. A matchup without games has estimates of NaN. Raises
    ``InputError`` for a game that is not scored by win shares.
    """
    game, rules = get_game(experiment.game), experiment.rules()
    if not isinstance(game, ScoredByShares):
        raise InputError(f"'{game.name}' is not scored by win shares", key="game",
                         allowed="agentsim.summarise for its results")
    lineups = [tuple(policy.label for policy in pairing) for pairing in experiment.pairings()]
    groups, endings = game.groups(rules), endings_of(experiment)
    levels = {"slot": adjusted_level(sum(len(set(lineup)) for lineup in lineups), level),
              "seat": adjusted_level(sum(map(len, lineups)), level), "game": adjusted_level(len(lineups), level),
              **{name: adjusted_level(len(parties) * len(lineups), level) for name, parties in groups.items()}}
    return [_standing(number, lineup, per_deal, tally, groups, endings, levels) for number, (lineup, per_deal, tally)
            in enumerate(zip(lineups, experiment.games_per_deal(), tallies, strict=True))]


def standing_frame(results: Sequence[Standing]) -> pd.DataFrame:
    """The standings as a DataFrame, one row per matchup and party.

    Columns: ``matchup_id``, ``policies``, ``kind`` (``policy``, ``seat`` or the name of a group), ``party``,
    ``n_seats``, ``n_games``, ``n_deals``, ``score`` and ``lead`` with ``_low`` and ``_high``, and ``level``, the
    confidence level of each single interval.
    """
    import pandas as pd

    rows = []
    for result in results:
        kinds = {"policy": result.scores, "seat": result.seats, **result.groups}
        for kind, parties in kinds.items():
            for party in parties:
                row: dict[str, Any] = {"matchup_id": result.matchup_id, "policies": who_plays(result.policies),
                                       "kind": kind, "party": party.name, "n_seats": party.n_seats,
                                       "n_games": result.n_games, "n_deals": result.n_deals}
                for name, found in (("score", party.score), ("lead", party.lead)):
                    row |= {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
                rows.append(row | {"level": party.score.level})
    return pd.DataFrame(rows)


def who_plays(policies: Sequence[str]) -> str:
    """A matchup in words: ``expert against random``, ``expert against 3 x random``."""
    if len(policies) > 1 and len(set(policies)) == 1:
        return f"{policies[0]} against itself"
    runs = [(label, len(list(members))) for label, members in groupby(policies)]
    return " against ".join(label if n == 1 else f"{n} x {label}" for label, n in runs)


def _standing(number: int, lineup: tuple[str, ...], per_deal: int, tally: Tally, groups: Mapping[str, tuple[str, ...]],
              endings: Sequence[str], levels: Mapping[str, float]) -> Standing:
    players = len(lineup)
    # A matchup that a cut run has not reached has no counters at all.
    counts = tally.get("end_reason", np.zeros(len(endings), np.int64)).tolist()
    n_games = sum(counts)
    n_deals = n_games // per_deal

    def party(kind: str, name: str, members: Sequence[int], size: int, n_seats: int) -> Party:
        others = [index for index in range(size) if index not in members]
        mine = _weights(size, members)
        score = _mean(kind, mine, (0.0, 1.0))
        if not others:
            return Party(name, n_seats, score, bounded_mean(math.nan, math.nan, 0, games=0, level=levels[kind]))
        return Party(name, n_seats, score, _mean(kind, mine - _weights(size, others), (-1.0, 1.0)))

    def _mean(kind: str, weights: NDArray[np.float64], bounds: tuple[float, float]) -> Interval:
        if not n_deals:
            return bounded_mean(math.nan, math.nan, 0, games=0, level=levels[kind])
        # Whole numbers up to here: as Python's integers, the subtraction loses nothing.
        sums, products = tally[f"{kind}_share"].astype(object), tally[f"{kind}_products"].astype(object)
        centred = (n_deals * products - np.outer(sums, sums)).astype(np.float64) / n_deals**2
        unit = SHARE_PARTS * per_deal
        mean = float(weights @ sums.astype(np.float64)) / (n_deals * unit)
        variance = max(float(weights @ centred @ weights), 0.0) / unit**2
        return bounded_mean(mean, variance, n_deals, games=n_games, level=levels[kind], bounds=bounds)

    return Standing(
        matchup_id=number, policies=lineup, games_per_deal=per_deal, n_games=n_games, n_deals=n_deals,
        scores=tuple(party("slot", label, [slot for slot in range(players) if lineup[slot] == label], players,
                           lineup.count(label)) for label in dict.fromkeys(lineup)),
        seats=tuple(party("seat", f"seat {seat}", [seat], players, 1) for seat in range(players)),
        groups={kind: tuple(party(kind, name, [index], len(names), 0) for index, name in enumerate(names))
                for kind, names in groups.items()},
        turns=mean_of_counts(tally["turns"], n_deals, levels["game"]) if "turns" in tally else None,
        ends={name: share_of_games(count, n_games, n_deals, levels["game"])
              for name, count in zip(endings, counts, strict=True)})


def _weights(size: int, members: Sequence[int]) -> NDArray[np.float64]:
    """Weights of a mean over ``members`` of ``size`` entries."""
    weights = np.zeros(size)
    weights[list(members)] = 1 / len(members)
    return weights
