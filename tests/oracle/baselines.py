"""The baseline policies of Agent Avenue, naively: what each action is worth, and who plays what.

``greedy`` and ``minmax`` are given as tables action -> exact value, one function per kind of decision, so that another
implementation can be checked position by position; the policy then plays one of the best actions, each with the same
chance.  A policy sees a ``View`` only: it holds no card that its player may not know.

Both evaluators name their cards: codebreaker, daredevil and sentinel mean the agents of that name, whatever a house
rule makes of them (none where a card table lacks the name).  Neither looks ahead to running out of cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import NamedTuple, TypeVar

from .agent_avenue import STANDARD, Ending, OracleGame, OracleRules, Played, end_by_conditions

Offer = tuple[str, str]
Action = TypeVar("Action")


@dataclass(frozen=True)
class View:
    """What one player knows and a baseline may use.

    seat: the viewer; active: the seat whose turn it is; lead: seat 0's moves minus seat 1's; played: both play areas by
    seat; hand: the viewer's cards; face_up: the face-up card while an offer lies there, else None.
    """

    rules: OracleRules
    seat: int
    active: int
    lead: int
    played: Played
    hand: tuple[str, ...]
    face_up: str | None = None

    @property
    def my_lead(self) -> int:
        """The lead as the viewer counts it."""
        return self.lead if self.seat == 0 else -self.lead


def view_of(game: OracleGame) -> View:
    """The view of the player who has to decide: the active one before the offer, the opponent after it."""
    seat = game.active if game.offered is None else 1 - game.active
    face_up = None if game.offered is None else game.offered[0]
    return View(game.rules, seat, game.active, game.lead, game.played, tuple(game.hands[seat]), face_up)


def unseen_cards(view: View) -> dict[str, int]:
    """Copies of each name that the receiver cannot see: all cards minus play areas, own hand and the face-up card."""
    unseen = {}
    for name, card in view.rules.cards.items():
        copies = card.copies - view.played[0][name] - view.played[1][name] - view.hand.count(name)
        if name == view.face_up:
            copies -= 1
        unseen[name] = copies
    return unseen


class Outcome(NamedTuple):
    """The table after the viewer got one card and the opponent the other, as the viewer sees it."""

    my_move: int
    its_move: int
    my_lead: int
    mine: Mapping[str, int]
    its: Mapping[str, int]
    ending: Ending | None


def outcome(view: View, my_card: str, its_card: str) -> Outcome:
    """Let the viewer recruit ``my_card`` and the opponent ``its_card``."""
    mine = dict(view.played[view.seat])
    its = dict(view.played[1 - view.seat])
    mine[my_card] += 1
    its[its_card] += 1
    my_move = view.rules.cards[my_card].move(mine[my_card])
    its_move = view.rules.cards[its_card].move(its[its_card])
    my_lead = view.my_lead + my_move - its_move
    if view.seat == 0:
        ending = end_by_conditions(view.active, my_lead, (mine, its), view.rules)
    else:
        ending = end_by_conditions(view.active, -my_lead, (its, mine), view.rules)
    return Outcome(my_move, its_move, my_lead, mine, its, ending)


# ---- greedy ------------------------------------------------------------------------------------------------------


def greedy_value(view: View, my_card: str, its_card: str) -> int:
    """What ``greedy`` thinks of getting ``my_card`` while the opponent gets ``its_card``."""
    after = outcome(view, my_card, its_card)
    value = 100 * (after.my_move - after.its_move)
    value += 10 * after.my_lead
    value += 300 * (after.mine.get("codebreaker", 0) - after.its.get("codebreaker", 0))
    value += 350 * (after.its.get("daredevil", 0) - after.mine.get("daredevil", 0))
    if after.ending is not None and after.ending.winner is not None:
        value += 100_000 if after.ending.winner == view.seat else -100_000
    return value


def greedy_offer_values(view: View) -> dict[Offer, Fraction]:
    """Every legal offer (up, down) -> the value of its worse outcome for the active player."""
    values = {}
    for up, down in offers_of(view.hand):
        if_up_is_taken = greedy_value(view, my_card=down, its_card=up)
        if_down_is_taken = greedy_value(view, my_card=up, its_card=down)
        values[up, down] = Fraction(min(if_up_is_taken, if_down_is_taken))
    return values


def greedy_take_values(view: View) -> dict[bool, Fraction]:
    """Taking the face-up card (True) or the hidden one (False) -> expected value over the unseen cards.

    Other copies of the face-up name count as possible hidden cards.
    """
    up = view.face_up
    assert up is not None, "there is no offer to take from"
    unseen = unseen_cards(view)
    total = sum(unseen.values())
    take_up = take_hidden = 0
    for hidden, copies in unseen.items():
        if copies > 0:
            take_up += copies * greedy_value(view, up, hidden)
            take_hidden += copies * greedy_value(view, hidden, up)
    return {True: Fraction(take_up, total), False: Fraction(take_hidden, total)}


# ---- minmax ------------------------------------------------------------------------------------------------------


def minmax_value(view: View, my_card: str, its_card: str) -> Fraction:
    """What ``minmax`` thinks of getting ``my_card`` while the opponent gets ``its_card``.

    At an end +100 or -100 and nothing else; when conditions conflict the viewer counts on a win only if it is active.
    """
    after = outcome(view, my_card, its_card)
    if after.ending is not None:
        if after.ending.tie_rule_used:
            viewer_wins = view.seat == view.active
        else:
            viewer_wins = view.seat == after.ending.winner
        return Fraction(100 if viewer_wins else -100)
    value = Fraction(2 * after.my_lead)
    value += Fraction(15, 10) * (after.mine.get("codebreaker", 0) - after.its.get("codebreaker", 0))
    value -= Fraction(6, 10) * (after.mine.get("daredevil", 0) - after.its.get("daredevil", 0))
    value += (after.mine.get("sentinel", 0) == 2) - (after.its.get("sentinel", 0) == 2)
    return value


def minmax_offer_values(view: View) -> dict[Offer, Fraction]:
    """Every legal offer (up, down) -> 0.7 * worse outcome + 0.3 * mean outcome, before the noise U(0, 0.01)."""
    values = {}
    for up, down in offers_of(view.hand):
        if_up_is_taken = minmax_value(view, my_card=down, its_card=up)
        if_down_is_taken = minmax_value(view, my_card=up, its_card=down)
        worse = min(if_up_is_taken, if_down_is_taken)
        mean = (if_up_is_taken + if_down_is_taken) / 2
        values[up, down] = Fraction(7, 10) * worse + Fraction(3, 10) * mean
    return values


def minmax_take_values(view: View) -> dict[bool, Fraction]:
    """Taking the face-up card (True) or the hidden one (False) -> expected value over the unseen cards.

    The hidden card is taken to have another name than the face-up one.  When no unseen card has, the face-up card is
    taken: the table then holds that action alone (with value 0).
    """
    up = view.face_up
    assert up is not None, "there is no offer to take from"
    unseen = {name: copies for name, copies in unseen_cards(view).items() if name != up and copies > 0}
    total = sum(unseen.values())
    if total == 0:
        return {True: Fraction(0)}
    take_up = take_hidden = Fraction(0)
    for hidden, copies in unseen.items():
        take_up += copies * minmax_value(view, up, hidden)
        take_hidden += copies * minmax_value(view, hidden, up)
    return {True: take_up / total, False: take_hidden / total}


# ---- playing -----------------------------------------------------------------------------------------------------


def offers_of(hand: Iterable[str]) -> list[Offer]:
    """Legal offers of a hand, in alphabetical order: pairs of different names, or the one pair of a one-name hand."""
    names = sorted(set(hand))
    if len(names) == 1:
        return [(names[0], names[0])]
    return [(up, down) for up in names for down in names if up != down]


def best_actions(values: Mapping[Action, Fraction]) -> list[Action]:
    """The actions of greatest value, exact ties together, in the order of the table."""
    best = max(values.values())
    return [action for action, value in values.items() if value == best]


class Policy:
    """How a player decides: an action (a name to discard or a pair to offer), and which card of an offer to take."""

    def discard_or_offer(self, game: OracleGame, rng: Random) -> str | Offer:
        """The active player's next action."""
        raise NotImplementedError

    def take(self, game: OracleGame, rng: Random) -> bool:
        """The opponent's answer to the offer."""
        raise NotImplementedError


