"""Policies written by users: jitted functions of a fixed signature, or any object with Python methods.

A fast policy is two functions and one line, in a file of your own::

    from agentsim.games.agent_avenue.user import COPIES, FACE_UP, HIDDEN, count, jit_offer, jit_take, offer_action
    from agentsim.games.agent_avenue.user import lowest, name_set, policy, pop_lowest, unit, word

    @jit_offer
    def shy_offer(view, table, params, key):
        names = name_set(view.hand)                    # the set of names in my hand
        up = lowest(names)
        rest = pop_lowest(names)
        return offer_action(up, lowest(rest) if rest else up)

    @jit_take
    def shy_take(view, table, params, key):
        return HIDDEN if unit(word(key, 0)) < params[0] else FACE_UP

    shy = policy(shy_offer, shy_take, params={"hidden": 0.25}, idea="takes the hidden card now and then")

and is then called ``path/to/file.py:shy``, or ``path/to/file.py:shy(hidden=0.5)``. It plays at near built-in speed.

``view`` is a :class:`agentsim.games.agent_avenue.view.View`: all that the seat may know. ``table`` is the rules as a
vector (``table[COPIES + name]``; see ``rules.py``), ``params`` the policy's parameters in the order given, ``key`` the
random stream of this decision: ``word(key, 0)``, ``word(key, 1)`` ... are its random words. An offer function returns
``offer_action(up, down)`` or ``DISCARD + name``; a choice function returns ``FACE_UP`` or ``HIDDEN``. Use no other
source of randomness, or results would no longer depend on the seed alone.

Modes other than the base game ask more: which Black Market card, which member of a team, where the Division M pawn
goes, and each member of a team for its card. A third function answers all of that, compiled by ``jit_others`` and given
as ``policy(offer, take, others=...)``. Its ``view`` is a :class:`agentsim.games.agent_avenue.modes.view.ModeView`;
``view.ask`` is the question, one of the ``ASK_...``; ``agentsim.games.agent_avenue.modes.layout`` says what an answer
to each is. Without such a function chance answers, as in the policy ``random``.

A slow policy is any object with methods ``offer(view)`` and ``choose(view)`` on a readable
:class:`agentsim.games.agent_avenue.step.Observation`. The game is then stepped in Python, hundreds of times slower.
All other questions go to its method ``decide(view)``, on a
:class:`agentsim.games.agent_avenue.modes.step.Observation`, whose ``legal`` lists the answers; without it to chance.
"""

from __future__ import annotations

import hashlib
import importlib.util
import math
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.errors import NumbaError

from agentsim.errors import InputError, nearest
from agentsim.games.agent_avenue.modes.layout import (
    ASK_FACE_DOWN,
    ASK_FACE_UP,
    ASK_M,
    ASK_MARKET,
    ASK_MEMBER,
    ASK_PLAYER_UP,
    ASK_RECRUIT,
    ASK_TARGET,
    COPY,
)
from agentsim.games.agent_avenue.modes.view import MODE_SIGNATURE
from agentsim.games.agent_avenue.rules import COPIES, LOSES_AT, MOVES, N_NAMES, SETS, WINS_AT
from agentsim.games.agent_avenue.view import DISCARD, OFFER_SIGNATURE, TAKE_SIGNATURE, offer_action
from agentsim.games.agent_avenue.zones import count, lowest, name_set, nth_name, pop_lowest, size, size_of_set
from agentsim.jit import jit
from agentsim.rng import below, unit, word

__all__ = ["ASK_FACE_DOWN", "ASK_FACE_UP", "ASK_M", "ASK_MARKET", "ASK_MEMBER", "ASK_PLAYER_UP", "ASK_RECRUIT",
           "ASK_TARGET", "COPIES", "COPY", "DISCARD", "FACE_UP", "HIDDEN", "LOSES_AT", "MOVES", "N_NAMES", "SETS",
           "WINS_AT", "UserPolicy", "below", "count", "file_digest", "jit_offer", "jit_others", "jit_take", "load",
           "lowest", "name_set", "nth_name", "offer_action", "policy", "pop_lowest", "size", "size_of_set",
           "supply_card", "unit", "word"]

FACE_UP, HIDDEN = 1, 0
"""What a choice function returns."""

Compiled = Callable[..., Any]
_CONFIG: Any = numba.config  # its settings come into being at run time
_WITH_MEMORY: dict[str, Any] = {"_nrt": True}
"""The kernels are compiled without numba's memory manager; a user's function may want to make an array."""


def jit_offer(function: Callable[..., int]) -> Compiled:
    """Compile an offer function ``(view, table, params, key) -> action``."""
    compiled: Compiled = jit(OFFER_SIGNATURE, **_WITH_MEMORY)(function)
    return compiled


def jit_take(function: Callable[..., int]) -> Compiled:
    """Compile a choice function ``(view, table, params, key) -> FACE_UP or HIDDEN``."""
    compiled: Compiled = jit(TAKE_SIGNATURE, **_WITH_MEMORY)(function)
    return compiled


