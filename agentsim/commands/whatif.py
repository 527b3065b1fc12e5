"""``whatif``: two rule sets on the same deals, and what differs; or a whole dose curve of one key."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentsim.commands import console
from agentsim.commands.parser import parse_count, parse_settings, parse_whole
from agentsim.commands.simulate import MAX_WORKERS
from agentsim.commands.text import columns, count, decimals, duration, paragraph, terminal_width
from agentsim.errors import InputError, nearest
from agentsim.experiment import DEFAULT_GAME, MAX_GAMES, MAX_SEED, Draft, Experiment, card_settings, whole_number
from agentsim.folders import check_folder
from agentsim.games.base import Game, get_game
from agentsim.lineup import split_specs

__all__ = ["PILOT", "levels_of_play", "output_folder", "parse_points", "parse_values", "records", "whatif"]

GAMES = 200_000
PILOT = 20_000
"""Deals played first when a precision is asked for, to see the spread."""
MOST_VALUES = 60


def whatif(args: argparse.Namespace) -> int:
    """Compare a change of the rules with the base, on the same deals."""
    base_settings, base_places = _settings(args, args.base, args.base_cards, "--base")
    changes, places = _settings(args, args.set, args.cards, "--set")
    vary, values = _vary(args)
    if not changes and not vary:
        raise InputError("give a change of the rules", where="whatif",
                         allowed="--set KEY=VALUE, --cards FILE or --vary KEY=a:b")
    if vary in changes:
        raise InputError("is varied and set", where="--vary", key=vary)
    out = None if args.out is None else output_folder(args.out)
    base = _draft(args, base_settings, base_places).build()
    changed = base_settings | changes
    where = base_places | places
    if vary:
        sets = [(f"{vary} = {value}", _draft(args, changed | {vary: value}, where | {vary: "--vary"}).build())
                for value in values]
    else:
        sets = [(_words(changes, args.cards), _draft(args, changed, where).build())]
    for label, experiment in sets:
        if not vary and experiment.settings == base.settings:
            raise InputError("changes nothing: these are the rules of the base", where="--set", allowed=label)
        _check_seats(base, experiment, "--vary" if vary else "--set")
    if args.aim is not None:
        if not vary:
            raise InputError("an aim needs values to choose from", where="--aim", allowed="with --vary KEY=a:b")
        _aimed_at(args.aim)
    return _play(args, base, sets, vary, values, out, _words(changes, args.cards) or vary,
                 _words(base_settings, args.base_cards))


def _play(args: argparse.Namespace, base: Experiment, sets: Sequence[tuple[str, Experiment]], vary: str,
          values: Sequence[Any], out: Path | None, change: str, base_words: str) -> int:
    import time

    from agentsim.simulation import ProgressBar
    from agentsim.simulation.progress import Meter
    from analyses import whatif as measure_module
    from analyses import whatif_page

    game = get_game(base.game)
    variants = [measure_module.Variant("base", base.rules()),
                *(measure_module.Variant(label, experiment.rules()) for label, experiment in sets)]
    pairings = base.pairings()
    metric, aim = _aim(args, measure_module.metrics_of(game, variants, pairings))
    per_deal = max(max(experiment.games_per_deal()) for experiment in (base, *(each for _, each in sets)))
    workers = os.cpu_count() or 1 if args.workers is None else whole_number(
        parse_whole(args.workers, "--workers"), 1, MAX_WORKERS, where="--workers")
    games = GAMES if args.games is None else whole_number(parse_count(args.games, "--games"), 2, MAX_GAMES,
                                                          where="--games")
    n_deals = -(-games // per_deal)
    start = time.monotonic()

    def play(deals: int) -> Any:
        with ProgressBar(quiet=args.quiet) as bar:
            total = deals * per_deal * len(pairings) * len(variants)
            return measure_module.measure(game, variants, pairings, deals, base.seed, workers=workers,
                                          meter=Meter(bar, 0, total))

    if args.precision is not None:
        half_width = parse_points(args.precision, "--precision") / 100
        pilot = play(min(n_deals, PILOT) if args.games is not None else PILOT)
        wanted = measure_module.deals_needed(pilot, half_width)
        if args.games is not None and wanted > n_deals:
            console.note(f"{count(wanted * per_deal)} games would be needed for ±{args.precision} points; "
                         f"--games stops at {count(n_deals * per_deal)}.", quiet=args.quiet)
        n_deals = wanted if args.games is None else min(wanted, n_deals)
        n_deals = max(n_deals, 2)
    measured = play(n_deals)
    seconds = time.monotonic() - start
    found = whatif_page.tables(measured, change=_joined(vary, change) if vary else change, base=base_words,
                               vary=vary, values=values, aim=(metric, aim))
    index = None if out is None else _write(found, out, base, args)
    data = {"experiment": base.as_dict(), "change": change, "vary": vary or None, "n_deals": n_deals,
            "n_games": int(measured.n_games.sum()), "seconds": seconds, "page": str(index) if index else None,
            **{name: records(frame) for name, frame in found.items() if name != "about"}}

    def lines() -> list[str]:
        width = terminal_width()
        head = (f"{game.title}: {found['about']['change'].iloc[0]}, compared with {found['about']['base'].iloc[0]}. "
                f"{count(n_deals)} deals, seed {base.seed}; both sides play the same deals.")
        body = _dose_lines(found, metric) if vary else _difference_lines(found)
        said = [line for sentence in whatif_page.sentences(found) if vary
                for line in paragraph(sentence, width=width, indent="  ")]
        foot = [f"Played {count(int(measured.n_games.sum()))} games in {duration(seconds)}."]
        return [*paragraph(head, width=width), "", *body, *([*said, ""] if said else []), *foot,
                *([f"The page is {index}"] if index else [])]

    console.show(args.json, "whatif", data, lines)
    return 0


def _joined(vary: str, change: str) -> str:
    return vary if change in ("", vary) else f"{vary}, with {change}"


# ------------------------------------------------------------------------------------------------ what is asked


def levels_of_play(args: argparse.Namespace, game: Game) -> list[str]:
    """The policies of ``--policies``, by default the game's levels of play."""
    if not args.policies:
        return list(game.facts().levels) or [game.policies()[0].label]
    try:
        return list(split_specs(args.policies))
    except InputError as error:
        raise error.at(where="--policies") from None


