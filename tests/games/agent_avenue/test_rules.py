"""Rules as data: the key table, bounds, contradictions, card tables, and what compiled code gets to see."""

from __future__ import annotations

import re
import tomllib
from dataclasses import FrozenInstanceError, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from agentsim.errors import InputError
from agentsim.games.agent_avenue import rules as r
from agentsim.games.agent_avenue.cards import LANGUAGES, load_cards, load_market
from agentsim.games.agent_avenue.engine import END_REASONS
from agentsim.games.agent_avenue.rules import Rules, compile_rules, key_table, make_rules, settings_of
from tests.games.agent_avenue.helpers import NAMES, STANDARD, the_game
from tests.games.agent_avenue.house_rules import rule_sets

NUMBERS = ("copies", "first", "second", "third", "wins_at", "loses_at")
WORDS = (*NUMBERS, "m_first", "m_second", "m_third", "provenance")
SWITCHES = ("mode", "players", "lone", "hand_size", "discards", "team_discards", "ring", "home_0", "home_1", "tie_rule",
            "corners", "supply", "market", "ceasefire", "expansion", "m_trap", "picks", "cards")
EVERYTHING = {"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "both",
              "rules.ceasefire": True}
WHOLE = [key.name for key in key_table() if re.fullmatch(r"-?\d+ to \d+", key.allowed)]
# What else must be set for the lowest and the highest value of a key to make a game.
CONTEXT: dict[tuple[str, str], dict[str, Any]] = {
    ("rules.ring", "low"): {"rules.home_1": 2},
    ("rules.home_0", "high"): {"rules.ring": 60}, ("rules.home_1", "high"): {"rules.ring": 60},
    ("rules.home_1", "low"): {"rules.home_0": 3}, ("rules.players", "high"): {"rules.hand_size": 2}}


def context(key: str, end: str) -> dict[str, Any]:
    """The other settings under which ``key`` can have its lowest or highest value."""
    if not key.startswith(("market.", "cards.handler.")):
        return CONTEXT.get((key, end), {})
    if not re.fullmatch(r"market\..*\.copies", key) or end == "low":
        return EVERYTHING
    # The whole pile may have no more cards than one name may have copies.
    cards = load_market() + load_market("market_division_m")
    return EVERYTHING | {f"market.{card.id}.copies": 0 for card in cards if f"market.{card.id}.copies" != key}


def bounds(key: str) -> tuple[int, int]:
    allowed = next(entry.allowed for entry in key_table() if entry.name == key)
    low, high = allowed.split(" to ")
    return int(low), int(high)


# ---- key table ------------------------------------------------------------------------------------------------------


def test_the_key_table_documents_every_key() -> None:
    keys = key_table()
    assert {key.name for key in key_table(Rules())} == set(settings_of(Rules())) == {
        *(f"rules.{name}" for name in SWITCHES), *(f"cards.{name}.{word}" for name in NAMES for word in WORDS)}
    everything = settings_of(make_rules(EVERYTHING))
    assert [key.name for key in keys] == list(everything)
    assert {key.name for key in keys if key.name.startswith("market.")} == {
        f"market.{card.id}.{word}" for card in load_market() + load_market("market_division_m")
        for word in ("copies", *card.numbers, "provenance")}
    for key in keys:
        assert len(key.doc) > 10, key.name
        assert key.allowed, key.name
        assert key.default == (settings_of(STANDARD) if key.name.startswith("rules.") else everything)[key.name]
    assert list(the_game().rule_keys()) == keys


def test_the_key_table_shows_the_rules_it_is_given() -> None:
    rules = make_rules({"rules.hand_size": 6, "cards.sentinel.third": 5})
    values = {key.name: key.default for key in key_table(rules)}
    assert (values["rules.hand_size"], values["cards.sentinel.third"], values["rules.ring"]) == (6, 5, 14)


def test_the_published_values() -> None:
    assert (STANDARD.hand_size, STANDARD.discards, STANDARD.ring) == (4, 4, 14)
    assert (STANDARD.home_0, STANDARD.home_1, STANDARD.tie_rule, STANDARD.mode) == (0, 7, "active", "base")
    assert (STANDARD.n_cards, STANDARD.gap_0, STANDARD.gap_1) == (38, 7, 7)


