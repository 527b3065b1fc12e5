"""The parameters of the ``solver_advanced`` family."""

from __future__ import annotations

from agentsim.games.families import Parameter

__all__ = ["ADVANCED_PARAMETERS", "parameter_at"]

ADVANCED_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("offer_tau", 0, 0.2, 0.01, "temperature of its offers, in winning chance: 0 always the best"),
    Parameter("take_tau", 0, 0.2, 0.01, "temperature of its answers, in winning chance: 0 always the better"),
    Parameter("own_hand", 0, 1, 1, "whether it values positions in which it offers next with the hand that it holds "
              "(0: as if nobody knew that)", whole=True),
    Parameter("naive", 0, 1, 0, "share of belief that a hidden card is any unseen card, however others would offer"),
    Parameter("margin", 0, 1, 0.02, "discards when the best offer is expected to gain this much (1: never)"),
    Parameter("reserve", 0, 0.1, 0, "added to the margin for each discard already used"),
)
"""In the order in which they stand in a parameter row; the addresses of weights and facts follow."""


def parameter_at(name: str) -> int:
    """Where a parameter stands in a row."""
    return [parameter.name for parameter in ADVANCED_PARAMETERS].index(name)
