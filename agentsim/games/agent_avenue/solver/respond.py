"""Best responses by dynamic programming over the public state, against a policy's own measured behaviour.

Rounds: games of the target against several policies, then against the response so far, say which public states come
up; in each of these the target's code is asked with random hands what it offers and what it takes; backwards from the
last state the best answer follows. States never met keep the equilibrium's answers; their values are the equilibrium's,
raised by as much as those of the states that were met. What the dynamic
programming promises is too high (behaviour is measured with noise, hands are not drawn anew every turn): play the
response on fresh deals before quoting a figure, and quote it as "at least".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, expit, gammaln, logit

from agentsim.errors import InputError
from agentsim.games.agent_avenue.catalog import CATALOG
from agentsim.games.agent_avenue.engine import STATE_SIZE
from agentsim.games.agent_avenue.playing import make_player, padded_rows, user_functions
from agentsim.games.agent_avenue.policies.exchange import SCRATCH_SIZE
from agentsim.games.agent_avenue.policies.planner import work_space
from agentsim.games.agent_avenue.rules import Rules, compile_rules
from agentsim.games.agent_avenue.session import Session
from agentsim.games.agent_avenue.solver import responses
from agentsim.games.agent_avenue.solver.backward import LEVELS
from agentsim.games.agent_avenue.solver.measure import measure_answers, measure_offers, note_states
from agentsim.games.agent_avenue.solver.responder import respond_states
from agentsim.games.agent_avenue.solver.states import CLASSES, Space
from agentsim.games.agent_avenue.solver.store import Solution, offers_of_table, solution
from agentsim.games.agent_avenue.solver.turn_game import SIZE
from agentsim.games.base import PolicyRef

__all__ = ["FIRST_AGAINST", "best_response"]

FIRST_AGAINST = ("random", "greedy", "expert", "solver")
"""Whom the target plays first, to meet states."""
_HANDS = 6, 48
"""Hands asked in a state: at least, at most; between them as often as the state came up."""
_WEIGHTS = (0.5, 2.0, 8.0, 32.0, 128.0)
"""How many hands the equilibrium's behaviour may weigh: that number is taken under which what was seen is likeliest."""
_PART = 20_000
_SWEEPS = 3
_SURE = 1e-3
"""Winning chances are kept so far from 0 and 1 when their log-odds are compared."""


