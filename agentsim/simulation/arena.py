"""Playing some deals of some matchups, as often as one likes: what tournaments, sweeps and searches are made of.

An :class:`Arena` is a fixed list of matchups under fixed rules and a seed. ``play`` plays stretches of deals of any of
them and returns exact counters; nothing is written. All matchups are played on the same deals, so that differences
between them can be paired, and a stretch brings the same counts whoever asks for it, in whatever order and with
however many workers.

>>> from agentsim import load_policies
>>> from agentsim.games.base import get_game
>>> arena = Arena(get_game("agent_avenue").rules({}), [load_policies("greedy,random")], seed=1)
>>> arena.play([Span(0, 0, 500)])[0]["deal_score_a"].sum()                                              # doctest: +SKIP
np.int64(500)
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.base import PolicyRef, ScoredByShares, get_game
from agentsim.simulation.parts import add_tally
from agentsim.simulation.plan import Span, batch_games_for, split_tasks
from agentsim.simulation.progress import Meter
from agentsim.simulation.worker import warm_up

__all__ = ["Arena", "Tally"]

Tally = dict[str, NDArray[np.int64]]


class Arena:
    """Matchups of two policies, ready to be played.

    Parameters
    ----------
    rules : of the game, as :meth:`agentsim.games.base.Game.rules` makes them.
    matchups : policies by slot; the place in this list is the matchup's number, and with the seed fixes its decisions.
    seed : fixes the deals.
    workers : threads that play at a time; results do not depend on it.

    ``games_per_deal``: of every matchup. Raises ``InputError`` for a game that is scored by win shares.
    """

    def __init__(self, rules: Any, matchups: Sequence[Sequence[PolicyRef]], seed: int, *, game: str = "agent_avenue",
                 workers: int = 1) -> None:
        self.game, self.rules, self.seed, self.workers = get_game(game), rules, seed, max(1, workers)
        if isinstance(self.game, ScoredByShares):
            raise InputError(f"'{game}' is scored by win shares", key="game", allowed="a game of two sides")
        self.matchups = [tuple(matchup) for matchup in matchups]
        self.games_per_deal = [self.game.games_per_deal(matchup, rules) for matchup in self.matchups]
        self._session = self.game.session(rules, self.matchups, seed)

    def warm_up(self, meter: Meter | None = None) -> None:
        """Compile what playing needs, with a word about it if that takes long."""
        warm_up(lambda: self._session.warm_up("none"), meter or Meter(None, 0, 0))

    def games_of(self, spans: Sequence[Span]) -> int:
        """The games of these stretches."""
        return sum(span.n_deals * self.games_per_deal[span.matchup] for span in spans)

    def play(self, spans: Sequence[Span], meter: Meter | None = None) -> dict[int, Tally]:
        """Play stretches of deals; the counters of each matchup that has some, by its number.

        ``deal_score_a`` counts deals by the half-points of the matchup's first policy (``2 m + 1`` counts for ``m``
        games a deal): what :mod:`agentsim.stats` calls a histogram of deal scores. ``meter`` is told the games of every
        batch. Ctrl-C stops within a batch.
        """
        stop = threading.Event()
        tasks = split_tasks(spans, self.games_per_deal, "none", self.workers)

        def run(at: int) -> dict[int, Tally]:
            found: dict[int, Tally] = {}
            for span in tasks[at].spans:
                per_batch = max(1, batch_games_for("none") // self.games_per_deal[span.matchup])
                for first in range(span.first_deal, span.end, per_batch):
                    if stop.is_set():
                        return found
                    batch = self._session.play(span.matchup, first, min(per_batch, span.end - first), "none")
                    found[span.matchup] = add_tally(found.get(span.matchup), batch.tally)
                    if meter is not None:
                        meter.advance(batch.n_games)
            return found

        total: dict[int, Tally] = {}
        with ThreadPoolExecutor(max_workers=self.workers) as crew:
            try:
                for part in crew.map(run, range(len(tasks))):
                    for matchup, tally in part.items():
                        total[matchup] = add_tally(total.get(matchup), tally)
            except BaseException:
                stop.set()
                crew.shutdown(wait=True, cancel_futures=True)
                raise
        return total

    def play_each(self, spans: Sequence[Span], meter: Meter | None = None) -> list[Tally]:
        """Play stretches of deals; the counters of each, in the order given. For many short stretches."""
        stop = threading.Event()

        def run(span: Span) -> Tally:
            if stop.is_set():
                return {}
            batch = self._session.play(span.matchup, span.first_deal, span.n_deals, "none")
            if meter is not None:
                meter.advance(batch.n_games)
            return batch.tally

        with ThreadPoolExecutor(max_workers=self.workers) as crew:
            try:
                return list(crew.map(run, spans))
            except BaseException:
                stop.set()
                crew.shutdown(wait=True, cancel_futures=True)
                raise
