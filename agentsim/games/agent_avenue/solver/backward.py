"""All public states solved, from those with the most agents in play to the first.

Agents only accumulate, so most successors of a state have more of them and are known already. Only offers of two agents
that change nothing (a third sentinel and a mole, say) lead to a state of the same level: for these the values of the
sweep before stand in, and of the first sweep a formula. Two sweeps settle that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.solver.hands import DRAWN_ANEW, HEAD, fill_left, hand_chances
from agentsim.games.agent_avenue.solver.states import CLASSES, Space
from agentsim.games.agent_avenue.solver.turn_game import (
    HARD,
    PAIRS,
    SIZE,
    fill_bonus,
    offer_chances,
    solve_turn,
    turn_values,
)
from agentsim.jit import jit

__all__ = ["ANEW", "AS_KEPT", "LEVELS", "ROUGH", "STEPS", "fill_outcomes", "fill_turn", "mixed_offers",
           "solve_states"]

STEPS = (22, 8)
"""Steps of every sweep."""
LEVELS = 255.0
"""Answers are kept in whole parts of this many."""
ROUGH = 0.3
"""Log-odds of a space of lead: where the first sweep starts from."""
ANEW, AS_KEPT = (1.08, 0.12), (1.06, 0.05)
"""A turn's log-odds are multiplied by the first number and raised by the second: what discards and hands add to the
game that is solved, measured in played games (docs/solver.md). Kept hands hold what discards bring already."""
_CHUNK = 512


@jit
def _result(lead, gap, win, lose, its_win, its_lose, tie):
    """What an exchange brings the offerer at once: a chance of winning, or -1 if the game goes on."""
    # No branches: for half of the exchanges of a late turn they would be guessed wrong.
    win = win | (lead >= gap)
    its_win = its_win | (-lead >= gap)
    both = (win & its_win) | (lose & its_lose) | (win & lose) | (its_win & its_lose)
    ended = tie if both else (1.0 if win | its_lose else 0.0)
    return ended if win | its_win | lose | its_lose else -1.0


@jit
def fill_outcomes(lead, mine, theirs, n, digit, moves, wins, loses, gap, side, tie, values, outcomes):
    """``outcomes[x, y]``: the offerer's winning chance when it recruits x and the other y.

    ``mine``, ``theirs``: the offerer's and the other's agents as numbers in base 3.
    """
    # The offerer's copies by name, two bits each: a division of whole numbers costs as much as ten exchanges.
    own = np.int64(0)
    for name in range(n):
        if digit[name] > 0:
            own |= mine // digit[name] % 3 << 2 * name
    # First where the values lie, as -1 - place, then the values: they are far apart, and so many fetches wait at once.
    for y in range(n):
        its = theirs // digit[y] % 3 if digit[y] > 0 else 0
        reached = lead - moves[y, its]
        its_win, its_lose = (wins[y] != 0) & (its == 2), (loses[y] != 0) & (its == 2)
        first = ((gap - 1) * side + theirs + (0 if its == 2 else digit[y])) * side + mine
        for x in range(n):
            held = own >> 2 * x & 3
            after = reached + moves[x, held]
            now = _result(after, gap, (wins[x] != 0) & (held == 2), (loses[x] != 0) & (held == 2), its_win, its_lose,
                          tie)
            place = first - after * side * side + (0 if held == 2 else digit[x])
            outcomes[x, y] = now if now >= 0.0 else -1.0 - place
    for x in range(n):
        for y in range(n):
            now = outcomes[x, y]
            if now < 0.0:
                outcomes[x, y] = 1.0 - values[np.int64(-1.0 - now)]


@jit
def _in_play(value, steeper, lift):
    """What a winning chance of the solved game comes to in games that are played."""
    won, lost = max(value, 1e-9) ** steeper * math.exp(lift), max(1.0 - value, 1e-9) ** steeper
    return won / (won + lost)


@jit
def _solve_some(pairs, first, last, n, digit, moves, wins, loses, copies, gap, side, tie, hand, sets, set_start,
                set_pairs, pair_of, values, answers, kept, warm, steps, hard, as_played, steeper,
                lift, new_values, new_answers, gaps, p, left, subsets, outcomes, q, offers, weights, bonus, sums,
                shares):
    """Solve all leads of the pairs ``first .. last - 1`` of the level's list."""
    leads = 2 * gap - 1
    for at in range(first, last):
        mine, theirs = pairs[at] // side, pairs[at] % side
        fill_left(mine, theirs, copies, digit, n, left)
        for index in range(leads):
            state = (index * side + mine) * side + theirs
            hand_chances(kept, index, mine, theirs, left, n, digit, hand, sets, p, subsets)
            fill_outcomes(index - gap + 1, mine, theirs, n, digit, moves, wins, loses, gap, side, tie, values, outcomes)
            if as_played:
                fill_bonus(n, outcomes, left, kept, bonus)
            if warm:
                for name in range(n):
                    q[name] = answers[state, name] / LEVELS
            value, offerer, receiver = solve_turn(n, outcomes, bonus, p, set_start, set_pairs, pair_of, q, warm, steps,
                                                  hard, offers, weights, sums, shares)
            row = at * leads + index
            new_values[row] = _in_play(value, steeper, lift) if as_played else value
            gaps[state, 0], gaps[state, 1] = offerer, receiver
            for name in range(n):
                new_answers[row, name] = np.uint8(q[name] * LEVELS + 0.5)


