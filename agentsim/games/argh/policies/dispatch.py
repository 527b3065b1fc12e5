"""From a family's number to the code that plays it."""

from __future__ import annotations

from agentsim.games.argh.policies.baselines import random_answer, random_choose, random_peek, random_place
from agentsim.games.argh.policies.schemer import schemer_answer, schemer_choose, schemer_place
from agentsim.games.argh.table import LOCATION
from agentsim.jit import jit

__all__ = ["FAMILIES", "FAMILY_RANDOM", "FAMILY_SCHEMER", "decide_answer", "decide_choose", "decide_peek",
           "decide_place"]

FAMILY_RANDOM, FAMILY_SCHEMER = range(2)
FAMILIES = {"random": FAMILY_RANDOM, "schemer": FAMILY_SCHEMER}
"""Numbers of the families by name."""


@jit(inline="always")
def decide_choose(family, view, table, rows, policy, scratch, work, key):
    """How a policy begins its turn: 0, 1, 2 to draw from a pile, ``PASS``, or ``STEAL + place``."""
    if family == FAMILY_RANDOM:
        return random_choose(view, key)
    return schemer_choose(view, table, rows, policy, scratch, key)


@jit(inline="always")
def decide_place(family, view, table, rows, policy, scratch, work, key):
    """What a policy does with the card it drew: 0 to keep it, or the relative seat that it is offered to."""
    if family == FAMILY_RANDOM:
        return random_place(view, key)
    return schemer_place(view, table, rows, policy, scratch, key, table[LOCATION + view.card])


@jit(inline="always")
def decide_answer(family, view, table, rows, policy, scratch, work, key):
    """Whether a policy accepts the card that it is offered: 1 or 0."""
    if family == FAMILY_RANDOM:
        return random_answer(key)
    return schemer_answer(view, table, rows, policy, scratch, key)


@jit(inline="always")
def decide_peek(family, view, aside, table, key):
    """The place of the card put aside that a policy looks at: any, since all are equally unknown."""
    return random_peek(aside, key)
