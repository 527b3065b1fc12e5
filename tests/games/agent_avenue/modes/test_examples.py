"""The worked examples of the Black Market, Division M and the teams, played by both engines in step."""

from __future__ import annotations

from typing import Any

import pytest

from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.rules import make_rules
from agentsim.games.agent_avenue.view import DISCARD
from tests.games.agent_avenue.modes.lockstep import Pair, with_own
from tests.games.agent_avenue.modes.positions import ADVANCED, answers, end, gained, lay, turn

DIVISION_M = make_rules({"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "both"})


def hand_of(pair: Pair, side: int = 0, member: int = 0) -> list[str]:
    return pair.names(pair.state[x.HANDS + 2 * side + member])


def held(pair: Pair, side: int = 0) -> list[str]:
    return [pair.card(int(pair.state[x.ORDER + 64 * side + k])) for k in range(int(pair.state[x.N_HELD + side]))]


# --- landing ----------------------------------------------------------------------------------------------------------
def test_a_retreat_onto_a_corner_is_a_landing() -> None:
    pair = turn(lay(steps=(3, 0), hand=("saboteur", "codebreaker"), supply=["watchtower"]), "codebreaker", "saboteur",
                "codebreaker", "watchtower")
    assert (gained(pair, 0), held(pair)) == (2, ["watchtower"])


def test_standing_still_on_a_corner_takes_nothing() -> None:
    pair = turn(lay(steps=(2, 0), hand=("sentinel", "codebreaker")), "codebreaker", "sentinel", "codebreaker")
    assert held(pair) == []


def test_crossing_a_corner_takes_nothing() -> None:
    pair = turn(lay(steps=(1, 0), hand=("daredevil", "codebreaker")), "codebreaker", "daredevil", "codebreaker")
    assert (gained(pair, 0), held(pair)) == (3, [])


def test_a_truck_drives_off_the_corner() -> None:
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker"), supply=["surveillance_truck"]), "codebreaker",
                "enforcer", "codebreaker", "surveillance_truck")
    assert gained(pair, 0) == 3


def test_the_card_that_a_pawn_lands_for_does_not_move_it() -> None:
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker"), supply=["watchtower"]), "codebreaker", "enforcer",
                "codebreaker", "watchtower")
    assert gained(pair, 0) == 2


def test_a_chain_of_three_landings_while_the_opponent_waits() -> None:
    """Onto 2, by double_trouble's 3rd enforcer to 5, by secret_recruit's sidekick to 9; then the opponent takes."""
    pair = lay(steps=(0, 4), hand=("daredevil", "enforcer", "enforcer", "enforcer", "sidekick"),
               has=({"enforcer": 2}, {}), supply=["double_trouble", "secret_recruit", "masterplan"],
               pile=["getaway_car", "watchtower", "outpost", "spycation"])
    turn(pair, "enforcer", "daredevil", "enforcer", "double_trouble", "enforcer", "secret_recruit", "sidekick",
         "masterplan", "getaway_car")
    assert (gained(pair, 0), gained(pair, 1)) == (9, 5)
    assert (held(pair, 0), held(pair, 1)) == (["masterplan"], ["getaway_car"])


def test_both_land_and_the_supply_runs_dry() -> None:
    pair = turn(lay(steps=(1, 1), hand=("enforcer", "enforcer"), supply=["masterplan"]), "enforcer", "enforcer",
                "enforcer", "masterplan")
    assert (held(pair, 0), held(pair, 1)) == (["masterplan"], [])


def test_an_empty_market_gives_nothing() -> None:
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker"), supply=[]), "codebreaker", "enforcer",
                "codebreaker")
    assert (gained(pair, 0), int(pair.state[x.OWED])) == (2, 0)


def test_the_gap_is_refilled_before_the_card_is_resolved() -> None:
    """The truck carries the pawn from one corner to nothing; what lies there now came off the pile."""
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker"),
                    supply=["outpost", "surveillance_truck", "spycation"], pile=["masterplan"]),
                "codebreaker", "enforcer", "codebreaker", "surveillance_truck")
    lying = [pair.card(int(copy)) for copy in pair.state[x.SUPPLY:x.SUPPLY + 3]]
    assert lying == ["outpost", "masterplan", "spycation"]


