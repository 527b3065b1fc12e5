"""What a search makes large: the mean score over a field, the least score, or a soft minimum of the scores.

With *targets*, one per opponent, the margins take the place of the scores: score less target. For margins ``m_i`` of
opponents with weights ``w_i`` (which add up to 1)

- ``mean``: ``sum w_i m_i``; targets would only move it, so it has none;
- ``worst``: ``min m_i``; weights have no bearing on it;
- ``soft-worst``: ``-T log sum w_i exp(-m_i / T)``, with the temperature ``T`` of two thirds of a point. It lies between
  the least margin and the mean; a margin that is ``T`` above another counts for 1/e of it. Unlike the least margin it
  grows with every score, so that a search sees gains on opponents that are not the worst just now.

All of them grow with every score. So if intervals of the scores hold together, the objective lies between its values at
their lower and at their upper ends (``interval``), with the same confidence, whatever the scores have to do with each
other; for the mean this is the same as to add up the standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agentsim.errors import InputError, nearest, shown
from agentsim.stats import Interval
from agentsim.strategy.asked import fraction
from agentsim.strategy.field import Histogram, Opponent, Validation, mean_score

__all__ = ["MEAN", "OBJECTIVES", "TEMPERATURE", "Objective", "read_objective"]

OBJECTIVES = ("mean", "worst", "soft-worst")
TEMPERATURE = 1 / 150
"""Of the soft minimum, as a fraction: about the standard error of a candidate's score in a generation."""
METHOD = "ends of simultaneous intervals"


@dataclass(frozen=True)
class Objective:
    """What is made large. ``targets``: one per opponent, as fractions, or none."""

    kind: str = "mean"
    targets: tuple[float, ...] = ()

    def of(self, scores: Sequence[float], field: Sequence[Opponent]) -> float:
        """The value at these scores, one per opponent."""
        margins = [score - target for score, target in zip(scores, self.targets or (0.0,) * len(scores), strict=True)]
        if self.kind == "mean":
            return sum(one.weight * margin for one, margin in zip(field, margins, strict=True))
        least = min(margins)
        if self.kind == "worst":
            return least
        total = sum(one.weight * math.exp((least - margin) / TEMPERATURE)
                    for one, margin in zip(field, margins, strict=True))
        return least - TEMPERATURE * math.log(total)

    def of_games(self, histograms: Sequence[Histogram], field: Sequence[Opponent]) -> float:
        """The value at what was played, a histogram of deal scores per opponent."""
        if self.kind == "mean":
            return mean_score(histograms, field)
        return self.of([mean_score([counts], [Opponent(one.ref, 1.0)])
                        for counts, one in zip(histograms, field, strict=True)], field)

    def interval(self, seen: Validation) -> Interval:
        """The value that fresh games show, with its interval; ``level`` is that of all scores together."""
        if self.kind == "mean" or (len(seen.scores) == 1 and not self.targets):
            return seen.mean
        value, low, high = (self.of([getattr(score, end) for score in seen.scores], seen.field)
                            for end in ("estimate", "low", "high"))
        deals = min(score.n for score in seen.scores)
        return Interval(value, low, high, deals, seen.scores[0].level ** len(seen.scores), METHOD, deals, seen.n_games)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types; only what has a bearing on the value."""
        found: dict[str, Any] = {"kind": self.kind}
        if self.kind == "soft-worst":
            found["temperature"] = TEMPERATURE
        return {**found, "targets": list(self.targets)} if self.targets else found

    def words(self, field: Sequence[Opponent]) -> str:
        """What it is, as part of a sentence: ``the least of the margins over random 95, greedy 93``."""
        what = "scores"
        if self.targets:
            what = "margins over " + ", ".join(f"{one.ref.label} {100 * target:g}"
                                               for one, target in zip(field, self.targets, strict=True))
        return {"mean": f"the mean of the {what}", "worst": f"the least of the {what}",
                "soft-worst": f"the soft minimum (temperature {100 * TEMPERATURE:.2g} points) of the {what}"}[self.kind]

    def format(self, value: Interval) -> str:
        """A value for people: margins have a sign and are in points."""
        return value.format_percent(signed=bool(self.targets))


MEAN = Objective()


def read_objective(kind: Any, targets: Any, field: Sequence[Opponent]) -> Objective:
    """An objective for a field. ``targets``: fractions by label of the opponent, or None.

    Raises InputError for an unknown objective, for targets that are not those of the field, for what has no bearing.
    """
    if kind not in OBJECTIVES:
        raise InputError(f"unknown objective {shown(kind)}", where="objective", allowed=", ".join(OBJECTIVES),
                         nearest=nearest(str(kind), OBJECTIVES))
    if kind == "worst" and len({one.weight for one in field}) > 1:
        raise InputError("the least score knows no weights", where="objective",
                         allowed="a field without weights, or soft-worst")
    if targets is None:
        return Objective(kind)
    if not isinstance(targets, Mapping):
        raise InputError(f"must be scores by opponent, got {shown(targets)}", where="targets",
                         allowed='such as {"random": 0.95}')
    if not targets:
        return Objective(kind)
    if kind == "mean":
        raise InputError("targets have no bearing on the mean", where="targets", allowed="worst or soft-worst")
    labels = [one.ref.label for one in field]
    for name in targets:
        if name not in labels:
            raise InputError(f"{shown(name)} is not in the field", where="targets", allowed=", ".join(labels),
                             nearest=nearest(str(name), labels))
    if missing := [name for name in labels if name not in targets]:
        raise InputError(f"there is none for {', '.join(missing)}", where="targets", allowed="one for every opponent")
    return Objective(kind, tuple(fraction(targets[name], "targets", f"{name}: 0 to 1", ends=True) for name in labels))
