"""The shipped cards: TOML files in this folder, and how to read one."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from agentsim.games.agent_avenue.cards.market import Effect, MarketCard, load_market

__all__ = ["LANGUAGES", "PROVENANCES", "Card", "Effect", "MarketCard", "load_cards", "load_market"]

LANGUAGES = {"en": "English", "fr": "French", "de": "German"}
PROVENANCES = ("publisher", "stand-in", "house")
"""Who made a card up: the publisher, this project where sources are silent, or the designer who uses it."""


@dataclass(frozen=True)
class Card:
    """An agent card: how many there are, how far each copy moves its owner, and which set wins or loses.

    ``m_first`` .. ``m_third`` are the Division M symbols of the first, second, third and later copy: 0 (none),
    ``"home"`` or the spaces that the Division M pawn may move.
    """

    id: str
    copies: int
    first: int
    second: int
    third: int
    wins_at: int = 0
    loses_at: int = 0
    names: tuple[tuple[str, str], ...] = ()
    m_first: str | int = 0
    m_second: str | int = 0
    m_third: str | int = 0
    provenance: str = "house"

    def name(self, language: str = "en") -> str:
        """The card's printed name in a language of :data:`LANGUAGES`, in English where it has none, else its id."""
        names = dict(self.names)
        return names.get(language) or names.get("en", self.id)

    @property
    def symbols(self) -> tuple[str | int, str | int, str | int]:
        """The three Division M symbols."""
        return self.m_first, self.m_second, self.m_third


@cache
def load_cards(table: str = "agents") -> tuple[Card, ...]:
    """The shipped agents of a table: ``"agents"``, the box, or ``"agents_division_m"``, what the expansion adds."""
    text = (files(__package__) / f"{table}.toml").read_text(encoding="utf-8")
    return tuple(_card(name, entry) for name, entry in tomllib.loads(text).items())


def _card(name: str, entry: dict[str, Any]) -> Card:
    entry = dict(entry)
    names = tuple(sorted(entry.pop("names").items()))
    return Card(id=name, names=names, **entry)
