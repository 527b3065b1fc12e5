"""Public states of the base game: what both players see, as far as the solver tells it apart.

A *public state* is the lead and, for each player, how many copies of each agent lie before it, counted 0, 1, 2 (2 or
more). That is exact for what the agents do: a third copy completes a set and ends the game, and further copies move
alike from the third on. Agents that move the same with every copy and complete nothing (sidekick, mole) are not counted
at all. Not in the state, and therefore averaged over: the hands, the size of the deck, discards.

Everything is told from the side of the player who offers. The number of a state is ``((lead + gap - 1) * side + mine)
* side + theirs`` with ``side = 3 ** tracked``; ``mine`` and ``theirs`` are numbers in base 3, one digit per tracked
agent.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue.cards import Card
from agentsim.games.agent_avenue.rules import Rules

__all__ = ["CLASSES", "MAX_NAMES", "MAX_TRACKED", "Space", "sets_of", "space_of"]

MAX_NAMES = 8
"""Different agents at most: the sets of names that a hand can hold are listed."""
MAX_TRACKED = 6
CLASSES = 3

_TIES = {"active": 1.0, "passive": 0.0, "draw": 0.5}


@dataclass(frozen=True)
class Space:
    """The public states of a rule set, as arrays for jitted code.

    ``n_names`` agents; ``digit`` (n_names,): 3 ** position of the agent's digit, 0 if it is not tracked. ``moves``
    (n_names, 3): the move of the next copy by how many lie there. ``wins``, ``loses`` (n_names,): 1 if the copy after
    two completes a winning, a losing set, else 0. ``copies`` (n_names,). ``gap``: spaces of a catch. ``side``: states
    of one player's agents. ``tie``: what a tie brings the player who offers. ``hand``: cards in a hand.

    ``set_pairs`` and ``set_start``: the pairs of names that each set of names (a hand's type) can offer, as numbers of
    pairs; ``pair_of`` (n_names, n_names): the number of a pair, of two equal names as well.
    """

    n_names: int
    digit: NDArray[np.int64]
    moves: NDArray[np.int64]
    wins: NDArray[np.int64]
    loses: NDArray[np.int64]
    copies: NDArray[np.int64]
    gap: int
    side: int
    tie: float
    hand: int
    sets: NDArray[np.int64]
    set_start: NDArray[np.int64]
    set_pairs: NDArray[np.int64]
    pair_of: NDArray[np.int64]

    @property
    def n_leads(self) -> int:
        """Leads at which a game goes on."""
        return 2 * self.gap - 1

    @property
    def n_states(self) -> int:
        """Public states in all."""
        return self.n_leads * self.side * self.side


def space_of(rules: Rules) -> Space:
    """The public states of a rule set.

    Raises InputError for rules that this description does not fit: other modes, unequal homes, more than 8 agents or 6
    that change, sets of another size than 3, a hand of fewer than 2 or more than 6 cards.
    """
    if not rules.plain:
        raise InputError("the solver knows only the base game of two players", key="policies",
                         allowed="rules.mode = base, 2 players, no expansion; in the advanced mode: solver_advanced")
    if rules.gap_0 != rules.gap_1:
        raise InputError("the solver needs homes opposite each other", key="rules.home_1", allowed="half of the ring")
    if len(rules.cards) > MAX_NAMES:
        raise InputError(f"the solver cannot tell {len(rules.cards)} agents apart", key="cards", allowed=f"{MAX_NAMES}")
    if not 2 <= rules.hand_size <= 6:
        raise InputError("the solver cannot hold such a hand", key="rules.hand_size", allowed="2 to 6")
    for card in rules.cards:
        for size in (card.wins_at, card.loses_at):
            if size not in (0, 3):
                raise InputError(f"the solver counts no set of {size}", key=f"cards.{card.id}", allowed="sets of 3")
    tracked = [number for number, card in enumerate(rules.cards) if _changes(card)]
    if len(tracked) > MAX_TRACKED:
        raise InputError(f"{len(tracked)} agents change with their copies: too many states for the solver", key="cards",
                         allowed=f"{MAX_TRACKED}")
    n = len(rules.cards)
    digit = np.zeros(n, np.int64)
    for position, number in enumerate(tracked):
        digit[number] = CLASSES**position
    sets, start, pairs, pair_of = sets_of(n, min(rules.hand_size, n))
    return Space(
        n, digit, np.array([[card.first, card.second, card.third] for card in rules.cards], np.int64),
        np.array([int(card.wins_at == 3) for card in rules.cards], np.int64),
        np.array([int(card.loses_at == 3) for card in rules.cards], np.int64),
        np.array([card.copies for card in rules.cards], np.int64), rules.gap_0, CLASSES**len(tracked),
        _TIES[rules.tie_rule], rules.hand_size, sets, start, pairs, pair_of)


def _changes(card: Card) -> bool:
    """Whether it matters how many copies of an agent lie there."""
    return bool(card.wins_at or card.loses_at or not card.first == card.second == card.third) and card.copies > 1


def sets_of(names: int, most: int) -> tuple[NDArray[np.int64], ...]:
    """All sets of 1 to ``most`` names as bits, and the pairs that each can offer. A set of one offers two copies."""
    pair_of = np.zeros((names, names), np.int64)
    for number, (a, b) in enumerate(combinations(range(names), 2)):
        pair_of[a, b] = pair_of[b, a] = number
    for name in range(names):
        pair_of[name, name] = names * (names - 1) // 2 + name
    sets: list[int] = []
    start: list[int] = [0]
    pairs: list[int] = []
    for size in range(1, most + 1):
        for members in combinations(range(names), size):
            sets.append(sum(1 << name for name in members))
            offers = list(combinations(members, 2)) if size > 1 else [(members[0], members[0])]
            pairs += [int(pair_of[a, b]) for a, b in offers]
            start.append(len(pairs))
    return np.array(sets, np.int64), np.array(start, np.int64), np.array(pairs, np.int64), pair_of
