"""The engine of all modes and the second engine side by side: the same answers, and after each the same table.

The order of deck and pile is worked out here from the definition of the random streams (``replays.decks``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.cards import MarketCard
from agentsim.games.agent_avenue.cards.market import Effect
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.compile import compile_mode
from agentsim.games.agent_avenue.modes.turn import answer, legal, start
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.view import DISCARD
from tests.games.agent_avenue.replays import decks, mix
from tests.oracle.agent_avenue import Card
from tests.oracle.market import MarketCard as OracleCard
from tests.oracle.market import publisher_cards
from tests.oracle.modes import ModeGame, ModeRules, PawnCard
from tests.oracle.written import WrittenCard

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SHIPPED = Path(__file__).parents[4] / "agentsim" / "games" / "agent_avenue" / "cards"
_KEYS = {"if": "condition", "from": "source"}
_KINDS = ("play", "player_up", "face_up", "face_down", "take", "market", "member", "target", "recruit", "division_m")


def deal_stream(seed: int, deal: int) -> np.uint64:
    """The stream of a deal, worked out in numpy."""
    root = mix(np.array([seed], dtype=np.uint64) ^ np.uint64(0xD1B54A32D192ED03))
    return np.uint64(mix(root + np.array([deal + 1], dtype=np.uint64) * _GOLDEN)[0])


def word_of(stream: int, index: int) -> int:
    """Word number ``index`` of a stream."""
    return int(mix(np.array([stream % 2**64], dtype=np.uint64) + np.array([index + 1], dtype=np.uint64) * _GOLDEN)[0])


@cache
def _entries() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("market", "market_division_m"):
        found |= tomllib.loads((_SHIPPED / f"{name}.toml").read_text(encoding="utf-8"))
    return found


def card_of(name: str, entry: Mapping[str, Any]) -> MarketCard:
    """A card of the package from an entry of a card file, read here in the plainest way."""
    effects = tuple(Effect(**{_KEYS.get(key, key): value for key, value in effect.items()})
                    for effect in entry["effects"])
    kind = "instant" if all(not effect.when for effect in effects) else "ongoing"
    return MarketCard(name, kind, effects, copies=entry.get("copies", 1))


def with_own(rules: Rules, own: Mapping[str, Mapping[str, Any]]) -> Rules:
    """The rules with made-up Black Market cards in the pile too."""
    return replace(rules, market_cards=(*rules.market_cards, *(card_of(name, entry) for name, entry in own.items())))


def oracle_rules(rules: Rules, lone: int = -1, own: Mapping[str, Mapping[str, Any]] | None = None) -> ModeRules:
    """The rules for the second engine: the box's cards as it has them by hand, others from their entries."""
    box, entries = publisher_cards(ceasefire=True), _entries() | dict(own or {})
    market: dict[str, OracleCard] = {}
    for card in rules.market_cards:
        by_hand = card.id in box and card.id not in (own or {})
        market[card.id] = box[card.id] if by_hand else WrittenCard(card.id, entries[card.id])
    return ModeRules(
        hand_size=rules.hand_size, discards=rules.discards, ring=rules.ring, home_0=rules.home_0, home_1=rules.home_1,
        tie_rule=rules.tie_rule, cards={card.id: _agent(card) for card in rules.cards}, players=rules.players,
        lone=max(lone, 0), team_discards=rules.team_discards, market_cards=market,
        market_copies={card.id: card.copies for card in rules.market_cards}, corners=rules.corners,
        supply=rules.supply, m_trap=rules.m_trap)


def _agent(card: Any) -> Card:
    numbers = (card.copies, card.first, card.second, card.third, card.wins_at, card.loses_at)
    symbols = (card.m_first, card.m_second, card.m_third)
    return PawnCard(*numbers, symbols=symbols) if any(symbols) else Card(*numbers)


def piles(seed: int, first_deal: int, n_deals: int, n: int) -> NDArray[np.int64]:
    """The market piles of consecutive deals as numbers of copies, (n_deals, n): first card turned up first."""
    key = np.array([deal_stream(seed, deal) for deal in range(first_deal, first_deal + n_deals)], dtype=np.uint64)
    cards, rows = np.tile(np.arange(n), (n_deals, 1)), np.arange(n_deals)
    for k in range(n):
        word = mix(key + np.array([128 + k + 1], dtype=np.uint64) * _GOLDEN)
        pick = k + (((word >> np.uint64(32)) * np.uint64(n - k)) >> np.uint64(32)).astype(np.int64)
        cards[rows, k], cards[rows, pick] = cards[rows, pick], cards[rows, k]
    return cards


