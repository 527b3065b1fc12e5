"""Writing a report: all or nothing, and nobody else's files."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from agentsim.errors import InputError
from agentsim.report import Report, Section, Site, Text, write_report, write_site


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def site(**files: str) -> Site:
    return Site({"index.html": b"first page", **{name.replace("_", "/", 1) + ".html": text.encode()
                                                 for name, text in files.items()}})


def test_a_report_is_written_to_a_new_folder(tmp_path: Path) -> None:
    index = write_report(Report("R", [], [Section("s", "S", "?", [Text("hello")])]), tmp_path / "a b" / "reports")
    assert index == tmp_path / "a b" / "reports" / "index.html"
    assert {"index.html", "s.html", "method.html", "assets/report.css", "assets/report.js"} < set(content(index.parent))
    assert not [path for path in index.parent.iterdir() if path.name.startswith(".")]


def test_the_next_report_removes_what_it_no_longer_has_and_nothing_else(tmp_path: Path) -> None:
    write_site(site(old="old", charts_x="x", same="before"), tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "charts" / "mine.html").write_text("mine")
    write_site(site(same="after"), tmp_path)
    left = content(tmp_path)
    assert left.pop("report-files.json")
    assert left == {"index.html": b"first page", "same.html": b"after", "mine.txt": b"mine",
                    "charts/mine.html": b"mine"}


@pytest.mark.parametrize("listing", ["[\"../outside.txt\", \"/etc/hostname\", 3]", "{}", "junk", "\xff"])
def test_a_damaged_listing_removes_nothing_outside(tmp_path: Path, listing: str) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("stays")
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "report-files.json").write_text(listing, encoding="latin-1")
    write_site(site(), folder)
    assert outside.read_text() == "stays"
    assert (folder / "index.html").read_bytes() == b"first page"


def test_a_full_disk_leaves_the_earlier_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(site(page="before"), tmp_path)
    before = content(tmp_path)
    whole = Path.write_bytes

    def full(self: Path, data: bytes) -> int:
        if self.name == "page.html":
            whole(self, data[:2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return whole(self, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="the report cannot be written: No space left on device"):
        write_site(site(page="after"), tmp_path)
    assert content(tmp_path) == before


def test_a_full_disk_leaves_no_folder_where_there_was_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError):
        write_site(site(), tmp_path / "new" / "reports")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_writer_left_is_swept_up_once_it_is_old(tmp_path: Path) -> None:
    for name, age in ((".writing-old", 7200), (".writing-young", 60)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text("half")
        os.utime(tmp_path / name, (time.time() - age, time.time() - age))
    write_site(site(), tmp_path)
    assert not (tmp_path / ".writing-old").exists()
    assert (tmp_path / ".writing-young").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file")
    for target in (tmp_path / "file", tmp_path / "file" / "reports", Path("/dev/full/reports")):
        with pytest.raises(InputError, match="the folder cannot be created") as caught:
            write_site(site(), target)
        assert str(target) in str(caught.value)
    assert (tmp_path / "file").read_text() == "a file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="Permission denied"):
        write_site(site(), tmp_path)
