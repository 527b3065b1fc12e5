"""Where everything stands in the two vectors that jitted code reads: the rules of a mode, and the state of its game.

Both begin as in the base game (``rules.py``, ``engine.py``), whose functions work on them unchanged, and go on here.
*Side* is a player or a team (0 starts); *slot* is a player: ``2 * side + member``. A Black Market card is a *copy*
0 .. 62, so that a set of them is one word; ``table[COPY + copy]`` says which card it is.
"""

from __future__ import annotations

from agentsim.games.agent_avenue.engine import STATE_SIZE as BASE_STATE
from agentsim.games.agent_avenue.rules import TABLE_SIZE as BASE_TABLE
from agentsim.games.agent_avenue.ruleset import MAX_EFFECTS as MAX_EFFECTS
from agentsim.games.agent_avenue.ruleset import MAX_SUPPLY as MAX_SUPPLY

# --- the rules vector, after the base game's ------------------------------------------------------------------------
_BLOCK = BASE_TABLE
(PLAYERS, LONE, TEAM_DISCARDS, SUPPLY_SIZE, PILE_SIZE, N_MARKET, TRAP_STOPPING, PICKS_UNIFORM, RING, HOME, _HOME_OF_1,
 CORNERS) = range(_BLOCK + 1, _BLOCK + 13)
"""LONE: the side that is one player when three play, else -1. TRAP_STOPPING: 1 if a Division M pawn traps only who
moved in this turn. HOME, HOME + 1: home spaces. CORNERS: the Black Market spaces as a set of bits, 0 without it."""
WITH_M = _BLOCK + 13
"""1 if any agent or card moves a Division M pawn."""
REASON_M, REASON_LOSING, REASON_OUT = range(_BLOCK + 14, _BLOCK + 17)
"""Where ``division_m``, ``daredevils`` and ``out_of_cards`` stand in the rules' list of end reasons."""
ON_HOME, ON_MARKET, ON_M, AT_END, SPARES = range(_BLOCK + 17, _BLOCK + 22)
"""Copies with an effect on stopping on a home, a market space, the own Division M pawn; with one at End; of these,
those that spare a losing set."""
BLANKS = _BLOCK + 23
"""Copies that do nothing at all."""
RETURNS = _BLOCK + 24
"""How many agents the pile can bring back from play into a hand: each lets a game last longer."""
WAITS = _BLOCK + 25
"""Copies with an effect at End that waits for where the other side's pawn stops."""
SYMBOLS = _BLOCK + 26
"""``table[SYMBOLS + 16 * name + count]``: the ``count``-th copy's Division M symbol: 0 none, -1 home, n up to n."""
ON_RECRUIT = SYMBOLS + 256
"""By agent: copies with an effect on recruiting it."""
COPY = ON_RECRUIT + 16
"""By copy: its card. Copies are sorted by card."""
KIND = COPY + 64
"""By card: 1 ongoing, 0 instant."""
REASON_OF = KIND + 64
"""By card: its end reason's number."""
FIRST_EFFECT, N_EFFECTS = REASON_OF + 64, REASON_OF + 128
"""By card: its first effect, and how many."""
EFFECTS = N_EFFECTS + 64
EFFECT_SIZE = 4
E_OP, E_AGENT, E_N, E_WHO = range(EFFECT_SIZE)
"""``table[EFFECTS + EFFECT_SIZE * effect + E_OP]`` ...: what it does, the agent concerned (-1: none), a number, who."""
MODE_TABLE = EFFECTS + EFFECT_SIZE * MAX_EFFECTS

# Operations, in E_OP. On recruiting E_AGENT:
SET, NEGATE, MULTIPLY, ADD = 1, 2, 3, 4
# On stopping, E_N spaces:
LAND_HOME, LAND_MARKET, LAND_M = 5, 6, 7
# A win at End if: E_N names in play; E_N of E_AGENT; a losing set of E_AGENT; the rival on the owner's home; the rival
# at most E_N spaces from the owner's Division M pawn.
IF_NAMES, IF_SET, IF_LOSING, IF_HOME, IF_NEAR_M = 8, 9, 10, 11, 12
# Instant: move E_N; recruit off the deck, E_AGENT from hand, any name, a new name, a pair; take back (E_N: may
# recruit), take from the rival, clear all, the symbol E_N of Division M, nothing.
MOVE, FROM_DECK, OF_NAME, OF_ANY, OF_NEW, OF_PAIR, TAKE_BACK, TAKE, CLEAR, SYMBOL, NOTHING = range(13, 24)

OWN, RIVAL, BOTH = 0, 1, 2
"""Who, in E_WHO."""

