"""What is shown of a comparison of rule sets: charts, sentences, tables, a page; from the tables of ``whatif``.

``tables`` puts together what the other functions take, so that the page, the terminal and a notebook say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.ticker import MaxNLocator

from agentsim.report import Block, Chart, Column, Finding, Heading, Section, Table, Text, numbers, theme
from analyses.common import largest, listed, percent, points, rows_of
from analyses.whatif import FIRST_PLAYER, Measured, differences, doses, nearest_value

__all__ = ["displays", "figures", "findings", "section", "sentences", "tables"]

ANCHOR, TITLE, QUESTION = "what-if", "What if", "What does a change of the rules do?"

Tables = dict[str, pd.DataFrame]


def tables(measured: Measured, *, change: str, base: str = "", vary: str = "", values: Sequence[Any] = (),
           aim: tuple[str, float | None] = (FIRST_PLAYER, None)) -> Tables:
    """All numbers of a comparison.

    Parameters
    ----------
    measured : what was played; the base first.
    change, base : what was changed, and what the base is if not the publisher's rules, in words.
    vary, values : the key of a dose curve and its values, in the order of the variants; none: variants are compared
        with the base one by one.
    aim : a metric, and the number that it should have (None: no aim).

    Returns ``about`` (one row of facts) and either ``differences``, or ``doses`` and, with an aim, ``nearest``.
    """
    metric, wanted = aim
    about = pd.DataFrame([{
        "seed": str(measured.seed), "n_deals": measured.n_deals, "n_games": int(measured.n_games.sum()),
        "policies": ", ".join(measured.policies), "change": change, "base": base or "the publisher's rules",
        "vary": vary, "metric": metric, "aim": float("nan") if wanted is None else wanted}])
    if not vary:
        return {"about": about, "differences": differences(measured)}
    curve = doses(measured, values)
    found = {"about": about, "doses": curve}
    if wanted is not None:
        found["nearest"] = nearest_value(curve, metric, wanted)
    return found


def written(number: float, rate: bool, half_width: float) -> str:
    """A number as far as its interval supports it: ``48.5 %``, ``7.21``."""
    kind: numbers.Kind = "percent" if rate else "number"
    return numbers.value(number, kind, numbers.decimals_for(kind, [half_width]))


def gap(row: Any) -> str:
    """A difference with its unit: ``+1.3 pp``, ``+0.08``."""
    half = (row.high - row.low) / 2
    if row.rate:
        return points(row.difference, numbers.decimals_for("points", [half]))
    return ("+" if row.difference > 0 else "") + numbers.value(row.difference, "number",
                                                               numbers.decimals_for("number", [half]))


def sentences(found: Tables) -> list[str]:
    """The answer in words, one sentence per line of play or more; nothing is called different without its interval."""
    about = found["about"].iloc[0]
    if "doses" in found:
        return _dose_sentences(found, about)
    said = []
    for (policies, variant), part in found["differences"].groupby(["policies", "variant"], sort=False):
        clear = part[part["clear"] != 0]
        if (part["difference"].abs().max() == 0) and (part["correlation"].dropna() > 1 - 1e-9).all():
            said.append(f"{policies}, {variant}: every headline number is the same in every deal; the change does not "
                        "reach this play.")
            continue
        moved = [f"{row.label} {written(row.base, row.rate, (row.base_high - row.base_low) / 2)} -> "
                 f"{written(row.changed, row.rate, (row.changed_high - row.changed_low) / 2)} ({gap(row)})"
                 for row in rows_of(clear)]
        still = len(part) - len(clear)
        said.append(f"{policies}, {variant}: " + (listed(moved) if moved else "no clear difference") + (
            f"; no clear difference in {still} more." if still and moved else "."))
    return said


def _dose_sentences(found: Tables, about: pd.Series) -> list[str]:
    if "nearest" not in found:
        return []
    said = []
    rate = bool(found["doses"].loc[found["doses"]["metric"] == about["metric"], "rate"].iloc[0])
    for row in rows_of(found["nearest"]):
        half = (row.high - row.low) / 2
        text = (f"{row.policies}: {about['vary']} = {row.value} comes nearest to {about['metric']} = "
                f"{written(about['aim'], rate, 0.01 if rate else 0.1)}, with {written(row.estimate, rate, half)}")
        text += f"; {row.rivals} may be as near" if row.rivals else ""
        said.append(text + ("." if row.hit else "; its interval does not hold the aim itself."))
    return said


# ------------------------------------------------------------------------------------------------ charts


def figures(found: Tables) -> dict[str, Chart]:
    """The charts: ``differences``, or ``doses`` (the metric aimed at) and ``turns``."""
    if "doses" in found:
        metric = str(found["about"]["metric"].iloc[0])
        charts = {"doses": _dose_chart(found, metric, "doses")}
        if metric != "turns" and (found["doses"]["metric"] == "turns").any():
            charts["turns"] = _dose_chart(found, "turns", "dose-turns")
        return charts
    return {"differences": _difference_chart(found)}


def _caption(found: Tables, interval: str) -> str:
    about = found["about"].iloc[0]
    return theme.caption(int(about["n_games"]), int(about["n_deals"]), seed=int(about["seed"]),
                         policies=str(about["policies"]).split(", "), interval=interval,
                         note=f"Both sides play the same deals. Base: {about['base']}.")


def _difference_chart(found: Tables) -> Chart:
    rates = found["differences"][found["differences"]["rate"]]
    variants = rates["variant"].nunique()
    group = rates["policies"] if variants == 1 else rates["policies"] + ", " + rates["variant"]
    rates = rates.assign(series=group)
    order = rates.groupby("label", sort=False)["difference"].apply(lambda column: column.abs().max())
    rates = rates.sort_values("label", key=lambda column: -column.map(order), kind="stable")
    figure, ax = theme.figure(rows=max(3, rates["label"].nunique() * max(1, rates["series"].nunique()) // 2 + 2))
    theme.dot_interval(ax, rates, "label", "difference", "low", "high", reference=0.0, kind="points",
                       group="series" if rates["series"].nunique() > 1 else None, sort=False,
                       xlabel="change, in percentage points")
    clear = rates[rates["clear"] != 0]
    about = found["about"].iloc[0]
    if len(clear):
        top = largest(clear, "difference", size=True)
        title = (f"{about['change']}: the largest change is in \"{top['label']}\", {points(top['difference'])} "
                 f"({top['policies']})")
    else:
        title = f"{about['change']}: no clear change in any of these"
    size = int(rates["family_size"].iloc[0])
    return Chart(figure, "what-if", title, _caption(found, f"simultaneous 95 % intervals over {size} differences"),
                 "Changes of rates: " + "; ".join(f"{row.label} {points(row.difference)} ({row.policies})"
                                                  for row in rows_of(rates.head(12))) + ".")


def _dose_chart(found: Tables, metric: str, name: str) -> Chart:
    about = found["about"].iloc[0]
    part = found["doses"][found["doses"]["metric"] == metric]
    rate, label = bool(part["rate"].iloc[0]), str(part["label"].iloc[0])
    aim = float(about["aim"]) if metric == about["metric"] and about["aim"] == about["aim"] else None
    kind: numbers.Kind = "percent" if rate else "number"
    numeric = pd.to_numeric(part["value"], errors="coerce").notna().all()
    several = part["policies"].nunique() > 1
    if numeric:
        figure, ax = theme.figure(height=3.8)
        for at, (policies, curve) in enumerate(part.groupby("policies", sort=False)):
            theme.line_band(ax, curve["value"], curve["estimate"], curve["low"], curve["high"], kind=kind, index=at,
                            label=str(policies) if several else "", reference=aim)
        with theme.use_theme():
            ax.set_xlabel(str(about["vary"]))
            ax.set_ylabel(label)
            if all(float(value).is_integer() for value in part["value"]):
                ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        shown = part.assign(value=part["value"].astype(str))
        figure, ax = theme.figure(rows=max(3, part["value"].nunique() * part["policies"].nunique()))
        theme.dot_interval(ax, shown, "value", "estimate", "low", "high", kind=kind, reference=aim, sort=False,
                           group="policies" if several else None, xlabel=label)
    ends = [f"{policies} {written(curve['estimate'].iloc[0], rate, 0.005)} to "
            f"{written(curve['estimate'].iloc[-1], rate, 0.005)}" for policies, curve in part.groupby("policies",
                                                                                                      sort=False)]
    if aim is not None and "nearest" in found:
        best = found["nearest"]
        values = list(dict.fromkeys(str(value) for value in best["value"]))
        rivals = "" if not any(best["rivals"]) else ", among values that may be as near"
        title = (f"With {about['vary']} = {listed(values, 'or')}, {label} comes nearest to "
                 f"{written(aim, rate, 0.01 if rate else 0.1)}{rivals}")
    else:
        first, last = part["value"].iloc[0], part["value"].iloc[-1]
        title = f"{label[0].upper()}{label[1:]}, from {about['vary']} = {first} to {last}: {'; '.join(ends)}"
    n_values = part["value"].nunique()
    return Chart(figure, name, title, _caption(found, f"simultaneous 95 % intervals over {n_values} values"),
                 f"{label} by {about['vary']}: " + "; ".join(
                     f"{row.policies} at {row.value} {written(row.estimate, rate, 0.005)}"
                     for row in rows_of(part.head(16))) + ".")


# ------------------------------------------------------------------------------------------------ the page


def findings(found: Tables) -> list[Finding]:
    """The numbers that answer the question: the clear differences in who wins, or the value nearest to the aim."""
    about = found["about"].iloc[0]
    said: list[Finding] = []
    if "nearest" in found:
        rate = bool(found["doses"].loc[found["doses"]["metric"] == about["metric"], "rate"].iloc[0])
        for row in rows_of(found["nearest"]):
            said.append(Finding(
                f"`{row.policies}`: {about['vary']} = {row.value} comes nearest to the aim, with {{value}}"
                + (f"; {row.rivals} may be as near." if row.rivals else "."), row.estimate, row.low, row.high,
                n=row.n_games, deals=row.n_deals, unit="%" if rate else "",
                interval=f"simultaneous 95 % interval over {found['doses']['value'].nunique()} values"))
        return said
    if "differences" not in found:
        return said
    for row in rows_of(found["differences"]):
        if row.metric == FIRST_PLAYER:
            what = {1: "rises", -1: "falls", 0: "does not clearly change"}[row.clear]
            said.append(Finding(
                f"`{row.policies}`, {row.variant}: the score of who starts {what}, from {percent(row.base)} to "
                f"{percent(row.changed)} ({{value}}).", row.difference, row.low, row.high, n=row.n_games,
                deals=row.n_deals, unit="pp",
                interval=f"simultaneous 95 % interval over {row.family_size} differences"))
    return said


def displays(found: Tables) -> dict[str, Table]:
    """The tables: ``rates`` and ``lengths`` of a comparison, or ``doses``."""
    if "doses" in found:
        curve = found["doses"]
        shown = {}
        for name, title, rate in (("doses", "Every rate at every value", True),
                                  ("dose-lengths", "Lengths at every value", False)):
            part = curve[curve["rate"] == rate]
            if len(part):
                shown[name] = Table(part, name, title, {
                    "policies": Column("policies"), "value": Column("value"), "label": Column("number"),
                    "estimate": Column("mean", "percent" if rate else "number", "low", "high", bar=False),
                    "difference": Column("change from the base", "points" if rate else "number", "difference_low",
                                         "difference_high"),
                    "n_games": Column("games", "int")}, rows=30,
                    note="Simultaneous 95 % intervals over the values of each curve; changes are paired by deal.")
        return shown
    shown = {}
    for name, title, rate in (("rates", "Shares and scores", True), ("lengths", "Lengths", False)):
        part = found["differences"][found["differences"]["rate"] == rate]
        if len(part):
            kind: numbers.Kind = "percent" if rate else "number"
            several = {"variant": Column("change")} if part["variant"].nunique() > 1 else {}
            shown[name] = Table(part, name, title, {
                "policies": Column("policies"), **several, "label": Column("number"),
                "base": Column("before", kind, "base_low", "base_high", bar=False),
                "changed": Column("after", kind, "changed_low", "changed_high", bar=False),
                "difference": Column("difference", "points" if rate else "number", "low", "high", reference=0.0),
                "correlation": Column("correlation", "number", decimals=2, help="Of the two results of a deal. The "
                                      "nearer to 1, the more the same deals have helped."),
                "n_games": Column("games", "int"),
            }, rows=40, note=f"Intervals hold together with 95 % (Sidak) over {int(part['family_size'].iloc[0])} "
                             "differences.")
    return shown


def section(found: Tables) -> Section:
    """The page."""
    about = found["about"].iloc[0]
    blocks: list[Block] = [*findings(found), *figures(found).values(), Heading("All numbers", "numbers"),
                           *displays(found).values()]
    if "differences" in found:
        blocks.append(Text("Every deal was played under both rule sets, with the same cards and the same coins as far "
                           "as the changed rules allow, so each difference is a difference of one deal."))
    lead = (f"{about['change']}, compared with {about['base']}: {int(about['n_deals']):,} deals for each line of play, "
            f"both sides on the same deals.")
    return Section(ANCHOR, TITLE, QUESTION, blocks, lead=lead)
