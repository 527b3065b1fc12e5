"""The policy of a best response: against one measured policy, by dynamic programming over public states.

Offers are the solver's own (``player.solver_offer``) with the measured answers in place of the equilibrium's. Answers
weigh the hidden card by the measured offers, without what the responder holds itself, and value what follows by the
offers that its hand will allow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agentsim.games.agent_avenue.rules import COPIES
from agentsim.games.agent_avenue.solver import player as p
from agentsim.games.agent_avenue.solver.backward import fill_outcomes, type_chances
from agentsim.games.agent_avenue.solver.parameters import ANSWERS, FACTS, N_STATES, VALUES
from agentsim.games.agent_avenue.solver.turn_game import SIZE, turn_values
from agentsim.games.agent_avenue.user import jit_take
from agentsim.games.agent_avenue.zones import count
from agentsim.jit import jit
from agentsim.rng import word

__all__ = ["INDEX", "N_MEASURED", "OFFERS", "OWN_VALUES", "respond_states", "responder_take"]

OWN_VALUES, INDEX, OFFERS, N_MEASURED = range(20, 24)
"""Where the addresses of further arrays stand in the row: the responder's values as offerer, each state's place among
the measured ones (-1: none), the measured offers; and how many there are."""

carray: Any = p.carray
_pointer: Any = p._pointer


@jit
def respond_states(order, n, digit, moves, wins, loses, gap, side, tie, copies, hand, sets, chances, work, left,
                   answered, answers, index, offers, own, theirs, outcomes, values, q):
    """One sweep over ``order`` (the most agents first): the values of both sides when the responder answers best.

    ``answered`` marks states in which the responder offers; ``index`` and ``offers`` are the target's measured offers;
    ``own``: the responder's winning chance when it is to offer; ``theirs``: the target's when that is.
    """
    for at in range(order.shape[0]):
        state = order[at]
        lead, a, b = state // (side * side) - gap + 1, state // side % side, state % side
        if answered[state] > 0:
            for name in range(n):
                left[name] = copies[name]
                if digit[name] > 0:
                    left[name] = max(left[name] - a // digit[name] % 3 - b // digit[name] % 3, 0)
                q[name] = answers[state, name] / 255.0
            type_chances(left, n, hand, sets, chances, work)
            fill_outcomes(lead, a, b, n, digit, moves, wins, loses, gap, side, tie, theirs, outcomes)
            turn_values(n, outcomes, q, values)
            total = 0.0
            for t in range(sets.shape[0]):
                if chances[t] > 0.0:
                    total += chances[t] * p._best_of(sets[t], values, n)
            own[state] = total
        row = index[state]
        if row >= 0:
            fill_outcomes(lead, a, b, n, digit, moves, wins, loses, gap, side, tie, own, outcomes)
            total = 0.0
            for u in range(n):
                taken, kept = 0.0, 0.0
                for d in range(n):
                    taken += offers[row, u, d] * outcomes[d, u]
                    kept += offers[row, u, d] * outcomes[u, d]
                total += min(taken, kept)
            theirs[state] = total


@jit_take
def responder_take(view, table, params, key):
    """1 for the face-up card, 0 for the hidden one."""
    states = np.int64(params[N_STATES])
    theirs_values = carray(_pointer(np.uintp(params[VALUES])), (states,), np.float32)
    answers = carray(_pointer(np.uintp(params[ANSWERS])), (states, SIZE), np.uint8)
    facts = carray(_pointer(np.uintp(params[FACTS])), (4096,), np.int64)
    own_values = carray(_pointer(np.uintp(params[OWN_VALUES])), (states,), np.float32)
    index = carray(_pointer(np.uintp(params[INDEX])), (states,), np.int32)
    measured = carray(_pointer(np.uintp(params[OFFERS])), (np.int64(params[N_MEASURED]), SIZE, SIZE), np.float32)
    n, gap, side, tie = facts[p.F_NAMES], facts[p.F_GAP], facts[p.F_SIDE], facts[p.F_TIES] / 2.0
    digit, moves = facts[p.F_DIGIT:p.F_DIGIT + SIZE], facts[p.F_MOVES:p.F_MOVES + 24].reshape((SIZE, 3))
    wins, loses = facts[p.F_WINS:p.F_WINS + SIZE], facts[p.F_LOSES:p.F_LOSES + SIZE]
    lead, up = -view.lead, view.up
    mine, theirs = p._digits(view.theirs, digit, n), p._digits(view.mine, digit, n)
    row = index[((lead + gap - 1) * side + mine) * side + theirs]
    outcomes, offers, q = np.empty((SIZE, SIZE)), np.empty((SIZE, SIZE)), np.empty(SIZE)
    again = np.empty((SIZE, SIZE))
    fill_outcomes(lead, mine, theirs, n, digit, moves, wins, loses, gap, side, tie, own_values, outcomes)
    hand = p._names(view.hand, n)
    my_up = digit[up] if count(view.mine, up) < 2 else 0
    its_up = digit[up] if count(view.theirs, up) < 2 else 0
    gain = 0.0
    for d in range(n):
        open_ = float(table[COPIES + d] - count(view.mine, d) - count(view.theirs, d) - (1 if d == up else 0))
        unseen = open_ - count(view.hand, d) - count(view.tossed, d)
        if unseen <= 0.0 or open_ <= 0.0:
            continue
        # A little of any unseen card is thought of beside what was measured.
        chance = 0.02 * unseen
        if row >= 0:
            chance = chance / 38.0 + measured[row, up, d] * unseen / open_
        if_up, if_hidden = 1.0 - outcomes[d, up], 1.0 - outcomes[up, d]
        my_d = digit[d] if count(view.mine, d) < 2 else 0
        its_d = digit[d] if count(view.theirs, d) < 2 else 0
        after = -lead + moves[up, min(count(view.mine, up), 2)] - moves[d, min(count(view.theirs, d), 2)]
        if p._goes_on(outcomes[d, up], after, gap, up, d, view, wins, loses):
            if_up = p._with_hand(after, theirs + my_up, mine + its_d, hand, 1.0, n, digit, moves, wins, loses, gap,
                                 side, tie, theirs_values, answers, again, offers, q)
        after = -lead + moves[d, min(count(view.mine, d), 2)] - moves[up, min(count(view.theirs, up), 2)]
        if p._goes_on(outcomes[up, d], after, gap, d, up, view, wins, loses):
            if_hidden = p._with_hand(after, theirs + my_d, mine + its_up, hand, 1.0, n, digit, moves, wins, loses, gap,
                                     side, tie, theirs_values, answers, again, offers, q)
        gain += chance * (if_up - if_hidden)
    if gain == 0.0:
        return np.int64(word(key, 0) >> np.uint64(63))
    return np.int64(1) if gain > 0.0 else np.int64(0)
