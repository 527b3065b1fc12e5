"""The policy ``solver_advanced``: the game of one turn on fitted values, solved when it is asked.

*Offers*: in the position that everybody knows, the game of the offer and its answer is solved
(:mod:`..turn_game`), an offerer's hand being drawn from the cards that do not lie in the open. Each offer of the own
hand is worth what the answers found make of it; offers are drawn with weights ``exp(value / offer_tau)``. *Answers*:
the hidden card is believed to be what a player of that game would have hidden, its hand drawn from the cards that this
player has not seen, with those that an effect has shown; the two outcomes are valued with the own hand. *Discards*:
when the best offer is expected to gain more than the margin. *Black Market*: the effects of a card, of the agent chosen
and of recruiting again are tried out on the board (``modes/policies/effects.py``) and what follows is valued.

Landings that an exchange brings are not resolved in the turn's game: the network values positions with a landing owed.
"""

from __future__ import annotations

import math

import numpy as np

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.movement import recruit
from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.modes.policies.board import keep, lay_out, restore
from agentsim.games.agent_avenue.modes.policies.chance import may_discard
from agentsim.games.agent_avenue.modes.policies.market import answer_market
from agentsim.games.agent_avenue.modes.policies.sight import seen
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_FITTED
from agentsim.games.agent_avenue.rules import COPIES, DISCARDS, HAND_SIZE, N_NAMES
from agentsim.games.agent_avenue.solver.advanced.network import FACTS, N_FACTS, chance, prepare
from agentsim.games.agent_avenue.solver.advanced.parameters import parameter_at
from agentsim.games.agent_avenue.solver.hands import type_chances
from agentsim.games.agent_avenue.solver.opened import array_at, best_discard, best_of, names_of
from agentsim.games.agent_avenue.solver.turn_game import (
    HARD,
    PAIRS,
    SIZE,
    offer_weights,
    solve_turn,
    turn_values,
)
from agentsim.games.agent_avenue.view import DISCARD, offer_action
from agentsim.games.agent_avenue.zones import count, size
from agentsim.jit import jit
from agentsim.rng import unit, word

__all__ = ["F_LISTS", "F_PAIRS", "F_PAIR_OF", "F_SETS", "F_TYPE_AT", "fill_outcomes", "fitted_answer", "solve_position"]

P_OFFER_TAU, P_TAKE_TAU, P_OWN_HAND, P_NAIVE, P_MARGIN, P_RESERVE = (
    parameter_at(name) for name in ("offer_tau", "take_tau", "own_hand", "naive", "margin", "reserve"))

# Facts (weights.facts_of) on types, the sets of names in a hand: how many and how many pairs, the number of a pair, the
# type with certain names; then their names, where their pairs begin, the pairs.
F_SETS, F_PAIRS = 1, 2
F_PAIR_OF, F_TYPE_AT, F_LISTS = 96, 160, 416
STEPS = 22
"""Steps by which a turn's game is solved."""


@jit
def _set_up(view, table, rows, policy, scratch, own):
    """Lay the view out and note what the decision's positions share. ``own``: valued with the own hand."""
    me = view.side & 1
    lay_out(view, table, scratch)
    scratch[s.ME], scratch[s.ACTIVE], scratch[s.FAMILY] = me, view.active, FAMILY_FITTED
    places = np.int64(0)
    while places < x.MAX_SUPPLY and (view.supply >> np.int64(8 * places)) & 255 != 0:
        scratch[x.SUPPLY + places] = ((view.supply >> np.int64(8 * places)) & 255) - 1
        places += 1
    scratch[x.N_SUPPLY] = places
    if view.active != 0:
        # The offerer has yet to draw for the two cards that it lays.
        deck = max(view.deck - 2, 0) if view.ask == x.ASK_PLAY else view.deck
        prepare(table, rows, policy, scratch, 1 - me, view.their_discards_left, view.discards_left, deck, False,
                np.int64(0))
    else:
        prepare(table, rows, policy, scratch, me, view.discards_left, view.their_discards_left, view.deck, own,
                view.hand)


