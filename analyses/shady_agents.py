"""Shady Agents: is it fair, what is an interrogation worth, and do beliefs come true?

``tables(run, games=...)`` plays the experiments of :mod:`analyses.shady_trials` with the rules and the seed of a run of
mirrors at six seats, and reads what its players believe from its log.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from agentsim.errors import InputError
from agentsim.games.base import get_game
from agentsim.report import Block, Chart, Finding, Heading, Section, Table, Text
from agentsim.runs import Run
from analyses import shady_charts, shady_trials
from analyses.common import about, clear, finding, largest, listed, local, percent, points, rows_of, smallest
from analyses.shady_trials import BASE, Stage

__all__ = ["GAMES", "displays", "figures", "findings", "section", "tables"]

ANCHOR, TITLE, QUESTION = "shady-agents", "Shady Agents", "Is it fair, and what is an interrogation worth?"
GAMES = 40_000
SEED_GAP = 2000
"""The experiments' seed lies so far from the run's."""
FALSE_ALARM = 0.01
"""How often the test of beliefs may reject what is right: over all its populations together."""
EXPERT, MAIN, MAIN_SIZE = "expert", "bayes", 6

Tables = dict[str, pd.DataFrame]


# ------------------------------------------------------------------------------------------------ tables


def tables(run: Run, *, games: int = GAMES, workers: int = 1, stage: Stage | None = None) -> Tables:
    """All numbers of this analysis.

    Parameters
    ----------
    run : mirrors of Shady Agents with ``log = "full"``; its rules (the table size apart) and its seed are used.
    games : how much is played; one cell of a table is all, a half or a quarter of it.
    workers, stage : how many at a time; what is told how far it is.

    Returns ``about, balance, bonus, free, tools, talk, seats, calls, presets, tests, reliability``; see
    :mod:`analyses.shady_trials`. Raises InputError for a run of another game or without beliefs in its log.
    """
    if run.experiment.game != "shady_agents" or run.log != "full":
        raise InputError("needs a run of Shady Agents with its beliefs", where=str(run.path),
                         allowed='game = "shady_agents", log = "full"')
    game = get_game(run.experiment.game)
    keys = {name: value for name, value in run.rules.items() if name != "rules.players"}
    seed = (run.seed + SEED_GAP) % 2**64
    part = max(games // 2, 40), max(games // 4, 40)
    found = {
        "about": about(run),
        **shady_trials.mirrors(game, keys, part[0], seed, workers=workers, stage=stage),
        "talk": shady_trials.talk(game, keys, part[1], seed + 1, workers=workers, stage=stage),
        "seats": shady_trials.seats(game, keys, part[0], seed + 2, stage=stage),
        "calls": shady_trials.calls(game, keys, part[0], seed + 3, stage=stage),
        "presets": shady_trials.presets(game, keys, games, seed + 4, stage=stage),
        **shady_trials.beliefs(game, keys, run, part[0], seed + 5)}
    played = sum(int(found[name]["n_games"].sum()) for name in ("balance", "talk", "presets"))
    return {**found, "about": found["about"].assign(n_experiments=played)}


def figures(found: Tables) -> dict[str, Chart]:
    """The charts ``balance, calls, seats, talk, tools, reliability, presets``."""
    return shady_charts.draw(found)


def displays(found: Tables) -> dict[str, Table]:
    """The tables of the page, by the names of :func:`tables`."""
    return shady_charts.displays(found)


# ------------------------------------------------------------------------------------------------ sentences


def findings(found: Tables) -> list[Finding]:
    """What to say first: the bonus, the free interrogation, seats, tools, the belief test, the best policies."""
    said = [_bonus(found), _interrogation(found), *_sides(found), _paid(found), _seats(found), _talk(found),
            _tools(found), _beliefs(found), *_presets(found)]
    return [item for item in said if item is not None]


def _interval(table: pd.DataFrame) -> str:
    return f"simultaneous 95 % interval over {int(table['family_size'].iloc[0])} numbers"


def _smaller(found: Tables, rules: str = BASE) -> pd.DataFrame:
    table = found["balance"]
    return table[(table["metric"] == "size_smaller") & (table["rules"] == rules)]


def _bonus(found: Tables) -> Finding | None:
    """Does the bonus balance odd tables?"""
    table = _smaller(found)
    words = []
    for policy in shady_trials.POLICIES:
        rows = table[table["policy"] == policy]
        sides = [clear(row, 0.5) for _, row in rows.iterrows()]
        sizes = listed([f"{row.players}" for row in rows_of(rows)])
        if len(set(sides)) == 1 and sides[0]:
            words.append(f"too {'much' if sides[0] > 0 else 'little'} for `{policy}` at every odd table ({sizes})")
        else:
            named = [f"{'too much' if side > 0 else 'too little' if side else 'too close to say'} at {row.players}"
                     for row, side in zip(rows_of(rows), sides, strict=True)]
            words.append(f"for `{policy}` {listed(named)}")
    row = table[(table["policy"] == MAIN)].iloc[0]
    return finding(f"The bonus at odd tables is {'; '.join(words)}. With {int(row['players'])} players "
                   f"of `{MAIN}` the smaller side wins {{value}}.", row, interval=_interval(table), section=ANCHOR)


def _interrogation(found: Tables) -> Finding | None:
    table = found["calls"]
    rows = table[(table["players"] == MAIN_SIZE) & (table["policy"] == MAIN)]
    first = rows[rows["who"] == "first"].iloc[0]
    verb = {1: "raises", -1: "lowers", 0: "does not clearly change"}[clear(first, 0.0)]
    other = table[(table["players"] == MAIN_SIZE) & (table["policy"] == EXPERT) & (table["who"] == "first")]
    also = "".join(f"; that of `{EXPERT}` among its like by {points(row.estimate)} [{100 * row.low:+.1f}, "
                   f"{100 * row.high:+.1f}]".replace("-", "−") for row in rows_of(other))
    return finding(f"Calling the free interrogation instead of giving a tool {verb} the first player's "
                   f"win share ({{value}}, {MAIN_SIZE} players, `{MAIN}`){also}.", first, n=int(first["n_forks"]),
                   n_unit="forks", unit="pp", interval=_interval(table), section=ANCHOR)


def _sides(found: Tables) -> list[Finding | None]:
    """The two sides are alike: a check."""
    table = found["balance"]
    rows = table[table["metric"] == "side_law"]
    off = rows[(rows["low"] > 0.5) | (rows["high"] < 0.5)]
    draws = table[(table["metric"] == "draws") & (table["rules"] == BASE) & (table["policy"] == MAIN)]
    even, odd = draws[draws["players"] % 2 == 0], draws[draws["players"] % 2 == 1]
    top = largest(draws, "estimate")
    said: list[Finding | None] = [
        Finding("The law-abiding and the crooked win equally often, as they must by symmetry: "
                f"{len(rows) - len(off)} of {len(rows)} intervals hold 50 %.", section=ANCHOR)]
    if clear(smallest(even, "estimate"), float(odd["high"].max())) > 0:
        said.append(finding(f"Even tables end in draws more often than any odd table; most at {int(top['players'])} "
                            f"players, {{value}} (`{MAIN}`).", top, interval=_interval(draws), section=ANCHOR))
    else:
        said.append(finding(f"Draws are most frequent at {int(top['players'])} players, {{value}} (`{MAIN}`).", top,
                            interval=_interval(draws), section=ANCHOR))
    return said


def _paid(found: Tables) -> Finding | None:
    table = found["calls"]
    paid = table[(table["who"] != "first") & (table["policy"] == MAIN)]
    signs = {int(clear(row, 0.0)) for _, row in paid.iterrows()}
    row = paid[(paid["players"] == MAIN_SIZE)].iloc[0]
    verdict = ("costs more than it brings at every table size" if signs == {-1} else
               "pays at every table size" if signs == {1} else
               "costs more than it brings, or is too close to say" if signs == {-1, 0} else
               "pays, or is too close to say" if signs == {1, 0} else
               "is too close to say" if signs == {0} else "pays in some seats and table sizes and costs in others")
    return finding(f"An interrogation paid with a tool {verdict} (`{MAIN}`); for the {row['who']} of {MAIN_SIZE} "
                   "players calling instead of giving changes its win share by {value}.", row, n=int(row["n_forks"]),
                   n_unit="forks", unit="pp", interval=_interval(table), section=ANCHOR)


def _seats(found: Tables) -> Finding | None:
    table = found["seats"]
    mine = table[table["policy"] == MAIN]
    moved = mine[(mine["low"] > 0) | (mine["high"] < 0)]
    if not len(moved):
        top = largest(mine, "estimate", size=True)
        return finding(f"No seat is clearly ahead of the others in mirrors of `{MAIN}`; the furthest off is seat "
                       f"{int(top['seat'])} of {int(top['players'])} ({{value}}).", top, unit="pp",
                       interval=_interval(table), section=ANCHOR)
    top = largest(moved, "estimate", size=True)
    where = {0: ", who acts first and last", int(top["players"]) - 1: ", the last of the first round"}.get(
        int(top["seat"]), "")
    return finding(f"Order matters most at {int(top['players'])} players, in seat {int(top['seat'])}"
                   f"{where}: {{value}} against the others' mean (`{MAIN}`).", top, unit="pp",
                   interval=_interval(table), section=ANCHOR)


def _talk(found: Tables) -> Finding | None:
    table = found["talk"]
    rows = table[(table["key"] == "talk.verifiable") & (table["metric"] == "size_smaller")]
    players = int(rows["players"].min())
    rows = rows[rows["players"] == players]
    low, high = rows.iloc[0], rows.iloc[-1]
    text = (f"With {players} players of `{MAIN}` the smaller side wins {percent(low['estimate'])} if nothing can be "
            f"verified and {{value}} if everything can be")
    apart = low["low"] > high["high"] or high["low"] > low["high"]
    return finding(text + ("." if apart else ": too close to say which is more."), high, interval=_interval(table),
                   section=ANCHOR)


def _tools(found: Tables) -> Finding | None:
    table = found["tools"]
    rows = table[(table["players"] == MAIN_SIZE) & (table["tool"] == "medkits to enemies")]
    best, chance = (rows[rows["policy"] == policy].iloc[0] for policy in (MAIN, "random"))
    return finding(f"With {MAIN_SIZE} players {{value}} of the medkits of `{MAIN}` end up with an enemy, of `random` "
                   f"{percent(chance['estimate'])}.", best, interval=_interval(table), section=ANCHOR)


def _beliefs(found: Tables) -> Finding | None:
    tests = found["tests"]
    right, wrong = tests[tests["kind"] == "tested"], tests[tests["kind"] == "wrong on purpose"]
    if right["p_adjusted"].isna().any() or wrong["p_adjusted"].isna().any():
        return Finding("Beliefs: too few deals for the test.", section=ANCHOR)
    rejected = int((right["p_adjusted"] < FALSE_ALARM).sum())
    seen = int((wrong["p_adjusted"] < FALSE_ALARM).sum())
    n = int(right["n_beliefs"].sum())
    verdict = ("come true as often as they say wherever they have to" if rejected == 0 else
               f"do **not** come true as they say in {rejected} of {len(right)} populations in which they have to")
    return Finding(f"Beliefs {verdict} ({n:,} beliefs, least adjusted p = {right['p_adjusted'].min():.2f}); beliefs "
                   f"made wrong on purpose are rejected in {seen} of {len(wrong)} cases.", section=ANCHOR)


def _presets(found: Tables) -> list[Finding | None]:
    table = found["presets"]
    said: list[Finding | None] = []
    for field in shady_trials.FIELDS:
        words = []
        for players in shady_trials.SOME_SIZES:
            rows = table[(table["field"] == field) & (table["players"] == players)]
            top = largest(rows, "estimate")
            rivals = int((rows["high"] >= top["low"]).sum()) - 1
            words.append(f"`{top['policy']}` at {players}" + (
                f" ({rivals} other{'' if rivals == 1 else 's'} may be as good)" if rivals else ""))
        rows = table[(table["field"] == field) & (table["players"] == MAIN_SIZE)]
        top = largest(rows, "estimate")
        said.append(finding(f"Best as one among `{field}`: {listed(words)}. At {MAIN_SIZE} `{top['policy']}` scores "
                            "{value}.", top, interval=_interval(table), section=ANCHOR))
    return said


# ------------------------------------------------------------------------------------------------ the page


def section(found: Tables) -> Section:
    """The page."""
    charts, shown = figures(found), displays(found)
    said = findings(found)
    blocks: list[Block] = [
        Text("**The model is about information, not about persuasion.** Statements are facts that some listeners can "
             "check; nobody is talked into anything, nobody tells a better story. What a table of people makes of the "
             "same rules may differ in just that.", "note"),
        *local(said)]

    def add(title: str, anchor: str, text: str, *parts: str) -> None:
        blocks.extend([Heading(title, anchor), Text(text)])
        for part in parts:
            blocks.extend([each[part] for each in (charts, shown) if part in each])

    add("Does the bonus balance odd tables?", "balance",
        "Everybody at a table plays the same policy. With one player more a side has more tools to come its way, for "
        "good and ill; the bonus is to make up for that. Below, what the bonus changes on the same deals.",
        "balance", "bonus", "draws")
    add("What an interrogation is worth", "interrogations",
        "Forks: a game is continued twice from one turn of the first round, once with the player calling an "
        "interrogation and once with it giving the tool that it would give. Roles, talk and all random choices are the "
        "same in both. The first player calls for free and so also keeps both tools to the very end, when most is "
        "known: its effect is that of the answers and of waiting together. The second and the last throw a tool away; "
        "theirs is an effect at that table, where the first has mostly called already. What the others then do is part "
        "of every effect: where nobody has called yet, somebody else may, and pay for it. `random` gives and throws by "
        "chance. The second table changes the *rule* instead: what it brings the first player that its interrogation "
        "is free, on the same deals.", "calls", "free")
    add("Does the order of turns matter?", "seats",
        "Each seat against the mean of the others, everybody playing alike. The first round goes from seat 0 up, the "
        "second back down, so seat 0 acts first and last.", "seats")
    add("How much can be checked", "talk",
        f"`{MAIN}` at every seat. `verifiable`: how likely a listener knows the truth behind a statement; `misread`: "
        "how likely it then takes it the wrong way. One is varied, the other is as shipped. If everything can be "
        "verified, "
        "nothing is misread *and* the first player alone calls, even tables must end in draws and the larger side must "
        "win at odd ones.", "talk")
    add("Tools that go astray", "tools",
        "Of everybody's one medkit and one bullet: how many end with the wrong side.", "tools")
    add("Do beliefs come true?", "beliefs", _belief_text(found), "reliability", "tests")
    add("Which policies do well?", "presets",
        "One player of a policy, all others of another. *Lead* is its win share minus the mean of the others'; who is "
        "on its side wins and loses with it.", "presets")
    lead = " ".join(item.text.replace("{value}", item.number) for item in said[:2])
    return Section(ANCHOR, TITLE, QUESTION, blocks, lead=lead)


def _belief_text(found: Tables) -> str:
    tests = found["tests"]
    worst: Any = largest(tests[tests["kind"] == "reported"], "worst", size=True)
    return ("A belief of 70 % should come true in 70 % of cases. That is *tested* where it must hold exactly: for "
            "`random` with both likelihoods of tools at 1/2 (its tools say nothing), and at the end of the first round "
            "for a population that sends tools just as players believe (it knows the roles and is no policy). The test "
            f"rejects what is right in at most {percent(FALSE_ALARM, 0)} of reports (Hotelling's T² on the deals' sums "
            "of *came true* minus *belief* by bin, Holm over populations). `random` with likelihoods of 0.8 is wrong "
            "on purpose, and the test has to see it. For the other policies the beliefs are *reported only*: their "
            "model of how others send tools is a belief and not a fact; the widest gap of a bin is "
            f"{points(worst['worst'])} (`{worst['population']}`, {worst['moment']}).")
