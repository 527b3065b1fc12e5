"""The exact anchor of play by ``random``: half of all games without a tie rule, in theory and not just nearly.

Definitions. Under ``random`` (and ``random_discards``) a fair coin decides in each turn who gets which card, and
nothing else depends on it: neither what is offered nor drawn. Turning all coins of a game over swaps the play areas and
the sign of the lead and nothing else, so, in every mode without the Black Market,

    P(seat 0 wins | no tie rule decided) = 1/2                                                  exactly, and
    P(seat 0 wins) - 1/2 = (P(tie rule, seat 0 active) - P(tie rule, seat 1 active)) / 2

where the tie rule makes the active seat win (``passive``: the sign turns; ``draw``: such games have no winner, count
as half a win, and the right side is 0). The winner of a game that no tie rule decided is thus a fair coin whatever the
deal and whatever happened in the other game of the deal, so the binomial test is exact even for seat-swapped games.

>>> result = anchor_test([0, 1, 1, 0, 0, 1], tie_rule=[False] * 4 + [True] * 2, n_turns=[4, 5, 6, 7, 7, 8])
>>> result.n_decided, result.wins_0_decided, result.p_value, result.tie_rule_violations
(4, 2, 1.0, 0)
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from agentsim.errors import InputError
from agentsim.stats._numeric import clean, sign_test_p
from agentsim.stats.intervals import Interval, wilson

__all__ = ["AnchorResult", "anchor_test", "anchor_from_counts"]


@dataclass(frozen=True, slots=True)
class AnchorResult:
    """What the anchor says of a set of games.

    Attributes
    ----------
    n_games, n_decided : games in all, and those that no tie rule decided.
    wins_0_decided : those of ``n_decided`` that seat 0 won.
    share : Wilson's interval of ``wins_0_decided / n_decided``; should cover 1/2.
    z, p_value : the statistic ``(2 w - n) / sqrt(n)`` and the exact two-sided binomial p-value.
    excess : observed P(seat 0 wins) - 1/2 over all games (draws count half).
    expected_excess : the right side of the identity from the games that a tie rule decided.
    tie_rule_violations : games that a tie rule decided and the wrong seat won; must be 0.
    drawn_decided : draws among games that no tie rule decided; must be 0.
    """

    n_games: int
    n_decided: int
    wins_0_decided: int
    share: Interval
    z: float
    p_value: float
    excess: float
    expected_excess: float
    tie_rule_violations: int
    drawn_decided: int

    def holds(self, alpha: float = 0.001) -> bool:
        """True if nothing contradicts the anchor: no wrong winner, and the coin fair at ``alpha``."""
        return self.tie_rule_violations == 0 and self.drawn_decided == 0 and self.p_value > alpha

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON (NaN becomes None)."""
        values = {key: clean(value) if isinstance(value, float) else value for key, value in asdict(self).items()}
        return values | {"share": self.share.as_dict()}


