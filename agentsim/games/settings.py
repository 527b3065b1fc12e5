"""Readers of single values that users write, for the rules of any game: complaints name the key and what is allowed."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from agentsim.errors import InputError, nearest

__all__ = ["boolean", "choice", "integer", "number", "show", "unknown_key"]

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


def number(value: Any, bounds: tuple[float, float], key: str, where: str = "") -> float:
    """A finite number within bounds; text that holds one will do."""
    low, high = bounds
    allowed = f"{low:g} to {high:g}"
    if isinstance(value, str):
        try:
            value = float(value.strip())
        except ValueError:
            raise InputError(f"{show(value)} is not a number", where=where, key=key, allowed=allowed) from None
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"{show(value)} is not a number", where=where, key=key, allowed=allowed)
    if not (math.isfinite(value) and low <= value <= high):
        raise InputError(f"{value:g} is out of range", where=where, key=key, allowed=allowed)
    return float(value)


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


def unknown_key(key: str, known: Sequence[str], where: str = "") -> InputError:
    """The error for a key that a game does not have, with the nearest of those it has.

    A key given without its group, or in the wrong one, is the commonest slip: the whole key is suggested then.
    """
    last = key.rpartition(".")[2]
    same = [k for k in known if k.endswith("." + last)]
    close = same[0] if len(same) == 1 else nearest(key, known)
    if not close:
        found = difflib.get_close_matches(last, [k.rpartition(".")[2] for k in known], n=1)
        close = next((k for k in known if found and k.endswith("." + found[0])), "")
    return InputError("unknown key", where=where, key=key, allowed="see `agentsim rules`", nearest=close)


def show(value: Any) -> str:
    """A value as it may stand in a one-line message."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
