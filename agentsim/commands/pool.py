"""``pool``: a pool of policies grown by best responses to its own equilibrium."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from agentsim.commands import console
from agentsim.commands.parser import parse_count, parse_whole
from agentsim.commands.search import _games, _rules, _seed, _workers
from agentsim.commands.text import columns, count, duration, paragraph, terminal_width
from agentsim.commands.whatif import output_folder
from agentsim.errors import InputError
from agentsim.experiment import MAX_GAMES, whole_number

__all__ = ["pool"]


def pool(args: argparse.Namespace) -> int:
    """Grow a pool of policies by best responses to its equilibrium."""
    from agentsim.lineup import resolve_policies, split_specs
    from agentsim.simulation import ProgressBar
    from agentsim.simulation.progress import Meter
    from agentsim.strategy.pool import grow_pool

    game, rules = _rules(args)
    try:
        starts = resolve_policies(game, split_specs(args.policies), rules=rules)
    except InputError as error:
        raise error.at(where="pool") from None
    rounds = whole_number(parse_whole(args.rounds, "--rounds"), 1, 100, where="--rounds")
    pair_games = whole_number(parse_count(args.pair_games, "--pair-games"), 100, MAX_GAMES, where="--pair-games")
    games, seed = _games(args, 2_000_000, least=10_000), _seed(args)
    if len(starts) < 2:
        raise InputError("1 policy", where="pool", allowed="two or more, as in expert,minmax")
    if not any(game.tunable(ref, rules) for ref in starts):
        raise InputError("none of the policies has parameters", where="pool", allowed="at least one that has")
    out: Path | None = None if args.out is None else output_folder(args.out)
    begun = time.monotonic()
    with ProgressBar(quiet=args.quiet) as bar:
        met = (len(starts) + rounds) * (len(starts) + rounds - 1) // 2
        found = grow_pool(rules, starts, lambda ref: game.tunable(ref, rules), rounds=rounds, games=games,
                          pair_games=pair_games, seed=seed, game=game.name, workers=_workers(args), folder=out,
                          meter=Meter(bar, 0, rounds * games + met * pair_games))
    seconds = time.monotonic() - begun
    data = {**found.as_dict(), "seconds": seconds}
    if out is not None:
        beside = out / "pool.json.new"
        beside.write_text(json.dumps(found.as_dict(), indent=1) + "\n", encoding="utf-8")
        beside.replace(out / "pool.json")

    def lines() -> list[str]:
        width = terminal_width()
        last = found.rounds[-1]
        end = (f"The last response showed no gain over the equilibrium ({100 * last.low:.1f} to {100 * last.high:.1f} %"
               " against it): this search finds no way out of the pool; another may." if found.closed else
               f"After {len(found.rounds)} rounds responses still gain: the pool is not closed.")
        pairs = [(found.policies[i].label, found.policies[j].label, f"{100 * one.estimate:.2f}",
                  f"{100 * one.low:.2f} to {100 * one.high:.2f}", count(one.n_games or 0))
                 for i, row in enumerate(found.scores) for j, one in enumerate(row) if one is not None and i < j]
        return [*columns(("response", "begun at", "against the equilibrium, %", "95 % interval", "fresh games", ""),
                         [(one.response.label, one.start, f"{100 * one.score:.2f}",
                           f"{100 * one.low:.2f} to {100 * one.high:.2f}", count(one.n_games),
                           "joined" if one.joined else "no gain shown") for one in found.rounds], left=2), "",
                *columns(("policy", "share of the equilibrium, %"),
                         [(ref.label, f"{100 * share:.1f}")
                          for ref, share in zip(found.policies, found.mixture, strict=True)]), "",
                *columns(("policy", "against", "score, %", "95 % interval", "games"), pairs, left=2), "",
                *paragraph(f"{end} Seed {seed}. Intervals of the responses hold together over {rounds} rounds, those "
                           f"of the pairs over {len(pairs)} pairs (Sidak). Shares are those of the measured matrix and "
                           "jump with it.", width=width), f"Played in {duration(seconds)}."]

    console.show(args.json, "pool", data, lines)
    return 0
