"""The planner's parameters do what their sentences say, and none of them is idle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import log, sqrt
from random import Random
from typing import Any

import numpy as np
import pytest

from agentsim.games.agent_avenue.engine import END_REASONS
from agentsim.games.agent_avenue.policies.parameters import OF_DIVISION_M, OF_MARKET, PLANNER_PARAMETERS, Parameter
from agentsim.games.agent_avenue.replay import choose_action
from agentsim.games.agent_avenue.rules import Rules, make_rules
from agentsim.games.agent_avenue.step import Action, Discard, GameState, Offer, Take
from tests.games.agent_avenue.helpers import (
    STANDARD,
    decision_keys,
    few,
    needs_speed,
    player,
    position,
    random_position,
    session,
)

# What else has to be so for a parameter to matter at all.
CONTEXT = {"reserve": "discard_margin=0"}


@cache
def offers(count: int, seed: int = 3, rules: Rules = STANDARD) -> tuple[GameState, ...]:
    """Positions in which an offer is due; made once, for all tests."""
    rng = Random(seed)
    return tuple(random_position(rng, rules) for _ in range(count))


@cache
def choices(count: int, seed: int = 4, rules: Rules = STANDARD) -> tuple[GameState, ...]:
    """Positions in which a choice is due; made once, for all tests."""
    rng = Random(seed)
    found = []
    for _ in range(count):
        game = random_position(rng, rules)
        found.append(game.apply(rng.choice([a for a in game.legal_actions() if isinstance(a, Offer)])))
    return tuple(found)


def planner(*parameters: str) -> str:
    return f"planner({', '.join(parameters)})"


def decisions(spec: str, games: Sequence[GameState], seed: int = 1) -> list[Action]:
    who = player(spec, games[0].rules)
    return [choose_action(game, who, key) for game, key in zip(games, decision_keys(len(games), seed), strict=True)]


def moved(game: GameState, name: str, seat: int) -> int:
    """Spaces that the next agent of a name would move a seat."""
    card = next(card for card in game.rules.cards if card.id == name)
    copies = game.in_play(seat).get(name, 0) + 1
    return (card.first, card.second)[copies - 1] if copies < 3 else card.third


def appeal(game: GameState, name: str, seat: int) -> float:
    """What a card is worth to a seat at a glance: its move, a third of a set, a third of a danger."""
    return moved(game, name, seat) + 3.0 * (name == "codebreaker") - 3.5 * (name == "daredevil")


# ---- all of them -----------------------------------------------------------------------------------------------------


OF_MODES = OF_MARKET + OF_DIVISION_M
"""Parameters that have nothing to work on in the base game; ``modes/test_policies.py`` holds them to something."""


@pytest.mark.parametrize("name", OF_MODES)
def test_parameters_of_the_modes_change_nothing_in_the_base_game(name: str) -> None:
    games = offers(few(300, 10)) + choices(few(300, 10))
    parameter = next(p for p in PLANNER_PARAMETERS if p.name == name)
    low, high = (decisions(planner(f"{name}={value!r}"), games) for value in (parameter.low, parameter.high))
    assert low == high


@needs_speed
@pytest.mark.parametrize("parameter", [p for p in PLANNER_PARAMETERS if p.name not in OF_MODES], ids=lambda p: p.name)
def test_no_parameter_is_idle(parameter: Parameter) -> None:
    games = offers(2500) + choices(2500)
    context = [CONTEXT[parameter.name]] if parameter.name in CONTEXT else []
    low, high = (player(planner(f"{parameter.name}={value!r}", *context)) for value in (parameter.low, parameter.high))
    assert any(choose_action(game, low, key) != choose_action(game, high, key)
               for game, key in zip(games, decision_keys(len(games), 1), strict=True))


@pytest.mark.parametrize("name", ["bluff", "bait", "caution", "depth", "offer_noise", "discard_margin"])
def test_parameters_of_offers_do_not_touch_choices(name: str) -> None:
    games = choices(few(600, 20))
    parameter = next(p for p in PLANNER_PARAMETERS if p.name == name)
    low, high = (decisions(planner(f"{name}={value!r}"), games) for value in (parameter.low, parameter.high))
    assert low == high


@pytest.mark.parametrize("name", ["trust", "curiosity", "take_noise"])
def test_parameters_of_choices_do_not_touch_offers(name: str) -> None:
    games = offers(few(600, 20))
    parameter = next(p for p in PLANNER_PARAMETERS if p.name == name)
    low, high = (decisions(planner(f"{name}={value!r}"), games) for value in (parameter.low, parameter.high))
    assert low == high


def test_without_noise_only_exact_ties_are_left_to_chance() -> None:
    games = offers(few(300, 20)) + choices(few(300, 20))
    once, again = decisions("planner", games, seed=1), decisions("planner", games, seed=2)
    # Among them the order of a pair that wins, or loses, either way.
    assert sum(a != b for a, b in zip(once, again, strict=True)) <= len(games) // 30


# ---- choices ---------------------------------------------------------------------------------------------------------


def test_curiosity_takes_the_hidden_card() -> None:
    games = choices(few(500, 30))
    shares = []
    for curiosity in (-1, -0.1, 0, 0.1, 1):
        taken = Counter(decisions(planner(f"curiosity={curiosity}"), games))
        shares.append(taken[Take("hidden")] / len(games))
    # A sure win against a sure loss weighs as much as the strongest taste.
    assert shares[0] < 0.01
    assert shares[-1] > 0.99
    assert shares == sorted(shares)
    assert 0.1 < shares[2] < 0.9


@needs_speed
def test_take_noise_blurs_choices() -> None:
    """A clear choice stays the likelier one at any temperature, and comes near a coin's at a high one."""
    games = [game for game in choices(60)
             if len({a for seed in range(5) for a in decisions("planner", [game], seed)}) == 1][:25]
    for game in games:
        best = decisions("planner", [game])[0]
        shares = []
        for noise in (0.01, 0.3, 2):
            who = player(planner(f"take_noise={noise}"))
            taken = [choose_action(game, who, key) == best for key in decision_keys(1500)]
            shares.append(sum(taken) / len(taken))
        assert shares[0] >= shares[1] - 0.05 >= shares[2] - 0.1
        assert 0.45 < shares[2] < 0.75


