"""A turn in any mode, from question to question: the one implementation for the kernel, the step API and replay.

:func:`start` deals and puts the first question; :func:`answer` takes an answer and runs on to the next one.
``layout.py`` lists the questions. Order of events (``docs/rules/agent_avenue_market.md``): Play; both
spy pawns move; Division M pawns, the active side's first; landings, the active side's first; one End step.

As in the base game's engine nothing is checked here: callers ask :func:`legal`.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.end import end_step
from agentsim.games.agent_avenue.modes.hands import (
    discard_from,
    draw_up,
    face_down_names,
    leave_openly,
    may_discard_from,
)
from agentsim.games.agent_avenue.modes.market import (
    agent_chosen,
    ask,
    begin_event,
    carry_out,
    gain_ongoing,
    go_on_with_event,
    move_division_m,
    recruit_again,
    show_symbol,
    supply_at_start,
)
from agentsim.games.agent_avenue.modes.movement import recruit
from agentsim.games.agent_avenue.modes.sides import side_size
from agentsim.games.agent_avenue.rules import CARDS, N_CARDS, N_NAMES
from agentsim.games.agent_avenue.view import DISCARD
from agentsim.games.agent_avenue.zones import count, name_set, remove
from agentsim.jit import jit

__all__ = ["answer", "answer_here", "begin_turn", "legal", "start"]


@jit
def start(state, table, stream, forced):
    """Deal, lay out the Black Market and put the first question.

    ``stream`` is the deal's random stream (engine.deal). Hands are dealt player by player, side 0 first. ``forced`` is
    an ongoing copy that side 0 begins with, or -1.
    """
    for index in range(e.DECK):
        state[index] = 0
    for index in range(x.HANDS, x.ORDER):
        state[index] = 0
    for index in range(table[N_CARDS]):
        state[e.DECK + index] = table[CARDS + index]
    state[e.DEAL] = np.int64(stream)
    state[e.UP] = state[e.DOWN] = state[x.TABLE_UP] = -1
    state[e.RECRUITED] = state[e.RECRUITED + 1] = -1
    state[e.WINNER] = -1
    for side in range(2):
        state[x.SPACE + side] = table[x.HOME + side]
        state[x.M_SPACE + side] = -1
        for member in range(side_size(table, side)):
            draw_up(state, table, 2 * side + member)
    supply_at_start(state, table, forced)
    if forced >= 0:
        gain_ongoing(state, 0, forced)
    begin_turn(state, table)


@jit
def begin_turn(state, table):
    """Put the first question of the active side's turn."""
    side = state[e.ACTIVE] & 1
    state[e.STEP] = 0
    state[x.UP_STEPS] = 0
    state[x.EV_START] = state[x.EVENTS]
    state[x.STIRRED] = state[x.STIRRED + 1] = 0
    state[x.UP_MEMBER] = state[x.DOWN_MEMBER] = 0
    state[x.KEPT] = table[x.PLAYERS] > 2 and e.deck_left(state, table) == 1
    if side_size(table, side) == 1:
        ask(state, table, x.ASK_PLAY, side, 0, 0, 0)
    else:
        ask(state, table, x.ASK_PLAYER_UP, side, -1, 2, 0)


# --- Play -------------------------------------------------------------------------------------------------------------
@jit(inline="always")
def _play(state, table, option):
    """A single player discards or offers."""
    side = state[e.ACTIVE] & 1
    slot = 2 * side
    if option >= DISCARD:
        discard_from(state, table, slot, option - DISCARD)
        state[x.UP_STEPS] += 1
        return
    up, down = option >> 4, option & 15
    hand = state[x.HANDS + slot]
    state[x.OFFER_UP_HAND] = hand
    state[x.HANDS + slot] = remove(remove(hand, up), down)
    leave_openly(state, slot, up)
    draw_up(state, table, slot)
    _lay(state, table, up, down)


@jit
def _player_up(state, table, option):
    """A team has agreed who plays the face-up card."""
    state[x.UP_MEMBER], state[x.DOWN_MEMBER] = option, 1 - option
    side = state[e.ACTIVE] & 1
    ask(state, table, x.ASK_FACE_UP, side, option, name_set(state[x.HANDS + 2 * side + option]), 0)


@jit
def _face_up(state, table, option):
    """The first member of a team discards or plays its card face up."""
    side = state[e.ACTIVE] & 1
    slot, partner = 2 * side + (state[x.UP_MEMBER] & 1), 2 * side + (state[x.DOWN_MEMBER] & 1)
    if option >= DISCARD:
        discard_from(state, table, slot, option - DISCARD)
        state[x.UP_STEPS] += 1
        state[x.OPTIONS] = name_set(state[x.HANDS + slot])
        return
    state[x.OFFER_UP_HAND] = state[x.HANDS + slot]
    state[x.HANDS + slot] = remove(state[x.HANDS + slot], option)
    leave_openly(state, slot, option)
    state[x.TABLE_UP] = option
    ask(state, table, x.ASK_FACE_DOWN, side, state[x.DOWN_MEMBER], face_down_names(state[x.HANDS + partner], option), 0)


@jit
def _face_down(state, table, option):
    """The partner discards or plays its card face down; then both draw up, the face-up player first."""
    side = state[e.ACTIVE] & 1
    slot, partner = 2 * side + (state[x.DOWN_MEMBER] & 1), 2 * side + (state[x.UP_MEMBER] & 1)
    if option >= DISCARD:
        discard_from(state, table, slot, option - DISCARD)
        state[x.OPTIONS] = face_down_names(state[x.HANDS + slot], state[x.TABLE_UP])
        return
    state[x.OFFER_DOWN_HAND] = state[x.HANDS + slot]
    state[x.HANDS + slot] = remove(state[x.HANDS + slot], option)
    draw_up(state, table, partner)
    draw_up(state, table, slot)
    up = state[x.TABLE_UP]
    state[x.TABLE_UP] = -1
    _lay(state, table, up, option)


