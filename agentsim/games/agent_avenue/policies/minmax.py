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
    MOVE,
    POINTS,
    SET,
    THEM,
    copies_unseen,
    ends,
    look_at,
    losing_cards,
    winning_cards,
)
from agentsim.games.agent_avenue.rules import LOSES_AT, N_NAMES, NEVER, TIE_ACTIVE, WINS_AT
from agentsim.games.agent_avenue.view import offer_action
from agentsim.games.agent_avenue.zones import count, lowest, name_set, pop_lowest
from agentsim.jit import jit
from agentsim.rng import unit, word


@jit
def minmax_standing(view, table, sentinel):
    """Value in tenths of the position before the exchange; an outcome adds what its two recruits change."""
    pairs = 0
    if sentinel >= 0:
        pairs = 10 * (count(view.mine, sentinel) == 2) - 10 * (count(view.theirs, sentinel) == 2)
    return (20 * view.lead + pairs
            + 15 * (winning_cards(view.mine, table) - winning_cards(view.theirs, table))
            - 6 * (losing_cards(view.mine, table) - losing_cards(view.theirs, table)))


@jit(inline="always")
def _look_at(view, table, scratch, sentinel, name):
    look_at(view, table, scratch, name)
    for_me = 15 * (table[WINS_AT + name] != NEVER) - 6 * (table[LOSES_AT + name] != NEVER)
    for_it = for_me
    if name == sentinel:  # the second makes the pair, the third breaks it
        for_me += 10 * (count(view.mine, name) == 1) - 10 * (count(view.mine, name) == 2)
        for_it += 10 * (count(view.theirs, name) == 1) - 10 * (count(view.theirs, name) == 2)
    scratch[POINTS + name] = 20 * scratch[MOVE + name] + for_me
    scratch[POINTS + THEM + name] = 20 * scratch[MOVE + THEM + name] + for_it


@jit(inline="always")
def minmax_outcome(view, scratch, standing, active, mine, theirs):
    """Value in tenths of recruiting ``mine`` while the opponent recruits ``theirs``."""
    lead = view.lead + scratch[MOVE + mine] - scratch[MOVE + THEM + theirs]
    end = ends(view, TIE_ACTIVE, active, lead, scratch[SET + mine], scratch[SET + THEM + theirs])
    if end != 0:
        return 1000 * end
    return standing + scratch[POINTS + mine] - scratch[POINTS + THEM + theirs]


@jit
def minmax_offer(view, table, sentinel, scratch, key):
    names = name_set(view.hand)
    if pop_lowest(names) == 0:
        return offer_action(lowest(names), lowest(names))
    standing = minmax_standing(view, table, sentinel)
    rest = names
    while rest:
        _look_at(view, table, scratch, sentinel, lowest(rest))
        rest = pop_lowest(rest)
    best, choice = -1e9, 0
    rest = names
    while rest:
        a = lowest(rest)
        rest = pop_lowest(rest)
        others = rest
        while others:
            b = lowest(others)
            others = pop_lowest(others)
            first = minmax_outcome(view, scratch, standing, True, a, b)
            second = minmax_outcome(view, scratch, standing, True, b, a)
            value = 0.1 * (0.7 * min(first, second) + 0.15 * (first + second))
            for action in (offer_action(a, b), offer_action(b, a)):
                noisy = value + 0.01 * unit(word(key, action))
                if noisy > best:
                    best, choice = noisy, action
    return choice


@jit
def minmax_take(view, table, sentinel, scratch, key):
    standing, up = minmax_standing(view, table, sentinel), view.up
    difference, unseen = 0, 0
    _look_at(view, table, scratch, sentinel, up)
    for hidden in range(table[N_NAMES]):
        copies = copies_unseen(view, table, hidden)
        if hidden != up and copies > 0:
            unseen += copies
            _look_at(view, table, scratch, sentinel, hidden)
            difference += copies * (minmax_outcome(view, scratch, standing, False, up, hidden)
                                    - minmax_outcome(view, scratch, standing, False, hidden, up))
    if unseen > 0 and difference == 0:
        return np.int64(word(key, 0) >> np.uint64(63))
    return 1 if difference >= 0 else 0
