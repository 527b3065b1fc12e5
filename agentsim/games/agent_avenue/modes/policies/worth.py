"""What the board is worth to the side that decides, in the units of each family.

=========  =========================================================  =======================  ====================
family     the position                                               a win / a loss           unit
=========  =========================================================  =======================  ====================
greedy     110 x lead + 300 x winning - 350 x losing cards            plus / minus 100,000     points
minmax     2 x lead + 1.5 x winning - 0.6 x losing cards + pairs      100 / -100 instead       tenths of points
planner    its value in log-odds (``policies/planner.py``)            +-(1/2 + terminal)       winning chance - 1/2
fitted     by its network (``solver/advanced/network.py``)            1 / 0 instead            winning chance
=========  =========================================================  =======================  ====================

(cards and pairs: mine minus its). In every family but the last there are added, with the weights below: landings owed;
steps towards the End conditions of ongoing cards (``lanes.progress``); the chances that a pawn's next move ends on the
other side's Division M pawn; and the *promise* of an ongoing card, in spaces, which is worth that many spaces of lead.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.agent_avenue.engine import LEAD, PLAY
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.policies import space as s
from agentsim.games.agent_avenue.modes.policies.board import verdict
from agentsim.games.agent_avenue.modes.policies.lanes import exposure, progress
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_FITTED, FAMILY_GREEDY, FAMILY_MINMAX
from agentsim.games.agent_avenue.policies.exchange import losing_cards, winning_cards
from agentsim.games.agent_avenue.policies.parameters import RECORD, WORTH, position
from agentsim.games.agent_avenue.policies.planner import (
    P_DANGER,
    P_LEAD,
    P_SPRINT,
    P_TERMINAL,
    R_WORTH,
    R_WORTH_THEM,
    advantage,
)
from agentsim.games.agent_avenue.rules import GAP_0, N_NAMES, TIE_ACTIVE, TIE_RULE
from agentsim.games.agent_avenue.solver.advanced.network import chance
from agentsim.games.agent_avenue.zones import count
from agentsim.jit import jit

__all__ = ["GREEDY_LANDING", "GREEDY_M", "GREEDY_PLOT", "MINMAX_LANDING", "MINMAX_M", "MINMAX_PLOT", "P_AMBUSH",
           "P_CORNER", "P_DANGER_M", "P_ENGINE", "P_PLOT", "P_RUSH", "P_SCHEME", "P_THEFT", "P_TRAP_M", "value"]

GREEDY_LANDING, GREEDY_PLOT, GREEDY_M = 200, 300, 300
MINMAX_LANDING, MINMAX_PLOT, MINMAX_M = 40, 30, 30
(P_CORNER, P_PLOT, P_TRAP_M, P_DANGER_M, P_ENGINE, P_SCHEME, P_AMBUSH, P_THEFT, P_RUSH) = (position(name) for name in (
    "corner", "plot", "trap_m", "danger_m", "engine", "scheme", "ambush", "theft", "rush"))

# Numba compiles a function anew for each constant that is handed to it as a plain 0 or 1.
_NONE, _ONE = np.int64(0), np.int64(1)


@jit
def value(scratch, table, rows, policy, promise):
    """The worth of the board to ``scratch[ME]``. ``promise``: of an ongoing card being weighed, in spaces."""
    if scratch[s.FAMILY] == FAMILY_FITTED:
        return chance(scratch, table, rows, policy)
    me = scratch[s.ME] & 1
    it, family, active = 1 - me, scratch[s.FAMILY], scratch[s.ACTIVE]
    lead = scratch[LEAD] if me == 0 else -scratch[LEAD]
    mine, theirs = scratch[PLAY + me], scratch[PLAY + it]
    owed = scratch[x.OWED + me] - scratch[x.OWED + it]
    plot, risk, grip = 0.0, 0.0, 0.0
    if (scratch[x.HELD + me] | scratch[x.HELD + it]) & table[x.AT_END]:
        plot = progress(scratch, table, me, _ONE) - progress(scratch, table, it, _NONE)
    if table[x.WITH_M]:
        risk = exposure(scratch, table, _NONE, scratch[x.SPACE + me], scratch[x.M_SPACE + it])
        grip = exposure(scratch, table, _ONE, scratch[x.SPACE + it], scratch[x.M_SPACE + me])
    if family == FAMILY_GREEDY:
        points = (110 * (lead + promise) + 300 * (winning_cards(mine, table) - winning_cards(theirs, table))
                  - 350 * (losing_cards(mine, table) - losing_cards(theirs, table))
                  + GREEDY_LANDING * owed + GREEDY_PLOT * plot + GREEDY_M * (grip - risk))
        return points + 100000.0 * verdict(scratch, table, table[TIE_RULE], me, active)
    if family == FAMILY_MINMAX:
        end = verdict(scratch, table, np.int64(TIE_ACTIVE), me, active)
        if end != 0:
            return 1000.0 * end
        sentinel, pairs = int(rows[policy, 0]), 0
        if sentinel >= 0:
            pairs = 10 * (count(mine, sentinel) == 2) - 10 * (count(theirs, sentinel) == 2)
        return (20 * (lead + promise) + pairs + 15 * (winning_cards(mine, table) - winning_cards(theirs, table))
                - 6 * (losing_cards(mine, table) - losing_cards(theirs, table))
                + MINMAX_LANDING * owed + MINMAX_PLOT * plot + MINMAX_M * (grip - risk))
    end = verdict(scratch, table, table[TIE_RULE], me, active)
    if end != 0:
        return end * (0.5 + rows[policy, P_TERMINAL])
    log_odds = (rows[policy, P_LEAD] * (lead + promise) + rows[policy, P_CORNER] * owed + rows[policy, P_PLOT] * plot
                + rows[policy, P_TRAP_M] * grip - rows[policy, P_DANGER_M] * risk
                + rows[policy, P_SPRINT] * max(float(lead - (table[GAP_0 + me] >> 1)), 0.0)
                - rows[policy, P_DANGER] * max(float(-lead - (table[GAP_0 + it] >> 1)), 0.0))
    for name in range(table[N_NAMES]):
        log_odds += (rows[policy, WORTH + RECORD * (16 * name + count(mine, name)) + R_WORTH]
                     - rows[policy, WORTH + RECORD * (16 * name + count(theirs, name)) + R_WORTH_THEM])
    return advantage(log_odds)
