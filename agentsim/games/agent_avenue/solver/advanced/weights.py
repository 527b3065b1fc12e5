"""The weights that the package ships, and rules as the player of the advanced mode reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.solver.advanced import network, player
from agentsim.games.agent_avenue.solver.advanced.features import AGENTS, CARDS, FACT_AGENT, FACT_CARD, FEATURES
from agentsim.games.agent_avenue.solver.advanced.parameters import ADVANCED_PARAMETERS
from agentsim.games.agent_avenue.solver.states import sets_of
from agentsim.games.agent_avenue.solver.turn_game import SIZE

__all__ = ["Weights", "facts_of", "fitted_row", "read_weights", "shipped", "write_weights"]

_FIXED = ("ring", "home_0", "home_1", "corners")


@dataclass(frozen=True)
class Weights:
    """``numbers``: (N_WEIGHTS,) int32, see :mod:`.network`. ``about``: where they come from, and how good they are."""

    numbers: NDArray[np.int32]
    about: Mapping[str, Any]


def write_weights(path: Path, weights: Weights) -> None:
    """Keep weights as a file for :func:`read_weights`."""
    with path.open("wb") as out:
        np.savez_compressed(out, numbers=weights.numbers, features=np.array(FEATURES),
                            about=np.array(json.dumps(dict(weights.about))))


def read_weights(path: Any) -> Weights:
    """Weights from a file. Raises InputError for one that belongs to other features."""
    with path.open("rb") as file, np.load(file) as found:
        if tuple(found["features"].tolist()) != FEATURES or found["numbers"].shape != (network.N_WEIGHTS,):
            raise InputError("holds weights of other features", where=str(path), allowed="a file of this version")
        return Weights(np.ascontiguousarray(found["numbers"], np.int32), json.loads(str(found["about"])))


@cache
def shipped() -> Weights:
    """The weights of the package."""
    return read_weights(files("agentsim.games.agent_avenue.solver.advanced") / "weights.npz")


@cache
def facts_of(rules: Rules) -> NDArray[np.int64]:
    """Rules as the player reads them, (N_FACTS,): agents and market cards by the features' order, types of hands.

    Raises InputError for rules that the features do not fit: other modes and boards, the expansion, agents that the
    box does not have. Black Market cards that it does not have count as worth nothing beyond what they do at once.
    """
    if not rules.advanced:
        raise InputError("solver_advanced knows only the advanced mode", key="policies", allowed="rules.mode = advanced"
                         "; in the base game: solver")
    if rules.teams or rules.with_m:
        raise InputError("solver_advanced knows only two players and no expansion", key="policies",
                         allowed="rules.players = 2, no expansion")
    plain = Rules()
    for key in _FIXED:
        if getattr(rules, key) != getattr(plain, key):
            raise InputError("solver_advanced knows only the board of the box", key=f"rules.{key}",
                             allowed=str(getattr(plain, key)))
    for name in rules.names:
        if name not in AGENTS:
            raise InputError("solver_advanced knows only the agents of the box", key=f"cards.{name}",
                             allowed=", ".join(AGENTS))
    if not 2 <= rules.hand_size <= 6:
        raise InputError("solver_advanced cannot hold such a hand", key="rules.hand_size", allowed="2 to 6")
    facts = np.zeros(network.N_FACTS, np.int64)
    n = len(rules.names)
    facts[FACT_AGENT:FACT_AGENT + n] = [AGENTS.index(name) for name in rules.names]
    facts[FACT_CARD:FACT_CARD + 64] = -1
    for copy, number in enumerate(rules.pile):
        if rules.market_cards[number].id in CARDS:
            facts[FACT_CARD + copy] = CARDS.index(rules.market_cards[number].id)
    sets, start, pairs, pair_of = sets_of(n, min(rules.hand_size, n))
    facts[player.F_SETS], facts[player.F_PAIRS] = len(sets), len(pairs)
    facts[player.F_PAIR_OF:player.F_PAIR_OF + SIZE * SIZE].reshape(SIZE, SIZE)[:n, :n] = pair_of
    facts[player.F_TYPE_AT:player.F_TYPE_AT + (1 << SIZE)] = -1
    facts[player.F_TYPE_AT + sets] = np.arange(len(sets))
    lists = np.concatenate([sets, start, pairs])
    facts[player.F_LISTS:player.F_LISTS + len(lists)] = lists
    facts.setflags(write=False)
    return facts


def fitted_row(params: Mapping[str, float], weights: Weights, facts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The row that the player reads. The arrays must live as long as the row is used: it holds their addresses."""
    row = np.zeros(network.ROW_SIZE)
    row[:len(ADVANCED_PARAMETERS)] = [params.get(each.name, each.default) for each in ADVANCED_PARAMETERS]
    row[network.WEIGHTS], row[network.FACTS] = weights.numbers.ctypes.data, facts.ctypes.data
    return row
