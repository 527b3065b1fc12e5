"""Sessions: stretches join, tallies are what the logs say, blocks rotate, columns are those announced."""

from __future__ import annotations

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.games.base import PolicyRef
from agentsim.games.shady_agents.catalog import CATALOG
from agentsim.games.shady_agents.session import Session, games_per_deal, seatings
from agentsim.games.shady_agents.tables import log_tables
from tests.games_shady.helpers import JIT, PLAYERS, RANDOM, few, rules, session

A, B = (PolicyRef(label, "random", {}, "family") for label in "AB")
NAIVE, BAYES = CATALOG.from_spec("naive"), CATALOG.from_spec("bayes")
FIELD = (A, NAIVE, BAYES, B, A, BAYES, B, NAIVE, NAIVE, A)
DEALS = few(60, 2)


def test_blocks() -> None:
    assert seatings((A, A, A, A)) == 1
    assert seatings((A, B, A, B)) == 2
    assert seatings((A, A, B, NAIVE)) == seatings((A, B, B, A)) == 4
    assert games_per_deal((A,) * 5) == 5
    assert games_per_deal((A, B, A, B)) == 8
    assert games_per_deal(FIELD) == 100


@pytest.mark.parametrize("players", [4, 7, 10] if JIT else [4])
def test_stretches_join(players: int) -> None:
    run = session(rules(players), FIELD[:players], (RANDOM,) * players, seed=9)
    deals = few(40, 4)
    for matchup in (0, 1):
        whole = run.play(matchup, 0, deals, "full")
        parts = [run.play(matchup, first, count, "full") for first, count in ((0, 1), (1, deals - 3), (deals - 2, 2))]
        assert whole.n_games == sum(part.n_games for part in parts) == deals * run.games_per_deal(matchup)
        for name, columns in whole.tables.items():
            for column, values in columns.items():
                assert (values == np.concatenate([part.tables[name][column] for part in parts])).all()
        for name, counts in whole.tally.items():
            assert (counts == sum(part.tally[name] for part in parts)).all()


@pytest.mark.parametrize("players", [4, 9])
def test_results_do_not_depend_on_what_is_logged(players: int) -> None:
    run = session(rules(players, talk__misread=0, belief__p_medkit_friend=1), FIELD[:players], seed=4)
    kinds = ("none", "games", "turns", "full")
    batches = [run.play(0, 3, DEALS, log) for log in kinds]  # type: ignore[arg-type]
    for batch in batches[1:]:
        assert all((batch.tally[name] == counts).all() for name, counts in batches[0].tally.items())
    assert batches[0].tally["contradictions"] > 0 or not few(1, 0)
    for name, columns in batches[2].tables.items():
        assert all((batches[3].tables[name][column] == values).all() for column, values in columns.items())


@pytest.mark.parametrize("players", PLAYERS)
def test_tallies_are_what_the_logs_say(players: int) -> None:
    policies = FIELD[:players]
    run = session(rules(players), policies, seed=3)
    batch = run.play(0, 5, DEALS, "games")
    games, tally, per_deal = batch.tables["games"], batch.tally, run.games_per_deal(0)
    shares = np.stack([games[f"share_{seat}"] for seat in range(players)], axis=1).astype(int)
    roles = np.stack([games[f"role_{seat}"] for seat in range(players)], axis=1)
    law = np.where(games["winner"] < 0, 6, 12 * (games["winner"] == 0))
    assert (shares == np.where(roles == 0, law[:, None], 12 - law[:, None])).all()
    assert tally["deals"] == DEALS
    assert tally["seat_share"].tolist() == shares.sum(axis=0).tolist()
    assert tally["seat_results"].tolist() == [[(shares[:, s] == v).sum() for v in (0, 6, 12)] for s in range(players)]
    assert tally["slot_by_seat"].sum(axis=0).tolist() == tally["seat_share"].tolist()
    assert tally["slot_by_seat"].sum(axis=1).tolist() == tally["slot_share"].tolist()
    for side in (0, 1):
        mine = roles == side
        assert tally["seat_side_games"][:, side].tolist() == mine.sum(axis=0).tolist()
        assert tally["seat_side_share"][:, side].tolist() == (shares * mine).sum(axis=0).tolist()
        name = ("law", "crooked")[side]
        assert tally["side_points"][side] == games[f"side_points_{name}"].sum()
        assert tally["side_points_squared"][side] == (games[f"side_points_{name}"].astype(int) ** 2).sum()
        assert tally["side_medkits"][side] == games[f"side_medkits_{name}"].sum()
        tool = ("bullets", "medkits")[side]
        assert tally["tools_wrong"][side] == games[f"{tool}_misdirected"].sum()
        assert tally["tools_thrown"][side] == games[f"{tool}_thrown"].sum()
        first = games["first_called"] == bool(side)
        assert tally["first_called_games"][side] == first.sum()
        assert tally["first_called_share"][side] == shares[first, 0].sum()
    assert tally["slot_side_games"].sum() == players * batch.n_games
    assert tally["slot_side_share"].sum(axis=1).tolist() == tally["slot_share"].tolist()
    assert tally["calls"].tolist() == np.bincount(games["n_interrogations"], minlength=11).tolist()
    assert tally["end_reason"].tolist() == np.bincount(games["end_reason"], minlength=4).tolist()
    assert tally["contradictions"] == games["contradictions"].sum()
    for seat in range(players):
        points = games[f"points_{seat}"].astype(int)
        assert (tally["points"][seat], tally["points_squared"][seat]) == (points.sum(), (points**2).sum())
    small = np.where(games["smaller_side"] < 0, 0, np.where(games["smaller_side"] == 0, law, 12 - law))
    large = np.where(games["smaller_side"] < 0, 0, 12 - small)
    by_deal = {"seat": shares, "slot": np.zeros_like(shares), "side": np.stack([law, 12 - law], 1),
               "size": np.stack([small, large], 1)}
    for index in range(batch.n_games):
        for seat in range(players):
            by_deal["slot"][index, (seat + index % players) % players] += shares[index, seat]
    assert per_deal == players * players
    for name, scores in by_deal.items():
        sums = scores.reshape(DEALS, per_deal, -1).sum(axis=1)
        assert tally[f"{name}_share"].tolist() == sums.sum(axis=0).tolist()
        assert tally[f"{name}_products"].tolist() == (sums.T @ sums).tolist()


