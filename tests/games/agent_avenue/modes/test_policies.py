"""Built-in policies in every mode: their answers in positions laid out for it, and that they only use what they see."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.policies.chance import random_answer, random_discards_answer
from agentsim.games.agent_avenue.modes.policies.minds import think
from agentsim.games.agent_avenue.modes.policies.space import mode_scratch_space, mode_work_space
from agentsim.games.agent_avenue.modes.session import ModeSession
from agentsim.games.agent_avenue.modes.step import ModeState, new_game
from agentsim.games.agent_avenue.modes.view import look
from agentsim.games.agent_avenue.playing import Player, make_player
from agentsim.games.agent_avenue.policies.dispatch import FAMILY_RANDOM, FAMILY_RANDOM_DISCARDS
from agentsim.games.agent_avenue.policies.parameters import PLANNER_PARAMETERS
from agentsim.games.agent_avenue.rules import make_rules
from agentsim.games.agent_avenue.step import Discard, Offer
from agentsim.jit import jit
from tests.games.agent_avenue.helpers import needs_speed, policy, session
from tests.games.agent_avenue.modes.lockstep import Pair
from tests.games.agent_avenue.modes.logs import MODES
from tests.games.agent_avenue.modes.positions import lay
from tests.games.agent_avenue.modes.test_hidden import exchanged
from tests.games.agent_avenue.modes.walks import walk
from tests.games.agent_avenue.test_planner import OF_MODES

DIVISION_M = make_rules({"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "both"})
TEAMS = make_rules({"rules.players": 4})
THINKERS = ("greedy", "minmax", "planner", "expert")
WHOEVER = ("random", "random_discards", *THINKERS,
          "planner(depth=2, trust=1, offer_noise=0.2, take_noise=0.2, model_plain=0.6, model_coin=0.2)")
QUESTIONS = {x.ASK_PLAY, x.ASK_PLAYER_UP, x.ASK_FACE_UP, x.ASK_FACE_DOWN, x.ASK_TAKE, x.ASK_MARKET, x.ASK_MEMBER,
             x.ASK_TARGET, x.ASK_RECRUIT, x.ASK_M}

_SCRATCH, _WORK = mode_scratch_space(), mode_work_space()


@jit
def _by_chance(discards: bool, view: Any, table: Any, key: Any) -> int:
    return random_discards_answer(view, table, key) if discards else random_answer(view, table, key)


def answer_of(who: Player, state: Any, table: Any, key: int = 12345) -> int:
    """What ``policies.dispatch.decide`` answers, without handing functions to compiled code, which takes long."""
    view, word = look(state, table), np.uint64(key)
    if who.family in (FAMILY_RANDOM, FAMILY_RANDOM_DISCARDS):
        return int(_by_chance(who.family == FAMILY_RANDOM_DISCARDS, view, table, word))
    return int(think(who.family, view, table, who.row[np.newaxis], _SCRATCH, _WORK, word))


def keys(seed: int, n: int) -> list[int]:
    rng = Random(seed)
    return [rng.getrandbits(64) for _ in range(n)]


def choices(pair: Pair, spec: str, n: int = 20) -> set[int]:
    """What a policy may answer to the question that is open, over several random streams."""
    who = make_player(policy(spec), pair.rules)
    return {answer_of(who, pair.state, pair.table, key) for key in keys(1, n)}


def offered(pair: Pair, up: str, down: str, took: str) -> Pair:
    """The position after an offer and a choice."""
    names = pair.rules.names
    pair.choose(16 * names.index(up) + names.index(down))
    pair.choose(int(took == up))
    return pair


def picks(pair: Pair, spec: str) -> set[str]:
    assert pair.state[x.DECISION] == x.ASK_MARKET
    return {pair.card(int(pair.state[x.SUPPLY + place])) for place in choices(pair, spec)}


def targets(pair: Pair, spec: str) -> set[str]:
    assert pair.state[x.DECISION] == x.ASK_TARGET
    return {pair.rules.names[name] for name in choices(pair, spec)}


# --- chance -----------------------------------------------------------------------------------------------------------


def expected_shares(game: ModeState, discards: bool) -> Mapping[int, float]:
    """What the rules pages say of random answers: uniform over what is legal, discards only where they are wanted."""
    legal = game.legal_answers()
    if not discards:
        legal = [(action, number) for action, number in legal if not isinstance(action, Discard)]
    return {number: 1 / len(legal) for _, number in legal}


@needs_speed
@pytest.mark.parametrize("spec", ["random", "random_discards"])
def test_chance_is_uniform_over_what_is_legal_for_every_question(spec: str) -> None:
    found: defaultdict[int, list[float]] = defaultdict(list)
    for number, settings in enumerate(MODES.values()):
        rules = make_rules(settings)
        who, seen = make_player(policy(spec), rules), Counter[int]()
        for seed in range(3):
            for game in walk(settings, 50 * number + seed):
                question = int(game.state[x.DECISION])
                if question < 0 or seen[question] >= 3:
                    continue
                seen[question] += 1
                shares = expected_shares(game, spec == "random_discards")
                n = 400 * len(shares)
                counted = Counter(answer_of(who, game.state, game.table, key) for key in keys(seen[question], n))
                assert set(counted) <= set(shares)
                if len(shares) > 1:
                    found[question].append(chisquare([counted[a] for a in shares],
                                                     [n * share for share in shares.values()]).pvalue)
    assert set(found) == QUESTIONS
    tests = sum(map(len, found.values()))
    for question, values in found.items():
        assert min(values) > 0.001 / tests, question


# --- legality ---------------------------------------------------------------------------------------------------------


@needs_speed
@pytest.mark.parametrize("mode", MODES)
def test_every_answer_is_legal(mode: str) -> None:
    """Some 200 games in each mode and pairing; a step that is not legal raises."""
    rules, rng, asked = make_rules(MODES[mode]), Random(5), set()
    for first, second in zip(WHOEVER, (*WHOEVER[1:], WHOEVER[0]), strict=True):
        pair = [make_player(policy(spec), rules) for spec in (first, second)]
        for deal in range(30):
            lone = rng.randrange(2) if rules.players == 3 and rules.lone == "both" else None
            game = new_game(7, rules, deal=deal, lone=lone)
            while not game.is_over:
                who = pair[(game.to_move + deal) & 1]
                asked.add(int(game.state[x.DECISION]))
                game = game.apply_answer(answer_of(who, game.state, game.table, rng.getrandbits(64)))
    assert x.ASK_TAKE in asked


# --- hidden information -----------------------------------------------------------------------------------------------


@needs_speed
def test_no_answer_depends_on_what_is_hidden() -> None:
    """With all that is hidden from whoever is asked exchanged, every policy answers the same."""
    rng, asked = Random(2), Counter[int]()
    for number, settings in enumerate(MODES.values()):
        rules = make_rules(settings)
        players = [make_player(policy(spec), rules) for spec in WHOEVER]
        for game in walk(settings, 30 + number) + walk(settings, 60 + number):
            if game.is_over:
                continue
            asked[int(game.state[x.DECISION])] += 1
            other = exchanged(game, game.to_move, game.player_to_move, rng)
            for who in players:
                key = rng.getrandbits(64)
                assert (answer_of(who, game.state, game.table, key)
                        == answer_of(who, other.state, other.table, key)), (settings, game.question, who.ref.label)
    assert set(asked) == QUESTIONS


# --- the base game by the engine of all modes -------------------------------------------------------------------------


@needs_speed
@pytest.mark.parametrize("pair", [("greedy", "minmax"), ("planner", "expert"), ("random_discards", "greedy"),
                                  ("planner(depth=2, trust=1, offer_noise=0.1, take_noise=0.2)", "discarder"),
                                  ("planner(trust=0.5, model_plain=0.8, model_coin=0.2)", "champion")])
def test_base_rules_are_played_alike_by_both_kernels(pair: tuple[str, str]) -> None:
    """The policies of the modes are those of the base game where there is nothing more to see: game by game."""
    rules, refs = make_rules(), tuple(map(policy, pair))
    here = ModeSession(rules, [refs], 3).play(0, 0, 300, "turns").tables
    there = session(pair, seed=3).play(0, 0, 300, "turns").tables
    for table, columns in (("games", ("winner", "n_turns", "lead")),
                           ("turns", ("face_up", "face_down", "took_face_up", "n_discards", "lead_after"))):
        for column in columns:
            assert (np.asarray(here[table][column]) == np.asarray(there[table][column])).all(), column


# --- Black Market cards -----------------------------------------------------------------------------------------------
LANDS: dict[str, Any] = {"steps": (1, 0), "hand": ("enforcer", "codebreaker", "saboteur", "sentinel")}
"""The active side's 1st enforcer carries its pawn from 1 onto the corner 2."""


