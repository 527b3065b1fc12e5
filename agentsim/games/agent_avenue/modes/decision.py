"""Single answers and their random streams for callers in Python; the kernel does the same inside its loop."""

from __future__ import annotations

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.kernel import stream_of
from agentsim.games.agent_avenue.modes.policies.dispatch import base_view, decide
from agentsim.games.agent_avenue.modes.view import look
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
def one_answer(family, minds, state, table, rows, scratch, work, key):
    """What a built-in policy answers to the question that is open."""
    return decide(family, minds, None, look(state, table), table, rows, 0, scratch, work, key)


# Code that is given a user's function cannot be kept on disk; apart from the built-in policies it compiles in a blink.
@jit(cache=False)
def one_user_answer(function, state, table, params, key):
    """What a user's function for the questions of the modes answers."""
    return function(look(state, table), table, params, key)


@jit(cache=False)
def one_user_base_answer(function, state, table, params, key):
    """What a user's function for offers or choices of the two-player game answers."""
    return function(base_view(look(state, table), table), table, params, key)
