"""The solver's table on disk: built once for each rule set, then mapped into memory.

The folder is ``$XDG_CACHE_HOME/agentsim/solver`` or ``~/.cache/agentsim/solver``; ``AGENTSIM_SOLVER=/some/folder``
moves it. The name of a table is a digest of the rules that it depends on and of the solver's own sources, so that a
changed rule or solver gets a table of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.solver.backward import ANEW, AS_KEPT, STEPS, mixed_offers, solve_states
from agentsim.games.agent_avenue.solver.kept import kept_of
from agentsim.games.agent_avenue.solver.opened import facts_of
from agentsim.games.agent_avenue.solver.states import Space, space_of
from agentsim.games.agent_avenue.solver.turn_game import HARD, PAIRS, REACH, SIZE

__all__ = ["Solution", "offers_of_table", "solution", "table_folder"]

VERSION = 4
"""Raise when the solver finds other numbers for the same rules."""

_loaded: dict[str, Solution] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Solution:
    """A solved rule set.

    ``values``, ``answers``: see :func:`agentsim.games.agent_avenue.solver.backward.solve_states`. ``facts``: the space
    as the player reads it. ``residual``: mean and 99th percentile over all states of what the offerer, and the
    receiver, could gain in a turn by the best reply; ``seconds``: what building took.
    """

    space: Space
    values: NDArray[np.float32]
    answers: NDArray[np.uint8]
    facts: NDArray[np.int64]
    kept: NDArray[np.float64]
    digest: str
    residual: dict[str, float]
    seconds: float


def offers_of_table(found: Solution, states: NDArray[np.int64]) -> NDArray[np.float64]:
    """The chance of every offer (u, d) in states of a solved rule set, over all hands: (n, SIZE, SIZE)."""
    space, square, pairs = found.space, np.zeros((4, SIZE, SIZE)), np.zeros((2, PAIRS))
    offers = np.zeros((len(states), SIZE, SIZE))
    mixed_offers(states, space.n_names, space.digit, space.moves, space.wins, space.loses, space.copies, space.gap,
                 space.side, space.tie, space.hand, space.sets, space.set_start, space.set_pairs, space.pair_of,
                 found.values, found.answers, found.kept, np.zeros(len(space.sets)), np.zeros(SIZE, np.int64),
                 np.zeros(1 << SIZE), square[0], np.zeros(SIZE), square[1], square[2], square[3], pairs[0], pairs[1],
                 offers)
    return offers


def table_folder() -> Path:
    """Where tables are kept."""
    chosen = os.environ.get("AGENTSIM_SOLVER")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "agentsim" / "solver"


def digest_of(space: Space) -> str:
    """What a table is called: everything that it depends on."""
    digest = hashlib.blake2b(digest_size=10)
    digest.update(f"{VERSION} {STEPS} {HARD} {REACH} {ANEW} {AS_KEPT}".encode())
    digest.update(f" {space.hand} {space.copies.tolist()}".encode())
    digest.update(facts_of(space, kept_of(space)).tobytes())
    return digest.hexdigest()


def solution(rules: Rules, *, workers: int | None = None, progress: Callable[[float], None] | None = None) -> Solution:
    """The table of a rule set: from memory, from disk, or built now.

    Building the shipped rules takes about four minutes on two processors and 0.4 GB. ``progress`` is told the share
    that is done; by default it is written to stderr. A damaged table is built anew and takes the old one's place.
    Raises InputError for rules that the solver does not know, and before building if the folder cannot be written.
    """
    space = space_of(rules)
    digest = digest_of(space)
    with _lock:
        if digest not in _loaded:
            folder = table_folder() / digest
            found = _read(folder, space, digest)
            if found is None:
                _build(folder, space, workers or os.cpu_count() or 1, progress)
                found = _read(folder, space, digest)
            assert found is not None, "a table that was just written"
            _loaded[digest] = found
        return _loaded[digest]


class _Told:
    """Says on stderr how far building is: a line now and then, or one that changes in a terminal."""

    def __init__(self, damaged: Path | None) -> None:
        self._start = self._last = time.monotonic()
        why = f"the one in {damaged} is damaged" if damaged else "only the first time"
        print(f"solver: building its table ({why}: about four minutes)", file=sys.stderr, flush=True)

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if share > 0.0 and sys.stderr.isatty() and (now - self._last > 0.5 or share >= 1.0):
            self._last = now
            left = (now - self._start) * (1.0 - share) / share
            end = "\n" if share >= 1.0 else ""
            print(f"\rsolver: {share:4.0%} done, {left:3.0f} s left ", end=end, file=sys.stderr, flush=True)


def _build(folder: Path, space: Space, workers: int, progress: Callable[[float], None] | None) -> None:
    """Solve the rules and put the table into ``folder``."""
    # Written beside and renamed: a table is there complete or not at all, whoever else builds it. The place comes
    # first, so that a folder that cannot be written is told before minutes of work.
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = tempfile.TemporaryDirectory(dir=folder.parent)
    except OSError as error:
        raise InputError(f"the solver's table cannot be written to {folder.parent}: {error.strerror}",
                         allowed="AGENTSIM_SOLVER = a folder that can be written") from None
    with beside as name:
        told = progress or _Told(folder if folder.exists() else None)
        start = time.monotonic()
        values, answers, gaps = solve_states(space, workers=workers, progress=told, kept=kept_of(space))
        about: dict[str, Any] = {"seconds": time.monotonic() - start, "states": space.n_states}
        for at, who in enumerate(("offerer", "receiver")):
            about[f"{who}_mean"] = float(gaps[:, at].mean())
            about[f"{who}_p99"] = float(np.quantile(gaps[:, at], 0.99))
        place = Path(name) / "table"
        place.mkdir()
        np.save(place / "values.npy", values)
        np.save(place / "answers.npy", answers)
        (place / "about.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        _put(place, folder, space)


def _put(place: Path, folder: Path, space: Space) -> None:
    """Move a new table where it belongs, unless another process put a sound one there meanwhile."""
    try:
        place.rename(folder)
    except OSError:
        if _read(folder, space, "") is None:
            folder.rename(place.with_name("damaged"))
            place.rename(folder)


def _read(folder: Path, space: Space, digest: str) -> Solution | None:
    """The table of a folder; None if there is none, or a damaged one. Code reads it by address: all shapes must fit."""
    try:
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        residual = {f"{who}_{what}": float(about[f"{who}_{what}"])
                    for who in ("offerer", "receiver") for what in ("mean", "p99")}
        seconds = float(about["seconds"])
        values = np.load(folder / "values.npy", mmap_mode="r")
        answers = np.load(folder / "answers.npy", mmap_mode="r")
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        return None
    if not (fits(values, np.float32, (space.n_states,)) and fits(answers, np.uint8, (space.n_states, SIZE))):
        return None
    kept = kept_of(space)
    return Solution(space, values, answers, facts_of(space, kept), kept, digest, residual, seconds)


def fits(part: NDArray[Any], kind: type[np.generic], shape: tuple[int, ...]) -> bool:
    """Whether an array that was read is what compiled code may go through by its address."""
    return part.dtype == kind and part.shape == shape and part.flags.c_contiguous
