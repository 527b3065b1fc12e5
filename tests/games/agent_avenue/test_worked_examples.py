"""The worked examples of the rules page, and its sentences about a turn, on the engine that is used everywhere."""

from __future__ import annotations

from itertools import permutations

import pytest

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue import step
from agentsim.games.agent_avenue.rules import Rules, make_rules
from tests.games.agent_avenue.helpers import NAMES, STANDARD, TIE_RULES, ending, lead_of, named, position, turn


def by_tie(tie_rule: str) -> Rules:
    return make_rules({"rules.tie_rule": tie_rule})


def moves(game: step.GameState) -> tuple[int, int]:
    """Moves of the last turn: the active player's and the other's."""
    return int(game.state[e.MOVED]), int(game.state[e.MOVED + 1])


@pytest.mark.parametrize("active", [0, 1])
class TestWorkedExamples:
    def test_first_agents(self, active: int) -> None:
        game = position(active=active, active_hand=["enforcer", "daredevil", "saboteur", "saboteur"])
        after = turn(game, "enforcer", "daredevil", face_up=True)
        assert moves(after) == (2, 1)
        assert (after.in_play(active), after.in_play(1 - active)) == ({"daredevil": 1}, {"enforcer": 1})
        assert lead_of(after, active) == 1
        assert ending(after) is None
        assert (after.active, after.to_move, after.turn) == (1 - active, 1 - active, game.turn + 1)

    def test_the_active_player_is_caught_by_its_own_mole(self, active: int) -> None:
        game = position(active=active, lead=-4, active_hand=["mole", "codebreaker", "saboteur", "saboteur"])
        after = turn(game, "codebreaker", "mole", face_up=True)
        assert (moves(after), lead_of(after, active)) == ((-3, 0), -7)
        assert ending(after) == (1 - active, "catch", False)
        # One space less, and nobody is caught.
        after = turn(position(active=active, lead=-3, active_hand=["mole", "codebreaker"]), "codebreaker", "mole", True)
        assert ending(after) is None

    @pytest.mark.parametrize("tie_rule", TIE_RULES)
    def test_cards_run_out_level(self, active: int, tie_rule: str) -> None:
        game = position(active=active, active_hand=["codebreaker", "sentinel"], other_hand=["mole"], deck=0,
                        rules=by_tie(tie_rule))
        winner = {"active": active, "passive": 1 - active, "draw": None}[tie_rule]
        assert ending(turn(game, "sentinel", "codebreaker", face_up=True)) == (winner, "out_of_cards", True)

    @pytest.mark.parametrize("lead", [-6, -1, 1, 6])
    def test_cards_run_out_and_the_closer_one_wins(self, active: int, lead: int) -> None:
        game = position(active=active, lead=lead, active_hand=["codebreaker", "sentinel"], other_hand=["mole"], deck=0)
        winner = active if lead > 0 else 1 - active
        assert ending(turn(game, "sentinel", "codebreaker", face_up=False)) == (winner, "out_of_cards", False)

    @pytest.mark.parametrize("tie_rule", TIE_RULES)
    def test_the_third_codebreaker_against_a_catch(self, active: int, tie_rule: str) -> None:
        game = position(active=active, lead=-4, active_has=["codebreaker"] * 2,
                        active_hand=["codebreaker", "sidekick", "saboteur", "saboteur"], rules=by_tie(tie_rule))
        after = turn(game, "sidekick", "codebreaker", face_up=True)
        assert lead_of(after, active) == -8
        winner, reason = {"active": (active, "codebreakers"), "passive": (1 - active, "catch"),
                          "draw": (None, "catch")}[tie_rule]
        assert ending(after) == (winner, reason, True)

    @pytest.mark.parametrize("tie_rule", TIE_RULES)
    def test_a_third_daredevil_and_a_catch_in_one_player(self, active: int, tie_rule: str) -> None:
        game = position(active=active, lead=-6, other_has=["daredevil"] * 2,
                        active_hand=["daredevil", "saboteur", "enforcer", "enforcer"], rules=by_tie(tie_rule))
        after = turn(game, "daredevil", "saboteur", face_up=True)
        assert (moves(after), lead_of(after, active)) == ((-1, 0), -7)
        winner, reason = {"active": (active, "daredevils"), "passive": (1 - active, "catch"),
                          "draw": (None, "catch")}[tie_rule]
        assert ending(after) == (winner, reason, True)

    def test_overtaken_and_ahead_again_is_no_catch(self, active: int) -> None:
        game = position(active=active, lead=5, other_has=["double_agent"],
                        active_hand=["sidekick", "double_agent", "saboteur", "saboteur"])
        after = turn(game, "double_agent", "sidekick", face_up=True)
        assert (moves(after), lead_of(after, active)) == ((4, 6), 3)
        assert ending(after) is None

    def test_the_second_and_third_double_agent_and_the_fifth_sentinel(self, active: int) -> None:
        game = position(active=active, active_has={"double_agent": 1, "sentinel": 4}, other_has={"double_agent": 2},
                        active_hand=["double_agent", "sentinel", "mole", "mole"][:3])
        assert moves(turn(game, "sentinel", "double_agent", face_up=False)) == (6, -1)
        game = position(active=active, active_has=["double_agent"], active_hand=["double_agent", "saboteur"])
        assert moves(turn(game, "saboteur", "double_agent", face_up=True)) == (6, -1)

    @pytest.mark.parametrize(("other_hand", "goes_on"), [(["mole"], False), (["mole", "sidekick"], True)])
    def test_three_cards_and_no_deck(self, active: int, other_hand: list[str], goes_on: bool) -> None:
        hand = ["sentinel", "codebreaker", "daredevil"]
        game = position(active=active, lead=1, active_hand=hand, other_hand=other_hand, deck=0)
        assert set(game.legal_actions()) == {step.Offer(*pair) for pair in permutations(hand, 2)}
        offered = game.apply(step.Offer("sentinel", "codebreaker"))
        assert offered.hand(active) == {"daredevil": 1}
        after = offered.apply(step.Take("face_up"))
        assert after.is_over is not goes_on
        assert goes_on or ending(after) == (active, "out_of_cards", False)


