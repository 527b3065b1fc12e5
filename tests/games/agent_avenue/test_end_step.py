"""The End step in every combination, seen from both chairs, against the second engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.rules import compile_rules, make_rules
from agentsim.games.agent_avenue.step import Discard, GameState, Offer, Take
from tests.games.agent_avenue.helpers import JIT, NAMES, TIE_RULES, ending, position, zone
from tests.oracle.agent_avenue import OracleGame, OracleRules, end_check
from tests.oracle.records import LONGEST, OUT_OF_CARDS, Record

COUNTS = list(product(range(4), range(4)))
"""Codebreakers and daredevils that one player has in play."""
LEADS = range(-20, 21) if JIT else (-20, -7, -6, -1, 0, 1, 6, 7, 20)


def recruits(codebreakers: int, daredevils: int) -> Iterator[str]:
    """What a player with these sets may just have recruited: the card that completes its set, if one is complete.

    A set that was complete before this turn would have ended the game, so the engine looks at the new card only.
    """
    if codebreakers == 3:
        yield "codebreaker"
    elif daredevils == 3:
        yield "daredevil"
    else:
        yield "enforcer"
        if codebreakers:
            yield "codebreaker"
        if daredevils:
            yield "daredevil"


def mirrored(result: tuple[int | None, str, bool] | None) -> tuple[int | None, str, bool] | None:
    if result is None or result[0] is None:
        return result
    return 1 - result[0], result[1], result[2]


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@pytest.mark.parametrize(("deck", "next_hand"), [(5, 2), (1, 0), (0, 2), (0, 1), (0, 0)])
def test_every_combination(tie_rule: str, deck: int, next_hand: int) -> None:
    rules, other = make_rules({"rules.tie_rule": tie_rule}), OracleRules(tie_rule=tie_rule)
    table = compile_rules(rules)
    results: dict[tuple[int, int, tuple[int, int], tuple[int, int]], tuple[int | None, str, bool] | None] = {}
    base = np.zeros(e.STATE_SIZE, dtype=np.int64)
    base[e.DRAWN], base[e.WINNER], base[e.PHASE] = rules.n_cards - deck, -1, e.TAKING
    hand = zone({"saboteur": next_hand})
    for active, lead, mine, its in product((0, 1), LEADS, COUNTS, COUNTS):
        if mine == (3, 3) or its == (3, 3):
            continue  # cannot come about; see the next test
        areas = [zone({"codebreaker": c, "daredevil": d, "enforcer": 1}) for c, d in (mine, its)]
        state = base.copy()
        state[e.ACTIVE], state[e.LEAD] = active, lead
        state[e.PLAY + active], state[e.PLAY + 1 - active], state[e.HAND + 1 - active] = *areas, hand
        codebreakers, daredevils = zip(*((mine, its) if active == 0 else (its, mine)), strict=True)
        expected = end_check(active, lead, codebreakers, daredevils, deck, next_hand, other)
        for new_mine, new_its in product(recruits(*mine), recruits(*its)):
            after = state.copy()
            after[e.RECRUITED:e.RECRUITED + 2] = NAMES.index(new_mine), NAMES.index(new_its)
            e.end_step(after, table)
            if expected is None:
                assert (after[e.PHASE], after[e.ACTIVE], after[e.TURN]) == (e.PLAYING, 1 - active, 1)
                assert (after[e.WINNER], after[e.TIE]) == (-1, 0)
                found = None
            else:
                assert (after[e.PHASE], after[e.ACTIVE], after[e.TURN]) == (e.OVER, active, 0)
                winner = None if after[e.WINNER] < 0 else int(after[e.WINNER])
                found = winner, e.END_REASONS[after[e.REASON]], bool(after[e.TIE])
            assert found == (None if expected is None else tuple(vars(expected).values())), (active, lead, mine, its)
        results[active, lead, mine, its] = found
    for (active, lead, mine, its), result in results.items():
        assert results[1 - active, -lead, mine, its] == mirrored(result)
    reasons = Counter("goes on" if result is None else result[1] for result in results.values())
    undecided = "out_of_cards" if deck == 0 and next_hand < 2 else "goes on"
    assert set(reasons) == {"catch", "codebreakers", "daredevils", undecided}
    if JIT:
        assert reasons.total() == 2 * 41 * 15 * 15
        assert reasons[undecided] == 2 * 13 * 9 * 9


@pytest.mark.parametrize(("number", "tie_rule"), list(enumerate(TIE_RULES)))
def test_every_verdict_also_on_two_sets_of_one_player(number: int, tie_rule: str) -> None:
    """Both sets complete in one play area never comes about in play; the verdict on it is still that of the rules."""
    other = OracleRules(tie_rule=tie_rule)
    seen = Counter[int]()
    for active, lead, mine, its in product((0, 1), LEADS, COUNTS, COUNTS):
        codebreakers, daredevils = zip(*((mine, its) if active == 0 else (its, mine)), strict=True)
        expected = end_check(active, lead, codebreakers, daredevils, 1, 2, other)
        ahead = lead if active == 0 else -lead
        won = ahead >= 7 or mine[0] == 3, ahead <= -7 or its[0] == 3
        result, tied = e.decide(number, *won, mine[1] == 3, its[1] == 3)
        seen[result] += 1
        if expected is None:
            assert (result, tied) == (e.NOBODY, False)
        else:
            winner = {e.ACTIVE_WINS: active, e.OTHER_WINS: 1 - active, e.DRAWN_GAME: None}[int(result)]
            assert (winner, tied) == (expected.winner, expected.tie_rule_used)
    assert len(seen) == (4 if tie_rule == "draw" else 3)


@pytest.mark.parametrize("count", [3, 4, 5, 6])
@pytest.mark.parametrize("active", [0, 1])
def test_a_set_is_that_many_or_more(count: int, active: int) -> None:
    """With more than three only when a larger number makes the set: the game ends with the first that completes it."""
    rules = make_rules({"cards.codebreaker.wins_at": count, "cards.daredevil.loses_at": count})
    for name, winner in (("codebreaker", active), ("daredevil", 1 - active)):
        for held in range(count):
            game = position(active=active, active_has={name: held}, active_hand=[name, "sentinel"], rules=rules)
            after = game.apply(Offer("sentinel", name)).apply(Take("face_up"))
            assert after.is_over is (held == count - 1)
            assert not after.is_over or after.winner == winner
    table = compile_rules(rules)
    areas = [zone({"codebreaker": copies}) for copies in range(7)]
    assert [bool(e.sets_with(area, NAMES.index("codebreaker"), table)) for area in areas] == [
        copies >= count for copies in range(7)]


# ---- running out of cards, whole games -----------------------------------------------------------------------------


def replay_of(record: Record, tie_rule: str) -> tuple[GameState, OracleGame]:
    """Play a recorded game on both engines, the deck of the first laid so that its draws bring the recorded order."""
    deck = [NAMES.index(name) for name in record.cards()]
    rules = make_rules({"rules.tie_rule": tie_rule})
    game = position(rules=rules, active_hand=[], other_hand=[], turn=0)
    state, table = game.state, game.table
    probe = state.copy()
    probe[e.DECK:e.DECK + len(deck)] = range(len(deck))
    for _ in deck:
        e.draw(probe, table)  # afterwards place k names the place that the k-th draw takes its card from
    state[e.DECK + probe[e.DECK:e.DECK + len(deck)]] = deck
    for seat in (0, 1):
        for _ in range(4):
            state[e.HAND + seat] += 1 << 4 * int(e.draw(state, table))
    other = OracleGame(record.cards(), OracleRules(tie_rule=tie_rule))
    for choice in record.choices():
        for name in choice["discards"]:
            game = game.apply(Discard(name))
            other.discard(name)
        game = game.apply(Offer(choice["face_up"], choice["face_down"]))
        other.offer(choice["face_up"], choice["face_down"])
        assert [game.hand(seat) for seat in (0, 1)] == [Counter(hand) for hand in other.hands]
        game = game.apply(Take("face_up" if choice["took_face_up"] else "hidden"))
        other.take(choice["took_face_up"])
        assert (game.is_over, game.lead, game.deck_left) == (other.over, other.lead, other.deck_left)
    return game, other


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@pytest.mark.parametrize("ahead", [0, 1, None])
def test_running_out_under_the_published_cards(ahead: int | None, tie_rule: str) -> None:
    game, other = replay_of(OUT_OF_CARDS[ahead], tie_rule)
    level = {"active": 0, "passive": 1, "draw": None}[tie_rule]
    assert ending(game) == (level if ahead is None else ahead, "out_of_cards", ahead is None)
    assert ending(game) == (other.winner, other.end_reason, other.tie_rule_used)
    assert other.discards_used == [4, 4]


def test_the_longest_game_has_18_turns() -> None:
    game, other = replay_of(LONGEST, "active")
    assert (game.turn + 1, other.turn) == (18, 18)
    assert ending(game) == (other.winner, other.end_reason, other.tie_rule_used)
