"""Whatever a side or player may not know can be exchanged without any observation changing, in every mode."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.modes.view import look_of
from tests.games.agent_avenue.helpers import few, named, zone
from tests.games.agent_avenue.modes.walks import observers, positions


def exchanged(game: ModeState, seat: int, player: int | None, rng: Random) -> ModeState:
    """The same position for the observer, with all that it may not know exchanged.

    That is: every hand but its own, except cards that were named openly; others' discards; a face-down card that
    somebody else laid; the deck and the market pile and the order in which both came.
    """
    state, names = game.state.copy(), game.rules.names
    player = 0 if game.players(seat) == 1 else player
    own = None if player is None else 2 * seat + player
    slots = [slot for slot in range(4) if slot != own]
    n, drawn = game.rules.n_cards, int(state[e.DRAWN])
    pool = [names[code] for code in state[e.DECK + drawn:e.DECK + n]]
    unknown = {slot: Counter(named(state[x.HANDS + slot], names)) - Counter(named(state[x.SHOWN + slot], names))
               for slot in slots}
    laid_by = 2 * game.active + int(state[x.DOWN_MEMBER]) if game.question == "take" else None
    hides = laid_by is not None and own != laid_by
    if hides:  # a card that was named openly may be in the hand or lie there
        held = Counter(named(state[x.HANDS + laid_by], names)) + Counter([names[int(state[e.DOWN])]])
        unknown[laid_by] = held - Counter(named(state[x.SHOWN + laid_by], names))
    for slot in slots:
        pool += [*unknown[slot].elements(), *Counter(named(state[x.GONE + slot], names)).elements()]
    rng.shuffle(pool)
    for slot in slots:
        gone = sum(named(state[x.GONE + slot], names).values())
        for place, count in ((x.HANDS, unknown[slot].total()), (x.GONE, gone)):
            got = zone([pool.pop() for _ in range(count)], names)
            state[place + slot] = got + (state[x.SHOWN + slot] if place == x.HANDS else 0)
    if hides:
        down = rng.choice(list(Counter(named(state[x.HANDS + laid_by], names)).elements()))
        state[e.DOWN] = names.index(down)
        state[x.HANDS + laid_by] -= zone([down], names)
    state[e.DECK + drawn:e.DECK + n] = [names.index(name) for name in pool]
    for first, done in ((e.DECK, drawn), (x.PILE, int(state[x.BOARD]))):
        before = state[first:first + done].tolist()
        rng.shuffle(before)
        state[first:first + done] = before
    rest = state[x.PILE + int(state[x.BOARD]):x.PILE + int(state[x.N_PILE])]
    rest[:] = rng.sample(rest.tolist(), len(rest))
    state[e.DEAL] = np.int64(rng.getrandbits(63))
    if not game.observe(seat, player).to_move:
        # What is asked of somebody else may list that player's hand.
        state[x.OPTIONS] = rng.getrandbits(60)
    state[x.OFFER_UP_HAND], state[x.OFFER_DOWN_HAND] = rng.getrandbits(60), rng.getrandbits(60)
    return ModeState(game.rules, game.table, state)


def test_the_exchange_changes_everything_that_is_hidden() -> None:
    """The test of the test: the exchanged positions do differ in each hidden place, and hold the same cards in all."""
    differs = Counter[str]()
    rng = Random(1)
    for game in positions(few(3, 1)):
        for seat, player in observers(game):
            other = exchanged(game, seat, player, rng)
            a, b = game.state, other.state
            members = [2 * seat + member for member in range(game.players(seat)) if member != player]
            rivals = [2 * (1 - seat), 2 * (1 - seat) + 1]
            differs["rival"] += any(a[x.HANDS + slot] != b[x.HANDS + slot] for slot in rivals)
            differs["partner"] += player is not None and any(a[x.HANDS + slot] != b[x.HANDS + slot] for slot in members)
            differs["discards"] += any(a[x.GONE + slot] != b[x.GONE + slot] for slot in rivals)
            differs["partner's discards"] += player is not None and any(
                a[x.GONE + slot] != b[x.GONE + slot] for slot in members)
            differs["deck"] += (a[e.DECK:x.HANDS] != b[e.DECK:x.HANDS]).any()
            differs["pile"] += (a[x.PILE:] != b[x.PILE:]).any()
            differs["face down"] += a[e.DOWN] != b[e.DOWN]
            assert cards(game) == cards(other)
            if player is not None:
                assert a[x.HANDS + 2 * seat + player] == b[x.HANDS + 2 * seat + player]
    assert len(differs) == 7
    assert min(differs.values()) > 5


def cards(game: ModeState) -> Counter[str]:
    """Every agent card that is not in play or face up."""
    state, names = game.state, game.rules.names
    found = Counter(names[code] for code in state[e.DECK + int(state[e.DRAWN]):e.DECK + game.rules.n_cards])
    for slot in range(4):
        found += Counter(named(state[x.HANDS + slot], names)) + Counter(named(state[x.GONE + slot], names))
    return found + Counter([names[int(state[e.DOWN])]] if state[e.DOWN] >= 0 else [])


def test_observations_and_views_stay() -> None:
    rng = Random(2)
    for game in positions(few(12, 3)):
        for seat, player in observers(game):
            seen = game.observe(seat, player)
            for _ in range(2):
                other = exchanged(game, seat, player, rng)
                if seen.to_move:
                    assert other.legal_actions() == game.legal_actions()
                assert other.observe(seat, player) == seen


def test_views_of_whoever_is_asked_stay() -> None:
    """What built-in and users' functions get; they are only ever asked, so that is the view to look at."""
    rng = Random(3)
    asked = 0
    for game in positions(few(12, 3)):
        if game.is_over:
            continue
        seat, player = game.to_move, game.player_to_move
        member = -1 if player is None else player
        for _ in range(3):
            other = exchanged(game, seat, player, rng)
            assert look_of(game.state, game.table, seat, member) == look_of(other.state, other.table, seat, member)
            asked += 1
    assert asked > 100


def test_a_partner_does_not_see_what_its_partner_holds_or_lays() -> None:
    seen = Counter[str]()
    for game in positions(few(6, 1)):
        if game.question == "take" and game.players(game.active) == 2:
            down = int(game.state[x.DOWN_MEMBER])
            assert game.observe(game.active, down).own_face_down is not None
            assert game.observe(game.active, 1 - down).own_face_down is None
            assert game.observe(game.active).own_face_down is None
            seen["down"] += 1
        if game.question == "face_down":
            laid = game.observe(game.active, game.player_to_move)
            assert laid.face_up is not None
            assert game.observe(1 - game.active).face_up == laid.face_up  # it lies openly
            assert game.observe(game.active, 1 - int(game.player_to_move or 0)).legal == ()
            seen["up"] += 1
    assert min(seen["down"], seen["up"]) > 0
