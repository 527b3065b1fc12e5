"""The columns of Agent Avenue's logs, and how the kernel's rows become them. The names are a contract."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue import kernel as k
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.base import Column, LogLevel, Table

__all__ = ["discard_slots", "game_columns", "log_tables", "turn_columns"]


def discard_slots(rules: Rules) -> int:
    """How many ``discard_<i>`` columns a full log has."""
    return max(4, rules.discards)


def log_tables(rules: Rules, log: LogLevel) -> tuple[Table, ...]:
    """The tables written at a level of logging."""
    names = rules.names
    games = Table("games", (
        Column("game_id", "int", "number of the game in the run, from 0"),
        Column("matchup_id", "int", "number of the matchup in the run, from 0"),
        Column("deal_id", "int", "number of the deal in its matchup, from 0; games of one deal share their cards"),
        Column("policy_0", "enum", "policy in seat 0, who starts"),
        Column("policy_1", "enum", "policy in seat 1"),
        Column("winner", "int", "seat that won; null for a draw", nullable=True),
        Column("end_reason", "enum", "what the winner won by", rules.end_reasons),
        Column("tie_rule", "bool", "two conflicting conditions met the tie rule, or the run-out was level"),
        Column("n_turns", "int", "turns played"),
        Column("lead", "int", "moves of seat 0 minus moves of seat 1 at the end, in spaces"),
        *(Column(f"final_{seat}_{name}", "int", f"{name} cards in play before seat {seat} at the end")
          for seat in (0, 1) for name in names),
        Column("discards_0", "int", "discards that seat 0 used"),
        Column("discards_1", "int", "discards that seat 1 used"),
    ))
    turns = [
        Column("game_id", "int", "number of the game in the run"),
        Column("turn", "int", "number of the turn, from 0"),
        Column("active", "int", "seat that offers"),
        Column("n_discards", "int", "discards of the active player in this turn"),
        Column("face_up", "enum", "card offered face up", names),
        Column("face_down", "enum", "card offered face down", names),
        Column("took_face_up", "bool", "the opponent chose the face-up card"),
        Column("recruited_active", "enum", "agent that the active player got", names),
        Column("recruited_other", "enum", "agent that the opponent got", names),
        Column("move_active", "int", "spaces that the active player's pawn moved"),
        Column("move_other", "int", "spaces that the opponent's pawn moved"),
        Column("lead_after", "int", "moves of seat 0 minus moves of seat 1, at End, in spaces"),
        Column("active_won", "bool", "the game was won by this row's active seat; null for a draw", nullable=True),
    ]
    if log == "full":
        turns += [Column(f"hand_{name}", "int", f"{name} cards in the active player's hand after its discards, "
                         "before the offer") for name in names]
        turns += [Column(f"discard_{slot}", "enum", f"card discarded as number {slot} of this turn; null if none",
                         names, nullable=True) for slot in range(discard_slots(rules))]
    if log == "none":
        return ()
    return (games,) if log == "games" else (games, Table("turns", tuple(turns)))


def game_columns(rules: Rules, game_id: NDArray[np.int64], matchup: int, deal_id: NDArray[np.int64],
                 policies: tuple[NDArray[np.int16], NDArray[np.int16]], games: NDArray[np.int16],
                 finals: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """The columns of the ``games`` table from the kernel's game rows (n, GAME_WIDTH) and final play areas (n, 2)."""
    columns: dict[str, NDArray[Any]] = {
        "game_id": game_id, "matchup_id": np.full(len(games), matchup, dtype=np.int32), "deal_id": deal_id,
        "policy_0": policies[0], "policy_1": policies[1],
        "winner": games[:, k.G_WINNER].astype(np.int8), "end_reason": games[:, k.G_REASON].astype(np.int8),
        "tie_rule": games[:, k.G_TIE] != 0, "n_turns": games[:, k.G_TURNS].copy(), "lead": games[:, k.G_LEAD].copy(),
    }
    for seat in (0, 1):
        columns |= _zone_columns(f"final_{seat}_", rules, finals[:, seat])
    columns["discards_0"] = games[:, k.G_DISCARDS].astype(np.int8)
    columns["discards_1"] = games[:, k.G_DISCARDS + 1].astype(np.int8)
    return columns


def turn_columns(rules: Rules, log: LogLevel, game_id: NDArray[np.int64], turns: NDArray[Any],
                 hands: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """The columns of the ``turns`` table from the kernel's turn rows (m, TURN_WIDTH) and hands (m,)."""

    def small(index: int) -> NDArray[np.int8]:
        return turns[:, index].astype(np.int8)

    columns: dict[str, NDArray[Any]] = {
        "game_id": game_id, "turn": small(k.T_TURN), "active": small(k.T_ACTIVE), "n_discards": small(k.T_DISCARDS),
        "face_up": small(k.T_UP), "face_down": small(k.T_DOWN), "took_face_up": turns[:, k.T_TOOK_UP] != 0,
        "recruited_active": small(k.T_REC_ACTIVE), "recruited_other": small(k.T_REC_OTHER),
        "move_active": small(k.T_MOVE_ACTIVE), "move_other": small(k.T_MOVE_OTHER),
        "lead_after": turns[:, k.T_LEAD].copy(), "active_won": small(k.T_WON),
    }
    if log == "full":
        columns |= _zone_columns("hand_", rules, hands)
        columns |= {f"discard_{slot}": small(k.T_DISCARDED + slot) for slot in range(discard_slots(rules))}
    return columns


def _zone_columns(prefix: str, rules: Rules, zones: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    return {prefix + name: ((zones >> (4 * number)) & 15).astype(np.int8) for number, name in enumerate(rules.names)}
