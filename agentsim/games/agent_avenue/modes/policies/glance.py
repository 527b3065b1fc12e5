"""Black Market cards at a glance: what ``effects.py`` finds for ``greedy``, where only lead, sets and landings count.

That is so without Division M while nobody owns a card with a condition at End, which is most of the time. Then the
points of a board (``worth.py``) are a sum, and what a card changes follows from the move and the set of one agent:
nothing has to be tried out. All numbers are whole, so that both ways come to the very same points.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.engine import LEAD, PLAY
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.movement import changed_move
from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.modes.policies.exchange import tie_score
from agentsim.games.agent_avenue.modes.policies.lanes import journey, wrapped
from agentsim.games.agent_avenue.modes.policies.worth import GREEDY_LANDING
from agentsim.games.agent_avenue.rules import GAP_0, LOSES_AT, MOVES, NEVER, SETS, TIE_RULE, WIN, WINS_AT
from agentsim.games.agent_avenue.zones import count, lowest, name_set, pop_lowest
from agentsim.jit import jit

__all__ = ["glance", "points_after", "points_with_promise"]

_LEAD, _WINNING, _LOSING, _END = 110, 300, 350, 100000


@jit
def glance(scratch, table):
    """Note what the board is worth, part by part; returns its points."""
    me = scratch[s.ME] & 1
    it = 1 - me
    lead = scratch[LEAD] if me == 0 else -scratch[LEAD]
    ours, theirs, winning, losing = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for who in range(2):
        zone, sign = scratch[PLAY + (me if who == 0 else it)], 1 - 2 * who
        names = name_set(zone)
        while names:
            name = lowest(names)
            names = pop_lowest(names)
            copies = count(zone, name)
            winning += sign * copies * (table[WINS_AT + name] != NEVER)
            losing += sign * copies * (table[LOSES_AT + name] != NEVER)
            done = table[SETS + 16 * name + copies]
            if done:
                won, lost = (done & WIN) << (4 * name + 2 * who), (done >> 1) << (4 * name + 1 + 2 * who)
                ours, theirs = (ours | won, theirs | lost) if who == 0 else (ours | lost, theirs | won)
    winning, losing = _WINNING * winning, _LOSING * losing
    owed = GREEDY_LANDING * (scratch[x.OWED + me] - scratch[x.OWED + it])
    points = _LEAD * lead + winning - losing + owed
    scratch[s.SUM], scratch[s.LEADING], scratch[s.OF_OWED] = points, lead, owed
    scratch[s.OF_WINNING], scratch[s.OF_LOSING] = winning, losing
    scratch[s.GAP_ME], scratch[s.GAP_THEM] = table[GAP_0 + me], table[GAP_0 + it]
    scratch[s.OURS], scratch[s.THEIRS] = ours, theirs
    scratch[s.TIE] = tie_score(table[TIE_RULE], scratch[s.ACTIVE])
    before = _points(scratch, points, lead, ours, theirs)
    scratch[s.BEFORE] = before
    return before


@jit(inline="always")
def _of_agent(table, name):
    """Points of one card in play for its owner."""
    return _WINNING * (table[WINS_AT + name] != NEVER) - _LOSING * (table[LOSES_AT + name] != NEVER)


@jit(inline="always")
def _points(scratch, points, lead, ours, theirs):
    """Points with what the end of the game brings. ``ours``, ``theirs``: completed sets that win for me, for them."""
    mine, its = (lead >= scratch[s.GAP_ME]) | (ours != 0), (-lead >= scratch[s.GAP_THEM]) | (theirs != 0)
    return points + _END * (scratch[s.TIE] if mine & its else np.int64(mine) - np.int64(its))


@jit(inline="always")
def _stop(scratch, table, side, move):
    """``(spaces moved in all, landings owed)`` of a move."""
    if move != 0 and scratch[x.HELD + side] & (table[x.ON_HOME] | table[x.ON_MARKET] | table[x.ON_M]):
        move, _, landed = journey(scratch, table, side, move)
        return move, landed
    place = wrapped(scratch[x.SPACE + side] + move, table[x.RING])
    return move, (table[x.CORNERS] >> place) & (move != 0)


@jit
def points_after(scratch, table, side, op, name, number):
    """The points after an effect has worked for a side on an agent: taken, taken back, or else recruited.

    ``number``: whether an agent taken back may be recruited at once. Or after the pawn has moved ``number`` spaces, or
    all agents have gone (MOVE, CLEAR; no agent then).
    """
    if op == x.CLEAR:
        points = _LEAD * scratch[s.LEADING] + scratch[s.OF_OWED]
        return _points(scratch, points, scratch[s.LEADING], np.int64(0), np.int64(0))
    is_mine = side == scratch[s.ME]
    sign = 1 if is_mine else -1
    owner = 1 - side if op == x.TAKE else side
    copies, entry = count(scratch[PLAY + owner], name), 16 * name
    ours, theirs = scratch[s.OURS], scratch[s.THEIRS]
    points, lead, left = scratch[s.SUM], scratch[s.LEADING], np.int64(0)
    if op == x.MOVE:
        move = number
    else:
        if op == x.TAKE or op == x.TAKE_BACK:
            # One copy fewer: a set of this name may fall apart.
            done = table[SETS + entry + copies - 1]
            won, lost = (done & WIN) << (4 * name), (done >> 1) << (4 * name + 1)
            fewer, mask, of_agent = points, np.int64(3) << (4 * name), _of_agent(table, name)
            if owner == scratch[s.ME]:
                ours_left, theirs_left = (ours & ~mask) | won, (theirs & ~mask) | lost
                fewer -= of_agent
            else:
                mask <<= 2
                ours_left, theirs_left = (ours & ~mask) | (lost << 2), (theirs & ~mask) | (won << 2)
                fewer += of_agent
            left = _points(scratch, fewer, lead, ours_left, theirs_left)
            if op == x.TAKE or number == 0:
                return left
        else:
            copies += 1
            done = table[SETS + entry + copies]
            won, lost = done & WIN, done >> 1
            ours |= won if is_mine else lost
            theirs |= lost if is_mine else won
            points += sign * _of_agent(table, name)
        move = table[MOVES + entry + copies]
        hit = scratch[x.HELD + side] & table[x.ON_RECRUIT + name]
        if hit:
            move = changed_move(scratch, table, side, name, move, hit)
    move, landed = _stop(scratch, table, side, move)
    points += sign * (_LEAD * move + GREEDY_LANDING * landed)
    found = _points(scratch, points, lead + sign * move, ours, theirs)
    if op == x.TAKE_BACK:
        return max(found, left) if is_mine else min(found, left)
    return found


@jit
def points_with_promise(scratch, spaces):
    """The points with an ongoing card's promise: the same sum in the same order as ``value``, to the last rounding."""
    return (_LEAD * (scratch[s.LEADING] + spaces) + scratch[s.OF_WINNING] - scratch[s.OF_LOSING]
            + scratch[s.OF_OWED]) + (scratch[s.BEFORE] - scratch[s.SUM])
