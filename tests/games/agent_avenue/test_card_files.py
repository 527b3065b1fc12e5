"""A designer's card files: what they may say, and the one line that each mistake gets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from agentsim.errors import InputError
from agentsim.games.agent_avenue import ruleset
from agentsim.games.agent_avenue.cards import Effect, MarketCard, entries, load_cards, load_market
from agentsim.games.agent_avenue.cards.cardfile import read_card_file
from agentsim.games.agent_avenue.cards.sheets import card_sheets, card_template
from agentsim.games.agent_avenue.cards.words import card_text
from agentsim.games.agent_avenue.rules import Rules, compile_rules, key_table, make_rules, settings_of
from tests.games.agent_avenue.bad_card_files import BAD
from tests.games.agent_avenue.house_cards import mode_rules

ADVANCED = {"rules.mode": "advanced"}


def write(folder: Path, text: str) -> str:
    path = folder / "set.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def read(folder: Path, text: str, **settings: Any) -> Rules:
    return make_rules({**ADVANCED, "rules.cards": write(folder, text), **settings})


def instant(effect: str) -> str:
    return f'[market.push]\nkind = "instant"\neffects = [{{ {effect} }}]\n'


def ongoing(effect: str) -> str:
    return f'[market.engine]\nkind = "ongoing"\neffects = [{{ {effect} }}]\n'


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_gets_one_line(case: str, tmp_path: Path) -> None:
    text, line, message = BAD[case]
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    place = f"{tmp_path / 'set.toml'}, line {line}" if line else str(tmp_path / "set.toml")
    assert str(error.value) == f"{place}: {message}"


@pytest.mark.parametrize("case", [case for case in BAD if "market." in BAD[case][0]])
def test_base_mode_finds_the_same_mistakes(case: str, tmp_path: Path) -> None:
    """A file with Black Market cards may be used in base mode, but not with a mistake in it."""
    with pytest.raises(InputError) as error:
        make_rules({"rules.cards": write(tmp_path, BAD[case][0])})
    assert str(error.value).endswith(BAD[case][2])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path, message in ((tmp_path / "no.toml", "no such card file"), (tmp_path, "is a folder, not a card file")):
        with pytest.raises(InputError) as error:
            make_rules({"rules.cards": str(path)})
        assert str(error.value) == f"{path}: {message}"
    with pytest.raises(InputError, match=r"^rules\.cards: unknown card file 3 \(allowed: shipped, FILE\.toml"):
        make_rules({"rules.cards": 3})


ODD_VALUES: tuple[Any, ...] = (
    None, True, -1, 3, 99, 2.5, float("nan"), "", "home", "agent", "x" * 200, "a\nb", [], [1], ["en"], {}, {"en": 3},
    {"do": []}, [{"do": "move", "spaces": "9" * 5000}], [{"do": {}}], [[]])


@pytest.mark.parametrize("value", ODD_VALUES, ids=repr)
def test_nothing_but_one_line_comes_of_odd_values(value: Any) -> None:
    """Whatever stands in a place where something else belongs is used, or refused in one short line."""
    keys = [f"market.engine.{word}" for word in entries.MARKET_ATTRIBUTES]
    keys += [f"cards.spy.{word}" for word in (*entries.AGENT_ATTRIBUTES, "names.en")]
    keys += [key.name for key in key_table() if key.name.startswith("rules.")]
    whole = SETS["own"] | {"market.engine.kind": "ongoing", "market.engine.effects": [
        {"when": "end", "do": "win", "if": "rival_near_division_m", "spaces": 1}]}
    effects = [{"when": "recruit", "agent": "spy", "do": "multiply", "by": 2},
               {"when": "landing", "on": "home", "do": "move", "spaces": 1},
               {"when": "end", "do": "win", "if": "set", "agent": "spy", "at_least": 3}]
    trials = [whole | {key: value} for key in keys if (key, value) != ("rules.cards", "x" * 200)]
    trials += [whole | {"market.engine.effects": [effect | {word: value}]} for effect in effects
               for word in (*entries._EFFECT_WORDS, "odd")]
    refused = []
    for trial in trials:
        try:
            check_settings(make_rules(trial))
        except InputError as error:
            refused.append(str(error))
    assert len(refused) > len(trials) / 2
    assert not any("\n" in message or len(message) > 900 for message in refused)


# ---- too many -------------------------------------------------------------------------------------------------------


def many(number: int, effects: int = 1) -> str:
    listed = ", ".join(["{ do = 'take' }"] * effects)
    return 'replace = ["market"]\n' + "".join(
        f'[market.card_{index}]\nkind = "instant"\neffects = [{listed}]\n' for index in range(number))


@pytest.mark.parametrize(("text", "message"), [
    (many(64), "market: 64 different Black Market cards in all (allowed: 1 to 63)"),
    ("[market.watchtower]\ncopies = 50\n", "market: 64 Black Market cards, copies counted, in all (allowed: 1 to 63)"),
    (many(33, 5), "market: 165 effects of Black Market cards in all (allowed: 1 to 160)"),
    ('replace = ["market"]\n[market.watchtower]\ncopies = 0\n',
     "market: 0 different Black Market cards in all (allowed: 1 to 63)"),
    ("".join(f"[agents.spy_{index}]\ncopies = 1\nfirst = 0\nsecond = 0\nthird = 0\n" for index in range(8)),
     "cards: 16 agents (allowed: 1 to 15 names)"),
    ('replace = ["agents"]\n[agents.mole]\ncopies = 7\n',
     "cards: the deck has 7 cards, two hands of 4 need 8 (allowed: 8 to 120 cards in all)")])
def test_sets_that_are_too_large_or_too_small(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert str(error.value) == f"{tmp_path / 'set.toml'}: {message}"


def test_sets_as_large_as_documented(tmp_path: Path) -> None:
    assert len(read(tmp_path, many(63)).market_cards) == ruleset.MAX_MARKET == 63
    assert sum(len(card.effects) for card in read(tmp_path, many(32, 5)).market_cards) == ruleset.MAX_EFFECTS == 160
    assert len(read(tmp_path, "[market.watchtower]\ncopies = 49\n").pile) == ruleset.MAX_PILE == 63
    agents = "".join(f"[agents.spy_{index}]\ncopies = 1\nfirst = 0\nsecond = 0\nthird = 0\n" for index in range(7))
    assert len(read(tmp_path, agents).cards) == ruleset.MAX_NAMES == 15


# ---- good files -----------------------------------------------------------------------------------------------------


COURIER = '[agents.courier]\ncopies = 3\nfirst = 1\nsecond = 1\nthird = 4\nnames = { en = "Courier" }\n'


def test_a_file_changes_and_adds_cards(tmp_path: Path) -> None:
    text = (f'{COURIER}[agents.sentinel]\nthird = 5\n[market.watchtower]\nspaces = 1\n[market.outpost]\ncopies = 2\n'
            + ongoing('when = "recruit", agent = "courier", do = "multiply", by = 2'))
    rules = read(tmp_path, text)
    agents = {card.id: card for card in rules.cards}
    assert [*agents] == [*(card.id for card in load_cards()), "courier"]
    assert (agents["courier"].third, agents["courier"].provenance, agents["courier"].name()) == (4, "house", "Courier")
    shipped = {card.id: card for card in load_cards()}
    assert (agents["sentinel"].second, agents["sentinel"].third, agents["sentinel"].provenance) == (2, 5, "house")
    assert agents["mole"] == shipped["mole"]
    market = {card.id: card for card in rules.market_cards}
    assert [*market] == [*(card.id for card in load_market() if not card.promo), "engine"]
    assert market["watchtower"].effects[0] == Effect("add", "recruit", "enforcer", spaces=1)
    assert (market["watchtower"].provenance, market["outpost"].provenance) == ("house", "publisher")
    assert market["outpost"].copies == 2
    assert market["engine"].effects == (Effect("multiply", "recruit", "courier", by=2),)
    assert rules.pile == tuple(sorted([*range(16), list(market).index("outpost")]))


def test_a_file_may_replace_the_shipped_cards(tmp_path: Path) -> None:
    rules = read(tmp_path, 'replace = ["market"]\n[market.outpost]\ncopies = 4\n' + instant('do = "nothing"'))
    assert [card.id for card in rules.market_cards] == ["outpost", "push"]
    assert rules.market_cards[0].effects == next(card for card in load_market() if card.id == "outpost").effects
    assert rules.pile == (0, 0, 0, 0, 1)
    assert len(rules.cards) == 8
    rules = read(tmp_path, 'replace = ["agents"]\n[agents.mole]\ncopies = 9\n' + COURIER)
    assert rules.names == ("mole", "courier")
    # Outpost asks for a sentinel, whom this game lacks: the card is there and never has anything to do.
    assert len(rules.market_cards) == 15
    assert read(tmp_path, 'replace = "market"\n[market.outpost]\ncopies = 1\n').pile == (0,)


def test_a_file_with_cards_for_one_mode_serves_all(tmp_path: Path) -> None:
    text = "[agents.handler]\nm_second = 3\n[market.dead_drop]\nspaces = 4\n[market.ceasefire]\ncopies = 2\n"
    path = write(tmp_path, text)
    assert make_rules({"rules.cards": path}) == make_rules()
    assert make_rules({"rules.cards": path, **ADVANCED}) == make_rules(ADVANCED)
    both = make_rules({"rules.cards": path, **ADVANCED, "rules.expansion": "division_m", "rules.ceasefire": True,
                       "rules.market": "both"})
    assert both.cards[-1].symbols == ("home", 3, 2)
    market = {card.id: card for card in both.market_cards}
    assert (market["dead_drop"].effects[0].spaces, market["ceasefire"].copies) == (4, 2)


def test_a_whole_handler_plays_without_the_expansion(tmp_path: Path) -> None:
    rules = read(tmp_path, '[agents.handler]\ncopies = 2\nfirst = 0\nsecond = 0\nthird = 0\n', **{"rules.mode": "base"})
    assert rules.names[-1] == "handler"
    assert rules.cards[-1].symbols == ("home", 1, 2)
    assert not rules.plain


def test_an_effect_may_name_an_agent_whose_expansion_is_not_played(tmp_path: Path) -> None:
    rules = read(tmp_path, instant('do = "recruit", from = "hand", agent = "handler"'))
    assert "handler" not in rules.names
    assert rules.market_cards[-1].effects[0].agent == "handler"
    assert make_rules(settings_of(rules)) == rules
    assert [card.id for card in make_rules({**ADVANCED, "rules.market": "new"}).market_cards] == [
        card.id for card in load_market("market_division_m")]


@pytest.mark.parametrize("text", ["[sentinel]\nthird = 5\n", "[cards.sentinel]\nthird = 5\n",
                                  "[agents.sentinel]\nthird = 5\n"])
def test_three_ways_to_write_agents(text: str, tmp_path: Path) -> None:
    rules = make_rules({"rules.cards": write(tmp_path, text)})
    assert rules == make_rules({"cards.sentinel.third": 5})
    with pytest.raises(InputError, match=r"line 2: (agents\.|cards\.|)sentinel\.third: 99 is out of range"):
        make_rules({"rules.cards": write(tmp_path, text.replace("5", "99"))})


def test_settings_change_the_cards_of_a_file(tmp_path: Path) -> None:
    path = write(tmp_path, COURIER + ongoing('when = "recruit", agent = "courier", do = "add", spaces = 2'))
    rules = make_rules({**ADVANCED, "rules.cards": path, "cards.courier.third": 7, "market.engine.spaces": 3})
    assert (rules.cards[-1].third, rules.market_cards[-1].effects[0].spaces) == (7, 3)
    with pytest.raises(InputError, match=r"^cards\.courrier\.third: unknown agent.* did you mean 'courier'\?$"):
        make_rules({"rules.cards": path, "cards.courrier.third": 7})


def test_settings_alone_can_add_cards() -> None:
    settings = {**ADVANCED, "market.push.kind": "instant", "market.push.names.en": "Push",
                "market.push.effects": [{"do": "move", "spaces": 1}]}
    card = MarketCard("push", "instant", (Effect("move", spaces=1),), names=(("en", "Push"),))
    assert make_rules(settings).market_cards[-1] == card


@pytest.mark.parametrize(("settings", "message"), [
    ({"market.outpost.copies": 2},
     "market.outpost.copies: base mode has no Black Market (allowed: with rules.mode = advanced)"),
    ({**ADVANCED, "market.dead_drop.spaces": 2}, ("market.dead_drop.spaces: 'dead_drop' is not in the pile "
                                                  "(allowed: with rules.market = both, or the set it belongs to)")),
    ({**ADVANCED, "market.ceasefire.copies": 2},
     "market.ceasefire.copies: 'ceasefire' is not in the pile (allowed: with rules.ceasefire = true)"),
    ({"cards.handler.m_second": 2},
     "cards.handler.m_second: 'handler' is not in the game (allowed: with rules.expansion = division_m)"),
    ({**ADVANCED, "rules.ring": 10, "rules.home_1": 5},
     "rules.corners: space 12 is not on a ring of 10 (allowed: 0 to 9)"),
    ({"rules.corners": "2 2 5"},
     "rules.corners: '2 2 5' names a space twice (allowed: different spaces, such as 2 5 9 12)"),
    ({"rules.corners": "2 x"}, "rules.corners: 'x' is not a whole number (allowed: 0 to 59)"),
    ({"rules.corners": []}, "rules.corners: no space at all (allowed: different spaces, such as 2 5 9 12)"),
    ({"rules.players": 5}, "rules.players: 5 is out of range (allowed: 2 to 4)"),
    ({"rules.ceasefire": "perhaps"}, "rules.ceasefire: 'perhaps' is neither true nor false (allowed: true, false)"),
    ({"rules.players": 4, "cards.sentinel.copies": 0, "rules.hand_size": 8, "cards.mole.copies": 0},
     "cards: the deck has 31 cards, four hands of 8 need 32 (allowed: 32 to 120 cards in all)"),
    ({**ADVANCED, **{f"market.{card.id}.copies": 0 for card in load_market() if not card.promo}},
     "market: 0 different Black Market cards in all (allowed: 1 to 63)")])
def test_rules_that_contradict_each_other(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        make_rules(settings, where="--set")
    assert str(error.value) == f"--set: {message}"


# ---- complete settings ----------------------------------------------------------------------------------------------


DIVISION_M = {"rules.expansion": "division_m"}
SETS: dict[str, dict[str, Any]] = {
    "publisher": {}, "advanced": ADVANCED, "division m": DIVISION_M, "both": ADVANCED | DIVISION_M,
    "everything": ADVANCED | DIVISION_M | {"rules.market": "both", "rules.ceasefire": True},
    "four": {"rules.players": 4, "rules.team_discards": 1}, "alone": {"rules.players": 3, "rules.lone": 1},
    "switches": ADVANCED | {"rules.supply": 5, "rules.corners": [3, 6], "rules.m_trap": "stopping",
                            "rules.picks": "uniform"},
    "copies": ADVANCED | {"market.outpost.copies": 0, "market.spycation.copies": 3},
    "numbers": ADVANCED | {"market.watchtower.spaces": 4, "market.masterplan.at_least": 5, "cards.sentinel.third": 5},
    "market of division m": ADVANCED | {"rules.market": "new"},
    "names": {"cards.mole.names.en": "Badger"},
    "provenance": {"cards.mole.first": 1, "cards.mole.provenance": "publisher"},
    "own": ADVANCED | {"market.push.kind": "instant", "market.push.effects": [
        {"do": "recruit", "from": "hand", "of": "any", "who": "both"}, {"do": "take_back", "may_recruit": True}],
        "cards.spy.copies": 2, "cards.spy.first": 1, "cards.spy.second": 2, "cards.spy.third": 3,
        "cards.spy.m_first": "home", "cards.spy.m_third": 2},
}


def check_settings(rules: Rules) -> None:
    settings = settings_of(rules)
    assert make_rules(settings) == rules
    assert make_rules(json.loads(json.dumps(settings))) == rules
    assert {key.name: key.default for key in key_table(rules)} == settings
    compile_rules(rules)


@pytest.mark.parametrize("name", SETS)
def test_settings_are_complete(name: str) -> None:
    rules = make_rules(SETS[name])
    check_settings(rules)
    own = name in ("own", "names")
    assert settings_of(rules)["rules.cards"] == ("given" if own else "shipped")


@given(mode_rules())
@hypothesis_settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_settings_of_any_rules_are_complete(rules: Rules) -> None:
    check_settings(rules)
    for sheet in card_sheets(rules):
        assert all("_" not in row[-1] and "{" not in row[-1] for row in sheet.rows)


@pytest.mark.parametrize("text", [
    COURIER, 'replace = ["market"]\n' + instant('do = "nothing"'),
    'replace = ["agents", "market"]\n[agents.mole]\ncopies = 15\n[market.outpost]\ncopies = 3\n', many(63),
    '[market.push]\nkind = "instant"\npromo = true\neffects = [{ do = "division_m", symbol = "home" }]\n',
    ongoing('when = "end", do = "win", if = "rival_near_division_m", spaces = 0')])
@pytest.mark.parametrize("mode", ["publisher", "advanced", "division m", "both", "everything", "four"])
def test_own_sets_travel_in_settings(text: str, mode: str, tmp_path: Path) -> None:
    rules = make_rules({**SETS[mode], "rules.hand_size": 3, "rules.cards": write(tmp_path, text)})
    (tmp_path / "set.toml").unlink()
    check_settings(rules)


def test_the_order_of_cards_does_not_depend_on_that_of_keys() -> None:
    """A plan's digest sorts its keys, so the keys alone must say how cards are numbered."""
    settings = settings_of(make_rules(SETS["own"]))
    settings |= {key.replace("push", "anvil"): value for key, value in settings.items() if "push" in key}
    rules = make_rules(settings)
    assert make_rules(dict(reversed(settings.items()))) == make_rules(dict(sorted(settings.items()))) == rules
    assert [card.id for card in rules.market_cards[-2:]] == ["anvil", "push"]


