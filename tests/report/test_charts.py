"""Charts: what the helpers draw, what a chart refuses, and the files it becomes."""

from __future__ import annotations

import io
import itertools
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import QuadMesh
from PIL import Image

from agentsim.report import Chart, theme
from tests.report import sample


def rates(n: int = 4) -> pd.DataFrame:
    rate = np.linspace(0.40, 0.55, n)
    return pd.DataFrame({"name": [f"p{at}" for at in range(n)], "rate": rate, "low": rate - 0.02, "high": rate + 0.02})


def chart(figure: Any, **changes: Any) -> Chart:
    return Chart(**{"figure": figure, "name": "a-chart", "title": "A finding", "caption": "n = 3 games, seed 1.",
                    "alt": "Three dots.", **changes})


def dots() -> Any:
    figure, ax = theme.figure(rows=4)
    theme.dot_interval(ax, rates(), "name", "rate", "low", "high", reference=0.5)
    return figure


def names(ax: Any) -> list[str]:
    return [tick.get_text() for tick in ax.get_yticklabels()]


def test_the_theme_leaves_no_trace() -> None:
    before = dict(mpl.rcParams)
    with theme.use_theme():
        assert mpl.rcParams["svg.fonttype"] == "path"
        assert mpl.rcParams["font.family"] == ["DejaVu Sans"]
    dots()
    assert dict(mpl.rcParams) == before


def test_series_differ_without_colour() -> None:
    styles = [theme.series_style(at) for at in range(len(theme.PALETTE))]
    assert len({style.color for style in styles}) == len({style.marker for style in styles}) == len(styles)
    assert len({style.hatch for style in styles}) == len(styles)
    for one, other in itertools.pairwise(styles):
        assert one.linestyle != other.linestyle


def luminance(color: str) -> float:
    channels = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
                for part in mpl.colors.to_rgb(color)]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


