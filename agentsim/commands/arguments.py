"""The flags of every command."""

from __future__ import annotations

from collections.abc import Callable

from agentsim.commands.parser import Parser

__all__ = ["COMMANDS"]

_EXPERIMENT_HELP = """\
Examples:
  agentsim simulate --policies expert,random --games 100000
  agentsim simulate --policies 'planner(bluff=0.8),planner' --set rules.ring=20
  agentsim simulate my_experiment.toml --games 1M --out data/logs/mine

Two policies are one matchup, one policy plays its mirror, three or more a round robin with mirrors.
At tables of three and more as many policies as seats are one matchup (random,expert,expert,expert); fewer play one
among others: A against B's, B against A's.

--games counts the games of each matchup; each deal is played twice with the seats swapped (once in a mirror), in every
seating with more than two seats.

Without --out nothing is written. A folder that holds a run with the same plan is continued."""


def _json(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document (described in docs/cli.md)")


def _playing(parser: Parser) -> None:
    parser.add_argument("--workers", metavar="W", help="workers (default: the number of processors)")
    parser.add_argument("--backend", default="threading", metavar="NAME",
                        help="threading (default), loky (processes) or sequential; the results are the same")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no notes")
    _json(parser)


def _rules_of(parser: Parser) -> None:
    parser.add_argument("--game", metavar="NAME", help="the game (default: agent_avenue)")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help="change a rule; may be repeated")
    parser.add_argument("--cards", metavar="FILE", help="a card file (TOML): changed and new cards, see docs/cards.md")


def _simulate(parser: Parser) -> None:
    parser.epilog = _EXPERIMENT_HELP
    parser.add_argument("experiment", nargs="?", metavar="EXPERIMENT",
                        help="an experiment file (TOML), or the name of a shipped one")
    parser.add_argument("--policies", metavar="A,B,...",
                        help="policies, separated by commas; 'all' is every one there is")
    parser.add_argument("--matchups", metavar="PLAN",
                        help="auto (default), round_robin, pairs, mirrors, one_among or against:NAME")
    parser.add_argument("--games", metavar="N", help="games of each matchup: 1000, 1e6, 10M ... (default: 100,000)")
    parser.add_argument("--seed", metavar="S", help="0 to 2^64 - 1 (default: 1)")
    parser.add_argument("--log", metavar="LEVEL",
                        help="what is written: none, games, turns or full (default with --out: games)")
    parser.add_argument("--out", metavar="DIR", help="the folder of the run; without it nothing is written")
    parser.add_argument("--name", metavar="NAME", help="what the experiment is called")
    _rules_of(parser)
    parser.add_argument("--dry-run", action="store_true",
                        help="show the plan with time and disk estimated; play nothing")
    _playing(parser)


def _run(parser: Parser) -> None:
    parser.add_argument("run", metavar="DIR", help="the folder of a run")


def _resume(parser: Parser) -> None:
    _run(parser)
    _playing(parser)


def _extend(parser: Parser) -> None:
    _run(parser)
    parser.add_argument("--games", metavar="N", required=True, help="the new number of games of each matchup")
    _playing(parser)


def _inspect(parser: Parser) -> None:
    _run(parser)
    parser.add_argument("--verify", action="store_true", help="read every part and check its rows and checksum")
    _json(parser)


def _replay(parser: Parser) -> None:
    _run(parser)
    parser.add_argument("--game", metavar="N", required=True, help="the game_id, from 0")
    parser.add_argument("--format", default="story", metavar="NAME",
                        help="story (default), or text: the notation that `agentsim review` reads (Agent Avenue)")
    _json(parser)


def _export(parser: Parser) -> None:
    _run(parser)
    parser.add_argument("--csv", metavar="OUT", required=True, help="the folder for the files, one per table")
    parser.add_argument("--table", metavar="NAME", help="only this table, and the list of matchups")
    _json(parser)


def _schema(parser: Parser) -> None:
    parser.add_argument("--log", metavar="LEVEL", default="full", help="what this level writes (default: full)")
    _rules_of(parser)
    _json(parser)


