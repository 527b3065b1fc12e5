"""The policy ``solver``: offers, answers and discards by the table of public states and by its own hand.

*Offers*: each offer of its hand is worth what the table's answers make of it; they are drawn with weights ``exp(value
/ offer_tau)``. *Answers*: the hidden card is believed to be what a player of the table would have hidden, its hand
drawn from the cards that this player has not seen; the two outcomes are valued by the offers that the own hand will
allow next. *Discards*: when the best offer is expected to gain more than the margin.

The table lies in memory that the row of parameters points to: arrays of 28 and 55 MB, shared by all threads.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray as _carray  # type: ignore[attr-defined]
from numba import types
from numba.extending import intrinsic

from agentsim.games.agent_avenue.rules import COPIES, DISCARDS, HAND_SIZE
from agentsim.games.agent_avenue.solver.backward import LEVELS, fill_outcomes, type_chances
from agentsim.games.agent_avenue.solver.parameters import ANSWERS, FACTS, N_STATES, VALUES, parameter_at
from agentsim.games.agent_avenue.solver.states import Space
from agentsim.games.agent_avenue.solver.turn_game import HARD, PAIRS, SIZE, offer_weights, turn_values
from agentsim.games.agent_avenue.user import jit_offer, jit_take
from agentsim.games.agent_avenue.view import DISCARD, offer_action
from agentsim.games.agent_avenue.zones import count
from agentsim.jit import jit
from agentsim.rng import unit, word

__all__ = ["facts_of", "solver_offer", "solver_take"]

P_OFFER_TAU, P_TAKE_TAU, P_OWN_HAND, P_NAIVE, P_TABLE, P_MARGIN, P_RESERVE = (
    parameter_at(name) for name in ("offer_tau", "take_tau", "own_hand", "naive", "table_answers", "margin", "reserve"))

# The space as one vector.
F_NAMES, F_GAP, F_SIDE, F_TIES, F_SETS, F_PAIRS = range(6)
F_DIGIT, F_MOVES, F_WINS, F_LOSES, F_PAIR_OF, F_LISTS = 8, 16, 40, 48, 56, 120


def facts_of(space: Space) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A space as the vector that the player reads."""
    n = space.n_names
    facts = np.zeros(F_LISTS, np.int64)
    facts[:6] = n, space.gap, space.side, round(2 * space.tie), len(space.sets), len(space.set_pairs)
    facts[F_DIGIT:F_DIGIT + n], facts[F_WINS:F_WINS + n] = space.digit, space.wins
    facts[F_LOSES:F_LOSES + n] = space.loses
    facts[F_MOVES:F_MOVES + 24].reshape(SIZE, 3)[:n] = space.moves
    facts[F_PAIR_OF:F_PAIR_OF + 64].reshape(SIZE, SIZE)[:n, :n] = space.pair_of
    return np.concatenate([facts, space.sets, space.set_start, space.set_pairs])


carray: Any = _carray


@intrinsic
def _intrinsic_pointer(context: Any, address: Any) -> Any:
    """An address as a pointer, for ``numba.carray``."""
    def make(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.uintp), make


_pointer: Any = _intrinsic_pointer


@jit(inline="always")
def _digits(zone, digit, n):
    """A play area as a number in base 3."""
    found = 0
    for name in range(n):
        found += digit[name] * min(count(zone, name), 2)
    return found


@jit
def _best_of(hand, values, n):
    """The best value of an offer that a set of names allows."""
    best = -1.0
    for u in range(n):
        if hand >> u & 1:
            for d in range(n):
                if hand >> d & 1 and (u != d or hand == 1 << u):
                    best = max(best, values[u, d])
    return best


@jit
def _names(zone, n):
    found = 0
    for name in range(n):
        if count(zone, name) > 0:
            found |= 1 << name
    return found


@jit
def _answers_of(answers, state, n, q):
    for name in range(n):
        q[name] = answers[state, name] / LEVELS


