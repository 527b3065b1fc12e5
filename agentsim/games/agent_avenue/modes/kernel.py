"""The batch kernel of every mode: whole games, one after another, question by question.

``play_modes`` plays consecutive games of one matchup, counts them and, when asked, writes a row per game, per turn and
per Black Market event. It knows no rule: ``turn.py`` puts the questions, ``policies`` answers them.
"""

from __future__ import annotations

from agentsim.games.agent_avenue.engine import (
    ACTIVE,
    DOWN,
    LEAD,
    MOVED,
    PLAY,
    REASON,
    RECRUITED,
    STEP,
    TIE,
    TURN,
    UP,
    WINNER,
)
from agentsim.games.agent_avenue.kernel import LOG_NOTHING, LOG_TURNS
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.picks import count_picks, note_pick
from agentsim.games.agent_avenue.modes.policies.dispatch import decide
from agentsim.games.agent_avenue.modes.tally import count_game
from agentsim.games.agent_avenue.modes.turn import answer_here, legal, start
from agentsim.games.agent_avenue.modes.view import look
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_USER
from agentsim.games.agent_avenue.rules import N_CARDS
from agentsim.games.agent_avenue.view import DISCARD
from agentsim.jit import jit
from agentsim.rng import below, combine, deal_key, decision_key, seat_key

__all__ = ["EVENT_WIDTH", "GAME_WIDTH", "SLOTS", "TURN_WIDTH", "play_modes", "stream_of", "write_event"]

# Columns of a game row; final play areas stand in `finals`.
G_WINNER, G_REASON, G_TIE, G_TURNS, G_LEAD, G_DISCARDS, _, G_ACTIVE, G_LONE = range(9)
GAME_WIDTH = 9

# Columns of a turn row. Discarded names, -1 after the last: of the face-up player, then of its partner.
(T_TURN, T_ACTIVE, T_DISCARDS, T_UP, T_DOWN, T_TOOK_UP, T_REC_ACTIVE, T_REC_OTHER, T_MOVE_ACTIVE, T_MOVE_OTHER, T_LEAD,
 T_WON, T_PLAYER_UP, T_PLAYER_DOWN, T_M_0, T_M_1) = range(16)
T_DISCARDED, SLOTS = 16, 15
TURN_WIDTH = T_DISCARDED + 2 * SLOTS

# Columns of an event row: cards are numbers of cards (not copies), -1 for none.
M_TURN, M_SEQ, M_SEAT, M_TAKEN, M_TARGET, M_RECRUITED, M_MOVE, M_LEAD, M_MEMBER, M_SPACE = range(10)
M_SUPPLY = 10
EVENT_WIDTH = M_SUPPLY + x.MAX_SUPPLY

_KIND_TAKE, _KIND_OTHER, _KIND_PARTNER = 32, 33, 16


@jit(inline="always")
def stream_of(seat_stream, state):
    """The random stream of the answer to the open question: the two-player game's where that asks the same."""
    question, turn = state[x.DECISION], state[TURN]
    if question == x.ASK_PLAY or question == x.ASK_FACE_UP:
        return decision_key(seat_stream, turn, state[STEP])
    if question == x.ASK_TAKE:
        return decision_key(seat_stream, turn, _KIND_TAKE)
    if question == x.ASK_FACE_DOWN:
        return decision_key(seat_stream, turn, _KIND_PARTNER + state[STEP] - state[x.UP_STEPS])
    return combine(decision_key(seat_stream, turn, _KIND_OTHER + question), state[x.ORDINAL])


