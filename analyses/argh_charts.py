"""The charts and tables of :mod:`analyses.argh`, from its tables."""

from __future__ import annotations

from typing import Any

import pandas as pd

from agentsim.report import Chart, Column, Table, theme
from analyses.argh_tables import ANY, MARK
from analyses.common import clear, largest, percent, points, rows_of, smallest

__all__ = ["ENDS", "STAND_INS", "displays", "draw", "last_level"]

Tables = dict[str, pd.DataFrame]

ENDS = {"bomb": "bomb in play", "bomb_reveal": "bomb at the reveal", "points": "most points",
        "high_card": "highest card", "shared": "shared", "nobody": "nobody wins"}
"""Ends in words, in the order in which charts show them."""
STAND_INS = (f"{MARK} The card's location, number or effect is a stand-in of this project; the table *Where the cards "
             "come from* tells which field.")
_NOTE = "Simultaneous 95 % intervals (Sidak) over all numbers of a column; one fork per deal at most."


def last_level(table: pd.DataFrame) -> str:
    """The strongest level of play, which is listed last."""
    return str(table["policy"].iloc[-1])


def draw(found: Tables) -> dict[str, Chart]:
    """The charts that the tables have data for."""
    charts = {"seats": _seats(found), "ends": _ends(found), "out": _out(found)}
    for players in (2, 4):
        part = found["cards"]
        if len(part) and (part["players"] == players).any():
            charts[f"cards-{players}"] = _cards(found, players)
    for name, make in (("spies", _spies), ("accept", _accept), ("answers", _answers), ("thefts", _thefts),
                       ("presets", _presets), ("pairs", _pairs)):
        if len(found[name]):
            charts[name] = make(found)
    return charts


# ------------------------------------------------------------------------------------------------ helpers


def _caption(found: Tables, table: pd.DataFrame, n: str, note: str, family: int | str, policies: Any = None) -> str:
    facts = (table if "seed" in table else found["about"]).iloc[0]
    total = int(table[n].sum())
    named = list(dict.fromkeys(table["policy"])) if policies is None else policies
    if n == "n_forks":
        note = f"n counts forks, each a game played to its end twice. {note}"
    return theme.caption(total, total if n == "n_forks" else None, seed=int(facts["seed"]), policies=named,
                         interval=f"simultaneous 95 % intervals over {family} numbers", note=note)


def _once(table: pd.DataFrame, of: list[str]) -> pd.DataFrame:
    """A row per game played: tables repeat a mirror's games for every seat or end."""
    return table.drop_duplicates(of)


