"""The second engine of Agent Avenue against the rules page: it must be right before it may contradict anything."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.oracle.agent_avenue import (
    STANDARD,
    TIE_RULES,
    Card,
    Ending,
    OracleGame,
    OracleRules,
    end_check,
    replay,
    standard_cards,
)
from tests.oracle.baselines import POLICIES, offers_of, play_game, shuffled_deck
from tests.oracle.records import LONGEST

NAMES = tuple(standard_cards())


def position(
    *,
    active: int = 0,
    lead: int = 0,
    active_has: dict[str, int] | None = None,
    other_has: dict[str, int] | None = None,
    active_hand: list[str] | None = None,
    other_hand: list[str] | None = None,
    deck: list[str] | None = None,
    rules: OracleRules = STANDARD,
) -> OracleGame:
    """A game in the middle; ``lead`` is the active player's."""
    game = OracleGame(shuffled_deck(Random(0), rules), rules)
    game.active = active
    game.lead = lead if active == 0 else -lead
    game.played[active].update(active_has or {})
    game.played[1 - active].update(other_has or {})
    game.hands[active] = sorted(active_hand or ["double_agent", "enforcer", "saboteur", "sentinel"])
    game.hands[1 - active] = sorted(other_hand or ["double_agent", "enforcer", "saboteur", "sentinel"])
    game.deck = list(game.deck if deck is None else deck)
    return game


def lead_of_active(game: OracleGame, active: int) -> int:
    return game.lead if active == 0 else -game.lead


# ---- cards and board ---------------------------------------------------------------------------------------------


def test_cards_are_those_of_the_rules_page(repository: Path) -> None:
    page = (repository / "docs" / "rules" / "agent_avenue.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|(.+)\|$", page.split("## Board")[0], flags=re.MULTILINE)
    assert [name for name, _ in rows] == list(NAMES)
    for name, rest in rows:
        _english, _french, _german, copies, *moves, a_set = (cell.strip() for cell in rest.split("|"))
        card = standard_cards()[name]
        assert card.copies == int(copies)
        symbols = [int(move) for move in moves if move]
        assert symbols == [card.first, card.second, card.third][: len(symbols)]
        assert card.wins_at == (3 if a_set == "3 or more in play: a win condition" else 0)
        assert card.loses_at == (3 if a_set == "3 or more in play: a loss condition" else 0)
    assert sum(card.copies for card in standard_cards().values()) == 38


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("double_agent", [-1, 6, -1, -1, -1, -1]),
        ("enforcer", [1, 2, 3, 3, 3, 3]),
        ("codebreaker", [0, 0, 0, 0, 0, 0]),
        ("saboteur", [-1, -1, -2, -2, -2, -2]),
        ("daredevil", [2, 3, 0, 0, 0, 0]),
        ("sentinel", [0, 2, 6, 6, 6, 6]),
        ("sidekick", [4]),
        ("mole", [-3]),
    ],
)
def test_moves_by_count(name: str, moves: list[int]) -> None:
    assert [standard_cards()[name].move(count) for count in range(1, len(moves) + 1)] == moves


@pytest.mark.parametrize(
    ("home_0", "home_1", "ring", "distances"),
    [(0, 7, 14, (7, 7)), (7, 0, 14, (7, 7)), (0, 5, 14, (5, 9)), (5, 0, 14, (9, 5)), (3, 1, 10, (8, 2))],
)
def test_distance_to_catch(home_0: int, home_1: int, ring: int, distances: tuple[int, int]) -> None:
    rules = OracleRules(home_0=home_0, home_1=home_1, ring=ring)
    assert (rules.distance(0), rules.distance(1)) == distances
    for lead in range(-20, 21):
        ending = end_check(0, lead, rules=rules)
        if lead >= distances[0]:
            assert ending == Ending(0, "catch", False)
        elif lead <= -distances[1]:
            assert ending == Ending(1, "catch", False)
        else:
            assert ending is None


