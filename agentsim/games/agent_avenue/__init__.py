"""Agent Avenue: a bluffing game for two about who catches whom on a ring of fourteen spaces."""

from __future__ import annotations

from agentsim.games.agent_avenue.game import AgentAvenue
from agentsim.games.base import register

GAME = register(AgentAvenue())
