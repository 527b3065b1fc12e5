"""Tables of cards for a reader: the agents with their moves, the Black Market in words, who made each card up."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from agentsim.games.agent_avenue.cards.entries import check_id
from agentsim.games.agent_avenue.cards.words import agent_text, card_text, signed
from agentsim.games.agent_avenue.ruleset import Rules
from agentsim.games.base import CardSheet

__all__ = ["MODES", "card_sheets", "card_template"]

MODES: Mapping[str, Mapping[str, Any]] = {
    "base mode": {},
    "advanced mode": {"rules.mode": "advanced"},
    "base mode with Division M": {"rules.expansion": "division_m"},
    "advanced mode with Division M": {"rules.mode": "advanced", "rules.expansion": "division_m"}}
"""The modes that a card file may be used in, with the settings of each."""


def card_sheets(rules: Rules, language: str = "en") -> list[CardSheet]:
    """The agents, and in advanced mode the Black Market cards, under these rules; names in a language."""
    agents = [(card.id, card.name(language), card.provenance, str(card.copies), signed(card.first), signed(card.second),
               signed(card.third), agent_text(card)) for card in rules.cards]
    found = [CardSheet("Agents", ("id", "name", "from", "copies", "1st", "2nd", "3rd", ""), tuple(agents), 3,
                       f"{rules.n_cards} cards.")]
    if rules.advanced:
        market = [(card.id, card.name(language), card.provenance, card.kind, str(card.copies),
                   card_text(card, rules.cards)) for card in rules.market_cards]
        header = ("id", "name", "from", "kind", "copies", "what it does")
        found.append(CardSheet("Black Market", header, tuple(market), 4,
                               f"{len(rules.pile)} cards, {rules.supply} face up."))
    return found


def card_template(name: str) -> str:
    """A card file with comments to start from; ``name`` is its new card's id or printed name. Raises InputError."""
    card = "_".join(name.lower().split())
    check_id(card, "NAME")
    text = (files(__package__) / "template.toml").read_text(encoding="utf-8")
    printed = name.strip() if " " in name.strip() or name != card else card.replace("_", " ").title()
    return text.replace("market.my_card", f"market.{card}").replace("My Card", printed)
