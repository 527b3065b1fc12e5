"""Changed rules: whole games replayed by the second engine, and what every key does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agentsim.games.agent_avenue import kernel
from agentsim.games.agent_avenue.rules import Rules, settings_of
from tests.games.agent_avenue.helpers import JIT, NAMES, few, session
from tests.games.agent_avenue.house_rules import rule_sets
from tests.games.agent_avenue.replays import check_batch

POLICIES = ("random_discards", "random", "greedy", "minmax", "planner", "planner(discard_margin=0, offer_noise=0.1)")


@hypothesis_settings(max_examples=40 if JIT else 3)
@given(rule_sets(), st.integers(0, 2**64 - 1))
def test_games_under_any_rules_replay(rules: Rules, seed: int) -> None:
    table = session("random_discards", settings=settings_of(rules), seed=seed)
    check_batch(table, 0, table.play(0, 0, few(300), "full"), 0, few(300))


@hypothesis_settings(max_examples=40 if JIT else 3)
@given(rule_sets(), st.sampled_from(POLICIES), st.sampled_from(POLICIES))
def test_policies_play_legally_under_any_rules(rules: Rules, a: str, b: str) -> None:
    table = session((a, b), settings=settings_of(rules))
    check_batch(table, 0, table.play(0, 0, few(100), "full"), 0, few(100))


@pytest.mark.parametrize("discards", [0, 5, 15])
@pytest.mark.parametrize("hand_size", range(2, 9))
def test_every_hand_size_replays(hand_size: int, discards: int) -> None:
    table = session("random_discards", settings={"rules.hand_size": hand_size, "rules.discards": discards})
    batch = table.play(0, 0, few(300), "full")
    check_batch(table, 0, batch, 0, few(300))
    turns = batch.tables["turns"]
    assert max(sum(turns[f"hand_{name}"] for name in NAMES)) == hand_size
    if JIT:
        assert bool(turns["n_discards"].max() > 0) is (discards > 0)
        assert batch.tables["games"]["discards_0"].max() <= discards


@pytest.mark.slow
@hypothesis_settings(max_examples=250)
@given(rule_sets(), st.integers(0, 2**64 - 1))
def test_many_more_games_under_any_rules_replay(rules: Rules, seed: int) -> None:
    table = session("random_discards", "greedy", settings=settings_of(rules), seed=seed)
    for matchup in (0, 1):
        check_batch(table, matchup, table.play(matchup, 0, few(200), "full"), 0, few(200))


# ---- every key ------------------------------------------------------------------------------------------------------

# Another value, and what has to be so for the key to matter (there is one mole: its 2nd move needs a second copy).
OTHER_VALUES: dict[str, tuple[Any, dict[str, Any]]] = {
    "rules.hand_size": (5, {}), "rules.discards": (1, {}), "rules.ring": (12, {}), "rules.home_0": (2, {}),
    "rules.home_1": (5, {}), "rules.tie_rule": ("draw", {})}
for _name in NAMES:
    _many = {f"cards.{_name}.copies": 7}
    OTHER_VALUES |= {
        f"cards.{_name}.copies": (4, {}), f"cards.{_name}.first": (5, _many), f"cards.{_name}.second": (-5, _many),
        f"cards.{_name}.third": (7, _many), f"cards.{_name}.wins_at": (2, _many),
        f"cards.{_name}.loses_at": (2, _many)}


def outcome(settings: dict[str, Any]) -> list[list[Any]]:
    games = session("random_discards", settings=settings, seed=6).play(0, 0, few(1500, 150), "games").tables["games"]
    return [games[column].tolist() for column in ("winner", "end_reason", "tie_rule", "n_turns", "lead", "discards_0")]


def test_every_key_changes_results_without_compiling() -> None:
    from tests.games.agent_avenue.helpers import the_game

    keys = {key.name for key in the_game().rule_keys()} - {"rules.mode"}  # only one mode exists
    assert set(OTHER_VALUES) == keys
    session("random_discards").play(0, 0, 2, "games")
    compiled = len(kernel.play_games.nopython_signatures) if JIT else 0
    for key, (value, context) in OTHER_VALUES.items():
        assert outcome(context | {key: value}) != outcome(context), key
    if JIT:
        assert len(kernel.play_games.nopython_signatures) == compiled
