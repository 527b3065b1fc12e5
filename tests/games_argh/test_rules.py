"""Rules as data: keys, bounds, errors that say what is wrong, card tables from files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from agentsim.errors import InputError
from agentsim.games.argh.cards import LOCATIONS, load_cards
from agentsim.games.argh.rules import key_table, make_rules, settings_of
from agentsim.games.argh.step import count_cards, new_game
from tests.games_argh.helpers import CUSTOM
from tests.oracle.argh import standard_cards


def test_the_shipped_table_is_that_of_the_rules_page(repository: Path) -> None:
    page = (repository / "docs" / "rules" / "argh.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \((.)\) \| (.+) \((.)\) \| (yes|no) \((.)\) \|$", page, flags=re.MULTILINE)
    source = {"P": "publisher", "S": "secondary", "X": "stand-in"}
    cards = {card.id: card for card in load_cards()}
    assert sorted(cards) == sorted(name for name, *_ in rows)
    for name, location, of_location, effect, of_value, star, of_star in rows:
        card = cards[name]
        assert (card.location, card.star) == (location, star == "yes")
        assert (card.location_source, card.value_source, card.star_source) == (
            source[of_location], source[of_value], source[of_star])
        number = re.match(r"[+-]\d+$", effect)
        if number:
            assert (card.kind, card.value) == ("value", int(effect))
        elif card.kind != "brother":
            assert effect.split()[0] in (card.kind, "bomb", "looks", "+1")


def test_the_shipped_table_is_that_of_the_second_engine() -> None:
    second = standard_cards(promos=True)
    for card in load_cards():
        assert (card.location, card.kind, card.value, card.star) == (
            second[card.id].pile, second[card.id].kind, second[card.id].number, second[card.id].star)
    assert len(load_cards()) == len(second) == 27


def test_defaults() -> None:
    rules = make_rules()
    assert [rules.pile_size(location) for location in LOCATIONS] == [8, 8, 8]
    assert (rules.players, rules.aside) == (2, 2)
    assert make_rules({"rules.players": 3}).aside == 1
    assert len(make_rules({"rules.promos": True}).names) == 27
    assert rules.has_stand_ins
    kinds = [card.kind for card in rules.cards]
    assert [kinds.count(kind) for kind in ("bomb", "spy", "lizard", "mosquito", "hamster", "scientist")] == [
        3, 3, 3, 1, 1, 1]


@pytest.mark.parametrize("settings", [{}, {"rules.players": 4, "rules.promos": "on"}, CUSTOM])
def test_settings_say_everything(settings: dict[str, Any]) -> None:
    rules = make_rules(settings)
    assert make_rules(settings_of(rules)) == rules
    assert {key.name for key in key_table(rules)} == set(settings_of(rules))


def test_a_changed_field_is_marked() -> None:
    rules = make_rules({"cards.gardener.value": -7, "cards.rat.value": 7})
    cards = {card.id: card for card in rules.cards}
    assert cards["gardener"].value_source == "changed"
    assert cards["rat"].value_source == "publisher"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rules.players": 5}, "rules.players: 5 is out of range (allowed: 2 to 4)"),
        ({"rules.player": 3}, "did you mean 'rules.players'?"),
        ({"players": 3}, "did you mean 'rules.players'?"),
        ({"rules.promos": "perhaps"}, "rules.promos: 'perhaps' is neither true nor false"),
        ({"rules.hamster": "fre"}, "did you mean 'free'?"),
        ({"rules.put_aside_two": 8}, "rules.put_aside_two: 8 put aside of 8 house cards leave no pile"),
        ({"rules.lizards_2": 12}, "more lizards must be worth more"),
        ({"rules.cards": "bas"}, "did you mean 'base'?"),
        ({"rules.cards": 3}, "rules.cards: unknown card table 3"),
        ({"rules.cards": "missing.toml"}, "missing.toml: no such card table"),
        ({"cards.rat.valu": 3}, "did you mean 'value'?"),
        ({"cards.rats.value": 3}, "did you mean 'rat'?"),
        ({"cards.rat.value": 3.5}, "cards.rat.value: 3.5 is not a whole number (allowed: -20 to 20)"),
        ({"cards.rat.value": "x"}, "cards.rat.value: 'x' is not a whole number"),
        ({"cards.rat.kind": "rodent"}, "cards.rat.kind: unknown value 'rodent'"),
        ({"cards.rat.kind": "lizard"}, "a lizard card has no value of its own"),
        ({"cards.rat.kind": "lizard", "cards.rat.value": 0}, "4 lizards (allowed: at most 3)"),
        ({"cards.rat.kind": "bomb", "cards.rat.value": 0}, "with 4 bomb parts two players could both have 2"),
        ({"cards.brother.value": 1}, "cards.brother.value: a brother counts against its owner"),
        ({"cards.brother.twin": "aunt"}, "cards.brother.twin: no card 'aunt'"),
        ({f"cards.{name}.kind": "hamster" for name in ("house_spy", "garden_spy", "laboratory_spy", "house_lizard")},
         "7 mosquitoes, hamsters and scientists"),
    ],
)
def test_refusals(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        make_rules(settings)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# ---- an owner's table --------------------------------------------------------------------------------------------


def table_text(extra: str = "") -> str:
    """A small table: three cards in each location."""
    cards = []
    for location in LOCATIONS:
        cards.append(f'[{location}_bomb]\nlocation = "{location}"\nkind = "bomb"\nstar = true\n')
        cards.append(f'[{location}_ally]\nlocation = "{location}"\nkind = "value"\nvalue = 4\nstar = true\n')
        cards.append(f'[{location}_pest]\nlocation = "{location}"\nkind = "mosquito"\n')
    return "\n".join(cards) + extra


def test_a_table_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(table_text(), encoding="utf-8")
    rules = make_rules({"rules.cards": str(path), "cards.house_ally.value": 5})
    assert len(rules.cards) == 9
    assert not rules.has_stand_ins
    assert {card.value_source for card in rules.cards} == {"box", "changed"}
    assert count_cards(("house_ally", "house_pest", "garden_pest"), rules) == (-5, True)
    # What a run keeps does not need the file any more.
    settings = settings_of(rules)
    path.unlink()
    again = make_rules(settings)
    assert again == rules
    assert new_game(rules=again).legal_actions()


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ("[x]\n", "line 45: x: has no location"),
        ('[x]\nlocation = "attic"\n', "x.location: unknown location 'attic'"),
        ('[x]\nlocation = "house"\nkind = "value"\n', "x.value: needs a value"),
        ('[x]\nlocation = "house"\nkind = "spy"\nvalue = 2\n', "a spy card has no value of its own"),
        ('[x]\nlocation = "house"\nkind = "value"\nvalue = 99\n', "x.value: 99 is out of range"),
        ('[x]\nlocation = "house"\nkind = "value"\nvalue = true\n', "x.value: True is not a whole number"),
        ('[x]\nlocation = "house"\nkind = "spy"\nsize = 2\n', "x.size: unknown field"),
        ('[x]\nlocation = "house"\nkind = "spy"\nsources = { star = "gossip" }\n', "unknown source 'gossip'"),
        ('[x]\nlocation = "house"\nkind = "spy"\nsources = { size = "box" }\n', "x.sources.size: unknown field"),
        ('[x]\nlocation = "house"\nkind = "spy"\nnames = { de = "Spion" }\n', "x.names.de: is not a name"),
        ('["a b"]\nlocation = "house"\nkind = "spy"\n', "is no usable id"),
        ("[x\n", "is not valid TOML"),
    ],
)
def test_bad_tables(tmp_path: Path, extra: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(table_text(extra), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        make_rules({"rules.cards": str(path)})
    assert message in str(caught.value)
    assert "mine.toml" in str(caught.value)


def test_a_key_that_is_no_card(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("rat = 7\n", encoding="utf-8")
    with pytest.raises(InputError, match="rat: is not a card"):
        make_rules({"rules.cards": str(path)})


def test_a_given_table_must_be_complete() -> None:
    with pytest.raises(InputError, match=r"cards\.x\.location: the card has no location"):
        make_rules({"rules.cards": "given", "cards.x.kind": "spy"})
