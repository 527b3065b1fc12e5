"""``tournament`` and ``duel``: who beats whom, decided as far as the budget goes."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentsim.commands import console
from agentsim.commands.parser import parse_count, parse_settings, parse_whole
from agentsim.commands.simulate import MAX_WORKERS
from agentsim.commands.text import columns, count, decimals, duration, paragraph, terminal_width
from agentsim.commands.whatif import output_folder, parse_points, records
from agentsim.errors import InputError
from agentsim.experiment import DEFAULT_GAME, MAX_GAMES, MAX_SEED, card_settings, whole_number
from agentsim.games.base import PolicyRef, WithSlowPolicies, get_game
from agentsim.lineup import plays_alike, split_specs

__all__ = ["SLOW_STYLE_GAMES", "STYLE_GAMES", "duel", "tournament"]

STYLE_GAMES = 20_000
"""Games of a duel that its style is read off; fewer if the budget is smaller."""
SLOW_STYLE_GAMES = 1_000
"""The same where a policy is written in Python, whose games are hundreds of times slower."""


def tournament(args: argparse.Namespace) -> int:
    """Let policies play each other until every comparison is decided."""
    if args.policies is None:
        raise InputError("give the policies", where="tournament", allowed="--policies a,b,c or --policies all")
    out = None if args.out is None else output_folder(args.out)
    result, seconds = _run(args, args.policies, args.field, 5_000_000, out)
    found = result.tables()
    misfit = result.ratings().misfit
    data: dict[str, Any] = {
        "game": result.game, "seed": result.seed, "policies": list(result.policies), "margin": result.plan.margin,
        "level": result.plan.level, "budget": result.plan.games, "n_games": result.n_games,
        "misfit": misfit.as_dict(), **{name: _finite(records(frame)) for name, frame in found.items()}}
    if out is not None:
        from agentsim.report import write_report
        from analyses import tournament_page

        words = ["agentsim tournament"]
        for flag in ("policies", "field", "games", "margin", "seed", "game", "cards"):
            words += [f"--{flag} {shlex.quote(getattr(args, flag))}"] if getattr(args, flag) is not None else []
        words += [f"--set {shlex.quote(item)}" for item in args.set or []]
        data["page"] = str(write_report(tournament_page.report(result, found, " ".join(words)), out))
        for name, frame in found.items():
            frame.to_csv(out / f"{name}.csv", index=False)
        (out / "tournament.json").write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    def lines() -> list[str]:
        width, table, pairs = terminal_width(), found["ranking"], found["pairs"]
        full = "nash" in table
        rows = []
        for row in table.to_dict("records"):
            first, last = row["rank_low"], row["rank_high"]
            rank = f"{first}" if first == last else f"{first}-{last}"
            more = [f"{100 * row[name]:.0f} [{100 * row[f'{name}_low']:.0f}, {100 * row[f'{name}_high']:.0f}]"
                    for name in ("nash", "mass")] if full else []
            rows.append((row["policy"], rank, f"{row['elo']:.0f} [{row['low']:.0f}, {row['high']:.0f}]",
                         row["beats"], row["loses"], row["equal"], row["undecided"], *more))
        head = ("policy", "rank", "Elo", "beats", "loses", "equal", "open",
                *(("Nash, %", "alpha-rank, %") if full else ()))
        played = [(f"{row['policy_a']} - {row['policy_b']}",
                   f"{100 * row['score']:.1f} [{100 * row['low']:.1f}, {100 * row['high']:.1f}]", row["decision"],
                   count(row["n_games"])) for row in pairs.to_dict("records")]
        words = {"a": "first wins", "b": "second wins", "equal": "too close to tell", "undecided": "undecided"}
        played = [(pair, score, words[word], games) for pair, score, word, games in played]
        open_ = int((pairs["decision"] == "undecided").sum())
        circles = [f"{row['a']} beats {row['b']} ({100 * row['score_ab']:.1f} %), {row['b']} beats {row['c']} "
                   f"({100 * row['score_bc']:.1f} %), {row['c']} beats {row['a']} ({100 * row['score_ca']:.1f} %)."
                   for row in found["circles"].to_dict("records")]
        shown = circles[:8] + ([f"... and {len(circles) - 8} more."] if len(circles) > 8 else [])
        margin = 100 * result.plan.margin
        return [
            *columns(head, rows), "", *columns(("pair", "score of the first, %", "decision", "games"), played), "",
            *(["Circles:", *(line for text in shown for line in paragraph(text, width=width, indent="  ")), ""]
              if circles else []),
            *paragraph(f"{len(pairs) - open_} of {len(pairs)} pairs decided; scores within 50 ± {margin:g} % count as "
                       f"too close to tell. All pair statements hold together with {100 * result.plan.level:g} %, "
                       "whenever play stops; Elo, Nash and alpha-rank intervals each hold together over the policies.",
                       width=width),
            *paragraph(f"Bradley-Terry misfit: p = {misfit.p_value:.2g}.", width=width),
            f"Played {count(result.n_games)} games in {duration(seconds)}.",
            *([f"The page is {data['page']}"] if out else [])]

    console.show(args.json, "tournament", data, lines)
    return 0


def duel(args: argparse.Namespace) -> int:
    """Say which of two policies is stronger."""
    for where, spec in (("A", args.a), ("B", args.b)):
        if spec.strip() == "all" or len(split_specs(spec)) > 1:
            raise InputError(f"'{spec}' is not one policy", where=f"duel: {where}",
                             allowed="one policy; `agentsim tournament` plays many")
    from agentsim.strategy.field import candidate

    game, (rules, _) = get_game(DEFAULT_GAME if args.game is None else args.game, where="--game"), _rules(args)
    both = [candidate(game, spec, f"duel: {where}") for where, spec in (("A", args.a), ("B", args.b))]
    if plays_alike(*both):
        raise InputError(f"'{args.a}' and '{args.b}' are the same policy", where="duel", allowed="two that differ; "
                         f"`agentsim simulate --policies {shlex.quote(args.a)}` plays one against itself")
    slow = isinstance(game, WithSlowPolicies) and any(game.is_slow(ref, rules) for ref in both)
    result, seconds = _run(args, both, None, 2_000_000, None)
    row, one = result.pairs().to_dict("records")[0], result.standings[0]
    a, b = row["policy_a"], row["policy_b"]
    score, low, high = (100 * row[name] for name in ("score", "low", "high"))
    margin, games, at = 100 * result.plan.margin, count(row["n_games"]), row["decided_at"]
    if row["decision"] in ("a", "b"):
        if row["decision"] == "b":
            a, b, score, low, high = b, a, 100 - score, 100 - high, 100 - low
        answer = (f"{a} beats {b}: {score:.1f} % [{low:.1f}, {high:.1f}] after {games} games (decided after "
                  f"{count(at)}).")
    elif row["decision"] == "equal":
        answer = (f"{a} and {b} are too close to tell: within ±{margin:g} point{'s' if margin != 1 else ''}, "
                  f"{score:.1f} % [{low:.1f}, {high:.1f}] after {games} games.")
    else:
        answer = (f"Undecided after {games} games: {a} scores {score:.1f} % [{low:.1f}, {high:.1f}] against {b}; about "
                  f"{count(row['needed'])} games more would decide it.")
    from agentsim.stats import adjusted_level
    from agentsim.summary import share_of_games

    seats: list[dict[str, Any]] = []
    endings: list[dict[str, Any]] = []
    names = next((column.categories for table in get_game(result.game).tables(_rules(args)[0], "games")
                  if table.name == "games" for column in table.columns if column.name == "end_reason"), ())
    level = adjusted_level(2)
    if "a_by_seat" in one.tally:
        for seat, (wins, draws, losses) in enumerate(one.tally["a_by_seat"].tolist()):
            played = wins + draws + losses
            share = share_of_games(wins, played, one.test.n_deals, level)
            seats.append({"policy": row["policy_a"], "seat": seat, "won": share.as_dict(), "draws": draws,
                          "n_games": played})
    if "end_reason" in one.tally:
        counts = one.tally["end_reason"].tolist()
        level = adjusted_level(max(1, sum(number > 0 for number in counts)))
        for name, number in zip(names, counts, strict=False):
            if number:
                endings.append({"end_reason": name, "share": share_of_games(number, result.n_games, one.test.n_deals,
                                                                            level).as_dict()})
    styles = _style(args, result, both, SLOW_STYLE_GAMES if slow else STYLE_GAMES)
    data = {"answer": answer, "game": result.game, "seed": result.seed, "margin": result.plan.margin,
            "budget": result.plan.games, **records(result.pairs())[0], "by_seat": seats, "endings": endings,
            "style": records(styles)}

    def said(item: dict[str, Any]) -> str:
        return f"{100 * item['estimate']:.1f} [{100 * item['low']:.1f}, {100 * item['high']:.1f}]"

    def lines() -> list[str]:
        return [*paragraph(answer, width=terminal_width()), "",
                *columns((f"{row['policy_a']} won", "%", "games"),
                         [("starting" if not item["seat"] else "second", said(item["won"]), count(item["n_games"]))
                          for item in seats]), "",
                *columns(("games end by", "%"), [(item["end_reason"], said(item["share"])) for item in endings]), "",
                *_style_lines(styles, row["policy_a"], row["policy_b"]), "",
                f"Played {games} games in {duration(seconds)}."]

    console.show(args.json, "duel", data, lines)
    return 0


def _style(args: argparse.Namespace, result: Any, both: list[PolicyRef], games: int) -> Any:
    """How the two differ in style, in the first ``games`` games of the match (fewer if the budget is smaller).

    They are as many as were fixed beforehand: the match ends when it is decided, and numbers of just its games would be
    coloured by that.
    """
    from agentsim.experiment import build_experiment
    from agentsim.runs import open_run
    from agentsim.simulation import ProgressBar, simulate
    from analyses.duel_style import style

    plan = build_experiment(both, game=result.game, seed=result.seed, settings=_rules(args)[1], log="turns",
                            name="duel")
    per_deal = result.plan.games_per_deal[0]
    deals = min(games, result.plan.games) // per_deal
    with tempfile.TemporaryDirectory(prefix="agentsim-duel-") as folder:
        with console.keeping(None, keeps=False), ProgressBar(quiet=args.quiet) as bar:
            simulate(plan.with_games(deals * per_deal), out=Path(folder) / "run", workers=_workers(args), progress=bar)
        with open_run(Path(folder) / "run") as run:
            return style(run)


def _style_lines(styles: Any, a: str, b: str) -> list[str]:
    """The table of styles, what is clearly different marked."""
    def shown(row: Any, name: str) -> str:
        low, high = (row[f"{name}_low"], row[f"{name}_high"]) if name != "difference" else (row["low"], row["high"])
        scale = 100 if row["rate"] else 1
        places = decimals(scale * (high - low) / 2)
        sign = "+" if name == "difference" else ""
        return f"{scale * row[name]:{sign}.{places}f} [{scale * low:{sign}.{places}f}, {scale * high:{sign}.{places}f}]"

    rows, length = [], None
    for row in styles.to_dict("records"):
        if row["measure"] == "length":
            length = row
            continue
        rows.append((row["label"] + (", %" if row["rate"] else ""), shown(row, "a"), shown(row, "b"),
                     shown(row, "difference")))
    first = styles.iloc[0]
    sizes = {row["of"]: f"{count(row['n_a'])} and {count(row['n_b'])} {row['of']}" for row in styles.to_dict("records")
             if row["of"] != "games"}
    told = (f"Style in the first {count(int(first['n_games']))} games of the match, with {', '.join(sizes.values())}; "
            f"all {int(first['family_size'])} intervals hold together with 95 %. A game takes {shown(length, 'a')} "
            "turns.")
    return [*columns(("style", a, b, "difference"), rows), "", *paragraph(told, width=terminal_width())]


def _workers(args: argparse.Namespace) -> int:
    return os.cpu_count() or 1 if args.workers is None else whole_number(
        parse_whole(args.workers, "--workers"), 1, MAX_WORKERS, where="--workers")


def _rules(args: argparse.Namespace) -> tuple[Any, dict[str, Any]]:
    game = get_game(DEFAULT_GAME if args.game is None else args.game, where="--game")
    settings = {} if args.cards is None else dict(card_settings(args.cards, game)[0])
    settings |= parse_settings(args.set or [])
    return game.rules(settings, where="--set"), settings


def _run(args: argparse.Namespace, policies: Any, field: Any, games: int, out: Path | None) -> tuple[Any, float]:
    from agentsim.simulation import ProgressBar
    from agentsim.strategy.results import run_tournament

    _, settings = _rules(args)
    budget = games if args.games is None else whole_number(parse_count(args.games, "--games"), 1, MAX_GAMES,
                                                           where="--games")
    seed = 1 if args.seed is None else whole_number(parse_whole(args.seed, "--seed"), 0, MAX_SEED, where="--seed")
    workers = _workers(args)
    margin = parse_points("1" if args.margin is None else args.margin, "--margin") / 100
    if margin == 0.5:
        raise InputError("50 would call everything equal", where="--margin", allowed="above 0, below 50")
    start = time.monotonic()
    play: Callable[..., Any] = run_tournament
    # A duel has no folder to keep anything in.
    with console.keeping(out, keeps="out" in args), ProgressBar(quiet=args.quiet) as bar:
        try:
            result = play(policies, field, games=budget, margin=margin, seed=seed, settings=settings, workers=workers,
                          game=DEFAULT_GAME if args.game is None else args.game, out=out, progress=bar)
        except InputError as error:
            if error.where or error.key not in ("games", "policies", "field") or not hasattr(args, error.key):
                raise
            raise InputError(error.problem, where=f"--{error.key}", allowed=error.allowed, nearest=error.nearest
                             ) from None
    return result, time.monotonic() - start


def _finite(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Infinite bounds become null."""
    return [{key: None if isinstance(value, float) and abs(value) == float("inf") else value
             for key, value in row.items()} for row in rows]
