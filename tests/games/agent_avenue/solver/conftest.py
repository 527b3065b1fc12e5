"""What tests of the solver share: a folder of its own for tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agentsim.games.agent_avenue.solver import store


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tables and responses of a file of tests are made anew, in a folder that goes with it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENTSIM_SOLVER", str(tmp_path_factory.mktemp("tables")))
        patch.setattr(store, "_loaded", {})  # other tests may have solved the same rules
        yield
