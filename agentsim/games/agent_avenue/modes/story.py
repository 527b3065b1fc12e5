"""One game of a run in any mode, retold in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from agentsim.games.agent_avenue import blocks
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.actions import (
    Action,
    Discard,
    FaceDown,
    FaceUp,
    Gain,
    MoveDivisionM,
    Offer,
    PickCard,
    Take,
)
from agentsim.games.agent_avenue.modes.replay import play_one
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.playing import make_player
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.story import cards_in_words, heading, lead_in_words, ordinal, result_in_words
from agentsim.games.base import PolicyRef

__all__ = ["tell_game"]

_BY = {"catch": "catching the other pawn", "codebreakers": "a complete set of codebreakers",
       "division_m": "trapping the other pawn with its Division M pawn", "daredevils": "the other's losing set",
       "out_of_cards": "being closer when the cards ran out"}


def tell_game(rules: Rules, matchup: Sequence[PolicyRef], number: int, per_deal: int, seed: int, index: int,
              n_matchups: int) -> str:
    """Play game ``index`` of matchup ``number`` again and tell it turn by turn, under its number in the run."""
    course = play_one(seed, number, index, per_deal, rules, [make_player(ref, rules) for ref in matchup])
    swap = blocks.swapped(index, per_deal, rules)
    teller = _Teller(rules, (matchup[swap].label, matchup[1 - swap].label))
    start, end = course[0][0], course[-1][0]
    head = heading(index, number, n_matchups, per_deal, seed)
    lines = [f"{head}: {teller.labels[0]} starts against {teller.labels[1]}.{teller.parts(start)}"]
    for seat in (0, 1):
        for player in range(start.players(seat)):
            dealt = cards_in_words(start.hand(seat, player), teller.agents)
            lines.append(f"  {teller.who(start, seat, player)} is dealt {dealt}.")
    if rules.advanced:
        lines.append(f"  In the Black Market lie {teller.market(start.supply)}.")
    picked: ModeState | None = None
    for (game, action), (after, _) in pairwise(course):
        if isinstance(action, PickCard):
            picked = game
        if action is not None:
            lines += teller.tell(game, action, after, picked)
        if after.state[x.EVENTS] != game.state[x.EVENTS]:
            picked = None
    reason = _BY.get(str(end.end_reason)) or teller.market((str(end.end_reason),))
    winner = None if end.winner is None else teller.who(end, end.winner)
    return "\n".join([*lines, result_in_words(end.turn + 1, winner, reason, end.tie_rule_used)])


@dataclass(frozen=True)
class _Teller:
    """Finds the words. ``labels``: the policies by seat."""

    rules: Rules
    labels: tuple[str, str]

    @property
    def agents(self) -> dict[str, str]:
        return {card.id: card.name() for card in self.rules.cards}

    def market(self, cards: Sequence[str]) -> str:
        names = {card.id: card.name() for card in self.rules.market_cards}
        return ", ".join(names.get(card, card) for card in cards) or "no cards"

    def who(self, game: ModeState, seat: int, player: int | None = None) -> str:
        member = f"player {player} of " if player is not None and game.players(seat) == 2 else ""
        return f"{member}seat {seat} ({self.labels[seat]})"

    def parts(self, game: ModeState) -> str:
        if game.lone is not None:
            return f" Seat {game.lone} is one player against a team of two."
        return " Both are teams of two." if self.rules.teams else ""

    def tell(self, game: ModeState, action: Action, after: ModeState, picked: ModeState | None) -> list[str]:
        """The lines about one action; an action that only prepares the next one has none.

        ``picked`` is the position in which the Black Market card that is being carried out was chosen.
        """
        label, turn = self.agents, f"Turn {game.turn + 1}: "
        asked = self.who(game, game.to_move, game.player_to_move)
        if isinstance(action, Discard):
            return [f"{turn}{asked} discards {label[action.name]} and draws."]
        if isinstance(action, Offer):
            return [f"{turn}{asked} offers {label[action.face_up]} face up and {label[action.face_down]} face down."]
        if isinstance(action, FaceUp):
            return [f"{turn}{asked} lays {label[action.name]} face up."]
        if isinstance(action, FaceDown):
            return [f"{turn}{asked} lays {label[action.name]} face down."]
        if isinstance(action, Take):
            lines = [self._take(game, action, after)]
        elif isinstance(action, MoveDivisionM):
            place = after.m_space(game.to_move)
            how = f"moves its Division M pawn to space {place}" if action.steps else (
                f"leaves its Division M pawn on space {place}")
            lines = [f"    {asked} {how}."]
        elif isinstance(action, PickCard):
            lines = [f"    {asked} picks {self.market((action.card,))} from {self.market(game.supply)}."]
        elif isinstance(action, Gain):
            lines = [f"    {self.who(game, game.to_move, action.member)} gains it."]
        else:
            lines = []
        for seat in (0, 1):
            moved_itself = isinstance(action, MoveDivisionM) and seat == game.to_move
            if after.m_space(seat) != game.m_space(seat) and not moved_itself:
                lines.append(f"    The Division M pawn of {self.who(game, seat)} is put on its home, "
                             f"space {after.m_space(seat)}.")
        if after.state[x.EVENTS] != game.state[x.EVENTS]:
            lines.append(self._event(after, picked))
        return lines

    def _take(self, game: ModeState, action: Take, after: ModeState) -> str:
        me, other = game.active, 1 - game.active
        choice = "the face-up card" if action.card == "face_up" else "the hidden card"
        mine, its = (self.rules.names[int(n)] for n in after.state[e.RECRUITED:e.RECRUITED + 2])
        # What Black Market cards moved in the same breath is told with them.
        gained = int(after.state[e.MOVED] - after.state[e.MOVED + 1])
        lead = game.lead + (gained if me == 0 else -gained)
        return (f"    {self.who(game, other)} takes {choice}: {self._recruit(game, after, other, its, 1)}; "
                f"{self.who(game, me)} gets {self._recruit(game, after, me, mine, 0)}. {lead_in_words(lead)}")

    def _recruit(self, game: ModeState, after: ModeState, seat: int, name: str, slot: int) -> str:
        count = game.in_play(seat).get(name, 0) + 1
        move = int(after.state[e.MOVED + slot])
        card = next(card for card in self.rules.cards if card.id == name)
        printed = (card.first, card.second, card.third)[min(count, 3) - 1]
        # Ongoing cards change what an agent says, and stops move on.
        why = f" (the agent alone {printed:+d})" if move != printed else ""
        return f"{self.agents[name]}, its {ordinal(count)}, {f'moves {move:+d}' if move else 'does not move'}{why}"

    def _event(self, after: ModeState, picked: ModeState | None) -> str:
        """What came of a Black Market card, told when it is done with."""
        state, names = after.state, self.rules.names
        card = self.rules.market_cards[int(after.table[x.COPY + int(state[x.EV_COPY])])]
        seat, target, recruited = int(state[x.EV_SIDE]), int(state[x.EV_TARGET]), int(state[x.EV_RECRUITED])
        said = []
        if card.kind == "ongoing":
            said.append(f"stays before seat {seat}")
        if target >= 0 and target != recruited:
            said.append(f"concerns {self.agents[names[target]]}")
        if recruited >= 0:
            said.append(f"recruits {self.agents[names[recruited]]}")
        if move := int(state[x.EV_MOVE]):
            said.append(f"moves seat {seat} {move:+d}")
        went = x.WENT + 1 - seat
        if picked is not None and (rival := int(state[went] - picked.state[went])):
            said.append(f"moves seat {1 - seat} {rival:+d}")
        return f"      It {' and '.join(said) or 'does nothing more'}. {lead_in_words(after.lead)}"
