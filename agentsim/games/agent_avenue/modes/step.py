"""One game of any mode, step by step: for people, for adapters, for policies with Python methods.

The same jitted rules as the batch kernel, one answer at a time::

    >>> from agentsim.games.agent_avenue.modes.step import new_game
    >>> from agentsim.games.agent_avenue.rules import make_rules
    >>> game = new_game(seed=1, rules=make_rules({"rules.mode": "advanced"}))
    >>> game.to_move, len(game.supply)
    (0, 3)
    >>> game = game.apply(game.legal_actions()[0])

A game is immutable: :meth:`ModeState.apply` returns the next one. A *seat* is a side, which in teams has two players.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue import step as base
from agentsim.games.agent_avenue.decision import deal_stream
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.actions import Action, answers
from agentsim.games.agent_avenue.modes.compile import compile_mode
from agentsim.games.agent_avenue.modes.market import draw_market
from agentsim.games.agent_avenue.modes.sides import discards_each, side_size
from agentsim.games.agent_avenue.modes.turn import answer, legal, start
from agentsim.games.agent_avenue.modes.view import ModeView, look_of
from agentsim.games.agent_avenue.position import Position
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.step import IllegalAction, named, text_of

__all__ = ["QUESTIONS", "ModeState", "Observation", "market_order", "new_game"]

QUESTIONS = ("play", "player_up", "face_up", "face_down", "take", "market", "member", "target", "recruit", "division_m")
"""What may be asked, as ``Observation.question`` says it; the order is that of ``layout.ASK_PLAY`` and so on."""


@dataclass(frozen=True)
class Observation(base.Observation):
    """What one side, or one player of a team, may know, in names. ``lead`` is positive when the observer is ahead.

    The fields up to ``legal`` mean what they mean in the base game (:class:`..step.Observation`). For a team as a
    whole, which decides on what is public, ``player`` is None, and hand, discards and own face-down card are empty.

    ``question``: what is asked now, of whomever, one of :data:`QUESTIONS`; None when the game is over. ``players``,
    ``their_players``: how many the sides have. ``partner_hand``: cards in the partner's hand. ``known_of_us``,
    ``known_of_them``: hand cards of the own side and of the other that an effect named openly, as far as they have not
    been seen to leave (while two cards lie on the table, one of them may be the face-down one). ``space``,
    ``their_space``: where the spy pawns stand; ``division_m``, ``their_division_m``: the Division M pawns, None off the
    board; ``owed``, ``their_owed``: landings not resolved yet. ``ongoing``, ``their_ongoing``: Black Market cards
    before the sides, in the order taken; ``supply``: those that lie face up; ``market_pile``: how many lie face down;
    ``taken``: the one that is being carried out.
    """

    legal: tuple[Action, ...]  # type: ignore[assignment]  # those of every mode
    player: int | None
    question: str | None
    active: bool
    players: int
    their_players: int
    partner_hand: int
    known_of_us: dict[str, int]
    known_of_them: dict[str, int]
    space: int
    their_space: int
    division_m: int | None
    their_division_m: int | None
    owed: int
    their_owed: int
    ongoing: tuple[str, ...]
    their_ongoing: tuple[str, ...]
    supply: tuple[str, ...]
    market_pile: int
    taken: str | None


class ModeState(Position):
    """A position of any mode; seats are sides. Made by :func:`new_game`."""

    @property
    def lone(self) -> int | None:
        """The side that is one player when three play, else None."""
        return _or_none(self.table[x.LONE])

    @property
    def question(self) -> str | None:
        """What is asked, one of :data:`QUESTIONS`; None when the game is over."""
        return None if self.is_over else QUESTIONS[int(self.state[x.DECISION])]

    @property
    def to_move(self) -> int:
        """The side that decides now; -1 when the game is over."""
        return -1 if self.is_over else int(self.state[x.ASKED])

    @property
    def player_to_move(self) -> int | None:
        """The player of that side whose own hand the decision is about; None if a team decides together, or it is over.

        A single player is player 0.
        """
        return None if self.is_over else _or_none(self.state[x.ASKED_MEMBER])

    @property
    def supply(self) -> tuple[str, ...]:
        """The Black Market cards that lie face up, from the left."""
        return self._market(self.state[x.SUPPLY:x.SUPPLY + int(self.state[x.N_SUPPLY])])

    @property
    def market_pile_left(self) -> int:
        """Cards in the face-down Black Market pile."""
        return int(self.state[x.N_PILE] - self.state[x.BOARD])

    @property
    def face_up(self) -> str | None:
        """The face-up card on the table, None if there is none."""
        up = max(int(self.state[e.UP]), int(self.state[x.TABLE_UP]))
        return self.rules.names[up] if up >= 0 else None

    def players(self, seat: int) -> int:
        """How many players a side has, 1 or 2."""
        return int(side_size(self.table, _seat(seat)))

    def hand(self, seat: int, player: int = 0) -> dict[str, int]:
        """A player's hand, copies by name. Not for policies: they get :meth:`observe`."""
        return named(int(self.state[x.HANDS + self._slot(seat, player)]), self.rules.names)

    def in_play(self, seat: int) -> dict[str, int]:
        """The agents recruited by a side, copies by name."""
        return named(int(self.state[e.PLAY + _seat(seat)]), self.rules.names)

    def ongoing(self, seat: int) -> tuple[str, ...]:
        """The ongoing Black Market cards of a side in the order in which they were taken."""
        first = x.ORDER + 64 * _seat(seat)
        return self._market(self.state[first:first + int(self.state[x.N_HELD + seat])])

    def space(self, seat: int) -> int:
        """Where a side's spy pawn stands."""
        return int(self.state[x.SPACE + _seat(seat)])

    def m_space(self, seat: int) -> int | None:
        """Where a side's Division M pawn stands; None off the board."""
        return _or_none(self.state[x.M_SPACE + _seat(seat)])

    def legal_actions(self) -> list[Action]:
        """Everything that whoever is asked may do, in table order; empty when the game is over."""
        return [action for action, _ in self.legal_answers()]

    def legal_answers(self) -> list[tuple[Action, int]]:
        """The legal actions, each with the number that the engine knows it by (``layout.py``)."""
        ask, options = int(self.state[x.DECISION]), int(self.state[x.OPTIONS])
        return [(action, option) for action, option in answers(ask, options, self.rules.names, self.supply)
                if legal(self.state, self.table, option)]

    def apply(self, action: Action) -> ModeState:
        """The position after an action. Raises IllegalAction, naming what is legal, if the rules do not allow it."""
        known = dict(self.legal_answers())
        if not _hashable(action) or action not in known:
            what = "; ".join(map(str, known)) if known else "nothing, the game is over"
            raise IllegalAction(f"'{action}' is not legal here; legal: {what}")
        return self.apply_answer(known[action])

    def apply_answer(self, option: int) -> ModeState:
        """The position after the answer of that number, which must be legal."""
        state = self.state.copy()
        answer(state, self.table, option)
        return ModeState(self.rules, self.table, state)

    def observe(self, seat: int, player: int | None = None) -> Observation:
        """What a side may know, or one player of it.

        Without ``player`` a team is shown what is public, which is what it decides on together; a single player is
        shown its hand in either case.
        """
        members = self.players(seat)
        if player is None and members == 1:
            player = 0
        if player is not None:
            self._slot(seat, player)
        member = -1 if player is None else player
        view, names = look_of(self.state, self.table, seat, member), self.rules.names
        asked = self.to_move == seat and (self.player_to_move is None or self.player_to_move == member)
        place = int(self.state[x.DECISION])
        knows_down = place == x.ASK_TAKE and view.active and member == self.state[x.DOWN_MEMBER]
        return Observation(
            seat, asked, self.turn, named(view.hand, names), named(view.mine, names), named(view.theirs, names),
            named(view.tossed, names), int(view.lead), int(view.gap_me), int(view.gap_them), int(view.discards_left),
            int(view.their_discards_left), int(view.deck), int(view.their_hand), self.face_up,
            names[int(self.state[e.DOWN])] if knows_down else None,
            tuple(self.legal_actions()) if asked else (),
            player, self.question, bool(view.active), members, int(view.their_members), int(view.partner_hand),
            self._known(seat), self._known(1 - seat), int(view.space_me), int(view.space_them), _or_none(view.m_me),
            _or_none(view.m_them), int(view.owed_me), int(view.owed_them), self.ongoing(seat), self.ongoing(1 - seat),
            self.supply, int(view.pile), self._taken(view))

    def _known(self, seat: int) -> dict[str, int]:
        return named(int(self.state[x.SHOWN + 2 * seat] + self.state[x.SHOWN + 2 * seat + 1]), self.rules.names)

    def _taken(self, view: ModeView) -> str | None:
        return self._market([view.taken])[0] if view.taken >= 0 else None

    def _market(self, copies: Sequence[int] | NDArray[np.int64]) -> tuple[str, ...]:
        cards = self.rules.market_cards
        return tuple(cards[int(self.table[x.COPY + int(copy)])].id for copy in copies)

    def _slot(self, seat: int, player: int) -> int:
        members = self.players(seat)
        if isinstance(player, bool) or player not in range(members):
            raise InputError(f"side {seat} has no player {player}", allowed="0 or 1" if members == 2 else "0")
        return 2 * seat + player

    def __str__(self) -> str:
        ends = f"catches at {self.rules.gap_0:+d}, is caught at {-self.rules.gap_1:+d}"
        lines = [(f"turn {self.turn + 1}, side {self.active} is active; lead {self.lead:+d} for side 0 ({ends}); "
                  f"deck {self.deck_left}")]
        if self.rules.market_cards:
            lines.append(f"  market: {', '.join(self.supply) or 'nothing'}; pile {self.market_pile_left}")
        for seat in (0, 1):
            lines.append(f"  side {seat}: space {self.space(seat)}; in play {text_of(self.in_play(seat))}"
                         + (f"; before it {', '.join(self.ongoing(seat))}" if self.ongoing(seat) else "")
                         + ("" if (space := self.m_space(seat)) is None else f"; Division M pawn on {space}"))
            for player in range(self.players(seat)):
                used = int(self.state[x.SPENT + 2 * seat + player])
                who = f"player {player}: " if self.players(seat) == 2 else ""
                lines.append(f"    {who}hand {text_of(self.hand(seat, player))}; discards used {used} of "
                             f"{int(discards_each(self.table, seat))}")
        if self.face_up is not None:
            down = self.rules.names[int(self.state[e.DOWN])] if self.state[e.DOWN] >= 0 else None
            lines.append(f"  on the table: {self.face_up} face up" + (f", {down} face down" if down else ""))
        if self.is_over:
            who = "nobody wins" if self.winner is None else f"side {self.winner} wins"
            lines.append(f"  over: {who} by {self.end_reason}" + (" (tie rule)" if self.tie_rule_used else ""))
        else:
            whom = "" if self.players(self.to_move) == 1 or self.player_to_move is None else (
                f", player {self.player_to_move}")
            lines.append(f"  asked: side {self.to_move}{whom}: {self.question}")
        return "\n".join(lines)


