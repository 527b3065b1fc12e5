"""The rules of Agent Avenue as one frozen object: every number, every switch, every card that is played with."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from agentsim.games.agent_avenue.cards import Card, MarketCard, load_cards

__all__ = ["EXPANSIONS", "LONES", "MARKETS", "MAX_CARDS", "MAX_COPIES", "MAX_EFFECTS", "MAX_MARKET", "MAX_NAMES",
           "MAX_PILE", "MAX_SUPPLY", "MODES", "M_TRAPS", "PICKS", "TIE_RULES", "Rules"]

MAX_NAMES = 15
"""Different agents in a card table. A zone of cards is one 64-bit word of 4-bit counts, with one lane to spare."""
MAX_COPIES = 15
"""Copies of one agent."""
MAX_CARDS = 120
"""Agent cards in all."""
MAX_MARKET = 63
"""Different Black Market cards in a game."""
MAX_PILE = 63
"""Black Market cards in the pile, all copies counted: a set of them is one 64-bit word."""
MAX_EFFECTS = 160
"""Effects of all Black Market cards of a game together."""
MAX_SUPPLY = 6
"""Black Market cards that lie face up."""

TIE_RULES = ("active", "passive", "draw")
"""Who wins when conditions conflict: the active player (the publisher's rule), the other one, nobody."""
MODES = ("base", "advanced")
LONES = ("both", "0", "1")
"""With three players: the side that is one player; ``both`` plays each deal in both roles."""
EXPANSIONS = ("none", "division_m")
MARKETS = ("old", "new", "both")
"""The shipped Black Market cards that are used: those of the box, Division M's stand-ins, all."""
M_TRAPS = ("standing", "stopping")
"""Ruling D4: whether a Division M pawn traps whoever stands on its space, or only a pawn that moved in this turn."""
PICKS = ("chosen", "uniform")
"""Who picks Black Market cards: the policies, or chance (for measuring what a card is worth)."""

_PLAIN_REASONS = ("catch", "codebreakers", "leader_of_the_pack", "masterplan", "security_system", "division_m",
                  "daredevils", "out_of_cards")


@dataclass(frozen=True)
class Rules:
    """A complete set of rules. Built and checked by :func:`agentsim.games.agent_avenue.rules.make_rules`.

    ``cards`` are in table order; that order numbers the agents in kernels and logs. ``market_cards`` are the cards in
    the Black Market pile (at least one copy each), in table order likewise; there are none in base mode. ``lone`` is
    used with three players only, ``team_discards`` with three and four.
    """

    mode: str = "base"
    players: int = 2
    lone: str = "both"
    hand_size: int = 4
    discards: int = 4
    team_discards: int = 2
    ring: int = 14
    home_0: int = 0
    home_1: int = 7
    corners: tuple[int, ...] = (2, 5, 9, 12)
    supply: int = 3
    tie_rule: str = "active"
    expansion: str = "none"
    market: str = "old"
    ceasefire: bool = False
    m_trap: str = "standing"
    picks: str = "chosen"
    cards: tuple[Card, ...] = field(default_factory=load_cards)
    market_cards: tuple[MarketCard, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Ids of the agents in table order."""
        return tuple(card.id for card in self.cards)

    @cached_property
    def n_cards(self) -> int:
        """Agent cards in the deck before dealing."""
        return sum(card.copies for card in self.cards)

    @property
    def gap_0(self) -> int:
        """Spaces that seat 0 must gain to catch seat 1: the way from its home to the other, clockwise."""
        return (self.home_1 - self.home_0) % self.ring

    @property
    def gap_1(self) -> int:
        """Spaces that seat 1 must gain to catch seat 0."""
        return self.ring - self.gap_0

    @property
    def advanced(self) -> bool:
        """Whether there is a Black Market."""
        return self.mode == "advanced"

    @property
    def teams(self) -> bool:
        """Whether a side can be a team of two."""
        return self.players > 2

    def side_size(self, side: int, lone: int = -1) -> int:
        """Players of a side, 1 or 2; ``lone`` is the side that is one player when three play."""
        return 1 if self.players == 2 or (self.players == 3 and side == lone) else 2

    @cached_property
    def with_m(self) -> bool:
        """Whether anything can move a Division M pawn: an agent's symbol or a card of the pile."""
        return (any(symbol != 0 for card in self.cards for symbol in card.symbols)
                or any(effect.do == "division_m" for card in self.market_cards for effect in card.effects))

    @cached_property
    def plain(self) -> bool:
        """Whether this is the two-player base game, with whatever numbers, that the base kernel plays."""
        return self.mode == "base" and self.players == 2 and self.expansion == "none" and not self.with_m

    @cached_property
    def pile(self) -> tuple[int, ...]:
        """The card (its number in ``market_cards``) of every Black Market card, sorted."""
        return tuple(number for number, card in enumerate(self.market_cards) for _ in range(card.copies))

    @cached_property
    def end_reasons(self) -> tuple[str, ...]:
        """What a game can end by, in the order in which the winner's first condition is named."""
        if self.plain:
            return _PLAIN_REASONS
        cards = tuple(card.id for card in self.market_cards if card.wins_at_end)
        return ("catch", "codebreakers", *cards, "division_m", "daredevils", "out_of_cards")
