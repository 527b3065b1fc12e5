"""A small game in plain NumPy, to test the frame without a real one.

"Dice race": the policies draw a number per turn, the policy's parameter ``skill`` is added for its seat, and the sum
decides. It has what a game may have: matchups played once and twice per deal, a table with several rows per game, one
with none or one, nullable integers, booleans and enums, and columns of different widths.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError, nearest
from agentsim.games import base
from agentsim.games.base import Batch, Column, Facts, Key, LogLevel, PolicyRef, Table

NAME = "dice_race"
COLOURS = ("red", "green", "blue")
KEYS = (
    Key("rules.sides", "sides of the die", 6, "2 to 100"),
    Key("rules.turns", "most turns of a game", 5, "1 to 20"),
    Key("cards.joker", "points of a joker", 3, "0 to 9"),
)


def noise(*address: Any) -> NDArray[np.uint64]:
    """Random words by address (splitmix64), for whole arrays."""
    total = np.uint64(0)
    with np.errstate(over="ignore"):
        for part in address:
            words = np.asarray(part).astype(np.uint64)
            total = (np.asarray(total) + words + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
            total = (total ^ (total >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
            total = total ^ (total >> np.uint64(32))
    return np.atleast_1d(total)


class FakeSession:
    def __init__(self, rules: dict[str, int], matchups: Sequence[Sequence[PolicyRef]], seed: int) -> None:
        self.rules, self.seed = rules, seed
        self.matchups = [tuple(matchup) for matchup in matchups]
        self.labels = list(dict.fromkeys(policy.label for matchup in matchups for policy in matchup))

    def warm_up(self, log: LogLevel) -> bool:
        time.sleep(float(os.environ.get("DICE_RACE_COMPILING", "0")))
        return True

    def play(self, matchup: int, first_deal: int, n_deals: int, log: LogLevel) -> Batch:
        early = first_deal < int(os.environ.get("DICE_RACE_SLOW_FROM", "0"))
        time.sleep(float(os.environ.get("DICE_RACE_QUICK" if early else "DICE_RACE_DELAY", "0")))
        if (trap := os.environ.get("DICE_RACE_TRAP")) and first_deal >= int(trap):
            raise RuntimeError("the trap was sprung")
        pair = self.matchups[matchup]
        per_deal = 1 if pair[0] == pair[1] else 2
        g = np.arange(first_deal * per_deal, (first_deal + n_deals) * per_deal)
        deal = g // per_deal
        swapped = g % per_deal == 1
        skills = np.array([policy.params["skill"] for policy in pair]).astype(np.int64)
        seats = np.stack([np.where(swapped, 1 - seat, seat) for seat in (0, 1)])
        n_turns = (1 + noise(self.seed, deal, 1) % np.uint64(self.rules["rules.turns"])).astype(np.int64)
        points = np.zeros((2, len(g)), np.int64)
        rows: dict[str, list[NDArray[Any]]] = {name: [] for name in ("game_id", "turn", "pips", "colour", "odd")}
        game_id = g * len(self.matchups) + matchup
        for turn in range(self.rules["rules.turns"]):
            live = turn < n_turns
            seat = turn % 2
            pips = (noise(self.seed, deal, 2, turn) % np.uint64(self.rules["rules.sides"])).astype(np.int64)
            points[seat] += np.where(live, pips + skills[seats[seat]], 0)
            rows["game_id"].append(game_id[live])
            rows["turn"].append(np.full(live.sum(), turn, np.int8))
            rows["pips"].append(pips[live].astype(np.int16))
            rows["colour"].append(((pips % 4) - 1)[live].astype(np.int8))
            rows["odd"].append((pips % 2 == 1)[live])
        lead = points[0] - points[1]
        winner = np.where(lead > 0, 0, np.where(lead < 0, 1, -1)).astype(np.int8)
        codes = np.array([self.labels.index(policy.label) for policy in pair], np.int8)
        joker = noise(self.seed, deal, 3) % np.uint64(10) < self.rules["cards.joker"]
        tables: dict[str, dict[str, NDArray[Any]]] = {"games": {
            "game_id": game_id, "matchup_id": np.full(len(g), matchup, np.int16), "deal_id": deal,
            "policy_0": codes[seats[0]], "policy_1": codes[seats[1]], "winner": winner, "lead": lead.astype(np.int16),
            "even": np.where(n_turns == 1, -1, n_turns % 2 == 0).astype(np.int8),
        }}
        tables["turns"] = {name: np.concatenate(values) for name, values in rows.items()}
        tables["jokers"] = {"game_id": game_id[joker], "kind": (game_id[joker] % 3).astype(np.int8)}
        wanted = {table.name for table in FakeGame().tables(None, log)}
        results = [(lead > 0).sum(), (lead == 0).sum(), (lead < 0).sum()]
        return Batch(len(g), {name: table for name, table in tables.items() if name in wanted}, {
            "seat0": np.array(results, np.int64),
            "turns": np.bincount(n_turns, minlength=21).astype(np.int64),
            "grid": np.array([[len(g), 0], [int(lead.sum()), 0]], np.int64),
        })


@dataclass
class FakeGame:
    name: str = NAME
    title: str = "Dice Race"
    version: int = 1

    def rules(self, settings: Mapping[str, Any], *, where: str = "") -> Any:
        rules = {key.name: key.default for key in KEYS}
        for name, value in settings.items():
            if name not in rules:
                raise InputError("unknown key", where=where, key=name, nearest=nearest(name, rules))
            rules[name] = value
        return rules

    def rules_as_dict(self, rules: Any) -> dict[str, Any]:
        return dict(rules)

    def rule_keys(self) -> Sequence[Key]:
        return KEYS

    def additions(self) -> Mapping[str, Any]:
        return {}

    def policy(self, spec: str, *, where: str = "") -> PolicyRef:
        return PolicyRef(spec, "dice", {"skill": float(len(spec) % 3)})

    def policies(self, rules: Any = None) -> Sequence[PolicyRef]:
        return [self.policy(spec) for spec in ("slow", "quick", "fast")]

    def seats(self, rules: Any) -> int:
        return 2

    def games_per_deal(self, matchup: Sequence[PolicyRef], rules: Any) -> int:
        return 1 if matchup[0] == matchup[1] else 2

    def tables(self, rules: Any, log: LogLevel) -> Sequence[Table]:
        games = Table("games", (
            Column("game_id", "int", "id"), Column("matchup_id", "int", "matchup"), Column("deal_id", "int", "deal"),
            Column("policy_0", "enum", "in seat 0"), Column("policy_1", "enum", "in seat 1"),
            Column("winner", "int", "seat, null for a draw", nullable=True), Column("lead", "int", "points"),
            Column("even", "bool", "even number of turns; null for one turn", nullable=True),
        ))
        turns = Table("turns", (
            Column("game_id", "int", "id"), Column("turn", "int", "from 0"), Column("pips", "int", "rolled"),
            Column("colour", "enum", "null for none", COLOURS, nullable=True), Column("odd", "bool", "odd pips"),
        ))
        jokers = Table("jokers", (Column("game_id", "int", "id"), Column("kind", "enum", "kind", ("a", "b", "c"))))
        return {"none": (), "games": (games,), "turns": (games, turns), "full": (games, turns, jokers)}[log]

    def session(self, rules: Any, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> FakeSession:
        return FakeSession(rules, matchups, seed)

    def story(self, rules: Any, matchups: Sequence[Sequence[PolicyRef]], seed: int, matchup: int, index: int) -> str:
        return f"game {index}"

    def facts(self) -> Facts:
        return Facts((2,), ("one",), ("none",))


def register() -> None:
    """Add the game to the registry, once per process."""
    if NAME not in base._REGISTRY:
        base.register(FakeGame())


register()

ROOT = Path(__file__).resolve().parents[2]
