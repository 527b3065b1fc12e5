"""Whole games: the engine and the second engine, step by step and from the kernel's logs."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from agentsim.games.shady_agents import kernel as k
from agentsim.games.shady_agents import step
from agentsim.games.shady_agents.engine import END_REASONS
from agentsim.games.shady_agents.rules import SIDES, TOOLS, Rules, make_rules
from tests.games_shady.helpers import (
    CERTAIN,
    CUSTOM,
    PLAYERS,
    few,
    needs_speed,
    oracle_actions,
    oracle_game,
    rules,
    session,
    tell_oracle,
)
from tests.oracle.shady_agents import OracleGame

TABLES = [rules(players) for players in PLAYERS] + [
    make_rules(CUSTOM), make_rules({**CUSTOM, "rules.players": 8}), make_rules({**CERTAIN, "rules.players": 5}),
    rules(4, rules__interrogations=False), rules(4, rules__free_interrogation=False, rules__tie="law"),
    rules(7, rules__two_to_one=False, belief__p_medkit_friend=0, belief__p_bullet_enemy=1)]
IDS = [f"{made.players} players" for made in TABLES[:7]] + [
    "changed", "changed, 8", "certain", "no talk", "paid talk", "no kind of tool"]

TEMPERS: list[dict[type, float]] = [{}, {step.Call: 30.0}]
"""Ways to choose among legal actions: all alike; mostly interrogations."""


def assert_same(game: step.GameState, second: OracleGame) -> None:
    n = game.players
    assert set(game.legal_actions()) == oracle_actions(second)
    assert len(game.legal_actions()) == len(set(game.legal_actions()))
    assert game.to_move == (-1 if second.active is None else second.active)
    assert (game.turn, game.interrogations, game.smaller_side) == (second.turn, second.called, second.smaller)
    assert list(game.roles) == [player.role for player in second.players]
    assert game.resets == tuple(player.resets for player in second.players)
    for seat, player in enumerate(second.players):
        seen = game.observe(seat)
        assert seen.side == player.role
        assert seen.friends == len(second.side(player.role)) - 1
        assert set(seen.tools) == set(player.tools)
        assert set(seen.received) == set(player.lying)
        assert seen.lying == tuple(len(other.lying) for other in second.players)
        assert [tuple(vars(said).values()) for said in seen.statements] == [tuple(said) for said in player.heard]
        assert len(seen.gave) == n
    assert game.is_over is (second.ending is not None)
    if second.ending is not None:
        assert (game.winner, game.end_reason) == second.ending
        assert list(game.shares) == second.shares()
        for side in SIDES:
            assert (game.side_points[side], game.side_medkits[side]) == (second.points(side), second.medkits(side))
        assert game.points == tuple(second.worth_of(seat) for seat in range(n))


@pytest.mark.parametrize("temper", range(len(TEMPERS)))
@pytest.mark.parametrize("made", TABLES, ids=IDS)
def test_step_by_step(made: Rules, temper: int) -> None:
    for deal in range(few(60, 2)):
        rng, turned = Random(deal), deal % made.players
        game = step.new_game(3, made, deal=deal, turned=turned)
        second = oracle_game(made, 3, deal, turned)
        assert_same(game, second)
        while not game.is_over:
            legal = game.legal_actions()
            (action,) = rng.choices(legal, [TEMPERS[temper].get(type(action), 1.0) for action in legal])
            game = game.apply(action)
            tell_oracle(second, action)
            if deal < few(8, 2) or game.is_over:
                assert_same(game, second)


# ---- the kernel's logs -------------------------------------------------------------------------------------------


def replay(made: Rules, seed: int, game: int, row: np.ndarray[Any, Any], moves: np.ndarray[Any, Any],
           statements: np.ndarray[Any, Any], beliefs: np.ndarray[Any, Any]) -> str:
    """Play a logged game of a mirror again in the second engine; returns how it ended."""
    deal, turned = divmod(game, made.players)
    second = oracle_game(made, seed, deal, turned)
    said = iter(statements.tolist())
    assert row[k.G_ROLES] == sum((player.role == "crooked") << seat for seat, player in enumerate(second.players))
    for move in moves.tolist():
        seat, other = move[k.M_SEAT], move[k.M_OTHER]
        assert (second.turn, second.active) == (move[k.M_TURN], seat)
        role = second.players[seat].role
        assert SIDES[move[k.M_SIDE]] == role
        tool = None if move[k.M_TOOL] < 0 else TOOLS[move[k.M_TOOL]]
        if move[k.M_ACTION] == k.A_GIVE:
            assert move[k.M_FRIENDLY] == (role == second.players[other].role)
            if len(beliefs):
                assert move[k.M_BELIEF] == pytest.approx(k.GRAIN * second.beliefs(seat)[other], abs=0.51)
            assert tool is not None
            second.give(tool, other)
        else:
            assert other == move[k.M_FRIENDLY] == move[k.M_BELIEF] == -1
            second.call(tool)
            n = made.players
            for speaker in [(seat + i) % n for i in range(1, n + made.caller_answers)]:
                line = next(said)
                assert line[:k.S_SIDE] == [move[k.M_TURN], second.called - 1, seat, speaker]
                assert SIDES[line[k.S_SIDE]] == second.players[speaker].role
                truth, yes = second.truth(second.called - 1, speaker), bool(line[k.S_YES])
                assert (line[k.S_TRUTH], yes == truth) == (truth, second.players[speaker].role == "law")
                heard = [next(h for h in reversed(player.heard) if h.speaker == speaker) for player in second.players]
                assert all(h.yes == yes for h in heard)
                assert line[k.S_VERIFIED] == sum((h.verdict is not None) << i for i, h in enumerate(heard))
                assert line[k.S_MISREAD] == sum((h.verdict is not None and h.verdict != (yes == truth)) << i
                                                for i, h in enumerate(heard))
        at_end = second.ending is not None
        if len(beliefs) and (at_end or (second.turn == made.players and move[k.M_TURN] == made.players - 1)):
            rows = beliefs[beliefs[:, k.B_MOMENT] == at_end].tolist()
            assert len(rows) == made.players * (made.players - 1)
            for _, me, whom, chance, friend, resets in rows:
                assert chance == pytest.approx(k.GRAIN * second.beliefs(me)[whom], abs=0.51)
                assert friend == (second.players[me].role == second.players[whom].role)
                assert resets == second.players[me].resets
    assert next(said, None) is None
    assert second.ending is not None
    winner, reason = second.ending
    assert row[k.G_WINNER] == (-1 if winner is None else SIDES.index(winner))
    assert END_REASONS[row[k.G_REASON]] == reason
    assert row[k.G_SMALLER] == (-1 if second.smaller is None else SIDES.index(second.smaller))
    for number, side in enumerate(SIDES):
        assert row[k.G_POINTS + number] == second.points(side)
        assert row[k.G_MEDKITS + number] == second.medkits(side)
    for number, tool in enumerate(TOOLS):
        assert row[k.G_WRONG + number] == second.misdirected(tool)
        assert row[k.G_THROWN + number] == second.thrown.count(tool)
    assert row[k.G_CALLS] == second.called
    assert row[k.G_SCORE:k.G_SCORE + made.players].tolist() == [second.worth_of(s) for s in range(made.players)]
    assert (moves[:, k.M_SHARE] == np.round(12 * np.array(second.shares()))[moves[:, k.M_SEAT]]).all()
    return reason


def replay_many(made: Rules, games: int, seed: int, log: Any) -> set[str]:
    played, found, done = session(made, seed=seed), set(), 0
    while done < games:
        rows, *logs = played._run(0, done, min(games - done, 4096), log)
        ends = [np.searchsorted(index, np.arange(len(rows) + 1)) for _, index in logs]
        for g, row in enumerate(rows):
            parts = [part[end[g]:end[g + 1]] for (part, _), end in zip(logs, ends, strict=True)]
            found.add(replay(made, seed, done + g, row, *parts))
        done += len(rows)
    return found


@pytest.mark.parametrize("made", TABLES, ids=IDS)
def test_logs_replay(made: Rules) -> None:
    found = replay_many(made, few(300, 4), 5, "turns")
    assert not few(1, 0) or "points" in found


@pytest.mark.parametrize("players", [4, 5, 6])
def test_logged_beliefs_are_those_of_brute_force(players: int) -> None:
    replay_many(rules(players), few(60, 2), 8, "full")
    replay_many(make_rules({**CUSTOM, "rules.players": players}), few(30, 2), 8, "full")


@pytest.mark.oracle
@needs_speed
@pytest.mark.parametrize("made", TABLES, ids=IDS)
def test_tens_of_thousands_of_logs_replay(made: Rules) -> None:
    assert "points" in replay_many(made, 8_000 if made.players > 7 else 20_000, 6, "turns")
