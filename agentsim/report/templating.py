"""The Jinja environment of the report: escaping on, undefined names are errors, Markdown without raw HTML."""

from __future__ import annotations

import functools
import json
from typing import Any

import jinja2
import mistune
from markupsafe import Markup, escape

from agentsim.report import numbers

__all__ = ["environment", "inline", "markdown"]


@functools.cache
def environment() -> jinja2.Environment:
    """The environment that renders every page; templates and assets lie in the package."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("agentsim.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(markdown=markdown, inline=inline, with_value=with_value, nobreak=nobreak, breakable=breakable,
                        count=numbers.count, embedded_json=embedded_json)
    return made


@functools.cache
def _markdown() -> mistune.Markdown:
    return mistune.create_markdown(escape=True, plugins=["table", "strikethrough"])


def markdown(text: str) -> Markup:
    """Markdown as HTML. Raw HTML in it is shown as text; links with a script as their address lose it."""
    return Markup(str(_markdown()(text)))


def inline(text: str) -> Markup:
    """Markdown of one sentence as HTML without the paragraph around it."""
    html = str(_markdown()(nobreak(" ".join(text.split())))).strip()
    if html.startswith("<p>") and html.endswith("</p>") and html.count("<p>") == 1:
        html = html[3:-4]
    return Markup(html)


def nobreak(text: str) -> str:
    """``text`` with per cent signs that stay on the line of their number."""
    return text.replace(" %", "\u202f%")


def breakable(text: str) -> Markup:
    """``text`` escaped, with a permitted line break after every underscore, for long identifiers in narrow cells."""
    return escape(text).replace("_", Markup("_<wbr>"))


def with_value(html: Markup, number: str) -> Markup:
    """``{value}`` in a finished sentence replaced by ``number``, emphasised."""
    return html.replace("{value}", Markup("<strong>{}</strong>").format(number))


def embedded_json(value: Any) -> Markup:
    """``value`` as JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
