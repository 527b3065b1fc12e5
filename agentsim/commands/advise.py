"""``advise`` and ``review``: what actions are worth in a position, what decisions of a game cost."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentsim.commands import console
from agentsim.commands.parser import parse_count, parse_whole
from agentsim.commands.review_page import Row, review_page
from agentsim.commands.text import columns, count, interval, paragraph, percent, terminal_width
from agentsim.errors import InputError
from agentsim.experiment import MAX_SEED, whole_number
from agentsim.folders import check_folder

__all__ = ["advice_lines", "advise", "review"]


def advise(args: argparse.Namespace) -> int:
    """The winning chances of all actions in a position: of a file, or of a game of a run."""
    from agentsim.games.agent_avenue.advice.advice import MAX_WORLDS
    from agentsim.games.agent_avenue.advice.advice import advise as find

    mine, theirs, seed = _policies(args)
    games = None if args.games is None else whole_number(parse_count(args.games, "--games"), 10, MAX_WORLDS,
                                                         where="--games")
    precision = None if args.precision is None else _points(args.precision)
    position = _position(args)
    with _Waiting(args) as progress:
        advice = find(position, mine=mine, theirs=theirs, games=games, precision=precision, seed=seed,
                      progress=progress)
    console.show(args.json, "advise", _advice_data(advice), lambda: advice_lines(advice, terminal_width()))
    return 0


def review(args: argparse.Namespace) -> int:
    """What the decisions of a game cost."""
    from agentsim.games.agent_avenue.advice.advice import MAX_WORLDS
    from agentsim.games.agent_avenue.advice.review import GAMES
    from agentsim.games.agent_avenue.advice.review import review as look

    mine, theirs, seed = _policies(args)
    games = GAMES if args.games is None else whole_number(parse_count(args.games, "--games"), 10, MAX_WORLDS,
                                                          where="--games")
    seats = (0, 1) if args.seat is None else (_seat(args.seat),)
    out = None if args.out is None else Path(args.out)
    if out is not None and (out.is_dir() or not out.parent.is_dir()):
        raise InputError("cannot be written: it is a folder, or its folder is not there", where="--out",
                         allowed="the name of a file, such as review.html")
    if out is not None:
        check_folder(out.absolute().parent, "--out")
    steps, names = _game(args)
    with _Waiting(args) as progress:
        found = look(steps, mine=mine, theirs=theirs, seats=seats, games=games, seed=seed, progress=progress)
    lines = _review_lines(found, names, seats, mine.label, theirs.label, terminal_width())
    if out is not None:
        out.write_text(_review_page(found, names, seats, mine.label, theirs.label), encoding="utf-8")
    data = {"seats": list(seats), "names": list(names), "mine": mine.label, "theirs": theirs.label, "seed": seed,
            "games": games, "unseen": found.unseen, "forced": found.forced,
            "total_cost": {str(seat): found.total(seat) for seat in seats}, "page": None if out is None else str(out),
            "decisions": [{"turn": one.turn, "seat": one.seat, "player": one.player, "action": _words(one.action),
                           "chance": one.chance.as_dict(), "best": _words(one.best),
                           "best_chance": one.best_chance.as_dict(), "cost": one.cost.as_dict()}
                          for one in found.decisions]}
    console.show(args.json, "review", data, lambda: [*lines, *([f"The same as a page: {out}"] if out else [])])
    return 0


# --- what is looked at ------------------------------------------------------------------------------------------------
def _policies(args: argparse.Namespace) -> tuple[Any, Any, int]:
    from agentsim.games.base import get_game

    game, found = get_game("agent_avenue"), []
    for flag, spec in (("--as", args.as_policy), ("--against", args.against)):
        try:
            found.append(game.policy(spec))
        except InputError as error:
            raise error.at(where=flag) from None
    seed = whole_number(parse_whole(args.seed, "--seed"), 0, MAX_SEED, where="--seed")
    return found[0], found[1], seed


def _points(text: str) -> float:
    try:
        points = float(text)
    except ValueError:
        points = -1.0
    if not 0.01 <= points <= 50:
        raise InputError(f"'{text[:40]}' is no precision", where="--precision",
                         allowed="0.01 to 50 percentage points")
    return points / 100


def _seat(text: str) -> int:
    if text not in ("0", "1"):
        raise InputError(f"there is no seat '{text}'", where="--seat", allowed="0 or 1")
    return int(text)


def _game(args: argparse.Namespace) -> tuple[list[Any], tuple[str, str]]:
    """The positions of the game that the arguments name, and what its seats are called."""
    from agentsim.games.agent_avenue.notation import parse_game, play_record, read_game

    if (args.file is None) == (args.run is None):
        raise InputError("give a file, or --run with --game", where=args.command,
                         allowed=f"agentsim {args.command} game.txt, agentsim {args.command} --run DIR --game N")
    if args.file is not None:
        record = read_game(args.file)
    else:
        record = parse_game(_text_of_run(args), where=f"{args.run}, game {args.game}")
    return play_record(record), record.names


def _text_of_run(args: argparse.Namespace) -> str:
    from agentsim.commands.runs import game_text
    from agentsim.runs import open_run

    if args.game is None:
        raise InputError("is missing", where="--game", allowed="the game_id of the logs")
    experiment = open_run(Path(args.run)).experiment
    if experiment.game != "agent_avenue":
        raise InputError(f"'{experiment.game}' has no notation", where="--run", allowed="a run of agent_avenue")
    number = whole_number(parse_count(args.game, "--game"), 0, experiment.total_games - 1, where="--game")
    index, matchup = divmod(number, len(experiment.matchups))
    return game_text(experiment.rules(), experiment.pairings(), experiment.seed, matchup, index)


def _position(args: argparse.Namespace) -> Any:
    """The position that the arguments name."""
    from agentsim.games.agent_avenue.modes.step import ModeState
    from agentsim.games.agent_avenue.notation import is_position, parse_position
    from agentsim.games.agent_avenue.notation.reading import read_text

    if args.file is not None and args.run is None:
        text = read_text(args.file)
        if is_position(text):
            if args.turn is not None or args.seat is not None:
                raise InputError("a position is one decision", where="--turn" if args.turn is not None else "--seat",
                                 allowed="with a game only")
            return parse_position(text, where=args.file)
    steps, _ = _game(args)
    if args.turn is None:
        open_ = [step for step in steps if not step.game.is_over]
        chosen = steps[-1] if not steps[-1].game.is_over else open_[-1]
        fitting = [chosen]
        if args.seat is not None:
            fitting = [step for step in open_ if step.game.to_move == _seat(args.seat)][-1:]
    else:
        last = steps[-1].game.turn + 1
        turn = whole_number(parse_whole(args.turn, "--turn"), 1, last, where="--turn")
        fitting = [step for step in steps if step.game.turn == turn - 1 and not step.game.is_over
                   and (args.seat is None or step.game.to_move == _seat(args.seat))]
    if not fitting:
        raise InputError("has nothing to decide there", where="--seat", allowed="another turn or seat")
    step = fitting[0]
    player = step.game.player_to_move if isinstance(step.game, ModeState) else 0
    if player is not None and (step.game.to_move, player) not in step.sees:
        raise InputError(f"the hand of seat {step.game.to_move} is not known in turn {step.game.turn + 1}",
                         where=args.file or "", allowed="a game with Hand and draws of that seat, or with a Deal")
    return step.game


class _Waiting:
    """Progress in rollouts and time left, and a word on compiling where the first takes long."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.quiet = args.quiet or args.json

    def __enter__(self) -> Callable[[int, int], None]:
        import threading

        from agentsim.simulation.progress import COMPILING, Meter, ProgressBar

        self._bar = ProgressBar(quiet=self.quiet)
        self._patience = threading.Timer(3.0, console.note, [COMPILING], {"quiet": self.quiet})
        self._patience.daemon = True
        self._patience.start()
        meter: Meter | None = None
        before = 0

        def tell(done: int, total: int) -> None:
            nonlocal meter, before
            self._patience.cancel()
            if meter is None or done < before:
                meter, before = Meter(self._bar, 0, total), 0
            meter.advance(done - before)
            before = done

        return tell

    def __exit__(self, *_: object) -> None:
        self._patience.cancel()
        self._bar.close()


