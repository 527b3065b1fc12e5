"""From text to a record. ``docs/notation.md`` tells the format."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentsim.errors import InputError, nearest
from agentsim.games.agent_avenue.modes.actions import (
    Action,
    Discard,
    FaceDown,
    FaceUp,
    Gain,
    MoveDivisionM,
    Offer,
    PickCard,
    PlayerUp,
    RecruitAgain,
    Take,
    Target,
)
from agentsim.games.agent_avenue.notation.record import UNKNOWN, GameRecord, Ply
from agentsim.games.agent_avenue.notation.words import find_name, name_list
from agentsim.games.agent_avenue.rules import Rules, make_rules

__all__ = ["Line", "parse_action", "parse_game", "parse_rule", "read_game", "read_lines"]

_HEADERS = ("Game", "Rule", "Seat 0", "Seat 1", "Deal", "Lone", "Hand", "Market", "Result")
_HEADER = re.compile(r"([A-Za-z]+)((?: +\d+)?(?: +player +\d+)?)\s*:\s*(.*)")
_TURN = re.compile(r"(\d{1,4})\s*[.)]\s*(.*)")
_SUBJECT = re.compile(r"seat\s+(\d)(?:\s+player\s+(\d))?\s*:?\s*(?!\d)(.*)", re.IGNORECASE)
_VERBS = ("discards mole", "offers sentinel up, enforcer down", "takes up", "takes down", "draws mole, sentinel",
          "lets player 0 begin", "lays mole up", "lays mole down", "picks outpost", "refill outpost",
          "gives it to player 0", "chooses mole", "recruits it", "keeps it", "moves m +1", "leaves m")

Line = tuple[int, str]
"""The number of a line in its file, and what stands there without comments."""


def read_game(path: str | Path) -> GameRecord:
    """The game that a file tells. Raises InputError with file and line for anything that cannot be read."""
    return parse_game(read_text(path), where=str(path))


def read_text(path: str | Path) -> str:
    """The text of a file. Raises InputError if it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is no text in UTF-8", where=str(path)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", where=str(path)) from None


def read_lines(text: str) -> list[Line]:
    """The lines that say something."""
    kept = [(number, line.partition("# ")[0].rstrip() if not line.lstrip().startswith("#") else "")
            for number, line in enumerate(text.splitlines(), start=1)]
    return [(number, line) for number, line in kept if line.strip()]


def parse_game(text: str, *, where: str = "") -> GameRecord:
    """The game that a text tells; see :func:`read_game`. Its actions are not checked yet: that is ``play_record``."""
    return _Parser(read_lines(text), where).parse()


def parse_rule(text: str, settings: dict[str, Any], where: str) -> None:
    """Add ``rules.discards = 2`` to the settings."""
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key or not value:
        raise InputError(f"'{text}' is no rule", where=where, key="Rule", allowed="such as rules.discards = 2")
    if key in settings:
        raise InputError("is set twice", where=where, key=key)
    import json
    try:
        settings[key] = json.loads(value)
    except ValueError:
        settings[key] = value


