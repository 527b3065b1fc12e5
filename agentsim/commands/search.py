"""``sweep``, ``tune`` and ``exploit``: parameters varied, tuned, and turned against a policy."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentsim.commands import console
from agentsim.commands.parser import parse_count, parse_settings, parse_whole
from agentsim.commands.simulate import MAX_WORKERS
from agentsim.commands.text import columns, count, duration, paragraph, terminal_width
from agentsim.commands.whatif import output_folder, records
from agentsim.errors import InputError
from agentsim.experiment import DEFAULT_GAME, MAX_GAMES, MAX_SEED, card_settings, whole_number

if TYPE_CHECKING:
    from agentsim.strategy.field import Opponent

__all__ = ["exploit", "sweep", "tune"]

FIELD = "random,greedy,minmax,expert"
STARTS = "expert,daredevil_trapper,codebreaker_hunter,discarder"


def sweep(args: argparse.Namespace) -> int:
    """Vary one or two parameters of a policy against a field."""
    from agentsim.simulation import ProgressBar
    from agentsim.simulation.progress import Meter
    from agentsim.strategy.field import candidate, read_field
    from agentsim.strategy.sweep import MOST_POINTS, read_values, run_sweep

    game, rules = _rules(args)
    base = candidate(game, args.policy, "sweep")
    if not args.vary or len(args.vary) > 2:
        raise InputError(f"{len(args.vary or [])} parameters are varied", where="--vary", allowed="one or two")
    varied = [read_values(text, game.parameters(base), base) for text in args.vary]
    if len(varied) == 2 and varied[0].parameter.name == varied[1].parameter.name:
        raise InputError("is varied twice", where="--vary", key=varied[0].parameter.name)
    field = read_field(game, args.against or FIELD, rules)
    points = 1
    for each in varied:
        points *= len(each.values)
    if points > MOST_POINTS:
        raise InputError(f"{points:,} points", where="--vary", allowed=f"at most {MOST_POINTS}")
    games = _games(args, 20_000)
    out = None if args.out is None else output_folder(args.out)
    start = time.monotonic()
    with ProgressBar(quiet=args.quiet) as bar:
        found = run_sweep(rules, base, varied, field, seed=_seed(args), games=games, game=game.name,
                          workers=_workers(args), meter=Meter(bar, 0, (points + 1) * len(field) * games))
    seconds = time.monotonic() - start
    page = None
    if out is not None:
        from analyses import sweep_page

        page = sweep_page.write(found, out, _command("sweep", args, args.policy))
        found.points.to_csv(out / "sweep.csv", index=False)
    names = [each.parameter.name for each in varied]
    data = {"policy": base.as_dict(), "against": [[one.ref.label, one.weight] for one in field], "seed": found.seed,
            "n_games": found.n_games, "seconds": seconds, "page": str(page) if page else None,
            "points": records(found.points), "by_opponent": records(found.by_opponent)}

    def lines() -> list[str]:
        rows = [(*(f"{row[name]:g}" for name in names), f"{100 * row['score']:.2f}",
                 f"{100 * row['low']:.2f} to {100 * row['high']:.2f}", f"{100 * row['difference']:+.2f}",
                 f"{100 * row['difference_low']:+.2f} to {100 * row['difference_high']:+.2f}",
                 "; ".join((["the base"] if row["is_base"] else []) + (["among the best"] if row["as_good"] else [])))
                for row in found.points.to_dict("records")]
        width = terminal_width()
        best = found.points.iloc[int(found.points["score"].to_numpy().argmax())]
        rivals = int(found.points["as_good"].sum()) - 1
        said = (f"The best seen is {', '.join(f'{name} = {best[name]:g}' for name in names)} with "
                f"{100 * best['score']:.2f} %" + (f"; {rivals} more cannot be told from it." if rivals else "."))
        return [*paragraph(f"{base.label} against {_field_words(field)}: {count(found.n_games)} games, seed "
                           f"{found.seed}, all points on the same deals.", width=width), "",
                *columns((*names, "score, %", "95 % interval", "from the base", "95 % interval", ""), rows,
                         left=len(names)), "",
                *paragraph(said, width=width),
                f"The intervals of a column hold together over {len(rows)} points (Sidak).",
                f"Played in {duration(seconds)}.", *([f"The page is {page}"] if page else [])]

    console.show(args.json, "sweep", data, lines)
    return 0


def tune(args: argparse.Namespace) -> int:
    """Tune a policy's parameters against a field."""
    from agentsim.simulation import ProgressBar
    from agentsim.simulation.progress import Meter
    from agentsim.strategy.field import candidate, read_field, validate
    from agentsim.strategy.presets_file import check_presets_file, save_preset
    from agentsim.strategy.tune import Search, SearchPlan, chosen_parameters, search_games

    game, rules = _rules(args)
    start_policy = candidate(game, args.policy, "tune")
    field = read_field(game, args.against or FIELD, rules)
    only = [name.strip() for name in args.only.split(",")] if args.only else None
    if only:
        names = chosen_parameters(game.parameters(start_policy), only, start_policy, "--only")
    else:
        names = chosen_parameters(game.tunable(start_policy, rules), None, start_policy, "tune")
    if len(set(names)) < len(names):
        raise InputError("a parameter is listed twice", where="--only")
    population = whole_number(parse_whole(args.population, "--population"), 4, 1000, where="--population")
    generations = whole_number(parse_whole(args.generations, "--generations"), 1, 10_000, where="--generations")
    restarts = whole_number(parse_whole(args.restarts, "--restarts"), 1, 100, where="--restarts")
    games, checked_games = _games(args, 2_000), whole_number(parse_count(args.validate, "--validate"), 100, MAX_GAMES,
                                                             where="--validate")
    seed = _seed(args)
    if args.save is not None:
        check_presets_file(Path(args.presets), args.save)
    out = None if args.out is None else output_folder(args.out)
    plans = [SearchPlan(start_policy, names, field, (seed + 1_000 * at) % 2**64, population, generations,
                        max(1, games // 2), max(1, 5 * games)) for at in range(restarts)]
    total = sum(search_games(plan) for plan in plans) + checked_games * len(field)
    begun = time.monotonic()
    found = []
    with ProgressBar(quiet=args.quiet) as bar:
        meter = Meter(bar, 0, total)
        for at, plan in enumerate(plans):
            search = Search(rules, plan, game.parameters(start_policy), game=game.name, workers=_workers(args),
                            meter=meter, folder=None if out is None else out / f"search_{at}")
            search.run()
            found.append(search.choose())
        best = max(found, key=lambda one: one.score)
        result = validate(rules, best.policy, field, seed=(seed + 2) % 2**64, games=checked_games, game=game.name,
                          workers=_workers(args), meter=meter)
    seconds = time.monotonic() - begun
    changed = {name: value for name, value in best.policy.params.items() if value != start_policy.params[name]}
    data = {**result.as_dict(), "start": start_policy.label, "varied": list(names), "changed": changed,
            "search_seed": seed, "seconds": seconds, "restarts": [one.score for one in found],
            "best_by_generation": [list(one.best_by_generation) for one in found],
            "middle_by_generation": [list(one.middle_by_generation) for one in found]}
    if out is not None:
        (out / "tune.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    spec = None
    if args.save is not None:
        history = {"command": _command("tune", args, args.policy), "seed": seed, "generations": generations,
                   "restarts": restarts, "validation_seed": result.seed, "validation_games": result.n_games,
                   "score": result.mean.estimate, "low": result.mean.low, "high": result.mean.high,
                   "by_generation": [float(f"{value:.5f}") for value in best.middle_by_generation]}
        idea = (f"{start_policy.label} tuned against {_field_words(field)}: {result.mean.format_percent()} over "
                f"{count(result.n_games)} fresh games.")
        spec = save_preset(Path(args.presets), args.save, best.policy, idea, history)

    def lines() -> list[str]:
        rows = [(one.ref.label, f"{one.weight:.2f}", f"{100 * score.estimate:.2f}",
                 f"{100 * score.low:.2f} to {100 * score.high:.2f}", count(score.n_games or 0))
                for one, score in zip(field, result.scores, strict=True)]
        values = ", ".join(f"{name}={value:g}" for name, value in changed.items()) or "nothing: the start was best"
        return [*columns(("against", "weight", "score, %", "95 % interval", "fresh games"), rows), "",
                *paragraph(f"Over the field: {result.mean.format_percent()}. Seed {result.seed}, not used in the "
                           "search; the intervals hold together (Sidak).", width=terminal_width()), "",
                *paragraph(f"Changed from {start_policy.label}: {values}", width=terminal_width()), "",
                f"Searched in {duration(seconds)}.",
                *([f"Saved; play it as {spec}"] if spec else [])]

    console.show(args.json, "tune", data, lines)
    return 0


def exploit(args: argparse.Namespace) -> int:
    """Find who beats a policy, and by how much at least."""
    from agentsim.lineup import resolve_policies, split_specs
    from agentsim.simulation import ProgressBar
    from agentsim.simulation.progress import Meter
    from agentsim.strategy.exploit import METHODS, Exploitation, exploit_by_table
    from agentsim.strategy.exploit import exploit as search
    from agentsim.strategy.field import candidate
    from agentsim.strategy.presets_file import check_presets_file, save_preset

    game, rules = _rules(args)
    target = candidate(game, args.policy, "exploit")
    try:
        starts = resolve_policies(game, split_specs(args.starts or STARTS), rules=rules)
    except InputError as error:
        raise error.at(where="--starts") from None
    for start in starts:
        if not game.tunable(start, rules):
            raise InputError(f"{start.label} has no parameters", where="--starts",
                             allowed="policies of a family with parameters")
    games, seed = _games(args, 10_000_000, least=200_000), _seed(args)
    methods = [name.strip() for name in args.method.split(",")]
    for name in methods:
        if name not in METHODS:
            raise InputError(f"unknown method '{name}'", where="--method", allowed=", ".join(METHODS))
    if args.save is not None:
        check_presets_file(Path(args.presets), args.save)
    out = None if args.out is None else output_folder(args.out)
    begun = time.monotonic()
    with ProgressBar(quiet=args.quiet) as bar:
        meter = Meter(bar, 0, games)
        found = Exploitation(target, (), (), 0)
        if "cma" in methods:
            found = search(rules, target, starts, lambda start: game.tunable(start, rules), games=games, seed=seed,
                           game=game.name, workers=_workers(args), meter=meter, folder=out)
        if "dp" in methods:
            # It watches a fifth of the budget at most: a table is filled long before.
            watched, fresh = min(games // 5, 1_000_000), min(games // 5, 100_000)
            response = exploit_by_table(rules, target, games=watched, fresh=fresh, seed=seed, game=game.name,
                                        workers=_workers(args), meter=meter)
            responses = sorted((*found.responses, response), key=lambda one: -one.validation.mean.estimate)
            found = Exploitation(target, tuple(responses), found.tried, found.n_games + watched + fresh)
    seconds = time.monotonic() - begun
    data = {**found.as_dict(), "seed": seed, "seconds": seconds}
    if out is not None:
        (out / "exploit.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    best, spec = found.best, None
    score = best.validation.mean
    if args.save is not None:
        idea = f"A best response to {target.label} by {best.method}: {score.format_percent()} against it."
        spec = save_preset(Path(args.presets), args.save, best.validation.policy, idea,
                           {"command": _command("exploit", args, args.policy), "seed": seed,
                            "validation_seed": best.validation.seed, "validation_games": best.validation.n_games,
                            "score": score.estimate, "low": score.low, "high": score.high})

    def lines() -> list[str]:
        width = terminal_width()
        said = (f"{target.label} loses at least {100 * score.low:.1f} % to a best response by {best.method}, begun at "
                f"{best.start}: it scores {score.format_percent()} in {count(best.validation.n_games)} fresh games.")
        if score.estimate <= 0.5:
            said = (f"No best response was found: the best, by {best.method}, scores {score.format_percent()} against "
                    f"{target.label} in {count(best.validation.n_games)} fresh games.")
        return [*paragraph(said, width=width), *paragraph(
                    f"A search shows a lower bound only: {count(found.n_games)} games, seed {seed}. Other methods and "
                    "larger budgets may find more.", width=width), "",
                *columns(("method", "begun at", "scores, %", "fresh games"),
                         [(one.method, one.start, one.validation.mean.format_percent(),
                           count(one.validation.n_games)) for one in found.responses], left=2), "",
                *([*columns(("start", "mean of its last generations, %"),
                            [(name, f"{100 * value:.1f}") for name, value in found.tried]), ""] if found.tried else []),
                f"Searched in {duration(seconds)}.", *([f"Saved; play it as {spec}"] if spec else [])]

    console.show(args.json, "exploit", data, lines)
    return 0


def _rules(args: argparse.Namespace) -> tuple[Any, Any]:
    from agentsim.strategy.field import two_sided_game

    game = two_sided_game(DEFAULT_GAME if args.game is None else args.game)
    settings = {} if args.cards is None else dict(card_settings(args.cards, game)[0])
    return game, game.rules(settings | parse_settings(args.set or []), where="--set")


def _games(args: argparse.Namespace, default: int, least: int = 4) -> int:
    if args.games is None:
        return default
    return whole_number(parse_count(args.games, "--games"), least, MAX_GAMES, where="--games")


def _seed(args: argparse.Namespace) -> int:
    return 1 if args.seed is None else whole_number(parse_whole(args.seed, "--seed"), 0, MAX_SEED, where="--seed")


def _workers(args: argparse.Namespace) -> int:
    if args.workers is None:
        return os.cpu_count() or 1
    return whole_number(parse_whole(args.workers, "--workers"), 1, MAX_WORKERS, where="--workers")


def _field_words(field: Sequence[Opponent]) -> str:
    even = len({one.weight for one in field}) == 1
    return ", ".join(one.ref.label if even else f"{one.ref.label} ({one.weight:.0%})" for one in field)


def _command(name: str, args: argparse.Namespace, policy: str | None = None) -> str:
    words = [f"agentsim {name}" + ("" if policy is None else f" '{policy}'")]
    for flag, value in sorted(vars(args).items()):
        if flag in ("policy", "command", "run_command", "json", "quiet", "workers", "out") or value in (None, False):
            continue
        for one in value if isinstance(value, list) else [value]:
            words.append(f"--{flag} '{one}'")
    return " ".join(words)
