"""Whole games of every mode in the second engine: invariants, its log, and a log played again."""

from __future__ import annotations

import copy
import tomllib
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.oracle.agent_avenue import STANDARD, Card, OracleIllegal
from tests.oracle.agent_avenue import replay as base_replay
from tests.oracle.market import publisher_cards
from tests.oracle.mode_logs import (
    final_columns,
    market_columns,
    play_on,
    random_chooser,
    replay_mode,
    shuffled,
    turn_columns,
)
from tests.oracle.modes import ModeGame, ModeRules, PawnCard, division_m_cards
from tests.oracle.written import market_of

FOLDER = Path(__file__).parent.parent / "agentsim" / "games" / "agent_avenue" / "cards"
NEW_CARDS = tomllib.loads((FOLDER / "market_division_m.toml").read_text(encoding="utf-8"))


def all_modes() -> dict[str, ModeRules]:
    """Players x market x expansion, as the box offers them; the promo in some."""
    tables: dict[str, dict[str, Any]] = {
        "two": {"players": 2},
        "three_0": {"players": 3, "lone": 0},
        "three_1": {"players": 3, "lone": 1},
        "four": {"players": 4},
    }
    markets: dict[str, dict[str, Any]] = {
        "base": {},
        "advanced": {"market_cards": market_of("old")},
        "promo": {"market_cards": publisher_cards(ceasefire=True)},
        "base_m": {"cards": division_m_cards()},
        "old_m": {"cards": division_m_cards(), "market_cards": market_of("old")},
        "new_m": {"cards": division_m_cards(), "market_cards": market_of("new", NEW_CARDS)},
        "both_m": {"cards": division_m_cards(), "market_cards": market_of("both", NEW_CARDS)},
    }
    return {
        f"{table}-{market}": ModeRules(**seats, **cards)
        for table, seats in tables.items()
        for market, cards in markets.items()
    }


MODES = all_modes()
EVERY_MODE = pytest.mark.parametrize("mode", list(MODES))


def new_game(rules: ModeRules, rng: Random) -> ModeGame:
    """A shuffled game."""
    deck, pile = shuffled(rules, rng)
    return ModeGame(deck, rules, pile)


def longest(rules: ModeRules) -> int:
    """No game is longer: every turn plays two hand cards, few come back."""
    cards = sum(card.copies for card in rules.cards.values())
    back = len({"spycation", "mind_control", "defection"} & set(rules.market_cards))
    return 18 if not rules.market_cards and cards == 38 else (cards + back) // 2


# ---- invariants -----------------------------------------------------------------------------------------------------


def check_table(game: ModeGame) -> None:
    """What holds whenever the game asks for something between two effects."""
    game.check_conserved()
    asked = game.question
    assert len(asked.options) > 0
    if asked.kind in ("take", "market", "member", "player_up"):
        for side in game.sides:
            for player in side.players:
                assert len(player.hand) >= 4 or not game.deck
    if asked.kind == "market":
        assert list(asked.options) == game.supply
        assert len(game.supply) == 3 or not game.market_pile
        assert game.sides[asked.side].owed >= 0
        # The other side waits while the active one has something to resolve.
        if asked.side != game.active:
            assert game.active_side.owed == 0
    if asked.kind == "face_down":
        hand = game.sides[asked.side].players[asked.player or 0].hand
        assert (game.offered[0] in asked.options) == (set(hand) == {game.offered[0]})
    for side in game.sides:
        for player in side.players:
            assert len(player.discarded) <= game.discards_each(side)


@EVERY_MODE
@pytest.mark.parametrize("discard_chance", [0.0, 0.25])
def test_random_games(mode: str, discard_chance: float) -> None:
    rules = MODES[mode]
    for seed in range(40):
        rng = Random(f"{mode} {seed}")
        choose = random_chooser(rng, discard_chance)
        game = new_game(rules, rng)
        while game.pending is not None:
            check_table(game)
            game.choose(choose(game.pending, game))
        game.check_conserved()
        assert game.ending is not None
        assert 1 <= game.turn <= longest(rules)
        assert all(side.owed == 0 or not game.supply for side in game.sides)
        with pytest.raises(OracleIllegal, match="over"):
            game.choose(None)
        rows = turn_columns(game, full=True)
        assert [row["turn"] for row in rows] == list(range(game.turn))
        assert [row["active"] for row in rows] == [k % 2 for k in range(game.turn)]
        steps: defaultdict[int, int] = defaultdict(int)
        for row in rows:
            steps[row["turn"]] += (row["move_active"] - row["move_other"]) * (1 if row["active"] == 0 else -1)
        if not set(rules.market_cards) & {"false_trail"}:
            for event in game.market_rows:
                steps[event["turn"]] += event["move"] * (1 if event["seat"] == 0 else -1)
            assert sum(steps.values()) == game.lead
        assert rows[-1]["lead_after"] == game.lead


