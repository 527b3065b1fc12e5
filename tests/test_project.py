"""The project's own settings say what they seem to say."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def settings(repository: Path) -> dict[str, Any]:
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))


def test_only_jitted_modules_are_checked_less_strictly(repository: Path, settings: dict[str, Any]) -> None:
    relaxed = [
        name
        for override in settings["tool"]["mypy"]["overrides"]
        if "disallow_untyped_defs" in override
        for name in override["module"]
    ]
    assert relaxed
    for name in relaxed:
        source = repository / (name.replace(".", "/") + ".py")
        # jit, njit, and the makers of a policy's decisions: jit_offer, jit_take, jit_others.
        assert re.search(r"^\s*@(\w+\.)?n?jit(_\w+)?\b", source.read_text(encoding="utf-8"), re.MULTILINE), name


def test_every_dependency_is_pinned_and_no_index_is_named(repository: Path, settings: dict[str, Any]) -> None:
    extras = settings["project"]["optional-dependencies"]
    wanted = {
        "requirements.lock": settings["project"]["dependencies"] + extras["notebook"] + extras["dev"],
        "requirements-bench.lock": settings["project"]["dependencies"] + extras["bench"],
    }
    for lock, requirements in wanted.items():
        lines = (repository / lock).read_text(encoding="utf-8").splitlines()
        pins = {line.split("==")[0] for line in lines if "==" in line and not line.startswith("#")}
        names = {re.split(r"[<>=!~;\[ ]", requirement)[0].replace("_", "-") for requirement in requirements}
        assert names <= pins
        assert not [line for line in lines if "://" in line or line.startswith("-")]


def test_both_lock_files_agree(repository: Path) -> None:
    """The peers are installed into the same environment, so they must not move a version that is in use."""
    first, second = (
        dict(re.findall(r"^([\w.-]+)==([^\s;]+)", (repository / name).read_text(encoding="utf-8"), re.MULTILINE))
        for name in ("requirements.lock", "requirements-bench.lock")
    )
    assert "open-spiel" in second
    assert {name: first[name] for name in second if name in first} == {n: v for n, v in second.items() if n in first}


def test_every_make_target_has_a_line_of_help(repository: Path) -> None:
    makefile = (repository / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony
    targets = set(phony[1].split()) - {"FORCE"}
    helped = set(re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE))
    assert targets == helped
    assert {"setup", "test", "test-slow", "lint", "bench", "notebooks", "oracle", "report", "clean"} <= helped
