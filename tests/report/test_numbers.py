"""How numbers are written."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from agentsim.report import numbers


@pytest.mark.parametrize(
    "raw, kind, decimals, text",
    [
        (0.5231, "percent", 1, "52.3\u202f%"),
        (0.00004, "percent", 1, "0.0\u202f%"),
        (0.0123, "points", 2, "+1.23\u202fpp"),
        (-0.0123, "points", 1, "−1.2\u202fpp"),
        (-0.00001, "points", 1, "0.0\u202fpp"),
        (1234567, "int", 0, "1,234,567"),
        (-3, "int", 0, "−3"),
        (np.int8(7), "int", 0, "7"),
        (1234.5678, "number", 2, "1,234.57"),
        (True, "text", 0, "yes"),
        (np.bool_(False), "text", 0, "no"),
        ("mole", "text", 0, "mole"),
    ],
)
def test_a_number_is_written_as_its_kind_asks(raw: object, kind: numbers.Kind, decimals: int, text: str) -> None:
    assert numbers.value(raw, kind, decimals) == text


@pytest.mark.parametrize("raw", [None, math.nan, np.nan, pd.NA, pd.NaT, math.inf, -math.inf])
@pytest.mark.parametrize("kind", ["percent", "points", "number", "int", "interval"])
def test_what_is_missing_is_a_dash_and_never_nan(raw: object, kind: numbers.Kind) -> None:
    assert numbers.value(raw, kind) == numbers.MISSING


@pytest.mark.parametrize("raw", [None, math.nan, pd.NA, pd.NaT])
def test_missing_text_is_a_dash(raw: object) -> None:
    assert numbers.value(raw, "text") == numbers.MISSING


@pytest.mark.parametrize(
    "half_width, decimals", [(0.04, 1), (0.0031, 1), (0.0014, 2), (0.0005, 2), (0.00031, 2), (0.00012, 3), (1e-9, 4)]
)
def test_a_rate_has_the_decimals_that_its_interval_supports(half_width: float, decimals: int) -> None:
    assert numbers.decimals_for("percent", [half_width]) == decimals


def test_decimals_follow_the_median_of_a_column() -> None:
    assert numbers.decimals_for("percent", [0.0005, 0.0005, 0.2]) == 2
    assert numbers.decimals_for("number", [], [12_345.6, 3.0]) == 0
    assert numbers.decimals_for("number", [], [3.0]) == 2


def test_an_interval_without_a_bound_is_left_out() -> None:
    assert numbers.estimate_with_interval(0.5, 0.49, 0.51, "percent", 1) == "50.0\u202f% [49.0, 51.0]"
    assert numbers.estimate_with_interval(0.5, math.nan, 0.51, "percent", 1) == "50.0\u202f%"
