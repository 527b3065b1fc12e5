"""The baseline policies of the second engine: values worked out by hand, ties, and what a policy may not see."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from tests.oracle.agent_avenue import STANDARD, OracleGame, OracleRules
from tests.oracle.baselines import (
    POLICIES,
    View,
    best_actions,
    greedy_offer_values,
    greedy_take_values,
    greedy_value,
    minmax_offer_values,
    minmax_take_values,
    minmax_value,
    play_game,
    shuffled_deck,
    unseen_cards,
    view_of,
)
from tests.oracle.records import LONGEST
from tests.oracle.speed import games_per_second, main


def areas(mine: dict[str, int], its: dict[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    empty = dict.fromkeys(STANDARD.cards, 0)
    return empty | mine, empty | its


def view(
    hand: str = "enforcer saboteur",
    mine: dict[str, int] | None = None,
    its: dict[str, int] | None = None,
    lead: int = 0,
    active: bool = True,
    face_up: str | None = None,
    rules: OracleRules = STANDARD,
    seat: int = 0,
) -> View:
    """A view described from the viewer's side, whichever seat it sits in."""
    played = areas(mine or {}, its or {})
    return View(
        rules=rules,
        seat=seat,
        active=seat if active else 1 - seat,
        lead=lead if seat == 0 else -lead,
        played=played if seat == 0 else played[::-1],
        hand=tuple(hand.split()),
        face_up=face_up,
    )


@pytest.mark.parametrize("seat", [0, 1])
class TestGreedy:
    def test_value_adds_moves_lead_and_sets(self, seat: int) -> None:
        # Moves +2 (2nd enforcer) and -1, lead 1 + 3; 1 codebreaker against 2, 0 daredevils against 1.
        table = view(seat=seat, mine={"enforcer": 1, "codebreaker": 1}, its={"codebreaker": 2, "daredevil": 1}, lead=1)
        assert greedy_value(table, "enforcer", "saboteur") == 100 * 3 + 10 * 4 + 300 * -1 + 350 * 1

    def test_value_counts_the_cards_just_recruited(self, seat: int) -> None:
        assert greedy_value(view(seat=seat), "codebreaker", "daredevil") == 100 * -2 + 10 * -2 + 300 + 350

    @pytest.mark.parametrize(("active", "tie_rule", "bonus"), [
        (True, "active", 100_000),
        (False, "active", -100_000),
        (True, "passive", -100_000),
        (False, "passive", 100_000),
        (True, "draw", 0),
    ])  # fmt: skip
    def test_ends_are_added_ties_by_the_rules(self, seat: int, active: bool, tie_rule: str, bonus: int) -> None:
        table = view(seat=seat, mine={"codebreaker": 2}, lead=-4, active=active, rules=OracleRules(tie_rule=tie_rule))
        assert greedy_value(table, "codebreaker", "sidekick") == 100 * -4 + 10 * -8 + 300 * 3 + bonus

    def test_offer_is_worth_its_worse_outcome(self, seat: int) -> None:
        values = greedy_offer_values(view("enforcer saboteur sentinel saboteur", seat=seat))
        assert values == {
            ("enforcer", "saboteur"): -220,
            ("saboteur", "enforcer"): -220,
            ("enforcer", "sentinel"): -110,
            ("sentinel", "enforcer"): -110,
            ("saboteur", "sentinel"): -110,
            ("sentinel", "saboteur"): -110,
        }
        assert len(best_actions(values)) == 4
        assert greedy_offer_values(view("mole mole", seat=seat)) == {("mole", "mole"): 0}

    def test_take_is_an_expectation_over_unseen_cards(self, seat: int) -> None:
        # Unseen are 2 saboteurs (1 of 6 face up, 3 in hand) and 1 enforcer; all else lies on the table.
        table = view(
            "saboteur saboteur saboteur",
            mine={"enforcer": 2, "double_agent": 3, "codebreaker": 0, "sentinel": 3},
            its={"enforcer": 3, "double_agent": 3, "sentinel": 3, "sidekick": 1, "mole": 1},
            active=False,
            face_up="saboteur",
            rules=replace(STANDARD, cards={
                name: replace(card, copies=0) if name in ("codebreaker", "daredevil") else card
                for name, card in STANDARD.cards.items()
            }),
            seat=seat,
        )  # fmt: skip
        assert Counter(unseen_cards(table)) == Counter({"enforcer": 1, "saboteur": 2})
        # Saboteur against saboteur is 0; mine -1 against its 4th enforcer +3; my 3rd enforcer +3 against its -1.
        assert greedy_take_values(table) == {True: Fraction(-440, 3), False: Fraction(440, 3)}


