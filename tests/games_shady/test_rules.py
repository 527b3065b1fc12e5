"""Rules as data: keys, bounds, errors that say what is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from agentsim.errors import InputError
from agentsim.games.shady_agents.rules import Rules, key_table, make_rules, settings_of
from tests.games_shady.helpers import CERTAIN, CUSTOM, PLAYERS, oracle_rules
from tests.oracle.shady_agents import OracleRules


@pytest.mark.parametrize("settings", [{}, {"rules.players": 10, "rules.own_tools": "on"}, CUSTOM, CERTAIN])
def test_settings_say_everything(settings: dict[str, Any]) -> None:
    made = make_rules(settings)
    assert make_rules(settings_of(made)) == made
    assert {key.name for key in key_table(made)} == set(settings_of(made))
    assert all(key.doc and key.allowed for key in key_table())


def test_every_key_changes_its_own_field() -> None:
    assert set(CUSTOM) | {"rules.interrogations"} == set(settings_of(Rules()))
    changed = settings_of(make_rules(CUSTOM))
    same = {key for key, value in settings_of(Rules()).items() if changed[key] == value}
    assert same == {"rules.interrogations", "rules.free_interrogation"}


def test_the_shipped_rules_are_those_of_the_second_engine() -> None:
    assert oracle_rules(make_rules()) == OracleRules()


@pytest.mark.parametrize("players", PLAYERS)
def test_sizes(players: int) -> None:
    made = make_rules({"rules.players": players})
    assert made.is_odd is (players in (5, 7, 9))
    assert made.role_cards == players + made.is_odd
    assert made.turns == 2 * players


def test_the_page_names_every_switch(repository: Path) -> None:
    page = (repository / "docs" / "rules" / "shady_agents.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:rules|talk|belief)\.\w+)`", page))
    assert named | {"rules.players"} == set(settings_of(Rules()))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rules.players": 3}, "rules.players: 3 is out of range (allowed: 4 to 10)"),
        ({"rules.players": 11}, "rules.players: 11 is out of range (allowed: 4 to 10)"),
        ({"rules.players": "six"}, "rules.players: 'six' is not a whole number"),
        ({"rules.players": 6.0}, "rules.players: 6.0 is not a whole number"),
        ({"rules.player": 6}, "did you mean 'rules.players'?"),
        ({"players": 6}, "did you mean 'rules.players'?"),
        ({"rules.misread": 0.1}, "did you mean 'talk.misread'?"),
        ({"verifiabel": 0.1}, "did you mean 'talk.verifiable'?"),
        ({"rules.own_tools": "perhaps"}, "rules.own_tools: 'perhaps' is neither true nor false"),
        ({"rules.tie": "lawful"}, "rules.tie: unknown value 'lawful' (allowed: draw, law, crooked)"),
        ({"rules.second_round": "revers"}, "did you mean 'reverse'?"),
        ({"rules.odd_bonus": -1}, "rules.odd_bonus: -1 is out of range (allowed: 0 to 5)"),
        ({"rules.bullet": 1}, "rules.bullet: 1 is out of range (allowed: -5 to 0)"),
        ({"talk.misread": 0.6}, "talk.misread: 0.6 is out of range (allowed: 0 to 0.5)"),
        ({"talk.verifiable": "often"}, "talk.verifiable: 'often' is not a number (allowed: 0 to 1)"),
        ({"talk.verifiable": True}, "talk.verifiable: True is not a number"),
        ({"talk.base_rate": float("nan")}, "talk.base_rate: nan is out of range"),
        ({"belief.p_bullet_enemy": 1.2}, "belief.p_bullet_enemy: 1.2 is out of range"),
    ],
)
def test_refusals(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        make_rules(settings)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numbers_may_be_words() -> None:
    made = make_rules({"rules.players": "7", "talk.verifiable": "0.25", "rules.caller_answers": "yes"})
    assert (made.players, made.verifiable, made.caller_answers) == (7, 0.25, True)
