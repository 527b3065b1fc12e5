"""The charts and tables of :mod:`analyses.black_market`, from its tables."""

from __future__ import annotations

import pandas as pd

from agentsim.report import Chart, Column, Table, theme
from analyses.common import caption, largest, listed, percent, points, rows_of, smallest
from analyses.shape_charts import ENDS

__all__ = ["displays", "draw"]

Tables = dict[str, pd.DataFrame]


def draw(found: Tables) -> dict[str, Chart]:
    """The charts that the tables have data for."""
    charts = {}
    if found["balance"]["effect"].notna().any():
        charts["balance"] = _balance_chart(found)
    if found["strength"]["effect"].notna().any():
        charts["strength"] = _strength_chart(found)
    if len(found["agreement"]):
        charts["agreement"] = _agreement_chart(found)
    if "usage" in found and found["usage"]["win"].notna().any() and "balance" in charts:
        charts["confounded"] = _confounded_chart(found)
    if "usage" in found and found["usage"]["taken"].notna().any():
        charts["taken"] = _taken_chart(found)
    if "ends" in found and len(found["ends"]):
        charts["ends"] = _ends_chart(found)
    return charts


def _last(table: pd.DataFrame) -> str:
    """The strongest level of play, which is listed last."""
    return str(table["policy"].iloc[-1])


def _policies(table: pd.DataFrame) -> list[str]:
    return [str(name) for name in dict.fromkeys(table["policy"])]


