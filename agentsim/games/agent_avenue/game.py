"""Agent Avenue as the frame sees it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agentsim.errors import InputError
from agentsim.games.agent_avenue import additions, blocks, catalog, replay, step, story, tables
from agentsim.games.agent_avenue.cards import sheets
from agentsim.games.agent_avenue.modes import replay as modes_replay
from agentsim.games.agent_avenue.modes import step as modes_step
from agentsim.games.agent_avenue.modes import story as modes_story
from agentsim.games.agent_avenue.modes import tables as modes_tables
from agentsim.games.agent_avenue.modes.session import ModeSession
from agentsim.games.agent_avenue.playing import Playing, make_player
from agentsim.games.agent_avenue.policies.parameters import LIMITS
from agentsim.games.agent_avenue.rules import Rules, key_table, make_rules, settings_of
from agentsim.games.agent_avenue.session import Session
from agentsim.games.base import CardSheet, Facts, Key, LogLevel, PolicyRef, Table
from agentsim.games.families import FamilyGame, Parameter

__all__ = ["AgentAvenue"]

_DECISIONS = ("discard", "offer two cards", "take one of them", "pick and use Black Market cards")


@dataclass(frozen=True)
class AgentAvenue(FamilyGame):
    """See :class:`agentsim.games.base.Game` for what each method means."""

    name: str = "agent_avenue"
    title: str = "Agent Avenue"
    version: int = 1
    families = catalog.CATALOG

    def rules(self, settings: Mapping[str, Any], *, where: str = "") -> Rules:
        return make_rules(settings, where=where)

    def rules_as_dict(self, rules: Rules) -> dict[str, Any]:
        return settings_of(rules)

    def rule_keys(self) -> Sequence[Key]:
        return key_table()

    def additions(self) -> Mapping[str, Any]:
        return additions.additions()

    def policies(self, rules: Rules | None = None) -> Sequence[PolicyRef]:
        return super().policies() if rules is None else catalog.different(rules)

    def parameters(self, policy: PolicyRef) -> Sequence[Parameter]:
        if policy.family != "user":
            return super().parameters(policy)
        # A user's file names its parameters and their defaults, and nothing more.
        return [Parameter(name, -math.inf, math.inf, value, "") for name, value in policy.params.items()]

    def tunable(self, policy: PolicyRef, rules: Rules) -> Sequence[Parameter]:
        """Without what forbids something, what has nothing to work on under these rules, and noise.

        Against a field that does not adapt the best is never to draw lots.
        """
        idle = {*LIMITS, *catalog.silent(rules), "offer_noise", "take_noise"} if policy.family == "planner" else set()
        return [parameter for parameter in self.parameters(policy) if parameter.name not in idle]

    def table_response(self, policy: PolicyRef, rules: Rules, *, games: int, seed: int) -> PolicyRef:
        """The best response that dynamic programming over public states finds: the base game of two only."""
        from agentsim.games.agent_avenue.solver.respond import best_response

        return best_response(policy, rules, games=games, seed=seed)

    def check_table_response(self, policy: PolicyRef, rules: Rules) -> None:
        """Raise InputError, at once, where :meth:`table_response` would: for rules without a table, for Python code."""
        from agentsim.games.agent_avenue.solver.respond import check_target

        check_target(policy, rules)

    def is_slow(self, policy: PolicyRef, rules: Rules) -> bool:
        """Whether a policy has Python methods, so that its games are stepped: hundreds of times slower."""
        return policy.family == "user" and make_player(policy, rules).python is not None

    def cards(self, rules: Rules) -> Sequence[Mapping[str, Any]]:
        return [{**asdict(card), "names": dict(card.names)} for card in rules.cards]

    def keys_of(self, rules: Rules) -> Sequence[Key]:
        return key_table(rules)

    def card_sheets(self, rules: Rules, language: str = "en") -> Sequence[CardSheet]:
        return sheets.card_sheets(rules, language)

    def card_modes(self) -> Mapping[str, Mapping[str, Any]]:
        return sheets.MODES

    def card_template(self, name: str) -> str:
        return sheets.card_template(name)

    def seats(self, rules: Rules) -> int:
        return 2

    def games_per_deal(self, matchup: Sequence[PolicyRef], rules: Rules) -> int:
        return blocks.games_per_deal(matchup, rules)

    def tables(self, rules: Rules, log: LogLevel) -> Sequence[Table]:
        return tables.log_tables(rules, log) if rules.plain else modes_tables.log_tables(rules, log)

    def session(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> Playing:
        return (Session if rules.plain else ModeSession)(rules, matchups, seed)

    def story(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int, matchup: int,
              index: int) -> str:
        pair = matchups[matchup]
        tell = story.tell_game if rules.plain else modes_story.tell_game
        return tell(rules, pair, matchup, self.games_per_deal(pair, rules), seed, index, len(matchups))

    def course(self, rules: Rules, matchups: Sequence[Sequence[PolicyRef]], seed: int, matchup: int,
               index: int) -> Sequence[tuple[Any, Any]]:
        pair = matchups[matchup]
        play = replay.play_one if rules.plain else modes_replay.play_one
        return play(seed, matchup, index, self.games_per_deal(pair, rules), rules,
                    [make_player(ref, rules) for ref in pair])

    def choose(self, position: Any, policy: PolicyRef, key: int) -> Any:
        ask = modes_replay if isinstance(position, modes_step.ModeState) else replay
        return ask.choose_action(position, make_player(policy, position.rules), np.uint64(key))

    def facts(self) -> Facts:
        return Facts((2, 3, 4), tuple(sheets.MODES), _DECISIONS, user_policies=True,
                     levels=("random", "greedy", "expert"))

    def new_game(self, seed: int = 1, settings: Mapping[str, Any] | None = None, *,
                 deal: int = 0) -> step.GameState | modes_step.ModeState:
        """A game to be played step by step."""
        if deal < 0:
            raise InputError(f"{deal} is out of range", key="deal", allowed="0 or more")
        rules = make_rules(settings)
        return step.new_game(seed, rules, deal=deal) if rules.plain else modes_step.new_game(seed, rules, deal=deal)