@jit
def fill_turn(state, n, digit, moves, wins, loses, copies, gap, side, tie, hand, sets, values, answers, kept, p,
              left, subsets, outcomes, q, bonus):
    """The game of the turn in a state of a solved table: chances of types ``p``, ``outcomes``, answers ``q``, bonus."""
    mine, theirs = state // side % side, state % side
    fill_left(mine, theirs, copies, digit, n, left)
    for name in range(n):
        q[name] = answers[state, name] / LEVELS
    hand_chances(kept, state // (side * side), mine, theirs, left, n, digit, hand, sets, p, subsets)
    fill_outcomes(state // (side * side) - gap + 1, mine, theirs, n, digit, moves, wins, loses, gap, side, tie, values,
                  outcomes)
    fill_bonus(n, outcomes, left, kept, bonus)


@jit
def mixed_offers(states, n, digit, moves, wins, loses, copies, gap, side, tie, hand, sets, set_start, set_pairs,
                 pair_of, values, answers, kept, p, left, subsets, outcomes, q, offers, weights, bonus, sums, shares,
                 found):
    """``found[i, u, d]``: the chance of the offer (u, d) in state i by the solved table, over all hands."""
    for at in range(states.shape[0]):
        fill_turn(states[at], n, digit, moves, wins, loses, copies, gap, side, tie, hand, sets, values, answers, kept,
                  p, left, subsets, outcomes, q, bonus)
        turn_values(n, outcomes, q, bonus, offers)
        offer_chances(n, offers, HARD, p, set_start, set_pairs, pair_of, weights, sums, shares, found[at])


@jit
def _commit(pairs, side, leads, new_values, new_answers, values, answers):
    for at in range(pairs.shape[0]):
        for index in range(leads):
            state = (index * side + pairs[at] // side) * side + pairs[at] % side
            values[state] = new_values[at * leads + index]
            for name in range(new_answers.shape[1]):
                answers[state, name] = new_answers[at * leads + index, name]


def _levels(space: Space) -> list[NDArray[np.int64]]:
    """The pairs (mine, theirs) by how many agents they count, the most first."""
    sizes = np.zeros(space.side, np.int64)
    rest = np.arange(space.side)
    while rest.any():
        sizes += rest % CLASSES
        rest = rest // CLASSES
    total = (sizes[:, None] + sizes[None, :]).ravel()
    order = np.argsort(-total, kind="stable")
    cuts = np.flatnonzero(np.diff(total[order])) + 1
    return [part.astype(np.int64) for part in np.split(order, cuts)]


def solve_states(space: Space, *, workers: int = 1, progress: Callable[[float], None] | None = None,
                 steps: Sequence[int] = STEPS, hard: float = HARD, as_played: bool = True,
                 kept: NDArray[np.float64] = DRAWN_ANEW, pairs: NDArray[np.bool_] | None = None,
                 start: tuple[NDArray[np.float32], NDArray[np.uint8]] | None = None
                 ) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.float32]]:
    """Values, answers and gaps of all public states.

    ``workers``: threads; the result does not depend on it. ``progress``: told the share that is done. ``steps``: of
    every sweep; ``hard``: the temperature of the solved game; ``as_played``: with the bonus of the receiver's hand
    (:mod:`..turn_game`) and ANEW or AS_KEPT; otherwise the game without discards, exactly. ``kept``: what is known of
    hands (:mod:`..hands`). ``pairs`` (side * side,): where only some pairs of
    agents in play are to be solved, which; the others stay as in ``start``, values and answers found before.

    Returns ``values`` (n_states,), the winning chance of who is to offer; ``answers`` (n_states, SIZE), with what
    chance a card lying face up is taken, in parts of LEVELS; ``gaps`` (n_states, 2), what the offerer and the receiver
    could gain in this turn's game by the best reply.
    """
    leads = np.arange(space.n_leads) - space.gap + 1
    values = np.repeat((1.0 / (1.0 + np.exp(-ROUGH * leads))).astype(np.float32), space.side**2)
    answers = np.zeros((space.n_states, SIZE), np.uint8)
    if start is not None:
        values, answers = np.array(start[0]), np.array(start[1])
    in_play = AS_KEPT if len(kept) > HEAD else ANEW
    gaps = np.zeros((space.n_states, 2), np.float32)
    levels = _levels(space)
    if pairs is not None:
        levels = [some for level in levels if len(some := level[pairs[level]])]
    weights = [len(level) * each for each in steps for level in levels]
    done, total = 0, sum(weights)

    def solve(level: NDArray[np.int64], warm: bool, each: int, out: tuple[NDArray[np.float32], NDArray[np.uint8]],
              first: int) -> int:
        last = min(first + _CHUNK, len(level))
        square = np.zeros((4, SIZE, SIZE))
        _solve_some(level, first, last, space.n_names, space.digit, space.moves, space.wins, space.loses, space.copies,
                    space.gap, space.side, space.tie, space.hand, space.sets, space.set_start, space.set_pairs,
                    space.pair_of, values, answers, kept, warm, each, hard, as_played, *in_play, *out, gaps,
                    np.zeros(len(space.sets)), np.zeros(SIZE, np.int64), np.zeros(1 << SIZE), square[0],
                    np.zeros(SIZE), square[1], square[2], square[3], np.zeros(PAIRS), np.zeros(PAIRS))
        return (last - first) * each

    with ThreadPoolExecutor(max(1, workers)) as crew:
        for sweep, each in enumerate(steps):
            for level in levels:
                out = (np.zeros(len(level) * space.n_leads, np.float32),
                       np.zeros((len(level) * space.n_leads, SIZE), np.uint8))
                firsts = range(0, len(level), _CHUNK)
                for part in crew.map(partial(solve, level, sweep > 0, each, out), firsts):
                    done += part
                    if progress is not None:
                        progress(done / total)
                # Only now, so that no state of a level sees whether another one is already new.
                _commit(level, space.side, space.n_leads, *out, values, answers)
    return values, answers, gaps
