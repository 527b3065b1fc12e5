"""The batch kernel and what stands around it: the same games as the step API, in any portions, counted exactly."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentsim.games.agent_avenue import kernel as k
from agentsim.games.agent_avenue import session as session_module
from agentsim.games.agent_avenue.engine import END_REASONS
from agentsim.games.agent_avenue.replay import play_rows
from agentsim.games.agent_avenue.session import Session, add_tally
from agentsim.games.agent_avenue.tables import discard_slots
from agentsim.games.base import Batch, LogLevel
from tests.games.agent_avenue.helpers import BASELINES, few, needs_speed, preset_names, session, the_game

LOGS: tuple[LogLevel, ...] = ("none", "games", "turns", "full")
HOUSE = {"rules.hand_size": 6, "rules.discards": 7, "rules.ring": 11, "rules.home_1": 4, "rules.tie_rule": "draw",
         "cards.mole.copies": 3, "cards.sentinel.second": 4}


def same(a: Mapping[str, Mapping[str, NDArray[Any]]], b: Mapping[str, Mapping[str, NDArray[Any]]]) -> None:
    assert list(a) == list(b)
    for name in a:
        assert list(a[name]) == list(b[name])
        for column in a[name]:
            np.testing.assert_array_equal(a[name][column], b[name][column], err_msg=f"{name}.{column}")
            assert a[name][column].dtype == b[name][column].dtype, f"{name}.{column}"


def joined(batches: list[Batch]) -> dict[str, dict[str, NDArray[Any]]]:
    return {name: {column: np.concatenate([batch.tables[name][column] for batch in batches]) for column in columns}
            for name, columns in batches[0].tables.items()}


def total(batches: list[Batch]) -> dict[str, NDArray[np.int64]]:
    tally: dict[str, NDArray[np.int64]] = {}
    for batch in batches:
        add_tally(tally, batch.tally)
    return tally


def same_tally(a: Mapping[str, NDArray[np.int64]], b: Mapping[str, NDArray[np.int64]]) -> None:
    assert list(a) == list(b)
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


# ---- the same games as the step API --------------------------------------------------------------------------------


def rows_by_steps(table: Session, matchup: int, first: int, n: int) -> tuple[NDArray[Any], ...]:
    players = [table.players[ref.label] for ref in table.matchups[matchup]]
    return play_rows(table.seed, matchup, first, n, table.games_per_deal(matchup), table.rules, table.table, players)


def same_rows(table: Session, matchup: int, first: int, n: int) -> None:
    kernel = [rows.copy() for rows in table._run(matchup, first, n, "full")]
    assert len(kernel[0]) == n
    for number, (fast, slow) in enumerate(zip(kernel, rows_by_steps(table, matchup, first, n), strict=True)):
        np.testing.assert_array_equal(fast, slow, err_msg=str(number))


@pytest.mark.parametrize("name", preset_names())
def test_every_policy_steps_the_games_that_it_plays(name: str) -> None:
    same_rows(session(name, seed=13), 0, 1000, few(150, 3))
    same_rows(session(name, seed=13, settings=HOUSE), 0, 0, few(50, 2))


def test_two_policies_and_several_matchups() -> None:
    table = session(("greedy", "random_discards"), ("minmax", "planner"), "random", seed=2**63 + 5)
    for matchup in range(3):
        for first in (0, 7, 10**9):
            same_rows(table, matchup, first, few(21, 3))


# ---- any portions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("pair", [("random_discards", "random_discards"), ("greedy", "random_discards")])
def test_games_do_not_depend_on_chunks_or_splits(pair: tuple[str, str], log: LogLevel,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    n = few(300, 12)
    whole = session(pair, seed=6).play(0, 50, n, log)
    assert whole.n_games == n * (1 if pair[0] == pair[1] else 2)
    for chunk in (2, 6, 64, 1000):
        monkeypatch.setattr(session_module, "CHUNK", chunk)
        again = session(pair, seed=6).play(0, 50, n, log)
        same(again.tables, whole.tables)
        same_tally(again.tally, whole.tally)
    monkeypatch.undo()
    for cuts in ([1, n - 1], [n // 3, n // 2, n - n // 3 - n // 2], [n - 1, 1]):
        table, first, parts = session(pair, seed=6), 50, []
        for size in cuts:
            parts.append(table.play(0, first, size, log))
            first += size
        assert sum(part.n_games for part in parts) == whole.n_games
        if log != "none":
            same(joined(parts), whole.tables)
        same_tally(total(parts), whole.tally)


def test_a_full_turn_buffer_only_cuts_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long games: nothing moves and no set counts, so that a chunk does not fit the buffer."""
    still = {f"cards.{card.id}.{number}": 0 for card in the_game().rules({}).cards
             for number in ("first", "second", "third", "wins_at", "loses_at")}
    still |= {f"cards.{card.id}.copies": 15 for card in the_game().rules({}).cards}
    pair, n = ("random", "random_discards"), few(200, 4)
    whole = session(pair, settings=still).play(0, 0, n, "full")
    assert int(whole.tables["games"]["n_turns"].max()) > 40
    monkeypatch.setattr(session_module, "CHUNK", 30)
    again = session(pair, settings=still).play(0, 0, n, "full")
    same(again.tables, whole.tables)
    same_tally(again.tally, whole.tally)


