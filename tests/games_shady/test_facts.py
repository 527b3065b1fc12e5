"""Exact facts of the rules page, and the baselines against their definitions."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from agentsim.games.shady_agents import engine as e
from agentsim.games.shady_agents import kernel as k
from agentsim.games.shady_agents import step
from agentsim.games.shady_agents.belief import SENSE_SIZE
from agentsim.games.shady_agents.catalog import CATALOG
from agentsim.games.shady_agents.decision import one_decision
from agentsim.games.shady_agents.policies.dispatch import FAMILY_NAIVE, FAMILY_RANDOM
from agentsim.games.shady_agents.policies.parameters import ROW_SIZE
from agentsim.games.shady_agents.rules import Rules
from agentsim.games.shady_agents.session import Session
from agentsim.games.shady_agents.view import VIEW_SIZE
from tests.games_shady.helpers import PLAYERS, few, needs_speed, oracle_rules, rules, session, walk
from tests.oracle.shady_agents import deal_roles, play_random

INFORMED = CATALOG.from_spec("sleuth(sure_medkit=0, sure_bullet=0, free_call=1, tool_trust=0)")
"""Takes the free interrogation, pays for none, and plays each tool where it is surest."""


def played(run: Session, games: int) -> NDArray[np.int16]:
    """The rows of a session's first games."""
    found = [run._run(0, 0, games, "none")[0]]
    while (done := sum(map(len, found))) < games:
        found.append(run._run(0, done, games - done, "none")[0])
    return np.concatenate(found)


@needs_speed
@pytest.mark.parametrize("name", ["random", "naive", "bayes", "gossip"])
@pytest.mark.parametrize("players", [4, 7])
def test_the_sides_are_alike(players: int, name: str) -> None:
    tally = session(rules(players, talk__base_rate=0.7), [CATALOG.from_spec(name)] * players, seed=3).play(
        0, 0, 6000, "none").tally
    # The variance of a deal's score, from the exact sums.
    deals, law, squares = 6000, tally["side_share"][0], tally["side_products"][0, 0]
    deviation = math.sqrt(squares / deals - (law / deals) ** 2) / math.sqrt(deals) / (12 * players)
    assert abs(law / deals / (12 * players) - 0.5) < 4 * deviation


@pytest.mark.parametrize("bonus", [1, 0])
@pytest.mark.parametrize("players", PLAYERS)
def test_perfect_information(players: int, bonus: int) -> None:
    made = rules(players, talk__verifiable=1, talk__misread=0, rules__odd_bonus=bonus)
    rows = played(session(made, [INFORMED] * players), few(2000, 6))
    assert (rows[:, k.G_CALLS] == rows[:, k.G_FIRST_CALLED]).all()
    assert (rows[:, k.G_CALLS] == 1).all()
    assert (rows[:, k.G_WRONG:k.G_WRONG + 2] == 0).all()
    if players % 2 == 0:
        assert (rows[:, k.G_WINNER] == -1).all()
        return
    points = rows[:, k.G_POINTS:k.G_POINTS + 2]
    larger = 1 - rows[:, k.G_SMALLER]
    assert (rows[:, k.G_WINNER] == larger).all()
    assert (np.take_along_axis(points, larger[:, None], 1) - np.take_along_axis(points, 1 - larger[:, None], 1)
            == 2 - bonus).all()


@needs_speed
def test_the_bonus_is_too_much_for_chance_and_too_little_for_the_informed() -> None:
    chance = session(rules(5), seed=2).play(0, 0, 8000, "none")
    informed = session(rules(5, talk__verifiable=0.8), [INFORMED] * 5, seed=2).play(0, 0, 2000, "none")
    assert chance.tally["size_share"][0] / (12 * chance.n_games) > 0.53
    assert informed.tally["size_share"][0] / (12 * informed.n_games) < 0.4


