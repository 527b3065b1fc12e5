"""The style of two policies: rates against a slow count from the log, planted habits, every mode."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agentsim import open_run, simulate
from agentsim.stats import cluster_ratio
from analyses.duel_style import style


def told(folder: Path, policies: list[object], **options: object) -> pd.DataFrame:
    simulate(policies=policies, games=600, seed=4, log="turns", out=folder, **options)  # type: ignore[arg-type]
    with open_run(folder) as run:
        return style(run).set_index("measure")


def test_rates_are_those_of_the_log(tmp_path: Path) -> None:
    found = told(tmp_path, ["expert", "random"])
    with open_run(tmp_path) as run:
        games, turns = run.table("games").set_index("game_id"), run.table("turns")
    policy = {0: games["policy_0"].astype(str), 1: games["policy_1"].astype(str)}
    for name, who in (("a", "expert"), ("b", "random")):
        rows = zip(turns["game_id"], turns["active"], strict=True)
        chooses = np.array([policy[1 - active][game] == who for game, active in rows])
        part = turns[chooses & (turns["face_up"].astype(str) != turns["face_down"].astype(str)).to_numpy()]
        assert found.loc["takes_up", f"n_{name}"] == len(part)
        assert found.loc["takes_up", name] == pytest.approx(part["took_face_up"].mean())
        discards = sum(games[f"discards_{seat}"].where(policy[seat] == who, 0) for seat in (0, 1))
        assert found.loc["discards", name] == pytest.approx(discards.mean())
        won = sum((games["winner"] == seat) & (policy[seat] == who) & (games["end_reason"].astype(str) == "catch")
                  for seat in (0, 1))
        assert found.loc["wins_catch", name] == pytest.approx(won.mean())
        assert found.loc["wins_catch", f"{name}_low"] < won.mean() < found.loc["wins_catch", f"{name}_high"]
    assert found.loc["length", "a"] == pytest.approx(games["n_turns"].mean())
    shares = found[found.index.str.startswith("wins_")]
    assert shares["a"].sum() + shares["b"].sum() == pytest.approx((games["winner"] >= 0).mean())
    size = int(found["family_size"].iloc[0])
    assert size == 3 * (len(found) - 1) + 1
    known = cluster_ratio(games.groupby("deal_id")["n_turns"].sum(), games.groupby("deal_id").size(),
                          0.95 ** (1 / size), bounds=None)
    assert (found.loc["length", "a_low"], found.loc["length", "a_high"]) == pytest.approx((known.low, known.high))


def test_planted_habits_are_seen(tmp_path: Path) -> None:
    """One never takes what lies face down and never discards, the other does both."""
    found = told(tmp_path, ["expert(no_blind=1, discard_margin=1)", "expert"])
    assert found.loc["takes_up", "a"] == 1.0
    assert found.loc["takes_up", "clear"] == 1
    assert found.loc["discards", ["a", "a_low"]].tolist() == [0, 0]
    assert 0 < found.loc["discards", "a_high"] < 0.3
    assert found.loc["discards", "clear"] == -1


def test_a_policy_differs_from_itself_in_nothing(tmp_path: Path) -> None:
    found = told(tmp_path, ["expert", {"policy": "expert", "label": "copy"}]).drop("length")
    assert (found["clear"] == 0).all()
    assert (found["difference"].abs() < 0.2).all()


@pytest.mark.parametrize("settings", [{"rules.players": 3}, {"rules.mode": "advanced", "rules.discards": 0}])
def test_other_modes_have_no_better_card(tmp_path: Path, settings: dict[str, object]) -> None:
    found = told(tmp_path, ["random", "expert"], settings=settings)
    assert "hides" not in found.index
    assert {"takes_up", "length"} <= set(found.index)
    assert ("discards" in found.index) == ("rules.discards" not in settings)
