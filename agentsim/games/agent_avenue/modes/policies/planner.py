"""``planner`` in every mode: the base game's family on lanes that know ongoing cards, landings, more ends and traps.

Its lanes (``policies/planner.py``) are filled with the moves of the mode, and a card's gain has, beside what it has in
the base game: ``corner`` for each landing that the move owes while cards lie face up; ``plot`` times the change in
:func:`~agentsim.games.agent_avenue.modes.policies.lanes.progress`; ``trap_m`` and ``danger_m`` times the change in the
chances that the next move ends on a Division M pawn. A pawn that would stop on the other side's trap or snare drags its
side as a losing set does. Offers, choices, discards of a single player are then those of the base game.

**Teams.** The partner lays the card with the best score beside the face-up one. Who lays the face-up card reckons with
that: the mean of the best score among as many cards as the partner holds, drawn from the unseen ones. Both discard
their worst card if the mean over the card drawn for it of the best score promises more by the margin.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.modes.policies.chance import may_discard
from agentsim.games.agent_avenue.modes.policies.exchange import lay_lanes, rest_of_hand
from agentsim.games.agent_avenue.modes.policies.sight import seen
from agentsim.games.agent_avenue.modes.policies.worth import P_CORNER, P_DANGER_M, P_PLOT, P_TRAP_M
from agentsim.games.agent_avenue.modes.sides import discards_each
from agentsim.games.agent_avenue.policies.parameters import FAR
from agentsim.games.agent_avenue.policies.planner import (
    DRAG,
    END_STAKE,
    GAIN,
    MOVE,
    P_LEAD,
    P_MARGIN,
    P_OFFER_NOISE,
    P_RESERVE,
    PUBLIC,
    PUSH,
    ROWS,
    SEEN,
    STAKE,
    UNSEEN,
    UP,
    exp_like,
    foresee,
    lanes_of,
    offer_by_lanes,
    pair_up,
    scene_of,
    take_by_lanes,
    total_of,
    weigh,
)
from agentsim.games.agent_avenue.rules import ALL_CARDS, LOSE, N_NAMES, WIN
from agentsim.games.agent_avenue.view import DISCARD, offer_action
from agentsim.games.agent_avenue.zones import count, lowest, name_set, one, pop_lowest, size
from agentsim.jit import jit
from agentsim.rng import unit, word

__all__ = ["planner_answer"]

_LOW = -1e9

# Compiled once instead of wherever they are used.
_foresee, _pair_up = (jit(getattr(function, "py_func", function)) for function in (foresee, pair_up))


@jit(inline="always")
def _weigh(view, table, rows, policy, scratch, work):
    """Fill the planner's lanes for a mode; returns what ``planner.weigh`` returns."""
    base, _, cards = weigh(view, table, rows, policy, work)
    names = name_set(table[ALL_CARDS])
    further = lay_lanes(table, scratch, work, names)
    me = view.side & 1
    lead, corner = rows[policy, P_LEAD], rows[policy, P_CORNER] if view.supply != 0 else 0.0
    plot, trap_m, danger_m = rows[policy, P_PLOT], rows[policy, P_TRAP_M], rows[policy, P_DANGER_M]
    to_catch, to_be_caught = float(view.gap_me - view.lead), float(view.gap_them + view.lead)
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        for who in range(2):
            lane = name + s.THEM * who
            facing = name + s.THEM * (1 - who)
            move = float(scratch[s.NEXT + lane])
            gain = work[GAIN + lane] + lead * (move - work[MOVE + lane]) + corner * scratch[s.LANDED + lane]
            if further:
                gain += plot * work[s.PLOT + lane]
                if table[x.WITH_M] != 0:
                    grip, risk = (trap_m, danger_m) if who == 0 else (danger_m, trap_m)
                    gain += grip * work[s.GRIP + lane] - risk * work[s.EXPOSED + lane]
            # At a glance one sees all this too: what a glance misses, or sees too much, stays the same.
            work[SEEN + lane] = gain + (work[SEEN + lane] - work[GAIN + lane])
            work[GAIN + lane], work[MOVE + lane] = gain, move
            claims = scratch[s.CLAIMS + lane]
            pawn = scratch[x.M_SPACE + (1 - me if who == 0 else me)]
            doomed = further and ((scratch[s.SNARE + facing] >> scratch[s.PLACE + lane]) & 1 != 0
                                  or scratch[s.M_PLACE + lane] == pawn)
            work[PUSH + lane] = move + (FAR if claims & WIN else 0.0)
            work[DRAG + lane] = -move + (FAR if claims & LOSE or doomed else 0.0)
        ends = ((1.0 if work[PUSH + name] >= to_catch else 0.0) - (1.0 if work[DRAG + name] >= FAR / 2 else 0.0)
                + (1.0 if work[PUSH + s.THEM + name] >= to_be_caught else 0.0)
                - (1.0 if work[DRAG + s.THEM + name] >= FAR / 2 else 0.0))
        work[STAKE + name] = work[SEEN + name] + work[SEEN + s.THEM + name] + END_STAKE * ends
        shown = count(view.shown_us, name) + count(view.shown_them, name)
        work[UNSEEN + name] = max(work[UNSEEN + name] - shown, 0.0)
    for lane in range(lanes_of(table)):
        work[ROWS + 16 + lane] = work[PUBLIC + lane] * work[STAKE + lane]
    return base, total_of(work, ROWS + 16, lanes_of(table)), cards


