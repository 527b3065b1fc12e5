"""Pools by double oracle: they grow where something can be gained, go on where cut, depend on the seed alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentsim import load_policies
from agentsim.cli import main
from agentsim.errors import InputError
from agentsim.games.base import get_game
from agentsim.strategy import pool as pool_module
from agentsim.strategy.pool import Pool, grow_pool

GAME = get_game("agent_avenue")
RULES = GAME.rules({})
STARTS = load_policies("random,planner")


def grow(folder: Path | None = None, **changes: Any) -> Pool:
    given: dict[str, Any] = {"rounds": 2, "games": 12_000, "pair_games": 1_000, "seed": 5, "folder": folder}
    return grow_pool(RULES, STARTS, lambda ref: GAME.tunable(ref, RULES)[:3], **{**given, **changes})


def test_a_pool_depends_on_the_seed_alone_and_goes_on_where_it_was_cut(tmp_path: Path,
                                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    whole = grow(workers=2)
    assert sum(whole.mixture) == pytest.approx(1.0)
    for i, row in enumerate(whole.scores):
        assert row[i] is None
        for j, one in enumerate(row):
            other = whole.scores[j][i]
            assert (one is None) == (i == j)
            if one is not None and other is not None:
                assert one.estimate + other.estimate == pytest.approx(1.0)
    assert whole.mixture[1] == 1.0 or len(whole.policies) > 2  # random is beaten by the planner

    real = pool_module.validate

    def cut(*args: Any, **kwargs: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(pool_module, "validate", cut)
    with pytest.raises(KeyboardInterrupt):
        grow(tmp_path)
    monkeypatch.setattr(pool_module, "validate", real)
    assert json.dumps(grow(tmp_path).as_dict()) == json.dumps(whole.as_dict())
    with pytest.raises(InputError, match="another pool"):
        grow(tmp_path, seed=6)
    with pytest.raises(InputError, match="another pool"):
        grow_pool(GAME.rules({"rules.discards": 0}), STARTS, lambda ref: GAME.tunable(ref, RULES)[:3], rounds=2,
                  games=12_000, pair_games=1_000, seed=5, folder=tmp_path)


def test_a_gain_joins_and_no_gain_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search is replaced by one that answers with a known policy."""
    class Fixed:
        answer = load_policies("expert")[0]

        def __init__(self, *args: Any, **kwargs: Any) -> None: ...

        def run(self) -> None: ...

        def choose(self) -> Any:
            return type("Found", (), {"policy": self.answer})

    monkeypatch.setattr(pool_module, "Search", Fixed)
    found = grow_pool(RULES, load_policies("random,greedy,planner"),
                      lambda ref: GAME.tunable(ref, RULES), rounds=3, games=40_000, pair_games=4_000, seed=2)
    # The expert beats the three; against a pool with the expert it is an even match and shows no gain.
    assert [one.joined for one in found.rounds] == [True, False]
    assert found.closed
    assert found.policies[-1].label == "response_1"
    assert found.mixture[-1] > 0.5


def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, problem in ((["expert"], "two or more"), (["random,greedy"], "has parameters"),
                           (["expert,nobody"], "unknown policy"), (["expert,random", "--rounds", "0"], "--rounds")):
        assert main(["pool", *words, "--out", str(tmp_path / "x")]) == 2
        assert problem in capsys.readouterr().err
        assert not (tmp_path / "x").exists()
