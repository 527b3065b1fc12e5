"""The rules of Shady Agents as data: what a designer may change, within which bounds, and under which key.

:class:`Rules` holds every number and switch, those of the model of talk and belief included. :func:`make_rules` builds
it from flat settings such as ``{"rules.players": 7, "talk.verifiable": 0.5}``, the one vocabulary of experiment files,
``--set`` and reports; :func:`key_table` documents it. What jitted code reads is made by
:func:`agentsim.games.shady_agents.table.compile_rules`.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentsim.errors import InputError, nearest
from agentsim.games.base import Key

__all__ = ["MAX_PLAYERS", "ROUND_ORDERS", "SIDES", "TIES", "TOOLS", "Rules", "key_table", "make_rules", "settings_of"]

MAX_PLAYERS = 10
SIDES = ("law", "crooked")
"""The sides in the order that numbers them: who always tells the truth, and who always lies."""
TOOLS = ("bullet", "medkit")
"""The tools in the order that numbers them."""
TIES = ("draw", "law", "crooked")
"""Ruling S2: who wins when points and medkits are level."""
ROUND_ORDERS = ("reverse", "forward")
"""In which order the second round goes round the table."""

_BOUNDS: dict[str, tuple[int, int, str]] = {
    "rules.players": (4, MAX_PLAYERS, "players at the table"),
    "rules.odd_bonus": (0, 5, "points for the smaller side when the number of players is odd"),
    "rules.medkit": (0, 5, "points that a medkit brings the side with whose member it lies"),
    "rules.bullet": (-5, 0, "points that a bullet brings that side"),
}
_SWITCHES: dict[str, str] = {
    "rules.caller_answers": "whether the caller of an interrogation answers it, too, last of all (ruling S1)",
    "rules.own_tools": "whether a tool may be given to oneself (ruling S3)",
    "rules.two_to_one": "whether the first player's last two tools may go to one person (ruling S3)",
    "rules.interrogations": "whether interrogations may be called at all",
    "rules.free_interrogation": "whether the very first player keeps both tools when calling one",
}
_CHOICES: dict[str, tuple[tuple[str, ...], str]] = {
    "rules.tie": (TIES, "who wins when points and medkits are level (ruling S2)"),
    "rules.second_round": (ROUND_ORDERS, "order of the second round: the first player last, or first again"),
}
_RATES: dict[str, tuple[float, float, str]] = {
    "talk.base_rate": (0.0, 1.0, "how often the true answer to a question is yes"),
    "talk.verifiable": (0.0, 1.0, "probability that a listener knows the truth, for each listener and statement"),
    "talk.misread": (0.0, 0.5, "probability that a listener's verdict on a verified statement is the wrong one"),
    "belief.p_medkit_friend": (0.0, 1.0, "how often, players believe, the tool given to a friend is a medkit"),
    "belief.p_bullet_enemy": (0.0, 1.0, "how often, players believe, the tool given to an enemy is a bullet"),
}


@dataclass(frozen=True)
class Rules:
    """A complete set of rules and the model of talk and belief. Built and checked by :func:`make_rules`."""

    players: int = 6
    odd_bonus: int = 1
    medkit: int = 1
    bullet: int = -1
    caller_answers: bool = False
    own_tools: bool = False
    two_to_one: bool = True
    interrogations: bool = True
    free_interrogation: bool = True
    tie: str = "draw"
    second_round: str = "reverse"
    base_rate: float = 0.6
    verifiable: float = 0.3
    misread: float = 0.05
    p_medkit_friend: float = 0.8
    p_bullet_enemy: float = 0.8

    @property
    def is_odd(self) -> bool:
        """Whether one side is one player smaller, known to all."""
        return self.players % 2 == 1

    @property
    def role_cards(self) -> int:
        """Role cards dealt from: as many of each side; one stays over when the number of players is odd."""
        return self.players + self.players % 2

    @property
    def turns(self) -> int:
        """Turns in every game: two rounds."""
        return 2 * self.players


def make_rules(settings: Mapping[str, Any] | None = None, *, where: str = "") -> Rules:
    """Rules from flat settings; what is not set keeps its shipped value.

    Raises InputError, naming the key and what is allowed, for an unknown key or a value out of bounds.
    """
    changes: dict[str, Any] = {}
    for key, value in (settings or {}).items():
        attribute = key.partition(".")[2]
        if key in _BOUNDS:
            changes[attribute] = _integer(value, _BOUNDS[key][:2], key, where)
        elif key in _SWITCHES:
            changes[attribute] = _boolean(value, key, where)
        elif key in _CHOICES:
            changes[attribute] = _choice(value, _CHOICES[key][0], key, where)
        elif key in _RATES:
            changes[attribute] = _number(value, _RATES[key][:2], key, where)
        else:
            raise _unknown_key(key, where)
    return Rules(**changes)


def settings_of(rules: Rules) -> dict[str, Any]:
    """Every key with its value, nothing left to defaults: ``make_rules(settings_of(r)) == r``."""
    return {key: getattr(rules, key.partition(".")[2]) for key in (*_BOUNDS, *_SWITCHES, *_CHOICES, *_RATES)}


def key_table(rules: Rules | None = None) -> list[Key]:
    """Every key with its meaning, its value in ``rules`` (the shipped ones by default) and what is allowed."""
    values = settings_of(rules or Rules())
    keys = [Key(key, doc, values[key], f"{low} to {high}") for key, (low, high, doc) in _BOUNDS.items()]
    keys += [Key(key, doc, values[key], "true, false") for key, doc in _SWITCHES.items()]
    keys += [Key(key, doc, values[key], ", ".join(choices)) for key, (choices, doc) in _CHOICES.items()]
    keys += [Key(key, doc, values[key], f"{low:g} to {high:g}") for key, (low, high, doc) in _RATES.items()]
    return keys


def _boolean(value: Any, key: str, where: str) -> bool:
    words = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str) and value.strip().lower() in words:
        return words[value.strip().lower()]
    raise InputError(f"{value!r} is neither true nor false", where=where, key=key, allowed="true, false")


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


def _number(value: Any, bounds: tuple[float, float], key: str, where: str) -> float:
    low, high = bounds
    allowed = f"{low:g} to {high:g}"
    if isinstance(value, str):
        try:
            value = float(value.strip())
        except ValueError:
            raise InputError(f"'{value}' is not a number", where=where, key=key, allowed=allowed) from None
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"{value!r} is not a number", where=where, key=key, allowed=allowed)
    if not (math.isfinite(value) and low <= value <= high):
        raise InputError(f"{value:g} is out of range", where=where, key=key, allowed=allowed)
    return float(value)


def _choice(value: Any, choices: tuple[str, ...], key: str, where: str) -> str:
    if value not in choices:
        raise InputError(f"unknown value {value!r}", where=where, key=key, allowed=", ".join(choices),
                         nearest=nearest(str(value), choices))
    return str(value)


def _unknown_key(key: str, where: str) -> InputError:
    known = list(settings_of(Rules()))
    # A key given without its group, or in the wrong one, is the commonest slip; suggest the whole key then.
    close = next((k for k in known if k.endswith("." + key.rpartition(".")[2])), "") or nearest(key, known)
    if not close:
        found = difflib.get_close_matches(key, [k.partition(".")[2] for k in known], n=1)
        close = next((k for k in known if found and k.endswith("." + found[0])), "")
    return InputError("unknown key", where=where, key=key, allowed="see `agentsim rules`", nearest=close)
