"""``simulate``, ``resume`` and ``extend``: playing games and telling what came out."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentsim.commands import console
from agentsim.commands.parser import parse_count, parse_settings, parse_whole
from agentsim.commands.results import results_of
from agentsim.commands.text import count, duration, paragraph, size, terminal_width
from agentsim.errors import InputError, nearest
from agentsim.experiment import DEFAULT_GAME, Draft, Experiment, card_settings
from agentsim.lineup import split_specs

__all__ = ["BACKENDS", "INTERRUPTED", "extend", "plan_lines", "resume", "simulate"]

BACKENDS = ("threading", "loky", "sequential")
INTERRUPTED = 130
MAX_WORKERS = 512


def simulate(args: argparse.Namespace) -> int:
    """Play an experiment file, what the flags say, or the file with the flags in place of what it says."""
    if args.out == "":
        raise InputError("needs the name of a folder", where="--out")
    out = None if args.out is None else Path(args.out)
    draft = _draft(args)
    _choose_log(draft, out, args)
    experiment = draft.build()
    options = _options(args)
    if args.dry_run:
        return _dry_run(experiment, out, args, options)

    from agentsim.simulation import simulate as play

    return _play(lambda progress: play(experiment, out=out, progress=progress, **options), args, "simulate", out)


def resume(args: argparse.Namespace) -> int:
    """Finish a run that was cut."""
    from agentsim.simulation import resume as play

    path, options = Path(args.run), _options(args)
    return _play(lambda progress: play(path, progress=progress, **options), args, "resume", path)


def extend(args: argparse.Namespace) -> int:
    """Play more games of a run; ``--games`` is the new number per matchup."""
    from agentsim.simulation import extend as play

    path, options = Path(args.run), _options(args)
    games = parse_count(args.games, "--games")
    return _play(lambda progress: play(path, games, progress=progress, **options), args, "extend", path)


def plan_lines(experiment: Experiment, width: int) -> list[str]:
    """What an experiment is about to do, or did."""
    from agentsim.games.base import get_game
    from agentsim.standings import who_plays

    game = get_game(experiment.game)
    labels = [policy.label for policy in experiment.policies]
    matchups = experiment.matchups
    mirrors = sum(len(set(matchup)) == 1 for matchup in matchups)
    if len(matchups) > 1:
        kinds = "mirrors" if mirrors == len(matchups) else "matchups"
        some = f", {mirrors} of them mirrors" if 0 < mirrors < len(matchups) else ""
        who = f"{len(matchups)} {kinds} of {len(labels)} policies{some}: {', '.join(labels)}"
    elif mirrors:
        who = f"{labels[matchups[0][0]]} against itself"
    else:
        who = who_plays([labels[index] for index in matchups[0]])
    deals = sum(experiment.games // games for games in experiment.games_per_deal())
    games = f"{count(experiment.games)} games" + (f" of each matchup, {count(experiment.total_games)} in all"
                                                  if len(matchups) > 1 else "")
    lines = paragraph(f"{game.title}: {who}", width=width)
    lines += paragraph(f"{games} ({count(deals)} deals), seed {experiment.seed}", width=width)
    changed = [f"{key.name} = {experiment.settings[key.name]}" for key in game.rule_keys()
               if key.name in experiment.settings and experiment.settings[key.name] != key.default
               and not key.name.endswith(".provenance")]  # who made a card up is no rule
    return lines + (paragraph(f"Changed rules: {', '.join(changed)}", width=width) if changed else [])


def _refuse_space(word: str, args: argparse.Namespace) -> None:
    """``--policies expert greedy``: the shell hands the second policy over as the experiment."""
    from agentsim.games.base import get_game, list_games

    policies, game = args.policies, DEFAULT_GAME if args.game is None else args.game
    if game in list_games() and word in {policy.label for policy in get_game(game).policies()}:
        raise InputError(f"'{word}' is a policy, not an experiment file", where="--policies",
                         allowed=f"names joined by commas without a space: --policies {policies.rstrip(',')},{word}")


def _draft(args: argparse.Namespace) -> Draft:
    if args.experiment is not None:
        if args.policies is not None and "." not in args.experiment and "/" not in args.experiment:
            _refuse_space(args.experiment, args)
        draft = Draft.read(args.experiment)
    elif args.policies is not None:
        draft = Draft()
    else:
        raise InputError("give an experiment file or --policies", where="simulate",
                         allowed="for example: agentsim simulate --policies expert,random --games 100000")

    def take(key: str, value: Any) -> None:
        setattr(draft, key, value)
        draft.places[key] = f"--{key}"

    if args.policies is not None:
        try:
            take("policies", split_specs(args.policies))
        except InputError as error:
            raise error.at(where="--policies") from None
        # Pairs listed in a file name its own policies.
        draft.matchups = None
    if args.matchups is not None:
        take("matchups", args.matchups)
    if args.games is not None:
        take("games", parse_count(args.games, "--games"))
    if args.seed is not None:
        take("seed", parse_whole(args.seed, "--seed"))
    for key in ("game", "log", "name"):
        if getattr(args, key) is not None:
            take(key, getattr(args, key))
    if args.cards is not None:
        settings, places = card_settings(args.cards, draft._game())
        draft.settings |= settings
        draft.places |= places
    changes = parse_settings(args.set or [])
    draft.settings |= changes
    draft.places |= dict.fromkeys(changes, "--set")
    return draft


def _choose_log(draft: Draft, out: Path | None, args: argparse.Namespace) -> None:
    """A run that is kept logs its games unless told otherwise; without a folder there is nothing to log to."""
    if out is not None:
        draft.log = "games" if draft.log is None else draft.log
    elif args.log not in (None, "none") and not args.dry_run:
        raise InputError(f"'{args.log}' needs a folder to write to", where="--log", allowed="with --out DIR")
    elif draft.log not in (None, "none") and not args.dry_run:
        draft.build()  # a misspelt level is still an error
        console.note("Without --out nothing is logged; the results follow.", quiet=args.quiet)
        draft.log = "none"


def _options(args: argparse.Namespace) -> dict[str, Any]:
    """Workers and backend as the simulation takes them."""
    workers = os.cpu_count() or 1
    if args.workers is not None:
        workers = parse_whole(args.workers, "--workers")
        if not 1 <= workers <= MAX_WORKERS:
            raise InputError(f"must be 1 to {MAX_WORKERS}, got {args.workers}", where="--workers")
    if args.backend not in BACKENDS:
        raise InputError(f"unknown backend '{args.backend}'", where="--backend", allowed=", ".join(BACKENDS),
                         nearest=nearest(args.backend, BACKENDS))
    return {"workers": workers, "backend": args.backend}


def _dry_run(experiment: Experiment, out: Path | None, args: argparse.Namespace, options: dict[str, Any]) -> int:
    from agentsim.simulation import estimate

    found = estimate(experiment, options["workers"])
    data = {"experiment": experiment.as_dict(), "plan_digest": experiment.plan_digest(),
            "out": str(out) if out else None,
            "estimate": {"n_games": found.games, "tasks": found.tasks, "seconds": found.seconds, "bytes": found.bytes}}

    def lines() -> list[str]:
        width = terminal_width()
        disk = f", about {size(found.bytes)} on disk" if found.bytes else ""
        crew = f"{options['workers']} worker{'s' if options['workers'] > 1 else ''}"
        return [*plan_lines(experiment, width), f"Log: {experiment.log}" + (f", to {out}" if out else ""),
                f"About {duration(found.seconds)} with {crew} in {count(found.tasks)} tasks{disk}.",
                "Nothing was played (--dry-run)."]

    console.show(args.json, "simulate", data, lines)
    return 0


def _play(run: Callable[[Any], Any], args: argparse.Namespace, command: str, out: Path | None) -> int:
    from agentsim.simulation import ProgressBar

    try:
        with ProgressBar(quiet=args.quiet) as bar:
            result = run(bar)
    except KeyboardInterrupt:
        if out is None:
            console.note("agentsim: interrupted; nothing was written")
        else:
            console.note(f"agentsim: interrupted; continue with: agentsim resume {shlex.quote(str(out))}")
        return INTERRUPTED

    experiment: Experiment = result.experiment
    results, tell = results_of(experiment, result.tallies)
    rate = result.n_games / result.seconds if result.seconds > 0 else 0.0
    data = {"experiment": experiment.as_dict(), "plan_digest": experiment.plan_digest(),
            "path": str(result.path) if result.path else None, "n_games": result.n_games, "seconds": result.seconds,
            "games_per_second": rate, "results": results}

    def lines() -> list[str]:
        width = terminal_width()
        speed = f"Played {count(result.n_games)} games in {duration(result.seconds)} ({_rate(rate)})."
        if result.n_games == 0:
            speed = "All games had been played already."
        kept = (f"The run is in {result.path}; look at it with: agentsim inspect {shlex.quote(str(result.path))}"
                if result.path else "Nothing was written; --out DIR keeps the games for analyses.")
        return [*plan_lines(experiment, width), "", *tell(width), "", speed, kept]

    console.show(args.json, command, data, lines)
    return 0


def _rate(games_per_second: float) -> str:
    if games_per_second >= 1e6:
        return f"{games_per_second / 1e6:.1f} M games/s"
    return f"{float(f'{games_per_second:.2g}'):,.0f} games/s"
