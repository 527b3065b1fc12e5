"""Games in the middle, for tests: laid out as the active side sees the table.

The board is the same from both homes, so a position is given in steps from each side's own home and can be tried with
either side active.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from .market import MarketCard, publisher_cards
from .mode_logs import answer, shuffled
from .modes import ModeGame, ModeRules
from .written import WrittenCard

Hands = Sequence[str] | Sequence[Sequence[str]]

ADVANCED = ModeRules(market_cards=publisher_cards(ceasefire=True))
FILLING = ("codebreaker", "enforcer", "saboteur", "sentinel")
REST = ("codebreaker", "daredevil", "enforcer", "saboteur") * 2


def made_up(*effects: Mapping[str, Any], name: str = "made_up") -> MarketCard:
    """A card of these effects."""
    return WrittenCard(name, {"effects": effects})


def with_cards(*cards: MarketCard, rules: ModeRules = ADVANCED) -> ModeRules:
    """The same rules with more Black Market cards."""
    fields = {name: getattr(rules, name) for name in rules.__dataclass_fields__}
    return ModeRules(**fields | {"market_cards": {**rules.market_cards, **{card.name: card for card in cards}}})


def position(
    rules: ModeRules = ADVANCED,
    *,
    active: int = 0,
    steps: tuple[int, int] = (0, 0),
    has: tuple[Mapping[str, int], Mapping[str, int]] = ({}, {}),
    hand: Hands = FILLING,
    other_hand: Hands = FILLING,
    deck: Sequence[str] = REST,
    supply: Sequence[str] = ("security_system",),
    pile: Sequence[str] = (),
    owns: tuple[Sequence[str], Sequence[str]] = ((), ()),
    m_steps: tuple[int | None, int | None] = (None, None),
) -> ModeGame:
    """A game at the start of a turn.  Pairs are (active side, other side).

    steps: moves of the spy pawns so far; m_steps: Division M pawns, in spaces from the own home; hand, other_hand:
    names, or one list for each player of a team; supply, pile: what lies there of the Black Market.
    """
    game = ModeGame(shuffled(rules, Random(0))[0], rules, rules.market_pile(), begin=False)
    game.active = active
    sides = (game.sides[active], game.sides[1 - active])
    for side, moves, agents, hands, cards, m_space in zip(
        sides, steps, has, (hand, other_hand), owns, m_steps, strict=True
    ):
        side.moves = moves
        side.agents.update(agents)
        side.ongoing = [rules.market_cards[name] for name in cards]
        side.m_space = None if m_space is None else (side.home + m_space) % rules.ring
        each = [hands] * len(side.players) if not hands or isinstance(hands[0], str) else hands
        for player, names in zip(side.players, each, strict=True):
            player.hand = [str(name) for name in names]
    game.deck = list(deck)
    game.supply, game.market_pile = list(supply), list(pile)
    game.begin()
    return game


def turn(game: ModeGame, up: str, down: str, took: str, *script: Any, **by_kind: Any) -> ModeGame:
    """Offer ``up`` over ``down``, the other side takes the card named ``took``; then answer from the script."""
    answer(game, up, down, **by_kind)
    return answer(game, took == up, *script, **by_kind)


def lead_of(game: ModeGame, side: int) -> int:
    """The lead as that side counts it."""
    return game.lead if side == 0 else -game.lead
