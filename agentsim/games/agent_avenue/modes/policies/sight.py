"""The view in the work space: how a decision's view gets to the thinking families.

Handed over as 34 numbers it would be copied at every call. So the kernel writes it into ``scratch`` once and whoever
needs fields of it reads those.
"""

from __future__ import annotations

from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.modes.view import ModeView
from agentsim.jit import jit

__all__ = ["seen", "show"]


@jit(inline="always")
def show(view, scratch):
    """Write a view into the work space, field by field."""
    scratch[s.VIEW + 0], scratch[s.VIEW + 1] = view.hand, view.mine
    scratch[s.VIEW + 2], scratch[s.VIEW + 3] = view.theirs, view.tossed
    scratch[s.VIEW + 4], scratch[s.VIEW + 5] = view.lead, view.gap_me
    scratch[s.VIEW + 6], scratch[s.VIEW + 7] = view.gap_them, view.discards_left
    scratch[s.VIEW + 8], scratch[s.VIEW + 9] = view.their_discards_left, view.deck
    scratch[s.VIEW + 10], scratch[s.VIEW + 11] = view.their_hand, view.turn
    scratch[s.VIEW + 12], scratch[s.VIEW + 13] = view.step, view.up
    scratch[s.VIEW + 14], scratch[s.VIEW + 15] = view.ask, view.options
    scratch[s.VIEW + 16], scratch[s.VIEW + 17] = view.partner_hand, view.active
    scratch[s.VIEW + 18], scratch[s.VIEW + 19] = view.space_me, view.space_them
    scratch[s.VIEW + 20], scratch[s.VIEW + 21] = view.m_me, view.m_them
    scratch[s.VIEW + 22], scratch[s.VIEW + 23] = view.owed_me, view.owed_them
    scratch[s.VIEW + 24], scratch[s.VIEW + 25] = view.held_me, view.held_them
    scratch[s.VIEW + 26], scratch[s.VIEW + 27] = view.supply, view.pile
    scratch[s.VIEW + 28], scratch[s.VIEW + 29] = view.taken, view.shown_us
    scratch[s.VIEW + 30], scratch[s.VIEW + 31] = view.shown_them, view.members
    scratch[s.VIEW + 32], scratch[s.VIEW + 33] = view.their_members, view.side


@jit(inline="always")
def seen(scratch):
    """The view that :func:`show` wrote."""
    return ModeView(
        scratch[s.VIEW + 0], scratch[s.VIEW + 1], scratch[s.VIEW + 2], scratch[s.VIEW + 3], scratch[s.VIEW + 4],
        scratch[s.VIEW + 5], scratch[s.VIEW + 6], scratch[s.VIEW + 7], scratch[s.VIEW + 8], scratch[s.VIEW + 9],
        scratch[s.VIEW + 10], scratch[s.VIEW + 11], scratch[s.VIEW + 12], scratch[s.VIEW + 13], scratch[s.VIEW + 14],
        scratch[s.VIEW + 15], scratch[s.VIEW + 16], scratch[s.VIEW + 17], scratch[s.VIEW + 18], scratch[s.VIEW + 19],
        scratch[s.VIEW + 20], scratch[s.VIEW + 21], scratch[s.VIEW + 22], scratch[s.VIEW + 23], scratch[s.VIEW + 24],
        scratch[s.VIEW + 25], scratch[s.VIEW + 26], scratch[s.VIEW + 27], scratch[s.VIEW + 28], scratch[s.VIEW + 29],
        scratch[s.VIEW + 30], scratch[s.VIEW + 31], scratch[s.VIEW + 32], scratch[s.VIEW + 33])
