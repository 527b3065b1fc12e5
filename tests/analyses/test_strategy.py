"""The strategy page: planted freedoms and luck, ratings of a round robin, and what is kept on disk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agentsim import load_policies, simulate
from agentsim.games.base import get_game
from agentsim.report import render
from agentsim.report.page import Report
from agentsim.runs import open_run
from analyses import strategy, strategy_data, strategy_trials
from analyses.strategy_data import STARTS

RULES = get_game("agent_avenue").rules({})


def test_a_freedom_is_worth_what_it_brings() -> None:
    expert, random = load_policies("expert,random")
    found = strategy_trials.freedoms(RULES, [expert], [random], seed=3, deals=1_500, workers=2)
    assert len(found) == 8
    own = found[found["against"] == "itself"].set_index("freedom")
    assert own.loc["to discard", "low"] > 0.2  # an expert that may not discard scores a third against one that may
    assert own.loc["to collect codebreakers", "low"] > 0.2
    again = strategy_trials.freedoms(RULES, [expert], [random], seed=3, deals=1_500)
    assert again.equals(found)


def test_what_no_policy_uses_is_worth_nothing() -> None:
    """`planner` never discards: forbidding it changes no policy, and the interval says so."""
    planner, random = load_policies("planner,random")
    found = strategy_trials.freedoms(RULES, [planner], [random], seed=3, deals=1_500)
    part = found[found["freedom"] == "to discard"]
    assert ((part["low"] < 0) & (part["high"] > 0)).all()


def test_luck_is_split_as_planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results made of a pair's own chance, a deal's and a stream's: 1 : 4 : 15 parts."""
    rng = np.random.default_rng(5)

    def planted(rules: object, pairs: list[object], *, deals: int, **_: object) -> np.ndarray:
        half = len(pairs) // 2
        means = rng.permutation(np.linspace(-1, 1, half)) / np.std(np.linspace(-1, 1, half)) * 1.0
        deal = rng.normal(0, 2, (half, deals, 2))
        return np.concatenate([means[:, None, None] + deal + rng.normal(0, np.sqrt(15), deal.shape) for _ in range(2)])

    monkeypatch.setattr(strategy_trials, "game_scores", planted)
    found = strategy_trials.luck(RULES, load_policies("random,greedy,minmax,expert,planner"), seed=1, deals=4_000)
    for share, wanted in zip(found["share"], (1 / 20, 4 / 20, 15 / 20), strict=True):
        assert share == pytest.approx(wanted, abs=0.02)
    assert found["share"].sum() == pytest.approx(1)
    assert ((found["low"] <= found["share"]) & (found["share"] <= found["high"])).all()


def test_the_page_has_every_part(tmp_path: Path) -> None:
    simulate(policies="random,greedy,minmax,expert,discarder", games=400, seed=2, log="games", out=tmp_path / "run")
    found = strategy.tables(open_run(tmp_path / "run"), deals=200)
    assert set(found["ranking"]["policy"]) == {"random", "greedy", "minmax", "expert", "discarder"}
    assert {"expert", "discarder"} <= set(found["axes"]["policy"])
    made = strategy.section(found)
    assert {"ranking", "freedoms", "luck", "axes"} <= set(strategy.figures(found))
    site = render(Report("Agent Avenue", strategy.findings(found), [made], summary=""))
    assert not site.failures


def test_without_measurements_the_page_has_its_own_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "strategy_dir", lambda: tmp_path)
    simulate(policies="random,expert", games=200, seed=2, log="games", out=tmp_path / "run")
    found = strategy.tables(open_run(tmp_path / "run"), deals=100)
    assert not len(found["axes"])
    assert set(strategy.figures(found)) == {"ranking", "freedoms", "luck"}
    strategy.section(found)


def test_measurements_of_another_plan_are_not_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy_data, "FOLDER", tmp_path)
    strategy_data._begin({"budget": 1})
    strategy_data._kept("a.csv", lambda: pd.DataFrame({"x": [1]}))
    strategy_data._begin({"budget": 1})
    strategy_data._kept("a.csv", lambda: pytest.fail("made again"))
    strategy_data._begin({"budget": 2})
    assert not (tmp_path / "a.csv").exists()
    assert json.loads((tmp_path / "about.json").read_text())["budget"] == 2


def test_what_is_kept_is_complete(repository: Path) -> None:
    """A best response to every policy of the base game, of the budget that is told, begun where it says."""
    kept = strategy._kept()["responses"]
    names = {policy.label for policy in get_game("agent_avenue").policies(RULES)}
    assert names <= set(kept["policy"])
    searched = kept["method"] == "CMA-ES"
    assert set(kept.loc[searched, "start"]) <= set(STARTS)
    assert (kept.loc[searched, "n_games"] >= 100_000).all()
    assert set(kept.loc[~searched, "method"]) <= {"dynamic programming"}
    assert (kept["n_games"] >= 10_000).all()
    told = "".join(path.read_text() for path in (repository / "data" / "strategy").glob("*.json"))
    assert '"source": "/' not in told
    assert ((kept["low"] < kept["score"]) & (kept["score"] < kept["high"])).all()
