"""Shady Agents played slowly and plainly: the second opinion on the fast engine.

Written from ``docs/rules/shady_agents.md`` with the standard library alone, in words instead of numbers. A player is an
object with a role, tools and a list of everything it has learnt; beliefs are worked out anew by going through every
way in which the others' roles may lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import NamedTuple

TOOLS = ("bullet", "medkit")


class OracleIllegal(ValueError):
    """An action that the rules do not allow at this point of the game."""


@dataclass(frozen=True)
class OracleRules:
    """The rules of one table; the defaults are the shipped ones."""

    players: int = 6
    odd_bonus: int = 1
    worth: dict[str, int] = field(default_factory=lambda: {"bullet": -1, "medkit": +1})
    caller_answers: bool = False
    own_tools: bool = False
    two_to_one: bool = True
    interrogations: bool = True
    free_interrogation: bool = True
    level_games_go_to: str | None = None
    second_round_goes_back: bool = True
    base_rate: float = 0.6
    misread: float = 0.05
    medkit_to_friend: float = 0.8
    bullet_to_enemy: float = 0.8


class Clue(NamedTuple):
    """Something learnt about a player: how likely it was from a friend, and from an enemy."""

    about: int
    if_friend: float
    if_enemy: float


class Heard(NamedTuple):
    """A statement as one listener heard it; the verdict is None where it could not be verified."""

    question: int
    caller: int
    speaker: int
    yes: bool
    verdict: bool | None


class Ending(NamedTuple):
    """The side that won (None for a draw) and the reason as logs name it."""

    winner: str | None
    reason: str


@dataclass
class Player:
    """What a player has and knows."""

    role: str
    tools: list[str] = field(default_factory=lambda: list(TOOLS))
    lying: list[tuple[int, str]] = field(default_factory=list)  # what was given to it, and by whom
    heard: list[Heard] = field(default_factory=list)
    clues: list[Clue] = field(default_factory=list)
    resets: int = 0


class OracleGame:
    """One game, from the seats' roles and what the talk will bring.

    ``truth(question, speaker)``: whether the true answer is yes. ``verdict(question, listener, speaker)``: None if that
    listener cannot verify that statement, else whether its verdict is the right one.
    A turn is ``give(tool, seat)`` or, in the first round, ``call(tool)`` with the tool to throw away (None for the
    free one); in the second round ``give`` is repeated while the player has tools.
    """

    def __init__(self, roles: list[str], rules: OracleRules, truth: Callable[[int, int], bool],
                 verdict: Callable[[int, int, int], bool | None]) -> None:
        assert len(roles) == rules.players
        self.rules, self.truth, self.verdict = rules, truth, verdict
        self.players = [Player(role) for role in roles]
        self.order = list(range(rules.players))
        self.order += reversed(self.order) if rules.second_round_goes_back else self.order[:]
        self.turn = 0
        self.called = 0
        self.thrown: list[str] = []
        self.last_receiver: int | None = None  # of a tool placed earlier in this same turn
        self.ending: Ending | None = None

    # ---- who is where --------------------------------------------------------------------------------------------

    def side(self, role: str) -> list[int]:
        return [seat for seat, player in enumerate(self.players) if player.role == role]

    @property
    def smaller(self) -> str | None:
        if len(self.side("law")) == len(self.side("crooked")):
            return None
        return min(("law", "crooked"), key=lambda role: len(self.side(role)))

    @property
    def active(self) -> int | None:
        return None if self.ending is not None else self.order[self.turn]

    @property
    def is_first_round(self) -> bool:
        return self.turn < self.rules.players

    # ---- what is allowed -----------------------------------------------------------------------------------------

    def legal_gifts(self) -> list[tuple[str, int]]:
        if self.active is None:
            return []
        seats = [seat for seat in range(self.rules.players) if seat != self.active or self.rules.own_tools]
        if self.is_first_round:
            return [(tool, seat) for tool in TOOLS for seat in seats]
        if not self.rules.two_to_one:
            seats = [seat for seat in seats if seat != self.last_receiver]
        # With both left the medkit is placed first.
        tool = "medkit" if "medkit" in self.players[self.active].tools else "bullet"
        return [(tool, seat) for seat in seats]

    def legal_calls(self) -> list[str | None]:
        if self.active is None or not self.is_first_round or not self.rules.interrogations:
            return []
        if self.turn == 0 and self.rules.free_interrogation:
            return [None]
        return list(TOOLS)

    # ---- actions -------------------------------------------------------------------------------------------------

    def give(self, tool: str, seat: int) -> None:
        if (tool, seat) not in self.legal_gifts():
            raise OracleIllegal(f"cannot give the {tool} to {seat}")
        assert self.active is not None
        giver, receiver = self.active, self.players[seat]
        self.players[giver].tools.remove(tool)
        known_already = any(sender == giver for sender, _ in receiver.lying)
        receiver.lying.append((giver, tool))
        if seat != giver and not known_already:
            friend = self.rules.medkit_to_friend if tool == "medkit" else 1 - self.rules.medkit_to_friend
            enemy = self.rules.bullet_to_enemy if tool == "bullet" else 1 - self.rules.bullet_to_enemy
            self._learn(seat, Clue(giver, friend, enemy))
        if self.is_first_round or not self.players[giver].tools:
            self._next_turn()
        else:
            self.last_receiver = seat

    def call(self, tool: str | None) -> None:
        if tool not in self.legal_calls():
            raise OracleIllegal(f"cannot call with {tool}")
        assert self.active is not None
        caller = self.active
        if tool is not None:
            self.players[caller].tools.remove(tool)
            self.thrown.append(tool)
        n = self.rules.players
        speakers = [(caller + step) % n for step in range(1, n)] + ([caller] if self.rules.caller_answers else [])
        for speaker in speakers:
            truth = self.truth(self.called, speaker)
            yes = truth if self.players[speaker].role == "law" else not truth
            for seat, player in enumerate(self.players):
                right = None if seat == speaker else self.verdict(self.called, seat, speaker)
                found = None if right is None else (yes == truth) == right
                player.heard.append(Heard(self.called, caller, speaker, yes, found))
                if seat != speaker:
                    self._learn(seat, self._clue(seat, speaker, yes, found))
        self.called += 1
        self._next_turn()

    def _clue(self, listener: int, speaker: int, yes: bool, found_true: bool | None) -> Clue:
        if found_true is None:
            from_honest = self.rules.base_rate if yes else 1 - self.rules.base_rate
            from_liar = 1 - from_honest
        else:
            from_honest = 1 - self.rules.misread if found_true else self.rules.misread
            from_liar = 1 - from_honest
        if self.players[listener].role == "law":
            return Clue(speaker, from_honest, from_liar)
        return Clue(speaker, from_liar, from_honest)

    def _next_turn(self) -> None:
        self.turn += 1
        self.last_receiver = None
        if self.turn == 2 * self.rules.players:
            self.ending = self._end()

    # ---- beliefs -------------------------------------------------------------------------------------------------

    def worlds(self, seat: int) -> Iterator[tuple[set[int], float]]:
        """Every way to pick the seat's friends among the others, with its weight by the clues."""
        others = [other for other in range(self.rules.players) if other != seat]
        for friends in combinations(others, len(self.side(self.players[seat].role)) - 1):
            weight = 1.0
            for clue in self.players[seat].clues:
                weight *= clue.if_friend if clue.about in friends else clue.if_enemy
            yield set(friends), weight

    def beliefs(self, seat: int) -> list[float]:
        """The chance that each seat is a friend; 1 for oneself."""
        worlds = list(self.worlds(seat))
        total = sum(weight for _, weight in worlds)
        return [1.0 if other == seat else sum(weight for friends, weight in worlds if other in friends) / total
                for other in range(self.rules.players)]

    def _learn(self, seat: int, clue: Clue) -> None:
        player = self.players[seat]
        player.clues.append(clue)
        if all(weight == 0 for _, weight in self.worlds(seat)):
            player.clues.clear()
            player.resets += 1

    # ---- the end -------------------------------------------------------------------------------------------------

    def medkits(self, role: str) -> int:
        return sum(tool == "medkit" for seat in self.side(role) for _, tool in self.players[seat].lying)

    def worth_of(self, seat: int) -> int:
        return sum(self.rules.worth[tool] for _, tool in self.players[seat].lying)

    def points(self, role: str) -> int:
        bonus = self.rules.odd_bonus if role == self.smaller else 0
        return sum(self.worth_of(seat) for seat in self.side(role)) + bonus

    def misdirected(self, tool: str) -> int:
        """Tools of a kind that lie where their givers cannot have wanted them."""
        wrong = 0
        for player in self.players:
            for giver, given in player.lying:
                same = self.players[giver].role == player.role
                wrong += given == tool and same is (tool == "bullet")
        return wrong

    def _end(self) -> Ending:
        for reason, measure in (("points", self.points), ("medkits", self.medkits)):
            if measure("law") != measure("crooked"):
                return Ending("law" if measure("law") > measure("crooked") else "crooked", reason)
        if self.rules.level_games_go_to is None:
            return Ending(None, "draw")
        return Ending(self.rules.level_games_go_to, "tie_rule")

    def shares(self) -> list[float]:
        assert self.ending is not None
        return [0.5 if self.ending.winner is None else float(player.role == self.ending.winner)
                for player in self.players]


def deal_roles(rng: Random, players: int) -> list[str]:
    """Roles as the rules deal them: half and half, one card over at odd tables."""
    half = (players + 1) // 2
    cards = ["law"] * half + ["crooked"] * half
    rng.shuffle(cards)
    return cards[:players]


def play_random(rng: Random, rules: OracleRules, verifiable: float = 0.3) -> OracleGame:
    """A game of players who take any gift or interrogation with the same chance, and then any receiver."""
    truths = {(q, s): rng.random() < rules.base_rate for q in range(rules.players) for s in range(rules.players)}

    def verdict(question: int, listener: int, speaker: int) -> bool | None:
        return rng.random() >= rules.misread if rng.random() < verifiable else None

    game = OracleGame(deal_roles(rng, rules.players), rules, lambda q, s: truths[q, s], verdict)
    while game.ending is None:
        options: list[tuple[str, int] | str | None] = [*game.legal_gifts(), *game.legal_calls()]
        option = rng.choice(options)
        if isinstance(option, tuple):
            game.give(*option)
        else:
            game.call(option)
    return game