def _cards(parser: Parser) -> None:
    parser.add_argument("--language", metavar="LANG", default="en", help="en (default), fr, de or all")
    _rules_of(parser)
    _json(parser)


def _validate(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", help="a card file (TOML)")
    parser.add_argument("--game", metavar="NAME", help="the game (default: agent_avenue)")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help="with these rules; may be repeated")
    _json(parser)


def _new_card(parser: Parser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME",
                        help="what the card is called, or the name of a new file that ends in .toml")
    parser.add_argument("--out", metavar="FILE", help="a new file; without it the text is printed")
    parser.add_argument("--game", metavar="NAME", help="the game (default: agent_avenue)")


def _policies(parser: Parser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="a policy or a family: show its parameters")
    parser.add_argument("--game", metavar="NAME", help="the game (default: agent_avenue)")
    _json(parser)


def _rules(parser: Parser) -> None:
    parser.add_argument("pattern", nargs="?", metavar="TEXT", help="only keys that contain this text")
    _rules_of(parser)
    _json(parser)


_BALANCE_HELP = """\
Examples:
  agentsim balance
  agentsim balance --cards my_set.toml --band 4 --out reports/my_set
  agentsim balance --set rules.supply=4 --policies expert --precision 1

In the games that are counted whoever lands on the Black Market takes a card by chance; the policies do everything else.
A verdict is given only if the whole interval says so: fine inside the band, too strong or too weak wholly outside."""


def _balance(parser: Parser) -> None:
    parser.epilog = _BALANCE_HELP
    parser.add_argument("--cards", metavar="FILE", help="a card file (TOML) with cards of your own")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help="change a rule; may be repeated")
    parser.add_argument("--policies", metavar="A,B,...",
                        help="levels of play, weakest first (default: random,greedy,expert)")
    parser.add_argument("--band", metavar="POINTS", default="5",
                        help="effects of up to +-POINTS percentage points are fine (default: 5)")
    parser.add_argument("--precision", metavar="POINTS",
                        help="as many games as bring every effect to +-POINTS percentage points (default: 0.5)")
    parser.add_argument("--games", metavar="N",
                        help="games per level of play instead; with --precision at most so many")
    parser.add_argument("--seed", metavar="S", help="0 to 2^64 - 1 (default: 1)")
    parser.add_argument("--out", metavar="DIR", default="reports/balance",
                        help="where the page and balance.csv go (default: reports/balance)")
    parser.add_argument("--workers", metavar="W", help="workers (default: the number of processors)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no notes")
    _json(parser)


_WHATIF_HELP = """\
Examples:
  agentsim whatif --set rules.discards=2 --set cards.sentinel.third=5
  agentsim whatif --vary cards.sentinel.third=4:8 --aim first_player=0.5
  agentsim whatif --base rules.mode=advanced --set rules.supply=4
  agentsim whatif --game argh --base rules.players=3 --set cards.cat.value=-5

Both rule sets play the same deals, so differences are differences of one deal and much luck cancels.
--vary takes a:b, a:b:step or a list; --aim a number of the table, by its name: first_player, score_a, draws,
tie_rule, turns, discards, end_catch ..."""


def _whatif(parser: Parser) -> None:
    parser.epilog = _WHATIF_HELP
    parser.add_argument("--game", metavar="NAME", help="the game (default: agent_avenue)")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help="change a rule; may be repeated")
    parser.add_argument("--cards", metavar="FILE", help="a card table (TOML): the change is its cards")
    parser.add_argument("--base", action="append", metavar="KEY=VALUE", help="a rule of both sides; may be repeated")
    parser.add_argument("--base-cards", metavar="FILE", help="a card table of both sides")
    parser.add_argument("--vary", metavar="KEY=a:b", help="compare every value from a to b (a:b:step, or a,b,c)")
    parser.add_argument("--aim", metavar="NAME=NUMBER", help="with --vary: name the value that comes nearest")
    parser.add_argument("--policies", metavar="A,B,...",
                        help="levels of play (default: random,greedy,expert; other games have others)")
    parser.add_argument("--matchups", metavar="PLAN", help="mirrors (default), pairs, round_robin ...")
    parser.add_argument("--games", metavar="N", help="games of each matchup under each rule set (default: 200,000)")
    parser.add_argument("--precision", metavar="POINTS",
                        help="as many games as bring every difference of shares to +-POINTS percentage points")
    parser.add_argument("--seed", metavar="S", help="0 to 2^64 - 1 (default: 1)")
    parser.add_argument("--out", metavar="DIR", help="write a page with charts and tables there")
    parser.add_argument("--workers", metavar="W", help="workers (default: the number of processors)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no notes")
    _json(parser)


