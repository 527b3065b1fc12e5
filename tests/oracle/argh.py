"""ARGH played slowly and plainly: the second opinion on the fast engine.

Written from ``docs/rules/argh.md`` with the standard library alone, in words instead of numbers: cards are names, a
player is an object with two lists, every sentence of the rules page is one branch. :func:`best_outcome` counts a
player's cards by trying every order of the modifiers and every legal target.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

PILES = ("house", "garden", "laboratory")
MODIFIERS = ("mosquito", "hamster", "scientist")


class OracleIllegal(ValueError):
    """An action that the rules do not allow at this point of the game."""


@dataclass(frozen=True)
class Card:
    """One card: the pile it belongs to, what it is, its printed number (0 without one) and whether it has a star."""

    pile: str
    kind: str
    number: int = 0
    star: bool = False


def standard_cards(promos: bool = False) -> dict[str, Card]:
    """The 24 cards of the shipped table, with the three promo cards if wanted."""
    cards = {
        "house_bomb": Card("house", "bomb", star=True),
        "house_spy": Card("house", "spy"),
        "hamster": Card("house", "hamster"),
        "house_lizard": Card("house", "lizard", star=True),
        "canary": Card("house", "value", +5, star=True),
        "mouse": Card("house", "value", +2, star=True),
        "cat": Card("house", "value", -3),
        "sister": Card("house", "value", -1),
        "garden_bomb": Card("garden", "bomb", star=True),
        "garden_spy": Card("garden", "spy"),
        "mosquito": Card("garden", "mosquito"),
        "garden_lizard": Card("garden", "lizard", star=True),
        "toad": Card("garden", "value", +6, star=True),
        "hedgehog": Card("garden", "value", +3, star=True),
        "gardener": Card("garden", "value", -6),
        "magpie": Card("garden", "value", -2),
        "laboratory_bomb": Card("laboratory", "bomb", star=True),
        "laboratory_spy": Card("laboratory", "spy"),
        "scientist": Card("laboratory", "scientist"),
        "laboratory_lizard": Card("laboratory", "lizard", star=True),
        "rat": Card("laboratory", "value", +7, star=True),
        "monkey": Card("laboratory", "value", +4, star=True),
        "intern": Card("laboratory", "value", -4),
        "guard_dog": Card("laboratory", "value", -5),
    }
    if promos:
        cards |= {
            "owl": Card("house", "owl"),
            "spider": Card("garden", "spider", star=True),
            "brother": Card("laboratory", "brother", -1),
        }
    return cards


@dataclass(frozen=True)
class OracleRules:
    """The rules of one table; the defaults are the shipped ones for two players."""

    players: int = 2
    put_aside: int = 2
    bombs_to_win: int = 2
    lizards: tuple[int, ...] = (0, 1, 5, 10)
    hamster_is_free: bool = False
    mosquito_needs_a_reason: bool = False  # to flip a positive card: that there is no negative one
    twin: str = "sister"
    brother_with_twin: int = -3
    cards: Mapping[str, Card] = field(default_factory=standard_cards)


def standard_rules(players: int = 2, promos: bool = False) -> OracleRules:
    """The shipped rules for a number of players."""
    return OracleRules(players, 2 if players == 2 else 1, cards=standard_cards(promos))


# ---- counting ----------------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What a player's cards come to. Outcomes compare as their owner ranks them: even spies first, then the total."""

    even_spies: bool
    total: int


