"""All that a chart needs, under one name: ``from agentsim.report import theme``.

>>> import pandas as pd
>>> from agentsim.report import theme
>>> rates = pd.DataFrame({"policy": ["a", "b"], "rate": [0.61, 0.49], "low": [0.60, 0.48], "high": [0.62, 0.50]})
>>> fig, ax = theme.figure(rows=2)
>>> theme.dot_interval(ax, rates, "policy", "rate", "low", "high", reference=0.5, xlabel="games won")
>>> [tick.get_text() for tick in ax.get_yticklabels()]
['a', 'b']
"""

from __future__ import annotations

from agentsim.report.draw import caption, dot_interval, heatmap, line_band, stacked_bar
from agentsim.report.labels import name_points
from agentsim.report.style import (
    DIVERGING,
    FULL_WIDTH,
    GRID,
    INK,
    MUTED,
    PALETTE,
    PAPER,
    PHONE_WIDTH,
    SEQUENTIAL,
    NumberFormatter,
    SeriesStyle,
    contrast_text,
    figure,
    series_style,
    set_axis,
    use_theme,
)

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
    "caption",
    "contrast_text",
    "dot_interval",
    "figure",
    "heatmap",
    "line_band",
    "name_points",
    "series_style",
    "set_axis",
    "stacked_bar",
    "use_theme",
]
