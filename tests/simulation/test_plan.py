"""Spans and tasks: every missing deal is in exactly one task."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.simulation import plan
from agentsim.simulation.plan import Span, merge_spans, missing_spans, split_tasks


def deals(spans: list[Span]) -> list[tuple[int, int]]:
    return sorted((span.matchup, deal) for span in spans for deal in range(span.first_deal, span.end))


@st.composite
def cut_runs(draw: st.DrawFn) -> tuple[list[int], list[Span]]:
    """Deals per matchup, and some of them as spans in any order."""
    n_deals = draw(st.lists(st.integers(0, 60), min_size=1, max_size=4))
    spans = []
    for matchup, n in enumerate(n_deals):
        cuts = sorted(draw(st.sets(st.integers(0, n), max_size=8)) | {0, n})
        pieces = [Span(matchup, a, b - a) for a, b in pairwise(cuts)]
        spans += [piece for piece in pieces if draw(st.booleans())]
    return n_deals, draw(st.permutations(spans))


@given(cut_runs())
def test_missing_and_done_deals_make_up_the_run(run: tuple[list[int], list[Span]]) -> None:
    n_deals, done = run
    missing = missing_spans(done, n_deals)
    assert sorted(deals(done) + deals(missing)) == [(m, d) for m, n in enumerate(n_deals) for d in range(n)]
    merged = merge_spans(done)
    assert deals(merged) == deals(done)
    assert all(a.matchup != b.matchup or a.end < b.first_deal for a, b in pairwise(merged))


@given(cut_runs(), st.integers(1, 5), st.integers(1, 40), st.integers(0, 3))
def test_tasks_cover_the_spans_in_order_and_evenly(
    run: tuple[list[int], list[Span]], workers: int, size: int, first: int
) -> None:
    n_deals, done = run
    spans = missing_spans(done, n_deals)
    per_deal = [1 + matchup % 2 for matchup in range(len(n_deals))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(plan._TASK_GAMES, "turns", size)
        patch.setattr(plan, "_MIN_GAMES", 5)
        tasks = split_tasks(spans, per_deal, "turns", workers, first)
    assert deals([span for task in tasks for span in task.spans]) == deals(spans)
    assert [task.number for task in tasks] == list(range(first, first + len(tasks)))
    for task in tasks:
        assert task.n_games == sum(span.n_deals * per_deal[span.matchup] for span in task.spans)
        # One deal of slack: deals are not torn apart.
        assert task.n_games <= size + 2
    sizes = [task.n_games for task in tasks]
    assert not sizes or max(sizes) - min(sizes) <= 3


def test_workers_get_equally_many_tasks() -> None:
    tasks = split_tasks([Span(0, 0, 150_000)], [2], "turns", 2)
    assert [task.n_games for task in tasks] == [75_000] * 4
    assert len(split_tasks([Span(0, 0, 100)], [2], "turns", 2)) == 1


def test_a_deal_played_twice_is_an_error() -> None:
    with pytest.raises(ValueError, match="deal 5 of matchup 1 is there twice"):
        merge_spans([Span(1, 5, 3), Span(1, 0, 6)])
