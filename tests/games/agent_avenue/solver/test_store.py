"""The table's folder: damaged tables are built anew, folders that cannot be written are told before the work."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.games.agent_avenue.solver import responses, store
from agentsim.games.agent_avenue.solver.kept import kept_of
from agentsim.games.agent_avenue.solver.states import Space
from agentsim.games.agent_avenue.solver.turn_game import SIZE
from agentsim.games.base import PolicyRef
from tests.games.agent_avenue.solver.test_solver import tiny


def numbers(space: Space, *, workers: int, progress: Callable[[float], None], kept: np.ndarray
            ) -> tuple[Any, Any, Any]:
    """In place of solving, which compiles: these tests are about files."""
    assert (kept == kept_of(space)).all()
    progress(1.0)
    rng = np.random.default_rng(space.n_states)
    return (rng.uniform(size=space.n_states).astype(np.float32),
            rng.integers(0, 256, (space.n_states, SIZE)).astype(np.uint8),
            rng.uniform(size=(space.n_states, 2)).astype(np.float32))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the table of the tiny rules lies; it is there."""
    monkeypatch.setenv("AGENTSIM_SOLVER", str(tmp_path))
    monkeypatch.setattr(store, "_loaded", {})
    monkeypatch.setattr(store, "solve_states", numbers)
    return tmp_path / store.solution(tiny()).digest


def shorter(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def narrower(file: Path) -> None:
    np.save(file, np.load(file)[:, :-1])


@pytest.mark.parametrize(("name", "damage"), [
    ("values.npy", shorter), ("values.npy", lambda file: file.write_bytes(b"")), ("answers.npy", Path.unlink),
    ("answers.npy", narrower), ("values.npy", lambda file: np.save(file, np.load(file).astype(np.float64))),
    ("about.json", lambda file: file.write_text("[1]")), ("about.json", lambda file: file.write_text("{")),
    ("about.json", lambda file: file.write_text(json.dumps({"seconds": 1.0}))),
    ("about.json", lambda file: file.write_text(file.read_text().replace('"seconds": ', '"seconds": "?", "s": ')))])
def test_a_damaged_table_is_built_anew(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str,
                                       damage: Callable[[Path], Any], capfd: pytest.CaptureFixture[str]) -> None:
    values = np.array(store.solution(tiny()).values)
    damage(folder / name)
    monkeypatch.setattr(store, "_loaded", {})
    capfd.readouterr()
    np.testing.assert_array_equal(store.solution(tiny()).values, values)
    assert f"{folder} is damaged" in capfd.readouterr().err
    monkeypatch.setattr(store, "_loaded", {})
    np.testing.assert_array_equal(store.solution(tiny()).values, values)
    assert capfd.readouterr().err == ""
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_the_table_of_another_process_is_kept(folder: Path, tmp_path: Path) -> None:
    """Two that build at once: the second finds a sound table and leaves it, since the first may be playing by it."""
    found = store.solution(tiny())
    before = (folder / "values.npy").stat().st_ino
    store._build(folder, found.space, 1, lambda share: None)
    assert (folder / "values.npy").stat().st_ino == before
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_a_folder_that_cannot_be_written_is_told_before_the_work(tmp_path: Path,
                                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("AGENTSIM_SOLVER", str(tmp_path / "file"))
    monkeypatch.setattr(store, "_loaded", {})
    monkeypatch.setattr(store, "solve_states", numbers)
    told: list[float] = []
    with pytest.raises(InputError, match=r"cannot be written to .*file.*AGENTSIM_SOLVER = a folder"):
        store.solution(tiny(), progress=told.append)
    assert told == []


def test_a_damaged_response_is_refused(folder: Path, tmp_path: Path) -> None:
    n = len(store.solution(tiny()).values)
    parts = {"answers": np.zeros((n, SIZE), np.uint8), "index": np.zeros(n, np.int32),
             "offers": np.zeros((2, SIZE, SIZE), np.float32), "own": np.zeros(n, np.float32),
             "theirs": np.zeros(n, np.float32)}
    place = tmp_path / "response"
    place.mkdir()
    for name, part in parts.items():
        np.save(place / f"{name}.npy", part)
    assert len(responses.row_of(PolicyRef("whole", "responder", {}, str(place), "whole", ""), tiny())) > 0
    for name, damage in (("own", shorter), ("theirs", lambda file: np.save(file, np.load(file)[:-1])),
                         ("offers", narrower), ("index", lambda file: file.write_bytes(b""))):
        kept = (place / f"{name}.npy").read_bytes()
        damage(place / f"{name}.npy")
        with pytest.raises(InputError, match="response 'broken'"):
            responses.row_of(PolicyRef("broken", "responder", {}, str(place), f"broken {name}", ""), tiny())
        (place / f"{name}.npy").write_bytes(kept)
