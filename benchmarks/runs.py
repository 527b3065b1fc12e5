"""Runs to measure: experiments, scratch folders, CPU time and wall time of playing them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentsim.experiment import Experiment, build_experiment
from agentsim.games.base import LogLevel
from agentsim.simulation import simulate

__all__ = ["Timing", "folder", "mirror", "play"]


@dataclass(frozen=True)
class Timing:
    """Seconds of CPU time of this process (all threads) and of wall time."""

    cpu: float
    wall: float


def mirror(policy: str, games: int, log: LogLevel = "none") -> Experiment:
    """A policy against itself."""
    return build_experiment(policy, games=games, seed=1, log=log)


def play(experiment: Experiment, *, workers: int = 1, backend: Literal["threading", "loky"] = "threading",
         out: Path | None = None) -> Timing:
    """Play an experiment as users do, with what comes before and after the games, and time it."""
    cpu, wall = time.process_time(), time.perf_counter()
    simulate(experiment, workers=workers, backend=backend, out=out)
    return Timing(time.process_time() - cpu, time.perf_counter() - wall)


@contextmanager
def folder() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="agentsim-bench-") as path:
        yield Path(path)