@jit_offer
def solver_offer(view, table, params, key):
    """An offer, or a discard."""
    values = carray(_pointer(np.uintp(params[VALUES])), (np.int64(params[N_STATES]),), np.float32)
    answers = carray(_pointer(np.uintp(params[ANSWERS])), (np.int64(params[N_STATES]), SIZE), np.uint8)
    facts = carray(_pointer(np.uintp(params[FACTS])), (4096,), np.int64)
    n, gap, side, tie = facts[F_NAMES], facts[F_GAP], facts[F_SIDE], facts[F_TIES] / 2.0
    digit, moves = facts[F_DIGIT:F_DIGIT + SIZE], facts[F_MOVES:F_MOVES + 24].reshape((SIZE, 3))
    wins, loses = facts[F_WINS:F_WINS + SIZE], facts[F_LOSES:F_LOSES + SIZE]
    hand = _names(view.hand, n)
    outcomes, offers, q = np.empty((SIZE, SIZE)), np.empty((SIZE, SIZE)), np.empty(SIZE)
    mine, theirs = _digits(view.mine, digit, n), _digits(view.theirs, digit, n)
    fill_outcomes(view.lead, mine, theirs, n, digit, moves, wins, loses, gap, side, tie, values, outcomes)
    _answers_of(answers, ((view.lead + gap - 1) * side + mine) * side + theirs, n, q)
    turn_values(n, outcomes, q, offers)
    best = _best_of(hand, offers, n)
    margin = params[P_MARGIN]
    if margin < 1.0 and view.discards_left > 0 and view.deck > 0:
        gone, promise = np.int64(-1), 0.0
        for name in range(n):
            if hand >> name & 1:
                kept = hand if count(view.hand, name) > 1 else hand ^ (1 << name)
                copies, total = 0.0, 0.0
                for drawn in range(n):
                    weight = float(table[COPIES + drawn] - count(view.mine, drawn) - count(view.theirs, drawn)
                                   - count(view.hand, drawn) - count(view.tossed, drawn))
                    if weight > 0.0:
                        copies += weight
                        total += weight * _best_of(kept | 1 << drawn, offers, n)
                if copies > 0.0 and total / copies > promise:
                    promise, gone = total / copies, np.int64(name)
        if gone >= 0 and promise > best + margin + params[P_RESERVE] * (table[DISCARDS] - view.discards_left):
            return DISCARD + gone
    tau = params[P_OFFER_TAU]
    left = -1.0
    for drawing in range(2):
        total = 0.0
        for u in range(n):
            for d in range(n):
                if hand >> u & 1 and hand >> d & 1 and (u != d or hand == 1 << u):
                    if tau > 0.0:
                        total += math.exp((offers[u, d] - best) / tau)
                    elif offers[u, d] == best:
                        total += 1.0
                    if drawing == 1 and total > left:
                        return np.int64(offer_action(u, d))
        left = unit(word(key, 0)) * total
    return np.int64(-1)


@jit
def _with_hand(lead, mine, theirs, hand, own, n, digit, moves, wins, loses, gap, side, tie, values, answers, outcomes,
               offers, q):
    """The winning chance of who is to offer with these names in hand, mixed with that of an average hand."""
    state = ((lead + gap - 1) * side + mine) * side + theirs
    average = float(values[state])
    if own == 0.0:
        return average
    fill_outcomes(lead, mine, theirs, n, digit, moves, wins, loses, gap, side, tie, values, outcomes)
    _answers_of(answers, state, n, q)
    turn_values(n, outcomes, q, offers)
    return own * _best_of(hand, offers, n) + (1.0 - own) * average


@jit
def _goes_on(outcome, lead, gap, x, y, view, wins, loses):
    """Whether the game goes on after the receiver recruits x and the offerer y."""
    if lead >= gap or -lead >= gap:
        return False
    mine, theirs = count(view.mine, x) == 2, count(view.theirs, y) == 2
    return not (mine and (wins[x] != 0 or loses[x] != 0)) and not (theirs and (wins[y] != 0 or loses[y] != 0))


