"""Forks against whole games, and against the step API, which plays both branches again on its own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from agentsim.errors import InputError
from agentsim.games.argh import engine as e
from agentsim.games.argh import step
from agentsim.games.argh.cards import LOCATIONS
from agentsim.games.argh.catalog import CATALOG
from agentsim.games.argh.decision import decision_stream
from agentsim.games.argh.forks import FORK_COLUMNS, FORK_KINDS
from agentsim.games.argh.replay import _KINDS, choose_action, make_player
from agentsim.games.argh.rules import Rules
from agentsim.games.argh.session import Session
from tests.games_argh.helpers import PLAYERS, few, needs_speed, rules

SEED, HORIZON = 11, 20


def forks(session: Session, kind: str, deals: int, **options: int) -> pd.DataFrame:
    return pd.DataFrame(session.forks(kind, 0, 0, deals, horizon=HORIZON, **options), columns=FORK_COLUMNS)


class Again:
    """A forked deal of a matchup, played by the step API."""

    def __init__(self, made: Rules, names: list[str], deal: int) -> None:
        self.made, self.deal = made, deal
        refs = [CATALOG.from_spec(name) for name in names]
        self.people = [make_player(ref, made) for ref in refs]
        self.rotation = deal % Session(made, [refs], SEED).games_per_deal(0)

    def decide(self, game: step.GameState) -> step.GameState:
        kind = _KINDS[int(game.state[e.PHASE])]
        key = np.uint64(decision_stream(np.uint64(SEED), 0, self.deal, game.to_move, game.turn, kind))
        player = self.people[(game.to_move + self.rotation) % self.made.players]
        return game.apply(choose_action(game, player, key))

    def until(self, turn: int) -> step.GameState:
        game = step.new_game(SEED, self.made, deal=self.deal)
        while game.turn < turn or int(game.state[e.PHASE]) != e.CHOOSING:
            game = self.decide(game)
        return game

    def shares(self, game: step.GameState) -> list[int]:
        while not game.is_over:
            game = self.decide(game)
        return [round(12 * share) for share in game.shares]


def relative(row: pd.Series, shares: list[int]) -> list[int]:
    """Shares as a fork's row has them: the active seat's, the other's, and those of the rest together."""
    two = [shares[row["active"]], shares[row["other"]]]
    return [*two, sum(shares) - sum(two)]


@pytest.mark.parametrize("kind", FORK_KINDS)
@pytest.mark.parametrize("names", [["expert", "random"], ["thief", "expert", "random"],
                                   ["hoarder", "thief", "expert", "random"]], ids=len)
def test_both_branches_are_the_games_that_the_step_api_plays(names: list[str], kind: str) -> None:
    made = rules(len(names))
    session = Session(made, [[CATALOG.from_spec(name) for name in names]], SEED)
    found = forks(session, kind, few(120, 8))
    assert len(found) > few(15, 0)
    for _, row in found.iterrows():
        again = Again(made, names, int(row["deal"]))
        start = again.until(int(row["turn"]))
        assert start.active == row["active"]
        first, second = ([row[f"{who}_{branch}"] for who in ("active", "other", "third")] for branch in "ab")
        card = made.names[int(row["card"])]
        if kind == "steal":
            places = [place for place in start.face_down(int(row["other"]))
                      if made.names[start.state[e.DECK + start.number(place.pile, place.number)]] == card]
            place = places[0]
            stolen = start.apply(step.Steal(int(row["other"]), place.pile, place.number))
            assert relative(row, again.shares(stolen)) == first
            own = again.decide(start)
            if row["own"]:
                assert relative(row, again.shares(own)) == first
                draws = [again.shares(start.apply(step.Draw(pile))) for pile in LOCATIONS if start.pile_left(pile)]
                assert second in [relative(row, shares) for shares in draws]
            else:
                assert int(own.state[e.PHASE]) == e.PLACING
                assert relative(row, again.shares(own)) == second
            continue
        drawn = again.decide(start)
        offered = again.decide(drawn) if kind == "offer" else drawn.apply(step.OfferTo(int(row["other"])))
        assert (offered.to_move, made.names[offered.state[e.CARD]]) == (row["other"], card)
        for accept, shares in ((True, first), (False, second)):
            assert relative(row, again.shares(offered.apply(step.Answer(accept)))) == shares
        assert relative(row, again.shares(again.decide(offered))) == (first if row["own"] else second)
        spies = sum("spy" in name for name in (*offered.face_up(int(row["other"])), *offered.held(int(row["other"]))))
        assert row["spies_other"] == spies


