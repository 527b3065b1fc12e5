"""How strong is each way to play, how open is it, and what can a human learn from the strongest?

``tables(run)`` rates the policies of a round robin, plays the trials of :mod:`analyses.strategy_trials`, and reads what
``make strategy`` has measured before (:mod:`analyses.strategy_data`): best responses and the solver's games.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from agentsim.errors import InputError
from agentsim.games.base import get_game
from agentsim.report import Block, Chart, Column, Finding, Heading, Section, Table, Text, theme
from agentsim.resources import strategy_dir
from agentsim.runs import Run
from agentsim.stats import bradley_terry, equilibrium_table, strength, win_rate_matrix
from analyses import solver_habits
from analyses.common import (
    LEVEL,
    about,
    caption,
    finding,
    largest,
    listed,
    local,
    pair_histograms,
    percent,
    points,
    rows_of,
    smallest,
)
from analyses.strategy_trials import freedoms, luck

__all__ = ["displays", "figures", "findings", "section", "tables"]

ANCHOR, TITLE, QUESTION = "strategy", "Strategy", "Which play is strong, how open is it, and what can one learn?"
DEALS = 20_000
BASELINES = ("random", "greedy", "minmax")

Tables = dict[str, pd.DataFrame]


# ------------------------------------------------------------------------------------------------ tables


def tables(run: Run, *, deals: int = DEALS, workers: int = 1) -> Tables:
    """All numbers of this page.

    Parameters
    ----------
    run : a round robin of the base game.
    deals : of the trials of freedoms and luck.

    Returns ``about``; ``ranking`` (Elo, Nash averaging, alpha-rank); ``axes`` (per policy the mean score against the
    baselines and the best response found against it); ``freedoms``; ``luck``; and of ``make strategy``, empty if it
    was not run: ``responses``, ``solver`` (its scores), ``taken``, ``offered``, ``situations`` (its habits),
    ``openings`` and ``openings_check`` (:mod:`analyses.strategy_openings`), ``measured`` (one row of facts).
    """
    game = get_game(run.experiment.game)
    rules = run.experiment.rules()
    by_name = {policy.label: policy for policy in run.experiment.policies}
    histograms = pair_histograms(run)
    found = {"about": about(run), "ranking": _ranking(histograms), **_kept()}
    found["axes"] = _axes(histograms, found)
    focus = [by_name[name] for name in ("expert", "champion") if name in by_name] or list(by_name.values())[-1:]
    # The freedoms are those of the planner.
    free = [policy for policy in focus if policy.family == "planner"]
    field = [by_name[name] for name in BASELINES if name in by_name]
    found["freedoms"] = (freedoms(rules, free, field, seed=run.seed, deals=deals, workers=workers)
                         if free else pd.DataFrame())
    chosen = [by_name[name] for name in (*BASELINES, "expert") if name in by_name]
    chosen = chosen if len(chosen) > 1 else list(by_name.values())[:4]
    found["luck"] = luck(rules, chosen, seed=run.seed, deals=deals, workers=workers)
    found["about"] = found["about"].assign(trial_deals=deals, freed=", ".join(policy.label for policy in free),
                                           lucky=", ".join(policy.label for policy in chosen), title=game.title)
    return found


def _ranking(histograms: Mapping[tuple[str, str], Any]) -> pd.DataFrame:
    matrix = win_rate_matrix(histograms, level=LEVEL)
    names = list(dict.fromkeys(matrix["policy_a"]))
    if len(names) < 2 or len(matrix) < len(names) * (len(names) - 1):
        return pd.DataFrame()
    rated = bradley_terry(histograms).table
    scores, errors = np.full((len(names), len(names)), 0.5), np.zeros((len(names), len(names)))
    for row in matrix.to_dict("records"):
        a, b = names.index(row["policy_a"]), names.index(row["policy_b"])
        scores[a, b] = row["score"]
        errors[a, b] = row["sd"] / math.sqrt(row["n_deals"])
    played = strength(matrix, level=LEVEL)[["policy", "score", "n_deals", "n_games"]]
    game = equilibrium_table(names, scores, errors, level=LEVEL, replicates=500).drop(
        columns=["replicates", "level", "family_size"])
    kept = rated[["policy", "elo", "low", "high"]].rename(columns={"low": "elo_low", "high": "elo_high"})
    made = kept.merge(played, on="policy").merge(game, on="policy")
    return made.sort_values("elo", ascending=False, ignore_index=True)


def _axes(histograms: Mapping[tuple[str, str], Any], found: Tables) -> pd.DataFrame:
    """Per policy: the mean score against the baselines of the run, and what the best response found scores."""
    responses = found["responses"]
    if not len(responses):
        return pd.DataFrame()
    matrix = win_rate_matrix(histograms, level=LEVEL)
    rows = []
    for one in responses.to_dict("records"):
        name = one["policy"]
        part = matrix[(matrix["policy_a"] == name) & matrix["policy_b"].isin(BASELINES)]
        if name in BASELINES:
            continue
        if not len(part) and name in set(found["solver"].get("policy", [])):
            kept = found["solver"]
            part = kept[(kept["policy"] == name) & kept["opponent"].isin(BASELINES)]
        if len(part) < len(BASELINES):
            continue
        half = float(((part["high"] - part["low"]) / 2).mean())
        mean = float(part["score"].mean())
        rows.append({"policy": name, "field": mean, "field_low": max(0.0, mean - half),
                     "field_high": min(1.0, mean + half), "response": one["score"], "response_low": one["low"],
                     "response_high": one["high"], "start": one["start"], "method": one["method"],
                     "budget": one["budget"],
                     "n_games": int(part["n_games"].sum()), "response_games": one["n_games"]})
    return pd.DataFrame(rows).sort_values("field", ascending=False, ignore_index=True) if rows else pd.DataFrame()


def _kept() -> Tables:
    """What ``make strategy`` has left: best responses, the solver's scores, habits and openings."""
    empty = {name: pd.DataFrame() for name in ("responses", "solver", "taken", "offered", "openings", "openings_check",
                                           "situations", "measured")}
    try:
        folder = strategy_dir()
    except InputError:
        return empty
    found = dict(empty)
    told = json.loads((folder / "about.json").read_text(encoding="utf-8")) if (folder / "about.json").exists() else {}
    watched, rows = int(told.get("watched", 0)), []
    if told:
        found["measured"] = pd.DataFrame([told]).astype({"starts": str})
    for path in sorted(folder.glob("exploit_*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        best = max(told["responses"], key=lambda one: one["mean"]["estimate"])
        rows.append({"policy": told["target"]["label"], "score": best["mean"]["estimate"], "low": best["mean"]["low"],
                     "high": best["mean"]["high"], "n_games": best["n_games"], "start": best["start"],
                     "method": best["method"], "seed": told["seed"],
                     "budget": told["budget"] if best["method"] == "CMA-ES" else watched})
    if rows:
        found["responses"] = pd.DataFrame(rows)
    parts = [pd.read_csv(path).assign(policy=path.stem.removeprefix("scores_"))
             for path in sorted(folder.glob("scores_*.csv"))]
    if parts:
        found["solver"] = pd.concat(parts, ignore_index=True)
    for name, file in (("taken", "solver_taken.csv"), ("offered", "solver_offered.csv"), ("openings", "openings.csv"),
                       ("situations", "solver_situations.csv"), ("openings_check", "openings_check.csv")):
        if (folder / file).exists():
            found[name] = pd.read_csv(folder / file)
    return found


# ------------------------------------------------------------------------------------------------ charts


def figures(found: Tables) -> dict[str, Chart]:
    """The charts ``axes, ranking, freedoms, luck, habits``, as far as there are numbers for them."""
    made = {}
    if len(found["axes"]):
        made["axes"] = _axes_chart(found)
    if len(found["ranking"]):
        made["ranking"] = _ranking_chart(found)
    if len(found["freedoms"]):
        made["freedoms"] = _freedoms_chart(found)
    made["luck"] = _luck_chart(found)
    if len(found["taken"]):
        made["habits"] = _habits_chart(found)
    return made


def _axes_chart(found: Tables) -> Chart:
    axes = found["axes"]
    figure, ax = theme.figure(height=5.2)
    with theme.use_theme():
        ax.errorbar(axes["field"], axes["response"],
                    xerr=[axes["field"] - axes["field_low"], axes["field_high"] - axes["field"]],
                    yerr=[axes["response"] - axes["response_low"], axes["response_high"] - axes["response"]],
                    fmt="o", color=theme.PALETTE[0], markersize=5, capsize=2, linestyle="none")
        ax.axhline(0.5, color=theme.MUTED, linewidth=1, linestyle=":")
        named = {"solver", "compromise", "champion", "expert", "random_discards", axes["policy"].iloc[-1],
                 largest(axes, "response")["policy"]}
        ax.margins(x=0.07, y=0.1)
        theme.name_points(ax, axes["field"].tolist(), axes["response"].tolist(),
                          [str(name) if name in named else "" for name in axes["policy"]],
                          bars=[*axes[["field_low", "response", "field_high", "response"]].itertuples(index=False),
                                *axes[["field", "response_low", "field", "response_high"]].itertuples(index=False)])
        theme.set_axis(ax, "x", "percent")
        theme.set_axis(ax, "y", "percent")
        ax.set_xlabel("mean score against random, greedy and minmax: further right is stronger against the weak")
        ax.set_ylabel("best response found scores: lower is safer")
    safest = smallest(axes, "response")
    strongest = largest(axes, "field")
    title = (f"{safest['policy']} is the safest, a best response scores {percent(safest['response'])}; "
             f"{strongest['policy']} wins most against the weak, {percent(strongest['field'])}")
    measured = found["measured"].iloc[0]
    return Chart(figure, "strategy-axes", title, caption(
        found["about"], interval="95 % intervals",
        note=f"Best responses: the better of CMA-ES ({measured['budget']:,} games) and dynamic programming (fitted to "
             f"{measured['watched']:,} games), on fresh deals: lower bounds."),
        "Policies by score against the field and best response found: " + "; ".join(
            f"{row.policy} {percent(row.field)}, {percent(row.response)}" for row in rows_of(axes)) + ".", key=True)


def _ranking_chart(found: Tables) -> Chart:
    ranking = found["ranking"]
    figure, ax = theme.figure(rows=len(ranking))
    bounded = ranking.assign(low=ranking["elo_low"].where(np.isfinite(ranking["elo_low"]), ranking["elo"]),
                             high=ranking["elo_high"].where(np.isfinite(ranking["elo_high"]), ranking["elo"]))
    theme.dot_interval(ax, bounded, "policy", "elo", "low", "high", kind="number", reference=1500.0,
                       xlabel="Elo points (mean of the field: 1500)")
    first, nash = ranking.iloc[0], ranking[ranking["nash"] > 0.005]
    title = (f"{first['policy']} leads by Elo; an equilibrium of these policies "
             + ("plays it alone" if list(nash["policy"]) == [first["policy"]] else
                f"mixes {listed([f'{row.policy} {row.nash:.0%}' for row in rows_of(nash)])}"))
    return Chart(figure, "strategy-ranking", title, caption(
        found["about"], interval=f"simultaneous 95 % intervals over {len(ranking)} policies"),
        "Elo: " + "; ".join(f"{row.policy} {row.elo:.0f}" for row in rows_of(ranking)) + ".")


def _freedoms_chart(found: Tables) -> Chart:
    table = found["freedoms"]
    shown = table[table["against"] == "itself"]
    figure, ax = theme.figure(rows=max(3, len(shown) + 1))
    theme.dot_interval(ax, shown, "freedom", "worth", "low", "high", reference=0.0, kind="points",
                       group="policy" if shown["policy"].nunique() > 1 else None, sort=False,
                       xlabel="score of the free policy less that of the forbidden one, in percentage points")
    first = shown[shown["policy"] == shown["policy"].iloc[0]]
    top = largest(first, "worth")
    title = (f"The freedom {top['freedom']} is worth most: {points(top['worth'])} to {top['policy']} against itself "
             "without it")
    return Chart(figure, "strategy-freedoms", title, _trial_caption(found, shown, "Both play the same deals."),
                 "Worth of each freedom: " + "; ".join(f"{row.freedom} {points(row.worth)} ({row.policy})"
                                                       for row in rows_of(shown)) + ".")


def _trial_caption(found: Tables, table: pd.DataFrame, note: str) -> str:
    facts = found["about"].iloc[0]
    return theme.caption(int(table["n_games"].sum()), int(facts["trial_deals"]), seed=int(facts["seed"]),
                         policies=str(facts["freed"]).split(", "), note=note,
                         interval=f"simultaneous 95 % intervals over {int(table['family_size'].iloc[0])} numbers")


def _luck_chart(found: Tables) -> Chart:
    table = found["luck"]
    figure, ax = theme.figure(rows=3)
    theme.dot_interval(ax, table, "component", "share", "low", "high", kind="percent", sort=False,
                       xlabel="share of the variance of one game's result")
    shares = dict(zip(table["component"], table["share"], strict=True))
    title = (f"One game is {percent(shares['the deal'] + shares['the play'])} luck: cards and seat "
             f"{percent(shares['the deal'])}, lots drawn in play {percent(shares['the play'])}")
    facts = found["about"].iloc[0]
    return Chart(figure, "strategy-luck", title, theme.caption(
        int(table["n_games"].iloc[0]), int(table["n_deals"].iloc[0]), seed=int(facts["seed"]),
        policies=str(facts["lucky"]).split(", "), interval="simultaneous 95 % bootstrap intervals over deals",
        note="Two streams of decisions on each deal; components by the method of moments."),
        "Shares of variance: " + "; ".join(f"{row.component} {percent(row.share)}" for row in rows_of(table)) + ".")


def _habits_chart(found: Tables) -> Chart:
    taken = found["taken"]
    up = taken[taken["side"] == "up"].sort_values("estimate", ascending=False)
    figure, ax = theme.figure(rows=len(up))
    theme.dot_interval(ax, up, "card", "estimate", "low", "high", reference=0.5, kind="percent", sort=False,
                       xlabel="how often the solver takes the card when it lies face up")
    most, least = up.iloc[0], up.iloc[-1]
    title = (f"The solver takes a {_plain(most['card'])} that lies face up in {percent(most['estimate'])} of cases, a "
             f"{_plain(least['card'])} in {percent(least['estimate'])}")
    measured = found["measured"].iloc[0]
    return Chart(figure, "strategy-habits", title, theme.caption(
        int(measured["solver_games"]), int(measured["solver_games"]), seed=int(measured["seed"]), policies=["solver"],
        interval="simultaneous 95 % intervals", note="Games of the solver with itself."),
        "Taken when face up: " + "; ".join(f"{_plain(row.card)} {percent(row.estimate)}" for row in rows_of(up)) + ".")


def _short(offer: str) -> str:
    """``mole up, saboteur down`` as ``mole / saboteur``."""
    return _plain(offer).replace(" up, ", " / ").removesuffix(" down")


def _plain(name: Any) -> str:
    return str(name).replace("_", " ")


# ------------------------------------------------------------------------------------------------ the page


def findings(found: Tables) -> list[Finding]:
    """What to say first: the safest policy, the best freedom, luck."""
    said: list[Finding | None] = []
    axes = found["axes"]
    if len(axes):
        safest = smallest(axes, "response")
        said.append(finding(f"The safest play known here is `{safest['policy']}`: the best response found scores "
                            "{value} against it.", safest, estimate="response", low="response_low",
                            high="response_high", n=int(safest["response_games"]), section=ANCHOR,
                            interval="95 % interval on fresh deals; a search shows a lower bound"))
    table = found["freedoms"]
    if len(table):
        own = table[(table["against"] == "itself") & (table["policy"] == table["policy"].iloc[0])]
        for row in (largest(own, "worth"), smallest(own, "worth")):
            verb = "is worth" if row["low"] > 0 else "costs" if row["high"] < 0 else "is worth nothing clear:"
            said.append(finding(f"To `{row['policy']}` the freedom {row['freedom']} {verb} {{value}} against itself "
                                "without it.", row, estimate="worth", unit="pp", section=ANCHOR,
                                interval=f"simultaneous 95 % interval over {row['family_size']} numbers"))
    row = found["luck"].iloc[1]
    said.append(finding("Of the variance of one game's result {value} is the deal.", row, estimate="share",
                        section=ANCHOR, interval="simultaneous 95 % bootstrap interval over 3 components",
                        reference=None))
    return [item for item in said if item is not None]


def displays(found: Tables) -> dict[str, Table]:
    """The tables of the page (``axes``, ``ranking``, ``openings`` ...), as far as there are numbers for them."""
    shown = {}
    if len(found["axes"]):
        axes = found["axes"]
        begun = [f"CMA-ES from {row.start}" if row.method == "CMA-ES" else str(row.method) for row in rows_of(axes)]
        shown["axes"] = Table(axes.assign(by=begun), "strategy-axes-table", "Strong and safe", {
            "policy": Column("policy"), "field": Column("against the baselines", "percent", "field_low", "field_high"),
            "response": Column("best response found", "percent", "response_low", "response_high",
                               help="Lower is safer. A search finds a lower bound."),
            "by": Column("by"), "budget": Column("games searched", "int"),
            "response_games": Column("fresh games", "int")}, rows=40)
    if len(found["ranking"]):
        shown["ranking"] = Table(found["ranking"], "strategy-ranking-table", "Ratings", {
            "policy": Column("policy"), "elo": Column("Elo", "number", "elo_low", "elo_high", decimals=0, bar=False),
            "nash": Column("Nash average", "percent", "nash_low", "nash_high", bar=False, decimals=0),
            "skill": Column("against the equilibrium", "points", "skill_low", "skill_high", bar=False),
            "mass": Column("alpha-rank", "percent", "mass_low", "mass_high", bar=False, decimals=0),
            "n_games": Column("games", "int")}, rows=40,
            note="Nash average: share in the equilibrium of maximum entropy. Alpha-rank: share of time in evolution. "
                 "Both count where strength goes in circles.")
    if len(found["freedoms"]):
        shown["freedoms"] = Table(found["freedoms"], "strategy-freedoms-table", "What each freedom is worth", {
            "policy": Column("policy"), "freedom": Column("freedom"), "against": Column("against"),
            "worth": Column("worth", "points", "low", "high", reference=0.0),
            "n_games": Column("games", "int")}, rows=40,
            note="Against itself: the free policy's score less that of the forbidden one in their match. Against "
                 "others: the difference of the two on the same deals.")
    if len(found["solver"]):
        shown["solver"] = Table(found["solver"], "strategy-solver", "The solver against everybody", {
            "policy": Column("policy"), "opponent": Column("against"),
            "score": Column("score", "percent", "low", "high"), "n_games": Column("games", "int")}, rows=20)
    if len(found["offered"]):
        shown["offered"] = Table(found["offered"], "strategy-offered", "What the solver lays up and down", {
            "card": Column("card"), "side": Column("side"),
            "estimate": Column("share of its offers", "percent", "low", "high")}, rows=20)
    if len(found["situations"]):
        shown.update(solver_habits.displays(found["situations"]))
    if len(found["openings"]):
        first = found["openings"].iloc[0]
        table = found["openings"].assign(**{name: [_short(text) for text in found["openings"][name].fillna("")]
                                            for name in ("best", "second")})
        told = (f"{int(first['n_games']):,} games of each, solver against solver, seed {int(first['seed'])}; how often "
                f"who starts wins. All {int(first['family_size']):,} intervals of both tables hold together with 95 %. "
                "In the order of the values by the solver's table, which are solved and not measured.")
        shown["openings"] = Table(table, "strategy-openings", "Opening hands: offers", {
            "hand": Column("hand"), "chance": Column("dealt", "percent", decimals=2),
            "best": Column("best offer, up / down"),
            "best_value": Column("by the table", "percent", decimals=1),
            "best_played": Column("wins", "percent", "best_low", "best_high", bar=False),
            "second": Column("next offer"),
            "second_behind": Column("behind", "points", "second_behind_low", "second_behind_high", bar=False,
                                    help="How far the next offer scores behind the best one.")},
            rows=15, note=f"Best and next by the solver's table. {told}")
        shown["opening_discards"] = Table(table, "strategy-opening-discards", "Opening hands: discards", {
            "hand": Column("hand"), "discard": Column("best discard"),
            "discard_value": Column("by the table", "percent", decimals=1),
            "discard_played": Column("wins", "percent", "discard_low", "discard_high", bar=False),
            "discard_gain": Column("gains", "points", "discard_gain_low", "discard_gain_high", reference=0.0,
                                   help="Score with this discard first, less that of the best offer at once.")},
            rows=15, note=f"The discard that promises most by the solver's table. {told}")
    return shown


def _of_openings(check: pd.DataFrame) -> str:
    """How far the table's values of the first actions are from what comes out, in a sentence each."""
    words = {"best": "The best offers", "second": "The next best offers", "discard": "The best discards"}
    if not len(check):
        return ""
    told = ["Every hand that can be dealt, played on by the solver on both sides."]
    told.append("The solver's table also gives each first action a value. That is a solved number of a simpler game: "
                "here is how it compares, over all hands as often as they are dealt.")
    for row in rows_of(check):
        verdict = ("too high" if row.low > 0 else "too low" if row.high < 0 else "neither clearly too high nor too low")
        told.append(f"{words[row.action]} win {percent(row.played, 1)} (the table says {percent(row.value, 1)}): the "
                    f"table is {verdict}, {points(row.difference, 1)} [{100 * row.low:+.1f}, {100 * row.high:+.1f}] "
                    f"({row.n_games:,} games).")
    return " ".join(told) + " These three intervals hold together with 95 %."


def _cheat_sheet(found: Tables) -> Text:
    """A page to print: what the numbers above say, in short lines."""
    lines = ["**Cheat sheet** (print this page; every number is from the tables above)", ""]
    taken = found["taken"]
    up = taken[taken["side"] == "up"].sort_values("estimate", ascending=False)
    lines.append("- *Choosing.* Face up, the solver takes: " + ", ".join(
        f"{_plain(row.card)} {row.estimate:.0%}" for row in rows_of(up)) + ".")
    offered = found["offered"]
    down = offered[offered["side"] == "down"].sort_values("estimate", ascending=False).head(4)
    lines.append("- *Offering.* It hides most often: " + ", ".join(
        f"{_plain(row.card)} {row.estimate:.0%}" for row in rows_of(down)) + ".")
    if len(found["situations"]):
        lines += solver_habits.lines(found["situations"])
    if len(found["openings"]):
        best = found["openings"]
        gains, costs = (float(best.loc[clear, "chance"].sum()) for clear in (best["discard_gain_low"] > 0,
                                                                           best["discard_gain_high"] < 0))
        lines.append(f"- *Discarding.* With {int(best['n_games'].iloc[0]):,} games of each, a discard before the first "
                     f"offer clearly gains in {gains:.0%} of the hands dealt, and clearly costs in {costs:.0%}.")
        for row in rows_of(best[best["chance"] > 0.004].head(3)):
            lines.append(f"- *A good opening hand:* {_plain(row.hand)}: {_plain(row.best)} "
                         f"(wins {row.best_played:.0%} [{row.best_low:.0%}, {row.best_high:.0%}]).")
    table = found["freedoms"]
    if len(table):
        own = table[(table["against"] == "itself") & (table["policy"] == table["policy"].iloc[0])]
        lines.append("- *What counts* (for `" + str(own["policy"].iloc[0]) + "` against itself): " + ", ".join(
            f"the freedom {row.freedom} {points(row.worth)}" for row in rows_of(own)) + ".")
    return Text("\n".join(lines), tone="note")


def section(found: Tables) -> Section:
    """The page."""
    charts, shown = figures(found), displays(found)
    blocks: list[Block] = [*local(findings(found))]

    def add(heading: Heading, *names: str, text: str = "") -> None:
        parts: list[Block] = [*(charts[name] for name in names if name in charts),
                              *(shown[name] for name in names if name in shown)]
        if parts:
            blocks.extend([heading, *([Text(text)] if text else []), *parts])

    add(Heading("Strong against the weak, or safe", "two-axes"), "axes",
        text="To exploit weak opponents and to be hard to exploit are two things. A best response is searched against "
             "each policy; what it scores is a lower bound of how open the policy is.")
    add(Heading("Ratings", "ratings"), "ranking")
    add(Heading("What each freedom is worth", "freedoms"), "freedoms")
    add(Heading("Luck and skill", "luck"), "luck")
    add(Heading("How the solver plays", "solver"), "habits", "when", "discards", "solver", "offered",
        text="`solver` plays by a table of all public states of the base game, solved from the end "
             "(docs/solver.md); these games were played by `make strategy`, whose seed and date are in "
             "data/strategy/about.json.")
    add(Heading("Opening hands", "openings"), "openings", "opening_discards",
        text=_of_openings(found["openings_check"]))
    if len(found["taken"]):
        blocks += [Heading("To print", "cheat-sheet"), _cheat_sheet(found)]
    return Section(ANCHOR, TITLE, QUESTION, blocks)
