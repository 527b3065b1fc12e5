"""Shady Agents: four to ten players of two secret sides; some always tell the truth, the others always lie."""

from __future__ import annotations

from agentsim.games.base import register
from agentsim.games.shady_agents.game import ShadyAgents

GAME = register(ShadyAgents())
