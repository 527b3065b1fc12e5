"""``agentsim report``: plays the standard experiments, runs all analyses and notebooks, writes the pages.

What is unchanged since the last time is taken from ``data/logs/report_...``: runs that were made from the same plan by
the same code, tables of analyses, executed notebooks. An analysis that fails costs its page and the exit code, and
nothing else.
"""

from __future__ import annotations

import os
import platform
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

import agentsim
import analyses
from agentsim.commands.console import note
from agentsim.errors import InputError
from agentsim.games.base import get_game
from agentsim.report import (
    Block,
    Failure,
    Finding,
    NotebookPage,
    Provenance,
    Report,
    Section,
    one_line,
    render,
    section_or_failure,
    write_site,
)
from agentsim.report.notebooks import run_notebooks, source_digest
from agentsim.resources import notebooks_dir
from agentsim.runs import Run
from agentsim.simulation import ProgressBar
from analyses import (
    agents_and_bluffs,
    argh,
    black_market,
    first_player,
    game_shape,
    method,
    modes,
    shady_agents,
    standard,
    strategy,
    win_rates,
)
from analyses.cache import cached_tables, key_of
from analyses.common import listed, strongest

__all__ = ["main"]

CACHE = standard.LOGS / "report_cache"
NEW_GAMES: Mapping[str, Any] = {"standard_argh": argh, "standard_shady": shady_agents}
"""The pages of games other than Agent Avenue, by the experiment that they rest on."""
_FEW = 20_000
"""Games per matchup of the round robin below which the first page says that the sample is small."""
_VERSIONS = ("numpy", "numba", "pandas", "scipy", "duckdb", "pyarrow", "matplotlib", "joblib")

Tables = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class _Question:
    """A page: the module that makes it, its tables, and how many of its findings head the first page."""

    module: Any
    tables: Callable[[], Tables]
    headlines: int
    runs: tuple[str, ...]


@dataclass
class _Pages:
    """What the analyses have made so far; filled by their thread."""

    sections: list[Section] = field(default_factory=list)
    headlines: list[list[Finding]] = field(default_factory=list)
    method: list[Block] = field(default_factory=list)
    seconds: float = 0.0
    broken: BaseException | None = None


def main(games: int | None = None, out: Path = Path("reports"), workers: int | None = None, seed: int | None = None,
         notebooks_only: bool = False, quiet: bool = False) -> int:
    """Make the report. Returns 0, or 1 if a part of it failed (the pages say which).

    Parameters
    ----------
    games : games per matchup of the experiment ``standard``, even; the others are scaled in proportion.
    out : the folder for the pages. With ``notebooks_only`` they go to its subfolder ``notebooks``.
    workers, seed : of the simulations.
    quiet : say nothing but the path.

    Raises ``InputError`` for what cannot be used or written.
    """
    _check_folder(out)
    began = time.monotonic()
    planned = standard.plan(games, seed)
    total = sum(item.experiment.total_games for item in planned)
    note(f"{len(planned)} experiments, {total:,} games", quiet=quiet)
    try:
        runs = _play(planned, workers, quiet)
    except KeyboardInterrupt:
        note("what has been played is kept: the same command goes on from there", quiet=quiet)
        raise
    seconds = {"simulation": time.monotonic() - began}
    focus = strongest(runs["standard"])
    pages = _Pages()
    thread = None
    if not notebooks_only:
        questions = _questions(planned, runs, focus, workers or os.cpu_count() or 1)
        thread = threading.Thread(target=_analyse, args=(questions, planned, runs, pages), daemon=True, name="analyses")
        thread.start()
    note("analyses and notebooks" if thread else "notebooks", quiet=quiet)
    start = time.monotonic()
    notebooks = _notebooks(planned, runs, focus)
    if thread is not None:
        thread.join()
        if pages.broken is not None:
            raise pages.broken
        seconds["analyses"] = pages.seconds
    seconds["analyses and notebooks, side by side" if thread else "notebooks"] = time.monotonic() - start
    report = _report(planned, runs, pages, notebooks, seconds, _command(games, seed, notebooks_only))
    site = render(report)
    index = write_site(site, out / "notebooks" if notebooks_only else out)
    for failure in site.failures:
        note(f"failed: {failure.name}: {failure.error}")
    note(f"{len(site.files)} files in {time.monotonic() - began:.0f} s", quiet=quiet)
    print(index)
    return 1 if site.failures else 0


def _check_folder(out: Path) -> None:
    """Refuse a folder that cannot be written before minutes are spent on what should go there."""
    place = out
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise InputError("is a file", where=str(place), allowed="a folder")
    if not os.access(place, os.W_OK | os.X_OK):
        raise InputError("cannot be written: Permission denied", where=str(place))