def jit_others(function: Callable[..., int]) -> Compiled:
    """Compile a function ``(view, table, params, key) -> answer`` for the questions that the base game does not ask."""
    compiled: Compiled = jit(MODE_SIGNATURE, **_WITH_MEMORY)(function)
    return compiled


@jit
def supply_card(view, table, place):  # type: ignore[no-untyped-def]
    """The Black Market card at a place of the supply, from the left from 0: its number in the table of such cards.

    For ``view.ask == ASK_MARKET`` places are 0 .. ``view.options - 1``, and the place is the answer.
    """
    return table[COPY + ((view.supply >> (8 * place)) & 255) - 1]


@dataclass(frozen=True)
class UserPolicy:
    """Compiled functions and the parameters they read, in order. ``others`` is None if chance answers the rest."""

    offer: Compiled
    take: Compiled
    params: Mapping[str, float] = field(default_factory=dict)
    idea: str = ""
    others: Compiled | None = None


_ANSWERS = {"jit_offer": "offer_action(up, down) or DISCARD + name", "jit_take": "FACE_UP or HIDDEN",
            "jit_others": "the number of an answer"}


def policy(offer: Compiled, take: Compiled, *, others: Compiled | None = None,
           params: Mapping[str, float] | None = None, idea: str = "") -> UserPolicy:
    """Join compiled functions to a policy. ``params`` gives the parameters' names and default values."""
    for function, maker in ((offer, "jit_offer"), (take, "jit_take"), (others, "jit_others")):
        if function is None and maker == "jit_others":
            continue
        signature = MODE_SIGNATURE if maker == "jit_others" else OFFER_SIGNATURE  # TAKE_SIGNATURE is the same
        if not _is_compiled(function, signature):
            name = getattr(function, "__name__", repr(function))
            raise InputError(f"{name} is not a function compiled by @{maker}", key="policy",
                             allowed=f"a function (view, table, params, key) with @{maker} above it")
        if not _returns(function, signature):
            raise InputError(f"{getattr(function, '__name__', maker)} never returns a number", key="policy",
                             allowed=_ANSWERS[maker])
    given: Mapping[str, Any] = params or {}
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise InputError(f"the default of the parameter '{name}' is {value!r}", key="policy",
                             allowed="a finite number")
    return UserPolicy(offer, take, dict(params or {}), idea, others)


def _is_compiled(function: Any, signature: Any) -> bool:
    if _CONFIG.DISABLE_JIT:
        return callable(function)
    return signature.args in getattr(function, "signatures", ())


def _returns(function: Any, signature: Any) -> bool:
    """Whether a compiled function has the result it should: one that only raises is compiled to another."""
    return _CONFIG.DISABLE_JIT or signature in function.nopython_signatures


def file_digest(path: str) -> str:
    """Hash of a policy file's text; part of a run's plan."""
    return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()


def load(path: str, name: str, *, where: str = "") -> Any:
    """The policy ``name`` of a file: a :class:`UserPolicy`, or an object with methods ``offer`` and ``choose``.

    Raises InputError if the file cannot be read or run, or has no such policy.
    """
    module = _module(str(Path(path).resolve()), _digest_or_error(path, where), where)
    fits = {key: value for key, value in vars(module).items() if _is_policy(value)}
    if name not in fits:
        raise InputError(f"no policy '{name}' in {path}", where=where, key="policies",
                         allowed=", ".join(fits) or "a file that defines one with policy(offer, take)",
                         nearest=nearest(name, fits))
    found = fits[name]
    if not isinstance(found, type):
        return found
    try:
        return found()
    except Exception as error:
        raise InputError(f"policy '{name}' of {path} cannot be made: {in_one_line(error)}", where=where,
                         key="policies") from None


def _is_policy(value: Any) -> bool:
    if isinstance(value, UserPolicy):
        return True
    return callable(getattr(value, "offer", None)) and callable(getattr(value, "choose", None))


def _digest_or_error(path: str, where: str) -> str:
    try:
        return file_digest(path)
    except OSError as error:
        raise InputError(f"cannot read the policy file {path}: {error.strerror or error}", where=where,
                         key="policies") from None


@cache
def _module(path: str, digest: str, where: str) -> Any:
    name = f"agentsim_user_{Path(path).stem}_{digest[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file", where=where, key="policies", allowed="path/to/file.py:name")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever a user's file may raise is the user's input error
        sys.modules.pop(name, None)
        raise InputError(f"the policy file {path} cannot be run: {in_one_line(error)}", where=where,
                         key="policies") from None
    return module


def in_one_line(error: BaseException) -> str:
    """What an error says, in one line: its kind, its message, for errors of the compiler also the line of the code."""
    if isinstance(error, InputError):
        return str(error)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    place = ""
    if isinstance(error, NumbaError) and len(lines) > 1:
        lines = lines[1:]  # the first names a stage of the compiler
        if found := re.search(r" \((\d+)\)$", str(error), re.MULTILINE):
            place = f" (line {found[1]})"
    return ": ".join([type(error).__name__, *lines[:1]]) + place
