"""The strategy lab from plain arguments: ``agentsim.strategy.sweep``, ``tune``, ``exploit`` and ``tournament``.

    >>> from agentsim.strategy import sweep
    >>> found = sweep("planner", {"bluff": [0.0, 1.0]}, "random", games=200, workers=1)
    >>> found.points[["bluff", "n_games"]].values.tolist()
    [[0.0, 200.0], [1.0, 200.0]]

Policies are given by spec, as :func:`agentsim.load_policies` takes them; ``against`` and ``starts`` are one or several,
in a text with commas or a list. All of these raise ``InputError`` for anything that cannot be used, and depend on the
seed alone. ``workers`` is the number of processors if nothing is said; ``progress`` is called now and then with how far
it is (:class:`agentsim.ProgressBar` is such a callback).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentsim.errors import InputError, nearest, shown
from agentsim.experiment import MAX_GAMES, whole_number
from agentsim.games.base import PolicyRef
from agentsim.lineup import PolicySpec, resolve_policies, spec_list
from agentsim.simulation.progress import Meter, Progress
from agentsim.stats import Interval
from agentsim.strategy import asked
from agentsim.strategy.exploiting import METHODS, Exploitation, check_tables, exploit_by_table
from agentsim.strategy.exploiting import exploit as search_responses
from agentsim.strategy.field import Opponent, Validation, candidate, read_field, validate
from agentsim.strategy.objective import Objective, read_objective
from agentsim.strategy.sweeping import Sweep, Varied, read_values, run_sweep, take_values
from agentsim.strategy.tuning import Found, Search, SearchPlan, chosen_parameters, search_games

__all__ = ["FIELD", "STARTS", "Tuned", "exploit", "field_words", "sweep", "tune"]

FIELD = "random,greedy,minmax,expert"
"""The field that policies are measured against where nothing else is said."""
STARTS = "expert,daredevil_trapper,codebreaker_hunter,discarder"
"""Where searches of best responses begin."""
_SEEDS = 2**64
_FEWEST_TO_EXPLOIT = 200_000

Callback = Callable[[Progress], None]
Policies = str | PolicySpec | Sequence[PolicySpec]


def sweep(policy: PolicySpec, vary: Mapping[str, Sequence[float]] | str | Sequence[str], against: Policies = FIELD, *,
          games: int = 20_000, seed: int = 1, game: str = "agent_avenue", settings: Mapping[str, Any] | None = None,
          workers: int | None = None, out: str | Path | None = None, progress: Callback | None = None) -> Sweep:
    """One or two parameters of a policy varied against a field, all points on the same deals.

    Parameters
    ----------
    vary : values by parameter (``{"bluff": [0, 0.5, 1]}``), or one or two texts such as ``"bluff=0:1:0.1"``.
    against : the field, with weights after a colon.
    games : of each point against each opponent.
    settings : rule keys with values.
    out : a folder that keeps what was played until the sweep is done, so that one that was cut goes on.
    """
    it, rules = asked.table(game, settings)
    base = candidate(it, policy, "policy")
    varied = _varied(vary, it.parameters(base), base)
    if not 1 <= len(varied) <= 2:
        raise InputError(f"{len(varied)} parameters are varied", where="vary", allowed="one or two")
    if len(varied) == 2 and varied[0].parameter.name == varied[1].parameter.name:
        raise InputError("is varied twice", where="vary", key=varied[0].parameter.name)
    field = read_field(it, against, rules, "against")
    games, seed, crew, folder = asked.games(games), asked.seed(seed), asked.workers(workers), asked.folder(out)
    points = 1
    for each in varied:
        points *= len(each.values)
    meter = Meter(asked.callback(progress), 0, (points + 1) * len(field) * games)
    return run_sweep(rules, base, varied, field, seed=seed, games=games, game=it.name, workers=crew,
                     folder=asked.ready(folder), meter=meter)


@dataclass(frozen=True)
class Tuned:
    """What tuning found.

    ``start``: the policy it began with; ``names``: the parameters varied; ``searches``: one per restart; ``best``: that
    of them which was chosen; ``result``: what it does on fresh games, the only figure to believe; ``objective``:
    what was made large.
    """

    start: PolicyRef
    names: tuple[str, ...]
    searches: tuple[Found, ...]
    best: Found
    result: Validation
    objective: Objective

    @property
    def policy(self) -> PolicyRef:
        """The tuned policy."""
        return self.best.policy

    @property
    def score(self) -> Interval:
        """Its mean score over the field, on fresh games."""
        return self.result.mean

    @property
    def value(self) -> Interval:
        """The value of the objective, on fresh games; the score if nothing else was asked for."""
        return self.objective.interval(self.result)

    @property
    def changed(self) -> dict[str, float]:
        """The parameters that differ from the start."""
        return {name: value for name, value in self.policy.params.items() if value != self.start.params[name]}


def tune(policy: PolicySpec, against: Policies = FIELD, *, only: str | Sequence[str] | None = None,
         objective: str = "mean", targets: Mapping[str, float] | None = None, games: int = 2_000, population: int = 16,
         generations: int = 60, restarts: int = 1, validation: int = 100_000, seed: int = 1,
         game: str = "agent_avenue", settings: Mapping[str, Any] | None = None, workers: int | None = None,
         out: str | Path | None = None, progress: Callback | None = None) -> Tuned:
    """The parameters of a policy tuned against a field by CMA-ES.

    Parameters
    ----------
    only : the parameters to tune (a list, or a text with commas); by default all that matter under the rules.
    objective : what is made large: ``"mean"``, ``"worst"`` or ``"soft-worst"`` of the scores over the field; see
        :mod:`agentsim.strategy.objective`.
    targets : scores by opponent, as fractions; the worst is then that of the margins, score less target.
    games : of a candidate against each opponent, in a generation of ``population`` candidates.
    restarts : searches with seeds of their own; the best is taken.
    validation : fresh games against each opponent, for the result.
    out : a folder that keeps the search, so that one that was cut goes on.
    """
    it, rules = asked.table(game, settings)
    start = candidate(it, policy, "policy")
    field = read_field(it, against, rules, "against")
    aim = read_objective(objective, targets, field)
    chosen = [] if only is None else asked.names(only, "only", 'such as "bluff,caution"')
    if only is not None and not any(chosen):
        raise InputError("names no parameter", where="only", allowed="some, or nothing for all that matter")
    names = chosen_parameters(it.parameters(start) if chosen else it.tunable(start, rules), chosen, start,
                              "only" if chosen else "policy")
    if len(set(names)) < len(names):
        raise InputError("a parameter is listed twice", where="only")
    population = whole_number(population, 4, 1_000, where="population")
    generations = whole_number(generations, 1, 10_000, where="generations")
    restarts = whole_number(restarts, 1, 100, where="restarts")
    validation = whole_number(validation, 100, MAX_GAMES, where="validation")
    games, seed, crew = asked.games(games), asked.seed(seed), asked.workers(workers)
    progress, folder = asked.callback(progress), asked.ready(asked.folder(out))
    plans = [SearchPlan(start, names, field, (seed + 1_000 * at) % _SEEDS, population, generations,
                        max(1, games // 2), max(1, 5 * games), objective=aim) for at in range(restarts)]
    meter = Meter(progress, 0, sum(search_games(plan) for plan in plans) + validation * len(field))
    found = []
    for at, plan in enumerate(plans):
        search = Search(rules, plan, it.parameters(start), game=it.name, workers=crew, meter=meter,
                        folder=None if folder is None else folder / f"search_{at}")
        search.run()
        found.append(search.choose())
    best = max(found, key=lambda one: one.score)
    result = validate(rules, best.policy, field, seed=(seed + 2) % _SEEDS, games=validation, game=it.name,
                      workers=crew, meter=meter)
    return Tuned(start, tuple(names), tuple(found), best, result, aim)


def exploit(policy: PolicySpec, *, games: int = 10_000_000, methods: str | Sequence[str] = "cma",
            starts: Policies = STARTS, seed: int = 1, game: str = "agent_avenue",
            settings: Mapping[str, Any] | None = None, workers: int | None = None, out: str | Path | None = None,
            progress: Callback | None = None) -> Exploitation:
    """Who beats a policy, and by how much at least: the best responses that searches find.

    Parameters
    ----------
    games : in all, a fifth of them fresh ones for the result.
    methods : of ``METHODS`` in :mod:`agentsim.strategy.exploiting`: ``"cma"``, ``"dp"`` or both (``"cma,dp"``).
    starts : policies with parameters, at which CMA-ES begins.
    out : a folder that keeps searches by CMA-ES, so that one that was cut goes on.
    """
    it, rules = asked.table(game, settings)
    target = candidate(it, policy, "policy")
    try:
        begin = resolve_policies(it, spec_list(starts), rules=rules)
    except InputError as error:
        raise error.at(where="starts") from None
    for start in begin:
        if not it.tunable(start, rules):
            raise InputError(f"{start.label} has no parameters", where="starts",
                             allowed="policies of a family with parameters")
        chosen_parameters(it.tunable(start, rules), None, start, "starts")
    games, seed, crew = asked.games(games, _FEWEST_TO_EXPLOIT), asked.seed(seed), asked.workers(workers)
    chosen = asked.names(methods, "methods", " or ".join(METHODS))
    if not chosen:
        raise InputError("names no method", where="methods", allowed=", ".join(METHODS))
    for name in chosen:
        if name not in METHODS:
            raise InputError(f"unknown method '{name}'", where="methods", allowed=", ".join(METHODS),
                             nearest=nearest(name, METHODS))
    meter = Meter(asked.callback(progress), 0, games)
    if "dp" in chosen:
        check_tables(it.name, target, rules)
    folder = asked.ready(asked.folder(out))
    found = Exploitation(target, (), (), 0)
    if "cma" in chosen:
        found = search_responses(rules, target, begin, lambda start: it.tunable(start, rules), games=games, seed=seed,
                                 game=it.name, workers=crew, meter=meter, folder=folder)
    if "dp" in chosen:
        # What it knows of its target grows with the games that it sees, more and more slowly.
        watched, fresh = min(games // 5, 10_000_000), min(games // 5, 400_000)
        response = exploit_by_table(rules, target, games=watched, fresh=fresh, seed=seed, game=it.name, workers=crew,
                                    meter=meter)
        responses = sorted((*found.responses, response), key=lambda one: -one.validation.mean.estimate)
        found = Exploitation(target, tuple(responses), found.tried, found.n_games + watched + fresh)
    return found


# ------------------------------------------------------------------------------------------------ arguments


def _varied(vary: Any, parameters: Any, base: PolicyRef) -> list[Varied]:
    if isinstance(vary, Mapping):
        return [take_values(name, values, parameters, base, "vary") for name, values in vary.items()]
    texts = [vary] if isinstance(vary, str) else list(vary) if isinstance(vary, Iterable) else [vary]
    if not all(isinstance(text, str) for text in texts):
        raise InputError(f"must be values by parameter, got {shown(vary)}", where="vary",
                         allowed='such as {"bluff": [0, 0.5, 1]} or "bluff=0:1:0.1"')
    return [read_values(text, parameters, base, "vary") for text in texts]


def field_words(field: Sequence[Opponent]) -> str:
    """A field in words: ``random, greedy``, with weights where they differ."""
    even = len({one.weight for one in field}) == 1
    return ", ".join(one.ref.label if even else f"{one.ref.label} ({one.weight:.0%})" for one in field)
