"""Executing notebooks: parameters, reuse, failures that stay failures of one notebook."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from agentsim.errors import InputError
from agentsim.report import Failure, NotebookPage, Report, render
from agentsim.report.notebooks import run_notebooks, source_digest
from tests.report.reading import read


def write(path: Path, *cells: str, parameters: str | None = "run = 'none'\ngames: int = 3") -> Path:
    nbformat: Any = pytest.importorskip("nbformat")  # takes a second to import: only where it is used
    made = [nbformat.v4.new_markdown_cell("# A story\n\nwith **words**", id="title")]
    if parameters is not None:
        made.append(nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}, id="parameters"))
    made += [nbformat.v4.new_code_cell(code, id=f"cell-{at}") for at, code in enumerate(cells)]
    nbformat.write(nbformat.v4.new_notebook(cells=made), path)
    return path


def run(paths: list[Path], cache: Path, **options: Any) -> list[NotebookPage | Failure]:
    return run_notebooks(paths, cache, **options)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[NotebookPage | Failure]:
    folder = tmp_path_factory.mktemp("notebooks")
    good = write(folder / "good.ipynb", "print('run is', run, 'games', games)",
                 "from tests.report.sample import leads_chart, hands_table\nleads_chart()", "hands_table()",
                 "import os; print(os.getcwd())")
    bad = write(folder / "Bad One.ipynb", "x = 1", "def f():\n    return 1 / 0\nf()")
    dead = write(folder / "dead.ipynb", "import os\nos._exit(3)")
    slow = write(folder / "slow.ipynb", "import time\ntime.sleep(60)")
    junk = folder / "junk.ipynb"
    junk.write_text("{junk")
    options: dict[str, Any] = {"parameters": {"run": "it's \"here\"", "games": 5}, "folder": Path(__file__).parents[2]}
    made = run([good, bad, dead, junk], folder / "cache", **options)
    return [*made, *run([slow], folder / "cache", timeout=2, **options)]


def test_a_notebook_becomes_a_page_with_its_parameters(pages: list[NotebookPage | Failure]) -> None:
    page = pages[0]
    assert isinstance(page, NotebookPage)
    assert (page.name, page.title, page.reused) == ("good", "A story", False)
    words = read(page.body).words
    assert "run is it's \"here\" games 5" in words
    assert "run = 'none'" in words, "the defaults stay in view"
    assert str(Path(__file__).parents[2]) in words, "it ran in the folder asked for"


def test_charts_and_tables_look_as_in_the_report(pages: list[NotebookPage | Failure]) -> None:
    page = pages[0]
    assert isinstance(page, NotebookPage)
    body = read(page.body)
    image = body.one("figure").one("img")
    assert image.attributes["src"].startswith("data:image/svg+xml;base64,")
    assert image.attributes["alt"].startswith("Four lines")
    assert len(body.one("table").one("tbody").all("tr")) == 259


def test_the_page_loads_nothing_and_leads_back(pages: list[NotebookPage | Failure]) -> None:
    site = render(Report("R", notebooks=pages))
    html = site.files["notebook-good.html"].decode()
    for word in ("cdn", "require.js", "mathjax", "mermaid", "unpkg"):
        assert word not in html.lower()
    page = read(html)
    assert "index.html" in {link.attributes["href"] for link in page.all("a")}
    assert len(page.all("h1")) == 1
    assert [failure.name for failure in site.failures] == ["Bad One.ipynb", "dead.ipynb", "junk.ipynb", "slow.ipynb"]


def test_each_failure_is_one_line(pages: list[NotebookPage | Failure]) -> None:
    errors = {page.name: page.error for page in pages if isinstance(page, Failure)}
    assert errors["Bad One.ipynb"] == "ZeroDivisionError: division by zero"
    assert errors["dead.ipynb"] == "the process that ran the notebook died"
    assert errors["slow.ipynb"] == "a cell took longer than allowed"
    assert errors["junk.ipynb"].startswith("is not a notebook")
    assert not any("\n" in error for error in errors.values())


def test_a_page_is_reused_until_what_it_depends_on_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "one.ipynb", "print(run)")
    options: dict[str, Any] = {"parameters": {"run": "a"}, "run_digest": "1", "sources": "s"}
    first, = run([path], tmp_path / "cache", **options)
    again, = run([path], tmp_path / "cache", **options)
    assert isinstance(first, NotebookPage)
    assert isinstance(again, NotebookPage)
    assert (first.reused, again.reused) == (False, True)
    assert (again.body, again.title) == (first.body, first.title)

    executed: list[Path] = []
    monkeypatch.setattr("agentsim.report.notebooks._Task._execute", lambda task, notebook: executed.append(task.path))

    def runs(expected: int, **changes: Any) -> None:
        run([path], tmp_path / "cache", **{**options, **changes})
        assert len(executed) == expected

    runs(0)
    runs(1, parameters={"run": "b"})
    runs(2, run_digest="2")
    runs(3, sources="t")
    runs(4)
    runs(4)
    write(path, "print(run, 2)")
    runs(5)
    stored, = (tmp_path / "cache").glob("*.json")
    stored.write_text(stored.read_text()[:50])
    runs(6)
    monkeypatch.setattr("agentsim.report.notebooks._LIBRARIES", ("pandas",))
    runs(7)


@pytest.mark.slow
def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "one.ipynb", f"open({str(tmp_path / 'data')!r}).close()")
    assert isinstance(run([path], tmp_path / "cache")[0], Failure)
    (tmp_path / "data").write_text("")
    assert isinstance(run([path], tmp_path / "cache")[0], NotebookPage)


@pytest.mark.parametrize(
    "cell, parameters, message",
    [
        ("run = 1", {"rum": 2}, "rum: is no parameter of this notebook (allowed: run); did you mean 'run'?"),
        (None, {"run": 2}, "must have one code cell tagged 'parameters', has 0"),
        ("run = (", {"run": 2}, "SyntaxError"),
    ],
)
def test_wrong_parameters_are_named_without_running(tmp_path: Path, cell: str | None, parameters: dict[str, Any],
                                                    message: str) -> None:
    path = write(tmp_path / "one.ipynb", "open('ran', 'w')", parameters=cell)
    page, = run([path], tmp_path / "cache", parameters=parameters)
    assert isinstance(page, Failure)
    assert message in page.error
    assert not (tmp_path / "ran").exists()


def test_a_missing_notebook_is_a_failure(tmp_path: Path) -> None:
    page, = run([tmp_path / "none.ipynb"], tmp_path / "cache")
    assert isinstance(page, Failure)
    assert "No such file" in page.error


def test_other_numbers_of_jobs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="jobs must be 1 or 2"):
        run([], tmp_path, jobs=3)


def test_without_the_packages_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    def missing(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", missing)
    with pytest.raises(InputError, match=r"agentsim\[notebook\]"):
        run([], tmp_path)


def test_the_digest_of_sources_sees_every_change(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.py").write_text("1")
    (tmp_path / "a" / "notes.txt").write_text("ignored")
    first = source_digest(tmp_path)
    (tmp_path / "a" / "notes.txt").write_text("changed")
    assert source_digest(tmp_path) == first
    (tmp_path / "a" / "one.py").write_text("2")
    second = source_digest(tmp_path)
    (tmp_path / "a" / "one.py").rename(tmp_path / "a" / "two.py")
    assert len({first, second, source_digest(tmp_path)}) == 3


@pytest.mark.slow
def test_an_interrupt_leaves_no_kernel_behind(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.ipynb", "import os, pathlib, time",
                   f"pathlib.Path({str(tmp_path)!r}, {name!r} + '.pid').write_text(str(os.getpid()))",
                   "time.sleep(120)")
             for name in ("one", "two", "three")]
    code = textwrap.dedent(f"""
        from agentsim.report.notebooks import run_notebooks
        run_notebooks({[str(path) for path in paths]!r}, {str(tmp_path / "cache")!r})
    """)
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True,
                               cwd=Path(__file__).parents[2])
    end = time.monotonic() + 60
    while len(list(tmp_path.glob("*.pid"))) < 2 or not all(path.read_text() for path in tmp_path.glob("*.pid")):
        assert time.monotonic() < end
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert not (tmp_path / "three.pid").exists(), "what had not begun does not begin"
    for path in tmp_path.glob("*.pid"):
        assert not alive(int(path.read_text()))
    assert not list((tmp_path / "cache").glob("*.json"))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return state != "Z"


def test_a_page_holds_no_trace_of_where_it_was_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "one.ipynb", "print('fine')")
    page, = run([path], tmp_path / "cache")
    assert isinstance(page, NotebookPage)
    assert str(tmp_path) not in page.body
    stored = json.loads((tmp_path / "cache" / "one.json").read_text())
    assert stored["title"] == "A story"
