"""One part of a run: the record of what a task played, and its Parquet files.

A part is what one task leaves behind: the spans it played, the exact counters of each matchup, and one Parquet file per
log table with its rows, checksum and content digest. Everything in a record can be added to another record, so a run
is the sum of its parts.

Encodings were chosen by measurement on logs of turns: enums as dictionaries, integers and nulls bit-packed by
differences (``DELTA_BINARY_PACKED``), Zstandard level 1, statistics for the id columns only. That is about 4 bytes and
0.1 microseconds of encoding per turn row, and reads faster than dictionaries of small integers do.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.base import SHARE_PARTS, Column, Table
from agentsim.simulation.plan import Span, merge_spans
from agentsim.simulation.rowhash import TableDigest, hash_rows

__all__ = ["PART_FILE", "Part", "PartFile", "TableBuffer", "Tally", "add_tally", "checksum", "read_digest"]

Tally = dict[str, NDArray[np.int64]]
"""Exact counters of one matchup, by name."""

PART_FILE = re.compile(r"part-\d{5,}\.parquet")
"""What the name of a part's file looks like."""

# A part becomes one row group up to this size.
_ROW_GROUP = 1 << 21


@dataclass(frozen=True)
class PartFile:
    """A Parquet file of a part. ``file`` is relative to the run's folder; ``digest`` is its rows' content digest."""

    file: str
    n_bytes: int
    blake2b: str
    digest: TableDigest