@jit
def _lay(state, table, up, down):
    state[e.UP], state[e.DOWN] = up, down
    ask(state, table, x.ASK_TAKE, 1 - (state[e.ACTIVE] & 1), -1, 2, 0)


# --- Recruit ----------------------------------------------------------------------------------------------------------
@jit(inline="always")
def _take(state, table, face_up):
    """Both sides recruit, both spy pawns move."""
    me = state[e.ACTIVE] & 1
    up, down = state[e.UP] & 15, state[e.DOWN] & 15
    mine, its = (down, up) if face_up else (up, down)
    leave_openly(state, 2 * me + (state[x.DOWN_MEMBER] & 1), down)
    state[e.UP] = state[e.DOWN] = -1
    state[e.RECRUITED], state[e.RECRUITED + 1] = mine, its
    state[e.MOVED] = recruit(state, table, me, mine)
    state[e.MOVED + 1] = recruit(state, table, 1 - me, its)


@jit
def _symbols(state, table, first):
    """Division M pawns move, the active side's first (D5). Returns True if a question is open."""
    for which in range(first, 2):
        side = (state[e.ACTIVE] if which == 0 else 1 - state[e.ACTIVE]) & 1
        name = state[e.RECRUITED + which] & 15
        symbol = table[x.SYMBOLS + 16 * name + count(state[e.PLAY + side], name)]
        if show_symbol(state, table, side, symbol, x.S_AFTER_ACTIVE + which, 0):
            return True
    return False


@jit(inline="always")
def _landings(state, table):
    """Put the question of the next landing, the active side's first (R16); when none is owed, End."""
    me = state[e.ACTIVE] & 1
    while state[x.OWED + me] + state[x.OWED + 1 - me] > 0:
        side = me if state[x.OWED + me] > 0 else 1 - me
        state[x.OWED + side] -= 1
        if state[x.N_SUPPLY] > 0:
            events = state[x.EVENTS] - state[x.EV_START]
            ask(state, table, x.ASK_MARKET, side, -1, state[x.N_SUPPLY], 1024 * events)
            return
    if end_step(state, table):
        state[x.DECISION] = state[x.ASKED] = -1
    else:
        state[e.ACTIVE] = 1 - me
        state[e.TURN] += 1
        begin_turn(state, table)


# --- questions and answers --------------------------------------------------------------------------------------------
@jit(inline="always")
def answer_here(state, table, option):
    """:func:`answer`, compiled into its caller: for the one place where a kernel's time goes."""
    question = state[x.DECISION]
    if question == x.ASK_PLAY:
        _play(state, table, option)
    elif question == x.ASK_PLAYER_UP:
        _player_up(state, table, option)
    elif question == x.ASK_FACE_UP:
        _face_up(state, table, option)
    elif question == x.ASK_FACE_DOWN:
        _face_down(state, table, option)
    else:
        if question == x.ASK_TAKE:
            _take(state, table, option)
            is_open = table[x.WITH_M] != 0 and _symbols(state, table, 0)
        else:
            is_open = _asked_by_market(state, table, question, option)
        if not is_open:
            _landings(state, table)


@jit
def answer(state, table, option):
    """Take a legal answer to ``state[DECISION]`` and run on to the next question (-1: the game is over)."""
    answer_here(state, table, option)


@jit
def _asked_by_market(state, table, question, option):
    """Answers from the Recruit step on. Returns True if another question is open."""
    side = state[x.ASKED] & 1
    if question == x.ASK_MARKET:
        state[x.EV_PLACE] = option
        if side_size(table, side) == 2:
            state[x.STAGE] = x.S_GAIN
            ask(state, table, x.ASK_MEMBER, side, -1, 2, state[x.ORDINAL])
            return True
        return begin_event(state, table, side, np.int64(0), option)
    if question == x.ASK_M:
        move_division_m(state, table, option)
        stage = state[x.STAGE]
        if stage == x.S_AFTER_ACTIVE or stage == x.S_AFTER_OTHER:
            return stage == x.S_AFTER_ACTIVE and _symbols(state, table, 1)
        return go_on_with_event(state, table)
    if question == x.ASK_MEMBER:
        if state[x.STAGE] != x.S_RIVAL:
            return begin_event(state, table, side, option, state[x.EV_PLACE])
        return carry_out(state, table, side, option) or go_on_with_event(state, table)
    if question == x.ASK_TARGET:
        return agent_chosen(state, table, option) or go_on_with_event(state, table)
    return recruit_again(state, table, option) or go_on_with_event(state, table)


@jit
def legal(state, table, option):
    """Whether the rules allow this answer to ``state[DECISION]``."""
    question, options = state[x.DECISION], state[x.OPTIONS]
    slot = 2 * (state[x.ASKED] & 1) + (state[x.ASKED_MEMBER] & 1)
    if question < 0 or option < 0:
        return False
    if question == x.ASK_PLAY or question == x.ASK_FACE_UP or question == x.ASK_FACE_DOWN:
        if option >= DISCARD:
            name = option - DISCARD
            return (name < table[N_NAMES] and count(state[x.HANDS + slot], name) > 0
                    and may_discard_from(state, table, slot))
        if question == x.ASK_PLAY:
            up, down = option >> 4, option & 15
            return up < table[N_NAMES] and down < table[N_NAMES] and e.may_offer(state[x.HANDS + slot], up, down)
    if question == x.ASK_FACE_UP or question == x.ASK_FACE_DOWN or question == x.ASK_TARGET:
        return option < table[N_NAMES] and (options >> (4 * option)) & 1 == 1
    return option < options
