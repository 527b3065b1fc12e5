"""The examples in the documentation of the statistics run and give what they show."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import agentsim.stats

MODULES = ["agentsim.stats", *(f"agentsim.stats.{part.name}" for part in pkgutil.iter_modules(agentsim.stats.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0
    assert module.__doc__
    if not name.rpartition(".")[2].startswith("_"):
        assert result.attempted > 0, "a public module shows an example"


def test_all_public_names_exist_and_are_documented() -> None:
    for name in agentsim.stats.__all__:
        assert getattr(agentsim.stats, name).__doc__
