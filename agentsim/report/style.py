"""The house style of all charts: colours, marks that survive a black-and-white printer, sizes, Matplotlib settings.

Colours are those of Okabe and Ito ("Color Universal Design", 2008), which stay apart under all common kinds of colour
blindness, ordered so that neighbours also differ in lightness; yellow is left out because it vanishes on white paper.
Colour is never alone: every series also has its own marker, line style and hatch.

Figures are made with ``figure`` and not through pyplot: nothing is global, nothing has to be closed, and threads do not
meet each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import Formatter

from agentsim.report import numbers

__all__ = [
    "DIVERGING",
    "FULL_WIDTH",
    "GRID",
    "INK",
    "MUTED",
    "PALETTE",
    "PAPER",
    "PHONE_WIDTH",
    "SEQUENTIAL",
    "NumberFormatter",
    "SeriesStyle",
    "contrast_text",
    "figure",
    "place_legend",
    "series_style",
    "set_axis",
    "use_theme",
]

INK = "#17222d"
MUTED = "#5a6875"
GRID = "#dfe4e8"
PAPER = "#ffffff"

BLUE, VERMILLION, GREEN, ORANGE, SKY, PURPLE = "#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#b5568c"
PALETTE = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, "#4d4d4d", "#8c6d31")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
_LINES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.6, 1.2, 1.6)), "-", (0, (5, 1.6)), "--", ":")
# Lines only: Matplotlib writes every dot of a dotted hatch as four curves, a quarter of a megabyte in all.
_HATCHES = ("", "///", "--", "\\\\\\", "xx", "||", "++", "//")

#: Below the centre vermillion, above it blue; the centre is paper. Made for rates around 50 % and differences around 0.
#: The blue end is much darker, so that a print without colour still tells one end from the other.
DIVERGING = LinearSegmentedColormap.from_list(
    "agentsim_diverging", ["#cf6a1f", "#e69a5c", "#f6d3b5", "#fbfaf8", "#b3d3e8", "#4c95c6", "#004b7a"]
)
#: From paper to blue, for shares and counts.
SEQUENTIAL = LinearSegmentedColormap.from_list("agentsim_sequential", ["#fbfaf8", "#b3d3e8", "#4c95c6", "#00406a"])

#: Inches. At 72 points an inch the full width is 902 CSS pixels, the text column of a 1280 px page; the narrow one is
#: what a phone shows at nearly its natural size.
FULL_WIDTH = 9.4
PHONE_WIDTH = 4.3
_ROW_HEIGHT = 0.30

_SETTINGS: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],  # bundled with Matplotlib, so every machine draws the same
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.labelsize": 10,
    "axes.labelcolor": MUTED,
    "axes.labelpad": 6,
    "axes.edgecolor": "#aab4bd",
    "axes.linewidth": 0.8,
    "axes.facecolor": PAPER,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.unicode_minus": True,
    "axes.prop_cycle": cycler(color=PALETTE) + cycler(marker=_MARKERS) + cycler(linestyle=_LINES),
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.major.pad": 5,
    "ytick.major.pad": 6,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "patch.linewidth": 0.6,
    "hatch.linewidth": 0.55,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "legend.handlelength": 2.4,
    "figure.facecolor": PAPER,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.06,
    "figure.constrained_layout.w_pad": 0.06,
    "figure.constrained_layout.hspace": 0.06,
    "figure.constrained_layout.wspace": 0.04,
    "savefig.facecolor": PAPER,
    "svg.fonttype": "path",  # text becomes outlines: no font is needed where the page is read
    "svg.hashsalt": "agentsim",  # the same figure gives the same bytes
}


@contextmanager
def use_theme() -> Iterator[None]:
    """Matplotlib in the house style inside the ``with`` block, as it was afterwards."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(cast(Any, _SETTINGS))
        yield


