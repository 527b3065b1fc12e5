"""The columns of the logs of every mode: the base game's, and what teams, Black Market and Division M add to them.

The names are a contract. *Seat* means side. Column by column they are what ``docs/rules/agent_avenue_*.md`` say under
"How logs tell it".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue import tables as base
from agentsim.games.agent_avenue.modes import kernel as k
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.base import Column, LogLevel, Table

__all__ = ["event_columns", "game_columns", "log_tables", "turn_columns"]


def discard_slots(rules: Rules) -> int:
    """How many ``discard_<i>`` columns a full log has, of each player of a team."""
    return max(base.discard_slots(rules), rules.team_discards if rules.teams else 0)


def log_tables(rules: Rules, log: LogLevel) -> tuple[Table, ...]:
    """The tables written at a level of logging; ``market`` with ``turns`` and ``full`` if there is a Black Market."""
    if log == "none":
        return ()
    games, *turns = base.log_tables(rules, "games" if log == "games" else "turns")
    if rules.teams:
        lone = Column("lone_seat", "int", "side that is one player; null for two against two", nullable=True)
        games = Table("games", (*games.columns, lone))
    if not turns:
        return (games,)
    added = []
    if rules.teams:
        added += [Column("player_up", "int", "player of the active side who played the face-up card, 0 or 1"),
                  Column("player_down", "int", "player of the active side who played the face-down card, 0 or 1")]
    if rules.with_m:
        added += [Column(f"m_space_{seat}", "int", f"space of seat {seat}'s Division M pawn after the turn; null off "
                         "the board", nullable=True) for seat in (0, 1)]
    if log == "full":
        for role in ("up", "down") if rules.teams else ("up",):
            added += _full_columns(rules, role)
    tables = (games, Table("turns", (*turns[0].columns, *added)))
    return (*tables, _market_table(rules)) if rules.advanced else tables


def _full_columns(rules: Rules, role: str) -> list[Column]:
    suffix = f"_{role}" if rules.teams else ""
    whose = f"the face-{role} player's" if rules.teams else "the active player's"
    before = "its card" if rules.teams else "the offer"
    null = "; null for a lone player" if role == "down" else ""
    return [
        *(Column(f"hand_{name}{suffix}", "int", f"{name} cards in {whose} hand after discards, before {before}{null}",
                 nullable=role == "down") for name in rules.names),
        *(Column(f"discard_{slot}{suffix}", "enum", f"{whose} discard number {slot} of this turn; null if none",
                 rules.names, nullable=True) for slot in range(discard_slots(rules))),
    ]


def _market_table(rules: Rules) -> Table:
    cards = tuple(card.id for card in rules.market_cards)
    columns = [
        Column("game_id", "int", "number of the game in the run"),
        Column("turn", "int", "number of the turn, from 0"),
        Column("seq", "int", "number of the Black Market event in the turn, from 0"),
        Column("seat", "int", "seat that took the card"),
        *(Column(f"supply_{place}", "enum", f"card at place {place} from the left before; null if none", cards,
                 nullable=True) for place in range(rules.supply)),
        Column("taken", "enum", "card that was taken", cards),
        Column("target", "enum", "agent that the effect concerned; null if none", rules.names, nullable=True),
        Column("recruited", "enum", "agent that the effect recruited; null if none", rules.names, nullable=True),
        Column("move", "int", "spaces that this seat's spy pawn moved in this event"),
        Column("lead_after", "int", "moves of seat 0 minus moves of seat 1 after this event, in spaces"),
    ]
    if rules.teams:
        columns.append(Column("member", "int", "player of the side who gained the card, 0 or 1"))
    if rules.with_m:
        columns.append(Column("m_space_after", "int", "space of this seat's Division M pawn after this event; null off "
                              "the board", nullable=True))
    return Table("market", tuple(columns))


def game_columns(rules: Rules, game_id: NDArray[np.int64], matchup: int, deal_id: NDArray[np.int64],
                 policies: tuple[NDArray[np.int16], NDArray[np.int16]], games: NDArray[np.int16],
                 finals: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """The columns of ``games`` from the kernel's game rows (n, GAME_WIDTH) and final play areas (n, 2)."""
    # The kernels of the base game and of the modes agree in the first columns of their rows.
    columns = base.game_columns(rules, game_id, matchup, deal_id, policies, games, finals)
    if rules.teams:
        columns["lone_seat"] = games[:, k.G_LONE].astype(np.int8)
    return columns


