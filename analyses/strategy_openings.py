"""The opening table: what the solver's table says of every opening hand, and what comes out when it is played.

A *hand* is a set of names with counts: 259 for the shipped rules, each with its exact chance of being dealt. The table
of public states gives each offer a value, which is solved and not measured: it leaves out the cards that are kept,
later discards and the end of the deck. So the two best offers and the best discard of every hand are also played: the
same hidden worlds (the other hand and the deck, dealt at random) for all of them, then solver against solver to the
end. World ``w`` draws from the same streams whatever the hand is.

All intervals of the opening table, of scores and of differences, hold together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.games.agent_avenue.advice.advice import play_out
from agentsim.games.agent_avenue.notation.position import parse_position
from agentsim.games.agent_avenue.notation.writing import settings_lines
from agentsim.games.agent_avenue.solver import store
from agentsim.games.agent_avenue.solver.backward import LEVELS, fill_outcomes
from agentsim.games.agent_avenue.solver.states import Space
from agentsim.games.agent_avenue.solver.turn_game import SIZE, fill_bonus, turn_values
from agentsim.games.agent_avenue.step import Discard, Offer
from agentsim.games.base import PolicyRef
from agentsim.simulation.progress import Meter
from agentsim.stats import Interval, adjusted_level, mean_of_values

__all__ = ["ACTIONS", "check_openings", "opening_hands", "openings", "play_openings"]

Action = Offer | Discard
ACTIONS = ("best", "second", "discard")
"""What is played of each hand: the two best offers by the table, and the discard that promises most by it."""


def opening_hands(rules: Any) -> list[tuple[tuple[int, ...], float]]:
    """Every opening hand as copies by name, with its chance of being dealt."""
    copies, size = [card.copies for card in rules.cards], rules.hand_size
    every = math.comb(sum(copies), size)

    def filled(name: int, left: int) -> Iterator[tuple[int, ...]]:
        if name == len(copies):
            if left == 0:
                yield ()
            return
        for held in range(min(left, copies[name]), -1, -1):
            for rest in filled(name + 1, left - held):
                yield (held, *rest)

    return [(hand, math.prod(math.comb(n, k) for n, k in zip(copies, hand, strict=True)) / every)
            for hand in filled(0, size)]


def openings(rules: Any) -> pd.DataFrame:
    """What the solver's table thinks of every opening hand.

    Columns ``hand`` (names, with a number where there are several), ``chance`` of being dealt; ``best, best_value,
    second, second_value``: the two best offers and the winning chances that the table gives who starts with them;
    ``discard, discard_value``: the card whose replacement promises most, with the mean over what is drawn of the best
    value then. Solved numbers, not measured ones. No second offer: an empty text and NaN.
    """
    found, names = store.solution(rules), rules.names
    values = _offer_values(found)
    rows = []
    for hand, chance in opening_hands(rules):
        order = _ranked(values, hand)
        after, gone = max((_after_discard(values, found.space, hand, name), name) for name in _held(hand))
        told = [f"{names[u]} up, {names[d]} down" for _, u, d in order[:2]]
        rows.append({"hand": _written(hand, names), "chance": chance, "best": told[0], "best_value": order[0][0],
                     "second": told[1] if len(told) > 1 else "",
                     "second_value": order[1][0] if len(order) > 1 else math.nan,
                     "discard": names[gone], "discard_value": after})
    return pd.DataFrame(rows)


def _offer_values(found: store.Solution) -> NDArray[np.float64]:
    """The table's winning chance of every offer (up, down) of the first turn."""
    space = found.space
    outcomes, bonus, values = (np.zeros((SIZE, SIZE)) for _ in range(3))
    fill_outcomes(0, 0, 0, space.n_names, space.digit, space.moves, space.wins, space.loses, space.gap, space.side,
                  space.tie, found.values, outcomes)
    fill_bonus(space.n_names, outcomes, space.copies, found.kept, bonus)
    turn_values(space.n_names, outcomes, found.answers[(space.gap - 1) * space.side**2] / LEVELS, bonus, values)
    return values


def _held(hand: tuple[int, ...]) -> list[int]:
    return [name for name, copies in enumerate(hand) if copies]


def _ranked(values: NDArray[np.float64], hand: tuple[int, ...]) -> list[tuple[float, int, int]]:
    """The legal offers of a hand, best first. Two of a name are offered only if there is no other name."""
    held = _held(hand)
    pairs = [(u, d) for u in held for d in held if u != d] or [(held[0], held[0])]
    return sorted(((float(values[u, d]), u, d) for u, d in pairs), key=lambda one: (-one[0], one[1:]))


def _after_discard(values: NDArray[np.float64], space: Space, hand: tuple[int, ...], gone: int) -> float:
    """The mean best value after a card is replaced by one that the hand does not hold."""
    left = space.copies - np.array(hand)
    kept = tuple(copies - (name == gone) for name, copies in enumerate(hand))
    promised = sum(int(copies) * _ranked(values, tuple(held + (name == drawn) for name, held in enumerate(kept)))[0][0]
                   for drawn, copies in enumerate(left) if copies)
    return promised / float(left.sum())


