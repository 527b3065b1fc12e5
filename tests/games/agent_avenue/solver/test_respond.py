"""Best responses by dynamic programming, on rules small enough that a table takes no time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentsim import load_policies
from agentsim.errors import InputError
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.solver import responses
from agentsim.games.agent_avenue.solver.respond import best_response
from agentsim.games.base import PolicyRef, get_game
from agentsim.simulation.arena import Arena, Span
from agentsim.stats import mean_of_deals
from tests.games.agent_avenue.solver.test_solver import TINY

GAME = get_game("agent_avenue")
# Slow: kernels with functions of their own compile, half a minute.
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("tables")]


def tiny() -> Rules:
    rules: Rules = GAME.rules({**TINY, "rules.discards": 2})
    return rules


def score(a: PolicyRef, b: PolicyRef, deals: int = 3_000) -> Any:
    return mean_of_deals(Arena(tiny(), [(a, b)], seed=77).play([Span(0, 0, deals)])[0]["deal_score_a"])


def test_it_beats_its_target_by_more_than_the_equilibrium_does_and_is_found_again() -> None:
    greedy, solver = load_policies("greedy")[0], load_policies("solver")[0]
    told: list[str] = []
    found = best_response(greedy, tiny(), games=20_000, seed=3, rounds=2, progress=lambda doing, _: told.append(doing))
    assert told[0] == "playing"
    assert told[-1] == "done"
    ours, theirs = score(found, greedy), score(solver, greedy)
    assert ours.low > theirs.high
    again = best_response(greedy, tiny(), games=20_000, seed=3, rounds=2)
    assert again.digest == found.digest
    assert best_response(greedy, tiny(), games=20_000, seed=4, rounds=2).digest != found.digest
    # From disk, as another process plays it.
    responses.forget(found)
    assert score(found, greedy) == ours
    # The equilibrium of public states is no equilibrium of the game (tiny decks give hands away), but leaves less open.
    against_solver = score(best_response(solver, tiny(), games=20_000, seed=3, rounds=2), solver)
    assert against_solver.low > 0.5
    assert against_solver.high < ours.low


def test_what_cannot_be_answered_is_refused(tmp_path: Path) -> None:
    found = best_response(load_policies("random")[0], tiny(), games=2_000, rounds=1)
    with pytest.raises(InputError, match="base game of two players"):
        Arena(GAME.rules({"rules.mode": "advanced"}), [(found, found)], seed=1)
    gone = PolicyRef("gone", "responder", {}, str(tmp_path / "nothing"), "00")
    with pytest.raises(InputError, match="is gone"):
        responses.row_of(gone, tiny())


def test_measured_offers_are_shares() -> None:
    found = best_response(load_policies("random")[0], tiny(), games=4_000, rounds=1)
    sums = np.load(Path(found.source) / "offers.npy").sum(axis=(1, 2))
    assert np.allclose(sums, 1, atol=1e-5)