def anchor_from_counts(
    *, wins_0: int, wins_1: int, draws: int = 0, tie_active_0: int = 0, tie_active_1: int = 0,
    tie_won_0: int = 0, tie_won_1: int = 0, tie_violations: int | None = None,
    tie_rule: Literal["active", "passive", "draw"] = "active", level: float = 0.95,
) -> AnchorResult:
    """The anchor from counters.

    Parameters
    ----------
    wins_0, wins_1, draws : all games by winner.
    tie_active_0, tie_active_1 : games that a tie rule decided, by the seat that was active then.
    tie_won_0, tie_won_1 : the same games by winner.
    tie_violations : those won against the rule, if counted game by game; otherwise the least number that the totals
        prove.
    tie_rule : who wins such games: the rules' switch.

    Raises InputError for counts that contradict each other.
    """
    _check_rule(tie_rule)
    counts = {"wins_0": wins_0, "wins_1": wins_1, "draws": draws, "tie_active_0": tie_active_0,
              "tie_active_1": tie_active_1, "tie_won_0": tie_won_0, "tie_won_1": tie_won_1}
    for key, count in counts.items():
        if count != int(count) or count < 0:
            raise InputError(f"must be a count, got {count}", key=key)
    ties = tie_active_0 + tie_active_1
    tie_drawn = ties - tie_won_0 - tie_won_1
    n = wins_0 + wins_1 + draws
    if tie_drawn < 0 or tie_won_0 > wins_0 or tie_won_1 > wins_1 or tie_drawn > draws:
        raise InputError("the games decided by a tie rule do not fit the totals", key="tie_won_0, tie_won_1")
    active = (tie_active_0, tie_active_1)
    due_0, due_1 = {"active": active, "passive": active[::-1], "draw": (0, 0)}[tie_rule]
    # Games that must have gone wrong whichever they are: wins missing where they were due, or made where they were not.
    proven = max(abs(tie_won_0 - due_0), abs(tie_won_1 - due_1))
    won, lost = wins_0 - tie_won_0, wins_1 - tie_won_1
    decided = won + lost
    return AnchorResult(
        n_games=n, n_decided=decided, wins_0_decided=won, share=wilson(won, decided, level),
        z=(won - lost) / math.sqrt(decided) if decided else math.nan, p_value=sign_test_p(won, lost),
        excess=(wins_0 - wins_1) / (2 * n) if n else math.nan,
        expected_excess=(due_0 - due_1) / (2 * n) if n else math.nan,
        tie_rule_violations=proven if tie_violations is None else tie_violations, drawn_decided=draws - tie_drawn,
    )


def _check_rule(rule: str) -> None:
    if rule not in ("active", "passive", "draw"):
        raise InputError(f"unknown tie rule '{rule}'", key="tie_rule", allowed="active, passive, draw")


def anchor_test(
    winner: npt.ArrayLike, tie_rule: npt.ArrayLike, n_turns: npt.ArrayLike, *,
    rule: Literal["active", "passive", "draw"] = "active", level: float = 0.95,
) -> AnchorResult:
    """The anchor from the columns of the ``games`` table.

    Parameters
    ----------
    winner : 0, 1, or missing (None, NaN, NA; also -1) for a draw.
    tie_rule : whether a tie rule decided the game.
    n_turns : turns played, from 1. Seat 0 starts and seats alternate: it was active at the end if the number is odd.
    rule : the rules' switch: who wins by the tie rule.

    Raises InputError for columns of different lengths or other values.
    """
    _check_rule(rule)
    seats = pd.Series(winner).astype("Float64").to_numpy(dtype=np.float64, na_value=-1.0)
    ties = np.asarray(tie_rule)
    turns = np.asarray(n_turns)
    if not seats.shape == ties.shape == turns.shape:
        raise InputError(f"{len(seats)} winners, {ties.size} tie flags, {turns.size} lengths", key="winner",
                         allowed="columns of one length")
    if not np.isin(seats, (-1.0, 0.0, 1.0)).all():
        raise InputError("holds a value that is no seat", key="winner", allowed="0, 1, or missing for a draw")
    if ties.dtype != np.bool_ and not np.isin(ties, (0, 1)).all():
        raise InputError("holds a value that is neither true nor false", key="tie_rule")
    if turns.size and (turns.dtype.kind not in "iu" or int(turns.min()) < 1):
        raise InputError("holds a value that is no number of turns", key="n_turns", allowed="whole numbers from 1")
    tied = ties.astype(bool)
    active = (turns.astype(np.int64) + 1) % 2
    due = {"active": active, "passive": 1 - active, "draw": np.full(active.shape, -1)}[rule]
    return anchor_from_counts(
        wins_0=int((seats == 0).sum()), wins_1=int((seats == 1).sum()), draws=int((seats == -1).sum()),
        tie_active_0=int((tied & (active == 0)).sum()), tie_active_1=int((tied & (active == 1)).sum()),
        tie_won_0=int((tied & (seats == 0)).sum()), tie_won_1=int((tied & (seats == 1)).sum()),
        tie_violations=int((tied & (seats != due)).sum()), tie_rule=rule, level=level,
    )