@needs_speed
def test_trust_pays_against_an_offerer_that_it_understands() -> None:
    """It changes what the hidden card is believed to be, and so the choice, in a fair share of positions."""
    games = choices(1500)
    zero, half, full = (decisions(planner(f"trust={trust}"), games) for trust in (0, 0.5, 1))
    moved_half = sum(a != b for a, b in zip(zero, half, strict=True))
    moved_full = sum(a != b for a, b in zip(zero, full, strict=True))
    assert 15 < moved_half < moved_full < 750


# ---- offers ----------------------------------------------------------------------------------------------------------


def test_at_depth_0_and_with_full_caution_the_order_of_a_pair_does_not_matter() -> None:
    """By a coin, or looking at the worse answer only, it is the same which of the two lies up."""
    game = position(active_hand=["enforcer", "sentinel"], other_hand=[])
    for spec in (planner("depth=0", "offer_noise=0.5"), planner("caution=1", "offer_noise=0.5")):
        who = player(spec)
        drawn = Counter(choose_action(game, who, key) for key in decision_keys(few(4000, 300)))
        up = drawn[Offer("enforcer", "sentinel")] / drawn.total()
        assert abs(up - 0.5) < 4 * 0.5 / sqrt(drawn.total())


@needs_speed
def test_depth_changes_which_card_lies_up() -> None:
    games = offers(1000)
    by_depth = [decisions(planner(f"depth={depth}", "caution=0"), games) for depth in (0, 1, 2)]
    for a, b in ((0, 1), (1, 2)):
        assert sum(x != y for x, y in zip(by_depth[a], by_depth[b], strict=True)) > 20


def test_an_opponent_that_only_tosses_coins_is_that_of_depth_0() -> None:
    games = offers(few(600, 20))
    by_depth, never, always = (decisions(planner(one), games) for one in ("depth=0", "model_coin=0", "model_coin=1"))
    assert by_depth == always != never


