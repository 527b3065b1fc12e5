"""``pool``: a pool of policies grown by best responses to its own equilibrium."""

from __future__ import annotations

import argparse
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING

from agentsim.commands import console
from agentsim.commands.parser import parse_count, parse_whole
from agentsim.commands.search import _command, _games, _rules, _seed, _workers
from agentsim.commands.text import columns, count, duration, paragraph, terminal_width
from agentsim.commands.whatif import output_folder
from agentsim.errors import InputError
from agentsim.experiment import MAX_GAMES, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentsim.games.base import Parameter, PolicyRef
    from agentsim.strategy.pool import Pool, Round

__all__ = ["pool"]


def pool(args: argparse.Namespace) -> int:
    """Grow a pool of policies by best responses to its equilibrium."""
    from agentsim.lineup import resolve_policies, split_specs
    from agentsim.simulation import ProgressBar
    from agentsim.simulation.progress import Meter
    from agentsim.strategy.pool import grow_pool
    from agentsim.strategy.pool_files import write_pool
    from agentsim.strategy.tuning import have_ranges

    game, rules = _rules(args)
    try:
        starts = resolve_policies(game, split_specs(args.policies), rules=rules)
    except InputError as error:
        raise error.at(where="--policies") from None
    rounds = whole_number(parse_whole(args.rounds, "--rounds"), 1, 100, where="--rounds")
    search = whole_number(parse_count(args.search, "--search"), 200_000, MAX_GAMES, where="--search")
    games, seed = _games(args, 40_000, least=1_000), _seed(args)
    if len(starts) < 2:
        raise InputError("1 policy", where="--policies", allowed="two or more, as in expert,minmax")

    def parameters_of(ref: PolicyRef) -> Sequence[Parameter]:
        found: Sequence[Parameter] = game.tunable(ref, rules)
        return found if have_ranges(found) else ()  # it can be a member all the same

    if not any(parameters_of(ref) for ref in starts):
        raise InputError("none of the policies has parameters", where="--policies", allowed="at least one that has")
    out: Path | None = None if args.out is None else output_folder(args.out)
    begun = time.monotonic()
    with console.keeping(out), ProgressBar(quiet=args.quiet) as bar:
        met = (len(starts) + rounds) * (len(starts) + rounds - 1) // 2
        found = grow_pool(rules, starts, parameters_of, rounds=rounds, games=games,
                          search_games=search, seed=seed, game=game.name, workers=_workers(args), folder=out,
                          meter=Meter(bar, 0, rounds * search + met * games))
    seconds = time.monotonic() - begun
    if out is not None:
        write_pool(out, found, _command("pool", args))

    def lines() -> list[str]:
        width = terminal_width()
        pairs = [(row["policy_a"], row["policy_b"], f"{100 * row['score']:.2f}",
                  f"{100 * row['low']:.2f} to {100 * row['high']:.2f}", count(row["n_games"]))
                 for row in found.matrix().to_dict("records")]
        shares = [(row["policy"], f"{100 * row['nash']:.1f}",
                   f"{100 * row['nash_low']:.1f} to {100 * row['nash_high']:.1f}")
                  for row in found.shares.to_dict("records")]
        told = [line for one in found.rounds for line in paragraph(_said(one), width=width)]
        held = (f"Seed {seed}. Intervals of the gains hold together over {rounds} round{'s' if rounds > 1 else ''}, "
                f"those of the pairs over {len(pairs)} pairs, those of the shares over the policies (Sidak).")
        return [*told, "",
                *columns(("policy", "against", "score, %", "95 % interval", "games"), pairs, left=2), "",
                *columns(("policy", "share of the equilibrium, %", "95 % interval"), shares), "",
                *paragraph(_end(found), width=width), "",
                *paragraph(held, width=width),
                f"Played in {duration(seconds)}.",
                *([f"Kept in {out}" + (f"; play a response as {shlex.quote(f'{out / name}')}"
                                       if found.joined and (name := f"pool.toml:{found.joined[-1].response.label}")
                                       else "")] if out else [])]

    console.show(args.json, "pool", {**found.as_dict(), "seconds": seconds}, lines)
    return 0


def _points(one: Round) -> str:
    gain, low, high = (100 * value for value in one.gain)
    return f"{gain:+.2f} points ({low:+.2f} to {high:+.2f}; {count(one.n_games)} fresh games)"


def _said(one: Round) -> str:
    shares = ", ".join(f"{name} {share:.1%}" for name, share in zip(one.members, one.mixture, strict=True)
                       if share >= 0.0005)
    return (f"Round {one.number}. Equilibrium: {shares}. {one.response.label}, begun at {one.start}, gains "
            f"{_points(one)} on it and {'joins' if one.joined else 'does not join'}.")


def _end(found: Pool) -> str:
    last = found.rounds[-1]
    if found.closed:
        return (f"The last search gains at least {100 * last.at_least:.2f} points on the pool's equilibrium: "
                f"{_points(last)}. It finds no way out of the pool; another method or a larger budget may.")
    return (f"The pool is not closed: the last response gains at least {100 * last.at_least:.2f} points on the "
            "equilibrium before it joined. The equilibrium with it has not been searched.")
