"""Black Market cards written as data: the vocabulary of the card files, interpreted in the plainest way.

The vocabulary is documented in ``docs/rules/agent_avenue_market.md``.  An entry is what a TOML reader makes of one
table of a card file; this module reads no file itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .market import INSTANT, ONGOING, MarketCard, publisher_cards
from .table import Decision, MarketEvent, Play, Side

if TYPE_CHECKING:
    from .modes import ModeGame

Effect = Mapping[str, Any]

# What an effect must say and may say beside ``when`` and ``do``, by (when, do).
VOCABULARY: dict[tuple[str, str], tuple[set[str], set[str]]] = {
    ("recruit", "set"): ({"agent", "spaces"}, set()),
    ("recruit", "negate"): ({"agent"}, set()),
    ("recruit", "multiply"): ({"agent", "by"}, set()),
    ("recruit", "add"): ({"agent", "spaces"}, set()),
    ("landing", "move"): ({"on", "spaces"}, set()),
    ("end", "win"): ({"if"}, {"agent", "at_least", "spaces"}),
    ("now", "move"): ({"spaces"}, {"who"}),
    ("now", "recruit"): ({"from"}, {"agent", "of", "who"}),
    ("now", "take_back"): (set(), {"may_recruit"}),
    ("now", "take"): (set(), set()),
    ("now", "clear"): (set(), set()),
    ("now", "division_m"): ({"symbol"}, set()),
    ("now", "nothing"): (set(), set()),
}

# Arguments of a win condition, by its ``if``.
WIN_IF: dict[str, set[str]] = {
    "names": {"at_least"},
    "set": {"agent", "at_least"},
    "losing_set": {"agent"},
    "rival_on_home": set(),
    "rival_near_division_m": {"spaces"},
}


def check_effect(effect: Effect) -> None:
    """Raise ValueError for an effect that the vocabulary does not know, or with arguments missing or too many."""
    trigger = effect.get("when", "now")
    if (trigger, effect.get("do")) not in VOCABULARY:
        raise ValueError(f"unknown effect {dict(effect)}")
    needed, allowed = VOCABULARY[trigger, effect["do"]]
    if effect["do"] == "win":
        if effect.get("if") not in WIN_IF:
            raise ValueError(f"unknown win condition in {dict(effect)}")
        needed, allowed = needed | WIN_IF[effect["if"]], set()
    given = set(effect) - {"when", "do"}
    if not needed <= given <= needed | allowed:
        raise ValueError(f"arguments {sorted(given)} of {dict(effect)}: needs {sorted(needed)}")
    if effect["do"] == "recruit" and effect["from"] == "deck" and given & {"agent", "of"}:
        raise ValueError(f"nobody chooses from the deck: {dict(effect)}")
    if {"agent", "of"} <= given:
        raise ValueError(f"either a name or a kind: {dict(effect)}")


class WrittenCard(MarketCard):
    """A card that does what its ``effects`` say.  Raises ValueError for effects outside the vocabulary."""

    def __init__(self, name: str, entry: Mapping[str, Any]) -> None:
        super().__init__(name)
        self.effects: list[Effect] = list(entry["effects"])
        for effect in self.effects:
            check_effect(effect)
        instant = [effect.get("when", "now") == "now" for effect in self.effects]
        if not (all(instant) or not any(instant)):
            raise ValueError(f"{name}: an instant card has instant effects only")
        self.kind = INSTANT if all(instant) else ONGOING
        if entry.get("kind", self.kind) != self.kind:
            raise ValueError(f"{name}: these are the effects of an {self.kind} card")

    def _having(self, when: str, do: str, **arguments: str) -> list[Effect]:
        """The effects of that trigger and deed with those arguments."""
        return [
            effect
            for effect in self.effects
            if effect.get("when", "now") == when
            and effect["do"] == do
            and all(effect.get(key) == value for key, value in arguments.items())
        ]

    # ---- ongoing -----------------------------------------------------------------------------------------------------

    def set_move(self, agent: str) -> int | None:
        found = self._having("recruit", "set", agent=agent)
        return found[-1]["spaces"] if found else None

    def negates(self, agent: str) -> bool:
        return bool(self._having("recruit", "negate", agent=agent))

    def factor(self, agent: str) -> int:
        product = 1
        for effect in self._having("recruit", "multiply", agent=agent):
            product *= effect["by"]
        return product

    def bonus(self, agent: str) -> int:
        return sum(effect["spaces"] for effect in self._having("recruit", "add", agent=agent))

    def landing_move(self, place: str) -> int:
        return sum(effect["spaces"] for effect in self._having("landing", "move", on=place))

    def spares(self, agent: str) -> bool:
        return bool(self._having("end", "win", **{"if": "losing_set", "agent": agent}))

    def wins(self, game: ModeGame, side: Side) -> bool:
        return any(self._holds(effect, game, side) for effect in self._having("end", "win"))

    def _holds(self, effect: Effect, game: ModeGame, side: Side) -> bool:
        """Whether one win condition is fulfilled now."""
        condition = effect["if"]
        if condition == "names":
            return len(side.names_in_play) >= int(effect["at_least"])
        if condition == "set":
            return side.agents[effect["agent"]] >= int(effect["at_least"])
        if condition == "losing_set":
            needed = game.rules.losing_sets.get(effect["agent"])
            return needed is not None and side.agents[effect["agent"]] >= needed
        if condition == "rival_on_home":
            return game.rival(side).space == side.home
        if side.m_space is None:
            return False
        ahead = (game.rival(side).space - side.m_space) % side.ring
        return min(ahead, side.ring - ahead) <= int(effect["spaces"])

    # ---- instant -----------------------------------------------------------------------------------------------------

    def resolve(self, game: ModeGame, side: Side, member: int, event: MarketEvent) -> Play:
        """The effects in their order; whoever is short of hand cards after one of them draws before the next."""
        deeds: dict[str, Callable[[ModeGame, Side, int, MarketEvent, Effect], Play]] = {
            "move": self._move,
            "recruit": self._recruit,
            "take_back": self._take_back,
            "take": self._take,
            "clear": self._clear,
            "division_m": self._division_m,
            "nothing": self._nothing,
        }
        for effect in self.effects:
            who = effect.get("who", "own")
            for each in (game.active_side, game.rival(game.active_side)):
                if who == "both" or (each is side) == (who == "own"):
                    player = member
                    if each is not side and each.is_team and effect.get("from") == "hand":
                        player = yield Decision("member", each.number, None, (0, 1))
                    elif each is not side:
                        player = 0
                    yield from deeds[effect["do"]](game, each, player, event, effect)
            game.draw_up_everybody()

    def _move(self, game: ModeGame, side: Side, member: int, event: MarketEvent, effect: Effect) -> Play:
        game.move_spy(side, effect["spaces"])
        yield from ()

    def _recruit(self, game: ModeGame, side: Side, member: int, event: MarketEvent, effect: Effect) -> Play:
        if effect["from"] == "deck":
            if game.deck:
                yield from game.recruit_by_effect(side, game.deck.pop(0), event)
            return
        hand = side.players[member].hand
        names = game.names_of(hand)
        of = effect.get("of", "any")
        if "agent" in effect:
            names = [name for name in names if name == effect["agent"]]
        elif of == "new_name":
            names = [name for name in names if side.agents[name] == 0]
        elif of == "pair":
            names = [name for name in names if hand.count(name) >= 2]
        if not names:
            return
        agent = names[0] if "agent" in effect else (yield Decision("target", side.number, member, tuple(names)))
        hand.remove(agent)
        event.note_target(side, agent)
        yield from game.recruit_by_effect(side, agent, event)

    def _take_back(self, game: ModeGame, side: Side, member: int, event: MarketEvent, effect: Effect) -> Play:
        if not side.names_in_play:
            return
        agent = yield Decision("target", side.number, member, tuple(side.names_in_play))
        side.agents[agent] -= 1
        hand = side.players[member].hand
        hand.append(agent)
        event.note_target(side, agent)
        if effect.get("may_recruit") and (yield Decision("recruit", side.number, member, (True, False))):
            hand.remove(agent)
            yield from game.recruit_by_effect(side, agent, event)

    def _take(self, game: ModeGame, side: Side, member: int, event: MarketEvent, effect: Effect) -> Play:
        rival = game.rival(side)
        if rival.names_in_play:
            agent = yield Decision("target", side.number, member, tuple(rival.names_in_play))
            rival.agents[agent] -= 1
            side.players[member].hand.append(agent)
            event.note_target(side, agent)

    def _clear(self, game: ModeGame, side: Side, member: int, event: MarketEvent, effect: Effect) -> Play:
        for each in game.sides:
            for name in each.agents:
                game.out_of_the_game += [name] * each.agents[name]
                each.agents[name] = 0
        yield from ()

    def _division_m(self, game: ModeGame, side: Side, member: int, event: MarketEvent, effect: Effect) -> Play:
        yield from game.division_m_symbol(side, effect["symbol"])

    def _nothing(self, game: ModeGame, side: Side, member: int, event: MarketEvent, effect: Effect) -> Play:
        yield from ()


def written_cards(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, MarketCard]:
    """Cards from the tables of a card file, in file order; the promo is left out."""
    return {name: WrittenCard(name, entry) for name, entry in entries.items() if not entry.get("promo")}


def market_of(
    which: str, new: Mapping[str, Mapping[str, Any]] | None = None, ceasefire: bool = False
) -> dict[str, MarketCard]:
    """The Black Market of ``rules.market``: ``old`` (the box), ``new`` (these entries), ``both`` (old, then new)."""
    cards: dict[str, MarketCard] = {}
    if which in ("old", "both"):
        cards |= publisher_cards(ceasefire)
    if which in ("new", "both"):
        cards |= written_cards(new or {})
    return cards
