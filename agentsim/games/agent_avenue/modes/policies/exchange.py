"""What ``greedy`` and ``minmax`` share: the lanes of an exchange, and beliefs about a card that is not seen."""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.modes.policies.board import lay_out, unseen_cards
from agentsim.games.agent_avenue.modes.policies.lanes import count_ways, plot_lanes, survey, trap_lanes
from agentsim.games.agent_avenue.modes.policies.sight import seen
from agentsim.games.agent_avenue.rules import ALL_CARDS, HAND_SIZE, TIE_ACTIVE, TIE_PASSIVE
from agentsim.games.agent_avenue.zones import count, name_set, one, size
from agentsim.jit import jit

__all__ = ["hidden_weight", "lay_lanes", "names_at_stake", "needs_more", "rest_of_hand", "tie_score"]


@jit(inline="always")
def needs_more(view, table):
    """Whether there is more to look at than moves, landings and sets of agents."""
    return table[x.WITH_M] != 0 or ((view.held_me | view.held_them) & table[x.AT_END]) != 0


@jit
def lay_lanes(table, scratch, work, names):
    """Fill the lanes of a set of names for both sides, of all names with Division M.

    Returns whether there is more to look at than moves and sets: then PLOT is filled as well, and with Division M
    EXPOSED and GRIP.
    """
    view = seen(scratch)
    me = view.side & 1
    lay_out(view, table, scratch)
    further = needs_more(view, table)
    if table[x.WITH_M] != 0:
        names = name_set(table[ALL_CARDS])
    for who in range(2):
        survey(scratch, table, me ^ who, np.int64(s.THEM * who), names, further)
    if further:
        for who in range(2):
            plot_lanes(scratch, work, table, me ^ who, np.int64(s.THEM * who))
        if table[x.WITH_M] != 0:
            scratch[s.ME] = me
            count_ways(scratch, table, unseen_cards(view, table))
            for who in range(2):
                trap_lanes(scratch, work, table, who)
    return further


@jit(inline="always")
def tie_score(tie, active):
    """What a tie is for me under a tie rule: +1 won, -1 lost, 0 a draw."""
    for_active = 1 if tie == TIE_ACTIVE else -1 if tie == TIE_PASSIVE else 0
    return for_active if active else -for_active


@jit(inline="always")
def hidden_weight(unseen, known, rest, name):
    """How likely the hidden card has a name, as a weight: its unseen copies.

    If cards of the other hands are known (``known`` is not empty), each of those counts as one card of the hand and
    the unseen cards share the ``rest`` of it, see :func:`rest_of_hand`.
    """
    if known == 0:
        return count(unseen, name)
    return count(known, name) * max(size(unseen), 1) + count(unseen, name) * rest


@jit(inline="always")
def rest_of_hand(view, table):
    """Cards of the other side's hands, as they were when it laid the cards, that are not known to be there."""
    return max(table[HAND_SIZE] * view.their_members - 1 - size(view.shown_them), 0)


@jit(inline="always")
def names_at_stake(view, table, unseen):
    """The names that may be recruited in the exchange that is asked about, as far as it needs them."""
    if view.ask == x.ASK_PLAY:
        return name_set(view.hand)
    if view.ask == x.ASK_FACE_UP:
        return name_set(view.hand) | name_set(unseen + view.shown_us)
    if view.ask == x.ASK_FACE_DOWN:
        return view.options | one(view.up & 15)
    return name_set(unseen + view.shown_them) | one(view.up & 15)