@pytest.mark.parametrize(
    "bad",
    [
        {"hand_size": 1},
        {"discards": -1},
        {"tie_rule": "nobody"},
        {"home_1": 0},
        {"home_1": 14},
        {"hand_size": 20},
        {"cards": {"enforcer": Card(7, 1, 2, 3)}},
    ],
)
def test_contradictory_rules_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        OracleRules(**bad)


# ---- worked examples ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("active", [0, 1])
class TestWorkedExamples:
    def test_first_agents(self, active: int) -> None:
        game = position(active=active, active_hand=["enforcer", "daredevil", "saboteur", "saboteur"])
        game.offer("enforcer", "daredevil")
        assert game.take(face_up=True) == ("daredevil", "enforcer", 2, 1)
        assert lead_of_active(game, active) == 1
        assert not game.over
        assert game.active == 1 - active

    def test_active_player_is_caught_by_its_own_mole(self, active: int) -> None:
        game = position(active=active, lead=-4, active_hand=["mole", "codebreaker", "saboteur", "saboteur"])
        game.offer("codebreaker", "mole")
        game.take(face_up=True)
        assert lead_of_active(game, active) == -7
        assert (game.winner, game.end_reason, game.tie_rule_used) == (1 - active, "catch", False)

    @pytest.mark.parametrize("tie_rule", TIE_RULES)
    def test_cards_run_out_level(self, active: int, tie_rule: str) -> None:
        rules = OracleRules(tie_rule=tie_rule)
        hand = ["codebreaker", "sentinel"]
        game = position(active=active, active_hand=hand, other_hand=["mole"], deck=[], rules=rules)
        game.offer("sentinel", "codebreaker")
        game.take(face_up=True)
        expected = {"active": active, "passive": 1 - active, "draw": None}[tie_rule]
        assert (game.over, game.winner, game.end_reason, game.tie_rule_used) == (True, expected, "out_of_cards", True)

    @pytest.mark.parametrize("lead", [-1, 1])
    def test_cards_run_out_and_the_closer_one_wins(self, active: int, lead: int) -> None:
        hand = ["codebreaker", "sentinel"]
        game = position(active=active, lead=lead, active_hand=hand, other_hand=["mole"], deck=[])
        game.offer("sentinel", "codebreaker")
        game.take(face_up=False)
        winner = active if lead > 0 else 1 - active
        assert (game.winner, game.end_reason, game.tie_rule_used) == (winner, "out_of_cards", False)

    @pytest.mark.parametrize("tie_rule", TIE_RULES)
    def test_third_codebreaker_against_a_catch(self, active: int, tie_rule: str) -> None:
        game = position(
            active=active,
            lead=-4,
            active_has={"codebreaker": 2},
            active_hand=["codebreaker", "sidekick", "saboteur", "saboteur"],
            rules=OracleRules(tie_rule=tie_rule),
        )
        game.offer("sidekick", "codebreaker")
        game.take(face_up=True)
        winner, reason = {
            "active": (active, "codebreakers"),
            "passive": (1 - active, "catch"),
            "draw": (None, "catch"),
        }[tie_rule]
        assert (game.winner, game.end_reason, game.tie_rule_used) == (winner, reason, True)

    @pytest.mark.parametrize("tie_rule", TIE_RULES)
    def test_third_daredevil_and_a_catch_in_one_player(self, active: int, tie_rule: str) -> None:
        game = position(
            active=active,
            lead=-6,
            other_has={"daredevil": 2},
            active_hand=["daredevil", "saboteur", "enforcer", "enforcer"],
            rules=OracleRules(tie_rule=tie_rule),
        )
        game.offer("daredevil", "saboteur")
        game.take(face_up=True)
        assert lead_of_active(game, active) == -7
        winner, reason = {
            "active": (active, "daredevils"),
            "passive": (1 - active, "catch"),
            "draw": (None, "catch"),
        }[tie_rule]
        assert (game.winner, game.end_reason, game.tie_rule_used) == (winner, reason, True)

    def test_overtaken_and_ahead_again_is_no_catch(self, active: int) -> None:
        game = position(
            active=active,
            lead=5,
            other_has={"double_agent": 1},
            active_hand=["sidekick", "double_agent", "saboteur", "saboteur"],
        )
        game.offer("double_agent", "sidekick")
        assert game.take(face_up=True) == ("sidekick", "double_agent", 4, 6)
        assert lead_of_active(game, active) == 3
        assert not game.over

    def test_second_and_third_double_agent_and_fifth_sentinel(self, active: int) -> None:
        game = position(
            active=active,
            active_has={"double_agent": 1, "sentinel": 4},
            other_has={"double_agent": 2},
            active_hand=["double_agent", "sentinel", "double_agent", "mole"],
        )
        game.offer("sentinel", "double_agent")
        assert game.take(face_up=False) == ("sentinel", "double_agent", 6, -1)
        game = position(active=active, other_has={"double_agent": 1}, active_hand=["double_agent", "saboteur"])
        game.offer("double_agent", "saboteur")
        assert game.take(face_up=True) == ("saboteur", "double_agent", -1, 6)

    @pytest.mark.parametrize(("other_hand", "goes_on"), [(["mole"], False), (["mole", "mole"], True)])
    def test_three_cards_and_no_deck(self, active: int, other_hand: list[str], goes_on: bool) -> None:
        hand = ["sentinel", "codebreaker", "daredevil"]
        game = position(active=active, lead=1, active_hand=hand, other_hand=other_hand, deck=[])
        assert game.legal_offers() == set(permutations(hand, 2))
        assert game.legal_discards() == set()
        game.offer("sentinel", "codebreaker")
        assert game.hands[active] == ["daredevil"]
        game.take(face_up=True)
        assert game.over is not goes_on


