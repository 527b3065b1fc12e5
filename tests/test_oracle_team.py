"""The second engine's team variant against the rules page: three and four players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb
from random import Random
from typing import Any

import pytest

from tests.oracle.agent_avenue import STANDARD, Card, Ending, OracleIllegal
from tests.oracle.market import publisher_cards
from tests.oracle.mode_logs import (
    answer,
    final_columns,
    market_columns,
    play_on,
    random_chooser,
    shuffled,
    turn_columns,
)
from tests.oracle.mode_positions import position, turn
from tests.oracle.modes import ModeGame, ModeRules

FOUR = ModeRules(players=4)
LONE_0, LONE_1 = ModeRules(players=3, lone=0), ModeRules(players=3, lone=1)
FOUR_ADVANCED = ModeRules(players=4, market_cards=publisher_cards())
SIDES = pytest.mark.parametrize("active", [0, 1])
PLAYERS = pytest.mark.parametrize("up", [0, 1])
HANDS = [["codebreaker", "enforcer", "mole", "sentinel"], ["codebreaker", "saboteur", "sentinel", "sentinel"]]


def hands_by_role(game: ModeGame, up: int) -> tuple[list[str], list[str]]:
    """The active side's hands: face-up player, partner."""
    players = game.active_side.players
    return players[up].hand, players[1 - up].hand


def in_order(first: list[str], second: list[str], up: int) -> list[list[str]]:
    """Two hands by role as two hands by player."""
    return [first, second] if up == 0 else [second, first]


# ---- setting up -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "sizes"), [(FOUR, [2, 2]), (LONE_0, [1, 2]), (LONE_1, [2, 1]), (ModeRules(), [1, 1])]
)
def test_hands_are_dealt_player_by_player(rules: ModeRules, sizes: list[int]) -> None:
    deck, _ = shuffled(rules, Random(3))
    game = ModeGame(deck, rules)
    players = [player for side in game.sides for player in side.players]
    assert [len(side.players) for side in game.sides] == sizes
    assert [player.hand for player in players] == [deck[4 * k : 4 * k + 4] for k in range(sum(sizes))]
    assert game.deck == deck[4 * sum(sizes) :]


def test_discard_accounts() -> None:
    for rules, accounts in ((FOUR, [2, 2, 2, 2]), (LONE_0, [4, 2, 2]), (LONE_1, [2, 2, 4]), (ModeRules(), [4, 4])):
        game = ModeGame(shuffled(rules, Random(0))[0], rules)
        assert [game.discards_each(side) for side in game.sides for _ in side.players] == accounts


@SIDES
@PLAYERS
def test_each_player_discards_from_its_own_account(active: int, up: int) -> None:
    game = position(FOUR, active=active, hand=HANDS, supply=[])
    game.choose(up)
    for _ in range(2):
        assert (game.question.kind, game.question.player) == ("discard", up)
        game.choose(game.question.options[1])
    assert game.question.kind == "face_up"
    game.choose(game.question.options[0])
    for _ in range(2):
        assert (game.question.kind, game.question.player) == ("discard", 1 - up)
        game.choose(game.question.options[1])
    assert game.question.kind == "face_down"
    game.choose(game.question.options[0])
    game.choose(True)
    assert [len(player.discarded) for player in game.sides[active].players] == [2, 2]
    row = game.turn_rows[0]
    assert row["n_discards"] == 4
    assert (row["player_up"], row["player_down"]) == (up, 1 - up)
    # The other side's turn, then this side's: nobody is asked to discard any more.
    answer(game, "enforcer", "codebreaker", True)
    assert game.active == active
    game.choose(0)
    assert game.question.kind == "face_up"
    game.choose(game.question.options[0])
    assert game.question.kind == "face_down"
    game.check_conserved()


# ---- Play -----------------------------------------------------------------------------------------------------------


@SIDES
@PLAYERS
def test_the_partner_sees_the_face_up_card_and_plays_another_name(active: int, up: int) -> None:
    game = position(FOUR, active=active, hand=in_order(["enforcer", "mole"], ["enforcer", "enforcer", "mole"], up))
    answer(game, "enforcer", player_up=up)
    assert (game.question.kind, game.question.player, game.question.options) == ("face_down", 1 - up, ("mole",))
    with pytest.raises(OracleIllegal):
        game.choose("enforcer")


