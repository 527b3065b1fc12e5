"""The step API plays what the kernel plays: the same decisions from the same addresses, row by row."""

from __future__ import annotations

from itertools import pairwise

import pytest

from agentsim.games.shady_agents import engine as e
from agentsim.games.shady_agents import kernel as k
from agentsim.games.shady_agents import step
from agentsim.games.shady_agents.catalog import CATALOG
from agentsim.games.shady_agents.game import ShadyAgents
from agentsim.games.shady_agents.replay import make_player, play_one
from agentsim.games.shady_agents.rules import SIDES, TOOLS
from agentsim.games.shady_agents.session import Session, seatings
from tests.games_shady.helpers import PLAYERS, few, rules

NAMES = list(CATALOG.presets)


@pytest.mark.parametrize("players", PLAYERS)
def test_replay_is_the_kernel(players: int) -> None:
    made = rules(players, talk__misread=0, belief__p_medkit_friend=1)
    matchups = [[CATALOG.from_spec(NAMES[(start + i) % len(NAMES)]) for i in range(players)]
                for start in range(0, len(NAMES), players)]
    matchups.append([CATALOG.from_spec("bayes")] * players)
    run = Session(made, matchups, 6)
    resets = 0
    for number, matchup in enumerate(matchups):
        turns = seatings(matchup)
        # A prime number of games, so that both rotations move on.
        rows, (moves, move_game), *_ = run._run(number, 0, few(37, 3), "turns")
        people = [make_player(ref, made) for ref in matchup]
        for index in range(0, len(rows), 3):
            row = rows[index]
            course = play_one(6, number, index, turns, made, people)
            end = course[-1][0]
            logged = moves[move_game == index]
            assert len(logged) == len(course) - 1
            assert e.END_REASONS.index(str(end.end_reason)) == row[k.G_REASON]
            assert list(end.points) == row[k.G_SCORE:k.G_SCORE + players].tolist()
            assert list(end.side_points.values()) == row[k.G_POINTS:k.G_POINTS + 2].tolist()
            assert [SIDES.index(role) for role in end.roles] == [row[k.G_ROLES] >> seat & 1 for seat in range(players)]
            seated = [people[(seat + index % turns) % players].ref for seat in range(players)]
            assert row[k.G_CONTRADICTIONS] == sum(
                count for count, ref in zip(end.resets, seated, strict=True) if ref.family == "sleuth")
            resets += int(row[k.G_CONTRADICTIONS])
            for (game, action), line in zip(course[:-1], logged, strict=True):
                assert (line[k.M_TURN], line[k.M_SEAT]) == (game.turn, game.to_move)
                match action:
                    case step.Give(tool, seat):
                        assert line[[k.M_ACTION, k.M_TOOL, k.M_OTHER]].tolist() == [k.A_GIVE, TOOLS.index(tool), seat]
                    case step.Call(thrown):
                        assert (line[k.M_ACTION], line[k.M_TOOL]) == (
                            k.A_CALL, -1 if thrown is None else TOOLS.index(thrown))
    assert resets or not few(1, 0)


def test_stories_tell_all_there_is() -> None:
    game = ShadyAgents()
    made = game.rules({"rules.players": 5, "talk.misread": 0, "belief.p_medkit_friend": 1})
    matchups = [[game.policy(name) for name in ("bayes", "interrogator", "random", "naive", "muddler")]]
    told = [game.story(made, matchups, 4, 0, index) for index in range(few(60, 8))]
    assert told[0] == game.story(made, matchups, 4, 0, 0)
    for text in told:
        assert "None" not in text
        assert text.splitlines()[-1].startswith("After 10 turns")
        assert text.count("\nTurn ") in (10, 11)
    everything = "\n".join(told)
    for words in ("keeps both tools", "throws its bullet away", "throws its medkit away", "a lie", "the truth",
                  "a friend", "an enemy", "is one player smaller", "side wins by points"):
        assert words in everything
    if few(1, 0):
        assert "back to the start" in everything
        assert "nobody wins" in everything


def test_a_story_is_the_logged_game() -> None:
    game = ShadyAgents()
    made = game.rules({"rules.players": 4})
    matchups = [[game.policy(name) for name in ("bayes", "naive", "random", "expert")]]
    games = game.session(made, matchups, 4).play(0, 0, 2, "games").tables["games"]
    for index in range(few(32, 3)):
        text = game.story(made, matchups, 4, 0, index)
        score = f"law-abiding {games['side_points_law'][index]:+d} ({games['side_medkits_law'][index]} medkits)"
        assert score in text.splitlines()[-1]


def test_the_game_answers_for_its_parts() -> None:
    game = ShadyAgents()
    made = game.rules({"rules.players": 7})
    assert game.rules(game.rules_as_dict(made)) == made
    assert game.seats(made) == 7
    assert {key.name for key in game.rule_keys()} == set(game.rules_as_dict(made))
    assert [ref.label for ref in game.policies()] == NAMES
    assert game.games_per_deal([game.policy("random")] * 7, made) == 7
    assert game.games_per_deal([game.policy("naive"), *[game.policy("random")] * 6], made) == 49
    assert game.parameters(game.policy("random")) == game.parameters(game.policy("naive")) == ()
    assert {card["id"]: card["number"] for card in game.cards(made)} == {
        "medkit": 7, "bullet": 7, "law": 4, "crooked": 4}
    assert game.additions() == {}
    assert game.new_game(3, {"rules.players": 9}).players == 9
    assert [table.name for table in game.tables(made, "turns")] == ["games", "moves", "statements"]
    assert game.session(made, [[game.policy("random")] * 7], 1).play(0, 0, 5, "none").n_games == 35


def test_positions_are_independent_objects() -> None:
    course = play_one(3, 0, 2, 1, rules(4), [make_player(CATALOG.from_spec("bayes"), rules(4))] * 4)
    assert all(before.turn <= after.turn for (before, _), (after, _) in pairwise(course))
    assert len({id(game.state) for game, _ in course}) == len(course)
