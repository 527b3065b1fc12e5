"""Opening runs: what they say of themselves, queries, tables, CSV, and damaged runs in one line each."""

from __future__ import annotations

import csv
import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from agentsim.errors import InputError
from agentsim.runs import Run, export_csv, open_run
from agentsim.simulation import Span, simulate
from agentsim.simulation import plan as planning
from tests.simulation.helpers import content, plan

THREE = ("slow", "quick", "fast")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of six matchups in several parts. Not to be changed."""
    folder = tmp_path_factory.mktemp("runs") / "it's a run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(planning._TASK_GAMES, "full", 2_500)
        simulate(plan(2_000, "full", THREE), out=folder, workers=2)
    return folder


@pytest.fixture
def run(path: Path) -> Run:
    return open_run(path)


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A run that a test may damage."""
    simulate(plan(2_000, "full"), out=tmp_path / "run", workers=1)
    return tmp_path / "run"


def test_what_a_run_says_of_itself(run: Run, path: Path) -> None:
    assert run.path == path
    assert run.seed == 7
    assert run.log == "full"
    assert run.experiment == plan(2_000, "full", THREE)
    assert run.rules == {"rules.sides": 6, "rules.turns": 5, "cards.joker": 3}
    assert run.n_games == 12_000
    assert run.is_complete
    assert run.missing == []
    assert run.rows == {name: len(run.table(name)) for name in ("games", "turns", "jokers")}
    assert run.n_bytes == sum(file.stat().st_size for file in path.rglob("*.parquet"))
    assert repr(run).startswith("Run(")
    manifest = run.manifest
    assert manifest == json.loads((path / "manifest.json").read_text())
    assert manifest["status"] == "complete"
    assert manifest["seed"] == 7
    assert manifest["game"] == {"name": "dice_race", "title": "Dice Race", "version": 1}
    assert [policy["params"] for policy in manifest["policies"]] == [{"skill": 1.0}, {"skill": 2.0}, {"skill": 1.0}]
    assert manifest["packages"]["numpy"] == np.__version__
    assert sum(part["n_games"] for part in manifest["parts"]) == 12_000


def test_matchups_with_their_counts(run: Run) -> None:
    frame = run.matchups
    assert frame.matchup_id.tolist() == list(range(6))
    assert frame.policy_a.tolist() == frame.policy_0.tolist() == ["slow"] * 3 + ["quick"] * 2 + ["fast"]
    assert frame.policy_b.tolist() == frame.policy_1.tolist() == ["slow", "quick", "fast", "quick", "fast", "fast"]
    assert frame.mirror.tolist() == [True, False, False, True, False, True]
    assert frame.n_games.tolist() == [2_000] * 6
    assert frame.n_deals.tolist() == [2_000, 1_000, 1_000, 2_000, 1_000, 2_000]
    assert frame.games_per_deal.tolist() == [1, 2, 2, 1, 2, 1]
    counted = run.sql("SELECT matchup_id, count(*) AS n_games, count(DISTINCT deal_id) AS n_deals FROM games "
                      "GROUP BY matchup_id ORDER BY matchup_id")
    assert counted.equals(frame[["matchup_id", "n_games", "n_deals"]].astype(counted.dtypes.to_dict()))


def test_queries(run: Run) -> None:
    frame = run.sql("SELECT policy_0, sum(lead) AS lead, avg(CAST(winner = 0 AS INT)) AS wins FROM games "
                    "WHERE policy_1 = $other GROUP BY policy_0 ORDER BY policy_0", other="fast")
    games = run.table("games")
    mine = games[games.policy_1 == "fast"]
    assert frame.policy_0.tolist() == ["fast", "quick", "slow"]
    assert frame.lead.dtype == np.int64  # DuckDB's 128-bit sums would arrive as floats
    assert frame.lead.tolist() == [int(mine.lead[mine.policy_0 == name].sum()) for name in frame.policy_0]
    wins = [(mine.winner[mine.policy_0 == name] == 0).astype(float).mean() for name in frame.policy_0]
    np.testing.assert_allclose(frame.wins, wins)
    joined = run.sql('SELECT count(*) AS "a ""name""", sum(turn) AS "a b" FROM turns JOIN games USING (game_id) '
                     "JOIN matchups USING (matchup_id) WHERE mirror")
    assert joined.dtypes.tolist() == [np.int64, np.int64]
    assert joined.iloc[0, 0] == run.sql("SELECT count(*) AS n FROM turns WHERE game_id % 6 IN (0, 3, 5)").n[0]


