"""The policies of Agent Avenue by name: built-in families, presets, and those of users' files."""

from __future__ import annotations

from collections.abc import Mapping

from agentsim.errors import InputError, nearest
from agentsim.games.agent_avenue import user
from agentsim.games.agent_avenue.policies.parameters import OF_DIVISION_M, OF_MARKET, PLANNER_PARAMETERS
from agentsim.games.agent_avenue.ruleset import Rules
from agentsim.games.agent_avenue.solver.advanced.parameters import ADVANCED_PARAMETERS
from agentsim.games.agent_avenue.solver.parameters import SOLVER_PARAMETERS
from agentsim.games.base import PolicyRef
from agentsim.games.families import Families, label_of

__all__ = ["CATALOG", "FAMILIES", "different", "silent"]

FAMILIES: dict[str, str] = {
    "random": "Offers and takes by chance and never discards; the baseline of every comparison.",
    "random_discards": "As random, but discards by chance too.",
    "greedy": "Counts the points of the exchange on the table; offers the pair whose worse outcome is best.",
    "minmax": "Cautious linear evaluation of the exchange: mostly the worse outcome, sets and lead.",
    "planner": "The parameterised family for bluff heuristics, with its default parameters.",
    "solver": "Near-equilibrium play of the base game, by a table of all public states (minutes to build, once).",
    "solver_advanced": "Near-equilibrium play of the advanced mode, on values fitted to games of its own.",
}
"""The built-in families with a sentence each. ``planner`` and the solvers have parameters."""


def _user_policy(base: str, given: Mapping[str, float], where: str) -> PolicyRef:
    path, colon, name = base.rpartition(":")
    if not colon or not path.endswith(".py"):
        raise InputError(f"'{base}' does not say which policy of the file", where=where, key="policies",
                         allowed="path/to/file.py:name")
    found = user.load(path, name, where=where)
    defaults = dict(found.params) if isinstance(found, user.UserPolicy) else {}
    for param in given:
        if param not in defaults:
            raise InputError(f"{name} has no parameter '{param}'", where=where, key="policies",
                             allowed=", ".join(defaults) or "none", nearest=nearest(param, defaults))
    return PolicyRef(label_of(name, given), "user", defaults | dict(given), base, user.file_digest(path),
                     str(getattr(found, "idea", "")))


_PARAMETERS = {"planner": PLANNER_PARAMETERS, "solver": SOLVER_PARAMETERS, "solver_advanced": ADVANCED_PARAMETERS}
CATALOG = Families("agentsim.games.agent_avenue", FAMILIES, _PARAMETERS, _user_policy, in_folders=("responder",))


def silent(rules: Rules) -> set[str]:
    """Parameters of the planner that have nothing to work on under these rules."""
    return {*(() if rules.advanced else OF_MARKET), *(() if rules.with_m else OF_DIVISION_M)}


def different(rules: Rules) -> list[PolicyRef]:
    """The shipped policies that play as no earlier one under these rules; those of the solvers are left out.

    A taste for what the rules do not have changes nothing: without a Black Market a `thief` is an `expert`. A
    solver plays one mode only and is slow, so it plays where it is named and not where `all` do.
    """
    idle = silent(rules)
    found: dict[tuple[object, ...], PolicyRef] = {}
    for ref in CATALOG.presets.values():
        if ref.family in ("solver", "solver_advanced"):
            continue
        heard = tuple(value for name, value in ref.params.items() if name not in idle)
        found.setdefault((ref.family, *heard), ref)
    return list(found.values())
