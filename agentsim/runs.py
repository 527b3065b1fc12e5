"""Opening a run: its plan, its counters, and its logs as DataFrames through DuckDB.

Example::

    run = open_run("data/logs/standard")
    run.sql("SELECT policy_0, avg(winner = 0) AS wins FROM games GROUP BY policy_0")

Only the files that the manifest lists are read, so a run that is being written can be looked at, and stray files do
not count.
"""

from __future__ import annotations

import os
import tempfile
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from agentsim.errors import InputError, nearest
from agentsim.experiment import Experiment
from agentsim.games.base import LogLevel, Table
from agentsim.simulation.manifest import Manifest, content_digest, read_manifest, table_digests
from agentsim.simulation.parts import Part, PartFile, Tally, checksum, read_digest
from agentsim.simulation.plan import Span
from agentsim.simulation.rowhash import TableDigest

__all__ = ["Run", "export_csv", "open_run"]

# Memory that DuckDB may use before it spills to disk.
_MEMORY_LIMIT = "1GB"
_THREADS = 2


def open_run(path: str | Path) -> Run:
    """Open the run in a folder.

    Checks that the manifest can be read and that all listed files are there in their full size; raises InputError, in
    one line, if not. :meth:`Run.verify` checks the contents as well.
    """
    return Run(Path(path))


