"""The two random baselines in every mode: uniform over what is legal, question by question.

``random`` offers exactly as in the base game. In a team it tosses for who plays up, draws a name of that hand, then
one of the partner's legal names. Black Market card, member, target, recruiting and the Division M pawn's way are drawn
uniformly. It never discards. ``random_discards`` is the same, but whoever lays a card is uniform over the cards or
pairs that may be laid and one discard per name in hand, while discarding is legal.

An answer needs one random word, the key of the decision itself. The functions are inlined into the kernel and read
only the fields of the view that the question is about, so that nothing else of it is computed.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.modes.layout import (
    ASK_FACE_DOWN,
    ASK_FACE_UP,
    ASK_M,
    ASK_MARKET,
    ASK_PLAY,
    ASK_TARGET,
    PLAYERS,
)
from agentsim.games.agent_avenue.view import DISCARD, offer_action
from agentsim.games.agent_avenue.zones import lowest, name_set, nth_name, pop_lowest, size_of_set
from agentsim.jit import jit
from agentsim.rng import below

__all__ = ["may_discard", "random_answer", "random_discards_answer"]

_HALF, _LAST = np.uint64(32), np.uint64(63)


@jit(inline="always")
def may_discard(view, table):
    """Whether whoever is asked for a card may discard instead.

    Ruling T1 forbids it, with more than two players, for a Play that began with one card in the deck; nothing but
    discards draws during Play, so this is a Play with one card in the deck and no discard yet.
    """
    kept = table[PLAYERS] > 2 and view.deck == 1 and view.step == 0
    return view.discards_left > 0 and view.deck > 0 and not kept


@jit(inline="always")
def nth_of(names, n):
    """The n-th name of a set of any size; ``nth_name`` is for at most 8."""
    if size_of_set(names) <= 8:
        return nth_name(names, n)
    for _ in range(n):
        names = pop_lowest(names)
    return lowest(names)


@jit(inline="always")
def _random_pair(hand, key):
    names = name_set(hand)
    n = size_of_set(names)
    if n == 1:
        return offer_action(lowest(names), lowest(names))
    up, down = below(key, n), below(key << _HALF, n - 1)
    return offer_action(nth_of(names, up), nth_of(names, down + (down >= up)))


@jit(inline="always")
def random_answer(view, table, key):
    """The answer of ``random`` to the question of the view."""
    ask = view.ask
    if ask == ASK_PLAY:
        return _random_pair(view.hand, key)
    if ask in (ASK_MARKET, ASK_M):
        return below(key, view.options)
    if ask == ASK_FACE_UP:
        names = name_set(view.hand)
        return nth_of(names, below(key, size_of_set(names)))
    if ask in (ASK_FACE_DOWN, ASK_TARGET):
        return nth_of(view.options, below(key, size_of_set(view.options)))
    return np.int64(key >> _LAST)


@jit(inline="always")
def random_discards_answer(view, table, key):
    """The answer of ``random_discards`` to the question of the view."""
    ask = view.ask
    if ask > ASK_FACE_DOWN or not may_discard(view, table):
        return random_answer(view, table, key)
    names = name_set(view.hand)
    n = size_of_set(names)
    if ask == ASK_PLAY:
        # As in the base game: of the n * n pairs of names those of twice the same stand for the n discards.
        up, down = below(key, n), below(key << _HALF, n)
        if up == down and (n > 1 or key & np.uint64(1)):
            return DISCARD + nth_of(names, up)
        return offer_action(nth_of(names, up), nth_of(names, down))
    if ask in (ASK_FACE_UP, ASK_FACE_DOWN):
        laid = names if ask == ASK_FACE_UP else view.options
        pick = below(key, size_of_set(laid) + n)
        return DISCARD + nth_of(names, pick) if pick < n else nth_of(laid, pick - n)
    return random_answer(view, table, key)
