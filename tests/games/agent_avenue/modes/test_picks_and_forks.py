"""The counters behind card balance, worked out anew: picks from the log, forks from games of changed card sets."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
import pytest

from agentsim.games.agent_avenue.cards.market import Effect, MarketCard
from agentsim.games.agent_avenue.modes.session import ModeSession
from agentsim.games.agent_avenue.rules import Rules, make_rules
from tests.games.agent_avenue.helpers import few, policy, the_game
from tests.games.agent_avenue.modes.logs import rows_of

NOTHING = (Effect("nothing"),)
UNIFORM: dict[str, Any] = {"rules.mode": "advanced", "rules.picks": "uniform"}
SIDES: dict[str, dict[str, Any]] = {"two": {}, "one against two": {"rules.players": 3}, "teams": {"rules.players": 4}}


def session_of(rules: Rules, *names: str, seed: int = 3) -> ModeSession:
    session = the_game().session(rules, [(policy(names[0]), policy(names[-1]))], seed)
    assert isinstance(session, ModeSession)
    return session


def result(winner: int | None, seat: int) -> int:
    """0 a win, 1 a draw, 2 a loss."""
    return 1 if winner is None else 0 if winner == seat else 2


def landings(session: ModeSession, batch: Any) -> dict[int, list[dict[str, Any]]]:
    """The rows of the market by game, in order."""
    rows = rows_of(session, batch, "market")
    rows.sort(key=lambda row: (row["game_id"], row["turn"], row["seq"]))
    return {game: list(found) for game, found in groupby(rows, key=lambda row: row["game_id"])}


def blank(name: str, copies: int = 1) -> MarketCard:
    return MarketCard(name, "instant", NOTHING, copies)


MARKETS: dict[str, tuple[MarketCard, ...]] = {
    "the box": (), "a blank": (blank("nil"),), "two blanks": (blank("nil"), blank("nix")),
    "a blank twice": (blank("nil", 2),), "many twins": (blank("nil"), MarketCard("push", "instant",
                                                                               (Effect("move", spaces=1),), 9))}


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("market", MARKETS)
def test_every_counter_of_picks_is_that_of_the_log(market: str, sides: str) -> None:
    rules = make_rules({**UNIFORM, **SIDES[sides], "rules.supply": 4})
    rules = replace(rules, market_cards=(*rules.market_cards, *MARKETS[market]))
    session = session_of(rules, "random", "random_discards")
    batch = session.play(0, 0, few(150, 15), "full")
    index = {card.id: k for k, card in enumerate(rules.market_cards)}
    blanks = {card.id for card in MARKETS[market] if card.effects == NOTHING}
    winners = {row["game_id"]: row["winner"] for row in rows_of(session, batch, "games")}
    n = len(index)
    wanted: dict[str, np.ndarray] = {
        "first_taken": np.zeros((n, 5, 3), int), "first_left": np.zeros((n, 5, 3), int), "taken": np.zeros((n, 3), int),
        "left": np.zeros((n, 3), int), "first_with_blank": np.zeros((n, 2, 3), int)}
    for game, rows in landings(session, batch).items():
        for number, row in enumerate(rows):
            lay = [row[f"supply_{place}"] for place in range(4) if row[f"supply_{place}"] is not None]
            fared = result(winners[game], row["seat"])
            others = lay.copy()
            others.remove(row["taken"])
            wanted["taken"][index[row["taken"]], fared] += 1
            for card in others:
                wanted["left"][index[card], fared] += 1
            if number:
                continue
            for card in {card for card in lay if lay.count(card) == 1}:
                which = "first_taken" if card == row["taken"] else "first_left"
                wanted[which][index[card], len(lay), fared] += 1
                beside = [other for other in lay if other in blanks]
                if len(beside) == 1 and card != beside[0] and row["taken"] in (card, beside[0]):
                    wanted["first_with_blank"][index[card], int(row["taken"] != card), fared] += 1
    for name, counts in wanted.items():
        np.testing.assert_array_equal(batch.tally[name], counts, err_msg=name)
    assert wanted["taken"].sum() > few(300, 15)
    assert bool(wanted["first_with_blank"].sum()) == bool(blanks) or few(2, 0) == 0


@pytest.mark.parametrize("sides", SIDES)
def test_a_fork_is_the_game_and_the_same_game_with_a_card_that_does_nothing(sides: str) -> None:
    """``random`` does not look at cards: without its effect a card leaves the game of a set in which it is a blank."""
    rules = make_rules({**UNIFORM, **SIDES[sides]})
    deals = few(120, 12)
    session = session_of(rules, "random")
    batch = session.play(0, 0, deals, "full")
    winners = {row["game_id"]: row["winner"] for row in rows_of(session, batch, "games")}
    firsts = {game: rows[0] for game, rows in landings(session, batch).items()}
    counts = session.forks(0, 0, deals)["forks"]
    for k, card in enumerate(rules.market_cards):
        cards = [replace(each, kind="instant", effects=NOTHING) if each is card else each
                 for each in rules.market_cards]
        without = session_of(replace(rules, market_cards=tuple(cards)), "random")
        blanked = {row["game_id"]: row["winner"]
                   for row in rows_of(without, without.play(0, 0, deals, "full"), "games")}
        wanted = np.zeros(5, int)
        for game, row in firsts.items():
            if row["taken"] == card.id:
                wanted[2 + result(blanked[game], row["seat"]) - result(winners[game], row["seat"])] += 1
        np.testing.assert_array_equal(counts[k], wanted, err_msg=card.id)
    assert few(2, 0) == 0 or 0 < counts[:, 2].sum() < counts.sum()


@pytest.mark.parametrize("sides", SIDES)
def test_the_third_branch_takes_the_blank_and_leaves_the_card(sides: str) -> None:
    """Of two cards that are all there is, taking the blank is what taking the card is in the set that swaps them."""
    rules = make_rules({**UNIFORM, **SIDES[sides], "rules.supply": 2})
    push = (Effect("move", spaces=4),)
    card, other = MarketCard("one", "instant", push), MarketCard("two", "instant", NOTHING)
    swapped = (replace(card, effects=NOTHING), replace(other, effects=push))
    deals = few(200, 20)
    winners, firsts = [], {}
    for cards in ((card, other), swapped):
        session = session_of(replace(rules, market_cards=cards), "random")
        batch = session.play(0, 0, deals, "full")
        winners.append({row["game_id"]: row["winner"] for row in rows_of(session, batch, "games")})
        if cards != swapped:
            firsts = {game: rows[0] for game, rows in landings(session, batch).items()}
            counts = session.forks(0, 0, deals)["forks_with_blank"]
    wanted = np.zeros((2, 5), int)
    for game, row in firsts.items():
        if row["taken"] == "one":
            wanted[0, 2 + result(winners[1][game], row["seat"]) - result(winners[0][game], row["seat"])] += 1
    np.testing.assert_array_equal(counts, wanted)
    assert few(2, 0) == 0 or 0 < counts[0, 2] < counts.sum()
