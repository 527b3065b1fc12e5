"""The presets for Black Market and Division M can be told from ``expert``, whom they are like, by their logs.

Each plays the default planner in the advanced mode (``warden``: with Division M), and so does ``expert``. The seed is
fixed, so the tests are repeatable; the margins are about half of what was measured, and many standard errors wide.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.games.agent_avenue.helpers import JIT, policy, session
from tests.games.agent_avenue.modes.logs import ADVANCED, DIVISION_M, mode_session
from tests.test_presets import OF_MARKET

pytestmark = pytest.mark.skipif(not JIT, reason="too many games for plain Python")

DEALS = 2500
CARDS = {
    "engines": ("distraction_device", "watchtower", "sinister_twin", "supercomputer", "getaway_car"),
    "thefts": ("mind_control",),
    "ambushes": ("security_system",),
    "schemes": ("leader_of_the_pack", "masterplan"),
    "rushes": ("surveillance_truck",),
}
"""Cards by the taste for them."""


@cache
def habits(name: str, with_m: bool = False) -> Mapping[str, float]:
    """What the log shows of a policy: how often it takes a sort of card when one is on offer, cards taken per game,
    share of games won, and won by each End condition."""
    settings: dict[str, Any] = {**ADVANCED, **DIVISION_M, "rules.market": "both"} if with_m else ADVANCED
    table = mode_session(settings, (name, "planner"), seed=9)
    tables = table.play(0, 0, DEALS, "turns").tables
    games = {column: np.asarray(values) for column, values in tables["games"].items()}
    market = {column: np.asarray(values) for column, values in tables["market"].items()}
    label = table.labels.index(policy(name).label)
    seat = np.where(games["policy_0"] == label, 0, 1)
    mine = market["seat"] == seat[market["game_id"]]
    offered = np.stack([market[f"supply_{place}"][mine] for place in range(3)])
    ids = [card.id for card in table.rules.market_cards]
    found: dict[str, float] = {}
    for sort, cards in CARDS.items():
        numbers = [ids.index(card) for card in cards]
        on_offer = np.isin(offered, numbers).any(axis=0)
        found[sort] = float(np.isin(market["taken"][mine], numbers)[on_offer].mean())
    n, won = len(seat), games["winner"] == seat
    found |= {"cards": mine.sum() / n, "wins": won.mean()}
    for number, reason in enumerate(table.rules.end_reasons):
        found[f"by_{reason}"] = float((won & (games["end_reason"] == number)).mean())
    return found


# preset, habit, and by how much at least it exceeds the expert's
EXPECTED = [
    ("engine_builder", "engines", 0.2), ("thief", "thefts", 0.4), ("security", "ambushes", 0.4),
    ("security", "by_security_system", 0.015), ("mastermind", "schemes", 0.4), ("mastermind", "by_masterplan", 0.005),
    ("mastermind", "by_leader_of_the_pack", 0.005), ("trucker", "rushes", 0.4), ("marketeer", "cards", 0.15),
    ("warden", "by_division_m", 0.02),
]


@pytest.mark.parametrize(("name", "habit", "margin"), EXPECTED, ids=[f"{n}-{h}" for n, h, _ in EXPECTED])
def test_the_log_shows_the_character(name: str, habit: str, margin: float) -> None:
    with_m = name == "warden"
    assert habits(name, with_m)[habit] > habits("expert", with_m)[habit] + margin


def test_every_preset_is_held_to_something() -> None:
    assert {name for name, _, _ in EXPECTED} == set(OF_MARKET)


@pytest.mark.parametrize("sort", CARDS)
def test_each_sort_of_card_has_one_preset_that_wants_it_most(sort: str) -> None:
    wants = {name: habits(name)[sort] for name in (*OF_MARKET, "expert")}
    first, second = sorted(wants.values())[-1:-3:-1]
    assert first > second + 0.2


@pytest.mark.parametrize("name", OF_MARKET)
def test_they_play_well_with_the_market_and_as_the_expert_without(name: str) -> None:
    assert habits(name)["wins"] > 0.5
    tables = [session((who, "greedy"), seed=3).play(0, 0, 50, "turns").tables for who in (name, "expert")]
    for column in ("face_up", "face_down", "took_face_up"):
        assert (np.asarray(tables[0]["turns"][column]) == np.asarray(tables[1]["turns"][column])).all()


@pytest.mark.parametrize(("other", "rate"), [("random", 0.92), ("greedy", 0.80), ("minmax", 0.79)])
def test_the_expert_beats_the_baselines_in_the_advanced_mode(other: str, rate: float) -> None:
    """10,000 deals: the standard error is below 0.3 points."""
    scores = mode_session(ADVANCED, ("expert", other), seed=11).play(0, 0, 10_000, "none").tally["deal_score_a"]
    assert (scores * np.arange(len(scores))).sum() / scores.sum() / (len(scores) - 1) > rate
