"""The charts of :mod:`analyses.game_shape`, from its tables."""

from __future__ import annotations

import pandas as pd
from matplotlib.ticker import MaxNLocator

from agentsim.report import Chart, theme
from analyses.common import LEVEL, caption, largest, number, percent, smallest, who

__all__ = ["ALL", "ENDS", "MIN_DEALS", "cells_of", "draw", "each", "shown", "slope"]

ALL = "all"
MIN_DEALS = 30
"""A cell of a heat map or a point of a curve is drawn from so many deals on."""

ENDS = {
    "catch": "catching the other", "codebreakers": "own set of codebreakers", "daredevils": "rival's set of daredevils",
    "out_of_cards": "out of cards", "leader_of_the_pack": "leader of the pack", "masterplan": "masterplan",
    "security_system": "security system", "division_m": "Division M",
}
"""How kinds of end are called in charts: what the winner won by."""

Tables = dict[str, pd.DataFrame]


def draw(tables: Tables) -> dict[str, Chart]:
    """The charts that the tables have data for."""
    if not len(tables["lead"]):
        return {}
    focus, baseline = shown(tables)
    charts = {"ends": _ends_chart(tables), "length": _length_chart(tables), "lengths": _lengths_chart(tables)}
    for name, matchup in (("lead", focus), ("lead_baseline", baseline)):
        if matchup and len(cells_of(tables, matchup)) > 3:
            charts[name] = _lead_chart(tables, matchup, name)
    if (tables["comebacks"]["n_deals"] >= MIN_DEALS).any():
        charts["comebacks"] = _comebacks_chart(tables)
    charts["changes"] = _changes_chart(tables)
    charts["ties"] = _ties_chart(tables)
    return charts


def shown(tables: Tables) -> tuple[str, str]:
    """The matchup of the large charts and one to compare it with ("" if there is only one)."""
    focus = str(tables["about"]["focus"].iloc[0])
    others = [name for name in tables["length"]["matchup"] if name not in (ALL, focus)]
    return focus, "random" if "random" in others else others[0] if others else ""


def each(tables: Tables, name: str) -> pd.DataFrame:
    """A table without the row over all matchups."""
    return tables[name][tables[name]["matchup"] != ALL]


def _note(tables: Tables, name: str) -> str:
    n = each(tables, name)["matchup"].nunique()
    return f"{percent(LEVEL, 0)} intervals that hold for all {n} together (Sidak)" if n > 1 else "95 % intervals"


def _selection(tables: Tables) -> list[str]:
    """At most five matchups for a chart with lines: the focus, the baseline, and those with the extreme lengths."""
    focus, baseline = shown(tables)
    length = each(tables, "length").sort_values("estimate")
    return list(dict.fromkeys(filter(None, [focus, baseline, *length["matchup"].iloc[[0, -1]],
                                            "greedy" if "greedy" in set(length["matchup"]) else ""])))[:5]


def _ends_chart(tables: Tables) -> Chart:
    ends = each(tables, "ends")
    wide = {name: ends.pivot(index="matchup", columns="end", values=name) for name in ("estimate", "low", "high")}
    order = wide["estimate"].mean().sort_values(ascending=False).index
    rows = wide["estimate"].sort_values(order[0], ascending=False).index
    named = {name: frame.loc[rows, order].rename(columns=ENDS) for name, frame in wide.items()}
    figure, ax = theme.figure(rows=len(rows) + 2)
    theme.stacked_bar(ax, named["estimate"], low=named["low"], high=named["high"], xlabel="games")
    shares = wide["estimate"][order[0]]
    top = wide["estimate"].idxmax(axis=1)
    most = top.value_counts()
    title = (f"The most common way to win is {ENDS[str(most.index[0])]}, whoever plays: {percent(shares.min(), 0)} to "
             f"{percent(shares.max(), 0)} of games" if len(most) == 1 and len(rows) > 1 else
             f"The most common way to win is {ENDS[str(most.index[0])]}: {percent(shares.max(), 0)} of games"
             if len(most) == 1 else
             f"The most common way to win is {ENDS[str(most.index[0])]} for {most.iloc[0]} of {len(rows)}, "
             f"{ENDS[str(most.index[1])]} for {most.iloc[1]}")
    return Chart(figure, "ends", title, caption(tables["about"], policies=who(rows), interval=_note(tables, "ends"),
                                                note="By what the winner won; the first that applies."),
                 f"Stacked bars of how games end for {len(rows)} matchups. {ENDS[str(order[0])].capitalize()} makes up "
                 f"{percent(shares.min(), 0)} to {percent(shares.max(), 0)}.")


