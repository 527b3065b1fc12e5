"""Thousands of games of every mode replayed by the second engine; a hundred thousand of each with ``make oracle``."""

from __future__ import annotations

from collections import Counter

import pytest

from agentsim.games.agent_avenue.rules import make_rules
from tests.games.agent_avenue.helpers import few
from tests.games.agent_avenue.modes.logs import MODES, check_modes, mode_session

TOGETHER = 500
"""Deals in one batch: a full log of them is held in memory."""


def replay(mode: str, games: int, seed: int) -> tuple[Counter[str], int]:
    """Play and replay at least that many games of ``random_discards``; ends, and the fewest times a card was taken.

    Ends also counts ``chain 0`` and ``chain 1``: landings of a side that followed another of its own in the same turn.
    """
    session = mode_session(MODES[mode], "random_discards", seed=seed)
    seen: Counter[str] = Counter()
    taken = None
    deals = -(-games // session.games_per_deal(0))
    for first in range(0, deals, TOGETHER):
        n = min(TOGETHER, deals - first)
        batch = session.play(0, first, n, "full")
        seen += check_modes(session, 0, batch, first, n)
        if session.rules.advanced:
            market = batch.tables["market"]
            again = (market["game_id"][1:] == market["game_id"][:-1]) & (market["turn"][1:] == market["turn"][:-1])
            again &= market["seat"][1:] == market["seat"][:-1]
            seen.update({f"chain {seat}": int((again & (market["seat"][1:] == seat)).sum()) for seat in (0, 1)})
            taken = batch.tally["taken"] if taken is None else taken + batch.tally["taken"]
    return seen, 0 if taken is None else int(taken.sum(axis=1).min())


@pytest.mark.parametrize("mode", MODES)
def test_five_thousand_games_of_each_mode(mode: str) -> None:
    seen, taken = replay(mode, few(5000, 3), 31)
    if few(2, 0):
        reasons = make_rules(MODES[mode]).end_reasons
        assert {"catch", "codebreakers", "daredevils"} <= set(seen) <= {*reasons, "chain 0", "chain 1"}
        if "rules.mode" in MODES[mode]:
            assert taken >= 250
            assert min(seen["chain 0"], seen["chain 1"]) >= 20


@pytest.mark.oracle
@pytest.mark.parametrize("mode", MODES)
def test_a_hundred_thousand_games_of_each_mode(mode: str) -> None:
    seen, taken = replay(mode, 100_000, 32)
    assert set(seen) >= set(make_rules(MODES[mode]).end_reasons) - {"out_of_cards", "division_m"}
    if "rules.mode" in MODES[mode]:
        assert taken >= 1000
        assert min(seen["chain 0"], seen["chain 1"]) >= 500
