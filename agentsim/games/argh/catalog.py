"""The policies of ARGH by name."""

from __future__ import annotations

from agentsim.games.argh.policies.parameters import SCHEMER_PARAMETERS
from agentsim.games.families import Families

__all__ = ["CATALOG", "FAMILIES"]

FAMILIES: dict[str, str] = {
    "random": "One decision per turn by chance, accepts half of what it is offered; the baseline of every comparison.",
    "schemer": "The parameterised family for bluff heuristics, with its default parameters.",
}
"""The built-in families with a sentence each. Only ``schemer`` has parameters."""

CATALOG = Families("agentsim.games.argh", FAMILIES, {"schemer": SCHEMER_PARAMETERS})
