"""The content digest of a table: a fingerprint of a set of rows.

Every row is hashed to 128 bits, and the hashes are added. A sum does not depend on the order of the rows nor on how
they are shared out to parts, and the sums of two parts add up to the sum of both.

A row's hash starts as a multilinear hash, the sum over the columns of ``key * value`` modulo 2^64 with a random odd key
per column (Carter and Wegman's universal family, in the form of Dietzfelbinger 1996); the keys come from the column's
name, kind and categories. Two different finalizers of the splitmix64 family (Steele, Lea and Flood 2014) then spread it
to the two halves. Two different rows collide with a probability of about 2^-64.

Values are hashed, not their storage: an enum by its code in the categories, a null as -1, an integer whatever its
width.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.base import Column

__all__ = ["TableDigest", "column_key", "hash_rows"]

# Rows hashed at a time: three buffers of 8 bytes a row stay in the processor's second-level cache.
_BLOCK = 1 << 14

_MASK = (1 << 64) - 1


class TableDigest:
    """Rows counted and hashed so far; digests of disjoint sets of rows are added with ``+``."""

    __slots__ = ("n_rows", "value")

    def __init__(self, n_rows: int = 0, value: int = 0) -> None:
        self.n_rows, self.value = n_rows, value

    def __add__(self, other: TableDigest) -> TableDigest:
        halves = [((self.value >> shift) + (other.value >> shift)) & _MASK for shift in (64, 0)]
        return TableDigest(self.n_rows + other.n_rows, halves[0] << 64 | halves[1])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TableDigest) and (self.n_rows, self.value) == (other.n_rows, other.value)

    def __hash__(self) -> int:
        return hash((self.n_rows, self.value))

    def __repr__(self) -> str:
        return f"TableDigest({self.n_rows}, 0x{self.value:032x})"

    def hex(self) -> str:
        """The 128 bits as 32 hexadecimal digits."""
        return f"{self.value:032x}"


def column_key(column: Column) -> int:
    """The odd 64-bit key of a column."""
    text = json.dumps([column.name, column.kind, list(column.categories)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") | 1


def hash_rows(columns: Sequence[Column], arrays: Mapping[str, NDArray[Any]]) -> TableDigest:
    """The digest of the rows given as one array per column (enums as codes, nulls negative)."""
    n_rows = len(arrays[columns[0].name]) if columns else 0
    keys = [np.uint64(column_key(column)) for column in columns]
    high = low = 0
    sums, product, scratch = (np.empty(_BLOCK, np.uint64) for _ in range(3))
    for start in range(0, n_rows, _BLOCK):
        n = min(_BLOCK, n_rows - start)
        s, p, t = sums[:n], product[:n], scratch[:n]
        s.fill(0)
        for column, key in zip(columns, keys, strict=True):
            values = arrays[column.name][start : start + n]
            # Signed values wrap to their two's complement, whatever their width.
            np.copyto(p.view(np.int64), values, casting="unsafe")
            if column.kind == "enum" and column.nullable:
                np.maximum(p.view(np.int64), -1, out=p.view(np.int64))
            np.multiply(p, key, out=p)
            np.add(s, p, out=s)
        high += _finalize(s, p, t, 0x9E3779B97F4A7C15, (30, 27, 31), (0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
        low += _finalize(s, p, t, 0xD1B54A32D192ED03, (33, 28, 32), (0x62A9D9ED799705F5, 0xCB24D0A5C88C35B3))
    return TableDigest(n_rows, (high & _MASK) << 64 | low & _MASK)


def _finalize(
    s: NDArray[np.uint64], z: NDArray[np.uint64], t: NDArray[np.uint64], start: int, shifts: tuple[int, int, int],
    factors: tuple[int, int],
) -> int:
    """The sum of the finalized hashes, modulo 2^64; ``s`` is kept, ``z`` and ``t`` are overwritten."""
    np.add(s, np.uint64(start), out=z)
    for shift, factor in zip(shifts, (*factors, 1), strict=True):
        np.right_shift(z, np.uint64(shift), out=t)
        np.bitwise_xor(z, t, out=z)
        if factor != 1:
            np.multiply(z, np.uint64(factor), out=z)
    return int(np.add.reduce(z))
