"""What is known of a policy: games seen are counted as a reader of their log would count them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from agentsim import load_policies
from agentsim.games.agent_avenue.playing import make_player
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.session import Session
from agentsim.games.agent_avenue.solver.behaviour import Behaviour
from agentsim.games.agent_avenue.solver.measure import MOST
from agentsim.games.agent_avenue.solver.store import offers_of_table, solution
from agentsim.games.base import get_game
from tests.games.agent_avenue.solver.test_solver import TINY

GAME = get_game("agent_avenue")
GAMES = 400
pytestmark = pytest.mark.usefixtures("tables")


def tiny() -> Rules:
    rules: Rules = GAME.rules(TINY)
    return rules


def watched(parts: int) -> Behaviour:
    greedy, expert = load_policies("greedy,expert")
    rules = tiny()
    behaviour = Behaviour(make_player(greedy, rules), rules, solution(rules), 5)
    session = Session(rules, [(greedy, expert)], 11)
    for first in range(0, GAMES, GAMES // parts):
        _, _, turns, turn_game, _ = session._run(0, first, GAMES // parts, "turns")
        behaviour.watch(turns, turn_game, first)
    return behaviour


def from_the_log() -> tuple[Counter[tuple[int, ...]], Counter[tuple[int, ...]]]:
    """Offers (state, up, down) and answers (state, up, taken) of ``greedy``, from the columns of a log."""
    rules = tiny()
    session = GAME.session(rules, [tuple(load_policies("greedy,expert"))], 11)
    turns = pd.DataFrame(dict(session.play(0, 0, GAMES // 2, "turns").tables["turns"]))
    space, offers, answers = solution(rules).space, Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    for game, rows in turns.groupby("game_id"):
        areas, lead = np.zeros((2, space.n_names), int), 0
        for row in rows.itertuples():
            seat = int(row.active)
            mine, theirs = (int((np.minimum(areas[each], 2) * space.digit).sum()) for each in (seat, 1 - seat))
            from_here = lead if seat == 0 else -lead
            state = ((from_here + space.gap - 1) * space.side + mine) * space.side + theirs
            if seat == int(game) % 2:  # greedy sits second in every other game
                offers[state, int(row.face_up), int(row.face_down)] += 1
            else:
                answers[state, int(row.face_up), int(row.took_face_up)] += 1
            areas[seat, int(row.recruited_active)] += 1
            areas[1 - seat, int(row.recruited_other)] += 1
            lead = int(row.lead_after)
    return offers, answers


@pytest.mark.parametrize("parts", [1, 4])
def test_games_seen_are_counted_as_in_their_log(parts: int) -> None:
    behaviour, told = watched(parts), from_the_log()
    for kind, counts in enumerate(told):
        states = np.flatnonzero(behaviour.place[kind] >= 0)
        assert sorted(behaviour.place[kind, states]) == list(range(len(states)))
        seen = {(int(state), int(a), int(b)): int(behaviour._seen[kind][behaviour.place[kind, state], a, b])
                for state in states for a, b in np.argwhere(behaviour._seen[kind][behaviour.place[kind, state]])}
        assert seen == dict(counts)
        assert behaviour._times_seen[kind].sum() == counts.total() > GAMES


def test_what_was_seen_outweighs_what_was_asked_and_the_table() -> None:
    """Where a state came up often, shares are those of the games; where it never did, the table's."""
    behaviour = watched(1)
    unmet = behaviour.answers.copy()
    offering, answering = np.zeros((2, behaviour.space.n_states), np.uint16)
    for kind, counts in enumerate((offering, answering)):
        states = np.flatnonzero(behaviour.place[kind] >= 0)
        counts[states] = behaviour._times_seen[kind][behaviour.place[kind, states]]
    behaviour.ask(offering, answering)
    assert np.allclose(behaviour.offers.sum(axis=(1, 2)), 1, atol=1e-5)
    # The first turn: seen 200 times, asked 48 times, and the table's play weighs little, as greedy plays otherwise.
    start = (behaviour.space.gap - 1) * behaviour.space.side**2
    row = behaviour.place[0, start]
    seen = behaviour._seen[0][row] / behaviour._times_seen[0][row]
    assert behaviour._times_seen[0][row] >= GAMES // 2  # a card forward and one back lead there again
    table = offers_of_table(solution(tiny()), np.array([start]))[0]
    assert np.abs(table - seen).max() > 0.1
    assert np.abs(behaviour.offers[row] - seen).max() < 0.5 * np.abs(table - seen).max()
    never = answering == 0
    assert np.array_equal(behaviour.answers[never], unmet[never])
    assert not np.array_equal(behaviour.answers[~never], unmet[~never])


def test_a_state_is_counted_so_often_at_most() -> None:
    """Counts are small numbers: a state that comes up more often keeps the shares of its first games."""
    behaviour = watched(1)
    row = behaviour.place[0, (behaviour.space.gap - 1) * behaviour.space.side**2]
    behaviour._times_seen[0][row] = MOST - 1
    before = int(behaviour._seen[0][row].sum())
    session = Session(tiny(), [tuple(load_policies("greedy,expert"))], 12)
    _, _, turns, turn_game, _ = session._run(0, 0, 40, "turns")
    behaviour.watch(turns, turn_game, 0)
    assert behaviour._times_seen[0][row] == MOST
    assert int(behaviour._seen[0][row].sum()) == before + 1
