"""What the log tells about Black Market cards: when they lie there, who takes them, and how these games end.

From the ``market`` and ``games`` tables of a run, per matchup; everything is clustered by deal. These are facts about
play and not effects: whoever takes a card is in a situation in which that card was wanted. What a card *changes* is the
business of :mod:`analyses.market_worth`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.runs import Run
from agentsim.stats import ratio_table
from analyses.common import LEVEL, hit_sums, part_sums

__all__ = ["ends", "landings", "usage"]

STANDINGS = ("behind", "level", "ahead")


def landings(run: Run) -> pd.DataFrame:
    """One row per Black Market card taken, in the order of games.

    Columns ``matchup_id, game_id, deal_id, turn, seat, taken`` (number of the card), ``supply_0`` ... (-1: nothing lay
    there), ``won`` (the taker's result), ``lead`` (the taker's lead before the event, its own moves of the event taken
    off), ``end_reason`` (name), ``n_turns``. Raises InputError for a run without a ``market`` table.
    """
    if "market" not in run.rows:
        raise InputError("has no log of the Black Market", where=str(run.path),
                         allowed="a run of rules.mode = advanced with --log turns or full")
    names = _cards(run)
    places = [f"supply_{at}" for at in range(int(run.rules["rules.supply"]))]
    table = run.sql(f"""
        SELECT g.matchup_id, g.game_id, g.deal_id, m.turn, m.seat, m.taken, {", ".join(f"m.{p}" for p in places)},
               CASE WHEN g.winner IS NULL THEN 0.5 WHEN g.winner = m.seat THEN 1.0 ELSE 0.0 END AS won,
               CASE WHEN m.seat = 0 THEN m.lead_after ELSE -m.lead_after END - m.move AS lead, g.end_reason, g.n_turns
        FROM market m JOIN games g USING (game_id) ORDER BY g.game_id, m.turn, m.seq""")
    for column in ("taken", *places):
        table[column] = pd.Categorical(table[column].astype("object"), categories=names).codes
    return table


def _cards(run: Run) -> list[str]:
    for table in run.tables:
        for column in table.columns:
            if table.name == "market" and column.name == "taken":
                return list(column.categories)
    return []


def usage(run: Run, rows: pd.DataFrame) -> pd.DataFrame:
    """Per matchup and card: how often on offer and taken, when, by whom, and how the takers fared.

    ``rows`` is the table of :func:`landings`. Columns ``policy, card``; ``seen`` (share of games in which it was on
    offer at a landing) and ``taken`` (of the landings that had it on offer, those that took it), ``turn`` (mean, from
    0), ``behind, level, ahead`` (shares of its takers, by their lead before), ``win`` (score of its takers:
    confounded), each with ``_low, _high``; ``n_games, n_offers, n_taken``. Simultaneous over the cards of a matchup.
    """
    names = _cards(run)
    found = []
    for _, matchup in run.matchups.iterrows():
        part = rows[rows["matchup_id"] == matchup["matchup_id"]]
        taken = part["taken"].to_numpy()
        deal = part["deal_id"].to_numpy()
        table = pd.DataFrame({"card": names}).assign(
            policy=_title(matchup), n_games=int(matchup["n_games"]), n_deals=int(matchup["n_deals"]))
        offers = _offers(part, len(names))
        table = _join(table, _shares(offers["card"], len(names), offers["deal"], offers["hit"]), "taken", "n_offers")
        table = _join(table, _shares(taken, len(names), deal, part["won"].to_numpy()), "win", "n_taken")
        table["seen"], table["seen_low"], table["seen_high"] = _seen(part, offers, matchup, names)
        turns = _shares(taken, len(names), deal, part["turn"].to_numpy(), bounded=False)
        table = _join(table, turns, "turn", "n_taken")
        lead = np.sign(part["lead"].to_numpy(np.int64))
        for standing, sign in zip(STANDINGS, (-1, 0, 1), strict=True):
            table = _join(table, _shares(taken, len(names), deal, (lead == sign).astype(np.int64)), standing, "n_taken")
        found.append(table)
    return pd.concat(found, ignore_index=True)


def _title(matchup: pd.Series) -> str:
    a, b = str(matchup["policy_a"]), str(matchup["policy_b"])
    return a if a == b else f"{a} against {b}"


def _offers(part: pd.DataFrame, n_cards: int) -> dict[str, NDArray[np.int64]]:
    """One row per card on offer at a landing: ``card, deal, game, hit`` (whether it was taken). Twins count once."""
    places = [column for column in part.columns if column.startswith("supply_")]
    supply = part[places].to_numpy(np.int64)
    landing, place = np.nonzero(supply >= 0)
    card = supply[landing, place]
    _, first = np.unique(landing * n_cards + card, return_index=True)
    landing, card = landing[first], card[first]
    return {"card": card, "deal": part["deal_id"].to_numpy()[landing], "game": part["game_id"].to_numpy()[landing],
            "hit": (part["taken"].to_numpy()[landing] == card).astype(np.int64)}


def _shares(card: NDArray[np.int64], n_cards: int, deal: NDArray[np.int64], hit: NDArray[Any], *, bounded: bool = True
            ) -> pd.DataFrame:
    sums = hit_sums(card, n_cards, deal, hit)
    return ratio_table(sums, level=LEVEL, bounds=(0.0, 1.0) if bounded else None).rename(columns={"cell": "number"})


def _join(table: pd.DataFrame, shares: pd.DataFrame, name: str, n: str) -> pd.DataFrame:
    """Add the shares as columns ``name, name_low, name_high`` and their denominators as ``n``."""
    by_card = shares.set_index("number")[["estimate", "low", "high", "n"]].reindex(range(len(table)))
    table[name], table[f"{name}_low"], table[f"{name}_high"] = (by_card[c].to_numpy() for c in ("estimate", "low",
                                                                                                "high"))
    table[n] = by_card["n"].fillna(0).to_numpy(np.int64)
    return table


def _seen(part: pd.DataFrame, offers: dict[str, NDArray[np.int64]], matchup: pd.Series, names: list[str]
          ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Share of games with the card on offer at some landing, clustered by deal."""
    games = int(matchup["n_games"])
    per_deal = int(matchup["games_per_deal"])
    _, first = np.unique(offers["game"] * len(names) + offers["card"], return_index=True)
    card, deal = offers["card"][first], offers["deal"][first]
    rows = []
    for number in range(len(names)):
        _, times = np.unique(deal[card == number], return_counts=True)
        num, square = float(times.sum()), float((times.astype(np.float64) ** 2).sum())
        # Deals in which it was never seen have nothing in the numerator and all their games in the denominator.
        rows.append((games / per_deal, num, float(games), square, num * per_deal, float(games) * per_deal))
    shares = ratio_table(pd.DataFrame(rows, columns=["n_deals", "num", "den", "num_num", "num_den", "den_den"]),
                         level=LEVEL)
    estimate, low, high = (shares[column].to_numpy(np.float64) for column in ("estimate", "low", "high"))
    return estimate, low, high


