"""How a policy behaves in public states: its offers and its answers there, asked with random hands or seen in games.

*Asked*, the policy's own code decides, as in a game. Its hand is drawn from the cards that do not lie in the open, with
the discards already used drawn as well; what it discards is replaced and it is asked again.
"""

from __future__ import annotations

from agentsim.games.agent_avenue.engine import (
    ACTIVE,
    DRAWN,
    HAND,
    LEAD,
    PHASE,
    PLAY,
    STATE_SIZE,
    STEP,
    TOSSED,
    TURN,
    UP,
    USED,
)
from agentsim.games.agent_avenue.kernel import (
    KIND_TAKE,
    T_ACTIVE,
    T_DOWN,
    T_LEAD,
    T_REC_ACTIVE,
    T_REC_OTHER,
    T_TOOK_UP,
    T_UP,
)
from agentsim.games.agent_avenue.policies.dispatch import decide_offer, decide_take
from agentsim.games.agent_avenue.policies.exchange import look_ahead_all
from agentsim.games.agent_avenue.rules import COPIES, DISCARDS, HAND_SIZE, N_CARDS, N_NAMES
from agentsim.games.agent_avenue.solver.states import CLASSES
from agentsim.games.agent_avenue.view import DISCARD, observe
from agentsim.games.agent_avenue.zones import count, one, size
from agentsim.jit import jit
from agentsim.rng import below, decision_key, seat_key, word

__all__ = ["measure_answers", "measure_offers", "note_plays", "note_states", "zone_of"]

MOST = 60_000
"""A state is counted so often at most."""