class _Parser:
    """One file being read."""

    def __init__(self, lines: list[Line], where: str) -> None:
        self.source, self.where = lines, where
        self.settings: dict[str, Any] = {}
        self.fields: dict[str, Any] = {}
        self.names = ["", ""]
        self.hands: dict[tuple[int, int], tuple[str, ...]] = {}
        self.lines: dict[str, int] = {}
        self.rules: Rules | None = None
        self.plies: list[Ply] = []
        self.turn, self.seat = 0, -1

    def at(self, number: int) -> str:
        return f"{self.where or 'game'}, line {number}"

    def parse(self) -> GameRecord:
        headers: list[tuple[int, str, str, str]] = []
        turns: list[Line] = []
        for number, line in self.source:
            match = _HEADER.fullmatch(line.strip())
            if match and (match[1].lower() != "seat" or not self.is_clause(match[3])):
                headers.append((number, match[1].capitalize(), " ".join(match[2].split()), match[3].strip()))
            else:
                turns.append((number, line.strip()))
        # Rules first: they tell which cards there are.
        for number, name, _, value in headers:
            if name == "Rule":
                parse_rule(value, self.settings, self.at(number))
                self.lines.setdefault("Rule", number)
        try:
            self.rules = make_rules(self.settings)
        except InputError as error:
            raise error.at(where=self.at(self.lines.get("Rule", 1))) from None
        for number, name, which, value in headers:
            self._header(number, name, which, value)
        for number, line in turns:
            self._turn(number, line)
        return GameRecord(self.rules, tuple(self.plies), (self.names[0], self.names[1]), hands=self.hands,
                          where=self.where, lines=self.lines, **self.fields)

    def is_clause(self, text: str) -> bool:
        """Whether ``seat 0: ...`` is a turn's continuation rather than a name."""
        return text.split(" ")[0].lower() in {verb.split(" ")[0] for verb in _VERBS}

    # --- headers ------------------------------------------------------------------------------------------------------
    def _header(self, number: int, name: str, which: str, value: str) -> None:
        where, rules = self.at(number), self.rules
        assert rules is not None
        key = f"{name} {which}".strip()
        if name == "Rule":
            return
        self.lines.setdefault(key, number)
        if name == "Game":
            if value.lower().replace("_", " ") != "agent avenue":
                raise InputError(f"'{value}' is no game with a notation", where=where, key="Game",
                                 allowed="Agent Avenue")
        elif name == "Seat" and which in ("0", "1"):
            self.names[int(which)] = value
        elif name == "Deal":
            parts = value.replace(",", " ").replace("seed", " ").replace("deal", " ").split()
            if len(parts) != 2 or not all(part.isdigit() for part in parts) or int(parts[0]) >= 2**64 or int(
                    parts[1]) >= 2**40:
                raise InputError(f"'{value}' is no deal", where=where, key="Deal",
                                 allowed="a seed and the number of the deal, such as 1 0")
            self.fields["deal"] = (int(parts[0]), int(parts[1]))
        elif name == "Lone":
            if value not in ("0", "1"):
                raise InputError(f"'{value}' is no seat", where=where, key="Lone", allowed="0 or 1")
            self.fields["lone"] = int(value)
        elif name == "Hand":
            words = which.split()
            if not words or words[0] not in ("0", "1"):
                raise InputError("whose hand?", where=where, key="Hand", allowed="Hand 0, Hand 1, Hand 0 player 1 ...")
            owner = int(words[0]), int(words[-1]) if "player" in words else 0
            if owner in self.hands:
                raise InputError("is given twice", where=where, key=key)
            self.hands[owner] = name_list(value, rules.names, where=where, key=key)
            self.lines[f"Hand {owner[0]} {owner[1]}"] = number
        elif name == "Market":
            self.fields["market"] = name_list(value, [card.id for card in rules.market_cards],
                                              what="a Black Market card", where=where, key=key)
        elif name == "Result":
            self.fields["result"] = " ".join(value.split())
        else:
            raise InputError(f"unknown header '{key}'", where=where, allowed=", ".join(_HEADERS),
                             nearest=nearest(key, _HEADERS))

    # --- turns --------------------------------------------------------------------------------------------------------
    def _turn(self, number: int, line: str) -> None:
        match = _TURN.fullmatch(line)
        if match:
            self.turn, line = int(match[1]), match[2]
        elif not self.turn:
            raise InputError(f"'{line[:60]}' is neither a header nor a turn", where=self.at(number),
                             allowed="a header such as 'Hand 0: mole, sentinel ...', or '1. seat 0: ...'",
                             nearest=nearest(line.split(":")[0], _HEADERS))
        for part in filter(None, (part.strip(" .") for part in line.split(";"))):
            self.seat = -1
            subject = _SUBJECT.fullmatch(part)
            if subject:
                if subject[1] not in "01":
                    raise InputError(f"there is no seat {subject[1]}", where=self.at(number), allowed="0 or 1")
                self.seat, part = int(subject[1]), subject[3]
            if part:
                self._clause(number, part)

    def _clause(self, number: int, text: str) -> None:
        where, rules = self.at(number), self.rules
        assert rules is not None
        verb, _, rest = text.partition(" ")
        verb, rest = verb.lower(), rest.strip()
        stem = verb[:-1] if verb.endswith("s") else verb
        if stem in ("draw", "refill"):
            if not self.plies or (self.plies[-1].draws and stem == "draw"):
                raise InputError(f"'{text}' follows no action", where=where)
            if stem == "draw":
                self.plies[-1] = replace(self.plies[-1], draws=name_list(rest, rules.names, where=where,
                                                                         unknown=UNKNOWN))
            else:
                card = find_name(rest, [card.id for card in rules.market_cards], what="a Black Market card",
                                 where=where)
                self.plies[-1] = replace(self.plies[-1], refill=card)
            return
        reader = _READERS.get(stem)
        action = reader(rest, rules, where) if reader else None
        if action is None:
            starts = [known for known in _VERBS if known.split(" ")[0].rstrip("s") == stem]
            raise InputError(f"cannot read '{text}'", where=where, allowed=", ".join(starts or _VERBS),
                             nearest="" if starts else nearest(verb, [known.split(" ")[0] for known in _VERBS]))
        self.plies.append(Ply(action, line=number, turn=self.turn, seat=self.seat))


