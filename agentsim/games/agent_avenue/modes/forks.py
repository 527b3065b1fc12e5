"""Forks: the same game continued twice from a uniform pick, once with the card and once with a blank in its place.

One paired difference per game, at its first landing that finds at least two cards. Both branches have the same state,
the same deck and market pile and the same decision streams; they differ in what the card does, and in what follows.

Where exactly one blank lies beside the card, a third branch takes that blank. That is what takers of the card and
takers of the blank differ in: the card that is not taken stays on offer, which a card that does nothing does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.engine import WINNER
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.kernel import stream_of
from agentsim.games.agent_avenue.modes.picks import is_blank, supply_blank
from agentsim.games.agent_avenue.modes.policies.dispatch import decide
from agentsim.games.agent_avenue.modes.turn import answer, legal, start
from agentsim.games.agent_avenue.modes.view import look
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_USER
from agentsim.jit import jit
from agentsim.rng import below, deal_key, seat_key

__all__ = ["FORK_RECORD", "named_forks", "play_forks"]

FORK_RECORD = 10
"""Counters per card: forks by difference + 2, in half-points of the taker; then the same against taking the blank that
lay beside it."""


@jit
def _play_on(state, table, key_0, key_1, swap, families, rows, minds, users, scratch, work, stop):
    """Play until the game is over, or with ``stop`` until a landing finds two cards. Returns a policy that answered
    illegally, or -1."""
    while state[x.DECISION] >= 0:
        question, side = state[x.DECISION], state[x.ASKED] & 1
        policy = (side ^ swap) & 1
        key = stream_of(key_0 if side == 0 else key_1, state)
        if question == x.ASK_MARKET and stop and state[x.OPTIONS] >= 2:
            return -1
        if question == x.ASK_MARKET and table[x.PICKS_UNIFORM] == 1:
            option = below(key, state[x.OPTIONS])
        else:
            option = decide(families[policy], minds, users, look(state, table), table, rows, policy, scratch, work,
                            key)
        if families[policy] >= FAMILY_USER and not legal(state, table, option):
            return policy
        answer(state, table, option)
    return -1


@jit
def play_forks(seed, matchup, first_game, n_games, swaps, tables, families, rows, minds, users, forks, state, others,
               scratch, work):
    """Fork the games ``first_game ..`` of a matchup (numbered as in ``kernel.play_modes``) and count the differences.

    ``forks``: int64 (N_MARKET * FORK_RECORD,), to which they are added; ``state``: int64 (MODE_STATE,), ``others``:
    int64 (2, MODE_STATE).
    Returns ``(games played, policy)``; ``policy`` is -1, or which one gave an illegal answer in the game after the
    last.
    """
    roles = tables.shape[0]
    other, third = others[0], others[1]
    for index in range(n_games):
        game = first_game + index
        swap = game & 1 if swaps == 2 else 0
        table = tables[(game // swaps) % roles]
        start(state, table, deal_key(seed, game // (swaps * roles)), -1)
        key_0, key_1 = seat_key(seed, matchup, game, 0), seat_key(seed, matchup, game, 1)
        offender = _play_on(state, table, key_0, key_1, swap, families, rows, minds, users, scratch, work, True)
        if offender >= 0:
            return index, offender
        if state[x.DECISION] < 0:
            continue
        side = state[x.ASKED] & 1
        n = state[x.OPTIONS]
        place = below(stream_of(key_0 if side == 0 else key_1, state), n)
        card = table[x.COPY + state[x.SUPPLY + place]]
        blank = supply_blank(state, table)
        beside = blank >= 0 and not is_blank(table, card)
        if beside:
            for entry in range(x.MODE_STATE):
                third[entry] = state[entry]
            answer(third, table, _place_of(state, table, blank))
            offender = _play_on(third, table, key_0, key_1, swap, families, rows, minds, users, scratch, work, False)
            if offender >= 0:
                return index, offender
        for entry in range(x.MODE_STATE):
            other[entry] = state[entry]
        other[x.BLANKED] = 1
        answer(state, table, place)
        answer(other, table, place)
        for branch in (state, other):
            offender = _play_on(branch, table, key_0, key_1, swap, families, rows, minds, users, scratch, work, False)
            if offender >= 0:
                return index, offender
        forks[FORK_RECORD * card + 2 + _half_points(state, side) - _half_points(other, side)] += 1
        if beside:
            forks[FORK_RECORD * card + 7 + _half_points(state, side) - _half_points(third, side)] += 1
    return n_games, -1


@jit
def _place_of(state, table, card):
    """Where a card lies in the supply."""
    for place in range(state[x.N_SUPPLY]):
        if table[x.COPY + state[x.SUPPLY + place]] == card:
            return place
    return -1


@jit
def _half_points(state, side):
    """What a side has made of a game that is over: 2 a win, 1 a draw, 0 a loss."""
    if state[WINNER] < 0:
        return 1
    return 2 if state[WINNER] == side else 0


def named_forks(forks: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """The counters by name: ``forks``, ``forks_with_blank`` [C, 5], forks by difference -2 .. 2 in half-points (index
    difference + 2) of the card that was picked; the second against taking the one blank that lay beside it."""
    records = forks.reshape(-1, FORK_RECORD)
    return {"forks": records[:, :5].copy(), "forks_with_blank": records[:, 5:].copy()}
