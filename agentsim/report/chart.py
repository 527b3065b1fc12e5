"""A chart of the report: a Matplotlib figure with the words that belong to it, and how it becomes an image file.

Images are SVG with text as outlines (sharp at every size, no fonts needed). A chart is rendered twice: at its own
width, and redrawn at a phone's width, so that its text stays readable there. What cannot be squeezed (heat maps,
panels side by side) keeps its width and scrolls inside its frame.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import AxesImage, imread
from matplotlib.ticker import AutoLocator, MaxNLocator

from agentsim.report.style import INK, PHONE_WIDTH, place_legend, use_theme
from agentsim.report.templating import environment

__all__ = ["Chart", "Image", "check_name"]

_NAME = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*\Z")
#: Words that a plot label shows when a missing value was formatted as a number.
_NOT_A_NUMBER = re.compile(r"(?<![\w.])[-+−]?(nan|NaN|inf|Infinity|None|NaT)(?![\w.])")
_SVG_LIMIT = 300_000
_CSS_PIXELS = 96


def check_name(name: str, what: str) -> None:
    """Raise ``ValueError`` unless ``name`` can be a file name and an anchor: lower-case words joined by - or _."""
    if not _NAME.match(name):
        raise ValueError(f"{what} '{name}' must be lower-case letters and digits joined by '-' or '_'")


@dataclass(frozen=True)
class Image:
    """An image file: its bytes, its extension and its natural size in CSS pixels."""

    data: bytes
    extension: Literal["svg", "png"]
    width: int
    height: int

    def data_uri(self) -> str:
        """The image as a ``data:`` address, for pages that must stand alone."""
        mime = "image/svg+xml" if self.extension == "svg" else "image/png"
        return f"data:{mime};base64,{base64.b64encode(self.data).decode('ascii')}"


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure and its words. In a notebook it shows itself as the report does.

    Parameters
    ----------
    figure : the Matplotlib figure, without a title over the whole: the page writes ``title`` above it.
    name : file name and anchor, lower case ("win-rates"), unique in the report.
    title : the finding as a short sentence ("Expert beats every other preset").
    caption : n, seed, policies, what the bars are: ``theme.caption(...)``.
    alt : what the chart shows, for those who cannot see it; a sentence or two with the main numbers.
    phone : "narrow" redraws it for phones, "scroll" keeps its width there; "auto" scrolls what has a heat map or
        panels side by side.
    key : show it on the first page, too. Without any such chart a section shows its first one there.

    Raises ``ValueError`` if a text is missing, the name is not a plain one or the figure has no data in it.
    """

    figure: Figure = field(repr=False)
    name: str
    title: str
    caption: str
    alt: str
    phone: Literal["auto", "narrow", "scroll"] = "auto"
    key: bool = False

    def __post_init__(self) -> None:
        check_name(self.name, "chart name")
        for part in ("title", "caption", "alt"):
            if not str(getattr(self, part)).strip():
                raise ValueError(f"chart '{self.name}' has no {part}")
        panels = [ax for ax in self.figure.axes if ax.get_label() != "<colorbar>"]
        if not panels:
            raise ValueError(f"chart '{self.name}' is empty: the figure has no axes")
        for at, ax in enumerate(panels):
            if ax.axison and not ax.has_data():
                raise ValueError(f"chart '{self.name}' is empty: nothing is drawn in panel {at + 1}")

    @property
    def scrolls(self) -> bool:
        """Whether the chart keeps its width on a phone, inside a frame that scrolls."""
        if self.phone != "auto":
            return self.phone == "scroll"
        if self.figure.findobj(lambda artist: isinstance(artist, QuadMesh | AxesImage)):
            return True
        return any(grid is not None and grid.get_geometry()[1] > 1
                   for grid in (spec and spec.get_gridspec() for spec in
                                (ax.get_subplotspec() for ax in self.figure.axes)))

    def image(self) -> Image:
        """The chart at its own width, drawn once. Raises ``ValueError`` if a label in it reads "nan" or the like."""
        return self._image

    def phone_image(self) -> Image | None:
        """The chart redrawn for a phone, or None if it scrolls instead. Drawn once, the figure is as it was."""
        return self._phone_image

    @cached_property
    def _image(self) -> Image:
        return self._render()

    @cached_property
    def _phone_image(self) -> Image | None:
        if self.scrolls or self.figure.get_size_inches()[0] <= PHONE_WIDTH:
            return None
        with _narrowed(self.figure):
            return self._render()

    def png(self, path: str | Path, *, dpi: int = 160, titled: bool = True) -> None:
        """Write the chart to a PNG file, with its title above it if ``titled`` (for a README or a slide)."""
        buffer = io.BytesIO()
        with use_theme():
            self.figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
            if not titled:
                Path(path).write_bytes(buffer.getvalue())
                return
            buffer.seek(0)
            pixels = imread(buffer, format="png")
            # A sheet that is higher by a line, instead of a title in the figure, which would move what is drawn.
            width, height = pixels.shape[1] / dpi, pixels.shape[0] / dpi + 0.45
            sheet = Figure(figsize=(width, height))
            sheet.figimage(pixels, 0, 0, origin="upper")
            sheet.text(0.1 / width, 1 - 0.17 / height, self.title, va="top", fontsize=13, fontweight="bold", color=INK)
            sheet.savefig(path, dpi=dpi, format="png", metadata={"Software": None})

    def _render(self) -> Image:
        buffer = io.BytesIO()
        width, height = (round(float(inches) * _CSS_PIXELS) for inches in self.figure.get_size_inches())
        with use_theme():
            self.figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
            svg = buffer.getvalue()
            self._check_labels(svg.decode("utf-8"))
            if len(svg) <= _SVG_LIMIT:
                return Image(_tidy(svg), "svg", width, height)
            # Thousands of points make an SVG slow to load and slow to scroll.
            buffer = io.BytesIO()
            self.figure.savefig(buffer, format="png", dpi=2 * _CSS_PIXELS, metadata={"Software": None})
            return Image(buffer.getvalue(), "png", width, height)

    def _check_labels(self, svg: str) -> None:
        # Matplotlib writes every text it turns into outlines as a comment before them.
        for label in re.findall(r"<!-- (.*?) -->", svg, flags=re.DOTALL):
            if _NOT_A_NUMBER.search(label):
                raise ValueError(f"chart '{self.name}' shows a label that is not a number: '{label}'")

    def _repr_html_(self) -> str:
        image, phone = self.image(), self.phone_image()
        return environment().get_template("chart.html.j2").render(
            chart=self, image=image, source=image.data_uri(), phone=phone, small=phone.data_uri() if phone else "")


