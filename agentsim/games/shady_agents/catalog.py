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
from agentsim.games.base import PolicyRef
from agentsim.games.shady_agents.policies.parameters import SLEUTH_PARAMETERS, Parameter

__all__ = ["FAMILIES", "family_parameters", "policy_from_spec", "presets"]

FAMILIES: dict[str, str] = {
    "random": "Any gift or interrogation with the same chance, to anyone; the baseline of every comparison.",
    "naive": "Trusts what it verified itself and knows nothing else; otherwise chance.",
    "sleuth": "The parameterised family: exact beliefs, thresholds for acting on them; with default parameters.",
}
"""The built-in families with a sentence each. Only ``sleuth`` has parameters."""

_SPEC = re.compile(r"^(?P<base>[^()]+?)\s*(?:\((?P<params>.*)\))?$", re.DOTALL)


def family_parameters(family: str) -> tuple[Parameter, ...]:
    """The parameters of a built-in family."""
    return SLEUTH_PARAMETERS if family == "sleuth" else ()


@cache
def presets() -> dict[str, PolicyRef]:
    """The shipped policies by name, the baselines first."""
    found = {name: PolicyRef(name, name, {}, "family", idea=FAMILIES[name]) for name in ("random", "naive")}
    text = (files("agentsim.games.shady_agents") / "presets" / "presets.toml").read_text(encoding="utf-8")
    for name, preset in tomllib.loads(text).items():
        params = _defaults() | _checked(preset["params"], "sleuth", where="presets.toml", key=name)
        found[name] = PolicyRef(name, "sleuth", params, "preset", idea=preset["idea"])
    found["sleuth"] = PolicyRef("sleuth", "sleuth", _defaults(), "family", idea=FAMILIES["sleuth"])
    return found


def policy_from_spec(spec: str, *, where: str = "") -> PolicyRef:
    """A policy from ``name`` or ``name(param=value, ...)``, complete with all parameters.

    The label is the spec in a tidy form. Raises InputError, with the nearest name, for an unknown policy or parameter
    and for a value out of range.
    """
    match = _SPEC.match(spec.strip())
    if match is None:
        raise InputError(f"cannot read the policy '{spec}'", where=where, key="policies",
                         allowed="name or name(param=value, ...)")
    base = match["base"].strip()
    known = presets()
    if base not in known:
        raise InputError(f"unknown policy '{base}'", where=where, key="policies", allowed=", ".join(known),
                         nearest=nearest(base, known))
    ref = known[base]
    given = _checked(_read(match["params"] or "", base, where), ref.family, where=where, key=base)
    params = {**ref.params, **given}
    if params == dict(ref.params):
        return ref
    label = base + "(" + ", ".join(f"{name}={value:g}" for name, value in given.items()) + ")"
    return replace(ref, label=label, params=params, source="inline")


def _defaults() -> dict[str, float]:
    return {parameter.name: float(parameter.default) for parameter in SLEUTH_PARAMETERS}


def _checked(given: Mapping[str, Any], family: str, *, where: str, key: str) -> dict[str, float]:
    """Parameters of a family within their ranges."""
    known = {parameter.name: parameter for parameter in family_parameters(family)}
    values: dict[str, float] = {}
    for name, value in given.items():
        if name not in known:
            raise InputError(f"has no parameter '{name}'", where=where, key=key,
                             allowed=", ".join(known) or "no parameters at all", nearest=nearest(name, known))
        parameter = known[name]
        if not parameter.low <= value <= parameter.high:
            raise InputError(f"{name} = {value:g} is out of range", where=where, key=key,
                             allowed=f"{parameter.low:g} to {parameter.high:g}")
        if parameter.whole and value != int(value):
            raise InputError(f"{name} = {value:g} is not a whole number", where=where, key=key,
                             allowed=f"{parameter.low:g} to {parameter.high:g}")
        values[name] = float(value)
    return values


def _read(text: str, base: str, where: str) -> dict[str, float]:
    params: dict[str, float] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in item.partition("="))
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not equals or not math.isfinite(number):
            raise InputError(f"cannot read '{item}'", where=where, key=base, allowed="name=number, ...")
        if name in params:
            raise InputError(f"'{name}' is given twice", where=where, key=base)
        params[name] = number
    return params
