"""Looking at a report as its readers will: every page, in headless Chromium, at a desktop's and a phone's width.

    python -m agentsim.report.check reports
    python -m agentsim.report.check reports --screenshots pictures

Problems are: errors in the console, requests to the web, text such as "NaN", pictures that are missing or blank,
pages wider than the window, images without alt text, broken links. Exit code 0 without problems, 1 with any, 2 if the
folder holds no report. Without a Chromium on the machine only the files are checked, and a line says so.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from agentsim.errors import InputError
from agentsim.report.browser import Browser, BrowserError, Event, find_browser, page_url
from agentsim.report.lint import Problem, is_not_a_number, lint

__all__ = ["WIDTHS", "check_report", "main"]

#: Widths in CSS pixels, each with the height of the window: a common desktop and a common phone.
WIDTHS = {1280: 900, 390: 844}
_BAND = 6000  # pages are photographed in pieces no higher than this

# What is read off a page: its width, what sticks out, its texts, and its pictures with the part of them that shows.
_PROBE = """
(() => {
  const visible = (box) => box.width > 0 && box.height > 0;
  const name = (element) => element.tagName.toLowerCase() + (element.id ? "#" + element.id : "") +
    (element.classList.length ? "." + [...element.classList].join(".") : "");
  const width = document.documentElement.clientWidth;
  const contained = (element) => {
    for (let up = element.parentElement; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== "visible") return true;
    }
    return false;
  };
  const wide = [...document.body.querySelectorAll("*")].filter((element) => {
    const box = element.getBoundingClientRect();
    return visible(box) && box.right > width + 1 && !contained(element);
  }).slice(0, 3).map(name);
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.parentElement.closest("script, style, .input_area, .highlight")) continue;
    const text = node.textContent.trim();
    if (text) texts.push(text);
  }
  const pictures = [...document.images].map((image) => {
    const box = image.getBoundingClientRect();
    let left = box.left, right = box.right;
    for (let up = image.parentElement; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflowX === "visible") continue;
      const frame = up.getBoundingClientRect();
      left = Math.max(left, frame.left);
      right = Math.min(right, frame.right);
    }
    return { source: image.currentSrc.slice(0, 200), alt: image.alt.trim(),
             loaded: image.complete && image.naturalWidth > 0 && image.naturalHeight > 0,
             left: left + scrollX, top: box.top + scrollY, width: right - left, height: box.height };
  });
  return { scrollWidth: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight,
           innerWidth, wide, texts, pictures };
})()
"""


def check_report(
    folder: str | Path,
    *,
    browser: str | None = None,
    screenshots: str | Path | None = None,
) -> list[Problem]:
    """All problems of the report in ``folder``; empty if it is as it should be.

    Parameters
    ----------
    browser : path of a Chromium; by default the one on this machine. Without any only the files are checked.
    screenshots : a folder for a PNG of every page at every width ("index-1280.png").

    Raises ``InputError`` if the folder holds no ``index.html``, or screenshots are wanted and there is no browser.
    """
    root = Path(folder)
    if not (root / "index.html").is_file():
        raise InputError("holds no report", where=str(folder), allowed="a folder with an index.html")
    problems = lint(root)
    executable = browser or find_browser()
    if executable is None:
        if screenshots is not None:
            raise InputError("screenshots need Chromium, and there is none on this machine", key="screenshots")
        return problems
    with Browser(executable) as page:
        for path in sorted(root.rglob("*.html"), key=lambda path: (path.name != "index.html", path)):
            name = path.relative_to(root).as_posix()
            for width, height in WIDTHS.items():
                try:
                    page.resize(width, height, phone=width < 640)
                    page.open(page_url(path))
                    problems += [Problem(name, text, width) for text in _look(page, width)]
                    if screenshots is not None:
                        target = Path(screenshots) / f"{name.removesuffix('.html').replace('/', '-')}-{width}.png"
                        target.parent.mkdir(parents=True, exist_ok=True)
                        target.write_bytes(page.screenshot())
                except BrowserError as error:
                    problems.append(Problem(name, f"could not be looked at: {error}", width))
    # What the files show already, or the first width, need not be said again.
    return list({(problem.page, problem.text): problem for problem in reversed(problems)}.values())[::-1]


def _look(page: Browser, width: int) -> Iterator[str]:
    seen = page.evaluate(_PROBE)
    for event in page.events:
        yield from _reported(event)
    # A phone widens its window to what sticks out, so the width asked for is what counts.
    if max(seen["scrollWidth"], seen["innerWidth"]) > width:
        sticking = ", ".join(seen["wide"]) or "something"
        yield f"is {max(seen['scrollWidth'], seen['innerWidth'])} px wide: {sticking} sticks out"
    for text in seen["texts"]:
        if word := is_not_a_number(text):
            yield f"text reads '{text[:60]}' ({word})"
    yield from _pictures(page, seen)


def _reported(event: Event) -> Iterator[str]:
    """What an event of the browser says that it should not."""
    method, told = event["method"], event["params"]
    if method == "Runtime.exceptionThrown":
        details = told["exceptionDetails"]
        yield f"script error: {details.get('exception', {}).get('description') or details.get('text')}".splitlines()[0]
    elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "assert"):
        words = " ".join(str(part.get("value", part.get("description", ""))) for part in told["args"])
        yield f"console error: {words[:160]}"
    elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
        yield f"console error: {told['entry']['text'][:160]}"
    elif method == "Network.requestWillBeSent":
        url = told["request"]["url"]
        if not url.startswith(("file:", "data:", "blob:", "about:")):
            yield f"asks the network for {url[:120]}"
    elif method == "Network.loadingFailed" and not told.get("canceled"):
        yield f"a file did not load: {told.get('errorText', '')}"


def _pictures(page: Browser, seen: dict[str, Any]) -> Iterator[str]:
    from PIL import Image

    bands: dict[int, Image.Image] = {}
    for picture in seen["pictures"]:
        source = str(picture["source"])
        name = source if source.startswith("data:") else source.rsplit("/", 1)[-1]
        name = name[:50]
        if not picture["alt"]:
            yield f"picture without alt text: {name}"
        if not picture["loaded"]:
            yield f"picture did not load: {name}"
            continue
        if picture["width"] < 1 or picture["height"] < 1:
            yield f"picture is not visible: {name}"
            continue
        pieces = []
        top, bottom = int(picture["top"]), int(picture["top"] + picture["height"])
        for band in range(top // _BAND, bottom // _BAND + 1):
            if band not in bands:
                height = min(_BAND, seen["height"] - band * _BAND)
                if height <= 0:
                    continue
                data = page.screenshot((0, band * _BAND, seen["innerWidth"], height))
                bands[band] = Image.open(io.BytesIO(data)).convert("L")
            sheet = bands[band]
            pieces.append(sheet.crop((max(0, int(picture["left"]) + 1), max(0, top - band * _BAND + 1),
                                      min(sheet.width, int(picture["left"] + picture["width"]) - 1),
                                      min(sheet.height, bottom - band * _BAND - 1))))
        if all(_blank(piece) for piece in pieces):
            yield f"picture is blank: {name}"


def _blank(picture: Any) -> bool:
    """Whether a grey picture is one even area, but for a few stray pixels."""
    if picture.width < 2 or picture.height < 2:
        return True
    histogram = picture.histogram()
    # Neighbouring greys count as one: anti-aliasing and compression blur an even area a little.
    background = max(sum(histogram[max(0, level - 3):level + 4]) for level in range(256))
    return bool(background > 0.998 * picture.width * picture.height)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command ``python -m agentsim.report.check``; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m agentsim.report.check", description="Check a report's pages.")
    parser.add_argument("folder", help="the folder with the report's index.html")
    parser.add_argument("--screenshots", metavar="DIR", help="also write a picture of every page at every width")
    parser.add_argument("--browser", metavar="PATH", help="the Chromium to use (default: the one on this machine)")
    parser.add_argument("--require-browser", action="store_true", help="fail if there is no Chromium")
    options = parser.parse_args(arguments)
    executable = options.browser or find_browser()
    try:
        if executable is None and options.require_browser:
            raise InputError("there is no Chromium on this machine", key="--require-browser")
        problems = check_report(options.folder, browser=executable, screenshots=options.screenshots)
    except (InputError, BrowserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for problem in problems:
        print(problem)
    pages = len(list(Path(options.folder).rglob("*.html")))
    how = f"at {' and '.join(f'{width} px' for width in WIDTHS)}" if executable else "files only: no Chromium here"
    print(f"{pages} pages ({how}): {f'{len(problems)} problems' if problems else 'no problems'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
