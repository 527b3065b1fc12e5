"""The solver against exact solutions by linear programs, on rules small enough for them; and its policy at play.

The game that is solved exactly is the solver's own: in every turn the offerer's hand is drawn anew from the cards that
do not lie in the open.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from agentsim import load_policies, simulate
from agentsim.errors import InputError
from agentsim.games.agent_avenue.engine import STATE_SIZE
from agentsim.games.agent_avenue.playing import make_player, padded_rows, user_functions
from agentsim.games.agent_avenue.policies.exchange import SCRATCH_SIZE
from agentsim.games.agent_avenue.policies.planner import work_space
from agentsim.games.agent_avenue.rules import compile_rules
from agentsim.games.agent_avenue.solver import store
from agentsim.games.agent_avenue.solver.backward import fill_outcomes, solve_states
from agentsim.games.agent_avenue.solver.hands import BONUS_AS_KEPT, DRAWN_ANEW, type_chances
from agentsim.games.agent_avenue.solver.measure import measure_answers
from agentsim.games.agent_avenue.solver.states import Space, space_of
from agentsim.games.agent_avenue.solver.turn_game import PAIRS, SIZE, fill_bonus, solve_turn
from agentsim.games.base import get_game

GAME = get_game("agent_avenue")
TINY = {"rules.ring": 4, "rules.home_1": 2, "rules.hand_size": 3, "rules.discards": 0, "cards.double_agent.copies": 0,
        "cards.enforcer.copies": 0, "cards.saboteur.copies": 0, "cards.sentinel.copies": 0, "cards.sidekick.copies": 6,
        "cards.sidekick.first": 1, "cards.sidekick.second": 1, "cards.sidekick.third": 1, "cards.mole.copies": 6,
        "cards.mole.first": -1, "cards.mole.second": -1, "cards.mole.third": -1, "cards.codebreaker.copies": 8,
        "cards.daredevil.copies": 8, "cards.daredevil.first": 1, "cards.daredevil.second": 0}
"""Codebreakers and daredevils, a card forward and one back, on a ring of four."""


def tiny(**changes: Any) -> Any:
    return GAME.rules({**TINY, **changes})


def offers_of(names: int) -> list[tuple[int, int]]:
    """The offers (up, down) that a set of names allows."""
    members = [name for name in range(SIZE) if names >> name & 1]
    return list(permutations(members, 2)) if len(members) > 1 else [(members[0], members[0])]


def exact_turn(outcomes: np.ndarray, sets: np.ndarray, chances: np.ndarray, n: int) -> float:
    """The value of the game of one turn: the receiver minimises the mean over types of the best offer's value."""
    types = [t for t in range(len(sets)) if chances[t] > 0]
    cost = np.concatenate([np.zeros(n), chances[types]])
    rows, bounds = [], []
    for at, t in enumerate(types):
        for up, down in offers_of(int(sets[t])):
            row = np.zeros(n + len(types))
            row[up] = outcomes[down, up] - outcomes[up, down]
            row[n + at] = -1.0
            rows.append(row)
            bounds.append(-outcomes[up, down])
    found = linprog(cost, np.array(rows), bounds, bounds=[(0, 1)] * n + [(None, None)] * len(types))
    assert found.status == 0
    return float(found.fun)


def solved(space: Space, outcomes: np.ndarray, chances: np.ndarray, steps: int, hard: float) -> tuple[float, ...]:
    q = np.zeros(SIZE)
    return tuple(solve_turn(space.n_names, outcomes, np.zeros((SIZE, SIZE)), chances, space.set_start, space.set_pairs,
                            space.pair_of, q, False, steps, hard, np.zeros((SIZE, SIZE)), np.zeros((SIZE, SIZE)),
                            np.zeros(PAIRS), np.zeros(PAIRS)))


def chances_of(space: Space, left: np.ndarray) -> np.ndarray:
    chances = np.zeros(len(space.sets))
    type_chances(left, space.n_names, space.hand, space.sets, chances, np.zeros(1 << SIZE))
    return chances


def test_chances_of_types_are_those_of_hands() -> None:
    """Against a count of drawn hands, and exactly for one that can be counted by hand."""
    space = space_of(GAME.rules({}))
    left = space.copies - np.array([1, 0, 2, 0, 0, 3, 0, 1])
    chances = chances_of(space, left)
    assert chances.sum() == pytest.approx(1)
    deck = np.repeat(np.arange(8), left)
    rng = np.random.default_rng(1)
    seen = np.zeros(len(space.sets))
    place = {int(names): at for at, names in enumerate(space.sets)}
    for _ in range(20_000):
        seen[place[sum(1 << name for name in set(rng.permutation(deck)[:4].tolist()))]] += 1
    assert np.abs(seen / 20_000 - chances).max() < 5 * np.sqrt(0.05 / 20_000)
    only = chances_of(space, np.array([1, 1, 1, 1, 0, 0, 0, 0]))
    assert only[place[0b1111]] == pytest.approx(1)


