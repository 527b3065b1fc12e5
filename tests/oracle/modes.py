"""Agent Avenue in every mode, played slowly and plainly: base and advanced, two players and teams, Division M.

Written from the pages ``docs/rules/agent_avenue*.md`` with the standard library alone.  All decisions come from
outside: the game runs until it needs one, says so in ``pending``, and goes on with ``choose``.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .agent_avenue import Card, Ending, OracleIllegal, OracleRules, standard_cards
from .market import INSTANT, MarketCard
from .mode_end import end_step
from .table import Decision, MarketEvent, Play, Player, Side

M_TRAPS = ("standing", "stopping")


@dataclass(frozen=True)
class PawnCard(Card):
    """An agent with Division M symbols for its 1st, 2nd, and 3rd-or-later copy: ``"home"``, or up to so many spaces."""

    symbols: tuple[str | int, str | int, str | int] = (0, 0, 0)

    def symbol(self, count: int) -> str | int:
        """The symbol that recruiting this card shows when ``count`` of it, itself included, are then in play."""
        return self.symbols[min(count, 3) - 1]


def division_m_cards() -> dict[str, Card]:
    """The 44 agent cards with Division M: the handlers move no spy pawn."""
    return {**standard_cards(), "handler": PawnCard(6, 0, 0, 0, symbols=("home", 1, 2))}


@dataclass(frozen=True)
class ModeRules(OracleRules):
    """The rules of one table, in any mode.

    players: 2, 3 or 4; lone: the side that is one player when three play; team_discards: for each player of a team of
    two; market_cards: the Black Market in table order, empty in base mode; market_copies: copies other than 1, by name;
    corners: its spaces; supply: cards that lie face up; m_trap: ``standing`` (a spy pawn on the other side's Division M
    pawn at End is caught) or ``stopping`` (only if it moved in that turn).
    """

    players: int = 2
    lone: int = 0
    team_discards: int = 2
    market_cards: Mapping[str, MarketCard] = field(default_factory=dict)
    market_copies: Mapping[str, int] = field(default_factory=dict)
    corners: tuple[int, ...] = (2, 5, 9, 12)
    supply: int = 3
    m_trap: str = "standing"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.players not in (2, 3, 4) or self.lone not in (0, 1):
            raise ValueError("2, 3 or 4 players; the lone side is 0 or 1")
        if self.m_trap not in M_TRAPS:
            raise ValueError(f"m_trap {self.m_trap!r}: standing or stopping")
        if sum(card.copies for card in self.cards.values()) < self.players * self.hand_size:
            raise ValueError("too few cards to deal all hands")

    @property
    def teams(self) -> bool:
        """The team variant is played."""
        return self.players > 2

    def side_size(self, side: int) -> int:
        """Players of a side."""
        if self.players == 3:
            return 1 if side == self.lone else 2
        return self.players // 2

    def market_pile(self) -> list[str]:
        """Every Black Market card of the box, unshuffled."""
        return [name for name in self.market_cards for _ in range(self.market_copies.get(name, 1))]


class ModeGame:
    """One game.  Side 0 starts.

    deck: the agent cards, ``deck[k]`` is the k-th one drawn, whoever draws it; hands are dealt side by side, player by
    player.  market: the Black Market cards in the order in which they come off the pile; the first three lie face up.

    ``pending`` is the Decision that the game waits for, None when it is over; ``choose(option)`` answers it.  With
    ``begin=False`` the table may be rearranged before ``begin()``.  ``questions`` and ``history`` are the decisions and
    the options chosen so far; ``turn_rows`` and ``market_rows`` are what happened, for ``mode_logs`` to write down.
    Raises ValueError for decks that are not made of the rules' cards, OracleIllegal for an option that is not offered.
    """

    def __init__(
        self, deck: Sequence[str], rules: ModeRules, market: Sequence[str] = (), *, begin: bool = True
    ) -> None:
        if Counter(deck) != {name: card.copies for name, card in rules.cards.items() if card.copies > 0}:
            raise ValueError("the deck does not hold exactly the cards of the rules")
        if Counter(market) != Counter(rules.market_pile()):
            raise ValueError("the Black Market pile does not hold exactly the cards of the rules")
        self.rules = rules
        self.deck = list(deck)
        self.market_pile = list(market)
        self.supply = [self.market_pile.pop(0) for _ in range(min(rules.supply, len(market)))]
        self.market_discards: list[str] = []
        self.out_of_the_game: list[str] = []
        self.sides = [
            Side(number, home, rules.ring, [Player() for _ in range(rules.side_size(number))],
                 dict.fromkeys(rules.cards, 0))
            for number, home in ((0, rules.home_0), (1, rules.home_1))
        ]  # fmt: skip
        self.offered: list[str] = []
        self.active = 0
        self.turn = 0
        self.ending: Ending | None = None
        self.pending: Decision | None = None
        self.questions: list[Decision] = []
        self.history: list[Any] = []
        self.turn_rows: list[dict[str, Any]] = []
        self.market_rows: list[dict[str, Any]] = []
        for side in self.sides:
            for player in side.players:
                self._draw_up(player)
        self._fresh = (list(deck), list(market))
        self._setup: dict[str, Any] | None = None
        if begin:
            self._begin()

    # ---- being played ------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Start from the table as it lies now."""
        self._setup = {key: copy.deepcopy(value) for key, value in vars(self).items() if key != "rules"}
        self._begin()

    def _begin(self) -> None:
        self._all_agents = self._agents_everywhere()
        self._all_market = self._market_everywhere()
        self._run = self._play_game()
        self._wait(next(self._run, None))

    def choose(self, option: Any) -> None:
        """Answer ``pending`` with one of its options; the game runs on to the next question."""
        if self.pending is None:
            raise OracleIllegal("the game is over" if self.ending else "the game has not begun")
        # True == 1 in Python; a card taken is not a player.
        for legal in self.pending.options:
            if option is legal or (option == legal and type(option) is type(legal)):
                break
        else:
            raise OracleIllegal(f"{self.pending.kind}: cannot choose {option!r} from {self.pending.options}")
        self.questions.append(self.pending)
        self.history.append(option)
        try:
            self._wait(self._run.send(option))
        except StopIteration:
            self._wait(None)

    def _wait(self, decision: Decision | None) -> None:
        if decision is not None and not decision.options:
            raise AssertionError(f"a question without an answer: {decision}")
        self.pending = decision

    def again(self, history: Iterable[Any]) -> ModeGame:
        """The same game from its beginning, played with these options."""
        if self._setup is None:
            game = ModeGame(self._fresh[0], self.rules, self._fresh[1])
        else:
            game = object.__new__(ModeGame)
            vars(game).update(copy.deepcopy(self._setup), rules=self.rules)
            game.begin()
        for option in history:
            game.choose(option)
        return game

    # ---- looking at the table ----------------------------------------------------------------------------------------

    @property
    def question(self) -> Decision:
        """What is pending; for a game that is known to wait for something."""
        assert self.pending is not None
        return self.pending

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.ending is not None

    @property
    def lead(self) -> int:
        """Side 0's moves minus side 1's."""
        return self.sides[0].moves - self.sides[1].moves

    @property
    def active_side(self) -> Side:
        """The side whose turn it is."""
        return self.sides[self.active]

    def rival(self, side: Side) -> Side:
        """The other side."""
        return self.sides[1 - side.number]

    def names_of(self, cards: Iterable[str]) -> list[str]:
        """The different names among these cards, in table order."""
        held = set(cards)
        return [name for name in self.rules.cards if name in held]

    def discards_each(self, side: Side) -> int:
        """Discards that each player of a side has for the game."""
        return self.rules.team_discards if side.is_team else self.rules.discards

    def _agents_everywhere(self) -> Counter[str]:
        found = Counter([*self.deck, *self.out_of_the_game, *self.offered])
        for side in self.sides:
            found.update(side.agents)
            for player in side.players:
                found.update([*player.hand, *player.discarded])
        return +found

    def _market_everywhere(self) -> Counter[str]:
        found = Counter([*self.market_pile, *self.supply, *self.market_discards])
        for side in self.sides:
            found.update(card.name for card in side.ongoing)
        return found

    def check_conserved(self) -> None:
        """Raise AssertionError if a card has been lost or has appeared since the game began.

        In the middle of an effect a card may be between two places; ask between effects or at a question.
        """
        assert self._agents_everywhere() == self._all_agents
        assert self._market_everywhere() == self._all_market

    # ---- a turn ------------------------------------------------------------------------------------------------------

    def _play_game(self) -> Play:
        while not self.over:
            yield from self._turn()

    def _turn(self) -> Play:
        active = self.active_side
        other = self.rival(active)
        for side in self.sides:
            side.moved = False
        row: dict[str, Any] = {"turn": self.turn, "active": self.active}
        self._seq = 0

        up, down = yield from self._play(active, row)

        # Recruit: the other side takes one of the two cards, the active side gets the other one.
        took_face_up = yield Decision("take", other.number, None, (True, False))
        card_of_other, card_of_active = (up, down) if took_face_up else (down, up)
        self.offered = []
        # Both spy pawns move, what they do on landing included ...
        move_active = self.recruit(active, card_of_active)
        move_other = self.recruit(other, card_of_other)
        # ... then the Division M pawns, the active side's first ...
        yield from self._division_m_of(active, card_of_active)
        yield from self._division_m_of(other, card_of_other)
        # ... then the Black Market.
        yield from self._landings()

        row["took_face_up"] = took_face_up
        row["recruited_active"], row["recruited_other"] = card_of_active, card_of_other
        row["move_active"], row["move_other"] = move_active, move_other
        row["lead_after"] = self.lead
        row["m_space_0"], row["m_space_1"] = self.sides[0].m_space, self.sides[1].m_space
        self.turn_rows.append(row)

        self.ending = end_step(self)
        self.turn += 1
        if not self.over:
            self.active = other.number

    # ---- Play --------------------------------------------------------------------------------------------------------

    def _play(self, side: Side, row: dict[str, Any]) -> Any:
        """The Play step; returns the face-up and the face-down card."""
        # T1: in teams, a single card left when Play starts is kept for drawing up.
        may_discard = not (self.rules.teams and len(self.deck) == 1)
        player_up = 0
        if side.is_team:
            player_up = yield Decision("player_up", side.number, None, (0, 1))
        player_down = 1 - player_up if side.is_team else player_up

        hand = side.players[player_up].hand
        discards_up: list[str] = []
        discards_down: list[str] = []
        if may_discard:
            yield from self._discards(side, player_up, discards_up)
        hand_up = list(hand)
        up = yield Decision("face_up", side.number, player_up, tuple(self.names_of(hand)))
        hand.remove(up)
        self.offered = [up]

        # In a team the partner answers, having seen the face-up card.
        hand = side.players[player_down].hand
        if side.is_team and may_discard:
            yield from self._discards(side, player_down, discards_down)
        hand_down = list(hand) if side.is_team else None
        names = self.names_of(hand)
        other_names = [name for name in names if name != up]
        down = yield Decision("face_down", side.number, player_down, tuple(other_names or names))
        hand.remove(down)
        self.offered = [up, down]

        # Only now cards are drawn, the face-up player first.
        self._draw_up(side.players[player_up])
        self._draw_up(side.players[player_down])

        row["n_discards"] = len(discards_up) + len(discards_down)
        row["face_up"], row["face_down"] = up, down
        row["player_up"], row["player_down"] = (player_up, player_down) if self.rules.teams else (None, None)
        row["discards_up"], row["discards_down"] = discards_up, discards_down
        row["hand_up"], row["hand_down"] = hand_up, hand_down
        return up, down

    def _discards(self, side: Side, number: int, gone: list[str]) -> Play:
        """A player may put hand cards away, one by one, drawing one card for each."""
        player = side.players[number]
        while self.deck and len(player.discarded) < self.discards_each(side):
            name = yield Decision("discard", side.number, number, (None, *self.names_of(player.hand)))
            if name is None:
                return
            player.hand.remove(name)
            player.discarded.append(name)
            gone.append(name)
            player.hand.append(self.deck.pop(0))

    def _draw_up(self, player: Player) -> None:
        while len(player.hand) < self.rules.hand_size and self.deck:
            player.hand.append(self.deck.pop(0))

    def draw_up_everybody(self) -> None:
        """After an effect whoever has too few hand cards draws, the active side first."""
        for side in (self.active_side, self.rival(self.active_side)):
            for player in side.players:
                self._draw_up(player)

    # ---- recruiting and moving ---------------------------------------------------------------------------------------

    def recruit(self, side: Side, agent: str) -> int:
        """Put an agent into play and move the spy pawn; returns the spaces moved."""
        side.agents[agent] += 1
        move = self.rules.cards[agent].move(side.agents[agent])
        # R5, R13: set (the last one taken), then negate, then multiply, then add.
        for card in side.ongoing:
            instead = card.set_move(agent)
            if instead is not None:
                move = instead
        if any(card.negates(agent) for card in side.ongoing):
            move = abs(move)
        for card in side.ongoing:
            move *= card.factor(agent)
        for card in side.ongoing:
            move += card.bonus(agent)
        return self.move_spy(side, move)

    def recruit_by_effect(self, side: Side, agent: str, event: MarketEvent) -> Play:
        """An effect recruits: the spy pawn moves as usual, then the Division M pawn."""
        event.note_recruited(side, agent)
        self.recruit(side, agent)
        yield from self._division_m_of(side, agent)

    def move_spy(self, side: Side, spaces: int) -> int:
        """Move a spy pawn, with the moves that stopping on certain spaces causes; returns the spaces moved in all."""
        before = side.moves
        worked: set[str] = set()
        while spaces != 0:
            side.moves += spaces
            side.moved = True
            on_corner = bool(self.rules.market_cards) and side.space in self.rules.corners
            if on_corner:
                side.owed += 1
            stops = {
                "home": side.space in (self.sides[0].home, self.sides[1].home),
                "market": on_corner,
                "division_m": side.space == side.m_space,
            }
            spaces = 0
            for place, is_there in stops.items():
                if is_there and place not in worked:
                    worked.add(place)
                    spaces += sum(card.landing_move(place) for card in side.ongoing)
        return side.moves - before

    def _division_m_of(self, side: Side, agent: str) -> Play:
        card = self.rules.cards[agent]
        if isinstance(card, PawnCard):
            yield from self.division_m_symbol(side, card.symbol(side.agents[agent]))

    def division_m_symbol(self, side: Side, symbol: str | int) -> Play:
        """``home`` puts the pawn on its home space; a number moves a pawn on the board up to so many spaces."""
        if isinstance(symbol, str):
            side.m_space = side.home
        elif symbol > 0 and side.m_space is not None:
            around = range(side.m_space - symbol, side.m_space + symbol + 1)
            spaces = dict.fromkeys(space % self.rules.ring for space in around)
            side.m_space = yield Decision("division_m", side.number, None, tuple(spaces))

    # ---- the Black Market --------------------------------------------------------------------------------------------

    def _landings(self) -> Play:
        """Whoever owes a landing resolves it, the active side first, until nobody does."""
        active, other = self.active_side, self.rival(self.active_side)
        while active.owed or other.owed:
            side = active if active.owed else other
            side.owed -= 1
            if self.supply:
                yield from self._take_market_card(side)

    def _take_market_card(self, side: Side) -> Play:
        lay_there = list(self.supply)
        name = yield Decision("market", side.number, None, tuple(lay_there))
        member = 0
        if side.is_team:
            member = yield Decision("member", side.number, None, (0, 1))

        # The gap is filled before the card does anything; without a pile the cards close up.
        gap = self.supply.index(name)
        self.supply.pop(gap)
        if self.market_pile:
            self.supply.insert(gap, self.market_pile.pop(0))

        card = self.rules.market_cards[name]
        event = MarketEvent(side)
        before = side.moves
        if card.kind == INSTANT:
            self.market_discards.append(name)
            yield from card.resolve(self, side, member, event)
        else:
            side.ongoing.append(card)
        self.draw_up_everybody()

        supply = [lay_there[k] if k < len(lay_there) else None for k in range(self.rules.supply)]
        row: dict[str, Any] = {"turn": self.turn, "seq": self._seq, "seat": side.number}
        row.update({f"supply_{k}": each for k, each in enumerate(supply)})
        row["taken"] = name
        row["target"], row["recruited"] = event.target, event.recruited
        row["move"] = side.moves - before
        row["lead_after"] = self.lead
        row["member"] = member if self.rules.teams else None
        row["m_space_after"] = side.m_space
        self.market_rows.append(row)
        self._seq += 1
