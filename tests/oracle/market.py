"""The Black Market cards of the box, each written by hand from ``docs/rules/agent_avenue_market.md``.

They deliberately do not come from the card files: a wrong number in a file is a disagreement, not a common error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .table import Decision, MarketEvent, Play, Side

if TYPE_CHECKING:
    from .modes import ModeGame

ONGOING, INSTANT = "ongoing", "instant"


class MarketCard:
    """What any Black Market card can be asked.  This one does nothing: every answer is "no effect"."""

    kind = INSTANT

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name

    # ---- ongoing: the move of a recruited agent ----------------------------------------------------------------------

    def set_move(self, agent: str) -> int | None:
        """Spaces that recruiting this agent moves instead of its symbol; None: the symbol counts."""
        return None

    def negates(self, agent: str) -> bool:
        """Whether this agent's backward move goes forward."""
        return False

    def factor(self, agent: str) -> int:
        """What this agent's move is multiplied by."""
        return 1

    def bonus(self, agent: str) -> int:
        """Spaces added to this agent's move."""
        return 0

    # ---- ongoing: stopping somewhere, and End ------------------------------------------------------------------------

    def landing_move(self, place: str) -> int:
        """Spaces moved after stopping on a ``home``, a ``market`` or the own ``division_m`` pawn's space."""
        return 0

    def spares(self, agent: str) -> bool:
        """Whether a losing set of this agent is no loss for the owner."""
        return False

    def wins(self, game: ModeGame, side: Side) -> bool:
        """Whether this card is a win condition that its owner fulfils in the End step."""
        return False

    # ---- instant -----------------------------------------------------------------------------------------------------

    def resolve(self, game: ModeGame, side: Side, member: int, event: MarketEvent) -> Play:
        """Carry out an instant effect as far as it can be carried out; hand effects use that member's hand."""
        yield from ()  # nothing to ask


class OngoingCard(MarketCard):
    """A card that stays with its owner."""

    kind = ONGOING


# ---- ongoing ---------------------------------------------------------------------------------------------------------


class DistractionDevice(OngoingCard):
    """When you recruit a saboteur, move forward instead of backward."""

    def negates(self, agent: str) -> bool:
        return agent == "saboteur"


class Watchtower(OngoingCard):
    """When you recruit an enforcer, move 2 further."""

    def bonus(self, agent: str) -> int:
        return 2 if agent == "enforcer" else 0


class SinisterTwin(OngoingCard):
    """When you recruit a double agent, move twice as far."""

    def factor(self, agent: str) -> int:
        return 2 if agent == "double_agent" else 1


class Supercomputer(OngoingCard):
    """When you recruit a codebreaker, move forward 3."""

    def set_move(self, agent: str) -> int | None:
        return 3 if agent == "codebreaker" else None


class LeaderOfThePack(OngoingCard):
    """In End, 3 daredevils are a win for you, not a loss."""

    def spares(self, agent: str) -> bool:
        return agent == "daredevil"

    def wins(self, game: ModeGame, side: Side) -> bool:
        needed = game.rules.losing_sets.get("daredevil")
        return needed is not None and side.agents["daredevil"] >= needed


class GetawayCar(OngoingCard):
    """When your pawn stops exactly on either home space, move forward 3."""

    def landing_move(self, place: str) -> int:
        return 3 if place == "home" else 0


class Masterplan(OngoingCard):
    """In End, 7 different agents in play: you win."""

    def wins(self, game: ModeGame, side: Side) -> bool:
        return len(side.names_in_play) >= 7


class SecuritySystem(OngoingCard):
    """In End, the opponent stands on your home space: you win."""

    def wins(self, game: ModeGame, side: Side) -> bool:
        return game.rival(side).space == side.home


# ---- instant ---------------------------------------------------------------------------------------------------------


class SurveillanceTruck(MarketCard):
    """Move forward 1."""

    def resolve(self, game: ModeGame, side: Side, member: int, event: MarketEvent) -> Play:
        game.move_spy(side, 1)
        yield from ()


class SmokeScreen(MarketCard):
    """Recruit the top card of the agent deck."""

    def resolve(self, game: ModeGame, side: Side, member: int, event: MarketEvent) -> Play:
        if game.deck:
            agent = game.deck.pop(0)
            yield from game.recruit_by_effect(side, agent, event)


