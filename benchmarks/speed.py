"""Games per second on one core, logs off, as ratios to the object-style oracle engine; and a policy of a user's.

CPU time, because other programs on the machine stretch wall time; ``workers`` measures that.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Line, Options, at_least, at_most, line, repeat
from benchmarks.runs import mirror, play
from tests.oracle import speed as oracle

__all__ = ["run"]

# Games per repetition, about half a second's worth; then the target in million games per second.
_MIRRORS = {
    "random": (2_000_000, 3.0),
    "random_discards": (1_500_000, None),
    "greedy": (800_000, 1.0),
    "minmax": (500_000, None),
    "expert": (150_000, 0.3),
}
# Of the oracle: enough for a fifth of a second. It has no planner; `expert` is held against its `greedy`, which has
# less to think about.
_ORACLE_GAMES = {"random": 2000, "random_discards": 1500, "greedy": 150, "minmax": 150}
_STANDS_IN = {"expert": "greedy"}

_USER = f"{Path(__file__).with_name('user_policy.py')}:uniform"


def run(options: Options) -> Iterator[Line]:
    speeds: dict[str, list[float]] = {}
    for policy, (games, target) in _MIRRORS.items():
        speeds[policy] = _speeds(policy, games, options.repeat)
        figures = [1e-6 * speed for speed in speeds[policy]]
        yield line("speed", f"{policy} mirror", figures, "M games/s", None if target is None else at_least(target),
                   note=f"{1000 / sorted(figures)[len(figures) // 2]:,.0f} ns per game")
    slow = {policy: repeat(options.repeat, lambda p=policy, n=games: oracle.games_per_second(p, n))  # type: ignore[misc]
            for policy, games in _ORACLE_GAMES.items()}
    for policy, found in speeds.items():
        against = _STANDS_IN.get(policy, policy)
        ratios = [fast / other for fast, other in zip(found, slow[against], strict=True)]
        yield line("speed", f"{policy} mirror / oracle's {against}", ratios, "times as fast", at_least(100))
    user = _speeds(_USER, _MIRRORS["random"][0], options.repeat)
    ratios = [built_in / own for built_in, own in zip(speeds["random"], user, strict=True)]
    yield line("speed", "a user's policy like random: time / built in", ratios, "times", at_most(2),
               note=f"{1e-6 * sorted(user)[len(user) // 2]:.2f} M games/s; the hardest case, for no policy thinks "
                    "less: calling a user's function costs about 10 ns")


def _speeds(policy: str, games: int, times: int) -> list[float]:
    play(mirror(policy, 1000))  # compiled, or loaded, before the clock runs
    experiment = mirror(policy, games)
    return repeat(times, lambda: games / play(experiment).cpu)
