"""What a player may know: the view that policies decide from.

A view is made from the state for one seat and holds nothing that this seat may not know: not the other hand, not the
order of the deck, not the face-down card, not what the opponent discarded. Everything is told from the viewer's side
(``mine`` and ``theirs``, a positive ``lead`` means that I am ahead), so a policy never asks in which seat it sits.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import types

from agentsim.games.agent_avenue.engine import (
    ACTIVE,
    HAND,
    LEAD,
    PLAY,
    STEP,
    TOSSED,
    TURN,
    UP,
    USED,
    deck_left,
)
from agentsim.games.agent_avenue.rules import DISCARDS, GAP_0, GAP_1
from agentsim.games.agent_avenue.zones import size
from agentsim.jit import jit

__all__ = ["DISCARD", "OFFER_SIGNATURE", "TAKE_SIGNATURE", "View", "offer_action", "observe"]

DISCARD = 256
"""An offering policy returns ``16 * up + down`` for an offer, ``DISCARD + name`` for a discard."""


class View(NamedTuple):
    """The position as one player sees it. Zones are read with :func:`agentsim.games.agent_avenue.zones.count`.

    ``hand``, ``mine``, ``theirs``, ``tossed``: zones; my hand, my and the opponent's agents in play, my own discards.
    ``lead``: spaces that I am ahead of level (the pawns start level at 0). I catch at ``lead >= gap_me`` and am caught
    at ``-lead >= gap_them``. ``their_hand``, ``deck``: numbers of cards. ``up``: the face-up card when I choose, else
    -1. ``step``: discards I made in this turn.
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


VIEW_TYPE = types.NamedUniTuple(types.int64, len(View._fields), View)
# Read-only: a user's function that wrote to the rules or parameters would change them for every game that follows, and
# results would depend on workers. So it does not compile.
TABLE_TYPE = types.Array(types.int64, 1, "C", readonly=True)
_ROW = types.Array(types.float64, 1, "C", readonly=True)
OFFER_SIGNATURE = types.int64(VIEW_TYPE, TABLE_TYPE, _ROW, types.uint64)
TAKE_SIGNATURE = types.int64(VIEW_TYPE, TABLE_TYPE, _ROW, types.uint64)


@jit
def offer_action(up, down):
    """The action of laying ``up`` face up and ``down`` face down."""
    return 16 * up + down


@jit
def observe(state, table, seat):
    """The view of one seat."""
    other = 1 - seat
    return View(
        state[HAND + seat], state[PLAY + seat], state[PLAY + other], state[TOSSED + seat],
        state[LEAD] if seat == 0 else -state[LEAD],
        table[GAP_0] if seat == 0 else table[GAP_1], table[GAP_1] if seat == 0 else table[GAP_0],
        table[DISCARDS] - state[USED + seat], table[DISCARDS] - state[USED + other],
        deck_left(state, table), size(state[HAND + other]), state[TURN],
        state[STEP] if seat == state[ACTIVE] else 0, state[UP])
