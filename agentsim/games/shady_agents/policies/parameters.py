"""The parameters of the ``sleuth`` family: name, range, default and meaning; and how they become a kernel's row."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from agentsim.games.families import Parameter
from agentsim.games.shady_agents.rules import Rules
from agentsim.games.shady_agents.table import E_BULLET, E_FALSE, E_MEDKIT, E_NO, E_TRUE, E_YES, EVIDENCE, evidence

__all__ = ["ROW_SIZE", "SLEUTH_PARAMETERS", "Parameter", "policy_row"]


SLEUTH_PARAMETERS: tuple[Parameter, ...] = (
    # The first round: give a tool, or call an interrogation.
    Parameter("sure_medkit", 0, 1.1, 0.5, "gives the medkit in the first round when at least so sure of a friend "
              "(above 1: never, while it may call)"),
    Parameter("sure_bullet", 0, 1.1, 0.65, "gives the bullet in the first round when at least so sure of an enemy"),
    Parameter("free_call", -1, 1, 0.35, "wants to be so much surer before it forgoes a free interrogation"),
    Parameter("enough_calls", 0, 10, 10, "calls only while there have been fewer interrogations than this", whole=True),
    Parameter("medkit_first", -1, 1, 0, "head start of the medkit when both tools could be given"),
    Parameter("throw_bullet", -1, 1, 0, "leaning to the bullet as the tool that it throws away (0: the one that it "
              "could place less surely)"),
    # What it believes.
    Parameter("verified", 0, 3, 1, "weight of statements that it verified (1: as the model has it)"),
    Parameter("hearsay", 0, 3, 1, "weight of statements that it could not verify"),
    Parameter("tool_trust", 0, 3, 1, "weight of the tools that it received as evidence about the givers"),
    # Whom it chooses.
    Parameter("crowd", -1, 1, 0, "taste for players with whom tools lie already, in probability for each tool"),
    Parameter("bait", 0, 1, 0, "chance that in the first round it sends its medkit to the likeliest enemy, to seem a "
              "friend"),
    Parameter("noise", 0, 2, 0, "spread of a random amount added to every chance, in probability"),
)
"""In the order in which they stand in a parameter row; the weighted evidence follows."""

(SURE_MEDKIT, SURE_BULLET, FREE_CALL, ENOUGH_CALLS, MEDKIT_FIRST, THROW_BULLET, VERIFIED, HEARSAY, TOOL_TRUST, CROWD,
 BAIT, NOISE) = range(EVIDENCE, EVIDENCE + len(SLEUTH_PARAMETERS))
ROW_SIZE = EVIDENCE + len(SLEUTH_PARAMETERS)
_WEIGHTS = {E_YES: "hearsay", E_NO: "hearsay", E_TRUE: "verified", E_FALSE: "verified", E_MEDKIT: "tool_trust",
            E_BULLET: "tool_trust"}


def policy_row(family: str, params: Mapping[str, float], rules: Rules) -> NDArray[np.float64]:
    """The row that the kernel reads for a policy; what ``params`` leaves out keeps the family's default.

    First the log likelihood ratios of the kinds of evidence (``E_...``) under ``rules``, as this policy weighs them (a
    weight of 0 ignores even what is certain), then the parameters. Families without parameters learn as the model does.
    """
    row = np.zeros(ROW_SIZE)
    row[:EVIDENCE] = evidence(rules)
    if family == "sleuth":
        values = {parameter.name: params.get(parameter.name, parameter.default) for parameter in SLEUTH_PARAMETERS}
        row[EVIDENCE:] = list(values.values())
        for kind, name in _WEIGHTS.items():
            row[kind] = values[name] * row[kind] if values[name] > 0 else 0.0
    return row