@pytest.mark.parametrize("mode", ["two-promo", "four-both_m"])
def test_every_market_card_is_taken_and_does_something(mode: str) -> None:
    rules = MODES[mode]
    taken: Counter[str] = Counter()
    worked: Counter[str] = Counter()
    chains: Counter[int] = Counter()
    for seed in range(500):
        rng = Random(seed)
        game = play_on(new_game(rules, rng), random_chooser(rng, 0.1))
        for row in game.market_rows:
            taken[row["taken"]] += 1
            worked[row["taken"]] += row["recruited"] is not None or row["target"] is not None or row["move"] != 0
            chains[row["seq"]] += 1
    assert set(taken) == set(rules.market_cards)
    assert min(taken.values()) >= 20
    instant = {"surveillance_truck", "smoke_screen", "outpost", "secret_recruit", "double_trouble", "spycation",
               "mind_control"}  # fmt: skip
    assert all(worked[name] >= 5 for name in instant)
    assert chains[2] > 0


@EVERY_MODE
def test_endings_of_every_kind_are_named(mode: str) -> None:
    rules = MODES[mode]
    allowed = {"catch", "codebreakers", "daredevils", "out_of_cards"}
    allowed |= {"leader_of_the_pack", "masterplan", "security_system", "chain_of_command", "dragnet"} & set(
        rules.market_cards
    )
    if "handler" in rules.cards:
        allowed.add("division_m")
    seen = set()
    for seed in range(60):
        rng = Random(seed)
        game = play_on(new_game(rules, rng), random_chooser(rng, 0.3))
        assert game.ending is not None
        seen.add(game.ending.end_reason)
    assert seen <= allowed
    assert {"catch", "codebreakers", "daredevils"} <= seen


# ---- the base game, by two engines ----------------------------------------------------------------------------------


@pytest.mark.parametrize("changes", [{}, {"hand_size": 3, "discards": 2}, {"tie_rule": "draw", "home_1": 5}])
def test_the_base_game_is_the_base_engines(changes: dict[str, Any]) -> None:
    rules = ModeRules(**changes)
    for seed in range(300):
        rng = Random(seed)
        deck, _ = shuffled(rules, rng)
        game = play_on(ModeGame(deck, rules), random_chooser(rng, 0.3))
        choices = [
            {
                "discards": happened["discards_up"],
                "face_up": happened["face_up"],
                "face_down": happened["face_down"],
                "took_face_up": happened["took_face_up"],
            }
            for happened in game.turn_rows
        ]
        rows, final = base_replay(deck, choices, rules, full=True)
        assert turn_columns(game, full=True) == rows
        assert final_columns(game) == final


# ---- being played from outside --------------------------------------------------------------------------------------


def test_a_game_can_be_played_again_and_branched() -> None:
    rules = MODES["four-both_m"]
    rng = Random(4)
    game = play_on(new_game(rules, rng), random_chooser(rng, 0.2))
    again = game.again(game.history)
    assert (again.turn_rows, again.market_rows, again.ending) == (game.turn_rows, game.market_rows, game.ending)
    assert game.again(game.history[:10]).history == game.history[:10]


def test_options_that_are_not_offered_are_refused() -> None:
    game = new_game(MODES["two-base"], Random(0))
    for option in ("joker", True, 0):
        with pytest.raises(OracleIllegal):
            game.choose(option)
    game.choose(None)
    with pytest.raises(OracleIllegal):
        game.choose(None)
    game.choose(game.question.options[0])
    game.choose(game.question.options[0])
    for not_a_side in (1, 0, None):  # True is the face-up card, 1 is nothing
        with pytest.raises(OracleIllegal):
            game.choose(not_a_side)


@pytest.mark.parametrize(
    "bad",
    [{"players": 5}, {"players": 3, "lone": 2}, {"m_trap": "never"}, {"players": 4, "hand_size": 10}, {"hand_size": 1}],
)
def test_contradictory_rules_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        ModeRules(**bad)


def test_other_decks_are_refused() -> None:
    rules = MODES["two-advanced"]
    deck, pile = shuffled(rules, Random(0))
    for wrong_deck, wrong_pile in ((deck[1:], pile), (deck, pile[1:]), (deck, [*pile, "ceasefire"])):
        with pytest.raises(ValueError):
            ModeGame(wrong_deck, rules, wrong_pile)


