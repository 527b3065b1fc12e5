"""Where output goes: text or JSON on stdout, notes on stderr."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from agentsim.errors import InputError

__all__ = ["keeping", "note", "show", "write"]


def show(as_json: bool, command: str, data: Mapping[str, Any], lines: Callable[[], Iterable[str]]) -> None:
    """Print ``data`` as one JSON document, which says what command and version made it, or ``lines()`` as text."""
    if as_json:
        from agentsim import __version__

        document = {"agentsim": __version__, "command": command, **data}
        write(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        write("\n".join(lines()) + "\n")


def write(text: str) -> None:
    """Write to stdout, now. Raises ``InputError`` if that is not possible, ``BrokenPipeError`` if nobody reads."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # What is still buffered must not raise again when Python ends (only a real file can be redirected).
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise InputError(f"the output cannot be written: {error.strerror or error}") from None


@contextlib.contextmanager
def keeping(out: Path | None, *, keeps: bool = True) -> Iterator[None]:
    """Work that keeps what it has done in a folder, if there is one: says so when Ctrl-C stops it.

    ``keeps``: whether there is anything to go on from. Raises ``KeyboardInterrupt`` with the words for the terminal.
    """
    try:
        yield
    except KeyboardInterrupt:
        if out is not None and keeps:
            raise KeyboardInterrupt(f"the same command goes on from where it stopped ({out})") from None
        raise KeyboardInterrupt("nothing was kept" + ("; with --out the same command would go on" if keeps else "")
                                ) from None


def note(text: str, *, quiet: bool = False) -> None:
    """A remark for the person at the terminal; it goes to stderr so that output stays clean."""
    if not quiet:
        print(text, file=sys.stderr, flush=True)
