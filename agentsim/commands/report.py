"""``report``: hands its flags, checked, to the analyses."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from agentsim.commands.parser import parse_count, parse_whole
from agentsim.commands.simulate import MAX_WORKERS
from agentsim.experiment import MAX_GAMES, MAX_SEED, whole_number

__all__ = ["report"]


def report(args: argparse.Namespace) -> int:
    """Run the standard experiment, all analyses and notebooks, and write the pages."""
    games = None if args.games is None else whole_number(parse_count(args.games, "--games"), 2, MAX_GAMES,
                                                         where="--games")
    seed = None if args.seed is None else whole_number(parse_whole(args.seed, "--seed"), 0, MAX_SEED, where="--seed")
    workers = os.cpu_count() or 1 if args.workers is None else whole_number(
        parse_whole(args.workers, "--workers"), 1, MAX_WORKERS, where="--workers")

    from analyses.report import main

    return int(main(games=games, out=Path(args.out), workers=workers, seed=seed, notebooks_only=args.notebooks_only,
                    quiet=args.quiet))
