"""Card tables: TOML files in this folder or of the user's own, and how to read one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from agentsim.errors import InputError, nearest
from agentsim.tomlfile import TomlFile, read_toml

__all__ = ["FIELDS_WITH_SOURCE", "KINDS", "LANGUAGES", "LOCATIONS", "NUMBERED", "SOURCES", "VALUE_BOUNDS", "Card",
           "load_cards", "read_cards"]

LANGUAGES = {"en": "English", "fr": "French"}
LOCATIONS = ("house", "garden", "laboratory")
KINDS = ("value", "lizard", "bomb", "spy", "mosquito", "hamster", "scientist", "spider", "brother", "owl")
NUMBERED = ("value", "brother")
"""Kinds with a printed number."""
FIELDS_WITH_SOURCE = ("location", "value", "star")
SOURCES = ("publisher", "secondary", "stand-in", "box", "changed")
"""Where a field comes from: the publisher's rules and FAQ, reviews, our stand-in, an owner's box, a setting."""
VALUE_BOUNDS = (-20, 20)


@dataclass(frozen=True)
class Card:
    """A card: its pile, its kind, the printed number (0 where there is none), and whether it carries a star.

    ``with_twin`` is what a brother counts when his owner also has the card ``twin``. The fields that end in
    ``_source`` say where a field comes from (:data:`SOURCES`); for a card without a number ``value_source`` is about
    its effect.
    """

    id: str
    location: str
    kind: str
    value: int = 0
    star: bool = False
    promo: bool = False
    with_twin: int = 0
    twin: str = ""
    location_source: str = "box"
    value_source: str = "box"
    star_source: str = "box"
    names: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    def name(self, language: str = "en") -> str:
        """The card's printed name in a language of :data:`LANGUAGES`."""
        return dict(self.names).get(language, self.id)


@cache
def load_cards() -> tuple[Card, ...]:
    """The shipped table: the 24 cards of the box, then the promo cards."""
    base, promos = (read_cards(Path(str(files(__package__) / f"{name}.toml")), promo=name == "promos")
                    for name in ("base", "promos"))
    return base + promos


def read_cards(path: str | Path, *, promo: bool = False) -> tuple[Card, ...]:
    """The cards of a TOML file in its order. Raises InputError, with file and line, for what is no card table."""
    file = read_toml(path, what="card table")
    return tuple(_card(file, name, entry, promo) for name, entry in file.data.items())


_FIELDS: dict[str, type] = {"location": str, "kind": str, "value": int, "star": bool, "promo": bool, "with_twin": int,
                            "twin": str, "names": dict, "sources": dict}
_CHOICES = {"location": LOCATIONS, "kind": KINDS}
_TYPE_NAMES = {str: "a text", int: "a whole number", bool: "true or false", dict: "a table"}


def _card(file: TomlFile, name: str, entry: Any, promo: bool) -> Card:
    def refuse(problem: str, attribute: str = "", allowed: str = "", close: str = "") -> InputError:
        key = f"{name}.{attribute}" if attribute else name
        return InputError(problem, where=file.place(key), key=key, allowed=allowed, nearest=close)

    if not isinstance(entry, Mapping):
        raise refuse("is not a card", allowed="a table [card_id] with location, kind, ...")
    if not name.isidentifier() or not name.isascii():
        raise refuse("is no usable id", allowed="letters, digits and _")
    for attribute, value in entry.items():
        if attribute not in _FIELDS:
            raise refuse("unknown field", attribute, ", ".join(_FIELDS), nearest(attribute, _FIELDS))
        if not isinstance(value, _FIELDS[attribute]) or (_FIELDS[attribute] is int and isinstance(value, bool)):
            raise refuse(f"{value!r} is not {_TYPE_NAMES[_FIELDS[attribute]]}", attribute)
        if isinstance(value, int) and not isinstance(value, bool) and not VALUE_BOUNDS[0] <= value <= VALUE_BOUNDS[1]:
            raise refuse(f"{value} is out of range", attribute, f"{VALUE_BOUNDS[0]} to {VALUE_BOUNDS[1]}")
    for attribute, choices in _CHOICES.items():
        if attribute not in entry:
            raise refuse(f"has no {attribute}", allowed=", ".join(choices))
        if entry[attribute] not in choices:
            raise refuse(f"unknown {attribute} '{entry[attribute]}'", attribute, ", ".join(choices),
                         nearest(entry[attribute], choices))
    if ("value" in entry) != (entry["kind"] in NUMBERED):
        kind = entry["kind"]
        raise refuse("needs a value" if kind in NUMBERED else f"a {kind} card has no value of its own", "value")
    sources = dict(entry.get("sources", {}))
    for attribute, source in sources.items():
        if attribute not in FIELDS_WITH_SOURCE:
            raise refuse("unknown field", f"sources.{attribute}", ", ".join(FIELDS_WITH_SOURCE))
        if source not in SOURCES:
            raise refuse(f"unknown source {source!r}", f"sources.{attribute}", ", ".join(SOURCES),
                         nearest(str(source), SOURCES))
    for language, text in dict(entry.get("names", {})).items():
        if language not in LANGUAGES or not isinstance(text, str):
            raise refuse("is not a name", f"names.{language}", "a text for " + " or ".join(LANGUAGES))
    return Card(
        id=name, location=entry["location"], kind=entry["kind"], value=entry.get("value", 0),
        star=entry.get("star", False), promo=entry.get("promo", promo), with_twin=entry.get("with_twin", 0),
        twin=entry.get("twin", ""), names=tuple(sorted(dict(entry.get("names", {})).items())),
        location_source=sources.get("location", "box"), value_source=sources.get("value", "box"),
        star_source=sources.get("star", "box"))
