"""Policies in a user's own file: compiled functions, Python objects, and whatever may be wrong with them."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

from agentsim.errors import InputError
from agentsim.games.agent_avenue import kernel, user
from agentsim.games.agent_avenue.catalog import CATALOG
from agentsim.games.agent_avenue.rules import make_rules
from agentsim.games.agent_avenue.session import Session, make_player
from agentsim.games.base import PolicyRef
from tests.games.agent_avenue.helpers import JIT, STANDARD, few, session, the_game
from tests.games.agent_avenue.replays import check_batch

IMPORTS = """
    from agentsim.games.agent_avenue.user import COPIES, DISCARD, FACE_UP, HIDDEN, N_NAMES, below, count, jit_offer
    from agentsim.games.agent_avenue.user import jit_take, lowest, name_set, nth_name, offer_action, policy
    from agentsim.games.agent_avenue.user import pop_lowest, size_of_set, unit, word
"""

# A policy that uses all that a decision may use, and the same with Python methods. It discards moles while it may,
# lays the lowest name up over the highest, and takes the face-up card if it has none of it.
BOTH = IMPORTS + """
    from agentsim.games.agent_avenue.step import Discard, Offer, Take

    MOLE = 7

    @jit_offer
    def tidy_offer(view, table, params, key):
        if view.discards_left > params[0] and view.deck > 0 and count(view.hand, MOLE) > 0:
            return DISCARD + MOLE
        names = name_set(view.hand)
        n = size_of_set(names)
        return offer_action(lowest(names), nth_name(names, n - 1))

    @jit_take
    def tidy_take(view, table, params, key):
        return FACE_UP if count(view.mine, view.up) == 0 else HIDDEN

    tidy = policy(tidy_offer, tidy_take, params={"keep": 0}, idea="a tidy one")

    NAMES = ["double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel", "sidekick", "mole"]

    class Slow:
        idea = "the same in Python"

        def offer(self, view):
            if view.discards_left > 0 and view.deck > 0 and "mole" in view.hand:
                return Discard("mole")
            names = sorted(view.hand, key=NAMES.index)
            return Offer(names[0], names[-1])

        def choose(self, view):
            return Take("hidden" if view.face_up in view.mine else "face_up")

    slow = Slow()
