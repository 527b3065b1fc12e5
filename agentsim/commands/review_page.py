"""The page of ``agentsim review``: one file that needs nothing else, readable on a phone and on paper."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Row", "review_page"]

_STYLE = """\
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1rem; background: #f6f5f1; color: #17222d;
       font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; }
h1, h2 { font-family: Palatino, Georgia, "DejaVu Serif", serif; line-height: 1.2; }
h2 { margin-top: 2.2rem; font-size: 1.35rem; }
.card { background: #fff; border: 1px solid #dddbd3; border-radius: 10px; padding: .4rem 1rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; border-bottom: 2px solid #17222d; font-size: .85rem; }
th, td { padding: .4rem .9rem .4rem .4rem; vertical-align: top; }
tr + tr td { border-top: 1px solid #ecebe5; }
.number { text-align: right; white-space: nowrap; }
.between { color: #55626e; font-size: .88em; }
.bar { height: 5px; margin-top: .25rem; margin-left: auto; background: #0072b2; border-radius: 2px; }
.bad td { background: #fdf0e7; }
.note, .best { color: #55626e; }
.note { font-size: .88rem; }
@media print { body { background: #fff; padding: 0; font-size: 12px; } .card { border: 0; padding: 0; } }
"""


@dataclass(frozen=True)
class Row:
    """A decision as it is shown. ``cost`` in points; ``certain``: its interval lies above 0; empty ``better``: best."""

    turn: int
    who: str
    played: str
    chance: str
    cost: float
    between: str
    better: str
    certain: bool


def review_page(title: str, summary: Sequence[str], dearest: Sequence[Row], rows: Sequence[Row], note: str) -> str:
    """The page: what it cost in all, the dearest decisions, all decisions in order."""
    parts = [f"<h1>{html.escape(title)}</h1>", *(f"<p>{html.escape(line)}</p>" for line in summary)]
    if dearest:
        parts += ["<h2>The dearest decisions</h2>", _table(dearest)]
    parts += ["<h2>All decisions</h2>", _table(rows), f'<p class="note">{html.escape(note)}</p>']
    body = "\n".join(parts)
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>' + html.escape(title) + "</title>\n"
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<style>\n{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n")


def _table(rows: Sequence[Row]) -> str:
    head = "".join(f"<th{kind}>{name}</th>" for name, kind in (
        ("turn", ""), ("seat", ""), ("played", ""), ("chance", ' class="number"'), ("cost, points", ' class="number"'),
        ("the best", "")))
    most = max((row.cost for row in rows), default=0.0)
    return (f'<div class="card"><table><thead><tr>{head}</tr></thead><tbody>\n'
            + "\n".join(_row(row, most) for row in rows) + "\n</tbody></table></div>")


def _row(row: Row, most: float) -> str:
    bar = f'<div class="bar" style="width:{100 * row.cost / most:.0f}%"></div>' if row.cost > 0 and most > 0 else ""
    cost = ("" if not row.better else
            f'{row.cost:.1f} <span class="between">[{html.escape(row.between)}]</span>{bar}')
    best = html.escape(row.better) if row.better else '<span class="best">played</span>'
    mark = ' class="bad"' if row.certain else ""
    return (f'<tr{mark}><td>{row.turn}</td><td>{html.escape(row.who)}</td>'
            f'<td>{html.escape(row.played)}</td><td class="number">{html.escape(row.chance)}</td>'
            f'<td class="number">{cost}</td><td>{best}</td></tr>')
