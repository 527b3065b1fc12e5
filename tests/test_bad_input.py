"""Whatever is wrong with what the user gives: one clear line on stderr, exit code 2, nothing half-written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentsim import cli

FILES = {
    "good.toml": 'policies = ["greedy", "random"]\ngames = 10\n',
    "empty.toml": "",
    "syntax.toml": 'policies = ["greedy"\ngames = 10\n',
    "binary.toml": b"\x89PNG\r\n\x1a\n\x00\x00\xff",
    "no_policies.toml": "games = 10\n",
    "misspelt_key.toml": 'policies = ["greedy"]\ngmaes = 10\n',
    "misspelt_policy.toml": 'policies = ["gredy"]\n',
    "misspelt_rule.toml": 'policies = ["greedy"]\n\n[rules]\nhand_sise = 5\n',
    "misspelt_card.toml": 'policies = ["greedy"]\n\n[cards.sentinal]\nthird = 5\n',
    "misspelt_attribute.toml": 'policies = ["greedy"]\n\n[cards.sentinel]\nthrid = 5\n',
    "rule_range.toml": 'policies = ["greedy"]\n[rules]\nhand_size = 99\n',
    "rule_type.toml": 'policies = ["greedy"]\n[rules]\nhand_size = 4.5\n',
    "rule_bool.toml": 'policies = ["greedy"]\n[rules]\nhand_size = true\n',
    "contradiction.toml": 'policies = ["greedy"]\n[rules]\nhome_1 = 0\n',
    "no_deck.toml": 'policies = ["greedy"]\n' + "".join(f"[cards.{name}]\ncopies = 0\n" for name in (
        "double_agent", "enforcer", "codebreaker", "saboteur", "daredevil", "sentinel")),
    "odd.toml": 'policies = ["greedy", "random"]\ngames = 1001\n',
    "float.toml": 'policies = ["greedy"]\ngames = 1e6\n',
    "text.toml": 'policies = ["greedy"]\ngames = "many"\n',
    "seed.toml": 'policies = ["greedy"]\nseed = -1\n',
    "log.toml": 'policies = ["greedy"]\nlog = "turn"\n',
    "game.toml": 'game = "agent_avenu"\npolicies = ["greedy"]\n',
    "game_type.toml": 'game = 3\npolicies = ["greedy"]\n',
    "params.toml": 'policies = [{ policy = "planner", params = { bluf = 1 } }]\n',
    "param_range.toml": 'policies = [{ policy = "planner", params = { bluff = 99 } }]\n',
    "pairs.toml": 'policies = ["greedy", "random"]\nmatchups = [["greedy", "rando"]]\n',
    "no_file.toml": 'policies = ["missing.py:mine"]\n',
    "cards.toml": "[sentinel]\nthird = 99\n",
    "broken.py": "def offer(:\n",
    "raises.py": "raise RuntimeError('two\\nlines')\n",
    "empty.py": "",
    "notes.txt": "hello\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all the files, in which the commands are run."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious.txt").write_text("keep me")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, to be copied and damaged."""
    path = tmp_path_factory.mktemp("finished") / "run"
    assert cli.main(["simulate", "--policies", "greedy,random", "--games", "200", "--log", "turns", "--out", str(path),
                     "--quiet", "--workers", "1"]) == 0
    return path


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """Every path below a folder with its content (compiled leftovers of imported policy files do not count)."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in sorted(folder.rglob("*")) if "__pycache__" not in path.parts}


def refused(capsys: pytest.CaptureFixture[str], folder: Path, words: list[str], *messages: str) -> None:
    """The command must leave one line with all the messages, code 2, and the folder as it was."""
    before = snapshot(folder)
    capsys.readouterr()
    assert cli.main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("agentsim: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    for message in messages:
        assert message in err
    assert snapshot(folder) == before


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        # experiment files
        ("missing.toml", ["missing.toml: no such experiment file"]),
        ("goood.toml", ["did you mean 'good.toml'?"]),
        ("two_policy", ["no such experiment file", "did you mean 'two_policies'?"]),
        (".", [".: is a folder, not an experiment file"]),
        ("/dev/zero", ["/dev/zero: is a device, not an experiment file"]),
        ("good.toml/x.toml", ["good.toml/x.toml: cannot be read: Not a directory"]),
        ("empty.toml", ["empty.toml: the experiment file is empty"]),
        ("syntax.toml", ["syntax.toml, line 2, column 1: is not valid TOML"]),
        ("binary.toml", ["binary.toml: is not text"]),
        ("no_policies.toml", ["no_policies.toml: policies: is missing"]),
        ("misspelt_key.toml", ["misspelt_key.toml, line 2: gmaes: unknown key", "did you mean 'games'?"]),
        ("misspelt_policy.toml", ["line 1: policies: unknown policy 'gredy'", "did you mean 'greedy'?"]),
        ("misspelt_rule.toml", ["line 4: rules.hand_sise: unknown key", "did you mean 'rules.hand_size'?"]),
        ("misspelt_card.toml", ["line 4: cards.sentinal.third: ", "did you mean 'sentinel'?"]),
        ("misspelt_attribute.toml", ["line 4: cards.sentinel.thrid: ", "did you mean 'third'?"]),
        ("rule_range.toml", ["line 3: rules.hand_size: 99 is out of range", "allowed: 2 to 8"]),
        ("rule_type.toml", ["line 3: rules.hand_size: 4.5 is not a whole number"]),
        ("rule_bool.toml", ["line 3: rules.hand_size: True is not a whole number"]),
        ("contradiction.toml", ["line 3: rules.home_1: ", "home"]),
        ("no_deck.toml", ["no_deck.toml", "cards"]),
        ("odd.toml", ["line 2: games: must be even: each deal is played twice; nearest: 1000 or 1002"]),
        ("float.toml", ["line 2: games: must be a whole number, got 1000000.0; write 1_000_000"]),
        ("text.toml", ["line 2: games: must be a whole number, got 'many'"]),
        ("seed.toml", ["line 2: seed: must be 0 to 2^64 - 1, got -1"]),
        ("log.toml", ["line 2: log: ", "did you mean 'turns'?"]),
        ("game.toml", ["line 1: game: unknown game 'agent_avenu'", "did you mean 'agent_avenue'?"]),
        ("game_type.toml", ["line 1: game: must be the name of a game, got 3"]),
        ("params.toml", ["line 1: ", "'bluf'", "did you mean 'bluff'?"]),
        ("param_range.toml", ["line 1: ", "bluff = 99 is out of range"]),
        ("pairs.toml", ["line 2: matchups: 'rando'", "did you mean 'random'?"]),
        ("no_file.toml", ["line 1: policies: ", "missing.py"]),
        # flags
        ("", ["give an experiment file or --policies"]),
        ("good.toml --games 11", ["--games: must be even", "nearest: 10 or 12"]),
        ("good.toml --games 0", ["--games: must be 1 to"]),
        ("good.toml --games -10", ["--games: must be 1 to", "got -10"]),
        ("good.toml --games 1e400", ["--games: '1e400' is far too large"]),
        ("good.toml --games 1e15", ["--games: must be 1 to 1,000,000,000,000"]),
        ("good.toml --games 10.5", ["--games: '10.5' is not a whole number"]),
        ("good.toml --games ten", ["--games: 'ten' is not a number"]),
        ("good.toml --seed -1", ["--seed: must be 0 to 2^64 - 1, got -1"]),
        ("good.toml --seed 18446744073709551616", ["--seed: must be 0 to 2^64 - 1"]),
        ("good.toml --seed x", ["--seed: 'x' is not a whole number"]),
        ("good.toml --workers 0", ["--workers: must be 1 to"]),
        ("good.toml --workers two", ["--workers: 'two' is not a whole number"]),
        ("good.toml --backend treading", ["--backend: unknown backend", "did you mean 'threading'?"]),
        ("good.toml --log turn --out run", ["--log: ", "did you mean 'turns'?"]),
        ("good.toml --log turns", ["--log: 'turns' needs a folder", "--out DIR"]),
        ("good.toml --game chess", ["--game: unknown game 'chess'"]),
        ("good.toml --set rules.hand_sise=5", ["--set: rules.hand_sise: unknown key", "'rules.hand_size'?"]),
        ("good.toml --set rules.hand_size=five", ["--set: rules.hand_size: "]),
        ("good.toml --set rules.hand_size", ["--set: 'rules.hand_size' is not of the form key=value"]),
        ("good.toml --set rules.ring=6 --set rules.home_1=9", ["--set: rules.home_1: "]),
        ("good.toml --cards cards.toml", ["cards.toml, line 2: sentinel.third: 99 is out of range"]),
        ("good.toml --cards missing.toml", ["missing.toml: no such card file"]),
        ("good.toml --cards good.toml", ["good.toml, line 1: policies: unknown key", "allowed: agents, market"]),
        ("good.toml --matchups robin", ["--matchups: unknown plan 'robin'"]),
        ("good.toml --matchups against:gredy", ["--matchups: 'gredy'", "did you mean 'greedy'?"]),
        ("--policies greedy,gready", ["--policies: unknown policy 'gready'", "did you mean 'greedy'?"]),
        ("--policies greedy,greedy", ["--policies: policy 'greedy' is listed twice"]),
        ("--policies greedy,,random", ["--policies: a policy name is missing"]),
        ("--policies planner(bluff=1", ["--policies: the parentheses do not match"]),
        ("--policies planner(bluf=1)", ["--policies: ", "did you mean 'bluff'?"]),
        ("--policies planner(bluff=nan)", ["--policies: "]),
        ("--policies greedy(bluff=1)", ["--policies: ", "no parameter"]),
        ("--policies missing.py:mine", ["--policies: ", "missing.py", "No such file"]),
        ("--policies broken.py:mine", ["--policies: ", "broken.py cannot be run: SyntaxError"]),
        ("--policies raises.py:mine", ["--policies: ", "raises.py cannot be run: RuntimeError: two"]),
        ("--policies empty.py:mine", ["--policies: no policy 'mine' in"]),
        ("--policies empty.py", ["--policies: "]),
        # where the run goes
        ("good.toml --out notes.txt", ["notes.txt: is a file"]),
        ("good.toml --out full", ["full: is a folder with something else in it (precious.txt)"]),
        ("good.toml --out notes.txt/run", ["notes.txt/run: cannot be created"]),
        ("good.toml --out /proc/agentsim/run", ["/proc/agentsim/run: cannot be created"]),
        ("good.toml --out /dev/full", ["/dev/full: is a file"]),
        ("--policies expert greedy", ["'greedy' is a policy", "--policies expert,greedy"]),
    ],
)
def test_simulate_refuses(capsys: pytest.CaptureFixture[str], folder: Path, words: str, messages: list[str]) -> None:
    refused(capsys, folder, ["simulate", *words.split()], *messages)


@pytest.mark.parametrize("words", [
    ["good.toml", "--out", ""], ["good.toml", "--games", ""], ["good.toml", "--seed", ""], ["good.toml", "--cards", ""],
    ["good.toml", "--game", ""], ["good.toml", "--log", ""], ["good.toml", "--name", ""], ["good.toml", "--set", ""],
    ["good.toml", "--matchups", ""], ["good.toml", "--workers", ""], ["good.toml", "--backend", ""], ["--policies", ""],
    [""], ["good.toml", "--name", "two\nlines"], ["a\0b.toml"]])
def test_empty_and_strange_words_are_refused(
    capsys: pytest.CaptureFixture[str], folder: Path, words: list[str],
) -> None:
    refused(capsys, folder, ["simulate", *words])


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        ("inspect", ["inspect: DIR is missing"]),
        ("inspect nowhere", ["nowhere: does not exist"]),
        ("inspect notes.txt", ["notes.txt: is a file"]),
        ("inspect full", ["full: is not a run"]),
        ("resume full", ["full: is not a run"]),
        ("extend nowhere --games 10", ["nowhere: does not exist"]),
        ("replay nowhere --game 1", ["nowhere: does not exist"]),
        ("export nowhere --csv out", ["nowhere: does not exist"]),
        ("schema --log turn", ["--log: unknown value 'turn'", "did you mean 'turns'?"]),
        ("schema --game chess", ["--game: unknown game 'chess'"]),
        ("cards --language klingon", ["--language: unknown language 'klingon'", "allowed: en, de, fr, all"]),
        ("cards --set cards.mole.copy=2", ["--set: cards.mole.copy: ", "did you mean 'copies'?"]),
        ("policies expertt", ["policies: ", "did you mean 'expert'?"]),
        ("rules hand_sise", ["no rule key contains 'hand_sise'"]),
        ("report --games 0", ["--games: must be 2 to"]),
        ("report --seed -2", ["--seed: must be 0 to"]),
        ("report --workers x", ["--workers: 'x' is not a whole number"]),
    ],
)
def test_other_commands_refuse(
    capsys: pytest.CaptureFixture[str], folder: Path, words: str, messages: list[str],
) -> None:
    refused(capsys, folder, words.split(), *messages)


# ------------------------------------------------------------------------------------------- damaged runs


def edit(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    """A change to the manifest of a run."""
    def apply(run: Path) -> None:
        manifest = json.loads((run / "manifest.json").read_text())
        change(manifest)
        (run / "manifest.json").write_text(json.dumps(manifest))
    return apply


def part(run: Path, table: str = "turns") -> Path:
    """The file of a table."""
    return next((run / table).glob("*.parquet"))


def cut_short(run: Path) -> None:
    content = part(run).read_bytes()
    part(run).write_bytes(content[:len(content) // 2])


def flip_a_byte(run: Path) -> None:
    content = bytearray(part(run).read_bytes())
    content[len(content) // 3] ^= 0xFF
    part(run).write_bytes(bytes(content))


def other_rows(run: Path) -> None:
    shutil.copy(part(run, "games"), part(run))


@pytest.mark.parametrize(
    ("damage", "words", "messages"),
    [
        (lambda run: (run / "manifest.json").unlink(), "inspect run", ["is not a run"]),
        (lambda run: (run / "manifest.json").write_bytes(b""), "inspect run", ["is not the manifest of a run"]),
        (lambda run: (run / "manifest.json").write_bytes(b"\x00\xff" * 50), "inspect run", ["is not the manifest"]),
        (lambda run: (run / "manifest.json").write_text("[]"), "inspect run", ["is not the manifest of a run"]),
        (lambda run: (run / "manifest.json").write_text((run / "manifest.json").read_text()[:200]), "resume run",
         ["is not the manifest of a run"]),
        (edit(lambda m: m.update(format_version=99)), "inspect run", ["format version 99", "allowed: 1"]),
        (edit(lambda m: m.update(format_version=99)), "resume run", ["format version 99"]),
        (edit(lambda m: m.pop("experiment")), "inspect run", ["manifest.json"]),
        (edit(lambda m: m["experiment"].pop("seed")), "inspect run", ["manifest.json", "'seed' is missing"]),
        (edit(lambda m: m["experiment"].update(game="chess")), "inspect run", ["unknown game 'chess'"]),
        (edit(lambda m: m["experiment"].update(games=7)), "inspect run", ["manifest.json", "must be even"]),
        (edit(lambda m: m["experiment"].update(seed=8)), "resume run", ["edited"]),
        (edit(lambda m: m["parts"][0].update(n_games="many")), "inspect run", ["manifest.json"]),
        (edit(lambda m: m["parts"][0]["tables"]["turns"].update(file="../../x")), "inspect run", ["manifest.json"]),
        (lambda run: part(run).unlink(), "inspect run", ["parquet", "is missing", "agentsim resume"]),
        (cut_short, "inspect run", ["parquet", "bytes instead of"]),
        (cut_short, "export run --csv out", ["parquet", "bytes instead of"]),
        (flip_a_byte, "inspect run --verify", ["parquet", "checksum"]),
        (other_rows, "inspect run", ["parquet", "bytes instead of"]),
        (lambda run: None, "extend run --games 201", ["must be"]),
        (lambda run: None, "extend run --games 100", ["at least 200"]),
        (lambda run: None, "replay run --game 200", ["--game: there is no game 200", "allowed: 0 to 199"]),
        (lambda run: None, "replay run --game -1", ["--game: there is no game -1"]),
        (lambda run: None, "export run --csv notes.txt", ["notes.txt: is a file"]),
        (lambda run: None, "export run --csv=", ["--csv: needs the name of a folder"]),
        (lambda run: None, "export run --csv out --table turn", ["--table: ", "did you mean 'turns'?"]),
        (lambda run: None, "simulate --policies greedy,random --games 200 --log turns --out run --seed 2",
         ["another plan: seed is 1 there and 2 here"]),
        (lambda run: None, "simulate --policies greedy,random --games 200 --out run", ["another plan: log is 'turns'"]),
        (lambda run: None, "simulate --policies greedy,random --games 200 --log turns --out run --set rules.ring=16",
         ["another plan: rules.ring is 14 there and 16 here"]),
        (lambda run: None, "simulate --policies greedy,random --games 400 --log turns --out run", ["agentsim extend"]),
    ],
)
def test_damaged_runs_and_other_plans(
    capsys: pytest.CaptureFixture[str], folder: Path, finished: Path, damage: Callable[[Path], None], words: str,
    messages: list[str],
) -> None:
    shutil.copytree(finished, folder / "run")
    damage(folder / "run")
    refused(capsys, folder, words.split(), *messages)


def test_a_policy_file_that_was_changed_stops_its_run(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    text = "class P:\n    def offer(self, o): return o.legal[0]\n    choose = offer\n\np = P()\n"
    again = ["simulate", "--policies", "mine.py:p,random", "--games", "20", "--out", "run", "--quiet"]
    longer = ["extend", "run", "--games", "40"]
    (folder / "mine.py").write_text(text)
    assert cli.main(again) == 0
    (folder / "mine.py").write_text(text + "# other\n")
    refused(capsys, folder, longer, "mine.py")
    refused(capsys, folder, again, "another plan")
    (folder / "mine.py").unlink()
    refused(capsys, folder, longer, "mine.py")


# ------------------------------------------------------------------------------------------- processes and disks


def in_process(words: list[str], folder: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "agentsim", *words], cwd=folder, text=True, timeout=120, check=False,
                          stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
                          **options)


@pytest.mark.parametrize("words", [["simulate", "misspelt_key.toml"], ["simlate"], ["inspect", "nowhere"]])
def test_a_process_ends_with_code_2_and_one_line(folder: Path, words: list[str]) -> None:
    done = in_process(words, folder, stdout=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("agentsim: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", [["--help"], ["rules", "--json"], ["simulate", "good.toml", "--quiet"]])
def test_output_to_a_full_device(folder: Path, words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = in_process(words, folder, stdout=full)
    assert done.returncode == 2
    assert done.stderr == "agentsim: the output cannot be written: No space left on device\n"


@pytest.fixture
def small_disk(tmp_path: Path) -> Any:
    """A disk of 256 kB; skipped where it cannot be mounted."""
    path = tmp_path / "small disk"
    path.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(path)]
    if shutil.which("mount") is None or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=False)


def test_a_disk_that_fills_up(capsys: pytest.CaptureFixture[str], folder: Path, small_disk: Path) -> None:
    words = ["simulate", "--policies", "greedy,random", "--log", "turns", "--quiet", "--out"]
    assert cli.main([*words, str(small_disk / "run"), "--games", "200k"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "the disk is full" in err
    assert not list(small_disk.rglob("*.tmp"))
    # A run this small fits, and what does not fit is not left half-written by the export either.
    assert cli.main([*words, str(folder / "run"), "--games", "500"]) == 0
    shutil.rmtree(small_disk / "run", ignore_errors=True)
    (small_disk / "ballast").write_bytes(b"x" * 180_000)
    capsys.readouterr()
    assert cli.main(["export", str(folder / "run"), "--csv", str(small_disk / "csv")]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "cannot be written" in err
    assert not list(small_disk.rglob("*.tmp"))
    assert not (small_disk / "csv" / "turns.csv").exists()
