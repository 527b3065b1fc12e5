"""The parameters of the ``planner`` family: name, range, default and meaning; and how they become a kernel's row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.rules import Rules

__all__ = ["PLANNER_PARAMETERS", "ROW_SIZE", "WORTH", "Parameter", "planner_row"]


@dataclass(frozen=True)
class Parameter:
    """A number that decides how a policy plays. ``low`` and ``high`` are both allowed."""

    name: str
    low: float
    high: float
    default: float
    doc: str
    whole: bool = False


PLANNER_PARAMETERS: tuple[Parameter, ...] = (
    # What a position is worth, in log-odds of winning.
    Parameter("lead", 0, 2, 0.32, "worth of each space of lead"),
    Parameter("sprint", 0, 1, 0.03, "extra worth of a long lead: times lead cubed, divided by 36"),
    Parameter("prospect", -1, 1, 0.12, "worth of each space that the next copy of an agent in play would move its owner"),
    Parameter("far_prospect", -1, 1, 0.04, "the same for the copy after the next"),
    Parameter("win_two_short", -3, 5, 0.43, "worth of a winning set (codebreakers) that lacks two cards"),
    Parameter("win_one_short", -3, 5, 1.45, "worth of a winning set that lacks one card"),
    Parameter("lose_two_short", -3, 5, 0.29, "burden of a losing set (daredevils) that lacks two cards"),
    Parameter("lose_one_short", -3, 5, 1.37, "burden of a losing set that lacks one card"),
    Parameter("tempo", -1, 1, 0.15, "worth of being the one who offers next"),
    # How it offers.
    Parameter("depth", 0, 2, 1, "how it thinks the opponent chooses: 0 by a coin, 1 by what the unseen cards say, "
              "2 by also guessing at its offers", whole=True),
    Parameter("caution", 0, 1, 0.5, "weight of the worse of the opponent's two answers against the expected one"),
    Parameter("bluff", -3, 3, 0, "taste for hiding a card that is worth less to the opponent than it will infer"),
    Parameter("bait", -3, 3, 0, "taste for a tempting face-up card while the better one for itself lies hidden"),
    Parameter("offer_noise", 0, 2, 0, "temperature of its offers in winning chance: 0 always the best"),
    # How it chooses.
    Parameter("trust", 0, 1, 0, "how far it believes that the hidden card follows from how a planner would offer: 0 not "
              "at all (the unseen cards alone), 1 fully"),
    Parameter("curiosity", -1, 1, 0, "taste for the hidden card, in winning chance"),
    Parameter("take_noise", 0, 2, 0, "temperature of its choices in winning chance: 0 always the better"),
    Parameter("model_noise", 0.05, 5, 0.8, "how unsteady it believes the other player to be, in log-odds"),
    # When it discards.
    Parameter("discard_margin", 0, 1, 1, "discards when a new card promises this much more winning chance (1: never)"),
    Parameter("reserve", 0, 1, 0.01, "added to the margin for each discard already used: keeps some for later"),
)
"""In the order in which they stand in a parameter row."""

WORTH = 32
"""``row[WORTH + 16 * name + count]``: log-odds that ``count`` copies of ``name`` in play are worth to their owner."""
ROW_SIZE = WORTH + 16 * 16


def planner_row(params: Mapping[str, float], rules: Rules) -> NDArray[np.float64]:
    """The row that the kernel reads: the parameters, then the worth of every number of copies of every agent.

    What copies in play are worth follows from the card table, so the family plays changed and new agents sensibly: the
    next copy's move (and the one after) times ``prospect``, and the progress of winning and losing sets.
    """
    row = np.zeros(ROW_SIZE)
    values = [params[parameter.name] for parameter in PLANNER_PARAMETERS]
    row[:len(values)] = values
    for number, card in enumerate(rules.cards):
        symbols = [0, card.first, card.second] + [card.third] * 16
        for count in range(16):
            worth = 0.0
            if count > 0:
                # No prospect of a copy that the deck does not hold, nor of one that would end the game for its owner.
                for ahead, weight in ((1, params["prospect"]), (2, params["far_prospect"])):
                    if count + ahead <= card.copies and not (card.loses_at and count + ahead >= card.loses_at):
                        worth += weight * symbols[min(count + ahead, 3)]
                worth += _progress(card.wins_at, count, card.copies, params["win_two_short"], params["win_one_short"])
                worth -= _progress(card.loses_at, count, card.copies, params["lose_two_short"],
                                   params["lose_one_short"])
            row[WORTH + 16 * number + count] = worth
    return row


def _progress(size: int, count: int, copies: int, two_short: float, one_short: float) -> float:
    """Worth of holding ``count`` of a set of ``size``; each further card that is lacking halves it."""
    if size == 0 or count >= size or size > copies:
        return 0.0
    lacking = size - count
    return one_short if lacking == 1 else two_short * 0.5 ** (lacking - 2)