@pytest.mark.parametrize("page", ["rules/agent_avenue", "rules/agent_avenue_market", "rules/agent_avenue_team",
                                  "rules/agent_avenue_division_m", "cards", "experiments"])
def test_pages_name_keys_that_exist(page: str, repository: Path) -> None:
    text = (repository / "docs" / f"{page}.md").read_text(encoding="utf-8")
    keys = {key.name for key in key_table()}
    found = set(re.findall(r"`(rules\.\w+|(?:cards|market)\.\w+\.\w+)`", text))
    assert found
    assert {key for key in found if "drill_sergeant" not in key} <= keys


def test_the_switches_of_the_rules_pages(repository: Path) -> None:
    """Each page's table of switches gives values that are allowed, and the default."""
    defaults = {key.name: str(key.default).lower() for key in key_table()}
    n_rows = 0
    for page in ("market", "team", "division_m"):
        text = (repository / "docs" / "rules" / f"agent_avenue_{page}.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `(rules\.\w+)` \| (.+?) \| (.+?) \|", text, flags=re.MULTILINE)
        for key, values, default in rows:
            n_rows += 1
            for value in re.findall(r"`(\w+)`", values):
                make_rules({key: value})
            if key != "rules.market":
                assert defaults[key] == default.strip("`"), key
    assert n_rows >= 11
    assert make_rules({"rules.expansion": "division_m"}).market == "new"
    assert make_rules({"rules.expansion": "division_m", "rules.market": "old"}).market == "old"
    assert make_rules().market == "old"


@pytest.mark.parametrize("key", WHOLE)
@pytest.mark.parametrize("end", ["low", "high"])
def test_bounds_are_those_that_are_documented(key: str, end: str) -> None:
    low, high = bounds(key)
    value, beyond = (low, low - 1) if end == "low" else (high, high + 1)
    rules = make_rules(context(key, end) | {key: value})
    assert settings_of(rules)[key] == value
    with pytest.raises(InputError) as error:
        make_rules(context(key, end) | {key: beyond}, where="x.toml")
    assert str(error.value) == f"x.toml: {key}: {beyond} is out of range (allowed: {low} to {high})"


@pytest.mark.parametrize("value", ["five", "", "4.5", 4.5, True, None, [4], {"a": 1}, float("nan"), "1e3"])
@pytest.mark.parametrize("key", ["rules.hand_size", "cards.mole.first"])
def test_what_is_no_whole_number(key: str, value: object) -> None:
    text = rf"^{re.escape(key)}: .*not a whole number \(allowed: -?\d+ to \d+\)$"
    with pytest.raises(InputError, match=text) as error:
        make_rules({key: value})
    assert "\n" not in str(error.value)


def test_whole_numbers_may_come_as_text() -> None:
    assert make_rules({"rules.hand_size": " 5 ", "cards.mole.first": "-2"}) == make_rules(
        {"rules.hand_size": 5, "cards.mole.first": -2})


@pytest.mark.parametrize(("key", "value", "allowed", "near"), [
    ("rules.tie_rule", "activ", "active, passive, draw", "active"), ("rules.tie_rule", 1, "active, passive, draw", ""),
    ("rules.tie_rule", None, "active, passive, draw", ""), ("rules.mode", "bse", "base, advanced", "base"),
    ("rules.mode", "adavnced", "base, advanced", "advanced"), ("rules.lone", 2, "both, 0, 1", ""),
    ("rules.lone", True, "both, 0, 1", ""), ("rules.expansion", "division", "none, division_m", "division_m"),
    ("rules.market", "all", "old, new, both", ""), ("rules.m_trap", "stop", "standing, stopping", "stopping"),
    ("rules.picks", "chance", "chosen, uniform", "")])
def test_choices(key: str, value: object, allowed: str, near: str) -> None:
    with pytest.raises(InputError) as error:
        make_rules({key: value})
    assert str(error.value).startswith(f"{key}: unknown value {str(value)!r}" if key == "rules.lone" and value == 2
                                       else f"{key}: unknown value {value!r}")
    assert allowed in str(error.value)
    assert (f"'{near}'" in str(error.value)) is bool(near)


