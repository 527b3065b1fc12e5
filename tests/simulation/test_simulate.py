"""Playing a plan: the content follows from the plan alone, and what cannot be played is refused before it starts."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.games.base import get_game
from agentsim.runs import open_run
from agentsim.simulation import Progress, estimate, extend, resume, simulate
from agentsim.simulation import plan as planning
from tests.simulation.fake_game import FakeSession
from tests.simulation.helpers import content, plan

THREE = ("slow", "quick", "fast")


def small_tasks(monkeypatch: pytest.MonkeyPatch, games: int = 700) -> None:
    for level in planning._TASK_GAMES:
        monkeypatch.setitem(planning._TASK_GAMES, level, games)


@pytest.mark.parametrize("options", [
    {"workers": 1}, {"workers": 2}, {"workers": 3, "batch_games": 97}, {"workers": 2, "batch_games": 1_000},
    {"workers": 2, "backend": "loky"}, {"workers": 4, "backend": "sequential"}, {},
], ids=str)
@pytest.mark.parametrize("log", ["none", "games", "turns", "full"])
def test_the_content_depends_on_the_plan_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], log: str
) -> None:
    experiment = plan(2_000, log, THREE)
    simulate(experiment, out=tmp_path / "one", backend="sequential", workers=1)
    small_tasks(monkeypatch)
    simulate(experiment, out=tmp_path / "two", **options)
    with open_run(tmp_path / "one") as one, open_run(tmp_path / "two") as two:
        assert two.digest() == one.digest() == one.digest(recompute=True) == two.digest(recompute=True)
        assert one.is_complete
        assert two.is_complete
        if log != "none":
            assert len(two._manifest.parts) > len(one._manifest.parts) == 1
        for left, right in zip(one.tallies(), two.tallies(), strict=True):
            assert left.keys() == right.keys()
            assert all((left[name] == right[name]).all() for name in left)


def test_every_game_is_played_once_with_the_right_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_tasks(monkeypatch)
    simulate(plan(2_000, "turns", THREE), out=tmp_path / "run", workers=2)
    games = open_run(tmp_path / "run").table("games").sort_values("game_id")
    assert games.game_id.tolist() == list(range(12_000))
    assert (games.matchup_id == games.game_id % 6).all()
    mirrors = games[games.matchup_id.isin([0, 3, 5])]
    assert (mirrors.deal_id == mirrors.game_id // 6).all()
    pairs = games[~games.matchup_id.isin([0, 3, 5])]
    assert (pairs.deal_id == pairs.game_id // 12).all()
    assert ((pairs.policy_0 == "slow") == ((pairs.game_id // 6) % 2 == 0))[pairs.matchup_id == 1].all()


def test_counters_agree_with_the_log(tmp_path: Path) -> None:
    result = simulate(plan(3_000, "games", THREE), out=tmp_path / "run", workers=2)
    run = open_run(tmp_path / "run")
    games = run.table("games")
    for matchup, tally in enumerate(result.tallies):
        mine = games[games.matchup_id == matchup]
        assert tally["seat0"].tolist() == [(mine.winner == 0).sum(), mine.winner.isna().sum(), (mine.winner == 1).sum()]
        assert tally["grid"].tolist() == [[3_000, 0], [int(mine.lead.sum()), 0]]
        assert tally["seat0"].dtype == np.int64
    assert result.n_games == 18_000 == run.n_games


def test_without_a_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = simulate(plan(2_000, "none", THREE), workers=2)
    assert list(tmp_path.iterdir()) == []
    assert result.path is None
    assert result.n_games == 12_000
    kept = simulate(plan(2_000, "none", THREE), out="kept", workers=1)
    assert [tally["seat0"].tolist() for tally in kept.tallies] == [tally["seat0"].tolist() for tally in result.tallies]
    with pytest.raises(InputError, match="log: 'turns' needs a folder to write to"):
        simulate(plan(2_000, "turns"))


def test_a_finished_run_is_not_played_again(tmp_path: Path) -> None:
    first = simulate(plan(), out=tmp_path / "run", workers=2)
    before = content(tmp_path / "run")
    second = simulate(plan(), out=tmp_path / "run", workers=2)
    assert second.n_games == 0
    assert second.seconds == 0
    assert [t["turns"].tolist() for t in second.tallies] == [t["turns"].tolist() for t in first.tallies]
    after = content(tmp_path / "run")
    assert after == before


@pytest.mark.parametrize("log", ["none", "full"])
def test_an_extended_run_is_the_longer_run(tmp_path: Path, log: str) -> None:
    simulate(plan(1_000, log, THREE), out=tmp_path / "grown", workers=2)
    parts = content(tmp_path / "grown")
    for games in (1_002, 1_002, 3_000):
        result = extend(tmp_path / "grown", games, workers=2)
        assert result.experiment.games == games
    simulate(plan(3_000, log, THREE), out=tmp_path / "fresh", workers=1)
    grown, fresh = open_run(tmp_path / "grown"), open_run(tmp_path / "fresh")
    assert grown.digest() == fresh.digest() == grown.digest(recompute=True)
    assert grown.n_games == 18_000
    assert result.n_games == 6 * (3_000 - 1_002)
    now = content(tmp_path / "grown")
    assert all(now[name] == data for name, data in parts.items() if name.endswith(".parquet"))
    # The grown run is now known by its new size.
    assert simulate(plan(3_000, log, THREE), out=tmp_path / "grown").n_games == 0


@pytest.mark.parametrize("games, problem", [
    (998, "games: must be at least 1000, which the run has already, got 998"),
    (1_001, "games: must be even"),
    (0, "games: must be at least 1000"),
    (1e6, "games: must be a whole number"),
])
def test_a_run_cannot_be_extended_to_less_or_half_a_deal(tmp_path: Path, games: Any, problem: str) -> None:
    simulate(plan(1_000), out=tmp_path / "run", workers=1)
    before = content(tmp_path / "run")
    with pytest.raises(InputError, match=problem):
        extend(tmp_path / "run", games)
    assert content(tmp_path / "run") == before


@pytest.mark.parametrize("change, words", [
    ({"seed": 8}, "seed is 7 there and 8 here"),
    ({"log": "turns"}, "log is 'full' there and 'turns' here"),
    ({"policies": ("slow", "fast")}, "policies is 'slow, quick' there and 'slow, fast' here"),
    ({"matchups": "round_robin"}, "matchups is 'slow against quick' there and 'slow against slow; "),
    ({"settings": {"rules.sides": 8}}, "rules.sides is 6 there and 8 here"),
    ({"games": 2_000}, "games = 4000, here it is 2000 .*extend"),
    ({"games": 8_000}, "games = 4000, here it is 8000 .*extend"),
])
def test_a_folder_with_another_plan_is_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    simulate(plan(), out=tmp_path / "run", workers=1)
    before = content(tmp_path / "run")
    with pytest.raises(InputError, match=words):
        simulate(plan(**change), out=tmp_path / "run")
    assert content(tmp_path / "run") == before


def test_a_changed_policy_or_game_is_another_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = get_game("dice_race")
    simulate(plan(), out=tmp_path / "run", workers=1)
    other = game.policy("quick").as_dict()
    changed = type(game.policy("quick"))(**(other | {"params": {"skill": 9.0}}))
    with pytest.raises(InputError, match=r"quick.skill is 2.0 there and 9.0 here"):
        simulate(plan(policies=[game.policy("slow"), changed]), out=tmp_path / "run")
    monkeypatch.setattr(game, "version", 2)
    for call in (lambda: resume(tmp_path / "run"), lambda: extend(tmp_path / "run", 8_000)):
        with pytest.raises(InputError, match="version 1 of the game"):
            call()
    # Reading it goes on.
    assert open_run(tmp_path / "run").n_games == 4_000


@pytest.mark.parametrize("options, problem", [
    ({"workers": 0}, "workers: must be 1 to"), ({"workers": -2}, "workers: must be 1 to"),
    ({"workers": 1.5}, "workers: must be a whole number"), ({"batch_games": 0}, "batch_games: must be 1 to"),
    ({"backend": "thread"}, "backend: unknown backend 'thread'.*did you mean 'threading'"),
])
def test_unusable_options_are_refused_before_anything_is_written(
    tmp_path: Path, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        simulate(plan(), out=tmp_path / "run", **options)
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_the_game_leaves_a_run_that_can_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_tasks(monkeypatch, 400)
    monkeypatch.setenv("DICE_RACE_TRAP", "1500")
    with pytest.raises(RuntimeError, match="the trap was sprung"):
        simulate(plan(), out=tmp_path / "run", workers=2)
    assert 0 < open_run(tmp_path / "run").n_games < 4_000
    monkeypatch.delenv("DICE_RACE_TRAP")
    resume(tmp_path / "run", workers=2)
    simulate(plan(), out=tmp_path / "whole", workers=1)
    assert open_run(tmp_path / "run").digest() == open_run(tmp_path / "whole").digest()


def fresh_processes() -> None:
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True)


class Reports(list[Progress]):
    """A callback that notes whether it is ever called twice at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.busy = threading.Lock()

    def __call__(self, progress: Progress) -> None:
        assert self.busy.acquire(blocking=False)
        self.append(progress)
        self.busy.release()


