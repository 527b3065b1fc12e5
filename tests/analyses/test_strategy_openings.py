"""The opening table: every hand with its chance, values by the table, and what is played against a slow count."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

from agentsim.games.agent_avenue.notation.position import parse_position
from agentsim.games.agent_avenue.solver.hands import DRAWN_ANEW
from agentsim.games.agent_avenue.solver.states import space_of
from agentsim.games.agent_avenue.step import Discard, Offer
from agentsim.games.base import get_game
from analyses import strategy, strategy_openings
from analyses.strategy_openings import check_openings, opening_hands, openings, play_openings

GAME = get_game("agent_avenue")
RULES = GAME.rules({})


@dataclass(frozen=True)
class Solved:
    """What a table of public states would hold, made up: no table of minutes is built here."""

    space: object
    values: np.ndarray
    answers: np.ndarray
    kept: np.ndarray


@pytest.fixture(scope="module", autouse=True)
def made_up() -> object:
    """A table in which the offerer's lead alone counts, and every card is taken in half of the cases."""
    space = space_of(RULES)
    leads = np.arange(space.n_leads) - space.gap + 1
    values = np.repeat(1 / (1 + np.exp(-0.3 * leads)), space.side**2).astype(np.float32)
    answers = np.broadcast_to(np.array([[128] * 8], np.uint8), (space.n_states, 8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strategy_openings.store, "solution", lambda rules: Solved(space, values, answers, DRAWN_ANEW))
        yield


def test_every_hand_is_there_as_often_as_it_is_dealt() -> None:
    deck = [name for name, card in enumerate(RULES.cards) for _ in range(card.copies)]
    dealt = Counter(tuple(hand.count(name) for name in range(len(RULES.cards))) for hand in combinations(deck, 4))
    assert len(dealt) == 259
    assert {hand: pytest.approx(n / math.comb(38, 4)) for hand, n in dealt.items()} == dict(opening_hands(RULES))


def test_the_best_actions_are_legal_and_in_order() -> None:
    table = openings(RULES)
    assert len(table) == 259
    assert table["chance"].sum() == pytest.approx(1)
    for row in table.itertuples():
        position = parse_position(f"Position: seat 0 offers\nHand: {row.hand}\n")
        legal = position.legal_actions()
        asked = [Offer(*(part.split()[0] for part in text.split(", "))) for text in (row.best, row.second) if text]
        assert set(asked) | {Discard(row.discard)} <= set(legal)
        assert row.best_value >= row.second_value or row.second == ""
    # Of 4 alike nothing else can be offered than one of them above another.
    alike = table[table["second"] == ""]
    assert sorted(alike["hand"].str[0]) == ["4"] * 6


def test_a_discard_promises_the_mean_of_what_is_drawn() -> None:
    table = openings(RULES).set_index("hand")
    best = dict(zip(table.index, table["best_value"], strict=True))
    # 4 sentinels: one goes, 34 other cards are left, of which 2 are sentinels.
    value = sum(n * best[hand] for n, hand in (
        (6, "double_agent, 3 sentinel"), (6, "enforcer, 3 sentinel"), (6, "codebreaker, 3 sentinel"),
        (6, "saboteur, 3 sentinel"), (6, "daredevil, 3 sentinel"), (2, "4 sentinel"), (1, "3 sentinel, sidekick"),
        (1, "3 sentinel, mole"))) / 34
    assert table.loc["4 sentinel", "discard_value"] == pytest.approx(value)


def test_what_is_played_is_summed_by_world() -> None:
    table = openings(RULES).iloc[[0, 40, 100]].reset_index(drop=True)
    scores = play_openings(RULES, table, GAME.policy("expert"), games=40, seed=5)
    assert np.array_equal(scores, play_openings(RULES, table, GAME.policy("expert"), games=40, seed=5, workers=2))
    assert scores.shape == (3, 3, 40)
    assert (scores[0, 1] == -1).all()  # 4 double agents have one offer
    assert set(np.unique(scores[1:])) <= {0, 1, 2}
    played, check = check_openings(table, scores, seed=5)
    assert played["best_value"].is_monotonic_decreasing
    row = played[played["hand"] == table["hand"].iloc[1]].iloc[0]
    assert row["best_played"] == pytest.approx(scores[1, 0].mean() / 2)
    assert row["discard_gain"] == pytest.approx((scores[1, 2] - scores[1, 0].astype(float)).mean() / 2)
    assert row["discard_gain_low"] < row["discard_gain"] < row["discard_gain_high"]
    assert row["family_size"] == 3 * 5 - 2
    weight = table["chance"] / table["chance"].sum()
    best = check[check["action"] == "best"].iloc[0]
    assert best["played"] == pytest.approx(weight @ (scores[:, 0].mean(axis=1) / 2))
    assert best["difference"] == pytest.approx(weight @ table["best_value"] - best["played"])
    assert check.set_index("action")["hands"].to_dict() == {"best": 3, "second": 2, "discard": 3}


def test_what_is_kept_is_told_with_its_games() -> None:
    kept = strategy._kept()
    assert len(kept["openings"]) == 259
    assert kept["openings"]["chance"].sum() == pytest.approx(1)
    assert (kept["openings"]["n_games"] >= 100).all()
    assert (kept["openings"]["best_low"] < kept["openings"]["best_high"]).all()
    text = strategy._of_openings(kept["openings_check"])
    assert text.count("[") == 3
    assert "hold together" in text
