"""The End step of every mode: all conditions at once, on the final positions and cards."""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.sides import side_size
from agentsim.games.agent_avenue.rules import (
    GAP_0,
    LOSES_AT,
    LOSING,
    N_LOSING,
    N_WINNING,
    TIE_RULE,
    WINNING,
    WINS_AT,
)
from agentsim.games.agent_avenue.zones import count, name_set, size, size_of_set
from agentsim.jit import jit

__all__ = ["end_step", "has_lost", "win_reason"]

_NONE = 1 << 20
"""A reason behind all others: no win."""


@jit
def win_reason(state, table, side):
    """The first of the end reasons by which a side has won by now; a large number if it has not."""
    side &= 1
    other = 1 - side
    gained = state[e.LEAD] if side == 0 else -state[e.LEAD]
    if gained >= table[GAP_0 + side]:
        return np.int64(e.BY_CATCH)
    play = state[e.PLAY + side]
    for index in range(table[N_WINNING]):
        name = table[WINNING + index] & 15
        if count(play, name) >= table[WINS_AT + name]:
            return np.int64(e.BY_SET)
    reason = np.int64(_NONE)
    at_end = state[x.HELD + side] & table[x.AT_END]
    if at_end != 0:
        for place in range(state[x.N_HELD + side]):
            copy = state[x.ORDER + 64 * side + place]
            if (at_end >> copy) & 1 and _card_wins(state, table, side, table[x.COPY + copy]):
                reason = min(reason, table[x.REASON_OF + table[x.COPY + copy]])
    if (reason == _NONE and state[x.M_SPACE + side] >= 0 and state[x.M_SPACE + side] == state[x.SPACE + other]
            and (table[x.TRAP_STOPPING] == 0 or state[x.STIRRED + other] == 1)):
        reason = table[x.REASON_M]
    return reason


@jit
def _card_wins(state, table, side, card):
    """Whether an ongoing card is a win for its owner now."""
    play, rival = state[e.PLAY + side], state[x.SPACE + 1 - side]
    first = table[x.FIRST_EFFECT + card]
    for effect in range(first, first + table[x.N_EFFECTS + card]):
        at = x.EFFECTS + x.EFFECT_SIZE * effect
        op, agent, number = table[at + x.E_OP], table[at + x.E_AGENT], table[at + x.E_N]
        if op == x.IF_NAMES:
            if size_of_set(name_set(play)) >= number:
                return True
        elif op == x.IF_SET:
            if agent >= 0 and count(play, agent) >= number:
                return True
        elif op == x.IF_LOSING:
            if agent >= 0 and count(play, agent) >= table[LOSES_AT + agent]:
                return True
        elif op == x.IF_HOME:
            if rival == table[x.HOME + side]:
                return True
        elif op == x.IF_NEAR_M:
            if state[x.M_SPACE + side] >= 0:
                apart = abs(rival - state[x.M_SPACE + side])
                if min(apart, table[x.RING] - apart) <= number:
                    return True
    return False


@jit
def has_lost(state, table, side):
    """Whether a side holds a losing set that no card of its own spares it."""
    side &= 1
    play = state[e.PLAY + side]
    for index in range(table[N_LOSING]):
        name = table[LOSING + index] & 15
        if count(play, name) >= table[LOSES_AT + name] and not _spared(state, table, side, name):
            return True
    return False


@jit
def _spared(state, table, side, name):
    held = state[x.HELD + side] & table[x.SPARES]
    if held == 0:
        return False
    for place in range(state[x.N_HELD + side]):
        copy = state[x.ORDER + 64 * side + place]
        if (held >> copy) & 1 == 0:
            continue
        card = table[x.COPY + copy]
        first = table[x.FIRST_EFFECT + card]
        for effect in range(first, first + table[x.N_EFFECTS + card]):
            at = x.EFFECTS + x.EFFECT_SIZE * effect
            if table[at + x.E_OP] == x.IF_LOSING and table[at + x.E_AGENT] == name:
                return True
    return False


@jit
def _cannot_play(state, table, side):
    """Whether a side has too few hand cards to be next: nobody of a team may be without, one alone needs 2 (T2)."""
    side &= 1
    first, second = size(state[x.HANDS + 2 * side]), size(state[x.HANDS + 2 * side + 1])
    return min(first, second) == 0 if side_size(table, side) == 2 else first < 2


@jit(inline="always")
def end_step(state, table):
    """Check every condition at once. Returns True, with WINNER, REASON and TIE set, if the game is over."""
    me = state[e.ACTIVE] & 1
    other = 1 - me
    reason_me, reason_other = win_reason(state, table, me), win_reason(state, table, other)
    result, tied = e.decide(table[TIE_RULE], reason_me < _NONE, reason_other < _NONE,
                            has_lost(state, table, me), has_lost(state, table, other))
    if result != e.NOBODY:
        won_by = min(reason_me if result != e.OTHER_WINS else _NONE, reason_other if result != e.ACTIVE_WINS else _NONE)
        state[e.REASON] = won_by if won_by < _NONE else table[x.REASON_LOSING]
    elif e.deck_left(state, table) == 0 and _cannot_play(state, table, other):
        lead = state[e.LEAD] if me == 0 else -state[e.LEAD]
        ahead = (table[GAP_0 + other] + lead) - (table[GAP_0 + me] - lead)  # positive: the active side is closer
        result = e.ACTIVE_WINS if ahead > 0 else e.OTHER_WINS if ahead < 0 else e.tie_result(table[TIE_RULE])
        tied = ahead == 0
        state[e.REASON] = table[x.REASON_OUT]
    else:
        return False
    state[e.TIE] = 1 if tied else 0
    state[e.WINNER] = me if result == e.ACTIVE_WINS else other if result == e.OTHER_WINS else -1
    state[e.PHASE] = e.OVER
    return True
