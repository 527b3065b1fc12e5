"""Readers of single values that users write, whose complaints name the key and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from agentsim.errors import InputError, nearest

__all__ = ["boolean", "choice", "integer", "spaces", "symbol", "show"]

_WORDS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}


def integer(value: Any, bounds: tuple[int, int], key: str, where: str = "") -> int:
    """A whole number within bounds; text that holds one will do."""
    low, high = bounds
    if isinstance(value, str):
        try:
            value = int(value.strip())
        except ValueError:
            short = value if len(value) <= 60 else value[:57] + "..."
            raise InputError(f"'{short}' is not a whole number", where=where, key=key,
                             allowed=f"{low} to {high}") from None
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{show(value)} is not a whole number", where=where, key=key, allowed=f"{low} to {high}")
    if not low <= value <= high:
        raise InputError(f"{value} is out of range", where=where, key=key, allowed=f"{low} to {high}")
    return int(value)


def choice(value: Any, choices: Sequence[str], key: str, where: str = "") -> str:
    """One of several words."""
    if value not in choices:
        raise InputError(f"unknown value {show(value)}", where=where, key=key, allowed=", ".join(choices),
                         nearest=nearest(str(value), choices))
    return str(value)


def boolean(value: Any, key: str, where: str = "") -> bool:
    """``true`` or ``false``, also as text."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str) and value.strip().lower() in _WORDS:
        return _WORDS[value.strip().lower()]
    raise InputError(f"{show(value)} is neither true nor false", where=where, key=key, allowed="true, false")


def symbol(value: Any, most: int, key: str, where: str = "") -> str | int:
    """A Division M symbol: ``"home"`` or the spaces that the pawn may move."""
    if isinstance(value, str) and value.strip() == "home":
        return "home"
    try:
        return integer(value, (0, most), key, where)
    except InputError:
        raise InputError(f"{show(value)} is no Division M symbol", where=where, key=key,
                         allowed=f"home, 0 to {most}") from None


def spaces(value: Any, highest: int, key: str, where: str = "") -> tuple[int, ...]:
    """Different spaces of the ring, sorted: a list, or text such as ``"2 5 9 12"``."""
    parts: Iterable[Any]
    if isinstance(value, str):
        parts = re.split(r"[\s,]+", value.strip())
    elif isinstance(value, list | tuple):
        parts = value
    else:
        parts = [value]
    found = [integer(part, (0, highest), key, where) for part in parts]
    if not found or len(set(found)) < len(found):
        problem = f"{show(value)} names a space twice" if found else "no space at all"
        raise InputError(problem, where=where, key=key, allowed="different spaces, such as 2 5 9 12")
    return tuple(sorted(found))


def show(value: Any) -> str:
    """A value as it may stand in a one-line message."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