def new_game(seed: int = 1, rules: Rules | None = None, *, deal: int = 0, lone: int | None = None) -> ModeState:
    """Deal a game. ``seed`` and ``deal`` fix every card, as in a run with that seed.

    ``lone``: which side is one player when three play; without it what the rules say, and side 0 if that is ``both``.
    """
    if not 0 <= seed < 2**64:
        raise InputError(f"{seed} is out of range", key="seed", allowed="0 to 2^64 - 1")
    rules = rules or Rules()
    table = compile_mode(rules, _lone(rules, lone))
    return ModeState(rules, table, started(table, np.uint64(seed), deal))


def started(table: NDArray[np.int64], seed: np.uint64, deal: int) -> NDArray[np.int64]:
    """The state of a game that waits for its first answer."""
    state = np.zeros(x.MODE_STATE, dtype=np.int64)
    start(state, table, np.uint64(deal_stream(seed, deal)), -1)
    return state


def market_order(seed: int, deal: int, rules: Rules) -> list[str]:
    """The Black Market cards of a deal in the order in which they come off the pile, the first supply included."""
    game = new_game(seed, rules, deal=deal)
    state = game.state.copy()
    while state[x.BOARD] < state[x.N_PILE]:
        draw_market(state)
    cards = rules.market_cards
    return [cards[int(game.table[x.COPY + int(copy)])].id for copy in state[x.PILE:x.PILE + int(state[x.N_PILE])]]


def _lone(rules: Rules, lone: int | None) -> int:
    if rules.players != 3:
        if lone is not None:
            raise InputError(f"nobody is alone with {rules.players} players", key="lone", allowed="3 players")
        return -1
    wanted = lone if lone is not None else 0 if rules.lone == "both" else int(rules.lone)
    if wanted not in (0, 1) or rules.lone not in ("both", str(wanted)):
        raise InputError(f"side {wanted} cannot be the lone player", key="lone",
                         allowed="0 or 1" if rules.lone == "both" else rules.lone)
    return wanted


def _seat(seat: int) -> int:
    if isinstance(seat, bool) or seat not in (0, 1):
        raise InputError(f"there is no seat {seat}", allowed="0 or 1")
    return seat


def _hashable(action: object) -> bool:
    try:
        hash(action)
    except TypeError:
        return False
    return True


def _or_none(number: int | np.int64) -> int | None:
    return int(number) if number >= 0 else None
