"""Tables of any number of seats: lineups, win shares on disk, standings by hand and in words, commands and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import agentsim
from agentsim.cli import main
from agentsim.commands.standings import standing_lines
from agentsim.errors import InputError
from agentsim.experiment import Draft, Experiment, build_experiment
from agentsim.games.argh import cards as cards_of_argh
from agentsim.games.base import Column, Table
from agentsim.simulation.parts import TableBuffer, read_digest
from agentsim.standings import Standing, standing_frame, standings, who_plays
from agentsim.stats.clustered import bounded_mean

FOUR = {"rules.players": 4}


def plan(policies: Any, settings: dict[str, Any] | None = None, **arguments: Any) -> Experiment:
    return build_experiment(policies, game="argh", games=48, settings=FOUR if settings is None else settings,
                            **arguments)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    return captured.err


# ---- lineups -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("policies", "matchups"), [
    ("random", [(0, 0, 0, 0)]),
    ("random,expert", [(0, 1, 1, 1), (1, 0, 0, 0)]),
    ("random,expert,thief", [(0, 1, 1, 1), (0, 2, 2, 2), (1, 0, 0, 0), (1, 2, 2, 2), (2, 0, 0, 0), (2, 1, 1, 1),
                             (0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2)]),
    ("random,expert,thief,friend", [(0, 1, 2, 3)]),
    ("random,expert,random,expert", [(0, 1, 0, 1)]),
    ("random,random,random,random", [(0, 0, 0, 0)]),
], ids=str)
def test_who_sits_at_a_table_of_four(policies: str, matchups: list[tuple[int, ...]]) -> None:
    assert list(plan(policies).matchups) == matchups


def test_named_plans_of_four_seats() -> None:
    assert list(plan("random,expert", matchups="one_among").matchups) == [(0, 1, 1, 1), (1, 0, 0, 0)]
    assert len(plan("random,expert", matchups="round_robin").matchups) == 5
    assert list(plan("random,expert", {}, matchups="one_among").matchups) == [(0, 1)]
    listed = plan("random,expert", matchups=[("random", "expert", "random", "expert")])
    assert listed.games_per_deal() == (2,)


@pytest.mark.parametrize(("policies", "arguments", "message"), [
    ("random,random", {}, "listed twice"),
    ("random", {"matchups": "one_among"}, "at least two"),
    ("all", {"settings": {"rules.players": 10}, "game": "shady_agents", "matchups": "round_robin"},
     "at most 10,000"),
    ("random,expert", {"matchups": [("random", "expert")]}, "must name 4 policies"),
    ("random,expert", {"matchups": [("random", *("expert",) * 3), ("expert", "expert", "random", "expert")]},
     "listed twice"),
    ("random,expert", {"games": 50}, "a multiple of 4"),
], ids=str)
def test_bad_lineups(policies: str, arguments: dict[str, Any], message: str) -> None:
    given = {"game": "argh", "games": 48, "settings": FOUR} | arguments
    with pytest.raises(InputError, match=message):
        build_experiment(policies, **given)


def test_an_experiment_file_for_a_table_of_five(tmp_path: Path) -> None:
    (tmp_path / "five.toml").write_text(
        'game = "shady_agents"\npolicies = ["bayes", "random"]\ngames = 250\n'
        'matchups = [["bayes", "random", "bayes", "random", "random"]]\n[rules]\nplayers = 5\n[talk]\nmisread = 0\n')
    experiment = Draft.read(tmp_path / "five.toml").build()
    assert experiment.matchups == ((0, 1, 0, 1, 1),)
    assert experiment.games_per_deal() == (25,)
    assert experiment.settings["talk.misread"] == 0


def test_a_card_file_of_argh(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shipped = Path(cards_of_argh.__file__).parent / "base.toml"
    (tmp_path / "mine.toml").write_text(shipped.read_text(encoding="utf-8").replace("value = 7", "value = 9"),
                                        encoding="utf-8")
    path = str(tmp_path / "mine.toml")
    cards = json.loads(run(capsys, "cards", "--game", "argh", "--cards", path, "--json"))["cards"]
    assert [card["value"] for card in cards if card["id"] == "rat"] == [9]
    (tmp_path / "plan.toml").write_text('game = "argh"\npolicies = ["random"]\ncards = "mine.toml"\n')
    assert Draft.read(tmp_path / "plan.toml").build().settings["cards.rat.value"] == 9


# ---- win shares on disk ------------------------------------------------------------------------------------------

def test_shares_are_stored_exactly_and_read_as_fractions(tmp_path: Path) -> None:
    table = Table("games", (Column("game_id", "int", "id"), Column("share_0", "share", "a share"),
                            Column("share_other", "share", "null without", nullable=True)))
    arrays = {"game_id": np.arange(5), "share_0": np.array([0, 3, 4, 6, 12], np.int8),
              "share_other": np.array([-1, 0, 1, -1, 12], np.int8)}
    (tmp_path / "games").mkdir()
    buffer = TableBuffer(table)
    buffer.add(arrays)
    buffer.write(tmp_path, 0)
    path = tmp_path / "games" / "part-00000.parquet"
    found = pq.read_table(path)
    assert found["share_0"].to_pylist() == [0, 1 / 4, 1 / 3, 1 / 2, 1]
    assert found["share_other"].to_pylist() == [None, 0, 1 / 12, None, 1]
    assert read_digest(path, table.columns) == buffer.digest
    bent = found.set_column(1, "share_0", [[0.0, 0.2, 0.3, 0.5, 1.0]])
    pq.write_table(bent, path)
    with pytest.raises(ValueError, match="share_0"):
        read_digest(path, table.columns)


# ---- standings ---------------------------------------------------------------------------------------------------

def by_hand(shares: np.ndarray) -> dict[str, np.ndarray]:
    """The counters of a matchup of four from slot shares (deals, slots) of whole blocks; seats as slots."""
    shares = shares.astype(np.int64)
    return {"slot_share": shares.sum(axis=0), "slot_products": shares.T @ shares, "seat_share": shares.sum(axis=0),
            "seat_products": shares.T @ shares, "end_reason": np.array([4 * len(shares), 0, 0, 0, 0, 0]),
            "turns": np.array([0, 0, 4 * len(shares)])}


def test_a_matchup_by_hand() -> None:
    rng = np.random.default_rng(5)
    shares = 12 * rng.multinomial(4, [0.4, 0.3, 0.2, 0.1], size=200)
    experiment = plan("random,expert", matchups=[("random", "expert", "expert", "expert")])
    result, = standings(experiment, [by_hand(shares)])
    assert (result.n_games, result.n_deals, result.games_per_deal) == (800, 200, 4)
    scores = shares / 48
    one, rest = scores[:, 0], scores[:, 1:].mean(axis=1)
    first, second = result.scores
    assert (first.name, first.n_seats, second.name, second.n_seats) == ("random", 1, "expert", 3)
    for party, score, lead in ((first, one, one - rest), (second, rest, rest - one)):
        for found, values, bounds in ((party.score, score, (0.0, 1.0)), (party.lead, lead, (-1.0, 1.0))):
            expected = bounded_mean(values.mean(), values.var(), 200, games=800, level=0.95**0.5, bounds=bounds)
            assert (found.estimate, found.low, found.high) == pytest.approx(
                (expected.estimate, expected.low, expected.high))
    assert result.ends["bomb"].estimate == 1
    assert result.turns is not None
    assert result.turns.estimate == 2


def test_intervals_cover_as_often_as_they_say() -> None:
    experiment = plan("random,expert", matchups=[("random", "expert", "expert", "expert")])
    rng = np.random.default_rng(7)
    truth = np.array([0.4, 0.3, 0.2, 0.1])
    misses = 0
    for _ in range(400):
        # Two games of a deal are copies of each other: the unit is the deal.
        shares = 24 * rng.multinomial(2, truth, size=100)
        result, = standings(experiment, [by_hand(shares)], level=0.9)
        misses += not (result.scores[0].lead.contains(0.4 - 0.2) and result.scores[0].score.contains(0.4))
    assert misses / 400 <= 0.1 + 2.33 * (0.1 * 0.9 / 400) ** 0.5


def told(results: list[Standing]) -> str:
    lines = standing_lines(results, 100)
    assert max(map(len, lines)) <= 100
    return " ".join(" ".join(lines).split())


def test_what_is_told() -> None:
    one = agentsim.simulate(policies="random,expert", game="argh", settings=FOUR, games=4000,
                            matchups=[("random", "expert", "expert", "expert")])
    text = told(standings(one.experiment, one.tallies))
    assert "random scores" in text
    assert "1 of 4 seats; leads by -" in text
    assert "expert scores more than the others at this table." in text
    assert "4,000 games of 1,000 deals, each played 4 times" in text
    two = agentsim.simulate(policies="random,expert", game="argh", settings=FOUR, games=400)
    text = told(standings(two.experiment, two.tallies))
    assert "random against 3 x expert" in text
    assert "the 4 intervals of a column" in text
    frame = two.summary()
    assert set(frame["kind"]) == {"policy", "seat"}
    assert len(frame) == 2 * (2 + 4)
    nothing = standings(two.experiment, [{}, {}])
    assert told(nothing) == "No games were played yet."
    assert standing_frame(nothing)["score"].isna().all()
    assert who_plays(("a", "b", "a", "b")) == "a against b against a against b"
    assert who_plays(("a", "a")) == "a against itself"


def test_sides_and_seats_of_a_mirror() -> None:
    found = agentsim.simulate(policies="random", game="shady_agents", settings={"rules.players": 5}, games=10_000)
    result, = standings(found.experiment, found.tallies)
    law, crooked = result.groups["side"]
    assert law.score.estimate + crooked.score.estimate == pytest.approx(1)
    assert law.lead.estimate == pytest.approx(2 * law.score.estimate - 1)
    smaller, larger = result.groups["size"]
    assert smaller.score.estimate + larger.score.estimate == pytest.approx(1)
    text = told([result])
    assert "the law side scores" in text
    assert "the smaller side scores" in text
    assert "Shady" not in text


# ---- commands ----------------------------------------------------------------------------------------------------

def test_games_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    found = {game["name"]: game for game in json.loads(run(capsys, "games", "--json"))["games"]}
    assert found["argh"]["players"] == [2, 3, 4]
    assert found["shady_agents"]["players"] == list(range(4, 11))
    assert "bayes" in found["shady_agents"]["policy_names"]
    text = run(capsys, "games")
    for words in ("Shady Agents", "4 to 10", "accept or refuse", "advanced mode"):
        assert words in text


def test_a_run_of_each_new_game(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for game, settings, games, more, tables in (
            ("argh", "rules.players=3", "60", "90", {"games", "turns"}),
            ("shady_agents", "rules.players=4", "160", "320", {"games", "moves", "statements", "beliefs"})):
        path = str(tmp_path / game)
        run(capsys, "simulate", "--game", game, "--policies", "random,expert", "--set", settings, "--games", games,
            "--log", "full", "--out", path, "--quiet")
        assert "random against" in run(capsys, "inspect", path, "--verify")
        run(capsys, "extend", path, "--games", more, "--quiet")
        assert "All games had been played already." in run(capsys, "resume", path, "--quiet")
        assert run(capsys, "replay", path, "--game", "7").count("\n") > 5
        run(capsys, "export", path, "--csv", f"{path}_csv")
        assert {file.stem for file in Path(f"{path}_csv").iterdir()} == tables | {"matchups"}
        with agentsim.open_run(path) as opened:
            games_table = opened.table("games")
            assert games_table["share_0"].between(0, 1).all()
            assert opened.sql("SELECT avg(share_0) AS s FROM games")["s"][0] == games_table["share_0"].mean()
        for words in (("cards",), ("rules",), ("policies",), ("policies", "expert"), ("schema",)):
            assert run(capsys, *words, "--game", game)
            assert json.loads(run(capsys, *words, "--game", game, "--json"))["game"] == game


def test_one_line_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'argh'" in refused(capsys, "simulate", "--game", "arg", "--policies", "random")
    assert "2 to 4" in refused(capsys, "simulate", "--game", "argh", "--policies", "random", "--set", "rules.players=5")
    assert "rules.players" in refused(capsys, "rules", "--game", "argh", "--set", "rules.player=3")
    assert "no card files" in refused(capsys, "validate", "x.toml", "--game", "shady_agents")
    assert "unknown policy 'greedy'" in refused(capsys, "simulate", "--game", "argh", "--policies", "greedy")
    words = ("simulate", "expert", "--game", "argh", "--policies", "random")
    assert "joined by commas" in refused(capsys, *words)
    with pytest.raises(InputError, match="scored by win shares"):
        agentsim.summarise(plan("random"), [{}])
    with pytest.raises(InputError, match="not scored by win shares"):
        standings(build_experiment("random", games=10), [{}])
