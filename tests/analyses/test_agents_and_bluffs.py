"""Offers, takes and effects of cards: identities, recounts, and the signs that nobody doubts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from agentsim.runs import Run
from analyses import agents_and_bluffs
from analyses.agents_and_bluffs import CHANCE, THINKS
from tests.analyses.conftest import played


@pytest.fixture(scope="module")
def found(round_robin: Run) -> agents_and_bluffs.Tables:
    return agents_and_bluffs.tables(round_robin)


@pytest.fixture(scope="module")
def log(round_robin: Run) -> pd.DataFrame:
    turns = round_robin.sql("SELECT t.*, policy_0, policy_1 FROM turns t JOIN games USING (game_id)")
    return turns.assign(offerer=np.where(turns["active"] == 0, turns["policy_0"], turns["policy_1"]),
                        receiver=np.where(turns["active"] == 0, turns["policy_1"], turns["policy_0"]))


def test_offers_add_up_and_are_those_of_a_recount(found: agents_and_bluffs.Tables, log: pd.DataFrame) -> None:
    offered = found["offered"]
    assert np.allclose(offered.groupby(["policy", "side"])["estimate"].sum(), 1)
    counts = offered.set_index(["policy", "side", "card"])["num"]
    for side in ("up", "down"):
        for (policy, card), count in log.groupby(["offerer", f"face_{side}"]).size().items():
            assert counts[policy, side, card] == count
        for card, count in log.groupby(f"face_{side}").size().items():
            assert counts["all", side, card] == count


def test_takes_are_those_of_a_recount(found: agents_and_bluffs.Tables, log: pd.DataFrame) -> None:
    taken = found["taken"].set_index(["policy", "side", "card"])
    for (policy, card), rate in log.groupby(["receiver", "face_up"])["took_face_up"].mean().items():
        assert taken.loc[(policy, "up", card), "estimate"] == pytest.approx(rate)
    for (policy, card), rate in log.groupby(["receiver", "face_down"])["took_face_up"].mean().items():
        assert taken.loc[(policy, "down", card), "estimate"] == pytest.approx(1 - rate)


def test_what_lies_under_what_adds_up(found: agents_and_bluffs.Tables, log: pd.DataFrame) -> None:
    hidden = found["hidden"]
    assert np.allclose(hidden.groupby(["policy", "face_up"])["estimate"].sum(), 1)
    assert (hidden["face_up"] != hidden["face_down"]).all()
    told = log[log["face_up"] != log["face_down"]]
    counts = hidden.set_index(["policy", "face_up", "face_down"])["num"]
    for key, count in told.groupby(["offerer", "face_up", "face_down"]).size().items():
        assert counts[key] == count
    usual = hidden.set_index(["policy", "face_down"])["usual"]
    shares = told[told["offerer"] == "greedy"]["face_down"].value_counts(normalize=True)
    for card, share in shares.items():
        assert np.allclose(usual.loc[("greedy", card)], share)


def test_mistakes_of_receivers_are_the_sum_over_offerers(found: agents_and_bluffs.Tables) -> None:
    fooled = found["fooled"].groupby("receiver")[["num", "den"]].sum()
    mistakes = found["mistakes"].set_index("policy")
    assert (fooled["num"] == mistakes["num"].reindex(fooled.index)).all()
    assert (fooled["den"] == mistakes["den"].reindex(fooled.index)).all()
    assert np.allclose(mistakes["decisive"] + mistakes["lesser"], mistakes["estimate"])


def test_chance_knows_no_better_card(found: agents_and_bluffs.Tables) -> None:
    hides = found["hides"].set_index("policy")
    for policy in ("random", "random_discards"):
        assert hides.loc[policy, "low"] < 0.5 < hides.loc[policy, "high"]
    mistakes = found["mistakes"].set_index("policy")
    # By its own measure greedy errs less than a coin; the whole intervals lie apart.
    assert mistakes.loc["greedy", "high"] < mistakes.loc["random", "low"]


def test_effects_have_the_signs_that_nobody_doubts(chance: Run) -> None:
    tables = agents_and_bluffs.tables(chance)
    effects = tables["effects"].set_index(["met", "card", "count"])
    for card, count, sign in (("sentinel", 3, 1), ("daredevil", 3, -1), ("codebreaker", 3, 1), ("double_agent", 2, 1),
                              ("sidekick", 1, 1), ("mole", 1, -1), ("saboteur", 1, -1)):
        row = effects.loc[(CHANCE, card, count)]
        assert (row["low"] if sign > 0 else -row["high"]) > 0, (card, count)
        assert row["n_turns"] > 300
    assert tables["coin"]["p_value"].iloc[0] > 0.001
    assert 0.49 < tables["coin"]["share"].iloc[0] < 0.51


def test_effects_come_from_receivers_that_toss_a_coin_only(found: agents_and_bluffs.Tables, log: pd.DataFrame) -> None:
    chance = ["random", "random_discards"]
    tossed = log[log["receiver"].isin(chance)]
    assert found["coin"]["n"].iloc[0] == len(tossed)
    told = tossed[tossed["face_up"] != tossed["face_down"]]
    by_chance = told["offerer"].isin(chance)
    turns = found["effects"].groupby("met")["n_turns"].sum()
    assert turns[CHANCE] == 2 * by_chance.sum()
    assert turns[THINKS] == 2 * (~by_chance).sum()


def test_owners_are_counted_in_games_of_chance_players(found: agents_and_bluffs.Tables, games: pd.DataFrame) -> None:
    chance = ["random", "random_discards"]
    part = games[games["policy_0"].isin(chance) & games["policy_1"].isin(chance)]
    held0, held1 = part["final_0_sentinel"] >= 2, part["final_1_sentinel"] >= 2
    row = found["owners"].set_index(["card", "count"]).loc[("sentinel", 2)]
    assert row["n"] == held0.sum() + held1.sum()
    wins = part.loc[held0, "score0"].sum() + (1 - part.loc[held1, "score0"]).sum()
    assert row["estimate"] == pytest.approx(wins / row["n"])


def test_without_a_coin_there_is_no_effect_and_it_is_said(tmp_path_factory: pytest.TempPathFactory) -> None:
    run = played(tmp_path_factory.mktemp("runs") / "thinkers", ["greedy", "minmax"], games=100)
    tables = agents_and_bluffs.tables(run)
    assert not len(tables["effects"])
    texts = [getattr(block, "text", "") for block in agents_and_bluffs.section(tables).blocks]
    assert any("nothing that an effect could be read off" in text for text in texts)


def test_owners_are_called_confounded(chance: Run) -> None:
    tables = agents_and_bluffs.tables(chance)
    texts = [getattr(block, "text", "") for block in agents_and_bluffs.section(tables).blocks]
    assert any(text.startswith("**Confounded.**") for text in texts)
    assert "confounded" in agents_and_bluffs.displays(tables)["effects"].columns["owners"].label


def test_captions_tell_games_deals_and_seed(found: agents_and_bluffs.Tables) -> None:
    for chart in agents_and_bluffs.figures(found).values():
        assert "n = 9,000 games" in chart.caption
        assert "deals" in chart.caption
        assert "seed 7" in chart.caption
        assert "95 %" in chart.caption.replace("\u202f", " ")