# ---- the End step in every combination ---------------------------------------------------------------------------

# Rows: what the active player has; columns: what the other has; "-" nothing, "L" loss, "W" win, "B" both.
# A the active player wins, O the other one, T the tie rule decides, "." no result.
END_TABLE = {
    "-": {"-": ".", "L": "A", "W": "O", "B": "T"},
    "L": {"-": "O", "L": "T", "W": "O", "B": "T"},
    "W": {"-": "A", "L": "A", "W": "T", "B": "T"},
    "B": {"-": "T", "L": "T", "W": "T", "B": "T"},
}


def expected_end(
    active: int,
    lead: int,
    codebreakers: tuple[int, int],
    daredevils: tuple[int, int],
    out_of_cards: bool,
    tie_rule: str,
) -> tuple[int | None, str, bool] | None:
    """(winner, reason, tie rule used) by table, from the active player's side; None when play goes on."""
    facts: dict[str, set[str]] = {"A": set(), "O": set()}
    for who, seat in (("A", active), ("O", 1 - active)):
        ahead = -lead if seat else lead
        if ahead > 6:
            facts[who].add("catch")
        if codebreakers[seat] == 3:
            facts[who].add("codebreakers")
        if daredevils[seat] == 3:
            facts[who].add("lost")

    def kind(having: set[str]) -> str:
        if "lost" in having:
            return "L" if having == {"lost"} else "B"
        return "W" if having else "-"

    verdict = END_TABLE[kind(facts["A"])][kind(facts["O"])]
    if verdict == ".":
        if not out_of_cards:
            return None
        if lead != 0:
            return (0 if lead > 0 else 1), "out_of_cards", False
        verdict = "T"
    tie = verdict == "T"
    if tie:
        verdict = {"active": "A", "passive": "O", "draw": "D"}[tie_rule]
    if verdict == "D":
        held = facts["A"] | facts["O"]
        other_held = held
    else:
        held = facts[verdict]
        other_held = facts["O" if verdict == "A" else "A"]
    for reason in ("catch", "codebreakers"):
        if reason in held:
            break
    else:
        reason = "daredevils" if "lost" in other_held else "out_of_cards"
    winner = {"A": active, "O": 1 - active, "D": None}[verdict]
    return winner, reason, tie


