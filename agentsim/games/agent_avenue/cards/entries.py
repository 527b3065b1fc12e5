"""From what a card file or a settings key says to a card, with a complaint of one line for whatever cannot be right.

An *entry* is the table of one card, ``{"first": 1, "names": {"en": "Spy"}}``. It may change a card that exists (what it
leaves out stays) or describe a new one (then what every card must have is required).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agentsim.errors import InputError, nearest
from agentsim.games.agent_avenue.cards import LANGUAGES, PROVENANCES, Card
from agentsim.games.agent_avenue.cards.market import NUMBERS, Effect, MarketCard, effect_of
from agentsim.games.agent_avenue.values import boolean, choice, integer, show, symbol

__all__ = ["AGENT_ATTRIBUTES", "AGENT_NEEDS", "AGENT_NUMBERS", "AGENT_SYMBOLS", "MARKET_ATTRIBUTES", "MARKET_COPIES",
           "MARKET_NEEDS", "NUMBER_BOUNDS", "SYMBOL_MOST",
           "agent_of", "check_id", "market_card_of"]

AGENT_NUMBERS: dict[str, tuple[int, int, str]] = {
    "copies": (0, 15, "copies of the card in the deck"),
    "first": (-20, 20, "spaces moved by the 1st agent of this name"),
    "second": (-20, 20, "spaces moved by the 2nd agent of this name"),
    "third": (-20, 20, "spaces moved by the 3rd and any later agent of this name"),
    "wins_at": (0, 15, "that many in play win the game in the End step (0: never)"),
    "loses_at": (0, 15, "that many in play lose the game in the End step (0: never)"),
}
SYMBOL_MOST = 9
"""Most spaces that a Division M symbol may name."""
AGENT_SYMBOLS: dict[str, str] = {
    "m_first": "Division M symbol of the 1st agent of this name (0: none, home, or spaces)",
    "m_second": "Division M symbol of the 2nd agent of this name",
    "m_third": "Division M symbol of the 3rd and any later agent of this name",
}
AGENT_ATTRIBUTES = (*AGENT_NUMBERS, *AGENT_SYMBOLS, "provenance", "names")
AGENT_NEEDS = ("copies", "first", "second", "third")

KINDS = ("ongoing", "instant")
MARKET_COPIES = (0, 63)
NUMBER_BOUNDS: dict[str, tuple[int, int]] = {"spaces": (-20, 20), "by": (-9, 9), "at_least": (1, 15),
                                             "symbol": (0, SYMBOL_MOST)}
MARKET_ATTRIBUTES = ("kind", "effects", "copies", *NUMBERS, "promo", "provenance", "names")
MARKET_NEEDS = ("kind", "effects")

_WORD = re.compile(r"[a-z][a-z0-9_]{0,39}")
_RESERVED = ("catch", "codebreakers", "division_m", "daredevils", "out_of_cards")
"""What else a game can end by: a Black Market card of that name could not be told apart from it in a log."""


@dataclass(frozen=True)
class _Form:
    """What an effect may say besides ``when`` and ``do``: what it must have, and what it may have."""

    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


_DOS: dict[str, tuple[str, ...]] = {
    "recruit": ("set", "negate", "multiply", "add"),
    "landing": ("move",),
    "end": ("win",),
    "": ("move", "recruit", "take_back", "take", "clear", "division_m", "nothing")}
_FORMS: dict[tuple[str, str], _Form] = {
    ("recruit", "set"): _Form(("agent", "spaces")),
    ("recruit", "negate"): _Form(("agent",)),
    ("recruit", "multiply"): _Form(("agent", "by")),
    ("recruit", "add"): _Form(("agent", "spaces")),
    ("landing", "move"): _Form(("on", "spaces")),
    ("", "move"): _Form(("spaces",), ("who",)),
    ("", "take_back"): _Form((), ("may_recruit",)),
    ("", "take"): _Form(), ("", "clear"): _Form(), ("", "nothing"): _Form(),
    ("", "division_m"): _Form(("symbol",))}
_IFS: dict[str, _Form] = {
    "names": _Form(("if", "at_least")),
    "set": _Form(("if", "agent", "at_least")),
    "losing_set": _Form(("if", "agent")),
    "rival_on_home": _Form(("if",)),
    "rival_near_division_m": _Form(("if", "spaces"))}
_FROMS: dict[str, _Form] = {"deck": _Form(("from",), ("who",)), "hand": _Form(("from",), ("agent", "of", "who"))}
_CHOICES: dict[str, tuple[str, ...]] = {
    "on": ("home", "market", "division_m"), "if": tuple(_IFS), "from": tuple(_FROMS),
    "of": ("any", "new_name", "pair"), "who": ("own", "rival", "both")}
_EFFECT_WORDS = ("when", "do", "agent", "spaces", "by", "at_least", "on", "if", "from", "of", "who", "may_recruit",
                 "symbol")


@dataclass(frozen=True)
class _Place:
    """Where a complaint belongs: the file or flag, and the key before the last dot."""

    where: str
    key: str

    def error(self, problem: str, word: str = "", allowed: str = "", near: str = "") -> InputError:
        key = f"{self.key}.{word}" if word else self.key
        return InputError(problem, where=self.where, key=key, allowed=allowed, nearest=near)


def agent_of(name: str, entry: Any, shipped: Card | None, *, key: str, where: str = "",
             known: Iterable[str] = ()) -> Card:
    """The agent that an entry makes: a changed one if ``shipped`` is given, else a new one.

    An agent whose moves, sets or symbols are changed is the designer's own (``provenance = "house"``) unless the entry
    says otherwise; another number of copies does not change what a card is. ``known`` are names to suggest for a
    misspelled one. Raises InputError.
    """
    place = _Place(where, key)
    entry = _table(entry, name, place, AGENT_ATTRIBUTES, "agents")
    if shipped is None:
        _new(name, entry, place, "agent", AGENT_NEEDS, AGENT_NUMBERS, known)
        shipped = Card(name, 0, 0, 0, 0)
    changes: dict[str, Any] = {}
    for word, value in entry.items():
        own = f"{key}.{word}"
        if word in AGENT_NUMBERS:
            changes[word] = integer(value, AGENT_NUMBERS[word][:2], own, where)
        elif word in AGENT_SYMBOLS:
            changes[word] = symbol(value, SYMBOL_MOST, own, where)
    changed = replace(shipped, **changes)
    provenance = shipped.provenance if changed == replace(shipped, copies=changed.copies) else "house"
    names = _names(entry, shipped.names, place)
    made = replace(changed, provenance=_provenance(entry, provenance, place), names=names)
    if made.wins_at and made.wins_at == made.loses_at:
        raise place.error(f"{made.wins_at} in play would both win and lose", "loses_at",
                          "another number, or 0 for never")
    return made


def market_card_of(name: str, entry: Any, shipped: MarketCard | None, *, key: str, where: str = "",
                   agents: Iterable[str], known: Iterable[str] = ()) -> MarketCard:
    """The Black Market card that an entry makes: a changed one if ``shipped`` is given, else a new one.

    ``agents`` are the names that an effect may use. ``spaces``, ``by``, ``at_least`` and ``symbol`` are the numbers of
    the card's first effect that has one. Raises InputError.
    """
    place = _Place(where, key)
    entry = _table(entry, name, place, MARKET_ATTRIBUTES, "Black Market cards")
    if shipped is None:
        needs = {"kind": ", ".join(KINDS), "effects": "a list of effects"}
        _new(name, entry, place, "Black Market card", MARKET_NEEDS, needs, known)
        shipped = MarketCard(name, "", ())
    kind = choice(entry["kind"], KINDS, f"{key}.kind", where) if "kind" in entry else shipped.kind
    effects = shipped.effects
    if "effects" in entry:
        effects = _effects(entry["effects"], kind, place, tuple(agents))
    elif kind != shipped.kind:
        raise place.error(f"is changed from {shipped.kind} to {kind} without new effects", "kind", shipped.kind)
    copies, promo = shipped.copies, shipped.promo
    if "copies" in entry:
        copies = integer(entry["copies"], MARKET_COPIES, f"{key}.copies", where)
    if "promo" in entry:
        promo = boolean(entry["promo"], f"{key}.promo", where)
    made = _with_numbers(MarketCard(name, kind, effects, copies, promo), entry, place)
    provenance = shipped.provenance if (kind, made.effects) == (shipped.kind, shipped.effects) else "house"
    return replace(made, provenance=_provenance(entry, provenance, place), names=_names(entry, shipped.names, place))


def check_id(name: str, key: str, where: str = "") -> None:
    """Refuse what cannot be the id of a new card: logs and settings use it as a name."""
    if not _WORD.fullmatch(name):
        raise InputError(f"{show(name)} cannot be the id of a card", where=where, key=key,
                         allowed="a to z, 0 to 9 and _, a letter first, at most 40")
    if name in _RESERVED:
        raise InputError(f"'{name}' is what logs call another end of a game", where=where, key=key,
                         allowed="another id")


def _table(entry: Any, name: str, place: _Place, known: Iterable[str], plural: str) -> Mapping[str, Any]:
    if not isinstance(entry, Mapping):
        raise place.error(f"must be a table, got {show(entry)}", allowed=f"a table [{place.key}]")
    for word in entry:
        if word not in known:
            raise place.error(f"{plural} have no '{word}'", word, ", ".join(known), nearest(word, known))
    return entry


def _new(name: str, entry: Mapping[str, Any], place: _Place, noun: str, needs: tuple[str, ...],
         docs: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse a new card whose name is no name or which lacks what a new card needs."""
    missing = [word for word in needs if word not in entry]
    if missing:
        near = nearest(name, known)
        if near or len(missing) == len(needs):
            # More likely a slip of the pen than a new card.
            raise place.error(f"unknown {noun} '{name}'; a new one needs {', '.join(needs)}", next(iter(entry), ""),
                              ", ".join(known), near)
        low_high = docs[missing[0]]
        allowed = low_high if isinstance(low_high, str) else f"{low_high[0]} to {low_high[1]}"
        raise place.error(f"the new {noun} '{name}' has no '{missing[0]}'", missing[0], allowed)
    check_id(name, place.key, place.where)