_SWEEP_HELP = """\
Examples:
  agentsim sweep planner --vary bluff=-1:1:0.25
  agentsim sweep expert --vary caution=0:1:0.2 --against random,expert:3

All points play the same deals. Weights of the field follow a colon."""


def _against(parser: Parser) -> None:
    parser.add_argument("--against", metavar="A,B:2,...",
                        help="the field, with weights after a colon (default: random,greedy,minmax,expert)")
    _rules_of(parser)
    parser.add_argument("--seed", metavar="S", help="0 to 2^64 - 1 (default: 1)")


def _quietly(parser: Parser) -> None:
    parser.add_argument("--workers", metavar="W", help="workers (default: the number of processors)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no notes")
    _json(parser)


def _sweep(parser: Parser) -> None:
    parser.epilog = _SWEEP_HELP
    parser.add_argument("policy", metavar="POLICY", help="the policy whose parameters are varied")
    parser.add_argument("--vary", action="append", metavar="NAME=a:b:step",
                        help="a parameter and its values (also NAME=a,b,c); once or twice")
    _against(parser)
    parser.add_argument("--games", metavar="N", help="games of each point against each opponent (default: 20,000)")
    parser.add_argument("--out", metavar="DIR", help="write a page and sweep.csv there")
    _quietly(parser)


_TUNE_HELP = """\
Examples:
  agentsim tune expert --only lead,caution,bluff --against random,greedy,minmax
  agentsim tune expert --generations 200 --save mine --out data/tune/mine
  agentsim tune expert --against random,greedy --objective worst

The objective is the mean score over the field, or the worst, or a soft minimum
of the scores, which grows with every one. With a target for every opponent the
worst is that of the margins over them: --target random=95 --target greedy=93.

The only score shown is that of fresh games which the search has not seen. With --out a search that was cut goes on
where it stopped when the same command is given again. A saved preset is played as FILE.toml:NAME."""


def _saving(parser: Parser) -> None:
    parser.add_argument("--save", metavar="NAME", help="keep what was found as a preset of that name")
    parser.add_argument("--presets", metavar="FILE", default="presets.toml",
                        help="the file for --save (default: presets.toml)")


def _tune(parser: Parser) -> None:
    parser.epilog = _TUNE_HELP
    parser.add_argument("policy", metavar="POLICY", help="the policy to start from")
    _against(parser)
    parser.add_argument("--only", metavar="A,B,...", help="the parameters to tune (default: all that matter)")
    parser.add_argument("--objective", metavar="NAME", default="mean",
                        help="what is made large: mean (default), worst or soft-worst of the scores over the field")
    parser.add_argument("--target", action="append", metavar="NAME=PERCENT",
                        help="score that an opponent's counts from; one for each of the field")
    parser.add_argument("--games", metavar="N", help="games of a candidate against each opponent (default: 2,000)")
    parser.add_argument("--population", metavar="N", default="16", help="candidates of a generation (default: 16)")
    parser.add_argument("--generations", metavar="N", default="60", help="generations (default: 60)")
    parser.add_argument("--restarts", metavar="N", default="1", help="searches with seeds of their own (default: 1)")
    parser.add_argument("--validate", metavar="N", default="100k",
                        help="fresh games against each opponent (default: 100,000)")
    _saving(parser)
    parser.add_argument("--out", metavar="DIR", help="keep the search there: it can be cut and goes on")
    _quietly(parser)


_EXPLOIT_HELP = """\
Examples:
  agentsim exploit greedy
  agentsim exploit expert --games 1e8 --out data/exploit/expert

A search finds a lower bound: somebody may beat the policy by more."""


