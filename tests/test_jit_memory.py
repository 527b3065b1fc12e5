"""Compiled functions get along without numba's memory manager, and leave alone what they are lent."""

from __future__ import annotations

import sys

import numba
import numpy as np
import pytest

from agentsim.games.agent_avenue.session import Session
from agentsim.games.base import get_game
from agentsim.jit import jit

compiled_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@compiled_only
def test_the_switch_is_there_and_a_kernel_that_allocates_does_not_compile() -> None:
    @jit
    def allocates(n):  # type: ignore[no-untyped-def]
        return np.zeros(n).sum()

    with pytest.raises(numba.core.errors.NumbaError, match="zeros"):
        allocates(3)

    @jit(_nrt=True)
    def may(n):  # type: ignore[no-untyped-def]
        return np.zeros(n).sum()

    assert may(3) == 0


@compiled_only
def test_without_the_switch_functions_compile_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(numba.core.options.DefaultOptions, "_nrt")

    @jit
    def double(n):  # type: ignore[no-untyped-def]
        return 2 * n

    assert double(3) == 6


def test_arrays_that_a_kernel_was_lent_are_referred_to_as_before() -> None:
    game = get_game("agent_avenue")
    pair = (game.policy("greedy"), game.policy("expert"))
    session = game.session(game.rules({}), [pair], 1)
    assert isinstance(session, Session)
    session.play(0, 0, 2, "full")
    lent = [session.table, *vars(session._buffers).values()]
    before = [sys.getrefcount(array) for array in lent]
    session.play(0, 0, 20, "full")
    assert [sys.getrefcount(array) for array in lent] == before


@compiled_only
def test_a_returned_array_is_the_callers_own() -> None:
    @jit
    def same(array):  # type: ignore[no-untyped-def]
        array[0] += 1
        return array

    array = np.zeros(3)
    before = sys.getrefcount(array)
    for _ in range(5):
        assert same(array) is array
    assert sys.getrefcount(array) == before
    assert array[0] == 5
