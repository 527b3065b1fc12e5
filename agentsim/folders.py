"""Whether something can be written to a folder, found out by doing it, before hours of play are spent.

Permission bits do not tell: root may write where they say no, and nobody may to a file system that is read-only.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from agentsim.errors import InputError

__all__ = ["check_folder", "make_folder"]


def check_folder(place: Path, where: str) -> None:
    """Refuse a folder that cannot be made or written to; nothing of it is left. Raises InputError."""
    there = next(parent for parent in (place.absolute(), *place.absolute().parents) if os.path.lexists(parent))
    if not there.is_dir():
        raise InputError("is a file" if there == place.absolute() else f"{there} is a file", where=where,
                         allowed="a folder")
    if problem := _unwritable(there):
        raise InputError(f"nothing can be written to {there}: {problem}", where=where,
                         allowed="a folder of your own")


def make_folder(place: Path) -> Path:
    """Make a folder that can be written to, with those above it. Raises InputError if that is not possible."""
    try:
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise InputError(f"cannot be used: {getattr(error, 'strerror', None) or error}", where=str(place)) from None
    if problem := _unwritable(place):
        raise InputError(f"cannot be used: {problem}", where=str(place))
    return place


def _unwritable(folder: Path) -> str:
    """Why no file can be written there; nothing if one can."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".agentsim-"):
            return "" if os.access(folder, os.W_OK | os.X_OK) else "permission denied"
    except OSError as error:
        return error.strerror or str(error)
