"""The command balance: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from agentsim.cli import main as command
from agentsim.report.lint import lint

QUICK = ["--games", "2000", "--policies", "random,greedy", "--quiet"]


def test_it_prints_a_table_and_writes_a_page_and_a_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page"
    assert command(["balance", *QUICK, "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    for word in ("Supercomputer", "verdict", "vs blank", "not yet known", "games would decide", "comparisons agree"):
        assert word in told.out
    assert lint(out) == []
    table = pd.read_csv(out / "balance.csv")
    assert len(table) == 30
    assert {"policy", "card", "effect", "low", "high", "verdict", "n_taken"} <= set(table.columns)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found: list[Any] = []
    for workers, seed in (("1", "3"), ("2", "3"), ("2", "4")):
        assert command(["balance", *QUICK, "--out", str(tmp_path), "--workers", workers, "--seed", seed, "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    one, two, other = (document["balance"] for document in found)
    assert one == two
    assert one != other
    assert found[0]["answer"] == found[1]["answer"]


def test_cards_of_your_own_are_judged_and_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cards = tmp_path / "mine.toml"
    cards.write_text('[market.jetpack]\nkind = "instant"\neffects = [{ do = "move", spaces = 9 }]\n'
                     'names = { en = "Jetpack" }\n', encoding="utf-8")
    out = tmp_path / "page"
    assert command(["balance", "--cards", str(cards), "--games", "8000", "--policies", "random", "--quiet", "--out",
                    str(out), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["answer"]["card"] == "jetpack"
    assert data["answer"]["verdict"] == "too strong"
    assert "Jetpack (house)" in (out / "black-market.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("arguments", "words"), [
    (["--set", "rules.mode=base"], ["--set", "rules.mode", "advanced"]),
    (["--set", "rules.supply=1"], ["rules.supply", "2 to 6"]),
    (["--set", "rules.suply=2"], ["--set", "rules.supply"]),
    (["--set", "market.supercomputer.space=4"], ["market.supercomputer.space"]),
    (["--cards", "nowhere.toml"], ["nowhere.toml"]),
    (["--band", "0"], ["--band", "percentage points"]),
    (["--band", "wide"], ["--band"]),
    (["--precision", "80"], ["--precision"]),
    (["--games", "10"], ["--games", "1,000"]),
    (["--policies", "random,,greedy"], ["--policies"]),
    (["--policies", "gredy"], ["--policies", "greedy"]),
    (["--workers", "0"], ["--workers"]),
    (["--seed", "-1"], ["--seed"]),
    (["--out", ""], ["--out"]),
])
def test_bad_input_costs_one_line_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                     capsys: pytest.CaptureFixture[str], arguments: list[str],
                                                     words: list[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert command(["balance", "--quiet", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.strip().splitlines()) == 1, told.err
    for word in words:
        assert word in told.err
    assert list(tmp_path.iterdir()) == []
