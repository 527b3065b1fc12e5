"""Games of a run played again in Python, one step at a time: for stories and reviews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentsim.games.argh import engine as e
from agentsim.games.argh import kernel as k
from agentsim.games.argh.cards import LOCATIONS
from agentsim.games.argh.decision import decision_stream, one_answer, one_choice, one_peek, one_placing
from agentsim.games.argh.policies.dispatch import FAMILIES
from agentsim.games.argh.policies.parameters import SCRATCH_SIZE, WORK_SIZE, policy_row
from agentsim.games.argh.rules import Rules
from agentsim.games.argh.step import Action, Answer, Draw, GameState, Keep, OfferTo, Pass, Peek, Steal, new_game
from agentsim.games.argh.view import KEEP, PASS, STEAL
from agentsim.games.base import PolicyRef

__all__ = ["Player", "choose_action", "make_player", "play_one"]

_KINDS = {e.CHOOSING: k.KIND_CHOOSE, e.PLACING: k.KIND_PLACE, e.ANSWERING: k.KIND_ANSWER, e.PEEKING: k.KIND_PEEK}


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
    """What a player does in a position, with the random stream ``key`` of this decision."""
    seat, state, table, family = game.to_move, game.state, game.table, player.family
    rows, scratch, work = player.row[np.newaxis], np.zeros(SCRATCH_SIZE, dtype=np.int64), np.zeros(WORK_SIZE)
    phase = int(state[e.PHASE])
    if phase == e.PLACING:
        steps = int(one_placing(family, state, table, seat, rows, 0, scratch, work, key))
        return Keep() if steps == KEEP else OfferTo((seat + steps) % game.players)
    if phase == e.ANSWERING:
        return Answer(bool(one_answer(family, state, table, seat, rows, 0, scratch, work, key)))
    if phase == e.PEEKING:
        return Peek(*game.place(int(one_peek(family, state, table, seat, key))))
    code = int(one_choice(family, state, table, seat, rows, 0, scratch, work, key))
    if code < PASS:
        return Draw(LOCATIONS[code])
    if code == PASS:
        return Pass()
    return Steal(int(e.owner_of(state, table, code - STEAL)), *game.place(code - STEAL))


def play_one(seed: int, matchup: int, index: int, per_deal: int, rules: Rules, players: Sequence[Player],
             ) -> list[tuple[GameState, Action | None]]:
    """One game of a run again: its positions with the action taken in each, then the final one with None.

    ``players`` are the matchup's policies in order; game ``index`` is played in rotation ``index % per_deal``.
    """
    game = new_game(seed, rules, deal=index // per_deal)
    rotation = index % per_deal
    course: list[tuple[GameState, Action | None]] = []
    while not game.is_over:
        seat = game.to_move
        kind = _KINDS[int(game.state[e.PHASE])]
        key = np.uint64(decision_stream(np.uint64(seed), matchup, index, seat, game.turn, kind))
        action = choose_action(game, players[(seat + rotation) % rules.players], key)
        course.append((game, action))
        game = game.apply(action)
    course.append((game, None))
    return course
