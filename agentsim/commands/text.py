"""Numbers and tables for people: rounding by what the interval allows, columns that line up."""

from __future__ import annotations

import math
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["columns", "count", "duration", "interval", "one_line", "paragraph", "percent", "plus_minus", "size",
           "terminal_width"]


def terminal_width() -> int:
    """Columns of the terminal; 100 where output goes to a file or a pipe."""
    return shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 100


def count(number: int) -> str:
    """``1234567`` as ``1,234,567``."""
    return f"{number:,}"


def decimals(half_width: float) -> int:
    """Digits after the point that an interval of this half width supports, at most four.

    Down to the first significant digit of the half width, or the second if that is a 1: 0.31 has one, 0.16 two.
    """
    if not half_width > 0 or not math.isfinite(half_width):
        return 2
    first = -math.floor(math.log10(half_width))
    starts_with_1 = half_width * 10.0**first < 2
    return min(max(first + starts_with_1, 0), 4)


def percent(value: float, low: float, high: float) -> str:
    """A share as a percentage, rounded by the width of its interval: ``93.42 %``."""
    return f"{100 * value:.{decimals(50 * (high - low))}f} %"


def interval(low: float, high: float, scale: float = 100) -> str:
    """An interval of a share in percent (or of ``scale`` times the value): ``93.26 to 93.58``."""
    digits = decimals(scale * (high - low) / 2)
    return f"{scale * low:.{digits}f} to {scale * high:.{digits}f}"


def plus_minus(value: float, low: float, high: float, digits: int, scale: float = 100) -> str:
    """A value with the wider side of its interval, both to ``digits`` after the point: ``93.42 ±0.16``."""
    return f"{scale * value:.{digits}f} ±{scale * max(value - low, high - value):.{digits}f}"


def duration(seconds: float) -> str:
    """``0.41 s``, ``12 s``, ``3 min 20 s``, ``2 h 5 min``."""
    if seconds < 9.95:
        return f"{seconds:.2g} s" if seconds >= 0.01 else "under 0.01 s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min"


def size(n_bytes: float) -> str:
    """``512 B``, ``1.4 MB``, ``2.3 GB`` (powers of 1000)."""
    for unit in ("B", "kB", "MB", "GB"):
        if n_bytes < 999.5:
            return f"{n_bytes:.0f} {unit}" if unit == "B" or n_bytes >= 99.5 else f"{n_bytes:.2g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:,.1f} TB"


def columns(header: Sequence[str], rows: Iterable[Sequence[Any]], *, left: int = 1, indent: str = "  ",
            wrap_last: int = 0) -> list[str]:
    """Lines of a table: the first ``left`` columns flush left, the others flush right, two spaces between.

    With ``wrap_last`` the last column is text, flush left, folded to fit lines of that many characters.
    """
    cells = [[str(cell) for cell in row] for row in rows]
    table = [list(header), *cells] if any(header) else cells
    if not table:
        return []
    last = len(table[0]) - 1 if wrap_last else len(table[0])
    widths = [max(len(row[index]) for row in table) for index in range(last)]
    lines = []
    for row in table:
        parts = [row[i].ljust(widths[i]) if i < left else row[i].rjust(widths[i]) for i in range(last)]
        line = indent + "  ".join(parts)
        if not wrap_last:
            lines.append(line.rstrip())
            continue
        room = max(wrap_last - len(line) - 2, 24)
        folded = textwrap.wrap(row[last], room) or [""]
        lines.append(f"{line}  {folded[0]}".rstrip())
        lines += [" " * (len(line) + 2) + more for more in folded[1:]]
    return lines


def paragraph(text: str, *, width: int, indent: str = "") -> list[str]:
    """Text folded to lines of at most ``width`` characters."""
    return textwrap.wrap(" ".join(text.split()), max(width, 40), initial_indent=indent, subsequent_indent=indent,
                         break_on_hyphens=False)


def one_line(text: str) -> str:
    """The text without line breaks."""
    return " ".join(text.split())
