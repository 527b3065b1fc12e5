"""What every game must do: parametrised over all that are registered, so a new game is held to it by being there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.experiment import Experiment, build_experiment
from agentsim.games.base import SHARE_PARTS, Game, ScoredByShares, get_game, list_games
from agentsim.runs import Run, open_run
from agentsim.simulation import extend, resume, simulate
from agentsim.standings import standings
from agentsim.stats.clustered import bounded_mean

SEED = 7


@dataclass(frozen=True)
class Case:
    """A game under some rules with the matchups to be played: a full table of policies, then one among others."""

    game: str
    settings: tuple[tuple[str, Any], ...] = ()
    policies: tuple[str, ...] = ("random", "expert")
    deals: int = 24

    @property
    def it(self) -> Game:
        return get_game(self.game)

    @property
    def rules(self) -> Any:
        return self.it.rules(dict(self.settings))

    def experiment(self, part: int = 1, seed: int = SEED, log: Any = "full") -> Experiment:
        """An experiment of at least ``deals / part`` deals of each matchup."""
        plan = build_experiment(self.policies, game=self.game, settings=dict(self.settings), seed=seed, log=log,
                                name="conformance", matchups=self.matchups())
        # Whole deals of every matchup: the number that the largest block asks for, whatever the others do.
        return plan.with_games(int(np.lcm.reduce(plan.games_per_deal())) * (self.deals // part))

    def matchups(self) -> list[tuple[str, ...]]:
        first, second = self.policies[:2]
        seats = self.it.seats(self.rules)
        mixed = (first, second, *(self.policies[index % len(self.policies)] for index in range(2, seats)))
        listed = [mixed, (second,) * seats] + ([(first, *(second,) * (seats - 1))] if seats > 2 else [])
        return list(dict.fromkeys(listed))


CASES = (
    Case("agent_avenue", policies=("random_discards", "expert"), deals=200),
    Case("argh", policies=("random", "expert")),
    Case("argh", (("rules.players", 4), ("rules.promos", True)), ("random", "expert", "thief")),
    Case("shady_agents", (("rules.players", 4),), ("random", "expert", "naive"), deals=8),
    Case("shady_agents", (("rules.players", 5),), ("random", "bayes"), deals=6),
)
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(
    [case.game, *(str(value) for _, value in case.settings)]))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[Case, Run]:
    """The logged run of each case, played once."""
    folder = tmp_path_factory.mktemp("runs")
    found = {}
    for number, case in enumerate(CASES):
        simulate(case.experiment(), out=folder / str(number), workers=1)
        found[case] = open_run(folder / str(number))
    return found


def random_walk(game: Game, case: Case, deal: int) -> list[tuple[Any, Any]]:
    """Positions of a game of arbitrary legal actions with the action taken in each, the last one with None."""
    rng = Random(deal)
    position = game.new_game(SEED, dict(case.settings), deal=deal)
    course = []
    while not position.is_over:
        action = rng.choice(position.legal_actions())
        course.append((position, action))
        position = position.apply(action)
    return [*course, (position, None)]


def test_every_registered_game_is_tested() -> None:
    # Other tests of the frame may have registered a toy.
    assert {case.game for case in CASES} == set(list_games()) - {"dice_race"}


# ---- what it says of itself --------------------------------------------------------------------------------------

@each_case
def test_rules_and_policies_are_complete(case: Case) -> None:
    game, rules = case.it, case.rules
    settings = game.rules_as_dict(rules)
    assert game.rules(settings) == rules
    defaults = game.rules_as_dict(game.rules({}))
    documented = {key.name: key.default for key in game.rule_keys()}
    assert set(defaults) <= set(documented)
    assert all(documented[name] == value for name, value in defaults.items())
    assert all(key.doc and key.allowed for key in game.rule_keys())
    labels = [policy.label for policy in game.policies()]
    assert labels[0] == "random"
    assert len(set(labels)) == len(labels)
    for policy in game.policies():
        assert policy.idea
        assert game.policy(policy.label) == policy
        assert set(policy.params) == {parameter.name for parameter in game.parameters(policy)}
        assert all(parameter.low <= policy.params[parameter.name] <= parameter.high and parameter.doc
                   for parameter in game.parameters(policy))
    facts = game.facts()
    assert facts.players
    assert facts.modes
    assert facts.decisions
    assert set(facts.levels) <= set(labels)
    experiment = case.experiment()
    again = Experiment.from_dict(experiment.as_dict())
    assert again == experiment
    assert again.plan_digest() == experiment.plan_digest()


@each_case
def test_bad_input_is_told_in_one_line(case: Case) -> None:
    game = case.it
    for settings in ({"rules.playerz": 3}, {"rules.players": 99}, {"rules.players": "many"}):
        with pytest.raises(InputError) as caught:
            game.rules(settings)
        assert "\n" not in str(caught.value)
        assert next(iter(settings)) in str(caught.value)
    for spec in ("expart", "expert(nonsense=1)", "expert(", "expert(noise)"):
        with pytest.raises(InputError) as caught:
            game.policy(spec)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="deal"):
        game.new_game(1, {}, deal=-1)


@each_case
def test_what_is_logged_is_what_was_announced(case: Case, runs: dict[Case, Run]) -> None:
    run, game = runs[case], case.it
    assert [table.name for table in run.tables] == [table.name for table in game.tables(case.rules, "full")]
    assert not game.tables(case.rules, "none")
    for table in run.tables:
        frame = run.table(table.name)
        assert list(frame) == [column.name for column in table.columns]
        for column in table.columns:
            assert column.doc
            assert column.nullable or not frame[column.name].isna().any()
            if column.kind == "share":
                parts = SHARE_PARTS * frame[column.name].dropna().to_numpy(float)
                assert ((parts >= 0) & (parts <= SHARE_PARTS) & (parts == np.rint(parts))).all()
    games = run.table("games")
    assert sorted(games["game_id"]) == list(range(run.experiment.total_games))


# ---- addresses, blocks -------------------------------------------------------------------------------------------

@each_case
def test_a_game_depends_on_its_address_alone(case: Case, runs: dict[Case, Run], tmp_path: Path) -> None:
    whole = runs[case].digest()
    assert runs[case].digest(recompute=True) == whole
    simulate(case.experiment(), out=tmp_path / "threads", workers=3, batch_games=37)
    assert open_run(tmp_path / "threads").digest() == whole
    simulate(case.experiment(seed=SEED + 1), out=tmp_path / "seed", workers=1)
    assert open_run(tmp_path / "seed").digest() != whole
    # What is logged changes nothing of what is played.
    quiet = simulate(case.experiment(log="none"), workers=2)
    for mine, theirs in zip(quiet.tallies, runs[case].tallies(), strict=True):
        assert mine.keys() == theirs.keys()
        assert all((mine[name] == theirs[name]).all() for name in mine)


def test_processes_play_the_same(runs: dict[Case, Run], tmp_path: Path) -> None:
    # Once, with the newest game: what workers import is the same for all.
    case = CASES[-1]
    simulate(case.experiment(), out=tmp_path / "run", workers=2, backend="loky")
    assert open_run(tmp_path / "run").digest() == runs[case].digest()


@each_case
def test_a_run_is_extended_and_mended(case: Case, runs: dict[Case, Run], tmp_path: Path) -> None:
    path, whole = tmp_path / "run", case.experiment()
    simulate(case.experiment(part=2), out=path, workers=1)
    extend(path, whole.games, workers=2)
    assert open_run(path).digest() == runs[case].digest()
    sorted((path / "games").iterdir())[0].unlink()
    assert resume(path, workers=1).n_games > 0
    assert open_run(path).digest() == runs[case].digest()


@each_case
def test_every_policy_of_a_deal_sits_in_every_seat(case: Case, runs: dict[Case, Run]) -> None:
    run = runs[case]
    games, seats = run.table("games"), case.it.seats(case.rules)
    for number, pairing in enumerate(run.experiment.pairings()):
        per_deal = run.experiment.games_per_deal()[number]
        mine = games[games["matchup_id"] == number]
        assert (mine.groupby("deal_id").size() == per_deal).all()
        labels = [policy.label for policy in pairing]
        for label in set(labels):
            for seat in range(seats):
                often = (mine[f"policy_{seat}"] == label).groupby(mine["deal_id"]).sum()
                assert (often * seats == labels.count(label) * per_deal).all(), (label, seat)


# ---- one set of rules --------------------------------------------------------------------------------------------

@each_case
def test_a_logged_game_replays_step_by_step_to_the_same_result(case: Case, runs: dict[Case, Run]) -> None:
    run, game = runs[case], case.it
    experiment, rules = run.experiment, case.rules
    games = run.table("games").set_index("game_id")
    pairings, seats, matchups = experiment.pairings(), game.seats(rules), len(experiment.matchups)
    blocks = experiment.games_per_deal()
    for number in sorted({0, 1, 2, *Random(1).sample(range(len(games)), 40)}):
        index, matchup = divmod(number, matchups)
        course, row = game.course(rules, pairings, experiment.seed, matchup, index), games.loc[number]
        for position, action in course[:-1]:
            assert not position.is_over
            assert action in position.legal_actions()
            seat = position.to_move
            seen = position.observe(seat)
            assert list(seen.legal) == position.legal_actions()
        end, last = course[-1]
        assert last is None
        assert end.is_over
        assert not end.legal_actions()
        assert end.end_reason == row["end_reason"]
        if isinstance(game, ScoredByShares):
            assert [round(SHARE_PARTS * share) for share in end.shares] == [
                round(SHARE_PARTS * row[f"share_{seat}"]) for seat in range(seats)]
        else:
            assert end.winner == (None if np.isnan(float(row["winner"])) else row["winner"])
        if index % blocks[matchup] == 0:
            start = game.new_game(experiment.seed, dict(case.settings), deal=index // blocks[matchup])
            assert str(start) == str(course[0][0])
        story = game.story(rules, pairings, experiment.seed, matchup, index)
        assert story.count("\n") > 3
        assert all(policy.label in story for policy in pairings[matchup])


@each_case
def test_positions_can_be_kept_and_illegal_actions_are_refused(case: Case) -> None:
    game = case.it
    for deal in range(5):
        course = random_walk(game, case, deal)
        shown = [str(position) for position, _ in course]
        again = course[0][0]
        for (_, action), text in zip(course, shown, strict=True):
            assert str(again) == text
            again = again if action is None else again.apply(action)
        for position, _ in course[:-1]:
            legal = position.legal_actions()
            assert len(set(map(str, legal))) == len(legal)
            for _, other in course[:-1]:
                if other not in legal:
                    with pytest.raises(ValueError, match="not legal here"):
                        position.apply(other)
        with pytest.raises(ValueError, match="not legal here"):
            course[-1][0].apply(course[0][1])


@each_case
def test_policies_know_no_more_than_their_observation(case: Case) -> None:
    game = case.it
    policies = [game.policy(name) for name in case.policies]
    met: dict[str, list[Any]] = defaultdict(list)
    for deal in range(150):
        position = game.new_game(SEED, dict(case.settings), deal=deal)
        for step in range(3):
            met[f"{position.to_move} {position.observe(position.to_move)}"].append(position)
            legal = position.legal_actions()
            position = position.apply(legal[min(step, len(legal) - 1)])
    alike = [positions[:12] for positions in met.values() if len(positions) > 1]
    assert sum(map(len, alike)) > 20, "too few positions look the same"
    assert any(hidden_differs(positions) for positions in alike)
    for positions in alike:
        for policy in policies:
            for key in (1, 2**40 + 17):
                assert len({game.choose(position, policy, key) for position in positions}) == 1


def hidden_differs(positions: Sequence[Any]) -> bool:
    """Whether positions that look the same to the player to move are not the same."""
    return len({position.state.tobytes() for position in positions}) > 1


# ---- counters ----------------------------------------------------------------------------------------------------

@each_case
def test_counters_and_results_are_what_the_log_says(case: Case, runs: dict[Case, Run]) -> None:
    run, game = runs[case], case.it
    games = run.table("games")
    for number, tally in enumerate(run.tallies()):
        mine = games[games["matchup_id"] == number]
        reasons = mine["end_reason"].value_counts()
        assert tally["end_reason"].tolist() == [reasons.get(name, 0) for name in mine["end_reason"].cat.categories]
    if not isinstance(game, ScoredByShares):
        return
    groups, seats = game.groups(case.rules), game.seats(case.rules)
    for result in standings(run.experiment, run.tallies()):
        mine = games[games["matchup_id"] == result.matchup_id]
        shares = mine[[f"share_{seat}" for seat in range(seats)]].to_numpy()
        assert [party.score.estimate for party in result.seats] == pytest.approx(shares.mean(axis=0).tolist())
        labels = np.stack([mine[f"policy_{seat}"].astype(str) for seat in range(seats)], axis=1)
        for party in result.scores:
            assert party.score.estimate == pytest.approx(shares[labels == party.name].mean())
            assert party.score.low <= party.score.estimate <= party.score.high
            if party.n_seats < seats:
                rest = shares[labels != party.name].mean()
                assert party.lead.estimate == pytest.approx(party.score.estimate - rest)
            # The variance between deals, deal by deal from the log.
            by_deal = np.where(labels == party.name, shares, 0).sum(axis=1) / party.n_seats
            deals = np.array([by_deal[mine["deal_id"] == deal].mean() for deal in sorted(set(mine["deal_id"]))])
            score = bounded_mean(deals.mean(), deals.var(), len(deals), games=len(mine), level=party.score.level)
            assert score.as_dict() == pytest.approx(party.score.as_dict())
        assert set(result.groups) == set(groups)
        assert sum(share.estimate for share in result.ends.values()) == pytest.approx(1)
