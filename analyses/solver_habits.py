"""When a policy takes, hides and discards what: its habits by card and by the copies that matter, with intervals.

``situations`` counts them in a run whose log has hands (``log="full"``). Shares are ratios clustered by deal; all rows
of one kind hold together with 95 %.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from agentsim.errors import InputError, nearest
from agentsim.report import Column, Table
from agentsim.runs import Run
from agentsim.stats import ratio_table
from analyses.common import LEVEL, Ints, hit_sums, listed, rows_of
from analyses.turnlog import load_turns, offers

__all__ = ["KINDS", "displays", "lines", "situations"]

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

    Raises InputError if the run's log has no hands, or if the policy does not play in it.
    """
    columns = {column.name for table in run.tables if table.name == "turns" for column in table.columns}
    if not any(name.startswith("hand_") for name in columns):
        raise InputError("the run has no hands", key="log", allowed="a run with log = full")
    turns = load_turns(run)
    if policy not in turns.policies:
        raise InputError(f"'{policy}' does not play in the run", key="policy", allowed=", ".join(turns.policies),
                         nearest=nearest(policy, turns.policies))
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


_TIMES = {1: "first", 2: "second", 3: "third or later"}


def displays(found: pd.DataFrame) -> dict[str, Table]:
    """The tables ``when`` (taken and hidden, by copies) and ``discards``."""
    sides = [found[found["kind"] == kind].set_index(["card", "count"])[["estimate", "low", "high", "n"]]
             .add_prefix(f"{kind}_") for kind in ("takes", "hides")]
    when = sides[0].join(sides[1], how="outer").reset_index()
    when = when.assign(card=when["card"].str.replace("_", " "), copy=when["count"].map(_TIMES))
    thrown = found[found["kind"] == "discards"]
    thrown = thrown.assign(card=thrown["card"].str.replace("_", " "))
    return {
        "when": Table(when, "strategy-when", "What the solver takes and hides, by which copy the card would be", {
            "card": Column("card"), "copy": Column("copy of its new owner"),
            "takes_estimate": Column("taken when face up", "percent", "takes_low", "takes_high", reference=0.5),
            "takes_n": Column("offers", "int"),
            "hides_estimate": Column("hidden when offered", "percent", "hides_low", "hides_high", reference=0.5),
            "hides_n": Column("offers", "int")}, rows=24,
            note="Taken: the copy that it would be to the solver. Hidden: of the offers with this card the share in "
                 "which it lies face down, by the copy that it would be to the other player. All intervals of a column "
                 "hold together with 95 %."),
        "discards": Table(thrown, "strategy-discards", "What the solver discards, by copies in hand", {
            "card": Column("card"), "count": Column("copies in hand (3: or more)", "int"),
            "estimate": Column("one is discarded", "percent", "low", "high"), "n": Column("hands", "int")}, rows=12,
            note="Hands with the card before an offer; all intervals hold together with 95 %."),
    }


def lines(found: pd.DataFrame) -> list[str]:
    """For the cheat sheet: daredevils, what is hidden against whom, and when cards are thrown away."""
    by_kind = {kind: found[found["kind"] == kind].set_index(["card", "count"]) for kind in KINDS}
    takes, hides, thrown = by_kind["takes"], by_kind["hides"], by_kind["discards"]
    told = []
    if all(("daredevil", count) in takes.index for count in (1, 2, 3)):
        first, second, third = (f"{takes['estimate']['daredevil', count]:.0%}" for count in (1, 2, 3))
        told.append(f"- *Daredevils* lying face up it takes in {first} (the first), {second} (the second) and {third} "
                    "(the third, which loses).")
    most = hides.sort_values("low", ascending=False).head(4).reset_index()
    told.append("- *Hiding.* Of offers with the card, it lies face down most often: " + listed(
        [f"{row.card.replace('_', ' ')} as the other's {_TIMES[row.count_]} ({row.estimate:.0%})"
         for row in rows_of(most.rename(columns={"count": "count_"}))]) + ".")
    for count, words in ((2, "two"), (3, "three or more")):
        part = thrown[thrown.index.get_level_values("count") == count]
        if len(part):
            low, high = part["estimate"].min(), part["estimate"].max()
            told.append(f"- *Discarding.* With {words} of a kind in hand one goes in {low:.0%} to {high:.0%} of cases, "
                        "by kind.")
    turns = found[found["kind"] == "discards_in_turn"].sort_values("count")
    if len(turns):
        told.append("- *When it discards*: in its own turns 1, 2, 3 ... " + listed(
            [f"{row.estimate:.0%}" for row in rows_of(turns)]) + " (the last: that turn and later).")
    return told
