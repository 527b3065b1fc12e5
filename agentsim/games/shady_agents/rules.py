"""The rules of Shady Agents as data: what a designer may change, within which bounds, and under which key.

:class:`Rules` holds every number and switch, those of the model of talk and belief included. :func:`make_rules` builds
it from flat settings such as ``{"rules.players": 7, "talk.verifiable": 0.5}``, the one vocabulary of experiment files,
``--set`` and reports; :func:`key_table` documents it. What jitted code reads is made by
:func:`agentsim.games.shady_agents.table.compile_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentsim.games.base import Key
from agentsim.games.settings import boolean, choice, integer, number, unknown_key

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
            changes[attribute] = integer(value, _BOUNDS[key][:2], key, where)
        elif key in _SWITCHES:
            changes[attribute] = boolean(value, key, where)
        elif key in _CHOICES:
            changes[attribute] = choice(value, _CHOICES[key][0], key, where)
        elif key in _RATES:
            changes[attribute] = number(value, _RATES[key][:2], key, where)
        else:
            raise unknown_key(key, list(settings_of(Rules())), where)
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
