"""Small real runs that the tests of the analyses share."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from agentsim.experiment import build_experiment
from agentsim.runs import Run, open_run
from agentsim.simulation import simulate

POLICIES = ["random", "random_discards", "greedy", "minmax", "expert"]


def played(folder: Path, policies: list[str], **options: object) -> Run:
    """A run of these policies with every turn in the log."""
    options = {"log": "turns", "seed": 7, **options}
    simulate(build_experiment(policies, **options), out=folder, workers=1)  # type: ignore[arg-type]
    return open_run(folder)


@pytest.fixture(scope="session")
def round_robin(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Five policies, everybody against everybody and against itself."""
    return played(tmp_path_factory.mktemp("runs") / "round_robin", POLICIES, games=600)


@pytest.fixture(scope="session")
def mirrors(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The same policies, each against itself only."""
    return played(tmp_path_factory.mktemp("runs") / "mirrors", POLICIES, games=800, matchups="mirrors")


@pytest.fixture(scope="session")
def chance(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Enough play by chance to see what a card does."""
    return played(tmp_path_factory.mktemp("runs") / "chance", ["random"], games=12_000)


@pytest.fixture(scope="session")
def market_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two levels of play, each against itself, with Black Market."""
    return played(tmp_path_factory.mktemp("runs") / "market", ["random", "greedy"], games=1500, matchups="mirrors",
                  settings={"rules.mode": "advanced"})


@pytest.fixture(scope="session")
def argh_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Three policies of ARGH, two players."""
    return played(tmp_path_factory.mktemp("runs") / "argh", ["random", "gambler", "expert"], game="argh", games=400,
                  matchups="round_robin", log="none")


@pytest.fixture(scope="session")
def shady_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two policies of Shady Agents, each against itself, with what players believed."""
    return played(tmp_path_factory.mktemp("runs") / "shady", ["random", "bayes"], games=60, matchups="mirrors",
                  game="shady_agents", log="full")


@pytest.fixture(scope="session")
def games(round_robin: Run) -> pd.DataFrame:
    """The games of the round robin, with seat 0's score: 1, 0.5, 0."""
    table = round_robin.sql("SELECT * FROM games ORDER BY game_id")
    return table.assign(score0=table["winner"].map({0: 1.0, 1: 0.0}).fillna(0.5))
