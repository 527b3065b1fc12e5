"""The rules of Shady Agents: the one implementation, used by the batch kernel, the step API and replay.

Read it beside ``docs/rules/shady_agents.md``. A game is a sequence of questions: :func:`start` deals, then, until
``state[PHASE]`` is ``OVER``, the seat ``state[ACTIVE]`` is asked for a code and :func:`answer` carries it out.
In the first round (``CHOOSING``) the code is ``tool * GIVE + seat`` to give a tool, ``CALL + tool`` to throw it away
and call an interrogation, or ``CALL_FREE``; in the second (``PLACING``) it is ``tool * GIVE + seat`` with the tool that
``state[TOOL]`` asks for. :func:`is_legal` says which codes are. An interrogation asks nobody anything: roles force the
answers, and chance decides who can check them. Jitted functions compute and never check.

The state is one flat ``int64`` vector of :data:`STATE_SIZE` entries, and what players believe one ``float64`` vector of
``MAX_PLAYERS`` times ``MAX_PLAYERS`` log odds (observer by observed). Talk is worked out for those seats alone that
listen (``state[LISTENERS]``); what a seat would hear does not depend on who else listens.
"""

from __future__ import annotations

import numpy as np

from agentsim.games.shady_agents.belief import impossible
from agentsim.games.shady_agents.rules import MAX_PLAYERS
from agentsim.games.shady_agents.table import (
    BASE_RATE,
    BONUS,
    BULLET_POINTS,
    CALLER_ANSWERS,
    E_BULLET,
    E_FALSE,
    E_MEDKIT,
    E_NO,
    E_TRUE,
    E_YES,
    FREE,
    INTERROGATIONS,
    MISREAD,
    OWN_TOOLS,
    PLAYERS,
    REVERSE,
    TIE,
    TWO_TO_ONE,
    VERIFIABLE,
)
from agentsim.jit import jit
from agentsim.rng import below, word

# --- the state vector -------------------------------------------------------------------------------------------------
ACTIVE, TURN, PHASE, TOOL = 0, 1, 2, 3  # whose turn; from 0; the question; the tool to be placed, -1 in round 1
CALLS = 4  # interrogations so far
ROLES, N_LAW, SMALLER = 5, 6, 7  # set of crooked seats; how many are law-abiding; the smaller side, -1 for none
DEAL = 8  # the deal's random stream
LISTENERS, BELIEVERS, CONTRADICTIONS = 9, 10, 11  # sets of seats; resets of believers' beliefs
REASON, WINNER = 12, 13  # index into END_REASONS; the winning side, -1 for a draw
POINTS, MEDKITS = 14, 16  # by side, at the end
WRONG, THROWN = 18, 20  # by tool, at the end: given to the wrong side, thrown away
LEFT = 32  # by seat: its tools as a set, 1 for the bullet and 2 for the medkit
SENDERS = 42  # by seat: set of those from whom it has received a tool
COUNT = 52  # by seat: tools lying with it
GIVEN = 62  # by seat, twice, bullet first: who received the tool; IN_HAND or AWAY
TO = 82  # by seat, three times: who received its tool in round 1, round 2, and the first player's second one
SCORE = 112  # by seat, at the end: what the tools lying with it count
ROW = 122  # by seat: the parameter row with its weights of evidence
KEYS = 132  # by seat: its random stream, for the batch kernel
RESETS = 142  # by seat: how often contradictory evidence took its beliefs back to the prior
CALLER = 152  # by question: who called the interrogation
SAID, TRUTH = 162, 172  # by question: sets of speakers who said yes, and whose true answer is yes
VERDICTS = 182  # by listener and speaker: statements found true minus statements found false
KNOWN, FOUND_TRUE = 282, 382  # by listener and question: speakers whose statements it verified, and found true
STATE_SIZE = 482
IN_HAND, AWAY = -1, -2
NOBODY, CALLED = -1, -2
"""In ``TO``: nothing given yet, and the turn was used to call an interrogation."""

CHOOSING, PLACING, OVER = range(3)
"""Phases: a turn of the first round; of the second; ended."""
BULLET, MEDKIT = 0, 1
LAW, CROOKED = 0, 1
GIVE, CALL, CALL_FREE = 16, 32, 34
"""Codes: ``tool * GIVE + seat``, ``CALL + tool``, ``CALL_FREE``."""

END_REASONS = ("points", "medkits", "draw", "tie_rule")
"""How a game was decided: by points; level, by medkits; not at all; by a rule for level games."""
BY_POINTS, BY_MEDKITS, BY_NOTHING, BY_RULE = range(4)

_TRUTHS = 16
"""Words of a deal: first the roles, then the true answers by question and speaker, then what listeners know."""
_LISTENING = _TRUTHS + MAX_PLAYERS * MAX_PLAYERS
_LOW, _S32 = np.uint64(0xFFFFFFFF), np.uint64(32)


