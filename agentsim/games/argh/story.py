"""One game of a run, retold in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from agentsim.games.argh import engine as e
from agentsim.games.argh.replay import make_player, play_one
from agentsim.games.argh.rules import Rules
from agentsim.games.argh.step import Answer, Draw, GameState, Keep, OfferTo, Pass, Peek, Steal, count_cards
from agentsim.games.base import PolicyRef

__all__ = ["tell_game"]

_BY = {"bomb": "with two bomb parts face up", "bomb_reveal": "with two bomb parts after the reveal",
       "points": "by points", "high_card": "by the highest card", "shared": "with equal points and cards",
       "nobody": "for everybody has an odd number of spies"}


def tell_game(rules: Rules, matchup: Sequence[PolicyRef], number: int, per_deal: int, seed: int, index: int) -> str:
    """Play game ``index`` of matchup ``number`` again and tell it turn by turn."""
    course = play_one(seed, number, index, per_deal, rules, [make_player(ref, rules) for ref in matchup])
    labels = [matchup[(seat + index % per_deal) % rules.players].label for seat in range(rules.players)]
    who = [f"seat {seat} ({label})" for seat, label in enumerate(labels)]
    name = {card.id: card.name() for card in rules.cards}
    lines = [f"Game {index} of matchup {number} (deal {index // per_deal}, seed {seed}): {', '.join(labels)}."]
    for (game, action), (after, _) in pairwise(course):
        me = who[game.to_move]
        drawn = name[rules.names[int(after.state[e.CARD])]] if after.state[e.CARD] >= 0 else ""
        match action:
            case Draw(pile):
                lines.append(f"Turn {game.turn + 1}: {me} draws {drawn} from the {pile} pile")
            case Keep():
                lines[-1] += " and keeps it face down."
            case OfferTo(seat):
                lines[-1] += f" and offers it to {who[seat]}"
            case Answer(accept):
                lines[-1] += ", who accepts." if accept else f", who refuses: it lies before {who[game.active]}."
            case Steal(seat, pile, number_):
                card = rules.names[int(game.state[e.DECK + game.number(pile, number_)])]
                lines.append(f"Turn {game.turn + 1}: {me} steals {name[card]} ({pile}) from {who[seat]}.")
            case Peek(pile, number_):
                card = rules.names[int(game.state[e.DECK + game.number(pile, number_)])]
                lines.append(f"    The owl shows {me} {name[card]}, put aside from the {pile} pile.")
            case Pass():
                lines.append(f"Turn {game.turn + 1}: {me} can do nothing and passes.")
        if after.last_round is not None and game.last_round is None:
            lines.append("    A pile is empty: the last round begins.")
    end = course[-1][0]
    lines += [_final(end, seat, who[seat], name) for seat in range(rules.players)]
    winners = " and ".join(who[seat] for seat in end.winners) or "nobody"
    lines.append(f"After {end.turn + 1} turns {winners} {'win' if len(end.winners) > 1 else 'wins'} "
                 f"{_BY[str(end.end_reason)]}.")
    return "\n".join(lines)


def _final(end: GameState, seat: int, who: str, name: dict[str, str]) -> str:
    cards = end.face_up(seat) + end.held(seat)
    total, even = count_cards(cards, end.rules)
    shown = [name[card] for card in end.face_up(seat)]
    listed = ", ".join(shown + [f"{name[card]} (hidden)" for card in end.held(seat)])
    return f"  {who}: {listed or 'no cards'}; {total:+d} points" + ("." if even else ", odd spies.")