class Run:
    """A run on disk, read-only. It may be closed, or used as a context manager; it reopens itself when needed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._manifest: Manifest = read_manifest(path)
        self._connection: Any = None
        self._lock = threading.Lock()
        for part, file in self._files():
            try:
                size = (path / file.file).stat().st_size
            except OSError:
                raise _damaged(path / file.file, "is missing", part) from None
            if size != file.n_bytes:
                raise _damaged(path / file.file, f"has {size} bytes instead of {file.n_bytes}", part)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r}, {self.n_games} games, log={self.log!r})"

    @property
    def manifest(self) -> dict[str, Any]:
        """The content of ``manifest.json``; docs/logs.md lists its keys."""
        return self._manifest.as_dict()

    @property
    def experiment(self) -> Experiment:
        """The plan of the run."""
        return self._manifest.experiment

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return self.experiment.seed

    @property
    def log(self) -> LogLevel:
        """What was logged."""
        return self.experiment.log

    @property
    def rules(self) -> dict[str, Any]:
        """Every rule key with its value."""
        return dict(self.experiment.settings)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The log tables of the run with their columns."""
        return self._manifest.tables

    @property
    def rows(self) -> dict[str, int]:
        """How many rows each log table has."""
        return {name: digest.n_rows for name, digest in table_digests(self._manifest).items()}

    @property
    def n_bytes(self) -> int:
        """The size of the log on disk."""
        return sum(file.n_bytes for _, file in self._files())

    @property
    def n_games(self) -> int:
        """How many games have been played, over all matchups."""
        return sum(part.n_games for part in self._manifest.parts)

    @property
    def is_complete(self) -> bool:
        """Whether all games of the plan have been played."""
        return not self._manifest.missing()

    @property
    def missing(self) -> list[Span]:
        """The deals of the plan that have not been played."""
        return self._manifest.missing()

    @property
    def matchups(self) -> pd.DataFrame:
        """One row per matchup, with the deals and games that have been played.

        Columns: ``matchup_id``; ``policy_0`` ... the labels by seat in the first game of a deal; ``policy_a``,
        ``policy_b`` the first and the last of them; ``mirror``; ``n_games``, ``n_deals``, ``games_per_deal``.
        """
        n_deals = [0] * len(self._manifest.games_per_deal)
        for part in self._manifest.parts:
            for span in part.spans:
                n_deals[span.matchup] += span.n_deals
        rows = []
        for matchup, pairing in enumerate(self.experiment.pairings()):
            labels = [policy.label for policy in pairing]
            per_deal = self._manifest.games_per_deal[matchup]
            rows.append({
                "matchup_id": matchup, **{f"policy_{seat}": label for seat, label in enumerate(labels)},
                "policy_a": labels[0], "policy_b": labels[-1], "mirror": len(set(labels)) == 1,
                "n_games": n_deals[matchup] * per_deal, "n_deals": n_deals[matchup], "games_per_deal": per_deal,
            })
        return pd.DataFrame(rows)

    def tallies(self) -> list[Tally]:
        """The exact counters of each matchup (see the game's documentation), over all that has been played."""
        return self._manifest.tallies()

    def sql(self, query: str, **parameters: Any) -> pd.DataFrame:
        """The result of a query in DuckDB's SQL over the views ``games``, ``turns`` ... and ``matchups``.

        ``$name`` in the query stands for the keyword argument of that name. Enums arrive as strings, sums of integers
        as int64. Raises InputError when the query needs a table that this run has not logged or a file is damaged,
        ``duckdb.Error`` when the query itself is wrong.
        """
        with self._cursor() as cursor:
            relation = cursor.sql(query, params=parameters or None)
            if relation is None:
                return pd.DataFrame()
            names = [name.replace('"', '""') for name in relation.columns]
            # Sums of integers are 128 bits wide in DuckDB and would arrive as floats.
            wide = [name for name, kind in zip(names, relation.types, strict=True) if str(kind) == "HUGEINT"]
            if wide:
                relation = relation.project("* REPLACE ({})".format(", ".join(f'"{n}"::BIGINT AS "{n}"' for n in wide)))
            frame: pd.DataFrame = relation.df()
            return frame

    def table(self, name: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """A log table, or some of its columns, as a DataFrame.

        Integers keep their width, enums are categoricals in the order of their categories, shares are fractions;
        columns that can hold nulls get pandas' nullable types. Raises InputError for a table or column that the run
        does not have.
        """
        table = self._table(name)
        known = {column.name: column for column in table.columns}
        chosen = list(known) if columns is None else list(columns)
        for column in chosen:
            if column not in known:
                raise InputError(f"table '{name}' has no column '{column}'", where=str(self.path),
                                 allowed=", ".join(known), nearest=nearest(column, known))
        frame = self.sql("SELECT {} FROM {}".format(", ".join(f'"{column}"' for column in chosen), f'"{name}"'))
        for column in chosen:
            if known[column].kind == "enum":
                frame[column] = pd.Categorical(frame[column], categories=list(known[column].categories))
            elif known[column].kind == "share":
                frame[column] = frame[column].astype("Float64" if known[column].nullable else "float64")
            elif known[column].nullable:
                frame[column] = frame[column].convert_dtypes()
        return frame

    def digest(self, *, recompute: bool = False) -> str:
        """The content digest: equal for two runs of the same content, however they were made.

        With ``recompute`` the rows are read and hashed again instead of trusting what was noted when they were
        written. Raises InputError if a file cannot be read.
        """
        if not recompute:
            return content_digest(self._manifest)
        found = {table.name: TableDigest() for table in self.tables}
        for part, file in self._files():
            table = self._table(file.file.partition("/")[0])
            try:
                found[table.name] += read_digest(self.path / file.file, table.columns)
            except (OSError, ValueError) as error:
                raise _damaged(self.path / file.file, f"cannot be read: {error}", part) from None
        return content_digest(self._manifest, found)

    def verify(self) -> None:
        """Check every file against the manifest: there, number of rows, checksum.

        Raises InputError for the first one that is not as it was written.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        for part, file in self._files():
            path = self.path / file.file
            try:
                found = checksum(path)
                n_rows = pq.read_metadata(path).num_rows
            except FileNotFoundError:
                raise _damaged(path, "is missing", part) from None
            except (OSError, pa.ArrowException) as error:
                raise _damaged(path, f"cannot be read: {error}", part) from None
            if n_rows != file.digest.n_rows:
                raise _damaged(path, f"has {n_rows} rows instead of {file.digest.n_rows}", part)
            if found != file.blake2b:
                raise _damaged(path, "has been changed (its checksum differs)", part)

    def close(self) -> None:
        """Close the database connection."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def copy_to_csv(self, name: str, path: Path) -> None:
        """Write the view ``name`` to a CSV file, in the order of the parts. Raises as :meth:`sql` does."""
        target = str(path).replace("'", "''")
        with self._cursor() as cursor:
            cursor.execute(f"COPY (FROM \"{name}\") TO '{target}' (FORMAT csv, HEADER)")

    # -------------------------------------------------------------------------------------------------- inside

    def _files(self) -> list[tuple[Part, PartFile]]:
        # In order of matchup and deal, not of arrival.
        parts = sorted(self._manifest.parts, key=lambda part: part.spans)
        return [(part, file) for part in parts for file in part.files.values()]

    def _table(self, name: str) -> Table:
        for table in self.tables:
            if table.name == name:
                return table
        names = [table.name for table in self.tables]
        raise InputError(f"the run has no table '{name}'; it was made with log = \"{self.log}\"", where=str(self.path),
                         allowed=", ".join(names) or "none", nearest=nearest(name, names))

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        """A cursor of the database; its errors are looked into, for they may be the run's and not the query's."""
        import duckdb

        cursor = None
        try:
            with self._lock:
                cursor = self._connect().cursor()
            yield cursor
        except (duckdb.ParserException, duckdb.BinderException):
            raise
        except duckdb.CatalogException as error:
            self._explain_missing_table(error)
            raise
        except duckdb.Error:
            self.verify()
            raise
        finally:
            if cursor is not None:
                cursor.close()

    def _connect(self) -> Any:
        if self._connection is None:
            import duckdb

            connection = duckdb.connect(config={
                "threads": _THREADS, "memory_limit": _MEMORY_LIMIT,
                # Of its own: two databases that spill to the same folder would overwrite each other's files.
                "temp_directory": os.path.join(tempfile.gettempdir(), f"agentsim-duckdb-{uuid.uuid4().hex}"),
            })
            connection.execute("SET enable_progress_bar = false")
            connection.register("frame", self.matchups)
            connection.execute("CREATE TABLE matchups AS SELECT * FROM frame")
            connection.unregister("frame")
            for table in self.tables:
                connection.execute(f'CREATE VIEW "{table.name}" AS {self._source(table)}')
            self._connection = connection
        return self._connection

    def _source(self, table: Table) -> str:
        files = [str(self.path / file.file) for _, file in self._files() if file.file.startswith(f"{table.name}/")]
        if files:
            listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
            return f"SELECT * FROM read_parquet([{listed}])"
        # Nothing has been played yet: an empty table of the right shape.
        types = {"int": "BIGINT", "bool": "BOOLEAN", "enum": "VARCHAR", "share": "DOUBLE"}
        columns = ", ".join(f'NULL::{types[column.kind]} AS "{column.name}"' for column in table.columns)
        return f"SELECT {columns} LIMIT 0"

    def _explain_missing_table(self, error: Exception) -> None:
        from agentsim.games.base import get_game

        for table in get_game(self.experiment.game).tables(self.experiment.rules(), "full"):
            if f"Table with name {table.name} does not exist" in str(error):
                self._table(table.name)


def export_csv(run: Run, folder: str | Path, tables: Sequence[str] | None = None) -> list[Path]:
    """Write log tables and ``matchups`` as CSV files (header line, commas, empty for null); returns their paths.

    Rows are streamed, so memory does not grow with the run. All tables if ``tables`` is not given. Raises InputError
    for a table that the run does not have and for a folder that cannot be written.
    """
    import duckdb

    names = [table.name for table in run.tables] if tables is None else [name for name in tables if name != "matchups"]
    for name in names:
        run._table(name)
    folder = Path(folder)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in [*names, "matchups"]:
            target = folder / f"{name}.csv"
            beside = folder / f"{name}.csv.tmp"
            try:
                run.copy_to_csv(name, beside)
                beside.replace(target)
            finally:
                beside.unlink(missing_ok=True)
            written.append(target)
    except FileExistsError:
        raise InputError("is a file", where=str(folder), allowed="a folder") from None
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", where=str(folder)) from None
    except duckdb.Error as error:
        raise InputError(f"cannot be written: {error}", where=str(folder)) from None
    return written


def _damaged(path: Path, problem: str, part: Part) -> InputError:
    return InputError(f"{problem}; delete it and `agentsim resume` plays part {part.number} again", where=str(path))
