"""What the tests of Agent Avenue share: positions built from words, sessions, and the bridge to the second engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue import step
from agentsim.games.agent_avenue.game import AgentAvenue
from agentsim.games.agent_avenue.rules import Rules, compile_rules, make_rules
from agentsim.games.agent_avenue.session import Player, Session, make_player
from agentsim.games.base import PolicyRef, get_game
from tests.oracle.agent_avenue import Card as OracleCard
from tests.oracle.agent_avenue import OracleRules
from tests.oracle.baselines import View as OracleView

JIT = not numba.config.DISABLE_JIT
"""False when the kernels run as plain Python, to measure which lines the tests reach."""

needs_speed = pytest.mark.skipif(not JIT, reason="too many games for plain Python")

NAMES = ("double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel", "sidekick", "mole")
STANDARD = make_rules()
BASELINES = ("random", "random_discards", "greedy", "minmax")
TIE_RULES = ("active", "passive", "draw")


def few(compiled: int, plain: int | None = None) -> int:
    """How often to repeat something: ``compiled`` times, or far less often when kernels run as plain Python."""
    return compiled if JIT else max(compiled // 250, 2) if plain is None else plain


# ---- policies and sessions ---------------------------------------------------------------------------------------


def the_game() -> AgentAvenue:
    game = get_game("agent_avenue")
    assert isinstance(game, AgentAvenue)
    return game


def policy(spec: str) -> PolicyRef:
    return the_game().policy(spec)


def preset_names() -> list[str]:
    """Every shipped policy that plays in its own way in the base game."""
    return [ref.label for ref in the_game().policies(STANDARD)]


def player(spec: str, rules: Rules = STANDARD) -> Player:
    return make_player(policy(spec), rules)


def session(*matchups: tuple[str, str] | str, seed: int = 1, settings: Mapping[str, Any] | None = None) -> Session:
    """A session of matchups; a single spec is the mirror of that policy."""
    pairs = [(m, m) if isinstance(m, str) else m for m in matchups]
    return Session(make_rules(settings), [(policy(a), policy(b)) for a, b in pairs], seed)


# ---- positions ---------------------------------------------------------------------------------------------------


def zone(cards: Mapping[str, int] | Iterable[str], names: Sequence[str] = NAMES) -> int:
    """The engine's word for some cards, given by name."""
    return sum(copies << (4 * names.index(name)) for name, copies in Counter(cards).items())


def named(word: int, names: Sequence[str] = NAMES) -> dict[str, int]:
    """The cards of an engine's word."""
    return {name: int(word) >> 4 * i & 15 for i, name in enumerate(names) if int(word) >> 4 * i & 15}


def position(
    *,
    active: int = 0,
    lead: int = 0,
    active_has: Mapping[str, int] | Iterable[str] = (),
    other_has: Mapping[str, int] | Iterable[str] = (),
    active_hand: Iterable[str] = ("double_agent", "enforcer", "saboteur", "sentinel"),
    other_hand: Iterable[str] = ("double_agent", "enforcer", "saboteur", "sentinel"),
    discarded: tuple[Iterable[str], Iterable[str]] = ((), ()),
    deck: int | None = None,
    turn: int | None = None,
    rules: Rules = STANDARD,
    stream: int = 1,
) -> step.GameState:
    """A position before a turn; ``lead`` is the active player's, ``discarded`` is by (active, other).

    The deck holds every card that is nowhere else, or only ``deck`` of them; ``stream`` decides its order.
    Raises ValueError for more copies of a name than there are.
    """
    names = rules.names
    zones = {"play": (Counter(active_has), Counter(other_has)), "hand": (Counter(active_hand), Counter(other_hand)),
             "tossed": (Counter(discarded[0]), Counter(discarded[1]))}
    gone = sum((cards for pair in zones.values() for cards in pair), Counter())
    copies = Counter({card.id: card.copies for card in rules.cards})
    if too_many := gone - copies:
        raise ValueError(f"no such cards: {dict(too_many)}")
    rest = sorted((copies - gone).elements(), key=names.index)
    Random(stream).shuffle(rest)
    drawn = rules.n_cards - (len(rest) if deck is None else deck)
    state = np.zeros(e.STATE_SIZE, dtype=np.int64)
    order = [*sorted(gone.elements(), key=names.index), *rest]
    state[e.DECK:e.DECK + rules.n_cards] = [names.index(name) for name in order]
    state[e.ACTIVE], state[e.LEAD] = active, lead if active == 0 else -lead
    state[e.TURN] = active if turn is None else turn
    for seat, side in ((active, 0), (1 - active, 1)):
        state[e.HAND + seat] = zone(zones["hand"][side], names)
        state[e.PLAY + seat] = zone(zones["play"][side], names)
        state[e.TOSSED + seat] = zone(zones["tossed"][side], names)
        state[e.USED + seat] = sum(zones["tossed"][side].values())
    state[e.DRAWN], state[e.DEAL] = drawn, stream
    state[[e.UP, e.DOWN, e.RECRUITED, e.RECRUITED + 1, e.WINNER]] = -1
    return step.GameState(rules, compile_rules(rules), state)


