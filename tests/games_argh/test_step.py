"""The step API: turns as the rules page tells them, and refusals."""

from __future__ import annotations

import doctest

import pytest

from agentsim.errors import InputError
from agentsim.games.argh import step
from agentsim.games.argh.step import Answer, Draw, GameState, IllegalAction, Keep, OfferTo, Peek, Steal, new_game
from tests.games_argh.helpers import rules, walk


def find(pile: str, wanted: str, players: int = 2, *, number: int = 0, promos: bool = False) -> tuple[GameState, int]:
    """A new game in which a card is the ``number``-th that can be drawn from its pile, and its deal."""
    made = rules(players, promos=promos)
    for deal in range(500):
        if step.pile_orders(1, deal, made)[pile][made.aside + number] == wanted:
            return new_game(1, made, deal=deal), deal
    raise AssertionError(wanted)


def do(game: GameState, *actions: step.Action) -> GameState:
    for action in actions:
        game = game.apply(action)
    return game


def test_doctests() -> None:
    assert doctest.testmod(step).failed == 0


def test_keep_then_steal() -> None:
    game, _ = find("garden", "toad")
    game = do(game, Draw("garden"), Keep())
    assert (game.held(0), game.face_up(0), game.active) == (("toad",), (), 1)
    assert Steal(0, "garden", 2) in game.legal_actions()
    game = do(game, Steal(0, "garden", 2))
    assert (game.held(0), game.face_down(0), game.face_up(1), game.active) == ((), (), ("toad",), 0)
    assert game.observe(0).stolen == ("toad",)
    # Face-up cards cannot be stolen.
    assert all(not isinstance(action, Steal) for action in game.legal_actions())


def test_offers_lie_face_up_either_way() -> None:
    game, _ = find("laboratory", "rat", 3)
    asked = do(game, Draw("laboratory"), OfferTo(2))
    assert asked.to_move == 2
    assert asked.legal_actions() == [Answer(True), Answer(False)]
    assert do(asked, Answer(True)).face_up(2) == ("rat",)
    refused = do(asked, Answer(False))
    assert refused.face_up(0) == ("rat",)
    assert refused.observe(1).refused == ("rat",)
    assert refused.active == 1
    for seat in range(3):
        assert refused.observe(seat).asks == (0, 0, 1)
        assert refused.observe(seat).yes == (0, 0, 0)
        assert do(asked, Answer(True)).observe(seat).yes == (0, 0, 1)


def test_two_bomb_parts_face_up_win_at_once() -> None:
    game = find_two_bombs()
    game = do(game, Draw("house"), OfferTo(1), Answer(False), Draw("garden"), OfferTo(0), Answer(True))
    assert game.is_over
    assert (game.end_reason, game.shares, game.winners, game.to_move) == ("bomb", (1.0, 0.0), (0,), -1)
    assert game.legal_actions() == []
    assert "seat 0 wins (bomb)" in str(game)
    with pytest.raises(IllegalAction, match="nothing, the game is over"):
        game.apply(Draw("house"))


def find_two_bombs() -> GameState:
    for deal in range(2000):
        order = step.pile_orders(1, deal)
        if order["house"][2] == "house_bomb" and order["garden"][2] == "garden_bomb":
            return new_game(1, deal=deal)
    raise AssertionError


def test_hidden_bomb_parts_win_at_the_reveal_only() -> None:
    game = do(find_two_bombs(), Draw("house"), Keep())
    game = do(game, Draw("laboratory"), OfferTo(0), Answer(False), Draw("garden"), Keep())
    assert not game.is_over
    while not game.is_over:
        legal = game.legal_actions()
        # Seat 0 keeps what it draws, seat 1 offers nothing to it; nobody steals.
        game = game.apply(legal[0] if not isinstance(legal[0], Steal) else legal[-1])
    assert game.end_reason == "bomb_reveal"
    assert game.winners == (0,)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_everybody_but_the_one_who_emptied_a_pile_has_a_last_turn(players: int) -> None:
    game = new_game(2, rules(players))
    left = game.pile_left("house")
    for number in range(left):
        assert game.last_round is None
        assert game.turn == number
        game = do(game, Draw("house"), Keep())
    emptied = (left - 1) % players
    assert game.last_round == players - 1
    others = []
    while not game.is_over:
        others.append(game.active)
        game = do(game, Draw("garden"), Keep())
    assert others == [(emptied + 1 + i) % players for i in range(players - 1)]
    assert game.turn == left + players - 2