@pytest.mark.parametrize(("name", "expected"), [
    ("double_agent", [-1, 6, -1, -1, -1, -1]), ("enforcer", [1, 2, 3, 3, 3, 3]), ("codebreaker", [0, 0, 0, 0, 0, 0]),
    ("saboteur", [-1, -1, -2, -2, -2, -2]), ("daredevil", [2, 3, 0, 0, 0, 0]), ("sentinel", [0, 2, 6, 6, 6, 6]),
    ("sidekick", [4]), ("mole", [-3])])
@pytest.mark.parametrize("active", [0, 1])
def test_a_move_is_chosen_by_the_count_that_includes_the_card(name: str, expected: list[int], active: int) -> None:
    partner = "saboteur" if name == "codebreaker" else "codebreaker"
    for before, move in enumerate(expected):
        game = position(active=active, active_has={name: before}, active_hand=[name, partner], other_hand=[])
        assert moves(turn(game, partner, name, face_up=True))[0] == move
        game = position(active=active, other_has={name: before}, active_hand=[name, partner], other_hand=[])
        assert moves(turn(game, partner, name, face_up=False))[1] == move


def test_agents_in_play_move_nobody_again() -> None:
    game = position(active_has={"sentinel": 2, "enforcer": 3}, other_has={"double_agent": 1, "daredevil": 1},
                    active_hand=["codebreaker", "saboteur"])
    assert moves(turn(game, "codebreaker", "saboteur", face_up=True)) == (-1, 0)


def test_dealing_four_and_four_in_the_order_of_the_deck() -> None:
    game = step.new_game(3, deal=5)
    order = step.deck_order(3, 5)
    assert sorted(order) == sorted(card.id for card in STANDARD.cards for _ in range(card.copies))
    for seat in (0, 1):
        assert game.hand(seat) == {name: order[4 * seat:4 * seat + 4].count(name) for name in NAMES
                                   if name in order[4 * seat:4 * seat + 4]}
    assert (game.active, game.to_move, game.turn, game.deck_left, game.lead) == (0, 0, 0, 30, 0)


def test_drawing_up_comes_after_the_offer_and_discards_draw_one() -> None:
    order = step.deck_order(1, 0)
    game = step.new_game(1)
    first = order[0]
    game = game.apply(step.Discard(first))
    hand = [*order[1:4], order[8]]
    assert sorted(named(game.state[e.HAND]).items()) == sorted((n, hand.count(n)) for n in set(hand))
    assert (game.deck_left, named(game.state[e.TOSSED])) == (29, {first: 1})
    up, down = sorted(set(hand))[:2]
    game = game.apply(step.Offer(up, down))
    hand.remove(up)
    hand.remove(down)
    hand += order[9:11]
    assert sorted(game.hand(0).items()) == sorted((n, hand.count(n)) for n in set(hand))
    assert game.deck_left == 27


def test_a_hand_above_the_hand_size_draws_nothing_but_a_discard_draws_one() -> None:
    hand = ["codebreaker", "codebreaker", "double_agent", "enforcer", "mole", "saboteur", "sentinel"]
    game = position(active_hand=hand, other_hand=["saboteur"] * 4)
    deck = game.deck_left
    game = game.apply(step.Discard("mole"))
    assert (sum(game.hand(0).values()), game.deck_left) == (7, deck - 1)
    game = game.apply(step.Offer("codebreaker", "sentinel"))
    assert (sum(game.hand(0).values()), game.deck_left) == (5, deck - 1)


