"""The page of a sweep: a curve for one parameter, a map for two, and where the best values lie."""

from __future__ import annotations

from pathlib import Path

from agentsim.report import Block, Chart, Column, Heading, Provenance, Report, Section, Table, theme, write_report
from agentsim.strategy.sweeping import Sweep

__all__ = ["report", "write"]


def report(found: Sweep, command: str) -> Report:
    """The page."""
    names = [each.parameter.name for each in found.varied]
    points = found.points
    best = points.iloc[int(points["score"].to_numpy().argmax())]
    rivals = int(points["as_good"].sum()) - 1
    where = ", ".join(f"{name} = {best[name]:g}" for name in names)
    title = f"{found.base.label} scores most with {where}: {100 * best['score']:.1f} %" + (
        f", and {rivals} more points cannot be told from it" if rivals else "")
    deals = int(points["n_deals"].iloc[0])
    caption = theme.caption(
        found.n_games, deals, seed=found.seed, policies=[found.base.label, *(one.ref.label for one in found.field)],
        interval=f"simultaneous 95 % intervals over {len(points)} points", note="All points play the same deals.")
    figure, ax = theme.figure(height=4.0 if len(names) == 1 else 1.8 + 0.4 * len(found.varied[0].values))
    if len(names) == 1:
        name = names[0]
        theme.line_band(ax, points[name], points["score"], points["low"], points["high"], kind="percent", index=0)
        with theme.use_theme():
            ax.axvline(found.base.params[name], color=theme.MUTED, linewidth=1, linestyle=":")
            ax.set_xlabel(f"{name} (dotted: {found.base.label})")
            ax.set_ylabel("score over the field")
    else:
        a, b = names
        score, low, high = (points.pivot(index=a, columns=b, values=value) for value in ("score", "low", "high"))
        for table in (score, low, high):
            table.index, table.columns = [f"{value:g}" for value in table.index], [f"{v:g}" for v in table.columns]
        theme.heatmap(ax, score, low=low, high=high, xlabel=b, ylabel=a)
    told = "; ".join(", ".join(f"{name} {row[name]:g}" for name in names) + f": {100 * row['score']:.1f} %"
                     for row in points.head(24).to_dict("records"))
    blocks: list[Block] = [Chart(figure, "sweep", title, caption, f"Scores: {told}.")]
    values = {name: Column(name, "number", bar=False) for name in names}
    blocks += [Heading("All numbers", "numbers"), Table(points, "points", "Every point", {
        **values, "score": Column("score", "percent", "low", "high"),
        "difference": Column("from the base", "points", "difference_low", "difference_high", reference=0.0),
        "as_good": Column("among the best"), "n_games": Column("games", "int")}, rows=100,
        note="Differences are paired by deal; intervals hold together over all points (Sidak). Among the best: the "
             "interval of the difference from the best point holds 0.")]
    if len(found.field) > 1:
        blocks.append(Table(found.by_opponent, "opponents", "By opponent", {
            **values, "opponent": Column("against"), "score": Column("score", "percent", "low", "high"),
            "n_games": Column("games", "int")}, rows=60))
    section = Section("sweep-result", "Sweep", f"What does {' and '.join(names)} do to {found.base.label}?", blocks,
                      lead=f"{title}.")
    return Report(f"Sweep of {found.base.label}", [], [section], summary=f"{title}.",
                  provenance=Provenance(command, found.seed, {"games": found.n_games, "deals": deals}))


def write(found: Sweep, out: Path, command: str) -> Path:
    """Write the page; returns its path."""
    return write_report(report(found, command), out)
