"""Users' policies in every mode: compiled functions, Python objects, and questions that they do not answer."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.games.agent_avenue.catalog import CATALOG
from tests.games.agent_avenue.helpers import JIT, few
from tests.games.agent_avenue.modes.logs import ADVANCED, MODES, check_modes, mode_session, rows_of
from tests.games.agent_avenue.modes.test_logs import same

# A policy that answers everything by rules of thumb, compiled and with Python methods; and one of the base game only.
BOTH = """
    from agentsim.games.agent_avenue.modes.actions import FaceDown, FaceUp, Gain, MoveDivisionM, PickCard, PlayerUp
    from agentsim.games.agent_avenue.modes.actions import RecruitAgain, Target
    from agentsim.games.agent_avenue.step import Discard, Offer, Take
    from agentsim.games.agent_avenue.user import ASK_FACE_DOWN, ASK_FACE_UP, ASK_M, ASK_MARKET, ASK_MEMBER, ASK_TARGET
    from agentsim.games.agent_avenue.user import ASK_PLAYER_UP, ASK_RECRUIT, DISCARD, FACE_UP, HIDDEN, count, jit_offer
    from agentsim.games.agent_avenue.user import jit_others, jit_take, lowest, name_set, nth_name, offer_action, policy
    from agentsim.games.agent_avenue.user import size_of_set, supply_card

    MOLE = 7

    @jit_offer
    def offer(view, table, params, key):
        if view.discards_left > 0 and view.deck > 0 and count(view.hand, MOLE) > 0:
            return DISCARD + MOLE
        names = name_set(view.hand)
        return offer_action(lowest(names), nth_name(names, size_of_set(names) - 1))

    @jit_take
    def take(view, table, params, key):
        return FACE_UP if count(view.mine, view.up) == 0 else HIDDEN

    @jit_others
    def others(view, table, params, key):
        if view.ask == ASK_PLAYER_UP:
            return view.turn // 2 % 2
        if view.ask == ASK_FACE_UP:
            return lowest(name_set(view.hand))
        if view.ask == ASK_FACE_DOWN:
            return lowest(view.options)
        if view.ask == ASK_MARKET:
            best = 0
            for place in range(view.options):
                if supply_card(view, table, place) < supply_card(view, table, best):
                    best = place
            return best
        if view.ask == ASK_MEMBER:
            return member_of(view)
        if view.ask == ASK_TARGET:
            return lowest(view.options)
        if view.ask == ASK_RECRUIT:
            return 1 if view.lead < 0 else 0
        return view.options - 1

    everything = policy(offer, take, others=others, idea="has an answer to everything")
    base = policy(offer, take, idea="knows the base game")

    ORDER = ["double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel", "sidekick", "mole",
             "handler"]

    class Slow:
        def offer(self, view):
            if view.discards_left > 0 and view.deck > 0 and "mole" in view.hand:
                return Discard("mole")
            names = sorted(view.hand, key=ORDER.index)
            return Offer(names[0], names[-1])

        def choose(self, view):
            return Take("hidden" if view.face_up in view.mine else "face_up")

    class SlowEverything(Slow):
        def decide(self, view):
            if view.question == "player_up":
                return PlayerUp(view.turn // 2 % 2)
            if view.question == "market":
                return min(view.legal, key=lambda pick: CARDS.index(pick.card))
            if view.question == "member":
                return Gain(0 if view.lead > 0 else 1)
            if view.question == "recruit":
                return RecruitAgain(view.lead < 0)
            if view.question == "division_m":
                return view.legal[-1]
            return next(action for action in view.legal if not isinstance(action, Discard))
"""
MEMBER = """
    from agentsim.jit import jit

    @jit
    def member_of(view):
        return 0 if view.lead > 0 else 1
"""


Written: TypeAlias = Callable[[dict[str, object]], Path]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The file of policies for some rules, as :func:`write` makes it; rules with the same cards share one."""
    made: dict[tuple[str, ...], Path] = {}

    def file(settings: dict[str, object]) -> Path:
        cards = tuple(card.id for card in mode_session(settings, "random").rules.market_cards)
        if cards not in made:
            made[cards] = write(tmp_path_factory.mktemp("policies"), settings)
        return made[cards]

    return file


def write(folder: Path, settings: dict[str, object]) -> Path:
    cards = [card.id for card in mode_session(settings, "random").rules.market_cards]
    path = folder / "mine.py"
    path.write_text(textwrap.dedent(MEMBER + BOTH) + f"\nCARDS = {cards!r}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("mode", ["advanced", "all of it in teams", "all of it, one against two", "division m"])
@pytest.mark.parametrize(("fast", "slow"), [("everything", "SlowEverything"), ("base", "Slow")])
def test_compiled_and_python_policies_play_the_same(mode: str, fast: str, slow: str, written: Written) -> None:
    path = written(MODES[mode])
    batches = []
    deals = few(25, 2)
    for name in (fast, slow):
        session = mode_session(MODES[mode], (f"{path}:{name}", "random_discards"), seed=8)
        batches.append(session.play(0, 3, deals, "full"))
        check_modes(session, 0, batches[-1], 3, deals)
    same(*batches)


def test_others_decide_what_they_are_asked(written: Written) -> None:
    path = written(MODES["advanced teams"])
    session = mode_session(MODES["advanced teams"], f"{path}:everything", seed=2)
    batch = session.play(0, 0, few(150, 15), "full")
    order = [card.id for card in session.rules.market_cards]
    for row in rows_of(session, batch, "market"):
        lay = [row[f"supply_{place}"] for place in range(3) if row[f"supply_{place}"] is not None]
        assert row["taken"] == min(lay, key=order.index)
    for row in rows_of(session, batch, "turns"):
        assert row["player_up"] == row["turn"] // 2 % 2
        assert row["n_discards"] == 0  # members of a team are asked by `others`, which never discards
    assert rows_of(session, batch, "market")


def test_without_others_chance_answers(written: Written) -> None:
    """As in `random`: uniform over the supply and the members."""
    path = written(MODES["advanced teams"])
    session = mode_session(MODES["advanced teams"], f"{path}:base", seed=2)
    rows = rows_of(session, session.play(0, 0, few(1500, 25), "turns"), "market")
    places = [[row[f"supply_{k}"] for k in range(3)].index(row["taken"]) for row in rows]
    for values, kinds in (([row["member"] for row in rows], 2), (places, 3)):
        seen = Counter(values)
        expected = len(rows) / kinds
        assert all(abs(seen[k] - expected) < 5 * np.sqrt(expected) for k in range(kinds)), seen


def test_a_lone_player_is_shown_no_discards_where_a_ruling_forbids_them(written: Written) -> None:
    """Ruling T1: one card left when Play starts. Policies of the base game then see that no discards are left."""
    settings = {"rules.players": 3, "rules.lone": "0", "rules.discards": 15, "cards.mole.copies": 15}
    path = written(settings)
    for name in ("base", "Slow"):
        session = mode_session(settings, (f"{path}:{name}", "random_discards"), seed=8)
        check_modes(session, 0, session.play(0, 0, few(60, 4), "full"), 0, few(60, 4))


@pytest.mark.parametrize(("body", "says"), [
    ("return 99", "made an illegal move in game"), ("return -1", "made an illegal move in game"),
    ("return view.options", "made an illegal move in game")])
def test_illegal_answers_are_named(body: str, says: str, tmp_path: Path) -> None:
    path = write(tmp_path, ADVANCED)
    text = path.read_text(encoding="utf-8")
    start, end = text.index("def others"), text.index("everything = policy")
    text = text[:start] + f"def others(view, table, params, key):\n    {body}\n\n" + text[end:]
    path.write_text(text, encoding="utf-8")
    session = mode_session(ADVANCED, f"{path}:everything")
    with pytest.raises(InputError) as error:
        session.play(0, 0, 50, "none")
    assert says in str(error.value)
    assert "policy 'everything'" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("body", "says"), [
    ("return 99", "'99' is not legal here; legal: pick "), ("raise KeyError('x')", "failed: KeyError: 'x'"),
    ("return None", "'None' is not legal here; legal: pick ")])
def test_python_policies_that_fail_are_named(body: str, says: str, tmp_path: Path) -> None:
    path = write(tmp_path, ADVANCED)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\nclass Broken(Slow):\n    def decide(self, view):\n        {body}\n")
    session = mode_session(ADVANCED, f"{path}:Broken")
    with pytest.raises(InputError) as error:
        session.play(0, 0, 50, "none")
    assert says in str(error.value)
    assert "policy 'Broken'" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.skipif(not JIT, reason="it is the compiler that finds them")
def test_functions_of_the_wrong_kind_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, ADVANCED)
    for line, says in (("policy(offer, take, others=take)", "take is not a function compiled by @jit_others"),
                       ("policy(others, take)", "others is not a function compiled by @jit_offer"),
                       ("policy(offer, take, others=len)", "len is not a function compiled by @jit_others")):
        wrong = tmp_path / "wrong.py"
        wrong.write_text(path.read_text(encoding="utf-8") + f"\nbad = {line}\n", encoding="utf-8")
        with pytest.raises(InputError, match=says):
            CATALOG.from_spec(f"{wrong}:bad")