@needs_speed
@pytest.mark.parametrize("other", ["greedy", "minmax"])
def test_to_know_that_others_only_glance_pays_against_those_who_do(other: str) -> None:
    """6 and 5 points on other deals; half of it is asked for."""
    plain, knows = (session((planner(f"model_plain={share}"), other), seed=12) for share in (0, 1))
    assert win_rate(knows) > win_rate(plain) + 0.025


def win_rate(table: Any, deals: int = 4000) -> float:
    """What the first policy of a session wins."""
    games = table.play(0, 0, deals, "games").tables["games"]
    seat = (games["policy_0"] != table.labels.index(table.matchups[0][0].label)).astype(int)
    return float((games["winner"] == seat).mean())


@needs_speed
def test_offer_noise_is_a_temperature() -> None:
    """Twice the temperature halves the logarithm of how often one offer is made for each of the other."""
    game = position(active_hand=["enforcer", "sentinel", "codebreaker", "saboteur"], other_hand=[], lead=2)
    logs: list[dict[tuple[Action, Action], float]] = []
    for noise in (0.05, 0.1, 2):
        who = player(planner(f"offer_noise={noise}"))
        drawn = Counter(choose_action(game, who, key) for key in decision_keys(40_000))
        common = [action for action, n in drawn.items() if n > 800]
        logs.append({(a, b): log(drawn[a] / drawn[b]) for a in common for b in common})
        if noise == 2:
            assert len(drawn) == 12
            assert max(drawn.values()) < 2 * min(drawn.values())
    pairs = set(logs[0]) & set(logs[1])
    assert max(abs(logs[0][pair]) for pair in pairs) > 0.4
    for pair in pairs:
        assert abs(logs[0][pair] - 2 * logs[1][pair]) < 0.25


@needs_speed
def test_caution_looks_at_the_worse_answer() -> None:
    """What the other gets by its better answer, at a glance, is less for who looks at it."""
    games = offers(3000)
    worst = []
    for caution in (0, 1):
        made = decisions(planner(f"caution={caution}", "depth=1"), games)
        worst.append(np.mean([min(exchange(game, a, True), exchange(game, a, False)) for game, a in
                              zip(games, made, strict=True) if isinstance(a, Offer)]))
    assert worst[0] < worst[1] - 0.03


def exchange(game: GameState, offer: Offer, face_up: bool) -> float:
    me = game.active
    mine, its = (offer.face_down, offer.face_up) if face_up else (offer.face_up, offer.face_down)
    return appeal(game, mine, me) - appeal(game, its, 1 - me)


@needs_speed
def test_bluff_hides_what_is_worth_little_to_the_other() -> None:
    games = offers(1500)
    hidden = []
    for bluff in (-3, 0, 3):
        made = decisions(planner(f"bluff={bluff}"), games)
        hidden.append(np.mean([appeal(game, a.face_down, 1 - game.active) for game, a in
                               zip(games, made, strict=True) if isinstance(a, Offer)]))
    assert hidden[0] > hidden[1] > hidden[2]


@needs_speed
def test_bait_lays_the_better_one_for_itself_face_down() -> None:
    games = offers(1500)
    kept = []
    for bait in (-3, 0, 3):
        made = decisions(planner(f"bait={bait}"), games)
        kept.append(np.mean([appeal(game, a.face_down, game.active) - appeal(game, a.face_up, game.active)
                             for game, a in zip(games, made, strict=True) if isinstance(a, Offer)]))
    assert kept[0] < kept[1] < kept[2]


# ---- discards --------------------------------------------------------------------------------------------------------


def test_a_margin_of_1_never_discards() -> None:
    games = [*offers(few(800, 40)), position(active_hand=["mole"] * 1 + ["saboteur"] * 3, lead=-6)]
    assert not any(isinstance(a, Discard) for a in decisions(planner("discard_margin=1"), games))
    tally = session(planner("discard_margin=1")).play(0, 0, few(3000, 10), "none").tally
    assert tally["discards"].tolist() == [0, 0]


@needs_speed
def test_a_smaller_margin_discards_more() -> None:
    used = [int(session(planner(f"discard_margin={margin}")).play(0, 0, 5000, "none").tally["discards"].sum())
            for margin in (0, 0.02, 0.05, 0.1, 0.3, 1)]
    assert used == sorted(used, reverse=True)
    assert used[0] > used[1] > used[2] > used[-1] == 0


