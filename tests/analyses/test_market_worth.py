"""The worth of cards, from made-up markets with known effects: estimates, verdicts, words, pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agentsim.errors import InputError
from agentsim.games.agent_avenue.rules import make_rules
from agentsim.report import Report, write_report
from agentsim.report.lint import lint
from analyses import black_market, market_trials
from analyses.market_trials import Size, check_market, play_trials, with_blanks
from analyses.market_worth import change_first
from tests.analyses.made_up_market import WORTH, MadeUpSession, market

QUICK = Size(games=60_000, blanks=60_000, landings=6000, forced=4000)
NAMES = list(WORTH)


def truth(worth: Mapping[str, float] = WORTH) -> np.ndarray:
    """Balance: each card against the mean of the others, which are as likely to lie beside it."""
    values = np.array(list(worth.values()))
    return values - (values.sum() - values) / (len(values) - 1)


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sessions of the made-up market; ``set`` changes what the cards are worth."""
    state: dict[str, Any] = {"worth": WORTH}
    monkeypatch.setattr(market_trials, "_session",
                        lambda game, rules, ref, seed: MadeUpSession(rules, seed, state["worth"]))
    return state


def trials(size: Size = QUICK, *, labels: tuple[str, ...] = ("random", "expert"), seed: int = 1, **options: Any) -> Any:
    refs: Any = [SimpleNamespace(label=label) for label in labels]
    game: Any = None
    return play_trials(game, market(), refs, seed, size, **options)


def test_planted_effects_are_found_and_judged(made_up: Any) -> None:
    found = black_market.worth(trials(), market())
    balance = found["balance"][found["balance"]["policy"] == "expert"]
    assert balance["card"].tolist() == NAMES
    assert ((balance["low"] <= truth()) & (truth() <= balance["high"])).all()
    assert dict(zip(balance["card"], balance["verdict"], strict=True)) == {
        "lamp": "too strong", "lens": "fine", "rope": "fine", "trap_door": "too weak", "whistle": "fine", "map": "fine"}
    strength = found["strength"][found["strength"]["policy"] == "random"]
    assert ((strength["low"] <= list(WORTH.values())) & (strength["high"] >= list(WORTH.values()))).all()
    landings = found["landings"]
    assert ((landings["low"] <= np.tile(truth(), 2)) & (landings["high"] >= np.tile(truth(), 2))).all()
    forced = found["forced"].set_index(["policy", "card"])
    assert set(forced.index) == {(policy, card) for policy in ("random", "expert") for card in ("lamp", "rope")}
    assert forced.loc[("expert", "lamp"), "low"] < 0.18 < forced.loc[("expert", "lamp"), "high"]
    assert found["agreement"]["agree"].all()
    assert len(found["agreement"]) == 12
    assert (found["check"]["z"].abs() < found["check"]["limit"]).all()


def test_the_card_to_change_first_is_the_one_furthest_outside(made_up: Any) -> None:
    answer = black_market.worth(trials(), market())["answer"].iloc[0]
    assert (answer["card"], answer["verdict"], answer["levels"]) == ("lamp", "too strong", "random, expert")
    for word in ("Lamp", "too strong", "every level of play", "Against a blank", "continued both ways"):
        assert word in answer["sentence"]
    wide = black_market.worth(trials(), market(), 0.25)["answer"].iloc[0]
    assert wide["card"] == ""
    assert "No card needs a change" in wide["sentence"]
    assert "Lamp" in wide["sentence"]
    assert "all of them are shown to be inside" in wide["sentence"]


def test_a_verdict_that_just_misses_does_not_decide_which_card_comes_first() -> None:
    def rows(card: str, *intervals: tuple[float, float, str]) -> list[dict[str, Any]]:
        return [{"card": card, "label": card, "policy": policy, "effect": (low + high) / 2, "low": low, "high": high,
                 "verdict": verdict} for policy, (low, high, verdict) in zip(("greedy", "expert"), intervals,
                                                                             strict=True)]

    found = pd.DataFrame([*rows("barely twice", (0.051, 0.06, "too strong"), (0.052, 0.06, "too strong")),
                          *rows("far once", (0.0, 0.06, "not yet known"), (-0.2, -0.15, "too weak"))])
    strengths = pd.DataFrame({"card": [], "policy": [], "effect": []})
    told = change_first(found, strengths, 0.05)
    assert (told["card"], told["verdict"], told["levels"]) == ("far once", "too weak", ["expert"])


def test_what_is_not_known_is_said_to_be_unknown(made_up: Any) -> None:
    few = black_market.worth(trials(Size(games=1500, blanks=0, landings=0, forced=0)), market(), 0.16)
    balance = few["balance"]
    unknown = balance[balance["verdict"] == "not yet known"]
    assert len(unknown) > 0
    assert (unknown["games_needed"] >= 1500).all()
    assert "Not yet known" in few["answer"]["sentence"].iloc[0]
    for name in ("agreement", "landings", "forced"):
        assert len(few[name]) == 0


