"""Logs of every mode, played again by the second engine: each column of each table is worked out anew and compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from agentsim.games.agent_avenue.modes.session import ModeSession
from agentsim.games.agent_avenue.rules import make_rules
from agentsim.games.base import Batch
from tests.games.agent_avenue.helpers import policy, the_game
from tests.games.agent_avenue.modes.lockstep import oracle_rules, piles
from tests.games.agent_avenue.replays import decks, decode
from tests.oracle.mode_logs import final_columns, market_columns, replay_mode, turn_columns

ADVANCED: dict[str, Any] = {"rules.mode": "advanced"}
DIVISION_M: dict[str, Any] = {"rules.expansion": "division_m"}
MODES: dict[str, dict[str, Any]] = {
    "advanced": {**ADVANCED, "rules.ceasefire": True},
    "division m": DIVISION_M,
    "advanced with division m": {**ADVANCED, **DIVISION_M, "rules.market": "both"},
    "two against two": {"rules.players": 4},
    "one against two": {"rules.players": 3},
    "one against two, lone side 1": {"rules.players": 3, "rules.lone": "1", "rules.discards": 5},
    "advanced teams": {**ADVANCED, "rules.players": 4, "rules.team_discards": 3},
    "advanced one against two": {**ADVANCED, "rules.players": 3},
    "all of it in teams": {**ADVANCED, **DIVISION_M, "rules.players": 4, "rules.market": "both"},
    "all of it, one against two": {**ADVANCED, **DIVISION_M, "rules.players": 3, "rules.market": "new"},
}
"""Rules by mode: every combination of Black Market, Division M and kind of sides."""


def mode_session(settings: Mapping[str, Any], *matchups: tuple[str, str] | str, seed: int = 1) -> ModeSession:
    """A session of matchups; a single spec is the mirror of that policy."""
    rules = make_rules(settings)
    pairs = [(m, m) if isinstance(m, str) else m for m in matchups]
    session = the_game().session(rules, [(policy(a), policy(b)) for a, b in pairs], seed)
    assert isinstance(session, ModeSession)
    return session


def rows_of(session: ModeSession, batch: Batch, table: str) -> list[dict[str, Any]]:
    """The decoded rows of a table; its columns are exactly the documented ones, in their order."""
    columns = {t.name: t.columns for t in the_game().tables(session.rules, "full")}[table]
    assert list(batch.tables[table]) == [column.name for column in columns]
    decoded = [decode(column, batch.tables[table][column.name], session.labels) for column in columns]
    return [dict(zip((column.name for column in columns), row, strict=True)) for row in zip(*decoded, strict=True)]


def by_game(rows: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    """Rows by ``game_id``, which is taken out."""
    found: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row.pop("game_id"), []).append(row)
    return found


def check_modes(session: ModeSession, matchup: int, batch: Batch, first_deal: int, n_deals: int) -> Counter[str]:
    """Replay a full log; assert that the second engine comes to the same rows. Returns the end reasons."""
    rules, per_deal = session.rules, session.games_per_deal(matchup)
    games = rows_of(session, batch, "games")
    turns = by_game(rows_of(session, batch, "turns"))
    market = by_game(rows_of(session, batch, "market")) if rules.advanced else {}
    assert set(market) <= {row["game_id"] for row in games} == set(turns)
    agents = np.array(rules.names, dtype=object)
    orders = agents[decks(int(session.seed), first_deal, n_deals, {c.id: c.copies for c in rules.cards})].tolist()
    cards = np.array([card.id for card in rules.market_cards], dtype=object)
    heaps = (cards[np.array(rules.pile)][piles(int(session.seed), first_deal, n_deals, len(rules.pile))].tolist()
             if rules.advanced else [[]] * n_deals)
    a, b = (ref.label for ref in session.matchups[matchup])
    reasons: Counter[str] = Counter()
    for number, row in enumerate(games):
        index = first_deal * per_deal + number
        address = {"game_id": index * len(session.matchups) + matchup, "matchup_id": matchup,
                   "deal_id": index // per_deal}
        swapped = a != b and index % 2 == 1
        seated = {"policy_0": b if swapped else a, "policy_1": a if swapped else b}
        lone = -1
        if rules.players == 3:
            lone = int(rules.lone) if rules.lone != "both" else index // (per_deal // 2) % 2
        what = f"game {number} of matchup {matchup}, seed {session.seed}"
        logged, events = turns[address["game_id"]], market.get(address["game_id"], [])
        again = replay_mode(orders[number // per_deal], heaps[number // per_deal], [_choices(turn) for turn in logged],
                            events, oracle_rules(rules, lone))
        assert logged == turn_columns(again, full=True), what
        assert events == market_columns(again), what
        assert row == {**address, **seated, **final_columns(again)}, what
        assert list(row) == list({**address, **seated, **final_columns(again)}), what
        reasons[row["end_reason"]] += 1
    return reasons


def _choices(turn: Mapping[str, Any]) -> dict[str, Any]:
    """A logged turn with the lists of discards that the second engine reads."""
    slots = _slots(tuple(turn))
    listed = {name: [turn[key] for key in slots[name] if turn[key] is not None] for name in slots}
    return {"m_space_0": None, "m_space_1": None, **turn, **listed}


@cache
def _slots(columns: tuple[str, ...]) -> dict[str, list[str]]:
    """The columns that hold a role's discards."""
    found = {}
    for suffix in ("up", "down") if "player_up" in columns else ("",):
        end = f"_{suffix}" if suffix else ""
        found[f"discards_{suffix or 'up'}"] = [
            key for key in columns if key.startswith("discard_") and key.endswith(end) and key[8:9].isdigit()]
    return found
