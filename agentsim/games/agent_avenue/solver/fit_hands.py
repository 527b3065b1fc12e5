"""Fitting kept hands: ``python -m agentsim.games.agent_avenue.solver.fit_hands --out kept.npz``.

What hands hold depends on the play, and the play on what hands are thought to hold. So, ``--rounds`` times: the
solver plays itself, both networks (``hands.py``) are fitted to the hands of its games, those of the rounds before
counting less, and the turns' games are solved anew for such hands where games often come. The table of the first round
knows hands drawn anew. Every twentieth deal is held out. The package ships what ``make fit-hands`` makes; everything
follows from the seed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.engine import STATE_SIZE
from agentsim.games.agent_avenue.rules import Rules, compile_rules
from agentsim.games.agent_avenue.solver import hand_sample as s
from agentsim.games.agent_avenue.solver.backward import STEPS, solve_states
from agentsim.games.agent_avenue.solver.hands import BONUS_AS_KEPT, NARROW, WIDTH
from agentsim.games.agent_avenue.solver.kept import known, rounded, write_kept
from agentsim.games.agent_avenue.solver.kept_descent import (
    Network,
    Offerers,
    Receivers,
    fit,
    loss_of,
    offerers_of,
    receivers_of,
)
from agentsim.games.agent_avenue.solver.opened import facts_of
from agentsim.games.agent_avenue.solver.parameters import solver_row
from agentsim.games.agent_avenue.solver.states import Space, space_of
from agentsim.games.base import get_game

__all__ = ["Turns", "main", "sample"]

_CHUNK = 5_000
HELD_OUT = 20
"""Every so-manieth deal is kept for measuring."""
FADING = 0.5
"""What turns of the round before count."""
RATE = 3e-3
FIRST_SURE = 0.1
"""``sure`` of the first round: what it comes to where kept hands are known."""
OFTEN = 5
"""Turns after which a pair of agents in play is solved anew between rounds."""


class Turns(NamedTuple):
    """Turns of games: see :func:`..hand_sample.sample_hands`. ``held_out`` (m,): whether they are not to be learned."""

    turns: NDArray[np.int32]
    hands: NDArray[np.int64]
    held_out: NDArray[np.bool_]


def sample(rules: Rules, row: NDArray[np.float64], games: int, seed: int, workers: int = 1) -> Turns:
    """Turns of games of the solver with itself; the result does not depend on ``workers``."""
    table = compile_rules(rules)

    def play(first: int) -> Turns:
        last, parts = min(first + _CHUNK, games), []
        turns, hands = np.zeros((_CHUNK * 20, s.WIDTH), np.int32), np.zeros((_CHUNK * 20, 2), np.int64)
        while first < last:
            game = np.zeros(len(turns), np.int64)
            done, n = s.sample_hands(np.uint64(seed), first, last - first, table, row, turns, hands, game,
                                     np.zeros(STATE_SIZE, np.int64))
            parts.append(Turns(turns[:n].copy(), hands[:n].copy(), game[:n] % HELD_OUT == 0))
            first += done
        return _joined(parts)

    with ThreadPoolExecutor(workers) as crew:
        return _joined(list(crew.map(play, range(0, games, _CHUNK))))


def _joined(parts: Sequence[Turns]) -> Turns:
    turns, hands, held_out = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Turns(turns, hands, held_out)


def _grouped(space: Space, rounds: Sequence[Turns], held_out: bool) -> tuple[Offerers | Receivers, ...]:
    """Turns of rounds by public state, those of the last one counting most."""
    parts = [(each.turns[each.held_out == held_out], each.hands[each.held_out == held_out]) for each in rounds]
    count = np.concatenate([np.full(len(turns), FADING ** (len(parts) - 1 - at), np.float32)
                            for at, (turns, _) in enumerate(parts)])
    turns, hands = np.concatenate([part[0] for part in parts]).astype(np.int64), np.concatenate([p[1] for p in parts])
    return (offerers_of(space, turns[:, s.S_STATE], hands[:, 0], count),
            receivers_of(space, turns[:, s.S_STATE], turns[:, s.S_UP], hands[:, 1], count))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m agentsim.games.agent_avenue.solver.fit_hands",
                                     description="Fit what hands of the base game's solver hold.")
    parser.add_argument("--out", type=Path, default=Path("kept.npz"), help="the file to write (kept.npz)")
    parser.add_argument("--games", type=int, default=400_000, help="games of a round (400,000)")
    parser.add_argument("--last", type=int, default=1_000_000, help="games of the last round (1,000,000)")
    parser.add_argument("--rounds", type=int, default=6, help="rounds (6)")
    parser.add_argument("--passes", type=int, default=5, help="passes through the turns, twice as many at first (5)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (1)")
    parser.add_argument("--workers", type=int, default=1, help="threads (1)")
    args = parser.parse_args(arguments)
    rules = get_game("agent_avenue").rules({})
    space = space_of(rules)
    networks = Network(WIDTH, Offerers.outputs, args.seed), Network(NARROW, Receivers.outputs, args.seed)
    began = time.monotonic()
    kept, params = BONUS_AS_KEPT, {"sure": FIRST_SURE}
    values, answers, _ = solve_states(space, workers=args.workers, kept=kept)
    print(f"table for hands drawn anew ({time.monotonic() - began:.0f} s)", flush=True)
    met, rounds = np.zeros(space.side**2, np.int64), list[Turns]()
    for number in range(args.rounds):
        began = time.monotonic()
        facts, last = facts_of(space, kept), number == args.rounds - 1
        games, seed = args.last if last else args.games, args.seed + 1000 * (number + 1)
        rounds = [*rounds[-2:], sample(rules, solver_row(params, values, answers, facts), games, seed, args.workers)]
        played = time.monotonic()
        learned = _grouped(space, rounds, False)
        for network, data in zip(networks, learned, strict=True):
            fit(network, data, args.seed + number, args.passes if number else 2 * args.passes,
                RATE if number == 0 else 0.5 * RATE)
        numbers = np.concatenate([network.weights() for network in networks])
        held = _grouped(space, rounds[-1:], True)
        losses = {who: {"drawn_anew": round(loss_of(None, data), 4), "kept": round(loss_of(network, data), 4),
                        "turns": int(data.total.sum())}
                  for who, network, data in zip(("offerers", "receivers"), networks, held, strict=True)}
        about = {"games": args.games, "last": args.last, "rounds": number + 1, "passes": args.passes,
                 "seed": args.seed, **losses}
        write_kept(args.out, numbers, space, about)
        kept, params, fitted = known(rounded(numbers)), {}, time.monotonic()
        met += np.bincount(rounds[-1].turns[:, s.S_STATE] % space.side**2, minlength=len(met))
        if not last:
            values, answers, _ = solve_states(space, workers=args.workers, steps=STEPS[:1], kept=kept,
                                              pairs=met >= OFTEN, start=(values, answers))
        print(f"round {number + 1}: {len(rounds[-1].turns):,} turns ({played - began:.0f} s), fitted "
              f"({fitted - played:.0f} s), solved for {(met >= OFTEN).sum():,} pairs "
              f"({time.monotonic() - fitted:.0f} s); held out, -log(chance): " + ", ".join(
                  f"{who} {each['drawn_anew']:.3f} drawn anew, {each['kept']:.3f} kept"
                  for who, each in losses.items()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
