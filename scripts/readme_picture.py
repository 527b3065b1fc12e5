"""Take the README's picture from a finished report: ``python scripts/readme_picture.py [REPORTS [PICTURE]]``.

The first page with its first three findings and the win-rate matrix, at the width of a desktop page, in a palette of
256 colours, which is a quarter of the size and looks the same. Needs Chromium.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image

from agentsim.report.browser import Browser, page_url

ROOT = Path(__file__).resolve().parent.parent
WIDTH, MOST_BYTES = 1280, 400_000

# What stays on the page, and where it ends.
_TRIM = """
(() => {
  document.querySelectorAll(".findings > *").forEach((finding, at) => { if (at > 2) finding.remove(); });
  document.querySelectorAll("#chart-strength").forEach((chart) => chart.remove());
  return Math.ceil(document.querySelector("#chart-win-rates").getBoundingClientRect().bottom + window.scrollY) + 6;
})()
"""


def take(reports: Path, picture: Path) -> None:
    """Photograph ``reports/index.html`` into the PNG file ``picture``."""
    with Browser() as browser:
        browser.resize(WIDTH, 900)
        browser.open(page_url(reports / "index.html"))
        height = int(browser.evaluate(_TRIM))
        browser.resize(WIDTH, height)  # the navigation is as high as the window
        height = int(browser.evaluate(_TRIM))
        shot = browser.screenshot((0, 0, WIDTH, height))
    image = Image.open(io.BytesIO(shot)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    picture.parent.mkdir(parents=True, exist_ok=True)
    image.save(picture, optimize=True)
    size = picture.stat().st_size
    print(f"{picture}: {image.width} x {image.height}, {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"more than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    usual = [ROOT / "reports", ROOT / "docs" / "img" / "report.png"]
    take(*(Path(given) if given else other for given, other in zip((*sys.argv[1:3], "", ""), usual, strict=False)))
