"""One game, step by step: for people, for adapters, for policies with Python methods.

The same jitted rules as the batch kernel, one action at a time::

    >>> from agentsim.games.agent_avenue.step import new_game
    >>> game = new_game(seed=1)
    >>> game.to_move, len(game.legal_actions()) > 0
    (0, True)
    >>> game = game.apply(game.legal_actions()[0])

A game is immutable: :meth:`GameState.apply` returns the next one, so positions can be kept, compared and forked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue import kernel as k
from agentsim.games.agent_avenue.policies.dispatch import decide_offer, decide_take
from agentsim.games.agent_avenue.policies.exchange import SCRATCH_SIZE
from agentsim.games.agent_avenue.policies.planner import WORK_SIZE
from agentsim.games.agent_avenue.rules import Rules, compile_rules, make_rules
from agentsim.games.agent_avenue.view import DISCARD, observe
from agentsim.jit import jit
from agentsim.rng import deal_key, decision_key, seat_key

__all__ = ["Action", "Discard", "GameState", "IllegalAction", "Observation", "Offer", "Take", "deck_order", "new_game",
           "play_rows"]


@dataclass(frozen=True, order=True)
class Offer:
    """Lay one card face up and one face down."""

    face_up: str
    face_down: str

    def __str__(self) -> str:
        return f"offer {self.face_up} face up, {self.face_down} face down"


@dataclass(frozen=True, order=True)
class Discard:
    """Put a hand card away face down and draw another."""

    name: str

    def __str__(self) -> str:
        return f"discard {self.name}"


@dataclass(frozen=True, order=True)
class Take:
    """Take the face-up card or the hidden one."""

    card: Literal["face_up", "hidden"]

    def __str__(self) -> str:
        return "take the face-up card" if self.card == "face_up" else "take the hidden card"


Action: TypeAlias = Offer | Discard | Take


class IllegalAction(ValueError):
    """An action that the rules do not allow here; the message names what is legal."""


@dataclass(frozen=True)
class Observation:
    """What one player may know, in names. ``lead`` is positive when the observer is ahead.

    ``discards_left`` and ``their_discards_left`` count discards, ``deck`` and ``their_hand`` cards. ``face_up`` is the
    card on the table while the opponent of the offerer chooses, else None. ``own_face_down`` is known to its offerer only.
    """

    seat: int
    to_move: bool
    turn: int
    hand: dict[str, int]
    mine: dict[str, int]
    theirs: dict[str, int]
    discarded: dict[str, int]
    lead: int
    catch_at: int
    caught_at: int
    discards_left: int
    their_discards_left: int
    deck: int
    their_hand: int
    face_up: str | None
    own_face_down: str | None
    legal: tuple[Action, ...]


@dataclass(frozen=True, eq=False)
class GameState:
    """A position. Made by :func:`new_game`; ``state`` is the engine's vector (do not write to it)."""

    rules: Rules
    table: NDArray[np.int64]
    state: NDArray[np.int64]

    @property
    def to_move(self) -> int:
        """The seat that decides now; -1 when the game is over."""
        if self.is_over:
            return -1
        active = int(self.state[e.ACTIVE])
        return active if self.state[e.PHASE] == e.PLAYING else 1 - active

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
        return e.END_REASONS[int(self.state[e.REASON])] if self.is_over else None

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
        """Cards in the deck."""
        return int(e.deck_left(self.state, self.table))

    def legal_actions(self) -> list[Action]:
        """Everything that the player to move may do, in table order; empty when the game is over."""
        if self.is_over:
            return []
        if self.state[e.PHASE] == e.TAKING:
            return [Take("face_up"), Take("hidden")]
        hand, names = int(self.state[e.HAND + self.active]), self.rules.names
        actions: list[Action] = [Offer(up, down) for i, up in enumerate(names) for j, down in enumerate(names)
                                 if e.may_offer(hand, i, j)]
        if e.may_discard(self.state, self.table):
            actions += [Discard(name) for i, name in enumerate(names) if (hand >> (4 * i)) & 15]
        return actions

    def apply(self, action: Action) -> GameState:
        """The position after an action. Raises IllegalAction, naming what is legal, if the rules do not allow it."""
        legal = self.legal_actions()
        if action not in legal:
            what = "; ".join(map(str, legal)) if legal else "nothing, the game is over"
            raise IllegalAction(f"'{action}' is not legal here; legal: {what}")
        state, names = self.state.copy(), self.rules.names
        if isinstance(action, Discard):
            e.discard(state, self.table, names.index(action.name))
        elif isinstance(action, Offer):
            e.offer(state, self.table, names.index(action.face_up), names.index(action.face_down))
        else:
            e.take(state, self.table, action.card == "face_up")
            e.end_step(state, self.table)
        return GameState(self.rules, self.table, state)

    def observe(self, seat: int) -> Observation:
        """What a seat may know."""
        if seat not in (0, 1):
            raise InputError(f"there is no seat {seat}", allowed="0 or 1")
        view, names = observe(self.state, self.table, seat), self.rules.names
        mine_to_move = self.to_move == seat
        offered = self.state[e.PHASE] == e.TAKING
        return Observation(
            seat, mine_to_move, self.turn, _named(view.hand, names), _named(view.mine, names), _named(view.theirs, names),
            _named(view.tossed, names), int(view.lead), int(view.gap_me), int(view.gap_them), int(view.discards_left),
            int(view.their_discards_left), int(view.deck), int(view.their_hand),
            names[int(view.up)] if offered else None,
            names[int(self.state[e.DOWN])] if offered and seat == self.active else None,
            tuple(self.legal_actions()) if mine_to_move else ())

    def hand(self, seat: int) -> dict[str, int]:
        """A seat's hand, copies by name. Not for policies: they get :meth:`observe`."""
        return _named(int(self.state[e.HAND + seat]), self.rules.names)

    def in_play(self, seat: int) -> dict[str, int]:
        """The agents recruited by a seat, copies by name."""
        return _named(int(self.state[e.PLAY + seat]), self.rules.names)

    def __str__(self) -> str:
        lines = [f"turn {self.turn + 1}, seat {self.active} offers; lead {self.lead:+d} for seat 0 "
                 f"(catches at {self.rules.gap_0:+d}, is caught at {-self.rules.gap_1:+d}); deck {self.deck_left}"]
        for seat in (0, 1):
            used = int(self.state[e.USED + seat])
            lines.append(f"  seat {seat}: hand {_text(self.hand(seat))}; in play {_text(self.in_play(seat))}; "
                         f"discards used {used} of {self.rules.discards}")
        if self.state[e.PHASE] == e.TAKING:
            names = self.rules.names
            lines.append(f"  on the table: {names[int(self.state[e.UP])]} face up, "
                         f"{names[int(self.state[e.DOWN])]} face down")
        if self.is_over:
            who = "nobody wins" if self.winner is None else f"seat {self.winner} wins"
            lines.append(f"  over: {who} by {self.end_reason}" + (" (tie rule)" if self.tie_rule_used else ""))
        return "\n".join(lines)