def test_logs_do_not_change_games() -> None:
    pairs = (("greedy", "random"), "random_discards")
    full = session(*pairs).play(0, 0, few(200, 5), "full")
    for log in LOGS:
        batch = session(*pairs).play(0, 0, few(200, 5), log)
        same_tally(batch.tally, full.tally)
        assert set(batch.tables) == {"none": set(), "games": {"games"}}.get(log, {"games", "turns"})
        for name, columns in batch.tables.items():
            for column, values in columns.items():
                np.testing.assert_array_equal(values, full.tables[name][column])


def test_matchups_of_a_session_do_not_disturb_each_other() -> None:
    """Decisions hang on the matchup's number, deals do not."""
    table = session(("greedy", "random"), "random", "random_discards", seed=3)
    alone = session(("greedy", "random"), seed=3)
    mixed = [table.play(m, 0, few(100, 4), "full") for m in (2, 0, 1, 0)]
    same({"turns": mixed[1].tables["turns"]}, {"turns": mixed[3].tables["turns"]})
    first = alone.play(0, 0, few(100, 4), "full")
    same_tally(first.tally, mixed[1].tally)
    turns = [batch.tables["turns"] for batch in mixed]
    hands = [columns["hand_enforcer"][columns["turn"] == 0] for columns in turns[1:3]]
    np.testing.assert_array_equal(hands[0][::2], hands[1])
    # Another number, other coins: the same two policies as matchup 1.
    other = session("random", ("greedy", "random"), seed=3).play(1, 0, few(100, 4), "games")
    assert (other.tables["games"]["lead"] != first.tables["games"]["lead"]).any()


@needs_speed
def test_threads_share_a_session() -> None:
    table = session(("random_discards", "greedy"), "expert", seed=5)
    jobs = [(matchup, 500 * part, 500) for part in range(6) for matchup in (0, 1)]
    alone = [table.play(*job, "full") for job in jobs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda job: table.play(*job, "full"), jobs))
    for one, other in zip(alone, together, strict=True):
        same(one.tables, other.tables)
        same_tally(one.tally, other.tally)


def test_batches_do_not_change_when_the_next_is_played() -> None:
    table = session("random_discards")
    first = table.play(0, 0, few(100, 4), "full")
    kept = {name: {column: values.copy() for column, values in columns.items()}
            for name, columns in first.tables.items()}
    tally = {name: counts.copy() for name, counts in first.tally.items()}
    table.play(0, 500, few(100, 4), "full")
    same(first.tables, kept)
    same_tally(first.tally, tally)


def test_another_seed_other_games() -> None:
    leads = [session("random", seed=seed).play(0, 0, few(200, 10), "games").tables["games"]["lead"].tolist()
             for seed in (0, 1, 2, 2**64 - 1)]
    assert len({tuple(lead) for lead in leads}) == 4


