"""The command line: a small run from a warm cache, and the first call ever."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Line, Options, at_most, line
from benchmarks.quiet import undisturbed
from benchmarks.runs import folder

__all__ = ["run"]

_COMMAND = [sys.executable, "-m", "agentsim", "simulate", "--policies", "expert,random", "--games", "1000"]


def run(options: Options) -> Iterator[Line]:
    _call(None)
    warm, quiet = undisturbed(options.repeat, lambda: _call(None))
    yield line("startup", "agentsim simulate, 1,000 games, warm cache", [wall for wall, _, _ in warm], "s of wall",
               at_most(2), note=f"{statistics.median(cpu for _, cpu, _ in warm):.1f} s of CPU; {quiet}".rstrip("; "))
    with folder() as cache:
        wall, cpu, said = _call(cache)
    yield line("startup", "the same, the first call ever (empty cache)", [wall], "s of wall", at_most(40),
               note=f"{cpu:.1f} s of CPU; " + ("says that it is compiling" if "compiling" in said else
                                               "does NOT say that it is compiling"))


def _call(cache: Path | None) -> tuple[float, float, str]:
    """Wall and CPU seconds of the command, and what it said on the error stream."""
    environment = dict(os.environ)
    if cache is not None:
        environment["AGENTSIM_CACHE"] = str(cache)
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(_COMMAND, env=environment, check=True, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, cpu, done.stderr
