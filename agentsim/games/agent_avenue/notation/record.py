"""A game as data: the rules, what was dealt, and every action with the cards that came after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.actions import Action
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.step import GameState

__all__ = ["UNKNOWN", "GameRecord", "Ply", "State", "members", "record_of", "result_text"]

State = GameState | ModeState
UNKNOWN = "?"
"""A card that whoever wrote the game down does not know."""


@dataclass(frozen=True)
class Ply:
    """One action and what chance brought right after it.

    ``draws``: the cards off the deck in their order, :data:`UNKNOWN` where one was not seen; empty if none was or all
    are unknown. ``refill``: the Black Market card laid in a gap. A discarded card, and in an offer that nobody has
    answered yet the face-down one, may be :data:`UNKNOWN`. ``line``, ``turn``, ``seat``: where it stands in a file, and
    what that says of turn (from 1) and seat, 0 and -1 if nothing.
    """

    action: Action
    draws: tuple[str, ...] = ()
    refill: str = ""
    line: int = field(default=0, compare=False)
    turn: int = field(default=0, compare=False)
    seat: int = field(default=-1, compare=False)


@dataclass(frozen=True)
class GameRecord:
    """A whole game, or its beginning.

    ``names``: what the seats are called. ``deal``: seed and number of the deal that fixed all cards, where there was
    one. ``lone``: the side that is one player when three play. ``hands``: by seat and player, as dealt, where known.
    ``market``: the Black Market cards that lay face up at the start. ``result``: as :func:`result_text` writes it, ""
    if the game is not over or nothing is said. ``where``: the file.
    """

    rules: Rules
    plies: tuple[Ply, ...]
    names: tuple[str, str] = ("", "")
    deal: tuple[int, int] | None = None
    lone: int | None = None
    hands: Mapping[tuple[int, int], tuple[str, ...]] = field(default_factory=dict)
    market: tuple[str, ...] = ()
    result: str = ""
    where: str = field(default="", compare=False)
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)

    def at(self, line: int) -> str:
        """A place in the file, for an error."""
        return ", ".join(part for part in (self.where or "game", f"line {line}" if line else "") if part)


def members(game: State, seat: int) -> int:
    """How many players a seat has."""
    return game.players(seat) if isinstance(game, ModeState) else 1


def result_text(game: State) -> str:
    """How a game that is over ended, in the words of the notation."""
    who = "nobody wins" if game.winner is None else f"seat {game.winner} wins"
    return f"{who} by {game.end_reason}" + (" (tie rule)" if game.tie_rule_used else "")


def record_of(course: Sequence[tuple[State, Any]], *, names: tuple[str, str] = ("", ""),
              deal: tuple[int, int] | None = None) -> GameRecord:
    """The record of a game that was played: its positions, each with the action taken in it, the last with None."""
    start, end = course[0][0], course[-1][0]
    hands = {(seat, player): _cards(start.hand(seat, player) if isinstance(start, ModeState) else start.hand(seat))
             for seat in (0, 1) for player in range(members(start, seat))}
    plies = []
    for (game, action), (after, _) in pairwise(course):
        first, last = int(game.state[e.DRAWN]), int(after.state[e.DRAWN])
        draws = tuple(game.rules.names[int(name)] for name in after.state[e.DECK + first:e.DECK + last])
        plies.append(Ply(action, draws, _refill(game, after)))
    lone, market = (start.lone, start.supply) if isinstance(start, ModeState) else (None, ())
    return GameRecord(start.rules, tuple(plies), names, deal, lone, hands, market,
                      result_text(end) if end.is_over else "")


def _refill(game: State, after: State) -> str:
    """The Black Market card that came off the pile between two positions."""
    if not isinstance(game, ModeState) or after.state[x.BOARD] == game.state[x.BOARD]:
        return ""
    copy = int(after.state[x.PILE + int(game.state[x.BOARD])])
    return game.rules.market_cards[int(game.table[x.COPY + copy])].id


def _cards(cards: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(name for name, copies in cards.items() for _ in range(copies))
