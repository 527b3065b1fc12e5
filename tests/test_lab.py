"""The strategy lab from Python: the example of the docs, the same numbers as the commands, import cost, bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

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
    (lambda: tournament("expert"), "policies: one policy has nobody to play")])
def test_bad_input(call: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        call()
