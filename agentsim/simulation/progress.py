"""How far a simulation is: games done, games per second, time left."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Meter", "Progress", "ProgressCallback"]

_EVERY = 0.1


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
