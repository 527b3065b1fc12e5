"""Effects from the receiver's coin."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from agentsim.errors import InputError
from agentsim.stats import (
    adjusted_level,
    bootstrap_deals,
    card_effects,
    check_coin,
    coin_effects,
    difference_of_ratios,
    effects_from_grouped,
    pooled_effect,
)
from tests.stats.planted import allowed

EFFECTS = np.array([0.0, 0.12, -0.06])


def turns(rng: np.random.Generator, n_deals: int, effects: np.ndarray = EFFECTS) -> dict[str, np.ndarray]:
    """Rows of two games a deal with four offers each, of random strata, and planted effects.

    A game's chance of being won is 1/2, plus luck common to both games of the deal, plus half the effect of each coin:
    getting x in stratum s changes it by ``effects[s]`` exactly.
    """
    shape = (n_deals, 2, 4)
    stratum, got = rng.integers(0, len(effects), shape), rng.integers(0, 2, shape)
    chance = 0.5 + rng.choice([-0.2, 0.2], (n_deals, 1)) + (effects[stratum] * (got - 0.5)).sum(axis=2)
    won = np.repeat((rng.random(chance.shape) < chance)[..., None], 4, axis=2)
    deal = np.broadcast_to(np.arange(n_deals)[:, None, None], shape)
    return {"deal": deal.ravel(), "got": got.ravel(), "won": won.ravel(), "stratum": stratum.ravel()}


def misses(repetitions: int, n_deals: int, seed: int) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    table_missed = pooled_missed = 0
    for _ in range(repetitions):
        rows = turns(rng, n_deals)
        table = coin_effects(**rows)
        table_missed += bool(((table["low"] > EFFECTS) | (table["high"] < EFFECTS)).any())
        pooled_missed += not pooled_effect(**rows).contains(EFFECTS.mean())
    return table_missed / repetitions, pooled_missed / repetitions


def test_planted_effects_are_covered_by_the_table_and_by_the_pooled_effect() -> None:
    table, pooled = misses(200, n_deals=300, seed=1)
    assert table <= allowed(0.05, 200)
    assert pooled <= allowed(0.05, 200)


@pytest.mark.slow
def test_planted_effects_are_covered_at_the_stated_rate() -> None:
    table, pooled = misses(3000, n_deals=300, seed=2)
    assert table <= allowed(0.05, 3000)
    assert pooled <= allowed(0.05, 3000)
    assert table >= 0.02  # neither is idle
    assert pooled >= 0.03


def test_no_effect_gives_no_false_alarms() -> None:
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(200):
        table = coin_effects(**turns(rng, 200, np.zeros(5)))
        alarms += bool(((table["low"] > 0) | (table["high"] < 0)).any())
    assert alarms / 200 <= allowed(0.05, 200)


def test_clustering_matters_when_results_repeat() -> None:
    # The same coin decides all eight rows of a deal (no fair coin per row): rows are worth an eighth.
    rng = np.random.default_rng(4)
    got, won = np.repeat(rng.integers(0, 2, 500), 8), np.repeat(rng.integers(0, 2, 500), 8)
    table = coin_effects(np.repeat(np.arange(500), 8), got, won, np.zeros(4000, int))
    assert table["se"][0] == pytest.approx(2 * 0.5 / math.sqrt(500), rel=0.05)


def test_table_is_the_difference_of_ratios_of_each_stratum() -> None:
    rows = turns(np.random.default_rng(5), 500)
    table = coin_effects(**rows)
    frame = pd.DataFrame(rows)
    for s in range(3):
        part = frame[frame["stratum"] == s].assign(gw=lambda d: d["got"] * d["won"])
        sums = part.groupby("deal").agg(got=("got", "sum"), gw=("gw", "sum"), n=("got", "size"), won=("won", "sum"))
        expected = difference_of_ratios(sums["gw"], sums["got"], sums["won"] - sums["gw"], sums["n"] - sums["got"],
                                        adjusted_level(3))
        row = table.iloc[s]
        assert (row["effect"], row["low"], row["high"]) == pytest.approx(
            (expected.estimate, expected.low, expected.high), abs=1e-12)
        assert (row["n_turns"], row["n_got"], row["n_deals"]) == (len(part), part["got"].sum(), len(sums))
        assert row["win_got"] == pytest.approx(part[part["got"] == 1]["won"].mean())
        assert row["win_other"] == pytest.approx(part[part["got"] == 0]["won"].mean())


def test_agrees_with_the_bootstrap() -> None:
    rows = turns(np.random.default_rng(6), 3000, np.array([0.1]))
    frame = pd.DataFrame(rows).assign(gw=lambda d: d["got"] * d["won"])
    sums = frame.groupby("deal").agg(got=("got", "sum"), gw=("gw", "sum"), n=("got", "size"), won=("won", "sum"))
    other = bootstrap_deals({name: sums[name] for name in sums},
                            lambda s: s["gw"] / s["got"] - (s["won"] - s["gw"]) / (s["n"] - s["got"]), seed=1)
    row = coin_effects(**rows).iloc[0]
    assert (row["high"] - row["low"]) / 2 == pytest.approx(other.half_width, rel=0.06)
    assert pooled_effect(**rows).half_width == pytest.approx(other.half_width, rel=0.06)


def test_grouped_table_gives_the_same() -> None:
    rows = turns(np.random.default_rng(7), 200)
    frame = pd.DataFrame(rows).assign(
        won_got=lambda d: d["got"] * d["won"], n_other=lambda d: 1 - d["got"],
        won_other=lambda d: (1 - d["got"]) * d["won"])
    grouped = frame.groupby(["stratum", "deal"]).agg(
        n_got=("got", "sum"), won_got=("won_got", "sum"), n_other=("n_other", "sum"), won_other=("won_other", "sum"))
    table = effects_from_grouped(grouped.reset_index(), ["stratum"])
    pd.testing.assert_frame_equal(table, coin_effects(**rows))
    with pytest.raises(InputError, match="twice"):
        effects_from_grouped(pd.concat([grouped.reset_index()] * 2), ["stratum"])
    with pytest.raises(InputError, match="'n_got' is missing"):
        effects_from_grouped(grouped.reset_index().drop(columns="n_got"), ["stratum"])
    with pytest.raises(InputError, match="more wins"):
        effects_from_grouped(grouped.reset_index().assign(won_other=99), ["stratum"])


def test_order_of_rows_and_names_of_deals_do_not_matter() -> None:
    rows = turns(np.random.default_rng(8), 300)
    order = np.random.default_rng(9).permutation(len(rows["deal"]))
    shuffled = {name: column[order] for name, column in rows.items()}
    expected = coin_effects(**rows)
    pd.testing.assert_frame_equal(coin_effects(**shuffled), expected)
    far = shuffled | {"deal": shuffled["deal"] * 10**12 + 7}
    pd.testing.assert_frame_equal(coin_effects(**far), expected)
    # Few rows of many deals take the other path through the sums.
    sparse = rows | {"stratum": np.where(np.arange(len(order)) < 60, 9, rows["stratum"])}
    first = coin_effects(**{name: column[:60] for name, column in sparse.items()}, family_size=4)
    whole = coin_effects(**sparse, family_size=4)
    assert whole[whole["stratum"] == 9].iloc[0].tolist() == pytest.approx(first.iloc[0].tolist()[:-3] + [
        0.95, "sidak", 4])


def test_cards_by_count_speak_for_both_cards_of_an_offer() -> None:
    # By hand: three deals. Getting the mole (1st) rather than anything loses.
    table = card_effects(
        deal=[0, 0, 1, 1, 2], took_face_up=[True, False, False, True, True], won=[0, 0, 1, 0.5, 1],
        face_up=["mole", "enforcer", "mole", "sidekick", "enforcer"],
        face_down=["enforcer", "mole", "enforcer", "mole", "enforcer"],
        count_up=[1, 1, 1, 1, 2], count_down=[1, 1, 1, 1, 2])
    assert table[["card", "count"]].to_numpy().tolist() == [["enforcer", 1], ["mole", 1], ["sidekick", 1]]
    enforcer, mole, sidekick = (table.iloc[i] for i in range(3))
    # Got the mole: turns 1 (up, lost) and 2 (down, lost). Got another instead: turns 3 (won) and 4 (drawn).
    assert (mole["win_got"], mole["win_other"], mole["effect"]) == (0.0, 0.75, -0.75)
    assert (mole["n_turns"], mole["n_got"], mole["n_deals"]) == (4, 2, 2)
    # The enforcer against the mole: got in turn 3, not in turns 1 and 2. The pair of enforcers is left out.
    assert (enforcer["effect"], enforcer["n_turns"]) == (1.0, 3)
    assert sidekick["n_turns"] == 1
    assert math.isnan(sidekick["effect"])
    assert table["family_size"].to_list() == [2, 2, 2]


def test_cards_take_categories_and_text_alike() -> None:
    rng = np.random.default_rng(10)
    n = 4000
    names = np.array(["daredevil", "mole", "sentinel", "saboteur"])
    up, down = names[rng.integers(0, 4, n)], names[rng.integers(0, 4, n)]
    columns = {"deal": np.arange(n) // 5, "took_face_up": rng.integers(0, 2, n).astype(bool),
               "won": rng.integers(0, 2, n), "count_up": rng.integers(1, 4, n).astype(np.int8),
               "count_down": rng.integers(1, 4, n).astype(np.int8)}
    text = card_effects(face_up=up, face_down=down, **columns)
    categories = card_effects(face_up=pd.Categorical(up, categories=names[::-1]),
                              face_down=pd.Series(down).astype("category"), **columns)
    pd.testing.assert_frame_equal(text, categories)
    assert len(text) == 12
    assert text["n_turns"].sum() == 2 * (up != down).sum()


def test_post_stratification_removes_the_difference_between_strata() -> None:
    rng = np.random.default_rng(11)
    n = 20_000
    stratum, got = rng.integers(0, 2, n), rng.integers(0, 2, n)
    won = rng.random(n) < np.where(stratum == 1, 0.9, 0.1) + 0.05 * (got - 0.5)
    plain = pooled_effect(np.arange(n), got, won)
    stratified = pooled_effect(np.arange(n), got, won, stratum)
    assert stratified.contains(0.05)
    assert stratified.half_width < 0.7 * plain.half_width
    assert (stratified.n, stratified.n_deals) == (n, n)


def test_one_sided_and_empty_strata() -> None:
    table = coin_effects([0, 1, 2, 3], [1, 1, 0, 1], [1, 0, 1, 0], ["only got", "only got", "both", "both"])
    assert table["effect"].isna().to_list() == [False, True]
    assert table["low"].isna().to_list() == [False, True]
    assert pooled_effect([0, 1], [1, 1], [1, 0]).is_empty
    assert pooled_effect([], [], []).is_empty
    assert coin_effects([], [], [], []).empty


def test_all_won_and_one_deal_keep_a_width() -> None:
    table = coin_effects(np.arange(20), [0, 1] * 10, np.ones(20), np.zeros(20))
    assert table["effect"][0] == 0
    assert table["low"][0] < -0.1 < 0.1 < table["high"][0]
    one = coin_effects([5, 5], [0, 1], [0, 1], [0, 0])
    assert one["effect"][0] == 1
    assert one["low"][0] < 0.5
    assert pooled_effect([5, 5], [0, 1], [0, 1]).half_width > 0.2


def test_coin_check() -> None:
    assert check_coin(np.random.default_rng(1).integers(0, 2, 10_000)).p_value > 0.01
    biased = check_coin(np.random.default_rng(1).random(10_000) < 0.53)
    assert biased.p_value < 1e-6
    assert biased.n == 10_000
    assert check_coin([]).p_value == 1.0


@pytest.mark.parametrize(("change", "text"), [
    ({"got": [2, 0]}, "neither true nor false"), ({"won": [1.5, 0]}, "no result"),
    ({"won": [math.nan, 0]}, "no result"),
    ({"won": [None, 0]}, "missing|no result"), ({"deal": [1]}, "one length"), ({"stratum": [None, "a"]}, "missing"),
    ({"stratum": ["a"]}, "one length"),
])
def test_bad_rows_are_refused(change: dict[str, object], text: str) -> None:
    with pytest.raises(InputError, match=text):
        coin_effects(**({"deal": [0, 1], "got": [1, 0], "won": [1, 0], "stratum": [0, 0]} | change))


def test_bad_counts_are_refused() -> None:
    for bad in ([0, 1], [1], [1.5, 1]):
        with pytest.raises(InputError, match="count_up"):
            card_effects([0, 1], [1, 0], [1, 0], ["a", "a"], ["b", "b"], bad, [1, 1])
