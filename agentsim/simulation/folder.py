"""The folder of a run while it is being written: lock, recovery, recording.

Only one process writes to a run at a time. It holds an operating system lock on ``.lock``, which ends with the process
however that ends, so a lock left by a killed process is none. Finished parts are listed in the manifest soon after they
are done; what a killed process had written beyond that is removed by the next one that opens the folder for writing.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from agentsim.errors import InputError
from agentsim.experiment import Experiment
from agentsim.simulation.manifest import MANIFEST, Manifest, differences, new_manifest, read_manifest
from agentsim.simulation.parts import PART_FILE, Part

__all__ = ["RunFolder", "create_or_open", "open_for_writing"]

_LOCK = ".lock"

# The manifest is written again after this many seconds, or later if writing it takes more than a fiftieth of the time.
_SAVE_EVERY = 0.5
_SAVE_SHARE = 50


class RunFolder:
    """A run open for writing. Use as a context manager: leaving it saves the manifest and releases the lock."""

    def __init__(self, path: Path, manifest: Manifest, lock: int) -> None:
        self.path, self.manifest = path, manifest
        self._lock = lock
        self._unsaved = False
        self._saved_parts = len(manifest.parts)
        self._next_save = time.monotonic() + _SAVE_EVERY

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            failure = self._save_what_fits()
        finally:
            self.release()
        # What went wrong first is the better message.
        if failure is not None and kind is None:
            raise stopped_by(self.path, failure)

    def _save_what_fits(self) -> OSError | None:
        """Save the manifest. On a full disk the newest parts give up their space until it fits."""
        parts = self.manifest.parts
        failure = None
        while True:
            try:
                self.save()
                return failure
            except OSError as error:
                failure = error
                if len(parts) <= self._saved_parts:
                    return failure
                for file in parts.pop().files.values():
                    with suppress(OSError):
                        (self.path / file.file).unlink()

    def announce(self) -> None:
        """Save a changed plan before it is played, so that it survives a kill. Raises InputError if that fails."""
        try:
            self.save()
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def release(self) -> None:
        """Give up the lock without saving anything."""
        _unlock(self.path, self._lock)

    def add(self, part: Part) -> None:
        """List a finished part; the manifest is saved now and then, not every time."""
        parts = self.manifest.parts
        if parts and not part.files and not parts[-1].files:
            # Without logs a run is its counters: one record holds them all.
            parts[-1].absorb(part)
        else:
            parts.append(part)
        self._unsaved = True
        if time.monotonic() >= self._next_save:
            self.save(running=True)

    def save(self, *, running: bool = False) -> None:
        """Write the manifest. Raises OSError if that fails."""
        if not running or self._unsaved:
            start = time.monotonic()
            self.manifest.save(self.path, "running" if running else "")
            end = time.monotonic()
            self._unsaved = False
            self._saved_parts = len(self.manifest.parts)
            self._next_save = end + max(_SAVE_EVERY, _SAVE_SHARE * (end - start))

    def next_number(self) -> int:
        """A number above those of all parts."""
        return max((part.number for part in self.manifest.parts), default=-1) + 1


def create_or_open(path: Path, experiment: Experiment) -> RunFolder:
    """The folder of a new run, or that of an old one with the same plan, ready to be continued.

    Raises InputError if it cannot be created, holds something else or another plan, or is being written to.
    """
    made = _make_folders(path)
    try:
        if (path / MANIFEST).exists():
            folder = open_for_writing(path)
            try:
                _check_same_plan(folder, experiment)
            except InputError:
                folder.release()
                raise
            return folder
        strange = sorted(entry.name for entry in path.iterdir() if not _is_ours(entry))
        if strange:
            raise InputError(f"is a folder with something else in it ({strange[0]})", where=str(path),
                             allowed="a new folder, an empty one or a run with the same plan")
        return _create(path, experiment)
    except BaseException as error:
        for folder_made in made:
            with suppress(OSError):
                folder_made.rmdir()
        if isinstance(error, OSError):
            raise cannot_write(path, error) from None
        raise


def open_for_writing(path: Path) -> RunFolder:
    """An existing run, locked and freed of what a killed process left behind.

    Listed parts whose files are gone or were cut are taken off the list; they will be played again. Raises InputError
    if the folder is not a run, cannot be written, is being written to, or was made by another version of the game.
    """
    read_manifest(path)  # before anything is created in a folder that is not a run
    try:
        lock = _acquire(path)
    except OSError as error:
        raise cannot_write(path, error) from None
    try:
        manifest = read_manifest(path)  # again: the process that held the lock may have changed it
        _check_version(path, manifest)
        _recover(path, manifest)
    except OSError as error:
        _unlock(path, lock)
        raise cannot_write(path, error) from None
    except BaseException:
        _unlock(path, lock)
        raise
    return RunFolder(path, manifest, lock)


def cannot_write(path: Path, error: OSError) -> InputError:
    """The error for a path that the operating system refuses to write to."""
    reason = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "the disk quota is used up"}.get(
        error.errno or 0, error.strerror or str(error))
    return InputError(f"cannot be written: {reason}", where=str(path))


def stopped_by(path: Path, error: OSError) -> InputError:
    """The error for a run that could not be written to its end."""
    problem = cannot_write(path, error)
    return InputError(f"{problem.problem}; finished parts are kept, `agentsim resume` goes on", where=problem.where)


def _make_folders(path: Path) -> list[Path]:
    """Create a folder and its parents; returns those that were made, innermost first."""
    missing = [folder for folder in (path, *path.parents) if not os.path.lexists(folder)]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError("is a file", where=str(path), allowed="a folder") from None
    except OSError as error:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()
        raise InputError(f"cannot be created: {error.strerror}", where=str(path)) from None
    return missing


def _is_ours(entry: Path) -> bool:
    """Whether a process that was killed while it created a run may have left this."""
    return entry.name in (_LOCK, f"{MANIFEST}.tmp") or (entry.is_dir() and not any(entry.iterdir()))


def _create(path: Path, experiment: Experiment) -> RunFolder:
    lock = _acquire(path)
    made: list[Path] = []
    try:
        manifest = new_manifest(experiment)
        for table in manifest.tables:
            (path / table.name).mkdir(exist_ok=True)
            made.append(path / table.name)
        manifest.save(path, "running")
    except BaseException:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        _unlock(path, lock)
        raise
    return RunFolder(path, manifest, lock)


def _check_same_plan(folder: RunFolder, experiment: Experiment) -> None:
    old = folder.manifest.experiment
    if folder.manifest.header["plan_digest"] != experiment.plan_digest():
        key, before, now = next(iter(differences(_plan(old), _plan(experiment))))
        raise InputError(f"holds a run with another plan: {key} is {_show(before)} there and {_show(now)} here",
                         where=str(folder.path), allowed="another folder, or the same plan")
    if old.games != experiment.games:
        raise InputError(f"holds this plan with games = {old.games}, here it is {experiment.games}",
                         where=str(folder.path), allowed="the same number; `agentsim extend` adds games")


def _plan(experiment: Experiment) -> dict[str, Any]:
    """What decides the content, arranged so that the first difference is the one to be told."""
    pairings = (" against ".join(policy.label for policy in pairing) for pairing in experiment.pairings())
    return {
        "game": experiment.game,
        "policies": ", ".join(policy.label for policy in experiment.policies),
        "matchups": "; ".join(pairings),
        "seed": experiment.seed,
        "log": experiment.log,
        **experiment.settings,
        **{policy.label: {"family": policy.family, **policy.params, "the policy file": policy.digest}
           for policy in experiment.policies},
    }


def _check_version(path: Path, manifest: Manifest) -> None:
    if manifest.experiment.plan_digest() != manifest.header["plan_digest"]:
        made = manifest.header.get("game", {}).get("version")
        raise InputError(f"was made by version {made} of the game or its manifest was edited; it can be read but not "
                         "continued", where=str(path))


def _recover(path: Path, manifest: Manifest) -> None:
    """Make the folder hold what the manifest lists and the manifest list what the folder holds."""
    kept = [part for part in manifest.parts if all(_is_there(path / file.file, file.n_bytes)
                                                   for file in part.files.values())]
    listed = {path / file.file for part in kept for file in part.files.values()}
    if len(kept) < len(manifest.parts):
        manifest.parts[:] = kept
        manifest.save(path, "running")
    for table in manifest.tables:
        folder = path / table.name
        folder.mkdir(exist_ok=True)
        for entry in folder.iterdir():
            if PART_FILE.fullmatch(entry.name.removesuffix(".tmp")) and entry not in listed:
                entry.unlink()
    (path / f"{MANIFEST}.tmp").unlink(missing_ok=True)


def _is_there(path: Path, n_bytes: int) -> bool:
    try:
        return path.stat().st_size == n_bytes
    except FileNotFoundError:
        return False


def _acquire(path: Path) -> int:
    """Lock a folder for this process. Raises InputError if another process holds the lock."""
    file = path / _LOCK
    while True:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.read(handle, 32).decode(errors="replace").strip()
            os.close(handle)
            raise InputError(f"is being written to by another process{f' ({owner})' if owner.isdigit() else ''}",
                             where=str(path)) from None
        except OSError:
            os.close(handle)
            raise
        # Its owner may have removed the file between our opening and locking it.
        with suppress(FileNotFoundError):
            if os.stat(file).st_ino == os.fstat(handle).st_ino:
                break
        os.close(handle)
    with suppress(OSError):  # the number is for the message only; a full disk does not matter here
        os.truncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
    return handle


def _unlock(path: Path, handle: int) -> None:
    with suppress(OSError):
        (path / _LOCK).unlink()
    os.close(handle)


def _show(value: object) -> str:
    text = "missing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