# ---- tallies -------------------------------------------------------------------------------------------------------


def recounted(table: Session, matchup: int, batch: Batch) -> dict[str, list[Any]]:
    """The tally from the columns of ``games``, game by game in plain Python."""
    games = {name: values.tolist() for name, values in batch.tables["games"].items()}
    per_deal = table.games_per_deal(matchup)
    a = table.labels.index(table.matchups[matchup][0].label)
    result: dict[str, Any] = {
        "seat0": [0] * 3, "deal_score_a": [0] * (2 * per_deal + 1), "deal_score_seat0": [0] * (2 * per_deal + 1),
        "a_by_seat": [[0] * 3, [0] * 3], "end_reason": [0] * 8, "tie": [0, 0], "turns": [0] * 128, "discards": [0, 0]}
    points_a: dict[int, int] = {}
    points_0: dict[int, int] = {}
    for number, winner in enumerate(games["winner"]):
        deal, swapped = games["deal_id"][number], per_deal == 2 and games["policy_0"][number] != a
        result["seat0"][{0: 0, -1: 1, 1: 2}[winner]] += 1
        seat_of_a = 1 if swapped else 0
        result["a_by_seat"][seat_of_a][1 if winner < 0 else 0 if winner == seat_of_a else 2] += 1
        points_a[deal] = points_a.get(deal, 0) + (1 if winner < 0 else 2 * (winner == seat_of_a))
        points_0[deal] = points_0.get(deal, 0) + (1 if winner < 0 else 2 * (winner == 0))
        result["end_reason"][games["end_reason"][number]] += 1
        if games["tie_rule"][number]:
            result["tie"][(games["n_turns"][number] - 1) % 2] += 1
        result["turns"][games["n_turns"][number]] += 1
        result["discards"][0] += games["discards_0"][number]
        result["discards"][1] += games["discards_1"][number]
    for name, points in (("deal_score_a", points_a), ("deal_score_seat0", points_0)):
        for score in points.values():
            result[name][score] += 1
    return result


@pytest.mark.parametrize("tie_rule", ["active", "draw"])
@pytest.mark.parametrize("pair", [*combinations_with_replacement(BASELINES, 2)])
def test_tallies_are_what_the_columns_say(pair: tuple[str, str], tie_rule: str) -> None:
    table = session("random", pair, settings={"rules.tie_rule": tie_rule}, seed=9)
    batch = table.play(1, 20, few(1500, 20), "games")
    assert {name: counts.tolist() for name, counts in batch.tally.items()} == recounted(table, 1, batch)
    assert all(counts.dtype == np.int64 for counts in batch.tally.values())
    if pair[0] == pair[1]:
        assert batch.tally["deal_score_a"].tolist() == batch.tally["deal_score_seat0"].tolist()
    if few(1, 0) and pair[0].startswith("random") and pair[1].startswith("random"):
        assert batch.tally["tie"].min() > 0
        assert (batch.tally["seat0"][1] > 0) is (np.True_ if tie_rule == "draw" else np.False_)


def test_a_drawn_game_has_no_winner_in_any_column() -> None:
    batch = session("random", settings={"rules.tie_rule": "draw"}, seed=1).play(0, 0, few(3000, 400), "turns")
    games, turns = batch.tables["games"], batch.tables["turns"]
    drawn = games["winner"] < 0
    assert drawn.any()
    assert games["tie_rule"][drawn].all()
    assert not games["tie_rule"][~drawn].any()
    of_drawn = drawn[turns["game_id"]]
    assert (turns["active_won"][of_drawn] == -1).all()
    assert set(turns["active_won"][~of_drawn].tolist()) == {0, 1}


