"""How numbers are written: one place, so that a table, a finding and a chart label never disagree.

Rates are kept as fractions (0.523) everywhere and become per cent only here. A number with an interval gets as many
decimals as the interval supports: down to the first significant digit of its half-width, or the second if that is a 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal

import pandas as pd

__all__ = ["Kind", "MISSING", "as_float", "count", "decimals_for", "estimate_with_interval", "interval", "value"]

#: ``percent``: a fraction shown as per cent. ``points``: a signed difference of two fractions, in percentage points.
#: ``number``: a real number. ``int``: a count. ``interval``: a real number always shown with its bounds. ``text``.
Kind = Literal["percent", "points", "number", "int", "interval", "text"]

MISSING = "–"
_NARROW = "\u202f"  # no-break: a unit never starts a line
_MINUS = "−"
_SUFFIX = {"percent": f"{_NARROW}%", "points": f"{_NARROW}pp"}


def as_float(raw: Any) -> float | None:
    """``raw`` as a finite float, or None for anything missing, infinite or not a number."""
    if raw is None or raw is pd.NA or isinstance(raw, str):
        return None
    try:
        number = float(raw)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def decimals_for(kind: Kind, half_widths: Iterable[float], magnitudes: Iterable[float] = ()) -> int:
    """Decimals for a group of numbers of one kind that are read together (a column, a chart).

    Parameters
    ----------
    half_widths : half the widths of their intervals, in the unit of the numbers (fractions for rates). Their median
        decides: with 0.0031 a rate is written 52.3 %, with 0.00031 it is 52.31 %.
    magnitudes : the numbers themselves, asked when there is no interval.
    """
    if kind in ("int", "text"):
        return 0
    scale = 100.0 if kind in ("percent", "points") else 1.0
    widths = sorted(width * scale for width in half_widths if width > 0)
    if widths:
        median = widths[len(widths) // 2]
        return min(max(math.ceil(-math.log10(median) + 0.3), 1 if scale == 100.0 else 0), 4)
    if scale == 100.0:
        return 1
    largest = max((abs(magnitude) for magnitude in magnitudes), default=0.0)
    return 2 if largest < 100 else 1 if largest < 1000 else 0


def value(raw: Any, kind: Kind = "number", decimals: int = 1, *, unit: bool = True) -> str:
    """One number as text, without its interval; ``MISSING`` if there is none. ``unit``: whether per cent is written."""
    if kind == "text":
        return _text(raw)
    number = as_float(raw)
    if number is None:
        return MISSING
    if kind == "int":
        return _sign(f"{round(number):,}")
    scaled = number * 100 if kind in ("percent", "points") else number
    text = f"{scaled:+,.{decimals}f}" if kind == "points" else f"{scaled:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("+-")  # no "-0.0"
    return _sign(text) + (_SUFFIX.get(kind, "") if unit else "")


def interval(low: Any, high: Any, kind: Kind = "number", decimals: int = 1) -> str:
    """``[51.9, 52.7]``, the bounds in the unit of ``kind`` but without writing it; empty if a bound is missing."""
    if as_float(low) is None or as_float(high) is None:
        return ""
    return f"[{value(low, kind, decimals, unit=False)}, {value(high, kind, decimals, unit=False)}]"


def estimate_with_interval(estimate: Any, low: Any, high: Any, kind: Kind = "number", decimals: int = 1) -> str:
    """``52.3 % [51.9, 52.7]``; without the bracket if a bound is missing."""
    return " ".join(part for part in (value(estimate, kind, decimals), interval(low, high, kind, decimals)) if part)


def count(number: int) -> str:
    """A count with thousands separators: ``1,200,000``."""
    return value(number, "int")


def _sign(text: str) -> str:
    return text.replace("-", _MINUS)


def _text(raw: Any) -> str:
    if raw is None or raw is pd.NA or raw is pd.NaT or (isinstance(raw, float) and math.isnan(raw)):
        return MISSING
    if isinstance(raw, bool) or type(raw).__name__ == "bool":
        return "yes" if raw else "no"
    return str(raw)
