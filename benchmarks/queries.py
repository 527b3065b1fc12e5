"""Questions to a log of ten million games, in wall time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from agentsim.experiment import build_experiment
from agentsim.runs import Run, open_run
from benchmarks.measure import Line, Options, at_most, line
from benchmarks.quiet import undisturbed
from benchmarks.runs import folder, play

__all__ = ["run"]

_GAMES = 10_000_000

_BY_POLICY = """
    SELECT policy, avg(score) AS win_rate, count(*) AS n FROM (
        SELECT policy_0 AS policy, CASE winner WHEN 0 THEN 1.0 WHEN 1 THEN 0.0 ELSE 0.5 END AS score FROM games
        UNION ALL
        SELECT policy_1, CASE winner WHEN 1 THEN 1.0 WHEN 0 THEN 0.0 ELSE 0.5 END FROM games)
    GROUP BY policy ORDER BY policy"""

_BY_CARD = """
    SELECT card, avg(won) AS win_rate, count(*) AS n FROM (
        SELECT recruited_active AS card, active_won::TINYINT AS won FROM turns
        UNION ALL
        SELECT recruited_other, 1 - active_won::TINYINT FROM turns)
    GROUP BY card ORDER BY card"""


def run(options: Options) -> Iterator[Line]:
    with folder() as root:
        # A matchup and two mirrors; a third of the games each, even because the matchup plays two per deal.
        experiment = build_experiment("random,random_discards", matchups="round_robin", log="turns",
                                      games=_GAMES // 3 // 2 * 2 + 2)
        spent = play(experiment, workers=2, out=root / "run")
        with open_run(root / "run") as opened:
            note = f"{opened.n_games:,} games, written in {spent.wall:.0f} s"
            for name, query, rows, bound in (("policy", _BY_POLICY, 2, 0.3), ("card", _BY_CARD, 8, 1.0)):
                _seconds(opened, query, rows)
                seconds, quiet = undisturbed(options.repeat, partial(_seconds, opened, query, rows))
                yield line("queries", f"win rate by {name}", seconds, "s of wall", at_most(bound),
                           f"{note}; {quiet}".rstrip("; "))


def _seconds(run_: Run, query: str, rows: int) -> float:
    start = time.perf_counter()
    answer = run_.sql(query)
    seconds = time.perf_counter() - start
    if len(answer) != rows:
        raise RuntimeError(f"the query gave {len(answer)} rows, expected {rows}")
    return seconds
