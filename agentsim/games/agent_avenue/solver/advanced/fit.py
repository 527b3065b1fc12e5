"""Fitting the weights: ``python -m agentsim.games.agent_avenue.solver.advanced.fit --out weights.npz``.

Approximate policy iteration: games of the policy ``--from`` with itself, then of the player with the weights found so
far, ``--rounds`` times in all; after each the network is fitted to how the games of the round ended, and those of the
round before if the player played them. Every twentieth deal is held out. The package ships what ``make fit-advanced``
makes; everything follows from the seed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.policies.minds import minds_for
from agentsim.games.agent_avenue.modes.policies.space import mode_scratch_space, mode_work_space
from agentsim.games.agent_avenue.modes.session import mode_tables
from agentsim.games.agent_avenue.playing import make_player
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_FITTED
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.solver.advanced.descent import blend, epoch, log_odds_of, shuffle
from agentsim.games.agent_avenue.solver.advanced.features import MOST, N_FEATURES
from agentsim.games.agent_avenue.solver.advanced.network import UNIT, UNIT_OUT, WIDTH
from agentsim.games.agent_avenue.solver.advanced.sample import MOST_POSITIONS, sample_games
from agentsim.games.agent_avenue.solver.advanced.weights import Weights, facts_of, fitted_row, write_weights
from agentsim.games.base import get_game
from agentsim.rng import combine
from agentsim.stats.clustered import cluster_ratio

__all__ = ["Positions", "first_weights", "fit_network", "main", "quality", "quantised", "sample"]

_CHUNK = 2000
HELD_OUT = 20
"""Every so-manieth deal is kept for measuring."""
BATCH, RATE, DECAY = 512, 2e-3, 1e-3
TRUST = 0.5
"""How far, from the second round on, the last round's weights stand in for how a game ended (``descent.blend``)."""


class Positions(NamedTuple):
    """Positions of games, see :func:`..sample.sample_games`: features (m, MOST), the others (m,)."""

    features: NDArray[np.int16]
    scores: NDArray[np.float32]
    games: NDArray[np.int64]
    sides: NDArray[np.int8]


def sample(rules: Rules, family: int, row: NDArray[np.float64], games: int, seed: int, workers: int = 1) -> Positions:
    """Positions of games of one policy with itself; the result does not depend on ``workers``."""
    table, facts = mode_tables(rules)[0], facts_of(rules)
    families, rows, minds = np.array([family, family], np.int64), np.stack([row, row]), minds_for([family])

    def play(first: int) -> Positions:
        parts, last = [], min(first + _CHUNK, games)
        state = np.zeros(x.MODE_STATE, np.int64)
        size = max(_CHUNK * 16, MOST_POSITIONS)
        while first < last:
            found = Positions(np.zeros((size, MOST), np.int16), np.zeros(size, np.float32), np.zeros(size, np.int64),
                              np.zeros(size, np.int8))
            done, n = sample_games(np.uint64(seed), first, last - first, table, families, rows, minds,
                                   np.uintp(facts.ctypes.data), *found, state, np.zeros(MOST, np.int64),
                                   mode_scratch_space(), mode_work_space())
            parts.append(some(found, np.arange(n)))
            first += done
        return joined(parts)

    with ThreadPoolExecutor(workers) as crew:
        return joined(list(crew.map(play, range(0, games, _CHUNK))))


def joined(parts: Sequence[Positions]) -> Positions:
    """Positions one after another."""
    features, scores, games, sides = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Positions(features, scores, games, sides)


def some(positions: Positions, which: NDArray[Any]) -> Positions:
    """Some of the positions."""
    return Positions(positions.features[which], positions.scores[which], positions.games[which], positions.sides[which])


def first_weights(seed: int) -> NDArray[np.float32]:
    """Weights to begin with, (N_FEATURES + 2, WIDTH): small ones by chance."""
    random = np.random.default_rng(seed)
    weights = random.normal(0.0, 0.1, (N_FEATURES + 2, WIDTH)).astype(np.float32)
    weights[:, WIDTH - 1] = 0.0
    weights[N_FEATURES] = 0.0
    return weights


def fit_network(weights: NDArray[np.float32], positions: Positions, seed: int, epochs: int, rate: float = RATE
                ) -> NDArray[np.float32]:
    """Weights fitted to the scores of positions, from ``weights`` on; steps shorten from ``rate`` to a fiftieth."""
    weights = weights.copy()
    space = [np.zeros_like(weights) for _ in range(3)]
    order, step = np.arange(len(positions.scores)), 0
    for number in range(epochs):
        stream = np.uint64(combine(np.uint64(seed), number))
        shuffle(order, stream)
        for part, orders in enumerate(np.array_split(order, 4)):
            shorter = rate * 50.0 ** (-(4 * number + part) / (4 * epochs - 1))
            step = epoch(weights, space[0], space[1], positions.features, positions.scores, orders, stream, BATCH,
                         shorter, DECAY, step, space[2], np.zeros(WIDTH, np.float32))
    return weights


