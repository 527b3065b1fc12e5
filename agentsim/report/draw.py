"""The chart forms that the report is made of: dots with intervals, heat maps, lines with bands, stacked bars.

Every helper draws tables as the analyses make them (rates as fractions), shows the interval beside the estimate, and
stays readable without colour. Figures redraw well at another width, because nothing is placed by hand: a chart is
drawn once for a desktop page and once more, narrower, for a phone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Text
from matplotlib.transforms import blended_transform_factory

from agentsim.report import numbers
from agentsim.report.style import (
    DIVERGING,
    GRID,
    INK,
    MUTED,
    PAPER,
    SEQUENTIAL,
    contrast_text,
    place_legend,
    series_style,
    set_axis,
    use_theme,
)

__all__ = ["caption", "dot_interval", "heatmap", "line_band", "stacked_bar"]


def dot_interval(
    ax: Axes,
    table: pd.DataFrame,
    label: str,
    estimate: str,
    low: str,
    high: str,
    *,
    reference: float | None = None,
    kind: numbers.Kind = "percent",
    group: str | None = None,
    sort: bool = True,
    values: bool = True,
    xlabel: str = "",
    legend: bool = True,
) -> None:
    """A horizontal dot-and-interval chart, one row per ``label``, the largest estimate on top.

    Parameters
    ----------
    label, estimate, low, high : columns of ``table``: the name of a row, its estimate and the interval's bounds.
    reference : the value that would mean "no effect" (0.5 for a rate, 0 for a difference). A dot is filled when its
        interval excludes it and hollow when it does not; the legend says so.
    kind : how numbers are written (``numbers.Kind``); rates and differences are fractions.
    group : a column that splits every row into several series, drawn one under the other.
    sort : by the estimate (of the first group); False keeps the table's order, first row on top.
    values : write the estimates at the right edge (only without ``group``).

    Rows without an estimate are left out. Raises ``ValueError`` if nothing is left.
    """
    data = table.loc[table[estimate].notna()]
    if data.empty:
        raise ValueError(f"nothing to draw: no row has a value in column '{estimate}'")
    series = [None] if group is None else list(dict.fromkeys(data[group]))
    first = data if group is None else data.loc[data[group] == series[0]]
    ordered = first.sort_values(estimate, ascending=False, kind="stable") if sort else first
    names = list(dict.fromkeys([*ordered[label], *data[label]]))
    height = {name: len(names) - 1 - at for at, name in enumerate(names)}
    decimals = numbers.decimals_for(kind, ((data[high] - data[low]) / 2).dropna(), data[estimate])
    with use_theme():
        for at, member in enumerate(series):
            part = data if group is None else data.loc[data[group] == member]
            shift = 0.0 if len(series) == 1 else (0.5 - (at + 0.5) / len(series)) * 0.66
            _dots(ax, part, [height[name] + shift for name in part[label]], estimate, low, high, reference, at)
        if reference is not None:
            ax.axvline(reference, color=INK, linewidth=1.0, zorder=1.5)
        if values and group is None:
            beside = blended_transform_factory(ax.transAxes, ax.transData)
            for name, number in zip(data[label], data[estimate], strict=True):
                ax.text(1.012, height[name], numbers.value(number, kind, decimals), transform=beside,
                        va="center_baseline", ha="left", fontsize=9.5, color=INK)
        ax.set_yticks(list(height.values()), [str(name) for name in height])
        ax.tick_params(axis="y", labelcolor=INK)
        ax.set_ylim(-0.6, len(names) - 0.4)
        ax.grid(visible=False, axis="y")
        ax.spines["left"].set_visible(False)
        set_axis(ax, "x", kind)
        ax.margins(x=0.04)
        if xlabel:
            ax.set_xlabel(xlabel)
        if legend:
            _legend(ax, _dot_legend(series, group, reference, kind))


def _dots(ax: Axes, part: pd.DataFrame, heights: Sequence[float], estimate: str, low: str, high: str,
          reference: float | None, index: int) -> None:
    style = series_style(index)
    for (_, row), y in zip(part.iterrows(), heights, strict=True):
        clear = reference is None or not row[low] <= reference <= row[high]
        ax.plot([row[low], row[high]], [y, y], color=style.color, linewidth=2.2, solid_capstyle="butt", marker="|",
                markersize=7, markeredgewidth=1.4, linestyle="-", zorder=2)
        ax.plot([row[estimate]], [y], marker=style.marker, markersize=6.5, color=style.color, linestyle="none",
                markerfacecolor=style.color if clear else PAPER, markeredgewidth=1.5, zorder=3)


def _dot_legend(series: Sequence[Any], group: str | None, reference: float | None, kind: numbers.Kind) -> list[Any]:
    handles: list[Any] = []
    if group is not None:
        for at, member in enumerate(series):
            style = series_style(at)
            handles.append(Line2D([], [], color=style.color, marker=style.marker, markersize=6, label=str(member)))
    if reference is not None:
        at_reference = numbers.value(reference, kind, 0)
        look: dict[str, Any] = {"color": MUTED, "linestyle": "none", "marker": "o", "markersize": 6}
        handles.append(Line2D([], [], markerfacecolor=MUTED, label=f"interval excludes {at_reference}", **look))
        handles.append(Line2D([], [], markerfacecolor=PAPER, label=f"interval includes {at_reference}", **look))
    return handles


def heatmap(
    ax: Axes,
    matrix: pd.DataFrame,
    *,
    low: pd.DataFrame | None = None,
    high: pd.DataFrame | None = None,
    centre: float | None = 0.5,
    span: float | None = None,
    kind: numbers.Kind = "percent",
    decimals: int | None = None,
    xlabel: str = "",
    ylabel: str = "",
    colorbar: bool = True,
) -> None:
    """A matrix as coloured cells with their numbers written in.

    Parameters
    ----------
    matrix : rows from top to bottom, columns from left to right, in the order given; missing cells are hatched grey.
    low, high : bounds of the cells' intervals, same labels. A cell whose interval includes ``centre`` is written in
        grey italics: there is nothing to see there.
    centre : the value of the neutral colour, paper (0.5 for win rates, 0 for differences); None for a scale that
        starts at 0 and has no neutral middle.
    span : the distance from the centre at which colours are strongest; by default the largest in the matrix.
    decimals : of the cell texts; by default as the intervals allow, at most 1.
    """
    cells = matrix.to_numpy(dtype=float)
    if not np.isfinite(cells).any():
        raise ValueError("nothing to draw: the matrix has no finite cell")
    rows, columns = cells.shape
    middle = 0.0 if centre is None else centre
    reach = span or float(np.nanmax(np.abs(cells - middle))) or 1.0
    lower = middle - reach if centre is not None else 0.0
    bounds = None
    if low is not None and high is not None:
        bounds = (low.to_numpy(dtype=float), high.to_numpy(dtype=float))
    if decimals is None:
        widths = [] if bounds is None else ((bounds[1] - bounds[0])[np.isfinite(bounds[1] - bounds[0])] / 2).tolist()
        decimals = min(numbers.decimals_for(kind, widths), 1)
    with use_theme():
        mesh = ax.pcolormesh(np.ma.masked_invalid(cells), cmap=DIVERGING if centre is not None else SEQUENTIAL,
                             vmin=lower, vmax=middle + reach, edgecolors=PAPER, linewidth=1.5)
        size = float(np.clip(150 / max(columns, 1), 7.0, 10.0))
        for row in range(rows):
            for column in range(columns):
                here = (row, column)
                sure = bounds is None or centre is None or not bounds[0][here] <= centre <= bounds[1][here]
                _cell(ax, mesh, here, float(cells[here]), numbers.value(cells[here], kind, decimals, unit=False),
                      sure=sure, size=size)
        ax.set_xticks(np.arange(columns) + 0.5, [str(name) for name in matrix.columns], rotation=40, ha="left",
                      rotation_mode="anchor")
        ax.set_yticks(np.arange(rows) + 0.5, [str(name) for name in matrix.index])
        ax.tick_params(labelcolor=INK, labelsize=9.5)
        ax.xaxis.tick_top()
        ax.xaxis.set_label_position("top")
        ax.invert_yaxis()
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
        ax.set_xlabel(xlabel)
        ax.set_ylabel(ylabel)
        if colorbar and ax.figure is not None:
            bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.6, aspect=28, pad=0.015)
            bar.outline.set_visible(False)
            bar.ax.tick_params(labelsize=9)
            bar.ax.grid(visible=False)
            set_axis(bar.ax, "y", kind)


def _cell(ax: Axes, mesh: QuadMesh, here: tuple[int, int], cell: float, text: str, *, sure: bool, size: float) -> None:
    row, column = here
    if not np.isfinite(cell):
        ax.add_patch(Rectangle((column, row), 1, 1, facecolor="#f0f2f4", edgecolor=GRID, hatch="//", linewidth=0))
        return
    color = contrast_text(to_hex(mesh.cmap(np.asarray(mesh.norm(np.array(cell))).item())))
    if not sure:
        color = MUTED if color == INK else color
    ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=size, color=color,
            fontstyle="normal" if sure else "italic")


def line_band(
    ax: Axes,
    x: Any,
    y: Any,
    low: Any,
    high: Any,
    *,
    label: str = "",
    index: int = 0,
    kind: numbers.Kind = "percent",
    reference: float | None = None,
) -> None:
    """A line through estimates with a band for their intervals; gaps where an estimate is missing.

    ``x, y, low, high`` are equally long; ``index`` picks colour, marker and line style of the series and ``label`` its
    name in the legend, which appears above the chart once a series has a name. ``reference`` draws a level line.
    """
    xs, ys, lows, highs = (np.asarray(values, dtype=float) for values in (x, y, low, high))
    if not np.isfinite(ys).any():
        raise ValueError(f"nothing to draw: series '{label or index}' has no finite value")
    style = series_style(index)
    with use_theme():
        ax.fill_between(xs, lows, highs, color=style.color, alpha=0.18, linewidth=0, zorder=1.8)
        for bound in (lows, highs):
            ax.plot(xs, bound, color=style.color, linewidth=0.6, alpha=0.55, marker="", linestyle="-", zorder=1.9)
        ax.plot(xs, ys, color=style.color, linestyle=style.linestyle, marker=style.marker, markersize=5,
                markevery=max(1, len(xs) // 16), markeredgecolor=PAPER, markeredgewidth=0.6, zorder=3)
        if reference is not None:
            ax.axhline(reference, color=INK, linewidth=1.0, zorder=1.5)
        set_axis(ax, "y", kind)
        if label:
            _legend(ax, [Line2D([], [], color=style.color, linestyle=style.linestyle, marker=style.marker,
                                markersize=5, label=label)])


def stacked_bar(
    ax: Axes,
    table: pd.DataFrame,
    *,
    low: pd.DataFrame | None = None,
    high: pd.DataFrame | None = None,
    kind: numbers.Kind = "percent",
    xlabel: str = "",
) -> None:
    """Horizontal stacked bars: one bar per row of ``table`` (first on top), one part per column, labelled directly.

    A number is written into its part where it fits at the size drawn. ``low, high`` (same labels) are the bounds of
    the parts' intervals: the whisker at the right end of a part is the interval of that part's size.
    """
    cells = table.to_numpy(dtype=float)
    if not np.nansum(np.abs(cells)) > 0:
        raise ValueError("nothing to draw: all parts of the bars are empty")
    cells = np.nan_to_num(cells)
    positions = np.arange(len(table))[::-1]
    left = np.zeros(len(table))
    handles = []
    with use_theme():
        for at, part in enumerate(table.columns):
            style, sizes = series_style(at), cells[:, at]
            look: dict[str, Any] = {"facecolor": style.color, "edgecolor": PAPER, "hatch": style.hatch}
            ax.barh(positions, sizes, left=left, height=0.72, linewidth=0.8, zorder=2, **look)
            handles.append(Patch(label=str(part), **look))
            for y, start, size in zip(positions, left, sizes, strict=True):
                ax.add_artist(_FittingText(float(start), float(start + size), float(y),
                                           numbers.value(size, kind, 0), style.color))
            left = left + sizes
            if low is not None and high is not None:
                ends = np.nan_to_num(np.array([sizes - low.to_numpy(dtype=float)[:, at],
                                               high.to_numpy(dtype=float)[:, at] - sizes]))
                ax.errorbar(left, positions, xerr=np.clip(ends, 0, None), fmt="none", ecolor=INK, elinewidth=1.1,
                            capsize=2.5, zorder=4)
        ax.set_yticks(positions, [str(name) for name in table.index])
        ax.tick_params(axis="y", labelcolor=INK)
        ax.grid(visible=False, axis="y")
        ax.spines["left"].set_visible(False)
        ax.set_ylim(-0.6, len(table) - 0.4)
        ax.set_xlim(0, float(left.max()) * (1.0 if kind == "percent" else 1.02))
        set_axis(ax, "x", kind)
        if xlabel:
            ax.set_xlabel(xlabel)
        _legend(ax, handles)


class _FittingText(Text):
    """A label inside a part of a bar, drawn only if the part is wide enough for it at the size of this drawing."""

    def __init__(self, start: float, end: float, y: float, text: str, background: str) -> None:
        super().__init__((start + end) / 2, y, text, ha="center", va="center", fontsize=9,
                         color=contrast_text(background), zorder=5)
        self._ends = (start, end)
        # A plain patch under the text keeps hatching out of the digits.
        self.set_bbox({"facecolor": background, "edgecolor": "none", "pad": 1.2})
        self.set_in_layout(False)

    def draw(self, renderer: Any) -> None:
        if self.axes is None:
            return
        to_pixels = self.axes.transData
        room = to_pixels.transform((self._ends[1], 0))[0] - to_pixels.transform((self._ends[0], 0))[0]
        if self.get_window_extent(renderer).width + 4 <= room:
            super().draw(renderer)


def caption(
    n_games: int,
    n_deals: int | None = None,
    *,
    seed: int,
    policies: str | Sequence[str] = (),
    interval: str = "95 % intervals",
    note: str = "",
) -> str:
    """The line under a chart: how many games, which seed, who played, what the bars are.

    ``interval`` names what the whiskers and bands show ("simultaneous 95 % intervals over 120 pairs").
    """
    size = f"n = {numbers.count(n_games)} games"
    if n_deals is not None:
        size += f" ({numbers.count(n_deals)} deals)"
    parts = [f"{size}, seed {seed}"]
    if policies:
        names = policies if isinstance(policies, str) else ", ".join(policies)
        plural = isinstance(policies, str) or len(policies) > 1
        parts.append(f"{'policies' if plural else 'policy'}: {names}")
    parts.append(f"bars and bands: {interval}")
    return f"{'; '.join(parts)}. {note}".strip()


def _legend(ax: Axes, handles: Sequence[Any]) -> None:
    """Add to the figure's legend; series drawn later join those drawn before."""
    made = ax.get_figure(root=True)
    if made is None or not handles:
        return
    known = [handle for legend in made.legends for handle in legend.legend_handles]
    place_legend(made, [*known, *handles])
