"""The game of one turn: an offer of two cards, one of them hidden, and the answer.

The offerer knows its hand, of which only the set of names matters (its *type*, with probability ``p``); it lays ``u``
up and ``d`` down. The receiver sees ``u`` alone and takes it with probability ``q[u]``. With ``O[x, y]`` the offerer's
winning chance when it recruits ``x`` and the other ``y``, an offer is worth

    value(u, d) = q[u] O[d, u] + (1 - q[u]) O[u, d]

and the receiver minimises ``F(q) = sum_T p(T) max over offers of T of value``. The maximum is softened to ``tau log
sum exp(value / tau)``: F is then smooth and convex, and the offerer's mixed offers are the weights of that sum. As
each value depends on one ``q[u]`` only, the Hessian is at most the diagonal matrix ``E[(O[d, u] - O[u, d])^2] / tau``
(the second moment bounds the covariance), so ``q -= gradient / bound`` never goes up (a majorise-minimise step), nor
does any step below twice that length; 1.8 of it converges best. ``tau`` is lowered on the way.
"""

from __future__ import annotations

import math

from agentsim.jit import jit

__all__ = ["HARD", "PAIRS", "SIZE", "offer_weights", "solve_turn", "turn_values"]

SIZE = 8
"""Names, as wide as the arrays are."""
PAIRS = 36
HARD = 0.01
"""The temperature of the solved game, in winning chance."""
REACH = 1.8
"""Length of a step, in steps that are sure not to go up; must be below 2."""


@jit
def turn_values(n, outcomes, q, values):
    """``values[u, d]`` of all offers against the answers ``q``."""
    for u in range(n):
        for d in range(n):
            values[u, d] = q[u] * outcomes[d, u] + (1.0 - q[u]) * outcomes[u, d]


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
def solve_turn(n, outcomes, p, set_start, set_pairs, pair_of, q, warm, steps, hard, values, weights, sums,
               shares):
    """Solve the game of one turn in place.

    Parameters
    ----------
    n : names; outcomes : (SIZE, SIZE); p : chance of each type
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
        turn_values(n, outcomes, q, values)
        offer_weights(n, values, tau, pair_of, weights, sums)
        _shares(p, set_start, set_pairs, sums, shares)
        for u in range(n):
            slope, bend = 0.0, 0.0
            for d in range(n):
                gain = outcomes[d, u] - outcomes[u, d]
                part = weights[u, d] * shares[pair_of[u, d]] * gain
                slope += part
                bend += part * gain
            if bend > 1e-12:
                q[u] = min(1.0, max(0.0, q[u] - REACH * tau * slope / bend))
    turn_values(n, outcomes, q, values)
    offer_weights(n, values, hard, pair_of, weights, sums)
    _shares(p, set_start, set_pairs, sums, shares)
    value, answered = 0.0, 0.0
    for u in range(n):
        taken, left = 0.0, 0.0
        for d in range(n):
            chance = weights[u, d] * shares[pair_of[u, d]]
            taken += chance * outcomes[d, u]
            left += chance * outcomes[u, d]
        value += q[u] * taken + (1.0 - q[u]) * left
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
