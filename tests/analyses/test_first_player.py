"""First-player advantage: recounted from the log, and rule changes compared with what they change."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from agentsim.runs import Run
from analyses import first_player
from tests.analyses.conftest import played


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory, mirrors: Run) -> list[first_player.RuleChange]:
    folder = tmp_path_factory.mktemp("rules")
    longer = played(folder / "ring", ["random", "expert"], games=800, matchups="mirrors", seed=8,
                    settings={"rules.ring": 20, "rules.home_1": 10})
    return [first_player.RuleChange("ring length", 14, mirrors), first_player.RuleChange("ring length", 20, longer)]


@pytest.fixture(scope="module")
def found(round_robin: Run, changes: list[first_player.RuleChange]) -> first_player.Tables:
    return first_player.tables(round_robin, changes)


def test_mirrors_and_pairs_are_those_of_a_recount(found: first_player.Tables, games: pd.DataFrame) -> None:
    names = games[["policy_0", "policy_1"]].apply(lambda row: tuple(sorted(row)), axis=1)
    expected = games.groupby(names)["score0"].agg(["mean", "size"])
    for row in found["mirrors"].itertuples():
        assert row.score == pytest.approx(expected.loc[[(row.policy, row.policy)], "mean"].iloc[0])
        assert row.n_deals == row.n_games == 600
    for row in found["pairs"].itertuples():
        pair = tuple(sorted((row.policy_a, row.policy_b)))
        assert row.score == pytest.approx(expected.loc[[pair], "mean"].iloc[0])
        assert (row.n_deals, row.n_games) == (300, 600)


def test_means_are_means(found: first_player.Tables) -> None:
    overall = found["overall"].set_index("group")
    assert overall.loc["mirrors", "score"] == pytest.approx(found["mirrors"]["score"].mean())
    assert overall.loc["pairs of different policies", "score"] == pytest.approx(found["pairs"]["score"].mean())
    row = found["contrast"].iloc[0]
    order = found["mirrors"].sort_values("strength", ascending=False)["score"]
    assert row["difference"] == pytest.approx(order.iloc[:2].mean() - order.iloc[-2:].mean())
    assert row["low"] < row["difference"] < row["high"]


def test_rule_changes_are_differences_to_the_publishers_rules(found: first_player.Tables) -> None:
    rules = found["rules"].set_index(["value", "policy"])["score"]
    effects = found["effects"].set_index("policy")
    assert set(effects.index) == {"random", "expert"}
    for policy, row in effects.iterrows():
        assert (row["usual"], row["value"]) == (14, 20)
        assert row["difference"] == pytest.approx(rules[20, policy] - rules[14, policy])
        assert row["low"] < row["difference"] < row["high"]
        # Two independent samples of 800: the simultaneous half-width of two intervals is near 2.24 se.
        assert (row["high"] - row["low"]) / 2 == pytest.approx(2.236 * np.sqrt(2 * 0.25 / 800), rel=0.05)


def test_intervals_hold_for_the_table_as_a_whole(found: first_player.Tables) -> None:
    pairs = found["pairs"]
    alone = 1.96 * pairs["sd"] / np.sqrt(pairs["n_deals"])
    assert ((pairs["high"] - pairs["low"]) / 2 > 1.3 * alone).all()


def tilted(found: first_player.Tables, shift: float) -> first_player.Tables:
    """The same tables with all scores and intervals set around ``0.5 + shift``."""
    moved = {}
    for name, table in found.items():
        if "score" in table:
            table = table.assign(score=0.5 + shift, low=0.5 + shift - 0.005, high=0.5 + shift + 0.005)
        moved[name] = table
    return moved


@pytest.mark.parametrize(("shift", "word", "title"), [
    (0.03, "Starting helps", "Starting helps in 5 of 5 mirrors"),
    (-0.03, "Starting is a handicap", "Starting hurts in 5 of 5 mirrors"),
    (0.0, "Starting makes no clear difference", "Starting makes no clear difference in any of 5 mirrors"),
])
def test_sentences_have_the_direction_of_the_numbers(found: first_player.Tables, shift: float, word: str, title: str
                                                     ) -> None:
    tables = tilted(found, shift)
    assert first_player.findings(tables)[0].text.startswith(word)
    assert first_player.figures(tables)["mirrors"].title == title


def test_no_effect_is_named_that_is_not_clear(found: first_player.Tables) -> None:
    effects = found["effects"].assign(low=-0.1, high=0.1)
    tables = {**found, "effects": effects}
    assert not any("rule change" in finding.text for finding in first_player.findings(tables))
    assert first_player.figures(tables)["rules"].title.startswith("No rule change")
