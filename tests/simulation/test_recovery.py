"""Runs that are cut: by Ctrl-C, by kill -9, by a full disk, by lost files; and folders that cannot be used."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from agentsim.errors import InputError
from agentsim.runs import open_run
from agentsim.simulation import folder as folders
from agentsim.simulation import parts, resume, simulate
from tests.simulation.helpers import content, listed_parts, plan, start, wait_for
from tests.simulation.test_simulate import small_tasks

PLAY = """
from agentsim.simulation import plan as planning
planning._TASK_GAMES["full"] = 200
if __name__ == "__main__":
    try:
        simulate(plan(8_000), out={out!r}, workers={workers}, backend={backend!r}, batch_games=100)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the run that the others should end as."""
    path = tmp_path_factory.mktemp("whole") / "run"
    simulate(plan(8_000), out=path, workers=1)
    return open_run(path).digest()


def playing(path: Path, backend: str = "threading") -> subprocess.Popen[str]:
    """A process that plays the run in some hundred small steps, once it has listed a few parts.

    The first quarter is quick; the rest would take half a minute, so that the run is cut before its end also by a test
    that has to wait for a processor.
    """
    process = start(PLAY.format(out=str(path), workers=2, backend=backend), DICE_RACE_QUICK="0.05",
                    DICE_RACE_SLOW_FROM="1000", DICE_RACE_DELAY="1")
    wait_for(lambda: listed_parts(path) >= 3, process)
    return process


def finish(path: Path, whole: str) -> None:
    """Resume and check that what was listed was kept as it was, and that the end is the whole run."""
    before, listed = content(path), open_run(path)
    kept = {file.file for _, file in listed._files()}
    missing = 8_000 - listed.n_games
    assert missing > 0
    assert not listed.is_complete
    result = resume(path, workers=2)
    assert result.n_games == missing
    run = open_run(path)
    run.verify()
    assert run.is_complete
    assert run.digest() == run.digest(recompute=True) == whole
    after = content(path)
    assert all(after[file] == before[file] for file in kept)
    # No file but those that are listed.
    assert set(after) == {file.file for _, file in run._files()} | {"manifest.json"}


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow), "sequential"])
def test_ctrl_c_leaves_a_run_that_goes_on(tmp_path: Path, whole: str, backend: str) -> None:
    path = tmp_path / "run"
    process = playing(path, backend)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out == "interrupted\n"
    assert "Traceback" not in err
    assert json.loads((path / "manifest.json").read_text())["status"] == "incomplete"
    assert not (path / ".lock").exists()
    # Everything that was finished is listed.
    files = {str(file.relative_to(path)) for file in path.rglob("*.parquet")}
    assert files == {file.file for _, file in open_run(path)._files()}
    finish(path, whole)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_ctrl_c_in_a_terminal_reaches_all_processes_and_is_quick(tmp_path: Path, whole: str, backend: str) -> None:
    path = tmp_path / "run"
    process = start(PLAY.format(out=str(path), workers=2, backend=backend), terminal=True, DICE_RACE_DELAY="1.5")
    wait_for(lambda: listed_parts(path) >= 1, process)
    begin = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    # A batch of 1.5 seconds is played to its end, not the 80 that are left, nor the tasks that were handed out.
    assert time.monotonic() - begin < 10
    assert out == "interrupted\n"
    assert "Traceback" not in err
    finish(path, whole)


def test_a_job_in_the_background_ignores_ctrl_c_as_its_shell_wants(tmp_path: Path, whole: str) -> None:
    path = tmp_path / "run"
    code = "signal.signal(signal.SIGINT, signal.SIG_IGN)" + PLAY.format(out=str(path), workers=2, backend="threading")
    process = start(code, DICE_RACE_DELAY="0.02")
    wait_for(lambda: listed_parts(path) >= 1, process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out == ""
    assert open_run(path).digest() == whole


@pytest.mark.slow
def test_a_second_ctrl_c_does_not_wait(tmp_path: Path, whole: str) -> None:
    path = tmp_path / "run"
    process = start(PLAY.format(out=str(path), workers=2, backend="loky"), DICE_RACE_DELAY="4")
    wait_for(lambda: listed_parts(path) >= 1, process)
    begin = time.monotonic()
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
    out, _ = process.communicate(timeout=60)
    assert time.monotonic() - begin < 10  # two tasks for each worker take 16
    assert out == "interrupted\n"
    finish(path, whole)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_kill_leaves_a_run_that_goes_on(tmp_path: Path, whole: str, backend: str) -> None:
    path = tmp_path / "run"
    process = playing(path, backend)
    process.kill()
    process.communicate(timeout=60)
    assert json.loads((path / "manifest.json").read_text())["status"] == "running"
    assert open_run(path).n_games > 0  # it can be read as it is
    # What a process may leave behind when it is killed at a bad moment.
    (path / "games" / "part-99999.parquet").write_bytes(b"unlisted")
    (path / "turns" / "part-00077.parquet.tmp").write_bytes(b"half")
    (path / "manifest.json.tmp").write_bytes(b"{")
    finish(path, whole)


def test_kill_again_and_again(tmp_path: Path, whole: str) -> None:
    path = tmp_path / "run"
    for round_ in range(3):
        process = start(PLAY.format(out=str(path), workers=2, backend="threading"), DICE_RACE_QUICK="0.03",
                        DICE_RACE_SLOW_FROM="2000", DICE_RACE_DELAY="1")
        wait_for(lambda target=3 * (round_ + 1): listed_parts(path) >= target, process)  # type: ignore[misc]
        process.kill()
        process.communicate(timeout=60)
    finish(path, whole)


def test_an_extension_that_is_killed_at_once_is_not_forgotten(tmp_path: Path, whole: str) -> None:
    path = tmp_path / "run"
    simulate(plan(2_000), out=path, workers=1)
    process = start(f"extend({str(path)!r}, 8_000, workers=1)", DICE_RACE_COMPILING="60")
    wait_for(lambda: open_run(path).experiment.games == 8_000, process)
    process.kill()
    process.communicate(timeout=60)
    finish(path, whole)


def test_a_run_is_written_by_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "run"
    process = playing(path)
    try:
        for call in (lambda: simulate(plan(8_000), out=path), lambda: resume(path)):
            with pytest.raises(InputError, match=rf"is being written to by another process \({process.pid}\)"):
                call()
        assert open_run(path).n_games > 0  # reading is allowed
    finally:
        process.kill()
        process.communicate(timeout=60)
    assert (path / ".lock").exists()
    resume(path)  # the lock of a dead process is none
    assert not (path / ".lock").exists()


def test_lost_and_cut_files_are_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: str) -> None:
    small_tasks(monkeypatch, 1_000)
    path = tmp_path / "run"
    simulate(plan(8_000), out=path, workers=2)
    (path / "games" / "part-00001.parquet").unlink()
    with open(path / "turns" / "part-00003.parquet", "r+b") as file:
        file.truncate(1_000)
    with pytest.raises(InputError, match=r"part-0000[13]\.parquet: (is missing|has 1000 bytes)"):
        open_run(path)
    assert resume(path, workers=2).n_games == 2_000
    run = open_run(path)
    run.verify()
    assert run.digest() == run.digest(recompute=True) == whole


def full_disk(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let the files written after some have succeeded fail as on a full disk."""
    write, calls = parts.write_file, 0

    def limited(path: Path, data: Any, **options: Any) -> None:
        nonlocal calls
        if path.suffix == ".parquet":
            calls += 1
            if calls > after:
                raise OSError(errno.ENOSPC, "No space left on device")
        write(path, data, **options)

    monkeypatch.setattr(parts, "write_file", limited)


