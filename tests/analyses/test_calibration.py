"""Beliefs that are right pass, beliefs that are wrong fail: made-up ones, and those of Shady Agents."""

from __future__ import annotations

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.games.shady_agents.rules import make_rules
from agentsim.games.shady_agents.trials import model_beliefs
from analyses.calibration import calibration


def made_up(seed: int, n_deals: int = 400, tilt: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Beliefs of which two in a deal come true together: one event, believed by two players alike."""
    draws = np.random.default_rng(seed)
    p = draws.random(n_deals)
    true = draws.random(n_deals) < np.clip(p + tilt, 0, 1)
    return np.repeat(np.arange(n_deals), 2), np.repeat(p, 2), np.repeat(true, 2)


def test_what_is_right_is_rejected_as_often_as_stated() -> None:
    p = [calibration(*made_up(seed)).p_value for seed in range(300)]
    # Of 300 fair tests 15 are expected to reject, with a standard error of 3.8.
    assert 3 <= sum(value < 0.05 for value in p) <= 28


def test_what_is_wrong_is_found_and_shown_where_it_is() -> None:
    found = calibration(*made_up(1, 4000, tilt=0.1))
    assert found.p_value < 1e-6
    middle = found.bins[(found.bins["bin"] > 0) & (found.bins["bin"] < 9)]
    assert ((middle["gap_low"] < 0.1) & (middle["gap_high"] > 0.1)).all()
    assert (middle["gap_low"] > 0).any()


def test_copies_of_a_belief_in_its_deal_say_no_more() -> None:
    deal, p, true = made_up(5)
    once = calibration(deal, p, true)
    thrice = calibration(np.tile(deal, 3), np.tile(p, 3), np.tile(true, 3))
    assert thrice.p_value == pytest.approx(once.p_value)
    assert thrice.bins["low"].tolist() == pytest.approx(once.bins["low"].tolist())


def test_few_deals_have_no_test() -> None:
    assert np.isnan(calibration(*made_up(1, 10)).p_value)


@pytest.mark.parametrize("believed", [[0.5, 1.2], [0.5]])
def test_what_is_no_belief_is_refused(believed: list[float]) -> None:
    with pytest.raises(InputError, match="believed"):
        calibration(np.zeros(2, int), np.array(believed), np.ones(2))


def test_beliefs_about_tools_are_right_if_tools_are_sent_as_believed_and_wrong_if_not() -> None:
    rules = make_rules({"rules.players": 5})
    assert calibration(*model_beliefs(rules, 3, 6000)).p_value > 0.001
    off = calibration(*model_beliefs(rules, 3, 6000, medkit_friend=0.5, bullet_enemy=0.5))
    assert off.p_value < 1e-6
    assert off.bins["gap"].iloc[-1] < -0.01  # too sure of its friends
