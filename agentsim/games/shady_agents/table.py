"""Rules as jitted code sees them: one vector of whole numbers, so that no change of rules needs a compilation.

The names below say what stands where: ``table[PLAYERS]``. Probabilities stand as thresholds: a 32-bit random number
below ``table[VERIFIABLE]`` means that a listener knows the truth.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from agentsim.games.shady_agents.rules import Rules

__all__ = ["EVIDENCE", "TABLE_SIZE", "compile_rules", "evidence"]

PLAYERS, OWN_TOOLS, TWO_TO_ONE, CALLER_ANSWERS, INTERROGATIONS, FREE, REVERSE = range(7)
BONUS, BULLET_POINTS, MEDKIT_POINTS = 7, 8, 9
TIE = 10
"""The side that wins when points and medkits are level; -1 for nobody."""
BASE_RATE, VERIFIABLE, MISREAD = 11, 12, 13
TABLE_SIZE = 16

E_YES, E_NO, E_TRUE, E_FALSE, E_MEDKIT, E_BULLET = range(6)
"""What can be learnt: an unverified yes or no, a verified statement found true or false, a medkit or a bullet."""
EVIDENCE = 6


def compile_rules(rules: Rules) -> NDArray[np.int64]:
    """The rules as one vector for jitted code; the offsets above say what stands where."""
    table = np.zeros(TABLE_SIZE, dtype=np.int64)
    table[PLAYERS] = rules.players
    table[OWN_TOOLS], table[TWO_TO_ONE] = rules.own_tools, rules.two_to_one
    table[CALLER_ANSWERS], table[INTERROGATIONS] = rules.caller_answers, rules.interrogations
    table[FREE], table[REVERSE] = rules.free_interrogation, rules.second_round == "reverse"
    table[BONUS] = rules.odd_bonus if rules.is_odd else 0
    table[BULLET_POINTS], table[MEDKIT_POINTS] = rules.bullet, rules.medkit
    table[TIE] = {"draw": -1, "law": 0, "crooked": 1}[rules.tie]
    for place, rate in ((BASE_RATE, rules.base_rate), (VERIFIABLE, rules.verifiable), (MISREAD, rules.misread)):
        table[place] = round(rate * 2**32)
    return table


def evidence(rules: Rules) -> NDArray[np.float64]:
    """Log likelihood ratios of the six kinds of evidence, by ``E_...``.

    The first four weigh *law-abiding* against *crooked*, the last two *friend* against *enemy*. Infinite where only
    one of the two can be; nan where neither can.
    """
    found = np.zeros(EVIDENCE)
    found[E_YES] = _log_ratio(rules.base_rate, 1 - rules.base_rate)
    found[E_NO] = -found[E_YES]
    found[E_TRUE] = _log_ratio(1 - rules.misread, rules.misread)
    found[E_FALSE] = -found[E_TRUE]
    found[E_MEDKIT] = _log_ratio(rules.p_medkit_friend, 1 - rules.p_bullet_enemy)
    found[E_BULLET] = _log_ratio(1 - rules.p_medkit_friend, rules.p_bullet_enemy)
    return found


def _log_ratio(above: float, below: float) -> float:
    if above == 0.0 or below == 0.0:
        return math.nan if above == below else math.inf if above > 0.0 else -math.inf
    return math.log(above) - math.log(below)
