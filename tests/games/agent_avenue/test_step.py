"""The step API: what is legal, what an action does, what each seat sees; properties over any legal play."""

from __future__ import annotations

from collections import Counter
from copy import copy, deepcopy
from dataclasses import FrozenInstanceError
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agentsim.errors import InputError
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue import step
from agentsim.games.agent_avenue.rules import Rules, make_rules
from agentsim.games.agent_avenue.step import Action, Discard, GameState, IllegalAction, Offer, Take
from tests.games.agent_avenue.helpers import JIT, NAMES, few, named, oracle_rules, position, the_game, turn, walk
from tests.games.agent_avenue.house_rules import rule_sets
from tests.oracle.agent_avenue import OracleGame, OracleIllegal, final_values

EVERY_ACTION: list[Action] = [Take("face_up"), Take("hidden"), *(Discard(name) for name in NAMES),
                              *(Offer(up, down) for up in NAMES for down in NAMES)]


def everything(game: GameState) -> Counter[str]:
    """All cards of a position: hands, play areas, discards, deck and the table."""
    state = game.state
    words = [state[place + seat] for place in (e.HAND, e.PLAY, e.TOSSED) for seat in (0, 1)]
    found: Counter[str] = sum((Counter(named(word)) for word in words), Counter())
    drawn = int(state[e.DRAWN])
    found.update(NAMES[code] for code in state[e.DECK + drawn:e.DECK + game.rules.n_cards])
    found.update(NAMES[code] for code in state[e.UP:e.DOWN + 1] if code >= 0)
    return found


# ---- any legal play, beside the second engine ---------------------------------------------------------------------


@hypothesis_settings(max_examples=100 if JIT else 10)
@given(st.one_of(st.just(make_rules()), rule_sets()), st.integers(0, 2**64 - 1), st.integers(0, 2**40), st.randoms())
def test_any_legal_play_is_that_of_the_second_engine(rules: Rules, seed: int, deal: int, rng: Random) -> None:
    game = step.new_game(seed, rules, deal=deal)
    order = step.deck_order(seed, deal, rules)
    other = OracleGame(order, oracle_rules(rules))
    box = Counter({card.id: card.copies for card in rules.cards if card.copies})
    while True:
        assert everything(game) == box
        assert [game.hand(seat) for seat in (0, 1)] == [Counter(hand) for hand in other.hands]
        assert [game.in_play(seat) for seat in (0, 1)] == [
            {name: n for name, n in area.items() if n} for area in other.played]
        assert (game.lead, game.deck_left, game.is_over) == (other.lead, other.deck_left, other.over)
        legal = game.legal_actions()
        assert len(legal) == len(set(legal))
        assert set(legal) == legal_by_the_second_engine(other)
        assert [a for a in EVERY_ACTION if a in legal] == sorted(legal, key=EVERY_ACTION.index)
        if game.is_over:
            break
        offered = game.state[e.PHASE] == e.TAKING
        assert (game.active, game.turn) == (other.active, other.turn)
        assert game.to_move == (1 - game.active if offered else game.active)
        # Discards are many among the actions; without a bias games would spend them all at once.
        action = rng.choice(legal if rng.random() < 0.5 else [a for a in legal if not isinstance(a, Discard)])
        before = game.state.copy()
        after = game.apply(action)
        assert (game.state == before).all()
        game = after
        if isinstance(action, Discard):
            other.discard(action.name)
        elif isinstance(action, Offer):
            other.offer(action.face_up, action.face_down)
        else:
            other.take(action.card == "face_up")
    assert (game.to_move, game.legal_actions()) == (-1, [])
    final = final_values(other)
    assert (game.winner, game.end_reason, game.tie_rule_used) == (
        final["winner"], final["end_reason"], final["tie_rule"])
    assert game.turn + 1 == final["n_turns"]


def legal_by_the_second_engine(other: OracleGame) -> set[Action]:
    if other.over:
        return set()
    if other.offered is not None:
        return {Take("face_up"), Take("hidden")}
    return {Offer(*pair) for pair in other.legal_offers()} | {Discard(name) for name in other.legal_discards()}


