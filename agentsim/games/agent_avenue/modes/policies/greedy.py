"""``greedy`` in every mode: the base game's points, and 200 for each landing that a move owes while cards lie face up.

Moves, sets, landings and ends are those of the mode. Steps towards the End condition of a card that one owns count 300,
as does certainty that the next move of the other side's pawn ends on one's own Division M pawn; the same against me
for the other side. In a team who lays the face-up card takes the one whose worse outcomes are best on average over the
unseen cards of other names, its partner the card that makes the best pair with it. Exact ties uniformly.
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
from agentsim.games.agent_avenue.modes.policies.worth import GREEDY_LANDING, GREEDY_M, GREEDY_PLOT
from agentsim.games.agent_avenue.rules import LOSES_AT, NEVER, TIE_RULE, WINS_AT
from agentsim.games.agent_avenue.view import offer_action
from agentsim.games.agent_avenue.zones import count, lowest, name_set, one, pop_lowest
from agentsim.jit import jit
from agentsim.rng import below, word

__all__ = ["greedy_answer"]


@jit(inline="always")
def _points(table, scratch, work, names, landing, further):
    """Fill the lanes POINTS: what recruiting each agent brings its owner, ends apart."""
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        of_sets = 300 * (table[WINS_AT + name] != NEVER) - 350 * (table[LOSES_AT + name] != NEVER)
        for lane in (name, name + s.THEM):
            points = 110 * scratch[s.NEXT + lane] + of_sets + landing * scratch[s.LANDED + lane]
            if further:
                extra = GREEDY_PLOT * work[s.PLOT + lane]
                if table[x.WITH_M] != 0:
                    extra += GREEDY_M * (work[s.GRIP + lane] - work[s.EXPOSED + lane])
                points += np.int64(extra)
            scratch[s.POINTS + lane] = points


@jit(inline="always")
def _worse(view, scratch, tie, further, a, b):
    """The worse of the two outcomes of offering a and b."""
    with_a = (scratch[s.POINTS + a] - scratch[s.POINTS + s.THEM + b]
              + 100000 * pair_verdict(scratch, view, tie, further, a, b))
    with_b = (scratch[s.POINTS + b] - scratch[s.POINTS + s.THEM + a]
              + 100000 * pair_verdict(scratch, view, tie, further, b, a))
    return min(with_a, with_b)


@jit(inline="always")
def _play(view, scratch, tie, further, key):
    """A single player's offer."""
    best, equals, pair = np.int64(-10**9), 0, np.int64(0)
    rest = name_set(view.hand)
    while rest:
        a = lowest(rest)
        rest = pop_lowest(rest)
        others = rest
        while others:
            b = lowest(others)
            others = pop_lowest(others)
            worse = _worse(view, scratch, tie, further, a, b)
            scratch[s.SCORES + (pair & 127)], scratch[s.ACTIONS + (pair & 127)] = worse, offer_action(a, b)
            equals = 1 if worse > best else equals + (worse == best)
            best = max(best, worse)
            pair += 1
    skip, at = below(key, equals), np.int64(0)
    while scratch[s.SCORES + (at & 127)] != best or skip > 0:
        skip -= scratch[s.SCORES + (at & 127)] == best
        at += 1
    action = scratch[s.ACTIONS + (at & 127)]
    return action if key & np.uint64(1) else offer_action(action & 15, action >> 4)


@jit(inline="always")
def _face_down(view, scratch, tie, further, key):
    """The partner's card beside the face-up one."""
    names, up = view.options, view.up & 15
    best, choice, equals = np.int64(-10**9), np.int64(0), np.int64(0)
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        worse = _worse(view, scratch, tie, further, up, name)
        if worse > best:
            best, choice, equals = worse, name, np.int64(1)
        elif worse == best:
            equals += 1
            if below(word(key, equals), equals) == 0:
                choice = name
    return choice


@jit(inline="always")
def _face_up(view, scratch, unseen, tie, further, key):
    """The face-up card of a team, its partner's card unknown."""
    names, unseen = name_set(view.hand), unseen + view.shown_us
    best, choice, equals = -1e18, np.int64(0), np.int64(0)
    while names:
        up = lowest(names)
        names = pop_lowest(names)
        total, copies, others = 0.0, 0.0, name_set(unseen) & ~one(up)
        while others:
            name = lowest(others)
            others = pop_lowest(others)
            total += count(unseen, name) * _worse(view, scratch, tie, further, up, name)
            copies += count(unseen, name)
        mean = total / max(copies, 1.0)
        if mean > best:
            best, choice, equals = mean, up, np.int64(1)
        elif mean == best:
            equals += 1
            if below(word(key, equals), equals) == 0:
                choice = up
    return choice


@jit(inline="always")
def _take(view, table, scratch, unseen, tie, further, key):
    """1 for the face-up card, 0 for the hidden one."""
    up, known, rest = view.up & 15, view.shown_them, rest_of_hand(view, table)
    names = name_set(unseen + known)
    of_up = scratch[s.POINTS + up] + scratch[s.POINTS + s.THEM + up]
    difference = np.int64(0)
    while names:
        hidden = lowest(names)
        names = pop_lowest(names)
        of_hidden = scratch[s.POINTS + hidden] + scratch[s.POINTS + s.THEM + hidden]
        ends = (pair_verdict(scratch, view, tie, further, up, hidden)
                - pair_verdict(scratch, view, tie, further, hidden, up))
        difference += hidden_weight(unseen, known, rest, hidden) * (of_up - of_hidden + 100000 * ends)
    if difference == 0:
        return np.int64(key >> np.uint64(63))
    return 1 if difference > 0 else 0


@jit
def greedy_answer(view, table, scratch, work, key):
    """The answer to ASK_PLAY, ASK_FACE_UP, ASK_FACE_DOWN or ASK_TAKE."""
    held = name_set(view.hand)
    if view.ask == x.ASK_PLAY and pop_lowest(held) == 0:
        return offer_action(lowest(held), lowest(held))
    unseen = unseen_cards(view, table)
    names = names_at_stake(view, table, unseen)
    further = lay_lanes(view, table, scratch, work, names)
    _points(table, scratch, work, names, GREEDY_LANDING if view.supply != 0 else 0, further)
    tie = tie_score(table[TIE_RULE], view.ask != x.ASK_TAKE)
    if view.ask == x.ASK_PLAY:
        return _play(view, scratch, tie, further, key)
    if view.ask == x.ASK_TAKE:
        return _take(view, table, scratch, unseen, tie, further, key)
    if view.ask == x.ASK_FACE_DOWN:
        return _face_down(view, scratch, tie, further, key)
    return _face_up(view, scratch, unseen, tie, further, key)
