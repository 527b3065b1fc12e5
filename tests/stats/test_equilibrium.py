"""Linear programs, Nash averaging and alpha-rank: known games, their axioms, and OpenSpiel's implementations."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from agentsim.errors import InputError
from agentsim.stats import alpha_rank, equilibrium_table, nash_average, solve_zero_sum

RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def payoffs(n: int, seed: int, *, whole: bool = False) -> npt.NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    above = np.triu(rng.integers(-1, 2, (n, n)) if whole else rng.normal(0.0, 0.1, (n, n)), 1)
    matrix: npt.NDArray[np.float64] = (above - above.T).astype(np.float64)
    return matrix


def entropy(p: npt.NDArray[np.float64]) -> float:
    positive = p[p > 0]
    return float(-(positive * np.log(positive)).sum())


def test_a_game_that_is_not_square() -> None:
    solved = solve_zero_sum([[3, 0, 5], [1, 2, 1]])  # the third column is never better than the first
    assert solved.value == pytest.approx(1.5)
    assert solved.row == pytest.approx([0.25, 0.75])
    assert solved.column == pytest.approx([0.5, 0.5, 0.0])
    assert solved.gap == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_value_of_a_symmetric_game_is_0_and_nobody_gains(seed: int) -> None:
    matrix = payoffs(7, seed)
    solved = solve_zero_sum(matrix)
    assert solved.value == pytest.approx(0.0, abs=1e-9)
    found = nash_average(matrix)
    assert found.unique
    assert (matrix @ found.mixture).max() < 1e-14
    assert found.mixture.sum() == pytest.approx(1.0)
    assert found.skill[found.mixture > 0] == pytest.approx(0.0, abs=1e-14)
    assert found.mixture == pytest.approx(solved.row, abs=1e-6)


def test_weighted_rock_paper_scissors() -> None:
    # Rock beats scissors by 2: the shares are those of the edge opposite to each.
    matrix = np.array([[0, -1, 2], [1, 0, -1], [-2, 1, 0]])
    assert nash_average(matrix).mixture == pytest.approx([0.25, 0.5, 0.25])


def test_a_policy_entered_twice_shares_and_changes_nothing_else() -> None:
    twice = RPS[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    found = nash_average(twice)
    assert not found.unique
    assert found.mixture == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-6)
    matrix = payoffs(6, 3)
    again = nash_average(matrix[np.ix_([0, 1, 2, 3, 4, 5, 5], [0, 1, 2, 3, 4, 5, 5])])
    assert again.skill[:6] == pytest.approx(nash_average(matrix).skill, abs=1e-6)


def test_the_best_of_all_takes_everything() -> None:
    matrix = np.array([[0, 0.1, 0.2], [-0.1, 0, 0.3], [-0.2, -0.3, 0]])
    found = nash_average(matrix)
    assert found.mixture.tolist() == [1.0, 0.0, 0.0]
    assert found.skill == pytest.approx([0.0, -0.1, -0.2])
    ranked = alpha_rank(matrix)
    assert ranked.settled
    assert ranked.mass == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


def test_nash_averaging_equals_openspiel() -> None:
    module = pytest.importorskip("open_spiel.python.algorithms.nash_averaging")
    several = 0
    for seed in range(24):
        matrix = payoffs(2 + seed % 7, seed, whole=seed % 2 == 1)
        theirs = module._max_entropy_symmetric_nash(matrix).ravel()
        found = nash_average(matrix)
        several += not found.unique
        assert found.mixture == pytest.approx(theirs, abs=1e-3)
        assert entropy(found.mixture) >= entropy(np.maximum(theirs, 0.0)) - 1e-3
        assert (matrix @ found.mixture).max() < 1e-7
    assert several >= 3  # both ways to the answer were taken


def test_alpha_rank_equals_openspiel() -> None:
    module = pytest.importorskip("open_spiel.python.egt.alpharank")
    for seed in range(8):
        matrix = payoffs(2 + seed, seed)
        for alpha, population in ((0.1, 50), (1.0, 20), (10.0, 50), (10.0, 2)):
            theirs = module.compute([matrix], m=population, alpha=alpha)[2]
            assert alpha_rank(matrix, alpha=alpha, population=population).mass == pytest.approx(theirs, abs=1e-10)


def test_alpha_rank_of_a_circle_and_what_it_beats_at_any_intensity() -> None:
    matrix = np.zeros((5, 5))
    matrix[:3, :3] = 0.01 * RPS
    matrix[:3, 3:], matrix[3:, :3] = 0.4, -0.4
    matrix[3, 4], matrix[4, 3] = 0.1, -0.1
    found = alpha_rank(matrix)
    assert found.settled
    assert found.mass == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0, 0], abs=1e-9)
    assert alpha_rank(matrix, alpha=1e200).mass == pytest.approx(found.mass)  # no overflow, no loss of mass
    # A score is as good as a score less 1/2.
    assert alpha_rank(matrix + 0.5).mass == pytest.approx(found.mass)
    assert found.sweep[0, 1:] == pytest.approx(0.2, abs=0.02)  # where nothing is selected all are alike
    assert (alpha_rank(np.zeros((4, 4))).mass == 0.25).all()


def test_measured_matrix_gets_intervals() -> None:
    names = ["rock", "paper", "scissors", "wait"]
    scores = np.full((4, 4), 0.5)
    scores[:3, :3] += 0.2 * RPS
    scores[:3, 3], scores[3, :3] = 0.7, 0.3
    errors = np.full((4, 4), 0.01)
    table = equilibrium_table(names, scores, errors, replicates=400, seed=1).set_index("policy")
    assert table["nash"].to_numpy() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    for column in ("nash", "skill", "mass"):
        assert (table[f"{column}_low"] <= table[column]).all()
        assert (table[column] <= table[f"{column}_high"]).all()
    assert 0.2 < table.loc["rock", "nash_low"] < 0.33 < table.loc["rock", "nash_high"] < 0.45
    assert table.loc["wait", "nash_high"] == 0
    assert table.loc["wait", "skill"] == pytest.approx(-0.2)
    assert -0.24 < table.loc["wait", "skill_low"] < -0.2 < table.loc["wait", "skill_high"] < -0.17
    # Pairs that err together err less against a mixture of all: the covariance is used.
    together = np.full((6, 6), 0.01**2)
    wide = equilibrium_table(names, scores, together, replicates=400, seed=1).set_index("policy")
    assert wide.loc["wait", "skill_low"] < table.loc["wait", "skill_low"] - 0.005


@pytest.mark.parametrize("bad", [[[0, 1], [1, 0]], [[0, 1, 2], [-1, 0, 1]], [], [[0, np.nan], [0, 0]], [["x"]]])
def test_what_is_no_payoff_matrix_is_refused(bad: list[list[float]]) -> None:
    with pytest.raises(InputError, match="payoffs"):
        nash_average(bad)


def test_other_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="population"):
        alpha_rank(RPS, population=1)
    with pytest.raises(InputError, match="alpha"):
        alpha_rank(RPS, alpha=0.0)
    with pytest.raises(InputError, match="errors"):
        equilibrium_table(["a", "b"], [[0.5, 0.6], [0.4, 0.5]], np.zeros((3, 3)))
    with pytest.raises(InputError, match="add up to 1"):
        equilibrium_table(["a", "b"], [[0.5, 0.6], [0.5, 0.5]], np.zeros((2, 2)))
