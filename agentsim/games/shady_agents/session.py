"""Playing stretches of a run: buffers for the kernel, rows to columns, exact tallies."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.base import Batch, LogLevel, PolicyRef
from agentsim.games.shady_agents import kernel as k
from agentsim.games.shady_agents.belief import SENSE_SIZE
from agentsim.games.shady_agents.engine import STATE_SIZE
from agentsim.games.shady_agents.policies.dispatch import FAMILIES
from agentsim.games.shady_agents.policies.parameters import policy_row
from agentsim.games.shady_agents.rules import MAX_PLAYERS, Rules
from agentsim.games.shady_agents.table import compile_rules
from agentsim.games.shady_agents.tables import belief_columns, game_columns, move_columns, statement_columns
from agentsim.games.shady_agents.tally import tally_games
from agentsim.games.shady_agents.view import VIEW_SIZE

__all__ = ["Rows", "Session", "games_per_deal", "seatings"]

CHUNK = 1 << 15
"""Games per call of the kernel: enough to forget the call, few enough for the buffers to stay in the cache."""
_LOGS = {"none": k.NOTHING, "games": k.NOTHING, "turns": k.MOVES, "full": k.FULL}
Rows = tuple[NDArray[np.int16], NDArray[np.int64]]
"""Rows of a log with the index of each row's game."""


def seatings(matchup: Sequence[PolicyRef]) -> int:
    """How many different seatings the rotation of a matchup has: 1 for a mirror, the number of players in general."""
    refs = tuple(matchup)
    return next(n for n in range(1, len(refs) + 1) if refs[n:] + refs[:n] == refs)


def games_per_deal(matchup: Sequence[PolicyRef]) -> int:
    """Games of a deal's block: every rotation of the policies in every rotation of the roles.

    So each policy plays each seat, each seat plays each role card of the deal, and the two are not tied.
    """
    return seatings(matchup) * len(matchup)


class _Buffers(threading.local):
    """What the kernel writes to, one set per thread, grown when needed."""

    def __init__(self) -> None:
        self.games = np.zeros((CHUNK, k.GAME_WIDTH), dtype=np.int16)
        self.state = np.zeros(STATE_SIZE, dtype=np.int64)
        self.odds = np.zeros(MAX_PLAYERS * MAX_PLAYERS)
        self.view = np.zeros(VIEW_SIZE, dtype=np.int64)
        self.sense = np.zeros(SENSE_SIZE)
        self.rows = [(np.zeros((0, width), dtype=np.int16), np.zeros(0, dtype=np.int64))
                     for width in (k.MOVE_WIDTH, k.STATEMENT_WIDTH, k.BELIEF_WIDTH)]

    def hold(self, sizes: Sequence[int]) -> None:
        for number, size in enumerate(sizes):
            rows, _ = self.rows[number]
            if len(rows) < size:
                self.rows[number] = (np.zeros((size, rows.shape[1]), dtype=np.int16), np.zeros(size, dtype=np.int64))