# --- instant cards ----------------------------------------------------------------------------------------------------
def test_smoke_screen_draws_the_mole_and_the_pawn_is_passed() -> None:
    pair = turn(lay(steps=(1, 6), hand=("enforcer", "codebreaker"), deck=[*["sentinel"] * 4, "mole"],
                    supply=["smoke_screen"]), "codebreaker", "enforcer", "codebreaker", "smoke_screen")
    assert gained(pair, 0) == -1  # 1 + 1 - 3: seven behind the opponent, who has caught it
    assert end(pair) == (1, "catch")


def test_smoke_screen_with_an_empty_deck() -> None:
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker"), deck=[], supply=["smoke_screen"],
                    other_hand=("mole", "codebreaker")), "codebreaker", "enforcer", "codebreaker", "smoke_screen")
    assert gained(pair, 0) == 2


def test_outpost_and_then_a_draw() -> None:
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker", "sentinel", "saboteur"),
                    deck=["mole", "saboteur", "sidekick", "enforcer"], supply=["outpost"]), "codebreaker", "enforcer",
                "codebreaker", "outpost")
    assert pair.names(pair.state[e.PLAY]) == ["enforcer", "sentinel"]
    assert len(hand_of(pair)) == 4


def test_a_hand_above_four_does_not_draw() -> None:
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker", "sentinel", "saboteur"), has=({}, {"sidekick": 1}),
                    supply=["mind_control"]), "codebreaker", "enforcer", "codebreaker", "mind_control", "sidekick")
    assert len(hand_of(pair)) == 5
    before = int(e.deck_left(pair.state, pair.table))
    turn(pair, "codebreaker", "enforcer", "codebreaker")
    hand = hand_of(pair)
    turn(pair, hand[0], next(name for name in hand if name != hand[0]), hand[0])
    assert len(hand_of(pair)) == 4
    assert before - int(e.deck_left(pair.state, pair.table)) == 3  # 2 for the opponent, 1 for a hand of 5 less 2


def test_mind_control_on_a_third_codebreaker_undoes_the_win() -> None:
    start: dict[str, Any] = {"steps": (1, 0), "hand": ("enforcer", "codebreaker"), "has": ({}, {"codebreaker": 2})}
    pair = turn(lay(supply=["mind_control"], **start), "codebreaker", "enforcer", "codebreaker", "mind_control",
                "codebreaker")
    assert not pair.over
    assert "codebreaker" in pair.names(pair.state[x.SHOWN])
    lost = turn(lay(supply=["masterplan"], **start), "codebreaker", "enforcer", "codebreaker", "masterplan")
    assert end(lost) == (1, "codebreakers")


@pytest.mark.parametrize(("again", "went", "cards"), [(False, 2, 5), (True, 3, 4)])
def test_spycation_with_and_without_recruiting(again: bool, went: int, cards: int) -> None:
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker", "saboteur", "mole"), supply=["spycation"]),
                "codebreaker", "enforcer", "codebreaker", "spycation", "enforcer", again)
    assert (gained(pair, 0), len(hand_of(pair))) == (went, cards)


def test_double_trouble_without_a_pair_is_discarded() -> None:
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker", "saboteur", "mole"), deck=["sentinel", "sidekick"],
                    supply=["double_trouble"]), "codebreaker", "enforcer", "codebreaker", "double_trouble")
    assert (gained(pair, 0), held(pair), int(pair.state[x.EVENTS])) == (2, [], 1)


def test_double_trouble_shows_the_card_that_is_kept() -> None:
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker", "saboteur", "saboteur"), deck=["mole", "sidekick"],
                    supply=["double_trouble"]), "codebreaker", "enforcer", "codebreaker", "double_trouble", "saboteur")
    assert gained(pair, 0) == 1
    assert pair.names(pair.state[x.SHOWN]) == ["saboteur"]


def test_what_was_shown_of_a_hand_is_known_until_it_may_have_left() -> None:
    """A face-down discard of any card may have been the known one; a card that is seen to be laid is that one."""
    def shown_after(*laid: int) -> list[str]:
        pair = lay(hand=("enforcer", "codebreaker", "saboteur", "saboteur"), deck=["mole", "sidekick", "mole"])
        pair.state[x.SHOWN] = 2 << 4 * names.index("saboteur")
        pair.state[x.SHOWN + 2] = 1 << 4 * names.index("sentinel")
        for option in laid:
            pair.choose(option)
        assert pair.names(pair.state[x.SHOWN + 2]) == ["sentinel"]
        return pair.names(pair.state[x.SHOWN])

    names = ADVANCED.names
    enforcer, codebreaker, saboteur = (names.index(name) for name in ("enforcer", "codebreaker", "saboteur"))
    assert shown_after(DISCARD + enforcer) == []
    assert shown_after(16 * enforcer + codebreaker) == ["saboteur", "saboteur"]
    assert shown_after(16 * saboteur + codebreaker) == ["saboteur"]
    assert shown_after(16 * codebreaker + saboteur) == ["saboteur", "saboteur"]  # nobody has seen it leave yet
    assert shown_after(16 * codebreaker + saboteur, 1) == ["saboteur"]


