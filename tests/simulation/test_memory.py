"""Memory stays below 700 MB for all processes together, however many games are played.

Together means that pages which several processes share, such as the code of their libraries, count once ("proportional
set size"). That figure moves with what else runs on the machine, so growth is looked for in the plain resident sizes.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.simulation.fake_game import ROOT

psutil = pytest.importorskip("psutil")

PLAY = """
from agentsim.experiment import build_experiment
from agentsim.simulation import simulate
if __name__ == "__main__":
    simulate(build_experiment("greedy,random", games={games}, log={log!r}), out={out!r}, workers=2, backend={backend!r})
"""


def peak_memory(path: Path, games: int, log: str, backend: str) -> tuple[int, int]:
    """The highest memory of a simulating process and its children in bytes: with shared pages once, and plain sums."""
    code = PLAY.format(games=games, log=log, out=str(path), backend=backend)
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    main, peak, peak_plain = psutil.Process(process.pid), 0, 0
    while process.poll() is None:
        held = plain = 0
        for each in (main, *_children(main)):
            try:
                memory = each.memory_full_info()
            except (psutil.NoSuchProcess, psutil.ZombieProcess, psutil.AccessDenied):
                continue
            held, plain = held + memory.pss, plain + memory.rss
        peak, peak_plain = max(peak, held), max(peak_plain, plain)
        time.sleep(0.02)
    assert process.returncode == 0
    return peak, peak_plain


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        found: list[psutil.Process] = process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return found


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["threading", "loky"])
@pytest.mark.parametrize("log", ["none", "full"])
def test_all_processes_together_stay_below_700_mb(tmp_path: Path, backend: str, log: str) -> None:
    _, small = peak_memory(tmp_path / "small", 600_000, log, backend)
    together, large = peak_memory(tmp_path / "large", 3_000_000, log, backend)
    print(f"{backend}, log={log}: {together / 1e6:.0f} MB; plain sum {small / 1e6:.0f} for 0.6 M games, "
          f"{large / 1e6:.0f} for 3 M")
    assert together < 700e6
    # In one process nothing is shared, so the plain size has to do as well.
    assert backend != "threading" or large < 700e6
    # Five times the games take no more memory than chance brings.
    assert large < small + 50e6
