"""The batch kernel: whole games, one after another, at the speed of compiled code.

``play_games`` plays consecutive games of one matchup and writes one row per game and, when asked, rows of moves,
statements and beliefs. Which policy decides is an integer family with a row of parameters.

*Rotation.* The games of one deal seat the policies and the roles in all turned ways: game ``b`` of a block has policy
rotation ``r = b % seatings`` and role rotation ``b // seatings``. Seat ``s`` is played by policy
``(s + r) % players``; roles move on by the role rotation from where they were dealt. What the talk brings (true
answers, who can verify what) stays with the seats.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.shady_agents.belief import CHANCE, posterior
from agentsim.games.shady_agents.engine import (
    ACTIVE,
    CALL,
    CALL_FREE,
    CALLED,
    CALLS,
    CHOOSING,
    CONTRADICTIONS,
    FOUND_TRUE,
    GIVE,
    KEYS,
    KNOWN,
    MEDKITS,
    OVER,
    PHASE,
    POINTS,
    REASON,
    RESETS,
    ROLES,
    ROW,
    SAID,
    SCORE,
    SMALLER,
    THROWN,
    TO,
    TOOL,
    TRUTH,
    TURN,
    WINNER,
    WRONG,
    answer,
    friends_of,
    side_of,
    start,
)
from agentsim.games.shady_agents.policies.dispatch import FAMILY_RANDOM, FAMILY_SLEUTH, decide
from agentsim.games.shady_agents.rules import MAX_PLAYERS
from agentsim.games.shady_agents.table import CALLER_ANSWERS, PLAYERS
from agentsim.games.shady_agents.view import observe
from agentsim.jit import jit
from agentsim.rng import deal_key, decision_key, seat_key

__all__ = ["ACTIONS", "BELIEF_WIDTH", "FULL", "GAME_WIDTH", "GRAIN", "MOMENTS", "MOVES", "MOVE_WIDTH", "NOTHING",
           "STATEMENT_WIDTH", "play_games", "write_beliefs"]

# Columns of a game row; points and medkits by side, wrong and thrown by tool, the score by seat.
G_REASON, G_WINNER, G_SMALLER, G_POINTS, G_MEDKITS, G_CALLS, G_FIRST_CALLED = 0, 1, 2, 3, 5, 7, 8
G_CONTRADICTIONS, G_ROLES, G_WRONG, G_THROWN, G_SCORE = 9, 10, 11, 13, 15
GAME_WIDTH = G_SCORE + MAX_PLAYERS

# Columns of a move row; -1 where it does not apply.
M_TURN, M_SEAT, M_ACTION, M_TOOL, M_OTHER, M_SIDE, M_FRIENDLY, M_BELIEF, M_SHARE = range(9)
MOVE_WIDTH = 9
ACTIONS = ("give", "call")
A_GIVE, A_CALL = range(2)

# Columns of a statement row; the last two are sets of listeners.
S_TURN, S_QUESTION, S_CALLER, S_SPEAKER, S_SIDE, S_YES, S_TRUTH, S_VERIFIED, S_MISREAD = range(9)
STATEMENT_WIDTH = 9

# Columns of a belief row.
B_MOMENT, B_SEAT, B_OTHER, B_CHANCE, B_FRIEND, B_RESETS = range(6)
BELIEF_WIDTH = 6
MOMENTS = ("round_1", "end")
GRAIN = 10_000
"""Beliefs are logged in parts of this many."""

NOTHING, MOVES, FULL = range(3)
"""What to write besides game rows: nothing, moves and statements, or beliefs as well."""
KIND_CHOOSE = 0
"""Kinds of decision in a turn, for the address of its random words: the first round's, then ``1 + tool``."""
WHOLE_WIN = 12
"""Win shares are in twelfths: 12 for every member of the winning side, 6 for everybody in a draw."""


