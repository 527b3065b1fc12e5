"""What one worker does with one task: play it in batches, count, and write its part.

Memory is bounded by the batch and the part: the rows of a part are kept as Arrow arrays until it is written, which is
about 25 bytes per turn row.
"""

from __future__ import annotations

import importlib
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agentsim.experiment import Experiment
from agentsim.games.base import Game, Session, Table, get_game
from agentsim.simulation.parts import Part, TableBuffer, add_tally
from agentsim.simulation.plan import Task
from agentsim.simulation.progress import COMPILING, Meter

__all__ = ["Failed", "Job", "Stopped", "play_task", "play_task_in_process", "set_up_process",
           "warm_up"]


# Compiling is announced when getting ready takes longer (seconds) than loading compiled code does.
_PATIENCE = 1.5


@dataclass(frozen=True)
class Job:
    """What the tasks of a run have in common; travels to worker processes.

    ``game_module`` is imported there, so that games register themselves. ``key`` tells one call of ``simulate`` from
    the next, ``parent`` is the process that collects the parts.
    """

    experiment: Experiment
    games_per_deal: tuple[int, ...]
    tables: tuple[Table, ...]
    out: Path | None
    batch_games: int
    game_module: str
    key: str
    parent: int

    def session(self) -> Session:
        """The rules and matchups, made ready to play."""
        game: Game = get_game(self.experiment.game)
        return game.session(self.experiment.rules(), self.experiment.pairings(), self.experiment.seed)


@dataclass(frozen=True)
class Stopped:
    """The task was given up because the run is to stop."""


@dataclass(frozen=True)
class Failed:
    """The part could not be written."""

    error: OSError


def warm_up(compiles: Callable[[], object], meter: Meter) -> None:
    """Call what compiles before the workers start: once, and with a word about it if it takes long."""
    timer = threading.Timer(_PATIENCE, meter.say, [COMPILING])
    timer.daemon = True
    timer.start()
    try:
        compiles()
    finally:
        timer.cancel()
        timer.join()


def play_task(
    job: Job, session: Session, task: Task, stop: threading.Event, advance: Callable[[int], None] | None = None
) -> Part | Stopped | Failed:
    """Play a task and write its part. ``advance`` is told the games of every batch."""
    part = Part(task.number, list(task.spans), task.n_games)
    buffers = [TableBuffer(table) for table in job.tables]
    for span in task.spans:
        per_batch = max(1, job.batch_games // job.games_per_deal[span.matchup])
        for first in range(span.first_deal, span.end, per_batch):
            if stop.is_set():
                return Stopped()
            n_deals = min(per_batch, span.end - first)
            batch = session.play(span.matchup, first, n_deals, job.experiment.log)
            part.tallies[span.matchup] = add_tally(part.tallies.get(span.matchup), batch.tally)
            for buffer in buffers:
                buffer.add(batch.tables[buffer.table.name])
            if advance is not None:
                advance(n_deals * job.games_per_deal[span.matchup])
    if job.out is not None and os.getpid() != job.parent and os.getppid() != job.parent:
        return Stopped()  # nobody will list the part, and the run may be in other hands by now
    written: list[Path] = []
    try:
        for buffer in buffers:
            assert job.out is not None, "logs need a folder"
            part.files[buffer.table.name] = buffer.write(job.out, task.number)
            written.append(job.out / part.files[buffer.table.name].file)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        return Failed(error)
    return part


# ------------------------------------------------------------------------------------------- in a worker process

_stop = threading.Event()
_current: tuple[str, Session] | None = None


def set_up_process(parent: int) -> None:
    """Bind a worker process to the life of its parent.

    Ctrl-C, which reaches all processes of a terminal, only stops the task at hand; the parent decides what follows.
    When the parent is gone (killed), the worker ends too: nobody would list what it writes.
    """
    signal.signal(signal.SIGINT, lambda *_: _stop.set())

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="watch-parent").start()


def play_task_in_process(job: Job, task: Task) -> Part | Stopped | Failed:
    """:func:`play_task` with a session that is kept between the tasks of a run."""
    global _current
    if _current is None or _current[0] != job.key:
        _stop.clear()
        importlib.import_module(job.game_module)
        _current = (job.key, job.session())
    return play_task(job, _current[1], task, _stop)