@needs_speed
def test_a_reserve_keeps_discards_for_later() -> None:
    """With the largest a second discard would have to promise more than certainty."""
    games = {}
    for reserve in (0, 0.05, 1):
        table = session(planner("discard_margin=0", f"reserve={reserve}"))
        games[reserve] = table.play(0, 0, 3000, "games").tables["games"]
    total = {reserve: int((table["discards_0"] + table["discards_1"]).sum()) for reserve, table in games.items()}
    assert total[0] > total[0.05] > total[1] > 0
    assert max(games[1]["discards_0"].max(), games[1]["discards_1"].max()) == 1
    assert max(games[0]["discards_0"].max(), games[0]["discards_1"].max()) == 4


def test_discards_leave_a_hand_that_can_offer_more() -> None:
    """A hand of bad cards is redrawn, and one that wins at once is kept."""
    bad = position(active_hand=["saboteur", "saboteur", "saboteur", "mole"], other_has=["saboteur"], lead=-5)
    assert isinstance(decisions(planner("discard_margin=0.02"), [bad])[0], Discard)
    won = position(active_hand=["daredevil", "sidekick", "enforcer", "enforcer"], lead=6, active_has=["enforcer"])
    assert isinstance(decisions(planner("discard_margin=0.02"), [won])[0], Offer)


# ---- what a position is worth ----------------------------------------------------------------------------------------


def against_random(*parameters: str, deals: int = 4000, settings: dict[str, Any] | None = None) -> dict[str, Any]:
    """How games against the random policy end: the planner's wins by reason, and what it holds at the end."""
    table = session((planner(*parameters), "random"), settings=settings, seed=12)
    games = table.play(0, 0, deals, "games").tables["games"]
    seat = (games["policy_0"] != table.labels.index(table.matchups[0][0].label)).astype(int)
    won = games["winner"] == seat
    found: dict[str, Any] = {reason: float((won & (games["end_reason"] == number)).mean())
                             for number, reason in enumerate(END_REASONS)}
    for card in table.rules.cards:
        found[card.id] = float(np.where(seat == 0, games[f"final_0_{card.id}"], games[f"final_1_{card.id}"]).mean())
    return found | {"turns": float(games["n_turns"].mean()), "wins": float(won.mean())}


@needs_speed
def test_who_values_the_lead_wins_by_catching() -> None:
    slow, fast = against_random("lead=0", "sprint=0", "prospect=0", "far_prospect=0"), against_random("lead=2")
    assert fast["catch"] > slow["catch"] + 0.1


@needs_speed
@pytest.mark.parametrize("name", ["win_two_short", "win_one_short"])
def test_who_values_codebreakers_collects_them(name: str) -> None:
    low, high = against_random(f"{name}=-3"), against_random(f"{name}=5")
    assert high["codebreakers"] > low["codebreakers"] + 0.03
    assert high["codebreaker"] > low["codebreaker"] + 0.1


@needs_speed
@pytest.mark.parametrize("name", ["lose_two_short", "lose_one_short"])
def test_who_fears_daredevils_avoids_them(name: str) -> None:
    low, high = against_random(f"{name}=-3"), against_random(f"{name}=5")
    assert high["daredevil"] < low["daredevil"] - 0.1


@needs_speed
@pytest.mark.parametrize("name", ["prospect", "far_prospect"])
def test_who_values_prospects_collects_sentinels(name: str) -> None:
    """0, then +2, then +6: the card whose next copies promise most."""
    low, high = against_random(f"{name}=-1"), against_random(f"{name}=1")
    assert high["sentinel"] > low["sentinel"] + 0.1


@needs_speed
def test_the_family_plays_other_cards_sensibly() -> None:
    """Sets moved to other agents are collected and avoided as codebreakers and daredevils were."""
    moved_sets = {"cards.codebreaker.wins_at": 0, "cards.daredevil.loses_at": 0,
                  "cards.saboteur.wins_at": 3, "cards.sentinel.loses_at": 3}
    plain, changed = against_random(), against_random(settings=moved_sets)
    assert changed["saboteur"] > plain["saboteur"] + 0.2
    assert changed["sentinel"] < plain["sentinel"] - 0.2
    assert changed["wins"] > 0.75