@dataclass
class Part:
    """What a task has played. ``tallies`` holds the counters by matchup, ``files`` the log by table."""

    number: int
    spans: list[Span]
    n_games: int
    tallies: dict[int, Tally] = field(default_factory=dict)
    files: dict[str, PartFile] = field(default_factory=dict)

    def absorb(self, other: Part) -> None:
        """Add a part without files; only its spans and counters count from here on."""
        self.spans = merge_spans([*self.spans, *other.spans])
        self.n_games += other.n_games
        for matchup, tally in other.tallies.items():
            self.tallies[matchup] = add_tally(self.tallies.get(matchup), tally)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types; :meth:`from_dict` is the inverse."""
        return {
            "number": self.number,
            "n_games": self.n_games,
            "spans": [[span.matchup, span.first_deal, span.n_deals] for span in self.spans],
            "tables": {
                name: {"file": part.file, "rows": part.digest.n_rows, "bytes": part.n_bytes, "blake2b": part.blake2b,
                       "digest": part.digest.hex()}
                for name, part in self.files.items()
            },
            "tallies": {str(matchup): {name: counts.tolist() for name, counts in tally.items()}
                        for matchup, tally in sorted(self.tallies.items())},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Part:
        """A part from its record. Raises KeyError, TypeError or ValueError if it is not one."""
        files = {}
        for name, entry in data["tables"].items():
            folder, _, file = str(entry["file"]).partition("/")
            if folder != name or not PART_FILE.fullmatch(file):
                raise ValueError(f"{entry['file']!r} is not a file of table {name!r}")
            files[name] = PartFile(entry["file"], _count(entry["bytes"]), str(entry["blake2b"]),
                                   TableDigest(_count(entry["rows"]), int(entry["digest"], 16)))
        return cls(
            number=_count(data["number"]),
            spans=merge_spans(Span(_count(m), _count(first), _count(n)) for m, first, n in data["spans"]),
            n_games=_count(data["n_games"]),
            tallies={int(matchup): {name: np.array(counts, np.int64) for name, counts in tally.items()}
                     for matchup, tally in data["tallies"].items()},
            files=files,
        )


class TableBuffer:
    """Rows of one table, collected batch by batch and written as one Parquet file.

    ``columns`` decide the order and the meaning of the columns; the width of an integer column is the width of the
    arrays that come.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.digest = TableDigest()
        self._batches: list[Any] = []
        self._schema: Any = None

    def add(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over the rows of a batch."""
        import pyarrow as pa

        if set(arrays) != {column.name for column in self.table.columns}:
            raise RuntimeError(f"table {self.table.name}: the game gave the columns {sorted(arrays)}")
        self.digest += hash_rows(self.table.columns, arrays)
        columns = [_arrow(column, arrays[column.name]) for column in self.table.columns]
        if self._schema is None:
            self._schema = pa.schema([pa.field(column.name, array.type, nullable=column.nullable)
                                      for column, array in zip(self.table.columns, columns, strict=True)])
        self._batches.append(pa.record_batch(columns, schema=self._schema))

    def write(self, folder: Path, number: int) -> PartFile:
        """Write the rows as ``<folder>/<table>/part-<number>.parquet``: beside it first, then renamed into place."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        enums = [column.name for column in self.table.columns if column.kind in ("enum", "share")]
        whole = [column.name for column in self.table.columns if column.kind == "int"]
        with pq.ParquetWriter(
            sink, self._schema, version="2.6", compression="zstd", compression_level=1,
            use_dictionary=enums or False, column_encoding=dict.fromkeys(whole, "DELTA_BINARY_PACKED") or None,
            write_statistics=[name for name in whole if name.endswith("_id")],
        ) as writer:
            writer.write_table(pa.Table.from_batches(self._batches), row_group_size=_ROW_GROUP)
        self._batches.clear()
        content = memoryview(sink.getvalue())
        name = f"{self.table.name}/part-{number:05d}.parquet"
        write_file(folder / name, content)
        return PartFile(name, content.nbytes, hashlib.blake2b(content, digest_size=16).hexdigest(), self.digest)


def add_tally(total: Tally | None, tally: Mapping[str, NDArray[np.int64]]) -> Tally:
    """The sum of two tallies of the same matchup, as new arrays."""
    if total is None:
        return {name: np.array(counts, np.int64) for name, counts in tally.items()}
    return {name: total[name] + counts for name, counts in tally.items()}


def write_file(path: Path, content: bytes | memoryview, *, durable: bool = False) -> None:
    """Write a file so that it is there complete or not at all; nothing is left behind on an error.

    A durable file is on the disk when this returns. For parts that would be a wait for nothing: should the power fail,
    a part that did not reach the disk is missed when the run is resumed, and played again.
    """
    beside = path.with_name(path.name + ".tmp")
    try:
        with open(beside, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def checksum(path: Path) -> str:
    """The BLAKE2b hash (128 bits) of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def read_digest(path: Path, columns: Sequence[Column]) -> TableDigest:
    """The content digest of a Parquet file, computed from its rows.

    Raises ValueError if columns are missing or a value is none of the categories; pyarrow's errors for a file that
    cannot be read.
    """
    import pyarrow.parquet as pq

    digest = TableDigest()
    with pq.ParquetFile(path) as file:
        if file.schema_arrow.names != [column.name for column in columns]:
            raise ValueError(f"has the columns {', '.join(file.schema_arrow.names)}")
        for batch in file.iter_batches(1 << 18):
            digest += hash_rows(columns, {column.name: _numpy(column, batch[column.name]) for column in columns})
    return digest


def _arrow(column: Column, values: NDArray[Any]) -> Any:
    """The column as an Arrow array.

    Made of buffers, for ``pyarrow.array`` would import pandas: 45 MB in every worker process.
    """
    import pyarrow as pa

    valid = None
    if column.nullable:
        # Arrow's bitmaps count from the lowest bit.
        valid = pa.py_buffer(np.packbits(values >= 0, bitorder="little"))
    if column.kind == "bool":
        bits = pa.py_buffer(np.packbits(values > 0, bitorder="little"))
        return pa.Array.from_buffers(pa.bool_(), len(values), [valid, bits])
    if column.kind == "int":
        kind = getattr(pa, values.dtype.name)()
        return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(np.ascontiguousarray(values))])
    if column.kind == "share":
        fractions = np.asarray(values, np.float64) / SHARE_PARTS
        return pa.Array.from_buffers(pa.float64(), len(values), [valid, pa.py_buffer(fractions)])
    small = len(column.categories) < 128
    codes = np.ascontiguousarray(values, np.int8 if small else np.int16)
    if len(codes) and (codes.max() >= len(column.categories) or (valid is None and codes.min() < 0)):
        raise RuntimeError(f"column {column.name}: a code is outside of the categories")
    indices = pa.Array.from_buffers(pa.int8() if small else pa.int16(), len(codes), [valid, pa.py_buffer(codes)])
    texts = [name.encode() for name in column.categories]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    names = pa.StringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(b"".join(texts)))
    return pa.DictionaryArray.from_arrays(indices, names)


def _numpy(column: Column, values: Any) -> NDArray[Any]:
    """The array that :func:`_arrow` made the column from, nulls as -1."""
    import pyarrow as pa

    result: NDArray[Any]
    if column.kind == "enum":
        if not isinstance(values, pa.DictionaryArray):
            values = values.dictionary_encode()
        order = {name: code for code, name in enumerate(column.categories)}
        try:
            codes = np.array([order[name] for name in values.dictionary.to_pylist()] + [-1], np.int64)
        except KeyError as error:
            raise ValueError(f"column {column.name}: {error.args[0]!r} is none of its categories") from None
        result = codes[values.indices.fill_null(len(codes) - 1).to_numpy(zero_copy_only=False)]
    elif column.kind == "share":
        parts = SHARE_PARTS * values.fill_null(-1 / SHARE_PARTS).to_numpy(zero_copy_only=False)
        result = np.rint(parts).astype(np.int64)
        if len(parts) and np.abs(parts - result).max() > 1e-9:
            raise ValueError(f"column {column.name}: a share is no whole number of 1/{SHARE_PARTS}")
    elif column.kind == "bool":
        result = values.cast(pa.int8()).fill_null(-1).to_numpy(zero_copy_only=False)
    else:
        result = values.fill_null(-1).to_numpy(zero_copy_only=False)
    return result


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


def spans_of(parts: Iterable[Part]) -> list[Span]:
    """All deals of the parts, merged. Raises ValueError if two parts hold the same deal."""
    return merge_spans(span for part in parts for span in part.spans)
