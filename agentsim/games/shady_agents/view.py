"""What a player may know: the view that policies decide from.

A view is two vectors that :func:`observe` fills from the state for one seat: whole numbers (the ``V_...`` below) and
what the evidence says of the others (``sense``, see :mod:`agentsim.games.shady_agents.belief`). They hold nothing that
this seat may not know: not the others' roles, not what they gave each other or threw away, not who could verify which
statement. Seats are told from the viewer's side: 0 is the viewer, 1 the next clockwise, and so on, so a policy never
asks in which seat it sits.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.shady_agents.belief import ODDS
from agentsim.games.shady_agents.engine import (
    ACTIVE,
    CALLS,
    CHOOSING,
    COUNT,
    GIVEN,
    LEFT,
    PHASE,
    TO,
    TOOL,
    TURN,
    VERDICTS,
    calls_free,
    friends_of,
    may_receive,
    side_of,
)
from agentsim.games.shady_agents.rules import MAX_PLAYERS
from agentsim.games.shady_agents.table import INTERROGATIONS, PLAYERS
from agentsim.jit import jit

__all__ = ["VIEW_SIZE", "observe"]

V_PLAYERS, V_TURN, V_SIDE, V_FRIENDS, V_TOOLS = 0, 1, 2, 3, 4  # my side; how many others are of it; my tools as a set
V_TOOL = 5  # the tool that I have to place; -1 in the first round
V_CALLS, V_MAY_CALL, V_FREE = 6, 7, 8  # interrogations so far; whether I may call one now; whether that costs a tool
V_RECEIVERS = 9  # relative seats that I may give a tool to now, as a set
V_COUNT = 10  # by relative seat: tools lying there
V_VERDICTS = 20  # by relative seat: its statements that I found true minus those that I found false
V_RECEIVED = 30  # by relative seat: what it gave me, as a set of tools
V_TO = 40  # by relative seat, twice: whom it gave its tool of each round; -1 nobody (yet), -2 it called instead
VIEW_SIZE = 60


@jit
def _relative(seat, me, players):
    """A seat from the viewer's side; negative marks stay."""
    if seat < 0:
        return seat
    return seat - me if seat >= me else seat - me + players


@jit
def observe(state, odds, table, me, view, sense):
    """Fill ``view`` and ``sense`` with what a seat knows."""
    players = table[PLAYERS]
    active = state[ACTIVE] == me
    view[V_PLAYERS], view[V_TURN] = players, state[TURN]
    view[V_SIDE], view[V_FRIENDS] = side_of(state, me), friends_of(state, table, me)
    view[V_TOOLS] = state[LEFT + me]
    view[V_TOOL] = state[TOOL] if active else -1
    view[V_CALLS] = state[CALLS]
    view[V_MAY_CALL] = active and state[PHASE] == CHOOSING and table[INTERROGATIONS] != 0
    view[V_FREE] = view[V_MAY_CALL] != 0 and calls_free(state, table, me)
    receivers = np.int64(0)
    for r in range(players):
        seat = me + r
        seat -= players if seat >= players else 0
        if active and may_receive(state, table, seat):
            receivers |= np.int64(1) << r
        view[V_COUNT + r] = state[COUNT + seat]
        view[V_VERDICTS + r] = state[VERDICTS + MAX_PLAYERS * me + seat]
        view[V_RECEIVED + r] = np.int64(state[GIVEN + 2 * seat] == me) + 2 * np.int64(state[GIVEN + 2 * seat + 1] == me)
        view[V_TO + 2 * r] = _relative(state[TO + 3 * seat], me, players)
        view[V_TO + 2 * r + 1] = _relative(state[TO + 3 * seat + 1], me, players)
        sense[ODDS + r] = odds[MAX_PLAYERS * me + r]
    view[V_RECEIVERS] = receivers
