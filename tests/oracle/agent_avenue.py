"""Agent Avenue, base mode, played slowly and plainly: the second opinion on the fast engine.

Written from ``docs/rules/agent_avenue.md`` with the standard library alone.  Every step of a turn is one method, every
sentence of the End step one branch, so that a reader can hold the rules page beside it.

How the winner's ``end_reason`` is named.  It is the first that applies of

1. ``catch``: the winner has caught the opponent;
2. ``codebreakers``: the winner holds a set that wins (any card with ``wins_at``);
3. ``daredevils``: the opponent holds a set that loses (any card with ``loses_at``);
4. ``out_of_cards``: none of these; the cards ran out.

The same list serves when the tie rule decided.  A player who wins a tie without a win condition of its own always
faces an opponent with a losing set (either both hold one, or the opponent holds a win and a loss at once), so the
reason is then ``daredevils``.  When the tie rule says ``draw`` nobody wins, and the reason is the first of the four
that holds for anybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

TIE_RULES = ("active", "passive", "draw")


class OracleIllegal(ValueError):
    """An action that the rules do not allow at this point of the game."""


@dataclass(frozen=True)
class Card:
    """One agent: copies in the box, the moves of its 1st, 2nd, and 3rd-or-later copy, and its set conditions.

    ``wins_at`` / ``loses_at``: having that many or more in play is a win / a loss condition; 0 means never.
    """

    copies: int
    first: int
    second: int
    third: int
    wins_at: int = 0
    loses_at: int = 0

    def move(self, count: int) -> int:
        """Spaces moved by recruiting this card when ``count`` of it, itself included, are then in play."""
        if count == 1:
            return self.first
        if count == 2:
            return self.second
        return self.third


def standard_cards() -> dict[str, Card]:
    """The 38 cards of the box.  Sidekick and mole exist once, so only their first symbol can ever be used."""
    return {
        "double_agent": Card(6, -1, +6, -1),
        "enforcer": Card(6, +1, +2, +3),
        "codebreaker": Card(6, 0, 0, 0, wins_at=3),
        "saboteur": Card(6, -1, -1, -2),
        "daredevil": Card(6, +2, +3, 0, loses_at=3),
        "sentinel": Card(6, 0, +2, +6),
        "sidekick": Card(1, +4, +4, +4),
        "mole": Card(1, -3, -3, -3),
    }


@dataclass(frozen=True)
class OracleRules:
    """The rules of one table.  The defaults are the published base mode.

    hand_size: cards a player draws up to (at least 2); discards: per player and game; ring: spaces of the board;
    home_0, home_1: starting spaces; tie_rule: who gets a tie (``active``, ``passive``, ``draw``); cards: in card order.
    Raises ValueError when the fields contradict each other.
    """

    hand_size: int = 4
    discards: int = 4
    ring: int = 14
    home_0: int = 0
    home_1: int = 7
    tie_rule: str = "active"
    cards: Mapping[str, Card] = field(default_factory=standard_cards)

    def __post_init__(self) -> None:
        if self.hand_size < 2:
            raise ValueError(f"hand_size {self.hand_size}: a player needs two cards to make an offer")
        if self.discards < 0:
            raise ValueError(f"discards {self.discards}: must not be negative")
        if self.tie_rule not in TIE_RULES:
            raise ValueError(f"tie_rule {self.tie_rule!r}: one of {', '.join(TIE_RULES)}")
        if self.ring < 2 or self.home_0 % self.ring == self.home_1 % self.ring:
            raise ValueError("the two homes must be different spaces of the ring")
        if sum(card.copies for card in self.cards.values()) < 2 * self.hand_size:
            raise ValueError("too few cards to deal two hands")

    @cached_property
    def winning_sets(self) -> dict[str, int]:
        """Names whose copies in play can be a win condition, with the number that makes it one."""
        return {name: card.wins_at for name, card in self.cards.items() if card.wins_at > 0}

    @cached_property
    def losing_sets(self) -> dict[str, int]:
        """Names whose copies in play can be a loss condition, with the number that makes it one."""
        return {name: card.loses_at for name, card in self.cards.items() if card.loses_at > 0}

    def distance(self, seat: int) -> int:
        """Spaces between a player's home and the other player's home ahead: what that player must gain to catch."""
        ahead = (self.home_1 - self.home_0) % self.ring
        return ahead if seat == 0 else self.ring - ahead

    def tie_winner(self, active: int) -> int | None:
        """Who gets a tie when ``active`` is the seat whose turn it is."""
        if self.tie_rule == "active":
            return active
        if self.tie_rule == "passive":
            return 1 - active
        return None


STANDARD = OracleRules()


@dataclass(frozen=True)
class Ending:
    """How a game ended.  ``winner`` is None for a draw; ``tie_rule_used`` tells whether the tie rule decided."""

    winner: int | None
    end_reason: str
    tie_rule_used: bool


Played = Sequence[Mapping[str, int]]


def has_caught(seat: int, lead: int, rules: OracleRules) -> bool:
    """Has this player reached or passed the other's pawn?  ``lead`` is seat 0's moves minus seat 1's."""
    gained = lead if seat == 0 else -lead
    return gained >= rules.distance(seat)