@jit
def play_modes(seed, matchup, first_game, n_games, swaps, tables, families, rows, minds, users, log, forced, counts,
               cards, games, finals, turns, turn_game, turn_hands, events, event_game, state, picks, scratch, work):
    """Play games ``first_game ..`` of a matchup until ``n_games`` are played or a row buffer might overflow.

    A deal is played ``swaps * len(tables)`` times: game g swaps the policies' sides if ``g % swaps`` is 1, and uses the
    rules ``tables[g // swaps % len(tables)]``.

    Parameters
    ----------
    seed : uint64; matchup : int64, the number of the matchup in its run
    swaps : 1 (mirror) or 2
    tables : int64 (1 or 2, MODE_TABLE): rules; two for one player against a team in both roles
    families, rows : per policy of the matchup its family and parameter row
    minds : the thinking families' functions (``policies.minds.minds_for``)
    users : None if both policies are built in, else what ``policies.dispatch.decide`` describes
    log : LOG_NOTHING, LOG_GAMES or LOG_TURNS
    forced : an ongoing copy that side 0 begins with, or -1
    counts : int64 (tally.COUNTS_SIZE,), to which the games are added; right only for whole deals
    cards : int64 (N_MARKET * picks.RECORD,), counters of the Black Market cards (see ``picks.py``); empty: not counted
    games : int16 (n, GAME_WIDTH); finals : int64 (n, 2) final play areas; both only with LOG_GAMES or LOG_TURNS
    turns : int32 (m, TURN_WIDTH); turn_game : int64 (m,) index of the row's game within this call
    turn_hands : int64 (m, 2): hands before the face-up and the face-down card (a single player: the first is the hand)
    events : int32 (k, EVENT_WIDTH); event_game : int64 (k,), like turn_game
    state, picks : int64 (MODE_STATE,) and (64,); scratch, work : work space of the policies

    Returns ``(games played, turn rows, event rows, policy)``; ``policy`` is -1, or which policy of the matchup gave an
    illegal answer in the game after the last one played. A buffer that is nearly full ends the call between two deals.
    """
    n_rows, n_events = 0, 0
    roles = tables.shape[0]
    per_deal = swaps * roles
    room = per_deal * ((tables[0, N_CARDS] + tables[0, x.RETURNS]) // 2 + 1)
    event_room = per_deal * tables[0, x.PILE_SIZE]
    for index in range(n_games):
        game = first_game + index
        swap = game & 1 if swaps == 2 else 0
        table = tables[(game // swaps) % roles]
        of_deal = game % per_deal
        full = turns.shape[0] - n_rows < room or events.shape[0] - n_events < event_room
        if log == LOG_TURNS and of_deal == 0 and full:
            return index, n_rows, n_events, -1
        start(state, table, deal_key(seed, game // per_deal), forced)
        key_0, key_1 = seat_key(seed, matchup, game, 0), seat_key(seed, matchup, game, 1)
        first_row, n_picks, discards_0, discards_1 = n_rows, 0, 0, 0
        while state[x.DECISION] >= 0:
            question, side = state[x.DECISION], state[x.ASKED] & 1
            policy = (side ^ swap) & 1
            key = stream_of(key_0 if side == 0 else key_1, state)
            if question == x.ASK_MARKET and table[x.PICKS_UNIFORM] == 1:
                option = below(key, state[x.OPTIONS])
            else:
                option = decide(families[policy], minds, users, look(state, table), table, rows, policy, scratch,
                                work, key)
            if families[policy] >= FAMILY_USER and not legal(state, table, option):
                return index, first_row, n_events, policy
            if question <= x.ASK_FACE_DOWN and option >= DISCARD:
                if side == 0:
                    discards_0 += 1
                else:
                    discards_1 += 1
                if log == LOG_TURNS:
                    slot = state[STEP]
                    if question == x.ASK_FACE_DOWN:
                        slot += SLOTS - state[x.UP_STEPS]
                    turns[n_rows, T_DISCARDED + slot] = option - DISCARD
            elif question == x.ASK_MARKET and cards.shape[0] > 0:
                picks[n_picks & 63] = note_pick(state, table, side, option)
                n_picks += 1
            if question == x.ASK_TAKE and log == LOG_TURNS:
                turns[n_rows, T_UP], turns[n_rows, T_DOWN] = state[UP], state[DOWN]
                turns[n_rows, T_TOOK_UP] = option != 0
                turns[n_rows, T_DISCARDS] = state[STEP]
                for slot in range(state[x.UP_STEPS], SLOTS):
                    turns[n_rows, T_DISCARDED + slot] = -1
                for slot in range(SLOTS + state[STEP] - state[x.UP_STEPS], 2 * SLOTS):
                    turns[n_rows, T_DISCARDED + slot] = -1
                turn_hands[n_rows, 0], turn_hands[n_rows, 1] = state[x.OFFER_UP_HAND], state[x.OFFER_DOWN_HAND]
                turns[n_rows, T_PLAYER_UP], turns[n_rows, T_PLAYER_DOWN] = state[x.UP_MEMBER], state[x.DOWN_MEMBER]
            turn, active, done = state[TURN], state[ACTIVE], state[x.EVENTS]
            seq = done - state[x.EV_START]
            answer_here(state, table, option)
            if log != LOG_TURNS:
                continue
            if state[x.EVENTS] != done:
                event_game[n_events] = index
                write_event(events, n_events, state, table, turn, seq)
                n_events += 1
            if state[TURN] != turn or state[x.DECISION] < 0:
                turn_game[n_rows] = index
                turns[n_rows, T_TURN], turns[n_rows, T_ACTIVE] = turn, active
                turns[n_rows, T_REC_ACTIVE], turns[n_rows, T_REC_OTHER] = state[RECRUITED], state[RECRUITED + 1]
                turns[n_rows, T_MOVE_ACTIVE], turns[n_rows, T_MOVE_OTHER] = state[MOVED], state[MOVED + 1]
                turns[n_rows, T_LEAD] = state[LEAD]
                turns[n_rows, T_M_0], turns[n_rows, T_M_1] = state[x.M_SPACE], state[x.M_SPACE + 1]
                n_rows += 1

        winner = state[WINNER]
        count_game(counts, swap, table[x.LONE], of_deal == per_deal - 1, winner, state[REASON], state[TIE],
                   state[ACTIVE], state[TURN] + 1, discards_0, discards_1)
        if cards.shape[0] > 0:
            count_picks(cards, picks, n_picks, table, winner)
        if log == LOG_NOTHING:
            continue
        for row in range(first_row, n_rows):
            turns[row, T_WON] = -1 if winner < 0 else turns[row, T_ACTIVE] == winner
        games[index, G_WINNER], games[index, G_REASON], games[index, G_TIE] = winner, state[REASON], state[TIE]
        games[index, G_TURNS], games[index, G_LEAD] = state[TURN] + 1, state[LEAD]
        games[index, G_DISCARDS], games[index, G_DISCARDS + 1] = discards_0, discards_1
        games[index, G_ACTIVE], games[index, G_LONE] = state[ACTIVE], table[x.LONE]
        finals[index, 0], finals[index, 1] = state[PLAY], state[PLAY + 1]
    return n_games, n_rows, n_events, -1


@jit
def write_event(events, row, state, table, turn, seq):
    """The row of the Black Market event that has just been finished."""
    events[row, M_TURN], events[row, M_SEQ], events[row, M_SEAT] = turn, seq, state[x.EV_SIDE]
    events[row, M_TAKEN] = table[x.COPY + state[x.EV_COPY]]
    events[row, M_TARGET], events[row, M_RECRUITED] = state[x.EV_TARGET], state[x.EV_RECRUITED]
    events[row, M_MOVE], events[row, M_LEAD] = state[x.EV_MOVE], state[LEAD]
    events[row, M_MEMBER], events[row, M_SPACE] = state[x.EV_MEMBER], state[x.M_SPACE + state[x.EV_SIDE]]
    for place in range(x.MAX_SUPPLY):
        copy = state[x.EV_LAY + place]
        events[row, M_SUPPLY + place] = table[x.COPY + copy] if copy >= 0 else -1
