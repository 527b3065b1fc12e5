"""What the cards before a player are worth at the end: ruling A5, solved exactly.

The owner applies mosquitoes, hamsters and scientists one after another in the order that suits best; each must hit when
it has a legal target at that moment, and no card is hit twice. :func:`outcome` tries every order and every choice of
target (lizards among themselves and spies among themselves are alike, so one of each stands for all) and keeps the
best: first an even number of spies, then the highest total. ``docs/rules/argh.md`` has the rules and worked examples.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.argh.bits import first, size
from agentsim.games.argh.table import (
    BROTHERS,
    HAMSTER_FREE,
    HAMSTERS,
    LIZARD_SET,
    LIZARDS,
    MOSQUITOES,
    NEGATIVE,
    POSITIVE,
    PRINTED,
    SCIENTISTS,
    SPIDERS,
    SPIES,
    STARS,
    TWIN_VALUE,
    TWINS,
    VALUE,
)
from agentsim.jit import jit

__all__ = ["highest_card", "is_even", "outcome", "points"]

EVEN = np.int64(1) << np.int64(20)
"""Added to the total when the number of spies is even, so that one comparison ranks outcomes as the owner does."""
_HALF = np.int64(1) << np.int64(19)


@jit
def is_even(result):
    """Whether an outcome has an even number of spies (the player is not out)."""
    return result >= _HALF


@jit
def points(result):
    """The total of an outcome."""
    return result - EVEN if result >= _HALF else result


@jit
def _worth(card, unhit, stars, twin, table):
    """What the total loses when an unhit card goes: a lizard what its set loses, a spider its stars."""
    one = np.int64(1) << card
    if one & table[LIZARDS] != 0:
        n = size(unhit & table[LIZARDS])
        return table[LIZARD_SET + n] - table[LIZARD_SET + n - 1]
    if one & table[SPIDERS] != 0:
        return stars
    if twin and one & table[BROTHERS] != 0:
        return table[TWIN_VALUE]
    return table[VALUE + card]


@jit
def _best(unhit, total, mosquitoes, hamsters, scientists, stars, twin, table):
    """The best outcome from here on: ``unhit`` cards have not been hit, so many modifiers are still to be applied."""
    if mosquitoes + hamsters + scientists == 0:
        return total + (EVEN if size(unhit & table[SPIES]) & 1 == 0 else np.int64(0))
    best = -EVEN
    lizards = unhit & table[LIZARDS]
    one_lizard = lizards & -lizards

    if mosquitoes > 0:
        targets = (unhit & (table[POSITIVE] | table[NEGATIVE] | table[SPIDERS])) | one_lizard
        if targets == 0:
            best = max(best, _best(unhit, total, mosquitoes - 1, hamsters, scientists, stars, twin, table))
        while targets != 0:
            one = targets & -targets
            targets ^= one
            loss = _worth(first(one), unhit, stars, twin, table)
            # A flipped lizard counts minus a single one, everything else minus what it was worth.
            turned = table[LIZARD_SET + 1] if one == one_lizard else loss
            best = max(best, _best(unhit ^ one, total - loss - turned, mosquitoes - 1, hamsters, scientists, stars,
                                   twin, table))
    if hamsters > 0:
        targets = unhit & table[NEGATIVE]
        spies = unhit & table[SPIES]
        one_spy = spies & -spies
        if targets == 0 or table[HAMSTER_FREE] != 0:
            targets |= one_spy
        if targets == 0:
            best = max(best, _best(unhit, total, mosquitoes, hamsters - 1, scientists, stars, twin, table))
        while targets != 0:
            one = targets & -targets
            targets ^= one
            loss = np.int64(0) if one == one_spy else _worth(first(one), unhit, stars, twin, table)
            best = max(best, _best(unhit ^ one, total - loss, mosquitoes, hamsters - 1, scientists, stars, twin, table))
    if scientists > 0:
        targets = (unhit & (table[POSITIVE] | table[SPIDERS])) | one_lizard
        if targets == 0:
            best = max(best, _best(unhit, total, mosquitoes, hamsters, scientists - 1, stars, twin, table))
        strongest = np.int64(-1)
        scan = targets
        while scan != 0:
            strongest = max(strongest, _worth(first(scan), unhit, stars, twin, table))
            scan &= scan - np.int64(1)
        while targets != 0:
            one = targets & -targets
            targets ^= one
            if _worth(first(one), unhit, stars, twin, table) == strongest:
                best = max(best, _best(unhit ^ one, total - strongest, mosquitoes, hamsters, scientists - 1, stars,
                                       twin, table))
    return best


@jit
def outcome(cards, table):
    """The outcome of a set of cards: read it with :func:`points` and :func:`is_even`; greater is better."""
    stars = size(cards & table[STARS])
    twin = cards & table[TWINS] != 0
    numbered = cards & (table[POSITIVE] | table[NEGATIVE])
    total = table[LIZARD_SET + size(cards & table[LIZARDS])] + stars * size(cards & table[SPIDERS])
    while numbered != 0:
        total += table[VALUE + first(numbered)]
        numbered &= numbered - np.int64(1)
    if twin:
        brothers = cards & table[BROTHERS]
        while brothers != 0:
            total += table[TWIN_VALUE] - table[VALUE + first(brothers)]
            brothers &= brothers - np.int64(1)
    return _best(cards, total, size(cards & table[MOSQUITOES]), size(cards & table[HAMSTERS]),
                 size(cards & table[SCIENTISTS]), stars, twin, table)


@jit
def highest_card(cards, table):
    """The highest printed number among the cards, for the tie-break; 0 without cards."""
    if cards == 0:
        return np.int64(0)
    highest = table[PRINTED + first(cards)]
    cards &= cards - np.int64(1)
    while cards != 0:
        highest = max(highest, table[PRINTED + first(cards)])
        cards &= cards - np.int64(1)
    return highest