@pytest.mark.parametrize("seat", [0, 1])
class TestMinmax:
    def test_value(self, seat: int) -> None:
        table = view(seat=seat, mine={"sentinel": 1, "codebreaker": 2}, its={"daredevil": 1, "sentinel": 1}, lead=-1)
        # My 2nd sentinel +2, its 2nd daredevil +3: lead -2.
        assert minmax_value(table, "sentinel", "daredevil") == Fraction(-4) + 3 + Fraction(12, 10) + 1
        # Its 2nd sentinel +2, my 1st daredevil +2: lead -1.
        assert minmax_value(table, "daredevil", "sentinel") == Fraction(-2) + 3 - 0 - 1

    @pytest.mark.parametrize("tie_rule", ["active", "passive", "draw"])
    @pytest.mark.parametrize(("active", "value"), [(True, 100), (False, -100)])
    def test_a_double_condition_counts_for_the_active_viewer(
        self, seat: int, active: bool, value: int, tie_rule: str
    ) -> None:
        rules = OracleRules(tie_rule=tie_rule)
        table = view(seat=seat, mine={"codebreaker": 2}, lead=-4, active=active, rules=rules)
        assert minmax_value(table, "codebreaker", "sidekick") == value

    @pytest.mark.parametrize("active", [True, False])
    def test_single_ends(self, seat: int, active: bool) -> None:
        table = view(seat=seat, mine={"codebreaker": 2, "daredevil": 2}, active=active)
        assert minmax_value(table, "codebreaker", "enforcer") == 100
        assert minmax_value(table, "daredevil", "enforcer") == -100
        assert minmax_value(replace(table, lead=4 * (1, -1)[seat]), "sidekick", "enforcer") == 100

    def test_offer_weighs_worse_and_mean(self, seat: int) -> None:
        values = minmax_offer_values(view("enforcer codebreaker", seat=seat))
        # I get the codebreaker: 2 * -1 + 1.5 = -0.5; I get the enforcer: 2 - 1.5 = 0.5; mean 0.
        expected = Fraction(7, 10) * Fraction(-1, 2)
        assert values == {("enforcer", "codebreaker"): expected, ("codebreaker", "enforcer"): expected}

    def test_take_leaves_out_the_face_up_name(self, seat: int) -> None:
        empty_box = {name: replace(card, copies=0) for name, card in STANDARD.cards.items()}
        cards = empty_box | {name: STANDARD.cards[name] for name in ("enforcer", "saboteur", "sentinel")}
        cards["sentinel"] = replace(cards["sentinel"], copies=2)
        rules = OracleRules(cards=cards)
        table = view("saboteur saboteur saboteur", active=False, face_up="enforcer", rules=rules, seat=seat)
        # Unseen: 5 enforcers (left out), 3 saboteurs, 2 sentinels.
        assert minmax_take_values(table) == {
            True: Fraction(3 * 4 + 2 * 2, 5),
            False: Fraction(3 * -4 + 2 * -2, 5),
        }

    def test_take_without_another_unseen_name_takes_the_face_up_card(self, seat: int) -> None:
        empty_box = {name: replace(card, copies=0) for name, card in STANDARD.cards.items()}
        rules = OracleRules(cards=empty_box | {"saboteur": replace(STANDARD.cards["saboteur"], copies=9)})
        table = view("saboteur saboteur", active=False, face_up="saboteur", rules=rules, seat=seat)
        assert best_actions(minmax_take_values(table)) == [True]
        assert greedy_take_values(table) == {True: 0, False: 0}


def positions(seed: int) -> list[OracleGame]:
    """Games stopped at every decision of one random game."""
    rng = Random(seed)
    game = OracleGame(shuffled_deck(rng))
    stopped = []
    while not game.over:
        stopped.append(deepcopy(game))
        game.offer(*rng.choice(sorted(game.legal_offers())))
        stopped.append(deepcopy(game))
        game.take(rng.random() < 0.5)
    return stopped


