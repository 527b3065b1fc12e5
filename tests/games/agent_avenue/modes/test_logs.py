"""The logs of every mode: columns, values, blocks, counters; and nothing that depends on how a run was cut."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from agentsim.games.agent_avenue.modes import session as modes_session
from agentsim.games.agent_avenue.modes.replay import Counts, play_rows
from agentsim.games.agent_avenue.modes.tables import turn_columns
from agentsim.games.agent_avenue.rules import make_rules
from agentsim.games.base import Batch
from tests.games.agent_avenue.helpers import few, the_game
from tests.games.agent_avenue.modes.lockstep import with_own
from tests.games.agent_avenue.modes.logs import ADVANCED, MODES, check_modes, mode_session, rows_of


def same(one: Batch, other: Batch) -> None:
    assert list(one.tables) == list(other.tables)
    for name, columns in one.tables.items():
        for column, values in columns.items():
            assert values.dtype == other.tables[name][column].dtype
            np.testing.assert_array_equal(values, other.tables[name][column], err_msg=f"{name}.{column}")
    assert list(one.tally) == list(other.tally)
    for name, counts in one.tally.items():
        np.testing.assert_array_equal(counts, other.tally[name], err_msg=name)


@pytest.mark.parametrize("mode", MODES)
def test_the_second_engine_replays_every_log(mode: str) -> None:
    session = mode_session(MODES[mode], ("random", "random_discards"), "random_discards", seed=21)
    seen: Counter[str] = Counter()
    for matchup, deals in ((0, few(100, 3)), (1, few(150, 3))):
        seen += check_modes(session, matchup, session.play(matchup, 7, deals, "full"), 7, deals)
    if few(2, 0):
        assert {"catch", "codebreakers"} <= set(seen)


def test_games_per_deal_and_who_plays_what() -> None:
    """Four games of a deal with one against two: either policy in either seat, either seat alone."""
    session = mode_session(MODES["one against two"], ("random", "random_discards"), "random")
    assert [session.games_per_deal(matchup) for matchup in (0, 1)] == [4, 2]
    rows = rows_of(session, session.play(0, 5, 1, "full"), "games")
    assert [row["deal_id"] for row in rows] == [5] * 4
    assert {(row["policy_0"], row["lone_seat"]) for row in rows} == {
        (label, lone) for label in ("random", "random_discards") for lone in (0, 1)}
    assert [row["lone_seat"] for row in rows_of(session, session.play(1, 0, 2, "full"), "games")] == [0, 1, 0, 1]
    for lone in ("0", "1"):
        session = mode_session({"rules.players": 3, "rules.lone": lone}, ("random", "random_discards"), "random")
        assert [session.games_per_deal(matchup) for matchup in (0, 1)] == [2, 1]
        assert {row["lone_seat"] for row in rows_of(session, session.play(0, 0, 3, "full"), "games")} == {int(lone)}
    session = mode_session({"rules.players": 4}, ("random", "random_discards"), "random")
    assert [session.games_per_deal(matchup) for matchup in (0, 1)] == [2, 1]
    assert {row["lone_seat"] for row in rows_of(session, session.play(0, 0, 3, "full"), "games")} == {None}


@pytest.mark.parametrize("mode", ["all of it, one against two", "advanced", "two against two"])
def test_rows_do_not_depend_on_how_a_stretch_is_cut(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session = mode_session(MODES[mode], ("random_discards", "random"), seed=3)
    whole = session.play(0, 0, 30, "full")
    monkeypatch.setattr(modes_session, "TURN_CHUNK", 9)  # the buffers fill in the middle of a chunk, too
    small = mode_session(MODES[mode], ("random_discards", "random"), seed=3)
    same(whole, small.play(0, 0, 30, "full"))
    parts = [small.play(0, first, n, "full") for first, n in ((0, 11), (11, 1), (12, 18))]
    for name, columns in whole.tables.items():
        for column, values in columns.items():
            np.testing.assert_array_equal(values, np.concatenate([part.tables[name][column] for part in parts]))


@pytest.mark.parametrize("mode", MODES)
def test_levels_of_logging_tell_the_same(mode: str) -> None:
    session = mode_session(MODES[mode], ("random", "random_discards"), seed=4)
    full = session.play(0, 0, 25, "full")
    for log in ("turns", "games", "none"):
        batch = session.play(0, 0, 25, log)
        documented = {table.name: [c.name for c in table.columns] for table in the_game().tables(session.rules, log)}
        assert {name: list(columns) for name, columns in batch.tables.items()} == documented
        for name, columns in batch.tables.items():
            for column, values in columns.items():
                np.testing.assert_array_equal(values, full.tables[name][column])
        for name, counts in batch.tally.items():
            np.testing.assert_array_equal(counts, full.tally[name])
    assert ("market" in full.tables) is session.rules.advanced


@pytest.mark.parametrize("mode", MODES)
def test_counters_agree_with_the_log(mode: str) -> None:
    session = mode_session(MODES[mode], ("random", "random_discards"), seed=5)
    deals = few(400, 20)
    batch = session.play(0, 0, deals, "full")
    games, tally, per_deal = rows_of(session, batch, "games"), batch.tally, session.games_per_deal(0)
    half = {0: 2, None: 1, 1: 0}
    points_0 = np.array([half[row["winner"]] for row in games])
    points_a = np.array([p if row["policy_0"] == "random" else 2 - p for p, row in zip(points_0, games, strict=True)])
    for name, points in (("deal_score_a", points_a), ("deal_score_seat0", points_0)):
        by_deal = points.reshape(deals, per_deal).sum(axis=1)
        np.testing.assert_array_equal(tally[name], np.bincount(by_deal, minlength=2 * per_deal + 1))
    assert tally["seat0"].tolist() == [int((points_0 == p).sum()) for p in (2, 1, 0)]
    in_0 = np.array([row["policy_0"] == "random" for row in games])
    assert tally["a_by_seat"].tolist() == [[int((points_a[at] == p).sum()) for p in (2, 1, 0)] for at in (in_0, ~in_0)]
    reasons = Counter(row["end_reason"] for row in games)
    assert tally["end_reason"].tolist() == [reasons[name] for name in session.rules.end_reasons]
    assert tally["discards"].tolist() == [sum(row[f"discards_{seat}"] for row in games) for seat in (0, 1)]
    assert tally["turns"].tolist() == np.bincount([row["n_turns"] for row in games], minlength=128).tolist()
    assert tally["tie"].sum() == sum(row["tie_rule"] for row in games)
    assert ("lone" in tally) is (session.rules.players == 3)
    if "lone" in tally:
        lone = np.array([row["lone_seat"] for row in games])
        points = np.where(lone == 0, points_0, 2 - points_0)
        assert tally["lone"].tolist() == [[int((points[lone == at] == p).sum()) for p in (2, 1, 0)] for at in (0, 1)]
    if session.rules.advanced:
        taken = Counter(row["taken"] for row in rows_of(session, batch, "market"))
        assert tally["taken"].sum(axis=1).tolist() == [taken[card.id] for card in session.rules.market_cards]


@pytest.mark.parametrize("mode", MODES)
def test_steps_in_python_are_the_kernel_game_for_game(mode: str) -> None:
    """The step API, asked and answered one question at a time, leaves the rows and counters that the kernel leaves."""
    for pair in (("random", "random_discards"), ("greedy", "greedy")):
        session = mode_session(MODES[mode], pair, seed=6)
        n = 2 * session.games_per_deal(0) * few(6, 1)
        counts, again = session._new_counts(), Counts.of_nothing(session.rules)
        kernel = [rows.copy() for rows in session._run(0, 4, n, "full", counts)]
        steps = play_rows(session.seed, 0, 4, n, session.games_per_deal(0), session.rules, session._players(0), again)
        # Hands before a face-down card that nobody laid (a lone player) mean nothing; the columns leave them out.
        for at in (0, 1, 2, 3, 5, 6):
            np.testing.assert_array_equal(kernel[at], steps[at])
        columns = [turn_columns(session.rules, "full", rows[3], rows[0][rows[3], 8], rows[2], rows[4])
                   for rows in (kernel, steps)]
        for column, values in columns[0].items():
            np.testing.assert_array_equal(values, columns[1][column])
        np.testing.assert_array_equal(counts.games, again.games)
        np.testing.assert_array_equal(counts.cards, again.cards)


def test_every_market_table_names_what_lay_there() -> None:
    session = mode_session({**ADVANCED, "rules.supply": 5}, "random", seed=8)
    rows = rows_of(session, session.play(0, 0, 60, "full"), "market")
    assert len(rows) > 50
    for row in rows:
        lay = [row[f"supply_{place}"] for place in range(5)]
        assert row["taken"] in lay
        named = [card for card in lay if card is not None]
        assert lay == named + [None] * (5 - len(named))
        assert len(set(named)) == len(named)
    assert "member" not in rows[0]
    assert "m_space_after" not in rows[0]


def test_a_supply_that_runs_dry_is_told_by_nulls() -> None:
    few_cards = {f"market.{card.id}.copies": int(card.id in ("watchtower", "surveillance_truck"))
                 for card in make_rules(ADVANCED).market_cards}
    session = mode_session({**ADVANCED, **few_cards}, "random", seed=8)
    rows = rows_of(session, session.play(0, 0, 100, "full"), "market")
    lay = {tuple(row[f"supply_{place}"] is not None for place in range(3)) for row in rows}
    assert lay == {(True, True, False), (True, False, False)}


@pytest.mark.parametrize(("by", "kind"), [(2, np.int16), (9, np.int32)])
def test_moves_have_room(by: int, kind: Any) -> None:
    own = {"far": {"effects": [{"when": "recruit", "do": "multiply", "agent": "enforcer", "by": by}], "copies": 3}}
    rules = with_own(make_rules(ADVANCED), own)
    session = the_game().session(rules, [(the_game().policy("random"),) * 2], 1)
    batch = session.play(0, 0, 40, "full")
    assert {batch.tables["turns"]["move_active"].dtype, batch.tables["market"]["lead_after"].dtype} == {np.dtype(kind)}
