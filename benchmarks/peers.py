"""OpenSpiel's own simulation of two bluffing games, by uniform random play, in the same run as ``random`` here.

The games differ in length and rules, so this is a yardstick for the machinery, not a race: Leduc poker has about 7
actions a game (chance included), Liar's Dice about 8, Agent Avenue about 13 decisions and 21 cards drawn.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.measure import Line, Options, line
from benchmarks.runs import mirror, play

__all__ = ["run"]

_GAMES = ("leduc_poker", "liars_dice")
_OURS = 2_000_000
_SECONDS = 0.3


def run(options: Options) -> Iterator[Line]:
    try:
        import pyspiel
    except ImportError:
        print("    OpenSpiel is not installed (make bench does it): peers left out", file=sys.stderr)
        return
    play(mirror("random", 1000))
    experiment = mirror("random", _OURS)
    for name in _GAMES:
        game = pyspiel.load_game(name)
        for where, loop in (("loop in C++", _evaluate_bots), ("loop in Python", _steps)):
            # In turn, so that both see the same machine.
            pairs = [(_per_second(loop(pyspiel, game)), _OURS / play(experiment).cpu) for _ in range(options.repeat)]
            theirs = [1e-6 * their for their, _ in pairs]
            yield line("peers", f"OpenSpiel {name}, {where}", theirs, "M games/s")
            yield line("peers", f"random mirror here / OpenSpiel {name}", [our / their for their, our in pairs],
                       "times as fast")


def _per_second(play_one: Callable[[int], None]) -> float:
    """Games per second of CPU time of a function that plays the game of a number."""
    played, start = 0, time.process_time()
    while time.process_time() - start < _SECONDS:
        for _ in range(100):
            play_one(played)
            played += 1
    return played / (time.process_time() - start)


def _evaluate_bots(pyspiel: Any, game: Any) -> Callable[[int], None]:
    """OpenSpiel's own loop over a game with its uniform random bots; it seeds a generator for each game."""
    bots = [pyspiel.make_uniform_random_bot(player, player + 1) for player in range(2)]

    def play_one(number: int) -> None:
        pyspiel.evaluate_bots(game.new_initial_state(), bots, number)

    return play_one


def _steps(pyspiel: Any, game: Any) -> Callable[[int], None]:
    """The loop of OpenSpiel's Python examples."""
    chance = random.Random(1)

    def play_one(number: int) -> None:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chance.choices(actions, weights)[0])
            else:
                state.apply_action(chance.choice(state.legal_actions()))

    return play_one
