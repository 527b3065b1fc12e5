"""Card files: a designer's own agents and Black Market cards in TOML.

A file has a table ``[agents.<id>]`` for each agent and ``[market.<id>]`` for each Black Market card. A table with the
id of a shipped card changes that card and keeps what it leaves out; any other id is a new card, which joins the shipped
ones. ``replace = ["agents"]``, ``["market"]`` or both, above the tables, plays without the shipped cards that the file
does not name. A table ``[<id>]`` or ``[cards.<id>]`` is an agent, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentsim.errors import InputError, nearest
from agentsim.games.agent_avenue.cards.entries import AGENT_ATTRIBUTES, MARKET_ATTRIBUTES
from agentsim.games.agent_avenue.values import show
from agentsim.tomlfile import TomlFile, read_toml

__all__ = ["CardFile", "read_card_file"]

_GROUPS = ("agents", "market")
_TOP = (*_GROUPS, "replace")


@dataclass(frozen=True)
class CardFile:
    """A card file that was read: the entries of its cards by id, not yet checked, and what they replace."""

    file: TomlFile
    agents: Mapping[str, Any]
    market: Mapping[str, Any]
    replace: frozenset[str]
    agents_table: str = "agents"

    def key(self, group: str, name: str) -> str:
        """What the file calls a card of a group (``"agents"`` or ``"market"``)."""
        return ".".join(part for part in (self.agents_table if group == "agents" else group, name) if part)

    def placed(self, error: InputError) -> InputError:
        """The error with the file and, where it can be told, the line that its key stands in."""
        return error.at(where=self.file.place(error.key))


def read_card_file(path: str | Path) -> CardFile:
    """Read a card file; its cards are checked when rules are made of them.

    Raises InputError for what is no TOML file, and for tables that are neither ``agents`` nor ``market``.
    """
    file = read_toml(path, what="card file")
    data = file.data
    replaced = _replaced(file, data.get("replace", []))
    named = [group for group in (*_GROUPS, "cards") if group in data]
    for group in named:
        if not isinstance(data[group], Mapping):
            raise InputError(f"must be tables such as [{group}.my_card], got {show(data[group])}",
                             where=file.place(group), key=group)
    others = {key: value for key, value in data.items() if key not in (*_TOP, "cards")}
    if "cards" in named and "agents" in named:
        raise InputError("agents stand in [cards...] and in [agents...]", where=file.place("cards"), key="cards",
                         allowed="[agents.<id>]")
    if named and others:
        key = next(iter(others))
        raise InputError("unknown key", where=file.place(key), key=key, allowed=", ".join(_TOP),
                         nearest=nearest(key, _TOP))
    for key, value in others.items():
        if not isinstance(value, Mapping):
            raise InputError("unknown key", where=file.place(key), key=key,
                             allowed=", ".join(_TOP), nearest=nearest(key, _TOP))
        _misnamed(file, key, value)
    agents, table = data.get("agents", {}), "agents"
    if "cards" in named:
        agents, table = data["cards"], "cards"
    elif others:
        agents, table = others, ""
    found = CardFile(file, agents, data.get("market", {}), replaced, table)
    if not found.agents and not found.market:
        raise InputError("holds no card", where=str(file.path), allowed="tables [agents.<id>] and [market.<id>]")
    return found


def _replaced(file: TomlFile, value: Any) -> frozenset[str]:
    groups = [value] if isinstance(value, str) else value
    if not isinstance(groups, list) or any(not isinstance(group, str) for group in groups):
        raise InputError(f"must be a list, got {show(value)}", where=file.place("replace"), key="replace",
                         allowed='["agents"], ["market"] or both')
    for group in groups:
        if group not in _GROUPS:
            raise InputError(f"unknown value {show(group)}", where=file.place("replace"), key="replace",
                             allowed=", ".join(_GROUPS), nearest=nearest(group, _GROUPS))
    return frozenset(groups)


def _misnamed(file: TomlFile, key: str, value: Mapping[str, Any]) -> None:
    """Refuse a misspelled group (``[agnets.spy]``), whose cards would be taken for attributes of an agent."""
    nested = any(isinstance(item, Mapping) and word != "names" for word, item in value.items())
    market = any(word in MARKET_ATTRIBUTES and word not in AGENT_ATTRIBUTES for word in value)
    if nested or market:
        raise InputError("unknown table", where=file.place(key), key=key, allowed="[agents.<id>], [market.<id>]",
                         nearest=nearest(key, _GROUPS) or ("market." + key if market else ""))
