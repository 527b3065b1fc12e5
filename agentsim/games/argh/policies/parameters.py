"""The parameters of the ``schemer`` family: name, range, default and meaning; and how they become a kernel's row."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from agentsim.games.argh.rules import Rules
from agentsim.games.families import Parameter

__all__ = ["ROW_SIZE", "SCHEMER_PARAMETERS", "SCRATCH_SIZE", "WORK_SIZE", "Parameter", "policy_row"]


SCHEMER_PARAMETERS: tuple[Parameter, ...] = (
    # What a card is worth, in points, to whoever gets it.
    Parameter("spy", -40, 60, 20, "worth of getting the number of spies even; odd costs as much"),
    Parameter("bomb", -40, 60, 10, "worth of a first bomb part"),
    Parameter("blast", 0, 200, 50, "worth of the bomb part that wins"),
    Parameter("prospect", 0, 1, 0.4, "share of the next lizard's gain that counts with this one"),
    Parameter("rival", -2, 4, 0.8, "weight of what the others get, all together, against what I get"),
    Parameter("block", 0, 4, 1.4, "further weight of a bomb part that would make another player win"),
    # How it begins a turn.
    Parameter("thievery", -60, 60, 5, "taste for stealing, in points"),
    Parameter("keepers", 0, 1, 0.7, "how far it believes that cards kept face down are good for their owner"),
    Parameter("dump", 0, 1, 0.8, "share of a bad card's worth that it expects to bear itself, after offering it"),
    Parameter("rush", -5, 5, -1, "taste for small piles, in points for each card fewer: hurries the end"),
    # What it does with the card it drew.
    Parameter("secrecy", -60, 60, -4, "taste for keeping the card face down, in points"),
    Parameter("theft_fear", 0, 1, 0.5, "share of a good card's worth that keeping it face down puts at risk"),
    Parameter("appeal", -3, 3, 2, "how far it believes that others accept what their prospects with a location say"),
    Parameter("reading", -3, 3, 0.3, "how far it believes that others go on accepting as often as they have so far"),
    Parameter("bluff", -30, 30, 3, "taste for offers that are not what they seem: a good card where the asked player "
              "has to expect a bad one, or a bad one for a good one, in points"),
    # How it answers.
    Parameter("suspicion", -1, 1, 0.4, "how far it believes that offers are bad for who makes them (negative: good)"),
    Parameter("threshold", -80, 80, 1, "accepts when that promises more than so many points"),
    # How steadily it plays.
    Parameter("noise", 0, 40, 0.5, "spread of a random amount added to every option, in points"),
)
"""In the order in which they stand in a parameter row."""

(SPY, BOMB, BLAST, PROSPECT, RIVAL, BLOCK, THIEVERY, KEEPERS, DUMP, RUSH, SECRECY, THEFT_FEAR, APPEAL, READING, BLUFF,
 SUSPICION, THRESHOLD, NOISE) = range(len(SCHEMER_PARAMETERS))
ROW_SIZE = len(SCHEMER_PARAMETERS)
SCRATCH_SIZE = 64
"""Whole numbers of work space that policies need: a summary of 16 for each player."""
WORK_SIZE = 8


def policy_row(family: str, params: Mapping[str, float], rules: Rules) -> NDArray[np.float64]:
    """The row that the kernel reads for a policy; what ``params`` leaves out keeps the family's default."""
    row = np.zeros(ROW_SIZE)
    if family == "schemer":
        row[:] = [params.get(parameter.name, parameter.default) for parameter in SCHEMER_PARAMETERS]
    return row
