"""Shady Agents: forks and shares with planted effects, numbers against whole logs, sentences and the page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agentsim.errors import InputError
from agentsim.games.base import get_game
from agentsim.games.shady_agents.trials import forks
from agentsim.report import Report, write_report
from agentsim.report.lint import lint
from agentsim.runs import Run
from analyses import shady_agents, shady_trials
from analyses.whatif import Variant, measure

GAME = get_game("shady_agents")


@pytest.fixture(scope="module")
def found(shady_run: Run) -> shady_agents.Tables:
    return shady_agents.tables(shady_run, games=800)


def test_forks_of_a_game_without_points_change_nothing() -> None:
    rules = GAME.rules({"rules.medkit": 0, "rules.bullet": 0, "rules.players": 6})
    shares, would = forks(rules, GAME.policy("random"), [0, 5], 1, 4000)
    # Medkits decide level games: what is left of the rules is fair to both branches, seat by seat.
    assert shares.shape == (4000, 2, 2)
    assert abs(would[:, 0].mean() - 1 / 11) < 0.02
    assert abs(would[:, 1].mean() - 1 / 6) < 0.025
    nothing = GAME.rules({"rules.odd_bonus": 5, "rules.players": 5, "rules.medkit": 0, "rules.bullet": 0})
    shares, _ = forks(nothing, GAME.policy("bayes"), [0, 1, 4], 1, 500)
    assert (shares[:, :, 0] == shares[:, :, 1]).all()  # the bonus decides every game


def test_the_price_of_calling_is_found() -> None:
    gaps = []
    for free in (True, False):
        rules = GAME.rules({"rules.players": 6, "rules.free_interrogation": free})
        shares, _ = forks(rules, GAME.policy("bayes"), [0], 2, 4000)
        gaps.append((shares[:, 0, 0] - shares[:, 0, 1]).mean())
    # Both continue the same games; in the second the caller has thrown a tool away.
    assert gaps[0] - gaps[1] > 0.05


@pytest.mark.parametrize(("turns", "policy", "settings", "key"), [
    ([0], "naive", {}, "policy"), ([1, 0], "bayes", {}, "turns"), ([6], "bayes", {}, "turns"),
    ([0], "bayes", {"rules.interrogations": False}, "rules.interrogations")])
def test_forks_that_cannot_be_are_refused(turns: list[int], policy: str, settings: dict[str, object], key: str) -> None:
    with pytest.raises(InputError, match=key):
        forks(GAME.rules(settings), GAME.policy(policy), turns, 1, 2)


def test_a_planted_bonus_is_found() -> None:
    found = shady_trials.mirrors(GAME, {"rules.odd_bonus": 5}, 1000, 3)
    bonus = found["bonus"].set_index(["players", "policy"])
    assert bonus.loc[(5, "random"), "low"] > 0.2
    smaller = found["balance"].query("metric == 'size_smaller' and policy == 'random' and players == 5")
    with_it, without = (float(smaller[smaller["rules"] == rules]["estimate"].iloc[0])
                        for rules in (shady_trials.BASE, shady_trials.NO_BONUS))
    assert with_it - without == pytest.approx(bonus.loc[(5, "random"), "estimate"])


def test_win_shares_are_those_of_the_games() -> None:
    refs = [GAME.policy("random"), *[GAME.policy("bayes")] * 4]
    rules = GAME.rules({"rules.players": 5})
    measured = measure(GAME, [Variant("base", rules)], [refs], 40, 9)
    games = pd.DataFrame(GAME.session(rules, [refs], 9).play(0, 0, 40, "games").tables["games"])
    value = {metric.key: measured.value(0, 0, at).estimate for at, metric in enumerate(measured.metrics)}
    shares = games[[f"share_{seat}" for seat in range(5)]].to_numpy() / 12
    assert [value["first_player"], *(value[f"seat_{seat}"] for seat in range(1, 5))] == pytest.approx(shares.mean(0))
    mine = games[[f"policy_{seat}" for seat in range(5)]].to_numpy() == 0
    assert mine.sum(1).tolist() == [1] * len(games)
    assert value["score_a"] == pytest.approx(shares[mine].mean())
    roles = games[[f"role_{seat}" for seat in range(5)]].to_numpy()
    law = np.array([row[side == 0].mean() for row, side in zip(shares, roles, strict=True)])
    assert value["side_law"] == pytest.approx(law.mean())
    assert value["size_smaller"] == pytest.approx(np.where(games["smaller_side"] == 0, law, 1 - law).mean())
    assert value["draws"] == pytest.approx((games["winner"] < 0).mean())
    assert value["medkits_astray"] == pytest.approx(games["medkits_misdirected"].mean())


def test_seats_and_presets_are_those_of_standings(found: shady_agents.Tables) -> None:
    refs = [GAME.policy("random")] * 4
    games = GAME.session(GAME.rules({"rules.players": 4}), [refs], 7 + shady_agents.SEED_GAP + 2).play(
        0, 0, 100, "games").tables["games"]
    shares = np.array([games[f"share_{seat}"].mean() / 12 for seat in range(4)])
    row = found["seats"].query("players == 4 and policy == 'random' and seat == 2").iloc[0]
    assert row["estimate"] == pytest.approx(shares[2] - np.delete(shares, 2).mean())
    scores = found["presets"].query("field == 'random' and players == 4 and policy == 'random'").iloc[0]
    assert scores["estimate"] == pytest.approx(0.5)  # all seats of an even table


def test_every_part_has_its_numbers_and_the_page_stands(found: shady_agents.Tables, tmp_path: Path) -> None:
    for name, table in found.items():
        if name not in ("about", "tests", "reliability"):
            assert ((table["low"] <= table["estimate"]) & (table["estimate"] <= table["high"])).all(), name
            assert (table["n_games"] > 0).all()
    assert set(found["balance"].query("metric == 'size_smaller'")["players"]) == {5, 7, 9}
    assert set(found["tests"]["kind"]) == {"tested", "wrong on purpose", "reported"}
    said = shady_agents.findings(found)
    assert len(said) >= 8
    page = shady_agents.section(found)
    write_report(Report("Shady Agents", said[:2], [page]), tmp_path / "report")
    assert lint(tmp_path / "report") == []
    text = (tmp_path / "report" / "shady-agents.html").read_text(encoding="utf-8")
    assert "about information, not about persuasion" in text


def test_sentences_follow_the_numbers(found: shady_agents.Tables) -> None:
    calls = found["calls"].assign(estimate=-0.2, low=-0.25, high=-0.15)
    said = " ".join(item.text for item in shady_agents.findings({**found, "calls": calls}))
    assert "lowers the first player's win share" in said
    assert "costs more than it brings at every table size" in said
    balance = found["balance"].assign(estimate=0.5, low=0.45, high=0.55)
    assert "too close to say at 5" in shady_agents.findings({**found, "balance": balance})[0].text
    tests = found["tests"].assign(p_adjusted=1e-9)
    said = " ".join(item.text for item in shady_agents.findings({**found, "tests": tests}))
    assert "do **not** come true" in said


def test_another_run_is_refused(mirrors: Run) -> None:
    with pytest.raises(InputError, match="Shady Agents"):
        shady_agents.tables(mirrors)
