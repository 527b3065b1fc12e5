"""The exact anchor of random play, on a small game with a tie rule."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from agentsim.errors import InputError
from agentsim.stats import anchor_from_counts, anchor_test
from tests.stats.planted import allowed


def coin_games(rng: np.random.Generator, n: int, rule: str = "active") -> dict[str, object]:
    """Games whose coin decides unless a tie does, which happens more often when seat 0 is active."""
    n_turns = rng.integers(1, 12, n)
    active = (n_turns + 1) % 2
    tie = rng.random(n) < np.where(active == 0, 0.2, 0.05)
    coin = rng.integers(0, 2, n).astype(float)
    due = {"active": active, "passive": 1 - active, "draw": np.full(n, math.nan)}[rule]
    return {"winner": np.where(tie, due, coin), "tie_rule": tie, "n_turns": n_turns}


@pytest.mark.parametrize("rule", ["active", "passive", "draw"])
def test_holds_for_a_fair_coin_under_each_tie_rule(rule: str) -> None:
    result = anchor_test(**coin_games(np.random.default_rng(1), 50_000, rule), rule=rule)
    assert result.holds(0.01)
    assert result.share.contains(0.5)
    assert abs(result.excess - result.expected_excess) < 3 * 0.5 / math.sqrt(50_000)
    sign = {"active": 1, "passive": -1, "draw": 0}[rule]
    assert result.expected_excess == pytest.approx(sign * (0.2 * 6 - 0.05 * 5) / 11 / 2, abs=0.004)
    assert result.n_games == 50_000


def test_false_alarms_are_as_few_as_stated() -> None:
    rng = np.random.default_rng(2)
    alarms = sum(not anchor_test(**coin_games(rng, 1000)).holds(0.05) for _ in range(500))
    assert alarms / 500 <= allowed(0.05, 500)


def test_a_seat_advantage_of_one_point_is_seen() -> None:
    rng = np.random.default_rng(3)
    games = coin_games(rng, 100_000)
    favoured = ~games["tie_rule"] & (games["winner"] == 1) & (rng.random(100_000) < 0.02)
    result = anchor_test(**games | {"winner": np.where(favoured, 0.0, games["winner"])})
    assert not result.holds()
    assert result.z > 4
    assert result.excess > result.expected_excess
    assert result.share.low > 0.5


def test_a_tie_given_to_the_wrong_seat_is_seen_though_the_coin_is_fair() -> None:
    result = anchor_test(winner=[0, 1, 1], tie_rule=[False, False, True], n_turns=[3, 3, 3])
    assert (result.tie_rule_violations, result.p_value) == (1, 1.0)
    assert not result.holds()
    passive = anchor_test(winner=[0, 1, 1], tie_rule=[False, False, True], n_turns=[3, 3, 3], rule="passive")
    assert passive.holds()


def test_a_draw_without_a_tie_rule_is_seen() -> None:
    result = anchor_test(winner=[None, 0, 1], tie_rule=[False] * 3, n_turns=[3, 3, 4])
    assert (result.drawn_decided, result.n_decided) == (1, 2)
    assert not result.holds()


def test_counts_give_the_same_as_columns() -> None:
    games = coin_games(np.random.default_rng(4), 5000)
    table = pd.DataFrame(games).assign(active=lambda d: (d["n_turns"] + 1) % 2)
    ties = table[table["tie_rule"]]
    counted = anchor_from_counts(
        wins_0=int((table["winner"] == 0).sum()), wins_1=int((table["winner"] == 1).sum()),
        tie_active_0=int((ties["active"] == 0).sum()), tie_active_1=int((ties["active"] == 1).sum()),
        tie_won_0=int((ties["winner"] == 0).sum()), tie_won_1=int((ties["winner"] == 1).sum()))
    assert counted == anchor_test(**games)


def test_known_binomial_values() -> None:
    result = anchor_from_counts(wins_0=60, wins_1=40)
    assert result.z == 2.0
    assert result.p_value == pytest.approx(0.05689, abs=1e-5)
    assert result.excess == 0.1
    assert result.expected_excess == 0.0


@pytest.mark.parametrize("winner", [
    [0, 1, None], np.array([0.0, 1.0, math.nan]), pd.array([0, 1, None], dtype="Int8"), np.array([0, 1, -1], np.int8),
])
def test_missing_winners_come_in_many_shapes(winner: object) -> None:
    result = anchor_test(winner, tie_rule=[False, False, True], n_turns=[1, 2, 3], rule="draw")
    assert (result.n_games, result.n_decided, result.wins_0_decided) == (3, 2, 1)
    assert result.holds()


def test_no_games_say_nothing() -> None:
    result = anchor_test([], [], [])
    assert result.share.is_empty
    assert json.loads(json.dumps(result.as_dict(), allow_nan=False))["z"] is None


@pytest.mark.parametrize("call", [
    lambda: anchor_test([0, 1], [False], [1, 2]), lambda: anchor_test([2], [False], [1]),
    lambda: anchor_test([0], [3], [1]), lambda: anchor_test([0], [False], [0]),
    lambda: anchor_test([0], [False], [1.5]),
    lambda: anchor_from_counts(wins_0=-1, wins_1=0), lambda: anchor_from_counts(wins_0=1, wins_1=0, tie_won_0=1),
    lambda: anchor_from_counts(wins_0=1, wins_1=1, tie_active_0=2, tie_won_0=2),
    lambda: anchor_test([0], [False], [1], rule="nobody"),
])
def test_bad_input_is_refused(call) -> None:
    with pytest.raises(InputError):
        call()