@pytest.mark.parametrize(("key", "near"), [
    ("rules.hand_sise", "rules.hand_size"), ("hand_size", "rules.hand_size"), ("rules.tie", "rules.tie_rule"),
    ("rules", ""), ("", ""), ("cards.mole", ""), ("discards", "rules.discards"),
    ("sentinel.third", "cards.sentinel.third"),
    ("rules.mode.x", "rules.mode"), ("cards.mole.first.second", "cards.mole.first")])
def test_unknown_keys_name_the_nearest(key: str, near: str) -> None:
    with pytest.raises(InputError, match="unknown key") as error:
        make_rules({key: 3})
    assert near in str(error.value)


def test_unknown_agents_and_their_numbers() -> None:
    with pytest.raises(InputError, match=r"cards\.sentinal\.third: unknown agent 'sentinal'.*'sentinel'"):
        make_rules({"cards.sentinal.third": 3})
    with pytest.raises(InputError, match=r"cards\.mole\.fourth: agents have no 'fourth' .*first, second, third"):
        make_rules({"cards.mole.fourth": 3})


@pytest.mark.parametrize(("settings", "key", "reason"), [
    ({"rules.home_1": 14}, "rules.home_1", "space 14 is not on a ring of 14"),
    ({"rules.ring": 6}, "rules.home_1", "space 7 is not on a ring of 6"),
    ({"rules.home_0": 20}, "rules.home_0", "space 20 is not on a ring of 14"),
    ({"rules.home_0": 7}, "rules.home_1", "both homes are space 7"),
    ({"cards.mole.wins_at": 2, "cards.mole.loses_at": 2}, "cards.mole.loses_at", "would both win and lose"),
    ({"cards.codebreaker.loses_at": 3}, "cards.codebreaker.loses_at", "3 in play would both win and lose"),
    ({f"cards.{name}.copies": 0 for name in NAMES[:6]}, "cards", "the deck has 2 cards, two hands of 4 need 8"),
    ({f"cards.{name}.copies": 0 for name in NAMES}, "cards", "the deck has 0 cards"),
    ({"rules.hand_size": 8} | {f"cards.{name}.copies": 1 for name in NAMES}, "cards", "two hands of 8 need 16")])
def test_contradictions_are_refused_with_a_reason(settings: dict[str, Any], key: str, reason: str) -> None:
    with pytest.raises(InputError) as error:
        make_rules(settings, where="house.toml")
    assert str(error.value).startswith(f"house.toml: {key}: ")
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_full_box_is_allowed() -> None:
    assert make_rules({f"cards.{name}.copies": 15 for name in NAMES}).n_cards == 120 == r.MAX_CARDS


@given(rule_sets())
def test_settings_make_the_same_rules_again(rules: Rules) -> None:
    assert make_rules(settings_of(rules)) == rules
    assert the_game().rules(the_game().rules_as_dict(rules)) == rules


def test_rules_are_frozen_and_settings_are_not_shared() -> None:
    with pytest.raises(FrozenInstanceError):
        STANDARD.hand_size = 5  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        STANDARD.cards[0].copies = 5  # type: ignore[misc]
    make_rules({"cards.mole.copies": 3})
    assert make_rules().n_cards == 38


# ---- compiled rules -------------------------------------------------------------------------------------------------


@given(rule_sets())
def test_the_compiled_table_says_what_the_rules_say(rules: Rules) -> None:
    table = compile_rules(rules)
    assert table[[r.HAND_SIZE, r.DISCARDS, r.GAP_0, r.GAP_1, r.N_NAMES, r.N_CARDS]].tolist() == [
        rules.hand_size, rules.discards, rules.gap_0, rules.gap_1, 8, rules.n_cards]
    assert r.TIE_RULES[table[r.TIE_RULE]] == rules.tie_rule
    assert rules.gap_0 + rules.gap_1 == rules.ring
    box = table[r.CARDS:r.CARDS + rules.n_cards].tolist()
    for number, card in enumerate(rules.cards):
        assert box.count(number) == table[r.COPIES + number] == card.copies
        for copies in range(1, 16):
            move = (card.first, card.second)[copies - 1] if copies < 3 else card.third
            assert table[r.MOVES + 16 * number + copies] == move
            sets = table[r.SETS + 16 * number + copies]
            assert bool(sets & r.WIN) == bool(card.wins_at and copies >= card.wins_at)
            assert bool(sets & r.LOSE) == bool(card.loses_at and copies >= card.loses_at)
        assert table[r.WINS_AT + number] == (card.wins_at or r.NEVER)
        assert table[r.LOSES_AT + number] == (card.loses_at or r.NEVER)
    winning = table[r.WINNING:r.WINNING + table[r.N_WINNING]].tolist()
    losing = table[r.LOSING:r.LOSING + table[r.N_LOSING]].tolist()
    assert winning == [number for number, card in enumerate(rules.cards) if card.wins_at]
    assert losing == [number for number, card in enumerate(rules.cards) if card.loses_at]