def test_running_out_of_cards_is_not_looked_at() -> None:
    game = OracleGame(LONGEST.cards())
    before = greedy_offer_values(view_of(game)), minmax_offer_values(view_of(game))
    game.deck, game.hands[1] = [], ["mole"]
    assert (greedy_offer_values(view_of(game)), minmax_offer_values(view_of(game))) == before
    game.offer("saboteur", "daredevil")
    game.take(face_up=True)
    assert game.end_reason == "out_of_cards"


@pytest.mark.parametrize("policy", ["random", "greedy", "minmax"])
def test_hidden_cards_do_not_matter(policy: str) -> None:
    """Exchange the other hand, the deck and the face-down card among each other: the same answer with the same dice."""
    player = POLICIES[policy]
    changed = 0
    for seed in range(20):
        for game in positions(seed):
            at_take = game.offered is not None
            viewer = 1 - game.active if at_take else game.active
            decide = player.take if at_take else player.discard_or_offer
            before = decide(game, Random(seed))
            hidden = game.hands[1 - viewer] + game.deck + ([game.offered[1]] if game.offered else [])
            mixed = hidden[:]
            Random(seed).shuffle(mixed)
            changed += mixed != hidden
            if game.offered is not None:
                game.offered = (game.offered[0], mixed.pop())
            held = len(game.hands[1 - viewer])
            game.hands[1 - viewer], game.deck = sorted(mixed[:held]), mixed[held:]
            assert decide(game, Random(seed)) == before
    assert changed > 100


def test_random_chooses_names_not_cards() -> None:
    game = OracleGame(LONGEST.cards())
    game.hands[0] = ["enforcer", "saboteur", "saboteur", "saboteur", "sentinel"]
    rng = Random(1)
    offers = Counter(POLICIES["random"].discard_or_offer(game, rng) for _ in range(6000))
    assert len(offers) == 6
    # Each of 6 has 1000 expected; 5 standard errors of a binomial.
    assert all(abs(n - 1000) < 5 * (6000 * 1 / 6 * 5 / 6) ** 0.5 for n in offers.values())
    actions = Counter(POLICIES["random_discards"].discard_or_offer(game, rng) for _ in range(9000))
    assert set(actions) == set(offers) | {"enforcer", "saboteur", "sentinel"}
    assert all(abs(n - 1000) < 5 * (9000 * 1 / 9 * 8 / 9) ** 0.5 for n in actions.values())
    game.discards_used[0] = 4
    assert {POLICIES["random_discards"].discard_or_offer(game, rng) for _ in range(500)} == set(offers)


def test_baselines_play_best_actions_and_stronger_ones_win() -> None:
    for seed in range(10):
        for game in positions(seed):
            table = view_of(game)
            for name, offer_values, take_values in (
                ("greedy", greedy_offer_values, greedy_take_values),
                ("minmax", minmax_offer_values, minmax_take_values),
            ):
                if game.offered is None:
                    values = offer_values(table)
                    offer = POLICIES[name].discard_or_offer(game, Random(seed))
                    assert isinstance(offer, tuple)
                    assert values[offer] >= max(values.values()) - (Fraction(1, 100) if name == "minmax" else 0)
                else:
                    assert POLICIES[name].take(game, Random(seed)) in best_actions(take_values(table))
    rng = Random(5)
    wins = 0
    for game_number in range(400):
        seat = game_number % 2
        players = [POLICIES["random"], POLICIES["random"]]
        players[seat] = POLICIES["greedy"]
        wins += play_game(players[0], players[1], rng).winner == seat
    # About 86 % are known; 5 standard errors of 400 games.
    assert abs(wins / 400 - 0.857) < 5 * (0.857 * 0.143 / 400) ** 0.5


def test_speed_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert games_per_second("random", 50) > games_per_second("minmax", 5) > 0
    with pytest.raises(ValueError, match="unknown policy 'expert'"):
        games_per_second("expert", 1)
    with pytest.raises(ValueError, match="at least 1"):
        games_per_second("random", 0)
    main(["--games", "5", "--repetitions", "2"])
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed[:3]] == ["policy", "random", "greedy"]
    for bad in (["--policies", "expert"], ["--repetitions", "0"], ["--games", "0"]):
        with pytest.raises(SystemExit, match="2"):
            main(bad)
