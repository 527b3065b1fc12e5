"""The whole report: what it says, what it reuses, and that a failure costs a page and the exit code but no more."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentsim.cli import main as command
from agentsim.errors import InputError
from agentsim.report import Failure, NotebookPage, Section, Text
from agentsim.report.check import check_report
from agentsim.report.lint import lint
from analyses import (
    agents_and_bluffs,
    argh,
    black_market,
    first_player,
    game_shape,
    modes,
    report,
    shady_agents,
    standard,
    win_rates,
)

MODULES = (win_rates, first_player, game_shape, agents_and_bluffs, black_market, modes, argh, shady_agents)


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with notebooks and charts that cost no time."""

    def no_notebooks(paths: Sequence[Path], *_: Any, **__: Any) -> list[NotebookPage | Failure]:
        return [NotebookPage(path.stem, path.stem, "<p>Not executed.</p>") for path in paths]

    def plain(module: Any) -> Any:
        def section(tables: Any) -> Section:
            return Section(module.ANCHOR, module.TITLE, module.QUESTION, [Text(f"{len(tables)} tables")])

        return section

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(report, "run_notebooks", no_notebooks)
    for module in MODULES:
        monkeypatch.setattr(module, "section", plain(module))
    return tmp_path


def test_pages_appear_and_the_path_is_printed(quick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report.main(games=20, workers=1) == 0
    assert capsys.readouterr().out == "reports/index.html\n"
    assert lint(quick / "reports") == []
    index = (quick / "reports" / "index.html").read_text(encoding="utf-8")
    assert "A small sample" in index
    method = (quick / "reports" / "method.html").read_text(encoding="utf-8")
    for word in ("agentsim report --games 20", "agentsim simulate data/experiments/standard_rules.toml",
                 "The exact anchor", "numba"):
        assert word in method
    assert f"{sum(item.experiment.total_games for item in standard.plan(20)):,}" in index


def fail(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("deliberately broken")


@pytest.mark.slow  # six seconds each
@pytest.mark.parametrize(("module", "part"), [
    (win_rates, "tables"), (game_shape, "section"), (first_player, "findings")])
def test_an_analysis_that_fails_costs_its_page_and_the_exit_code(
    quick: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], module: Any, part: str
) -> None:
    monkeypatch.setattr(module, part, fail)
    assert report.main(games=20, workers=1) == 1
    told = capsys.readouterr()
    assert told.out == "reports/index.html\n"
    assert f"failed: {module.TITLE}: ZeroDivisionError: deliberately broken" in told.err
    index = (quick / "reports" / "index.html").read_text(encoding="utf-8")
    assert "1 part of this report failed" in index
    page = (quick / "reports" / f"{module.ANCHOR}.html").read_text(encoding="utf-8")
    assert "ZeroDivisionError: deliberately broken" in page
    for other in MODULES:
        if other is not module:
            assert "tables" in (quick / "reports" / f"{other.ANCHOR}.html").read_text(encoding="utf-8")
    assert lint(quick / "reports") == []


@pytest.mark.slow
def test_a_notebook_that_fails_is_named(quick: Path, monkeypatch: pytest.MonkeyPatch,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(report, "run_notebooks", lambda paths, *_, **__: [Failure(paths[0].name, "NameError: x")])
    assert report.main(games=20, workers=1) == 1
    assert "failed: win_rates.ipynb: NameError: x" in capsys.readouterr().err


@pytest.mark.slow
def test_missing_notebook_packages_cost_the_notebooks_only(quick: Path, monkeypatch: pytest.MonkeyPatch,
                                                           capsys: pytest.CaptureFixture[str]) -> None:
    def missing(*_: Any, **__: Any) -> Any:
        raise InputError("notebooks need the package 'nbclient'")

    monkeypatch.setattr(report, "run_notebooks", missing)
    assert report.main(games=20, workers=1) == 1
    assert "notebooks need the package" in capsys.readouterr().err
    assert (quick / "reports" / "win-rates.html").exists()


@pytest.mark.slow
def test_what_is_unchanged_is_reused(quick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert report.main(games=20, workers=1) == 0
    monkeypatch.setattr(standard, "simulate", fail)
    for module in MODULES:
        monkeypatch.setattr(module, "tables", fail)
    assert report.main(games=20, workers=1) == 0
    shutil.rmtree(quick / "data" / "logs" / "report_cache")
    assert report.main(games=20, workers=1) == 1


@pytest.mark.slow
def test_the_same_seed_gives_the_same_pages(quick: Path) -> None:
    pages = []
    for workers in (1, 2):
        shutil.rmtree(quick / "data", ignore_errors=True)
        assert report.main(games=20, workers=workers, seed=3) == 0
        pages.append((quick / "reports" / "win-rates.html").read_bytes()
                     + (quick / "reports" / "tables" / "experiments.csv").read_bytes())
    assert pages[0] == pages[1]
    assert report.main(games=20, workers=1, seed=4) == 0
    assert (quick / "reports" / "tables" / "experiments.csv").read_bytes() not in pages[0]


def test_only_the_notebooks(quick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report.main(games=20, workers=1, notebooks_only=True) == 0
    assert capsys.readouterr().out == "reports/notebooks/index.html\n"
    assert not (quick / "reports" / "index.html").exists()
    assert len(list((quick / "reports" / "notebooks").glob("notebook-*.html"))) == 8


@pytest.mark.parametrize("games", ["3", "0", "1", "-2", "many", "2.5"])
def test_bad_numbers_of_games_cost_a_line_and_nothing_else(quick: Path, capsys: pytest.CaptureFixture[str], games: str
                                                           ) -> None:
    assert command(["report", f"--games={games}"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.strip().splitlines()) == 1
    assert "--games" in told.err
    assert list(quick.iterdir()) == []


def test_a_place_that_cannot_be_written_is_found_out_first(quick: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (quick / "taken").write_text("mine")
    assert command(["report", "--games", "20", "--out", "taken"]) == 2
    assert command(["report", "--games", "20", "--out", "taken/deeper"]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 2
    assert [path.name for path in quick.iterdir()] == ["taken"]


@pytest.mark.slow
def test_the_real_thing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chromium: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert command(["report", "--games", "2000"]) == 0
    assert check_report("reports", browser=chromium) == []
    names = {path.name for path in Path("reports").glob("*.html")}
    assert {"index.html", "method.html", "win-rates.html", "first-player.html", "game-shape.html",
            "agents-and-bluffs.html", "black-market.html", "modes.html", "notebook-black_market.html",
            "notebook-win_rates.html", "notebook-first_player.html",
            "notebook-game_shape.html", "notebook-agents_and_bluffs.html"} <= names
    assert len(list(Path("reports/charts").glob("*.svg"))) + len(list(Path("reports/charts").glob("*.png"))) >= 20