# ---- cards ----------------------------------------------------------------------------------------------------------


def test_cards_are_those_of_the_rules_page(repository: Path) -> None:
    page = (repository / "docs" / "rules" / "agent_avenue.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|(.+)\|$", page.split("## Board")[0], flags=re.MULTILINE)
    cards = load_cards()
    assert [name for name, _ in rows] == [card.id for card in cards] == list(NAMES)
    for card, (_, rest) in zip(cards, rows, strict=True):
        english, french, german, copies, *moves, a_set = (cell.strip() for cell in rest.split("|"))
        assert (card.name("en"), card.name("fr"), card.name("de")) == (english, french, german)
        assert card.copies == int(copies)
        symbols = [int(move) for move in moves if move]
        assert symbols == [card.first, card.second, card.third][:len(symbols)]
        assert card.wins_at == (3 if a_set == "3 or more in play: a win condition" else 0)
        assert card.loses_at == (3 if a_set == "3 or more in play: a loss condition" else 0)
        # Of a single copy, later ones would move like the first.
        assert len(symbols) == 3 or (card.copies == 1 and card.first == card.second == card.third)


def test_card_tables_are_data_with_a_name_in_every_language() -> None:
    text = (files("agentsim.games.agent_avenue.cards") / "agents.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    assert set(LANGUAGES) == {"en", "fr", "de"}
    for name, entry in table.items():
        assert set(entry["names"]) == set(LANGUAGES), name
        assert all(entry["names"].values())
    for language in LANGUAGES:
        assert len({card.name(language) for card in load_cards()}) == 8
    assert load_cards()[0].name("xx") == "Double Agent"
    assert replace(load_cards()[0], names=()).name() == "double_agent"


# ---- modes ----------------------------------------------------------------------------------------------------------


def test_end_reasons_of_every_mode() -> None:
    ends = ("division_m", "daredevils", "out_of_cards")
    assert STANDARD.end_reasons == make_rules({"rules.mode": "advanced"}).end_reasons == END_REASONS
    assert make_rules({"rules.players": 4}).end_reasons == ("catch", "codebreakers", *ends)
    new = {"rules.mode": "advanced", "rules.expansion": "division_m"}
    assert make_rules(new).end_reasons == ("catch", "codebreakers", "chain_of_command", "dragnet", *ends)
    both = make_rules(new | {"rules.market": "both"}).end_reasons
    assert both == (*END_REASONS[:5], "chain_of_command", "dragnet", *ends)


@pytest.mark.parametrize(("settings", "plain"), [
    ({}, True), ({"rules.ring": 20, "cards.mole.copies": 3}, True), ({"rules.mode": "advanced"}, False),
    ({"rules.players": 3}, False), ({"rules.expansion": "division_m"}, False), ({"cards.mole.m_first": "home"}, False)])
def test_which_rules_the_base_kernel_plays(settings: dict[str, Any], plain: bool) -> None:
    assert make_rules(settings).plain is plain


def test_sides() -> None:
    two, three, four = (make_rules({"rules.players": players}) for players in (2, 3, 4))
    assert [rules.teams for rules in (two, three, four)] == [False, True, True]
    assert [rules.side_size(side, 1) for rules in (two, three, four) for side in (0, 1)] == [1, 1, 2, 1, 2, 2]
    assert (three.side_size(0, lone=0), three.side_size(1, lone=0)) == (1, 2)


def test_the_pile_lists_every_copy() -> None:
    rules = make_rules({"rules.mode": "advanced", "market.watchtower.copies": 3, "market.outpost.copies": 0})
    assert len(rules.market_cards) == 14
    assert rules.pile == (0, 1, 1, 1, *range(2, 14))
    assert STANDARD.pile == ()
    assert STANDARD.market_cards == ()
