"""Single answers and their random streams for callers in Python; the kernel does the same inside its loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.kernel import stream_of
from agentsim.games.agent_avenue.modes.policies.chance import random_answer, random_discards_answer
from agentsim.games.agent_avenue.modes.policies.dispatch import base_view
from agentsim.games.agent_avenue.modes.policies.minds import think
from agentsim.games.agent_avenue.modes.view import look
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_FITTED, FAMILY_GREEDY, FAMILY_RANDOM
from agentsim.jit import jit
from agentsim.rng import below, seat_key

__all__ = ["answer_stream", "one_answer", "one_user_answer", "one_user_base_answer", "uniform_pick"]


@jit
def answer_stream(seed, matchup, game, state):
    """The random stream of the answer to the question that is open in a game of a run."""
    return stream_of(seat_key(seed, matchup, game, state[x.ASKED] & 1), state)


@jit
def uniform_pick(state, key):
    """The Black Market card that chance picks with that stream."""
    return below(key, state[x.OPTIONS])


@jit
def _by_chance(family, state, table, key):
    """What a policy that does not think answers."""
    view = look(state, table)
    if family == FAMILY_RANDOM:
        return random_answer(view, table, key)
    return random_discards_answer(view, table, key)


def one_answer(family: int, state: NDArray[np.int64], table: NDArray[np.int64], rows: NDArray[np.float64],
               scratch: NDArray[np.int64], work: NDArray[np.float64], key: np.uint64) -> int:
    """What a built-in policy answers to the question that is open.

    ``rows``: (1, n), the policy's parameters; ``scratch``, ``work``: see ``policies/space.py``; ``key``: the answer's
    random stream. Not compiled as a whole: to hand functions to compiled code takes far longer than to call them.
    """
    if FAMILY_GREEDY <= family <= FAMILY_FITTED:
        return think(family, look(state, table), table, rows, scratch, work, key)
    return int(_by_chance(family, state, table, key))


# Code that is given a user's function cannot be kept on disk; apart from the built-in policies it compiles in a blink.
@jit(cache=False)
def one_user_answer(function, state, table, params, key):
    """What a user's function for the questions of the modes answers."""
    return function(look(state, table), table, params, key)


@jit(cache=False)
def one_user_base_answer(function, state, table, params, key):
    """What a user's function for offers or choices of the two-player game answers."""
    return function(base_view(look(state, table), table), table, params, key)