# --- what is said -----------------------------------------------------------------------------------------------------
def _words(action: Any) -> str:
    from agentsim.games.agent_avenue.notation.clauses import clause
    return clause(action)


def advice_lines(advice: Any, width: int) -> list[str]:
    """Advice for a reader: the table, the actions best first, what may lie face down."""
    from agentsim.games.agent_avenue.modes.step import ModeState
    from agentsim.games.agent_avenue.notation.showing import table_lines

    game = advice.position
    player = game.player_to_move if isinstance(game, ModeState) else None
    lines = [f"Seat {advice.seat} decides.", *table_lines(game, advice.seat, player), ""]
    if player is None and isinstance(game, ModeState):
        lines[1:1] = ["Its players decide together: the advice rests on what is public, not on their hands."]
    rows = []
    for value in advice.actions:
        chance = value.chance
        behind = "best" if value is advice.best else f"{100 * value.behind.estimate:.1f} behind"
        reach = "" if value is advice.best else interval(value.behind.low, value.behind.high)
        close = "too close to say" if value.close and value is not advice.best else ""
        rows.append((_words(value.action), percent(chance.estimate, chance.low, chance.high),
                     interval(chance.low, chance.high), behind, reach, close))
    lines += columns(("action", "winning chance", "from - to", "points", "from - to", ""), rows, wrap_last=width)
    if advice.hidden:
        lines += ["", "What lies face down:"]
        cards = [(card.name, f"{100 * card.by_count:.1f} %",
                  percent(card.by_policy.estimate, card.by_policy.low, card.by_policy.high) if card.by_policy else "-",
                  interval(card.by_policy.low, card.by_policy.high) if card.by_policy else "")
                 for card in advice.hidden]
        lines += columns(("agent", "by the unseen cards", f"if they play as {advice.theirs.label}", "from - to"), cards)
        if advice.misfits > 0:
            lines += paragraph(f"In {100 * advice.misfits:.0f} % of the worlds {advice.theirs.label} would not make "
                               "this offer from any hand that was tried; there the hidden card is a random one.",
                               width=width)
    lines += ["", *paragraph(
        f"{count(advice.n_worlds)} hidden worlds, the same for all actions, seed {advice.seed}; then "
        f"{advice.mine.label} plays on against {advice.theirs.label}. {100 * advice.level:g} % intervals that hold "
        "together, of the chances and of all differences.", width=width)]
    return lines


