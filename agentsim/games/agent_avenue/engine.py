"""The rules of Agent Avenue, base mode: the one implementation, used by the batch kernel, the step API and replay.

Read it beside ``docs/rules/agent_avenue.md``; the functions follow a turn: :func:`deal`, then :func:`discard` and
:func:`offer` (Play), :func:`take` (Recruit), :func:`end_step` (End). Jitted functions compute and never check: whoever
calls them has asked :func:`may_discard` and :func:`may_offer`.

The state of a game is one flat ``int64`` vector of :data:`STATE_SIZE` entries; the names below say what stands where.
Positions are kept unwrapped as ``LEAD``, the spaces that seat 0 has moved minus those that seat 1 has moved.

Seats, names and places read from the vector are masked (``& 1``, ``& 15``, ``& 127``) before they index it. That
changes no value; it tells the compiler that they are not negative, so that it need not look whether an index counts
from the end, as negative ones do in Python. All masks together take 22 % off a game of ``random``.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.rules import (
    CARDS,
    DISCARDS,
    GAP_0,
    GAP_1,
    HAND_SIZE,
    LOSE,
    MAX_CARDS,
    MOVES,
    N_CARDS,
    SETS,
    TIE_ACTIVE,
    TIE_PASSIVE,
    TIE_RULE,
    WIN,
)
from agentsim.games.agent_avenue.zones import add, count, name_set, one, remove, size
from agentsim.jit import jit
from agentsim.rng import below, word

# --- the state vector -------------------------------------------------------------------------------------------------
ACTIVE, TURN, PHASE, LEAD = 0, 1, 2, 3
HAND, PLAY = 4, 6  # zones of seat 0 and, one further, of seat 1
USED, TOSSED = 8, 10  # discards used and the zone of discarded cards, by seat likewise
DRAWN, DEAL = 12, 13  # cards drawn from the deck so far; the deal's random stream
UP, DOWN = 14, 15  # the offer on the table (-1: none)
STEP = 16  # discards made in this turn
RECRUITED, MOVED = 17, 19  # agent and move of this turn's recruitment: active player, other player
WINNER, REASON, TIE = 21, 22, 23  # -1 none / seat; index into END_REASONS; 1 when the tie rule decided
DECK = 24
STATE_SIZE = DECK + MAX_CARDS

PLAYING, TAKING, OVER = 0, 1, 2
"""Phases: the active player discards or offers; the opponent chooses; the game has ended."""

END_REASONS = ("catch", "codebreakers", "leader_of_the_pack", "masterplan", "security_system", "division_m",
               "daredevils", "out_of_cards")
"""What the winner won by. The base mode knows catch, codebreakers, daredevils and out_of_cards."""
BY_CATCH, BY_SET, BY_LOSING_SET, BY_RUN_OUT = 0, 1, 6, 7

NOBODY, ACTIVE_WINS, OTHER_WINS, DRAWN_GAME = 0, 1, 2, 3
"""Results of the End step as :func:`decide` names them."""


# --- setting up -------------------------------------------------------------------------------------------------------
@jit
def deal(state, table, stream):
    """Start a game: shuffle, deal ``hand_size`` cards to seat 0, then to seat 1; seat 0 begins.

    ``stream`` is the deal's random stream; word k of it decides the k-th card off the deck, whoever draws it.
    """
    for index in range(DECK):
        state[index] = 0
    for index in range(table[N_CARDS]):
        state[DECK + index] = table[CARDS + index]
    state[DEAL] = np.int64(stream)
    state[UP] = state[DOWN] = -1
    state[RECRUITED] = state[RECRUITED + 1] = -1
    state[WINNER] = -1
    for seat in range(2):
        hand = np.int64(0)
        for _ in range(table[HAND_SIZE]):
            hand = add(hand, draw(state, table))
        state[HAND + seat] = hand


@jit
def draw(state, table):
    """Take the top card off a deck that is not empty: one step of a Fisher-Yates shuffle, done only when needed."""
    k = state[DRAWN] & 127
    pick = (k + below(word(np.uint64(state[DEAL]), k), table[N_CARDS] - k)) & 127
    name = state[DECK + pick]
    state[DECK + pick] = state[DECK + k]
    state[DECK + k] = name
    state[DRAWN] = k + 1
    return name


@jit
def deck_left(state, table):
    """Cards still in the deck."""
    return table[N_CARDS] - state[DRAWN]


# --- Play -------------------------------------------------------------------------------------------------------------
@jit
def may_discard(state, table):
    """Whether the active player may discard now: discards left for the game, and a deck to draw from."""
    return state[USED + state[ACTIVE]] < table[DISCARDS] and deck_left(state, table) > 0


@jit
def may_offer(hand, up, down):
    """Whether a hand allows this offer: two cards of it, of different names unless the hand has only one name."""
    if count(hand, up) == 0 or count(hand, down) == 0:
        return False
    return up != down or (name_set(hand) == one(up) and count(hand, up) >= 2)


@jit
def discard(state, table, name):
    """Put a hand card away face down and draw one card for it."""
    me = state[ACTIVE] & 1
    state[HAND + me] = remove(state[HAND + me], name)
    state[TOSSED + me] = add(state[TOSSED + me], name)
    state[USED + me] += 1
    state[STEP] += 1
    state[HAND + me] = add(state[HAND + me], draw(state, table))


@jit(inline="always")
def offer(state, table, up, down):
    """Lay one card face up and one face down, then draw up to the hand size as far as the deck reaches."""
    me = state[ACTIVE] & 1
    hand = remove(remove(state[HAND + me], up), down)
    for _ in range(min(table[HAND_SIZE] - size(hand), deck_left(state, table))):
        hand = add(hand, draw(state, table))
    state[HAND + me] = hand
    state[UP], state[DOWN], state[PHASE] = up, down, TAKING


# --- Recruit ----------------------------------------------------------------------------------------------------------
@jit(inline="always")
def take(state, table, face_up):
    """The opponent takes the face-up card or the hidden one, the active player gets the other; both pawns move."""
    me = state[ACTIVE] & 1
    mine = (state[DOWN] if face_up else state[UP]) & 15
    its = (state[UP] if face_up else state[DOWN]) & 15
    state[PLAY + me] = add(state[PLAY + me], mine)
    state[PLAY + 1 - me] = add(state[PLAY + 1 - me], its)
    state[RECRUITED], state[RECRUITED + 1] = mine, its
    state[MOVED] = table[MOVES + 16 * mine + count(state[PLAY + me], mine)]
    state[MOVED + 1] = table[MOVES + 16 * its + count(state[PLAY + 1 - me], its)]
    gained = state[MOVED] - state[MOVED + 1]
    state[LEAD] += gained if me == 0 else -gained
    state[UP] = state[DOWN] = -1


# --- End --------------------------------------------------------------------------------------------------------------
@jit
def sets_with(zone, name, table):
    """The sets (bits WIN, LOSE) that a play area holds of ``name``, the agent it has just gained.

    Only that agent can complete a set: with one complete before, the game would have ended then.
    """
    return table[SETS + 16 * (name & 15) + count(zone, name)]


@jit
def decide(tie, win_active, win_other, lose_active, lose_other):
    """The End step's verdict on the conditions that hold: ``(result, whether the tie rule decided)``.

    A tie is: both win, both lose, or one player wins and loses at once. It goes by the rules' tie rule.
    Otherwise who has a win wins, else who faces a loser.
    """
    if not (win_active or win_other or lose_active or lose_other):
        return NOBODY, False
    if (win_active and win_other) or (lose_active and lose_other) or (win_active and lose_active) or (
            win_other and lose_other):
        return tie_result(tie), True
    if win_active or lose_other:
        return ACTIVE_WINS, False
    return OTHER_WINS, False


@jit
def tie_result(tie):
    """Who wins a tie."""
    if tie == TIE_ACTIVE:
        return ACTIVE_WINS
    return OTHER_WINS if tie == TIE_PASSIVE else DRAWN_GAME


@jit(inline="always")
def end_step(state, table):
    """Check every condition at once; end the game or pass the turn."""
    me = state[ACTIVE] & 1
    other = 1 - me
    lead = state[LEAD] if me == 0 else -state[LEAD]
    gap_me, gap_other = (table[GAP_0], table[GAP_1]) if me == 0 else (table[GAP_1], table[GAP_0])

    catch_me, catch_other = lead >= gap_me, -lead >= gap_other
    sets_me = sets_with(state[PLAY + me], state[RECRUITED], table)
    sets_other = sets_with(state[PLAY + other], state[RECRUITED + 1], table)
    set_me, set_other = sets_me & WIN != 0, sets_other & WIN != 0
    lose_me, lose_other = sets_me & LOSE != 0, sets_other & LOSE != 0
    result, tied = decide(table[TIE_RULE], catch_me or set_me, catch_other or set_other, lose_me, lose_other)

    if result != NOBODY:
        state[TIE] = 1 if tied else 0
        # The first condition that the winner holds; of a draw, that anybody holds.
        caught = (catch_me and result != OTHER_WINS) or (catch_other and result != ACTIVE_WINS)
        by_set = (set_me and result != OTHER_WINS) or (set_other and result != ACTIVE_WINS)
        state[REASON] = BY_CATCH if caught else BY_SET if by_set else BY_LOSING_SET
    elif deck_left(state, table) == 0 and size(state[HAND + other]) < 2:
        ahead = (gap_other + lead) - (gap_me - lead)  # positive: the active player is closer to catching
        result = ACTIVE_WINS if ahead > 0 else OTHER_WINS if ahead < 0 else tie_result(table[TIE_RULE])
        state[TIE] = 1 if ahead == 0 else 0
        state[REASON] = BY_RUN_OUT

    if result == NOBODY:
        state[ACTIVE] = other
        state[TURN] += 1
        state[STEP] = 0
        state[PHASE] = PLAYING
    else:
        state[WINNER] = me if result == ACTIVE_WINS else other if result == OTHER_WINS else -1
        state[PHASE] = OVER