def _length_chart(tables: Tables) -> Chart:
    length = each(tables, "length")
    figure, ax = theme.figure(rows=len(length))
    theme.dot_interval(ax, length, "matchup", "estimate", "low", "high", kind="number", xlabel="mean turns per game")
    low, high = smallest(length, "estimate"), largest(length, "estimate")
    title = (f"Games take {number(low['estimate'])} turns with {low['matchup']}, {number(high['estimate'])} with "
             f"{high['matchup']}" if len(length) > 1 else f"Games take {number(low['estimate'])} turns")
    return Chart(figure, "length", title, caption(tables["about"], interval=_note(tables, "length")),
                 "Mean length of a game: " + ", ".join(f"{row.matchup} {number(row.estimate)}"
                                                       for row in length.itertuples()) + " turns.")


def _lengths_chart(tables: Tables) -> Chart:
    chosen = _selection(tables)
    figure, ax = theme.figure(height=4.0)
    table = tables["lengths"]
    for at, name in enumerate(chosen):
        part = table[table["matchup"] == name].sort_values("turns")
        theme.line_band(ax, part["turns"], part["estimate"], part["low"], part["high"], label=name, index=at)
    with theme.use_theme():
        ax.set_xlabel("turns")
        ax.set_ylabel("games")
        ax.set_ylim(bottom=0)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    length = tables["length"].set_index("matchup").loc[chosen]
    shortest, longest = int(table.loc[table["num"] > 0, "turns"].min()), int(table.loc[table["num"] > 0, "turns"].max())
    return Chart(figure, "lengths", f"Every second game is over by turn {int(length['median'].iloc[0])} "
                                    f"({chosen[0]}); the shortest took {shortest}, the longest {longest}",
                 caption(tables["about"], policies=chosen,
                         n_games=int(length["den"].sum()), interval=_note(tables, "lengths")),
                 "Lines of the distribution of game length: " + ", ".join(
                     f"{name} with a median of {int(row['median'])}" for name, row in length.iterrows()) + " turns.")


def cells_of(tables: Tables, matchup: str) -> pd.DataFrame:
    table = tables["lead"]
    return table[(table["matchup"] == matchup) & (table["n_deals"] >= MIN_DEALS)]


def _lead_chart(tables: Tables, matchup: str, key: str) -> Chart:
    cells = cells_of(tables, matchup)
    wide = {name: cells.pivot(index="lead", columns="turn", values=name).sort_index(ascending=False)
            for name in ("estimate", "low", "high")}
    leads = range(int(cells["lead"].max()), int(cells["lead"].min()) - 1, -1)
    for name in wide:
        wide[name] = wide[name].reindex(index=leads)
        wide[name].index = [f"{lead:+d}".replace("-", "−") if lead else "0" for lead in leads]
    figure, ax = theme.figure(height=1.6 + 0.32 * max(len(leads), 4))
    theme.heatmap(ax, wide["estimate"], low=wide["low"], high=wide["high"], xlabel="turn",
                  ylabel="lead of the player about to offer, in spaces")
    ax.tick_params(axis="x", labelrotation=0)
    for label in ax.get_xticklabels():
        label.set_ha("center")
    early, late = slope(cells)
    title = f"{matchup}: the chance to win by lead and turn"
    if early is not None and late is not None:
        title = (f"{matchup}: a lead of {int(early['lead'])} wins {percent(early['estimate'], 0)} on turn "
                 f"{int(early['turn'])} and {percent(late['estimate'], 0)} on turn {int(late['turn'])}")
    return Chart(figure, key.replace("_", "-"), title,
                 caption(tables["about"], policies=f"{matchup} against itself" if "–" not in matchup else matchup,
                         n_games=int(cells.loc[cells["turn"] == cells["turn"].min(), "den"].sum()),
                         n_deals=int(cells.loc[cells["turn"] == cells["turn"].min(), "n_deals"].max()),
                         interval=f"simultaneous 95 % over {len(cells)} cells",
                         note=f"A cell is the share of games, in per cent, that the player about to offer wins. Grey "
                              f"italics: the interval includes 50 %. Hatched: fewer than {MIN_DEALS} deals."),
                 f"Heat map of the chance to win by lead, from {cells['lead'].min()} to {cells['lead'].max()} spaces, "
                 f"and by turn, from {cells['turn'].min()} to {cells['turn'].max()}; between "
                 f"{percent(cells['estimate'].min(), 0)} and {percent(cells['estimate'].max(), 0)}.", key=key == "lead")


