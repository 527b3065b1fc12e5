"""From a policy's name to everything that decides how it plays: families, presets, parameters given in a spec."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from agentsim.errors import InputError, nearest
from agentsim.games.agent_avenue import user
from agentsim.games.agent_avenue.policies.parameters import OF_DIVISION_M, OF_MARKET, PLANNER_PARAMETERS, Parameter
from agentsim.games.agent_avenue.ruleset import Rules
from agentsim.games.base import PolicyRef

__all__ = ["FAMILIES", "different", "family_parameters", "policy_from_spec", "presets"]

FAMILIES: dict[str, str] = {
    "random": "Offers and takes by chance and never discards; the baseline of every comparison.",
    "random_discards": "As random, but discards by chance too.",
    "greedy": "Counts the points of the exchange on the table; offers the pair whose worse outcome is best.",
    "minmax": "Cautious linear evaluation of the exchange: mostly the worse outcome, sets and lead.",
    "planner": "The parameterised family for bluff heuristics, with its default parameters.",
}
"""The built-in families with a sentence each. Only ``planner`` has parameters."""

_SPEC = re.compile(r"^(?P<base>[^()]+?)\s*(?:\((?P<params>.*)\))?$", re.DOTALL)


def family_parameters(family: str) -> tuple[Parameter, ...]:
    """The parameters of a built-in family."""
    return PLANNER_PARAMETERS if family == "planner" else ()


@cache
def presets() -> dict[str, PolicyRef]:
    """The shipped policies by name, baselines first."""
    found = {name: PolicyRef(name, name, _defaults(name), "family", idea=idea)
             for name, idea in FAMILIES.items() if name != "planner"}
    folder = files("agentsim.games.agent_avenue") / "presets"
    for entry in sorted((item for item in folder.iterdir() if item.name.endswith(".toml")), key=lambda i: i.name):
        for name, preset in tomllib.loads(entry.read_text(encoding="utf-8")).items():
            like = found[preset["like"]].params if "like" in preset else {}
            params = _checked("planner", {**like, **preset["params"]}, where=entry.name, key=name)
            found[name] = PolicyRef(name, "planner", params, "preset", idea=preset["idea"])
    found["planner"] = PolicyRef("planner", "planner", _defaults("planner"), "family", idea=FAMILIES["planner"])
    return found


def different(rules: Rules) -> list[PolicyRef]:
    """The shipped policies without those that play as an earlier one under these rules.

    A taste for what the rules do not have changes nothing: without a Black Market a `thief` is an `expert`.
    """
    silent = {*(() if rules.advanced else OF_MARKET), *(() if rules.with_m else OF_DIVISION_M)}
    found: dict[tuple[object, ...], PolicyRef] = {}
    for ref in presets().values():
        heard = tuple(value for name, value in ref.params.items() if name not in silent)
        found.setdefault((ref.family, *heard), ref)
    return list(found.values())


def policy_from_spec(spec: str, *, where: str = "") -> PolicyRef:
    """A policy from ``name``, ``name(param=value, ...)`` or ``path/to/file.py:name``, complete with all parameters.

    The label is the spec in a tidy form. Raises InputError, with the nearest name, for an unknown policy or parameter
    and for a value out of range.
    """
    match = _SPEC.match(spec.strip())
    if match is None:
        raise InputError(f"cannot read the policy '{spec}'", where=where, key="policies",
                         allowed="name, name(param=value, ...) or file.py:name")
    base = match["base"].strip()
    given = _read_params(match["params"], base, where) if match["params"] is not None else {}
    if ".py" in base:
        return _user_policy(base, given, where)
    known = presets()
    if base not in known:
        raise InputError(f"unknown policy '{base}'", where=where, key="policies", allowed=", ".join(known),
                         nearest=nearest(base, known))
    ref = known[base]
    if not given:
        return ref
    params = {**ref.params, **_checked(ref.family, given, where=where, key=base, complete=False)}
    if params == dict(ref.params):
        return ref
    return replace(ref, label=_label(base, given), params=params, source="inline")


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
    return PolicyRef(_label(name, given), "user", defaults | dict(given), base, user.file_digest(path),
                     str(getattr(found, "idea", "")))


def _defaults(family: str) -> dict[str, float]:
    return {parameter.name: float(parameter.default) for parameter in family_parameters(family)}


def _checked(family: str, given: Mapping[str, Any], *, where: str, key: str, complete: bool = True,
             ) -> dict[str, float]:
    """Parameters within their ranges; with ``complete`` the defaults fill what is not given."""
    known = {parameter.name: parameter for parameter in family_parameters(family)}
    values = _defaults(family) if complete else {}
    for name, value in given.items():
        if name not in known:
            raise InputError(f"has no parameter '{name}'", where=where, key=key,
                             allowed=", ".join(known) or "no parameters at all", nearest=nearest(name, known))
        parameter = known[name]
        if not parameter.low <= value <= parameter.high or (parameter.whole and value != int(value)):
            kind = "a whole number, " if parameter.whole else ""
            raise InputError(f"{name} = {value:g} is out of range", where=where, key=key,
                             allowed=f"{kind}{parameter.low:g} to {parameter.high:g}")
        values[name] = float(value)
    return values


def _read_params(text: str, base: str, where: str) -> dict[str, float]:
    params: dict[str, float] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in item.partition("="))
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not equals or not math.isfinite(number):
            raise InputError(f"cannot read the parameter '{item}'", where=where, key=base,
                             allowed="name=number, separated by commas")
        if name in params:
            raise InputError(f"parameter '{name}' is given twice", where=where, key=base)
        params[name] = number
    return params


def _label(base: str, given: Mapping[str, float]) -> str:
    if not given:
        return base
    return base + "(" + ", ".join(f"{name}={value:g}" for name, value in given.items()) + ")"
