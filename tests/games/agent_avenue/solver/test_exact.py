"""The solver against the real game: hands that players keep and remember, a deck that is not put back.

Other tests compare it with linear programs of its own game, in which hands are drawn anew. Here whole games are solved
(``tests/oracle/exact_tree.py``, ``exact_solve.py``): a tiny one, for which hands matter little, to 1e-3; and a
middle-sized one, for which docs/solver.md states what the approximation costs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentsim import load_policies, simulate
from agentsim.games.agent_avenue.playing import make_player
from agentsim.games.agent_avenue.rules import compile_rules
from agentsim.games.agent_avenue.solver.backward import solve_states
from agentsim.games.agent_avenue.solver.states import space_of
from agentsim.games.agent_avenue.solver.store import solution
from agentsim.games.agent_avenue.view import View
from agentsim.games.base import get_game
from tests.games.agent_avenue.solver.asked import plan_of, shares
from tests.oracle.exact_solve import Plan, best_response, score, solve, uniform
from tests.oracle.exact_tree import Tree, grow

GAME = get_game("agent_avenue")
BASE = {"rules.ring": 4, "rules.home_1": 2, "rules.discards": 0}
RANKS: dict[str, Any] = {**BASE, "rules.hand_size": 2, "cards.mole.copies": 0}
"""Seven agents of which the higher one catches: only two equal cards let the game go on. The middle one is rare."""
for _at, _name in enumerate(("double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel",
                             "sidekick")):
    RANKS |= {f"cards.{_name}.{word}": 2 * _at - 6 for word in ("first", "second", "third")}
    RANKS |= {f"cards.{_name}.{word}": 0 for word in ("wins_at", "loses_at")}
    RANKS[f"cards.{_name}.copies"] = 3 if _at == 3 else 15
MIDDLE: dict[str, Any] = {**BASE, "rules.hand_size": 3}
"""Three agents of the box, eight copies each."""
for _name in GAME.rules({}).names:
    MIDDLE[f"cards.{_name}.copies"] = 8 if _name in ("codebreaker", "daredevil", "double_agent") else 0


@dataclass(frozen=True)
class Cost:
    """What the approximation costs: winning chances of the first player, and of who answers the solver best.

    ``low``, ``high``: what the game's value lies between; ``table``: what the solver's table says of it; ``self_play``:
    of the policy against itself; ``responses``: of best responses to it, seat 0 and seat 1.
    """

    low: float
    high: float
    table: float
    self_play: float
    responses: tuple[float, float]


def cost(settings: dict[str, Any], turns: int, iterations: int = 100) -> Cost:
    """What the approximation costs under these rules; games of more than so many turns count as lost, and as won."""
    rules = GAME.rules(settings)
    trees = [grow(rules, turns=turns, cut=cut) for cut in (0.0, 1.0)]
    found = [solve(tree, iterations) for tree in trees]
    table = solution(rules, progress=lambda _: None)
    plans: tuple[Plan, Plan] = tuple(plan_of(trees[0], rules, load_policies("solver")[0], seat)  # type: ignore[assignment]
                                     for seat in range(2))
    return Cost(min(each.low for each in found), max(each.high for each in found),
                float(table.values[(table.space.gap - 1) * table.space.side**2]),
                sum(score(tree, plans) for tree in trees) / 2,
                tuple(max(best_response(tree, seat, plans[1 - seat]) for tree in trees)  # type: ignore[arg-type]
                      for seat in range(2)))


def root_value(rules: Any) -> float:
    """The first player's winning chance by the solver's own game, at a temperature that costs next to nothing.

    Without what was fitted to games by the shipped rules.
    """
    space = space_of(rules)
    values, _, _ = solve_states(space, steps=(400,) * 4, hard=1.5e-3, as_played=False)
    return float(values[(space.gap - 1) * space.side**2])


def test_the_chances_of_all_deals_add_up() -> None:
    """Over all that the players can hold, what lies in the open has the chance of its being drawn in that order."""
    tree = grow(GAME.rules(MIDDLE), turns=2)
    for level in tree.levels:
        orders = tree.first[[level.their_hands.index(hand) for hand in level.their_hands]]
        for e, o in zip(*level.made, strict=True):
            open_ = level.mine[e] + level.theirs[e] + np.bincount(tree.offers[o], minlength=3)
            drawn = int(open_.sum())
            exact = prod(8 - before for has in open_ for before in range(has)) / prod(range(24, 24 - drawn, -1))
            assert level.chance[level.pool[e, o]].sum(axis=0) @ orders == pytest.approx(exact)


@pytest.fixture(scope="module")
def ranks() -> tuple[Any, Tree]:
    rules = GAME.rules(RANKS)
    return rules, grow(rules, turns=4)


def chance_to_go_on(rules: Any, turns: int) -> float:
    """At most with this chance both offers and hands of two are of one name so often in a row."""
    copies = [card.copies for card in rules.cards]
    pair = sum(has * (has - 1) for has in copies) / (rules.n_cards * (rules.n_cards - 1))
    return float(pair * 1.1)**turns


def test_the_value_of_a_tiny_game_is_exact_to_a_thousandth(ranks: tuple[Any, Tree]) -> None:
    rules, tree = ranks
    found = solve(tree, 60)
    cut = chance_to_go_on(rules, 4) / 2
    assert found.high - found.low < 4e-4
    assert cut < 4e-4
    value = root_value(rules)
    assert abs(value - found.low) + cut < 1e-3
    assert abs(value - found.high) + cut < 1e-3
    # Somebody who answers at random, or offers so, gets less by much more than that.
    assert best_response(tree, 0, uniform(tree, 1)) > found.high + 0.05
    assert best_response(tree, 1, uniform(tree, 0)) > 1 - found.low + 0.05


def test_under_random_play_the_tree_is_the_game() -> None:
    for settings in (RANKS, MIDDLE):
        # A coin decides who gets which card, so nobody is ahead; unless a tie rule is.
        tree = grow(GAME.rules({**settings, "rules.tie_rule": "draw"}), turns=4)
        assert score(tree, (uniform(tree, 0), uniform(tree, 1))) == pytest.approx(0.5, abs=1e-12)
    # With four copies each the deck is used up, and cards run out.
    small = {**MIDDLE, **{key: 4 for key, value in MIDDLE.items() if value == 8}, "rules.tie_rule": "passive"}
    tree = grow(GAME.rules(small))
    exact = score(tree, (uniform(tree, 0), uniform(tree, 1)))
    row = simulate(policies="random", games=100_000, seed=3, settings=small, workers=1).summary().iloc[0]
    assert row["score_seat0_low"] < exact < row["score_seat0_high"]
    assert row["score_seat0_high"] < 0.5 - (0.5 - exact) / 4


@pytest.mark.slow
def test_what_the_approximation_costs_is_as_stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than docs/solver.md says; and self-play in the tree beside simulated games."""
    monkeypatch.setenv("AGENTSIM_SOLVER", str(tmp_path))
    found = cost(MIDDLE, turns=5)
    assert found.high - found.low < 2e-3
    assert found.responses[0] > found.low
    assert found.responses[1] > 1 - found.high
    assert sum(found.responses) / 2 < 0.5 + 0.02
    assert abs(found.table - found.high) < 0.065
    row = simulate(policies="solver", games=100_000, seed=3, settings=MIDDLE, workers=1).summary().iloc[0]
    # Answers are asked for a limited number of times: some thousandths.
    assert row["score_seat0_low"] - 3e-3 < found.self_play < row["score_seat0_high"] + 3e-3
    assert 1 - found.responses[1] < found.self_play < found.responses[0]


def test_offers_are_asked_for_with_their_chances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a few keys, as often as it says so with many."""
    monkeypatch.setenv("AGENTSIM_SOLVER", str(tmp_path))
    rules = GAME.rules(MIDDLE)
    player, table = make_player(load_policies("solver(offer_tau=0.2)")[0], rules), compile_rules(rules)
    mixed = 0
    keys = np.random.default_rng(5).integers(0, 2**63, 2_000, np.uint64)
    for held in (0x111, 0x012, 0x021, 0x102, 0x201, 0x003):
        view = View(held, 0, 0, 0, 0, 2, 2, 0, 0, 18, 3, 0, 0, -1)
        said = Counter(int(player.offer(view, table, player.row, key)) for key in keys)
        exact = shares(lambda key, view=view: int(player.offer(view, table, player.row, key)))  # type: ignore[misc]
        assert sum(exact.values()) == pytest.approx(1)
        for answer in said | exact:
            assert said[answer] / len(keys) == pytest.approx(exact.get(answer, 0), abs=4.5 * 0.5 / 2_000**0.5)
        mixed += max(exact.values()) < 0.9
    assert mixed >= 3
