"""How a game unfolds: length, ends by kind, what a lead is worth and when, lead changes, comebacks, the tie rule.

Mirrors serve best: there a lead is luck or a stage of the game and not a sign that the better player sits there. With
other matchups the same numbers mix both. Everything is counted per matchup and clustered by deal; ``all`` are the
matchups of the run together, a deal being one cluster over all of them.

*Lead* of a player: its pawn's moves minus the other's, in spaces. *Turn* 1 is the first. The chance to win at a turn is
that of the player about to offer, by its lead before its offer.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.report import Block, Chart, Column, Finding, Heading, Section, Table, Text
from agentsim.runs import Run
from agentsim.stats import ratio_table
from analyses.common import LEVEL, Ints, about, finding, hit_sums, local, number, part_sums, percent, strongest
from analyses.shape_charts import ALL, ENDS, MIN_DEALS, cells_of, draw, each, shown, slope
from analyses.turnlog import Turns, load_turns

__all__ = ["displays", "figures", "findings", "section", "tables"]

ANCHOR, TITLE, QUESTION = "game-shape", "Shape of a game", "How does a game unfold, and how does it end?"

Tables = dict[str, pd.DataFrame]


# ------------------------------------------------------------------------------------------------ tables


def tables(run: Run, focus: str = "") -> Tables:
    """All numbers of this analysis; the run needs a log of turns.

    ``focus`` is the policy (or matchup) of the large charts: the strongest of the run if it is not given and known,
    otherwise the last listed. Returns ``about`` (with ``focus``); ``length`` (mean turns per matchup, and quartiles);
    ``lengths`` (share of games per number of turns); ``ends`` (share per kind of end); ``ties`` (share decided by the
    tie rule); ``lead`` (score of the player to move by turn and lead); ``changes`` (lead changes per game);
    ``comebacks`` (score of a player who was ever behind by so many spaces, and share of games won from there).
    """
    games = run.sql("""
        SELECT matchup_id, deal_id, n_turns, end_reason, tie_rule FROM games ORDER BY game_id""")
    labels = _labels(run)
    matchup = games["matchup_id"].to_numpy(np.int64)
    deal = games["deal_id"].to_numpy(np.int64)
    turns = load_turns(run)
    chosen = focus or (strongest(run) if len(labels) > 1 else labels[0])
    facts = about(run).assign(focus=chosen if chosen in labels else labels[-1])
    count = np.minimum(games["n_turns"].to_numpy(np.int64), 127)
    reasons = list(next(c.categories for t in run.tables if t.name == "games" for c in t.columns
                        if c.name == "end_reason"))
    reason = pd.Categorical(games["end_reason"], categories=reasons).codes
    found = {
        "about": facts,
        "length": _lengths(matchup, deal, count, labels),
        "lengths": _shares(matchup, deal, count, range(int(count.max(initial=0)) + 1), labels, "turns"),
        "ends": _shares(matchup, deal, reason, reasons, labels, "end"),
        "ties": _hits(matchup, deal, games["tie_rule"].to_numpy(float), labels),
        "lead": _lead_table(turns, labels),
    }
    found["changes"], found["comebacks"] = _swings(turns, labels)
    found["ends"] = found["ends"][found["ends"].groupby("end")["num"].transform("sum") > 0].reset_index(drop=True)
    return found


def _labels(run: Run) -> list[str]:
    """A name for each matchup: the policy of a mirror, both policies otherwise."""
    return [str(row["policy_a"]) if row["mirror"] else f"{row['policy_a']} – {row['policy_b']}"
            for _, row in run.matchups.iterrows()]


def _pooled(matchup: Ints, n: int) -> list[tuple[Ints, int]]:
    """The cells "per matchup", and the one cell "all" if there are several."""
    return [(matchup, n)] + ([(np.zeros_like(matchup), 1)] if n > 1 else [])


def _name(sums: pd.DataFrame, labels: list[str], pooled: bool) -> pd.DataFrame:
    sums.insert(0, "matchup", [ALL if pooled else labels[cell] for cell in sums.pop("cell")])
    return sums


def _hits(matchup: Ints, deal: Ints, hit: NDArray[np.float64], labels: list[str]
          ) -> pd.DataFrame:
    """Share of rows with ``hit`` per matchup; intervals hold together over the matchups."""
    parts = [_name(hit_sums(cell, n, deal, hit), labels, at == 1)
             for at, (cell, n) in enumerate(_pooled(matchup, len(labels)))]
    return pd.concat([ratio_table(part, level=LEVEL) for part in parts], ignore_index=True)


def _shares(matchup: Ints, deal: Ints, part: Ints, names: object,
            labels: list[str], column: str) -> pd.DataFrame:
    """Share of every part per matchup; intervals hold together over the parts that occur anywhere, and the matchups."""
    values = list(names)  # type: ignore[call-overload]
    tables = []
    for at, (cell, n) in enumerate(_pooled(matchup, len(labels))):
        sums = _name(part_sums(cell, n, deal, part, len(values)), labels, at == 1)
        sums.insert(1, column, [values[number] for number in sums.pop("part")])
        sums = sums[sums.groupby(column)["num"].transform("sum") > 0]
        tables.append(ratio_table(sums, level=LEVEL))
    return pd.concat(tables, ignore_index=True)


def _lengths(matchup: Ints, deal: Ints, count: Ints, labels: list[str]
             ) -> pd.DataFrame:
    parts = []
    most = max(int(count.max(initial=1)), 1)
    for at, (cell, n) in enumerate(_pooled(matchup, len(labels))):
        sums = _name(hit_sums(cell, n, deal, count.astype(np.float64)), labels, at == 1)
        table = ratio_table(sums, level=LEVEL, bounds=(0.0, float(most)))
        quartiles = [np.percentile(count[cell == number] if n > 1 or at == 0 else count, (25, 50, 75, 95))
                     for number in range(n) if n == 1 or (cell == number).any()]
        parts.append(table.assign(**{name: [int(row[q]) for row in quartiles]
                                     for q, name in enumerate(("quarter", "median", "three_quarters", "most"))}))
    return pd.concat(parts, ignore_index=True)


def _lead_table(turns: Turns, labels: list[str]) -> pd.DataFrame:
    """Score of the player about to offer, by matchup, turn and lead before the turn."""
    game = turns.game
    number = np.arange(len(game)) - turns.start[game]
    lead = turns.lead_before.astype(np.int64)
    low, width = int(lead.min(initial=0)), int(lead.max(initial=0)) - int(lead.min(initial=0)) + 1
    n_turns = int(number.max(initial=0)) + 1
    cell = number * width + (lead - low)
    deal, matchup = turns.deal[game], turns.matchup[game]
    parts = []
    for at, (group, n) in enumerate(_pooled(matchup, len(labels))):
        sums = hit_sums(group * (n_turns * width) + cell, n * n_turns * width, deal, turns.won)
        place, inside = np.divmod(sums.pop("cell").to_numpy(np.int64), n_turns * width)
        sums.insert(0, "matchup", [ALL if at == 1 else labels[value] for value in place])
        sums.insert(1, "turn", inside // width + 1)
        sums.insert(2, "lead", inside % width + low)
        # Each matchup's map is a family of its own: the cells that may be looked at in one picture.
        parts += [ratio_table(rows, level=LEVEL) for _, rows in sums.groupby("matchup", sort=False)]
    return pd.concat(parts, ignore_index=True)


def _swings(turns: Turns, labels: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Lead changes per game, and what became of players who were behind."""
    game, lead = turns.game, turns.lead_after
    matchup, deal = turns.matchup, turns.deal
    ahead = np.flatnonzero(lead != 0)
    flips = (np.sign(lead[ahead[1:]]) != np.sign(lead[ahead[:-1]])) & (game[ahead[1:]] == game[ahead[:-1]])
    changes = np.bincount(game[ahead[1:]][flips], minlength=turns.n_games).astype(np.float64)
    most = max(float(changes.max(initial=0)), 1.0)
    parts, never = [], []
    for at, (cell, n) in enumerate(_pooled(matchup, len(labels))):
        parts.append(ratio_table(_name(hit_sums(cell, n, deal, changes), labels, at == 1), level=LEVEL,
                                 bounds=(0.0, most)))
        never.append(ratio_table(_name(hit_sums(cell, n, deal, changes == 0), labels, at == 1), level=LEVEL))
    steady = pd.concat(never, ignore_index=True).set_index("matchup")[["estimate", "low", "high"]]
    table = pd.concat(parts, ignore_index=True).merge(steady.add_prefix("none_"), on="matchup")
    return table, _comebacks(turns, labels)


