"""What a hand holds: the chance of each set of names, by what lies in the open and by what players keep.

A hand *drawn anew* from the cards that do not lie in the open holds each set of names with a chance that inclusion and
exclusion give exactly. A hand of a game is no such draw: one keeps what one did not want to offer, so the agents in
play say more about it than that these are not in it. How much more was fitted to hands of games (``kept.py``): a
network with one hidden layer reads the public state and says for each set of one to four names by how much (in
log-odds) holding them is likelier than drawn anew, in the hand of who offers; another one says so for each copy of a
name in the hand of who answers.
"""

from __future__ import annotations

import math

import numpy as np

from agentsim.games.agent_avenue.solver.states import CLASSES, MAX_NAMES, MAX_TRACKED
from agentsim.jit import jit
from agentsim.rng import unit, word

__all__ = ["BONUS_AS_KEPT", "DRAWN_ANEW", "FEATURES", "HEAD", "LEADS", "MOST_CARDS", "NARROW", "N_WEIGHTS", "OUTPUTS",
           "WIDTH", "draw_kept", "fill_left", "hand_chances", "kept_ways", "type_chances"]

LEADS = 13
WIDTH = 256
FEATURES = CLASSES * CLASSES * MAX_TRACKED + LEADS
"""By agent the copies on both sides, then the lead."""
OUTPUTS = 162
"""A term for every set of one to four of eight names."""
OFFERERS = (FEATURES + 1) * WIDTH + (WIDTH + 1) * OUTPUTS
"""Weights of the first network."""
NARROW = 64
N_WEIGHTS = OFFERERS + (FEATURES + 1) * NARROW + (NARROW + 1) * MAX_NAMES
MOST_CARDS = 6
"""In a hand."""
HEAD = 2
"""What is known of hands is one vector, ``kept``: two numbers for ``turn_game.fill_bonus``, then the weights of both
networks, if there are any."""
DRAWN_ANEW = np.array([0.052, 0.036])
"""What is known of hands drawn anew, without weights."""
BONUS_AS_KEPT = np.array([0.040, 0.041])
"""The two numbers for hands as they are kept."""