@needs_speed
@pytest.mark.parametrize("players", PLAYERS)
def test_the_policys_own_branch_is_the_game_itself(players: int) -> None:
    session = Session(rules(players), [[CATALOG.from_spec("thief")] * players], SEED)
    games = session.play(0, 0, 2000, "games").tables["games"]
    shares = np.stack([games[f"share_{seat}"] for seat in range(players)], axis=1)
    odd = np.stack([~games[f"even_spies_{seat}"] for seat in range(players)], axis=1)
    for kind in ("offer", "steal"):
        found = forks(session, kind, 2000)
        for who in ("active", "other"):
            own = np.where(found["own"] == 1, found[f"{who}_a"], found[f"{who}_b"])
            assert (own == shares[found["deal"], found[who]]).all()
            out = np.where(found["own"] == 1, found[f"out_{who}_a"], found[f"out_{who}_b"])
            assert (out == odd[found["deal"], found[who]]).all()


@needs_speed
def test_every_offer_has_the_same_chance_to_be_forked() -> None:
    session = Session(rules(3), [[CATALOG.from_spec("random")] * 3], SEED)
    found = forks(session, "offer", 6000)
    turns = session.play(0, 0, 6000, "turns").tables["turns"]
    offers = pd.DataFrame(turns)[(turns["accepted"] >= 0) & (turns["turn"] < HORIZON)]
    both = found.merge(offers, left_on=["deal", "turn"], right_on=["game_id", "turn"], suffixes=("", "_log"))
    assert len(both) == len(found)
    assert (both["card"] == both["card_log"]).all()
    assert (both["other"] == both["other_seat"]).all()
    assert (both["own"] == both["accepted"]).all()
    # By turn: each offer of each game with chance 1 / HORIZON.
    expected = offers.groupby("turn").size().reindex(range(HORIZON), fill_value=0) / HORIZON
    seen = found.groupby("turn").size().reindex(range(HORIZON), fill_value=0)
    assert (((seen - expected) / np.sqrt(expected)).abs() < 4).all()


def test_stretches_add_up_and_slots_divide() -> None:
    session = Session(rules(2), [[CATALOG.from_spec(name) for name in ("expert", "random")]], SEED)
    whole = session.forks("chance", 0, 0, 60, horizon=HORIZON)
    parts = [session.forks("chance", 0, first, n, horizon=HORIZON) for first, n in ((0, 13), (13, 47))]
    assert (np.concatenate(parts) == whole).all()
    slots = [forks(session, "chance", 60, slot=slot) for slot in (0, 1)]
    assert sorted([*slots[0]["deal"], *slots[1]["deal"]]) == whole[:, 0].tolist()
    for slot, found in enumerate(slots):
        assert ((found["other"] + found["deal"]) % 2 == slot).all()


def test_what_cannot_be_forked_is_refused() -> None:
    session = Session(rules(2), [[CATALOG.from_spec("random")] * 2], SEED)
    with pytest.raises(InputError, match=r"unknown kind of fork 'steel'.*steal"):
        session.forks("steel", 0, 0, 1, horizon=5)
    with pytest.raises(InputError, match="horizon"):
        session.forks("steal", 0, 0, 1, horizon=0)
