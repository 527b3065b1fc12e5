"""The exact facts of the rules page, counted on the engine, and what random play must then show."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb

import pytest

from agentsim.games.agent_avenue import step
from agentsim.games.agent_avenue.engine import END_REASONS
from agentsim.games.agent_avenue.rules import make_rules
from agentsim.stats import anchor_from_counts, anchor_test
from tests.games.agent_avenue.helpers import NAMES, STANDARD, few, lead_of, needs_speed, position, session, turn
from tests.oracle.agent_avenue import STANDARD as ORACLE
from tests.oracle.agent_avenue import OracleGame

COPIES = {card.id: card.copies for card in STANDARD.cards}


def opening_hands() -> list[tuple[str, ...]]:
    """Every hand that can be dealt, as sorted names."""
    return [hand for hand in combinations_with_replacement(NAMES, 4)
            if all(hand.count(name) <= COPIES[name] for name in hand)]


def offers_of(game: step.GameState) -> list[step.Offer]:
    return [action for action in game.legal_actions() if isinstance(action, step.Offer)]


def test_legal_offers_of_each_of_the_259_opening_hands() -> None:
    hands = opening_hands()
    assert len(hands) == 259
    for hand in hands:
        game = position(active_hand=hand, other_hand=[])
        rest = Counter(COPIES) - Counter(hand)
        other = OracleGame([*hand, *rest.elements()], ORACLE)
        assert {(offer.face_up, offer.face_down) for offer in offers_of(game)} == other.legal_offers()
        names = len(set(hand))
        assert len(offers_of(game)) == (names * (names - 1) if names > 1 else 1)
        assert {a.name for a in game.legal_actions() if isinstance(a, step.Discard)} == set(hand)


def test_a_first_turn_ends_the_game_with_probability_8_in_4921() -> None:
    ends, total = Fraction(0), Fraction(0)
    for hand in opening_hands():
        chance = Fraction(math.prod(comb(COPIES[name], hand.count(name)) for name in set(hand)), comb(38, 4))
        total += chance
        game = position(active_hand=hand, other_hand=[])
        offers = offers_of(game)
        for offer, face_up in product(offers, (True, False)):
            after = turn(game, offer.face_up, offer.face_down, face_up)
            if after.is_over:
                assert {offer.face_up, offer.face_down} == {"sidekick", "mole"}
                assert (abs(after.lead), after.end_reason) == (7, "catch")
                ends += chance / len(offers) / 2
    assert total == 1
    assert ends == Fraction(8, 4921)


@needs_speed
@pytest.mark.parametrize("settings", [None, {"cards.sidekick.copies": 0}])
def test_first_turns_under_random_play(settings: dict[str, int] | None) -> None:
    n = 2_000_000
    ended = int(session("random", settings=settings, seed=3).play(0, 0, n, "none").tally["turns"][1])
    p = 8 / 4921 if settings is None else 0.0
    assert abs(ended - n * p) <= 4 * math.sqrt(n * p * (1 - p))


@needs_speed
@pytest.mark.parametrize("name", ["random", "random_discards", "greedy", "minmax"])
def test_bounds_of_length_and_lead(name: str) -> None:
    games = session(name, seed=8).play(0, 0, 300_000, "games").tables["games"]
    assert int(games["n_turns"].max()) <= 18
    assert int(abs(games["lead"]).max()) <= 15
    in_play = sum(games[f"final_{seat}_{agent}"].astype(int) for seat in (0, 1) for agent in NAMES)
    assert (in_play == 2 * games["n_turns"]).all()
    ran_out = games["end_reason"] == END_REASONS.index("out_of_cards")
    if name == "random_discards":
        assert ran_out.any()
        assert (games["discards_0"] + games["discards_1"])[ran_out].min() >= 1
    else:
        assert not ran_out.any()
        assert not games["discards_0"].any()
        assert not games["discards_1"].any()


@needs_speed
def test_the_bounds_of_the_lead_are_reached() -> None:
    leads = session("random_discards", seed=8).play(0, 0, 500_000, "games").tables["games"]["lead"]
    assert (int(leads.min()), int(leads.max())) == (-15, 15)


def test_no_turn_changes_the_lead_by_more_than_nine() -> None:
    moves = {card.first for card in STANDARD.cards} | {
        move for card in STANDARD.cards if card.copies > 1 for move in (card.second, card.third)}
    assert max(moves) - min(moves) == 9
    before = position(lead=6, active_has=["sentinel"] * 2, active_hand=["sentinel", "mole"])
    after = turn(before, "mole", "sentinel", True)
    assert lead_of(after, 0) == 15


def test_at_most_34_agents_without_a_result() -> None:
    """Two sets that are not complete hold two cards each; everything else may lie in play."""
    assert sum(COPIES.values()) - COPIES["codebreaker"] - COPIES["daredevil"] + 4 * 2 == 34


@needs_speed
def test_without_conditions_the_cards_run_out_in_the_19th_turn() -> None:
    numbers = ("first", "second", "third", "wins_at", "loses_at")
    still = {f"cards.{name}.{number}": 0 for name in NAMES for number in numbers}
    games = session("random", settings=still).play(0, 0, 500, "games").tables["games"]
    assert set(games["n_turns"].tolist()) == {19}
    assert set(games["end_reason"].tolist()) == {END_REASONS.index("out_of_cards")}
    assert set(games["winner"].tolist()) == {0}
    assert games["tie_rule"].all()
    # Lower bound of the rules page: with discards a game may be shorter, never longer.
    lengths = session("random_discards", settings=still).play(0, 0, 500, "games").tables["games"]["n_turns"]
    assert 15 <= int(lengths.min()) < int(lengths.max()) <= 19


@needs_speed
@pytest.mark.parametrize("tie_rule", ["active", "passive", "draw"])
@pytest.mark.parametrize("name", ["random", "random_discards"])
def test_random_play_is_a_fair_coin_where_no_tie_rule_decides(name: str, tie_rule: str) -> None:
    """Turning over all coins of a game swaps what the two players have: 1/2 exactly, and the rest is the tie rule's."""
    table = session(name, settings={"rules.tie_rule": tie_rule}, seed=21)
    games = table.play(0, 0, few(300_000), "games").tables["games"]
    result = anchor_test(games["winner"], games["tie_rule"], games["n_turns"], rule=tie_rule)
    assert result.holds(0.001), result
    assert result.n_decided > 0.8 * result.n_games
    assert abs(result.excess - result.expected_excess) < 4 * 0.5 / math.sqrt(result.n_games)


