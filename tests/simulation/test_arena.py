"""The arena: the same counts whoever asks, in whatever pieces; and the same as a run of the same plan."""

from __future__ import annotations

import numpy as np
import pytest

from agentsim import load_policies, simulate
from agentsim.errors import InputError
from agentsim.games.base import get_game
from agentsim.simulation import Span
from agentsim.simulation.arena import Arena

RULES = get_game("agent_avenue").rules({})
GREEDY, RANDOM, MINMAX = load_policies("greedy,random,minmax")


def _arena(workers: int = 1) -> Arena:
    return Arena(RULES, [(GREEDY, RANDOM), (GREEDY, MINMAX)], seed=7, workers=workers)


def test_pieces_and_workers_do_not_matter() -> None:
    whole = _arena(2).play([Span(0, 0, 9_000), Span(1, 50, 700)])
    arena = _arena()
    parts = [arena.play([Span(1, 350, 400)]), arena.play([Span(0, 3_000, 6_000), Span(0, 0, 3_000)]),
             arena.play([Span(1, 50, 300)])]
    for matchup, tally in whole.items():
        for name, counts in tally.items():
            assert np.array_equal(counts, sum(part[matchup][name] for part in parts if matchup in part)), name


def test_a_run_of_the_same_plan_has_the_same_counts() -> None:
    run = simulate(policies="greedy,random,minmax", games=2_000, seed=7)
    pairs = [tuple(policy.label for policy in pairing) for pairing in run.experiment.pairings()]
    arena = Arena(RULES, run.experiment.pairings(), seed=7)
    for number, pair in enumerate(pairs):
        found = arena.play([Span(number, 0, 2_000 // arena.games_per_deal[number])])[number]
        assert np.array_equal(found["deal_score_a"], run.tallies[number]["deal_score_a"]), pair


def test_other_deals_other_games() -> None:
    arena = _arena()
    first, second = (arena.play([Span(0, start, 2_000)])[0]["deal_score_a"] for start in (0, 2_000))
    assert not np.array_equal(first, second)


def test_win_shares_are_refused() -> None:
    with pytest.raises(InputError, match="win shares"):
        Arena(get_game("argh").rules({}), [], seed=1, game="argh")
