"""The step API: turns as the rules page tells them, and refusals."""

from __future__ import annotations

import doctest

import pytest

from agentsim.errors import InputError
from agentsim.games.shady_agents import step
from agentsim.games.shady_agents.step import Call, GameState, Give, IllegalAction, new_game
from tests.games_shady.helpers import rules, walk


def do(game: GameState, *actions: step.Action) -> GameState:
    for action in actions:
        game = game.apply(action)
    return game


def find(law: set[int], players: int = 4, **changes: object) -> GameState:
    """A new game in which just these seats are law-abiding."""
    made = rules(players, **changes)
    for deal in range(3000):
        game = new_game(1, made, deal=deal)
        if {seat for seat, role in enumerate(game.roles) if role == "law"} == law:
            return game
    raise AssertionError(law)


def test_doctests() -> None:
    assert doctest.testmod(step).failed == 0


def test_the_order_of_play() -> None:
    game, order = new_game(1, rules(5)), []
    while not game.is_over:
        order.append(game.to_move)
        tool = game.to_place or "bullet"
        game = game.apply(Give(tool, (game.to_move + 1) % 5))
    assert order == [0, 1, 2, 3, 4, 4, 3, 2, 1, 0]
    game, order = new_game(1, rules(5)).apply(Call(None)), [0]
    while not game.is_over:
        order.append(game.to_move)
        game = game.apply(game.legal_actions()[0])
    assert order == [0, 1, 2, 3, 4, 4, 3, 2, 1, 0, 0]
    assert game.turn == 10


def test_the_second_round_forward() -> None:
    game = new_game(1, rules(4, rules__second_round="forward")).apply(Call(None))
    for seat in (1, 2, 3):
        game = game.apply(Give("bullet", seat - 1))
    assert (game.to_move, game.to_place, game.turn) == (0, "medkit", 4)
    game = do(game, Give("medkit", 1))
    assert (game.to_move, game.to_place, game.turn) == (0, "bullet", 4)
    assert do(game, Give("bullet", 1)).to_move == 1


def test_interrogations() -> None:
    game = find({1, 3})
    asked = game.apply(Call(None))
    said = asked.observe(0).statements
    assert [(s.question, s.caller, s.speaker) for s in said] == [(0, 0, 1), (0, 0, 2), (0, 0, 3)]
    for seat in range(4):
        heard = asked.observe(seat).statements
        assert [s.yes for s in heard] == [s.yes for s in said]
        assert all(s.verdict is None for s in heard if s.speaker == seat)
    second = asked.apply(Call("medkit"))
    assert [s.speaker for s in second.observe(0).statements][3:] == [2, 3, 0]
    assert second.observe(1).tools == ("bullet",)
    assert second.observe(0).callers == (0, 1)


@pytest.mark.parametrize("verifiable", [0, 1])
def test_verdicts(verifiable: float) -> None:
    game = find({0, 1, 2}, 6, talk__verifiable=verifiable, talk__misread=0).apply(Call(None))
    for seat in range(6):
        for said in game.observe(seat).statements:
            assert said.verdict == (None if not verifiable or said.speaker == seat else said.speaker < 3)
    assert game.observe(2).friend == ((1, 1, 1, 0, 0, 0) if verifiable else pytest.approx(game.observe(2).friend))
    # The one who did not speak is known by counting.
    assert (game.observe(4).friend[0] == 0) is bool(verifiable)


def test_every_answer_may_be_misread() -> None:
    right = wrong = 0
    for deal in range(40):
        game = new_game(1, rules(6, talk__verifiable=1, talk__misread=0.5), deal=deal).apply(Call(None))
        for said in game.observe(1).statements:
            if said.speaker != 1:
                right += said.verdict is (game.roles[said.speaker] == "law")
                wrong += said.verdict is not (game.roles[said.speaker] == "law")
    assert right > 40
    assert wrong > 40


def finish(game: GameState, *gifts: tuple[str, int]) -> GameState:
    game = do(game, *(Give(*gift) for gift in gifts))
    assert game.is_over
    return game


def test_points_decide() -> None:
    # Seats 0 and 1 against 2 and 3.
    game = finish(find({0, 1}), ("medkit", 1), ("medkit", 0), ("medkit", 0), ("bullet", 0),
                  ("medkit", 2), ("bullet", 3), ("bullet", 3), ("bullet", 2))
    assert game.side_points == {"law": 2, "crooked": -2}
    assert (game.winner, game.end_reason, game.shares) == ("law", "points", (1, 1, 0, 0))
    assert game.points == (1, 1, 0, -2)
    assert "over: law +2, crooked -2; law wins (points)" in str(game)
    with pytest.raises(IllegalAction, match="nothing, the game is over"):
        game.apply(Give("bullet", 1))


def test_level_points_go_to_the_medkits() -> None:
    game = finish(find({0, 1}), ("medkit", 1), ("medkit", 0), ("medkit", 0), ("medkit", 2),
                  ("bullet", 0), ("bullet", 1), ("bullet", 0), ("bullet", 3))
    assert game.side_points == {"law": 0, "crooked": 0}
    assert game.side_medkits == {"law": 3, "crooked": 1}
    assert (game.winner, game.end_reason) == ("law", "medkits")


