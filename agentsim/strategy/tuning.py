"""Tuning a policy by CMA-ES (Hansen 2016, arXiv:1604.00772; the package cmaes): evolution of a normal distribution.

Each generation draws candidates from the distribution, plays them all on the same fresh deals against the field, and
moves the distribution towards the better half. Scores seen on the way are chosen among many and so too good to be true.
Therefore the best candidates and the middles of the last distributions are played again on deals of their own, the best
of these is chosen, and only what it does on a third set of deals (``validate``) is a result.

Everything follows from the seed: deals of generation g are ``g n .. (g + 1) n - 1`` of it, the finalists' are those of
``seed + 1``, validation's those of ``seed + 2``. The history file has one line per generation; a search that was cut
draws the same candidates again, reads their scores there and goes on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from cmaes import CMA
from numpy.typing import NDArray

from agentsim.errors import InputError, nearest
from agentsim.games.base import Parameter, PolicyRef, get_game
from agentsim.simulation.progress import Meter
from agentsim.strategy.field import Opponent, play_field
from agentsim.strategy.objective import MEAN, Objective

__all__ = ["Found", "Search", "SearchPlan", "chosen_parameters", "have_ranges", "search_games"]

SIGMA = 0.06
"""First standard deviation of every parameter, in parts of its range."""
_FINALISTS = 12
_SEEDS = 2**64


@dataclass(frozen=True)
class SearchPlan:
    """What a search does. ``deals`` of each candidate and opponent in a generation, ``final_deals`` of each finalist.

    ``start``: the policy whose parameters it begins with; ``names``: those that are varied; ``objective``: what it
    makes large, by default the mean score over the field.
    """

    start: PolicyRef
    names: tuple[str, ...]
    field: tuple[Opponent, ...]
    seed: int
    population: int
    generations: int
    deals: int
    final_deals: int
    sigma: float = SIGMA
    objective: Objective = MEAN

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types: what a history belongs to."""
        return {"start": self.start.as_dict(), "names": list(self.names), "seed": self.seed,
                "field": [[one.ref.as_dict(), one.weight] for one in self.field], "population": self.population,
                "deals": self.deals, "sigma": self.sigma, "objective": self.objective.as_dict()}


@dataclass(frozen=True)
class Found:
    """What a search chose. ``score`` is that of the finalists' deals: chosen among several, so flattering.

    All scores are values of the search's objective.
    """

    policy: PolicyRef
    score: float
    generations: int
    best_by_generation: tuple[float, ...]
    middle_by_generation: tuple[float, ...]


def chosen_parameters(parameters: Sequence[Parameter], only: Sequence[str] | None, policy: PolicyRef, where: str
                      ) -> tuple[str, ...]:
    """The names of parameters to vary: those given, or all. Raises InputError for names that there are not."""
    known = [parameter.name for parameter in parameters]
    if not known:
        raise InputError(f"{policy.label} has no parameters", where=where, allowed="a policy of a family with some")
    for name in only or ():
        if name not in known:
            raise InputError(f"{policy.family} has no parameter '{name}'", where=where, allowed=", ".join(known),
                             nearest=nearest(name, known))
    if not have_ranges(parameters):
        raise InputError(f"the parameters of {policy.label} have no ranges to search", where=where,
                         allowed="a policy of a family; `agentsim sweep` varies any parameter")
    return tuple(only) if only else tuple(known)


def have_ranges(parameters: Sequence[Parameter]) -> bool:
    """Whether a search can vary them: those of a file of one's own have no bounds."""
    return all(math.isfinite(parameter.low) and math.isfinite(parameter.high) for parameter in parameters)


def search_games(plan: SearchPlan, per_deal: int = 2) -> int:
    """Games that a search plays, finalists included."""
    each = plan.population * plan.generations * plan.deals + (_FINALISTS + 1) * plan.final_deals
    return each * per_deal * len(plan.field)


