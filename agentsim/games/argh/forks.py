"""Forks: one game continued twice from the same state, with the same piles and the same random streams.

At most one fork per deal, at the turn ``T`` that chance picks from ``0 .. horizon - 1`` before the game begins. If the
game is over by then or the turn is none of the kind asked for, the deal has no fork. So the choice looks at nothing
that comes later, and all turns of that kind of all games (up to the horizon) have the same chance to be forked: an
average over forks is an average over these turns. The two branches of the three kinds:

========= ================================ ==================================== ===================================
kind      turn ``T``                       branch A                             branch B
========= ================================ ==================================== ===================================
CHANCE    the policy draws                 the card lies face up before another it lies face up before who drew it
                                           player, whom chance names
OFFER     the policy draws and offers      the asked player accepts             the asked player refuses
STEAL     something to steal and to draw   a face-down card is stolen           a card is drawn
========= ================================ ==================================== ===================================

Under CHANCE whoever draws *offers* the card to the player named, whatever it would have done; CHANCE and OFFER play on
whatever the asked player would have said. Under STEAL the branch that the policy chose is its own choice (this card,
this pile), the other one is chance's: any face-down card of another player, any pile that is not empty. After the fork
all seats play their policies in both branches.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.argh.bits import nth, size
from agentsim.games.argh.engine import (
    ACTIVE,
    ANSWERING,
    ASKED,
    CARD,
    CHOOSING,
    DECK,
    DOWN,
    EVEN_SPIES,
    HELD,
    KEYS,
    OVER,
    PEEKER,
    PHASE,
    PLACING,
    SHARE,
    STATE_SIZE,
    STOLEN,
    TURN,
    UP,
    YES,
    answer,
    deal,
    draw,
    keep,
    offer,
    others_down,
    owner_of,
    pass_turn,
    peek,
    pile_left,
    places_aside,
    steal,
)
from agentsim.games.argh.kernel import KIND_ANSWER, KIND_CHOOSE, KIND_PEEK, KIND_PLACE
from agentsim.games.argh.policies.dispatch import decide_answer, decide_choose, decide_peek, decide_place
from agentsim.games.argh.table import LOCATION, PLAYERS, SPIES
from agentsim.games.argh.view import KEEP, PASS, STEAL, observe
from agentsim.jit import jit
from agentsim.rng import below, deal_key, decision_key, seat_key, word

__all__ = ["FORK_COLUMNS", "FORK_KINDS", "play_forks"]

FORK_KINDS = ("chance", "offer", "steal")
BY_CHANCE, BY_OFFER, BY_STEAL = range(3)

FORK_COLUMNS = ("deal", "turn", "card", "location", "active", "other", "own", "spies_active", "spies_other",
                "active_a", "other_a", "third_a", "active_b", "other_b", "third_b",
                "out_active_a", "out_other_a", "out_active_b", "out_other_b")
"""Columns of a fork's row, whole numbers. ``active`` is the seat whose turn it is (who offers or may steal), ``other``
the seat that is asked or robbed. ``card, location``: the card of the offer, or the one stolen in branch A. ``own``: 1
if the policy would have gone for branch A by itself, 0 for B. ``spies_*``: spies before that seat at the fork,
face-down ones included. ``active_a ...``: win shares in twelfths in the two branches,
``third_*`` of all further players together. ``out_*``: 1 if the seat ends with an odd number of spies."""
(F_DEAL, F_TURN, F_CARD, F_LOCATION, F_ACTIVE, F_OTHER, F_OWN, F_SPIES_ACTIVE, F_SPIES_OTHER, F_SHARES_A) = range(10)
F_SHARES_B, F_OUT_A, F_OUT_B = 12, 15, 17
FORK_SEAT = 4
"""The seat whose random stream decides where games are forked: one that no player has."""


@jit
def _step(state, table, rotation, families, rows, scratch, work):
    """Let whoever has to decide next decide, and carry it out."""
    players, phase, turn = table[PLAYERS], state[PHASE], state[TURN]
    seat = state[ACTIVE] if phase <= PLACING else state[ASKED] if phase == ANSWERING else state[PEEKER]
    policy = seat + rotation
    policy -= players if policy >= players else 0
    key = np.uint64(state[KEYS + seat])
    view = observe(state, table, seat)
    if phase == CHOOSING:
        choice = decide_choose(families[policy], view, table, rows, policy, scratch, work,
                               decision_key(key, turn, KIND_CHOOSE))
        if choice < PASS:
            draw(state, table, choice)
        elif choice >= STEAL:
            steal(state, table, choice - STEAL)
        else:
            pass_turn(state, table)
    elif phase == PLACING:
        steps = decide_place(families[policy], view, table, rows, policy, scratch, work,
                             decision_key(key, turn, KIND_PLACE))
        if steps == KEEP:
            keep(state, table)
        else:
            other = seat + steps
            offer(state, other - players if other >= players else other)
    elif phase == ANSWERING:
        said = decide_answer(families[policy], view, table, rows, policy, scratch, work,
                             decision_key(key, turn, KIND_ANSWER))
        answer(state, table, said != 0)
    else:
        peek(state, table, decide_peek(families[policy], view, places_aside(table), table,
                                       decision_key(key, turn, KIND_PEEK)))


@jit
def _play_until(state, table, turn, rotation, families, rows, scratch, work):
    """Play until the given turn begins, or the game is over."""
    while state[PHASE] != OVER and (state[TURN] < turn or state[PHASE] != CHOOSING):
        _step(state, table, rotation, families, rows, scratch, work)


@jit
def _copy(source, target):
    for index in range(STATE_SIZE):
        target[index] = source[index]


@jit
def _split_offer(state, other, table, key, chance, rotation, families, rows, scratch, work):
    """From the start of a turn to its offer; then branch A stays in ``state`` and B goes to ``other``.

    Returns ``(whether there is a fork, whether the asked player would accept, its seat, the card)``.
    """
    _step(state, table, rotation, families, rows, scratch, work)
    if state[PHASE] != PLACING:
        return False, np.int64(0), np.int64(0), np.int64(0)
    if chance:
        players = table[PLAYERS]
        seat = state[ACTIVE] + 1 + below(word(key, 1), players - 1)
        offer(state, seat - players if seat >= players else seat)
    else:
        _step(state, table, rotation, families, rows, scratch, work)
        if state[PHASE] != ANSWERING:
            return False, np.int64(0), np.int64(0), np.int64(0)
    seat, card = state[ASKED], state[CARD]
    _copy(state, other)
    before = state[YES + seat]
    _step(other, table, rotation, families, rows, scratch, work)
    own = other[YES + seat] - before
    _copy(state, other)
    answer(state, table, True)
    answer(other, table, False)
    return True, own, seat, card


@jit
def _split_steal(state, other, table, key, rotation, families, rows, scratch, work):
    """From the start of a turn in which one can steal and draw: branch A (steal) in ``state``, B (draw) in ``other``.

    Returns ``(whether there is a fork, whether the policy would steal, the victim's seat, the card)``.
    """
    targets = others_down(state, table, state[ACTIVE])
    has_0, has_1 = np.int64(pile_left(state, table, 0) > 0), np.int64(pile_left(state, table, 1) > 0)
    piles = has_0 + has_1 + np.int64(pile_left(state, table, 2) > 0)
    if targets == 0 or piles == 0:
        return False, np.int64(0), np.int64(0), np.int64(0)
    _copy(state, other)
    _step(other, table, rotation, families, rows, scratch, work)
    own = np.int64(other[STOLEN] != state[STOLEN])
    if own == 1:
        # Which place was robbed shows in what is left face down; then both change roles.
        left = np.int64(0)
        for seat in range(table[PLAYERS]):
            left |= other[DOWN + seat]
        place = nth(targets & ~left, 0)
        _copy(state, other)
        index = below(word(key, 3), piles)
        pile = np.int64(0) if has_0 > index else np.int64(1) if has_0 + has_1 > index else np.int64(2)
        draw(other, table, pile)
    else:
        place = nth(targets, below(word(key, 2), size(targets)))
    victim, card = owner_of(state, table, place), state[DECK + place]
    steal(state, table, place)
    return True, own, victim, card


@jit
def play_forks(seed, matchup, first_deal, n_deals, seatings, kind, slot, horizon, table, families, rows, found, state,
               other, scratch, work):
    """Fork the deals ``first_deal ..`` of a matchup, each played in one seating, and write a row per fork.

    Parameters
    ----------
    seatings : deal ``d`` is played in rotation ``d % seatings``
    kind : 0 chance, 1 offer, 2 steal; see the module's text
    slot : forks count only if this policy of the matchup is asked (or, of kind 2, begins the turn); -1 for any
    horizon : the fork's turn is uniform in 0 .. horizon - 1
    families, rows : per policy of the matchup its family and parameter row
    found : int64 (n_deals, len(FORK_COLUMNS))
    state, other, scratch, work : work space of STATE_SIZE (twice) and SCRATCH_SIZE int64 and WORK_SIZE float64

    Returns the number of rows written.
    """
    players, written = table[PLAYERS], 0
    for index in range(n_deals):
        game = first_deal + index
        rotation = game % seatings
        key = seat_key(seed, matchup, game, FORK_SEAT)
        turn = below(word(key, 0), horizon)
        deal(state, table, deal_key(seed, game))
        for seat in range(players):
            state[KEYS + seat] = np.int64(seat_key(seed, matchup, game, seat))
        _play_until(state, table, turn, rotation, families, rows, scratch, work)
        if state[PHASE] == OVER:
            continue
        active = state[ACTIVE]
        if kind == BY_STEAL:
            forked, own, asked, card = _split_steal(state, other, table, key, rotation, families, rows, scratch, work)
        else:
            forked, own, asked, card = _split_offer(state, other, table, key, kind == BY_CHANCE, rotation, families,
                                                    rows, scratch, work)
        if not forked:
            continue
        decides = (active if kind == BY_STEAL else asked) + rotation
        if slot >= 0 and (decides - players if decides >= players else decides) != slot:
            continue
        row = found[written]
        row[F_DEAL], row[F_TURN], row[F_CARD], row[F_LOCATION] = game, turn, card, table[LOCATION + card]
        row[F_ACTIVE], row[F_OTHER], row[F_OWN] = active, asked, own
        # The card in question is not counted: as yet it lies before nobody, or face down before the victim.
        for at in range(2):
            seat = active if at == 0 else asked
            before = (state[UP + seat] | state[HELD + seat]) & table[SPIES]
            row[F_SPIES_ACTIVE + at] = size(before & ~(np.int64(1) << card))
        for branch in range(2):
            ended = state if branch == 0 else other
            _play_until(ended, table, np.int64(1) << 30, rotation, families, rows, scratch, work)
            shares, out = (F_SHARES_A, F_OUT_A) if branch == 0 else (F_SHARES_B, F_OUT_B)
            row[shares], row[shares + 1], row[shares + 2] = ended[SHARE + active], ended[SHARE + asked], 0
            for seat in range(players):
                if seat not in (active, asked):
                    row[shares + 2] += ended[SHARE + seat]
            row[out], row[out + 1] = 1 - ended[EVEN_SPIES + active], 1 - ended[EVEN_SPIES + asked]
        written += 1
    return written
