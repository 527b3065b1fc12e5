"""The Black Market: taking a card, refilling, and carrying out effects, which are data (see ``layout.py``).

An event runs until it needs an answer and goes on with it, so ``EV_EFFECT`` and ``EV_PART`` say where it stands. The
functions return True while a question is open.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.engine import ACTIVE, DEAL, PLAY, deck_left, draw
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.hands import draw_up_everybody, gain_openly, leave_openly
from agentsim.games.agent_avenue.modes.movement import move_pawn, recruit
from agentsim.games.agent_avenue.modes.sides import side_size
from agentsim.games.agent_avenue.zones import add, count, name_set, one, remove
from agentsim.jit import jit
from agentsim.rng import below, word

__all__ = ["agent_chosen", "ask", "begin_event", "carry_out", "draw_market", "gain_ongoing", "go_on_with_event",
           "move_division_m", "recruit_again", "show_symbol", "supply_at_start"]

_MARKET_WORDS = 128
"""The deal stream's words from here on decide the order of the market pile; those before, that of the deck."""


@jit
def ask(state, table, question, side, member, options, ordinal):
    """Put a question; ``member`` counts only if the side has two players."""
    state[x.DECISION], state[x.ASKED] = question, side
    state[x.ASKED_MEMBER] = member if side_size(table, side) == 2 else 0
    state[x.OPTIONS], state[x.ORDINAL] = options, ordinal


@jit
def _event_ordinal(state, table):
    """A number that no other question of the same kind to the same side has in this turn."""
    effect = state[x.EV_EFFECT] - table[x.FIRST_EFFECT + table[x.COPY + state[x.EV_COPY]]]
    return 1024 * (state[x.EVENTS] - state[x.EV_START]) + 2 * effect + state[x.EV_PART]


# --- the supply -------------------------------------------------------------------------------------------------------
@jit
def supply_at_start(state, table, forced):
    """Shuffle the pile and lay the first cards face up. The copy ``forced`` (-1: none) is not in it."""
    n = np.int64(0)
    for copy in range(table[x.PILE_SIZE]):
        if copy != forced:
            state[x.PILE + n] = copy
            n += 1
    state[x.N_PILE] = n
    state[x.N_SUPPLY] = min(table[x.SUPPLY_SIZE], n)
    for place in range(state[x.N_SUPPLY]):
        state[x.SUPPLY + place] = draw_market(state)


@jit
def draw_market(state):
    """Take the top card off a market pile that is not empty: one step of a shuffle that the deal fixes."""
    k = state[x.BOARD] & 63
    pick = (k + below(word(np.uint64(state[DEAL]), _MARKET_WORDS + k), state[x.N_PILE] - k)) & 63
    copy = state[x.PILE + pick]
    state[x.PILE + pick] = state[x.PILE + k]
    state[x.PILE + k] = copy
    state[x.BOARD] = k + 1
    return copy


@jit
def _refill(state, place):
    """Fill the gap from the pile; without a pile the cards to its right close up (R15)."""
    if state[x.BOARD] < state[x.N_PILE]:
        state[x.SUPPLY + place] = draw_market(state)
        return
    state[x.N_SUPPLY] -= 1
    for at in range(place, state[x.N_SUPPLY]):
        state[x.SUPPLY + at] = state[x.SUPPLY + at + 1]


# --- an event ---------------------------------------------------------------------------------------------------------
@jit
def begin_event(state, table, side, member, place):
    """A side takes the card at a place of the supply; ``member`` gains it. Refill, then carry it out."""
    side, member, place = side & 1, member & 1, place & 7
    copy = state[x.SUPPLY + place] & 63
    for at in range(x.MAX_SUPPLY):
        state[x.EV_LAY + at] = state[x.SUPPLY + at] if at < state[x.N_SUPPLY] else -1
    _refill(state, place)
    state[x.EV_SIDE], state[x.EV_MEMBER], state[x.EV_COPY] = side, member, copy
    state[x.EV_TARGET] = state[x.EV_RECRUITED] = -1
    state[x.EV_BEFORE] = state[x.WENT + side]
    card = table[x.COPY + copy]
    state[x.EV_EFFECT], state[x.EV_PART] = table[x.FIRST_EFFECT + card], 0
    if table[x.KIND + card] == 1 or state[x.BLANKED] == 1:
        if state[x.BLANKED] == 0:
            gain_ongoing(state, side, copy)
        state[x.BLANKED] = 0
        state[x.EV_EFFECT] += table[x.N_EFFECTS + card]
    return go_on_with_event(state, table)


