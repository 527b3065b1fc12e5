"""The standard experiments of the report: which they are, how GAMES scales them, and how they are played or reused.

The experiment files (``standard*.toml``) say who plays whom; this module adds the rule changes and the folders. A run
is kept in ``data/logs/report_...``, and beside it, in a file of that name, what it was made from. A complete one that
was made from the same plan by the same code is taken as it is, one that was cut is finished, any other is replaced.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentsim.errors import InputError
from agentsim.experiment import Experiment, load_experiment
from agentsim.games.base import get_game
from agentsim.jit import source_hash
from agentsim.resources import experiments_dir
from agentsim.runs import Run, open_run
from agentsim.simulation import Progress, simulate
from agentsim.simulation.manifest import MANIFEST
from analyses.market_trials import Size

__all__ = ["LOGS", "NEW_GAMES", "RULE_CHANGES", "Planned", "market_size", "modes_deals", "own_games", "plan", "play",
           "rule_changes", "rule_runs", "scaled", "strategy_deals"]

RULE_CHANGES: Mapping[str, Mapping[int, Mapping[str, int]]] = {
    "hand size": {size: {"rules.hand_size": size} for size in (3, 4, 5, 6)},
    "discards": {number: {"rules.discards": number} for number in (0, 2, 4, 6)},
    "ring length": {spaces: {"rules.ring": spaces, "rules.home_1": spaces // 2} for spaces in (10, 12, 14, 16, 18, 20)},
}
"""The rule changes of the first-player analysis: by rule and value, the keys to set. The homes stay opposite."""

LOGS = Path("data/logs")

_MARKET_GAMES, _MODES_DEALS = 20_000, 40_000
_STRATEGY_DEALS = 20_000

NEW_GAMES: Mapping[str, int] = {"standard_argh": 60_000, "standard_shady": 40_000}
"""The experiments of games other than Agent Avenue, and how many games their analyses play at the standard size."""


@dataclass(frozen=True)
class Planned:
    """An experiment of the report, its folder, and the command that plays it alone."""

    key: str
    experiment: Experiment
    folder: Path
    command: str


def plan(games: int | None = None, seed: int | None = None, logs: Path = LOGS) -> list[Planned]:
    """All experiments of the report, in the order in which they are played.

    Parameters
    ----------
    games : games per matchup of the experiment ``standard``, even and at least 2; the others are scaled in proportion.
    seed : replaces the seed of the files.
    logs : the folder for the runs.

    Raises ``InputError`` for a number of games that does not fit.
    """
    folder = experiments_dir()
    base = load_experiment(folder / "standard.toml")
    scale = 1.0 if games is None else base.with_games(games, where="--games").games / base.games
    suffix = ("" if games is None else f"_games{games}") + ("" if seed is None else f"_seed{seed}")
    planned = []
    for name in ("standard", "standard_offers", "standard_mirrors", "standard_market", "standard_rules", *NEW_GAMES):
        experiment = base if name == "standard" else load_experiment(folder / f"{name}.toml")
        experiment = replace(experiment, games=scaled(experiment.games, scale, max(2, *experiment.games_per_deal())),
                             seed=experiment.seed if seed is None else seed)
        planned.append(_planned(name, experiment, {}, logs, suffix))
        if name == "standard_rules":
            planned += [_planned(f"{name}_{_slug(rule, value)}", replace(
                experiment, seed=_other_seed(experiment.seed, at), settings=_changed(experiment, keys),
                name=f"{name}: {rule} {value}"), keys, logs, suffix)
                for at, (rule, value, keys) in enumerate(_changes(experiment), 1)]
    return planned


def scaled(games: int, scale: float, per_deal: int = 2) -> int:
    """``games`` times ``scale``, rounded to whole deals, one at least (by default two games make a deal)."""
    return max(per_deal, per_deal * round(games * scale / per_deal))


def market_size(planned: Sequence[Planned]) -> Size:
    """How much the report plays for the worth of cards: half a million games per level and more, scaled like the rest.

    That brings every effect to about one percentage point; ``agentsim balance`` goes on to half a point.
    """
    scale = _market_scale(planned)
    return Size(games=scaled(600_000, scale), blanks=scaled(300_000, scale), landings=scaled(40_000, scale),
                forced=scaled(10_000, scale))


def modes_deals(planned: Sequence[Planned]) -> int:
    """How many deals of every mode and policy the report plays."""
    return max(200, scaled(_MODES_DEALS, _market_scale(planned)))


def strategy_deals(planned: Sequence[Planned]) -> int:
    """How many deals of each trial of the strategy page the report plays."""
    return max(200, scaled(_STRATEGY_DEALS, _market_scale(planned)))


def own_games(planned: Sequence[Planned], key: str) -> int:
    """How many games the analysis of one of :data:`NEW_GAMES` plays per cell: its ``games``."""
    base = next(item.experiment.games for item in planned if item.key == "standard")
    usual = load_experiment(experiments_dir() / "standard.toml").games
    return max(200, scaled(NEW_GAMES[key], base / usual))


def _market_scale(planned: Sequence[Planned]) -> float:
    return next(item.experiment.games for item in planned if item.key == "standard_market") / _MARKET_GAMES


def rule_changes(planned: Sequence[Planned]) -> list[str]:
    """The keys of the experiments with changed rules."""
    return [item.key for item in planned if item.key.startswith("standard_rules_")]


def rule_runs(planned: Sequence[Planned]) -> list[tuple[str, int, str]]:
    """For every rule and value of :data:`RULE_CHANGES`, the publisher's among them: the key of its experiment."""
    keys = set(rule_changes(planned))
    return [(rule, value, key if (key := f"standard_rules_{_slug(rule, value)}") in keys else "standard_rules")
            for rule, values in RULE_CHANGES.items() for value in values]


