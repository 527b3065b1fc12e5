"""Best responses by dynamic programming over the public state, against a policy's own measured behaviour.

Rounds: games of the target against several policies, then against the response so far, say which public states come
up and what the target does there (``behaviour.py``); backwards from the last state the best answer follows. States
never met keep the equilibrium's answers; their values are the equilibrium's, raised by as much as those of the states
that were met. What the dynamic programming promises is too high (behaviour is measured with noise, hands are not drawn
anew every turn): play the response on fresh deals before quoting a figure, and quote it as "at least".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from agentsim.errors import InputError
from agentsim.games.agent_avenue.catalog import CATALOG
from agentsim.games.agent_avenue.playing import make_player
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.session import Session
from agentsim.games.agent_avenue.solver import responses
from agentsim.games.agent_avenue.solver.behaviour import Behaviour
from agentsim.games.agent_avenue.solver.measure import note_states
from agentsim.games.agent_avenue.solver.responder import respond_states
from agentsim.games.agent_avenue.solver.states import CLASSES, Space, space_of
from agentsim.games.agent_avenue.solver.store import solution
from agentsim.games.agent_avenue.solver.turn_game import SIZE
from agentsim.games.base import PolicyRef

__all__ = ["FIRST_AGAINST", "best_response", "check_target"]

FIRST_AGAINST = ("random", "greedy", "expert", "solver")
"""Whom the target plays first, to meet states."""
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
    games : played in all to meet states and to see what the target does in them, a ``rounds``-th of them in each round
    seed : fixes the result
    rounds : how often the response so far is played and improved
    progress : told what is being done and the share that is done

    Returns the policy; its ``source`` is a folder beside the solver's tables (about 0.2 GB), from which any process
    can play it. Raises InputError for rules without a solver's table and for policies in Python.
    """
    check_target(target, rules)
    found, player = solution(rules), make_player(target, rules)
    space, first = found.space, [CATALOG.presets[name] for name in FIRST_AGAINST if name in CATALOG.presets]
    offering, answering = np.zeros(space.n_states, np.uint16), np.zeros(space.n_states, np.uint16)
    measured = Behaviour(player, rules, found, seed)
    say = progress or _quiet
    best: PolicyRef | None = None
    for at in range(rounds):
        against = [ref for ref in first if ref.label != target.label] if best is None else [best]
        each = max(1, games // rounds // len(against) // 2)
        for other, opponent in enumerate(against):
            say("playing", (at + 0.5 * other / len(against)) / rounds)
            _meet(target, opponent, rules, space, (seed + 7919 * at + other) % 2**63, each, offering, answering,
                  None if best is None else measured)
        say("asking", (at + 0.5) / rounds)
        measured.ask(offering, answering)
        say("solving", (at + 0.9) / rounds)
        own, theirs = _solve(space, measured, answering, found.values)
        if best is not None:
            responses.forget(best)
        # Copies: what is known goes on growing while the response is played.
        best = responses.ref_of(f"responder to {target.label}", responses.Response(
            measured.answers.copy(), measured.place[0].copy(), measured.offers, own, theirs),
            f"Best response to {target.label}, found by dynamic programming over public states.")
    assert best is not None, "at least one round"
    responses.save(best)
    say("done", 1.0)
    return best


def check_target(target: PolicyRef, rules: Rules) -> None:
    """Raise InputError, at once, where :func:`best_response` would: for rules without a table, for Python code."""
    space_of(rules)
    if target.family == "user" and make_player(target, rules).python is not None:
        raise InputError(f"'{target.label}' is written in Python: too slow to be asked in every state", key="policies",
                         allowed="a built-in policy, a preset, or compiled functions")


def _quiet(doing: str, share: float) -> None:
    """No progress."""


def _meet(target: PolicyRef, opponent: PolicyRef, rules: Rules, space: Space, seed: int, deals: int,
          offering: NDArray[np.uint16], answering: NDArray[np.uint16], watched: Behaviour | None) -> None:
    """Play deals and count the states in which the target offered and answered; ``watched`` learns what it did."""
    session = Session(rules, [(target, opponent)], seed)
    first, left = 0, 2 * deals
    while left:
        games, _, turns, turn_game, _ = session._run(0, first, min(left, _PART), "turns")
        note_states(turns, turn_game, first, 0, 2, space.digit, space.gap, space.side, offering, answering)
        if watched is not None:
            watched.watch(turns, turn_game, first)
        first, left = first + len(games), left - len(games)


def _solve(space: Space, measured: Behaviour, answering: NDArray[np.uint16], values: NDArray[np.float32]
           ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The values when the responder answers best: its own as offerer, the target's as offerer."""
    own, theirs = np.array(values), np.array(values)
    order = np.flatnonzero((answering > 0) | (measured.place[0] >= 0))
    sizes = np.zeros(space.side, np.int64)
    rest = np.arange(space.side)
    while rest.any():
        sizes += rest % CLASSES
        rest = rest // CLASSES
    total = sizes[order // space.side % space.side] + sizes[order % space.side]
    order = order[np.argsort(-total, kind="stable")].astype(np.int64)
    square = np.zeros((3, SIZE, SIZE))
    offers_there, answers_there = answering > 0, measured.place[0] >= 0
    for _ in range(_SWEEPS):
        respond_states(order, space.n_names, space.digit, space.moves, space.wins, space.loses, space.gap, space.side,
                       space.tie, space.copies, space.hand, space.sets, np.zeros(len(space.sets)), np.zeros(1 << SIZE),
                       np.zeros(SIZE, np.int64), answering, measured.answers, measured.place[0], measured.offers, own,
                       theirs, square[0], square[1], square[2], np.zeros(SIZE))
        # States never met are as much better than the table says as those that were.
        for side, known in ((own, offers_there), (theirs, answers_there)):
            met = np.clip(side[known], _SURE, 1.0 - _SURE).astype(np.float64)
            usual = np.clip(values, _SURE, 1.0 - _SURE).astype(np.float64)
            gained = float(np.mean(logit(met) - logit(usual[known]))) if known.any() else 0.0
            side[~known] = expit(logit(usual[~known]) + gained)
    return own, theirs
