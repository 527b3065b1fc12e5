"""What is known of how a policy plays in public states: asked with random hands, seen in games, and the table's play.

Hands of a game are no random hands: one keeps what one did not want to offer. So what was *seen* in games with the
response itself counts beside what was *asked*, and soon outweighs it where a state comes up often. A *prior*, that of
the equilibrium, is mixed in like so many further hands as make all that was seen and asked likeliest (empirical
Bayes): many if the policy plays near it, few if not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, gammaln

from agentsim.games.agent_avenue.engine import STATE_SIZE
from agentsim.games.agent_avenue.playing import Player, padded_rows, user_functions
from agentsim.games.agent_avenue.policies.exchange import SCRATCH_SIZE
from agentsim.games.agent_avenue.policies.planner import work_space
from agentsim.games.agent_avenue.rules import Rules, compile_rules
from agentsim.games.agent_avenue.solver.backward import LEVELS
from agentsim.games.agent_avenue.solver.measure import measure_answers, measure_offers, note_plays
from agentsim.games.agent_avenue.solver.store import Solution, offers_of_table
from agentsim.games.agent_avenue.solver.turn_game import SIZE

__all__ = ["Behaviour"]

_HANDS = 6, 48
"""Hands asked in a state: at least, at most; between them as often as the state came up."""
_WEIGHTS = (0.5, 2.0, 8.0, 32.0, 128.0, 512.0)
"""How many hands the equilibrium's behaviour may weigh."""
_SAMPLE = 50_000
"""States at most by which the weight is chosen, and states that are weighed at a time."""

Counts = NDArray[np.uint16]


