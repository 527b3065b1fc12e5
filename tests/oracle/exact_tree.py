"""Small rule sets of Agent Avenue as complete games: every deal, draw, offer and answer, nothing averaged.

The tree is one of *public* events, since both players see the same ones: an offer and its answer, which show both
cards. What a player knows besides is its hand. To each public event and each hand belongs a weight for each player,

    X(event, hand) = the sum, over the orders in which its cards can have come, of the product of its own choices,

and a way of playing meets another with the chance ``X_0 X_1 f``, where ``f`` is the chance of any one order of all the
cards concerned: it depends on how many copies of each name they are, and on nothing else. So hands need no history:
whoever plays by the whole order of its draws plays like somebody who plays by the mean over the orders (Kuhn's theorem
in this tree), and the weights of one player are linear in one another, as those of a sequence form are.

Written apart from the package's engine and solver; of them it takes the numbers of the rules. Without discards.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, isnan, nan, prod
from typing import Any

import numpy as np

__all__ = ["Level", "Tree", "grow"]

Counts = tuple[int, ...]
Event = tuple[int, Counts, Counts]
"""The lead, and what lies before who offers and before the other."""


@dataclass(frozen=True)
class Level:
    """All public events before which equally many turns were played; seat ``turn % 2`` offers.

    ``lead``, ``mine``, ``theirs``: of each event, as who offers sees it. ``hands``, ``their_hands``: the hands of who
    offers and of the other, by counts of names; ``rests``: what an offer can leave of the first. ``choices`` (3, n):
    the hand, its offer and the rest, sorted by hand; ``starts``: where those of each hand begin. ``drawn``: cards that
    are drawn then; ``draws`` (rests, hands after): in how many orders they come. ``chance`` (pools, rests, their
    hands): ``f``; ``pool`` (events, offers): where to look there, -1 if there are no such cards. ``made`` (2, m): event
    and offer where there are, sorted by pool, each of which begins at ``parts``. ``result`` (events, offers, 2): what
    who offers gets if the other takes the card that lies up, the hidden one; ``left``: what the other gets. Both are 0
    where the game goes on, as ``edges`` (4, k) say: event, offer, answer and the event of the next level, sorted by
    that. Two equal cards lead to the same event by both answers: ``once`` are the edges to all events, ``again`` the
    other ones of those.
    """

    turn: int
    lead: np.ndarray
    mine: np.ndarray
    theirs: np.ndarray
    hands: list[Counts]
    their_hands: list[Counts]
    rests: list[Counts]
    choices: np.ndarray
    starts: np.ndarray
    drawn: int
    draws: np.ndarray
    chance: np.ndarray
    pool: np.ndarray
    made: np.ndarray
    parts: np.ndarray
    result: np.ndarray
    left: np.ndarray
    edges: np.ndarray
    once: np.ndarray
    again: np.ndarray


@dataclass(frozen=True)
class Tree:
    """A whole game. ``cards``: the agents of the deck, which are numbered here, by their numbers in the rules;
    ``offers``: (up, down) by number; ``first``: the weights of the first hands.
    """

    cards: list[int]
    offers: list[tuple[int, int]]
    levels: list[Level]
    first: np.ndarray

    @property
    def names(self) -> int:
        """How many agents the deck has."""
        return len(self.cards)

    @property
    def up(self) -> np.ndarray:
        """The name that lies up in each offer."""
        return np.array([up for up, _ in self.offers])

    @property
    def events(self) -> int:
        """Public events in which an offer is made."""
        return sum(len(level.lead) for level in self.levels)


def _hands(names: int, cards: int, copies: Counts) -> list[Counts]:
    found = []
    for chosen in combinations_with_replacement(range(names), cards):
        count = Counter(chosen)
        hand = tuple(count[name] for name in range(names))
        if all(has <= most for has, most in zip(hand, copies, strict=True)):
            found.append(hand)
    return found


def _orders(cards: Counts) -> int:
    return factorial(sum(cards)) // prod(map(factorial, cards))


def _plus(cards: Counts, *names: int) -> Counts:
    return tuple(has + names.count(name) for name, has in enumerate(cards))


def _minus(cards: Counts, *names: int) -> Counts:
    return tuple(has - names.count(name) for name, has in enumerate(cards))


def _may_offer(hand: Counts, up: int, down: int) -> bool:
    if up == down:
        return hand[up] >= 2 and sum(hand) == hand[up]
    return hand[up] >= 1 and hand[down] >= 1


def _chance(pools: list[Counts], rests: list[Counts], hands: list[Counts], copies: Counts) -> np.ndarray:
    """The chance of one order of the cards of a pool, a rest and a hand, all together; 0 if there are not so many."""
    most = max(copies) + 1
    ways = np.zeros((len(copies), 3 * most))
    for name, has in enumerate(copies):
        ways[name, :has + 1] = [factorial(has) / factorial(has - drawn) for drawn in range(has + 1)]
    total = (np.array(pools)[:, None, None] + np.array(rests)[None, :, None] + np.array(hands)[None, None, :])
    drawn = int(total[0, 0, 0].sum())
    orders = factorial(sum(copies)) / factorial(sum(copies) - drawn)
    found: np.ndarray = ways[np.arange(len(copies)), total].prod(axis=-1) / orders
    return found


def _result(rules: Any, cards: list[Any], event: Event, x: int, y: int, out: bool) -> tuple[float, int]:
    """What the offerer gets when it recruits x and the other y, nan if the game goes on; and its lead then."""
    lead, mine, theirs = event
    steps = [(card.first, card.second, card.third) for card in cards]
    lead += steps[x][min(mine[x], 2)] - steps[y][min(theirs[y], 2)]
    ties = {"active": 1.0, "passive": 0.0, "draw": 0.5}[rules.tie_rule]
    win = lead >= rules.gap_0 or cards[x].wins_at == mine[x] + 1
    its_win = -lead >= rules.gap_0 or cards[y].wins_at == theirs[y] + 1
    loss, its_loss = cards[x].loses_at == mine[x] + 1, cards[y].loses_at == theirs[y] + 1
    if (win and its_win) or (loss and its_loss) or (win and loss) or (its_win and its_loss):
        return ties, lead
    if win or its_loss:
        return 1.0, lead
    if its_win or loss:
        return 0.0, lead
    if out:
        return (ties if lead == 0 else float(lead > 0)), lead
    return nan, lead


def _branch(rules: Any, cards: list[Any], event: Event, made: list[tuple[int, int, int]], offers: int,
            pools: dict[Counts, int], end: tuple[bool, float]
            ) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int, Event]]]:
    """What can follow an event: its rows of ``pool`` and ``result``, and (offer, answer, next event) if it goes on.

    ``made``: the offers that a hand can make; ``end``: whether cards run out now, and what a game gets that goes on
    (nan: it does go on).
    """
    _, mine, theirs = event
    pool, result, goes_on = np.full(offers, -1), np.zeros((offers, 2)), []
    open_ = tuple(a + b for a, b in zip(mine, theirs, strict=True))
    for o, up, down in made:
        shown = _plus(open_, up, down)
        if any(has > card.copies for has, card in zip(shown, cards, strict=True)):
            continue
        pool[o] = pools.setdefault(shown, len(pools))
        for hidden in range(2):
            x, y = (up, down) if hidden else (down, up)
            got, then = _result(rules, cards, event, x, y, end[0])
            result[o, hidden] = end[1] if isnan(got) else got
            if isnan(result[o, hidden]):
                goes_on.append((o, hidden, (-then, _plus(theirs, y), _plus(mine, x))))
    return pool, result, goes_on


def grow(rules: Any, *, turns: int = 99, cut: float = 0.5) -> Tree:
    """The tree of a rule set of the base game without discards.

    ``turns``: the game is broken off after so many, and the offerer of the last one gets ``cut``: a game that can be
    long but hardly ever is has its value between those of two such trees, with a ``cut`` of 0 and of 1.
    """
    assert rules.plain
    assert rules.discards == 0
    assert rules.gap_0 == rules.gap_1
    cards = [card for card in rules.cards if card.copies]
    names, copies = len(cards), tuple(card.copies for card in cards)
    offers = [(up, down) for up in range(names) for down in range(names)]
    none = (0,) * names
    sizes, deck = [rules.hand_size, rules.hand_size], sum(copies) - 2 * rules.hand_size
    events: list[Event] = [(0, none, none)]
    levels: list[Level] = []
    while events:
        turn = len(levels)
        active = turn % 2
        hands, their_hands = _hands(names, sizes[active], copies), _hands(names, sizes[1 - active], copies)
        rests = _hands(names, sizes[active] - 2, copies)
        drawn = max(0, min(rules.hand_size - sizes[active] + 2, deck))
        deck -= drawn
        sizes[active] += drawn - 2
        after = _hands(names, sizes[active], copies)
        choices = np.array([(h, o, rests.index(_minus(hand, *offer))) for h, hand in enumerate(hands)
                            for o, offer in enumerate(offers) if _may_offer(hand, *offer)]).T
        draws = np.zeros((len(rests), len(after)))
        for r, rest in enumerate(rests):
            for h, hand in enumerate(after):
                new = tuple(a - b for a, b in zip(hand, rest, strict=True))
                draws[r, h] = _orders(new) if min(new) >= 0 else 0
        pools: dict[Counts, int] = {}
        made = sorted(set(choices[1].tolist()))
        out = deck == 0 and sizes[1 - active] < 2
        last = turn + 1 == turns
        branches = {event: _branch(rules, cards, event, [(o, *offers[o]) for o in made], len(offers), pools,
                                   end=(out, cut if last else nan)) for event in dict.fromkeys(events)}
        pool = np.stack([branches[event][0] for event in events])
        result = np.stack([branches[event][1] for event in events])
        edges: list[tuple[int, int, int, int]] = []
        following: list[Event] = []
        for e, event in enumerate(events):
            for o, hidden, then in branches[event][2]:
                if hidden == 0 or offers[o][0] != offers[o][1]:
                    following.append(then)
                edges.append((e, o, hidden, len(following) - 1))
        links = np.array(edges, int).reshape(-1, 4).T
        new = np.diff(links[3], prepend=-1) > 0
        shown = np.array(np.nonzero(pool >= 0))
        shown = shown[:, np.argsort(pool[*shown], kind="stable")]
        lead, mine, theirs = (np.array(each) for each in zip(*events, strict=True))
        levels.append(Level(
            turn, lead, mine, theirs, hands, their_hands, rests, choices,
            np.searchsorted(choices[0], range(len(hands))), drawn, draws,
            _chance(list(pools), rests, their_hands, copies), pool, shown,
            np.searchsorted(pool[*shown], range(len(pools) + 1)), np.nan_to_num(result), np.nan_to_num(1 - result),
            links, np.flatnonzero(new), np.flatnonzero(~new)))
        events = following
    first = np.array([_orders(hand) for hand in levels[0].hands], float)
    return Tree([rules.cards.index(card) for card in cards], offers, levels, first)