def _written(hand: tuple[int, ...], names: tuple[str, ...]) -> str:
    return ", ".join((f"{copies} " if copies > 1 else "") + names[name] for name, copies in enumerate(hand) if copies)


# ------------------------------------------------------------------------------------------------ playing


def play_openings(rules: Any, table: pd.DataFrame, policy: PolicyRef, *, games: int, seed: int, workers: int = 1,
                  meter: Meter | None = None) -> NDArray[np.int8]:
    """Play the offers and the discard of every row of :func:`openings`: half-points, ``[hand, action, world]``.

    ``games``: worlds, each played once for every action of a hand. ``policy`` plays on for both sides. An action that
    a hand does not have (no second offer, no discards) is -1 throughout. Results depend on the seed alone.
    """
    scores = np.full((len(table), len(ACTIONS), games), -1, np.int8)
    header = "\n".join(settings_lines(rules))

    def play(at: int) -> None:
        position = parse_position(f"Position: seat 0 offers\n{header}\nHand: {table['hand'].iloc[at]}\n")
        legal = position.legal_actions()
        wanted = _actions(table.iloc[at])
        there = [number for number, action in enumerate(wanted) if action in legal]
        actions = [action for action in wanted if action is not None and action in legal]
        found = play_out(position, actions, mine=policy, theirs=policy, seed=seed, first=0, n=games)
        scores[at, there] = found.scores.T
        if meter is not None:
            meter.advance(games * len(actions))

    with ThreadPoolExecutor(max_workers=max(1, workers)) as crew:
        try:
            list(crew.map(play, range(len(table))))
        except BaseException:
            crew.shutdown(wait=False, cancel_futures=True)
            raise
    return scores


def _actions(row: pd.Series) -> list[Action | None]:
    return [*(Offer(*(word.split()[0] for word in row[name].split(", "))) if row[name] else None
              for name in ACTIONS[:2]), Discard(row["discard"])]


def check_openings(table: pd.DataFrame, scores: NDArray[np.int8], seed: int, level: float = 0.95
                   ) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The opening table with what was played, and how far the table's values are from it on average.

    The first: the columns of :func:`openings` and, for each of ``best, second, discard``, ``_played, _low, _high`` (the
    score of who starts); ``second_behind, discard_gain`` with ``_low, _high`` (paired by world: how far the second
    offer scores behind the best, and what the discard gains on it), ``n_games`` of each action, ``family_size``,
    ``seed``. Intervals hold together over the whole table.

    The second, a row for each action: ``action, hands, value, played, difference, low, high, n_worlds, n_games, seed``:
    means over the hands that have it, weighted by their chances, and the table's value less what was played, its unit
    the world; the three intervals hold together.
    """
    worlds, there = scores.shape[2], scores[:, :, 0] >= 0
    size = int(there.sum() + there[:, 1:].sum())
    each = adjusted_level(size, level)
    half = np.where(scores < 0, np.nan, scores / 2.0)
    rows = []
    for at, kept in enumerate(table.to_dict("records")):
        gaps = {"second_behind": half[at, 0] - half[at, 1], "discard_gain": half[at, 2] - half[at, 0]}
        found = chain(((f"{name}_played", name, half[at, number], (0.0, 1.0)) for number, name in enumerate(ACTIONS)),
                      ((name, name, gap, (-1.0, 1.0)) for name, gap in gaps.items()))
        for column, name, values, bounds in found:
            interval = _interval(values, each, bounds)
            kept |= {column: interval.estimate, f"{name}_low": interval.low, f"{name}_high": interval.high}
        rows.append(kept | {"n_games": worlds, "family_size": size, "seed": seed})
    # In the order of the table's values: the highest of 259 measured numbers would owe part of it to luck.
    played = pd.DataFrame(rows).sort_values(["best_value", "hand"], ascending=[False, True], ignore_index=True)
    return played, _optimism(table, half, there, seed, level)


def _interval(values: NDArray[np.float64], level: float, bounds: tuple[float, float]) -> Interval:
    if np.isnan(values).any():
        return Interval(math.nan, math.nan, math.nan, 0, level, "none", 0, 0)
    return mean_of_values(values, level, bounds)


def _optimism(table: pd.DataFrame, half: NDArray[np.float64], there: NDArray[np.bool_], seed: int, level: float
              ) -> pd.DataFrame:
    rows = []
    for number, name in enumerate(ACTIONS):
        has = there[:, number]
        if not has.any():
            continue
        weight = table["chance"].to_numpy()[has] / table["chance"].to_numpy()[has].sum()
        value = float(weight @ table[f"{name}_value"].to_numpy()[has])
        found = mean_of_values(value - weight @ half[has, number], adjusted_level(len(ACTIONS), level))
        rows.append({"action": name, "hands": int(has.sum()), "value": value, "played": value - found.estimate,
                     "difference": found.estimate, "low": found.low, "high": found.high, "n_worlds": half.shape[2],
                     "n_games": int(has.sum()) * half.shape[2], "seed": seed})
    return pd.DataFrame(rows)
