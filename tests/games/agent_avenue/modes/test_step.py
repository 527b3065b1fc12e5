"""The step API of every mode: what is legal, what it is called, what it leads to, what it refuses."""

from __future__ import annotations

import re
from collections import Counter
from copy import deepcopy
from dataclasses import FrozenInstanceError
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue import step as base_step
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes import step
from agentsim.games.agent_avenue.modes.actions import (
    Discard,
    FaceDown,
    FaceUp,
    Gain,
    MoveDivisionM,
    Offer,
    PickCard,
    PlayerUp,
    RecruitAgain,
    Take,
    Target,
)
from agentsim.games.agent_avenue.rules import make_rules
from agentsim.games.agent_avenue.step import IllegalAction
from tests.games.agent_avenue.helpers import few, the_game
from tests.games.agent_avenue.modes.lockstep import Pair, with_own
from tests.games.agent_avenue.modes.logs import ADVANCED, MODES
from tests.games.agent_avenue.modes.walks import observers, positions, walk

QUESTIONS = {"play": (Offer, Discard), "player_up": (PlayerUp,), "face_up": (FaceUp, Discard),
             "face_down": (FaceDown, Discard), "take": (Take,), "market": (PickCard,), "member": (Gain,),
             "target": (Target,), "recruit": (RecruitAgain,), "division_m": (MoveDivisionM,)}


def everything() -> list[Any]:
    """Every action there is in the shipped modes."""
    rules = make_rules(MODES["all of it in teams"] | {"rules.ceasefire": True})
    names, cards = rules.names, [card.id for card in rules.market_cards]
    return [*(Offer(a, b) for a in names for b in names), *map(Discard, names), *map(FaceUp, names),
            *map(FaceDown, names), *map(Target, names), Take("face_up"), Take("hidden"),
            *map(PlayerUp, (0, 1)), *map(Gain, (0, 1)), RecruitAgain(True), RecruitAgain(False),
            *(PickCard(card, nth) for card in cards for nth in (0, 1)), *map(MoveDivisionM, range(-4, 5))]


@pytest.mark.parametrize("mode", MODES)
def test_legal_actions_are_those_that_both_engines_take(mode: str) -> None:
    """Side by side with the second engine; every number that the rules allow has a name, and no other has."""
    rules, rng = make_rules(MODES[mode]), Random(mode)
    for deal in range(few(20, 1)):
        lone = -1 if rules.players != 3 else rng.randrange(2) if rules.lone == "both" else int(rules.lone)
        pair = Pair(rules, 5, deal, lone)
        game = step.new_game(5, rules, deal=deal, lone=lone if lone >= 0 else None)
        assert step.market_order(5, deal, rules)[:len(game.supply)] == list(game.supply)
        while True:
            assert (game.state == pair.state).all()
            named = game.legal_answers()
            assert sorted(option for _, option in named) == pair.options()
            assert len(dict(named)) == len(named)
            assert game.is_over == pair.over
            if game.is_over:
                break
            kinds = QUESTIONS[str(game.question)]
            assert all(isinstance(action, kinds) for action, _ in named)
            action, option = rng.choice(named)
            pair.choose(option)
            game = game.apply(action)
        assert (game.to_move, game.player_to_move, game.question, game.legal_actions()) == (-1, None, None, [])
        ending = pair.other.ending
        assert ending is not None
        assert (game.winner, game.end_reason, game.tie_rule_used) == (
            ending.winner, ending.end_reason, ending.tie_rule_used)


def test_what_is_not_legal_is_refused_with_what_is() -> None:
    refused = Counter[str]()
    for game in positions(few(2, 1)):
        legal = game.legal_actions()
        for action in [*everything(), None, "offer", 3, [], ("mole",), PickCard("joker"), Target("")]:
            if action in legal:
                continue
            with pytest.raises(IllegalAction) as error:
                game.apply(action)
            assert f"'{action}' is not legal here; legal: " in str(error.value)
            assert all(str(one) in str(error.value) for one in legal)
            refused[str(game.question)] += 1
    assert set(refused) == {*QUESTIONS, "None"}


def test_positions_can_be_kept_compared_and_forked() -> None:
    for number, settings in enumerate(MODES.values()):
        course = walk(settings, number)
        states, texts = [game.state.copy() for game in course], [str(game) for game in course]
        for game in course:
            for action in game.legal_actions():
                once, again = game.apply(action), game.apply(action)
                assert once == again
                assert hash(once) == hash(again)
                assert once != game
        assert all((game.state == state).all() for game, state in zip(course, states, strict=True))
        assert [str(game) for game in course] == texts
        assert len(set(course)) == len(course)
        assert deepcopy(course[1]) == course[1]
        assert course[0] != "a game"
        with pytest.raises((FrozenInstanceError, AttributeError)):
            course[0].state = states[0]  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        PickCard("watchtower").card = "outpost"  # type: ignore[misc]
    rules = make_rules({"rules.players": 3})
    assert step.new_game(1, rules, lone=0) != step.new_game(1, rules, lone=1)


