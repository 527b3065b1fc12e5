"""``planner``: the parameterised family for bluff heuristics. One turn ahead on a linear value of positions.

**Value.** Log-odds of winning, linear in the lead and in what the agents in play are worth to both sides, with kinks
where a catch comes near (``parameters.planner_row`` makes the weights). Outcomes are compared by :func:`advantage`, the
winning chance that these log-odds mean, minus 1/2; one that ends the game counts as +-(1/2 + terminal).

**Stakes.** What a card means to the receiver: what taking it brings plus what leaving it would bring the other, in
log-odds, as far as the receiver is thought to see it (``model_plain``). A receiver that only counts unseen cards takes
the face-up card when its stake is above the mean stake of what may be hidden; that is the opponent modelled by
``depth = 1``, which tosses for a share of its answers (``model_coin``). At ``depth = 2`` it is thought to weigh each
hidden card also by how well the offer would suit the offerer. The same model, from the other side, is the receiver's
``trust``.

**Offer.** Score of laying u up and d down, with p the modelled chance that u is taken, A my advantage if it is, B if
not::

    caution * min(A, B) + (1 - caution) * (p * A + (1 - p) * B)
    + bluff * (1 - p) * (inferred stake - stake of d) / 10 + bait * p * max(0, my gain of d - my gain of u) / 10

**Choice.** Mean advantage over the believed hidden card, of either answer; ``curiosity`` is added to the hidden one.

**Discard.** For each card that the best offer does not need: the mean, over the unseen card drawn for it, of the best
score that the new hand could offer. The most promising goes if that exceeds the present best by ``discard_margin +
reserve * discards used``.

Everything about the agents is kept in *lanes*: vectors of 8 or 16 floats, one per name, in the ``work`` that the
kernel lends (:func:`work_space`). Loops over lanes have no branches, so the compiler turns them into vector
instructions. Lanes beyond the last name compute along and never matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.policies.parameters import FAR, RECORD, WORTH, position
from agentsim.games.agent_avenue.rules import (
    COPIES,
    DISCARDS,
    N_NAMES,
    NEVER,
    TIE_ACTIVE,
    TIE_PASSIVE,
    TIE_RULE,
    WINS_AT,
)
from agentsim.games.agent_avenue.view import DISCARD, offer_action
from agentsim.games.agent_avenue.zones import count, lowest, name_set, one, pop_lowest
from agentsim.jit import jit
from agentsim.rng import unit, word

# Where the parameters stand in a row.
(P_LEAD, P_SPRINT, P_DANGER, P_TERMINAL, P_DEPTH, P_CAUTION, P_BLUFF, P_BAIT, P_OFFER_NOISE, P_TRUST, P_CURIOSITY,
 P_TAKE_NOISE, P_MODEL_NOISE, P_MARGIN, P_RESERVE, P_PLAIN, P_COIN, P_NO_BLUFF, P_NO_BLIND,
 P_NO_SETS) = (position(name) for name in (
    "lead", "sprint", "danger", "terminal", "depth", "caution", "bluff", "bait", "offer_noise", "trust", "curiosity",
    "take_noise", "model_noise", "discard_margin", "reserve", "model_plain", "model_coin", "no_bluff", "no_blind",
    "no_sets"))

# Fields of a record (parameters.WORTH).
R_WORTH, R_WORTH_THEM, R_GAIN, R_GAIN_THEM, R_MOVE, R_PUSH, R_DRAG, R_GLANCE = range(8)

THEM = 16
"""The opponent's lanes lie so much further."""
# Lanes, mine and the opponent's: log-odds gained by recruiting the agent; its move, push and drag (parameters.WORTH).
GAIN, MOVE, PUSH, DRAG = 0, 32, 64, 96
# Lanes: copies that are not in play, that I have not seen; stakes; the chance that this card, face up, is taken, and
# the stake that is then inferred for the hidden one.
PUBLIC, UNSEEN, STAKE, LIKELY, INFERRED = 128, 144, 160, 176, 192
# Lanes: what weighs the two answers and the two tastes of an offer with this card face up.
IF_TAKEN, IF_LEFT, BLUFF, BAIT = 208, 224, 240, 256
# Lanes: the two outcomes of a pair; how likely a card is drawn; work space of several rows.
KEPT, GIVEN, DRAWN, ROWS = 272, 288, 304, 320
UP = ROWS + 16 * 10
"""``work[UP + 16 * up + down]``: the score of each offer with a card of the hand face up."""
PAIR = UP + 256
"""``work[PAIR + 16 * card + other]``: the better score of the two ways to offer a card of the hand with another."""
SEEN = PAIR + 256
"""Lanes, mine and the opponent's: what the opponent is thought to see in an agent for either side, in log-odds."""
WORK_SIZE = SEEN + 32

