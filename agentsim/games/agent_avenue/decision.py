"""Single decisions and streams for callers in Python; the batch kernel does the same inside its loop."""

from __future__ import annotations

from agentsim.games.agent_avenue.policies.dispatch import decide_offer, decide_take
from agentsim.games.agent_avenue.policies.exchange import look_ahead_all
from agentsim.games.agent_avenue.view import observe
from agentsim.jit import jit
from agentsim.rng import deal_key, decision_key, seat_key

__all__ = ["deal_stream", "decision_stream", "one_offer", "one_take"]


@jit
def deal_stream(seed, deal):
    """The random stream of a deal."""
    return deal_key(seed, deal)


@jit
def decision_stream(seed, matchup, game, seat, turn, kind):
    """The random stream of one decision."""
    return decision_key(seat_key(seed, matchup, game, seat), turn, kind)


@jit
def one_offer(family, user, state, table, seat, rows, policy, scratch, work, key):
    """The action that a policy takes when it has to discard or offer in a state."""
    look_ahead_all(scratch, table, state)
    return decide_offer(family, (user,), observe(state, table, seat), seat, table, rows, policy, scratch, work, key)


@jit
def one_take(family, user, state, table, seat, rows, policy, scratch, work, key):
    """The choice that a policy makes in a state: 1 for the face-up card, 0 for the hidden one."""
    look_ahead_all(scratch, table, state)
    return decide_take(family, (user,), observe(state, table, seat), seat, table, rows, policy, scratch, work, key)