"""


def write(folder: Path, text: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def refused(spec: str) -> str:
    with pytest.raises(InputError) as error:
        CATALOG.from_spec(spec)
    assert "\n" not in str(error.value)
    return str(error.value)


# ---- compiled policies -----------------------------------------------------------------------------------------------


def test_the_example_of_the_documentation(tmp_path: Path) -> None:
    """Copied from the docstring, word for word."""
    doc = inspect.getdoc(user)
    assert doc
    example = re.search(r"in a file of your own::\n\n(.*?)\n\nand is then called", doc, re.DOTALL)
    assert example
    path = write(tmp_path, example[1])
    ref = CATALOG.from_spec(f"{path}:shy")
    assert (ref.label, ref.family, dict(ref.params)) == ("shy", "user", {"hidden": 0.25})
    assert ref.idea == "takes the hidden card now and then"
    assert ref.source == f"{path}:shy"
    bold = CATALOG.from_spec(f"{path}:shy(hidden=0.5)")
    assert (bold.label, dict(bold.params)) == ("shy(hidden=0.5)", {"hidden": 0.5})
    table = Session(STANDARD, [(ref, ref), (bold, bold), (ref, the_game().policy("greedy"))], 3)
    for matchup, hidden in ((0, 0.25), (1, 0.5)):
        batch = table.play(matchup, 0, few(600, 10), "full")
        check_batch(table, matchup, batch, 0, few(600, 10))
        if JIT:
            share = 1 - batch.tables["turns"]["took_face_up"].mean()
            assert abs(share - hidden) < 4 * np.sqrt(hidden * (1 - hidden) / len(batch.tables["turns"]["turn"]))
    check_batch(table, 2, table.play(2, 0, few(300, 5), "full"), 0, few(300, 5))


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_one_kernel_serves_all_policies_of_users(tmp_path: Path) -> None:
    path = write(tmp_path, BOTH)
    session((f"{path}:tidy", "greedy")).play(0, 0, 10, "none")
    compiled = len(kernel.play_games.nopython_signatures)
    assert 1 <= compiled <= 2  # one for policies that are built in, one for those of users
    other = write(tmp_path, BOTH.replace("MOLE = 7", "MOLE = 6"), "other.py")
    session((f"{other}:tidy", f"{path}:tidy"), f"{other}:tidy", ("random", f"{other}:tidy")).play(1, 0, 10, "none")
    session(("expert", f"{other}:tidy(keep=1)")).play(0, 0, 10, "full")
    assert len(kernel.play_games.nopython_signatures) == compiled


def test_a_python_object_plays_what_compiled_functions_play(tmp_path: Path) -> None:
    path = write(tmp_path, BOTH)
    batches = []
    for name in ("tidy", "slow", "Slow"):
        table = session((f"{path}:{name}", "random_discards"), seed=8)
        batches.append(table.play(0, 0, few(100, 5), "full"))
        check_batch(table, 0, batches[-1], 0, few(100, 5))
    for batch in batches[1:]:
        for name, columns in batches[0].tables.items():
            for column, values in columns.items():
                np.testing.assert_array_equal(values, batch.tables[name][column], err_msg=column)
        for name, counts in batches[0].tally.items():
            np.testing.assert_array_equal(counts, batch.tally[name])
    assert batches[0].tables["games"]["discards_0"].sum() > 0
    mirror = session(f"{path}:slow")
    check_batch(mirror, 0, mirror.play(0, 0, few(40, 4), "full"), 0, few(40, 4))


def test_long_games_with_python_methods_come_in_portions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, BOTH)
    table = session((f"{path}:slow", "random"), seed=2)
    whole = table.play(0, 0, few(20, 4), "games").tables["games"]
    first, second = table.play(0, 0, 3, "games"), table.play(0, 3, few(20, 4) - 3, "games")
    for column, values in whole.items():
        np.testing.assert_array_equal(
            values, np.concatenate([first.tables["games"][column], second.tables["games"][column]]))


def test_many_parameters_reach_the_functions(tmp_path: Path) -> None:
    names = [f"p{i}" for i in range(400)]
    path = write(tmp_path, IMPORTS + f"""
    @jit_offer
    def o(view, table, params, key):
        names = name_set(view.hand)
        up, rest = lowest(names), pop_lowest(names)
        return offer_action(up, lowest(rest) if rest else up)

    @jit_take
    def t(view, table, params, key):
        return FACE_UP if params[399] == 7 and params[0] == 1 else HIDDEN

    long = policy(o, t, params={dict.fromkeys(names, 0)!r})
    """)
    for given, share in (("p399=7, p0=1", 1.0), ("p399=7", 0.0), ("p0=1", 0.0)):
        table = session((f"{path}:long({given})", "planner"))
        turns = table.play(0, 0, few(50, 3), "turns").tables["turns"]
        chosen_by_long = turns["active"] != turns["game_id"] % 2
        assert turns["took_face_up"][chosen_by_long].mean() == share


def test_policies_see_the_rules_they_play(tmp_path: Path) -> None:
    """The table of rules, the discards of this turn, and the random words of the decision."""
    path = write(tmp_path, IMPORTS + """
    @jit_offer
    def o(view, table, params, key):
        if view.step < 2 and view.discards_left > 0 and view.deck > 0:
            return DISCARD + lowest(name_set(view.hand))
        names = name_set(view.hand)
        n = size_of_set(names)
        if n == 1:
            return offer_action(lowest(names), lowest(names))
        first = below(word(key, 0), n)
        second = (first + 1 + below(word(key, 1), n - 1)) % n
        return offer_action(nth_name(names, first), nth_name(names, second))

    @jit_take
    def t(view, table, params, key):
        return FACE_UP if table[COPIES + view.up] > 1 and table[N_NAMES] == 8 else HIDDEN

    knows = policy(o, t)
    """)
    settings = {"rules.discards": 5, "cards.enforcer.copies": 1}
    table = session(f"{path}:knows", settings=settings)
    batch = table.play(0, 0, few(200, 4), "full")
    check_batch(table, 0, batch, 0, few(200, 4))
    turns = batch.tables["turns"]
    assert set(turns["n_discards"][turns["turn"] < 4].tolist()) == {2}
    copies = np.array([card.copies for card in make_rules(settings).cards])
    np.testing.assert_array_equal(turns["took_face_up"], copies[turns["face_up"]] > 1)


# ---- what may be wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("body", "says"), [
    ("x = (", "SyntaxError"), ("import nothing_like_it", "ModuleNotFoundError: No module named 'nothing_like_it'"),
    ("raise ValueError('first\\nsecond')", "ValueError: first"), ("1 / 0", "ZeroDivisionError: division by zero"),
    ("raise SystemExit(3)", "SystemExit: 3"), ("assert False", "AssertionError"), ("x = 1", "no policy 'mine'"),
    ("mine = 3", "no policy 'mine'"), ("\x00", "cannot be run"),
    ("mine = policy(len, len)", "not a function compiled")])
def test_broken_files(body: str, says: str, tmp_path: Path) -> None:
    path = write(tmp_path, textwrap.dedent(IMPORTS) + body)
    if not JIT and "policy(len" in body:
        pytest.skip("without a compiler any function will do")
    text = refused(f"{path}:mine")
    assert str(path) in text
    assert says in text


@pytest.mark.skipif(not JIT, reason="it is the compiler that finds them")
@pytest.mark.parametrize(("line", "says"), [
    ("return nothing_like_it", "name 'nothing_like_it' is not defined"),
    ("return view.deck_order", "Unknown attribute 'deck_order'"), ("return 'up'", "TypingError"),
    ("return view.hand['mole']", "getitem"),
    # The rules and the parameters are the same memory in every game: who writes there would change games to come.
    ("table[0] = 5", "setitem"), ("params[0] = 0.5", "setitem")])
def test_functions_that_do_not_compile(line: str, says: str, tmp_path: Path) -> None:
    path = write(tmp_path, IMPORTS + f"""
    @jit_offer
    def o(view, table, params, key):
        {line}
    """)
    text = refused(f"{path}:mine")
    assert "cannot be run" in text
    assert says in text


@pytest.mark.skipif(not JIT, reason="it is the compiler that finds them")
@pytest.mark.parametrize("arguments", ["view, table, params", "view", ""])
def test_functions_of_other_arguments(arguments: str, tmp_path: Path) -> None:
    path = write(tmp_path, IMPORTS + f"""
    @jit_take
    def t({arguments}):
        return 1
    """)
    assert "Signature mismatch: 4 argument types given" in refused(f"{path}:mine")


@pytest.mark.skipif(not JIT, reason="as Python it fails when it is called")
def test_a_function_that_only_raises(tmp_path: Path) -> None:
    path = write(tmp_path, IMPORTS + """
    @jit_offer
    def o(view, table, params, key):
        raise ValueError("not yet")

    @jit_take
    def t(view, table, params, key):
        return FACE_UP

    mine = policy(o, t)
    """)
    assert "o never returns a number (allowed: offer_action(up, down)" in refused(f"{path}:mine")


@pytest.mark.parametrize("value", ["float('nan')", "float('inf')", "True", "'high'", "None"])
def test_defaults_that_are_not_numbers(value: str, tmp_path: Path) -> None:
    path = write(tmp_path, IMPORTS + f"""
    @jit_offer
    def o(view, table, params, key):
        return offer_action(0, 1)

    @jit_take
    def t(view, table, params, key):
        return FACE_UP

    mine = policy(o, t, params={{"risk": {value}}})
    """)
    assert "the default of the parameter 'risk' is" in refused(f"{path}:mine")


def test_a_function_without_its_decorator(tmp_path: Path) -> None:
    path = write(tmp_path, IMPORTS + """
    def plain(view, table, params, key):
        return 1

    mine = policy(plain, plain)
    """)
    if JIT:
        assert "plain is not a function compiled by @jit_offer" in refused(f"{path}:mine")


@pytest.mark.parametrize(("name", "near"), [("tydi", "tidy"), ("slw", "slow"), ("", "tidy"), ("tidy_offer", "tidy")])
def test_unknown_names_in_a_file(name: str, near: str, tmp_path: Path) -> None:
    text = refused(f"{write(tmp_path, BOTH)}:{name}")
    assert "no policy '" in text or "cannot read" in text
    assert near in text


def test_unknown_parameters_of_a_users_policy(tmp_path: Path) -> None:
    path = write(tmp_path, BOTH)
    assert "tidy has no parameter 'kep' (allowed: keep" in refused(f"{path}:tidy(kep=1)")
    assert "slow has no parameter 'keep' (allowed: none" in refused(f"{path}:slow(keep=1)")


@pytest.mark.parametrize("code", ["-1", "7 * 16 + 7", "8 * 16", "15", "DISCARD + 8", "DISCARD - 1", "10**12", "-10**12",
                                  "offer_action(lowest(name_set(view.hand)), lowest(name_set(view.hand)))",
                                  "DISCARD + lowest(name_set(view.hand))"])
def test_illegal_moves(code: str, tmp_path: Path) -> None:
    """The last two are legal now and then: a hand of one name, and the first four discards."""
    path = write(tmp_path, IMPORTS + f"""
    @jit_offer
    def o(view, table, params, key):
        return {code}

    @jit_take
    def t(view, table, params, key):
        return 1

    cheat = policy(o, t)
    """)
    for pair in ((f"{path}:cheat", "random"), ("random", f"{path}:cheat")):
        table = session(pair)
        with pytest.raises(InputError) as error:
            table.play(0, 0, 50, "games")
        assert re.fullmatch(r"policies: policy 'cheat' made an illegal move in game \d+ of matchup 0 \(allowed: .*\)",
                            str(error.value)), str(error.value)
    # Told step by step, as for a story or beside a Python policy: the same complaint with what would be legal.
    with pytest.raises(InputError, match=r"^policies: policy 'cheat', game 0: .*; legal: offer") as error:
        the_game().story(STANDARD, session(f"{path}:cheat").matchups, 1, 0, 0)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("code", ["2", "-1", "99"])
def test_illegal_choices(code: str, tmp_path: Path) -> None:
    path = write(tmp_path, BOTH + f"""
    @jit_take
    def neither(view, table, params, key):
        return {code}

    cheat = policy(tidy_offer, neither)
    """)
    with pytest.raises(InputError, match=r"policy 'cheat' made an illegal move in game 0 of matchup 0 .*HIDDEN"):
        session((f"{path}:cheat", "random")).play(0, 0, 50, "games")
    with pytest.raises(InputError, match=rf"policy 'cheat', game 0: {code} is no choice; legal: take the face-up card"):
        the_game().story(STANDARD, session(f"{path}:cheat").matchups, 1, 0, 0)


def test_an_illegal_move_is_found_in_whichever_game_it_is_made(tmp_path: Path) -> None:
    path = write(tmp_path, IMPORTS + """
    @jit_offer
    def o(view, table, params, key):
        names = name_set(view.hand)
        up, rest = lowest(names), pop_lowest(names)
        if view.lead > 5:
            return -5
        return offer_action(up, lowest(rest) if rest else up)

    @jit_take
    def t(view, table, params, key):
        return 1

    late = policy(o, t)
    """)
    table = session(("random", f"{path}:late"))
    with pytest.raises(InputError) as error:
        table.play(0, 100, 500, "turns")
    game = int(re.search(r"in game (\d+)", str(error.value))[1])  # type: ignore[index]
    assert game >= 200
    # The games before it are good, and it is the one that is told of.
    before, part = divmod(game, 2)
    assert table.play(0, 100, before - 100, "games").n_games == 2 * (before - 100) if before > 100 else part >= 0
    with pytest.raises(InputError, match=rf"game {game}: -5 is no action"):
        the_game().story(STANDARD, table.matchups, 1, 0, game)


@pytest.mark.parametrize(("offer", "choose", "says"), [
    ("view.legal[0]", "Take('down')", "'take the hidden card' is not legal here|is not legal here; legal: take"),
    ("view.legal[0]", "None", "'None' is not legal here; legal: take the face-up card; take the hidden card"),
    ("Discard('joker')", "view.legal[0]", "'discard joker' is not legal here; legal: offer"),
    ("Offer('mole', 'mole')", "view.legal[0]", "is not legal here; legal: offer"),
    ("view.legal[99]", "view.legal[0]", r"policy 'p' failed: IndexError: tuple index out of range"),
    ("view.deck_order", "view.legal[0]", r"policy 'p' failed: AttributeError: 'Observation' object has no attribute")])
def test_python_methods_that_go_wrong(offer: str, choose: str, says: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"""
    from agentsim.games.agent_avenue.step import Discard, Offer, Take

    class P:
        def offer(self, view):
            return {offer}

        def choose(self, view):
            return {choose}

    p = P()
    """)
    with pytest.raises(InputError, match=says) as error:
        session((f"{path}:p", "greedy")).play(0, 0, 2, "games")
    assert "\n" not in str(error.value)
    assert "policy 'p'" in str(error.value)


def test_a_class_that_cannot_be_made(tmp_path: Path) -> None:
    path = write(tmp_path, """
    class P:
        def __init__(self, needed):
            pass

        def offer(self, view):
            return view.legal[0]

        def choose(self, view):
            return view.legal[0]
    """)
    assert "policy 'P' of" in refused(f"{path}:P")


# ---- a run's plan holds the file's hash ------------------------------------------------------------------------------


def test_a_changed_file_is_not_the_policy_of_the_plan(tmp_path: Path) -> None:
    path = write(tmp_path, BOTH)
    ref = CATALOG.from_spec(f"{path}:tidy")
    assert ref.digest == user.file_digest(str(path))
    assert PolicyRef.from_dict(ref.as_dict()) == ref
    make_player(ref, STANDARD)
    path.write_text(path.read_text(encoding="utf-8").replace("a tidy one", "another"), encoding="utf-8")
    with pytest.raises(InputError, match=r"is not the one that this run was planned with$"):
        make_player(ref, STANDARD)
    changed = CATALOG.from_spec(f"{path}:tidy")
    assert (changed.idea, changed.digest != ref.digest) == ("another", True)
    make_player(changed, STANDARD)
    path.unlink()
    with pytest.raises(InputError, match="cannot read the policy file"):
        make_player(changed, STANDARD)


def test_an_edited_file_plays_as_edited(tmp_path: Path) -> None:
    """Also when its functions were compiled and cached before."""
    body = IMPORTS + """
    @jit_offer
    def o(view, table, params, key):
        names = name_set(view.hand)
        up, rest = lowest(names), pop_lowest(names)
        return offer_action(up, lowest(rest) if rest else up)

    @jit_take
    def t(view, table, params, key):
        return {answer}

    mine = policy(o, t)
    """
    for answer in ("FACE_UP", "HIDDEN", "FACE_UP"):
        path = write(tmp_path, body.format(answer=answer))
        turns = session(f"{path}:mine").play(0, 0, few(20, 3), "turns").tables["turns"]
        assert set(turns["took_face_up"].tolist()) == {answer == "FACE_UP"}
