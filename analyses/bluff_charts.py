"""The charts of :mod:`analyses.agents_and_bluffs`, from its tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

from agentsim.report import Chart, theme
from analyses.common import LEVEL, caption, largest, percent, points, smallest

__all__ = ["MIN_DEALS", "card_words", "draw", "known_effects", "ordinal"]

MIN_DEALS = 30
"""A cell or a row is drawn from so many deals on."""
_WIDEST = 0.08
"""Effects with wider intervals than this, up and down, are left to the table."""

Tables = dict[str, pd.DataFrame]


def draw(tables: Tables) -> dict[str, Chart]:
    """The charts that the tables have data for."""
    charts: dict[str, Chart] = {}
    if not len(tables["mistakes"]):
        return charts
    focus, other = shown_policies(tables)
    if len(known_effects(tables)):
        charts["effects"] = _effects_chart(tables)
        if len(_beside_owners(tables)):
            charts["confounded"] = _confounded_chart(tables)
    charts["offered"] = _offered_chart(tables, focus, other)
    if len(_taken_by(tables, focus)):
        charts["taken"] = _taken_chart(tables, focus)
    if (_hidden_cells(tables, focus)["n_deals"] >= MIN_DEALS).any():
        charts["hidden"] = _hidden_chart(tables, focus)
        if other and (_hidden_cells(tables, other)["n_deals"] >= MIN_DEALS).any():
            charts["hidden_difference"] = _difference_chart(tables, focus, other)
    if (_advice_rows(tables, [focus])["n_deals"] >= MIN_DEALS).any():
        charts["advice"] = _advice_chart(tables, focus, other)
    charts["hides"] = _hides_chart(tables)
    charts["mistakes"] = _mistakes_chart(tables)
    if len(tables["fooled"]) > 1:
        charts["fooled"] = _fooled_chart(tables)
    return charts


def shown_policies(tables: Tables) -> tuple[str, str]:
    """The policy of the detailed charts and one to compare it with ("" if there is only one)."""
    focus = str(tables["about"]["focus"].iloc[0])
    others = [name for name in tables["hides"]["policy"] if name != focus]
    return focus, "random" if "random" in others else others[0] if others else ""


def ordinal(count: int) -> str:
    """``1st``, ``2nd``, ``3rd`` ..."""
    return f"{count}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(count, 'th')}"


def card_words(tables: Tables, row: pd.Series, quote: str = "") -> str:
    """``the 3rd sentinel``; ``the mole`` where there is only one."""
    card = f"{quote}{row['card']}{quote}"
    effects = tables["effects"]
    alone = effects.loc[effects["card"] == row["card"], "count"].max() == 1
    return f"the {card}" if alone else f"the {ordinal(int(row['count']))} {card}"


def _row_label(effects: pd.DataFrame, card: str, count: int) -> str:
    alone = effects.loc[effects["card"] == card, "count"].max() == 1
    return card if alone else f"{card}, {ordinal(count)}"


# ------------------------------------------------------------------------------------------------ worth


def known_effects(tables: Tables) -> pd.DataFrame:
    """The effects that are known well enough to be shown in a chart or named in a sentence."""
    effects = tables["effects"]
    if not len(effects):
        return effects
    narrow = (effects["high"] - effects["low"]) / 2 <= _WIDEST
    return pd.DataFrame(effects[narrow & (effects["n_deals"] >= MIN_DEALS)])


def _effects_chart(tables: Tables) -> Chart:
    effects = known_effects(tables)
    effects = effects.assign(label=[_row_label(tables["effects"], card, int(count))
                                    for card, count in zip(effects["card"], effects["count"], strict=True)])
    # A row that only the second kind of opponent has would hang below the sorted ones.
    effects = effects[effects["label"].isin(effects.loc[effects["met"] == effects["met"].iloc[0], "label"])]
    figure, ax = theme.figure(rows=round(1.25 * effects["label"].nunique()) + 1)
    theme.dot_interval(ax, effects, "label", "effect", "low", "high", reference=0.0, kind="points", group="met",
                       xlabel="change of the receiver's chance to win, against getting the other card")
    first = effects[effects["met"] == effects["met"].iloc[0]]
    best, worst = largest(first, "effect"), smallest(first, "effect")
    return Chart(figure, "effects", f"{card_words(tables, best).capitalize()} is worth most "
                                    f"({points(best['effect'])}), {card_words(tables, worst)} least "
                                    f"({points(worst['effect'])})",
                 caption(tables["about"], policies="receivers random and random_discards, against all",
                         n_deals=int(effects["n_deals"].max()),
                         interval=f"{percent(LEVEL, 0)} intervals, simultaneous for each kind of opponent (Sidak)",
                         note=f"{int(effects['n_turns'].sum()) // 2:,} offers, each of which speaks for both of its "
                              "cards. \"2nd\": the receiver would have two in play. Rows with wide intervals are in "
                              "the table."),
                 "Effects of getting a card by card and count: " + ", ".join(
                     f"{row.label} {points(row.effect)}" for row in first.itertuples()) + ".", key=True)


def _beside_owners(tables: Tables) -> pd.DataFrame:
    """Effect and win rate of the owners, less 50 %, one above the other; for play by chance alone."""
    effects = known_effects(tables)
    effects = effects[effects["met"] == effects["met"].iloc[0]]
    owners = tables["owners"]
    if not len(owners) or not str(effects["met"].iloc[0]).endswith("chance"):
        return pd.DataFrame(columns=["label", "what", "value", "low", "high", "n_deals"])
    both = effects.merge(owners[["card", "count", "estimate", "low", "high", "n_deals"]], on=["card", "count"],
                         suffixes=("", "_own"))
    both = both[both["n_deals_own"] >= MIN_DEALS]
    both["label"] = [_row_label(tables["effects"], card, int(count))
                     for card, count in zip(both["card"], both["count"], strict=True)]
    owned = both.assign(what="owners' win rate less 50 % (confounded)", value=both["estimate"] - 0.5,
                        low=both["low_own"] - 0.5, high=both["high_own"] - 0.5)
    stacked: pd.DataFrame = pd.concat([both.assign(what="effect of getting it (coin)", value=both["effect"]), owned],
                                      ignore_index=True)
    return stacked


def _confounded_chart(tables: Tables) -> Chart:
    both = _beside_owners(tables)
    figure, ax = theme.figure(rows=round(1.25 * both["label"].nunique()) + 1)
    theme.dot_interval(ax, both, "label", "value", "low", "high", reference=0.0, kind="points", group="what",
                       xlabel="difference in the chance to win")
    effect, own = (both[both["what"] == what].set_index("label") for what in dict.fromkeys(both["what"]))
    against = (effect["low"] > 0) & (own["high"] < 0) | (effect["high"] < 0) & (own["low"] > 0)
    gap = (effect["value"] - own["value"]).abs()
    title = (f"{int(against.sum())} of {len(effect)} times owners and effect point in opposite directions"
             if against.any() else f"Owners mislead most about {gap.idxmax()}: {points(own['value'][gap.idxmax()])} "
                                   f"instead of {points(effect['value'][gap.idxmax()])}")
    return Chart(figure, "confounded", title,
                 caption(tables["about"], policies="random and random_discards among themselves",
                         n_deals=int(both["n_deals"].max()), interval="simultaneous 95 % intervals for each of the two",
                         note="Owners: players who end with so many copies or more."),
                 "For each card and count the effect of getting it beside its owners' win rate less 50 %: " + ", ".join(
                     f"{label} {points(effect['value'][label])} and "
                     f"{points(own['value'][label])}" for label in effect.index)
                 + ".")


# ------------------------------------------------------------------------------------------------ offers


def _offered_chart(tables: Tables, focus: str, other: str) -> Chart:
    offered = tables["offered"]
    panels = [name for name in (focus, other) if name]
    figure, axes = theme.figure(height=4.4, ncols=len(panels), sharey=True, sharex=True, squeeze=False)
    own = offered[offered["policy"] == focus]
    wide = own.pivot(index="card", columns="side", values="estimate")
    cards = list((wide["up"] - wide["down"]).sort_values().index)
    for ax, policy in zip(axes[0], panels, strict=True):
        for at, side in enumerate(("up", "down")):
            rows = offered[(offered["policy"] == policy) & (offered["side"] == side)].set_index("card").reindex(cards)
            style = theme.series_style(at)
            with theme.use_theme():
                ax.barh(np.arange(len(cards)) + 0.2 - 0.4 * at, rows["estimate"], height=0.38, facecolor=style.color,
                        hatch=style.hatch, edgecolor=theme.PAPER, label=f"face {side}", zorder=2,
                        xerr=[rows["estimate"] - rows["low"], rows["high"] - rows["estimate"]],
                        error_kw={"ecolor": theme.INK, "elinewidth": 1.1, "capsize": 2})
        with theme.use_theme():
            ax.set_title(policy)
            ax.set_yticks(np.arange(len(cards)), cards)
            ax.tick_params(axis="y", labelcolor=theme.INK)
            ax.grid(visible=False, axis="y")
            ax.spines["left"].set_visible(False)
            ax.set_xlabel("of its offers")
            theme.set_axis(ax, "x", "percent")
    with theme.use_theme():
        figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    shown, hidden = cards[-1], cards[0]
    return Chart(figure, "offered",
                 f"{focus} shows {shown} ({percent(wide['up'][shown], 0)} of offers face up, "
                 f"{percent(wide['down'][shown], 0)} face down) and hides {hidden} ({percent(wide['up'][hidden], 0)}, "
                 f"{percent(wide['down'][hidden], 0)})",
                 caption(tables["about"], policies=panels, n_games=None,
                         interval="95 % intervals, simultaneous for each policy",
                         note=f"{int(own['den'].max()):,} offers of {focus}, against all others and itself."),
                 f"Bars of how often {focus} offers each card face up and face down: " + ", ".join(
                     f"{card} {percent(wide['up'][card], 0)} and "
                     f"{percent(wide['down'][card], 0)}" for card in cards) + ".")


def _taken_by(tables: Tables, focus: str) -> pd.DataFrame:
    taken = tables["taken"]
    own = taken[(taken["policy"] == focus) & (taken["n_deals"] >= MIN_DEALS)]
    return own if (own["side"] == "up").any() else own.head(0)


def _taken_chart(tables: Tables, focus: str) -> Chart:
    own = _taken_by(tables, focus).assign(face=lambda rows: "when it lies face " + rows["side"])
    figure, ax = theme.figure(rows=round(1.4 * own["card"].nunique()) + 1)
    theme.dot_interval(ax, own, "card", "estimate", "low", "high", reference=0.5, group="face",
                       xlabel=f"taken by {focus}, of the offers with the card")
    up = own[own["side"] == "up"]
    most, least = largest(up, "estimate"), smallest(up, "estimate")
    return Chart(figure, "taken", f"Face up, {focus} takes {most['card']} in {percent(most['estimate'], 0)} and "
                                  f"{least['card']} in {percent(least['estimate'], 0)} of cases",
                 caption(tables["about"], policies=f"{focus} as receiver, against all others and itself",
                         interval="simultaneous 95 % intervals",
                         note=f"{int(own.loc[own['side'] == 'up', 'den'].sum()):,} choices. Whoever chooses cannot "
                              "see the card that lies face down; how often it is taken follows from what lies above "
                              "it."),
                 f"How often {focus} takes each card: " + ", ".join(
                     f"{row.card} face {row.side} {percent(row.estimate, 0)}" for row in own.itertuples()) + ".")


# ------------------------------------------------------------------------------------------------ what lies under what


def _hidden_cells(tables: Tables, policy: str) -> pd.DataFrame:
    return tables["hidden"][tables["hidden"]["policy"] == policy]


def _square(cells: pd.DataFrame, value: str) -> pd.DataFrame:
    cards = list(dict.fromkeys([*cells["face_up"], *cells["face_down"]]))
    known = cells[cells["n_deals"] >= MIN_DEALS]
    return known.pivot(index="face_up", columns="face_down", values=value).reindex(index=cards, columns=cards)


def _hidden_chart(tables: Tables, focus: str) -> Chart:
    cells = _hidden_cells(tables, focus)
    wide = {name: _square(cells, name) for name in ("estimate", "low", "high")}
    figure, ax = theme.figure(height=1.7 + 0.42 * max(len(wide["estimate"]), 4))
    theme.heatmap(ax, wide["estimate"], low=wide["low"], high=wide["high"], centre=None, xlabel="hidden card",
                  ylabel="face-up card")
    known = cells[cells["n_deals"] >= MIN_DEALS]
    top = largest(known.assign(surplus=known["low"] - known["usual"]), "surplus")
    return Chart(figure, "hidden", f"Under {top['face_up']}, {focus} hides {top['face_down']} in "
                                   f"{percent(top['estimate'], 0)} of cases (usually {percent(top['usual'], 0)})",
                 caption(tables["about"], policies=f"{focus} as offerer, against all others and itself",
                         n_deals=int(cells["n_deals"].max()),
                         interval="simultaneous 95 % intervals over the cells, in the table below",
                         note=f"A row adds up to 100 %. {int(cells['num'].sum()):,} offers of two different cards."),
                 f"Heat map of the hidden card's probability given the face-up card, for offers of {focus}; the "
                 f"largest is {top['face_down']} under {top['face_up']} with {percent(known['estimate'].max(), 0)}."
                 if top["estimate"] == known["estimate"].max() else
                 f"Heat map of the hidden card's probability given the face-up card, for offers of {focus}, up to "
                 f"{percent(known['estimate'].max(), 0)}.")


def _difference_chart(tables: Tables, focus: str, other: str) -> Chart:
    first, second = (_hidden_cells(tables, name) for name in (focus, other))
    a, b = ({name: _square(cells, name) for name in ("estimate", "low", "high")} for cells in (first, second))
    b = {name: frame.reindex_like(a["estimate"]) for name, frame in b.items()}
    difference = a["estimate"] - b["estimate"]
    figure, ax = theme.figure(height=1.7 + 0.42 * max(len(difference), 4))
    theme.heatmap(ax, difference, low=a["low"] - b["high"], high=a["high"] - b["low"], centre=0.0, kind="points",
                  xlabel="hidden card", ylabel="face-up card")
    values = difference.to_numpy(dtype=float)
    row, column = np.unravel_index(int(np.nanargmax(np.abs(values))), values.shape)
    up, down, value = difference.index[int(row)], difference.columns[int(column)], float(values[row, column])
    return Chart(figure, "hidden-difference",
                 f"Where {focus} differs most from {other}: {down} under {up} ({points(value, 0)})",
                 caption(tables["about"], policies=[focus, other],
                         n_deals=int(min(first["n_deals"].max(), second["n_deals"].max())),
                         interval="both simultaneous 95 % intervals together",
                         note="Difference of the two tables, in percentage points. Grey italics: it may be 0."),
                 f"Heat map of the difference between {focus} and {other} in what lies under what, between "
                 f"{points(float(np.nanmin(values)), 0)} and {points(float(np.nanmax(values)), 0)}.")


def _advice_rows(tables: Tables, policies: list[str]) -> pd.DataFrame:
    advice = tables["advice"]
    return advice[advice["policy"].isin(policies) & (advice["n_deals"] >= MIN_DEALS)].copy()


def _advice_chart(tables: Tables, focus: str, other: str) -> Chart:
    chosen = [name for name in dict.fromkeys((focus, "all", other)) if name]
    rows = _advice_rows(tables, chosen)
    rows["policy"] = pd.Categorical(rows["policy"], chosen)
    rows = rows.sort_values("policy").assign(who=lambda frame: "offered by " + frame["policy"].astype(str))
    figure, ax = theme.figure(rows=round(1.6 * rows["face_up"].nunique()) + 1)
    theme.dot_interval(ax, rows, "face_up", "estimate", "low", "high", reference=0.5, group="who",
                       xlabel="offers whose hidden card is better for the receiver, by face-up card")
    own = rows[rows["policy"] == focus].set_index("face_up")
    clear = [card for card in own.index if own.loc[card, "low"] > 0.5]
    title = (f"Against {focus} the hidden card is better under {len(clear)} of {len(own)} cards, most under "
             f"{own['estimate'].idxmax()} ({percent(own['estimate'].max(), 0)})")
    return Chart(figure, "advice", title,
                 caption(tables["about"], policies=[f"{name} as offerer" for name in chosen],
                         interval="95 % intervals, simultaneous for each policy",
                         note="Better by greedy's value of the outcome; offers with one card better than the other."),
                 f"How often the hidden card of an offer by {focus} is the better one: " + ", ".join(
                     f"under {card} {percent(value, 0)}" for card, value in own["estimate"].items()) + ".")


# ------------------------------------------------------------------------------------------------ bluffs


def _hides_chart(tables: Tables) -> Chart:
    hides = tables["hides"]
    figure, ax = theme.figure(rows=len(hides))
    theme.dot_interval(ax, hides, "policy", "estimate", "low", "high", reference=0.5,
                       xlabel="offers whose hidden card is the better one for the receiver")
    low, high = smallest(hides, "estimate"), largest(hides, "estimate")
    return Chart(figure, "hides", f"{high['policy']} hides the better card in {percent(high['estimate'], 0)} of "
                                  f"offers, {low['policy']} in {percent(low['estimate'], 0)}",
                 caption(tables["about"], interval=f"{percent(LEVEL, 0)} intervals that hold for all {len(hides)} "
                                                   "together",
                         note="Better by greedy's value of the outcome; offers with one card better than the other."),
                 "Share of offers that hide the better card: " + ", ".join(
                     f"{row.policy} {percent(row.estimate, 0)}" for row in hides.itertuples()) + ".")


def _mistakes_chart(tables: Tables) -> Chart:
    mistakes = tables["mistakes"].sort_values("estimate")
    names = {"decisive": "lost or missed the end of the game", "lesser": "other"}
    wide = {end: mistakes.set_index("policy")[[f"{name}{end}" for name in names]].set_axis(list(names.values()), axis=1)
            for end in ("", "_low", "_high")}
    figure, ax = theme.figure(rows=len(mistakes) + 2)
    theme.stacked_bar(ax, wide[""], low=wide["_low"], high=wide["_high"], xlabel="takes of the worse card, of all "
                                                                                 "takes")
    ax.set_xlim(0, 1.12 * float(mistakes["high"].max()))
    low, high = mistakes.iloc[0], mistakes.iloc[-1]
    return Chart(figure, "mistakes", f"{low['policy']} takes the worse card least often "
                                     f"({percent(low['estimate'], 0)}), {high['policy']} most often "
                                     f"({percent(high['estimate'], 0)})",
                 caption(tables["about"], interval=f"{percent(LEVEL, 0)} intervals that hold for all {len(mistakes)} "
                                                   "together",
                         note="Judged by greedy's value of the outcome, with the hidden card known."),
                 "Share of takes in which the other card was better: " + ", ".join(
                     f"{row.policy} {percent(row.estimate, 0)}" for row in mistakes.itertuples()) + ".")


def _fooled_chart(tables: Tables) -> Chart:
    fooled = tables["fooled"]
    known = fooled[fooled["n_deals"] >= min(MIN_DEALS, int(fooled["n_deals"].max()))]
    rows = known.groupby("offerer")["estimate"].mean().sort_values(ascending=False).index
    columns = known.groupby("receiver")["estimate"].mean().sort_values(ascending=False).index
    wide = {name: known.pivot(index="offerer", columns="receiver", values=name).reindex(index=rows, columns=columns)
            for name in ("estimate", "low", "high")}
    middle = float(known["num"].sum() / known["den"].sum())
    figure, ax = theme.figure(height=1.9 + 0.33 * max(len(rows), 4))
    theme.heatmap(ax, wide["estimate"], low=wide["low"], high=wide["high"], centre=middle,
                  xlabel="who chooses, most often mistaken on the left", ylabel="who offers, most deceptive on top")
    top = largest(known, "estimate")
    return Chart(figure, "fooled", f"{top['offerer']} fools {top['receiver']} most: {percent(top['estimate'], 0)} of "
                                   f"takes are mistakes (on average {percent(middle, 0)})",
                 caption(tables["about"], n_deals=int(known["n_deals"].max()),
                         interval=f"{percent(LEVEL, 0)} intervals that hold for all {len(known)} cells together",
                         note="A cell is the share of takes, in per cent, in which the other card was better by "
                              f"greedy's value. Grey italics: the interval includes the average, {percent(middle)}."),
                 f"Heat map of mistakes by who offers and who chooses, between {percent(known['estimate'].min(), 0)} "
                 f"and {percent(known['estimate'].max(), 0)}.", key=True)
