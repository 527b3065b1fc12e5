"""``sweep``, ``tune`` and ``exploit``: parameters varied, tuned, and turned against a policy."""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentsim.commands import console
from agentsim.commands.parser import parse_count, parse_settings, parse_whole
from agentsim.commands.simulate import MAX_WORKERS
from agentsim.commands.text import columns, count, duration, paragraph, terminal_width
from agentsim.commands.whatif import output_folder, records
from agentsim.errors import InputError
from agentsim.experiment import DEFAULT_GAME, MAX_GAMES, MAX_SEED, card_settings, whole_number

__all__ = ["exploit", "sweep", "tune"]

_ARGUMENTS = ("against", "games", "generations", "objective", "only", "population", "restarts", "seed", "starts",
              "vary")


def sweep(args: argparse.Namespace) -> int:
    """Vary one or two parameters of a policy against a field."""
    from agentsim.simulation import ProgressBar
    from agentsim.strategy import lab

    game, settings = _settings(args)
    out = None if args.out is None else output_folder(args.out)
    options = {"games": _games(args, 20_000), "seed": _seed(args), "workers": _workers(args)}
    start = time.monotonic()
    with console.keeping(out), _flags("sweep"), ProgressBar(quiet=args.quiet) as bar:
        found = lab.sweep(args.policy, args.vary or [], _or(args.against, lab.FIELD), game=game.name, settings=settings,
                          out=out, progress=bar, **options)
    base, varied, field = found.base, found.varied, found.field
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
        return [*paragraph(f"{base.label} against {lab.field_words(field)}: {count(found.n_games)} games, seed "
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
    from agentsim.strategy import lab
    from agentsim.strategy.presets_file import check_presets_file

    game, settings = _settings(args)
    seed, generations, restarts = (_seed(args), parse_whole(args.generations, "--generations"),
                                   parse_whole(args.restarts, "--restarts"))
    options = {"objective": args.objective, "targets": _targets(args.target or []), "games": _games(args, 2_000),
               "population": parse_whole(args.population, "--population"), "generations": generations,
               "restarts": restarts, "validation": parse_count(args.validate, "--validate"), "seed": seed,
               "workers": _workers(args)}
    if args.save is not None:
        check_presets_file(Path(args.presets), args.save)
    out = None if args.out is None else output_folder(args.out)
    begun = time.monotonic()
    with console.keeping(out), _flags("tune"), ProgressBar(quiet=args.quiet) as bar:
        tuned = lab.tune(args.policy, _or(args.against, lab.FIELD), only=args.only, game=game.name, settings=settings,
                         out=out, progress=bar, **options)
    start_policy, names, found, best, result = tuned.start, tuned.names, tuned.searches, tuned.best, tuned.result
    field, changed, aim, value = result.field, tuned.changed, tuned.objective, tuned.value
    seconds = time.monotonic() - begun
    data = {**result.as_dict(), "objective": {**aim.as_dict(), "value": value.as_dict()},
            "start": start_policy.label, "varied": list(names), "changed": changed,
            "search_seed": seed, "seconds": seconds, "restarts": [one.score for one in found],
            "best_by_generation": [list(one.best_by_generation) for one in found],
            "middle_by_generation": [list(one.middle_by_generation) for one in found]}
    if out is not None:
        (out / "tune.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    spec, unsaved = None, None
    if args.save is not None:
        history = {"command": _command("tune", args, args.policy), "seed": seed, "generations": generations,
                   "restarts": restarts, "validation_seed": result.seed, "validation_games": result.n_games,
                   "score": result.mean.estimate, "low": result.mean.low, "high": result.mean.high,
                   "objective": aim.kind, **{key: told for key, told in aim.as_dict().items() if key != "kind"},
                   "value": value.estimate, "value_low": value.low, "value_high": value.high,
                   "opponents": [one.ref.label for one in field],
                   "opponent_scores": [float(f"{score.estimate:.5f}") for score in result.scores],
                   "by_generation": [float(f"{value:.5f}") for value in best.middle_by_generation]}
        by = "" if aim.kind == "mean" else f" by {aim.words(field)}"
        idea = (f"{start_policy.label} tuned against {lab.field_words(field)}{by}: {aim.format(value)} over "
                f"{count(result.n_games)} fresh games.")
        spec, unsaved = _save(args, best.policy, idea, history)

    def lines() -> list[str]:
        rows = [(one.ref.label, f"{one.weight:.2f}", f"{100 * score.estimate:.2f}",
                 f"{100 * score.low:.2f} to {100 * score.high:.2f}", count(score.n_games or 0),
                 *([f"{100 * target:g}", f"{100 * (score.estimate - target):+.2f}"] if target is not None else []))
                for one, score, target in zip(field, result.scores, aim.targets or [None] * len(field), strict=True)]
        values = ", ".join(f"{name}={value:g}" for name, value in changed.items()) or "nothing: the start was best"
        head = ("against", "weight", "score, %", "95 % interval", "fresh games",
                *(("target, %", "margin") if aim.targets else ()))
        made_large = "" if aim.kind == "mean" else (
            f"Objective, {aim.words(field)}: {aim.format(value)}, from the ends of the intervals above. ")
        return [*columns(head, rows), "",
                *paragraph(f"{made_large}Over the field: {result.mean.format_percent()}. Seed {result.seed}, not used "
                           "in the search; the intervals hold together (Sidak).", width=terminal_width()), "",
                *paragraph(f"Changed from {start_policy.label}: {values}", width=terminal_width()), "",
                f"Searched in {duration(seconds)}.",
                *([f"Saved; play it as {shlex.quote(spec)}"] if spec else [])]

    console.show(args.json, "tune", data, lines)
    if unsaved is not None:
        raise unsaved
    return 0


def exploit(args: argparse.Namespace) -> int:
    """Find who beats a policy, and by how much at least."""
    from agentsim.simulation import ProgressBar
    from agentsim.strategy import lab
    from agentsim.strategy.presets_file import check_presets_file

    game, settings = _settings(args)
    games, seed, workers = _games(args, 10_000_000), _seed(args), _workers(args)
    if args.save is not None:
        check_presets_file(Path(args.presets), args.save)
    out = None if args.out is None else output_folder(args.out)
    begun = time.monotonic()
    # A table is solved in one go: by this method alone there is nothing to go on from.
    keeping = console.keeping(out, keeps="cma" in args.method)
    with keeping, _flags("exploit"), ProgressBar(quiet=args.quiet) as bar:
        found = lab.exploit(args.policy, games=games, methods=args.method, starts=_or(args.starts, lab.STARTS),
                            seed=seed, game=game.name, settings=settings, workers=workers, out=out, progress=bar)
    target = found.target
    seconds = time.monotonic() - begun
    data = {**found.as_dict(), "seed": seed, "seconds": seconds}
    if out is not None:
        (out / "exploit.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    best, spec, unsaved = found.best, None, None
    score = best.validation.mean
    if args.save is not None:
        idea = f"A best response to {target.label} by {best.method}: {score.format_percent()} against it."
        history = {"command": _command("exploit", args, args.policy), "seed": seed,
                   "validation_seed": best.validation.seed, "validation_games": best.validation.n_games,
                   "score": score.estimate, "low": score.low, "high": score.high}
        spec, unsaved = _save(args, best.validation.policy, idea, history)

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
                f"Searched in {duration(seconds)}.", *([f"Saved; play it as {shlex.quote(spec)}"] if spec else [])]

    console.show(args.json, "exploit", data, lines)
    if unsaved is not None:
        raise unsaved
    return 0


def _settings(args: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    """The game and the settings of ``--cards`` and ``--set``, checked."""
    from agentsim.strategy.field import two_sided_game

    game = two_sided_game(DEFAULT_GAME if args.game is None else args.game)
    settings = {} if args.cards is None else dict(card_settings(args.cards, game)[0])
    settings |= parse_settings(args.set or [])
    game.rules(settings, where="--set")
    return game, settings


def _rules(args: argparse.Namespace) -> tuple[Any, Any]:
    game, settings = _settings(args)
    return game, game.rules(settings)


@contextmanager
def _flags(command: str) -> Iterator[None]:
    """Complaints about arguments of the lab, as complaints about the flags that they came from."""
    try:
        yield
    except InputError as error:
        where = {"policy": command, "methods": "--method", "validation": "--validate", "targets": "--target"
                 }.get(error.where)
        if where is None and error.where in _ARGUMENTS:
            where = f"--{error.where}"
        if where is None:
            raise
        raise InputError(error.problem, where=where, key=error.key, allowed=error.allowed, nearest=error.nearest
                         ) from None


def _save(args: argparse.Namespace, policy: Any, idea: str, history: dict[str, Any]
          ) -> tuple[str | None, InputError | OSError | None]:
    """The spec of a preset that was saved, or why it could not be: what a long search found is shown all the same."""
    from agentsim.strategy.presets_file import save_preset

    try:
        return save_preset(Path(args.presets), args.save, policy, idea, history), None
    except (InputError, OSError) as error:
        return None, error


def _or(text: str | None, default: str) -> str:
    """What a flag says; an empty text is no list of policies and not the default."""
    return default if text is None else text


def _targets(items: list[str]) -> dict[str, float]:
    """``random=95`` items as fractions by label; a label may have an equals sign of its own."""
    found: dict[str, float] = {}
    for item in items:
        name, _, text = (part.strip() for part in item.rpartition("="))
        try:
            number = float(text.removesuffix("%"))
        except ValueError:
            number = math.nan
        if not name or not 0.0 <= number <= 100.0:
            raise InputError(f"'{item}' is not of the form NAME=PERCENT", where="--target",
                             allowed="an opponent and 0 to 100, as in random=95")
        if name in found:
            raise InputError("is given twice", where="--target", key=name)
        found[name] = number / 100
    return found


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


def _command(name: str, args: argparse.Namespace, policy: str | None = None) -> str:
    words = [f"agentsim {name}", *([] if policy is None else [shlex.quote(policy)])]
    for flag, value in sorted(vars(args).items()):
        if flag in ("policy", "command", "run_command", "json", "quiet", "workers", "out") or value in (None, False):
            continue
        for one in value if isinstance(value, list) else [value]:
            words.append(f"--{flag} {shlex.quote(str(one))}")
    return " ".join(words)
