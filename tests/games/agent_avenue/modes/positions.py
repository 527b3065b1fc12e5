"""Games in the middle, laid out alike in both engines, as the active side sees the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.turn import begin_turn
from agentsim.games.agent_avenue.rules import Rules, make_rules
from tests.games.agent_avenue.modes.lockstep import Pair, word_of
from tests.oracle.mode_positions import FILLING, REST, Hands, position

ADVANCED = make_rules({"rules.mode": "advanced", "rules.ceasefire": True})


def lay(
    rules: Rules = ADVANCED,
    *,
    lone: int = -1,
    own: Mapping[str, Mapping[str, Any]] | None = None,
    active: int = 0,
    steps: tuple[int, int] = (0, 0),
    has: tuple[Mapping[str, int], Mapping[str, int]] = ({}, {}),
    hand: Hands = FILLING,
    other_hand: Hands = FILLING,
    deck: Sequence[str] = REST,
    supply: Sequence[str] = ("security_system",),
    pile: Sequence[str] = (),
    owns: tuple[Sequence[str], Sequence[str]] = ((), ()),
    m_steps: tuple[int | None, int | None] = (None, None),
) -> Pair:
    """Both engines at the start of a turn; the arguments are those of ``mode_positions.position``."""
    pair = Pair(rules, 1, 0, lone, own)
    pair.other = position(pair.other.rules, active=active, steps=steps, has=has, hand=hand, other_hand=other_hand,
                          deck=deck, supply=supply, pile=pile, owns=owns, m_steps=m_steps)
    state, table, names = pair.state, pair.table, rules.names
    ids = [rules.market_cards[card].id for card in rules.pile]
    state[x.HANDS:x.ORDER] = 0
    state[e.ACTIVE] = active
    for side in pair.other.sides:
        k = side.number
        state[e.PLAY + k] = sum(n << 4 * names.index(name) for name, n in side.agents.items())
        state[x.WENT + k], state[x.SPACE + k] = side.moves, side.space
        state[x.M_SPACE + k] = -1 if side.m_space is None else side.m_space
        for place, card in enumerate(side.ongoing):
            copy = ids.index(card.name)
            state[x.ORDER + 64 * k + place], state[x.N_HELD + k] = copy, place + 1
            state[x.HELD + k] |= 1 << copy
        for member, player in enumerate(side.players):
            state[x.HANDS + 2 * k + member] = sum(1 << 4 * names.index(name) for name in player.hand)
    state[e.LEAD] = pair.other.lead
    # What is drawn next is picked by the deal's words: the cards are put where they will be picked.
    state[e.DRAWN] = rules.n_cards - len(deck)
    _place(state, e.DECK, rules.n_cards, [names.index(name) for name in deck], 0)
    state[x.N_PILE] = table[x.PILE_SIZE]
    state[x.BOARD] = state[x.N_PILE] - len(pile)
    _place(state, x.PILE, int(state[x.N_PILE]), [ids.index(name) for name in pile], 128)
    state[x.N_SUPPLY] = len(supply)
    state[x.SUPPLY:x.SUPPLY + len(supply)] = [ids.index(name) for name in supply]
    state[e.UP] = state[e.DOWN] = state[x.TABLE_UP] = -1
    begin_turn(state, table)
    pair.compare()
    return pair


def _place(state: Any, start: int, size: int, cards: Sequence[int], first_word: int) -> None:
    where = np.arange(size)
    for k, card in enumerate(cards, start=size - len(cards)):
        pick = k + (word_of(int(state[e.DEAL]), first_word + k) >> 32) * (size - k) // 2**32
        where[k], where[pick] = where[pick], where[k]
        state[start + where[k]] = card


def turn(pair: Pair, up: str, down: str, took: str, *script: Any) -> Pair:
    """Single players: offer ``up`` over ``down``, the other side takes the card ``took``; then answer from the script.

    A script entry is the name of a card or an agent, True or False, or a number of spaces for a Division M pawn. All
    questions of the turn must be answered.
    """
    names = pair.rules.names
    pair.choose(16 * names.index(up) + names.index(down))
    pair.choose(int(took == up))
    return answers(pair, *script)


def answers(pair: Pair, *script: Any) -> Pair:
    """Answer what is asked until the turn is over."""
    names = pair.rules.names
    for entry in script:
        asked = int(pair.state[x.DECISION])
        assert asked >= x.ASK_MARKET, f"nobody asks for {entry}"
        if asked == x.ASK_MARKET:
            supply = [pair.card(int(copy)) for copy in pair.state[x.SUPPLY:x.SUPPLY + int(pair.state[x.N_SUPPLY])]]
            pair.choose(supply.index(entry))
        elif asked == x.ASK_TARGET:
            pair.choose(names.index(entry))
        elif asked == x.ASK_M:
            pair.choose(entry + int(pair.state[x.M_REACH]))
        else:
            pair.choose(int(entry))
    assert pair.over or pair.state[x.DECISION] in (x.ASK_PLAY, x.ASK_PLAYER_UP), "the turn is not over"
    return pair


def gained(pair: Pair, side: int) -> int:
    """Spaces that a side's spy pawn has moved."""
    return int(pair.state[x.WENT + side])


def end(pair: Pair) -> tuple[int | None, str]:
    """Winner and end reason."""
    assert pair.over
    return (None if pair.state[e.WINNER] < 0 else int(pair.state[e.WINNER]),
            pair.rules.end_reasons[int(pair.state[e.REASON])])
