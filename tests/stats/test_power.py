"""Sample sizes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.stats import (
    deal_histogram,
    deal_sd,
    deals_for_difference,
    deals_for_half_width,
    detectable_difference,
    half_width_of,
    mean_of_deals,
)


def test_textbook_values() -> None:
    assert deals_for_half_width(0.01, sd=0.5) == 9604  # the "1 % poll"
    assert deals_for_half_width(0.03, sd=0.5) == 1068
    assert deals_for_difference(0.05, sd=0.5, power=0.9) == 1051  # (1.96 + 1.2816)^2 * 100
    assert deals_for_difference(0.05, sd=0.5, power=0.8) == 785


def test_inverse_functions() -> None:
    n = deals_for_half_width(0.002, sd=0.3, family_size=91)
    assert half_width_of(n, sd=0.3, family_size=91) <= 0.002 < half_width_of(n - 1, sd=0.3, family_size=91)
    n = deals_for_difference(-0.002, sd=0.3)
    assert detectable_difference(n, sd=0.3) <= 0.002 < detectable_difference(n - 1, sd=0.3)


def test_deal_sd() -> None:
    assert deal_sd() == 0.5
    assert deal_sd(0.5, 2) == pytest.approx(math.sqrt(0.125))
    assert deal_sd(0.5, 2, -1.0) == 0.0
    assert deal_sd(0.5, 4, 1.0) == 0.5


def test_the_power_promised_is_the_power_found() -> None:
    n = deals_for_difference(0.03, sd=deal_sd(0.53, 2), power=0.9)
    rng = np.random.default_rng(9)
    found = sum(mean_of_deals(deal_histogram(2 * rng.binomial(2, 0.53, n), 2)).low > 0.5 for _ in range(2000))
    assert abs(found / 2000 - 0.9) < 2.6 * math.sqrt(0.09 / 2000)


@pytest.mark.parametrize("call", [
    lambda: deals_for_half_width(0, sd=0.5), lambda: deals_for_half_width(0.1, sd=0), lambda: deal_sd(1.2),
    lambda: deal_sd(0.5, 0), lambda: deal_sd(0.5, 2, -1.1), lambda: deals_for_difference(0.1, sd=0.5, power=1.0),
    lambda: deals_for_difference(0.1, sd=0.5, power=0.01), lambda: half_width_of(0, sd=0.5),
])
def test_bad_input_is_refused(call) -> None:
    with pytest.raises(InputError):
        call()
