"""Whole games in every mode, both engines side by side: the box's cards, house rules, made-up cards of every kind."""

from __future__ import annotations

import os
from collections import Counter
from random import Random
from typing import Any

import pytest

from agentsim.games.agent_avenue.rules import Rules, make_rules
from tests.games.agent_avenue.modes.lockstep import Pair, with_own

SIDES = {"two": (2, -1), "three_0": (3, 0), "three_1": (3, 1), "four": (4, -1)}
MARKETS: dict[str, dict[str, Any]] = {
    "base": {},
    "advanced": {"rules.mode": "advanced"},
    "promo": {"rules.mode": "advanced", "rules.ceasefire": True},
    "base_m": {"rules.expansion": "division_m"},
    "old_m": {"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "old"},
    "new_m": {"rules.mode": "advanced", "rules.expansion": "division_m"},
    "both_m": {"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "both"},
}
GAMES = 30


@pytest.mark.parametrize("market", list(MARKETS))
@pytest.mark.parametrize("sides", list(SIDES))
def test_both_engines_play_the_same_game(sides: str, market: str) -> None:
    players, lone = SIDES[sides]
    rules = make_rules({"rules.players": players, **MARKETS[market]})
    asked: Counter[str] = Counter()
    for deal in range(GAMES):
        asked.update(Pair(rules, 11, deal, lone).play(Random(deal), (0.0, 0.1, 0.6)[deal % 3]).asked)
    assert ("market" in asked) == ("rules.mode" in MARKETS[market])
    assert ("division_m" in asked) == ("rules.expansion" in MARKETS[market])
    assert ("face_down" in asked) == (players > 2)


def house_rules(rng: Random) -> tuple[Rules, int]:
    """A table by somebody who likes to change things."""
    players = rng.choice((2, 3, 4))
    ring = rng.choice((6, 9, 14, 20))
    homes = rng.sample(range(ring), 2)
    settings: dict[str, Any] = {
        "rules.mode": "advanced", "rules.players": players, "rules.expansion": rng.choice(("none", "division_m")),
        "rules.ring": ring, "rules.home_0": homes[0], "rules.home_1": homes[1],
        "rules.hand_size": rng.choice((2, 4, 4, 5)),
        "rules.discards": rng.choice((0, 2, 6)), "rules.team_discards": rng.choice((0, 2, 5)),
        "rules.supply": rng.choice((1, 3, 6)), "rules.tie_rule": rng.choice(("active", "passive", "draw")),
        "rules.m_trap": rng.choice(("standing", "stopping")), "rules.ceasefire": rng.random() < 0.5,
        "rules.corners": " ".join(map(str, sorted(rng.sample(range(ring), rng.randrange(1, ring)))))}
    return make_rules(settings), rng.choice((0, 1)) if players == 3 else -1


def made_up_cards(rng: Random, names: tuple[str, ...]) -> dict[str, Any]:
    """Ten Black Market cards of random effects, several of them twice or thrice in the pile."""

    def far() -> int:
        return rng.choice((-3, -1, 1, 2, 4))

    def ongoing() -> dict[str, Any]:
        agent = rng.choice(names)
        return rng.choice([
            {"when": "recruit", "agent": agent, "do": "set", "spaces": far()},
            {"when": "recruit", "agent": agent, "do": "negate"},
            {"when": "recruit", "agent": agent, "do": "multiply", "by": rng.choice((-1, 0, 2, 3))},
            {"when": "recruit", "agent": agent, "do": "add", "spaces": far()},
            {"when": "landing", "on": rng.choice(("home", "market", "division_m")), "do": "move", "spaces": far()},
            {"when": "end", "do": "win", "if": "names", "at_least": rng.choice((6, 7, 8))},
            {"when": "end", "do": "win", "if": "set", "agent": agent, "at_least": 3},
            {"when": "end", "do": "win", "if": "losing_set", "agent": "daredevil"},
            {"when": "end", "do": "win", "if": "rival_on_home"},
            {"when": "end", "do": "win", "if": "rival_near_division_m", "spaces": rng.choice((0, 1))}])

    def instant() -> dict[str, Any]:
        who = rng.choice(("own", "rival", "both"))
        return rng.choice([
            {"do": "move", "spaces": far(), "who": who}, {"do": "recruit", "from": "deck", "who": who},
            {"do": "recruit", "from": "hand", "agent": rng.choice(names), "who": who},
            {"do": "recruit", "from": "hand", "of": rng.choice(("any", "new_name", "pair")), "who": who},
            {"do": "take_back", "may_recruit": rng.random() < 0.5}, {"do": "take"}, {"do": "clear"},
            {"do": "division_m", "symbol": rng.choice(("home", 1, 2, 3))}, {"do": "nothing"}])

    found = {}
    for number in range(10):
        make = rng.choice((ongoing, instant))
        found[f"made_up_{number}"] = {"effects": [make() for _ in range(rng.choice((1, 1, 2, 3)))],
                                      "copies": rng.choice((1, 1, 2))}
    return found


def check_table(number: int, games: int) -> Counter[str]:
    rng = Random(number)
    rules, lone = house_rules(rng)
    own = made_up_cards(rng, rules.names)
    rules = with_own(rules, own)
    asked: Counter[str] = Counter()
    for deal in range(games):
        asked.update(Pair(rules, number, deal, lone, own).play(Random(deal), 0.2).asked)
    return asked


def test_made_up_cards_and_house_rules() -> None:
    asked = sum((check_table(number, 4) for number in range(60)), Counter[str]())
    assert min(asked[kind] for kind in ("market", "member", "target", "recruit", "division_m")) > 20, asked


@pytest.mark.slow
def test_many_made_up_cards_and_house_rules() -> None:
    first = int(os.environ.get("AGENTSIM_FUZZ_SEED", "1000"))
    for number in range(first, first + 1200):
        check_table(number, 5)
