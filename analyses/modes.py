"""What the modes do: the Black Market to the game, teams to the sides, Division M to how games end.

``tables(run)`` plays every mode in mirrors of the run's policies, all on deals of the run's seed, and keeps sums only.
The Black Market is compared with base mode deal by deal, as :mod:`analyses.whatif` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from agentsim.games.base import get_game
from agentsim.report import Block, Chart, Column, Finding, Heading, Section, Table, Text, theme
from agentsim.runs import Run
from agentsim.simulation.progress import Meter
from agentsim.stats import adjusted_level
from analyses.common import LEVEL, clear, finding, largest, local, percent, points, rows_of, smallest
from analyses.whatif import Measured, Variant, differences, measure

__all__ = ["SETUPS", "displays", "figures", "findings", "section", "tables"]

ANCHOR, TITLE, QUESTION = "modes", "Modes", "What do Black Market, teams and Division M change?"
DEALS = 40_000

SETUPS: Mapping[str, Mapping[str, Any]] = {
    "base": {},
    "advanced": {"rules.mode": "advanced"},
    "two against two": {"rules.players": 4},
    "two against two, advanced": {"rules.players": 4, "rules.mode": "advanced"},
    "one against two": {"rules.players": 3},
    "one against two, advanced": {"rules.players": 3, "rules.mode": "advanced"},
    "Division M (stand-in)": {"rules.expansion": "division_m"},
    "Division M (stand-in), advanced": {"rules.expansion": "division_m", "rules.mode": "advanced"},
    "Division M (stand-in), two against two": {"rules.expansion": "division_m", "rules.players": 4},
    "Division M (stand-in), two against two, advanced": {
        "rules.expansion": "division_m", "rules.players": 4, "rules.mode": "advanced"},
}
"""The modes by name, with the rules that make them; the first is what the market is compared with.

