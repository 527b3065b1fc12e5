"""What policies ask about an exchange is what the engine then does."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.policies import exchange as x
from agentsim.games.agent_avenue.rules import LOSE, TIE_RULE, WIN, make_rules
from agentsim.games.agent_avenue.step import GameState, Offer, Take
from agentsim.games.agent_avenue.view import observe
from tests.games.agent_avenue.helpers import NAMES, STANDARD, TIE_RULES, few, random_position, walk, zone


def ahead(game: GameState) -> np.ndarray:
    """The look-ahead of both seats, made afresh."""
    scratch = np.full(x.SCRATCH_SIZE, 77, dtype=np.int64)
    x.look_ahead_all(scratch, game.table, game.state)
    return scratch


@pytest.mark.parametrize("tie_rule", TIE_RULES)
def test_foreseen_endings_are_those_of_the_end_step(tie_rule: str) -> None:
    """Every exchange that could be made in many positions, foreseen by both seats and then made."""
    rules = make_rules({"rules.tie_rule": tie_rule, "rules.ring": 9, "rules.home_1": 4, "cards.codebreaker.wins_at": 2,
                        "cards.daredevil.loses_at": 2})
    rng, seen = Random(3), set()
    for _ in range(few(400, 30)):
        game = random_position(rng, rules)
        me = game.active
        for offer in game.legal_actions():
            if not isinstance(offer, Offer):
                continue
            up, down = NAMES.index(offer.face_up), NAMES.index(offer.face_down)
            offered = game.apply(offer)
            for card, mine, its in (("face_up", down, up), ("hidden", up, down)):
                after = offered.apply(Take(card))  # type: ignore[arg-type]
                for seat, (own, other) in ((me, (mine, its)), (1 - me, (its, mine))):
                    view = observe(game.state, game.table, seat)
                    lead = after.lead if seat == 0 else -after.lead
                    foreseen = int(x.ends(view, game.table[TIE_RULE], seat == me, lead,
                                          x.next_sets(game.table, view.mine, own),
                                          x.next_sets(game.table, view.theirs, other)))
                    if after.end_reason == "out_of_cards" or after.winner is None:
                        assert foreseen == 0
                    else:
                        assert foreseen == (1 if after.winner == seat else -1)
                    seen.add((foreseen, after.tie_rule_used))
    if few(1, 0):
        assert seen >= {(0, False), (1, False), (-1, False), (1, True) if tie_rule != "draw" else (0, True)}


@pytest.mark.parametrize(("number", "tie_rule"), list(enumerate(TIE_RULES)))
def test_every_verdict_in_a_word(number: int, tie_rule: str) -> None:
    game = random_position(Random(1))
    view = observe(game.state, game.table, 0)
    for mine, theirs, lead, active in product(range(4), range(4), (-7, -6, 0, 6, 7), (True, False)):
        win_me, win_it = bool(mine & WIN) or lead >= 7, bool(theirs & WIN) or lead <= -7
        lose_me, lose_it = bool(mine & LOSE), bool(theirs & LOSE)
        sides = (win_me, win_it, lose_me, lose_it) if active else (win_it, win_me, lose_it, lose_me)
        result, _ = e.decide(number, *sides)
        score = {e.ACTIVE_WINS: 1, e.OTHER_WINS: -1}.get(int(result), 0)
        assert x.ends(view, number, active, lead, mine, theirs) == (score if active else -score)
        if mine == theirs == 0:
            assert x.catches(view, lead) == x.ends(view, number, active, lead, 0, 0)


def test_the_look_ahead_is_what_one_more_copy_would_bring() -> None:
    moves = {card.id: [card.first, card.second] + [card.third] * 14 for card in STANDARD.cards}
    for seed in range(few(30, 3)):
        for game in walk(seed):
            scratch = ahead(game)
            for seat in (0, 1):
                base, area = x.AHEAD * seat, game.in_play(seat)
                next_moves = [moves[name][area.get(name, 0)] for name in NAMES]
                assert scratch[base + x.NEXT:base + x.NEXT + 8].tolist() == next_moves
                closing = [name for name in ("codebreaker", "daredevil") if area.get(name, 0) >= 2]
                assert scratch[base + x.CLOSING] == zone(closing)


def test_the_look_ahead_kept_from_turn_to_turn_is_the_same() -> None:
    """The kernel changes two entries a turn instead of making all of them anew."""
    for seed in range(few(30, 3)):
        course = walk(seed)
        kept = ahead(course[0])
        for game in course[1:]:
            if game.state[e.PHASE] != e.TAKING and game.state[e.STEP] == 0:
                last = 1 - game.active if not game.is_over else game.active
                x.look_ahead(kept, game.table, last, game.state[e.PLAY + last], game.state[e.RECRUITED])
                x.look_ahead(kept, game.table, 1 - last, game.state[e.PLAY + 1 - last], game.state[e.RECRUITED + 1])
                np.testing.assert_array_equal(kept[:2 * x.AHEAD], ahead(game)[:2 * x.AHEAD])


def test_cards_of_sets_are_counted_by_the_rules() -> None:
    rules = make_rules({"cards.mole.copies": 4, "cards.mole.wins_at": 3, "cards.codebreaker.loses_at": 5})
    game = random_position(Random(2), rules)
    area = zone({"codebreaker": 2, "mole": 1, "daredevil": 3, "sentinel": 4})
    assert (x.winning_cards(area, game.table), x.losing_cards(area, game.table)) == (3, 5)
