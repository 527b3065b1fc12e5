"""The notation: games written, read and replayed; what it says to files that cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsim.errors import InputError
from agentsim.games.agent_avenue.notation import GameRecord, Ply, play_record, record_of, write_game
from agentsim.games.agent_avenue.notation.reading import parse_game, read_game
from agentsim.games.agent_avenue.notation.words import find_name, name_list
from agentsim.games.base import get_game
from tests.test_cli_cards import COURIER

MODES = {
    "base": {}, "advanced": {"rules.mode": "advanced"}, "three": {"rules.players": 3},
    "four": {"rules.players": 4, "rules.mode": "advanced"}, "division_m": {"rules.expansion": "division_m"},
    "everything": {"rules.expansion": "division_m", "rules.mode": "advanced", "rules.market": "both",
                   "rules.ceasefire": True, "rules.supply": 4},
    "three_division_m": {"rules.expansion": "division_m", "rules.players": 3, "rules.mode": "advanced"},
    "changed": {"rules.discards": 1, "cards.sentinel.third": 4, "rules.tie_rule": "draw", "cards.mole.copies": 2}}


def courses(settings, n, policies="random_discards,random"):
    game = get_game("agent_avenue")
    rules = game.rules(settings)
    pair = [game.policy(name) for name in policies.split(",")]
    for index in range(n):
        yield index // game.games_per_deal(pair, rules), game.course(rules, [pair], 5, 0, index)


def check_round_trip(settings, n):
    for deal, course in courses(settings, n):
        for dealt in ((5, deal), None):
            record = record_of(course, names=("Ann", ""), deal=dealt)
            text = write_game(record)
            again = parse_game(text)
            assert again == record
            assert write_game(again) == text
            steps = play_record(again)
            assert [step.action for step in steps] == [action for _, action in course]
            assert all(str(step.game) == str(game) for step, (game, _) in zip(steps, course, strict=True))
            assert all(len(step.sees) == record.rules.players for step in steps)
            if dealt:
                assert all(step.game == game for step, (game, _) in zip(steps, course, strict=True))


@pytest.mark.parametrize("mode", MODES)
def test_a_game_comes_back_from_its_text_and_is_played_to_the_same_end(mode):
    check_round_trip(MODES[mode], 12)


GIFT = """
[market.gift]
names = { en = "Gift" }
kind = "instant"
effects = [{ do = "move", spaces = 2 }, { do = "recruit", from = "hand", of = "any" }]
[agents.sentinel]
third = 5
"""


@pytest.mark.parametrize(("cards", "lines"), [
    (GIFT, 11), (COURIER, 14), (GIFT + COURIER, 24), ('replace = ["market"]\n' + GIFT, 130),
    ('replace = ["agents", "market"]\n' + GIFT.replace("third = 5", "copies = 15") + COURIER.replace("= 3", "= 15"),
     60)])
def test_games_with_cards_of_ones_own_come_back(cards, lines, tmp_path):
    """Their text names the cards that are not those of the box, and no others unless some of the box are out."""
    (tmp_path / "mine.toml").write_text(cards, encoding="utf-8")
    for mode in ({"rules.mode": "advanced"}, {"rules.mode": "advanced", "rules.expansion": "division_m"}):
        settings = {**mode, "rules.cards": str(tmp_path / "mine.toml")}
        check_round_trip(settings, 4)
        _, course = next(courses(settings, 1))
        text = write_game(record_of(course, names=("Ann", ""), deal=(5, 0)))
        assert text.count("Rule: ") <= lines


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_two_hundred_games_come_back(mode):
    check_round_trip(MODES[mode], 200)


@pytest.mark.parametrize("mode", ["base", "four_base"])
def test_the_other_sides_cards_may_be_left_out(mode):
    """What a person at a table can write down: their own cards, and what lay open."""
    settings = {"four_base": {"rules.players": 4}}.get(mode, {})
    unknown = 0
    for _, course in courses(settings, 25):
        record = record_of(course)
        plies = []
        for (game, _), ply in zip(course, record.plies, strict=False):
            mine = game.to_move == 0
            hides = type(ply.action).__name__ == "Discard" and not mine
            plies.append(ply if mine else Ply(replace(ply.action, name="?") if hides else ply.action))
        mine_only = replace(record, plies=tuple(plies),
                            hands={who: cards for who, cards in record.hands.items() if who[0] == 0})
        steps = play_record(parse_game(write_game(mine_only)))
        for step, (game, _) in zip(steps, course, strict=True):
            assert {who for who in step.sees if who[0] == 0} == {who for who in record.hands if who[0] == 0}
            assert step.game.observe(0) == game.observe(0) if settings else True
            assert step.game.hand(0) == game.hand(0)
            unknown += (1, 0) not in step.sees
        assert steps[-1].game.winner == course[-1][0].winner
    assert unknown > 50


def test_a_typed_game():
    record = parse_game("""
# from the table
Hand 0: 2 cod, mole, double agent
1. seat 0: discards mole; draws enf; offers codebreaker/dou
   seat 1 takes face-up