@SIDES
@PLAYERS
def test_equal_names_only_when_forced(active: int, up: int) -> None:
    game = position(FOUR, active=active, hand=in_order(["enforcer", "mole"], ["enforcer", "enforcer"], up))
    answer(game, "enforcer", player_up=up)
    assert game.question.options == ("enforcer",)
    # The face-up player's own hand does not matter.
    answer(game, "enforcer", True)
    assert game.turn_rows[0]["face_up"] == game.turn_rows[0]["face_down"] == "enforcer"


@SIDES
def test_a_lone_player_plays_both_cards(active: int) -> None:
    game = position(ModeRules(players=3, lone=active), active=active, hand=["enforcer", "enforcer", "mole", "mole"])
    answer(game, "mole")
    assert (game.question.kind, game.question.player, game.question.options) == ("face_down", 0, ("enforcer",))
    answer(game, "enforcer", True)
    assert (game.turn_rows[0]["player_up"], game.turn_rows[0]["player_down"]) == (0, 0)
    assert len(game.sides[active].players[0].hand) == 4


# ---- drawing up, T1 -------------------------------------------------------------------------------------------------


@SIDES
@PLAYERS
@pytest.mark.parametrize(
    ("hand_up", "hand_down", "deck", "after"),
    [
        (4, 4, 1, (4, 3)),  # the last card goes to the face-up player
        (5, 4, 1, (4, 4)),  # who does not need it: to the partner
        (5, 5, 1, (4, 4)),  # nobody needs it: it stays
        (4, 4, 2, (4, 4)),
        (3, 4, 2, (4, 3)),
        (3, 3, 3, (4, 3)),
        (4, 4, 0, (3, 3)),
    ],
)
def test_drawing_up_starts_with_the_face_up_player(
    active: int, up: int, hand_up: int, hand_down: int, deck: int, after: tuple[int, int]
) -> None:
    hands = in_order(["enforcer"] * hand_up, ["codebreaker"] * hand_down, up)
    game = position(FOUR, active=active, hand=hands, deck=["mole", "sidekick", "sentinel"][:deck])
    answer(game, "enforcer", "codebreaker", player_up=up)
    assert tuple(len(hand) for hand in hands_by_role(game, up)) == after


@SIDES
@pytest.mark.parametrize("rules", [FOUR, LONE_0, LONE_1, ModeRules()])
def test_nobody_discards_for_the_last_card(active: int, rules: ModeRules) -> None:
    for deck, allowed in ((["mole"], not rules.teams), (["mole", "sidekick"], True), ([], False)):
        game = position(rules, active=active, deck=deck, supply=[])
        if game.active_side.is_team:
            game.choose(0)
        assert (game.question.kind == "discard") is allowed


@SIDES
@PLAYERS
def test_two_cards_may_both_be_discarded_for(active: int, up: int) -> None:
    game = position(FOUR, active=active, hand=HANDS, deck=["mole", "sidekick"], supply=[])
    game.choose(up)
    for kind, option in (
        ("discard", HANDS[up][1]),
        ("discard", None),
        ("face_up", "codebreaker"),
        ("discard", "sentinel"),
    ):
        assert game.question.kind == kind
        if kind == "discard" and option is None:
            # One card is left: the rule looks at the start of Play only.
            assert len(game.deck) == 1
        game.choose(option)
    assert game.deck == []
    assert game.question.kind == "face_down"


# ---- the Black Market -----------------------------------------------------------------------------------------------


@SIDES
@pytest.mark.parametrize("member", [0, 1])
def test_a_hand_effect_uses_the_chosen_members_hand(active: int, member: int) -> None:
    hands = [["saboteur", "sentinel", "mole", "mole"], ["codebreaker", "enforcer", "mole", "mole"]]
    game = position(FOUR_ADVANCED, active=active, steps=(3, 0), hand=hands, supply=["outpost"], pile=["watchtower"])
    turn(game, "saboteur", "codebreaker", "codebreaker", "outpost")
    assert (game.question.kind, game.question.side, game.question.options) == ("member", active, (0, 1))
    # The team decides both things before the supply is refilled.
    assert game.supply == ["outpost"]
    game.choose(member)
    row = market_columns(game)[0]
    assert (row["seat"], row["member"]) == (active, member)
    assert row["recruited"] == ("sentinel" if member == 0 else None)
    assert [len(player.hand) for player in game.sides[active].players] == [4, 4]
    assert len(game.deck) == 8 - 2 - (1 if member == 0 else 0)


