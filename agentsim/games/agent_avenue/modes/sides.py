"""Sides and their players: who belongs to which side, what each may spend."""

from __future__ import annotations

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.rules import DISCARDS
from agentsim.jit import jit

__all__ = ["discards_each", "side_size"]


@jit
def side_size(table, side):
    """Players of a side, 1 or 2."""
    return 1 if table[x.PLAYERS] == 2 or table[x.LONE] == side else 2


@jit
def discards_each(table, side):
    """Discards that each player of a side has for the game."""
    return table[DISCARDS] if side_size(table, side) == 1 else table[x.TEAM_DISCARDS]
