"""``manifest.json``: everything about a run but its rows.

It holds the plan (complete: rules, policies with all parameters, seed), what it was made with, the log tables with
their columns, and a record per finished part. A part that is listed is complete, a file that is not listed does not
belong to the run. docs/logs.md describes the format for readers in other languages.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from agentsim.errors import InputError
from agentsim.experiment import Experiment
from agentsim.games.base import Column, Table, get_game
from agentsim.simulation.parts import Part, Tally, add_tally, spans_of, write_file
from agentsim.simulation.plan import Span, missing_spans, n_deals_of
from agentsim.simulation.rowhash import TableDigest

__all__ = ["FORMAT_VERSION", "MANIFEST", "Manifest", "content_digest", "new_manifest", "read_manifest", "run_tables"]

MANIFEST = "manifest.json"
FORMAT = "agentsim run"
FORMAT_VERSION = 1

_PACKAGES = ("numpy", "numba", "pyarrow", "joblib", "duckdb", "pandas", "scipy")


@dataclass
class Manifest:
    """A manifest in memory. ``header`` is what stands in the file before the parts, as plain JSON types."""

    header: dict[str, Any]
    experiment: Experiment
    games_per_deal: tuple[int, ...]
    tables: tuple[Table, ...]
    parts: list[Part] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types, as in the file."""
        return self.header | {"status": self.status(), "parts": [part.as_dict() for part in self.parts]}

    def status(self) -> str:
        """``"complete"`` or ``"incomplete"``."""
        return "incomplete" if self.missing() else "complete"

    def missing(self) -> list[Span]:
        """The spans that are still to be played."""
        return missing_spans(spans_of(self.parts), n_deals_of(self.experiment.games, self.games_per_deal))

    def tallies(self) -> list[Tally]:
        """The exact counters of each matchup, summed over the parts (empty for a matchup that was not played)."""
        totals: list[Tally] = [{} for _ in self.games_per_deal]
        for part in self.parts:
            for matchup, tally in part.tallies.items():
                totals[matchup] = add_tally(totals[matchup] or None, tally)
        return totals

    def extend(self, games: int, *, where: str) -> None:
        """Raise the number of games per matchup. Raises InputError if it does not fit or is lower than before."""
        if games < self.experiment.games:
            raise InputError(f"must be at least {self.experiment.games}, which the run has already, got {games}",
                             where=where, key="games")
        self.experiment = self.experiment.with_games(games, where=where)
        self.header["experiment"] = self.experiment.as_dict()

    def save(self, folder: Path, status: str = "") -> None:
        """Write ``manifest.json`` in one step. Raises OSError if that fails; the old one is then still there.

        ``status`` is ``"running"`` while more parts are to come, else found from what is missing.
        """
        head = json.dumps(self.header | {"status": status or self.status()}, indent=2, ensure_ascii=False)
        head = head.removesuffix("\n}")
        # A part is one line: a file of a thousand parts can still be read by eye and by line.
        lines = ",\n".join("    " + json.dumps(part.as_dict(), separators=(",", ":")) for part in self.parts)
        write_file(folder / MANIFEST, f'{head},\n  "parts": [\n{lines}\n  ]\n}}\n'.encode(), durable=True)


def new_manifest(experiment: Experiment) -> Manifest:
    """The manifest of a run that has not played yet."""
    game = get_game(experiment.game)
    tables = run_tables(experiment)
    cards = {key: value for key, value in experiment.settings.items() if key.startswith(("cards.", "market."))}
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "agentsim": _version("agentsim"),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "game": {"name": game.name, "title": game.title, "version": game.version},
        "seed": experiment.seed,
        "log": experiment.log,
        "rules": {key: value for key, value in experiment.settings.items() if key not in cards},
        "cards": cards,
        "cards_blake2b": _hash(cards),
        "policies": [policy.as_dict() for policy in experiment.policies],
        "matchups": [[experiment.policies[index].label for index in matchup] for matchup in experiment.matchups],
        "games_per_deal": list(experiment.games_per_deal()),
        "plan_digest": experiment.plan_digest(),
        "experiment": experiment.as_dict(),
        "tables": {table.name: [_column_dict(column) for column in table.columns] for table in tables},
    }
    return Manifest(header, experiment, experiment.games_per_deal(), tables)


