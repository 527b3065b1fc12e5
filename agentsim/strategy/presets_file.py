"""Presets of one's own in a TOML file, played as ``path/to/file.toml:name``."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentsim.errors import InputError
from agentsim.folders import check_folder
from agentsim.games.base import PolicyRef
from agentsim.tomlfile import read_toml

__all__ = ["check_presets_file", "save_preset", "write_presets"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_HEAD = "# Policies of your own; play one as FILE.toml:NAME. See docs/policies.md.\n"


def check_presets_file(path: Path, name: str) -> None:
    """Refuse, before hours are spent, a name or a file that cannot be written. Raises InputError."""
    if not _NAME.fullmatch(name):
        raise InputError(f"'{name}' is no name for a preset", where="--save",
                         allowed="letters, digits, _ and -, beginning with a letter")
    if path.suffix != ".toml":
        raise InputError(f"{path} is no presets file", where="--presets", allowed="a name that ends in .toml")
    found = _read(path)
    if name in found:
        raise InputError(f"has a preset '{name}' already", where=str(path), allowed="another name")
    check_folder(path.absolute().parent, str(path))


def _read(path: Path) -> dict[str, Any]:
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        return {}
    return dict(read_toml(path, what="presets file").data)


def save_preset(path: Path, name: str, policy: PolicyRef, idea: str, history: Mapping[str, Any]) -> str:
    """Add a preset with what it came from; returns the spec to play it. The file is replaced whole or not at all."""
    check_presets_file(path, name)
    text = path.read_text(encoding="utf-8") if path.exists() else _HEAD
    _replace(path, text + _entry(name, policy, idea, history))
    return f"{path}:{name}"


def write_presets(path: Path, presets: Sequence[tuple[str, PolicyRef, str, Mapping[str, Any]]]) -> None:
    """Write a presets file of ``(name, policy, idea, history)``, in place of one that is there."""
    _replace(path, _HEAD + "".join(_entry(*one) for one in presets))


def _entry(name: str, policy: PolicyRef, idea: str, history: Mapping[str, Any]) -> str:
    # A best response by dynamic programming is no set of parameters but a folder of what it knows.
    place = [f"source = {_quoted(os.path.abspath(policy.source))}", f'digest = "{policy.digest}"'
             ] if policy.digest else []
    lines = [f"\n[{name}]", f"idea = {_quoted(idea)}", f'family = "{policy.family}"', *place, f"\n[{name}.params]",
             *(f"{key} = {value!r}" for key, value in policy.params.items()), f"\n[{name}.history]",
             *(f"{key} = {_quoted(value)}" for key, value in history.items())]
    return "\n".join(lines) + "\n"


def _quoted(value: Any) -> str:
    """A text, a number or a list of them as TOML; JSON but for the escapes that it has and TOML has not."""
    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return text.encode("utf-8", "replace").decode("utf-8")  # a name of a file may be no text


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8", suffix=".new") as out:
        out.write(text)
    Path(out.name).chmod(0o644)
    Path(out.name).replace(path)
