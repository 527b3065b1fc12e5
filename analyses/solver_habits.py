"""When a policy takes, hides and discards what: its habits by card and by the copies that matter, with intervals.

``situations`` counts them in a run whose log has hands (``log="full"``). Shares are ratios clustered by deal; all rows
of one kind hold together with 95 %.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from agentsim.errors import InputError
from agentsim.runs import Run
from agentsim.stats import ratio_table
from analyses.common import LEVEL, Ints, hit_sums
from analyses.turnlog import load_turns, offers

__all__ = ["KINDS", "situations"]

KINDS = ("takes", "hides", "discards", "discards_in_turn")
"""``takes``: the card lies face up and is taken, by the copies that the receiver then has. ``hides``: the card is one
of the two on offer and lies face down, by the copies that the receiver would then have. ``discards``: the card is in
hand and goes, by the copies in hand. ``discards_in_turn``: at least one card goes in an offerer's own first, second ...
turn (``card`` is empty)."""

MOST = 3
"""Copies from the third on are counted together."""
TURNS = 6
"""Own turns from the sixth on are counted together."""


def situations(run: Run, policy: str) -> pd.DataFrame:
    """Columns ``kind, card, count, estimate, low, high, n, n_deals``; ``n`` decisions. See :data:`KINDS`.

    Raises InputError if the run's log has no hands.
    """
    columns = {column.name for table in run.tables if table.name == "turns" for column in table.columns}
    if not any(name.startswith("hand_") for name in columns):
        raise InputError("the run has no hands", key="log", allowed="a run with log = full")
    turns = load_turns(run)
    judged, deal = offers(turns, run.experiment.rules()), turns.deal[turns.game]
    number = turns.policies.index(policy)
    told = turns.face_up != turns.face_down
    receives, offering = judged.receiver == number, (judged.offerer == number) & told
    parts = [_counted("takes", turns.face_up[receives], judged.count_up[receives], deal[receives],
                      turns.took_face_up[receives], turns.agents)]
    both = np.concatenate([turns.face_down[offering], turns.face_up[offering]])
    copies = np.concatenate([judged.count_down[offering], judged.count_up[offering]])
    down = np.repeat([True, False], int(offering.sum()))
    parts.append(_counted("hides", both, copies, np.concatenate([deal[offering]] * 2), down, turns.agents))
    parts += _discards(run, policy, turns.agents, deal)
    found = pd.concat(parts, ignore_index=True)
    made = [ratio_table(part, level=LEVEL) for _, part in found.groupby("kind", sort=False)]
    return pd.concat(made, ignore_index=True)


def _counted(kind: str, card: Ints, count: Ints, deal: Ints, hit: np.ndarray, agents: tuple[str, ...]) -> pd.DataFrame:
    held = np.clip(count, 1, MOST).astype(np.int64)
    sums = hit_sums(card.astype(np.int64) * (MOST + 1) + held, len(agents) * (MOST + 1), deal, hit)
    cards, counts = np.divmod(sums.pop("cell").to_numpy(np.int64), MOST + 1)
    sums.insert(0, "kind", kind)
    sums.insert(1, "card", [agents[at] for at in cards])
    sums.insert(2, "count", counts)
    return sums


def _discards(run: Run, policy: str, agents: tuple[str, ...], deal: Ints) -> list[pd.DataFrame]:
    """Cards that go, by the copies that were in hand in this turn; and turns with a discard."""
    most = int(run.experiment.rules().discards)
    gone = [f"discard_{at}" for at in range(most)]
    listed = ", ".join([*(f"hand_{agent}" for agent in agents), *gone])
    rows = run.sql(f"SELECT game_id, turn, active, n_discards, {listed} FROM turns ORDER BY game_id, turn")
    seats = run.sql("SELECT game_id, policy_0, policy_1 FROM games ORDER BY game_id").set_index("game_id")
    by_seat = seats.loc[rows["game_id"]].to_numpy()
    ours = by_seat[np.arange(len(rows)), rows["active"]] == policy
    rows, deal, parts = rows[ours], deal[ours], []
    for number, agent in enumerate(agents):
        left = rows[f"hand_{agent}"].to_numpy(np.int64)
        went = sum((rows[column] == agent).to_numpy(np.int64) for column in gone) if gone else np.zeros(len(rows), int)
        held = left + went
        has = held > 0
        part = _counted("discards", np.full(int(has.sum()), number), held[has], deal[has], went[has] > 0, agents)
        parts.append(part)
    own_turn = np.minimum(rows["turn"].to_numpy(np.int64) // 2 + 1, TURNS)
    sums = hit_sums(own_turn, TURNS + 1, deal, rows["n_discards"].to_numpy() > 0)
    sums.insert(0, "kind", "discards_in_turn")
    sums.insert(1, "card", "")
    sums.insert(2, "count", sums.pop("cell"))
    return [*parts, sums]