@pytest.mark.parametrize("after", [0, 1, 10, 11, 12])
def test_a_full_disk_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: str, after: int
) -> None:
    path = tmp_path / "run"
    with monkeypatch.context() as patch:
        small_tasks(patch, 1_000)
        full_disk(patch, after)
        with pytest.raises(InputError, match="run: cannot be written: the disk is full; finished parts are kept"):
            simulate(plan(8_000), out=path, workers=2)
    run = open_run(path)
    run.verify()
    assert run.n_games <= 1_000 * (after // 3)
    files = {str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}
    assert files == {file.file for _, file in run._files()} | {"manifest.json"}  # nothing half-written
    finish(path, whole)


@pytest.mark.parametrize("save_every", [0.0, 60.0])
def test_a_disk_too_full_for_the_manifest_keeps_what_can_be_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: str, save_every: float
) -> None:
    path = tmp_path / "run"
    with monkeypatch.context() as patch:
        small_tasks(patch, 1_000)
        patch.setattr(folders, "_SAVE_EVERY", save_every)
        write, sizes = parts.write_file, []

        def limited(file: Path, data: Any, **options: Any) -> None:
            sizes.append(len(data))
            if len(data) > sizes[0] + 2_000:  # room for some of eight parts
                raise OSError(errno.ENOSPC, "No space left on device")
            write(file, data, **options)

        patch.setattr("agentsim.simulation.manifest.write_file", limited)
        with pytest.raises(InputError, match="the disk is full; finished parts are kept"):
            simulate(plan(8_000), out=path, workers=1)
        assert 1 <= len(open_run(path)._manifest.parts) <= 6
    files = {str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}
    assert files == {file.file for _, file in open_run(path)._files()} | {"manifest.json"}
    finish(path, whole)