@jit
def _after(scratch, table, rows, policy, side, mine, its):
    """The winning chance of ``side`` after it has recruited one agent and the other side another."""
    active = side if (side == scratch[s.ME]) == (scratch[s.ACTIVE] != 0) else 1 - side
    for which in range(2):
        who = active ^ which
        recruit(scratch, table, who, mine if who == side else its)
    found = chance(scratch, table, rows, policy)
    restore(scratch)
    return found if side == scratch[s.ME] else 1.0 - found


@jit
def fill_outcomes(scratch, table, rows, policy, offerer, outcomes):
    """``outcomes[x, y]``: the offerer's winning chance when it recruits x and the other y."""
    for mine in range(table[N_NAMES]):
        for its in range(table[N_NAMES]):
            outcomes[mine, its] = _after(scratch, table, rows, policy, offerer, mine, its)


@jit(_nrt=True)
def solve_position(view, table, rows, policy, scratch, steps, hard, outcomes, q, offers):
    """Solve the game of the turn that the view shows, as everybody sees it.

    Fills ``outcomes`` (SIZE, SIZE), the answers ``q`` (SIZE,) and the values of ``offers`` against them (SIZE, SIZE).
    Returns the value and the gaps that :func:`..turn_game.solve_turn` returns.
    """
    facts, n = array_at(rows[policy, FACTS], (N_FACTS,), np.int64), table[N_NAMES]
    n_sets, n_pairs = facts[F_SETS], facts[F_PAIRS]
    sets = facts[F_LISTS:F_LISTS + n_sets]
    start = facts[F_LISTS + n_sets:F_LISTS + 2 * n_sets + 1]
    pairs = facts[F_LISTS + 2 * n_sets + 1:F_LISTS + 2 * n_sets + 1 + n_pairs]
    pair_of = facts[F_PAIR_OF:F_PAIR_OF + SIZE * SIZE].reshape((SIZE, SIZE))
    chances, subsets, left = np.empty(n_sets), np.empty(1 << SIZE), np.zeros(SIZE, np.int64)
    bonus = np.zeros((SIZE, SIZE))
    _set_up(view, table, rows, policy, scratch, False)
    keep(scratch)
    me = view.side & 1
    fill_outcomes(scratch, table, rows, policy, me if view.active != 0 else 1 - me, outcomes)
    for name in range(n):
        left[name] = max(table[COPIES + name] - count(view.mine, name) - count(view.theirs, name), 0)
    type_chances(left, n, table[HAND_SIZE], sets, chances, subsets)
    found = solve_turn(n, outcomes, bonus, chances, start, pairs, pair_of, q, False, steps, hard, offers,
                       np.empty((SIZE, SIZE)), np.empty(PAIRS), np.empty(PAIRS))
    turn_values(n, outcomes, q, bonus, offers)
    return found


@jit(_nrt=True)
def _play(view, table, rows, policy, scratch, key):
    """An offer, or a discard."""
    n = table[N_NAMES]
    hand = names_of(view.hand, n)
    outcomes, offers, q = np.empty((SIZE, SIZE)), np.empty((SIZE, SIZE)), np.empty(SIZE)
    solve_position(view, table, rows, policy, scratch, STEPS, HARD, outcomes, q, offers)
    best = best_of(hand, offers, n)
    margin, tau = rows[policy, P_MARGIN], rows[policy, P_OFFER_TAU]
    if margin < 1.0 and may_discard(view, table):
        promise, gone = best_discard(view.hand, view.mine + view.theirs + view.hand + view.tossed + view.shown_them,
                                     table, hand, offers, n)
        used = table[DISCARDS] - view.discards_left
        if gone >= 0 and promise > best + margin + rows[policy, P_RESERVE] * used:
            return DISCARD + gone
    left, choice = 0.0, np.int64(-1)
    for drawing in range(2):
        total = 0.0
        for u in range(n):
            for d in range(n):
                if hand >> u & 1 and hand >> d & 1 and (u != d or hand == 1 << u):
                    weight = 1.0 if offers[u, d] == best else 0.0
                    if tau > 0.0:
                        weight = math.exp((offers[u, d] - best) / tau)
                    if drawing == 1 and weight > 0.0 and total <= left:
                        choice = offer_action(u, d)
                    total += weight
        left = unit(word(key, 0)) * total
    return choice


