"""Exact facts of the rules page, and the policy ``random`` against its definition."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import numpy as np
import pytest

from agentsim.games.argh import kernel as k
from agentsim.games.argh import step
from agentsim.games.argh.decision import one_answer, one_choice, one_placing
from agentsim.games.argh.engine import BY_BOMB, BY_NOBODY, BY_REVEAL, END_REASONS, WHOLE_WIN
from agentsim.games.argh.rules import Rules
from agentsim.games.argh.view import PASS, STEAL
from tests.games_argh.helpers import PLAYERS, few, needs_speed, oracle_rules, rules, session, walk
from tests.oracle.argh import play_random

GAMES = few(60_000, 60)


def played(made: Rules, games: int = GAMES, seed: int = 2) -> np.ndarray[tuple[int, int], np.dtype[np.int16]]:
    """Game rows of the mirror of ``random``."""
    run = session(made, seed=seed)
    rows = [run._run(0, first, min(games - first, 1 << 15), "none")[0] for first in range(0, games, 1 << 15)]
    return np.concatenate(rows)


@pytest.mark.parametrize("promos", [False, True])
@pytest.mark.parametrize("players", PLAYERS)
def test_nobody_wins_only_with_fewer_than_four(players: int, promos: bool) -> None:
    rows = played(rules(players, promos=promos))
    nobody = int((rows[:, k.G_REASON] == BY_NOBODY).sum())
    assert nobody == 0 if players == 4 else nobody > 0
    shares = rows[:, k.G_SHARE:k.G_SHARE + players]
    assert (shares.sum(axis=1) == np.where(rows[:, k.G_REASON] == BY_NOBODY, 0, WHOLE_WIN)).all()


@needs_speed
@pytest.mark.parametrize("players", PLAYERS)
def test_shortest_games(players: int) -> None:
    rows = played(rules(players))
    bomb = rows[:, k.G_REASON] == BY_BOMB
    assert rows[bomb, k.G_TURNS].min() == 2
    pile = 8 - rules(players).aside
    assert rows[~bomb, k.G_TURNS].min() >= pile + players - 1


@needs_speed
@pytest.mark.parametrize("players", PLAYERS)
def test_bombs_in_the_second_turn(players: int) -> None:
    games = 400_000
    rows = played(rules(players), games)
    expected = (3 * players - 4) / (4 * players**2) / 96
    found = float(np.mean((rows[:, k.G_REASON] == BY_BOMB) & (rows[:, k.G_TURNS] == 2)))
    assert abs(found - expected) < 4 * math.sqrt(expected / games)


@needs_speed
def test_passes_come_with_four_players_only() -> None:
    for players in PLAYERS:
        run = session(rules(players), seed=4)
        batch = run.play(0, 0, 60_000, "turns")
        passes = batch.tables["turns"]["action"] == k.A_PASS
        assert passes.sum() == 0 if players < 4 else passes.sum() > 0
        if players == 4:
            # A pass is the fourth seat counted from the one that emptied a pile: the last turn of the game.
            last = np.r_[np.diff(batch.tables["turns"]["game_id"]) != 0, True]
            assert last[passes].all()


def test_a_pass_among_four_is_the_only_legal_action() -> None:
    """Four players who only ever keep or refuse can empty three piles in a row; steals left open are taken first."""
    found = 0
    for deal in range(few(300, 30)):
        for game in walk(rules(4), 9, deal, {step.Keep: 0.01, step.Steal: 50.0}):
            if step.Pass() in game.legal_actions():
                assert game.legal_actions() == [step.Pass()]
                assert game.last_round == 1
                found += 1
    assert found or few(1, 0) == 0


@pytest.mark.parametrize("players", PLAYERS)
def test_every_card_is_somewhere_once(players: int) -> None:
    made = rules(players, promos=True)
    for deal in range(few(30, 2)):
        orders = step.pile_orders(8, deal, made)
        assert sorted(name for cards in orders.values() for name in cards) == sorted(made.names)
        for game in walk(made, 8, deal):
            lying = Counter(name for seat in range(players) for name in (*game.face_up(seat), *game.held(seat)))
            assert max(lying.values(), default=1) == 1
            drawn = any(isinstance(action, step.Keep | step.Answer) for action in game.legal_actions())
            on_piles = sum(game.pile_left(pile) for pile in orders)
            assert sum(lying.values()) + drawn + on_piles + 3 * made.aside == len(made.names)


@needs_speed
def test_random_chooses_uniformly_among_its_entries() -> None:
    """In positions with piles and face-down cards every entry comes as often as any other."""
    made = rules(3)
    rows, scratch, work = np.zeros((1, 8)), np.zeros(64, dtype=np.int64), np.zeros(64)
    keys = np.random.default_rng(3).integers(0, 2**64, 30_000, dtype=np.uint64)
    seen_steals = 0
    for deal in range(6):
        course = [game for game in walk(made, 21, deal, {step.Keep: 6.0, step.Steal: 0.1}) if not game.is_over]
        for game in course[len(course) // 2:len(course) // 2 + 4]:
            legal, state, table, seat = game.legal_actions(), game.state, game.table, game.to_move
            if isinstance(legal[0], step.Draw | step.Steal):
                got = Counter(int(one_choice(0, state, table, seat, rows, 0, scratch, work, key)) for key in keys)
                expected = {game.number(a.pile, a.number) + STEAL if isinstance(a, step.Steal) else
                            step.LOCATIONS.index(a.pile) for a in legal if isinstance(a, step.Draw | step.Steal)}
                seen_steals += sum(isinstance(a, step.Steal) for a in legal)
            elif isinstance(legal[0], step.Keep):
                got = Counter(int(one_placing(0, state, table, seat, rows, 0, scratch, work, key)) for key in keys)
                expected = {0, 1, 2}
            else:
                got = Counter(int(one_answer(0, state, table, seat, rows, 0, scratch, work, key)) for key in keys)
                expected = {0, 1}
            assert set(got) == expected
            assert PASS not in got
            mean = len(keys) / len(got)
            chi2 = sum((n - mean) ** 2 / mean for n in got.values())
            free = len(got) - 1
            assert chi2 < free + 5 * math.sqrt(2 * free) + 5
    assert seen_steals


@needs_speed
@pytest.mark.parametrize("players", PLAYERS)
def test_random_plays_as_the_second_engine_does(players: int) -> None:
    """Ends, turns and win shares of independently drawn games of both engines agree within their sampling error."""
    made, rng, games = rules(players, promos=True), Random(players), 1500
    second = [play_random(rng, oracle_rules(made)) for _ in range(games)]
    rows = played(made, 60_000)
    for number, reason in enumerate(END_REASONS):
        p = float(np.mean(rows[:, k.G_REASON] == number))
        found = sum(game.ending is not None and game.ending.reason == reason for game in second)
        assert abs(found - games * p) < 4.5 * math.sqrt(games * p * (1 - p)) + 2
    turns = rows[:, k.G_TURNS]
    assert abs(np.mean([game.turn + 1 for game in second]) - turns.mean()) < 4.5 * turns.std() / math.sqrt(games)
    shares = rows[:, k.G_SHARE:k.G_SHARE + players].mean(axis=0) / WHOLE_WIN
    assert np.abs(np.mean([game.shares() for game in second], axis=0) - shares).max() < 4.5 * 0.5 / math.sqrt(games)


@needs_speed
def test_end_reasons_and_reveals() -> None:
    """All ways to end come up, bomb wins have one winner, and hidden bombs win at the reveal only."""
    for players in PLAYERS:
        rows = played(rules(players), 300_000, seed=12)
        reasons = np.bincount(rows[:, k.G_REASON], minlength=6)
        assert (reasons[:4] > 0).all()
        one = np.isin(rows[:, k.G_REASON], (BY_BOMB, BY_REVEAL))
        assert (rows[one, k.G_SHARE:k.G_SHARE + players].max(axis=1) == WHOLE_WIN).all()
