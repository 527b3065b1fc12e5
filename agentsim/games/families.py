"""Policies by name: the families of a game, their parameters, the presets that come with it, and the specs of users.

A *family* is code that plays; its *parameters* are numbers that decide how. A *preset* is a family with chosen values
and an idea in one sentence. A game makes one :class:`Families` and has its ``policy``, ``policies`` and ``parameters``
from it.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from typing import Any, ClassVar

from agentsim.errors import InputError, nearest
from agentsim.games.base import PolicyRef
from agentsim.tomlfile import read_toml

__all__ = ["Families", "FamilyGame", "FileReader", "Parameter", "label_of"]

FileReader = Callable[[str, Mapping[str, float], str], PolicyRef]
"""Reads ``path/to/file.py:name`` with the parameters given; the last argument says where the spec stands."""

_SPEC = re.compile(r"^(?P<base>[^()]+?)\s*(?:\((?P<params>.*)\))?$", re.DOTALL)
_FILE_SPEC = re.compile(r"^(?P<base>.+\.(?:py|toml)(?::[^()]*?)?)\s*(?:\((?P<params>[^()]*)\))?$", re.DOTALL)
"""A path may have parentheses, as in ``my games (1)/mine.py:mine``."""


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

    ``package`` holds the folder ``presets`` with TOML files: a table per preset with its ``idea``, its ``params``, the
    ``family`` if that is not the first with parameters, and ``like`` if it starts from an earlier preset and not from
    the family's defaults. ``ideas``: a sentence for each family. ``parameters``: of the families that have some.
    ``from_file``: reads ``path/to/file.py:name`` with parameters, in games that take policies from users' files.
    ``in_folders``: families whose policies are folders, each named by the ``source`` of its preset.
    """

    package: str
    ideas: Mapping[str, str]
    parameters: Mapping[str, tuple[Parameter, ...]]
    from_file: FileReader | None = None
    in_folders: tuple[str, ...] = ()

    def of(self, family: str) -> tuple[Parameter, ...]:
        """The parameters of a family."""
        return self.parameters.get(family, ())

    def defaults(self, family: str) -> dict[str, float]:
        """The default of every parameter of a family."""
        return {parameter.name: float(parameter.default) for parameter in self.of(family)}

    @cached_property
    def presets(self) -> dict[str, PolicyRef]:
        """The shipped policies by name: families without parameters (the baselines), presets, the other families."""
        found = {name: PolicyRef(name, name, {}, "family", idea=idea) for name, idea in self.ideas.items()
                 if not self.of(name)}
        folder = files(self.package) / "presets"
        for entry in sorted((item for item in folder.iterdir() if item.name.endswith(".toml")), key=lambda i: i.name):
            for name, preset in tomllib.loads(entry.read_text(encoding="utf-8")).items():
                family = preset.get("family", next(iter(self.parameters)))
                start = found[preset["like"]].params if "like" in preset else self.defaults(family)
                params = {**start, **self.checked(preset["params"], family, where=entry.name, key=name)}
                found[name] = PolicyRef(name, family, params, "preset", idea=preset["idea"])
        return found | {name: PolicyRef(name, name, self.defaults(name), "family", idea=self.ideas[name])
                        for name in self.parameters}

    def from_spec(self, spec: str, *, where: str = "") -> PolicyRef:
        """A policy from ``name``, ``name(param=value, ...)``, ``path/to/file.py:name`` or ``path/to/file.toml:name``.

        The label is the spec in a tidy form. Raises InputError, with the nearest name, for an unknown policy or
        parameter and for a value out of range.
        """
        match = _FILE_SPEC.match(spec.strip()) or _SPEC.match(spec.strip())
        if match is None:
            allowed = "name, name(param=value, ...)" + (", file.py:name" if self.from_file else "") + ", file.toml:name"
            raise InputError(f"cannot read the policy '{spec}'", where=where, key="policies", allowed=allowed)
        base = match["base"].strip()
        given = _read(match["params"] or "", base, where)
        path = base.rpartition(":")[0] or base  # any folder of it may be called like a file
        if self.from_file is not None and ".py" in base and not path.endswith(".toml"):
            return self.from_file(base, given, where)
        if ".toml" in base:
            ref = self._from_presets_file(base, where)
            if not given:
                return ref
            params = {**ref.params, **self.checked(given, ref.family, where=where, key=base)}
            return replace(ref, label=label_of(ref.label, given), params=params)
        known = self.presets
        if base not in known:
            raise InputError(f"unknown policy '{base}'", where=where, key="policies", allowed=", ".join(known),
                             nearest=nearest(base, known))
        ref = known[base]
        params = {**ref.params, **self.checked(given, ref.family, where=where, key=base)}
        if params == dict(ref.params):
            return ref
        return replace(ref, label=label_of(base, given), params=params, source="inline")

    def _from_presets_file(self, base: str, where: str) -> PolicyRef:
        """The preset ``path/to/file.toml:name``: a table like those of the shipped presets."""
        path, colon, name = base.rpartition(":")
        if not colon or not path.endswith(".toml"):
            raise InputError(f"'{base}' does not say which preset of the file", where=where, key="policies",
                             allowed="path/to/file.toml:name")
        found = read_toml(path, what="presets file").data
        if name not in found:
            raise InputError(f"no preset '{name}' in {path}", where=where, key="policies",
                             allowed=", ".join(found) or "a file with presets", nearest=nearest(name, found))
        preset = found[name]
        family = str(preset.get("family", next(iter(self.parameters)))) if isinstance(preset, dict) else ""
        if family in self.in_folders:
            if not (isinstance(preset.get("source"), str) and isinstance(preset.get("digest"), str)):
                raise InputError(f"'{name}' does not say where it is", where=path, key=name,
                                 allowed="source and digest, as `agentsim exploit --save` writes them")
            return PolicyRef(name, family, {}, preset["source"], preset["digest"], str(preset.get("idea", "")))
        if family not in self.parameters or not isinstance(preset.get("params"), dict):
            raise InputError(f"'{name}' is no preset", where=path, key=name,
                             allowed=f"a table with params and a family ({', '.join(self.parameters)})")
        for key, value in preset["params"].items():
            if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
                raise InputError(f"{key} = {str(value)[:40]} is not a number that can be used", where=path, key=name)
        params = {**self.defaults(family), **self.checked(preset["params"], family, where=path, key=name)}
        return PolicyRef(name, family, params, base, idea=str(preset.get("idea", "")))

    def checked(self, given: Mapping[str, Any], family: str, *, where: str, key: str) -> dict[str, float]:
        """Parameters of a family within their ranges."""
        known = {parameter.name: parameter for parameter in self.of(family)}
        values: dict[str, float] = {}
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


def label_of(base: str, given: Mapping[str, float]) -> str:
    """A policy's spec in a tidy form: its name, with what was given about it."""
    return f"{base}({', '.join(f'{name}={value:g}' for name, value in given.items())})" if given else base


def _read(text: str, base: str, where: str) -> dict[str, float]:
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


class FamilyGame:
    """The part of a game (:class:`agentsim.games.base.Game`) that its families answer for."""

    families: ClassVar[Families]

    def policy(self, spec: str, *, where: str = "") -> PolicyRef:
        return self.families.from_spec(spec, where=where)

    def policies(self, rules: Any = None) -> Sequence[PolicyRef]:
        return list(self.families.presets.values())

    def parameters(self, policy: PolicyRef) -> Sequence[Parameter]:
        return self.families.of(policy.family)

    def tunable(self, policy: PolicyRef, rules: Any) -> Sequence[Parameter]:
        """The parameters that a search for strong play may vary under these rules."""
        return self.parameters(policy)

    def additions(self) -> Mapping[str, Any]:
        return {}