def test_secret_recruit_takes_a_name_that_is_not_in_play() -> None:
    pair = lay(steps=(1, 0), hand=("enforcer", "codebreaker", "enforcer", "sidekick"), deck=["mole"],
               supply=["secret_recruit"])
    turn(pair, "codebreaker", "enforcer", "codebreaker", "secret_recruit", "sidekick")
    assert gained(pair, 0) == 6


def test_ceasefire_clears_the_table() -> None:
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker"), has=({"sentinel": 1}, {"mole": 1}),
                    supply=["ceasefire"]), "codebreaker", "enforcer", "codebreaker", "ceasefire")
    assert (int(pair.state[e.PLAY]), int(pair.state[e.PLAY + 1])) == (0, 0)


# --- ongoing cards ----------------------------------------------------------------------------------------------------
def test_getaway_car_from_6_by_1_to_10() -> None:
    pair = turn(lay(steps=(6, 6), hand=("enforcer", "codebreaker"), owns=(["getaway_car"], [])), "codebreaker",
                "enforcer", "codebreaker")
    assert (gained(pair, 0), int(pair.state[e.MOVED])) == (10, 4)


def test_distraction_on_the_third_saboteur() -> None:
    pair = turn(lay(hand=("saboteur", "codebreaker"), has=({"saboteur": 2}, {}), owns=(["distraction_device"], []),
                    supply=[]), "codebreaker", "saboteur", "codebreaker")
    assert gained(pair, 0) == 2


def test_the_twin_on_the_second_double_agent_catches_from_five_behind() -> None:
    """It stops on a corner and takes a card first."""
    pair = turn(lay(steps=(0, 5), hand=("double_agent", "codebreaker"), has=({"double_agent": 1}, {}),
                    owns=(["sinister_twin"], [])), "codebreaker", "double_agent", "codebreaker", "security_system")
    assert gained(pair, 0) == 12
    assert end(pair) == (0, "catch")


def test_masterplan_with_seven_of_eight_names() -> None:
    names = ("double_agent", "codebreaker", "saboteur", "sentinel", "sidekick", "mole")
    pair = turn(lay(hand=("enforcer", "codebreaker"), has=(dict.fromkeys(names, 1), {}), owns=(["masterplan"], [])),
                "codebreaker", "enforcer", "codebreaker")
    assert end(pair) == (0, "masterplan")
    six = turn(lay(hand=("enforcer", "codebreaker"), has=(dict.fromkeys(names[1:], 1), {}), owns=(["masterplan"], [])),
               "codebreaker", "enforcer", "codebreaker")
    assert not six.over


def test_security_on_a_home_after_a_retreat() -> None:
    pair = turn(lay(steps=(8, 8), hand=("saboteur", "codebreaker"), owns=([], ["security_system"])), "codebreaker",
                "saboteur", "codebreaker")
    assert end(pair) == (1, "security_system")


def test_the_leader_beside_a_third_condition() -> None:
    """Leader and 3 daredevils are a win; the opponent catches in the same turn: both win, the active side takes it."""
    pair = turn(lay(steps=(0, 6), hand=("daredevil", "enforcer"), has=({"daredevil": 2}, {}),
                    owns=(["leader_of_the_pack"], [])), "enforcer", "daredevil", "enforcer")
    assert end(pair) == (0, "leader_of_the_pack")
    assert pair.state[e.TIE] == 1


def test_an_ongoing_card_counts_in_the_end_of_its_turn() -> None:
    """The 7th name lands on a corner, masterplan is taken there: it wins at once."""
    names = ("double_agent", "codebreaker", "saboteur", "sentinel", "sidekick", "mole")
    pair = turn(lay(steps=(1, 0), hand=("enforcer", "codebreaker"), has=(dict.fromkeys(names, 1), {}),
                    supply=["masterplan"]), "codebreaker", "enforcer", "codebreaker", "masterplan")
    assert end(pair) == (0, "masterplan")


