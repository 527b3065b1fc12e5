"""From counters to results: known answers, empty runs, and coverage of the cautious intervals."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from agentsim.commands.results import result_dict, result_lines, verdict
from agentsim.experiment import Experiment, build_experiment
from agentsim.games import base
from agentsim.stats.intervals import wilson
from agentsim.summary import MatchupResult, result_frame, summarise
from tests.fake_game import HighCard


@pytest.fixture(autouse=True)
def fake_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_REGISTRY", {"high_card": HighCard()})
    monkeypatch.setattr(base, "_load", lambda *names: None)


def plan(*policies: str, **arguments: Any) -> Experiment:
    return build_experiment(list(policies), game="high_card", games=8, **arguments)


def pair_tally(deals: list[tuple[str, str]]) -> dict[str, np.ndarray]:
    """The counters of a matchup from its deals: results of a in seat 0, then in seat 1, each of W, D, L."""
    points = {"W": 2, "D": 1, "L": 0}
    tally = {"deal_score_a": np.zeros(5, np.int64), "deal_score_seat0": np.zeros(5, np.int64),
             "a_by_seat": np.zeros((2, 3), np.int64), "seat0": np.zeros(3, np.int64),
             "turns": np.zeros(10, np.int64), "end_reason": np.zeros(2, np.int64)}
    for first, second in deals:
        tally["deal_score_a"][points[first] + points[second]] += 1
        tally["deal_score_seat0"][points[first] + 2 - points[second]] += 1
        for seat, result in enumerate((first, second)):
            column = "WDL".index(result)
            tally["a_by_seat"][seat, column] += 1
            tally["seat0"][column if seat == 0 else 2 - column] += 1
            tally["turns"][3 + column] += 1
            tally["end_reason"][int(result == "D")] += 1
    return tally


DEALS = [("W", "W"), ("W", "L"), ("D", "W"), ("L", "D")]


def test_a_matchup_by_hand() -> None:
    result, = summarise(plan("calm", "brave"), [pair_tally(DEALS)])
    assert (result.policies, result.mirror, result.n_games, result.n_deals) == (("calm", "brave"), False, 8, 4)
    assert (result.wins_a, result.draws, result.losses_a) == (4, 2, 2)
    assert result.score_a.estimate == pytest.approx(5 / 8)
    # Seat 0 game by game: a's result when a sat there, the opposite of it otherwise.
    assert result.score_seat0.estimate == pytest.approx((1 + 0 + 1 + 1 + 0.5 + 0 + 0 + 0.5) / 8)
    assert result.draw_share.estimate == pytest.approx(2 / 8)
    assert result.turns.estimate == pytest.approx((4 * 3 + 2 * 4 + 2 * 5) / 8)
    assert {name: share.estimate for name, share in result.ends.items()} == {"high": 0.75, "tie": 0.25}
    assert (result.draw_share.n_deals, result.draw_share.n_games) == (4, 8)


def test_a_mirror_counts_seat_0_and_its_shares_are_wilson_intervals() -> None:
    tally = {"deal_score_a": np.array([3, 0, 5]), "deal_score_seat0": np.array([3, 0, 5]), "seat0": np.array([5, 0, 3]),
             "a_by_seat": np.array([[5, 0, 3], [0, 0, 0]]), "turns": np.array([0, 8]), "end_reason": np.array([6, 2])}
    result, = summarise(plan("calm"), [tally])
    assert result.mirror
    assert (result.wins_a, result.draws, result.losses_a, result.n_games, result.n_deals) == (5, 0, 3, 8, 8)
    assert (result.score_a.low, result.score_a.high) == pytest.approx((wilson(5, 8).low, wilson(5, 8).high))
    assert (result.ends["tie"].low, result.ends["tie"].high) == pytest.approx((wilson(2, 8).low, wilson(2, 8).high))


def test_intervals_of_several_matchups_hold_together() -> None:
    tallies = [pair_tally(DEALS * 50)]
    alone, = summarise(plan("calm", "brave"), tallies)
    many = summarise(plan("calm", "brave", "even", matchups="pairs"), tallies * 3)
    assert many[0].score_a.level == pytest.approx(0.95 ** (1 / 3))
    assert many[0].score_a.low < alone.score_a.low
    assert many[0].score_a.estimate == alone.score_a.estimate


def test_a_matchup_without_games_has_no_estimates() -> None:
    result, = summarise(plan("calm", "brave"), [{}])
    assert (result.n_games, result.n_deals) == (0, 0)
    assert math.isnan(result.score_a.estimate)
    assert json.loads(json.dumps(result.as_dict(), allow_nan=False))["score_a"]["estimate"] is None
    assert result_lines(plan("calm", "brave"), [result], 100) == ["No games were played yet."]


def test_half_a_round_robin_can_be_told() -> None:
    experiment = plan("calm", "brave", "even", matchups="pairs")
    lines = result_lines(experiment, summarise(experiment, [pair_tally(DEALS), {}, {}]), 100)
    assert any("brave" in line and "even" in line and "no games yet" in line for line in lines)


def test_the_frame_has_a_row_per_matchup() -> None:
    experiment = plan("calm", "brave", "even", matchups="pairs")
    frame = result_frame(summarise(experiment, [pair_tally(DEALS)] * 3))
    assert list(frame["policy_b"]) == ["brave", "even", "even"]
    assert (frame["score_a"] == 5 / 8).all()
    assert (frame["score_a_low"] < frame["score_a"]).all()
    assert {"draw_share_high", "turns_low", "end_tie", "level"} <= set(frame.columns)


def test_cautious_intervals_cover_at_least_as_often_as_they_say() -> None:
    """Games of a deal that always end alike are the worst case: the interval must still cover."""
    rng = np.random.default_rng(5)
    repetitions, n_deals, share, missed = 2000, 200, 0.3, 0
    for _ in range(repetitions):
        draws = int(rng.binomial(n_deals, share))
        tally = pair_tally([("D", "D")] * draws + [("W", "L")] * (n_deals - draws))
        result, = summarise(plan("calm", "brave"), [tally])
        missed += not result.draw_share.contains(share)
    assert missed / repetitions <= 0.05 + 2.33 * math.sqrt(0.05 * 0.95 / repetitions)


# ------------------------------------------------------------------------------------------- in words


def one(deals: list[tuple[str, str]]) -> MatchupResult:
    return summarise(plan("calm", "brave"), [pair_tally(deals)])[0]


def test_the_verdict_follows_the_interval() -> None:
    assert verdict(one([("W", "W")] * 100)) == "calm is the stronger one here."
    assert verdict(one([("L", "L")] * 100)) == "brave is the stronger one here."
    assert verdict(one([("W", "L")] * 50 + [("L", "W")] * 50)).startswith("These games do not tell which")


def test_the_table_of_several_matchups_and_the_matrix() -> None:
    experiment = plan("calm", "brave", "even", matchups="pairs")
    tallies = [pair_tally([("W", "W")] * 60 + [("W", "L")] * 40), pair_tally([("L", "L")] * 100),
               pair_tally([("W", "L")] * 100)]
    results = summarise(experiment, tallies)
    lines = result_lines(experiment, results, 120)
    text = "\n".join(lines)
    assert "3 intervals of a column hold together" in text
    matrix = lines[next(i for i, line in enumerate(lines) if line.lstrip().startswith("row scores")):]
    assert [line.split()[1] for line in matrix[1:4]] == ["even", "calm", "brave"]
    assert matrix[1].split()[2] == "-"
    assert max(map(len, lines)) <= 120
    assert not any(line.lstrip().startswith("row scores") for line in result_lines(experiment, results, 30))


def test_many_matchups_are_a_matrix_and_their_mirrors() -> None:
    policies = ["calm", "brave", "even", "calm(nerve=0.2)", "calm(nerve=0.3)"]
    experiment = plan(*policies, matchups="round_robin")
    mirror = {"deal_score_a": np.array([4, 0, 4]), "deal_score_seat0": np.array([4, 0, 4]),
              "seat0": np.array([4, 0, 4]), "a_by_seat": np.array([[4, 0, 4], [0, 0, 0]]), "turns": np.array([0, 8]),
              "end_reason": np.array([8, 0])}
    tallies = [mirror if i == j else pair_tally(DEALS) for i, j in experiment.matchups]
    assert len(tallies) == 15
    few = result_lines(experiment, summarise(experiment, tallies), 120)
    assert sum("mirror" in line for line in few) == 5
    assert sum(line.count("62") > 0 and "±" in line for line in few) == 10
    bigger = plan(*policies, "calm(nerve=0.4)", matchups="round_robin")
    tallies = [mirror if i == j else pair_tally(DEALS) for i, j in bigger.matchups]
    many = result_lines(bigger, summarise(bigger, tallies), 120)
    assert many[0].startswith("  row scores, %")
    assert sum("mirror" in line for line in many) == 6
    assert sum("±" in line for line in many) == 6 + 1
    assert "the 21 intervals of a column" in " ".join(many)
    narrow = result_lines(bigger, summarise(bigger, tallies), 40)
    assert sum("±" in line for line in narrow) >= 21


def test_the_json_shape() -> None:
    found = result_dict([one(DEALS)])
    assert set(found) == {"level", "family_size", "matchups"}
    assert set(found["matchups"][0]) == {
        "matchup_id", "policies", "mirror", "games_per_deal", "n_games", "n_deals", "wins_a", "draws", "losses_a",
        "score_a", "score_seat0", "draw_share", "turns", "ends"}
    assert set(found["matchups"][0]["score_a"]) == {
        "estimate", "low", "high", "n", "n_deals", "n_games", "level", "method"}