@jit(_nrt=True)
def _believe(view, table, rows, policy, scratch, belief):
    """What lies hidden: ``belief[d]``, chances that sum to 1."""
    facts, n = array_at(rows[policy, FACTS], (N_FACTS,), np.int64), table[N_NAMES]
    n_sets = facts[F_SETS]
    sets = facts[F_LISTS:F_LISTS + n_sets]
    start = facts[F_LISTS + n_sets:F_LISTS + 2 * n_sets + 1]
    pairs = facts[F_LISTS + 2 * n_sets + 1:F_LISTS + 2 * n_sets + 1 + facts[F_PAIRS]]
    pair_of = facts[F_PAIR_OF:F_PAIR_OF + SIZE * SIZE].reshape((SIZE, SIZE))
    outcomes, offers, q = np.empty((SIZE, SIZE)), np.empty((SIZE, SIZE)), np.empty(SIZE)
    weights, sums, left = np.empty((SIZE, SIZE)), np.empty(PAIRS), np.zeros(SIZE, np.int64)
    chances, subsets = np.empty(n_sets), np.empty(1 << SIZE)
    solve_position(view, table, rows, policy, scratch, STEPS, HARD, outcomes, q, offers)
    offer_weights(n, offers, HARD, pair_of, weights, sums)
    seen_not = 0.0
    for name in range(n):
        left[name] = max(table[COPIES + name] - count(view.mine, name) - count(view.theirs, name)
                         - count(view.hand, name) - count(view.tossed, name) - count(view.shown_them, name), 0)
        seen_not += left[name]
    up, known = view.up, names_of(view.shown_them, n)
    # The offerer has laid two cards and drawn again; of those that it laid one may have been shown before.
    drawn = max(min(view.their_hand + 2, table[HAND_SIZE]) - size(view.shown_them), 1)
    type_chances(left, n, drawn, sets, chances, subsets)
    total = 0.0
    for rest in range(n_sets):
        held = sets[rest] | known
        t = facts[F_TYPE_AT + held]
        if chances[rest] > 0.0 and t >= 0 and held >> up & 1:
            every = 0.0
            for k in range(start[t], start[t + 1]):
                every += sums[pairs[k]]
            for d in range(n):
                if held >> d & 1 and (d != up or held == 1 << up):
                    part = chances[rest] * weights[up, d] / every
                    belief[d] += part
                    total += part
    naive = rows[policy, P_NAIVE] if total > 0.0 else 1.0
    others = max(seen_not - left[up], 1.0)
    for d in range(n):
        thought = belief[d] / total if total > 0.0 else 0.0
        belief[d] = (1.0 - naive) * thought + (naive * left[d] / others if d != up else 0.0)


@jit(_nrt=True)
def _take(view, table, rows, policy, scratch, key):
    """1 for the face-up card, 0 for the hidden one."""
    belief = np.zeros(SIZE)
    _believe(view, table, rows, policy, scratch, belief)
    if rows[policy, P_OWN_HAND] != 0.0:
        _set_up(view, table, rows, policy, scratch, True)
        keep(scratch)
    me, gain = view.side & 1, 0.0
    for d in range(table[N_NAMES]):
        if belief[d] > 1e-6:
            gain += belief[d] * (_after(scratch, table, rows, policy, me, view.up, np.int64(d))
                                 - _after(scratch, table, rows, policy, me, np.int64(d), view.up))
    tau = rows[policy, P_TAKE_TAU]
    if tau > 0.0:
        return np.int64(unit(word(key, 0)) < 1.0 / (1.0 + math.exp(-gain / tau)))
    if gain == 0.0:
        return np.int64(word(key, 0) >> np.uint64(63))
    return np.int64(gain > 0.0)


@jit(_nrt=True)
def fitted_answer(table, rows, policy, scratch, key):
    """The answer to any question of the advanced mode; the view stands in ``scratch`` (``sight.py``)."""
    view = seen(scratch)
    if view.ask == x.ASK_PLAY:
        return _play(view, table, rows, policy, scratch, key)
    if view.ask == x.ASK_TAKE:
        return _take(view, table, rows, policy, scratch, key)
    _set_up(view, table, rows, policy, scratch, rows[policy, P_OWN_HAND] != 0.0)
    return answer_market(np.int64(FAMILY_FITTED), table, rows, policy, scratch, key)
