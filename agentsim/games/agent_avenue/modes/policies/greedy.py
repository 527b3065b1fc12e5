"""``greedy`` in every mode: the base game's points, and 200 for each landing that a move owes while cards lie face up.

Moves, sets, landings and ends are those of the mode. Steps towards the End condition of a card that one owns count 300,
as does certainty that the next move of the other side's pawn ends on one's own Division M pawn; the same against me
for the other side. In a team who lays the face-up card takes the one whose worse outcomes are best on average over the
unseen cards of other names, its partner the card that makes the best pair with it. Exact ties uniformly.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.movement import changed_move
from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.modes.policies.board import lay_out, unseen_cards
from agentsim.games.agent_avenue.modes.policies.exchange import (
    hidden_weight,
    lay_lanes,
    names_at_stake,
    needs_more,
    rest_of_hand,
    tie_score,
)
from agentsim.games.agent_avenue.modes.policies.lanes import journey, pair_verdict, wrapped
from agentsim.games.agent_avenue.modes.policies.sight import seen
from agentsim.games.agent_avenue.modes.policies.worth import GREEDY_LANDING, GREEDY_M, GREEDY_PLOT
from agentsim.games.agent_avenue.rules import LOSES_AT, MOVES, NEVER, SETS, TIE_RULE, WINS_AT
from agentsim.games.agent_avenue.view import offer_action
from agentsim.games.agent_avenue.zones import count, lowest, name_set, one, pop_lowest
from agentsim.jit import jit
from agentsim.rng import below, word

__all__ = ["greedy_answer"]

_FEW, _MANY = np.int64(-10**9), np.int64(10**9)


@jit(inline="always")
def _points(table, scratch, work, names, landing):
    """Fill the lanes POINTS: what recruiting each agent brings its owner, ends apart."""
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        of_sets = 300 * (table[WINS_AT + name] != NEVER) - 350 * (table[LOSES_AT + name] != NEVER)
        for lane in (name, name + s.THEM):
            points = 110 * scratch[s.NEXT + lane] + of_sets + landing * scratch[s.LANDED + lane]
            extra = GREEDY_PLOT * work[s.PLOT + lane]
            if table[x.WITH_M] != 0:
                extra += GREEDY_M * (work[s.GRIP + lane] - work[s.EXPOSED + lane])
            scratch[s.POINTS + lane] = points + np.int64(extra)


@jit(inline="always")
def _lanes(view, table, scratch, names, landing):
    """Fill the lanes NEXT, CLAIMS and POINTS where moves, sets and landings are all there is to look at.

    Returns whether the exchange may end the game.
    """
    me, held_me, held_them = view.side & 1, view.held_me, view.held_them
    ring, corners, onward = table[x.RING], table[x.CORNERS], table[x.ON_HOME] | table[x.ON_MARKET] | table[x.ON_M]
    # Bit d + ring: whether a pawn stops on a corner after d spaces, at most once round the ring.
    near = ring if 3 * ring < 64 else np.int64(0)
    three = corners | corners << near | corners << (2 * near)
    from_me, from_it = three >> view.space_me, three >> view.space_them
    if held_me | held_them:
        lay_out(view, table, scratch)
    most_me, most_it, least_me, least_it, claims = _FEW, _FEW, _MANY, _MANY, np.int64(0)
    while names:
        name = lowest(names) & 15
        names = pop_lowest(names)
        of_sets = 300 * (table[WINS_AT + name] != NEVER) - 350 * (table[LOSES_AT + name] != NEVER)
        for who in range(2):
            zone, space, held, stops = ((view.mine, view.space_me, held_me, from_me) if who == 0
                                        else (view.theirs, view.space_them, held_them, from_it))
            entry, lane = 16 * name + count(zone, name) + 1, name + s.THEM * who
            move = table[MOVES + entry]
            if held != 0 and held & table[x.ON_RECRUIT + name] != 0:
                move = changed_move(scratch, table, me ^ who, name, move, held & table[x.ON_RECRUIT + name])
            if held & onward != 0 and move != 0:
                move, _, landed = journey(scratch, table, me ^ who, move)
            elif -near <= move <= near:
                landed = (stops >> (move + near)) & (move != 0)
            else:
                landed = (corners >> wrapped(space + move, ring)) & (move != 0)
            scratch[s.NEXT + lane], scratch[s.CLAIMS + lane] = move, table[SETS + entry]
            scratch[s.POINTS + lane] = 110 * move + of_sets + landing * landed
            claims |= table[SETS + entry]
            if who == 0:
                most_me, least_me = max(most_me, move), min(least_me, move)
            else:
                most_it, least_it = max(most_it, move), min(least_it, move)
    return (claims != 0 or view.lead + most_me - least_it >= view.gap_me
            or -view.lead + most_it - least_me >= view.gap_them)


@jit(inline="always")
def _worse(view, scratch, tie, further, ends, a, b):
    """The worse of the two outcomes of offering a and b. ``ends``: whether the game may end by one of them."""
    with_a = scratch[s.POINTS + a] - scratch[s.POINTS + s.THEM + b]
    with_b = scratch[s.POINTS + b] - scratch[s.POINTS + s.THEM + a]
    if ends:
        with_a += 100000 * pair_verdict(scratch, view, tie, further, a, b)
        with_b += 100000 * pair_verdict(scratch, view, tie, further, b, a)
    return min(with_a, with_b)


@jit(inline="always")
def _play(view, scratch, tie, further, ends, key):
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
            worse = _worse(view, scratch, tie, further, ends, a, b)
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
def _face_down(view, scratch, tie, further, ends, key):
    """The partner's card beside the face-up one."""
    names, up = view.options, view.up & 15
    best, choice, equals = np.int64(-10**9), np.int64(0), np.int64(0)
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        worse = _worse(view, scratch, tie, further, ends, up, name)
        if worse > best:
            best, choice, equals = worse, name, np.int64(1)
        elif worse == best:
            equals += 1
            if below(word(key, equals), equals) == 0:
                choice = name
    return choice


