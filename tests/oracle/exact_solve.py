"""The value of a tree of ``exact_tree``, best responses in it, and what ways of playing get from each other.

A *plan* is a list with one array for each level: for who offers ``(events, choices)``, the chances of the offers of
every hand, in the order of the level's ``choices``; for the other ``(events, names, hands)``, the chance that it takes
the name that lies up. The equilibrium is found by CFR+ (Tammelin 2014, arXiv:1407.5042): regret matching+, both
players in turn, averages weighted by the iteration. Nothing is taken on trust from it: best responses to both averages
enclose the value.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tests.oracle.exact_tree import Level, Tree

__all__ = ["Plan", "Solved", "best_response", "score", "solve", "uniform"]

Plan = list[np.ndarray]


@dataclass(frozen=True)
class Solved:
    """Both plans, and between what the first player's winning chance lies when both play their best."""

    plans: tuple[Plan, Plan]
    low: float
    high: float

    @property
    def value(self) -> float:
        """The middle."""
        return (self.low + self.high) / 2


def uniform(tree: Tree, seat: int) -> Plan:
    """All offers of a hand alike, either card with the chance 1/2."""
    plan = []
    for level in tree.levels:
        if level.turn % 2 == seat:
            plan.append(np.repeat(1 / np.bincount(level.choices[0])[None, level.choices[0]], len(level.lead), axis=0))
        else:
            plan.append(np.full((len(level.lead), tree.names, len(level.their_hands)), 0.5))
    return plan


def score(tree: Tree, plans: tuple[Plan, Plan]) -> float:
    """The first player's winning chance."""
    return _values(tree, 0, plans[0], _weights(tree, 1, plans[1])[1])[0]


def best_response(tree: Tree, seat: int, against: Plan) -> float:
    """The most that a player can get who knows the other's plan."""
    return _values(tree, seat, None, _weights(tree, 1 - seat, against)[1])[0]


def solve(tree: Tree, iterations: int) -> Solved:
    """An equilibrium by CFR+."""
    plans = uniform(tree, 0), uniform(tree, 1)
    regrets = [_values(tree, seat, None, _weights(tree, 1 - seat, plans[1 - seat])[1])[1] for seat in range(2)]
    regrets = [[np.zeros_like(part) for part in parts] for parts in regrets]
    played = [[np.zeros_like(part) for part in plan] for plan in plans]
    reached = [[np.zeros_like(part) for part in plan] for plan in plans]
    left = [_weights(tree, seat, plans[seat]) for seat in range(2)]
    for iteration in range(1, iterations + 1):
        for seat in range(2):
            worth = _values(tree, seat, plans[seat], left[1 - seat][1])[1]
            plans[seat][:] = [_matched(level, seat, *parts) for level, *parts in
                              zip(tree.levels, plans[seat], regrets[seat], worth, strict=True)]
            left[seat] = _weights(tree, seat, plans[seat])
            for level in tree.levels:
                at, held = level.turn, left[seat][0][level.turn]
                each = held[:, level.choices[0]] if at % 2 == seat else held[:, None]
                played[seat][at] += iteration * each * plans[seat][at]
                reached[seat][at] += iteration * each
    first, second = ([np.where(total > 0, part / np.where(total > 0, total, 1), start) for part, total, start in
                      zip(played[seat], reached[seat], uniform(tree, seat), strict=True)] for seat in range(2))
    return Solved((first, second), 1 - best_response(tree, 1, first), best_response(tree, 0, second))


def _matched(level: Level, seat: int, plan: np.ndarray, regret: np.ndarray, worth: np.ndarray) -> np.ndarray:
    """Add to a level's regrets, in place, and match the plan to them."""
    if level.turn % 2 == seat:
        hand, _, _ = level.choices
        regret += worth - np.add.reduceat(plan * worth, level.starts, axis=1)[:, hand]
        np.maximum(regret, 0, out=regret)
        total = np.add.reduceat(regret, level.starts, axis=1)[:, hand]
        return np.where(total > 0, regret / np.where(total > 0, total, 1), 1 / np.bincount(hand)[hand])
    regret += worth - (plan * worth[:, :, 0] + (1 - plan) * worth[:, :, 1])[:, :, None]
    np.maximum(regret, 0, out=regret)
    total = regret.sum(axis=2)
    return np.where(total > 0, regret[:, :, 0] / np.where(total > 0, total, 1), 0.5)


def _weights(tree: Tree, seat: int, plan: Plan) -> tuple[Plan, Plan]:
    """A player's weights by level: of its hands; and of what it leaves behind.

    The latter are, for who offers, (events, offers, rests), for the other (events, names, up or hidden, hands).
    """
    held, played = [], []
    now = tree.first[None]
    for level, chosen in zip(tree.levels, plan, strict=True):
        held.append(now)
        event, offer, answer, child = level.edges
        if level.turn % 2 == seat:
            hand, made, rest = level.choices
            weights = np.zeros((len(now), len(tree.offers), len(level.rests)))
            weights[:, made, rest] = now[:, hand] * chosen
            now = weights[event[level.once], offer[level.once]] @ level.draws
        else:
            taken = now[:, None] * chosen
            weights = np.stack([taken, now[:, None] - taken], axis=2)
            reached = weights[event, tree.up[offer], answer]
            now = reached[level.once]
            now[child[level.again]] += reached[level.again]
        played.append(weights)
    return held, played


def _values(tree: Tree, seat: int, plan: Plan | None, against: Plan) -> tuple[float, Plan]:
    """What a player gets: in all; and by level with each choice, times the other's weights.

    ``plan``: how it plays, None for the best answer; ``against``: what the other leaves behind.
    """
    worth: Plan = [np.zeros(0)] * len(tree.levels)
    later = np.zeros((0, 0))
    for level in reversed(tree.levels):
        other, (event, offer, answer, child) = against[level.turn], level.edges
        (events, offers), (e, o) = level.pool.shape, level.made
        if level.turn % 2 == seat:
            _, made, rest = level.choices
            met = (level.result[e, o][:, :, None] * other[e, tree.up[o]]).sum(axis=1)
            left = np.zeros((events, offers, 2, len(level.rests)))
            left[e, o, 0] = _at_chance(level, met, level.chance.transpose(0, 2, 1))
            if len(child):
                left[event[level.once], offer[level.once], answer[level.once]] += later @ level.draws.T
            choices = left.sum(axis=2)[:, made, rest]
            later = (np.maximum.reduceat(choices, level.starts, axis=1) if plan is None else
                     np.add.reduceat(plan[level.turn] * choices, level.starts, axis=1))
        else:
            got = level.left[e, o]
            met = _at_chance(level, other[e, o], level.chance)
            left = np.zeros((events, offers, 2, len(level.their_hands)))
            left[e, o] = got[:, :, None] * met[:, None]
            if len(child):
                left[event, offer, answer] += later[child]
            choices = left.reshape(events, tree.names, tree.names, 2, -1).sum(axis=2)
            if plan is None:
                later = choices.max(axis=2).sum(axis=1)
            else:
                taken = plan[level.turn]
                later = (taken * choices[:, :, 0] + (1 - taken) * choices[:, :, 1]).sum(axis=1)
        worth[level.turn] = choices
    return float(tree.first @ later[0]), worth


def _at_chance(level: Level, weights: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Weights of one player for each made offer, times the chances of its pool: (made, what ``chance`` has last)."""
    found = np.empty((len(weights), chance.shape[2]))
    for pool, (first, last) in enumerate(pairwise(level.parts)):
        found[first:last] = weights[first:last] @ chance[pool]
    return found