def holds_a_set(area: Mapping[str, int], sets: Mapping[str, int]) -> bool:
    """Does this play area hold one of these sets?"""
    for name, size in sets.items():  # noqa: SIM110 - asked four times a turn of millions of games; any() is slow
        if area[name] >= size:
            return True
    return False


def end_by_conditions(active: int, lead: int, played: Played, rules: OracleRules) -> Ending | None:
    """The End step without its last sentence about running out: who wins or loses by what lies on the table."""
    caught = (has_caught(0, lead, rules), has_caught(1, lead, rules))
    winning_set = (holds_a_set(played[0], rules.winning_sets), holds_a_set(played[1], rules.winning_sets))
    lost = (holds_a_set(played[0], rules.losing_sets), holds_a_set(played[1], rules.losing_sets))
    won = (caught[0] or winning_set[0], caught[1] or winning_set[1])

    both_won = won[0] and won[1]
    both_lost = lost[0] and lost[1]
    one_player_has_both = (won[0] and lost[0]) or (won[1] and lost[1])
    tie = both_won or both_lost or one_player_has_both
    if tie:
        winner = rules.tie_winner(active)
    elif won[0] or lost[1]:
        winner = 0
    elif won[1] or lost[0]:
        winner = 1
    else:
        return None

    winners = (0, 1) if winner is None else (winner,)
    if any(caught[seat] for seat in winners):
        reason = "catch"
    elif any(winning_set[seat] for seat in winners):
        reason = "codebreakers"
    else:
        reason = "daredevils"
    return Ending(winner, reason, tie_rule_used=tie)


def end_by_running_out(active: int, lead: int, deck_left: int, next_hand: int, rules: OracleRules) -> Ending | None:
    """The last sentence of the End step: the next player cannot make an offer any more, the closer one wins."""
    if deck_left > 0 or next_hand >= 2:
        return None
    to_go_0 = rules.distance(0) - lead
    to_go_1 = rules.distance(1) + lead
    if to_go_0 == to_go_1:
        return Ending(rules.tie_winner(active), "out_of_cards", tie_rule_used=True)
    return Ending(0 if to_go_0 < to_go_1 else 1, "out_of_cards", tie_rule_used=False)


def end_check(
    active: int,
    lead: int,
    codebreakers: tuple[int, int] = (0, 0),
    daredevils: tuple[int, int] = (0, 0),
    deck_left: int = 1,
    next_hand: int = 2,
    rules: OracleRules = STANDARD,
) -> Ending | None:
    """The whole End step for two play areas that hold only codebreakers and daredevils; None when play goes on."""
    played: list[dict[str, int]] = []
    for seat in (0, 1):
        area = dict.fromkeys(rules.cards, 0)
        area["codebreaker"] = codebreakers[seat]
        area["daredevil"] = daredevils[seat]
        played.append(area)
    by_conditions = end_by_conditions(active, lead, played, rules)
    return by_conditions or end_by_running_out(active, lead, deck_left, next_hand, rules)


