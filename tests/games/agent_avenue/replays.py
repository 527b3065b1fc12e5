"""Playing logs again with the second engine: every column of ``games`` and ``turns`` is worked out anew and compared.

The order of each deck is worked out here as well, from the definition of the random streams, so that a replay takes
nothing from the package but the choices that were made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.session import Session
from agentsim.games.base import Batch, Column
from tests.games.agent_avenue.helpers import oracle_rules, the_game
from tests.oracle.agent_avenue import OracleRules, replay

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finaliser for whole arrays."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def decks(seed: int, first_deal: int, n_deals: int, copies: Mapping[str, int]) -> NDArray[np.int64]:
    """The decks of consecutive deals as numbers of names, (n_deals, cards): first card drawn first.

    Card k is picked from what is left by word k of the stream (seed, deal), as in a Fisher-Yates shuffle.
    """
    root = mix(np.array([seed], dtype=np.uint64) ^ np.uint64(0xD1B54A32D192ED03))
    deals = np.arange(first_deal, first_deal + n_deals, dtype=np.uint64)
    key = mix(root + (deals + np.uint64(1)) * _GOLDEN)
    box = np.repeat(np.arange(len(copies)), list(copies.values()))
    cards = np.tile(box, (n_deals, 1))
    rows = np.arange(n_deals)
    for k in range(len(box)):
        word = mix(key + np.array([k + 1], dtype=np.uint64) * _GOLDEN)
        pick = k + (((word >> np.uint64(32)) * np.uint64(len(box) - k)) >> np.uint64(32)).astype(np.int64)
        cards[rows, k], cards[rows, pick] = cards[rows, pick], cards[rows, k]
    return cards


def decode(column: Column, values: NDArray[Any], categories: Sequence[str] = ()) -> list[Any]:
    """A column as a reader of the log sees it: names, booleans, whole numbers, None."""
    assert values.dtype.kind in "iub", column.name
    words = list(column.categories or categories)
    if column.kind == "enum":
        assert column.nullable or int(values.min(initial=0)) >= 0, column.name
        return [words[code] if code >= 0 else None for code in values.tolist()]
    if column.kind == "bool":
        return [None if column.nullable and value < 0 else bool(value) for value in values.tolist()]
    return [None if column.nullable and value < 0 else int(value) for value in values.tolist()]


def read(session: Session, batch: Batch, table: str) -> dict[str, list[Any]]:
    """The decoded columns of a table of a batch, in the documented order."""
    columns = {t.name: t.columns for t in the_game().tables(session.rules, "full")}[table]
    assert list(batch.tables[table]) == [column.name for column in columns]
    labels = session.labels
    return {c.name: decode(c, batch.tables[table][c.name], labels) for c in columns}


def check_batch(session: Session, matchup: int, batch: Batch, first_deal: int, n_deals: int) -> Counter[Any]:
    """Replay a full log; assert that the second engine comes to the same rows. Returns how often games ended how."""
    rules: Rules = session.rules
    other = oracle_rules(rules)
    per_deal = session.games_per_deal(matchup)
    games, turns = read(session, batch, "games"), read(session, batch, "turns")
    n_games = n_deals * per_deal
    index = np.arange(first_deal * per_deal, first_deal * per_deal + n_games)
    first, second = (ref.label for ref in session.matchups[matchup])
    swapped = (index % 2 == 1) & (per_deal == 2)
    assert games["game_id"] == (index * len(session.matchups) + matchup).tolist()
    assert games["matchup_id"] == [matchup] * n_games
    assert games["deal_id"] == (index // per_deal).tolist()
    assert games["policy_0"] == [second if swap else first for swap in swapped]
    assert games["policy_1"] == [first if swap else second for swap in swapped]

    named = np.array(rules.names, dtype=object)
    orders = named[decks(int(session.seed), first_deal, n_deals, {c.id: c.copies for c in rules.cards})].tolist()
    turn_columns = [name for name in turns if name != "game_id"]
    turn_rows = list(zip(*(turns[name] for name in turn_columns), strict=True))
    ids = np.array(turns["game_id"])
    starts = np.searchsorted(ids, games["game_id"])
    ends = np.append(starts[1:], len(ids))
    assert (np.repeat(games["game_id"], ends - starts) == ids).all()
    final_columns = [name for name in games if name not in ("game_id", "matchup_id", "deal_id", "policy_0", "policy_1")]
    final_rows = list(zip(*(games[name] for name in final_columns), strict=True))
    seen: Counter[Any] = Counter()
    for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        rows, final = _replayed(orders[number // per_deal], turn_columns, turn_rows[start:end], other)
        what = f"game {number} of matchup {matchup} ({first}, {second}), seed {session.seed}"
        assert [tuple(row[name] for name in turn_columns) for row in rows] == turn_rows[start:end], what
        assert tuple(final[name] for name in final_columns) == final_rows[number], what
        if number == 0:
            assert set(rows[0]) == set(turn_columns)
            assert set(final) == set(final_columns)
        seen[final["end_reason"], final["winner"], final["tie_rule"]] += 1
    return seen


def _replayed(deck: list[str], columns: Sequence[str], logged: Sequence[tuple[Any, ...]],
              rules: OracleRules) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    up, down, took = (columns.index(name) for name in ("face_up", "face_down", "took_face_up"))
    count = columns.index("n_discards")
    first = columns.index("discard_0")
    choices = [{"discards": row[first:first + row[count]], "face_up": row[up], "face_down": row[down],
                "took_face_up": row[took]} for row in logged]
    return replay(deck, choices, rules, full=True)
