"""The page "Method and limits": what was played and how to play it again, which intervals, which checks, who plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from agentsim.games.base import get_game
from agentsim.report import Block, Column, Heading, Table, Text
from agentsim.runs import Run
from agentsim.stats import anchor_test
from analyses.common import CHANCE_FAMILIES, percent, smallest
from analyses.standard import NEW_GAMES, Planned, market_size, modes_deals, own_games

__all__ = ["anchors", "blocks", "experiments", "policies"]

_INTERVALS = """
| what | interval |
|---|---|
| shares of games with one game a deal | Wilson's score interval |
| scores of pairs that play each deal twice, seats swapped | the same score interval on the mean of a deal's two games |
| anything counted per turn, take or card | ratio with a variance clustered by deal, closed by the score interval |
| effects from the coin | difference of two such ratios over the same deals (MOVER, with their correlation) |
| what taking a card changes, from uniform picks | difference of two Hajek means (MOVER) |
| what a card does against a blank, from forks | score interval on the mean of the paired differences |
| two rule sets on the same deals | the same on the differences of the deals; Student's t for lengths |
| many cells at once | each at the level at which all hold together with 95 % (Sidak); each table names its family |
| means over matchups that share deals | standard errors added up, right for any correlation and on the wide side |
"""

_LIMITS = """
- The policies are no sample of all ways to play. "Strongest" means the strongest of these.
- Intervals say how far chance may have moved a number in this many games. They do not say how far other policies, other
  parameters or people at a table would move it.
- Mistakes and "better" cards are judged by the policy greedy's value of one exchange, with the hidden card known. It is
  a yardstick that is the same for all and not the truth: strong policies look further.
- Effects of cards are those for a receiver that chooses by a coin and plays on like that. A card is worth more to
  somebody who knows what to do with it.
- The card that a receiver leaves goes to the other player. The effect of getting a card thus includes that the other
  one does not get it, and gets the other card of the offer instead.
- What a Black Market card is worth is measured at three levels of play, against the other cards of this market and with
  picks by chance. In a market of other cards, or at a table, it may be worth something else.
- Division M's agent and Black Market cards are stand-ins of this project. Nothing here is about the real ones.
- Shady Agents is a model of information and not of persuasion: statements can be checked, nobody is talked round.
- Win rates of owners, and chances to win by lead, compare different situations and not the same one with and without.
  They are marked as confounded where somebody might read an effect into them.