def test_legal_is_what_can_be_applied() -> None:
    """By trial of all 74 actions there are, in positions of all kinds; the second engine refuses the same ones."""
    for seed in range(few(12, 2)):
        for game in walk(seed, discard_rate=0.3):
            legal = set(game.legal_actions())
            for action in EVERY_ACTION:
                if action in legal:
                    game.apply(action)
                    continue
                with pytest.raises(IllegalAction) as error:
                    game.apply(action)
                for one in legal:
                    assert str(one) in str(error.value)
                assert str(action) in str(error.value)


@pytest.mark.parametrize("nonsense", [None, "offer", 3, ("enforcer", "saboteur"), Offer("joker", "mole"), Discard(""),
                                      Take("down")])  # type: ignore[arg-type]
def test_nonsense_is_illegal_too(nonsense: Any) -> None:
    for game in walk(1):
        with pytest.raises(IllegalAction, match=r"is not legal here; legal: "):
            game.apply(nonsense)


def test_messages_of_illegal_actions() -> None:
    game = position(active_hand=["enforcer", "enforcer", "saboteur"], deck=0)
    with pytest.raises(IllegalAction) as error:
        game.apply(Offer("enforcer", "enforcer"))
    assert str(error.value) == (
        "'offer enforcer face up, enforcer face down' is not legal here; legal: "
        "offer enforcer face up, saboteur face down; offer saboteur face up, enforcer face down")
    with pytest.raises(IllegalAction, match=r"'take the hidden card' is not legal here; legal: offer"):
        game.apply(Take("hidden"))
    with pytest.raises(IllegalAction, match=r"legal: take the face-up card; take the hidden card$"):
        game.apply(Offer("enforcer", "saboteur")).apply(Discard("enforcer"))
    over = walk(1)[-1]
    with pytest.raises(IllegalAction, match=r"legal: nothing, the game is over$"):
        over.apply(Take("hidden"))
    with pytest.raises(OracleIllegal):
        OracleGame(step.deck_order(1, 0)).take(True)


# ---- immutability, equality ---------------------------------------------------------------------------------------


def test_positions_can_be_kept_compared_and_forked() -> None:
    course = walk(4, discard_rate=0.3)
    texts = [str(game) for game in course]
    states = [game.state.copy() for game in course]
    for game in course:
        for action in game.legal_actions():
            once, again = game.apply(action), game.apply(action)
            assert once == again
            assert hash(once) == hash(again)
            assert once != game
    assert [str(game) for game in course] == texts
    assert all((game.state == state).all() for game, state in zip(course, states, strict=True))
    assert len(set(course)) == len(course)
    assert copy(course[2]) == deepcopy(course[2]) == course[2]
    assert course[0] != step.new_game(4, make_rules({"rules.hand_size": 5}))
    assert course[0] != step.new_game(5)
    assert course[0] != "a game"


def test_states_are_frozen() -> None:
    game = step.new_game(1)
    for name in ("rules", "state", "table", "winner", "turn"):
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(game, name, None)
    with pytest.raises(FrozenInstanceError):
        Offer("mole", "sidekick").face_up = "enforcer"  # type: ignore[misc]


# ---- what a seat observes -----------------------------------------------------------------------------------------


def test_observations_of_both_seats() -> None:
    seen = Counter[str]()
    for seed in range(few(30, 4)):
        for game in walk(seed, discard_rate=0.4):
            for seat in (0, 1):
                observed = game.observe(seat)
                assert observed.seat == seat
                assert observed.to_move is (game.to_move == seat)
                assert observed.legal == (tuple(game.legal_actions()) if game.to_move == seat else ())
                assert (observed.hand, observed.mine) == (game.hand(seat), game.in_play(seat))
                assert observed.theirs == game.in_play(1 - seat)
                assert observed.discarded == named(game.state[e.TOSSED + seat])
                assert observed.lead == (game.lead if seat == 0 else -game.lead)
                assert (observed.catch_at, observed.caught_at) == (7, 7)
                assert observed.discards_left == 4 - sum(observed.discarded.values())
                assert observed.their_discards_left == game.observe(1 - seat).discards_left
                assert (observed.deck, observed.their_hand) == (game.deck_left, sum(game.hand(1 - seat).values()))
                assert observed.turn == game.turn
                offered = game.state[e.PHASE] == e.TAKING
                assert observed.face_up == (NAMES[game.state[e.UP]] if offered else None)
                own = offered and seat == game.active
                assert observed.own_face_down == (NAMES[game.state[e.DOWN]] if own else None)
                seen["offered"] += offered
                seen["own"] += own
                seen["discards"] += bool(observed.discarded)
    assert min(seen.values()) > 0


