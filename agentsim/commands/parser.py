"""An ``argparse`` parser whose complaints are one line with the nearest valid name, and readers of numbers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from itertools import groupby
from textwrap import wrap
from typing import Any, NoReturn

from agentsim.commands import console
from agentsim.errors import InputError, nearest

__all__ = ["Parser", "parse_count", "parse_settings", "parse_whole", "unknown_arguments"]

_SUFFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "b": 10**9}
_ARGUMENT = re.compile(r"argument ([^:]+): (.*)", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """An argument parser that raises ``InputError`` instead of printing its usage and leaving.

    Long flags must be written out: an abbreviation that works today would change its meaning with the next flag.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("allow_abbrev", False)
        kwargs.setdefault("formatter_class", _Formatter)
        super().__init__(*args, **kwargs)

    def error(self, message: str) -> NoReturn:
        if match := _ARGUMENT.match(message):
            problem = "needs a value" if match[2].startswith("expected one argument") else match[2]
            raise InputError(problem, where=match[1].split("/")[-1].strip())
        if message.startswith("the following arguments are required: "):
            needed = message.removeprefix("the following arguments are required: ")
            raise InputError(f"{needed} is missing", where=self.prog.removeprefix("agentsim "))
        raise InputError(message)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            if isinstance(action, argparse._SubParsersAction):
                raise InputError(f"unknown command '{value}'", allowed=", ".join(choices),
                                 nearest=nearest(str(value), choices))
            raise InputError(f"unknown value '{value}'", where=action.option_strings[-1],
                             allowed=", ".join(choices), nearest=nearest(str(value), choices))

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse ignores it when help cannot be written.
        console.write(message)

    def flags(self) -> list[str]:
        """Every long flag of this parser."""
        return [flag for action in self._actions for flag in action.option_strings if flag.startswith("--")]


class _Formatter(argparse.HelpFormatter):
    """Help that leaves room for the flags, wraps sentences, and keeps indented lines (commands to copy) whole."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines: list[str] = []
        for kept, group in groupby(text.splitlines(), lambda line: line.startswith("  ") or not line.strip()):
            block = list(group)
            lines += block if kept else wrap(" ".join(block), width, break_on_hyphens=False)
        return "\n".join(indent + line for line in lines)


def unknown_arguments(extras: Sequence[str], parser: Parser, command: str) -> InputError:
    """What to say about arguments that no flag of the command takes."""
    flag = next((extra for extra in extras if extra.startswith("-") and len(extra) > 1), "")
    where = command
    if flag:
        name = flag.partition("=")[0]
        close = nearest(name, parser.flags())
        return InputError(f"unknown flag '{name}'", where=where, nearest=close,
                          allowed="" if close else ", ".join(parser.flags()))
    return InputError(f"one word too many: '{extras[0]}'", where=where)


def parse_count(text: str, flag: str) -> int:
    """A whole number as people type it: ``1000000``, ``1_000_000``, ``1,000,000``, ``1e6``, ``1M``, ``2.5k``."""
    match = re.fullmatch(r"\s*([-+]?[\d_,]*\.?\d*(?:[eE][-+]?\d{1,3})?)\s*([kKmMgGbB]?)\s*", text)
    try:
        if match is None:
            raise InvalidOperation
        number = Decimal(match[1].replace(",", "").replace("_", "")) * _SUFFIXES[match[2].lower()]
    except InvalidOperation:
        raise InputError(f"'{_short(text)}' is not a number", where=flag,
                         allowed="a whole number such as 1000, 1_000_000, 1e6 or 1M") from None
    if number.adjusted() > 30:
        raise InputError(f"'{_short(text)}' is far too large", where=flag)
    if number != number.to_integral_value():
        raise InputError(f"'{_short(text)}' is not a whole number", where=flag)
    return int(number)


def parse_whole(text: str, flag: str) -> int:
    """A whole number, decimal or ``0x`` hexadecimal, exactly as written."""
    try:
        return int(text, 0) if len(text) <= 100 else int("x")
    except ValueError:
        if re.fullmatch(r"0\d+", text):
            return int(text)
        raise InputError(f"'{_short(text)}' is not a whole number", where=flag) from None


def parse_settings(items: Sequence[str], flag: str = "--set") -> dict[str, Any]:
    """``key=value`` items as settings; values are read as TOML (``5``, ``true``), anything else is text."""
    import tomllib

    settings: dict[str, Any] = {}
    for item in items:
        key, equals, text = (part.strip() for part in item.partition("="))
        if not equals or not key or not text:
            raise InputError(f"'{_short(item)}' is not of the form key=value", where=flag,
                             allowed="for example rules.hand_size=5")
        if key in settings:
            raise InputError("is set twice", where=flag, key=key)
        try:
            parsed = tomllib.loads(f"value = {text}")
            settings[key] = parsed["value"] if len(parsed) == 1 else text
        except ValueError:
            settings[key] = text
    return settings


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