def test_a_second_empty_pile_changes_nothing() -> None:
    made = rules(4, put_aside=7)  # one card in each pile
    game = do(new_game(1, made), Draw("house"), Keep(), Draw("garden"), Keep())
    assert game.last_round == 2
    game = do(game, Draw("laboratory"), Keep())
    assert game.last_round == 1
    assert all(isinstance(action, Steal) for action in game.legal_actions())
    assert len(game.legal_actions()) == 3
    assert game.apply(game.legal_actions()[0]).is_over


def test_pass() -> None:
    made = rules(4, put_aside=7)
    game = new_game(1, made)
    for pile in ("house", "garden", "laboratory"):
        game = do(game, Draw(pile), OfferTo((game.active + 1) % 4), Answer(False))
    assert game.legal_actions() == [step.Pass()]
    assert do(game, step.Pass()).is_over


def test_owl() -> None:
    game, deal = find("house", "owl", 3, promos=True)
    game = do(game, Draw("house"), OfferTo(1), Answer(True))
    assert (game.to_move, game.active) == (1, 0)
    assert game.legal_actions() == [Peek("house", 0), Peek("garden", 0), Peek("laboratory", 0)]
    assert "looks at a card put aside" in str(game)
    game = do(game, Peek("garden", 0))
    assert game.observe(1).seen_aside == (step.pile_orders(1, deal, game.rules)["garden"][0],)
    assert game.observe(0).seen_aside == game.observe(2).seen_aside == ()
    assert game.active == 1
    # Kept face down it shows nothing yet.
    game, _ = find("house", "owl", 3, promos=True)
    assert do(game, Draw("house"), Keep()).to_move == 1


def test_refusals() -> None:
    game = new_game(1)
    with pytest.raises(IllegalAction, match=r"'keep the card' is not legal here; legal: draw from the house pile"):
        game.apply(Keep())
    with pytest.raises(IllegalAction, match="steal house card 2 of seat 1"):
        game.apply(Steal(1, "house", 2))
    with pytest.raises(IllegalAction):
        game.apply(Draw("attic"))
    with pytest.raises(IllegalAction):
        do(game, Draw("house"), OfferTo(0))
    with pytest.raises(InputError, match="no seat 2"):
        game.observe(2)
    for bad in ({"seed": -1}, {"deal": -1}):
        with pytest.raises(InputError, match="out of range"):
            new_game(**bad)  # type: ignore[arg-type]


def test_applying_leaves_a_position_as_it_was() -> None:
    for game in walk(rules(3, promos=True), 4)[:-1]:
        before, text = game.state.copy(), str(game)
        for action in game.legal_actions():
            game.apply(action)
        assert (game.state == before).all()
        assert str(game) == text
        assert len(text.splitlines()) >= 4


def test_the_deal_is_the_same_whoever_draws() -> None:
    made = rules(3)
    orders = step.pile_orders(7, 3, made)
    for temper in ({}, {Keep: 9.0}, {Steal: 9.0}):
        drawn: dict[str, list[str]] = {pile: [] for pile in orders}
        course = walk(made, 7, 3, temper)
        for game in course:
            if game.legal_actions()[:1] == [Keep()]:
                name = game.observe(game.to_move).drawn
                assert name is not None
                drawn[next(card.location for card in made.cards if card.id == name)].append(name)
        for pile, names in drawn.items():
            assert names == orders[pile][1:1 + len(names)]
