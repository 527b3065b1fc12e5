"""Whatever the rules and cards: the frame plays, logs, steps and retells them, and shows nobody too much."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agentsim.games.agent_avenue.modes.replay import Counts, play_one, play_rows
from agentsim.games.agent_avenue.modes.session import ModeSession
from agentsim.games.agent_avenue.modes.tables import turn_columns
from agentsim.games.agent_avenue.rules import Rules
from tests.games.agent_avenue.helpers import JIT, policy, the_game
from tests.games.agent_avenue.house_cards import mode_rules
from tests.games.agent_avenue.modes.test_hidden import exchanged
from tests.games.agent_avenue.modes.walks import observers

EXAMPLES = hypothesis_settings(max_examples=40 if JIT else 12)
any_mode = mode_rules().filter(lambda rules: not rules.plain)


def made(rules: Rules, seed: int) -> ModeSession:
    session = the_game().session(rules, [(policy("random"), policy("random_discards"))], seed)
    assert isinstance(session, ModeSession)
    return session


@EXAMPLES
@given(any_mode, st.integers(0, 2**64 - 1), st.integers(0, 10**9))
def test_kernel_and_steps_agree(rules: Rules, seed: int, deal: int) -> None:
    session = made(rules, seed)
    per_deal, again = session.games_per_deal(0), Counts.of_nothing(rules)
    counts = session._new_counts()
    kernel = [rows.copy() for rows in session._run(0, deal * per_deal, 2 * per_deal, "full", counts)]
    steps = play_rows(session.seed, 0, deal * per_deal, 2 * per_deal, per_deal, rules, session._players(0), again)
    for at in (0, 1, 2, 3, 5, 6):
        np.testing.assert_array_equal(kernel[at], steps[at])
    columns = [turn_columns(rules, "full", rows[3], rows[0][rows[3], 8], rows[2], rows[4]) for rows in (kernel, steps)]
    for name, values in columns[0].items():
        np.testing.assert_array_equal(values, columns[1][name], err_msg=name)
    np.testing.assert_array_equal(counts.games, again.games)
    np.testing.assert_array_equal(counts.cards, again.cards)


@EXAMPLES
@given(any_mode, st.integers(0, 10**6))
def test_logs_hold_what_their_tables_say(rules: Rules, seed: int) -> None:
    session = made(rules, seed)
    batch = session.play(0, 0, 3, "full")
    tables = {table.name: table.columns for table in the_game().tables(rules, "full")}
    assert {name: list(columns) for name, columns in batch.tables.items()} == {
        name: [column.name for column in columns] for name, columns in tables.items()}
    for name, columns in tables.items():
        lengths = {len(values) for values in batch.tables[name].values()}
        assert len(lengths) == 1
        for column in columns:
            values = batch.tables[name][column.name]
            least = int(values.min(initial=0))
            if column.kind == "enum" and column.categories:
                assert int(values.max(initial=0)) < len(column.categories)
            if column.kind != "int" or column.nullable:
                assert least >= (-1 if column.nullable else 0), column.name
    assert batch.tally["end_reason"].sum() == batch.n_games == 3 * session.games_per_deal(0)
    other = the_game().rules(the_game().rules_as_dict(rules))
    assert other == rules
    for name, columns in made(other, seed).play(0, 0, 3, "full").tables.items():
        for column, values in columns.items():
            np.testing.assert_array_equal(values, batch.tables[name][column])


@EXAMPLES
@given(any_mode, st.integers(0, 10**6), st.builds(Random, st.integers(0, 2**32)))
def test_observations_hold_nothing_that_is_hidden(rules: Rules, seed: int, rng: Random) -> None:
    session = made(rules, seed)
    for game, _ in play_one(seed, 0, 0, session.games_per_deal(0), rules, session._players(0)):
        for seat, player in observers(game):
            assert exchanged(game, seat, player, rng).observe(seat, player) == game.observe(seat, player)


@EXAMPLES
@given(any_mode, st.integers(0, 10**6))
def test_every_game_has_a_story(rules: Rules, seed: int) -> None:
    pair = (policy("random"), policy("random_discards"))
    story = the_game().story(rules, [pair], seed, 0, 1)
    n_turns = int(made(rules, seed).play(0, 0, 1, "games").tables["games"]["n_turns"][1])
    assert story.count(" takes the ") == n_turns
    assert story.splitlines()[-1].startswith(f"After {n_turns} turns ")
