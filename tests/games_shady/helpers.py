"""What the tests of Shady Agents share: rules, sessions, arbitrary games, and the bridge to the second engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

import numba
import pytest

from agentsim.games.base import PolicyRef
from agentsim.games.shady_agents import step
from agentsim.games.shady_agents.rules import Rules, make_rules
from agentsim.games.shady_agents.session import Session
from tests.oracle.shady_agents import OracleGame, OracleRules

JIT = not numba.config.DISABLE_JIT
"""False when the kernels run as plain Python, to measure which lines the tests reach."""

needs_speed = pytest.mark.skipif(not JIT, reason="too many games for plain Python")

PLAYERS = tuple(range(4, 11))
RANDOM = PolicyRef("random", "random", {}, "family")
CUSTOM: dict[str, Any] = {
    "rules.players": 5, "rules.odd_bonus": 2, "rules.medkit": 2, "rules.bullet": -3, "rules.caller_answers": True,
    "rules.own_tools": True, "rules.two_to_one": False, "rules.free_interrogation": True, "rules.tie": "crooked",
    "rules.second_round": "forward", "talk.base_rate": 0.25, "talk.verifiable": 0.6, "talk.misread": 0.2,
    "belief.p_medkit_friend": 0.9, "belief.p_bullet_enemy": 0.55,
}
"""Rules with everything changed that can be, but for interrogations, which stay."""
CERTAIN: dict[str, Any] = {"talk.verifiable": 0.5, "talk.misread": 0, "belief.p_medkit_friend": 1,
                           "belief.p_bullet_enemy": 1, "talk.base_rate": 1}
"""A model in which every piece of evidence is certain, so that careless givers and readers contradict it."""


def few(compiled: int, plain: int | None = None) -> int:
    """How often to repeat something: ``compiled`` times, or far less often when kernels run as plain Python."""
    return compiled if JIT else max(compiled // 250, 2) if plain is None else plain


def rules(players: int = 6, **changes: Any) -> Rules:
    """The shipped rules for a number of players; ``changes`` are keys with ``__`` for the dot."""
    return make_rules({"rules.players": players, **{key.replace("__", "."): value for key, value in changes.items()}})


def session(made: Rules, *matchups: Iterable[PolicyRef], seed: int = 1) -> Session:
    """A session of matchups; without any, the mirror of ``random``."""
    return Session(made, [tuple(m) for m in matchups] or [(RANDOM,) * made.players], seed)


# ---- random words, worked out again from their description ---------------------------------------------------------

_MASK, _GOLDEN = 2**64 - 1, 0x9E3779B97F4A7C15


def _mix(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31


def deal_word(seed: int, deal: int, number: int) -> int:
    """Word ``number`` of a deal's stream."""
    stream = _mix(_mix(seed ^ 0xD1B54A32D192ED03) + (deal + 1) * _GOLDEN & _MASK)
    return _mix(stream + (number + 1) * _GOLDEN & _MASK)


def dealt_roles(seed: int, deal: int, turned: int, players: int) -> list[str]:
    """The roles of a deal: each seat in turn draws one of the cards that are left."""
    half = (players + 1) // 2
    cards = ["crooked"] * half + ["law"] * half
    drawn = []
    for seat in range(players):
        drawn.append(cards.pop((deal_word(seed, deal, seat) >> 32) * len(cards) >> 32))
    return [drawn[(seat - turned) % players] for seat in range(players)]


def oracle_rules(made: Rules) -> OracleRules:
    """The same rules for the second engine."""
    return OracleRules(
        made.players, made.odd_bonus, {"bullet": made.bullet, "medkit": made.medkit}, made.caller_answers,
        made.own_tools, made.two_to_one, made.interrogations, made.free_interrogation,
        None if made.tie == "draw" else made.tie, made.second_round == "reverse", made.base_rate, made.misread,
        made.p_medkit_friend, made.p_bullet_enemy)


def oracle_game(made: Rules, seed: int, deal: int, turned: int = 0) -> OracleGame:
    """The second engine on the roles and the talk of a deal."""

    def truth(question: int, speaker: int) -> bool:
        return deal_word(seed, deal, 16 + 10 * question + speaker) >> 32 < round(made.base_rate * 2**32)

    def verdict(question: int, listener: int, speaker: int) -> bool | None:
        chance = deal_word(seed, deal, 116 + 100 * listener + 10 * question + speaker)
        if chance >> 32 >= round(made.verifiable * 2**32):
            return None
        return chance & 0xFFFFFFFF >= round(made.misread * 2**32)

    return OracleGame(dealt_roles(seed, deal, turned, made.players), oracle_rules(made), truth, verdict)


def tell_oracle(game: OracleGame, action: step.Action) -> None:
    """Make the second engine take an action."""
    match action:
        case step.Give(tool, seat):
            game.give(tool, seat)
        case step.Call(thrown):
            game.call(thrown)


def oracle_actions(game: OracleGame) -> set[step.Action]:
    """What the second engine says is legal."""
    return {step.Give(*gift) for gift in game.legal_gifts()} | {step.Call(tool) for tool in game.legal_calls()}


def walk(made: Rules, seed: int, deal: int = 0, rates: Mapping[type, float] | None = None,
         turned: int = 0) -> list[step.GameState]:
    """The positions of a game of arbitrary legal actions, the final one included; ``rates`` weigh kinds of actions."""
    rng = Random(seed * 1_000_003 + deal)
    game = step.new_game(seed, made, deal=deal, turned=turned)
    course = [game]
    while not game.is_over:
        legal = game.legal_actions()
        (action,) = rng.choices(legal, [(rates or {}).get(type(action), 1.0) for action in legal])
        game = game.apply(action)
        course.append(game)
    return course
