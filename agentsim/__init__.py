"""A Monte Carlo laboratory for bluffing board games: simulate, log, analyse, report.

Example::

    import agentsim

    result = agentsim.simulate(policies=["expert", "random"], games=10_000)
    print(result.summary())

What is listed in ``__all__`` is the public interface. It is loaded on first use, so that importing the package (and
the command line) is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentsim.errors import InputError

if TYPE_CHECKING:
    from agentsim.api import advise, list_games, load_policies, new_game, review, simulate, tournament
    from agentsim.experiment import Experiment, build_experiment, load_experiment
    from agentsim.games.base import PolicyRef, get_game
    from agentsim.runs import Run, open_run
    from agentsim.simulation import ProgressBar, RunResult, estimate, extend, resume
    from agentsim.standings import standing_frame, standings
    from agentsim.summary import result_frame, summarise

    __version__: str

__all__ = [
    "simulate", "tournament", "resume", "extend", "estimate", "RunResult", "ProgressBar",
    "Experiment", "build_experiment", "load_experiment",
    "open_run", "Run", "summarise", "result_frame", "standings", "standing_frame",
    "list_games", "get_game", "new_game", "load_policies", "PolicyRef",
    "advise", "review",
    "InputError", "__version__",
]

_HOMES = {
    "agentsim.api": ("advise", "list_games", "load_policies", "new_game", "review", "simulate", "tournament"),
    "agentsim.experiment": ("Experiment", "build_experiment", "load_experiment"),
    "agentsim.games.base": ("PolicyRef", "get_game"),
    "agentsim.runs": ("Run", "open_run"),
    "agentsim.simulation": ("ProgressBar", "RunResult", "estimate", "extend", "resume"),
    "agentsim.standings": ("standing_frame", "standings"),
    "agentsim.summary": ("result_frame", "summarise"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = _version()
    elif name in _HOME:
        from importlib import import_module

        value = getattr(import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'agentsim' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("agentsim")
    except PackageNotFoundError:  # a checkout on the path that was never installed
        return "0+unknown"
