"""Answers of the policy ``solver``: as often as the table says, in the half of the cases that suit its own hand.

*Belief*: the hidden card is what a player of the table would have hidden, made less likely by the copies that this
player holds itself. *Gain*: what taking the face-up card changes, mean over that belief, both outcomes valued by the
offers that the own hand will allow next. Whoever took the card whenever its own gain is positive would take it too
often in some positions and too rarely in others, and an opponent who knows that offers accordingly. So the gain is
ranked among those of hands that this player might as well hold: it takes the card if its rank is in the upper part
``q`` of the table. Over all hands it then takes exactly as often as the table does (its rank among exchangeable hands
is uniform), but with the hands that gain most by it.
"""

from __future__ import annotations

import math

import numpy as np

from agentsim.games.agent_avenue.rules import COPIES, HAND_SIZE
from agentsim.games.agent_avenue.solver.backward import LEVELS, fill_outcomes
from agentsim.games.agent_avenue.solver.hands import HEAD, MOST_CARDS, draw_kept, hand_chances, kept_ways
from agentsim.games.agent_avenue.solver.opened import answers_of, digits, open_table
from agentsim.games.agent_avenue.solver.parameters import INFORMED, parameter_at
from agentsim.games.agent_avenue.solver.turn_game import HARD, PAIRS, SIZE, fill_bonus, offer_weights, turn_values
from agentsim.games.agent_avenue.user import jit_take
from agentsim.games.agent_avenue.zones import count
from agentsim.jit import jit
from agentsim.rng import unit, word

__all__ = ["believe", "fill_successors", "gain_of", "solver_take"]

P_TAKE_TAU, P_OWN_HAND, P_NAIVE, P_TABLE, P_SURE = (
    parameter_at(name) for name in ("take_tau", "own_hand", "naive", "table_answers", "sure"))

SURER = 2.0
"""So much more must a hand gain to decide alone where it is known what hands are kept."""
REFERENCES = 12
"""Hands among which the own one is ranked."""
TAKEN, LEFT = 0, 1
"""The face-up card is taken, is left."""
_GOES_ON = -1.0


@jit(_nrt=True)
def believe(t, state, up, hand, public, outcomes, naive, belief):
    """``belief[d]``: the chance that d lies hidden, to one who sees neither hand.

    ``public``: copies by name that do not lie in the open, the face-up card still among them; ``hand``: cards that the
    offerer chose from; ``naive``: share of belief that any card is as likely as another.
    """
    n = t.n
    offers, bonus, weights, q = np.empty((SIZE, SIZE)), np.zeros((SIZE, SIZE)), np.empty((SIZE, SIZE)), np.empty(SIZE)
    sums, chances, work = np.empty(PAIRS), np.empty(t.sets.shape[0]), np.empty(1 << SIZE)
    answers_of(t.answers, state, n, q)
    fill_bonus(n, outcomes, public, t.kept, bonus)
    turn_values(n, outcomes, q, bonus, offers)
    offer_weights(n, offers, HARD, t.pair_of, weights, sums)
    square = t.side * t.side
    hand_chances(t.kept, state // square, state // t.side % t.side, state % t.side, public, n, t.digit, hand, t.sets,
                 chances, work)
    total, cards = 0.0, -1.0
    for d in range(n):
        belief[d] = 0.0
        cards += public[d]
    for k in range(t.sets.shape[0]):
        names = t.sets[k]
        if chances[k] > 0.0 and names >> up & 1:
            every = 0.0
            for pair in range(t.start[k], t.start[k + 1]):
                every += sums[t.pairs[pair]]
            for d in range(n):
                if names >> d & 1 and (d != up or names == 1 << up):
                    part = chances[k] * weights[up, d] / every
                    belief[d] += part
                    total += part
    if total <= 0.0:
        naive = 1.0
    for d in range(n):
        rest = public[d] - (1 if d == up else 0)
        belief[d] = ((1.0 - naive) * belief[d] / total if total > 0.0 else 0.0) + naive * rest / max(cards, 1.0)


@jit
def _goes_on(lead, gap, x, y, view, wins, loses):
    """Whether the game goes on at a lead after the receiver recruits x and the offerer y."""
    if lead >= gap or -lead >= gap:
        return False
    mine, theirs = count(view.mine, x) == 2, count(view.theirs, y) == 2
    return not (mine and (wins[x] != 0 or loses[x] != 0)) and not (theirs and (wins[y] != 0 or loses[y] != 0))


@jit(_nrt=True)
def fill_successors(view, table, t, values, up, belief, outcomes, informed, ends, means, pairs):
    """What the receiver's next offers are worth after either answer, for every hidden card d that is believed in.

    ``values``: winning chances of the other player where that is to offer. ``ends[answer, d]``: the receiver's winning
    chance if the game ends there, else ``_GOES_ON``; ``means[answer, d]``: with an average hand;
    ``pairs[answer, d, a, b]``: the better of its offers of a and b.
    """
    n = t.n
    after, offers, bonus = np.empty((SIZE, SIZE)), np.empty((SIZE, SIZE)), np.zeros((SIZE, SIZE))
    q, left = np.empty(SIZE), np.empty(SIZE)
    mine, theirs = digits(view.mine, t.digit, n), digits(view.theirs, t.digit, n)
    for d in range(n):
        if belief[d] < 1e-6:
            continue
        for answer in range(2):
            x, y = (up, d) if answer == TAKEN else (d, up)
            chance = 1.0 - outcomes[y, x]
            ends[answer, d] = means[answer, d] = chance
            lead = view.lead + t.moves[x, min(count(view.mine, x), 2)] - t.moves[y, min(count(view.theirs, y), 2)]
            if not _goes_on(lead, t.gap, x, y, view, t.wins, t.loses):
                continue
            ends[answer, d] = _GOES_ON
            to_mine = mine + (t.digit[x] if count(view.mine, x) < 2 else 0)
            to_theirs = theirs + (t.digit[y] if count(view.theirs, y) < 2 else 0)
            fill_outcomes(lead, to_mine, to_theirs, n, t.digit, t.moves, t.wins, t.loses, t.gap, t.side, t.tie, values,
                          after)
            answers_of(t.answers, ((lead + t.gap - 1) * t.side + to_mine) * t.side + to_theirs, n, q)
            if informed:
                for name in range(n):
                    left[name] = (table[COPIES + name] - count(view.mine, name) - count(view.theirs, name)
                                  - (1 if name == x else 0) - (1 if name == y else 0))
                fill_bonus(n, after, left, t.kept, bonus)
            turn_values(n, after, q, bonus, offers)
            for a in range(n):
                for b in range(a, n):
                    pairs[answer, d, a, b] = max(offers[a, b], offers[b, a])


