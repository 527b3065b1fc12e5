"""ARGH (Animals Revolt aGainst Humans): two to four players gather allies, dodge humans and build a bomb."""

from __future__ import annotations

from agentsim.games.argh.game import Argh
from agentsim.games.base import register

GAME = register(Argh())
