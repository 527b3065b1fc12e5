"""What a Black Market card is worth to the side that decides: its effects tried out on the board.

An instant effect is worth what it changes in :func:`~agentsim.games.agent_avenue.modes.policies.worth.value`, with the
best choice of whoever it is for; a card off the deck counts as the mean over the unseen cards. An ongoing card counts
for its End conditions as ``value`` does, and for its moves by its *promise*: the spaces that it is expected to add to
three more recruitments and moves of its owner.

A hand that the decider does not see (a partner's, the opponent's) counts as four unseen cards: it holds a name of
which a share u of the unseen cards is with chance 1 - (1 - u)^4, for certain one that was shown; of several names that
an effect may choose from it brings the mean of the average and the best; and it has a pair with 1/2.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.engine import PLAY
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.movement import changed_move, move_pawn, recruit
from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.modes.policies.board import give_card, restore
from agentsim.games.agent_avenue.modes.policies.glance import points_after, points_with_promise
from agentsim.games.agent_avenue.modes.policies.lanes import within_reach
from agentsim.games.agent_avenue.modes.policies.worth import (
    P_AMBUSH,
    P_ENGINE,
    P_RUSH,
    P_SCHEME,
    P_THEFT,
    value,
)
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_PLANNER
from agentsim.games.agent_avenue.rules import MOVES
from agentsim.games.agent_avenue.zones import count, first_one, lowest, name_set, one, ones, pop_lowest, remove, size
from agentsim.jit import jit

__all__ = ["after", "card_value", "hand_choices"]

_YET = 3.0
"""Recruitments that a side is expected to make yet."""
_LOW = -1e9


# --- single effects; all leave the board as it was ---------------------------------------------------------------
@jit
def after(scratch, table, rows, policy, side, op, name, number):
    """The value after an effect has worked for a side, its Division M pawn moved as is best for that side.

    On an agent: taken from the opponent, taken back and (``number``) recruited at once if that pays, or else recruited.
    Or of MOVE, CLEAR, SYMBOL, which concern no agent; ``number``: spaces, symbol.
    """
    if scratch[s.AT_A_GLANCE] != 0:
        return float(points_after(scratch, table, side, op, name, number))
    sign, best, symbol = 1.0 if side == scratch[s.ME] else -1.0, _LOW, np.int64(0)
    if op == x.MOVE:
        move_pawn(scratch, table, side, number)
    elif op == x.CLEAR:
        scratch[PLAY] = scratch[PLAY + 1] = 0
    elif op == x.SYMBOL:
        symbol = number
    elif op == x.TAKE:
        scratch[PLAY + 1 - side] = remove(scratch[PLAY + 1 - side], name)
    elif op == x.TAKE_BACK:
        scratch[PLAY + side] = remove(scratch[PLAY + side], name)
    recruits = x.FROM_DECK <= op <= x.OF_PAIR
    for again in range(2):
        if recruits:
            recruit(scratch, table, side, name)
            symbol = table[x.SYMBOLS + 16 * (name & 15) + count(scratch[PLAY + side], name)]
        spaces = within_reach(scratch, table, side, symbol) if symbol != 0 else np.int64(0)
        trying = True
        while trying:
            if spaces != 0:
                scratch[x.M_SPACE + side] = first_one(spaces)
                spaces &= spaces - np.int64(1)
            best = max(best, sign * value(scratch, table, rows, policy, 0.0))
            trying = spaces != 0
        recruits = op == x.TAKE_BACK and number != 0
        if again == 1 or not recruits:
            break
    restore(scratch)
    return sign * best


@jit
def hand_choices(scratch, op, agent, hand, side):
    """The names of a hand that an effect lets its owner recruit, as a set."""
    if op == x.OF_NAME:
        return name_set(hand) & one(agent)
    if op == x.OF_NEW:
        return name_set(hand) & ~name_set(scratch[PLAY + side])
    if op == x.OF_PAIR:
        twos = (hand >> np.int64(1)) | (hand >> np.int64(2)) | (hand >> np.int64(3))
        return twos & np.int64(0x1111111111111111)
    return name_set(hand)


@jit(inline="always")
def _effect_value(scratch, table, rows, policy, side, op, agent, number, before):
    """The value after one effect for one side."""
    is_mine, unseen, unknown = side == scratch[s.ME], scratch[s.UNSEEN], False
    sign = 1.0 if is_mine else -1.0
    names, shown = np.int64(0), scratch[s.SHOWN + (not is_mine)]
    if op in (x.MOVE, x.CLEAR, x.SYMBOL):
        names = np.int64(1)  # of no agent: one trial
    elif op == x.TAKE_BACK:
        names = name_set(scratch[PLAY + side])
    elif op == x.TAKE:
        names = name_set(scratch[PLAY + 1 - side])
    elif op == x.FROM_DECK:
        names = name_set(unseen) if scratch[s.DECK] != 0 else names
    elif x.OF_NAME <= op <= x.OF_PAIR:
        unknown = not is_mine or scratch[s.HAND] == 0
        if not unknown:
            names = hand_choices(scratch, op, agent, scratch[s.HAND], side)
        elif op == x.OF_NAME:
            names = one(agent)
        elif op == x.OF_PAIR:
            names = name_set(unseen)
        else:
            names = hand_choices(scratch, op, agent, unseen + shown, side)
    if names == 0:
        return before
    best, total, copies = _LOW, 0.0, 0
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        found = after(scratch, table, rows, policy, side, op, name, number)
        weight = count(unseen, name)
        if unknown:
            weight = max(weight, 1)
        best = max(best, sign * found)
        total += weight * found
        copies += weight
    best *= sign
    if op == x.FROM_DECK:
        return total / copies
    if not unknown:
        return best
    if op == x.OF_NAME:
        lacks = 0.0 if count(shown, agent) else (1.0 - count(unseen, agent) / max(size(unseen), 1)) ** 2
        return before + (1.0 - lacks * lacks) * (best - before)
    found = 0.5 * (total / copies + best)
    return 0.5 * (found + before) if op == x.OF_PAIR else found


# --- a card -----------------------------------------------------------------------------------------------------------
@jit
def card_value(scratch, table, rows, policy, copy, before):
    """The value of taking a card, tastes of a planner included. ``before``: the value of the board as it is."""
    me = scratch[s.ME] & 1
    card = table[x.COPY + copy]
    found = before
    first = table[x.FIRST_EFFECT + card]
    if table[x.KIND + card] == 1:
        spaces = _promise(scratch, table, me, copy)
        if scratch[s.AT_A_GLANCE] != 0 and (table[x.AT_END] >> copy) & 1 == 0:
            found = points_with_promise(scratch, spaces)
        else:
            give_card(scratch, me, copy)
            found = value(scratch, table, rows, policy, spaces)
            restore(scratch)
    for effect in range(first, first + table[x.N_EFFECTS + card]):
        at = x.EFFECTS + x.EFFECT_SIZE * effect
        op, who = table[at + x.E_OP], table[at + x.E_WHO]
        if op >= x.MOVE:
            for side in range(2):
                if who == x.BOTH or (side == me) == (who == x.OWN):
                    found += _effect_value(scratch, table, rows, policy, side, op, table[at + x.E_AGENT],
                                           table[at + x.E_N], before) - before
        if scratch[s.FAMILY] == FAMILY_PLANNER:
            found += _taste(scratch, rows, policy, op, who)
    return found


@jit
def _taste(scratch, rows, policy, op, who):
    if op <= x.LAND_M:
        return rows[policy, P_ENGINE]
    if op <= x.IF_LOSING:
        return rows[policy, P_SCHEME]
    if op <= x.IF_NEAR_M:
        return rows[policy, P_AMBUSH]
    if op == x.TAKE and scratch[PLAY + 1 - (scratch[s.ME] & 1)] != 0:
        return rows[policy, P_THEFT]
    if op == x.MOVE and who != x.RIVAL:
        return rows[policy, P_RUSH]
    return 0.0


@jit
def _promise(scratch, table, side, copy):
    """Spaces that an ongoing card is expected to move its owner's pawn in the rest of the game."""
    card, ring = table[x.COPY + copy], table[x.RING]
    first, total = table[x.FIRST_EFFECT + card], 0.0
    cards = scratch[s.UNSEEN] + scratch[s.HAND]
    for effect in range(first, first + table[x.N_EFFECTS + card]):
        at = x.EFFECTS + x.EFFECT_SIZE * effect
        op, agent, number = table[at + x.E_OP], table[at + x.E_AGENT], table[at + x.E_N]
        if op <= x.ADD:
            if agent >= 0:
                share = count(cards, agent) / max(size(cards), 1)
                total += _YET * share * _mean_change(scratch, table, side, copy, agent)
        elif op == x.LAND_HOME:
            total += _YET * number * 2.0 / ring
        elif op == x.LAND_MARKET:
            total += _YET * number * float(ones(table[x.CORNERS])) / ring
        elif op == x.LAND_M and scratch[x.M_SPACE + side] >= 0:
            total += _YET * number / ring
    return total


@jit
def _mean_change(scratch, table, side, copy, agent):
    """By how many spaces a card changes the moves of the next two copies of an agent, on average."""
    held, change = count(scratch[PLAY + side], agent), np.int64(0)
    for after in range(2):
        hit = scratch[x.HELD + side] & table[x.ON_RECRUIT + agent]
        for copies in range(held + 1, min(held + 3, 16)):
            move = table[MOVES + 16 * agent + copies]
            if hit:
                move = changed_move(scratch, table, side, agent, move, hit)
            change += move if after else -move
        if after == 0:
            give_card(scratch, side, copy)
    restore(scratch)
    return 0.5 * change
