"""Recruiting and moving: what ongoing cards change, where pawns stop, what follows from stopping."""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.engine import LEAD, PLAY
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.rules import MOVES
from agentsim.games.agent_avenue.zones import add, count, first_one
from agentsim.jit import jit

__all__ = ["changed_move", "move_pawn", "recruit"]

_FAR = 10_000  # no move is longer, however many cards multiply it


@jit
def recruit(state, table, side, name):
    """Put an agent into play and move its owner's spy pawn; returns the spaces moved, those caused by stops too."""
    side &= 1
    name &= 15
    zone = add(state[PLAY + side], name)
    state[PLAY + side] = zone
    move = table[MOVES + 16 * name + count(zone, name)]
    hit = state[x.HELD + side] & table[x.ON_RECRUIT + name]
    if hit != 0:
        move = changed_move(state, table, side, name, move, hit)
    return move_pawn(state, table, side, move)


@jit
def changed_move(state, table, side, name, move, hit):
    """The move of recruiting ``name`` with the ongoing cards ``hit``: set (the last taken), negate, multiply, add."""
    negate, factor, bonus = False, 1, 0
    for place in range(state[x.N_HELD + side]):
        copy = state[x.ORDER + 64 * side + place]
        if (hit >> copy) & 1 == 0:
            continue
        card = table[x.COPY + copy]
        first = table[x.FIRST_EFFECT + card]
        for effect in range(first, first + table[x.N_EFFECTS + card]):
            at = x.EFFECTS + x.EFFECT_SIZE * effect
            if table[at + x.E_AGENT] != name:
                continue
            op, number = table[at + x.E_OP], table[at + x.E_N]
            if op == x.SET:
                move = number
            elif op == x.NEGATE:
                negate = True
            elif op == x.MULTIPLY:
                factor = max(min(factor * number, _FAR), -_FAR)
            elif op == x.ADD:
                bonus += number
    if negate:
        move = abs(move)
    return max(min(move * factor, _FAR), -_FAR) + bonus


@jit
def move_pawn(state, table, side, spaces):
    """Move a spy pawn, with the moves that its stops cause; returns the spaces moved in all.

    A stop on a Black Market space owes a landing (R6). Each kind of stop moves the pawn on once (R14).
    """
    side &= 1
    before = state[x.WENT + side]
    onward = state[x.HELD + side] & (table[x.ON_HOME] | table[x.ON_MARKET] | table[x.ON_M])
    worked = np.int64(0)
    while spaces != 0:
        state[x.WENT + side] += spaces
        state[LEAD] += spaces if side == 0 else -spaces
        state[x.STIRRED + side] = 1
        space = state[x.SPACE + side] + spaces
        while space >= table[x.RING]:
            space -= table[x.RING]
        while space < 0:
            space += table[x.RING]
        state[x.SPACE + side] = space
        corner = (table[x.CORNERS] >> space) & 1
        state[x.OWED + side] += corner
        spaces = np.int64(0)
        if onward != 0:
            stops = np.int64(0)
            if space == table[x.HOME] or space == table[x.HOME + 1]:
                stops |= 1 << x.LAND_HOME
            if corner:
                stops |= 1 << x.LAND_MARKET
            if space == state[x.M_SPACE + side]:
                stops |= 1 << x.LAND_M
            stops &= ~worked
            worked |= stops
            spaces = _onward(table, onward, stops)
    return state[x.WENT + side] - before


@jit
def _onward(table, copies, stops):
    """Spaces that these ongoing cards move a pawn on that has made the stops ``stops`` (bits LAND_*)."""
    spaces = np.int64(0)
    while copies:
        card = table[x.COPY + first_one(copies)]
        copies &= copies - np.int64(1)
        first = table[x.FIRST_EFFECT + card]
        for effect in range(first, first + table[x.N_EFFECTS + card]):
            at = x.EFFECTS + x.EFFECT_SIZE * effect
            op = table[at + x.E_OP]
            if x.LAND_HOME <= op <= x.LAND_M and (stops >> op) & 1:
                spaces += table[at + x.E_N]
    return spaces
