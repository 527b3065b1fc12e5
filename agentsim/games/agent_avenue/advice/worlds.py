"""Hidden worlds of the base game: what one player cannot see, dealt anew.

A *world* is the position with the cards that the player does not see dealt at random from those it has not seen: the
other hand, what the other has discarded, the order of the deck. Every way to deal them is as likely as another;
earlier offers are no evidence. Where the player has to choose, the card that lies face down and the hand that it came
from are found by letting the policy that the opponent is taken for make its offer from a random hand with the face-up
card in it, until it lays that card face up: so worlds come up as often as that policy makes such an offer in them
(rejection sampling).
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.policies.dispatch import decide_offer
from agentsim.games.agent_avenue.policies.exchange import look_ahead_all
from agentsim.games.agent_avenue.rules import ALL_CARDS, HAND_SIZE, N_CARDS, N_NAMES
from agentsim.games.agent_avenue.view import DISCARD, observe
from agentsim.games.agent_avenue.zones import add, count, name_set, nth_name, one, size, size_of_set
from agentsim.jit import jit
from agentsim.rng import below, combine, decision_key, word

__all__ = ["TRIES", "draw_world", "hidden_cards", "policy_offer", "shuffle_hidden", "zone_off_deck"]

TRIES = 200
"""Hands tried for an offer before it is taken to be one that the policy would not make."""


@jit
def policy_offer(family, users, view, seat, table, rows, policy, scratch, work, key):
    """``dispatch.decide_offer``, compiled once for both places here that ask it."""
    return decide_offer(family, users, view, seat, table, rows, policy, scratch, work, key)


@jit
def hidden_cards(state, table, seat):
    """The zone of cards that a seat does not see."""
    seen = state[e.HAND + seat] + state[e.TOSSED + seat] + state[e.PLAY] + state[e.PLAY + 1]
    if state[e.PHASE] == e.TAKING:
        seen += one(state[e.UP])
        if seat == state[e.ACTIVE]:
            seen += one(state[e.DOWN])
    return table[ALL_CARDS] - seen


@jit
def shuffle_hidden(state, table, pool, key, world, n):
    """Copy a position of ``n`` numbers into ``world``, all hidden cards in the deck, to be drawn in a new order."""
    for index in range(n):
        world[index] = state[index]
    place = table[N_CARDS] - size(pool)
    world[e.DRAWN] = place
    for name in range(table[N_NAMES]):
        for _ in range(count(pool, name)):
            world[e.DECK + (place & 127)] = name
            place += 1
    world[e.DEAL] = np.int64(key)


@jit
def zone_off_deck(world, table, n):
    """The next cards off the deck, as a zone."""
    zone = np.int64(0)
    for _ in range(n):
        zone = add(zone, e.draw(world, table))
    return zone


@jit
def draw_world(state, table, seat, key, families, offers, rows, world, scratch, work):
    """A world of ``seat``, who decides in ``state``, written to ``world`` (STATE_SIZE).

    ``key``: the world's random stream. ``families``, ``offers``, ``rows``: as in the kernel; policy 1 is the
    opponent's. Returns 1 if a face-down card lies where the opponent's policy would have put it, 0 if it would not have
    made the offer from any hand that was tried (its cards are then random), -1 if it made an illegal move.
    """
    other = 1 - seat
    pool = hidden_cards(state, table, seat)
    tossed, in_hand = size(state[e.TOSSED + other]), size(state[e.HAND + other])
    if state[e.PHASE] != e.TAKING:
        shuffle_hidden(state, table, pool, combine(key, 0), world, e.STATE_SIZE)
        world[e.TOSSED + other] = zone_off_deck(world, table, tossed)
        world[e.HAND + other] = zone_off_deck(world, table, in_hand)
        return 1
    # Before the offer the hand was full, unless the deck had run out.
    full = table[HAND_SIZE]
    before = full if in_hand >= full - 2 else in_hand + 2
    up = state[e.UP]
    for number in range(TRIES):
        stream = combine(key, number)
        shuffle_hidden(state, table, pool, stream, world, e.STATE_SIZE)
        world[e.TOSSED + other] = zone_off_deck(world, table, tossed)
        world[e.HAND + other] = add(zone_off_deck(world, table, before - 1), up)
        world[e.UP] = world[e.DOWN] = -1
        world[e.PHASE] = e.PLAYING
        if number == 0:
            look_ahead_all(scratch, table, world)
        action = policy_offer(families[1], offers, observe(world, table, other), other, table, rows, 1, scratch, work,
                              decision_key(stream, world[e.TURN], world[e.STEP]))
        if action >= DISCARD:
            continue
        if action < 0 or not e.may_offer(world[e.HAND + other], action >> 4, action & 15):
            return -1
        if action >> 4 == up:
            e.offer(world, table, up, action & 15)
            return 1
    hand = world[e.HAND + other]
    names = name_set(hand) & ~one(up)
    down = up
    if names != 0:
        down = nth_name(names, below(word(key, TRIES), size_of_set(names)))
    e.offer(world, table, up, down)
    return 0
