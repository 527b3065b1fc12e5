"""Parquet parts: types, nulls, size, and that a file is there complete or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from agentsim.games.base import Column, Table
from agentsim.simulation.parts import Part, PartFile, TableBuffer, checksum, read_digest, write_file
from agentsim.simulation.plan import Span
from agentsim.simulation.rowhash import TableDigest

TABLE = Table("turns", (
    Column("game_id", "int", ""), Column("lead", "int", ""), Column("space", "int", "", nullable=True),
    Column("card", "enum", "", ("mole", "sidekick", "sentinel"), nullable=True),
    Column("flag", "bool", ""), Column("known", "bool", "", nullable=True),
))


def rows(n: int, seed: int = 1) -> dict[str, NDArray[Any]]:
    random = np.random.default_rng(seed)
    return {
        "game_id": np.arange(n, dtype=np.int64), "lead": random.integers(-20, 21, n).astype(np.int8),
        "space": random.integers(-1, 14, n).astype(np.int16), "card": random.integers(-1, 3, n).astype(np.int8),
        "flag": random.random(n) < 0.5, "known": random.integers(-1, 2, n).astype(np.int8),
    }


def write(folder: Path, *batches: dict[str, NDArray[Any]], number: int = 3) -> PartFile:
    (folder / "turns").mkdir(exist_ok=True)
    buffer = TableBuffer(TABLE)
    for batch in batches:
        buffer.add(batch)
    return buffer.write(folder, number)


def test_what_is_written_is_what_was_given(tmp_path: Path) -> None:
    batches = rows(1_000), rows(500, 2)
    file = write(tmp_path, *batches)
    assert file.file == "turns/part-00003.parquet"
    path = tmp_path / file.file
    assert path.stat().st_size == file.n_bytes
    assert checksum(path) == file.blake2b
    assert os.listdir(path.parent) == ["part-00003.parquet"]
    table = pq.read_table(path)
    assert table.schema.types == [pa.int64(), pa.int8(), pa.int16(), pa.dictionary(pa.int8(), pa.string()), pa.bool_(),
                                  pa.bool_()]
    assert [field.nullable for field in table.schema] == [False, False, True, True, False, True]
    given = {name: np.concatenate([batch[name] for batch in batches]).tolist() for name in batches[0]}
    assert table["lead"].to_pylist() == given["lead"]
    assert table["space"].to_pylist() == [None if value < 0 else value for value in given["space"]]
    names = [*TABLE.columns[3].categories, None]
    assert table["card"].to_pylist() == [names[code] for code in given["card"]]
    assert table["flag"].to_pylist() == given["flag"]
    assert table["known"].to_pylist() == [None if value < 0 else value == 1 for value in given["known"]]
    assert pq.ParquetFile(path).metadata.num_row_groups == 1


def test_the_digest_can_be_found_again_from_the_file(tmp_path: Path) -> None:
    file = write(tmp_path, rows(1_000), rows(500, 2))
    assert file.digest.n_rows == 1_500
    assert read_digest(tmp_path / file.file, TABLE.columns) == file.digest
    # Also when another program has written the rows, in another order and with plain strings.
    table = pq.read_table(tmp_path / file.file).take(np.random.default_rng(0).permutation(1_500))
    table = table.set_column(3, "card", table["card"].cast(pa.string()))
    pq.write_table(table, tmp_path / "other.parquet", use_dictionary=False, row_group_size=100)
    assert read_digest(tmp_path / "other.parquet", TABLE.columns) == file.digest


def test_a_file_of_other_columns_or_categories_has_no_digest(tmp_path: Path) -> None:
    file = write(tmp_path, rows(10))
    with pytest.raises(ValueError, match="has the columns game_id, lead"):
        read_digest(tmp_path / file.file, TABLE.columns[:2])
    table = pq.read_table(tmp_path / file.file)
    pq.write_table(table.set_column(3, "card", pa.array(["joker"] * 10)), tmp_path / "other.parquet")
    with pytest.raises(ValueError, match="'joker' is none of its categories"):
        read_digest(tmp_path / "other.parquet", TABLE.columns)


def test_an_empty_table_is_written_too(tmp_path: Path) -> None:
    file = write(tmp_path, rows(0))
    assert file.digest == TableDigest()
    assert pq.read_table(tmp_path / file.file).num_rows == 0


def test_a_wrong_batch_is_an_error_of_the_game() -> None:
    buffer = TableBuffer(TABLE)
    batch = rows(10)
    with pytest.raises(RuntimeError, match="a code is outside of the categories"):
        buffer.add(batch | {"card": np.full(10, 3, np.int8)})
    del batch["lead"]
    with pytest.raises(RuntimeError, match="the game gave the columns"):
        buffer.add(batch)


def test_a_failed_write_leaves_nothing_and_keeps_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_file(path, b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            write_file(path, b"new", durable=True)
    assert os.listdir(tmp_path) == ["file"]
    assert path.read_bytes() == b"old"
    write_file(path, b"new")
    assert path.read_bytes() == b"new"


def test_a_record_survives_json() -> None:
    part = Part(4, [Span(0, 10, 5), Span(2, 0, 1)], 12, {0: {"grid": np.arange(6).reshape(2, 3)}, 2: {}},
                {"turns": PartFile("turns/part-00004.parquet", 10, "00", TableDigest(7, 1 << 100))})
    again = Part.from_dict(part.as_dict())
    assert again.as_dict() == part.as_dict()
    assert again.tallies[0]["grid"].shape == (2, 3)
    assert again.files == part.files


@pytest.mark.parametrize("file", ["../secret.parquet", "/etc/passwd", "turns/../x.parquet", "games/part-00000.parquet"])
def test_a_record_cannot_point_outside_of_its_table(file: str) -> None:
    record = Part(0, [], 0, {}, {"turns": PartFile(file, 1, "", TableDigest())}).as_dict()
    with pytest.raises(ValueError, match="is not a file of table 'turns'"):
        Part.from_dict(record)
