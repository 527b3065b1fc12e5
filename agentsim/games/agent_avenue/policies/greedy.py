"""``greedy``: one turn ahead, the exchange's own points.

Value of an outcome (I get x, the opponent y), counts after recruiting::

    100 * (my move - its move) + 10 * (my lead after) + 300 * (my codebreakers - its) + 350 * (its daredevils - mine)

plus 100000 if the outcome ends the game for me by the rules, ties included, minus 100000 if against me. Offers the pair
whose worse outcome is best; takes the card with the better expectation over the unseen cards. Exact ties uniformly.
Never discards. All values are integers, so ties are exact. Agents with a winning set count as codebreakers, agents with
a losing set as daredevils.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.policies.exchange import (
    CLOSING,
    NEXT,
    PAIRS,
    POINTS,
    THEM,
    ahead_of,
    catches,
    ends,
    losing_cards,
    may_complete,
    next_sets,
    winning_cards,
)
from agentsim.games.agent_avenue.rules import ALL_CARDS, LOSES_AT, NEVER, TIE_RULE, WINS_AT
from agentsim.games.agent_avenue.view import offer_action
from agentsim.games.agent_avenue.zones import count, first_one, lowest, name_set, one, ones, pop_lowest, size
from agentsim.jit import jit
from agentsim.rng import below


@jit
def _of_sets(table, name):
    """Points that a card brings whoever recruits it, for the set that it belongs to."""
    return 300 * (table[WINS_AT + name] != NEVER) - 350 * (table[LOSES_AT + name] != NEVER)


@jit(inline="always")
def greedy_offer(view, seat, table, scratch, key):
    names = name_set(view.hand)
    if pop_lowest(names) == 0:
        return offer_action(lowest(names), lowest(names))
    me, it = ahead_of(seat)
    rest = names
    while rest:
        name = lowest(rest)
        rest = pop_lowest(rest)
        points = _of_sets(table, name)
        scratch[POINTS + name] = 110 * scratch[me + NEXT + name] + points
        scratch[POINTS + THEM + name] = 110 * scratch[it + NEXT + name] + points
    no_sets = (scratch[me + CLOSING] | scratch[it + CLOSING]) & names == 0
    # `equals` has one bit for each pair whose worse outcome is the best so far. The compiler makes selections of it: a
    # branch that hangs on values would be guessed wrong too often, and calling for chance at every tie costs as much.
    best, equals, pair = np.int64(-10**9), np.int64(0), np.int64(0)
    rest = names
    while rest:
        a = lowest(rest)
        rest = pop_lowest(rest)
        others = rest
        while others:
            b = lowest(others)
            others = pop_lowest(others)
            with_a = view.lead + scratch[me + NEXT + a] - scratch[it + NEXT + b]
            with_b = view.lead + scratch[me + NEXT + b] - scratch[it + NEXT + a]
            if no_sets:
                end_a, end_b = catches(view, with_a), catches(view, with_b)
            else:
                tie = table[TIE_RULE]
                end_a = ends(view, tie, True, with_a, next_sets(table, view.mine, a), next_sets(table, view.theirs, b))
                end_b = ends(view, tie, True, with_b, next_sets(table, view.mine, b), next_sets(table, view.theirs, a))
            worse = min(scratch[POINTS + a] - scratch[POINTS + THEM + b] + 100000 * end_a,
                        scratch[POINTS + b] - scratch[POINTS + THEM + a] + 100000 * end_b)
            bit = np.int64(1) << pair
            if worse > best:
                best, equals = worse, bit
            elif worse == best:
                equals |= bit
            scratch[PAIRS + (pair & 31)] = offer_action(a, b)
            pair += 1
    for _ in range(below(key, ones(equals))):
        equals = pop_lowest(equals)
    action = scratch[PAIRS + first_one(equals)]
    # Which of the two lies face up makes no difference to the worse outcome: the last tie.
    return action if key & np.uint64(1) else offer_action(action & 15, action >> 4)


@jit(inline="always")
def greedy_take(view, seat, table, scratch, key):
    up = view.up & 15
    me, it = ahead_of(seat)
    up_me, up_it = scratch[me + NEXT + up], scratch[it + NEXT + up]
    unseen = table[ALL_CARDS] - view.mine - view.theirs - view.hand - one(up)
    delicate = may_complete(scratch, me, it, unseen, up)
    plain = unseen & ~(15 * delicate)
    moves, ended = np.int64(0), np.int64(0)
    for hidden in range(16):
        move_me, move_it = scratch[me + NEXT + hidden], scratch[it + NEXT + hidden]
        moves += count(unseen, hidden) * (move_me + move_it)
        ended += count(plain, hidden) * (catches(view, view.lead + up_me - move_it)
                                         - catches(view, view.lead + move_me - up_it))
    while delicate:
        hidden = lowest(delicate)
        delicate = pop_lowest(delicate)
        if_up = ends(view, table[TIE_RULE], False, view.lead + up_me - scratch[it + NEXT + hidden],
                     next_sets(table, view.mine, up), next_sets(table, view.theirs, hidden))
        if_hidden = ends(view, table[TIE_RULE], False, view.lead + scratch[me + NEXT + hidden] - up_it,
                         next_sets(table, view.mine, hidden), next_sets(table, view.theirs, up))
        ended += count(unseen, hidden) * (if_up - if_hidden)
    # The sum over the unseen cards of (value with the face-up card - value with the hidden one).
    of_up = 110 * (up_me + up_it) + 2 * _of_sets(table, up)
    of_hidden = 110 * moves + 600 * winning_cards(unseen, table) - 700 * losing_cards(unseen, table)
    difference = size(unseen) * of_up - of_hidden + 100000 * ended
    if difference == 0:
        return np.int64(key >> np.uint64(63))
    return 1 if difference > 0 else 0
