"""The End step in every mode, on the table as it lies then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .agent_avenue import Ending, holds_a_set
from .table import Side

if TYPE_CHECKING:
    from .modes import ModeGame


def win_conditions(game: ModeGame, side: Side) -> list[str]:
    """Everything this side wins by now, in the order in which logs name it."""
    rules = game.rules
    rival = game.rival(side)
    gained = game.lead if side.number == 0 else -game.lead
    found = []
    if gained >= rules.distance(side.number):
        found.append("catch")
    if holds_a_set(side.agents, rules.winning_sets):
        found.append("codebreakers")
    held = {card.name: card for card in side.ongoing}
    found += [name for name in rules.market_cards if name in held and held[name].wins(game, side)]
    trapped = side.m_space is not None and side.m_space == rival.space
    if trapped and (rules.m_trap == "standing" or rival.moved):
        found.append("division_m")
    return found


def has_lost(game: ModeGame, side: Side) -> bool:
    """Whether this side holds a losing set that no card of its own spares it."""
    return any(
        side.agents[name] >= size and not any(card.spares(name) for card in side.ongoing)
        for name, size in game.rules.losing_sets.items()
    )


def cannot_play(game: ModeGame, side: Side) -> bool:
    """Whether a side that is next has too few hand cards: nobody in a team may be without, a single player needs 2."""
    needed = 1 if side.is_team else 2
    return any(len(player.hand) < needed for player in side.players)


def end_step(game: ModeGame) -> Ending | None:
    """Check everything at once, with pawns and cards as they are now; None when play goes on."""
    rules = game.rules
    sides = game.sides
    won = [win_conditions(game, side) for side in sides]
    lost = [has_lost(game, side) for side in sides]

    tie = False
    if (won[0] and won[1]) or (lost[0] and lost[1]) or (won[0] and lost[0]) or (won[1] and lost[1]):
        tie = True
        winner = rules.tie_winner(game.active)
    elif won[0] or lost[1]:
        winner = 0
    elif won[1] or lost[0]:
        winner = 1
    elif not game.deck and cannot_play(game, game.rival(game.active_side)):
        to_go = [rules.distance(0) - game.lead, rules.distance(1) + game.lead]
        if to_go[0] == to_go[1]:
            return Ending(rules.tie_winner(game.active), "out_of_cards", True)
        return Ending(0 if to_go[0] < to_go[1] else 1, "out_of_cards", False)
    else:
        return None

    order = ["catch", "codebreakers", *rules.market_cards, "division_m"]
    won_by = {reason for side in ((0, 1) if winner is None else (winner,)) for reason in won[side]}
    reason = next((each for each in order if each in won_by), "daredevils")
    return Ending(winner, reason, tie)