_COMEBACKS = ("matchup", "deficit", "estimate", "low", "high", "n", "n_deals", "share", "share_low", "share_high")


def _comebacks(turns: Turns, labels: list[str]) -> pd.DataFrame:
    """Per matchup and deficit: score of those who were ever that far behind after a turn of a game that went on."""
    if not turns.n_games:
        return pd.DataFrame(columns=[*_COMEBACKS])
    goes_on = np.ones(len(turns.lead_after), dtype=bool)
    goes_on[turns.start[1:] - 1] = False  # what the last turn does is the end and no deficit to come back from
    lead = np.where(goes_on, turns.lead_after, 0).astype(np.int64)
    first = turns.start[:-1]
    behind = np.stack([-np.minimum.reduceat(lead, first), np.maximum.reduceat(lead, first)], axis=1)
    last = turns.start[1:] - 1
    won0 = np.where(turns.active[last] == 0, turns.won[last], 1 - turns.won[last])
    won = np.stack([won0, 1 - won0], axis=1)
    rows = []
    for deficit in range(1, int(behind.max(initial=0)) + 1):
        was = behind >= deficit
        game, seat = np.nonzero(was)
        for at, (cell, n) in enumerate(_pooled(turns.matchup, len(labels))):
            sums = hit_sums(cell[game], n, turns.deal[game], won[game, seat])
            # Of all games, those won by somebody who had been that far behind.
            share = ratio_table(hit_sums(cell, n, turns.deal, (was * won).sum(axis=1)), level=LEVEL)
            share = share.rename(columns={"estimate": "share", "low": "share_low", "high": "share_high"})
            sums = sums.merge(share[["cell", "share", "share_low", "share_high"]], on="cell")
            rows.append(_name(sums, labels, at == 1).assign(deficit=deficit))
    if not rows:
        return pd.DataFrame(columns=[*_COMEBACKS])
    sums = pd.concat(rows, ignore_index=True)
    return pd.concat([ratio_table(part, level=LEVEL) for _, part in sums.groupby("matchup", sort=False)],
                     ignore_index=True)


