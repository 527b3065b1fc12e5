"""The rules of ARGH as data: what a designer may change, within which bounds, and under which key.

:class:`Rules` holds every number and switch. :func:`make_rules` builds it from flat settings such as
``{"rules.players": 4, "cards.gardener.value": -7}``, the one vocabulary of experiment files, ``--set`` and reports;
:func:`key_table` documents it. What jitted code reads is made by :func:`agentsim.games.argh.table.compile_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from agentsim.errors import InputError, nearest
from agentsim.games.argh.cards import (
    KINDS,
    LOCATIONS,
    NUMBERED,
    SOURCES,
    VALUE_BOUNDS,
    Card,
    load_cards,
    read_cards,
)
from agentsim.games.base import Key
from agentsim.games.settings import boolean, choice, integer, unknown_key

__all__ = ["HAMSTER", "MAX_CARDS", "MAX_LIZARDS", "MAX_MODIFIERS", "MODIFIERS", "Rules", "key_table", "make_rules",
           "settings_of"]

MAX_CARDS = 48
"""Cards in a table, promos included: a set of cards is one 64-bit word."""
MAX_LIZARDS = 3
MAX_MODIFIERS = 6
"""Mosquitoes, hamsters and scientists in all; every order of them is tried when a player's cards are counted."""
MODIFIERS = ("mosquito", "hamster", "scientist")
HAMSTER = ("forced", "free")
"""Ruling A4: whether a hamster may cancel a spy while there is another negative card."""
SHIPPED, GIVEN = "base", "given"

_BOUNDS: dict[str, tuple[int, int, str]] = {
    "rules.players": (2, 4, "players at the table"),
    "rules.put_aside": (0, 8, "cards put aside unseen from each pile with three or four players"),
    "rules.put_aside_two": (0, 8, "cards put aside unseen from each pile with two players"),
    "rules.bombs_to_win": (2, 3, "bomb parts before a player that win"),
    "rules.lizards_1": (1, 20, "points for one lizard"),
    "rules.lizards_2": (2, 40, "points for two lizards together"),
    "rules.lizards_3": (3, 60, "points for three lizards together"),
}
_PROMOS = "rules.promos"
_HAMSTER = "rules.hamster"
_CARDS = "rules.cards"
_DOCS = {
    _PROMOS: "whether the promo cards are added to their piles",
    _HAMSTER: "what a hamster may cancel: a spy only if there is no other negative card (forced), or either (free)",
    _CARDS: "the card table: the shipped one, a TOML file, or the one that the keys cards.* describe completely",
}
_ALLOWED = {_PROMOS: "true, false", _HAMSTER: ", ".join(HAMSTER), _CARDS: f"{SHIPPED}, path/to/file.toml, {GIVEN}"}
_SWITCH_KEYS = (_PROMOS, _HAMSTER, _CARDS)
_RANGE = f"{VALUE_BOUNDS[0]} to {VALUE_BOUNDS[1]}"
_CARD_KEYS: dict[str, tuple[str, str]] = {
    "location": ("pile that the card belongs to", ", ".join(LOCATIONS)),
    "kind": ("what the card does", ", ".join(KINDS)),
    "value": ("printed number (kinds " + " and ".join(NUMBERED) + ")", _RANGE),
    "star": ("whether the card has the star that a spider counts", "true, false"),
    "promo": ("whether the card is added by rules.promos only", "true, false"),
    "with_twin": ("what a brother counts beside its twin", _RANGE),
    "twin": ("id of the card that a brother is the twin of", "a card id, or nothing"),
    "location_source": ("where the location comes from", ", ".join(SOURCES)),
    "value_source": ("where the value or effect comes from", ", ".join(SOURCES)),
    "star_source": ("where the star comes from", ", ".join(SOURCES)),
}
_CHOICES = {"location": LOCATIONS, "kind": KINDS, "location_source": SOURCES, "value_source": SOURCES,
            "star_source": SOURCES}


