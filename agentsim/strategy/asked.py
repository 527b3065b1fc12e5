"""Arguments of the strategy lab as they come from Python, checked: one clear line for what cannot be used."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from agentsim.errors import InputError, shown
from agentsim.experiment import MAX_GAMES, MAX_SEED, whole_number
from agentsim.folders import make_folder
from agentsim.strategy.field import two_sided_game

__all__ = ["callback", "folder", "fraction", "games", "names", "ready", "seed", "table", "workers"]

_MOST_WORKERS = 10_000


def table(game: Any, settings: Any) -> tuple[Any, Any]:
    """The game of two sides and its rules."""
    if not isinstance(game, str):
        raise InputError(f"must be the name of a game, got {shown(game)}", where="game", allowed="such as agent_avenue")
    it = two_sided_game(game, "game")
    if settings is not None and not isinstance(settings, Mapping):
        raise InputError(f"must be rule keys with values, got {shown(settings)}", where="settings",
                         allowed='such as {"rules.discards": 2}')
    return it, it.rules(dict(settings or {}))


def games(number: Any, least: int = 4) -> int:
    """A number of games."""
    return whole_number(number, least, MAX_GAMES, where="games")


def seed(number: Any) -> int:
    """A seed."""
    return whole_number(number, 0, MAX_SEED, where="seed")


def workers(number: Any) -> int:
    """How many threads; None: as many as there are processors."""
    return os.cpu_count() or 1 if number is None else whole_number(number, 1, _MOST_WORKERS, where="workers")


def callback(progress: Any) -> Callable[..., None] | None:
    """What is called now and then."""
    if progress is not None and not callable(progress):
        raise InputError(f"cannot be called: {shown(progress)}", where="progress",
                         allowed="a function, such as agentsim.ProgressBar()")
    found: Callable[..., None] | None = progress
    return found


def names(value: Any, where: str, such_as: str) -> list[str]:
    """A list of names, or a text with commas."""
    if isinstance(value, str):
        return [name.strip() for name in value.split(",")]
    if not isinstance(value, Iterable) or isinstance(value, bytes | bytearray):
        raise InputError(f"must be names, got {shown(value)}", where=where, allowed=such_as)
    found = list(value)
    for name in found:
        if not isinstance(name, str):
            raise InputError(f"{shown(name)} is no name", where=where, allowed=such_as)
    return found


def fraction(value: Any, where: str, allowed: str, *, low: float = 0.0, high: float = 1.0, ends: bool = False
             ) -> float:
    """A number between two others, these included or not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"must be a number, got {shown(value)}", where=where, allowed=allowed)
    if not (low <= value <= high if ends else low < value < high):  # NaN as well
        raise InputError(f"must be a fraction, got {value:g}", where=where, allowed=allowed)
    return float(value)


def folder(out: Any) -> Path | None:
    """The folder that ``out`` names, not yet made."""
    if out is None:
        return None
    if not isinstance(out, str | os.PathLike) or not isinstance(os.fspath(out), str):
        raise InputError(f"must be the name of a folder, got {shown(out)}", where="out", allowed="a text or a path")
    if not os.fspath(out):
        raise InputError("needs the name of a folder", where="out")
    return Path(out)


def ready(place: Path | None) -> Path | None:
    """The folder made: what cannot be written to is to be known before anything is played."""
    return None if place is None else make_folder(place)
