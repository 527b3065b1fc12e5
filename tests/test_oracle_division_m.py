"""The second engine's Division M against the rules page; its cards are stand-ins and say so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.oracle.agent_avenue import TIE_RULES, Ending, OracleIllegal
from tests.oracle.mode_logs import answer, market_columns, play_on, random_chooser, shuffled, turn_columns
from tests.oracle.mode_positions import lead_of, position, turn
from tests.oracle.modes import ModeGame, ModeRules, PawnCard, division_m_cards
from tests.oracle.written import market_of

SIDES = pytest.mark.parametrize("active", [0, 1])
FOLDER = Path(__file__).parent.parent / "agentsim" / "games" / "agent_avenue" / "cards"
NEW_CARDS = tomllib.loads((FOLDER / "market_division_m.toml").read_text(encoding="utf-8"))
CARDS = division_m_cards()
BASE = ModeRules(cards=CARDS)
STOPPING = ModeRules(cards=CARDS, m_trap="stopping")
BOTH = ModeRules(cards=CARDS, market_cards=market_of("both", NEW_CARDS))
TEAMS = ModeRules(cards=CARDS, players=4)
HAND = ["handler", "codebreaker", "enforcer", "sentinel"]


def m_steps(game: ModeGame, side: int) -> int | None:
    """Where a side's Division M pawn stands, in spaces from its own home."""
    m_space = game.sides[side].m_space
    return None if m_space is None else (m_space - game.sides[side].home) % 14


def spaces(active: int, *steps: int) -> tuple[int, ...]:
    """Spaces of the ring by steps from a side's own home."""
    return tuple((7 * active + step) % 14 for step in steps)


# ---- files and page -------------------------------------------------------------------------------------------------


def test_the_handler_is_the_files_handler() -> None:
    entry = tomllib.loads((FOLDER / "agents_division_m.toml").read_text(encoding="utf-8"))["handler"]
    card = CARDS["handler"]
    assert isinstance(card, PawnCard)
    assert (card.copies, card.first, card.second, card.third) == tuple(
        entry[key] for key in ("copies", "first", "second", "third")
    )
    assert card.symbols == tuple(entry[key] for key in ("m_first", "m_second", "m_third"))
    assert entry["provenance"] == "stand-in"
    assert sum(card.copies for card in CARDS.values()) == 44
    assert [card.symbol(count) for count in range(1, 7)] == ["home", 1, 2, 2, 2, 2]


def test_the_page_lists_the_files_stand_ins(repository: Path) -> None:
    page = (repository / "docs" / "rules" / "agent_avenue_division_m.md").read_text(encoding="utf-8")
    table = page.split("## Black Market (stand-ins)")[1].split("## Rulings")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| (\w+) \|", table, flags=re.MULTILINE)
    assert rows == [(name, entry["names"]["en"], entry["kind"]) for name, entry in NEW_CARDS.items()]
    assert len(rows) == 15
    for entry in NEW_CARDS.values():
        assert entry["provenance"] == "stand-in"
        assert set(entry["names"]) == {"en", "fr", "de"}
    assert not set(NEW_CARDS) & set(market_of("old", ceasefire=True))
    assert len(market_of("both", NEW_CARDS)) == 30


# ---- symbols --------------------------------------------------------------------------------------------------------


@SIDES
@pytest.mark.parametrize("before", [None, 0, 9])
def test_home_puts_the_pawn_on_its_home(active: int, before: int | None) -> None:
    game = position(BASE, active=active, hand=HAND, supply=[], m_steps=(before, None))
    turn(game, "codebreaker", "handler", "codebreaker")
    assert m_steps(game, active) == 0
    assert game.sides[1 - active].m_space is None
    assert game.sides[active].moves == 0
    assert game.turn == 1


@SIDES
@pytest.mark.parametrize(("handlers", "reach"), [(1, 1), (2, 2), (3, 2), (5, 2)])
@pytest.mark.parametrize("start", [0, 4, 13])
def test_numbers_move_the_pawn_up_to_so_many_spaces(active: int, handlers: int, reach: int, start: int) -> None:
    where = range(start - reach, start + reach + 1)
    for step in where:
        game = position(
            BASE, active=active, hand=HAND, has=({"handler": handlers}, {}), supply=[], m_steps=(start, None)
        )
        turn(game, "codebreaker", "handler", "codebreaker")
        assert (game.question.kind, game.question.side) == ("division_m", active)
        assert game.question.options == spaces(active, *where)
        if step == start - reach:
            with pytest.raises(OracleIllegal):
                game.choose(spaces(active, start + reach + 1)[0])
        answer(game, spaces(active, step)[0])
        assert m_steps(game, active) == step % 14


