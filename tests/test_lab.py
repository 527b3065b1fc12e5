"""The strategy lab from Python: the example of the docs, the same numbers as the commands, import cost, bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import agentsim
from agentsim.cli import main
from agentsim.errors import InputError
from agentsim.strategy import exploit, sweep, tournament, tune
from agentsim.strategy.tuning import Found


def test_the_example_of_the_docs_runs(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (repository / "docs" / "cli.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(text.split("```python\n")[1].split("```")[0], names)
    assert names["curve"].points["bluff"].tolist() == [-1, 0, 1]
    assert isinstance(names["mine"].best, Found)
    assert names["mine"].score.n_games == 4_000
    assert set(names["mine"].changed) <= {"bluff", "caution"}
    assert names["open_to"].best.validation.mean.estimate > 0.6  # greedy is open to much more
    assert set(names["result"].ranking()["policy"]) == {"tuned", "greedy", "random"}
    assert "tuned" in capsys.readouterr().out


def test_commands_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "planner", "--vary", "bluff=0:1:0.5", "--against", "random:3,greedy", "--games", "400",
                 "--json", "--quiet", "--set", "rules.discards=0"]) == 0
    told = pd.DataFrame(json.loads(capsys.readouterr().out)["points"])
    found = sweep("planner", "bluff=0:1:0.5", "random:3,greedy", games=400, settings={"rules.discards": 0}, workers=1)
    pd.testing.assert_frame_equal(told, found.points, check_dtype=False)
    assert main(["tune", "planner", "--only", "lead", "--against", "random", "--games", "40", "--generations", "2",
                 "--population", "4", "--validate", "200", "--restarts", "2", "--seed", "5", "--json", "--quiet"]) == 0
    told = json.loads(capsys.readouterr().out)
    tuned = tune("planner", "random", only=["lead"], games=40, generations=2, population=4, validation=200, restarts=2,
                 seed=5)
    assert told["mean"] == tuned.score.as_dict()
    assert told["changed"] == tuned.changed
    assert len(tuned.searches) == 2


def test_importing_it_loads_nothing_scientific(repository: Path) -> None:
    code = ("import sys; import agentsim.strategy as s; assert {'tune', 'tournament'} <= set(dir(s)); "
            "print([m for m in ('numpy', 'numba', 'pandas', 'cmaes', 'scipy') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=repository, check=True)
    assert done.stdout == "[]\n"


def test_what_there_is_not() -> None:
    import agentsim.strategy

    with pytest.raises(AttributeError, match="no attribute 'win'"):
        _ = agentsim.strategy.win


@pytest.mark.parametrize(("call", "problem"), [
    (lambda: sweep("planner", {"blufff": [0, 1]}), "vary: planner has no parameter 'blufff'.*did you mean 'bluff'"),
    (lambda: sweep("planner", {}), "vary: 0 parameters are varied"),
    (lambda: sweep("planner", {"bluff": 1}), "vary: bluff: 1 is no list of numbers"),
    (lambda: sweep("planner", {"bluff": ["a"]}), "vary: bluff: .*is no list of numbers"),
    (lambda: sweep("planner", {"bluff": [0, 99]}), "vary: bluff: 99 is out of range"),
    (lambda: sweep("planner", {"bluff": [0, 1]}, "nobody"), "against: policies: unknown policy 'nobody'"),
    (lambda: sweep("planner", {"bluff": [0, 1]}, game="argh"), "game: .*win shares"),
    (lambda: sweep("planner", {"bluff": [0, 1]}, settings={"rules.discard": 1}), "did you mean 'rules.discards'"),
    (lambda: tune("random"), "policy: random has no parameters"),
    (lambda: tune("planner", only="bluff,bluff"), "only: a parameter is listed twice"),
    (lambda: tune("planner", population=1), "population: "),
    (lambda: tune("planner", seed=-1), "seed: "),
    (lambda: exploit("greedy", games=10), "games: "),
    (lambda: exploit("greedy", methods="magic"), "methods: unknown method 'magic'"),
    (lambda: exploit("greedy", starts="random"), "starts: random has no parameters"),
    (lambda: tune("planner", "random", objective="best"), "objective: unknown objective 'best'"),
    (lambda: tune("planner", "random", objective=None), "objective: unknown objective None"),
    (lambda: tune("planner", "random:2,greedy", objective="worst"), "objective: the least score knows no weights"),
    (lambda: tune("planner", "random", targets={"random": 0.9}), "targets: targets have no bearing on the mean"),
    (lambda: tune("planner", "random", objective="worst", targets={"random": 95}), "targets: must be a fraction"),
    (lambda: tune("planner", "random", objective="worst", targets={"random": "x"}), "targets: must be a number"),
    (lambda: tune("planner", "random", objective="worst", targets={"rndom": 0.9}), "did you mean 'random'"),
    (lambda: tune("planner", "random,greedy", objective="worst", targets={"random": 0.9}), "there is none for greedy"),
    (lambda: tune("planner", "random", objective="worst", targets=0.95), "targets: must be scores by opponent"),
    (lambda: tournament("expert"), "policies: one policy has nobody to play")])
def test_bad_input(call: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        call()


_BAD: list[Any] = [None, 7, "", [], {}, b"random", [7], ["random", None], {"policy": 7}, float("nan"), object()]


@pytest.mark.parametrize("bad", _BAD, ids=lambda bad: "object" if type(bad) is object else repr(bad))
@pytest.mark.parametrize("call", [
    lambda bad: tune(bad), lambda bad: tune("planner", bad), lambda bad: sweep(bad, {"bluff": [0, 1]}),
    lambda bad: sweep("planner", bad), lambda bad: sweep("planner", {"bluff": [0, 1]}, bad), lambda bad: exploit(bad),
    lambda bad: exploit("random", starts=bad), lambda bad: exploit("random", methods=bad),
    lambda bad: tournament(bad), lambda bad: tournament("random", [bad]),
    lambda bad: tournament("random,greedy", game=bad),
    lambda bad: tune("planner", only=bad or []), lambda bad: tune("planner", game=bad),
    lambda bad: tune("planner", population=[bad]), lambda bad: tune("planner", games=[bad]),
    lambda bad: tournament("random,greedy", games=bad), lambda bad: tournament("random,greedy", seed=[bad]),
    lambda bad: tournament("random,greedy", margin=bad), lambda bad: tournament("random,greedy", level=bad),
    lambda bad: tune("planner", settings=[bad]), lambda bad: tournament("random,greedy", settings=bad or [1]),
    lambda bad: sweep("planner", {"bluff": [0, 1]}, workers=[bad]), lambda bad: tune("planner", workers=0),
    lambda bad: tune("planner", out=[bad]), lambda bad: tune("planner", out=""), lambda bad: exploit("random", out=7),
    lambda bad: tournament("random,greedy", out=b"x"), lambda bad: sweep("planner", "bluff=0,1", progress=[bad]),
    lambda bad: agentsim.load_policies([] if bad is None else bad), lambda bad: agentsim.simulate(policies=bad)])
def test_what_is_nothing_of_the_kind_is_one_clear_line(call: Any, bad: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("lab.run_sweep", "lab.search_responses", "results.play_tournament", "tuning.play_field"):
        monkeypatch.setattr(f"agentsim.strategy.{place}", None)  # nothing is played
    with pytest.raises(InputError) as caught:
        call(bad)
    assert len(str(caught.value)) < 600
    assert "\n" not in str(caught.value)


def test_policies_may_be_complete_or_a_list(tmp_path: Path) -> None:
    """Whatever stands for policies elsewhere does here."""
    (planner,) = agentsim.load_policies("planner")
    few: dict[str, Any] = {"games": 40, "generations": 1, "population": 4, "validation": 200}
    one = tune("planner", "random,greedy", only="lead", **few)
    two = tune(planner, ["random", {"policy": "greedy"}], only=["lead"], out=tmp_path / "new", **few)
    assert one.policy == two.policy
    assert one.score == two.score
    assert sweep(planner, "lead=0,1", [planner], games=40).points["n_games"].tolist() == [40, 40]


@pytest.mark.parametrize(("call", "problem"), [
    (lambda: agentsim.review(None), "game: NoneType is no game of Agent Avenue"),  # type: ignore[arg-type]
    (lambda: agentsim.review("g.txt", seats=5), "seats: must be seats, got 5"),  # type: ignore[arg-type]
    (lambda: agentsim.review("g.txt", seats=[3]), "seats: must be seats"),
    (lambda: agentsim.review("g.txt", mine=None), "mine: must be policies, got None"),  # type: ignore[arg-type]
    (lambda: agentsim.review("g.txt", theirs="expert,random"), "theirs: 2 policies"),
    (lambda: agentsim.advise(agentsim.new_game(), mine=7), "mine: must be policies, got 7"),  # type: ignore[arg-type]
    (lambda: agentsim.advise(agentsim.new_game(), theirs=""), "theirs: a policy name is missing"),
    (lambda: agentsim.advise(agentsim.new_game(), precision="x"), "precision: 'x'"),  # type: ignore[arg-type]
    (lambda: agentsim.new_game(settings=7), "settings: must be rule keys"),  # type: ignore[arg-type]
    (lambda: agentsim.simulate(policies="random", settings=7), "settings: must be rule keys")])  # type: ignore[arg-type]
def test_bad_arguments_of_the_other_functions(call: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        call()