@jit(inline="always")
def _believe(view, table, work):
    """Weigh the cards that may be hidden by what is known of the other side's hands.

    Each card that is known to be there is one of its cards; the unseen ones share the others.
    """
    if view.shown_them != 0:
        unseen, rest = max(total_of(work, UNSEEN, lanes_of(table)), 1.0), float(rest_of_hand(view, table))
        for name in range(table[N_NAMES]):
            work[UNSEEN + name] = work[UNSEEN + name] * rest + count(view.shown_them, name) * unseen


# --- teams ------------------------------------------------------------------------------------------------------------
@jit(inline="always")
def _score_up(view, table, work):
    """The score of laying each agent face up, the partner's card unknown."""
    names = name_set(table[ALL_CARDS])
    while names:
        up = lowest(names)
        names = pop_lowest(names)
        work[s.SCORE + up] = _best_partner(view, table, work, up)


@jit
def _best_partner(view, table, work, up):
    """The mean of the best score beside ``up`` among as many cards as the partner holds, drawn from the unseen ones."""
    total = 0.0
    for name in range(table[N_NAMES]):
        weight = work[UNSEEN + name] + count(view.shown_us, name)
        work[s.WEIGHT + name] = 0.0 if name == up else weight
        total += work[s.WEIGHT + name]
    if total <= 0.0:
        return work[UP + 17 * up]
    mean, below, hand = 0.0, 0.0, view.partner_hand
    left, bound = total, 1.0
    while left > 0.0:
        best, first = _LOW, np.int64(-1)
        for other in range(table[N_NAMES]):
            if work[s.WEIGHT + other] > 0.0 and work[UP + 16 * up + other] > best:
                best, first = work[UP + 16 * up + other], np.int64(other)
        if first < 0:
            break
        left -= work[s.WEIGHT + first]
        work[s.WEIGHT + first] = 0.0
        below = max(left / total, 0.0) ** hand
        mean += best * (bound - below)
        bound = below
    return mean


@jit(inline="always")
def _score_down(view, table, work):
    """The score of laying each agent face down beside the partner's."""
    up = view.up & 15
    for name in range(table[N_NAMES]):
        work[s.SCORE + name] = work[UP + 16 * up + name]
    work[UNSEEN + up] = max(work[UNSEEN + up] - 1.0, 0.0)


