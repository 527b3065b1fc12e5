"""What a policy may not know cannot reach it: exchange everything hidden, and every answer stays the same."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.decision import deal_stream
from agentsim.games.agent_avenue.replay import choose_action
from agentsim.games.agent_avenue.step import GameState, Offer
from agentsim.games.agent_avenue.view import View, observe
from tests.games.agent_avenue.helpers import (
    NAMES,
    STANDARD,
    decision_keys,
    few,
    named,
    player,
    preset_names,
    random_position,
    walk,
    zone,
)

NOISY = ["planner(offer_noise=0.3, take_noise=0.3, trust=0.7, depth=2, discard_margin=0.02, bluff=1, bait=1)",
         "planner(curiosity=0.1, trust=1, model_noise=0.3, discard_margin=0, depth=0)"]


def exchanged(game: GameState, viewer: int, rng: Random) -> GameState:
    """The same position for the viewer with all that it may not know exchanged: other hand, deck, face-down card of the
    other, the other's discards, and the order in which the cards came."""
    state, other = game.state.copy(), 1 - viewer
    n, drawn = game.rules.n_cards, int(state[e.DRAWN])
    pool = [*Counter(named(state[e.HAND + other])).elements(), *Counter(named(state[e.TOSSED + other])).elements()]
    pool += [NAMES[code] for code in state[e.DECK + drawn:e.DECK + n]]
    hides = game.state[e.PHASE] == e.TAKING and viewer != game.active
    if hides:
        pool.append(NAMES[state[e.DOWN]])
    rng.shuffle(pool)
    for place in (e.HAND, e.TOSSED):
        held = sum(named(state[place + other]).values())
        state[place + other] = zone([pool.pop() for _ in range(held)])
    if hides:
        state[e.DOWN] = NAMES.index(pool.pop())
    state[e.DECK + drawn:e.DECK + n] = [NAMES.index(name) for name in pool]
    before = state[e.DECK:e.DECK + drawn].tolist()
    rng.shuffle(before)
    state[e.DECK:e.DECK + drawn] = before
    state[e.DEAL] = np.int64(np.uint64(deal_stream(np.uint64(rng.getrandbits(64)), rng.randrange(10**6))))
    return GameState(game.rules, game.table, state)


def decisions(count: int) -> list[GameState]:
    """Positions of both kinds, from games and at will, discards included."""
    found = [game for seed in range(count // 15) for game in walk(seed, discard_rate=0.3)[:-1]]
    rng = Random(2)
    for _ in range(count):
        game = random_position(rng)
        found += [game, game.apply(rng.choice([a for a in game.legal_actions() if isinstance(a, Offer)]))]
    return found


def test_the_exchange_changes_everything_that_is_hidden() -> None:
    """The test of the test: the exchanged positions do differ in each hidden place, and hold the same cards in all."""
    differs = Counter[str]()
    rng = Random(1)
    for game in decisions(few(60, 15)):
        for viewer in (0, 1):
            other = exchanged(game, viewer, rng)
            a, b = game.state, other.state
            differs["hand"] += a[e.HAND + 1 - viewer] != b[e.HAND + 1 - viewer]
            differs["discards"] += a[e.TOSSED + 1 - viewer] != b[e.TOSSED + 1 - viewer]
            differs["deck"] += (a[e.DECK:] != b[e.DECK:]).any()
            differs["stream"] += a[e.DEAL] != b[e.DEAL]
            differs["face down"] += a[e.DOWN] != b[e.DOWN]
            assert a[e.DOWN] == b[e.DOWN] or viewer != game.active
            assert a[e.HAND + viewer] == b[e.HAND + viewer]
            if a[e.USED:e.USED + 2].any() and game.turn == 0 and a[e.PHASE] == e.PLAYING:
                assert cards(game) == cards(other) == Counter({card.id: card.copies for card in STANDARD.cards})
    assert len(differs) == 5
    assert min(differs.values()) > 5


def cards(game: GameState) -> Counter[str]:
    """Every card of a position, wherever it is."""
    state = game.state
    found = Counter[str]()
    for place in (e.HAND, e.PLAY, e.TOSSED):
        found += Counter(named(state[place])) + Counter(named(state[place + 1]))
    return found + Counter(NAMES[code] for code in state[e.DECK + int(state[e.DRAWN]):e.DECK + game.rules.n_cards])


def test_views_and_observations_stay() -> None:
    rng = Random(3)
    for game in decisions(few(150, 15)):
        for viewer in (0, 1):
            for _ in range(3):
                other = exchanged(game, viewer, rng)
                assert observe(game.state, game.table, viewer) == observe(other.state, other.table, viewer)
                assert game.observe(viewer) == other.observe(viewer)


@pytest.mark.parametrize("name", [*preset_names(), *NOISY])
def test_decisions_stay(name: str) -> None:
    """With the same random words, hence with the same probabilities."""
    who = player(name)
    rng = Random(name)
    keys = decision_keys(5000)
    seen = Counter[bool]()
    for number, game in enumerate(decisions(few(200, 10))):
        before = choose_action(game, who, keys[number])
        for _ in range(3):
            other = exchanged(game, game.to_move, rng)
            assert choose_action(other, who, keys[number]) == before
        seen[game.state[e.PHASE] == e.TAKING] += 1
    assert min(seen[True], seen[False]) >= few(200, 10)


def test_a_view_has_exactly_the_fields_that_are_public_or_the_viewers_own() -> None:
    assert set(View._fields) == {
        "hand", "tossed",  # the viewer's own
        "mine", "theirs", "lead", "their_hand", "deck", "discards_left", "their_discards_left", "turn", "step", "up",
        "gap_me", "gap_them"}  # the rules'


def test_a_view_shows_the_position_from_its_own_chair() -> None:
    for seed in range(few(40, 4)):
        for game in walk(seed, discard_rate=0.3):
            views = [observe(game.state, game.table, seat) for seat in (0, 1)]
            for me, it in ((0, 1), (1, 0)):
                view, other = views[me], views[it]
                assert named(view.hand) == game.hand(me)
                assert named(view.mine) == game.in_play(me)
                assert (view.theirs, view.mine) == (other.mine, other.theirs)
                assert view.lead == -other.lead == (game.lead if me == 0 else -game.lead)
                assert (view.gap_me, view.gap_them) == (other.gap_them, other.gap_me) == (7, 7)
                assert view.their_hand == sum(game.hand(it).values())
                assert (view.deck, view.turn) == (game.deck_left, game.turn)
                assert view.discards_left == other.their_discards_left == 4 - sum(named(view.tossed).values())
                assert view.step == (int(game.state[e.STEP]) if me == game.active else 0)
                offered = game.state[e.PHASE] == e.TAKING
                assert view.up == (int(game.state[e.UP]) if offered else -1)