@pytest.mark.parametrize("spec", THINKERS)
def test_mind_control_undoes_a_third_codebreaker(spec: str) -> None:
    pair = offered(lay(**LANDS, has=({}, {"codebreaker": 2, "sentinel": 2}),
                       supply=["watchtower", "mind_control", "surveillance_truck"]), "enforcer", "codebreaker",
                   "codebreaker")
    assert picks(pair, spec) == {"mind_control"}
    pair.choose(1)
    assert targets(pair, spec) == {"codebreaker"}


@pytest.mark.parametrize("spec", THINKERS)
def test_a_seventh_name_makes_masterplan_a_win(spec: str) -> None:
    names = dict.fromkeys(("double_agent", "codebreaker", "saboteur", "daredevil", "sentinel", "mole"), 1)
    pair = offered(lay(**LANDS, has=(names, {}), supply=["watchtower", "surveillance_truck", "masterplan"]),
                   "enforcer", "codebreaker", "codebreaker")
    assert picks(pair, spec) == {"masterplan"}


@pytest.mark.parametrize("spec", THINKERS)
def test_the_truck_is_taken_for_a_catch(spec: str) -> None:
    """From 1 the pawn goes to 2 with a lead of 6: one more space is a catch."""
    pair = offered(lay(steps=(1, -4), hand=LANDS["hand"], supply=["watchtower", "surveillance_truck", "supercomputer"]),
                   "enforcer", "codebreaker", "codebreaker")
    assert picks(pair, spec) == {"surveillance_truck"}


