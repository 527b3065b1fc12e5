"""The game of one turn: an offer of two cards, one of them hidden, and the answer.

The offerer knows its hand, of which only the set of names matters (its *type*, with probability ``p``); it lays ``u``
up and ``d`` down. The receiver sees ``u`` alone and takes it with probability ``q[u]``. With ``O[x, y]`` the offerer's
winning chance when it recruits ``x`` and the other ``y``, an offer is worth

    value(u, d) = q[u] O[d, u] + (1 - q[u]) O[u, d] - 4 q[u] (1 - q[u]) bonus[u, d]

The last term is the receiver's own hand. Where it takes a card half of the time, its hand decides which half: it
takes what suits it, and what is less likely to hide a card that it holds itself. How much that brings was measured
over hands in the states of games and fitted (docs/solver.md); it is nothing where q is 0 or 1. The receiver minimises
``F(q) = sum_T p(T) max over offers of T of value``. The maximum is softened to ``tau log sum exp(value / tau)``: F is
smooth then and convex, and the offerer's mixed offers are the weights of that sum. As each value depends on one
``q[u]`` only, the Hessian is at most the diagonal matrix ``E[slope^2] / tau + 8 E[bonus]``, ``slope`` being the
derivative of the value (its second moment bounds the covariance), so ``q -= gradient / bound`` never goes up (a
majorise-minimise step), nor does any step below twice that length; 1.8 of it converges best. ``tau`` is lowered on
the way.
"""

from __future__ import annotations

import math

from agentsim.jit import jit

__all__ = ["HARD", "PAIRS", "REACH", "SIZE", "fill_bonus", "offer_chances", "offer_weights",
           "solve_turn", "turn_values"]

SIZE = 8
"""Names, as wide as the arrays are."""
PAIRS = 36
HARD = 0.01
"""The temperature of the solved game, in winning chance."""
REACH = 1.8
"""Length of a step, in steps that are sure not to go up; must be below 2."""


@jit
def fill_bonus(n, outcomes, left, kept, bonus):
    """``bonus[u, d]``: what the receiver's own hand is worth to it against an offer, if it takes half of the time.

    ``left``: copies by name that do not lie in the open; ``kept``: first, the bonus in winning chance per unit of
    spread and per unit of distance (``hands.py``). Linear in the spread over hidden cards of what taking ``u``
    changes, and in how far ``d`` lies from its mean.
    """
    for u in range(n):
        copies, mean, square = 0.0, 0.0, 0.0
        for d in range(n):
            weight = left[d] - (1.0 if u == d else 0.0)
            if weight > 0.0:
                change = outcomes[u, d] - outcomes[d, u]
                copies += weight
                mean += weight * change
                square += weight * change * change
        mean /= max(copies, 1.0)
        spread = math.sqrt(max(square / max(copies, 1.0) - mean * mean, 0.0))
        for d in range(n):
            bonus[u, d] = kept[0] * spread + kept[1] * abs(outcomes[u, d] - outcomes[d, u] - mean)


@jit
def turn_values(n, outcomes, q, bonus, values):
    """``values[u, d]`` of all offers against the answers ``q``."""
    for u in range(n):
        both = 4.0 * q[u] * (1.0 - q[u])
        for d in range(n):
            values[u, d] = q[u] * outcomes[d, u] + (1.0 - q[u]) * outcomes[u, d] - both * bonus[u, d]


@jit
def offer_weights(n, values, tau, pair_of, weights, sums):
    """``weights[u, d] = exp((value - largest) / tau)``, and their sums by pair of names."""
    top = -1.0
    for u in range(n):
        for d in range(n):
            top = max(top, values[u, d])
    for u in range(n):
        weights[u, u] = math.exp((values[u, u] - top) / tau)
        sums[pair_of[u, u]] = weights[u, u]
        for d in range(u + 1, n):
            weights[u, d] = math.exp((values[u, d] - top) / tau)
            weights[d, u] = math.exp((values[d, u] - top) / tau)
            sums[pair_of[u, d]] = weights[u, d] + weights[d, u]
    return top