Division M's agent and Black Market cards are stand-ins of this project: no source tells the real ones.
"""

Tables = dict[str, pd.DataFrame]


# ------------------------------------------------------------------------------------------------ tables


def tables(run: Run, *, deals: int = DEALS, workers: int = 1, stage: Callable[[str, int], Meter] | None = None
           ) -> Tables:
    """All numbers of this analysis.

    Parameters
    ----------
    run : whose policies play and whose seed fixes the deals; its own games are not looked at.
    deals : deals of every mode and policy; one against two plays each twice, with either side as the single player.
    workers, stage : how many at a time; what is told how far it is.

    Returns ``about``; ``market`` (advanced minus base, as ``whatif.differences``); ``sides`` (score of the side that
    starts, per mode and policy); ``lone`` (score of the single player); ``traps`` (share of games that Division M's
    trap decides) and ``turns`` (length). Columns of the last four: ``setup, policy, estimate, low, high, n_deals,
    n_games, family_size``, simultaneous over each table.
    """
    game = get_game(run.experiment.game)
    keys = {name: value for name, value in run.rules.items() if name in ("rules.tie_rule", "rules.hand_size")}
    variants = [Variant(name, game.rules({**keys, **changes})) for name, changes in SETUPS.items()]
    refs = run.experiment.policies
    total = sum(deals * (2 if variant.rules.players == 3 else 1) for variant in variants) * len(refs)
    meter = stage("every mode", total) if stage else None
    measured = measure(game, variants, [(ref, ref) for ref in refs], deals, run.seed, workers=workers, meter=meter)
    names = list(SETUPS)
    found = {"market": _market(measured)}
    for name, metric, setups in (("sides", "first_player", names), ("turns", "turns", names),
                                 ("lone", "lone", [name for name in names if "one against two" in name]),
                                 ("traps", "end_division_m", [name for name in names if "Division M" in name])):
        found[name] = _values(measured, metric, setups)
    about = pd.DataFrame([{"seed": str(run.seed), "n_deals": deals, "n_games": int(measured.n_games.sum()),
                           "policies": ", ".join(measured.policies)}])
    return {"about": about, **found}


def _market(measured: Measured) -> pd.DataFrame:
    """Advanced minus base, as a comparison of these two alone."""
    two = [0, 1]
    return differences(Measured(measured.metrics, [measured.variants[at] for at in two], measured.policies,
                                measured.seed, measured.n_deals, measured.n_games[:, two], measured.total[:, two],
                                measured.square[:, two], measured.cross[:, two]))


def _values(measured: Measured, metric: str, setups: list[str]) -> pd.DataFrame:
    at = next(index for index, each in enumerate(measured.metrics) if each.key == metric)
    size = len(setups) * len(measured.policies)
    level = adjusted_level(size, LEVEL)
    rows = []
    for v, variant in enumerate(measured.variants):
        if variant.label not in setups:
            continue
        for m, policy in enumerate(measured.policies):
            value = measured.value(m, v, at, level)
            rows.append({"setup": variant.label, "policy": policy, "estimate": value.estimate, "low": value.low,
                         "high": value.high, "n_deals": measured.n_deals, "n_games": value.n_games,
                         "family_size": size})
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------------------------ charts


def figures(found: Tables) -> dict[str, Chart]:
    """The charts ``market, sides, lone, traps``."""
    return {"market": _market_chart(found), "sides": _sides_chart(found), "lone": _lone_chart(found),
            "traps": _traps_chart(found)}


def _caption(found: Tables, table: pd.DataFrame, note: str) -> str:
    about = found["about"].iloc[0]
    return theme.caption(int(table["n_games"].sum()), int(about["n_deals"]), seed=int(about["seed"]),
                         policies=str(about["policies"]).split(", "), note=note,
                         interval=f"simultaneous 95 % intervals over {int(table['family_size'].iloc[0])} numbers")


def _market_chart(found: Tables) -> Chart:
    rates = found["market"][found["market"]["rate"]]
    order = rates.groupby("label", sort=False)["difference"].apply(lambda column: column.abs().max())
    rates = rates.sort_values("label", key=lambda column: -column.map(order), kind="stable")
    figure, ax = theme.figure(rows=max(4, rates["label"].nunique() * (rates["policies"].nunique() + 1) // 2))
    theme.dot_interval(ax, rates, "label", "difference", "low", "high", reference=0.0, kind="points", group="policies",
                       sort=False, xlabel="advanced minus base, in percentage points")
    starts = rates[rates["metric"] == "first_player"]
    moved = starts[starts["clear"] != 0]
    top = largest(moved if len(moved) else starts, "difference", size=True)
    title = (f"The Black Market changes the score of who starts by {points(top['difference'])} ({top['policies']})"
             if len(moved) else "The Black Market does not clearly change the score of who starts")
    return Chart(figure, "modes-market", title, _caption(
        found, rates, "Both modes on the same deals; paired by deal."),
        "Differences between advanced and base mode: " + "; ".join(
            f"{row.label} {points(row.difference)} ({row.policies})" for row in rows_of(rates.head(12))) + ".",
        key=True)


def _sides_chart(found: Tables) -> Chart:
    table = found["sides"]
    figure, ax = theme.figure(rows=table["setup"].nunique() * (table["policy"].nunique() + 1) // 2)
    theme.dot_interval(ax, table, "setup", "estimate", "low", "high", reference=0.5, group="policy", sort=False,
                       xlabel="score of the side that starts")
    far = table.assign(gap=table["estimate"] - 0.5)
    top = largest(far, "gap", size=True)
    side = clear(top, 0.5)
    title = (f"Starting {'helps' if side > 0 else 'hurts'} most in {top['setup']}: the side that starts scores "
             f"{percent(top['estimate'])} ({top['policy']})" if side else
             "No mode clearly favours the side that starts")
    return Chart(figure, "modes-sides", title, _caption(found, table, "Mirrors: both sides play alike."),
                 "Score of the side that starts: " + "; ".join(
                     f"{row.setup} {percent(row.estimate)} ({row.policy})" for row in rows_of(table.head(12))) + ".")


def _lone_chart(found: Tables) -> Chart:
    table = found["lone"]
    figure, ax = theme.figure(rows=max(4, table["setup"].nunique() * table["policy"].nunique()))
    theme.dot_interval(ax, table, "setup", "estimate", "low", "high", reference=0.5, group="policy", sort=False,
                       xlabel="score of the single player against the team of two")
    top, low = largest(table, "estimate"), smallest(table, "estimate")
    title = (f"One player against two scores {percent(low['estimate'])} ({low['policy']}, {_mode(low)}) to "
             f"{percent(top['estimate'])} ({top['policy']}, {_mode(top)})")
    return Chart(figure, "modes-lone", title, _caption(
        found, table, "Each deal is played twice: the single player starts, and the team starts."),
        "Score of the single player: " + "; ".join(f"{row.policy} {percent(row.estimate)} ({_mode(row)})"
                                                   for row in rows_of(table)) + ".")


def _mode(row: Any) -> str:
    return "advanced" if "advanced" in (row["setup"] if isinstance(row, pd.Series) else row.setup) else "base"


def _traps_chart(found: Tables) -> Chart:
    table = found["traps"]
    figure, ax = theme.figure(rows=table["setup"].nunique() * (table["policy"].nunique() + 1) // 2 + 1)
    theme.dot_interval(ax, table, "setup", "estimate", "low", "high", group="policy", sort=False,
                       xlabel="games won by the Division M pawn's trap")
    top, low = largest(table, "estimate"), smallest(table, "estimate")
    return Chart(figure, "modes-traps",
                 f"Division M's trap decides {percent(low['estimate'])} to {percent(top['estimate'])} of games "
                 "(stand-in cards)", _caption(found, table, "Division M's agent and market cards are stand-ins of "
                                              "this project, not the publisher's."),
                 "Share of games that the trap decides: " + "; ".join(
                     f"{row.setup} {percent(row.estimate)} ({row.policy})" for row in rows_of(table)) + ".")


# ------------------------------------------------------------------------------------------------ the page


def findings(found: Tables) -> list[Finding]:
    """What to say first: the market and the start, the market and length, the favoured side, the trap."""
    said: list[Finding | None] = []
    market = found["market"]
    last = str(market["policies"].iloc[-1])
    mine = market[market["policies"] == last]
    interval = f"simultaneous 95 % interval over {int(market['family_size'].iloc[0])} differences"
    for metric, text in (("first_player", "the score of who starts"), ("turns", "the length of a game, in turns,")):
        part = mine[mine["metric"] == metric]
        if not len(part):
            continue
        row = part.iloc[0]
        verb = {1: "raises", -1: "lowers", 0: "does not clearly change"}[int(row["clear"])]
        said.append(finding(f"The Black Market {verb} {text} by {{value}} (`{last}`)." if row["clear"] else
                            f"The Black Market {verb} {text} ({{value}}, `{last}`).", row, estimate="difference",
                            unit="pp" if row["rate"] else "turns", interval=interval, section=ANCHOR))
    for name, text in (("lone", "One player against a team of two scores {value}"),
                       ("traps", "The Division M pawn's trap decides {value} of games (stand-in cards)")):
        part = found[name][found[name]["policy"] == last]
        if len(part):
            row = part.iloc[0]
            said.append(finding(f"{text} (`{last}`, {_mode(row)}).", row, section=ANCHOR,
                                interval=f"simultaneous 95 % interval over {row['family_size']} numbers"))
    return [item for item in said if item is not None]


def displays(found: Tables) -> dict[str, Table]:
    """The tables ``market, sides, lone, traps, turns``."""
    market = found["market"]
    columns = {"setup": Column("mode"), "policy": Column("policy"),
               "estimate": Column("score of who starts", "percent", "low", "high"), "n_deals": Column("deals", "int"),
               "n_games": Column("games", "int")}
    note = "Mirrors of each policy. Intervals hold together over the table (Sidak)."
    shown = {}
    for rate, name, title in ((True, "market", "Shares and scores, base and advanced"),
                              (False, "market-lengths", "Lengths, base and advanced")):
        part = market[market["rate"] == rate]
        kind: Any = "percent" if rate else "number"
        shown[name] = Table(part, f"modes-{name}", title, {
            "policies": Column("policy"), "label": Column("number"),
            "base": Column("base", kind, "base_low", "base_high", bar=False),
            "changed": Column("advanced", kind, "changed_low", "changed_high", bar=False),
            "difference": Column("difference", "points" if rate else "number", "low", "high", reference=0.0),
            "n_games": Column("games", "int")}, rows=40,
            note="Paired by deal; intervals hold together over all differences (Sidak).")
    for name, title, label, kind in (("sides", "The side that starts", "score of who starts", "percent"),
                                     ("lone", "One player against a team", "single player scores", "percent"),
                                     ("traps", "Games that Division M's trap decides", "games", "percent"),
                                     ("turns", "Length of a game", "turns", "number")):
        shown[name] = Table(found[name], f"modes-{name}-table", title,
                            {**columns, "estimate": Column(label, kind, "low", "high")}, note=note, rows=40)
    return shown


def section(found: Tables) -> Section:
    """The page."""
    charts, shown = figures(found), displays(found)
    said = findings(found)
    blocks: list[Block] = [
        *local(said),
        Heading("What the Black Market changes", "market"), charts["market"], shown["market"], shown["market-lengths"],
        Heading("Which side is favoured", "sides"),
        Text("Seat means side: a player, or a team of two. Both sides play the same policy."), charts["sides"],
        shown["sides"], charts["lone"], shown["lone"],
        Heading("Division M", "division-m"),
        Text("The agent and the Black Market cards of Division M are **stand-ins** of this project: what the real ones "
             "say is in no source. These numbers say how the expansion's *rules* play out with them, and nothing about "
             "the real cards.", "warning"), charts["traps"], shown["traps"],
        Heading("How long games take", "length"), shown["turns"]]
    lead = " ".join(f"{item.text.replace('{value}', item.number)}" for item in said[:2])
    return Section(ANCHOR, TITLE, QUESTION, blocks, lead=lead)
