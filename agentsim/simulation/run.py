"""Playing a plan to its end: :func:`simulate`, :func:`resume`, :func:`extend`."""

from __future__ import annotations

import os
import signal
import threading
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from agentsim.errors import InputError, nearest
from agentsim.experiment import Experiment, whole_number
from agentsim.games.base import Session, get_game
from agentsim.simulation.folder import RunFolder, create_or_open, open_for_writing, stopped_by
from agentsim.simulation.manifest import Manifest, new_manifest
from agentsim.simulation.parts import Part, Tally, add_tally
from agentsim.simulation.plan import Task, batch_games_for, split_tasks
from agentsim.simulation.progress import Meter, ProgressCallback
from agentsim.simulation.worker import Failed, Job, Stopped, play_task, play_task_in_process, set_up_process, warm_up

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Backend", "RunResult", "extend", "resume", "simulate"]

Backend = Literal["threading", "loky", "sequential"]


@dataclass(frozen=True)
class RunResult:
    """What a call of ``simulate`` has done.

    ``tallies`` holds the exact counters of each matchup over *all* games of the run, also those that were there
    before. ``n_games`` counts the games that this call played, in ``seconds`` (compiling not included).
    """

    experiment: Experiment
    tallies: list[Tally]
    seconds: float
    n_games: int
    path: Path | None

    def __repr__(self) -> str:
        return f"<RunResult {self.experiment.name!r}: {self.n_games:,} games played; summary() has the scores>"

    def summary(self) -> pd.DataFrame:
        """One row per matchup: scores, seat advantage, draws and length with their intervals, shares of the ends.

        Of games scored by win shares, one row per matchup and policy, seat or side.
        """
        from agentsim.standings import scored_by_shares, standing_frame, standings
        from agentsim.summary import result_frame, summarise

        if scored_by_shares(self.experiment):
            return standing_frame(standings(self.experiment, self.tallies))
        return result_frame(summarise(self.experiment, self.tallies))


def simulate(
    experiment: Experiment,
    *,
    out: str | Path | None = None,
    workers: int | None = None,
    backend: Backend = "threading",
    batch_games: int | None = None,
    progress: ProgressCallback | None = None,
) -> RunResult:
    """Play an experiment.

    Parameters
    ----------
    out : the folder to keep the run in. A folder that holds the same plan is continued. Without it nothing is written,
        and the level of logging must be ``"none"``.
    workers : how many tasks are played at a time; the number of processors if not given.
    backend : ``"threading"`` (kernels run outside of the interpreter's lock), ``"loky"`` (processes of their own) or
        ``"sequential"``.
    batch_games : games per call of the kernel; memory grows with it.
    progress : called with a :class:`Progress` now and then, not always from the main thread, never twice at a time.

    The result and the content of the run depend on the experiment alone. Raises InputError for what cannot be used or
    written, KeyboardInterrupt after Ctrl-C; what was finished by then is kept and :func:`resume` goes on from there.
    """
    options = _Options.check(workers, backend, batch_games, progress)
    if out is None:
        if experiment.log != "none":
            raise InputError(f"'{experiment.log}' needs a folder to write to", key="log", allowed="none, or give `out`")
        return _play(new_manifest(experiment), None, options)
    path = Path(out)
    _check_playable(experiment)
    with create_or_open(path, experiment) as folder:
        return _play(folder.manifest, folder, options)


def resume(
    path: str | Path,
    *,
    workers: int | None = None,
    backend: Backend = "threading",
    batch_games: int | None = None,
    progress: ProgressCallback | None = None,
) -> RunResult:
    """Play what a run lacks: after Ctrl-C, a kill, a full disk, or when files of it were lost. Else as ``simulate``."""
    options = _Options.check(workers, backend, batch_games, progress)
    with open_for_writing(Path(path)) as folder:
        return _play(folder.manifest, folder, options)


def extend(
    path: str | Path,
    games: int,
    *,
    workers: int | None = None,
    backend: Backend = "threading",
    batch_games: int | None = None,
    progress: ProgressCallback | None = None,
) -> RunResult:
    """Raise the number of games per matchup to ``games`` and play them.

    The run is then the same as one made with that many games at once. Raises InputError if ``games`` is lower than
    what the run has; else as ``simulate``.
    """
    options = _Options.check(workers, backend, batch_games, progress)
    with open_for_writing(Path(path)) as folder:
        _check_playable(folder.manifest.experiment)
        folder.manifest.extend(games, where=str(path))
        folder.announce()
        return _play(folder.manifest, folder, options)


