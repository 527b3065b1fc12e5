"""From a family's number to the code that answers, for every question of every mode."""

from __future__ import annotations

from agentsim.games.agent_avenue.modes.layout import ASK_PLAY, ASK_TAKE
from agentsim.games.agent_avenue.modes.policies.chance import may_discard, random_answer, random_discards_answer
from agentsim.games.agent_avenue.modes.policies.sight import show
from agentsim.games.agent_avenue.modes.view import MODE_SIGNATURE
from agentsim.games.agent_avenue.policies.dispatch import (
    FAMILY_FITTED,
    FAMILY_GREEDY,
    FAMILY_RANDOM,
    FAMILY_USER,
)
from agentsim.games.agent_avenue.view import View
from agentsim.jit import jit

__all__ = ["chance", "decide"]


@jit(MODE_SIGNATURE)
def chance(view, table, params, key):
    """What answers the other questions for a user's policy that offers and takes only: ``random``."""
    return random_answer(view, table, key)


@jit(inline="always")
def base_view(view, table):
    """The view of the two-player game that the functions of a user's policy are written for.

    Where a ruling forbids a discard in this Play, it shows none left.
    """
    return View(view.hand, view.mine, view.theirs, view.tossed, view.lead, view.gap_me, view.gap_them,
                view.discards_left if may_discard(view, table) else 0, view.their_discards_left, view.deck,
                view.their_hand, view.turn, view.step, view.up)


@jit(inline="always")
def decide(family, minds, users, view, table, rows, policy, scratch, work, key):
    """The answer of a policy to the question of a :class:`~agentsim.games.agent_avenue.modes.view.ModeView`.

    ``minds``: what ``minds.minds_for`` gives. ``users``: None if all policies are built in (the lines about users are
    then not even compiled), else three tuples of jitted functions by policy: for ASK_PLAY and ASK_TAKE with the
    signatures of the base game, for all other questions with MODE_SIGNATURE (``chance`` for a policy that has none).
    ``scratch``, ``work``: see ``space.py``.
    """
    if family == FAMILY_RANDOM:
        return random_answer(view, table, key)
    if FAMILY_GREEDY <= family <= FAMILY_FITTED:
        part = 2 if family == FAMILY_FITTED else 0 if view.ask <= ASK_TAKE else 1
        show(view, scratch)
        return minds[part](family, table, rows, policy, scratch, work, key)
    if users is None or family < FAMILY_USER:
        return random_discards_answer(view, table, key)
    if view.ask == ASK_PLAY:
        return users[0][policy](base_view(view, table), table, rows[policy], key)
    if view.ask == ASK_TAKE:
        return users[1][policy](base_view(view, table), table, rows[policy], key)
    return users[2][policy](view, table, rows[policy], key)