def _exploit(parser: Parser) -> None:
    parser.epilog = _EXPLOIT_HELP
    parser.add_argument("policy", metavar="POLICY", help="the policy to beat")
    _rules_of(parser)
    parser.add_argument("--games", metavar="N", help="games in all, a fifth for validation (default: 10,000,000)")
    parser.add_argument("--method", metavar="M,...", default="cma",
                        help="cma (default; CMA-ES), dp (dynamic programming over the solver's table) or cma,dp")
    parser.add_argument("--starts", metavar="A,B,...",
                        help="where searches begin (default: expert,daredevil_trapper,codebreaker_hunter,discarder)")
    parser.add_argument("--seed", metavar="S", help="0 to 2^64 - 1 (default: 1)")
    _saving(parser)
    parser.add_argument("--out", metavar="DIR", help="keep the search there: it can be cut and goes on")
    _quietly(parser)


_POOL_HELP = """\
Examples:
  agentsim pool --rounds 3
  agentsim pool --policies expert,minmax --rounds 6 --out data/pool

Each round searches a response to the pool's equilibrium; one that wins more than half on fresh deals joins. With --out
a pool that was cut goes on when the same command is given again; responses are played as DIR/pool.toml:br_1."""


def _pool(parser: Parser) -> None:
    parser.epilog = _POOL_HELP
    parser.add_argument("--policies", metavar="A,B,...", default="greedy,minmax,expert",
                        help="the first policies of the pool (default: greedy,minmax,expert)")
    _rules_of(parser)
    parser.add_argument("--rounds", metavar="N", default="4", help="responses at most (default: 4)")
    parser.add_argument("--games", metavar="N", help="games of each pair (default: 40,000)")
    parser.add_argument("--search", metavar="N", default="5M",
                        help="games of a round's search, a fifth for validation (default: 5,000,000)")
    parser.add_argument("--seed", metavar="S", help="0 to 2^64 - 1 (default: 1)")
    parser.add_argument("--out", metavar="DIR", help="keep the pool there: it can be cut and goes on")
    _quietly(parser)


_PLAY_HELP = """\
Examples:
  agentsim play --against expert
  agentsim play --against minmax --mode advanced --seat 0 --save game.txt
  agentsim play --against greedy --players 4

With three or four players you play a whole side, the policy plays the other.
`?` in the game tells what you can type."""


def _table(parser: Parser) -> None:
    parser.add_argument("--mode", metavar="MODE", help="base (default), advanced, division_m or advanced_division_m")
    parser.add_argument("--players", metavar="N", help="2 (default), 3 or 4")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help="change a rule; may be repeated")
    parser.add_argument("--cards", metavar="FILE", help="a card file (TOML): changed and new cards, see docs/cards.md")


def _play(parser: Parser) -> None:
    parser.epilog = _PLAY_HELP
    parser.add_argument("--against", metavar="POLICY", default="expert", help="the other side (default: expert)")
    parser.add_argument("--seat", metavar="SEAT", default="random", help="yours: 0 (begins), 1 or random (default)")
    _table(parser)
    parser.add_argument("--seed", metavar="S", help="0 to 2^64 - 1: the same cards again (default: new ones)")
    parser.add_argument("--save", metavar="FILE", help="write the game there when it ends (docs/notation.md)")


def _tournament(parser: Parser) -> None:
    parser.epilog = """\
Examples:
  agentsim tournament --policies all --games 10M --out reports/tournament
  agentsim tournament --policies ./mine.py:mine --field random,greedy,expert

Every pair plays the same deals until it is decided or the budget ends. With --out a stopped tournament goes on."""
    parser.add_argument("--policies", metavar="A,B,...", help="policies, separated by commas; 'all' is every one")
    parser.add_argument("--field", metavar="A,B,...", help="each of the policies plays these, and nobody else")
    parser.add_argument("--out", metavar="DIR", help="keep what was played, and the tables as CSV and JSON")
    _deciding(parser, "5,000,000")


