"""Compiled code: its cache folder, and the same results without a compiler and with bounds checks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentsim import jit

PLAY = """
import hashlib
from agentsim.games.base import get_game
game = get_game("agent_avenue")
rules = game.rules({settings!r})
pairs = [(game.policy(a), game.policy(b)) for a, b in {pairs!r}]
session = game.session(rules, pairs, {seed})
digest = hashlib.sha256()
for matchup in range(len(pairs)):
    batch = session.play(matchup, 5, {deals}, "full")
    for columns in batch.tables.values():
        for values in columns.values():
            digest.update(values.tobytes())
    for counts in batch.tally.values():
        digest.update(counts.tobytes())
print(digest.hexdigest())
"""

PAIRS = [("random", "random_discards"), ("greedy", "minmax"),
         ("expert", "planner(offer_noise=0.1, take_noise=0.1, trust=1, depth=2, bluff=1, bait=1)")]
HOUSE = {"rules.hand_size": 8, "rules.discards": 15, "rules.ring": 40, "rules.home_1": 20,
         **{f"cards.{name}.copies": 15 for name in ("double_agent", "enforcer", "codebreaker", "saboteur", "daredevil",
                                                    "sentinel", "sidekick", "mole")}}


def python(code: str, folder: Path, **environment: str) -> str:
    """What a fresh interpreter prints that imports the package from a folder; its warnings are errors."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=folder, text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": str(folder), **environment}, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def played(folder: Path, deals: int, settings: dict[str, int] | None = None, **environment: str) -> str:
    return python(PLAY.format(settings=settings or {}, pairs=PAIRS, seed=77, deals=deals), folder, **environment)


@pytest.mark.parametrize("settings", [{}, HOUSE], ids=["published", "longest"])
def test_the_same_games_without_a_compiler(settings: dict[str, int], repository: Path) -> None:
    deals = 4 if settings else 12
    compiled = played(repository, deals, settings)
    assert played(repository, deals, settings, NUMBA_DISABLE_JIT="1") == compiled
    assert played(repository, deals + 1, settings, NUMBA_DISABLE_JIT="1") != compiled


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, HOUSE], ids=["published", "longest"])
def test_the_same_games_with_bounds_checks(settings: dict[str, int], repository: Path) -> None:
    assert played(repository, 2000, settings, NUMBA_BOUNDSCHECK="1") == played(repository, 2000, settings)


# ---- the cache folder ------------------------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path, repository: Path) -> Path:
    """A copy of what is compiled, to be edited."""
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(repository / "agentsim", tmp_path / "copy" / "agentsim", ignore=skip)
    return tmp_path / "copy"


def test_the_folder_is_named_after_the_sources(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_PACKAGE", package / "agentsim")
    before = jit.source_hash()
    assert jit.source_hash() == before
    engine = package / "agentsim" / "games" / "agent_avenue" / "engine.py"
    original = engine.read_text(encoding="utf-8")
    engine.write_text(original + "\n# a word\n", encoding="utf-8")
    assert jit.source_hash() != before
    engine.write_text(original, encoding="utf-8")
    assert jit.source_hash() == before
    for changed in ("rng.py", "jit.py", "games/agent_avenue/policies/greedy.py", "games/agent_avenue/zones.py"):
        path = package / "agentsim" / changed
        path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        after = jit.source_hash()
        assert after != before, changed
        before = after
    (package / "agentsim" / "games" / "new_game.py").write_text("", encoding="utf-8")
    assert jit.source_hash() != before
    before = jit.source_hash()
    # What is not compiled does not throw the cache away.
    (package / "agentsim" / "games" / "agent_avenue" / "notes.txt").write_text("", encoding="utf-8")
    (package / "agentsim" / "report" / "style.py").write_text("", encoding="utf-8")
    assert jit.source_hash() == before
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert jit.source_hash() != before


FOLDER = "from agentsim import jit; import numba; print(jit.cache_folder(), numba.config.CACHE_DIR, sep='\\n')"


def test_where_compiled_code_is_kept(repository: Path, tmp_path: Path) -> None:
    chosen = tmp_path / "chosen"
    folder, used = python(FOLDER, repository, AGENTSIM_CACHE=str(chosen)).splitlines()
    assert folder == used == str(chosen / jit.source_hash())
    assert Path(used).is_dir()
    folder, used = python(FOLDER, repository, AGENTSIM_CACHE="", XDG_CACHE_HOME=str(tmp_path / "xdg")).splitlines()
    assert folder == used == str(tmp_path / "xdg" / "agentsim" / jit.source_hash())
    folder, used = python(FOLDER, repository, AGENTSIM_CACHE="", XDG_CACHE_HOME="", HOME=str(tmp_path)).splitlines()
    assert folder == used == str(tmp_path / ".cache" / "agentsim" / jit.source_hash())


@pytest.mark.parametrize("off", ["off", "No"])
def test_the_cache_can_be_switched_off(off: str, repository: Path, tmp_path: Path) -> None:
    code = "import sys; sys.argv=['']; " + FOLDER.replace("print(", "print(jit._CACHE, ")
    cache, folder, *_ = python(code, repository, AGENTSIM_CACHE=off, HOME=str(tmp_path), XDG_CACHE_HOME="").splitlines()
    assert (cache, folder) == ("False", "None")
    assert list(tmp_path.iterdir()) == []


def test_a_home_that_cannot_be_written_to_stops_nobody(repository: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    folder, used = python(FOLDER, repository, AGENTSIM_CACHE=str(blocked), TMPDIR=str(temporary)).splitlines()
    assert Path(folder).parent == blocked
    assert Path(used).is_relative_to(temporary)
    assert Path(used).is_dir()


@pytest.mark.slow
def test_an_edit_of_an_imported_file_is_never_missed(package: Path, tmp_path: Path) -> None:
    """The compiler's own cache looks at the file of a function only: here at the engine, not at what it imports."""
    code = "from agentsim.games.agent_avenue.step import new_game; print(new_game(1).hand(0), new_game(1).hand(1))"
    cache = str(tmp_path / "cache")
    before = python(code, package, AGENTSIM_CACHE=cache)
    assert list((tmp_path / "cache").rglob("*.nbi"))
    source = package / "agentsim" / "rng.py"
    text = source.read_text(encoding="utf-8")
    assert "0xD1B54A32D192ED03" in text
    source.write_text(text.replace("0xD1B54A32D192ED03", "0xD1B54A32D192ED05"), encoding="utf-8")
    after = python(code, package, AGENTSIM_CACHE=cache)
    assert after != before
    assert after == python(code, package, AGENTSIM_CACHE="off")
    source.write_text(text, encoding="utf-8")
    assert python(code, package, AGENTSIM_CACHE=cache) == before


# ---- the decorator ---------------------------------------------------------------------------------------------------


def test_settings_of_compiled_functions() -> None:
    @jit.jit
    def divide(a, b):
        return a / b

    @jit.jit(inline="always")
    def inlined(a):
        return a + 1

    assert divide(1.0, 0.0) == float("inf")  # as NumPy divides, without an exception
    assert inlined(1) == 2
    options = divide.targetoptions
    assert (options["nogil"], options["error_model"]) == (True, "numpy")
    assert inlined.targetoptions["inline"] == "always"
