"""Rules of any mode as the one vector that jitted code reads; ``layout.py`` says what stands where."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.cards.market import Effect, MarketCard
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.rules import Rules, compile_rules

__all__ = ["compile_mode"]

_ON_RECRUIT = {"set": x.SET, "negate": x.NEGATE, "multiply": x.MULTIPLY, "add": x.ADD}
_ON_LANDING = {"home": x.LAND_HOME, "market": x.LAND_MARKET, "division_m": x.LAND_M}
_AT_END = {"names": x.IF_NAMES, "set": x.IF_SET, "losing_set": x.IF_LOSING, "rival_on_home": x.IF_HOME,
           "rival_near_division_m": x.IF_NEAR_M}
_INSTANT = {"move": x.MOVE, "take_back": x.TAKE_BACK, "take": x.TAKE, "clear": x.CLEAR, "division_m": x.SYMBOL,
            "nothing": x.NOTHING}
_FROM_HAND = {"": x.OF_ANY, "any": x.OF_ANY, "new_name": x.OF_NEW, "pair": x.OF_PAIR}
_WHO = {"own": x.OWN, "rival": x.RIVAL, "both": x.BOTH}
_MASKS = {x.LAND_HOME: x.ON_HOME, x.LAND_MARKET: x.ON_MARKET, x.LAND_M: x.ON_M}


def compile_mode(rules: Rules, lone: int = -1) -> NDArray[np.int64]:
    """The rules vector, (MODE_TABLE,) int64. ``lone``: which side is one player when three play.

    Raises ValueError if ``lone`` does not fit the number of players.
    """
    if (rules.players == 3) != (lone in (0, 1)):
        raise ValueError(f"{rules.players} players, lone side {lone}")
    table = np.zeros(x.MODE_TABLE, dtype=np.int64)
    base = compile_rules(rules)
    table[:len(base)] = base
    table[x.PLAYERS], table[x.LONE], table[x.TEAM_DISCARDS] = rules.players, lone, rules.team_discards
    table[x.SUPPLY_SIZE], table[x.PILE_SIZE], table[x.N_MARKET] = rules.supply, len(rules.pile), len(rules.market_cards)
    table[x.TRAP_STOPPING], table[x.PICKS_UNIFORM] = rules.m_trap == "stopping", rules.picks == "uniform"
    table[x.RING], table[x.HOME], table[x.HOME + 1] = rules.ring, rules.home_0, rules.home_1
    if rules.pile:
        table[x.CORNERS] = sum(1 << corner for corner in rules.corners)
    reasons = rules.end_reasons
    table[x.REASON_M:x.REASON_OUT + 1] = range(len(reasons) - 3, len(reasons))
    for number, agent in enumerate(rules.cards):
        symbols = table[x.SYMBOLS + 16 * number:x.SYMBOLS + 16 * number + 16]
        symbols[1], symbols[2], symbols[3:] = map(_symbol, (agent.m_first, agent.m_second, agent.m_third))
    _compile_market(rules, table)
    table[x.WITH_M] = bool(table[x.SYMBOLS:x.SYMBOLS + 256].any()) or any(
        effect.do == "division_m" for card in rules.market_cards for effect in card.effects)
    return table


def _compile_market(rules: Rules, table: NDArray[np.int64]) -> None:
    copies = [0] * len(rules.market_cards)
    for copy, number in enumerate(rules.pile):
        table[x.COPY + copy] = number
        copies[number] |= 1 << copy
    names, first = rules.names, 0
    for number, card in enumerate(rules.market_cards):
        effects = [_operation(effect, names) for effect in card.effects]
        table[x.KIND + number] = card.kind == "ongoing"
        table[x.FIRST_EFFECT + number], table[x.N_EFFECTS + number] = first, len(effects)
        if card.id in rules.end_reasons:
            table[x.REASON_OF + number] = rules.end_reasons.index(card.id)
        if _is_blank(card):
            table[x.BLANKS] |= copies[number]
        for op, agent, n, who in effects:
            at = x.EFFECTS + x.EFFECT_SIZE * first
            table[at:at + x.EFFECT_SIZE] = op, agent, n, who
            if op <= x.ADD:
                if agent >= 0:
                    table[x.ON_RECRUIT + agent] |= copies[number]
            elif op <= x.LAND_M:
                table[_MASKS[op]] |= copies[number]
            elif op <= x.IF_NEAR_M:
                table[x.AT_END] |= copies[number]
                table[x.SPARES] |= copies[number] if op == x.IF_LOSING else 0
                table[x.WAITS] |= copies[number] if op in (x.IF_HOME, x.IF_NEAR_M) else 0
            elif op in (x.TAKE, x.TAKE_BACK):
                table[x.RETURNS] += copies[number].bit_count()
            first += 1


def _operation(effect: Effect, names: tuple[str, ...]) -> tuple[int, int, int, int]:
    """An effect as a record: operation, agent (-1: none, or none of this table), number, who."""
    agent, who = names.index(effect.agent) if effect.agent in names else -1, _WHO[effect.who]
    if effect.when == "recruit":
        return _ON_RECRUIT[effect.do], agent, effect.by if effect.do == "multiply" else effect.spaces, x.OWN
    if effect.when == "landing":
        return _ON_LANDING[effect.on], -1, effect.spaces, x.OWN
    if effect.when == "end":
        number = effect.spaces if effect.condition == "rival_near_division_m" else effect.at_least
        return _AT_END[effect.condition], agent, number, x.OWN
    if effect.do == "recruit":
        if effect.source == "deck":
            return x.FROM_DECK, -1, 0, who
        if effect.agent:
            return (x.OF_NAME if agent >= 0 else x.NOTHING), agent, 0, who
        return _FROM_HAND[effect.of], -1, 0, who
    if effect.do == "take_back":
        return x.TAKE_BACK, -1, int(effect.may_recruit), x.OWN
    number = _symbol(effect.symbol) if effect.do == "division_m" else effect.spaces
    return _INSTANT[effect.do], -1, number, who


def _symbol(symbol: str | int) -> int:
    return -1 if symbol == "home" else int(symbol)


def _is_blank(card: MarketCard) -> bool:
    return card.kind == "instant" and all(effect.do == "nothing" for effect in card.effects)
