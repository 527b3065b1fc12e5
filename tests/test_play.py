"""``agentsim play`` with piped input: any mode, any nonsense, and the game saved."""

from __future__ import annotations

import io

import pytest

from agentsim.cli import main
from agentsim.games.agent_avenue.notation import play_record, read_game

MODES = {"base": [], "advanced": ["--mode", "advanced"], "three": ["--players", "3"],
         "four": ["--mode", "advanced", "--players", "4"], "division_m": ["--mode", "division_m"],
         "both": ["--mode", "advanced+division_m", "--set", "rules.market=both"]}


def run(words, typed, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    code = main(["play", *words])
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seat", ["0", "1"])
def test_a_game_to_its_end_in_each_mode(mode, seat, monkeypatch, capsys, tmp_path):
    file = tmp_path / "game.txt"
    code, out, _ = run(["--against", "random", "--seat", seat, "--seed", "4", "--save", str(file), *MODES[mode]],
                       "1\n2\n" * 200, monkeypatch, capsys)
    assert code == 0
    assert "hand was" in out
    end = play_record(read_game(file))[-1].game
    assert end.is_over
    assert f"by {end.end_reason}" in out
    assert ("You win" in out) == (end.winner == int(seat))


def test_wrong_input_never_ends_the_game(monkeypatch, capsys):
    nonsense = ["", "?", "0", "99", "-1", "9" * 50, "offer", "mole", "d", "discards ?", "é\x00", "takes up",
                "hello world", "table", "list",
                "cards", "picks outpost", "moves m 3", "offers mole up, ? down", "#", "offers a/b"]
    code, out, err = run(["--against", "random", "--seat", "0", "--seed", "4"], "\n".join([*nonsense, "quit"]),
                         monkeypatch, capsys)
    assert code == 0
    assert out.count("your choice:") == len(nonsense) + 1
    assert "You leave the game." in out
    assert not err


def test_a_hint_and_the_same_seed(monkeypatch, capsys):
    words = ["--against", "random", "--seat", "1", "--seed", "4"]
    code, out, _ = run(words, "hint\n1\nquit\n", monkeypatch, capsys)
    assert code == 0
    assert "winning chance" in out
    assert "What lies face down" in out
    assert run(words, "hint\n1\nquit\n", monkeypatch, capsys)[1] == out


def test_leaving(monkeypatch, capsys, tmp_path):
    code, out, _ = run(["--against", "random", "--seed", "1"], "", monkeypatch, capsys)
    assert code == 0
    assert "You leave" in out
    file = tmp_path / "begun.txt"
    assert run(["--against", "random", "--seat", "0", "--seed", "1", "--save", str(file)], "1\n", monkeypatch,
               capsys)[0] == 0
    assert not play_record(read_game(file))[-1].game.is_over

    class Interrupted:
        def readline(self):
            raise KeyboardInterrupt

        def isatty(self):
            return False

    monkeypatch.setattr("sys.stdin", Interrupted())
    assert main(["play", "--against", "random", "--seed", "1"]) == 130


def test_what_is_hidden_is_not_shown(monkeypatch, capsys):
    """While the game goes on, the other's hand and its face-down card do not appear."""
    code, out, _ = run(["--against", "random", "--seat", "1", "--seed", "4"], "quit\n", monkeypatch, capsys)
    assert code == 0
    assert "and a card face down" in out
    assert "hand was" not in out


@pytest.mark.parametrize(("words", "problem"), [
    (["--against", "expertt"], "did you mean 'expert'"), (["--seat", "2"], "no seat '2'"),
    (["--mode", "advancd"], "did you mean 'advanced'"), (["--players", "5"], "2 to 4"),
    (["--set", "rules.discard=1"], "rules.discards"), (["--seed", "-1"], "--seed"),
    (["--save", "/nowhere/game.txt"], "its folder is not there")])
def test_bad_arguments(words, problem, monkeypatch, capsys):
    code, _, err = run(words, "quit\n", monkeypatch, capsys)
    assert code == 2
    assert problem in err
    assert err.count("\n") == 1


def test_an_interrupted_game_is_saved(monkeypatch, capsys, tmp_path):
    class Interrupted(io.StringIO):
        def readline(self, *_):
            line = super().readline()
            if not line:
                raise KeyboardInterrupt
            return line

    file = tmp_path / "game.txt"
    monkeypatch.setattr("sys.stdin", Interrupted("1\n"))
    assert main(["play", "--against", "random", "--seat", "0", "--seed", "1", "--save", str(file)]) == 130
    assert len(play_record(read_game(file))) > 1
