"""Experiments on whole games, for analyses: see :mod:`agentsim.games.shady_agents.trials_kernel`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.base import PolicyRef
from agentsim.games.shady_agents.belief import SENSE_SIZE
from agentsim.games.shady_agents.engine import STATE_SIZE
from agentsim.games.shady_agents.kernel import (
    B_CHANCE,
    B_FRIEND,
    BELIEF_WIDTH,
    GRAIN,
    WHOLE_WIN,
)
from agentsim.games.shady_agents.policies.dispatch import FAMILIES
from agentsim.games.shady_agents.policies.parameters import policy_row
from agentsim.games.shady_agents.rules import MAX_PLAYERS, Rules
from agentsim.games.shady_agents.table import compile_rules
from agentsim.games.shady_agents.trials_kernel import play_forks, play_model
from agentsim.games.shady_agents.view import VIEW_SIZE

__all__ = ["forks", "model_beliefs"]


def forks(
    rules: Rules, ref: PolicyRef, turns: Sequence[int], seed: int, n_deals: int, first_deal: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """What calling an interrogation does to the caller, against giving a tool: one policy in all seats.

    Parameters
    ----------
    rules : with interrogations.
    ref : ``random``, or a policy of the ``sleuth`` family: its best gift against the call that it would make.
    turns : turns of the first round, ascending, from 0; turn 0 is the first player's.
    seed, first_deal, n_deals : the deals ``first_deal ..`` of this seed.

    Returns the acting seat's win shares ``[deal, turn, 0 if it calls | 1 if it gives]``, and whether the policy itself
    would have called ``[deal, turn]``. Raises InputError for rules without interrogations, another family or no turns.
    """
    if not rules.interrogations:
        raise InputError("without interrogations there is nothing to fork", key="rules.interrogations", allowed="true")
    if ref.family not in ("random", "sleuth"):
        raise InputError(f"'{ref.family}' cannot be made to call or to give", key="policy", allowed="random, sleuth")
    if not turns or list(turns) != sorted(set(turns)) or turns[0] < 0 or turns[-1] >= rules.players:
        raise InputError("turns of the first round, ascending", key="turns", allowed=f"0 to {rules.players - 1}")
    never = {"enough_calls": 0.0}
    # Surer than anybody can be, tastes and noise included.
    always = {"sure_medkit": 99.0, "sure_bullet": 99.0, "enough_calls": 99.0}
    kinds: tuple[dict[str, float], ...] = ({}, never, always) if ref.family == "sleuth" else ({}, {}, {})
    rows = np.stack([policy_row(ref.family, {**ref.params, **changes}, rules) for changes in kinds])
    shares = np.zeros((n_deals, len(turns), 2), dtype=np.int16)
    would = np.zeros((n_deals, len(turns)), dtype=np.int8)
    state, odds, view, sense = _work()
    play_forks(np.uint64(seed), first_deal, n_deals, np.array(turns, dtype=np.int64), compile_rules(rules),
               FAMILIES[ref.family], rows, shares, would, state, odds, state.copy(), odds.copy(), view, sense)
    return shares / WHOLE_WIN, would != 0


def model_beliefs(
    rules: Rules, seed: int, n_deals: int, *, first_deal: int = 0, medkit_friend: float | None = None,
    bullet_enemy: float | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]:
    """Beliefs at the end of first rounds whose players send tools with stated likelihoods.

    ``medkit_friend``, ``bullet_enemy`` are by default what the rules make players believe, so that the beliefs should
    be right. Returns, per belief, its deal (from 0), the believed chance of a friend, and whether it is one.
    """
    pairs = rules.players * (rules.players - 1)
    beliefs = np.zeros((n_deals * pairs, BELIEF_WIDTH), dtype=np.int16)
    deal = np.zeros(n_deals * pairs, dtype=np.int64)
    state, odds, view, sense = _work()
    play_model(np.uint64(seed), first_deal, n_deals, compile_rules(rules), policy_row("naive", {}, rules)[np.newaxis],
               rules.p_medkit_friend if medkit_friend is None else medkit_friend,
               rules.p_bullet_enemy if bullet_enemy is None else bullet_enemy, beliefs, deal, state, odds, view, sense)
    return deal, beliefs[:, B_CHANCE] / GRAIN, beliefs[:, B_FRIEND] != 0


def _work() -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    return (np.zeros(STATE_SIZE, dtype=np.int64), np.zeros(MAX_PLAYERS * MAX_PLAYERS),
            np.zeros(VIEW_SIZE, dtype=np.int64), np.zeros(SENSE_SIZE))
