"""``cards``, ``validate`` and ``new-card``: the cards of a game as a reader sees them, and a designer's own."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentsim.commands import console
from agentsim.commands.parser import parse_settings
from agentsim.commands.reference import game_and_rules, game_named
from agentsim.commands.text import columns, paragraph, terminal_width
from agentsim.errors import InputError, nearest
from agentsim.games.base import CardSheet, Game, WithCardFiles

__all__ = ["cards", "new_card", "sheet_lines", "validate"]


def cards(args: argparse.Namespace) -> int:
    """The card tables under the rules given, with printed names."""
    game, _, made = game_and_rules(args)
    table = game.cards(made)
    known = {language for card in table for language in card["names"]}
    languages = sorted(known, key=lambda language: (language != "en", language))
    if args.language not in (*languages, "all"):
        raise InputError(f"unknown language '{args.language}'", where="--language",
                         allowed=", ".join((*languages, "all")), nearest=nearest(args.language, (*languages, "all")))
    shown = languages if args.language == "all" else [args.language]
    sheets = game.card_sheets(made, shown[0]) if isinstance(game, WithCardFiles) else []
    data = {"game": game.name, "languages": shown, "cards": [
        {**card, "names": {language: _name(card, language) for language in shown}} for card in table],
        "sheets": [_sheet_dict(sheet) for sheet in sheets]}

    def lines() -> list[str]:
        found = _card_lines(game, table, shown)
        for sheet in sheets[1:]:
            found += ["", *sheet_lines(sheet)]
        return found

    console.show(args.json, "cards", data, lines)
    return 0


def _card_lines(game: Game, table: Sequence[Mapping[str, Any]], languages: Sequence[str]) -> list[str]:
    """The fields of every card; columns of Division M symbols only where there are any, sources only in JSON."""
    fields = [key for key in dict.fromkeys(key for card in table for key in card) if key not in ("id", "names")]
    fields = [key for key in fields if not key.startswith("m_") or any(card[key] != 0 for card in table)]
    shown = [key for key in fields if not key.endswith("_source")]
    rows = [(card["id"], *(_name(card, language) for language in languages),
             *(_cell(card.get(key, "")) for key in shown)) for card in table]
    header = ("card", *({"en": "English", "fr": "French", "de": "German"}.get(name, name) for name in languages),
              *(key.replace("_", " ") for key in shown))
    number = next((key for key in shown if type(table[0].get(key)) is int), "")
    key = f"cards.{table[0]['id']}.{number}"
    remark = f"{sum(card.get('copies', card.get('number', 1)) for card in table)} cards."
    if key in {known.name for known in game.rule_keys()}:
        remark += f" `agentsim rules cards.` explains the columns; each number is a key: --set {key}=..."
    if len(shown) < len(fields):
        remark += " --json also says where each field comes from."
    return [*columns(header, rows, left=1 + len(languages)), "",
            *paragraph(remark, width=terminal_width(), indent="  ")]


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return str(value)


def _name(card: Mapping[str, Any], language: str) -> str:
    """A card's name in a language; English serves where there is none, then the id."""
    names = card["names"]
    return str(names.get(language) or names.get("en") or card["id"])


def sheet_lines(sheet: CardSheet) -> list[str]:
    """A table of cards with its title above it and its note below."""
    width = terminal_width()
    return [sheet.title, "", *columns(sheet.header, sheet.rows, left=sheet.left, wrap_last=width),
            *(["", *paragraph(sheet.note, width=width, indent="  ")] if sheet.note else [])]


def _sheet_dict(sheet: CardSheet) -> dict[str, Any]:
    return {"title": sheet.title, "header": list(sheet.header), "rows": [list(row) for row in sheet.rows],
            "note": sheet.note}


def validate(args: argparse.Namespace) -> int:
    """Check a card file, and show its cards, and say in which modes it can be played."""
    game = _with_card_files(args)
    changes = parse_settings(args.set or [])
    if "rules.cards" in changes:
        raise InputError("is the file itself", where="--set", key="rules.cards")
    modes = dict(game.card_modes())
    found: dict[str, Any] = {}
    for name, settings in modes.items():
        try:
            found[name] = game.rules({**settings, **changes, "rules.cards": args.file})
        except InputError as error:
            found[name] = error.at(where="--set" if error.key in changes else args.file)
    good = [name for name, made in found.items() if not isinstance(made, InputError)]
    if not good:
        raise next(iter(found.values()))
    marked = {name: _marked(game, found[name], game.rules({**modes[name], **changes})) for name in good}
    # The mode that shows most of the file's own cards, the simplest of several.
    shown = max(good, key=lambda name: marked[name][1])
    sheets, _ = marked[shown]
    data = {"game": game.name, "file": args.file, "shown": shown,
            "sheets": [_sheet_dict(sheet) for sheet in sheets],
            "modes": {name: "" if name in good else str(made) for name, made in found.items()}}

    def lines() -> list[str]:
        width = terminal_width()
        where = f"can be played in {' and in '.join(good)}"
        head = f"{args.file} is fine." if len(good) == len(modes) else f"{args.file} {where}."
        told = paragraph(head, width=width)
        for name, made in found.items():
            if name not in good:
                told += paragraph(f"Not in {name}: {made}", width=width)
        told += paragraph(f"Shown as played in {shown}; * marks what the file changes or adds.", width=width)
        for sheet in sheets:
            told += ["", *sheet_lines(sheet)]
        return told

    console.show(args.json, "validate", data, lines)
    return 0


def _marked(game: WithCardFiles, made: Any, plain: Any) -> tuple[list[CardSheet], int]:
    """The card sheets with a star before each card that differs from ``plain`` rules, and how many there are.

    What a card does is left out of the comparison: its words tell the moves of other cards, too. Its keys are compared.
    """
    shipped = {row[:-1] for sheet in game.card_sheets(plain) for row in sheet.rows}
    values = {key.name: key.default for key in game.keys_of(plain)}
    changed = {key.name.split(".")[1] for key in game.keys_of(made)
               if key.name.count(".") > 1 and values.get(key.name, key.default) != key.default}
    sheets = [replace(sheet, rows=tuple(
        (("  " if row[:-1] in shipped and row[0] not in changed else "* ") + row[0], *row[1:]) for row in sheet.rows))
        for sheet in game.card_sheets(made)]
    return sheets, sum(row[0].startswith("*") for sheet in sheets for row in sheet.rows)


def new_card(args: argparse.Namespace) -> int:
    """Write a card file with comments to start from, to a file that is not there yet or to the terminal."""
    game = _with_card_files(args)
    name, out = args.name or "my_card", args.out
    if name.endswith(".toml") and out is None:  # a file is meant; the card is called like it
        name, out = Path(name).stem, name
    text = game.card_template(name)
    if out is None:
        console.write(text)
        return 0
    path = Path(out)
    try:
        # "x": never in place of a file that is there already.
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError("is there already; nothing was written", where=str(path), allowed="a new file") from None
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", where=str(path)) from None
    console.write(f"{path} is written. Change it, then: agentsim validate {shlex.quote(os.fspath(path))}\n")
    return 0


def _with_card_files(args: argparse.Namespace) -> WithCardFiles:
    game = game_named(args)
    if not isinstance(game, WithCardFiles):
        raise InputError(f"'{game.name}' has no card files", where="--game", allowed="agent_avenue")
    return game
