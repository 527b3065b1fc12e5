"""``planner``: the parameterised family for bluff heuristics. One turn ahead on a linear value of positions.

**Value.** Log-odds of winning, linear in the lead, its cube, the worth of the agents in play of both sides (row[WORTH],
made by ``parameters.planner_row``) and the tempo; turned into a winning chance by :func:`chance`. An outcome that ends
the game is worth 1 or 0.

**Stakes.** What a card means to the receiver: what taking it brings plus what leaving it would bring the other, in
log-odds. A receiver that only counts unseen cards takes the face-up card when its stake is above the mean stake of what
may be hidden; that is the opponent modelled by ``depth = 1``. At ``depth = 2`` it is thought to weigh each hidden card
also by how well the offer would suit the offerer. The same model, seen from the other side, is the receiver's ``trust``.

**Offer.** Score of laying u up and d down, with p the modelled chance that u is taken, A my chance if it is, B if not::

    caution * min(A, B) + (1 - caution) * (p * A + (1 - p) * B)
    + bluff * (1 - p) * (inferred stake - stake of d) / 10 + bait * p * max(0, my gain of d - my gain of u) / 10

**Choice.** Mean chance over the believed hidden card, of either answer; ``curiosity`` is added to the hidden one.

**Discard.** For each card x of the hand: the mean, over the unseen card drawn for it, of the best score that the new hand
could offer. The best x goes if that exceeds the present best by ``discard_margin + reserve * discards used``.
"""

from __future__ import annotations

import math

import numpy as np

from agentsim.games.agent_avenue.policies.exchange import MOVE, SET, THEM, ends, look_at
from agentsim.games.agent_avenue.policies.parameters import WORTH
from agentsim.games.agent_avenue.rules import COPIES, DISCARDS, LOSE, N_NAMES, TIE_RULE, WIN
from agentsim.games.agent_avenue.view import DISCARD, offer_action
from agentsim.games.agent_avenue.zones import count, lowest, name_set, one, pop_lowest
from agentsim.jit import jit
from agentsim.rng import unit, word

# Positions of the parameters in a row: the order of parameters.PLANNER_PARAMETERS.
(P_LEAD, P_SPRINT, _, _, _, _, _, _, P_TEMPO, P_DEPTH, P_CAUTION, P_BLUFF, P_BAIT, P_OFFER_NOISE, P_TRUST, P_CURIOSITY,
 P_TAKE_NOISE, P_MODEL_NOISE, P_MARGIN, P_RESERVE) = range(20)

# The float scratch: by name (16 each; THEM further for the opponent) and one entry per ordered pair.
GAIN, TOTAL, STAKE, LIKELY, INFERRED, SCORE = 0, 32, 64, 80, 96, 112
WORK_SIZE = SCORE + 256

_END_STAKE = 4.0
"""Log-odds by which a card that at once wins or loses the game for its owner is counted when stakes are weighed."""


@jit
def chance(log_odds):
    """A winning chance in (0, 1) from log-odds: close to the logistic function, and cheaper."""
    half = 0.5 * log_odds
    return 0.5 + 0.5 * half / math.sqrt(1.0 + half * half)


@jit
def exp_like(x):
    """``(1 + x / 256) ** 256``: the exponential to 1 % for |x| < 2, monotone everywhere, without a call."""
    y = 1.0 + max(min(x, 60.0), -200.0) / 256.0
    y *= y
    y *= y
    y *= y
    y *= y
    y *= y
    y *= y
    y *= y
    return y * y


@jit
def standing(view, table, rows, policy, active):
    """Log-odds of the position without its lead: agents in play and the tempo after this exchange."""
    value = -rows[policy, P_TEMPO] if active else rows[policy, P_TEMPO]
    for name in range(table[N_NAMES]):
        entry = WORTH + 16 * name
        value += rows[policy, entry + count(view.mine, name)] - rows[policy, entry + count(view.theirs, name)]
    return value


