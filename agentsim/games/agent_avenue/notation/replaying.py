"""From a record to positions: the game played again by the engine, on the cards that the record tells.

Where a record comes from a deal the engine deals it. Elsewhere the cards are put where the record says they were, and
placeholders where it says nothing; ``Step.sees`` tells whose cards are all known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue import step as base
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes import step as modes
from agentsim.games.agent_avenue.modes.actions import Action, Discard, FaceDown, FaceUp, Gain, Offer, PickCard, Target
from agentsim.games.agent_avenue.modes.hands import face_down_names
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.notation.clauses import clause
from agentsim.games.agent_avenue.notation.deck import Hidden, stack_deck, stack_pile
from agentsim.games.agent_avenue.notation.record import UNKNOWN, GameRecord, Ply, State, members, result_text
from agentsim.games.agent_avenue.step import IllegalAction
from agentsim.games.agent_avenue.zones import name_set

__all__ = ["Step", "play_record"]

_FROM_HAND = (x.OF_NAME, x.OF_ANY, x.OF_NEW, x.OF_PAIR)


@dataclass(frozen=True)
class Step:
    """A position of a recorded game and what was done in it (None in the last one).

    ``sees``: the players (seat, player) whose hands and discards are known; the cards of others are placeholders.
    ``line``: where the action stands in the file.
    """

    game: State
    action: Action | None
    sees: frozenset[tuple[int, int]]
    line: int = 0


def play_record(record: GameRecord) -> list[Step]:
    """The positions of a game in order. Raises InputError, with file and line, for what the rules do not allow."""
    return _Replay(record).play()


class _Replay:
    """One game being played again."""

    def __init__(self, record: GameRecord) -> None:
        self.record = record
        seed, deal = record.deal or (1, 0)
        where = record.at(record.lines.get("Lone", 0) or record.lines.get("Deal", 0))
        if record.lone is not None and record.rules.players != 3:
            raise InputError(f"nobody is alone with {record.rules.players} players", where=where, key="Lone",
                             allowed="with Rule: rules.players = 3")
        try:
            self.game: State = (base.new_game(seed, record.rules, deal=deal) if record.rules.plain else
                                modes.new_game(seed, record.rules, deal=deal, lone=record.lone))
        except InputError as error:
            raise error.at(where=where) from None
        self.players = [(seat, player) for seat in (0, 1) for player in range(members(self.game, seat))]
        self.hidden = None if record.deal else Hidden(self.game)
        self.names = record.rules.names

    def play(self) -> list[Step]:
        record = self.record
        self._deal()
        steps: list[Step] = []
        for number, ply in enumerate(record.plies):
            self._check_place(ply)
            game, action = self._prepared(ply, number == len(record.plies) - 1)
            try:
                after = game.apply(action)  # type: ignore[arg-type]
            except IllegalAction:
                raise self._illegal(ply, game) from None
            self._compare(ply, game, after)
            steps.append(Step(game, action, self._sees(game.state), ply.line))
            if self.hidden is not None:
                self._learn(ply, action, game, after)
            self.game = after
        steps.append(Step(self.game, None, self._sees(self.game.state)))
        self._check_result()
        return steps

    # --- the beginning ------------------------------------------------------------------------------------------------
    def _deal(self) -> None:
        record, hidden = self.record, self.hidden
        state = self.game.state.copy()
        for (seat, player), cards in record.hands.items():
            key = f"Hand {seat} player {player}" if members(self.game, seat) == 2 else f"Hand {seat}"
            where = record.at(record.lines.get(f"Hand {seat} {player}", 0))
            if (seat, player) not in self.players:
                raise InputError("there is no such player", where=where, key=key)
            place = self._place(seat, player)
            held = [int(state[place]) >> 4 * name & 15 for name in range(len(self.names))]
            stated = [cards.count(name) for name in self.names]
            if len(cards) != sum(held):
                raise InputError(f"has {len(cards)} cards", where=where, key=key, allowed=f"{sum(held)} cards")
            if hidden is None:
                if held != stated:
                    raise InputError("is not what the deal brings", where=where, key=key, allowed=", ".join(
                        name for name, copies in zip(self.names, held, strict=True) for _ in range(copies)))
                continue
            for number, copies in enumerate(stated):
                if not hidden.hold(state, self.game.table, place, number, copies):
                    raise InputError(f"there are not so many {self.names[number]} in the deck", where=where, key=key)
        if record.market:
            self._lay_market(state)
        self.game = type(self.game)(record.rules, self.game.table, state)

    def _lay_market(self, state: NDArray[np.int64]) -> None:
        record, where = self.record, self.record.at(self.record.lines.get("Market", 0))
        if not isinstance(self.game, ModeState) or not record.rules.advanced:
            raise InputError("there is no Black Market in this game", where=where, key="Market",
                             allowed="with Rule: rules.mode = advanced")
        n = int(state[x.N_SUPPLY])
        if len(record.market) != n:
            raise InputError(f"{len(record.market)} cards", where=where, key="Market", allowed=f"{n} cards")
        if record.deal:
            if record.market != self.game.supply:
                raise InputError("is not what the deal brings", where=where, key="Market",
                                 allowed=", ".join(self.game.supply))
            return
        ids = [card.id for card in record.rules.market_cards]
        free = list(range(int(self.game.table[x.PILE_SIZE])))
        for place, card in enumerate(record.market):
            copy = next((one for one in free if ids[int(self.game.table[x.COPY + one])] == card), -1)
            if copy < 0:
                raise InputError(f"there are not so many '{card}' in the pile", where=where, key="Market")
            free.remove(copy)
            state[x.SUPPLY + place] = state[x.PILE + place] = copy
        state[x.PILE + n:x.PILE + n + len(free)] = free

    # --- an action ----------------------------------------------------------------------------------------------------
    def _prepared(self, ply: Ply, last: bool) -> tuple[State, Action]:
        """The position with all cards where the action needs them, and the action with no unknown card in it."""
        game, action = self.game, ply.action
        seat = game.to_move
        state = game.state.copy()
        if self.hidden is None:
            if any(value == UNKNOWN for value in vars(action).values()):
                raise InputError("a card of a game with a deal is known: name it", where=self.record.at(ply.line))
            return game, action
        if seat < 0:
            raise self._illegal(ply, game)
        player = (game.player_to_move if isinstance(game, ModeState) else 0) or 0
        place = self._place(seat, player)
        needed = self._needs(action, ply, place)
        for name in set(needed):
            if not self.hidden.hold(state, game.table, place, self.names.index(name), needed.count(name)):
                raise InputError(f"{self._who(seat, player)} cannot hold {needed.count(name)} {name} here",
                                 where=self.record.at(ply.line), allowed=self._hand(state, place))
        if isinstance(action, Offer | FaceDown) and UNKNOWN in vars(action).values():
            if not last:
                raise InputError("the face-down card is known once it was taken or left: name it",
                                 where=self.record.at(ply.line))
            action = self._guess_down(state, place, action)
        if isinstance(action, Discard) and action.name == UNKNOWN:
            free = int(state[place]) - self.hidden.known[place]
            if not free:
                raise InputError("the whole hand is known: name the discarded card", where=self.record.at(ply.line))
            action = Discard(self.names[next(n for n in range(15) if free >> 4 * n & 15)])
        self._stack(state, ply, game)
        prepared: State = type(game)(self.record.rules, game.table, state)
        if isinstance(prepared, ModeState):
            self._know_hand(prepared, ply)
            if prepared.question in ("face_up", "face_down"):
                # What may be laid was worked out from placeholders.
                hand = np.int64(state[place])
                state[x.OPTIONS] = (name_set(hand) if prepared.question == "face_up" else
                                    face_down_names(hand, state[x.TABLE_UP]))
        return prepared, action

    def _needs(self, action: Action, ply: Ply, place: int) -> list[str]:
        """The hand cards that an action takes for granted."""
        if isinstance(action, Offer):
            return [name for name in (action.face_up, action.face_down) if name != UNKNOWN]
        if isinstance(action, Discard | FaceUp | FaceDown):
            return [action.name] if action.name != UNKNOWN else []
        if isinstance(action, Target) and isinstance(self.game, ModeState):
            state, table = self.game.state, self.game.table
            if table[x.EFFECTS + x.EFFECT_SIZE * int(state[x.EV_EFFECT]) + x.E_OP] in _FROM_HAND:
                return [action.agent]
        return []

    def _guess_down(self, state: NDArray[np.int64], place: int, action: Offer | FaceDown) -> Action:
        """A face-down card that could lie there."""
        up = action.face_up if isinstance(action, Offer) else self.names[int(state[x.TABLE_UP])]
        held = [name for number, name in enumerate(self.names) if int(state[place]) >> 4 * number & 15]
        down = next((name for name in held if name != up), up)
        return Offer(up, down) if isinstance(action, Offer) else FaceDown(down)

    def _stack(self, state: NDArray[np.int64], ply: Ply, game: State) -> None:
        """Put the cards that will be drawn on top of the deck, the card that refills the Black Market on its pile."""
        assert self.hidden is not None
        wanted = [self.names.index(name) for name in ply.draws if name != UNKNOWN]
        if len(ply.draws) > game.deck_left or not self.hidden.into_deck(state, game.table, wanted):
            raise InputError(f"{', '.join(ply.draws)} cannot be drawn here: they are not in the deck",
                             where=self.record.at(ply.line))
        if ply.draws:
            first = e.DECK + int(state[e.DRAWN])
            spare = [int(name) for name in state[first:first + game.deck_left]]
            for name in wanted:
                spare.remove(name)
            stack_deck(state, game.table, [self.names.index(name) if name != UNKNOWN else spare.pop()
                                           for name in ply.draws])
        if ply.refill and isinstance(game, ModeState):
            taken = int(state[x.BOARD])
            ids = [card.id for card in self.record.rules.market_cards]
            for copy in state[x.PILE + taken:x.PILE + int(state[x.N_PILE])].tolist():
                if ids[int(game.table[x.COPY + copy])] == ply.refill:
                    stack_pile(state, [copy])
                    return
            raise InputError(f"'{ply.refill}' is not in the Black Market pile", where=self.record.at(ply.line))

    def _know_hand(self, game: ModeState, ply: Ply) -> None:
        """Refuse a Black Market card that works on a hand which the record does not tell."""
        assert self.hidden is not None
        if not isinstance(ply.action, PickCard | Gain):
            return
        if isinstance(ply.action, PickCard):
            if game.players(game.to_move) == 2 or ply.action.card not in game.supply:
                return
            card, player = ply.action.card, 0
        else:
            copy = int(game.state[x.SUPPLY + int(game.state[x.EV_PLACE])])
            card, player = self.record.rules.market_cards[int(game.table[x.COPY + copy])].id, ply.action.member
        number = [one.id for one in self.record.rules.market_cards].index(card)
        first = int(game.table[x.FIRST_EFFECT + number])
        for effect in range(first, first + int(game.table[x.N_EFFECTS + number])):
            at = x.EFFECTS + x.EFFECT_SIZE * effect
            op, who = int(game.table[at + x.E_OP]), int(game.table[at + x.E_WHO])
            if op == x.FROM_DECK and (not ply.draws or ply.draws[0] == UNKNOWN) and game.deck_left:
                raise InputError(f"{card} recruits the top card of the deck: say which by draws",
                                 where=self.record.at(ply.line))
            if op not in _FROM_HAND:
                continue
            sides = [game.to_move] if who == x.OWN else [1 - game.to_move] if who == x.RIVAL else [0, 1]
            for seat, member in self.players:
                concerned = seat in sides and (seat != game.to_move or member == player)
                place = self._place(seat, member)
                if concerned and not self.hidden.known[place] == int(game.state[place]):
                    raise InputError(f"{card} works on the hand of {self._who(seat, member)}, which is not known here",
                                     where=self.record.at(ply.line),
                                     allowed="a game with Hand and draws, or with a Deal, for all of that player's "
                                     "cards")

    # --- afterwards ---------------------------------------------------------------------------------------------------
    def _compare(self, ply: Ply, game: State, after: State) -> None:
        """What the record says came off deck and pile must be what came."""
        first, last = int(game.state[e.DRAWN]), int(after.state[e.DRAWN])
        drawn = tuple(self.names[int(name)] for name in after.state[e.DECK + first:e.DECK + last])
        where = self.record.at(ply.line)
        if ply.draws and (len(ply.draws) != len(drawn) or any(
                said not in (UNKNOWN, was) for said, was in zip(ply.draws, drawn, strict=True))):
            allowed = (", ".join(drawn) or "none") if self.hidden is None else f"{len(drawn)} cards"
            raise InputError(f"draws {', '.join(ply.draws)}", where=where, allowed=f"{allowed} here")
        if ply.refill:
            came = self._refilled(game, after)
            if came != ply.refill:
                raise InputError(f"refill {ply.refill}", where=where, allowed=came or "no refill here")

    def _refilled(self, game: State, after: State) -> str:
        if not isinstance(game, ModeState) or after.state[x.BOARD] == game.state[x.BOARD]:
            return ""
        copy = int(after.state[x.PILE + int(game.state[x.BOARD])])
        return self.record.rules.market_cards[int(game.table[x.COPY + copy])].id

    def _learn(self, ply: Ply, action: Action, game: State, after: State) -> None:
        assert self.hidden is not None
        first, last = int(game.state[e.DRAWN]), int(after.state[e.DRAWN])
        said = ply.draws or (UNKNOWN,) * (last - first)
        drawn = [int(name) for name in after.state[e.DECK + first:e.DECK + last]]
        before = game.state.copy()
        if isinstance(ply.action, Discard) and ply.action.name == UNKNOWN:
            player = (game.player_to_move if isinstance(game, ModeState) else 0) or 0
            hand, gone = self.hidden.places[self.players.index((game.to_move, player))]
            one = 1 << 4 * self.names.index(action.name)  # type: ignore[union-attr]
            before[hand] -= one
            before[gone] += one
        # Whoever plays a card draws for it; a Black Market card may let anybody draw.
        plays = isinstance(action, Offer | Discard | FaceUp | FaceDown)
        self.hidden.moved_on(before, after.state,
                             [name for name, word in zip(drawn, said, strict=True) if word == UNKNOWN],
                             [number for number, (seat, _) in enumerate(self.players)
                              if not plays or seat == game.to_move])

    def _sees(self, state: NDArray[np.int64]) -> frozenset[tuple[int, int]]:
        hidden = self.hidden
        return frozenset(who for number, who in enumerate(self.players) if hidden is None or all(
            hidden.sees(state, place) for place in hidden.places[number]))

    # --- errors -------------------------------------------------------------------------------------------------------
    def _check_place(self, ply: Ply) -> None:
        game, where = self.game, self.record.at(ply.line)
        if game.is_over:
            raise InputError(f"the game is over: {result_text(game)}", where=where, allowed="nothing more")
        if ply.turn and ply.turn != game.turn + 1:
            raise InputError(f"turn {ply.turn}", where=where, allowed=f"turn {game.turn + 1}; the turn before it "
                             "ends when everything in it is decided")
        if ply.seat >= 0 and ply.seat != game.to_move:
            raise InputError(f"it is not for seat {ply.seat} to decide", where=where, allowed=f"seat {game.to_move} "
                             f"{self._may(game)}")

    def _illegal(self, ply: Ply, game: State) -> InputError:
        return InputError(f"'{clause(ply.action)}' is not possible for seat {game.to_move}",
                          where=self.record.at(ply.line), allowed=self._may(game))

    def _may(self, game: State) -> str:
        words = [clause(action) for action in game.legal_actions()]
        return "; ".join(words[:12]) + (" ..." if len(words) > 12 else "") or "nothing, the game is over"

    def _check_result(self) -> None:
        said, where = self.record.result, self.record.at(self.record.lines.get("Result", 0))
        if not said:
            return
        if not self.game.is_over:
            raise InputError(f"'{said}', but the game is not over", where=where, key="Result",
                             allowed="the turns up to the end, or no result")
        if not result_text(self.game).startswith(said):
            raise InputError(f"'{said}' is not how this game ends", where=where, key="Result",
                             allowed=result_text(self.game))

    def _place(self, seat: int, player: int) -> int:
        return x.HANDS + 2 * seat + player if isinstance(self.game, ModeState) else e.HAND + seat

    def _who(self, seat: int, player: int) -> str:
        return f"player {player} of seat {seat}" if members(self.game, seat) == 2 else f"seat {seat}"

    def _hand(self, state: NDArray[np.int64], place: int) -> str:
        assert self.hidden is not None
        known = base.text_of(base.named(self.hidden.known[place], self.names))
        return f"its hand: {known}" if self.hidden.known[place] == int(state[place]) else (
            f"cards of the deck that are not known to be elsewhere; known of its hand: {known}")
