"""The policies of ARGH by name."""

from __future__ import annotations

from agentsim.games.argh.policies.parameters import SCHEMER_PARAMETERS
from agentsim.games.base import PolicyRef
from agentsim.games.families import Families, Parameter

__all__ = ["FAMILIES", "family_parameters", "policy_from_spec", "presets"]

FAMILIES: dict[str, str] = {
    "random": "One decision per turn by chance, accepts half of what it is offered; the baseline of every comparison.",
    "schemer": "The parameterised family for bluff heuristics, with its default parameters.",
}
"""The built-in families with a sentence each. Only ``schemer`` has parameters."""

_CATALOG = Families("agentsim.games.argh", FAMILIES, "schemer", SCHEMER_PARAMETERS)


def family_parameters(family: str) -> tuple[Parameter, ...]:
    """The parameters of a built-in family."""
    return _CATALOG.of(family)


def presets() -> dict[str, PolicyRef]:
    """The shipped policies by name, baselines first."""
    return _CATALOG.presets


def policy_from_spec(spec: str, *, where: str = "") -> PolicyRef:
    """A policy from ``name`` or ``name(param=value, ...)``; see :meth:`agentsim.games.families.Families.from_spec`."""
    return _CATALOG.from_spec(spec, where=where)
