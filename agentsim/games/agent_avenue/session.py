"""Playing stretches of a run of the base game: buffers for the kernel, rows to columns, exact tallies."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue import kernel as k
from agentsim.games.agent_avenue.engine import STATE_SIZE
from agentsim.games.agent_avenue.playing import Player, Playing, Rows, make_player, padded_rows, user_functions
from agentsim.games.agent_avenue.policies.exchange import SCRATCH_SIZE
from agentsim.games.agent_avenue.policies.planner import work_space
from agentsim.games.agent_avenue.replay import play_rows
from agentsim.games.agent_avenue.rules import Rules, compile_rules
from agentsim.games.agent_avenue.tables import game_columns, turn_columns
from agentsim.games.agent_avenue.tally import Tally, add_tally, count_game, named_counts, new_counts
from agentsim.games.base import LogLevel, PolicyRef

__all__ = ["Player", "Session", "add_tally", "make_player"]

CHUNK = 1 << 15

_LOGS: dict[LogLevel, int] = {"none": k.LOG_NOTHING, "games": k.LOG_GAMES, "turns": k.LOG_TURNS, "full": k.LOG_TURNS}


class _Buffers(threading.local):
    """What the kernel writes to, one set per thread, grown when needed."""

    def __init__(self) -> None:
        self.games = np.zeros((CHUNK, k.GAME_WIDTH), dtype=np.int16)
        self.finals = np.zeros((CHUNK, 2), dtype=np.int64)
        self.turns = np.zeros((0, k.TURN_WIDTH), dtype=np.int16)
        self.turn_game = np.zeros(0, dtype=np.int64)
        self.hands = np.zeros(0, dtype=np.int64)
        self.state = np.zeros(STATE_SIZE, dtype=np.int64)
        self.scratch = np.zeros(SCRATCH_SIZE, dtype=np.int64)
        self.work = work_space()

    def hold_turns(self, rows: int) -> None:
        if len(self.turns) < rows:
            self.turns = np.zeros((rows, k.TURN_WIDTH), dtype=np.int16)
            self.turn_game, self.hands = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)


class Session(Playing):
    """The base game's rules and matchups made ready to play; see :class:`agentsim.games.base.Session`."""

    def __init__(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> None:
        super().__init__(rules, matchups, seed)
        self.table = compile_rules(rules)
        self._buffers = _Buffers()

    def _new_counts(self) -> NDArray[np.int64]:
        return new_counts()

    def _named_counts(self, counts: NDArray[np.int64], per_deal: int) -> Tally:
        return named_counts(counts, per_deal)

    def _chunk(self, log: LogLevel) -> int:
        return CHUNK

    def _columns(self, matchup: int, index: NDArray[np.int64], log: LogLevel,
                 rows: Rows) -> dict[str, dict[str, NDArray[Any]]]:
        games, finals, turns, turn_game, hands = rows
        game_id = self._game_id(matchup, index)
        tables = {"games": game_columns(self.rules, game_id, matchup, index // self.games_per_deal(matchup),
                                        self._seated(matchup, index), games, finals)}
        if log != "games":
            tables["turns"] = turn_columns(self.rules, log, game_id[turn_game], turns, hands)
        return tables

    def _run(self, matchup: int, first: int, wanted: int, log: LogLevel,
             counts: NDArray[np.int64] | None = None) -> Rows:
        """See :meth:`Playing._run`. Rows: games, finals, turns, turn_game, hands, as the kernel describes them."""
        buffers, per_deal, players = self._buffers, self.games_per_deal(matchup), self._players(matchup)
        counts = new_counts() if counts is None else counts
        if any(player.python is not None for player in players):
            rows = play_rows(self.seed, matchup, first, wanted, per_deal, self.rules, self.table, players)
            _count_rows(counts, rows[0], first, per_deal)
            return rows
        if log in ("turns", "full"):
            buffers.hold_turns(CHUNK * 10 + 4 * self.rules.n_cards)
        offers, takes, _ = user_functions(players) or (None, None, None)
        done, n_rows, offender = k.play_games(
            self.seed, matchup, first, wanted, per_deal, self.table,
            np.array([player.family for player in players], dtype=np.int64), padded_rows(players), offers, takes,
            _LOGS[log], counts, buffers.games, buffers.finals, buffers.turns, buffers.turn_game, buffers.hands,
            buffers.state, buffers.scratch, buffers.work)
        if offender >= 0:
            raise self._illegal(players[offender], matchup, first + done,
                                "an offer of two different names in hand, a discard while discards and deck last, or "
                                "the choice FACE_UP or HIDDEN")
        n_games = 0 if log == "none" else done
        return (buffers.games[:n_games], buffers.finals[:n_games], buffers.turns[:n_rows], buffers.turn_game[:n_rows],
                buffers.hands[:n_rows])

    def _compilations(self) -> int:
        stats = getattr(k.play_games, "stats", None)
        return sum(stats.cache_misses.values()) if stats is not None else 0


def _count_rows(counts: NDArray[np.int64], games: NDArray[np.int16], first: int, per_deal: int) -> None:
    """Count games by their rows."""
    for game, row in enumerate(games.tolist(), start=first):
        seat_of_a = game % per_deal
        count_game(counts, seat_of_a, seat_of_a == per_deal - 1, row[k.G_WINNER], row[k.G_REASON], row[k.G_TIE],
                   row[k.G_ACTIVE], row[k.G_TURNS], row[k.G_DISCARDS], row[k.G_DISCARDS + 1])
