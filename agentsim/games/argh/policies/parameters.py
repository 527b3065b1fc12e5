"""The parameters of ARGH's policies, and how they become a kernel's row."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from agentsim.games.argh.rules import Rules

__all__ = ["ROW_SIZE", "SCRATCH_SIZE", "WORK_SIZE", "policy_row"]

ROW_SIZE = 4
SCRATCH_SIZE = 8
WORK_SIZE = 8


def policy_row(family: str, params: Mapping[str, float], rules: Rules) -> NDArray[np.float64]:
    """The row that the kernel reads for a policy."""
    return np.zeros(ROW_SIZE)
