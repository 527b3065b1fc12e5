"""``balance``: what every Black Market card of a set is worth, with a verdict, as a table, a page and a CSV."""

from __future__ import annotations

import argparse
import os
import shlex
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentsim.commands import console
from agentsim.commands.parser import parse_count, parse_settings, parse_whole
from agentsim.commands.simulate import MAX_WORKERS
from agentsim.commands.text import columns, count, decimals, duration, paragraph, terminal_width
from agentsim.commands.whatif import levels_of_play, output_folder, parse_points, records
from agentsim.errors import InputError
from agentsim.experiment import DEFAULT_GAME, MAX_GAMES, MAX_SEED, Draft, Experiment, card_settings, whole_number
from agentsim.games.base import get_game

__all__ = ["balance"]

LOGGED = 20_000
"""Games per level of play that are logged, for what takers do and win."""
FEWEST = 1000
FEWEST_BLANKS = 100_000
"""Games of a market with blanks, however wide the intervals may be."""


def balance(args: argparse.Namespace) -> int:
    """Measure every card at several levels of play, tell the verdicts, write the page."""
    experiment = _experiment(args)
    out = output_folder(args.out)
    band = parse_points(args.band, "--band") / 100
    workers = os.cpu_count() or 1 if args.workers is None else whole_number(
        parse_whole(args.workers, "--workers"), 1, MAX_WORKERS, where="--workers")
    start = time.monotonic()
    try:
        found = _measure(args, experiment, band, workers)
    except InputError as error:
        raise error if error.where else error.at(where="balance") from None
    seconds = time.monotonic() - start
    index = _write(found, out, args, experiment)
    csv = out / "balance.csv"
    found["balance"].to_csv(csv, index=False, lineterminator="\n")
    games = int(found["trials"]["n_games"].sum()) + int(found["about"]["n_games"].iloc[0])
    data = {"experiment": experiment.as_dict(), "band": band, "n_games": games, "seconds": seconds, "page": str(index),
            "csv": str(csv), "answer": records(found["answer"])[0],
            **{name: records(found[name]) for name in ("trials", "balance", "strength", "agreement", "usage")}}

    def lines() -> list[str]:
        width = terminal_width()
        told = [*_lines(found), *paragraph(str(found["answer"]["sentence"].iloc[0]), width=width, indent="  "), ""]
        agreed = found["agreement"]
        if len(agreed):
            share = f"{int(agreed['agree'].sum())} of {len(agreed)}"
            told += [*paragraph(f"Checked in a second way (forks, in a market with blanks): {share} comparisons agree.",
                                width=width, indent="  "), ""]
        return [*told, f"Played {count(games)} games in {duration(seconds)}.", f"The page is {index}, the table {csv}"]

    console.show(args.json, "balance", data, lines)
    return 0


def _experiment(args: argparse.Namespace) -> Experiment:
    """The logged experiment: mirrors of the levels of play, in a game with a Black Market."""
    settings: dict[str, Any] = {}
    places: dict[str, str] = {}
    if args.cards is not None:
        settings, places = card_settings(args.cards, get_game(DEFAULT_GAME))
    given = parse_settings(args.set or [])
    settings |= given
    places |= dict.fromkeys(given, "--set")
    if settings.setdefault("rules.mode", "advanced") != "advanced":
        raise InputError("has no Black Market", where=places["rules.mode"], key="rules.mode", allowed="advanced")
    if settings.pop("rules.picks", "chosen") not in ("chosen", "uniform"):
        raise InputError("unknown value", where=places["rules.picks"], key="rules.picks", allowed="chosen, uniform")
    levels = levels_of_play(args, get_game(DEFAULT_GAME))
    draft = Draft(policies=levels, matchups="mirrors", log="turns", settings=settings, name="balance",
                  places={**places, "policies": "--policies", "seed": "--seed"})
    if args.seed is not None:
        draft.seed = whole_number(parse_whole(args.seed, "--seed"), 0, MAX_SEED, where="--seed")
    return draft.build()


def _size(args: argparse.Namespace) -> Any:
    from analyses.market_trials import Size

    size = Size()
    if args.precision is not None:
        precision = parse_points(args.precision, "--precision") / 100
        # The second way need not be surer than the first, whose games go with 1 / precision squared.
        enough = max(FEWEST_BLANKS, round(size.blanks * (size.precision / precision) ** 2))
        size = replace(size, precision=precision, blanks=min(size.blanks, enough))
    if args.games is not None:
        games = whole_number(parse_count(args.games, "--games"), FEWEST, MAX_GAMES, where="--games")
        if args.precision is None:
            size = replace(size, games=games, limit=games)
        else:
            size = replace(size, limit=games)
        size = replace(size, blanks=min(size.blanks, games), landings=min(size.landings, games),
                       forced=min(size.forced, games))
    return size


