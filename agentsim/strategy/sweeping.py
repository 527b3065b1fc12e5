"""One or two parameters of a policy varied, against a field, on the same deals: curves and maps.

All points play the same deals, so the difference of a point from the base is a difference of one deal, and its standard
error is that of the mean of these differences. Intervals hold together over the points of the sweep.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.errors import InputError, nearest
from agentsim.games.base import Parameter, PolicyRef, get_game
from agentsim.simulation.progress import Meter
from agentsim.stats import adjusted_level
from agentsim.stats.clustered import bounded_mean
from agentsim.strategy.field import Opponent, deal_size, game_scores

__all__ = ["MOST_POINTS", "Sweep", "Varied", "read_values", "run_sweep", "take_values"]

MOST_POINTS = 400
MOST_SCORES = 250_000_000
"""Results of games that are held at once, 8 bytes each (2 GB): differences need them deal by deal."""


@dataclass(frozen=True)
class Varied:
    """A parameter and the values that it takes."""

    parameter: Parameter
    values: tuple[float, ...]


def read_values(text: str, parameters: Sequence[Parameter], policy: PolicyRef, where: str = "--vary") -> Varied:
    """``bluff=0:1:0.1`` or ``bluff=0,0.5,1``. Raises InputError for what is no parameter or out of its range."""
    name, equals, values = (part.strip() for part in text.partition("="))
    if not equals or not values:
        raise InputError(f"'{text}' is not of the form NAME=a:b:step", where=where,
                         allowed="bluff=0:1:0.1 or bluff=0,1")
    parts = [_number(part, where, name) for part in values.replace(",", ":").split(":")]
    if ":" in values and "," not in values:
        if len(parts) != 3:
            raise InputError(f"'{values}' is not of the form a:b:step", where=where, key=name, allowed="0:1:0.1")
        low, high, step = parts
        if not step > 0 or high < low:
            raise InputError(f"'{values}' never arrives", where=where, key=name,
                             allowed="a:b:step, with a step above 0")
        count = math.floor((high - low) / step + 1e-9) + 1
        if count > MOST_POINTS:
            raise InputError(f"{count:,} values", where=where, key=name, allowed=f"at most {MOST_POINTS}")
        parts = [float(f"{low + at * step:.10g}") for at in range(count)]
    return take_values(name, parts, parameters, policy, where)


def take_values(name: str, values: Sequence[float], parameters: Sequence[Parameter], policy: PolicyRef,
                where: str = "") -> Varied:
    """The values that a parameter takes. Raises InputError for what is no parameter or out of its range."""
    known = {parameter.name: parameter for parameter in parameters}
    if name not in known:
        raise InputError(f"{policy.label} has no parameter '{name}'", where=where, allowed=", ".join(known) or "none",
                         nearest=nearest(name, known))
    parameter = known[name]
    try:
        parts = [float(value) for value in values]
    except (TypeError, ValueError):
        raise InputError(f"{values!r} is no list of numbers", where=where, key=name,
                         allowed=f"such as [{parameter.low:g}, {parameter.high:g}]") from None
    for value in parts:
        if not parameter.low <= value <= parameter.high or (parameter.whole and value != int(value)):
            kind = "a whole number, " if parameter.whole else ""
            raise InputError(f"{value:g} is out of range", where=where, key=name,
                             allowed=f"{kind}{parameter.low:g} to {parameter.high:g}")
    if len(set(parts)) < len(parts):
        raise InputError("a value is listed twice", where=where, key=name)
    if len(parts) < 2:
        raise InputError("one value is no sweep", where=where, key=name, allowed="2 or more")
    return Varied(parameter, tuple(parts))


def _number(text: str, where: str, key: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"'{text.strip()}' is not a number", where=where, key=key, allowed="0:1:0.1 or 0,0.5,1")
    return number


@dataclass(frozen=True)
class Sweep:
    """What a sweep found.

    ``points``: one row per combination of values: the values by parameter name, ``score`` over the field with ``low``
    and ``high``, ``difference`` from the base policy with ``difference_low``, ``difference_high``, ``is_base``,
    ``as_good`` (not distinguishable from the best), ``n_deals``, ``n_games``. ``by_opponent``: the same per opponent,
    score only.
    """

    base: PolicyRef
    varied: tuple[Varied, ...]
    field: tuple[Opponent, ...]
    points: pd.DataFrame
    by_opponent: pd.DataFrame
    seed: int
    n_games: int


def run_sweep(rules: Any, base: PolicyRef, varied: Sequence[Varied], field: Sequence[Opponent], *, seed: int,
              games: int, game: str = "agent_avenue", workers: int = 1, meter: Meter | None = None,
              folder: Path | None = None, level: float = 0.95) -> Sweep:
    """Play every point with about ``games`` games against each opponent of the field.

    ``folder``: while it plays, its subfolder ``played`` keeps what is done, and the same sweep goes on from there.
    Raises InputError for more than ``MOST_POINTS`` points, and for a folder in which another sweep was cut.
    """
    combinations = list(product(*(each.values for each in varied)))
    if len(combinations) > MOST_POINTS:
        raise InputError(f"{len(combinations):,} points", key="--vary", allowed=f"at most {MOST_POINTS}")
    names = [each.parameter.name for each in varied]
    policies = [base, *(replace(base, params={**base.params, **dict(zip(names, values, strict=True))})
                        for values in combinations)]
    pairs = [(policy, opponent.ref) for policy in policies for opponent in field]
    per_deal = deal_size(rules, base, field[0].ref, game)
    deals = max(2, games // per_deal)
    if len(pairs) * deals * per_deal > MOST_SCORES:
        raise InputError(f"{games:,} games of {len(combinations)} points against {len(field)} opponents are too many",
                         key="games", allowed=f"at most {MOST_SCORES // len(pairs):,}")
    plan = {"pairs": [[a.as_dict(), b.as_dict()] for a, b in pairs], "seed": seed, "deals": deals, "game": game,
            "rules": get_game(game).rules_as_dict(rules)}
    kept = None if folder is None else _Kept(folder, plan)
    results = game_scores(rules, pairs, seed=seed, deals=deals, game=game, workers=workers, meter=meter, kept=kept)
    if kept is not None:
        kept.forget()
    scores = results.mean(axis=2).reshape(len(policies), len(field), deals)
    weights = np.array([opponent.weight for opponent in field])
    whole = np.tensordot(weights, scores, axes=([0], [1]))
    points, by_opponent = _tables(names, combinations, base, whole, scores, field, per_deal, level)
    return Sweep(base, tuple(varied), tuple(field), points, by_opponent, seed, len(pairs) * deals * per_deal)


class _Kept:
    """Results of games on disk while a sweep is played: per pair a file of half-points."""

    def __init__(self, folder: Path, plan: Mapping[str, Any]) -> None:
        self._folder = folder / "played"
        text = json.dumps(plan, sort_keys=True) + "\n"
        place = self._folder / "plan.json"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if place.exists() and place.read_text(encoding="utf-8", errors="replace") != text:
                raise InputError("holds another sweep, which was cut", where=str(self._folder),
                                 allowed="a folder of its own")
            beside = place.with_suffix(".new")
            beside.write_text(text, encoding="utf-8")
            beside.rename(place)
        except OSError as error:
            raise InputError(f"cannot be used: {error.strerror or error}", where=str(self._folder)) from None

    def read(self, pair: int, shape: tuple[int, int]) -> NDArray[np.float64] | None:
        try:
            found = np.load(self._folder / f"{pair}.npy")
        except (OSError, ValueError, EOFError):
            return None
        whole: NDArray[np.float64] = found / 2.0
        return whole if found.shape == shape and found.dtype == np.int8 else None

    def write(self, pair: int, scores: NDArray[np.float64]) -> None:
        beside = self._folder / f"{pair}.new.npy"
        np.save(beside, np.rint(2.0 * scores).astype(np.int8))
        beside.rename(self._folder / f"{pair}.npy")

    def forget(self) -> None:
        """Remove what is no longer needed."""
        shutil.rmtree(self._folder)


def _tables(names: Sequence[str], combinations: Sequence[tuple[float, ...]], base: PolicyRef,
            whole: NDArray[np.float64], scores: NDArray[np.float64], field: Sequence[Opponent], per_deal: int,
            level: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    deals = whole.shape[1]
    each = adjusted_level(len(combinations), level)
    is_base = [all(base.params[name] == value for name, value in zip(names, values, strict=True))
               for values in combinations]
    for at, same in enumerate(is_base, 1):
        if same:  # the same policy with other streams of decisions: its difference from the base is nothing
            whole[at], scores[at] = whole[0], scores[0]
    top = int(np.argmax(whole[1:].mean(axis=1))) + 1
    rows, parts = [], []
    many = adjusted_level(len(combinations) * len(field), level)

    def interval(values: NDArray[np.float64], bounds: tuple[float, float], at: float) -> Any:
        return bounded_mean(float(values.mean()), float(values.var()), deals, games=deals * per_deal * len(field),
                            level=at, bounds=bounds)

    for at, values in enumerate(combinations, 1):
        score = interval(whole[at], (0.0, 1.0), each)
        gap = interval(whole[at] - whole[0], (-1.0, 1.0), each)
        below = interval(whole[top] - whole[at], (-1.0, 1.0), each)
        rows.append({**dict(zip(names, values, strict=True)), "score": score.estimate, "low": score.low,
                     "high": score.high, "difference": gap.estimate, "difference_low": gap.low,
                     "difference_high": gap.high,
                     "is_base": is_base[at - 1],
                     "as_good": bool(below.low <= 0.0), "n_deals": deals, "n_games": deals * per_deal * len(field)})
        for number, opponent in enumerate(field):
            one = bounded_mean(float(scores[at, number].mean()), float(scores[at, number].var()), deals,
                               games=deals * per_deal, level=many)
            parts.append({**dict(zip(names, values, strict=True)), "opponent": opponent.ref.label,
                          "score": one.estimate, "low": one.low, "high": one.high, "n_deals": deals,
                          "n_games": deals * per_deal})
    return pd.DataFrame(rows), pd.DataFrame(parts)