def test_actions_read_well() -> None:
    said = {str(action) for action in everything()}
    assert len(said) == len(everything())
    for action, text in ((PlayerUp(1), "player 1 plays the face-up card"), (FaceUp("mole"), "lay mole face up"),
                         (FaceDown("mole"), "lay mole face down"), (PickCard("outpost"), "pick outpost"),
                         (PickCard("outpost", 1), "pick outpost (copy 2 from the left)"),
                         (Gain(0), "player 0 gains it"), (Target("mole"), "choose mole"),
                         (RecruitAgain(True), "recruit it at once"), (RecruitAgain(False), "keep it in hand"),
                         (MoveDivisionM(-2), "move the Division M pawn -2"),
                         (MoveDivisionM(0), "leave the Division M pawn")):
        assert str(action) == text


def test_two_copies_of_a_card_are_told_apart() -> None:
    blank = {"blank": {"effects": [{"do": "nothing"}], "copies": 9}}
    rules = with_own(make_rules(ADVANCED), blank)
    seen = Counter[int]()
    for deal in range(few(60, 8)):
        rng, game = Random(deal), step.new_game(3, rules, deal=deal)
        while not game.is_over:
            if game.question == "market":
                picks = game.legal_actions()
                assert [(p.card, p.nth) for p in picks] == [  # type: ignore[union-attr]
                    (card, game.supply[:place].count(card)) for place, card in enumerate(game.supply)]
                assert [option for _, option in game.legal_answers()] == list(range(len(game.supply)))
                seen[game.supply.count("blank")] += 1
            game = game.apply(rng.choice(game.legal_actions()))
    assert {0, 1, 2} <= set(seen)


def test_the_game_chooses_its_engine_by_the_rules() -> None:
    game = the_game()
    assert isinstance(game.new_game(1), base_step.GameState)
    for settings in MODES.values():
        made = game.new_game(4, settings, deal=2)
        assert isinstance(made, step.ModeState)
        assert made == step.new_game(4, make_rules(settings), deal=2)
    with pytest.raises(InputError, match=r"^deal: -1 is out of range"):
        game.new_game(1, ADVANCED, deal=-1)
    with pytest.raises(InputError, match=r"^seed: .*0 to 2\^64 - 1"):
        step.new_game(2**64, make_rules(ADVANCED))


def test_two_players_without_extras_play_the_base_game() -> None:
    """The engine of the modes on the base rules: the same hands, actions and results as the base game's engine."""
    for deal in range(few(40, 3)):
        rng = Random(deal)
        one, other = base_step.new_game(9, deal=deal), step.new_game(9, make_rules(), deal=deal)
        while not one.is_over:
            assert [one.hand(seat) for seat in (0, 1)] == [other.hand(seat) for seat in (0, 1)]
            assert (one.to_move, one.turn, one.lead, one.deck_left) == (
                other.to_move, other.turn, other.lead, other.deck_left)
            assert one.legal_actions() == other.legal_actions()
            action = rng.choice(one.legal_actions())
            for seat in (0, 1):
                seen, again = one.observe(seat), other.observe(seat)
                for name in base_step.Observation.__dataclass_fields__:
                    assert getattr(seen, name) == getattr(again, name), name
            one, other = one.apply(action), other.apply(action)
        assert (one.winner, one.end_reason, one.tie_rule_used) == (other.winner, other.end_reason, other.tie_rule_used)


def test_who_is_asked() -> None:
    asked = Counter[tuple[str, bool]]()
    for game in positions(few(10, 1)):
        if game.is_over:
            continue
        seat, player = game.to_move, game.player_to_move
        own_hand = game.question in ("play", "face_up", "face_down")
        if game.players(seat) == 1:
            assert player == 0
        elif own_hand:
            assert player is not None
        assert (game.active == seat) or game.question not in ("play", "player_up", "face_up", "face_down")
        asked[str(game.question), player is None] += 1
        for one, member in observers(game):
            seen = game.observe(one, member)
            mine = one == seat and (player is None or player == seen.player)
            assert seen.to_move is mine
            assert seen.legal == (tuple(game.legal_actions()) if mine else ())
    assert {question for question, _ in asked} == set(QUESTIONS)


