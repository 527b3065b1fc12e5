"""What a side or a player may know in any mode: one view for all questions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.sides import discards_each, side_size
from agentsim.games.agent_avenue.rules import GAP_0, GAP_1
from agentsim.games.agent_avenue.zones import size
from agentsim.jit import jit

__all__ = ["MODE_SIGNATURE", "ModeView", "look"]



class ModeView(NamedTuple):
    """The position as whoever is asked sees it. The first fields mean what they mean in :class:`..view.View`.

    ``ask``, ``options``: the question (see ``layout.py``). ``hand``, ``tossed``, ``discards_left`` are those of the
    player who is asked, empty when a team of two decides together. ``their_hand``, ``their_discards_left``: of all
    players of the other side. ``up``: the face-up card on the table while the receiver or the partner thinks, the agent
    taken back while it may be recruited, else -1.
    ``partner_hand``: number of cards. ``active``: 1 if my side is active. ``space_*``, ``m_*`` (-1: off the board):
    places of the pawns on the ring; ``owed_*``: landings not yet resolved. ``held_*``: ongoing cards, sets of copies.
    ``supply``: 8 bits per place from the left, ``copy + 1`` or 0; ``pile``: cards in the face-down market pile.
    ``taken``: the copy that is being carried out, -1 if none. ``shown_us``, ``shown_them``: hand cards of my partner
    (of both members when the team decides) and of the other side that an effect named openly.
    ``members``, ``their_members``: players of the sides. ``side``: 0 if mine is the side that began.
    """

    hand: int
    mine: int
    theirs: int
    tossed: int
    lead: int
    gap_me: int
    gap_them: int
    discards_left: int
    their_discards_left: int
    deck: int
    their_hand: int
    turn: int
    step: int
    up: int
    ask: int
    options: int
    partner_hand: int
    active: int
    space_me: int
    space_them: int
    m_me: int
    m_them: int
    owed_me: int
    owed_them: int
    held_me: int
    held_them: int
    supply: int
    pile: int
    taken: int
    shown_us: int
    shown_them: int
    members: int
    their_members: int
    side: int


MODE_VIEW_TYPE = types.NamedUniTuple(types.int64, len(ModeView._fields), ModeView)
_TABLE = types.Array(types.int64, 1, "C", readonly=True)
_ROW = types.Array(types.float64, 1, "C", readonly=True)
MODE_SIGNATURE = types.int64(MODE_VIEW_TYPE, _TABLE, _ROW, types.uint64)


@jit(inline="always")
def look(state, table):
    """The view of whoever is asked."""
    return look_of(state, table, state[x.ASKED] & 1, state[x.ASKED_MEMBER])


@jit(inline="always")
def look_of(state, table, side, member):
    """The view of a side (``member`` -1: a team that decides together) or of one of its players."""
    side &= 1
    other = 1 - side
    members, their_members = side_size(table, side), side_size(table, other)
    mine, theirs = 2 * side, 2 * other
    if members == 1:
        member = 0
    hand, tossed, left, partner, shown = 0, 0, 0, 0, 0
    if member >= 0:
        slot = (mine + member) & 3
        hand, tossed = state[x.HANDS + slot], state[x.GONE + slot]
        left = discards_each(table, side) - state[x.SPENT + slot]
        if members == 2:
            partner, shown = size(state[x.HANDS + (slot ^ 1)]), state[x.SHOWN + (slot ^ 1)]
    else:
        shown = state[x.SHOWN + mine] + state[x.SHOWN + mine + 1]
    asked = side == state[x.ASKED]
    active = side == state[e.ACTIVE]
    up = state[e.UP]
    if active and members == 2 and state[x.DECISION] == x.ASK_FACE_DOWN:
        up = state[x.TABLE_UP]
    elif state[x.DECISION] == x.ASK_RECRUIT:
        up = state[x.LAST_AGENT]
    elif active:
        up = -1
    supply = 0
    for place in range(state[x.N_SUPPLY]):
        supply |= (state[x.SUPPLY + place] + 1) << np.int64(8 * place)
    taken = -1
    if state[x.DECISION] == x.ASK_MEMBER and state[x.STAGE] == x.S_GAIN:
        taken = state[x.SUPPLY + state[x.EV_PLACE]]
    elif state[x.DECISION] >= x.ASK_MEMBER and (state[x.DECISION] != x.ASK_M or state[x.STAGE] == x.S_EVENT):
        taken = state[x.EV_COPY]
    lead, gap_me, gap_them = state[e.LEAD], table[GAP_0], table[GAP_1]
    if side == 1:
        lead, gap_me, gap_them = -lead, table[GAP_1], table[GAP_0]
    step, options = 0, 0
    if active:
        step = state[e.STEP]
    if asked:
        options = state[x.OPTIONS]
    their_discards = discards_each(table, other) * their_members - state[x.SPENT + theirs] - state[x.SPENT + theirs + 1]
    return ModeView(
        hand, state[e.PLAY + side], state[e.PLAY + other], tossed, lead, gap_me, gap_them, left, their_discards,
        e.deck_left(state, table), size(state[x.HANDS + theirs]) + size(state[x.HANDS + theirs + 1]), state[e.TURN],
        step, up, state[x.DECISION], options, partner, int(active),
        state[x.SPACE + side], state[x.SPACE + other], state[x.M_SPACE + side], state[x.M_SPACE + other],
        state[x.OWED + side], state[x.OWED + other], state[x.HELD + side], state[x.HELD + other],
        supply, state[x.N_PILE] - state[x.BOARD], taken, shown,
        state[x.SHOWN + theirs] + state[x.SHOWN + theirs + 1], members, their_members, side)
