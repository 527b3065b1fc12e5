"""The page of a tournament: the ranking, who beats whom, circles, and where one number is not enough."""

from __future__ import annotations

import pandas as pd

from agentsim.report import Block, Chart, Column, Heading, Provenance, Report, Section, Table, Text, theme
from agentsim.strategy.results import TournamentResult

__all__ = ["report"]


def report(result: TournamentResult, found: dict[str, pd.DataFrame], command: str) -> Report:
    """The page from a tournament's tables (``result.tables()``)."""
    ranking, pairs = found["ranking"], found["pairs"]
    top, undecided = ranking.iloc[0], int((pairs["decision"] == "undecided").sum())
    same = ranking[ranking["rank_low"] == 1]["policy"].tolist()
    first = (f"{top['policy']} leads with {top['elo']:.0f} Elo points" if len(same) == 1
             else f"{len(same)} policies may be first, among them {top['policy']} with {top['elo']:.0f} Elo points")
    deals = int(pairs["n_deals"].sum())
    bounded = ranking.assign(low=ranking["low"].where(ranking["low"].abs() != float("inf"), ranking["elo"]),
                             high=ranking["high"].where(ranking["high"].abs() != float("inf"), ranking["elo"]))
    figure, ax = theme.figure(rows=max(3, len(ranking)))
    theme.dot_interval(ax, bounded, "policy", "elo", "low", "high", kind="number", reference=1500.0,
                       xlabel="Elo points (mean of the field: 1500)")
    k = len(ranking)
    elo = Chart(figure, "elo", first, theme.caption(
        result.n_games, deals, seed=result.seed, policies=result.policies,
        interval=f"simultaneous 95 % intervals over {k} policies"),
        "Elo points: " + "; ".join(f"{row['policy']} {row['elo']:.0f}" for row in ranking.to_dict("records")) + ".")
    blocks: list[Block] = [elo]
    names = ranking["policy"].tolist()
    score, low, high = (pd.DataFrame(index=names, columns=names, dtype=float) for _ in range(3))
    for row in pairs.to_dict("records"):
        a, b = row["policy_a"], row["policy_b"]
        score.loc[a, b], low.loc[a, b], high.loc[a, b] = row["score"], row["low"], row["high"]
        score.loc[b, a], low.loc[b, a], high.loc[b, a] = 1 - row["score"], 1 - row["high"], 1 - row["low"]
    figure, ax = theme.figure(height=1.5 + 0.45 * k)
    theme.heatmap(ax, score, low=low, high=high, xlabel="against", ylabel="score of")
    won = int(pairs["decision"].isin(["a", "b"]).sum())
    blocks.append(Chart(figure, "matrix", f"{won} of {len(pairs)} pairs have a winner", theme.caption(
        result.n_games, deals, seed=result.seed, policies=result.policies,
        interval=f"confidence sequences, all {len(pairs)} pairs together 95 %"),
        f"Scores of {k} policies against each other; {won} pairs have a winner, {undecided} are undecided."))
    full = {
        "nash": Column("Nash average", "percent", "nash_low", "nash_high"),
        "skill": Column("against the equilibrium", "points", "skill_low", "skill_high"),
        "mass": Column("alpha-rank", "percent", "mass_low", "mass_high")} if "nash" in ranking else {}
    blocks += [Heading("All numbers", "numbers"), Table(ranking, "ranking", "Ranking", {
        "policy": Column("policy"), "rank_low": Column("best rank", "int"), "rank_high": Column("worst rank", "int"),
        "elo": Column("Elo", "number", decimals=0), "se": Column("standard error", "number", decimals=1),
        "beats": Column("beats", "int"), "loses": Column("loses to", "int"), "equal": Column("too close", "int"),
        "undecided": Column("undecided", "int"), **full, "n_games": Column("games", "int")}, rows=60)]
    blocks.append(Table(pairs, "pairs", "Pairs", {
        "policy_a": Column("first"), "policy_b": Column("second"),
        "score": Column("score of the first", "percent", "low", "high"), "decision": Column("decision"),
        "n_games": Column("games", "int")}, rows=100,
        note=f"Decision: the winner (a the first, b the second), equal within {100 * result.plan.margin:g} points, "
             "or undecided. All hold together with 95 %, whenever play stops."))
    if len(found["circles"]):
        blocks.append(Table(found["circles"], "circles", "Circles", {
            "a": Column("a"), "b": Column("b"), "c": Column("c"), "score_ab": Column("a against b", "percent"),
            "score_bc": Column("b against c", "percent"), "score_ca": Column("c against a", "percent")}, rows=40))
    if result.ratings().misfit.n:
        blocks.append(Table(found["residuals"], "residuals", "Where one number is not enough", {
            "policy_a": Column("first"), "policy_b": Column("second"), "score": Column("score", "percent"),
            "expected": Column("by the ratings", "percent"), "residual": Column("difference", "points"),
            "z": Column("z", "number", decimals=1), "n_games": Column("games", "int")}, rows=40))
    blocks.append(Text("Elo, Nash and alpha-rank intervals are for a number of games fixed beforehand."))
    lead = (f"{first}. {len(pairs) - undecided} of {len(pairs)} pairs are decided, {len(found['circles'])} circles "
            "found.")
    section = Section("tournament-result", "Tournament", "Who beats whom?", blocks, lead=lead)
    return Report("Tournament", [], [section], summary=lead,
                  provenance=Provenance(command, result.seed, {"games": result.n_games, "deals": deals}))
