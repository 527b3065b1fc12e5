"""Pools by double oracle: they grow where something can be gained, go on where cut, depend on the seed alone."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentsim import load_policies
from agentsim.cli import main
from agentsim.errors import InputError
from agentsim.games.base import PolicyRef, get_game
from agentsim.strategy import field as field_module
from agentsim.strategy import pool as pool_module
from agentsim.strategy import tuning as tune_module
from agentsim.strategy.pool import Pool, grow_pool
from agentsim.strategy.pool_files import write_pool

GAME = get_game("agent_avenue")
RULES = GAME.rules({})
PLANNER = load_policies("planner")[0]
FILES = ("pool.toml", "matrix.csv", "pool.json")

# ---- a planted circle: ``lead`` is an angle, and a policy beats whoever is up to half a turn behind ------------------


def at(turn: float, label: str) -> PolicyRef:
    return replace(PLANNER, label=label, params={**PLANNER.params, "lead": 2.0 * turn})


@pytest.fixture
def circle(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The play function replaced by one that knows the scores. Returns the meetings it is asked for."""
    met: list[tuple[str, str]] = []

    def play(rules: Any, candidates: Sequence[PolicyRef], field: Any, *, deals: int, **_: Any) -> list[list[Any]]:
        met.extend((one.label, other.ref.label) for one in candidates for other in field)
        rows = []
        for one in candidates:
            wins = [round(1e6 * (0.5 + 0.4 * math.sin(math.pi * (one.params["lead"] - other.ref.params["lead"]))))
                    for other in field]
            rows.append([np.array([1_000_000 - won, 0, won]) for won in wins])
        return rows

    for module in (pool_module, tune_module, field_module):
        monkeypatch.setattr(module, "play_field", play)
    return met


def grow_circle(*turns: float, rounds: int = 4, folder: Path | None = None) -> Pool:
    starts = [at(turn, f"at_{turn:.2f}") for turn in turns]
    return grow_pool(RULES, starts, lambda ref: GAME.parameters(PLANNER)[:1], rounds=rounds, games=3_200,
                     search_games=10_000_000, seed=1, folder=folder)


def test_rock_paper_scissors_is_closed(circle: list[tuple[str, str]]) -> None:
    """Nothing on the circle gains against a third of each."""
    found = grow_circle(1 / 6, 3 / 6, 5 / 6)
    assert found.mixture == pytest.approx([1 / 3] * 3, abs=1e-3)
    assert [one.joined for one in found.rounds] == [False]
    assert found.closed
    assert found.rounds[0].gain[0] == pytest.approx(0.0, abs=1e-3)
    assert found.rounds[0].at_least == 0.0
    assert len(found.rounds[0].tried) == 3  # searches begin at all members
    assert len(found.policies) == 3


def test_responses_join_until_the_circle_is_whole(circle: list[tuple[str, str]]) -> None:
    found = grow_circle(0.1, 0.2, rounds=6)
    first = found.rounds[0]
    # 0.2 beats 0.1 and is the whole equilibrium; a quarter of a turn ahead of it scores 90 %.
    assert first.mixture == pytest.approx((0.0, 1.0))
    assert first.response.params["lead"] / 2 == pytest.approx(0.45, abs=0.05)
    assert first.score.estimate == pytest.approx(0.9, abs=0.02)
    assert first.joined
    assert [one.response.label for one in found.rounds] == [f"br_{number + 1}" for number in range(len(found.rounds))]
    assert [ref.label for ref in found.policies[2:]] == [one.response.label for one in found.joined]
    gains = [one.gain[0] for one in found.rounds]
    assert gains[-1] < 0.1 < gains[0]  # what can be gained shrinks as the pool covers the circle
    payoffs = np.array([[0.5 if one is None else one.estimate for one in row] for row in found.scores]) - 0.5
    assert (payoffs @ np.array(found.mixture)).max() < 1e-9
    assert sum(found.mixture) == pytest.approx(1.0)


def test_names_that_a_start_has_are_not_given_again(circle: list[tuple[str, str]]) -> None:
    found = grow_pool(RULES, [at(0.1, "br_1"), at(0.2, "old")], lambda ref: GAME.parameters(PLANNER)[:1], rounds=2,
                      games=3_200, search_games=1_000_000, seed=1)
    assert [one.response.label for one in found.rounds] == ["br_2", "br_3"]


@pytest.mark.parametrize("stop", [("at_0.10", "at_0.20"), ("br_1", "at"), ("at_0.20", "br_1")])
def test_a_pool_that_was_cut_ends_the_same(circle: list[tuple[str, str]], tmp_path: Path, stop: tuple[str, str],
                                           monkeypatch: pytest.MonkeyPatch) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    write_pool(whole, grow_circle(0.1, 0.2, rounds=2, folder=whole), "pool")
    play = pool_module.play_field

    def killed(rules: Any, candidates: Any, field: Any, **keys: Any) -> Any:
        if (candidates[0].label, field[0].ref.label[:len(stop[1])]) == stop:
            raise KeyboardInterrupt
        return play(rules, candidates, field, **keys)

    with monkeypatch.context() as patch:
        for module in (pool_module, field_module):
            patch.setattr(module, "play_field", killed)
        with pytest.raises(KeyboardInterrupt):
            grow_circle(0.1, 0.2, rounds=2, folder=cut)
    circle.clear()
    write_pool(cut, grow_circle(0.1, 0.2, rounds=2, folder=cut), "pool")
    for name in FILES:
        assert (whole / name).read_text() == (cut / name).read_text()
    circle.clear()
    grow_circle(0.1, 0.2, rounds=2, folder=cut)
    assert not circle  # a finished pool plays nothing again