@dataclass
class Tableau:
    """A player's cards while the modifiers are applied: those not hit yet, those cancelled and those turned over."""

    owned: tuple[str, ...]
    rules: OracleRules
    cancelled: tuple[str, ...] = ()
    flipped: tuple[str, ...] = ()

    def kind(self, name: str) -> str:
        return self.rules.cards[name].kind

    def unhit(self, kind: str | None = None) -> list[str]:
        return [name for name in self.owned if name not in self.cancelled and name not in self.flipped
                and (kind is None or self.kind(name) == kind)]

    def stars(self) -> int:
        return sum(self.rules.cards[name].star for name in self.owned)

    def printed(self, name: str) -> int:
        """The number of a numbered card as it counts for this owner."""
        if self.kind(name) == "brother" and self.rules.twin in self.owned:
            return self.rules.brother_with_twin
        return self.rules.cards[name].number

    def total(self) -> int:
        total = self.rules.lizards[len(self.unhit("lizard"))]
        for name in self.unhit():
            if self.kind(name) == "spider":
                total += self.stars()
            elif self.kind(name) in ("value", "brother"):
                total += self.printed(name)
        for name in self.flipped:
            if self.kind(name) == "lizard":
                total -= self.rules.lizards[1]
            elif self.kind(name) == "spider":
                total -= self.stars()
            else:
                total -= self.printed(name)
        return total

    def outcome(self) -> Outcome:
        return Outcome(len(self.unhit("spy")) % 2 == 0, self.total())

    def cancel(self, name: str) -> Tableau:
        return Tableau(self.owned, self.rules, (*self.cancelled, name), self.flipped)

    def flip(self, name: str) -> Tableau:
        return Tableau(self.owned, self.rules, self.cancelled, (*self.flipped, name))

    # What each modifier may hit now.

    def positives(self) -> list[str]:
        return [name for name in self.unhit() if self.kind(name) in ("lizard", "spider") or self.printed(name) > 0]

    def negatives(self) -> list[str]:
        return [name for name in self.unhit() if self.printed(name) < 0]

    def mosquito_targets(self) -> list[str]:
        if self.rules.mosquito_needs_a_reason:
            return self.negatives() or self.positives()
        return self.positives() + self.negatives()

    def hamster_targets(self) -> list[str]:
        if self.rules.hamster_is_free:
            return self.negatives() + self.unhit("spy")
        return self.negatives() or self.unhit("spy")

    def scientist_targets(self) -> list[str]:
        losses = {name: self.total() - self.cancel(name).total() for name in self.positives()}
        return [name for name, loss in losses.items() if loss == max(losses.values())]


def all_outcomes(tableau: Tableau, modifiers: tuple[str, ...]) -> Iterator[Outcome]:
    """Every outcome that some order of the modifiers and some choice of targets leads to."""
    if not modifiers:
        yield tableau.outcome()
    for kind in sorted(set(modifiers)):
        rest = list(modifiers)
        rest.remove(kind)
        if kind == "mosquito":
            after = [tableau.flip(name) for name in tableau.mosquito_targets()]
        elif kind == "hamster":
            after = [tableau.cancel(name) for name in tableau.hamster_targets()]
        else:
            after = [tableau.cancel(name) for name in tableau.scientist_targets()]
        for changed in after or [tableau]:
            yield from all_outcomes(changed, tuple(rest))


def best_outcome(names: Sequence[str], rules: OracleRules) -> Outcome:
    """The outcome that the owner of these cards chooses."""
    modifiers = tuple(rules.cards[name].kind for name in names if rules.cards[name].kind in MODIFIERS)
    return max(all_outcomes(Tableau(tuple(names), rules), modifiers))


def highest_card(names: Sequence[str], rules: OracleRules) -> int:
    """The tie-break: the highest printed number, a lizard 1, a card without a number 0; 0 without cards."""
    return max((rules.lizards[1] if rules.cards[name].kind == "lizard" else rules.cards[name].number for name in names),
               default=0)


def random_collection(rng: Random, rules: OracleRules, modifiers: int = 0) -> list[str]:
    """Distinct cards, 1 to 14 of them with equal chances, with at least so many modifiers among them."""
    names = list(rules.cards)
    size = rng.randint(max(1, modifiers), 14)
    while True:
        chosen = rng.sample(names, size)
        if sum(rules.cards[name].kind in MODIFIERS for name in chosen) >= modifiers:
            return chosen


# ---- whole games -------------------------------------------------------------------------------------------------


class FaceDown(NamedTuple):
    """A face-down card: what it is, and what everybody sees of it: its pile and as which card of it it was drawn."""

    name: str
    pile: str
    number: int


class Ending(NamedTuple):
    """How a game ended: the winners' seats and the reason as logs name it."""

    winners: tuple[int, ...]
    reason: str