2. offers sen up, sab down; draws ?, ?; takes down
""")
    assert record.hands[0, 0] == ("codebreaker", "codebreaker", "mole", "double_agent")
    steps = play_record(record)
    assert steps[-1].game.turn == 2
    assert steps[1].game.hand(0) == {"double_agent": 1, "enforcer": 1, "codebreaker": 2}
    assert steps[-1].game.in_play(0) == {"double_agent": 1, "saboteur": 1}
    assert steps[0].sees == {(0, 0)}
    assert steps[2].sees == set(), "what seat 0 drew after its offer is not told"


def test_an_offer_may_wait_for_its_answer():
    steps = play_record(parse_game("1. seat 0: offers sentinel up, ? down"))
    assert steps[-1].game.to_move == 1
    assert steps[-1].game.observe(1).face_up == "sentinel"


HAND = "Hand 0: mole, sentinel, enforcer, enforcer\n"
DEALT = "Deal: 1 0\nHand 0: enforcer, codebreaker, codebreaker, daredevil\n"
BAD = {
    "Colour: red": ("g.txt, line 1: unknown header 'Colour'", ""),
    "Gane: Agent Avenue": ("g.txt, line 1: unknown header 'Gane'", "did you mean 'Game'"),
    "Game: chess": ("g.txt, line 1: Game: 'chess'", "allowed: Agent Avenue"),
    "hello there": ("g.txt, line 1: 'hello there' is neither a header nor a turn", ""),
    "Hand 0: mole, sentinal, enforcer, enforcer": ("g.txt, line 1: Hand 0: 'sentinal' is not an agent", "'sentinel'"),
    "Hand 0: mole, s, enforcer, enforcer": ("g.txt, line 1: Hand 0: 's' may be saboteur or sentinel or sidekick", ""),
    "Hand 0: mole": ("g.txt, line 1: Hand 0: has 1 cards", "allowed: 4 cards"),
    "Hand 2: mole": ("g.txt, line 1: Hand: whose hand?", ""),
    "Hand 0: 2 mole, 2 enforcer": ("g.txt, line 1: Hand 0: there are not so many mole", ""),
    "Rule: rules.discard = 2": ("g.txt, line 1: rules.discard: unknown key", "rules.discards"),
    "Rule: rules.discards 2": ("g.txt, line 1: Rule: 'rules.discards 2' is no rule", ""),
    "Deal: x": ("g.txt, line 1: Deal: 'x' is no deal", ""),
    "Lone: 1": ("g.txt, line 1: Lone: nobody is alone", ""),
    "Market: outpost": ("g.txt, line 1: Market: 'outpost' is not a Black Market card", ""),
    "1. seat 0: ofers mole up, sentinel down": ("g.txt, line 1: cannot read 'ofers", "did you mean 'offers'"),
    "1. seat 0: offers mole": ("g.txt, line 1: cannot read 'offers mole'", "offers sentinel up, enforcer down"),
    "2. seat 0: offers mole up, sentinel down": ("g.txt, line 1: turn 2", "allowed: turn 1"),
    "1. seat 1: offers mole up, sentinel down": ("g.txt, line 1: it is not for seat 1", "seat 0"),
    "1. seat 4: takes up": ("g.txt, line 1: there is no seat 4", "0 or 1"),
    "1. seat 0: takes up": ("g.txt, line 1: 'takes up' is not possible for seat 0", "offers"),
    HAND + "1. seat 0: offers mole up, mole down": ("g.txt, line 2: seat 0 cannot hold 2 mole", "its hand"),
    HAND + "1. seat 0: offers saboteur up, mole down": ("g.txt, line 2: seat 0 cannot hold 1 saboteur", "2 enforcer"),
    HAND + "1. seat 0: offers enforcer up, enforcer down": (
        "g.txt, line 2: 'offers enforcer up, enforcer down' is not possible", "allowed: offers"),
    HAND + "1. seat 0: discards mole; draws mole": ("g.txt, line 2: mole cannot be drawn here", ""),
    HAND + "1. seat 0: discards mole; draws saboteur, saboteur": (
        "g.txt, line 2: draws saboteur, saboteur", "1 cards here"),
    HAND + "1. seat 0: discards ?": ("g.txt, line 2: the whole hand is known", ""),
    "1. seat 0: offers mole up, ? down; seat 1 takes up": ("g.txt, line 1: the face-down card is known", ""),
    "draws mole": ("g.txt, line 1: 'draws mole' is neither", ""),
    "1. draws mole": ("g.txt, line 1: 'draws mole' follows no action", ""),
    "Result: seat 0 wins by catch": ("g.txt, line 1: Result: 'seat 0 wins by catch', but the game is not over", ""),
    "Deal: 1 0\nHand 0: 4 enforcer": ("g.txt, line 2: Hand 0: is not what the deal brings", "allowed: "),
    "Deal: 1 0\n1. seat 0: offers ? up, mole down": ("g.txt, line 2: '?' is not an agent", ""),
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_gets_one_line(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.txt").write_text(text)
    with pytest.raises(InputError) as caught:
        play_record(read_game("g.txt"))
    start, more = BAD[text]
    assert str(caught.value).startswith(start), str(caught.value)
    assert more in str(caught.value), str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_result_is_noticed():
    _, course = next(iter(courses({}, 1)))
    record = record_of(course)
    other = replace(record, result=f"seat {1 - course[-1][0].winner} wins by catch")
    with pytest.raises(InputError, match="is not how this game ends"):
        play_record(other)
    with pytest.raises(InputError, match="the game is over"):
        play_record(replace(record, plies=(*record.plies, record.plies[-1])))


def test_files_that_are_no_text(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00\x80")
    for path in (tmp_path / "bytes", tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError):
            read_game(path)


def test_names():
    names = ("double_agent", "daredevil", "sentinel", "sidekick")
    assert find_name("Double Agent", names) == find_name("da", ("double_agent", "daring_ape")[:1]) == "double_agent"
    assert find_name("sen", names) == "sentinel"
    with pytest.raises(InputError, match="sentinel or sidekick"):
        find_name("s", names)
    assert name_list("2 sen, side", names) == ("sentinel", "sentinel", "sidekick")
    assert name_list("nothing", names) == ()
    assert GameRecord(get_game("agent_avenue").rules({}), ()).at(3) == "game, line 3"
