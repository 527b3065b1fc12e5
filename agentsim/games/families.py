"""Policies by name: the families of a game, their parameters, the presets that come with it, and the specs of users.

A *family* is code that plays; its *parameters* are numbers that decide how. A *preset* is a family with chosen values
and an idea in one sentence. A game makes one :class:`Families` and has its ``policy``, ``policies`` and ``parameters``
from it.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from typing import Any

from agentsim.errors import InputError, nearest
from agentsim.games.base import PolicyRef

__all__ = ["Families", "Parameter"]

_SPEC = re.compile(r"^(?P<base>[^()]+?)\s*(?:\((?P<params>.*)\))?$", re.DOTALL)


@dataclass(frozen=True)
class Parameter:
    """A number that decides how a policy plays. ``low`` and ``high`` are both allowed."""

    name: str
    low: float
    high: float
    default: float
    doc: str
    whole: bool = False


@dataclass(frozen=True)
class Families:
    """The families of a game.

    ``package`` holds the folder ``presets`` with ``presets.toml``: a table per preset with ``idea`` and ``params``.
    ``ideas``: a sentence for each family. ``parameters``: of the one family ``parameterised``; the others have none.
    """

    package: str
    ideas: Mapping[str, str]
    parameterised: str
    parameters: tuple[Parameter, ...]

    def of(self, family: str) -> tuple[Parameter, ...]:
        """The parameters of a family."""
        return self.parameters if family == self.parameterised else ()

    @cached_property
    def presets(self) -> dict[str, PolicyRef]:
        """The shipped policies by name: families without parameters (the baselines), presets, the family itself."""
        found = {name: PolicyRef(name, name, {}, "family", idea=idea) for name, idea in self.ideas.items()
                 if name != self.parameterised}
        defaults = {parameter.name: float(parameter.default) for parameter in self.parameters}
        text = (files(self.package) / "presets" / "presets.toml").read_text(encoding="utf-8")
        for name, preset in tomllib.loads(text).items():
            params = defaults | self._checked(preset["params"], self.parameterised, where="presets.toml", key=name)
            found[name] = PolicyRef(name, self.parameterised, params, "preset", idea=preset["idea"])
        name = self.parameterised
        found[name] = PolicyRef(name, name, defaults, "family", idea=self.ideas[name])
        return found

    def from_spec(self, spec: str, *, where: str = "") -> PolicyRef:
        """A policy from ``name`` or ``name(param=value, ...)``, complete with all parameters.

        The label is the spec in a tidy form. Raises InputError, with the nearest name, for an unknown policy or
        parameter and for a value out of range.
        """
        match = _SPEC.match(spec.strip())
        if match is None:
            raise InputError(f"cannot read the policy '{spec}'", where=where, key="policies",
                             allowed="name or name(param=value, ...)")
        base = match["base"].strip()
        known = self.presets
        if base not in known:
            raise InputError(f"unknown policy '{base}'", where=where, key="policies", allowed=", ".join(known),
                             nearest=nearest(base, known))
        ref = known[base]
        given = self._checked(_read(match["params"] or "", base, where), ref.family, where=where, key=base)
        params = {**ref.params, **given}
        if params == dict(ref.params):
            return ref
        label = base + "(" + ", ".join(f"{name}={value:g}" for name, value in given.items()) + ")"
        return replace(ref, label=label, params=params, source="inline")

    def _checked(self, given: Mapping[str, Any], family: str, *, where: str, key: str) -> dict[str, float]:
        """Parameters of a family within their ranges."""
        known = {parameter.name: parameter for parameter in self.of(family)}
        values: dict[str, float] = {}
        for name, value in given.items():
            if name not in known:
                raise InputError(f"has no parameter '{name}'", where=where, key=key,
                                 allowed=", ".join(known) or "no parameters at all", nearest=nearest(name, known))
            parameter = known[name]
            allowed = f"{parameter.low:g} to {parameter.high:g}"
            if not parameter.low <= value <= parameter.high:
                raise InputError(f"{name} = {value:g} is out of range", where=where, key=key, allowed=allowed)
            if parameter.whole and value != int(value):
                raise InputError(f"{name} = {value:g} is not a whole number", where=where, key=key, allowed=allowed)
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
