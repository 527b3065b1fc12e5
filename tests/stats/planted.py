"""Deal scores with known means, and how many misses a method of a stated level is allowed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

#: A generator of ``(n,)`` half-points per deal, given a random generator and n.
Deals = Callable[[np.random.Generator, int], npt.NDArray[np.int64]]


def allowed(alpha: float, repetitions: int) -> float:
    """The largest share of misses that a method of error ``alpha`` may show: alpha and its one-sided 1 % margin."""
    return alpha + 2.33 * math.sqrt(alpha * (1.0 - alpha) / repetitions)


def independent(p: float, games: int) -> Deals:
    """``games`` independent games a deal, won with probability ``p``."""
    return lambda rng, n: 2 * rng.binomial(games, p, n)


def offsetting(split: float, both: float) -> Deals:
    """Pairs of games that split with probability ``split``, are both won with ``both``, both lost otherwise."""
    return lambda rng, n: rng.choice([2, 4, 0], size=n, p=[split, both, 1.0 - split - both])


def alike(p: float, concentration: float, games: int) -> Deals:
    """Games whose chance of winning varies from deal to deal (beta-binomial with mean ``p``)."""
    def draw(rng: np.random.Generator, n: int) -> npt.NDArray[np.int64]:
        return 2 * rng.binomial(games, rng.beta(p * concentration, (1.0 - p) * concentration, n))
    return draw


def drawish(win: float, draw: float) -> Deals:
    """Pairs of independent games with draws: half-points 0 to 4."""
    def sample(rng: np.random.Generator, n: int) -> npt.NDArray[np.int64]:
        return rng.choice([2, 1, 0], size=(n, 2), p=[win, draw, 1.0 - win - draw]).sum(axis=1)
    return sample


#: name -> (generator, mean score, games per deal)
PLANTED: dict[str, tuple[Deals, float, int]] = {
    "one game": (independent(0.55, 1), 0.55, 1),
    "two independent": (independent(0.55, 2), 0.55, 2),
    "two independent, strong": (independent(0.95, 2), 0.95, 2),
    "four independent": (independent(0.8, 4), 0.8, 4),
    "mostly split": (offsetting(0.9, 0.07), 0.52, 2),
    "alike": (alike(0.5, 1.0, 2), 0.5, 2),
    "alike, strong": (alike(0.9, 1.0, 4), 0.9, 4),
    "draws": (drawish(0.4, 0.3), 0.55, 2),
}
