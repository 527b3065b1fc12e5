"""The second engine's advanced mode against the rules page, example by example."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.oracle.agent_avenue import TIE_RULES, Ending
from tests.oracle.market import publisher_cards
from tests.oracle.mode_logs import answer, play_on, random_chooser, shuffled
from tests.oracle.mode_positions import lead_of, made_up, position, turn
from tests.oracle.modes import ModeGame, ModeRules
from tests.oracle.written import WrittenCard, market_of, written_cards

SIDES = pytest.mark.parametrize("active", [0, 1])
CARDS = Path("agentsim/games/agent_avenue/cards")


def asked(game: ModeGame) -> tuple[str, int] | None:
    """The kind of the pending question and the side that has to answer it."""
    return None if game.pending is None else (game.pending.kind, game.pending.side)


def moved(game: ModeGame) -> tuple[int, int]:
    """What the last turn's row says about the moves of the active and the other side."""
    row = game.turn_rows[-1]
    return row["move_active"], row["move_other"]


def taken(game: ModeGame) -> list[tuple[int, str]]:
    """(seat, card) of every Black Market event so far."""
    return [(row["seat"], row["taken"]) for row in game.market_rows]


# ---- the cards as the page and the file have them --------------------------------------------------------------------


def test_the_page_lists_these_cards(repository: Path) -> None:
    page = (repository / "docs" / "rules" / "agent_avenue_market.md").read_text(encoding="utf-8")
    table = page.split("## The cards")[1].split("## A turn")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| (\w+) \|", table, flags=re.MULTILINE)
    cards = publisher_cards(ceasefire=True)
    assert [(name, kind) for name, _, kind in rows] == [(name, card.kind) for name, card in cards.items()]
    file = tomllib.loads((repository / CARDS / "market.toml").read_text(encoding="utf-8"))
    assert [(name, english) for name, english, _ in rows] == [(name, file[name]["names"]["en"]) for name in file]
    assert {name for name in file if file[name].get("promo")} == {"ceasefire"}
    assert {entry["provenance"] for entry in file.values()} == {"publisher"}


@pytest.mark.parametrize("players", [2, 4])
def test_the_file_means_what_the_handwritten_cards_mean(repository: Path, players: int) -> None:
    file = tomllib.loads((repository / CARDS / "market.toml").read_text(encoding="utf-8"))
    written = {name: WrittenCard(name, entry) for name, entry in file.items()}
    by_hand = publisher_cards(ceasefire=True)
    assert list(written) == list(by_hand)
    for seed in range(300):
        logs = []
        for cards in (by_hand, written):
            rules = ModeRules(players=players, market_cards=cards)
            rng = Random(seed)
            deck, pile = shuffled(rules, rng)
            game = play_on(ModeGame(deck, rules, pile), random_chooser(rng, 0.1))
            logs.append((game.history, game.turn_rows, game.market_rows, game.ending))
        assert logs[0] == logs[1]


def test_market_sets() -> None:
    new: dict[str, dict[str, Any]] = {
        "one": {"effects": [{"do": "nothing"}]},
        "promo": {"effects": [{"do": "clear"}], "promo": True},
    }
    assert list(market_of("old")) == list(publisher_cards())
    assert list(market_of("new", new)) == ["one"]
    assert list(market_of("both", new, ceasefire=True)) == [*publisher_cards(), "ceasefire", "one"]
    assert len(publisher_cards()) == 15


