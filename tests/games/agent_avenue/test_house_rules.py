"""Changed rules: whole games replayed by the second engine, and what every key does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from agentsim.games.agent_avenue import kernel
from agentsim.games.agent_avenue.modes import kernel as mode_kernel
from agentsim.games.agent_avenue.rules import Rules, make_rules, settings_of
from tests.games.agent_avenue.helpers import JIT, NAMES, few, policy, session, the_game
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
    mirror = [(policy("random_discards"),) * 2]
    games = the_game().session(make_rules(settings), mirror, 6).play(0, 0, few(1500, 150), "games").tables["games"]
    return [games[column].tolist() for column in ("winner", "end_reason", "tie_rule", "n_turns", "lead", "discards_0")]


EVERYTHING = {"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "both"}


def _new_keys() -> dict[str, tuple[Any, dict[str, Any]]]:
    """The keys of the other modes, in the same form."""
    teams, m = {"rules.players": 4}, {"rules.expansion": "division_m"}
    found: dict[str, tuple[Any, dict[str, Any]]] = {
        "rules.mode": ("advanced", {}), "rules.players": (4, {}), "rules.lone": ("1", {"rules.players": 3}),
        "rules.team_discards": (1, teams), "rules.expansion": ("division_m", {}), "rules.market": ("old", EVERYTHING),
        "rules.ceasefire": (True, EVERYTHING), "rules.m_trap": ("stopping", m), "rules.supply": (1, EVERYTHING),
        "rules.corners": ("1 3 8", EVERYTHING)}
    rules = make_rules(EVERYTHING | {"rules.ceasefire": True})
    for card in rules.cards:
        if card.id not in NAMES:
            found |= {f"cards.{card.id}.{number}": (2, m) for number in ("first", "second", "third", "copies")}
            found |= {f"cards.{card.id}.{number}": (2, m) for number in ("wins_at", "loses_at")}
        many = m | {f"cards.{card.id}.copies": 7, f"cards.{card.id}.wins_at": 0, f"cards.{card.id}.loses_at": 0}
        found |= {f"cards.{card.id}.{symbol}": (4, many) for symbol in ("m_first", "m_second", "m_third")}
    for market in rules.market_cards:
        pile = EVERYTHING | {"rules.ceasefire": True}
        found[f"market.{market.id}.copies"] = (3, pile)
        many = pile | {f"market.{market.id}.copies": 6}
        found |= {f"market.{market.id}.{name}": (1 if value == "home" else value - 1, many)
                  for name, (_, value) in market.numbers.items()}
    return found


def test_every_key_changes_results_without_compiling() -> None:
    # `rules.picks` lets chance pick as `random_discards` does; where cards come from and who made them up is no rule.
    keys = {key.name for key in the_game().rule_keys() if not key.name.endswith(".provenance")}
    keys -= {"rules.cards", "rules.picks"}
    others = OTHER_VALUES | _new_keys()
    assert set(others) == keys
    for play, changes in ((kernel.play_games, OTHER_VALUES), (mode_kernel.play_modes, _new_keys())):
        compiled = -1
        for key, (value, context) in changes.items():
            assert outcome(context | {key: value}) != outcome(context), key
            if JIT and compiled < 0:
                compiled = len(play.nopython_signatures)
        if JIT:
            assert len(play.nopython_signatures) == compiled
