"""The columns of Shady Agents' logs, and how the kernel's rows become them. The names are a contract."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.base import Column, LogLevel, Table
from agentsim.games.shady_agents import kernel as k
from agentsim.games.shady_agents.engine import END_REASONS
from agentsim.games.shady_agents.rules import SIDES, TOOLS, Rules

__all__ = ["belief_columns", "game_columns", "log_tables", "move_columns", "statement_columns"]

_ID = Column("game_id", "int", "number of the game in the run")
_ANSWERS = ("no", "yes")


def log_tables(rules: Rules, log: LogLevel) -> tuple[Table, ...]:
    """The tables written at a level of logging.

    Win shares are given as whole numbers of twelfths. Everybody on a side has the side's: 12 for a win, 6 for a draw.
    """
    seats = range(rules.players)
    games = Table("games", (
        Column("game_id", "int", "number of the game in the run, from 0"),
        Column("matchup_id", "int", "number of the matchup in the run, from 0"),
        Column("deal_id", "int", "number of the deal in its matchup, from 0; games of one deal share its role cards "
               "(turned round the table), true answers and who can verify what"),
        *(Column(f"policy_{seat}", "enum", f"policy in seat {seat}" + (", who starts" if seat == 0 else ""))
          for seat in seats),
        *(Column(f"role_{seat}", "enum", f"side of seat {seat}", SIDES) for seat in seats),
        *(Column(f"share_{seat}", "share", f"win share of seat {seat}: 1 if its side won, 1/2 in a draw, else 0")
          for seat in seats),
        *(Column(f"points_{seat}", "int", f"what the tools lying with seat {seat} count for its side")
          for seat in seats),
        *(Column(f"side_points_{side}", "int", f"points of the {side} side at the end, the odd-number bonus included")
          for side in SIDES),
        *(Column(f"side_medkits_{side}", "int", f"medkits lying with the {side} side's members") for side in SIDES),
        Column("smaller_side", "enum", "the side that is one player smaller and gets the bonus; null at even tables",
               SIDES, nullable=True),
        Column("winner", "enum", "the side that won; null for a draw", SIDES, nullable=True),
        Column("n_turns", "int", "turns played: two for each player"),
        Column("end_reason", "enum", "how the game was decided", END_REASONS),
        Column("n_interrogations", "int", "interrogations called"),
        Column("first_called", "bool", "whether seat 0 called one in the first turn"),
        *(Column(f"{tool}s_misdirected", "int", f"{tool}s given to the wrong side: {whom}")
          for tool, whom in zip(TOOLS, ("the giver's own", "the other"), strict=True)),
        *(Column(f"{tool}s_thrown", "int", f"{tool}s thrown away to call interrogations") for tool in TOOLS),
        Column("contradictions", "int", "how often contradictory evidence took a player that decides by beliefs back "
               "to the prior"),
    ))
    moves = Table("moves", (
        _ID,
        Column("turn", "int", "number of the turn, from 0; the first player's last two tools share one"),
        Column("round", "int", "1 or 2"),
        Column("seat", "int", "seat whose turn it is"),
        Column("action", "enum", "give a tool, or call an interrogation", k.ACTIONS),
        Column("tool", "enum", "tool given or thrown away; null for the free interrogation", TOOLS, nullable=True),
        Column("other_seat", "int", "seat that received the tool; null for an interrogation", nullable=True),
        Column("side", "enum", "side of the seat", SIDES),
        Column("friendly", "int", "1 if the receiver is of the same side, 0 if not; null for an interrogation",
               nullable=True),
        *((Column("belief", "int", "the seat's belief, before the move, that the receiver is of its side, in parts of "
                  f"{k.GRAIN}; null for an interrogation", nullable=True),) if log == "full" else ()),
        Column("share_seat", "share", "win share of the game for this row's seat"),
    ))
    statements = Table("statements", (
        _ID,
        Column("turn", "int", "turn in which the interrogation was called"),
        Column("question", "int", "number of the interrogation in the game, from 0"),
        Column("caller", "int", "seat that called it"),
        Column("speaker", "int", "seat that makes the statement"),
        Column("side", "enum", "side of the speaker", SIDES),
        Column("answer", "enum", "what it says", _ANSWERS),
        Column("truth", "enum", "what is true", _ANSWERS),
        Column("n_verified", "int", "listeners who could verify the statement"),
        Column("n_misread", "int", "listeners of these whose verdict is the wrong one"),
        Column("verified_by", "int", "the listeners who could, as a set: the sum of 2^seat"),
        Column("misread_by", "int", "those with the wrong verdict, as a set"),
    ))
    beliefs = Table("beliefs", (
        _ID,
        Column("moment", "enum", "end of the first round, or of the game (before the roles are shown)", k.MOMENTS),
        Column("seat", "int", "seat that believes"),
        Column("other_seat", "int", "seat that it has the belief about"),
        Column("belief", "int", f"its chance that the other is of its own side, in parts of {k.GRAIN}"),
        Column("friend", "bool", "whether the other is"),
        Column("resets", "int", "how often contradictory evidence took the seat's beliefs back to the prior, so far"),
    ))
    if log == "none":
        return ()
    return {"games": (games,), "turns": (games, moves, statements)}.get(log, (games, moves, statements, beliefs))


def game_columns(rules: Rules, game_id: NDArray[np.int64], matchup: int, deal_id: NDArray[np.int64],
                 policies: NDArray[Any], games: NDArray[np.int16]) -> dict[str, NDArray[Any]]:
    """The columns of ``games`` from the kernel's game rows (n, GAME_WIDTH) and the policies' codes (n, players)."""
    seats = range(rules.players)
    winner = games[:, k.G_WINNER].astype(np.int8)
    roles = [(games[:, k.G_ROLES] >> seat & 1).astype(np.int8) for seat in seats]
    columns: dict[str, NDArray[Any]] = {
        "game_id": game_id, "matchup_id": np.full(len(games), matchup, dtype=np.int32), "deal_id": deal_id}
    columns |= {f"policy_{seat}": policies[:, seat].copy() for seat in seats}
    columns |= {f"role_{seat}": roles[seat] for seat in seats}
    columns |= {f"share_{seat}": np.where(winner < 0, k.WHOLE_WIN // 2, k.WHOLE_WIN * (winner == roles[seat])
                                          ).astype(np.int8) for seat in seats}
    columns |= {f"points_{seat}": games[:, k.G_SCORE + seat].astype(np.int8) for seat in seats}
    for part, side in enumerate(SIDES):
        columns[f"side_points_{side}"] = games[:, k.G_POINTS + part].copy()
    for part, side in enumerate(SIDES):
        columns[f"side_medkits_{side}"] = games[:, k.G_MEDKITS + part].astype(np.int8)
    columns["smaller_side"] = games[:, k.G_SMALLER].astype(np.int8)
    columns["winner"] = winner
    columns["n_turns"] = np.full(len(games), rules.turns, dtype=np.int8)
    columns["end_reason"] = games[:, k.G_REASON].astype(np.int8)
    columns["n_interrogations"] = games[:, k.G_CALLS].astype(np.int8)
    columns["first_called"] = games[:, k.G_FIRST_CALLED] != 0
    for part, tool in enumerate(TOOLS):
        columns[f"{tool}s_misdirected"] = games[:, k.G_WRONG + part].astype(np.int8)
    for part, tool in enumerate(TOOLS):
        columns[f"{tool}s_thrown"] = games[:, k.G_THROWN + part].astype(np.int8)
    columns["contradictions"] = games[:, k.G_CONTRADICTIONS].astype(np.int16)
    return columns


def move_columns(rules: Rules, game_id: NDArray[np.int64], moves: NDArray[np.int16],
                 log: LogLevel) -> dict[str, NDArray[Any]]:
    """The columns of ``moves`` from the kernel's move rows (m, MOVE_WIDTH)."""
    turn = moves[:, k.M_TURN].astype(np.int8)
    columns: dict[str, NDArray[Any]] = {"game_id": game_id, "turn": turn,
                                        "round": (1 + (turn >= rules.players)).astype(np.int8)}
    order = {"seat": k.M_SEAT, "action": k.M_ACTION, "tool": k.M_TOOL, "other_seat": k.M_OTHER, "side": k.M_SIDE,
             "friendly": k.M_FRIENDLY}
    columns |= {name: moves[:, column].astype(np.int8) for name, column in order.items()}
    if log == "full":
        columns["belief"] = moves[:, k.M_BELIEF].copy()
    columns["share_seat"] = moves[:, k.M_SHARE].astype(np.int8)
    return columns


