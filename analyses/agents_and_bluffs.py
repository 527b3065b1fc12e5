"""What is offered, hidden and taken, who falls for it, and what a card is worth.

*Offers and takes.* Shares over all offers (takes) of a policy against whomever it met, clustered by deal.

*Mistakes* are judged by the policy greedy's value of an outcome, with the hidden card known: a take is a mistake if the
other card would have been worth more to the receiver by that measure. It looks at one exchange only, so the best
players make "mistakes" on purpose; the measure is the same for all, which is what a comparison needs.

*What a card is worth* comes from a coin. A receiver of the family ``random`` takes either card with probability 1/2, so
those who got a card and those who got the other one of the same offer differ in nothing else: their difference is an
effect. The win rate of those who own a card is not: a long game, a lead and a rich hand bring cards as well as wins.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.report import Block, Chart, Column, Finding, Heading, Section, Table, Text
from agentsim.runs import Run
from agentsim.stats import card_effects, check_coin, ratio_table
from analyses import bluff_charts
from analyses.common import (
    CHANCE_FAMILIES,
    LEVEL,
    Ints,
    about,
    finding,
    hit_sums,
    largest,
    listed,
    local,
    part_sums,
    percent,
    points,
    smallest,
    strongest,
)
from analyses.turnlog import Offers, Turns, load_turns, offers

__all__ = ["displays", "figures", "findings", "section", "tables"]

ANCHOR, TITLE = "agents-and-bluffs", "Agents and bluffs"
QUESTION = "What is offered, hidden and taken, and what is it worth?"

ALL = "all"
CHANCE, THINKS = "other plays by chance", "other thinks"
"""Whom the coin's receivers met."""

Tables = dict[str, pd.DataFrame]


# ------------------------------------------------------------------------------------------------ tables


def tables(run: Run, focus: str = "") -> Tables:
    """All numbers of this analysis; the run needs a log of turns.

    ``focus`` is the policy of the detailed charts: by default the strongest of the run.

    Returns ``about`` (with ``focus``); ``offered`` (per offerer, card and side: share of its offers); ``taken`` (per
    receiver, card and side: share of such offers in which it takes the card); ``hidden`` (per offerer and face-up card:
    the hidden card's probabilities, with ``usual``, its share of all hidden cards); ``hides`` (per offerer: of the
    offers with one card better for the receiver, those that hide it); ``advice`` (the same by face-up card);
    ``mistakes`` (per receiver; ``decisive``: by the end of the game); ``fooled`` (mistakes per offerer and receiver);
    ``effects`` (from the coin: per kind of opponent, card and count); ``owners`` (win rate of those who end with so
    many copies or more, among the same players); ``coin`` (is it fair?).
    """
    turns = load_turns(run)
    judged = offers(turns, run.experiment.rules())
    deal = turns.deal[turns.game]
    families = np.array([policy.family in CHANCE_FAMILIES for policy in run.experiment.policies])
    told = turns.face_up != turns.face_down
    differ = judged.better != 0
    effects, coin = _effects(turns, judged, deal, families)
    return {
        "about": about(run).assign(focus=focus or strongest(run)),
        "offered": _offered(turns, judged, deal),
        "taken": _taken(turns, judged, deal),
        "hidden": _hidden(turns, judged, deal, told),
        "hides": _by_policy(turns, judged.offerer[differ], deal[differ], judged.better[differ] < 0),
        "advice": _advice(turns, judged, deal, differ),
        "mistakes": _mistakes(turns, judged, deal, told),
        "fooled": _fooled(turns, judged, deal, told),
        "effects": effects, "owners": _owners(run, families), "coin": coin,
    }


def _offered(turns: Turns, judged: Offers, deal: Ints) -> pd.DataFrame:
    n, parts = len(turns.agents), []
    for side, cards in (("up", turns.face_up), ("down", turns.face_down)):
        for whole in (False, True):
            cell = np.zeros_like(judged.offerer) if whole else judged.offerer
            sums = part_sums(cell, 1 if whole else len(turns.policies), deal, cards, n)
            sums.insert(0, "policy", [ALL if whole else turns.policies[at] for at in sums.pop("cell")])
            sums.insert(1, "card", [turns.agents[at] for at in sums.pop("part")])
            sums.insert(2, "side", side)
            parts.append(sums)
    return _per_policy(pd.concat(parts, ignore_index=True))