def new_game(seed: int = 1, rules: Rules | None = None, *, deal: int = 0) -> GameState:
    """Deal a game. ``seed`` and ``deal`` fix every card, as in a run with that seed."""
    if not 0 <= seed < 2**64:
        raise InputError(f"{seed} is out of range", key="seed", allowed="0 to 2^64 - 1")
    rules = rules or make_rules()
    table, state = compile_rules(rules), np.zeros(e.STATE_SIZE, dtype=np.int64)
    e.deal(state, table, _deal_key(np.uint64(seed), deal))
    return GameState(rules, table, state)


def deck_order(seed: int, deal: int, rules: Rules | None = None) -> list[str]:
    """The cards of a deal in the order in which they leave the deck: hand of seat 0, hand of seat 1, then the draws."""
    game = new_game(seed, rules, deal=deal)
    state = game.state.copy()
    names = game.rules.names
    for _ in range(game.deck_left):
        e.draw(state, game.table)
    return [names[number] for number in state[e.DECK:e.DECK + game.rules.n_cards]]


@jit
def _deal_key(seed, deal):  # type: ignore[no-untyped-def]
    return deal_key(seed, deal)


@jit
def _decision(seed, matchup, game, seat, turn, kind):  # type: ignore[no-untyped-def]
    return decision_key(seat_key(seed, matchup, game, seat), turn, kind)


@jit
def _one_offer(family, user, state, table, seat, rows, policy, scratch, work, key):  # type: ignore[no-untyped-def]
    return decide_offer(family, user, observe(state, table, seat), table, rows, policy, scratch, work, key)


@jit
def _one_take(family, user, state, table, seat, rows, policy, scratch, work, key):  # type: ignore[no-untyped-def]
    return decide_take(family, user, observe(state, table, seat), table, rows, policy, scratch, work, key)


