"""Experiments on whole games: forks of a first-round turn, and a first round played as the model of beliefs assumes.

*Forks.* A game is played up to a turn of the first round and continued twice from there, once with the seat calling an
interrogation and once with it giving the tool that it would give. Roles, talk and everybody's random words are the same
in both, so what differs at the end is what the one decision did.

*The model's population.* Here, and nowhere else, givers know the roles: the receiver is drawn uniformly and the tool is
the right one with exactly the likelihoods that players believe in. That is no policy; it is what makes beliefs about
tools right, and so what a test of the beliefs needs.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.shady_agents.engine import (
    ACTIVE,
    BULLET,
    CALL,
    CALL_FREE,
    CHOOSING,
    GIVE,
    KEYS,
    MEDKIT,
    OVER,
    PHASE,
    ROW,
    STATE_SIZE,
    TOOL,
    TURN,
    WINNER,
    answer,
    calls_free,
    side_of,
    start,
)
from agentsim.games.shady_agents.kernel import KIND_CHOOSE, WHOLE_WIN, write_beliefs
from agentsim.games.shady_agents.policies.dispatch import FAMILY_RANDOM, decide
from agentsim.games.shady_agents.rules import MAX_PLAYERS
from agentsim.games.shady_agents.table import PLAYERS
from agentsim.jit import jit
from agentsim.rng import below, deal_key, decision_key, seat_key, unit, word

__all__ = ["CALLER", "GIVER", "USUAL", "play_forks", "play_model"]

USUAL, GIVER, CALLER = range(3)
"""Parameter rows of a forked policy: as it is; never calling; always calling."""
_REDRAW, _THROW = 100, 99


@jit
def _begin(state, odds, table, seed, deal):
    players = table[PLAYERS]
    start(state, odds, table, deal_key(seed, deal), 0, (np.int64(1) << players) - 1, 0)
    for seat in range(players):
        state[ROW + seat] = USUAL
        state[KEYS + seat] = np.int64(seat_key(seed, 0, deal, seat))


@jit
def _turn_key(state):
    kind = KIND_CHOOSE if state[PHASE] == CHOOSING else 1 + state[TOOL]
    return decision_key(np.uint64(state[KEYS + state[ACTIVE]]), state[TURN], kind)


@jit
def _play_on(state, odds, table, family, rows, until, view, sense):
    """Play until turn ``until`` of the first round, or to the end if it is negative."""
    while state[PHASE] != OVER and not (until >= 0 and state[TURN] >= until):
        me = state[ACTIVE]
        code = decide(family, state, odds, table, me, rows, USUAL, view, sense, _turn_key(state))
        answer(state, odds, table, rows, code)


@jit
def _forced(state, odds, table, family, rows, calls, view, sense):
    """The code of the active seat when it has to call, or has to give."""
    me, key = state[ACTIVE], _turn_key(state)
    if family != FAMILY_RANDOM:
        return decide(family, state, odds, table, me, rows, CALLER if calls else GIVER, view, sense, key)
    if calls:
        if calls_free(state, table, me):
            return np.int64(CALL_FREE)
        return np.int64(CALL) + np.int64(word(key, _THROW) >> np.uint64(63))
    # Uniform over all it might do, until it is a gift: uniform over the gifts.
    for at in range(1000):
        code = decide(family, state, odds, table, me, rows, USUAL, view, sense, word(key, _REDRAW + at))
        if code < CALL:
            return code
    return np.int64(GIVE) + (me + 1) % table[PLAYERS]


@jit
def _copy(state, odds, to_state, to_odds):
    # Loops: a copy of a slice may allocate.
    for index in range(STATE_SIZE):
        to_state[index] = state[index]
    for index in range(MAX_PLAYERS * MAX_PLAYERS):
        to_odds[index] = odds[index]


@jit
def play_forks(seed, first_deal, n_deals, turns, table, family, rows, shares, would, state, odds, kept, kept_odds, view,
               sense):
    """Fork every deal at each of some turns of the first round.

    Parameters
    ----------
    seed : uint64; turns : int64, ascending, below the number of players; family, rows : of all seats, rows by
        ``USUAL``, ``GIVER``, ``CALLER``
    shares : int16 (n_deals, turns, 2): the acting seat's win share in twelfths if it calls, and if it gives
    would : int8 (n_deals, turns): whether it would have called
    kept, kept_odds : work space like ``state`` and ``odds``
    """
    for index in range(n_deals):
        _begin(state, odds, table, seed, first_deal + index)
        for at in range(len(turns)):
            _play_on(state, odds, table, family, rows, turns[at], view, sense)
            _copy(state, odds, kept, kept_odds)
            me = state[ACTIVE]
            own = decide(family, state, odds, table, me, rows, USUAL, view, sense, _turn_key(state))
            would[index, at] = own >= CALL
            for branch in range(2):
                code = _forced(state, odds, table, family, rows, branch == 0, view, sense)
                answer(state, odds, table, rows, code)
                _play_on(state, odds, table, family, rows, -1, view, sense)
                shares[index, at, branch] = (WHOLE_WIN // 2 if state[WINNER] < 0 else
                                             WHOLE_WIN if state[WINNER] == side_of(state, me) else 0)
                _copy(kept, kept_odds, state, odds)


@jit
def play_model(seed, first_deal, n_deals, table, rows, medkit_friend, bullet_enemy, beliefs, belief_game, state, odds,
               view, sense):
    """Play first rounds as the model of beliefs assumes, and write what everybody then believes.

    One turn in ``players`` calls an interrogation. ``medkit_friend``, ``bullet_enemy``: how often the tool given to a
    friend is a medkit, and to an enemy a bullet. ``beliefs``, ``belief_game``: as for ``play_games``, with room for
    ``players * (players - 1)`` rows per deal. Returns the number of rows.
    """
    written = 0
    players = table[PLAYERS]
    for index in range(n_deals):
        _begin(state, odds, table, seed, first_deal + index)
        while state[PHASE] == CHOOSING:
            me, key = state[ACTIVE], _turn_key(state)
            if below(word(key, 0), players) == 0:
                code = (np.int64(CALL_FREE) if calls_free(state, table, me) else
                        np.int64(CALL) + np.int64(word(key, 1) >> np.uint64(63)))
            else:
                other = (me + 1 + below(word(key, 2), players - 1)) % players
                chance = unit(word(key, 3))
                if side_of(state, me) == side_of(state, other):
                    tool = MEDKIT if chance < medkit_friend else BULLET
                else:
                    tool = BULLET if chance < bullet_enemy else MEDKIT
                code = np.int64(tool * GIVE + other)
            answer(state, odds, table, rows, code)
        written = write_beliefs(state, odds, table, 0, index, beliefs, belief_game, written, view, sense)
    return written
