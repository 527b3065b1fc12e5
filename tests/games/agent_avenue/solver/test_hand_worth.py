"""What a receiver's hand is worth, fitted on rules small enough that a table takes no time."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsim import load_policies
from agentsim.games.agent_avenue.solver.hand_worth import hand_worth, visited_states
from agentsim.games.agent_avenue.solver.store import solution
from agentsim.games.base import get_game
from tests.games.agent_avenue.solver.test_solver import TINY

pytestmark = pytest.mark.slow  # kernels with functions of their own compile: a quarter of a minute


def test_a_hand_is_worth_something_and_the_fit_is_found_again(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTSIM_SOLVER", str(tmp_path))
    rules, solver = get_game("agent_avenue").rules({**TINY, "rules.discards": 1}), load_policies("solver")[0]
    found = hand_worth(rules, solver, games=2_000, states=600, seed=4)
    assert found.mean > 0
    assert 0 < found.error_spread < 0.05
    assert 0 <= found.explained < 1
    assert hand_worth(rules, solver, games=2_000, states=600, seed=4) == found
    assert hand_worth(rules, solver, games=2_000, states=600, seed=5) != found
    turns = visited_states(solver, rules, 500, 4)
    assert len(turns) >= 500
    assert turns.max() < solution(rules).space.n_states