def choose_action(game: GameState, player: Any, key: np.uint64) -> Action:
    """What a player (``session.make_player``) does in a position, with the random stream ``key`` of this decision."""
    seat, names = game.to_move, game.rules.names
    taking = game.state[e.PHASE] == e.TAKING
    if player.python is not None:
        action: Action = (player.python.choose if taking else player.python.offer)(game.observe(seat))
        return action
    scratch, work = np.zeros(SCRATCH_SIZE, dtype=np.int64), np.zeros(WORK_SIZE)
    rows = player.row[np.newaxis, :]
    if taking:
        up = _one_take(player.family, player.take, game.state, game.table, seat, rows, 0, scratch, work, key)
        return Take("face_up" if up else "hidden")
    code = int(_one_offer(player.family, player.offer, game.state, game.table, seat, rows, 0, scratch, work, key))
    if code >= DISCARD:
        return Discard(names[code - DISCARD])
    return Offer(names[code >> 4], names[code & 15])


def play_one(seed: int, matchup: int, index: int, per_deal: int, rules: Rules, players: Sequence[Any],
             ) -> list[tuple[GameState, Action]]:
    """One game of a run again, as its positions with the action taken in each; then the final position with no action."""
    game = new_game(seed, rules, deal=index // per_deal)
    swap = index % 2 if per_deal == 2 else 0
    course: list[tuple[GameState, Any]] = []
    while not game.is_over:
        seat = game.to_move
        kind = k.KIND_TAKE if game.state[e.PHASE] == e.TAKING else int(game.state[e.STEP])
        key = np.uint64(_decision(np.uint64(seed), matchup, index, seat, game.turn, kind))
        action = choose_action(game, players[seat ^ swap], key)
        course.append((game, action))
        try:
            game = game.apply(action)
        except IllegalAction as error:
            raise InputError(f"policy '{players[seat ^ swap].ref.label}', game {index}: {error}", key="policies") from None
    course.append((game, None))
    return course


def play_rows(seed: np.uint64, matchup: int, first: int, n_games: int, per_deal: int, rules: Rules,
              table: NDArray[np.int64], players: Sequence[Any]) -> tuple[NDArray[Any], ...]:
    """The kernel's rows for games with a policy in Python: the same columns, one step at a time and slow."""
    games = np.zeros((n_games, k.GAME_WIDTH), dtype=np.int16)
    finals = np.zeros((n_games, 2), dtype=np.int64)
    turns: list[NDArray[np.int16]] = []
    turn_game: list[int] = []
    hands: list[int] = []
    for index in range(n_games):
        course = play_one(int(seed), matchup, first + index, per_deal, rules, players)
        end = course[-1][0].state
        winner = int(end[e.WINNER])
        row = np.full(k.TURN_WIDTH, -1, dtype=np.int16)
        for (game, action), (after, _) in zip(course[:-1], course[1:], strict=True):
            names = rules.names
            if isinstance(action, Discard):
                row[k.T_DISCARDED + int(game.state[e.STEP])] = names.index(action.name)
            elif isinstance(action, Offer):
                hands.append(int(game.state[e.HAND + game.active]))
                row[[k.T_TURN, k.T_ACTIVE, k.T_DISCARDS]] = game.turn, game.active, game.state[e.STEP]
                row[[k.T_UP, k.T_DOWN]] = names.index(action.face_up), names.index(action.face_down)
            else:
                row[k.T_TOOK_UP] = action.card == "face_up"
                row[[k.T_REC_ACTIVE, k.T_REC_OTHER]] = after.state[e.RECRUITED:e.RECRUITED + 2]
                row[[k.T_MOVE_ACTIVE, k.T_MOVE_OTHER]] = after.state[e.MOVED:e.MOVED + 2]
                row[k.T_LEAD] = after.lead
                row[k.T_WON] = -1 if winner < 0 else game.active == winner
                turns.append(row)
                turn_game.append(index)
                row = np.full(k.TURN_WIDTH, -1, dtype=np.int16)
        games[index] = [winner, end[e.REASON], end[e.TIE], end[e.TURN] + 1, end[e.LEAD], end[e.USED], end[e.USED + 1],
                        end[e.ACTIVE]]
        finals[index] = end[e.PLAY:e.PLAY + 2]
    rows = np.array(turns, dtype=np.int16).reshape(-1, k.TURN_WIDTH)
    return games, finals, rows, np.array(turn_game, dtype=np.int64), np.array(hands, dtype=np.int64)


def _named(zone: int, names: Sequence[str]) -> dict[str, int]:
    return {name: (int(zone) >> (4 * number)) & 15 for number, name in enumerate(names)
            if (int(zone) >> (4 * number)) & 15}


def _text(cards: dict[str, int]) -> str:
    return ", ".join(name if copies == 1 else f"{copies} {name}" for name, copies in cards.items()) or "nothing"