@jit
def fill_left(mine, theirs, copies, digit, n, left):
    """``left[name]``: the copies that a public state leaves outside the open, its agents given in base 3."""
    for name in range(n):
        left[name] = copies[name]
        if digit[name] > 0:
            left[name] = max(left[name] - mine // digit[name] % CLASSES - theirs // digit[name] % CLASSES, 0)


@jit
def _choose(n, k):
    if n < k:
        return 0.0
    found = 1.0
    for i in range(k):
        found = found * (n - i) / (i + 1)
    return found


@jit(_nrt=True)
def type_chances(left, n, hand, sets, chances, work):
    """The chance of every type (set of names) of a hand of ``hand`` cards drawn from ``left`` copies by name.

    By inclusion and exclusion over the subsets of a set; ``work``: (2 ** SIZE,). If there are fewer cards than a hand
    holds, the hand is all of them.
    """
    total = 0
    for name in range(n):
        total += left[name]
    drawn = min(hand, total)
    every = _choose(total, drawn)
    ways = np.empty(total + 1)
    for copies in range(total + 1):
        ways[copies] = _choose(copies, drawn)
    # Copies in a subset: those of the subset without its highest name, and of that name.
    work[0] = 0.0
    for name in range(n):
        for subset in range(1 << name):
            work[1 << name | subset] = work[subset] + left[name]
    for subset in range(1 << n):
        work[subset] = ways[np.int64(work[subset])]
    # Moebius transform: from "at most these names" to "exactly these".
    for name in range(n):
        bit = 1 << name
        for first in range(0, 1 << n, 2 * bit):
            for subset in range(first, first + bit):
                work[subset + bit] -= work[subset]
    for t in range(sets.shape[0]):
        chances[t] = max(work[sets[t]], 0.0) / every


@jit(_nrt=True)
def _read(kept, at, width, outputs, lead, mine, theirs, n, digit, out):
    """What the network whose weights begin at ``at`` says of a public state."""
    hidden = np.empty(width)
    bias, second = at + FEATURES * width, at + (FEATURES + 1) * width
    last = at + (FEATURES - LEADS + lead) * width
    for at_unit in range(width):
        hidden[at_unit] = kept[bias + at_unit] + kept[last + at_unit]
    row = 0
    for name in range(n):
        if digit[name] > 0:
            first = at + (row + CLASSES * (mine // digit[name] % CLASSES) + theirs // digit[name] % CLASSES) * width
            for at_unit in range(width):
                hidden[at_unit] += kept[first + at_unit]
            row += CLASSES * CLASSES
    for term in range(outputs):
        out[term] = kept[second + width * outputs + term]
    for at_unit in range(width):
        if hidden[at_unit] > 0.0:
            first = second + at_unit * outputs
            for term in range(outputs):
                out[term] += hidden[at_unit] * kept[first + term]


@jit(_nrt=True)
def hand_chances(kept, lead, mine, theirs, left, n, digit, hand, sets, chances, work):
    """The chance of every type of a hand in a public state; drawn anew without weights. See :func:`type_chances`."""
    type_chances(left, n, hand, sets, chances, work)
    if kept.shape[0] == HEAD:
        return
    terms = np.empty(OUTPUTS)
    _read(kept, HEAD, WIDTH, OUTPUTS, lead, mine, theirs, n, digit, terms)
    for subset in range(1 << n):
        work[subset] = 0.0
    for t in range(OUTPUTS):
        work[sets[t]] = terms[t]
    # Zeta transform: from the term of each set to the sum over the sets that it holds.
    for name in range(n):
        bit = 1 << name
        for first in range(0, 1 << n, 2 * bit):
            for subset in range(first, first + bit):
                work[subset + bit] += work[subset]
    every = 0.0
    for t in range(sets.shape[0]):
        if chances[t] > 0.0:
            chances[t] *= math.exp(work[sets[t]])
            every += chances[t]
    for t in range(sets.shape[0]):
        chances[t] /= every


@jit(_nrt=True)
def kept_ways(kept, lead, mine, theirs, left, up, n, digit, hand, ways):
    """``ways[name, k, j]``: how much it weighs that a receiver's hand holds k of a name and j of the names after it.

    Each copy of a name weighs as much as the second network says (1 without weights): hands are drawn from the
    noncentral hypergeometric distribution of Fisher. ``left``: copies that do not lie in the open, (n,), the face-up
    card ``up`` still among them; ``ways``: (MAX_NAMES, MOST_CARDS + 1, MOST_CARDS + 1), filled as far as ``hand``.
    """
    odds, rest, more = np.zeros(MAX_NAMES), np.zeros(MOST_CARDS + 1), np.zeros(MOST_CARDS + 1)
    if kept.shape[0] > HEAD:
        _read(kept, HEAD + OFFERERS, NARROW, MAX_NAMES, lead, mine, theirs, n, digit, odds)
    rest[0] = 1.0
    for back in range(n):
        name = n - 1 - back
        each = math.exp(odds[name])
        for total in range(hand + 1):
            more[total] = 0.0
        copies = 1.0
        for k in range(hand + 1):
            for j in range(hand + 1):
                ways[name, k, j] = copies * rest[j]
                if k + j <= hand:
                    more[k + j] += copies * rest[j]
            copies *= each * max(left[name] - (1 if name == up else 0) - k, 0.0) / (k + 1)
        for total in range(hand + 1):
            rest[total] = more[total]


@jit
def draw_kept(ways, n, hand, key, first, cards):
    """A hand of ``hand`` cards by :func:`kept_ways`, as copies by name; the words from ``first`` on decide."""
    cards_left = hand
    for name in range(n):
        total = 0.0
        for k in range(cards_left + 1):
            total += ways[name, k, cards_left - k]
        at, k = unit(word(key, first + name)) * total, 0
        while k < cards_left:
            at -= ways[name, k, cards_left - k]
            if at < 0.0:
                break
            k += 1
        # Rounding may leave a little of the total: not more than there are.
        while k > 0 and ways[name, k, cards_left - k] <= 0.0:
            k -= 1
        cards[name] = k
        cards_left -= k
