"""Logged games, replayed by the second engine to the same result: every row and every column of both tables."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

from agentsim.games.agent_avenue import step
from tests.games.agent_avenue.helpers import NAMES, STANDARD, few, needs_speed, preset_names, session
from tests.games.agent_avenue.replays import check_batch, decks

MILLION = 1_000_000
SLICE = 5_000


def replayed(a: str, b: str, seed: int, first_deal: int, n_deals: int) -> Counter[Any]:
    """Play and replay some deals of a matchup; how the games ended."""
    table = session((a, b), seed=seed)
    return check_batch(table, 0, table.play(0, first_deal, n_deals, "full"), first_deal, n_deals)


def test_deck_order_is_the_order_of_the_streams() -> None:
    copies = {card.id: card.copies for card in STANDARD.cards}
    for seed, first in ((0, 0), (7, 123), (2**64 - 1, 10**12)):
        for number, deck in enumerate(decks(seed, first, few(20), copies)):
            assert step.deck_order(seed, first + number) == [NAMES[code] for code in deck]


@pytest.mark.parametrize("name", preset_names())
def test_every_policy_replays(name: str) -> None:
    games = 20_000 if name.startswith("random") else 5_000
    seen = replayed(name, name, 11, 0, few(games))
    assert seen.total() == few(games)
    if games > 10_000 and few(1, 0):
        assert {"catch", "codebreakers", "daredevils"} <= {reason for reason, _, _ in seen}
        assert {winner for _, winner, _ in seen} == {0, 1}
        assert {tie for _, _, tie in seen} == {True, False}


def test_two_policies_swap_seats_and_the_hands_stay() -> None:
    for seed, pair in enumerate((("greedy", "random_discards"), ("random_discards", "minmax"), ("random", "greedy"))):
        seen = replayed(*pair, seed, 1000 * seed, few(400))
        assert seen.total() == 2 * few(400)


def test_matchups_of_one_run_share_their_deals_and_count_their_ids() -> None:
    table = session(("greedy", "random"), "minmax", ("random_discards", "greedy"), seed=5)
    for matchup in range(3):
        batch = table.play(matchup, 40, few(150), "full")
        check_batch(table, matchup, batch, 40, few(150))


def _task(task: tuple[str, str, int]) -> Counter[Any]:
    a, b, first = task
    n_deals = SLICE if a == b else SLICE // 2
    return replayed(a, b, 2024, first * n_deals, n_deals)


@pytest.mark.oracle
@needs_speed
def test_a_million_games_replay(capsys: pytest.CaptureFixture[str]) -> None:
    names = preset_names()
    mirrors = [(name, name) for name in names]
    mixed = [(name, names[(i + 1) % len(names)]) for i, name in enumerate(names)]
    pairs = mirrors + mixed
    slices = -(-MILLION // SLICE // len(pairs))
    tasks = [(a, b, number) for number in range(slices) for a, b in pairs]
    total: Counter[Any] = Counter()
    # Fresh processes: a fork of one that has threads may hang.
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), mp_context=get_context("spawn")) as pool:
        for seen in pool.map(_task, tasks, chunksize=2):
            total += seen
    reasons: Counter[str] = Counter()
    for (reason, _, _), games in total.items():
        reasons[reason] += games
    assert total.total() >= MILLION
    assert set(reasons) == {"catch", "codebreakers", "daredevils", "out_of_cards"}
    with capsys.disabled():
        print(f"\nThe second engine replayed {total.total():,} games of {len(pairs)} matchups to the same rows: "
              + ", ".join(f"{games:,} by {reason}" for reason, games in reasons.most_common()))