class Outpost(MarketCard):
    """Recruit a sentinel from your hand."""

    def resolve(self, game: ModeGame, side: Side, member: int, event: MarketEvent) -> Play:
        hand = side.players[member].hand
        if "sentinel" in hand:
            hand.remove("sentinel")
            event.note_target(side, "sentinel")
            yield from game.recruit_by_effect(side, "sentinel", event)


class SecretRecruit(MarketCard):
    """Recruit one agent from your hand whose name you do not have in play."""

    def resolve(self, game: ModeGame, side: Side, member: int, event: MarketEvent) -> Play:
        hand = side.players[member].hand
        new_names = tuple(name for name in game.names_of(hand) if side.agents[name] == 0)
        if new_names:
            agent = yield Decision("target", side.number, member, new_names)
            hand.remove(agent)
            event.note_target(side, agent)
            yield from game.recruit_by_effect(side, agent, event)


class DoubleTrouble(MarketCard):
    """Reveal two agents of one name from your hand, recruit one, keep the other."""

    def resolve(self, game: ModeGame, side: Side, member: int, event: MarketEvent) -> Play:
        hand = side.players[member].hand
        pairs = tuple(name for name in game.names_of(hand) if hand.count(name) >= 2)
        if pairs:
            agent = yield Decision("target", side.number, member, pairs)
            hand.remove(agent)
            event.note_target(side, agent)
            yield from game.recruit_by_effect(side, agent, event)


class Spycation(MarketCard):
    """Take back one of your agents in play; you may recruit it at once."""

    def resolve(self, game: ModeGame, side: Side, member: int, event: MarketEvent) -> Play:
        if not side.names_in_play:
            return
        hand = side.players[member].hand
        agent = yield Decision("target", side.number, member, tuple(side.names_in_play))
        side.agents[agent] -= 1
        hand.append(agent)
        event.note_target(side, agent)
        at_once = yield Decision("recruit", side.number, member, (True, False))
        if at_once:
            hand.remove(agent)
            yield from game.recruit_by_effect(side, agent, event)


class MindControl(MarketCard):
    """Take one agent the opponent has in play into your hand."""

    def resolve(self, game: ModeGame, side: Side, member: int, event: MarketEvent) -> Play:
        rival = game.rival(side)
        if rival.names_in_play:
            agent = yield Decision("target", side.number, member, tuple(rival.names_in_play))
            rival.agents[agent] -= 1
            side.players[member].hand.append(agent)
            event.note_target(side, agent)


class Ceasefire(MarketCard):
    """The promo: every agent in play leaves the game."""

    def resolve(self, game: ModeGame, side: Side, member: int, event: MarketEvent) -> Play:
        for each in game.sides:
            for name, count in each.agents.items():
                game.out_of_the_game.extend([name] * count)
                each.agents[name] = 0
        yield from ()


def publisher_cards(ceasefire: bool = False) -> dict[str, MarketCard]:
    """The 15 cards of the box in table order; the promo as a 16th if wanted."""
    cards: dict[str, MarketCard] = {
        "distraction_device": DistractionDevice("distraction_device"),
        "watchtower": Watchtower("watchtower"),
        "sinister_twin": SinisterTwin("sinister_twin"),
        "supercomputer": Supercomputer("supercomputer"),
        "leader_of_the_pack": LeaderOfThePack("leader_of_the_pack"),
        "getaway_car": GetawayCar("getaway_car"),
        "masterplan": Masterplan("masterplan"),
        "security_system": SecuritySystem("security_system"),
        "surveillance_truck": SurveillanceTruck("surveillance_truck"),
        "smoke_screen": SmokeScreen("smoke_screen"),
        "outpost": Outpost("outpost"),
        "secret_recruit": SecretRecruit("secret_recruit"),
        "double_trouble": DoubleTrouble("double_trouble"),
        "spycation": Spycation("spycation"),
        "mind_control": MindControl("mind_control"),
    }
    if ceasefire:
        cards["ceasefire"] = Ceasefire("ceasefire")
    return cards
