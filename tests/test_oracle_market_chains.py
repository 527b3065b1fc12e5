"""Landings that cause landings, and effects that only made-up cards have, in the second engine."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from tests.oracle.agent_avenue import Ending
from tests.oracle.market import MarketCard
from tests.oracle.mode_logs import answer
from tests.oracle.mode_positions import lead_of, made_up, position, turn, with_cards
from tests.oracle.modes import ModeGame, ModeRules

SIDES = pytest.mark.parametrize("active", [0, 1])


def asked(game: ModeGame) -> tuple[str, int, tuple[str, ...]] | None:
    """Kind, side and options of the pending question."""
    return None if game.pending is None else (game.pending.kind, game.pending.side, game.pending.options)


def taken(game: ModeGame) -> list[tuple[int, str]]:
    """(seat, card) of every Black Market event so far."""
    return [(row["seat"], row["taken"]) for row in game.market_rows]


BOTH_LAND = ["daredevil", "enforcer", "mole", "sidekick"]


def both_land(active: int, supply: list[str], pile: list[str], **more: Any) -> ModeGame:
    """The active side lands on its 2 by a daredevil, the other one on its 5 by an enforcer; lead -3."""
    game = position(active=active, steps=(0, 4), hand=BOTH_LAND, supply=supply, pile=pile, **more)
    return turn(game, "enforcer", "daredevil", "enforcer")


# ---- the supply -----------------------------------------------------------------------------------------------------


@SIDES
def test_a_supply_that_runs_dry(active: int) -> None:
    game = both_land(active, ["watchtower"], [])
    answer(game, "watchtower")
    assert game.turn == 1
    assert taken(game) == [(active, "watchtower")]
    row = game.market_rows[0]
    assert [row["supply_0"], row["supply_1"], row["supply_2"]] == ["watchtower", None, None]


@SIDES
def test_an_empty_market(active: int) -> None:
    game = both_land(active, [], [])
    assert game.turn == 1
    assert taken(game) == []


@SIDES
def test_the_gap_is_filled_in_place_before_the_effect(active: int) -> None:
    game = both_land(active, ["watchtower", "masterplan", "outpost"], ["ceasefire", "spycation"])
    assert asked(game) == ("market", active, ("watchtower", "masterplan", "outpost"))
    answer(game, "masterplan")
    assert asked(game) == ("market", 1 - active, ("watchtower", "ceasefire", "outpost"))
    answer(game, "watchtower")
    assert game.supply == ["spycation", "ceasefire", "outpost"]
    rows = [[row[f"supply_{k}"] for k in range(3)] for row in game.market_rows]
    assert rows == [["watchtower", "masterplan", "outpost"], ["watchtower", "ceasefire", "outpost"]]
    assert [row["seq"] for row in game.market_rows] == [0, 1]


@SIDES
@pytest.mark.parametrize("gap", [0, 1, 2])
def test_without_a_pile_the_gap_closes(active: int, gap: int) -> None:
    supply = ["watchtower", "masterplan", "security_system"]
    game = both_land(active, supply, [])
    answer(game, supply[gap])
    assert asked(game) == ("market", 1 - active, tuple(supply[:gap] + supply[gap + 1 :]))


@SIDES
def test_a_card_that_can_do_nothing_may_be_chosen(active: int) -> None:
    game = position(active=active, hand=BOTH_LAND, supply=["outpost", "watchtower"])
    turn(game, "enforcer", "daredevil", "enforcer", "outpost")
    assert (game.market_discards, game.turn) == (["outpost"], 1)
    assert (game.market_rows[0]["target"], game.market_rows[0]["recruited"]) == (None, None)


# ---- chains ---------------------------------------------------------------------------------------------------------


@SIDES
def test_three_landings_while_the_opponent_waits(active: int) -> None:
    game = position(
        active=active,
        steps=(0, 4),
        has=({"enforcer": 2}, {}),
        hand=BOTH_LAND,
        deck=["codebreaker", "saboteur", "enforcer", "sentinel", "sentinel"],
        supply=["smoke_screen", "secret_recruit", "masterplan"],
        pile=["watchtower", "supercomputer"],
    )
    turn(game, "enforcer", "daredevil", "enforcer")
    for name, space in (("smoke_screen", 5), ("secret_recruit", 9)):
        assert asked(game) is not None
        assert (game.question.kind, game.question.side) == ("market", active)
        answer(game, name)
        if name == "secret_recruit":
            answer(game, "sidekick")
        assert game.sides[active].moves == space
        assert game.sides[1 - active].owed == 1
    answer(game, "masterplan")
    assert asked(game) == ("market", 1 - active, ("watchtower", "supercomputer"))
    answer(game, "watchtower")
    seats = [(row["seq"], row["seat"], row["move"]) for row in game.market_rows]
    assert seats == [(0, active, 3), (1, active, 4), (2, active, 0), (3, 1 - active, 0)]
    assert game.turn_rows[0]["move_active"] == 2
    assert lead_of(game, active) == 4


@SIDES
def test_the_other_sides_chain(active: int) -> None:
    game = both_land(
        active, ["watchtower", "secret_recruit"], ["masterplan"],
        other_hand=["sidekick", "mole", "sentinel", "sentinel"],
    )  # fmt: skip
    answer(game, "watchtower", "secret_recruit", "sidekick")
    assert asked(game) == ("market", 1 - active, ("masterplan",))
    answer(game, "masterplan")
    assert game.ending == Ending(1 - active, "catch", False)
    assert [seat for seat, _ in taken(game)] == [active, 1 - active, 1 - active]


# ---- R6, R16: pawns that somebody else's effect shifts --------------------------------------------------------------


def shift(spaces: int) -> ModeRules:
    """Rules with a card that moves the opponent's pawn."""
    return with_cards(made_up({"do": "move", "who": "rival", "spaces": spaces}, name="shift"))


