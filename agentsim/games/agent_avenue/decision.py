"""Single decisions and streams for callers in Python; the batch kernel does the same inside its loop."""

from __future__ import annotations

from agentsim.games.agent_avenue.policies.dispatch import decide_offer, decide_take
from agentsim.games.agent_avenue.policies.exchange import look_ahead_all
from agentsim.games.agent_avenue.view import observe
from agentsim.jit import jit
from agentsim.rng import deal_key, decision_key, seat_key

__all__ = ["deal_stream", "decision_stream", "one_offer", "one_take", "one_user_decision"]


@jit
def deal_stream(seed, deal):
    """The random stream of a deal."""
    return deal_key(seed, deal)


@jit
def decision_stream(seed, matchup, game, seat, turn, kind):
    """The random stream of one decision."""
    return decision_key(seat_key(seed, matchup, game, seat), turn, kind)


@jit
def one_offer(family, state, table, seat, rows, policy, scratch, work, key):
    """The action that a built-in policy takes when it has to discard or offer in a state."""
    look_ahead_all(scratch, table, state)
    return decide_offer(family, None, observe(state, table, seat), seat, table, rows, policy, scratch, work, key)


@jit
def one_take(family, state, table, seat, rows, policy, scratch, work, key):
    """The choice that a built-in policy makes in a state: 1 for the face-up card, 0 for the hidden one."""
    look_ahead_all(scratch, table, state)
    return decide_take(family, None, observe(state, table, seat), seat, table, rows, policy, scratch, work, key)


# Code that is given a user's function cannot be kept on disk; apart from the built-in policies it compiles in a blink.
@jit(cache=False)
def one_user_decision(function, state, table, seat, params, key):
    """What a user's function, of offering or of choosing, answers in a state."""
    return function(observe(state, table, seat), table, params, key)
