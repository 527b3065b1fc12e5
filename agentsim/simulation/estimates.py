"""What a run will take, found by playing a little of it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agentsim.experiment import Experiment
from agentsim.games.base import Session, get_game
from agentsim.simulation.manifest import run_tables
from agentsim.simulation.parts import TableBuffer
from agentsim.simulation.plan import Span, n_deals_of, split_tasks
from agentsim.simulation.progress import Meter, ProgressCallback
from agentsim.simulation.worker import warm_up

__all__ = ["Estimate", "estimate"]

# Samples are doubled until one takes this long (seconds), or all samples together the second figure.
_SAMPLE_SECONDS = 0.1
_ALL_SECONDS = 3.0
_MIN_GAMES, _MAX_GAMES = 500, 64_000

# How much of each further worker's time is gained; measured with two threads on two processors.
_GAIN = 0.85


@dataclass(frozen=True)
class Estimate:
    """What an experiment will take: games of all matchups, tasks, seconds (compiling not included), bytes on disk."""

    games: int
    tasks: int
    seconds: float
    bytes: int


def estimate(experiment: Experiment, workers: int = 1, *, progress: ProgressCallback | None = None) -> Estimate:
    """Estimate time and disk by playing some thousand games; up to 3 seconds, and nothing is kept.

    Of many matchups only some, evenly spread, are tried. Expect the time to be right within a third. ``progress`` is
    told if something has to be compiled first.
    """
    game = get_game(experiment.game)
    session = game.session(experiment.rules(), experiment.pairings(), experiment.seed)
    warm_up(lambda: session.warm_up(experiment.log), Meter(progress, 0, experiment.total_games))
    per_deal = experiment.games_per_deal()
    spans = [Span(matchup, 0, n_deals) for matchup, n_deals in enumerate(n_deals_of(experiment.games, per_deal))]
    tasks = split_tasks(spans, per_deal, experiment.log, workers)
    matchups = list(range(len(spans)))
    tried = matchups[:: -(-len(matchups) // 30)]
    seconds = n_bytes = 0.0
    for matchup in tried:
        budget = min(_SAMPLE_SECONDS, _ALL_SECONDS / len(tried))
        spent, size = _per_game(experiment, session, matchup, per_deal, budget)
        seconds += spent / len(tried)
        n_bytes += size / len(tried)
    total = experiment.total_games
    speed = 1 + (min(workers, len(tasks)) - 1) * _GAIN
    return Estimate(total, len(tasks), seconds * total / speed, round(n_bytes * total))


def _per_game(
    experiment: Experiment, session: Session, matchup: int, per_deal: Sequence[int], budget: float
) -> tuple[float, float]:
    """Seconds and bytes per game of a matchup, from the last and largest of some samples."""
    games = min(_MIN_GAMES, experiment.games)
    most = min(_MAX_GAMES, experiment.games)
    while True:
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            n_deals = max(1, games // per_deal[matchup])
            batch = session.play(matchup, 0, n_deals, experiment.log)
            n_bytes = 0
            for table in run_tables(experiment):
                (Path(folder) / table.name).mkdir()
                buffer = TableBuffer(table)
                buffer.add(batch.tables[table.name])
                n_bytes += buffer.write(Path(folder), 0).n_bytes
            spent = time.perf_counter() - start
        if spent >= budget / 2 or games >= most:
            return spent / batch.n_games, n_bytes / batch.n_games
        games = min(2 * games, most)
