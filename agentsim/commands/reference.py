"""``schema``, ``policies``, ``rules`` and ``games``: what there is and what it is called."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.commands import console
from agentsim.commands.parser import parse_settings
from agentsim.commands.text import columns, paragraph, terminal_width
from agentsim.errors import InputError, nearest
from agentsim.experiment import DEFAULT_GAME, LOG_LEVELS, card_settings
from agentsim.games.base import Column, Game, Key, Parameter, WithCardFiles, get_game, list_games

__all__ = ["game_and_rules", "game_named", "games", "policies", "rules", "schema"]


def schema(args: argparse.Namespace) -> int:
    """The data dictionary: every column of every log table at a level of logging."""
    if args.log not in LOG_LEVELS:
        raise InputError(f"unknown value '{args.log}'", where="--log", allowed=", ".join(LOG_LEVELS),
                         nearest=nearest(args.log, LOG_LEVELS))
    game, _, made = game_and_rules(args)
    tables = game.tables(made, args.log)
    data = {"game": game.name, "game_version": game.version, "log": args.log,
            "tables": [{"name": table.name, "columns": [_column_dict(column) for column in table.columns]}
                       for table in tables]}

    def lines() -> list[str]:
        width = terminal_width()
        found = [f"{game.title}: tables of a run logged with '{args.log}'"]
        for table in tables:
            levels = [level for level in LOG_LEVELS if table.name in {t.name for t in game.tables(made, level)}]
            found += ["", f"{table.name} (written with {', '.join(levels)})", ""]
            found += columns(("column", "type", "meaning"), [(c.name, _type(c), _meaning(c)) for c in table.columns],
                             left=2, wrap_last=width)
        return found if tables else [*found, "", "None: only counters are kept."]

    console.show(args.json, "schema", data, lines)
    return 0


def rules(args: argparse.Namespace) -> int:
    """Every rule key with its meaning, its value and what is allowed."""
    game, settings, made = game_and_rules(args)
    values = game.rules_as_dict(made)
    known = game.keys_of(made) if isinstance(game, WithCardFiles) else game.rule_keys()
    keys = [key for key in known if not args.pattern or args.pattern.lower() in key.name.lower()]
    if not keys:
        names = [key.name for key in known]
        raise InputError(f"no rule key contains '{args.pattern}'", where="rules", nearest=nearest(args.pattern, names))
    defaults = {key.name: key.default for key in game.rule_keys()}
    data = {"game": game.name, "keys": [{"name": key.name, "doc": key.doc, "allowed": key.allowed,
                                         "default": defaults.get(key.name), "value": values[key.name]}
                                        for key in keys]}

    def lines() -> list[str]:
        width = terminal_width()
        found = []
        for group in dict.fromkeys(_group(key, bool(args.pattern)) for key in keys):
            members = [key for key in keys if _group(key, bool(args.pattern)) == group]
            found += _key_lines(group, members, values, "value" if settings else "default", width)
        return [*found, *paragraph(
            f"Change one with --set {keys[0].name}=..., or in an experiment file under "
            f"[{keys[0].name.rpartition('.')[0]}].", width=width, indent="  ")]

    console.show(args.json, "rules", data, lines)
    return 0


def _group(key: Key, flat: bool) -> str:
    """The heading for a key: ``cards.`` for ``cards.mole.first``, which is shown in a table of cards, or its own."""
    if flat:
        return ""
    return key.group if key.name.count(".") < 2 else f"{key.name.partition('.')[0]}."


def _key_lines(group: str, keys: Sequence[Key], values: Mapping[str, Any], heading: str, width: int) -> list[str]:
    """The lines of a group of keys: one for each key, or one for each card with its numbers side by side."""
    if not group.endswith("."):
        rows = [(key.name, _value(values[key.name]), key.allowed, key.doc) for key in keys]
        return [*([group, ""] if group else []),
                *columns(("key", heading, "allowed", "meaning"), rows, wrap_last=width), ""]
    words = {key.name.split(".", 2)[2]: key for key in keys}
    items = dict.fromkeys(key.name.split(".")[1] for key in keys)
    # Whole lists (the effects of a card of one's own) are for `agentsim cards`, which says them in words.
    words = {word: key for word, key in words.items()
             if not isinstance(values[key.name], (list, dict))}
    table = [(item, *(_value(values.get(f"{group}{item}.{word}", "")) for word in words)) for item in items]
    docs = [(word, key.allowed, key.doc.partition(": ")[2] or key.doc) for word, key in words.items()]
    return [f"{group}<card>.<word>: {heading}s", "", *columns(("card", *words), table), "",
            *columns(("word", "allowed", "meaning"), docs, wrap_last=width), ""]


def _value(value: Any) -> str:
    if isinstance(value, (list, dict)):
        return f"({len(value)})"
    return str(value).lower() if isinstance(value, bool) else str(value)


def policies(args: argparse.Namespace) -> int:
    """All policies with their ideas, or one with its parameters."""
    game = game_named(args)
    if args.name:
        return _one_policy(game, args)
    found = game.policies()
    data = {"game": game.name, "policies": [policy.as_dict() for policy in found]}

    def lines() -> list[str]:
        width = terminal_width()
        rows = [(policy.label, policy.family, policy.idea) for policy in found]
        last = found[-1].label
        flag = "" if game.name == DEFAULT_GAME else f" --game {game.name}"
        remark = f"`agentsim policies {last}{flag}` shows its parameters; `{last}(name=value)` changes them."
        if game.facts().user_policies:
            remark += " A policy of your own is named by its file: ./mine.py:name."
        return [*columns(("policy", "family", "idea"), rows, left=2, wrap_last=width), "",
                *paragraph(remark, width=width, indent="  ")]

    console.show(args.json, "policies", data, lines)
    return 0


def _one_policy(game: Game, args: argparse.Namespace) -> int:
    policy = game.policy(args.name)
    parameters = game.parameters(policy)
    data = {"game": game.name, "policy": policy.as_dict(), "parameters": [
        {"name": each.name, "value": policy.params[each.name], "default": each.default,
         "low": each.low if math.isfinite(each.low) else None, "high": each.high if math.isfinite(each.high) else None,
         "whole": each.whole, "doc": each.doc} for each in parameters]}

    def lines() -> list[str]:
        width = terminal_width()
        source = "" if policy.source in ("preset", "family", "inline") else f", from {policy.source}"
        found = paragraph(f"{policy.label}: {policy.idea}" if policy.idea else policy.label, width=width)
        found.append(f"Family {policy.family}{source}.")
        if not parameters:
            return [*found, "It has no parameters."]
        rows = [(each.name, f"{policy.params[each.name]:g}", f"{each.default:g}", _range(each), each.doc)
                for each in parameters]
        return [*found, "", *columns(("parameter", "value", "default", "range", "meaning"), rows, wrap_last=width), "",
                *paragraph(f"Change them like this: --policies '{args.name.partition('(')[0]}"
                           f"({parameters[0].name}={parameters[0].default:g}),random'", width=width, indent="  ")]

    console.show(args.json, "policies", data, lines)
    return 0


def _range(parameter: Parameter) -> str:
    if not math.isfinite(parameter.low) or not math.isfinite(parameter.high):
        return "any number"
    return f"{parameter.low:g} to {parameter.high:g}" + (", whole" if parameter.whole else "")


def games(args: argparse.Namespace) -> int:
    """The games, with the version of their rules, numbers of players, modes, and what players decide."""
    found = [get_game(name) for name in list_games()]
    data = {"games": [{"name": game.name, "title": game.title, "version": game.version,
                       "policies": len(game.policies()), "rule_keys": len(game.rule_keys()),
                       "players": list(game.facts().players), "modes": list(game.facts().modes),
                       "decisions": list(game.facts().decisions), "levels": list(game.facts().levels),
                       "policy_names": [policy.label for policy in game.policies()]} for game in found]}

    def lines() -> list[str]:
        rows = [(game.name, game.title, game.version, _players(game), len(game.policies()), len(game.rule_keys()))
                for game in found]
        told = columns(("game", "title", "version", "players", "policies", "rule keys"), rows, left=2)
        for game in found:
            told += ["", *columns((game.name, ""), [(name, ", ".join(words)) for name, words in (
                ("modes", game.facts().modes), ("decisions", game.facts().decisions),
                ("policies", [policy.label for policy in game.policies()]))], wrap_last=terminal_width())]
        return told

    console.show(args.json, "games", data, lines)
    return 0


def _players(game: Game) -> str:
    players = game.facts().players
    return f"{players[0]} to {players[-1]}" if len(players) > 1 else str(players[0])


def game_named(args: argparse.Namespace) -> Game:
    """The game that ``--game`` names. Raises ``InputError`` for a name that no game has."""
    try:
        return get_game(DEFAULT_GAME if args.game is None else args.game)
    except InputError as error:
        raise InputError(error.problem, where="--game", allowed=error.allowed, nearest=error.nearest) from None


def game_and_rules(args: argparse.Namespace) -> tuple[Game, dict[str, Any], Any]:
    """The game, what was changed by ``--cards`` and ``--set``, and its rules with these changes."""
    game = game_named(args)
    settings: dict[str, Any] = {}
    places: dict[str, str] = {}
    if args.cards is not None:
        settings, places = card_settings(args.cards, game)
    changes = parse_settings(args.set or [])
    settings |= changes
    places |= dict.fromkeys(changes, "--set")
    try:
        return game, settings, game.rules(settings)
    except InputError as error:
        raise error.at(where=places.get(error.key, "--set" if changes else args.cards or "")) from None


def _column_dict(column: Column) -> dict[str, Any]:
    return {"name": column.name, "type": _type(column), "nullable": column.nullable, "doc": column.doc,
            "categories": list(column.categories)}


def _type(column: Column) -> str:
    return {"int": "whole number", "bool": "true/false", "enum": "text", "share": "fraction"}[column.kind]


def _meaning(column: Column) -> str:
    values = f". One of: {', '.join(column.categories)}" if column.categories else ""
    return f"{column.doc}{values}"