def _draft(args: argparse.Namespace, settings: dict[str, Any], places: dict[str, str]) -> Draft:
    game = get_game(args.game or DEFAULT_GAME, where="--game")
    draft = Draft(game=args.game, policies=levels_of_play(args, game), matchups=args.matchups or "mirrors",
                  settings=dict(settings), places={**places, "policies": "--policies", "matchups": "--matchups",
                                                   "seed": "--seed", "game": "--game"})
    if args.seed is not None:
        draft.seed = whole_number(parse_whole(args.seed, "--seed"), 0, MAX_SEED, where="--seed")
    return draft


def _check_seats(base: Experiment, changed: Experiment, flag: str) -> None:
    """Deals can be compared only if as many sit at the table under both rule sets."""
    game = get_game(base.game)
    before, after = game.seats(base.rules()), game.seats(changed.rules())
    if before != after:
        raise InputError(f"changes the seats from {before} to {after}: such deals cannot be compared", where=flag,
                         key="rules.players", allowed="one number on both sides, by --base rules.players=N")


def _settings(args: argparse.Namespace, items: Sequence[str] | None, cards: str | None, flag: str
              ) -> tuple[dict[str, Any], dict[str, str]]:
    settings: dict[str, Any] = {}
    places: dict[str, str] = {}
    if cards is not None:
        settings, places = card_settings(cards, get_game(args.game or DEFAULT_GAME, where="--game"))
    given = parse_settings(items or [], flag)
    return settings | given, places | dict.fromkeys(given, flag)


