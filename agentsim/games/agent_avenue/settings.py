"""Rules from flat settings and back: the keys ``rules.*``, ``cards.*`` and ``market.*``, their bounds and checks."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentsim.errors import InputError, nearest
from agentsim.games.agent_avenue import ruleset as r
from agentsim.games.agent_avenue.cards import PROVENANCES
from agentsim.games.agent_avenue.cards.cardfile import read_card_file
from agentsim.games.agent_avenue.cards.entries import (
    AGENT_NUMBERS,
    AGENT_SYMBOLS,
    MARKET_COPIES,
    NUMBER_BOUNDS,
    SYMBOL_MOST,
)
from agentsim.games.agent_avenue.cards.library import GIVEN, SHIPPED, Deck, agents_of, market_of, shipped_market
from agentsim.games.agent_avenue.cards.market import MarketCard, effect_entry
from agentsim.games.agent_avenue.ruleset import Rules
from agentsim.games.agent_avenue.values import boolean, choice, integer, show, spaces
from agentsim.games.base import Key

__all__ = ["key_table", "make_rules", "settings_of"]

_BOUNDS: dict[str, tuple[int, int, str]] = {
    "rules.players": (2, 4, "players: two sides of one, of two, or with three players a team of two against one"),
    "rules.hand_size": (2, 8, "hand cards dealt to each player and drawn up to in each turn"),
    "rules.discards": (0, 15, "discards that each single player has for the whole game"),
    "rules.team_discards": (0, 15, "discards that each member of a team of two has for the whole game"),
    "rules.ring": (4, 60, "spaces on the ring"),
    "rules.home_0": (0, 59, "space on which the pawn of seat 0 (who starts) begins"),
    "rules.home_1": (0, 59, "space on which the pawn of seat 1 begins"),
    "rules.supply": (1, r.MAX_SUPPLY, "Black Market cards that lie face up"),
}
_CHOICES: dict[str, tuple[tuple[str, ...], str]] = {
    "rules.mode": (r.MODES, "which game is played: without (base) or with the Black Market (advanced)"),
    "rules.lone": (r.LONES, "with three players: the side that is one player; both plays each deal in both roles"),
    "rules.tie_rule": (r.TIE_RULES, "who wins when conditions conflict"),
    "rules.expansion": (r.EXPANSIONS, "the expansion that is played"),
    "rules.market": (r.MARKETS, "which shipped Black Market cards are used: the box's, Division M's, or both"),
    "rules.m_trap": (r.M_TRAPS, "whom a Division M pawn traps: any pawn on its space, or one that moved in this turn"),
    "rules.picks": (r.PICKS, "who picks Black Market cards: the policies, or chance (to measure what cards are worth)"),
}
_CEASEFIRE, _CORNERS, _CARDS = "rules.ceasefire", "rules.corners", "rules.cards"
_OTHERS = {
    _CORNERS: ("spaces of the ring on which a pawn lands on the Black Market", "such as 2 5 9 12"),
    _CEASEFIRE: ("whether promo cards are in the Black Market", "true, false"),
    _CARDS: ("where the cards come from: shipped ones with what keys change and add, a card file (TOML), or keys alone",
             f"{SHIPPED}, FILE.toml, {GIVEN}"),
}
_GROUPS: dict[str, tuple[str, ...]] = {
    "Game": ("rules.mode", "rules.hand_size", "rules.discards", "rules.ring", "rules.home_0", "rules.home_1",
             "rules.tie_rule", _CARDS),
    "Teams": ("rules.players", "rules.lone", "rules.team_discards"),
    "Black Market (rules.mode = advanced)": (_CORNERS, "rules.supply", "rules.market", _CEASEFIRE, "rules.picks"),
    "Division M": ("rules.expansion", "rules.m_trap")}
_GROUP_OF = {key: group for group, keys in _GROUPS.items() for key in keys}
_RULE_KEYS = tuple(_GROUP_OF)
_PROVENANCE = "who made the card up"


def make_rules(settings: Mapping[str, Any] | None = None, *, where: str = "") -> Rules:
    """Rules from flat settings; what is not set keeps the publisher's value.

    ``rules.cards`` may name a card file, which is read.
    Raises InputError, naming the key and what is allowed, for an unknown key, a value out of bounds, a card that cannot
    be, or rules that contradict each other.
    """
    try:
        return _make(settings or {})
    except InputError as error:
        raise error.at(where=where) from None


def _make(settings: Mapping[str, Any]) -> Rules:
    changes: dict[str, Any] = {}
    entries: dict[str, dict[str, dict[str, Any]]] = {"cards": {}, "market": {}}
    source: Any = SHIPPED
    for key, value in settings.items():
        group, _, rest = key.partition(".")
        if key in _BOUNDS:
            changes[rest] = integer(value, _BOUNDS[key][:2], key)
        elif key in _CHOICES:
            value = str(value) if key == "rules.lone" and not isinstance(value, bool) else value
            changes[rest] = choice(value, _CHOICES[key][0], key)
        elif key == _CORNERS:
            changes[rest] = spaces(value, 59, key)
        elif key == _CEASEFIRE:
            changes[rest] = boolean(value, key)
        elif key == _CARDS:
            source = value
        elif group in entries and _add(entries[group], rest, value):
            pass
        else:
            raise _unknown_key(key)
    changes.setdefault("market", "new" if changes.get("expansion") == "division_m" else "old")
    rules = replace(Rules(), **changes)
    deck = Deck(rules.mode, rules.expansion, rules.market, rules.ceasefire, given=source == GIVEN)
    if source not in (SHIPPED, GIVEN):
        if not isinstance(source, str | Path) or not str(source):
            raise InputError(f"unknown card file {show(source)}", key=_CARDS, allowed=_OTHERS[_CARDS][1])
        deck = replace(deck, file=read_card_file(source))
    agents = agents_of(deck, entries["cards"])
    rules = replace(rules, cards=agents, market_cards=market_of(deck, entries["market"], agents))
    try:
        _check(rules)
    except InputError as error:
        raise error.at(where=str(source) if deck.file and error.key in ("cards", "market") else "") from None
    return rules


def _add(entries: dict[str, dict[str, Any]], rest: str, value: Any) -> bool:
    """Sort ``<card>.<attribute>`` (or ``<card>.names.<language>``) into the entries; False if it is neither."""
    name, _, attribute = rest.partition(".")
    if not name or not attribute:
        return False
    entry = entries.setdefault(name, {})
    if attribute.startswith("names.") and attribute.count(".") == 1:
        entry.setdefault("names", {})[attribute.partition(".")[2]] = value
    elif "." in attribute:
        return False
    else:
        entry[attribute] = value
    return True


def settings_of(rules: Rules, *, completely: bool = False) -> dict[str, Any]:
    """Every key with its value, plain JSON types, nothing left to defaults: ``make_rules(settings_of(r)) == r``.

    Cards of one's own are described completely (``rules.cards = "given"``), with ``completely`` those of the box too.
    """
    if completely:
        return _settings(rules, given=True)
    found = _settings(rules, given=False)
    try:
        same = make_rules(found) == rules
    except InputError:
        same = False
    return found if same else _settings(rules, given=True)


def _settings(rules: Rules, *, given: bool) -> dict[str, Any]:
    found: dict[str, Any] = {key: getattr(rules, key.partition(".")[2]) for key in _RULE_KEYS if key != _CARDS}
    found[_CORNERS] = " ".join(map(str, rules.corners))
    found[_CARDS] = GIVEN if given else SHIPPED
    for card in rules.cards:
        words: tuple[str, ...] = (*AGENT_NUMBERS, *AGENT_SYMBOLS, "provenance")
        found |= {f"cards.{card.id}.{word}": getattr(card, word) for word in words}
        if given:
            found[f"cards.{card.id}.names"] = dict(card.names)
    for market_card in rules.market_cards:
        found |= _market_settings(market_card, given=given)
    if rules.advanced and not given:
        # What the pile would hold and does not: taken out of it.
        here = {card.id for card in rules.market_cards}
        gone = shipped_market(rules.market, promos=rules.ceasefire)
        found |= {f"market.{card.id}.copies": 0 for card in gone if card.id not in here}
    return found


def _market_settings(card: MarketCard, *, given: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"copies": card.copies} | {word: value for word, (_, value) in card.numbers.items()}
    found["provenance"] = card.provenance
    if given:
        found |= {"kind": card.kind, "effects": [effect_entry(effect) for effect in card.effects], "promo": card.promo,
                  "names": dict(card.names)}
    return {f"market.{card.id}.{word}": value for word, value in found.items()}


def key_table(rules: Rules | None = None) -> list[Key]:
    """Every key with its meaning, its value and what is allowed.

    With ``rules`` the keys of just these; else those of every shipped card, with the base game's values.
    """
    if rules is None:
        everything = make_rules({"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "both",
                                 _CEASEFIRE: True})
        rules = replace(Rules(), cards=everything.cards, market_cards=everything.market_cards)
        values = _settings(rules, given=False)
    else:
        values = settings_of(rules)
    return [Key(name, *_described(name, value), group=_GROUP_OF.get(name, "")) for name, value in values.items()]


def _described(name: str, value: Any) -> tuple[str, Any, str]:
    """What :class:`Key` says of a key: meaning, value, what is allowed."""
    if name in _BOUNDS:
        low, high, doc = _BOUNDS[name]
        return doc, value, f"{low} to {high}"
    if name in _CHOICES:
        return _CHOICES[name][1], value, ", ".join(_CHOICES[name][0])
    if name in _OTHERS:
        return _OTHERS[name][0], value, _OTHERS[name][1]
    group, card, word = name.split(".")
    doc, allowed = _card_key(word) if group == "cards" else _market_key(word)
    return f"{card}: {doc}", value, allowed


def _card_key(word: str) -> tuple[str, str]:
    if word in AGENT_NUMBERS:
        low, high, doc = AGENT_NUMBERS[word]
        return doc, f"{low} to {high}"
    if word in AGENT_SYMBOLS:
        return AGENT_SYMBOLS[word], f"home, 0 to {SYMBOL_MOST}"
    return _other_key(word)


def _market_key(word: str) -> tuple[str, str]:
    docs = {"copies": ("cards of this name in the pile", "{} to {}".format(*MARKET_COPIES)),
            "spaces": ("spaces moved, or how near", "{} to {}".format(*NUMBER_BOUNDS["spaces"])),
            "by": ("how many times as far", "{} to {}".format(*NUMBER_BOUNDS["by"])),
            "at_least": ("how many of them in play", "{} to {}".format(*NUMBER_BOUNDS["at_least"])),
            "symbol": ("what the Division M pawn does", f"home, 0 to {SYMBOL_MOST}"),
            "kind": ("whether it stays (ongoing) or works once (instant)", "ongoing, instant"),
            "effects": ("what it does", "a list of effects, see docs/cards.md"),
            "promo": ("whether it is used with rules.ceasefire only", "true, false")}
    return docs[word] if word in docs else _other_key(word)


def _other_key(word: str) -> tuple[str, str]:
    return (_PROVENANCE, ", ".join(PROVENANCES)) if word == "provenance" else ("printed names by language", "a table")


def _check(rules: Rules) -> None:
    """Refuse rules that cannot be played or that contradict themselves."""
    for key in ("home_0", "home_1"):
        if getattr(rules, key) >= rules.ring:
            raise InputError(f"space {getattr(rules, key)} is not on a ring of {rules.ring}", key=f"rules.{key}",
                             allowed=f"0 to {rules.ring - 1}")
    if rules.home_0 == rules.home_1:
        raise InputError(f"both homes are space {rules.home_0}: the game would be over before it starts",
                         key="rules.home_1", allowed="a space other than rules.home_0")
    if not 1 <= len(rules.cards) <= r.MAX_NAMES:
        raise InputError(f"{len(rules.cards)} agents", key="cards", allowed=f"1 to {r.MAX_NAMES} names")
    needed = rules.players * rules.hand_size
    if not needed <= rules.n_cards <= r.MAX_CARDS:
        hands = {2: "two", 3: "three", 4: "four"}[rules.players]
        raise InputError(f"the deck has {rules.n_cards} cards, {hands} hands of {rules.hand_size} need {needed}",
                         key="cards", allowed=f"{needed} to {r.MAX_CARDS} cards in all")
    if rules.advanced:
        _check_market(rules)


def _check_market(rules: Rules) -> None:
    if rules.corners[-1] >= rules.ring:
        raise InputError(f"space {rules.corners[-1]} is not on a ring of {rules.ring}", key=_CORNERS,
                         allowed=f"0 to {rules.ring - 1}")
    n_effects = sum(len(card.effects) for card in rules.market_cards)
    for number, most, what in ((len(rules.market_cards), r.MAX_MARKET, "different Black Market cards"),
                               (len(rules.pile), r.MAX_PILE, "Black Market cards, copies counted,"),
                               (n_effects, r.MAX_EFFECTS, "effects of Black Market cards")):
        if not 1 <= number <= most:
            raise InputError(f"{number} {what} in all", key="market", allowed=f"1 to {most}")


def _unknown_key(key: str) -> InputError:
    known = [entry.name for entry in key_table()]
    # A key given without its group is the commonest slip; suggest the whole key then.
    close = nearest(key, known) or next((k for k in known if k.endswith("." + key)), "")
    if not close:
        found = difflib.get_close_matches(key, [k.partition(".")[2] for k in known], n=1)
        close = next((k for k in known if found and k.endswith("." + found[0])), "")
    return InputError("unknown key", key=key, allowed="see `agentsim rules`", nearest=close)
