"""A made-up game for tests of the frame: what experiment files and matchups do must not depend on the shipped game.

It has two rules, one of which changes the number of seats, and it is never played.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentsim.errors import InputError, nearest
from agentsim.games.base import Column, Key, LogLevel, PolicyRef, Session, Table

BOUNDS = {"rules.cards": (2, 20, 10), "rules.seats": (2, 3, 2)}
PRESETS = {"calm": {"nerve": 0.1}, "brave": {"nerve": 0.9}, "even": {"nerve": 0.5}}


class HighCard:
    """Satisfies ``agentsim.games.base.Game`` except that it cannot be played."""

    name = "high_card"
    title = "High Card"
    version = 3

    def rules(self, settings: Mapping[str, Any], *, where: str = "") -> dict[str, int]:
        rules = {key: default for key, (_, _, default) in BOUNDS.items()}
        for key, value in settings.items():
            if key not in BOUNDS:
                raise InputError("unknown key", where=where, key=key, nearest=nearest(key, BOUNDS))
            low, high, _ = BOUNDS[key]
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise InputError(f"{value!r} is out of range", where=where, key=key, allowed=f"{low} to {high}")
            rules[key] = value
        return rules

    def rules_as_dict(self, rules: dict[str, int]) -> dict[str, Any]:
        return dict(rules)

    def rule_keys(self) -> Sequence[Key]:
        return [Key(key, "a rule", default, f"{low} to {high}") for key, (low, high, default) in BOUNDS.items()]

    def additions(self) -> Mapping[str, Any]:
        return {}

    def policy(self, spec: str, *, where: str = "") -> PolicyRef:
        match = re.fullmatch(r"(.*?)(?:\((.*)\))?", spec, re.DOTALL)
        assert match is not None
        name, text = match[1], match[2]
        if ".py:" in name:
            path, _, function = name.partition(".py:")
            file = Path(f"{path}.py")
            if not file.is_file():
                raise InputError(f"no such file: {file}", where=where)
            return PolicyRef(function, function, {}, str(file.resolve()),
                             hashlib.sha256(file.read_bytes()).hexdigest())
        if name not in PRESETS:
            raise InputError(f"unknown policy '{name}'", where=where, allowed=", ".join(PRESETS),
                             nearest=nearest(name, PRESETS))
        params = dict(PRESETS[name])
        for item in (text or "").split(",") if text else []:
            key, _, value = item.partition("=")
            if key.strip() not in params:
                raise InputError(f"'{name}' has no parameter '{key.strip()}'", where=where, key=key.strip())
            params[key.strip()] = float(value)
        return PolicyRef(spec, "nerves", params)

    def policies(self, rules: object = None) -> Sequence[PolicyRef]:
        return [self.policy(name) for name in PRESETS]

    def seats(self, rules: dict[str, int]) -> int:
        return rules["rules.seats"]

    def games_per_deal(self, matchup: Sequence[PolicyRef], rules: dict[str, int]) -> int:
        return 1 if len({ref.label for ref in matchup}) == 1 else len(matchup)

    def tables(self, rules: dict[str, int], log: LogLevel) -> Sequence[Table]:
        if log == "none":
            return []
        return [Table("games", (Column("game_id", "int", "the game"),
                                Column("end_reason", "enum", "how it ended", ("high", "tie"))))]

    def session(self, rules: Any, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> Session:
        raise NotImplementedError

    def story(self, rules: Any, matchups: Sequence[Sequence[PolicyRef]], seed: int, matchup: int, index: int) -> str:
        raise NotImplementedError