def test_a_precision_is_reached_and_not_much_more(made_up: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(market_trials, "PILOT", 4000)
    trial, = trials(Size(precision=0.02, blanks=0, landings=0, forced=0), labels=("expert",))
    found = black_market.worth([trial], market())
    for table, n in (("balance", trial.n_picks), ("strength", trial.n_forks)):
        widest = ((found[table]["high"] - found[table]["low"]) / 2).max()
        assert 0.014 < widest < 0.0205, table
        assert n < 60_000
    limited, = trials(Size(precision=0.001, limit=5000, blanks=0, landings=0, forced=0), labels=("expert",))
    assert (limited.n_picks, limited.n_forks) == (5000, 5000)


def test_results_depend_on_the_seed_alone(made_up: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    size = Size(games=3000, blanks=2000, landings=900, forced=500)
    first, = trials(size, labels=("expert",))
    monkeypatch.setattr(market_trials, "CHUNK", 700)
    again, = trials(size, labels=("expert",), workers=2)
    other, = trials(size, labels=("expert",), seed=2)
    for name in ("picks", "forks", "blank_picks", "blank_forks", "landings"):
        one, two, three = (getattr(trial, name) for trial in (first, again, other))
        for key in one:
            assert np.array_equal(one[key], two[key]), (name, key)
        assert any(not np.array_equal(one[key], three[key]) for key in one)


def test_the_experiments_are_independent_of_each_other(made_up: Any) -> None:
    seeds: list[int] = []
    real = market_trials._session

    def noted(game: Any, rules: Any, ref: Any, seed: int) -> Any:
        seeds.append(seed)
        return real(game, rules, ref, seed)

    market_trials._session = noted
    try:
        trials(Size(games=500, blanks=500, landings=100, forced=100), labels=("expert",))
    finally:
        market_trials._session = real
    assert len(seeds) == len(set(seeds)) == 6


def test_a_bug_in_the_picks_shows(made_up: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy_picks(self: Any, first: int, n: int) -> Any:
        deal, order, _, luck, seat = real(self, first, n)
        return deal, order, np.where((order == 0).any(axis=1), (order == 0).argmax(axis=1), 0), luck, seat

    real = MadeUpSession._deals
    monkeypatch.setattr(MadeUpSession, "_deals", greedy_picks)
    found = black_market.worth(trials(Size(games=3000, blanks=0, landings=0, forced=0)), market())
    assert any("not** uniform" in getattr(block, "text", "") for block in black_market.section(found).blocks)


def test_disagreement_is_found(made_up: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = MadeUpSession.forks

    def wrong(self: Any, matchup: int, first: int, n: int) -> Any:
        counts = real(self, matchup, first, n)
        counts["forks_with_blank"][1, 4] += counts["forks_with_blank"][1, 2] // 4
        return counts

    monkeypatch.setattr(MadeUpSession, "forks", wrong)
    found = black_market.worth(trials(), market())
    assert set(found["agreement"].loc[~found["agreement"]["agree"], "card"]) == {"lens"}
    assert any("they do not for Lens" in finding.text for finding in black_market.findings(found))


def test_the_page_has_every_part_and_marks_stand_ins(made_up: Any, tmp_path: Path) -> None:
    found = black_market.worth(trials(), market())
    assert set(black_market.figures(found)) == {"balance", "strength", "agreement"}
    assert set(black_market.displays(found)) == {"verdicts", "strengths", "agreements", "landings", "forced"}
    write_report(Report("Made up", black_market.findings(found), [black_market.section(found)]), tmp_path)
    assert lint(tmp_path) == []
    page = (tmp_path / "black-market.html").read_text(encoding="utf-8")
    assert "Map (stand-in)" in page
    assert "Trap Door" in page
    assert "trap_door<" not in page


# ------------------------------------------------------------------------------------------------ rules


def test_blanks_are_added_under_a_free_name() -> None:
    rules, name = with_blanks(make_rules({"rules.mode": "advanced"}))
    assert name == "blank"
    assert len(rules.pile) == 20
    again, other = with_blanks(rules, 3)
    assert other == "blank_2"
    assert [card.id for card in again.market_cards][-2:] == ["blank", "blank_2"]
    full = market({f"card_{at}": 0.0 for at in range(63)})
    with pytest.raises(InputError, match="no room"):
        with_blanks(full)


@pytest.mark.parametrize(("rules", "word"), [
    (make_rules({}), "no Black Market"), (make_rules({"rules.mode": "advanced", "rules.supply": 1}), "supply"),
    (market({"lamp": 0.0}), "one card"), (make_rules({"rules.mode": "advanced", "rules.players": 3}), "independent")])
def test_what_cannot_be_measured_is_refused(rules: Any, word: str) -> None:
    with pytest.raises(InputError, match=word):
        check_market(rules)


def test_a_card_that_was_never_seen_is_no_zero(made_up: Any) -> None:
    found = black_market.worth(trials(Size(games=2000, blanks=0, landings=0, forced=0)), market())
    empty = found["balance"].assign(effect=np.nan, low=np.nan, high=np.nan, verdict="not yet known")
    told = change_first(empty, found["strength"], 0.05)
    assert told["sentence"] == "No card was seen often enough to say anything."
    assert isinstance(found["balance"], pd.DataFrame)
