"""``inspect``, ``replay`` and ``export``: looking at a run on disk."""

from __future__ import annotations

import argparse
import shlex
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentsim.commands import console
from agentsim.commands.parser import parse_count
from agentsim.commands.results import results_of
from agentsim.commands.simulate import plan_lines
from agentsim.commands.text import columns, count, size, terminal_width
from agentsim.errors import InputError, nearest

if TYPE_CHECKING:
    from agentsim.games.base import PolicyRef

__all__ = ["export", "game_text", "inspect", "replay"]


def inspect(args: argparse.Namespace) -> int:
    """Plan, rows, digest and results of a run; with ``--verify`` every part is read and checked first."""
    from agentsim.runs import open_run

    run = open_run(Path(args.run))
    if args.verify:
        run.verify()
    experiment = run.experiment
    results, tell = results_of(experiment, run.tallies())
    digest = run.digest(recompute=args.verify)
    if digest != run.digest():
        raise InputError("the rows are not those that the run noted when it wrote them", where=str(run.path))
    data = {"path": str(run.path), "experiment": experiment.as_dict(), "plan_digest": experiment.plan_digest(),
            "digest": digest, "verified": bool(args.verify), "complete": run.is_complete, "n_games": run.n_games,
            "n_games_planned": experiment.total_games, "rows": run.rows, "bytes": run.n_bytes,
            "results": results}

    def lines() -> list[str]:
        width = terminal_width()
        log = f"{experiment.log}, {size(run.n_bytes)}" if run.rows else "none, only counters"
        state = [("state", "complete")] if run.is_complete else [
            ("state", f"cut: {count(run.n_games)} of {count(experiment.total_games)} games are there"),
            ("go on with", f"agentsim resume {shlex.quote(str(run.path))}")]
        facts = [("name", experiment.name), *state, ("log", log),
                 *((f"rows of {name}", count(number)) for name, number in run.rows.items()),
                 ("plan digest", experiment.plan_digest()), ("content digest", digest)]
        if args.verify:
            facts.append(("verified", "every file has the rows and the checksum that the manifest says"))
        return [*plan_lines(experiment, width), "", *columns(("", ""), facts, wrap_last=width), "",
                *tell(width)]

    console.show(args.json, "inspect", data, lines)
    return 0


def replay(args: argparse.Namespace) -> int:
    """One game of a run, told in sentences. The game is played again from its address, so no log is needed."""
    from agentsim.games.base import get_game
    from agentsim.runs import open_run
    from agentsim.simulation.progress import COMPILING

    run = open_run(Path(args.run))
    experiment = run.experiment
    number = parse_count(args.game, "--game")
    if not 0 <= number < experiment.total_games:
        raise InputError(f"there is no game {number} in this run", where="--game",
                         allowed=f"0 to {experiment.total_games - 1}")
    index, matchup = divmod(number, len(experiment.matchups))
    pairings = experiment.pairings()
    if args.format not in ("story", "text"):
        raise InputError(f"unknown format '{args.format}'", where="--format", allowed="story, text",
                         nearest=nearest(args.format, ("story", "text")))
    if args.format == "text" and experiment.game != "agent_avenue":
        raise InputError(f"'{experiment.game}' has no notation", where="--format", allowed="story")
    patience = threading.Timer(3.0, console.note, [COMPILING])
    patience.daemon = True
    patience.start()
    try:
        tell = game_text if args.format == "text" else get_game(experiment.game).story
        story = tell(experiment.rules(), pairings, experiment.seed, matchup, index)
    finally:
        patience.cancel()
    data = {"path": str(run.path), "game_id": number, "matchup_id": matchup,
            "deal_id": index // experiment.games_per_deal()[matchup], "seed": experiment.seed,
            "policies": [policy.label for policy in pairings[matchup]], "story": story.splitlines()}
    console.show(args.json, "replay", data, story.splitlines)
    return 0


def game_text(rules: Any, pairings: Sequence[Sequence[PolicyRef]], seed: int, matchup: int, index: int) -> str:
    """One game of a run in the notation of ``docs/notation.md``, its seats named after their policies."""
    from agentsim.games.agent_avenue.blocks import swapped
    from agentsim.games.agent_avenue.notation import record_of, write_game
    from agentsim.games.base import get_game

    game, pair = get_game("agent_avenue"), pairings[matchup]
    per_deal = game.games_per_deal(pair, rules)
    swap = swapped(index, per_deal, rules)
    course = game.course(rules, pairings, seed, matchup, index)
    return write_game(record_of(course, names=(pair[swap].label, pair[1 - swap].label),
                                deal=(seed, index // per_deal)))


def export(args: argparse.Namespace) -> int:
    """The tables of a run, or one of them, as CSV files in a folder."""
    from agentsim.runs import export_csv, open_run

    if not args.csv:
        raise InputError("needs the name of a folder", where="--csv")
    run = open_run(Path(args.run))
    rows = {**run.rows, "matchups": len(run.experiment.matchups)}
    if args.table and args.table not in rows:
        raise InputError(f"this run has no table '{args.table}'", where="--table", allowed=", ".join(rows),
                         nearest=nearest(args.table, rows))
    written = export_csv(run, Path(args.csv), [args.table] if args.table else None)
    found = [(path.stem, path, rows[path.stem]) for path in written]
    data = {"path": str(run.path), "files": [{"table": name, "file": str(path), "rows": number}
                                             for name, path, number in found]}
    console.show(args.json, "export", data, lambda: columns(
        ("table", "rows", "file"), [(name, count(number), str(path)) for name, path, number in found], wrap_last=200))
    return 0
