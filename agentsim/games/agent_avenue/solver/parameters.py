"""The parameters of the ``solver`` family, and where they and the table stand in a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.families import Parameter

__all__ = ["ANSWERS", "FACTS", "INFORMED", "N_STATES", "ROW_SIZE", "SOLVER_PARAMETERS", "VALUES", "parameter_at",
           "solver_row"]

SOLVER_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("offer_tau", 0, 0.2, 0.01, "temperature of its offers, in winning chance: 0 always the best"),
    Parameter("take_tau", 0, 0.2, 0.01, "temperature of its answers, in winning chance: 0 always the better"),
    Parameter("own_hand", 0, 1, 1, "how far it values a position by the offers that its own hand allows there (0: by "
              "those of an average hand)"),
    Parameter("naive", 0, 1, 0, "share of belief that a hidden card is any unseen card, however others would offer"),
    Parameter("table_answers", 0, 1, 0, "how often it answers by the table alone, whatever its hand"),
    Parameter("margin", 0, 1, 0.025, "discards when the best offer is expected to gain this much (1: never)"),
    Parameter("reserve", 0, 0.1, 0, "added to the margin for each discard already used"),
    Parameter("sure", 0, 1, 0.05, "gain, in winning chance, above which its own hand decides whatever the table says; "
              "twice that by the rules of the box, where kept hands are known (1: never)"),
)
"""In the order in which they stand in a parameter row; the addresses of the table's arrays follow."""

INFORMED = 15
"""Above 0: offers reckon with the bonus of the receiver's hand."""
VALUES, ANSWERS, FACTS, N_STATES = range(16, 20)
ROW_SIZE = 24


def parameter_at(name: str) -> int:
    """Where a parameter stands in a row."""
    return [parameter.name for parameter in SOLVER_PARAMETERS].index(name)


def solver_row(params: Mapping[str, float], values: NDArray[Any], answers: NDArray[Any], facts: NDArray[np.int64],
               *, informed: bool = True) -> NDArray[np.float64]:
    """The row that the player reads. The arrays must live as long as the row is used: it holds their addresses."""
    row = np.zeros(ROW_SIZE)
    row[:len(SOLVER_PARAMETERS)] = [params.get(each.name, each.default) for each in SOLVER_PARAMETERS]
    # Addresses are below 2 ** 53, so a float holds them exactly.
    row[VALUES], row[ANSWERS], row[FACTS] = values.ctypes.data, answers.ctypes.data, facts.ctypes.data
    row[N_STATES], row[INFORMED] = len(values), informed
    return row