@needs_speed
@pytest.mark.parametrize("settings", [
    {"rules.hand_size": 2}, {"rules.hand_size": 7, "rules.discards": 8}, {"rules.ring": 8, "rules.home_1": 4},
    {"cards.codebreaker.wins_at": 2, "cards.daredevil.loses_at": 2},
    {"cards.mole.copies": 9, "cards.sentinel.third": 1}])
@pytest.mark.parametrize("name", ["random", "random_discards"])
def test_so_it_is_under_house_rules(name: str, settings: dict[str, int]) -> None:
    games = session(name, settings=settings, seed=22).play(0, 0, 100_000, "games").tables["games"]
    assert anchor_test(games["winner"], games["tie_rule"], games["n_turns"]).holds(0.001)


@needs_speed
@pytest.mark.slow
@pytest.mark.parametrize("name", ["random", "random_discards"])
def test_the_anchor_over_twenty_million_games(name: str) -> None:
    tally = session(name, seed=23).play(0, 0, 20_000_000, "none").tally
    tie_0, tie_1 = (int(n) for n in tally["tie"])
    wins_0, draws, wins_1 = (int(n) for n in tally["seat0"])
    assert draws == 0
    result = anchor_from_counts(wins_0=wins_0, wins_1=wins_1, tie_active_0=tie_0, tie_active_1=tie_1, tie_won_0=tie_0,
                                tie_won_1=tie_1)
    assert result.holds(0.001), result


def test_the_anchor_needs_homes_that_are_opposite() -> None:
    """It is about mirror images, so a player who has less far to go wins more often."""
    rules = make_rules({"rules.home_1": 3})
    assert rules.gap_0 < rules.gap_1
    tally = session("random", settings={"rules.home_1": 3}).play(0, 0, few(20_000, 300), "none").tally
    assert tally["seat0"][0] > 1.5 * tally["seat0"][2]
