"""What a page is made of, besides charts and tables: text, headings, findings, and failures that must not be hidden.

Blocks hold what is said; how it looks is the business of the templates. Texts are Markdown without raw HTML, so a
policy called ``<script>`` is a policy with an odd name and nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentsim.report import numbers
from agentsim.report.chart import Chart, check_name
from agentsim.report.table import Table
from agentsim.report.templating import environment

__all__ = ["Block", "Failure", "Finding", "Heading", "Text", "one_line"]


@dataclass(frozen=True)
class Text:
    """Paragraphs in Markdown (lists, ``code``, **bold**, links; raw HTML is shown as text).

    ``tone`` sets a note or a warning apart ("confounded: those who won often took it"); "plain" is running text.
    """

    text: str
    tone: Literal["plain", "note", "warning"] = "plain"


@dataclass(frozen=True)
class Heading:
    """A heading within a page, listed in the page's navigation. ``anchor``: its address, lower case, unique."""

    text: str
    anchor: str

    def __post_init__(self) -> None:
        check_name(self.anchor, "heading anchor")


@dataclass(frozen=True)
class Finding:
    """One sentence with the number that it rests on, the number's interval and its n.

    Parameters
    ----------
    text : the sentence, inline Markdown. ``{value}`` in it is replaced by the number; without it the number stands
        beside the sentence.
    estimate, low, high : the number and its interval; rates and differences of rates as fractions (0.523, not 52.3).
    n : the games behind it; ``deals`` the deals, which are the unit of every statistic.
    unit : "%" for a rate, "pp" for a signed difference of rates in percentage points, anything else is written after
        the number ("turns").
    n_unit : what ``n`` counts, if not games.
    reference : what would mean "no effect"; drawn as a line. For "%" 0.5 and for "pp" 0, if not given.
    interval : the name of the interval ("95 % interval", "simultaneous 95 % interval").
    section : anchor of the section that tells more, for findings on the first page.

    Raises ``ValueError`` if a number comes without its interval or n, the bounds do not enclose it or a rate is not
    a fraction.
    """

    text: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    unit: str = "%"
    deals: int | None = None
    n_unit: str = "games"
    reference: float | None = None
    interval: str = "95 % interval"
    section: str = ""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("a finding needs a sentence")
        if self.estimate is None:
            if "{value}" in self.text:
                raise ValueError(f"the finding '{self.text}' asks for a number and has none")
            return
        estimate, low, high = (numbers.as_float(part) for part in (self.estimate, self.low, self.high))
        if estimate is None or low is None or high is None or self.n is None:
            raise ValueError(f"the finding '{self.text}' needs a finite estimate, low, high and an n")
        if not low <= estimate <= high:
            raise ValueError(f"the finding '{self.text}' has {estimate} outside its interval [{low}, {high}]")
        if self.kind in ("percent", "points") and max(abs(low), abs(high)) > 1 + 1e-9:
            raise ValueError(f"the finding '{self.text}' has a rate beyond 1: give fractions, not per cent")

    @property
    def kind(self) -> numbers.Kind:
        """How the number is written."""
        return "percent" if self.unit == "%" else "points" if self.unit == "pp" else "number"

    @property
    def decimals(self) -> int:
        """Decimals that its interval supports."""
        if self.estimate is None or self.low is None or self.high is None:
            return 0
        return numbers.decimals_for(self.kind, [(self.high - self.low) / 2], [self.estimate])

    @property
    def number(self) -> str:
        """The estimate with its unit, as text; empty if the finding is a mere statement."""
        if self.estimate is None:
            return ""
        text = numbers.value(self.estimate, self.kind, self.decimals)
        return f"{text} {self.unit}" if self.kind == "number" and self.unit else text

    @property
    def bounds(self) -> str:
        """``[52.1, 52.6]``."""
        return numbers.interval(self.low, self.high, self.kind, self.decimals)

    @property
    def size(self) -> str:
        """``n = 1,000,000 games in 500,000 deals``; empty if the finding has no n."""
        if self.n is None:
            return ""
        text = f"n = {numbers.count(self.n)} {self.n_unit}"
        return f"{text} in {numbers.count(self.deals)} deals" if self.deals is not None else text

    @property
    def line(self) -> float | None:
        """Where "no effect" is."""
        if self.reference is not None:
            return self.reference
        return {"%": 0.5, "pp": 0.0}.get(self.unit)

    @property
    def gauge(self) -> dict[str, float | None] | None:
        """Where the number lies on its scale, in per cent of the scale's width: left, width, estimate, line.

        A rate is shown between 0 and 1, a difference on a scale around 0 that just holds its interval; other numbers
        have no scale of their own (None).
        """
        if self.estimate is None or self.low is None or self.high is None or self.kind == "number":
            return None
        start, end = 0.0, 1.0
        if self.kind == "points":
            reach = 1.3 * max(abs(self.low), abs(self.high), 0.001)
            start, end = -reach, reach

        def at(number: float) -> float:
            return round(100 * (number - start) / (end - start), 2)

        return {"left": at(self.low), "width": round(at(self.high) - at(self.low), 2), "estimate": at(self.estimate),
                "line": None if self.line is None else at(self.line)}

    def _repr_html_(self) -> str:
        return environment().get_template("finding.html.j2").render(finding=self, linked=False)


@dataclass(frozen=True)
class Failure:
    """Something that should have been on the page: what it was, and the error in one line."""

    name: str
    error: str


Block = Text | Heading | Finding | Chart | Table | Failure


def one_line(error: BaseException) -> str:
    """An exception as one line: its type, unless the message speaks for itself, and the message."""
    message = " ".join(str(error).split())
    kind = type(error).__name__
    if kind == "InputError" and message:
        return message
    return f"{kind}: {message}" if message else kind
