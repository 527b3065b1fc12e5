"""Names beside the points of a scatter chart, placed when it is drawn, so that they do not lie on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from agentsim.report.style import INK, use_theme

__all__ = ["name_points"]

_PLACES = ((6, 5, "left"), (-6, 5, "right"), (6, -5, "left"), (-6, -5, "right"), (0, 9, "center"), (0, -9, "center"),
           (6, 16, "left"), (-6, 16, "right"), (6, -16, "left"), (-6, -16, "right"), (0, 20, "center"),
           (0, -20, "center"))
"""Offsets from the point in typographic points, the most natural one first; above it text stands on the offset."""
_MARK = 4
"""Half the size of a point's mark, kept free of names."""


class _Name(Annotation):
    """A name that takes the first of the places which is free when it is drawn, or the least bad one.

    Worst is to leave the chart, then to lie on a mark or another name, then on the bar of an interval.
    """

    def __init__(self, text: str, point: tuple[float, float], earlier: Sequence[_Name],
                 marks: Sequence[tuple[float, float]], bars: Sequence[tuple[float, float, float, float]]) -> None:
        super().__init__(text, point, xytext=(0, 0), textcoords="offset points", fontsize=9, color=INK)
        self._earlier, self._marks, self._bars = list(earlier), list(marks), list(bars)
        self.taken: Bbox | None = None

    def draw(self, renderer: Any) -> None:
        axes = self.axes
        if axes is None:
            return
        frame = axes.get_window_extent(renderer)
        points = axes.transData.transform(self._marks)
        busy = [Bbox.from_extents(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in points]
        busy += [one.taken for one in self._earlier if one.taken is not None]
        ends = [axes.transData.transform([(x0, y0), (x1, y1)]) for x0, y0, x1, y1 in self._bars]
        thin = [Bbox.from_extents(*low, *high).padded(1) for low, high in ends]
        tried = []
        for at, (x, y, side) in enumerate(_PLACES):
            box = self._at(x, y, side, renderer)
            outside = not (frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1)
            cost = 100 * outside + 10 * sum(box.overlaps(other) for other in busy)
            tried.append((cost + sum(box.overlaps(bar) for bar in thin), at))
            if tried[-1][0] == 0:
                break
        self.taken = self._at(*_PLACES[min(tried)[1]], renderer)
        super().draw(renderer)

    def _at(self, x: float, y: float, side: str, renderer: Any) -> Bbox:
        self.xyann = (x, y)
        self.set_horizontalalignment(side)  # type: ignore[arg-type]
        self.set_verticalalignment("bottom" if y > 0 else "top")
        return self.get_window_extent(renderer)


def name_points(ax: Axes, x: Sequence[float], y: Sequence[float], names: Sequence[str], *,
                bars: Sequence[tuple[float, float, float, float]] = ()) -> None:
    """Write a name beside each point that has one; an empty name leaves the point bare, and free of other names.

    Names that come first have the first choice of places. ``bars``: what else is drawn there, such as the lines of
    intervals, as ``(x0, y0, x1, y1)`` in the chart's units; names keep clear of them where they can.
    """
    marks = list(zip(map(float, x), map(float, y), strict=True))
    made: list[_Name] = []
    with use_theme():
        for name, point in zip(names, marks, strict=True):
            if name:
                made.append(_Name(name, point, made, marks, bars))
                ax.add_artist(made[-1])