@jit
def zone_of(digits, digit, n):
    """The play area that a number in base 3 stands for."""
    zone = 0
    for name in range(n):
        if digit[name] > 0:
            zone += (digits // digit[name] % CLASSES) * one(name)
    return zone


@jit
def _draw(zone, table, key, salt):
    """A card drawn from those outside ``zone``; -1 if there is none."""
    total = table[N_CARDS] - size(zone)
    if total <= 0:
        return -1
    left = below(word(key, salt), total)
    for name in range(table[N_NAMES]):
        left -= table[COPIES + name] - count(zone, name)
        if left < 0:
            return name
    return -1


@jit
def _place(state, table, lead, mine, theirs, seat, up, key):
    """A position of these play areas, seat 0 to offer, with a hand of ``seat`` drawn at random.

    Returns the zone of all cards in the open, in the hand or tossed.
    """
    for entry in range(STATE_SIZE):
        state[entry] = 0
    state[LEAD], state[PLAY], state[PLAY + 1] = lead, mine, theirs
    seen = mine + theirs
    if up >= 0:
        seen += one(up)
    played = size(mine) + size(theirs)
    state[ACTIVE], state[UP], state[TURN] = 0, up, played // 2
    state[PHASE] = 1 if up >= 0 else 0
    # Discards fall in the first turns; how many of them, chance decides.
    most = min(table[DISCARDS], played // 2 if seat == 1 or played > 0 else 0)
    used = below(word(key, 40), most + 1)
    salt = 41
    for card in range(table[HAND_SIZE] + used):
        name = _draw(seen, table, key, salt)
        salt += 1
        if name < 0:
            break
        seen += one(name)
        if card < used:
            state[TOSSED + seat] += one(name)
        else:
            state[HAND + seat] += one(name)
    state[USED + seat] = used
    # The other hand matters by its size alone.
    other = table[HAND_SIZE] - (2 if up >= 0 else 0)
    if up >= 0:
        other = table[HAND_SIZE]
    state[HAND + 1 - seat] = other * one(0)
    state[DRAWN] = min(table[N_CARDS], played + 2 * table[HAND_SIZE] + used + (2 if up >= 0 else 0))
    return seen


@jit
def measure_offers(states, asked, seed, family, users, table, rows, digit, gap, side, offers, state, scratch, work):
    """``offers[i, u, d]``: how many of ``asked[i]`` random hands in state i are offered as (u, d)."""
    n = table[N_NAMES]
    for at in range(states.shape[0]):
        lead = states[at] // (side * side) - gap + 1
        mine, theirs = zone_of(states[at] // side % side, digit, n), zone_of(states[at] % side, digit, n)
        for u in range(8):
            for d in range(8):
                offers[at, u, d] = 0.0
        for ask in range(asked[at]):
            key = seat_key(seed, 0, states[at], ask)
            seen = _place(state, table, lead, mine, theirs, 0, -1, key)
            look_ahead_all(scratch, table, state)
            action = 0
            for step in range(16):
                state[STEP] = step
                action = decide_offer(family, users, observe(state, table, 0), 0, table, rows, 0, scratch, work,
                                      decision_key(key, state[TURN], step))
                if action < DISCARD:
                    break
                gone = action - DISCARD
                drawn = _draw(seen, table, key, 80 + step)
                if drawn < 0:
                    break
                state[HAND] += one(drawn) - one(gone)
                state[TOSSED] += one(gone)
                state[USED] += 1
                state[DRAWN] += 1
                seen += one(drawn)
            if action >= 0 and action < DISCARD and (action >> 4) < n and (action & 15) < n:
                offers[at, action >> 4, action & 15] += 1.0


@jit
def measure_answers(states, asked, seed, family, users, table, rows, digit, gap, side, answers, state, scratch, work):
    """``answers[i, u]``: with how many of ``asked[i]`` random hands u, lying face up, is taken in state i.

    -1 if no u can lie there.
    """
    n = table[N_NAMES]
    for at in range(states.shape[0]):
        lead = states[at] // (side * side) - gap + 1
        mine, theirs = zone_of(states[at] // side % side, digit, n), zone_of(states[at] % side, digit, n)
        for up in range(8):
            answers[at, up] = -1.0
        for up in range(n):
            if table[COPIES + up] - count(mine, up) - count(theirs, up) <= 0:
                continue
            answers[at, up] = 0.0
            for ask in range(asked[at]):
                key = seat_key(seed, 1 + up, states[at], ask)
                _place(state, table, lead, mine, theirs, 1, up, key)
                look_ahead_all(scratch, table, state)
                took = decide_take(family, users, observe(state, table, 1), 1, table, rows, 0, scratch, work,
                                   decision_key(key, state[TURN], KIND_TAKE))
                answers[at, up] += 1.0 if took != 0 else 0.0


@jit
def _where(turns, row, lead, zone_0, zone_1, digit, gap, side):
    """The public state of a logged turn, from the side of who offers there."""
    active = turns[row, T_ACTIVE]
    own, other = (zone_0, zone_1) if active == 0 else (zone_1, zone_0)
    mine, theirs = 0, 0
    for name in range(digit.shape[0]):
        mine += digit[name] * min(count(own, name), 2)
        theirs += digit[name] * min(count(other, name), 2)
    return ((lead if active == 0 else -lead) + gap - 1) * side * side + mine * side + theirs


@jit
def note_states(turns, turn_game, first_game, target_is_b, per_deal, digit, gap, side, offering, answering):
    """Count the public states of logged turns: by who offered there, the target or its opponent.

    ``turns``: as the kernel writes them; ``offering``, ``answering``: counts by state (uint16) in which the target
    offered, answered.
    """
    game, lead, zone_0, zone_1 = -1, 0, 0, 0
    for row in range(turns.shape[0]):
        if turn_game[row] != game:
            game, lead, zone_0, zone_1 = turn_game[row], 0, 0, 0
        state, active = _where(turns, row, lead, zone_0, zone_1, digit, gap, side), turns[row, T_ACTIVE]
        swap = (first_game + game) & 1 if per_deal == 2 else 0
        if active ^ swap == target_is_b:
            if offering[state] < MOST:
                offering[state] += 1
        elif answering[state] < MOST:
            answering[state] += 1
        mine, its = one(turns[row, T_REC_ACTIVE]), one(turns[row, T_REC_OTHER])
        zone_0 += mine if active == 0 else its
        zone_1 += its if active == 0 else mine
        lead = turns[row, T_LEAD]


@jit
def note_plays(turns, turn_game, first_game, digit, gap, side, place, used, offered, answered, offers, answers):
    """Count what the first policy of a matchup did in logged games, sides swapped every other game.

    ``place`` (2, n_states) int32: the row of a state in which it offers, in which it answers, or -1; ``used`` (2,)
    int64: rows taken so far, which grow. ``offers[row, u, d]``: how often it laid (u, d) there; ``answers[row, u,
    took]``: how often it left or took a card u that lay face up; ``offered``, ``answered``: their sums. All uint16; a
    state is counted until it has come up MOST times.
    """
    game, lead, zone_0, zone_1 = -1, 0, 0, 0
    for row in range(turns.shape[0]):
        if turn_game[row] != game:
            game, lead, zone_0, zone_1 = turn_game[row], 0, 0, 0
        state, active = _where(turns, row, lead, zone_0, zone_1, digit, gap, side), turns[row, T_ACTIVE]
        kind = 0 if active == (first_game + game) & 1 else 1
        if place[kind, state] < 0:
            place[kind, state] = used[kind]
            used[kind] += 1
        at = place[kind, state]
        if kind == 0 and offered[at] < MOST:
            offers[at, turns[row, T_UP], turns[row, T_DOWN]] += 1
            offered[at] += 1
        if kind == 1 and answered[at] < MOST:
            answers[at, turns[row, T_UP], turns[row, T_TOOK_UP]] += 1
            answered[at] += 1
        mine, its = one(turns[row, T_REC_ACTIVE]), one(turns[row, T_REC_OTHER])
        zone_0 += mine if active == 0 else its
        zone_1 += its if active == 0 else mine
        lead = turns[row, T_LEAD]