@pytest.mark.parametrize("spec", THINKERS)
def test_security_is_taken_while_the_opponent_stands_at_home(spec: str) -> None:
    """The opponent's pawn has come 7 steps to the active side's home, which has gone 1 and now 2."""
    pair = offered(lay(**LANDS | {"steps": (1, 7)}, supply=["watchtower", "security_system", "supercomputer"]),
                   "enforcer", "codebreaker", "codebreaker")
    assert picks(pair, spec) == {"security_system"}


@pytest.mark.parametrize("spec", THINKERS)
def test_a_secret_recruit_may_catch(spec: str) -> None:
    pair = offered(lay(steps=(1, -2), hand=("enforcer", "codebreaker", "sidekick", "mole"),
                       has=({"saboteur": 1}, {}), supply=["secret_recruit"]), "enforcer", "codebreaker", "codebreaker")
    pair.choose(0)
    assert targets(pair, spec) == {"sidekick"}


@pytest.mark.parametrize("spec", THINKERS)
def test_spycation_recruits_again_what_catches_and_keeps_what_would_lose(spec: str) -> None:
    """A sidekick moves 4 more and catches; a mole would be caught: it is taken back only if there is no other way."""
    pair = offered(lay(steps=(1, -2), hand=LANDS["hand"], has=({"sidekick": 1, "mole": 1}, {}),
                       supply=["spycation"]), "enforcer", "codebreaker", "codebreaker")
    pair.choose(0)
    assert targets(pair, spec) == {"sidekick"}
    pair.choose(pair.rules.names.index("sidekick"))
    assert choices(pair, spec) == {1}
    pair = offered(lay(steps=(1, 8), hand=LANDS["hand"], has=({"mole": 1}, {}), supply=["spycation"]), "enforcer",
                   "codebreaker", "codebreaker")
    pair.choose(0)
    pair.choose(pair.rules.names.index("mole"))
    assert choices(pair, spec) == {0}


@pytest.mark.parametrize("spec", THINKERS)
def test_of_two_cards_that_are_alike_either_is_taken(spec: str) -> None:
    """Neither has anything to work on: no pair in hand, no sentinel."""
    pair = offered(lay(steps=(1, 0), hand=("enforcer", "codebreaker", "saboteur", "daredevil"), deck=["saboteur"] * 0,
                       supply=["outpost", "double_trouble"]), "enforcer", "codebreaker", "codebreaker")
    assert picks(pair, spec) == {"outpost", "double_trouble"}


