"""Habits, recounted from the log row by row."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from agentsim import open_run, simulate
from agentsim.errors import InputError
from analyses.solver_habits import MOST, TURNS, displays, lines, situations


def test_habits_are_what_the_log_says(tmp_path: Path) -> None:
    simulate(policies="random_discards,expert", games=60, seed=3, log="full", out=tmp_path / "run", workers=1)
    run = open_run(tmp_path / "run")
    found = situations(run, "random_discards").set_index(["kind", "card", "count"])
    games = run.sql("SELECT game_id, policy_0, policy_1 FROM games").set_index("game_id")
    hits: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    area: dict[tuple[int, str], int] = {}
    for row in run.sql("SELECT * FROM turns ORDER BY game_id, turn").to_dict("records"):
        if row["turn"] == 0:
            area = defaultdict(int)
        seats = games.loc[row["game_id"]].tolist()
        offerer, receiver = row["active"], 1 - row["active"]
        up, down = row["face_up"], row["face_down"]
        if seats[receiver] == "random_discards":
            hits["takes", up, min(area[receiver, up] + 1, MOST)].append(row["took_face_up"])
        if seats[offerer] == "random_discards":
            if up != down:
                for card in (up, down):
                    hits["hides", card, min(area[receiver, card] + 1, MOST)].append(card == down)
            gone = [row[name] for name in row if name.startswith("discard_") and isinstance(row[name], str)]
            for card in [name[5:] for name in row if name.startswith("hand_")]:
                held = row[f"hand_{card}"] + gone.count(card)
                if held:
                    hits["discards", card, min(held, MOST)].append(card in gone)
            hits["discards_in_turn", "", min(row["turn"] // 2 + 1, TURNS)].append(bool(gone))
        area[offerer, row["recruited_active"]] += 1
        area[receiver, row["recruited_other"]] += 1
    assert set(found.index) == set(hits)
    for key, seen in hits.items():
        row = found.loc[key]
        assert row["n"] == len(seen)
        assert row["estimate"] == pytest.approx(sum(seen) / len(seen))
        assert row["low"] <= row["estimate"] <= row["high"]


def test_a_run_without_hands_is_refused(tmp_path: Path) -> None:
    simulate(policies="random", games=10, seed=3, log="turns", out=tmp_path / "run", workers=1)
    with pytest.raises(InputError, match="no hands"):
        situations(open_run(tmp_path / "run"), "random")


def test_habits_are_shown_and_told(tmp_path: Path) -> None:
    simulate(policies="random_discards,expert", games=400, seed=3, log="full", out=tmp_path / "run", workers=1)
    found = situations(open_run(tmp_path / "run"), "random_discards")
    with pytest.raises(InputError, match=r"'expret' does not play in the run \(allowed: .*did you mean 'expert'"):
        situations(open_run(tmp_path / "run"), "expret")
    shown = displays(found)
    assert set(shown) == {"when", "discards"}
    takes = found[found["kind"] == "takes"]
    assert len(shown["when"].frame) >= len(takes)
    told = " ".join(lines(found))
    third = takes[(takes["card"] == "daredevil") & (takes["count"] == 3)]["estimate"].iloc[0]
    assert f"{third:.0%} (the third, which loses)" in told
    assert "- *Hiding.*" in told
    assert "its own turns 1, 2, 3" in told
