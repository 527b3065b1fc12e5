"""The rules of ARGH: the one implementation, used by the batch kernel, the step API and replay.

Read it beside ``docs/rules/argh.md``; the functions follow a turn: :func:`draw`, then :func:`keep` or :func:`offer` and
:func:`answer`; or :func:`steal`; or :func:`pass_turn`. Each ends the turn, and the game when it is over, unless an owl
was turned up: then :func:`peek` does. Jitted functions compute and never check: whoever calls them has made sure that
the action is legal.

The state of a game is one flat ``int64`` vector of :data:`STATE_SIZE` entries; the names below say what stands where.
A face-up card is known by its number. A face-down card is known to everybody by its *place*: the k-th card of a pile,
numbered so that the places of a location have the numbers of its cards; ``state[DECK + place]`` is the card that lay
there. So what is public (who has cards of which places) and what is not (which cards these are) never mix.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.argh.bits import bit, size
from agentsim.games.argh.rules import MAX_CARDS
from agentsim.games.argh.scoring import highest_card, is_even, outcome, points
from agentsim.games.argh.table import (
    ASIDE,
    BOMBS,
    BOMBS_TO_WIN,
    N_CARDS,
    OWLS,
    PILE,
    PLAYERS,
    START,
)
from agentsim.jit import jit
from agentsim.rng import below, word

# --- the state vector -------------------------------------------------------------------------------------------------
ACTIVE, TURN, PHASE = 0, 1, 2
LAST = 3  # turns still to come in the last round, the current one included; -1 before it
CARD, PLACE, ASKED = 4, 5, 6  # the card drawn in this turn, its place, the seat that it is offered to; -1 for none
PEEKER = 7  # the seat that may look at a card put aside; -1 for none
REASON, WINNERS, N_WINNERS = 8, 9, 10  # index into END_REASONS, set of seats, how many
DEAL = 11  # the deal's random stream
ACCEPTED, REFUSED, STOLEN = 12, 13, 14  # face-up cards by how they came to lie there
DRAWN = 16  # by location: cards taken off its pile so far, those put aside included
UP, DOWN, HELD = 20, 24, 28  # by seat: face-up cards; places of face-down cards; the face-down cards themselves
PEEKED = 32  # by seat: cards put aside that it has seen
POINTS, EVEN_SPIES, HIGHEST, SHARE = 36, 40, 44, 48  # by seat, at the end; shares in twelfths
KEYS = 52  # by seat: its random stream, for the batch kernel
ASKS, YES = 56, 60  # by seat: offers that it had to answer, and how many it accepted
DECK = 64  # by place: the card that lies there (beyond DRAWN: some order of the cards not yet drawn)
STATE_SIZE = DECK + MAX_CARDS

CHOOSING, PLACING, ANSWERING, PEEKING, OVER = range(5)
"""Phases: draw, steal or pass; keep or offer the drawn card; accept or refuse; look at a card put aside; ended."""

END_REASONS = ("bomb", "bomb_reveal", "points", "high_card", "shared", "nobody")
"""How a game ended: a bomb face up in play; at the reveal; most points; the highest card; a shared win; all out."""
BY_BOMB, BY_REVEAL, BY_POINTS, BY_HIGH_CARD, BY_SHARING, BY_NOBODY = range(6)
WHOLE_WIN = 12
"""A whole win in twelfths: shares of two, three and four are whole numbers, too."""


# --- setting up -------------------------------------------------------------------------------------------------------
@jit(inline="always")
def deal(state, table, stream):
    """Start a game: make the piles, put cards aside; seat 0 begins.

    ``stream`` is the deal's random stream; a word of it decides the k-th card of a pile, whoever draws it.
    """
    for index in range(DECK):
        state[index] = 0
    for place in range(table[N_CARDS]):
        state[DECK + place] = place
    state[DEAL] = np.int64(stream)
    state[LAST] = state[CARD] = state[PLACE] = state[ASKED] = state[PEEKER] = -1
    for location in range(3):
        for _ in range(table[ASIDE]):
            take_top(state, table, location)


@jit
def take_top(state, table, location):
    """Take the top card off a pile that is not empty: one step of a Fisher-Yates shuffle, done only when needed.

    Returns its place; the card is ``state[DECK + place]``.
    """
    k = state[DRAWN + location]
    place = table[START + location] + k
    pick = place + below(word(np.uint64(state[DEAL]), MAX_CARDS * location + k), table[PILE + location] - k)
    card = state[DECK + pick]
    state[DECK + pick] = state[DECK + place]
    state[DECK + place] = card
    state[DRAWN + location] = k + 1
    return place


@jit
def pile_left(state, table, location):
    """Cards left in a pile."""
    return table[PILE + location] - state[DRAWN + location]


@jit
def places_aside(table):
    """The set of places of the cards put aside: the first of each pile."""
    some = bit(table[ASIDE]) - np.int64(1)
    return some << table[START] | some << table[START + 1] | some << table[START + 2]


@jit
def next_seat(seat, players):
    """The seat to the left."""
    return seat + 1 if seat + 1 < players else np.int64(0)


@jit
def owner_of(state, table, place):
    """The seat before which the face-down card of that place lies, -1 if there is none."""
    for seat in range(table[PLAYERS]):
        if state[DOWN + seat] >> place & 1 != 0:
            return seat
    return -1


@jit
def others_down(state, table, seat):
    """The places of all face-down cards that lie before other players: what this seat may steal."""
    places = np.int64(0)
    for other in range(table[PLAYERS]):
        if other != seat:
            places |= state[DOWN + other]
    return places


# --- a turn -----------------------------------------------------------------------------------------------------------
@jit
def draw(state, table, location):
    """The active player takes the top card of a pile and looks at it."""
    place = take_top(state, table, location)
    state[PLACE] = place
    state[CARD] = state[DECK + place]
    state[PHASE] = PLACING


@jit(inline="always")
def keep(state, table):
    """The active player lays the drawn card face down before itself."""
    me = state[ACTIVE]
    state[DOWN + me] |= bit(state[PLACE])
    state[HELD + me] |= bit(state[CARD])
    end_turn(state, table)


@jit(inline="always")
def offer(state, seat):
    """The active player offers the drawn card, face down, to another seat."""
    state[ASKED] = seat
    state[ASKS + seat] += 1
    state[PHASE] = ANSWERING


@jit(inline="always")
def answer(state, table, accepted):
    """The asked player accepts or refuses; the card lies face up before the one or the other."""
    if accepted:
        state[ACCEPTED] |= bit(state[CARD])
        state[YES + state[ASKED]] += 1
        lay_up(state, table, state[ASKED], state[CARD])
    else:
        state[REFUSED] |= bit(state[CARD])
        lay_up(state, table, state[ACTIVE], state[CARD])


@jit(inline="always")
def steal(state, table, place):
    """The active player takes another's face-down card, known by its place, and lays it face up before itself."""
    card = state[DECK + place]
    seat = owner_of(state, table, place)
    state[DOWN + seat] ^= bit(place)
    state[HELD + seat] ^= bit(card)
    state[STOLEN] |= bit(card)
    lay_up(state, table, state[ACTIVE], card)


