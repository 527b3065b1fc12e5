"""What all tests share: a display-free Matplotlib, repeatable Hypothesis runs, paths and the browser."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from pathlib import Path

# Before anything imports Matplotlib or NumPy, also in the processes that tests start. Two test processes whose linear
# algebra takes every core each spend half of their time waiting for one another.
os.environ["MPLBACKEND"] = "Agg"
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

# Importing what is tested makes a million objects that stay; looking through them for garbage frees nothing.
gc.disable()

# Deadlines measure Numba's compiler on the first call; a failure must come back on the next run.
settings.register_profile(
    "default", deadline=None, derandomize=True, print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("search", settings.get_profile("default"), derandomize=False, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_finish() -> None:
    """Look for garbage among what the tests make alone, and in all of it less often than the default."""
    gc.freeze()
    gc.set_threshold(5_000, 10, 50)
    gc.enable()


ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def agentsim_command() -> list[str]:
    """The words that start the command line as a process: ``subprocess.run([*agentsim_command, "cards"])``."""
    script = Path(sys.executable).parent / "agentsim"
    return [str(script)] if script.exists() else [sys.executable, "-m", "agentsim.cli"]


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium; the test is skipped where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if path := shutil.which(name):
            return path
    pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
