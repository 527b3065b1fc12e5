"""What the sessions of all modes share: policies made ready, and stretches of deals cut to what a kernel can hold.

A session plays whole deals and gives their log columns and exact counters; which kernel plays them is the business of
``session.py`` (the base game) and ``modes/session.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue import blocks, user
from agentsim.games.agent_avenue.modes.policies.dispatch import chance
from agentsim.games.agent_avenue.policies import dispatch
from agentsim.games.agent_avenue.policies.parameters import ROW_SIZE, planner_row
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.tally import Tally
from agentsim.games.base import Batch, LogLevel, PolicyRef

__all__ = ["Player", "Playing", "Rows", "make_player", "padded_rows", "user_functions"]

SLOW_CHUNK = 1024
"""Games at a time with a policy in Python, whose rows are kept as Python objects."""

Rows = tuple[NDArray[Any], ...]
"""A kernel's rows: games, final play areas, then what the kernel has besides."""

_FAMILIES = {"random": dispatch.FAMILY_RANDOM, "random_discards": dispatch.FAMILY_RANDOM_DISCARDS,
             "greedy": dispatch.FAMILY_GREEDY, "minmax": dispatch.FAMILY_MINMAX, "planner": dispatch.FAMILY_PLANNER,
             "solver_advanced": dispatch.FAMILY_FITTED, "user": dispatch.FAMILY_USER}


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
    others: Any = chance
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
        return Player(ref, _FAMILIES["user"], row, found.offer, found.take, found.others or chance)
    elif ref.family == "solver":
        return _solver(ref, rules)
    elif ref.family == "solver_advanced":
        row = _fitted_row(ref, rules)
    elif ref.family == "responder":
        return _responder(ref, rules)
    return Player(ref, _FAMILIES[ref.family], row)


def _solver(ref: PolicyRef, rules: Rules) -> Player:
    """The policy that plays by the table of public states; the table is built if there is none yet."""
    # On first use: numba's extension modules and the table's folder are of no concern to anybody else.
    from agentsim.games.agent_avenue.solver import answering, player, store
    from agentsim.games.agent_avenue.solver.parameters import solver_row

    found = store.solution(rules)
    return Player(ref, _FAMILIES["user"], solver_row(ref.params, found.values, found.answers, found.facts),
                  player.solver_offer, answering.solver_take)


def _fitted_row(ref: PolicyRef, rules: Rules) -> NDArray[np.float64]:
    """The row of the player of the advanced mode, with the weights that the package ships."""
    from agentsim.games.agent_avenue.solver.advanced.weights import facts_of, fitted_row, shipped

    return fitted_row(ref.params, shipped(), facts_of(rules))


def _responder(ref: PolicyRef, rules: Rules) -> Player:
    """A best response, from the folder where :func:`..solver.respond.best_response` kept it."""
    from agentsim.games.agent_avenue.solver import player, responder, responses

    return Player(ref, _FAMILIES["user"], responses.row_of(ref, rules), player.solver_offer, responder.responder_take)


def user_functions(players: Sequence[Player]) -> tuple[Any, Any, Any] | None:
    """The players' compiled functions: offers, choices, all other answers; None if all are built in."""
    if all(player.family != dispatch.FAMILY_USER for player in players):
        return None
    return (tuple(player.offer for player in players), tuple(player.take for player in players),
            tuple(player.others for player in players))


def padded_rows(players: Sequence[Player]) -> NDArray[np.float64]:
    """The players' parameter rows in one array, the shorter ones filled with zeros."""
    width = max(len(player.row) for player in players)
    return np.stack([np.pad(player.row, (0, width - len(player.row))) for player in players])


