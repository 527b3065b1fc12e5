"""Best responses on disk: what :func:`..respond.best_response` found, in a folder that a policy's ``source`` names."""

from __future__ import annotations

import hashlib
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.solver.parameters import solver_row
from agentsim.games.agent_avenue.solver.responder import INDEX, N_MEASURED, OFFERS, OWN_VALUES
from agentsim.games.agent_avenue.solver.store import fits, solution, table_folder
from agentsim.games.agent_avenue.solver.turn_game import SIZE
from agentsim.games.base import PolicyRef

__all__ = ["Response", "ref_of", "row_of", "save"]

_loaded: dict[str, Response] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Response:
    """What a responder knows of its target, for every public state.

    ``answers`` (n_states, SIZE): with what chance the target takes a card lying face up, in parts of 255. ``index``
    (n_states,): the state's place in ``offers`` (m, SIZE, SIZE), the shares of the target's offers there, or -1.
    ``own``, ``theirs`` (n_states,): the responder's winning chance when it is to offer, the target's when that is.
    """

    answers: NDArray[np.uint8]
    index: NDArray[np.int32]
    offers: NDArray[np.float32]
    own: NDArray[np.float32]
    theirs: NDArray[np.float32]


def digest_of(response: Response) -> str:
    """Hash of all that a responder plays by."""
    digest = hashlib.blake2b(digest_size=10)
    for part in (response.answers, response.index, response.offers, response.own, response.theirs):
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()


def ref_of(label: str, response: Response, idea: str) -> PolicyRef:
    """The policy of a response, kept in memory by its digest; :func:`save` writes it for other processes."""
    digest = digest_of(response)
    with _lock:
        _loaded[digest] = response
    return PolicyRef(label, "responder", {}, str(table_folder() / "responses" / digest), digest, idea)


def forget(ref: PolicyRef) -> None:
    """Drop a response from memory."""
    with _lock:
        _loaded.pop(ref.digest, None)


def save(ref: PolicyRef) -> None:
    """Write a response to the folder that its policy names; complete or not at all."""
    folder = Path(ref.source)
    if folder.exists():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    response = _loaded[ref.digest]
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        place = Path(name) / "response"
        place.mkdir()
        for part in ("answers", "index", "offers", "own", "theirs"):
            np.save(place / f"{part}.npy", getattr(response, part))
        try:
            place.rename(folder)
        except OSError:  # another process found the same response and was first
            if not folder.exists():
                raise


def row_of(ref: PolicyRef, rules: Rules) -> NDArray[np.float64]:
    """The row that the responder's code reads. Raises InputError if its folder is gone or belongs to other rules."""
    found = solution(rules)
    with _lock:
        response = _loaded.get(ref.digest)
        if response is None:
            response = _loaded[ref.digest] = _read(ref)
    if len(response.answers) != len(found.values):
        raise InputError(f"'{ref.label}' answers a policy of other rules", key="policies")
    never: dict[str, float] = {"offer_tau": 0.0, "margin": 0.025}
    row = solver_row(never, response.theirs, response.answers, found.facts, informed=False)
    row[OWN_VALUES], row[INDEX] = response.own.ctypes.data, response.index.ctypes.data
    row[OFFERS], row[N_MEASURED] = response.offers.ctypes.data, len(response.offers)
    return row


def _read(ref: PolicyRef) -> Response:
    parts: list[Any] = []
    for part in ("answers", "index", "offers", "own", "theirs"):
        try:
            parts.append(np.load(Path(ref.source) / f"{part}.npy", mmap_mode="r"))
        except (OSError, EOFError, ValueError):
            raise InputError(f"the folder of the response '{ref.label}' is gone: {ref.source}", key="policies",
                             allowed="a response that agentsim exploit found") from None
    answers, index, offers, own, theirs = parts
    states = answers.shape[:1]
    sound = (fits(answers, np.uint8, (*states, SIZE)) and fits(index, np.int32, states)
             and fits(offers, np.float32, (*offers.shape[:1], SIZE, SIZE))
             and fits(own, np.float32, states) and fits(theirs, np.float32, states))
    if not sound:
        raise InputError(f"the response '{ref.label}' is damaged: {ref.source}", key="policies",
                         allowed="a response that agentsim exploit found")
    return Response(*parts)