@SIDES
@pytest.mark.parametrize("member", [0, 1])
def test_mind_control_and_spycation_fill_the_members_hand(active: int, member: int) -> None:
    hands = [["saboteur", "sentinel", "mole", "mole"], ["codebreaker", "enforcer", "mole", "mole"]]
    script: list[Any]
    for card, script, agent in (
        ("mind_control", ["sidekick"], "sidekick"),
        ("spycation", ["sentinel", False], "sentinel"),
    ):
        game = position(
            FOUR_ADVANCED, active=active, steps=(3, 0), hand=hands, supply=[card],
            has=({"sentinel": 1}, {"sidekick": 1}),
        )  # fmt: skip
        turn(game, "saboteur", "codebreaker", "codebreaker", card, member, *script)
        players = game.sides[active].players
        assert agent in players[member].hand
        assert [len(player.hand) for player in players] == [4 + (k == member) for k in range(2)]


@SIDES
def test_a_lone_player_gains_everything_itself(active: int) -> None:
    rules = ModeRules(players=3, lone=active, market_cards=publisher_cards())
    game = position(rules, active=active, steps=(3, 0), supply=["watchtower"])
    turn(game, "codebreaker", "saboteur", "codebreaker", "watchtower")
    assert market_columns(game)[0]["member"] == 0


@SIDES
def test_the_other_team_decides_together(active: int) -> None:
    game = position(FOUR, active=active)
    answer(game, "enforcer", "codebreaker")
    assert (game.question.kind, game.question.side, game.question.player) == ("take", 1 - active, None)


# ---- T2 -------------------------------------------------------------------------------------------------------------


@SIDES
@pytest.mark.parametrize("lead", [-2, 0, 2])
@pytest.mark.parametrize(
    ("lone", "other_hand", "over"),
    [
        (False, [["mole"], ["mole"]], False),
        (False, [[], ["mole", "mole"]], True),
        (False, [["mole", "mole"], []], True),
        (True, ["mole", "mole"], False),
        (True, ["mole"], True),
        (True, [], True),
    ],
)
def test_out_of_cards(active: int, lead: int, lone: bool, other_hand: Any, over: bool) -> None:
    rules = ModeRules(players=3, lone=1 - active) if lone else FOUR
    hand = [["sentinel"] * 5, ["codebreaker"] * 5]
    game = position(rules, active=active, steps=(lead, 0), hand=hand, other_hand=other_hand, deck=[])
    answer(game, "sentinel", "codebreaker", True)
    if over:
        winner = 1 - active if lead < 0 else active
        assert game.ending == Ending(winner, "out_of_cards", lead == 0)
    else:
        assert game.ending is None


@SIDES
def test_with_cards_in_the_deck_nobody_runs_out(active: int) -> None:
    rules = ModeRules(players=3, lone=1 - active)
    hand = [["sentinel"] * 5, ["codebreaker"] * 5]
    game = position(rules, active=active, hand=hand, other_hand=["mole"], deck=["mole"])
    answer(game, "sentinel", "codebreaker", True)
    assert game.ending is None


def last_turn_without_discards(rules: ModeRules, seed: int) -> int:
    """The turn (from 1) after which cards run out when nobody ever wins."""
    cards = {name: Card(card.copies, 0, 0, 0) for name, card in STANDARD.cards.items()}
    endless = ModeRules(players=rules.players, lone=rules.lone, cards=cards)
    game = play_on(ModeGame(shuffled(endless, Random(seed))[0], endless), random_chooser(Random(seed)))
    assert game.ending is not None
    assert game.ending.end_reason == "out_of_cards"
    return game.turn


@pytest.mark.parametrize(("rules", "turns"), [(FOUR, 19), (LONE_0, 18), (LONE_1, 17), (ModeRules(), 19)])
def test_when_cards_run_out(rules: ModeRules, turns: int) -> None:
    # 18 turns always bring a set, so of these only the lone side that goes second can run out.
    assert {last_turn_without_discards(rules, seed) for seed in range(20)} == {turns}


# ---- exact facts ----------------------------------------------------------------------------------------------------


def hands_with(name: str) -> Iterator[list[str]]:
    """Every hand that holds this single card and three of the six common names."""
    common = [other for other, card in STANDARD.cards.items() if card.copies > 1]
    for rest in combinations_with_replacement(common, 3):
        yield [name, *rest]


