"""The schemer family: its prices, its parameters and presets, and that every preset plays as it is said to."""

from __future__ import annotations

import math
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.argh import engine as e
from agentsim.games.argh import kernel as k
from agentsim.games.argh import step
from agentsim.games.argh.catalog import CATALOG
from agentsim.games.argh.decision import one_answer, one_choice, one_placing
from agentsim.games.argh.engine import BY_BOMB, BY_REVEAL
from agentsim.games.argh.policies.dispatch import FAMILY_SCHEMER
from agentsim.games.argh.policies.parameters import SCHEMER_PARAMETERS, SCRATCH_SIZE, WORK_SIZE, policy_row
from agentsim.games.argh.policies.schemer import _acceptance, _summarise_all
from agentsim.games.argh.policies.worth import summarise, worth
from agentsim.games.argh.rules import Rules
from agentsim.games.argh.session import Session
from agentsim.games.argh.table import LOCATION, compile_rules
from agentsim.games.argh.view import STEAL, observe
from tests.games_argh.helpers import PLAYERS, few, needs_speed, rules, walk, word

PROMOS = rules(promos=True)
SPY, BOMB, BLAST = 14.0, 4.0, 60.0


def price(card: str, beside: tuple[str, ...] = (), **changes: float) -> float:
    """What a schemer thinks a card is worth beside others."""
    table, scratch = compile_rules(PROMOS), np.zeros(SCRATCH_SIZE, dtype=np.int64)
    params = {"spy": SPY, "bomb": BOMB, "blast": BLAST, "prospect": 0.0} | changes
    rows = policy_row("schemer", params, PROMOS)[np.newaxis]
    summarise(np.int64(word(beside, PROMOS)), 0, scratch, table)
    return float(worth(PROMOS.names.index(card), 0, scratch, table, rows, 0))


@pytest.mark.parametrize(
    ("card", "beside", "value"),
    [
        ("rat", (), 7),
        ("rat", ("scientist", "toad"), 6),
        ("mouse", ("scientist", "toad"), 2),
        ("gardener", (), -6),
        ("gardener", ("mosquito",), 6),
        ("gardener", ("mosquito", "cat"), 0),
        ("gardener", ("hamster", "cat"), -3),
        ("cat", ("hamster", "gardener"), -3),
        ("house_lizard", (), 1),
        ("house_lizard", ("garden_lizard",), 4),
        ("house_lizard", ("garden_lizard", "laboratory_lizard"), 5),
        ("house_spy", (), -SPY),
        ("house_spy", ("garden_spy",), SPY),
        ("house_spy", ("hamster",), 0),
        ("house_spy", ("hamster", "cat"), -SPY),
        ("house_bomb", (), BOMB),
        ("house_bomb", ("garden_bomb",), BLAST),
        ("mosquito", ("cat", "rat"), 6),
        ("mosquito", ("mouse", "rat"), -4),
        ("mosquito", (), 0),
        ("hamster", ("cat",), 3),
        ("hamster", ("house_spy",), SPY),
        ("hamster", ("house_spy", "garden_spy"), -SPY),
        ("hamster", (), 0),
        ("scientist", ("rat", "toad"), -7),
        ("scientist", ("house_lizard", "garden_lizard", "mouse"), -4),
        ("spider", ("rat", "house_bomb"), 3),
        ("brother", (), -1),
        ("brother", ("sister",), -3),
        ("owl", ("rat",), 0),
    ],
)
def test_prices(card: str, beside: tuple[str, ...], value: float) -> None:
    assert price(card, beside) == value
    # Where neither spies nor bombs are concerned the price is what exact counting says.
    if not {"bomb", "spy"} & {name.split("_")[-1] for name in (card, *beside)}:
        exact = step.count_cards((*beside, card), PROMOS)[0] - step.count_cards(beside, PROMOS)[0]
        assert exact == value