def _words(settings: dict[str, Any], cards: str | None) -> str:
    """A change in words: keys by name, a card file by its own."""
    if cards is None:
        return ", ".join(f"{key} = {value}" for key, value in settings.items())
    others = {key: value for key, value in settings.items() if key.startswith("rules.") and key != "rules.cards"}
    return ", ".join([f"the cards of {Path(cards).name}", *(f"{key} = {value}" for key, value in others.items())])


def output_folder(text: str) -> Path:
    """The folder of ``--out``, refused before anything is played if it cannot be one."""
    if not text:
        raise InputError("needs the name of a folder", where="--out")
    place = Path(text)
    check_folder(place, text)
    return place


def _vary(args: argparse.Namespace) -> tuple[str, list[Any]]:
    if args.vary is None:
        return "", []
    key, equals, text = (part.strip() for part in args.vary.partition("="))
    if not equals or not key or not text:
        raise InputError(f"'{args.vary}' is not of the form KEY=a:b", where="--vary",
                         allowed="for example cards.sentinel.third=4:8 or rules.tie_rule=active,draw")
    return key, parse_values(text, "--vary", key)


def parse_values(text: str, flag: str, key: str = "") -> list[Any]:
    """``4:8`` as 4 to 8, ``0:6:2`` in steps, ``1,2,5`` as listed. Raises ``InputError`` for anything else."""
    parts = text.split(":")
    if len(parts) in (2, 3):
        low, high, *step = (parse_whole(part.strip(), flag) for part in parts)
        stride = abs(step[0]) if step else 1
        if stride == 0:
            raise InputError("a step of 0 never arrives", where=flag, key=key, allowed="a:b or a:b:step")
        arrives = abs(high - low) // stride + 1
        if arrives > MOST_VALUES:  # before a list of them is made, which may fit nowhere
            raise InputError(f"{arrives:,} values", where=flag, key=key, allowed=f"2 to {MOST_VALUES}")
        values: list[Any] = list(range(low, high + 1, stride) if low <= high else range(low, high - 1, -stride))
    else:
        values = list(parse_settings([f"v{at}={part}" for at, part in enumerate(text.split(","))], flag).values())
    if len(set(map(str, values))) < len(values):
        raise InputError("a value is listed twice", where=flag, key=key)
    if not 2 <= len(values) <= MOST_VALUES:
        raise InputError(f"{len(values)} value{'' if len(values) == 1 else 's'}", where=flag, key=key,
                         allowed=f"2 to {MOST_VALUES}; one value is a --set")
    return values


def parse_points(text: str, flag: str) -> float:
    """A number of percentage points, above 0 and at most 50."""
    try:
        number = float(text.strip().removesuffix("%"))
    except ValueError:
        number = math.nan
    if not 0 < number <= 50:
        raise InputError(f"'{text}' is no number of percentage points", where=flag, allowed="above 0, at most 50")
    return number


def _aim(args: argparse.Namespace, metrics: Sequence[Any]) -> tuple[str, float | None]:
    """The name of the number that ``--aim`` names, and a number that it can be; without an aim the first."""
    if args.aim is None:
        return metrics[0].key, None
    name, wanted = _aimed_at(args.aim)
    given = args.aim.partition("=")[2].strip()
    rate = {metric.key: metric.is_rate for metric in metrics}
    if name not in rate:
        raise InputError(f"unknown number '{name}'", where="--aim", allowed=", ".join(rate),
                         nearest=nearest(name, list(rate)))
    if rate[name] and not 0 <= wanted <= 1:
        raise InputError(f"{given} is no share of games", where="--aim", key=name, allowed="0 to 1, or 0% to 100%")
    if not rate[name] and (wanted < 0 or given.endswith("%")):
        raise InputError(f"{given} is no number of {name}", where="--aim", key=name, allowed="0 or more")
    return name, wanted


def _aimed_at(aim: str) -> tuple[str, float]:
    """``first_player=0.5`` as a name and a number; which names there are, the rules must say."""
    name, equals, text = (part.strip() for part in aim.partition("="))
    try:
        wanted = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        wanted = math.nan
    if not equals or not name or not math.isfinite(wanted):
        raise InputError(f"'{aim}' is not of the form NAME=NUMBER", where="--aim", allowed="first_player=0.5")
    return name, wanted


