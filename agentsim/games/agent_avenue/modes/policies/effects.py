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
from agentsim.games.agent_avenue.zones import count, lowest, name_set, one, ones, pop_lowest, remove, size
from agentsim.jit import jit

__all__ = ["after_recruit", "after_symbol", "after_take", "after_take_back", "card_value", "hand_choices"]

_YET = 3.0
"""Recruitments that a side is expected to make yet."""
_LOW = -1e9


# --- single effects; all leave the board as it was ---------------------------------------------------------------
@jit
def after_recruit(scratch, table, rows, policy, side, name):
    """The value after a side has recruited an agent, its Division M pawn moved as is best for that side."""
    recruit(scratch, table, side, name)
    symbol = table[x.SYMBOLS + 16 * (name & 15) + count(scratch[PLAY + side], name)]
    if symbol == 0:
        found = value(scratch, table, rows, policy, 0.0)
    else:
        found = _with_symbol(scratch, table, rows, policy, side, symbol)
    restore(scratch)
    return found


@jit
def after_symbol(scratch, table, rows, policy, side, symbol):
    """The value after a side's Division M pawn has moved as is best for it."""
    found = _with_symbol(scratch, table, rows, policy, side, symbol)
    restore(scratch)
    return found


@jit
def _with_symbol(scratch, table, rows, policy, side, symbol):
    spaces = within_reach(scratch, table, side, symbol)
    if spaces == 0:
        return value(scratch, table, rows, policy, 0.0)
    sign = 1.0 if side == scratch[s.ME] else -1.0
    best = _LOW
    for space in range(table[x.RING]):
        if (spaces >> space) & 1:
            scratch[x.M_SPACE + side] = space
            best = max(best, sign * value(scratch, table, rows, policy, 0.0))
    return sign * best


@jit
def after_take(scratch, table, rows, policy, side, name):
    """The value after a side has taken an agent of its opponent's into hand."""
    scratch[PLAY + 1 - side] = remove(scratch[PLAY + 1 - side], name)
    found = value(scratch, table, rows, policy, 0.0)
    restore(scratch)
    return found


@jit
def after_take_back(scratch, table, rows, policy, side, name, may_recruit):
    """The value after a side has taken one of its agents back into hand and, if it may and it pays, recruited it."""
    scratch[PLAY + side] = remove(scratch[PLAY + side], name)
    found = value(scratch, table, rows, policy, 0.0)
    if may_recruit:
        again = after_recruit(scratch, table, rows, policy, side, name)
        found = max(found, again) if side == scratch[s.ME] else min(found, again)
    restore(scratch)
    return found


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


@jit
def _effect_value(scratch, table, rows, policy, side, op, agent, number, before):
    """The value after one effect for one side."""
    sign = 1.0 if side == scratch[s.ME] else -1.0
    if op == x.MOVE:
        move_pawn(scratch, table, side, number)
        found = value(scratch, table, rows, policy, 0.0)
        restore(scratch)
        return found
    if op == x.SYMBOL:
        return after_symbol(scratch, table, rows, policy, side, number)
    if op == x.CLEAR:
        scratch[PLAY] = scratch[PLAY + 1] = 0
        found = value(scratch, table, rows, policy, 0.0)
        restore(scratch)
        return found
    if op == x.FROM_DECK:
        return _off_the_deck(scratch, table, rows, policy, side, before)
    names, best = np.int64(0), _LOW
    if op == x.TAKE_BACK:
        names = name_set(scratch[PLAY + side])
    elif op == x.TAKE:
        names = name_set(scratch[PLAY + 1 - side])
    elif x.OF_NAME <= op <= x.OF_PAIR:
        if side != scratch[s.ME] or scratch[s.HAND] == 0:
            return _from_unseen_hand(scratch, table, rows, policy, side, op, agent, before)
        names = hand_choices(scratch, op, agent, scratch[s.HAND], side)
    if names == 0:
        return before
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        if op == x.TAKE_BACK:
            found = after_take_back(scratch, table, rows, policy, side, name, number)
        elif op == x.TAKE:
            found = after_take(scratch, table, rows, policy, side, name)
        else:
            found = after_recruit(scratch, table, rows, policy, side, name)
        best = max(best, sign * found)
    return sign * best


@jit
def _off_the_deck(scratch, table, rows, policy, side, before):
    unseen = scratch[s.UNSEEN]
    if scratch[s.DECK] == 0 or unseen == 0:
        return before
    total, names = 0.0, name_set(unseen)
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        total += count(unseen, name) * after_recruit(scratch, table, rows, policy, side, name)
    return total / size(unseen)


@jit
def _from_unseen_hand(scratch, table, rows, policy, side, op, agent, before):
    unseen, shown = scratch[s.UNSEEN], scratch[s.SHOWN + (side != scratch[s.ME])]
    n_unseen = max(size(unseen), 1)
    if op == x.OF_NAME:
        lacks = 0.0 if count(shown, agent) else (1.0 - count(unseen, agent) / n_unseen) ** 2
        found = after_recruit(scratch, table, rows, policy, side, agent)
        return before + (1.0 - lacks * lacks) * (found - before)
    if op == x.OF_PAIR:
        names = name_set(unseen)
    else:
        names = hand_choices(scratch, op, agent, unseen + shown, side)
    sign = 1.0 if side == scratch[s.ME] else -1.0
    best, total, copies = _LOW, 0.0, 0
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        found = after_recruit(scratch, table, rows, policy, side, name)
        best = max(best, sign * found)
        total += max(count(unseen, name), 1) * found
        copies += max(count(unseen, name), 1)
    if copies == 0:
        return before
    found = 0.5 * (total / copies + sign * best)
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
    held, change = count(scratch[PLAY + side], agent), 0
    for copies in range(held + 1, min(held + 3, 16)):
        move = table[MOVES + 16 * agent + copies]
        hit = scratch[x.HELD + side] & table[x.ON_RECRUIT + agent]
        change -= changed_move(scratch, table, side, agent, move, hit)
        give_card(scratch, side, copy)
        hit = scratch[x.HELD + side] & table[x.ON_RECRUIT + agent]
        change += changed_move(scratch, table, side, agent, move, hit)
        restore(scratch)
    return 0.5 * change
