"""The command line. One function per command, which connects its flags with what does the work.

Exit codes: 0 done, 2 bad input (one line on stderr), 130 interrupted. Nothing scientific is imported before a command
needs it, so that help appears at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from agentsim.commands import console
from agentsim.commands.parser import Parser, unknown_arguments
from agentsim.errors import InputError

__all__ = ["main"]

BAD_INPUT = 2
INTERRUPTED = 130

WELCOME = """\
A Monte Carlo laboratory for bluffing board games.

  agentsim simulate --policies expert,random  who is stronger?
  agentsim policies                           the ways to play
  agentsim cards                              the cards, in three languages
  agentsim rules                              every rule that can be changed
  agentsim whatif --set rules.discards=2      what does a changed rule do?
  agentsim balance                            what is a Black Market card worth?
  agentsim play --against expert              play yourself
  agentsim review game.txt                    what did each decision cost?
  agentsim report                             the whole report, for a browser

`agentsim --help` lists all commands, `agentsim COMMAND --help` explains one."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(words)
    except InputError as error:
        return _fail(str(error))
    except KeyboardInterrupt as stop:
        print("agentsim: interrupted" + (f"; {stop}" if str(stop) else ""), file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader (`| head`) has seen enough
        return 0
    except OSError as error:
        place = f"{error.filename}: " if error.filename is not None else ""
        return _fail(f"{place}{error.strerror or error}")


def simulate(args: argparse.Namespace) -> int:
    """Play an experiment and print what came out."""
    from agentsim.commands import simulate

    return simulate.simulate(args)


def resume(args: argparse.Namespace) -> int:
    """Finish a run that was cut."""
    from agentsim.commands import simulate

    return simulate.resume(args)


def extend(args: argparse.Namespace) -> int:
    """Play more games of a run."""
    from agentsim.commands import simulate

    return simulate.extend(args)


def inspect(args: argparse.Namespace) -> int:
    """Show the plan, the rows, the digest and the results of a run."""
    from agentsim.commands import runs

    return runs.inspect(args)


def replay(args: argparse.Namespace) -> int:
    """Tell one game of a run as a story."""
    from agentsim.commands import runs

    return runs.replay(args)


def export(args: argparse.Namespace) -> int:
    """Write the tables of a run as CSV."""
    from agentsim.commands import runs

    return runs.export(args)


def schema(args: argparse.Namespace) -> int:
    """Describe the columns of the logs."""
    from agentsim.commands import reference

    return reference.schema(args)


def cards(args: argparse.Namespace) -> int:
    """Print the card table."""
    from agentsim.commands import cards

    return cards.cards(args)


def validate(args: argparse.Namespace) -> int:
    """Check a card file, and show its cards in words."""
    from agentsim.commands import cards

    return cards.validate(args)


def new_card(args: argparse.Namespace) -> int:
    """Write a card file with comments, to start from."""
    from agentsim.commands import cards

    return cards.new_card(args)


def policies(args: argparse.Namespace) -> int:
    """List the policies, or describe one."""
    from agentsim.commands import reference

    return reference.policies(args)


def rules(args: argparse.Namespace) -> int:
    """List the rules that can be changed."""
    from agentsim.commands import reference

    return reference.rules(args)


def games(args: argparse.Namespace) -> int:
    """List the games."""
    from agentsim.commands import reference

    return reference.games(args)


def balance(args: argparse.Namespace) -> int:
    """Say what every Black Market card is worth, and which are too strong or too weak."""
    from agentsim.commands import balance

    return balance.balance(args)


def whatif(args: argparse.Namespace) -> int:
    """Compare two rule sets on the same deals, or draw a dose curve."""
    from agentsim.commands import whatif

    return whatif.whatif(args)


def play(args: argparse.Namespace) -> int:
    """Play Agent Avenue in the terminal against a policy."""
    from agentsim.commands import play

    return play.play(args)


def tournament(args: argparse.Namespace) -> int:
    """Let policies play each other until every comparison is decided, and rate them."""
    from agentsim.commands import tournament

    return tournament.tournament(args)


def duel(args: argparse.Namespace) -> int:
    """Say which of two policies is stronger."""
    from agentsim.commands import tournament

    return tournament.duel(args)


def advise(args: argparse.Namespace) -> int:
    """Say what every action in a position of Agent Avenue is worth."""
    from agentsim.commands import advise

    return advise.advise(args)


def review(args: argparse.Namespace) -> int:
    """Say what every decision of a game of Agent Avenue cost."""
    from agentsim.commands import advise

    return advise.review(args)


def sweep(args: argparse.Namespace) -> int:
    """Vary one or two parameters of a policy: what do they do against a field?"""
    from agentsim.commands import search

    return search.sweep(args)


def tune(args: argparse.Namespace) -> int:
    """Tune a policy's parameters against a field."""
    from agentsim.commands import search

    return search.tune(args)


def exploit(args: argparse.Namespace) -> int:
    """Search who beats a policy, and by how much at least."""
    from agentsim.commands import search

    return search.exploit(args)


def pool(args: argparse.Namespace) -> int:
    """Grow a pool of policies by best responses to its equilibrium."""
    from agentsim.commands import pool

    return pool.pool(args)


def report(args: argparse.Namespace) -> int:
    """Run the standard experiment, all analyses and notebooks, and write the report."""
    from agentsim.commands import report

    return report.report(args)


def _dispatch(words: Sequence[str]) -> int:
    parser, commands = build_parser()
    if not words:
        console.write(f"{WELCOME}\n")
        return 0
    if words[0] == "help":
        words = [*words[1:2], "--help"]
    if words[0].startswith("-") and words[0] not in (*parser.flags(), "-h"):
        raise unknown_arguments(words[:1], parser, "")
    try:
        args, extras = parser.parse_known_args(words)
    except SystemExit as leave:  # --help and --version have printed what they should
        return int(leave.code or 0)
    if extras:
        raise unknown_arguments(extras, commands[args.command], args.command)
    return int(args.run_command(args))


def build_parser() -> tuple[Parser, dict[str, Parser]]:
    """The parser of the whole command line, and those of its commands by name."""
    from agentsim.commands.arguments import COMMANDS

    functions = (simulate, resume, extend, inspect, replay, export, schema, cards, validate, new_card, policies,
                 rules, games, balance, whatif, tournament, duel, play, advise, review, sweep, tune, exploit,
                 pool, report)
    parser = Parser(prog="agentsim", description="A Monte Carlo laboratory for bluffing board games.",
                    epilog="Exit codes: 0 done, 2 bad input, 130 interrupted.")
    parser.add_argument("--version", action=_Version, help="show the version and leave")
    choices = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands", parser_class=Parser)
    commands = {}
    for function in functions:
        name, text = function.__name__.replace("_", "-"), (function.__doc__ or "").strip().rstrip(".")
        commands[name] = choices.add_parser(name, help=text[0].lower() + text[1:], description=f"{text}.")
        COMMANDS[name](commands[name])
        commands[name].set_defaults(run_command=function)
    return parser, commands


class _Version(argparse.Action):
    """``--version``; looks the version up only when asked."""

    def __init__(self, option_strings: Sequence[str], dest: str, **kwargs: object) -> None:
        super().__init__(option_strings, dest, nargs=0, help=str(kwargs.get("help", "")))

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from agentsim import __version__

        console.write(f"agentsim {__version__}\n")
        parser.exit()


def _fail(problem: str) -> int:
    print(f"agentsim: {problem}", file=sys.stderr)
    return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
