"""Runs of every mode: one content however made, blocks of four, stories, and base runs that stay what they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agentsim
from agentsim.errors import InputError
from agentsim.experiment import build_experiment
from agentsim.games.agent_avenue.policies.parameters import PLANNER_PARAMETERS
from agentsim.games.agent_avenue.rules import Rules, settings_of
from agentsim.runs import open_run
from agentsim.simulation import extend, simulate
from agentsim.summary import summarise
from tests.games.agent_avenue.helpers import few, the_game
from tests.games.agent_avenue.modes.logs import MODES

ALONE = {"rules.players": 3, "rules.mode": "advanced"}
POLICIES = ["random", "random_discards"]


def experiment(games: int, settings: dict[str, Any], log: Any = "full") -> Any:
    return build_experiment(POLICIES, games=games, seed=99, log=log, settings=settings, matchups="round_robin")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["advanced one against two", "all of it in teams"])
def test_the_content_depends_on_the_plan_alone(mode: str, tmp_path: Path) -> None:
    plan = experiment(few(2000, 80), MODES[mode])
    simulate(plan, out=tmp_path / "whole", workers=1)
    whole = open_run(tmp_path / "whole")
    assert whole.digest() == whole.digest(recompute=True)
    assert {"games", "turns", "market"} == set(whole.rows) - {"matchups"}
    for number, options in enumerate(({"workers": 2}, {"workers": 2, "batch_games": 36}, {"batch_games": 1})):
        if few(3, 2) > number:
            simulate(plan, out=tmp_path / f"run{number}", **options)
            assert open_run(tmp_path / f"run{number}").digest() == whole.digest()
    simulate(experiment(few(800, 24), MODES[mode]), out=tmp_path / "longer", workers=2)
    extend(tmp_path / "longer", plan.games, workers=2)
    assert open_run(tmp_path / "longer").digest() == whole.digest()


def test_a_run_of_one_against_two_is_made_of_blocks_of_four(tmp_path: Path) -> None:
    simulate(experiment(few(400, 40), ALONE), out=tmp_path / "run", workers=2)
    run = open_run(tmp_path / "run")
    assert run.matchups.games_per_deal.tolist() == [2, 4, 2]
    assert run.matchups.n_deals.tolist() == [run.matchups.n_games[0] // 2, run.matchups.n_games[1] // 4,
                                             run.matchups.n_games[2] // 2]
    blocks = run.sql("""SELECT matchup_id, deal_id, count(*) AS n, count(DISTINCT (policy_0::TEXT, lone_seat)) AS parts
                        FROM games GROUP BY ALL""")
    assert (blocks.n == blocks.parts).all()
    assert set(zip(blocks.matchup_id, blocks.n, strict=True)) == {(0, 2), (1, 4), (2, 2)}
    cards = run.sql("""SELECT count(DISTINCT (supply_0, supply_1, supply_2)) AS n FROM market
                       JOIN games USING (game_id) WHERE turn = 0 AND seq = 0 GROUP BY matchup_id, deal_id""")
    assert (cards.n == 1).all()  # the market of a deal lies there in each of its games
    results = summarise(run.experiment, run.tallies())
    assert [result.n_games for result in results] == run.matchups.n_games.tolist()
    assert [result.n_deals for result in results] == run.matchups.n_deals.tolist()
    games = run.table("games")
    mine = games[games.matchup_id == 1]
    score = np.where(mine.winner.isna(), 0.5, mine.winner == np.where(mine.policy_0 == "random", 0, 1))
    assert results[1].score_a.estimate == pytest.approx(score.mean())
    by_deal = np.asarray(score, dtype=float).reshape(-1, 4).mean(axis=1)
    assert results[1].score_a.high - results[1].score_a.low < 8 * by_deal.std() / np.sqrt(len(by_deal)) + 0.2
    assert set(results[1].ends) == set(run.experiment.rules().end_reasons)


@pytest.mark.parametrize(("games", "near"), [(1, "4"), (1002, "1000 or 1004")])
def test_games_are_a_multiple_of_four_with_one_against_two(games: int, near: str) -> None:
    with pytest.raises(InputError) as error:
        build_experiment(POLICIES, games=games, settings={"rules.players": 3})
    assert str(error.value) == f"games: must be a multiple of 4: each deal is played 4 times; nearest: {near}"
    assert build_experiment(["random"], games=1002, settings={"rules.players": 3}).games == 1002
    with pytest.raises(InputError, match="must be even"):
        build_experiment(["random"], games=1001, settings={"rules.players": 3})
    assert build_experiment(POLICIES, games=1002, settings={"rules.players": 3, "rules.lone": "0"}).games == 1002


@pytest.mark.parametrize("mode", MODES)
def test_stories_tell_what_the_log_tells(mode: str, tmp_path: Path) -> None:
    simulate(experiment(24, MODES[mode]), out=tmp_path / "run", workers=1)
    run = open_run(tmp_path / "run")
    rules, pairings = run.experiment.rules(), run.experiment.pairings()
    labels = {card.id: card.name() for card in (*rules.cards, *rules.market_cards)}
    turns, games = run.table("turns"), run.table("games").set_index("game_id")
    market = run.table("market") if rules.advanced else None
    for game_id in range(0, len(games), 5):
        index, matchup = divmod(game_id, len(pairings))
        story = the_game().story(rules, pairings, run.experiment.seed, matchup, index)
        lines = story.splitlines()
        row = games.loc[game_id]
        assert lines[0].startswith(f"Game {game_id} (")
        assert f"{row.policy_0} starts against {row.policy_1}." in lines[0]
        assert ("is one player against a team of two" in lines[0]) is (rules.players == 3)
        if rules.players == 3:
            assert f"Seat {row.lone_seat} is one player" in lines[0]
        assert lines[-1].startswith(f"After {row.n_turns} turns ")
        assert ("by the tie rule" in lines[-1]) is bool(row.tie_rule)
        assert f"seat {row.winner} " in lines[-1]
        took = [line for line in lines if " takes the " in line]
        logged = turns[turns.game_id == game_id].sort_values("turn")
        assert len(took) == len(logged) == row.n_turns
        for line, one in zip(took, logged.itertuples(), strict=True):
            assert f"seat {1 - one.active} " in line
            assert f": {labels[one.recruited_other]}, its " in line
            assert f" gets {labels[one.recruited_active]}, its " in line
            for move in (one.move_active, one.move_other):
                assert (f"moves {move:+d}" if move else "does not move") in line
        if market is not None:
            picked = [line for line in lines if " picks " in line]
            events = market[market.game_id == game_id].sort_values(["turn", "seq"])
            assert len(picked) == len(events)
            for line, event in zip(picked, events.itertuples(), strict=True):
                assert f"seat {event.seat} " in line
                assert f" picks {labels[event.taken]} from " in line
            assert sum(line.startswith("      It ") for line in lines) == len(events)


def test_the_public_interface_plays_a_mode() -> None:
    result = agentsim.simulate(policies=["random"], games=few(4000, 40), settings={"rules.players": 4}, workers=1)
    frame = result.summary()
    assert frame.n_games.tolist() == [few(4000, 40)]
    game = agentsim.new_game(3, {"rules.mode": "advanced"})
    assert game.question == "play"
    assert len(game.supply) == 3


# ---- base runs ----------------------------------------------------------------------------------------------------


def test_base_runs_have_the_digests_they_always_had(tmp_path: Path) -> None:
    """Noted before there were any modes: the same plan, the same rows, the same run."""
    plan = build_experiment(POLICIES, games=20, seed=99, log="full")
    assert plan.plan_digest() == "7e55c8a4478be11e9d98995fab90f7193540f06ba9c73d49f99a1cbd022d0d17"
    simulate(plan, out=tmp_path / "run", workers=1)
    assert open_run(tmp_path / "run").digest() == "9d413b7859d7cc43592060198cabf979"
    other = build_experiment(["expert", "greedy"], games=20, seed=99, log="full", settings={"rules.hand_size": 5})
    assert other.plan_digest() == "38d552c76bd8bb1988a9fbd9145615cce17de982820f4ac8b13ea52b46537455"


def test_a_plan_is_another_one_as_soon_as_a_later_key_is_changed() -> None:
    plan = build_experiment(POLICIES, games=20).plan_digest()
    for settings in ({"rules.players": 4}, {"rules.mode": "advanced"}, {"rules.supply": 4}, {"rules.lone": "1"},
                     {"rules.expansion": "division_m"}, {"rules.m_trap": "stopping"}):
        assert build_experiment(POLICIES, games=20, settings=settings).plan_digest() != plan
    value = {parameter.name: 1 if parameter.whole else 0.25 for parameter in PLANNER_PARAMETERS}
    later = [name.partition(".")[2] for name in the_game().additions() if name.startswith("planner.")]
    changed = {build_experiment(["planner", f"planner({name}={value[name]})"], games=20).plan_digest()
               for name in later}
    assert len(changed) == len(later)


def test_additions_are_what_the_base_game_has_anyway() -> None:
    settings = settings_of(Rules())
    keys = {key: value for key, value in the_game().additions().items() if not key.startswith("planner.")}
    assert {"rules.players", "rules.market", "rules.supply"} <= set(keys)
    assert keys.items() <= settings.items()


def test_old_base_runs_can_be_opened_and_extended(tmp_path: Path) -> None:
    """A manifest written before there were modes knows none of their keys."""
    simulate(build_experiment(POLICIES, games=20, seed=99, log="full"), out=tmp_path / "run", workers=1)
    manifest = tmp_path / "run" / "manifest.json"
    data = json.loads(manifest.read_text(encoding="utf-8"))
    later = [key for key in the_game().additions() if not key.startswith("planner.")]
    for part in (data["experiment"]["settings"], data["rules"], data["cards"]):
        for key in later:
            part.pop(key, None)
    assert len(data["experiment"]["settings"]) == 55
    manifest.write_text(json.dumps(data), encoding="utf-8")
    assert open_run(tmp_path / "run").digest() == "9d413b7859d7cc43592060198cabf979"
    extend(tmp_path / "run", 40, workers=1)
    simulate(build_experiment(POLICIES, games=40, seed=99, log="full"), out=tmp_path / "new", workers=1)
    assert open_run(tmp_path / "run").digest() == open_run(tmp_path / "new").digest()
    assert open_run(tmp_path / "run").digest(recompute=True) == open_run(tmp_path / "new").digest()
