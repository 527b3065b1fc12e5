"""The turns of a run as arrays in playing order, and the position before each turn.

A log row says what was offered, taken and moved. What lay before each player then is not in the log: it follows from
the turns before, and :func:`offers` adds it up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue import rules as r
from agentsim.games.agent_avenue.engine import ACTIVE_WINS, OTHER_WINS, decide
from agentsim.games.agent_avenue.rules import Rules, compile_rules
from agentsim.runs import Run

__all__ = ["Offers", "Turns", "load_turns", "offers"]

Int8: TypeAlias = NDArray[np.int8]
Int16: TypeAlias = NDArray[np.int16]
Int32: TypeAlias = NDArray[np.int32]
Int64: TypeAlias = NDArray[np.int64]
Bool: TypeAlias = NDArray[np.bool_]

_CHUNK = 1_000_000
"""Turns per step of :func:`offers`: keeps its memory small."""


@dataclass(frozen=True)
class Turns:
    """The turns of all games, game by game, in order. Arrays have one entry per turn unless said otherwise.

    ``start`` [games + 1]: the first turn of each game, and the end. ``matchup``, ``deal``, ``policy`` [games, 2]: per
    game its matchup, its deal (the same number is the same deal in every matchup) and the policies in seat 0 and 1.
    Policies and agents are numbers into ``policies`` and ``agents``. ``won`` is the active seat's result: 1, 0.5, 0.
    """

    policies: tuple[str, ...]
    agents: tuple[str, ...]
    start: Int64
    matchup: Int32
    deal: Int32
    policy: Int16
    active: Int8
    face_up: Int8
    face_down: Int8
    took_face_up: Bool
    move_active: Int8
    move_other: Int8
    lead_after: Int16
    won: NDArray[np.float32]

    @property
    def n_games(self) -> int:
        """How many games there are."""
        return len(self.matchup)

    @property
    def game(self) -> Int32:
        """The game that each turn belongs to, as an index into the arrays per game."""
        return np.repeat(np.arange(self.n_games, dtype=np.int32), np.diff(self.start))

    @property
    def recruited_active(self) -> Int8:
        """The agent that the active player got."""
        return np.where(self.took_face_up, self.face_down, self.face_up)

    @property
    def recruited_other(self) -> Int8:
        """The agent that the receiver took."""
        return np.where(self.took_face_up, self.face_up, self.face_down)

    @property
    def lead_before(self) -> Int16:
        """The active player's lead before the turn, in spaces."""
        side = np.where(self.active == 0, np.int16(1), np.int16(-1))
        return side * self.lead_after - (self.move_active - self.move_other).astype(np.int16)


def load_turns(run: Run) -> Turns:
    """Read the turns of a run. About 20 bytes of memory per turn. Raises InputError if the run has no such log."""
    table = next((table for table in run.tables if table.name == "turns"), None)
    agents = [] if table is None else next(list(c.categories) for c in table.columns if c.name == "face_up")
    # Numbers instead of names: 50 times quicker to read than texts.
    frame = run.sql("""
        SELECT game_id, turn, active, list_position($agents, face_up)::TINYINT - 1 AS face_up,
               list_position($agents, face_down)::TINYINT - 1 AS face_down, took_face_up,
               move_active::TINYINT AS move_active, move_other::TINYINT AS move_other,
               lead_after::SMALLINT AS lead_after, coalesce(active_won::FLOAT, 0.5) AS won
        FROM turns""", agents=agents)
    columns = {name: frame.pop(name).to_numpy() for name in list(frame.columns)}
    game_id, turn = columns.pop("game_id"), columns.pop("turn")
    first = np.flatnonzero(turn == 0)
    ordered = len(turn) == 0 or (turn[0] == 0 and bool(np.all((np.diff(turn) == 1) | (turn[1:] == 0)))
                                 and bool(np.all((np.diff(game_id) == 0) == (turn[1:] != 0))))
    if not ordered:  # the parts are written in order, but nothing obliges a database to read them so
        order = np.lexsort((turn, game_id))
        columns = {name: values[order] for name, values in columns.items()}
        game_id, turn = game_id[order], turn[order]
        first = np.flatnonzero(turn == 0)
    matchups = run.matchups
    labels = [policy.label for policy in run.experiment.policies]
    seats = np.array([[labels.index(row["policy_0"]), labels.index(row["policy_1"])] for _, row in matchups.iterrows()],
                     dtype=np.int16).reshape(-1, 2)
    per_deal = matchups["games_per_deal"].to_numpy(np.int64)
    index, matchup = np.divmod(game_id[first].astype(np.int64), max(len(matchups), 1))
    deal, second = np.divmod(index, per_deal[matchup])
    policy = np.where(second[:, None] % 2 == 1, seats[matchup][:, ::-1], seats[matchup])
    return Turns(tuple(labels), tuple(agents), np.append(first, len(turn)).astype(np.int64), matchup.astype(np.int32),
                 deal.astype(np.int32), policy,
                 columns["active"].astype(np.int8), columns["face_up"].astype(np.int8),
                 columns["face_down"].astype(np.int8), columns["took_face_up"].astype(bool),
                 columns["move_active"], columns["move_other"], columns["lead_after"].astype(np.int16),
                 columns["won"].astype(np.float32))


