"""Rollouts of the base game: every action of a position played on to the end, in worlds that all of them share.

Rollout ``w`` of each action has the same hidden cards, the same deck and the same decision streams, so differences
between actions are paired. Nothing is allocated per game.
"""

from __future__ import annotations

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.advice.worlds import draw_world, policy_offer
from agentsim.games.agent_avenue.kernel import KIND_TAKE
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_USER, decide_take
from agentsim.games.agent_avenue.policies.exchange import look_ahead, look_ahead_all
from agentsim.games.agent_avenue.rules import N_NAMES
from agentsim.games.agent_avenue.view import DISCARD, observe
from agentsim.games.agent_avenue.zones import count
from agentsim.jit import jit
from agentsim.rng import combine, decision_key, mix64, seat_key

__all__ = ["roll_out"]


@jit
def roll_out(state, table, seat, actions, seed, first, families, rows, offers, takes, scores, hidden, fits, world,
             branch, scratch, work):
    """Play every action of ``seat`` in ``state`` on, in the worlds ``first ..`` of a seed.

    Parameters
    ----------
    state : int64 (STATE_SIZE,); actions : int64 (A,), ``16 * up + down`` or ``DISCARD + name``, in a choice 1 or 0
    families, rows, offers, takes : as in ``kernel.play_games``; policy 0 plays on for ``seat``, policy 1 for the other
    scores : int8 (W, A), half-points of ``seat`` by world and action
    hidden : int8 (W,), the card face down (-1: none); fits : int8 (W,), 1 if the opponent's policy would lay it there
    world, branch : int64 (STATE_SIZE,); scratch, work : as in the kernel

    Returns -1, or which policy made an illegal move.
    """
    other = 1 - seat
    for number in range(scores.shape[0]):
        index = first + number
        fit = draw_world(state, table, seat, combine(mix64(seed), index), families, offers, rows, world, scratch, work)
        if fit < 0:
            return 1
        fits[number] = fit
        hidden[number] = world[e.DOWN]
        key_0, key_1 = seat_key(seed, 0, index, 0), seat_key(seed, 0, index, 1)
        for which in range(actions.shape[0]):
            for entry in range(e.STATE_SIZE):
                branch[entry] = world[entry]
            look_ahead_all(scratch, table, branch)
            forced, action = True, actions[which]
            while branch[e.PHASE] != e.OVER:
                me = branch[e.ACTIVE] & 1
                if branch[e.PHASE] == e.PLAYING:
                    policy = 0 if me == seat else 1
                    if not forced:
                        action = policy_offer(families[policy], offers, observe(branch, table, me), me, table, rows,
                                              policy, scratch, work,
                                              decision_key(key_0 if me == 0 else key_1, branch[e.TURN],
                                                           branch[e.STEP]))
                        if families[policy] >= FAMILY_USER and not _may_play(branch, table, me, action):
                            return policy
                    if action >= DISCARD:
                        e.discard(branch, table, action - DISCARD)
                    else:
                        e.offer(branch, table, action >> 4, action & 15)
                else:
                    taker = 1 - me
                    policy = 0 if taker == seat else 1
                    if not forced:
                        action = decide_take(families[policy], takes, observe(branch, table, taker), taker, table,
                                             rows, policy, scratch, work,
                                             decision_key(key_0 if taker == 0 else key_1, branch[e.TURN], KIND_TAKE))
                        if families[policy] >= FAMILY_USER and action not in (0, 1):
                            return policy
                    e.take(branch, table, action != 0)
                    e.end_step(branch, table)
                    look_ahead(scratch, table, me, branch[e.PLAY + me], branch[e.RECRUITED])
                    look_ahead(scratch, table, taker, branch[e.PLAY + taker], branch[e.RECRUITED + 1])
                forced = False
            winner = branch[e.WINNER]
            scores[number, which] = 2 if winner == seat else 0 if winner == other else 1
    return -1


@jit
def _may_play(state, table, me, action):
    """Whether an answer of a user's policy is a legal offer or discard."""
    if action >= DISCARD:
        return (action < DISCARD + table[N_NAMES] and e.may_discard(state, table)
                and count(state[e.HAND + me], action - DISCARD) > 0)
    return (action >= 0 and action >> 4 < table[N_NAMES] and action & 15 < table[N_NAMES]
            and e.may_offer(state[e.HAND + me], action >> 4, action & 15))
