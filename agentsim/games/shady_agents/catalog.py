"""The policies of Shady Agents by name."""

from __future__ import annotations

from agentsim.games.families import Families
from agentsim.games.shady_agents.policies.parameters import SLEUTH_PARAMETERS

__all__ = ["CATALOG", "FAMILIES"]

FAMILIES: dict[str, str] = {
    "random": "Any gift or interrogation with the same chance, to anyone; the baseline of every comparison.",
    "naive": "Trusts what it verified itself and knows nothing else; otherwise chance.",
    "sleuth": "The parameterised family: exact beliefs, thresholds for acting on them; with default parameters.",
}
"""The built-in families with a sentence each. Only ``sleuth`` has parameters."""

CATALOG = Families("agentsim.games.shady_agents", FAMILIES, {"sleuth": SLEUTH_PARAMETERS})
