"""The batch kernel: whole games, one after another, at the speed of compiled code.

``play_games`` plays consecutive games of one matchup and writes one row per game and, when asked, one row per turn.
Which policy decides is an integer family with a row of parameters.

*Rotation.* The games of one deal seat the policies one further each time: in rotation ``r`` seat ``s`` is played by
policy ``(s + r) % players``, while the cards stay where they are.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.argh.engine import (
    ACTIVE,
    CARD,
    DECK,
    EVEN_SPIES,
    KEYS,
    OVER,
    PEEKER,
    PEEKING,
    PHASE,
    PLACE,
    POINTS,
    REASON,
    SHARE,
    TURN,
    answer,
    deal,
    draw,
    keep,
    offer,
    owner_of,
    pass_turn,
    peek,
    places_aside,
    steal,
)
from agentsim.games.argh.policies.dispatch import decide_answer, decide_choose, decide_peek, decide_place
from agentsim.games.argh.table import LOCATION, N_CARDS, PLAYERS
from agentsim.games.argh.view import KEEP, PASS, STEAL, observe
from agentsim.jit import jit
from agentsim.rng import deal_key, decision_key, seat_key

__all__ = ["ACTIONS", "GAME_WIDTH", "KIND_ANSWER", "KIND_CHOOSE", "KIND_PEEK", "KIND_PLACE", "TURN_WIDTH", "play_games"]

# Columns of a game row; the last three by seat.
G_REASON, G_TURNS, G_SHARE, G_POINTS, G_EVEN = 0, 1, 2, 6, 10
GAME_WIDTH = 14

# Columns of a turn row; -1 where it does not apply.
T_TURN, T_SEAT, T_ACTION, T_PILE, T_CARD, T_OTHER, T_ACCEPTED, T_PLACE, T_PEEKED, T_SHARE, T_OTHER_SHARE = range(11)
TURN_WIDTH = 11

ACTIONS = ("keep", "offer", "steal", "pass")
A_KEEP, A_OFFER, A_STEAL, A_PASS = range(4)

KIND_CHOOSE, KIND_PLACE, KIND_ANSWER, KIND_PEEK = range(4)
"""Kinds of decision in a turn, for the address of its random words."""


@jit
def play_games(seed, matchup, first_game, n_games, games_per_deal, table, families, rows, log, games, turns, turn_game,
               state, scratch, work):
    """Play games ``first_game ..`` of a matchup until ``n_games`` are played or the turn buffer might overflow.

    Parameters
    ----------
    seed : uint64; matchup : int64, the number of the matchup in its run
    games_per_deal : in how many rotations each deal is played
    families, rows : per policy of the matchup its family and parameter row
    log : whether to write turn rows
    games : int16 (n, GAME_WIDTH); turns : int16 (m, TURN_WIDTH); turn_game : int64 (m,) index of the row's game
    state, scratch, work : work space of STATE_SIZE and SCRATCH_SIZE int64 and WORK_SIZE float64

    Returns ``(games played, turn rows written)``.
    """
    written = 0
    players = table[PLAYERS]
    # Each card is drawn once and stolen once at most; passes come in the last round only.
    max_turns = 2 * table[N_CARDS] + players
    aside = places_aside(table)
    for index in range(n_games):
        if log and turns.shape[0] - written < max_turns:
            return index, written
        game = first_game + index
        rotation = game % games_per_deal
        deal(state, table, deal_key(seed, game // games_per_deal))
        for seat in range(players):
            state[KEYS + seat] = np.int64(seat_key(seed, matchup, game, seat))
        first_row = written
        while state[PHASE] != OVER:
            me = state[ACTIVE]
            turn = state[TURN]
            policy = me + rotation
            policy -= players if policy >= players else 0
            key = np.uint64(state[KEYS + me])
            action, card, place, other = np.int64(A_PASS), np.int64(-1), np.int64(-1), np.int64(-1)
            accepted, peeked = np.int64(-1), np.int64(-1)

            choice = decide_choose(families[policy], observe(state, table, me), table, rows, policy, scratch, work,
                                   decision_key(key, turn, KIND_CHOOSE))
            if choice < PASS:
                draw(state, table, choice)
                card, place = state[CARD], state[PLACE]
                steps = decide_place(families[policy], observe(state, table, me), table, rows, policy, scratch, work,
                                     decision_key(key, turn, KIND_PLACE))
                if steps == KEEP:
                    action = np.int64(A_KEEP)
                    keep(state, table)
                else:
                    action = np.int64(A_OFFER)
                    other = me + steps
                    other -= players if other >= players else 0
                    offer(state, other)
                    asked = other + rotation
                    asked -= players if asked >= players else 0
                    accepted = decide_answer(families[asked], observe(state, table, other), table, rows, asked, scratch,
                                             work, decision_key(np.uint64(state[KEYS + other]), turn, KIND_ANSWER))
                    answer(state, table, accepted != 0)
            elif choice >= STEAL:
                action = np.int64(A_STEAL)
                place = choice - STEAL
                card = state[DECK + place]
                other = owner_of(state, table, place)
                steal(state, table, place)
            else:
                pass_turn(state, table)
            if state[PHASE] == PEEKING:
                peeker = state[PEEKER]
                policy = peeker + rotation
                policy -= players if policy >= players else 0
                seen = decide_peek(families[policy], observe(state, table, peeker), aside, table,
                                   decision_key(np.uint64(state[KEYS + peeker]), turn, KIND_PEEK))
                peeked = state[DECK + seen]
                peek(state, table, seen)

            if log:
                turn_game[written] = index
                turns[written, T_TURN] = turn
                turns[written, T_SEAT] = me
                turns[written, T_ACTION] = action
                turns[written, T_PILE] = table[LOCATION + card] if card >= 0 else -1
                turns[written, T_CARD] = card
                turns[written, T_OTHER] = other
                turns[written, T_ACCEPTED] = accepted
                turns[written, T_PLACE] = place
                turns[written, T_PEEKED] = peeked
                written += 1

        if log:
            for row in range(first_row, written):
                turns[row, T_SHARE] = state[SHARE + turns[row, T_SEAT]]
                turns[row, T_OTHER_SHARE] = state[SHARE + turns[row, T_OTHER]] if turns[row, T_OTHER] >= 0 else -1
        games[index, G_REASON] = state[REASON]
        games[index, G_TURNS] = state[TURN] + 1
        for seat in range(4):
            games[index, G_SHARE + seat] = state[SHARE + seat]
            games[index, G_POINTS + seat] = state[POINTS + seat]
            games[index, G_EVEN + seat] = state[EVEN_SPIES + seat]
    return n_games, written