class Search:
    """A search that can be cut and taken up again.

    Parameters
    ----------
    rules, game : what is played
    plan : what to do
    parameters : of the family, with their ranges
    folder : where the history goes; without it nothing is kept
    workers, meter : how many threads; what is told how far it is
    """

    def __init__(self, rules: Any, plan: SearchPlan, parameters: Sequence[Parameter], *, game: str = "agent_avenue",
                 folder: Path | None = None, workers: int = 1, meter: Meter | None = None) -> None:
        self.rules, self.plan, self.game = rules, plan, game
        self._workers, self._meter = workers, meter
        known = {parameter.name: parameter for parameter in parameters}
        self._parameters = [known[name] for name in plan.names]
        low = np.array([max(each.low, -1e6) for each in self._parameters], float)
        high = np.array([min(each.high, 1e6) for each in self._parameters], float)
        self._low, self._span = low, high - low
        start = np.array([plan.start.params[name] for name in plan.names], float)
        n = len(plan.names)
        self._optimizer: Any = CMA(
            mean=np.clip((start - low) / self._span, 0.0, 1.0), sigma=plan.sigma, seed=plan.seed % 2**32,
            bounds=np.tile([0.0, 1.0], (n, 1)), population_size=plan.population) if n > 1 else _Line(
                float((start - low)[0] / self._span[0]), plan)
        self._history: list[dict[str, Any]] = []
        self._middles: list[NDArray[np.float64]] = [np.clip((start - low) / self._span, 0.0, 1.0)]
        self._best: list[tuple[float, NDArray[np.float64]]] = []
        self._file = None if folder is None else folder / "history.jsonl"
        self._kept = self._read(folder) if folder is not None else []

    @property
    def generation(self) -> int:
        """Generations done."""
        return len(self._history)

    def recent(self, generations: int) -> list[float]:
        """The mean of the candidates' scores in each of the last generations."""
        return [float(np.mean(row["scores"])) for row in self._history[-generations:]]

    def policy(self, point: NDArray[np.float64], label: str = "tuned") -> PolicyRef:
        """The policy at a point of the unit cube."""
        values = self._low + np.clip(point, 0.0, 1.0) * self._span
        params = dict(self.plan.start.params)
        for parameter, value in zip(self._parameters, values.tolist(), strict=True):
            params[parameter.name] = float(round(value)) if parameter.whole else float(f"{value:.6g}")
        return replace(self.plan.start, label=label, params=params, source="tuned")

    def run(self, generations: int | None = None) -> None:
        """Play up to so many generations in all (default: the plan's)."""
        plan = self.plan
        last = plan.generations if generations is None else generations
        while self.generation < last:
            points = [np.asarray(self._optimizer.ask(), float) for _ in range(plan.population)]
            g = self.generation
            if g < len(self._kept):
                scores = [float(score) for score in self._kept[g]["scores"]]
                if self._meter is not None:
                    self._meter.advance(len(points) * plan.deals * 2 * len(plan.field))
            else:
                found = play_field(self.rules, [self.policy(point) for point in points], plan.field, seed=plan.seed,
                                   first_deal=g * plan.deals, deals=plan.deals, game=self.game, workers=self._workers,
                                   meter=self._meter)
                scores = [plan.objective.of_games(one, plan.field) for one in found]
            self._optimizer.tell([(point, -score) for point, score in zip(points, scores, strict=True)])
            row = {"generation": g, "scores": scores}
            self._history.append(row)
            self._middles.append(np.asarray(self._optimizer.mean, float).copy())
            at = int(np.argmax(scores))
            self._best.append((scores[at], points[at]))
            if g >= len(self._kept) and self._file is not None:
                with self._file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(row) + "\n")

    def choose(self) -> Found:
        """The best of the finalists on deals of their own: the start, the last middles, the best candidates seen."""
        plan = self.plan
        late = self._best[len(self._best) // 2:]
        best = [point for _, point in sorted(late, key=lambda item: -item[0])[:4]]
        middles = [self._middles[0], *self._middles[1:][-1:], *self._middles[1:][-4:-1:1], *self._middles[1:][-16:-4:4]]
        refs: list[PolicyRef] = []
        for point in [*middles, *best]:
            ref = self.policy(point)
            if ref not in refs:
                refs.append(ref)
        found = play_field(self.rules, refs, plan.field, seed=(plan.seed + 1) % _SEEDS, first_deal=0,
                           deals=plan.final_deals, game=self.game, workers=self._workers, meter=self._meter)
        scores = [plan.objective.of_games(one, plan.field) for one in found]
        at = int(np.argmax(scores))
        return Found(refs[at], scores[at], self.generation, tuple(max(row["scores"]) for row in self._history),
                     tuple(float(np.mean(row["scores"])) for row in self._history))

    def _read(self, folder: Path) -> list[dict[str, Any]]:
        """Generations that an earlier call has played; the folder is made if need be."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            plan = folder / "plan.json"
            game = get_game(self.game)
            belongs = {**self.plan.as_dict(), "game": self.game, "rules": game.rules_as_dict(self.rules)}
            wanted = json.dumps(belongs, indent=1, sort_keys=True) + "\n"
            if plan.exists() and (others := _differing(plan.read_text(encoding="utf-8", errors="replace"), belongs)):
                raise InputError(f"holds another search: {others}", where=str(folder), allowed="a folder of its own")
            if not plan.exists():
                beside = plan.with_suffix(".new")
                beside.write_text(wanted, encoding="utf-8")
                beside.rename(plan)
            history = folder / "history.jsonl"
            text = history.read_text(encoding="utf-8", errors="replace") if history.exists() else ""
            whole: list[dict[str, Any]] = []
            for line in text.splitlines(keepends=True):
                row = self._row(line, len(whole))
                if row is None:  # cut in the middle of a line: what follows belongs to no known generation
                    break
                whole.append(row)
            kept = "".join(json.dumps(row) + "\n" for row in whole)
            if kept != text:
                beside = history.with_suffix(".new")
                beside.write_text(kept, encoding="utf-8")
                beside.rename(history)
            return whole
        except OSError as error:
            raise InputError(f"cannot be used: {error.strerror or error}", where=str(folder)) from None

    def _row(self, line: str, generation: int) -> dict[str, Any] | None:
        """The generation that a whole line holds."""
        try:
            row = json.loads(line) if line.endswith("\n") else {}
            scores = [float(score) for score in row["scores"]]
            good = row["generation"] == generation and len(scores) == self.plan.population
        except (ValueError, TypeError, KeyError):
            return None
        return row if good and np.isfinite(scores).all() else None


def _differing(text: str, belongs: dict[str, Any]) -> str:
    """In what the plan of a history differs from the one wanted, in words; nothing if it is the same."""
    try:
        kept = json.loads(text)
        # Histories of before there was a choice are of the mean.
        kept = {"objective": MEAN.as_dict(), **kept}
    except (ValueError, TypeError):
        return "its plan cannot be read"
    wanted = json.loads(json.dumps(belongs))
    names = [name for name in sorted({*kept, *wanted}) if kept.get(name) != wanted.get(name)]
    return f"another {', '.join(names)}" if names else ""


class _Line:
    """A search along one parameter, for which CMA-ES is not made: the normal distribution with the same rules of thumb.

    The better half sets the middle and, with some memory, the spread.
    """

    def __init__(self, start: float, plan: SearchPlan) -> None:
        self._random = np.random.default_rng(plan.seed)
        self._middle, self._spread = start, plan.sigma

    @property
    def mean(self) -> NDArray[np.float64]:
        return np.array([self._middle])

    def ask(self) -> NDArray[np.float64]:
        drawn: NDArray[np.float64] = np.clip(np.array([self._random.normal(self._middle, self._spread)]), 0.0, 1.0)
        return drawn

    def tell(self, scored: Sequence[tuple[NDArray[np.float64], float]]) -> None:
        better = [float(point[0]) for point, _ in sorted(scored, key=lambda item: item[1])[:max(2, len(scored) // 2)]]
        self._middle = 0.5 * self._middle + 0.5 * float(np.mean(better))
        self._spread = max(0.01, 0.7 * self._spread + 0.3 * float(np.std(better)) * 1.5)