def test_the_game_of_one_turn_is_solved() -> None:
    space = space_of(GAME.rules({}))
    rng = np.random.default_rng(2)
    for _ in range(25):
        outcomes = rng.uniform(size=(SIZE, SIZE))
        chances = chances_of(space, np.maximum(space.copies - rng.integers(0, 4, SIZE), 0))
        exact = exact_turn(outcomes, space.sets, chances, SIZE)
        value, offerer, receiver = solved(space, outcomes, chances, 800, 1.5e-3)
        assert value == pytest.approx(exact, abs=1e-3)
        assert 0 <= offerer < 1e-3
        assert -1e-9 <= receiver < 5e-3
        # As the table is built: the temperature costs the offerer some thousandths, and the gaps say so.
        value, offerer, receiver = solved(space, outcomes, chances, 22, 0.01)
        assert value - receiver - 1e-9 <= exact <= value + offerer + 1e-9


def test_all_states_of_tiny_rules_are_solved() -> None:
    """Every state's value within 1e-3 of the linear program's, with successors by linear programs as well."""
    rules = tiny()
    space = space_of(rules)
    values, _, _ = solve_states(space, steps=(400, 400, 400, 400, 400, 400), hard=1.5e-3, as_played=False)
    exact = values.astype(np.float64).copy()
    outcomes = np.zeros((SIZE, SIZE))
    for _ in range(2):  # from the table on: what exact successors still change
        new = exact.copy()
        for state in range(0, space.n_states, 3):
            index, both = divmod(state, space.side**2)
            mine, theirs = divmod(both, space.side)
            left = space.copies.copy()
            for name in range(space.n_names):
                if space.digit[name]:
                    left[name] -= mine // space.digit[name] % 3 + theirs // space.digit[name] % 3
            fill_outcomes(index - space.gap + 1, mine, theirs, space.n_names, space.digit, space.moves, space.wins,
                          space.loses, space.gap, space.side, space.tie, exact, outcomes)
            new[state] = exact_turn(outcomes, space.sets, chances_of(space, left), space.n_names)
        assert np.abs(new - exact)[::3].max() < 1e-3
        exact = new


def test_the_table_is_the_same_whatever_the_workers() -> None:
    space = space_of(tiny())
    one, two = solve_states(space, workers=1), solve_states(space, workers=2)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    other = solve_states(space_of(tiny(**{"cards.daredevil.first": 2})))
    assert not np.array_equal(one[0], other[0])


@pytest.mark.parametrize(("settings", "problem"), [
    ({"rules.mode": "advanced"}, "base game of two players"), ({"rules.players": 4}, "base game of two players"),
    ({"rules.home_1": 5}, "opposite"), ({"cards.codebreaker.wins_at": 4}, "set of 4"),
    ({"rules.hand_size": 8}, "hand")])
def test_rules_it_does_not_know_are_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        space_of(GAME.rules(settings))


def test_it_plays_tiny_rules_well_and_the_same_with_any_workers(
        tables: None, capfd: pytest.CaptureFixture[str]) -> None:
    settings = {**TINY, "rules.discards": 2}
    runs = [simulate(policies="solver,random,greedy,expert", matchups="against:solver", games=4_000, seed=11,
                     settings=settings, workers=workers) for workers in (1, 2)]
    assert "building its table" in capfd.readouterr().err
    scores = list(runs[0].summary()["score_a"])
    assert list(runs[1].summary()["score_a"]) == scores
    assert max(scores) < 0.5
    assert scores[0] < 0.4
    simulate(policies="solver", games=10, settings=settings)
    assert capfd.readouterr().err == ""


def test_some_pairs_alone_are_solved_anew() -> None:
    space = space_of(tiny())
    values, answers, _ = solve_states(space)
    start = values, np.zeros_like(answers)
    pairs = np.zeros(space.side**2, bool)
    pairs[[0, 4]] = True
    again, given, gaps = solve_states(space, steps=(22,), pairs=pairs, start=start)
    here = np.tile(pairs, space.n_leads)
    assert (again[~here] == values[~here]).all()
    assert not given[~here].any()
    assert not gaps[~here].any()
    assert again[here] == pytest.approx(values[here], abs=2e-3)
    assert given[here].any()
    assert not start[1].any(), "what it starts from stays"


def test_it_is_named_but_not_among_all() -> None:
    assert "solver" in {ref.label for ref in GAME.policies()}
    assert "solver" not in {ref.label for ref in GAME.policies(GAME.rules({}))}
    assert load_policies("solver(naive=0.3)")[0].params["naive"] == 0.3
    with pytest.raises(InputError, match="base game of two players"):
        simulate(policies="solver,random", games=10, settings={"rules.mode": "advanced"})