def _check_playable(experiment: Experiment) -> None:
    """Make rules and policies ready before anything is written, so that what is wrong with them leaves no trace."""
    get_game(experiment.game).session(experiment.rules(), experiment.pairings(), experiment.seed)


@dataclass(frozen=True)
class _Options:
    workers: int
    backend: Backend
    batch_games: int | None
    progress: ProgressCallback | None

    @classmethod
    def check(
        cls, workers: int | None, backend: Backend, batch_games: int | None, progress: ProgressCallback | None
    ) -> _Options:
        if workers is None:
            workers = os.cpu_count() or 1
        whole_number(workers, 1, 10_000, key="workers")
        if batch_games is not None:
            whole_number(batch_games, 1, 10_000_000, key="batch_games")
        if backend not in get_args(Backend):
            raise InputError(f"unknown backend {backend!r}", key="backend", allowed=", ".join(get_args(Backend)),
                             nearest=nearest(str(backend), get_args(Backend)))
        return cls(workers, backend, batch_games, progress)


def _play(manifest: Manifest, folder: RunFolder | None, options: _Options) -> RunResult:
    experiment, per_deal = manifest.experiment, manifest.games_per_deal
    spans = manifest.missing()
    to_play = sum(span.n_deals * per_deal[span.matchup] for span in spans)
    total = experiment.total_games
    meter = Meter(options.progress, total - to_play, total)
    path = folder.path if folder else None
    if not spans:
        return RunResult(experiment, manifest.tallies(), 0.0, 0, path)
    game = get_game(experiment.game)
    job = Job(
        experiment, per_deal, manifest.tables, out=path.absolute() if path else None,
        batch_games=options.batch_games or batch_games_for(experiment.log), game_module=type(game).__module__,
        key=uuid.uuid4().hex, parent=os.getpid(),
    )
    session = job.session()
    warm_up(lambda: session.warm_up(experiment.log), meter)
    tasks = split_tasks(spans, per_deal, experiment.log, options.workers, folder.next_number() if folder else 0)
    totals = manifest.tallies()
    meter.start()
    meter.say()
    with _interruptible() as stop:
        for outcome in _outcomes(job, session, tasks, stop, meter, options):
            if isinstance(outcome, Part):
                for matchup, tally in outcome.tallies.items():
                    totals[matchup] = add_tally(totals[matchup] or None, tally)
                if folder is not None:
                    try:
                        folder.add(outcome)
                    except OSError as error:
                        outcome = Failed(error)
            if isinstance(outcome, Failed):
                stop.failure = stop.failure or outcome.error
                stop.event.set()
    if stop.failure is not None:
        assert path is not None, "only runs with a folder write"
        raise stopped_by(path, stop.failure)
    if stop.event.is_set():
        raise KeyboardInterrupt
    seconds = meter.seconds
    meter.say()
    return RunResult(experiment, totals, seconds, to_play, path)


def _outcomes(
    job: Job, session: Session, tasks: list[Task], stop: _Stop, meter: Meter, options: _Options
) -> Iterator[Part | Stopped | Failed]:
    """Play tasks and yield what comes of them, in the order in which they end."""
    event = stop.event
    if options.backend == "sequential" or (options.backend == "threading" and min(options.workers, len(tasks)) == 1):
        yield from (play_task(job, session, task, event, meter.advance) for task in _until(event, tasks))
        return
    from joblib import Parallel, delayed

    workers = min(options.workers, len(tasks))
    if options.backend == "threading":
        pool = Parallel(n_jobs=workers, backend="threading", return_as="generator_unordered", batch_size=1)
        yield from pool(delayed(play_task)(job, session, task, event, meter.advance) for task in _until(event, tasks))
        return
    pool = Parallel(n_jobs=workers, backend="loky", return_as="generator_unordered", batch_size=1, max_nbytes=None,
                    initializer=set_up_process, initargs=(job.parent,))
    for outcome in pool(delayed(play_task_in_process)(job, task) for task in _until(event, tasks)):
        if isinstance(outcome, Part):
            meter.advance(outcome.n_games)
        yield outcome


def _until(event: threading.Event, tasks: Iterable[Task]) -> Iterator[Task]:
    for task in tasks:
        if event.is_set():
            return
        yield task


class _Stop:
    """Why and whether a run is to stop: the event is set by Ctrl-C or together with a failure."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.failure: OSError | None = None


@contextmanager
def _interruptible() -> Iterator[_Stop]:
    """Turn the first Ctrl-C into a request to stop, so that what is finished gets listed; a second one breaks off."""
    stop = _Stop()
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # a job in the background of a shell
    if ignored or threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def interrupt(*_: Any) -> None:
        if stop.event.is_set():
            raise KeyboardInterrupt
        stop.event.set()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