def _by_last(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows ordered by the strongest level's number, largest first, levels in their order."""
    last = table[table["policy"] == _last(table)].set_index("label")[column]
    return table.sort_values("label", key=lambda names: -names.map(last).fillna(-9.0), kind="stable")


def _trial_caption(found: Tables, n: str, what: str, *, note: str = "", cells: int = 0) -> str:
    facts = found["trials"]
    over = f"{cells} differences" if cells else f"{len(found['cards'])} cards"
    games = int(facts[n].sum())
    return theme.caption(games, games, seed=int(facts["seed"].iloc[0]), policies=_policies(facts),
                         interval=f"simultaneous 95 % intervals over {over}", note=f"{what} {note}".strip())


def _balance_chart(found: Tables) -> Chart:
    table, answer = _by_last(found["balance"], "effect"), found["answer"].iloc[0]
    band, levels = float(answer["band"]), table["policy"].nunique()
    figure, ax = theme.figure(rows=max(4, (table["label"].nunique() * (levels + 1)) // 2))
    ax.axvspan(-band, band, color=theme.GRID, alpha=0.55, zorder=0.5, linewidth=0)
    theme.dot_interval(ax, table, "label", "effect", "low", "high", reference=0.0, kind="points", sort=False,
                       group="policy" if levels > 1 else None,
                       xlabel="effect on the taker's chance to win, in percentage points")
    if answer["card"]:
        title = (f"{answer['label']} is {answer['verdict']}: taking it changes the chance to win by "
                 f"{points(answer['effect'])} ({answer['policy']})")
    else:
        title = f"No card is shown to be outside the band of ±{100 * band:g} points"
    return Chart(figure, "card-balance", title, _trial_caption(
        found, "n_picks", f"Grey: the band of ±{100 * band:g} points.",
        note="Picks by chance; each game's first landing; the card against the average other one on offer."),
        "Effect of taking each card rather than the average other one: " + "; ".join(
            f"{row.label} {points(row.effect)}" for row in rows_of(table[table["policy"] == _last(table)])
            if row.effect == row.effect) + f" ({_last(table)}).", key=True)


def _strength_chart(found: Tables) -> Chart:
    table = _by_last(found["strength"], "effect")
    levels = table["policy"].nunique()
    figure, ax = theme.figure(rows=max(4, (table["label"].nunique() * (levels + 1)) // 2))
    theme.dot_interval(ax, table, "label", "effect", "low", "high", reference=0.0, kind="points", sort=False,
                       group="policy" if levels > 1 else None,
                       xlabel="effect on the taker's chance to win against a blank, in percentage points")
    part = table[(table["policy"] == _last(table)) & table["effect"].notna()]
    top, low = largest(part, "effect"), smallest(part, "effect")
    title = (f"Against a blank, {top['label']} is worth {points(top['effect'])} and {low['label']} "
             f"{points(low['effect'])} ({_last(table)})")
    return Chart(figure, "card-strength", title, _trial_caption(
        found, "n_forks", "One fork per game, at its first landing, continued with the card and with a blank."),
        "Effect of each card against a blank: " + "; ".join(f"{row.label} {points(row.effect)}"
                                                            for row in rows_of(part)) + f" ({_last(table)}).")


def _agreement_chart(found: Tables) -> Chart:
    table = found["agreement"]
    levels = table["policy"].nunique()
    figure, ax = theme.figure(rows=max(4, (table["label"].nunique() * (levels + 1)) // 2))
    theme.dot_interval(ax, table, "label", "difference", "low", "high", reference=0.0, kind="points", sort=False,
                       group="policy" if levels > 1 else None,
                       xlabel="card minus blank: by picks, minus by forks, in percentage points")
    bad = table[~table["agree"]]
    title = (f"Picks by chance and forks measure the same: all {len(table)} comparisons agree" if not len(bad) else
             f"Picks by chance and forks disagree in {len(bad)} of {len(table)} comparisons")
    return Chart(figure, "card-agreement", title, _trial_caption(
        found, "n_blanks", "A market with blanks; supplies that hold the card and one blank.",
        note="Agreement is tested by Holm's method over the cards of all levels.", cells=len(table)),
        f"Differences between the two measurements of card minus blank; {len(table) - len(bad)} of {len(table)} agree.")


def _confounded_chart(found: Tables) -> Chart:
    policy = _last(found["balance"])
    balance = found["balance"][found["balance"]["policy"] == policy]
    usage = found["usage"][found["usage"]["policy"] == policy]
    taken = usage.assign(effect=usage["win"] - 0.5, low=usage["win_low"] - 0.5, high=usage["win_high"] - 0.5)
    rows = pd.concat([
        balance[["label", "effect", "low", "high"]].assign(series="what taking it changes (by chance)"),
        taken[["label", "effect", "low", "high"]].assign(series="takers' win rate minus 50 % (confounded)")])
    figure, ax = theme.figure(rows=max(4, int(rows["label"].nunique() * 1.4)))
    theme.dot_interval(ax, rows, "label", "effect", "low", "high", reference=0.0, kind="points", group="series",
                       xlabel="percentage points")
    both = balance.merge(taken, on="label", suffixes=("", "_taken")).dropna(subset=["effect", "effect_taken"])
    both = both.assign(gap=both["effect_taken"] - both["effect"])
    worst = largest(both, "gap", size=True)
    return Chart(figure, "card-confounded",
                 f"Win rates of takers mislead: {worst['label']} looks like {points(worst['effect_taken'])}, and "
                 f"changes {points(worst['effect'])}",
                 caption(found["about"], policies=[policy], interval=f"simultaneous 95 % intervals over {len(both)} "
                         "cards, each series for itself", note="The log is of games in which the policy chooses; what "
                         f"a card changes is from {int(balance['n_games'].max()):,} games with picks by chance."),
                 "For each card what taking it changes beside the win rate of its takers: " + "; ".join(
                     f"{row.label} {points(row.effect)} and {points(row.effect_taken)}" for row in rows_of(both)) + ".")


def _taken_chart(found: Tables) -> Chart:
    usage = found["usage"]
    order = usage[usage["policy"] == _last(usage)].sort_values("taken", ascending=False)["label"]
    wide = {name: usage.pivot(index="label", columns="policy", values=name).loc[order, _policies(usage)]
            for name in ("taken", "taken_low", "taken_high")}
    figure, ax = theme.figure(rows=max(4, len(order)), width=7.0)
    theme.heatmap(ax, wide["taken"], centre=None, xlabel="", colorbar=False)
    part = usage[(usage["policy"] == _last(usage)) & usage["taken"].notna()]
    top, low = largest(part, "taken"), smallest(part, "taken")
    return Chart(figure, "card-taken",
                 f"{_last(usage)} takes {top['label']} in {percent(top['taken'], 0)} of its offers and {low['label']} "
                 f"in {percent(low['taken'], 0)}",
                 caption(found["about"], interval="none drawn; the table has them",
                         note="In %: of the landings that had the card on offer, those that took it."),
                 "Share of landings that took the card when it was on offer, by card and policy. " + "; ".join(
                     f"{row.label} {percent(row.taken, 0)}" for row in rows_of(part)) + f" ({_last(usage)}).")


def _ends_chart(found: Tables) -> Chart:
    policy = _last(found["usage"])
    part = found["ends"][found["ends"]["policy"] == policy]
    part = part.assign(label=part["label"].fillna("any card"))
    wide = {name: part.pivot(index="label", columns="end", values=name).fillna(0.0) for name in ("estimate", "low",
                                                                                                 "high")}
    order = wide["estimate"].mean().sort_values(ascending=False).index
    rows = ["any card", *(name for name in wide["estimate"].sort_values(order[0], ascending=False).index
                          if name != "any card")]
    named = {name: frame.loc[rows, order].rename(columns={end: ENDS.get(end, end.replace("_", " ")) for end in order})
             for name, frame in wide.items()}
    figure, ax = theme.figure(rows=len(rows) + 2)
    theme.stacked_bar(ax, named["estimate"], low=named["low"], high=named["high"], xlabel="games with the card taken")
    every = wide["estimate"].loc["any card", order[0]]
    far = (wide["estimate"][order[0]].drop("any card") - every)
    name = str(far.abs().idxmax())
    return Chart(figure, "card-ends",
                 f"Of games with {name} taken {percent(wide['estimate'].loc[name, order[0]], 0)} end by "
                 f"{ENDS.get(order[0], order[0])}, of all with a card taken {percent(every, 0)}",
                 caption(found["about"], policies=[policy], interval="simultaneous 95 % intervals over cards and ends",
                         note="Shares of games, whoever took the card: what followed, and not what it caused."),
                 "Stacked bars of how games end in which each card was taken.")


# ------------------------------------------------------------------------------------------------ tables

_LEVELS = ("balance", "strength", "agreement", "usage", "landings", "forced")


def _strongest_first(table: pd.DataFrame) -> pd.DataFrame:
    """The levels in reverse order; within each the largest effects first, or the cards that are taken most."""
    if not len(table):
        return table
    by = next((name for name in ("effect", "effect_2", "taken") if name in table), None)
    ordered = table if by is None else table.sort_values(by, ascending=False, kind="stable", na_position="last")
    order = {policy: -at for at, policy in enumerate(_policies(table))}
    return ordered.sort_values("policy", key=lambda names: names.map(order), kind="stable")


def displays(found: Tables) -> dict[str, Table]:
    """The tables of the page, the strongest level of play first."""
    shown = {}
    found = {name: _strongest_first(table) if name in _LEVELS else table for name, table in found.items()}
    family = f"Simultaneous 95 % intervals (Sidak) over the {len(found['cards'])} cards of each level of play."
    whole = min(max(len(found["cards"]), 8), 24)  # a level of play, so that no card of the designer's own is hidden
    if len(found["balance"]):
        shown["verdicts"] = Table(found["balance"], "verdicts", "Balance and verdict", {
            "policy": Column("policy"), "label": Column("card"),
            "effect": Column("effect of taking it", "points", "low", "high", reference=0.0,
                             help="Taker's chance to win with this card minus with the average other card on offer."),
            "verdict": Column("verdict"),
            "games_needed": Column("games that would decide", "int", help="With a chance of 90 %, were the estimate "
                                   "the truth. A dash: it is decided, or the card is on the border."),
            "n_taken": Column("taken", "int"), "n_left": Column("left", "int"),
        }, note=family, rows=whole)
    if len(found["strength"]):
        shown["strengths"] = Table(found["strength"], "strengths", "Strength against a blank", {
            "policy": Column("policy"), "label": Column("card"),
            "effect": Column("worth", "points", "low", "high", reference=0.0),
            "changed": Column("changed", "percent", help="Share of forks whose result the card changed."),
            "n_forks": Column("forks", "int")}, note=family, rows=whole)
    if len(found["agreement"]):
        shown["agreements"] = Table(found["agreement"], "agreements", "Card minus blank, measured in two ways", {
            "policy": Column("policy"), "label": Column("card"),
            "effect_1": Column("by picks", "points"), "effect_2": Column("by forks", "points"),
            "difference": Column("difference", "points", "low", "high", reference=0.0),
            "p_adjusted": Column("p, adjusted", "number", decimals=2), "agree": Column("agree"),
            "n_card": Column("takers", "int"), "n_blank": Column("takers of a blank", "int"),
            "n_forks": Column("forks", "int")},
            note="p-values adjusted by Holm, intervals by Sidak, over the cards of all levels.", rows=whole)
    if "usage" in found and len(found["usage"]):
        note = f"{family} Clustered by deal."
        shown["usage"] = Table(found["usage"], "takers-rates", "On offer, taken, and what takers win", {
            "policy": Column("policy"), "label": Column("card"),
            "seen": Column("on offer", "percent", "seen_low", "seen_high", bar=False, help="Share of games with the "
                           "card on offer at a landing."),
            "taken": Column("taken", "percent", "taken_low", "taken_high", bar=False, help="Of the landings that had "
                            "it on offer, those that took it."),
            "win": Column("takers win (confounded)", "percent", "win_low", "win_high"),
            "n_offers": Column("offers", "int"), "n_taken": Column("taken", "int")}, note=note, rows=whole)
        shown["takers"] = Table(found["usage"], "takers", "When and by whom", {
            "policy": Column("policy"), "label": Column("card"),
            "turn": Column("turn", "number", "turn_low", "turn_high", bar=False, help="Mean turn, from 0."),
            "behind": Column("behind", "percent", "behind_low", "behind_high", bar=False, help="Of its takers, those "
                             "whose pawn was behind before."),
            "ahead": Column("ahead", "percent", "ahead_low", "ahead_high", bar=False),
            "n_taken": Column("taken", "int")}, note=note, rows=whole)
    if len(found["landings"]):
        shown["landings"] = Table(found["landings"], "all-landings", "Balance over all landings", {
            "policy": Column("policy"), "label": Column("card"),
            "effect": Column("effect of taking it", "points", "low", "high", reference=0.0),
            "n_landings": Column("landings with it on offer", "int"), "n_deals": Column("deals", "int")},
            note=f"{family} Clustered by deal; later picks are left to chance and not adjusted for.", rows=whole)
    if len(found["forced"]):
        shown["forced"] = Table(found["forced"], "forced-starts", "Beginning with an ongoing card", {
            "policy": Column("policy"), "label": Column("card"),
            "effect": Column("change of seat 0's score", "points", "low", "high", reference=0.0),
            "score": Column("seat 0 scores", "percent"), "n_games": Column("games", "int")},
            note=f"Simultaneous over {listed([str(n) for n in sorted(set(found['forced']['family_size']))], 'or')} "
                 "ongoing cards. Errors on the wide side: both sides play the same deals.", rows=whole)
    return shown
