"""Games of every mode played by chance through the step API, position by position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from agentsim.games.agent_avenue.modes.actions import Discard
from agentsim.games.agent_avenue.modes.step import ModeState, new_game
from agentsim.games.agent_avenue.rules import make_rules
from tests.games.agent_avenue.modes.logs import MODES


def walk(settings: Mapping[str, Any], seed: int, discard_rate: float = 0.15) -> list[ModeState]:
    """Every position of a game, the final one included."""
    rules, rng = make_rules(settings), Random(seed)
    lone = rng.randrange(2) if rules.players == 3 and rules.lone == "both" else None
    course = [new_game(seed, rules, deal=seed + 1, lone=lone)]
    while not course[-1].is_over:
        legal = course[-1].legal_actions()
        discards = [action for action in legal if isinstance(action, Discard)]
        others = [action for action in legal if not isinstance(action, Discard)]
        course.append(course[-1].apply(rng.choice(discards if discards and rng.random() < discard_rate else others)))
    return course


def positions(games_of_each_mode: int) -> Iterator[ModeState]:
    """Positions of games of every mode, final ones included."""
    for number, settings in enumerate(MODES.values()):
        for seed in range(games_of_each_mode):
            yield from walk(settings, 100 * number + seed)


def observers(game: ModeState) -> list[tuple[int, int | None]]:
    """Everybody who may look at a game: sides as a whole and single players."""
    return [(seat, player) for seat in (0, 1) for player in (None, *range(game.players(seat)))]
