"""The residual in the turns that are played, on rules whose table takes no time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agentsim import load_policies
from agentsim.games.agent_avenue.solver.backward import solve_states
from agentsim.games.agent_avenue.solver.hand_worth import visited_states
from agentsim.games.agent_avenue.solver.residual import gaps_in, visited_residual
from agentsim.games.agent_avenue.solver.store import solution
from tests.games.agent_avenue.solver.test_solver import tiny


def test_gaps_of_visited_states_are_those_of_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTSIM_SOLVER", str(tmp_path))
    rules, policy = tiny(), load_policies("solver")[0]
    found = solution(rules)
    told = visited_residual(rules, policy, games=400, seed=3)
    turns = np.concatenate([visited_states(policy, rules, 20, 60 + block) for block in range(20)])
    assert (told.games, told.turns, told.states) == (400, len(turns), len(set(turns.tolist())))
    # Building told the gaps before answers were rounded and values of the last sweep were in.
    _, _, built = solve_states(found.space)
    gaps = gaps_in(found, turns)
    assert np.abs(gaps - built[turns]).max() < 5e-3
    assert gaps.min() > -1e-6
    for side, gap in enumerate((told.offerer, told.receiver)):
        assert gap.mean.low <= gaps[:, side].mean() <= gap.mean.high
    assert told.receiver.p99.estimate >= told.receiver.mean.estimate
    # Answers that are no answers leave the receiver a gap.
    worse = replace(found, answers=255 - np.array(found.answers))
    assert gaps_in(worse, turns)[:, 1].mean() > 2 * gaps[:, 1].mean() + 0.01
