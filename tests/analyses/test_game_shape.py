"""The shape of a game, counted again in pandas."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from agentsim.runs import Run
from analyses import game_shape
from tests.analyses.naive import judged


@pytest.fixture(scope="module")
def found(mirrors: Run) -> game_shape.Tables:
    return game_shape.tables(mirrors)


@pytest.fixture(scope="module")
def log(mirrors: Run) -> pd.DataFrame:
    turns = mirrors.sql("SELECT t.*, policy_0 AS policy FROM turns t JOIN games USING (game_id) ORDER BY game_id, turn")
    return turns.merge(judged(turns)[["game_id", "turn", "lead_before"]], on=["game_id", "turn"])


def test_shares_add_up_to_one(found: game_shape.Tables) -> None:
    for name in ("ends", "lengths"):
        assert np.allclose(found[name].groupby("matchup")["estimate"].sum(), 1)
        assert (found[name]["low"] <= found[name]["estimate"]).all()
        assert (found[name]["estimate"] <= found[name]["high"]).all()


def test_lengths_and_ends_are_those_of_a_recount(found: game_shape.Tables, mirrors: Run) -> None:
    games = mirrors.sql("SELECT * FROM games")
    length = found["length"].set_index("matchup")
    assert np.allclose(length.drop("all")["estimate"], games.groupby("policy_0")["n_turns"].mean()[length.index[:-1]])
    assert length.loc["all", "estimate"] == pytest.approx(games["n_turns"].mean())
    assert (length.drop("all")["median"] == games.groupby("policy_0")["n_turns"].median().astype(int)[
        length.index[:-1]]).all()
    ends = found["ends"].set_index(["matchup", "end"])["num"]
    counts = games.groupby(["policy_0", "end_reason"]).size()
    assert all(ends[key] == count for key, count in counts.items())
    ties = found["ties"].set_index("matchup")["estimate"]
    assert np.allclose(ties.drop("all"), games.groupby("policy_0")["tie_rule"].mean()[ties.index[:-1]])


def test_the_chance_to_win_by_lead_and_turn(found: game_shape.Tables, log: pd.DataFrame) -> None:
    expected = log.assign(won=log["active_won"].astype(float)).groupby(["policy", "turn", "lead_before"])["won"].agg(
        ["mean", "size"])
    lead = found["lead"][found["lead"]["matchup"] != "all"]
    assert len(lead) == len(expected)
    keys = list(zip(lead["matchup"], lead["turn"] - 1, lead["lead"], strict=True))
    assert np.allclose(lead["estimate"], expected["mean"].reindex(keys))
    assert (lead["n"].to_numpy() == expected["size"].reindex(keys).to_numpy()).all()
    everybody = found["lead"][found["lead"]["matchup"] == "all"]
    assert everybody["n"].sum() == lead["n"].sum() == len(log)


def test_lead_changes_and_comebacks(found: game_shape.Tables, log: pd.DataFrame) -> None:
    rows = []
    for game, part in log.groupby("game_id"):
        leads = part["lead_after"].tolist()
        signs = [np.sign(lead) for lead in leads if lead]
        last = part.iloc[-1]
        won0 = 1.0 if bool(last["active_won"]) == (last["active"] == 0) else 0.0
        behind = (max([0, *(-lead for lead in leads[:-1])]), max([0, *leads[:-1]]))
        rows.append({"game": game, "policy": last["policy"], "won0": won0, "behind0": behind[0], "behind1": behind[1],
                     "changes": sum(a != b for a, b in pairwise(signs))})
    naive = pd.DataFrame(rows)
    changes = found["changes"].set_index("matchup")
    expected = naive.groupby("policy")["changes"].mean()
    assert np.allclose(changes.drop("all")["estimate"], expected[changes.index[:-1]])
    assert changes.loc["all", "none_estimate"] == pytest.approx((naive["changes"] == 0).mean())
    for row in found["comebacks"].itertuples():
        part = naive if row.matchup == "all" else naive[naive["policy"] == row.matchup]
        first, second = part["behind0"] >= row.deficit, part["behind1"] >= row.deficit
        wins = part.loc[first, "won0"].sum() + (1 - part.loc[second, "won0"]).sum()
        assert row.n == first.sum() + second.sum()
        assert row.estimate == pytest.approx(wins / row.n)
        assert row.share == pytest.approx(wins / len(part))


def test_charts_and_sentences_show_numbers_only(found: game_shape.Tables) -> None:
    assert set(game_shape.figures(found)) >= {"ends", "length", "lengths", "lead", "comebacks", "changes", "ties"}
    words = " ".join([*(chart.title + chart.caption + chart.alt for chart in game_shape.figures(found).values()),
                      *(finding.text for finding in game_shape.findings(found))])
    assert "nan" not in words.lower().replace("finance", "")


def test_the_focus_may_be_chosen(mirrors: Run) -> None:
    tables = game_shape.tables(mirrors, "greedy")
    assert game_shape.figures(tables)["lead"].title.startswith("greedy")


def test_matchups_of_different_policies_have_both_names(round_robin: Run) -> None:
    tables = game_shape.tables(round_robin)
    assert "random – greedy" in set(tables["length"]["matchup"])
    assert tables["about"]["focus"].iloc[0] in set(tables["length"]["matchup"])