@dataclass
class Player:
    """What lies before a player, and what only that player knows about the cards put aside."""

    face_up: list[str] = field(default_factory=list)
    face_down: list[FaceDown] = field(default_factory=list)
    seen_aside: list[str] = field(default_factory=list)

    def cards(self) -> list[str]:
        return self.face_up + [card.name for card in self.face_down]


class OracleGame:
    """One game. ``piles``: all cards of each pile in order; the first ``put_aside`` of each are put aside.

    A turn is ``draw(pile)`` then ``keep()`` or ``offer(seat)`` and ``answer(accept)``; or
    ``steal(seat, pile, number)``; or ``pass_turn()``. When an owl was turned up the turn ends with
    ``peek(pile, number)``.
    Raises ValueError for piles that are not made of the rules' cards, OracleIllegal for an illegal action.
    """

    def __init__(self, piles: Mapping[str, Sequence[str]], rules: OracleRules) -> None:
        for pile in PILES:
            if Counter(piles[pile]) != Counter(name for name, card in rules.cards.items() if card.pile == pile):
                raise ValueError(f"the {pile} pile does not hold exactly its cards")
        self.rules = rules
        self.aside = {pile: list(piles[pile][:rules.put_aside]) for pile in PILES}
        self.piles = {pile: list(piles[pile][rules.put_aside:]) for pile in PILES}
        self.drawn = dict.fromkeys(PILES, rules.put_aside)
        self.players = [Player() for _ in range(rules.players)]
        self.active = 0
        self.turn = 0
        self.turns_left: int | None = None
        self.in_hand: FaceDown | None = None
        self.asked: int | None = None
        self.owl_owner: int | None = None
        self.ending: Ending | None = None

    # ---- what is allowed -----------------------------------------------------------------------------------------

    def may_begin(self) -> bool:
        return self.ending is None and self.in_hand is None and self.owl_owner is None

    def legal_draws(self) -> list[str]:
        return [pile for pile in PILES if self.piles[pile]] if self.may_begin() else []

    def legal_steals(self) -> list[tuple[int, str, int]]:
        if not self.may_begin():
            return []
        return [(seat, card.pile, card.number) for seat, player in enumerate(self.players) if seat != self.active
                for card in player.face_down]

    def may_pass(self) -> bool:
        return self.may_begin() and not self.legal_draws() and not self.legal_steals()

    def legal_offers(self) -> list[int]:
        if self.in_hand is None or self.asked is not None or self.owl_owner is not None:
            return []
        return [seat for seat in range(self.rules.players) if seat != self.active]

    def legal_peeks(self) -> list[tuple[str, int]]:
        if self.owl_owner is None:
            return []
        return [(pile, number) for pile in PILES for number in range(len(self.aside[pile]))]

    # ---- actions -------------------------------------------------------------------------------------------------

    def draw(self, pile: str) -> str:
        """The active player takes the top card of a pile; returns what it sees."""
        self._demand(pile in self.legal_draws(), "draw")
        name = self.piles[pile].pop(0)
        self.in_hand = FaceDown(name, pile, self.drawn[pile])
        self.drawn[pile] += 1
        return name

    def keep(self) -> None:
        """The active player lays the card face down before itself."""
        self._demand(bool(self.legal_offers()), "keep")
        assert self.in_hand is not None
        self.players[self.active].face_down.append(self.in_hand)
        self._end_turn()

    def offer(self, seat: int) -> None:
        """The active player offers the card to somebody."""
        self._demand(seat in self.legal_offers(), "offer")
        self.asked = seat

    def answer(self, accept: bool) -> None:
        """The asked player accepts or refuses."""
        self._demand(self.asked is not None and self.owl_owner is None, "answer")
        assert self.in_hand is not None
        assert self.asked is not None
        self._turn_up(self.asked if accept else self.active, self.in_hand.name)

    def steal(self, seat: int, pile: str, number: int) -> str:
        """The active player takes a face-down card from somebody; returns what it turns out to be."""
        self._demand((seat, pile, number) in self.legal_steals(), "steal")
        (card,) = (card for card in self.players[seat].face_down if (card.pile, card.number) == (pile, number))
        self.players[seat].face_down.remove(card)
        self._turn_up(self.active, card.name)
        return card.name

    def pass_turn(self) -> None:
        """The active player can do nothing at all."""
        self._demand(self.may_pass(), "pass")
        self._end_turn()

    def peek(self, pile: str, number: int) -> str:
        """The owl's owner looks at a card put aside."""
        self._demand((pile, number) in self.legal_peeks(), "peek")
        assert self.owl_owner is not None
        name = self.aside[pile][number]
        self.players[self.owl_owner].seen_aside.append(name)
        self._end_turn()
        return name

    def _demand(self, allowed: bool, what: str) -> None:
        if not allowed:
            raise OracleIllegal(f"cannot {what} in turn {self.turn}")

    # ---- consequences --------------------------------------------------------------------------------------------

    def _bombs(self, names: Sequence[str]) -> int:
        return sum(self.rules.cards[name].kind == "bomb" for name in names)

    def _turn_up(self, seat: int, name: str) -> None:
        player = self.players[seat]
        player.face_up.append(name)
        if self._bombs(player.face_up) >= self.rules.bombs_to_win:
            self.ending = Ending((seat,), "bomb")
        elif self.rules.cards[name].kind == "owl" and self.rules.put_aside > 0:
            self.owl_owner = seat
        else:
            self._end_turn()

    def _end_turn(self) -> None:
        self.in_hand = self.asked = self.owl_owner = None
        if self.turns_left is not None:
            self.turns_left -= 1
        elif any(not cards for cards in self.piles.values()):
            self.turns_left = self.rules.players - 1
        if self.turns_left == 0:
            self.ending = self._reveal()
            return
        self.turn += 1
        self.active = (self.active + 1) % self.rules.players

    def _reveal(self) -> Ending:
        for seat, player in enumerate(self.players):
            if self._bombs(player.cards()) >= self.rules.bombs_to_win:
                return Ending((seat,), "bomb_reveal")
        outcomes = [best_outcome(player.cards(), self.rules) for player in self.players]
        still_in = [seat for seat, outcome in enumerate(outcomes) if outcome.even_spies]
        if not still_in:
            return Ending((), "nobody")
        most = max(outcomes[seat].total for seat in still_in)
        level = [seat for seat in still_in if outcomes[seat].total == most]
        if len(level) == 1:
            return Ending(tuple(level), "points")
        cards = {seat: highest_card(self.players[seat].cards(), self.rules) for seat in level}
        top = tuple(seat for seat in level if cards[seat] == max(cards.values()))
        return Ending(top, "high_card" if len(top) == 1 else "shared")

    def shares(self) -> list[float]:
        """Win share by seat; they sum to 1, or to 0 when nobody wins."""
        winners = self.ending.winners if self.ending else ()
        return [1 / len(winners) if seat in winners else 0.0 for seat in range(self.rules.players)]


