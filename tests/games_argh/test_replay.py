"""The step API plays what the kernel plays: the same decisions from the same addresses, row by row."""

from __future__ import annotations

from itertools import pairwise

import pytest

from agentsim.games.argh import engine as e
from agentsim.games.argh import kernel as k
from agentsim.games.argh import step
from agentsim.games.argh.cards import LOCATIONS
from agentsim.games.argh.catalog import CATALOG
from agentsim.games.argh.game import Argh
from agentsim.games.argh.replay import make_player, play_one
from agentsim.games.argh.session import Session
from tests.games_argh.helpers import PLAYERS, few, rules

NAMES = list(CATALOG.presets)


@pytest.mark.parametrize("promos", [False, True])
@pytest.mark.parametrize("players", PLAYERS)
def test_replay_is_the_kernel(players: int, promos: bool) -> None:
    made = rules(players, promos=promos)
    matchups = [[CATALOG.from_spec(NAMES[(start + i) % len(NAMES)]) for i in range(players)]
                for start in range(0, len(NAMES), players)]
    run = Session(made, matchups, 6)
    for number, matchup in enumerate(matchups):
        per_deal = run.games_per_deal(number)
        rows, turns, turn_game = run._run(number, 0, few(6, 1) * per_deal, "turns")
        people = [make_player(ref, made) for ref in matchup]
        for index, row in enumerate(rows):
            course = play_one(6, number, index, per_deal, made, people)
            end = course[-1][0]
            logged = turns[turn_game == index]
            assert (end.turn + 1, e.END_REASONS.index(str(end.end_reason))) == (row[k.G_TURNS], row[k.G_REASON])
            assert [round(12 * share) for share in end.shares] == row[k.G_SHARE:k.G_SHARE + players].tolist()
            assert list(end.points) == row[k.G_POINTS:k.G_POINTS + players].tolist()
            assert len(logged) == end.turn + 1
            for (game, action), (after, _) in pairwise(course):
                line = logged[game.turn]
                match action:
                    case step.Draw(pile):
                        assert line[k.T_PILE] == LOCATIONS.index(pile)
                        assert line[k.T_CARD] == after.state[e.CARD]
                    case step.Keep():
                        assert line[k.T_ACTION] == k.A_KEEP
                    case step.OfferTo(seat):
                        assert (line[k.T_ACTION], line[k.T_OTHER]) == (k.A_OFFER, seat)
                    case step.Answer(accept):
                        assert line[k.T_ACCEPTED] == accept
                    case step.Steal(seat, pile, order):
                        assert (line[k.T_ACTION], line[k.T_OTHER], line[k.T_PLACE]) == (
                            k.A_STEAL, seat, game.number(pile, order))
                    case step.Pass():
                        assert line[k.T_ACTION] == k.A_PASS
                    case step.Peek(pile, order):
                        assert line[k.T_PEEKED] == game.state[e.DECK + game.number(pile, order)]


def test_stories_tell_all_there_is() -> None:
    game = Argh()
    made = game.rules({"rules.players": 4, "rules.promos": True})
    matchups = [[game.policy(name) for name in ("expert", "hoarder", "random", "thief")]]
    told = [game.story(made, matchups, 4, 0, index) for index in range(few(120, 12))]
    assert told[0] == game.story(made, matchups, 4, 0, 0)
    for text in told:
        assert "None" not in text
        assert text.splitlines()[-1].startswith("After ")
    everything = "\n".join(told)
    for words in ("keeps it face down", "who accepts", "who refuses", "steals", "the last round begins", "(hidden)"):
        assert words in everything
    if few(1, 0):
        assert "The owl shows" in everything


def test_the_game_answers_for_its_parts() -> None:
    game = Argh()
    made = game.rules({"rules.players": 3})
    assert game.rules(game.rules_as_dict(made)) == made
    assert game.seats(made) == 3
    assert {key.name for key in game.rule_keys()} == set(game.rules_as_dict(made))
    assert [ref.label for ref in game.policies()] == NAMES
    assert game.games_per_deal([game.policy("random")] * 3, made) == 1
    assert game.parameters(game.policy("random")) == ()
    assert [card["id"] for card in game.cards(made)] == list(made.names)
    assert game.new_game(3, {"rules.players": 3}).players == 3
    assert [table.name for table in game.tables(made, "turns")] == ["games", "turns"]
    assert game.session(made, [[game.policy("random")] * 3], 1).play(0, 0, 5, "none").n_games == 5