def ending(game: step.GameState) -> tuple[int | None, str, bool] | None:
    """(winner, reason, whether the tie rule decided), or None while play goes on."""
    return (game.winner, str(game.end_reason), game.tie_rule_used) if game.is_over else None


def lead_of(game: step.GameState, seat: int) -> int:
    return game.lead if seat == 0 else -game.lead


def turn(game: step.GameState, up: str, down: str, face_up: bool) -> step.GameState:
    """Offer and take."""
    return game.apply(step.Offer(up, down)).apply(step.Take("face_up" if face_up else "hidden"))


def walk(seed: int, rules: Rules = STANDARD, discard_rate: float = 0.2) -> list[step.GameState]:
    """The positions of a game of arbitrary legal actions, the final one included."""
    rng = Random(seed)
    game = step.new_game(seed, rules)
    course = [game]
    while not game.is_over:
        legal = game.legal_actions()
        discards = [action for action in legal if isinstance(action, step.Discard)]
        others = [action for action in legal if not isinstance(action, step.Discard)]
        game = game.apply(rng.choice(discards if discards and rng.random() < discard_rate else others))
        course.append(game)
    return course


def random_position(rng: Random, rules: Rules = STANDARD, lead: int = 6) -> step.GameState:
    """A position as play could bring it, sets incomplete, with any cards in any place; ``lead`` bounds the lead.

    In every other one cards have been discarded.
    """
    deck = [card.id for card in rules.cards for _ in range(card.copies)]
    rng.shuffle(deck)
    hands = [[deck.pop() for _ in range(rules.hand_size)] for _ in range(2)]
    spare = len(deck) - 4
    tossed = [[deck.pop() for _ in range(rng.randrange(min(rules.discards, spare // 4) + 1))] for _ in range(2)]
    if rng.random() < 0.5:
        tossed = [[], []]
    areas: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    limits = {card.id: min([n for n in (card.wins_at, card.loses_at) if n] or [99]) for card in rules.cards}
    for _ in range(rng.randrange(0, max(1, min(13, len(deck) // 2 - 4)))):
        for area in areas:
            name = deck.pop()
            if area[name] + 1 < limits[name]:
                area[name] += 1
    ahead = rng.randrange(max(-lead, 1 - rules.gap_1), min(lead, rules.gap_0 - 1) + 1)
    active = rng.randrange(2)
    return position(active=active, lead=ahead if active == 0 else -ahead, active_has=areas[0], other_has=areas[1],
                    active_hand=hands[0], other_hand=hands[1], discarded=(tossed[0], tossed[1]), rules=rules,
                    stream=rng.randrange(1 << 40))


# ---- the second engine -------------------------------------------------------------------------------------------


def oracle_rules(rules: Rules) -> OracleRules:
    """The same rules for the second engine."""
    cards = {c.id: OracleCard(c.copies, c.first, c.second, c.third, c.wins_at, c.loses_at) for c in rules.cards}
    return OracleRules(hand_size=rules.hand_size, discards=rules.discards, ring=rules.ring, home_0=rules.home_0,
                       home_1=rules.home_1, tie_rule=rules.tie_rule, cards=cards)


def oracle_view(game: step.GameState) -> OracleView:
    """What the player to move knows, for the second engine's baselines."""
    rules, seat = oracle_rules(game.rules), game.to_move
    areas = [dict.fromkeys(rules.cards, 0) | game.in_play(side) for side in (0, 1)]
    taking = game.state[e.PHASE] == e.TAKING
    hand = tuple(Counter(game.hand(seat)).elements())
    up = game.rules.names[int(game.state[e.UP])] if taking else None
    return OracleView(rules, seat, game.active, game.lead, (areas[0], areas[1]), hand, up)


def decision_keys(count: int, seed: int = 9) -> NDArray[np.uint64]:
    """Keys of as many independent decisions."""
    return np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)
