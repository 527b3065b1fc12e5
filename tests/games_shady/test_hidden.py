"""Views hold nothing that a seat may not know: what is hidden is exchanged, and nothing that is seen changes."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from agentsim.games.shady_agents import engine as e
from agentsim.games.shady_agents import step
from agentsim.games.shady_agents.belief import SENSE_SIZE
from agentsim.games.shady_agents.catalog import CATALOG
from agentsim.games.shady_agents.decision import one_decision
from agentsim.games.shady_agents.policies.dispatch import FAMILIES
from agentsim.games.shady_agents.policies.parameters import policy_row
from agentsim.games.shady_agents.rules import MAX_PLAYERS
from agentsim.games.shady_agents.view import VIEW_SIZE
from tests.games_shady.helpers import PLAYERS, few, rules, walk


def exchanged(game: step.GameState, seat: int, rng: Random) -> step.GameState:
    """The same position for ``seat``: others' roles, tools, knowledge and beliefs are different ones."""
    n, state, odds = game.players, game.state.copy(), game.odds.copy()
    others = [other for other in range(n) if other != seat]
    # Roles: as many of each side; what everybody said stays, so the truth behind it moves with the role.
    roles = [int(state[e.ROLES]) >> other & 1 for other in others]
    rng.shuffle(roles)
    new = (int(state[e.ROLES]) & 1 << seat) | sum(role << other for role, other in zip(roles, others, strict=True))
    state[e.TRUTH:e.TRUTH + MAX_PLAYERS] ^= int(state[e.ROLES]) ^ new
    state[e.ROLES] = new
    for other in others:
        # Tools that the seat has not seen may be of the other kind.
        bullet, medkit = state[e.GIVEN + 2 * other], state[e.GIVEN + 2 * other + 1]
        asked = state[e.ACTIVE] == other and state[e.PHASE] == e.PLACING
        if seat not in (bullet, medkit) and not asked and rng.random() < 0.5:
            state[e.GIVEN + 2 * other], state[e.GIVEN + 2 * other + 1] = medkit, bullet
            state[e.LEFT + other] = (0, 2, 1, 3)[state[e.LEFT + other]]
        # What others could verify, and what they make of it.
        for question in range(MAX_PLAYERS):
            for base in (e.KNOWN, e.FOUND_TRUE):
                state[base + MAX_PLAYERS * other + question] = rng.getrandbits(n)
            state[e.VERDICTS + MAX_PLAYERS * other + question] = rng.randint(-3, 3)
            odds[MAX_PLAYERS * other + question] = rng.gauss(0, 1)
        state[e.RESETS + other] += 1
    # The deal's stream decides about questions to come.
    state[e.DEAL] = rng.getrandbits(62)
    return step.GameState(game.rules, game.table, game.rows, state, odds)


@pytest.mark.parametrize("players", PLAYERS)
def test_nothing_depends_on_what_is_hidden(players: int) -> None:
    made, rng, changed = rules(players), Random(players), 0
    policies = [(FAMILIES[ref.family], policy_row(ref.family, ref.params, made)[np.newaxis])
                for ref in CATALOG.presets.values()]
    for deal in range(few(12, 1)):
        for game in walk(made, 31, deal, {step.Call: 4.0})[:-1]:
            for seat in range(players):
                other = exchanged(game, seat, rng)
                changed += other.roles != game.roles
                assert game.observe(seat) == other.observe(seat)
                if seat == game.to_move:
                    key, views = np.uint64(rng.getrandbits(64)), []
                    for position in (game, other):
                        view, sense = np.full(VIEW_SIZE, -7, dtype=np.int64), np.full(SENSE_SIZE, np.nan)
                        found = [int(one_decision(family, position.state, position.odds, position.table, seat, rows, 0,
                                                  view, sense, key)) for family, rows in policies]
                        views.append((found, view.tolist()))
                    assert views[0] == views[1]
    assert changed


def test_what_is_exchanged_matters_to_others() -> None:
    game = walk(rules(6), 3, 2, {step.Call: 6.0})[6]
    other = exchanged(game, 2, Random(1))
    assert any(game.observe(seat) != other.observe(seat) for seat in range(6) if seat != 2)


def test_only_the_receiver_sees_a_tool() -> None:
    game = step.new_game(2, rules(5))
    after = {tool: game.apply(step.Give(tool, 3)) for tool in ("bullet", "medkit")}
    for seat in (1, 2, 4):
        assert after["bullet"].observe(seat) == after["medkit"].observe(seat)
    assert after["bullet"].observe(3).received == ((0, "bullet"),)
    assert after["bullet"].observe(0).tools == ("medkit",)
    assert after["bullet"].observe(1).lying == (0, 0, 0, 1, 0)
    assert after["bullet"].observe(1).gave[0] == (3, None)


def test_nobody_sees_what_is_thrown_away() -> None:
    game = step.new_game(2, rules(5)).apply(step.Give("medkit", 1))
    after = {tool: game.apply(step.Call(tool)) for tool in ("bullet", "medkit")}
    for seat in (0, 2, 3, 4):
        assert after["bullet"].observe(seat) == after["medkit"].observe(seat)
    assert after["bullet"].observe(1).tools == ("medkit",)
    assert after["bullet"].observe(4).callers == (1,)
