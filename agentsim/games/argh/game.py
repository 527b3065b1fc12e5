"""ARGH as the frame sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agentsim.games.argh import catalog, replay, session, step, story, tables
from agentsim.games.argh.rules import Rules, key_table, make_rules, settings_of
from agentsim.games.base import Facts, Key, LogLevel, PolicyRef, Table
from agentsim.games.families import FamilyGame
from agentsim.games.sessions import seatings

__all__ = ["Argh"]

_DECISIONS = ("draw or steal", "keep or offer", "accept or refuse", "look at a card put aside")


@dataclass(frozen=True)
class Argh(FamilyGame):
    """See :class:`agentsim.games.base.Game` for what each method means.

    A deal is played once in each rotation of its policies over the seats; a matchup has as many policies as the rules
    have players.
    """

    name: str = "argh"
    title: str = "ARGH"
    version: int = 1
    families = catalog.CATALOG

    def rules(self, settings: Mapping[str, Any], *, where: str = "") -> Rules:
        return make_rules(settings, where=where)

    def rules_as_dict(self, rules: Rules) -> dict[str, Any]:
        return settings_of(rules)

    def rule_keys(self) -> Sequence[Key]:
        return key_table()

    def cards(self, rules: Rules) -> Sequence[Mapping[str, Any]]:
        return [{**asdict(card), "names": dict(card.names)} for card in rules.cards]

    def seats(self, rules: Rules) -> int:
        return rules.players

    def games_per_deal(self, matchup: Sequence[PolicyRef], rules: Rules) -> int:
        return seatings(matchup)

    def tables(self, rules: Rules, log: LogLevel) -> Sequence[Table]:
        return tables.log_tables(rules, log)

    def session(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> session.Session:
        return session.Session(rules, matchups, seed)

    def story(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int, matchup: int, index: int) -> str:
        policies = matchups[matchup]
        return story.tell_game(rules, policies, matchup, self.games_per_deal(policies, rules), seed, index)

    def new_game(self, seed: int = 1, settings: Mapping[str, Any] | None = None, *, deal: int = 0) -> step.GameState:
        """A game to be played step by step."""
        return step.new_game(seed, make_rules(settings), deal=deal)

    def course(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int, matchup: int,
               index: int) -> list[tuple[step.GameState, step.Action | None]]:
        policies = matchups[matchup]
        return replay.play_one(seed, matchup, index, self.games_per_deal(policies, rules), rules,
                               [replay.make_player(ref, rules) for ref in policies])

    def choose(self, position: step.GameState, policy: PolicyRef, key: int) -> step.Action:
        return replay.choose_action(position, replay.make_player(policy, position.rules), np.uint64(key))

    def facts(self) -> Facts:
        return Facts((2, 3, 4), ("shipped cards", "with promo cards"), _DECISIONS, levels=("random", "expert"))

    def groups(self, rules: Rules) -> Mapping[str, tuple[str, ...]]:
        return {}