def _play(planned: Sequence[standard.Planned], workers: int | None, quiet: bool) -> dict[str, Run]:
    bars: list[ProgressBar] = []

    def progress(key: str) -> ProgressBar:
        close()
        bars.append(ProgressBar(quiet=quiet))
        return bars[-1]

    def close() -> None:
        for bar in bars:
            bar.close()

    def say(text: str) -> None:
        close()
        note(text, quiet=quiet)

    try:
        return standard.play(planned, workers=workers, say=say, progress=progress)
    finally:
        close()


# ------------------------------------------------------------------------------------------------ analyses


def _questions(planned: Sequence[standard.Planned], runs: Mapping[str, Run], focus: str, workers: int
               ) -> list[_Question]:
    def changes() -> list[first_player.RuleChange]:
        return [first_player.RuleChange(rule, value, runs[key]) for rule, value, key in standard.rule_runs(planned)]

    rules = tuple(item.key for item in planned if item.key.startswith("standard_rules"))
    own = [_Question(module, _own_tables(module, key, planned, runs, workers), 2, (key,))
           for key, module in NEW_GAMES.items()]
    return [
        _Question(win_rates, lambda: win_rates.tables(runs["standard"]), 2, ("standard",)),
        _Question(first_player, lambda: first_player.tables(runs["standard"], changes()), 3, ("standard", *rules)),
        _Question(game_shape, lambda: game_shape.tables(runs["standard_mirrors"], focus), 2, ("standard_mirrors",)),
        _Question(agents_and_bluffs, lambda: agents_and_bluffs.tables(runs["standard_offers"], focus), 5,
                  ("standard_offers",)),
        _Question(strategy, lambda: strategy.tables(runs["standard"], deals=standard.strategy_deals(planned),
                                                    workers=workers), 2, ("standard",)),
        _Question(black_market, lambda: black_market.tables(
            runs["standard_market"], size=standard.market_size(planned), workers=workers), 3, ("standard_market",)),
        _Question(modes, lambda: modes.tables(
            runs["standard_market"], deals=standard.modes_deals(planned), workers=workers), 3, ("standard_market",)),
        *own,
    ]


def _own_tables(module: Any, key: str, planned: Sequence[standard.Planned], runs: Mapping[str, Run], workers: int
                ) -> Callable[[], Tables]:
    """The tables of a game that is not Agent Avenue."""
    def tables() -> Tables:
        made: Tables = module.tables(runs[key], games=standard.own_games(planned, key), workers=workers)
        return made

    return tables


def _analyse(questions: Sequence[_Question], planned: Sequence[standard.Planned], runs: Mapping[str, Run], pages: _Pages
             ) -> None:
    """Make all sections. What fails becomes a section that says so; only what is no ``Exception`` gets through."""
    start = time.monotonic()
    try:
        sources = _sources()
        for question in questions:
            name = question.module.__name__.rpartition(".")[2]
            headlines: list[Finding] = []

            def build(question: _Question = question, name: str = name, into: list[Finding] = headlines) -> Section:
                digests = [runs[key].digest() for key in question.runs]
                labels = [str(planned_item.folder) for planned_item in planned if planned_item.key in question.runs]
                tables = cached_tables(CACHE / _folder_name(name, planned), key_of(name, sources, *digests, *labels),
                                       question.tables)
                into += [_of_game(item, question.module)
                         for item in question.module.findings(tables)[:question.headlines]]
                made: Section = question.module.section(tables)
                return made

            pages.sections.append(section_or_failure(question.module.ANCHOR, question.module.TITLE,
                                                     question.module.QUESTION, build))
            pages.headlines.append(headlines if not pages.sections[-1].failures else [])
        try:
            pages.method += method.blocks(planned, runs)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            pages.method.append(Failure("Method and limits", one_line(error)))
    except BaseException as error:  # the main thread raises it again
        pages.broken = error
    pages.seconds = time.monotonic() - start


def _of_game(item: Finding, module: Any) -> Finding:
    """A finding for the first page, where it has to say which game it is about if that is not the first."""
    return replace(item, text=f"{module.TITLE}: {item.text}") if module in NEW_GAMES.values() else item


def _folder_name(name: str, planned: Sequence[standard.Planned]) -> str:
    """Where an analysis keeps its tables: each number of games and seed has a place of its own, as the runs have."""
    return name + planned[0].folder.name.removeprefix("report_standard")


def _sources() -> str:
    package, here = Path(agentsim.__file__).parent, Path(analyses.__file__).parent
    return source_digest(here, package / "stats", package / "report", package / "games",
                         package.parent / "data" / "strategy")


# ------------------------------------------------------------------------------------------------ notebooks