class Session:
    """Rules and matchups made ready to play; see :class:`agentsim.games.base.Session`.

    A matchup has one policy per seat. Raises InputError for a matchup of another size.
    """

    def __init__(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> None:
        self.rules, self.seed = rules, np.uint64(seed)
        self.table = compile_rules(rules)
        self.matchups = [tuple(matchup) for matchup in matchups]
        for matchup in self.matchups:
            if len(matchup) != rules.players:
                raise InputError(f"{len(matchup)} policies for {rules.players} players", key="rules.players",
                                 allowed="one policy per seat")
        refs = {ref.label: ref for matchup in self.matchups for ref in matchup}
        self.labels = list(refs)
        self._rows = {label: policy_row(ref.family, ref.params, rules) for label, ref in refs.items()}
        self._buffers = _Buffers()

    def games_per_deal(self, matchup: int) -> int:
        return games_per_deal(self.matchups[matchup])

    def warm_up(self, log: LogLevel) -> bool:
        """Compile the kernel, or load it from the cache. True if it had to be compiled."""
        before = _misses()
        if self.matchups:
            self.play(0, 0, 1, log)
        return _misses() > before

    def play(self, matchup: int, first_deal: int, n_deals: int, log: LogLevel) -> Batch:
        """Play all games of ``n_deals`` deals of a matchup from ``first_deal`` on."""
        per_deal, turns = self.games_per_deal(matchup), seatings(self.matchups[matchup])
        first, left = first_deal * per_deal, n_deals * per_deal
        tally: dict[str, NDArray[np.int64]] = {}
        pieces: dict[str, dict[str, list[NDArray[Any]]]] = {}
        while left:
            # A chunk holds whole deals, so that a deal's games are counted together.
            played = self._run(matchup, first, min(left, CHUNK - CHUNK % per_deal), log)
            done = len(played[0]) - len(played[0]) % per_deal
            for name, counts in tally_games(played[0][:done], turns, self.rules.players).items():
                tally[name] = tally[name] + counts if name in tally else counts
            for name, columns in self._tables(matchup, first, done, log, *played).items():
                for column, values in columns.items():
                    pieces.setdefault(name, {}).setdefault(column, []).append(values)
            first, left = first + done, left - done
        joined = {name: {column: np.concatenate(parts) if len(parts) > 1 else parts[0]
                         for column, parts in columns.items()} for name, columns in pieces.items()}
        return Batch(n_deals * per_deal, joined, tally)

    def _tables(self, matchup: int, first: int, done: int, log: LogLevel, games: NDArray[np.int16], moves: Rows,
                statements: Rows, beliefs: Rows) -> dict[str, dict[str, NDArray[Any]]]:
        if log == "none":
            return {}
        per_deal, index = self.games_per_deal(matchup), first + np.arange(done)
        game_id = index * len(self.matchups) + matchup
        tables = {"games": game_columns(self.rules, game_id, matchup, index // per_deal, self._seated(matchup, index),
                                        games[:done])}
        if log in ("turns", "full"):
            tables["moves"] = move_columns(self.rules, *_of_games(moves, game_id), log)
            tables["statements"] = statement_columns(*_of_games(statements, game_id))
        if log == "full":
            tables["beliefs"] = belief_columns(*_of_games(beliefs, game_id))
        return tables

    def _seated(self, matchup: int, index: NDArray[np.int64]) -> NDArray[Any]:
        codes: NDArray[Any] = np.array([self.labels.index(ref.label) for ref in self.matchups[matchup]],
                                       dtype=np.int8 if len(self.labels) < 128 else np.int16)
        rotation = index % seatings(self.matchups[matchup])
        seated: NDArray[Any] = codes[(np.arange(self.rules.players) + rotation[:, np.newaxis]) % self.rules.players]
        return seated

    def _run(self, matchup: int, first: int, wanted: int, log: LogLevel) -> tuple[NDArray[np.int16], Rows, Rows, Rows]:
        """Play up to ``wanted`` games from game ``first`` on; fewer, but a deal at least, if a buffer is full."""
        buffers, refs, level = self._buffers, self.matchups[matchup], _LOGS[log]
        n = self.rules.players
        if level != k.NOTHING:
            # Each holds what the games of a deal (100 at most) can bring, and in the main many more.
            few = CHUNK // 4
            buffers.hold((few * (2 * n + 1), few * 2 * n, few // 2 * n * n if level == k.FULL else 0))
        families = np.array([FAMILIES[ref.family] for ref in refs], dtype=np.int64)
        rows = np.stack([self._rows[ref.label] for ref in refs])
        (moves, move_game), (statements, statement_game), (beliefs, belief_game) = buffers.rows
        done, n_moves, n_statements, n_beliefs = k.play_games(
            self.seed, matchup, first, min(wanted, CHUNK), seatings(refs), self.table, families, rows, level,
            buffers.games, moves, move_game, statements, statement_game, beliefs, belief_game, buffers.state,
            buffers.odds, buffers.view, buffers.sense)
        # Copies, because the next call writes to the same buffers.
        return (buffers.games[:done].copy(), (moves[:n_moves].copy(), move_game[:n_moves].copy()),
                (statements[:n_statements].copy(), statement_game[:n_statements].copy()),
                (beliefs[:n_beliefs].copy(), belief_game[:n_beliefs].copy()))


def _of_games(rows: Rows, game_id: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """The rows of whole deals with their games' ids."""
    count = int(np.searchsorted(rows[1], len(game_id)))
    return game_id[rows[1][:count]], rows[0][:count]


def _misses() -> int:
    """How often a compiled kernel was not in the cache, so far."""
    if not hasattr(k.play_games, "stats"):
        return 0
    return int(sum(k.play_games.stats.cache_misses.values()))
