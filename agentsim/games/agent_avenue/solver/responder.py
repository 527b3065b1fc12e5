"""The policy of a best response: against one measured policy, by dynamic programming over public states.

Offers are the solver's own (``player.solver_offer``) with the measured answers in place of the equilibrium's. Answers
weigh the hidden card by the measured offers, without what the responder holds itself, and value what follows by the
offers that its hand will allow.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.rules import COPIES
from agentsim.games.agent_avenue.solver.answering import fill_successors, gain_of
from agentsim.games.agent_avenue.solver.backward import fill_outcomes
from agentsim.games.agent_avenue.solver.hands import fill_left, type_chances
from agentsim.games.agent_avenue.solver.opened import array_at, best_of, digits, open_table
from agentsim.games.agent_avenue.solver.parameters import N_STATES
from agentsim.games.agent_avenue.solver.turn_game import SIZE, turn_values
from agentsim.games.agent_avenue.user import jit_take
from agentsim.games.agent_avenue.zones import count
from agentsim.jit import jit
from agentsim.rng import word

__all__ = ["INDEX", "N_MEASURED", "OFFERS", "OWN_VALUES", "respond_states", "responder_take"]

OWN_VALUES, INDEX, OFFERS, N_MEASURED = range(20, 24)
"""Where the addresses of further arrays stand in the row: the responder's values as offerer, each state's place among
the measured ones (-1: none), the measured offers; and how many there are."""

@jit
def respond_states(order, n, digit, moves, wins, loses, gap, side, tie, copies, hand, sets, chances, work, left,
                   answered, answers, index, offers, own, theirs, outcomes, values, bonus, q):
    """One sweep over ``order`` (the most agents first): the values of both sides when the responder answers best.

    ``answered`` marks states in which the responder offers; ``index`` and ``offers`` are the target's measured offers;
    ``own``: the responder's winning chance when it is to offer; ``theirs``: the target's when that is.
    """
    for at in range(order.shape[0]):
        state = order[at]
        lead, a, b = state // (side * side) - gap + 1, state // side % side, state % side
        if answered[state] > 0:
            fill_left(a, b, copies, digit, n, left)
            for name in range(n):
                q[name] = answers[state, name] / 255.0
            type_chances(left, n, hand, sets, chances, work)
            fill_outcomes(lead, a, b, n, digit, moves, wins, loses, gap, side, tie, theirs, outcomes)
            turn_values(n, outcomes, q, bonus, values)
            total = 0.0
            for t in range(sets.shape[0]):
                if chances[t] > 0.0:
                    total += chances[t] * best_of(sets[t], values, n)
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
    t = open_table(params)
    states = np.int64(params[N_STATES])
    own_values = array_at(params[OWN_VALUES], (states,), np.float32)
    index = array_at(params[INDEX], (states,), np.int32)
    measured = array_at(params[OFFERS], (np.int64(params[N_MEASURED]), SIZE, SIZE), np.float32)
    n, up = t.n, view.up
    mine, theirs = digits(view.theirs, t.digit, n), digits(view.mine, t.digit, n)
    row = index[((-view.lead + t.gap - 1) * t.side + mine) * t.side + theirs]
    outcomes, belief, means, ends = np.empty((SIZE, SIZE)), np.empty(SIZE), np.empty((2, SIZE)), np.empty((2, SIZE))
    pairs = np.empty((2, SIZE, SIZE, SIZE))
    public, cards, out = np.empty(SIZE, np.int64), np.empty(SIZE, np.int64), np.empty(SIZE, np.int64)
    fill_outcomes(-view.lead, mine, theirs, n, t.digit, t.moves, t.wins, t.loses, t.gap, t.side, t.tie, own_values,
                  outcomes)
    for name in range(n):
        public[name] = table[COPIES + name] - count(view.mine, name) - count(view.theirs, name)
        cards[name], out[name] = count(view.hand, name), count(view.tossed, name)
        # A little of any card is thought of beside what was measured.
        belief[name] = 1e-4 * public[name] + (measured[row, up, name] if row >= 0 else 0.0)
    fill_successors(view, table, t, t.values, up, belief, outcomes, False, ends, means, pairs)
    gain = gain_of(cards, out, up, n, public, belief, 1.0, ends, means, pairs)
    if gain == 0.0:
        return np.int64(word(key, 0) >> np.uint64(63))
    return np.int64(1) if gain > 0.0 else np.int64(0)
