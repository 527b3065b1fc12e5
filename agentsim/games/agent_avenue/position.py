"""What positions of all modes share: the rules, the engine's vector, and what is read off it alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.ruleset import Rules

__all__ = ["Position"]


@dataclass(frozen=True, eq=False)
class Position:
    """A position; ``state`` is the engine's vector (do not write to it), ``table`` the compiled rules.

    Two positions are equal if their rules and everything in them are, the order of the deck (and pile) included.
    """

    rules: Rules
    table: NDArray[np.int64]
    state: NDArray[np.int64]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[Rules, bytes, bytes]:
        # The compiled rules also tell which side is one player when three play.
        return self.rules, self.table.tobytes(), self.state.tobytes()

    @property
    def is_over(self) -> bool:
        return bool(self.state[e.PHASE] == e.OVER)

    @property
    def winner(self) -> int | None:
        """The seat that won; None for a draw and while the game goes on."""
        winner = int(self.state[e.WINNER])
        return winner if self.is_over and winner >= 0 else None

    @property
    def end_reason(self) -> str | None:
        """What the winner won by; None while the game goes on."""
        return self.rules.end_reasons[int(self.state[e.REASON])] if self.is_over else None

    @property
    def tie_rule_used(self) -> bool:
        """Whether the tie rule decided the game."""
        return bool(self.state[e.TIE])

    @property
    def active(self) -> int:
        """The seat whose turn it is."""
        return int(self.state[e.ACTIVE])

    @property
    def turn(self) -> int:
        """Number of the turn, from 0."""
        return int(self.state[e.TURN])

    @property
    def lead(self) -> int:
        """Moves of seat 0 minus moves of seat 1, in spaces."""
        return int(self.state[e.LEAD])

    @property
    def deck_left(self) -> int:
        """Agent cards in the deck."""
        return int(e.deck_left(self.state, self.table))