def swap(pair: tuple[int, int]) -> tuple[int, int]:
    return pair[1], pair[0]


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@pytest.mark.parametrize(("deck_left", "next_hand"), [(1, 0), (0, 2), (0, 1), (0, 0)])
def test_every_end(tie_rule: str, deck_left: int, next_hand: int) -> None:
    rules = OracleRules(tie_rule=tie_rule)
    out = deck_left == 0 and next_hand < 2
    pairs = [(first, second) for first in range(4) for second in range(4)]
    seen: Counter[str] = Counter()
    for active, lead, codebreakers, daredevils in product((0, 1), range(-20, 21), pairs, pairs):
        got = end_check(active, lead, codebreakers, daredevils, deck_left, next_hand, rules)
        expected = expected_end(active, lead, codebreakers, daredevils, out, tie_rule)
        flat = None if got is None else (got.winner, got.end_reason, got.tie_rule_used)
        assert flat == expected, (active, lead, codebreakers, daredevils)
        seen["goes on" if flat is None else flat[1]] += 1
        # The same table seen from the other chair.
        mirrored = end_check(1 - active, -lead, swap(codebreakers), swap(daredevils), deck_left, next_hand, rules)
        if got is None:
            assert mirrored is None
        else:
            winner = None if got.winner is None else 1 - got.winner
            assert mirrored == Ending(winner, got.end_reason, got.tie_rule_used)
    undecided = "out_of_cards" if out else "goes on"
    assert set(seen) == {"catch", "codebreakers", "daredevils", undecided}
    assert sum(seen.values()) == 2 * 41 * 16 * 16
    assert seen[undecided] == 2 * 13 * 9 * 9


@pytest.mark.parametrize("count", [3, 4, 5, 6])
def test_sets_mean_that_many_or_more(count: int) -> None:
    assert end_check(0, 0, codebreakers=(0, count)) == Ending(1, "codebreakers", False)
    assert end_check(0, 0, daredevils=(0, count)) == Ending(0, "daredevils", False)


def test_any_card_can_be_made_a_set() -> None:
    cards = standard_cards() | {"sentinel": Card(6, 0, 0, 0, wins_at=2), "codebreaker": Card(6, 0, 0, 0, loses_at=1)}
    rules = OracleRules(cards=cards)
    assert end_check(0, 0, codebreakers=(1, 0), rules=rules) == Ending(1, "daredevils", False)
    game = position(active_has={"sentinel": 1}, active_hand=["sentinel", "enforcer"], rules=rules)
    game.offer("enforcer", "sentinel")
    game.take(face_up=True)
    assert (game.winner, game.end_reason) == (0, "codebreakers")


# ---- exact facts -------------------------------------------------------------------------------------------------


def opening_hands() -> list[tuple[str, ...]]:
    hands = combinations_with_replacement(NAMES, 4)
    return [hand for hand in hands if all(hand.count(name) <= STANDARD.cards[name].copies for name in hand)]


def deck_that_starts_with(hand: tuple[str, ...]) -> list[str]:
    rest = Counter({name: card.copies for name, card in STANDARD.cards.items()}) - Counter(hand)
    return [*hand, *rest.elements()]


def test_opening_hands_offers_and_the_end_in_turn_one() -> None:
    hands = opening_hands()
    assert len(hands) == 259
    ends = Fraction(0)
    for hand in hands:
        chance = Fraction(1, comb(38, 4))
        for name in set(hand):
            chance *= comb(STANDARD.cards[name].copies, hand.count(name))
        deck = deck_that_starts_with(hand)
        offers = OracleGame(deck).legal_offers()
        names = len(set(hand))
        assert len(offers) == (names * (names - 1) if names > 1 else 1)
        assert offers == set(offers_of(hand))
        for (up, down), face_up in product(sorted(offers), (True, False)):
            game = OracleGame(deck)
            game.offer(up, down)
            game.take(face_up)
            if game.over:
                assert {up, down} == {"sidekick", "mole"}
                assert (abs(game.lead), game.end_reason) == (7, "catch")
                ends += chance / len(offers) / 2
    assert ends == Fraction(8, 4921)