def _notebooks(planned: Sequence[standard.Planned], runs: Mapping[str, Run], focus: str
               ) -> list[NotebookPage | Failure]:
    """Execute the notebooks, each on its run.

    From the last to the first, while the analyses go from the first to the last: the large log is not in memory twice.
    """
    folder = {item.key: str(item.folder) for item in planned}
    changes = [[rule, value, folder[key]] for rule, value, key in standard.rule_runs(planned)]
    parameters: dict[str, dict[str, Any]] = {
        "agents_and_bluffs": {"RUN": folder["standard_offers"], "FOCUS": focus},
        "game_shape": {"RUN": folder["standard_mirrors"], "FOCUS": focus},
        "first_player": {"RUN": folder["standard"], "CHANGES": changes},
        "win_rates": {"RUN": folder["standard"]},
        "black_market": {"RUN": folder["standard_market"], "GAMES": _notebook_games(planned)},
        "argh": {"RUN": folder["standard_argh"], "GAMES": max(200, standard.own_games(planned, "standard_argh") // 6)},
        "shady_agents": {"RUN": folder["standard_shady"],
                         "GAMES": max(200, standard.own_games(planned, "standard_shady") // 6)},
        "strategy": {"RUN": folder["standard"], "DEALS": max(200, standard.strategy_deals(planned) // 6)},
    }
    sources = _sources()
    digests = {item.key: runs[item.key].digest() for item in planned}
    by_folder = {folder[key]: digest for key, digest in digests.items()}
    made: list[NotebookPage | Failure] = []
    try:
        for name, values in parameters.items():
            read = [values["RUN"], *(change[2] for change in values.get("CHANGES", ()))]
            made += run_notebooks([notebooks_dir() / f"{name}.ipynb"], CACHE / _folder_name("notebooks", planned),
                                  parameters=values, run_digest=" ".join(by_folder[path] for path in read),
                                  sources=sources, folder=Path.cwd(), jobs=1)
    except InputError as error:  # the packages for notebooks are missing: the pages are worth having without
        made.append(Failure("Notebooks", one_line(error)))
    return made[::-1]


def _notebook_games(planned: Sequence[standard.Planned]) -> int:
    """A sixth of what the page is made from, the first of the same games: the notebook should not take as long."""
    games = standard.market_size(planned).games
    return max(1, (games or 0) // 6)


# ------------------------------------------------------------------------------------------------ the pages


def _report(planned: Sequence[standard.Planned], runs: Mapping[str, Run], pages: _Pages,
            notebooks: Sequence[NotebookPage | Failure], seconds: Mapping[str, float], command: str) -> Report:
    base = planned[0].experiment
    titles = [get_game(name).title for name in dict.fromkeys(item.experiment.game for item in planned)]
    title = listed(titles)
    total = sum(run.n_games for run in runs.values())
    turns = sum(run.rows.get("turns", 0) for run in runs.values())
    counts = {"games": total,
              **{f"games of {name}": sum(runs[item.key].n_games for item in planned
                                         if get_game(item.experiment.game).title == name) for name in titles},
              "logged turns": turns, f"policies of {titles[0]}": len(base.policies),
              "rule sets": len(standard.rule_changes(planned)) + 1,
              "games of the round robin": runs["standard"].n_games,
              "logged games": sum(run.n_games for run in runs.values() if run.log != "none")}
    versions = {"agentsim": agentsim.__version__, "Python": platform.python_version(),
                **{name: metadata.version(name) for name in _VERSIONS}}
    place = planned[0].folder.parent.as_posix()
    told = (f"`make report` runs the same command. The standard experiments are in `data/experiments/`, the runs in "
            f"`{place}/report_*`. The digest is that of the round robin; the table of experiments lists all.")
    provenance = Provenance(command, base.seed, counts, versions, seconds, runs["standard"].digest(),
                            datetime.now(UTC).date().isoformat(), [told])
    if not pages.sections:
        return Report(f"{title}: notebooks", notebooks=notebooks, provenance=provenance,
                      summary="The notebooks, executed on the standard experiments.")
    summary = (f"{total:,} games".join(("**", "**")) + f" of {listed(titles)}. {titles[0]}: {len(base.policies)} ways "
               "to play met each other, and themselves; who wins, whether starting helps, how a game unfolds, which "
               "bluff works against whom, and what a Black Market card is worth.")
    if titles[1:]:
        summary += f" For {listed(titles[1:])} there is a page{' each' if titles[2:] else ''}."
    if base.games < _FEW:
        summary += " **A small sample:** many intervals are wide, and much is left undecided."
    return Report(
        title, _headlines(pages.headlines), pages.sections, summary=summary,
        provenance=provenance, method=pages.method, notebooks=notebooks)


def _headlines(groups: Sequence[Sequence[Finding]]) -> list[Finding]:
    """The first finding of every page, then the second ones, and so on."""
    longest = max((len(group) for group in groups), default=0)
    return [group[at] for at in range(longest) for group in groups if at < len(group)]


def _command(games: int | None, seed: int | None, notebooks_only: bool) -> str:
    words = ["agentsim report"]
    words += [f"--games {games}"] if games is not None else []
    words += [f"--seed {seed}"] if seed is not None else []
    return " ".join(words + (["--notebooks-only"] if notebooks_only else []))