def _taken(turns: Turns, judged: Offers, deal: Ints) -> pd.DataFrame:
    n, parts = len(turns.agents), []
    took_up = turns.took_face_up
    for side, cards, took in (("up", turns.face_up, took_up), ("down", turns.face_down, ~took_up)):
        for whole in (False, True):
            receiver = np.zeros_like(judged.receiver) if whole else judged.receiver
            sums = hit_sums(receiver * n + cards, n * (1 if whole else len(turns.policies)), deal, took)
            policy, card = np.divmod(sums.pop("cell").to_numpy(np.int64), n)
            sums.insert(0, "policy", [ALL if whole else turns.policies[at] for at in policy])
            sums.insert(1, "card", [turns.agents[at] for at in card])
            sums.insert(2, "side", side)
            parts.append(sums)
    return _per_policy(pd.concat(parts, ignore_index=True))


def _per_policy(sums: pd.DataFrame) -> pd.DataFrame:
    """Ratios with intervals that hold together for all rows of a policy."""
    made = [ratio_table(rows, level=LEVEL) for _, rows in sums.groupby("policy", sort=False)]
    return pd.concat(made, ignore_index=True) if made else ratio_table(sums, level=LEVEL)


def _hidden(turns: Turns, judged: Offers, deal: Ints, told: NDArray[np.bool_]) -> pd.DataFrame:
    n, parts = len(turns.agents), []
    up, down = turns.face_up[told], turns.face_down[told]
    for whole in (False, True):
        offerer = np.zeros_like(judged.offerer[told]) if whole else judged.offerer[told]
        n_policies = 1 if whole else len(turns.policies)
        sums = part_sums(offerer.astype(np.int64) * n + up, n * n_policies, deal[told], down, n)
        usual = ratio_table(part_sums(offerer, n_policies, deal[told], down, n), level=LEVEL)
        policy, face_up = np.divmod(sums.pop("cell").to_numpy(np.int64), n)
        face_down = sums.pop("part").to_numpy(np.int64)
        sums.insert(0, "policy", [ALL if whole else turns.policies[at] for at in policy])
        sums.insert(1, "face_up", [turns.agents[at] for at in face_up])
        sums.insert(2, "face_down", [turns.agents[at] for at in face_down])
        known = usual.set_index(["cell", "part"])[["estimate", "low", "high"]]
        sums[["usual", "usual_low", "usual_high"]] = known.loc[list(zip(policy, face_down, strict=True))].to_numpy()
        parts.append(sums[face_up != face_down])
    return _per_policy(pd.concat(parts, ignore_index=True))


def _by_policy(turns: Turns, policy: Ints, deal: Ints, hit: NDArray[np.bool_]
               ) -> pd.DataFrame:
    """A share per policy, with intervals that hold together for all policies."""
    sums = hit_sums(policy, len(turns.policies), deal, hit)
    sums.insert(0, "policy", [turns.policies[at] for at in sums.pop("cell")])
    return ratio_table(sums, level=LEVEL)


def _advice(turns: Turns, judged: Offers, deal: Ints, differ: NDArray[np.bool_]) -> pd.DataFrame:
    n, parts = len(turns.agents), []
    for whole in (False, True):
        offerer = np.zeros_like(judged.offerer) if whole else judged.offerer
        sums = hit_sums((offerer * n + turns.face_up)[differ], n * (1 if whole else len(turns.policies)), deal[differ],
                        judged.better[differ] < 0)
        policy, card = np.divmod(sums.pop("cell").to_numpy(np.int64), n)
        sums.insert(0, "policy", [ALL if whole else turns.policies[at] for at in policy])
        sums.insert(1, "face_up", [turns.agents[at] for at in card])
        parts.append(sums)
    return _per_policy(pd.concat(parts, ignore_index=True))


def _mistakes(turns: Turns, judged: Offers, deal: Ints, told: NDArray[np.bool_]) -> pd.DataFrame:
    wrong = judged.mistaken(turns.took_face_up)[told]
    receiver, deals = judged.receiver[told], deal[told]
    table = _by_policy(turns, receiver, deals, wrong)
    for name, hit in (("decisive", wrong & judged.decisive[told]), ("lesser", wrong & ~judged.decisive[told]),
                      ("took_face_up", turns.took_face_up[told])):
        part = _by_policy(turns, receiver, deals, hit)[["policy", "estimate", "low", "high"]]
        table = table.merge(part.rename(columns={"estimate": name, "low": f"{name}_low", "high": f"{name}_high"}),
                            on="policy")
    return table