@pytest.mark.parametrize("spec", ["greedy", "minmax", "planner", "expert"])
def test_a_landing_is_worth_more_than_a_space(spec: str) -> None:
    """Face up lies the 1st enforcer, to a corner; but for the corner, the hidden cards would be as good or better."""
    def share(steps: int) -> float:
        pair = lay(steps=(0, steps), other_hand=("codebreaker", "enforcer", "saboteur", "sentinel"))
        names = pair.rules.names
        pair.choose(16 * names.index("enforcer") + names.index("codebreaker"))
        return float(np.mean([answer_of(make_player(policy(spec), pair.rules), pair.state, pair.table, key)
                              for key in keys(3, 40)]))

    assert share(1) >= share(0)
    assert share(1) == 1


@pytest.mark.parametrize(("taste", "card"), [("theft", "mind_control"), ("rush", "surveillance_truck"),
                                             ("scheme", "masterplan"), ("ambush", "security_system"),
                                             ("engine", "watchtower")])
def test_tastes_decide_what_is_taken(taste: str, card: str) -> None:
    cards = {"mind_control", "surveillance_truck", "masterplan", "security_system", "watchtower"} - {card}
    for other in sorted(cards):
        pair = offered(lay(**LANDS, has=({}, {"sentinel": 1}), supply=[other, card]), "enforcer", "codebreaker",
                       "codebreaker")
        assert picks(pair, f"planner({taste}=1)") == {card}
        assert picks(pair, f"planner({taste}=-1)") == {other}


