"""Two workers against one, in wall time, taken in turn; and what sharing costs in CPU time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Literal

from agentsim.experiment import Experiment
from benchmarks.measure import Line, Options, at_least, line
from benchmarks.quiet import undisturbed
from benchmarks.runs import Timing, mirror, play

__all__ = ["run"]

_GAMES = {"random": 6_000_000, "expert": 500_000}
_BACKENDS: tuple[Literal["threading", "loky"], ...] = ("threading", "loky")


def run(options: Options) -> Iterator[Line]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores < 2:
        print("    one processor: scaling left out", file=sys.stderr)
        return
    for policy, games in _GAMES.items():
        experiment = mirror(policy, games)
        for backend in _BACKENDS:
            pairs, note = _pairs(experiment, backend, options.repeat)
            yield line("workers", f"{policy} mirror, 2 workers / 1, {backend}",
                       [one.wall / two.wall for one, two in pairs], "times as fast", at_least(1.7), note)
            if backend == "threading":
                yield line("workers", f"{policy} mirror, CPU of 2 workers / 1, {backend}",
                           [two.cpu / one.cpu for one, two in pairs], "times")


def _pairs(experiment: Experiment, backend: Literal["threading", "loky"], times: int) -> tuple[
        list[tuple[Timing, Timing]], str]:
    play(experiment, workers=2, backend=backend)  # compiled, and processes started, before the clock runs

    def measure() -> tuple[Timing, Timing]:
        return play(experiment), play(experiment, workers=2, backend=backend)

    return undisturbed(times, measure)
