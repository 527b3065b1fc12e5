"""Turns in playing order, and the position before each of them, against a slow second opinion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from agentsim.games.agent_avenue.rules import make_rules
from agentsim.runs import Run
from analyses.turnlog import Turns, load_turns, offers
from tests.analyses.naive import judged


@pytest.fixture(scope="module")
def turns(round_robin: Run) -> Turns:
    return load_turns(round_robin)


@pytest.fixture(scope="module")
def log(round_robin: Run) -> pd.DataFrame:
    return round_robin.sql("SELECT * FROM turns ORDER BY game_id, turn")


def by_game_id(turns: Turns, run: Run) -> np.ndarray[Any, Any]:
    """The order that sorts the games of ``turns`` by game id."""
    per_deal = run.matchups["games_per_deal"].to_numpy()[turns.matchup]
    labels = run.matchups["policy_a"].to_numpy()[turns.matchup]
    swapped = (np.array(turns.policies)[turns.policy[:, 0]] != labels) & (per_deal == 2)
    return np.argsort((turns.deal * per_deal + swapped) * len(run.matchups) + turns.matchup)


def test_games_have_their_matchup_deal_and_policies(turns: Turns, round_robin: Run, games: pd.DataFrame) -> None:
    order = by_game_id(turns, round_robin)
    names = np.array(turns.policies)
    assert turns.n_games == len(games)
    assert (turns.matchup[order] == games["matchup_id"]).all()
    assert (turns.deal[order] == games["deal_id"]).all()
    assert (names[turns.policy[order, 0]] == games["policy_0"]).all()
    assert (names[turns.policy[order, 1]] == games["policy_1"]).all()
    assert (np.diff(turns.start)[order] == games["n_turns"]).all()


def test_offers_are_judged_as_a_second_engine_judges_them(turns: Turns, round_robin: Run, log: pd.DataFrame) -> None:
    few = log[log["game_id"] < 60 * len(round_robin.matchups)]
    expected = judged(few)
    assert len(expected) > 5000
    found = offers(turns, round_robin.experiment.rules())
    order = by_game_id(turns, round_robin)[:few["game_id"].nunique()]
    rows = np.concatenate([np.arange(turns.start[game], turns.start[game + 1]) for game in order])
    for name in ("count_up", "count_down", "better", "decisive"):
        assert (getattr(found, name)[rows] == expected[name]).all(), name
    assert (turns.lead_before[rows] == expected["lead_before"]).all()
    agents = np.array(turns.agents)
    assert (agents[turns.recruited_active[rows]] == few["recruited_active"]).all()
    assert (agents[turns.recruited_other[rows]] == few["recruited_other"]).all()
    assert set(np.unique(found.better)) == {-1, 0, 1}
    assert found.decisive.any()


def test_the_order_of_rows_in_the_database_does_not_matter(turns: Turns, round_robin: Run,
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Run.sql

    def shuffled(self: Run, query: str, **parameters: Any) -> pd.DataFrame:
        return ask(self, query, **parameters).sample(frac=1, random_state=3)

    monkeypatch.setattr(Run, "sql", shuffled)
    again = load_turns(round_robin)
    one, two = by_game_id(turns, round_robin), by_game_id(again, round_robin)
    assert (turns.deal[one] == again.deal[two]).all()
    assert (np.diff(turns.start)[one] == np.diff(again.start)[two]).all()
    first, second = turns.start[one[5]], again.start[two[5]]
    length = np.diff(turns.start)[one[5]]
    assert (turns.face_up[first:first + length] == again.face_up[second:second + length]).all()


def test_chunks_do_not_show(turns: Turns, round_robin: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = offers(turns, round_robin.experiment.rules())
    monkeypatch.setattr("analyses.turnlog._CHUNK", 997)
    pieces = offers(turns, round_robin.experiment.rules())
    for name in ("count_up", "count_down", "better", "decisive", "offerer", "receiver"):
        assert (getattr(whole, name) == getattr(pieces, name)).all()


def test_other_rules_are_judged_by_other_rules(turns: Turns, round_robin: Run) -> None:
    usual = offers(turns, round_robin.experiment.rules())
    odd = offers(turns, make_rules({"cards.codebreaker.wins_at": 1}))
    wanted = turns.agents.index("codebreaker")
    at_stake = (turns.face_up == wanted) ^ (turns.face_down == wanted)
    assert odd.decisive[at_stake].mean() > 0.8  # ties aside, which the active player wins
    assert usual.decisive[at_stake].mean() < 0.5
    same = (turns.face_up != wanted) & (turns.face_down != wanted)
    assert (odd.better[same] == usual.better[same]).all()
