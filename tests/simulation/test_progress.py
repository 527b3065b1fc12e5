"""The progress bar: drawn in terminals only, and it says why one has to wait."""

from __future__ import annotations

import io
import math
import sys

import pytest

from agentsim.simulation import Progress, ProgressBar
from agentsim.simulation.progress import Meter


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_with_speed_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with ProgressBar() as bar:
        bar(Progress(0, 1_000_000, message="compiling"))
        bar(Progress(0, 1_000_000))
        for done in range(100_000, 1_000_001, 100_000):
            bar(Progress(done, 1_000_000, 500_000.0, 1.0))
    text = screen.getvalue()
    assert "compiling" in text
    assert "playing: 100%" in text
    assert "1.00M/1.00M" in text
    assert "games/s" in text
    assert text.endswith("\r")  # the bar is gone in the end


def test_elsewhere_only_messages_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressBar() as bar:
        bar(Progress(0, 10, message="compiling"))
        bar(Progress(0, 10, message="compiling"))
        bar(Progress(5, 10, 1.0, 5.0))
    shown = capsys.readouterr()
    assert shown.err == "compiling\n"
    assert shown.out == ""


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with ProgressBar(quiet=True) as bar:
        bar(Progress(0, 10, message="compiling"))
        bar(Progress(5, 10, 1.0, 5.0))
    assert screen.getvalue() == ""


def test_speed_is_that_of_the_games_played_now(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("agentsim.simulation.progress.time.monotonic", lambda: now[0])
    seen: list[Progress] = []
    meter = Meter(seen.append, 600, 1_000)
    now[0] = 110.0
    meter.start()
    meter.say()
    assert math.isnan(seen[-1].games_per_second)
    assert math.isnan(seen[-1].seconds_left)
    now[0] = 112.0
    meter.advance(100)
    assert (seen[-1].games_done, seen[-1].games_per_second, seen[-1].seconds_left) == (700, 50.0, 6.0)
    meter.advance(100)  # too soon for another report
    assert len(seen) == 2
    meter.say("done")
    assert (seen[-1].games_done, seen[-1].message) == (800, "done")
