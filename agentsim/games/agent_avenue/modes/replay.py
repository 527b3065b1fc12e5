"""Games of a run in any mode played again in Python: for stories, and for policies with Python methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue import blocks
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.modes import kernel as k
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes import picks as p
from agentsim.games.agent_avenue.modes.actions import Action, Discard, Take
from agentsim.games.agent_avenue.modes.decision import (
    answer_stream,
    one_answer,
    one_user_answer,
    one_user_base_answer,
    uniform_pick,
)
from agentsim.games.agent_avenue.modes.policies.space import mode_scratch_space, mode_work_space
from agentsim.games.agent_avenue.modes.step import ModeState, Observation, new_game
from agentsim.games.agent_avenue.modes.tally import COUNTS_SIZE, count_game
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_RANDOM, FAMILY_USER
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.step import IllegalAction
from agentsim.games.agent_avenue.user import in_one_line

__all__ = ["Counts", "choose_action", "play_one", "play_rows"]


@dataclass(frozen=True)
class Counts:
    """Exact counters: ``games`` as in ``tally.py``, ``cards`` as in ``picks.py`` (empty without a Black Market)."""

    games: NDArray[np.int64]
    cards: NDArray[np.int64]

    @classmethod
    def of_nothing(cls, rules: Rules) -> Counts:
        """Counters of no game."""
        return cls(np.zeros(COUNTS_SIZE, dtype=np.int64),
                   np.zeros(p.RECORD * len(rules.market_cards), dtype=np.int64))


def choose_action(game: ModeState, player: Any, key: np.uint64) -> Action:
    """What a player (``playing.make_player``) does in a position, with the random stream ``key`` of this answer.

    Raises IllegalAction if a user's policy answers with something that is no answer, InputError if its Python methods
    raise.
    """
    ask = int(game.state[x.DECISION])
    if ask == x.ASK_MARKET and game.rules.picks == "uniform":
        return _action(game, int(uniform_pick(game.state, key)))
    if player.python is not None:
        method = {x.ASK_PLAY: "offer", x.ASK_TAKE: "choose"}.get(ask, "decide")
        if hasattr(player.python, method):
            try:
                action: Action = getattr(player.python, method)(_observation(game))
            except Exception as error:
                raise InputError(f"policy '{player.ref.label}' failed: {in_one_line(error)}", key="policies") from error
            return action
        return _action(game, _built_in(FAMILY_RANDOM, game, player.row, key))
    if player.family != FAMILY_USER:
        return _action(game, _built_in(player.family, game, player.row, key))
    if ask in (x.ASK_PLAY, x.ASK_TAKE):
        function = player.offer if ask == x.ASK_PLAY else player.take
        return _action(game, int(one_user_base_answer(function, game.state, game.table, player.row, key)))
    return _action(game, int(one_user_answer(player.others, game.state, game.table, player.row, key)))


def play_one(seed: int, matchup: int, index: int, per_deal: int, rules: Rules, players: Sequence[Any],
             ) -> list[tuple[ModeState, Action | None]]:
    """One game of a run again: its positions with the action taken in each, then the final one with None."""
    lone = blocks.lone_side(index, per_deal, rules)
    game = new_game(seed, rules, deal=index // per_deal, lone=lone if lone >= 0 else None)
    swap = blocks.swapped(index, per_deal, rules)
    course: list[tuple[ModeState, Action | None]] = []
    while not game.is_over:
        player = players[game.to_move ^ swap]
        key = np.uint64(answer_stream(np.uint64(seed), matchup, index, game.state))
        try:
            action = choose_action(game, player, key)
            course.append((game, action))
            game = game.apply(action)
        except IllegalAction as error:
            raise InputError(f"policy '{player.ref.label}', game {index}: {error}", key="policies") from None
    course.append((game, None))
    return course


def play_rows(seed: np.uint64, matchup: int, first: int, n_games: int, per_deal: int, rules: Rules,
              players: Sequence[Any], counts: Counts) -> tuple[NDArray[Any], ...]:
    """The kernel's rows for games with a policy in Python, which are added to ``counts``: one answer at a time, slow.

    Returns games, finals, turns, turn_game, turn_hands, events, event_game, as ``kernel.play_modes`` describes them.
    """
    games = np.zeros((n_games, k.GAME_WIDTH), dtype=np.int16)
    finals = np.zeros((n_games, 2), dtype=np.int64)
    turns: list[NDArray[np.int32]] = []
    turn_game: list[int] = []
    hands: list[tuple[int, int]] = []
    events: list[NDArray[np.int32]] = []
    event_game: list[int] = []
    for index in range(n_games):
        course = play_one(int(seed), matchup, first + index, per_deal, rules, players)
        end, table = course[-1][0].state, course[-1][0].table
        winner = int(end[e.WINNER])
        row = np.full(k.TURN_WIDTH, -1, dtype=np.int32)
        discards = [0, 0]
        for (game, action), (after, _) in pairwise(course):
            state, ask = game.state, int(game.state[x.DECISION])
            if isinstance(action, Discard):
                discards[game.to_move] += 1
                slot = int(state[e.STEP])
                if ask == x.ASK_FACE_DOWN:
                    slot += k.SLOTS - int(state[x.UP_STEPS])
                row[k.T_DISCARDED + slot] = rules.names.index(action.name)
            elif ask == x.ASK_TAKE:
                row[[k.T_UP, k.T_DOWN]] = state[[e.UP, e.DOWN]]
                row[k.T_TOOK_UP], row[k.T_DISCARDS] = action == Take("face_up"), state[e.STEP]
                row[[k.T_PLAYER_UP, k.T_PLAYER_DOWN]] = state[[x.UP_MEMBER, x.DOWN_MEMBER]]
                hands.append((int(state[x.OFFER_UP_HAND]), int(state[x.OFFER_DOWN_HAND])))
            if after.state[x.EVENTS] != state[x.EVENTS]:
                events.append(np.zeros(k.EVENT_WIDTH, dtype=np.int32))
                event_game.append(index)
                k.write_event(events[-1][np.newaxis], 0, after.state, table, game.turn,
                              state[x.EVENTS] - state[x.EV_START])
            if after.turn != game.turn or after.is_over:
                row[[k.T_TURN, k.T_ACTIVE]] = game.turn, game.active
                row[[k.T_REC_ACTIVE, k.T_REC_OTHER]] = after.state[e.RECRUITED:e.RECRUITED + 2]
                row[[k.T_MOVE_ACTIVE, k.T_MOVE_OTHER]] = after.state[e.MOVED:e.MOVED + 2]
                row[k.T_LEAD] = after.lead
                row[k.T_WON] = -1 if winner < 0 else game.active == winner
                row[[k.T_M_0, k.T_M_1]] = after.state[x.M_SPACE:x.M_SPACE + 2]
                turns.append(row)
                turn_game.append(index)
                row = np.full(k.TURN_WIDTH, -1, dtype=np.int32)
        of_deal, swap = (first + index) % per_deal, blocks.swapped(first + index, per_deal, rules)
        count_game(counts.games, swap, table[x.LONE], of_deal == per_deal - 1, winner, end[e.REASON], end[e.TIE],
                   end[e.ACTIVE], end[e.TURN] + 1, *discards)
        _count_landings(counts.cards, course, winner)
        games[index] = [winner, end[e.REASON], end[e.TIE], end[e.TURN] + 1, end[e.LEAD], *discards, end[e.ACTIVE],
                        table[x.LONE]]
        finals[index] = end[e.PLAY:e.PLAY + 2]
    return (games, finals, np.array(turns, dtype=np.int32).reshape(-1, k.TURN_WIDTH),
            np.array(turn_game, dtype=np.int64), np.array(hands, dtype=np.int64).reshape(-1, 2),
            np.array(events, dtype=np.int32).reshape(-1, k.EVENT_WIDTH), np.array(event_game, dtype=np.int64))


def _count_landings(cards: NDArray[np.int64], course: Sequence[tuple[ModeState, Action | None]], winner: int) -> None:
    if not len(cards):
        return
    noted = np.zeros(64, dtype=np.int64)
    n = 0
    for game, action in course[:-1]:
        if game.state[x.DECISION] == x.ASK_MARKET:
            option = dict(game.legal_answers())[action]  # type: ignore[index]
            noted[n & 63] = p.note_pick(game.state, game.table, game.to_move, option)
            n += 1
    p.count_picks(cards, noted, n, course[0][0].table, winner)


def _built_in(family: int, game: ModeState, row: NDArray[np.float64], key: np.uint64) -> int:
    return int(one_answer(family, game.state, game.table, row[np.newaxis, :], mode_scratch_space(),
                          mode_work_space(), key))


def _observation(game: ModeState) -> Observation:
    """What whoever is asked sees. Where a ruling forbids discards in this Play it shows none left."""
    seen = game.observe(game.to_move, game.player_to_move)
    if game.state[x.DECISION] == x.ASK_PLAY and not any(isinstance(action, Discard) for action in seen.legal):
        return replace(seen, discards_left=0)
    return seen


def _action(game: ModeState, option: int) -> Action:
    legal = game.legal_answers()
    for action, number in legal:
        if number == option:
            return action
    raise IllegalAction(f"{option} is no answer; legal: {'; '.join(str(action) for action, _ in legal)}")