@pytest.mark.parametrize(("tie", "winner", "reason", "share"), [
    ("draw", None, "draw", 0.5), ("law", "law", "tie_rule", 1), ("crooked", "crooked", "tie_rule", 0)])
def test_all_level(tie: str, winner: str | None, reason: str, share: float) -> None:
    game = finish(find({0, 1}, rules__tie=tie), ("medkit", 1), ("medkit", 0), ("medkit", 3), ("medkit", 2),
                  ("bullet", 0), ("bullet", 1), ("bullet", 2), ("bullet", 3))
    assert (game.winner, game.end_reason, game.shares[0]) == (winner, reason, share)


def test_the_bonus_and_other_counts() -> None:
    game = find({0, 1}, 5, rules__odd_bonus=3, rules__medkit=2, rules__bullet=-4)
    assert game.smaller_side == "law"
    assert [game.observe(seat).friends for seat in range(5)] == [1, 1, 2, 2, 2]
    game = finish(game, ("medkit", 1), ("medkit", 2), ("medkit", 3), ("bullet", 2), ("bullet", 0),
                  ("medkit", 3), ("medkit", 2), ("bullet", 1), ("bullet", 4), ("bullet", 4))
    assert game.side_points == {"law": 3 + 2 - 8, "crooked": 4 * 2 - 3 * 4}
    assert (game.winner, game.end_reason) == ("law", "points")


def test_the_bonus_is_no_medkit() -> None:
    """The last line of the page's table of results."""
    game = do(find({0, 1}, 5), Give("medkit", 1), Call("medkit"), Give("medkit", 3), Give("medkit", 4),
              Give("medkit", 2), Give("bullet", 0), Give("bullet", 1), Give("bullet", 3), Give("bullet", 4),
              Give("bullet", 2))
    assert game.smaller_side == "law"
    assert game.side_points == {"law": 0, "crooked": 0}
    assert game.side_medkits == {"law": 1, "crooked": 3}
    assert (game.winner, game.end_reason) == ("crooked", "medkits")


def test_refusals() -> None:
    game = new_game(1, rules(4))
    with pytest.raises(IllegalAction, match=r"'give the bullet to seat 0' is not legal here; legal: give the"):
        game.apply(Give("bullet", 0))
    for bad in (Give("knife", 1), Give("bullet", 4), Give("bullet", -1), Call("bullet"), Call("knife")):
        with pytest.raises(IllegalAction):
            game.apply(bad)
    moved = game.apply(Give("bullet", 1))
    with pytest.raises(IllegalAction):
        moved.apply(Call(None))
    last = do(moved, *(Give("bullet", 0) for _ in range(3)))
    with pytest.raises(IllegalAction):
        last.apply(Call("medkit"))
    with pytest.raises(IllegalAction):
        last.apply(Give("bullet", 0))
    with pytest.raises(InputError, match="no seat 4"):
        game.observe(4)
    for wrong in ({"seed": -1}, {"deal": -1}, {"turned": 6}):
        with pytest.raises(InputError, match="out of range"):
            new_game(**wrong)  # type: ignore[arg-type]


def test_switches() -> None:
    assert Call("bullet") in new_game(1, rules(4, rules__free_interrogation=False)).legal_actions()
    silent = new_game(1, rules(4, rules__interrogations=False))
    assert all(isinstance(action, Give) for action in silent.legal_actions())
    assert Give("medkit", 0) in new_game(1, rules(4, rules__own_tools=True)).legal_actions()
    game = new_game(1, rules(4, rules__caller_answers=True)).apply(Call(None))
    assert [said.speaker for said in game.observe(1).statements] == [1, 2, 3, 0]
    for one_person in (True, False):
        game = new_game(1, rules(4, rules__two_to_one=one_person)).apply(Call(None))
        for _ in range(6):
            game = game.apply(game.legal_actions()[0])
        assert game.to_place == "medkit"
        game = game.apply(Give("medkit", 2))
        assert game.to_place == "bullet"
        assert (Give("bullet", 2) in game.legal_actions()) is one_person


def test_applying_leaves_a_position_as_it_was() -> None:
    for game in walk(rules(5), 4)[:-1]:
        before, odds, text = game.state.copy(), game.odds.copy(), str(game)
        for action in game.legal_actions():
            game.apply(action)
        assert (game.state == before).all()
        assert (game.odds == odds).all()
        assert str(game) == text


def test_talk_is_the_same_whoever_calls() -> None:
    """The k-th question brings the same true answers and checks, whatever was done before."""
    game = find({0, 2}, 4, talk__verifiable=0.5)
    early = game.apply(Call(None)).observe(2).statements
    late = do(game, Give("medkit", 2), Call("bullet")).observe(2).statements
    common = {said.speaker: said for said in late}
    assert [(s.yes, s.verdict) for s in early if s.speaker in common and s.speaker != 2] == [
        (common[s.speaker].yes, common[s.speaker].verdict) for s in early if s.speaker in common and s.speaker != 2]


def test_roles_turn() -> None:
    made = rules(7)
    dealt = new_game(5, made, deal=9).roles
    for turned in range(7):
        assert new_game(5, made, deal=9, turned=turned).roles == dealt[-turned:] + dealt[:-turned] if turned else dealt