def ways(hands: list[list[str]]) -> int:
    """How many ways to draw hands of these cards, one hand after the other, from the box."""
    left = {name: card.copies for name, card in STANDARD.cards.items()}
    product_of = 1
    for hand in hands:
        for name in set(hand):
            product_of *= comb(left[name], hand.count(name))
            left[name] -= hand.count(name)
    return product_of


def test_the_game_ends_in_turn_one_with_90_in_48433() -> None:
    """Sidekick from one hand against mole from the partner's: the chance that ``random`` offers this pair."""
    number_of: Counter[tuple[int, int]] = Counter()
    example = {}
    for first, second in product(hands_with("sidekick"), hands_with("mole")):
        # Only how many names each hand has matters for what its player may choose.
        names = (len(set(first)), len(set(second)))
        number_of[names] += ways([first, second])
        example[names] = (first, second)
    chance = Fraction(0)
    for names, hands in example.items():
        of_these = Fraction(0)
        for up, card, partners in ((0, "sidekick", "mole"), (1, "mole", "sidekick")):
            game = position(FOUR, hand=hands, supply=[])
            offered = Fraction(1)
            for option in (up, None, card, None, partners):
                if game.question.kind != "discard":
                    offered /= len(game.question.options)
                game.choose(option)
            of_these += offered
        chance += of_these * number_of[names]
    # The players are alike: player 1 may hold the sidekick as well.
    chance *= Fraction(2, comb(38, 4) * comb(34, 4))
    assert chance == Fraction(90, 48433)


@pytest.mark.parametrize("names", [("sidekick", "mole"), ("mole", "sidekick")])
@pytest.mark.parametrize("face_up", [True, False])
def test_sidekick_against_mole_ends_the_game_in_turn_one(names: tuple[str, str], face_up: bool) -> None:
    game = position(FOUR, hand=[[names[0], "enforcer"], [names[1], "enforcer"]], supply=[])
    answer(game, *names, face_up)
    assert game.ending is not None
    assert (game.ending.end_reason, abs(game.lead)) == ("catch", 7)


def test_nothing_else_ends_a_game_in_turn_one() -> None:
    moves = {name: card.first for name, card in STANDARD.cards.items()}
    far = {frozenset(pair) for pair in product(moves, repeat=2) if moves[pair[0]] - moves[pair[1]] >= 7}
    assert far == {frozenset({"sidekick", "mole"})}


@pytest.mark.parametrize("rules", [FOUR, LONE_0, LONE_1])
@pytest.mark.parametrize("discard_chance", [0.0, 0.3])
def test_bounds_of_base_mode(rules: ModeRules, discard_chance: float) -> None:
    for seed in range(250):
        rng = Random(seed)
        game = play_on(ModeGame(shuffled(rules, rng)[0], rules), random_chooser(rng, discard_chance))
        assert game.turn <= 18
        assert abs(game.lead) <= 15
        if discard_chance == 0 and rules is not LONE_1:
            assert game.ending is not None
            assert game.ending.end_reason != "out_of_cards"
        game.check_conserved()


# ---- logs -----------------------------------------------------------------------------------------------------------


def test_log_columns_of_teams() -> None:
    for rules, lone in ((FOUR, None), (LONE_0, 0), (LONE_1, 1)):
        rng = Random(5)
        game = play_on(ModeGame(shuffled(rules, rng)[0], rules), random_chooser(rng, 0.5))
        final = final_columns(game)
        assert final["lone_seat"] == lone
        assert final["discards_0"] == sum(row["n_discards"] for row in game.turn_rows if row["active"] == 0)
        for row in turn_columns(game, full=True):
            gone = [row[f"discard_{k}_{role}"] for role in ("up", "down") for k in range(4)]
            assert len([name for name in gone if name is not None]) == row["n_discards"]
            hands = [sum(row[f"hand_{name}_up"] for name in rules.cards)]
            if row["active"] == lone:
                assert row["hand_mole_down"] is None
                assert (row["player_up"], row["player_down"]) == (0, 0)
            else:
                hands.append(sum(row[f"hand_{name}_down"] for name in rules.cards))
                assert {row["player_up"], row["player_down"]} == {0, 1}
            assert all(number <= 4 for number in hands)