def _advice_data(advice: Any) -> dict[str, Any]:
    return {"seat": advice.seat, "turn": advice.position.turn + 1, "mine": advice.mine.label,
            "theirs": advice.theirs.label, "seed": advice.seed, "n_worlds": advice.n_worlds,
            "misfits": advice.misfits,
            "actions": [{"action": _words(value.action), "chance": value.chance.as_dict(),
                         "behind": value.behind.as_dict(), "close": value.close} for value in advice.actions],
            "hidden": [{"agent": card.name, "by_count": card.by_count,
                        "by_policy": card.by_policy.as_dict() if card.by_policy else None} for card in advice.hidden]}


def _review_lines(found: Any, names: tuple[str, str], seats: tuple[int, ...], mine: str, theirs: str,
                  width: int) -> list[str]:
    lines = _review_summary(found, names, seats)
    if found.mistakes:
        lines += ["", "The dearest decisions:"]
        worst = [(f"turn {one.turn}, seat {one.seat}", _words(one.action), f"{100 * one.cost.estimate:.1f}",
                  interval(one.cost.low, one.cost.high), f"better: {_words(one.best)}") for one in found.mistakes[:5]]
        lines += columns(("", "played", "cost", "from - to", ""), worst, left=2, wrap_last=width)
    rows = [(f"{row.turn}", row.who, row.played, row.chance, f"{row.cost:.1f}", row.between, row.better or "the best")
            for row in (_review_row(found, one) for one in found.decisions)]
    header = ("turn", "seat", "played", "chance", "cost", "from - to", "best")
    lines += ["", "All decisions:", *columns(header, rows, left=3, wrap_last=width)]
    return [*lines, "", *paragraph(_review_note(found, mine, theirs), width=width)]


def _review_page(found: Any, names: tuple[str, str], seats: tuple[int, ...], mine: str, theirs: str) -> str:
    who = " against ".join(name for name in names if name)
    return review_page(f"Review of a game: {who}" if who else "Review of a game", _review_summary(found, names, seats),
                       [_review_row(found, one) for one in found.mistakes[:5]],
                       [_review_row(found, one) for one in found.decisions], _review_note(found, mine, theirs))


def _review_summary(found: Any, names: tuple[str, str], seats: tuple[int, ...]) -> list[str]:
    lines = []
    for seat in seats:
        own = [one for one in found.decisions if one.seat == seat]
        certain = sum(one.seat == seat for one in found.mistakes)
        name = f" ({names[seat]})" if names[seat] else ""
        lines.append(f"Seat {seat}{name}: {len(own)} decisions looked at, {certain} certainly not the best; they cost "
                     f"{100 * found.total(seat):.1f} points of winning chance in all.")
    return lines


def _review_row(found: Any, one: Any) -> Row:
    is_best, star = one.action == one.best, " *" if one.advice.misfits > 0.5 else ""
    close = "" if one.cost.low > 0 else ", too close to say"
    better = "" if is_best and not star else "the best" + star if is_best else (
        f"{_words(one.best)} {percent(one.best_chance.estimate, one.best_chance.low, one.best_chance.high)}"
        f"{close}{star}")
    team = one.player is not None and any(each.player for each in found.decisions)
    return Row(one.turn, f"{one.seat}.{one.player}" if team else f"{one.seat}", _words(one.action),
               percent(one.chance.estimate, one.chance.low, one.chance.high), 100 * one.cost.estimate,
               interval(one.cost.low, one.cost.high), better, bool(one.cost.low > 0))


def _review_note(found: Any, mine: str, theirs: str) -> str:
    unlike = any(one.advice.misfits > 0.5 for one in found.decisions)
    notes = [f"* an offer that {theirs} would hardly make: the hidden card counts as a random one"] if unlike else []
    notes += [f"{found.forced} decisions had one legal action"] if found.forced else []
    notes += [f"{found.unseen} are left out: the cards of who decided are not known"] if found.unseen else []
    return (f"{count(found.games)} hidden worlds per decision, seed {found.seed}; {mine} plays on for who decides, "
            f"{theirs} for the other side. Chances and costs (the best action's chance minus the played one's, same "
            f"worlds) are in percent, with 95 % intervals that hold together. A sum of costs leans upwards a little: "
            f"the best is the best of these rollouts. {'; '.join(notes) + '.' if notes else ''}").rstrip()
