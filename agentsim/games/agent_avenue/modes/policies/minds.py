"""The thinking families as functions of one signature, compiled once and called through pointers.

They are large. Compiled into every kernel that asks them, they would be optimised anew in each: a minute of compiling
in place of a quarter. A kernel takes three of them: answers up to ASK_TAKE, answers after it, and all answers of the
family with fitted values; stand-ins that are never called stand where no policy of a matchup needs them.
They find the view in ``scratch`` (``sight.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from agentsim.games.agent_avenue.modes.layout import ASK_PLAYER_UP, ASK_TAKE
from agentsim.games.agent_avenue.modes.policies.greedy import greedy_answer
from agentsim.games.agent_avenue.modes.policies.market import answer_market
from agentsim.games.agent_avenue.modes.policies.minmax import minmax_answer
from agentsim.games.agent_avenue.modes.policies.planner import planner_answer
from agentsim.games.agent_avenue.modes.policies.space import VIEW
from agentsim.games.agent_avenue.modes.view import ModeView
from agentsim.games.agent_avenue.policies.dispatch import (
    FAMILY_FITTED,
    FAMILY_GREEDY,
    FAMILY_MINMAX,
    FAMILY_PLANNER,
)
from agentsim.games.agent_avenue.solver.advanced.player import fitted_answer
from agentsim.jit import jit

__all__ = ["compilations", "minds", "minds_for", "think"]

_ASK = ModeView._fields.index("ask")
_SIGNATURE = types.int64(
    types.int64, types.Array(types.int64, 1, "C", readonly=True),
    types.Array(types.float64, 2, "C", readonly=True), types.int64, types.int64[::1], types.float64[::1], types.uint64)


@jit(_SIGNATURE)
def _no_exchange(family, table, rows, policy, scratch, work, key):
    return np.int64(-1)


@jit(_SIGNATURE)
def _no_market(family, table, rows, policy, scratch, work, key):
    return np.int64(-2)


@jit(_SIGNATURE)
def _no_fitted(family, table, rows, policy, scratch, work, key):
    return np.int64(-3)


def _exchange(family, table, rows, policy, scratch, work, key):
    """The answer of ``greedy``, ``minmax`` or ``planner`` about cards of an offer."""
    if scratch[VIEW + _ASK] == ASK_PLAYER_UP:
        return np.int64(key >> np.uint64(63))  # the team knows nothing that tells its members apart
    if family == FAMILY_GREEDY:
        return greedy_answer(table, scratch, work, key)
    if family == FAMILY_MINMAX:
        return minmax_answer(table, np.int64(rows[policy, 0]), scratch, work, key)
    return planner_answer(table, rows, policy, scratch, work, key)


def _market(family, table, rows, policy, scratch, work, key):
    """The answer of ``greedy``, ``minmax`` or ``planner`` about the Black Market and Division M."""
    return answer_market(family, table, rows, policy, scratch, key)


def _fitted(family, table, rows, policy, scratch, work, key):
    """The answer of the family with fitted values to any question."""
    return fitted_answer(table, rows, policy, scratch, key)


@cache
def minds() -> tuple[Any, Any]:
    """The functions of ``greedy``, ``minmax`` and ``planner``, compiled or loaded at the first call."""
    return jit(_SIGNATURE)(_exchange), jit(_SIGNATURE)(_market)


@cache
def fitted() -> Any:
    """The function of the family with fitted values, compiled or loaded at the first call. It makes arrays."""
    return jit(_SIGNATURE, _nrt=True)(_fitted)


def minds_for(families: Sequence[int]) -> tuple[Any, Any, Any]:
    """What a kernel needs for these families."""
    thinking = any(FAMILY_GREEDY <= family <= FAMILY_PLANNER for family in families)
    exchange, market = minds() if thinking else (_no_exchange, _no_market)
    return exchange, market, fitted() if FAMILY_FITTED in families else _no_fitted


def think(family: int, view: ModeView, table: NDArray[np.int64], rows: NDArray[np.float64],
          scratch: NDArray[np.int64], work: NDArray[np.float64], key: np.uint64) -> int:
    """The answer of a thinking family to the question of a view, for callers in Python; ``rows``: (1, n), its own."""
    scratch[VIEW:VIEW + len(view)] = view
    mind = fitted() if family == FAMILY_FITTED else minds()[0 if view.ask <= ASK_TAKE else 1]
    return int(mind(family, table, rows, 0, scratch, work, key))


def compilations() -> int:
    """How often they were compiled in this process rather than loaded."""
    made = [*(minds() if minds.cache_info().currsize else ()), *([fitted()] if fitted.cache_info().currsize else ())]
    return sum(sum(function.stats.cache_misses.values()) for function in made if hasattr(function, "stats"))
