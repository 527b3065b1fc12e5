"""Agent Avenue's positions and greedy's values again, with dictionaries and one game at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import pandas as pd

MOVES = {"double_agent": (-1, 6, -1), "enforcer": (1, 2, 3), "codebreaker": (0, 0, 0), "saboteur": (-1, -1, -2),
         "daredevil": (2, 3, 0), "sentinel": (0, 2, 6), "sidekick": (4, 4, 4), "mole": (-3, -3, -3)}


def move(card: str, count: int) -> int:
    """Spaces for getting the ``count``-th copy."""
    return MOVES[card][min(count, 3) - 1]


def value(mine: Counter[str], theirs: Counter[str], lead: int, x: str, y: str) -> int:
    """Greedy's value, for a receiver, of getting ``x`` while the active player gets ``y``."""
    mine, theirs = mine + Counter([x]), theirs + Counter([y])
    moved = move(x, mine[x]) - move(y, theirs[y])
    lead += moved
    points = (100 * moved + 10 * lead + 300 * (mine["codebreaker"] - theirs["codebreaker"])
              + 350 * (theirs["daredevil"] - mine["daredevil"]))
    win_me, win_it = lead >= 7 or mine["codebreaker"] >= 3, lead <= -7 or theirs["codebreaker"] >= 3
    lose_me, lose_it = mine["daredevil"] >= 3, theirs["daredevil"] >= 3
    if not (win_me or win_it or lose_me or lose_it):
        return points
    if (win_me and win_it) or (lose_me and lose_it) or (win_me and lose_me) or (win_it and lose_it):
        return points - 100_000  # a tie, and the receiver is not the active player
    return points + (100_000 if win_me or lose_it else -100_000)


def judged(turns: pd.DataFrame) -> pd.DataFrame:
    """Every turn with what it meant to the receiver, from a table with columns of the log in order of game and turn."""
    rows: list[dict[str, Any]] = []
    for game, part in turns.groupby("game_id", sort=False):
        areas: dict[int, Counter[str]] = defaultdict(Counter)
        lead = 0
        for turn in part.sort_values("turn").to_dict("records"):
            active, other = turn["active"], 1 - turn["active"]
            up, down = turn["face_up"], turn["face_down"]
            own = lead if other == 0 else -lead
            if_up = value(areas[other], areas[active], own, up, down)
            if_down = value(areas[other], areas[active], own, down, up)
            rows.append({"game_id": game, "turn": turn["turn"], "count_up": areas[other][up] + 1,
                         "count_down": areas[other][down] + 1, "better": (if_up > if_down) - (if_up < if_down),
                         "decisive": abs(if_up - if_down) > 50_000, "lead_before": lead if active == 0 else -lead})
            areas[active][turn["recruited_active"]] += 1
            areas[other][turn["recruited_other"]] += 1
            lead = turn["lead_after"]
    return pd.DataFrame(rows)
