"""The modes side by side: numbers against whole logs, and the page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentsim.games.base import get_game
from agentsim.report import Report, write_report
from agentsim.report.lint import lint
from agentsim.runs import Run
from analyses import modes

DEALS = 120


@pytest.fixture(scope="module")
def found(market_run: Run) -> modes.Tables:
    return modes.tables(market_run, deals=DEALS)


def games_of(setup: str, policy: str, seed: int) -> dict[str, np.ndarray]:
    game = get_game("agent_avenue")
    ref = game.policy(policy)
    session = game.session(game.rules(modes.SETUPS[setup]), [(game.policy("random"),) * 2, (ref, ref)], seed)
    return session.play(1 if policy != "random" else 0, 0, DEALS, "games").tables["games"]


@pytest.mark.parametrize("setup", ["advanced", "one against two, advanced", "Division M (stand-in)"])
def test_numbers_are_those_of_the_games(found: modes.Tables, market_run: Run, setup: str) -> None:
    games = games_of(setup, "greedy", market_run.seed)
    score = np.where(games["winner"] < 0, 0.5, games["winner"] == 0)

    def of(name: str) -> float:
        table = found[name]
        return float(table[(table["setup"] == setup) & (table["policy"] == "greedy")]["estimate"].iloc[0])

    assert of("sides") == pytest.approx(score.mean())
    assert of("turns") == pytest.approx(games["n_turns"].mean())
    if "one against" in setup:
        assert of("lone") == pytest.approx(np.where(games["lone_seat"] == 0, score, 1 - score).mean())
    if "Division" in setup:
        reasons = get_game("agent_avenue").rules(modes.SETUPS[setup]).end_reasons
        assert of("traps") == pytest.approx((games["end_reason"] == reasons.index("division_m")).mean())


def test_every_mode_and_level_is_there_with_its_numbers(found: modes.Tables) -> None:
    sides = found["sides"]
    assert len(sides) == len(modes.SETUPS) * 2
    assert (sides["n_deals"] == DEALS).all()
    three = sides["setup"].str.contains("one against two")
    assert (sides.loc[three, "n_games"] == 2 * DEALS).all()
    assert len(found["lone"]) == 4
    assert len(found["traps"]) == 8
    assert found["lone"]["estimate"].notna().all()
    assert set(found["market"]["metric"]) >= {"first_player", "turns", "tie_rule", "end_catch", "end_masterplan"}


def test_the_page_marks_stand_ins(found: modes.Tables, tmp_path: Path) -> None:
    write_report(Report("Modes", modes.findings(found), [modes.section(found)]), tmp_path)
    assert lint(tmp_path) == []
    page = (tmp_path / "modes.html").read_text(encoding="utf-8")
    assert "Division M (stand-in)" in page
    assert "stand-ins" in page