# ------------------------------------------------------------------------------------------------ charts, words, tables


def figures(tables: Tables) -> dict[str, Chart]:
    """The charts that the tables have data for: see :mod:`analyses.shape_charts`."""
    return draw(tables)


def findings(tables: Tables) -> list[Finding]:
    """What the tables say, the most important first."""
    if not len(tables["lead"]):
        return []
    said: list[Finding | None] = []
    focus, _ = shown(tables)
    pooled = ALL if (tables["length"]["matchup"] == ALL).any() else focus
    matchups = each(tables, "length")["matchup"]
    kind = "matchups" if matchups.str.contains(" – ").any() else "mirrors"
    whose = f"over {matchups.nunique()} {kind}" if pooled == ALL else f"with {focus}"

    def row(name: str, matchup: str, **where: object) -> pd.Series | None:
        table = tables[name][tables[name]["matchup"] == matchup]
        for column, value in where.items():
            table = table[table[column] == value]
        return None if table.empty else table.iloc[0]

    length = row("length", pooled)
    if length is not None:
        said.append(finding(f"A game takes {{value}} on average {whose}; half of all games are over by turn "
                            f"{int(length['median'])}.", length, n=int(length["den"]), unit="turns", section=ANCHOR))
    ends = tables["ends"][tables["ends"]["matchup"] == pooled].sort_values("estimate", ascending=False)
    if len(ends):
        top = ends.iloc[0]
        said.append(finding(f"The most common way to win is {ENDS[str(top['end'])]}: {{value}} of games {whose}.", top,
                            n=int(top["den"]), interval="simultaneous 95 % interval", section=ANCHOR, reference=None))
    early, late = slope(cells_of(tables, focus))
    if early is not None and late is not None:
        said.append(finding(f"A lead grows in worth: with `{focus}` {int(early['lead'])} spaces ahead wins "
                            f"{percent(early['estimate'])} on turn {int(early['turn'])} and {{value}} on turn "
                            f"{int(late['turn'])}."
                            if late["low"] > early["high"] else
                            f"With `{focus}` {int(early['lead'])} spaces ahead wins {percent(early['estimate'])} on "
                            f"turn {int(early['turn'])} and {{value}} on turn {int(late['turn'])}.",
                            late, n=int(late["den"]), n_unit="turns", interval="simultaneous 95 % interval",
                            section=ANCHOR))
    back = tables["comebacks"]
    back = back[(back["matchup"] == focus) & (back["deficit"] == 3) & (back["n_deals"] >= MIN_DEALS)]
    if len(back):
        said.append(finding(f"Comebacks happen: with `{focus}`, whoever was ever 3 spaces behind still wins {{value}}.",
                            back.iloc[0], n=int(back["den"].iloc[0]), n_unit="players", section=ANCHOR,
                            interval="simultaneous 95 % interval"))
    ties = row("ties", pooled)
    if ties is not None:
        said.append(finding("The tie rule decides {value} of games "
                            f"{whose}.", ties, n=int(ties["den"]), section=ANCHOR))
    return [item for item in said if item is not None]


