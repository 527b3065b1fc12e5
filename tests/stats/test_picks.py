"""Effects of uniform picks: planted truths, propensities that differ, clusters."""

from __future__ import annotations

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.stats import difference_of_proportions, landing_effects, pick_effects, pick_shares
from tests.stats.planted import allowed

NAMES = ["a", "b", "c", "d", "e"]
WORTH = np.array([0.0, 0.0, 0.15, -0.1, 0.05])


def first_landings(rng: np.random.Generator, n: int, *, sizes: tuple[int, ...] = (3,), draws: float = 0.0,
                   biased: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Counters of n games with one uniform pick each; card c changes the taker's chance by ``WORTH[c]``.

    The smaller the supply, the better the taker stands anyway: what a plain difference of means would mix up.
    """
    taken, left = np.zeros((2, len(NAMES), max(sizes) + 1, 3), np.int64)
    size = rng.choice(sizes, n)
    order = rng.permuted(np.tile(np.arange(len(NAMES)), (n, 1)), axis=1)
    place = (rng.random(n) * size).astype(int)
    if biased:  # whoever stands well takes card c
        luck = rng.random(n) < 0.5
        has = (order == 2) & (np.arange(len(NAMES)) < size[:, None])
        place = np.where(luck & has.any(axis=1), has.argmax(axis=1), place)
    else:
        luck = np.zeros(n, bool)
    picked = order[np.arange(n), place]
    chance = 0.55 - 0.1 * (size - 2) + WORTH[picked] + 0.2 * luck
    result = np.where(rng.random(n) < draws, 1, np.where(rng.random(n) < chance, 0, 2))
    for at in range(max(sizes)):
        there = at < size
        np.add.at(taken, (order[there & (place == at), at], size[there & (place == at)],
                          result[there & (place == at)]), 1)
        others = there & (place != at)
        np.add.at(left, (order[others, at], size[others], result[others]), 1)
    return taken, left


def truth() -> np.ndarray:
    """Card minus the mean of the other four: each is as likely to lie beside it."""
    return WORTH - (WORTH.sum() - WORTH) / (len(WORTH) - 1)


def missed(repetitions: int, n: int, seed: int, **how: object) -> float:
    rng = np.random.default_rng(seed)
    bad = 0
    for _ in range(repetitions):
        table = pick_effects(*first_landings(rng, n, **how), NAMES)  # type: ignore[arg-type]
        bad += bool(((table["low"] > truth()) | (table["high"] < truth())).any())
    return bad / repetitions


def test_planted_effects_are_covered_together() -> None:
    assert missed(200, 1500, seed=1) <= allowed(0.05, 200)


@pytest.mark.slow
def test_planted_effects_are_covered_at_the_stated_rate() -> None:
    found = missed(2000, 1500, seed=2)
    assert found <= allowed(0.05, 2000)
    assert found >= 0.01  # and the intervals are not idle


def test_different_sizes_of_the_supply_are_weighted_by_their_chances() -> None:
    # Two thirds of the takers of a small supply stand well; without weights the difference would be biased.
    rng = np.random.default_rng(3)
    taken, left = first_landings(rng, 400_000, sizes=(2, 4))
    table = pick_effects(taken, left, NAMES)
    assert table["effect"].to_numpy() == pytest.approx(truth(), abs=0.012)
    plain = taken[2].sum(axis=0)[0] / taken[2].sum() - left[2].sum(axis=0)[0] / left[2].sum()
    assert abs(plain - truth()[2]) > 0.02


def test_draws_count_half_and_supplies_of_one_do_not_count() -> None:
    taken, left = np.zeros((2, 1, 3, 3), np.int64)
    taken[0, 2], left[0, 2] = [10, 80, 10], [20, 20, 60]
    taken[0, 1] = [1000, 0, 0]
    table = pick_effects(taken, left, ["a"])
    assert table["win_taken"][0] == 0.5
    assert table["win_left"][0] == 0.3
    assert table["n_games"][0] == 200
    # Draws vary less than wins and losses: the side with many of them has the smaller share of the variance.
    assert table["se"][0] == pytest.approx(np.sqrt((0.05 / 100 + (0.2 + 0.05 - 0.09) / 100) * 100 / 99), rel=1e-9)


def test_one_size_without_draws_is_newcombes_interval() -> None:
    taken, left = np.zeros((2, 1, 4, 3), np.int64)
    taken[0, 3], left[0, 3] = [56, 0, 14], [48, 0, 32]
    row = pick_effects(taken, left, ["a"]).iloc[0]
    known = difference_of_proportions(56, 70, 48, 80)
    assert (row["effect"], row["low"], row["high"]) == pytest.approx((known.estimate, known.low, known.high))


def test_cards_without_data_have_no_numbers() -> None:
    taken, left = np.zeros((2, 2, 4, 3), np.int64)
    taken[0, 3], left[0, 3] = [5, 0, 5], [5, 0, 5]
    table = pick_effects(taken, left, ["a", "never"])
    assert table["effect"].isna().tolist() == [False, True]
    assert table["low"].isna().tolist() == [False, True]
    assert table["family_size"][0] == 1


def test_a_pick_that_is_not_uniform_shows() -> None:
    rng = np.random.default_rng(5)
    fair = pick_shares(*first_landings(rng, 20_000, sizes=(2, 3, 4)), NAMES)
    assert fair["z"].abs().max() < 4
    assert fair["share"].to_numpy() == pytest.approx(fair["expected"].to_numpy(), abs=0.02)
    bad = pick_shares(*first_landings(rng, 20_000, biased=True), NAMES)
    assert bad["z"][2] > 10


@pytest.mark.parametrize("taken", [np.zeros((2, 4)), np.zeros((2, 4, 3)), np.full((2, 4, 3), -1)])
def test_other_arrays_are_refused(taken: np.ndarray) -> None:
    with pytest.raises(InputError, match="taken"):
        pick_effects(taken, np.zeros((2, 4, 3), int), ["a", "b"])


# ------------------------------------------------------------------------------------------------ all landings


def landings(rng: np.random.Generator, n_games: int) -> dict[str, np.ndarray]:
    """Three landings a game, by either player, from supplies of 2 or 3; the result is common to the game."""
    shape = (n_games, 3)
    supply = rng.permuted(np.tile(np.arange(len(NAMES)), (n_games * 3, 1)), axis=1)[:, :3]
    supply[rng.random(len(supply)) < 0.3, 2] = -1
    size = (supply >= 0).sum(axis=1)
    taken = supply[np.arange(len(supply)), (rng.random(len(supply)) * size).astype(int)]
    seat = rng.integers(0, 2, shape)
    chance = 0.5 + (WORTH[taken].reshape(shape) * (1 - 2 * seat)).sum(axis=1)
    winner = (rng.random(n_games) >= np.clip(chance, 0, 1)).astype(int)
    return {"deal": np.repeat(np.arange(n_games), 3), "supply": supply, "taken": taken,
            "won": (winner[:, None] == seat).ravel().astype(float)}


def test_all_landings_find_the_planted_effects_with_the_right_errors() -> None:
    rng = np.random.default_rng(6)
    missed = 0
    for _ in range(150):
        table = landing_effects(**landings(rng, 400), names=NAMES)
        missed += bool(((table["low"] > truth()) | (table["high"] < truth())).any())
    assert missed / 150 <= allowed(0.05, 150)
    table = landing_effects(**landings(rng, 60_000), names=NAMES)
    assert table["effect"].to_numpy() == pytest.approx(truth(), abs=0.02)


def test_alike_games_of_a_deal_widen_the_interval() -> None:
    rows = landings(np.random.default_rng(7), 500)
    twice = {key: np.concatenate([value, value]) for key, value in rows.items()}
    single, double = landing_effects(**rows, names=NAMES), landing_effects(**twice, names=NAMES)
    assert double["se"].to_numpy() == pytest.approx(single["se"].to_numpy())
    assert double["effect"].to_numpy() == pytest.approx(single["effect"].to_numpy())


def test_two_copies_in_a_supply_have_twice_the_chance() -> None:
    # One row in which a lies twice, weights 3/2 and 3; one with a and b.
    table = landing_effects([0, 1, 2, 3], [[0, 0, 1], [0, 0, 1], [0, 1, -1], [0, 1, -1]], [0, 1, 0, 1],
                            [1.0, 0.0, 0.0, 1.0], ["a", "b"])
    assert table["effect"][0] == pytest.approx(1.5 / 3.5 - 2 / 5)
    assert table["n_landings"].tolist() == [4, 4]


def test_a_card_that_did_not_lie_there_is_refused() -> None:
    with pytest.raises(InputError, match="did not lie there"):
        landing_effects([0], [[0, 1, -1]], [2], [1.0], ["a", "b", "c"])
    with pytest.raises(InputError, match="not in the table"):
        landing_effects([0], [[0, 7, -1]], [0], [1.0], ["a", "b", "c"])