def _duel(parser: Parser) -> None:
    parser.add_argument("a", metavar="A", help="a policy")
    parser.add_argument("b", metavar="B", help="another")
    _deciding(parser, "2,000,000")


def _deciding(parser: Parser, games: str) -> None:
    parser.add_argument("--games", metavar="N", help=f"the budget, all pairs together (default: {games})")
    parser.add_argument("--margin", metavar="POINTS",
                        help="scores within 50 +-POINTS percentage points are too close to tell (default: 1)")
    parser.add_argument("--seed", metavar="S", help="0 to 2^64 - 1 (default: 1)")
    _rules_of(parser)
    parser.add_argument("--workers", metavar="W", help="workers (default: the number of processors)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no notes")
    _json(parser)


_ADVISE_HELP = """\
Examples:
  agentsim advise position.txt
  agentsim advise game.txt --turn 5 --seat 1
  agentsim advise --run data/logs/mine --game 12 --turn 3 --precision 1

Every legal action is played on to the end in the same hidden worlds: the cards you do not see, dealt anew.
docs/notation.md tells how to write games and positions."""

_REVIEW_HELP = """\
Examples:
  agentsim review game.txt
  agentsim review --run data/logs/mine --game 12 --seat 0 --out review.html"""


def _looking(parser: Parser, default: str, what: str) -> None:
    parser.add_argument("file", nargs="?", metavar="FILE", help=what)
    parser.add_argument("--run", metavar="DIR", help="a run, with --game, in place of a file")
    parser.add_argument("--game", metavar="N", help="the game_id in the run, from 0")
    parser.add_argument("--seat", metavar="SEAT", help="0 or 1: only the decisions of this seat")
    parser.add_argument("--as", dest="as_policy", metavar="POLICY", default="expert",
                        help="how whoever decides plays on (default: expert)")
    parser.add_argument("--against", metavar="POLICY", default="expert",
                        help="how the other side plays, and offered (default: expert)")
    parser.add_argument("--games", metavar="N", help=f"hidden worlds for each decision (default: {default})")
    parser.add_argument("--seed", metavar="S", default="1", help="0 to 2^64 - 1 (default: 1)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar and no notes")
    _json(parser)


def _advise(parser: Parser) -> None:
    parser.epilog = _ADVISE_HELP
    _looking(parser, "10,000", "a position, or a game (its last decision, or that of --turn)")
    parser.add_argument("--turn", metavar="T", help="the turn in the game, from 1: its first decision (of --seat)")
    parser.add_argument("--precision", metavar="POINTS",
                        help="as many worlds as bring every difference to the best to +-POINTS percentage points")


def _review(parser: Parser) -> None:
    parser.epilog = _REVIEW_HELP
    _looking(parser, "4,000", "a game in the notation of docs/notation.md")
    parser.add_argument("--out", metavar="FILE", help="write a page there as well")


def _games(parser: Parser) -> None:
    _json(parser)


def _report(parser: Parser) -> None:
    parser.add_argument("--games", metavar="N", help="games of each matchup (default: as the standard experiment says)")
    parser.add_argument("--out", metavar="DIR", default="reports", help="where the pages go (default: reports)")
    parser.add_argument("--seed", metavar="S", help="0 to 2^64 - 1 (default: as the standard experiment says)")
    parser.add_argument("--workers", metavar="W", help="workers (default: the number of processors)")
    parser.add_argument("--notebooks-only", action="store_true", help="only execute the notebooks")
    parser.add_argument("--quiet", action="store_true", help="print nothing but the path of the pages")


COMMANDS: dict[str, Callable[[Parser], None]] = {
    "simulate": _simulate, "resume": _resume, "extend": _extend, "inspect": _inspect, "replay": _replay,
    "export": _export, "schema": _schema, "cards": _cards, "validate": _validate,
    "new-card": _new_card, "policies": _policies, "rules": _rules, "games": _games,
    "balance": _balance, "whatif": _whatif, "tournament": _tournament, "duel": _duel, "play": _play,
    "advise": _advise, "review": _review, "sweep": _sweep, "tune": _tune, "exploit": _exploit, "pool": _pool,
    "report": _report}