class RandomPolicy(Policy):
    """Offers uniformly over ordered pairs of distinct names, takes by the toss of a coin, never discards."""

    def discard_or_offer(self, game: OracleGame, rng: Random) -> str | Offer:
        return rng.choice(offers_of(game.hands[game.active]))

    def take(self, game: OracleGame, rng: Random) -> bool:
        return rng.random() < 0.5


class RandomDiscardsPolicy(RandomPolicy):
    """As random, but one discard action per distinct name stands beside the offers while discarding is legal."""

    def discard_or_offer(self, game: OracleGame, rng: Random) -> str | Offer:
        actions: list[str | Offer] = [*offers_of(game.hands[game.active]), *sorted(game.legal_discards())]
        return rng.choice(actions)


class GreedyPolicy(Policy):
    """Plays a best action of the greedy tables, exact ties uniformly, never discards."""

    def discard_or_offer(self, game: OracleGame, rng: Random) -> str | Offer:
        return rng.choice(best_actions(greedy_offer_values(view_of(game))))

    def take(self, game: OracleGame, rng: Random) -> bool:
        return rng.choice(best_actions(greedy_take_values(view_of(game))))


class MinmaxPolicy(Policy):
    """Plays a best action of the minmax tables, the offers blurred by a little noise, never discards."""

    def discard_or_offer(self, game: OracleGame, rng: Random) -> str | Offer:
        values = minmax_offer_values(view_of(game))
        return max(values, key=lambda offer: values[offer] + rng.uniform(0, 0.01))

    def take(self, game: OracleGame, rng: Random) -> bool:
        return rng.choice(best_actions(minmax_take_values(view_of(game))))


POLICIES: dict[str, Policy] = {
    "random": RandomPolicy(),
    "random_discards": RandomDiscardsPolicy(),
    "greedy": GreedyPolicy(),
    "minmax": MinmaxPolicy(),
}


def shuffled_deck(rng: Random, rules: OracleRules = STANDARD) -> list[str]:
    """All cards of the rules in random order."""
    deck = [name for name, card in rules.cards.items() for _ in range(card.copies)]
    rng.shuffle(deck)
    return deck


def play_game(policy_0: Policy, policy_1: Policy, rng: Random, rules: OracleRules = STANDARD) -> OracleGame:
    """Play one game from a fresh shuffle to its end; ``policy_0`` starts."""
    game = OracleGame(shuffled_deck(rng, rules), rules)
    policies = (policy_0, policy_1)
    while not game.over:
        action = policies[game.active].discard_or_offer(game, rng)
        if isinstance(action, str):
            game.discard(action)
            continue
        game.offer(*action)
        game.take(policies[1 - game.active].take(game, rng))
    return game
