"""From the counts of :mod:`analyses.market_trials` to the worth of every card: tables of estimates, and a sentence.

Pure functions: trials in, DataFrames out. The family of every interval is the cards of one level of play.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from agentsim.report import numbers
from agentsim.stats import (
    agreement,
    blank_contrast,
    critical_value,
    fork_effects,
    holm,
    landing_effects,
    mean_of_deals,
    pick_effects,
    pick_shares,
    verdicts,
)
from analyses.common import LEVEL, listed, percent, points
from analyses.market_trials import Trial

__all__ = ["agreements", "balance", "cards_of", "change_first", "forced_starts", "picks_check", "secondary", "strength",
           "trial_facts"]

_DECIDED = {"too strong": 1, "too weak": -1}


def cards_of(rules: Any) -> pd.DataFrame:
    """The market cards: ``card`` (id), ``label`` (its English name, marked if it is not the publisher's), ``kind``,
    ``copies``, ``provenance``."""
    return pd.DataFrame([{
        "card": card.id, "kind": card.kind, "copies": card.copies, "provenance": card.provenance,
        "label": card.name() + ("" if card.provenance == "publisher" else f" ({card.provenance})"),
    } for card in rules.market_cards])


def trial_facts(trials: Sequence[Trial]) -> pd.DataFrame:
    """What was played per policy: ``policy, seed, n_picks, n_forks, n_blanks, n_landings, n_forced, n_games``."""
    return pd.DataFrame([{"policy": trial.policy, "seed": str(trial.seed), "n_picks": trial.n_picks,
                          "n_forks": trial.n_forks, "n_blanks": trial.n_blanks, "n_landings": trial.n_landings,
                          "n_forced": trial.n_forced, "n_games": trial.n_games} for trial in trials])


def _stacked(trials: Sequence[Trial], each: Any, cards: pd.DataFrame) -> pd.DataFrame:
    parts = [each(trial).assign(policy=trial.policy) for trial in trials]
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"policy": [], "card": []})
    return table.merge(cards[["card", "label", "provenance"]], on="card", how="left")


def balance(trials: Sequence[Trial], cards: pd.DataFrame, band: float) -> pd.DataFrame:
    """Effect of taking each card rather than the average other on offer, with its verdict; a row per policy and card.

    ``band`` is half the width of the band of effects that need no change (0.05: 5 points). Columns of
    ``stats.pick_effects`` and ``stats.verdicts`` with ``policy, label, provenance``.
    """
    return _stacked(trials, lambda trial: verdicts(
        pick_effects(trial.picks["first_taken"], trial.picks["first_left"], trial.cards), band=band, n=trial.n_picks),
        cards)


def strength(trials: Sequence[Trial], cards: pd.DataFrame) -> pd.DataFrame:
    """Effect of each card against a blank in its place, from forks; a row per policy and card."""
    return _stacked(trials, lambda trial: fork_effects(trial.forks["forks"], trial.cards), cards)


def picks_check(trials: Sequence[Trial], cards: pd.DataFrame) -> pd.DataFrame:
    """Were the picks uniform? ``z`` of every card, and ``limit``, what no |z| of the level should exceed."""
    return _stacked(trials, lambda trial: pick_shares(
        trial.picks["first_taken"], trial.picks["first_left"], trial.cards).assign(
            limit=critical_value(len(trial.cards), 0.999)), cards)


def secondary(trials: Sequence[Trial], cards: pd.DataFrame) -> pd.DataFrame:
    """The balance over all landings of some games, clustered by deal; empty if none were kept."""
    kept = [trial for trial in trials if trial.n_landings]
    return _stacked(kept, lambda trial: landing_effects(
        trial.landings["deal"], trial.landings["supply"], trial.landings["taken"], trial.landings["won"], trial.cards),
        cards)


def agreements(trials: Sequence[Trial], cards: pd.DataFrame) -> pd.DataFrame:
    """Does card minus blank by picks equal card minus blank by forks? z-tests, Holm over the cards of all levels.

    Columns of ``stats.agreement`` with ``n_card, n_blank, n_forks, policy, label``; the blank itself is left out.
    """
    def one(trial: Trial) -> pd.DataFrame:
        contrast = blank_contrast(trial.blank_picks["first_with_blank"], trial.blank_cards)
        forks = fork_effects(trial.blank_forks["forks_with_blank"], trial.blank_cards)
        mine = contrast["card"].isin(trial.cards)
        found = agreement(contrast[mine], forks[forks["card"].isin(trial.cards)])
        return found.merge(contrast[["card", "n_card", "n_blank"]], on="card").merge(forks[["card", "n_forks"]],
                                                                                     on="card")

    table = _stacked([trial for trial in trials if trial.n_blanks], one, cards)
    if not len(table):
        return table
    # One family over all levels: with each its own, a disagreement somewhere would be more likely than it should be.
    adjusted = holm(table["p_value"])
    reach = critical_value(len(table), LEVEL) * np.hypot(table["se_1"], table["se_2"])
    return table.assign(p_adjusted=adjusted, agree=adjusted > 1.0 - LEVEL, low=table["difference"] - reach,
                        high=table["difference"] + reach)


def forced_starts(trials: Sequence[Trial], cards: pd.DataFrame) -> pd.DataFrame:
    """Score of seat 0 when it begins with an ongoing card, minus its score without; a row per policy and card.

    Both on the same deals; their correlation is not used, so the intervals err on the wide side. Reported only: nobody
    ever begins a game like this. Columns ``policy, card, label, effect, low, high, score, n_games, family_size``.
    """
    rows = []
    for trial in trials:
        size = max(len(trial.forced) - 1, 1)
        z = critical_value(size, LEVEL)
        for card, tally in trial.forced.items():
            if not card:
                continue
            with_it, without = (mean_of_deals(found["deal_score_seat0"]) for found in (tally, trial.forced[""]))
            error = math.hypot(*(_sd(found["deal_score_seat0"]) / math.sqrt(max(trial.n_forced, 1))
                                 for found in (tally, trial.forced[""])))
            effect = with_it.estimate - without.estimate
            rows.append({"policy": trial.policy, "card": card, "effect": effect, "low": max(effect - z * error, -1.0),
                         "high": min(effect + z * error, 1.0), "score": with_it.estimate,
                         "n_games": 2 * trial.n_forced, "family_size": size})
    table = pd.DataFrame(rows, columns=["policy", "card", "effect", "low", "high", "score", "n_games", "family_size"])
    return table.merge(cards[["card", "label", "provenance"]], on="card", how="left")


def _sd(histogram: Any) -> float:
    counts = np.asarray(histogram, dtype=np.float64)
    values = np.arange(len(counts)) / (len(counts) - 1)
    n = max(counts.sum(), 1.0)
    mean = counts @ values / n
    return math.sqrt(float(counts @ (values - mean) ** 2 / n))


# ------------------------------------------------------------------------------------------------ the answer


def change_first(found: pd.DataFrame, strengths: pd.DataFrame, band: float) -> dict[str, Any]:
    """Which card to change first, and why, from the tables of :func:`balance` and :func:`strength`.

    The card whose whole intervals lie furthest beyond one side of the band, added up over the levels of play: a sum and
    not a count of levels, so that a verdict which just misses does not decide. Returns ``card`` and ``label`` ("" if no
    card is outside), ``verdict``, ``levels`` (policies that agree), ``sentence``, and the row of ``found`` behind it
    (``row``).
    """
    best: dict[str, Any] = {"card": "", "label": "", "verdict": "", "levels": [], "row": None}
    furthest = 0.0
    for card, part in found.groupby("card", sort=False):
        for verdict in _DECIDED:
            outside = part[part["verdict"] == verdict]
            if not len(outside):
                continue
            last = outside.iloc[-1]
            beyond = float((outside["low"] - band if verdict == "too strong" else -band - outside["high"]).sum())
            if beyond > furthest:
                furthest = beyond
                best = {"card": card, "label": last["label"], "verdict": verdict, "levels": list(outside["policy"]),
                        "row": last}
    return {**best, "sentence": _why(best, found, strengths, band)}


def _why(best: dict[str, Any], found: pd.DataFrame, strengths: pd.DataFrame, band: float) -> str:
    edge = f"the band of ±{100 * band:g} points"
    if not best["card"]:
        known = found[np.isfinite(found["effect"])]
        if not len(known):
            return "No card was seen often enough to say anything."
        worst = known.iloc[int(known["effect"].abs().to_numpy().argmax())]
        open_ones = known[known["verdict"] == "not yet known"]
        furthest = f"The furthest from 0 is {worst['label']} ({worst['policy']}: {_effect(worst)})."
        if not len(open_ones):
            return f"No card needs a change: all of them are shown to be inside {edge}. {furthest}"
        names = list(dict.fromkeys(open_ones["label"]))
        text = f"No card is shown to need a change: none is shown to be outside {edge}. {furthest}"
        return text + f" Not yet known: {listed(names[:6])}{' and others' if len(names) > 6 else ''}."
    mine = found[found["card"] == best["card"]]
    levels = "; ".join(f"{row['policy']}: {_effect(row)}" for _, row in mine.iterrows())
    outside, all_levels = len(best["levels"]), found["policy"].nunique()
    where = ("at every level of play" if outside == all_levels and all_levels > 1 else
             f"with {listed(best['levels'])}")
    text = (f"Change {best['label']} first: it is {best['verdict']} {where}. Taking it rather than the average other "
            f"card on offer changes the chance to win by more than {edge} ({levels}).")
    against = strengths[(strengths["card"] == best["card"]) & (strengths["policy"] == best["row"]["policy"])]
    if len(against) and math.isfinite(float(against["effect"].iloc[0])):
        row = against.iloc[0]
        text += (f" Against a blank it is worth {_effect(row)}, and it changes the result in {percent(row['changed'])} "
                 f"of {int(row['n_forks']):,} games continued both ways ({row['policy']}).")
    return text


def _effect(row: Any) -> str:
    return f"{points(row['effect'])} {numbers.interval(row['low'], row['high'], 'points', 1)}"