@jit(inline="always")
def weigh(view, table, rows, policy, scratch, work, name):
    """Work out what recruiting ``name`` brings either side, and its stake for the receiver."""
    look_at(view, table, scratch, name)
    entry = WORTH + 16 * name
    mine, theirs = entry + count(view.mine, name), entry + count(view.theirs, name)
    work[GAIN + name] = rows[policy, mine + 1] - rows[policy, mine]
    work[GAIN + THEM + name] = rows[policy, theirs + 1] - rows[policy, theirs]
    slope = rows[policy, P_LEAD]
    work[TOTAL + name] = work[GAIN + name] + slope * scratch[MOVE + name] + _end_stake(
        scratch[SET + name], view.lead + scratch[MOVE + name] >= view.gap_me)
    work[TOTAL + THEM + name] = work[GAIN + THEM + name] + slope * scratch[MOVE + THEM + name] + _end_stake(
        scratch[SET + THEM + name], scratch[MOVE + THEM + name] - view.lead >= view.gap_them)
    work[STAKE + name] = work[TOTAL + name] + work[TOTAL + THEM + name]


@jit(inline="always")
def _end_stake(sets, catches):
    gain = _END_STAKE if catches or sets & WIN != 0 else 0.0
    return gain - _END_STAKE if sets & LOSE != 0 else gain


@jit(inline="always")
def outcome(view, table, rows, policy, scratch, work, base, active, mine, theirs):
    """My winning chance if I recruit ``mine`` and the opponent ``theirs``."""
    lead = view.lead + scratch[MOVE + mine] - scratch[MOVE + THEM + theirs]
    end = ends(view, table[TIE_RULE], active, lead, scratch[SET + mine], scratch[SET + THEM + theirs])
    if end != 0:
        return 1.0 if end > 0 else 0.0
    value = base + work[GAIN + mine] - work[GAIN + THEM + theirs]
    return chance(value + lead * (rows[policy, P_LEAD] + rows[policy, P_SPRINT] * lead * lead * (1.0 / 36.0)))


@jit
def _weigh_all(view, table, rows, policy, scratch, work):
    """Weigh every name; the sum of stakes over the publicly unseen cards and their number."""
    stakes, cards = 0.0, 0
    for name in range(table[N_NAMES]):
        weigh(view, table, rows, policy, scratch, work, name)
        public = table[COPIES + name] - count(view.mine, name) - count(view.theirs, name)
        stakes += public * work[STAKE + name]
        cards += public
    return stakes, cards


@jit(inline="always")
def _suits(work, offerer, likely, up, down):
    """Log-odds that an offer is worth to the offerer if the face-up card is taken with chance ``likely``.

    ``offerer`` is 0 when the viewer offers and THEM when the opponent does.
    """
    receiver = THEM - offerer
    return (likely * (work[TOTAL + offerer + down] - work[TOTAL + receiver + up])
            + (1.0 - likely) * (work[TOTAL + offerer + up] - work[TOTAL + receiver + down]))


@jit
def _foresee(view, table, rows, policy, work, stakes, cards, names):
    """For each face-up card of ``names``: the stake that the opponent will infer for the hidden one, and its answer."""
    depth, noise = rows[policy, P_DEPTH], rows[policy, P_MODEL_NOISE]
    while names:
        up = lowest(names)
        names = pop_lowest(names)
        inferred = (stakes - work[STAKE + up]) / max(cards - 1, 1)
        likely = 0.5
        if depth >= 1:
            likely = chance((work[STAKE + up] - inferred) / noise)
        if depth >= 2:
            total, weighted = 0.0, 0.0
            for hidden in range(table[N_NAMES]):
                copies = (table[COPIES + hidden] - count(view.mine, hidden) - count(view.theirs, hidden)
                          - (hidden == up))
                if copies > 0 and hidden != up:
                    weight = copies * exp_like(_suits(work, 0, likely, up, hidden) / noise)
                    total += weight
                    weighted += weight * work[STAKE + hidden]
            if total > 0.0:
                inferred = weighted / total
                likely = chance((work[STAKE + up] - inferred) / noise)
        work[INFERRED + up] = inferred
        work[LIKELY + up] = likely


