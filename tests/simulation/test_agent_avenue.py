"""The frame with the real game: one content, however it is made."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from agentsim.errors import InputError
from agentsim.experiment import Experiment, build_experiment
from agentsim.runs import open_run
from agentsim.simulation import extend, resume, simulate
from tests.simulation.helpers import listed_parts, start, wait_for
from tests.simulation.test_simulate import small_tasks

POLICIES = ("random_discards", "greedy", "minmax")

PLAY = """
from agentsim.simulation import plan, simulate
from tests.simulation.test_agent_avenue import experiment
plan._TASK_GAMES["turns"] = 2_000
if __name__ == "__main__":
    simulate(experiment({games}), out={out!r}, workers=2, backend={backend!r})
"""


def experiment(games: int = 20_000, log: Any = "turns") -> Experiment:
    return build_experiment(POLICIES, games=games, seed=99, log=log)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "run"
    simulate(experiment(), out=path, workers=1)
    return path


@pytest.mark.parametrize("options", [
    {"workers": 2}, {"workers": 2, "batch_games": 501}, {"workers": 2, "backend": "loky"},
    {"workers": 2, "backend": "sequential", "batch_games": 100_000},
], ids=str)
def test_the_content_depends_on_the_plan_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Path, options: dict[str, Any]
) -> None:
    small_tasks(monkeypatch, 7_001)
    simulate(experiment(), out=tmp_path / "run", **options)
    run = open_run(tmp_path / "run")
    assert run.digest() == run.digest(recompute=True) == open_run(whole).digest()
    assert run.n_games == 120_000


@pytest.mark.parametrize(("backend", "how"), [
    ("threading", signal.SIGINT), ("loky", signal.SIGKILL),
    pytest.param("threading", signal.SIGKILL, marks=pytest.mark.slow),
    pytest.param("loky", signal.SIGINT, marks=pytest.mark.slow)])
def test_a_run_that_was_cut_ends_as_the_whole_run(
    tmp_path: Path, whole: Path, backend: str, how: signal.Signals
) -> None:
    path = tmp_path / "run"
    code = PLAY.format(games=20_000, out=str(path), backend=backend)
    process = start(code)
    wait_for(lambda: listed_parts(path) >= 1, process)
    process.send_signal(how)
    process.communicate(timeout=60)
    missing = 120_000 - open_run(path).n_games
    assert resume(path, workers=2).n_games == missing
    assert open_run(path).digest() == open_run(path).digest(recompute=True) == open_run(whole).digest()


def test_an_extended_run_is_the_longer_run(tmp_path: Path, whole: Path) -> None:
    simulate(experiment(5_000), out=tmp_path / "run", workers=2)
    extend(tmp_path / "run", 20_000, workers=2)
    assert open_run(tmp_path / "run").digest() == open_run(whole).digest()


def test_counters_agree_with_the_log(whole: Path) -> None:
    run = open_run(whole)
    games = run.table("games")
    for matchup, tally in enumerate(run.tallies()):
        mine = games[games.matchup_id == matchup]
        assert tally["seat0"].tolist() == [(mine.winner == 0).sum(), mine.winner.isna().sum(), (mine.winner == 1).sum()]
        assert tally["end_reason"].tolist() == mine.end_reason.value_counts(sort=False).tolist()
        assert tally["discards"].tolist() == [mine.discards_0.sum(), mine.discards_1.sum()]
    turns = run.sql("SELECT sum(n_turns) AS planned, (SELECT count(*) FROM turns) AS logged FROM games")
    assert turns.planned[0] == turns.logged[0] == run.rows["turns"]
    assert sorted(games.game_id) == list(range(120_000))


def test_a_turn_row_takes_at_most_eight_bytes(whole: Path, tmp_path: Path) -> None:
    simulate(experiment(log="full"), out=tmp_path / "full", workers=2)
    for run in (open_run(whole), open_run(tmp_path / "full")):
        n_bytes = sum(part["tables"]["turns"]["bytes"] for part in run.manifest["parts"])
        assert n_bytes / run.rows["turns"] <= 8


MINE = """
from agentsim.games.agent_avenue.user import FACE_UP, jit_offer, jit_take, lowest, name_set, offer_action, policy
from agentsim.games.agent_avenue.user import pop_lowest


@jit_offer
def offer(view, table, params, key):
    names = name_set(view.hand)
    rest = pop_lowest(names)
    return offer_action(lowest(names), lowest(rest) if rest else lowest(names))


@jit_take
def take(view, table, params, key):
    return FACE_UP


mine = policy(offer, take)
"""


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_policy_of_a_file_plays_in_every_worker_until_it_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: Any
) -> None:
    small_tasks(monkeypatch, 1_000)
    (tmp_path / "mine.py").write_text(MINE)
    planned = build_experiment([f"{tmp_path / 'mine.py'}:mine", "random"], games=4_000, log="turns")
    simulate(planned, out=tmp_path / "run", workers=2, backend=backend)
    simulate(planned, out=tmp_path / "one", workers=1)
    assert open_run(tmp_path / "run").digest() == open_run(tmp_path / "one").digest()
    (tmp_path / "mine.py").write_text(MINE.replace("return FACE_UP", "return 1 - FACE_UP"))
    with pytest.raises(InputError, match=r"mine\.py is not the one that this run was planned with"):
        extend(tmp_path / "run", 8_000, workers=2, backend=backend)
    assert open_run(tmp_path / "run").experiment.games == 4_000
    changed = build_experiment([f"{tmp_path / 'mine.py'}:mine", "random"], games=4_000, log="turns")
    with pytest.raises(InputError, match=r"another plan: mine\.the policy file is '"):
        simulate(changed, out=tmp_path / "run")


def test_the_summary_of_a_result() -> None:
    result = simulate(experiment(2_000, "none"), workers=2)
    frame = result.summary()
    assert frame.policy_a.tolist() == ["random_discards"] * 3 + ["greedy"] * 2 + ["minmax"]
    assert frame.n_games.tolist() == [2_000] * 6
    assert (frame.score_a_low < frame.score_a).all()
