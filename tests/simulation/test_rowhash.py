"""The content digest: blind to order and storage, not to content."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentsim.games.base import Column
from agentsim.simulation.rowhash import TableDigest, hash_rows

COLUMNS = (
    Column("id", "int", ""), Column("lead", "int", ""), Column("winner", "int", "", nullable=True),
    Column("kind", "enum", "", ("a", "b", "c"), nullable=True), Column("flag", "bool", ""),
)


def rows(n: int = 40_000, seed: int = 1) -> dict[str, NDArray[Any]]:
    random = np.random.default_rng(seed)
    return {
        "id": np.arange(n, dtype=np.int64), "lead": random.integers(-20, 21, n).astype(np.int8),
        "winner": random.integers(-1, 2, n).astype(np.int8), "kind": random.integers(-1, 3, n).astype(np.int8),
        "flag": random.random(n) < 0.5,
    }


def by_hand(table: dict[str, NDArray[Any]]) -> TableDigest:
    """The definition, row by row with Python's integers."""
    from agentsim.simulation.rowhash import column_key

    mask = (1 << 64) - 1

    def finalize(z: int, a: int, x: int, b: int, y: int, c: int) -> int:
        z = (z ^ z >> a) * x & mask
        z = (z ^ z >> b) * y & mask
        return z ^ z >> c

    keys = [column_key(column) for column in COLUMNS]
    high = low = 0
    n = len(table["id"])
    for row in range(n):
        s = sum(key * int(table[column.name][row]) for key, column in zip(keys, COLUMNS, strict=True))
        high += finalize(s + 0x9E3779B97F4A7C15 & mask, 30, 0xBF58476D1CE4E5B9, 27, 0x94D049BB133111EB, 31)
        low += finalize(s + 0xD1B54A32D192ED03 & mask, 33, 0x62A9D9ED799705F5, 28, 0xCB24D0A5C88C35B3, 32)
    return TableDigest(n, (high & mask) << 64 | low & mask)


def test_it_is_what_its_definition_says() -> None:
    table = rows(17_000)  # more than a block
    assert hash_rows(COLUMNS, table) == by_hand(table)


def test_order_parts_and_widths_do_not_matter() -> None:
    table = rows()
    whole = hash_rows(COLUMNS, table)
    order = np.random.default_rng(2).permutation(40_000)
    assert hash_rows(COLUMNS, {name: values[order] for name, values in table.items()}) == whole
    pieces = [hash_rows(COLUMNS, {name: values[a:b] for name, values in table.items()})
              for a, b in ((0, 1), (1, 20_000), (20_000, 40_000))]
    assert sum(pieces, TableDigest()) == whole
    assert hash_rows(COLUMNS, {name: values.astype(np.int64) for name, values in table.items()}) == whole
    assert hash_rows(COLUMNS, table | {"kind": np.where(table["kind"] < 0, -7, table["kind"])}) == whole


@pytest.mark.parametrize("column", [column.name for column in COLUMNS])
def test_any_single_value_matters(column: str) -> None:
    table = rows(5_000)
    whole = hash_rows(COLUMNS, table)
    for row in range(0, 5_000, 500):
        changed = table[column].astype(np.int64)
        changed[row] = 1 - changed[row] if column == "flag" else changed[row] ^ 1 if changed[row] >= 0 else 0
        assert hash_rows(COLUMNS, table | {column: changed}) != whole


def test_values_are_bound_to_their_row_and_column() -> None:
    table = rows(1_000)
    whole = hash_rows(COLUMNS, table)
    exchanged = table["lead"].copy()
    exchanged[[0, 1]] = 5, 6
    other = exchanged.copy()
    other[[0, 1]] = 6, 5
    assert hash_rows(COLUMNS, table | {"lead": exchanged}) != hash_rows(COLUMNS, table | {"lead": other})
    assert hash_rows(COLUMNS, table | {"winner": table["lead"], "lead": table["winner"]}) != whole
    twice = {name: np.concatenate([values, values[:1]]) for name, values in table.items()}
    assert hash_rows(COLUMNS, twice) != whole


def test_names_and_categories_matter() -> None:
    table = rows(100)
    whole = hash_rows(COLUMNS, table)
    renamed = (*COLUMNS[:3], replace(COLUMNS[3], categories=("a", "c", "b")), COLUMNS[4])
    assert hash_rows(renamed, table) != whole
    other = (replace(COLUMNS[0], name="number"), *COLUMNS[1:])
    assert hash_rows(other, table | {"number": table["id"]}) != whole


def test_no_two_of_many_similar_rows_collide() -> None:
    # Small differences in several columns are where a weak multilinear hash would fail.
    grid = np.indices((40, 5, 3, 4, 2)).reshape(5, -1)
    table = dict(zip([column.name for column in COLUMNS], grid, strict=True))
    seen = {hash_rows(COLUMNS, {name: values[i : i + 1] for name, values in table.items()}).value
            for i in range(grid.shape[1])}
    assert len(seen) == grid.shape[1]
    halves = {value >> 64 for value in seen}
    assert len(halves) == grid.shape[1]
