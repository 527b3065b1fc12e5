"""Black Market cards as data: what a card is, what an effect may say.

The vocabulary is that of ``docs/rules/agent_avenue_market.md``, section "Effects as data".
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["NUMBERS", "Effect", "MarketCard", "effect_entry", "effect_of", "load_market"]

NUMBERS = ("spaces", "by", "at_least", "symbol")
"""The numbers of an effect; ``market.<card>.<number>`` is that of the card's first effect that has one."""
_PYTHON_NAMES = {"if": "condition", "from": "source"}
_FILE_NAMES = {"condition": "if", "source": "from"}


@dataclass(frozen=True)
class Effect:
    """One effect of a Black Market card.

    ``when`` is ``"recruit"``, ``"landing"`` or ``"end"`` for an ongoing card and ``""`` for an instant one.
    ``condition`` and ``source`` are the keys ``if`` and ``from`` of a card file, which Python keeps for itself. Numbers
    that an effect does not use are 0.
    """

    do: str
    when: str = ""
    agent: str = ""
    spaces: int = 0
    by: int = 0
    at_least: int = 0
    on: str = ""
    condition: str = ""
    source: str = ""
    of: str = ""
    who: str = "own"
    may_recruit: bool = False
    symbol: str | int = 0

    @property
    def numbers(self) -> tuple[str, ...]:
        """Which of :data:`NUMBERS` this effect has."""
        if self.do == "multiply":
            return ("by",)
        if self.do == "division_m":
            return ("symbol",)
        if self.do in ("set", "add", "move") or self.condition == "rival_near_division_m":
            return ("spaces",)
        return ("at_least",) if self.condition in ("names", "set") else ()


@dataclass(frozen=True)
class MarketCard:
    """A Black Market card. ``kind`` is ``"ongoing"`` or ``"instant"``; ``provenance`` says who made the card up."""

    id: str
    kind: str
    effects: tuple[Effect, ...]
    copies: int = 1
    promo: bool = False
    provenance: str = "house"
    names: tuple[tuple[str, str], ...] = ()

    def name(self, language: str = "en") -> str:
        """The card's printed name in a language, in English where it has none, else its id."""
        names = dict(self.names)
        return names.get(language) or names.get("en", self.id)

    @property
    def numbers(self) -> dict[str, tuple[int, Any]]:
        """The card's numbers by name, each with the effect (an index) that it belongs to and its value."""
        found: dict[str, tuple[int, Any]] = {}
        for index, effect in enumerate(self.effects):
            for number in effect.numbers:
                found.setdefault(number, (index, getattr(effect, number)))
        return found

    @property
    def wins_at_end(self) -> bool:
        """Whether the card can win a game in the End step, and so is a reason for an end."""
        return any(effect.when == "end" for effect in self.effects)


def effect_of(entry: Mapping[str, Any]) -> Effect:
    """The effect that an entry of a card file describes. The entry is taken to be right (see ``entries.py``)."""
    return Effect(**{_PYTHON_NAMES.get(word, word): value for word, value in entry.items()})


def effect_entry(effect: Effect) -> dict[str, Any]:
    """The entry of a card file, plain JSON types, that :func:`effect_of` turns into this effect."""
    used = effect.numbers
    words = sorted(fields(effect), key=lambda field: field.name != "when")
    return {_FILE_NAMES.get(field.name, field.name): getattr(effect, field.name) for field in words
            if getattr(effect, field.name) != field.default or field.name in used}


@cache
def load_market(table: str = "market") -> tuple[MarketCard, ...]:
    """The shipped Black Market cards of a table: ``"market"`` or ``"market_division_m"``, promos included."""
    text = (files(__package__) / f"{table}.toml").read_text(encoding="utf-8")
    found = []
    for name, entry in tomllib.loads(text).items():
        effects = tuple(effect_of(effect) for effect in entry.pop("effects"))
        found.append(MarketCard(id=name, effects=effects, names=tuple(sorted(entry.pop("names").items())), **entry))
    return tuple(found)