def _changes(experiment: Experiment) -> list[tuple[str, int, Mapping[str, int]]]:
    """The changes that differ from the rules of ``experiment``: rule, value, keys."""
    return [(rule, value, keys) for rule, values in RULE_CHANGES.items() for value, keys in values.items()
            if any(experiment.settings[key] != number for key, number in keys.items())]


def play(planned: Sequence[Planned], *, workers: int | None = None, say: Callable[[str], None] = lambda text: None,
         progress: Callable[[str], Callable[[Progress], None] | None] = lambda key: None) -> dict[str, Run]:
    """Play what is not there yet and open all runs.

    ``say`` gets a line per experiment that is played, ``progress`` its key and gives the callback for its progress.
    """
    runs = {}
    for item in planned:
        if not _is_there(item):
            say(f"{item.experiment.name}: {item.experiment.total_games:,} games")
            simulate(item.experiment, out=item.folder, workers=workers, progress=progress(item.key))
        runs[item.key] = open_run(item.folder)
    return runs


def _is_there(item: Planned) -> bool:
    """Whether the folder holds the complete run. Makes room for it if not: one of another plan or code is removed."""
    stamp = item.folder.with_name(f"{item.folder.name}.json")
    # The plan names the game's version; code that is being changed plays differently under the same version.
    wanted = {"plan": item.experiment.plan_digest(), "games": item.experiment.games, "sources": source_hash()}
    ours = _read(stamp) == wanted
    if (item.folder / MANIFEST).exists():
        try:
            run = open_run(item.folder)
        except InputError:
            run = None  # damaged
        if run is not None and ours:
            return run.is_complete  # one that was cut goes on where it stopped
        if not stamp.exists() and (run is None or not run.experiment.name.startswith("standard")):
            raise InputError("holds a run that is not the report's", where=str(item.folder),
                             allowed="a folder of its own: move the run elsewhere")
        shutil.rmtree(item.folder)
    try:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(json.dumps(wanted) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(stamp)) from None
    return False


def _read(stamp: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found


def _planned(key: str, experiment: Experiment, keys: Mapping[str, int], logs: Path, suffix: str) -> Planned:
    file = "standard_rules" if keys else key
    command = f"agentsim simulate data/experiments/{file}.toml --games {experiment.games} --seed {experiment.seed}"
    command += "".join(f" --set {name}={value}" for name, value in keys.items())
    return Planned(key, experiment, logs / f"report_{key}{suffix}", command)


def _changed(experiment: Experiment, keys: Mapping[str, int]) -> dict[str, Any]:
    game = get_game(experiment.game)
    return game.rules_as_dict(game.rules({**experiment.settings, **keys}))


def _other_seed(seed: int, at: int) -> int:
    return (seed + at) % 2**64


def _slug(rule: str, value: int) -> str:
    return f"{rule.replace(' ', '_')}_{value}"
