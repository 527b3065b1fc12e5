"""Which cards a game is played with: those of its mode, changed and joined by the cards of a file and of settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from agentsim.errors import InputError
from agentsim.games.agent_avenue.cards import Card, load_cards
from agentsim.games.agent_avenue.cards.cardfile import CardFile
from agentsim.games.agent_avenue.cards.entries import AGENT_NEEDS, MARKET_NEEDS, agent_of, market_card_of
from agentsim.games.agent_avenue.cards.market import MarketCard, load_market

__all__ = ["GIVEN", "SHIPPED", "Deck", "agents_of", "market_of", "shipped_agents", "shipped_market"]

_C = TypeVar("_C", Card, MarketCard)

SHIPPED, GIVEN = "shipped", "given"
"""Values of ``rules.cards``: the shipped cards, or only those that the keys ``cards.*`` and ``market.*`` describe."""


@dataclass(frozen=True)
class Deck:
    """What decides which cards there are, besides the cards that settings name.

    ``given``: only what settings describe. ``file``: a designer's cards.
    """

    mode: str
    expansion: str
    market: str
    promos: bool
    given: bool = False
    file: CardFile | None = None


def shipped_agents(expansion: str = "division_m") -> tuple[Card, ...]:
    """The shipped agents in table order, with those of the expansion if it is played."""
    return load_cards() + (load_cards("agents_division_m") if expansion == "division_m" else ())


def shipped_market(market: str = "both", *, promos: bool = True) -> tuple[MarketCard, ...]:
    """The shipped Black Market cards in table order: those of the box, then Division M's."""
    old = load_market() if market != "new" else ()
    new = load_market("market_division_m") if market != "old" else ()
    return tuple(card for card in old + new if promos or not card.promo)


def agents_of(deck: Deck, entries: Mapping[str, Any]) -> tuple[Card, ...]:
    """The agents of a game in table order: shipped ones in theirs, then new ones by their ids.

    Raises InputError for an entry that describes no card, with its key as the settings or the file call it.
    """
    library = {card.id: card for card in shipped_agents()}
    file = deck.file
    replaced = deck.given or (file is not None and "agents" in file.replace)
    table = {} if replaced else {card.id: card for card in shipped_agents(deck.expansion)}
    known = list(library)
    if file is not None:
        known += [name for name in file.agents if name not in library]
        for name, entry in file.agents.items():
            try:
                made = agent_of(name, entry, table.get(name) or library.get(name), key=file.key("agents", name),
                                known=library)
            except InputError as error:
                raise file.placed(error) from None
            # A change of an agent whose expansion is not played waits until it is; a whole agent plays.
            if name in table or name not in library or replaced or set(AGENT_NEEDS) <= set(entry):
                table[name] = made
    for name, entry in entries.items():
        shipped = table.get(name) or (library.get(name) if deck.given else None)
        if shipped is None and name in library and not set(AGENT_NEEDS) <= set(entry):
            raise InputError(f"'{name}' is not in the game", key=f"cards.{name}.{next(iter(entry))}",
                             allowed="with rules.expansion = division_m")
        suggest = [*table] if table else known
        table[name] = agent_of(name, entry, shipped, key=f"cards.{name}", known=suggest)
    return _ordered(table, library)


def market_of(deck: Deck, entries: Mapping[str, Any], agents: tuple[Card, ...]) -> tuple[MarketCard, ...]:
    """The cards in the Black Market pile in table order, which is as that of the agents; none in base mode.

    Cards of the file are checked in any mode, so that one file serves all of them. A setting for a card that is not in
    the game is refused. Raises InputError.
    """
    library = {card.id: card for card in shipped_market()}
    file = deck.file
    replaced = deck.given or (file is not None and "market" in file.replace)
    table = {} if replaced else {card.id: card for card in shipped_market(deck.market, promos=deck.promos)}
    # An effect may name any shipped agent, also one that this game lacks: then it never has anything to do.
    names = list(dict.fromkeys([card.id for card in (*agents, *shipped_agents())]))
    if file is not None:
        for name, entry in file.market.items():
            try:
                made = market_card_of(name, entry, table.get(name) or library.get(name), key=file.key("market", name),
                                      agents=names, known=library)
            except InputError as error:
                raise file.placed(error) from None
            if name in table or name not in library or replaced or set(MARKET_NEEDS) <= set(entry):
                table[name] = made
    for name, entry in entries.items():
        if deck.mode == "base":
            raise InputError("base mode has no Black Market", key=f"market.{name}.{next(iter(entry))}",
                             allowed="with rules.mode = advanced")
        shipped = table.get(name) or (library.get(name) if deck.given else None)
        if shipped is None and name in library and not set(MARKET_NEEDS) <= set(entry):
            key = "rules.ceasefire = true" if library[name].promo else "rules.market = both, or the set it belongs to"
            raise InputError(f"'{name}' is not in the pile", key=f"market.{name}.{next(iter(entry))}",
                             allowed=f"with {key}")
        table[name] = market_card_of(name, entry, shipped, key=f"market.{name}", agents=names, known=table or library)
    cards = _ordered(table, library)
    in_pile = tuple(card for card in cards if card.copies and (deck.promos or not card.promo))
    return in_pile if deck.mode == "advanced" else ()


def _ordered(table: Mapping[str, _C], library: Mapping[str, _C]) -> tuple[_C, ...]:
    """Shipped cards in their order, then others by id: an order that does not depend on that of files and keys.

    The order numbers the cards in kernels and so belongs to a plan; the keys of a plan have no order.
    """
    places = {name: place for place, name in enumerate(library)}
    return tuple(table[name] for name in sorted(table, key=lambda name: (places.get(name, len(places)), name)))