@SIDES
@pytest.mark.parametrize(("spaces", "landings"), [(-1, 1), (-3, 2), (1, 1), (4, 2), (-5, 1), (0, 1)])
def test_a_shifted_pawn_keeps_its_landing_and_owes_one_more_on_a_corner(
    active: int, spaces: int, landings: int
) -> None:
    game = both_land(active, ["shift", "watchtower", "masterplan"], [], rules=shift(spaces))
    answer(game, "shift")
    other = game.sides[1 - active]
    # One of them is being resolved already.
    assert (other.moves, other.owed) == (5 + spaces, landings - 1)
    row = game.market_rows[0]
    assert row["move"] == 0
    assert row["lead_after"] == (-3 - spaces if active == 0 else 3 + spaces)
    if spaces == 4:
        # The pawn is 7 ahead by now, but nothing is checked before End.
        assert lead_of(game, active) == -7
    answer(game, *["watchtower", "masterplan"][:landings])
    assert game.turn == 1
    assert len(game.market_rows) == 1 + landings
    assert game.turn_rows[0]["move_other"] == 1


@SIDES
def test_a_pawn_that_did_not_land_is_shifted_onto_a_corner(active: int) -> None:
    game = position(shift(-1), active=active, steps=(0, 2), hand=BOTH_LAND, supply=["shift", "watchtower"])
    turn(game, "enforcer", "daredevil", "enforcer", "shift")
    assert asked(game) == ("market", 1 - active, ("watchtower",))


@SIDES
def test_a_landing_of_the_active_side_that_the_other_one_causes(active: int) -> None:
    game = both_land(active, ["watchtower", "shift"], ["masterplan", "spycation"], rules=shift(3))
    answer(game, "watchtower", "shift")
    assert game.sides[active].moves == 5
    assert asked(game) == ("market", active, ("masterplan", "spycation"))


@SIDES
def test_between_two_landings_the_active_side_goes_first(active: int) -> None:
    two_deeds = made_up({"do": "move", "spaces": 4}, {"do": "move", "who": "rival", "spaces": 3}, name="two_deeds")
    game = both_land(active, ["watchtower", "two_deeds"], ["masterplan", "spycation"], rules=with_cards(two_deeds))
    answer(game, "watchtower", "two_deeds")
    # The other side stands on 9 and owes a landing, the active one on 5 and owes one, too.
    assert [side.owed for side in (game.sides[active], game.sides[1 - active])] == [0, 1]
    assert asked(game) == ("market", active, ("masterplan", "spycation"))
    answer(game, "masterplan")
    assert asked(game) == ("market", 1 - active, ("spycation",))
    assert game.market_rows[1]["move"] == 4


