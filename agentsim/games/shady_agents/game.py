"""Shady Agents as the frame sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentsim.games.base import Facts, Key, LogLevel, PolicyRef, Table
from agentsim.games.families import FamilyGame
from agentsim.games.sessions import seatings
from agentsim.games.shady_agents import catalog, replay, session, step, story, tables
from agentsim.games.shady_agents.rules import MAX_PLAYERS, SIDES, Rules, key_table, make_rules, settings_of

__all__ = ["ShadyAgents"]

_PIECES = (
    ("medkit", "tool", "Medkit", "Trousse de secours", "rules.medkit"),
    ("bullet", "tool", "Bullet", "Balle", "rules.bullet"),
    ("law", "role", "Law-abiding agent", "Agent respectueux de la loi", ""),
    ("crooked", "role", "Crooked agent", "Déserteur corrompu", ""),
)


@dataclass(frozen=True)
class ShadyAgents(FamilyGame):
    """See :class:`agentsim.games.base.Game` for what each method means.

    A deal is played once in each rotation of its policies over the seats and each rotation of its roles; a matchup has
    as many policies as the rules have players.
    """

    name: str = "shady_agents"
    title: str = "Shady Agents"
    version: int = 1
    families = catalog.CATALOG

    def rules(self, settings: Mapping[str, Any], *, where: str = "") -> Rules:
        return make_rules(settings, where=where)

    def rules_as_dict(self, rules: Rules) -> dict[str, Any]:
        return settings_of(rules)

    def rule_keys(self) -> Sequence[Key]:
        return key_table()

    def cards(self, rules: Rules) -> Sequence[Mapping[str, Any]]:
        """The tools with their points, and the role cards with how many are dealt from."""
        settings = settings_of(rules)
        return [{"id": id_, "kind": kind, "names": {"en": en, "fr": fr},
                 **({"points": settings[key], "number": rules.players} if key else {"number": rules.role_cards // 2})}
                for id_, kind, en, fr, key in _PIECES]

    def seats(self, rules: Rules) -> int:
        return rules.players

    def games_per_deal(self, matchup: Sequence[PolicyRef], rules: Rules) -> int:
        return session.games_per_deal(matchup)

    def tables(self, rules: Rules, log: LogLevel) -> Sequence[Table]:
        return tables.log_tables(rules, log)

    def session(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> session.Session:
        return session.Session(rules, matchups, seed)

    def story(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int, matchup: int, index: int) -> str:
        policies = matchups[matchup]
        return story.tell_game(rules, policies, matchup, seatings(policies), seed, index)

    def new_game(self, seed: int = 1, settings: Mapping[str, Any] | None = None, *, deal: int = 0) -> step.GameState:
        """A game to be played step by step."""
        return step.new_game(seed, make_rules(settings), deal=deal)

    def course(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int, matchup: int,
               index: int) -> list[tuple[step.GameState, step.Action | None]]:
        policies = matchups[matchup]
        return replay.play_one(seed, matchup, index, seatings(policies), rules,
                               [replay.make_player(ref, rules) for ref in policies])

    def choose(self, position: step.GameState, policy: PolicyRef, key: int) -> step.Action:
        return replay.choose_action(position, replay.make_player(policy, position.rules), np.uint64(key))

    def facts(self) -> Facts:
        return Facts(tuple(range(4, MAX_PLAYERS + 1)), ("two secret sides",),
                     ("give a tool or call an interrogation", "place a tool"), levels=("random", "bayes", "expert"))

    def groups(self, rules: Rules) -> Mapping[str, tuple[str, ...]]:
        """The sides; at odd tables also the side that is one player smaller and the other."""
        return {"side": SIDES, **({"size": ("smaller", "larger")} if rules.is_odd else {})}
