"""Cards in hands: drawing, discarding, what has been shown openly."""

from __future__ import annotations

from agentsim.games.agent_avenue.engine import ACTIVE, STEP, deck_left, draw
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.sides import discards_each, side_size
from agentsim.games.agent_avenue.rules import HAND_SIZE
from agentsim.games.agent_avenue.zones import add, count, name_set, one, remove, size
from agentsim.jit import jit

__all__ = ["discard_from", "draw_up", "draw_up_everybody", "face_down_names", "gain_openly", "leave_openly",
           "may_discard_from"]


@jit
def draw_up(state, table, slot):
    """Draw up to the hand size as far as the deck reaches; a bigger hand is kept."""
    slot &= 3
    hand = state[x.HANDS + slot]
    for _ in range(min(table[HAND_SIZE] - size(hand), deck_left(state, table))):
        hand = add(hand, draw(state, table))
    state[x.HANDS + slot] = hand


@jit
def draw_up_everybody(state, table):
    """Whoever is short of hand cards draws: the active side first (R9), within a side member 0 first."""
    side = state[ACTIVE] & 1
    for _ in range(2):
        for member in range(side_size(table, side)):
            draw_up(state, table, 2 * side + member)
        side = 1 - side


@jit
def may_discard_from(state, table, slot):
    """Whether that player may discard now: discards left, a deck to draw from, and not the last card of ruling T1."""
    return (state[x.SPENT + slot] < discards_each(table, slot >> 1) and deck_left(state, table) > 0
            and state[x.KEPT] == 0)


@jit
def discard_from(state, table, slot, name):
    """Put a hand card away face down and draw one. What was shown of the hand may be gone with it."""
    slot &= 3
    state[x.HANDS + slot] = remove(state[x.HANDS + slot], name)
    state[x.GONE + slot] = add(state[x.GONE + slot], name)
    state[x.SPENT + slot] += 1
    state[x.SHOWN + slot] = 0
    state[STEP] += 1
    state[x.HANDS + slot] = add(state[x.HANDS + slot], draw(state, table))


@jit
def face_down_names(hand, up):
    """The names that a partner may lay face down beside ``up``: another one, unless the whole hand has that name."""
    names = name_set(hand)
    others = names & ~one(up)
    return others if others else names


@jit
def gain_openly(state, slot, name):
    """A card comes into a hand before everybody's eyes."""
    state[x.HANDS + slot] = add(state[x.HANDS + slot], name)
    state[x.SHOWN + slot] = add(state[x.SHOWN + slot], name)


@jit
def leave_openly(state, slot, name):
    """A hand card has been seen to leave: if one of that name was known to be there, it is taken for that one."""
    slot &= 3
    if count(state[x.SHOWN + slot], name) > 0:
        state[x.SHOWN + slot] = remove(state[x.SHOWN + slot], name)
