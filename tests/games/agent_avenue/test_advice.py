"""Advice: rollouts agree with whole games, tell nothing that is hidden, and find what is plain."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

import agentsim
from agentsim.errors import InputError
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.advice.advice import advise, play_out
from agentsim.games.agent_avenue.advice.review import review
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.notation import parse_game, parse_position, play_record, write_position
from agentsim.games.agent_avenue.step import Take
from agentsim.games.base import get_game

GAME = get_game("agent_avenue")
MODES = {"advanced": {"rules.mode": "advanced"}, "three": {"rules.players": 3},
         "four": {"rules.players": 4, "rules.mode": "advanced"},
         "division_m": {"rules.expansion": "division_m", "rules.mode": "advanced"}}


def policy(name):
    return GAME.policy(name)


def positions(settings, n, every=3):
    """Positions of random games."""
    rules = GAME.rules(settings)
    pair = [policy("random_discards"), policy("random")]
    found = []
    for index in range(100):
        course = GAME.course(rules, [pair], 8, 0, index)
        found += [game for game, action in course[index % every::every] if action is not None]
    return found[:n]


def rearranged(game, seed):
    """The same to whoever decides: everything that it does not see dealt another way."""
    rng, state, table = random.Random(seed), game.state.copy(), game.table
    modes = isinstance(game, ModeState)
    first = e.DECK + int(state[e.DRAWN])
    deck = [int(name) for name in state[first:e.DECK + game.rules.n_cards]]
    zones, offered = [], -1
    if modes:
        own = [2 * game.to_move + game.player_to_move] if game.player_to_move is not None else []
        members = [2 * seat + player for seat in (0, 1) for player in range(game.players(seat))]
        for slot in members:
            if slot not in own:
                zones += [(x.HANDS + slot, int(state[x.SHOWN + slot])), (x.GONE + slot, 0)]
        if game.question == "take":
            offered = 2 * game.active + int(state[x.DOWN_MEMBER])
            zones = [zone for zone in zones if zone[0] != x.HANDS + offered]
    else:
        other = 1 - game.to_move
        zones = [(e.HAND + other, 0), (e.TOSSED + other, 0)]

    def names(zone):
        return [name for name in range(15) for _ in range((zone >> 4 * name) & 15)]

    down = []
    if offered >= 0 and modes:
        # The hand that the face-down card came from, and that card: what is known of both stays among them.
        shown = int(state[x.SHOWN + offered])
        hand = names(int(state[x.HANDS + offered]) + (1 << 4 * int(state[e.DOWN])) - shown)
    elif not modes and state[e.PHASE] == e.TAKING:
        down = [int(state[e.DOWN])]
    pool = deck + down + [name for place, known in zones for name in names(int(state[place]) - known)]
    pool += hand if offered >= 0 and modes else []
    rng.shuffle(pool)
    for place, known in zones:
        state[place] = known + sum(1 << 4 * pool.pop() for _ in range(len(names(int(state[place]) - known))))
    if offered >= 0 and modes:
        held = sum(1 << 4 * pool.pop() for _ in hand) + shown
        under = rng.choice(names(held))
        state[e.DOWN], state[x.HANDS + offered] = under, held - (1 << 4 * under)
    elif down:
        state[e.DOWN] = pool.pop()
    state[first:first + len(pool)] = pool
    state[e.DEAL] = rng.randrange(2**62)
    if modes:
        rest = slice(x.PILE + int(state[x.BOARD]), x.PILE + int(state[x.N_PILE]))
        state[rest] = rng.sample(state[rest].tolist(), len(state[rest]))
        for place in (x.OFFER_UP_HAND, x.OFFER_DOWN_HAND):  # only how many cards there were counts
            state[place] = sum(1 << 4 * name for name in rng.choices(range(5), k=len(names(int(state[place])))))
    return type(game)(game.rules, table, state)


def check_nothing_hidden_matters(settings, n, worlds=40):
    moved = 0
    for number, game in enumerate(positions(settings, n)):
        other = rearranged(game, number)
        moved += other != game
        legal = game.legal_actions()
        pair = [play_out(one, legal, mine=policy("expert"), theirs=policy("greedy"), seed=3, first=0, n=worlds)
                for one in (game, other)]
        for name in ("scores", "hidden", "fits"):
            assert np.array_equal(getattr(pair[0], name), getattr(pair[1], name)), (number, name)
    assert moved == n


def check_openings(settings, deals, worlds, name="expert"):
    """The first action's rollouts, over deals, are the mirror's games: same mean but for sampling error."""
    rules = GAME.rules(settings)
    means = []
    for deal in range(deals):
        start = agentsim.new_game(11, settings, deal=deal)
        action = GAME.choose(start, policy(name), 1234567 + deal * 7919)
        found = play_out(start, [action], mine=policy(name), theirs=policy(name), seed=deal, first=0, n=worlds)
        means.append(found.scores.mean() / 2)
    games = 40_000
    session = GAME.session(rules, [[policy(name)] * 2], 77)
    batch = session.play(0, 0, games // (2 if rules.players == 3 else 1), "games")
    winner = batch.tables["games"]["winner"]
    lone = batch.tables["games"].get("lone_seat")
    kept = winner if rules.players != 3 else winner[lone == 0]  # new_game makes seat 0 the lone side
    score = np.where(kept == 0, 1.0, np.where(kept == 1, 0.0, 0.5))
    gap = float(np.mean(means)) - float(score.mean())
    error = math.sqrt(np.var(means) / deals + 0.25 / len(score))
    assert abs(gap) < 4 * error, (gap, error)
    assert error < 0.02


def check_hidden_cards(settings, games, worlds):
    """What advice says of the hidden card is right as often as it says, where the opponent plays as assumed."""
    rules, expected, seen, spread = GAME.rules(settings), {}, {}, {}
    pair = [policy("expert"), policy("expert")]
    for index in range(games):
        course = GAME.course(rules, [pair], 21, 0, index * (2 if rules.players == 3 else 1))
        game = next(game for game, action in course if action in (Take("face_up"), Take("hidden")))
        found = play_out(game, game.legal_actions()[:1], mine=pair[0], theirs=pair[1], seed=index, first=0, n=worlds)
        assert found.fits.mean() > 0.95
        for name in range(len(rules.names)):
            share = float((found.hidden == name).mean())
            expected[name] = expected.get(name, 0.0) + share
            spread[name] = spread.get(name, 0.0) + share * (1 - share) * (1 + 1 / worlds)
        actual = int(game.state[e.DOWN])
        seen[actual] = seen.get(actual, 0) + 1
    for name, number in expected.items():
        assert abs(seen.get(name, 0) - number) < 4 * math.sqrt(spread[name]) + 1, (rules.names[name], number, seen)
    assert max(expected.values()) < 0.9 * games


def test_openings_average_to_the_mirrors_score():
    check_openings({}, 300, 40)


def test_the_hidden_card_is_what_such_an_opponent_would_lay_there():
    check_hidden_cards({}, 300, 60)


def test_nothing_hidden_matters():
    check_nothing_hidden_matters({}, 30)


@pytest.mark.slow
def test_a_users_policy_plays_on(tmp_path):
    """A policy from a file, which offers the first two names and always takes the face-up card, as the opponent."""
    (tmp_path / "mine.py").write_text("""
