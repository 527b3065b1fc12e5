"""The standard experiments: complete, scaled in proportion, played again by their commands, and reused."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentsim.errors import InputError
from agentsim.experiment import Draft, Experiment
from agentsim.games.base import get_game
from agentsim.runs import open_run
from agentsim.simulation import simulate
from analyses import standard

FULL = 200_000_000
"""More games than that would not fit into the minutes that a report may take."""


def test_all_shipped_policies_play() -> None:
    game = get_game("agent_avenue")
    shipped = [policy.label for policy in game.policies(game.rules({}))]
    assert not {"thief", "trucker", "warden"} & set(shipped)  # they are the expert in base mode
    for item in standard.plan():
        labels = [policy.label for policy in item.experiment.policies]
        if item.key in standard.NEW_GAMES:
            continue
        if item.key in ("standard", "standard_offers", "standard_mirrors"):
            assert labels == shipped
        else:
            assert {"random", "greedy", "expert"} <= set(labels) <= set(shipped)


def test_the_plan_is_what_the_report_promises(repository: Path) -> None:
    planned = {item.key: item for item in standard.plan()}
    game = get_game("agent_avenue")
    n = len(game.policies(game.rules({})))
    assert len(planned["standard"].experiment.matchups) == n * (n + 1) // 2
    assert len(planned["standard_mirrors"].experiment.matchups) == n
    assert planned["standard"].experiment.log == "none"
    assert planned["standard_offers"].experiment.log == planned["standard_mirrors"].experiment.log == "turns"
    total = sum(item.experiment.total_games for item in planned.values())
    assert total < FULL
    rules = {rule: sorted(value for other, value, _ in standard.rule_runs(list(planned.values())) if other == rule)
             for rule in standard.RULE_CHANGES}
    assert rules == {"hand size": [3, 4, 5, 6], "discards": [0, 2, 4, 6], "ring length": [10, 12, 14, 16, 18, 20]}
    assert len({item.experiment.seed for key, item in planned.items() if key.startswith("standard_rules")}) == 12


def test_homes_lie_opposite_on_every_ring() -> None:
    for item in standard.plan():
        if item.key in standard.NEW_GAMES:
            continue
        rules = item.experiment.rules()
        assert rules.gap_0 == rules.gap_1 == rules.ring // 2


@pytest.mark.parametrize("games", [2, 2_000, 24_000, 1_200_000])
def test_games_scale_all_experiments_in_proportion(games: int) -> None:
    usual = {item.key: item.experiment for item in standard.plan()}
    scaled = {item.key: item.experiment for item in standard.plan(games)}
    factor = games / usual["standard"].games
    assert scaled["standard"].games == games
    for key, experiment in scaled.items():
        per_deal = max(2, *experiment.games_per_deal())
        assert experiment.games % per_deal == 0
        assert abs(experiment.games - usual[key].games * factor) <= per_deal / 2 or experiment.games == per_deal
        assert experiment.plan_digest() == usual[key].plan_digest()


def test_games_that_do_not_fit_are_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"--games.*even"):
        standard.plan(2_001)


def test_every_number_of_games_and_seed_has_its_folder() -> None:
    folders = [item.folder for plan in (standard.plan(), standard.plan(2_000), standard.plan(2_000, 5),
                                        standard.plan(seed=5)) for item in plan]
    assert len(set(folders)) == len(folders)
    assert all(folder.parent == Path("data/logs") and folder.name.startswith("report_") for folder in folders)


def from_command(command: str) -> Experiment:
    """The experiment that a command of the table of experiments would play."""
    words = shlex.split(command)
    assert words[:2] == ["agentsim", "simulate"]
    draft = Draft.read(words[2])
    for flag, value in zip(words[3::2], words[4::2], strict=True):
        if flag == "--set":
            key, _, number = value.partition("=")
            draft.settings[key] = int(number)
        else:
            setattr(draft, flag.removeprefix("--"), int(value))
    return draft.build()


def test_commands_play_the_same_games(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    for item in standard.plan(2_000, 99):
        again = from_command(item.command)
        assert again.plan_digest() == item.experiment.plan_digest()
        assert again.games == item.experiment.games


@pytest.fixture
def small(tmp_path: Path) -> standard.Planned:
    return next(item for item in standard.plan(2_000, logs=tmp_path) if item.key == "standard_rules")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the experiments that are simulated."""
    names: list[str] = []

    def counting(experiment: Experiment, **options: Any) -> Any:
        names.append(experiment.name)
        return simulate(experiment, **options)

    monkeypatch.setattr(standard, "simulate", counting)
    return names


def test_a_second_time_nothing_is_played(small: standard.Planned, counted: list[str]) -> None:
    said: list[str] = []
    digest = standard.play([small], workers=1, say=said.append)["standard_rules"].digest()
    assert counted == ["standard_rules"]
    assert said == [f"standard_rules: {small.experiment.total_games:,} games"]
    assert standard.play([small], workers=1)["standard_rules"].digest() == digest
    assert counted == ["standard_rules"]


def test_code_that_has_changed_plays_anew(small: standard.Planned, counted: list[str], monkeypatch: pytest.MonkeyPatch
                                          ) -> None:
    standard.play([small], workers=1)
    monkeypatch.setattr(standard, "source_hash", lambda: "another")
    standard.play([small], workers=1)
    standard.play([small], workers=1)
    assert len(counted) == 2


def test_a_run_that_was_cut_is_finished(small: standard.Planned, counted: list[str]) -> None:
    def stop(progress: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        standard.play([small], workers=1, progress=lambda key: stop)
    run = standard.play([small], workers=1)["standard_rules"]
    assert run.is_complete
    assert run.n_games == small.experiment.total_games
    assert counted == ["standard_rules", "standard_rules"]


def test_a_cut_run_of_other_code_is_replaced_and_not_finished(small: standard.Planned, monkeypatch: pytest.MonkeyPatch
                                                              ) -> None:
    def stop(progress: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        standard.play([small], workers=1, progress=lambda key: stop)
    mark = small.folder / "mark"
    mark.touch()
    monkeypatch.setattr(standard, "source_hash", lambda: "another")
    run = standard.play([small], workers=1)["standard_rules"]
    assert run.n_games == small.experiment.total_games
    assert not mark.exists()


def damage_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("{")


def forget_stamp(folder: Path) -> None:
    folder.with_name(f"{folder.name}.json").unlink()


@pytest.mark.parametrize("harm", [damage_manifest, forget_stamp])
def test_a_run_that_cannot_be_trusted_is_played_anew(small: standard.Planned, counted: list[str],
                                                     harm: Callable[[Path], None]) -> None:
    digest = standard.play([small], workers=1)["standard_rules"].digest()
    harm(small.folder)
    assert standard.play([small], workers=1)["standard_rules"].digest() == digest
    assert len(counted) == 2


def test_somebody_elses_run_is_left_alone(small: standard.Planned) -> None:
    other = Experiment.from_dict({**small.experiment.as_dict(), "name": "mine", "seed": 3})
    simulate(other, out=small.folder, workers=1)
    with pytest.raises(InputError, match="not the report's"):
        standard.play([small], workers=1)
    assert open_run(small.folder).experiment.name == "mine"
    assert json.loads((small.folder / "manifest.json").read_text())["experiment"]["seed"] == 3
