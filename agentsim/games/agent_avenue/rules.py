"""The rules of Agent Avenue as data, and as the one vector that jitted code reads.

:class:`Rules` (``ruleset.py``) holds every number and switch. :func:`make_rules` (``settings.py``) builds it from flat
settings such as ``{"rules.hand_size": 5, "cards.sentinel.third": 5}``, the one vocabulary of experiment files,
``--set`` and reports; :func:`key_table` documents it. :func:`compile_rules` makes the vector, so that no change of
rules needs a compilation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.ruleset import MAX_CARDS, MAX_COPIES, MAX_NAMES, TIE_RULES, Rules
from agentsim.games.agent_avenue.settings import key_table, make_rules, settings_of

__all__ = ["MAX_CARDS", "MAX_COPIES", "MAX_NAMES", "TIE_RULES", "Rules", "compile_rules", "key_table",
           "make_rules", "settings_of"]

NEVER = 99
"""In a compiled table: the size of a set that no number of copies completes."""
TIE_ACTIVE, TIE_PASSIVE, TIE_DRAW = range(3)

# --- rules as jitted code sees them: one int64 vector --------------------------------------------------------------
# Agents are numbers 0 .. N_NAMES - 1 in table order. One vector, because every array argument costs each call in jitted
# code some nanoseconds. Read as ``table[HAND_SIZE]`` or ``table[COPIES + name]``.
HAND_SIZE, DISCARDS, GAP_0, GAP_1, TIE_RULE, N_NAMES, N_CARDS, N_WINNING, N_LOSING, ALL_CARDS = range(10)
"""ALL_CARDS is the deck as a zone (see zones.py): 4 bits per agent, its copies."""
WINS_AT, LOSES_AT = 16, 32
"""By agent: how many in play complete its winning / losing set, ``NEVER`` where there is none."""
COPIES = 48
"""By agent: copies in the deck."""
WINNING, LOSING = 64, 80
"""The N_WINNING (N_LOSING) agents that have such a set."""
MOVES = 96
"""``table[MOVES + 16 * name + count]``: the move of recruiting ``name`` as the ``count``-th copy in play (from 1)."""
SETS = MOVES + 16 * 16
"""``table[SETS + 16 * name + count]``: the bits WIN and LOSE, for the sets that so many copies in play complete."""
WIN, LOSE = 1, 2
CARDS = SETS + 16 * 16
"""The N_CARDS agent cards, sorted."""
TABLE_SIZE = CARDS + MAX_CARDS


def compile_rules(rules: Rules) -> NDArray[np.int64]:
    """The rules as one vector for jitted code; the offsets above say what stands where."""
    table = np.zeros(TABLE_SIZE, dtype=np.int64)
    table[HAND_SIZE], table[DISCARDS] = rules.hand_size, rules.discards
    table[TIE_RULE] = TIE_RULES.index(rules.tie_rule)
    table[GAP_0], table[GAP_1] = rules.gap_0, rules.gap_1
    table[N_NAMES], table[N_CARDS] = len(rules.cards), rules.n_cards
    for number, card in enumerate(rules.cards):
        moves = table[MOVES + 16 * number:MOVES + 16 * number + 16]
        moves[1], moves[2], moves[3:] = card.first, card.second, card.third
        table[COPIES + number] = card.copies
        table[ALL_CARDS] += card.copies << 4 * number
    for listed, sizes, n_listed, attribute in ((WINNING, WINS_AT, N_WINNING, "wins_at"),
                                               (LOSING, LOSES_AT, N_LOSING, "loses_at")):
        numbers = [number for number, card in enumerate(rules.cards) if getattr(card, attribute)]
        table[listed:listed + len(numbers)], table[n_listed] = numbers, len(numbers)
        table[sizes:sizes + MAX_NAMES] = NEVER
        for number in numbers:
            size = table[sizes + number] = getattr(rules.cards[number], attribute)
            table[SETS + 16 * number + size:SETS + 16 * number + 16] |= WIN if attribute == "wins_at" else LOSE
    table[CARDS:CARDS + rules.n_cards] = np.repeat(np.arange(MAX_NAMES), table[COPIES:COPIES + MAX_NAMES])
    return table