def displays(tables: Tables) -> dict[str, Table]:
    """The tables of the page: ``length``, ``ends``, ``lead``, ``comebacks``."""
    if not len(tables["lead"]):
        return {}
    swings = tables["length"].merge(tables["changes"], on="matchup", suffixes=("", "_changes")).merge(
        tables["ties"], on="matchup", suffixes=("", "_ties"))
    return {
        "length": Table(swings, "length-table", "Length, lead changes, ties", {
            "matchup": Column("policy against itself"),
            "estimate": Column("turns", "number", "low", "high", bar=False, help="Mean number of turns."),
            "median": Column("median", "int"), "most": Column("95 % "
                                                              "within", "int", help="95 % of games take no longer."),
            "estimate_changes": Column("lead changes", "number", "low_changes", "high_changes", bar=False,
                                       help="Mean number per game."),
            "estimate_ties": Column("tie rule decides", "percent", "low_ties", "high_ties", bar=False),
            "n": Column("games", "int"),
        }, note="Simultaneous intervals over the policies; \"all\" has a 95 % interval of its own.", rows=30),
        "ends": Table(tables["ends"].assign(end=tables["ends"]["end"].map(ENDS)), "ends-table", "Ends", {
            "matchup": Column("policy against itself"), "end": Column("won by"),
            "estimate": Column("games", "percent", "low", "high"),
            "num": Column("number", "int"), "n": Column("of", "int"),
        }, rows=10),
        "lead": Table(tables["lead"], "lead-table", "Chance to win by lead and turn", {
            "matchup": Column("policy against itself"), "turn": Column("turn", "int"), "lead": Column("lead", "int"),
            "estimate": Column("wins", "percent", "low", "high", help="Share of games won by the player about to "
                                                                      "offer."),
            "n_deals": Column("deals", "int"),
        }, note="Intervals hold together for the whole map of a policy.", rows=10),
        "comebacks": Table(tables["comebacks"], "comebacks-table", "Comebacks", {
            "matchup": Column("policy against itself"), "deficit": Column("ever behind by", "int"),
            "estimate": Column("still wins", "percent", "low", "high"),
            "n": Column("players", "int", help="Players who were ever that far behind and played on."),
            "share": Column("games won from there", "percent", "share_low", "share_high", bar=False,
                            help="Share of all games that were won by somebody who had been that far behind."),
        }, rows=10),
    }


def section(tables: Tables) -> Section:
    """The page."""
    charts, lists = figures(tables), displays(tables)
    blocks: list[Block] = [*local(findings(tables))]
    if not charts:
        return Section(ANCHOR, TITLE, QUESTION, [Text("There is not enough data here: no games were played.", "note")])
    blocks += [Heading("Length", "length"), charts["length"], charts["lengths"], lists["length"],
               Heading("How games end", "ends"), charts["ends"], lists["ends"], charts["ties"],
               Heading("What a lead is worth", "leads")]
    blocks += [charts[name] for name in ("lead", "lead_baseline") if name in charts]
    if "lead" not in charts:
        blocks.append(Text("There is not enough data for a map of lead and turn.", "note"))
    blocks += [lists["lead"], Heading("Lead changes and comebacks", "comebacks"), charts["changes"]]
    if "comebacks" in charts:
        blocks += [Text("Who was behind is often in a bad place for other reasons, too (cards, sets): this tells how "
                        "often a deficit is turned, and not what the spaces alone do.", "note"),
                   charts["comebacks"], lists["comebacks"]]
    return Section(ANCHOR, TITLE, QUESTION, blocks, lead=_lead(tables))


def _lead(tables: Tables) -> str:
    length, ends = each(tables, "length"), tables["ends"]
    share = ends.groupby("end")[["num"]].sum()["num"]
    top = ENDS[str(share.idxmax())]
    return (f"Between {number(length['estimate'].min())} and {number(length['estimate'].max())} turns, depending on "
            f"who plays; the most common way to win is {top}.")

