"""A tournament of policies that plays until every comparison is decided or the budget ends.

Every pair of the field is one comparison, watched by a confidence sequence (:class:`agentsim.stats.SequentialTest`)
with an indifference margin; the error is shared over the pairs by Bonferroni's rule, which holds whatever they have to
do with each other, so *all* statements hold together with the level asked for, whenever play stops.

All pairs play the same deals, in equal *blocks*. A pair's first batch is :data:`FIRST` blocks, each later one a quarter
of what it has played. In each round the half of the undecided pairs that seem nearest to a decision play their next
batch, so that a budget that ends has decided as much as it could. All this depends on counts alone: neither workers
nor a stop and a new start change the result.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.simulation.plan import Span
from agentsim.stats import SequentialTest, adjusted_level

__all__ = ["FIRST", "Plan", "Standing", "play_tournament"]

FIRST = 32
"""Blocks of a pair's first batch: enough to see how the scores of pairs on the same deals go together."""
_LEAST = 10
"""Deals of the smallest block."""

Tally = Mapping[str, NDArray[np.int64]]
Play = Callable[[Sequence[Span]], Sequence[Tally]]
"""Plays stretches of deals (``Span.matchup`` is the pair's number) and brings the counters of each."""


@dataclass(frozen=True)
class Plan:
    """What a tournament is: pairs of labels, games per deal of each, the budget in games, margin and level.

    Raises InputError for a budget that does not pay for every pair's first batch.
    """

    pairs: tuple[tuple[str, str], ...]
    games_per_deal: tuple[int, ...]
    games: int
    margin: float = 0.01
    level: float = 0.95

    def __post_init__(self) -> None:
        least = FIRST * _LEAST * sum(self.games_per_deal)
        if self.games < least:
            raise InputError(f"{self.games:,} game{'s are' if self.games > 1 else ' is'} too few for {len(self.pairs)} "
                             f"pair{'s' if len(self.pairs) > 1 else ''}", key="games", allowed=f"{least:,} or more")

    @property
    def block(self) -> int:
        """Deals of a block."""
        share = self.games // sum(self.games_per_deal)
        return max(_LEAST, min(share // (4 * FIRST), 1000))

    def digest(self, extra: Any) -> str:
        """A hash of all that decides the result; ``extra``: rules, policies and seed."""
        data = [self.pairs, self.games_per_deal, self.games, self.margin, self.level, extra]
        return hashlib.blake2b(json.dumps(data, sort_keys=True, default=str).encode(), digest_size=16).hexdigest()


@dataclass
class Standing:
    """What a pair has played: its test, and the histograms of its blocks."""

    test: SequentialTest
    blocks: list[list[int]] = field(default_factory=list)
    tally: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    @property
    def decision(self) -> str:
        """``better`` (the first policy), ``worse``, ``equivalent`` or ``undecided``."""
        return self.test.decision

    @property
    def histogram(self) -> NDArray[np.int64]:
        """Deals by the half-points of the pair's first policy."""
        total: NDArray[np.int64] = np.sum(np.array(self.blocks, dtype=np.int64), axis=0)
        return total

    def means(self) -> NDArray[np.float64]:
        """The score of each block."""
        table = np.array(self.blocks, dtype=np.float64)
        points = table @ np.arange(table.shape[1]) / (table.shape[1] - 1)
        found: NDArray[np.float64] = points / table.sum(axis=1)
        return found

    def still_needed(self) -> float:
        """Deals that would decide it if the estimate were the truth, beyond those played."""
        interval, test = self.test.interval, self.test
        gap = abs(interval.estimate - test.null)
        wanted = max(gap, test.margin - gap)
        return test.n_deals * ((interval.half_width / wanted) ** 2 - 1.0)

    def add(self, tallies: Sequence[Tally]) -> None:
        """Add a batch, block by block in deal order, and look."""
        histograms = [[int(x) for x in tally["deal_score_a"]] for tally in tallies]
        self.test.add(np.sum(np.array(histograms, dtype=np.int64), axis=0), first_deal=self.test.n_deals)
        self.blocks += histograms
        for tally in tallies:
            for name, counts in tally.items():
                self.tally[name] = self.tally[name] + counts if name in self.tally else np.array(counts)


def play_tournament(plan: Plan, play: Play, *, state: Path | None = None, digest: str = "") -> list[Standing]:
    """Play a plan to its end; the standing of each pair.

    ``state``: a file of JSON lines that keeps every batch, so that a stopped tournament goes on where it was;
    ``digest`` says whose it is. Raises InputError if it is another tournament's.
    """
    share = plan.games // sum(plan.games_per_deal)
    level = adjusted_level(len(plan.pairs), plan.level, "bonferroni")
    standings = [Standing(SequentialTest(margin=plan.margin, level=level, expected_deals=max(share, 100)))
                 for _ in plan.pairs]
    kept = _Kept(state, digest)
    left, per = plan.games, plan.games_per_deal

    def batch(chosen: Sequence[int]) -> None:
        nonlocal left
        wanted: list[tuple[int, int, int]] = []
        for at in chosen:
            first = len(standings[at].blocks)
            number = min(max(1, first // 4) if first else FIRST, left // (plan.block * per[at]))
            if number:
                left -= number * plan.block * per[at]
                wanted.append((at, first, number))
        new = [item for item in wanted if item not in kept.batches]
        spans = [Span(at, (first + block) * plan.block, plan.block)
                 for at, first, number in new for block in range(number)]
        found = iter(play(spans) if spans else [])
        for item in new:
            kept.keep(item, [next(found) for _ in range(item[2])])
        for item in wanted:
            standings[item[0]].add(kept.batches.pop(item))

    batch(range(len(standings)))
    while True:
        able = [at for at, one in enumerate(standings)
                if one.decision == "undecided" and left >= plan.block * per[at]]
        if not able:
            return standings
        able.sort(key=lambda at: (standings[at].still_needed(), at))
        batch(able[:-(-len(able) // 2)])


class _Kept:
    """Batches on disk, a line each. A torn last line is a batch that was not finished."""

    def __init__(self, path: Path | None, digest: str) -> None:
        self.path = path
        self.batches: dict[tuple[int, int, int], list[dict[str, NDArray[np.int64]]]] = {}
        if path is None:
            return
        good = [json.dumps({"tournament": digest})]
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        if text:
            head, *lines = text.split("\n")
            if head != good[0]:
                raise InputError("holds another tournament", where=str(path.parent),
                                 allowed="the same command, or another folder")
            for line in lines[:-1]:
                try:
                    data = json.loads(line)
                    key = (int(data["pair"]), int(data["first"]), len(data["blocks"]))
                    self.batches[key] = [{name: np.array(counts, dtype=np.int64) for name, counts in block.items()}
                                         for block in data["blocks"]]
                except (ValueError, TypeError, KeyError, AttributeError):
                    break
                good.append(line)
        kept = "\n".join(good) + "\n"
        if kept != text:  # beside it and then in its place: a stop right now loses nothing
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_suffix(".new")
            beside.write_text(kept, encoding="utf-8")
            beside.replace(path)

    def keep(self, item: tuple[int, int, int], tallies: list[Tally]) -> None:
        self.batches[item] = [dict(tally) for tally in tallies]
        if self.path is None:
            return
        # One line of the sums would lose the blocks; of the other counters sums are enough.
        rest = {name: sum(tally[name] for tally in tallies) for name in tallies[0] if name != "deal_score_a"}
        blocks: list[dict[str, Any]] = [{"deal_score_a": tally["deal_score_a"].tolist()} for tally in tallies]
        blocks[0] |= {name: np.asarray(counts).tolist() for name, counts in rest.items()}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"pair": item[0], "first": item[1], "blocks": blocks}) + "\n")


def needed_games(plan: Plan, standing: Standing, per_deal: int) -> int:
    """About how many games more would decide an undecided pair."""
    more = standing.still_needed()
    return 0 if not math.isfinite(more) or more < 0 else math.ceil(more) * per_deal
