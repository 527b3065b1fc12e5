"""Playing stretches of a run: buffers for the kernel, rows to columns, exact tallies."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue import kernel as k
from agentsim.games.agent_avenue import user
from agentsim.games.agent_avenue.engine import STATE_SIZE
from agentsim.games.agent_avenue.policies import dispatch
from agentsim.games.agent_avenue.policies.exchange import SCRATCH_SIZE
from agentsim.games.agent_avenue.policies.parameters import ROW_SIZE, planner_row
from agentsim.games.agent_avenue.policies.planner import work_space
from agentsim.games.agent_avenue.replay import play_rows
from agentsim.games.agent_avenue.rules import Rules, compile_rules
from agentsim.games.agent_avenue.tables import game_columns, turn_columns
from agentsim.games.agent_avenue.tally import add_tally, count_game, named_counts, new_counts
from agentsim.games.base import Batch, LogLevel, PolicyRef

__all__ = ["Player", "Session", "add_tally", "make_player"]

CHUNK = 1 << 15
"""Games per call of the kernel when rows are kept: enough to forget the call, few enough for small buffers."""
SLOW_CHUNK = 1024
"""Games at a time with a policy in Python, whose rows are kept as Python objects."""

_LOGS: dict[LogLevel, int] = {"none": k.LOG_NOTHING, "games": k.LOG_GAMES, "turns": k.LOG_TURNS, "full": k.LOG_TURNS}
_FAMILIES = {"random": dispatch.FAMILY_RANDOM, "random_discards": dispatch.FAMILY_RANDOM_DISCARDS,
             "greedy": dispatch.FAMILY_GREEDY, "minmax": dispatch.FAMILY_MINMAX, "planner": dispatch.FAMILY_PLANNER,
             "user": dispatch.FAMILY_USER}


@user.jit_offer
def _no_offer(view: Any, table: Any, params: Any, key: Any) -> int:
    return -1


@user.jit_take
def _no_take(view: Any, table: Any, params: Any, key: Any) -> int:
    return 0


@dataclass(frozen=True)
class Player:
    """A policy made ready: its family's number, its parameter row and, for user policies, its code.

    ``python`` is an object with Python methods instead, which has to be stepped.
    """

    ref: PolicyRef
    family: int
    row: NDArray[np.float64]
    offer: Any = _no_offer
    take: Any = _no_take
    python: Any = None


def make_player(ref: PolicyRef, rules: Rules) -> Player:
    """Make a policy ready for a set of rules.

    Raises InputError if a user's file has changed since the run was planned.
    """
    row = np.zeros(ROW_SIZE)
    if ref.family == "planner":
        row = planner_row(ref.params, rules)
    elif ref.family == "minmax":
        row[0] = rules.names.index("sentinel") if "sentinel" in rules.names else -1
    elif ref.family == "user":
        path, _, name = ref.source.rpartition(":")
        found = user.load(path, name)
        if user.file_digest(path) != ref.digest:
            raise InputError(f"the policy file {path} is not the one that this run was planned with", key="policies")
        if not isinstance(found, user.UserPolicy):
            return Player(ref, _FAMILIES["user"], row, python=found)
        row = np.zeros(max(ROW_SIZE, len(ref.params)))
        row[:len(ref.params)] = list(ref.params.values())
        return Player(ref, _FAMILIES["user"], row, found.offer, found.take)
    return Player(ref, _FAMILIES[ref.family], row)


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


class Session:
    """Rules and matchups made ready to play; see :class:`agentsim.games.base.Session`."""

    def __init__(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> None:
        self.rules, self.seed = rules, np.uint64(seed)
        self.table = compile_rules(rules)
        self.matchups = [tuple(matchup) for matchup in matchups]
        refs = {ref.label: ref for matchup in self.matchups for ref in matchup}
        self.labels = list(refs)
        self.players = {label: make_player(ref, rules) for label, ref in refs.items()}
        self._buffers = _Buffers()

    def games_per_deal(self, matchup: int) -> int:
        first, second = self.matchups[matchup]
        return 1 if first == second else 2

    def warm_up(self, log: LogLevel) -> bool:
        """Compile the kernel, or load it from the cache. True if it had to be compiled."""
        before = _compilations()
        # Matchups with policies written by users have a kernel of their own.
        kinds = {_user_functions(players) is None: matchup
                 for matchup, players in enumerate(map(self._players, range(len(self.matchups))))}
        for matchup in kinds.values():
            self._run(matchup, 0, 1, log, new_counts())
        return _compilations() > before

    def play(self, matchup: int, first_deal: int, n_deals: int, log: LogLevel) -> Batch:
        """Play all games of ``n_deals`` deals of a matchup from ``first_deal`` on."""
        per_deal = self.games_per_deal(matchup)
        first, left = first_deal * per_deal, n_deals * per_deal
        slow = any(player.python is not None for player in self._players(matchup))
        counts = new_counts()
        pieces: dict[str, dict[str, list[NDArray[Any]]]] = {}
        while left:
            # A chunk holds whole deals; without rows to hold there is no need to cut, but steps in Python leave rows.
            chunk = SLOW_CHUNK if slow else CHUNK
            wanted = left if log == "none" and not slow else min(left, max(chunk - chunk % per_deal, per_deal))
            games, finals, turns, turn_game, hands = self._run(matchup, first, wanted, log, counts)
            done = wanted if log == "none" else len(games)
            if log != "none":
                index = first + np.arange(done)
                game_id = index * len(self.matchups) + matchup
                tables = {"games": game_columns(self.rules, game_id, matchup, index // per_deal,
                                                self._seated(matchup, index, per_deal), games, finals)}
                if log != "games":
                    tables["turns"] = turn_columns(self.rules, log, game_id[turn_game], turns, hands)
                for name, columns in tables.items():
                    for column, values in columns.items():
                        pieces.setdefault(name, {}).setdefault(column, []).append(values)
            first, left = first + done, left - done
        joined = {name: {column: np.concatenate(parts) if len(parts) > 1 else parts[0]
                         for column, parts in columns.items()} for name, columns in pieces.items()}
        return Batch(n_deals * per_deal, joined, named_counts(counts, per_deal))

    def _players(self, matchup: int) -> list[Player]:
        return [self.players[ref.label] for ref in self.matchups[matchup]]

    def _seated(self, matchup: int, index: NDArray[np.int64], per_deal: int) -> tuple[NDArray[Any], NDArray[Any]]:
        a, b = (self.labels.index(ref.label) for ref in self.matchups[matchup])
        swapped = index % 2 == 1 if per_deal == 2 else np.zeros(len(index), dtype=bool)
        kind = np.int8 if len(self.labels) < 128 else np.int16
        return np.where(swapped, b, a).astype(kind), np.where(swapped, a, b).astype(kind)

    def _run(self, matchup: int, first: int, wanted: int, log: LogLevel,
             counts: NDArray[np.int64] | None = None) -> tuple[NDArray[Any], ...]:
        """Play ``wanted`` games from game ``first`` on and add them to ``counts``; fewer if the turn buffer fills.

        Returns the rows that ``log`` asks for: games, finals, turns, turn_game, hands, as the kernel describes them.
        The next call overwrites them.
        """
        buffers, per_deal, players = self._buffers, self.games_per_deal(matchup), self._players(matchup)
        counts = new_counts() if counts is None else counts
        if any(player.python is not None for player in players):
            rows = play_rows(self.seed, matchup, first, wanted, per_deal, self.rules, self.table, players)
            _count_rows(counts, rows[0], first, per_deal)
            return rows
        if log in ("turns", "full"):
            buffers.hold_turns(CHUNK * 10 + 4 * self.rules.n_cards)
        width = max(len(player.row) for player in players)
        done, n_rows, offender = k.play_games(
            self.seed, matchup, first, wanted, per_deal, self.table,
            np.array([player.family for player in players], dtype=np.int64),
            np.stack([np.pad(player.row, (0, width - len(player.row))) for player in players]),
            *(_user_functions(players) or (None, None)), _LOGS[log], counts,
            buffers.games, buffers.finals, buffers.turns, buffers.turn_game, buffers.hands,
            buffers.state, buffers.scratch, buffers.work)
        if offender >= 0:
            raise InputError(f"policy '{players[offender].ref.label}' made an illegal move in game {first + done} of "
                             f"matchup {matchup}", key="policies",
                             allowed="an offer of two different names in hand, a discard while discards and deck "
                             "last, or the choice FACE_UP or HIDDEN")
        n_games = 0 if log == "none" else done
        return (buffers.games[:n_games], buffers.finals[:n_games], buffers.turns[:n_rows], buffers.turn_game[:n_rows],
                buffers.hands[:n_rows])


def _user_functions(players: Sequence[Player]) -> tuple[Any, Any] | None:
    """The players' compiled functions, offers and choices; None if all are built in."""
    if all(player.family != dispatch.FAMILY_USER for player in players):
        return None
    return tuple(player.offer for player in players), tuple(player.take for player in players)


def _count_rows(counts: NDArray[np.int64], games: NDArray[np.int16], first: int, per_deal: int) -> None:
    """Count games by their rows."""
    for game, row in enumerate(games.tolist(), start=first):
        seat_of_a = game % per_deal
        count_game(counts, seat_of_a, seat_of_a == per_deal - 1, row[k.G_WINNER], row[k.G_REASON], row[k.G_TIE],
                   row[k.G_ACTIVE], row[k.G_TURNS], row[k.G_DISCARDS], row[k.G_DISCARDS + 1])


def _compilations() -> int:
    """How often the kernel was compiled in this process rather than loaded."""
    stats = getattr(k.play_games, "stats", None)
    return sum(stats.cache_misses.values()) if stats is not None else 0
