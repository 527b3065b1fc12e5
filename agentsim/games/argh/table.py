"""Rules as jitted code sees them: one vector of whole numbers, so that no change of rules needs a compilation.

Cards are numbers 0 .. N_CARDS - 1, sorted by location; a set of cards is a word with one bit per card. The names below
say what stands where: ``table[PLAYERS]``, ``table[VALUE + card]``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentsim.games.argh.cards import LOCATIONS, Card
from agentsim.games.argh.rules import MAX_CARDS, Rules

__all__ = ["TABLE_SIZE", "compile_rules"]

PLAYERS, N_CARDS, ASIDE, BOMBS_TO_WIN, HAMSTER_FREE, TWIN_VALUE = range(6)
LIZARD_SET = 6
"""``table[LIZARD_SET + n]``: points for n lizards, n from 0 to 3."""
LIZARDS, SPIES, BOMBS, MOSQUITOES, HAMSTERS, SCIENTISTS, SPIDERS, BROTHERS, OWLS = range(10, 19)
"""Sets of cards by kind."""
POSITIVE, NEGATIVE, STARS, TWINS = range(19, 23)
"""Cards with a printed number above and below 0, cards with a star, cards that raise a brother's price."""
OF_LOCATION = 23
"""By location: the set of its cards; also the places of its pile."""
START, PILE = 26, 29
"""By location: its first card, and how many there are (those put aside included)."""
VALUE, PRINTED, LOCATION = 32, 32 + MAX_CARDS, 32 + 2 * MAX_CARDS
"""By card: its printed number (0 without), what it counts in the tie-break (a lizard 1), and its location."""
TABLE_SIZE = 32 + 3 * MAX_CARDS

_KINDS = {"lizard": LIZARDS, "spy": SPIES, "bomb": BOMBS, "mosquito": MOSQUITOES, "hamster": HAMSTERS,
          "scientist": SCIENTISTS, "spider": SPIDERS, "brother": BROTHERS, "owl": OWLS}


def compile_rules(rules: Rules) -> NDArray[np.int64]:
    """The rules as one vector for jitted code; the offsets above say what stands where."""
    table = np.zeros(TABLE_SIZE, dtype=np.int64)
    cards: tuple[Card, ...] = rules.cards
    table[PLAYERS], table[N_CARDS], table[ASIDE] = rules.players, len(cards), rules.aside
    table[BOMBS_TO_WIN], table[HAMSTER_FREE] = rules.bombs_to_win, rules.hamster == "free"
    table[LIZARD_SET + 1:LIZARD_SET + 4] = rules.lizards_1, rules.lizards_2, rules.lizards_3
    twins = {card.twin for card in cards if card.kind == "brother"}
    for number, card in enumerate(cards):
        one = 1 << number
        location = LOCATIONS.index(card.location)
        table[VALUE + number] = card.value
        table[PRINTED + number] = rules.lizards_1 if card.kind == "lizard" else card.value
        table[LOCATION + number] = location
        table[OF_LOCATION + location] |= one
        table[PILE + location] += 1
        if card.kind in _KINDS:
            table[_KINDS[card.kind]] |= one
        table[POSITIVE] |= one if card.value > 0 else 0
        table[NEGATIVE] |= one if card.value < 0 else 0
        table[STARS] |= one if card.star else 0
        table[TWINS] |= one if card.id in twins else 0
        if card.kind == "brother":
            table[TWIN_VALUE] = card.with_twin
    table[START + 1] = table[PILE]
    table[START + 2] = table[PILE] + table[PILE + 1]
    return table