@jit
def _believed(state, odds, table, me, other, view, sense):
    """How sure a seat is that another is its friend, in ``GRAIN`` parts."""
    players = table[PLAYERS]
    observe(state, odds, table, me, view, sense)
    posterior(sense, players - 1, friends_of(state, table, me))
    step = other - me
    return np.int64(GRAIN * sense[CHANCE + (step if step >= 0 else step + players)] + 0.5)


@jit
def write_beliefs(state, odds, table, moment, index, beliefs, belief_game, written, view, sense):
    """Rows of what everybody believes of everybody else; returns how many rows there are now."""
    for me in range(table[PLAYERS]):
        for other in range(table[PLAYERS]):
            if other == me:
                continue
            belief_game[written] = index
            beliefs[written, B_MOMENT] = moment
            beliefs[written, B_SEAT] = me
            beliefs[written, B_OTHER] = other
            beliefs[written, B_CHANCE] = _believed(state, odds, table, me, other, view, sense)
            beliefs[written, B_FRIEND] = 1 - (side_of(state, me) ^ side_of(state, other))
            beliefs[written, B_RESETS] = state[RESETS + me]
            written += 1
    return written


@jit
def _write_statements(state, table, turn, caller, index, statements, statement_game, written):
    """Rows of the interrogation just held; returns how many rows there are now."""
    players, question = table[PLAYERS], state[CALLS] - 1
    for step in range(1, players + (1 if table[CALLER_ANSWERS] != 0 else 0)):
        speaker = (caller + step) % players
        yes, truth = state[SAID + question] >> speaker & 1, state[TRUTH + question] >> speaker & 1
        verified, misread = np.int64(0), np.int64(0)
        for listener in range(players):
            at = MAX_PLAYERS * listener + question
            if state[KNOWN + at] >> speaker & 1 != 0:
                verified |= np.int64(1) << listener
                if (state[FOUND_TRUE + at] >> speaker & 1 != 0) != (yes == truth):
                    misread |= np.int64(1) << listener
        statement_game[written] = index
        statements[written, S_TURN] = turn
        statements[written, S_QUESTION] = question
        statements[written, S_CALLER] = caller
        statements[written, S_SPEAKER] = speaker
        statements[written, S_SIDE] = side_of(state, speaker)
        statements[written, S_YES] = yes
        statements[written, S_TRUTH] = truth
        statements[written, S_VERIFIED] = verified
        statements[written, S_MISREAD] = misread
        written += 1
    return written


@jit(inline="always")
def _write_game(state, table, row):
    """The row of a finished game."""
    row[G_REASON], row[G_WINNER], row[G_SMALLER] = state[REASON], state[WINNER], state[SMALLER]
    for part in range(2):
        row[G_POINTS + part], row[G_MEDKITS + part] = state[POINTS + part], state[MEDKITS + part]
        row[G_WRONG + part], row[G_THROWN + part] = state[WRONG + part], state[THROWN + part]
    row[G_CALLS], row[G_FIRST_CALLED] = state[CALLS], np.int64(state[TO] == CALLED)
    row[G_CONTRADICTIONS], row[G_ROLES] = state[CONTRADICTIONS], state[ROLES]
    for seat in range(MAX_PLAYERS):
        row[G_SCORE + seat] = state[SCORE + seat]