@SIDES
def test_numbers_do_nothing_off_the_board(active: int) -> None:
    game = position(BASE, active=active, hand=HAND, has=({"handler": 1}, {}), supply=[])
    turn(game, "codebreaker", "handler", "codebreaker")
    assert (game.turn, game.sides[active].m_space) == (1, None)


def test_on_a_small_ring_a_space_is_offered_once() -> None:
    rules = ModeRules(cards=CARDS, ring=4, home_1=2)
    game = position(rules, hand=HAND, has=({"handler": 2}, {}), supply=[], m_steps=(1, None))
    turn(game, "codebreaker", "handler", "codebreaker")
    assert sorted(game.question.options) == [0, 1, 2, 3]


@SIDES
def test_both_pawns_move_the_active_sides_first(active: int) -> None:
    game = position(
        BASE, active=active, hand=["handler"] * 4, has=({"handler": 1}, {"handler": 2}), supply=[], m_steps=(3, 3)
    )
    turn(game, "handler", "handler", "handler")
    assert (game.question.side, game.question.options) == (active, spaces(active, 2, 3, 4))
    answer(game, spaces(active, 4)[0])
    other = 1 - active
    assert (game.question.side, game.question.options) == (other, spaces(other, 1, 2, 3, 4, 5))
    answer(game, spaces(other, 1)[0])
    assert (m_steps(game, active), m_steps(game, other)) == (4, 1)


@SIDES
def test_pawns_move_after_the_spies_and_before_landings(active: int) -> None:
    game = position(
        BOTH, active=active, steps=(0, 3), hand=["handler", "saboteur", "mole", "mole"],
        has=({"handler": 1}, {}), m_steps=(4, None), supply=["watchtower"],
    )  # fmt: skip
    turn(game, "saboteur", "handler", "saboteur")
    assert game.question.kind == "division_m"
    assert (game.sides[1 - active].moves, game.sides[1 - active].owed) == (2, 1)
    answer(game, spaces(active, 5)[0])
    assert (game.question.kind, game.question.side) == ("market", 1 - active)


@SIDES
def test_the_team_moves_its_pawn_together(active: int) -> None:
    game = position(TEAMS, active=active, hand=HAND, has=({"handler": 1}, {}), m_steps=(4, None), supply=[])
    turn(game, "codebreaker", "handler", "codebreaker")
    assert (game.question.kind, game.question.side, game.question.player) == ("division_m", active, None)


# ---- handlers and effects -------------------------------------------------------------------------------------------

LANDING = ["saboteur", "codebreaker", "handler", "handler"]


@SIDES
def test_an_effects_handler_moves_the_pawn_inside_the_effect(active: int) -> None:
    game = position(
        BOTH, active=active, steps=(3, 3), hand=LANDING, has=({"handler": 1}, {}), m_steps=(0, None),
        deck=["mole", "mole", "sidekick"], supply=["briefing", "masterplan"],
    )  # fmt: skip
    turn(game, "codebreaker", "saboteur", "codebreaker", "briefing")
    assert game.question.kind == "division_m"
    assert game.deck == ["sidekick"]  # nothing is drawn before the pawn has moved
    answer(game, spaces(active, 13)[0])
    assert game.deck == []
    row = market_columns(game)[0]
    assert (row["recruited"], row["move"], row["m_space_after"]) == ("handler", 0, spaces(active, 13)[0])


@SIDES
def test_smoke_screen_may_draw_a_handler(active: int) -> None:
    game = position(
        BOTH, active=active, steps=(3, 3), hand=LANDING, deck=["mole", "mole", "handler"], supply=["smoke_screen"]
    )
    turn(game, "codebreaker", "saboteur", "codebreaker", "smoke_screen")
    assert m_steps(game, active) == 0
    assert game.market_rows[0]["recruited"] == "handler"


