"""Does starting help? Per matchup and in mirrors, against strength of play, and against changes of the rules.

Seat 0 always starts. Its score is the mean result of seat 0 over deals (a draw is half). In a mirror both seats play
the same policy, so what differs from 50 % is the seat's doing. Two different policies play each deal with the seats
swapped, so their difference in strength cancels and the mean result of seat 0 is the seat's doing there, too.

Rule changes are played with seeds of their own, so each is independent of the publisher's rules and of the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.report import Block, Chart, Column, Finding, Heading, Section, Table, Text, theme
from agentsim.runs import Run
from agentsim.stats import (
    adjusted_level,
    critical_value,
    difference_of_ratios,
    mean_of_deals,
    simultaneous_intervals,
    strength,
    win_rate_matrix,
)
from analyses.common import (
    LEVEL,
    about,
    caption,
    clear,
    finding,
    largest,
    listed,
    local,
    pair_histograms,
    percent,
    points,
    smallest,
    who,
)

__all__ = ["RuleChange", "displays", "figures", "findings", "section", "tables"]

ANCHOR, TITLE, QUESTION = "first-player", "First-player advantage", "Does starting help?"

Tables = dict[str, pd.DataFrame]
Tally = dict[str, NDArray[np.int64]]


@dataclass(frozen=True)
class RuleChange:
    """A run of mirrors under changed rules: what was changed ("hand size"), to which number, and the run."""

    rule: str
    value: int
    run: Run


# ------------------------------------------------------------------------------------------------ tables


def tables(run: Run, changes: Sequence[RuleChange] = ()) -> Tables:
    """All numbers of this analysis.

    Parameters
    ----------
    run : matchups of any kind; mirrors and a full round robin serve best.
    changes : mirrors under other rules, the publisher's value of each rule among them.

    Returns ``about``; ``mirrors`` (per policy: score of the starting seat, with the policy's strength if the run is a
    round robin); ``pairs`` (the same per pair of different policies); ``overall`` (their means); ``contrast`` (stronger
    half of the mirrors minus weaker half); ``rules`` (per change, value and policy) and ``effects`` (the difference
    that each value makes to the publisher's, per policy). Intervals hold simultaneously over each table.
    """
    matchups = run.matchups
    rows = [_start(str(row["policy_a"]), str(row["policy_b"]), tally, len(matchups))
            for (_, row), tally in zip(matchups.iterrows(), run.tallies(), strict=True)]
    start = pd.DataFrame(rows, columns=[*_START])
    alone = start["policy_a"] == start["policy_b"]
    mirrors = start[alone].drop(columns="policy_b").rename(columns={"policy_a": "policy"})
    mirrors = _resize(mirrors, len(mirrors)).merge(_strength(run), on="policy", how="left")
    pairs = start[~alone].reset_index(drop=True)
    found = {"about": about(run), "mirrors": mirrors, "pairs": _resize(pairs, len(pairs)),
             "overall": pd.DataFrame([_mean("mirrors", mirrors), _mean("pairs of different policies", pairs)]),
             "contrast": _contrast(mirrors)}
    found["rules"], found["effects"] = _rules(changes)
    return found


_START = ("policy_a", "policy_b", "score", "low", "high", "sd", "n_deals", "n_games")


def _start(a: str, b: str, tally: Tally, family: int) -> tuple[Any, ...]:
    """The score of the starting seat in one matchup."""
    counts = tally.get("deal_score_seat0", np.zeros(3 if a == b else 5, np.int64))
    found = mean_of_deals(counts, adjusted_level(family, LEVEL))
    top, n = len(counts) - 1, int(counts.sum())
    spread = float(counts @ (np.arange(top + 1) / top - found.estimate) ** 2) / (n - 1) if n > 1 else math.nan
    return a, b, found.estimate, found.low, found.high, math.sqrt(spread), found.n, found.n_games


def _resize(rows: pd.DataFrame, family: int) -> pd.DataFrame:
    """The rows with intervals that hold together over ``family`` of them."""
    bare = rows.drop(columns=["low", "high"]).rename(columns={"score": "estimate"})
    bare = bare.assign(se=bare["sd"] / np.sqrt(bare["n_deals"].where(bare["n_deals"] > 0)), n=bare["n_deals"])
    table = simultaneous_intervals(bare, family="all rows", family_size=family, level=LEVEL, bounds=(0.0, 1.0))
    return table.rename(columns={"estimate": "score"}).drop(columns="n").reset_index(drop=True)


def _strength(run: Run) -> pd.DataFrame:
    matrix = win_rate_matrix(pair_histograms(run))
    n = matrix["policy_a"].nunique()
    columns = {"score": "strength", "low": "strength_low", "high": "strength_high"}
    if n < 2 or len(matrix) != n * (n - 1) or (matrix["n_deals"] < 2).any():
        return pd.DataFrame(columns=["policy", *columns.values()])
    return strength(matrix)[["policy", *columns]].rename(columns=columns)


def _mean(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    """The mean of several matchups. They share deals: standard errors are added up, right for any correlation."""
    whole = rows[rows["n_deals"] > 1]
    estimate = float(whole["score"].mean()) if len(whole) else math.nan
    se = float((whole["sd"] / np.sqrt(whole["n_deals"])).mean()) if len(whole) else math.nan
    reach = critical_value(1, LEVEL) * se
    return {"group": name, "score": estimate, "low": estimate - reach, "high": estimate + reach,
            "n_matchups": len(whole), "n_deals": int(whole["n_deals"].max()) if len(whole) else 0,
            "n_games": int(whole["n_games"].sum())}


def _contrast(mirrors: pd.DataFrame) -> pd.DataFrame:
    """The starting seat's mean score in the mirrors of the stronger half minus that of the weaker half."""
    known = mirrors[mirrors["strength"].notna() & (mirrors["n_deals"] > 1)].sort_values("strength", ascending=False)
    half = len(known) // 2
    if half < 2:
        return pd.DataFrame(columns=["stronger", "weaker", "difference", "low", "high", "n_deals", "n_games"])
    strong, weak = _mean("stronger", known.head(half)), _mean("weaker", known.tail(half))
    difference = strong["score"] - weak["score"]
    reach = (strong["high"] - strong["low"] + weak["high"] - weak["low"]) / 2
    return pd.DataFrame([{
        "stronger": strong["score"], "weaker": weak["score"], "difference": difference, "low": difference - reach,
        "high": difference + reach, "n_deals": strong["n_deals"], "n_games": strong["n_games"] + weak["n_games"],
        "n_policies": 2 * half,
    }])


def _rules(changes: Sequence[RuleChange]) -> tuple[pd.DataFrame, pd.DataFrame]:
    rows, counts = [], {}
    for change in changes:
        for (_, row), tally in zip(change.run.matchups.iterrows(), change.run.tallies(), strict=True):
            if row["mirror"]:
                policy = str(row["policy_a"])
                counts[change.rule, change.value, policy] = tally.get("deal_score_seat0", np.zeros(3, np.int64))
                rows.append((change.rule, change.value, bool(about(change.run)["changes"].iloc[0] == ""),
                             *_start(policy, policy, tally, 1)))
    table = pd.DataFrame(rows, columns=["rule", "value", "publisher", "policy", "policy_b", *_START[2:]])
    table = table.drop(columns="policy_b")
    if len(table):
        table = _resize(table, len(table))
    return table, _effects(table, counts)


def _effects(table: pd.DataFrame, counts: dict[tuple[str, int, str], NDArray[np.int64]]) -> pd.DataFrame:
    """What each changed value does to the starting seat's score, against the publisher's value."""
    rows: list[tuple[Any, ...]] = []
    base = table[table["publisher"]] if len(table) else table
    changed = table[~table["publisher"]] if len(table) else table
    usual = {(row["rule"], row["policy"]): int(row["value"]) for row in base.to_dict("records")}
    level = adjusted_level(len(changed), LEVEL)
    for row in changed.to_dict("records"):
        key, value = (str(row["rule"]), str(row["policy"])), int(row["value"])
        if key not in usual:
            continue
        new, old = counts[key[0], value, key[1]], counts[key[0], usual[key], key[1]]
        # Independent samples: the deals of one are none of the other.
        score = np.arange(3) / 2
        first, second = np.repeat(score, new), np.repeat(score, old)
        nothing = np.zeros
        found = difference_of_ratios(
            np.concatenate([first, nothing(len(second))]), np.concatenate([np.ones(len(first)), nothing(len(second))]),
            np.concatenate([nothing(len(first)), second]), np.concatenate([nothing(len(first)), np.ones(len(second))]),
            level)
        rows.append((*key, value, usual[key], found.estimate, found.low, found.high, found.n, found.n))
    return pd.DataFrame(rows, columns=["rule", "policy", "value", "usual", "difference", "low", "high", "n_deals",
                                       "n_games"])


# ------------------------------------------------------------------------------------------------ charts


def figures(tables: Tables) -> dict[str, Chart]:
    """The charts that the tables have data for: ``mirrors``, ``strength``, ``pairs``, ``rules``."""
    charts = {}
    if tables["mirrors"]["score"].notna().any():
        charts["mirrors"] = _mirrors_chart(tables)
    if (tables["mirrors"]["strength"].notna() & tables["mirrors"]["score"].notna()).sum() > 2:
        charts["strength"] = _strength_chart(tables)
    if tables["pairs"]["score"].notna().sum() > 2:
        charts["pairs"] = _pairs_chart(tables)
    if len(tables["rules"]) and tables["rules"]["score"].notna().any():
        charts["rules"] = _rules_chart(tables)
    return charts


def _verdict(rows: pd.DataFrame) -> str:
    """In how many rows starting helps, hurts, or cannot be told."""
    helps, hurts = int((rows["low"] > 0.5).sum()), int((rows["high"] < 0.5).sum())
    parts = ([f"helps in {helps}"] if helps else []) + ([f"hurts in {hurts}"] if hurts else [])
    return f"{listed(parts) if parts else 'makes no clear difference in any'} of {len(rows)}"


def _mirrors_chart(tables: Tables) -> Chart:
    mirrors = tables["mirrors"].dropna(subset=["score"])
    figure, ax = theme.figure(rows=len(mirrors))
    theme.dot_interval(ax, mirrors, "policy", "score", "low", "high", reference=0.5,
                       xlabel="games won by the player who starts")
    return Chart(figure, "first-player-mirrors", f"Starting {_verdict(mirrors)} mirrors",
                 caption(tables["about"], n_games=int(mirrors["n_games"].sum()), n_deals=int(mirrors["n_deals"].max()),
                         policies="each against itself",
                         interval=f"{percent(LEVEL, 0)} intervals that hold for all {len(mirrors)} together (Sidak)"),
                 "Score of the starting player when a policy plays itself: " + ", ".join(
                     f"{row.policy} {percent(row.score)}" for row in mirrors.itertuples()) + ".", key=True)


def _strength_chart(tables: Tables) -> Chart:
    mirrors = tables["mirrors"].dropna(subset=["score", "strength"]).sort_values("strength")
    figure, ax = theme.figure(height=4.6)
    style = theme.series_style(0)
    with theme.use_theme():
        x = mirrors["strength"]
        ax.errorbar(x, mirrors["score"], xerr=[x - mirrors["strength_low"], mirrors["strength_high"] - x],
                    yerr=[mirrors["score"] - mirrors["low"], mirrors["high"] - mirrors["score"]],
                    fmt=style.marker, color=style.color, markersize=5, elinewidth=1.2, capsize=2)
        ax.axhline(0.5, color=theme.INK, linewidth=1.0, zorder=1.5)
        extremes = [pick(mirrors, column) for pick in (smallest, largest) for column in ("strength", "score")]
        middle = mirrors["strength"].median()
        for row in {str(row["policy"]): row for row in extremes}.values():
            left = row["strength"] > middle
            ax.annotate(str(row["policy"]), (row["strength"], row["high"]), xytext=(-4 if left else 4, 3),
                        textcoords="offset points", ha="right" if left else "left", fontsize=9, color=theme.INK)
        ax.margins(x=0.06, y=0.12)
        ax.set_xlabel("strength: score against all other policies")
        ax.set_ylabel("games won by the starter")
    theme.set_axis(ax, "x", "percent")
    theme.set_axis(ax, "y", "percent")
    contrast = tables["contrast"]
    title = "Each policy's first-player score beside its strength"
    if len(contrast):
        row = contrast.iloc[0]
        sign = clear(row, 0.0)
        word = {1: "worth more", -1: "worth less", 0: "not clearly worth more or less"}[sign]
        title = f"Starting is {word} among the stronger half of the policies ({points(row['difference'])})"
    return Chart(figure, "first-player-strength", title,
                 caption(tables["about"], n_games=int(mirrors["n_games"].sum()), n_deals=int(mirrors["n_deals"].max()),
                         policies=who(mirrors["policy"]), interval="simultaneous 95 % intervals, both ways",
                         note="These policies are no sample of all ways to play: the trend describes them and no "
                              "others."),
                 f"{len(mirrors)} policies by strength, from {percent(mirrors['strength'].min())} to "
                 f"{percent(mirrors['strength'].max())}, and by the starter's score in their mirror, from "
                 f"{percent(mirrors['score'].min())} to {percent(mirrors['score'].max())}.")


def _pairs_chart(tables: Tables) -> Chart:
    pairs, mirrors = tables["pairs"], tables["mirrors"]
    order = list(dict.fromkeys([*mirrors.sort_values("strength", ascending=False)["policy"], *pairs["policy_a"],
                                *pairs["policy_b"]]))
    wide = {}
    for name in ("score", "low", "high"):
        matrix = pd.DataFrame(np.nan, index=order, columns=order, dtype=float)
        for row in pairs.itertuples():
            matrix.loc[row.policy_a, row.policy_b] = matrix.loc[row.policy_b, row.policy_a] = getattr(row, name) - 0.5
        wide[name] = matrix
    figure, ax = theme.figure(height=1.9 + 0.33 * max(len(order), 4))
    theme.heatmap(ax, wide["score"], low=wide["low"], high=wide["high"], centre=0.0, kind="points",
                  xlabel="one policy", ylabel="the other, strongest on top")
    most = largest(pairs.assign(gap=pairs["score"] - 0.5), "gap", size=True)
    return Chart(figure, "first-player-pairs",
                 f"Starting {_verdict(pairs)} pairs; the most between {most['policy_a']} and {most['policy_b']} "
                 f"({points(most['score'] - 0.5)})",
                 caption(tables["about"], n_games=int(pairs["n_games"].sum()), n_deals=int(pairs["n_deals"].max()),
                         interval=f"{percent(LEVEL, 0)} intervals that hold for all {len(pairs)} pairs together "
                                  "(Sidak)",
                         note="A cell is how far the starter's share of games lies above 50 %, in percentage points, "
                              "whoever starts; both halves are the same. Grey italics: the interval includes 0."),
                 f"Symmetric heat map of the first-player advantage in {len(pairs)} pairs, between "
                 f"{points(float(pairs['score'].min()) - 0.5)} and {points(float(pairs['score'].max()) - 0.5)}.")


def _rules_chart(tables: Tables) -> Chart:
    rules = tables["rules"].dropna(subset=["score"])
    names = list(dict.fromkeys(rules["rule"]))
    figure, axes = theme.figure(height=3.9, ncols=len(names), sharey=True, squeeze=False)
    for ax, name in zip(axes[0], names, strict=True):
        panel = rules[rules["rule"] == name]
        for at, policy in enumerate(dict.fromkeys(rules["policy"])):
            part = panel[panel["policy"] == policy].sort_values("value")
            if len(part):
                theme.line_band(ax, part["value"], part["score"], part["low"], part["high"], label=policy, index=at,
                                reference=0.5 if at == 0 else None)
        with theme.use_theme():
            ax.set_title(name)
            ax.set_xlabel(_UNITS.get(name, "value"))
            ax.set_xticks(sorted(set(panel["value"])))
    with theme.use_theme():
        axes[0][0].set_ylabel("games won by the starter")
    return Chart(figure, "first-player-rules", _rules_title(tables["effects"]),
                 caption(tables["about"], n_games=int(rules.drop_duplicates(["publisher", "policy", "rule", "value"])
                                                      .pipe(_played)["n_games"].sum()),
                         n_deals=int(rules["n_deals"].max()), policies="each against itself",
                         interval=f"{percent(LEVEL, 0)} intervals that hold for all {len(rules)} points together "
                                  "(Sidak)",
                         note="Every rule set has a seed of its own, from this one on."),
                 "Three panels of lines: the starter's score by " + listed(names) + ", for " + listed(
                     list(dict.fromkeys(rules["policy"]))) + f"; all between {percent(rules['score'].min())} and "
                 f"{percent(rules['score'].max())}.", key=True)


_UNITS = {"hand size": "cards in hand", "discards": "discards per player", "ring length": "spaces on the ring"}


def _played(rules: pd.DataFrame) -> pd.DataFrame:
    """Rows without the repetition of the publisher's rules, which stand in every panel."""
    return rules.drop_duplicates([*["policy", "score", "n_games", "sd"]])


def _rules_title(effects: pd.DataFrame) -> str:
    moved = effects[(effects["low"] > 0) | (effects["high"] < 0)]
    if not len(moved):
        return "No rule change clearly moves the first-player advantage"
    most = largest(moved, "difference", size=True)
    return (f"{str(most['rule']).capitalize()} moves the advantage most: {points(most['difference'])} for "
            f"{most['policy']} with {most['value']} instead of {most['usual']}")


# ------------------------------------------------------------------------------------------------ words and tables


def findings(tables: Tables) -> list[Finding]:
    """What the tables say, the most important first."""
    said: list[Finding | None] = []
    mirrors = tables["mirrors"]
    known = mirrors[mirrors["strength"].notna()]
    top = largest(known, "strength") if len(known) else mirrors.iloc[-1] if len(mirrors) else None
    simultaneous = "simultaneous 95 % interval"
    if top is not None:
        word = {1: "helps", -1: "is a handicap", 0: "makes no clear difference"}[clear(top, 0.5)]
        said.append(finding(f"Starting {word} when `{top['policy']}` plays itself: the player who starts wins "
                            "{value}.",
                            top, estimate="score", interval=simultaneous, section=ANCHOR))
    pairs = tables["overall"].iloc[1]
    if pairs["n_matchups"]:
        word = {1: "an advantage", -1: "a handicap", 0: "no clear advantage"}[clear(pairs, 0.5)]
        said.append(finding(f"Over all {pairs['n_matchups']} pairs of different policies starting is {word}: the "
                            "starter wins {value}.", pairs, estimate="score", section=ANCHOR))
    effects = tables["effects"]
    moved = effects[(effects["low"] > 0) | (effects["high"] < 0)]
    if len(moved):
        most = largest(moved, "difference", size=True)
        said.append(finding(f"Of all rule changes tried, {most['rule']} {most['value']} instead of "
                            f"{most['usual']} moves the first-player advantage most: {{value}} when "
                            f"`{most['policy']}` plays itself.",
                            most, estimate="difference", unit="pp", interval=simultaneous, section=ANCHOR))
    if len(tables["contrast"]):
        row = tables["contrast"].iloc[0]
        word = {1: "worth more", -1: "worth less", 0: "not clearly worth more or less"}[clear(row, 0.0)]
        said.append(finding(f"Starting is {word} among the stronger half of the policies than among the weaker: "
                            f"{percent(row['stronger'], 2)} against {percent(row['weaker'], 2)}, a difference of "
                            "{value}.",
                            row, estimate="difference", unit="pp", section=ANCHOR))
    return [item for item in said if item is not None]


def displays(tables: Tables) -> dict[str, Table]:
    """The tables of the page: ``mirrors``, ``pairs``, ``rules``."""
    shown = {}
    if tables["mirrors"]["score"].notna().any():
        shown["mirrors"] = Table(tables["mirrors"].sort_values("score", ascending=False), "first-player-mirrors-table",
                                 "Mirrors", {
            "policy": Column("policy against itself"),
            "score": Column("starter wins", "percent", "low", "high", help="A draw counts half."),
            "strength": Column("strength", "percent", "strength_low", "strength_high", bar=False,
                               help="Score against all other policies."),
            "n_deals": Column("deals = games", "int"),
        })
    if tables["pairs"]["score"].notna().any():
        shown["pairs"] = Table(tables["pairs"].sort_values("score", ascending=False), "first-player-pairs-table",
                               "Pairs of different policies", {
            "policy_a": Column("policy"), "policy_b": Column("other policy"),
            "score": Column("starter wins", "percent", "low", "high", help="Whoever starts; a draw counts half."),
            "n_deals": Column("deals", "int"), "n_games": Column("games", "int"),
        }, rows=10)
    if len(tables["effects"]):
        shown["rules"] = Table(tables["effects"].sort_values("difference", key=lambda d: d.abs(), ascending=False),
                               "first-player-rules-table", "What rule changes do to the first-player advantage", {
            "rule": Column("rule"), "policy": Column("policy against itself"),
            "value": Column("value", "int"), "usual": Column("publisher's", "int"),
            "difference": Column("change of the starter's share", "points", "low", "high"),
            "n_games": Column("games", "int", help="Under both values together."),
        }, note="Simultaneous intervals (Sidak) over all rows. Each rule set has a seed of its own.", rows=10)
    return shown


def section(tables: Tables) -> Section:
    """The page."""
    charts, shown = figures(tables), displays(tables)
    blocks: list[Block] = [*local(findings(tables))]
    if not charts:
        blocks.append(Text("There is not enough data here: no games were played.", "note"))
    if "mirrors" in charts:
        blocks += [Heading("When a policy plays itself", "mirrors"), charts["mirrors"], shown["mirrors"]]
    if "strength" in charts:
        blocks += [Heading("Does better play change it?", "strength"), charts["strength"]]
    if "pairs" in charts:
        blocks += [Heading("Between different policies", "pairs"), charts["pairs"], shown["pairs"]]
    blocks.append(Heading("Do the rules change it?", "rules"))
    if "rules" in charts:
        blocks += [Text("Mirrors under the publisher's rules and with one rule changed at a time: the hand size, the "
                        "discards each player has, the spaces on the ring (homes opposite each other). A policy that "
                        "never discards plays the same with any number of discards; its line differs by chance alone."),
                   charts["rules"], *([shown["rules"]] if "rules" in shown else [])]
    else:
        blocks.append(Text("No runs under changed rules were given.", "note"))
    return Section(ANCHOR, TITLE, QUESTION, blocks, lead=_lead(tables))


def _lead(tables: Tables) -> str:
    mirrors = tables["mirrors"].dropna(subset=["score"])
    if not len(mirrors):
        return "No policy has played itself here."
    text = f"Starting {_verdict(mirrors)} mirrors"
    pairs = tables["pairs"].dropna(subset=["score"])
    return text + (f" and {_verdict(pairs)} pairs of different policies." if len(pairs) else ".")
