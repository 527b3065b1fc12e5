"""The second engine over whole games: what is illegal, running out of cards, and playing a record again."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from tests.oracle.agent_avenue import (
    STANDARD,
    TIE_RULES,
    Card,
    OracleGame,
    OracleIllegal,
    OracleRules,
    final_values,
    replay,
)
from tests.oracle.baselines import offers_of, shuffled_deck
from tests.oracle.records import LONGEST, OUT_OF_CARDS

NAMES = tuple(STANDARD.cards)

TURN_COLUMNS = {
    "turn",
    "active",
    "n_discards",
    "face_up",
    "face_down",
    "took_face_up",
    "recruited_active",
    "recruited_other",
    "move_active",
    "move_other",
    "lead_after",
    "active_won",
}


# ---- dealing, drawing, illegal actions ---------------------------------------------------------------------------


def test_the_deck_decides_who_draws_what() -> None:
    deck = LONGEST.cards()
    game = OracleGame(deck)
    assert game.hands == [sorted(deck[:4]), sorted(deck[4:8])]
    assert game.deck_left == 30
    game.discard(deck[0])
    assert game.hands[0] == sorted(deck[1:4] + deck[8:9])
    game.offer(deck[1], deck[2])
    assert game.hands[0] == sorted([deck[3], *deck[8:11]])
    assert game.hands[1] == sorted(deck[4:8])
    game.take(face_up=True)
    assert (game.active, game.turn, game.discards_used, game.deck_left) == (1, 1, [1, 0], 27)


def test_a_big_hand_draws_nothing_but_a_discard_draws_one() -> None:
    game = OracleGame(LONGEST.cards())
    game.hands[0] = ["codebreaker", "codebreaker", "double_agent", "enforcer", "mole", "saboteur", "sentinel"]
    game.discard("mole")
    assert (len(game.hands[0]), game.deck_left) == (7, 29)
    game.offer("codebreaker", "sentinel")
    assert (len(game.hands[0]), game.deck_left) == (5, 29)


def test_offers_of_one_name_only_when_there_is_no_other() -> None:
    game = OracleGame(LONGEST.cards())
    game.hands[0] = ["saboteur", "saboteur", "saboteur", "sentinel"]
    assert game.legal_offers() == {("saboteur", "sentinel"), ("sentinel", "saboteur")}
    with pytest.raises(OracleIllegal, match="saboteur over saboteur"):
        game.offer("saboteur", "saboteur")
    game.hands[0] = ["saboteur", "saboteur", "saboteur"]
    assert game.legal_offers() == {("saboteur", "saboteur")}
    game.offer("saboteur", "saboteur")
    assert game.take(face_up=False) == ("saboteur", "saboteur", -1, -1)


def test_the_last_discard_and_the_last_card() -> None:
    game = OracleGame(LONGEST.cards())
    for _ in range(4):
        game.discard(game.hands[0][0])
    assert game.legal_discards() == set()
    with pytest.raises(OracleIllegal, match="cannot discard"):
        game.discard(game.hands[0][0])
    empty = OracleGame(LONGEST.cards())
    empty.deck = []
    with pytest.raises(OracleIllegal, match="cannot discard"):
        empty.discard(empty.hands[0][0])


def test_actions_out_of_order_are_illegal() -> None:
    game = OracleGame(LONGEST.cards())
    with pytest.raises(OracleIllegal, match="no offer to take"):
        game.take(face_up=True)
    with pytest.raises(OracleIllegal, match=r"cannot offer mole over saboteur; legal: \[\('codebreaker'"):
        game.offer("mole", "saboteur")
    with pytest.raises(OracleIllegal, match="cannot discard mole"):
        game.discard("mole")
    game.offer("saboteur", "double_agent")
    assert game.legal_offers() == set()
    assert game.legal_discards() == set()
    with pytest.raises(OracleIllegal):
        game.offer("daredevil", "codebreaker")
    with pytest.raises(OracleIllegal):
        game.discard("codebreaker")
    game.lead = 7
    game.take(face_up=True)
    assert game.over
    assert game.legal_offers() == set()
    assert game.legal_discards() == set()
    with pytest.raises(OracleIllegal):
        game.take(face_up=True)
    with pytest.raises(OracleIllegal):
        game.offer(game.hands[0][0], game.hands[0][1])


@pytest.mark.parametrize("change", [["mole"], ["joker"], []])
def test_a_deck_of_other_cards_is_refused(change: list[str]) -> None:
    with pytest.raises(ValueError, match="exactly the cards"):
        OracleGame(LONGEST.cards()[:-1] + change)


# ---- running out of cards ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@pytest.mark.parametrize("ahead", [0, 1, None])
def test_running_out_under_the_published_cards(ahead: int | None, tie_rule: str) -> None:
    record = OUT_OF_CARDS[ahead]
    rows, final = replay(record.cards(), record.choices(), OracleRules(tie_rule=tie_rule))
    assert len(rows) == 15
    assert rows[-1]["active"] == 0
    assert final["end_reason"] == "out_of_cards"
    assert (final["discards_0"], final["discards_1"]) == (4, 4)
    assert (final["lead"] > 0) is (ahead == 0)
    assert (final["lead"] < 0) is (ahead == 1)
    assert final["tie_rule"] is (ahead is None)
    level = {"active": 0, "passive": 1, "draw": None}[tie_rule]
    assert final["winner"] == (level if ahead is None else ahead)


@pytest.mark.parametrize("cards_in_all", [6, 7, 8, 9])
@pytest.mark.parametrize(("ring", "home_1"), [(14, 7), (14, 6), (15, 7)])
def test_running_out_in_a_small_deck(cards_in_all: int, ring: int, home_1: int) -> None:
    """Who has fewer spaces to go wins, level goes by the tie rule; either seat can be the last to play."""
    cards = {"enforcer": Card(4, 1, 0, 1), "codebreaker": Card(cards_in_all - 4, 0, 0, 0)}
    last_active = {6: 0, 7: 0, 8: 1, 9: 1}[cards_in_all]
    seen = set()
    for tie_rule, seed in product(TIE_RULES, range(60)):
        rules = OracleRules(hand_size=2, ring=ring, home_1=home_1, discards=0, tie_rule=tie_rule, cards=cards)
        rng = Random(seed)
        game = OracleGame(shuffled_deck(rng, rules), rules)
        while not game.over:
            active = game.active
            game.offer(*rng.choice(offers_of(game.hands[active])))
            game.take(rng.random() < 0.5)
        assert (game.end_reason, active, game.deck_left) == ("out_of_cards", last_active, 0)
        assert len(game.hands[1 - active]) == cards_in_all % 2
        to_go = (home_1 - game.lead, ring - home_1 + game.lead)
        level = {"active": active, "passive": 1 - active, "draw": None}[tie_rule]
        expected = level if to_go[0] == to_go[1] else to_go.index(min(to_go))
        assert (game.winner, game.tie_rule_used) == (expected, to_go[0] == to_go[1])
        seen.add((tie_rule, (to_go[0] > to_go[1]) - (to_go[0] < to_go[1])))
    outcomes = {outcome for _, outcome in seen}
    assert len(outcomes) >= 2
    # On a ring of 15 nobody can be level, on one of 14 with homes opposite each other everything happens.
    assert (0 in outcomes) is (ring == 14)
    assert len(outcomes) == 3 or (ring, home_1) != (14, 7)


# ---- playing a record again --------------------------------------------------------------------------------------


def played_and_recorded(seed: int, rules: OracleRules) -> tuple[list[str], list[dict[str, Any]], OracleGame]:
    """A game of random choices, with plenty of discards."""
    rng = Random(seed)
    deck = shuffled_deck(rng, rules)
    game = OracleGame(deck, rules)
    choices: list[dict[str, Any]] = []
    while not game.over:
        discards = []
        while (legal := sorted(game.legal_discards())) and rng.random() < 0.4:
            discards.append(rng.choice(legal))
            game.discard(discards[-1])
        up, down = rng.choice(offers_of(game.hands[game.active]))
        game.offer(up, down)
        took = rng.random() < 0.5
        game.take(took)
        choices.append({"discards": discards, "face_up": up, "face_down": down, "took_face_up": took})
    return deck, choices, game


@pytest.mark.parametrize("rules", [STANDARD, OracleRules(hand_size=6, discards=7, ring=9, home_1=3, tie_rule="draw")])
def test_replay_gives_the_log_of_the_game(rules: OracleRules) -> None:
    results = set()
    for seed in range(200):
        deck, choices, game = played_and_recorded(seed, rules)
        rows, final = replay(deck, choices, rules, full=True)
        assert final == final_values(game)
        results.add((final["winner"], final["end_reason"], final["tie_rule"]))
        lead = 0
        in_play = [dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0)]
        for number, (row, choice) in enumerate(zip(rows, choices, strict=True)):
            active = number % 2
            assert (row["turn"], row["active"]) == (number, active)
            taken, kept = ("face_up", "face_down") if row["took_face_up"] else ("face_down", "face_up")
            assert (row["recruited_other"], row["recruited_active"]) == (row[taken], row[kept])
            for seat, who in ((active, "active"), (1 - active, "other")):
                name = row[f"recruited_{who}"]
                in_play[seat][name] += 1
                assert row[f"move_{who}"] == rules.cards[name].move(in_play[seat][name])
            gain = row["move_active"] - row["move_other"]
            lead += gain if active == 0 else -gain
            assert row["lead_after"] == lead
            assert row["active_won"] is (None if game.winner is None else game.winner == active)
            assert row["n_discards"] == len(choice["discards"])
            discards = [row[f"discard_{k}"] for k in range(max(4, rules.discards))]
            assert discards == choice["discards"] + [None] * (len(discards) - len(choice["discards"]))
            hand = {name: row[f"hand_{name}"] for name in NAMES}
            assert hand[row["face_up"]] > 0
            assert hand[row["face_down"]] > 0
            assert 2 <= sum(hand.values()) <= rules.hand_size
        assert final["lead"] == lead
        assert [final[f"final_1_{name}"] for name in NAMES] == list(in_play[1].values())
        assert sum(row["n_discards"] for row in rows[1::2]) == final["discards_1"]
    assert {"catch", "codebreakers", "daredevils"} <= {reason for _, reason, _ in results}
    assert ((None, "catch", True) in results) is (rules.tie_rule == "draw")


def test_replay_has_exactly_the_columns_of_the_log() -> None:
    rows, final = replay(LONGEST.cards(), LONGEST.choices())
    assert all(set(row) == TURN_COLUMNS for row in rows)
    full_rows, _ = replay(LONGEST.cards(), LONGEST.choices(), full=True)
    hands = {f"hand_{name}" for name in NAMES}
    assert set(full_rows[0]) == TURN_COLUMNS | hands | {f"discard_{k}" for k in range(4)}
    finals = {f"final_{seat}_{name}" for seat in (0, 1) for name in NAMES}
    games = {"winner", "end_reason", "tie_rule", "n_turns", "lead", "discards_0", "discards_1"}
    assert set(final) == games | finals


def test_replay_refuses_a_record_that_cannot_be() -> None:
    choices = LONGEST.choices()
    with pytest.raises(OracleIllegal, match="not over"):
        replay(LONGEST.cards(), choices[:-1])
    with pytest.raises(OracleIllegal, match="cannot offer"):
        replay(LONGEST.cards(), [*choices, choices[-1]])
    with pytest.raises(OracleIllegal, match="cannot offer"):
        replay(LONGEST.cards(), choices[1:])
    with pytest.raises(OracleIllegal, match="cannot discard"):
        replay(LONGEST.cards(), [choices[0] | {"discards": ["mole"]}, *choices[1:]])