def test_settings_of_older_runs_still_make_rules() -> None:
    """Manifests of the base game know none of the keys of the other modes."""
    numbers = ("copies", "first", "second", "third", "wins_at", "loses_at")
    known = ("rules.mode", "rules.discards", "rules.ring", "rules.home_0", "rules.home_1", "rules.tie_rule")
    old = {key: value for key, value in settings_of(make_rules()).items()
           if key in known or key.rpartition(".")[2] in numbers}
    assert not any(key.startswith(("rules.corners", "market.")) for key in old)
    assert make_rules(old | {"rules.hand_size": 5}) == make_rules({"rules.hand_size": 5})
    assert len(old) == 6 + 48


# ---- the page that teaches card files -------------------------------------------------------------------------------


def test_the_examples_of_the_page_are_card_files(repository: Path, tmp_path: Path) -> None:
    page = (repository / "docs" / "cards.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    made = [read(tmp_path, block) for block in blocks]
    assert made[0].cards[5].third == 5
    words = " ".join(page.split())
    for rules, card in ((made[1], "drill_sergeant"), (made[2], "prisoner_exchange"), (made[3], "blank")):
        assert rules.market_cards[-1].id == card
    assert card_text(made[1].market_cards[-1], made[1].cards) in words
    assert read(tmp_path, blocks[1], **{"market.drill_sergeant.at_least": 5}).market_cards[-1].effects[1].at_least == 5


def test_the_page_names_all_that_a_card_file_may_say(repository: Path) -> None:
    page = (repository / "docs" / "cards.md").read_text(encoding="utf-8")
    words = [word for key, form in entries._FORMS.items() for word in (key[1], *form.needs, *form.may)]
    words += [*entries._IFS, *entries._FROMS, *entries.AGENT_ATTRIBUTES, *entries.MARKET_ATTRIBUTES]
    words += [value for choices in entries._CHOICES.values() for value in choices]
    assert [word for word in words if f"`{word}`" not in page and f'"{word}"' not in page and f"`{word} =" not in page
            ] == []
    for number in (ruleset.MAX_NAMES, ruleset.MAX_CARDS, ruleset.MAX_MARKET, ruleset.MAX_PILE, ruleset.MAX_EFFECTS):
        assert str(number) in page


# ---- the template ---------------------------------------------------------------------------------------------------


def test_the_template_is_a_card_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(card_template("Tail Wind"), encoding="utf-8")
    card = make_rules({**ADVANCED, "rules.cards": str(path)}).market_cards[-1]
    assert card == MarketCard("tail_wind", "instant", (Effect("move", spaces=2),), names=(("en", "Tail Wind"),))


def test_every_line_that_the_template_offers_is_right(tmp_path: Path) -> None:
    lines = card_template("my_card").splitlines()
    effects = [line[1:].strip() for line in lines if line.startswith("#   {")]
    effects = [line[:line.index("}") + 1] for line in effects]
    assert len(effects) == 19
    for effect in effects:
        kind = "ongoing" if "when" in effect else "instant"
        read(tmp_path, f'[market.x]\nkind = "{kind}"\neffects = [{effect}]\n')
    start = next(index for index, line in enumerate(lines) if "shipped card, changed" in line)
    text = "\n".join(line.removeprefix("#").strip() for line in lines[start + 1:] if not line.startswith("# ----"))
    rules = read(tmp_path, text)
    assert rules.names[-1] == "courier"
    assert {card.id: card for card in rules.market_cards}["watchtower"].effects[0].spaces == 1


@pytest.mark.parametrize(("name", "message"), [
    ("9 lives", "'9_lives' cannot be the id of a card (allowed: a to z, 0 to 9 and _, a letter first, at most 40)"),
    ("Catch", "'catch' is what logs call another end of a game (allowed: another id)")])
def test_names_of_new_cards(name: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        card_template(name)
    assert str(error.value) == f"NAME: {message}"


def test_a_card_file_tells_where_its_keys_stand(tmp_path: Path) -> None:
    file = read_card_file(write(tmp_path, COURIER))
    assert file.key("agents", "courier") == "agents.courier"
    assert file.replace == frozenset()
