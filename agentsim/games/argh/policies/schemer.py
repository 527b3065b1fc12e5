"""The parameterised family: prices cards for itself and the others, doubts offers, bluffs, steals, blocks.

Every decision compares options by their worth in points: what I get, minus what the others get times ``rival``, plus
tastes. Beliefs start from what is left unseen of a location and lean by who holds or offers the card: kept cards are
rather good for their keeper (``keepers``), offered ones rather bad for who offers (``suspicion``).
"""

from __future__ import annotations

import numpy as np

from agentsim.games.argh.bits import first, size
from agentsim.games.argh.policies.parameters import (
    APPEAL,
    BLAST,
    BLOCK,
    BLUFF,
    DUMP,
    KEEPERS,
    NOISE,
    READING,
    RIVAL,
    RUSH,
    SECRECY,
    SUSPICION,
    THEFT_FEAR,
    THIEVERY,
    THRESHOLD,
)
from agentsim.games.argh.policies.worth import summarise, worth
from agentsim.games.argh.table import OF_LOCATION
from agentsim.games.argh.view import KEEP, PASS, STEAL
from agentsim.jit import jit
from agentsim.rng import unit, word

__all__ = ["schemer_answer", "schemer_choose", "schemer_place"]

_SCALE = 8.0
"""Points at which a belief about a card is fully bent."""


@jit
def _up(view, player):
    """The face-up cards of the player so many seats to the left."""
    if player == 0:
        return view.up_0
    if player == 1:
        return view.up_1
    return view.up_2 if player == 2 else view.up_3


@jit
def _down(view, player):
    """The places of that player's face-down cards."""
    if player == 1:
        return view.down_1
    return view.down_2 if player == 2 else view.down_3


@jit
def _summarise_all(view, scratch, table):
    """Sum up what I know of everybody: of others the face-up cards, of me all."""
    summarise(view.up_0 | view.held, 0, scratch, table)
    for player in range(1, view.players):
        summarise(_up(view, player), player, scratch, table)


@jit
def _unseen(view, table, location):
    """The cards of a location that I have not seen: on the pile, put aside, or face down before others."""
    seen = view.up_0 | view.up_1 | view.up_2 | view.up_3 | view.held | view.seen
    if view.card >= 0:
        seen |= np.int64(1) << view.card
    return table[OF_LOCATION + location] & ~seen


@jit
def _theirs(card, player, view, scratch, table, rows, policy):
    """What it costs me that another player gets a card."""
    value = worth(card, player, scratch, table, rows, policy)
    if value == rows[policy, BLAST]:
        value *= rows[policy, BLOCK]
    return value * rows[policy, RIVAL] / (view.players - 1)


@jit
def _bend(value):
    """A worth in points as a lean between -1 and 1."""
    return min(max(value / _SCALE, -1.0), 1.0)


@jit
def _shaken(key, option, rows, policy):
    """The random amount added to an option: triangular around 0."""
    if rows[policy, NOISE] == 0.0:
        return 0.0
    return rows[policy, NOISE] * (unit(word(key, 2 * option)) + unit(word(key, 2 * option + 1)) - 1.0)


@jit
def _pile_worth(view, scratch, table, rows, policy, location):
    """What drawing from a pile promises: a good card in full, of a bad one what offering it leaves me."""
    unseen = _unseen(view, table, location)
    total, count = 0.0, size(unseen)
    while unseen != 0:
        mine = worth(first(unseen), 0, scratch, table, rows, policy)
        total += mine if mine > 0.0 else rows[policy, DUMP] * mine
        unseen &= unseen - np.int64(1)
    return total / max(count, 1)


@jit
def _theft_worth(view, scratch, table, rows, policy, player, location):
    """What stealing a card of a location from a player promises: it is believed to be good for its keeper."""
    unseen = _unseen(view, table, location)
    total, weights = 0.0, 0.0
    while unseen != 0:
        card = first(unseen)
        theirs = worth(card, player, scratch, table, rows, policy)
        weight = 1.02 + rows[policy, KEEPERS] * _bend(theirs)
        total += weight * (worth(card, 0, scratch, table, rows, policy)
                           + _theirs(card, player, view, scratch, table, rows, policy))
        weights += weight
        unseen &= unseen - np.int64(1)
    return total / weights if weights > 0.0 else 0.0


