"""The policies of Shady Agents by name."""

from __future__ import annotations

from agentsim.games.base import PolicyRef
from agentsim.games.families import Families, Parameter
from agentsim.games.shady_agents.policies.parameters import SLEUTH_PARAMETERS

__all__ = ["FAMILIES", "family_parameters", "policy_from_spec", "presets"]

FAMILIES: dict[str, str] = {
    "random": "Any gift or interrogation with the same chance, to anyone; the baseline of every comparison.",
    "naive": "Trusts what it verified itself and knows nothing else; otherwise chance.",
    "sleuth": "The parameterised family: exact beliefs, thresholds for acting on them; with default parameters.",
}
"""The built-in families with a sentence each. Only ``sleuth`` has parameters."""

_CATALOG = Families("agentsim.games.shady_agents", FAMILIES, "sleuth", SLEUTH_PARAMETERS)


def family_parameters(family: str) -> tuple[Parameter, ...]:
    """The parameters of a built-in family."""
    return _CATALOG.of(family)


def presets() -> dict[str, PolicyRef]:
    """The shipped policies by name, baselines first."""
    return _CATALOG.presets


def policy_from_spec(spec: str, *, where: str = "") -> PolicyRef:
    """A policy from ``name`` or ``name(param=value, ...)``; see :meth:`agentsim.games.families.Families.from_spec`."""
    return _CATALOG.from_spec(spec, where=where)
