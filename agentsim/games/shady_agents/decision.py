"""Single decisions and streams for callers in Python; the batch kernel does the same inside its loop."""

from __future__ import annotations

from agentsim.games.shady_agents.belief import posterior
from agentsim.games.shady_agents.engine import friends_of
from agentsim.games.shady_agents.policies.dispatch import decide
from agentsim.games.shady_agents.table import PLAYERS
from agentsim.games.shady_agents.view import observe
from agentsim.jit import jit
from agentsim.rng import deal_key, decision_key, seat_key

__all__ = ["deal_stream", "decision_stream", "one_belief", "one_decision"]


@jit
def deal_stream(seed, deal):
    """The random stream of a deal."""
    return deal_key(seed, deal)


@jit
def decision_stream(seed, matchup, game, seat, turn, kind):
    """The random stream of one decision."""
    return decision_key(seat_key(seed, matchup, game, seat), turn, kind)


@jit
def one_decision(family, state, odds, table, seat, rows, policy, view, sense, key):
    """What a policy answers in a state: a code of the engine."""
    return decide(family, state, odds, table, seat, rows, policy, view, sense, key)


@jit
def one_belief(state, odds, table, seat, view, sense):
    """Fill ``view`` and ``sense`` for a seat, the posterior chances included."""
    observe(state, odds, table, seat, view, sense)
    posterior(sense, table[PLAYERS] - 1, friends_of(state, table, seat))