@jit(inline="always")
def pass_turn(state, table):
    """Nothing to draw and nothing to steal: the turn goes by."""
    end_turn(state, table)


@jit
def lay_up(state, table, seat, card):
    """Lay a card face up before a seat; a bomb ends the game, an owl lets its owner look before the turn ends."""
    state[UP + seat] |= bit(card)
    if size(state[UP + seat] & table[BOMBS]) >= table[BOMBS_TO_WIN]:
        finish(state, table, bit(seat), BY_BOMB)
    elif bit(card) & table[OWLS] != 0 and table[ASIDE] > 0:
        state[PEEKER] = seat
        state[PHASE] = PEEKING
    else:
        end_turn(state, table)


@jit
def peek(state, table, place):
    """The owl's owner looks at a card put aside, known by its place."""
    state[PEEKED + state[PEEKER]] |= bit(state[DECK + place])
    state[PEEKER] = -1
    end_turn(state, table)


@jit
def end_turn(state, table):
    """Pass the turn, start the last round when a pile has run out, reveal and count when that round is over."""
    players = table[PLAYERS]
    if state[LAST] >= 0:
        state[LAST] -= 1
    elif (pile_left(state, table, 0) == 0 or pile_left(state, table, 1) == 0 or pile_left(state, table, 2) == 0):
        state[LAST] = players - 1
    if state[LAST] == 0:
        reveal(state, table)
        return
    state[ACTIVE] = next_seat(state[ACTIVE], players)
    state[TURN] += 1
    state[CARD] = state[PLACE] = state[ASKED] = -1
    state[PHASE] = CHOOSING


# --- the end ----------------------------------------------------------------------------------------------------------
@jit
def reveal(state, table):
    """All cards are turned up: a complete bomb wins, else points decide among those with an even number of spies."""
    for seat in range(table[PLAYERS]):
        if size((state[UP + seat] | state[HELD + seat]) & table[BOMBS]) >= table[BOMBS_TO_WIN]:
            finish(state, table, bit(seat), BY_REVEAL)
            return
    finish(state, table, np.int64(0), BY_POINTS)


@jit
def finish(state, table, winners, reason):
    """End the game: count every player's cards and, unless a bomb has decided it, find who wins by points."""
    players = table[PLAYERS]
    for seat in range(players):
        cards = state[UP + seat] | state[HELD + seat]
        result = outcome(cards, table)
        state[POINTS + seat] = points(result)
        state[EVEN_SPIES + seat] = 1 if is_even(result) else 0
        state[HIGHEST + seat] = highest_card(cards, table)
    if winners == 0:
        winners, reason = most_points(state, players)
    state[WINNERS], state[REASON] = winners, reason
    count = size(winners)
    state[N_WINNERS] = count
    for seat in range(players):
        state[SHARE + seat] = WHOLE_WIN // count if winners >> seat & 1 != 0 else 0
    state[PHASE] = OVER


@jit
def most_points(state, players):
    """Who wins by points, and how: ``(set of seats, reason)``; the set is empty if everybody is out."""
    winners, level = np.int64(0), np.int64(0)
    best, best_card = np.int64(0), np.int64(0)
    for seat in range(players):
        if state[EVEN_SPIES + seat] == 0:
            continue
        total, card = state[POINTS + seat], state[HIGHEST + seat]
        if winners == 0 or total > best:
            winners, level, best, best_card = bit(seat), np.int64(1), total, card
        elif total == best:
            level += 1
            if card > best_card:
                winners, best_card = bit(seat), card
            elif card == best_card:
                winners |= bit(seat)
    if winners == 0:
        return winners, BY_NOBODY
    if level == 1:
        return winners, BY_POINTS
    return winners, BY_HIGH_CARD if size(winners) == 1 else BY_SHARING