@jit
def gain_ongoing(state, side, copy):
    """Put an ongoing card before a side."""
    state[x.ORDER + 64 * side + state[x.N_HELD + side]] = copy
    state[x.N_HELD + side] += 1
    state[x.HELD + side] |= np.int64(1) << copy


@jit
def go_on_with_event(state, table):
    """Carry out what is left of the card in hand: its effects in order, for each side concerned, the active one first.

    After each effect whoever is short of hand cards draws (R10). Returns True if a question is open, False when the
    event is finished.
    """
    card = table[x.COPY + state[x.EV_COPY]]
    end = table[x.FIRST_EFFECT + card] + table[x.N_EFFECTS + card]
    owner = state[x.EV_SIDE] & 1
    while state[x.EV_EFFECT] < end:
        at = x.EFFECTS + x.EFFECT_SIZE * state[x.EV_EFFECT]
        while state[x.EV_PART] < 2:
            side = (state[ACTIVE] if state[x.EV_PART] == 0 else 1 - state[ACTIVE]) & 1
            state[x.EV_PART] += 1
            who = table[at + x.E_WHO]
            if who != x.BOTH and (side == owner) != (who == x.OWN):
                continue
            if side != owner and side_size(table, side) == 2 and x.OF_NAME <= table[at + x.E_OP] <= x.OF_PAIR:
                ask(state, table, x.ASK_MEMBER, side, -1, 2, 1 + _event_ordinal(state, table))
                state[x.STAGE] = x.S_RIVAL
                return True
            if carry_out(state, table, side, state[x.EV_MEMBER] if side == owner else np.int64(0)):
                return True
        draw_up_everybody(state, table)
        state[x.EV_PART] = 0
        state[x.EV_EFFECT] += 1
    draw_up_everybody(state, table)
    state[x.EV_MOVE] = state[x.WENT + owner] - state[x.EV_BEFORE]
    state[x.EVENTS] += 1
    return False


@jit
def carry_out(state, table, side, member):
    """One effect for one side, as far as it can be carried out (R1, R11). Returns True if a question is open."""
    at = x.EFFECTS + x.EFFECT_SIZE * state[x.EV_EFFECT]
    op, number = table[at + x.E_OP], table[at + x.E_N]
    slot = 2 * side + member
    names = np.int64(0)
    if op == x.MOVE:
        move_pawn(state, table, side, number)
    elif op == x.FROM_DECK:
        if deck_left(state, table) > 0:
            return _recruit_by_effect(state, table, side, draw(state, table))
    elif op == x.OF_NAME:
        agent = table[at + x.E_AGENT]
        if count(state[x.HANDS + slot], agent) > 0:
            return _recruit_from_hand(state, table, slot, agent)
    elif op == x.OF_ANY:
        names = name_set(state[x.HANDS + slot])
    elif op == x.OF_NEW:
        names = name_set(state[x.HANDS + slot]) & ~name_set(state[PLAY + side])
    elif op == x.OF_PAIR:
        names = _pairs(state[x.HANDS + slot])
    elif op == x.TAKE_BACK:
        names = name_set(state[PLAY + side])
    elif op == x.TAKE:
        names = name_set(state[PLAY + 1 - side])
    elif op == x.CLEAR:
        state[PLAY] = state[PLAY + 1] = 0
    elif op == x.SYMBOL:
        return show_symbol(state, table, side, number, x.S_EVENT, 1 + _event_ordinal(state, table))
    if names == 0:
        return False
    ask(state, table, x.ASK_TARGET, side, member, names, 1 + _event_ordinal(state, table))
    return True