def turn_columns(rules: Rules, log: LogLevel, game_id: NDArray[np.int64], lone: NDArray[np.int16],
                 turns: NDArray[np.int32], hands: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """The columns of ``turns`` from the kernel's turn rows (m, TURN_WIDTH) and hands (m, 2).

    ``lone`` (m,): the lone side in each row's game, -1 if there is none.
    """
    columns = base.turn_columns(rules, "turns", game_id, turns, hands[:, 0])
    wide = _wide(rules)
    for name, at in (("move_active", k.T_MOVE_ACTIVE), ("move_other", k.T_MOVE_OTHER), ("lead_after", k.T_LEAD)):
        columns[name] = turns[:, at].astype(wide)
    if rules.teams:
        columns["player_up"] = turns[:, k.T_PLAYER_UP].astype(np.int8)
        columns["player_down"] = turns[:, k.T_PLAYER_DOWN].astype(np.int8)
    if rules.with_m:
        columns["m_space_0"] = turns[:, k.T_M_0].astype(np.int8)
        columns["m_space_1"] = turns[:, k.T_M_1].astype(np.int8)
    if log == "full":
        columns |= _hands_and_discards(rules, "_up" if rules.teams else "", hands[:, 0], turns, k.T_DISCARDED)
        if rules.teams:
            down = _hands_and_discards(rules, "_down", hands[:, 1], turns, k.T_DISCARDED + k.SLOTS)
            nobody = turns[:, k.T_ACTIVE] == lone
            columns |= {name: np.where(nobody, np.int8(-1), values) for name, values in down.items()}
    return columns


def event_columns(rules: Rules, game_id: NDArray[np.int64], events: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    """The columns of ``market`` from the kernel's event rows (k, EVENT_WIDTH)."""
    wide = _wide(rules)

    def small(index: int) -> NDArray[np.int8]:
        return events[:, index].astype(np.int8)

    columns: dict[str, NDArray[Any]] = {
        "game_id": game_id, "turn": small(k.M_TURN), "seq": small(k.M_SEQ), "seat": small(k.M_SEAT),
        **{f"supply_{place}": small(k.M_SUPPLY + place) for place in range(rules.supply)},
        "taken": small(k.M_TAKEN), "target": small(k.M_TARGET), "recruited": small(k.M_RECRUITED),
        "move": events[:, k.M_MOVE].astype(wide), "lead_after": events[:, k.M_LEAD].astype(wide),
    }
    if rules.teams:
        columns["member"] = small(k.M_MEMBER)
    if rules.with_m:
        columns["m_space_after"] = small(k.M_SPACE)
    return columns


def _hands_and_discards(rules: Rules, suffix: str, hands: NDArray[np.int64], turns: NDArray[np.int32],
                        first: int) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {
        f"hand_{name}{suffix}": ((hands >> (4 * number)) & 15).astype(np.int8)
        for number, name in enumerate(rules.names)}
    return columns | {f"discard_{slot}{suffix}": turns[:, first + slot].astype(np.int8)
                      for slot in range(discard_slots(rules))}


def _wide(rules: Rules) -> type[np.int16] | type[np.int32]:
    """What moves and leads fit into: cards that multiply may add up to a great deal, others cannot."""
    factor = math.prod(max(abs(effect.by), 1) ** card.copies for card in rules.market_cards for effect in card.effects
                       if effect.do == "multiply")
    return np.int16 if factor <= 20 else np.int32
