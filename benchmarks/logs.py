"""What a log of turns costs: CPU time and bytes per turn row, and the wait at two workers."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Iterator
from pathlib import Path

from agentsim.runs import open_run
from benchmarks.measure import Line, Options, at_most, line
from benchmarks.quiet import undisturbed
from benchmarks.runs import Timing, folder, mirror, play

__all__ = ["run"]

_GAMES = 1_600_000


def run(options: Options) -> Iterator[Line]:
    with folder() as root:
        play(mirror("random", 1000, "turns"), out=root / "warm")
        measured, quiet = undisturbed(options.repeat, lambda: _measure(root))
        plain, logged, shared, sizes = zip(*measured, strict=True)
        rows = sizes[0][0]
        per_row = [1e9 * (with_log.cpu - without.cpu) / rows for with_log, without in zip(logged, plain, strict=True)]
        note = f"{rows / _GAMES:.2f} rows per game; their share of the games table is in it"
        yield line("logging", "CPU for writing, per turn row", per_row, "ns", at_most(300), note)
        per_row = [size / rows for rows, size in sizes]
        yield line("logging", "size of `turns`, per turn row", per_row, "bytes", at_most(8))
        waits = [two.wall / (one.cpu / 2) for one, two in zip(logged, shared, strict=True)]
        yield line("logging", "wall at 2 workers / half the CPU of 1 worker", waits, "times", at_most(1.15),
                   f"1 worker: {statistics.median(one.cpu for one in logged):.2f} s of CPU for {_GAMES:,} games, "
                   f"simulated and written; {quiet}".rstrip("; "))


def _measure(root: Path) -> tuple[Timing, Timing, Timing, tuple[int, int]]:
    """Played by one worker, played and written by one and by two; rows and bytes of the turns."""
    plain = play(mirror("random", _GAMES))
    logged, shared = (play(mirror("random", _GAMES, "turns"), out=root / f"{workers}", workers=workers)
                      for workers in (1, 2))
    size = _size(root / "1")
    for workers in (1, 2):
        shutil.rmtree(root / f"{workers}")
    return plain, logged, shared, size


def _size(path: Path) -> tuple[int, int]:
    """Rows and bytes of the table of turns."""
    with open_run(path) as run_:
        rows = int(run_.sql("SELECT count(*) AS n FROM turns")["n"][0])
    return rows, sum(file.stat().st_size for file in (path / "turns").glob("*.parquet"))
