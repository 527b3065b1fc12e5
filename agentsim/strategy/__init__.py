"""The strategy lab: which way to play is strongest, and who beats it. Above simulation and stats, below commands.

``tournament``, ``sweep``, ``tune`` and ``exploit`` are the conveniences for Python, loaded on first use::

    from agentsim.strategy import tune

    found = tune("planner", "random,greedy", only=["bluff", "caution"], generations=20)
    print(found.score.format_percent(), found.changed)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentsim.strategy.lab import exploit, sweep, tune
    from agentsim.strategy.results import run_tournament as tournament

__all__ = ["exploit", "sweep", "tournament", "tune"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'agentsim.strategy' has no attribute '{name}'")
    if name == "tournament":
        from agentsim.strategy.results import run_tournament as value
    else:
        from importlib import import_module

        value = getattr(import_module("agentsim.strategy.lab"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
