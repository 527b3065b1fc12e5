"""Beliefs: the posterior is what going through every assignment says, whatever the evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from random import Random

import numpy as np
import pytest

from agentsim.games.shady_agents import step
from agentsim.games.shady_agents.belief import CHANCE, ODDS, SENSE_SIZE, impossible, posterior
from agentsim.games.shady_agents.rules import Rules, make_rules
from agentsim.games.shady_agents.table import E_BULLET, E_FALSE, E_MEDKIT, E_NO, E_TRUE, E_YES, evidence
from tests.games_shady.helpers import CERTAIN, few, needs_speed, oracle_game, rules, session, tell_oracle

INF = math.inf


def chances(odds: list[float], friends: int) -> list[float]:
    sense = np.full(SENSE_SIZE, np.nan)
    sense[ODDS + 1:ODDS + 1 + len(odds)] = odds
    posterior(sense, len(odds), friends)
    return sense[CHANCE + 1:CHANCE + 1 + len(odds)].tolist()


def listed(odds: list[float], friends: int) -> list[float]:
    """The same by listing every assignment, with logarithms all the way."""
    logs = {}
    for chosen in combinations(range(len(odds)), friends):
        # Certain evidence is a factor of 0 or 1; the rest a factor of exp(odds) for a friend.
        bad = any((x == INF and i not in chosen) or (x == -INF and i in chosen) for i, x in enumerate(odds))
        if not bad:
            logs[chosen] = math.fsum(odds[i] for i in chosen if math.isfinite(odds[i]))
    top = max(logs.values())
    weights = {chosen: math.exp(value - top) for chosen, value in logs.items()}
    total = math.fsum(weights.values())
    return [math.fsum(w for chosen, w in weights.items() if i in chosen) / total for i in range(len(odds))]


@pytest.mark.parametrize("spread", [0.0, 0.5, 5.0, 60.0, 800.0])
def test_the_sum_over_all_assignments(spread: float) -> None:
    rng = Random(int(spread))
    for _ in range(few(400, 20)):
        others = rng.randint(3, 9)
        friends = rng.randint(1, others - 1)
        odds = [rng.gauss(0, 1) * spread for _ in range(others)]
        found = chances(odds, friends)
        assert found == pytest.approx(listed(odds, friends), abs=1e-9)
        assert sum(found) == pytest.approx(friends)


def test_certain_evidence() -> None:
    rng = Random(4)
    for _ in range(few(600, 40)):
        others = rng.randint(3, 9)
        friends = rng.randint(1, others - 1)
        odds = [rng.choice([INF, -INF, 0.0, rng.gauss(0, 30), rng.gauss(0, 1)]) for _ in range(others)]
        sure, never = odds.count(INF), odds.count(-INF)
        no_way = sure > friends or never > others - friends
        assert impossible(np.array([0.0, *odds]), 0, others, friends) == no_way
        if not no_way:
            assert chances(odds, friends) == pytest.approx(listed(odds, friends), abs=1e-9)
    assert impossible(np.array([0.0, math.nan, 0.0, 0.0]), 0, 3, 1)
    assert chances([INF, -INF, -INF], 1) == [1, 0, 0]


def test_a_common_factor_of_the_odds_changes_nothing() -> None:
    odds = [0.3, -1.0, 2.0, 0.0, 0.7]
    for shift in (-500.0, -40.0, 1.0, 300.0):
        assert chances([x + shift for x in odds], 2) == pytest.approx(chances(odds, 2))


@pytest.mark.parametrize(
    ("players", "side", "friends", "clue", "expected"),
    [
        (4, "law", 1, None, [1 / 3] * 3),
        (4, "law", 1, E_TRUE, [19 / 21, 1 / 21, 1 / 21]),
        (4, "crooked", 1, E_FALSE, [19 / 21, 1 / 21, 1 / 21]),
        (4, "law", 1, E_YES, [3 / 7, 2 / 7, 2 / 7]),
        (4, "crooked", 1, E_NO, [3 / 7, 2 / 7, 2 / 7]),
        (4, "law", 1, E_MEDKIT, [2 / 3, 1 / 6, 1 / 6]),
        (4, "crooked", 1, E_MEDKIT, [2 / 3, 1 / 6, 1 / 6]),
        (5, "law", 1, None, [1 / 4] * 4),
        (5, "law", 2, E_BULLET, [1 / 5, 3 / 5, 3 / 5, 3 / 5]),
    ],
)
def test_worked_examples(players: int, side: str, friends: int, clue: int | None, expected: list[float]) -> None:
    odds = [0.0] * (players - 1)
    if clue is not None:
        news = evidence(rules(players))[clue]
        odds[0] = -news if clue < E_MEDKIT and side == "crooked" else news
    assert chances(odds, friends) == pytest.approx(expected)


def test_evidence_that_is_certain() -> None:
    sure = evidence(make_rules(CERTAIN))
    assert sure.tolist() == [INF, -INF, INF, -INF, INF, -INF]
    assert np.isnan(evidence(make_rules({"belief.p_medkit_friend": 0, "belief.p_bullet_enemy": 1}))[E_MEDKIT])
    assert evidence(make_rules({"talk.base_rate": 0.5}))[[E_YES, E_NO]].tolist() == [0, 0]


# ---- whole histories ---------------------------------------------------------------------------------------------


def histories(made: Rules, deals: int) -> Iterator[tuple[step.GameState, list[list[float]]]]:
    """Every position of games of arbitrary actions with what brute force believes there."""
    for deal in range(deals):
        rng = Random(deal)
        game, second = step.new_game(11, made, deal=deal), oracle_game(made, 11, deal)
        while not game.is_over:
            legal = game.legal_actions()
            (action,) = rng.choices(legal, [4.0 if isinstance(action, step.Call) else 1.0 for action in legal])
            game = game.apply(action)
            tell_oracle(second, action)
            yield game, [second.beliefs(seat) for seat in range(made.players)]


@pytest.mark.parametrize("players", [4, 5, 6])
@pytest.mark.parametrize("model", ["shipped", "certain", "mixed"])
def test_posteriors_are_those_of_brute_force(players: int, model: str) -> None:
    changes = {"shipped": {}, "certain": CERTAIN,
               "mixed": {"talk.verifiable": 0.7, "talk.misread": 0, "talk.base_rate": 0.9,
                         "belief.p_medkit_friend": 1, "rules.own_tools": True}}[model]
    made = make_rules({"rules.players": players, **changes})
    resets = 0
    for game, expected in histories(made, few(60, 2)):
        for seat in range(players):
            assert game.observe(seat).friend == pytest.approx(expected[seat], abs=1e-9)
        resets += sum(game.resets)
    assert (resets > 0) is (model != "shipped") or not few(1, 0)


@needs_speed
def test_ten_players_once() -> None:
    """126 ways to think of."""
    for game, expected in histories(rules(10), 2):
        for seat in (0, 4, 9):
            assert game.observe(seat).friend == pytest.approx(expected[seat], abs=1e-9)


def test_a_second_tool_from_the_same_player_is_no_evidence() -> None:
    game = step.new_game(1, rules(4))
    game = game.apply(step.Give("medkit", 2))
    once = game.observe(2).friend
    assert once[0] > 0.5
    for seat in (1, 2, 3):
        game = game.apply(step.Give("bullet", 1 if seat != 1 else 3))
    for _ in (3, 2, 1):
        game = game.apply(step.Give("medkit", 0))
    before = game.observe(2).friend
    game = game.apply(step.Give("bullet", 2))
    assert game.observe(2).received == ((0, "bullet"), (0, "medkit"))
    assert game.observe(2).friend == before == once


def test_a_contradiction_goes_back_to_the_prior() -> None:
    made = make_rules({"rules.players": 4, "belief.p_medkit_friend": 1, "belief.p_bullet_enemy": 1})
    game = step.new_game(1, made).apply(step.Give("medkit", 3))
    assert game.observe(3).friend == (1, 0, 0, 1)
    game = game.apply(step.Give("medkit", 3))
    assert (game.observe(3).friend, game.resets) == ((1 / 3, 1 / 3, 1 / 3, 1), (0, 0, 0, 1))
    game = game.apply(step.Give("medkit", 3))
    assert game.observe(3).friend == (0, 0, 1, 1)


# ---- calibration -------------------------------------------------------------------------------------------------


def assert_calibrated(belief: np.ndarray[tuple[int], np.dtype[np.float64]],
                      friend: np.ndarray[tuple[int], np.dtype[np.bool_]],
                      group: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    """In each class of beliefs as many are friends as believed, by the deals' own scatter; returns the classes met."""
    classes = np.minimum((belief * 10).astype(int), 9)
    met = 0
    for number in range(10):
        mine = classes == number
        groups = np.unique(group[mine])
        if len(groups) < 100:
            continue
        met += 1
        excess = np.bincount(np.searchsorted(groups, group[mine]), friend[mine] - belief[mine])
        # Logged beliefs are rounded to 1/10,000.
        assert abs(excess.sum()) <= 4.5 * math.sqrt(float((excess**2).sum())) + 1e-4 * mine.sum(), number
    return met


