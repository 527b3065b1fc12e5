"""What the tests of ARGH share: rules, sessions, sets of cards, and the bridge to the second engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

import numba
import pytest

from agentsim.games.argh import step
from agentsim.games.argh.rules import Rules, make_rules
from agentsim.games.argh.session import Session
from agentsim.games.base import PolicyRef
from tests.oracle.argh import Card as OracleCard
from tests.oracle.argh import OracleGame, OracleRules

JIT = not numba.config.DISABLE_JIT
"""False when the kernels run as plain Python, to measure which lines the tests reach."""

needs_speed = pytest.mark.skipif(not JIT, reason="too many games for plain Python")

PLAYERS = (2, 3, 4)
RANDOM = PolicyRef("random", "random", {}, "family")
CUSTOM: dict[str, Any] = {
    "rules.players": 3, "rules.promos": True, "rules.hamster": "free", "rules.put_aside": 2, "rules.lizards_1": 2,
    "rules.lizards_2": 3, "rules.lizards_3": 9, "rules.bombs_to_win": 3, "cards.gardener.value": 2,
    "cards.monkey.location": "house", "cards.cat.kind": "mosquito", "cards.cat.value": 0, "cards.cat.star": True,
    "cards.brother.with_twin": -7,
}
"""Rules with everything changed that can be."""


def few(compiled: int, plain: int | None = None) -> int:
    """How often to repeat something: ``compiled`` times, or far less often when kernels run as plain Python."""
    return compiled if JIT else max(compiled // 250, 2) if plain is None else plain


def rules(players: int = 2, *, promos: bool = False, **changes: Any) -> Rules:
    """The shipped rules for a number of players; ``changes`` are keys of the group ``rules``."""
    keys = {f"rules.{name}": value for name, value in changes.items()}
    return make_rules({"rules.players": players, "rules.promos": promos, **keys})


def session(made: Rules, *matchups: Iterable[PolicyRef], seed: int = 1) -> Session:
    """A session of matchups; without any, the mirror of ``random``."""
    return Session(made, [tuple(m) for m in matchups] or [(RANDOM,) * made.players], seed)


def word(names: Iterable[str], made: Rules) -> int:
    """The engine's set of some cards, given by name."""
    return sum(1 << made.names.index(name) for name in names)


def oracle_rules(made: Rules) -> OracleRules:
    """The same rules for the second engine."""
    cards = {card.id: OracleCard(card.location, card.kind, card.value, card.star) for card in made.cards}
    brothers = [card for card in made.cards if card.kind == "brother"]
    return OracleRules(
        players=made.players, put_aside=made.aside, bombs_to_win=made.bombs_to_win,
        lizards=(0, made.lizards_1, made.lizards_2, made.lizards_3), hamster_is_free=made.hamster == "free",
        twin=brothers[0].twin if brothers else "sister", brother_with_twin=brothers[0].with_twin if brothers else -3,
        cards=cards)


def oracle_game(made: Rules, seed: int, deal: int) -> OracleGame:
    """The second engine on the cards of a deal."""
    return OracleGame(step.pile_orders(seed, deal, made), oracle_rules(made))


def tell_oracle(game: OracleGame, action: step.Action) -> None:
    """Make the second engine take an action."""
    match action:
        case step.Draw(pile):
            game.draw(pile)
        case step.Keep():
            game.keep()
        case step.OfferTo(seat):
            game.offer(seat)
        case step.Answer(accept):
            game.answer(accept)
        case step.Steal(seat, pile, number):
            game.steal(seat, pile, number)
        case step.Pass():
            game.pass_turn()
        case step.Peek(pile, number):
            game.peek(pile, number)


def oracle_actions(game: OracleGame) -> set[step.Action]:
    """What the second engine says is legal."""
    legal: set[step.Action] = {step.Draw(pile) for pile in game.legal_draws()}
    legal |= {step.Steal(*entry) for entry in game.legal_steals()}
    legal |= {step.Peek(*entry) for entry in game.legal_peeks()}
    if game.may_pass():
        legal.add(step.Pass())
    if game.legal_offers():
        legal |= {step.Keep(), *(step.OfferTo(seat) for seat in game.legal_offers())}
    elif game.asked is not None and game.owl_owner is None and game.ending is None:
        legal |= {step.Answer(True), step.Answer(False)}
    return legal


def walk(made: Rules, seed: int, deal: int = 0, rates: Mapping[type, float] | None = None) -> list[step.GameState]:
    """The positions of a game of arbitrary legal actions, the final one included; ``rates`` weigh kinds of actions."""
    rng = Random(seed * 1_000_003 + deal)
    game = step.new_game(seed, made, deal=deal)
    course = [game]
    while not game.is_over:
        legal = game.legal_actions()
        (action,) = rng.choices(legal, [(rates or {}).get(type(action), 1.0) for action in legal])
        game = game.apply(action)
        course.append(game)
    return course


