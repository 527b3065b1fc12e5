"""``play``: a game in the terminal against a policy."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import threading
from pathlib import Path
from typing import Any

from agentsim.commands import console
from agentsim.commands.parser import parse_settings, parse_whole
from agentsim.commands.text import columns, paragraph, terminal_width
from agentsim.errors import InputError, nearest
from agentsim.experiment import MAX_SEED, card_settings, whole_number
from agentsim.folders import check_folder

__all__ = ["play", "rules_of"]

_HELP = """\
Type the number of a choice, or its words: 'sentinel mole' (the first face up) or 'sen mol', 'discard enforcer', 'up',
'down', a card's name. Names may be shortened as long as they are clear.
  ?       this help                table   the table again         list    the choices again
  cards   what every card does     hint    winning chances of the choices, by playing on
  quit    leave the game"""

_MODES = {"base": {}, "advanced": {"rules.mode": "advanced"}, "division_m": {"rules.expansion": "division_m"},
          "advanced_division_m": {"rules.mode": "advanced", "rules.expansion": "division_m"}}


class _Leave(Exception):
    """The person at the table has left."""


def rules_of(args: argparse.Namespace) -> Any:
    """The rules that ``--mode``, ``--players``, ``--cards`` and ``--set`` describe."""
    from agentsim.games.base import get_game

    game = get_game("agent_avenue")
    settings: dict[str, Any] = {}
    mode = getattr(args, "mode", None)
    if mode is not None:
        name = mode.lower().replace("-", "_").replace("+", "_")
        if name not in _MODES:
            raise InputError(f"unknown mode '{mode}'", where="--mode", allowed=", ".join(_MODES),
                             nearest=nearest(name, _MODES))
        settings |= _MODES[name]
    if getattr(args, "players", None) is not None:
        settings["rules.players"] = whole_number(parse_whole(args.players, "--players"), 2, 4, where="--players")
    where = ""
    if args.cards is not None:
        settings |= card_settings(args.cards, game)[0]
    changes = parse_settings(args.set or [])
    settings |= changes
    if changes:
        where = "--set"
    return game.rules(settings, where=where)


def play(args: argparse.Namespace) -> int:
    """Play against a policy. Leaving (quit, the end of the input) is no error; a game that is left can be saved too."""
    from agentsim.games.base import get_game

    game = get_game("agent_avenue")
    rules = rules_of(args)
    try:
        policy = game.policy(args.against)
    except InputError as error:
        raise error.at(where="--against") from None
    seed = int.from_bytes(os.urandom(6), "big") if args.seed is None else whole_number(
        parse_whole(args.seed, "--seed"), 0, MAX_SEED, where="--seed")
    seat = {"0": 0, "1": 1, "random": _coin(seed)}.get(args.seat, -1)
    if seat < 0:
        raise InputError(f"there is no seat '{args.seat}'", where="--seat", allowed="0 (begins), 1 or random")
    save = None if args.save is None else Path(args.save)
    if save is not None and (save.exists() or not save.parent.is_dir()):
        raise InputError("is there already" if save.exists() else "its folder is not there", where="--save",
                         allowed="a new file")
    if save is not None:
        check_folder(save.absolute().parent, "--save")
    table = _Table(rules, policy, seat, seed)
    try:
        table.play()
    except _Leave:
        console.write("You leave the game.\n")
    finally:  # Ctrl-C and a policy that fails lose no game either
        kept = save is not None and len(table.course) > 1
        if save is not None and kept:
            save.write_text(table.text(), encoding="utf-8")
    if kept:
        console.write(f"The game is in {save}; `agentsim review {shlex.quote(str(save))}` tells what each decision "
                      "cost.\n")
    return 0


def _coin(seed: int) -> int:
    import numpy as np

    from agentsim.rng import mix64
    return int(mix64(np.uint64(seed))) & 1


class _Table:
    """One game at the terminal. ``course``: its positions, each with the action taken in it."""

    def __init__(self, rules: Any, policy: Any, seat: int, seed: int) -> None:
        from agentsim.games.agent_avenue import step as base
        from agentsim.games.agent_avenue.modes import step as modes

        self.rules, self.policy, self.seat, self.seed = rules, policy, seat, seed
        self.game: Any = base.new_game(seed, rules) if rules.plain else modes.new_game(seed, rules)
        self.course: list[tuple[Any, Any]] = [(self.game, None)]
        self.width = terminal_width()

    def play(self) -> None:
        """Until the game is over. Raises _Leave."""
        from agentsim.games.agent_avenue.notation.showing import rules_in_words

        first = "you begin" if self.seat == 0 else f"{self.policy.label} begins"
        self.say(f"{rules_in_words(self.rules)}, seed {self.seed}: you are seat {self.seat} against "
                 f"{self.policy.label}; {first}. Type ? for help.")
        if self.rules.players > 2:
            self.say("You play a whole side: you see the hand of whichever of its players is asked.")
        while not self.game.is_over:
            self.step(self.ask() if self.game.to_move == self.seat else self.answer())
        self.tell_end()

    def step(self, action: Any) -> None:
        from agentsim.games.agent_avenue.notation.showing import seen_event

        after = self.game.apply(action)
        for line in seen_event(self.game, action, after, self.seat):
            self.say(f"> {line}")
        self.course[-1] = (self.game, action)
        self.course.append((after, None))
        self.game = after

    def answer(self) -> Any:
        """What the policy does."""
        import numpy as np

        from agentsim.games.agent_avenue.step import IllegalAction
        from agentsim.games.base import get_game
        from agentsim.rng import combine, seat_key
        from agentsim.simulation.progress import COMPILING
        key = int(combine(np.uint64(seat_key(np.uint64(self.seed), 0, 0, self.game.to_move)), len(self.course)))
        patience = threading.Timer(3.0, console.note, [COMPILING])
        patience.daemon = True
        patience.start()
        try:
            action = get_game("agent_avenue").choose(self.game, self.policy, key)
        finally:
            patience.cancel()
        try:
            self.game.apply(action)
        except IllegalAction as error:
            raise InputError(f"policy '{self.policy.label}': {error}", key="policies") from None
        return action

    # --- the person's turn --------------------------------------------------------------------------------------------
    def ask(self) -> Any:
        """What the person does; asks until it is something possible."""
        from agentsim.games.agent_avenue.notation.choosing import choose

        legal = self.game.legal_actions()
        self.show_table()
        self.show_choices(legal)
        while True:
            text = self.read()
            word = text.strip().lower()
            if word in ("quit", "q", "exit"):
                raise _Leave
            if word in ("?", "help", "h"):
                self.say(_HELP)
            elif word in ("table", "t"):
                self.show_table()
            elif word in ("list", "l"):
                self.show_choices(legal)
            elif word == "cards":
                self.show_cards()
            elif word in ("hint", "advise"):
                self.hint()
            elif word:
                try:
                    return choose(text, legal, self.rules)
                except InputError as error:
                    for line in paragraph(str(error), width=self.width, indent="  "):
                        self.say(line)

    def read(self) -> str:
        console.write("your choice: ")
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            return "(not readable)"
        if not line:
            console.write("\n")
            raise _Leave
        if not sys.stdin.isatty():
            console.write(line if line.endswith("\n") else f"{line}\n")
        return line

    def show_table(self) -> None:
        from agentsim.games.agent_avenue.notation.showing import table_lines

        player = None if self.rules.plain else self.game.player_to_move
        self.say("")
        for line in table_lines(self.game, self.seat, player):
            self.say(line)

    def show_choices(self, legal: Any) -> None:
        from agentsim.games.agent_avenue.notation.showing import action_in_words, question_in_words

        self.say(question_in_words(self.game))
        words = [f"{number:>3} {action_in_words(action, self.game)}" for number, action in enumerate(legal, start=1)]
        cell = max(map(len, words)) + 2
        across = max(1, self.width // cell)
        down = -(-len(words) // across)
        for row in range(down):
            self.say("".join(word.ljust(cell) for word in words[row::down]).rstrip())

    def show_cards(self) -> None:
        from agentsim.games.agent_avenue.cards import sheets

        for sheet in sheets.card_sheets(self.rules):
            for line in columns(sheet.header, sheet.rows, left=sheet.left, wrap_last=self.width):
                self.say(line)

    def hint(self) -> None:
        """Winning chances of the choices, as if both sides played on as the policy does."""
        from agentsim.commands.advise import advice_lines
        from agentsim.games.agent_avenue.advice.advice import advise

        self.say(f"  {self.policy.label} plays on for both sides; the first time a minute goes by with compiling")
        try:
            advice = advise(self.game, mine=self.policy, theirs=self.policy, games=2_000, seed=1)
        except InputError as error:
            self.say(f"  {error}")
            return
        for line in advice_lines(advice, self.width):
            self.say(line)

    # --- the end ------------------------------------------------------------------------------------------------------
    def tell_end(self) -> None:
        from agentsim.games.agent_avenue.notation.record import members
        from agentsim.games.agent_avenue.step import text_of

        game = self.game
        who = "Nobody wins" if game.winner is None else "You win" if game.winner == self.seat else (
            f"{self.policy.label} wins")
        self.say("")
        self.say(f"After {game.turn + 1} turns: {who} by {game.end_reason}"
                 + (", by the tie rule." if game.tie_rule_used else "."))
        other = 1 - self.seat
        for player in range(members(game, other)):
            hand = game.hand(other) if self.rules.plain else game.hand(other, player)
            name = f"player {player}'s hand" if members(game, other) == 2 else "their hand"
            self.say(f"  {name} was {text_of(hand)}")
        for line in self.revealed():
            self.say(line)

    def revealed(self) -> list[str]:
        """What the other side did unseen."""
        from agentsim.games.agent_avenue.step import Discard

        gone = [f"{action.name} in turn {game.turn + 1}" for game, action in self.course
                if isinstance(action, Discard) and game.to_move != self.seat]
        return [f"  they discarded {', '.join(gone)}"] if gone else []

    def text(self) -> str:
        """The game in the notation."""
        from agentsim.games.agent_avenue.notation import record_of, write_game

        names = ("you", self.policy.label) if self.seat == 0 else (self.policy.label, "you")
        return write_game(record_of(self.course, names=names, deal=(self.seed, 0)))

    def say(self, text: str) -> None:
        console.write(f"{text}\n")
