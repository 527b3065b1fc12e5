"""Games per second in every mode, on one core and with logs off, as ratios to the second engine of all modes.

CPU time, as in ``speed``. The base game for two through the engine of all modes shows what generality costs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random
from typing import Any

from agentsim.experiment import build_experiment
from benchmarks.measure import Line, Options, at_least, line, repeat
from benchmarks.runs import play
from tests.oracle.market import publisher_cards
from tests.oracle.mode_logs import play_on, random_chooser, shuffled
from tests.oracle.modes import ModeGame, ModeRules, division_m_cards

__all__ = ["run"]

_ADVANCED = {"rules.mode": "advanced"}
_TEAM = {"rules.players": 4}
_DIVISION_M = {"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "both"}

# Mode, policy, settings, games per repetition, target in million games per second.
_MIRRORS: tuple[tuple[str, str, dict[str, Any], int, float | None], ...] = (
    ("advanced", "random", _ADVANCED, 600_000, 1.0),
    ("advanced", "greedy", _ADVANCED, 200_000, 0.3),
    ("advanced", "minmax", _ADVANCED, 150_000, None),
    ("advanced", "expert", _ADVANCED, 50_000, None),
    ("2 against 2, base", "random", _TEAM, 600_000, 0.7),
    ("2 against 1, base", "random", {"rules.players": 3}, 600_000, None),
    ("Division M, advanced", "random", _DIVISION_M, 500_000, None),
)
_ORACLE = {
    "advanced": ModeRules(market_cards=publisher_cards()),
    "2 against 2, base": ModeRules(players=4),
    "Division M, advanced": ModeRules(cards=division_m_cards(), market_cards=publisher_cards()),
}
_ORACLE_GAMES = 300


def run(options: Options) -> Iterator[Line]:
    slow = {mode: repeat(options.repeat, lambda r=rules: _oracle(r))  # type: ignore[misc]
            for mode, rules in _ORACLE.items()}
    for mode, policy, settings, games, target in _MIRRORS:
        play(build_experiment(policy, games=1000, seed=1, settings=settings))  # compiled before the clock runs
        experiment = build_experiment(policy, games=games, seed=1, settings=settings)
        speeds = repeat(options.repeat, lambda e=experiment, n=games: n / play(e).cpu)  # type: ignore[misc]
        figures = [1e-6 * speed for speed in speeds]
        yield line("modes", f"{mode}, {policy} mirror", figures, "M games/s",
                   None if target is None else at_least(target),
                   note=f"{1000 / sorted(figures)[len(figures) // 2]:,.0f} ns per game")
        if policy == "random" and mode in slow:
            ratios = [fast / other for fast, other in zip(speeds, slow[mode], strict=True)]
            yield line("modes", f"{mode}, random / oracle's random", ratios, "times as fast", at_least(100))


def _oracle(rules: ModeRules) -> float:
    """Games per second of the second engine under ``random`` without discards."""
    rng = Random(1)
    start = time.process_time()
    for _ in range(_ORACLE_GAMES):
        deck, pile = shuffled(rules, rng)
        play_on(ModeGame(deck, rules, pile), random_chooser(rng))
    return _ORACLE_GAMES / (time.process_time() - start)
