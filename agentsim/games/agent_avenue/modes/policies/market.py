"""Answers about the Black Market and the Division M pawn: the best by :mod:`effects` and :mod:`worth`.

``greedy``, ``minmax`` and ``planner`` answer alike, each in its own units; exact ties uniformly. Which member of a team
gains a card is left to chance: a view does not tell the two hands of a team that decides together apart.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.modes.policies.board import keep, lay_out, restore, unseen_cards
from agentsim.games.agent_avenue.modes.policies.effects import after, card_value, hand_choices
from agentsim.games.agent_avenue.modes.policies.glance import glance
from agentsim.games.agent_avenue.modes.policies.lanes import count_ways, survey
from agentsim.games.agent_avenue.modes.policies.sight import seen
from agentsim.games.agent_avenue.modes.policies.worth import value
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_FITTED, FAMILY_GREEDY
from agentsim.games.agent_avenue.rules import ALL_CARDS
from agentsim.games.agent_avenue.zones import lowest, name_set, pop_lowest
from agentsim.jit import jit
from agentsim.rng import below, word

__all__ = ["answer_market"]

_LOW = -1e9


@jit(inline="always")
def answer_market(family, table, rows, policy, scratch, key):
    """The answer of a family to ASK_MARKET, ASK_MEMBER, ASK_TARGET, ASK_RECRUIT or ASK_M."""
    view = seen(scratch)
    if view.ask == x.ASK_MEMBER:
        return np.int64(key >> np.uint64(63))
    me = view.side & 1
    lay_out(view, table, scratch)
    scratch[s.ME], scratch[s.ACTIVE], scratch[s.FAMILY] = me, view.active, family
    scratch[s.UNSEEN], scratch[s.HAND], scratch[s.DECK] = unseen_cards(view, table), view.hand, view.deck
    scratch[s.SHOWN], scratch[s.SHOWN + 1] = view.shown_us, view.shown_them
    keep(scratch)
    held = view.held_me | view.held_them
    if table[x.WITH_M] != 0 or (held | _on_offer(view)) & table[x.WAITS] != 0:
        names = name_set(table[ALL_CARDS])
        for who in range(2):
            survey(scratch, table, me ^ who, np.int64(s.THEM * who), names, False)
        count_ways(scratch, table, scratch[s.UNSEEN])
    scratch[s.AT_A_GLANCE] = family == FAMILY_GREEDY and table[x.WITH_M] == 0 and held & table[x.AT_END] == 0
    if scratch[s.AT_A_GLANCE] != 0:
        glance(scratch, table)
    if view.ask == x.ASK_TARGET:
        return _target(view, scratch, table, rows, policy, key)
    if view.ask == x.ASK_M:
        return _place_m(view, scratch, table, rows, policy, key)
    glanced = scratch[s.AT_A_GLANCE] != 0
    before = float(scratch[s.BEFORE]) if glanced else value(scratch, table, rows, policy, 0.0)
    if view.ask == x.ASK_MARKET:
        return _pick(view, scratch, table, rows, policy, before, key)
    again = after(scratch, table, rows, policy, me, np.int64(x.OF_ANY), view.up & 15, np.int64(0))
    if again == before:
        return np.int64(key >> np.uint64(63))
    return np.int64(again > before)


@jit(inline="always")
def _on_offer(view):
    """The copies that may be taken now, as a set."""
    copies = np.int64(0)
    if view.ask == x.ASK_MARKET:
        for place in range(view.options):
            copies |= np.int64(1) << (((view.supply >> np.int64(8 * place)) & 255) - 1)
    return copies


@jit(inline="always")
def _pick(view, scratch, table, rows, policy, before, key):
    best, choice, equals = _LOW, np.int64(0), np.int64(0)
    for place in range(view.options):
        copy = ((view.supply >> np.int64(8 * place)) & 255) - 1
        if scratch[s.FAMILY] == FAMILY_FITTED:
            scratch[s.TAKEN] = copy
            before = value(scratch, table, rows, policy, 0.0)
        score = card_value(scratch, table, rows, policy, copy, before)
        best, choice, equals = _better(score, place, best, choice, equals, key)
    return choice


@jit(inline="always")
def _target(view, scratch, table, rows, policy, key):
    me = scratch[s.ME] & 1
    op, number = _asking(view, scratch, table)
    best, choice, equals = _LOW, np.int64(0), np.int64(0)
    names = view.options
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        score = after(scratch, table, rows, policy, me, op, name, number)
        best, choice, equals = _better(score, name, best, choice, equals, key)
    return choice


@jit(inline="always")
def _asking(view, scratch, table):
    """The operation that asks for a target, and its number: the first of the card's that offers exactly these."""
    card = table[x.COPY + max(view.taken, 0)]
    first, found, number = table[x.FIRST_EFFECT + card], np.int64(x.OF_ANY), np.int64(0)
    for effect in range(first, first + table[x.N_EFFECTS + card]):
        at = x.EFFECTS + x.EFFECT_SIZE * effect
        op, fits = table[at + x.E_OP], np.int64(-1)
        if op == x.TAKE_BACK:
            fits = name_set(view.mine)
        elif op == x.TAKE:
            fits = name_set(view.theirs)
        elif x.OF_ANY <= op <= x.OF_PAIR:
            fits = hand_choices(scratch, op, table[at + x.E_AGENT], view.hand, scratch[s.ME] & 1)
        if fits == view.options:
            return op, table[at + x.E_N]
        if fits != -1:
            found, number = op, table[at + x.E_N]
    return found, number


@jit(inline="always")
def _place_m(view, scratch, table, rows, policy, key):
    me, ring = scratch[s.ME] & 1, table[x.RING]
    best, choice, equals = _LOW, np.int64(0), np.int64(0)
    for step in range(view.options):
        scratch[x.M_SPACE + me] = (view.m_me + step - view.options // 2 + ring) % ring
        score = value(scratch, table, rows, policy, 0.0)
        restore(scratch)
        best, choice, equals = _better(score, step, best, choice, equals, key)
    return choice


@jit(inline="always")
def _better(score, option, best, choice, equals, key):
    """The best option so far; of equals each with the same chance."""
    if score > best:
        return score, np.int64(option), np.int64(1)
    if score == best:
        equals += 1
        if below(word(key, equals), equals) == 0:
            choice = np.int64(option)
    return best, choice, equals
