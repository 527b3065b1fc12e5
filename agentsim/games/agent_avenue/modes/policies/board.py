"""The board: what a view tells, laid out as a state of the engine, to try things out on it.

Recruiting, moving and the End conditions are the engine's own functions. The board knows no hand and no deck, and of
several ongoing cards that set one move it takes the one that comes last in the table for the one taken last.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.engine import LEAD, PLAY
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.end import has_lost, win_reason
from agentsim.games.agent_avenue.modes.policies.space import KEPT
from agentsim.games.agent_avenue.rules import (
    ALL_CARDS,
    GAP_0,
    LOSES_AT,
    LOSING,
    N_LOSING,
    N_WINNING,
    TIE_ACTIVE,
    TIE_PASSIVE,
    WINNING,
    WINS_AT,
)
from agentsim.games.agent_avenue.zones import count, first_one, one
from agentsim.jit import jit

__all__ = ["give_card", "keep", "lay_out", "restore", "unseen_cards", "verdict"]

_ANY_WIN = 1 << 20


@jit(inline="always")
def lay_out(view, table, scratch):
    """Write the view into the board."""
    me = view.side & 1
    it = 1 - me
    scratch[LEAD] = view.lead if me == 0 else -view.lead
    scratch[PLAY + me], scratch[PLAY + it] = view.mine, view.theirs
    scratch[x.SPACE + me], scratch[x.SPACE + it] = view.space_me, view.space_them
    scratch[x.M_SPACE + me], scratch[x.M_SPACE + it] = view.m_me, view.m_them
    scratch[x.OWED + me], scratch[x.OWED + it] = view.owed_me, view.owed_them
    scratch[x.HELD + me], scratch[x.HELD + it] = view.held_me, view.held_them
    # Pawns that stand in a trap count as trapped when Black Market cards are weighed: most have moved in that turn.
    scratch[x.STIRRED + me] = scratch[x.STIRRED + it] = 1
    scratch[x.WENT + me] = scratch[x.WENT + it] = 0
    scratch[x.N_HELD + me] = scratch[x.N_HELD + it] = 0
    if view.held_me | view.held_them:
        _list_cards(scratch, me, view.held_me)
        _list_cards(scratch, it, view.held_them)


@jit
def _list_cards(scratch, side, held):
    n = np.int64(0)
    while held:
        scratch[x.ORDER + 64 * side + n] = first_one(held)
        held &= held - np.int64(1)
        n += 1
    scratch[x.N_HELD + side] = n


@jit
def give_card(scratch, side, copy):
    """An ongoing card goes to a side."""
    scratch[x.ORDER + 64 * side + scratch[x.N_HELD + side]] = copy
    scratch[x.N_HELD + side] += 1
    scratch[x.HELD + side] |= np.int64(1) << copy


@jit
def keep(scratch):
    """Note the board before a trial."""
    scratch[KEPT] = scratch[LEAD]
    for side in range(2):
        at = KEPT + 1 + 8 * side
        scratch[at], scratch[at + 1] = scratch[PLAY + side], scratch[x.SPACE + side]
        scratch[at + 2], scratch[at + 3] = scratch[x.M_SPACE + side], scratch[x.OWED + side]
        scratch[at + 4], scratch[at + 5] = scratch[x.HELD + side], scratch[x.N_HELD + side]


@jit
def restore(scratch):
    """Undo a trial."""
    scratch[LEAD] = scratch[KEPT]
    for side in range(2):
        at = KEPT + 1 + 8 * side
        scratch[PLAY + side], scratch[x.SPACE + side] = scratch[at], scratch[at + 1]
        scratch[x.M_SPACE + side], scratch[x.OWED + side] = scratch[at + 2], scratch[at + 3]
        scratch[x.HELD + side], scratch[x.N_HELD + side] = scratch[at + 4], scratch[at + 5]


@jit
def verdict(scratch, table, tie, me, active):
    """How the game would end now, for side ``me``: +1 won, -1 lost, 0 it goes on (or is drawn).

    ``active``: whether that side is the active one; ``tie``: a tie rule. Who has a win or faces a loss has a claim; two
    claims are a tie, which is the same as the rules' three cases.
    """
    it = 1 - me
    if table[x.WITH_M] == 0 and (scratch[x.HELD + me] | scratch[x.HELD + it]) & table[x.AT_END] == 0:
        # Nothing but catches and sets of agents.
        lead = scratch[LEAD] if me == 0 else -scratch[LEAD]
        mine, its = lead >= table[GAP_0 + me], -lead >= table[GAP_0 + it]
        for index in range(table[N_WINNING]):
            name = table[WINNING + index]
            mine |= count(scratch[PLAY + me], name) >= table[WINS_AT + name]
            its |= count(scratch[PLAY + it], name) >= table[WINS_AT + name]
        for index in range(table[N_LOSING]):
            name = table[LOSING + index]
            mine |= count(scratch[PLAY + it], name) >= table[LOSES_AT + name]
            its |= count(scratch[PLAY + me], name) >= table[LOSES_AT + name]
    else:
        mine = win_reason(scratch, table, me) < _ANY_WIN or has_lost(scratch, table, it)
        its = win_reason(scratch, table, it) < _ANY_WIN or has_lost(scratch, table, me)
    if mine != its:
        return 1 if mine else -1
    if not mine or tie not in (TIE_ACTIVE, TIE_PASSIVE):
        return 0
    return 1 if (tie == TIE_ACTIVE) == (active != 0) else -1


@jit(inline="always")
def unseen_cards(view, table):
    """The zone of cards that the viewer has not seen: hands of others, decks, face-down discards of others.

    Hand cards that an effect has named openly are not among them.
    """
    unseen = table[ALL_CARDS] - view.mine - view.theirs - view.hand - view.tossed
    if view.up >= 0 and view.ask in (x.ASK_FACE_DOWN, x.ASK_TAKE):
        unseen -= one(view.up)
    shown = view.shown_us + view.shown_them
    return _without(unseen, shown) if shown else unseen


@jit
def _without(unseen, shown):
    for name in range(16):
        unseen -= min(count(shown, name), count(unseen, name)) * one(name)
    return unseen
