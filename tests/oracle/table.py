"""What lies on the table in the modes beyond the base game: players, sides, questions to be answered, market events.

A *side* is a player or a team; side 0 starts.  Everything of a side that a team shares (pawns, agents, Black Market
cards) belongs to the side, everything that it does not share (hand, discards) to the player.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .market import MarketCard


class Decision(NamedTuple):
    """A question that the game waits for.

    ==============  ===========================================================================================
    kind            options
    ==============  ===========================================================================================
    ``player_up``   players of a team of two: who plays the face-up card
    ``discard``     None (no further discard), then names of hand cards
    ``face_up``     names of hand cards
    ``face_down``   names of hand cards
    ``take``        True: the face-up card, False: the hidden one
    ``division_m``  spaces of the ring for the side's Division M pawn
    ``market``      Black Market cards as they lie; a card that lies there twice is there twice
    ``member``      players of a team of two: who gains the Black Market card
    ``target``      names of agents, for an effect
    ``recruit``     whether an agent taken back is recruited at once
    ==============  ===========================================================================================

    side: who decides; player: the player within the side whose hand it concerns, None for the whole side.
    """

    kind: str
    side: int
    player: int | None
    options: tuple[Any, ...]


Play = Generator[Decision, Any, None]
"""A part of the game that may ask: yields decisions and is sent the chosen options."""


@dataclass
class Player:
    """One player: a hand, and what was put away face down."""

    hand: list[str] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)


@dataclass
class Side:
    """A player or a team of two, with everything in front of it.

    moves: all spaces the spy pawn has moved, unwrapped; m_space: space of the Division M pawn, None off the board;
    owed: landings on Black Market spaces that are still to be resolved; moved: whether the spy pawn has moved in this
    turn; ongoing: Black Market cards in the order in which they were taken.
    """

    number: int
    home: int
    ring: int
    players: list[Player]
    agents: dict[str, int]
    ongoing: list[MarketCard] = field(default_factory=list)
    moves: int = 0
    m_space: int | None = None
    owed: int = 0
    moved: bool = False

    @property
    def space(self) -> int:
        """The space of the ring on which the spy pawn stands."""
        return (self.home + self.moves) % self.ring

    @property
    def is_team(self) -> bool:
        """Two players share this side."""
        return len(self.players) == 2

    @property
    def names_in_play(self) -> list[str]:
        """Names of the agents in play, in table order."""
        return [name for name, count in self.agents.items() if count > 0]


@dataclass
class MarketEvent:
    """What a Black Market card did, for the log: the agent that was chosen and the agent that was recruited."""

    owner: Side
    target: str | None = None
    recruited: str | None = None

    def note_target(self, side: Side, agent: str) -> None:
        """Remember the agent that ``side`` chose; what the card's owner chose goes before what the opponent chose."""
        if side is self.owner or self.target is None:
            self.target = agent

    def note_recruited(self, side: Side, agent: str) -> None:
        """Remember the agent that ``side`` recruited, the card's owner before the opponent."""
        if side is self.owner or self.recruited is None:
            self.recruited = agent
