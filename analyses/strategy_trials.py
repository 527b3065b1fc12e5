"""Games that the strategy page plays itself: what a freedom is worth, and how much of a result is luck.

*Freedoms*: a policy against the same policy that is forbidden something, on the same deals, seats swapped; and both
against a field. *Luck*: every deal is played by each pair of policies with two streams of decisions. With X the result
of the first policy in one game, of pair p, deal d and stream s,

    Var(X) = Var_p(mean) + Var_d|p(mean over s) + mean Var(within deal)

estimated by the method of moments (Searle, Casella and McCulloch 1992, ch. 4: balanced nested design): the mean square
between streams of a deal, and half of what the mean square between deals exceeds it by. Intervals are a bootstrap over
deals, which takes each deal with all pairs and streams.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.games.base import PolicyRef
from agentsim.stats import adjusted_level
from agentsim.stats.clustered import bounded_mean
from agentsim.strategy.field import game_scores

__all__ = ["FREEDOMS", "freedoms", "luck"]

FREEDOMS: Mapping[str, Mapping[str, float]] = {
    "to hide what is worse than expected (bluff)": {"no_bluff": 1.0},
    "to discard": {"discard_margin": 1.0},
    "to collect codebreakers": {"no_sets": 1.0},
    "to take a face-down card": {"no_blind": 1.0},
}
"""What a planner can be forbidden, and the parameters that forbid it."""


def freedoms(rules: Any, policies: Sequence[PolicyRef], field: Sequence[PolicyRef], *, seed: int, deals: int,
             workers: int = 1, level: float = 0.95) -> pd.DataFrame:
    """What each freedom is worth: the free policy's score less the forbidden one's.

    Columns ``policy, freedom, against`` (``itself``: the free policy plays the one that is forbidden, and the worth is
    twice the excess over 1/2; or a policy of the field, which both play on the same deals, paired), ``worth, low,
    high, n_deals, n_games, family_size``; simultaneous over the table.
    """
    size = len(policies) * len(FREEDOMS) * (1 + len(field))
    each = adjusted_level(size, level)
    rows = []
    for policy in policies:
        limited = [replace(policy, params={**policy.params, **limits}) for limits in FREEDOMS.values()]
        pairs = [(policy, other) for other in limited] + [(one, opponent) for opponent in field
                                                          for one in (policy, *limited)]
        scores = game_scores(rules, pairs, seed=seed, deals=deals, workers=workers).mean(axis=2)
        for at, name in enumerate(FREEDOMS):
            gains = [("itself", 2.0 * scores[at] - 1.0, 1)]
            for number, opponent in enumerate(field):
                start = len(limited) + number * (1 + len(limited))
                gains.append((opponent.label, scores[start] - scores[start + 1 + at], 2))
            for against, gain, times in gains:
                found = bounded_mean(float(gain.mean()), float(gain.var()), deals, games=2 * times * deals, level=each,
                                     bounds=(-1.0, 1.0))
                rows.append({"policy": policy.label, "freedom": name, "against": against, "worth": found.estimate,
                             "low": found.low, "high": found.high, "n_deals": deals, "n_games": found.n_games,
                             "family_size": size})
    return pd.DataFrame(rows)


def luck(rules: Any, policies: Sequence[PolicyRef], *, seed: int, deals: int, workers: int = 1, level: float = 0.95,
         replicates: int = 300) -> pd.DataFrame:
    """Shares of the variance of a single game's result, over all pairs of different policies.

    Rows by ``component``: ``who plays`` (between pairs), ``the deal`` (cards and who starts, between the games of a
    pair on different deals or seats), ``the play`` (lots that the policies draw, within a deal and seat). Columns
    ``share, low, high, n_deals, n_games, level``.
    """
    pairs = [(a, b) for at, a in enumerate(policies) for b in policies[at + 1:]]
    # The second copy of a pair has another number, and so other streams of decisions on the same deals.
    scores = game_scores(rules, pairs * 2, seed=seed, deals=deals, workers=workers)
    one, two = scores[:len(pairs)], scores[len(pairs):]
    # Per deal: sums over pairs and seats that the components are made of.
    within = ((one - two) ** 2 / 2).mean(axis=(0, 2))
    middle = (one + two) / 2
    square, mean = (middle**2).mean(axis=2), middle.mean(axis=2)

    def components(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        play = float(within @ weights)
        means = mean @ weights
        # Between deals and seats: the variance of the middle of two streams, less what the streams bring to it.
        deal = max(0.0, float((square @ weights - means**2).mean()) - play / 2)
        who = float(means.var())
        total = who + deal + play
        return np.array([who, deal, play]) / total

    rng = np.random.default_rng(seed)
    whole = components(np.full(deals, 1 / deals))
    drawn = np.array([components(rng.multinomial(deals, np.full(deals, 1 / deals)) / deals) for _ in range(replicates)])
    tail = (1 - adjusted_level(3, level)) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    return pd.DataFrame({"component": ["who plays", "the deal", "the play"], "share": whole,
                         "low": np.minimum(low, whole), "high": np.maximum(high, whole), "n_deals": deals,
                         "n_games": scores.size, "level": level})
