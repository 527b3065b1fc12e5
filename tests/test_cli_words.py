"""What the command line makes of words and numbers, and how it writes them; no game is needed for that."""

from __future__ import annotations

import math
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentsim import cli
from agentsim.commands.parser import parse_count, parse_settings, parse_whole
from agentsim.commands.text import (
    columns,
    count,
    decimals,
    duration,
    interval,
    percent,
    plus_minus,
    size,
)
from agentsim.errors import InputError


@pytest.mark.parametrize(
    ("text", "number"),
    [("1000", 1000), ("1_000_000", 10**6), ("1,000,000", 10**6), ("1e6", 10**6), ("1E6", 10**6), ("2.5k", 2500),
     ("1M", 10**6), ("3m", 3 * 10**6), ("1G", 10**9), ("1b", 10**9), (" 12 ", 12), ("-4", -4), ("1.0", 1), ("0", 0)])
def test_counts_as_people_type_them(text: str, number: int) -> None:
    assert parse_count(text, "--games") == number


@pytest.mark.parametrize("text", ["", "many", "1.5", "1e-3", "e6", "1x", "--", "1e99999999", "inf", "nan", "0x10",
                                  "1 000 000", "k"])
def test_what_is_no_count(text: str) -> None:
    with pytest.raises(InputError, match=r"^--games: "):
        parse_count(text, "--games")


@pytest.mark.parametrize(("text", "number"), [("7", 7), ("0xff", 255), ("-1", -1), ("1_000", 1000), ("007", 7),
                                              ("18446744073709551615", 2**64 - 1)])
def test_whole_numbers(text: str, number: int) -> None:
    assert parse_whole(text, "--seed") == number


@pytest.mark.parametrize("text", ["", "1.0", "1e3", "seed", "9" * 5000])
def test_what_is_no_whole_number(text: str) -> None:
    with pytest.raises(InputError, match=r"^--seed: "):
        parse_whole(text, "--seed")


def test_settings_are_read_as_toml_or_as_text() -> None:
    assert parse_settings(["rules.hand_size=5", "rules.tie=draw", 'rules.tie2="draw"', "a.b = true", "c=1.5"]) == {
        "rules.hand_size": 5, "rules.tie": "draw", "rules.tie2": "draw", "a.b": True, "c": 1.5}


def test_a_value_cannot_smuggle_in_another_key() -> None:
    assert parse_settings(["a=1\nb=2"]) == {"a": "1\nb=2"}


@pytest.mark.parametrize("item", ["rules.hand_size", "=5", "rules.hand_size=", ""])
def test_settings_without_key_or_value(item: str) -> None:
    with pytest.raises(InputError, match="key=value"):
        parse_settings([item])


def test_a_setting_given_twice() -> None:
    with pytest.raises(InputError, match="--set: a: is set twice"):
        parse_settings(["a=1", "a=2"])


# ------------------------------------------------------------------------------------------- how numbers are written


def test_digits_follow_the_interval() -> None:
    assert [decimals(width) for width in (30, 9.9, 1.2, 0.31, 0.16, 0.016, 1e-6, 0.0, math.nan)] == [
        0, 0, 1, 1, 2, 3, 4, 2, 2]
    assert percent(0.93424, 0.9326, 0.9358) == "93.42 %"
    assert interval(0.9326, 0.9358) == "93.26 to 93.58"
    assert interval(7.71, 7.79, 1) == "7.71 to 7.79"
    assert plus_minus(0.5, 0.498, 0.5016, 1) == "50.0 ±0.2"


def test_counts_times_and_sizes() -> None:
    assert count(1234567) == "1,234,567"
    assert [duration(s) for s in (0.001, 0.41, 12.3, 200, 7500)] == [
        "under 0.01 s", "0.41 s", "12 s", "3 min 20 s", "2 h 5 min"]
    assert [size(n) for n in (0, 512, 1400, 2.34e9, 1.2e15)] == ["0 B", "512 B", "1.4 kB", "2.3 GB", "1,200.0 TB"]


def test_columns_line_up() -> None:
    assert columns(("who", "score"), [("expert", "93"), ("me", "7")]) == [
        "  who     score", "  expert     93", "  me          7"]


def test_the_last_column_is_folded() -> None:
    lines = columns(("key", "text"), [("a", "one two three four five six seven")], wrap_last=32)
    assert lines == ["  key  text", "  a    one two three four five", "       six seven"]


# ------------------------------------------------------------------------------------------- words


def fails(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that must be refused; returns its one line."""
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("agentsim: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["simlate"], "unknown command 'simlate'"),
        (["simlate"], "did you mean 'simulate'?"),
        ([""], "unknown command ''"),
        (["--vers"], "did you mean '--version'?"),
        (["--games", "3"], "unknown flag '--games'"),
        (["simulate", "--polices", "a,b"], "simulate: unknown flag '--polices'; did you mean '--policies'?"),
        (["simulate", "--gmaes=7"], "did you mean '--games'?"),
        (["simulate", "--game", "x", "--gam", "7"], "unknown flag '--gam'"),
        (["simulate", "a", "b"], "one word too many: 'b'"),
        (["simulate", "--games"], "--games: needs a value"),
        (["simulate"], "give an experiment file or --policies"),
        (["extend", "x"], "extend: --games is missing"),
        (["resume"], "resume: DIR is missing"),
        (["export", "x"], "--csv is missing"),
        (["inspect", "x", "--verfy"], "did you mean '--verify'?"),
        (["games", "--json=yes"], "--json: ignored explicit argument 'yes'"),
    ],
)
def test_misspelt_words(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert message in fails(capsys, *words)


def test_without_a_command_there_is_short_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0
    out = capsys.readouterr().out
    assert "agentsim simulate --policies" in out
    assert len(out.splitlines()) < 15
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"], ["simulate", "--help"], ["help", "simulate"]])
def test_help_is_no_error(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert cli.main(words) == 0
    assert "usage: agentsim" in capsys.readouterr().out


def test_every_command_has_help(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, commands = cli.build_parser()
    assert {"simulate", "rules", "cards", "validate", "new-card", "report"} <= set(commands)
    assert cli.main(["--help"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
    for name, command in commands.items():
        assert cli.main([name, "--help"]) == 0
        text = capsys.readouterr().out
        assert all(flag in text for flag in command.flags())
        assert max(map(len, text.splitlines())) <= 80
        # A command to copy stays in one line.
        examples = [line for line in text.splitlines() if line.startswith("  agentsim ")]
        assert all(line.split()[1] in commands for line in examples)
        assert bool(examples) == ("Examples:" in text)


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("agentsim ")


def test_help_appears_at_once_and_loads_nothing_scientific(repository: Path) -> None:
    code = ("import sys; from agentsim.cli import main; main(['--help']); "
            "print([m for m in ('numpy', 'numba', 'pandas', 'duckdb', 'matplotlib', 'scipy') if m in sys.modules])")
    best = 9.0
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=repository, check=True)
        best = min(best, time.perf_counter() - start)
    assert done.stdout.endswith("[]\n")
    assert best < 0.3


def test_importing_the_package_is_quick(repository: Path) -> None:
    code = "import sys, agentsim; print('numpy' in sys.modules, len(dir(agentsim)) > 15)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=repository, check=True)
    assert done.stdout == "False True\n"
