"""The player of the advanced mode: features, fitted values, the game of one turn, refusals, and how it plays."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentsim import simulate
from agentsim.errors import InputError
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.policies.space import mode_scratch_space
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.modes.view import look
from agentsim.games.agent_avenue.rules import COPIES
from agentsim.games.agent_avenue.solver.advanced.descent import blend
from agentsim.games.agent_avenue.solver.advanced.features import FEATURES, MOST, N_FEATURES
from agentsim.games.agent_avenue.solver.advanced.network import UNIT, UNIT_OUT, WIDTH
from agentsim.games.agent_avenue.solver.advanced.player import solve_position
from agentsim.games.agent_avenue.solver.advanced.sample import note_position
from agentsim.games.agent_avenue.solver.advanced.weights import facts_of, fitted_row, read_weights, shipped
from agentsim.games.agent_avenue.solver.states import sets_of
from agentsim.games.agent_avenue.solver.turn_game import SIZE
from agentsim.games.agent_avenue.zones import count
from tests.games.agent_avenue.helpers import JIT, policy, the_game
from tests.games.agent_avenue.modes.test_hidden import exchanged
from tests.games.agent_avenue.modes.walks import walk
from tests.games.agent_avenue.solver.test_solver import exact_turn, type_chances

pytestmark = pytest.mark.skipif(not JIT, reason="reads memory by address, which plain Python does not")

ADVANCED = {"rules.mode": "advanced"}
RULES = the_game().rules(ADVANCED)


def told(state: NDArray[np.int64], table: NDArray[np.int64]) -> tuple[int, set[str]]:
    """The side in front and the features of a position, the hand of that side among them."""
    row = np.zeros(MOST, np.int16)
    front = note_position(state, table, np.uintp(facts_of(RULES).ctypes.data), row, np.zeros(MOST, np.int64))
    return int(front), {FEATURES[feature] for feature in row if feature >= 0}


def positions(games: int, questions: tuple[str, ...]) -> list[ModeState]:
    return [game for seed in range(games) for game in walk(ADVANCED, seed) if game.question in questions]


def worth(features: set[str]) -> float:
    """The winning chance of the side in front, by the shipped weights, counted in floats."""
    weights = shipped().numbers.reshape(N_FEATURES + 2, WIDTH).astype(float)
    sums = weights[[FEATURES.index(name) for name in features]].sum(axis=0) + weights[N_FEATURES]
    odds = sums[-1] / UNIT + (np.maximum(sums, 0) * weights[-1])[:-1].sum() / (UNIT * UNIT_OUT)
    return float(1 / (1 + np.exp(-odds)))


def solved(game: ModeState, steps: int = 22, hard: float = 0.01) -> tuple[Any, ...]:
    row, outcomes, q = fitted_row({}, shipped(), facts_of(game.rules))[None], np.zeros((SIZE, SIZE)), np.zeros(SIZE)
    table = game.table.copy()
    for array in (table, row):  # as the kernels have them, or all is compiled anew
        array.setflags(write=False)
    found = solve_position(look(game.state, game.table), table, row, np.int64(0), mode_scratch_space(), steps, hard,
                           outcomes, q, np.zeros((SIZE, SIZE)))
    return (*found, outcomes)


# --- features ---------------------------------------------------------------------------------------------------------

def test_features_have_names_of_their_own() -> None:
    assert len(set(FEATURES)) == N_FEATURES == len(FEATURES)


def mirrored(game: ModeState) -> NDArray[np.int64]:
    """The same position with the sides exchanged, pawns turned by half of the ring."""
    state = game.state.copy()
    for first, each in ((e.PLAY, 1), (x.HANDS, 2), (x.GONE, 2), (x.SPENT, 2), (x.SHOWN, 2), (x.WENT, 1), (x.OWED, 1),
                        (x.HELD, 1), (x.N_HELD, 1), (x.ORDER, 64), (x.SPACE, 1)):
        state[first:first + each], state[first + each:first + 2 * each] = (
            game.state[first + each:first + 2 * each], game.state[first:first + each])
    state[x.SPACE:x.SPACE + 2] = (state[x.SPACE:x.SPACE + 2] + 7) % 14
    state[e.ACTIVE], state[x.ASKED], state[e.LEAD] = 1 - state[e.ACTIVE], 1 - state[x.ASKED], -state[e.LEAD]
    return state


def test_features_do_not_know_the_seats() -> None:
    found = positions(20, ("play", "market"))
    assert {game.question for game in found} == {"play", "market"}
    for game in found:
        front, features = told(game.state, game.table)
        other, others = told(mirrored(game), game.table)
        assert (other, others) == (1 - front, features)


def test_features_say_what_there_is() -> None:
    for game in positions(10, ("play", "market")):
        front, features = told(game.state, game.table)
        assert front == (game.active if game.question == "play" else 1 - game.active)
        lead = game.lead if front == 0 else -game.lead
        assert f"lead.{max(min(lead, 10), -10)}" in features
        for who, side in (("front", front), ("behind", 1 - front)):
            for number, name in enumerate(RULES.names):
                copies = count(game.state[e.PLAY + side], number)
                assert (f"{who}.agents.{name}.2" in features) == (copies >= 2)
            owes = (game.question == "market" and game.to_move == side) or game.state[x.OWED + side] > 0
            assert (f"{who}.owed" in features) == owes
        supply = {RULES.market_cards[game.table[x.COPY + copy]].id
                  for copy in game.state[x.SUPPLY:x.SUPPLY + game.state[x.N_SUPPLY]]}
        assert {name[7:] for name in features if name.startswith("supply.")} == supply


# --- values -----------------------------------------------------------------------------------------------------------

def test_values_go_the_way_they_must() -> None:
    """Ahead is better than behind, copies towards a winning set good, towards a losing set bad."""
    public = [{name for name in told(game.state, game.table)[1] if not name.startswith("hand")}
              for game in positions(12, ("play",))]
    for features in public:
        rest = {name for name in features if not name.startswith("lead.")}
        by_lead = [worth(rest | {f"lead.{lead}"}) for lead in (-4, 0, 4)]
        assert by_lead[0] < by_lead[1] < by_lead[2]
    for agent, sign in (("codebreaker", 1), ("daredevil", -1)):
        gains = []
        for features in public:
            rest = {name for name in features if f"front.agents.{agent}" not in name}
            gains.append(sign * (worth(rest | {f"front.agents.{agent}.1", f"front.agents.{agent}.2"}) - worth(rest)))
        assert np.mean(gains) > 0.05
        assert np.mean(np.array(gains) > 0) > 0.9


def test_the_player_counts_as_floats_do() -> None:
    """What the next offerer's chances are after a sidekick each, where nothing else happens."""
    game = the_game().new_game(3, ADVANCED)
    assert isinstance(game, ModeState)
    outcomes = solved(game)[-1]
    name = RULES.names.index("enforcer")
    after = game.state.copy()
    after[e.PLAY:e.PLAY + 2] = 1 << 4 * name
    after[x.SPACE:x.SPACE + 2] += 1
    after[e.ACTIVE] = after[x.ASKED] = 1
    after[e.DRAWN] += 2
    features = {name for name in told(after, game.table)[1] if not name.startswith("hand")}
    assert outcomes[name, name] == pytest.approx(1 - worth(features), abs=1e-12)


