"""The headline numbers of games that are scored by win shares, from the columns of their logs.

A seat's number is its mean win share. Where roles are dealt (column ``role_0``) a side's number is the share of its
members, and at tables with a smaller side (column ``smaller_side``) so are those of the smaller and the larger one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.base import SHARE_PARTS, Table

__all__ = ["game_values", "share_metrics"]

Bounds = tuple[float, float] | None
_COUNTED = {
    "n_turns": ("turns", "turns in a game"),
    "n_interrogations": ("interrogations", "interrogations in a game"),
    "medkits_misdirected": ("medkits_astray", "medkits given to the other side in a game"),
    "bullets_misdirected": ("bullets_astray", "bullets given to the own side in a game"),
}


def share_metrics(tables: Sequence[Table], seats: int, *, first: str, two_policies: bool
                  ) -> list[tuple[str, str, Bounds]]:
    """Key, label and bounds of the numbers that these ``games`` tables hold; ``first`` is the key of seat 0's share."""
    columns = {column.name: column for table in tables for column in table.columns}
    share: Bounds = (0.0, 1.0)
    found = [(first, "win share of the player who starts", share)]
    found += [(f"seat_{seat}", f"win share of seat {seat}", share) for seat in range(1, seats)]
    if two_policies:
        found.append(("score_a", "win share of the first policy", share))
    found.append(("draws", "drawn games and shared wins", share))
    if "role_0" in columns:
        found += [(f"side_{side}", f"win share of the {side} side", share) for side in columns["role_0"].categories]
    # At even tables the column is there, and empty.
    if "smaller_side" in columns and seats % 2:
        found += [(f"size_{size}", f"win share of the {size} side", share) for size in ("smaller", "larger")]
    if "first_called" in columns:
        found.append(("first_called", "the first player calls an interrogation", share))
    found += [(key, label, None) for name, (key, label) in _COUNTED.items() if name in columns]
    reasons = dict.fromkeys(reason for table in tables for reason in _categories(table, "end_reason"))
    return found + [(f"end_{reason}", f"ends by {reason.replace('_', ' ')}", share) for reason in reasons]


def game_values(key: str, games: Mapping[str, NDArray[Any]], table: Table, a: int) -> NDArray[Any] | float:
    """One number for every game. ``a``: the code of the first policy. NaN for a number that these games do not have."""
    seats = sum(name.startswith("share_") for name in games)
    whole = float(SHARE_PARTS)
    if key == "first_player":
        return games["share_0"] / whole
    if key.startswith("seat_"):
        return games[f"share_{key.removeprefix('seat_')}"] / whole
    if key == "score_a":
        mine = np.stack([games[f"policy_{seat}"] == a for seat in range(seats)])
        shares = np.stack([games[f"share_{seat}"] for seat in range(seats)])
        value: NDArray[Any] = (shares * mine).sum(axis=0) / (whole * mine.sum(axis=0))
        return value
    if key == "draws":
        most = np.max(np.stack([games[f"share_{seat}"] for seat in range(seats)]), axis=0)
        return np.asarray(most < SHARE_PARTS)
    if key.startswith(("side_", "size_")):
        return _of_group(key, games, table, whole)
    if key.startswith("end_"):
        reasons = _categories(table, "end_reason")
        reason = key.removeprefix("end_")
        # An end that a rule set does not know happens in none of its games.
        return np.asarray(games["end_reason"] == reasons.index(reason)) if reason in reasons else 0.0
    column = next((name for name, (known, _) in _COUNTED.items() if known == key), key)
    return games[column] if column in games else float("nan")


def _of_group(key: str, games: Mapping[str, NDArray[Any]], table: Table, whole: float) -> NDArray[Any] | float:
    """The share of a side's members. Both sides have members, and their shares add up to one."""
    first_side = np.where(games["role_0"] == 0, games["share_0"], SHARE_PARTS - games["share_0"]) / whole
    if key.startswith("side_"):
        return first_side if key.removeprefix("side_") == _categories(table, "role_0")[0] else 1.0 - first_side
    smaller = games["smaller_side"]
    if (smaller < 0).any():
        return float("nan")
    value: NDArray[Any] = np.where(smaller == 0, first_side, 1.0 - first_side)
    return value if key == "size_smaller" else 1.0 - value


def _categories(table: Table, name: str) -> tuple[str, ...]:
    return next((column.categories for column in table.columns if column.name == name), ())
