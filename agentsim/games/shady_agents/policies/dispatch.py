"""From a family's number to the code that plays it."""

from __future__ import annotations

from agentsim.games.shady_agents.engine import CALL, CHOOSING, GIVE, PHASE, TO, TOOL, calls_free
from agentsim.games.shady_agents.policies.baselines import naive_choose, naive_place, random_choose, random_place
from agentsim.games.shady_agents.policies.sleuth import sleuth_choose, sleuth_place
from agentsim.games.shady_agents.table import INTERROGATIONS, OWN_TOOLS, PLAYERS, TWO_TO_ONE
from agentsim.games.shady_agents.view import observe
from agentsim.jit import jit

__all__ = ["FAMILIES", "FAMILY_NAIVE", "FAMILY_RANDOM", "FAMILY_SLEUTH", "decide"]

FAMILY_RANDOM, FAMILY_NAIVE, FAMILY_SLEUTH = range(3)
FAMILIES = {"random": FAMILY_RANDOM, "naive": FAMILY_NAIVE, "sleuth": FAMILY_SLEUTH}
"""Numbers of the families by name. ``random`` does not listen, ``naive`` counts verdicts, ``sleuth`` keeps beliefs."""


@jit(inline="always")
def _random(state, table, me, key):
    """The baseline reads public facts only and so needs no view."""
    players = table[PLAYERS]
    if state[PHASE] == CHOOSING:
        return random_choose(players, table[OWN_TOOLS], table[INTERROGATIONS], calls_free(state, table, me), key)
    barred = -1
    if table[TWO_TO_ONE] == 0 and state[TO + 3 * me + 1] >= 0:
        barred = state[TO + 3 * me + 1] - me
        barred += players if barred < 0 else 0
    return state[TOOL] * GIVE + random_place(players, table[OWN_TOOLS], barred, key)


@jit(inline="always")
def decide(family, state, odds, table, me, rows, policy, view, sense, key):
    """What a policy answers in seat ``me``, whose turn it is: a code of the engine, with the receiver's seat.

    ``view`` and ``sense`` are work space of VIEW_SIZE int64 and SENSE_SIZE float64.
    """
    if family == FAMILY_RANDOM:
        code = _random(state, table, me, key)
    else:
        observe(state, odds, table, me, view, sense)
        if state[PHASE] == CHOOSING:
            code = (naive_choose(view, key) if family == FAMILY_NAIVE
                    else sleuth_choose(view, sense, rows, policy, key))
        else:
            code = state[TOOL] * GIVE + (naive_place(view, key) if family == FAMILY_NAIVE
                                         else sleuth_place(view, sense, rows, policy, key))
    if code >= CALL:
        return code
    # Policies count seats from themselves.
    seat = code % GIVE + me
    return code - code % GIVE + (seat - table[PLAYERS] if seat >= table[PLAYERS] else seat)