def slope(cells: pd.DataFrame) -> tuple[pd.Series, pd.Series] | tuple[None, None]:
    """The same lead, three spaces if possible, at the earliest and at the latest turn that have enough deals."""
    for lead in (3, 2, 4, 1):
        rows = cells[(cells["lead"] == lead) & (cells["n_deals"] >= 5 * MIN_DEALS)].sort_values("turn")
        if len(rows) > 1:
            return rows.iloc[0], rows.iloc[-1]
    return None, None


def _comebacks_chart(tables: Tables) -> Chart:
    table = tables["comebacks"]
    table = table[table["n_deals"] >= MIN_DEALS]
    chosen = [name for name in _selection(tables) if (table["matchup"] == name).any()]
    figure, ax = theme.figure(height=4.0)
    for at, name in enumerate(chosen):
        part = table[table["matchup"] == name].sort_values("deficit")
        theme.line_band(ax, part["deficit"], part["estimate"], part["low"], part["high"], label=name, index=at)
    with theme.use_theme():
        ax.set_xlabel("was ever behind by at least, in spaces")
        ax.set_ylabel("of those games won")
        ax.set_ylim(bottom=0)
        ax.set_xticks(sorted(set(table["deficit"])))
    focus = chosen[0]
    row = table[(table["matchup"] == focus) & (table["deficit"] <= 4)].iloc[-1]
    return Chart(figure, "comebacks", f"{focus}: whoever was ever {int(row['deficit'])} spaces behind still wins "
                                      f"{percent(row['estimate'], 0)}",
                 caption(tables["about"], policies=chosen, interval="95 % intervals, simultaneous for each line",
                         n_games=int(tables["length"].set_index("matchup").loc[chosen, "den"].sum())),
                 "Lines that fall with the deficit: " + ", ".join(
                     f"{name} from {percent(part['estimate'].iloc[0], 0)} to {percent(part['estimate'].iloc[-1], 0)}"
                     for name, part in ((name, table[table["matchup"] == name]) for name in chosen)) + ".")


def _changes_chart(tables: Tables) -> Chart:
    changes = each(tables, "changes")
    figure, ax = theme.figure(rows=len(changes))
    theme.dot_interval(ax, changes, "matchup", "estimate", "low", "high", kind="number",
                       xlabel="mean number of lead changes per game")
    return Chart(figure, "lead-changes", f"The lead changes hands {number(changes['estimate'].min())} to "
                                         f"{number(changes['estimate'].max())} times a game" if len(changes) > 1 else
                 f"The lead changes hands {number(changes['estimate'].iloc[0])} times a game",
                 caption(tables["about"], interval=_note(tables, "changes"),
                         note="A lead change: the player ahead after a turn is another one than the last to be ahead."),
                 "Mean number of lead changes: " + ", ".join(f"{row.matchup} {number(row.estimate)}"
                                                            for row in changes.itertuples()) + ".")


def _ties_chart(tables: Tables) -> Chart:
    ties = each(tables, "ties")
    figure, ax = theme.figure(rows=len(ties))
    theme.dot_interval(ax, ties, "matchup", "estimate", "low", "high", xlabel="games decided by the tie rule")
    low, high = smallest(ties, "estimate"), largest(ties, "estimate")
    title = (f"The tie rule decides between {percent(low['estimate'])} ({low['matchup']}) and "
             f"{percent(high['estimate'])} ({high['matchup']}) of "
             "games" if len(ties) > 1 else f"The tie rule decides {percent(low['estimate'])} of games")
    return Chart(figure, "ties", title, caption(tables["about"], interval=_note(tables, "ties"),
                                                note="Conflicting conditions in one End step, or a level run-out."),
                 "Share of games decided by the tie rule: " + ", ".join(f"{row.matchup} {percent(row.estimate)}"
                                                                       for row in ties.itertuples()) + ".")