def ends(run: Run, rows: pd.DataFrame) -> pd.DataFrame:
    """How games end in which a card was taken: shares of the ends, by matchup and card, clustered by deal.

    Columns ``policy, card, end, estimate, low, high, n_games``. A game counts once per card, whoever took it and how
    often. The rows of card "" are all games in which any card was taken.
    """
    names = _cards(run)
    reasons = sorted(rows["end_reason"].astype("object").dropna().unique())
    found = []
    for _, matchup in run.matchups.iterrows():
        part = rows[rows["matchup_id"] == matchup["matchup_id"]]
        end = pd.Categorical(part["end_reason"].astype("object"), categories=reasons).codes.astype(np.int64)
        game, deal = part["game_id"].to_numpy(), part["deal_id"].to_numpy()
        _, once = np.unique(game * (len(names) + 1) + part["taken"].to_numpy(), return_index=True)
        _, any_card = np.unique(game, return_index=True)
        cell = np.concatenate([part["taken"].to_numpy(np.int64)[once], np.full(len(any_card), len(names))])
        at = np.concatenate([once, any_card])
        sums = part_sums(cell, len(names) + 1, deal[at], end[at], len(reasons))
        table = ratio_table(sums, level=LEVEL)
        found.append(pd.DataFrame({
            "policy": _title(matchup), "card": [[*names, ""][int(number)] for number in table["cell"]],
            "end": [reasons[int(number)] for number in table["part"]], "estimate": table["estimate"],
            "low": table["low"], "high": table["high"], "n_games": table["n"]}))
    return pd.concat(found, ignore_index=True)
