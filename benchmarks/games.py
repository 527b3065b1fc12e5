"""Games per second of ARGH and Shady Agents, on one core and with logs off, as ratios to their second engines.

CPU time, as in ``speed``. Games of one lineup: every policy of a table is the same, so a game has one length.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from agentsim.experiment import build_experiment
from benchmarks.measure import Line, Options, at_least, line, repeat
from benchmarks.runs import play
from tests.oracle import argh, shady_agents

__all__ = ["run"]

_TITLES = {"argh": "ARGH", "shady_agents": "Shady Agents"}
# Game, players, policy, games per repetition, target in million games per second.
_MIRRORS: tuple[tuple[str, int, str, int, float | None], ...] = (
    ("argh", 2, "random", 300_000, 0.5),
    ("argh", 4, "random", 200_000, 0.3),
    ("argh", 2, "expert", 30_000, 0.05),
    ("argh", 4, "expert", 20_000, 0.05),
    ("shady_agents", 6, "random", 600_000, 1.0),
    ("shady_agents", 6, "bayes", 18_000, 0.03),
    ("shady_agents", 10, "bayes", 4_000, 0.005),
)
_ORACLES: dict[tuple[str, int], Callable[[Random], Any]] = {
    ("argh", 2): lambda rng: argh.play_random(rng, argh.standard_rules(2)),
    ("argh", 4): lambda rng: argh.play_random(rng, argh.standard_rules(4)),
    ("shady_agents", 6): lambda rng: shady_agents.play_random(rng, shady_agents.OracleRules(players=6)),
}
_ORACLE_GAMES = 100


def run(options: Options) -> Iterator[Line]:
    slow = {kind: repeat(options.repeat, lambda p=playing: _oracle(p))  # type: ignore[misc]
            for kind, playing in _ORACLES.items()}
    for game, players, policy, games, target in _MIRRORS:
        settings = {"rules.players": players}
        # A mirror's block is one game, or as many as there are roles to turn; compiled before the clock runs.
        play(build_experiment(policy, game=game, games=players * 100, seed=1, settings=settings))
        experiment = build_experiment(policy, game=game, games=games - games % players, seed=1, settings=settings)
        speeds = repeat(options.repeat, lambda e=experiment: e.total_games / play(e).cpu)  # type: ignore[misc]
        figures = [1e-6 * speed for speed in speeds]
        yield line("games", f"{_TITLES[game]}, {players} players, {policy} mirror", figures, "M games/s",
                   None if target is None else at_least(target),
                   note=f"{1000 / sorted(figures)[len(figures) // 2]:,.0f} ns per game")
        if policy == "random" and (game, players) in slow:
            ratios = [fast / other for fast, other in zip(speeds, slow[game, players], strict=True)]
            yield line("games", f"{_TITLES[game]}, {players} players, random / oracle's", ratios, "times as fast",
                       at_least(100))


def _oracle(playing: Callable[[Random], Any]) -> float:
    """Games per second of a second engine under ``random``."""
    rng = Random(1)
    start = time.process_time()
    for _ in range(_ORACLE_GAMES):
        playing(rng)
    return _ORACLE_GAMES / (time.process_time() - start)