# --- the game of one turn ---------------------------------------------------------------------------------------------

def test_the_turn_is_solved_as_a_linear_program_does() -> None:
    sets, *_ = sets_of(8, 4)
    found = Random(1).sample(positions(12, ("play", "take")), 8)
    for game in found:
        value, offerer, _, outcomes = solved(game, 800, 1.5e-3)
        left = game.table[COPIES:COPIES + SIZE] - [
            sum(count(game.state[e.PLAY + side], name) for side in (0, 1)) for name in range(SIZE)]
        chances = np.zeros(len(sets))
        type_chances(left, 8, 4, sets, chances, np.zeros(1 << SIZE))
        assert value == pytest.approx(exact_turn(outcomes, sets, chances, SIZE), abs=1e-3)
        assert 0 <= offerer < 1e-3


# --- refusals ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("settings", "problem"), [
    ({}, "only the advanced mode.*solver"), ({**ADVANCED, "rules.players": 4}, "two players"),
    ({**ADVANCED, "rules.expansion": "division_m"}, "no expansion"), ({**ADVANCED, "rules.ring": 16}, "board"),
    ({**ADVANCED, "rules.corners": "1 5 9 12"}, "corners"), ({**ADVANCED, "rules.hand_size": 8}, "hand")])
def test_rules_it_does_not_know_are_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        simulate(policies="solver_advanced,random", games=10, settings=settings)
    assert "\n" not in str(caught.value)