@jit
def schemer_choose(view, table, rows, policy, scratch, key):
    """Draw from a pile (0, 1, 2), steal a card (``STEAL + place``) or, without either, pass."""
    _summarise_all(view, scratch, table)
    best, choice = -np.inf, np.int64(PASS)
    for location in range(3):
        left = view.left_0 if location == 0 else view.left_1 if location == 1 else view.left_2
        if left > 0:
            value = _pile_worth(view, scratch, table, rows, policy, location) - rows[policy, RUSH] * left
            value += _shaken(key, location, rows, policy)
            if value > best:
                best, choice = value, np.int64(location)
    for player in range(1, view.players):
        for location in range(3):
            places = _down(view, player) & table[OF_LOCATION + location]
            if places != 0:
                value = _theft_worth(view, scratch, table, rows, policy, player, location) + rows[policy, THIEVERY]
                value += _shaken(key, 3 * player + location, rows, policy)
                if value > best:
                    # Cards of one owner and location look alike; the one laid first is taken.
                    best, choice = value, STEAL + first(places)
    return choice


@jit
def _acceptance(view, scratch, table, rows, policy, player, location, card):
    """``(chance that a player accepts a card of a location, what it has to expect of one in points)``."""
    # The asked player knows no more of the card than that it is none of those in sight.
    unseen = _unseen(view, table, location) | (np.int64(1) << card)
    expected, count = 0.0, size(unseen)
    while unseen != 0:
        expected += worth(first(unseen), player, scratch, table, rows, policy)
        unseen &= unseen - np.int64(1)
    expected /= count
    asks = view.asks_1 if player == 1 else view.asks_2 if player == 2 else view.asks_3
    yes = view.yes_1 if player == 1 else view.yes_2 if player == 2 else view.yes_3
    # Laplace's rule: before the first answer yes and no are even.
    lean = rows[policy, APPEAL] * expected / 4.0 + rows[policy, READING] * (8.0 * (yes + 1.0) / (asks + 2.0) - 4.0)
    return 0.5 + 0.5 * lean / (1.0 + abs(lean)), expected


@jit
def schemer_place(view, table, rows, policy, scratch, key, location):
    """Keep the card (0) or offer it to the player so many seats to the left."""
    _summarise_all(view, scratch, table)
    card = view.card
    mine = worth(card, 0, scratch, table, rows, policy)
    best = mine + rows[policy, SECRECY] + _shaken(key, 0, rows, policy)
    if mine > 0.0:
        best -= rows[policy, THEFT_FEAR] * mine
    choice = np.int64(KEEP)
    for player in range(1, view.players):
        chance, expected = _acceptance(view, scratch, table, rows, policy, player, location, card)
        value = (1.0 - chance) * mine - chance * _theirs(card, player, view, scratch, table, rows, policy)
        if worth(card, player, scratch, table, rows, policy) * expected < 0.0:
            value += rows[policy, BLUFF]
        value += _shaken(key, player, rows, policy)
        if value > best:
            best, choice = value, np.int64(player)
    return choice


@jit
def schemer_answer(view, table, rows, policy, scratch, key):
    """1 to accept, 0 to refuse."""
    _summarise_all(view, scratch, table)
    offerer = view.offerer
    unseen = _unseen(view, table, view.offered)
    total, weights = 0.0, 0.0
    while unseen != 0:
        card = first(unseen)
        theirs = worth(card, offerer, scratch, table, rows, policy)
        weight = 1.02 - rows[policy, SUSPICION] * _bend(theirs)
        # Refused, the card lies before the one who offered it.
        total += weight * (worth(card, 0, scratch, table, rows, policy)
                           + _theirs(card, offerer, view, scratch, table, rows, policy))
        weights += weight
        unseen &= unseen - np.int64(1)
    value = total / weights + _shaken(key, 0, rows, policy)
    return np.int64(value > rows[policy, THRESHOLD])
