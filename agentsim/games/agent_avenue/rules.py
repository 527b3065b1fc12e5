"""The rules of Agent Avenue as data: what a designer may change, within which bounds, and under which key.

:class:`Rules` holds every number and switch. :func:`make_rules` builds it from flat settings such as
``{"rules.hand_size": 5, "cards.sentinel.third": 5}``, the one vocabulary of experiment files, ``--set`` and reports;
:func:`key_table` documents it. :func:`compile_rules` makes the one vector that jitted code reads, so that no change of
rules needs a compilation.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError, nearest
from agentsim.games.agent_avenue.cards import Card, load_cards
from agentsim.games.base import Key

__all__ = ["MAX_CARDS", "MAX_COPIES", "MAX_NAMES", "TIE_RULES", "Rules", "compile_rules", "key_table",
           "make_rules", "settings_of"]

MAX_NAMES = 15
"""Different agents in a card table. A zone of cards is one 64-bit word of 4-bit counts, with one lane to spare."""
MAX_COPIES = 15
"""Copies of one agent."""
MAX_CARDS = 120
"""Agent cards in all."""
NEVER = 99
"""In a compiled table: the size of a set that no number of copies completes."""

TIE_RULES = ("active", "passive", "draw")
"""Who wins when conditions conflict: the active player (the publisher's rule), the other one, nobody."""
TIE_ACTIVE, TIE_PASSIVE, TIE_DRAW = range(3)

_BOUNDS: dict[str, tuple[int, int, str]] = {
    "rules.hand_size": (2, 8, "hand cards dealt to each player and drawn up to in each turn"),
    "rules.discards": (0, 15, "discards that each player has for the whole game"),
    "rules.ring": (4, 60, "spaces on the ring"),
    "rules.home_0": (0, 59, "space on which the pawn of seat 0 (who starts) begins"),
    "rules.home_1": (0, 59, "space on which the pawn of seat 1 begins"),
}
_CARD_BOUNDS: dict[str, tuple[int, int, str]] = {
    "copies": (0, MAX_COPIES, "copies of the card in the deck"),
    "first": (-20, 20, "spaces moved by the 1st agent of this name"),
    "second": (-20, 20, "spaces moved by the 2nd agent of this name"),
    "third": (-20, 20, "spaces moved by the 3rd and any later agent of this name"),
    "wins_at": (0, MAX_COPIES, "that many in play win the game in the End step (0: never)"),
    "loses_at": (0, MAX_COPIES, "that many in play lose the game in the End step (0: never)"),
}


@dataclass(frozen=True)
class Rules:
    """A complete set of rules. Built and checked by :func:`make_rules`.

    ``cards`` are in table order; that order numbers the agents in kernels and logs.
    """

    mode: str = "base"
    hand_size: int = 4
    discards: int = 4
    ring: int = 14
    home_0: int = 0
    home_1: int = 7
    tie_rule: str = "active"
    cards: tuple[Card, ...] = field(default_factory=load_cards)

    @property
    def names(self) -> tuple[str, ...]:
        """Ids of the agents in table order."""
        return tuple(card.id for card in self.cards)

    @property
    def n_cards(self) -> int:
        """Agent cards in the deck before dealing."""
        return sum(card.copies for card in self.cards)

    @property
    def gap_0(self) -> int:
        """Spaces that seat 0 must gain to catch seat 1: the way from its home to the other, clockwise."""
        return (self.home_1 - self.home_0) % self.ring

    @property
    def gap_1(self) -> int:
        """Spaces that seat 1 must gain to catch seat 0."""
        return self.ring - self.gap_0


# --- rules as jitted code sees them: one int64 vector --------------------------------------------------------------
# Agents are numbers 0 .. N_NAMES - 1 in table order. One vector, because every array argument costs each call in jitted
# code some nanoseconds. Read as ``table[HAND_SIZE]`` or ``table[COPIES + name]``.
HAND_SIZE, DISCARDS, GAP_0, GAP_1, TIE_RULE, N_NAMES, N_CARDS, N_WINNING, N_LOSING, ALL_CARDS = range(10)
"""ALL_CARDS is the deck as a zone (see zones.py): 4 bits per agent, its copies."""
WINS_AT, LOSES_AT = 16, 32
"""By agent: how many in play complete its winning / losing set, ``NEVER`` where there is none."""
COPIES = 48
"""By agent: copies in the deck."""
WINNING, LOSING = 64, 80
"""The N_WINNING (N_LOSING) agents that have such a set."""
MOVES = 96
"""``table[MOVES + 16 * name + count]``: the move of recruiting ``name`` as the ``count``-th copy in play (from 1)."""
SETS = MOVES + 16 * 16
"""``table[SETS + 16 * name + count]``: the bits WIN and LOSE, for the sets that so many copies in play complete."""
WIN, LOSE = 1, 2
CARDS = SETS + 16 * 16
"""The N_CARDS agent cards, sorted."""
TABLE_SIZE = CARDS + MAX_CARDS


def make_rules(settings: Mapping[str, Any] | None = None, *, cards: tuple[Card, ...] | None = None,
               where: str = "") -> Rules:
    """Rules from flat settings; what is not set keeps the publisher's value.

    Raises InputError, naming the key and what is allowed, for an unknown key, a value out of bounds, or rules that
    contradict each other.
    """
    rules = Rules() if cards is None else Rules(cards=cards)
    table = {card.id: card for card in rules.cards}
    changes: dict[str, Any] = {}
    for key, value in (settings or {}).items():
        group, _, rest = key.partition(".")
        if key == "rules.mode":
            changes["mode"] = _choice(value, ("base",), key, where)
        elif key == "rules.tie_rule":
            changes["tie_rule"] = _choice(value, TIE_RULES, key, where)
        elif key in _BOUNDS:
            changes[rest] = _integer(value, _BOUNDS[key][:2], key, where)
        elif group == "cards" and rest.count(".") == 1:
            name, attribute = rest.split(".")
            if name not in table:
                raise InputError(f"unknown agent '{name}'", where=where, key=key, allowed=", ".join(table),
                                 nearest=nearest(name, table))
            if attribute not in _CARD_BOUNDS:
                raise InputError(f"agents have no '{attribute}'", where=where, key=key,
                                 allowed=", ".join(_CARD_BOUNDS), nearest=nearest(attribute, _CARD_BOUNDS))
            number = _integer(value, _CARD_BOUNDS[attribute][:2], key, where)
            table[name] = replace(table[name], **dict[str, Any]({attribute: number}))
        else:
            raise _unknown_key(key, table, where)
    rules = replace(rules, cards=tuple(table.values()), **changes)
    _check(rules, where)
    return rules


def settings_of(rules: Rules) -> dict[str, Any]:
    """Every key with its value, nothing left to defaults: ``make_rules(settings_of(r)) == r`` for shipped agents."""
    found: dict[str, Any] = {"rules.mode": rules.mode}
    found |= {key: getattr(rules, key.partition(".")[2]) for key in _BOUNDS}
    found["rules.tie_rule"] = rules.tie_rule
    for card in rules.cards:
        found |= {f"cards.{card.id}.{attribute}": getattr(card, attribute) for attribute in _CARD_BOUNDS}
    return found


def key_table(rules: Rules | None = None) -> list[Key]:
    """Every key with its meaning, its value in ``rules`` (the publisher's by default) and what is allowed."""
    values = settings_of(rules or Rules())
    keys = [Key("rules.mode", "which board and decks are used", values["rules.mode"], "base")]
    keys += [Key(key, doc, values[key], f"{low} to {high}") for key, (low, high, doc) in _BOUNDS.items()]
    keys.append(Key("rules.tie_rule", "who wins when conditions conflict", values["rules.tie_rule"],
                    ", ".join(TIE_RULES)))
    for name in (rules or Rules()).names:
        keys += [Key(f"cards.{name}.{attribute}", f"{name}: {doc}", values[f"cards.{name}.{attribute}"],
                     f"{low} to {high}") for attribute, (low, high, doc) in _CARD_BOUNDS.items()]
    return keys


def compile_rules(rules: Rules) -> NDArray[np.int64]:
    """The rules as one vector for jitted code; the offsets above say what stands where."""
    table = np.zeros(TABLE_SIZE, dtype=np.int64)
    table[HAND_SIZE], table[DISCARDS] = rules.hand_size, rules.discards
    table[TIE_RULE] = TIE_RULES.index(rules.tie_rule)
    table[GAP_0], table[GAP_1] = rules.gap_0, rules.gap_1
    table[N_NAMES], table[N_CARDS] = len(rules.cards), rules.n_cards
    for number, card in enumerate(rules.cards):
        moves = table[MOVES + 16 * number:MOVES + 16 * number + 16]
        moves[1], moves[2], moves[3:] = card.first, card.second, card.third
        table[COPIES + number] = card.copies
        table[ALL_CARDS] += card.copies << 4 * number
    for listed, sizes, n_listed, attribute in ((WINNING, WINS_AT, N_WINNING, "wins_at"),
                                               (LOSING, LOSES_AT, N_LOSING, "loses_at")):
        numbers = [number for number, card in enumerate(rules.cards) if getattr(card, attribute)]
        table[listed:listed + len(numbers)], table[n_listed] = numbers, len(numbers)
        table[sizes:sizes + MAX_NAMES] = NEVER
        for number in numbers:
            size = table[sizes + number] = getattr(rules.cards[number], attribute)
            table[SETS + 16 * number + size:SETS + 16 * number + 16] |= WIN if attribute == "wins_at" else LOSE
    table[CARDS:CARDS + rules.n_cards] = np.repeat(np.arange(MAX_NAMES), table[COPIES:COPIES + MAX_NAMES])
    return table


def _check(rules: Rules, where: str) -> None:
    """Refuse rules that cannot be played or that contradict themselves."""

    def refuse(problem: str, key: str, allowed: str = "") -> InputError:
        return InputError(problem, where=where, key=key, allowed=allowed)

    for key in ("home_0", "home_1"):
        if getattr(rules, key) >= rules.ring:
            raise refuse(f"space {getattr(rules, key)} is not on a ring of {rules.ring}", f"rules.{key}",
                         f"0 to {rules.ring - 1}")
    if rules.home_0 == rules.home_1:
        raise refuse(f"both homes are space {rules.home_0}: the game would be over before it starts", "rules.home_1",
                     "a space other than rules.home_0")
    if not 1 <= len(rules.cards) <= MAX_NAMES:
        raise refuse(f"{len(rules.cards)} agents", "cards", f"1 to {MAX_NAMES} names")
    for card in rules.cards:
        if card.wins_at and card.wins_at == card.loses_at:
            raise refuse(f"{card.wins_at} in play would both win and lose", f"cards.{card.id}.loses_at",
                         "another number, or 0 for never")
    needed = 2 * rules.hand_size
    if not needed <= rules.n_cards <= MAX_CARDS:
        raise refuse(f"the deck has {rules.n_cards} cards, two hands of {rules.hand_size} need {needed}",
                     "cards", f"{needed} to {MAX_CARDS} cards in all")


def _integer(value: Any, bounds: tuple[int, int], key: str, where: str) -> int:
    low, high = bounds
    if isinstance(value, str):
        try:
            value = int(value.strip())
        except ValueError:
            raise InputError(f"'{value}' is not a whole number", where=where, key=key,
                             allowed=f"{low} to {high}") from None
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputError(f"{value!r} is not a whole number", where=where, key=key, allowed=f"{low} to {high}")
    if not low <= value <= high:
        raise InputError(f"{value} is out of range", where=where, key=key, allowed=f"{low} to {high}")
    return int(value)


def _choice(value: Any, choices: tuple[str, ...], key: str, where: str) -> str:
    if value not in choices:
        raise InputError(f"unknown value {value!r}", where=where, key=key, allowed=", ".join(choices),
                         nearest=nearest(str(value), choices))
    return str(value)


def _unknown_key(key: str, table: Mapping[str, Card], where: str) -> InputError:
    known = ["rules.mode", "rules.tie_rule", *_BOUNDS]
    known += [f"cards.{name}.{attribute}" for name in table for attribute in _CARD_BOUNDS]
    # A key given without its group is the commonest slip; suggest the whole key then.
    close = nearest(key, known) or next((k for k in known if k.endswith("." + key)), "")
    if not close:
        found = difflib.get_close_matches(key, [k.partition(".")[2] for k in known], n=1)
        close = next((k for k in known if found and k.endswith("." + found[0])), "")
    return InputError("unknown key", where=where, key=key, allowed="see `agentsim rules`", nearest=close)