# ---- tables --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", ["games", "turns", "full"])
@pytest.mark.parametrize("settings", [{}, {"rules.discards": 9, "rules.hand_size": 8}])
def test_columns_are_those_that_are_documented(log: LogLevel, settings: dict[str, int]) -> None:
    game = the_game()
    rules = game.rules(settings)
    batch = session("random_discards", settings=settings).play(0, 0, few(200, 5), log)
    documented = {table.name: table for table in game.tables(rules, log)}
    assert list(batch.tables) == list(documented)
    for name, table in documented.items():
        assert list(batch.tables[name]) == [column.name for column in table.columns]
        assert len({len(values) for values in batch.tables[name].values()}) == 1
        for column in table.columns:
            values = batch.tables[name][column.name]
            assert column.doc, column.name
            assert values.flags.owndata or values.base.flags.owndata
            low = -1 if column.nullable else 0
            if column.kind == "enum" and column.categories:
                assert low <= int(values.min()) <= int(values.max()) < len(column.categories)
            if column.kind == "bool":
                assert set(values.astype(int).tolist()) <= set(range(low, 2))
    assert discard_slots(rules) == max(4, rules.discards)


def test_the_contract_of_the_columns() -> None:
    """These names are read by others."""
    rules = the_game().rules({})
    tables = {table.name: [column.name for column in table.columns] for table in the_game().tables(rules, "full")}
    agents = [card.id for card in rules.cards]
    assert tables["games"] == [
        "game_id", "matchup_id", "deal_id", "policy_0", "policy_1", "winner", "end_reason", "tie_rule", "n_turns",
        "lead", *(f"final_{seat}_{name}" for seat in (0, 1) for name in agents), "discards_0", "discards_1"]
    assert tables["turns"] == [
        "game_id", "turn", "active", "n_discards", "face_up", "face_down", "took_face_up", "recruited_active",
        "recruited_other", "move_active", "move_other", "lead_after", "active_won",
        *(f"hand_{name}" for name in agents), *(f"discard_{slot}" for slot in range(4))]
    assert END_REASONS == ("catch", "codebreakers", "leader_of_the_pack", "masterplan", "security_system", "division_m",
                           "daredevils", "out_of_cards")
    assert the_game().tables(rules, "none") == ()


def test_warming_up_compiles_at_most_once() -> None:
    table = session("random")
    table.warm_up("full")
    assert table.warm_up("none") is False
    assert session(("greedy", "expert")).warm_up("full") is False
    assert session_module.Session(table.rules, [], 1).warm_up("none") is False


def test_the_stories_tell_the_games_of_the_log() -> None:
    game, pair = the_game(), ("greedy", "random_discards")
    table = session("random", pair, seed=17)
    batch = table.play(1, 0, few(20, 3), "full")
    games, turns = batch.tables["games"], batch.tables["turns"]
    for index in range(len(games["winner"])):
        text = game.story(table.rules, table.matchups, 17, 1, index)
        row = {name: values[index] for name, values in games.items()}
        mine = turns["game_id"] == row["game_id"]
        assert text.count(" face up and ") == row["n_turns"] == mine.sum()
        assert text.count(" discards ") == row["discards_0"] + row["discards_1"]
        seats = pair if index % 2 == 0 else pair[::-1]
        assert f"deal {index // 2}" in text
        last = text.splitlines()[-1]
        assert last.startswith(f"After {row['n_turns']} turns ")
        assert f"seat {row['winner']} ({seats[row['winner']]}) wins" in last
        assert ("by the tie rule" in last) is bool(row["tie_rule"])
        took = [bool(up) for up in turns["took_face_up"][mine]]
        assert [("takes the face-up card" in line) for line in text.splitlines() if " takes the " in line] == took


def test_game_rows_hold_what_their_names_say() -> None:
    table = session("random_discards", seed=4)
    rows = table._run(0, 0, few(300, 10), "games")[0]
    games = table.play(0, 0, few(300, 10), "games").tables["games"]
    for column, place in (("winner", k.G_WINNER), ("end_reason", k.G_REASON), ("n_turns", k.G_TURNS),
                          ("lead", k.G_LEAD), ("discards_0", k.G_DISCARDS), ("discards_1", k.G_DISCARDS + 1)):
        np.testing.assert_array_equal(rows[:, place], games[column])
    np.testing.assert_array_equal(rows[:, k.G_ACTIVE], (games["n_turns"] - 1) % 2)
