"""How far a simulation is: games done, games per second, time left."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["COMPILING", "Meter", "Progress", "ProgressBar", "ProgressCallback"]

_EVERY = 0.1
COMPILING = "compiling (only the first time: 20 seconds for the base game, a minute or more for other modes)"
"""What is said while the first call of a kernel takes its time."""


@dataclass(frozen=True)
class Progress:
    """A report on the way.

    ``games_done`` includes what a resumed run had before; ``games_per_second`` is the mean speed of this call, and
    ``seconds_left`` what remains at that speed (NaN as long as there is none). ``message`` is set while something else
    than playing takes time.
    """

    games_done: int
    games_total: int
    games_per_second: float = float("nan")
    seconds_left: float = float("nan")
    message: str = ""


ProgressCallback = Callable[[Progress], None]


class Meter:
    """Counts games and reports to a callback, ten times a second at most and never from two threads at once."""

    def __init__(self, callback: ProgressCallback | None, done: int, total: int) -> None:
        self._callback = callback
        self._lock = threading.Lock()
        self._before, self._done, self._total = done, done, total
        self._start = self._last = time.monotonic()

    def start(self) -> None:
        """Begin to measure the speed."""
        self._start = time.monotonic()

    def advance(self, games: int) -> None:
        """Some games have been played. May be called from any thread."""
        with self._lock:
            self._done += games
            if time.monotonic() - self._last >= _EVERY:
                self._report("")

    def say(self, message: str = "") -> None:
        """Report now, with a message."""
        with self._lock:
            self._report(message)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    def _report(self, message: str) -> None:
        self._last = time.monotonic()
        if self._callback is None:
            return
        played, seconds = self._done - self._before, self._last - self._start
        speed = played / seconds if played and seconds > 0 else float("nan")
        self._callback(Progress(self._done, self._total, speed, (self._total - self._done) / speed, message))


class ProgressBar:
    """A callback that draws a bar with games per second and time left: in a terminal (on stderr) or in a notebook.

    Elsewhere it prints only the messages that explain a wait, one line each. Use as a context manager, or close it::

        with ProgressBar() as bar:
            simulate(experiment, progress=bar)
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._bar: Any = None
        self._message = ""

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, progress: Progress) -> None:
        """Show how far a simulation is."""
        if self._quiet:
            return
        if progress.message and progress.message != self._message and not _is_notebook():
            self._write(progress.message)
        self._message = progress.message
        if not (sys.stderr.isatty() or _is_notebook()):
            return
        if self._bar is None:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=progress.games_total, initial=progress.games_done, unit=" games", unit_scale=True,
                             dynamic_ncols=True, leave=False)
        self._bar.set_description_str(progress.message or "playing", refresh=False)
        self._bar.update(progress.games_done - self._bar.n)
        self._bar.refresh()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _write(self, message: str) -> None:
        if self._bar is None:
            print(message, file=sys.stderr, flush=True)
        else:
            self._bar.write(message, file=sys.stderr)


def _is_notebook() -> bool:
    """Whether this is a Jupyter kernel, where stderr is no terminal but a bar can be shown all the same."""
    kernel = sys.modules.get("ipykernel.zmqshell")
    shell = sys.modules.get("IPython")
    return kernel is not None and shell is not None and isinstance(shell.get_ipython(), kernel.ZMQInteractiveShell)