@needs_speed
@pytest.mark.parametrize("players", [5, 6, 9])
def test_beliefs_under_random_are_calibrated(players: int) -> None:
    """With tools that tell nothing, neither in belief nor in truth."""
    for base_rate, misread in ((0.6, 0.05), (0.8, 0.3), (0.5, 0.0)):
        made = rules(players, talk__base_rate=base_rate, talk__misread=misread, belief__p_medkit_friend=0.5,
                     belief__p_bullet_enemy=0.5)
        table = session(made, seed=21).play(0, 0, 1200, "full").tables["beliefs"]
        for moment in (0, 1):
            rows = table["moment"] == moment
            assert_calibrated(table["belief"][rows] / 10_000, table["friend"][rows],
                              table["game_id"][rows] // players)
        assert assert_calibrated(table["belief"] / 10_000, table["friend"], table["game_id"] // players) >= 5


@needs_speed
@pytest.mark.parametrize("players", [4, 7])
def test_beliefs_are_calibrated_where_people_play_as_believed(players: int) -> None:
    """Receivers by chance, tools as the belief model has them: calibrated at the end of the first round."""
    made = rules(players, belief__p_medkit_friend=0.85, belief__p_bullet_enemy=0.65)
    belief, friend, group = [], [], []
    for deal in range(1500):
        rng = Random(deal)
        game = step.new_game(31, made, deal=deal)
        while game.turn < players:
            me = game.to_move
            if rng.random() < 0.2:
                game = game.apply(game.legal_actions()[-1])
                continue
            other = rng.choice([seat for seat in range(players) if seat != me])
            if game.roles[me] == game.roles[other]:
                tool = "medkit" if rng.random() < made.p_medkit_friend else "bullet"
            else:
                tool = "bullet" if rng.random() < made.p_bullet_enemy else "medkit"
            game = game.apply(step.Give(tool, other))
        for seat in range(players):
            seen = game.observe(seat).friend
            for other in range(players):
                if other != seat:
                    belief.append(seen[other])
                    friend.append(game.roles[seat] == game.roles[other])
                    group.append(deal)
    assert assert_calibrated(np.array(belief), np.array(friend), np.array(group)) >= 7


@needs_speed
def test_the_check_of_calibration_can_fail() -> None:
    made = rules(6, belief__p_medkit_friend=0.9, belief__p_bullet_enemy=0.9)
    table = session(made, seed=21).play(0, 0, 600, "full").tables["beliefs"]
    with pytest.raises(AssertionError):
        assert_calibrated(table["belief"] / 10_000, table["friend"], table["game_id"] // 6)
