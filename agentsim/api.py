"""The conveniences of the public interface: a simulation, a game or a list of policies from plain arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agentsim.errors import InputError, shown
from agentsim.experiment import MAX_SEED, Experiment, build_experiment, load_experiment, whole_number
from agentsim.games.base import LogLevel, PolicyRef, get_game
from agentsim.games.base import list_games as list_games
from agentsim.lineup import MatchupPlan, PolicySpec, resolve_policies, spec_list

if TYPE_CHECKING:
    from agentsim.games.agent_avenue.advice.advice import Advice
    from agentsim.games.agent_avenue.advice.review import Review
    from agentsim.simulation import Progress, RunResult
    from agentsim.strategy.results import TournamentResult

__all__ = ["advise", "list_games", "load_policies", "new_game", "review", "simulate", "tournament"]


def simulate(
    experiment: Experiment | str | Path | None = None, *, policies: str | Sequence[PolicySpec] | None = None,
    game: str = "agent_avenue", games: int | None = None, seed: int = 1, log: LogLevel | None = None,
    settings: Mapping[str, Any] | None = None, matchups: MatchupPlan = "auto", name: str | None = None,
    out: str | Path | None = None, workers: int | None = None,
    backend: Literal["threading", "loky", "sequential"] = "threading",
    progress: Callable[[Progress], None] | None = None,
) -> RunResult:
    """Play an experiment and return its exact counters.

    Parameters
    ----------
    experiment : an ``Experiment`` or the path of an experiment file; or leave it out and describe it by the arguments
        ``policies`` to ``name``, as :func:`agentsim.build_experiment` takes them.
    out : the folder of the run. Without it nothing is written. A folder with the same plan is continued.
    log : what is written: ``"none"``, ``"games"`` (the default if ``out`` is given), ``"turns"`` or ``"full"``.
    workers : default the number of processors. Results do not depend on it, nor on ``backend``.
    progress : called now and then with how far the simulation is.

    Returns a ``RunResult``; its ``summary()`` is a DataFrame with one row per matchup. Raises ``InputError`` for
    anything that cannot be used.
    """
    import os

    from agentsim.simulation import simulate as play

    if experiment is None:
        if policies is None:
            raise InputError("give an experiment or policies", key="policies", allowed='such as ["expert", "random"]')
        level: LogLevel = log or ("games" if out is not None else "none")
        experiment = build_experiment(policies, game=game, games=games, seed=seed, log=level, settings=settings,
                                      matchups=matchups, name=name)
    elif policies is not None or games is not None or settings is not None or log is not None or name is not None:
        raise InputError("an experiment is complete; do not describe it again by arguments", key="experiment",
                         allowed="build_experiment(...) makes one from arguments")
    elif not isinstance(experiment, Experiment):
        experiment = load_experiment(experiment)
    return play(experiment, out=None if out is None else Path(out), backend=backend, progress=progress,
                workers=workers if workers is not None else os.cpu_count() or 1)


def tournament(policies: str | Sequence[PolicySpec], field: str | Sequence[PolicySpec] | None = None,
               **options: Any) -> TournamentResult:
    """Policies against each other, or each against a field, until every comparison is decided or the budget ends.

    ``options`` are those of :func:`agentsim.strategy.results.run_tournament`: ``games``, ``margin``, ``level``,
    ``seed``, ``game``, ``settings``, ``workers``, ``out``, ``progress``. The result's ``ranking()``, ``pairs()``,
    ``circles()`` are tables, as are those of its ``ratings()``. Raises ``InputError`` for anything that cannot be used.
    """
    from agentsim.strategy.results import run_tournament

    return run_tournament(policies, field, **options)


def new_game(seed: int = 1, settings: Mapping[str, Any] | None = None, *, game: str = "agent_avenue",
             deal: int = 0) -> Any:
    """A game to be played step by step, on the cards of deal number ``deal`` under ``seed``.

    ``settings`` are rule keys with values. See the game's documentation for what it offers (``to_move``,
    ``legal_actions``, ``apply``, ``observe`` ...). Raises ``InputError`` for unknown games, bad rules and seeds.
    """
    if settings is not None and not isinstance(settings, Mapping):
        raise InputError(f"must be rule keys with values, got {shown(settings)}", key="settings",
                         allowed='such as {"rules.discards": 2}')
    return get_game(game).new_game(whole_number(seed, 0, MAX_SEED, key="seed"), settings, deal=deal)


def load_policies(specs: str | Sequence[PolicySpec] | None = None, *, game: str = "agent_avenue",
                  ) -> tuple[PolicyRef, ...]:
    """Policies by spec, complete with every parameter; without specs all that come with the game.

    A spec is a name (``"greedy"``), a name with parameters (``"planner(bluff=0.5)"``) or a name in a file of yours
    (``"./mine.py:cautious"``). Raises ``InputError``, with the nearest name, for an unknown one.
    """
    found = get_game(game)
    if specs is None:
        return tuple(found.policies())
    return resolve_policies(found, spec_list(specs))


def advise(position: Any, *, mine: str = "expert", theirs: str = "expert", games: int | None = None,
           precision: float | None = None, seed: int = 1) -> Advice:
    """What every legal action in a position of Agent Avenue is worth, by paired rollouts.

    ``position``: of :func:`new_game` and what follows from it, or the path of a position file (docs/notation.md).
    ``mine`` and ``theirs``: policies by spec, by which whoever decides and the other side are thought to play on.
    ``games``, ``precision``, ``seed``: see :func:`agentsim.games.agent_avenue.advice.advice.advise`, which tells what
    is found. Raises ``InputError`` for anything that cannot be used.
    """
    from agentsim.games.agent_avenue.advice.advice import MAX_WORLDS
    from agentsim.games.agent_avenue.advice.advice import advise as find
    from agentsim.games.agent_avenue.notation import read_position
    from agentsim.games.agent_avenue.position import Position

    if not isinstance(position, Position):
        if not isinstance(position, str | Path):
            raise InputError(f"{type(position).__name__} is no position of Agent Avenue", key="position",
                             allowed="a position of the step API, or the path of a position file")
        position = read_position(position)
    if games is not None:
        games = whole_number(games, 10, MAX_WORLDS, key="games")
    asked: Any = precision  # from Python anything may come
    if asked is not None and not (isinstance(asked, int | float) and 0.0001 <= asked <= 0.5):
        raise InputError(f"{shown(asked)} is out of range", key="precision", allowed="0.0001 to 0.5")
    both = _one_each(mine=mine, theirs=theirs)
    return find(position, mine=both[0], theirs=both[1], games=games, precision=precision,
                seed=whole_number(seed, 0, MAX_SEED, key="seed"))


def review(game: str | Path, *, mine: str = "expert", theirs: str = "expert", seats: Sequence[int] = (0, 1),
           games: int = 4_000, seed: int = 1) -> Review:
    """What every decision in the game file ``game`` (docs/notation.md) cost; the other arguments as in :func:`advise`.

    ``seats``: whose decisions. Raises ``InputError`` for anything that cannot be used.
    """
    from agentsim.games.agent_avenue.advice.advice import MAX_WORLDS
    from agentsim.games.agent_avenue.advice.review import review as look
    from agentsim.games.agent_avenue.notation import play_record, read_game

    if not isinstance(game, str | Path):
        raise InputError(f"{type(game).__name__} is no game of Agent Avenue", key="game",
                         allowed="the path of a file in the notation of docs/notation.md")
    asked: Any = seats
    if not isinstance(asked, Sequence) or not asked or not all(seat in (0, 1) for seat in asked):
        raise InputError(f"must be seats, got {shown(seats)}", key="seats", allowed="(0, 1), (0,) or (1,)")
    both = _one_each(mine=mine, theirs=theirs)
    return look(play_record(read_game(game)), mine=both[0], theirs=both[1], seats=seats,
                games=whole_number(games, 10, MAX_WORLDS, key="games"),
                seed=whole_number(seed, 0, MAX_SEED, key="seed"))


def _one_each(**specs: Any) -> list[PolicyRef]:
    """A policy of Agent Avenue for each argument. Raises InputError that names the argument."""
    found = []
    for key, spec in specs.items():
        try:
            refs = resolve_policies(get_game("agent_avenue"), spec_list(spec))
        except InputError as error:
            raise error.at(key=key) from None
        if len(refs) != 1:
            raise InputError(f"{len(refs)} policies", key=key, allowed="one")
        found.append(refs[0])
    return found