@jit
def _lay(view, table, rows, policy, work, names, barred, key):
    """The name of a set with the best score, or a discard. ``barred``: a drawn card of these names cannot be laid."""
    best, choice, rest = _LOW, np.int64(0), names
    while rest:
        name = lowest(rest)
        rest = pop_lowest(rest)
        if work[s.SCORE + name] > best:
            best, choice = work[s.SCORE + name], name
    if rows[policy, P_MARGIN] < 1.0 and may_discard(view, table):
        used = discards_each(table, view.side & 1) - view.discards_left
        promise, gone = _redraw(view, table, work, best, choice, barred)
        if promise > best + rows[policy, P_MARGIN] + rows[policy, P_RESERVE] * used:
            return DISCARD + gone
    if rows[policy, P_OFFER_NOISE] > 0.0:
        return _sample(work, names, best, rows[policy, P_OFFER_NOISE], key, choice)
    return choice


@jit
def _redraw(view, table, work, best, choice, barred):
    """The mean best score after the worst card was redrawn, and that card. The best one stays if there is another."""
    worst, gone = 1e9, choice
    rest, floor = name_set(view.hand), best
    while rest:
        name = lowest(rest)
        rest = pop_lowest(rest)
        score = _LOW if (barred >> (4 * name)) & 1 else work[s.SCORE + name]
        if score < worst and (name != choice or count(view.hand, name) > 1):
            worst, gone = score, name
    if size(view.hand) == 1:
        floor = _LOW
    total, copies = 0.0, 0.0
    for name in range(table[N_NAMES]):
        weight = work[UNSEEN + name]
        usable = (barred >> (4 * name)) & 1 == 0 or size(view.hand) == 1
        total += weight * max(floor, work[s.SCORE + name] if usable else floor)
        copies += weight
    return (total / copies if copies > 0.0 else _LOW), gone


@jit
def _sample(work, names, best, noise, key, choice):
    """A name drawn with weights exp(score / noise)."""
    total = 0.0
    for sampling in range(2):
        left, rest = unit(word(key, 0)) * total, names
        while rest:
            name = lowest(rest)
            rest = pop_lowest(rest)
            weight = exp_like((work[s.SCORE + name] - best) / noise)
            if sampling == 0:
                total += weight
            else:
                left -= weight
                if left <= 0.0:
                    return name
    return choice


@jit
def planner_answer(table, rows, policy, scratch, work, key):
    """The answer to ASK_PLAY, ASK_FACE_UP, ASK_FACE_DOWN or ASK_TAKE."""
    view = seen(scratch)
    discards = rows[policy, P_MARGIN] < 1.0 and may_discard(view, table)
    names = name_set(view.hand)
    if view.ask == x.ASK_PLAY and pop_lowest(names) == 0 and not discards:
        return offer_action(lowest(names), lowest(names))
    base, stakes, cards = _weigh(view, table, rows, policy, scratch, work)
    if view.ask == x.ASK_TAKE:
        _believe(view, table, work)
        return take_by_lanes(view, table, rows, policy, work, base, stakes, cards, key)
    used = discards_each(table, view.side & 1) - view.discards_left
    if view.ask == x.ASK_PLAY:
        return offer_by_lanes(view, table, rows, policy, work, base, stakes, cards, discards, used, key)
    scene = scene_of(view, table, rows, policy, base, True)
    _foresee(table, rows, policy, work, stakes, cards)
    if view.ask == x.ASK_FACE_UP:
        _pair_up(table, rows, policy, work, scene, name_set(table[ALL_CARDS]))
        _score_up(view, table, work)
        return _lay(view, table, rows, policy, work, names, np.int64(0), key)
    _pair_up(table, rows, policy, work, scene, one(view.up & 15))
    _score_down(view, table, work)
    return _lay(view, table, rows, policy, work, view.options, one(view.up & 15), key)
