"""Readers of single values that users write, whose complaints name the key and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from agentsim.errors import InputError
from agentsim.games.settings import boolean, choice, integer, show

__all__ = ["boolean", "choice", "integer", "spaces", "symbol", "show"]


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