class Recruited(NamedTuple):
    """What one turn's Recruit step did: the two agents and how far each moved its owner."""

    recruited_active: str
    recruited_other: str
    move_active: int
    move_other: int


class OracleGame:
    """One game between seats 0 and 1.  Seat 0 starts.

    deck: every card of the game; ``deck[k]`` is the k-th card drawn, whoever draws it.  Seat 0 is dealt the first
    ``hand_size`` cards, seat 1 the next.

    A turn is ``discard(name)`` any number of times, then ``offer(up, down)``, then ``take(face_up)`` by the opponent.
    Raises ValueError for a deck that is not made of the rules' cards, OracleIllegal for an illegal action.

    Attributes: ``hands`` (two sorted lists of names), ``played`` (two dicts name -> copies in play), ``lead`` (seat 0's
    moves minus seat 1's), ``active`` (seat), ``turn`` (from 0), ``discards_used`` (two ints), ``offered`` (the pair on
    the table, or None), ``over``, ``winner``, ``end_reason``, ``tie_rule_used``.
    """

    def __init__(self, deck: Sequence[str], rules: OracleRules = STANDARD) -> None:
        if Counter(deck) != {name: card.copies for name, card in rules.cards.items() if card.copies > 0}:
            raise ValueError("the deck does not hold exactly the cards of the rules")
        self.rules = rules
        self.deck = list(deck)
        self.hands: list[list[str]] = [[], []]
        self.played: list[dict[str, int]] = [dict.fromkeys(rules.cards, 0), dict.fromkeys(rules.cards, 0)]
        self.lead = 0
        self.active = 0
        self.turn = 0
        self.discards_used = [0, 0]
        self.offered: tuple[str, str] | None = None
        self.over = False
        self.winner: int | None = None
        self.end_reason: str | None = None
        self.tie_rule_used = False
        for seat in (0, 1):
            self._draw_up(seat)

    @property
    def deck_left(self) -> int:
        """Cards that nobody has drawn yet."""
        return len(self.deck)

    # ---- Play ----------------------------------------------------------------------------------------------------

    def legal_discards(self) -> set[str]:
        """Names that the active player may discard now; empty when discarding is not allowed."""
        if self.over or self.offered is not None:
            return set()
        if self.discards_used[self.active] >= self.rules.discards or self.deck_left == 0:
            return set()
        return set(self.hands[self.active])

    def discard(self, name: str) -> None:
        """The active player puts one card away, unseen, and draws one."""
        legal = self.legal_discards()
        if name not in legal:
            raise OracleIllegal(f"cannot discard {name}; legal: {sorted(legal) or 'no discard'}")
        hand = self.hands[self.active]
        hand.remove(name)
        self.discards_used[self.active] += 1
        self._draw_one(self.active)

    def legal_offers(self) -> set[tuple[str, str]]:
        """Pairs (face up, face down) that the active player may play now."""
        if self.over or self.offered is not None:
            return set()
        names = set(self.hands[self.active])
        if len(names) == 1:
            (name,) = names
            return {(name, name)}
        return {(up, down) for up in names for down in names if up != down}

    def offer(self, up: str, down: str) -> None:
        """The active player plays one card face up and one face down, then draws up."""
        legal = self.legal_offers()
        if (up, down) not in legal:
            raise OracleIllegal(f"cannot offer {up} over {down}; legal: {sorted(legal) or 'no offer'}")
        hand = self.hands[self.active]
        hand.remove(up)
        hand.remove(down)
        self.offered = (up, down)
        self._draw_up(self.active)

    # ---- Recruit -------------------------------------------------------------------------------------------------

    def take(self, face_up: bool) -> Recruited:
        """The opponent takes the face-up or the hidden card, the active player gets the other; both move; End step."""
        if self.over or self.offered is None:
            raise OracleIllegal("there is no offer to take from")
        up, down = self.offered
        self.offered = None
        other = 1 - self.active
        card_of_other, card_of_active = (up, down) if face_up else (down, up)
        move_other = self._recruit(other, card_of_other)
        move_active = self._recruit(self.active, card_of_active)
        gain = move_active - move_other
        self.lead += gain if self.active == 0 else -gain
        self._end_step()
        return Recruited(card_of_active, card_of_other, move_active, move_other)

    def _recruit(self, seat: int, name: str) -> int:
        self.played[seat][name] += 1
        return self.rules.cards[name].move(self.played[seat][name])

    # ---- End -----------------------------------------------------------------------------------------------------

    def _end_step(self) -> None:
        other = 1 - self.active
        ending = end_by_conditions(self.active, self.lead, self.played, self.rules)
        if ending is None:
            next_hand = len(self.hands[other])
            ending = end_by_running_out(self.active, self.lead, self.deck_left, next_hand, self.rules)
        self.turn += 1
        if ending is None:
            self.active = other
            return
        self.over = True
        self.winner = ending.winner
        self.end_reason = ending.end_reason
        self.tie_rule_used = ending.tie_rule_used

    # ---- Drawing -------------------------------------------------------------------------------------------------

    def _draw_one(self, seat: int) -> None:
        self.hands[seat].append(self.deck.pop(0))
        self.hands[seat].sort()

    def _draw_up(self, seat: int) -> None:
        while len(self.hands[seat]) < self.rules.hand_size and self.deck:
            self._draw_one(seat)


