"""Statistics whose unit is the deal: intervals, comparisons, effects and tests.

``docs/statistics.md`` says which method is used where, and why.

>>> from agentsim.stats import mean_of_deals
>>> mean_of_deals([120, 0, 260, 0, 170]).format_percent()          # pairs of games: lost both, one each, won both
'54.5 % [51.5, 57.5]'
"""

from __future__ import annotations

from agentsim.stats.anchor import AnchorResult, anchor_from_counts, anchor_test
from agentsim.stats.band import games_to_decide, verdict, verdicts
from agentsim.stats.bootstrap import bootstrap_deals
from agentsim.stats.clustered import (
    cluster_ratio,
    deal_histogram,
    difference_of_ratios,
    mean_of_deals,
    mean_of_values,
    ratio_sums,
    ratio_table,
)
from agentsim.stats.coin import (
    card_effects,
    check_coin,
    coin_effects,
    effects_from_grouped,
    effects_from_sums,
    pooled_effect,
)
from agentsim.stats.equilibrium import (
    AlphaRank,
    MatrixSolution,
    NashAverage,
    alpha_rank,
    equilibrium_table,
    nash_average,
    solve_zero_sum,
)
from agentsim.stats.forks import agreement, blank_contrast, fork_effects
from agentsim.stats.intervals import Interval, TestResult, difference_of_proportions, wilson, wilson_bounds
from agentsim.stats.matrix import beats, nontransitive_triples, strength, strength_from_deals, win_rate_matrix
from agentsim.stats.paired import (
    mcnemar,
    mcnemar_by_deal,
    paired_difference,
    paired_difference_from_counts,
    sign_test,
)
from agentsim.stats.picks import landing_effects, pick_effects, pick_shares
from agentsim.stats.power import (
    deal_sd,
    deals_for_difference,
    deals_for_half_width,
    detectable_difference,
    half_width_of,
)
from agentsim.stats.ratings import Ratings, bradley_terry, bradley_terry_from_deals
from agentsim.stats.sequential import SequentialTest, confidence_sequence
from agentsim.stats.simultaneous import (
    adjusted_level,
    critical_value,
    holm,
    max_t_critical_value,
    max_t_intervals,
    simultaneous_intervals,
)

__all__ = [
    "Interval", "TestResult", "wilson", "wilson_bounds", "difference_of_proportions",
    "deal_histogram", "mean_of_deals", "mean_of_values", "cluster_ratio", "difference_of_ratios", "ratio_sums",
    "ratio_table", "bootstrap_deals",
    "adjusted_level", "critical_value", "simultaneous_intervals", "holm", "max_t_critical_value", "max_t_intervals",
    "paired_difference", "paired_difference_from_counts", "sign_test", "mcnemar", "mcnemar_by_deal",
    "win_rate_matrix", "beats", "nontransitive_triples", "strength", "strength_from_deals",
    "check_coin", "coin_effects", "card_effects", "effects_from_grouped", "effects_from_sums", "pooled_effect",
    "pick_effects", "pick_shares", "landing_effects", "fork_effects", "blank_contrast", "agreement",
    "verdict", "verdicts", "games_to_decide",
    "SequentialTest", "confidence_sequence",
    "deal_sd", "deals_for_half_width", "half_width_of", "deals_for_difference", "detectable_difference",
    "bradley_terry", "bradley_terry_from_deals", "Ratings",
    "solve_zero_sum", "MatrixSolution", "nash_average", "NashAverage", "alpha_rank", "AlphaRank", "equilibrium_table",
    "AnchorResult", "anchor_test", "anchor_from_counts",
]