@pytest.mark.parametrize("players", PLAYERS)
def test_parity(players: int) -> None:
    rows = played(session(rules(players)), few(30_000, 40)).astype(int)
    thrown = rows[:, k.G_THROWN:k.G_THROWN + 2].sum(axis=1)
    points = rows[:, k.G_POINTS:k.G_POINTS + 2]
    assert ((points.sum(axis=1) - 2 * players + thrown - players % 2) % 2 == 0).all()
    level = points[:, 0] == points[:, 1]
    assert not (level & ((thrown + players % 2) % 2 == 1)).any()
    assert not few(1, 0) or level.any()
    # The scores of the seats and the bonus are the points of the sides.
    roles = rows[:, k.G_ROLES, None] >> np.arange(players) & 1
    scores = rows[:, k.G_SCORE:k.G_SCORE + players]
    for side in (0, 1):
        bonus = (rows[:, k.G_SMALLER] == side).astype(int)
        assert ((scores * (roles == side)).sum(axis=1) + bonus == points[:, side]).all()


@pytest.mark.parametrize("players", PLAYERS)
def test_tools_and_turns(players: int) -> None:
    made, most_calls = rules(players), 0
    for deal in range(few(40, 3)):
        course = walk(made, 5, deal, {step.Call: 3.0 if deal % 2 else 400.0})
        half = next(game for game in course if game.turn == players)
        first_called = 0 in half.observe(1).callers
        left = [len(half.observe(seat).tools) for seat in range(players)]
        assert left == [2 if first_called else 1, *[1] * (players - 1)]
        assert [game.turn for game in course][-1] == 2 * players
        assert len(course) - 1 == 2 * players + first_called
        for game in course:
            heard = game.observe(0).statements
            assert len(heard) == game.interrogations * (players - 1)
        most_calls = max(most_calls, course[-1].interrogations)
    assert most_calls == players or not few(1, 0)