from agentsim.games.agent_avenue.user import FACE_UP, jit_offer, jit_take, policy
from agentsim.games.agent_avenue.view import offer_action
from agentsim.games.agent_avenue.zones import lowest, name_set, pop_lowest


@jit_offer
def _offer(view, table, params, key):
    names = name_set(view.hand)
    first = lowest(names)
    rest = pop_lowest(names)
    return offer_action(first, lowest(rest) if rest else first)


@jit_take
def _take(view, table, params, key):
    return FACE_UP


plain = policy(_offer, _take)
""")
    spec = f"{tmp_path / 'mine.py'}:plain"
    game = agentsim.new_game(3)
    game = game.apply(GAME.choose(game, policy(spec), 1))
    first = game.observe(1).face_up
    advice = agentsim.advise(game, theirs=spec, games=300)
    assert advice.misfits == 0
    names = game.rules.names
    likely = {card.name for card in advice.hidden if card.by_policy.estimate > 0}
    assert all(names.index(name) >= names.index(first) for name in likely)
    assert agentsim.advise(game, mine=spec, theirs=spec, games=300).n_worlds == 300


def test_rollouts_depend_on_the_seed_alone():
    game = next(game for game in positions({}, 20) if len(game.legal_actions()) > 4)
    legal = game.legal_actions()
    whole = play_out(game, legal, mine=policy("expert"), theirs=policy("minmax"), seed=5, first=0, n=600)
    parts = [play_out(game, legal, mine=policy("expert"), theirs=policy("minmax"), seed=5, first=first, n=n)
             for first, n in ((0, 13), (13, 587))]
    assert np.array_equal(whole.scores, np.concatenate([part.scores for part in parts]))
    other = play_out(game, legal, mine=policy("expert"), theirs=policy("minmax"), seed=6, first=0, n=600)
    assert not np.array_equal(whole.scores, other.scores)
    alone = play_out(game, legal[1:2], mine=policy("expert"), theirs=policy("minmax"), seed=5, first=0, n=600)
    assert np.array_equal(whole.scores[:, 1], alone.scores[:, 0]), "an action does not depend on the others"
    advice = advise(game, mine=policy("expert"), theirs=policy("minmax"), games=600, seed=5)
    means = whole.scores.mean(axis=0) / 2
    best = legal.index(advice.best.action)
    for value in advice.actions:
        number = legal.index(value.action)
        assert value.chance.estimate == pytest.approx(means[number])
        assert value.behind.estimate == pytest.approx((whole.scores[:, best] / 2 - whole.scores[:, number] / 2).mean())
        assert value.behind.low <= value.behind.estimate <= value.behind.high
        assert value.close == (value.behind.low <= 0)
    assert [value.chance.estimate for value in advice.actions] == sorted(means, reverse=True)


WON = """Position: seat 1 chooses
Hand: 2 enforcer, mole, saboteur
Play 0: sentinel, 2 daredevil
Play 1: 2 codebreaker, enforcer
Lead: +1
Face up: codebreaker
"""


def test_a_position_that_is_won():
    advice = agentsim.advise(parse_position(WON), games=500)
    assert advice.best.action == Take("face_up")
    assert advice.best.chance.estimate == 1.0
    assert advice.best.chance.low > 0.97
    assert sum(card.by_count for card in advice.hidden) == pytest.approx(1)
    assert {card.name for card in advice.hidden if card.by_count} == {
        "double_agent", "enforcer", "saboteur", "daredevil", "sentinel", "sidekick"}
    lost = parse_position(WON.replace("seat 1 chooses", "seat 1 offers").replace("Face up: codebreaker\n", "").replace(
        "2 enforcer, mole, saboteur", "2 daredevil").replace("2 codebreaker, enforcer", "2 daredevil, 2 enforcer")
        .replace("sentinel, 2 daredevil", "sentinel") + "Rule: rules.discards = 0")
    assert agentsim.advise(lost, games=100).best.chance.estimate == 0.0


def test_a_precision_is_reached():
    game = agentsim.new_game(1)
    advice = agentsim.advise(game, precision=0.03)
    assert 1_000 <= advice.n_worlds < 10_000
    assert max(value.behind.half_width for value in advice.actions) < 0.033
    assert agentsim.advise(game, precision=0.0001, games=1_500).n_worlds == 1_500


def test_what_cannot_be_advised():
    game = agentsim.new_game(1)
    while not game.is_over:
        game = game.apply(game.legal_actions()[0])
    for bad, problem in ((game, "the game is over"), (5, "no position"), ("/nowhere.txt", "cannot be read")):
        with pytest.raises(InputError, match=problem):
            agentsim.advise(bad)
    with pytest.raises(InputError, match="did you mean 'expert'"):
        agentsim.advise(agentsim.new_game(1), mine="expertt")


def test_a_review_finds_the_blunder():
    text = """Hand 0: 2 codebreaker, mole, enforcer