def _effects(value: Any, kind: str, place: _Place, agents: tuple[str, ...]) -> tuple[Effect, ...]:
    if not isinstance(value, list | tuple) or not value:
        problem = "a card needs at least one effect" if value in ([], ()) else f"must be a list, got {show(value)}"
        raise place.error(problem, "effects", 'a list such as [{ do = "move", spaces = 1 }]; do = "nothing" is a blank')
    return tuple(_effect(entry, kind, _Place(place.where, f"{place.key}.effects[{number}]"), agents)
                 for number, entry in enumerate(value, start=1))


def _effect(entry: Any, kind: str, place: _Place, agents: tuple[str, ...]) -> Effect:
    if not isinstance(entry, Mapping):
        raise place.error(f"must be a table, got {show(entry)}", allowed='{ do = "move", spaces = 1 }')
    for word in entry:
        if word not in _EFFECT_WORDS:
            raise place.error(f"effects have no '{word}'", word, ", ".join(_EFFECT_WORDS), nearest(word, _EFFECT_WORDS))
    triggers = tuple(when for when in _DOS if when)
    if kind == "instant" and "when" in entry:
        raise place.error("an instant card works when it is taken: its effects have no 'when'", "when")
    if kind == "ongoing" and "when" not in entry:
        raise place.error("an effect of an ongoing card must say when it works", "when", ", ".join(triggers))
    when = choice(entry["when"], triggers, f"{place.key}.when", place.where) if kind == "ongoing" else ""
    dos = _DOS[when]
    if "do" not in entry:
        raise place.error("is missing", "do", ", ".join(dos))
    do = entry["do"]
    if do not in dos:
        elsewhere = next((other for other, words in _DOS.items() if do in words and other != when), None)
        name = f"when = '{when}'" if when else "an instant card"
        if elsewhere is None:
            raise place.error(f"unknown value {show(do)}", "do", ", ".join(dos), nearest(str(do), dos))
        belongs = f"when = '{elsewhere}'" if elsewhere else "instant cards"
        raise place.error(f"'{do}' goes with {belongs}, not with {name}", "do", ", ".join(dos))
    _check_words(entry, when, do, place)
    checked = {word: _word(word, value, place, agents) for word, value in entry.items() if word not in ("when", "do")}
    return effect_of({"do": do, "when": when, **checked})


