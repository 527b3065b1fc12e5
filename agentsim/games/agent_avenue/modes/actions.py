"""What may be done in any mode, as objects that read well, and the engine's numbers for them.

Base mode's :class:`Offer`, :class:`Discard` and :class:`Take`, and one kind of action for every further question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.step import Discard, Offer, Take
from agentsim.games.agent_avenue.view import DISCARD

__all__ = ["Action", "Discard", "FaceDown", "FaceUp", "Gain", "MoveDivisionM", "Offer", "PickCard", "PlayerUp",
           "RecruitAgain", "Take", "Target", "answers"]


@dataclass(frozen=True, order=True)
class PlayerUp:
    """A team: which member plays the face-up card."""

    player: int

    def __str__(self) -> str:
        return f"player {self.player} plays the face-up card"


@dataclass(frozen=True, order=True)
class FaceUp:
    """A member of a team lays the face-up card."""

    name: str

    def __str__(self) -> str:
        return f"lay {self.name} face up"


@dataclass(frozen=True, order=True)
class FaceDown:
    """Its partner lays the face-down card."""

    name: str

    def __str__(self) -> str:
        return f"lay {self.name} face down"


@dataclass(frozen=True, order=True)
class PickCard:
    """Take a Black Market card. ``nth``: of several copies that lie there, which from the left, from 0."""

    card: str
    nth: int = 0

    def __str__(self) -> str:
        return f"pick {self.card}" + (f" (copy {self.nth + 1} from the left)" if self.nth else "")


@dataclass(frozen=True, order=True)
class Gain:
    """A team: which member gains the Black Market card; an effect on a hand is on that member's."""

    member: int

    def __str__(self) -> str:
        return f"player {self.member} gains it"


@dataclass(frozen=True, order=True)
class Target:
    """The agent that an effect is about."""

    agent: str

    def __str__(self) -> str:
        return f"choose {self.agent}"


@dataclass(frozen=True, order=True)
class RecruitAgain:
    """Whether the agent just taken back is recruited at once."""

    recruit: bool

    def __str__(self) -> str:
        return "recruit it at once" if self.recruit else "keep it in hand"


@dataclass(frozen=True, order=True)
class MoveDivisionM:
    """Move the own Division M pawn: so many spaces, negative ones backward, 0 to stay."""

    steps: int

    def __str__(self) -> str:
        return f"move the Division M pawn {self.steps:+d}" if self.steps else "leave the Division M pawn"


Action: TypeAlias = (Offer | Discard | Take | PlayerUp | FaceUp | FaceDown | PickCard | Gain | Target | RecruitAgain
                     | MoveDivisionM)


def answers(ask: int, options: int, names: tuple[str, ...],
            supply: tuple[str, ...]) -> tuple[tuple[Action, int], ...]:
    """The actions that a question may be answered with, and their numbers, in table order.

    ``ask`` and ``options`` are the engine's question (``layout.py``), ``supply`` the Black Market cards that lie there.
    In questions about hand cards not all of them need be legal.
    """
    # The supply is part of what can be told apart only where a card of it is picked.
    return _answers(ask, options, names, supply if ask == x.ASK_MARKET else ())


@lru_cache(maxsize=1024)
def _answers(ask: int, options: int, names: tuple[str, ...],
             supply: tuple[str, ...]) -> tuple[tuple[Action, int], ...]:
    return tuple(_listed(ask, options, names, supply))


def _listed(ask: int, options: int, names: tuple[str, ...], supply: tuple[str, ...]) -> Iterator[tuple[Action, int]]:
    numbered = list(enumerate(names))
    if ask == x.ASK_PLAY:
        yield from ((Offer(up, down), 16 * i + j) for i, up in numbered for j, down in numbered)
    elif ask == x.ASK_PLAYER_UP:
        yield from ((PlayerUp(player), player) for player in (0, 1))
    elif ask == x.ASK_FACE_UP:
        yield from ((FaceUp(name), i) for i, name in numbered)
    elif ask == x.ASK_FACE_DOWN:
        yield from ((FaceDown(name), i) for i, name in numbered)
    elif ask == x.ASK_TAKE:
        yield from ((Take("face_up"), 1), (Take("hidden"), 0))
    elif ask == x.ASK_MARKET:
        yield from ((PickCard(card, supply[:place].count(card)), place) for place, card in enumerate(supply))
    elif ask == x.ASK_MEMBER:
        yield from ((Gain(member), member) for member in (0, 1))
    elif ask == x.ASK_TARGET:
        yield from ((Target(name), i) for i, name in numbered if (options >> (4 * i)) & 1)
    elif ask == x.ASK_RECRUIT:
        yield from ((RecruitAgain(True), 1), (RecruitAgain(False), 0))
    elif ask == x.ASK_M:
        reach = options // 2
        yield from ((MoveDivisionM(step - reach), step) for step in range(options))
    if ask in (x.ASK_PLAY, x.ASK_FACE_UP, x.ASK_FACE_DOWN):
        yield from ((Discard(name), DISCARD + i) for i, name in numbered)