# --- the End step -----------------------------------------------------------------------------------------------------
def test_overtaken_in_mid_chain_and_ahead_again_is_not_caught() -> None:
    """The move of 0 -> -6 behind is made good by the truck before End."""
    pair = turn(lay(steps=(3, 9), hand=("saboteur", "codebreaker"), supply=["surveillance_truck"]), "codebreaker",
                "saboteur", "codebreaker", "surveillance_truck")
    assert gained(pair, 0) - gained(pair, 1) == -6
    assert not pair.over


def test_level_at_end_is_caught() -> None:
    pair = turn(lay(steps=(3, 9), hand=("saboteur", "codebreaker"), supply=["watchtower"]), "codebreaker", "saboteur",
                "codebreaker", "watchtower")
    assert end(pair) == (1, "catch")


# --- made-up cards ----------------------------------------------------------------------------------------------------
def made_up(**cards: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: {"effects": effects} for name, effects in cards.items()}


def test_a_landing_is_owed_by_a_pawn_that_was_shifted_meanwhile() -> None:
    own = made_up(shove=[{"do": "move", "who": "rival", "spaces": -1}])
    pair = turn(lay(with_own(ADVANCED, own), own=own, steps=(1, 1), hand=("enforcer", "enforcer"),
                    supply=["shove", "masterplan"]), "enforcer", "enforcer", "enforcer", "shove", "masterplan")
    assert (gained(pair, 1), held(pair, 1)) == (1, ["masterplan"])


def test_a_shift_onto_a_corner_owes_one_more() -> None:
    own = made_up(shove=[{"do": "move", "who": "rival", "spaces": 3}])
    pair = turn(lay(with_own(ADVANCED, own), own=own, steps=(1, 1), hand=("enforcer", "enforcer"),
                    supply=["shove", "masterplan", "watchtower"]), "enforcer", "enforcer", "enforcer", "shove",
                "masterplan", "watchtower")
    assert (gained(pair, 1), held(pair, 1)) == (5, ["masterplan", "watchtower"])


def test_set_negate_multiply_add_on_one_recruit() -> None:
    when = {"when": "recruit", "agent": "enforcer"}
    own = made_up(three=[{**when, "do": "set", "spaces": 3}], back=[{**when, "do": "set", "spaces": -1}],
                  turned=[{**when, "do": "negate"}], twice=[{**when, "do": "multiply", "by": 2}],
                  more=[{**when, "do": "add", "spaces": 2}])
    for order, went in ((("three", "back", "turned", "twice", "more"), 4),
                        (("back", "more", "twice", "turned", "three"), 8), (("back", "twice", "more"), 0)):
        pair = turn(lay(with_own(ADVANCED, own), own=own, hand=("enforcer", "codebreaker"), owns=(order, []),
                        supply=[]), "codebreaker", "enforcer", "codebreaker")
        assert gained(pair, 0) == went


# --- Division M -------------------------------------------------------------------------------------------------------
def test_the_trap() -> None:
    pair = turn(lay(DIVISION_M, steps=(4, 3), hand=("enforcer", "codebreaker"), has=({"enforcer": 2}, {}),
                    m_steps=(None, 0)), "codebreaker", "enforcer", "codebreaker")
    assert end(pair) == (1, "division_m")


@pytest.mark.parametrize(("trap", "over"), [("standing", True), ("stopping", False)])
def test_a_pawn_that_moves_under_a_spy(trap: str, over: bool) -> None:
    rules = make_rules({"rules.mode": "advanced", "rules.expansion": "division_m", "rules.m_trap": trap})
    pair = turn(lay(rules, steps=(6, 0), hand=("handler", "codebreaker"), has=({}, {"handler": 1}), m_steps=(None, 0),
                    supply=[]), "handler", "codebreaker", "handler", -1)
    assert pair.over is over


def test_symbols_of_the_handler() -> None:
    pair = turn(lay(DIVISION_M, hand=("handler", "codebreaker"), supply=[]), "codebreaker", "handler", "codebreaker")
    assert int(pair.state[x.M_SPACE]) == 0
    far = turn(lay(DIVISION_M, hand=("handler", "codebreaker"), has=({"handler": 2}, {}), m_steps=(0, None), supply=[]),
               "codebreaker", "handler", "codebreaker", -2)
    assert int(far.state[x.M_SPACE]) == 12
    off = turn(lay(DIVISION_M, hand=("handler", "codebreaker"), has=({"handler": 2}, {}), supply=[]), "codebreaker",
               "handler", "codebreaker")
    assert int(off.state[x.M_SPACE]) == -1


