"""A wheel built from the project works in a virtual environment of its own, from any folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("packaging")]

def run(*command: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COVERAGE"))}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd, env=environment | variables, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def must(finished: subprocess.CompletedProcess[str]) -> str:
    assert finished.returncode == 0, f"{finished.args}\n{finished.stdout}\n{finished.stderr}"
    return finished.stdout


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built in the source tree."""
    out = tmp_path_factory.mktemp("wheel")
    must(run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
             "--wheel-dir", out, ".", cwd=repository))  # fmt: skip
    (path,) = out.glob("agentsim-*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` folder of an environment that holds the wheel and nothing else of the project.

    The dependencies are lent from the environment of the tests, all but the project's own editable install, so that
    nothing is downloaded.
    """
    folder = tmp_path_factory.mktemp("an environment")  # a space in the path on purpose
    venv.create(folder, with_pip=False)
    binaries = folder / "bin"
    tell = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(must(run(binaries / "python", "-c", tell, cwd=folder)).strip())
    must(run(sys.executable, "-m", "pip", f"--python={binaries / 'python'}", "install", "--quiet", "--no-deps",
             "--no-index", wheel, cwd=folder))  # fmt: skip
    # A plain path line makes importable what lies there, without running that folder's own .pth files: the editable
    # install of the project is one of those.
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "lent.pth").write_text("".join(f"{path}\n" for path in sorted(lent)), encoding="utf-8")
    return binaries


def files_of(folder: Path) -> set[str]:
    """The files below ``folder``, relative to it, without what Python and Jupyter leave behind."""
    left_behind = {"__pycache__", ".ipynb_checkpoints"}
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in paths if not left_behind & set(path.parts)}


def test_the_wheel_carries_all_code_and_data(wheel: Path, repository: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    homes = {
        "agentsim": "agentsim",
        "analyses": "analyses",
        "notebooks": "agentsim/_share/notebooks",
        "data/experiments": "agentsim/_share/experiments",
        "data/strategy": "agentsim/_share/strategy",
    }
    expected = {f"{home}/{name}" for source, home in homes.items() for name in files_of(repository / source)}
    assert {name for name in names if ".dist-info/" not in name} == expected
    assert "agentsim/py.typed" in names
    for pattern in (r"agentsim/games/agent_avenue/cards/.*\.toml", r"agentsim/_share/notebooks/.*\.ipynb",
                    r"agentsim/_share/experiments/.*\.toml"):  # fmt: skip
        assert any(re.fullmatch(pattern, name) for name in names), f"nothing like {pattern} in the wheel"


def test_the_environment_uses_the_wheel(installed: Path, tmp_path: Path) -> None:
    tell = "import agentsim, analyses; print(agentsim.__file__); print(analyses.__file__)"
    found = must(run(installed / "python", "-c", tell, cwd=tmp_path)).splitlines()
    assert len(found) == 2
    assert all(Path(path).is_relative_to(installed.parent) for path in found)


def test_version(installed: Path, repository: Path, tmp_path: Path) -> None:
    version = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert version in must(run(installed / "agentsim", "--version", cwd=tmp_path))
    tell = "import agentsim; print(agentsim.__version__)"
    assert must(run(installed / "python", "-c", tell, cwd=tmp_path)).strip() == version


def test_cards_from_another_folder(installed: Path, tmp_path: Path) -> None:
    table = must(run(installed / "agentsim", "cards", cwd=tmp_path))
    for agent in ("Double Agent", "Enforcer", "Codebreaker", "Saboteur", "Daredevil", "Sentinel", "Sidekick", "Mole"):
        assert agent.lower() in table.lower()


def test_simulate_from_another_folder(installed: Path, tmp_path: Path) -> None:
    """A preset (package data) plays a baseline, logs are written, and the result is that of the source tree."""
    flags = ["--policies", "expert,random", "--games", "200", "--seed", "11", "--log", "turns", "--json"]
    there = must(run(installed / "agentsim", "simulate", *flags, "--out", "run", cwd=tmp_path,
                     AGENTSIM_CACHE=str(tmp_path / "cache")))  # fmt: skip
    assert (tmp_path / "run" / "manifest.json").is_file()
    assert list((tmp_path / "run" / "turns").glob("part-*.parquet"))
    json.loads(there)

    source = Path(sys.executable).parent / "agentsim"
    must(run(source, "simulate", *flags, "--out", "again", cwd=tmp_path))
    digests = [must(run(command, "inspect", folder, "--json", cwd=tmp_path))
               for command, folder in ((installed / "agentsim", "run"), (source, "again"))]  # fmt: skip
    first, second = (json.loads(text)["digest"] for text in digests)
    assert first == second


def test_bad_input_from_another_folder(installed: Path, tmp_path: Path) -> None:
    finished = run(installed / "agentsim", "simulate", "--policies", "expert,randon", "--games", "200", cwd=tmp_path)
    assert finished.returncode == 2
    assert "random" in finished.stderr
    assert "Traceback" not in finished.stderr
