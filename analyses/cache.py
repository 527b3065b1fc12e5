"""Tables of an analysis kept on disk, so that a second report does not compute them again.

One folder per analysis with a Parquet file per table, and a key that says what they depend on: the content of the runs,
the code, the libraries. A folder whose key is another, or that cannot be read, is as good as none.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pandas as pd

__all__ = ["cached_tables", "key_of"]

_KEY = "key.json"
_LIBRARIES = ("numpy", "pandas", "pyarrow", "scipy", "duckdb")


def key_of(*parts: str) -> str:
    """A key for tables that depend on ``parts`` (digests of runs and sources, parameters) and on the libraries."""
    versions = [metadata.version(library) for library in _LIBRARIES]
    return hashlib.sha256(json.dumps([*parts, *versions]).encode("utf-8")).hexdigest()


def cached_tables(folder: Path, key: str, compute: Callable[[], dict[str, pd.DataFrame]]) -> dict[str, pd.DataFrame]:
    """The tables kept in ``folder`` under ``key``, or those that ``compute`` returns, which are then kept.

    If they cannot be written (a full disk), that costs nothing but the next report's time.
    """
    kept = _load(folder, key)
    if kept is not None:
        return kept
    tables = compute()
    try:
        _store(folder, key, tables)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
    return tables


def _load(folder: Path, key: str) -> dict[str, pd.DataFrame] | None:
    try:
        listing = json.loads((folder / _KEY).read_text(encoding="utf-8"))
        if listing["key"] != key:
            return None
        return {name: pd.read_parquet(folder / f"{name}.parquet") for name in listing["tables"]}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _store(folder: Path, key: str, tables: dict[str, pd.DataFrame]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        for name, table in tables.items():
            table.to_parquet(beside / f"{name}.parquet")
        (beside / _KEY).write_text(json.dumps({"key": key, "tables": list(tables)}) + "\n", encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
