"""The baselines, decision by decision, against the values that the second engine gives to every action."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from scipy.stats import chisquare

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.replay import choose_action
from agentsim.games.agent_avenue.rules import Rules, make_rules
from agentsim.games.agent_avenue.step import Action, Discard, GameState, Offer, Take
from tests.games.agent_avenue.helpers import (
    NAMES,
    STANDARD,
    decision_keys,
    few,
    needs_speed,
    oracle_view,
    player,
    position,
    random_position,
    session,
    walk,
)
from tests.oracle.baselines import (
    View,
    best_actions,
    greedy_offer_values,
    greedy_take_values,
    minmax_offer_values,
    minmax_take_values,
)

OFFER_VALUES = {"greedy": greedy_offer_values, "minmax": minmax_offer_values}
TAKE_VALUES = {"greedy": greedy_take_values, "minmax": minmax_take_values}
NOISE = Fraction(1, 100)
"""What minmax adds to an offer's value at most."""


@cache
def positions(count: int, rules: Rules = STANDARD) -> tuple[GameState, ...]:
    """Decisions to make: those of whole games, and positions of all sorts, before an offer and after it."""
    found = [game for seed in range(count // 20) for game in walk(seed, rules)[:-1]]
    rng = Random(5)
    for _ in range(count):
        game = random_position(rng, rules)
        found.append(game)
        found.append(game.apply(rng.choice([a for a in game.legal_actions() if isinstance(a, Offer)])))
    return tuple(found)


def acceptable(name: str, view: View) -> set[Action]:
    """The actions that the definition of a baseline allows."""
    if view.face_up is not None:
        return {Take("face_up" if up else "hidden") for up in best_actions(TAKE_VALUES[name](view))}
    values = OFFER_VALUES[name](view)
    blur = NOISE if name == "minmax" else Fraction(0)
    return {Offer(*pair) for pair, value in values.items() if value >= max(values.values()) - blur}


HOUSE_RULES = {
    "published": {},
    "passive": {"rules.tie_rule": "passive"},
    "draw": {"rules.tie_rule": "draw"},
    "uneven": {"rules.ring": 17, "rules.home_0": 3, "rules.home_1": 9, "rules.hand_size": 6},
    "other cards": {"cards.sentinel.copies": 3, "cards.mole.copies": 4, "cards.enforcer.second": -4,
                    "cards.codebreaker.wins_at": 2, "cards.daredevil.loses_at": 4, "cards.sidekick.first": 6},
}


@pytest.mark.parametrize("rules", HOUSE_RULES, ids=list(HOUSE_RULES))
@pytest.mark.parametrize("name", ["greedy", "minmax"])
def test_every_decision_is_one_of_the_best(name: str, rules: str) -> None:
    table = make_rules(HOUSE_RULES[rules])
    who = player(name, table)
    keys = decision_keys(10_000)
    kinds: Counter[tuple[bool, bool]] = Counter()
    for number, game in enumerate(positions(few(1000, 20), table)):
        best = acceptable(name, oracle_view(game))
        action = choose_action(game, who, keys[number])
        assert action in best, f"{game}\n{action}, but best is {best}"
        kinds[game.state[e.PHASE] == e.TAKING, len(best) < len(game.legal_actions())] += 1
    # Among them choices and offers, where something is to be decided.
    assert kinds[True, True] > few(500, 5)
    assert kinds[False, True] > few(500, 5)


def test_a_choice_can_hang_on_the_other_copies_of_the_face_up_name() -> None:
    """Greedy reckons with them, minmax does not, and neither with the one that lies there."""
    seen = Counter[str]()
    for game in positions(few(1500, 40)):
        if game.state[e.PHASE] != e.TAKING:
            continue
        view = oracle_view(game)
        for name in ("greedy", "minmax"):
            seen[name] += len(best_actions(TAKE_VALUES[name](view))) == 1
        greedy, minmax = (best_actions(TAKE_VALUES[name](view)) for name in ("greedy", "minmax"))
        seen["differ"] += greedy != minmax
    assert min(seen.values()) > 0


def test_minmax_takes_the_face_up_card_when_no_other_name_is_unseen() -> None:
    rules = make_rules({f"cards.{name}.copies": 0 for name in NAMES} | {"cards.saboteur.copies": 12})
    game = position(active_hand=["saboteur"] * 4, other_hand=["saboteur"] * 4, rules=rules)
    game = game.apply(Offer("saboteur", "saboteur"))
    takes = {choose_action(game, player("minmax", rules), key) for key in decision_keys(50)}
    assert takes == {Take("face_up")}
    # Greedy counts the other copies: an exact tie, so it tosses a coin.
    assert len({choose_action(game, player("greedy", rules), key) for key in decision_keys(50)}) == 2


@pytest.mark.parametrize("name", ["greedy", "minmax"])
def test_the_only_pair_of_a_hand_of_one_name(name: str) -> None:
    game = position(active_hand=["enforcer"] * 4)
    assert {choose_action(game, player(name), key) for key in decision_keys(20)} == {Offer("enforcer", "enforcer")}


# ---- chance --------------------------------------------------------------------------------------------------------


def assert_uniform(actions: Counter[Action], choices: set[Action]) -> None:
    assert set(actions) == choices
    assert chisquare([actions[action] for action in sorted(choices, key=str)]).pvalue > 1e-4


def drawn(name: str, game: GameState, n: int, seed: int = 9) -> Counter[Action]:
    who = player(name, game.rules)
    return Counter(choose_action(game, who, key) for key in decision_keys(n, seed))


@needs_speed
def test_exact_ties_of_greedy_are_uniform() -> None:
    hand = ["enforcer", "saboteur", "sentinel", "saboteur"]
    game = position(active_hand=hand)
    best = acceptable("greedy", oracle_view(game))
    assert len(best) == 4  # two pairs, either card up
    assert_uniform(drawn("greedy", game, 8000), best)
    tied = [game for game in positions(200) if len(acceptable("greedy", oracle_view(game))) > 2]
    assert {len(acceptable("greedy", oracle_view(game))) for game in tied} >= {4}
    for game in tied[:4]:
        assert_uniform(drawn("greedy", game, 3000), acceptable("greedy", oracle_view(game)))


@needs_speed
@pytest.mark.parametrize("name", ["greedy", "minmax"])
def test_exact_ties_of_choices_are_even(name: str) -> None:
    still = {f"cards.{agent}.{number}": 0 for agent in NAMES for number in ("first", "second", "third")}
    gone = {f"cards.{agent}.copies": 0 for agent in ("codebreaker", "daredevil", "sentinel")}
    game = position(rules=make_rules(still | gone), active_hand=["mole", "enforcer"], other_hand=["saboteur"])
    game = game.apply(Offer("mole", "enforcer"))
    assert acceptable(name, oracle_view(game)) == {Take("face_up"), Take("hidden")}
    assert_uniform(drawn(name, game, 4000), {Take("face_up"), Take("hidden")})


def exactly_best(game: GameState) -> set[Action]:
    """Offers of the greatest value before the noise."""
    view = oracle_view(game)
    return {Offer(*pair) for pair in best_actions(minmax_offer_values(view))} if view.face_up is None else set()


@needs_speed
def test_minmax_noise_chooses_among_equals_and_nothing_else() -> None:
    """Either order of a pair has the same value, and so have some pairs: all of them are offered as often.

    Unequal values differ by 0.01 at least, so the noise never puts a worse offer first.
    """
    found = [game for game in positions(400) if len(exactly_best(game)) > 2][:6]
    assert len(found) == 6
    for game in [position(active_hand=["enforcer", "saboteur", "daredevil", "codebreaker"]), *found]:
        assert_uniform(drawn("minmax", game, 4000), exactly_best(game))
    gaps = set()
    for game in positions(400):
        if game.state[e.PHASE] != e.TAKING:
            ranked = sorted(set(minmax_offer_values(oracle_view(game)).values()))
            gaps |= {b - a for a, b in pairwise(ranked)}
    assert min(gaps) >= NOISE


@needs_speed
@pytest.mark.parametrize("hand", [
    ["enforcer", "saboteur", "saboteur", "saboteur"], ["enforcer", "saboteur", "saboteur", "sentinel"],
    ["double_agent", "mole", "sidekick", "codebreaker"],
    ["double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel", "sidekick", "mole"]])
def test_random_offers_are_uniform_over_ordered_pairs_of_names(hand: list[str]) -> None:
    game = position(active_hand=hand, other_hand=[])
    pairs: set[Action] = {Offer(up, down) for up in hand for down in hand if up != down}
    assert_uniform(drawn("random", game, 20_000), pairs)
    assert_uniform(drawn("random_discards", game, 20_000), pairs | {Discard(name) for name in hand})


@needs_speed
def test_random_discards_when_it_may_and_only_then() -> None:
    one_name = position(active_hand=["enforcer"] * 4)
    assert_uniform(drawn("random_discards", one_name, 4000), {Offer("enforcer", "enforcer"), Discard("enforcer")})
    for game in (position(deck=0), position(discarded=(["mole", "sidekick", "mole"][:2] + ["sentinel"] * 2, []))):
        assert {type(action) for action in drawn("random_discards", game, 500)} == {Offer}
    takes: set[Action] = {Take("face_up"), Take("hidden")}
    offered = position().apply(Offer("enforcer", "saboteur"))
    assert_uniform(drawn("random", offered, 4000), takes)
    assert_uniform(drawn("random_discards", offered, 4000), takes)


@needs_speed
def test_random_play_in_logs_is_uniform_too() -> None:
    """The same in whole games, where every decision has its own stream: by size of the hand's set of names."""
    turns = session("random", seed=4).play(0, 0, 60_000, "full").tables["turns"]
    hands = np.column_stack([turns[f"hand_{name}"] for name in NAMES]) > 0
    names = hands.sum(axis=1)
    rank = np.cumsum(hands, axis=1) - 1
    rows = np.arange(len(names))
    up, down = rank[rows, turns["face_up"]], rank[rows, turns["face_down"]]
    for n in (2, 3, 4):
        here = names == n
        pair = up[here] * n + down[here]
        counts = np.bincount(pair, minlength=n * n).reshape(n, n)
        assert not counts.diagonal().any()
        assert chisquare(counts[~np.eye(n, dtype=bool)]).pvalue > 1e-4
    assert chisquare(np.bincount(turns["took_face_up"].astype(int))).pvalue > 1e-4
    # One decision says nothing about the next of the same game, nor about the other seat's.
    same = turns["game_id"][1:] == turns["game_id"][:-1]
    together = turns["took_face_up"][1:][same] * 2 + turns["took_face_up"][:-1][same]
    assert chisquare(np.bincount(together)).pvalue > 1e-4


# ---- figures -------------------------------------------------------------------------------------------------------


@needs_speed
@pytest.mark.parametrize(("a", "b", "percent"), [("greedy", "random", 85.7), ("greedy", "minmax", 57.6)])
def test_published_win_rates(a: str, b: str, percent: float) -> None:
    """Figures of another program, with the same definitions; they are rounded to a tenth of a percent."""
    deals = 400_000
    scores = session((a, b), seed=31).play(0, 0, deals, "none").tally["deal_score_a"]
    share = np.arange(5) / 4
    mean = (scores * share).sum() / deals
    error = np.sqrt((scores * (share - mean) ** 2).sum() / deals / deals)
    assert abs(100 * mean - percent) < 300 * error + 0.3
