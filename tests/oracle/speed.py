"""How many games per second the oracle plays: the denominator of every speed ratio.

Run ``python -m tests.oracle.speed`` from the root of the repository for a table of medians.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from random import Random

from .agent_avenue import STANDARD, OracleRules
from .baselines import POLICIES, play_game


def games_per_second(policy: str = "random", games: int = 1000, seed: int = 0, rules: OracleRules = STANDARD) -> float:
    """Play ``games`` mirror games of the named policy in this process and return games per second of CPU time.

    policy: ``random``, ``random_discards``, ``greedy`` or ``minmax``.  Raises ValueError for another name or games < 1.
    """
    if policy not in POLICIES:
        raise ValueError(f"unknown policy {policy!r}: one of {', '.join(POLICIES)}")
    if games < 1:
        raise ValueError(f"games {games}: at least 1")
    player = POLICIES[policy]
    rng = Random(seed)
    start = time.process_time()
    for _ in range(games):
        play_game(player, player, rng, rules)
    return games / (time.process_time() - start)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the median and the range of several repetitions for each policy."""
    parser = argparse.ArgumentParser(description="Measure the speed of the oracle engine.")
    parser.add_argument("--policies", default="random,greedy", help="names separated by commas")
    parser.add_argument("--games", type=int, default=2000, help="games per repetition")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.repetitions < 1:
        parser.error("--repetitions: at least 1")
    print(f"{'policy':<16} {'games/s':>10} {'lowest':>10} {'highest':>10}")
    for policy in options.policies.split(","):
        try:
            speeds = [games_per_second(policy, options.games, options.seed + k) for k in range(options.repetitions)]
        except ValueError as error:
            parser.error(str(error))
        print(f"{policy:<16} {statistics.median(speeds):>10.0f} {min(speeds):>10.0f} {max(speeds):>10.0f}")
    print(f"Median of {options.repetitions} repetitions of {options.games} mirror games, one core.")


if __name__ == "__main__":
    main()
