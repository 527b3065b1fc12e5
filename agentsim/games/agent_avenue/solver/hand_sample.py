"""Both hands in the turns of games of the solver with itself: what the weights of kept hands are fitted to."""

from __future__ import annotations

from agentsim.games.agent_avenue.engine import (
    ACTIVE,
    HAND,
    LEAD,
    OVER,
    PHASE,
    PLAY,
    STEP,
    TURN,
    WINNER,
    deal,
    discard,
    end_step,
    offer,
    take,
)
from agentsim.games.agent_avenue.kernel import KIND_TAKE
from agentsim.games.agent_avenue.rules import N_CARDS
from agentsim.games.agent_avenue.solver.answering import solver_take
from agentsim.games.agent_avenue.solver.opened import digits, open_table
from agentsim.games.agent_avenue.solver.player import solver_offer
from agentsim.games.agent_avenue.view import DISCARD, observe
from agentsim.jit import jit
from agentsim.rng import deal_key, decision_key, seat_key

__all__ = ["S_ACTIVE", "S_DOWN", "S_STATE", "S_TOOK_UP", "S_TURN", "S_UP", "S_WON", "WIDTH", "sample_hands"]

S_STATE, S_TURN, S_ACTIVE, S_UP, S_DOWN, S_TOOK_UP, S_WON = range(7)
WIDTH = 7


@jit(_nrt=True)
def sample_hands(seed, first_game, n_games, table, row, turns, hands, games, state):
    """Play games ``first_game ..`` of the solver with itself and note its turns.

    ``row``: its parameters. ``turns`` int32 (m, WIDTH): the public state, the turn, who offers, what lies up and down,
    whether the one lying up was taken, what the offerer made of the game (1 won, 0 lost, -1 drawn). ``hands`` int64
    (m, 2): the offerer's after its discards, the receiver's. ``games`` int64 (m,): the game of each turn.

    Returns ``(games played, turns)``: fewer games than asked for if the arrays are nearly full.
    """
    t = open_table(row)
    written = 0
    for index in range(n_games):
        if turns.shape[0] - written < table[N_CARDS] // 2 + 1:
            return index, written
        game, first = first_game + index, written
        deal(state, table, deal_key(seed, game))
        key_0, key_1 = seat_key(seed, 0, game, 0), seat_key(seed, 0, game, 1)
        while state[PHASE] != OVER:
            me = state[ACTIVE] & 1
            other = 1 - me
            key_me, key_other = (key_0, key_1) if me == 0 else (key_1, key_0)
            turn, lead = state[TURN], state[LEAD] if me == 0 else -state[LEAD]
            mine, theirs = digits(state[PLAY + me], t.digit, t.n), digits(state[PLAY + other], t.digit, t.n)
            action = solver_offer(observe(state, table, me), table, row, decision_key(key_me, turn, state[STEP]))
            while action >= DISCARD:
                discard(state, table, action - DISCARD)
                action = solver_offer(observe(state, table, me), table, row, decision_key(key_me, turn, state[STEP]))
            hands[written, 0], hands[written, 1] = state[HAND + me], state[HAND + other]
            up, down = action >> 4, action & 15
            offer(state, table, up, down)
            took = solver_take(observe(state, table, other), table, row, decision_key(key_other, turn, KIND_TAKE))
            take(state, table, took != 0)
            end_step(state, table)
            games[written] = game
            turns[written, S_STATE] = ((lead + t.gap - 1) * t.side + mine) * t.side + theirs
            turns[written, S_TURN], turns[written, S_ACTIVE] = turn, me
            turns[written, S_UP], turns[written, S_DOWN], turns[written, S_TOOK_UP] = up, down, took
            written += 1
        for at in range(first, written):
            turns[at, S_WON] = -1 if state[WINNER] < 0 else turns[at, S_ACTIVE] == state[WINNER]
    return n_games, written