@pytest.mark.parametrize(
    "effect",
    [
        {"do": "dance"},
        {"do": "move"},
        {"do": "move", "spaces": 1, "agent": "mole"},
        {"do": "recruit", "from": "deck", "agent": "mole"},
        {"do": "recruit", "from": "hand", "agent": "mole", "of": "pair"},
        {"when": "recruit", "do": "set", "agent": "mole"},
        {"when": "end", "do": "win", "if": "names"},
        {"when": "end", "do": "win", "if": "luck"},
        {"when": "end", "do": "move", "spaces": 1},
    ],
)
def test_effects_outside_the_vocabulary_are_refused(effect: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        made_up(effect)


def test_a_card_is_instant_or_ongoing() -> None:
    ongoing = {"when": "recruit", "agent": "mole", "do": "negate"}
    with pytest.raises(ValueError, match="instant"):
        made_up({"do": "nothing"}, ongoing)
    with pytest.raises(ValueError, match="ongoing"):
        written_cards({"card": {"kind": "instant", "effects": [ongoing]}})


# ---- landing ---------------------------------------------------------------------------------------------------------


@SIDES
def test_landing_by_retreat(active: int) -> None:
    game = position(active=active, steps=(3, 0))
    turn(game, "saboteur", "codebreaker", "codebreaker")
    assert asked(game) == ("market", active)
    answer(game, "security_system")
    assert moved(game) == (-1, 0)
    assert [card.name for card in game.sides[active].ongoing] == ["security_system"]


@SIDES
@pytest.mark.parametrize(
    ("start", "enforcers", "card"),
    [(5, 0, "codebreaker"), (4, 1, "enforcer"), (1, 1, "enforcer"), (0, 0, "enforcer")],
    ids=["standing on a corner", "crossing 5", "crossing 2", "stopping short"],
)
def test_no_landing(active: int, start: int, enforcers: int, card: str) -> None:
    game = position(active=active, steps=(start, 0), has=({"enforcer": enforcers}, {}))
    turn(game, card, "sentinel", "sentinel")
    assert game.turn == 1
    assert taken(game) == []


@SIDES
@pytest.mark.parametrize("start", [0, 3, -4, -7, 14])
def test_all_four_corners_forward(active: int, start: int) -> None:
    game = position(active=active, steps=(start, start - 2), hand=["daredevil", "mole", "sentinel", "sentinel"])
    turn(game, "daredevil", "sentinel", "sentinel")
    assert asked(game) == ("market", active)


@SIDES
def test_the_truck_leaves_the_corner(active: int) -> None:
    game = position(active=active, hand=["daredevil", "codebreaker", "mole", "mole"], supply=["surveillance_truck"])
    turn(game, "codebreaker", "daredevil", "codebreaker", "surveillance_truck")
    assert game.sides[active].moves == 3
    assert taken(game) == [(active, "surveillance_truck")]
    assert game.market_rows[0]["move"] == 1
    assert moved(game) == (2, 0)


@SIDES
def test_smoke_screen_draws_the_mole_and_the_pawn_is_passed(active: int) -> None:
    game = position(
        active=active,
        steps=(0, 6),
        hand=["daredevil", "codebreaker", "mole", "mole"],
        deck=["saboteur", "saboteur", "mole", "enforcer"],
        supply=["smoke_screen"],
    )
    turn(game, "codebreaker", "daredevil", "codebreaker", "smoke_screen")
    assert lead_of(game, active) == -7
    assert game.ending == Ending(1 - active, "catch", False)
    row = game.market_rows[0]
    assert (row["target"], row["recruited"], row["move"]) == (None, "mole", -3)
    assert lead_of(game, active) == (row["lead_after"] if active == 0 else -row["lead_after"])


@SIDES
def test_overtaken_in_a_chain_and_ahead_again(active: int) -> None:
    game = position(
        active=active,
        steps=(2, 9),
        has=({"enforcer": 2}, {}),
        hand=["enforcer", "codebreaker", "sidekick", "sentinel"],
        deck=["saboteur", "saboteur", "mole", "enforcer"],
        supply=["smoke_screen", "secret_recruit"],
    )
    # The 3rd enforcer leads to 5, smoke screen's mole back to 2, where the pawn is caught for the moment (lead -7),
    # secret recruit's sidekick to 6.
    turn(game, "codebreaker", "enforcer", "codebreaker", "smoke_screen", "secret_recruit", "sidekick")
    assert abs(game.market_rows[0]["lead_after"]) == 7
    assert lead_of(game, active) == -3
    assert not game.over
    assert [row["move"] for row in game.market_rows] == [-3, 4]


@SIDES
def test_smoke_screen_with_an_empty_deck(active: int) -> None:
    game = position(active=active, steps=(3, 0), deck=[], supply=["smoke_screen"])
    turn(game, "saboteur", "codebreaker", "codebreaker", "smoke_screen")
    row = game.market_rows[0]
    assert (row["target"], row["recruited"], row["move"]) == (None, None, 0)
    assert game.market_discards == ["smoke_screen"]


@SIDES
def test_a_mode_without_market_has_no_corners(active: int) -> None:
    game = position(ModeRules(), active=active, steps=(3, 0), supply=[])
    turn(game, "saboteur", "codebreaker", "codebreaker")
    assert game.turn == 1


# ---- hands and draws -------------------------------------------------------------------------------------------------


@SIDES
def test_outpost_then_a_draw(active: int) -> None:
    hand = ["daredevil", "codebreaker", "sentinel", "enforcer"]
    game = position(active=active, hand=hand, has=({"sentinel": 1}, {}), supply=["outpost"])
    turn(game, "codebreaker", "daredevil", "codebreaker", "outpost")
    side = game.sides[active]
    assert side.agents["sentinel"] == 2
    assert side.moves == 4
    assert len(side.players[0].hand) == 4
    assert len(game.deck) == 8 - 2 - 1
    row = game.market_rows[0]
    assert (row["target"], row["recruited"], row["move"]) == ("sentinel", "sentinel", 2)


@SIDES
def test_the_draw_comes_before_the_landing_that_the_effect_caused(active: int) -> None:
    game = position(
        active=active, steps=(3, 3), hand=["saboteur", "codebreaker", "enforcer", "enforcer"],
        has=({"enforcer": 2}, {}), deck=["mole", "mole", "sidekick"],
        supply=["double_trouble", "smoke_screen"], pile=["outpost"],
    )  # fmt: skip
    turn(game, "codebreaker", "saboteur", "codebreaker", "double_trouble", "enforcer")
    # 2 + 3 = 5: the next landing waits, the gap is filled, and the last card of the deck is in the hand already.
    assert asked(game) == ("market", active)
    assert game.question.options == ("outpost", "smoke_screen")
    assert sorted(game.sides[active].players[0].hand) == ["enforcer", "mole", "mole", "sidekick"]
    answer(game, "smoke_screen")
    assert game.market_rows[-1]["recruited"] is None


@SIDES
def test_a_hand_above_four_does_not_draw(active: int) -> None:
    hand = ["saboteur", "codebreaker", "sentinel", "enforcer"]
    game = position(active=active, steps=(3, 0), hand=hand, has=({}, {"mole": 1}), supply=["mind_control"])
    turn(game, "codebreaker", "saboteur", "codebreaker", "mind_control", "mole")
    assert len(game.sides[active].players[0].hand) == 5
    assert len(game.deck) == 8 - 2
    # Seven cards: two are offered and nothing is drawn, outpost takes one and nothing is drawn either.
    hand = ["saboteur", "codebreaker", "sentinel", "enforcer", "mole", "mole", "mole"]
    game = position(active=active, steps=(3, 0), hand=hand, supply=["outpost"])
    turn(game, "codebreaker", "saboteur", "codebreaker", "outpost")
    assert sorted(game.sides[active].players[0].hand) == ["enforcer", "mole", "mole", "mole"]
    assert len(game.deck) == 8


@SIDES
@pytest.mark.parametrize("recruited", [True, False])
def test_spycation(active: int, recruited: bool) -> None:
    game = position(active=active, steps=(1, 0), supply=["spycation"])
    turn(game, "codebreaker", "enforcer", "codebreaker", "spycation")
    # R12: the agent recruited just now can be taken back.
    assert game.question.options == ("enforcer",)
    answer(game, "enforcer", recruited)
    side = game.sides[active]
    assert side.agents["enforcer"] == (1 if recruited else 0)
    assert side.moves == (3 if recruited else 2)
    assert len(side.players[0].hand) == (4 if recruited else 5)
    row = game.market_rows[0]
    assert (row["target"], row["recruited"]) == ("enforcer", "enforcer" if recruited else None)
    assert len(game.deck) == 6


@SIDES
def test_double_trouble(active: int) -> None:
    game = position(active=active, steps=(3, 0), deck=["mole", "sidekick"], supply=["double_trouble"])
    turn(game, "codebreaker", "saboteur", "codebreaker", "double_trouble")
    assert (game.market_rows[0]["target"], game.market_rows[0]["recruited"]) == (None, None)
    assert game.market_discards == ["double_trouble"]
    game = position(active=active, steps=(3, 0), deck=["enforcer", "sentinel"], supply=["double_trouble"])
    turn(game, "codebreaker", "saboteur", "codebreaker", "double_trouble")
    assert game.question.options == ("enforcer", "sentinel")
    answer(game, "enforcer")
    assert sorted(game.sides[active].players[0].hand) == ["enforcer", "sentinel", "sentinel"]
    assert game.market_rows[0]["recruited"] == "enforcer"


@SIDES
def test_secret_recruit_wants_a_new_name(active: int) -> None:
    game = position(
        active=active, steps=(3, 0), has=({"sentinel": 1}, {}), deck=["saboteur", "mole"], supply=["secret_recruit"]
    )
    turn(game, "codebreaker", "saboteur", "codebreaker", "secret_recruit")
    # The saboteur was recruited this turn, the sentinel earlier (R12).
    assert game.question.options == ("enforcer", "mole")
    answer(game, "mole")
    assert game.market_rows[0]["move"] == -3


@SIDES
def test_mind_control_undoes_a_third_codebreaker(active: int) -> None:
    hand = ["daredevil", "codebreaker", "saboteur", "enforcer"]
    for supply, over in ((["mind_control"], False), (["surveillance_truck"], True)):
        game = position(active=active, hand=hand, has=({}, {"codebreaker": 2}), supply=supply)
        turn(game, "codebreaker", "daredevil", "codebreaker", *supply)
        if not over:
            answer(game, "codebreaker")
            assert game.sides[active].players[0].hand.count("codebreaker") == 2  # one drawn, one taken
            assert game.sides[1 - active].agents["codebreaker"] == 2
            assert game.market_rows[0]["target"] == "codebreaker"
        assert game.over is over
    assert game.ending == Ending(1 - active, "codebreakers", False)


@SIDES
def test_ceasefire(active: int) -> None:
    game = position(active=active, steps=(3, 0), has=({"daredevil": 2}, {"codebreaker": 2}), supply=["ceasefire"])
    turn(game, "codebreaker", "saboteur", "codebreaker", "ceasefire")
    assert not game.over
    assert all(count == 0 for side in game.sides for count in side.agents.values())
    assert sorted(game.out_of_the_game) == ["codebreaker"] * 3 + ["daredevil"] * 2 + ["saboteur"]
    assert game.sides[active].moves == 2
    game.check_conserved()


# ---- ongoing cards ---------------------------------------------------------------------------------------------------


@SIDES
@pytest.mark.parametrize(
    ("card", "agent", "moves"),
    [
        ("distraction_device", "saboteur", [1, 1, 2, 2]),
        ("watchtower", "enforcer", [3, 4, 5, 5]),
        ("sinister_twin", "double_agent", [-2, 12, -2, -2]),
        ("supercomputer", "codebreaker", [3, 3, 3, 3]),
    ],
)
def test_moves_of_recruited_agents(active: int, card: str, agent: str, moves: list[int]) -> None:
    game = position(active=active, owns=([card], []))
    side, rival = game.sides[active], game.sides[1 - active]
    assert [game.recruit(side, agent) for _ in moves] == moves
    assert [game.recruit(rival, agent) for _ in moves] == [game.rules.cards[agent].move(k + 1) for k in range(4)]
    others = [name for name in game.rules.cards if name != agent]
    assert [game.recruit(side, name) for name in others] == [game.rules.cards[name].move(1) for name in others]


@SIDES
def test_ongoing_cards_work_for_effects(active: int) -> None:
    game = position(
        active=active, steps=(3, 3), owns=(["distraction_device"], []), has=({"saboteur": 1}, {}),
        hand=["saboteur", "codebreaker", "mole", "mole"], deck=["mole", "mole", "saboteur"], supply=["smoke_screen"],
    )  # fmt: skip
    # The 2nd saboteur leads to 4 instead of 2: no landing at all.
    turn(game, "codebreaker", "saboteur", "codebreaker")
    assert (game.turn, game.sides[active].moves) == (1, 4)
    game = position(
        active=active, steps=(1, 1), owns=(["distraction_device"], []), has=({"saboteur": 1}, {}),
        hand=["saboteur", "codebreaker", "mole", "mole"], deck=["mole", "mole", "saboteur"], supply=["smoke_screen"],
    )  # fmt: skip
    turn(game, "codebreaker", "saboteur", "codebreaker", "smoke_screen")
    assert (moved(game), game.market_rows[0]["move"]) == ((1, 0), 2)


@SIDES
@pytest.mark.parametrize(
    ("start", "card", "end"),
    [(6, "enforcer", 10), (-1, "enforcer", 3), (8, "saboteur", 10), (20, "enforcer", 24), (7, "codebreaker", 7)],
    ids=["the other home", "its own home", "by retreat", "a lap later", "standing there"],
)
def test_getaway_car(active: int, start: int, card: str, end: int) -> None:
    hand = [card, "sentinel", "mole", "mole"]
    game = position(active=active, steps=(start, start - 3), hand=hand, owns=(["getaway_car"], []))
    turn(game, "sentinel", card, "sentinel")
    assert game.sides[active].moves == end
    assert moved(game) == (end - start, 0)
    assert taken(game) == []


@SIDES
@pytest.mark.parametrize(("lead", "caught"), [(-5, True), (-6, False)])
def test_sinister_twin_catches(active: int, lead: int, caught: bool) -> None:
    game = position(
        active=active, steps=(1, 1 - lead), owns=(["sinister_twin"], []), has=({"double_agent": 1}, {}),
        hand=["double_agent", "codebreaker", "mole", "mole"],
    )  # fmt: skip
    turn(game, "codebreaker", "double_agent", "codebreaker")
    assert lead_of(game, active) == lead + 12
    assert game.over is caught
    assert moved(game) == (12, 0)


@SIDES
def test_an_ongoing_card_does_not_move_the_agent_just_recruited(active: int) -> None:
    game = position(active=active, steps=(1, 0), supply=["watchtower"])
    turn(game, "codebreaker", "enforcer", "codebreaker", "watchtower")
    assert (moved(game), game.sides[active].moves) == ((1, 0), 2)
    assert game.recruit(game.sides[active], "enforcer") == 4


NAMES_6 = {"double_agent": 1, "codebreaker": 1, "daredevil": 1, "sentinel": 1, "sidekick": 1, "mole": 1}


@SIDES
@pytest.mark.parametrize("missing", [0, 1])
def test_masterplan_taken_this_turn_counts(active: int, missing: int) -> None:
    has = dict(list(NAMES_6.items())[missing:])
    game = position(active=active, steps=(1, 0), has=(has, {}), supply=["masterplan"])
    turn(game, "codebreaker", "enforcer", "codebreaker", "masterplan")
    assert game.ending == (Ending(active, "masterplan", False) if missing == 0 else None)


@SIDES
@pytest.mark.parametrize("laps", [0, 1, 2])
def test_security_system_after_a_retreat(active: int, laps: int) -> None:
    for start, card, over in ((8, "saboteur", True), (7, "codebreaker", True), (7, "enforcer", False)):
        steps = (start + 14 * laps, start + 14 * laps - 3)
        hand = [card, "sentinel", "mole", "mole"]
        game = position(active=active, steps=steps, hand=hand, owns=([], ["security_system"]))
        turn(game, "sentinel", card, "sentinel")
        assert game.ending == (Ending(1 - active, "security_system", False) if over else None)


# ---- the leader of the pack ------------------------------------------------------------------------------------------


@SIDES
@pytest.mark.parametrize("tie_rule", TIE_RULES)
@pytest.mark.parametrize("owner_active", [True, False])
@pytest.mark.parametrize(
    ("third", "winner", "reason", "tie"),
    [
        ("nothing", "owner", "leader_of_the_pack", False),
        ("rival 3 daredevils", "owner", "leader_of_the_pack", False),
        ("rival 3 codebreakers", "tie", "codebreakers", True),
        ("owner has caught", "owner", "catch", False),
        ("rival has caught", "tie", "catch", True),
        ("owner 3 codebreakers", "owner", "codebreakers", False),
    ],
)
def test_leader_beside_a_third_condition(
    active: int, tie_rule: str, owner_active: bool, third: str, winner: str, reason: str, tie: bool
) -> None:
    owner_has, rival_has = {"daredevil": 3}, {}
    if third.startswith("rival 3"):
        rival_has = {third.split()[2].rstrip("s"): 3}
    if third == "owner 3 codebreakers":
        owner_has["codebreaker"] = 3
    lead = {"owner has caught": 7, "rival has caught": -7}.get(third, 0)
    rules = ModeRules(market_cards=publisher_cards(), tie_rule=tie_rule)
    if owner_active:
        owner = active
        game = position(
            rules, active=active, steps=(lead, 0), has=(owner_has, rival_has), hand=["sentinel"] * 4,
            owns=(["leader_of_the_pack"], []),
        )  # fmt: skip
    else:
        owner = 1 - active
        game = position(
            rules, active=active, steps=(0, lead), has=(rival_has, owner_has), hand=["sentinel"] * 4,
            owns=([], ["leader_of_the_pack"]),
        )  # fmt: skip
    turn(game, "sentinel", "sentinel", "sentinel")
    expected: int | None = owner
    if winner == "tie":
        expected = {"active": active, "passive": 1 - active, "draw": None}[tie_rule]
        if expected == owner:
            reason = "leader_of_the_pack"
    assert game.ending == Ending(expected, reason, tie)