@pytest.mark.parametrize("backend", ["threading", "loky", "sequential"])
def test_progress_counts_up_to_the_total(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, backend: Any
) -> None:
    small_tasks(monkeypatch, 500)
    monkeypatch.setenv("DICE_RACE_DELAY", "0.05")
    if backend == "loky":
        request.addfinalizer(fresh_processes)
        fresh_processes()  # they take over the environment when they start
    reports = Reports()
    simulate(plan(), out=tmp_path / "run", workers=2, backend=backend, progress=reports)
    done = [report.games_done for report in reports]
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] == 4_000
    assert {report.games_total for report in reports} == {4_000}
    assert len(done) >= 4
    assert reports[-1].seconds_left == 0
    assert all(report.games_per_second > 0 for report in reports if report.games_done > 0)
    # A run that goes on counts from where it was, and its speed is that of the new games.
    reports.clear()
    extend(tmp_path / "run", 8_000, workers=2, backend=backend, progress=reports)
    assert reports[0].games_done == 4_000
    assert reports[-1].games_done == reports[-1].games_total == 8_000
    assert reports[-1].games_per_second < 4_000 / 0.05


def test_compiling_is_announced_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    reports = Reports()
    simulate(plan(log="none"), progress=reports)
    assert not any(report.message for report in reports)
    monkeypatch.setenv("DICE_RACE_COMPILING", "1.8")
    simulate(plan(log="none"), progress=reports)
    assert ["compiling" in report.message for report in reports if report.message] == [True]


def test_the_estimate_is_of_the_right_size(tmp_path: Path) -> None:
    experiment = plan(60_000, "full", THREE)
    before = set(os.listdir(tmp_path))
    found = estimate(experiment, 2)
    assert set(os.listdir(tmp_path)) == before
    result = simulate(experiment, out=tmp_path / "run", workers=1)
    run = open_run(tmp_path / "run")
    assert found.games == result.n_games
    assert 0.7 * run.n_bytes < found.bytes < 1.4 * run.n_bytes
    assert found.seconds > 0
    assert estimate(plan(60_000, "none", THREE), 1).bytes == 0
    slow = estimate(plan(10**9, "none", THREE), 1)
    assert slow.games == 6 * 10**9
    assert slow.seconds > 1_000 * found.seconds


def test_the_session_is_never_asked_for_more_than_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    play = FakeSession.play

    def watched(self: FakeSession, matchup: int, first: int, n_deals: int, log: Any) -> Any:
        asked.append(n_deals)
        return play(self, matchup, first, n_deals, log)

    monkeypatch.setattr(FakeSession, "play", watched)
    simulate(plan(5_000, "none"), batch_games=600, workers=2)
    assert max(asked) == 300  # two games per deal
    assert sum(asked) == 2_500
