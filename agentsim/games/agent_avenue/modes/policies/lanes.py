"""What recruiting one more copy of an agent brings either side, agent by agent.

Moves are those of the engine, changed by ongoing cards and with all moves that stops cause. Conditions at End are told
by what one recruitment fulfils: sets and cards that ask for agents (CLAIMS), and where the other side's pawn must stop
to fulfil a card or a Division M trap (SNARE, TRAP, as sets of spaces). A Division M pawn that the agent moves may go to
any space within its reach.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.engine import LEAD, PLAY
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.movement import changed_move, move_pawn
from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.rules import LOSE, LOSES_AT, MOVES, N_NAMES, NEVER, SETS, WIN
from agentsim.games.agent_avenue.zones import count, first_one, lowest, name_set, pop_lowest, size, size_of_set
from agentsim.jit import jit

__all__ = ["card_progress", "chance_to_stop", "count_ways", "exposure", "journey", "pair_verdict", "plot_lanes",
           "progress", "survey", "trap_lanes", "within_reach", "wrapped"]

_HOPE = 3.0
"""How many moves the other side is expected to make yet when a card waits for where its pawn stops."""


@jit(inline="always")
def wrapped(place, ring):
    """A place on the ring. Bounds rather than branches, which moves would decide at random; longer ways are rare."""
    place -= ring if place >= ring else 0
    place += ring if place < 0 else 0
    while place >= ring or place < 0:
        place += ring if place < 0 else -ring
    return place


@jit(inline="always")
def survey(scratch, table, side, lanes, names, further):
    """Fill the lanes of a set of names, recruited by a side; ``lanes`` is 0 for the viewer's, THEM for the others.

    Where pawns stop matters at End only if ``further`` says so; M_PLACE, SNARE and TRAP are filled only then.
    """
    held, zone, space = scratch[x.HELD + side], scratch[PLAY + side], scratch[x.SPACE + side]
    onward = held & (table[x.ON_HOME] | table[x.ON_MARKET] | table[x.ON_M])
    at_end, ring, corners = held & table[x.AT_END], table[x.RING], table[x.CORNERS]
    snare, trap = np.int64(0), np.int64(0)
    if further:
        snare = _snare(scratch, table, side)
        trap = np.int64(0) if scratch[x.M_SPACE + side] < 0 else np.int64(1) << scratch[x.M_SPACE + side]
    while names:
        name = lowest(names) & 15
        names = pop_lowest(names)
        copies = count(zone, name) + 1
        entry = 16 * name + copies
        move = table[MOVES + entry]
        hit = held & table[x.ON_RECRUIT + name] if held else held
        if hit:
            move = changed_move(scratch, table, side, name, move, hit)
        if onward and move != 0:
            move, place, landed = journey(scratch, table, side, move)
        else:
            place = wrapped(space + move, ring)
            landed = (corners >> place) & (move != 0)
        lane = lanes + name
        scratch[s.NEXT + lane], scratch[s.PLACE + lane], scratch[s.LANDED + lane] = move, place, landed
        claims = table[SETS + entry]
        if further:
            if at_end:
                claims = _claims(table, at_end, zone, name, copies, claims)
            scratch[s.M_PLACE + lane] = place if move != 0 or table[x.TRAP_STOPPING] == 0 else s.NOWHERE
            scratch[s.SNARE + lane] = snare
            symbol = table[x.SYMBOLS + entry]
            scratch[s.TRAP + lane] = trap if symbol == 0 else within_reach(scratch, table, side, symbol)
        scratch[s.CLAIMS + lane] = claims


@jit
def journey(scratch, table, side, move):
    """``(spaces moved in all, space at the end, landings owed)`` of a move with all moves that stops cause."""
    lead, space, owed = scratch[LEAD], scratch[x.SPACE + side], scratch[x.OWED + side]
    moved = move_pawn(scratch, table, side, move)
    place, landed = scratch[x.SPACE + side], scratch[x.OWED + side] - owed
    scratch[LEAD], scratch[x.SPACE + side], scratch[x.OWED + side] = lead, space, owed
    return moved, place, landed


@jit
def within_reach(scratch, table, side, symbol):
    """The spaces, as bits, on which a Division M symbol can put a side's pawn."""
    if symbol < 0:
        return np.int64(1) << table[x.HOME + side]
    pawn = scratch[x.M_SPACE + side]
    if pawn < 0:
        return np.int64(0)
    return around(table, pawn, symbol)