END_STAKE = 4.0
"""Log-odds by which a card that at once wins or loses the game for its owner is counted when stakes are weighed."""
_SURE = 4.5
"""Log-odds from which on a chance counts as certain."""
_LOW = -1e9


def work_space() -> NDArray[np.float64]:
    """The floats that the kernel lends to planners, aligned to cache lines: vectors across two lines are slow."""
    memory = np.zeros(WORK_SIZE + 8)
    start = -(memory.ctypes.data // 8) % 8
    return memory[start:start + WORK_SIZE]


class Scene(NamedTuple):
    """What all outcomes of a decision share, as floats.

    ``base``: log-odds of the position before the exchange; ``lead``, gaps and halves of the gaps; two weights;
    ``won``: the advantage of having won; ``tied``: of a tie, which is plus or minus ``won``, or 0 for a draw.
    """

    base: float
    lead: float
    gap_me: float
    gap_them: float
    half_me: float
    half_them: float
    sprint: float
    danger: float
    won: float
    tied: float


@jit(inline="always")
def advantage(log_odds):
    """Winning chance minus 1/2, from log-odds: within 0.04 of the logistic function, smooth, and cheaper."""
    part = max(min(log_odds * (1.0 / _SURE), 1.0), -1.0)
    return part * (1.0 - 0.5 * abs(part))


@jit(inline="always")
def exp_like(x):
    """``(1 + x / 256) ** 256``: the exponential to 1 % for |x| < 2, monotone everywhere, without a call."""
    y = 1.0 + max(min(x, 60.0), -200.0) * (1.0 / 256.0)
    y *= y
    y *= y
    y *= y
    y *= y
    y *= y
    y *= y
    y *= y
    return y * y


@jit(inline="always")
def outcome(scene, gain, move, push, drag, its_gain, its_move, its_push, its_drag):
    """My advantage after an exchange, from what my recruit and the opponent's recruit bring.

    The End step in arithmetic: whoever has a win or faces a loss has a claim; if both have one it is a tie. (That is
    the same as the rules' three cases, since a player with a win and a loss at once makes both a claimant.)
    """
    lead = scene.lead + move - its_move
    value = (scene.base + gain - its_gain + scene.sprint * max(lead - scene.half_me, 0.0)
             - scene.danger * max(-lead - scene.half_them, 0.0))
    claimed = scene.lead + push + its_drag >= scene.gap_me
    its_claimed = drag + its_push - scene.lead >= scene.gap_them
    # Bounds rather than cases: the compiler must find no branch here.
    at_least = scene.tied if its_claimed else scene.won
    at_least = at_least if claimed else _LOW
    at_most = -scene.won if its_claimed else -_LOW
    return max(min(advantage(value), at_most), at_least)


@jit(inline="always")
def lanes_of(table):
    """How many lanes are computed: enough for the names, and a whole number of vectors."""
    return 8 if table[N_NAMES] <= 8 else 16


@jit(inline="always")
def weigh(view, table, rows, policy, work):
    """Fill the lanes of gains, moves, sets, copies and stakes.

    Returns the log-odds of the position before the exchange, the sum of the stakes of all cards that are not in play,
    and their number.
    """
    to_catch, to_be_caught = float(view.gap_me - view.lead), float(view.gap_them + view.lead)
    plain = rows[policy, P_PLAIN]
    for lane in range(lanes_of(table)):
        held, held_by_them = count(view.mine, lane), count(view.theirs, lane)
        mine, theirs = WORTH + RECORD * (16 * lane + held), WORTH + RECORD * (16 * lane + held_by_them)
        gain, its_gain = rows[policy, mine + R_GAIN], rows[policy, theirs + R_GAIN_THEM]
        move, its_move = rows[policy, mine + R_MOVE], rows[policy, theirs + R_MOVE]
        push, its_push = rows[policy, mine + R_PUSH], rows[policy, theirs + R_PUSH]
        drag, its_drag = rows[policy, mine + R_DRAG], rows[policy, theirs + R_DRAG]
        work[GAIN + lane], work[GAIN + THEM + lane] = gain, its_gain
        work[MOVE + lane], work[MOVE + THEM + lane] = move, its_move
        work[PUSH + lane], work[PUSH + THEM + lane] = push, its_push
        work[DRAG + lane], work[DRAG + THEM + lane] = drag, its_drag
        work[ROWS + lane] = rows[policy, mine + R_WORTH] - rows[policy, theirs + R_WORTH_THEM]
        ends = ((1.0 if push >= to_catch else 0.0) - (1.0 if drag >= FAR / 2 else 0.0)
                + (1.0 if its_push >= to_be_caught else 0.0) - (1.0 if its_drag >= FAR / 2 else 0.0))
        seen = gain + plain * (rows[policy, mine + R_GLANCE] - gain)
        its_seen = its_gain + plain * (rows[policy, theirs + R_GLANCE] - its_gain)
        work[SEEN + lane], work[SEEN + THEM + lane] = seen, its_seen
        stake = seen + its_seen + END_STAKE * ends
        public = float(table[COPIES + lane] - held - held_by_them)
        work[STAKE + lane] = stake
        work[PUBLIC + lane] = public
        work[UNSEEN + lane] = public - float(count(view.hand, lane) + count(view.tossed, lane))
        work[ROWS + 16 + lane] = public * stake
    base = rows[policy, P_LEAD] * view.lead + total_of(work, ROWS, lanes_of(table))
    return base, total_of(work, ROWS + 16, lanes_of(table)), total_of(work, PUBLIC, lanes_of(table))


@jit(inline="always")
def total_of(work, at, lanes):
    """The sum of a row of lanes, in a fixed order."""
    even, odd = 0.0, 0.0
    for lane in range(0, lanes, 2):
        even += work[at + lane]
        odd += work[at + lane + 1]
    return even + odd


@jit(inline="always")
def scene_of(view, table, rows, policy, base, active):
    won = 0.5 + rows[policy, P_TERMINAL]
    tied = won if table[TIE_RULE] == TIE_ACTIVE else -won if table[TIE_RULE] == TIE_PASSIVE else 0.0
    return Scene(base, float(view.lead), float(view.gap_me), float(view.gap_them), float(view.gap_me >> 1),
                 float(view.gap_them >> 1), rows[policy, P_SPRINT], rows[policy, P_DANGER], won,
                 tied if active else -tied)


@jit(inline="always")
def _suits(work, offerer, likely, up, down):
    """Log-odds that an offer is worth to the offerer if the face-up card is taken with chance ``likely``.

    ``offerer`` is 0 when the viewer offers and THEM when the opponent does.
    """
    receiver = THEM - offerer
    return (likely * (work[SEEN + offerer + down] - work[SEEN + receiver + up])
            + (1.0 - likely) * (work[SEEN + offerer + up] - work[SEEN + receiver + down]))


@jit(inline="always")
def foresee(table, rows, policy, work, stakes, cards):
    """For each face-up card: the stake that the opponent will infer for the hidden one, and the chance of a take."""
    per_noise, per_card = 1.0 / rows[policy, P_MODEL_NOISE], 1.0 / max(cards - 1.0, 1.0)
    thinks = 1.0 - rows[policy, P_COIN] if rows[policy, P_DEPTH] >= 1.0 else 0.0
    for lane in range(lanes_of(table)):
        inferred = (stakes - work[STAKE + lane]) * per_card
        work[INFERRED + lane] = inferred
        work[LIKELY + lane] = 0.5 + thinks * advantage((work[STAKE + lane] - inferred) * per_noise)
    if rows[policy, P_DEPTH] >= 2.0:
        _guess_offers(table, work, thinks, per_noise)


@jit
def _guess_offers(table, work, thinks, per_noise):
    """Level 2: the opponent infers the hidden card also from how well each offer would suit me."""
    for up in range(table[N_NAMES]):
        likely = work[LIKELY + up]
        total, weighted = 0.0, 0.0
        for hidden in range(table[N_NAMES]):
            if hidden != up:
                weight = work[PUBLIC + hidden] * exp_like(_suits(work, 0, likely, up, hidden) * per_noise)
                total += weight
                weighted += weight * work[STAKE + hidden]
        if total > 0.0:
            work[INFERRED + up] = weighted / total
            work[LIKELY + up] = 0.5 + thinks * advantage((work[STAKE + up] - weighted / total) * per_noise)


@jit(inline="always")
def pair_up(table, rows, policy, work, scene, names):
    """Score each name of my hand, up, with every agent, down, and the other way round; PAIR keeps the better way."""
    caution, per_bluff, per_bait = rows[policy, P_CAUTION], 0.1 * rows[policy, P_BLUFF], 0.1 * rows[policy, P_BAIT]
    expected = 1.0 - caution
    for lane in range(lanes_of(table)):
        likely = work[LIKELY + lane]
        work[IF_TAKEN + lane], work[IF_LEFT + lane] = expected * likely, expected * (1.0 - likely)
        work[BLUFF + lane], work[BAIT + lane] = per_bluff * (1.0 - likely), per_bait * likely
    while names:
        card = lowest(names)
        names = pop_lowest(names)
        gain, its_gain = work[GAIN + card], work[GAIN + THEM + card]
        move, its_move = work[MOVE + card], work[MOVE + THEM + card]
        push, its_push = work[PUSH + card], work[PUSH + THEM + card]
        drag, its_drag = work[DRAG + card], work[DRAG + THEM + card]
        inferred, stake = work[INFERRED + card], work[STAKE + card]
        if_taken, if_left = work[IF_TAKEN + card], work[IF_LEFT + card]
        bluff, bait = work[BLUFF + card], work[BAIT + card]
        for lane in range(lanes_of(table)):
            kept = outcome(scene, gain, move, push, drag, work[GAIN + THEM + lane], work[MOVE + THEM + lane],
                           work[PUSH + THEM + lane], work[DRAG + THEM + lane])
            given = outcome(scene, work[GAIN + lane], work[MOVE + lane], work[PUSH + lane], work[DRAG + lane],
                            its_gain, its_move, its_push, its_drag)
            work[KEPT + lane], work[GIVEN + lane] = kept, given
        for lane in range(lanes_of(table)):
            kept, given = work[KEPT + lane], work[GIVEN + lane]
            worse, more = caution * min(kept, given), work[GAIN + lane] - gain
            up = if_taken * given + if_left * kept + bluff * (inferred - work[STAKE + lane]) + bait * max(0.0, more)
            down = (work[IF_TAKEN + lane] * kept + work[IF_LEFT + lane] * given
                    + work[BLUFF + lane] * (work[INFERRED + lane] - stake) + work[BAIT + lane] * max(0.0, -more))
            work[UP + 16 * card + lane] = worse + up
            work[PAIR + 16 * card + lane] = worse + max(up, down)


@jit(inline="always")
def _best_pair(work, names):
    """The best score of a pair of two names of a set, and the pair as an offer (which of them lies up is left open)."""
    best, choice = _LOW, np.int64(0)
    while names:
        name = lowest(names)
        names = pop_lowest(names)
        others = names
        while others:
            other = lowest(others)
            others = pop_lowest(others)
            score = work[PAIR + 16 * name + other]
            if score > best:
                best, choice = score, offer_action(name, other)
    return best, choice


@jit(inline="always")
def _best_discard(table, work, hand, names, best, choice):
    """The card whose replacement promises most: the mean best score after drawing for it, and its name.

    ``best``, ``choice``: the best offer now. A card that it needs stays, so the offer stays possible; only if it needs
    the whole hand (of two cards), any card may go.
    """
    held, copies_held = names, 0.0
    copies = total_of(work, UNSEEN, lanes_of(table))
    for lane in range(lanes_of(table)):
        work[DRAWN + lane] = work[UNSEEN + lane]
    spare, floor = names & ~(one(choice >> 4) | one(choice & 15)), best
    while held:
        name = lowest(held)
        held = pop_lowest(held)
        copies_held += work[UNSEEN + name]
        work[DRAWN + name] = 0.0
        if count(hand, name) > 1:
            spare |= one(name)
    if spare == 0:
        spare, floor = names, _LOW
    promise, gone = _LOW, np.int64(0)
    while spare:
        name = lowest(spare)
        spare = pop_lowest(spare)
        kept = names & ~one(name) if count(hand, name) == 1 else names
        total = copies_held * best
        if floor < best:  # drawing the other name once more makes a pair of equals
            total += work[UNSEEN + lowest(kept)] * (work[PAIR + 17 * lowest(kept)] - best)
        for lane in range(lanes_of(table)):
            work[ROWS + lane] = floor
        # Every step writes a new row: the compiler would turn a maximum in place into masked stores, which are slow.
        at = ROWS
        while kept:
            first = lowest(kept)
            kept = pop_lowest(kept)
            second = lowest(kept) if kept else first
            kept = pop_lowest(kept)
            for lane in range(lanes_of(table)):
                value = max(work[PAIR + 16 * first + lane], work[PAIR + 16 * second + lane])
                work[at + 16 + lane] = max(work[at + lane], value)
            at += 16
        even, odd = 0.0, 0.0
        for lane in range(0, lanes_of(table), 2):
            even += work[at + lane] * work[DRAWN + lane]
            odd += work[at + lane + 1] * work[DRAWN + lane + 1]
        total += even + odd
        if total > promise:
            promise, gone = total, name
    return promise / max(copies, 1.0), gone


@jit
def _sample_pair(work, names, best, noise, key, choice):
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
                weight = exp_like((work[UP + offer_action(up, down)] - best) / noise)
                if sampling == 0:
                    total += weight
                else:
                    left -= weight
                    if left <= 0.0:
                        return offer_action(up, down)
    return choice


@jit
def _best_within(table, work, names, no_bluff, no_sets, choice):
    """The best offer among those that the policy allows itself; ``choice`` if there is none."""
    best, ups = _LOW, names
    while ups:
        up = lowest(ups)
        ups = pop_lowest(ups)
        downs = names & ~one(up)
        while downs:
            down = lowest(downs)
            downs = pop_lowest(downs)
            allowed = not (no_bluff and work[STAKE + down] < work[INFERRED + up])
            if no_sets and (table[WINS_AT + up] < NEVER or table[WINS_AT + down] < NEVER):
                allowed = False
            if allowed and work[UP + offer_action(up, down)] > best:
                best, choice = work[UP + offer_action(up, down)], offer_action(up, down)
    return choice


@jit(inline="always")
def offer_by_lanes(view, table, rows, policy, work, base, stakes, cards, may_discard, used, key):
    """The best offer by its score, or a discard if a new card promises enough. The lanes must be filled.

    ``base``, ``stakes``, ``cards``: what :func:`weigh` returns; ``used``: discards that I have made in this game.
    """
    names = name_set(view.hand)
    first = lowest(names)
    single = pop_lowest(names) == 0
    scene = scene_of(view, table, rows, policy, base, True)
    foresee(table, rows, policy, work, stakes, cards)
    pair_up(table, rows, policy, work, scene, names)
    best, choice = work[PAIR + 17 * first], offer_action(first, first)
    if not single:
        best, choice = _best_pair(work, names)
        turned = offer_action(choice & 15, choice >> 4)
        # With full caution, or an opponent thought to toss a coin, it makes no difference which of them lies face up.
        tie = work[UP + choice] == work[UP + turned]
        if work[UP + choice] < work[UP + turned] or (tie and word(key, 1) >> np.uint64(63) != 0):
            choice = turned
    if may_discard:
        promise, gone = _best_discard(table, work, view.hand, names, best, choice)
        if promise > best + rows[policy, P_MARGIN] + rows[policy, P_RESERVE] * used:
            return DISCARD + gone
    if rows[policy, P_NO_BLUFF] + rows[policy, P_NO_SETS] > 0.0 and not single:
        return _best_within(table, work, names, rows[policy, P_NO_BLUFF] > 0.0, rows[policy, P_NO_SETS] > 0.0, choice)
    if rows[policy, P_OFFER_NOISE] > 0.0 and not single:
        return _sample_pair(work, names, best, rows[policy, P_OFFER_NOISE], key, choice)
    return choice


@jit(inline="always")
def take_by_lanes(view, table, rows, policy, work, base, stakes, cards, key):
    """1 for the face-up card if it seems better than the hidden one, else 0. The lanes must be filled."""
    scene = scene_of(view, table, rows, policy, base, False)
    up = view.up
    if rows[policy, P_NO_BLIND] > 0.0:
        return 1
    if rows[policy, P_NO_SETS] > 0.0 and table[WINS_AT + up] < NEVER:
        return 0
    # Two equal cards can only come from a hand of one name, too rare to reckon with.
    work[UNSEEN + up] = 0.0
    trust, noise = rows[policy, P_TRUST], rows[policy, P_MODEL_NOISE]
    if trust > 0.0:
        inferred = (stakes - work[STAKE + up]) / max(cards - 1.0, 1.0)
        likely = 0.5 + (1.0 - rows[policy, P_COIN]) * advantage((work[STAKE + up] - inferred) / noise)
        scale = trust / noise
        for lane in range(lanes_of(table)):
            work[UNSEEN + lane] *= exp_like(scale * _suits(work, THEM, likely, up, lane))
    gain, its_gain = work[GAIN + up], work[GAIN + THEM + up]
    move, its_move = work[MOVE + up], work[MOVE + THEM + up]
    push, its_push = work[PUSH + up], work[PUSH + THEM + up]
    drag, its_drag = work[DRAG + up], work[DRAG + THEM + up]
    for lane in range(lanes_of(table)):
        if_up = outcome(scene, gain, move, push, drag, work[GAIN + THEM + lane], work[MOVE + THEM + lane],
                        work[PUSH + THEM + lane], work[DRAG + THEM + lane])
        if_hidden = outcome(scene, work[GAIN + lane], work[MOVE + lane], work[PUSH + lane], work[DRAG + lane],
                            its_gain, its_move, its_push, its_drag)
        work[ROWS + lane] = work[UNSEEN + lane] * (if_up - if_hidden)
    weights = 0.0
    for name in range(table[N_NAMES]):
        weights += work[UNSEEN + name]
    difference = -rows[policy, P_CURIOSITY]
    if weights > 0.0:
        difference += total_of(work, ROWS, lanes_of(table)) / weights
    if rows[policy, P_TAKE_NOISE] > 0.0:
        return 1 if unit(word(key, 0)) < 0.5 + advantage(difference / rows[policy, P_TAKE_NOISE]) else 0
    if difference == 0.0:
        return np.int64(word(key, 0) >> np.uint64(63))
    return 1 if difference > 0.0 else 0


# Not inlined into the kernel: that would make games 7 % faster and compiling them twice as long.
@jit
def planner_offer(view, table, rows, policy, scratch, work, key):
    """The best offer by its score, or a discard if a new card promises enough."""
    may_discard = rows[policy, P_MARGIN] < 1.0 and view.discards_left > 0 and view.deck > 0
    first = lowest(name_set(view.hand))
    if pop_lowest(name_set(view.hand)) == 0 and not may_discard:
        return offer_action(first, first)
    base, stakes, cards = weigh(view, table, rows, policy, work)
    used = table[DISCARDS] - view.discards_left
    return offer_by_lanes(view, table, rows, policy, work, base, stakes, cards, may_discard, used, key)


@jit
def planner_take(view, table, rows, policy, scratch, work, key):
    """1 for the face-up card if it seems better than the hidden one, else 0."""
    base, stakes, cards = weigh(view, table, rows, policy, work)
    return take_by_lanes(view, table, rows, policy, work, base, stakes, cards, key)