class Playing(ABC):
    """Rules and matchups made ready to play; see :class:`agentsim.games.base.Session`."""

    def __init__(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> None:
        self.rules, self.seed = rules, np.uint64(seed)
        self.matchups = [tuple(matchup) for matchup in matchups]
        refs = {ref.label: ref for matchup in self.matchups for ref in matchup}
        self.labels = list(refs)
        self.players = {label: make_player(ref, rules) for label, ref in refs.items()}

    @abstractmethod
    def _new_counts(self) -> Any:
        """Counters of no game."""

    @abstractmethod
    def _named_counts(self, counts: Any, per_deal: int) -> Tally:
        """The counters by name."""

    @abstractmethod
    def _chunk(self, log: LogLevel) -> int:
        """Most games per call of the kernel when rows are kept: so many that a call costs nothing, so few that buffers
        stay small."""

    @abstractmethod
    def _run(self, matchup: int, first: int, wanted: int, log: LogLevel, counts: Any = None) -> Rows:
        """Play ``wanted`` games from game ``first`` on and add them to ``counts``; fewer if a buffer fills.

        Returns the rows that ``log`` asks for. The next call overwrites them.
        """

    @abstractmethod
    def _columns(self, matchup: int, index: NDArray[np.int64], log: LogLevel,
                 rows: Rows) -> dict[str, dict[str, NDArray[Any]]]:
        """The log columns of games ``index`` by table."""

    @abstractmethod
    def _compilations(self) -> int:
        """How often the kernel was compiled in this process rather than loaded."""

    def games_per_deal(self, matchup: int) -> int:
        """How often each deal is played in a matchup."""
        return blocks.games_per_deal(self.matchups[matchup], self.rules)

    def warm_up(self, log: LogLevel) -> bool:
        """Compile the kernel, or load it from the cache. True if it had to be compiled."""
        before = self._compilations()
        # Matchups with policies written by users have a kernel of their own.
        kinds = {user_functions(players) is None: matchup
                 for matchup, players in enumerate(map(self._players, range(len(self.matchups))))}
        for matchup in kinds.values():
            self._run(matchup, 0, 1, log, self._new_counts())
        return self._compilations() > before

    def play(self, matchup: int, first_deal: int, n_deals: int, log: LogLevel) -> Batch:
        """Play all games of ``n_deals`` deals of a matchup from ``first_deal`` on."""
        per_deal = self.games_per_deal(matchup)
        first, left = first_deal * per_deal, n_deals * per_deal
        slow = any(player.python is not None for player in self._players(matchup))
        counts = self._new_counts()
        pieces: dict[str, dict[str, list[NDArray[Any]]]] = {}
        while left:
            # A chunk holds whole deals; without rows to hold there is no need to cut, but steps in Python leave rows.
            chunk = SLOW_CHUNK if slow else self._chunk(log)
            wanted = left if log == "none" and not slow else min(left, max(chunk - chunk % per_deal, per_deal))
            rows = self._run(matchup, first, wanted, log, counts)
            done = wanted if log == "none" else len(rows[0])
            if log != "none":
                for name, columns in self._columns(matchup, first + np.arange(done), log, rows).items():
                    for column, values in columns.items():
                        pieces.setdefault(name, {}).setdefault(column, []).append(values)
            first, left = first + done, left - done
        joined = {name: {column: np.concatenate(parts) if len(parts) > 1 else parts[0]
                         for column, parts in columns.items()} for name, columns in pieces.items()}
        return Batch(n_deals * per_deal, joined, self._named_counts(counts, per_deal))

    def _players(self, matchup: int) -> list[Player]:
        return [self.players[ref.label] for ref in self.matchups[matchup]]

    def _seated(self, matchup: int, index: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The policies in seat 0 and seat 1 of games ``index``, as codes into ``labels``."""
        a, b = (self.labels.index(ref.label) for ref in self.matchups[matchup])
        both = self.games_per_deal(matchup) > blocks.roles_per_deal(self.rules)
        swapped = index % 2 == 1 if both else np.zeros(len(index), dtype=bool)
        kind = np.int8 if len(self.labels) < 128 else np.int16
        return np.where(swapped, b, a).astype(kind), np.where(swapped, a, b).astype(kind)

    def _game_id(self, matchup: int, index: NDArray[np.int64]) -> NDArray[np.int64]:
        return index * len(self.matchups) + matchup

    def _illegal(self, player: Player, matchup: int, game: int, allowed: str) -> InputError:
        return InputError(f"policy '{player.ref.label}' made an illegal move in game {game} of matchup {matchup}",
                          key="policies", allowed=allowed)