@jit(_nrt=True)
def gain_of(cards, out, up, n, public, belief, own, ends, means, pairs):
    """What taking the face-up card gains a receiver with ``cards`` (copies by name) in hand, in winning chance.

    ``out``: further cards that only it knows to be elsewhere; ``own``: how far its own hand counts in what follows.
    """
    names, size = np.empty(SIZE, np.int64), 0
    for name in range(n):
        if cards[name] > 0:
            names[size] = name
            size += 1
    gain, total = 0.0, 0.0
    for d in range(n):
        rest = public[d] - (1 if d == up else 0)
        weight = belief[d] * (rest - cards[d] - out[d]) / rest if rest > 0 else 0.0
        if belief[d] < 1e-6 or weight <= 0.0:
            continue
        taken, left = ends[TAKEN, d], ends[LEFT, d]
        goes_on, also = taken == _GOES_ON, left == _GOES_ON
        for i in range(size):
            # Two copies of a name are offered only by a hand without another.
            for j in range(i if size == 1 else i + 1, size):
                if goes_on:
                    taken = max(taken, pairs[TAKEN, d, names[i], names[j]])
                if also:
                    left = max(left, pairs[LEFT, d, names[i], names[j]])
        if goes_on:
            taken = own * taken + (1.0 - own) * means[TAKEN, d]
        if also:
            left = own * left + (1.0 - own) * means[LEFT, d]
        gain += weight * (taken - left)
        total += weight
    return gain / total if total > 0.0 else 0.0


@jit_take
def solver_take(view, table, params, key):
    """1 for the face-up card, 0 for the hidden one."""
    t = open_table(params)
    n, up = t.n, view.up
    mine, theirs = digits(view.theirs, t.digit, n), digits(view.mine, t.digit, n)
    state = ((-view.lead + t.gap - 1) * t.side + mine) * t.side + theirs
    wanted = t.answers[state, up] / LEVELS
    if params[P_TABLE] > 0.0 and unit(word(key, 1)) < params[P_TABLE]:
        return np.int64(1) if unit(word(key, 0)) < wanted else np.int64(0)
    outcomes, belief, means, ends = np.empty((SIZE, SIZE)), np.empty(SIZE), np.empty((2, SIZE)), np.empty((2, SIZE))
    pairs = np.empty((2, SIZE, SIZE, SIZE))
    public, cards, out = np.empty(SIZE, np.int64), np.empty(SIZE, np.int64), np.empty(SIZE, np.int64)
    for name in range(n):
        public[name] = table[COPIES + name] - count(view.mine, name) - count(view.theirs, name)
        cards[name], out[name] = count(view.hand, name), count(view.tossed, name)
    fill_outcomes(-view.lead, mine, theirs, n, t.digit, t.moves, t.wins, t.loses, t.gap, t.side, t.tie, t.values,
                  outcomes)
    # The offerer has laid two cards and drawn again.
    believe(t, state, up, min(view.their_hand + 2, table[HAND_SIZE]), public, outcomes, params[P_NAIVE], belief)
    fill_successors(view, table, t, t.values, up, belief, outcomes, params[INFORMED] > 0.0, ends, means, pairs)
    own = params[P_OWN_HAND]
    gain = gain_of(cards, out, up, n, public, belief, own, ends, means, pairs)
    if abs(gain) <= params[P_SURE] * (SURER if t.kept.shape[0] > HEAD else 1.0):
        size, below, equal = 0, 0, 1
        ways = np.empty((SIZE, MOST_CARDS + 1, MOST_CARDS + 1))
        for name in range(n):
            size += cards[name]
            out[name] = 0
        kept_ways(t.kept, t.gap - 1 - view.lead, mine, theirs, public, up, n, t.digit, size, ways)
        # Among equals, chance decides which comes first; the own rank is (below + equal * among) / (REFERENCES + 1).
        among, needed = unit(word(key, 0)), (1.0 - wanted) * (REFERENCES + 1.0)
        for reference in range(REFERENCES):
            # Further hands add at most one each: no more of them than it takes to decide.
            if below + equal * among > needed or below + equal * among + (REFERENCES - reference) <= needed:
                break
            draw_kept(ways, n, size, key, 8 + 8 * reference, cards)
            other = gain_of(cards, out, up, n, public, belief, own, ends, means, pairs)
            below += 1 if other < gain else 0
            equal += 1 if other == gain else 0
        return np.int64(1) if below + equal * among > needed else np.int64(0)
    tau = params[P_TAKE_TAU]
    if tau > 0.0:
        return np.int64(1) if unit(word(key, 0)) < 1.0 / (1.0 + math.exp(-gain / tau)) else np.int64(0)
    if gain == 0.0:
        return np.int64(word(key, 0) >> np.uint64(63))
    return np.int64(1) if gain > 0.0 else np.int64(0)
