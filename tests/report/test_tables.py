"""Tables: what cells read and sort by, what the download holds, what is refused."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pandas as pd
import pytest

from agentsim.report import Column, Finding, Table
from tests.report import sample
from tests.report.reading import Node, read


def small() -> pd.DataFrame:
    return pd.DataFrame({"name": ["a", 'b, "c"', None], "rate": [0.25, 2 / 3, np.nan], "low": [0.2, 0.6, np.nan],
                         "high": [0.3, 0.7, np.nan], "n": [1000, 20, 0], "hidden": [1e-17, 0.1 + 0.2, -1.0]})


def table(frame: pd.DataFrame | None = None, **changes: object) -> Table:
    columns = {"name": Column("name"), "rate": Column("rate", "percent", "low", "high", help="How often."),
               "n": Column("games", "int")}
    given = {"frame": small() if frame is None else frame, "name": "small", "title": "A <small> table",
             "columns": columns, **changes}
    return Table(**given)  # type: ignore[arg-type]


def shown(made: Table) -> Node:
    return read(made._repr_html_())


def test_headers_have_scope_and_sorting_state_and_help() -> None:
    heads = shown(table()).one("thead").all("th")
    assert [head.attributes["scope"] for head in heads] == ["col"] * 3
    assert [head.attributes["aria-sort"] for head in heads] == ["none"] * 3
    assert [head.attributes["data-kind"] for head in heads] == ["text", "number", "number"]
    assert heads[1].one("abbr").attributes["title"] == "How often."
    assert "How often." in shown(table()).one("details").text


def test_cells_show_rounded_numbers_and_sort_by_full_ones() -> None:
    rows = [row.children for row in shown(table()).one("tbody").all("tr")]
    cells = [[cell for cell in row if isinstance(cell, Node)] for row in rows]
    assert [[cell.words for cell in row] for row in cells] == [
        ["a", "25.0 % [20.0, 30.0]", "1,000"],
        ['b, "c"', "66.7 % [60.0, 70.0]", "20"],
        ["–", "–", "0"],
    ]
    assert [row[1].attributes["data-sort"] for row in cells] == ["0.25", repr(2 / 3), ""]
    assert [row[2].attributes["data-sort"] for row in cells] == ["1000", "20", "0"]
    assert [row[0].tag for row in cells] == ["th"] * 3
    assert cells[0][0].attributes["scope"] == "row"
    assert cells[2][0].attributes["data-sort"] == "", "a missing name sorts last"


def test_interval_bars_lie_within_their_cells() -> None:
    for cell in (cell for row in sample.hands_table().view().rows for cell in row if cell.bar):
        assert cell.bar is not None
        left, width, estimate = cell.bar
        assert 0 <= left <= estimate <= left + width <= 100
        assert cell.reference is None or 0 <= cell.reference <= 100


def test_the_download_has_every_column_in_full_precision_and_proper_quoting() -> None:
    text = table().csv()
    assert text.splitlines(keepends=True)[0] == "name,rate,low,high,n,hidden\r\n"
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert rows[1]["name"] == 'b, "c"'
    assert [float(row["hidden"]) for row in rows] == [1e-17, 0.1 + 0.2, -1.0]
    assert float(rows[1]["rate"]) == 2 / 3
    assert (rows[2]["name"], rows[2]["rate"], rows[2]["n"]) == ("", "", "0")


def test_the_download_in_the_page_is_the_file_and_cannot_end_the_script() -> None:
    made = sample.hands_table()
    html = made._repr_html_()
    embedded = read(html).one("script", class_="csv").text
    assert json.loads(embedded) == made.csv()
    assert sample.EVIL in made.csv().replace('""', '"')
    assert "</script" not in embedded
    assert "<script>alert" not in html


def test_a_named_index_counts_as_columns() -> None:
    frame = small().dropna().set_index("name")
    assert [row[0].text for row in table(frame).view().rows] == ["a", 'b, "c"']


def test_marks_are_shown_in_the_cell_and_explained_below() -> None:
    view = table().view({"a": "stand-in"})
    assert [row[0].mark for row in view.rows] == ["stand-in", "", ""]
    assert view.marks == ["stand-in"]


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"columns": {"rat": Column("x")}}, "no column 'rat'; did you mean 'rate'"),
        ({"columns": {"rate": Column("x", "percent", "low", "hgh")}}, "no column 'hgh'; did you mean 'high'"),
        ({"columns": {"n": Column("x", "percent")}}, "rate of 1000: give fractions"),
        ({"columns": {}}, "shows no columns"),
        ({"title": ""}, "has no title"),
        ({"name": "a/b"}, "lower-case"),
    ],
)
def test_a_wrong_table_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        table(**changes)


def test_an_interval_needs_both_bounds() -> None:
    with pytest.raises(ValueError, match="one bound"):
        Column("x", "percent", low="low")
    with pytest.raises(ValueError, match="needs low and high"):
        Column("x", "interval")


def test_a_finding_shows_number_interval_and_n() -> None:
    finding = Finding("It wins {value}.", 0.5231, 0.5225, 0.5237, n=1_000_000, deals=500_000)
    page = read(finding._repr_html_())
    assert page.one("strong").words == "52.31 %"
    assert page.one("p", class_="meta").words == "95 % interval [52.25, 52.37]n = 1,000,000 games in 500,000 deals"
    assert page.one("p", class_="big").words == "52.31 %"


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"estimate": 52.3, "low": 52, "high": 53}, "fractions, not per cent"),
        ({"low": 0.6}, "outside its interval"),
        ({"n": None}, "needs a finite estimate"),
        ({"high": math.nan}, "needs a finite estimate"),
        ({"text": " "}, "needs a sentence"),
        ({"estimate": None, "text": "{value}"}, "has none"),
    ],
)
def test_a_number_without_its_interval_or_n_is_refused(changes: dict[str, object], message: str) -> None:
    given = {"text": "A sentence.", "estimate": 0.5, "low": 0.4, "high": 0.6, "n": 10, **changes}
    with pytest.raises(ValueError, match=message):
        Finding(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("unit, text", [("%", "50.0 %"), ("pp", "+50.0 pp"), ("turns", "0.50 turns")])
def test_units(unit: str, text: str) -> None:
    assert " ".join(Finding("A", 0.5, 0.45, 0.55, n=3, unit=unit).number.split()) == text
