"""What all policies ask about an exchange: who would move how far, who would complete a set, how it ends.

**Look-ahead.** A decision weighs up to some thirty outcomes built from few cards. What one more copy of each agent
would bring either seat changes for two agents a turn only, so the kernel keeps it in a scratch vector and lends that to
the policies. It holds nothing that does not lie open before both players.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.engine import ACTIVE_WINS, OTHER_WINS, PLAY, decide
from agentsim.games.agent_avenue.rules import (
    LOSE,
    LOSING,
    MOVES,
    N_LOSING,
    N_NAMES,
    N_WINNING,
    SETS,
    TIE_ACTIVE,
    TIE_DRAW,
    TIE_PASSIVE,
    WIN,
    WINNING,
)
from agentsim.games.agent_avenue.zones import count, name_set, one
from agentsim.jit import jit

# --- the scratch vector ---------------------------------------------------------------------------------------------
AHEAD = 32
"""The look-ahead of seat s is at ``AHEAD * s``: from ``NEXT`` on, by name, the move that one more copy would bring;
at ``CLOSING`` the set of names of which one more copy would complete a winning or losing set."""
NEXT, CLOSING = 0, 16
START = 2 * AHEAD
"""The look-ahead of both seats before the first turn."""
POINTS, PAIRS = 128, 160
"""Work space of a decision. By name, what recruiting it would bring me and, THEM further, the opponent; then the offers
of the pairs of names in hand (up to 28)."""
THEM = 16
SCRATCH_SIZE = 192


@jit(inline="always")
def look_ahead(scratch, table, seat, zone, name):
    """Note what one more copy of ``name`` would bring a seat whose play area is ``zone``."""
    name &= 15
    entry, ahead = 16 * name + count(zone, name) + 1, AHEAD * (seat & 1)
    scratch[ahead + NEXT + name] = table[MOVES + entry]
    closing = scratch[ahead + CLOSING]
    scratch[ahead + CLOSING] = closing | one(name) if table[SETS + entry] else closing & ~one(name)


@jit
def look_ahead_all(scratch, table, state):
    """The look-ahead of both seats."""
    for seat in range(2):
        scratch[AHEAD * seat + CLOSING] = 0
        for name in range(table[N_NAMES]):
            look_ahead(scratch, table, seat, state[PLAY + seat], name)


@jit(inline="always")
def ahead_of(seat):
    """Where the look-ahead of the viewer and that of its opponent begin."""
    return AHEAD * (seat & 1), AHEAD * (1 - (seat & 1))


@jit(inline="always")
def may_complete(scratch, me, it, unseen, up):
    """The unseen names with which, or with the face-up card, somebody might complete a set, as a set of names.

    A receiver weighs these one by one with :func:`ends`. All other hidden cards can end the game by a catch only; a
    plain loop over all sixteen places for a name sums them up with vector instructions: a quarter of a game of
    `greedy`.
    """
    closing = scratch[me + CLOSING] | scratch[it + CLOSING]
    return name_set(unseen) if closing & one(up) else name_set(unseen) & closing


@jit(inline="always")
def next_sets(table, zone, name):
    """The sets (bits WIN, LOSE) that one more copy of ``name`` would complete in a play area."""
    return table[SETS + 16 * (name & 15) + count(zone, name) + 1]


# --- how an exchange ends -------------------------------------------------------------------------------------------
_OTHER = 2  # how many bits higher the conditions of the player stand who is not active


def _scores(tie):
    """The End step's verdicts on all sixteen combinations of conditions in one word, two bits each, as signed numbers:
    01 the active player wins, 11 the other one, 00 neither."""
    rule = getattr(decide, "py_func", decide)
    scores = 0
    for conditions in range(16):
        holds = [conditions & bit != 0 for bit in (WIN, WIN << _OTHER, LOSE, LOSE << _OTHER)]
        scores |= {ACTIVE_WINS: 0b01, OTHER_WINS: 0b11}.get(rule(tie, *holds)[0], 0) << 2 * conditions
    return np.uint64(scores)


_ACTIVE, _PASSIVE, _DRAW = _scores(TIE_ACTIVE), _scores(TIE_PASSIVE), _scores(TIE_DRAW)


@jit
def _score(tie, conditions):
    # A look-up in a word instead of the verdict's branches, which nobody can foretell: 12 % of a game of `greedy`.
    scores = _ACTIVE if tie == TIE_ACTIVE else _PASSIVE if tie == TIE_PASSIVE else _DRAW
    return np.int64(scores << np.uint64(62 - 2 * conditions)) >> np.int64(62)


@jit(inline="always")
def ends(view, tie, active, lead, mine, theirs):
    """How the game stands at End if my lead is ``lead`` and the recruits complete the sets ``mine`` and ``theirs``.

    +1: it ends for me, -1: against me, 0: it goes on (or is drawn). Running out of cards is not looked at.
    ``active`` says whether I am the active player, ``tie`` is a tie rule.
    """
    mine |= WIN * (lead >= view.gap_me)
    theirs |= WIN * (-lead >= view.gap_them)
    return _score(tie, mine | theirs << _OTHER) if active else -_score(tie, theirs | mine << _OTHER)


@jit(inline="always")
def catches(view, lead):
    """:func:`ends` when no set is complete: +1 I catch, -1 I am caught, 0 neither."""
    return np.int64(lead >= view.gap_me) - np.int64(-lead >= view.gap_them)


# --- cards of sets --------------------------------------------------------------------------------------------------
@jit
def winning_cards(zone, table):
    """Cards in the zone that belong to a winning set (codebreakers)."""
    total = 0
    for index in range(table[N_WINNING]):
        total += count(zone, table[WINNING + index])
    return total


@jit
def losing_cards(zone, table):
    """Cards in the zone that belong to a losing set (daredevils)."""
    total = 0
    for index in range(table[N_LOSING]):
        total += count(zone, table[LOSING + index])
    return total