@jit
def _pairs(hand):
    """The names of which a hand holds two or more."""
    twos = (hand >> np.int64(1)) | (hand >> np.int64(2)) | (hand >> np.int64(3))
    return twos & np.int64(0x1111111111111111)


@jit
def agent_chosen(state, table, name):
    """The answer to ASK_TARGET. Returns True if another question is open."""
    side = state[x.ASKED] & 1
    slot = 2 * side + (state[x.ASKED_MEMBER] & 1)
    at = x.EFFECTS + x.EFFECT_SIZE * state[x.EV_EFFECT]
    op = table[at + x.E_OP]
    if op == x.TAKE_BACK or op == x.TAKE:
        from_side = side if op == x.TAKE_BACK else 1 - side
        state[PLAY + from_side] = remove(state[PLAY + from_side], name)
        gain_openly(state, slot, name)
        _note_target(state, side, name)
        if op == x.TAKE_BACK and table[at + x.E_N] == 1:
            state[x.LAST_AGENT] = name
            ask(state, table, x.ASK_RECRUIT, side, state[x.ASKED_MEMBER], 2, 1 + _event_ordinal(state, table))
            return True
        return False
    if op == x.OF_PAIR and count(state[x.SHOWN + slot], name) < 2:
        # Two of the name are shown: one is about to go into play, the other is known to be in hand.
        shown = state[x.SHOWN + slot]
        state[x.SHOWN + slot] = add(add(shown & ~(15 * one(name)), name), name)
    return _recruit_from_hand(state, table, slot, name)


@jit
def recruit_again(state, table, yes):
    """The answer to ASK_RECRUIT. Returns True if another question is open."""
    if yes == 0:
        return False
    side = state[x.ASKED] & 1
    slot = 2 * side + (state[x.ASKED_MEMBER] & 1)
    name = state[x.LAST_AGENT]
    state[x.HANDS + slot] = remove(state[x.HANDS + slot], name)
    leave_openly(state, slot, name)
    return _recruit_by_effect(state, table, side, name)


@jit
def _recruit_from_hand(state, table, slot, name):
    state[x.HANDS + slot] = remove(state[x.HANDS + slot], name)
    leave_openly(state, slot, name)
    _note_target(state, slot >> 1, name)
    return _recruit_by_effect(state, table, slot >> 1, name)


@jit
def _recruit_by_effect(state, table, side, name):
    """An effect recruits: the spy pawn moves as usual, then a Division M pawn. Returns True if a question is open."""
    if side == state[x.EV_SIDE] or state[x.EV_RECRUITED] < 0:
        state[x.EV_RECRUITED] = name
    recruit(state, table, side, name)
    symbol = table[x.SYMBOLS + 16 * (name & 15) + count(state[PLAY + side], name)]
    return show_symbol(state, table, side, symbol, x.S_EVENT, 1 + _event_ordinal(state, table))


@jit
def _note_target(state, side, name):
    """Remember the agent chosen, for the log: what the card's owner chose goes before what the opponent chose."""
    if side == state[x.EV_SIDE] or state[x.EV_TARGET] < 0:
        state[x.EV_TARGET] = name


# --- Division M -------------------------------------------------------------------------------------------------------
@jit
def show_symbol(state, table, side, symbol, stage, ordinal):
    """What a Division M symbol does (D1). Returns True if the side is asked where its pawn goes."""
    if symbol < 0:
        state[x.M_SPACE + side] = table[x.HOME + side]
    elif symbol > 0 and state[x.M_SPACE + side] >= 0:
        ring = table[x.RING]
        state[x.M_REACH] = min(symbol, ring // 2)
        state[x.STAGE] = stage
        ask(state, table, x.ASK_M, side, -1, min(2 * symbol + 1, ring), ordinal)
        return True
    return False


@jit
def move_division_m(state, table, option):
    """The answer to ASK_M."""
    side = state[x.ASKED] & 1
    ring = table[x.RING]
    state[x.M_SPACE + side] = (state[x.M_SPACE + side] + option - state[x.M_REACH] + ring) % ring
