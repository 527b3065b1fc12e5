"""Games of a run played again in Python, one step at a time: for stories, reviews and policies with Python methods."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue import kernel as k
from agentsim.games.agent_avenue.decision import decision_stream, one_offer, one_take, one_user_decision
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_USER
from agentsim.games.agent_avenue.policies.exchange import SCRATCH_SIZE
from agentsim.games.agent_avenue.policies.planner import work_space
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.step import Action, Discard, GameState, IllegalAction, Offer, Take, new_game
from agentsim.games.agent_avenue.user import FACE_UP, HIDDEN, in_one_line
from agentsim.games.agent_avenue.view import DISCARD

__all__ = ["choose_action", "play_one", "play_rows"]


def choose_action(game: GameState, player: Any, key: np.uint64) -> Action:
    """What a player (``session.make_player``) does in a position, with the random stream ``key`` of this decision.

    Raises IllegalAction if a user's policy answers with something that is no action at all, InputError if its Python
    methods raise.
    """
    seat, names = game.to_move, game.rules.names
    taking = game.state[e.PHASE] == e.TAKING
    if player.python is not None:
        try:
            action: Action = (player.python.choose if taking else player.python.offer)(game.observe(seat))
        except Exception as error:
            raise InputError(f"policy '{player.ref.label}' failed: {in_one_line(error)}", key="policies") from error
        return action
    if player.family == FAMILY_USER:
        function = player.take if taking else player.offer
        code = int(one_user_decision(function, game.state, game.table, seat, player.row, key))
    else:
        decide, rows = one_take if taking else one_offer, player.row[np.newaxis, :]
        scratch, work = np.zeros(SCRATCH_SIZE, dtype=np.int64), work_space()
        code = int(decide(player.family, game.state, game.table, seat, rows, 0, scratch, work, key))
    if taking and code in (FACE_UP, HIDDEN):
        return Take("face_up" if code == FACE_UP else "hidden")
    if taking:
        raise IllegalAction(f"{code} is no choice; legal: {'; '.join(map(str, game.legal_actions()))}")
    if DISCARD <= code < DISCARD + len(names):
        return Discard(names[code - DISCARD])
    if 0 <= code < DISCARD and max(code >> 4, code & 15) < len(names):
        return Offer(names[code >> 4], names[code & 15])
    raise IllegalAction(f"{code} is no action; legal: {'; '.join(map(str, game.legal_actions()))}")


def play_one(seed: int, matchup: int, index: int, per_deal: int, rules: Rules, players: Sequence[Any],
             ) -> list[tuple[GameState, Action | None]]:
    """One game of a run again: its positions with the action taken in each, then the final one with None."""
    game = new_game(seed, rules, deal=index // per_deal)
    swap = index % 2 if per_deal == 2 else 0
    course: list[tuple[GameState, Action | None]] = []
    while not game.is_over:
        seat = game.to_move
        kind = k.KIND_TAKE if game.state[e.PHASE] == e.TAKING else int(game.state[e.STEP])
        key = np.uint64(decision_stream(np.uint64(seed), matchup, index, seat, game.turn, kind))
        try:
            action = choose_action(game, players[seat ^ swap], key)
            course.append((game, action))
            game = game.apply(action)
        except IllegalAction as error:
            label = players[seat ^ swap].ref.label
            raise InputError(f"policy '{label}', game {index}: {error}", key="policies") from None
    course.append((game, None))
    return course


def play_rows(seed: np.uint64, matchup: int, first: int, n_games: int, per_deal: int, rules: Rules,
              table: NDArray[np.int64], players: Sequence[Any]) -> tuple[NDArray[Any], ...]:
    """The kernel's rows for games with a policy in Python: the same columns, one step at a time and slow."""
    games = np.zeros((n_games, k.GAME_WIDTH), dtype=np.int16)
    finals = np.zeros((n_games, 2), dtype=np.int64)
    turns: list[NDArray[np.int16]] = []
    turn_game: list[int] = []
    hands: list[int] = []
    for index in range(n_games):
        course = play_one(int(seed), matchup, first + index, per_deal, rules, players)
        end = course[-1][0].state
        winner = int(end[e.WINNER])
        row = np.full(k.TURN_WIDTH, -1, dtype=np.int16)
        for (game, action), (after, _) in pairwise(course):
            names = rules.names
            if isinstance(action, Discard):
                row[k.T_DISCARDED + int(game.state[e.STEP])] = names.index(action.name)
            elif isinstance(action, Offer):
                hands.append(int(game.state[e.HAND + game.active]))
                row[[k.T_TURN, k.T_ACTIVE, k.T_DISCARDS]] = game.turn, game.active, game.state[e.STEP]
                row[[k.T_UP, k.T_DOWN]] = names.index(action.face_up), names.index(action.face_down)
            elif isinstance(action, Take):
                row[k.T_TOOK_UP] = action.card == "face_up"
                row[[k.T_REC_ACTIVE, k.T_REC_OTHER]] = after.state[e.RECRUITED:e.RECRUITED + 2]
                row[[k.T_MOVE_ACTIVE, k.T_MOVE_OTHER]] = after.state[e.MOVED:e.MOVED + 2]
                row[k.T_LEAD] = after.lead
                row[k.T_WON] = -1 if winner < 0 else game.active == winner
                turns.append(row)
                turn_game.append(index)
                row = np.full(k.TURN_WIDTH, -1, dtype=np.int16)
        games[index] = [winner, end[e.REASON], end[e.TIE], end[e.TURN] + 1, end[e.LEAD], end[e.USED], end[e.USED + 1],
                        end[e.ACTIVE]]
        finals[index] = end[e.PLAY:e.PLAY + 2]
    rows = np.array(turns, dtype=np.int16).reshape(-1, k.TURN_WIDTH)
    return games, finals, rows, np.array(turn_game, dtype=np.int64), np.array(hands, dtype=np.int64)
