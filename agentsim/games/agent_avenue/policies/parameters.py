"""The parameters of the ``planner`` family: name, range, default and meaning; and how they become a kernel's row."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.cards import Card
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.families import Parameter

__all__ = ["FAR", "LIMITS", "OF_DIVISION_M", "OF_MARKET", "PLANNER_PARAMETERS", "RECORD", "ROW_SIZE", "WORTH",
           "Parameter", "planner_row", "position"]


PLANNER_PARAMETERS: tuple[Parameter, ...] = (
    # What a position is worth, in log-odds of winning.
    Parameter("lead", 0, 2, 0.4, "worth of each space of lead"),
    Parameter("sprint", 0, 2, 0, "extra worth of each space of lead beyond half of the way to a catch"),
    Parameter("danger", 0, 2, 0.2, "extra burden of each space that the opponent is beyond half of its way to a catch"),
    Parameter("prospect", -1, 1, 0.18, "worth of each space that the next copy of an agent would move its owner"),
    Parameter("far_prospect", -1, 1, 0.03, "the same for the copy after the next"),
    Parameter("win_two_short", -3, 5, 0.3, "worth of a winning set (codebreakers) that lacks two cards"),
    Parameter("win_one_short", -3, 5, 1.5, "worth of a winning set that lacks one card"),
    Parameter("lose_two_short", -3, 5, 0.6, "burden of a losing set (daredevils) that lacks two cards"),
    Parameter("lose_one_short", -3, 5, 1.5, "burden of a losing set that lacks one card"),
    Parameter("guard", -3, 3, 1, "weight of the prospects and winning sets of the opponent against its own"),
    Parameter("trap", -3, 3, 1, "weight of the losing sets of the opponent against its own"),
    Parameter("terminal", 0, 1, 0.02, "how much more than certainty an outcome that ends the game counts, in winning "
              "chance: a win as 1 + terminal, a loss as -terminal"),
    # How it offers.
    Parameter("depth", 0, 2, 1, "how it thinks the opponent chooses: 0 by a coin, 1 by what the unseen cards say, "
              "2 by also guessing at its offers", whole=True),
    Parameter("caution", 0, 1, 0.2, "weight of the worse of the opponent's two answers against the expected one"),
    Parameter("bluff", -3, 3, 0, "taste for hiding a card that is worth less to the opponent than it will infer"),
    Parameter("bait", -3, 3, 0, "taste for a tempting face-up card while the better one for itself lies hidden"),
    Parameter("offer_noise", 0, 2, 0, "temperature of its offers in winning chance: 0 always the best"),
    # How it chooses.
    Parameter("trust", 0, 1, 0, "how far it believes that the hidden card follows from how a planner would offer: 0 "
              "not at all (the unseen cards alone), 1 fully"),
    Parameter("curiosity", -1, 1, 0, "taste for the hidden card, in winning chance"),
    Parameter("take_noise", 0, 2, 0, "temperature of its choices in winning chance: 0 always the better"),
    Parameter("model_noise", 0.05, 5, 1, "how unsteady it believes the other player to be, in log-odds"),
    # When it discards.
    Parameter("discard_margin", 0, 1, 1, "discards when a new card promises this much more winning chance (1: never)"),
    Parameter("reserve", 0, 1, 0.01, "added to the margin for each discard already used: keeps some for later"),
    # How it thinks that the other player decides, besides depth, trust and model_noise.
    Parameter("model_plain", 0, 1, 0, "how far it believes the other player to weigh a card at a glance, by its move "
              "and by one space for a card of a set, instead of as it does itself"),
    Parameter("model_coin", 0, 1, 0, "share of the other player's answers that it believes to be tossed for"),
    # What it makes of the Black Market and of Division M; without effect in the base game.
    Parameter("corner", -2, 3, 0.9, "worth of each landing on a Black Market space"),
    Parameter("plot", -2, 5, 0.8, "worth of a card's condition at End that lacks one step; each further one halves it"),
    Parameter("trap_m", 0, 20, 4, "worth of the chance that the opponent's next move ends on the own Division M pawn"),
    Parameter("danger_m", 0, 20, 8, "burden of the chance that the own next move ends on the opponent's"),
    Parameter("engine", -1, 1, 0, "taste for ongoing cards that change moves, in winning chance"),
    Parameter("scheme", -1, 1, 0, "taste for ongoing cards that win with agents in play, in winning chance"),
    Parameter("ambush", -1, 1, 0, "taste for ongoing cards that win by where the opponent's pawn stands, likewise"),
    Parameter("theft", -1, 1, 0, "taste for cards that take one of the opponent's agents, in winning chance"),
    Parameter("rush", -1, 1, 0, "taste for cards that move the own pawn at once, in winning chance"),
    # What it forbids itself, to see what the freedom is worth (1: forbidden). For discards there is discard_margin.
    Parameter("no_bluff", 0, 1, 0, "never hides a card that is worth less to the other than it has to expect, if its "
              "hand leaves a choice", whole=True),
    Parameter("no_blind", 0, 1, 0, "never takes a face-down card", whole=True),
    Parameter("no_sets", 0, 1, 0, "never chooses an agent of a winning set (codebreakers), nor offers one if its hand "
              "leaves a choice", whole=True),
)
"""In the order in which they stand in a parameter row."""
OF_MARKET = ("corner", "plot", "engine", "scheme", "ambush", "theft", "rush")
OF_DIVISION_M = ("trap_m", "danger_m")
"""Parameters that have nothing to work on without a Black Market, without Division M pawns."""
LIMITS = ("no_bluff", "no_blind", "no_sets")
"""Parameters that forbid something: not for tuning."""

WORTH, RECORD = 40, 8
"""``row[WORTH + RECORD * (16 * name + count)]`` begins a record on holding ``count`` copies of an agent in play: the
log-odds that they are worth to me, to the opponent; the gain in log-odds by recruiting the next copy, move included,
for me, for the opponent; then the next copy's move, its push and its drag, and its gain at a glance. Push is the move,
plus FAR if the copy completes a winning set; drag is the move backwards, plus FAR if it completes a losing set."""
FAR = 1024.0
"""More than any lead: a push of that size is by itself a claim to have won."""
GLANCE_SET = 1.0
"""Spaces that a card of a winning set is worth at a glance; one of a losing set is a burden of as many."""
ROW_SIZE = WORTH + RECORD * 16 * 16


def position(name: str) -> int:
    """Where a parameter stands in a row."""
    return [parameter.name for parameter in PLANNER_PARAMETERS].index(name)


def planner_row(params: Mapping[str, float], rules: Rules) -> NDArray[np.float64]:
    """The row that the kernel reads: the parameters, then the records on every number of copies of every agent.

    What copies in play are worth follows from the card table, so the family plays changed and new agents sensibly.
    """
    row = np.zeros(ROW_SIZE)
    values = [params.get(parameter.name, parameter.default) for parameter in PLANNER_PARAMETERS]
    row[:len(values)] = values
    for number, card in enumerate(rules.cards):
        worths = [_worth(card, count, params) for count in range(17)]
        for count in range(15):
            move = _move(card, count + 1)
            mine, theirs = worths[count]
            mine_next, theirs_next = worths[count + 1]
            start = WORTH + RECORD * (16 * number + count)
            row[start:start + RECORD] = (
                mine, theirs, mine_next - mine + params["lead"] * move, theirs_next - theirs + params["lead"] * move,
                move, move + (FAR if card.wins_at and count + 1 >= card.wins_at else 0.0),
                -move + (FAR if card.loses_at and count + 1 >= card.loses_at else 0.0),
                params["lead"] * (move + GLANCE_SET * (bool(card.wins_at) - bool(card.loses_at))))
    return row


def _worth(card: Card, count: int, params: Mapping[str, float]) -> tuple[float, float]:
    """What ``count`` copies in play are worth to me and to the opponent, in log-odds for their owner."""
    if count == 0:
        return 0.0, 0.0
    good = _progress(card.wins_at, count, card.copies, params["win_two_short"], params["win_one_short"])
    for ahead, weight in ((1, params["prospect"]), (2, params["far_prospect"])):
        # No prospect of a copy that the deck does not hold, nor of one that would end the game for its owner.
        if count + ahead <= card.copies and not (card.loses_at and count + ahead >= card.loses_at):
            good += weight * _move(card, count + ahead)
    bad = _progress(card.loses_at, count, card.copies, params["lose_two_short"], params["lose_one_short"])
    return good - bad, params["guard"] * good - params["trap"] * bad


def _move(card: Card, count: int) -> int:
    return (0, card.first, card.second, card.third)[min(count, 3)]


def _progress(size: int, count: int, copies: int, two_short: float, one_short: float) -> float:
    """Worth of holding ``count`` of a set of ``size``; each further card that is lacking halves it."""
    if size == 0 or count >= size or size > copies:
        return 0.0
    lacking = size - count
    return one_short if lacking == 1 else two_short * 0.5 ** (lacking - 2)
