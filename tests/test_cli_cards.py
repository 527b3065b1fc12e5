"""``validate``, ``new-card``, and card files on the command line and in experiment files."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from agentsim import cli
from agentsim.errors import InputError
from agentsim.experiment import load_experiment
from agentsim.games.agent_avenue.rules import make_rules

COURIER = """\
[agents.courier]
names = { en = "Courier" }
copies = 3
first = 1
second = 1
third = 4
"""
SET = COURIER + """
[market.watchtower]
spaces = 1

[market.tail_wind]
names = { en = "Tail Wind" }
kind = "ongoing"
effects = [{ when = "recruit", agent = "courier", do = "multiply", by = 2 }]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(SET, encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert cli.main(words) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    found = json.loads(run(capsys, *words, "--json"))
    assert isinstance(found, dict)
    return found


def test_validate_shows_the_set_as_a_reader_sees_it(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "validate", "mine.toml")
    assert text.startswith("mine.toml is fine.\n")
    assert "Shown as played in advanced mode" in text
    rows = {line.split()[1] for line in text.splitlines() if line.startswith("  * ")}
    assert rows == {"courier", "watchtower", "tail_wind"}
    words = " ".join(text.split())
    assert "* courier Courier house 3 +1 +1 +4" in words
    assert "Tail Wind house ongoing 1 When you recruit a courier," in words
    found = run_json(capsys, "validate", "mine.toml")
    assert [sheet["title"] for sheet in found["sheets"]] == ["Agents", "Black Market"]
    assert found["modes"] == dict.fromkeys(["base mode", "advanced mode", "base mode with Division M",
                                            "advanced mode with Division M"], "")
    row = next(row for row in found["sheets"][1]["rows"] if row[0] == "* tail_wind")
    assert row[-1] == "When you recruit a courier, move twice as far (+2, +2, +8)."


def test_validate_shows_the_mode_that_the_cards_are_for(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "agents.toml").write_text("[agents.sentinel]\nthird = 5\n")
    assert "Shown as played in base mode;" in run(capsys, "validate", "agents.toml")
    (here / "m.toml").write_text("[market.dead_drop]\nspaces = 5\n[agents.handler]\nm_third = 3\n")
    assert "Shown as played in advanced mode with Division M;" in run(capsys, "validate", "m.toml")
    assert "* dead_drop" in run(capsys, "validate", "m.toml")


def test_validate_says_where_a_set_cannot_be_played(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(f"[agents.spy_{n}]\ncopies = 1\nfirst = 0\nsecond = 0\nthird = 0\n" for n in range(7))
    (here / "many.toml").write_text(text)
    words = " ".join(run(capsys, "validate", "many.toml").split())
    assert words.startswith("many.toml can be played in base mode and in advanced mode. Not in base mode with Division "
                            "M: many.toml: cards: 16 agents (allowed: 1 to 15 names)")


@pytest.mark.parametrize(("words", "message"), [
    ("validate bad.toml", "bad.toml, line 2: agents.sentinel.thrid: agents have no 'thrid'"),
    ("validate bad.toml --json", "bad.toml, line 2: agents.sentinel.thrid: agents have no 'thrid'"),
    ("validate", "validate: FILE is missing"),
    ("validate nine.toml", "nine.toml: no such card file; did you mean 'mine.toml'?"),
    ("validate mine.toml --set rules.hand_size=99", "--set: rules.hand_size: 99 is out of range (allowed: 2 to 8)"),
    ("validate mine.toml --set rules.cards=shipped", "--set: rules.cards: is the file itself"),
    ("new-card mine.toml", "mine.toml: is there already; nothing was written (allowed: a new file)"),
    ("new-card x --out mine.toml", "mine.toml: is there already; nothing was written (allowed: a new file)"),
    ("new-card x --out no/where.toml", "no/where.toml: cannot be written: No such file or directory"),
    ("new-card 1st", "NAME: '1st' cannot be the id of a card"),
    ("new-card x --game chess", "--game: unknown game 'chess'"),
    ("rules --cards bad.toml", "bad.toml, line 2: agents.sentinel.thrid: agents have no 'thrid'"),
    ("cards --cards mine.toml --set cards.currier.first=2", "--set: cards.currier.first: unknown agent 'currier'"),
    ("simulate --policies random --cards bad.toml", "bad.toml, line 2: agents.sentinel.thrid: agents have no 'thrid'"),
    ("simulate --policies random --set rules.mode=advanced --set market.outpost.spaces=1",
     "--set: market.outpost.spaces: no effect of outpost has 'spaces' (allowed: copies)")])
def test_what_is_refused(words: str, message: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "bad.toml").write_text("[agents.sentinel]\nthrid = 5\n")
    text = run(capsys, *words.split(), code=2)
    assert text.count("\n") == 1
    assert message in text
    assert (here / "mine.toml").read_text() == SET


def test_new_card_writes_a_file_that_validates(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "agentsim validate push.toml" in run(capsys, "new-card", "push.toml")
    assert "* push" in run(capsys, "validate", "push.toml")
    printed = run(capsys, "new-card", "Long Way")
    assert "[market.long_way]" in printed
    assert 'en = "Long Way"' in printed
    run(capsys, "new-card", "Long Way", "--out", "way.toml")
    assert (here / "way.toml").read_text() == printed
    assert "[market.my_card]" in run(capsys, "new-card")


def test_cards_and_rules_of_a_set(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(capsys, "cards", "--cards", "mine.toml")
    assert "courier" in text
    assert "Black Market" not in text
    assert "m first" not in text
    advanced = ("--cards", "mine.toml", "--set", "rules.mode=advanced")
    assert "move 1 further" in " ".join(run(capsys, "cards", *advanced).split())
    assert "m first" in run(capsys, "cards", "--set", "rules.expansion=division_m")
    found = {key["name"]: key for key in run_json(capsys, "rules", *advanced)["keys"]}
    assert found["market.tail_wind.by"]["value"] == 2
    assert found["market.tail_wind.by"]["default"] is None
    assert (found["market.watchtower.spaces"]["value"], found["market.watchtower.spaces"]["default"]) == (1, 2)
    assert found["rules.cards"]["value"] == "given"


def test_rules_are_listed_under_headings(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "rules", "--set", "rules.mode=advanced").splitlines()
    heads = [line for line in lines if line and not line.startswith(" ")]
    assert heads == ["Game", "Teams", "Black Market (rules.mode = advanced)", "Division M",
                     "cards.<card>.<word>: values", "market.<card>.<word>: values"]
    assert len(lines) < 120
    assert "Game" not in run(capsys, "rules", "supply").split()


@pytest.mark.parametrize("form", ['cards = "sets/mine.toml"\n', '[rules]\ncards = "sets/mine.toml"\n'])
def test_an_experiment_file_may_name_a_card_file(form: str, here: Path) -> None:
    (here / "sets").mkdir()
    (here / "mine.toml").rename(here / "sets" / "mine.toml")
    folder = here / "elsewhere"
    folder.mkdir()
    (folder / "trial.toml").write_text('policies = ["random"]\n' + form.replace("sets", "../sets"))
    settings = load_experiment(folder / "trial.toml").settings
    assert settings["cards.courier.third"] == 4
    assert settings["rules.cards"] == "given"
    rules = make_rules(settings)
    assert rules.names[-1] == "courier"
    # The file has cards for advanced mode, too, which are left out here.
    assert rules.market_cards == ()
    (here / "sets" / "mine.toml").write_text("[market.outpost]\nspaces = 1\n")
    with pytest.raises(InputError, match=r"mine\.toml, line 2: market\.outpost\.spaces: no effect of outpost has"):
        load_experiment(folder / "trial.toml")


def test_an_experiment_file_may_hold_cards_itself(here: Path) -> None:
    (here / "trial.toml").write_text(
        'policies = ["random"]\nrules.mode = "advanced"\n'
        '[cards.courier]\ncopies = 1\nfirst = 1\nsecond = 1\nthird = 1\n'
        'names = { en = "Courier" }\n[market.outpost]\ncopies = 2\n[market.push]\nkind = "instant"\n'
        'effects = [{ do = "move", spaces = 1 }]\n')
    rules = make_rules(load_experiment(here / "trial.toml").settings)
    assert rules.cards[-1].name() == "Courier"
    assert {card.id: card.copies for card in rules.market_cards}["outpost"] == 2
    assert rules.market_cards[-1].id == "push"
    (here / "trial.toml").write_text('policies = ["random"]\nrules.mode = "advanced"\n[market.push]\nkind = "instant"\n'
                                     'effects = [{ do = "move", space = 1 }]\n')
    with pytest.raises(InputError, match=r"trial\.toml, line 5: market\.push\.effects\[1\]\.space: effects have no"):
        load_experiment(here / "trial.toml")


NO_NEW_AGENT = "[market" + SET.split("[market", 1)[1].replace("courier", "enforcer") + "[agents.sentinel]\nthird = 5\n"


@pytest.mark.parametrize("policy", ["greedy", pytest.param("solver_advanced", marks=pytest.mark.slow)])
def test_a_card_file_goes_through_every_command_of_a_game(
    policy: str, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Played, written as text, typed in again, reviewed and advised on; in a tournament and a duel."""
    (here / "satz é 1.toml").write_text(NO_NEW_AGENT, encoding="utf-8")
    cards = ["--set", "rules.mode=advanced", "--cards", "satz é 1.toml"]
    run(capsys, "simulate", "--policies", f"{policy},random", "--games", "8", "--log", "full", "--out", "lauf é",
        *cards, "--quiet")
    text = run(capsys, "replay", "lauf é", "--game", "3", "--format", "text")
    assert "Rule: market.tail_wind.effects" in text
    assert "Rule: cards.sentinel.third = 5" in text
    (here / "g 1.txt").write_text(text, encoding="utf-8")
    looking = ["--as", policy, "--against", policy, "--games", "10", "--quiet"]
    typed = run_json(capsys, "review", "g 1.txt", *looking)
    from_run = run_json(capsys, "review", "--run", "lauf é", "--game", "3", *looking)
    assert typed["decisions"] == from_run["decisions"]
    assert run_json(capsys, "advise", "g 1.txt", *looking)["actions"]
    found = run_json(capsys, "tournament", "--policies", f"{policy},random", "--games", "640", "--out", "turnier é",
                     *cards, "--quiet")
    assert found["pairs"][0]["n_games"] == 640
    run(capsys, "duel", policy, "random", "--games", "640", *cards, "--quiet")
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n1\n1\n1\n"))
    said = run(capsys, "play", "--against", policy, "--mode", "advanced", "--cards", "satz é 1.toml", "--seat", "0",
               "--seed", "4", "--save", "spiel é.txt")
    assert "agentsim review 'spiel é.txt'" in said
    assert run_json(capsys, "review", "spiel é.txt", "--against", policy, "--games", "10", "--quiet")["decisions"]
    if policy == "solver_advanced":  # it knows what agents are good for, and no new ones
        error = run(capsys, "duel", policy, "random", "--set", "rules.mode=advanced", "--cards", "mine.toml", code=2)
        assert "cards.courier: solver_advanced knows only the agents of the box" in error
