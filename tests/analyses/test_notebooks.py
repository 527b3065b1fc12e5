"""The notebooks: clean in git, parameterised, thin; and each runs (slow)."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from agentsim.report import NotebookPage
from agentsim.report.notebooks import run_notebooks
from agentsim.resources import notebooks_dir
from agentsim.runs import Run
from analyses.market_trials import Size

NAMES = ["agents_and_bluffs", "argh", "black_market", "first_player", "game_shape",
         "shady_agents", "strategy", "win_rates"]


def read(name: str) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads((notebooks_dir() / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return cells


def test_there_is_one_for_each_question() -> None:
    assert sorted(path.stem for path in notebooks_dir().glob("*.ipynb")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_they_are_clean_and_parameterised(name: str) -> None:
    cells = read(name)
    assert cells[0]["cell_type"] == "markdown"
    assert "".join(cells[0]["source"]).startswith("# ")
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    tagged = [cell for cell in code if "parameters" in cell["metadata"].get("tags", [])]
    assert len(tagged) == 1
    assert "RUN = \"../data/logs/report_standard" in "".join(tagged[0]["source"])


@pytest.mark.parametrize("name", NAMES)
def test_they_are_thin(name: str) -> None:
    code = ["".join(cell["source"]) for cell in read(name) if cell["cell_type"] == "code"]
    assert any(f"{name}.tables(" in text for text in code)
    for text in code:
        assert not any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in ast.walk(ast.parse(text)))
        assert len(text.splitlines()) <= 12


@pytest.mark.parametrize("name", NAMES)
def test_what_they_show_exists(name: str, round_robin: Run, market_run: Run, argh_run: Run, shady_run: Run) -> None:
    import importlib

    module = importlib.import_module(f"analyses.{name}")
    if name == "first_player":
        tables = module.tables(round_robin, [module.RuleChange("ring length", 14, round_robin)])
    elif name == "black_market":
        tables = module.tables(market_run, size=Size(games=2000, blanks=2000, landings=500, forced=200))
    elif name == "argh":
        tables = module.tables(argh_run, games=400)
    elif name == "shady_agents":
        tables = module.tables(shady_run, games=200)
    elif name == "strategy":
        tables = module.tables(round_robin, deals=100)
    else:
        tables = module.tables(round_robin)
    there = {"charts": set(module.figures(tables)), "shown": set(module.displays(tables))}
    # Circles need luck; what a rule change does needs a change.
    sometimes = {("charts", "triples"), ("shown", "triples"), ("shown", "rules")}
    for cell in read(name):
        text = "".join(cell["source"])
        if cell["cell_type"] == "code" and text.startswith(("charts.get", "shown.get")):
            kind, key = text[:text.index(".")], text.split('"')[1]
            assert key in there[kind] or (kind, key) in sometimes, text


@pytest.mark.slow
def test_they_run(tmp_path: Path, round_robin: Run, mirrors: Run, market_run: Run, argh_run: Run, shady_run: Run
                  ) -> None:
    for name in NAMES:
        values: dict[str, Any] = {"RUN": str((mirrors if name == "game_shape" else round_robin).path)}
        if name == "black_market":
            values = {"RUN": str(market_run.path), "GAMES": 3000}
        if name == "argh":
            values = {"RUN": str(argh_run.path), "GAMES": 400}
        if name == "shady_agents":
            values = {"RUN": str(shady_run.path), "GAMES": 200}
        if name == "strategy":
            values |= {"DEALS": 200, "GAMES": 2_000, "WORLDS": 50}
        if name == "first_player":
            values["CHANGES"] = [["ring length", 14, str(mirrors.path)]]
        page, = run_notebooks([notebooks_dir() / f"{name}.ipynb"], tmp_path, parameters=values)
        assert isinstance(page, NotebookPage), page
        assert page.body.count("<img") >= 3
        assert "Traceback" not in page.body
