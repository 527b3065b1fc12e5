"""``make strategy``: measurements of the page *Strategy* that take longer than a report may, kept in ``data/strategy``.

Best responses to every shipped policy, and the solver's games, need hundreds of millions of moves and a table of
minutes. They are made here, once for each version of the game, and kept in git as CSV files with their seeds, games
and intervals. ``about.json`` says what made them. What is there already for the same plan is not made again; under
another plan (games, seed, version of the game ...) all of it is made anew.

    python -m analyses.strategy_data [--games 3M] [--opening-games 10k] [--workers 1]

The opening table says itself how many games it rests on; remove its two files to have them made anew.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd

from agentsim import load_policies, simulate
from agentsim.commands.parser import parse_count
from agentsim.games.base import get_game
from agentsim.runs import open_run
from agentsim.simulation import ProgressBar
from agentsim.simulation.progress import Meter
from agentsim.strategy.exploiting import exploit, exploit_by_table
from agentsim.strategy.field import Opponent, validate
from analyses.strategy_openings import ACTIONS, check_openings, openings, play_openings

__all__ = ["FOLDER", "OPENING_GAMES", "SEED", "SCORE_GAMES", "SOLVER_GAMES", "STARTS", "main"]

FOLDER = Path("data/strategy")
SEED = 20261130
BUDGET = 3_000_000
FRESH = 100_000
"""Games in which a response by dynamic programming is checked; CMA-ES keeps a fifth of its games for that."""
SOLVER_GAMES = 20_000
SCORE_GAMES = {"solver": 400_000, "compromise": 20_000}
"""Games against each policy of those that play by the solver's table."""
OPENING_GAMES = 4_000
"""Games of every offer and discard of the opening table."""
STARTS = ("expert", "daredevil_trapper", "codebreaker_hunter", "discarder")
WATCHED = 1_000_000
"""Games of the policy that a response by dynamic programming is fitted to."""


def main(words: list[str] | None = None) -> int:
    """Make what is missing. Returns 0."""
    parser = argparse.ArgumentParser(prog="python -m analyses.strategy_data", description=__doc__.partition("\n")[0])
    parser.add_argument("--games", default=str(BUDGET), help="games of the search against each policy")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--opening-games", default=str(OPENING_GAMES), help="games of every offer of the opening table")
    parser.add_argument("--without-solver", action="store_true", help="leave out what needs the solver's table")
    args = parser.parse_args(words)
    games, opening_games = parse_count(args.games, "--games"), parse_count(args.opening_games, "--opening-games")
    game = get_game("agent_avenue")
    rules = game.rules({})
    FOLDER.mkdir(parents=True, exist_ok=True)
    names = [ref.label for ref in game.policies(rules)]
    plan = {"game": game.name, "version": game.version, "seed": SEED, "command": "make strategy", "budget": games,
            "solver_games": SOLVER_GAMES, "score_games": SCORE_GAMES, "watched": WATCHED, "fresh": FRESH,
            "starts": list(STARTS)}
    _begin(plan)
    for name in names:
        _kept(f"exploit_{name}.json", partial(_exploited, rules, name, games, args.workers, not args.without_solver))
    if not args.without_solver:
        for name in SCORE_GAMES:
            _kept(f"exploit_{name}.json", partial(_exploited, rules, name, games, args.workers, True))
            _kept(f"scores_{name}.csv", partial(_solver_scores, rules, name, names, args.workers))
        habits = cache(partial(_habits, args.workers))
        for table in ("offered", "taken", "situations"):
            _kept(f"solver_{table}.csv", partial(_of_solver, habits, table))
        made = cache(partial(_openings, rules, opening_games, args.workers))
        _kept("openings.csv", lambda: made()[0])
        _kept("openings_check.csv", lambda: made()[1])
    return 0


def _begin(plan: dict[str, Any]) -> None:
    """Write the plan down; what another plan has left is removed first."""
    place = FOLDER / "about.json"
    if place.exists():
        told = json.loads(place.read_text(encoding="utf-8"))
        if {key: told.get(key) for key in plan} == plan:
            return
        for path in (*FOLDER.glob("*.json"), *FOLDER.glob("*.csv")):
            path.unlink()
    told = {**plan, "date": datetime.now(UTC).date().isoformat()}
    place.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _kept(name: str, make: Callable[[], Any]) -> None:
    """Make a file unless it is there; written beside and renamed."""
    place = FOLDER / name
    if place.exists():
        return
    print(f"making {place}", file=sys.stderr, flush=True)
    made = make()
    beside = place.with_suffix(".new")
    if isinstance(made, pd.DataFrame):
        made.to_csv(beside, index=False, lineterminator="\n")
    else:
        beside.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    beside.rename(place)


def _exploited(rules: Any, name: str, games: int, workers: int, by_table: bool) -> dict[str, Any]:
    game: Any = get_game("agent_avenue")
    with ProgressBar() as bar:
        found = exploit(rules, load_policies(name)[0], load_policies(",".join(STARTS)),
                        lambda start: game.tunable(start, rules), games=games, seed=SEED, workers=workers,
                        meter=Meter(bar, 0, games))
    told = {**found.as_dict(), "seed": SEED, "budget": games}
    if by_table:
        with ProgressBar() as bar:
            response = exploit_by_table(rules, load_policies(name)[0], games=WATCHED, fresh=FRESH, seed=SEED,
                                        workers=workers, meter=Meter(bar, 0, FRESH)).as_dict()
        # Its arrays lie on the machine that found it; the seed and the games find it again.
        response["policy"]["source"] = ""
        told["responses"].append(response)
    return told


def _solver_scores(rules: Any, name: str, names: list[str], workers: int) -> pd.DataFrame:
    field = [Opponent(ref, 1 / len(names)) for ref in load_policies(",".join(names))]
    with ProgressBar() as bar:
        found = validate(rules, load_policies(name)[0], field, seed=SEED, games=SCORE_GAMES[name], workers=workers,
                         meter=Meter(bar, 0, SCORE_GAMES[name] * len(names)))
    return pd.DataFrame([{"opponent": one.ref.label, "score": score.estimate, "low": score.low, "high": score.high,
                          "n_deals": score.n_deals, "n_games": score.n_games, "seed": SEED}
                         for one, score in zip(found.field, found.scores, strict=True)])


def _habits(workers: int) -> dict[str, pd.DataFrame]:
    """What the solver offers, takes and discards in games with itself, and when."""
    from analyses import agents_and_bluffs, solver_habits

    folder = Path("data/logs/strategy_solver")
    with ProgressBar() as bar:
        simulate(policies="solver", games=SOLVER_GAMES, seed=SEED, log="full", out=folder, workers=workers,
                 progress=bar)
    run = open_run(folder)
    return {**agents_and_bluffs.tables(run, "solver"), "situations": solver_habits.situations(run, "solver")}


def _of_solver(habits: Callable[[], dict[str, pd.DataFrame]], table: str) -> pd.DataFrame:
    found = habits()[table]
    return found[found["policy"] == "solver"] if "policy" in found.columns else found


def _openings(rules: Any, games: int, workers: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The opening table with what was played, and by how much its values differ from that."""
    table = openings(rules)
    with ProgressBar() as bar:
        scores = play_openings(rules, table, load_policies("solver")[0], games=games, seed=SEED,
                               workers=workers, meter=Meter(bar, 0, games * len(ACTIONS) * len(table)))
    return check_openings(table, scores, SEED)


if __name__ == "__main__":
    sys.exit(main())