def replay(
    deck: Sequence[str],
    turns: Iterable[Mapping[str, Any]],
    rules: OracleRules = STANDARD,
    full: bool = False,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Play recorded choices again and return what the log of that game must say: (turn rows, final values).

    turns: one mapping per turn with ``discards`` (names in order), ``face_up``, ``face_down``, ``took_face_up``.
    The rows have the columns of the ``turns`` log without ``game_id``; ``full`` adds ``hand_<agent>`` (counts, after
    the discards, before the offer) and ``discard_0`` ... (names or None).  The final values have the columns of the
    ``games`` log that follow from play.  ``active_won`` is None in a drawn game.
    Raises OracleIllegal for an illegal choice, a turn after the end of the game, or a game that stops before its end.
    """
    game = OracleGame(deck, rules)
    rows: list[dict[str, Any]] = []
    for choice in turns:
        turn, active = game.turn, game.active
        for name in choice["discards"]:
            game.discard(name)
        hand = list(game.hands[active])
        game.offer(choice["face_up"], choice["face_down"])
        recruited = game.take(choice["took_face_up"])
        row: dict[str, Any] = {
            "turn": turn,
            "active": active,
            "n_discards": len(choice["discards"]),
            "face_up": choice["face_up"],
            "face_down": choice["face_down"],
            "took_face_up": bool(choice["took_face_up"]),
            **recruited._asdict(),
            "lead_after": game.lead,
        }
        if full:
            row.update({f"hand_{name}": hand.count(name) for name in rules.cards})
            for k in range(max(4, rules.discards)):
                row[f"discard_{k}"] = choice["discards"][k] if k < len(choice["discards"]) else None
        rows.append(row)
    if not game.over:
        raise OracleIllegal(f"the record stops after turn {game.turn - 1}, but the game is not over")
    for row in rows:
        row["active_won"] = None if game.winner is None else row["active"] == game.winner
    return rows, final_values(game)


def final_values(game: OracleGame) -> dict[str, Any]:
    """The columns of the ``games`` log that follow from play, for a game that is over."""
    values: dict[str, Any] = {
        "winner": game.winner,
        "end_reason": game.end_reason,
        "tie_rule": game.tie_rule_used,
        "n_turns": game.turn,
        "lead": game.lead,
    }
    for seat in (0, 1):
        values.update({f"final_{seat}_{name}": count for name, count in game.played[seat].items()})
    values["discards_0"], values["discards_1"] = game.discards_used
    return values
