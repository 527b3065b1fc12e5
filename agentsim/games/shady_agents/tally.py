"""Exact counters of whole deals, from the kernel's game rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.shady_agents.engine import CROOKED, END_REASONS, LAW
from agentsim.games.shady_agents.kernel import (
    G_CALLS,
    G_CONTRADICTIONS,
    G_FIRST_CALLED,
    G_MEDKITS,
    G_POINTS,
    G_REASON,
    G_ROLES,
    G_SCORE,
    G_SMALLER,
    G_THROWN,
    G_WINNER,
    G_WRONG,
    WHOLE_WIN,
)
from agentsim.games.shady_agents.rules import MAX_PLAYERS
from agentsim.jit import jit

__all__ = ["tally_games"]

_N, _SQUARE = MAX_PLAYERS, MAX_PLAYERS * MAX_PLAYERS


def _layout(parts: tuple[tuple[str, int], ...]) -> dict[str, tuple[int, int]]:
    found, start = {}, 0
    for name, size in parts:
        found[name] = (start, size)
        start += size
    return found


_LAYOUT = _layout((
    ("seat_results", 3 * _N), ("seat_share", _N), ("seat_products", _SQUARE), ("slot_share", _N),
    ("slot_products", _SQUARE), ("slot_by_seat", _SQUARE), ("slot_side_games", 2 * _N), ("slot_side_share", 2 * _N),
    ("seat_side_games", 2 * _N), ("seat_side_share", 2 * _N), ("side_share", 2), ("side_products", 4),
    ("size_share", 2), ("size_products", 4), ("end_reason", 4), ("calls", MAX_PLAYERS + 1), ("first_called_games", 2),
    ("first_called_share", 2), ("tools_wrong", 2), ("tools_thrown", 2), ("side_points", 2), ("side_points_squared", 2),
    ("side_medkits", 2), ("points", _N), ("points_squared", _N), ("contradictions", 1), ("deals", 1),
))
_SIZE = sum(size for _, size in _LAYOUT.values())
# Each as a number of its own: jitted code cannot read a dictionary.
(_RESULTS, _SHARE, _SEAT_PRODUCTS, _SLOT, _SLOT_PRODUCTS, _SLOT_BY_SEAT, _SLOT_GAMES, _SLOT_SIDE, _SEAT_GAMES,
 _SEAT_SIDE, _SIDE, _SIDE_PRODUCTS, _SIZES, _SIZE_PRODUCTS, _ENDS, _CALLS, _FIRST_GAMES, _FIRST_SHARE, _WRONG, _THROWN,
 _POINTS, _POINTS_SQUARED, _MEDKITS, _SCORE, _SCORE_SQUARED, _CONTRADICTIONS, _DEALS,
 ) = (start for start, _ in _LAYOUT.values())


@jit
def _count(games, seatings, players, counts, seat_deal, slot_deal):
    """Add whole deals to the counters; ``seat_deal``, ``slot_deal``: work space of MAX_PLAYERS int64."""
    per_deal = seatings * players
    for deal in range(games.shape[0] // per_deal):
        for seat in range(players):
            seat_deal[seat] = slot_deal[seat] = 0
        law_deal, crooked_deal, small_deal, large_deal = 0, 0, 0, 0
        for block in range(per_deal):
            row = games[deal * per_deal + block]
            rotation, roles = block % seatings, row[G_ROLES]
            winner, smaller = row[G_WINNER], row[G_SMALLER]
            law = WHOLE_WIN // 2 if winner < 0 else WHOLE_WIN if winner == LAW else 0
            law_deal += law
            crooked_deal += WHOLE_WIN - law
            if smaller >= 0:
                small = law if smaller == LAW else WHOLE_WIN - law
                small_deal += small
                large_deal += WHOLE_WIN - small
            for seat in range(players):
                side = roles >> seat & 1
                share = law if side == LAW else WHOLE_WIN - law
                slot = seat + rotation
                slot -= players if slot >= players else 0
                seat_deal[seat] += share
                slot_deal[slot] += share
                counts[_RESULTS + 3 * seat + 2 * share // WHOLE_WIN] += 1
                counts[_SLOT_BY_SEAT + _N * slot + seat] += share
                counts[_SLOT_GAMES + 2 * slot + side] += 1
                counts[_SLOT_SIDE + 2 * slot + side] += share
                counts[_SEAT_GAMES + 2 * seat + side] += 1
                counts[_SEAT_SIDE + 2 * seat + side] += share
                score = np.int64(row[G_SCORE + seat])
                counts[_SCORE + seat] += score
                counts[_SCORE_SQUARED + seat] += score * score
            for part in range(2):
                points = np.int64(row[G_POINTS + part])
                counts[_POINTS + part] += points
                counts[_POINTS_SQUARED + part] += points * points
                counts[_MEDKITS + part] += row[G_MEDKITS + part]
                counts[_WRONG + part] += row[G_WRONG + part]
                counts[_THROWN + part] += row[G_THROWN + part]
            counts[_ENDS + row[G_REASON]] += 1
            counts[_CALLS + row[G_CALLS]] += 1
            counts[_FIRST_GAMES + row[G_FIRST_CALLED]] += 1
            counts[_FIRST_SHARE + row[G_FIRST_CALLED]] += law if roles & 1 == LAW else WHOLE_WIN - law
            counts[_CONTRADICTIONS] += row[G_CONTRADICTIONS]
        for one in range(players):
            counts[_SHARE + one] += seat_deal[one]
            counts[_SLOT + one] += slot_deal[one]
            for other in range(players):
                counts[_SEAT_PRODUCTS + _N * one + other] += seat_deal[one] * seat_deal[other]
                counts[_SLOT_PRODUCTS + _N * one + other] += slot_deal[one] * slot_deal[other]
        counts[_SIDE + LAW] += law_deal
        counts[_SIDE + CROOKED] += crooked_deal
        counts[_SIZES] += small_deal
        counts[_SIZES + 1] += large_deal
        counts[_SIDE_PRODUCTS] += law_deal * law_deal
        counts[_SIDE_PRODUCTS + 1] += law_deal * crooked_deal
        counts[_SIDE_PRODUCTS + 2] += law_deal * crooked_deal
        counts[_SIDE_PRODUCTS + 3] += crooked_deal * crooked_deal
        counts[_SIZE_PRODUCTS] += small_deal * small_deal
        counts[_SIZE_PRODUCTS + 1] += small_deal * large_deal
        counts[_SIZE_PRODUCTS + 2] += small_deal * large_deal
        counts[_SIZE_PRODUCTS + 3] += large_deal * large_deal
        counts[_DEALS] += 1


def tally_games(games: NDArray[np.int16], seatings: int, players: int) -> dict[str, NDArray[np.int64]]:
    """Exact counters of whole deals: ``games`` are kernel rows from the first game of a deal on.

    Win shares are in twelfths. *Slot* ``i`` is the matchup's i-th policy, wherever it sits. A deal's score of a slot
    (seat, side) is the sum over the deal's games; sums and products of these scores over deals give every mean with its
    exact block variance, and every difference with its own.

    ``deals`` (1,); ``seat_results`` (players, 3): games lost, drawn, won by seat; ``seat_share`` (players,) and
    ``seat_products`` (players, players): sums over deals of deal scores and of products of two; ``slot_share``,
    ``slot_products`` the same by slot; ``side_share`` (2,), ``side_products`` (2, 2) by side, law first;
    ``size_share``, ``size_products`` by the smaller and the larger side (zeros at even tables); ``slot_by_seat``
    (players, players): share of a slot in a seat; ``slot_side_games``, ``slot_side_share``, ``seat_side_games``,
    ``seat_side_share`` (players, 2): games and share by side; ``end_reason``; ``calls`` (11,): games by number of
    interrogations; ``first_called_games``, ``first_called_share`` (2,): games and share of seat 0 by whether it
    called one; ``tools_wrong``, ``tools_thrown`` (2,): bullets and medkits given to the wrong side, and thrown away;
    ``side_points``, ``side_points_squared``, ``side_medkits`` (2,); ``points``, ``points_squared`` (players,): what
    the tools lying with a seat count; ``contradictions`` (1,): how often a player that decides by beliefs started
    anew.
    """
    counts = np.zeros(_SIZE, dtype=np.int64)
    work = np.zeros((2, MAX_PLAYERS), dtype=np.int64)
    _count(games, seatings, players, counts, work[0], work[1])
    tally: dict[str, NDArray[np.int64]] = {}
    for name, (start, size) in _LAYOUT.items():
        part: NDArray[Any] = counts[start:start + size]
        if size == _SQUARE:
            part = part.reshape(_N, _N)[:players, :players]
        elif name.startswith(("slot_side", "seat_side")):
            part = part.reshape(_N, 2)[:players]
        elif name == "seat_results":
            part = part.reshape(_N, 3)[:players]
        elif name.endswith("_products"):
            part = part.reshape(2, 2)
        elif size == _N:
            part = part[:players]
        tally[name] = part.copy()
    assert len(tally["end_reason"]) == len(END_REASONS)
    return tally