@SIDES
def test_a_shift_while_nobody_lands_still_obeys_the_owners_cards(active: int) -> None:
    game = both_land(active, ["shift"], [], rules=shift(2), owns=([], ["getaway_car"]))
    answer(game, "shift")
    assert game.sides[1 - active].moves == 10


# ---- R9, R10: drawing -----------------------------------------------------------------------------------------------

DRAFT = made_up({"do": "recruit", "from": "hand", "of": "any", "who": "both"}, name="draft")


@SIDES
@pytest.mark.parametrize("taker", ["active", "other"])
def test_if_both_draw_the_active_side_draws_first(active: int, taker: str) -> None:
    start = (0, 0) if taker == "active" else (1, 4)
    game = position(
        with_cards(DRAFT), active=active, steps=start, hand=["daredevil", "enforcer", "saboteur", "saboteur"],
        deck=["saboteur", "saboteur", "mole"], supply=["draft"],
    )  # fmt: skip
    owner = active if taker == "active" else 1 - active
    turn(game, "enforcer", "daredevil", "enforcer")
    assert asked(game) == ("market", owner, ("draft",))
    answer(game, "draft")
    assert asked(game) == ("target", active, ("saboteur",))
    answer(game, "saboteur")
    assert asked(game) == ("target", 1 - active, ("enforcer", "codebreaker", "saboteur", "sentinel"))
    answer(game, "sentinel")
    assert game.sides[active].players[0].hand.count("mole") == 1
    assert len(game.sides[1 - active].players[0].hand) == 3
    # The log names what the card's owner did.
    recruited = "saboteur" if taker == "active" else "sentinel"
    assert (game.market_rows[0]["target"], game.market_rows[0]["recruited"]) == (recruited, recruited)
    game.check_conserved()


@SIDES
def test_a_card_of_two_effects_draws_after_each(active: int) -> None:
    card = made_up({"do": "recruit", "from": "hand", "of": "any"}, {"do": "recruit", "from": "hand", "agent": "mole"})
    game = position(
        with_cards(card), active=active, hand=["daredevil", "enforcer", "saboteur", "saboteur"],
        deck=["saboteur", "saboteur", "mole", "sidekick"], supply=["made_up"],
    )  # fmt: skip
    turn(game, "enforcer", "daredevil", "enforcer", "made_up", "saboteur")
    assert game.sides[active].agents["mole"] == 1
    assert "sidekick" in game.sides[active].players[0].hand
    assert game.market_rows[0]["move"] == -1 - 3


# ---- R5, R13: several cards on one recruitment ----------------------------------------------------------------------


def on(agent: str, do: str, **arguments: int) -> dict[str, object]:
    """An effect on recruiting."""
    return {"when": "recruit", "agent": agent, "do": do, **arguments}


STACK = {
    "set_3": made_up(on("mole", "set", spaces=3), name="set_3"),
    "set_1": made_up(on("mole", "set", spaces=1), name="set_1"),
    "flip": made_up(on("mole", "negate"), name="flip"),
    "double": made_up(on("mole", "multiply", by=2), name="double"),
    "back": made_up(on("mole", "multiply", by=-3), name="back"),
    "plus": made_up(on("mole", "add", spaces=2), name="plus"),
    "minus": made_up(on("mole", "add", spaces=-5), name="minus"),
}


@pytest.mark.parametrize(
    ("cards", "move"),
    [
        ("set_3", 3),
        ("flip", 3),
        ("flip plus", 5),
        ("plus", -1),
        ("double plus", -4),
        ("flip double", 6),
        ("back", 9),
        ("flip back", -9),
        ("back double plus", 20),
        ("plus minus", -6),
        ("set_3 double minus", 1),
        ("set_3 flip", 3),
    ],
)
def test_stacked_effects_in_whatever_order_they_were_taken(cards: str, move: int) -> None:
    for order in permutations(cards.split()):
        game = position(with_cards(*STACK.values()), owns=(list(order), []))
        assert game.recruit(game.sides[0], "mole") == move


