"""The columns of ARGH's logs, and how the kernel's rows become them. The names are a contract."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.argh import kernel as k
from agentsim.games.argh.cards import LOCATIONS
from agentsim.games.argh.engine import END_REASONS
from agentsim.games.argh.rules import Rules
from agentsim.games.base import Column, LogLevel, Table

__all__ = ["game_columns", "log_tables", "turn_columns"]


def log_tables(rules: Rules, log: LogLevel) -> tuple[Table, ...]:
    """The tables written at a level of logging.

    Win shares are given as whole numbers of twelfths (a whole win is 12): those of two, three and four are exact.
    """
    seats = range(rules.players)
    games = Table("games", (
        Column("game_id", "int", "number of the game in the run, from 0"),
        Column("matchup_id", "int", "number of the matchup in the run, from 0"),
        Column("deal_id", "int", "number of the deal in its matchup, from 0; games of one deal share their cards"),
        *(Column(f"policy_{seat}", "enum", f"policy in seat {seat}" + (", who starts" if seat == 0 else ""))
          for seat in seats),
        *(Column(f"share_{seat}", "share", f"win share of seat {seat}: 1 alone, 1/k among k, else 0")
          for seat in seats),
        *(Column(f"points_{seat}", "int", f"what all cards before seat {seat} are worth at the end") for seat in seats),
        *(Column(f"even_spies_{seat}", "bool", f"whether seat {seat} had an even number of spies") for seat in seats),
        Column("n_turns", "int", "turns played, passes included"),
        Column("end_reason", "enum", "how the game was decided", END_REASONS),
    ))
    turns = Table("turns", (
        Column("game_id", "int", "number of the game in the run"),
        Column("turn", "int", "number of the turn, from 0"),
        Column("seat", "int", "seat whose turn it is"),
        Column("action", "enum", "keep or offer (after drawing), steal, pass", k.ACTIONS),
        Column("pile", "enum", "location of the card drawn or stolen; null for a pass", LOCATIONS, nullable=True),
        Column("card", "enum", "card drawn or stolen; null for a pass", rules.names, nullable=True),
        Column("other_seat", "int", "seat that was offered the card or lost it; null without", nullable=True),
        Column("accepted", "int", "1 if the offer was accepted, 0 if refused; null without an offer", nullable=True),
        Column("place", "int", "the card's place in the piles, which tells a face-down card apart; null for a pass",
               nullable=True),
        Column("peeked", "enum", "card put aside that an owl looked at; null without", rules.names, nullable=True),
        Column("share_seat", "share", "win share of the game for this row's seat"),
        Column("share_other", "share", "win share of the game for other_seat; null without", nullable=True),
    ))
    if log == "none":
        return ()
    return (games,) if log == "games" else (games, turns)


def game_columns(rules: Rules, game_id: NDArray[np.int64], matchup: int, deal_id: NDArray[np.int64],
                 policies: NDArray[Any], games: NDArray[np.int16]) -> dict[str, NDArray[Any]]:
    """The columns of ``games`` from the kernel's game rows (n, GAME_WIDTH) and the policies' codes (n, players)."""
    seats = range(rules.players)
    columns: dict[str, NDArray[Any]] = {
        "game_id": game_id, "matchup_id": np.full(len(games), matchup, dtype=np.int32), "deal_id": deal_id}
    columns |= {f"policy_{seat}": policies[:, seat].copy() for seat in seats}
    columns |= {f"share_{seat}": games[:, k.G_SHARE + seat].astype(np.int8) for seat in seats}
    columns |= {f"points_{seat}": games[:, k.G_POINTS + seat].copy() for seat in seats}
    columns |= {f"even_spies_{seat}": games[:, k.G_EVEN + seat] != 0 for seat in seats}
    columns["n_turns"] = games[:, k.G_TURNS].astype(np.int8)
    columns["end_reason"] = games[:, k.G_REASON].astype(np.int8)
    return columns


def turn_columns(game_id: NDArray[np.int64], turns: NDArray[np.int16]) -> dict[str, NDArray[Any]]:
    """The columns of ``turns`` from the kernel's turn rows (m, TURN_WIDTH)."""
    order = {"turn": k.T_TURN, "seat": k.T_SEAT, "action": k.T_ACTION, "pile": k.T_PILE, "card": k.T_CARD,
             "other_seat": k.T_OTHER, "accepted": k.T_ACCEPTED, "place": k.T_PLACE, "peeked": k.T_PEEKED,
             "share_seat": k.T_SHARE, "share_other": k.T_OTHER_SHARE}
    return {"game_id": game_id} | {name: turns[:, column].astype(np.int8) for name, column in order.items()}


