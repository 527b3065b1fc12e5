"""Where output goes: text or JSON on stdout, notes and progress on stderr."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from agentsim.errors import InputError

if TYPE_CHECKING:
    from agentsim.simulation import Progress

__all__ = ["ProgressBar", "note", "show", "write"]


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


def note(text: str, *, quiet: bool = False) -> None:
    """A remark for the person at the terminal; it goes to stderr so that output stays clean."""
    if not quiet:
        print(text, file=sys.stderr, flush=True)


class ProgressBar:
    """A bar on stderr with games per second and time left.

    Away from a terminal it prints nothing but the messages that explain a wait (compiling).
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._bar: Any = None
        self._message = ""

    def __call__(self, progress: Progress) -> None:
        """Show how far a simulation is."""
        if self._quiet:
            return
        if not sys.stderr.isatty():
            if progress.message and progress.message != self._message:
                note(progress.message)
            self._message = progress.message
            return
        if self._bar is None:
            from tqdm import tqdm

            self._bar = tqdm(total=progress.games_total, initial=progress.games_done, unit=" games", unit_scale=True,
                             dynamic_ncols=True, leave=False, file=sys.stderr)
        if progress.message != self._message:
            self._message = progress.message
            self._bar.set_description_str(progress.message or "playing")
        self._bar.total = progress.games_total
        self._bar.update(progress.games_done - self._bar.n)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
