"""What is a Black Market card worth, and which one would you change first?

At several levels of play: what the log says (seen, taken, by whom, followed by which end; win rates of takers, which
are confounded), what *taking* a card rather than the average other one changes (balance), what it does against a blank
(strength), whether both ways of measuring agree, and a verdict against a band that the designer sets.

``tables(run)`` plays the experiments behind balance and strength itself, with the rules, policies and seed of the run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from agentsim.games.base import get_game
from agentsim.report import Block, Chart, Finding, Heading, Section, Table, Text
from agentsim.runs import Run
from analyses import market_charts, market_log, market_worth
from analyses.common import about, finding, listed, local, percent
from analyses.market_trials import Size, Stage, Trial, play_trials

__all__ = ["BAND", "displays", "figures", "findings", "section", "tables", "worth"]

ANCHOR, TITLE, QUESTION = "black-market", "Black Market", "What is a card worth, and which would you change first?"
BAND = 0.05
"""Effects within this of 0 need no change, unless a designer says otherwise: 5 percentage points."""
SEED_GAP = 1000
"""The experiments' seeds begin so far from the run's, which its rule changes and other runs count up from."""

Tables = dict[str, pd.DataFrame]


# ------------------------------------------------------------------------------------------------ tables


def tables(run: Run, *, size: Size | None = None, band: float = BAND, workers: int = 1, stage: Stage | None = None
           ) -> Tables:
    """All numbers of this analysis.

    Parameters
    ----------
    run : mirrors of the levels of play, weakest first, with Black Market and ``log = "turns"``.
    size : how much is played for balance and strength; default: to half a percentage point.
    band : half the width of the band of effects that need no change.
    workers, stage : as :func:`analyses.market_trials.play_trials` takes them.

    Returns ``about``; from the log ``usage`` and ``ends``; and the tables of :func:`worth`. Raises InputError for a run
    without Black Market in its log.
    """
    rows = market_log.landings(run)
    rules = run.experiment.rules()
    game = get_game(run.experiment.game)
    labels = market_worth.cards_of(rules)[["card", "label", "provenance"]]
    trials = play_trials(game, rules, run.experiment.policies, (run.seed + SEED_GAP) % 2**64, size, workers=workers,
                         stage=stage)
    return {"about": about(run), **worth(trials, rules, band),
            "usage": market_log.usage(run, rows).merge(labels, on="card", how="left"),
            "ends": market_log.ends(run, rows).merge(labels, on="card", how="left")}


def worth(trials: Sequence[Trial], rules: Any, band: float = BAND) -> Tables:
    """What the experiments say: ``cards, trials, balance, strength, landings, agreement, forced, check, answer``.

    ``answer`` is one row: ``card, label, verdict, levels, sentence, policy, effect, low, high, n_games, band``.
    """
    cards = market_worth.cards_of(rules)
    balance, strength = market_worth.balance(trials, cards, band), market_worth.strength(trials, cards)
    answer = market_worth.change_first(balance, strength, band)
    row = answer["row"]
    told = {"card": answer["card"], "label": answer["label"], "verdict": answer["verdict"],
            "levels": ", ".join(answer["levels"]), "sentence": answer["sentence"], "band": band,
            "policy": "" if row is None else row["policy"], "n_games": 0 if row is None else int(row["n_games"]),
            **{name: math.nan if row is None else float(row[name]) for name in ("effect", "low", "high")}}
    return {"cards": cards, "trials": market_worth.trial_facts(trials), "balance": balance, "strength": strength,
            "landings": market_worth.secondary(trials, cards), "agreement": market_worth.agreements(trials, cards),
            "forced": market_worth.forced_starts(trials, cards), "check": market_worth.picks_check(trials, cards),
            "answer": pd.DataFrame([told])}


def figures(found: Tables) -> dict[str, Chart]:
    """The charts that the tables have data for: ``balance, strength, agreement, confounded, taken, ends``."""
    return market_charts.draw(found)


# ------------------------------------------------------------------------------------------------ sentences


def findings(found: Tables) -> list[Finding]:
    """What to say first: the card to change, the verdicts, the strongest card, and whether the measurements agree."""
    said: list[Finding | None] = []
    answer, balance, strength = found["answer"].iloc[0], found["balance"], found["strength"]
    interval = f"simultaneous 95 % interval over {balance.groupby('policy')['card'].count().max()} cards"
    if answer["card"]:
        said.append(finding(
            f"Change {answer['label']} first: it is {answer['verdict']}. With `{answer['policy']}` taking it rather "
            "than the average other card on offer changes the chance to win by {value}.", answer, estimate="effect",
            unit="pp", interval=interval, section=ANCHOR))
    else:
        said.append(Finding(str(answer["sentence"]), section=ANCHOR))
    last = balance["policy"].iloc[-1]
    verdicts = balance[balance["policy"] == last]
    counted = verdicts["verdict"].value_counts()
    words = [f"{counted[name]} {name}" for name in ("too strong", "too weak", "fine", "not yet known")
             if counted.get(name, 0)]
    known = strength[(strength["policy"] == last) & strength["effect"].notna()]
    if len(known):
        top = known.iloc[int(known["effect"].to_numpy().argmax())]
        rivals = int((known["high"] >= top["low"]).sum()) - 1
        text = f"Against a blank the strongest card is {top['label']}: it is worth {{value}} to its taker (`{last}`)."
        if rivals:
            text = (f"Against a blank {top['label']} comes out highest, worth {{value}} to its taker (`{last}`), but "
                    f"{rivals} other {'card' if rivals == 1 else 'cards'} may be as strong.")
        said.append(finding(text, top, estimate="effect", n=int(top["n_forks"]), n_unit="forks", unit="pp",
                            interval=interval, section=ANCHOR))
    said.append(Finding(f"Of {len(verdicts)} cards, {listed(words)}, held against ±{100 * answer['band']:g} points "
                        f"(`{last}`).", section=ANCHOR))
    agreed = found["agreement"]
    if len(agreed):
        bad = agreed[~agreed["agree"]]
        said.append(Finding(
            f"Picks by chance and forks agree on card minus blank in {len(agreed) - len(bad)} of {len(agreed)} "
            "comparisons" + (f"; they do not for {listed(list(dict.fromkeys(bad['label'])))}." if len(bad) else "."),
            section=ANCHOR))
    return [item for item in said if item is not None]


# ------------------------------------------------------------------------------------------------ the page


def displays(found: Tables) -> dict[str, Table]:
    """The tables of the page: ``verdicts, strength, usage, takers, agreement, landings, forced``."""
    return market_charts.displays(found)


def section(found: Tables) -> Section:
    """The page."""
    charts, shown = figures(found), displays(found)
    answer = found["answer"].iloc[0]
    band = f"±{100 * answer['band']:g} points"
    blocks: list[Block] = [*local(findings(found))]

    def add(title: str, anchor: str, text: str, *parts: str) -> None:
        present = [part for part in parts if part in charts or part in shown]
        if present:
            blocks.extend([Heading(title, anchor), Text(text)])
            blocks.extend(charts[part] if part in charts else shown[part] for part in present)

    add("Balance: what taking a card changes", "balance",
        "Here whoever lands takes one of the cards on offer *by chance*; all else is the named policy's play. "
        "So the takers of a card and those who had it on offer and got another one differ in nothing but the pick, and "
        "the difference of their results is what the card changes. One landing per game counts, the first, so games "
        f"are independent. *Fine* means that the whole interval lies within {band}, *too strong* and *too weak* that "
        "all of it lies outside; else it is not yet known, and the table says how many games would decide it with a "
        "chance of 90 %.", "balance", "verdicts")
    add("What a card does against a blank", "strength",
        "The same games, continued twice from the first pick: with the card and with nothing in its place. Everything "
        "else (cards, coins, the rest of the supply) is the same in both, so one difference per game is left. "
        "*Changed* is the share of these forks that ended otherwise because of the card: how often it mattered at all.",
        "strength", "strengths")
    add("Do the two agree?", "agreement",
        "With blanks added to the market, takers of a card can be compared with takers of a blank from the same "
        "supplies, by chance once more; forks restricted to such supplies measure the same. Different games, so both "
        "errors count.",
        "agreement", "agreements")
    add("What takers win, and why that is not the card's doing", "takers",
        "When the policies choose for themselves, whoever takes a card is in the situation in which it is wanted. "
        "Their win rate is shown because everybody asks for it. It is **confounded**, and no measure of the card.",
        "confounded", "usage")
    add("When and by whom they are taken", "taken", "From the log of games in which the policies choose.", "taken",
        "takers", "ends")
    add("All landings, and forced starts", "more",
        "The balance once more over *all* landings of some games (later picks left to chance, clustered by deal), and "
        "what it changes to begin a game with an ongoing card. Reported only: no verdict rests on them.", "landings",
        "forced")
    blocks.append(_check(found))
    return Section(ANCHOR, TITLE, QUESTION, blocks, lead=str(answer["sentence"]))


def _check(found: Tables) -> Text:
    check = found["check"]
    worst = check.iloc[int(check["z"].abs().fillna(0.0).to_numpy().argmax())]
    holds = not abs(worst["z"]) > worst["limit"]
    share = (f"{worst['label']} ({worst['policy']}) was taken in {percent(worst['share'], 2)} of its offers, expected "
             f"{percent(worst['expected'], 2)}")
    if holds:
        return Text(f"A check that can fail: picks by chance must be uniform. They are; the furthest off of "
                    f"{len(check)} is z = {worst['z']:+.1f} ({share}).", "note")
    return Text(f"Picks by chance are **not** uniform: z = {worst['z']:+.1f} ({share}). Do not trust this page.",
                "warning")
