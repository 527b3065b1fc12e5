"""The win-rate matrix: intervals over all pairs, order, circles."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.stats import (
    adjusted_level,
    beats,
    deal_histogram,
    mean_of_deals,
    nontransitive_triples,
    strength,
    strength_from_deals,
    win_rate_matrix,
)
from tests.stats.planted import allowed

EVEN = [250, 0, 500, 0, 250]
CLEAR = [200, 0, 500, 0, 300]      # 55 %
SLIGHT = [245, 0, 500, 0, 255]     # 50.5 %, within the noise of 1000 deals


def test_both_directions_with_simultaneous_intervals() -> None:
    matrix = win_rate_matrix({("a", "b"): CLEAR, ("c", "a"): EVEN, ("b", "c"): SLIGHT, ("a", "a"): [1, 0, 1]})
    assert list(zip(matrix["policy_a"], matrix["policy_b"], strict=True)) == [
        ("a", "b"), ("a", "c"), ("b", "a"), ("b", "c"), ("c", "a"), ("c", "b")]
    interval = mean_of_deals(CLEAR, adjusted_level(3))
    first, mirrored = matrix.iloc[0], matrix.iloc[2]
    assert (first["score"], first["low"], first["high"]) == (interval.estimate, interval.low, interval.high)
    assert (mirrored["low"], mirrored["high"]) == (1 - interval.high, 1 - interval.low)
    assert (first["n_deals"], first["n_games"], first["family_size"], first["method"]) == (1000, 2000, 3, "sidak")
    points = np.repeat([0, 0.5, 1], [200, 500, 300])
    assert first["sd"] == pytest.approx(points.std(ddof=1))


def test_who_beats_whom_by_how_much() -> None:
    matrix = win_rate_matrix({("b", "a"): [300, 0, 500, 0, 200], ("a", "c"): [100, 0, 500, 0, 400], ("b", "c"): SLIGHT})
    table = beats(matrix)
    assert table[["winner", "loser"]].to_numpy().tolist() == [["a", "c"], ["a", "b"]]
    assert table["margin"].to_list() == pytest.approx([0.15, 0.05])


def test_a_circle_is_named_once_and_only_if_all_three_edges_are_clear() -> None:
    circle = {("rock", "scissors"): CLEAR, ("scissors", "paper"): CLEAR, ("paper", "rock"): CLEAR}
    found = nontransitive_triples(win_rate_matrix(circle))
    assert found[["a", "b", "c"]].to_numpy().tolist() == [["paper", "rock", "scissors"]]
    assert found["score_ab"][0] == found["score_bc"][0] == found["score_ca"][0] == pytest.approx(0.55)
    assert found["weakest_low"][0] == mean_of_deals(CLEAR, adjusted_level(3)).low > 0.5
    assert nontransitive_triples(win_rate_matrix(circle | {("paper", "rock"): SLIGHT})).empty
    assert nontransitive_triples(win_rate_matrix(circle | {("paper", "rock"): CLEAR[::-1]})).empty


def test_an_edge_clear_alone_but_not_in_the_family_names_no_circle() -> None:
    edge = [227, 0, 500, 0, 273]  # its own 95 % interval just clears 1/2
    assert mean_of_deals(edge).low > 0.5 > mean_of_deals(edge, adjusted_level(3)).low
    circle = {("a", "b"): edge, ("b", "c"): CLEAR, ("c", "a"): CLEAR}
    assert nontransitive_triples(win_rate_matrix(circle)).empty
    assert len(nontransitive_triples(win_rate_matrix(circle, method="pointwise"))) == 1


def test_all_circles_of_a_tournament_are_found() -> None:
    rng = np.random.default_rng(12)
    names = [f"p{i}" for i in range(9)]
    wins = {pair: bool(rng.integers(2)) for pair in itertools.combinations(names, 2)}
    matrix = win_rate_matrix({pair: [0, 0, 1000] if won else [1000, 0, 0] for pair, won in wins.items()})
    def won(x: str, y: str) -> bool:
        return wins[x, y] if (x, y) in wins else not wins[y, x]
    # Kendall and Babington Smith (1940): triples less those with somebody who beats both others
    scores = [sum(won(x, y) for y in names if y != x) for x in names]
    expected = math.comb(9, 3) - sum(math.comb(s, 2) for s in scores)
    found = nontransitive_triples(matrix)
    assert len(found) == expected > 5
    assert all(won(r.a, r.b) and won(r.b, r.c) and won(r.c, r.a) for r in found.itertuples())
    assert len({frozenset((r.a, r.b, r.c)) for r in found.itertuples()}) == expected


def shared_luck(rng: np.random.Generator, n: int, matchups: int) -> np.ndarray:
    """Scores of even matchups on the same deals: half-points of two games under luck common to all matchups."""
    luck = rng.beta(2, 2, (n, 1))
    first, second = rng.random((n, matchups)) < luck, rng.random((n, matchups)) < 1 - luck
    return 2 * (first.astype(int) + second)


def false_alarms(repetitions: int, seed: int) -> tuple[float, float]:
    """A/A: shares of round robins of six equals in which anybody beats anybody, or differs in strength from 1/2."""
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations("abcdef", 2))
    alarms = ranked = 0
    for i in range(repetitions):
        points = shared_luck(rng, 400, len(pairs))
        matrix = win_rate_matrix({pair: deal_histogram(points[:, j], 2) for j, pair in enumerate(pairs)})
        alarms += len(beats(matrix)) > 0
        table = strength_from_deals(points / 4, pairs, games_per_deal=2, replicates=2000, seed=i)
        ranked += bool(((table["low"] > 0.5) | (table["high"] < 0.5)).any())
    return alarms / repetitions, ranked / repetitions


def test_equals_are_seldom_told_apart() -> None:
    alarms, ranked = false_alarms(100, seed=1)
    assert alarms <= allowed(0.05, 100)
    assert ranked <= allowed(0.05, 100)


@pytest.mark.slow
def test_equals_are_told_apart_at_the_stated_rate() -> None:
    alarms, ranked = false_alarms(2000, seed=2)
    assert alarms <= allowed(0.05, 2000)
    assert ranked <= allowed(0.05, 2000)
    assert alarms >= 0.02  # not idle
    assert ranked >= 0.02


def test_strength_orders_and_its_sharper_form_agrees() -> None:
    rng = np.random.default_rng(7)
    pairs = [("weak", "strong"), ("middle", "weak"), ("strong", "middle")]
    p = [0.3, 0.6, 0.6]
    points = 2 * rng.binomial(2, np.repeat([p], 3000, axis=0))
    matrix = win_rate_matrix({pair: deal_histogram(points[:, j], 2) for j, pair in enumerate(pairs)})
    safe, sharp = strength(matrix), strength_from_deals(points / 4, pairs, games_per_deal=2)
    assert safe["policy"].to_list() == sharp["policy"].to_list() == ["strong", "middle", "weak"]
    assert safe["rank"].to_list() == [1, 2, 3]
    assert safe["score"].to_list() == pytest.approx(sharp["score"].to_list())
    assert safe["score"][0] == pytest.approx((0.7 + 0.6) / 2, abs=0.02)
    assert ((sharp["high"] - sharp["low"]) < (safe["high"] - safe["low"])).all()
    assert safe["n_games"].to_list() == sharp["n_games"].to_list() == [12_000] * 3
    assert (sharp["method"] == "max-t").all()
    assert (safe["n_deals"] == 3000).all()


def test_strength_needs_the_whole_field() -> None:
    with pytest.raises(InputError, match="the pair a, c is missing"):
        strength(win_rate_matrix({("a", "b"): EVEN, ("b", "c"): EVEN}))
    with pytest.raises(InputError, match="0 deals"):
        strength(win_rate_matrix({("a", "b"): [0, 0, 0]}))
    with pytest.raises(InputError, match="full round robin"):
        strength_from_deals([[0.5, 0.5]], [("a", "b"), ("b", "c")], games_per_deal=2)
    with pytest.raises(InputError, match="repeated"):
        strength_from_deals([[0.5, 0.5]], [("a", "b"), ("b", "a")], games_per_deal=2)
    with pytest.raises(InputError, match="shape"):
        strength_from_deals([0.5], [("a", "b")], games_per_deal=2)
    with pytest.raises(InputError, match="score"):
        strength_from_deals([[2.0]], [("a", "b")], games_per_deal=2)


def test_bad_and_empty_matrices() -> None:
    with pytest.raises(InputError, match="both orders"):
        win_rate_matrix({("a", "b"): EVEN, ("b", "a"): EVEN})
    with pytest.raises(InputError, match="'low' is missing"):
        beats(win_rate_matrix({("a", "b"): EVEN}).drop(columns="low"))
    empty = win_rate_matrix({})
    assert empty.empty
    assert nontransitive_triples(empty).empty
    assert beats(empty).empty
    unplayed = win_rate_matrix({("a", "b"): [0, 0, 0, 0, 0]})
    assert unplayed["low"].isna().all()
    assert beats(unplayed).empty