def _check_words(entry: Mapping[str, Any], when: str, do: str, place: _Place) -> None:
    """Refuse arguments that are missing or mean nothing here."""
    what = f"do = '{do}'"
    if (when, do) in _FORMS:
        form = _FORMS[when, do]
    else:  # a word of the effect itself says what further words it has
        word, forms = ("if", _IFS) if do == "win" else ("from", _FROMS)
        if word not in entry:
            raise place.error(f"{what} needs '{word}'", word, ", ".join(forms))
        value = choice(entry[word], tuple(forms), f"{place.key}.{word}", place.where)
        form, what = forms[value], f"{what} with {word} = '{value}'"
    for word in form.needs:
        if word not in entry:
            raise place.error(f"{what} needs '{word}'", word, _allowed(word))
    for word in entry:
        if word not in ("when", "do", *form.needs, *form.may):
            others = ", ".join((*form.needs, *form.may)) or "nothing else"
            raise place.error(f"'{word}' means nothing for {what}", word, others)
    if "agent" in form.may and ("agent" in entry) == ("of" in entry):
        both = "both 'agent' and 'of'" if "agent" in entry else "neither 'agent' nor 'of'"
        raise place.error(f"{what} has {both}", "of", "an agent's name, or of = " + ", ".join(_CHOICES["of"]))