def test_queries_from_several_threads(run: Run) -> None:
    results: list[int] = []

    def ask(turn: int) -> None:
        results.append(int(run.sql("SELECT count(*) AS n FROM turns WHERE turn = $turn", turn=turn).n[0]))

    threads = [threading.Thread(target=ask, args=(turn,)) for turn in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(results) == run.rows["turns"]


def test_a_closed_run_opens_itself_again(run: Run) -> None:
    with run:
        before = run.sql("SELECT count(*) AS n FROM games").n[0]
    assert run._connection is None
    run.close()
    assert run.sql("SELECT count(*) AS n FROM games").n[0] == before


def test_tables_have_the_types_of_their_columns(run: Run) -> None:
    turns = run.table("turns")
    assert turns.columns.tolist() == ["game_id", "turn", "pips", "colour", "odd"]
    assert [str(kind) for kind in turns.dtypes] == ["int64", "int8", "int16", "category", "bool"]
    assert turns.colour.cat.categories.tolist() == ["red", "green", "blue"]
    assert turns.colour.isna().equals(turns.pips % 4 == 0)
    games = run.table("games", ["winner", "even", "policy_1"])
    assert [str(kind) for kind in games.dtypes] == ["Int8", "boolean", "category"]
    assert games.policy_1.cat.categories.tolist() == list(THREE)
    # Nullable types do not come and go with the data.
    assert isinstance(run.table("games").even.dtype, pd.BooleanDtype)


def test_nullable_columns_without_a_null_keep_their_type(tmp_path: Path) -> None:
    simulate(plan(2, "games", ["slow"], settings={"rules.turns": 2, "rules.sides": 100}, seed=3), out=tmp_path / "run")
    games = open_run(tmp_path / "run").table("games")
    assert games.winner.notna().all()
    assert str(games.winner.dtype) == "Int8"
    assert str(games.even.dtype) == "boolean"


@pytest.mark.parametrize("ask, words", [
    (lambda run: run.table("turn"), "has no table 'turn'.*allowed: games, turns, jokers.*did you mean 'turns'"),
    (lambda run: run.table("games", ["winer"]), "table 'games' has no column 'winer'.*did you mean 'winner'"),
])
def test_tables_and_columns_that_are_not_there(run: Run, ask: Callable[[Run], Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        ask(run)


def test_a_level_of_logging_that_lacks_the_table(tmp_path: Path) -> None:
    simulate(plan(log="games"), out=tmp_path / "run")
    run = open_run(tmp_path / "run")
    for ask in (lambda: run.table("turns"), lambda: run.sql("SELECT count(*) FROM turns")):
        with pytest.raises(InputError, match="the run has no table 'turns'; it was made with log = \"games\""):
            ask()
    with pytest.raises(duckdb.CatalogException, match="nonsense"):
        run.sql("SELECT * FROM nonsense")
    with pytest.raises(duckdb.ParserException):
        run.sql("SELEKT")


def test_only_listed_files_count(damaged: Path) -> None:
    before = open_run(damaged).sql("SELECT count(*) AS n FROM games").n[0]
    first = next((damaged / "games").glob("*.parquet"))
    (damaged / "games" / "part-00099.parquet").write_bytes(first.read_bytes())
    run = open_run(damaged)
    assert run.sql("SELECT count(*) AS n FROM games").n[0] == before
    run.verify()


def test_an_unplayed_run_has_empty_tables(damaged: Path) -> None:
    manifest = json.loads((damaged / "manifest.json").read_text())
    manifest["parts"] = []
    (damaged / "manifest.json").write_text(json.dumps(manifest))
    run = open_run(damaged)
    assert run.n_games == 0
    assert run.missing == [Span(0, 0, 1_000)]
    assert run.table("games").shape == (0, 8)
    assert run.sql("SELECT count(*) AS n FROM turns WHERE colour = 'red'").n[0] == 0
    assert run.digest() == run.digest(recompute=True)
    assert run.matchups.n_games.tolist() == [0]
    assert run.tallies() == [{}]


# --------------------------------------------------------------------------------------------------------- CSV


def test_csv_holds_all_rows(run: Run, tmp_path: Path) -> None:
    written = export_csv(run, tmp_path / "csv")
    assert [file.name for file in written] == ["games.csv", "turns.csv", "jokers.csv", "matchups.csv"]
    with open(tmp_path / "csv" / "turns.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    table = run.table("turns")
    assert len(rows) == len(table)
    assert [int(row["game_id"]) for row in rows] == table.game_id.tolist()
    assert [row["colour"] for row in rows] == table.colour.astype(object).fillna("").tolist()
    assert {row["odd"] for row in rows} == {"true", "false"}
    assert pd.read_csv(tmp_path / "csv" / "matchups.csv").policy_b.tolist() == run.matchups.policy_b.tolist()


def test_csv_of_some_tables(run: Run, tmp_path: Path) -> None:
    assert [file.name for file in export_csv(run, tmp_path / "it's", ["jokers"])] == ["jokers.csv", "matchups.csv"]
    with pytest.raises(InputError, match=r"has no table 'joker'.*did you mean 'jokers'"):
        export_csv(run, tmp_path / "other", ["games", "joker"])
    assert not (tmp_path / "other").exists()


def test_csv_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("hello")
    for folder, words in ((tmp_path / "file", "is a file"), (tmp_path / "file" / "csv", "Not a directory"),
                          (Path("/dev/full"), "is a file")):
        with pytest.raises(InputError, match=words):
            export_csv(run, folder)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


# ---------------------------------------------------------------------------------------------------- damage


def change(path: Path, **keys: Any) -> None:
    data = json.loads(path.read_text())
    for key, value in keys.items():
        if value is None:
            del data[key]
        else:
            data[key] = value
    path.write_text(json.dumps(data))


def change_part(path: Path, key: str, value: Any) -> None:
    parts = json.loads(path.read_text())["parts"]
    parts[0][key] = value
    change(path, parts=parts)


@pytest.mark.parametrize("damage, words", [
    (lambda path: path.unlink(), r"run: is not a run \(it has no manifest\.json\)"),
    (lambda path: path.write_bytes(bytes(range(256)) * 9), "is not the manifest of a run"),
    (lambda path: path.write_bytes(b""), "is not the manifest of a run"),
    (lambda path: path.write_bytes(path.read_bytes()[:-200]), "is not the manifest of a run"),
    (lambda path: path.write_text("[" * 100_000), "is not the manifest of a run"),
    (lambda path: path.write_text("[]"), "is not the manifest of a run"),
    (lambda path: path.write_text('{"name": "something else"}'), "is not the manifest of a run"),
    (lambda path: change(path, format_version=2), r"format version 2, which .* cannot read \(allowed: 1\)"),
    (lambda path: change(path, format_version=None), "format version None"),
    (lambda path: change(path, experiment=None), "does not describe an experiment"),
    (lambda path: change(path, experiment=[1]), "does not describe an experiment"),
    (lambda path: change(path, parts=None), "is damaged: 'parts' is missing"),
    (lambda path: change(path, parts=7), "is damaged"),
    (lambda path: change(path, parts=[7]), "is damaged"),
    (lambda path: change(path, tables={"games": 1}), "is damaged"),
    (lambda path: change(path, plan_digest=None), "is damaged: 'plan_digest' is missing"),
    (lambda path: change(path, games_per_deal=[1]), "is damaged: 'games_per_deal' does not fit"),
    (lambda path: change_part(path, "spans", [[0, 0, 500], [0, 400, 500]]), "deal 400 of matchup 0 is there twice"),
    (lambda path: change_part(path, "spans", [[0, 0, 1_001]]), "matchup 0 has more deals than planned"),
    (lambda path: change_part(path, "spans", [[3, 0, 10]]), "matchup 3 has more deals than planned"),
    (lambda path: change_part(path, "spans", [[0, 0, -5]]), "-5 is not a count"),
    (lambda path: change_part(path, "n_games", 3), "part 0 has the wrong number of games"),
    (lambda path: change_part(path, "tallies", {}), "part 0 lacks counters"),
    (lambda path: change_part(path, "tallies", {"0": {"seat0": ["x"]}}), "is damaged"),
    (lambda path: change_part(path, "tables", {}), "part 0 does not hold the tables of the run"),
])
def test_a_damaged_manifest_is_told_in_one_line(damaged: Path, damage: Callable[[Path], Any], words: str) -> None:
    damage(damaged / "manifest.json")
    with pytest.raises(InputError, match=words) as caught:
        open_run(damaged)
    assert "\n" not in str(caught.value)
    assert str(damaged) in str(caught.value)


@pytest.mark.parametrize("place, words", [
    ("nowhere", "nowhere: does not exist"), ("file", "file: is a file"), ("file/run", "file/run: "),
    ("empty", r"empty: is not a run"),
])
def test_places_without_a_run(tmp_path: Path, place: str, words: str) -> None:
    (tmp_path / "file").write_text("hello")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=words):
        open_run(tmp_path / place)


def test_missing_and_truncated_files_are_found_on_opening(damaged: Path) -> None:
    part = damaged / "turns" / "part-00000.parquet"
    data = part.read_bytes()
    part.write_bytes(data[:-7])
    words = f"{part}: has {len(data) - 7} bytes instead of {len(data)}; delete it and `agentsim resume` plays part 0"
    with pytest.raises(InputError, match=re.escape(words)):
        open_run(damaged)
    part.unlink()
    with pytest.raises(InputError, match=r"part-00000\.parquet: is missing"):
        open_run(damaged)


@pytest.mark.parametrize("byte", [0.02, 0.5, 0.99])
def test_a_changed_file_is_found_by_its_checksum(damaged: Path, byte: float) -> None:
    part = damaged / "turns" / "part-00000.parquet"
    data = bytearray(part.read_bytes())
    data[int(byte * len(data))] ^= 0x55
    part.write_bytes(data)
    with pytest.raises(InputError, match=r"part-00000\.parquet: (has been changed|cannot be read)"):
        open_run(damaged).verify()


def test_changed_rows_are_found_by_the_digest(damaged: Path) -> None:
    # Somebody edits a result, and the checksum and size in the manifest along with it.
    from agentsim.simulation.parts import checksum

    part = damaged / "games" / "part-00000.parquet"
    table = pq.read_table(part)
    leads = table["lead"].to_numpy().copy()
    leads[17] += 1
    pq.write_table(table.set_column(table.schema.get_field_index("lead"), "lead", [leads]), part)
    parts = json.loads((damaged / "manifest.json").read_text())["parts"]
    parts[0]["tables"]["games"] |= {"bytes": part.stat().st_size, "blake2b": checksum(part)}
    change(damaged / "manifest.json", parts=parts)
    run = open_run(damaged)
    run.verify()
    assert run.digest(recompute=True) != run.digest()


def test_binary_junk_of_the_right_size(damaged: Path) -> None:
    part = damaged / "games" / "part-00000.parquet"
    part.write_bytes(b"\xff" * part.stat().st_size)
    run = open_run(damaged)
    for ask in (run.verify, lambda: run.digest(recompute=True), lambda: run.sql("SELECT sum(lead) FROM games"),
                lambda: run.table("games"), lambda: export_csv(run, damaged / "csv")):
        with pytest.raises(InputError, match=r"part-00000\.parquet: ") as caught:
            ask()
        assert "\n" not in str(caught.value)


def test_looking_does_not_touch(damaged: Path) -> None:
    before = content(damaged)
    with open_run(damaged) as run:
        run.verify()
        run.table("turns")
        run.digest(recompute=True)
    assert content(damaged) == before