# --- setting up -------------------------------------------------------------------------------------------------------
@jit(inline="always")
def start(state, odds, table, stream, turned, listeners, believers):
    """Start a game: deal the roles, give everybody both tools; seat 0 begins.

    ``stream`` is the deal's random stream, ``turned`` by how many seats its roles are moved to the right of where they
    were dealt; ``listeners`` hear the talk, ``believers`` are the seats whose contradictions are counted.
    """
    players = table[PLAYERS]
    for index in range(VERDICTS):
        state[index] = 0
    for index in range(GIVEN, SCORE):
        state[index] = -1
    if listeners != 0:
        for index in range(VERDICTS, STATE_SIZE):
            state[index] = 0
        for index in range(MAX_PLAYERS * MAX_PLAYERS):
            odds[index] = 0.0
    half = (players + 1) // 2
    law, crooked, roles = half, half, np.int64(0)
    for card in range(players):
        if below(word(stream, card), law + crooked) < crooked:
            crooked -= 1
            seat = card + turned
            roles |= np.int64(1) << (seat if seat < players else seat - players)
        else:
            law -= 1
    for seat in range(players):
        state[LEFT + seat] = 3
    state[ROLES], state[N_LAW] = roles, half - law
    state[SMALLER] = -1 if law + crooked == 0 else LAW if law > 0 else CROOKED
    state[DEAL] = np.int64(stream)
    state[LISTENERS], state[BELIEVERS] = listeners, believers
    state[TOOL], state[WINNER] = -1, -1


@jit
def side_of(state, seat):
    """The side of a seat: ``LAW`` or ``CROOKED``."""
    return state[ROLES] >> seat & 1


@jit
def friends_of(state, table, seat):
    """How many others are of a seat's side."""
    return (table[PLAYERS] - state[N_LAW] if side_of(state, seat) == CROOKED else state[N_LAW]) - 1


@jit
def calls_free(state, table, seat):
    """Whether this seat would keep both tools when calling an interrogation now: the very first player."""
    return table[FREE] != 0 and state[TURN] == 0 and seat == state[ACTIVE]


@jit
def may_receive(state, table, seat):
    """Whether the active seat may give the tool in question to ``seat``."""
    me = state[ACTIVE]
    if seat == me and table[OWN_TOOLS] == 0:
        return False
    # Only a first player with two tools left has placed one in this round already.
    return table[TWO_TO_ONE] != 0 or state[TO + 3 * me + 1] != seat


@jit
def is_legal(state, table, code):
    """Whether the rules allow the active seat to answer with this code."""
    if state[PHASE] == OVER or code < 0:
        return False
    if code >= CALL:
        if state[PHASE] != CHOOSING or table[INTERROGATIONS] == 0 or code > CALL_FREE:
            return False
        return (code == CALL_FREE) == calls_free(state, table, state[ACTIVE])
    tool, seat = code // GIVE, code % GIVE
    if seat >= table[PLAYERS] or (state[PHASE] == PLACING and tool != state[TOOL]):
        return False
    return may_receive(state, table, seat)


