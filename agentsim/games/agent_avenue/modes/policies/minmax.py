"""``minmax`` in every mode: the base game's value, and 4 for each landing that a move owes while cards lie face up.

Moves, sets, landings and ends are those of the mode. Steps towards the End condition of a card that one owns count 3,
as does certainty that the next move of the other side's pawn ends on one's own Division M pawn; the same against me
for the other side. In a team who lays the face-up card takes the one with the best average over the unseen cards of
other names, its partner the best pair with it.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.modes.policies.board import unseen_cards
from agentsim.games.agent_avenue.modes.policies.exchange import (
    hidden_weight,
    lay_lanes,
    names_at_stake,
    rest_of_hand,
    tie_score,
)
from agentsim.games.agent_avenue.modes.policies.lanes import pair_verdict
from agentsim.games.agent_avenue.modes.policies.sight import seen
from agentsim.games.agent_avenue.modes.policies.worth import MINMAX_LANDING, MINMAX_M, MINMAX_PLOT
from agentsim.games.agent_avenue.policies.minmax import minmax_standing
from agentsim.games.agent_avenue.rules import LOSES_AT, NEVER, TIE_ACTIVE, WINS_AT
from agentsim.games.agent_avenue.view import offer_action
from agentsim.games.agent_avenue.zones import count, lowest, name_set, one, pop_lowest
from agentsim.jit import jit
from agentsim.rng import word

__all__ = ["minmax_answer"]

_HALF, _LOWER = np.uint64(32), np.uint64(0xFFFFFFFF)
_BLUR = 0.01 / 2.0**32


@jit(inline="always")
def _points(view, table, sentinel, scratch, work, names, further):
    """Fill the lanes POINTS, in tenths; ends apart."""
    landing = MINMAX_LANDING if view.supply != 0 else 0
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        of_sets = 15 * (table[WINS_AT + name] != NEVER) - 6 * (table[LOSES_AT + name] != NEVER)
        for lane in (name, name + s.THEM):
            points = 20 * scratch[s.NEXT + lane] + of_sets + landing * scratch[s.LANDED + lane]
            if name == sentinel:
                held = count(view.mine if lane == name else view.theirs, name)
                points += 10 * (held == 1) - 10 * (held == 2)
            if further:
                extra = MINMAX_PLOT * work[s.PLOT + lane]
                if table[x.WITH_M] != 0:
                    extra += MINMAX_M * (work[s.GRIP + lane] - work[s.EXPOSED + lane])
                points += np.int64(extra)
            scratch[s.POINTS + lane] = points


@jit(inline="always")
def _value(view, scratch, tie, further, standing, mine, its):
    """The value of an outcome; an end counts instead of it, not on top."""
    end = pair_verdict(scratch, view, tie, further, mine, its)
    return 1000 * end if end != 0 else standing + scratch[s.POINTS + mine] - scratch[s.POINTS + s.THEM + its]


@jit(inline="always")
def _score(view, scratch, tie, further, standing, a, b):
    """The value of offering a and b, without noise."""
    first = _value(view, scratch, tie, further, standing, a, b)
    second = _value(view, scratch, tie, further, standing, b, a)
    return 0.1 * (0.7 * min(first, second) + 0.15 * (first + second))


@jit(inline="always")
def _play(view, scratch, tie, further, standing, key):
    """A single player's offer."""
    best, choice = -1e9, np.int64(0)
    rest = name_set(view.hand)
    while rest:
        a = lowest(rest)
        rest = pop_lowest(rest)
        others = rest
        while others:
            b = lowest(others)
            others = pop_lowest(others)
            noise = word(key, offer_action(a, b))
            noise_ab, noise_ba = np.int64(noise >> _HALF), np.int64(noise & _LOWER)
            value = _score(view, scratch, tie, further, standing, a, b) + _BLUR * max(noise_ab, noise_ba)
            action = offer_action(a, b) if noise_ab >= noise_ba else offer_action(b, a)
            if value > best:
                best, choice = value, action
    return choice


@jit(inline="always")
def _face_down(view, scratch, tie, further, standing, key):
    """The partner's card beside the face-up one."""
    names, up = view.options, view.up & 15
    best, choice = -1e9, np.int64(0)
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        value = (_score(view, scratch, tie, further, standing, up, name)
                 + _BLUR * np.int64(word(key, name) >> _HALF))
        if value > best:
            best, choice = value, name
    return choice


@jit(inline="always")
def _face_up(view, scratch, unseen, tie, further, standing, key):
    """The face-up card of a team, its partner's card unknown."""
    names, unseen = name_set(view.hand), unseen + view.shown_us
    best, choice = -1e9, np.int64(0)
    while names:
        up = lowest(names)
        names = pop_lowest(names)
        total, copies, others = 0.0, 0.0, name_set(unseen) & ~one(up)
        while others:
            name = lowest(others)
            others = pop_lowest(others)
            total += count(unseen, name) * _score(view, scratch, tie, further, standing, up, name)
            copies += count(unseen, name)
        value = total / max(copies, 1.0) + _BLUR * np.int64(word(key, up) >> _HALF)
        if value > best:
            best, choice = value, up
    return choice


@jit(inline="always")
def _take(view, table, scratch, unseen, tie, further, standing, key):
    """1 for the face-up card, 0 for the hidden one."""
    up, known, rest = view.up & 15, view.shown_them, rest_of_hand(view, table)
    names = name_set(unseen + known) & ~one(up)
    difference, weights = np.int64(0), np.int64(0)
    while names:
        hidden = lowest(names)
        names = pop_lowest(names)
        weight = hidden_weight(unseen, known, rest, hidden)
        difference += weight * (_value(view, scratch, tie, further, standing, up, hidden)
                                - _value(view, scratch, tie, further, standing, hidden, up))
        weights += weight
    if weights != 0 and difference == 0:
        return np.int64(key >> np.uint64(63))
    return 1 if difference >= 0 else 0


@jit
def minmax_answer(table, sentinel, scratch, work, key):
    """The answer to ASK_PLAY, ASK_FACE_UP, ASK_FACE_DOWN or ASK_TAKE. ``sentinel``: its number, -1 if there is none."""
    view = seen(scratch)
    held = name_set(view.hand)
    if view.ask == x.ASK_PLAY and pop_lowest(held) == 0:
        return offer_action(lowest(held), lowest(held))
    unseen = unseen_cards(view, table)
    names = names_at_stake(view, table, unseen)
    further = lay_lanes(table, scratch, work, names)
    _points(view, table, sentinel, scratch, work, names, further)
    standing = minmax_standing(view, table, sentinel)
    tie = tie_score(TIE_ACTIVE, view.ask != x.ASK_TAKE)
    if view.ask == x.ASK_PLAY:
        return _play(view, scratch, tie, further, standing, key)
    if view.ask == x.ASK_TAKE:
        return _take(view, table, scratch, unseen, tie, further, standing, key)
    if view.ask == x.ASK_FACE_DOWN:
        return _face_down(view, scratch, tie, further, standing, key)
    return _face_up(view, scratch, unseen, tie, further, standing, key)
