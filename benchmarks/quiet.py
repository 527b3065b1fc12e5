"""Wall time on a machine that others use too: which repetitions they disturbed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

__all__ = ["QUIET", "others", "undisturbed"]

T = TypeVar("T")

QUIET = 0.1
"""Processors that other programs may use on average in a repetition that counts as undisturbed."""
_TRIES = 3


def others(measure: Callable[[], T]) -> tuple[T, float]:
    """What ``measure`` returns, and how many processors other programs used meanwhile (0 where it cannot be told)."""
    busy, own, start = _busy(), _own(), time.perf_counter()
    result = measure()
    wall, spent = time.perf_counter() - start, _own() - own
    after = _busy()
    if busy is None or after is None:
        return result, 0.0
    return result, max(after - busy - spent, 0.0) / wall


def undisturbed(times: int, measure: Callable[[], T]) -> tuple[list[T], str]:
    """``times`` results of ``measure`` that others did not disturb, and a note about it.

    It is tried up to three times as often. If that is not enough, the least disturbed are taken, and the note says so.
    """
    found: list[tuple[float, int, T]] = []
    while len(found) < _TRIES * times and sum(used <= QUIET for used, _, _ in found) < times:
        result, used = others(measure)
        found.append((used, len(found), result))
    best = sorted(found, key=lambda entry: entry[:2])[:times]
    worst = best[-1][0]
    note = f"the {times} quietest of {len(found)}" if len(found) > times else ""
    if worst > QUIET:
        note += f"; DISTURBED: other programs used up to {worst:.1f} processors"
    return [result for _, _, result in best], note


def _own() -> float:
    """CPU seconds of this process and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _busy() -> float | None:
    """CPU seconds of all programs since the machine started; None where the system does not tell."""
    try:
        fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
        user, nice, system, _, _, *rest = map(int, fields)
    except (OSError, ValueError):
        return None
    return (user + nice + system + sum(rest)) / float(os.sysconf("SC_CLK_TCK"))