@SIDES
@pytest.mark.parametrize("card", ["mind_control", "defection"])
def test_losing_handlers_leaves_the_pawn(active: int, card: str) -> None:
    game = position(
        BOTH, active=active, steps=(3, 3), hand=LANDING, has=({}, {"handler": 1}), m_steps=(None, 9), supply=[card]
    )
    turn(game, "codebreaker", "saboteur", "codebreaker", card, "handler")
    assert (m_steps(game, 1 - active), game.sides[1 - active].agents["handler"]) == (9, 0)
    # The next handler of that side is a first one again.
    assert CARDS["handler"].move(1) == 0
    game = position(BASE, active=active, hand=HAND, m_steps=(9, None), supply=[])
    turn(game, "codebreaker", "handler", "codebreaker")
    assert m_steps(game, active) == 0


@SIDES
def test_masterplan_counts_the_handler(active: int) -> None:
    six = {"double_agent": 1, "codebreaker": 1, "daredevil": 1, "sentinel": 1, "sidekick": 1, "mole": 1}
    game = position(BOTH, active=active, hand=HAND, has=(six, {}), owns=(["masterplan"], []), supply=[])
    turn(game, "codebreaker", "handler", "codebreaker")
    assert game.ending == Ending(active, "masterplan", False)


# ---- the trap -------------------------------------------------------------------------------------------------------


@SIDES
@pytest.mark.parametrize(
    ("enforcers", "start", "trapped"),
    [(2, 4, True), (2, 5, False), (2, 3, False), (0, 6, True), (2, 18, True)],
    ids=["onto it", "past it", "short of it", "by one", "a lap later"],
)
def test_the_trap(active: int, enforcers: int, start: int, trapped: bool) -> None:
    for rules in (BASE, STOPPING):
        game = position(
            rules, active=active, steps=(start, start), hand=HAND, has=({"enforcer": enforcers}, {}),
            m_steps=(None, 0), supply=[],
        )  # fmt: skip
        turn(game, "codebreaker", "enforcer", "codebreaker")
        assert game.ending == (Ending(1 - active, "division_m", False) if trapped else None)


@SIDES
def test_the_trap_is_sprung_by_the_pawns_own_move(active: int) -> None:
    for rules, over in ((BASE, True), (STOPPING, False)):
        # The active spy stands on 6 and does not move; the other side's pawn comes from 7.
        game = position(
            rules, active=active, steps=(6, 4), hand=HAND, has=({}, {"handler": 1}), m_steps=(None, 0), supply=[]
        )
        turn(game, "handler", "codebreaker", "handler", spaces(1 - active, -1)[0])
        assert game.turn_rows[0]["move_active"] == 0
        assert game.ending == (Ending(1 - active, "division_m", False) if over else None)


@SIDES
def test_stopping_means_moved_in_this_turn(active: int) -> None:
    # The spy moves by 1 to 6, the other side's pawn follows it there.
    game = position(
        STOPPING, active=active, steps=(5, 4), hand=HAND, has=({}, {"handler": 1}), m_steps=(None, 0), supply=[]
    )
    turn(game, "handler", "enforcer", "handler", spaces(1 - active, -1)[0])
    assert game.ending == Ending(1 - active, "division_m", False)


@SIDES
def test_a_move_of_the_turn_before_is_no_stopping_now(active: int) -> None:
    for rules, over in ((BASE, True), (STOPPING, False)):
        game = position(
            rules, active=active, steps=(5, 4), hand=HAND, other_hand=HAND, has=({}, {"handler": 1}),
            m_steps=(None, 0), supply=[],
        )  # fmt: skip
        turn(game, "codebreaker", "enforcer", "codebreaker")
        assert game.ending is None
        # The other side's turn: only its Division M pawn moves, onto the spy that stopped on 6 a turn ago.
        turn(game, "codebreaker", "handler", "codebreaker", spaces(1 - active, -1)[0])
        assert game.ending == (Ending(1 - active, "division_m", False) if over else None)