@jit_take
def solver_take(view, table, params, key):
    """1 for the face-up card, 0 for the hidden one."""
    values = carray(_pointer(np.uintp(params[VALUES])), (np.int64(params[N_STATES]),), np.float32)
    answers = carray(_pointer(np.uintp(params[ANSWERS])), (np.int64(params[N_STATES]), SIZE), np.uint8)
    facts = carray(_pointer(np.uintp(params[FACTS])), (4096,), np.int64)
    n, gap, side, tie = facts[F_NAMES], facts[F_GAP], facts[F_SIDE], facts[F_TIES] / 2.0
    digit, moves = facts[F_DIGIT:F_DIGIT + SIZE], facts[F_MOVES:F_MOVES + 24].reshape((SIZE, 3))
    wins, loses = facts[F_WINS:F_WINS + SIZE], facts[F_LOSES:F_LOSES + SIZE]
    pair_of = facts[F_PAIR_OF:F_PAIR_OF + 64].reshape((SIZE, SIZE))
    n_sets, n_pairs = facts[F_SETS], facts[F_PAIRS]
    sets = facts[F_LISTS:F_LISTS + n_sets]
    start = facts[F_LISTS + n_sets:F_LISTS + 2 * n_sets + 1]
    pairs = facts[F_LISTS + 2 * n_sets + 1:F_LISTS + 2 * n_sets + 1 + n_pairs]
    lead, up = -view.lead, view.up
    mine, theirs = _digits(view.theirs, digit, n), _digits(view.mine, digit, n)
    state = ((lead + gap - 1) * side + mine) * side + theirs
    if params[P_TABLE] > 0.0 and unit(word(key, 1)) < params[P_TABLE]:
        return np.int64(1) if unit(word(key, 0)) < answers[state, up] / LEVELS else np.int64(0)
    outcomes, offers, q = np.empty((SIZE, SIZE)), np.empty((SIZE, SIZE)), np.empty(SIZE)
    weights, sums, left = np.empty((SIZE, SIZE)), np.empty(PAIRS), np.empty(SIZE, np.int64)
    chances, subsets, belief = np.empty(n_sets), np.empty(1 << SIZE), np.zeros(SIZE)
    fill_outcomes(lead, mine, theirs, n, digit, moves, wins, loses, gap, side, tie, values, outcomes)
    _answers_of(answers, state, n, q)
    turn_values(n, outcomes, q, offers)
    offer_weights(n, offers, HARD, pair_of, weights, sums)
    seen = 0.0
    for name in range(n):
        left[name] = max(table[COPIES + name] - count(view.mine, name) - count(view.theirs, name)
                         - count(view.hand, name) - count(view.tossed, name), 0)
        seen += left[name]
    # The offerer has laid two cards and drawn again.
    type_chances(left, n, min(view.their_hand + 2, table[HAND_SIZE]), sets, chances, subsets)
    total = 0.0
    for t in range(n_sets):
        if chances[t] > 0.0 and sets[t] >> up & 1:
            every = 0.0
            for k in range(start[t], start[t + 1]):
                every += sums[pairs[k]]
            for d in range(n):
                if sets[t] >> d & 1 and (d != up or sets[t] == 1 << up):
                    part = chances[t] * weights[up, d] / every
                    belief[d] += part
                    total += part
    rest = max(seen - left[up], 1.0)
    naive = params[P_NAIVE] if total > 0.0 else 1.0
    hand, own, gain = _names(view.hand, n), params[P_OWN_HAND], 0.0
    my_digit_up = digit[up] if count(view.mine, up) < 2 else 0
    its_digit_up = digit[up] if count(view.theirs, up) < 2 else 0
    for d in range(n):
        chance = (1.0 - naive) * (belief[d] / total if total > 0.0 else 0.0)
        if d != up:
            chance += naive * left[d] / rest
        if chance < 1e-6:
            continue
        # Winning chances of the receiver if it takes the card that lies up, and if it takes the hidden one.
        if_up, if_hidden = 1.0 - outcomes[d, up], 1.0 - outcomes[up, d]
        my_digit_d = digit[d] if count(view.mine, d) < 2 else 0
        its_digit_d = digit[d] if count(view.theirs, d) < 2 else 0
        if own > 0.0:
            after = -lead + moves[up, min(count(view.mine, up), 2)] - moves[d, min(count(view.theirs, d), 2)]
            if _goes_on(outcomes[d, up], after, gap, up, d, view, wins, loses):
                if_up = _with_hand(after, theirs + my_digit_up, mine + its_digit_d, hand, own, n, digit, moves, wins,
                                   loses, gap, side, tie, values, answers, weights, offers, q)
            after = -lead + moves[d, min(count(view.mine, d), 2)] - moves[up, min(count(view.theirs, up), 2)]
            if _goes_on(outcomes[up, d], after, gap, d, up, view, wins, loses):
                if_hidden = _with_hand(after, theirs + my_digit_d, mine + its_digit_up, hand, own, n, digit, moves,
                wins,
                                       loses, gap, side, tie, values, answers, weights, offers, q)
        gain += chance * (if_up - if_hidden)
    tau = params[P_TAKE_TAU]
    if tau > 0.0:
        return np.int64(1) if unit(word(key, 0)) < 1.0 / (1.0 + math.exp(-gain / tau)) else np.int64(0)
    if gain == 0.0:
        return np.int64(word(key, 0) >> np.uint64(63))
    return np.int64(1) if gain > 0.0 else np.int64(0)
