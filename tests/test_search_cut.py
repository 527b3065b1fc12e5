"""Searches and sweeps that are interrupted: one line says what happens next, and the same command ends the same."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from agentsim.cli import main
from agentsim.strategy import sweeping as sweep_module
from agentsim.strategy import tuning as tune_module

SMALL = {
    "tune": ["planner", "--only", "lead,caution", "--against", "random,greedy", "--games", "80", "--generations", "3",
             "--population", "4", "--validate", "400"],
    "exploit": ["greedy", "--games", "200k", "--starts", "planner,expert"],
    "pool": ["--policies", "random,planner", "--games", "1000", "--search", "200k", "--rounds", "1"],
    "sweep": ["planner", "--vary", "bluff=-1:1:0.5", "--against", "random,greedy", "--games", "400"],
}


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main([*words, "--quiet", "--workers", "1"])
    out, err = capsys.readouterr()
    return code, out, err


def numbers(out: str) -> dict[str, Any]:
    """What a command says, but for the time that it took and where its page is."""
    return {key: value for key, value in json.loads(out).items() if key not in ("seconds", "page")}


def cut_after(monkeypatch: pytest.MonkeyPatch, calls: int, module: Any, name: str) -> None:
    """Ctrl-C in the call after so many."""
    real, left = getattr(module, name), [calls]

    def counted(*args: Any, **keys: Any) -> Any:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return real(*args, **keys)

    monkeypatch.setattr(module, name, counted)


@pytest.mark.parametrize("command", ["tune", "sweep", pytest.param("exploit", marks=pytest.mark.slow),
                                     pytest.param("pool", marks=pytest.mark.slow)])
def test_the_same_command_goes_on(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [command, *SMALL[command], "--json", "--out"]
    with pytest.MonkeyPatch.context() as patch:
        where = (sweep_module._Kept, "write") if command == "sweep" else (tune_module, "play_field")
        cut_after(patch, 3 if command == "sweep" else 2, *where)
        code, out, err = run(capsys, *words, str(tmp_path / "cut"))
    assert (code, out, err.count("\n")) == (130, "", 1)
    assert err.startswith("agentsim: interrupted; the same command goes on from where it stopped")
    kept = {path for path in (tmp_path / "cut").rglob("*") if path.is_file()}
    assert kept
    code, out, _ = run(capsys, *words, str(tmp_path / "cut"))
    assert code == 0
    assert numbers(out) == numbers(run(capsys, *words, str(tmp_path / "whole"))[1])


@pytest.mark.parametrize("command", sorted(SMALL))
def test_without_a_folder_nothing_is_kept(command: str, capsys: pytest.CaptureFixture[str],
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    cut_after(monkeypatch, 0, sweep_module if command == "sweep" else tune_module,
              "game_scores" if command == "sweep" else "play_field")
    code, out, err = run(capsys, command, *SMALL[command])
    assert (code, out) == (130, "")
    assert err == "agentsim: interrupted; nothing was kept; with --out the same command would go on\n"


def test_a_sweep_that_was_cut_plays_the_rest_only(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["sweep", *SMALL["sweep"], "--json", "--out", str(tmp_path)]
    with monkeypatch.context() as patch:
        cut_after(patch, 5, sweep_module._Kept, "write")
        assert run(capsys, *words)[0] == 130
    # A file cut in its middle is played again; another sweep has to go elsewhere.
    damaged = tmp_path / "played" / "2.npy"
    damaged.write_bytes(damaged.read_bytes()[:50])
    code, _, err = run(capsys, *words, "--seed", "9")
    assert code == 2
    assert "holds another sweep" in err
    written = []
    real = sweep_module._Kept.write
    monkeypatch.setattr(sweep_module._Kept, "write", lambda self, pair, scores: written.append(pair) or real(
        self, pair, scores))
    assert run(capsys, *words)[0] == 0
    assert written == [2, *range(5, 12)]  # the base and 5 points against 2 opponents
    assert not (tmp_path / "played").exists()
    assert (tmp_path / "sweep.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["tune", "exploit"])
def test_ctrl_c_in_a_real_terminal_command(command: str, tmp_path: Path) -> None:
    large = {"tune": ["--generations", "10000"], "exploit": ["--games", "1e9"]}[command]
    few = SMALL[command][:SMALL[command].index("--games")]
    process = subprocess.Popen([sys.executable, "-m", "agentsim", command, *few, *large, "--out", str(tmp_path)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 300
    while not any(path.stat().st_size for path in tmp_path.rglob("history.jsonl")):
        assert time.monotonic() < until, "no generation was finished"
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1].startswith("agentsim: interrupted; the same command goes on from where it stopped")
    assert "Traceback" not in err
