"""What all policies ask about the exchange on the table: who would move how far, who would complete a set, how it ends.

A decision weighs up to some thirty outcomes built from few cards, so what each card would bring either side is worked
out once, into a scratch vector that the kernel lends, and an outcome is then two look-ups.
"""

from __future__ import annotations

from agentsim.games.agent_avenue.engine import ACTIVE_WINS, OTHER_WINS, decide
from agentsim.games.agent_avenue.rules import (
    COPIES,
    LOSE,
    LOSING,
    MOVES,
    N_LOSING,
    N_WINNING,
    SETS,
    WIN,
    WINNING,
)
from agentsim.games.agent_avenue.zones import count
from agentsim.jit import jit

# The scratch vector: by name, what recruiting it would bring me and, 16 further, the opponent.
MOVE, SET, POINTS = 0, 32, 64
SCRATCH_SIZE = 160
THEM = 16


@jit(inline="always")
def look_at(view, table, scratch, name):
    """Work out what recruiting ``name`` would bring either side: its move and the set it completes."""
    mine, theirs = 16 * name + count(view.mine, name) + 1, 16 * name + count(view.theirs, name) + 1
    scratch[MOVE + name], scratch[MOVE + THEM + name] = table[MOVES + mine], table[MOVES + theirs]
    scratch[SET + name], scratch[SET + THEM + name] = table[SETS + mine], table[SETS + theirs]


@jit
def judge(view, tie, active, lead, mine, theirs):
    """How the game stands at End if my lead is ``lead`` and the recruits complete the sets ``mine`` and ``theirs``.

    +1: it ends for me, -1: against me, 0: it goes on (or is drawn). Running out of cards is not looked at.
    ``active`` says whether I am the active player, ``tie`` is a tie rule.
    """
    win_me, win_it = lead >= view.gap_me or mine & WIN != 0, -lead >= view.gap_them or theirs & WIN != 0
    if active:
        result, _ = decide(tie, win_me, win_it, mine & LOSE != 0, theirs & LOSE != 0)
        return 1 if result == ACTIVE_WINS else -1 if result == OTHER_WINS else 0
    result, _ = decide(tie, win_it, win_me, theirs & LOSE != 0, mine & LOSE != 0)
    return 1 if result == OTHER_WINS else -1 if result == ACTIVE_WINS else 0


@jit(inline="always")
def ends(view, tie, active, lead, mine, theirs):
    """:func:`judge`, with the common case, that nothing ends, answered at once."""
    if lead < view.gap_me and -lead < view.gap_them and mine | theirs == 0:
        return 0
    return judge(view, tie, active, lead, mine, theirs)


@jit
def copies_unseen(view, table, name):
    """Copies of ``name`` outside both play areas and my hand; the face-up card and discards are not taken off."""
    return table[COPIES + name] - count(view.mine, name) - count(view.theirs, name) - count(view.hand, name)


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