# ------------------------------------------------------------------------------------------------ what is told


def _number(estimate: float, half: float, rate: bool, *, signed: bool = False) -> str:
    scale = 100 if rate else 1
    return f"{scale * estimate:{'+' if signed else ''}.{decimals(scale * half)}f}"


def _span(low: float, high: float, rate: bool, *, signed: bool = False) -> str:
    half = (high - low) / 2
    return f"{_number(low, half, rate, signed=signed)} to {_number(high, half, rate, signed=signed)}"


def _difference_lines(found: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    table = found["differences"]
    for policies, part in table.groupby("policies", sort=False):
        rows = [(row.label + (", %" if row.rate else ""),
                 _number(row.base, (row.base_high - row.base_low) / 2, row.rate),
                 _number(row.changed, (row.changed_high - row.changed_low) / 2, row.rate),
                 _number(row.difference, (row.high - row.low) / 2, row.rate, signed=True),
                 _span(row.low, row.high, row.rate, signed=True), "" if row.clear else "includes 0")
                for row in part.itertuples()]
        lines += [*columns((str(policies), "before", "after", "difference", "95 % interval", ""), rows), ""]
    return [*lines, f"  The {int(table['family_size'].iloc[0])} intervals hold together with 95 % (Sidak).", ""]


def _dose_lines(found: dict[str, Any], metric: str) -> list[str]:
    lines: list[str] = []
    curve = found["doses"]
    for policies, part in curve.groupby("policies", sort=False):
        aimed, turns = part[part["metric"] == metric], part[part["metric"] == "turns"].set_index("value")
        rows = []
        for row in aimed.itertuples():
            half, reach = (row.high - row.low) / 2, (row.difference_high - row.difference_low) / 2
            length = turns.loc[row.value] if metric != "turns" and len(turns) else None
            rows.append((str(row.value), _number(row.estimate, half, row.rate), _span(row.low, row.high, row.rate),
                         "" if row.is_base else _number(row.difference, reach, row.rate, signed=True),
                         "the base" if row.is_base else _span(row.difference_low, row.difference_high, row.rate,
                                                              signed=True),
                         "" if length is None else _number(length["estimate"], (length["high"] - length["low"]) / 2,
                                                           False)))
        label = str(aimed["label"].iloc[0]) + (", %" if bool(aimed["rate"].iloc[0]) else "")
        header = ("value", "mean", "95 % interval", "from the base", "95 % interval", "turns")
        lines += [f"  {policies}: {label}", *columns(header, rows), ""]
    return lines


def records(frame: Any) -> list[dict[str, Any]]:
    """The rows of a table for JSON: missing numbers become null."""
    clean = frame.astype(object).where(frame.notna(), None)
    return [{key: value.item() if hasattr(value, "item") else value for key, value in row.items()}
            for row in clean.to_dict("records")]


def _write(found: dict[str, Any], out: Path, base: Experiment, args: argparse.Namespace) -> Path:
    from agentsim.report import Provenance, Report, write_report
    from analyses import whatif_page

    about = found["about"].iloc[0]
    words = ["agentsim whatif"]
    for flag in ("base", "set"):
        words += [f"--{flag} {item}" for item in getattr(args, flag) or []]
    for flag in ("base_cards", "cards", "vary", "aim", "policies", "matchups", "games", "precision", "seed"):
        value = getattr(args, flag)
        words += [f"--{flag.replace('_', '-')} {value}"] if value is not None else []
    report = Report(f"What if: {about['change']}", whatif_page.findings(found), [whatif_page.section(found)],
                    summary=f"Compared with {about['base']}, on the same deals.",
                    provenance=Provenance(" ".join(words), base.seed, {"games": int(about["n_games"]),
                                                                       "deals": int(about["n_deals"])}))
    return write_report(report, out)
