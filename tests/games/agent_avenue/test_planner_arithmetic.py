"""The planner's vectors against the formulas of docs/policies.md, written out slowly, case by case."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.engine import ACTIVE_WINS, NOBODY, OTHER_WINS, decide
from agentsim.games.agent_avenue.policies.parameters import FAR, LIMITS, PLANNER_PARAMETERS, planner_row
from agentsim.games.agent_avenue.policies.planner import WORK_SIZE, Scene, advantage, exp_like, outcome, work_space
from agentsim.games.agent_avenue.replay import choose_action
from agentsim.games.agent_avenue.rules import Rules, make_rules
from agentsim.games.agent_avenue.step import Discard, GameState, Offer, Take
from tests.games.agent_avenue.helpers import STANDARD, TIE_RULES, decision_keys, few, named, player, random_position


class Slow:
    """A planner's thoughts on a position, from the seat that has to move, card by card."""

    def __init__(self, game: GameState, params: dict[str, float]) -> None:
        self.game, self.params, self.rules = game, params, game.rules
        self.me = game.to_move
        self.it = 1 - self.me
        self.active = game.active == self.me
        self.names = game.rules.names
        self.cards = {card.id: card for card in game.rules.cards}
        self.lead = game.lead if self.me == 0 else -game.lead
        gaps = (game.rules.gap_0, game.rules.gap_1)
        self.gap_me, self.gap_it = gaps[self.me], gaps[self.it]
        self.hand = game.hand(self.me)
        public = {n: self.cards[n].copies - game.in_play(0).get(n, 0) - game.in_play(1).get(n, 0) for n in self.names}
        tossed = named(int(game.state[e.TOSSED + self.me]), self.names)
        self.public = public
        self.unseen = {n: public[n] - self.hand.get(n, 0) - tossed.get(n, 0) for n in self.names}
        self.base = params["lead"] * self.lead + sum(
            self.worth(n, game.in_play(self.me).get(n, 0), True) - self.worth(n, game.in_play(self.it).get(n, 0), False)
            for n in self.names)
        self.n_public = sum(public.values())
        self.stakes = sum(public[n] * self.stake(n) for n in self.names)

    def move(self, name: str, count: int) -> int:
        card = self.cards[name]
        return 0 if count == 0 else (card.first, card.second, card.third)[min(count, 3) - 1]

    def worth(self, name: str, count: int, mine: bool) -> float:
        if count == 0:
            return 0.0
        p, card = self.params, self.cards[name]
        good = bad = 0.0
        for ahead, weight in ((1, p["prospect"]), (2, p["far_prospect"])):
            if count + ahead <= card.copies and (not card.loses_at or count + ahead < card.loses_at):
                good += weight * self.move(name, count + ahead)
        if card.wins_at and count < card.wins_at <= card.copies:
            short = card.wins_at - count
            good += p["win_one_short"] if short == 1 else p["win_two_short"] / 2 ** (short - 2)
        if card.loses_at and count < card.loses_at <= card.copies:
            short = card.loses_at - count
            bad += p["lose_one_short"] if short == 1 else p["lose_two_short"] / 2 ** (short - 2)
        return good - bad if mine else p["guard"] * good - p["trap"] * bad

    def held(self, name: str, mine: bool) -> int:
        return self.game.in_play(self.me if mine else self.it).get(name, 0)

    def gain(self, name: str, mine: bool) -> float:
        n = self.held(name, mine)
        return (self.worth(name, n + 1, mine) - self.worth(name, n, mine)
                + self.params["lead"] * self.move(name, n + 1))

    def completes(self, name: str, mine: bool) -> tuple[bool, bool]:
        card, n = self.cards[name], self.held(name, mine) + 1
        return bool(card.wins_at) and n >= card.wins_at, bool(card.loses_at) and n >= card.loses_at

    def seen(self, name: str, mine: bool) -> float:
        """What the other player is thought to see in a card."""
        card, plain = self.cards[name], self.params["model_plain"]
        glance = self.move(name, self.held(name, mine) + 1) + bool(card.wins_at) - bool(card.loses_at)
        return (1 - plain) * self.gain(name, mine) + plain * self.params["lead"] * glance

    def stake(self, name: str) -> float:
        total = 0.0
        for mine, lead, gap in ((True, self.lead, self.gap_me), (False, -self.lead, self.gap_it)):
            wins, loses = self.completes(name, mine)
            catches = lead + self.move(name, self.held(name, mine) + 1) >= gap
            total += self.seen(name, mine) + 4.0 * ((wins or catches) - loses)
        return total

    def outcome(self, mine: str, its: str) -> float:
        p = self.params
        lead = (self.lead + self.move(mine, self.held(mine, True) + 1)
                - self.move(its, self.held(its, False) + 1))
        (win_me, lose_me), (win_it, lose_it) = self.completes(mine, True), self.completes(its, False)
        win_me, win_it = win_me or lead >= self.gap_me, win_it or -lead >= self.gap_it
        won = 0.5 + p["terminal"]
        tie = TIE_RULES.index(self.rules.tie_rule)
        order = (win_me, win_it, lose_me, lose_it) if self.active else (win_it, win_me, lose_it, lose_me)
        result, _ = decide(tie, *order)
        if result != NOBODY:
            ahead = {ACTIVE_WINS: won, OTHER_WINS: -won}.get(result, 0.0)
            return ahead if self.active else -ahead
        value = (self.base + self.gain(mine, True) - self.gain(its, False)
                 + p["sprint"] * max(lead - self.gap_me // 2, 0) - p["danger"] * max(-lead - self.gap_it // 2, 0))
        return float(advantage(value))

    def suits(self, offerer: bool, likely: float, up: str, down: str) -> float:
        taken = self.seen(down, offerer) - self.seen(up, not offerer)
        left = self.seen(up, offerer) - self.seen(down, not offerer)
        return likely * taken + (1 - likely) * left

    def chance(self, up: str, inferred: float) -> float:
        """Of the face-up card, if that stake is inferred for the hidden one."""
        p = self.params
        return float(0.5 + (1 - p["model_coin"]) * advantage((self.stake(up) - inferred) / p["model_noise"]))

    def foresee(self, up: str) -> tuple[float, float]:
        """The chance that the opponent takes the face-up card, and the stake it infers for the hidden one."""
        p = self.params
        inferred = (self.stakes - self.stake(up)) / max(self.n_public - 1, 1)
        likely = 0.5 if p["depth"] < 1 else self.chance(up, inferred)
        if p["depth"] >= 2:
            weights = {n: self.public[n] * exp_like(self.suits(True, likely, up, n) / p["model_noise"])
                       for n in self.names if n != up}
            inferred = sum(w * self.stake(n) for n, w in weights.items()) / sum(weights.values())
            likely = self.chance(up, inferred)
        return likely, inferred

    def score(self, up: str, down: str) -> float:
        p = self.params
        likely, inferred = self.foresee(up)
        taken, left = self.outcome(down, up), self.outcome(up, down)
        return float(p["caution"] * min(taken, left) + (1 - p["caution"]) * (likely * taken + (1 - likely) * left)
                     + 0.1 * p["bluff"] * (1 - likely) * (inferred - self.stake(down))
                     + 0.1 * p["bait"] * likely * max(0.0, self.gain(down, True) - self.gain(up, True)))

    def pair(self, a: str, b: str) -> float:
        return max(self.score(a, b), self.score(b, a))

    def best(self, hand: dict[str, int]) -> float:
        names = [n for n in hand if hand[n] > 0]
        if len(names) == 1:
            return self.pair(names[0], names[0])
        return max(self.pair(a, b) for a in names for b in names if a < b)

    def promise(self, gone: str) -> float:
        """The mean best score after one more discard. Only right for cards that the best offer does not need."""
        total = 0.0
        for drawn, copies in self.unseen.items():
            if copies > 0:
                hand = dict(self.hand)
                hand[gone] -= 1
                hand[drawn] = hand.get(drawn, 0) + 1
                total += copies * max(self.best(hand), self.best(self.hand))
        return total / sum(self.unseen.values())

    def difference(self, up: str) -> float:
        """How much better the face-up card seems than the hidden one."""
        p = self.params
        inferred = (self.stakes - self.stake(up)) / max(self.n_public - 1, 1)
        likely = self.chance(up, inferred)
        total = weights = 0.0
        for hidden, copies in self.unseen.items():
            if copies > 0 and hidden != up:
                weight = copies * (exp_like(p["trust"] / p["model_noise"] * self.suits(False, likely, up, hidden))
                                   if p["trust"] else 1.0)
                weights += weight
                total += weight * (self.outcome(up, hidden) - self.outcome(hidden, up))
        return total / weights - p["curiosity"]


def some_params(rng: Random, **fixed: float) -> dict[str, float]:
    params = {p.name: float(rng.randint(int(p.low), int(p.high)) if p.whole else rng.uniform(p.low, p.high) / 2 ** 0.5
                            if p.low < 0 else rng.uniform(p.low, min(p.high, 2 * p.default + 0.4)))
              for p in PLANNER_PARAMETERS}
    # The formula is that of free choices; test_planner.py holds to what a planner forbids itself.
    params |= dict.fromkeys(LIMITS, 0.0)
    params["model_noise"] = rng.uniform(0.5, 2)
    return params | {"offer_noise": 0.0, "take_noise": 0.0} | fixed


def spec(params: dict[str, float]) -> str:
    return "planner(" + ", ".join(f"{name}={value!r}" for name, value in params.items()) + ")"


HOUSE_RULES: list[dict[str, Any]] = [
    {}, {"rules.tie_rule": "passive"}, {"rules.tie_rule": "draw"}, {"rules.home_1": 4}, {"rules.hand_size": 6},
    {"cards.saboteur.wins_at": 2, "cards.sentinel.loses_at": 4}]


@pytest.mark.parametrize("settings", HOUSE_RULES, ids=str)
def test_offers_are_the_best_by_the_formula(settings: dict[str, Any]) -> None:
    rng, rules = Random(str(settings)), make_rules(settings)
    for key in decision_keys(few(80, 6)):
        game = random_position(rng, rules)
        params = some_params(rng, discard_margin=1.0)
        made = choose_action(game, player(spec(params), rules), key)
        slow = Slow(game, params)
        assert isinstance(made, Offer)
        if len(slow.hand) > 1:
            assert slow.score(made.face_up, made.face_down) == pytest.approx(slow.best(slow.hand), abs=1e-9)


@pytest.mark.parametrize("settings", HOUSE_RULES, ids=str)
def test_choices_are_the_better_by_the_formula(settings: dict[str, Any]) -> None:
    rng, rules = Random(str(settings)), make_rules(settings)
    for key in decision_keys(few(80, 6)):
        game = random_position(rng, rules)
        offer = rng.choice([a for a in game.legal_actions() if isinstance(a, Offer)])
        game = game.apply(offer)
        params = some_params(rng)
        slow = Slow(game, params)
        if not any(n != offer.face_up and copies > 0 for n, copies in slow.unseen.items()):
            continue
        difference = slow.difference(offer.face_up)
        made = choose_action(game, player(spec(params), rules), key)
        if abs(difference) > 1e-9:
            assert made == Take("face_up" if difference > 0 else "hidden")


@pytest.mark.slow
def test_discards_are_worth_it_by_the_formula() -> None:
    rng, discards, keeps = Random(8), 0, 0
    for key in decision_keys(few(160, 8)):
        game = random_position(rng)
        margin = rng.choice([0.0, 0.01, 0.03])
        params = some_params(rng, discard_margin=margin, reserve=0.005)
        slow = Slow(game, params)
        if not any(isinstance(a, Discard) for a in game.legal_actions()) or len(slow.hand) < 3:
            continue
        best, used = slow.best(slow.hand), int(game.state[e.USED + game.to_move])
        wanted = max((a, b) for a in slow.hand for b in slow.hand if a < b
                     if slow.pair(a, b) >= best - 1e-12)
        spare = [n for n in slow.hand if n not in wanted or slow.hand[n] > 1]
        promise = max(slow.promise(n) for n in spare)
        made = choose_action(game, player(spec(params)), key)
        excess = promise - best - margin - 0.005 * used
        if abs(excess) < 1e-9:
            continue
        assert isinstance(made, Discard) == (excess > 0)
        if isinstance(made, Discard):
            assert slow.promise(made.name) == pytest.approx(promise, abs=1e-9)
            discards += 1
        else:
            keeps += 1
    assert min(discards, keeps) >= few(12, 0)


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@pytest.mark.parametrize("active", [True, False])
def test_outcomes_end_as_the_rules_say(tie_rule: str, active: bool) -> None:
    """Every lead with every combination of sets, by push and drag, against the End step's verdict."""
    tie = TIE_RULES.index(tie_rule)
    won = 0.75
    tied = (won, -won, 0.0)[tie] * (1 if active else -1)
    for lead, win_me, lose_me, win_it, lose_it in product(range(-20, 21), *[(False, True)] * 4):
        scene = Scene(0.1, float(lead), 7.0, 7.0, 3.0, 3.0, 0.0, 0.0, won, tied)
        found = outcome(scene, 0.0, 0.0, FAR * win_me, FAR * lose_me, 0.0, 0.0, FAR * win_it, FAR * lose_it)
        conditions = (win_me or lead >= 7, win_it or -lead >= 7, lose_me, lose_it)
        order = conditions if active else (conditions[1], conditions[0], lose_it, lose_me)
        result, _ = decide(tie, *order)
        ahead = {ACTIVE_WINS: won, OTHER_WINS: -won, NOBODY: advantage(0.1)}.get(result, 0.0)
        assert found == (ahead if active or result == NOBODY else -ahead)


def test_advantage_is_close_to_the_logistic_function() -> None:
    x = np.linspace(-10, 10, 2001)
    found = np.array([advantage(value) for value in x])
    assert np.abs(found + 0.5 - 1 / (1 + np.exp(-x))).max() < 0.04
    assert (np.diff(found) >= 0).all()
    assert found[0] == -0.5
    assert found[-1] == 0.5
    assert [-advantage(-value) for value in x] == found.tolist()


def test_exp_like_is_close_to_the_exponential() -> None:
    x = np.linspace(-2, 2, 401)
    found = np.array([exp_like(value) for value in x])
    assert np.abs(found / np.exp(x) - 1).max() < 0.01
    wide = np.array([exp_like(value) for value in np.linspace(-300, 100, 4001)])
    assert (np.diff(wide) >= 0).all()
    assert wide[0] > 0


def test_lent_work_space_starts_at_a_cache_line() -> None:
    for _ in range(20):
        space = work_space()
        assert space.shape == (WORK_SIZE,)
        assert space.ctypes.data % 64 == 0


def test_guard_and_trap_weigh_the_other_side_only() -> None:
    plain: dict[str, float] = {p.name: p.default for p in PLANNER_PARAMETERS}
    rules: Rules = STANDARD
    one, changed = planner_row(plain, rules), planner_row(plain | {"guard": 2.0, "trap": 0.5}, rules)
    differs = {(index - 32) % 8 for index in np.flatnonzero(one != changed) if index >= 32}
    assert differs == {1, 3}
