"""The batch kernel: whole games, one after another, at the speed of compiled code.

``play_games`` plays consecutive games of one matchup, counts them and, when asked, writes a row per game and per turn.
Which policy decides is an integer family; families from ``FAMILY_USER`` on call the user's own jitted functions.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.engine import (
    ACTIVE,
    HAND,
    LEAD,
    MOVED,
    OVER,
    PHASE,
    PLAY,
    REASON,
    RECRUITED,
    STEP,
    TIE,
    TURN,
    USED,
    WINNER,
    deal,
    discard,
    end_step,
    may_discard,
    may_offer,
    offer,
    take,
)
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_USER, decide_offer, decide_take
from agentsim.games.agent_avenue.policies.exchange import AHEAD, START, look_ahead, look_ahead_all
from agentsim.games.agent_avenue.rules import N_CARDS, N_NAMES
from agentsim.games.agent_avenue.tally import count_game
from agentsim.games.agent_avenue.view import DISCARD, observe
from agentsim.games.agent_avenue.zones import count
from agentsim.jit import jit
from agentsim.rng import deal_key, decision_key, seat_key

__all__ = ["GAME_WIDTH", "G_DISCARDS", "G_FINAL", "G_LEAD", "G_REASON", "G_TIE", "G_TURNS", "G_WINNER", "KIND_TAKE",
           "LOG_GAMES", "LOG_NOTHING", "LOG_TURNS", "TURN_WIDTH", "play_games"]

LOG_NOTHING, LOG_GAMES, LOG_TURNS = range(3)
"""Which rows ``play_games`` writes."""

# Columns of a game row; then 2 zones (words) are spread by the caller from `finals`.
G_WINNER, G_REASON, G_TIE, G_TURNS, G_LEAD, G_DISCARDS, G_ACTIVE = 0, 1, 2, 3, 4, 5, 7
GAME_WIDTH = 8
G_FINAL = 2  # zones per game in `finals`

# Columns of a turn row
(T_TURN, T_ACTIVE, T_DISCARDS, T_UP, T_DOWN, T_TOOK_UP, T_REC_ACTIVE, T_REC_OTHER, T_MOVE_ACTIVE, T_MOVE_OTHER, T_LEAD,
 T_WON) = range(12)
T_DISCARDED = 12  # up to 15 discarded names, -1 after the last
TURN_WIDTH = 12 + 15

KIND_TAKE = 32
"""Kinds of decision in a turn: 0 .. 15 the offerer's steps (after that many discards), 32 the receiver's choice."""


@jit
def play_games(seed, matchup, first_game, n_games, games_per_deal, table, families, rows, offers, takes, log, counts,
               games, finals, turns, turn_game, turn_hand, state, scratch, work):
    """Play games ``first_game ..`` of a matchup until ``n_games`` are played or the turn buffer might overflow.

    Parameters
    ----------
    seed : uint64; matchup : int64, the number of the matchup in its run
    games_per_deal : 1 (mirror) or 2 (odd games swap the policies' seats, the hands stay)
    families, rows : per policy of the matchup its family and parameter row
    offers, takes : per policy the user's functions; None if both policies are built in, which saves half a millisecond
        per call that numba takes to make functions ready
    log : LOG_NOTHING, LOG_GAMES or LOG_TURNS
    counts : int64 (COUNTS_SIZE,), to which the games are added; right only for whole deals
    games : int16 (n, GAME_WIDTH); finals : int64 (n, 2) final play areas; both only with LOG_GAMES or LOG_TURNS
    turns : int16 (m, TURN_WIDTH); turn_game : int64 (m,) index of the row's game within this call
    turn_hand : int64 (m,) the active player's hand after discards, before the offer
    state, scratch, work : work space of STATE_SIZE and SCRATCH_SIZE int64, and planner.work_space()

    Returns ``(games played, turn rows written, policy)``; ``policy`` is -1, or which policy of the matchup made an
    illegal move in the game after the last one played. A turn buffer that is nearly full ends the call between two
    deals.
    """
    written = 0
    room = games_per_deal * (table[N_CARDS] // 2 + 1)
    # The look-ahead of the first turn is the same in every game: 7 % of a game of `random`.
    deal(state, table, deal_key(seed, 0))
    look_ahead_all(scratch, table, state)
    for entry in range(2 * AHEAD):
        scratch[START + entry] = scratch[entry]
    for index in range(n_games):
        game = first_game + index
        swap = game & 1 if games_per_deal == 2 else 0
        if log == LOG_TURNS and swap == 0 and turns.shape[0] - written < room:
            return index, written, -1
        deal(state, table, deal_key(seed, game >> (games_per_deal - 1)))
        for entry in range(2 * AHEAD):
            scratch[entry] = scratch[START + entry]
        key_0, key_1 = seat_key(seed, matchup, game, 0), seat_key(seed, matchup, game, 1)
        first_row = written
        while state[PHASE] != OVER:
            me = state[ACTIVE] & 1
            other = 1 - me
            key_me, key_other = (key_0, key_1) if me == 0 else (key_1, key_0)
            turn = state[TURN]

            policy = (me ^ swap) & 1
            action = np.int64(0)
            while True:
                action = decide_offer(families[policy], offers, observe(state, table, me), me, table, rows, policy,
                                      scratch, work, decision_key(key_me, turn, state[STEP]))
                if action < DISCARD:
                    break
                if families[policy] >= FAMILY_USER and not (
                        action < DISCARD + table[N_NAMES] and may_discard(state, table)
                        and count(state[HAND + me], action - DISCARD) > 0):
                    return index, first_row, policy
                if log == LOG_TURNS:
                    turns[written, T_DISCARDED + state[STEP]] = action - DISCARD
                discard(state, table, action - DISCARD)
            up, down = action >> 4, action & 15
            if families[policy] >= FAMILY_USER and not (
                    action >= 0 and up < table[N_NAMES] and down < table[N_NAMES]
                    and may_offer(state[HAND + me], up, down)):
                return index, first_row, policy
            if log == LOG_TURNS:
                turn_hand[written] = state[HAND + me]
            offer(state, table, up, down)

            policy = (other ^ swap) & 1
            took_up = decide_take(families[policy], takes, observe(state, table, other), other, table, rows, policy,
                                  scratch, work, decision_key(key_other, turn, KIND_TAKE))
            if families[policy] >= FAMILY_USER and took_up not in (0, 1):
                return index, first_row, policy
            take(state, table, took_up != 0)
            step = state[STEP]
            end_step(state, table)
            look_ahead(scratch, table, me, state[PLAY + me], state[RECRUITED])
            look_ahead(scratch, table, other, state[PLAY + other], state[RECRUITED + 1])

            if log == LOG_TURNS:
                turn_game[written] = index
                turns[written, T_TURN] = turn
                turns[written, T_ACTIVE] = me
                turns[written, T_DISCARDS] = step
                turns[written, T_UP] = up
                turns[written, T_DOWN] = down
                turns[written, T_TOOK_UP] = took_up != 0
                turns[written, T_REC_ACTIVE] = state[RECRUITED]
                turns[written, T_REC_OTHER] = state[RECRUITED + 1]
                turns[written, T_MOVE_ACTIVE] = state[MOVED]
                turns[written, T_MOVE_OTHER] = state[MOVED + 1]
                turns[written, T_LEAD] = state[LEAD]
                for slot in range(step, 15):
                    turns[written, T_DISCARDED + slot] = -1
                written += 1

        winner = state[WINNER]
        count_game(counts, swap, swap == games_per_deal - 1, winner, state[REASON], state[TIE], state[ACTIVE],
                   state[TURN] + 1, state[USED], state[USED + 1])
        if log == LOG_NOTHING:
            continue
        for row in range(first_row, written):
            turns[row, T_WON] = -1 if winner < 0 else turns[row, T_ACTIVE] == winner
        games[index, G_WINNER] = winner
        games[index, G_REASON] = state[REASON]
        games[index, G_TIE] = state[TIE]
        games[index, G_TURNS] = state[TURN] + 1
        games[index, G_LEAD] = state[LEAD]
        games[index, G_DISCARDS] = state[USED]
        games[index, G_DISCARDS + 1] = state[USED + 1]
        games[index, G_ACTIVE] = state[ACTIVE]
        finals[index, 0] = state[PLAY]
        finals[index, 1] = state[PLAY + 1]
    return n_games, written, -1
