"""What the tests of simulation and runs share."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentsim.experiment import Experiment, build_experiment
from tests.simulation.fake_game import NAME, ROOT


def plan(games: int = 4_000, log: Any = "full", policies: Any = ("slow", "quick"), **more: Any) -> Experiment:
    """A small experiment with the test game; two policies give one matchup."""
    return build_experiment(list(policies), game=NAME, games=games, log=log, **({"seed": 7} | more))


def start(code: str, *, terminal: bool = False, **environment: str) -> subprocess.Popen[str]:
    """Start a Python process in which the test game is registered; with ``terminal`` in a process group of its own."""
    # Where the tests run in the background of a shell, processes are started with Ctrl-C ignored.
    head = ("import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "from tests.simulation.helpers import plan\nfrom agentsim.simulation import *\n")
    return subprocess.Popen([sys.executable, "-c", head + code], cwd=ROOT, text=True, env=os.environ | environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=terminal)


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str], seconds: float = 60) -> None:
    """Wait until a condition holds while a process runs."""
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def listed_parts(path: Path) -> int:
    """How many parts the manifest of a run that is being written lists by now."""
    try:
        text = (path / "manifest.json").read_text()
    except FileNotFoundError:
        return 0
    return text.count('{"number":')


def content(path: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}