@pytest.mark.parametrize("players", [4, 5, 10])
def test_every_policy_has_every_seat_and_every_role_card(players: int) -> None:
    people = tuple(PolicyRef(f"p{number}", "random", {}, "family") for number in range(players))
    run = session(rules(players), people, seed=2)
    games = run.play(0, 0, 1, "games").tables["games"]
    assert len(games["game_id"]) == players * players
    met = {(seat, int(games[f"policy_{seat}"][game]), tuple(int(games[f"role_{s}"][game]) for s in range(players)))
           for game in range(len(games["game_id"])) for seat in range(players)}
    dealt = tuple(int(games[f"role_{seat}"][0]) for seat in range(players))
    turns = {dealt[-t:] + dealt[:-t] for t in range(players)}
    assert met == {(seat, policy, roles) for seat in range(players) for policy in range(players) for roles in turns}
    assert set(games["smaller_side"].tolist()) == {int(games["smaller_side"][0])}
    # Policies move first, then the roles.
    assert [int(games["policy_0"][game]) for game in range(3)] == [0, 1, 2]
    assert all((games[f"role_{seat}"][:players] == dealt[seat]).all() for seat in range(players))


def test_games_of_a_deal_share_their_talk() -> None:
    run = session(rules(5), FIELD[:5], seed=3)
    rows = run.play(0, 0, DEALS, "turns").tables["statements"]
    seen: dict[tuple[int, int, int], tuple[int, int]] = {}
    for game, question, speaker, truth, verified, caller in zip(*(rows[name].tolist() for name in (
            "game_id", "question", "speaker", "truth", "verified_by", "caller")), strict=True):
        assert caller != speaker
        assert seen.setdefault((game // 25, question, speaker), (truth, verified)) == (truth, verified)


def test_games_differ_with_their_address() -> None:
    made = rules(4)
    runs = [session(made, seed=1), session(made, seed=2), session(made, (A,) * 4, (RANDOM,) * 4, seed=1)]
    rows = [runs[0]._run(0, 0, 64, "none")[0], runs[1]._run(0, 0, 64, "none")[0], runs[2]._run(1, 0, 64, "none")[0],
            runs[0]._run(0, 64, 64, "none")[0]]
    assert (rows[0] == runs[0]._run(0, 0, 64, "none")[0]).all()
    for other in rows[1:]:
        assert not np.array_equal(rows[0], other)


@pytest.mark.parametrize("players", PLAYERS if JIT else (4, 5))
def test_columns_are_those_announced(players: int) -> None:
    made = rules(players)
    run = session(made, FIELD[:players], seed=1)
    for log in ("none", "games", "turns", "full"):
        batch = run.play(0, 0, few(10, 2), log)
        announced = log_tables(made, log)
        assert [table.name for table in announced] == list(batch.tables)
        for table in announced:
            columns = batch.tables[table.name]
            assert [column.name for column in table.columns] == list(columns)
            for column in table.columns:
                values = columns[column.name]
                assert column.doc
                if column.kind == "enum" and column.categories:
                    assert values.max() < len(column.categories)
                if not column.nullable and "points" not in column.name:
                    assert values.min() >= 0
                assert (values.dtype == bool) is (column.kind == "bool")


def test_a_matchup_must_fill_the_table() -> None:
    with pytest.raises(InputError, match="2 policies for 4 players"):
        Session(rules(4), [(A, B)], 1)


def test_warming_up_twice_compiles_nothing() -> None:
    run = session(rules(4))
    run.warm_up("full")
    assert run.warm_up("full") is False
