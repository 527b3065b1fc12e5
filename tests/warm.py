"""Compile every kernel once before the tests are shared out: ``python -m tests.warm [processes]``.

Test processes that start with an empty cache would each compile the same kernels, side by side. Here every kernel is
compiled by one process, the longest first, and the tests find them in the cache. Without a cache, or without a
compiler, there is nothing to do.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def _play(game: str, policies: str, settings: dict[str, object] | None = None) -> None:
    from agentsim.games.base import get_game

    played = get_game(game)
    rules = played.rules(settings or {})
    seats = [played.policy(policies)] * played.seats(rules)
    played.session(rules, [tuple(seats)], 1).warm_up("full")


def _forks() -> None:
    from agentsim.games.agent_avenue.modes.session import ModeSession
    from agentsim.games.base import get_game

    game = get_game("agent_avenue")
    session = game.session(game.rules({"rules.mode": "advanced"}), [(game.policy("random"),) * 2], 1)
    assert isinstance(session, ModeSession)
    session.forks(0, 0, 1)


def _argh_forks() -> None:
    from agentsim.games.argh.rules import make_rules
    from agentsim.games.argh.session import Session
    from agentsim.games.base import get_game

    Session(make_rules(), [(get_game("argh").policy("random"),) * 2], 1).forks("chance", 0, 0, 1, horizon=1)


def _shady_forks() -> None:
    from agentsim.games.base import get_game
    from agentsim.games.shady_agents.rules import make_rules
    from agentsim.games.shady_agents.trials import forks, model_beliefs

    forks(make_rules(), get_game("shady_agents").policy("random"), [0], 1, 1)
    model_beliefs(make_rules(), 1, 1)


def _rollouts() -> None:
    import agentsim

    agentsim.advise(agentsim.new_game(1), mine="random", theirs="random", games=10)


def _users() -> None:
    """The base kernel with compiled functions of users; the solver's are such functions."""
    from agentsim.games.agent_avenue.solver.store import solution
    from tests.games.agent_avenue.solver.test_solver import TINY, tiny

    with tempfile.TemporaryDirectory() as folder:
        os.environ["AGENTSIM_SOLVER"] = folder
        solution(tiny(), progress=lambda _: None)
        _play("agent_avenue", "solver", TINY)


def _mode_users() -> None:
    from tests.games.agent_avenue.modes.test_user_policies import write

    settings: dict[str, object] = {"rules.mode": "advanced"}
    with tempfile.TemporaryDirectory() as folder:
        _play("agent_avenue", f"{write(Path(folder), settings)}:everything", settings)


def _mind(name: str) -> None:
    from agentsim.games.agent_avenue.modes.policies import minds
    from agentsim.jit import jit

    jit(minds._SIGNATURE)(getattr(minds, name))


JOBS: dict[str, Callable[[], None]] = {
    "users": _users,
    "exchange": lambda: _mind("_exchange"),
    "market": lambda: _mind("_market"),
    "base": lambda: _play("agent_avenue", "random"),
    "mode_users": _mode_users,
    "modes": lambda: _play("agent_avenue", "random", {"rules.mode": "advanced"}),
    "forks": _forks,
    "argh_forks": _argh_forks,
    "shady_forks": _shady_forks,
    "rollouts": _rollouts,
    "argh": lambda: _play("argh", "random"),
    "shady_agents": lambda: _play("shady_agents", "random"),
}
"""What is compiled, the longest first."""


def main(arguments: list[str]) -> int:
    """Run the jobs named, here; without names all of them, in as many processes as are asked for (2)."""
    from agentsim.jit import cache_folder

    if arguments and arguments[0] in JOBS:
        gc.disable()  # a compiler keeps nearly all it makes: looking for garbage costs a sixth of the time
        for name in arguments:
            JOBS[name]()
        return 0
    if cache_folder() is None or os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return 0
    processes = int(arguments[0]) if arguments and arguments[0].isdigit() else 2
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no threads that wait: nothing here needs linear algebra
    start, left = time.perf_counter(), list(JOBS)
    running: list[subprocess.Popen[bytes]] = []
    failed = 0
    while left or running:
        while left and len(running) < processes:
            running.append(subprocess.Popen([sys.executable, "-m", "tests.warm", left.pop(0)]))
        time.sleep(0.05)
        failed += sum(process.poll() not in (None, 0) for process in running)
        running = [process for process in running if process.poll() is None]
    print(f"kernels ready after {time.perf_counter() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