def _rows(table: pd.DataFrame) -> int:
    return max(4, (table["row"].nunique() * (table["policy"].nunique() + 1)) // 2)


def _dots(table: pd.DataFrame, name: str, xlabel: str, *, low: str = "", high: str = "", sort: bool = False) -> Any:
    figure, ax = theme.figure(rows=_rows(table))
    theme.dot_interval(ax, table, "row", name, low or f"{name}_low", high or f"{name}_high", reference=0.0,
                       kind="points", sort=sort, group="policy" if table["policy"].nunique() > 1 else None,
                       xlabel=xlabel)
    return figure


def _said(table: pd.DataFrame, name: str, limit: int = 12) -> str:
    return "; ".join(f"{row.row} {points(getattr(row, name))} ({row.policy})"
                     for row in rows_of(table.head(limit))) + "."


# ------------------------------------------------------------------------------------------------ mirrors


def _seats(found: Tables) -> Chart:
    table = found["seats"]
    table = table.assign(row=[f"{row.players} players, seat {row.seat}" for row in rows_of(table)])
    figure = _dots(table, "lead", "win share minus the mean of all seats, in percentage points")
    first = table[(table["seat"] == 0) & (table["policy"] == last_level(table))].sort_values("players").iloc[[0, -1]]
    words = [points(row.lead) if clear(row._asdict(), 0.0, "lead_low", "lead_high") else "too little to say"
             for row in rows_of(first)]
    title = (f"Starting is worth {words[0]} with {first['players'].iloc[0]} players and {words[1]} with "
             f"{first['players'].iloc[1]} ({last_level(table)})")
    return Chart(figure, "argh-seats", title, _caption(
        found, _once(table, ["players", "policy"]), "n_games", "Mirrors; seat 0 starts.",
        int(table["lead_family"].iloc[0])), "Advantage of each seat: " + _said(table, "lead", 18))


def _stack(table: pd.DataFrame, column: str, order: list[Any], names: dict[Any, str]) -> tuple[Any, pd.DataFrame]:
    table = table.assign(row=[f"{row.players} players, {row.policy}" for row in rows_of(table)])
    rows = list(dict.fromkeys(table["row"]))
    wide = [table.pivot(index="row", columns=column, values=name).reindex(index=rows, columns=order).rename(
        columns=names) for name in ("share", "share_low", "share_high")]
    figure, ax = theme.figure(rows=len(rows) + 2)
    theme.stacked_bar(ax, wide[0], low=wide[1], high=wide[2], xlabel="games")
    return figure, wide[0]


def _ends(found: Tables) -> Chart:
    table = found["ends"]
    figure, wide = _stack(table, "end", list(ENDS), ENDS)
    bombs = table[(table["end"] == "bomb") & (table["policy"] == last_level(table))].sort_values("players")
    first, last = bombs.iloc[0], bombs.iloc[-1]
    return Chart(figure, "argh-ends",
                 f"A bomb in play ends {percent(first['share'], 0)} of games of {first['players']} players and "
                 f"{percent(last['share'], 0)} of those of {last['players']} ({last['policy']})",
                 _caption(found, _once(table, ["players", "policy"]), "n_games", "Mirrors.",
                          int(table["share_family"].iloc[0])),
                 "How games end: " + "; ".join(f"{row}: " + ", ".join(
                     f"{name} {percent(value, 0)}" for name, value in parts.items() if value >= 0.005)
                     for row, parts in wide.iterrows()) + ".", key=True)


def _out(found: Tables) -> Chart:
    table = found["out"]
    order = sorted(set(table["n_out"]))
    figure, wide = _stack(table, "n_out", order, {n: f"{n} out" for n in order})
    part = table[(table["policy"] == last_level(table)) & (table["n_out"] == 0)].sort_values("players").iloc[0]
    return Chart(figure, "argh-out",
                 f"With {part['players']} players somebody is out by an odd number of spies in "
                 f"{percent(1 - part['share'], 0)} of games ({part['policy']})",
                 _caption(found, _once(table, ["players", "policy"]), "n_games",
                          "Mirrors; counted at the end, also in games that a bomb decided.",
                          int(table["share_family"].iloc[0])),
                 "Players with an odd number of spies at the end: " + "; ".join(f"{row}: " + ", ".join(
                     f"{name} {percent(value, 0)}" for name, value in parts.items() if value == value)
                     for row, parts in wide.iterrows()) + ".")


# ------------------------------------------------------------------------------------------------ forks


def _cards(found: Tables, players: int) -> Chart:
    table = found["cards"]
    family = int(table["effect_family"].iloc[0])
    table = table[table["players"] == players].assign(row=lambda each: each["label"])
    order = table[table["policy"] == last_level(table)].set_index("row")["effect"]
    table = table.sort_values("row", key=lambda names: -names.map(order).fillna(-9.0), kind="stable")
    figure = _dots(table, "effect", "effect on the win share of its owner, in percentage points")
    mine = table[table["policy"] == last_level(table)]
    top, low = largest(mine, "effect"), smallest(mine, "effect")
    return Chart(figure, f"argh-cards-{players}",
                 f"With {players} players a card is worth {points(low['effect'], 0)} ({low['row']}) to "
                 f"{points(top['effect'], 0)} ({top['row']}) to its owner ({low['policy']})",
                 _caption(found, table, "n_forks", "The card face up before another player rather than before who drew "
                          f"it. {STAND_INS.replace('*Where the cards come from*', 'of the cards')}", family),
                 "Effect of each card on its owner: " + _said(mine, "effect", 30), key=players == 2)


def _spies(found: Tables) -> Chart:
    table = found["spies"]
    table = table.assign(row=[f"{row.players} players, {_th(row.before)} spy" for row in rows_of(table)])
    figure = _dots(table, "effect", "effect of getting a spy on the win share, in percentage points")
    mine = table[(table["policy"] == last_level(table)) & (table["players"] == table["players"].min())]
    words = " and ".join(f"the {_th(row.before)} {points(row.effect, 0)}" for row in rows_of(mine.head(2)))
    return Chart(figure, "argh-spies", f"With {mine['players'].iloc[0]} players a first spy is not a second one: "
                 f"{words} ({last_level(table)})" if len(mine) > 1 else "What a spy changes",
                 _caption(found, table, "n_forks", "A spy face up before another player rather than before who drew "
                          "it.",
                          int(table["effect_family"].iloc[0])), "Effect of a spy: " + _said(table, "effect", 18))


def _th(before: int) -> str:
    return ("first", "second", "third", "fourth", "fifth")[before] if before < 5 else f"{before + 1}th"


def _accept(found: Tables) -> Chart:
    table = found["accept"]
    table = table.assign(row=[f"{row.players} players, {row.location}" for row in rows_of(table)])
    figure = _dots(table, "gain", "gain of accepting over refusing, in percentage points of win share")
    mine = table[table["location"] == ANY]
    signs = {clear(row, 0.0, "gain_low", "gain_high") for _, row in mine.iterrows()}
    low, top = smallest(mine, "gain"), largest(mine, "gain")
    title = (f"Accepting beats refusing everywhere: by {points(low['gain'])} to {points(top['gain'])} of a win"
             if signs == {1} else
             f"Accepting gains {points(low['gain'])} to {points(top['gain'])}, by table and policy")
    return Chart(figure, "argh-accept", title, _caption(
        found, mine, "n_forks", "Offers that the policy makes, each continued with both answers.",
        int(table["gain_family"].iloc[0])), "Gain of accepting: " + _said(mine, "gain", 12))


def _answers(found: Tables) -> Chart:
    table = found["answers"].assign(row=lambda each: each["preset"], policy="")
    figure = _dots(table, "own_gain", "its answer minus the opposite answer, in percentage points of win share",
                   sort=True)
    top, low = largest(table, "own_gain_low"), smallest(table, "own_gain_high")
    field = str(found["about"]["strongest"].iloc[0])
    sure = top["own_gain_low"] > 0 > low["own_gain_high"]
    return Chart(figure, "argh-answers", "Which preset answers best is too close to say" if not sure else
                 f"Asked by {field}, {top['preset']} gains {points(top['own_gain'])} by its answers and "
                 f"{low['preset']} {points(low['own_gain'])}",
                 _caption(found, table, "n_forks", f"Two players; {field} offers.",
                          int(table["own_gain_family"].iloc[0]), f"each preset against {field}"),
                 "Worth of each preset's answers: " + "; ".join(
                     f"{row.preset} {points(row.own_gain)}" for row in rows_of(table)) + ".")


def _thefts(found: Tables) -> Chart:
    table = found["thefts"]
    table = table[table["own"] == "steals"]
    if not len(table):
        table = found["thefts"]
    parts = [table.assign(row=[f"{n} players, {word}" for n in table["players"]], gain=table[name],
                          gain_low=table[f"{name}_low"], gain_high=table[f"{name}_high"], at=at)
             for at, (name, word) in enumerate((("thief", "thief"), ("victim", "victim"), ("third", "others")))]
    long = pd.concat(parts).sort_values(["players", "at"], kind="stable")
    long = long[long["gain"].notna()]
    figure = _dots(long, "gain", "gain of stealing over drawing, in percentage points of win share")
    mine = table[table["policy"] == last_level(table)]
    top = largest(mine, "thief_low")
    return Chart(figure, "argh-thefts",
                 f"Where {top['policy']} steals, {top['players']} players, the thief gains {points(top['thief'], 0)} "
                 f"and the victim {points(top['victim'], 0)}",
                 _caption(found, table, "n_forks", "Thefts that the policy commits, against drawing from a pile by "
                          "chance. Others: all further players together.", int(table["thief_family"].iloc[0])),
                 "Gains by stealing: " + _said(long, "gain", 16))


# ------------------------------------------------------------------------------------------------ presets


def _presets(found: Tables) -> Chart:
    table = found["presets"]
    table = table.assign(column=[f"{row.players}, {row.field}" for row in rows_of(table)])
    columns = list(dict.fromkeys(table.sort_values(["field", "players"], key=lambda keys: keys.map(
        {name: at for at, name in enumerate(dict.fromkeys(table["field"]))}) if keys.name == "field" else keys)[
            "column"]))
    mine = table[table["field"] == table["field"].iloc[-1]]
    order = mine.groupby("preset")["lead"].mean().sort_values(ascending=False).index
    rows = [*order, *(name for name in dict.fromkeys(table["preset"]) if name not in order)]
    wide = [table.pivot(index="preset", columns="column", values=name).reindex(index=rows, columns=columns)
            for name in ("lead", "lead_low", "lead_high")]
    figure, ax = theme.figure(rows=len(rows) + 3, width=7.0)
    theme.heatmap(ax, wide[0], low=wide[1], high=wide[2], centre=0.0, kind="points",
                  xlabel="players, and what the others play", colorbar=False)
    top = largest(mine, "lead")
    side = clear(top, 0.0, "lead_low", "lead_high")
    title = (f"{top['preset']} beats a table of {top['field']}: with {top['players']} players it leads by "
             f"{points(top['lead'])}" if side > 0 else f"No preset clearly beats a table of {top['field']}")
    return Chart(figure, "argh-presets", title, _caption(
        found, table, "n_games", "In percentage points: win share minus the mean of the others. Grey italics: the "
        "interval includes 0.", int(table["family_size"].iloc[0]), "one preset among others"),
        "Lead of each preset: " + "; ".join(f"{row.preset} {points(row.lead)} ({row.column})"
                                           for row in rows_of(mine.assign(column=table["column"]).head(26))) + ".",
        key=True)


def _pairs(found: Tables) -> Chart:
    table = found["pairs"]
    order = table.groupby("policy")["lead"].mean().sort_values(ascending=False).index
    wide = [table.pivot(index="policy", columns="other", values=name).reindex(index=order, columns=order)
            for name in ("lead", "lead_low", "lead_high")]
    figure, ax = theme.figure(rows=int(1.3 * len(order)) + 3)
    theme.heatmap(ax, wide[0], low=wide[1], high=wide[2], centre=0.0, kind="points", colorbar=False,
                  ylabel="win share minus the other's")
    ahead = table[table["lead_low"] > 0].groupby("policy").size()
    title = (f"One against one, {ahead.idxmax()} clearly leads {ahead.max()} of {len(order) - 1} others" if len(ahead)
             else "One against one, nobody clearly leads anybody")
    return Chart(figure, "argh-pairs", title, _caption(
        found, table.iloc[::2], "n_games", "In percentage points, row minus column. Grey "
        "italics: the interval includes 0.", int(table["family_size"].iloc[0]), f"{len(order)} policies"),
                 "Lead of each policy over each other; means: " + "; ".join(
                     f"{name} {points(value)}" for name, value in table.groupby("policy")["lead"].mean().loc[
                         order].items()) + ".")


# ------------------------------------------------------------------------------------------------ tables


def _gain(label: str, name: str, help: str = "") -> Column:
    return Column(label, "points", f"{name}_low", f"{name}_high", reference=0.0, help=help)


def _share(label: str, name: str, help: str = "") -> Column:
    return Column(label, "percent", f"{name}_low", f"{name}_high", bar=False, help=help)


def displays(found: Tables) -> dict[str, Table]:
    """The tables of the page, for whatever has data."""
    head = {"players": Column("players", "int"), "policy": Column("policy")}
    games, forks = {"n_games": Column("games", "int")}, {"n_forks": Column("forks", "int")}
    cards = {"effect": _gain("before another player", "effect", "That player's win share with the card before it "
                             "minus with the card before who drew it."),
             "effect_active": _gain("before who drew it", "effect_active"),
             "third": _gain("for further players", "third", "All of them together, of the first of the two."),
             "changed": _share("changed", "changed", "Forks in which the other player's share depends on it.")}
    answers = {"gain": _gain("gain of accepting", "gain"), "helps": _share("would help", "helps"),
               "same": _share("no difference", "same"), "hurts": _share("would hurt", "hurts"),
               "accepts": _share("accepts", "accepts", "How often the policy itself says yes."),
               "right": _share("right when it mattered", "right", "Of the answers that made a difference, those that "
                               "were the better one; n is forks times the rest of no difference."),
               "own_gain": _gain("its answer minus the opposite", "own_gain")}
    family = "Simultaneous 95 % intervals (Sidak) over all numbers of a column."
    wanted: dict[str, tuple[str, dict[str, Column], str]] = {
        "seats": ("Win share by seat", {**head, "seat": Column("seat", "int"), "share": Column(
            "win share", "percent", "share_low", "share_high", bar=False), "lead": _gain(
                "minus the mean of all seats", "lead"), **games}, f"{family} One game per deal."),
        "ends": ("How games end", {**head, "label": Column("end"), "share": _share("games", "share"), **games}, family),
        "out": ("Players out by an odd number of spies", {**head, "n_out": Column("players out", "int"),
                                                          "share": _share("games", "share"), **games}, family),
        "cards": ("What each card changes", {**head, "label": Column("card"), "location": Column("location"),
                                             "stand_in": Column("stand-in"), **cards, **forks}, f"{_NOTE} {STAND_INS}"),
        "locations": ("The same by location", {**head, "location": Column("location"), **cards, **forks},
                      f"{_NOTE} The cards of a location are in part stand-ins."),
        "coin": ("Accepting by coin and by fork", {
            **head, "label": Column("card"), "effect_1": Column("by coin", "points"),
            "effect_2": Column("by forks", "points"), "difference": Column("difference", "points", "low", "high",
                                                                          reference=0.0),
            "p_adjusted": Column("p, adjusted", "number", decimals=2), "agree": Column("agree"),
            "n_coin": Column("offers", "int"), **forks},
            f"p-values adjusted by Holm, intervals by Sidak, over all rows. {STAND_INS}"),
        "spies": ("What a spy changes", {**head, "before": Column("spies before", "int"), "effect": _gain(
            "win share", "effect"), "out": _gain("chance to be out", "out"), **forks}, _NOTE),
        "accept": ("Is accepting right?", {**head, "location": Column("location"), **answers, **forks}, _NOTE),
        "answers": ("The answers of the presets", {"preset": Column("preset"), **answers, **forks}, _NOTE),
        "thefts": ("Who profits from stealing", {**head, "own": Column("the policy itself"), "thief": _gain(
            "thief", "thief"), "victim": _gain("victim", "victim"), "third": _gain("others together", "third"),
            "bombs": _share("bomb parts", "bombs", "How many of the cards stolen are bomb parts."), **forks}, _NOTE),
        "presets": ("One preset among others", {
            "players": Column("players", "int"), "field": Column("others"), "preset": Column("preset"),
            "score": Column("win share", "percent", "score_low", "score_high", bar=False),
            "lead": _gain("minus the others' mean", "lead"), **games, "n_deals": Column("deals", "int")},
            "Simultaneous 95 % intervals (Sidak) over all parties of all these tables."),
        "pairs": ("One against one", {
            "policy": Column("policy"), "other": Column("against"), "score": Column(
                "win share", "percent", "score_low", "score_high", bar=False), "lead": _gain(
                    "minus the other's", "lead"), **games, "n_deals": Column("deals", "int")}, family),
        "sources": ("Where the cards come from", {
            "label": Column("card"), "location": Column("location"), "kind": Column("kind"),
            "location_source": Column("location by"), "value_source": Column("number or effect by"),
            "star_source": Column("star by")}, STAND_INS),
    }
    shown = {}
    for name, (title, columns, note) in wanted.items():
        table = found[name]
        if not len(table):
            continue
        if name == "ends":
            table = table.assign(label=table["end"].map(ENDS))
        present = {key: column for key, column in columns.items() if table[key].notna().any()}
        shown[name] = Table(_sorted(table, name), f"argh-{name}-table", title, present, note=note,
                            rows=24 if name in ("cards", "sources") else 12)
    return shown


def _sorted(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The strongest level first, and in it the largest effects."""
    if name == "presets":
        order = {field: -at for at, field in enumerate(dict.fromkeys(table["field"]))}
        return table.assign(_at=table["field"].map(order)).sort_values(
            ["_at", "players", "lead"], ascending=[True, True, False], kind="stable").drop(columns="_at")
    if name == "answers":
        return table.sort_values("own_gain", ascending=False, kind="stable")
    if name == "cards":
        order = {policy: -at for at, policy in enumerate(dict.fromkeys(table["policy"]))}
        return table.assign(_at=table["policy"].map(order)).sort_values(
            ["players", "_at", "effect"], ascending=[True, True, False], kind="stable").drop(columns="_at")
    return table
