"""Offers and discards of the policy ``solver``: by the table of public states and by its own hand.

*Offers*: each offer of its hand is worth what the table's answers make of it; they are drawn with weights ``exp(value
/ offer_tau)``. *Discards*: when the best offer is expected to gain more than the margin. Its answers: ``answering.py``.
"""

from __future__ import annotations

import math

import numpy as np

from agentsim.games.agent_avenue.rules import COPIES, DISCARDS
from agentsim.games.agent_avenue.solver.backward import fill_outcomes
from agentsim.games.agent_avenue.solver.opened import answers_of, best_discard, best_of, digits, names_of, open_table
from agentsim.games.agent_avenue.solver.parameters import INFORMED, parameter_at
from agentsim.games.agent_avenue.solver.turn_game import SIZE, fill_bonus, turn_values
from agentsim.games.agent_avenue.user import jit_offer
from agentsim.games.agent_avenue.view import DISCARD, offer_action
from agentsim.games.agent_avenue.zones import count
from agentsim.rng import unit, word

__all__ = ["solver_offer"]

P_OFFER_TAU, P_MARGIN, P_RESERVE = (parameter_at(name) for name in ("offer_tau", "margin", "reserve"))


@jit_offer
def solver_offer(view, table, params, key):
    """An offer, or a discard."""
    t = open_table(params)
    n, hand = t.n, names_of(view.hand, t.n)
    outcomes, offers, q = np.empty((SIZE, SIZE)), np.empty((SIZE, SIZE)), np.empty(SIZE)
    bonus, left = np.zeros((SIZE, SIZE)), np.empty(SIZE)
    mine, theirs = digits(view.mine, t.digit, n), digits(view.theirs, t.digit, n)
    fill_outcomes(view.lead, mine, theirs, n, t.digit, t.moves, t.wins, t.loses, t.gap, t.side, t.tie, t.values,
                  outcomes)
    answers_of(t.answers, ((view.lead + t.gap - 1) * t.side + mine) * t.side + theirs, n, q)
    if params[INFORMED] > 0.0:
        for name in range(n):
            left[name] = table[COPIES + name] - count(view.mine, name) - count(view.theirs, name)
        fill_bonus(n, outcomes, left, t.kept, bonus)
    turn_values(n, outcomes, q, bonus, offers)
    best = best_of(hand, offers, n)
    margin = params[P_MARGIN]
    if margin < 1.0 and view.discards_left > 0 and view.deck > 0:
        promise, gone = best_discard(view.hand, view.mine + view.theirs + view.hand + view.tossed, table, hand,
                                     offers, n)
        if gone >= 0 and promise > best + margin + params[P_RESERVE] * (table[DISCARDS] - view.discards_left):
            return DISCARD + gone
    tau = params[P_OFFER_TAU]
    left_over = -1.0
    for drawing in range(2):
        total = 0.0
        for u in range(n):
            for d in range(n):
                if hand >> u & 1 and hand >> d & 1 and (u != d or hand == 1 << u):
                    if tau > 0.0:
                        total += math.exp((offers[u, d] - best) / tau)
                    elif offers[u, d] == best:
                        total += 1.0
                    if drawing == 1 and total > left_over:
                        return np.int64(offer_action(u, d))
        left_over = unit(word(key, 0)) * total
    return np.int64(-1)
