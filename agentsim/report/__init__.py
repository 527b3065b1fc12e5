"""The report: from tables and figures to offline HTML pages, with executed notebooks and a check in a real browser.

>>> from agentsim.report import Finding, Report, Section, Text, render
>>> finding = Finding("Starting helps a little.", estimate=0.512, low=0.509, high=0.515, n=100_000, deals=50_000)
>>> section = Section("start", "First move", "Does starting help?", [finding, Text("Measured in mirror matches.")])
>>> site = render(Report("A small report", [finding], [section]))
>>> sorted(path for path in site.files if path.endswith(".html"))
['index.html', 'method.html', 'start.html']
>>> site.failures
()

``write_report(report, folder)`` writes these files; ``python -m agentsim.report.check folder`` looks at them in
Chromium. docs/report.md tells the whole story.
"""

from __future__ import annotations

from agentsim.report import theme
from agentsim.report.blocks import Block, Failure, Finding, Heading, Text, one_line
from agentsim.report.chart import Chart
from agentsim.report.page import NotebookPage, Provenance, Report, Section, section_or_failure
from agentsim.report.render import Site, render
from agentsim.report.site import write_report, write_site
from agentsim.report.table import Column, Table

__all__ = [
    "Chart",
    "Table",
    "Column",
    "Finding",
    "Text",
    "Heading",
    "Failure",
    "Block",
    "Section",
    "Report",
    "Provenance",
    "NotebookPage",
    "Site",
    "section_or_failure",
    "one_line",
    "render",
    "write_report",
    "write_site",
    "theme",
]
