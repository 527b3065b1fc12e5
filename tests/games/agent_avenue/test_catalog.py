"""From a spec to a policy: names, parameters, presets, and one clear line for everything that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentsim.errors import InputError
from agentsim.experiment import build_experiment
from agentsim.games.agent_avenue.catalog import CATALOG, FAMILIES
from agentsim.games.agent_avenue.policies.parameters import PLANNER_PARAMETERS, ROW_SIZE, WORTH, planner_row
from agentsim.games.agent_avenue.session import make_player
from agentsim.games.base import PolicyRef
from tests.games.agent_avenue.helpers import BASELINES, STANDARD, few, policy, the_game

PARAMETERS = {parameter.name: parameter for parameter in PLANNER_PARAMETERS}


def refused(spec: str, where: str = "") -> str:
    with pytest.raises(InputError) as error:
        CATALOG.from_spec(spec, where=where)
    text = str(error.value)
    assert "\n" not in text
    return text


# ---- what there is ---------------------------------------------------------------------------------------------------


def test_baselines_come_first_and_everything_has_an_idea() -> None:
    found = CATALOG.presets
    assert tuple(found)[:4] == BASELINES
    assert set(FAMILIES) <= set(found)
    for name, ref in found.items():
        assert ref.label == name
        assert len(ref.idea) > 20, name
        assert ref.family in FAMILIES
        assert set(ref.params) == {p.name for p in CATALOG.of(ref.family)}
        assert CATALOG.from_spec(name) == ref
    assert len({ref.idea for ref in found.values()}) == len(found)
    assert [ref.label for ref in the_game().policies()] == list(found)


def test_no_two_presets_are_the_same() -> None:
    planners = [tuple(ref.params.items()) for ref in CATALOG.presets.values() if ref.family == "planner"]
    assert len(set(planners)) == len(planners)


@pytest.mark.parametrize(("settings", "alike"), [
    ({}, {"engine_builder", "thief", "security", "mastermind", "trucker", "marketeer", "warden"}),
    ({"rules.mode": "advanced"}, {"warden"}),
    ({"rules.expansion": "division_m"}, {"engine_builder", "thief", "security", "mastermind", "trucker", "marketeer"}),
    ({"rules.mode": "advanced", "rules.expansion": "division_m"}, set()),
])
def test_all_are_those_that_play_differently(settings: dict[str, Any], alike: set[str]) -> None:
    """A taste for what the rules do not have makes no policy of its own: such presets play as ``expert``."""
    game = the_game()
    rules = game.rules(settings)
    found = [ref.label for ref in game.policies(rules)]
    assert found == [name for name in CATALOG.presets if "solver" not in CATALOG.presets[name].family
                     and name not in alike]
    experiment = build_experiment(["all"], settings=settings, matchups="mirrors")
    assert [ref.label for ref in experiment.policies] == found
    for name in sorted(alike):
        theirs, own = (game.session(rules, [(policy(who),) * 2], 5).play(0, 0, few(200, 4), "full").tables["turns"]
                       for who in ("expert", name))
        assert all((theirs[column] == own[column]).all() for column in theirs)


@pytest.mark.parametrize("name", [name for name, ref in CATALOG.presets.items() if "solver" not in ref.family])
def test_presets_keep_to_the_ranges(name: str) -> None:
    for parameter, value in CATALOG.presets[name].params.items():
        entry = PARAMETERS[parameter]
        assert entry.low <= value <= entry.high
        assert not entry.whole or value == int(value)
    make_player(CATALOG.presets[name], STANDARD)


def test_every_parameter_is_documented() -> None:
    assert len(PARAMETERS) == len(PLANNER_PARAMETERS)
    for parameter in PLANNER_PARAMETERS:
        assert parameter.name.isidentifier()
        assert parameter.low < parameter.high
        assert parameter.low <= parameter.default <= parameter.high
        assert len(parameter.doc) > 15, parameter.name
        assert not parameter.whole or parameter.default == int(parameter.default)
    assert len({parameter.doc for parameter in PLANNER_PARAMETERS}) == len(PLANNER_PARAMETERS)
    assert list(the_game().parameters(CATALOG.from_spec("planner"))) == list(PLANNER_PARAMETERS)
    assert list(the_game().parameters(CATALOG.from_spec("greedy"))) == []


def test_policies_survive_a_manifest() -> None:
    for spec in ("greedy", "planner", "expert", "planner(bluff=0.25, trust=1)"):
        ref = CATALOG.from_spec(spec)
        assert PolicyRef.from_dict(json.loads(json.dumps(ref.as_dict()))) == ref


# ---- specs -----------------------------------------------------------------------------------------------------------


def test_parameters_in_a_spec() -> None:
    ref = CATALOG.from_spec("  planner( bluff = 0.5,trust=1 , )  ")
    assert (ref.label, ref.family, ref.source) == ("planner(bluff=0.5, trust=1)", "planner", "inline")
    assert dict(ref.params) == {**CATALOG.presets["planner"].params, "bluff": 0.5, "trust": 1.0}
    assert CATALOG.from_spec("planner(bluff=5e-1,trust=1.0)") == ref
    changed = CATALOG.from_spec("expert(caution=0.25)")
    assert dict(changed.params) == {**CATALOG.presets["expert"].params, "caution": 0.25}
    assert changed.label == "expert(caution=0.25)"


def test_giving_what_holds_anyway_changes_nothing() -> None:
    assert CATALOG.from_spec("planner(bluff=0)") == CATALOG.presets["planner"]
    assert CATALOG.from_spec("planner()") == CATALOG.from_spec("planner") == CATALOG.presets["planner"]
    assert CATALOG.from_spec("greedy()") == CATALOG.presets["greedy"]


@pytest.mark.parametrize(("spec", "near"), [
    ("greddy", "greedy"), ("randm", "random"), ("Greedy", "greedy"), ("exprt", "expert"),
    ("plannner(bluff=1)", "planner"), ("random-discards", "random_discards")])
def test_unknown_policies_name_the_nearest(spec: str, near: str) -> None:
    text = refused(spec, "e.toml")
    assert text.startswith(f"e.toml: policies: unknown policy '{spec.partition('(')[0]}'")
    assert f"'{near}'" in text
    assert "greedy, minmax" in text


@pytest.mark.parametrize("spec", [
    "", " ", "()", "(bluff=1)", "planner(", "planner)", "planner(bluff=1))", "planner((bluff=1)", "planner(bluff=1",
    "planner(bluff=1)x", "a b", "\n", "x" * 500, "planner(bluff=1)(trust=1)"])
def test_specs_that_cannot_be_read(spec: str) -> None:
    assert refused(spec).startswith(("policies: cannot read the policy", "policies: unknown policy", "planner: ",
                                     "policies: no policy"))


@pytest.mark.parametrize("item", ["bluff", "bluff=", "=1", "bluff=much", "bluff=nan", "bluff=inf", "bluff=-inf",
                                  "bluff:1", "bluff=1=2", "0.5", "bluff=0x1", "bluff=1 2"])
def test_parameters_that_cannot_be_read(item: str) -> None:
    text = refused(f"planner(trust=0.5, {item})", "e.toml")
    assert text.startswith("e.toml: planner: ")
    assert item.partition("=")[0].strip() in text


def test_unknown_parameters_name_the_nearest() -> None:
    text = refused("planner(blufff=1)")
    assert text.startswith("planner: has no parameter 'blufff' (allowed: lead, ")
    assert "'bluff'" in text
    assert "no parameters at all" in refused("greedy(bluff=1)")
    assert "no parameters at all" in refused("random(x=1)")


def test_a_parameter_given_twice() -> None:
    assert "'bluff' is given twice" in refused("planner(bluff=1, bluff=1)")


@pytest.mark.parametrize("name", list(PARAMETERS))
def test_ranges_are_enforced_at_both_ends(name: str) -> None:
    entry = PARAMETERS[name]
    for value in (entry.low, entry.high):
        assert CATALOG.from_spec(f"planner({name}={value!r})").params[name] == value
        assert CATALOG.from_spec(f"expert({name}={value!r})").params[name] == value
    for value in (entry.low - 0.01, entry.high + 0.01, 1e300, -1e300):
        text = refused(f"planner({name}={value!r})")
        assert "is out of range" in text
        assert f"{entry.low:g} to {entry.high:g}" in text


@pytest.mark.parametrize("name", [p.name for p in PLANNER_PARAMETERS if p.whole])
def test_whole_parameters_are_whole(name: str) -> None:
    text = refused(f"planner({name}=0.5)")
    assert "(allowed: a whole number, " in text


# ---- rows of parameters ----------------------------------------------------------------------------------------------


def test_a_row_starts_with_the_parameters_in_order() -> None:
    params = {p.name: p.low + 0.25 * (p.high - p.low) for p in PLANNER_PARAMETERS}
    row = planner_row(params, STANDARD)
    assert len(row) == ROW_SIZE
    assert row[:len(params)].tolist() == list(params.values())
    assert len(params) <= WORTH


# ---- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spec", "text"), [
    ("none.py:x", "cannot read the policy file none.py: No such file or directory"),
    ("none.py", "'none.py' does not say which policy of the file"),
    ("none.py:", "cannot read the policy file none.py"), (".py:x", "cannot read the policy file .py"),
    ("none.pyx:x", "does not say which policy of the file"),
    ("none.py:x(a=1)", "cannot read the policy file none.py")])
def test_files_that_are_not_there(spec: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert text in refused(spec, "e.toml")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "folder.py"
    folder.mkdir()
    assert "cannot read the policy file" in refused(f"{folder}:x")
