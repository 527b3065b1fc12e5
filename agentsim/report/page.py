"""The report as data: a title, findings, one section per question, how it was made. It knows nothing of HTML."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from agentsim.report.blocks import Block, Failure, Finding, one_line
from agentsim.report.chart import Chart, check_name
from agentsim.report.table import Table

__all__ = ["NotebookPage", "Provenance", "Report", "Section", "section_or_failure"]

_RESERVED = {"index", "method"}


@dataclass(frozen=True, eq=False)
class Section:
    """One question and its page.

    Parameters
    ----------
    anchor : file name of the page without ``.html``, lower case ("win-rates").
    title : a few words ("Win rates").
    question : what the page answers ("Who wins, and by how much?").
    blocks : what is on the page, in this order.
    lead : a few sentences of Markdown that answer the question; also shown on the first page.
    """

    anchor: str
    title: str
    question: str
    blocks: Sequence[Block] = ()
    lead: str = ""

    def __post_init__(self) -> None:
        check_name(self.anchor, "section anchor")
        if self.anchor in _RESERVED or self.anchor.startswith("notebook-"):
            raise ValueError(f"section anchor '{self.anchor}' is taken by a page of the report's own")

    @property
    def charts(self) -> list[Chart]:
        return [block for block in self.blocks if isinstance(block, Chart)]

    @property
    def tables(self) -> list[Table]:
        return [block for block in self.blocks if isinstance(block, Table)]

    @property
    def failures(self) -> list[Failure]:
        return [block for block in self.blocks if isinstance(block, Failure)]

    @property
    def key_charts(self) -> list[Chart]:
        """The charts that the first page shows: those marked as ``key``, else the first one."""
        return [chart for chart in self.charts if chart.key] or self.charts[:1]


@dataclass(frozen=True)
class Provenance:
    """How the report was made; everything here is given by the caller, so equal inputs give equal pages.

    Parameters
    ----------
    command : what to type to get this report again.
    seed : the seed of the run.
    counts : what was simulated, in the order to show ("games" to 12_000_000 ...); the first few head the first page.
    versions : package to version.
    seconds : what took how long, in seconds of wall time.
    digest : content digest of the run.
    created : date, as text; empty if the page should not carry one.
    notes : further lines (Markdown), such as where made-up cards come from.
    """

    command: str
    seed: int
    counts: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    digest: str = ""
    created: str = ""
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class NotebookPage:
    """An executed notebook: ``body`` is its HTML, trusted, without head and frame; ``seconds`` what it took to run.

    ``reused``: whether it was taken from an earlier run because nothing that it depends on had changed.
    """

    name: str
    title: str
    body: str = field(repr=False)
    seconds: float = 0.0
    reused: bool = False

    def __post_init__(self) -> None:
        check_name(self.name, "notebook name")


@dataclass(frozen=True, eq=False)
class Report:
    """A whole report.

    Parameters
    ----------
    title : its name.
    findings : the headline findings, most important first.
    sections : one per question, in reading order.
    summary : a paragraph of Markdown under the title.
    provenance : how it was made.
    method : blocks of the page "Method and limits".
    notebooks : executed notebooks, or failures in their place.
    marks : cell texts to be marked wherever a table shows them, to what the mark means ("handler" to "stand-in, not
        the publisher's card").

    Raises ``ValueError`` if two pages, charts or tables have one name, or a finding points to no section.
    """

    title: str
    findings: Sequence[Finding] = ()
    sections: Sequence[Section] = ()
    summary: str = ""
    provenance: Provenance | None = None
    method: Sequence[Block] = ()
    notebooks: Sequence[NotebookPage | Failure] = ()
    marks: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        blocks = [*self.method, *(block for section in self.sections for block in section.blocks)]
        _unique("section anchor", [section.anchor for section in self.sections])
        _unique("chart name", [block.name for block in blocks if isinstance(block, Chart)])
        _unique("table name", [block.name for block in blocks if isinstance(block, Table)])
        _unique("notebook name", [page.name for page in self.notebooks if isinstance(page, NotebookPage)])
        anchors = {section.anchor for section in self.sections}
        for finding in self.findings:
            if finding.section and finding.section not in anchors:
                raise ValueError(f"the finding '{finding.text}' points to no section: '{finding.section}'")


def section_or_failure(anchor: str, title: str, question: str, build: Callable[[], Section]) -> Section:
    """What ``build()`` returns or, if it raises, a section of that name which says what went wrong.

    The traceback goes to stderr; the page gets one line. Only ``Exception`` is caught: Ctrl-C still interrupts.
    """
    try:
        return build()
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        return Section(anchor, title, question, [Failure(title, one_line(error))])


def _unique(what: str, names: Sequence[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"the report uses the {what} '{twice[0]}' twice")