@dataclass(frozen=True)
class Offers:
    """What each offer meant to its receiver; one entry per turn.

    ``offerer``, ``receiver``: policies. ``count_up``, ``count_down``: copies that the receiver would have in play with
    the face-up or the face-down card, this one included. ``better``: +1 if taking the face-up card is better for it by
    greedy's value of the two outcomes, -1 if the hidden one is, 0 if they are equal. ``decisive``: the two values
    differ by the end of the game.
    """

    offerer: Int16
    receiver: Int16
    count_up: Int8
    count_down: Int8
    better: Int8
    decisive: Bool

    def mistaken(self, took_face_up: Bool) -> Bool:
        """Whether the receiver took the card that was worse for it."""
        return np.where(took_face_up, self.better < 0, self.better > 0)


def offers(turns: Turns, rules: Rules) -> Offers:
    """Judge every offer by the position before it and both of its cards, the hidden one included."""
    parts: list[tuple[NDArray[np.int8], ...]] = []
    value = _Greedy(rules)
    for games in _game_chunks(turns):
        rows = slice(int(turns.start[games.start]), int(turns.start[games.stop]))
        active, up, down = turns.active[rows], turns.face_up[rows], turns.face_down[rows]
        before = _counts_before(turns, games, rows)
        n = np.arange(len(active))
        mine, theirs = 1 - active, active  # the receiver's seat and the offerer's
        own_up, own_down = before[mine, up, n] + 1, before[mine, down, n] + 1
        lead = -turns.lead_before[rows].astype(np.int64)
        gap_mine, gap_theirs = value.gaps[mine], value.gaps[theirs]
        if_up = value.of(up, own_up, down, before[theirs, down, n] + 1, lead, gap_mine, gap_theirs)
        if_down = value.of(down, own_down, up, before[theirs, up, n] + 1, lead, gap_mine, gap_theirs)
        gain = if_up - if_down
        parts.append((own_up.astype(np.int8), own_down.astype(np.int8), np.sign(gain).astype(np.int8),
                      (np.abs(gain) > END // 2).astype(np.int8)))
    game = turns.game
    columns = [np.concatenate([part[at] for part in parts]) if parts else np.zeros(0, np.int8) for at in range(4)]
    return Offers(turns.policy[game, turns.active], turns.policy[game, 1 - turns.active], columns[0], columns[1],
                  columns[2], columns[3].astype(bool))


def _game_chunks(turns: Turns) -> Iterator[slice]:
    first = 0
    while first < turns.n_games:
        last = int(np.searchsorted(turns.start, turns.start[first] + _CHUNK, side="right")) - 1
        last = min(max(last, first + 1), turns.n_games)
        yield slice(first, last)
        first = last


def _counts_before(turns: Turns, games: slice, rows: slice) -> NDArray[np.int8]:
    """Copies in play before each turn, shape (seats, agents, turns)."""
    start = turns.start[games.start:games.stop + 1] - rows.start
    lengths = np.diff(start)
    active = turns.active[rows]
    got = (turns.recruited_active[rows], turns.recruited_other[rows])
    by_seat = (np.where(active == 0, got[0], got[1]), np.where(active == 0, got[1], got[0]))
    before = np.empty((2, len(turns.agents), len(active)), dtype=np.int8)
    for seat in (0, 1):
        for agent in range(len(turns.agents)):
            hit = by_seat[seat] == agent
            running = np.cumsum(hit, dtype=np.int32) - hit
            before[seat, agent] = running - np.repeat(running[start[:-1]], lengths)
    return before


END = 100_000
"""Greedy's points for an end of the game."""


class _Greedy:
    """The value of an outcome as the policy ``greedy`` defines it, over arrays; without what both share."""

    def __init__(self, rules: Rules) -> None:
        table = compile_rules(rules)
        n = len(rules.names)
        self.moves = table[r.MOVES:r.MOVES + 16 * n].reshape(n, 16)
        sets = table[r.SETS:r.SETS + 16 * n].reshape(n, 16)
        self.completes_win, self.completes_loss = sets & r.WIN != 0, sets & r.LOSE != 0
        winning, losing = table[r.WINS_AT:r.WINS_AT + n] != r.NEVER, table[r.LOSES_AT:r.LOSES_AT + n] != r.NEVER
        self.cards = 300 * winning.astype(np.int64) - 350 * losing.astype(np.int64)
        self.gaps = table[[r.GAP_0, r.GAP_1]]
        # The rules of the End step stay where they are written; here is only their table of results.
        self.ends = np.zeros((2, 2, 2, 2), dtype=np.int64)
        for key in np.ndindex(2, 2, 2, 2):
            win, rival_wins, lose, rival_loses = (bool(bit) for bit in key)
            result, _ = decide(table[r.TIE_RULE], rival_wins, win, rival_loses, lose)
            self.ends[key] = 1 if result == OTHER_WINS else -1 if result == ACTIVE_WINS else 0

    def of(self, x: Int8, x_count: Int8, y: Int8, y_count: Int8, lead: Int64, gap: Int64, rival_gap: Int64) -> Int64:
        """The receiver's value of getting ``x`` as copy number ``x_count`` while the offerer gets ``y``."""
        moved = self.moves[x, x_count] - self.moves[y, y_count]
        after = lead + moved
        ends = self.ends[((after >= gap) | self.completes_win[x, x_count]).astype(np.int8),
                         ((-after >= rival_gap) | self.completes_win[y, y_count]).astype(np.int8),
                         self.completes_loss[x, x_count].astype(np.int8),
                         self.completes_loss[y, y_count].astype(np.int8)]
        points: Int64 = 100 * moved + 10 * after + self.cards[x] - self.cards[y] + END * ends
        return points
