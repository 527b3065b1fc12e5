"""What hands are thought to hold: against counts and formulas written separately, and against derivatives by steps."""

from __future__ import annotations

import io
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentsim import load_policies
from agentsim.errors import InputError
from agentsim.games.agent_avenue.engine import STATE_SIZE
from agentsim.games.agent_avenue.kernel import T_ACTIVE, T_DOWN, T_TOOK_UP, T_TURN, T_UP, T_WON
from agentsim.games.agent_avenue.playing import make_player
from agentsim.games.agent_avenue.rules import compile_rules
from agentsim.games.agent_avenue.session import Session
from agentsim.games.agent_avenue.solver import fit_hands, kept, kept_descent
from agentsim.games.agent_avenue.solver import hand_sample as s
from agentsim.games.agent_avenue.solver.fit_hands import sample
from agentsim.games.agent_avenue.solver.hands import (
    BONUS_AS_KEPT,
    DRAWN_ANEW,
    FEATURES,
    MOST_CARDS,
    N_WEIGHTS,
    NARROW,
    OUTPUTS,
    WIDTH,
    draw_kept,
    hand_chances,
    kept_ways,
    type_chances,
)
from agentsim.games.agent_avenue.solver.opened import facts_of
from agentsim.games.agent_avenue.solver.parameters import solver_row
from agentsim.games.agent_avenue.solver.states import Space, space_of
from agentsim.games.base import get_game
from tests.games.agent_avenue.solver.test_solver import tiny

GAME = get_game("agent_avenue")
SPACE = space_of(GAME.rules({}))
LEFT = SPACE.copies - np.array([1, 0, 2, 0, 1, 2, 0, 1])
MINE, THEIRS, LEAD = int(SPACE.digit[0] + SPACE.digit[2]), int(SPACE.digit[2] + SPACE.digit[4] + 2 * SPACE.digit[5]), 9


def some_weights(seed: int, size: float = 0.3) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.0, size, N_WEIGHTS)


