"""Views hold nothing that a seat may not know: what is hidden is permuted, and nothing that is seen changes."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from agentsim.games.argh import engine as e
from agentsim.games.argh import step
from agentsim.games.argh.decision import one_answer, one_choice, one_placing
from agentsim.games.argh.policies.dispatch import FAMILIES
from agentsim.games.argh.policies.parameters import SCRATCH_SIZE, WORK_SIZE, policy_row
from agentsim.games.argh.table import LOCATION
from agentsim.games.argh.view import observe
from tests.games_argh.helpers import PLAYERS, few, rules, walk


def permuted(game: step.GameState, seat: int, rng: Random) -> step.GameState:
    """The same position for ``seat``, but with every card it cannot see exchanged within its location."""
    state, table = game.state.copy(), game.table
    size = len(game.rules.names)
    places = {int(state[e.DECK + place]): place for place in range(size)}  # where each card lies or lay
    up = [n for s in range(game.players) for n in range(size) if state[e.UP + s] >> n & 1]
    known = {n for n in range(size) if (state[e.HELD + seat] | state[e.PEEKED + seat]) >> n & 1} | set(up)
    placing = state[e.PHASE] == e.PLACING
    if placing and seat == game.active:
        known.add(int(state[e.CARD]))
    for location in range(3):
        hidden = [n for n in range(size) if table[LOCATION + n] == location and n not in known]
        shuffled = hidden[:]
        rng.shuffle(shuffled)
        swap = dict(zip(hidden, shuffled, strict=True))
        for old, new in swap.items():
            state[e.DECK + places[old]] = new
    cards = {place: int(state[e.DECK + place]) for place in range(size)}
    for other in range(game.players):
        state[e.HELD + other] = sum(1 << cards[p] for p in range(size) if state[e.DOWN + other] >> p & 1)
        if other != seat:
            old = int(game.state[e.PEEKED + other])
            state[e.PEEKED + other] = sum(1 << cards[places[n]] for n in range(size) if old >> n & 1)
    if state[e.PLACE] >= 0:
        state[e.CARD] = cards[int(state[e.PLACE])]
    return step.GameState(game.rules, table, state)


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("players", PLAYERS)
def test_decisions_do_not_depend_on_what_is_hidden(players: int, family: str) -> None:
    made = rules(players, promos=True)
    rng = Random(players)
    changed = 0
    rows = policy_row(family, {}, made)[np.newaxis]
    number, scratch, work = FAMILIES[family], np.zeros(SCRATCH_SIZE, dtype=np.int64), np.zeros(WORK_SIZE)
    for deal in range(few(20, 2)):
        for game in walk(made, 31, deal)[:-1]:
            for seat in range(players):
                other = permuted(game, seat, rng)
                changed += not np.array_equal(game.state, other.state)
                assert observe(game.state, game.table, seat) == observe(other.state, other.table, seat)
                assert game.observe(seat) == other.observe(seat)
            seat, key = game.to_move, np.uint64(rng.getrandbits(64))
            decide = {e.CHOOSING: one_choice, e.PLACING: one_placing, e.ANSWERING: one_answer}.get(
                int(game.state[e.PHASE]))
            if decide is not None:
                other = permuted(game, seat, rng)
                answers = [decide(number, g.state, g.table, seat, rows, 0, scratch, work, key) for g in (game, other)]
                assert answers[0] == answers[1]
    assert changed


def test_the_view_of_an_owner() -> None:
    """What a player knows: its own hidden cards and the card just drawn; others see locations only."""
    game = step.new_game(seed=5)
    game = game.apply(step.Draw("garden"))
    mine, its = game.observe(0), game.observe(1)
    assert mine.drawn == step.pile_orders(5, 0)["garden"][2]
    assert its.drawn is None
    kept = game.apply(step.Keep())
    assert kept.observe(0).own_face_down == (mine.drawn,)
    assert kept.observe(1).own_face_down == ()
    assert kept.observe(1).face_down == ((step.FaceDown("garden", 2),), ())
    asked = game.apply(step.OfferTo(1))
    assert asked.observe(1).offered == (0, "garden")
    assert asked.observe(0).offered is None
    taken = asked.apply(step.Answer(True))
    assert taken.observe(0).face_up == ((), (mine.drawn,))
    assert taken.observe(0).accepted == (mine.drawn,)
