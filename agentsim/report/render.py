"""From a report to the files of its site: pages, images, tables, style and script, as bytes; nothing is written yet."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from agentsim.report.blocks import Block, Failure, Finding, Heading, Text, one_line
from agentsim.report.chart import Chart
from agentsim.report.page import NotebookPage, Report, Section
from agentsim.report.table import Table
from agentsim.report.templating import environment

__all__ = ["Site", "render"]

_ASSETS = ("report.css", "report.js")


@dataclass(frozen=True)
class Site:
    """The files of a report, by path relative to its folder, and all that failed on the way."""

    files: Mapping[str, bytes] = field(repr=False)
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True)
class _Link:
    """A page in the navigation."""

    href: str
    text: str
    group: str
    failed: bool = False
    number: int | None = None


def render(report: Report) -> Site:
    """All files of ``report``. A chart or table that cannot be drawn becomes a failure in its place, not an error.

    ``Site.failures`` lists these and the failures that were in the report already, in reading order.
    """
    return _Renderer(report).site()


class _Renderer:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.files: dict[str, bytes] = {}
        self.failures: list[Failure] = []
        self.rendered: dict[int, str] = {}

    def site(self) -> Site:
        report = self.report
        for name in _ASSETS:
            self.files[f"assets/{name}"] = _asset(name)
        # Blocks come first: what cannot be drawn must be known before the navigation and the first page name it.
        sections = [(section, self._blocks(section.blocks)) for section in report.sections]
        method = self._blocks(report.method)
        for item in report.notebooks:
            if isinstance(item, Failure):
                self.failures.append(item)
        links = self._links(sections)
        for at, (section, blocks) in enumerate(sections):
            self._page(f"{section.anchor}.html", "section.html.j2", links, section=section, number=at + 1,
                       blocks=[html for html, _ in blocks], headings=_headings(section.blocks))
        self._page("method.html", "method.html.j2", links, blocks=[html for html, _ in method],
                   headings=[*_headings(report.method), ("made", "How this was made")])
        for item in report.notebooks:
            if isinstance(item, NotebookPage):
                self._page(f"notebook-{item.name}.html", "notebook.html.j2", links, notebook=item, headings=[])
        self._page("index.html", "index.html.j2", links, headings=[],
                   findings=[_finding(finding) for finding in report.findings],
                   overview=[self._overview(at + 1, section, blocks) for at, (section, blocks) in enumerate(sections)],
                   failures=self.failures)
        return Site(self.files, tuple(self.failures))

    def _page(self, path: str, template: str, links: Sequence[_Link], **context: Any) -> None:
        html = environment().get_template(template).render(
            report=self.report, links=links, here=path, pages=[link.href for link in links], **context)
        self.files[path] = html.encode("utf-8")

    def _links(self, sections: Sequence[tuple[Section, list[tuple[str, bool]]]]) -> list[_Link]:
        links = [_Link("index.html", "Overview", "")]
        links += [_Link(f"{section.anchor}.html", section.title, "Questions",
                        failed=any(failed for _, failed in blocks), number=at + 1)
                  for at, (section, blocks) in enumerate(sections)]
        links.append(_Link("method.html", "Method and limits", "Background"))
        links += [_Link(f"notebook-{page.name}.html", page.title, "Notebooks")
                  for page in self.report.notebooks if isinstance(page, NotebookPage)]
        return links

    def _blocks(self, blocks: Sequence[Block]) -> list[tuple[str, bool]]:
        """Every block as HTML, and whether it is a failure."""
        return [self._block(block) for block in blocks]

    def _block(self, block: Block) -> tuple[str, bool]:
        try:
            html = self._html(block)
        except Exception as error:  # a page with one chart missing is better than no page
            block = Failure(getattr(block, "title", type(block).__name__), one_line(error))
            html = self._html(block)
        self.rendered[id(block)] = html
        if isinstance(block, Failure):
            self.failures.append(block)
        return html, isinstance(block, Failure)

    def _html(self, block: Block) -> str:
        if isinstance(block, Chart):
            return self._chart(block)
        if isinstance(block, Table):
            href = f"tables/{block.name}.csv"
            view = block.view(self.report.marks)
            html = _template("table.html.j2", table=view, csv_href=href)
            self.files[href] = view.csv.encode("utf-8")
            return html
        if isinstance(block, Finding):
            return _finding(block)
        if isinstance(block, Heading):
            return _template("heading.html.j2", heading=block)
        if isinstance(block, Text):
            return _template("text.html.j2", text=block)
        return _template("failure.html.j2", failure=block)

    def _chart(self, chart: Chart) -> str:
        image, phone = chart.image(), chart.phone_image()
        source = f"charts/{chart.name}.{image.extension}"
        small = f"charts/{chart.name}-phone.{phone.extension}" if phone else ""
        html = _template("chart.html.j2", chart=chart, image=image, source=source, phone=phone, small=small)
        self.files[source] = image.data
        if phone is not None:
            self.files[small] = phone.data
        return html

    def _overview(self, number: int, section: Section, blocks: Sequence[tuple[str, bool]]) -> dict[str, Any]:
        charts = [self.rendered[id(chart)] for chart in section.key_charts if id(chart) in self.rendered]
        return {"number": number, "section": section, "charts": charts,
                "failures": [html for html, failed in blocks if failed]}


def _template(name: str, **context: Any) -> str:
    return environment().get_template(name).render(**context)


def _finding(finding: Finding) -> str:
    return _template("finding.html.j2", finding=finding, linked=True)


@functools.cache
def _asset(name: str) -> bytes:
    return (resources.files("agentsim.report") / "assets" / name).read_bytes()


def _headings(blocks: Sequence[Block]) -> list[tuple[str, str]]:
    return [(block.anchor, block.text) for block in blocks if isinstance(block, Heading)]
