"""Card tables: TOML files in this folder, and how to read one."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["LANGUAGES", "Card", "load_cards"]

LANGUAGES = {"en": "English", "fr": "French", "de": "German"}


@dataclass(frozen=True)
class Card:
    """An agent card: how many there are, how far each copy moves its owner, and which set wins or loses."""

    id: str
    copies: int
    first: int
    second: int
    third: int
    wins_at: int = 0
    loses_at: int = 0
    names: tuple[tuple[str, str], ...] = ()

    def name(self, language: str = "en") -> str:
        """The card's printed name in a language of :data:`LANGUAGES`."""
        return dict(self.names).get(language, self.id)


@cache
def load_cards(table: str = "agents") -> tuple[Card, ...]:
    """The shipped card table of that name."""
    text = (files(__package__) / f"{table}.toml").read_text(encoding="utf-8")
    return tuple(_card(name, entry) for name, entry in tomllib.loads(text).items())


def _card(name: str, entry: dict[str, Any]) -> Card:
    entry = dict(entry)
    names = tuple(sorted(entry.pop("names").items()))
    return Card(id=name, names=names, **entry)
