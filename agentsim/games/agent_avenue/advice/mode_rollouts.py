"""Rollouts of every mode: every answer to a question played on to the end, in worlds that all of them share."""

from __future__ import annotations

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.advice.mode_worlds import draw_mode_world, policy_answer
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.kernel import stream_of
from agentsim.games.agent_avenue.modes.turn import answer, legal
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_USER
from agentsim.jit import jit
from agentsim.rng import below, combine, mix64, seat_key

__all__ = ["roll_out_modes"]


@jit
def roll_out_modes(state, table, actions, seed, first, families, rows, minds, users, scores, hidden, fits, world,
                   branch, scratch, work):
    """Play every answer to the question that is open in ``state`` on, in the worlds ``first ..`` of a seed.

    As :func:`.rollouts.roll_out`, for the side that is asked; ``actions``: the engine's answers (``layout.py``);
    ``world``, ``branch``: int64 (MODE_STATE,); ``minds``, ``users``, ``scratch``, ``work``: as in
    ``modes.kernel.play_modes``. Returns -1, or which policy gave an illegal answer.
    """
    seat = state[x.ASKED] & 1
    other = 1 - seat
    for number in range(scores.shape[0]):
        index = first + number
        fit = draw_mode_world(state, table, combine(mix64(seed), index), families, minds, users, rows, world, scratch,
                              work)
        if fit < 0:
            return 1
        fits[number] = fit
        hidden[number] = world[e.DOWN]
        key_0, key_1 = seat_key(seed, 0, index, 0), seat_key(seed, 0, index, 1)
        for which in range(actions.shape[0]):
            for entry in range(x.MODE_STATE):
                branch[entry] = world[entry]
            answer(branch, table, actions[which])
            while branch[x.DECISION] >= 0:
                side = branch[x.ASKED] & 1
                policy = 0 if side == seat else 1
                key = stream_of(key_0 if side == 0 else key_1, branch)
                if branch[x.DECISION] == x.ASK_MARKET and table[x.PICKS_UNIFORM] == 1:
                    option = below(key, branch[x.OPTIONS])
                else:
                    option = policy_answer(families, minds, users, branch, table, rows, policy, scratch, work, key)
                if families[policy] >= FAMILY_USER and not legal(branch, table, option):
                    return policy
                answer(branch, table, option)
            winner = branch[e.WINNER]
            scores[number, which] = 2 if winner == seat else 0 if winner == other else 1
    return -1
