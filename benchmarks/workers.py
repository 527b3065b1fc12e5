"""Two workers against one, in wall time, taken in turn.

Other programs that keep the processors busy spoil that figure. What sharing itself costs shows in CPU time too, which
they do not spoil: the CPU time of two threads for the same games, over that of one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Literal

from benchmarks.measure import Line, Options, at_least, line
from benchmarks.runs import mirror, play

__all__ = ["run"]

_GAMES = {"random": 8_000_000, "expert": 500_000}
_BACKENDS: tuple[Literal["threading", "loky"], ...] = ("threading", "loky")


def run(options: Options) -> Iterator[Line]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores < 2:
        print("    one processor: scaling left out", file=sys.stderr)
        return
    for policy, games in _GAMES.items():
        experiment = mirror(policy, games)
        play(experiment)
        for backend in _BACKENDS:
            play(experiment, workers=2, backend=backend)  # processes are started before the clock runs
            pairs = [(play(experiment), play(experiment, workers=2, backend=backend)) for _ in range(options.repeat)]
            yield line("workers", f"{policy} mirror, 2 workers / 1, {backend}",
                       [one.wall / two.wall for one, two in pairs], "times as fast", at_least(1.7))
            if backend == "threading":
                yield line("workers", f"{policy} mirror, CPU of 2 workers / 1, {backend}",
                           [two.cpu / one.cpu for one, two in pairs], "times")
