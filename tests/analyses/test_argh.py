"""The ARGH page: numbers against whole games, planted cards, and sentences that say no more than the numbers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agentsim.errors import InputError
from agentsim.games.argh.engine import END_REASONS
from agentsim.games.argh.forks import FORK_COLUMNS
from agentsim.games.base import get_game
from agentsim.report import Report, write_report
from agentsim.report.lint import lint
from agentsim.runs import Run
from analyses import argh, argh_tables
from analyses.argh_trials import Trial, coin_sums, levels_of, play_trials

GAMES = 1200
GAME = get_game("argh")


@pytest.fixture(scope="module")
def found(argh_run: Run) -> argh.Tables:
    return argh.tables(argh_run, games=GAMES)


def only(table: pd.DataFrame, **wanted: Any) -> pd.Series:
    rows = table
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    assert len(rows) == 1
    return rows.iloc[0]


def small(games: int, settings: dict[str, Any] | None = None, policies: str = "random") -> Trial:
    refs = [GAME.policy(name) for name in policies.split(",")]
    return play_trials(GAME, settings or {}, refs, 5, games)


# ------------------------------------------------------------------------------------------------ against games


@pytest.mark.parametrize("players", [2, 4])
def test_seats_ends_and_outs_are_those_of_the_games(found: argh.Tables, argh_run: Run, players: int) -> None:
    ref = GAME.policy("expert")
    session = GAME.session(GAME.rules({"rules.players": players}), [(ref,) * players], argh_run.seed + argh.SEED_GAP)
    games = session.play(0, 0, GAMES, "games").tables["games"]
    shares = np.stack([games[f"share_{seat}"] / 12 for seat in range(players)], axis=1)
    out = sum((~games[f"even_spies_{seat}"]).astype(int) for seat in range(players))
    cell = {"players": players, "policy": "expert"}
    row = only(found["seats"], **cell, seat=0)
    assert row["share"] == pytest.approx(shares[:, 0].mean())
    assert row["lead"] == pytest.approx((shares[:, 0] - shares.mean(axis=1)).mean())
    assert row["n_games"] == GAMES
    assert only(found["ends"], **cell, end="bomb")["share"] == pytest.approx(
        (games["end_reason"] == END_REASONS.index("bomb")).mean())
    assert only(found["out"], **cell, n_out=1)["share"] == pytest.approx((out == 1).mean())
    assert found["seats"]["lead_family"].eq(2 * (2 + 3 + 4)).all()


def test_presets_are_scored_by_standings(found: argh.Tables, argh_run: Run) -> None:
    row = only(found["presets"], players=3, field="expert", preset="gambler")
    refs = [GAME.policy(name) for name in ("gambler", "expert", "expert")]
    lineups = [[GAME.policy("random"), *refs[1:]], refs]  # as in the table: the second matchup of its plan
    deals = round(0.2 * GAMES / 3)
    tally = GAME.session(GAME.rules({"rules.players": 3}), lineups, argh_run.seed + argh.SEED_GAP + 6).play(
        1, 0, deals, "none").tally
    assert row["score"] == pytest.approx(tally["slot_share"][0] / (12 * 3 * deals))
    assert row["n_games"] == 3 * deals
    assert len(found["presets"]) == 3 * 2 * 2


def test_pairs_are_the_runs(found: argh.Tables) -> None:
    pairs = found["pairs"]
    assert len(pairs) == 6
    one, back = (only(pairs, policy=mine, other=other)["lead"] for mine, other in (("expert", "random"),
                                                                                  ("random", "expert")))
    assert one == pytest.approx(-back)
    assert one > 0


# ------------------------------------------------------------------------------------------------ planted


def test_a_card_worth_a_lot_shows() -> None:
    effects = {}
    for name, settings in (("shipped", {}), ("planted", {"cards.mouse.value": 20})):
        cards = argh_tables.card_table(GAME.rules(settings))
        effects[name] = argh_tables.effect_table(small(8000, settings), cards)
    was, now = (only(effects[name], players=4, policy="random", card="mouse") for name in ("shipped", "planted"))
    assert now["effect_low"] > was["effect_high"]
    numbers = effects["planted"].query("players == 4 and kind == 'value'")
    assert numbers.sort_values("effect")["card"].iloc[-1] == "mouse"


def test_the_coin_of_random_and_forks_agree() -> None:
    trial = small(6000)
    cards = argh_tables.card_table(GAME.rules({}))
    effects = argh_tables.effect_table(trial, cards)
    coin = argh_tables.coin_table(trial, effects)
    assert len(coin) == 3 * 24
    assert coin["agree"].all()
    bomb = only(coin, players=2, card="house_bomb")
    assert bomb["effect_1"] == pytest.approx(bomb["effect_2"], abs=0.15)
    assert bomb["effect_1"] > 0.2
    wrong = effects.assign(effect=effects["effect"] + 0.3 * (effects["card"] == "cat"))
    assert set(argh_tables.coin_table(trial, wrong).query("not agree")["card"]) == {"cat"}


def test_coin_sums_by_hand() -> None:
    sums = coin_sums(np.array([1, 1, 1, 0]), np.array([1, 0, 1, 0]), np.array([12, 0, 6, 4], dtype=np.int8), ["a", "b"])
    assert sums.to_dict("list") == {"card": ["a", "b"], "n_1": [0, 2], "sum_1": [0, 18], "squares_1": [0, 180],
                                    "n_0": [1, 1], "sum_0": [4, 0], "squares_0": [16, 0]}


def made_up(changes: dict[str, Any], n: int = 400, players: int = 2) -> Trial:
    """A trial of nothing but forks, the same in all three experiments: all columns 0 but those given."""
    forks = pd.DataFrame(np.zeros((n, len(FORK_COLUMNS)), dtype=np.int64), columns=list(FORK_COLUMNS)).assign(**changes)
    cell = {(players, "random"): forks}
    return Trial(1, ("random",), GAME.rules({}).names, {}, cell, cell, cell, {}, {"random": forks}, {})


def test_branches_that_are_equal_are_worth_nothing() -> None:
    trial, cards = made_up({"active_a": 12, "active_b": 12, "card": 1}), argh_tables.card_table(GAME.rules({}))
    row = only(argh_tables.effect_table(trial, cards))
    assert (row["effect"], row["effect_active"], row["changed"], row["card"]) == (0, 0, 0, "house_spy")
    assert row["effect_low"] < 0 < row["effect_high"]
    answer = argh_tables.answer_table(trial).iloc[0]
    assert (answer["gain"], answer["same"], answer["helps"]) == (0, 1, 0)
    assert np.isnan(answer["right"])
    theft = only(argh_tables.theft_table(trial, cards))
    assert (theft["own"], theft["thief"], theft["victim"]) == ("draws", 0, 0)
    spy = only(argh_tables.spy_table(trial, cards))
    assert (spy["before"], spy["effect"], spy["out"]) == (0, 0, 0)


def test_who_gains_is_told_apart() -> None:
    half = np.arange(400) % 2
    trial = made_up({"card": 9, "other_a": 12 * half, "active_b": 6 * half, "third_a": 3, "own": half,
                     "spies_other": 2, "out_other_a": 1}, players=3)
    cards = argh_tables.card_table(GAME.rules({}))
    row = only(argh_tables.effect_table(trial, cards))
    assert (row["effect"], row["effect_active"], row["third"], row["changed"]) == (0.5, 0.25, 0.25, 0.5)
    answer = only(argh_tables.accept_table(trial), location="any")
    # It says yes exactly where that wins.
    assert (answer["gain"], answer["helps"], answer["accepts"], answer["right"], answer["own_gain"]) == (
        0.5, 0.5, 0.5, 1.0, 0.5)
    thefts = argh_tables.theft_table(trial, cards).set_index("own")
    assert thefts.loc["steals", ["thief", "victim", "third"]].tolist() == [-0.5, 1.0, 0.25]
    assert thefts.loc["draws", ["thief", "victim", "third"]].tolist() == [0.0, 0.0, 0.25]
    spy = only(argh_tables.spy_table(trial, cards))
    assert (spy["before"], spy["out"]) == (2, 1.0)


# ------------------------------------------------------------------------------------------------ the page


def test_stand_ins_are_marked_field_by_field() -> None:
    cards = argh_tables.card_table(GAME.rules({})).set_index("card")
    assert cards.loc["cat", ["label", "stand_in"]].tolist() == ["Cat (\u22123)*", "location, number"]
    assert cards.loc["rat", ["label", "stand_in"]].tolist() == ["Rat (+7)", "none"]
    assert cards.loc["house_spy", "stand_in"] == "location"
    assert argh_tables.card_table(GAME.rules({"rules.promos": True})).set_index("card").loc[
        "house_spy", "stand_in"] == "location, star"
    changed = argh_tables.card_table(GAME.rules({"cards.gardener.value": -7})).set_index("card")
    assert changed.loc["gardener", "label"].endswith("(\u22127)")


def test_the_page_has_every_part(found: argh.Tables, tmp_path: Path) -> None:
    assert set(argh.figures(found)) == {"seats", "ends", "out", "cards-2", "cards-4", "spies", "accept", "answers",
                                        "thefts", "presets", "pairs"}
    write_report(Report("ARGH", argh.findings(found), [argh.section(found)]), tmp_path)
    assert lint(tmp_path) == []
    page = (tmp_path / "argh.html").read_text(encoding="utf-8")
    assert "Cat (\u22123)*" in page
    assert "stand-in" in page
    said = " ".join(item.text for item in argh.findings(found))
    assert "bomb part" in said


def test_what_is_too_close_is_said_to_be(found: argh.Tables) -> None:
    unsure = {name: table.copy() for name, table in found.items()}
    for name, table in unsure.items():
        for column in [column[:-4] for column in table if str(column).endswith("_low") and name not in ("ends", "out")]:
            table[f"{column}_low"], table[f"{column}_high"] = -0.9, 0.9
            table[column] = 0.01
    said = " ".join(item.text for item in argh.findings(unsure))
    for words in ("too little difference to say", "too close to say which card", "second spy is worth is too close",
                  "Accept or refuse, it is too close", "no preset's answers", "whether stealing pays",
                  "no preset clearly does better"):
        assert words in said
    assert "When in doubt" not in said


@pytest.mark.parametrize("policies", ["random", "expert,random"])
def test_a_handful_of_games_makes_a_page(policies: str) -> None:
    found = argh.worth(small(12, policies=policies), GAME.rules({}))
    assert argh.findings(found)
    page = argh.section(found)
    assert {"argh-seats", "argh-ends", "argh-out"} <= {chart.name for chart in page.charts}


def test_results_do_not_depend_on_workers() -> None:
    one, two = (play_trials(GAME, {}, [GAME.policy("random")], 3, 9000, workers=workers) for workers in (1, 2))
    for name in ("cards", "offers", "thefts", "coin"):
        for cell, table in getattr(one, name).items():
            pd.testing.assert_frame_equal(table, getattr(two, name)[cell])


def test_what_is_no_run_of_argh_is_refused() -> None:
    other: Any = SimpleNamespace(experiment=SimpleNamespace(game="agent_avenue"))
    with pytest.raises(InputError, match="agent_avenue"):
        argh.tables(other)
    with pytest.raises(InputError, match="games"):
        small(0)


def test_levels_are_the_named_ones_or_first_and_last() -> None:
    def labels(*names: str) -> list[str]:
        return [ref.label for ref in levels_of([GAME.policy(name) for name in names])]

    assert labels("expert", "thief", "random") == ["random", "expert"]
    assert labels("thief", "gambler", "bomber") == ["thief", "bomber"]
    assert labels("thief") == ["thief"]
