"""What a card is worth to a player whose other cards are known: the eyes of the ``schemer`` family.

A quick estimate in points of what :func:`agentsim.games.argh.scoring.outcome` would say, with a price for what the
total does not show: spies by their parity, bomb parts by what they threaten. A player's cards are summed up once
(:func:`summarise`), then any card can be priced (:func:`worth`).
"""

from __future__ import annotations

import numpy as np

from agentsim.games.argh.bits import first, size
from agentsim.games.argh.policies.parameters import BLAST, BOMB, PROSPECT, SPY
from agentsim.games.argh.table import (
    BOMBS,
    BOMBS_TO_WIN,
    BROTHERS,
    HAMSTERS,
    LIZARD_SET,
    LIZARDS,
    MOSQUITOES,
    NEGATIVE,
    POSITIVE,
    SCIENTISTS,
    SPIDERS,
    SPIES,
    STARS,
    TWIN_VALUE,
    TWINS,
    VALUE,
)
from agentsim.jit import jit

__all__ = ["summarise", "worth"]

# A summary in the scratch space: 16 numbers for each relative seat.
WORST, BEST, LEAST, N_LIZARDS, N_SPIES, N_BOMBS, N_STARS, TWIN, MOSQUITO, HAMSTER, SCIENTIST = range(11)
SUMMARY = 16


@jit
def summarise(cards, player, scratch, table):
    """Sum up a player's known cards into ``scratch[SUMMARY * player:]``.

    Worst negative and best and least positive number (0 without), numbers of lizards, spies, bomb parts and stars,
    whether the brother's twin and which modifiers are there.
    """
    worst, best, least = np.int64(0), np.int64(0), np.int64(0)
    numbered = cards & (table[POSITIVE] | table[NEGATIVE])
    while numbered != 0:
        value = table[VALUE + first(numbered)]
        worst = min(worst, value)
        best = max(best, value)
        if value > 0 and (least == 0 or value < least):
            least = value
        numbered &= numbered - np.int64(1)
    lizards = size(cards & table[LIZARDS])
    if lizards > 0:
        gain = table[LIZARD_SET + lizards] - table[LIZARD_SET + lizards - 1]
        best = max(best, gain)
        least = gain if least == 0 else min(least, gain)
    at = SUMMARY * player
    scratch[at + WORST], scratch[at + BEST], scratch[at + LEAST] = worst, best, least
    scratch[at + N_LIZARDS] = lizards
    scratch[at + N_SPIES] = size(cards & table[SPIES])
    scratch[at + N_BOMBS] = size(cards & table[BOMBS])
    scratch[at + N_STARS] = size(cards & table[STARS])
    scratch[at + TWIN] = cards & table[TWINS]
    scratch[at + MOSQUITO] = cards & table[MOSQUITOES]
    scratch[at + HAMSTER] = cards & table[HAMSTERS]
    scratch[at + SCIENTIST] = cards & table[SCIENTISTS]


@jit
def worth(card, player, scratch, table, rows, policy):
    """What one more card is worth to a player that was summed up, in points."""
    one = np.int64(1) << card
    at = SUMMARY * player
    worst, best = scratch[at + WORST], scratch[at + BEST]
    if one & (table[POSITIVE] | table[NEGATIVE]) != 0:
        value = table[VALUE + card]
        if one & table[BROTHERS] != 0 and scratch[at + TWIN] != 0:
            value = table[TWIN_VALUE]
        if value > 0:
            # The scientist takes the strongest; the former one comes back.
            return np.float64(best if scratch[at + SCIENTIST] != 0 and value > best else value)
        if value < worst:
            # The mosquito turns the worst, the hamster cancels it; the former one comes back.
            if scratch[at + MOSQUITO] != 0:
                return np.float64(2 * worst - value)
            if scratch[at + HAMSTER] != 0:
                return np.float64(worst)
        return np.float64(value)
    spy = rows[policy, SPY]
    spies = scratch[at + N_SPIES]
    if one & table[LIZARDS] != 0:
        n = scratch[at + N_LIZARDS]
        gain = np.float64(table[LIZARD_SET + n + 1] - table[LIZARD_SET + n])
        if n < 2:
            gain += rows[policy, PROSPECT] * (table[LIZARD_SET + n + 2] - table[LIZARD_SET + n + 1])
        return gain
    if one & table[SPIES] != 0:
        if spies == 0 and scratch[at + HAMSTER] != 0 and worst == 0:
            return 0.0
        return spy if spies & 1 != 0 else -spy
    if one & table[BOMBS] != 0:
        return rows[policy, BLAST] if scratch[at + N_BOMBS] + 1 >= table[BOMBS_TO_WIN] else rows[policy, BOMB]
    if one & table[MOSQUITOES] != 0:
        return np.float64(-2 * worst if worst < 0 else -2 * scratch[at + LEAST])
    if one & table[HAMSTERS] != 0:
        if worst < 0:
            return np.float64(-worst)
        return 0.0 if spies == 0 else spy if spies & 1 != 0 else -spy
    if one & table[SCIENTISTS] != 0:
        return np.float64(-best)
    if one & table[SPIDERS] != 0:
        return np.float64(scratch[at + N_STARS] + 1)
    return 0.0