@jit
def around(table, space, reach):
    """The spaces at most ``reach`` from a space, as bits."""
    ring, spaces = table[x.RING], np.int64(0)
    for away in range(min(2 * reach + 1, ring)):
        spaces |= np.int64(1) << ((space + away - min(reach, ring // 2) + ring) % ring)
    return spaces


@jit
def _snare(scratch, table, side):
    """Where the other side's pawn fulfils a card of this side, as bits."""
    spaces, cards = np.int64(0), scratch[x.HELD + side] & table[x.AT_END]
    while cards:
        card = table[x.COPY + first_one(cards)]
        cards &= cards - np.int64(1)
        first = table[x.FIRST_EFFECT + card]
        for effect in range(first, first + table[x.N_EFFECTS + card]):
            at = x.EFFECTS + x.EFFECT_SIZE * effect
            if table[at + x.E_OP] == x.IF_HOME:
                spaces |= np.int64(1) << table[x.HOME + side]
            elif table[at + x.E_OP] == x.IF_NEAR_M and scratch[x.M_SPACE + side] >= 0:
                spaces |= around(table, scratch[x.M_SPACE + side], table[at + x.E_N])
    return spaces


@jit
def _claims(table, cards, zone, name, copies, claims):
    """The conditions WIN and LOSE that one more copy fulfils for the owner of End cards."""
    n_names = size_of_set(name_set(zone)) + (copies == 1)
    while cards:
        card = table[x.COPY + first_one(cards)]
        cards &= cards - np.int64(1)
        first = table[x.FIRST_EFFECT + card]
        for effect in range(first, first + table[x.N_EFFECTS + card]):
            at = x.EFFECTS + x.EFFECT_SIZE * effect
            op, agent, number = table[at + x.E_OP], table[at + x.E_AGENT], table[at + x.E_N]
            if op == x.IF_NAMES:
                claims |= WIN * (n_names >= number)
            elif op == x.IF_SET and agent == name:
                claims |= WIN * (copies >= number)
            elif op == x.IF_LOSING and agent == name and claims & LOSE:
                claims = (claims | WIN) & ~LOSE
    return claims


@jit(inline="always")
def pair_verdict(scratch, view, tie_score, further, mine, its):
    """How an exchange ends if I recruit ``mine`` and the other side ``its``: +1 for me, -1 against me, 0 not.

    ``tie_score``: what a tie is for me; ``further`` as in :func:`survey`.
    """
    its += s.THEM
    lead = view.lead + scratch[s.NEXT + mine] - scratch[s.NEXT + its]
    claims, its_claims = scratch[s.CLAIMS + mine], scratch[s.CLAIMS + its]
    claim = (lead >= view.gap_me) | (claims & WIN) | (its_claims >> 1)
    its_claim = (-lead >= view.gap_them) | (its_claims & WIN) | (claims >> 1)
    if further:
        claim |= ((scratch[s.SNARE + mine] >> scratch[s.PLACE + its])
                  | (scratch[s.TRAP + mine] >> scratch[s.M_PLACE + its])) & 1
        its_claim |= ((scratch[s.SNARE + its] >> scratch[s.PLACE + mine])
                      | (scratch[s.TRAP + its] >> scratch[s.M_PLACE + mine])) & 1
    return tie_score if claim & its_claim else claim - its_claim


# --- what may happen later --------------------------------------------------------------------------------------------
@jit
def count_ways(scratch, table, unseen):
    """Count, of the cards that may come, by how many spaces they would move each pawn. The lanes must be filled."""
    ring, names = table[x.RING], name_set(unseen)
    for away in range(ring):
        scratch[s.WAYS + away] = scratch[s.WAYS + 64 + away] = 0
    scratch[s.WAYS + 128] = size(unseen)
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        for who in range(2):
            away = wrapped(scratch[s.NEXT + s.THEM * who + name], ring)
            scratch[s.WAYS + 64 * who + away] += count(unseen, name)


@jit
def chance_to_stop(scratch, table, who, space, target):
    """Chance that the next recruit moves a pawn (0 mine, 1 the other side's) from a space to a target."""
    ways = scratch[s.WAYS + 64 * who + wrapped(target - space, table[x.RING])]
    return ways / max(scratch[s.WAYS + 128], 1)


@jit
def exposure(scratch, table, who, space, pawn):
    """:func:`chance_to_stop` on a Division M pawn; 0 while that is off the board."""
    return 0.0 if pawn < 0 else chance_to_stop(scratch, table, who, space, pawn)


@jit
def progress(scratch, table, side, who):
    """How near the End conditions of a side's cards are: 1 for each that lacks one step, half of that for each further.

    A card that asks for a losing set counts double, since it also takes the burden off that set. A card that waits for
    the other side's pawn counts the chance that one of its next three moves ends there. ``who`` is 1 if that pawn is
    the other side's of the viewer, 0 if the viewer's; ``count_ways`` must have been called.
    """
    total, cards = 0.0, scratch[x.HELD + side] & table[x.AT_END]
    while cards:
        total += card_progress(scratch, table, side, who, table[x.COPY + first_one(cards)])
        cards &= cards - np.int64(1)
    return total


@jit
def card_progress(scratch, table, side, who, card):
    """:func:`progress` of one card."""
    zone, rival = scratch[PLAY + side], scratch[x.SPACE + 1 - side]
    total, first = 0.0, table[x.FIRST_EFFECT + card]
    for effect in range(first, first + table[x.N_EFFECTS + card]):
        at = x.EFFECTS + x.EFFECT_SIZE * effect
        op, agent, number = table[at + x.E_OP], table[at + x.E_AGENT], table[at + x.E_N]
        if op == x.IF_NAMES:
            total += _steps(number - size_of_set(name_set(zone)))
        elif op == x.IF_SET and agent >= 0:
            total += _steps(number - count(zone, agent))
        elif op == x.IF_LOSING and agent >= 0 and table[LOSES_AT + agent] != NEVER:
            total += 2.0 * _steps(table[LOSES_AT + agent] - count(zone, agent))
        elif op == x.IF_HOME:
            total += min(_HOPE * chance_to_stop(scratch, table, who, rival, table[x.HOME + side]), 1.0)
        elif op == x.IF_NEAR_M and scratch[x.M_SPACE + side] >= 0:
            near = around(table, scratch[x.M_SPACE + side], number)
            for space in range(table[x.RING]):
                if (near >> space) & 1:
                    total += chance_to_stop(scratch, table, who, rival, space)
    return total


@jit
def plot_lanes(scratch, work, table, side, lanes):
    """Fill the lanes PLOT of a side: by how much one more copy of each agent adds to :func:`progress`."""
    zone, cards = scratch[PLAY + side], scratch[x.HELD + side] & table[x.AT_END]
    n_names = size_of_set(name_set(zone))
    for name in range(table[N_NAMES]):
        work[s.PLOT + lanes + name] = 0.0
    while cards:
        card = table[x.COPY + first_one(cards)]
        cards &= cards - np.int64(1)
        first = table[x.FIRST_EFFECT + card]
        for effect in range(first, first + table[x.N_EFFECTS + card]):
            at = x.EFFECTS + x.EFFECT_SIZE * effect
            op, agent, number = table[at + x.E_OP], table[at + x.E_AGENT], table[at + x.E_N]
            if op == x.IF_NAMES:
                change = _steps(number - n_names - 1) - _steps(number - n_names)
                for name in range(table[N_NAMES]):
                    if count(zone, name) == 0:
                        work[s.PLOT + lanes + name] += change
            elif op == x.IF_SET and agent >= 0:
                lacking = number - count(zone, agent)
                work[s.PLOT + lanes + agent] += _steps(lacking - 1) - _steps(lacking)
            elif op == x.IF_LOSING and agent >= 0 and table[LOSES_AT + agent] != NEVER:
                lacking = table[LOSES_AT + agent] - count(zone, agent)
                work[s.PLOT + lanes + agent] += 2.0 * (_steps(lacking - 1) - _steps(lacking))


@jit
def trap_lanes(scratch, work, table, who):
    """Fill the lanes EXPOSED and GRIP of the viewer's side (``who`` 0) or the other one (1).

    The lanes of both sides must be filled for all names and ``count_ways`` called.
    """
    me = scratch[s.ME] & 1
    side = me if who == 0 else 1 - me
    other = 1 - side
    rival, pawn = scratch[x.SPACE + other], scratch[x.M_SPACE + other]
    risk = exposure(scratch, table, who, scratch[x.SPACE + side], pawn)
    hold = exposure(scratch, table, 1 - who, rival, scratch[x.M_SPACE + side])
    for name in range(table[N_NAMES]):
        lane = s.THEM * who + name
        work[s.EXPOSED + lane] = exposure(scratch, table, who, scratch[s.PLACE + lane], pawn) - risk
        best = hold
        if table[x.SYMBOLS + 16 * name + count(scratch[PLAY + side], name) + 1] != 0:
            best, spaces = 0.0, scratch[s.TRAP + lane]
            while spaces:
                best = max(best, chance_to_stop(scratch, table, 1 - who, rival, first_one(spaces)))
                spaces &= spaces - np.int64(1)
        work[s.GRIP + lane] = best - hold


@jit
def _steps(lacking):
    """Worth of a condition that lacks so many steps."""
    return 1.0 if lacking <= 1 else 1.0 / (np.int64(1) << (lacking - 1))
