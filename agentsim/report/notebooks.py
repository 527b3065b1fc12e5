"""Executing notebooks with parameters and turning them into pages, each only when something it depends on has changed.

A notebook marks one code cell with the tag ``parameters``; a cell with the values for this run is put behind it, so
the defaults stay in view and what was used does, too. The HTML comes from nbconvert's plain template and goes into the
report's own frame: nbconvert's full templates load scripts from the web, which an offline page must not.

Formulas between dollar signs are not typeset (that would need such a script); notebooks write them in Unicode.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import hashlib
import json
import os
import platform
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from agentsim.errors import InputError, nearest
from agentsim.report.blocks import Failure, one_line
from agentsim.report.page import NotebookPage

__all__ = ["run_notebooks", "source_digest"]

_FORMAT = 1  # of the stored pages; goes into their keys
_SOURCES = {".py", ".toml", ".j2", ".css", ".js", ".csv", ".json"}
_LIBRARIES = ("ipykernel", "matplotlib", "nbconvert", "numpy", "pandas")


def source_digest(*folders: str | Path) -> str:
    """A digest of all source files (code, data, templates) in ``folders``: it changes when any of them does."""
    digest = hashlib.sha256()
    for folder in map(Path, folders):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in _SOURCES and path.is_file()):
            for part in (path.relative_to(folder).as_posix().encode("utf-8"), path.read_bytes()):
                digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def run_notebooks(
    notebooks: Sequence[str | Path],
    cache_dir: str | Path,
    *,
    parameters: Mapping[str, Any] | None = None,
    run_digest: str = "",
    sources: str = "",
    folder: str | Path | None = None,
    jobs: int = 2,
    timeout: int = 600,
) -> list[NotebookPage | Failure]:
    """Execute notebooks and return their pages, in the order given; one that fails becomes a ``Failure``.

    Parameters
    ----------
    notebooks : the ``.ipynb`` files.
    cache_dir : where finished pages are kept, one file per notebook, with the key that says what they depend on.
    parameters : values for the cell tagged ``parameters`` (text, numbers, booleans, None, lists, dicts). A name that
        this cell does not define is a failure, not a silent no-op.
    run_digest, sources : what else the result depends on: the content digest of the run and ``source_digest`` of the
        code. A page whose notebook, parameters, digests and libraries are unchanged is taken from the cache.
    folder : working directory of the notebooks; by default that of each notebook.
    jobs : how many run at a time, 1 or 2 (each has a process of its own).
    timeout : seconds that one cell may take.

    Raises ``InputError`` if the packages for notebooks are not installed, ``ValueError`` for other ``jobs``.
    """
    if jobs not in (1, 2):
        raise ValueError(f"jobs must be 1 or 2, got {jobs}")
    for package in ("nbclient", "nbconvert", "ipykernel"):
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            raise InputError(f"notebooks need the package '{package}'",
                             allowed="pip install 'agentsim[notebook]'") from None
    values = json.loads(json.dumps({name: str(value) if isinstance(value, Path) else value
                                    for name, value in (parameters or {}).items()}))
    cache = Path(cache_dir)
    cache.mkdir(parents=True, exist_ok=True)
    running = _Running()
    tasks = [_Task(Path(path), cache, values, run_digest, sources, Path(folder) if folder else Path(path).parent,
                   timeout, running) for path in notebooks]
    pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="notebook")
    try:
        return list(pool.map(_Task.page, tasks))
    except BaseException:
        # Kernels have sessions of their own and do not hear Ctrl-C; without them the threads end by themselves.
        running.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class _Running:
    """The kernels that are at work, so that an interrupt can end them."""

    def __init__(self) -> None:
        self._lock, self._managers, self._over = threading.Lock(), set[Any](), False

    @contextlib.contextmanager
    def watch(self, manager: Any) -> Iterator[None]:
        """While the block runs, ``kill`` ends the kernel of ``manager``; after ``kill`` no block begins."""
        with self._lock:
            if self._over:
                raise InterruptedError("interrupted")
            self._managers.add(manager)
        try:
            yield
        finally:
            with self._lock:
                self._managers.discard(manager)

    def kill(self) -> None:
        """End all kernels, also one that is just being started, and wait until their blocks have been left."""
        while True:
            with self._lock:
                self._over = True
                managers = list(self._managers)
            if not managers:
                return
            for manager in managers:
                pid = getattr(manager.provisioner, "pid", None)
                if pid:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)


@dataclass(frozen=True)
class _Task:
    """One notebook on its way to a page."""

    path: Path
    cache: Path
    parameters: Mapping[str, Any]
    run_digest: str
    sources: str
    folder: Path
    timeout: int
    running: _Running = field(repr=False)

    @property
    def name(self) -> str:
        return self.path.stem.lower().replace(" ", "-")

    def page(self) -> NotebookPage | Failure:
        """The page from the cache or from a run; whatever goes wrong becomes a ``Failure``."""
        try:
            return self._page()
        except Exception as error:
            return Failure(self.path.name, _explain(error))

    def _page(self) -> NotebookPage:
        source = self.path.read_bytes()
        key = self._key(source)
        stored = self.cache / f"{self.name}.json"
        if (kept := _load(stored, self.name, key)) is not None:
            return kept
        notebook = _with_parameters(source, self.parameters)
        began = time.monotonic()
        self._execute(notebook)
        seconds = time.monotonic() - began
        page = NotebookPage(self.name, _title(notebook) or self.path.stem, _html(notebook), seconds)
        content = {"key": key, "title": page.title, "body": page.body, "seconds": round(seconds, 2)}
        beside = stored.with_suffix(".tmp")
        beside.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        os.replace(beside, stored)
        return page

    def _key(self, source: bytes) -> str:
        depends = [_FORMAT, hashlib.sha256(source).hexdigest(), self.parameters, self.run_digest, self.sources,
                   platform.python_version(), [metadata.version(library) for library in _LIBRARIES]]
        return hashlib.sha256(json.dumps(depends, sort_keys=True).encode("utf-8")).hexdigest()

    def _execute(self, notebook: Any) -> None:
        from jupyter_client.kernelspec import KernelSpecManager
        from jupyter_client.manager import AsyncKernelManager
        from nbclient import NotebookClient

        home = tempfile.mkdtemp(prefix="agentsim-notebook-")
        # No folders to search: the kernel is this very Python, whatever kernels a user has registered elsewhere. And
        # no personal settings or history: a page must not depend on who makes it.
        manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
        manager.connection_file = os.path.join(home, "kernel.json")
        if len(home) < 80:  # sockets in the file system, which have short names or none: no port is opened
            manager.transport = "ipc"
        try:
            with self.running.watch(manager):
                client = NotebookClient(notebook, km=manager, timeout=self.timeout, kernel_name="python3",
                                        resources={"metadata": {"path": str(self.folder)}})
                asyncio.run(client.async_execute(
                    cleanup_kc=True, env={**os.environ, "IPYTHONDIR": home, "PYTHONHASHSEED": "0"}))
        finally:
            shutil.rmtree(home, ignore_errors=True)


def _load(stored: Path, name: str, key: str) -> NotebookPage | None:
    try:
        content = json.loads(stored.read_text(encoding="utf-8"))
        if content["key"] != key:
            return None
        return NotebookPage(name, content["title"], content["body"], float(content["seconds"]), reused=True)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # nothing there, or nothing that can be trusted: run it


def _with_parameters(source: bytes, parameters: Mapping[str, Any]) -> Any:
    """The notebook with a cell that sets ``parameters`` behind its cell tagged ``parameters``."""
    import nbformat

    untyped: Any = nbformat
    try:
        notebook = untyped.reads(source.decode("utf-8"), as_version=4)
    except Exception as error:
        raise InputError(f"is not a notebook ({one_line(error)[:120]})") from None
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    if not parameters:
        return notebook
    tagged = [at for at, cell in enumerate(notebook.cells)
              if cell.cell_type == "code" and "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) != 1:
        raise InputError(f"must have one code cell tagged 'parameters', has {len(tagged)}")
    known = _assigned(notebook.cells[tagged[0]].source)
    for name in parameters:
        if name not in known:
            raise InputError("is no parameter of this notebook", key=name, allowed=", ".join(known) or "none",
                             nearest=nearest(name, known))
    lines = ["# The values for this report", *(f"{name} = {value!r}" for name, value in parameters.items())]
    cell = untyped.v4.new_code_cell("\n".join(lines), metadata={"tags": ["injected-parameters"]})
    cell["id"] = "injected-parameters"
    notebook.cells.insert(tagged[0] + 1, cell)
    return notebook


def _assigned(code: str) -> list[str]:
    names = []
    for statement in ast.parse(code).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else (
            [statement.target] if isinstance(statement, ast.AnnAssign) else [])
        names += [target.id for target in targets if isinstance(target, ast.Name)]
    return names


def _title(notebook: Any) -> str:
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for line in cell.source.splitlines():
                if line.startswith("# "):
                    return str(line[2:]).strip()
    return ""


def _html(notebook: Any) -> str:
    from nbconvert.exporters import HTMLExporter

    untyped: Any = HTMLExporter
    exporter = untyped(template_name="basic", exclude_anchor_links=True, exclude_input_prompt=True,
                       exclude_output_prompt=True)
    body, _ = exporter.from_notebook_node(notebook)
    return str(body)


def _explain(error: Exception) -> str:
    """One line for what went wrong in a notebook, without the traceback that nbclient puts into its messages."""
    kind = type(error).__name__
    if kind == "CellExecutionError":
        return f"{getattr(error, 'ename', 'error')}: {' '.join(str(getattr(error, 'evalue', '')).split())}"
    if kind == "CellTimeoutError":
        return "a cell took longer than allowed"
    if kind == "DeadKernelError":
        return "the process that ran the notebook died"
    return one_line(error)