def _fooled(turns: Turns, judged: Offers, deal: Ints, told: NDArray[np.bool_]) -> pd.DataFrame:
    n = len(turns.policies)
    sums = hit_sums((judged.offerer * n + judged.receiver)[told], n * n, deal[told],
                    judged.mistaken(turns.took_face_up)[told])
    offerer, receiver = np.divmod(sums.pop("cell").to_numpy(np.int64), n)
    sums.insert(0, "offerer", [turns.policies[at] for at in offerer])
    sums.insert(1, "receiver", [turns.policies[at] for at in receiver])
    return ratio_table(sums, level=LEVEL)


def _effects(turns: Turns, judged: Offers, deal: Ints, chance: NDArray[np.bool_]
             ) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Effects from the coin of receivers that play by chance, by whom they met, and the test of the coin."""
    parts = []
    tossed = chance[judged.receiver] if len(chance) else np.zeros(0, bool)
    for name, met in ((CHANCE, True), (THINKS, False)):
        rows = tossed & (chance[judged.offerer] == met)
        if not rows.any():
            continue
        agents = pd.Index(turns.agents)
        up, down = (pd.Series(pd.Categorical.from_codes(codes[rows].astype(np.int64), categories=agents))
                    for codes in (turns.face_up, turns.face_down))
        table = card_effects(deal[rows], turns.took_face_up[rows], (1 - turns.won[rows]).astype(float), up, down,
                             judged.count_up[rows].astype(np.int64), judged.count_down[rows].astype(np.int64),
                             level=LEVEL)
        table.insert(0, "met", name)
        parts.append(table)
    test = check_coin(turns.took_face_up[tossed])
    coin = pd.DataFrame([{"n": test.n, "share": test.statistic, "p_value": test.p_value}])
    if not parts:
        columns = ["met", "card", "count", "effect", "low", "high", "win_got", "win_other", "n_turns", "n_got",
                   "n_deals"]
        return pd.DataFrame(columns=columns), coin
    return pd.concat(parts, ignore_index=True), coin


def _owners(run: Run, chance: NDArray[np.bool_]) -> pd.DataFrame:
    """Win rate of players who end with ``count`` copies of a card or more, in games of chance against chance."""
    policies = [policy.label for policy in run.experiment.policies]
    known = [policy for policy, by_chance in zip(policies, chance, strict=True) if by_chance]
    agents = run.experiment.rules().names
    columns = ", ".join(f"final_{seat}_{agent}" for seat in (0, 1) for agent in agents)
    games = run.sql(f"""
        SELECT deal_id, CASE winner WHEN 0 THEN 1.0 WHEN 1 THEN 0.0 ELSE 0.5 END AS won, {columns} FROM games
        WHERE list_contains($known, policy_0) AND list_contains($known, policy_1)""", known=known)
    deal, won = games["deal_id"].to_numpy(np.int64), games["won"].to_numpy(float)
    deals, results = np.concatenate([deal, deal]), np.concatenate([won, 1 - won])
    rows = []
    for agent in agents:
        held = np.concatenate([games[f"final_{seat}_{agent}"].to_numpy(np.int64) for seat in (0, 1)])
        for count in range(1, int(held.max(initial=0)) + 1):
            who = held >= count
            sums = hit_sums(np.zeros(int(who.sum()), np.int64), 1, deals[who], results[who])
            rows.append(sums.drop(columns="cell").assign(card=agent, count=count))
    if not rows:
        return pd.DataFrame(columns=["card", "count", "estimate", "low", "high", "n", "n_deals"])
    return ratio_table(pd.concat(rows, ignore_index=True), level=LEVEL)


# ------------------------------------------------------------------------------------------------ charts, words, tables


def figures(tables: Tables) -> dict[str, Chart]:
    """The charts that the tables have data for: see :mod:`analyses.bluff_charts`."""
    return bluff_charts.draw(tables)


def findings(tables: Tables) -> list[Finding]:
    """What the tables say, the most important first."""
    if not len(tables["mistakes"]):
        return []
    said: list[Finding | None] = []
    together = "simultaneous 95 % interval"
    effects = bluff_charts.known_effects(tables)
    shown = effects[effects["met"] == effects["met"].iloc[0]] if len(effects) else effects
    if len(shown):
        whom = ("when both play by chance" if shown["met"].iloc[0] == CHANCE else
                "for a chance player against the others")
        for row, word in ((largest(shown, "effect"), "The best card to get"),
                          (smallest(shown, "effect"), "The worst")):
            clearly = row["low"] > 0 or row["high"] < 0
            said.append(finding(f"{word} is {bluff_charts.card_words(tables, row, '`')}: getting it rather "
                                f"than the other card changes the chance to win by {{value}} {whom}"
                                f"{'' if clearly else ', which may be nothing'}.", row, estimate="effect", unit="pp",
                                n=int(row["n_turns"]), n_unit="offers", interval=together, section=ANCHOR))
    mistakes = tables["mistakes"].sort_values("estimate")
    low, high = mistakes.iloc[0], mistakes.iloc[-1]
    said.append(finding(f"By greedy's measure `{low['policy']}` takes the worse card in {{value}} of offers, the "
                        f"least of all; `{high['policy']}` does in "
                        f"{percent(high['estimate'])}.", low, n=int(low["den"]),
                        n_unit="takes", interval=together, section=ANCHOR))
    hides = tables["hides"].sort_values("estimate")
    low, high = hides.iloc[0], hides.iloc[-1]
    said.append(finding(f"`{high['policy']}` hides the card that is better for the other player in {{value}} of its "
                        f"offers, `{low['policy']}` in "
                        f"{percent(low['estimate'])}.", high, n=int(high["den"]), n_unit="offers",
                        interval=together, section=ANCHOR))
    fooled = _between_different(tables)
    if len(fooled):
        top = largest(fooled, "estimate")
        said.append(finding(f"The bluff that works best: facing `{top['offerer']}`, `{top['receiver']}` takes the "
                            "worse card in {value} of "
                            "offers.", top, n=int(top["den"]), n_unit="takes", interval=together,
                            section=ANCHOR))
    return [item for item in said if item is not None]


def _between_different(tables: Tables) -> pd.DataFrame:
    fooled = tables["fooled"]
    return fooled[(fooled["offerer"] != fooled["receiver"]) & (fooled["n_deals"] >= bluff_charts.MIN_DEALS)]


def displays(tables: Tables) -> dict[str, Table]:
    """The tables of the page: ``effects``, ``offered``, ``taken``, ``hidden``, ``mistakes``, ``fooled``."""
    if not len(tables["mistakes"]):
        return {}
    shown = {}
    if len(tables["effects"]):
        owners = tables["owners"][["card", "count", "estimate", "low", "high", "n"]].rename(columns={
            "estimate": "owners", "low": "owners_low", "high": "owners_high", "n": "n_owners"})
        effects = tables["effects"].merge(owners, on=["card", "count"], how="left")
        effects.loc[effects["met"] != CHANCE, ["owners", "owners_low", "owners_high"]] = np.nan
        shown["effects"] = Table(effects, "effects-table", "What getting a card does, and how its owners fare", {
            "met": Column("against"), "card": Column("card"), "count": Column("as copy", "int"),
            "effect": Column("effect of getting it", "points", "low", "high",
                             help="On the receiver's chance to win, against getting the other card of the offer."),
            "owners": Column("owners win (confounded)", "percent", "owners_low", "owners_high",
                             help="Players who end with so many copies or more. Not an effect of the card."),
            "n_turns": Column("offers", "int"), "n_deals": Column("deals", "int"),
        }, note="Effects: receivers that choose by a coin, clustered by deal, simultaneous (Sidak) over the rows of "
                "the same opponents. Owners: games of chance players among themselves.", rows=12)
    first = {name: at for at, name in enumerate((str(tables["about"]["focus"].iloc[0]), ALL))}

    def sorted_for_readers(name: str) -> pd.DataFrame:
        frame = tables[name]
        return frame.iloc[np.argsort(frame["policy"].map(first).fillna(len(first)).to_numpy(), kind="stable")]

    shown["offered"] = Table(sorted_for_readers("offered"), "offered-table", "Offered face up and face down", {
        "policy": Column("who offers"), "card": Column("card"), "side": Column("face"),
        "estimate": Column("share of offers", "percent", "low", "high"), "n": Column("offers", "int"),
    }, rows=8)
    shown["taken"] = Table(sorted_for_readers("taken"), "taken-table", "Taken", {
        "policy": Column("who chooses"), "card": Column("card"), "side": Column("face"),
        "estimate": Column("taken", "percent", "low", "high", help="Share of the offers with this card in which it is "
                                                                   "taken."),
        "n": Column("offers", "int"),
    }, rows=8)
    shown["hidden"] = Table(sorted_for_readers("hidden"), "hidden-table", "What lies under what", {
        "policy": Column("who offers"), "face_up": Column("face up"), "face_down": Column("face down"),
        "estimate": Column("probability", "percent", "low", "high", help="Of the hidden card, given the face-up one."),
        "usual": Column("usually", "percent", "usual_low", "usual_high", bar=False,
                        help="Its share of all cards that this policy hides."),
        "num": Column("offers", "int"), "n": Column("of", "int"),
    }, note="Intervals hold together for all rows of a policy.", rows=8)
    shown["mistakes"] = Table(tables["mistakes"].sort_values("estimate"), "mistakes-table", "Mistakes of receivers", {
        "policy": Column("who chooses"),
        "estimate": Column("took the worse card", "percent", "low", "high", help="By greedy's value of the outcome."),
        "decisive": Column("at the price of the game", "percent", "decisive_low", "decisive_high", bar=False,
                           help="One of the two cards would have ended the game, and the wrong one was taken."),
        "took_face_up": Column("takes face up", "percent", "took_face_up_low", "took_face_up_high", bar=False),
        "n": Column("takes", "int"),
    }, rows=30)
    fooled = tables["fooled"].sort_values("estimate", ascending=False)
    shown["fooled"] = Table(fooled, "fooled-table", "Who fools whom", {
        "offerer": Column("who offers"), "receiver": Column("who chooses"),
        "estimate": Column("took the worse card", "percent", "low", "high"), "n": Column("takes", "int"),
    }, note="Intervals hold together for all pairs.", rows=10)
    return shown


def section(tables: Tables) -> Section:
    """The page."""
    charts, shown = figures(tables), displays(tables)
    if not shown:
        return Section(ANCHOR, TITLE, QUESTION, [Text("There is not enough data here: no games were played.", "note")])
    blocks: list[Block] = [*local(findings(tables)), Heading("What a card is worth", "worth")]
    if "effects" in charts:
        row = tables["coin"].iloc[0]
        blocks += [
            Text("An effect, not a correlation: these receivers choose by a fair coin, so those who got the card and "
                 "those who got the other one differ in nothing else. (The coin fell on the face-up card in "
                 f"{percent(row['share'], 2)} of {int(row['n']):,} offers; p = {row['p_value']:.2f} that a fair one "
                 "strays as far.)"),
            charts["effects"]]
    else:
        blocks.append(Text("Too few offers of this run went to players who choose by a coin, such as `random`: there "
                           "is nothing that an effect could be read off.", "note"))
    if "confounded" in charts:
        blocks += [Text("**Confounded.** The win rate of a card's owners is not what the card does: whoever lives "
                        "long or leads collects cards, and some cards are given away by those who can "
                        "afford it.", "warning"),
                   charts["confounded"]]
    blocks += [shown[name] for name in ("effects",) if name in shown]
    for heading, anchor, names in (
        ("What is offered, and what is taken", "offers", ("offered", "taken")),
        ("What lies under what", "hidden", ("hidden", "hidden_difference", "advice")),
        ("Who hides the better card, and who falls for it", "bluffs", ("hides", "mistakes", "fooled")),
    ):
        blocks.append(Heading(heading, anchor))
        if anchor == "bluffs":
            blocks.append(Text("Mistakes are judged with the hidden card known, by the policy greedy's value of the "
                               "outcome: points for moves, lead and sets, and the end of the game above all. It sees "
                               "no further than the exchange, so strong players make such \"mistakes\" for reasons of "
                               "their own."))
        for name in names:
            blocks += [charts[name]] if name in charts else []
            blocks += [shown[name]] if name in shown else []
    return Section(ANCHOR, TITLE, QUESTION, blocks, lead=_lead(tables))


def _lead(tables: Tables) -> str:
    effects = bluff_charts.known_effects(tables)
    effects = effects[effects["met"] == effects["met"].iloc[0]] if len(effects) else effects
    text = ""
    good, bad = effects[effects["low"] > 0], effects[effects["high"] < 0]
    if len(good) and len(bad):
        names = [[f"{bluff_charts.card_words(tables, row, '`')} ({points(row['effect'])})"
                  for _, row in part.iterrows()] for part in (good.nlargest(2, "effect"), bad.nsmallest(2, "effect"))]
        text = f"Worth having: {listed(names[0])}. Better left to the other: {listed(names[1])}. "
    hides = tables["hides"].sort_values("estimate")
    least, most = hides.iloc[0], hides.iloc[-1]
    if most["low"] <= least["high"]:
        return text + "No policy clearly hides the better card more often than another."
    return text + f"`{most['policy']}` hides the better card most often, `{least['policy']}` least."
