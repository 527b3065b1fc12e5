"""Playing stretches of a run in any mode: buffers for the kernel, rows to columns, exact tallies."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue import blocks
from agentsim.games.agent_avenue.kernel import LOG_GAMES, LOG_NOTHING, LOG_TURNS
from agentsim.games.agent_avenue.modes import kernel as k
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.compile import compile_mode
from agentsim.games.agent_avenue.modes.picks import named_picks
from agentsim.games.agent_avenue.modes.policies.minds import compilations, minds_for
from agentsim.games.agent_avenue.modes.policies.space import mode_scratch_space, mode_work_space
from agentsim.games.agent_avenue.modes.replay import Counts, play_rows
from agentsim.games.agent_avenue.modes.tables import event_columns, game_columns, turn_columns
from agentsim.games.agent_avenue.modes.tally import named_counts
from agentsim.games.agent_avenue.modes.trials import forced_tally, forks_tally
from agentsim.games.agent_avenue.playing import Playing, Rows, padded_rows, user_functions
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.tally import Tally
from agentsim.games.base import LogLevel, PolicyRef

__all__ = ["ModeSession", "mode_tables"]

CHUNK, TURN_CHUNK = 1 << 15, 1 << 13

_LOGS: dict[LogLevel, int] = {"none": LOG_NOTHING, "games": LOG_GAMES, "turns": LOG_TURNS, "full": LOG_TURNS}


def mode_tables(rules: Rules) -> NDArray[np.int64]:
    """The compiled rules, (1 or 2, MODE_TABLE): two for one player against a team in both roles."""
    lones = (-1,) if rules.players != 3 else (0, 1) if rules.lone == "both" else (int(rules.lone),)
    return np.stack([compile_mode(rules, lone) for lone in lones])


class _Buffers(threading.local):
    """What the kernel writes to, one set per thread, grown when needed."""

    def __init__(self) -> None:
        self.games = np.zeros((CHUNK, k.GAME_WIDTH), dtype=np.int16)
        self.finals = np.zeros((CHUNK, 2), dtype=np.int64)
        self.turns = np.zeros((0, k.TURN_WIDTH), dtype=np.int32)
        self.turn_game, self.hands = np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)
        self.events = np.zeros((0, k.EVENT_WIDTH), dtype=np.int32)
        self.event_game = np.zeros(0, dtype=np.int64)
        self.state, self.picks = np.zeros(x.MODE_STATE, dtype=np.int64), np.zeros(64, dtype=np.int64)
        self.scratch, self.work = mode_scratch_space(), mode_work_space()

    def hold(self, turns: int, events: int) -> None:
        if len(self.turns) < turns:
            self.turns = np.zeros((turns, k.TURN_WIDTH), dtype=np.int32)
            self.turn_game, self.hands = np.zeros(turns, dtype=np.int64), np.zeros((turns, 2), dtype=np.int64)
        if len(self.events) < events:
            self.events = np.zeros((events, k.EVENT_WIDTH), dtype=np.int32)
            self.event_game = np.zeros(events, dtype=np.int64)


class ModeSession(Playing):
    """Rules of any mode and matchups made ready to play; see :class:`agentsim.games.base.Session`.

    The tally has the base game's counters (``end_reason`` has an entry per ``rules.end_reasons``), ``lone`` [2, 3] for
    one player against a team, and with a Black Market what ``picks.named_picks`` names.
    """

    def __init__(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> None:
        super().__init__(rules, matchups, seed)
        self.tables = mode_tables(rules)
        self._buffers = _Buffers()

    def forks(self, matchup: int, first_deal: int, n_deals: int) -> Tally:
        """Continue every game of these deals twice from its first pick; see :func:`..trials.forks_tally`."""
        return forks_tally(self.rules, self.tables, self._players(matchup), self.seed, matchup, first_deal, n_deals,
                           self.games_per_deal(matchup))

    def forced(self, card: int, matchup: int, first_deal: int, n_deals: int) -> Tally:
        """Play these deals with side 0 owning a card from the start; see :func:`..trials.forced_tally`."""
        return forced_tally(self.rules, self.tables, self._players(matchup), self.seed, card, matchup, first_deal,
                            n_deals, self.games_per_deal(matchup))

    def _new_counts(self) -> Counts:
        return Counts.of_nothing(self.rules)

    def _named_counts(self, counts: Counts, per_deal: int) -> Tally:
        found = named_counts(counts.games, per_deal, len(self.rules.end_reasons), self.rules.players == 3)
        if self.rules.advanced:
            found |= named_picks(counts.cards, self.rules.supply)
        return found

    def _chunk(self, log: LogLevel) -> int:
        return CHUNK if log == "games" else TURN_CHUNK

    def _columns(self, matchup: int, index: NDArray[np.int64], log: LogLevel,
                 rows: Rows) -> dict[str, dict[str, NDArray[Any]]]:
        games, finals, turns, turn_game, hands, events, event_game = rows
        game_id = self._game_id(matchup, index)
        tables = {"games": game_columns(self.rules, game_id, matchup, index // self.games_per_deal(matchup),
                                        self._seated(matchup, index), games, finals)}
        if log != "games":
            lone = games[turn_game, k.G_LONE]
            tables["turns"] = turn_columns(self.rules, log, game_id[turn_game], lone, turns, hands)
            if self.rules.advanced:
                tables["market"] = event_columns(self.rules, game_id[event_game], events)
        return tables

    def _run(self, matchup: int, first: int, wanted: int, log: LogLevel, counts: Counts | None = None) -> Rows:
        """See :meth:`Playing._run`. Rows: games, finals, turns, turn_game, turn_hands, events, event_game."""
        buffers, per_deal, players = self._buffers, self.games_per_deal(matchup), self._players(matchup)
        counts = self._new_counts() if counts is None else counts
        if any(player.python is not None for player in players):
            return play_rows(self.seed, matchup, first, wanted, per_deal, self.rules, players, counts)
        if log in ("turns", "full"):
            most_turns = (self.rules.n_cards + int(self.tables[0, x.RETURNS])) // 2 + 1
            buffers.hold(TURN_CHUNK * 10 + 4 * most_turns,
                         (TURN_CHUNK * 4 if self.rules.advanced else 0) + 4 * len(self.rules.pile))
        done, n_rows, n_events, offender = k.play_modes(
            self.seed, matchup, first, wanted, per_deal // blocks.roles_per_deal(self.rules), self.tables,
            np.array([player.family for player in players], dtype=np.int64), padded_rows(players),
            minds_for([player.family for player in players]), user_functions(players), _LOGS[log], -1, counts.games,
            counts.cards, buffers.games, buffers.finals, buffers.turns, buffers.turn_game, buffers.hands,
            buffers.events, buffers.event_game, buffers.state, buffers.picks, buffers.scratch, buffers.work)
        if offender >= 0:
            raise self._illegal(players[offender], matchup, first + done,
                                "an answer of those that the question allows (see the module modes.layout)")
        n_games = 0 if log == "none" else done
        return (buffers.games[:n_games], buffers.finals[:n_games], buffers.turns[:n_rows], buffers.turn_game[:n_rows],
                buffers.hands[:n_rows], buffers.events[:n_events], buffers.event_game[:n_events])

    def _compilations(self) -> int:
        stats = getattr(k.play_modes, "stats", None)
        return compilations() + (sum(stats.cache_misses.values()) if stats is not None else 0)