def _allowed(word: str) -> str:
    if word in _CHOICES:
        return ", ".join(_CHOICES[word])
    if word == "symbol":
        return f"home, 0 to {SYMBOL_MOST}"
    if word in NUMBER_BOUNDS:
        return "{} to {}".format(*NUMBER_BOUNDS[word])
    return "the name of an agent"


def _word(word: str, value: Any, place: _Place, agents: tuple[str, ...]) -> Any:
    key = f"{place.key}.{word}"
    if word == "agent":
        if value not in agents:
            raise place.error(f"unknown agent {show(value)}", word, ", ".join(agents), nearest(str(value), agents))
        return value
    if word == "may_recruit":
        return boolean(value, key, place.where)
    if word in NUMBER_BOUNDS:
        return _number(word, value, key, place.where)
    return choice(value, _CHOICES[word], key, place.where)


def _number(word: str, value: Any, key: str, where: str) -> str | int:
    if word == "symbol":
        return symbol(value, SYMBOL_MOST, key, where)
    return integer(value, NUMBER_BOUNDS[word], key, where)


def _with_numbers(card: MarketCard, entry: Mapping[str, Any], place: _Place) -> MarketCard:
    """The card with the numbers that the entry gives beside its effects."""
    has = card.numbers
    for word in NUMBERS:
        if word not in entry:
            continue
        if word not in has:
            raise place.error(f"no effect of {card.id} has '{word}'", word, ", ".join(("copies", *has)))
        index, _ = has[word]
        number: dict[str, Any] = {word: _number(word, entry[word], f"{place.key}.{word}", place.where)}
        effect = replace(card.effects[index], **number)
        card = replace(card, effects=(*card.effects[:index], effect, *card.effects[index + 1:]))
    return card


def _provenance(entry: Mapping[str, Any], default: str, place: _Place) -> str:
    if "provenance" not in entry:
        return default
    return choice(entry["provenance"], PROVENANCES, f"{place.key}.provenance", place.where)


def _names(entry: Mapping[str, Any], default: tuple[tuple[str, str], ...],
           place: _Place) -> tuple[tuple[str, str], ...]:
    if "names" not in entry:
        return default
    names = entry["names"]
    if not isinstance(names, Mapping):
        raise place.error(f"must be a table, got {show(names)}", "names", '{ en = "Printed Name" }')
    for language, text in names.items():
        if language not in LANGUAGES:
            raise place.error(f"unknown language '{language}'", f"names.{language}", ", ".join(LANGUAGES))
        if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > 60:
            raise place.error(f"{show(text)} is no name", f"names.{language}",
                              "one line of text, at most 60 characters")
    return tuple(sorted((dict(default) | dict(names)).items()))
