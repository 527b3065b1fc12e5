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
from agentsim.games.agent_avenue.engine import END_REASONS, STATE_SIZE
from agentsim.games.agent_avenue.policies import dispatch
from agentsim.games.agent_avenue.policies.exchange import SCRATCH_SIZE
from agentsim.games.agent_avenue.policies.parameters import ROW_SIZE, planner_row
from agentsim.games.agent_avenue.policies.planner import WORK_SIZE
from agentsim.games.agent_avenue.rules import Rules, compile_rules
from agentsim.games.agent_avenue.replay import play_rows
from agentsim.games.agent_avenue.tables import game_columns, turn_columns
from agentsim.games.base import Batch, LogLevel, PolicyRef

__all__ = ["Player", "Session", "TURN_BINS", "make_player", "tally_games"]

CHUNK = 1 << 15
"""Games per call of the kernel: enough to forget the call, few enough for the buffers to stay in the cache."""
TURN_BINS = 128

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
    """Make a policy ready for a set of rules. Raises InputError if a user's file has changed since the run was planned."""
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
        self.work = np.zeros(WORK_SIZE)

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
        before = sum(k.play_games.stats.cache_misses.values()) if hasattr(k.play_games, "stats") else 0
        if self.matchups:
            self._run(0, 0, 1, log)
        after = sum(k.play_games.stats.cache_misses.values()) if hasattr(k.play_games, "stats") else 0
        return bool(after > before)

    def play(self, matchup: int, first_deal: int, n_deals: int, log: LogLevel) -> Batch:
        """Play all games of ``n_deals`` deals of a matchup from ``first_deal`` on."""
        per_deal = self.games_per_deal(matchup)
        first, left = first_deal * per_deal, n_deals * per_deal
        tally: dict[str, NDArray[np.int64]] = {}
        pieces: dict[str, dict[str, list[NDArray[Any]]]] = {}
        while left:
            # A chunk holds whole deals, so that a deal's games are counted together.
            wanted = min(left, CHUNK)
            games, finals, turns, turn_game, hands = self._run(matchup, first, wanted, log)
            done = len(games) - len(games) % per_deal
            index = first + np.arange(done)
            add_tally(tally, tally_games(games[:done], index, per_deal))
            if log != "none":
                game_id = index * len(self.matchups) + matchup
                tables = {"games": game_columns(self.rules, game_id, matchup, index // per_deal,
                                                self._seated(matchup, index, per_deal), games[:done], finals[:done])}
                if log != "games":
                    rows = int(np.searchsorted(turn_game, done))
                    tables["turns"] = turn_columns(self.rules, log, game_id[turn_game[:rows]], turns[:rows], hands[:rows])
                for name, columns in tables.items():
                    for column, values in columns.items():
                        pieces.setdefault(name, {}).setdefault(column, []).append(values)
            first, left = first + done, left - done
        joined = {name: {column: np.concatenate(parts) if len(parts) > 1 else parts[0]
                         for column, parts in columns.items()} for name, columns in pieces.items()}
        return Batch(n_deals * per_deal, joined, tally)

    def _seated(self, matchup: int, index: NDArray[np.int64], per_deal: int) -> tuple[NDArray[Any], NDArray[Any]]:
        a, b = (self.labels.index(ref.label) for ref in self.matchups[matchup])
        swapped = index % 2 == 1 if per_deal == 2 else np.zeros(len(index), dtype=bool)
        kind = np.int8 if len(self.labels) < 128 else np.int16
        return np.where(swapped, b, a).astype(kind), np.where(swapped, a, b).astype(kind)

    def _run(self, matchup: int, first: int, wanted: int, log: LogLevel) -> tuple[NDArray[Any], ...]:
        """Play up to ``wanted`` games from game ``first`` on; fewer, but at least one deal, if the turn buffer fills."""
        buffers, per_deal = self._buffers, self.games_per_deal(matchup)
        players = [self.players[ref.label] for ref in self.matchups[matchup]]
        log_turns = log in ("turns", "full")
        if log_turns:
            buffers.hold_turns(CHUNK * 10 + 4 * self.rules.n_cards)
        if any(player.python is not None for player in players):
            return play_rows(self.seed, matchup, first, min(wanted, 1024), per_deal, self.rules, self.table, players)
        done, rows, offender = k.play_games(
            self.seed, matchup, first, wanted, per_deal, self.table,
            np.array([player.family for player in players], dtype=np.int64),
            np.stack([player.row for player in players]) if len({len(p.row) for p in players}) == 1 else _padded(players),
            tuple(player.offer for player in players), tuple(player.take for player in players), log_turns,
            buffers.games, buffers.finals, buffers.turns, buffers.turn_game, buffers.hands,
            buffers.state, buffers.scratch, buffers.work)
        if offender >= 0:
            raise InputError(f"policy '{players[offender].ref.label}' made an illegal move in game {first + done} of "
                             f"matchup {matchup}", key="policies",
                             allowed="an offer of two different names in hand, or a discard while discards and deck last")
        return (buffers.games[:done], buffers.finals[:done], buffers.turns[:rows], buffers.turn_game[:rows],
                buffers.hands[:rows])


def _padded(players: Sequence[Player]) -> NDArray[np.float64]:
    rows = np.zeros((len(players), max(len(player.row) for player in players)))
    for row, player in zip(rows, players, strict=True):
        row[:len(player.row)] = player.row
    return rows


def add_tally(total: dict[str, NDArray[np.int64]], part: dict[str, NDArray[np.int64]]) -> None:
    """Add the counters of ``part`` to ``total`` in place."""
    for name, counts in part.items():
        total[name] = total[name] + counts if name in total else counts


def tally_games(games: NDArray[np.int16], index: NDArray[np.int64], per_deal: int) -> dict[str, NDArray[np.int64]]:
    """Exact counters of whole deals: ``games`` are kernel rows, ``index`` the games' numbers in their matchup.

    Half-points: 2 for a win, 1 for a draw. ``a`` is the matchup's first policy.
    """
    winner = games[:, k.G_WINNER]
    seat0 = np.where(winner < 0, 1, np.where(winner == 0, 2, 0))
    a_seat = index % 2 if per_deal == 2 else np.zeros(len(index), dtype=np.int64)
    score_a = np.where(a_seat == 0, seat0, 2 - seat0)
    bins = 2 * per_deal + 1
    tie = games[:, k.G_TIE] != 0
    return {
        "seat0": np.bincount(2 - seat0, minlength=3),
        "deal_score_a": np.bincount(score_a.reshape(-1, per_deal).sum(axis=1), minlength=bins),
        "deal_score_seat0": np.bincount(seat0.reshape(-1, per_deal).sum(axis=1), minlength=bins),
        "a_by_seat": np.bincount(3 * a_seat + 2 - score_a, minlength=6).reshape(2, 3),
        "end_reason": np.bincount(games[:, k.G_REASON], minlength=len(END_REASONS)),
        "tie": np.bincount(games[tie, k.G_ACTIVE], minlength=2),
        "turns": np.bincount(games[:, k.G_TURNS], minlength=TURN_BINS),
        "discards": games[:, k.G_DISCARDS:k.G_DISCARDS + 2].sum(axis=0, dtype=np.int64),
    }
