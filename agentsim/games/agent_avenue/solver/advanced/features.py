"""A position of the advanced mode as a list of features that hold, told from the side that is to offer next.

That side is *in front*, the other one *behind*. After an offer has been answered, while landings are being resolved,
the side that answered is in front. Everything that both sides know is told; of hands only that of the side in front,
and only if the viewer is that side. Agents and Black Market cards are known by their ids, whatever the rules' order.

=============  ==================================================================================================
``lead``       the lead of the side in front, -10 .. 10 (further ones count as these)
``space``      the spaces of the pawns, from their own homes
``agents``     by agent: 1 or more, 2 or more, 3 or more in play
``held``       ongoing cards that lie before a side
``names``      4, 5, 6 or more different agents in play
``supply``     cards that lie face up
``owed``       whether a side owes a landing; with that, the cards that lie face up
``discards``   1, 2, 3, 4 or more left
``deck``       4, 8, .. 28 or more cards left
``hand``       whether it is told; by agent: 1 or more, 2 or more
=============  ==================================================================================================
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.engine import LEAD, PLAY
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.rules import N_NAMES
from agentsim.games.agent_avenue.solver.memory import number_64
from agentsim.games.agent_avenue.zones import count, first_one, name_set, size_of_set
from agentsim.jit import jit

__all__ = ["AGENTS", "CARDS", "FACT_AGENT", "FACT_CARD", "FEATURES", "HAND", "MOST", "N_FEATURES", "board_features",
           "still_features"]

AGENTS = ("double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel", "sidekick", "mole")
CARDS = ("distraction_device", "watchtower", "sinister_twin", "supercomputer", "leader_of_the_pack", "getaway_car",
         "masterplan", "security_system", "surveillance_truck", "smoke_screen", "outpost", "secret_recruit",
         "double_trouble", "spycation", "mind_control")

FURTHEST, SPACES = 10, 14
_A, _C = len(AGENTS), len(CARDS)
LEADS = 0
PLACE = LEADS + 2 * FURTHEST + 1  # those behind follow in each block
IN_PLAY = PLACE + 2 * SPACES
HELD = IN_PLAY + 2 * 3 * _A
NAMES = HELD + 2 * _C
SUPPLY = NAMES + 2 * 3
OWED = SUPPLY + _C
DISCARDS = OWED + 2 * (_C + 1)
DECK = DISCARDS + 2 * 4
HAND = DECK + 7
N_FEATURES = HAND + 1 + 2 * _A
MOST = 104
"""More features never hold at once."""

# What the features need to know of the rules (see weights.facts_of): by agent and by copy its place in AGENTS, CARDS.
FACT_AGENT, FACT_CARD = 8, 24


def _names_of_features() -> list[str]:
    """What each feature says, in order."""
    found = [f"lead.{lead}" for lead in range(-FURTHEST, FURTHEST + 1)]
    found += [f"{who}.space.{space}" for who in ("front", "behind") for space in range(SPACES)]
    found += [f"{who}.agents.{name}.{n}" for who in ("front", "behind") for name in AGENTS for n in (1, 2, 3)]
    found += [f"{who}.held.{card}" for who in ("front", "behind") for card in CARDS]
    found += [f"{who}.names.{n}" for who in ("front", "behind") for n in (4, 5, 6)]
    found += [f"supply.{card}" for card in CARDS]
    found += [f"{who}.owed{of}" for who in ("front", "behind") for of in ("", *(f".{card}" for card in CARDS))]
    found += [f"{who}.discards.{n}" for who in ("front", "behind") for n in (1, 2, 3, 4)]
    found += [f"deck.{n}" for n in range(4, 32, 4)]
    return found + ["hand", *(f"hand.{name}.{n}" for name in AGENTS for n in (1, 2))]


FEATURES = tuple(_names_of_features())


@jit
def board_features(board, table, facts, front, taken, out, at):
    """List what a board tells, in ``out`` from ``at`` on; returns where the list ends.

    ``board``: a state, or what a policy lays out of it (``board.py``), with the supply. ``facts``: the address of the
    facts (``weights.facts_of``). ``front``: the side to offer next. ``taken``: a copy of the supply that is not there
    any more, or -1.
    """
    lead = board[LEAD] if front == 0 else -board[LEAD]
    out[at] = LEADS + max(min(lead, FURTHEST), -FURTHEST) + FURTHEST
    at += 1
    for which in range(2):
        side = front ^ which
        space = board[x.SPACE + side] - table[x.HOME + side]
        out[at] = PLACE + SPACES * which + (space if space >= 0 else space + SPACES)
        at += 1
        play = board[PLAY + side]
        for name in range(table[N_NAMES]):
            first = IN_PLAY + 3 * (_A * which + number_64(facts, FACT_AGENT + name))
            for copies in range(min(count(play, name), 3)):
                out[at] = first + copies
                at += 1
        held = board[x.HELD + side]
        while held:
            card = number_64(facts, FACT_CARD + first_one(held))
            held &= held - np.int64(1)
            if card >= 0:
                out[at] = HELD + _C * which + card
                at += 1
        for names in range(4, min(size_of_set(name_set(play)), 6) + 1):
            out[at] = NAMES + 3 * which + names - 4
            at += 1
        if board[x.OWED + side] > 0:
            out[at] = OWED + (_C + 1) * which
            at += 1
    for place in range(board[x.N_SUPPLY]):
        copy = board[x.SUPPLY + place]
        card = number_64(facts, FACT_CARD + copy)
        if card < 0 or copy == taken:
            continue
        out[at] = SUPPLY + card
        at += 1
        for which in range(2):
            if board[x.OWED + (front ^ which)] > 0:
                out[at] = OWED + (_C + 1) * which + 1 + card
                at += 1
    return at


@jit
def still_features(table, facts, discards, discards_behind, deck, told, hand, out, at):
    """List what no answer of this turn changes, in ``out`` from ``at`` on; returns where the list ends.

    ``discards``, ``discards_behind``: those left; ``told``: whether the zone ``hand`` of the side in front is known.
    """
    for left in range(min(discards, 4)):
        out[at] = DISCARDS + left
        at += 1
    for left in range(min(discards_behind, 4)):
        out[at] = DISCARDS + 4 + left
        at += 1
    for fours in range(min(deck // 4, 7)):
        out[at] = DECK + fours
        at += 1
    if told:
        out[at] = HAND
        at += 1
        for name in range(table[N_NAMES]):
            for copies in range(min(count(hand, name), 2)):
                out[at] = HAND + 1 + 2 * number_64(facts, FACT_AGENT + name) + copies
                at += 1
    return at