Hand 1: daredevil, sentinel, 2 saboteur
1. offers codebreaker up, enforcer down; draws codebreaker, enforcer; takes up
2. seat 1: offers sentinel up, saboteur down; draws sidekick, enforcer; takes up
3. offers codebreaker up, enforcer down; draws saboteur, saboteur; seat 1 takes up
4. seat 1: offers sidekick up, saboteur down; draws double agent, double agent; seat 0 takes down
5. offers codebreaker up, mole down; draws daredevil, daredevil; takes down
"""
    steps = play_record(parse_game(text))
    found = review(steps, mine=policy("expert"), theirs=policy("expert"), games=1_500)
    assert len(found.decisions) == 10
    blunder = found.decisions[9]
    assert (blunder.turn, blunder.seat) == (5, 1), "a third codebreaker would have won"
    assert blunder in found.mistakes
    assert blunder.best == Take("face_up")
    assert blunder.best_chance.estimate == 1
    assert found.total(1) >= blunder.cost.estimate > 0.1
    assert all(one.cost.estimate >= 0 for one in found.decisions)
    again = review(steps, mine=policy("expert"), theirs=policy("expert"), games=1_500, seats=(1,))
    assert [one.seat for one in again.decisions] == [1] * 5
    assert [one.cost.estimate for one in again.decisions] == [
        one.cost.estimate for one in found.decisions if one.seat == 1]


def test_a_review_leaves_out_what_nobody_knows():
    steps = play_record(parse_game("""Hand 0: 2 codebreaker, mole, enforcer