@needs_speed
@pytest.mark.parametrize("name", OF_MODES)
def test_no_parameter_of_the_modes_is_idle(name: str) -> None:
    parameter = next(p for p in PLANNER_PARAMETERS if p.name == name)
    settings = {"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "both"}
    games = [game for seed in range(40) for game in walk(settings, seed) if not game.is_over]
    low, high = (make_player(policy(f"planner({name}={value!r})"), DIVISION_M)
                 for value in (parameter.low, parameter.high))
    assert any(answer_of(low, game.state, game.table) != answer_of(high, game.state, game.table) for game in games)


def test_a_glance_sees_the_market_and_misses_what_comes_later() -> None:
    """With neither sets nor prospects it sees all that there is, landings and traps too; with prospects it does not."""
    settings = {"rules.mode": "advanced", "rules.expansion": "division_m", "rules.market": "both",
                "cards.codebreaker.wins_at": 0, "cards.daredevil.loses_at": 0}
    games = [game for seed in range(6) for game in walk(settings, seed) if not game.is_over]

    def answers(*parameters: str) -> list[int]:
        who = make_player(policy(f"planner(trust=1, {', '.join(parameters)})"), make_rules(settings))
        return [answer_of(who, game.state, game.table) for game in games]

    for prospect, alike in (("prospect=0", True), ("prospect=0.3", False)):
        own, glance = (answers(prospect, "far_prospect=0", f"model_plain={share}") for share in (0, 1))
        assert (own == glance) is alike


# --- Division M -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", THINKERS)
def test_the_division_m_pawn_goes_where_it_traps(spec: str) -> None:
    """The 2nd handler moves it up to 1 space: the opponent's pawn, on 7, is one ahead of it."""
    pair = lay(DIVISION_M, hand=("handler", "codebreaker", "saboteur", "sentinel"), has=({"handler": 1}, {}),
               supply=["outpost"], m_steps=(6, None))
    offered(pair, "handler", "codebreaker", "codebreaker")
    assert pair.state[x.DECISION] == x.ASK_M
    assert choices(pair, spec) == {2}


@pytest.mark.parametrize("spec", THINKERS)
def test_nobody_walks_into_a_trap(spec: str) -> None:
    """The face-up card would move the receiver 1 step onto the other side's Division M pawn."""
    pair = lay(DIVISION_M, hand=("enforcer", "codebreaker", "saboteur", "sentinel"), supply=["outpost"],
               m_steps=(8, None))
    names = pair.rules.names
    pair.choose(16 * names.index("enforcer") + names.index("codebreaker"))
    assert pair.state[x.DECISION] == x.ASK_TAKE
    assert choices(pair, spec) == {0}


# --- teams ------------------------------------------------------------------------------------------------------------


def points(before: ModeState, after: ModeState, side: int) -> int:
    """Greedy's points of an exchange, from what the engine made of it: 110 for each space of lead, sets, ends."""
    sign = 1 if side == 0 else -1
    found = 110 * sign * (after.lead - before.lead)
    for seat, factor in ((side, 1), (1 - side, -1)):
        for name, worth in (("codebreaker", 300), ("daredevil", -350)):
            change = after.in_play(seat).get(name, 0) - before.in_play(seat).get(name, 0)
            found += factor * worth * change
    if after.is_over and after.winner is not None and after.end_reason != "out_of_cards":
        found += 100_000 if after.winner == side else -100_000
    return found


def worse(before: ModeState, laid: ModeState, side: int) -> int:
    return min(points(before, laid.apply_answer(taken), side) for taken in (0, 1))


@needs_speed
@pytest.mark.parametrize("settings", [{"rules.players": 4}, {"rules.players": 3}], ids=["teams", "one against two"])
def test_greedy_lays_the_pair_whose_worse_outcome_is_best_by_the_engine(settings: Mapping[str, Any]) -> None:
    rules, checked = make_rules(settings), Counter[str]()
    who = make_player(policy("greedy"), rules)
    for seed in range(25):
        for game in walk(settings, seed, discard_rate=0.0):
            if game.question not in ("face_down", "play"):
                continue
            ways: Iterable[tuple[Any, int]] = [(action, number) for action, number in game.legal_answers()
                                               if not isinstance(action, Discard)]
            if any(isinstance(action, Offer) and action.face_up == action.face_down for action, _ in ways):
                continue
            scores = {number: worse(game, game.apply_answer(number), game.to_move) for _, number in ways}
            for key in keys(seed, 5):
                assert scores[answer_of(who, game.state, game.table, key)] == max(scores.values())
            checked[game.question] += 1
    assert checked["face_down"] > 50
    assert settings["rules.players"] == 4 or checked["play"] > 20


def team_at_face_down(own: Mapping[str, int], its: Mapping[str, int], up: str, hand: tuple[str, ...]) -> Pair:
    pair = lay(TEAMS, has=(own, its), hand=((up, "saboteur", "saboteur", "saboteur"), hand),
               other_hand=(("saboteur", "enforcer", "sentinel", "codebreaker"),) * 2, supply=[])
    pair.choose(0)
    pair.choose(pair.rules.names.index(up))
    assert pair.state[x.DECISION] == x.ASK_FACE_DOWN
    return pair


@pytest.mark.parametrize("spec", THINKERS)
def test_a_partner_completes_the_offer(spec: str) -> None:
    """Both sides have two daredevils, and one lies face up: with another beside it nobody could take without losing, so
    it is laid only by those who have nothing else. Against two codebreakers no third is laid down."""
    pair = team_at_face_down({}, {"codebreaker": 2}, "enforcer", ("codebreaker", "sentinel", "saboteur", "daredevil"))
    assert pair.rules.names.index("codebreaker") not in choices(pair, spec)


@pytest.mark.parametrize("spec", THINKERS)
def test_nothing_public_tells_the_members_of_a_team_apart(spec: str) -> None:
    pair = lay(TEAMS, hand=(("enforcer",) * 4, ("sentinel",) * 4), other_hand=(("saboteur",) * 4,) * 2, supply=[])
    assert pair.state[x.DECISION] == x.ASK_PLAYER_UP
    assert choices(pair, spec, 40) == {0, 1}


# --- what is known of hands -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", THINKERS)
def test_a_card_that_is_known_is_believed_to_lie_hidden(spec: str) -> None:
    """Face up lies a saboteur. If all other cards of the hand are known to be sidekicks or moles, that decides."""
    def answers(known: str) -> set[int]:
        pair = lay(hand=("saboteur", known, "sentinel", "codebreaker"), supply=["outpost"])
        names = pair.rules.names
        pair.state[x.SHOWN] = 1 << 4 * names.index(known)
        pair.choose(16 * names.index("saboteur") + names.index(known))
        found = choices(pair, spec)
        pair.state[x.SHOWN] = 3 << 4 * names.index(known)  # nothing else can lie there
        return found | choices(pair, spec)

    assert answers("sidekick") == {0}
    assert 1 in answers("mole")