@pytest.mark.parametrize("at", np.linspace(0, 1, 21))
@pytest.mark.parametrize("colormap", [theme.DIVERGING, theme.SEQUENTIAL])
def test_cell_text_can_be_read_on_every_colour_of_a_scale(colormap: Any, at: float) -> None:
    background = mpl.colors.to_hex(colormap(at))
    light, dark = sorted([luminance(background), luminance(theme.contrast_text(background))], reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3.9


def test_both_ends_of_the_scale_differ_in_a_print_without_colour() -> None:
    low, middle, high = (luminance(mpl.colors.to_hex(theme.DIVERGING(at))) for at in (0.0, 0.5, 1.0))
    assert middle > 2 * low
    assert low > 3 * high


def test_dots_are_sorted_with_the_largest_on_top_and_hollow_where_nothing_is_shown() -> None:
    _, ax = theme.figure(rows=4)
    theme.dot_interval(ax, rates().sample(frac=1, random_state=1), "name", "rate", "low", "high", reference=0.5)
    heights = dict(zip(names(ax), ax.get_yticks(), strict=True))
    assert [name for name, _ in sorted(heights.items(), key=lambda item: -item[1])] == ["p3", "p2", "p1", "p0"]
    hollow = {round(float(line.get_xdata()[0]), 3) for line in ax.lines
              if line.get_marker() == "o" and line.get_markerfacecolor() == theme.PAPER}
    assert hollow == {0.5}, "only the interval from 0.48 to 0.52 includes 0.5"


def test_missing_rows_are_left_out_and_an_empty_chart_is_refused() -> None:
    frame = rates()
    frame.loc[1, "rate"] = np.nan
    _, ax = theme.figure(rows=4)
    theme.dot_interval(ax, frame, "name", "rate", "low", "high")
    assert "p1" not in names(ax)
    frame["rate"] = np.nan
    with pytest.raises(ValueError, match="nothing to draw"):
        theme.dot_interval(ax, frame, "name", "rate", "low", "high")


def test_groups_share_a_row_and_a_legend() -> None:
    both = pd.concat([rates().assign(hand="4"), rates().assign(hand="5")])
    figure, ax = theme.figure(rows=8)
    theme.dot_interval(ax, both, "name", "rate", "low", "high", group="hand")
    assert len(names(ax)) == 4
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["4", "5"]


def test_a_heat_map_is_centred_on_its_neutral_value() -> None:
    matrix = pd.DataFrame([[0.5, 0.8], [0.2, np.nan]], index=["a", "b"], columns=["a", "b"])
    _, ax = theme.figure()
    theme.heatmap(ax, matrix, low=matrix - 0.01, high=matrix + 0.01)
    mesh: Any = next(artist for artist in ax.get_children() if isinstance(artist, QuadMesh))
    assert mesh.norm.vmin + mesh.norm.vmax == pytest.approx(1.0)
    texts = {text.get_text(): text for text in ax.texts}
    assert set(texts) == {"50.0", "80.0", "20.0"}, "the missing cell has no text"
    assert texts["50.0"].get_fontstyle() == "italic"
    assert texts["80.0"].get_fontstyle() == "normal"
    with pytest.raises(ValueError, match="no finite cell"):
        theme.heatmap(ax, matrix * np.nan)


def test_stacked_labels_appear_only_where_they_fit() -> None:
    table = pd.DataFrame({"long": [0.97], "short": [0.03]}, index=["row"])
    figure, ax = theme.figure(rows=2)
    theme.stacked_bar(ax, table)
    svg = chart(figure).image().data.decode()
    drawn = re.findall(r"<!-- (.*?) -->", svg)
    assert "97\u202f%" in drawn
    assert "3\u202f%" not in drawn


def test_line_bands_name_their_series_in_one_legend() -> None:
    figure, axes = theme.figure(ncols=2)
    for ax in axes:
        for at, name in enumerate(["one", "two"]):
            theme.line_band(ax, [1, 2, 3], [0.5, np.nan, 0.6], [0.4, np.nan, 0.5], [0.6, np.nan, 0.7], label=name,
                            index=at)
    assert len(figure.legends) == 1
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["one", "two"]


def test_ticks_have_the_decimals_that_tell_them_apart() -> None:
    write = theme.NumberFormatter("percent")
    assert write.format_ticks([0.5, 0.51]) == ["50\u202f%", "51\u202f%"]
    assert write.format_ticks([0.5, 0.5025]) == ["50.00\u202f%", "50.25\u202f%"]
    assert theme.NumberFormatter("int").format_ticks([0, 10_000]) == ["0", "10,000"]


def test_the_caption_names_n_seed_policies_and_interval() -> None:
    text = theme.caption(1_200_000, 600_000, seed=7, policies=["expert", "random"], interval="Wilson 95 % intervals")
    assert text == ("n = 1,200,000 games (600,000 deals), seed 7; policies: expert, random; "
                    "bars and bands: Wilson 95 % intervals.")


@pytest.mark.parametrize(
    "changes, message",
    [({"title": " "}, "no title"), ({"caption": ""}, "no caption"), ({"alt": ""}, "no alt"),
     ({"name": "../x"}, "lower-case"), ({"name": "Win Rates"}, "lower-case")],
)
def test_a_chart_without_its_words_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        chart(dots(), **changes)


def test_an_empty_chart_is_refused() -> None:
    figure, axes = theme.figure(ncols=2)
    axes[0].plot([1, 2])
    with pytest.raises(ValueError, match="nothing is drawn in panel 2"):
        chart(figure)


def test_a_label_that_reads_nan_is_refused() -> None:
    figure = dots()
    figure.axes[0].text(0.5, 1, f"{float('nan'):.1f} %")
    with pytest.raises(ValueError, match="not a number: 'nan %'"):
        chart(figure).image()


@pytest.mark.parametrize("make", [sample.matrix_chart, sample.starters_chart, sample.leads_chart, sample.ends_chart,
                                  sample.panels_chart, sample.groups_chart])
def test_images_are_small_repeatable_and_need_no_fonts(make: Any) -> None:
    one, other = make(), make.__wrapped__()
    image = one.image()
    assert image.extension == "svg"
    assert len(image.data) < 300_000
    svg = image.data.decode()
    assert "<text" not in svg, "texts are outlines"
    assert "font-family" not in svg
    assert not re.search(r'(?:href|src)="https?:', svg)
    assert image.data == other.image().data
    phone, again = one.phone_image(), other.phone_image()
    assert (phone and phone.data) == (again and again.data)


def test_a_phone_gets_a_narrower_drawing_unless_it_could_not_be_read() -> None:
    phone = sample.leads_chart().phone_image()
    assert phone is not None
    assert phone.width == round(theme.PHONE_WIDTH * 96)
    assert sample.matrix_chart().scrolls
    assert sample.panels_chart().scrolls
    assert sample.matrix_chart().phone_image() is None
    assert chart(dots(), phone="scroll").phone_image() is None


def test_drawing_for_a_phone_leaves_the_figure_as_it_was() -> None:
    made = sample.leads_chart.__wrapped__()

    def state() -> list[Any]:
        legend = made.figure.legends[0].get_window_extent()
        return [*made.figure.get_size_inches(), legend.width, legend.height,
                [(ax.xaxis.get_major_locator(), ax.xaxis.label.get_wrap()) for ax in made.figure.axes]]

    made.image()
    before = state()
    assert made.phone_image() is not None
    assert state() == before


def test_a_legend_takes_as_many_lines_as_a_phone_needs() -> None:
    made = sample.leads_chart()
    phone = made.phone_image()
    assert phone is not None
    assert phone.height > made.image().height, "four names do not fit side by side"


def test_a_picture_of_many_points_becomes_a_png() -> None:
    figure, ax = theme.figure()
    points = np.random.default_rng(1).normal(size=(8_000, 2))
    ax.plot(points[:, 0], points[:, 1], linestyle="none", marker="o")
    image = chart(figure).image()
    assert image.extension == "png"
    assert image.data.startswith(b"\x89PNG")


def test_a_png_for_a_readme_carries_the_title(tmp_path: Path) -> None:
    made = chart(dots())
    made.png(tmp_path / "plain.png", titled=False)
    made.png(tmp_path / "titled.png")
    with Image.open(tmp_path / "plain.png") as plain, Image.open(tmp_path / "titled.png") as titled:
        assert titled.width == plain.width
        assert titled.height > plain.height
        strip = np.asarray(titled.convert("L"))[: titled.height - plain.height]
    assert (strip < 100).sum() > 200, "the title is drawn above the chart"


def test_names_keep_clear_of_each_other_at_any_width() -> None:
    figure, ax = theme.figure(height=3)
    x, y = [0.50, 0.51, 0.52, 0.90, 0.10], [0.5, 0.51, 0.5, 0.9, 0.1]
    ax.errorbar(x, y, fmt="o")
    theme.name_points(ax, x, y, ["first", "second", "third", "last", ""], bars=[(0.4, 0.5, 0.6, 0.5)])
    told = [text for text in ax.texts if text.get_text()]
    assert [text.get_text() for text in told] == ["first", "second", "third", "last"]
    for width in (9.0, 3.5):
        figure.set_size_inches(width, 3)
        figure.savefig(io.BytesIO(), dpi=figure.dpi)
        frame = ax.get_window_extent()
        boxes = [text.get_window_extent() for text in told]
        assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
        assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y1 >= box.y1 for box in boxes)
        marks = ax.transData.transform(list(zip(x, y, strict=True)))
        assert not any(box.contains(*mark) for box in boxes for mark in marks)
