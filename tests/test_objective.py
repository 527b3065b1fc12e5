"""What tuning makes large: the mean, the least, the soft minimum; its interval; searches repeated and resumed."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim import load_policies
from agentsim.cli import main
from agentsim.errors import InputError
from agentsim.games.base import get_game
from agentsim.stats import Interval, adjusted_level
from agentsim.strategy import tune
from agentsim.strategy import tuning as tune_module
from agentsim.strategy.field import Opponent, Validation, mean_score
from agentsim.strategy.objective import MEAN, TEMPERATURE, Objective, read_objective
from agentsim.strategy.tuning import Search, SearchPlan
from agentsim.tomlfile import read_toml

GAME = get_game("agent_avenue")
RULES = GAME.rules({})
PLANNER, RANDOM, GREEDY, MINMAX = load_policies("planner,random,greedy,minmax")
FIELD = tuple(Opponent(ref, 1 / 3) for ref in (RANDOM, GREEDY, MINMAX))
UNEVEN = (Opponent(RANDOM, 0.7), Opponent(GREEDY, 0.2), Opponent(MINMAX, 0.1))
TARGETS = (0.95, 0.93, 0.94)
WORST, SOFT = Objective("worst", TARGETS), Objective("soft-worst", TARGETS)
FEW: dict[str, Any] = {"games": 40, "generations": 3, "population": 4, "validation": 400}

scores = st.lists(st.floats(0, 1), min_size=3, max_size=3)


def test_the_values_are_those_of_the_formulas() -> None:
    seen = (0.96, 0.935, 0.93)
    margins = (0.01, 0.005, -0.01)
    assert Objective("worst").of(seen, FIELD) == 0.93
    assert WORST.of(seen, FIELD) == pytest.approx(-0.01)
    assert MEAN.of(seen, UNEVEN) == pytest.approx(0.7 * 0.96 + 0.2 * 0.935 + 0.1 * 0.93)
    by_hand = -TEMPERATURE * math.log(sum(one.weight * math.exp(-margin / TEMPERATURE)
                                          for one, margin in zip(UNEVEN, margins, strict=True)))
    assert SOFT.of(seen, UNEVEN) == pytest.approx(by_hand)
    counts = [np.array([10, 0, 30]), np.array([0, 8, 8]), np.array([1, 0, 1])]
    assert MEAN.of_games(counts, FIELD) == mean_score(counts, FIELD)
    assert SOFT.of_games(counts, FIELD) == pytest.approx(SOFT.of([0.75, 0.75, 0.5], FIELD))
    assert SOFT.of([0.0, 1.0, 1.0], FIELD) == pytest.approx(-0.95 + TEMPERATURE * math.log(3))  # far apart: no overflow


@given(scores, st.integers(0, 2), st.floats(0, 1))
def test_the_soft_minimum_lies_between_the_least_and_the_mean_and_grows_with_every_score(
    seen: list[float], at: int, more: float
) -> None:
    for field in (FIELD, UNEVEN):
        value = SOFT.of(seen, field)
        margins = [score - target for score, target in zip(seen, TARGETS, strict=True)]
        mean = sum(one.weight * margin for one, margin in zip(field, margins, strict=True))
        assert min(margins) - 1e-12 <= value <= mean + 1e-12
        raised = [score + more if number == at else score for number, score in enumerate(seen)]
        assert SOFT.of(raised, field) >= value - 1e-12
        assert WORST.of(raised, field) >= WORST.of(seen, field)


def test_its_interval_covers_the_truth_whenever_those_of_the_scores_do() -> None:
    """Planted scores, two of them equally bad: the least of the estimates is biased, its interval is not fooled."""
    rng = np.random.default_rng(4)
    truth, deals, repetitions = np.array([0.95, 0.93, 0.94]) + np.array([0.0, 0.0, 0.02]), 500, 2_000
    each = adjusted_level(len(FIELD) + 1)
    z = NormalDist().inv_cdf(0.5 + each / 2)
    missed = {"worst": 0, "soft-worst": 0}
    for _ in range(repetitions):
        se = np.sqrt(truth * (1 - truth) / deals)
        seen = rng.normal(truth, se)
        one = Validation(PLANNER, FIELD, tuple(
            Interval(float(mean), float(mean - z * off), float(mean + z * off), deals, each, "normal", deals, 2 * deals)
            for mean, off in zip(seen, se, strict=True)), Interval(0.9, 0.8, 1.0, deals, each, "x"), 1)
        for aim in (WORST, SOFT):
            found = aim.interval(one)
            assert found.low <= found.estimate <= found.high
            missed[aim.kind] += not found.contains(aim.of(truth.tolist(), FIELD))
    assert found.level == pytest.approx(each**3)
    assert found.n_games == 6 * deals
    assert max(missed.values()) / repetitions <= 1 - found.level


def test_a_search_makes_the_worst_large_where_the_mean_would_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A made-up field: bluff wins much against random and loses a little against greedy."""
    def play(rules: Any, candidates: Any, field: Any, **_: Any) -> list[list[Any]]:
        rows = []
        for one in candidates:
            x = one.params["bluff"]
            rows.append([np.array([1 - value, 0.0, value]) * 1e6
                         for value in (0.6 + 0.3 * x, 0.7 - 0.1 * x)])
        return rows

    monkeypatch.setattr(tune_module, "play_field", play)
    field = (Opponent(RANDOM, 0.5), Opponent(GREEDY, 0.5))
    found = {}
    for aim in (MEAN, Objective("worst"), Objective("soft-worst"), Objective("worst", (0.6, 0.8))):
        plan = SearchPlan(PLANNER, ("bluff", "bait"), field, 3, 12, 60, 10, 10, sigma=0.2, objective=aim)
        search = Search(RULES, plan, GAME.parameters(PLANNER))
        search.run()
        found[aim] = search.choose().policy.params["bluff"]
    high = next(one.high for one in GAME.parameters(PLANNER) if one.name == "bluff")
    mean, worst, soft, margins = found.values()
    assert mean == pytest.approx(high, abs=0.1)
    assert worst == pytest.approx(0.25, abs=0.05)  # both score 0.675
    assert worst < soft < 0.4
    assert margins == pytest.approx(-0.25, abs=0.05)  # both miss by 0.075


