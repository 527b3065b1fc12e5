"""The pages: their structure, escaping, failures that show, and equal bytes from equal input."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest

from agentsim.report import (
    Chart,
    Failure,
    Finding,
    Heading,
    NotebookPage,
    Report,
    Section,
    Site,
    Text,
    render,
    section_or_failure,
    theme,
)
from tests.report import sample
from tests.report.reading import Node, read


@pytest.fixture(scope="module")
def site() -> Site:
    return render(sample.sample_report())


@pytest.fixture(scope="module")
def pages(site: Site) -> dict[str, Node]:
    return {path: read(content) for path, content in site.files.items() if path.endswith(".html")}


def test_there_is_a_page_for_each_question_and_the_rest(site: Site, pages: dict[str, Node]) -> None:
    assert set(pages) == {"index.html", "win-rates.html", "first-player.html", "shape.html", "method.html",
                          "notebook-sample.html"}
    assert site.failures == ()
    assert {path for path in site.files if path.startswith("tables/")} == {"tables/starters.csv", "tables/hands.csv"}


def test_every_page_has_one_title_one_heading_and_a_way_to_all_others(pages: dict[str, Node]) -> None:
    for path, page in pages.items():
        assert page.one("title").text.strip(), path
        assert len(page.all("h1")) == 1, path
        assert page.one("html").attributes["lang"] == "en"
        assert page.one("a", class_="skip").attributes["href"] == "#content"
        page.one("main", id="content")
        links = {link.attributes["href"] for link in page.one("nav", id="nav").all("a")}
        assert set(pages) <= links, path
        current = page.one("nav", id="nav").one("a", aria_current="page")
        assert current.attributes["href"] == path


def test_headings_descend_by_one(pages: dict[str, Node]) -> None:
    for path, page in pages.items():
        levels = [int(node.tag[1]) for node in page.walk() if re.fullmatch(r"h[1-6]", node.tag)]
        assert levels[0] == 1, path
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels)), path


def test_no_id_stands_twice_on_a_page(pages: dict[str, Node]) -> None:
    for path, page in pages.items():
        ids = [node.attributes["id"] for node in page.walk() if "id" in node.attributes]
        assert sorted(ids) == sorted(set(ids)), path


def test_the_first_page_tells_the_findings_the_questions_and_the_numbers(pages: dict[str, Node]) -> None:
    page = pages["index.html"]
    findings = page.one("div", class_="findings").all("div", class_="finding")
    assert len(findings) == 4
    assert "68.12 %" in findings[1].words
    assert "n = 12,800,000 games in 6,400,000 deals" in findings[1].words
    assert "interval [68.01, 68.23]" in findings[1].words
    assert findings[1].one("a").attributes["href"] == "win-rates.html"
    questions = page.all("article", class_="question")
    assert [question.one("h3").words for question in questions] == [
        "Who wins, and by how much?", "Does starting help?", "How does a game unfold?"]
    assert questions[2].one("figure").attributes["id"] == "chart-leads", "the chart marked as key, not the first"
    assert "12,800,000" in page.one("dl", class_="stats").text


def test_charts_have_alt_text_a_phone_version_and_a_caption(site: Site, pages: dict[str, Node]) -> None:
    figure = pages["first-player.html"].one("figure", id="chart-starters")
    image = figure.one("img")
    assert image.attributes["alt"].startswith("First-player win rates")
    assert image.attributes["src"] in site.files
    assert figure.one("source").attributes["srcset"] in site.files
    assert "n = 1,600,000 games, seed 2024" in figure.one("p", class_="caption").words
    wide = pages["win-rates.html"].one("figure", id="chart-matrix")
    assert not wide.all("source")
    assert wide.one("div", class_="scroll").attributes["tabindex"] == "0"


def test_the_method_page_says_how_it_was_made(pages: dict[str, Node]) -> None:
    words = pages["method.html"].words
    for part in ("agentsim report --games 100000 --seed 2024", "2024", "136", "numpy2.4.0", "61.2 s", "0f0f0f",
                 "made up for this sample", "Card texts are our own words."):
        assert part in words


def test_nothing_on_a_page_is_loaded_from_elsewhere(site: Site) -> None:
    for path, content in site.files.items():
        if path.endswith((".html", ".css", ".js")):
            for address in re.findall(r"""(?:src|href|srcset)=["']([^"']*)|url\(([^)]*)\)""", content.decode()):
                assert not re.match(r"(https?:)?//", "".join(address)), (path, address)
        assert b"cdn" not in content.lower() or path.endswith(".svg"), path


def test_equal_input_gives_equal_bytes(site: Site) -> None:
    again = render(sample.sample_report())
    assert dict(again.files) == dict(site.files)


def test_the_date_appears_only_if_given() -> None:
    report = sample.sample_report()
    assert report.provenance is not None
    for content in render(replace(report, provenance=replace(report.provenance, created="1 May"))).files.values():
        if content.startswith(b"<!DOCTYPE"):
            assert b"1 May" in content
    page = render(report).files["index.html"].decode()
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", page)


def test_every_text_is_escaped_wherever_it_stands() -> None:
    figure, ax = theme.figure(rows=2)
    theme.dot_interval(ax, sample.starters().head(2), "policy", "rate", "low", "high")
    evil = sample.EVIL
    section = Section("evil", evil, evil, [
        Finding(evil, 0.5, 0.4, 0.6, n=3, interval=evil, n_unit=evil), Text(evil), Text(evil, "warning"),
        Heading(evil, "here"), Chart(figure, "evil", evil, evil, evil), Failure(evil, evil),
        Text("[click](javascript:alert)")], lead=evil)
    made = Report(evil, [Finding(evil, section="evil")], [section], summary=evil, method=[Text(evil)],
                  notebooks=[NotebookPage("n", evil, "<p>body</p>")], marks={evil: evil})
    for path, content in render(made).files.items():
        if path.endswith(".html"):
            page = read(content)
            assert {script.text.strip() for script in page.all("script")} <= {
                "", 'document.documentElement.className = "js";'}, path
            assert "<script>alert" not in content.decode(), path
            assert not any("javascript:" in node.attributes.get("href", "") for node in page.walk()), path
    assert evil in read(render(made).files["evil.html"]).one("img").attributes["alt"]


def test_a_failed_analysis_is_named_on_every_page_that_should_show_it() -> None:
    site = render(sample.sample_report(failing=True))
    assert [failure.name for failure in site.failures] == ["Agents and bluffs", "broken.ipynb"]
    index = read(site.files["index.html"])
    assert "2 parts of this report failed" in index.text
    assert "KeyError: 'took_face_up'" in index.text
    assert "ZeroDivisionError: division by zero" in index.text
    assert "KeyError: 'took_face_up'" in read(site.files["agents.html"]).text
    assert "failed" in read(site.files["method.html"]).one("nav", id="nav").one("span", class_="nav-failed").text
    assert "68.12" in index.text, "the rest of the report is there"


def test_a_chart_that_cannot_be_drawn_becomes_a_failure_in_its_place() -> None:
    chart = sample.starters_chart.__wrapped__()
    chart.figure.axes[0].text(0.5, 3, "nan")
    site = render(Report("R", [], [Section("s", "S", "?", [chart, Text("after")])]))
    assert [failure.name for failure in site.failures] == [chart.title]
    page = read(site.files["s.html"])
    assert "shows a label that is not a number: 'nan'" in page.one("section", class_="failure").text
    assert "after" in page.text
    assert not any(path.startswith("charts/") for path in site.files)


def test_an_exception_becomes_a_section_that_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    def build() -> Section:
        raise KeyError("took\nface up")

    section = section_or_failure("agents", "Agents", "Which?", build)
    assert section.failures == [Failure("Agents", "KeyError: 'took\\nface up'")]
    assert "Traceback" in capsys.readouterr().err
    fine = Section("a", "A", "?")
    assert section_or_failure("a", "A", "?", lambda: fine) is fine
    with pytest.raises(KeyboardInterrupt):
        section_or_failure("a", "A", "?", lambda: (_ for _ in ()).throw(KeyboardInterrupt))


def test_names_must_be_unique_and_point_somewhere() -> None:
    one = Section("one", "One", "?", [sample.starters_table()])
    with pytest.raises(ValueError, match="section anchor 'one' twice"):
        Report("R", [], [one, Section("one", "Other", "?")])
    with pytest.raises(ValueError, match="table name 'starters' twice"):
        Report("R", [], [one, Section("two", "Two", "?", [sample.starters_table()])])
    with pytest.raises(ValueError, match="points to no section: 'three'"):
        Report("R", [Finding("x", section="three")], [one])
    for anchor in ("index", "method", "notebook-x", "A b"):
        with pytest.raises(ValueError, match="section anchor"):
            Section(anchor, "S", "?")


def test_an_empty_report_is_still_a_page() -> None:
    site = render(Report("Nothing yet"))
    assert read(site.files["index.html"]).one("h1").words == "Nothing yet"
    assert "without a record" in read(site.files["method.html"]).text