class Behaviour:
    """How one policy offers and answers in the states that came up; grows.

    ``place`` (2, n_states): the row of a state in which the policy offers (0), in which it answers (1), or -1.
    ``offers`` (m, SIZE, SIZE): the shares of its offers. ``answers`` (n_states, SIZE): with what chance it takes a card
    lying face up, in parts of LEVELS; the table's where it has not been asked.
    """

    def __init__(self, player: Player, rules: Rules, found: Solution, seed: int) -> None:
        self.player, self.space, self.table, self.seed = player, found.space, compile_rules(rules), np.uint64(seed)
        self.place = np.full((2, self.space.n_states), -1, np.int32)
        self.offers = np.zeros((0, SIZE, SIZE), np.float32)
        self.answers = np.array(found.answers)
        self._found, self._used = found, np.zeros(2, np.int64)
        # By row. Offers (u, d); answers: a card u left, taken.
        self._asked: list[Counts] = [np.zeros((0, SIZE, SIZE), np.uint16), np.zeros((0, SIZE, 2), np.uint16)]
        self._seen: list[Counts] = [each.copy() for each in self._asked]
        self._times_seen: list[Counts] = [np.zeros(0, np.uint16), np.zeros(0, np.uint16)]
        self._hands = np.zeros((2, self.space.n_states), np.uint8)

    def watch(self, turns: NDArray[Any], turn_game: NDArray[np.int64], first_game: int) -> None:
        """Take in logged games of the policy, the first of its matchup, sides swapped every other game."""
        self._hold(self._used + len(turns))
        space = self.space
        note_plays(turns, turn_game, first_game, space.digit, space.gap, space.side, self.place, self._used,
                   *self._times_seen, *self._seen)

    def ask(self, offering: NDArray[np.uint16], answering: NDArray[np.uint16]) -> None:
        """Ask the policy in the states that came up, ``offering`` and ``answering`` times; weigh all that is known."""
        space, player, rows = self.space, self.player, padded_rows([self.player])
        functions = user_functions([player])
        offers_by, takes_by = (functions[0], functions[1]) if functions else (None, None)
        state, scratch, work = np.zeros(STATE_SIZE, np.int64), np.zeros(SCRATCH_SIZE, np.int64), work_space()
        states, hands = self._wanted(1, answering)
        # Eight cards can lie face up, and each is asked about.
        hands = (hands + 1) // 2
        taken = np.zeros((len(states), SIZE))
        measure_answers(states, hands, self.seed, player.family, takes_by, self.table, rows, space.digit, space.gap,
                        space.side, taken, state, scratch, work)
        can = taken >= 0
        at = self._rows(1, states)
        self._asked[1][at] = np.where(can[..., None], np.stack([hands[:, None] - taken, taken], axis=-1), 0)
        states, hands = self._wanted(0, offering)
        new = np.zeros((len(states), SIZE, SIZE))
        measure_offers(states, hands, self.seed, player.family, offers_by, self.table, rows, space.digit, space.gap,
                       space.side, new, state, scratch, work)
        at = self._rows(0, states)
        self._asked[0][at] = new
        self._weigh_answers()
        self._weigh_offers()

    def _wanted(self, kind: int, met: NDArray[np.uint16]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The states to ask in and with how many hands: new ones, and those met much more often than before."""
        hands = np.where(met > 0, np.clip(2 * met.astype(np.int64), *_HANDS), 0)
        asked = self._hands[kind]
        states = np.flatnonzero(hands >= np.maximum(2 * asked.astype(np.int64), 1))
        asked[states] = hands[states]
        return states.astype(np.int64), hands[states].astype(np.int64)

    def _rows(self, kind: int, states: NDArray[np.int64]) -> NDArray[np.int32]:
        """The rows of states, new ones where they have none."""
        fresh = states[self.place[kind, states] < 0]
        self.place[kind, fresh] = self._used[kind] + np.arange(len(fresh), dtype=np.int32)
        self._used[kind] += len(fresh)
        self._hold(self._used)
        found: NDArray[np.int32] = self.place[kind, states]
        return found

    def _hold(self, rows: NDArray[np.int64]) -> None:
        """Make room for so many rows of each kind."""
        for kind in range(2):
            for counts in (self._asked, self._seen, self._times_seen):
                have = len(counts[kind])
                if have < rows[kind]:
                    # Half as much again, so that a game's worth of rows does not copy all of them.
                    more = np.zeros((max(int(rows[kind]), 3 * have // 2) - have, *counts[kind].shape[1:]), np.uint16)
                    counts[kind] = np.concatenate([counts[kind], more])

    def _states(self, kind: int) -> NDArray[np.int64]:
        """The state of every row."""
        states = np.flatnonzero(self.place[kind] >= 0)
        found = np.empty(len(states), np.int64)
        found[self.place[kind, states]] = states
        return found

    def _weigh_answers(self) -> None:
        states = self._states(1)
        counts = self._asked[1][:len(states)].astype(np.float64) + self._seen[1][:len(states)]
        left, taken = counts[..., 0], counts[..., 1]
        usual = np.clip(self._found.answers[states] / LEVELS, 0.004, 0.996)
        some = _some(len(states))

        def likelihood(weight: float) -> float:
            a, b = weight * usual[some], weight * (1.0 - usual[some])
            return float((betaln(a + taken[some], b + left[some]) - betaln(a, b)).sum())

        weight = max(_WEIGHTS, key=likelihood)
        share = (taken + weight * usual) / (taken + left + weight)
        known = taken + left > 0
        self.answers[states] = np.where(known, np.clip(share * LEVELS + 0.5, 0, LEVELS), self._found.answers[states])

    def _weigh_offers(self) -> None:
        states = self._states(0)
        self.offers = np.zeros((len(states), SIZE, SIZE), np.float32)
        some = _some(len(states))
        counts, usual = self._offers_of(states, some)
        total = counts.sum(axis=(1, 2))

        def likelihood(weight: float) -> float:
            cells = gammaln(counts + weight * usual) - gammaln(weight * usual)
            return float(cells.sum() + (gammaln(weight) - gammaln(total + weight)).sum())

        weight = max(_WEIGHTS, key=likelihood)
        for first in range(0, len(states), _SAMPLE):
            part = np.arange(first, min(first + _SAMPLE, len(states)))
            counts, usual = self._offers_of(states, part)
            self.offers[part] = (counts + weight * usual) / (counts.sum(axis=(1, 2)) + weight)[:, None, None]

    def _offers_of(self, states: NDArray[np.int64], rows: NDArray[np.int64]
                   ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of some rows what is known of the policy, as counts, and what the table would do, as shares."""
        counts = self._asked[0][rows].astype(np.float64) + self._seen[0][rows]
        return counts, offers_of_table(self._found, states[rows]) * 0.999 + 0.001 / SIZE**2


def _some(n: int) -> NDArray[np.int64]:
    """Rows to choose a weight by: all, or every so many."""
    return np.arange(0, n, max(1, -(-n // _SAMPLE)))
