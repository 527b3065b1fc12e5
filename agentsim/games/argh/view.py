"""What a player may know: the view that policies decide from.

A view is made from the state for one seat and holds nothing that this seat may not know: not the order of the piles,
not the cards put aside (but for one that its owl saw), not others' face-down cards (only the places they were drawn
from, hence their locations), not the card that it is being offered (only its location). Seats are told from the
viewer's side: 0 is the viewer, 1 the next to the left, and so on, so a policy never asks in which seat it sits.
"""

from __future__ import annotations

from typing import NamedTuple

from agentsim.games.argh.engine import (
    ACCEPTED,
    ACTIVE,
    ANSWERING,
    ASKED,
    ASKS,
    CARD,
    DOWN,
    HELD,
    LAST,
    PEEKED,
    PHASE,
    PLACE,
    PLACING,
    REFUSED,
    STOLEN,
    TURN,
    UP,
    YES,
    pile_left,
)
from agentsim.games.argh.table import LOCATION, PLAYERS
from agentsim.jit import jit

__all__ = ["KEEP", "PASS", "STEAL", "View", "observe"]

PASS, STEAL = 3, 4
"""Choosing policies return 0, 1, 2 to draw from a pile, ``PASS``, or ``STEAL + place``."""
KEEP = 0
"""Placing policies return ``KEEP`` or the (relative) seat that they offer the card to."""


class View(NamedTuple):
    """The position as one player sees it.

    ``up_r``, ``down_r``: face-up cards and places of face-down cards of the player ``r`` seats to the left (0: myself;
    empty sets beyond the table). ``held``: my own face-down cards. ``accepted``, ``refused``, ``stolen``: face-up cards
    by how they came. ``seen``: cards put aside that I have seen. ``left_l``: cards left in the pile of a location.
    ``card``: the card that I drew and have to place, else -1. ``offered``, ``offerer``: location of the card that I am
    offered and the relative seat of who offers it, else -1. ``asks_r``, ``yes_r``: how often that player was offered a
    card, and how often it accepted. ``last``: turns to come in the last round, the current one included; -1 before it.
    ``turn`` counts from 0.
    """

    players: int
    turn: int
    last: int
    asks_0: int
    asks_1: int
    asks_2: int
    asks_3: int
    yes_0: int
    yes_1: int
    yes_2: int
    yes_3: int
    up_0: int
    up_1: int
    up_2: int
    up_3: int
    down_0: int
    down_1: int
    down_2: int
    down_3: int
    held: int
    seen: int
    accepted: int
    refused: int
    stolen: int
    left_0: int
    left_1: int
    left_2: int
    card: int
    offered: int
    offerer: int


@jit
def _of(state, base, seat, players):
    """A per-seat entry of the player in ``seat`` counted on beyond the last; 0 for a whole round or more."""
    return state[base + (seat if seat < players else seat - players)]


@jit
def observe(state, table, seat):
    """The view of one seat."""
    players = table[PLAYERS]
    asked = state[PHASE] == ANSWERING and state[ASKED] == seat
    ahead = state[ACTIVE] - seat
    return View(
        players, state[TURN], state[LAST],
        state[ASKS + seat], _of(state, ASKS, seat + 1, players),
        _of(state, ASKS, seat + 2, players) if players > 2 else 0,
        _of(state, ASKS, seat + 3, players) if players > 3 else 0,
        state[YES + seat], _of(state, YES, seat + 1, players),
        _of(state, YES, seat + 2, players) if players > 2 else 0,
        _of(state, YES, seat + 3, players) if players > 3 else 0,
        state[UP + seat], _of(state, UP, seat + 1, players),
        _of(state, UP, seat + 2, players) if players > 2 else 0,
        _of(state, UP, seat + 3, players) if players > 3 else 0,
        state[DOWN + seat], _of(state, DOWN, seat + 1, players),
        _of(state, DOWN, seat + 2, players) if players > 2 else 0,
        _of(state, DOWN, seat + 3, players) if players > 3 else 0,
        state[HELD + seat], state[PEEKED + seat], state[ACCEPTED], state[REFUSED], state[STOLEN],
        pile_left(state, table, 0), pile_left(state, table, 1), pile_left(state, table, 2),
        state[CARD] if state[PHASE] == PLACING and state[ACTIVE] == seat else -1,
        table[LOCATION + state[PLACE]] if asked else -1,
        (ahead if ahead >= 0 else ahead + players) if asked else -1)
