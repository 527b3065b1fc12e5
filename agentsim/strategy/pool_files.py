"""A pool in a folder: ``pool.toml`` (its responses as presets), ``matrix.csv`` and ``pool.json``."""

from __future__ import annotations

import json
from pathlib import Path

from agentsim.strategy.pool import Pool, Round
from agentsim.strategy.presets_file import write_presets

__all__ = ["write_pool"]


def write_pool(folder: Path, pool: Pool, command: str) -> None:
    """Write the three files, each whole or not at all. ``command``: kept in the history of every preset.

    The first policies of the pool have their own names; the responses are played as ``FOLDER/pool.toml:br_1``.
    """
    write_presets(folder / "pool.toml", [(one.response.label, one.response, _idea(one), {
        "command": command, "seed": pool.seed, "round": one.number, "start": one.start,
        "against": list(one.members), "shares": [float(f"{share:.6g}") for share in one.mixture],
        "validation_seed": one.seed, "validation_games": one.n_games, "score": one.score.estimate,
        "low": one.score.low, "high": one.score.high}) for one in pool.joined])
    _write(folder / "matrix.csv", pool.matrix().to_csv(index=False))
    _write(folder / "pool.json", json.dumps(pool.as_dict(), indent=1) + "\n")


def _idea(one: Round) -> str:
    mixture = ", ".join(f"{name} {share:.0%}" for name, share in zip(one.members, one.mixture, strict=True)
                        if share >= 0.005)
    return (f"A best response by CMA-ES, begun at {one.start}, to the equilibrium of round {one.number} ({mixture}): "
            f"{one.score.format_percent()} over {one.n_games:,} fresh games.")


def _write(path: Path, text: str) -> None:
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