@jit(inline="always")
def _score(rows, policy, work, up, down, if_taken, if_left):
    """The offer's score (module docstring): A is ``if_taken``, B is ``if_left``."""
    likely, caution = work[LIKELY + up], rows[policy, P_CAUTION]
    score = caution * min(if_taken, if_left) + (1.0 - caution) * (likely * if_taken + (1.0 - likely) * if_left)
    score += 0.1 * rows[policy, P_BLUFF] * (1.0 - likely) * (work[INFERRED + up] - work[STAKE + down])
    return score + 0.1 * rows[policy, P_BAIT] * likely * max(0.0, work[TOTAL + down] - work[TOTAL + up])


@jit
def _score_pairs(view, table, rows, policy, scratch, work, base, firsts, seconds):
    """Fill SCORE for both orders of every pair of two different names, one of ``firsts`` and one of ``seconds``."""
    while firsts:
        a = lowest(firsts)
        firsts = pop_lowest(firsts)
        others = seconds & ~one(a)
        while others:
            b = lowest(others)
            others = pop_lowest(others)
            with_a = outcome(view, table, rows, policy, scratch, work, base, True, a, b)
            with_b = outcome(view, table, rows, policy, scratch, work, base, True, b, a)
            work[SCORE + offer_action(a, b)] = _score(rows, policy, work, a, b, with_b, with_a)
            work[SCORE + offer_action(b, a)] = _score(rows, policy, work, b, a, with_a, with_b)
        seconds = seconds & ~one(a) if firsts & seconds else seconds


@jit
def _best_pair(work, names):
    """The best offer from a set of at least two names: its score and its action."""
    best, choice = -1e9, np.int64(0)
    rest = names
    while rest:
        a = lowest(rest)
        rest = pop_lowest(rest)
        others = rest
        while others:
            b = lowest(others)
            others = pop_lowest(others)
            if work[SCORE + offer_action(a, b)] > best:
                best, choice = work[SCORE + offer_action(a, b)], offer_action(a, b)
            if work[SCORE + offer_action(b, a)] > best:
                best, choice = work[SCORE + offer_action(b, a)], offer_action(b, a)
    return best, choice


@jit
def _sample_pair(work, names, best, noise, key):
    """An offer drawn with weights exp(score / noise)."""
    total = 0.0
    for sampling in range(2):
        left = unit(word(key, 0)) * total
        ups = names
        while ups:
            up = lowest(ups)
            ups = pop_lowest(ups)
            downs = names & ~one(up)
            while downs:
                down = lowest(downs)
                downs = pop_lowest(downs)
                weight = exp_like((work[SCORE + offer_action(up, down)] - best) / noise)
                if sampling == 0:
                    total += weight
                else:
                    left -= weight
                    if left <= 0.0:
                        return offer_action(up, down)
    return _best_pair(work, names)[1]


@jit
def _best_discard(view, table, work, hand_names, new_names):
    """The card whose replacement promises most: the mean best score after drawing for it, and its name."""
    best, choice = -1e9, np.int64(0)
    candidates = hand_names
    while candidates:
        gone = lowest(candidates)
        candidates = pop_lowest(candidates)
        kept = hand_names if count(view.hand, gone) > 1 else hand_names & ~one(gone)
        floor = _best_pair(work, kept)[0] if pop_lowest(kept) else -1e9
        mean, cards = 0.0, 0
        for drawn in range(table[N_NAMES]):
            copies = (table[COPIES + drawn] - count(view.mine, drawn) - count(view.theirs, drawn)
                      - count(view.hand, drawn) - count(view.tossed, drawn))
            if copies > 0:
                value = floor
                if kept & one(drawn) == 0:
                    others = kept
                    while others:
                        other = lowest(others)
                        others = pop_lowest(others)
                        value = max(value, work[SCORE + offer_action(drawn, other)],
                                    work[SCORE + offer_action(other, drawn)])
                mean += copies * max(value, 0.0)
                cards += copies
        if cards > 0 and mean / cards > best:
            best, choice = mean / cards, gone
    return best, choice


