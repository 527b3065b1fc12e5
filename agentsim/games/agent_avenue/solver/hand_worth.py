"""What a receiver's own hand is worth in one turn: the two numbers that the table is built with, and how to find them.

With an offer (u, d) on the table, a receiver whose hands take u in the upper part q of their gains (``answering.py``)
does better than one that takes u with chance q whatever it holds; the difference is the *bonus* of its hand. It is
fitted by least squares, every offer weighing as often as it is made, as ``4 q (1 - q) (a * spread + b * distance)``.
Both tell of what taking u changes: ``spread``, its standard deviation over hidden cards; ``distance``, how far that of
d lies from the mean. ``hands.DRAWN_ANEW`` and ``BONUS_AS_KEPT`` are such a and b.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.rules import COPIES, HAND_SIZE, Rules, compile_rules
from agentsim.games.agent_avenue.session import Session
from agentsim.games.agent_avenue.solver.answering import fill_successors, gain_of
from agentsim.games.agent_avenue.solver.backward import LEVELS, fill_outcomes
from agentsim.games.agent_avenue.solver.hands import MOST_CARDS, draw_kept, kept_ways
from agentsim.games.agent_avenue.solver.measure import note_states, zone_of
from agentsim.games.agent_avenue.solver.opened import open_table
from agentsim.games.agent_avenue.solver.parameters import solver_row
from agentsim.games.agent_avenue.solver.store import Solution, offers_of_table, solution
from agentsim.games.agent_avenue.solver.turn_game import SIZE
from agentsim.games.agent_avenue.view import View
from agentsim.games.base import PolicyRef
from agentsim.jit import jit
from agentsim.rng import seat_key

__all__ = ["HandWorth", "hand_worth", "visited_states"]

HANDS = 64
"""Hands drawn for each state and face-up card."""
_BLOCKS = 20
_PART = 20_000


@dataclass(frozen=True)
class HandWorth:
    """The fit. ``by_spread``, ``by_distance`` with standard errors (a jackknife over blocks of states).

    ``explained``: share of the variance of bonuses that the fit explains; ``mean``: the mean bonus of an offer, in
    winning chance; ``states``: how many were drawn.
    """

    by_spread: float
    by_distance: float
    error_spread: float
    error_distance: float
    explained: float
    mean: float
    states: int


@jit(_nrt=True)
def _weigh_hands(states, table, params, offered, hands, seed, found):
    """``found[i, u, d]``: the bonus of the receiver's hand, what ``a`` and ``b`` are multiplied by, and a weight."""
    t = open_table(params)
    n = t.n
    outcomes, belief, means, ends = np.empty((SIZE, SIZE)), np.empty(SIZE), np.empty((2, SIZE)), np.empty((2, SIZE))
    pairs, public, none = np.empty((2, SIZE, SIZE, SIZE)), np.empty(SIZE, np.int64), np.zeros(SIZE, np.int64)
    cards, gains, only = np.zeros((hands, SIZE), np.int64), np.empty(hands), np.zeros(SIZE)
    ways = np.empty((SIZE, MOST_CARDS + 1, MOST_CARDS + 1))
    for at in range(states.shape[0]):
        lead = states[at] // (t.side * t.side) - t.gap + 1
        mine, theirs = states[at] // t.side % t.side, states[at] % t.side
        fill_outcomes(lead, mine, theirs, n, t.digit, t.moves, t.wins, t.loses, t.gap, t.side, t.tie, t.values,
                      outcomes)
        offerer, receiver = zone_of(mine, t.digit, n), zone_of(theirs, t.digit, n)
        for up in range(n):
            for name in range(n):
                held = (mine // t.digit[name] % 3 + theirs // t.digit[name] % 3) if t.digit[name] > 0 else 0
                public[name] = max(table[COPIES + name] - held, 0)
            copies, mean, square, total = 0.0, 0.0, 0.0, 0.0
            for d in range(n):
                belief[d] = offered[at, up, d]
                total += belief[d]
                rest = max(public[d] - (1 if d == up else 0), 0)
                change = outcomes[up, d] - outcomes[d, up]
                copies += rest
                mean += rest * change
                square += rest * change * change
            if public[up] <= 0 or total < 1e-6 or copies <= 0.0:
                continue
            mean /= copies
            spread = np.sqrt(max(square / copies - mean * mean, 0.0))
            view = View(0, receiver, offerer, 0, -lead, t.gap, t.gap, 0, 0, 0, 0, 0, 0, up)
            fill_successors(view, table, t, t.values, up, belief, outcomes, True, ends, means, pairs)
            kept_ways(t.kept, lead + t.gap - 1, mine, theirs, public, up, n, t.digit, table[HAND_SIZE], ways)
            for hand in range(hands):
                draw_kept(ways, n, table[HAND_SIZE], seat_key(seed, up, states[at], hand), 0, cards[hand])
                gains[hand] = gain_of(cards[hand], none, up, n, public, belief, 1.0, ends, means, pairs)
            order, wanted = np.argsort(gains), t.answers[states[at], up] / LEVELS
            for d in range(n):
                if belief[d] < 1e-6 or public[d] - (1 if d == up else 0) <= 0:
                    continue
                for name in range(n):
                    only[name] = 1.0 if name == d else 0.0
                weights, chosen, every = 0.0, 0.0, 0.0
                for place in range(hands):
                    hand = order[place]
                    weight = max(public[d] - (1 if d == up else 0) - cards[hand, d], 0)
                    gain = gain_of(cards[hand], none, up, n, public, only, 1.0, ends, means, pairs)
                    takes = min(1.0, max(0.0, wanted * hands - (hands - 1 - place)))
                    weights += weight
                    chosen += weight * takes * gain
                    every += weight * gain
                if weights > 0.0:
                    found[at, up, d, 0] = (chosen - wanted * every) / weights
                    found[at, up, d, 1] = 4.0 * wanted * (1.0 - wanted) * spread
                    found[at, up, d, 2] = 4.0 * wanted * (1.0 - wanted) * abs(outcomes[up, d] - outcomes[d, up] - mean)
                    found[at, up, d, 3] = offered[at, up, d]


def visited_states(policy: PolicyRef, rules: Rules, games: int, seed: int) -> NDArray[np.int64]:
    """The public states of the turns of games of a policy against itself, one entry a turn."""
    space, session = solution(rules).space, Session(rules, [(policy, policy)], seed)
    offering, answering = np.zeros(space.n_states, np.uint16), np.zeros(space.n_states, np.uint16)
    first = 0
    while first < games:
        rows, _, turns, turn_game, _ = session._run(0, first, min(games - first, _PART), "turns")
        note_states(turns, turn_game, first, 0, 1, space.digit, space.gap, space.side, offering, answering)
        first += len(rows)
    turns_in = offering.astype(np.int64) + answering
    return np.repeat(np.arange(space.n_states), turns_in)


def hand_worth(rules: Rules, policy: PolicyRef, *, games: int = 20_000, states: int = 3_000, seed: int = 1
               ) -> HandWorth:
    """Fit the bonus of the receiver's hand over ``states`` turns of ``games`` games of a solver against itself.

    Raises InputError for rules without a solver's table.
    """
    found: Solution = solution(rules)
    turns = visited_states(policy, rules, games, seed)
    drawn = np.random.default_rng(seed).choice(turns, states)
    rows = np.zeros((states, SIZE, SIZE, 4))
    params = solver_row({}, found.values, found.answers, found.facts)
    _weigh_hands(drawn, compile_rules(rules), params, offers_of_table(found, drawn), HANDS, np.uint64(seed), rows)
    block = np.repeat(np.arange(states) % _BLOCKS, SIZE * SIZE)
    weight = np.sqrt(rows[..., 3].ravel())
    both, told = rows[..., 1:3].reshape(-1, 2) * weight[:, None], rows[..., 0].ravel() * weight
    fit = np.linalg.lstsq(both, told, rcond=None)[0]
    parts = np.array([np.linalg.lstsq(both[block != b], told[block != b], rcond=None)[0] for b in range(_BLOCKS)])
    errors = np.sqrt((_BLOCKS - 1) * parts.var(axis=0))
    mean = float((told * weight).sum() / (weight**2).sum())
    rest, whole = told - both @ fit, told - mean * weight
    return HandWorth(float(fit[0]), float(fit[1]), float(errors[0]), float(errors[1]),
                     float(1.0 - (rest**2).sum() / (whole**2).sum()), mean, states)