def _agent(word: str, rules: Rules, where: str) -> str:
    return UNKNOWN if word.strip() == UNKNOWN else find_name(word, rules.names, where=where)


def _offer(rest: str, rules: Rules, where: str) -> Action | None:
    match = (re.fullmatch(r"(.+?)\s+up\s*,?\s+(.+?)\s+down", rest)
             or re.fullmatch(r"(.+?)\s*/\s*(.+)", rest))
    if match:
        return Offer(find_name(match[1], rules.names, where=where), _agent(match[2], rules, where))
    match = re.fullmatch(r"(.+?)\s+down\s*,?\s+(.+?)\s+up", rest)
    return Offer(find_name(match[2], rules.names, where=where), _agent(match[1], rules, where)) if match else None


def _lay(rest: str, rules: Rules, where: str) -> Action | None:
    word, _, way = rest.rpartition(" ")
    if way == "up" and word:
        return FaceUp(find_name(word, rules.names, where=where))
    return FaceDown(_agent(word, rules, where)) if way == "down" and word else None


def _take(rest: str, rules: Rules, where: str) -> Action | None:
    if rest in ("up", "face-up", "face up", "the face-up card"):
        return Take("face_up")
    return Take("hidden") if rest in ("down", "hidden", "face-down", "face down", "the hidden card") else None


def _pick(rest: str, rules: Rules, where: str) -> Action:
    word, _, number = rest.partition("#")
    card = find_name(word, [card.id for card in rules.market_cards], what="a Black Market card", where=where)
    if number and (not number.strip().isdigit() or not 1 <= int(number) <= 9):
        raise InputError(f"'#{number}' is no number of a copy", where=where, allowed="#1 for the first from the left")
    return PickCard(card, int(number) - 1 if number else 0)


def _move(rest: str, rules: Rules, where: str) -> Action | None:
    match = re.fullmatch(r"m\s+([-+]?\d{1,2})", rest, re.IGNORECASE)
    return MoveDivisionM(int(match[1])) if match else None


def _member(pattern: str, make: Callable[[int], Action]) -> Callable[[str, Rules, str], Action | None]:
    def read(rest: str, rules: Rules, where: str) -> Action | None:
        match = re.fullmatch(pattern, rest)
        return make(int(match[1])) if match else None
    return read


_READERS: dict[str, Callable[[str, Rules, str], Action | None]] = {
    "discard": lambda rest, rules, where: Discard(_agent(rest, rules, where)),
    "offer": _offer, "take": _take, "lay": _lay, "pick": _pick, "move": _move,
    "let": _member(r"player ([01]) begin", PlayerUp), "give": _member(r"it to player ([01])", Gain),
    "choose": lambda rest, rules, where: Target(find_name(rest, rules.names, where=where)),
    "recruit": lambda rest, rules, where: RecruitAgain(True) if rest == "it" else None,
    "keep": lambda rest, rules, where: RecruitAgain(False) if rest == "it" else None,
    "leave": lambda rest, rules, where: MoveDivisionM(0) if rest == "m" else None,
}


def parse_action(text: str, rules: Rules, *, where: str = "") -> Action | None:
    """The action of one clause such as ``takes up``; None if it begins like none. InputError for a name in it."""
    verb, _, rest = text.strip().partition(" ")
    reader = _READERS.get(verb.lower().removesuffix("s"))
    return reader(rest.strip(), rules, where) if reader else None