@jit(inline="always")
def _face_up(view, scratch, unseen, tie, further, ends, key):
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
            total += count(unseen, name) * _worse(view, scratch, tie, further, ends, up, name)
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
def _take(view, table, scratch, unseen, tie, further, ends, key):
    """1 for the face-up card, 0 for the hidden one."""
    up, known, rest = view.up & 15, view.shown_them, rest_of_hand(view, table)
    names = name_set(unseen + known)
    of_up = scratch[s.POINTS + up] + scratch[s.POINTS + s.THEM + up]
    difference = np.int64(0)
    while names:
        hidden = lowest(names)
        names = pop_lowest(names)
        of_hidden = scratch[s.POINTS + hidden] + scratch[s.POINTS + s.THEM + hidden]
        gain = of_up - of_hidden
        if ends:
            gain += 100000 * (pair_verdict(scratch, view, tie, further, up, hidden)
                              - pair_verdict(scratch, view, tie, further, hidden, up))
        difference += hidden_weight(unseen, known, rest, hidden) * gain
    if difference == 0:
        return np.int64(key >> np.uint64(63))
    return 1 if difference > 0 else 0


@jit
def greedy_answer(table, scratch, work, key):
    """The answer to ASK_PLAY, ASK_FACE_UP, ASK_FACE_DOWN or ASK_TAKE."""
    view = seen(scratch)
    held = name_set(view.hand)
    if view.ask == x.ASK_PLAY and pop_lowest(held) == 0:
        return offer_action(lowest(held), lowest(held))
    unseen = unseen_cards(view, table)
    names = names_at_stake(view, table, unseen)
    landing = GREEDY_LANDING if view.supply != 0 else 0
    further, ends = needs_more(view, table), True
    if further:
        lay_lanes(table, scratch, work, names)
        _points(table, scratch, work, names, landing)
    else:
        ends = _lanes(view, table, scratch, names, landing)
    tie = tie_score(table[TIE_RULE], view.ask != x.ASK_TAKE)
    if view.ask == x.ASK_PLAY:
        return _play(view, scratch, tie, further, ends, key)
    if view.ask == x.ASK_TAKE:
        return _take(view, table, scratch, unseen, tie, further, ends, key)
    if view.ask == x.ASK_FACE_DOWN:
        return _face_down(view, scratch, tie, further, ends, key)
    return _face_up(view, scratch, unseen, tie, further, ends, key)