# ---- real games ------------------------------------------------------------------------------------------------------


def grow(folder: Path | None = None, **changes: Any) -> Pool:
    given: dict[str, Any] = {"rounds": 1, "games": 1_600, "search_games": 8_000, "seed": 5, "folder": folder}
    return grow_pool(RULES, load_policies("random,planner"), lambda ref: GAME.tunable(ref, RULES)[:3],
                     **{**given, **changes})


def test_real_games_depend_on_the_seed_alone_and_are_kept(tmp_path: Path) -> None:
    found = grow(tmp_path)
    write_pool(tmp_path, found, "agentsim pool")
    assert json.dumps(grow(workers=2).as_dict()) == json.dumps(found.as_dict())
    assert found.rounds[0].mixture == (0.0, 1.0)  # random is beaten by the planner
    assert found.rounds[0].members == ("random", "planner")
    assert json.loads((tmp_path / "pool.json").read_text()) == json.loads(json.dumps(found.as_dict()))
    rows = list(csv.DictReader((tmp_path / "matrix.csv").read_text().splitlines()))
    assert len(rows) == math.comb(len(found.policies), 2)
    for row in rows:
        assert float(row["low"]) < float(row["score"]) < float(row["high"])
        assert int(row["n_games"]) == 1_600
    for one in found.joined:
        kept = load_policies(f"{tmp_path / 'pool.toml'}:{one.response.label}")[0]
        assert (kept.family, kept.params) == (one.response.family, one.response.params)
    with pytest.raises(InputError, match="another pool"):
        grow(tmp_path, seed=6)
    (tmp_path / "pool_state.json").unlink()
    with pytest.raises(InputError, match="of something else"):
        grow(tmp_path)


def test_the_command_says_what_it_found(circle: list[tuple[str, str]], tmp_path: Path,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    words = ["pool", "--policies", "planner,expert", "--rounds", "1", "--search", "200k", "--games", "1k", "--out",
             str(tmp_path), "--workers", "1"]
    assert main(words) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Round 1. Equilibrium:" in said
    assert "at least" in said
    assert {name for name in FILES if (tmp_path / name).exists()} == set(FILES)
    assert main([*words, "--json"]) == 0
    assert f"gains {100 * json.loads(capsys.readouterr().out)['rounds'][0]['gain']:+.2f} points" in said


@pytest.mark.parametrize("damage", [
    {"pairs": None}, {"rounds": None}, {"pairs": []}, {"pairs": {"0,1": [[1, 2]]}}, {"pairs": {"0,1": "x"}},
    {"pairs": {"0,1": [[0, 0, 0]] * 16}}, {"pairs": {"0,1": [[1.5, 0, 0]] * 16}}, {"rounds": [{}]}, {"rounds": 5},
    {"rounds": [7]}])
def test_a_damaged_state_is_told_in_one_line(damage: dict[str, Any], circle: list[tuple[str, str]], tmp_path: Path
                                             ) -> None:
    whole = grow_circle(0.0, 0.4, rounds=1, folder=tmp_path)
    state = tmp_path / "pool_state.json"
    kept = json.loads(state.read_text())
    assert grow_circle(0.0, 0.4, rounds=1, folder=tmp_path).as_dict() == whole.as_dict()
    state.write_text(json.dumps({key: value for key, value in {**kept, **damage}.items() if value is not None}))
    with pytest.raises(InputError, match="is not the state of a pool"):
        grow_circle(0.0, 0.4, rounds=1, folder=tmp_path)


def test_a_member_need_not_have_parameters_that_can_be_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]
                                                                ) -> None:
    (tmp_path / "mine.py").write_text("""
from agentsim.games.agent_avenue.user import FACE_UP, jit_offer, jit_take, lowest, name_set, offer_action, policy
from agentsim.games.agent_avenue.user import pop_lowest


@jit_offer
def offer(view, table, params, key):
    names = name_set(view.hand)
    return offer_action(lowest(names), lowest(pop_lowest(names)) if pop_lowest(names) else lowest(names))


@jit_take
def take(view, table, params, key):
    return FACE_UP


mine = policy(offer, take, params={"a": 0.5})
""")
    words = ["pool", "--policies", f"{tmp_path}/mine.py:mine,planner", "--rounds", "1", "--search", "200k", "--games",
             "1k", "--json", "--quiet"]
    assert main(words) == 0
    (found,) = json.loads(capsys.readouterr().out)["rounds"]
    assert found["start"] == "planner"
    assert found["members"] == ["mine", "planner"]
    assert main([*words[:2], f"{tmp_path}/mine.py:mine,random", *words[3:]]) == 2
    assert "none of the policies has parameters" in capsys.readouterr().err


def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, problem in ((["--policies", "expert"], "two or more"), (["--policies", "random,greedy"], "parameters"),
                           (["--policies", "expert,nobody"], "unknown policy"), (["--rounds", "0"], "--rounds"),
                           (["--search", "10"], "--search"), (["--games", "ten"], "--games")):
        assert main(["pool", *words, "--out", str(tmp_path / "x")]) == 2
        said = capsys.readouterr().err
        assert problem in said
        assert said.count("\n") == 1
        assert not (tmp_path / "x").exists()