"""


def experiments(planned: Sequence[Planned], runs: Mapping[str, Run]) -> pd.DataFrame:
    """One row per experiment: ``name, matchups, games, all_games, n_deals, seed, log, digest, command``."""
    return pd.DataFrame([{
        "name": item.experiment.name, "matchups": len(item.experiment.matchups), "games": item.experiment.games,
        "all_games": runs[item.key].n_games, "n_deals": int(runs[item.key].matchups["n_deals"].max()),
        "seed": str(item.experiment.seed), "log": item.experiment.log, "digest": runs[item.key].digest()[:16],
        "command": item.command,
    } for item in planned])


def policies(run: Run) -> pd.DataFrame:
    """One row per policy: ``policy, family, idea, changed`` (parameters that differ from the family's defaults)."""
    game = get_game(run.experiment.game)
    shipped = {ref.label: ref for ref in game.policies()}
    rows = []
    for ref in run.experiment.policies:
        base = shipped.get(ref.family)
        usual = dict(base.params) if base is not None else {}
        changed = ", ".join(f"{name} = {value:g}" for name, value in ref.params.items() if usual.get(name) != value)
        rows.append({"policy": ref.label, "family": ref.family, "idea": ref.idea, "changed": changed})
    return pd.DataFrame(rows)


def anchors(run: Run) -> pd.DataFrame:
    """The exact anchor in the mirrors of the chance policies; ``run`` needs a log of games.

    Columns ``policy, n_games, n_decided, share, low, high, p_value, excess, expected, violations``.
    """
    rows = []
    families = {policy.label: policy.family for policy in run.experiment.policies}
    for _, matchup in run.matchups[run.matchups["mirror"]].iterrows():
        policy = str(matchup["policy_a"])
        if families[policy] not in CHANCE_FAMILIES or not matchup["n_games"]:
            continue
        games = run.sql("SELECT winner, tie_rule, n_turns FROM games WHERE matchup_id = $matchup",
                        matchup=int(matchup["matchup_id"]))
        found = anchor_test(games["winner"], games["tie_rule"], games["n_turns"], rule=run.rules["rules.tie_rule"])
        rows.append({"policy": policy, "n_games": found.n_games, "n_decided": found.n_decided,
                     "share": found.share.estimate, "low": found.share.low, "high": found.share.high,
                     "p_value": found.p_value, "excess": found.excess, "expected": found.expected_excess,
                     "violations": found.tie_rule_violations + found.drawn_decided})
    return pd.DataFrame(rows, columns=["policy", "n_games", "n_decided", "share", "low", "high", "p_value", "excess",
                                       "expected", "violations"])


def blocks(planned: Sequence[Planned], runs: Mapping[str, Run]) -> list[Block]:
    """All blocks of the page."""
    played = experiments(planned, runs)
    return [
        Heading("What was played", "played"),
        Text(f"{int(played['all_games'].sum()):,} games in {len(played)} experiments. The unit of every number is the "
             "*deal*: the cards that chance brings, whoever draws them. Two different policies play each deal twice "
             "with the seats swapped, a policy against itself plays it once, and all matchups of an experiment play "
             "the same deals. Each command plays one of the experiments again, game by game the same (add `--out DIR` "
             "to keep it)."),
        Table(played, "experiments", "Experiments", {
            "name": Column("experiment"), "matchups": Column("matchups", "int"), "games": Column("games each", "int"),
            "all_games": Column("games in all", "int"), "n_deals": Column("deals", "int"), "seed": Column("seed"),
            "log": Column("log"), "digest": Column("digest", help="Content digest, its first 16 digits."),
        }, rows=20),
        Text("\n".join(["```", *played["command"], "```"])),
        Text(_beside(planned)),
        Heading("Who plays", "policies"),
        Text(f"The policies of {get_game(runs['standard'].experiment.game).title}; `agentsim policies --game NAME` "
             "lists those of the other games."),
        Table(policies(runs["standard"]), "policies", "Policies", {
            "policy": Column("policy"), "family": Column("family"), "idea": Column("idea"),
        }, note="The download also lists the parameters that differ from the family's defaults.", rows=30),
        Heading("Intervals", "intervals"),
        Text("Every number stands with the number of games or deals behind it and an interval of 95 %. Games of one "
             "deal and turns of one game are not independent, so all intervals treat the deal as the "
             f"unit.\n{_INTERVALS}"),
        Heading("A check that can fail", "check"),
        *_anchor_blocks(runs["standard_mirrors"]),
        Heading("Limits", "limits"),
        Text(_LIMITS),
    ]


def _beside(planned: Sequence[Planned]) -> str:
    """What the analyses have played themselves, which no run holds."""
    size, market = market_size(planned), next(item for item in planned if item.key == "standard_market").experiment
    levels = ", ".join(f"`{policy.label}`" for policy in market.policies)
    return (f"Beside these the page *Black Market* rests on games of its own, for each of {levels}: {size.games:,} "
            f"with picks by chance, as many forks, {size.blanks:,} and as many forks in a market with blanks, "
            f"{size.landings:,} with every landing kept. `agentsim balance --games {size.games} --seed {market.seed}` "
            f"plays the first two again. The page *Modes* rests on {modes_deals(planned):,} deals of every mode and "
            f"level.{_other_games(planned)}")


def _other_games(planned: Sequence[Planned]) -> str:
    """What the pages of the other games have played beside their runs."""
    return "".join(
        f" The page *{get_game(item.experiment.game).title}* plays experiments of its own, "
        f"{own_games(planned, item.key):,} games or a stated part of that per cell; each number there has its n."
        for item in planned if item.key in NEW_GAMES)


def _anchor_blocks(run: Run) -> list[Block]:
    found = anchors(run)
    text = ("Under play by chance a fair coin decides who gets which card and nothing else depends on it. The starter "
            "therefore wins *exactly* half of the games that no tie rule decides, whatever the cards; and the excess "
            "over half of all games is half the difference between ties with seat 0 and with seat 1 active.")
    if not len(found):
        return [Text(text), Text("No policy of this run plays by chance.", "note")]
    worst = smallest(found, "p_value")
    holds = bool((found["violations"] == 0).all() and worst["p_value"] > 0.001)
    verdict = (f"It holds: no game was decided against the tie rule, and the least p-value of {len(found)} is "
               f"{worst['p_value']:.2f}." if holds else
               f"It does **not** hold: {int(found['violations'].sum())} games contradict the tie rule, the least "
               f"p-value is {worst['p_value']:.2g}. Do not trust this report.")
    return [Text(text), Text(verdict, "note" if holds else "warning"), Table(found, "anchor", "The exact anchor", {
        "policy": Column("policy against itself"), "n_games": Column("games", "int"),
        "n_decided": Column("without a tie rule", "int"),
        "share": Column("of these won by the starter", "percent", "low", "high", help="Should cover 50 %."),
        "p_value": Column("p", "number", decimals=3),
        "excess": Column("excess over half, all games", "points", decimals=3),
        "expected": Column("expected from the ties", "points", decimals=3),
        "violations": Column("violations", "int"),
    }, note=f"Family-wise, one p-value below {percent(0.05, 0)} in twenty is to be expected.")]