# ---- the random baseline -----------------------------------------------------------------------------------------


def shuffled_piles(rng: Random, rules: OracleRules) -> dict[str, list[str]]:
    """Each pile's cards in a random order."""
    piles: dict[str, list[str]] = {}
    for pile in PILES:
        piles[pile] = [name for name, card in rules.cards.items() if card.pile == pile]
        rng.shuffle(piles[pile])
    return piles


def random_turn(game: OracleGame, rng: Random) -> None:
    """One turn of the policy ``random``."""
    entries: list[str | tuple[int, str, int]] = [*game.legal_draws(), *game.legal_steals()]
    if not entries:
        game.pass_turn()
        return
    entry = rng.choice(entries)
    if isinstance(entry, tuple):
        game.steal(*entry)
    else:
        game.draw(entry)
        to = rng.randrange(game.rules.players)
        if to == game.active:
            game.keep()
        else:
            game.offer(to)
            game.answer(rng.random() < 0.5)
    if game.legal_peeks():
        game.peek(*rng.choice(game.legal_peeks()))


def play_random(rng: Random, rules: OracleRules) -> OracleGame:
    """A whole game of ``random`` players."""
    game = OracleGame(shuffled_piles(rng, rules), rules)
    while game.ending is None:
        random_turn(game, rng)
    return game