def quantised(weights: NDArray[np.float32]) -> NDArray[np.int32]:
    """The whole numbers that the player reads."""
    units = np.full((N_FEATURES + 2, 1), UNIT)
    units[-1] = UNIT_OUT
    return np.ascontiguousarray(np.rint(weights.astype(np.float64) * units).ravel().astype(np.int32))


def chances(weights: NDArray[np.float32], features: NDArray[np.int16], told: bool) -> NDArray[np.float64]:
    """Winning chances of the side in front, with its hand or without."""
    odds = np.zeros(len(features))
    log_odds_of(weights, features, told, np.zeros(WIDTH, np.float32), odds)
    return np.asarray(1.0 / (1.0 + np.exp(-odds)))


def blended(positions: Positions, weights: NDArray[np.float32]) -> Positions:
    """Positions with scores that are half those of the games, half what weights think of the positions that follow."""
    targets = np.zeros_like(positions.scores)
    blend(positions.scores, chances(weights, positions.features, True), positions.sides, positions.games, TRUST,
          targets)
    return positions._replace(scores=targets)


def quality(weights: NDArray[np.float32], positions: Positions, told: bool) -> dict[str, Any]:
    """Log loss on positions with a 95 % interval that is clustered by deal; expected and observed score by tenths."""
    p, y = np.clip(chances(weights, positions.features, told), 1e-9, 1 - 1e-9), positions.scores.astype(np.float64)
    loss = -(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))
    deals = np.unique(positions.games // 2, return_inverse=True)[1]
    found = cluster_ratio(np.bincount(deals, loss), np.bincount(deals).astype(float), bounds=None)
    tenth = np.minimum((10 * p).astype(int), 9)
    size = np.bincount(tenth, minlength=10)
    return {"log_loss": round(found.estimate, 5), "low": round(found.low, 5), "high": round(found.high, 5),
            "positions": len(y), "deals": int(deals.max()) + 1, "in_tenth": size.tolist(),
            "expected": [round(v, 4) for v in (np.bincount(tenth, p, 10) / np.maximum(size, 1)).tolist()],
            "observed": [round(v, 4) for v in (np.bincount(tenth, y, 10) / np.maximum(size, 1)).tolist()]}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m agentsim.games.agent_avenue.solver.advanced.fit",
                                     description="Fit the weights of solver_advanced to games of its own.")
    parser.add_argument("--out", type=Path, default=Path("weights.npz"), help="the file to write (weights.npz)")
    parser.add_argument("--games", type=int, default=120_000, help="games of a round (120,000)")
    parser.add_argument("--first", type=int, default=800_000, help="games of the first round, which is fast (800,000)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (3)")
    parser.add_argument("--epochs", type=int, default=4, help="passes through a round's positions (4)")
    parser.add_argument("--from", dest="start", default="expert", help="the policy of the first round (expert)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    parser.add_argument("--workers", type=int, default=1, help="threads that play (1)")
    args = parser.parse_args(arguments)
    game = get_game("agent_avenue")
    rules = game.rules({"rules.mode": "advanced"})
    player = make_player(game.policy(args.start), rules)
    family, row, weights = player.family, player.row, first_weights(args.seed)
    recent: list[Positions] = []
    for number in range(args.rounds):
        began = time.monotonic()
        seed, games = args.seed + 1000 * (number + 1), args.games if number else args.first
        found = sample(rules, family, row, games, seed, args.workers)
        out = found.games // 2 % HELD_OUT == 0
        held, new = some(found, out), some(found, ~out)
        played = time.monotonic()
        if number > 0:
            new = blended(new, weights)
        # Games of the player are few, and those of the round before hardly worse.
        recent = [*recent[-1:], new] if number > 1 else [new]
        weights = fit_network(weights, joined(recent), seed, args.epochs, RATE if number == 0 else 0.5 * RATE)
        about = {"games": args.games, "first_games": args.first, "rounds": number + 1, "first": args.start,
                 "seed": args.seed, "epochs": args.epochs, "trust": TRUST, "positions": len(found.scores),
                 "public": quality(weights, held, False), "with_hand": quality(weights, held, True)}
        kept = Weights(quantised(weights), about)
        write_weights(args.out, kept)
        print(f"round {number + 1}: {len(found.scores):,} positions of {games:,} games ({played - began:.0f} s), "
              f"fitted ({time.monotonic() - played:.0f} s); held out: log loss {about['public']['log_loss']:.4f}, "
              f"knowing the hand {about['with_hand']['log_loss']:.4f}", flush=True)
        family, row = FAMILY_FITTED, fitted_row({}, kept, facts_of(rules))
    return 0


if __name__ == "__main__":
    sys.exit(main())
