"""Playing stretches of a run of ARGH: buffers for the kernel, rows to columns, exact tallies."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError, nearest
from agentsim.games.argh import kernel as k
from agentsim.games.argh.engine import END_REASONS, STATE_SIZE
from agentsim.games.argh.forks import FORK_COLUMNS, FORK_KINDS, play_forks
from agentsim.games.argh.policies.dispatch import FAMILIES
from agentsim.games.argh.policies.parameters import ROW_SIZE, SCRATCH_SIZE, WORK_SIZE, policy_row
from agentsim.games.argh.rules import Rules
from agentsim.games.argh.table import compile_rules
from agentsim.games.argh.tables import game_columns, turn_columns
from agentsim.games.base import LogLevel, PolicyRef
from agentsim.games.sessions import CHUNK, ShareSession, seatings

__all__ = ["TURN_BINS", "Session", "tally_games"]

TURN_BINS = 128


class _Buffers(threading.local):
    """What the kernel writes to, one set per thread, grown when needed."""

    def __init__(self) -> None:
        self.games = np.zeros((CHUNK, k.GAME_WIDTH), dtype=np.int16)
        self.turns = np.zeros((0, k.TURN_WIDTH), dtype=np.int16)
        self.turn_game = np.zeros(0, dtype=np.int64)
        self.state = np.zeros(STATE_SIZE, dtype=np.int64)
        self.other = np.zeros(STATE_SIZE, dtype=np.int64)
        self.scratch = np.zeros(SCRATCH_SIZE, dtype=np.int64)
        self.work = np.zeros(WORK_SIZE)

    def hold_turns(self, rows: int) -> None:
        if len(self.turns) < rows:
            self.turns = np.zeros((rows, k.TURN_WIDTH), dtype=np.int16)
            self.turn_game = np.zeros(rows, dtype=np.int64)


class Session(ShareSession):
    """ARGH's rules and matchups made ready to play. A deal is played once in each seating of its matchup."""

    kernel = k.play_games

    def __init__(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> None:
        super().__init__(rules.players, matchups, seed)
        self.rules, self.table = rules, compile_rules(rules)
        self._rows = {label: policy_row(ref.family, ref.params, rules) for label, ref in self.refs.items()}
        self._buffers = _Buffers()

    def games_per_deal(self, matchup: int) -> int:
        return seatings(self.matchups[matchup])

    def forks(self, kind: str, matchup: int, first_deal: int, n_deals: int, *, horizon: int,
              slot: int | None = None) -> NDArray[np.int64]:
        """Fork ``n_deals`` deals of a matchup from ``first_deal`` on: see :mod:`agentsim.games.argh.forks`.

        Parameters
        ----------
        kind : ``chance``, ``offer`` or ``steal``.
        horizon : the turn of a deal's fork is uniform in ``0 .. horizon - 1``.
        slot : only forks in which this policy of the matchup is asked (kind ``steal``: has the turn); default any.

        Returns one row per fork, at most one per deal, with the columns ``FORK_COLUMNS``. Deal ``d`` is played in the
        seating ``d`` modulo their number. Raises InputError for an unknown kind or a horizon below 1.
        """
        if kind not in FORK_KINDS:
            raise InputError(f"unknown kind of fork '{kind}'", key="kind", allowed=", ".join(FORK_KINDS),
                             nearest=nearest(kind, FORK_KINDS))
        if horizon < 1:
            raise InputError(f"must be a whole number from 1, got {horizon}", key="horizon")
        refs, space = self.matchups[matchup], self._buffers
        families = np.array([FAMILIES[ref.family] for ref in refs], dtype=np.int64)
        rows = np.stack([self._rows[ref.label] for ref in refs])
        found = np.zeros((n_deals, len(FORK_COLUMNS)), dtype=np.int64)
        written = play_forks(self.seed, matchup, first_deal, n_deals, self.games_per_deal(matchup),
                             FORK_KINDS.index(kind), -1 if slot is None else slot, horizon, self.table, families, rows,
                             found, space.state, space.other, space.scratch, space.work)
        return found[:written]

    def _tally(self, matchup: int, index: NDArray[np.int64], games: NDArray[Any]) -> dict[str, NDArray[np.int64]]:
        return tally_games(games, index, self.games_per_deal(matchup), self.players)

    def _tables(self, matchup: int, index: NDArray[np.int64], log: LogLevel,
                rows: tuple[Any, ...]) -> dict[str, dict[str, NDArray[Any]]]:
        games, turns, turn_game = rows
        game_id, done = self._game_id(matchup, index), len(index)
        tables = {"games": game_columns(self.rules, game_id, matchup, index // self.games_per_deal(matchup),
                                        self._seated(matchup, index), games[:done])}
        if log != "games":
            count = int(np.searchsorted(turn_game, done))
            tables["turns"] = turn_columns(game_id[turn_game[:count]], turns[:count])
        return tables

    def _run(self, matchup: int, first: int, wanted: int, log: LogLevel) -> tuple[NDArray[Any], ...]:
        """Play up to ``wanted`` games from game ``first`` on; fewer, but a deal at least, if the buffer fills."""
        buffers, refs = self._buffers, self.matchups[matchup]
        log_turns = log in ("turns", "full")
        if log_turns:
            buffers.hold_turns(CHUNK * 20 + 4 * (2 * len(self.rules.cards) + 4))
        families = np.array([FAMILIES[ref.family] for ref in refs], dtype=np.int64)
        rows = np.stack([self._rows[ref.label] for ref in refs])
        assert rows.shape == (self.rules.players, ROW_SIZE)
        done, written = k.play_games(
            self.seed, matchup, first, wanted, self.games_per_deal(matchup), self.table, families, rows, log_turns,
            buffers.games, buffers.turns, buffers.turn_game, buffers.state, buffers.scratch, buffers.work)
        # Copies, because the next call writes to the same buffers.
        return buffers.games[:done].copy(), buffers.turns[:written].copy(), buffers.turn_game[:written].copy()


def tally_games(games: NDArray[np.int16], index: NDArray[np.int64], per_deal: int,
                players: int) -> dict[str, NDArray[np.int64]]:
    """Exact counters of whole deals: ``games`` are kernel rows, ``index`` the games' numbers in their matchup.

    Win shares are in twelfths. *Slot* ``i`` is the matchup's i-th policy, wherever it sits. A deal's score of a slot is
    the sum over the deal's games; sums and products of these scores over deals give every mean with its exact
    block variance, and every difference between slots with its own.

    ``seat_share`` (players,), ``seat_wins`` (players, 13): games by seat and share; ``slot_share`` (players,) and
    ``slot_products`` (players, players): sums over deals of a slot's deal score and of products of two;
    ``seat_products`` the same by seat; ``slot_by_seat`` (players, players): share of a slot in a seat; ``end_reason``,
    ``turns`` (TURN_BINS,): games by reason and by number of turns; ``out`` (players,): games in which a seat had an odd
    number of spies at the end; ``points``, ``points_squared`` (players,): sums by seat.
    """
    shares = games[:, k.G_SHARE:k.G_SHARE + players].astype(np.int64)
    points = games[:, k.G_POINTS:k.G_POINTS + players].astype(np.int64)
    rotation = index % per_deal
    slots = (np.arange(players) + rotation[:, np.newaxis]) % players
    by_slot = np.zeros_like(shares)
    np.put_along_axis(by_slot, slots, shares, axis=1)
    slot_deal = by_slot.reshape(-1, per_deal, players).sum(axis=1)
    seat_deal = shares.reshape(-1, per_deal, players).sum(axis=1)
    slot_by_seat = np.zeros((players, players), dtype=np.int64)
    for r in range(per_deal):
        for seat in range(players):
            slot_by_seat[(seat + r) % players, seat] += shares[rotation == r, seat].sum()
    return {
        "seat_share": shares.sum(axis=0),
        "seat_wins": np.stack([np.bincount(shares[:, seat], minlength=13) for seat in range(players)]),
        "slot_share": slot_deal.sum(axis=0), "slot_products": slot_deal.T @ slot_deal,
        "seat_products": seat_deal.T @ seat_deal, "slot_by_seat": slot_by_seat,
        "end_reason": np.bincount(games[:, k.G_REASON], minlength=len(END_REASONS)),
        "turns": np.bincount(games[:, k.G_TURNS], minlength=TURN_BINS),
        "out": (games[:, k.G_EVEN:k.G_EVEN + players] == 0).sum(axis=0),
        "points": points.sum(axis=0), "points_squared": (points * points).sum(axis=0),
    }
