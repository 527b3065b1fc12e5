"""Candidates against a field of opponents, all on the same deals: the measure that sweeps and searches are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.base import PolicyRef, ScoredByShares, get_game
from agentsim.lineup import resolve_policies, split_specs
from agentsim.simulation.arena import Arena
from agentsim.simulation.plan import Span
from agentsim.simulation.progress import Meter
from agentsim.stats import Interval, adjusted_level, mean_of_deals

__all__ = ["Opponent", "Validation", "candidate", "play_field", "read_field", "two_sided_game", "validate"]

Histogram = NDArray[np.int64]


@dataclass(frozen=True)
class Opponent:
    """A policy of the field and its weight; the weights of a field add up to 1."""

    ref: PolicyRef
    weight: float


def two_sided_game(name: str, where: str = "--game") -> Any:
    """The game of that name. Raises InputError if it is not one of two sides."""
    game = get_game(name, where=where)
    if isinstance(game, ScoredByShares):
        raise InputError(f"'{name}' is scored by win shares", where=where, key="game", allowed="a game of two sides")
    return game


def read_field(game: Any, text: str, rules: Any, where: str = "--against") -> tuple[Opponent, ...]:
    """A field from ``random,greedy`` or, with weights, ``random:1,greedy:2``.

    Raises InputError for what is no policy, for a weight that is no positive number, for a policy listed twice.
    The weight of ``all`` is that of each of its policies.
    """
    specs: list[str] = []
    weights: list[float] = []
    for item in _items(text, where):
        spec, colon, tail = item.rpartition(":")
        weight = 1.0
        if colon and _is_number(tail):
            item, weight = spec, float(tail)
        if not 1e-6 <= weight <= 1e6:  # NaN as well
            raise InputError(f"'{tail}' is no weight", where=where, key=item, allowed="a number from 1e-6 to 1e6")
        many = [ref.label for ref in game.policies(rules)] if item.strip() == "all" else [item]
        specs += many
        weights += [weight] * len(many)
    try:
        refs = resolve_policies(game, specs, rules=rules)
    except InputError as error:
        raise error.at(where=where) from None
    return tuple(Opponent(ref, weight / sum(weights)) for ref, weight in zip(refs, weights, strict=True))


def _items(text: str, where: str) -> list[str]:
    try:
        return split_specs(text)
    except InputError as error:
        raise error.at(where=where) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def candidate(game: Any, text: str, where: str) -> PolicyRef:
    """The one policy that a command is about. Raises InputError for a list and for what has no parameters."""
    try:
        refs = resolve_policies(game, split_specs(text))
    except InputError as error:
        raise error.at(where=where) from None
    if len(refs) != 1:
        raise InputError(f"{len(refs)} policies", where=where, allowed="one")
    return refs[0]


def play_field(rules: Any, candidates: Sequence[PolicyRef], field: Sequence[Opponent], *, seed: int, first_deal: int,
               deals: int, game: str = "agent_avenue", workers: int = 1, meter: Meter | None = None
               ) -> list[list[Histogram]]:
    """Every candidate against every opponent on the deals ``first_deal ...``.

    Returns, per candidate and opponent, the histogram of deal scores of the candidate (``2 m + 1`` counts of deals by
    half-points). Candidates with the label of an opponent are played against it all the same.
    """
    matchups = [(_named(one, f"candidate {at}"), opponent.ref) for at, one in enumerate(candidates)
                for opponent in field]
    arena = Arena(rules, matchups, seed, game=game, workers=workers)
    arena.warm_up(meter)
    found = arena.play([Span(number, first_deal, deals) for number in range(len(matchups))], meter)
    scores = iter(found[number]["deal_score_a"] for number in range(len(matchups)))
    return [[next(scores) for _ in field] for _ in candidates]


def _named(ref: PolicyRef, label: str) -> PolicyRef:
    """The same policy under a label that no opponent has: a matchup of a policy with itself would be a mirror."""
    return replace(ref, label=label)


def mean_score(histograms: Sequence[Histogram], field: Sequence[Opponent]) -> float:
    """The weighted mean score over a field."""
    total = 0.0
    for counts, opponent in zip(histograms, field, strict=True):
        points = np.arange(len(counts)) / (len(counts) - 1)
        total += opponent.weight * float((points * counts).sum() / counts.sum())
    return total


@dataclass(frozen=True)
class Validation:
    """Fresh games of one policy against a field. ``scores``: by opponent, all holding together with ``level``.

    ``mean``: the weighted mean, with an interval from the standard errors added up, which holds although the opponents
    share the deals.
    """

    policy: PolicyRef
    field: tuple[Opponent, ...]
    scores: tuple[Interval, ...]
    mean: Interval
    seed: int

    @property
    def n_games(self) -> int:
        """Games in all."""
        return sum(score.n_games or 0 for score in self.scores)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {"policy": self.policy.as_dict(), "seed": self.seed, "n_games": self.n_games,
                "mean": self.mean.as_dict(),
                "scores": [{"opponent": opponent.ref.label, "weight": opponent.weight, **score.as_dict()}
                           for opponent, score in zip(self.field, self.scores, strict=True)]}


def validate(rules: Any, policy: PolicyRef, field: Sequence[Opponent], *, seed: int, games: int,
             game: str = "agent_avenue", workers: int = 1, meter: Meter | None = None, first_deal: int = 0,
             family: int = 1, level: float = 0.95) -> Validation:
    """Play ``games`` games against every opponent on fresh deals.

    ``family``: how many such validations are shown together; the intervals allow for it (Sidak).
    """
    per_deal = get_game(game).games_per_deal((policy, field[0].ref), rules)
    deals = max(2, games // max(per_deal, 2))
    found = play_field(rules, [policy], field, seed=seed, first_deal=first_deal, deals=deals, game=game,
                       workers=workers, meter=meter)[0]
    each = adjusted_level(family * (len(field) + 1), level)
    scores = tuple(mean_of_deals(counts, each) for counts in found)
    if len(field) == 1:
        return Validation(policy, tuple(field), scores, scores[0], seed)
    mean = sum(opponent.weight * score.estimate for opponent, score in zip(field, scores, strict=True))
    reach = sum(opponent.weight * (score.high - score.low) / 2 for opponent, score in zip(field, scores, strict=True))
    deals = min(score.n for score in scores)
    whole = Interval(mean, max(0.0, mean - reach), min(1.0, mean + reach), deals, each, "added standard errors", deals,
                     sum(score.n_games or 0 for score in scores))
    return Validation(policy, tuple(field), scores, whole, seed)
