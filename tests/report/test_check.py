"""The checks of a finished report: what they let pass, what they find, and how the command ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentsim.errors import InputError
from agentsim.report import write_report
from agentsim.report.browser import Browser, BrowserError, page_url
from agentsim.report.check import check_report, main
from agentsim.report.lint import is_not_a_number, lint
from tests.report import sample

BLANK = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='300' height='200'/%3E"
DOT = ("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='300' height='200'%3E"
       "%3Ccircle cx='99' cy='99' r='50'/%3E%3C/svg%3E")
FINE = "<p>All is well.</p>"


def page(folder: Path, body: str, head: str = "", name: str = "index.html") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>t</title>{head}</head><body>{body}</body></html>", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(sample.sample_report(), tmp_path_factory.mktemp("report") / "my reports").parent


@pytest.mark.parametrize("text", ["nan", "NaN %", "[nan, 0.5]", "−inf", "NaT", "is None", "None", "a\nNone", "Infinity",
                                  "undefined", "[object Object]", "value: nan."])
def test_words_of_missing_values_are_found(text: str) -> None:
    assert is_not_a_number(text)


@pytest.mark.parametrize("text", ["inference", "None of them", "Nancy", "banana", "information", "infinity", "finance",
                                  "the rate is undefined here", "non-transitive", "nan-proof", "x.nan"])
def test_ordinary_words_pass(text: str) -> None:
    assert not is_not_a_number(text)


@pytest.mark.parametrize(
    "body, head, message",
    [
        ('<img src="x.svg" alt="">', "", "an image has no alt text"),
        (f'<img src="{DOT}">', "", "an image has no alt text"),
        (f'<img src="{DOT}" alt="No description has been provided for this image">', "", "an image has no alt text"),
        ('<img src="x.svg" alt="A chart">', "", "points to a file that is not there: x.svg"),
        (f'<img src="{DOT}" srcset="y.svg 2x" alt="A chart">', "", "points to a file that is not there: y.svg"),
        ('<img src="https://example.org/x.svg" alt="A chart">', "", "loads something from elsewhere"),
        ('<script src="//example.org/x.js"></script>', "", "loads something from elsewhere"),
        (FINE, '<link rel="stylesheet" href="http://example.org/x.css">', "loads something from elsewhere"),
        (FINE, "<style>@import 'https://example.org/x.css';</style>", "a style loads something from the web"),
        ("<td>nan</td>", "", "text reads 'nan'"),
        (f'<img src="{DOT}" alt="A rate of nan %">', "", "alt reads 'A rate of nan %'"),
        ("<table><tr><th>rate</th></tr></table>", "", "a table header has no scope"),
        ('<a href="#gone">x</a>', "", "points to a place that is not there: #gone"),
        ('<a href="gone.html">x</a>', "", "points to a file that is not there: gone.html"),
    ],
)
def test_the_files_alone_show_what_is_wrong(tmp_path: Path, body: str, head: str, message: str) -> None:
    problems = lint(page(tmp_path, body, head))
    assert [message in problem.text for problem in problems].count(True) == 1, problems


def test_what_is_no_problem_passes(tmp_path: Path) -> None:
    page(tmp_path, '<p id="here">None of the rest</p><a href="#here">x</a>'
         f'<a href="https://example.org">a link to follow</a><img src="{DOT}" alt="A dot">'
         '<div class="input_area"><pre>x = None or nan</pre></div><script>var x = NaN;</script>')
    assert lint(tmp_path) == []


def test_a_picture_with_nan_in_a_label_or_nothing_in_it_is_found(tmp_path: Path) -> None:
    page(tmp_path, FINE)
    (tmp_path / "a.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><!-- nan % --><path d="M0 0"/></svg>')
    (tmp_path / "b.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"></svg>')
    assert [str(problem) for problem in lint(tmp_path)] == ["a.svg: a label reads 'nan %' (nan)",
                                                             "b.svg: is an empty picture"]


def test_the_sample_report_has_clean_files(report: Path) -> None:
    assert lint(report) == []


def test_a_folder_without_a_report_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="holds no report"):
        check_report(tmp_path)
    assert main([str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_without_a_browser_the_files_are_checked_and_it_says_so(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("agentsim.report.check.find_browser", lambda: None)
    page(tmp_path, FINE)
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "1 pages (files only: no Chromium here): no problems\n"
    page(tmp_path, "<p>nan</p>")
    assert main([str(tmp_path)]) == 1
    assert "index.html: text reads 'nan' (nan)" in capsys.readouterr().out
    assert main([str(tmp_path), "--require-browser"]) == 2
    assert main([str(tmp_path), "--screenshots", str(tmp_path / "shots")]) == 2


def test_a_program_that_is_no_browser_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BrowserError, match="did not start"):
        Browser("/bin/false")
    page(tmp_path, FINE)
    assert main([str(tmp_path), "--browser", "/nonexistent/chromium"]) == 2


@pytest.mark.browser
@pytest.mark.parametrize(
    "body, head, message",
    [
        (FINE + "<script>console.error('oh no', 3)</script>", "", "console error: oh no 3"),
        (FINE + "<script>missing()</script>", "", "script error: ReferenceError"),
        (FINE + "<script>fetch('https://example.invalid/x').catch(() => 0)</script>", "", "asks the network"),
        (FINE + "<script>document.body.append(0 / 0)</script>", "", "text reads 'NaN'"),
        (f'<img src="{BLANK}" alt="A chart of nothing">', "", "picture is blank"),
        ('<img src="gone.svg" alt="A chart">', "", "picture did not load: gone.svg"),
        (f'<div style="display:none"><img src="{DOT}" alt="Hidden"></div>', "", "picture is not visible"),
        ('<div style="width: 500px" id="broad">x</div>', "", "px wide: div#broad sticks out"),
    ],
)
def test_the_browser_shows_what_the_files_do_not(chromium: str, tmp_path: Path, body: str, head: str,
                                                 message: str) -> None:
    problems = check_report(page(tmp_path, body, head), browser=chromium)
    assert any(message in problem.text for problem in problems), problems
    if "500px" in body:
        assert {problem.width for problem in problems} == {390}, "at 1280 px there is room"


@pytest.mark.browser
def test_what_scrolls_in_its_own_frame_is_no_problem(chromium: str, tmp_path: Path) -> None:
    page(tmp_path, f'<div style="overflow-x:auto"><div style="width:3000px"><img src="{DOT}" alt="A dot"></div></div>')
    assert check_report(tmp_path, browser=chromium) == []


@pytest.mark.browser
def test_the_sample_report_is_as_it_should_be(chromium: str, report: Path, tmp_path: Path) -> None:
    assert check_report(report, browser=chromium, screenshots=tmp_path / "shots") == []
    pictures = {path.name for path in (tmp_path / "shots").iterdir()}
    assert {"index-1280.png", "index-390.png", "win-rates-390.png"} <= pictures
    assert len(pictures) == 12


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    with Browser(chromium_path) as made:
        yield made


@pytest.fixture(scope="module")
def chromium_path() -> str:
    from agentsim.report.browser import find_browser

    return find_browser() or pytest.skip("no Chromium on this machine")


HANDS = "document.querySelector('#table-hands')"
FIRST = f"[...{HANDS}.querySelectorAll('tbody tr:not([hidden])')].map((row) => row.cells[{{}}].dataset.sort)"


def press(browser: Browser, column: int) -> str:
    return str(browser.evaluate(f"(() => {{ const head = {HANDS}.querySelectorAll('thead th')[{column}];"
                                "head.querySelector('button').click(); return head.getAttribute('aria-sort'); })()"))


@pytest.fixture
def opened(browser: Browser, report: Path) -> Browser:
    browser.resize(1280, 900)
    browser.open(page_url(report / "win-rates.html"))
    return browser


@pytest.mark.browser
def test_a_press_on_a_header_sorts_by_the_full_numbers(opened: Browser) -> None:
    won = sorted(sample.hands()["won"])
    assert press(opened, 1) == "descending"
    assert [float(text) for text in opened.evaluate(FIRST.format(1))] == won[::-1][:20]
    assert press(opened, 1) == "ascending"
    assert [float(text) for text in opened.evaluate(FIRST.format(1))] == won[:20]
    assert press(opened, 1) == "none"
    assert [float(text) for text in opened.evaluate(FIRST.format(1))] == list(sample.hands()["won"][:20])
    assert press(opened, 2) == "descending", "negative numbers, too"
    assert [float(text) for text in opened.evaluate(FIRST.format(2))] == sorted(sample.hands()["effect"])[::-1][:20]


@pytest.mark.browser
def test_missing_values_stay_at_the_end(browser: Browser, report: Path) -> None:
    browser.open(page_url(report / "first-player.html"))
    for _ in range(2):
        browser.evaluate("document.querySelectorAll('#table-starters thead button')[1].click()")
        last = "[...document.querySelectorAll('#table-starters tbody tr')].pop().cells[0].textContent"
        assert browser.evaluate(last) == "random"


@pytest.mark.browser
def test_headers_work_with_the_keyboard(opened: Browser) -> None:
    opened.evaluate(f"{HANDS}.querySelectorAll('thead button')[4].focus()")
    for kind in ("keyDown", "keyUp"):
        opened.send("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    assert opened.evaluate(f"{HANDS}.querySelectorAll('thead th')[4].getAttribute('aria-sort')") == "descending"


@pytest.mark.browser
def test_filter_and_show_all(opened: Browser) -> None:
    count = f"{HANDS}.querySelectorAll('tbody tr:not([hidden])').length"
    status = f"{HANDS}.querySelector('.rows').textContent"
    assert (opened.evaluate(count), opened.evaluate(status)) == (20, "20 of 259 rows")
    opened.evaluate(f"{HANDS}.querySelector('.show-all').click()")
    assert (opened.evaluate(count), opened.evaluate(status)) == (259, "259 rows")
    opened.evaluate(f"(() => {{ const box = {HANDS}.querySelector('input'); box.value = 'MOLE enforcer';"
                    "box.dispatchEvent(new Event('input')); })()")
    expected = sum("mole" in hand and "enforcer" in hand for hand in sample.hands()["hand"])
    assert opened.evaluate(count) == expected > 0
    assert opened.evaluate(status) == f"{expected} of 259 rows"


@pytest.mark.browser
def test_the_download_is_the_whole_table(opened: Browser, tmp_path: Path) -> None:
    opened.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path), eventsEnabled=True)
    opened.evaluate(f"{HANDS}.querySelector('[download]').click()")
    opened.wait_for("true")
    for _ in range(100):
        if (tmp_path / "hands.csv").is_file() and (tmp_path / "hands.csv").stat().st_size:
            break
        opened.evaluate("new Promise((done) => setTimeout(done, 50))")
    assert (tmp_path / "hands.csv").read_bytes().decode("utf-8") == sample.hands_table().csv()
    assert opened.evaluate("location.href").endswith("win-rates.html")


@pytest.mark.browser
def test_the_menu_opens_and_closes_on_a_phone(browser: Browser, report: Path) -> None:
    browser.resize(390, 844, phone=True)
    browser.open(page_url(report / "index.html"))
    shown = "getComputedStyle(document.getElementById('nav')).display"
    assert browser.evaluate(shown) == "none"
    browser.evaluate("document.querySelector('.menu').click()")
    assert browser.evaluate(shown) == "block"
    assert browser.evaluate("document.documentElement.scrollWidth") == 390
    assert browser.evaluate("document.querySelector('.menu').getAttribute('aria-expanded')") == "true"
    browser.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))")
    assert browser.evaluate(shown) == "none"


@pytest.mark.browser
def test_without_script_everything_is_there(browser: Browser, report: Path) -> None:
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.resize(390, 844, phone=True)
        browser.send("Page.navigate", url=page_url(report / "win-rates.html"))
        rows: list[int] = []
        for _ in range(200):
            try:
                tree = browser.send("DOM.getDocument", depth=0)["root"]["nodeId"]
                rows = browser.send("DOM.querySelectorAll", nodeId=tree,
                                    selector="#table-hands tbody tr:not([hidden])")["nodeIds"]
                nav = browser.send("DOM.querySelector", nodeId=tree, selector="#nav")["nodeId"]
                height = browser.send("DOM.getBoxModel", nodeId=nav)["model"]["height"]
            except BrowserError:  # the page is just being replaced
                continue
            if len(rows) == 259:
                break
        assert len(rows) == 259
        assert height > 100, "the navigation is open"
    finally:
        browser.send("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.browser
def test_colours_of_text_stand_out_from_what_is_behind(opened: Browser) -> None:
    poor = opened.evaluate("""(() => {
      const parse = (text) => text.match(/[\\d.]+/g).map(Number);
      const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
        .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
      const behind = (element) => {
        for (let up = element; up; up = up.parentElement) {
          const color = parse(getComputedStyle(up).backgroundColor);
          if (color.length === 3 || color[3] === 1) return color;
        }
        return [255, 255, 255];
      };
      const found = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.textContent.trim() || element.closest("script, style")) continue;
        const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5) found.push(element.className + ": " + walker.currentNode.textContent.trim());
      }
      return [...new Set(found)];
    })()""")
    assert poor == []


@pytest.mark.browser
def test_the_command_checks_and_writes_pictures(chromium: str, tmp_path: Path, repository: Path) -> None:
    page(tmp_path / "r", "<p>nan</p>")
    done = subprocess.run([sys.executable, "-m", "agentsim.report.check", "r", "--screenshots", "shots"],
                          cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(repository)}, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "index.html: text reads 'nan' (nan)", "1 pages (at 1280 px and 390 px): 1 problems"]
    assert done.stderr == ""
    assert {path.name for path in (tmp_path / "shots").iterdir()} == {"index-1280.png", "index-390.png"}
