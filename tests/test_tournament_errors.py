"""How often a tournament errs: among equals with real games, and its shares where pairs got games as they needed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from agentsim.games.base import get_game
from agentsim.lineup import resolve_policies
from agentsim.simulation.arena import Arena
from agentsim.stats import alpha_rank, nash_average
from agentsim.strategy.contest import Plan, play_tournament
from agentsim.strategy.results import TournamentResult
from tests.stats.planted import allowed
from tests.test_tournament import planted

GAME = get_game("agent_avenue")
RULES = GAME.rules({})


@pytest.mark.parametrize("repetitions", [200, pytest.param(2_000, marks=pytest.mark.slow)])
def test_a_policy_and_its_copy_are_seldom_told_apart(repetitions: int) -> None:
    """A/A: every repetition plays real games of `random` against itself under another label, to a decision or the end.

    With margin 0.05 equals are mostly decided to be equal; a decision for one of them is a false alarm.
    """
    pair = resolve_policies(GAME, ["random", {"policy": "random", "label": "copy"}], rules=RULES)
    plan = Plan((("random", "copy"),), (2,), 6_400, margin=0.05)
    alarms = equal = 0
    for seed in range(repetitions):
        arena = Arena(RULES, [pair], seed)
        (one,) = play_tournament(plan, arena.play_each)
        alarms += one.decision in ("better", "worse")
        equal += one.decision == "equivalent"
    assert alarms / repetitions <= allowed(1 - plan.level, repetitions)
    assert equal / repetitions > 0.5  # it does decide


CIRCLES = {
    # a beats b (which is hard to see) beats c beats a: all three share the equilibrium, (8, 7, 1) / 16.
    "a circle": [[0.5, 0.52, 0.36], [0.48, 0.5, 0.66], [0.64, 0.34, 0.5]],
    # The same with a fourth that loses to all and has no share.
    "a circle and a loser": [[0.5, 0.52, 0.4, 0.7], [0.48, 0.5, 0.6, 0.66], [0.6, 0.4, 0.5, 0.72],
                             [0.3, 0.34, 0.28, 0.5]],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CIRCLES))
@pytest.mark.parametrize("share", ["nash", "mass"])
def test_shares_are_covered_where_pairs_got_games_as_they_needed(name: str, share: str) -> None:
    """Intervals of Nash averaging and alpha-rank hold together with 95 %, although results decided who plays on."""
    truth, repetitions = np.array(CIRCLES[name]), 200
    names = "abcd"[:len(truth)]
    pairs = tuple(combinations(names, 2))
    chances = [truth[names.index(a), names.index(b)] for a, b in pairs]
    plan = Plan(pairs, (2,) * len(pairs), 60_000, margin=0.01)
    true = nash_average(truth - 0.5).mixture if share == "nash" else alpha_rank(truth - 0.5).mass
    missed, uneven = 0, 0
    for seed in range(repetitions):
        standings = play_tournament(plan, planted(chances, seed=seed))
        sizes = [one.test.n_deals for one in standings]
        uneven += max(sizes) > 1.5 * min(sizes)
        table = TournamentResult(plan, standings, tuple(names), True, "planted", 1).equilibrium().set_index("policy")
        rows = table.loc[list(names)]
        inside = (rows[f"{share}_low"] - 1e-9 <= true) & (true <= rows[f"{share}_high"] + 1e-9)
        missed += not inside.all()
    assert uneven > 0.5 * repetitions  # the allocation is adaptive
    assert missed / repetitions <= allowed(1 - plan.level, repetitions)