@SIDES
@pytest.mark.parametrize(("start", "sprung"), [(1, True), (0, False)])
def test_only_the_place_at_end_counts(active: int, start: int, sprung: bool) -> None:
    """The active spy stops on the trap; a false trail of the other side, if that lands, leads it off again."""
    game = position(
        BOTH, active=active, steps=(6, start), hand=["enforcer", "daredevil", "mole", "mole"],
        m_steps=(None, 0), supply=["false_trail"],
    )  # fmt: skip
    turn(game, "daredevil", "enforcer", "daredevil", *([] if sprung else ["false_trail"]))
    assert game.sides[active].moves == (7 if sprung else 6)
    assert game.ending == (Ending(1 - active, "division_m", False) if sprung else None)


@SIDES
@pytest.mark.parametrize("tie_rule", TIE_RULES)
def test_ties_with_the_trap(active: int, tie_rule: str) -> None:
    rules = ModeRules(cards=CARDS, tie_rule=tie_rule)
    winner = {"active": active, "passive": 1 - active, "draw": None}[tie_rule]
    # Both spies stand on the other side's pawn.
    game = position(rules, active=active, steps=(3, 3), hand=HAND, m_steps=(10, 10), supply=[])
    turn(game, "codebreaker", "sentinel", "codebreaker")
    assert game.ending == Ending(winner, "division_m", True)
    # One side is trapped and has three codebreakers.
    game = position(
        rules, active=active, steps=(3, 3), hand=HAND, has=({"codebreaker": 2}, {}), m_steps=(None, 10), supply=[]
    )
    turn(game, "sentinel", "codebreaker", "sentinel")
    reason = "division_m" if winner == 1 - active else "codebreakers"
    assert game.ending == Ending(winner, reason, True)
    # One side is trapped, the other one has three daredevils.
    game = position(
        rules, active=active, steps=(3, 3), hand=HAND, has=({}, {"daredevil": 3}), m_steps=(None, 10), supply=[]
    )
    turn(game, "codebreaker", "sentinel", "codebreaker")
    assert game.ending == Ending(winner, "daredevils" if winner == active else "division_m", True)


@SIDES
def test_the_trap_is_named_after_cards_and_before_daredevils(active: int) -> None:
    for owned, daredevils, reason in (
        ([], 3, "division_m"),
        (["dragnet"], 0, "dragnet"),
        (["security_system"], 0, "division_m"),
    ):
        game = position(
            BOTH, active=active, steps=(3, 3), hand=HAND, has=({"daredevil": daredevils}, {}), owns=([], owned),
            m_steps=(None, 10), supply=[],
        )  # fmt: skip
        turn(game, "codebreaker", "sentinel", "codebreaker")
        assert game.ending == Ending(1 - active, reason, False)


# ---- the stand-ins --------------------------------------------------------------------------------------------------


@SIDES
@pytest.mark.parametrize(
    ("card", "agent", "moves"),
    [
        ("dead_drop", "handler", [2, 2, 2]),
        ("bribed_guard", "sentinel", [1, 3, 7]),
        ("stunt_double", "daredevil", [4, 5, 2]),
        ("second_cover", "double_agent", [1, 6, 1]),
    ],
)
def test_stand_ins_on_recruiting(active: int, card: str, agent: str, moves: list[int]) -> None:
    game = position(BOTH, active=active, owns=([card], []))
    assert [game.recruit(game.sides[active], agent) for _ in moves] == moves


@SIDES
def test_stand_ins_on_stopping(active: int) -> None:
    game = position(BOTH, active=active, steps=(2, 0), owns=(["relay_station", "street_contacts"], []), m_steps=(3, 9))
    side = game.sides[active]
    assert game.move_spy(side, 1) == 5  # onto its own pawn on 3, then to 7
    assert game.move_spy(side, 2) == 3  # onto the corner 9, then to 10
    assert (side.moves, side.owed) == (10, 1)
    side.moves = 8
    assert game.move_spy(side, -1) == -1
    assert game.move_spy(game.rival(side), 9) == 9  # the other side has no such card


@SIDES
def test_chain_of_command(active: int) -> None:
    for handlers, over in ((1, False), (2, True)):
        game = position(
            BOTH, active=active, hand=HAND, has=({"handler": handlers}, {}), owns=(["chain_of_command"], []), supply=[]
        )
        turn(game, "codebreaker", "handler", "codebreaker")
        assert game.ending == (Ending(active, "chain_of_command", False) if over else None)


