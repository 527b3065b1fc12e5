"""Candidates against a field of opponents, all on the same deals: the measure that sweeps and searches are made of."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.base import PolicyRef, ScoredByShares, get_game
from agentsim.lineup import PolicySpec, resolve_policies, spec_list
from agentsim.simulation.arena import Arena
from agentsim.simulation.plan import Span
from agentsim.simulation.progress import Meter
from agentsim.simulation.worker import warm_up
from agentsim.stats import Interval, adjusted_level, mean_of_deals

__all__ = ["KeptScores", "Opponent", "Validation", "candidate", "deal_size", "game_scores", "mean_score", "play_field",
           "read_field", "two_sided_game", "validate"]

Histogram = NDArray[np.int64]
_CHUNK = 8_192


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


def read_field(game: Any, policies: Any, rules: Any, where: str = "--against") -> tuple[Opponent, ...]:
    """A field from ``random,greedy`` or, with weights, ``random:1,greedy:2``; or from a list of specs.

    Raises InputError for what is no policy, for a weight that is no positive number, for a policy listed twice.
    The weight of ``all`` is that of each of its policies.
    """
    specs: list[PolicySpec] = []
    weights: list[float] = []
    for item in _items(policies, where):
        weight = 1.0
        if isinstance(item, str):
            spec, colon, tail = item.rpartition(":")
            if colon and _is_number(tail):
                item, weight = spec, float(tail)
            if not 1e-6 <= weight <= 1e6:  # NaN as well
                raise InputError(f"'{tail}' is no weight", where=where, key=item, allowed="a number from 1e-6 to 1e6")
            item = item.strip()
        many = [ref.label for ref in game.policies(rules)] if item == "all" else [item]
        specs += many
        weights += [weight] * len(many)
    try:
        refs = resolve_policies(game, specs, rules=rules)
    except InputError as error:
        raise error.at(where=where) from None
    return tuple(Opponent(ref, weight / sum(weights)) for ref, weight in zip(refs, weights, strict=True))


def _items(policies: Any, where: str) -> list[PolicySpec]:
    try:
        return spec_list(policies)
    except InputError as error:
        raise error.at(where=where) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def candidate(game: Any, policy: Any, where: str) -> PolicyRef:
    """The one policy, given by spec, that a command is about. Raises InputError for what is none and for several."""
    try:
        refs = resolve_policies(game, spec_list(policy))
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


def game_scores(rules: Any, pairs: Sequence[tuple[PolicyRef, PolicyRef]], *, seed: int, deals: int,
                game: str = "agent_avenue", workers: int = 1, meter: Meter | None = None,
                kept: KeptScores | None = None) -> NDArray[np.float64]:
    """Results of the first policy of each pair, in [0, 1]: shape (pairs, deals, games of a deal).

    All pairs play the deals 0 .. ``deals - 1``, so that their results can be paired deal by deal; a pair's place in the
    list decides its streams of decisions. A policy against itself is played from both seats. ``kept``: has what an
    earlier call played of the same pairs, and is given every pair that is done.
    """
    the_game = get_game(game)
    matchups = [(_named(a, f"first {at}"), _named(b, f"second {at}")) for at, (a, b) in enumerate(pairs)]
    session = the_game.session(rules, matchups, seed)
    warm_up(lambda: session.warm_up("games"), meter or Meter(None, 0, 0))
    per_deal = deal_size(rules, *pairs[0], game)

    def stretch(job: tuple[int, int]) -> NDArray[np.float64]:
        matchup, first = job
        batch = session.play(matchup, first, min(_CHUNK, deals - first), "games")
        if meter is not None:
            meter.advance(batch.n_games)
        columns = batch.tables["games"]
        # Codes of policies are their places in the session's list of labels.
        mine = columns["policy_0"] == session.labels.index(f"first {matchup}")  # type: ignore[attr-defined]
        won = np.where(mine, columns["winner"] == 0, columns["winner"] == 1)
        score: NDArray[np.float64] = np.where(columns["winner"] < 0, 0.5, won.astype(np.float64))
        return score.reshape(-1, per_deal)

    scores = np.zeros((len(pairs), deals, per_deal))
    new = []
    for matchup in range(len(pairs)):
        there = None if kept is None else kept.read(matchup, (deals, per_deal))
        if there is None:
            new.append(matchup)
            continue
        scores[matchup] = there
        if meter is not None:
            meter.advance(there.size)
    jobs = [(matchup, first) for matchup in new for first in range(0, deals, _CHUNK)]
    with ThreadPoolExecutor(max(1, workers)) as crew:
        for (matchup, first), part in zip(jobs, crew.map(stretch, jobs), strict=True):
            scores[matchup, first:first + len(part)] = part
            if kept is not None and first + len(part) == deals:
                kept.write(matchup, scores[matchup])
    return scores


class KeptScores(Protocol):
    """Where :func:`game_scores` keeps results, pair by pair."""

    def read(self, pair: int, shape: tuple[int, int]) -> NDArray[np.float64] | None:
        """The results of a pair, None if it has to be played."""
        ...

    def write(self, pair: int, scores: NDArray[np.float64]) -> None:
        """Keep the results of a pair."""
        ...


def deal_size(rules: Any, a: PolicyRef, b: PolicyRef, game: str = "agent_avenue") -> int:
    """How often a candidate and an opponent play each deal, whether or not they are the same policy."""
    return get_game(game).games_per_deal((_named(a, "first"), _named(b, "second")), rules)


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
    deals = max(2, games // deal_size(rules, policy, field[0].ref, game))
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
