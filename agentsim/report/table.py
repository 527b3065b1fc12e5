"""A table of the report: which columns are shown and how, the cells ready for the template, and the download.

Every cell carries its number in full for sorting; what is read is rounded to what the intervals support.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from agentsim.errors import nearest
from agentsim.report import numbers
from agentsim.report.chart import check_name
from agentsim.report.templating import environment

__all__ = ["Column", "Table"]


@dataclass(frozen=True)
class Column:
    """How a column of a table is headed and written.

    Parameters
    ----------
    label : the heading.
    kind : see ``numbers.Kind``; rates are fractions.
    low, high : columns with the bounds of its interval, written after the number; sorting goes by the number.
    help : a sentence that explains the column.
    decimals : by default as many as the intervals support.
    bar : draw the interval as a small bar in the cell (columns with bounds only).
    reference : "no effect", a line in those bars; for rates 0.5, for differences 0 if that is in sight.
    """

    label: str
    kind: numbers.Kind = "text"
    low: str = ""
    high: str = ""
    help: str = ""
    decimals: int | None = None
    bar: bool = True
    reference: float | None = None

    def __post_init__(self) -> None:
        if bool(self.low) != bool(self.high):
            raise ValueError(f"column '{self.label}' has one bound; an interval needs low and high")
        if self.kind == "interval" and not self.low:
            raise ValueError(f"column '{self.label}' of kind 'interval' needs low and high")


@dataclass(frozen=True)
class Header:
    """The head of a column."""

    label: str
    help: str
    key: str
    numeric: bool


@dataclass(frozen=True)
class Cell:
    """A cell as text, what it sorts by, and its interval bar as percentages of the bar's width.

    ``sort``: the number in full, "" for a missing value, which sorts last, None for a cell that sorts by its text.
    """

    text: str
    sort: str | None
    bounds: str = ""
    bar: tuple[float, float, float] | None = None  # left end, width, estimate
    reference: float | None = None
    mark: str = ""


@dataclass(frozen=True)
class View:
    """All that the template of a table needs."""

    name: str
    title: str
    note: str
    headers: list[Header]
    rows: list[tuple[Cell, ...]]
    shown: int
    marks: list[str]
    csv: str


@dataclass(frozen=True, eq=False)
class Table:
    """A table that sorts, filters and downloads.

    Parameters
    ----------
    frame : the data; a named index counts as columns. All its columns are in the download, at full precision.
    name : file name of the download and anchor, lower case, unique in the report.
    title : what the table shows.
    columns : the columns shown, in this order: name in the frame to ``Column``.
    note : a sentence under the table.
    rows : rows shown before "show all" is pressed.

    Raises ``ValueError`` for a column that the frame does not have, and for rates that are not fractions.
    """

    frame: pd.DataFrame = field(repr=False)
    name: str
    title: str
    columns: Mapping[str, Column]
    note: str = ""
    rows: int = 20

    def __post_init__(self) -> None:
        check_name(self.name, "table name")
        if not self.title.strip():
            raise ValueError(f"table '{self.name}' has no title")
        if not self.columns:
            raise ValueError(f"table '{self.name}' shows no columns")
        if any(level is not None for level in self.frame.index.names):
            object.__setattr__(self, "frame", self.frame.reset_index())
        present = [str(column) for column in self.frame.columns]
        for key, column in self.columns.items():
            for needed in filter(None, (key, column.low, column.high)):
                if needed not in present:
                    hint = nearest(needed, present)
                    raise ValueError(f"table '{self.name}' has no column '{needed}'"
                                     + (f"; did you mean '{hint}'?" if hint else ""))
            if column.kind in ("percent", "points"):
                largest = max((abs(number) for number in map(numbers.as_float, self.frame[key]) if number is not None),
                              default=0.0)
                if largest > 1 + 1e-9:
                    raise ValueError(f"column '{key}' of table '{self.name}' has a rate of {largest:g}: "
                                     "give fractions, not per cent")

    def csv(self) -> str:
        """All columns and rows as CSV (RFC 4180, lines end in CR LF), floats in full precision, missing cells empty."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow([str(column) for column in self.frame.columns])
        for row in self.frame.itertuples(index=False, name=None):
            writer.writerow([_plain(cell) for cell in row])
        return out.getvalue()

    def view(self, marks: Mapping[str, str] | None = None) -> View:
        """The table as the template wants it. ``marks``: cell texts to be marked, to what the mark means."""
        headers = [Header(column.label, column.help, key, numeric=column.kind != "text")
                   for key, column in self.columns.items()]
        cells = [_cells(self.frame, key, column, marks or {}) for key, column in self.columns.items()]
        used = {cell.mark for column_cells in cells for cell in column_cells if cell.mark}
        return View(self.name, self.title, self.note, headers, list(zip(*cells, strict=True)), self.rows,
                    sorted(used), self.csv())

    def _repr_html_(self) -> str:
        return environment().get_template("table.html.j2").render(table=self.view(), csv_href="")


