"""One game of a run, retold in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from agentsim.games.base import PolicyRef
from agentsim.games.shady_agents import engine as e
from agentsim.games.shady_agents.replay import make_player, play_one
from agentsim.games.shady_agents.rules import Rules
from agentsim.games.shady_agents.step import Call, GameState, Give

__all__ = ["tell_game"]

_SIDE = {"law": "law-abiding", "crooked": "crooked"}
_BY = {"points": "by points", "medkits": "with equal points by medkits", "draw": "with points and medkits level",
       "tie_rule": "with points and medkits level, by the rule for ties"}


def tell_game(rules: Rules, matchup: Sequence[PolicyRef], number: int, turns: int, seed: int, index: int) -> str:
    """Play game ``index`` of matchup ``number`` again and tell it turn by turn; ``turns``: seatings of the matchup."""
    course = play_one(seed, number, index, turns, rules, [make_player(ref, rules) for ref in matchup])
    per_deal = turns * rules.players
    labels = [matchup[(seat + index % per_deal % turns) % rules.players].label for seat in range(rules.players)]
    who = [f"seat {seat} ({label})" for seat, label in enumerate(labels)]
    start, end = course[0][0], course[-1][0]
    lines = [f"Game {index} of matchup {number} (deal {index // per_deal}, seed {seed}): {', '.join(labels)}."]
    for side in ("law", "crooked"):
        seats = ", ".join(who[seat] for seat in range(rules.players) if start.roles[seat] == side)
        lines.append(f"  {_SIDE[side]}: {seats}")
    if start.smaller_side is not None:
        lines.append(f"  The {_SIDE[start.smaller_side]} side is one player smaller and gets {rules.odd_bonus:+d}.")
    for (game, action), (after, _) in pairwise(course):
        seat = game.to_move
        match action:
            case Give(tool, other):
                same = game.roles[seat] == game.roles[other]
                whom = "itself" if other == seat else f"{who[other]}, {'a friend' if same else 'an enemy'}"
                sure = "" if other == seat else f" ({_belief(game, seat, other, same)} by what it knew)"
                lines.append(f"Turn {game.turn + 1}: {who[seat]} gives its {tool} to {whom}{sure}.")
            case Call(thrown):
                price = "keeps both tools" if thrown is None else f"throws its {thrown} away"
                lines.append(f"Turn {game.turn + 1}: {who[seat]} {price} and calls an interrogation.")
                lines += _talk(after, who)
        fresh = [who[other] for other in range(rules.players) if after.resets[other] > game.resets[other]]
        if fresh:
            lines.append(f"    The evidence contradicts itself for {', '.join(fresh)}: back to the start.")
    score = ", ".join(f"{_SIDE[side]} {end.side_points[side]:+d} ({end.side_medkits[side]} medkits)"
                      for side in ("law", "crooked"))
    winner = "nobody wins" if end.winner is None else f"the {_SIDE[end.winner]} side wins"
    lines.append(f"After {rules.turns} turns {winner} {_BY[str(end.end_reason)]}: {score}.")
    return "\n".join(lines)


def _belief(game: GameState, seat: int, other: int, same: bool) -> str:
    friend = game.observe(seat).friend[other]
    return f"{friend if same else 1 - friend:.0%}"


def _talk(game: GameState, who: list[str]) -> list[str]:
    """The interrogation just held: who says what, and how many others know better."""
    question = game.interrogations - 1
    heard = [{said.speaker: said for said in game.observe(seat).statements if said.question == question}
             for seat in range(game.players)]
    lines = []
    for speaker, said in heard[0].items():
        verdicts = [heard[seat][speaker].verdict for seat in range(game.players) if seat != speaker]
        lie = bool(game.state[e.TRUTH + question] >> speaker & 1) != said.yes
        lines.append(f"    {who[speaker]} says {'yes' if said.yes else 'no'}, {'a lie' if lie else 'the truth'}; "
                     f"{verdicts.count(True)} find it true, {verdicts.count(False)} false.")
    return lines
