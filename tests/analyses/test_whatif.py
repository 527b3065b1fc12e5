"""Comparing rule sets on the same deals: numbers against a slow count, seeds, doses, words, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agentsim.cli import main as command
from agentsim.errors import InputError
from agentsim.games.base import SHARE_PARTS, get_game
from agentsim.report.lint import lint
from agentsim.stats import paired_difference
from analyses import whatif, whatif_page
from analyses.whatif import Variant, deals_needed, differences, doses, measure, nearest_value

GAME = get_game("agent_avenue")
BASE, CHANGED = {}, {"rules.discards": 2, "cards.sentinel.third": 5}


def played(policies: str = "expert", n_deals: int = 600, **options: Any) -> whatif.Measured:
    refs = [GAME.policy(name) for name in policies.split(",")]
    variants = [Variant("base", GAME.rules(BASE)), Variant("changed", GAME.rules(CHANGED))]
    return measure(GAME, variants, [(refs[0], refs[-1])], n_deals, seed=3, **options)


def by_deal(settings: dict[str, Any], policies: str, n_deals: int) -> dict[str, np.ndarray]:
    """The same numbers from the whole log of games, deal by deal, in plain Python."""
    refs = [GAME.policy(name) for name in policies.split(",")]
    session = GAME.session(GAME.rules(settings), [(refs[0], refs[-1])], 3)
    games = session.play(0, 0, n_deals, "games").tables["games"]
    found: dict[int, list[tuple[float, ...]]] = {}
    for at in range(len(games["winner"])):
        score = {0: 1.0, 1: 0.0}.get(int(games["winner"][at]), 0.5)
        a = score if games["policy_0"][at] == 0 else 1.0 - score
        found.setdefault(int(games["deal_id"][at]), []).append(
            (score, a, float(games["n_turns"][at]), float(games["end_reason"][at] == 0)))
    means = np.array([np.mean(found[deal], axis=0) for deal in sorted(found)])
    return dict(zip(("first_player", "score_a", "turns", "end_catch"), means.T, strict=True))


@pytest.mark.parametrize("policies", ["expert", "expert,greedy"])
def test_the_numbers_are_those_of_the_deals(policies: str) -> None:
    table = differences(played(policies)).set_index("metric")
    base, changed = by_deal(BASE, policies, 600), by_deal(CHANGED, policies, 600)
    for metric in ("first_player", "turns", "end_catch", *(["score_a"] if "," in policies else [])):
        row = table.loc[metric]
        assert row["base"] == pytest.approx(base[metric].mean())
        assert row["changed"] == pytest.approx(changed[metric].mean())
        assert row["difference"] == pytest.approx((changed[metric] - base[metric]).mean())
        assert row["correlation"] == pytest.approx(np.corrcoef(base[metric], changed[metric])[0, 1])
    size = int(table["family_size"].iloc[0])
    known = paired_difference(changed["first_player"], base["first_player"], 0.95 ** (1 / size))
    assert (table.loc["first_player", "low"], table.loc["first_player", "high"]) == pytest.approx((known.low,
                                                                                                    known.high))
    assert ("score_a" in table.index) == ("," in policies)


def test_results_depend_on_the_seed_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    first = played(n_deals=500)
    monkeypatch.setattr(whatif, "CHUNK", 70)
    other = played(n_deals=500, workers=2)
    assert np.array_equal(first.total, other.total)
    assert np.allclose(first.square, other.square)


def test_the_base_against_itself_differs_nowhere() -> None:
    ref = GAME.policy("greedy")
    # Greedy never discards.
    same = [Variant("base", GAME.rules({})), Variant("again", GAME.rules({"rules.discards": 1}))]
    table = differences(measure(GAME, same, [(ref, ref)], 300, seed=1))
    assert (table["difference"] == 0).all()
    assert (table["clear"] == 0).all()
    found = whatif_page.tables(measure(GAME, same, [(ref, ref)], 300, seed=1), change="rules.discards = 1")
    assert "does not reach this play" in whatif_page.sentences(found)[0]


def test_the_pilot_says_how_many_deals_a_precision_takes() -> None:
    pilot = played(n_deals=4000)
    wanted = deals_needed(pilot, 0.01)
    table = differences(played(n_deals=wanted))
    half = ((table["high"] - table["low"]) / 2)[table["rate"]].max()
    assert half == pytest.approx(0.01, rel=0.1)


def curve() -> tuple[whatif.Measured, list[int]]:
    values = [2, 6, 20]
    ref = GAME.policy("random")
    variants = [Variant("base", GAME.rules({}))] + [
        Variant(str(value), GAME.rules({"cards.sentinel.third": value})) for value in values]
    return measure(GAME, variants, [(ref, ref)], 4000, seed=5), values


def test_the_nearest_value_is_named_with_its_rivals() -> None:
    measured, values = curve()
    table = doses(measured, values)
    turns = table[table["metric"] == "turns"].set_index("value")
    assert turns["estimate"].is_monotonic_decreasing
    assert turns["is_base"].tolist() == [False, True, False]
    assert turns.loc[6, "difference"] == 0
    best = nearest_value(table, "turns", float(turns.loc[20, "estimate"])).iloc[0]
    assert (best["value"], best["rivals"], best["hit"]) == (20, "", True)
    # Who starts is not moved by this card: all values are as near.
    even = nearest_value(table, "first_player", 0.5).iloc[0]
    assert len(even["rivals"].split(", ")) == 2
    far = nearest_value(table, "turns", 40.0).iloc[0]
    assert not far["hit"]
    with pytest.raises(InputError, match="first_player"):
        nearest_value(table, "fun", 1.0)


def test_the_page_shows_a_curve_and_its_aim() -> None:
    measured, values = curve()
    found = whatif_page.tables(measured, change="cards.sentinel.third", vary="cards.sentinel.third", values=values,
                               aim=("first_player", 0.5))
    assert set(whatif_page.figures(found)) == {"doses", "turns"}
    page = whatif_page.section(found)
    assert len(page.tables) == 2
    assert all("nan" not in chart.title for chart in page.charts)
    assert "comes nearest" in whatif_page.findings(found)[0].text


# ------------------------------------------------------------------------------------------------ the command


def test_the_command_compares_and_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["whatif", "--set", "rules.discards=0", "--policies", "expert", "--games", "400", "--quiet"]
    assert command([*arguments, "--out", str(tmp_path / "page")]) == 0
    told = capsys.readouterr().out
    assert "discards in a game" in told
    assert "hold together with 95 %" in told
    assert lint(tmp_path / "page") == []
    assert command([*arguments, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["n_deals"] == 400
    assert {"metric", "difference", "low", "high", "n_games"} <= set(data["differences"][0])


def test_the_command_draws_a_curve_of_words_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert command(["whatif", "--vary", "rules.tie_rule=active,passive,draw", "--policies", "greedy,random", "--games",
                    "200", "--aim", "draws=5%", "--quiet", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "rules.tie_rule = draw comes nearest" in told
    assert lint(tmp_path) == []


def test_the_command_plays_as_many_games_as_a_precision_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["whatif", "--set", "rules.hand_size=5", "--policies", "random", "--precision", "2", "--quiet",
                    "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    widest = max((row["high"] - row["low"]) / 2 for row in data["differences"] if row["rate"])
    assert 0.015 < widest < 0.022


@pytest.mark.parametrize(("game", "change", "policies", "numbers"), [
    ("argh", ["--base", "rules.players=3", "--set", "rules.promos=true"], ["random", "expert"],
     {"first_player", "seat_2", "draws", "turns", "end_bomb"}),
    ("shady_agents", ["--base", "rules.players=5", "--set", "rules.odd_bonus=0"], ["random", "bayes", "expert"],
     {"seat_4", "side_law", "size_smaller", "interrogations", "medkits_astray"}),
])
def test_games_with_win_shares_have_levels_and_numbers_of_their_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, game: str, change: list[str], policies: list[str],
    numbers: set[str],
) -> None:
    arguments = ["whatif", "--game", game, *change, "--games", "300", "--quiet"]
    assert command([*arguments, "--json", "--out", str(tmp_path)]) == 0
    rows = pd.DataFrame(json.loads(capsys.readouterr().out)["differences"])
    assert list(dict.fromkeys(rows["policies"])) == policies
    assert numbers <= set(rows["metric"])
    assert lint(tmp_path) == []
    # The numbers are those of a run of the same seed under each of the two rule sets.
    settings = [dict(item.split("=") for item in change[1::2][:sides]) for sides in (1, 2)]
    for column, keys in zip(("base", "changed"), settings, strict=True):
        typed = {key: json.loads(value) for key, value in keys.items()}
        seats = int(typed["rules.players"])
        it = get_game(game)
        mirrors = [(it.policy(name),) * seats for name in policies]
        n_deals = int(rows["n_deals"].iloc[0])
        games = it.session(it.rules(typed), mirrors, 1).play(len(mirrors) - 1, 0, n_deals, "games").tables["games"]
        mine = rows[(rows["policies"] == "expert") & (rows["metric"] == "first_player")].iloc[0]
        assert mine[column] == pytest.approx(games["share_0"].mean() / SHARE_PARTS)


def test_a_curve_of_a_counted_number_has_an_aim(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["whatif", "--game", "shady_agents", "--vary", "talk.verifiable=0,1", "--aim", "interrogations=2",
                    "--policies", "bayes", "--games", "600", "--quiet"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "talk.verifiable = 0 comes nearest to interrogations = 2.00" in told


@pytest.mark.parametrize(("arguments", "words"), [
    ([], ["whatif", "--set"]),
    (["--set", "rules.discards=4"], ["--set", "changes nothing"]),
    (["--set", "rules.discard=2"], ["--set", "rules.discards"]),
    (["--set", "rules.discards=99"], ["--set", "0 to 15"]),
    (["--base", "rules.hand=5", "--set", "rules.discards=2"], ["--base", "rules.hand_size"]),
    (["--vary", "rules.discards"], ["--vary", "KEY=a:b"]),
    (["--vary", "rules.discards=2"], ["--vary", "one value"]),
    (["--vary", "rules.discards=2:99"], ["--vary"]),
    (["--vary", "rules.discards=2:4:0"], ["--vary", "step"]),
    (["--vary", "rules.discards=0:10000000000000"], ["--vary", "2 to 60"]),
    (["--vary", "rules.discards=100000000000000000000000:0"], ["--vary", "2 to 60"]),
    (["--vary", "rules.discards=2,2"], ["--vary", "twice"]),
    (["--vary", "rules.discards=1:3", "--set", "rules.discards=2"], ["--vary", "varied and set"]),
    (["--vary", "rules.discards=1:3", "--aim", "fist_player=0.5"], ["--aim", "first_player"]),
    (["--vary", "rules.discards=1:3", "--aim", "first_player=50"], ["--aim", "0 to 1"]),
    (["--vary", "rules.discards=1:3", "--aim", "first_player"], ["--aim", "NAME=NUMBER"]),
    (["--vary", "rules.discards=1:3", "--aim", "turns=-1"], ["--aim", "turns", "0 or more"]),
    (["--vary", "rules.discards=1:3", "--aim", "turns=50%"], ["--aim", "turns", "0 or more"]),
    (["--set", "rules.discards=2", "--aim", "first_player=0.5"], ["--aim", "--vary"]),
    (["--set", "rules.discards=2", "--precision", "0"], ["--precision", "points"]),
    (["--set", "rules.discards=2", "--policies", "expert,,random"], ["--policies"]),
    (["--set", "rules.discards=2", "--policies", "expertt"], ["--policies", "expert"]),
    (["--set", "rules.discards=2", "--games", "many"], ["--games"]),
    (["--set", "rules.discards=2", "--workers", "0"], ["--workers"]),
    (["--game", "chess", "--set", "rules.players=3"], ["--game", "argh"]),
    (["--game", "argh", "--set", "rules.players=3"], ["--set", "rules.players", "from 2 to 3", "--base"]),
    (["--game", "shady_agents", "--vary", "rules.players=6:8"], ["--vary", "from 6 to 7"]),
    (["--game", "argh", "--set", "rules.promos=true", "--policies", "greedy"], ["--policies", "unknown policy"]),
    (["--game", "argh", "--set", "rules.discards=2"], ["--set", "rules.discards", "unknown key"]),
    (["--game", "shady_agents", "--vary", "rules.medkit=1:3", "--aim", "discards=2"], ["--aim", "interrogations"]),
    (["--game", "shady_agents", "--vary", "rules.medkit=1:3", "--aim", "turns=20%"], ["--aim", "20%", "0 or more"]),
])
def test_bad_input_costs_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], words: list[str]) -> None:
    few = [] if "--games" in arguments or "--precision" in arguments else ["--games", "20"]
    assert command(["whatif", "--quiet", *few, *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.strip().splitlines()) == 1
    for word in words:
        assert word in told.err


def test_a_folder_that_is_a_file_is_found_out_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").write_text("mine")
    for place in (tmp_path / "taken", tmp_path / "taken" / "page"):
        assert command(["whatif", "--set", "rules.discards=2", "--out", str(place)]) == 2
        assert "is a file" in capsys.readouterr().err


def test_an_aim_that_cannot_be_is_found_out_before_anything_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    def played_already(*arguments: Any, **options: Any) -> None:
        raise AssertionError("games were played")

    monkeypatch.setattr(whatif, "measure", played_already)
    assert command(["whatif", "--quiet", "--vary", "rules.discards=1:3", "--aim", "first_player=7"]) == 2


def test_a_folder_that_cannot_be_written_to_is_found_out_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[Path] = []
    monkeypatch.setattr("os.access", lambda place, mode: asked.append(place))
    assert command(["whatif", "--set", "rules.discards=2", "--out", str(tmp_path / "new" / "page")]) == 2
    assert asked == [tmp_path]
    assert "nothing can be written" in capsys.readouterr().err