@SIDES
@pytest.mark.parametrize(("distance", "over"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_dragnet(active: int, distance: int, over: bool) -> None:
    for m_step in (10, 13):
        # Spy of the active side at its own 0: the other side's 7.
        steps = (m_step - 7 + distance, m_step - 7 + distance)
        game = position(
            BOTH, active=active, steps=steps, hand=HAND, owns=([], ["dragnet"]), m_steps=(None, m_step), supply=[]
        )
        turn(game, "codebreaker", "sentinel", "codebreaker")
        assert game.ending == (Ending(1 - active, "dragnet", False) if over else None)
    game = position(BOTH, active=active, hand=HAND, owns=([], ["dragnet"]), supply=[])
    turn(game, "codebreaker", "sentinel", "codebreaker")
    assert game.ending is None


@SIDES
@pytest.mark.parametrize("before", [None, 5])
def test_stand_ins_that_move_the_pawn(active: int, before: int | None) -> None:
    game = position(
        BOTH, active=active, steps=(3, 3), hand=LANDING, m_steps=(before, None), supply=["forward_base"],
    )  # fmt: skip
    turn(game, "codebreaker", "saboteur", "codebreaker", "forward_base")
    assert m_steps(game, active) == 0
    game = position(BOTH, active=active, steps=(3, 3), hand=LANDING, m_steps=(before, None), supply=["night_shift"])
    turn(game, "codebreaker", "saboteur", "codebreaker", "night_shift")
    if before is None:
        assert (game.turn, m_steps(game, active)) == (1, None)
    else:
        assert game.question.options == spaces(active, *range(2, 9))
        answer(game, spaces(active, 8)[0])
        assert m_steps(game, active) == 8


@SIDES
def test_borrowed_bus_and_headhunter(active: int) -> None:
    game = position(BOTH, active=active, steps=(3, 3), hand=LANDING, supply=["borrowed_bus"])
    turn(game, "codebreaker", "saboteur", "codebreaker", "borrowed_bus")
    assert game.sides[active].moves == 4
    game = position(
        BOTH, active=active, steps=(3, 3), hand=LANDING, has=({"mole": 1}, {}), deck=["mole", "sidekick"],
        supply=["headhunter"],
    )  # fmt: skip
    turn(game, "codebreaker", "saboteur", "codebreaker", "headhunter")
    assert game.question.options == ("sidekick", "mole", "handler")
    answer(game, "sidekick")
    assert game.sides[active].moves == 6


@SIDES
def test_false_trail_may_cause_a_landing(active: int) -> None:
    game = position(BOTH, active=active, steps=(3, 3), hand=LANDING, supply=["false_trail"], pile=["watchtower"])
    turn(game, "codebreaker", "saboteur", "codebreaker", "false_trail")
    assert (game.question.kind, game.question.side) == ("market", 1 - active)
    assert lead_of(game, active) == 0


# ---- logs and bounds ------------------------------------------------------------------------------------------------


def test_log_columns() -> None:
    rng = Random(11)
    deck, pile = shuffled(BOTH, rng)
    game = play_on(ModeGame(deck, BOTH, pile), random_chooser(rng))
    rows, events = turn_columns(game), market_columns(game)
    assert all({"m_space_0", "m_space_1"} <= set(row) for row in rows)
    assert all("m_space_after" in event for event in events)
    assert rows[-1]["m_space_0"] == game.sides[0].m_space
    plain = ModeRules()
    other = play_on(ModeGame(shuffled(plain, rng)[0], plain), random_chooser(rng))
    assert not {"m_space_0", "m_space_1", "player_up"} & set(turn_columns(other)[0])


@pytest.mark.parametrize("rules", [BASE, TEAMS, ModeRules(cards=CARDS, players=3, lone=0)])
def test_bounds_of_base_mode(rules: ModeRules) -> None:
    seen: set[Any] = set()
    for seed in range(300):
        rng = Random(seed)
        game = play_on(ModeGame(shuffled(rules, rng)[0], rules), random_chooser(rng))
        assert game.turn <= 21
        assert abs(game.lead) <= 15
        assert game.ending is not None
        seen.add(game.ending.end_reason)
        game.check_conserved()
    assert seen == {"catch", "codebreakers", "daredevils", "division_m"}