def read_by_hand(weights: np.ndarray, width: int, outputs: int) -> np.ndarray:
    """What a network says of the public state above, by whole matrices."""
    first, weights = weights[:FEATURES * width].reshape(FEATURES, width), weights[FEATURES * width:]
    bias, second = weights[:width], weights[width:width * (outputs + 1)].reshape(width, outputs)
    inputs = np.zeros(FEATURES)
    for row, name in enumerate(np.flatnonzero(SPACE.digit)):
        digit = int(SPACE.digit[name])
        inputs[9 * row + 3 * (MINE // digit % 3) + THEIRS // digit % 3] = 1.0
    inputs[54 + LEAD] = 1.0
    assert inputs.sum() == 7
    return np.maximum(inputs @ first + bias, 0.0) @ second + weights[width * (outputs + 1):]


def chances_with(weights: np.ndarray) -> np.ndarray:
    chances = np.zeros(len(SPACE.sets))
    hand_chances(weights, LEAD, MINE, THEIRS, LEFT, 8, SPACE.digit, 4, SPACE.sets, chances, np.zeros(256))
    return chances


def test_without_weights_hands_are_drawn_anew() -> None:
    anew = np.zeros(len(SPACE.sets))
    type_chances(LEFT, 8, 4, SPACE.sets, anew, np.zeros(256))
    assert (chances_with(DRAWN_ANEW) == anew).all()
    assert chances_with(kept.known(np.zeros(N_WEIGHTS))) == pytest.approx(anew, abs=1e-15)


def test_types_are_weighed_by_the_terms_of_all_their_sets() -> None:
    weights = some_weights(1, 0.1)
    terms = read_by_hand(weights[:(FEATURES + 1) * WIDTH + (WIDTH + 1) * OUTPUTS], WIDTH, OUTPUTS)
    told = chances_with(DRAWN_ANEW)
    for at, names in enumerate(SPACE.sets):
        told[at] *= np.exp(sum(terms[k] for k, other in enumerate(SPACE.sets) if names & other == other))
    assert chances_with(kept.known(weights)) == pytest.approx(told / told.sum(), rel=1e-9)


def exact_hands(weights: np.ndarray, size: int) -> dict[tuple[int, ...], float]:
    """Fisher's noncentral distribution of a receiver's hand, by listing all hands."""
    odds = np.exp(read_by_hand(weights[-((FEATURES + 1) * NARROW + (NARROW + 1) * 8):], NARROW, 8))
    found = {cards: float(np.prod([comb(int(n), k) * each**k for n, k, each in zip(LEFT, cards, odds, strict=True)]))
             for cards in product(range(size + 1), repeat=8) if sum(cards) == size}
    total = sum(found.values())
    return {cards: chance / total for cards, chance in found.items()}


@pytest.mark.parametrize("size", [4, 2])
def test_receivers_hands_are_drawn_by_their_weights(size: int) -> None:
    weights, draws = some_weights(2), 60_000
    told, ways = exact_hands(weights, size), np.zeros((8, MOST_CARDS + 1, MOST_CARDS + 1))
    kept_ways(kept.known(weights), LEAD, MINE, THEIRS, LEFT, -1, 8, SPACE.digit, size, ways)
    seen: dict[tuple[int, ...], int] = {}
    for key in range(draws):
        cards = np.zeros(8, np.int64)
        draw_kept(ways, 8, size, np.uint64(key), 8, cards)
        assert cards.sum() == size
        assert (cards <= LEFT).all()
        seen[tuple(cards)] = seen.get(tuple(cards), 0) + 1
    often = {cards for cards, chance in told.items() if chance * draws >= 10}
    square = sum((seen.get(cards, 0) - told[cards] * draws) ** 2 / (told[cards] * draws) for cards in often)
    # Chi-square: mean and variance are n and 2 n.
    assert abs(square - len(often)) < 5 * np.sqrt(2 * len(often))


def test_a_hand_of_all_that_is_left() -> None:
    left, ways, cards = np.array([0, 2, 0, 0, 1, 0, 0, 1]), np.zeros((8, 7, 7)), np.zeros(8, np.int64)
    kept_ways(kept.known(some_weights(3)), LEAD, MINE, THEIRS, left, -1, 8, SPACE.digit, 4, ways)
    for key in range(20):
        draw_kept(ways, 8, 4, np.uint64(key), 0, cards)
        assert (cards == left).all()


def test_derivatives_are_what_small_steps_give() -> None:
    random = np.random.default_rng(4)
    states = np.array([0, 1, 700 * 729 + 5, 3 * 729 * 729 + 4 * 729 + 20])[random.integers(0, 4, 300)]
    hands = np.zeros(300, np.int64)
    for _ in range(4):
        hands += 1 << 4 * random.integers(0, 6, 300)
    ones = np.ones(300, np.float32)
    for data in (kept_descent.offerers_of(SPACE, states, hands, ones),
                 kept_descent.receivers_of(SPACE, states, random.integers(0, 6, 300), hands, ones)):
        rows = np.arange(len(data.states))
        shares, at = np.ones(len(rows), np.float32), random.normal(0, 0.3, (len(rows), data.outputs)).astype(np.float32)
        slope, _ = data.slope(rows, shares, at)
        for row, term in zip(random.integers(0, len(rows), 12), random.integers(0, 8, 12), strict=True):
            more, less = at.copy(), at.copy()
            more[row, term] += 0.05
            less[row, term] -= 0.05
            found = (data.slope(rows, shares, more)[1] - data.slope(rows, shares, less)[1]) / 0.1
            assert slope[row, term] == pytest.approx(found, rel=0.01, abs=0.02)


def test_fitting_finds_what_was_planted() -> None:
    """Receivers of two states that hold three times the sentinels, and offerers without enforcers."""
    random, planted = np.random.default_rng(5), np.array([0, 0, 0, 0, 0, np.log(3.0), 0, 0])
    states = random.choice([729 * 729 * 6, 729 * 729 * 6 + 730], 4000)
    weights = np.zeros(N_WEIGHTS)
    weights[-8:] = planted
    ways, hands = np.zeros((8, 7, 7)), np.zeros(4000, np.int64)
    for at, state in enumerate(states):
        left = SPACE.copies - (np.array([2, 0, 0, 0, 0, 0, 0, 0]) if state % 729 else 0)
        cards = np.zeros(8, np.int64)
        # An enforcer lies up.
        kept_ways(kept.known(weights), 6, int(state // 729 % 729), int(state % 729), left, 1, 8, SPACE.digit, 4, ways)
        draw_kept(ways, 8, 4, np.uint64(at), 0, cards)
        hands[at] = (cards << 4 * np.arange(8)).sum()
    ones = np.ones(4000, np.float32)
    receivers = kept_descent.receivers_of(SPACE, states, np.ones(4000, np.int64), hands, ones)
    network = kept_descent.Network(NARROW, 8, 1)
    before = kept_descent.loss_of(None, receivers)
    kept_descent.fit(network, receivers, 1, 150, 3e-3)
    _, found = network.forward(kept_descent.features_of(receivers.states, SPACE))
    assert kept_descent.loss_of(network, receivers) < before - 0.2
    # Only differences count: as many cards are held whatever is added to all.
    assert found[:, 5] - found[:, :5].mean(axis=1) == pytest.approx(np.log(3.0), abs=0.15)
    without = np.array([0x1111, 0x10111, 0x100101])[random.integers(0, 3, 4000)] & ~0xF0 | (1 << 20)
    offerers = kept_descent.offerers_of(SPACE, states, without + 0x1000000 * (np.array(
        [bin(int(hand)).count("1") for hand in without]) < 4), ones)
    types = kept_descent.Network(WIDTH, OUTPUTS, 1)
    kept_descent.fit(types, offerers, 1, 60, 3e-3)
    assert kept_descent.loss_of(types, offerers) < kept_descent.loss_of(None, offerers) - 1.0


@pytest.mark.slow
def test_fitting_reproduces_from_its_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    """The whole command on a table that is made up: the same file with any number of threads, and no other rules."""
    def made_up(space: Space, *, kept: np.ndarray, pairs: np.ndarray | None = None, **_: object) -> tuple[Any, ...]:
        solved.append((len(kept), None if pairs is None else int(pairs.sum())))
        leads = np.arange(space.n_leads) - space.gap + 1
        return (np.repeat(1 / (1 + np.exp(-0.3 * leads)), space.side**2).astype(np.float32),
                np.full((space.n_states, 8), 128, np.uint8), None)

    solved: list[tuple[int, int | None]] = []
    monkeypatch.setattr(fit_hands, "solve_states", made_up)
    files = []
    for workers in ("1", "2"):
        files.append(tmp_path / workers)
        assert fit_hands.main(["--out", str(files[-1]), "--games", "3000", "--last", "4000", "--rounds", "2",
                               "--passes", "1", "--workers", workers]) == 0
    one, two = (kept.read_kept(file) for file in files)
    assert (one.numbers == two.numbers).all()
    assert one.rules == kept.shipped().rules
    assert one.about["offerers"]["kept"] < one.about["offerers"]["drawn_anew"]
    assert one.about["rounds"] == 2
    assert [size for size, _ in solved] == [2, N_WEIGHTS + 2] * 2
    assert solved[0][1] is None
    assert solved[1][1]
    assert capsys.readouterr().out.count("round 2") == 2


@pytest.mark.slow
def test_kept_hands_reach_the_player() -> None:
    """Weights of 0 play as none, but that a hand decides alone only beyond twice ``sure``; the shipped ones do not."""
    rules = GAME.rules({})
    leads = np.arange(SPACE.n_leads) - SPACE.gap + 1
    values = np.repeat(1 / (1 + np.exp(-0.3 * leads)), SPACE.side**2).astype(np.float32)
    answers = np.full((SPACE.n_states, 8), 128, np.uint8)

    def turns(known: np.ndarray, sure: float) -> np.ndarray:
        facts = facts_of(SPACE, known)
        return sample(rules, solver_row({"sure": sure}, values, answers, facts), 100, 5).turns

    none, zeros = BONUS_AS_KEPT, kept.known(np.zeros(N_WEIGHTS))
    assert np.array_equal(turns(none, 0.06), turns(zeros, 0.03))
    assert not np.array_equal(turns(none, 0.03), turns(zeros, 0.03))
    assert not np.array_equal(turns(kept.kept_of(SPACE), 0.03), turns(zeros, 0.03))


@pytest.mark.slow  # half a minute of compiling
@pytest.mark.usefixtures("tables")
def test_sampled_turns_are_those_of_a_run() -> None:
    """The same games as any run of the solver with itself plays, and no other whatever the threads."""
    rules = tiny(**{"rules.discards": 2})
    policy, = load_policies("solver(margin=0)")
    row = make_player(policy, rules).row
    found = sample(rules, row, 300, 21, workers=2)
    _, _, turns, turn_game, hands = Session(rules, [(policy, policy)], 21)._run(0, 0, 300, "turns")
    ours = found.turns[:, [s.S_TURN, s.S_ACTIVE, s.S_UP, s.S_DOWN, s.S_TOOK_UP, s.S_WON]]
    assert (ours == turns[:, [T_TURN, T_ACTIVE, T_UP, T_DOWN, T_TOOK_UP, T_WON]]).all()
    assert (found.hands[:, 0] == hands).all()
    assert (found.held_out == (turn_game % 20 == 0)).all()
    # Who answers holds what it then offers from, unless it discards first.
    space, same = space_of(rules), 0
    for at in np.flatnonzero(turn_game[1:] == turn_game[:-1])[:400]:
        if turns[at + 1, 2] == 0:
            assert found.hands[at, 1] == hands[at + 1]
            same += 1
    assert same > 50
    assert (found.turns[:, s.S_STATE][turns[:, T_TURN] == 0] == (space.gap - 1) * space.side**2).all()
    table = compile_rules(rules)
    few = s.sample_hands(np.uint64(21), 0, 300, table, row, np.zeros((60, s.WIDTH), np.int32),
                         np.zeros((60, 2), np.int64), np.zeros(60, np.int64), np.zeros(STATE_SIZE, np.int64))
    assert 0 < few[0] < 300
    assert few[1] <= 60


def test_the_shipped_weights_hold_for_the_rules_of_the_box_alone() -> None:
    assert (kept.kept_of(SPACE) == np.concatenate([BONUS_AS_KEPT, kept.shipped().numbers])).all()
    assert kept.kept_of(space_of(tiny())) is DRAWN_ANEW
    assert kept.kept_of(space_of(GAME.rules({"cards.enforcer.copies": 7}))) is DRAWN_ANEW
    about = kept.shipped().about
    for who in ("offerers", "receivers"):
        assert about[who]["kept"] < about[who]["drawn_anew"]


def test_a_file_keeps_weights_and_refuses_others(tmp_path: Path) -> None:
    weights = some_weights(6)
    kept.write_kept(tmp_path / "kept.npz", weights, SPACE, {"seed": 6})
    found = kept.read_kept(tmp_path / "kept.npz")
    assert (found.numbers == kept.rounded(weights)).all()
    assert found.about == {"seed": 6}
    assert found.rules == kept.shipped().rules
    short = io.BytesIO()
    np.savez(short, numbers=np.zeros(9, np.float16), rules=np.array(""), about=np.array("{}"))
    (tmp_path / "short.npz").write_bytes(short.getvalue())
    with pytest.raises(InputError, match="another size"):
        kept.read_kept(tmp_path / "short.npz")