def test_the_prospect_of_lizards() -> None:
    assert price("house_lizard", prospect=0.5) == 1 + 0.5 * 4
    assert price("house_lizard", ("garden_lizard",), prospect=0.5) == 4 + 0.5 * 5
    assert price("house_lizard", ("garden_lizard", "laboratory_lizard"), prospect=0.5) == 5


# ---- names and numbers -------------------------------------------------------------------------------------------


def test_there_are_enough_presets() -> None:
    made = CATALOG.presets
    assert next(iter(made)) == "random"
    assert sum(ref.source == "preset" for ref in made.values()) >= 8
    for ref in made.values():
        assert ref.idea
        assert len(ref.idea.splitlines()) == 1
        assert set(ref.params) == {parameter.name for parameter in CATALOG.of(ref.family)}
        assert CATALOG.from_spec(ref.label) == ref
    rows = {tuple(ref.params.values()) for ref in made.values() if ref.family == "schemer"}
    assert len(rows) == len(made) - 1


def test_specs() -> None:
    ref = CATALOG.from_spec(" schemer( spy = 30 , noise=0)")
    assert (ref.label, ref.source) == ("schemer(spy=30, noise=0)", "inline")
    assert (ref.params["spy"], ref.params["bomb"]) == (30, CATALOG.presets["schemer"].params["bomb"])
    assert CATALOG.from_spec("expert(noise=0)") == CATALOG.presets["expert"]
    for parameter in SCHEMER_PARAMETERS:
        assert parameter.low <= parameter.default <= parameter.high
        assert parameter.doc


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("expart", "did you mean 'expert'?"),
        ("schemer(spi=3)", "did you mean 'spy'?"),
        ("schemer(spy=300)", "spy = 300 is out of range (allowed: -40 to 60)"),
        ("schemer(spy)", "cannot read the parameter 'spy'"),
        ("schemer(spy=nan)", "cannot read the parameter 'spy=nan'"),
        ("schemer(spy=1, spy=2)", "'spy' is given twice"),
        ("random(spy=1)", "no parameters at all"),
        ("schemer(spy=1", "cannot read the policy"),
        ("", "cannot read the policy"),
    ],
)
def test_bad_specs(spec: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        CATALOG.from_spec(spec)
    assert message in str(caught.value)


# ---- legality ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", [name for name in CATALOG.presets if name != "random"])
def test_decisions_are_legal(name: str, players: int) -> None:
    made = rules(players, promos=True)
    rows = policy_row("schemer", CATALOG.presets[name].params, made)[np.newaxis]
    scratch, work, rng = np.zeros(SCRATCH_SIZE, dtype=np.int64), np.zeros(WORK_SIZE), Random(3)
    for deal in range(few(12, 1)):
        for game in walk(made, 17, deal, {step.Keep: 3.0})[:-1]:
            seat, key = game.to_move, np.uint64(rng.getrandbits(64))
            arguments = (FAMILY_SCHEMER, game.state, game.table, seat, rows, 0, scratch, work, key)
            action: step.Action
            if game.state[e.PHASE] == e.CHOOSING:
                code = int(one_choice(*arguments))
                action = (step.Draw(step.LOCATIONS[code]) if code < 3 else step.Pass() if code < STEAL else
                          step.Steal(e.owner_of(game.state, game.table, code - STEAL), *game.place(code - STEAL)))
            elif game.state[e.PHASE] == e.PLACING:
                steps = int(one_placing(*arguments))
                action = step.OfferTo((seat + steps) % players) if steps else step.Keep()
            elif game.state[e.PHASE] == e.ANSWERING:
                action = step.Answer(bool(one_answer(*arguments)))
            else:
                continue
            assert action in game.legal_actions()


# ---- character ---------------------------------------------------------------------------------------------------


class Record:
    """What one policy did in games against two default schemers."""

    def __init__(self, name: str, made: Rules, deals: int = 1500) -> None:
        ref, other = CATALOG.from_spec(name), CATALOG.from_spec("schemer(noise=0.6)")
        run = Session(made, [(ref, other, other)], 5)
        tables = run.play(0, 0, deals, "turns").tables
        games, self.turns = tables["games"], tables["turns"]
        policies = np.stack([games[f"policy_{seat}"] for seat in range(3)], axis=1)
        shares = np.stack([games[f"share_{seat}"] for seat in range(3)], axis=1) / 12
        me = run.labels.index(ref.label)
        index = np.searchsorted(games["game_id"], self.turns["game_id"])
        self.mine = policies[index, self.turns["seat"]] == me
        offer = self.turns["action"] == k.A_OFFER
        self.asked = offer & (policies[index, self.turns["other_seat"]] == me)
        self.offered = offer & self.mine
        bomb = np.isin(games["end_reason"], (BY_BOMB, BY_REVEAL))
        won = np.where(policies == me, shares, 0).sum(axis=1)
        self.share = float(won.mean())
        self.bomb_share_of_wins = float(won[bomb].sum() / won.sum())
        self.turns_without_bomb = float(games["n_turns"][~bomb].mean())

    def rate(self, action: int) -> float:
        return float(np.mean(self.turns["action"][self.mine] == action))

    @property
    def accepts(self) -> float:
        return float(np.mean(self.turns["accepted"][self.asked] == 1))

    def given(self, values: NDArray[np.int64]) -> float:
        """Mean value of the cards that others accepted from it."""
        cards = self.turns["card"][self.offered & (self.turns["accepted"] == 1)]
        return float(values[cards].mean())


@cache
def record(name: str) -> Record:
    return Record(name, rules(3))


SCHEMERS = [name for name in CATALOG.presets if name != "random"]


@needs_speed
def test_the_gambler_accepts_and_the_sceptic_refuses() -> None:
    assert record("gambler").accepts == 1
    assert record("sceptic").accepts == 0
    assert all(0 < record(name).accepts < 1 for name in SCHEMERS if name not in ("gambler", "sceptic", "believer"))


@needs_speed
def test_the_believer_believes() -> None:
    assert record("believer").accepts > 0.9
    assert record("believer").accepts > record("schemer").accepts + 0.2


@needs_speed
def test_the_hoarder_keeps_everything() -> None:
    assert record("hoarder").rate(k.A_KEEP) == 1
    assert max(record(name).rate(k.A_KEEP) for name in SCHEMERS if name != "hoarder") < 0.6


@needs_speed
def test_the_sprinter_has_the_shortest_games() -> None:
    fastest = record("sprinter").turns_without_bomb
    assert all(fastest < record(name).turns_without_bomb - 0.3 for name in SCHEMERS if name != "sprinter")


@needs_speed
def test_the_bomber_wins_by_bombs() -> None:
    bomber = record("bomber").bomb_share_of_wins
    assert all(bomber > record(name).bomb_share_of_wins for name in SCHEMERS if name != "bomber")


@needs_speed
def test_the_friend_gives_good_cards_and_loses() -> None:
    values = np.array([card.value for card in rules(3).cards])
    assert record("friend").given(values) > record("schemer").given(values) + 0.3
    assert record("friend").share < 0.2


def decide(game: step.GameState, name: str, decision: Any, key: int = 1, **changes: float) -> int:
    rows = policy_row("schemer", dict(CATALOG.presets[name].params) | {"noise": 0.0} | changes, game.rules)[np.newaxis]
    return int(decision(FAMILY_SCHEMER, game.state, game.table, game.to_move, rows, 0,
                        np.zeros(SCRATCH_SIZE, dtype=np.int64), np.zeros(WORK_SIZE), np.uint64(key)))


def positions(phase: int, players: int = 3, games: int = 40) -> list[step.GameState]:
    made = rules(players)
    return [game for deal in range(games) for game in walk(made, 13, deal, {step.Keep: 4.0, step.Steal: 0.2})
            if game.state[e.PHASE] == phase]


def test_the_thief_steals_what_it_can() -> None:
    for game in positions(e.CHOOSING, games=few(40, 2)):
        can = any(isinstance(action, step.Steal) for action in game.legal_actions())
        assert (decide(game, "thief", one_choice) >= STEAL) is can
        assert decide(game, "hoarder", one_choice) < 3 or all(
            not isinstance(action, step.Draw) for action in game.legal_actions())


def test_the_egoist_does_not_look_at_rivals() -> None:
    """Where suspicion plays no part its answers do not depend on what lies before the offerer."""
    changed = 0
    for game in positions(e.ANSWERING, games=few(40, 2)):
        state = game.state.copy()
        asker, third = game.active, 3 - game.active - game.to_move
        state[e.UP + asker], state[e.UP + third] = state[e.UP + third], state[e.UP + asker]
        other = step.GameState(game.rules, game.table, state)
        assert decide(game, "egoist", one_answer, suspicion=0) == decide(other, "egoist", one_answer, suspicion=0)
        changed += decide(game, "guardian", one_answer) != decide(other, "guardian", one_answer)
    assert changed or few(1, 0) == 0


@needs_speed
def test_the_guardian_blocks() -> None:
    """Asked by a player with one bomb part it accepts more often than the egoist, and than otherwise."""
    threatened = [game for game in positions(e.ANSWERING, games=150) if _bombs(game, game.active) == 1
                  and _bombs(game, game.to_move) == 0]
    accepts = {name: np.mean([decide(game, name, one_answer) for game in threatened])
               for name in ("guardian", "egoist")}
    assert len(threatened) > 50
    assert accepts["guardian"] > accepts["egoist"] + 0.15


def _bombs(game: step.GameState, seat: int) -> int:
    kinds = {card.id: card.kind for card in game.rules.cards}
    return sum(kinds[name] == "bomb" for name in game.face_up(seat))


def test_the_trickster_offers_what_is_not_expected() -> None:
    """Where some player expects the opposite of the card and some other does not, it offers to the former."""

    def contrary(name: str, **changes: float) -> float:
        found = []
        for game in positions(e.PLACING, games=few(80, 3)):
            player = decide(game, name, one_placing, **changes)
            rows = policy_row("schemer", dict(CATALOG.presets[name].params) | changes, game.rules)[np.newaxis]
            scratch = np.zeros(SCRATCH_SIZE, dtype=np.int64)
            view = observe(game.state, game.table, game.to_move)
            _summarise_all(view, scratch, game.table)
            location = game.table[LOCATION + view.card]
            surprised = [False]
            for other in (1, 2):
                _, expected = _acceptance(view, scratch, game.table, rows, 0, other, location, view.card)
                surprised.append(worth(view.card, other, scratch, game.table, rows, 0) * expected < 0)
            if surprised[1] != surprised[2] and player:
                found.append(surprised[player])
        return float(np.mean(found))

    tricked = contrary("trickster")
    assert tricked > 0.95
    assert contrary("trickster", bluff=-30) < 0.1
    assert tricked > contrary("trickster", bluff=0) + 0.03 or not few(1, 0)


# ---- strength ----------------------------------------------------------------------------------------------------


@needs_speed
@pytest.mark.parametrize("players", PLAYERS)
def test_the_expert_beats_the_default_which_beats_random(players: int) -> None:
    made = rules(players)
    expert, default, chance = (CATALOG.from_spec(name) for name in ("expert", "schemer", "random"))
    run = Session(made, [(expert, *[default] * (players - 1)), (default, *[chance] * (players - 1))], 8)
    for matchup in (0, 1):
        batch = run.play(matchup, 0, 4000, "none")
        games = batch.n_games
        share = batch.tally["slot_share"] / 12 / games
        rest = share[1:].mean()
        assert share[0] > rest + 3 * math.sqrt(0.25 / games)
