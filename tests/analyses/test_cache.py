"""Kept tables come back as they were, and only under their key."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from analyses.cache import cached_tables, key_of
from tests.analyses.conftest import played


class Counted:
    """A computation that counts how often it is done."""

    def __init__(self, tables: dict[str, pd.DataFrame]) -> None:
        self.tables, self.times = tables, 0

    def __call__(self) -> dict[str, pd.DataFrame]:
        self.times += 1
        return self.tables


@pytest.fixture
def made() -> Counted:
    mixed = pd.DataFrame({"policy": ["a", "b"], "rate": [0.1, float("nan")], "n": [1, 2], "told": [True, False]})
    return Counted({"mixed": mixed, "empty": pd.DataFrame(columns=["policy", "rate"])})


def test_a_second_time_nothing_is_computed(tmp_path: Path, made: Counted) -> None:
    first = cached_tables(tmp_path / "kept", "key", made)
    again = cached_tables(tmp_path / "kept", "key", made)
    assert made.times == 1
    assert list(again) == list(first)
    for name, table in first.items():
        pd.testing.assert_frame_equal(again[name], table)


def test_another_key_computes_anew(tmp_path: Path, made: Counted) -> None:
    cached_tables(tmp_path / "kept", "key", made)
    cached_tables(tmp_path / "kept", "other", made)
    cached_tables(tmp_path / "kept", "other", made)
    assert made.times == 2
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("damage", ["missing", "cut", "junk key"])
def test_what_cannot_be_read_is_computed_anew(tmp_path: Path, made: Counted, damage: str) -> None:
    cached_tables(tmp_path / "kept", "key", made)
    file = tmp_path / "kept" / "mixed.parquet"
    if damage == "missing":
        file.unlink()
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:40])
    else:
        (tmp_path / "kept" / "key.json").write_text("[]")
    found = cached_tables(tmp_path / "kept", "key", made)
    assert made.times == 2
    pd.testing.assert_frame_equal(found["mixed"], made.tables["mixed"])


def test_a_place_that_cannot_be_written_costs_nothing(tmp_path: Path, made: Counted) -> None:
    (tmp_path / "file").write_text("")
    assert cached_tables(tmp_path / "file" / "kept", "key", made) is made.tables


def test_keys_depend_on_every_part() -> None:
    keys = {key_of("a", "b"), key_of("ab"), key_of("b", "a"), key_of("a", "b", "c")}
    assert len(keys) == 4


def test_real_tables_survive_the_round(tmp_path: Path) -> None:
    from analyses import agents_and_bluffs, first_player, game_shape, win_rates

    run = played(tmp_path / "run", ["random", "greedy", "expert"], games=60)
    for module in (win_rates, first_player, game_shape, agents_and_bluffs):
        tables = module.tables(run)
        name = module.__name__.rpartition(".")[2]
        cached_tables(tmp_path / name, "key", lambda tables=tables: tables)
        again = cached_tables(tmp_path / name, "key", dict)
        assert list(again) == list(tables)
        for key, table in tables.items():
            pd.testing.assert_frame_equal(again[key], table, check_dtype=len(table) > 0, check_index_type=False)
        assert [finding.text for finding in module.findings(again)] == [f.text for f in module.findings(tables)]
