"""``minmax``: a cautious linear evaluation, one turn ahead.

Value of an outcome, counts after recruiting::

    2 * lead + 1.5 * (my codebreakers - its) - 0.6 * (my daredevils - its) + [I have exactly 2 sentinels] - [it has]

*instead of it* +100 / -100 when the outcome ends the game (a double condition is won by the viewer only if active).
Offers by 0.7 * worse + 0.3 * mean of the two outcomes plus noise U(0, 0.01); takes by expectation over the unseen cards
other than the face-up name (none left: takes the face-up card; exact tie 1/2). Never discards.

Values are kept as integers in tenths, so that ties are exact. Agents with a winning set count as codebreakers, agents
with a losing set as daredevils; ``sentinel`` is the number of the sentinel in the card table, -1 if there is none.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.policies.exchange import (
    CLOSING,
    NEXT,
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
from agentsim.games.agent_avenue.rules import ALL_CARDS, LOSES_AT, NEVER, TIE_ACTIVE, WINS_AT
from agentsim.games.agent_avenue.view import offer_action
from agentsim.games.agent_avenue.zones import count, lowest, name_set, one, pop_lowest
from agentsim.jit import jit
from agentsim.rng import word

_HALF, _LOWER = np.uint64(32), np.uint64(0xFFFFFFFF)
_BLUR = 0.01 / 2.0**32  # from half a random word to U(0, 0.01)


@jit(inline="always")
def minmax_standing(view, table, sentinel):
    """Value in tenths of the position before the exchange; an outcome adds what its two recruits change."""
    pairs = 0
    if sentinel >= 0:
        pairs = 10 * (count(view.mine, sentinel) == 2) - 10 * (count(view.theirs, sentinel) == 2)
    return (20 * view.lead + pairs
            + 15 * (winning_cards(view.mine, table) - winning_cards(view.theirs, table))
            - 6 * (losing_cards(view.mine, table) - losing_cards(view.theirs, table)))


@jit(inline="always")
def _pair_change(zone, sentinel):
    """What one more sentinel is worth to its owner: the second makes the pair, the third breaks it."""
    held = count(zone, sentinel) if sentinel >= 0 else np.int64(0)
    return 10 * (held == 1) - 10 * (held == 2)


@jit(inline="always")
def _gain(table, name, move, sentinel, pair_change):
    """What recruiting a card changes in the standing, in tenths."""
    of_sets = 15 * (table[WINS_AT + name] != NEVER) - 6 * (table[LOSES_AT + name] != NEVER)
    return 20 * move + of_sets + (pair_change if name == sentinel else 0)


@jit(inline="always")
def _value(end, value):
    """An end counts instead of the value, not on top of it."""
    return 1000 * end if end != 0 else value


@jit
def minmax_offer(view, seat, table, sentinel, scratch, key):
    names = name_set(view.hand)
    if pop_lowest(names) == 0:
        return offer_action(lowest(names), lowest(names))
    me, it = ahead_of(seat)
    standing = minmax_standing(view, table, sentinel)
    pair_me, pair_it = _pair_change(view.mine, sentinel), _pair_change(view.theirs, sentinel)
    rest = names
    while rest:
        name = lowest(rest)
        rest = pop_lowest(rest)
        scratch[POINTS + name] = _gain(table, name, scratch[me + NEXT + name], sentinel, pair_me)
        scratch[POINTS + THEM + name] = _gain(table, name, scratch[it + NEXT + name], sentinel, pair_it)
    no_sets = (scratch[me + CLOSING] | scratch[it + CLOSING]) & names == 0
    best, choice = -1e9, np.int64(0)
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
                end_a = ends(view, TIE_ACTIVE, True, with_a, next_sets(table, view.mine, a),
                             next_sets(table, view.theirs, b))
                end_b = ends(view, TIE_ACTIVE, True, with_b, next_sets(table, view.mine, b),
                             next_sets(table, view.theirs, a))
            first = _value(end_a, standing + scratch[POINTS + a] - scratch[POINTS + THEM + b])
            second = _value(end_b, standing + scratch[POINTS + b] - scratch[POINTS + THEM + a])
            # Each order of the pair has its own noise, half a random word; only the better order can be chosen.
            noise = word(key, offer_action(a, b))
            noise_ab, noise_ba = np.int64(noise >> _HALF), np.int64(noise & _LOWER)
            value = 0.1 * (0.7 * min(first, second) + 0.15 * (first + second)) + _BLUR * max(noise_ab, noise_ba)
            action = offer_action(a, b) if noise_ab >= noise_ba else offer_action(b, a)
            if value > best:
                best, choice = value, action
    return choice


@jit
def minmax_take(view, seat, table, sentinel, scratch, key):
    up = view.up & 15
    me, it = ahead_of(seat)
    standing = minmax_standing(view, table, sentinel)
    pair_me, pair_it = _pair_change(view.mine, sentinel), _pair_change(view.theirs, sentinel)
    up_me, up_it = scratch[me + NEXT + up], scratch[it + NEXT + up]
    with_up = standing + _gain(table, up, up_me, sentinel, pair_me)
    with_hidden = standing - _gain(table, up, up_it, sentinel, pair_it)
    unseen = (table[ALL_CARDS] - view.mine - view.theirs - view.hand) & ~(15 * one(up))
    delicate = may_complete(scratch, me, it, unseen, up)
    plain = unseen & ~(15 * delicate)
    difference = np.int64(0)
    for hidden in range(16):
        move_me, move_it = scratch[me + NEXT + hidden], scratch[it + NEXT + hidden]
        difference += count(plain, hidden) * (
            _value(catches(view, view.lead + up_me - move_it),
                   with_up - _gain(table, hidden, move_it, sentinel, pair_it))
            - _value(catches(view, view.lead + move_me - up_it),
                     with_hidden + _gain(table, hidden, move_me, sentinel, pair_me)))
    while delicate:
        hidden = lowest(delicate)
        delicate = pop_lowest(delicate)
        move_me, move_it = scratch[me + NEXT + hidden], scratch[it + NEXT + hidden]
        if_up = ends(view, TIE_ACTIVE, False, view.lead + up_me - move_it,
                     next_sets(table, view.mine, up), next_sets(table, view.theirs, hidden))
        if_hidden = ends(view, TIE_ACTIVE, False, view.lead + move_me - up_it,
                         next_sets(table, view.mine, hidden), next_sets(table, view.theirs, up))
        difference += count(unseen, hidden) * (
            _value(if_up, with_up - _gain(table, hidden, move_it, sentinel, pair_it))
            - _value(if_hidden, with_hidden + _gain(table, hidden, move_me, sentinel, pair_me)))
    if unseen != 0 and difference == 0:
        return np.int64(key >> np.uint64(63))
    return 1 if difference >= 0 else 0
