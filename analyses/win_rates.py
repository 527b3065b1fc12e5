"""Who wins, and by how much: the win-rate matrix of a round robin, the order of strength, and circles in it.

A score is the mean result per game (a draw is half) over deals, each played twice with the seats swapped. The intervals
of the matrix hold for all pairs together, so a pair is called decided, and a circle a circle, only if that would
survive looking at all of them.

>>> from agentsim.runs import open_run
>>> found = tables(open_run("data/logs/report_standard"))                                               # doctest: +SKIP
>>> found["strength"][["policy", "score", "low", "high"]]                                               # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from agentsim.report import Block, Chart, Column, Finding, Heading, Section, Table, Text, theme
from agentsim.runs import Run
from agentsim.stats import beats, nontransitive_triples, strength, win_rate_matrix
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
    smallest,
)

__all__ = ["displays", "figures", "findings", "section", "tables"]

ANCHOR, TITLE, QUESTION = "win-rates", "Win rates", "Who wins, and by how much?"
_SHOWN_TRIPLES = 5

Tables = dict[str, pd.DataFrame]


# ------------------------------------------------------------------------------------------------ tables


def tables(run: Run) -> Tables:
    """All numbers of this analysis.

    ``about``; ``matrix`` (both orders of every pair: score of ``policy_a`` with simultaneous interval); ``strength``
    (mean score against all others, the strongest first; empty unless every pair has played); ``ladder`` (each policy
    against the next in that order); ``decided`` (pairs with a clear winner); ``upsets`` (those won by a policy that is
    clearly weaker against the field); ``triples`` (a beats b beats c beats a); ``profile`` (per policy: how many it
    beats and is beaten by, best and worst opponent).
    """
    matrix = win_rate_matrix(pair_histograms(run), level=LEVEL)
    found = {"about": about(run), "matrix": matrix, "strength": _strength(matrix), "decided": beats(matrix),
             "triples": nontransitive_triples(matrix) if len(matrix) else pd.DataFrame(columns=list("abc"))}
    order = list(found["strength"]["policy"]) if len(found["strength"]) else list(dict.fromkeys(matrix["policy_a"]))
    rank = {policy: at for at, policy in enumerate(order)}
    ladder = matrix[matrix["policy_b"].map(rank) == matrix["policy_a"].map(rank) + 1].copy()
    found["ladder"] = ladder.assign(step=ladder["policy_a"].map(rank) + 1).sort_values("step").reset_index(drop=True)
    found["upsets"] = _upsets(found["decided"], found["strength"])
    found["profile"] = _profile(matrix, order)
    return found


def _strength(matrix: pd.DataFrame) -> pd.DataFrame:
    n = matrix["policy_a"].nunique()
    if n < 2 or len(matrix) != n * (n - 1) or (matrix["n_deals"] < 2).any():
        # Means over different opponents do not compare.
        return pd.DataFrame(columns=["rank", "policy", "score", "low", "high", "se", "n_deals", "n_games"])
    return strength(matrix, level=LEVEL)


def _upsets(decided: pd.DataFrame, order: pd.DataFrame) -> pd.DataFrame:
    """Decided pairs whose winner scores less against the field than the loser does, by its whole interval."""
    high, low = (dict(zip(order["policy"], order[name], strict=True)) for name in ("high", "low"))
    weaker = [high.get(winner, 1.0) < low.get(loser, 0.0)
              for winner, loser in zip(decided["winner"], decided["loser"], strict=True)]
    return decided[weaker].reset_index(drop=True)


def _profile(matrix: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for policy in order:
        own = matrix[(matrix["policy_a"] == policy) & matrix["score"].notna()]
        row: dict[str, Any] = {"policy": policy, "beats": int((own["low"] > 0.5).sum()),
                               "loses_to": int((own["high"] < 0.5).sum())}
        row["undecided"] = len(own) - row["beats"] - row["loses_to"]
        for name, pick in (("best", largest), ("worst", smallest)) if len(own) else ():
            other = pick(own, "score")
            row |= {f"{name}_opponent": other["policy_b"], f"{name}_score": other["score"],
                    f"{name}_low": other["low"], f"{name}_high": other["high"]}
        rows.append(row)
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------------------------ charts


def figures(tables: Tables) -> dict[str, Chart]:
    """The charts that the tables have data for: ``matrix``, ``strength``, ``ladder``, ``triples``."""
    charts = {}
    if tables["matrix"]["score"].notna().any():
        charts["matrix"] = _matrix_chart(tables)
    if len(tables["strength"]):
        charts["strength"] = _strength_chart(tables)
    if len(tables["ladder"]) > 1 and tables["ladder"]["score"].notna().all():
        charts["ladder"] = _ladder_chart(tables)
    if len(tables["triples"]):
        charts["triples"] = _triples_chart(tables)
    return charts


def _matrix_chart(tables: Tables) -> Chart:
    matrix, order = tables["matrix"], list(tables["profile"]["policy"])
    wide = {name: matrix.pivot(index="policy_a", columns="policy_b", values=name).reindex(index=order, columns=order)
            for name in ("score", "low", "high")}
    figure, ax = theme.figure(height=1.9 + 0.33 * max(len(order), 4))
    theme.heatmap(ax, wide["score"], low=wide["low"], high=wide["high"], xlabel="opponent",
                  ylabel="policy, strongest on top")
    n_pairs, n_decided = len(matrix) // 2, len(tables["decided"])
    if n_decided == n_pairs:
        title = f"All {n_pairs} pairs have a clear winner" if n_pairs > 1 else "The pair has a clear winner"
    else:
        title = f"{n_decided} of {n_pairs} pairs have a clear winner"
    upsets = len(tables["upsets"])
    title += f"; {upsets} time{'' if upsets == 1 else 's'} it is the one weaker against the field" if upsets else ""
    best = largest(matrix, "score")
    return Chart(figure, "win-rates", title,
                 caption(tables["about"], n_games=int(matrix["n_games"].sum()) // 2,
                         n_deals=int(matrix["n_deals"].max()), interval=_family(matrix),
                         note="A cell is the share of games, in per cent, that the row wins against the column (a draw "
                              "counts half). Grey italics: the interval includes 50 %."),
                 f"Heat map of the scores of {len(order)} policies against each other. The largest is "
                 f"{percent(best['score'])}, {best['policy_a']} against {best['policy_b']}.", key=True)


def _family(matrix: pd.DataFrame) -> str:
    return f"{percent(LEVEL, 0)} intervals that hold for all {len(matrix) // 2} pairs together (Sidak)"


def _strength_chart(tables: Tables) -> Chart:
    order = tables["strength"]
    figure, ax = theme.figure(rows=len(order))
    theme.dot_interval(ax, order, "policy", "score", "low", "high", reference=0.5,
                       xlabel="score against all other policies, each counting once")
    return Chart(figure, "strength", _leader(tables),
                 caption(tables["about"], n_games=int(order["n_games"].sum()) // 2, n_deals=int(order["n_deals"].min()),
                         interval=f"{percent(LEVEL, 0)} intervals that hold for all {len(order)} policies together, "
                                  "wide enough for any correlation between matchups"),
                 "Policies ordered by their mean score: " + ", ".join(
                     f"{row.policy} {percent(row.score)}" for row in order.itertuples()) + ".", key=True)


def _leader(tables: Tables) -> str:
    order = tables["strength"]
    first, second = order.iloc[0], order.iloc[1]
    duel = _pair(tables["matrix"], first["policy"], second["policy"])
    text = f"{first['policy']} is the strongest: it wins {percent(first['score'])} against the field"
    if first["low"] <= second["high"]:
        text = (f"{first['policy']} ({percent(first['score'])}) and {second['policy']} ({percent(second['score'])}) "
                "lead; the intervals do not say which is first")
    elif duel["low"] <= 0.5:
        text += f", though not clearly more than {second['policy']} against each other"
    return text


def _pair(matrix: pd.DataFrame, a: str, b: str) -> pd.Series:
    return matrix[(matrix["policy_a"] == a) & (matrix["policy_b"] == b)].iloc[0]


def _ladder_chart(tables: Tables) -> Chart:
    ladder = tables["ladder"].assign(label=lambda frame: frame["policy_a"] + " – " + frame["policy_b"])
    figure, ax = theme.figure(rows=len(ladder))
    theme.dot_interval(ax, ladder, "label", "score", "low", "high", reference=0.5, sort=False,
                       xlabel="games won by the one higher in the order")
    held, broken = int((ladder["low"] > 0.5).sum()), int((ladder["high"] < 0.5).sum())
    title = f"{held} of {len(ladder)} neighbours in the order meet as expected"
    title += f", {broken} the other way round" if broken else ", none clearly the other way round"
    return Chart(figure, "ladder", title,
                 caption(tables["about"], n_games=int(ladder["n_games"].sum()), n_deals=int(ladder["n_deals"].max()),
                         interval=_family(tables["matrix"])),
                 "Score of every policy against the next one in the order of strength: " + ", ".join(
                     f"{row.label} {percent(row.score)}" for row in ladder.itertuples()) + ".")


def _triples_chart(tables: Tables) -> Chart:
    shown = tables["triples"].head(_SHOWN_TRIPLES)
    rows = []
    for at, triple in enumerate(shown.itertuples(), 1):
        names = [str(triple.a), str(triple.b), str(triple.c)]
        for winner, loser in zip(names, names[1:] + names[:1], strict=True):
            rows.append({"label": f"{at}: {winner} – {loser}", **_pair(tables["matrix"], winner, loser).to_dict()})
    edges = pd.DataFrame(rows)
    figure, ax = theme.figure(rows=len(edges))
    theme.dot_interval(ax, edges, "label", "score", "low", "high", reference=0.5, sort=False,
                       xlabel="games won by the first of the two")
    first = shown.iloc[0]
    return Chart(figure, "triples", f"{first['a']} beats {first['b']}, {first['b']} beats {first['c']}, and "
                                    f"{first['c']} beats {first['a']}",
                 caption(tables["about"], n_games=int(edges["n_games"].sum()), n_deals=int(edges["n_deals"].max()),
                         policies=sorted({*shown["a"], *shown["b"], *shown["c"]}), interval=_family(tables["matrix"]),
                         note=f"The {len(shown)} clearest of {len(tables['triples'])} circles."),
                 "The three duels of each circle of policies: " + ", ".join(
                     f"{row.label} {percent(row.score)}" for row in edges.itertuples()) + ".")


# ------------------------------------------------------------------------------------------------ words and tables


def findings(tables: Tables) -> list[Finding]:
    """What the tables say, the most important first. The words follow the numbers; nothing is taken for granted."""
    said: list[Finding | None] = []
    order, matrix = tables["strength"], tables["matrix"]
    simultaneous = "simultaneous 95 % interval"
    if len(order):
        first, last = order.iloc[0], order.iloc[-1]
        second = order.iloc[1]
        if first["low"] > second["high"]:
            said.append(finding(f"`{first['policy']}` is the strongest policy: it wins {{value}} of its games against "
                                "the field.", first, estimate="score", interval=simultaneous, section=ANCHOR))
        else:
            said.append(finding(f"`{first['policy']}` wins {{value}} of its games against the field and "
                                f"`{second['policy']}` {percent(second['score'])}: too close to say which is "
                                "stronger.", first,
                                estimate="score", interval=simultaneous, section=ANCHOR))
    triples = tables["triples"]
    if len(triples):
        best = triples.iloc[0]
        edges = [_pair(matrix, best[a], best[b]) for a, b in ("ab", "bc", "ca")]
        weakest = min(edges, key=lambda edge: float(edge["low"]))
        said.append(finding(
            f"Strength is no straight line: `{best['a']}` beats `{best['b']}`, `{best['b']}` beats `{best['c']}`, and "
            f"`{best['c']}` beats `{best['a']}`; the closest of the three duels is won with {{value}}. "
            f"There {'is' if len(triples) == 1 else 'are'} {len(triples)} such "
            f"circle{'' if len(triples) == 1 else 's'}.", weakest, estimate="score", interval=simultaneous,
            section=ANCHOR))
    if len(order):
        level_with = [f"`{row.policy}`" for row in order.iloc[:-1].itertuples() if row.low <= last["high"]]
        said.append(finding(f"`{last['policy']}` is at the other end: it wins {{value}} against the field"
                            f"{', no clearly less than ' + listed(level_with, 'or') if level_with else ''}.", last,
                            estimate="score", interval=simultaneous, section=ANCHOR))
    clearest = tables["decided"]
    if len(clearest):
        top = largest(clearest, "score")
        said.append(finding(f"The most one-sided duel: `{top['winner']}` wins {{value}} of its games against "
                            f"`{top['loser']}`.", top, estimate="score", interval=simultaneous, section=ANCHOR))
    if len(tables["upsets"]):
        top = largest(tables["upsets"], "low")
        said.append(finding(f"The clearest upset: `{top['winner']}` is the weaker player overall, yet it wins "
                            "{value} of its games against "
                            f"`{top['loser']}`.", top, estimate="score", interval=simultaneous,
                            section=ANCHOR))
    return [item for item in said if item is not None]


def displays(tables: Tables) -> dict[str, Table]:
    """The tables of the page: ``strength``, ``pairs``, ``triples``."""
    shown = {}
    if len(tables["strength"]):
        frame = tables["strength"].merge(tables["profile"], on="policy", how="left")
        shown["strength"] = Table(frame, "strength-table", "Order of strength", {
            "rank": Column("rank", "int"),
            "policy": Column("policy"),
            "score": Column("score", "percent", "low", "high", help="Mean score against all others, each counting "
                                                                    "once."),
            "beats": Column("beats", "int", help="Opponents that it beats by the whole interval."),
            "loses_to": Column("loses to", "int", help="Opponents that beat it by the whole interval."),
            "best_opponent": Column("does best against"),
            "worst_opponent": Column("does worst against"),
            "n_games": Column("games", "int"),
        }, note="How each of them plays is told on the page \"Method and limits\".", rows=30)
    if tables["matrix"]["score"].notna().any():
        pairs = tables["matrix"].sort_values("score", ascending=False, kind="stable")
        shown["pairs"] = Table(pairs[pairs["score"] >= 0.5], "pairs", "Every pair", {
            "policy_a": Column("winner"),
            "policy_b": Column("loser"),
            "score": Column("score", "percent", "low", "high", help="Share of games that the winner wins, a draw "
                                                                    "half."),
            "n_deals": Column("deals", "int"),
            "n_games": Column("games", "int"),
        }, note="Simultaneous intervals (Sidak) over all pairs. Where one includes 50 %, nobody is shown to be better.")
    if len(tables["triples"]):
        shown["triples"] = Table(tables["triples"], "triples-table", "Circles", {
            "a": Column("a"), "b": Column("b"), "c": Column("c"),
            "score_ab": Column("a beats b", "percent"), "low_ab": Column("at least", "percent"),
            "score_bc": Column("b beats c", "percent"), "low_bc": Column("at least", "percent"),
            "score_ca": Column("c beats a", "percent"), "low_ca": Column("at least", "percent"),
        }, note="\"At least\" is the lower bound of the simultaneous interval. Listed only if all three are above 50 "
                "%.")
    return shown


def section(tables: Tables) -> Section:
    """The page."""
    charts, shown = figures(tables), displays(tables)
    blocks: list[Block] = [*local(findings(tables))]
    if not charts:
        blocks.append(Text("There is not enough data here: no two policies have met, or too few games were played.",
                           "note"))
    if "strength" in charts:
        blocks += [Heading("Order of strength", "order"), charts["strength"], shown["strength"]]
    if "matrix" in charts:
        blocks += [Heading("Who beats whom", "who-beats-whom"), charts["matrix"], shown["pairs"]]
    if "ladder" in charts:
        blocks += [Text("A higher mean does not make a policy win every duel. Each policy against the next one in the "
                        "order:"), charts["ladder"]]
    if len(tables["profile"]) > 2:
        blocks.append(Heading("Circles", "circles"))
        if "triples" in charts:
            blocks += [Text(f"{len(tables['triples'])} triples in which each beats the next by its whole simultaneous "
                            "interval, round in a circle:"), charts["triples"], shown["triples"]]
        else:
            blocks.append(Text("No three policies beat each other in a circle, at least not so clearly that all three "
                               "simultaneous intervals lie above 50 %.", "note"))
    return Section(ANCHOR, TITLE, QUESTION, blocks, lead=_lead(tables))


def _lead(tables: Tables) -> str:
    order = tables["strength"]
    if not len(order):
        return "No full round robin was played, so there is no order of strength."
    # As many as stand clear of the rest say more than a fixed number of names.
    names = [f"`{name}`" for name in order["policy"].head(3)]
    last = [f"`{name}`" for name in order["policy"].tail(min(2, len(order) - 1))]
    undecided = sum(clear(row, 0.5) == 0 for _, row in tables["matrix"].iterrows()) // 2
    text = f"From the top: {listed(names)}. At the bottom: {listed(last)}."
    text += f" Pairs too close to call: {undecided} of {len(tables['matrix']) // 2}." if undecided else ""
    return text