@needs_speed
@pytest.mark.parametrize("active", [0, 1])
def test_a_win_at_hand_is_taken_and_a_loss_avoided(active: int) -> None:
    """Whatever a position is held to be worth: a sure win against anything else, anything else against a sure loss."""
    rng = Random(6)
    win = position(active=active, other_has=["codebreaker"] * 2, active_hand=["codebreaker", "saboteur"])
    loss = position(active=active, other_has=["daredevil"] * 2, active_hand=["daredevil", "saboteur"])
    hand = ["codebreaker", "enforcer", "saboteur", "sentinel"]
    offer = position(active=active, other_has=["codebreaker"] * 2, active_hand=hand)
    for key in decision_keys(100):
        values = ", ".join(f"{p.name}={rng.uniform(p.low, p.high):.3f}" for p in PLANNER_PARAMETERS
                           if p.name in ("lead", "sprint", "prospect", "win_one_short", "lose_one_short", "tempo"))
        who = player(f"planner({values})")
        assert choose_action(win.apply(Offer("codebreaker", "saboteur")), who, key) == Take("face_up")
        assert choose_action(loss.apply(Offer("daredevil", "saboteur")), who, key) == Take("hidden")
        chosen = choose_action(offer, player("planner"), key)
        assert isinstance(chosen, Offer)
        assert "codebreaker" not in (chosen.face_up, chosen.face_down)


@needs_speed
@pytest.mark.parametrize("rules", [{"rules.tie_rule": "passive"}, {"rules.ring": 9, "rules.home_1": 3},
                                   {"rules.hand_size": 7}])
def test_the_planner_beats_random_under_house_rules(rules: dict[str, Any]) -> None:
    assert against_random(settings=rules)["wins"] > 0.8


@pytest.mark.parametrize("active", [0, 1])
@pytest.mark.parametrize(("tie_rule", "answer"), [("active", "hidden"), ("passive", "face_up")])
def test_ties_go_by_the_rules_it_plays(tie_rule: str, answer: Any, active: int) -> None:
    """The third codebreaker wins, unless the other catches with the hidden card, as with nearly every unseen one."""
    game = position(
        active=active, lead=6, active_hand=["codebreaker", "sidekick"], other_hand=["saboteur"] * 4,
        active_has=["double_agent", "enforcer", "daredevil", "sentinel", "saboteur", "saboteur"],
        other_has=["codebreaker"] * 2, discarded=([], ["codebreaker"] * 3),
        rules=make_rules({"rules.tie_rule": tie_rule}))
    game = game.apply(Offer("codebreaker", "sidekick"))
    assert game.apply(Take("face_up")).winner == (active if tie_rule == "active" else 1 - active)
    assert set(decisions("planner", [game] * 20)) == {Take(answer)}


# ---- what it forbids itself ------------------------------------------------------------------------------------------


def test_no_blind_takes_what_it_sees() -> None:
    assert set(decisions(planner("no_blind=1"), choices(few(500, 30)))) == {Take("face_up")}


def test_no_sets_leaves_codebreakers_alone() -> None:
    games = choices(few(1500, 60))
    for game, taken in zip(games, decisions(planner("no_sets=1", "no_blind=0"), games), strict=True):
        if game.observe(1 - game.active).face_up == "codebreaker":
            assert taken == Take("hidden")
    for game, offer in zip(games := offers(few(1500, 60)), decisions(planner("no_sets=1"), games), strict=True):
        others = set(game.hand(game.active)) - {"codebreaker"}
        if isinstance(offer, Offer) and len(others) >= 2:
            assert "codebreaker" not in (offer.face_up, offer.face_down)


@pytest.mark.parametrize("active", [0, 1])
def test_no_bluff_does_not_hide_what_loses_the_game(active: int) -> None:
    game = position(active=active, other_has=["daredevil"] * 2, active_hand=["daredevil", "sentinel"])
    for limits, hidden in (("no_bluff=0, bluff=3", "daredevil"), ("no_bluff=1, bluff=3", "sentinel")):
        for key in decision_keys(20):
            chosen = choose_action(game, player(f"planner({limits})"), key)
            assert isinstance(chosen, Offer)
            assert chosen.face_down == hidden