@dataclass(frozen=True)
class Rules:
    """A complete set of rules. Built and checked by :func:`make_rules`.

    ``table`` is the whole card table; :attr:`cards` are those in the game, in the order that numbers them in kernels
    and logs: by location, promos last in theirs.
    """

    players: int = 2
    put_aside: int = 1
    put_aside_two: int = 2
    bombs_to_win: int = 2
    lizards_1: int = 1
    lizards_2: int = 5
    lizards_3: int = 10
    promos: bool = False
    hamster: str = "forced"
    source: str = SHIPPED
    table: tuple[Card, ...] = field(default_factory=load_cards)

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """The cards in the game: house, then garden, then laboratory."""
        used = [card for card in self.table if self.promos or not card.promo]
        return tuple(sorted(used, key=lambda card: (LOCATIONS.index(card.location), card.promo)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Ids of the cards in the game, in their order."""
        return tuple(card.id for card in self.cards)

    @property
    def aside(self) -> int:
        """Cards put aside from each pile at this table."""
        return self.put_aside_two if self.players == 2 else self.put_aside

    def pile_size(self, location: str) -> int:
        """Cards of a location, those put aside included."""
        return sum(card.location == location for card in self.cards)

    @property
    def has_stand_ins(self) -> bool:
        """Whether any field of a card in the game is a stand-in; reports say so."""
        return any("stand-in" in (card.location_source, card.value_source, card.star_source) for card in self.cards)


def make_rules(settings: Mapping[str, Any] | None = None, *, where: str = "") -> Rules:
    """Rules from flat settings; what is not set keeps its shipped value.

    Raises InputError, naming the key and what is allowed, for an unknown key, a value out of bounds, a card table that
    cannot be read, or rules that contradict each other.
    """
    settings = dict(settings or {})
    source = settings.pop(_CARDS, SHIPPED)
    if not isinstance(source, str) or not (source in (SHIPPED, GIVEN) or source.endswith(".toml")):
        raise InputError(f"unknown card table {source!r}", where=where, key=_CARDS, allowed=_ALLOWED[_CARDS],
                         nearest=nearest(str(source), (SHIPPED, GIVEN)))
    cards = () if source == GIVEN else load_cards() if source == SHIPPED else read_cards(source)
    table = {card.id: card for card in cards}
    if len(table) > MAX_CARDS:
        raise InputError(f"{len(table)} cards", where=source, allowed=f"at most {MAX_CARDS}")
    changes: dict[str, Any] = {}
    # Sources last: a changed field is marked as changed unless its source is set, too.
    for key, value in sorted(settings.items(), key=lambda item: item[0].endswith("_source")):
        group, _, rest = key.partition(".")
        if key == _PROMOS:
            changes["promos"] = boolean(value, key, where)
        elif key == _HAMSTER:
            changes["hamster"] = choice(value, HAMSTER, key, where)
        elif key in _BOUNDS:
            changes[rest] = integer(value, _BOUNDS[key][:2], key, where)
        elif group == "cards" and rest.count(".") == 1:
            _set_card(table, key, value, source == GIVEN, where)
        else:
            raise unknown_key(key, _known(table), where)
    if source == GIVEN:
        _check_given(settings, table, where)
    # A file is read once: from here on the table itself is what counts, and settings_of gives it completely.
    rules = replace(Rules(), table=tuple(table.values()), source=SHIPPED if source == SHIPPED else GIVEN, **changes)
    _check(rules, where)
    return rules


def settings_of(rules: Rules) -> dict[str, Any]:
    """Every key with its value, nothing left to defaults or files: ``make_rules(settings_of(r))`` plays as ``r``."""
    found: dict[str, Any] = {key: getattr(rules, key.partition(".")[2]) for key in _BOUNDS}
    found |= {_PROMOS: rules.promos, _HAMSTER: rules.hamster, _CARDS: rules.source}
    for card in rules.table:
        found |= {f"cards.{card.id}.{attribute}": getattr(card, attribute) for attribute in _CARD_KEYS}
    return found


def key_table(rules: Rules | None = None) -> list[Key]:
    """Every key with its meaning, its value in ``rules`` (the shipped ones by default) and what is allowed."""
    values = settings_of(rules or Rules())
    keys = [Key(key, doc, values[key], f"{low} to {high}") for key, (low, high, doc) in _BOUNDS.items()]
    keys += [Key(key, _DOCS[key], values[key], _ALLOWED[key]) for key in _SWITCH_KEYS]
    for card in (rules or Rules()).table:
        for attribute, (doc, allowed) in _CARD_KEYS.items():
            name = f"cards.{card.id}.{attribute}"
            keys.append(Key(name, f"{card.id}: {doc}", values[name], allowed))
    return keys


def _set_card(table: dict[str, Card], key: str, value: Any, given: bool, where: str) -> None:
    """Set one field of one card; in a ``given`` table an unknown card comes into being."""
    name, attribute = key.split(".")[1:]
    if attribute not in _CARD_KEYS:
        raise InputError(f"cards have no '{attribute}'", where=where, key=key, allowed=", ".join(_CARD_KEYS),
                         nearest=nearest(attribute, _CARD_KEYS))
    if name not in table:
        if not given:
            raise InputError(f"unknown card '{name}'", where=where, key=key, allowed=", ".join(table),
                             nearest=nearest(name, table))
        if len(table) == MAX_CARDS:
            raise InputError("one card too many", where=where, key=key, allowed=f"at most {MAX_CARDS}")
        table[name] = Card(name, "house", "spy")
    checked: Any
    if attribute in _CHOICES:
        checked = choice(value, _CHOICES[attribute], key, where)
    elif attribute in ("value", "with_twin"):
        checked = integer(value, VALUE_BOUNDS, key, where)
    elif attribute in ("star", "promo"):
        checked = boolean(value, key, where)
    else:
        checked = str(value)
    changes: dict[str, Any] = {attribute: checked}
    field_source = "value_source" if attribute in ("value", "kind", "with_twin") else f"{attribute}_source"
    if not given and field_source in _CARD_KEYS and getattr(table[name], attribute) != checked:
        changes[field_source] = "changed"
    table[name] = replace(table[name], **changes)


def _check_given(settings: Mapping[str, Any], table: Mapping[str, Card], where: str) -> None:
    for name, card in table.items():
        shipped = {known.id: known for known in load_cards()}.get(name)
        for attribute in ("location", "kind"):
            if f"cards.{name}.{attribute}" not in settings:
                raise InputError(f"the card has no {attribute}", where=where, key=f"cards.{name}.{attribute}",
                                 allowed=_CARD_KEYS[attribute][1])
        if shipped is not None and not card.names:
            # Names are no settings; a card that keeps its id keeps its name.
            assert isinstance(table, dict)
            table[name] = replace(card, names=shipped.names)


def _check(rules: Rules, where: str) -> None:
    """Refuse rules that cannot be played or that contradict themselves."""

    def refuse(problem: str, key: str, allowed: str = "") -> InputError:
        return InputError(problem, where=where, key=key, allowed=allowed)

    ids = {card.id for card in rules.table}
    for card in rules.table:
        if card.kind not in NUMBERED and card.value != 0:
            raise refuse(f"a {card.kind} card has no value of its own", f"cards.{card.id}.value", "0")
        if card.kind == "brother":
            if card.twin not in ids:
                raise refuse(f"no card '{card.twin}'", f"cards.{card.id}.twin", "the id of a card in the table")
            for attribute in ("value", "with_twin"):
                if getattr(card, attribute) >= 0:
                    raise refuse("a brother counts against its owner", f"cards.{card.id}.{attribute}", "below 0")
    if not rules.lizards_1 < rules.lizards_2 < rules.lizards_3:
        raise refuse("more lizards must be worth more", "rules.lizards_2", "lizards_1 < lizards_2 < lizards_3")
    aside_key = "rules.put_aside_two" if rules.players == 2 else "rules.put_aside"
    for location in LOCATIONS:
        size = rules.pile_size(location)
        if size <= rules.aside:
            raise refuse(f"{rules.aside} put aside of {size} {location} cards leave no pile", aside_key,
                         f"fewer than the {size} cards")
    cards = rules.cards
    bombs = sum(card.kind == "bomb" for card in cards)
    if 2 * rules.bombs_to_win <= bombs:
        raise refuse(f"with {bombs} bomb parts two players could both have {rules.bombs_to_win}", "rules.bombs_to_win",
                     f"more than half of the {bombs} parts")
    lizards = sum(card.kind == "lizard" for card in cards)
    if lizards > MAX_LIZARDS:
        raise refuse(f"{lizards} lizards", "cards", f"at most {MAX_LIZARDS}")
    modifiers = sum(card.kind in MODIFIERS for card in cards)
    if modifiers > MAX_MODIFIERS:
        raise refuse(f"{modifiers} mosquitoes, hamsters and scientists", "cards", f"at most {MAX_MODIFIERS} in all")
    twins = {card.twin for card in cards if card.kind == "brother"}
    values = {card.with_twin for card in cards if card.kind == "brother"}
    if len(twins) > 1 or len(values) > 1:
        raise refuse("brothers of different twins", "cards", "one twin and one with_twin for all brothers")


def _known(table: Mapping[str, Card]) -> list[str]:
    return [*_BOUNDS, *_SWITCH_KEYS, *(f"cards.{name}.{attribute}" for name in table for attribute in _CARD_KEYS)]
