"""Reading the TOML files that users write, with errors that name the file and the line.

A file that cannot be used (missing, a folder, binary, empty, not TOML) raises one ``InputError``. A file that was read
keeps its text, so that a later complaint about the *meaning* of a key can still say which line it stands in.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentsim.errors import InputError, nearest

__all__ = ["TomlFile", "flatten", "read_toml"]

# A hand-written file is a few kilobytes; the limit keeps a mistyped path (a log, a device) from being read whole.
MAX_BYTES = 1_000_000

_TABLE = re.compile(r"\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*([A-Za-z0-9_\-"'.\s]+?)\s*=""")
_POSITION = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class TomlFile:
    """A TOML file that was read: its path, its text and what it holds."""

    path: Path
    text: str
    data: Mapping[str, Any]

    def place(self, key: str) -> str:
        """Where a dotted key stands: ``"file.toml, line 7"``, or the path alone when the line cannot be told."""
        line = self._line(key)
        return f"{self.path}, line {line}" if line else str(self.path)

    def _line(self, key: str) -> int:
        wanted, table = _parts(key), []
        best, best_length, inside = 0, 0, 0
        for number, line in enumerate(self.text.splitlines(), start=1):
            if match := _TABLE.match(line):
                table = _parts(match[1])
                here = table
            elif match := _KEY.match(line):
                here = table + _parts(match[1])
            else:
                continue
            # The longest beginning of the key: an inline table has all its keys in the line of the first.
            if len(here) > best_length and here == wanted[:len(here)]:
                best, best_length = number, len(here)
            elif not inside and here[:len(wanted)] == wanted:
                inside = number  # a table that only the names of its tables mention: `[agents.spy]` for `agents`
        return best or inside


def read_toml(path: str | Path, *, what: str = "file") -> TomlFile:
    """Read a TOML file. ``what`` is what errors call it ("experiment file").

    Raises ``InputError`` when there is no such file, when it is a folder or a device, is larger than a megabyte, is
    empty, is not UTF-8 text or is not TOML; the last names line and column.
    """
    path = Path(path)
    where = str(path)
    raw = _read_bytes(path, where, what)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not text: byte {error.start} is not UTF-8", where=where, allowed="a TOML file") from None
    if "\0" in text:
        raise InputError("is not text: it holds zero bytes", where=where, allowed="a TOML file")
    if not text.strip():
        raise InputError(f"the {what} is empty", where=where)
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise InputError("is not valid TOML: nested too deeply", where=where) from None
    except ValueError as error:  # TOMLDecodeError, and int() on thousands of digits
        message = str(error)
        if match := _POSITION.search(message):
            where += f", line {match[1]}, column {match[2]}" if match[1] else ", at its end"
            message = message[:match.start()].replace("Cannot overwrite a value", "a key is given twice")
        raise InputError(f"is not valid TOML: {message[:1].lower()}{message[1:]}", where=where) from None
    return TomlFile(path, text, data)


def flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables as one table with dotted keys: ``{"a": {"b": 1}}`` becomes ``{"a.b": 1}``."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{prefix}.{key}" if prefix else key
        if isinstance(value, Mapping):
            flat.update(flatten(value, name))
        else:
            flat[name] = value
    return flat


def _read_bytes(path: Path, where: str, what: str) -> bytes:
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise InputError(f"is a folder, not {_a(what)}", where=where)
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise InputError(f"is a device, not {_a(what)}", where=where)
        with open(path, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"no such {what}", where=where, nearest=_neighbour(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot be read: {reason}", where=where) from None
    if len(raw) > MAX_BYTES:
        raise InputError(f"is larger than {MAX_BYTES:,} bytes: not {_a(what)}", where=where)
    return raw


def _neighbour(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix == ".toml"]
    except OSError:
        return ""
    found = nearest(path.name, names)
    return str(path.parent / found) if found else ""


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _parts(key: str) -> list[str]:
    # The n-th item of a list (``effects[2].do``) stands in the list's line.
    return [re.sub(r"\[\d+\]$", "", part.strip()).strip("\"'") for part in key.split(".")]