def test_weights_of_other_features_are_refused(tmp_path: Any) -> None:
    path = tmp_path / "other.npz"
    np.savez(path, numbers=shipped().numbers, features=np.array(FEATURES[::-1]), about=np.array("{}"))
    with pytest.raises(InputError, match="other features"):
        read_weights(path)


# --- play -------------------------------------------------------------------------------------------------------------

@pytest.mark.slow  # the kernel of its answers compiles for half a minute
def test_it_is_strong_and_the_same_with_any_workers_and_batches() -> None:
    game = the_game()
    scores = [simulate(policies="solver_advanced,random,greedy,expert", matchups="against:solver_advanced", games=400,
                       seed=5, settings=ADVANCED, workers=workers).summary()["score_a"].tolist() for workers in (1, 2)]
    assert scores[0] == scores[1]
    assert max(scores[0]) < 0.45
    pair = [(policy("solver_advanced"), policy("expert"))]
    session = game.session(RULES, pair, 5)
    whole = session.play(0, 0, 30, "turns").tables["turns"]
    parts = [session.play(0, first, 10, "turns").tables["turns"] for first in (0, 10, 20)]
    for column in ("face_up", "took_face_up", "lead_after"):
        assert np.array_equal(whole[column], np.concatenate([part[column] for part in parts]))


@pytest.mark.slow  # the kernel of its answers compiles for half a minute
def test_it_knows_no_more_than_it_may() -> None:
    """Whatever hidden cards are exchanged, it answers the same; every answer is legal."""
    game, ref, rng = the_game(), policy("solver_advanced"), Random(3)
    asked = set()
    for position in positions(14, ("play", "take", "market", "target", "recruit")):
        answer = game.choose(position, ref, 12345)
        assert answer in position.legal_actions()
        player = None if position.question == "take" else 0
        assert game.choose(exchanged(position, position.to_move, player, rng), ref, 12345) == answer
        asked.add(position.question)
    assert asked >= {"play", "take", "market", "target"}


@pytest.mark.slow  # the kernel of its answers compiles for half a minute
def test_it_plays_other_cards_and_changed_numbers() -> None:
    settings = {**ADVANCED, "rules.hand_size": 5, "rules.ceasefire": True, "cards.mole.copies": 0,
                "cards.sentinel.third": 4, "rules.discards": 2}
    found = simulate(policies="solver_advanced,random", games=200, seed=2, settings=settings).summary()
    assert found["score_a"][0] > 0.6


def test_what_follows_counts_for_what_was_before() -> None:
    """Three positions of a game that the side in front of the last one wins; then one of another game."""
    scores = np.array([0, 1, 1, 0], np.float32)
    sides = np.array([1, 0, 0, 1], np.int8)
    targets = np.zeros(4, np.float32)
    blend(scores, np.array([0.5, 0.6, 0.8, 0.1]), sides, np.array([4, 4, 4, 5]), 0.5, targets)
    assert targets.tolist() == pytest.approx([1 - (0.5 * 0.6 + 0.5 * 0.9), 0.5 * 0.8 + 0.5, 1, 0])


@pytest.mark.slow
def test_fitting_reproduces_from_its_seed_and_learns() -> None:
    from agentsim.games.agent_avenue.playing import make_player
    from agentsim.games.agent_avenue.solver.advanced import fit

    player = make_player(policy("expert"), RULES)
    one, two = (fit.sample(RULES, player.family, player.row, 6000, 3, workers) for workers in (1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    weights = [fit.fit_network(fit.first_weights(1), one, 7, 2) for _ in range(2)]
    assert np.array_equal(*weights)
    fresh = fit.sample(RULES, player.family, player.row, 2000, 4)
    learned, shipped_too = fit.quality(weights[0], fresh, True), fit.quality(
        shipped().numbers.reshape(N_FEATURES + 2, WIDTH) / np.array([UNIT] * (N_FEATURES + 1) + [UNIT_OUT])[:, None]
        .astype(np.float32), fresh, True)
    assert learned["high"] < np.log(2)
    assert shipped_too["high"] < learned["low"] + 0.02
