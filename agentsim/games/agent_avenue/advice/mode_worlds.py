"""Hidden worlds of every mode; :mod:`.worlds` says what a world is.

Cards that an effect named openly stay where they are known to be. The order of the Black Market pile is dealt anew too.
Whoever decides knows what the view of the question tells (``modes/view.py``): a team that decides together only what is
public, one of its players the own hand.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.advice.worlds import TRIES, shuffle_hidden, zone_off_deck
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.kernel import stream_of
from agentsim.games.agent_avenue.modes.market import ask
from agentsim.games.agent_avenue.modes.policies.dispatch import decide
from agentsim.games.agent_avenue.modes.sides import side_size
from agentsim.games.agent_avenue.modes.turn import answer, legal
from agentsim.games.agent_avenue.modes.view import look
from agentsim.games.agent_avenue.rules import N_CARDS
from agentsim.games.agent_avenue.view import DISCARD
from agentsim.games.agent_avenue.zones import add, name_set, nth_name, one, size, size_of_set
from agentsim.jit import jit
from agentsim.rng import below, combine, word

__all__ = ["draw_mode_world", "hidden_mode_cards", "policy_answer"]


@jit
def policy_answer(families, minds, users, state, table, rows, policy, scratch, work, key):
    """A policy's answer to the open question, compiled once for the three places that ask it."""
    return decide(families[policy], minds, users, look(state, table), table, rows, policy, scratch, work, key)


@jit
def _sees_hand(table, state, slot):
    """Whether whoever is asked sees the hand of that player."""
    side, member = state[x.ASKED], state[x.ASKED_MEMBER]
    if slot >> 1 != side:
        return False
    return side_size(table, side) == 1 or member == slot & 1


@jit
def hidden_mode_cards(state, table):
    """The zone of cards that whoever is asked does not see and does not know where they are."""
    pool = np.int64(0)
    for slot in range(4):
        if slot & 1 == 1 and side_size(table, slot >> 1) == 1:
            continue
        if not _sees_hand(table, state, slot):
            pool += state[x.HANDS + slot] - state[x.SHOWN + slot] + state[x.GONE + slot]
    if state[e.DOWN] >= 0 and state[x.DECISION] == x.ASK_TAKE:
        pool += one(state[e.DOWN])
    for place in range(state[e.DRAWN], table[N_CARDS]):
        pool = add(pool, state[e.DECK + place])
    return pool


@jit
def _deal_hidden(state, table, world, offered):
    """Deal the hidden discards and hands. ``offered``: with the hands of the active side as they were when it offered,
    which then lack nothing but the face-up card."""
    active = state[e.ACTIVE] & 1
    for slot in range(4):
        if (slot & 1 == 1 and side_size(table, slot >> 1) == 1) or _sees_hand(table, state, slot):
            continue
        world[x.GONE + slot] = zone_off_deck(world, table, size(state[x.GONE + slot]))
        known = state[x.SHOWN + slot]
        n = size(state[x.HANDS + slot])
        if offered and slot >> 1 == active:
            if side_size(table, active) == 1 or slot & 1 == state[x.UP_MEMBER]:
                n = size(state[x.OFFER_UP_HAND]) - 1
            else:
                n = size(state[x.OFFER_DOWN_HAND])
        world[x.HANDS + slot] = known + zone_off_deck(world, table, n - size(known))


@jit
def draw_mode_world(state, table, key, families, minds, users, rows, world, scratch, work):
    """A world of whoever is asked in ``state``, written to ``world`` (MODE_STATE).

    The market pile of ``state`` beyond what was drawn must be sorted, so that its order tells nothing. Policy 1 is the
    opponent's. Returns as :func:`.worlds.draw_world`.
    """
    pool = hidden_mode_cards(state, table)
    if state[x.DECISION] != x.ASK_TAKE:
        shuffle_hidden(state, table, pool, combine(key, 0), world, x.MODE_STATE)
        _deal_hidden(state, table, world, False)
        return 1
    active, up = state[e.ACTIVE] & 1, state[e.UP]
    single = side_size(table, active) == 1
    up_slot = 2 * active + (0 if single else state[x.UP_MEMBER] & 1)
    for number in range(TRIES):
        stream = combine(key, number)
        shuffle_hidden(state, table, pool, stream, world, x.MODE_STATE)
        _deal_hidden(state, table, world, True)
        world[x.HANDS + up_slot] = add(world[x.HANDS + up_slot], up)
        # Taken for known so that what was known of the hand is still known when it has left.
        world[x.SHOWN + up_slot] = add(world[x.SHOWN + up_slot], up)
        world[e.UP] = world[e.DOWN] = -1
        steps = world[e.STEP]
        last = number == TRIES - 1
        if single:
            ask(world, table, x.ASK_PLAY, active, 0, 0, 0)
        else:
            world[e.STEP] = world[x.UP_STEPS]
            ask(world, table, x.ASK_FACE_UP, active, state[x.UP_MEMBER], name_set(world[x.HANDS + up_slot]), 0)
        option = policy_answer(families, minds, users, world, table, rows, 1, scratch, work,
                               stream_of(stream, world))
        if not legal(world, table, option):
            return -1
        fits = option < DISCARD and (option >> 4 == up if single else option == up)
        if not fits and not last:
            continue
        if single and not fits:
            option = 16 * up + _other_card(world[x.HANDS + up_slot], up, key)
        if not single:
            answer(world, table, up)
            world[e.STEP] = steps
            option = policy_answer(families, minds, users, world, table, rows, 1, scratch, work,
                                   stream_of(stream, world))
            if not legal(world, table, option):
                return -1
            if option >= DISCARD:
                if not last:
                    continue
                fits = False
                names = world[x.OPTIONS]
                option = nth_name(names, below(word(key, TRIES), size_of_set(names)))
        answer(world, table, option)
        return 1 if fits else 0
    return 0


@jit
def _other_card(hand, up, key):
    """A random card that may lie face down beside ``up``."""
    names = name_set(hand) & ~one(up)
    if names == 0:
        return up
    return nth_name(names, below(word(key, TRIES), size_of_set(names)))
