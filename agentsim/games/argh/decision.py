"""Single decisions and streams for callers in Python; the batch kernel does the same inside its loop."""

from __future__ import annotations

from agentsim.games.argh.engine import places_aside
from agentsim.games.argh.policies.dispatch import decide_answer, decide_choose, decide_peek, decide_place
from agentsim.games.argh.view import observe
from agentsim.jit import jit
from agentsim.rng import deal_key, decision_key, seat_key

__all__ = ["deal_stream", "decision_stream", "one_answer", "one_choice", "one_peek", "one_placing"]


@jit
def deal_stream(seed, deal):
    """The random stream of a deal."""
    return deal_key(seed, deal)


@jit
def decision_stream(seed, matchup, game, seat, turn, kind):
    """The random stream of one decision."""
    return decision_key(seat_key(seed, matchup, game, seat), turn, kind)


@jit
def one_choice(family, state, table, seat, rows, policy, scratch, work, key):
    """How a policy begins its turn in a state: 0, 1, 2 to draw, ``PASS``, or ``STEAL + place``."""
    return decide_choose(family, observe(state, table, seat), table, rows, policy, scratch, work, key)


@jit
def one_placing(family, state, table, seat, rows, policy, scratch, work, key):
    """What a policy does with the card it drew: 0 to keep it, or the relative seat to offer it to."""
    return decide_place(family, observe(state, table, seat), table, rows, policy, scratch, work, key)


@jit
def one_answer(family, state, table, seat, rows, policy, scratch, work, key):
    """Whether a policy accepts the card offered: 1 or 0."""
    return decide_answer(family, observe(state, table, seat), table, rows, policy, scratch, work, key)


@jit
def one_peek(family, state, table, seat, key):
    """The place of the card put aside that a policy looks at."""
    return decide_peek(family, observe(state, table, seat), places_aside(table), table, key)