@jit
def _shares(p, set_start, set_pairs, sums, shares):
    """For each pair of names the sum over types that can offer it of p / (sum of the type's weights)."""
    for pair in range(PAIRS):
        shares[pair] = 0.0
    for t in range(p.shape[0]):
        if p[t] <= 0.0:
            continue
        total = 0.0
        for k in range(set_start[t], set_start[t + 1]):
            total += sums[set_pairs[k]]
        share = p[t] / total
        for k in range(set_start[t], set_start[t + 1]):
            shares[set_pairs[k]] += share


@jit
def offer_chances(n, values, tau, p, set_start, set_pairs, pair_of, weights, sums, shares, found):
    """``found[u, d]``: the chance of each offer, over types with chances ``p``, at a temperature."""
    offer_weights(n, values, tau, pair_of, weights, sums)
    _shares(p, set_start, set_pairs, sums, shares)
    for u in range(n):
        for d in range(n):
            found[u, d] = weights[u, d] * shares[pair_of[u, d]]


@jit
def solve_turn(n, outcomes, bonus, p, set_start, set_pairs, pair_of, q, warm, steps, hard, values, weights, sums,
               shares):
    """Solve the game of one turn in place.

    Parameters
    ----------
    n : names; outcomes : (SIZE, SIZE); bonus : (SIZE, SIZE), zeros for a receiver without a hand
    p : chance of each type
    q : the answers, (SIZE,): filled; where to start from with ``warm``, which also skips the soft stages
    steps : how many; hard : the temperature at the end, in winning chance

    Returns ``(value, offerer's gap, receiver's gap)``: the offerer's winning chance when both play what was found, and
    what either could still gain by the best answer to the other.
    """
    if not warm:
        for u in range(n):
            q[u] = 0.5
    for step in range(steps):
        tau = hard if warm else max(hard, 0.1 * (hard / 0.1) ** (step / (0.7 * steps)))
        turn_values(n, outcomes, q, bonus, values)
        offer_weights(n, values, tau, pair_of, weights, sums)
        _shares(p, set_start, set_pairs, sums, shares)
        for u in range(n):
            slope, bend, skew = 0.0, 0.0, 4.0 - 8.0 * q[u]
            for d in range(n):
                chance = weights[u, d] * shares[pair_of[u, d]]
                gain = outcomes[d, u] - outcomes[u, d] - skew * bonus[u, d]
                slope += chance * gain
                bend += chance * (gain * gain + 8.0 * tau * bonus[u, d])
            if bend > 1e-12:
                q[u] = min(1.0, max(0.0, q[u] - REACH * tau * slope / bend))
    turn_values(n, outcomes, q, bonus, values)
    offer_weights(n, values, hard, pair_of, weights, sums)
    _shares(p, set_start, set_pairs, sums, shares)
    value, answered = 0.0, 0.0
    for u in range(n):
        taken, left, mixed = 0.0, 0.0, 0.0
        for d in range(n):
            chance = weights[u, d] * shares[pair_of[u, d]]
            taken += chance * outcomes[d, u]
            left += chance * outcomes[u, d]
            mixed += 4.0 * chance * bonus[u, d]
        value += q[u] * taken + (1.0 - q[u]) * left - q[u] * (1.0 - q[u]) * mixed
        if mixed > 1e-12:
            best = min(1.0, max(0.0, 0.5 - (taken - left) / (2.0 * mixed)))
            answered += best * taken + (1.0 - best) * left - best * (1.0 - best) * mixed
        else:
            answered += min(taken, left)
    best = 0.0
    for u in range(n):
        sums[pair_of[u, u]] = values[u, u]
        for d in range(u + 1, n):
            sums[pair_of[u, d]] = max(values[u, d], values[d, u])
    for t in range(p.shape[0]):
        if p[t] > 0.0:
            top = -1.0
            for k in range(set_start[t], set_start[t + 1]):
                top = max(top, sums[set_pairs[k]])
            best += p[t] * top
    return value, best - value, value - answered