1. offers codebreaker up, mole down; draws codebreaker, sentinel; takes up
2. offers daredevil up, sentinel down; takes up
"""))
    found = review(steps, mine=policy("random"), theirs=policy("random"), games=50)
    assert [(one.turn, one.seat) for one in found.decisions] == [(1, 0), (2, 0)]
    assert found.unseen == 2
    with pytest.raises(InputError, match="no decision can be looked at"):
        review(steps, mine=policy("random"), theirs=policy("random"), seats=(1,), games=50)


def check_positions_come_back(settings):
    written = 0
    for game in positions(settings, 150, every=2):
        seat = game.to_move
        try:
            text = write_position(game)
        except InputError:
            assert isinstance(game, ModeState)
            assert game.question in ("target", "recruit", "division_m", "member")
            continue
        if game.state[e.STEP] and (not isinstance(game, ModeState) or game.question == "play"):
            continue  # that a discard was made in this turn is not told
        again = parse_position(text)
        assert write_position(again) == text
        mine, theirs = game.observe(seat), again.observe(seat)
        if isinstance(game, ModeState):
            hidden = {"known_of_us": {}, "known_of_them": {}, "owed": 0, "their_owed": 0}
            mine, theirs = replace(mine, **hidden), replace(theirs, **hidden)
        assert mine == theirs
        written += 1
    assert written > 60


@pytest.mark.parametrize("settings", [{}, {"rules.mode": "advanced"},
                                      {"rules.expansion": "division_m", "rules.discards": 1}])
def test_positions_come_back_from_their_text(settings):
    check_positions_come_back(settings)


BAD = {
    "": "no line says who decides", "Position: seat 2 offers": "line 1: Position: cannot read 'seat 2 offers'",
    "Position: seat 0 picks": "no Black Market", "Position: seat 0 offers": "Hand: is missing",
    WON.replace("Face up: codebreaker\n", ""): "Face up: is missing", WON + "Lead: 1": "line 7: Lead: is given twice",
    WON.replace("+1", "9"): "line 5: Lead: 9 is out of range", WON.replace("+1", "x"): "'x' is not a whole number",
    WON.replace("2 enforcer, mole", "7 enforcer"): "there are not so many enforcer",
    WON.replace("codebreaker\n", "codbreaker\n"): "line 6: Face up: 'codbreaker' is not an agent",
    WON + "Colour: red": "line 7: unknown header 'Colour'", WON + "Rule: rules.players = 4": "for two players",
    WON + "Discards 1: 2": "line 7: Discards 1: 2 discards, but 0 discarded cards",
    WON + "Other hand: 50": "line 7: Other hand: 50 is out of range",
    WON.replace("chooses", "picks") + "Rule: rules.mode = advanced": "line 1: Market: is missing",
    WON + "Rule: rules.mode = advanced": "spaces and lead do not agree"}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_position_gets_one_line(text):
    with pytest.raises(InputError) as caught:
        parse_position(text, where="p.txt")
    assert BAD[text] in str(caught.value), str(caught.value)
    assert str(caught.value).startswith("p.txt")
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_modes_openings_average_to_the_mirrors_score(mode):
    check_openings(MODES[mode], 250, 40)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_modes_nothing_hidden_matters(mode):
    check_nothing_hidden_matters(MODES[mode], 60, 20)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_modes_the_hidden_card(mode):
    check_hidden_cards(MODES[mode], 250, 40)
