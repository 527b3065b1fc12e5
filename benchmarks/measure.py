"""Repeating a measurement, holding it against a target, and showing it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["HEADER", "Line", "Options", "Target", "at_least", "at_most", "line", "repeat", "show"]


@dataclass(frozen=True)
class Options:
    """What the command line asks for: repetitions of each measurement (at least 5), and the long ones or not."""

    repeat: int = 5
    full: bool = False


@dataclass(frozen=True)
class Target:
    """A bound on a figure, in the figure's own unit."""

    kind: Literal[">=", "<="]
    bound: float

    def met(self, value: float) -> bool:
        return value >= self.bound if self.kind == ">=" else value <= self.bound


def at_least(bound: float) -> Target:
    return Target(">=", bound)


def at_most(bound: float) -> Target:
    return Target("<=", bound)


@dataclass(frozen=True)
class Line:
    """One figure. ``low`` and ``high`` are the extremes of ``n`` repetitions, ``value`` is their median."""

    section: str
    name: str
    value: float
    unit: str
    low: float
    high: float
    n: int
    target: Target | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the median meets the target; None without one."""
        return None if self.target is None else self.target.met(self.value)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types. ``target`` is a text such as ``>= 3.0``, ``met`` its verdict; null without a target."""
        target = None if self.target is None else f"{self.target.kind} {self.target.bound:g}"
        return asdict(self) | {"target": target, "met": self.met}


def repeat(times: int, measure: Callable[[], float]) -> list[float]:
    """The figures of ``times`` calls."""
    return [measure() for _ in range(times)]


def line(section: str, name: str, figures: Sequence[float], unit: str, target: Target | None = None,
         note: str = "") -> Line:
    """A line from the figures of the repetitions."""
    return Line(section, name, statistics.median(figures), unit, min(figures), max(figures), len(figures), target, note)


HEADER = f"{'figure':<50} {'median':>9} {'lowest .. highest':>21}  {'n':>2} {'unit':<15} {'target':>9} verdict"


def show(found: Line) -> str:
    """The line as text, under :data:`HEADER`."""
    extent = f"{_short(found.low)} .. {_short(found.high)}" if found.n > 1 else ""
    target = "" if found.target is None else f"{found.target.kind} {_short(found.target.bound)}"
    verdict = "" if found.met is None else "pass" if found.met else "MISS"
    text = (f"{found.name:<50} {_short(found.value):>9} {extent:>21}  {found.n:>2} {found.unit:<15} {target:>9} "
            f"{verdict}")
    return text.rstrip() + (f"\n    {found.note}" if found.note else "")


def _short(value: float) -> str:
    """Three to four significant digits, without an exponent."""
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"