def test_a_game_of_18_turns_exists() -> None:
    rows, final = replay(LONGEST.cards(), LONGEST.choices())
    assert len(rows) == final["n_turns"] == 18
    assert sum(final[f"final_{seat}_{name}"] for seat in (0, 1) for name in NAMES) == 36


@pytest.mark.parametrize("policy", ["random", "random_discards"])
def test_bounds_hold_and_cards_are_conserved(policy: str) -> None:
    for seed in range(400):
        rng = Random(seed)
        game = play_game(POLICIES[policy], POLICIES[policy], rng)
        assert game.turn <= 18
        assert abs(game.lead) <= 15
        if policy == "random":
            assert game.end_reason != "out_of_cards"
        in_play = sum(sum(area.values()) for area in game.played)
        assert in_play == 2 * game.turn
        assert in_play + sum(map(len, game.hands)) + game.deck_left + sum(game.discards_used) == 38


def test_no_turn_changes_the_lead_by_more_than_nine() -> None:
    moves = {card.move(count) for card in standard_cards().values() for count in range(1, card.copies + 1)}
    assert max(moves) - min(moves) == 9
    game = position(lead=6, active_has={"sentinel": 2}, active_hand=["sentinel", "mole"])
    game.offer("mole", "sentinel")
    game.take(face_up=True)
    assert game.lead == 15


def test_without_any_condition_cards_run_out_after_19_turns() -> None:
    cards = {name: Card(card.copies, 0, 0, 0) for name, card in standard_cards().items()}
    rules = OracleRules(cards=cards)
    game = play_game(POLICIES["random"], POLICIES["random"], Random(1), rules)
    assert (game.turn, game.deck_left, game.hands) == (19, 0, [[], []])
    assert (game.winner, game.end_reason, game.tie_rule_used) == (0, "out_of_cards", True)


def test_random_play_without_a_tie_is_a_fair_coin_exactly() -> None:
    """Every order of a small deck and every choice: P(seat 0 wins | the tie rule did not decide) = 1/2."""
    cards = {
        "enforcer": Card(2, 1, 2, 3),
        "codebreaker": Card(2, 0, 0, 0, wins_at=2),
        "daredevil": Card(2, 2, 3, 0, loses_at=2),
        "mole": Card(1, -3, -3, -3),
    }
    rules = OracleRules(hand_size=2, discards=0, ring=8, home_1=4, cards=cards)
    orders = sorted(set(permutations([name for name, card in cards.items() for _ in range(card.copies)])))
    share: defaultdict[tuple[int | None, bool, int], Fraction] = defaultdict(Fraction)

    def play_on(game_of: list[tuple[tuple[str, str], bool]], deck: tuple[str, ...], chance: Fraction) -> None:
        game = OracleGame(deck, rules)
        for offer, face_up in game_of:
            game.offer(*offer)
            game.take(face_up)
        if game.over:
            share[game.winner, game.tie_rule_used, game.active] += chance
            return
        offers = sorted(game.legal_offers())
        for offer, face_up in product(offers, (True, False)):
            play_on([*game_of, (offer, face_up)], deck, chance / len(offers) / 2)

    for deck in orders:
        play_on([], deck, Fraction(1, len(orders)))
    assert sum(share.values()) == 1
    won = [sum(p for (winner, tie, _), p in share.items() if winner == seat and not tie) for seat in (0, 1)]
    assert won[0] == won[1] > 0
    # What the starting seat has beyond 1/2 is half of what ties give to one seat more often than to the other.
    ties = [sum(p for (_, tie, active), p in share.items() if tie and active == seat) for seat in (0, 1)]
    assert won[0] + ties[0] - Fraction(1, 2) == (ties[0] - ties[1]) / Fraction(2)
    assert ties[0] != ties[1]