def test_copies_of_a_market_card() -> None:
    rules = ModeRules(market_cards=publisher_cards(), market_copies={"watchtower": 40, "outpost": 0})
    assert Counter(rules.market_pile())["watchtower"] == 40
    for seed in range(30):
        rng = Random(seed)
        game = play_on(new_game(rules, rng), random_chooser(rng))
        game.check_conserved()


# ---- a log played again ---------------------------------------------------------------------------------------------


def record(game: ModeGame) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What a log of this game would hold, for ``replay_mode``: no more than its columns."""
    turns = turn_columns(game)
    for row, happened in zip(turns, game.turn_rows, strict=True):
        row |= {key: happened[key] for key in ("discards_up", "discards_down", "m_space_0", "m_space_1")}
    return turns, copy.deepcopy(game.market_rows)


@EVERY_MODE
def test_a_log_played_again_gives_the_same_log(mode: str) -> None:
    rules = MODES[mode]
    for seed in range(25):
        rng = Random(seed)
        deck, pile = shuffled(rules, rng)
        game = play_on(ModeGame(deck, rules, pile), random_chooser(rng, 0.2))
        turns, market = record(game)
        again = replay_mode(deck, pile, turns, market, rules)
        assert turn_columns(again, full=True) == turn_columns(game, full=True)
        assert market_columns(again) == market_columns(game)
        assert final_columns(again) == final_columns(game)


def test_a_log_that_lies_is_noticed() -> None:
    rules = MODES["two-advanced"]
    noticed = 0
    for seed in range(40):
        rng = Random(seed)
        deck, pile = shuffled(rules, rng)
        game = play_on(ModeGame(deck, rules, pile), random_chooser(rng))
        turns, market = record(game)
        with pytest.raises(OracleIllegal, match="stops"):
            replay_mode(deck, pile, turns[:-1], market, rules)
        with pytest.raises(OracleIllegal, match="goes on"):
            replay_mode(deck, pile, [*turns, {**turns[-1], "turn": game.turn}], market, rules)
        if market:
            with pytest.raises(OracleIllegal, match="lacks Black Market event"):
                replay_mode(deck, pile, turns, market[:-1], rules)
            absent = next(name for name in rules.market_cards if name not in market[0].values())
            with pytest.raises(OracleIllegal, match="market: cannot choose"):
                replay_mode(deck, pile, turns, [{**market[0], "taken": absent}, *market[1:]], rules)
            noticed += 1
    assert noticed > 20


# ---- an exact anchor ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 4])
def test_random_play_without_a_tie_is_a_fair_coin_exactly(players: int) -> None:
    """A small deck, every choice: each side wins with 1/2 if no tie rule decides, whatever the pawns do."""
    cards: dict[str, Card] = {"enforcer": Card(2, 1, 2, 3), "mole": Card(1, -3, -3, -3)}
    if players == 2:
        cards |= {"handler": PawnCard(2, 0, 0, 0, symbols=("home", 1, 1)), "codebreaker": Card(1, 0, 0, 0, wins_at=1)}
    else:
        cards |= {"daredevil": Card(4, 2, 3, 0, loses_at=2), "codebreaker": Card(1, 0, 0, 0)}
    rules = ModeRules(players=players, cards=cards, hand_size=2, discards=0, team_discards=0, ring=8, home_1=4)
    orders = sorted(set(permutations([name for name, card in cards.items() for _ in range(card.copies)])))
    # Some of the orders do: the coin is fair whatever the deck.
    orders = orders[:: 3 if players == 2 else 150]
    share: defaultdict[tuple[int | None, bool], Fraction] = defaultdict(Fraction)

    def explore(deck: tuple[str, ...], history: list[Any], chance: Fraction) -> None:
        game = ModeGame(deck, rules)
        for option in history:
            game.choose(option)
        if game.ending is not None:
            share[game.ending.winner, game.ending.tie_rule_used] += chance
            return
        for option in game.question.options:
            explore(deck, [*history, option], chance / len(game.question.options))

    for deck in orders:
        explore(deck, [], Fraction(1, len(orders)))
    assert sum(share.values()) == 1
    assert share[0, False] == share[1, False] > 0
    assert share[0, True] + share[1, True] > 0


def test_the_standard_cards_are_untouched() -> None:
    assert "handler" not in STANDARD.cards
    assert list(division_m_cards())[:8] == list(STANDARD.cards)
