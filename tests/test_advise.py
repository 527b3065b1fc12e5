"""``agentsim advise`` and ``agentsim review``: from files and runs, as text, JSON and page; bad arguments."""

from __future__ import annotations

import json

import pytest

import agentsim
from agentsim.cli import main

POSITION = """Position: seat 0 chooses
Hand: 2 enforcer, saboteur, sentinel
Play 0: 2 codebreaker
Play 1: sentinel, mole
Lead: +3
Face up: codebreaker
"""
GAME = """Seat 0: Ann
Hand 0: 2 codebreaker, mole, enforcer
1. offers codebreaker up, mole down; draws codebreaker, sentinel; takes up
2. offers daredevil up, sentinel down; takes up
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("advise")
    (path / "position.txt").write_text(POSITION)
    (path / "game.txt").write_text(GAME)
    agentsim.simulate(policies=["greedy", "random"], games=20, out=path / "run", workers=1)
    return path


def run(words, capsys):
    code = main([str(word) for word in words])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_advice_on_a_position(folder, capsys):
    code, out, _ = run(["advise", folder / "position.txt", "--games", "500"], capsys)
    assert code == 0
    assert out.index("takes up") < out.index("takes down")
    assert "100" in out
    assert "What lies face down" in out
    assert "500 hidden worlds" in out
    code, out, err = run(["advise", folder / "position.txt", "--games", "500", "--json"], capsys)
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert data["actions"][0]["action"] == "takes up"
    assert data["actions"][0]["chance"]["estimate"] == 1
    assert {card["agent"] for card in data["hidden"]} >= {"double_agent", "sidekick"}
    assert agentsim.advise(folder / "position.txt", games=500).best.chance.estimate == 1


def test_advice_on_a_game_and_a_run(folder, capsys):
    code, out, _ = run(["advise", folder / "game.txt", "--turn", "1", "--games", "50", "--json"], capsys)
    assert code == 0
    assert json.loads(out)["seat"] == 0
    code, out, _ = run(["advise", "--run", folder / "run", "--game", "3", "--turn", "2", "--seat", "0", "--games", "50",
                        "--json"], capsys)
    data = json.loads(out)
    assert (code, data["turn"], data["seat"], len(data["actions"])) == (0, 2, 0, 2)


def test_a_review(folder, capsys):
    page = folder / "review.html"
    code, out, _ = run(["review", folder / "game.txt", "--games", "100", "--out", page], capsys)
    assert code == 0
    assert "Seat 0 (Ann): 2 decisions looked at" in out
    assert "2 are left out" in out
    text = page.read_text()
    assert "All decisions" in text
    assert text.count("<tr") >= 3
    assert "Ann" in text
    assert "src=" not in text
    code, out, _ = run(["review", "--run", folder / "run", "--game", "1", "--seat", "1", "--games", "20", "--json"],
                       capsys)
    data = json.loads(out)
    assert (code, data["seats"]) == (0, [1])
    assert all(one["seat"] == 1 and one["cost"]["estimate"] >= 0 for one in data["decisions"])
    assert data["total_cost"]["1"] == pytest.approx(sum(one["cost"]["estimate"] for one in data["decisions"]))


def test_a_run_written_as_text_reads_as_the_same_game(folder, capsys):
    code, out, _ = run(["replay", folder / "run", "--game", "5", "--format", "text"], capsys)
    assert code == 0
    (folder / "five.txt").write_text(out)
    seen = [run(["review", *source, "--games", "20", "--json"], capsys)[1]
            for source in ([folder / "five.txt"], ["--run", folder / "run", "--game", "5"])]
    assert json.loads(seen[0]) == json.loads(seen[1])


@pytest.mark.parametrize(("words", "problem"), [
    (["advise"], "give a file"), (["advise", "game.txt", "--run", "run"], "give a file, or --run"),
    (["advise", "nothing.txt"], "cannot be read"), (["advise", "--run", "run"], "--game: is missing"),
    (["advise", "--run", "run", "--game", "99"], "0 to 19"), (["advise", "game.txt", "--turn", "9"], "1 to 3"),
    (["advise", "game.txt", "--turn", "1", "--seat", "1"], "the hand of seat 1 is not known"),
    (["advise", "position.txt", "--turn", "1"], "a position is one decision"),
    (["advise", "position.txt", "--as", "expertt"], "did you mean 'expert'"),
    (["advise", "position.txt", "--games", "1"], "--games"), (["advise", "position.txt", "--precision", "x"], "'x'"),
    (["review", "position.txt"], "unknown header 'Position'"), (["review", "game.txt", "--seat", "3"], "no seat '3'"),
    (["review", "game.txt", "--out", "no/where.html"], "cannot be written"),
    (["review", "game.txt", "--seed", "-1"], "--seed"),
    (["replay", "run", "--game", "1", "--format", "txt"], "'text'")])
def test_bad_arguments(words, problem, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    code, out, err = run(words, capsys)
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1
