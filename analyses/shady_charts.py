"""The charts and tables of the page on Shady Agents."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agentsim.report import Chart, Column, Table, theme
from analyses.common import clear, largest, percent, points, rows_of, smallest, who
from analyses.shady_trials import BASE, SOME_SIZES

__all__ = ["displays", "draw"]

Tables = dict[str, pd.DataFrame]
MAIN = "bayes"


def draw(found: Tables) -> dict[str, Chart]:
    """The charts ``balance, calls, seats, talk, tools, reliability, presets``."""
    return {"balance": _balance(found), "calls": _calls(found), "seats": _seats(found), "talk": _talk(found),
            "tools": _tools(found), "reliability": _reliability(found), "presets": _presets(found)}


def _caption(found: Tables, table: pd.DataFrame, note: str, policies: str = "", n_games: int | None = None) -> str:
    facts = found["about"].iloc[0]
    named = policies or who(dict.fromkeys(table["policy"]))
    return theme.caption(int(table["n_games"].sum()) if n_games is None else n_games, int(table["n_deals"].max()),
                         seed=int(facts["seed"]), policies=named, note=note,
                         interval=f"simultaneous 95 % intervals over {int(table['family_size'].iloc[0])} numbers")


def _lines(ax: Any, table: pd.DataFrame, x: str, group: str) -> None:
    for at, (name, part) in enumerate(table.groupby(group, sort=False)):
        theme.line_band(ax, part[x], part["estimate"], part["low"], part["high"], label=str(name), index=at)


def _players(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(row=[f"{players} players" for players in table["players"]])


def _balance(found: Tables) -> Chart:
    table = found["balance"]
    table = table[table["metric"] == "size_smaller"]
    table = table.assign(row=[f"{row.players} players, {'with' if row.rules == BASE else 'without'} the bonus"
                              for row in rows_of(table)]).sort_values(["players", "rules"], kind="stable")
    figure, ax = theme.figure(rows=2 * table["row"].nunique() + 2)
    theme.dot_interval(ax, table, "row", "estimate", "low", "high", reference=0.5, group="policy", sort=False,
                       xlabel="win share of the smaller side")
    with_bonus = table[table["rules"] == BASE]
    holds = [row for _, row in with_bonus.iterrows() if not clear(row, 0.5)]
    low, high = smallest(with_bonus, "estimate"), largest(with_bonus, "estimate")
    title = (f"With the bonus the smaller side wins {percent(low['estimate'])} ({low['policy']}, "
             f"{int(low['players'])} players) to {percent(high['estimate'])} ({high['policy']}, "
             f"{int(high['players'])}); "
             f"{len(holds) or 'none'} of {len(with_bonus)} intervals {'hold' if len(holds) > 1 else 'holds'} 50 %")
    return Chart(figure, "shady-balance", title, _caption(found, table, "Mirrors; all rules on the same deals."),
                 "Win share of the smaller side with the bonus: " + "; ".join(
                     f"{row.players} players {percent(row.estimate)} ({row.policy})"
                     for row in rows_of(with_bonus)) + ".", key=True)


def _calls(found: Tables) -> Chart:
    table = _players(found["calls"])
    table = table.assign(row=[f"{row.who} of {row.players}" for row in rows_of(table)])
    figure, ax = theme.figure(rows=2 * table["row"].nunique())
    theme.dot_interval(ax, table, "row", "estimate", "low", "high", reference=0.0, kind="points", group="policy",
                       sort=False, xlabel="change of the caller's win share, in percentage points")
    first = table[(table["who"] == "first") & (table["policy"] == MAIN)]
    paid = table[(table["who"] != "first") & (table["policy"] == MAIN)]
    title = (f"Calling for free changes the first player's win share by {points(first['estimate'].min())} to "
             f"{points(first['estimate'].max())}, paying for it by {points(paid['estimate'].min())} to "
             f"{points(paid['estimate'].max())} ({MAIN})")
    return Chart(figure, "shady-calls", title, _caption(
        found, table, "Forks: calling an interrogation minus giving a tool. n counts both continuations."),
        "Effect of calling: " + "; ".join(f"{row.row} {points(row.estimate)} ({row.policy})"
                                          for row in rows_of(table[table["policy"] == MAIN])) + ".", key=True)


def _seats(found: Tables) -> Chart:
    table = found["seats"]
    table = table.assign(row=[f"seat {row.seat} of {row.players}" for row in rows_of(table)])
    figure, ax = theme.figure(rows=table["row"].nunique() + 14)
    theme.dot_interval(ax, table, "row", "estimate", "low", "high", reference=0.0, kind="points", group="policy",
                       sort=False, xlabel="ahead of the mean of the other seats, in percentage points")
    moved = table[(table["low"] > 0) | (table["high"] < 0)]
    top = largest(moved if len(moved) else table, "estimate", size=True)
    title = (f"Seat {int(top['seat'])} of {int(top['players'])} is furthest from the others: {points(top['estimate'])} "
             f"({top['policy']}); {len(moved)} of {len(table)} seats are clearly off" if len(moved) else
             "No seat is clearly ahead or behind")
    return Chart(figure, "shady-seats", title, _caption(found, table, "Mirrors."),
                 "Seats that are clearly off: " + ("; ".join(
                     f"{row.row} {points(row.estimate)} ({row.policy})" for row in rows_of(moved.head(12)))
                     or "none") + ".")


def _talk(found: Tables) -> Chart:
    table = found["talk"]
    names = {"size_smaller": "smaller side", "draws": "draws"}
    table = table.assign(line=[f"{names[row.metric]}, {row.players} players" for row in rows_of(table)])
    figure, axes = theme.figure(nrows=2, height=7.6)
    for ax, (key, part) in zip(axes, table.groupby("key", sort=False), strict=True):
        _lines(ax, part, "value", "line")
        ax.set_xlabel({"talk.verifiable": "probability that a listener can verify a statement",
                       "talk.misread": "probability that a verdict is the wrong one"}[str(key)])
        ax.set_ylabel("share of games")
    curve = table[(table["key"] == "talk.verifiable") & (table["metric"] == "size_smaller")]
    curve = curve[curve["players"] == curve["players"].min()]
    low, high = curve.iloc[0], curve.iloc[-1]
    players = int(low["players"])
    title = (f"The smaller of {players} wins {percent(low['estimate'])} if nothing can be verified, "
             f"{percent(high['estimate'])} if everything can")
    return Chart(figure, "shady-talk", title, _caption(found, table, "Mirrors.", policies=MAIN),
                 "Smaller side by verifiability: " + "; ".join(f"{row.value:g} {percent(row.estimate)}"
                                                               for row in rows_of(curve)) + ".")


def _tools(found: Tables) -> Chart:
    table = found["tools"]
    figure, axes = theme.figure(nrows=2, height=7.2)
    for ax, (tool, part) in zip(axes, table.groupby("tool", sort=False), strict=True):
        _lines(ax, part, "players", "policy")
        ax.set_xlabel("players")
        ax.set_ylabel(str(tool))
    mine = table[(table["policy"] == MAIN) & (table["tool"] == "medkits to enemies")]
    few, many = mine.iloc[0], mine.iloc[-1]
    title = (f"{MAIN} gives {percent(few['estimate'])} of its medkits to enemies at {int(few['players'])} players, "
             f"{percent(many['estimate'])} at {int(many['players'])}")
    return Chart(figure, "shady-tools", title, _caption(found, table, "Mirrors. Shares of all tools of the kind."),
                 "Medkits to enemies: " + "; ".join(f"{row.players} players {percent(row.estimate)}"
                                                    for row in rows_of(mine)) + f" ({MAIN}).")


def _reliability(found: Tables) -> Chart:
    table = found["reliability"]
    kinds = {"tested": "tested, should lie on the line", "wrong on purpose": "wrong on purpose", "reported": "reported"}
    table = table[(table["moment"] == "end of round 1")]
    chosen = [name for name in ("random, likelihoods 1/2", "tools as believed", "random, likelihoods 0.8", MAIN)
              if name in set(table["population"])]
    figure, ax = theme.figure(height=5.4)
    for at, name in enumerate(chosen):
        part = table[table["population"] == name]
        theme.line_band(ax, part["believed"], part["estimate"], part["low"], part["high"], index=at,
                        label=f"{name} ({kinds[str(part['kind'].iloc[0])]})")
    ax.plot([0, 1], [0, 1], color=theme.INK, linewidth=1.0, zorder=1.5)
    theme.set_axis(ax, "x", "percent")
    ax.set_xlabel("believed chance of a friend")
    ax.set_ylabel("are friends")
    rows = found["tests"]
    right = rows[rows["kind"] == "tested"]
    bad = int((right["p_adjusted"] < 0.01).sum())
    title = ("Beliefs come true as often as they say, where they have to" if bad == 0 else
             f"Beliefs do not come true in {bad} of {len(right)} populations in which they have to")
    shown = table[table["population"].isin(chosen)]
    facts = found["about"].iloc[0]
    caption = (f"n = {int(shown['n_beliefs'].sum()):,} beliefs at the end of the first round in up to "
               f"{int(shown['n_deals'].max()):,} deals, seed {facts['seed']}. Bands: 95 % intervals, simultaneous over "
               "the bins of a curve, clustered by deal.")
    return Chart(figure, "shady-reliability", title, caption, "Share of friends by belief: " + "; ".join(
        f"{row.population}: {percent(row.believed)} believed, {percent(row.estimate)} true"
        for row in rows_of(shown[shown["population"] == chosen[0]])) + ".")


def _presets(found: Tables) -> Chart:
    table = found["presets"]
    table = table[(table["players"] == 6)]
    table = table.assign(field=[f"among {field}" for field in table["field"]])
    order = table[table["field"] == "among bayes"].sort_values("estimate", ascending=False)["policy"].tolist()
    table = table.sort_values("policy", key=lambda column: column.map(order.index), kind="stable")
    figure, ax = theme.figure(rows=2 * len(order))
    theme.dot_interval(ax, table, "policy", "estimate", "low", "high", reference=0.5, group="field", sort=False,
                       xlabel="win share as the only one of its kind, 6 players")
    words = []
    for field, part in table.groupby("field", sort=False):
        top = largest(part, "estimate")
        words.append(f"{top['policy']} comes out highest {field} ({percent(top['estimate'])})")
    return Chart(figure, "shady-presets", " and ".join(words), _caption(
        found, table, f"The other table sizes ({', '.join(str(n) for n in SOME_SIZES if n != 6)}) are in the table.",
        policies=f"all {table['policy'].nunique()} shipped"), "Win shares: " + "; ".join(
            f"{row.policy} {percent(row.estimate)} {row.field}" for row in rows_of(table.head(10))) + ".")


# ------------------------------------------------------------------------------------------------ tables


def displays(found: Tables) -> dict[str, Table]:
    """The tables of the page."""
    size = {"n_deals": Column("deals", "int"), "n_games": Column("games", "int")}
    policy, players = Column("policy"), Column("players", "int")
    note = "Intervals hold together over the table, number by number (Sidak)."
    balance = found["balance"]
    seats, presets = found["seats"], found["presets"]
    return {
        "balance": Table(balance[balance["metric"] == "size_smaller"], "shady-balance-table", "The smaller side", {
            "players": players, "policy": policy, "rules": Column("rules"),
            "estimate": Column("win share", "percent", "low", "high"), **size}, note=note),
        "bonus": Table(found["bonus"], "shady-bonus", "What the bonus changes for the smaller side", {
            "players": players, "policy": policy,
            "estimate": Column("with minus without", "points", "low", "high", reference=0.0), **size},
            note=f"Paired by deal. {note}"),
        "draws": Table(balance[balance["metric"] == "draws"], "shady-draws", "Draws", {
            "players": players, "policy": policy, "rules": Column("rules"),
            "estimate": Column("drawn", "percent", "low", "high"), **size}, note=note, rows=40),
        "calls": Table(found["calls"], "shady-calls-table", "Calling instead of giving", {
            "players": players, "policy": policy, "who": Column("player"),
            "estimate": Column("effect of calling", "points", "low", "high", reference=0.0),
            "would": Column("calls there itself", "percent"),
            "changed": Column("changed", "percent", help="Share of forks that end otherwise."),
            "n_forks": Column("forks", "int")}, note=note, rows=40),
        "free": Table(found["free"], "shady-free", "The rule of the free interrogation, for the first player", {
            "players": players, "policy": policy,
            "estimate": Column("free minus paid", "points", "low", "high", reference=0.0), **size},
            note=f"Paired by deal. {note}", rows=30),
        "seats": Table(seats, "shady-seats-table", "Seats", {
            "players": players, "policy": policy, "seat": Column("seat", "int"),
            "estimate": Column("ahead of the others", "points", "low", "high", reference=0.0), **size}, note=note),
        "talk": Table(found["talk"], "shady-talk-table", "What can be checked", {
            "key": Column("key"), "value": Column("value", "number", decimals=2), "players": players,
            "metric": Column("number"), "estimate": Column("share", "percent", "low", "high"), **size}, note=note),
        "tools": Table(found["tools"], "shady-tools-table", "Misdirected tools", {
            "tool": Column("tool"), "players": players, "policy": policy,
            "estimate": Column("of all of the kind", "percent", "low", "high"), **size}, note=note),
        "tests": Table(found["tests"], "shady-tests", "Tests of beliefs", {
            "population": Column("population"), "kind": Column("kind"), "moment": Column("when"),
            "statistic": Column("F", "number", decimals=2), "df": Column("bins", "int"),
            "p_value": Column("p", "number", decimals=4), "p_adjusted": Column("adjusted p", "number", decimals=4),
            "worst": Column("widest gap", "points", help="Came true minus believed, the bin furthest off."),
            "n_beliefs": Column("beliefs", "int"), "n_deals": Column("deals", "int")},
            note="Reported populations have no p: nothing says that their beliefs must be right."),
        "presets": Table(presets, "shady-presets-table", "One among others", {
            "field": Column("among"), "players": players, "policy": policy,
            "estimate": Column("win share", "percent", "low", "high"),
            "lead": Column("lead", "points", "lead_low", "lead_high", reference=0.0), **size},
            note=f"{note} In its own mirror a policy has no lead."),
    }
