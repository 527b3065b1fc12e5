"""How a compiled policy plays a whole tree: its own functions asked in every event with every hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from agentsim.games.agent_avenue.playing import make_player
from agentsim.games.agent_avenue.rules import Rules, compile_rules
from agentsim.games.agent_avenue.view import View
from agentsim.games.base import PolicyRef
from agentsim.rng import unit, word
from tests.oracle.exact_solve import Plan
from tests.oracle.exact_tree import Counts, Tree

__all__ = ["KEYS", "plan_of", "shares"]

KEYS = 1 << 14
QUESTIONS = 200_000
"""How often answers are asked for in a level: they hang on many random numbers, so their chances are estimates."""


@cache
def _keys() -> list[np.uint64]:
    """Keys of decisions whose first random number is near 0.5 / KEYS, 1.5 / KEYS ..."""
    keys = np.random.default_rng(1).integers(0, 2**63, 16 * KEYS, np.uint64)
    numbers = np.array([unit(np.uint64(word(key, 0))) for key in keys])
    order = np.argsort(numbers)
    return list(keys[order[np.searchsorted(numbers[order], (np.arange(KEYS) + 0.5) / KEYS)]])


def shares(decide: Callable[[np.uint64], int]) -> dict[int, float]:
    """The chance of each answer of a policy that draws one number, whose answers go up or down with it.

    Between two keys with one answer there is no other then; so each chance is right to 1 / KEYS.
    """
    keys, found = _keys(), {}

    def count(first: int, first_said: int, last: int, last_said: int) -> None:
        """Of the keys from ``first`` to before ``last``."""
        if first_said == last_said or last == first + 1:
            found[first_said] = found.get(first_said, 0) + last - first
            return
        middle = (first + last) // 2
        said = decide(keys[middle])
        count(first, first_said, middle, said)
        count(middle, said, last, last_said)

    at_last = decide(keys[-1])
    count(0, decide(keys[0]), KEYS - 1, at_last)
    found[at_last] = found.get(at_last, 0) + 1
    return {said: times / KEYS for said, times in found.items()}


def _zone(tree: Tree, cards: Counts) -> int:
    return sum(has << 4 * number for number, has in zip(tree.cards, cards, strict=True))


def plan_of(tree: Tree, rules: Rules, ref: PolicyRef, seat: int) -> Plan:
    """A policy's plan in a seat. Without discards it sees no more than the event, its hand and how many cards are left.
    """
    player, table = make_player(ref, rules), compile_rules(rules)
    random, plan = np.random.default_rng(2), []
    for level in tree.levels:
        offers = level.turn % 2 == seat
        sizes = sum(level.hands[0]), sum(level.their_hands[0]), sum(level.rests[0]) + level.drawn
        events = [(lead, tuple(mine), tuple(theirs)) for lead, mine, theirs in
                  zip(level.lead.tolist(), level.mine.tolist(), level.theirs.tolist(), strict=True)]
        known: dict[tuple[Any, ...], np.ndarray] = {}
        each = QUESTIONS // (len(set(events)) * tree.names * len(level.their_hands))
        for lead, mine, theirs in dict.fromkeys(events):
            open_ = sum(mine) + sum(theirs)
            if offers:
                deck = rules.n_cards - open_ - sizes[0] - sizes[1]
                view = View(0, _zone(tree, mine), _zone(tree, theirs), 0, lead, rules.gap_0, rules.gap_1, 0, 0, deck,
                            sizes[1], level.turn, 0, -1)
                known[lead, mine, theirs] = _offers(level, tree, player, table, view)
            else:
                deck = rules.n_cards - open_ - 2 - sizes[2] - sizes[1]
                view = View(0, _zone(tree, theirs), _zone(tree, mine), 0, -lead, rules.gap_0, rules.gap_1, 0, 0, deck,
                            sizes[2], level.turn, 0, -1)
                keys = random.integers(0, 2**63, (tree.names, len(level.their_hands), min(max(each, 100), 10_000)),
                                       np.uint64)
                known[lead, mine, theirs] = _answers(level, tree, player, table, view, keys)
        plan.append(np.stack([known[event] for event in events]))
    return plan


def _offers(level: Any, tree: Tree, player: Any, table: Any, view: View) -> np.ndarray:
    chances = np.zeros(level.choices.shape[1])
    for h, hand in enumerate(level.hands):
        held = view._replace(hand=_zone(tree, hand))
        said = shares(lambda key, held=held: int(player.offer(held, table, player.row, key)))  # type: ignore[misc]
        for at in np.flatnonzero(level.choices[0] == h):
            up, down = (tree.cards[name] for name in tree.offers[level.choices[1, at]])
            chances[at] = said.pop(16 * up + down, 0.0)
        assert not said, "an offer that the hand does not allow"
    return chances


def _answers(level: Any, tree: Tree, player: Any, table: Any, view: View, keys: np.ndarray) -> np.ndarray:
    taken = np.zeros(keys.shape[:2])
    for up in range(tree.names):
        for h, hand in enumerate(level.their_hands):
            held = view._replace(hand=_zone(tree, hand), up=tree.cards[up])
            taken[up, h] = np.mean([player.take(held, table, player.row, key) for key in keys[up, h]])
    return taken