def test_a_limit_of_the_operating_system_is_told_in_one_line(tmp_path: Path) -> None:
    code = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    simulate(plan(40_000), out={out!r}, workers=2)
except ValueError as error:
    print(error)
"""
    path = tmp_path / "run"
    process = start(code.format(out=str(path)))
    out, err = process.communicate(timeout=60)
    problem = "cannot be written: File too large; finished parts are kept, `agentsim resume` goes on"
    assert out == f"{path}: {problem}\n", err
    resume(path, workers=2)
    assert open_run(path).is_complete


@pytest.mark.skipif(not shutil.which("mount") or os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_small_disk_runs_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        small_tasks(monkeypatch, 5_000)
        with pytest.raises(InputError, match="the disk is full; finished parts are kept"):
            simulate(plan(400_000), out=disk / "run", workers=2)
        run = open_run(disk / "run")
        run.verify()
        assert run.n_games > 0
        shutil.copytree(disk / "run", tmp_path / "copy")
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    small_tasks(monkeypatch, 100_000)
    resume(tmp_path / "copy", workers=2)
    simulate(plan(400_000), out=tmp_path / "whole", workers=2)
    assert open_run(tmp_path / "copy").digest() == open_run(tmp_path / "whole").digest()


# ------------------------------------------------------------------------------------------ folders that do not do


def test_places_where_no_folder_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("hello")
    cases = {
        tmp_path / "file": "is a file",
        tmp_path / "file" / "run": "cannot be created: Not a directory",
        Path("/dev/full"): "is a file",
        Path("/dev/full/run"): "cannot be created: Not a directory",
        Path("/proc/run"): "cannot be created: No such file or directory",
        tmp_path / ("x" * 300): "cannot be created: File name too long",
        tmp_path / "new" / ("x" * 300): "cannot be created: File name too long",
    }
    for path, problem in cases.items():
        with pytest.raises(InputError, match=re.escape(f"{path}: {problem}")):
            simulate(plan(), out=path)
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "hello"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match="cannot be created: Permission denied"):
            simulate(plan(), out=tmp_path / "run")
    finally:
        tmp_path.chmod(0o700)


def test_permission_denied_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As root there is no folder without permission; the operating system's answer is played instead.
    path = tmp_path / "run"
    simulate(plan(), out=path)

    def denied(*_: Any) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(folders.os, "open", denied)
    other = tmp_path / "other"
    for call in (lambda: simulate(plan(), out=path), lambda: resume(path), lambda: simulate(plan(), out=other)):
        with pytest.raises(InputError, match="cannot be written: Permission denied"):
            call()
    assert os.listdir(tmp_path) == ["run"]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("meow")
    before = content(tmp_path)
    with pytest.raises(InputError, match=r"is a folder with something else in it \(photos\)"):
        simulate(plan(), out=tmp_path)
    with pytest.raises(InputError, match=r"is not a run \(it has no manifest.json\)"):
        resume(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        resume(tmp_path / "nowhere")
    assert content(tmp_path) == before
    assert os.listdir(tmp_path) == ["photos"]


def test_an_empty_folder_or_one_that_was_just_begun_will_do(tmp_path: Path) -> None:
    for name in ("games", "turns", "jokers"):
        (tmp_path / name).mkdir()
    (tmp_path / ".lock").write_text("999999")
    (tmp_path / "manifest.json.tmp").write_text("{")
    simulate(plan(), out=tmp_path)
    assert open_run(tmp_path).is_complete


def test_a_manifest_that_cannot_be_written_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("agentsim.simulation.manifest.write_file", full)
    with pytest.raises(InputError, match="cannot be written: the disk is full"):
        simulate(plan(), out=tmp_path / "a" / "b" / "run")
    assert os.listdir(tmp_path) == []


def test_rules_that_do_not_work_leave_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise InputError("has changed", where="mine.py")

    monkeypatch.setattr("tests.simulation.fake_game.FakeGame.session", refuse)
    with pytest.raises(InputError, match=r"mine\.py: has changed"):
        simulate(plan(), out=tmp_path / "run")
    assert os.listdir(tmp_path) == []


@pytest.mark.slow  # waits for processes to be gone
def test_no_process_is_left_behind_by_loky_when_the_parent_is_killed(tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    process = playing(tmp_path / "run", "loky")
    children = psutil.Process(process.pid).children(recursive=True)
    assert children
    process.kill()
    process.communicate(timeout=60)
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not alive