@pytest.mark.parametrize("players", PLAYERS)
def test_role_cards(players: int) -> None:
    """Every way to deal the cards comes with its own chance; the rotation only turns it."""
    games = few(20_000, 60)
    rows = played(session(rules(players), seed=9), games * players if players < 7 else games)
    crooked = np.bitwise_count(rows[:, k.G_ROLES])
    if players % 2 == 0:
        assert (crooked == players // 2).all()
    else:
        assert (np.where(rows[:, k.G_SMALLER] == 1, crooked, players - crooked) == players // 2).all()
    roles = rows[:, k.G_ROLES].astype(int)
    turned = ((roles[:-1] << 1) | (roles[:-1] >> players - 1)) & (1 << players) - 1
    same_deal = np.arange(len(roles) - 1) % players != players - 1
    assert (roles[1:] == turned)[same_deal].all()
    if few(1, 0) and players < 7:
        counts = Counter(roles[::players].tolist())
        kinds = math.comb(players + players % 2, (players + 1) // 2)
        assert len(counts) == kinds
        chi2 = sum((n - games / kinds) ** 2 / (games / kinds) for n in counts.values())
        assert chi2 < kinds - 1 + 5 * math.sqrt(2 * (kinds - 1))
        rng = Random(players)
        assert set(counts) == {sum((role == "crooked") << seat for seat, role in enumerate(deal_roles(rng, players)))
                               for _ in range(3000)}


# ---- random and naive --------------------------------------------------------------------------------------------


def decisions(game: step.GameState, family: int, keys: NDArray[np.uint64]) -> Counter[step.Action]:
    view, sense, rows = np.zeros(VIEW_SIZE, dtype=np.int64), np.zeros(SENSE_SIZE), np.zeros((1, ROW_SIZE))
    state, odds, table, seat = game.state, game.odds, game.table, game.to_move
    codes = Counter(int(one_decision(family, state, odds, table, seat, rows, 0, view, sense, key)) for key in keys)
    return Counter({step._named(code): n for code, n in codes.items()})


def assert_uniform(found: Counter[step.Action], expected: set[step.Action]) -> None:
    assert set(found) == expected
    mean = found.total() / len(found)
    chi2 = sum((n - mean) ** 2 / mean for n in found.values())
    assert chi2 < len(found) - 1 + 5 * math.sqrt(2 * max(len(found) - 1, 1)) + 3


@needs_speed
@pytest.mark.parametrize("made", [
    rules(4), rules(6), rules(9), rules(5, rules__own_tools=True, rules__two_to_one=False),
    rules(5, rules__interrogations=False), rules(4, rules__free_interrogation=False)])
def test_random_chooses_uniformly(made: Rules) -> None:
    keys = np.random.default_rng(3).integers(0, 2**64, 30_000, dtype=np.uint64)
    for deal in range(2):
        for game in walk(made, 2, deal, {step.Call: 8.0 if deal else 1.0})[:-1]:
            legal = game.legal_actions()
            assert_uniform(decisions(game, FAMILY_RANDOM, keys), set(legal))
            if game.turn < made.players and made == rules(made.players):
                assert len(legal) == 2 * (made.players - 1) + (1 if game.turn == 0 else 2)


@needs_speed
def test_naive_plays_as_defined() -> None:
    made = rules(6, talk__verifiable=0.3)
    keys = np.random.default_rng(4).integers(0, 2**64, 8_000, dtype=np.uint64)
    kinds: Counter[str] = Counter()
    for deal in range(12):
        for game in walk(made, 6, deal, {step.Call: 12.0})[:-1]:
            me = game.to_move
            seen = game.observe(me)
            verdicts = Counter[int]()
            for said in seen.statements:
                verdicts[said.speaker] += 0 if said.verdict is None else 1 if said.verdict else -1
            truthful = 1 if seen.side == "law" else -1
            friends = {s for s in range(6) if verdicts[s] * truthful > 0}
            enemies = {s for s in range(6) if verdicts[s] * truthful < 0}
            legal = set(game.legal_actions())
            good: set[step.Action] = {step.Give("medkit", s) for s in friends}
            good |= {step.Give("bullet", s) for s in enemies}
            good &= legal
            if game.to_place is None:
                kinds["known" if good else "unknown"] += 1
                expected = good or legal
            else:
                strangers = set(range(6)) - friends - enemies
                unknown = {action for action in legal if isinstance(action, step.Give) and action.seat in strangers}
                kinds["placed" if good else "placed unknown" if unknown else "placed wrong"] += 1
                expected = good or set(unknown) or legal
            assert_uniform(decisions(game, FAMILY_NAIVE, keys), expected)
    assert {"known", "unknown", "placed", "placed unknown"} <= set(kinds)


@needs_speed
@pytest.mark.parametrize("players", PLAYERS)
def test_how_often_random_calls(players: int) -> None:
    batch = session(rules(players), seed=7).play(0, 0, 60_000 // players, "turns")
    moves = batch.tables["moves"]
    for seat in range(players):
        mine = moves["action"][(moves["seat"] == seat) & (moves["round"] == 1)]
        p = 1 / (2 * players - 1) if seat == 0 else 1 / players
        assert abs(np.mean(mine == k.A_CALL) - p) < 4.5 * math.sqrt(p * (1 - p) / len(mine))


@needs_speed
@pytest.mark.parametrize("players", [4, 7, 10])
def test_random_plays_as_the_second_engine_does(players: int) -> None:
    """Ends, interrogations and points of independently drawn games of both engines agree within sampling error."""
    made, rng, games = rules(players), Random(players), 1500
    second = [play_random(rng, oracle_rules(made)) for _ in range(games)]
    rows = played(session(made, seed=5), 32_000)
    for number, reason in enumerate(e.END_REASONS):
        p = float(np.mean(rows[:, k.G_REASON] == number))
        found = sum(game.ending is not None and game.ending.reason == reason for game in second)
        assert abs(found - games * p) < 4.5 * math.sqrt(games * p * (1 - p)) + 2
    for values, ours in (([game.called for game in second], rows[:, k.G_CALLS]),
                         ([game.misdirected("medkit") for game in second], rows[:, k.G_WRONG + 1]),
                         ([game.points("law") for game in second], rows[:, k.G_POINTS])):
        assert abs(np.mean(values) - ours.mean()) < 4.5 * ours.std() / math.sqrt(games)