def test_of_two_set_effects_the_last_one_taken_counts() -> None:
    rules = with_cards(*STACK.values())
    for cards, move in ((["set_3", "set_1"], 1), (["set_1", "set_3"], 3)):
        game = position(rules, owns=(cards, []))
        assert game.recruit(game.sides[0], "mole") == move
    game = position(rules, owns=(["set_3", "flip", "double", "plus", "set_1"], []))
    assert game.recruit(game.sides[0], "mole") == 4


@SIDES
def test_stacked_effects_land_by_the_final_number_only(active: int) -> None:
    game = position(
        with_cards(*STACK.values()), active=active, steps=(3, 3), owns=(["flip", "double"], []),
        hand=["mole", "codebreaker", "sentinel", "sentinel"],
    )  # fmt: skip
    turn(game, "codebreaker", "mole", "codebreaker")
    assert asked(game) == ("market", active, ("security_system",))  # 3 + 6 = 9, past 5 and 6
    assert game.sides[active].owed == 0


# ---- R4, R14: stops that move a pawn on -----------------------------------------------------------------------------


def stops(place: str, spaces: int, name: str) -> MarketCard:
    """A card that moves a pawn on after it has stopped there."""
    return made_up({"when": "landing", "on": place, "do": "move", "spaces": spaces}, name=name)


@pytest.mark.parametrize(
    ("cards", "start", "spaces", "moved", "owed"),
    [
        ([("market", 1)], 0, 2, 3, 1),  # moved on from the corner, the landing stays
        ([("market", 3)], 0, 2, 5, 2),  # from corner to corner, once
        ([("market", 14)], 0, 2, 16, 2),  # round the ring onto the same corner
        ([("market", 1), ("market", 2)], 0, 2, 5, 2),  # both at once: 2 + 3, not 2 + 1 + ...
        ([("market", 1), ("market", -1)], 0, 2, 2, 1),  # nothing in all is no move
        ([("home", 2)], 6, 1, 3, 1),  # from the other home onto a corner
        ([("home", 7)], 6, 1, 8, 0),  # from home to home, once
        ([("home", 2), ("market", 5)], 6, 1, 8, 1),  # home 7 -> corner 9 -> 14, a home again but used up
        ([("home", -2), ("market", -5)], 6, 1, -6, 1),  # 7 -> 5 -> 0
        ([("home", 3)], 7, 0, 0, 0),  # standing there is not stopping
    ],
)
@SIDES
def test_stops(
    active: int, cards: list[tuple[str, int]], start: int, spaces: int, moved: int, owed: int
) -> None:
    made = [stops(place, number, f"card_{k}") for k, (place, number) in enumerate(cards)]
    rules = with_cards(*made)
    game = position(rules, active=active, steps=(start, start), owns=([f"card_{k}" for k in range(len(cards))], []))
    side = game.sides[active]
    assert game.move_spy(side, spaces) == moved
    assert (side.moves, side.owed) == (start + moved, owed)


@SIDES
def test_end_conditions_of_ones_own(active: int) -> None:
    rules = with_cards(
        made_up({"when": "end", "do": "win", "if": "set", "agent": "sentinel", "at_least": 2}, name="watch"),
        made_up({"when": "end", "do": "win", "if": "names", "at_least": 2}, name="pair"),
    )
    hand = ["sentinel", "codebreaker", "mole", "mole"]
    for owned, sentinels, reason in (
        (["pair", "watch"], 1, "watch"),  # table order, not the order of taking
        (["pair"], 1, None),
        (["watch"], 0, None),
        (["watch", "masterplan"], 1, "watch"),
    ):
        game = position(rules, active=active, owns=(owned, []), hand=hand, has=({"sentinel": sentinels}, {}), supply=[])
        turn(game, "codebreaker", "sentinel", "codebreaker")
        if reason is None:
            assert game.ending is None
        else:
            assert game.ending == Ending(active, reason, False)


def test_a_blank_does_nothing() -> None:
    rules = with_cards(made_up({"do": "nothing"}, name="blank"))
    game = position(rules, hand=BOTH_LAND, supply=["blank"])
    before = [list(player.hand) for side in game.sides for player in side.players]
    turn(game, "enforcer", "daredevil", "enforcer", "blank")
    row = game.market_rows[0]
    assert (row["taken"], row["target"], row["recruited"], row["move"]) == ("blank", None, None, 0)
    assert len(before[1]) == len(game.sides[1].players[0].hand)
    assert game.market_discards == ["blank"]
