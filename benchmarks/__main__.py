"""``python -m benchmarks [section ...]``: measure, print a table, say which targets were met."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version

from benchmarks import games, logs, memory, modes, peers, queries, speed, startup, workers
from benchmarks.measure import HEADER, Line, Options, show

_SECTIONS: dict[str, Callable[[Options], Iterator[Line]]] = {
    "speed": speed.run, "modes": modes.run, "games": games.run, "peers": peers.run, "workers": workers.run,
    "logging": logs.run, "queries": queries.run, "startup": startup.run, "memory": memory.run,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the sections that were named, all by default. Exit code 1 if ``--strict`` and a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure speed, memory and scaling.")
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(_SECTIONS) + " (default: all)")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of each figure (default and least: 5)")
    parser.add_argument("--full", action="store_true", help="also what takes minutes: memory up to 100 million games")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    options = parser.parse_args(arguments)
    for name in options.sections:
        if name not in _SECTIONS:
            parser.error(f"unknown section '{name}' (allowed: {', '.join(_SECTIONS)})")
    if options.repeat < 5:
        parser.error(f"--repeat {options.repeat}: at least 5")
    lines: list[Line] = []
    start = time.perf_counter()
    if not options.json:
        print(f"{_machine()}; load {_load()}")
        print(f"\n{HEADER}")
    for name in options.sections or _SECTIONS:
        if not options.json:
            print(f"-- {name}")
        for found in _SECTIONS[name](Options(options.repeat, options.full)):
            lines.append(found)
            if not options.json:
                print(show(found), flush=True)
    judged = [found.met for found in lines if found.met is not None]
    if options.json:
        print(json.dumps({"machine": _machine(), "load": _load(), "seconds": round(time.perf_counter() - start, 1),
                          "lines": [found.as_dict() for found in lines]}, indent=1))
    else:
        print(f"\n{sum(judged)} of {len(judged)} targets met, in {time.perf_counter() - start:.0f} s; load {_load()}")
    return 1 if options.strict and not all(judged) else 0


def _machine() -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in ("agentsim", "numba", "numpy", "pyarrow", "duckdb"))
    return f"{os.cpu_count()} processors ({platform.machine()}), Python {platform.python_version()}, {versions}"


def _load() -> str:
    """The machine's load averages: figures in wall time mean little when others keep its processors busy."""
    return " ".join(f"{load:.1f}" for load in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"


if __name__ == "__main__":
    sys.exit(main())