# --- a turn -----------------------------------------------------------------------------------------------------------
@jit(inline="always")
def answer(state, odds, table, rows, code):
    """Carry out what the active seat does and go on to the next question.

    ``rows``: the players' parameter rows, which begin with the weighted evidence by which they learn (see
    :mod:`agentsim.games.shady_agents.policies.parameters`).
    """
    me = state[ACTIVE]
    if code >= CALL:
        if code != CALL_FREE:
            state[LEFT + me] ^= 1 << (code - CALL)
            state[GIVEN + 2 * me + code - CALL] = AWAY
        state[TO + 3 * me] = CALLED
        interrogate(state, odds, table, rows, me)
    else:
        give(state, odds, rows, table, me, code // GIVE, code % GIVE)
    go_on(state, table)


@jit(inline="always")
def give(state, odds, rows, table, me, tool, receiver):
    """Give a tool, face down; the receiver looks at it and learns."""
    state[LEFT + me] ^= 1 << tool
    state[GIVEN + 2 * me + tool] = receiver
    state[COUNT + receiver] += 1
    if state[PHASE] == CHOOSING:
        state[TO + 3 * me] = receiver
    else:
        state[TO + 3 * me + (1 if state[TO + 3 * me + 1] == NOBODY else 2)] = receiver
    # A second tool from the same sender is no evidence: after the first its kind is certain.
    if receiver != me and state[SENDERS + receiver] >> me & 1 == 0:
        state[SENDERS + receiver] |= np.int64(1) << me
        if state[LISTENERS] >> receiver & 1 != 0:
            kind = E_MEDKIT if tool == MEDKIT else E_BULLET
            learn(state, odds, table, receiver, me, rows[state[ROW + receiver], kind])


@jit
def interrogate(state, odds, table, rows, caller):
    """Everybody but the caller, clockwise from the next seat, answers the next question; everybody else listens."""
    players, question = table[PLAYERS], state[CALLS]
    stream = np.uint64(state[DEAL])
    state[CALLS] += 1
    state[CALLER + question] = caller
    listeners = state[LISTENERS]
    if listeners == 0:
        return
    for step in range(1, players + (1 if table[CALLER_ANSWERS] != 0 else 0)):
        speaker = caller + step
        speaker -= players if speaker >= players else 0
        cell = MAX_PLAYERS * question + speaker
        truth = np.int64(np.int64(word(stream, _TRUTHS + cell) >> _S32) < table[BASE_RATE])
        said = truth ^ side_of(state, speaker)
        state[TRUTH + question] |= truth << speaker
        state[SAID + question] |= said << speaker
        for listener in range(players):
            if listener != speaker and listeners >> listener & 1 != 0:
                hear(state, odds, table, rows, listener, speaker, question, said == truth, said,
                     word(stream, _LISTENING + MAX_PLAYERS * MAX_PLAYERS * listener + cell))


@jit
def hear(state, odds, table, rows, listener, speaker, question, truthful, said, chance):
    """One listener hears one statement, verifies it or not, and learns. ``chance``: the random word that decides."""
    row = state[ROW + listener]
    if np.int64(chance >> _S32) < table[VERIFIABLE]:
        found_true = truthful != (np.int64(chance & _LOW) < table[MISREAD])
        state[KNOWN + MAX_PLAYERS * listener + question] |= np.int64(1) << speaker
        if found_true:
            state[FOUND_TRUE + MAX_PLAYERS * listener + question] |= np.int64(1) << speaker
        state[VERDICTS + MAX_PLAYERS * listener + speaker] += 1 if found_true else -1
        news = rows[row, E_TRUE if found_true else E_FALSE]
    else:
        news = rows[row, E_YES if said != 0 else E_NO]
    # Evidence for law-abiding is evidence for a friend to a law-abiding listener only.
    learn(state, odds, table, listener, speaker, news if side_of(state, listener) == LAW else -news)


@jit
def learn(state, odds, table, observer, about, news):
    """Add evidence (log odds for friend) to a belief; if no assignment is left, go back to the prior and count it."""
    players = table[PLAYERS]
    step = about - observer
    # Beliefs are kept by relative seat, 0 being oneself.
    at = MAX_PLAYERS * observer + (step if step >= 0 else step + players)
    # Certain and certain to the contrary have no sum.
    odds[at] = np.nan if abs(news) == np.inf and odds[at] == -news else odds[at] + news
    if not abs(news) < np.inf and impossible(odds, MAX_PLAYERS * observer, players - 1,
                                             friends_of(state, table, observer)):
        for r in range(1, players):
            odds[MAX_PLAYERS * observer + r] = 0.0
        state[RESETS + observer] += 1
        state[CONTRADICTIONS] += state[BELIEVERS] >> observer & 1


@jit(inline="always")
def go_on(state, table):
    """The next question: the next seat of the first round, the next tool of the second, or the end."""
    players = table[PLAYERS]
    me = state[ACTIVE]
    if state[PHASE] == CHOOSING:
        state[TURN] += 1
        if state[TURN] < players:
            state[ACTIVE] = me + 1
            return
        state[PHASE] = PLACING
        state[ACTIVE] = players - 1 if table[REVERSE] != 0 else 0
    elif state[LEFT + me] == 0:
        state[TURN] += 1
        if state[TURN] == 2 * players:
            finish(state, table)
            return
        state[ACTIVE] = me - 1 if table[REVERSE] != 0 else me + 1
    state[TOOL] = MEDKIT if state[LEFT + state[ACTIVE]] >= 2 else BULLET


# --- the end ----------------------------------------------------------------------------------------------------------
@jit(inline="always")
def finish(state, table):
    """Turn everything up: points by side, medkits if they are level, else nobody (or as the tie rule has it)."""
    roles = state[ROLES]
    if state[SMALLER] >= 0:
        state[POINTS + state[SMALLER]] += table[BONUS]
    for sender in range(table[PLAYERS]):
        side = roles >> sender & 1
        for tool in range(2):
            receiver = state[GIVEN + 2 * sender + tool]
            if receiver < 0:
                state[THROWN + tool] += 1
                continue
            its_side = roles >> receiver & 1
            worth = table[BULLET_POINTS + tool]
            state[POINTS + its_side] += worth
            state[SCORE + receiver] += worth
            state[MEDKITS + its_side] += tool
            # A medkit belongs with one's own side, a bullet with the other.
            state[WRONG + tool] += side ^ its_side if tool == MEDKIT else 1 - (side ^ its_side)
    lead = state[POINTS + LAW] - state[POINTS + CROOKED]
    reason = BY_POINTS
    if lead == 0:
        lead, reason = state[MEDKITS + LAW] - state[MEDKITS + CROOKED], BY_MEDKITS
    if lead != 0:
        state[WINNER] = LAW if lead > 0 else CROOKED
    else:
        state[WINNER] = table[TIE]
        reason = BY_NOTHING if table[TIE] < 0 else BY_RULE
    state[REASON] = reason
    state[PHASE] = OVER
    state[TOOL] = -1
