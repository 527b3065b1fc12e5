"""Whole games: the engine and the second engine, step by step and from the kernel's logs."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from agentsim.games.argh import kernel as k
from agentsim.games.argh import step
from agentsim.games.argh.cards import LOCATIONS
from agentsim.games.argh.engine import END_REASONS
from agentsim.games.argh.rules import Rules, make_rules
from agentsim.games.argh.table import START, compile_rules
from tests.games_argh.helpers import (
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
from tests.oracle.argh import OracleGame, best_outcome

TABLES = [rules(players, promos=promos) for players in PLAYERS for promos in (False, True)] + [make_rules(CUSTOM)]
IDS = [f"{made.players} players{', promos' * made.promos}" for made in TABLES[:-1]] + ["changed rules"]

# Ways to choose among legal actions, so that rare courses are met: all alike; no bombs by offers; nothing but theft.
TEMPERS: list[dict[type, float]] = [
    {},
    {step.Keep: 20.0, step.Steal: 0.02},
    {step.Steal: 10.0, step.Keep: 5.0},
    {step.OfferTo: 10.0, step.Steal: 0.1},
]


def assert_same(game: step.GameState, second: OracleGame) -> None:
    assert set(game.legal_actions()) == oracle_actions(second)
    assert len(game.legal_actions()) == len(set(game.legal_actions()))
    assert game.active == second.active
    assert game.turn == second.turn
    assert game.last_round == second.turns_left
    assert {pile: game.pile_left(pile) for pile in LOCATIONS} == {pile: len(second.piles[pile]) for pile in LOCATIONS}
    for seat, player in enumerate(second.players):
        assert set(game.face_up(seat)) == set(player.face_up)
        assert set(game.held(seat)) == {card.name for card in player.face_down}
        assert {(card.pile, card.number) for card in game.face_down(seat)} == {
            (card.pile, card.number) for card in player.face_down}
        assert set(game.observe(seat).seen_aside) == set(player.seen_aside)
    assert game.is_over is (second.ending is not None)
    if second.ending is not None:
        assert game.end_reason == second.ending.reason
        assert game.winners == tuple(sorted(second.ending.winners))
        assert game.shares == pytest.approx(second.shares())


@pytest.mark.parametrize("temper", range(len(TEMPERS)))
@pytest.mark.parametrize("made", TABLES, ids=IDS)
def test_step_by_step(made: Rules, temper: int) -> None:
    for deal in range(few(25, 2)):
        rng = Random(deal)
        game, second = step.new_game(3, made, deal=deal), oracle_game(made, 3, deal)
        assert_same(game, second)
        while not game.is_over:
            legal = game.legal_actions()
            (action,) = rng.choices(legal, [TEMPERS[temper].get(type(action), 1.0) for action in legal])
            game = game.apply(action)
            tell_oracle(second, action)
            assert_same(game, second)


# ---- the kernel's logs -------------------------------------------------------------------------------------------


def replay(made: Rules, table: np.ndarray[Any, Any], seed: int, deal: int, turns: np.ndarray[Any, Any],
           row: np.ndarray[Any, Any]) -> str:
    """Play a logged game again in the second engine; returns how it ended."""
    second = oracle_game(made, seed, deal)
    for number, turn in enumerate(turns.tolist()):
        assert second.ending is None
        assert (second.turn, second.active) == (turn[k.T_TURN], turn[k.T_SEAT]) == (number, number % made.players)
        action, place, card = turn[k.T_ACTION], turn[k.T_PLACE], turn[k.T_CARD]
        pile = LOCATIONS[turn[k.T_PILE]] if action != k.A_PASS else ""
        if action == k.A_PASS:
            assert card == place == turn[k.T_PILE] == -1
            second.pass_turn()
        elif action == k.A_STEAL:
            name = second.steal(turn[k.T_OTHER], pile, place - int(table[START + LOCATIONS.index(pile)]))
            assert name == made.names[card]
        else:
            assert second.draw(pile) == made.names[card]
            if action == k.A_KEEP:
                second.keep()
            else:
                second.offer(turn[k.T_OTHER])
                second.answer(bool(turn[k.T_ACCEPTED]))
        if turn[k.T_PEEKED] >= 0:
            name = made.names[turn[k.T_PEEKED]]
            (where,) = [(pile, cards.index(name)) for pile, cards in second.aside.items() if name in cards]
            assert second.peek(*where) == name
        assert (turn[k.T_OTHER] >= 0) is (action in (k.A_OFFER, k.A_STEAL))
        assert (turn[k.T_ACCEPTED] >= 0) is (action == k.A_OFFER)
    assert second.ending is not None
    assert row[k.G_TURNS] == len(turns)
    assert END_REASONS[row[k.G_REASON]] == second.ending.reason
    shares = np.round(12 * np.array(second.shares())).astype(int)
    assert (row[k.G_SHARE:k.G_SHARE + made.players] == shares).all()
    assert (turns[:, k.T_SHARE] == shares[turns[:, k.T_SEAT]]).all()
    other = turns[:, k.T_OTHER]
    assert (turns[:, k.T_OTHER_SHARE] == np.where(other >= 0, shares[other], -1)).all()
    for seat, player in enumerate(second.players):
        outcome = best_outcome(player.cards(), second.rules)
        assert (row[k.G_EVEN + seat], row[k.G_POINTS + seat]) == (outcome.even_spies, outcome.total)
    return second.ending.reason


def replay_many(made: Rules, games: int, seed: int) -> set[str]:
    table, played = compile_rules(made), session(made, seed=seed)
    found: set[str] = set()
    done = 0
    while done < games:
        rows, turns, turn_game = played._run(0, done, min(games - done, 4096), "turns")
        ends = np.searchsorted(turn_game, np.arange(len(rows) + 1))
        for index, row in enumerate(rows):
            found.add(replay(made, table, seed, done + index, turns[ends[index]:ends[index + 1]], row))
        done += len(rows)
    return found


@pytest.mark.parametrize("made", TABLES, ids=IDS)
def test_logs_replay(made: Rules) -> None:
    found = replay_many(made, few(400, 4), 5)
    assert not few(1, 0) or {"points", "bomb" if made.bombs_to_win == 2 else "points"} <= found


@pytest.mark.oracle
@needs_speed
@pytest.mark.parametrize("made", TABLES, ids=IDS)
def test_hundreds_of_thousands_of_logs_replay(made: Rules) -> None:
    assert {"points", "high_card"} <= replay_many(made, 40_000, 6)