def test_tuning_is_repeated_from_the_seed_and_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    targets = {"random": 0.95, "greedy": 0.93}
    one, two = (tune("planner", "random,greedy", only="lead,caution", objective="soft-worst", targets=targets,
                     workers=workers, **FEW) for workers in (1, 2))
    assert one == two
    assert one.value.method == "ends of simultaneous intervals"
    assert one.value.estimate == pytest.approx(SOFT_OF_TWO.of([score.estimate for score in one.result.scores],
                                                              one.result.field))
    presets = tmp_path / "p.toml"
    words = ["tune", "planner", "--only", "lead,caution", "--against", "random,greedy", "--objective", "soft-worst",
             "--target", "random=95", "--target", "greedy=93%", "--games", "40", "--generations", "3", "--population",
             "4", "--validate", "400", "--quiet"]
    assert main([*words, "--json", "--save", "mine", "--presets", str(presets), "--out", str(tmp_path / "t")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["changed"] == one.changed
    assert told["objective"] == {"kind": "soft-worst", "temperature": TEMPERATURE, "targets": [0.95, 0.93],
                                 "value": one.value.as_dict()}
    assert told["middle_by_generation"] == [list(one.best.middle_by_generation)]
    history = read_toml(presets, what="presets file").data["mine"]["history"]
    assert history["objective"] == "soft-worst"
    assert history["targets"] == [0.95, 0.93]
    assert history["value"] == one.value.estimate
    assert history["opponents"] == ["random", "greedy"]
    assert "--objective soft-worst" in history["command"]
    assert "soft minimum" in read_toml(presets, what="presets file").data["mine"]["idea"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "Objective, the soft minimum (temperature 0.67 points) of the margins over random 95, greedy 93" in " ".join(
        out.split())
    assert "margin" in out


SOFT_OF_TWO = Objective("soft-worst", TARGETS[:2])


def test_a_search_goes_on_under_its_objective_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(folder: Path | None, **changes: Any) -> Any:
        return tune("planner", "random,greedy", only="lead,caution", out=folder, **{**FEW, **changes})

    whole = start(None, objective="worst")
    start(tmp_path, objective="worst", generations=2)
    played = []
    play = tune_module.play_field
    monkeypatch.setattr(tune_module, "play_field", lambda *args, **keys: played.append(keys["first_deal"]) or play(
        *args, **keys))
    assert start(tmp_path, objective="worst") == whole
    assert played == [40, 0]  # the last generation and the finalists
    for changes, words in (({"objective": "mean"}, "another objective"), ({"objective": "soft-worst"}, "another"),
                           ({"objective": "worst", "targets": {"random": 0.95, "greedy": 0.93}}, "another objective"),
                           ({"objective": "mean", "seed": 2}, "another objective, seed")):
        with pytest.raises(InputError, match=f"holds another search: {words}"):
            start(tmp_path, **changes)


def test_a_history_of_before_there_was_a_choice_is_of_the_mean(tmp_path: Path) -> None:
    def start(folder: Path | None, **changes: Any) -> Any:
        return tune("planner", "random", only="lead,caution", out=folder, **{**FEW, **changes})

    whole = start(tmp_path)
    place = tmp_path / "search_0" / "plan.json"
    old = json.loads(place.read_text())
    assert old.pop("objective") == {"kind": "mean"}
    place.write_text(json.dumps(old, indent=1, sort_keys=True) + "\n")
    assert start(tmp_path) == whole
    with pytest.raises(InputError, match="another objective"):
        start(tmp_path, objective="worst")
    place.write_text("[1]")
    with pytest.raises(InputError, match="its plan cannot be read"):
        start(tmp_path)


def test_no_targets_are_no_targets() -> None:
    assert read_objective("worst", {}, FIELD) == read_objective("worst", None, FIELD) == Objective("worst")
    assert read_objective("mean", {}, UNEVEN) == MEAN
    aim = read_objective("soft-worst", {"minmax": 0.94, "greedy": 0.93, "random": 0.95}, FIELD)
    assert aim == SOFT  # in the order of the field


@pytest.mark.parametrize("items", [["random"], ["random=x"], ["random=101"], ["random=-1"], ["=95"], ["random=nan"],
                                   ["random=95", "random=94"], ["nobody=95"], ["greedy=95"]])
def test_targets_that_cannot_be(items: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for item in items for word in ("--target", item)]
    assert main(["tune", "planner", "--against", "random", "--objective", "worst", *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("agentsim: --target: ")
    assert error.count("\n") == 1


def test_a_label_may_have_an_equals_sign(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "planner", "--against", "planner(bluff=1)", "--objective", "worst", "--only", "lead",
                 "--target", "planner(bluff=1)=60", "--games", "40", "--generations", "1", "--population", "4",
                 "--validate", "400", "--quiet"]) == 0
    assert "planner(bluff=1) 60" in " ".join(capsys.readouterr().out.split())
