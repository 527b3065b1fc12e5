"""What the sessions of games with win shares have in common: seatings, stretches of whole deals, joined columns.

A game adds its kernel (:meth:`ShareSession._run`), its counters and its columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.base import Batch, LogLevel, PolicyRef

__all__ = ["CHUNK", "ShareSession", "compilations", "seatings"]

CHUNK = 1 << 15
"""Games per call of a kernel: enough to forget the call, few enough for the buffers to stay in the cache."""

Rows = tuple[Any, ...]
"""A kernel's rows: an array with a row per game, then whatever the kernel has besides."""


def seatings(matchup: Sequence[PolicyRef]) -> int:
    """How many different seatings the rotation of a matchup has: 1 for a mirror, the number of players in general."""
    refs = tuple(matchup)
    return next(n for n in range(1, len(refs) + 1) if refs[n:] + refs[:n] == refs)


def compilations(kernel: Any) -> int:
    """How often a jitted function was compiled in this process rather than loaded; 0 for plain Python."""
    stats = getattr(kernel, "stats", None)
    return int(sum(stats.cache_misses.values())) if stats is not None else 0


class ShareSession(ABC):
    """Rules and matchups made ready to play; see :class:`agentsim.games.base.Session`.

    A matchup has one policy per seat. In game ``b`` of a deal's block seat ``s`` is played by the matchup's policy
    ``(s + b % seatings) % players``; what else turns with ``b`` is the kernel's affair. Raises InputError for a
    matchup of another size.
    """

    kernel: Any
    """The jitted function that plays."""

    def __init__(self, players: int, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> None:
        self.players, self.seed = players, np.uint64(seed)
        self.matchups = [tuple(matchup) for matchup in matchups]
        for matchup in self.matchups:
            if len(matchup) != players:
                raise InputError(f"{len(matchup)} policies for {players} players", key="rules.players",
                                 allowed="one policy per seat")
        self.refs = {ref.label: ref for matchup in self.matchups for ref in matchup}
        self.labels = list(self.refs)

    @abstractmethod
    def games_per_deal(self, matchup: int) -> int:
        """How often each deal is played in a matchup."""

    @abstractmethod
    def _run(self, matchup: int, first: int, wanted: int, log: LogLevel) -> Rows:
        """Play up to ``wanted`` games from game ``first`` on; fewer, but a deal at least, if a buffer is full.

        The rows returned are the caller's to keep.
        """

    @abstractmethod
    def _tally(self, matchup: int, index: NDArray[np.int64], games: NDArray[Any]) -> dict[str, NDArray[np.int64]]:
        """The exact counters of the games ``index``, which are whole deals, from their rows."""

    @abstractmethod
    def _tables(self, matchup: int, index: NDArray[np.int64], log: LogLevel,
                rows: Rows) -> Mapping[str, dict[str, NDArray[Any]]]:
        """The log columns of the games ``index``, which are the first of ``rows``, by table."""

    def warm_up(self, log: LogLevel) -> bool:
        """Compile the kernel, or load it from the cache. True if it had to be compiled."""
        before = compilations(self.kernel)
        if self.matchups:
            self.play(0, 0, 1, log)
        return compilations(self.kernel) > before

    def play(self, matchup: int, first_deal: int, n_deals: int, log: LogLevel) -> Batch:
        """Play all games of ``n_deals`` deals of a matchup from ``first_deal`` on."""
        per_deal = self.games_per_deal(matchup)
        first, left = first_deal * per_deal, n_deals * per_deal
        tally: dict[str, NDArray[np.int64]] = {}
        pieces: dict[str, dict[str, list[NDArray[Any]]]] = {}
        while left:
            # A chunk holds whole deals, so that a deal's games are counted together.
            rows = self._run(matchup, first, min(left, CHUNK - CHUNK % per_deal), log)
            done = len(rows[0]) - len(rows[0]) % per_deal
            index = first + np.arange(done)
            for name, counts in self._tally(matchup, index, rows[0][:done]).items():
                tally[name] = tally[name] + counts if name in tally else counts
            if log != "none":
                for name, columns in self._tables(matchup, index, log, rows).items():
                    for column, values in columns.items():
                        pieces.setdefault(name, {}).setdefault(column, []).append(values)
            first, left = first + done, left - done
        joined = {name: {column: np.concatenate(parts) if len(parts) > 1 else parts[0]
                         for column, parts in columns.items()} for name, columns in pieces.items()}
        return Batch(n_deals * per_deal, joined, tally)

    def _game_id(self, matchup: int, index: NDArray[np.int64]) -> NDArray[np.int64]:
        return index * len(self.matchups) + matchup

    def _seated(self, matchup: int, index: NDArray[np.int64]) -> NDArray[Any]:
        """The policies of games ``index`` by seat (n, players), as codes into ``labels``."""
        refs = self.matchups[matchup]
        codes: NDArray[Any] = np.array([self.labels.index(ref.label) for ref in refs],
                                       dtype=np.int8 if len(self.labels) < 128 else np.int16)
        rotation = index % seatings(refs)
        seated: NDArray[Any] = codes[(np.arange(self.players) + rotation[:, np.newaxis]) % self.players]
        return seated
