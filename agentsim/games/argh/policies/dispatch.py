"""From a family's number to the code that plays it."""

from __future__ import annotations

from agentsim.games.argh.policies.baselines import random_answer, random_choose, random_peek, random_place
from agentsim.jit import jit

__all__ = ["FAMILIES", "FAMILY_RANDOM", "decide_answer", "decide_choose", "decide_peek", "decide_place"]

FAMILY_RANDOM = 0
FAMILIES = {"random": FAMILY_RANDOM}
"""Numbers of the families by name."""


@jit(inline="always")
def decide_choose(family, view, table, rows, policy, scratch, work, key):
    """How a policy begins its turn: 0, 1, 2 to draw from a pile, ``PASS``, or ``STEAL + place``."""
    return random_choose(view, key)


@jit(inline="always")
def decide_place(family, view, table, rows, policy, scratch, work, key):
    """What a policy does with the card it drew: 0 to keep it, or the relative seat that it is offered to."""
    return random_place(view, key)


@jit(inline="always")
def decide_answer(family, view, table, rows, policy, scratch, work, key):
    """Whether a policy accepts the card that it is offered: 1 or 0."""
    return random_answer(key)


@jit(inline="always")
def decide_peek(family, view, aside, table, key):
    """The place of the card put aside that a policy looks at."""
    return random_peek(aside, key)
