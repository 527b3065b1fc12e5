"""Cutting a run into tasks.

A *span* is a stretch of deals of one matchup, the smallest thing a run keeps account of. A *task* is a handful of spans
that one worker plays in one go and, if the run is logged, writes as one part. How a run is cut decides nothing about
its content, so the cut is free to follow the number of workers and what a resumed run still lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentsim.games.base import LogLevel

__all__ = ["Span", "Task", "batch_games_for", "merge_spans", "missing_spans", "n_deals_of", "split_tasks"]

# Games per task. Logged: a part of 100,000 games holds close to a million turn rows in one row group, the size at which
# Parquet is written and read best, and half of that for twice as many columns; 20 MB per worker while it is made.
# Unlogged: long enough (a tenth of a second or more) for the hand-over to cost nothing, short enough for a lively
# progress bar and a quick stop.
_TASK_GAMES: dict[LogLevel, int] = {"none": 400_000, "games": 400_000, "turns": 100_000, "full": 50_000}

# Games per call of the kernel: enough to make the call cheap, few enough to stop within a tenth of a second. The rows
# of a logged batch are held several times over while they become columns.
_BATCH_GAMES: dict[LogLevel, int] = {"none": 32_768, "games": 32_768, "turns": 8_192, "full": 8_192}

# Tasks are not cut below this only to give every worker one.
_MIN_GAMES = 5_000


@dataclass(frozen=True, order=True)
class Span:
    """The deals ``first_deal .. first_deal + n_deals - 1`` of a matchup."""

    matchup: int
    first_deal: int
    n_deals: int

    @property
    def end(self) -> int:
        """The first deal after the span."""
        return self.first_deal + self.n_deals


@dataclass(frozen=True)
class Task:
    """Spans to be played by one worker; ``number`` names the part that comes of it."""

    number: int
    spans: tuple[Span, ...]
    n_games: int


def n_deals_of(games: int, games_per_deal: Sequence[int]) -> list[int]:
    """How many deals each matchup plays when every matchup plays ``games`` games."""
    return [games // per_deal for per_deal in games_per_deal]


def batch_games_for(log: LogLevel) -> int:
    """How many games a call of the kernel plays unless told otherwise."""
    return _BATCH_GAMES[log]


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """The same deals in the fewest spans, in order. Raises ValueError if two spans share a deal."""
    merged: list[Span] = []
    for span in sorted(spans):
        if span.n_deals <= 0 or span.first_deal < 0:
            raise ValueError(f"{span} holds no deals")
        last = merged[-1] if merged else None
        if last is not None and last.matchup == span.matchup and span.first_deal < last.end:
            raise ValueError(f"deal {span.first_deal} of matchup {span.matchup} is there twice")
        if last is not None and last.matchup == span.matchup and span.first_deal == last.end:
            merged[-1] = Span(last.matchup, last.first_deal, last.n_deals + span.n_deals)
        else:
            merged.append(span)
    return merged


def missing_spans(done: Iterable[Span], n_deals: Sequence[int]) -> list[Span]:
    """What is still to be played of ``n_deals[m]`` deals of each matchup ``m``, in order."""
    gaps: list[Span] = []
    reached = [0] * len(n_deals)
    for span in merge_spans(done):
        start = reached[span.matchup]
        if span.first_deal > start:
            gaps.append(Span(span.matchup, start, min(span.first_deal, n_deals[span.matchup]) - start))
        reached[span.matchup] = span.end
    gaps += [Span(matchup, start, n_deals[matchup] - start) for matchup, start in enumerate(reached)]
    return sorted(gap for gap in gaps if gap.n_deals > 0)


def split_tasks(
    spans: Sequence[Span], games_per_deal: Sequence[int], log: LogLevel, workers: int, first_number: int = 0
) -> list[Task]:
    """Tasks of nearly equal size that cover ``spans`` in order.

    Their number is a multiple of ``workers``, unless they would become tiny, so that the workers end together.
    """
    total = sum(span.n_deals * games_per_deal[span.matchup] for span in spans)
    if total == 0:
        return []
    count = -(-total // _TASK_GAMES[log])
    count = max(-(-count // workers) * workers if total >= workers * _MIN_GAMES else count, 1)
    tasks: list[Task] = []
    current: list[Span] = []
    held = played = 0
    for span in spans:
        per_deal = games_per_deal[span.matchup]
        first = span.first_deal
        while first < span.end:
            # Boundaries at total * k / count: rounding to whole deals does not add up along the way.
            room = total * (len(tasks) + 1) // count - played
            deals = min(span.end - first, max(1, -(-room // per_deal)))
            current.append(Span(span.matchup, first, deals))
            first += deals
            held += deals * per_deal
            played += deals * per_deal
            if played >= total * (len(tasks) + 1) // count:
                tasks.append(Task(first_number + len(tasks), tuple(current), held))
                current, held = [], 0
    if current:
        tasks.append(Task(first_number + len(tasks), tuple(current), held))
    return tasks