def _tidy(svg: bytes) -> bytes:
    """Without the document type, which points to an address on the web that no reader needs."""
    return re.sub(rb"<!DOCTYPE svg[^>]*>\s*", b"", svg, count=1)


@contextmanager
def _narrowed(figure: Figure) -> Iterator[None]:
    """The figure at a phone's width, with fewer ticks, legend columns that fit and wrapped labels; then as before."""
    width, height = (float(inches) for inches in figure.get_size_inches())
    undo: list[tuple[Any, str, Any]] = []

    def change(thing: Any, attribute: str, old: Any, new: Any) -> None:
        undo.append((thing, attribute, old))
        getattr(thing, attribute)(new)

    try:
        legends = [[handle for handle in legend.legend_handles if handle is not None] for legend in figure.legends]
        with use_theme():
            wide = place_legend(figure, legends[0]) if len(legends) == 1 else 0
            figure.set_size_inches(PHONE_WIDTH, height)
            if wide:
                narrow = place_legend(figure, legends[0])
                lines = [-(-len(legends[0]) // columns) for columns in (wide, narrow)]
                figure.set_size_inches(PHONE_WIDTH, height + 0.2 * (lines[1] - lines[0]))
        for ax in figure.axes:
            _fewer_ticks(ax, change)
            for text in (ax.xaxis.label, ax._left_title, ax.title):  # type: ignore[attr-defined]
                change(text, "set_wrap", text.get_wrap(), True)
        yield
    finally:
        for thing, attribute, old in reversed(undo):
            getattr(thing, attribute)(old)
        figure.set_size_inches(width, height)
        if len(figure.legends) == 1:
            with use_theme():
                place_legend(figure, [handle for handle in figure.legends[0].legend_handles if handle is not None])


def _fewer_ticks(ax: Axes, change: Any) -> None:
    locator = ax.xaxis.get_major_locator()
    if isinstance(locator, AutoLocator):
        change(ax.xaxis, "set_major_locator", locator, MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]))
