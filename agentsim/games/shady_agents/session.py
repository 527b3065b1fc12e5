"""Playing stretches of a run of Shady Agents: buffers for the kernel, rows to columns, exact tallies."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.base import LogLevel, PolicyRef
from agentsim.games.sessions import CHUNK, ShareSession, seatings
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

_LOGS = {"none": k.NOTHING, "games": k.NOTHING, "turns": k.MOVES, "full": k.FULL}
Rows = tuple[NDArray[np.int16], NDArray[np.int64]]
"""Rows of a log with the index of each row's game."""


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


class Session(ShareSession):
    """Shady Agents' rules and matchups made ready to play; :func:`games_per_deal` says what a deal's block is."""

    kernel = k.play_games

    def __init__(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> None:
        super().__init__(rules.players, matchups, seed)
        self.rules, self.table = rules, compile_rules(rules)
        self._rows = {label: policy_row(ref.family, ref.params, rules) for label, ref in self.refs.items()}
        self._buffers = _Buffers()

    def games_per_deal(self, matchup: int) -> int:
        return games_per_deal(self.matchups[matchup])

    def _tally(self, matchup: int, index: NDArray[np.int64], games: NDArray[Any]) -> dict[str, NDArray[np.int64]]:
        return tally_games(games, seatings(self.matchups[matchup]), self.players)

    def _tables(self, matchup: int, index: NDArray[np.int64], log: LogLevel,
                rows: tuple[Any, ...]) -> dict[str, dict[str, NDArray[Any]]]:
        games, moves, statements, beliefs = rows
        game_id = self._game_id(matchup, index)
        tables = {"games": game_columns(self.rules, game_id, matchup, index // self.games_per_deal(matchup),
                                        self._seated(matchup, index), games[:len(index)])}
        if log in ("turns", "full"):
            tables["moves"] = move_columns(self.rules, *_of_games(moves, game_id), log)
            tables["statements"] = statement_columns(*_of_games(statements, game_id))
        if log == "full":
            tables["beliefs"] = belief_columns(*_of_games(beliefs, game_id))
        return tables

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
