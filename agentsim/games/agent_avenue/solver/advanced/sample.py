"""Positions of simulated games with how they ended: what weights are fitted to.

A game begins with a number of turns, 0 to EXPLORED - 1 by chance, in which each answer is random with chance EXPLORE:
so positions come up to which good play does not lead. Positions are taken from the turns after them, which are played
by the policies alone: when an offer is due, before discards, and when a landing is to be resolved.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.engine import ACTIVE, TURN, WINNER, deck_left
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.kernel import stream_of
from agentsim.games.agent_avenue.modes.policies.chance import random_discards_answer
from agentsim.games.agent_avenue.modes.policies.dispatch import decide
from agentsim.games.agent_avenue.modes.turn import answer, start
from agentsim.games.agent_avenue.modes.view import look
from agentsim.games.agent_avenue.rules import DISCARDS
from agentsim.games.agent_avenue.solver.advanced.features import board_features, still_features
from agentsim.jit import jit
from agentsim.rng import below, combine, deal_key, seat_key, unit, word

__all__ = ["EXPLORE", "EXPLORED", "MOST_POSITIONS", "note_position", "sample_games"]

EXPLORED, EXPLORE = 6, 0.3
MOST_POSITIONS = 80
"""Positions of a game; no game has had half as many."""


@jit
def note_position(state, table, facts, row, work):
    """Write a position as the side in front sees it; returns that side."""
    front = 1 - state[ACTIVE]
    if state[x.DECISION] == x.ASK_PLAY:
        front = state[ACTIVE]
    behind = 1 - front
    owing = state[x.DECISION] == x.ASK_MARKET
    # The landing that is asked about is not among those owed any more.
    state[x.OWED + state[x.ASKED]] += owing
    last = board_features(state, table, facts, front, -1, work, np.int64(0))
    state[x.OWED + state[x.ASKED]] -= owing
    last = still_features(table, facts, table[DISCARDS] - state[x.SPENT + 2 * front],
                          table[DISCARDS] - state[x.SPENT + 2 * behind], deck_left(state, table), True,
                          state[x.HANDS + 2 * front], work, last)
    for at in range(last):
        row[at] = work[at]
    for at in range(last, row.shape[0]):
        row[at] = -1
    return front


@jit
def sample_games(seed, first_game, n_games, table, families, rows, minds, facts, positions, scores, games, sides, state,
                 features, scratch, work):
    """Play games ``first_game ..`` of a seed, two of each deal with the sides swapped, and keep their positions.

    positions : int16 (m, features.MOST), the features that hold, then -1; the hand of the side in front is told
    scores : float32 (m,), what the side in front made of the game: 1, 0.5 or 0
    games : int64 (m,), the game of each position; sides : int8 (m,), which side is in front
    features : int64 (features.MOST,), work space; the others as in ``modes.kernel.play_modes``

    ``facts``: the address of the facts (``weights.facts_of``). Returns ``(games played, positions)``: fewer games than
    asked for if the buffers are nearly full.
    """
    n = 0
    for index in range(n_games):
        if positions.shape[0] - n < MOST_POSITIONS:
            return index, n
        game = first_game + index
        swap = game & 1
        start(state, table, deal_key(seed, game // 2), -1)
        key_0, key_1 = seat_key(seed, 0, game, 0), seat_key(seed, 0, game, 1)
        explored, first, noted = below(combine(key_0, 77), EXPLORED), n, -1
        while state[x.DECISION] >= 0:
            side = state[x.ASKED] & 1
            key = stream_of(key_0 if side == 0 else key_1, state)
            exploring = state[TURN] < explored
            at_offer = state[x.DECISION] == x.ASK_PLAY and state[TURN] != noted
            if not exploring and (at_offer or state[x.DECISION] == x.ASK_MARKET) and n - first < MOST_POSITIONS:
                if at_offer:
                    noted = state[TURN]
                games[n] = game
                sides[n] = note_position(state, table, facts, positions[n], features)
                n += 1
            if exploring and unit(word(combine(key, 7), 0)) < EXPLORE:
                option = random_discards_answer(look(state, table), table, key)
            else:
                policy = (side ^ swap) & 1
                option = decide(families[policy], minds, None, look(state, table), table, rows, policy, scratch, work,
                                key)
            answer(state, table, option)
        for at in range(first, n):
            won = 1.0 if sides[at] == state[WINNER] else 0.0
            scores[at] = 0.5 if state[WINNER] < 0 else won
    return n_games, n
