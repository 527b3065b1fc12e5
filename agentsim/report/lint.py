"""What can be checked about a report's files without a browser: links, images, addresses on the web, stray NaNs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["Problem", "is_not_a_number", "lint"]

# Whole words only, so that "inference", "Nancy" and "None of them" pass; "None" counts where a value would stand.
_STRAY = re.compile(r"(?<![\w.])[-+−]?(?:nan|NaN|NaT|inf|Infinity|\[object Object\]|None(?! [a-z]))(?![\w-])")
_PLACEHOLDERS = {"no description has been provided for this image", "image", "chart", "figure", "plot"}
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_CODE = {"input_area", "highlight"}


@dataclass(frozen=True)
class Problem:
    """Something wrong with a page: where, at which width (0: at any), and what."""

    page: str
    text: str
    width: int = 0

    def __str__(self) -> str:
        return f"{self.page}{f' at {self.width} px' if self.width else ''}: {self.text}"


def is_not_a_number(text: str) -> str:
    """The word in ``text`` that a missing or infinite value left there ("nan"), or an empty string."""
    if text.strip() in ("undefined", "null", "None"):
        return text.strip()
    found = _STRAY.search(text)
    return found.group(0) if found else ""


def lint(folder: str | Path) -> list[Problem]:
    """All problems that the files of the report in ``folder`` show, in the order of the pages' names."""
    root = Path(folder)
    pages = {path.relative_to(root).as_posix(): _Page.read(path) for path in sorted(root.rglob("*.html"))}
    problems = []
    for name, page in pages.items():
        problems += [Problem(name, text) for text in page.problems]
        problems += [Problem(name, text) for text in _links(root, name, page, pages)]
    for path in sorted([*root.rglob("*.css"), *root.rglob("*.svg")]):
        name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8", errors="replace")
        if re.search(r"(?:url\(|@import|href=)\s*[\"']?\s*(?:https?:)?//", text):
            problems.append(Problem(name, "loads something from the web"))
        if path.suffix == ".svg":
            problems += [Problem(name, problem) for problem in _drawing(text)]
    return problems


def _drawing(svg: str) -> list[str]:
    problems = []
    # A text that Matplotlib turned into outlines stands in a comment before them.
    for label in re.findall(r"<!-- (.*?) -->", svg, flags=re.DOTALL):
        if word := is_not_a_number(label):
            problems.append(f"a label reads '{label}' ({word})")
    if not re.search(r"<(?:path|use|rect|circle|image|line|polyline|polygon)\b", svg):
        problems.append("is an empty picture")
    return problems


@dataclass
class _Page(HTMLParser):
    """One page, read for what the checks need."""

    ids: set[str] = field(default_factory=set)
    links: list[tuple[str, str]] = field(default_factory=list)  # what refers, address
    problems: list[str] = field(default_factory=list)
    open: list[tuple[str, str]] = field(default_factory=list)  # element, class

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    @classmethod
    def read(cls, path: Path) -> _Page:
        page = cls()
        page.feed(path.read_text(encoding="utf-8"))
        page.close()
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag not in _VOID:
            self.open.append((tag, given.get("class", "")))
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "img" and given.get("alt", "").strip().lower() in {"", *_PLACEHOLDERS}:
            self.problems.append(f"an image has no alt text: {given.get('src', '')[:60]}")
        if tag == "th" and "scope" not in given and not any("dataframe" in names for _, names in self.open):
            if not any("text" in names.split() for _, names in self.open):
                self.problems.append("a table header has no scope")
        for name in ("alt", "title", "aria-label", "placeholder"):
            if word := is_not_a_number(given.get(name, "")):
                self.problems.append(f"{name} reads '{given[name]}' ({word})")
        for name in ("src", "href", "poster", *(["data"] if tag == "object" else [])):
            if name in given:
                self.links.append((tag, given[name].strip()))
        # A list of addresses, each followed by a width; the comma in a `data:` address is none that separates.
        for part in re.findall(r"(?:^|,)\s*(data:\S+|[^\s,]+)", given.get("srcset", "")):
            self.links.append((tag, part))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self.open) - 1, -1, -1):
            if self.open[at][0] == tag:
                del self.open[at:]
                return

    def handle_data(self, data: str) -> None:
        inside = [tag for tag, _ in self.open]
        if "style" in inside and re.search(r"(?:url\(|@import)\s*[\"']?\s*(?:https?:)?//", data):
            self.problems.append("a style loads something from the web")
        if "script" in inside or "style" in inside or any(_CODE & set(names.split()) for _, names in self.open):
            return
        if word := is_not_a_number(data):
            self.problems.append(f"text reads '{' '.join(data.split())[:60]}' ({word})")


def _links(root: Path, name: str, page: _Page, pages: dict[str, _Page]) -> list[str]:
    problems = []
    for tag, address in page.links:
        parts = urlsplit(address)
        if parts.scheme in ("data", "mailto", "javascript") or (tag == "a" and parts.scheme in ("http", "https")):
            continue  # a link that a reader may follow is no request of the page
        if parts.scheme or parts.netloc:
            problems.append(f"<{tag}> loads something from elsewhere: {address[:80]}")
            continue
        target = (Path(name).parent / unquote(parts.path)).as_posix() if parts.path else name
        if not (root / target).is_file():
            problems.append(f"<{tag}> points to a file that is not there: {address[:80]}")
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
            problems.append(f"<{tag}> points to a place that is not there: {address[:80]}")
    return problems
