"""A game looked at decision by decision: what each cost, compared with the best action in the same hidden worlds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agentsim.errors import InputError
from agentsim.games.agent_avenue.advice.advice import Advice, advise
from agentsim.games.agent_avenue.modes.actions import Action
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.notation.replaying import Step
from agentsim.games.base import PolicyRef
from agentsim.rng import combine
from agentsim.stats import Interval

__all__ = ["Review", "Reviewed", "review"]

GAMES = 4_000
"""Worlds per decision where nothing else is said."""


@dataclass(frozen=True)
class Reviewed:
    """A decision. ``cost``: the best action's winning chance minus that of the action that was taken."""

    number: int
    turn: int
    seat: int
    player: int | None
    action: Action
    chance: Interval
    best: Action
    best_chance: Interval
    cost: Interval
    advice: Advice


@dataclass(frozen=True)
class Review:
    """The decisions of a game in order. ``unseen``: those left out because the cards of who decided are not known;
    ``forced``: those with one legal action."""

    decisions: tuple[Reviewed, ...]
    unseen: int
    forced: int
    games: int
    seed: int

    def total(self, seat: int) -> float:
        """The sum of a seat's costs."""
        return sum(one.cost.estimate for one in self.decisions if one.seat == seat)

    @property
    def mistakes(self) -> list[Reviewed]:
        """Decisions whose cost is certainly above zero, the dearest first."""
        return sorted((one for one in self.decisions if one.cost.low > 0),
                      key=lambda one: (-one.cost.estimate, one.number))


def review(steps: Sequence[Step], *, mine: PolicyRef, theirs: PolicyRef, seats: Sequence[int] = (0, 1),
           games: int = GAMES, seed: int = 1, level: float = 0.95,
           progress: Callable[[int, int], None] | None = None) -> Review:
    """What every decision of some seats of a game cost.

    ``mine`` plays on for whoever decides, ``theirs`` for the other side. ``games``: worlds per decision. All intervals
    of a review hold simultaneously. ``progress``: called with the rollouts done and wanted.

    Raises InputError if no decision can be looked at.
    """
    wanted: list[tuple[int, Step]] = []
    unseen = forced = 0
    for number, step in enumerate(steps):
        game = step.game
        if step.action is None or game.to_move not in seats:
            continue
        if len(game.legal_actions()) == 1:
            forced += 1
        elif not _knows(step):
            unseen += 1
        else:
            wanted.append((number, step))
    if not wanted:
        raise InputError("no decision can be looked at: the cards of who decided are not known" if unseen else
                         "no decision was made", key="review", allowed="a game with hands and draws, or with a deal")
    done, whole = 0, sum(games * len(step.game.legal_actions()) for _, step in wanted)
    found = []
    for number, step in wanted:
        tell = None if progress is None else _shifted(progress, done, whole)
        advice = advise(step.game, mine=mine, theirs=theirs, games=games, level=level, family=len(wanted),
                        seed=int(combine(np.uint64(seed), number)), progress=tell)
        done += games * len(advice.actions)
        assert step.action is not None
        played, best = advice.of(step.action), advice.best
        player = step.game.player_to_move if isinstance(step.game, ModeState) else None
        found.append(Reviewed(number, step.game.turn + 1, advice.seat, player, step.action, played.chance, best.action,
                              best.chance, played.behind, replace(advice, seed=seed)))
    return Review(tuple(found), unseen, forced, games, seed)


def _shifted(progress: Callable[[int, int], None], done: int, whole: int) -> Callable[[int, int], None]:
    return lambda now, _: progress(done + now, whole)


def _knows(step: Step) -> bool:
    """Whether the cards of who decides are known; a team that decides together needs none."""
    game = step.game
    player = game.player_to_move if isinstance(game, ModeState) else 0
    return player is None or (game.to_move, player) in step.sees