# --- the state vector, after the base game's ------------------------------------------------------------------------
HANDS = BASE_STATE  # by slot: zones (the base game's HAND, TOSSED and USED are not used)
GONE = HANDS + 4  # by slot: zones of discarded cards
SPENT = HANDS + 8  # by slot: discards used
SHOWN = HANDS + 12  # by slot: zones of hand cards that an effect named openly and that were not seen to leave
WENT = HANDS + 16  # by side: spaces moved, unwrapped
M_SPACE = HANDS + 18  # by side: space of the Division M pawn, -1 off the board
OWED = HANDS + 20  # by side: landings to resolve
STIRRED = HANDS + 22  # by side: 1 if the spy pawn has moved in this turn
HELD = HANDS + 24  # by side: ongoing cards, a set of copies
N_HELD = HANDS + 26  # by side: how many; ORDER + 64 * side: which, in the order in which they were taken
BOARD = HANDS + 28  # cards off the market pile so far
N_SUPPLY = HANDS + 29
SUPPLY = HANDS + 30  # copies that lie face up, from the left
DECISION = HANDS + 36  # what is asked (below), -1 when the game is over
ASKED, ASKED_MEMBER = HANDS + 37, HANDS + 38  # side and, if a player's own hand is concerned, member, else -1
OPTIONS = HANDS + 39  # see below
STAGE = HANDS + 40  # where the turn goes on when the question is answered
UP_MEMBER, DOWN_MEMBER = HANDS + 41, HANDS + 42  # who of the active side plays up, down
KEPT = HANDS + 43  # ruling T1: 1 if nobody may discard in this Play
UP_STEPS = HANDS + 44  # discards of the face-up player in this turn (STEP: of the whole side)
EVENTS = HANDS + 45  # Black Market cards taken and done with in this game; EV_START of them before this turn
EV_SIDE, EV_MEMBER, EV_COPY, EV_EFFECT, EV_PART, EV_TARGET, EV_RECRUITED, EV_BEFORE = range(HANDS + 46, HANDS + 54)
"""The Black Market event that is going on: owner, member who gains the card, the card, the effect in hand, which side's
part of it, agent chosen and recruited (-1), WENT of the owner before it."""
EV_LAY = HANDS + 56  # MAX_SUPPLY: what lay there when the card was taken, -1 at the end
EV_MOVE = HANDS + 62  # spaces that the owner moved in the event
M_REACH = HANDS + 63  # how far the Division M pawn that is being asked about may move
LAST_AGENT = HANDS + 64  # agent that the effect works on while a question about it is open
OFFER_UP_HAND, OFFER_DOWN_HAND = HANDS + 66, HANDS + 67  # hands before the face-up and the face-down card, for the log
TABLE_UP = HANDS + 68  # the face-up card as it lies while the partner thinks, else -1
BLANKED = HANDS + 70  # 1: the card that is taken next does nothing (a fork's other branch)
EV_START = HANDS + 71
SPACE = HANDS + 72  # by side: the space of the ring on which the spy pawn stands
ORDINAL = HANDS + 74  # tells apart the questions of one kind that a side is asked in a turn
EV_PLACE = HANDS + 75  # where the card that is being taken lies
N_PILE = HANDS + 76  # cards in the market pile at the start, the supply included
ORDER = HANDS + 78  # 2 x 64
PILE = ORDER + 128  # the market pile, shuffled as it is drawn
MODE_STATE = PILE + 64

# --- questions --------------------------------------------------------------------------------------------------------
(ASK_PLAY, ASK_PLAYER_UP, ASK_FACE_UP, ASK_FACE_DOWN, ASK_TAKE, ASK_MARKET, ASK_MEMBER, ASK_TARGET, ASK_RECRUIT,
 ASK_M) = range(10)
"""What ``state[DECISION]`` may be, with the answers:

ASK_PLAY       a single player offers or discards: ``16 * up + down`` or ``DISCARD + name``
ASK_PLAYER_UP  a team: which member plays the face-up card, 0 or 1
ASK_FACE_UP    that member: a name, or ``DISCARD + name``
ASK_FACE_DOWN  its partner: a name, or ``DISCARD + name``; ``OPTIONS`` is the set of names that may lie face down
ASK_TAKE       the other side: 1 the face-up card, 0 the hidden one
ASK_MARKET     which card of the supply, 0 .. OPTIONS - 1 from the left
ASK_MEMBER     which member gains it (or recruits, when a rival's card says so), 0 or 1
ASK_TARGET     an agent of the set OPTIONS (a set of names as in zones.py)
ASK_RECRUIT    1 to recruit the agent taken back at once, 0 not to
ASK_M          the Division M pawn: 0 .. 2n with OPTIONS = 2n + 1; the pawn moves ``answer - n`` spaces
"""

S_AFTER_ACTIVE, S_AFTER_OTHER, S_EVENT, S_RIVAL, S_GAIN = range(5)
"""``state[STAGE]``: a Division M pawn is moved for the active side's recruit, for the other's, inside a Black Market
event; a team names the member who recruits by a rival's card, who gains a card."""