def _measure(args: argparse.Namespace, experiment: Experiment, band: float, workers: int) -> dict[str, Any]:
    from agentsim.runs import open_run
    from agentsim.simulation import ProgressBar, simulate
    from analyses import black_market
    from analyses.market_trials import check_market

    size = _size(args)
    rules = experiment.rules()
    check_market(rules)
    logged = LOGGED if size.games is None else min(LOGGED, size.games)
    per_deal = max(experiment.games_per_deal())
    with tempfile.TemporaryDirectory(prefix="agentsim-balance-") as folder:
        with ProgressBar(quiet=args.quiet) as bar:
            simulate(experiment.with_games(-(-logged // per_deal) * per_deal), out=Path(folder) / "run",
                     workers=workers, progress=bar)
        with _stages(args.quiet) as stage, open_run(Path(folder) / "run") as run:
            return black_market.tables(run, size=size, band=band, workers=workers, stage=stage)


@contextmanager
def _stages(quiet: bool) -> Iterator[Any]:
    """A meter with a bar of its own for each experiment, announced as it begins."""
    from agentsim.simulation import ProgressBar
    from agentsim.simulation.progress import Meter

    open_bars: list[Any] = []

    def close() -> None:
        while open_bars:
            open_bars.pop().close()

    def stage(title: str, games: int) -> Meter:
        close()
        console.note(f"{title}: {count(games)} games", quiet=quiet)
        open_bars.append(ProgressBar(quiet=quiet))
        return Meter(open_bars[-1], 0, games)

    try:
        yield stage
    finally:
        close()


def _lines(found: dict[str, Any]) -> list[str]:
    """The verdicts, a block per level of play."""
    lines: list[str] = []
    band = 100 * float(found["answer"]["band"].iloc[0])
    both = found["balance"].merge(found["strength"][["policy", "card", "effect", "low", "high", "changed", "n_forks"]],
                                  on=["policy", "card"], how="left", suffixes=("", "_blank"))
    for policy, part in both.groupby("policy", sort=False):
        ordered = part.sort_values("effect", ascending=False, na_position="last")
        taking, against = _column(ordered, ""), _column(ordered, "_blank")
        rows = []
        for at, row in enumerate(ordered.itertuples()):
            needed = "" if row.games_needed != row.games_needed else f"{_short(row.games_needed)} games would decide"
            rows.append((str(row.label), *taking[at], str(row.verdict), *against[at],
                         "-" if row.changed != row.changed else f"{100 * row.changed:.1f} %", needed))
        header = (str(policy), "balance", "95 % interval", "verdict", "vs blank", "95 % interval", "changed", "")
        facts = found["trials"][found["trials"]["policy"] == policy].iloc[0]
        basis = (f"  from {count(int(facts['n_picks']))} games with picks by chance and "
                 f"{count(int(facts['n_forks']))} forks")
        lines += [*columns(header, rows), basis, ""]
    return [*lines, "  Balance: what taking the card changes, in percentage points of the taker's chance to win,",
            f"  against the average other card on offer. Band: ±{band:g} points. Intervals hold together over the",
            "  cards of a level of play. Vs blank: the same, against a card that does nothing, from forks: games",
            "  continued once with the card and once with the blank. Changed: the share of forks that then end",
            "  otherwise.", ""]


def _column(part: Any, suffix: str) -> list[tuple[str, str]]:
    """Effects and their intervals in percentage points, all to the digit that the middle interval allows."""
    spans = (part[f"high{suffix}"] - part[f"low{suffix}"]).dropna()
    digits = max(decimals(50 * float(spans.median())), 1) if len(spans) else 1
    cells = []
    for effect, low, high in zip(*(part[f"{name}{suffix}"] for name in ("effect", "low", "high")), strict=True):
        cells.append(("-", "never seen") if low != low else (
            f"{100 * effect:+.{digits}f}", f"{100 * low:+.{digits}f} to {100 * high:+.{digits}f}"))
    return cells


def _short(games: float) -> str:
    return f"{games / 1e6:.1f} M" if games >= 1e6 else count(int(games))


def _write(found: dict[str, Any], out: Path, args: argparse.Namespace, experiment: Experiment) -> Path:
    from agentsim.report import Provenance, Report, write_report
    from analyses import black_market

    words = ["agentsim balance"]
    words += [f"--set {shlex.quote(item)}" for item in args.set or []]
    for flag in ("cards", "policies", "games", "precision", "band", "seed"):
        value = getattr(args, flag)
        words += [f"--{flag} {shlex.quote(str(value))}"] if value is not None else []
    cards = found["cards"]
    made_up = cards[cards["provenance"] != "publisher"]
    marks = dict(zip(made_up["label"], made_up["provenance"] + ", not the publisher's card", strict=True))
    notes = [f"Not the publisher's: {', '.join(made_up['label'])}."] if len(made_up) else []
    report = Report(
        f"{get_game(experiment.game).title}: what the cards are worth", black_market.findings(found),
        [black_market.section(found)], summary=str(found["answer"]["sentence"].iloc[0]), marks=marks,
        provenance=Provenance(" ".join(words), experiment.seed, {
            "games": int(found["trials"]["n_games"].sum()), "levels of play": len(found["trials"]),
            "cards": len(cards)}, notes=notes))
    return write_report(report, out)
