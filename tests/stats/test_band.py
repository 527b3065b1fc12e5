"""Verdicts against a band, and the games that would decide."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.stats import critical_value, games_to_decide, pick_effects, verdict, verdicts


@pytest.mark.parametrize("low, high, expected", [
    (0.051, 0.09, "too strong"), (-0.09, -0.051, "too weak"), (-0.049, 0.049, "fine"), (0.0, 0.05, "not yet known"),
    (-0.06, 0.06, "not yet known"), (0.05, 0.08, "not yet known"), (-0.08, -0.05, "not yet known"),
    (math.nan, math.nan, "not yet known")])
def test_only_a_whole_interval_decides(low: float, high: float, expected: str) -> None:
    assert verdict((low + high) / 2, low, high, band=0.05) == expected


@pytest.mark.parametrize("effect", [0.0, 0.03, -0.08])
def test_the_named_number_of_games_decides_as_often_as_promised(effect: float) -> None:
    rng = np.random.default_rng(1)
    z, sd = critical_value(15), 0.6
    n = games_to_decide(effect, se=sd / 100, n=10_000, band=0.05, z=z, power=0.9)
    se = sd / math.sqrt(n)
    estimates = effect + se * rng.standard_normal(20_000)
    inside = (np.abs(estimates) + z * se < 0.05) | (np.abs(estimates) - z * se > 0.05)
    # At 0 both edges are equally near and either may be missed.
    assert inside.mean() == pytest.approx(0.9 if effect else 0.8, abs=0.02)


def test_the_number_does_not_depend_on_what_was_played() -> None:
    few = games_to_decide(0.045, se=0.01, n=10_000, band=0.05, z=2.9)
    many = games_to_decide(0.045, se=0.001, n=1_000_000, band=0.05, z=2.9)
    assert few == pytest.approx(many, rel=1e-4)


def test_on_the_border_no_number_is_named() -> None:
    assert math.isnan(games_to_decide(0.0503, se=0.01, n=100, band=0.05, z=2.0))
    assert math.isnan(games_to_decide(math.nan, se=math.nan, n=100, band=0.05, z=2.0))


def test_a_table_gets_its_verdicts() -> None:
    taken, left = np.zeros((2, 3, 4, 3), np.int64)
    taken[:, 3] = [[8000, 0, 2000], [5000, 0, 5000], [56, 0, 44]]
    left[:, 3] = [[10000, 0, 10000], [10000, 0, 10000], [100, 0, 100]]
    table = verdicts(pick_effects(taken, left, ["strong", "fine", "rare"]), band=0.05, n=30_000)
    assert table["verdict"].tolist() == ["too strong", "fine", "not yet known"]
    assert table["games_needed"].isna().tolist() == [True, True, False]
    assert table["games_needed"][2] > 30_000


@pytest.mark.parametrize("band", [0.0, -0.05, 1.0, 5.0])
def test_a_band_in_points_is_refused(band: float) -> None:
    with pytest.raises(InputError, match="band"):
        verdict(0.0, -0.1, 0.1, band=band)