def figure(
    *,
    width: float = FULL_WIDTH,
    height: float | None = None,
    rows: int | None = None,
    nrows: int = 1,
    ncols: int = 1,
    **layout: Any,
) -> tuple[Figure, Any]:
    """A figure in the house style and its axes.

    Parameters
    ----------
    width, height : inches; ``FULL_WIDTH`` fills the text column. Without ``height`` a panel is 3.9 inches high.
    rows : instead of a height, the number of text rows a chart with one line per row has to hold.
    nrows, ncols, **layout : as for ``Figure.subplots`` (``sharex``, ``sharey``, ``width_ratios`` ...).

    Returns
    -------
    The figure, and one ``Axes`` or an array of them, as ``Figure.subplots`` returns them.
    """
    if height is None:
        height = 3.9 * nrows if rows is None else 0.95 + _ROW_HEIGHT * max(rows, 2)
    with use_theme():
        made = Figure(figsize=(width, height))
        return made, made.subplots(nrows, ncols, **layout)


@dataclass(frozen=True)
class SeriesStyle:
    """What tells one series from another: each of the four alone is enough."""

    color: str
    marker: str
    linestyle: Any
    hatch: str


def series_style(index: int) -> SeriesStyle:
    """The look of series number ``index`` (from 0); repeats after eight, which is more than one chart should hold."""
    at = index % len(PALETTE)
    return SeriesStyle(PALETTE[at], _MARKERS[at], _LINES[at], _HATCHES[at])


def contrast_text(background: str | Sequence[float]) -> str:
    """Ink or white, whichever is read more easily on ``background`` (relative luminance of WCAG 2)."""
    channels = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
                for part in to_rgb(cast(Any, background if isinstance(background, str) else tuple(background[:3])))]
    luminance = 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    return PAPER if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.06 else INK


class NumberFormatter(Formatter):
    """Axis labels written as tables write numbers: per cent for fractions, thousands separators, a real minus.

    Without ``decimals`` an axis gets as many as tell its ticks apart.
    """

    def __init__(self, kind: numbers.Kind, decimals: int | None = None) -> None:
        self.kind, self.decimals = kind, decimals

    def __call__(self, x: float, pos: int | None = None) -> str:
        return numbers.value(x, self.kind, 1 if self.decimals is None else self.decimals)

    def format_ticks(self, values: Iterable[float]) -> list[str]:
        """The texts of the ticks at ``values``."""
        ticks = [float(tick) for tick in values]
        scale = 100.0 if self.kind in ("percent", "points") else 1.0
        places = self.decimals
        if places is None:
            places = next((enough for enough in range(5)
                           if all(abs(tick * scale - round(tick * scale, enough)) < 1e-9 for tick in ticks)), 5)
        return [numbers.value(tick, self.kind, places) for tick in ticks]


def set_axis(ax: Axes, which: str, kind: numbers.Kind, decimals: int | None = None) -> None:
    """Write the ticks of the ``"x"`` or ``"y"`` axis as numbers of this kind (see ``NumberFormatter``)."""
    (ax.xaxis if which == "x" else ax.yaxis).set_major_formatter(NumberFormatter(kind, decimals))


def place_legend(made: Figure, handles: Sequence[Any], columns: int = 4) -> int:
    """The one legend of a figure, above all its panels, in place of an earlier one; names are listed once.

    ``columns`` is the most that are set side by side; fewer if they would not fit into the figure's width. Returns
    how many they are.
    """
    for old in list(made.legends):
        old.remove()
    listed = {str(handle.get_label()): handle for handle in handles}
    columns = min(len(listed), columns)
    while True:
        legend = made.legend(handles=list(listed.values()), loc="outside upper left", ncols=columns, columnspacing=1.6,
                             handletextpad=0.6, borderaxespad=0.2, labelcolor=INK)
        if columns == 1 or legend.get_window_extent().width <= 0.97 * made.bbox.width:
            return columns
        legend.remove()
        columns -= 1
