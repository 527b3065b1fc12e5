"""The sleuth family: its decisions, its parameters and presets, and that every preset plays as it is said to."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.shady_agents import engine as e
from agentsim.games.shady_agents import kernel as k
from agentsim.games.shady_agents import step
from agentsim.games.shady_agents.belief import SENSE_SIZE
from agentsim.games.shady_agents.catalog import CATALOG
from agentsim.games.shady_agents.decision import one_decision
from agentsim.games.shady_agents.policies.dispatch import FAMILIES
from agentsim.games.shady_agents.policies.parameters import SLEUTH_PARAMETERS, policy_row
from agentsim.games.shady_agents.rules import make_rules
from agentsim.games.shady_agents.session import Session
from agentsim.games.shady_agents.table import E_BULLET, E_MEDKIT, E_NO, E_TRUE, E_YES, EVIDENCE, evidence
from agentsim.games.shady_agents.view import VIEW_SIZE
from tests.games_shady.helpers import CUSTOM, PLAYERS, few, needs_speed, rules, walk

# ---- names and numbers -------------------------------------------------------------------------------------------


def test_there_are_enough_presets() -> None:
    made = CATALOG.presets
    assert list(made)[:3] == ["random", "naive", "bayes"]
    assert sum(ref.source == "preset" for ref in made.values()) >= 9
    for ref in made.values():
        assert ref.idea
        assert len(ref.idea.splitlines()) == 1
        assert set(ref.params) == {parameter.name for parameter in CATALOG.of(ref.family)}
        assert CATALOG.from_spec(ref.label) == ref
    rows = {tuple(ref.params.values()) for ref in made.values() if ref.family == "sleuth"}
    assert len(rows) == len(made) - 2


def test_specs() -> None:
    ref = CATALOG.from_spec(" sleuth( noise = 0.3 , sure_medkit=1)")
    assert (ref.label, ref.source) == ("sleuth(noise=0.3, sure_medkit=1)", "inline")
    assert (ref.params["noise"], ref.params["crowd"]) == (0.3, 0)
    assert CATALOG.from_spec("bayes(noise=0)") == CATALOG.presets["bayes"]
    for parameter in SLEUTH_PARAMETERS:
        assert parameter.low <= parameter.default <= parameter.high
        assert parameter.doc


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("baies", "did you mean 'bayes'?"),
        ("sleuth(nois=3)", "did you mean 'noise'?"),
        ("sleuth(noise=3)", "noise = 3 is out of range (allowed: 0 to 2)"),
        ("sleuth(noise)", "cannot read the parameter 'noise'"),
        ("sleuth(enough_calls=1.5)", "enough_calls = 1.5 is out of range (allowed: a whole number, 0 to 10)"),
        ("sleuth(noise=1, noise=2)", "'noise' is given twice"),
        ("naive(noise=1)", "no parameters at all"),
        ("sleuth(noise=1", "cannot read the policy"),
        ("", "cannot read the policy"),
    ],
)
def test_bad_specs(spec: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        CATALOG.from_spec(spec)
    assert message in str(caught.value)


def test_weights_of_evidence() -> None:
    made = rules()
    model = evidence(made)
    assert policy_row("random", {}, made)[:EVIDENCE].tolist() == policy_row("sleuth", {}, made)[:EVIDENCE].tolist()
    row = policy_row("sleuth", {"verified": 0, "hearsay": 2, "tool_trust": 0.5}, made)
    assert row[E_TRUE] == 0
    assert row[[E_YES, E_NO]].tolist() == (2 * model[[E_YES, E_NO]]).tolist()
    assert row[[E_MEDKIT, E_BULLET]].tolist() == (0.5 * model[[E_MEDKIT, E_BULLET]]).tolist()
    # A weight of 0 ignores what is certain, and what cannot be.
    sure = make_rules({"belief.p_medkit_friend": 1, "belief.p_bullet_enemy": 1, "talk.misread": 0})
    assert policy_row("sleuth", {"tool_trust": 0}, sure)[[E_MEDKIT, E_BULLET]].tolist() == [0, 0]
    assert policy_row("sleuth", {"verified": 0.5}, sure)[E_TRUE] == math.inf


# ---- single decisions --------------------------------------------------------------------------------------------


def decide(game: step.GameState, spec: str, key: int = 1) -> step.Action:
    ref = CATALOG.from_spec(spec)
    rows = policy_row(ref.family, ref.params, game.rules)[np.newaxis]
    code = int(one_decision(FAMILIES[ref.family], game.state, game.odds, game.table, game.to_move, rows, 0,
                            np.zeros(VIEW_SIZE, dtype=np.int64), np.zeros(SENSE_SIZE), np.uint64(key)))
    return step._named(code)


@pytest.mark.parametrize("name", list(CATALOG.presets))
def test_decisions_are_legal(name: str) -> None:
    rng = Random(3)
    tables = [rules(4), rules(7), rules(10), make_rules(CUSTOM), rules(4, rules__interrogations=False)]
    for made in tables:
        for deal in range(few(25, 1)):
            for game in walk(made, 17, deal, {step.Call: 4.0})[:-1]:
                assert decide(game, name, rng.getrandbits(64)) in game.legal_actions()


def test_bayes_gives_each_tool_where_it_is_surest() -> None:
    calls = 0
    for deal in range(few(120, 4)):
        for game in walk(rules(6), 13, deal, {step.Call: 4.0})[:-1]:
            me = game.to_move
            friend = game.observe(me).friend
            others = [seat for seat in range(6) if seat != me]
            best, worst = max(friend[s] for s in others), min(friend[s] for s in others)
            action = decide(game, "bayes", deal)
            match action:
                case step.Give("medkit", seat):
                    assert friend[seat] == pytest.approx(best)
                case step.Give("bullet", seat):
                    assert friend[seat] == pytest.approx(worst)
            if game.to_place is None:
                extra = 0.35 if game.turn == 0 else 0.0
                unsure = best < 0.6 + extra and 1 - worst < 0.7 + extra
                assert isinstance(action, step.Call) is unsure
                calls += unsure
                if isinstance(action, step.Give):
                    spare = best - 0.6, 1 - worst - 0.7
                    assert spare[action.tool == "bullet"] == pytest.approx(max(spare))
                elif action.thrown is not None and abs(best - 1 + worst) > 1e-6:
                    assert action.thrown == ("bullet" if best > 1 - worst else "medkit")
    assert calls or not few(1, 0)


@needs_speed
def test_equals_are_chosen_by_chance() -> None:
    game = step.new_game(1, rules(6)).apply(step.Give("bullet", 3))
    for spec, tool in (("sleuth(sure_medkit=0, medkit_first=1)", "medkit"),
                       ("sleuth(sure_bullet=0, medkit_first=-1)", "bullet")):
        found = [decide(game, spec, key * 977) for key in range(4000)]
        for seat in (0, 2, 3, 4, 5):
            assert abs(found.count(step.Give(tool, seat)) - 800) < 4.5 * math.sqrt(800 * 0.8)


def test_thresholds_and_prices() -> None:
    game = step.new_game(1, rules(6))
    assert decide(game, "free_rider") == decide(game, "bayes") == step.Call(None)
    assert isinstance(decide(game, "silent"), step.Give)
    later = game.apply(step.Call(None))
    assert decide(later, "interrogator(throw_bullet=1)") == step.Call("bullet")
    assert decide(later, "interrogator(throw_bullet=-1)") == step.Call("medkit")
    assert isinstance(decide(later, "interrogator(enough_calls=1)"), step.Give)
    assert isinstance(decide(later, "free_rider"), step.Give)


# ---- character ---------------------------------------------------------------------------------------------------


class Record:
    """What one policy did in games of six against five of ``bayes`` (or, at home, among its like)."""

    def __init__(self, name: str, deals: int = 100) -> None:
        ref, other = CATALOG.from_spec(name), CATALOG.from_spec("bayes(noise=0.02)")
        run = Session(rules(6), [(ref, *[other] * 5)], 5)
        tables = run.play(0, 0, deals, "full").tables
        games, self.moves, beliefs = tables["games"], tables["moves"], tables["beliefs"]
        policies = np.stack([games[f"policy_{seat}"] for seat in range(6)], axis=1)
        me = run.labels.index(ref.label)
        index = np.searchsorted(games["game_id"], self.moves["game_id"])
        self.mine = policies[index, self.moves["seat"]] == me
        self.first = self.moves["round"] == 1
        self.give = self.moves["action"] == k.A_GIVE
        # What lay with the receiver before.
        self.lying = np.zeros(len(self.mine))
        count, last = [0] * 6, -1
        for row, (game, seat) in enumerate(zip(self.moves["game_id"], self.moves["other_seat"], strict=True)):
            if game != last:
                count, last = [0] * 6, game
            if seat >= 0:
                self.lying[row] = count[seat]
                count[seat] += 1
        believed = policies[np.searchsorted(games["game_id"], beliefs["game_id"]), beliefs["seat"]] == me
        self.certainty = float(np.abs(beliefs["belief"][believed & (beliefs["moment"] == 1)] / 1e4 - 0.4).mean())
        shares = np.stack([games[f"share_{seat}"] for seat in range(6)], axis=1) / 12
        self.share = float(np.where(policies == me, shares, 0).sum(axis=1).mean())

    def rate(self, what: NDArray[np.bool_], among: NDArray[np.bool_]) -> float:
        return float(what[self.mine & among].mean()) if (self.mine & among).any() else math.nan

    @property
    def pays(self) -> float:
        """How often it calls for a tool, of the turns in which it could."""
        return self.rate(~self.give, self.first & (self.moves["turn"] > 0))

    @property
    def takes_for_free(self) -> float:
        return self.rate(~self.give, self.moves["turn"] == 0)

    @property
    def medkits_first(self) -> float:
        return self.rate(self.moves["tool"] == e.MEDKIT, self.first & self.give)

    @property
    def throws_medkits(self) -> float:
        return self.rate(self.moves["tool"] == e.MEDKIT, ~self.give & (self.moves["tool"] >= 0))

    @property
    def right(self) -> float:
        """How often its tools go to the side that they are meant for."""
        meant = (self.moves["friendly"] == 1) == (self.moves["tool"] == e.MEDKIT)
        return self.rate(meant, self.give)

    @property
    def medkits_to_enemies_first(self) -> float:
        return self.rate(self.moves["friendly"] == 0, self.first & self.give & (self.moves["tool"] == e.MEDKIT))

    @property
    def crowding(self) -> float:
        """Tools that lay with its receivers, on average."""
        return float(self.lying[self.mine & self.give].mean())


@cache
def record(name: str) -> Record:
    return Record(name)


SLEUTHS = [name for name, ref in CATALOG.presets.items() if ref.family == "sleuth"]


@needs_speed
def test_who_calls() -> None:
    assert record("interrogator").pays > 0.99
    assert record("silent").pays == record("free_rider").pays == 0
    assert record("free_rider").takes_for_free == record("interrogator").takes_for_free == 1
    assert record("silent").takes_for_free == 0
    assert record("cautious").pays > record("bayes").pays + 0.1
    assert record("expert").pays < 0.2
    for name in SLEUTHS:
        if name not in ("interrogator", "cautious", "medic", "gunner"):
            assert record(name).pays < record("cautious").pays
        if name not in ("silent", "muddler", "herd", "loner"):
            assert record(name).takes_for_free > 0.9


@needs_speed
def test_who_gives_what_first() -> None:
    assert record("medic").medkits_first == 1
    assert record("gunner").medkits_first == 0
    assert 0.1 < record("bayes").medkits_first < 0.9
    assert record("medic").throws_medkits == 0
    assert min(record("medic").pays, record("gunner").pays) > 0.03
    assert record("gunner").throws_medkits == 1
    assert 0 < record("interrogator").throws_medkits < 1


@needs_speed
def test_what_they_believe() -> None:
    assert record("sceptic").certainty < record("bayes").certainty < record("grateful").certainty
    assert record("gossip").right < record("bayes").right - 0.1
    row = {name: policy_row("sleuth", CATALOG.presets[name].params, rules())
           for name in ("sceptic", "grateful", "gossip")}
    assert row["sceptic"][E_MEDKIT] == row["gossip"][E_TRUE] == 0
    assert row["grateful"][E_MEDKIT] > 2 * evidence(rules())[E_MEDKIT]


def test_the_grateful_follow_a_gift_and_the_sceptics_do_not() -> None:
    made = rules(4, talk__verifiable=0.5)
    for name, trusts in (("grateful", True), ("sceptic", False)):
        rows = np.stack([policy_row("sleuth", CATALOG.presets[name].params, made)] * 4)
        game = step.new_game(1, made, rows=rows).apply(step.Give("medkit", 2))
        assert (game.observe(2).friend[0] > 0.9) is trusts
        assert (game.observe(2).friend[0] == pytest.approx(1 / 3)) is not trusts


@needs_speed
def test_whom_they_choose() -> None:
    assert record("baiter").medkits_to_enemies_first > 0.6
    assert record("bayes").medkits_to_enemies_first < 0.3
    assert record("herd").crowding > record("bayes").crowding + 0.4
    assert record("loner").crowding < record("bayes").crowding - 0.3
    assert record("muddler").right < record("bayes").right - 0.15
    # But it is not mere chance.
    assert record("muddler").right > 0.52


@needs_speed
def test_presets_differ_in_what_they_do() -> None:
    """No two presets have the same record: each can be told from every other by its moves."""
    def trace(name: str) -> tuple[float, ...]:
        r = record(name)
        return tuple(np.round(np.nan_to_num([r.pays, r.takes_for_free, r.medkits_first, r.throws_medkits, r.right,
                                             r.crowding, r.certainty]), 6))
    assert len({trace(name) for name in SLEUTHS}) == len(SLEUTHS)


# ---- strength ----------------------------------------------------------------------------------------------------


@needs_speed
@pytest.mark.parametrize("players", [4, 6, 9])
def test_knowing_more_wins_more(players: int) -> None:
    """naive alone among bayes, and random among naive, lose; at small tables bayes does among experts."""
    ladder = [CATALOG.from_spec(name) for name in ("expert", "bayes", "naive", "random")][players > 6:]
    matchups = [(worse, *[better] * (players - 1)) for better, worse in pairwise(ladder)]
    run = Session(rules(players), matchups, 8)
    for matchup in range(len(matchups)):
        deals = 30_000 // players**2
        tally = run.play(matchup, 0, deals, "none").tally
        # The difference to the mean of the others, with its variance over deals.
        weights = np.array([1.0, *[-1 / (players - 1)] * (players - 1)])
        mean = weights @ tally["slot_share"] / deals
        variance = weights @ tally["slot_products"] @ weights / deals - mean**2
        assert mean < -2.5 * math.sqrt(variance / deals), matchup


@pytest.mark.parametrize("players", PLAYERS)
def test_every_preset_plays_at_every_table(players: int) -> None:
    refs = list(CATALOG.presets.values())
    matchups = [[refs[(start + i) % len(refs)] for i in range(players)] for start in range(0, len(refs), players)]
    run = Session(rules(players), matchups, 1)
    for number in range(len(matchups)):
        assert run.play(number, 0, few(3, 1) if players < 8 else 1, "none").n_games
