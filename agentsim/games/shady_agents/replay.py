"""Games of a run played again in Python, one step at a time: for stories and reviews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentsim.games.base import PolicyRef
from agentsim.games.shady_agents import engine as e
from agentsim.games.shady_agents.belief import SENSE_SIZE
from agentsim.games.shady_agents.decision import decision_stream, one_decision
from agentsim.games.shady_agents.kernel import KIND_CHOOSE
from agentsim.games.shady_agents.policies.dispatch import FAMILIES
from agentsim.games.shady_agents.policies.parameters import policy_row
from agentsim.games.shady_agents.rules import TOOLS, Rules
from agentsim.games.shady_agents.step import Action, Call, GameState, Give, new_game
from agentsim.games.shady_agents.view import VIEW_SIZE

__all__ = ["Player", "choose_action", "make_player", "play_one"]


@dataclass(frozen=True)
class Player:
    """A policy made ready: its family's number and its parameter row."""

    ref: PolicyRef
    family: int
    row: NDArray[np.float64]


def make_player(ref: PolicyRef, rules: Rules) -> Player:
    """Make a policy ready for a set of rules."""
    return Player(ref, FAMILIES[ref.family], policy_row(ref.family, ref.params, rules))


def choose_action(game: GameState, player: Player, key: np.uint64) -> Action:
    """What a player does in a position, with the random stream ``key`` of this decision.

    Its beliefs are those that the position keeps for its seat: the evidence as ``game.rows`` weighs it.
    """
    code = int(one_decision(player.family, game.state, game.odds, game.table, game.to_move, player.row[np.newaxis], 0,
                            np.zeros(VIEW_SIZE, dtype=np.int64), np.zeros(SENSE_SIZE), key))
    if code >= e.CALL:
        return Call(None if code == e.CALL_FREE else TOOLS[code - e.CALL])
    return Give(TOOLS[code // e.GIVE], code % e.GIVE)


def play_one(seed: int, matchup: int, index: int, turns: int, rules: Rules, players: Sequence[Player],
             ) -> list[tuple[GameState, Action | None]]:
    """One game of a run again: its positions with the action taken in each, then the final one with None.

    ``players`` are the matchup's policies in order, ``turns`` how many different seatings their rotation has.
    """
    deal, block = divmod(index, turns * rules.players)
    seated = [players[(seat + block % turns) % rules.players] for seat in range(rules.players)]
    game = new_game(seed, rules, deal=deal, turned=block // turns, rows=np.stack([player.row for player in seated]))
    course: list[tuple[GameState, Action | None]] = []
    while not game.is_over:
        seat, tool = game.to_move, int(game.state[e.TOOL])
        kind = KIND_CHOOSE if tool < 0 else 1 + tool
        key = np.uint64(decision_stream(np.uint64(seed), matchup, index, seat, game.turn, kind))
        action = choose_action(game, seated[seat], key)
        course.append((game, action))
        game = game.apply(action)
    course.append((game, None))
    return course
