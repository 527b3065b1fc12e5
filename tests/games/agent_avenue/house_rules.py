"""Rule sets at random, for tests that must hold under any rules that are allowed."""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from agentsim.errors import InputError
from agentsim.games.agent_avenue.rules import Rules, make_rules
from tests.games.agent_avenue.helpers import NAMES, TIE_RULES

small_moves = st.integers(-3, 6)
any_move = st.one_of(small_moves, small_moves, st.integers(-20, 20))


@st.composite
def settings(draw: st.DrawFn) -> dict[str, Any]:
    """Settings that make a playable game, some keys left as published."""
    ring = draw(st.one_of(st.integers(4, 20), st.integers(4, 60)))
    home_0 = draw(st.integers(0, ring - 1))
    home_1 = (home_0 + draw(st.integers(1, ring - 1))) % ring
    found: dict[str, Any] = {
        "rules.hand_size": draw(st.integers(2, 8)), "rules.discards": draw(st.integers(0, 8)), "rules.ring": ring,
        "rules.home_0": home_0, "rules.home_1": home_1, "rules.tie_rule": draw(st.sampled_from(TIE_RULES))}
    for name in draw(st.sets(st.sampled_from(NAMES))):
        found[f"cards.{name}.copies"] = draw(st.integers(0, 15))
    for name in draw(st.sets(st.sampled_from(NAMES))):
        found |= {f"cards.{name}.{which}": draw(any_move) for which in ("first", "second", "third")}
    for name in draw(st.sets(st.sampled_from(NAMES))):
        found[f"cards.{name}.wins_at"] = draw(st.integers(0, 6))
        found[f"cards.{name}.loses_at"] = draw(st.integers(0, 6))
    return found


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    """Rules that are accepted."""
    try:
        return make_rules(draw(settings()))
    except InputError:
        assume(False)
        raise
