"""The weights of kept hands (``hands.py``): the file that the package ships, and the rules that it holds for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue.solver.hands import BONUS_AS_KEPT, DRAWN_ANEW, N_WEIGHTS
from agentsim.games.agent_avenue.solver.opened import facts_of
from agentsim.games.agent_avenue.solver.states import Space

__all__ = ["Kept", "kept_of", "known", "read_kept", "rounded", "shipped", "write_kept"]


@dataclass(frozen=True)
class Kept:
    """``numbers`` (N_WEIGHTS,): the weights; ``rules``: which rules they were fitted to; ``about``: how."""

    numbers: NDArray[np.float64]
    rules: str
    about: Mapping[str, Any]


def rules_of(space: Space) -> str:
    """What rules are called here: a hash of all that the solver knows of them."""
    parts = facts_of(space, np.zeros(0)).tobytes() + f"{space.hand} {space.copies.tolist()}".encode()
    return hashlib.blake2b(parts, digest_size=10).hexdigest()


def rounded(numbers: NDArray[Any]) -> NDArray[np.float64]:
    """Weights as the file keeps them, in half precision."""
    return numbers.astype(np.float16).astype(np.float64)


def known(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights as all of the solver reads them (``hands.HEAD``)."""
    return np.concatenate([BONUS_AS_KEPT, numbers])


def write_kept(path: Path, numbers: NDArray[Any], space: Space, about: Mapping[str, Any]) -> None:
    """Keep weights as a file for :func:`read_kept`."""
    with path.open("wb") as out:
        np.savez_compressed(out, numbers=numbers.astype(np.float16), rules=np.array(rules_of(space)),
                            about=np.array(json.dumps(dict(about))))


def read_kept(path: Any) -> Kept:
    """Weights from a file. Raises InputError for one that belongs to another version."""
    with path.open("rb") as file, np.load(file) as found:
        if found["numbers"].shape != (N_WEIGHTS,):
            raise InputError("holds weights of another size", where=str(path), allowed="a file of this version")
        return Kept(np.ascontiguousarray(found["numbers"], np.float64), str(found["rules"]),
                    json.loads(str(found["about"])))


@cache
def shipped() -> Kept:
    """The weights of the package."""
    return read_kept(files("agentsim.games.agent_avenue.solver") / "kept.npz")


def kept_of(space: Space) -> NDArray[np.float64]:
    """What is known of hands: as they are kept for the rules of the box, drawn anew for others."""
    return known(shipped().numbers) if shipped().rules == rules_of(space) else DRAWN_ANEW
