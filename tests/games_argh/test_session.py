"""Stretches of a run: rotation of seats, tallies, log columns, and that nothing but the seed matters."""

from __future__ import annotations

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.games.argh import kernel as k
from agentsim.games.argh.session import Session
from agentsim.games.argh.tables import log_tables
from agentsim.games.base import PolicyRef
from agentsim.games.sessions import seatings
from tests.games_argh.helpers import PLAYERS, RANDOM, few, rules, session

A, B, C = (PolicyRef(label, "random", {}, "family") for label in "ABC")
DEALS = few(500, 6)


def test_seatings() -> None:
    assert seatings((A, A)) == seatings((A, A, A, A)) == 1
    assert seatings((A, B)) == seatings((A, B, A, B)) == 2
    assert seatings((A, A, B)) == seatings((A, B, C)) == 3
    assert seatings((A, A, B, B)) == seatings((A, B, C, A)) == 4


@pytest.mark.parametrize("players", PLAYERS)
def test_stretches_join(players: int) -> None:
    made = rules(players)
    run = session(made, (A, B, C, A)[:players], (RANDOM,) * players, seed=9)
    for matchup in (0, 1):
        whole = run.play(matchup, 0, DEALS, "full")
        parts = [run.play(matchup, first, count, "full") for first, count in ((0, 1), (1, DEALS - 3), (DEALS - 2, 2))]
        assert whole.n_games == sum(part.n_games for part in parts) == DEALS * run.games_per_deal(matchup)
        for name, columns in whole.tables.items():
            for column, values in columns.items():
                assert (values == np.concatenate([part.tables[name][column] for part in parts])).all()
        for name, counts in whole.tally.items():
            assert (counts == sum(part.tally[name] for part in parts)).all()


@pytest.mark.parametrize("players", PLAYERS)
def test_tallies_are_what_the_logs_say(players: int) -> None:
    policies = (A, B, C, A)[:players]
    run = session(rules(players), policies, seed=3)
    batch = run.play(0, 5, DEALS, "games")
    games, tally, per_deal = batch.tables["games"], batch.tally, run.games_per_deal(0)
    shares = np.stack([games[f"share_{seat}"] for seat in range(players)], axis=1).astype(int)
    assert tally["seat_share"].tolist() == shares.sum(axis=0).tolist()
    assert [row[12] for row in tally["seat_wins"]] == (shares == 12).sum(axis=0).tolist()
    assert tally["end_reason"].sum() == tally["turns"].sum() == batch.n_games
    assert tally["slot_by_seat"].sum(axis=0).tolist() == tally["seat_share"].tolist()
    assert tally["slot_by_seat"].sum(axis=1).tolist() == tally["slot_share"].tolist()
    expected = np.zeros((players, players))
    for deal in np.unique(games["deal_id"]):
        score = np.zeros(players)
        for rotation, row in enumerate(shares[games["deal_id"] == deal]):
            for seat in range(players):
                score[(seat + rotation) % players] += row[seat]
        expected += np.outer(score, score)
    assert (tally["slot_products"] == expected).all()
    # Each policy sits in each seat equally often.
    for seat in range(players):
        labels = [run.labels[code] for code in games[f"policy_{seat}"][:per_deal]]
        assert sorted(labels) == sorted(policy.label for policy in policies)
        assert [run.labels[code] for code in games[f"policy_{seat}"][:2]] == [
            policies[seat].label, policies[(seat + 1) % players].label]


def test_games_of_a_deal_share_their_cards() -> None:
    run = session(rules(3), (A, B, C), seed=3)
    turns = run.play(0, 0, DEALS, "turns").tables["turns"]
    # The same place of the same deal holds the same card in all three games.
    seen: dict[tuple[int, int], int] = {}
    for game, place, card in zip(turns["game_id"] // 3, turns["place"], turns["card"], strict=True):
        if place >= 0:
            assert seen.setdefault((int(game), int(place)), int(card)) == card


def test_games_differ_with_their_address() -> None:
    made = rules(2)
    runs = [session(made, seed=1), session(made, seed=2), session(made, (A, A), (RANDOM, RANDOM), seed=1)]
    rows = [runs[0]._run(0, 0, 64, "none")[0], runs[1]._run(0, 0, 64, "none")[0], runs[2]._run(1, 0, 64, "none")[0],
            runs[0]._run(0, 64, 64, "none")[0]]
    assert (rows[0] == runs[0]._run(0, 0, 64, "none")[0]).all()
    for other in rows[1:]:
        assert not np.array_equal(rows[0], other)


@pytest.mark.parametrize("players", PLAYERS)
def test_columns_are_those_announced(players: int) -> None:
    made = rules(players, promos=True)
    run = session(made, seed=1)
    for log in ("none", "games", "turns", "full"):
        batch = run.play(0, 0, few(50, 3), log)  # type: ignore[arg-type]
        announced = log_tables(made, log)  # type: ignore[arg-type]
        assert [table.name for table in announced] == list(batch.tables)
        for table in announced:
            columns = batch.tables[table.name]
            assert [column.name for column in table.columns] == list(columns)
            for column in table.columns:
                values = columns[column.name]
                if column.kind == "enum" and column.categories:
                    assert values.max() < len(column.categories)
                if not column.nullable and not column.name.startswith("points"):
                    assert values.min() >= 0
                assert (values.dtype == bool) is (column.kind == "bool")
    assert k.ACTIONS[0] == "keep"


def test_a_matchup_must_fill_the_table() -> None:
    with pytest.raises(InputError, match="2 policies for 3 players"):
        Session(rules(3), [(A, B)], 1)