@pytest.mark.parametrize(("deck", "hand"), [(0, 2), (1, 3), (2, 4), (3, 4)])
def test_drawing_up_as_far_as_the_deck_reaches(deck: int, hand: int) -> None:
    game = position(deck=deck).apply(step.Offer("enforcer", "saboteur"))
    assert (sum(game.hand(0).values()), game.deck_left) == (hand, max(deck - 2, 0))


def test_discards_end_with_the_deck_and_with_the_fourth_of_the_game() -> None:
    game = position(deck=2)
    assert len([a for a in game.legal_actions() if isinstance(a, step.Discard)]) == 4
    for _ in range(2):
        game = game.apply(step.Discard(next(iter(game.hand(0)))))
    assert game.deck_left == 0
    assert not [a for a in game.legal_actions() if isinstance(a, step.Discard)]
    game = position(discarded=(["mole", "sidekick", "enforcer"], []))
    game = game.apply(step.Discard("sentinel"))
    assert game.deck_left > 0
    assert not [a for a in game.legal_actions() if isinstance(a, step.Discard)]
    # The count is a player's own, and for the whole game.
    game = turn(position(discarded=([], ["mole", "sidekick", "enforcer", "saboteur"])), "enforcer", "saboteur", True)
    assert not [a for a in game.legal_actions() if isinstance(a, step.Discard)]
    game = turn(position(discarded=(["mole", "sidekick", "enforcer", "saboteur"], [])), "enforcer", "saboteur", True)
    assert [a for a in game.legal_actions() if isinstance(a, step.Discard)]


def test_two_of_one_name_only_from_a_hand_of_one_name() -> None:
    game = position(active_hand=["saboteur"] * 3 + ["sentinel"])
    offers = {a for a in game.legal_actions() if isinstance(a, step.Offer)}
    assert offers == {step.Offer("saboteur", "sentinel"), step.Offer("sentinel", "saboteur")}
    game = position(active_hand=["saboteur"] * 3, deck=0)
    assert game.legal_actions() == [step.Offer("saboteur", "saboteur")]
    after = turn(game, "saboteur", "saboteur", face_up=False)
    assert (moves(after), after.lead) == ((-1, -1), 0)


@pytest.mark.parametrize(("home_0", "home_1", "ring", "gaps"), [
    (0, 7, 14, (7, 7)), (7, 0, 14, (7, 7)), (0, 5, 14, (5, 9)), (5, 0, 14, (9, 5)), (3, 1, 10, (8, 2))])
@pytest.mark.parametrize("active", [0, 1])
def test_homes_decide_how_far_it_is_to_a_catch(home_0: int, home_1: int, ring: int, gaps: tuple[int, int],
                                               active: int) -> None:
    rules = make_rules({"rules.home_0": home_0, "rules.home_1": home_1, "rules.ring": ring})
    assert (rules.gap_0, rules.gap_1) == gaps
    for lead in range(-12, 13):
        game = position(active=active, lead=lead if active == 0 else -lead, active_hand=["codebreaker", "sentinel"],
                        rules=rules)
        after = turn(game, "codebreaker", "sentinel", face_up=True)  # neither moves a pawn
        winner = 0 if lead >= gaps[0] else 1 if -lead >= gaps[1] else None
        assert ending(after) == (None if winner is None else (winner, "catch", False))


@pytest.mark.parametrize("ahead", [-2, -1, 0, 1, 2])
def test_running_out_counts_spaces_to_go_where_homes_are_not_opposite(ahead: int) -> None:
    rules = make_rules({"rules.home_1": 5})  # seat 0 needs 5, seat 1 needs 9: level at a lead of -2
    game = position(lead=-2 + ahead, active_hand=["codebreaker", "sentinel"], other_hand=["mole"], deck=0, rules=rules)
    after = turn(game, "codebreaker", "sentinel", face_up=True)
    assert ending(after) == (0 if ahead >= 0 else 1, "out_of_cards", ahead == 0)


def test_any_agent_can_be_made_a_set_of_any_size() -> None:
    rules = make_rules({"cards.sentinel.wins_at": 2, "cards.enforcer.loses_at": 1, "cards.codebreaker.wins_at": 0})
    game = position(active_has=["sentinel"], active_hand=["sentinel", "saboteur"], rules=rules)
    assert ending(turn(game, "saboteur", "sentinel", face_up=True)) == (0, "codebreakers", False)
    game = position(active_has=["codebreaker"] * 2, active_hand=["codebreaker", "saboteur"], rules=rules)
    assert ending(turn(game, "saboteur", "codebreaker", face_up=True)) is None
    game = position(active_hand=["enforcer", "saboteur"], rules=rules)
    assert ending(turn(game, "enforcer", "saboteur", face_up=True)) == (0, "daredevils", False)