@pytest.mark.parametrize("known", [DRAWN_ANEW, BONUS_AS_KEPT])
def test_the_bonus_of_a_hand_is_what_its_formula_says(known: np.ndarray) -> None:
    """By plain arithmetic over cards, one by one; nothing where nothing is at stake."""
    rng = np.random.default_rng(4)
    outcomes, left, bonus = rng.uniform(size=(SIZE, SIZE)), rng.integers(0, 4, SIZE) + 1, np.zeros((SIZE, SIZE))
    fill_bonus(SIZE, outcomes, left, known, bonus)
    for up in range(SIZE):
        change = [outcomes[up, d] - outcomes[d, up] for d in range(SIZE) for _ in range(left[d] - (d == up))]
        for d in range(SIZE):
            distance = abs(outcomes[up, d] - outcomes[d, up] - np.mean(change))
            assert bonus[up, d] == pytest.approx(known[0] * np.std(change) + known[1] * distance)
    fill_bonus(SIZE, np.full((SIZE, SIZE), 0.3), left, known, bonus)
    assert not bonus.any()


def softened(space: Space, outcomes: np.ndarray, bonus: np.ndarray, chances: np.ndarray, answers: np.ndarray) -> float:
    """What the answers let the offerer expect at a temperature of 0.01."""
    mixed = answers[:, None]
    weights = np.exp((mixed * outcomes.T + (1 - mixed) * outcomes - 4 * mixed * (1 - mixed) * bonus) / 0.01)
    return float(sum(chance * 0.01 * np.log(sum(weights[offer] for offer in offers_of(int(names))))
                     for names, chance in zip(space.sets, chances, strict=True) if chance > 0))


def test_with_a_bonus_the_answers_are_still_the_best() -> None:
    """The minimum of a convex function: no answer to any card does better, moved to either side."""
    space = space_of(GAME.rules({}))
    rng = np.random.default_rng(6)
    for _ in range(5):
        outcomes, bonus = rng.uniform(size=(SIZE, SIZE)), np.zeros((SIZE, SIZE))
        left = np.maximum(space.copies - rng.integers(0, 4, SIZE), 0)
        fill_bonus(SIZE, outcomes, left, DRAWN_ANEW, bonus)
        chances, q = chances_of(space, left), np.zeros(SIZE)
        arrays = np.zeros((2, SIZE, SIZE)), np.zeros((2, PAIRS))
        solve_turn(SIZE, outcomes, bonus, chances, space.set_start, space.set_pairs, space.pair_of, q, False, 400, 0.01,
                   *arrays[0], *arrays[1])

        best = softened(space, outcomes, bonus, chances, q)
        for up in range(SIZE):
            for step in (-0.05, 0.05):
                moved = q.copy()
                moved[up] = min(1.0, max(0.0, q[up] + step))
                assert softened(space, outcomes, bonus, chances, moved) >= best - 1e-7


@pytest.mark.slow  # a kernel of its own
def test_a_hand_decides_which_answers_but_not_how_many(tables: None) -> None:
    """Over random hands the solver takes as often as its table says, in a hundred states and for every card."""
    rules = tiny(**{"rules.discards": 2})
    found = store.solution(rules)
    player = make_player(load_policies("solver(sure=1)")[0], rules)
    space, states, hands = found.space, np.arange(0, found.space.n_states, 7), 400
    taken = np.zeros((len(states), SIZE))
    functions = user_functions([player])
    assert functions is not None
    measure_answers(states, np.full(len(states), hands), np.uint64(5), player.family, functions[1],
                    compile_rules(rules), padded_rows([player]), space.digit, space.gap, space.side, taken,
                    np.zeros(STATE_SIZE, np.int64), np.zeros(SCRATCH_SIZE, np.int64), work_space())
    can = taken >= 0
    wanted = (found.answers[states] / 255)[can]
    misses = (taken[can] / hands - wanted) / np.sqrt(np.maximum(wanted * (1 - wanted), 0.01) / hands)
    assert can.sum() > 100
    assert ((wanted > 0.1) & (wanted < 0.9)).sum() > 30
    assert abs(misses.mean()) < 5 / np.sqrt(can.sum()) + 0.2
    assert np.abs(misses).max() < 6


@pytest.mark.parametrize("words", ["offer_tau=0.2", "take_tau=0.2, sure=0", "own_hand=0", "naive=1", "table_answers=1",
                                   "margin=1", "reserve=0.1", "sure=1"])
def test_every_parameter_changes_what_it_plays(tables: None, words: str) -> None:
    rules = tiny(**{"rules.discards": 2})
    usual = "solver(sure=0)" if "sure=0" in words else "solver"
    games = [GAME.session(rules, [tuple(load_policies(f"{name},random"))], 3).play(0, 0, 400, "games").tables["games"]
             for name in (usual, f"solver({words})")]
    assert any(not np.array_equal(games[0][column], games[1][column]) for column in ("n_turns", "lead", "discards_0"))