@dataclass
class Pair:
    """One game in both engines. ``rules`` of the package, ``lone`` the side of one player (-1: none)."""

    rules: Rules
    seed: int
    deal: int
    lone: int = -1
    own: Mapping[str, Mapping[str, Any]] | None = None
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        rules = self.rules
        self.table = compile_mode(rules, self.lone)
        self.state = np.zeros(x.MODE_STATE, dtype=np.int64)
        start(self.state, self.table, deal_stream(self.seed, self.deal), -1)
        deck = [rules.names[k] for k in decks(self.seed, self.deal, 1, {c.id: c.copies for c in rules.cards})[0]]
        market = [rules.market_cards[rules.pile[k]].id for k in piles(self.seed, self.deal, 1, len(rules.pile))[0]]
        self.other = ModeGame(deck, oracle_rules(rules, self.lone, self.own), market)

    def names(self, zone: int) -> list[str]:
        return [name for k, name in enumerate(self.rules.names) for _ in range((int(zone) >> 4 * k) & 15)]

    def card(self, copy: int) -> str:
        return self.rules.market_cards[self.rules.pile[copy]].id

    @property
    def over(self) -> bool:
        return bool(self.state[x.DECISION] < 0)

    def options(self) -> list[int]:
        """All legal answers, found by asking ``legal`` about every number."""
        return [option for option in range(DISCARD + len(self.rules.names)) if legal(self.state, self.table, option)]

    def compare(self) -> None:
        """Both tables lie alike."""
        s, other = self.state, self.other
        for side in other.sides:
            k = side.number
            assert self.names(s[e.PLAY + k]) == [n for n in side.agents for _ in range(side.agents[n])]
            assert (int(s[x.WENT + k]), int(s[x.SPACE + k])) == (side.moves, side.space)
            assert int(s[x.M_SPACE + k]) == (-1 if side.m_space is None else side.m_space)
            held = [self.card(int(s[x.ORDER + 64 * k + i])) for i in range(int(s[x.N_HELD + k]))]
            assert held == [card.name for card in side.ongoing]
            for member, player in enumerate(side.players):
                order = list(other.rules.cards)
                assert self.names(s[x.HANDS + 2 * k + member]) == sorted(player.hand, key=order.index)
                assert self.names(s[x.GONE + 2 * k + member]) == sorted(player.discarded, key=order.index)
                assert int(s[x.SPENT + 2 * k + member]) == len(player.discarded)
        assert int(s[e.LEAD]) == other.lead
        assert int(e.deck_left(s, self.table)) == len(other.deck)
        assert [self.card(int(s[x.SUPPLY + i])) for i in range(int(s[x.N_SUPPLY]))] == other.supply
        assert (self.over, self.over or int(s[e.TURN])) == (other.over, other.over or other.turn)
        if self.over:
            assert other.ending is not None
            winner = None if s[e.WINNER] < 0 else int(s[e.WINNER])
            mine = (winner, self.rules.end_reasons[int(s[e.REASON])], bool(s[e.TIE]))
            assert mine == (other.ending.winner, other.ending.end_reason, other.ending.tie_rule_used)
            assert int(s[e.TURN]) + 1 == other.turn

    def choose(self, option: int) -> None:
        """Give the same answer to both. The second engine asks about every card of Play on its own."""
        kind, side = _KINDS[int(self.state[x.DECISION])], int(self.state[x.ASKED])
        self.asked.append(kind)
        names, other = self.rules.names, self.other
        if kind in ("play", "face_up", "face_down"):
            question = other.question
            if option >= DISCARD:
                assert question.kind == "discard", question
                other.choose(names[option - DISCARD])
            else:
                if other.question.kind == "discard":
                    other.choose(None)
                laid = [option >> 4, option & 15] if kind == "play" else [option]
                for card in laid:
                    other.choose(names[card])
        else:
            question = other.question
            assert (question.kind, question.side) == (kind, side)
            assert len(question.options) == len(self.options())
            if kind == "division_m":
                here = int(self.state[x.M_SPACE + side])
                other.choose((here + option - int(self.state[x.M_REACH])) % self.rules.ring)
            elif kind == "market":
                # A log says which card was taken, not which of two: the second engine fills the gap of the first.
                supply = [self.card(int(copy)) for copy in self.state[x.SUPPLY:x.SUPPLY + int(self.state[x.N_SUPPLY])]]
                option = supply.index(supply[option])
                other.choose(supply[option])
            elif kind == "target":
                other.choose(names[option])
            elif kind in ("take", "recruit"):
                other.choose(bool(option))
            else:
                other.choose(option)
        answer(self.state, self.table, option)
        self.compare()

    def play(self, rng: Random, discard_chance: float = 0.1) -> Pair:
        """Play to the end by chance, in step."""
        self.compare()
        while not self.over:
            options = self.options()
            discards = [option for option in options if option >= DISCARD]
            laid = [option for option in options if option < DISCARD]
            self.choose(rng.choice(discards if discards and rng.random() < discard_chance else laid))
        return self