def run_tables(experiment: Experiment) -> tuple[Table, ...]:
    """The log tables of a run. The categories of the policy columns are the labels, in the order they are seated in."""
    labels = tuple(dict.fromkeys(policy.label for pairing in experiment.pairings() for policy in pairing))
    tables = []
    for table in get_game(experiment.game).tables(experiment.rules(), experiment.log):
        columns = tuple(
            replace(column, categories=labels)
            if column.kind == "enum" and not column.categories and column.name.startswith("policy_") else column
            for column in table.columns
        )
        tables.append(Table(table.name, columns))
    return tuple(tables)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a run. Raises InputError, in one line, for whatever is wrong with it."""
    path = folder / MANIFEST
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        problem = f"is not a run (it has no {MANIFEST})" if folder.is_dir() else "does not exist"
        raise InputError(problem, where=str(folder), allowed="the folder of a run") from None
    except NotADirectoryError:
        raise InputError("is a file", where=str(folder), allowed="the folder of a run") from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path)) from None
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError
    except (ValueError, RecursionError):
        raise InputError("is not the manifest of a run", where=str(path)) from None
    if data.get("format_version") != FORMAT_VERSION:
        raise InputError(f"has format version {data.get('format_version')!r}, which this agentsim cannot read",
                         where=str(path), allowed=str(FORMAT_VERSION))
    experiment = Experiment.from_dict(data.get("experiment") or {}, where=str(path))
    try:
        manifest = Manifest(
            header={key: value for key, value in data.items() if key not in ("parts", "status")},
            experiment=experiment,
            games_per_deal=tuple(int(n) for n in data["games_per_deal"]),
            tables=tuple(Table(name, tuple(_column(column) for column in columns))
                         for name, columns in data["tables"].items()),
            parts=[Part.from_dict(part) for part in data["parts"]],
        )
        str(data["plan_digest"])
        _check(manifest)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        detail = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"is damaged: {detail}", where=str(path)) from None
    return manifest


def content_digest(manifest: Manifest, digests: Mapping[str, TableDigest] | None = None) -> str:
    """The digest of what a run contains: 32 hexadecimal digits.

    It covers the plan, which deals were played, the counters and the rows of every table; it does not depend on how
    the run was cut to parts, in which order they came or with which versions they were made. ``digests`` replaces the
    digests of the tables noted in the manifest.
    """
    if digests is None:
        digests = table_digests(manifest)
    return _hash({
        "plan": manifest.header["plan_digest"],
        "spans": [[span.matchup, span.first_deal, span.n_deals] for span in spans_of(manifest.parts)],
        "tallies": [{name: counts.tolist() for name, counts in tally.items()} for tally in manifest.tallies()],
        "tables": {name: [digest.n_rows, digest.hex()] for name, digest in digests.items()},
    })


def table_digests(manifest: Manifest) -> dict[str, TableDigest]:
    """The content digest of each log table, as noted when the parts were written."""
    found = {table.name: TableDigest() for table in manifest.tables}
    for part in manifest.parts:
        for name, file in part.files.items():
            found[name] += file.digest
    return found


def _check(manifest: Manifest) -> None:
    """Raises ValueError for parts that contradict the plan or each other."""
    per_deal = manifest.games_per_deal
    if per_deal != manifest.experiment.games_per_deal():
        raise ValueError("'games_per_deal' does not fit the matchups")
    n_deals = n_deals_of(manifest.experiment.games, per_deal)
    for span in spans_of(manifest.parts):
        if span.matchup >= len(n_deals) or span.end > n_deals[span.matchup]:
            raise ValueError(f"matchup {span.matchup} has more deals than planned")
    names = {table.name for table in manifest.tables}
    numbers = set()
    for part in manifest.parts:
        numbers.add(part.number)
        if set(part.files) != names:
            raise ValueError(f"part {part.number} does not hold the tables of the run")
        if part.n_games != sum(span.n_deals * per_deal[span.matchup] for span in part.spans):
            raise ValueError(f"part {part.number} has the wrong number of games")
        if set(part.tallies) != {span.matchup for span in part.spans}:
            raise ValueError(f"part {part.number} lacks counters")
    if len(numbers) != len(manifest.parts):
        raise ValueError("two parts have the same number")


def _column_dict(column: Column) -> dict[str, Any]:
    return {"name": column.name, "kind": column.kind, "doc": column.doc, "categories": list(column.categories),
            "nullable": column.nullable}


def _column(data: Mapping[str, Any]) -> Column:
    return Column(data["name"], data["kind"], data["doc"], tuple(data["categories"]), data["nullable"])


def _hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def differences(old: Any, new: Any, key: str = "") -> Iterable[tuple[str, Any, Any]]:
    """The leaves in which two trees of JSON types differ: dotted key, old value, new value."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys([*old, *new]):
            yield from differences(old.get(name), new.get(name), f"{key}.{name}" if key else str(name))
    elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)) and len(old) == len(new):
        for index, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from differences(left, right, f"{key}[{index}]")
    elif old != new:
        yield key, old, new