def test_observations_show_what_lies_on_the_table() -> None:
    for before, game in pairwise(positions(few(6, 1))):
        for seat, member in observers(game):
            seen = game.observe(seat, member)
            other = 1 - seat
            alone = game.players(seat) == 1
            assert (seen.seat, seen.player) == (seat, 0 if alone and member is None else member)
            assert (seen.mine, seen.theirs) == (game.in_play(seat), game.in_play(other))
            assert seen.hand == ({} if seen.player is None else game.hand(seat, seen.player))
            assert seen.lead == (game.lead if seat == 0 else -game.lead)
            assert (seen.space, seen.their_space) == (game.space(seat), game.space(other))
            assert (seen.division_m, seen.their_division_m) == (game.m_space(seat), game.m_space(other))
            assert (seen.ongoing, seen.their_ongoing) == (game.ongoing(seat), game.ongoing(other))
            assert (seen.supply, seen.market_pile) == (game.supply, game.market_pile_left)
            assert (seen.players, seen.their_players) == (game.players(seat), game.players(other))
            assert seen.their_hand == sum(sum(game.hand(other, p).values()) for p in range(game.players(other)))
            partner = sum(game.hand(seat, 1 - seen.player).values()) if not alone and seen.player is not None else 0
            assert seen.partner_hand == partner
            assert (seen.face_up, seen.question, seen.turn, seen.deck) == (
                game.face_up, game.question, game.turn, game.deck_left)
            assert seen.active is (seat == game.active)
            held = sum((Counter(game.hand(other, p)) for p in range(game.players(other))), Counter[str]())
            if game.state[e.DOWN] >= 0 and other == game.active:  # a known card may be the one that lies face down
                held[game.rules.names[int(game.state[e.DOWN])]] += 1
            assert not Counter(seen.known_of_them) - held
            down = int(game.state[x.DOWN_MEMBER])
            knows = game.question == "take" and seat == game.active and seen.player == down
            assert (seen.own_face_down is not None) is knows
            assert seen.discards_left + sum(seen.discarded.values()) == (
                0 if seen.player is None else game.rules.discards if alone else game.rules.team_discards)
        assert str(before) != str(game)


def test_cards_that_an_effect_names_openly_are_known() -> None:
    """What mind_control takes is known to be in the taker's hand, to both sides, until it leaves."""
    found = 0
    for seed in range(few(150, 25)):
        for before, game in pairwise(walk(MODES["advanced"], seed, 0)):
            if before.question != "target" or before.observe(before.to_move).taken != "mind_control":
                continue
            seat = before.to_move
            gained = Counter(before.in_play(1 - seat)) - Counter(game.in_play(1 - seat))
            [name] = gained
            assert game.observe(1 - seat).known_of_them.get(name, 0) >= 1
            assert game.observe(seat).known_of_us.get(name, 0) >= 1
            found += 1
    assert found > 0


@pytest.mark.parametrize("seat", [-1, 2, None, "0", True])
def test_other_seats_do_not_exist(seat: Any) -> None:
    with pytest.raises(InputError, match=r"there is no seat .* \(allowed: 0 or 1\)"):
        step.new_game(1, make_rules(ADVANCED)).observe(seat)


def test_other_players_do_not_exist() -> None:
    game = step.new_game(1, make_rules({"rules.players": 3}), lone=1)
    assert (game.lone, game.players(0), game.players(1)) == (1, 2, 1)
    for seat, player, allowed in ((1, 1, "0"), (0, 2, "0 or 1"), (0, -1, "0 or 1"), (0, True, "0 or 1")):
        with pytest.raises(InputError, match=rf"side {seat} has no player {player} \(allowed: {allowed}\)"):
            game.observe(seat, player)
    for settings, lone in (({"rules.players": 4}, 0), ({"rules.players": 3, "rules.lone": "1"}, 0),
                           ({"rules.players": 3}, 2)):
        with pytest.raises(InputError, match=r"^lone: "):
            step.new_game(1, make_rules(settings), lone=lone)


def test_positions_in_words() -> None:
    seen = Counter[str]()
    for game in positions(few(4, 1)):
        text = str(game)
        assert text.startswith(f"turn {game.turn + 1}, side {game.active} is active; lead {game.lead:+d} for side 0")
        assert ("  market: " in text) is game.rules.advanced
        assert text.count("hand ") == game.players(0) + game.players(1)
        assert ("  over: " in text) is game.is_over
        for seat in (0, 1):
            place = game.m_space(seat)
            assert (f"Division M pawn on {place}" in text) or place is None
            seen["pawn"] += place is not None
            seen["held"] += bool(game.ongoing(seat))
        seen["table"] += "on the table" in text
        seen["player"] += ", player " in text
    assert min(seen.values()) > 0


def test_states_can_not_be_written_by_applying() -> None:
    game = step.new_game(2, make_rules(ADVANCED))
    state = game.state.copy()
    game.apply(game.legal_actions()[0])
    np.testing.assert_array_equal(game.state, state)


def test_the_documented_example_runs(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (repository / "docs" / "step_api.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(example, "docs/step_api.md", "exec"), {})
    out = capsys.readouterr().out
    assert out.startswith("turn 1, side 0 is active")
    assert out.splitlines()[-1].endswith(("True", "False"))
    documented = re.findall(r"^\| `(\w+)` \| `", page, re.MULTILINE)
    assert documented == list(step.QUESTIONS)
