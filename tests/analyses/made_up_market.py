"""A market whose cards have known effects: what the experiments count if a card changes the chance to win by so much.

Stands in for a session of the game, so that the analyses can be held against the truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from agentsim.games.agent_avenue.cards.market import Effect, MarketCard
from agentsim.games.agent_avenue.rules import make_rules

WORTH: Mapping[str, float] = {"lamp": 0.18, "lens": 0.0, "rope": 0.02, "trap_door": -0.14, "whistle": 0.01,
                              "map": -0.01}
"""What each card changes, against nothing. The blank, like all that is not named here, changes nothing."""


def market(worth: Mapping[str, float] = WORTH, **settings: Any) -> Any:
    """Rules of advanced mode with these cards in the pile; two of them are ongoing, one is a stand-in."""
    kinds = {"lamp": "ongoing", "rope": "ongoing"}
    cards = tuple(MarketCard(name, kinds.get(name, "instant"), (Effect("move", spaces=1),),
                             provenance="stand-in" if name == "map" else "publisher",
                             names=(("en", name.replace("_", " ").title()),)) for name in worth)
    return replace(make_rules({"rules.mode": "advanced", **settings}), market_cards=cards)


class MadeUpSession:
    """Counts what games of one landing each would: uniform picks, chance to win 1/2 plus the worth of the card."""

    def __init__(self, rules: Any, seed: int, worth: Mapping[str, float] = WORTH) -> None:
        self.rules, self.seed = rules, seed
        self.names = [card.id for card in rules.market_cards]
        self.worth = np.array([worth.get(name, 0.0) for name in self.names])
        self.pile = np.array(rules.pile)

    def warm_up(self, log: str) -> bool:
        return False

    def _deals(self, first: int, n: int) -> tuple[Any, ...]:
        # Blocks of 100 deals have a stream each, so it does not matter how the deals are cut.
        parts = []
        for block in range(first // 100, (first + n - 1) // 100 + 1):
            rng = np.random.default_rng([self.seed, block])
            order = rng.permuted(np.tile(self.pile, (100, 1)), axis=1)[:, :self.rules.supply]
            place = rng.integers(0, self.rules.supply, 100)
            luck, seat = rng.random(100), rng.integers(0, 2, 100)
            deal = np.arange(block * 100, block * 100 + 100)
            kept = (deal >= first) & (deal < first + n)
            parts.append((deal[kept], order[kept], place[kept], luck[kept], seat[kept]))
        return tuple(np.concatenate([part[at] for part in parts]) for at in range(5))

    def play(self, matchup: int, first: int, n: int, log: str) -> Any:
        deal, order, place, luck, seat = self._deals(first, n)
        taken = order[np.arange(n), place]
        won = luck < 0.5 + self.worth[taken]
        c, s = len(self.names), self.rules.supply
        counts = {name: np.zeros((c, s + 1, 3), np.int64) for name in ("first_taken", "first_left")}
        with_blank = np.zeros((c, 2, 3), np.int64)
        blanks = np.array([name.startswith("blank") for name in self.names])
        n_blanks = blanks[order].sum(axis=1)
        result = np.where(won, 0, 2)
        for card in range(c):
            lies = (order == card).sum(axis=1) == 1
            hit = taken == card
            for mask, name in ((lies & hit, "first_taken"), (lies & ~hit, "first_left")):
                counts[name][card, s] = np.bincount(result[mask], minlength=3)
            beside = lies & (n_blanks == 1) & ~blanks[card]
            with_blank[card, 0] = np.bincount(result[beside & hit], minlength=3)
            with_blank[card, 1] = np.bincount(result[beside & blanks[taken]], minlength=3)
        score = int((won == (seat == 0)).sum())
        tally = {**counts, "first_with_blank": with_blank, "deal_score_seat0": np.array([n - score, 0, score])}
        tables = {}
        if log != "none":
            winner = np.where(won, seat, 1 - seat).astype(np.int8)
            tables = {"games": {"game_id": deal, "deal_id": deal, "winner": winner},
                      "market": {"game_id": deal, "seat": seat.astype(np.int8), "taken": taken.astype(np.int8),
                                 **{f"supply_{at}": order[:, at].astype(np.int8) for at in range(s)}}}
        return SimpleNamespace(n_games=n, tally=tally, tables=tables)

    def forks(self, matchup: int, first: int, n: int) -> dict[str, np.ndarray]:
        _, order, place, luck, _ = self._deals(first, n)
        taken = order[np.arange(n), place]
        difference = 2 * ((luck < 0.5 + self.worth[taken]).astype(int) - (luck < 0.5)) + 2
        blanks = np.array([name.startswith("blank") for name in self.names])
        found = {name: np.zeros((len(self.names), 5), np.int64) for name in ("forks", "forks_with_blank")}
        np.add.at(found["forks"], (taken, difference), 1)
        beside = (blanks[order].sum(axis=1) == 1) & ~blanks[taken]
        np.add.at(found["forks_with_blank"], (taken[beside], difference[beside]), 1)
        return found

    def forced(self, card: int, matchup: int, first: int, n: int) -> dict[str, np.ndarray]:
        _, _, _, luck, _ = self._deals(first, n)
        score = int((luck < 0.5 + self.worth[card]).sum())
        return {"deal_score_seat0": np.array([n - score, 0, score])}