def test_homes_that_are_not_opposite_are_seen_from_each_chair() -> None:
    game = step.new_game(1, make_rules({"rules.home_1": 5}))
    assert [(o.catch_at, o.caught_at) for o in map(game.observe, (0, 1))] == [(5, 9), (9, 5)]


@pytest.mark.parametrize("seat", [-1, 2, None, "0"])
def test_other_seats_do_not_exist(seat: Any) -> None:
    with pytest.raises(InputError, match=r"there is no seat .* \(allowed: 0 or 1\)"):
        step.new_game(1).observe(seat)


# ---- in words -----------------------------------------------------------------------------------------------------


def test_a_position_in_words() -> None:
    game = position(lead=3, active_has=["enforcer", "enforcer"], other_has=["mole"], discarded=(["sentinel"], []),
                    active_hand=["saboteur", "saboteur", "sidekick"], other_hand=[], deck=9)
    assert str(game) == (
        "turn 1, seat 0 offers; lead +3 for seat 0 (catches at +7, is caught at -7); deck 9\n"
        "  seat 0: hand 2 saboteur, sidekick; in play 2 enforcer; discards used 1 of 4\n"
        "  seat 1: hand nothing; in play mole; discards used 0 of 4")
    offered = game.apply(Offer("sidekick", "saboteur"))
    assert str(offered).endswith("\n  on the table: sidekick face up, saboteur face down")
    assert str(offered.apply(Take("hidden"))).endswith("  over: seat 0 wins by catch")
    tie = position(active_hand=["sentinel", "codebreaker"], other_hand=[], deck=0)
    assert str(turn(tie, "sentinel", "codebreaker", True)).endswith("  over: seat 0 wins by out_of_cards (tie rule)")
    rules = make_rules({"rules.tie_rule": "draw"})
    tie = position(active_hand=["sentinel", "codebreaker"], other_hand=[], deck=0, rules=rules)
    assert str(turn(tie, "sentinel", "codebreaker", True)).endswith("  over: nobody wins by out_of_cards (tie rule)")


def test_text_follows_the_game() -> None:
    for before, after in pairwise(walk(9)):
        assert str(before) != str(after)
        for seat in (0, 1):
            assert f"seat {seat}: hand " in str(after)
    assert "over: " in str(after)


# ---- new games ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_out_of_range(seed: int) -> None:
    with pytest.raises(InputError, match=r"^seed: .*0 to 2\^64 - 1"):
        step.new_game(seed)


def test_deals_out_of_range_and_bad_rules() -> None:
    with pytest.raises(InputError, match=r"^deal: -1 is out of range"):
        the_game().new_game(1, deal=-1)
    with pytest.raises(InputError, match="hand_size"):
        the_game().new_game(1, {"rules.hand_size": 1})


def test_a_game_is_fixed_by_seed_and_deal() -> None:
    games = [step.new_game(seed, deal=deal) for seed in (0, 1, 2**64 - 1) for deal in (0, 1, 10**15)]
    assert len({tuple(step.deck_order(seed, deal)) for seed in (0, 1, 2**64 - 1) for deal in (0, 1, 10**15)}) == 9
    assert len(set(games)) == 9
    assert step.new_game(2**64 - 1, deal=10**15) == games[-1]
    assert the_game().new_game(1, {"rules.hand_size": 5}).hand(0) == step.new_game(
        1, make_rules({"rules.hand_size": 5})).hand(0)


def test_the_kth_card_is_the_same_whoever_draws_it() -> None:
    """Two ways to play one deal: hands differ, but card k off the deck does not."""
    order = step.deck_order(12, 3)
    drawn: list[list[str]] = []
    for seed in range(20):
        rng, game, cards = Random(seed), step.new_game(12, deal=3), list[str]()
        while not game.is_over:
            after = game.apply(rng.choice(game.legal_actions()))
            cards += [NAMES[code] for code in after.state[e.DECK + int(game.state[e.DRAWN]):
                                                          e.DECK + int(after.state[e.DRAWN])]]
            game = after
        drawn.append(cards)
        assert cards == order[8:8 + len(cards)]
    assert len({len(cards) for cards in drawn}) > 1
