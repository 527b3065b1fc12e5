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
from agentsim.games.agent_avenue.rules import LOSES_AT, N_NAMES, NEVER, TIE_RULE, WINS_AT
from agentsim.games.agent_avenue.view import offer_action
from agentsim.games.agent_avenue.zones import lowest, name_set, pop_lowest
from agentsim.jit import jit
from agentsim.rng import below, word


@jit
def greedy_standing(view, table):
    """The part of every outcome's value that stands before the exchange (it cancels out of every comparison)."""
    return (10 * view.lead
            + 300 * (winning_cards(view.mine, table) - winning_cards(view.theirs, table))
            + 350 * (losing_cards(view.theirs, table) - losing_cards(view.mine, table)))


@jit(inline="always")
def _look_at(view, table, scratch, name):
    look_at(view, table, scratch, name)
    of_sets = 300 * (table[WINS_AT + name] != NEVER) - 350 * (table[LOSES_AT + name] != NEVER)
    scratch[POINTS + name] = 110 * scratch[MOVE + name] + of_sets
    scratch[POINTS + THEM + name] = 110 * scratch[MOVE + THEM + name] + of_sets


@jit(inline="always")
def greedy_outcome(view, table, scratch, active, mine, theirs):
    """Value for the viewer of recruiting ``mine`` while the opponent recruits ``theirs``, without the standing part."""
    lead = view.lead + scratch[MOVE + mine] - scratch[MOVE + THEM + theirs]
    end = ends(view, table[TIE_RULE], active, lead, scratch[SET + mine], scratch[SET + THEM + theirs])
    return scratch[POINTS + mine] - scratch[POINTS + THEM + theirs] + 100000 * end


@jit
def greedy_offer(view, table, scratch, key):
    names = name_set(view.hand)
    if pop_lowest(names) == 0:
        return offer_action(lowest(names), lowest(names))
    best, ties, x, y = np.int64(-10**9), 0, 0, 0
    rest = names
    while rest:
        _look_at(view, table, scratch, lowest(rest))
        rest = pop_lowest(rest)
    rest = names
    while rest:
        a = lowest(rest)
        rest = pop_lowest(rest)
        others = rest
        while others:
            b = lowest(others)
            others = pop_lowest(others)
            worse = min(greedy_outcome(view, table, scratch, True, a, b),
                        greedy_outcome(view, table, scratch, True, b, a))
            if worse > best:
                best, ties, x, y = worse, 1, a, b
            elif worse == best:
                ties += 1
                if below(word(key, ties), ties) == 0:  # keeps each of the equal pairs with the same chance
                    x, y = a, b
    # Which of the two lies face up makes no difference to the worse outcome: the last tie.
    if word(key, 0) >> np.uint64(63):
        x, y = y, x
    return offer_action(x, y)


@jit
def greedy_take(view, table, scratch, key):
    up = view.up
    difference = 0
    _look_at(view, table, scratch, up)
    for hidden in range(table[N_NAMES]):
        copies = copies_unseen(view, table, hidden) - (hidden == up)
        if copies > 0:
            _look_at(view, table, scratch, hidden)
            difference += copies * (greedy_outcome(view, table, scratch, False, up, hidden)
                                    - greedy_outcome(view, table, scratch, False, hidden, up))
    if difference == 0:
        return np.int64(word(key, 0) >> np.uint64(63))
    return 1 if difference > 0 else 0