@jit
def planner_offer(view, table, rows, policy, scratch, work, key):
    names = name_set(view.hand)
    stakes, cards = _weigh_all(view, table, rows, policy, scratch, work)
    may_discard = rows[policy, P_MARGIN] < 1.0 and view.discards_left > 0 and view.deck > 0
    single = pop_lowest(names) == 0
    if single and not may_discard:
        return offer_action(lowest(names), lowest(names))
    base = standing(view, table, rows, policy, True)
    best, choice = -1e9, np.int64(0)
    if single:
        only = lowest(names)
        best = outcome(view, table, rows, policy, scratch, work, base, True, only, only)
        choice = offer_action(only, only)
    else:
        _foresee(view, table, rows, policy, work, stakes, cards, names)
        _score_pairs(view, table, rows, policy, scratch, work, base, names, names)
        best, choice = _best_pair(work, names)
    if may_discard:
        unseen = np.int64(0)
        for name in range(table[N_NAMES]):
            if table[COPIES + name] > count(view.mine, name) + count(view.theirs, name) + count(view.tossed, name):
                unseen |= one(name)
        fresh = unseen & ~names
        _foresee(view, table, rows, policy, work, stakes, cards, fresh if not single else fresh | names)
        _score_pairs(view, table, rows, policy, scratch, work, base, fresh, names)
        promise, gone = _best_discard(view, table, work, names, fresh)
        used = table[DISCARDS] - view.discards_left
        if promise > best + rows[policy, P_MARGIN] + rows[policy, P_RESERVE] * used:
            return DISCARD + gone
    if rows[policy, P_OFFER_NOISE] > 0.0 and not single:
        return _sample_pair(work, names, best, rows[policy, P_OFFER_NOISE], key)
    return choice


@jit
def planner_take(view, table, rows, policy, scratch, work, key):
    stakes, cards = _weigh_all(view, table, rows, policy, scratch, work)
    base = standing(view, table, rows, policy, False)
    up = view.up
    trust, noise = rows[policy, P_TRUST], rows[policy, P_MODEL_NOISE]
    likely = 0.5
    if trust > 0.0:
        likely = chance((work[STAKE + up] - (stakes - work[STAKE + up]) / max(cards - 1, 1)) / noise)
    total, if_up, if_hidden = 0.0, 0.0, 0.0
    for hidden in range(table[N_NAMES]):
        copies = (table[COPIES + hidden] - count(view.mine, hidden) - count(view.theirs, hidden)
                  - count(view.hand, hidden) - count(view.tossed, hidden))
        # Two equal cards can only come from a hand of one name, too rare to reckon with.
        if copies > 0 and hidden != up:
            weight = np.float64(copies)
            if trust > 0.0:
                weight *= exp_like(trust * _suits(work, THEM, likely, up, hidden) / noise)
            total += weight
            if_up += weight * outcome(view, table, rows, policy, scratch, work, base, False, up, hidden)
            if_hidden += weight * outcome(view, table, rows, policy, scratch, work, base, False, hidden, up)
    difference = -rows[policy, P_CURIOSITY]
    if total > 0.0:
        difference += (if_up - if_hidden) / total
    if rows[policy, P_TAKE_NOISE] > 0.0:
        return 1 if unit(word(key, 0)) < chance(difference / rows[policy, P_TAKE_NOISE]) else 0
    if difference == 0.0:
        return np.int64(word(key, 0) >> np.uint64(63))
    return 1 if difference > 0.0 else 0
