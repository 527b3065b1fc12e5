"""Putting cards where a written game says that they were: decks stacked, cards that nobody saw exchanged.

The engine shuffles while it draws: draw ``k`` exchanges the place ``k`` with one that the deal's stream picks. Any
order is had by undoing these exchanges from the last to the first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.notation.record import State, members
from agentsim.games.agent_avenue.rules import N_CARDS
from agentsim.games.agent_avenue.zones import count, one
from agentsim.rng import below, word

__all__ = ["Hidden", "hand_places", "stack_deck", "stack_pile"]

_MARKET_WORDS = 128


def hand_places(game: State) -> list[tuple[int, int]]:
    """Where in the state the hands and, with each, the discarded cards of its player stand; players in seat order."""
    if not isinstance(game, ModeState):
        return [(e.HAND + seat, e.TOSSED + seat) for seat in (0, 1)]
    return [(x.HANDS + 2 * seat + player, x.GONE + 2 * seat + player)
            for seat in (0, 1) for player in range(members(game, seat))]


def _stack(state: NDArray[np.int64], first: int, taken: int, n: int, offset: int, order: list[int]) -> None:
    """Arrange the places ``taken ..`` of the ``n`` from ``first`` on so that draws bring ``order``."""
    stream = state[e.DEAL:e.DEAL + 1].view(np.uint64)[0]
    state[first + taken:first + n] = order
    for k in range(n - 1, taken - 1, -1):
        pick = k + int(below(np.uint64(word(stream, offset + k)), n - k))
        state[first + k], state[first + pick] = state[first + pick], state[first + k]


def stack_deck(state: NDArray[np.int64], table: NDArray[np.int64], wanted: list[int]) -> None:
    """Let these agents, which are in the deck, be drawn next, in this order."""
    n, taken = int(table[N_CARDS]), int(state[e.DRAWN])
    rest = sorted(int(name) for name in state[e.DECK + taken:e.DECK + n])
    for name in wanted:
        rest.remove(name)
    _stack(state, e.DECK, taken, n, 0, wanted + rest)


def stack_pile(state: NDArray[np.int64], copies: list[int]) -> None:
    """Let these copies, which are in the Black Market pile, come next, in this order."""
    n, taken = int(state[x.N_PILE]), int(state[x.BOARD])
    rest = sorted(int(copy) for copy in state[x.PILE + taken:x.PILE + n])
    for copy in copies:
        rest.remove(copy)
    _stack(state, x.PILE, taken, n, _MARKET_WORDS, copies + rest)


class Hidden:
    """A position some of whose hidden cards are known from the record; the others are placeholders.

    ``known``: by the place of a zone in the state, the cards in it that are known.
    """

    def __init__(self, game: State) -> None:
        self.places = hand_places(game)
        self.known = {place: 0 for pair in self.places for place in pair}

    def hold(self, state: NDArray[np.int64], table: NDArray[np.int64], place: int, name: int, least: int) -> bool:
        """See to it that ``least`` cards of that name in a zone are known, exchanging placeholders.

        False if that cannot be: no placeholder is left there, or no card of the name is anywhere unseen.
        """
        while count(self.known[place], name) < least:
            free = int(state[place]) - self.known[place]
            if count(free, name) == 0:
                if free == 0 or not self._exchange(state, table, place, name, int(_lowest(free))):
                    return False
            self.known[place] += int(one(name))
        return True

    def into_deck(self, state: NDArray[np.int64], table: NDArray[np.int64], wanted: list[int]) -> bool:
        """See to it that the deck holds these agents: False if they are known to be elsewhere."""
        first, last = e.DECK + int(state[e.DRAWN]), e.DECK + int(table[N_CARDS])
        spare = [int(name) for name in state[first:last]]
        for name in wanted:
            if name in spare:
                spare.remove(name)
                continue
            if not spare:
                return False
            place = self._elsewhere(state, name, -1)
            if place < 0:
                return False
            out = spare.pop()
            at = first + next(i for i, card in enumerate(state[first:last]) if card == out)
            state[at] = name
            state[place] += int(one(out)) - int(one(name))
        return True

    def _elsewhere(self, state: NDArray[np.int64], name: int, but: int) -> int:
        for place in self.known:
            if place != but and count(int(state[place]) - self.known[place], name) > 0:
                return place
        return -1

    def _exchange(self, state: NDArray[np.int64], table: NDArray[np.int64], place: int, name: int, out: int) -> bool:
        """A placeholder of the name from elsewhere for one that lies here."""
        first, last = e.DECK + int(state[e.DRAWN]), e.DECK + int(table[N_CARDS])
        for at in range(first, last):
            if state[at] == name:
                state[at] = out
                break
        else:
            other = self._elsewhere(state, name, place)
            if other < 0:
                return False
            state[other] += int(one(out)) - int(one(name))
        state[place] += int(one(name)) - int(one(out))
        return True

    def moved_on(self, before: NDArray[np.int64], after: NDArray[np.int64], unknown: list[int],
                 drawers: list[int]) -> None:
        """What is known after an action, for which every named card was held.

        ``unknown`` cards were drawn unseen, by some of the players ``drawers`` (their numbers in ``places``).
        """
        hands = {self.places[number][0] for number in drawers}
        for place in self.known:
            free = int(before[place]) - self.known[place]
            known = 0
            for name in range(15):
                unseen = unknown.count(name) if place in hands else 0
                sure = int(count(int(after[place]), name)) - int(count(free, name)) - unseen
                known += max(sure, 0) << (4 * name)
            self.known[place] = known

    def sees(self, state: NDArray[np.int64], place: int) -> bool:
        """Whether all cards of a zone are known."""
        return self.known[place] == int(state[place])


def _lowest(zone: int) -> int:
    return next(name for name in range(15) if (zone >> (4 * name)) & 15)


