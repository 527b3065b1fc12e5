"""What the game learned after its first runs, the base game's: see :meth:`agentsim.games.base.Game.additions`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from agentsim.games.agent_avenue.policies.parameters import PLANNER_PARAMETERS
from agentsim.games.agent_avenue.rules import Rules, settings_of

__all__ = ["additions"]

_FIRST_KEYS = re.compile(
    r"rules\.(mode|hand_size|discards|ring|home_0|home_1|tie_rule)|cards\.\w+\.(copies|first|second|third|wins_at|loses_at)")
_LAST_PARAMETER = "reserve"
"""The last parameter that the planner had at first."""


@cache
def additions() -> Mapping[str, Any]:
    """Later keys of the base game's rules and later parameters, with the values that leave the base game as it was."""
    keys = {key: value for key, value in settings_of(Rules()).items() if not _FIRST_KEYS.fullmatch(key)}
    names = [parameter.name for parameter in PLANNER_PARAMETERS]
    later = PLANNER_PARAMETERS[names.index(_LAST_PARAMETER) + 1:]
    return keys | {f"planner.{parameter.name}": float(parameter.default) for parameter in later}