# --- teams ------------------------------------------------------------------------------------------------------------
TWO_AGAINST_TWO = make_rules({"rules.mode": "advanced", "rules.players": 4})


def play_cards(pair: Pair, player_up: int, up: str, down: str, took: str) -> Pair:
    names = pair.rules.names
    for option in (player_up, names.index(up), names.index(down), int(took == up)):
        pair.choose(option)
    return pair


def test_the_last_card_goes_to_the_face_up_player() -> None:
    four = ("codebreaker", "enforcer", "saboteur", "sentinel")
    pair = lay(TWO_AGAINST_TWO, hand=(four, four), other_hand=(four, four), deck=["mole"])
    play_cards(pair, 1, "enforcer", "codebreaker", "codebreaker")
    assert (len(hand_of(pair, 0, 1)), len(hand_of(pair, 0, 0))) == (4, 3)
    five = lay(TWO_AGAINST_TWO, hand=(four, (*four, "mole")), other_hand=(four, four), deck=["mole"])
    assert not [option for option in five.options() if option >= 256]
    play_cards(five, 1, "enforcer", "codebreaker", "codebreaker")
    assert (len(hand_of(five, 0, 1)), len(hand_of(five, 0, 0))) == (4, 4)


def test_nobody_discards_for_the_last_card_but_two_may_be_discarded_for() -> None:
    four = ("codebreaker", "enforcer", "saboteur", "sentinel")
    for deck, allowed in ((["mole"], False), (["mole", "sidekick"], True)):
        pair = lay(TWO_AGAINST_TWO, hand=(four, four), other_hand=(four, four), deck=deck)
        pair.choose(0)
        assert any(option >= 256 for option in pair.options()) is allowed
        if allowed:
            pair.choose(256 + 1)
            assert any(option >= 256 for option in pair.options())


def test_equal_names_only_when_forced() -> None:
    names = TWO_AGAINST_TWO.names
    for partner, legal in ((("enforcer", "enforcer", "mole"), ["mole"]), (("enforcer",) * 3, ["enforcer"])):
        pair = lay(TWO_AGAINST_TWO, hand=(("enforcer", "mole"), partner), other_hand=(("mole",), ("mole",)), deck=[])
        pair.choose(0)
        pair.choose(names.index("enforcer"))
        assert [names[option] for option in pair.options()] == legal


@pytest.mark.parametrize("lone", [0, 1])
def test_discard_accounts_of_two_two_and_four(lone: int) -> None:
    rules = make_rules({"rules.players": 3})
    four = ("codebreaker", "enforcer", "saboteur", "sentinel")
    team, alone = (four, four), (four,)
    for active in (0, 1):
        single = active == lone
        pair = lay(rules, lone=lone, active=active, hand=alone if single else team,
                   other_hand=team if single else alone, deck=["codebreaker"] * 20, supply=[])
        if single:
            accounts = [4]
        else:
            accounts = [2, 2]
            pair.choose(0)
        for account in accounts:
            for _ in range(account):
                pair.choose(256 + 2)
            assert not any(option >= 256 for option in pair.options())
            if not single:
                pair.choose(1 if account == accounts[0] and int(pair.state[x.DECISION]) == x.ASK_FACE_UP else 3)


def test_out_of_cards_when_a_player_of_the_next_team_has_none() -> None:
    pair = lay(TWO_AGAINST_TWO, steps=(1, 0), hand=(("enforcer",), ("codebreaker",)),
               other_hand=((), ("mole", "saboteur")), deck=[], supply=[])
    play_cards(pair, 0, "enforcer", "codebreaker", "codebreaker")
    assert end(pair) == (0, "out_of_cards")
    goes_on = lay(TWO_AGAINST_TWO, hand=(("enforcer",), ("codebreaker",)), other_hand=(("mole",), ("saboteur",)),
                  deck=[], supply=[])
    assert not play_cards(goes_on, 0, "enforcer", "codebreaker", "codebreaker").over


@pytest.mark.parametrize(("member", "recruits"), [(0, True), (1, False)])
def test_outpost_uses_the_hand_of_the_member_who_gains_it(member: int, recruits: bool) -> None:
    pair = lay(TWO_AGAINST_TWO, steps=(1, 0), hand=(("codebreaker", "sentinel"), ("enforcer", "mole")),
               other_hand=(("mole",), ("mole",)), deck=[], supply=["outpost"])
    play_cards(pair, 0, "codebreaker", "enforcer", "codebreaker")
    answers(pair, "outpost", member)
    assert ("sentinel" in pair.names(pair.state[e.PLAY])) is recruits