@jit
def play_games(seed, matchup, first_game, n_games, seatings, table, families, rows, log, games, moves, move_game,
               statements, statement_game, beliefs, belief_game, state, odds, view, sense):
    """Play games ``first_game ..`` of a matchup until ``n_games`` are played or a buffer might overflow.

    Parameters
    ----------
    seed : uint64; matchup : int64, the number of the matchup in its run
    seatings : in how many rotations of the policies each deal is played; each of them in ``players`` role rotations
    families, rows : per policy of the matchup its family and parameter row
    log : ``NOTHING``, ``MOVES`` or ``FULL``
    games : int16 (n, GAME_WIDTH)
    moves, statements, beliefs : int16 (m, ..._WIDTH); move_game, ... : int64 (m,), index of the row's game
    state, odds, view, sense : work space of STATE_SIZE int64, 100 float64, VIEW_SIZE int64, SENSE_SIZE float64

    Returns ``(games played, move rows, statement rows, belief rows)``.
    """
    players = table[PLAYERS]
    per_deal = seatings * players
    n_moves, n_statements, n_beliefs = 0, 0, 0
    for index in range(n_games):
        if log != NOTHING and (moves.shape[0] - n_moves < 2 * players + 1
                               or statements.shape[0] - n_statements < players * players
                               or (log == FULL and beliefs.shape[0] - n_beliefs < 2 * players * players)):
            return index, n_moves, n_statements, n_beliefs
        game = first_game + index
        deal = game // per_deal
        block = game - deal * per_deal
        turned = block // seatings
        rotation = block - turned * seatings
        listeners, believers = np.int64(0), np.int64(0)
        for seat in range(players):
            policy = seat + rotation
            policy -= players if policy >= players else 0
            if log != NOTHING or families[policy] != FAMILY_RANDOM:
                listeners |= np.int64(1) << seat
            if families[policy] == FAMILY_SLEUTH:
                believers |= np.int64(1) << seat
        start(state, odds, table, deal_key(seed, deal), turned, listeners, believers)
        for seat in range(players):
            policy = seat + rotation
            state[ROW + seat] = policy - players if policy >= players else policy
            state[KEYS + seat] = np.int64(seat_key(seed, matchup, game, seat))
        first_move = n_moves
        while state[PHASE] != OVER:
            me, turn = state[ACTIVE], state[TURN]
            choosing = state[PHASE] == CHOOSING
            policy = state[ROW + me]
            key = decision_key(np.uint64(state[KEYS + me]), turn, KIND_CHOOSE if choosing else 1 + state[TOOL])
            code = decide(families[policy], state, odds, table, me, rows, policy, view, sense, key)
            if log != NOTHING:
                move_game[n_moves] = index
                moves[n_moves, M_TURN] = turn
                moves[n_moves, M_SEAT] = me
                moves[n_moves, M_SIDE] = side_of(state, me)
                if code >= CALL:
                    moves[n_moves, M_ACTION] = A_CALL
                    moves[n_moves, M_TOOL] = -1 if code == CALL_FREE else code - CALL
                    moves[n_moves, M_OTHER] = moves[n_moves, M_FRIENDLY] = moves[n_moves, M_BELIEF] = -1
                else:
                    other = code % GIVE
                    moves[n_moves, M_ACTION] = A_GIVE
                    moves[n_moves, M_TOOL] = code // GIVE
                    moves[n_moves, M_OTHER] = other
                    moves[n_moves, M_FRIENDLY] = 1 - (side_of(state, me) ^ side_of(state, other))
                    moves[n_moves, M_BELIEF] = -1
                    if log == FULL:
                        moves[n_moves, M_BELIEF] = (GRAIN if other == me else
                                                    _believed(state, odds, table, me, other, view, sense))
                n_moves += 1
            answer(state, odds, table, rows, code)
            if log != NOTHING and code >= CALL:
                n_statements = _write_statements(state, table, turn, me, index, statements, statement_game,
                                                 n_statements)
            if log == FULL and ((choosing and state[PHASE] != CHOOSING) or state[PHASE] == OVER):
                n_beliefs = write_beliefs(state, odds, table, 1 if state[PHASE] == OVER else 0, index, beliefs,
                                           belief_game, n_beliefs, view, sense)
        _write_game(state, table, games[index])
        for row in range(first_move, n_moves):
            moves[row, M_SHARE] = (WHOLE_WIN // 2 if state[WINNER] < 0 else
                                   WHOLE_WIN if state[WINNER] == moves[row, M_SIDE] else 0)
    return n_games, n_moves, n_statements, n_beliefs
