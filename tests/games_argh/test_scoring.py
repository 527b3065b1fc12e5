"""Counting cards: every example of the rules page, and the brute force of the second engine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from agentsim.games.argh.rules import Rules, make_rules
from agentsim.games.argh.scoring import highest_card, is_even, outcome, points
from agentsim.games.argh.step import count_cards
from agentsim.games.argh.table import compile_rules
from tests.games_argh.helpers import CUSTOM, few, needs_speed, oracle_rules, rules, word
from tests.oracle.argh import OracleRules, best_outcome, random_collection
from tests.oracle.argh import highest_card as oracle_highest_card

BASE, PROMOS = rules(), rules(promos=True)
FREE = rules(promos=True, hamster="free")
LIZARDS = ("house_lizard", "garden_lizard", "laboratory_lizard")
SPIES = ("house_spy", "garden_spy", "laboratory_spy")

TOTALS = [
    (10, LIZARDS),
    (5, LIZARDS[:2]),
    (1, LIZARDS[1:2]),
    (0, (*LIZARDS[:2], "mosquito")),
    (4, (*LIZARDS, "mosquito")),
    (3, (*LIZARDS[:2], "mouse", "scientist")),
    (9, (*LIZARDS, "monkey", "scientist")),
    (1, (*LIZARDS[:2], "mouse", "mosquito", "scientist")),
    (-6, ("toad", "rat", "mosquito", "scientist")),
    (0, ("canary", "mosquito", "scientist")),
    (8, ("cat", "canary", "mosquito", "hamster")),
    (2, ("house_bomb", "mouse", "spider", "scientist")),
    (2, ("sister", "brother", "mosquito")),
    # Further consequences of the rulings.
    (0, ()),
    (0, ("mosquito", "hamster", "scientist", "house_bomb", "house_spy", "owl")),
    (-4, ("sister", "brother")),
    (-1, ("brother",)),
    (-1, ("sister", "brother", "hamster")),  # the brother goes; a cancelled brother does not change his sister
    (1, ("spider",)),
    (-1, ("spider", "mosquito")),
    (3, ("cat", "mosquito")),
    (4, ("cat", "spider", "mosquito")),  # the cat made positive has no star
    (9, ("toad", "rat", "spider", "scientist")),  # the cancelled rat keeps its star: 6 + 3
    (8, ("cat", "gardener", "mosquito", "hamster", "toad", "scientist", "mouse")),  # +6 and 2; cat and toad are gone
]


def count(names: Iterable[str], made: Rules) -> tuple[int, bool]:
    result = outcome(np.int64(word(names, made)), compile_rules(made))
    return int(points(result)), bool(is_even(result))


@pytest.mark.parametrize(("total", "names"), TOTALS)
def test_totals(total: int, names: tuple[str, ...]) -> None:
    assert count(names, PROMOS)[0] == total
    assert best_outcome(names, oracle_rules(PROMOS)).total == total
    if set(names) <= set(BASE.names):
        assert count(names, BASE)[0] == total


@pytest.mark.parametrize(
    ("names", "even"),
    [
        (SPIES[:1], False),
        (SPIES[:2], True),
        (SPIES, False),
        ((*SPIES[:1], "hamster"), True),
        ((*SPIES[:2], "hamster"), False),
        ((*SPIES[:2], "cat", "hamster"), True),
        ((*SPIES[:1], "cat", "hamster"), False),
        ((*SPIES, "hamster"), True),
        ((*SPIES[:1], "cat", "hamster", "mosquito"), True),
        ((*SPIES[:2], "canary", "hamster", "mosquito"), False),
        ((*SPIES[:1], "brother", "hamster"), False),
    ],
)
def test_spies(names: tuple[str, ...], even: bool) -> None:
    assert count(names, PROMOS)[1] is even
    assert best_outcome(names, oracle_rules(PROMOS)).even_spies is even


def test_a_free_hamster_may_choose_the_spy() -> None:
    assert count((SPIES[0], "cat", "hamster"), FREE) == (-3, True)
    assert count((SPIES[0], SPIES[1], "cat", "hamster"), FREE) == (0, True)


def test_even_spies_come_before_points() -> None:
    # Flipping the gardener would be worth 12 more, but then the hamster would have to cancel a spy.
    assert count((*SPIES[:2], "gardener", "rat", "hamster", "mosquito"), BASE) == (-7, True)


def test_examples_are_those_of_the_rules_page(repository: Path) -> None:
    page = (repository / "docs" / "rules" / "argh.md").read_text(encoding="utf-8")
    section = page.split("## Worked examples")[1].split("## Promo")[0]
    first, second = section.split("| cards | spies")
    groups = {"lizard": LIZARDS, "spy": SPIES, "spie": SPIES}

    def cards(cell: str) -> list[str]:
        found: list[str] = []
        for item in re.sub(r"\([^)]*\)", "", cell).split(","):
            number, name = re.fullmatch(r"(\d )?(\w+?)", item.strip()).groups()  # type: ignore[union-attr]
            key = name.removesuffix("s") if name != "house_bomb" else name
            if key in groups:
                found += groups[key][: int(number or 1)]
            else:
                found.append("house_bomb" if name == "bomb" else name)
        return found

    totals = re.findall(r"^\| ([^|]+) \| (-?\d+) \|", first, flags=re.MULTILINE)
    assert len(totals) == 13
    for cell, total in totals:
        assert count(cards(cell), PROMOS)[0] == int(total), cell
    spies = re.findall(r"^\| ([^|]+) \| (\d) \| (\w+)", second, flags=re.MULTILINE)
    assert len(spies) == 7
    for cell, number, out in spies:
        assert count(cards(cell), PROMOS)[1] is (int(number) % 2 == 0) is (out == "no"), cell


@pytest.mark.parametrize(
    ("highest", "names"),
    [
        (0, ()),
        (7, ("rat", "scientist")),
        (1, ("house_lizard", "garden_lizard", "sister")),
        (0, ("spider", "cat")),
        (0, ("house_spy", "gardener")),
        (-1, ("brother", "sister", "cat")),
        (-6, ("gardener",)),
        (0, ("mosquito", "gardener")),
    ],
)
def test_highest_card(highest: int, names: tuple[str, ...]) -> None:
    assert highest_card(np.int64(word(names, PROMOS)), compile_rules(PROMOS)) == highest
    assert oracle_highest_card(names, oracle_rules(PROMOS)) == highest


def test_counting_by_name_refuses_what_is_not_there() -> None:
    assert count_cards(("rat", "toad")) == (13, True)
    with pytest.raises(ValueError, match="not in the game"):
        count_cards(("spider",))
    with pytest.raises(ValueError, match="given twice"):
        count_cards(("rat", "rat"))


# ---- against the brute force -------------------------------------------------------------------------------------


def compare(made: Rules, number: int, seed: int, modifiers: int) -> None:
    rng, table, second = Random(seed), compile_rules(made), oracle_rules(made)
    for _ in range(number):
        names = random_collection(rng, second, modifiers)
        result = outcome(np.int64(word(names, made)), table)
        expected = best_outcome(names, second)
        assert (bool(is_even(result)), int(points(result))) == expected, names


@pytest.mark.parametrize("modifiers", [0, 2])
@pytest.mark.parametrize("promos", [False, True])
def test_random_collections(promos: bool, modifiers: int) -> None:
    """20,000 in all: half with at least two modifiers, a third with promos."""
    compare(PROMOS if promos else BASE, few(3334 if promos else 6667, 40), 7 + promos, modifiers)


@pytest.mark.parametrize("made", [FREE, make_rules(CUSTOM)], ids=["free hamster", "changed rules"])
def test_random_collections_under_changed_rules(made: Rules) -> None:
    compare(made, few(1000, 20), 3, 2)


@pytest.mark.oracle
@needs_speed
@pytest.mark.parametrize("modifiers", [0, 2])
@pytest.mark.parametrize("promos", [False, True])
def test_a_million_random_collections(promos: bool, modifiers: int) -> None:
    compare(PROMOS if promos else BASE, 167_000 if promos else 334_000, 11 + promos, modifiers)


def test_preferring_to_flip_a_positive_card_never_helps() -> None:
    free = oracle_rules(PROMOS)
    bound: OracleRules = replace(free, mosquito_needs_a_reason=True)
    rng = Random(5)
    for _ in range(1500):
        names = random_collection(rng, free, 2)
        assert best_outcome(names, free) == best_outcome(names, bound)
