"""Planted cards in the real engine: blanks that do nothing, a card that wins, effects known from elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from agentsim.games.agent_avenue.cards.market import Effect, MarketCard
from agentsim.games.base import get_game
from agentsim.stats import agreement, blank_contrast, fork_effects, pick_effects
from analyses.market_trials import with_blanks
from tests.stats.planted import allowed

GAME = get_game("agent_avenue")
NOTHING = (Effect("nothing"),)
WINS = (Effect("win", when="end", condition="names", at_least=1),)


def blank(name: str) -> MarketCard:
    return MarketCard(name, "instant", NOTHING)


def rules_with(*cards: MarketCard, alone: bool = False, supply: int = 3) -> Any:
    """Advanced mode with picks by chance and these cards, beside those of the box or ``alone``."""
    rules = GAME.rules({"rules.mode": "advanced", "rules.picks": "uniform", "rules.supply": supply})
    return replace(rules, market_cards=cards if alone else (*rules.market_cards, *cards))


def session(rules: Any, policy: str = "random", seed: int = 1) -> Any:
    ref = GAME.policy(policy)
    return GAME.session(rules, [(ref, ref)], seed)


def ids(rules: Any) -> list[str]:
    return [card.id for card in rules.market_cards]


def test_a_fork_with_a_blank_is_exactly_nothing() -> None:
    rules = rules_with(blank("nothing_1"), blank("nothing_2"))
    for policy in ("random", "greedy"):
        forks = session(rules, policy).forks(0, 0, 4000)["forks"]
        for card in (-1, -2):
            assert forks[card].sum() > 100
            assert forks[card, 2] == forks[card].sum(), policy
        assert (forks[:-2, 2] < forks[:-2].sum(axis=1)).all()  # every card of the box changes something


def test_a_card_that_wins_outright_ranks_first() -> None:
    rules = rules_with(MarketCard("triumph", "ongoing", WINS))
    names = ids(rules)
    for policy in ("random", "greedy"):
        found = session(rules, policy)
        tally = found.play(0, 0, 20_000, "none").tally
        balance = pick_effects(tally["first_taken"], tally["first_left"], names).set_index("card")
        strength = fork_effects(found.forks(0, 50_000, 20_000)["forks"], names).set_index("card")
        for table in (balance, strength):
            assert table["effect"].idxmax() == "triumph"
            assert table.loc["triumph", "low"] > table["effect"].drop("triumph").max()
        # It wins at the End of the same turn, unless the tie rule speaks for the other player.
        assert balance.loc["triumph", "win_taken"] > 0.9


def test_a_start_with_the_winning_card_is_won_at_once() -> None:
    rules = rules_with(MarketCard("triumph", "ongoing", WINS))
    tally = session(rules).forced(len(ids(rules)) - 1, 0, 0, 500)
    # Unless a card takes seat 0's only agent away before the first End.
    assert tally["turns"][1] >= 485
    assert tally["deal_score_seat0"][2] >= 495


def counters(n_games: int, repetition: int) -> Any:
    """First landings of a market of two identical blanks, both always on offer."""
    found = session(rules_with(blank("left_hand"), blank("right_hand"), alone=True, supply=2), seed=1000 + repetition)
    return found.play(0, 0, n_games, "none").tally


@pytest.mark.slow
def test_two_identical_blanks_differ_no_more_often_than_chance_allows() -> None:
    alarms = 0
    for repetition in range(500):
        tally = counters(1500, repetition)
        table = pick_effects(tally["first_taken"], tally["first_left"], ["left_hand", "right_hand"], family_size=1)
        alarms += bool(table["low"][0] > 0 or table["high"][0] < 0)
    assert alarms / 500 <= allowed(0.05, 500)
    assert alarms > 5  # and the intervals are not idle


@pytest.mark.slow
def test_a_known_small_effect_is_recovered_at_the_stated_error() -> None:
    # The known effect: of the games that takers of one blank lose, a coin gives one in twenty-five to them.
    rng = np.random.default_rng(1)
    base = counters(400_000, 10_000)["first_taken"][:, 2].sum(axis=0)
    truth = 0.04 * base[2] / base.sum()
    missed, effects, errors = 0, [], []
    for repetition in range(500):
        tally = counters(1500, repetition)
        taken, left = tally["first_taken"], tally["first_left"]
        turned = rng.binomial(taken[0, 2, 2], 0.04)
        taken[0, 2] += [turned, 0, -turned]
        left[1, 2] = taken[0, 2]
        row = pick_effects(taken, left, ["left_hand", "right_hand"], family_size=1).iloc[0]
        missed += not row["low"] <= truth <= row["high"]
        effects.append(row["effect"])
        errors.append(row["se"])
    assert missed / 500 <= allowed(0.05, 500)
    assert np.mean(effects) == pytest.approx(truth, abs=3.5 * np.std(effects) / np.sqrt(500))
    assert np.mean(errors) == pytest.approx(np.std(effects), rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["random", "greedy", "expert"])
def test_picks_and_forks_measure_the_same_in_the_real_market(policy: str) -> None:
    rules, _ = with_blanks(rules_with())
    names = ids(rules)
    picks = session(rules, policy, seed=5).play(0, 0, 300_000, "none").tally["first_with_blank"]
    forks = session(rules, policy, seed=6).forks(0, 0, 300_000)["forks_with_blank"]
    table = agreement(blank_contrast(picks, names), fork_effects(forks, names), alpha=0.001)
    assert len(table) == 15
    assert table["agree"].all(), table[["card", "difference", "z"]]