def statement_columns(game_id: NDArray[np.int64], rows: NDArray[np.int16]) -> dict[str, NDArray[Any]]:
    """The columns of ``statements`` from the kernel's statement rows (m, STATEMENT_WIDTH)."""
    order = {"turn": k.S_TURN, "question": k.S_QUESTION, "caller": k.S_CALLER, "speaker": k.S_SPEAKER,
             "side": k.S_SIDE, "answer": k.S_YES, "truth": k.S_TRUTH}
    columns: dict[str, NDArray[Any]] = {"game_id": game_id}
    columns |= {name: rows[:, column].astype(np.int8) for name, column in order.items()}
    for name, column in (("n_verified", k.S_VERIFIED), ("n_misread", k.S_MISREAD)):
        columns[name] = np.bitwise_count(rows[:, column]).astype(np.int8)
    return columns | {"verified_by": rows[:, k.S_VERIFIED].copy(), "misread_by": rows[:, k.S_MISREAD].copy()}


def belief_columns(game_id: NDArray[np.int64], rows: NDArray[np.int16]) -> dict[str, NDArray[Any]]:
    """The columns of ``beliefs`` from the kernel's belief rows (m, BELIEF_WIDTH)."""
    columns: dict[str, NDArray[Any]] = {"game_id": game_id}
    columns |= {name: rows[:, column].astype(np.int8)
                for name, column in (("moment", k.B_MOMENT), ("seat", k.B_SEAT), ("other_seat", k.B_OTHER))}
    columns["belief"] = rows[:, k.B_CHANCE].copy()
    columns["friend"] = rows[:, k.B_FRIEND] != 0
    columns["resets"] = rows[:, k.B_RESETS].copy()
    return columns
