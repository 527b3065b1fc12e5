"""Writing a report's files so that a reader never meets half a report, and nobody's other files are touched."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from pathlib import Path

from agentsim.errors import InputError
from agentsim.report.page import Report
from agentsim.report.render import Site, render

__all__ = ["write_report", "write_site"]

#: Lists the files of the report that lies in a folder, so that the next one removes those that it no longer has.
_LISTING = "report-files.json"
_STAGING = ".writing-"
_ABANDONED = 3600  # seconds; a report is written in one or two


def write_report(report: Report, out_dir: str | Path) -> Path:
    """Render ``report`` and write it to ``out_dir``; returns the path of its ``index.html``.

    Use ``render`` and ``write_site`` to learn which parts failed. Raises as ``write_site`` does.
    """
    return write_site(render(report), out_dir)


def write_site(site: Site, out_dir: str | Path) -> Path:
    """Write the files of ``site`` to the folder ``out_dir``; returns the path of its ``index.html``.

    All files are first written beside their places, then renamed into them, the first page last. If writing fails
    (no space, no permission), an earlier report in that folder stays as it was. Files of an earlier report that
    this one does not have are removed; files that no report has written are left alone.

    Raises ``InputError`` if the folder cannot be created or written.
    """
    folder = Path(out_dir)
    made = _make(folder)
    staging: Path | None = None
    try:
        _sweep(folder)
        staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=folder))
        for path, content in site.files.items():
            target = staging / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        (staging / _LISTING).write_text(json.dumps(sorted(site.files), indent=1) + "\n", encoding="utf-8")
        earlier = _listed(folder)
        ordered = sorted(site.files, key=lambda path: (path.endswith(".html"), path == "index.html", path))
        # The listing goes first: should the renaming be interrupted, it already names all that may lie here.
        for path in [_LISTING, *ordered]:
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(staging / path, target)
        for path in earlier - set(site.files):
            (folder / path).unlink(missing_ok=True)
    except OSError as error:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)
        for empty in made:
            if not any(empty.iterdir()):
                empty.rmdir()
        raise InputError(f"the report cannot be written: {error.strerror or error}", where=str(folder)) from error
    shutil.rmtree(staging, ignore_errors=True)
    return folder / "index.html"


def _sweep(folder: Path) -> None:
    """Remove what a process that was killed while writing has left; a young folder may still be in use."""
    for left in folder.glob(f"{_STAGING}*"):
        if left.is_dir() and time.time() - left.stat().st_mtime > _ABANDONED:
            shutil.rmtree(left, ignore_errors=True)


def _make(folder: Path) -> list[Path]:
    """Create ``folder``; returns the folders that did not exist before, innermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder cannot be created: {error.strerror or error}", where=str(folder),
                         allowed="a folder, existing or new") from error
    return missing


def _listed(folder: Path) -> set[str]:
    """The files that an earlier report wrote here; only plain paths inside the folder count."""
    try:
        names = json.loads((folder / _LISTING).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    if not isinstance(names, list):
        return set()
    return {name for name in names if isinstance(name, str) and not Path(name).is_absolute() and ".." not in
            Path(name).parts and (folder / name).is_file()}
