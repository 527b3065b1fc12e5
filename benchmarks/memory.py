"""Peak memory of all processes of a run together, by the number of games."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.measure import Line, Options, at_most, line
from benchmarks.runs import folder

__all__ = ["run"]

_PAUSE = 0.1


def run(options: Options) -> Iterator[Line]:
    try:
        import psutil  # noqa: F401
    except ImportError:
        print("    psutil is not installed (make bench does it): memory left out", file=sys.stderr)
        return
    for log, backend, sizes in (
        ("none", "threading", ["1M", "10M", *(["100M"] if options.full else [])]),
        ("turns", "threading", ["1M", *(["10M"] if options.full else [])]),
        ("turns", "loky", ["1M", *(["10M"] if options.full else [])]),
    ):
        peaks = []
        _peak(log, backend, "1000")  # compiles, which takes more memory than anything else
        for games in sizes:
            peaks.append(_peak(log, backend, games))
            yield line("memory", f"2 workers ({backend}), log {log}, {games} games", [peaks[-1]], "MB", at_most(700))
        if len(peaks) > 1:
            yield line("memory", f"the same, {sizes[-1]} / {sizes[0]} games", [peaks[-1] / peaks[0]], "times",
                       at_most(1.15))


def _peak(log: str, backend: str, games: str) -> float:
    """The largest sum of memory over the processes of a run, in MB.

    Where the system tells (Linux), a page that n processes share counts 1 / n in each; elsewhere it counts in full.
    """
    with folder() as root:
        command = [sys.executable, "-m", "agentsim", "simulate", "--policies", "random", "--games", games, "--quiet",
                   "--workers", "2", "--backend", backend, "--log", log]
        return _watch([*command, "--out", str(root / "run")] if log != "none" else command)


def _watch(command: list[str]) -> float:
    import psutil

    peak = 0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    family = psutil.Process(process.pid)
    while process.poll() is None:
        resident = 0
        try:
            for member in [family, *family.children(recursive=True)]:
                found = member.memory_full_info()
                resident += getattr(found, "pss", 0) or found.rss
        except psutil.NoSuchProcess:
            continue
        peak = max(peak, resident)
        time.sleep(_PAUSE)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return peak / 1e6