def _cells(frame: pd.DataFrame, key: str, column: Column, marks: Mapping[str, str]) -> list[Cell]:
    raw = list(frame[key])
    if column.kind == "text":
        texts = [numbers.value(cell, "text") for cell in raw]
        return [Cell(text, "" if text == numbers.MISSING else None, mark=marks.get(text, "")) for text in texts]
    estimates = [numbers.as_float(cell) for cell in raw]
    present = [estimate for estimate in estimates if estimate is not None]
    if not column.low:
        decimals = column.decimals if column.decimals is not None else numbers.decimals_for(column.kind, (), present)
        return [Cell(numbers.value(estimate, column.kind, decimals), _sort_key(estimate))
                for estimate in estimates]
    bounds = [(numbers.as_float(low), numbers.as_float(high))
              for low, high in zip(frame[column.low], frame[column.high], strict=True)]
    decimals = column.decimals if column.decimals is not None else numbers.decimals_for(
        column.kind, [(high - low) / 2 for low, high in bounds if low is not None and high is not None], present)
    scale = _Scale.of(column, bounds) if column.bar else None
    made = []
    for estimate, (low, high) in zip(estimates, bounds, strict=True):
        if estimate is None or low is None or high is None:
            made.append(Cell(numbers.value(estimate, column.kind, decimals), _sort_key(estimate)))
            continue
        bar = None
        if scale is not None:
            left, right = scale.at(low), scale.at(high)
            bar = (left, round(right - left, 2), scale.at(estimate))
        made.append(Cell(numbers.value(estimate, column.kind, decimals), _sort_key(estimate),
                         numbers.interval(low, high, column.kind, decimals), bar, scale.line if scale else None))
    return made


def _sort_key(number: float | None) -> str:
    if number is None:
        return ""
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


@dataclass(frozen=True)
class _Scale:
    """Where a number lies within the interval bars of its column."""

    start: float
    end: float
    reference: float | None

    @classmethod
    def of(cls, column: Column, bounds: list[tuple[float | None, float | None]]) -> _Scale | None:
        lows = [low for low, _ in bounds if low is not None]
        highs = [high for _, high in bounds if high is not None]
        if not lows or not highs:
            return None
        start, end = min(lows), max(highs)
        reference = column.reference
        if reference is None and column.kind in ("percent", "points"):
            usual = 0.5 if column.kind == "percent" else 0.0
            # "No effect" belongs on the scale unless it would squeeze what differs into a corner.
            near = (end - start) or 0.01
            reference = usual if start - near <= usual <= end + near else None
        if reference is not None:
            start, end = min(start, reference), max(end, reference)
        margin = 0.04 * (end - start) or 0.01
        return cls(start - margin, end + margin, reference)

    def at(self, number: float) -> float:
        """Per cent of the bar's width."""
        return round(100 * (number - self.start) / (self.end - self.start), 2)

    @property
    def line(self) -> float | None:
        return None if self.reference is None else self.at(self.reference)


def _plain(cell: Any) -> str:
    if cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and cell != cell):
        return ""
    number = cell.item() if hasattr(cell, "item") else cell
    return repr(number) if isinstance(number, float) else str(number)