def best_response(target: PolicyRef, rules: Rules, *, games: int = 1_000_000, seed: int = 1, rounds: int = 4,
                  progress: Callable[[str, float], None] | None = None) -> PolicyRef:
    """The best response that dynamic programming finds, as a policy to be played.

    Parameters
    ----------
    target : the policy to beat; one in Python cannot be asked fast enough and is refused
    games : played in all to meet states; asking the target costs about as much again per state met
    seed : fixes the result
    rounds : how often the response so far is played and improved
    progress : told what is being done and the share that is done

    Returns the policy; its ``source`` is a folder beside the solver's tables (about 0.2 GB), from which any process
    can play it. Raises InputError for rules without a solver's table and for policies in Python.
    """
    found = solution(rules)
    player = make_player(target, rules)
    if player.python is not None:
        raise InputError(f"'{target.label}' is written in Python: too slow to be asked in every state", key="policies",
                         allowed="a built-in policy, a preset, or compiled functions")
    space, first = found.space, [CATALOG.presets[name] for name in FIRST_AGAINST if name in CATALOG.presets]
    offering, answering = np.zeros(space.n_states, np.uint16), np.zeros(space.n_states, np.uint16)
    measured = _Measured(player, rules, found, seed)
    say = progress or _quiet
    best: PolicyRef | None = None
    for at in range(rounds):
        against = [ref for ref in first if ref.label != target.label] if best is None else [best]
        each = max(1, games // rounds // len(against) // 2)
        for other, opponent in enumerate(against):
            say("playing", (at + 0.5 * other / len(against)) / rounds)
            _meet(target, opponent, rules, space, (seed + 7919 * at + other) % 2**63, each, offering, answering)
        say("asking", (at + 0.5) / rounds)
        measured.ask(offering, answering)
        say("solving", (at + 0.9) / rounds)
        own, theirs = _solve(space, measured, answering, found.values)
        if best is not None:
            responses.forget(best)
        best = responses.ref_of(f"responder to {target.label}", responses.Response(
            measured.answers, measured.index, measured.offers, own, theirs),
            f"Best response to {target.label}, found by dynamic programming over public states.")
    assert best is not None, "at least one round"
    responses.save(best)
    say("done", 1.0)
    return best


def _quiet(doing: str, share: float) -> None:
    """No progress."""


def _meet(target: PolicyRef, opponent: PolicyRef, rules: Rules, space: Space, seed: int, deals: int,
          offering: NDArray[np.uint16], answering: NDArray[np.uint16]) -> None:
    """Play deals and count the states in which the target offered and answered."""
    session = Session(rules, [(target, opponent)], seed)
    first, left = 0, 2 * deals
    while left:
        games, _, turns, turn_game, _ = session._run(0, first, min(left, _PART), "turns")
        note_states(turns, turn_game, first, 0, 2, space.digit, space.gap, space.side, offering, answering)
        first, left = first + len(games), left - len(games)


class _Measured:
    """What is known of the target so far; grows by asking.

    Behaviour in a state is a mean of what was seen there and of the equilibrium's, the latter weighted like so many
    hands as make all that was seen likeliest (empirical Bayes): many if the target plays near it, few if not.
    """

    def __init__(self, player: Any, rules: Rules, found: Solution, seed: int) -> None:
        self.player, self.space, self.table, self.seed = player, found.space, compile_rules(rules), np.uint64(seed)
        self.answers = np.array(found.answers)
        self.index = np.full(self.space.n_states, -1, np.int32)
        self.offers = np.zeros((0, SIZE, SIZE), np.float32)
        self._found = found
        self._asked = {"offers": np.zeros(self.space.n_states, np.uint8),
                       "answers": np.zeros(self.space.n_states, np.uint8)}

    def _wanted(self, kind: str, met: NDArray[np.uint16]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The states to ask in and with how many hands: new ones, and those met much more often than before."""
        hands = np.where(met > 0, np.clip(2 * met.astype(np.int64), *_HANDS), 0)
        asked = self._asked[kind]
        states = np.flatnonzero(hands >= np.maximum(2 * asked.astype(np.int64), 1))
        if kind == "answers":
            # Eight cards can lie face up.
            hands = (hands + 1) // 2
        asked[states] = np.minimum(np.clip(2 * met[states].astype(np.int64), *_HANDS), 255)
        return states.astype(np.int64), hands[states].astype(np.int64)

    def ask(self, offering: NDArray[np.uint16], answering: NDArray[np.uint16]) -> None:
        """Ask the target in the states that were met, ``offering`` and ``answering`` times, and weigh what it did."""
        space, player, rows = self.space, self.player, padded_rows([self.player])
        functions = user_functions([player])
        offers_by, takes_by = (functions[0], functions[1]) if functions else (None, None)
        state, scratch, work = np.zeros(STATE_SIZE, np.int64), np.zeros(SCRATCH_SIZE, np.int64), work_space()
        states, hands = self._wanted("answers", answering)
        taken = np.zeros((len(states), SIZE))
        measure_answers(states, hands, self.seed, player.family, takes_by, self.table, rows, space.digit, space.gap,
                        space.side, taken, state, scratch, work)
        self._weigh_answers(states, hands, taken)
        states, hands = self._wanted("offers", offering)
        new = np.zeros((len(states), SIZE, SIZE))
        measure_offers(states, hands, self.seed, player.family, offers_by, self.table, rows, space.digit, space.gap,
                       space.side, new, state, scratch, work)
        self._weigh_offers(states, new)

    def _weigh_answers(self, states: NDArray[np.int64], hands: NDArray[np.int64], taken: NDArray[np.float64]) -> None:
        usual = np.clip(self._found.answers[states] / LEVELS, 0.004, 0.996)
        can = taken >= 0
        asked = np.where(can, hands[:, None], 0)
        taken = np.where(can, taken, 0)

        def likelihood(weight: float) -> float:
            a, b = weight * usual, weight * (1.0 - usual)
            return float((betaln(a + taken, b + asked - taken) - betaln(a, b)).sum())

        weight = max(_WEIGHTS, key=likelihood)
        share = (taken + weight * usual) / (asked + weight)
        self.answers[states] = np.where(can, np.clip(share * LEVELS + 0.5, 0, LEVELS), self._found.answers[states])

    def _weigh_offers(self, states: NDArray[np.int64], new: NDArray[np.float64]) -> None:
        fresh = states[self.index[states] < 0]
        self.index[fresh] = len(self.offers) + np.arange(len(fresh), dtype=np.int32)
        self.offers = np.concatenate([self.offers, np.zeros((len(fresh), SIZE, SIZE), np.float32)])
        usual = offers_of_table(self._found, states) * 0.999 + 0.001 / SIZE**2
        total = new.sum(axis=(1, 2))

        def likelihood(weight: float) -> float:
            cells = gammaln(new + weight * usual) - gammaln(weight * usual)
            return float(cells.sum() + (gammaln(weight) - gammaln(total + weight)).sum())

        weight = max(_WEIGHTS, key=likelihood)
        self.offers[self.index[states]] = (new + weight * usual) / (total + weight)[:, None, None]


def _solve(space: Space, measured: _Measured, answering: NDArray[np.uint16], values: NDArray[np.float32]
           ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The values when the responder answers best: its own as offerer, the target's as offerer."""
    own, theirs = np.array(values), np.array(values)
    order = np.flatnonzero((answering > 0) | (measured.index >= 0))
    sizes = np.zeros(space.side, np.int64)
    rest = np.arange(space.side)
    while rest.any():
        sizes += rest % CLASSES
        rest = rest // CLASSES
    total = sizes[order // space.side % space.side] + sizes[order % space.side]
    order = order[np.argsort(-total, kind="stable")].astype(np.int64)
    square = np.zeros((3, SIZE, SIZE))
    offers_there, answers_there = answering > 0, measured.index >= 0
    for _ in range(_SWEEPS):
        respond_states(order, space.n_names, space.digit, space.moves, space.wins, space.loses, space.gap, space.side,
                       space.tie, space.copies, space.hand, space.sets, np.zeros(len(space.sets)), np.zeros(1 << SIZE),
                       np.zeros(SIZE, np.int64), answering, measured.answers, measured.index, measured.offers, own,
                       theirs, square[0], square[1], square[2], np.zeros(SIZE))
        # States never met are as much better than the table says as those that were.
        for side, known in ((own, offers_there), (theirs, answers_there)):
            met = np.clip(side[known], _SURE, 1.0 - _SURE).astype(np.float64)
            usual = np.clip(values, _SURE, 1.0 - _SURE).astype(np.float64)
            gained = float(np.mean(logit(met) - logit(usual[known]))) if known.any() else 0.0
            side[~known] = expit(logit(usual[~known]) + gained)
    return own, theirs
