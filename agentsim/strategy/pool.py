"""A pool of policies grown by best responses: double oracle over policies.

(PSRO, Lanctot et al. 2017, arXiv:1711.00832.) All policies of the pool meet; the payoff matrix has an equilibrium, a
mixture of the pool that none of its policies beats. CMA-ES searches a response to that mixture. If fresh deals show
that it wins more than half, it joins the pool; otherwise the pool is closed as far as this search can tell. A search
shows a lower bound: a closed pool need not be one.

Seeds: pairs meet on the deals of ``seed``, the search of round r has ``seed + 1000 r`` (and the next for its
finalists), its validation ``seed + 1000 r + 2``. The state is written whole after every pair and every round.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.base import PolicyRef
from agentsim.simulation.progress import Meter
from agentsim.stats import Interval, adjusted_level, mean_of_deals
from agentsim.stats.equilibrium import nash_average
from agentsim.strategy.field import Opponent, play_field, validate
from agentsim.strategy.tune import Search, SearchPlan, chosen_parameters

__all__ = ["Pool", "Round", "grow_pool"]

_SEEDS = 2**64
_POPULATION = 16
_LEAST_SHARE = 1e-6


@dataclass(frozen=True)
class Round:
    """A response to the equilibrium of a round: fresh score against it, and whether it joined the pool."""

    start: str
    response: PolicyRef
    mixture: tuple[float, ...]
    score: float
    low: float
    high: float
    n_games: int
    joined: bool

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {**vars(self), "response": self.response.as_dict(), "mixture": list(self.mixture)}


@dataclass(frozen=True)
class Pool:
    """The policies, ``scores[i][j]`` of row against column (None on the diagonal) and the equilibrium's shares.

    The intervals of the matrix hold together over its pairs, those of the rounds over the rounds asked for (Sidak).
    ``closed``: the last response did not show a gain.
    """

    policies: tuple[PolicyRef, ...]
    scores: tuple[tuple[Interval | None, ...], ...]
    mixture: tuple[float, ...]
    rounds: tuple[Round, ...]
    seed: int

    @property
    def closed(self) -> bool:
        return bool(self.rounds) and not self.rounds[-1].joined

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {"policies": [ref.as_dict() for ref in self.policies], "equilibrium": list(self.mixture),
                "scores": [[None if one is None else one.as_dict() for one in row] for row in self.scores],
                "rounds": [one.as_dict() for one in self.rounds], "closed": self.closed, "seed": self.seed}


def grow_pool(rules: Any, starts: Sequence[PolicyRef], parameters_of: Callable[[PolicyRef], Any], *, rounds: int,
              games: int, pair_games: int, seed: int, game: str = "agent_avenue", workers: int = 1,
              meter: Meter | None = None, folder: Path | None = None) -> Pool:
    """Grow a pool by up to ``rounds`` responses, or until one shows no gain.

    Parameters
    ----------
    starts : the first policies, at least two, with labels of their own.
    parameters_of : the parameters of a policy that a search may vary; empty for one that cannot be tuned.
    games : of one round's search and validation, about; ``pair_games``: of each pair of the pool.
    folder : keeps the state; the same call goes on where it was cut.

    Raises InputError for fewer than two policies, for none that can be tuned, for a folder of another pool.
    """
    if len({ref.label for ref in starts}) != len(starts) or len(starts) < 2:
        raise InputError(f"{len(starts)} policies", key="starts", allowed="two or more, each once")
    if not any(parameters_of(ref) for ref in starts):
        raise InputError("none of the policies has parameters", key="starts", allowed="at least one that has")
    taken = {f"response_{number + 1}" for number in range(rounds)} & {ref.label for ref in starts}
    if taken:
        raise InputError(f"a policy is called {min(taken)}, as responses are", key="starts", allowed="another name")
    state = _State(folder, {"starts": [ref.as_dict() for ref in starts], "rounds": rounds, "games": games,
                            "pair_games": pair_games, "seed": seed, "game": game,
                            "rules": hashlib.sha256(repr(rules).encode()).hexdigest()})
    done = [_round(row) for row in state.rounds]
    policies = [*starts, *(one.response for one in done if one.joined)]
    while True:
        _meet(rules, policies, state, pair_games, seed, game, workers, meter)
        mixture = _equilibrium(policies, state)
        if len(done) >= rounds or (done and not done[-1].joined):
            break
        done.append(_respond(rules, policies, mixture, parameters_of, len(done) + 1, rounds, games, seed, game,
                             workers, meter, folder))
        state.rounds.append(done[-1].as_dict())
        state.write()
        if done[-1].joined:
            policies.append(done[-1].response)
    return Pool(tuple(policies), _matrix(policies, state), mixture, tuple(done), seed)


class _State:
    """Counts of pairs and finished rounds, in ``pool_state.json`` if there is a folder."""

    def __init__(self, folder: Path | None, plan: dict[str, Any]) -> None:
        self.plan, self.pairs, self.rounds = plan, dict[str, list[int]](), list[dict[str, Any]]()
        self._file = None if folder is None else folder / "pool_state.json"
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            kept = json.loads(self._file.read_text(encoding="utf-8")) if self._file.exists() else None
        except OSError as error:
            raise InputError(f"cannot be used: {error.strerror or error}", where=str(folder)) from None
        except ValueError:
            raise InputError("is not the state of a pool", where=str(self._file)) from None
        if kept is None:
            return
        if not isinstance(kept, dict) or kept.get("plan") != json.loads(json.dumps(plan)):
            raise InputError("holds another pool", where=str(folder), allowed="a folder of its own")
        self.pairs, self.rounds = kept["pairs"], kept["rounds"]

    def write(self) -> None:
        """Replace the file whole."""
        if self._file is None:
            return
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps({"plan": self.plan, "pairs": self.pairs, "rounds": self.rounds}) + "\n",
                          encoding="utf-8")
        beside.replace(self._file)


def _round(row: dict[str, Any]) -> Round:
    return Round(**{**row, "response": PolicyRef.from_dict(row["response"]), "mixture": tuple(row["mixture"])})


def _pairs(n: int) -> list[tuple[int, int]]:
    return [(i, j) for j in range(n) for i in range(j)]


def _meet(rules: Any, policies: Sequence[PolicyRef], state: _State, games: int, seed: int, game: str, workers: int,
          meter: Meter | None) -> None:
    """Play the pairs that have not met."""
    for i, j in _pairs(len(policies)):
        if f"{i},{j}" not in state.pairs:
            counts = play_field(rules, [policies[i]], [Opponent(policies[j], 1.0)], seed=seed, first_deal=0,
                                deals=max(2, games // 2), game=game, workers=workers, meter=meter)[0][0]
            state.pairs[f"{i},{j}"] = counts.tolist()
            state.write()


def _equilibrium(policies: Sequence[PolicyRef], state: _State) -> tuple[float, ...]:
    payoffs: NDArray[np.float64] = np.zeros((len(policies), len(policies)))
    for i, j in _pairs(len(policies)):
        payoffs[i, j] = mean_of_deals(state.pairs[f"{i},{j}"]).estimate - 0.5
        payoffs[j, i] = -payoffs[i, j]
    return tuple(nash_average(payoffs).mixture.tolist())


def _matrix(policies: Sequence[PolicyRef], state: _State) -> tuple[tuple[Interval | None, ...], ...]:
    pairs = _pairs(len(policies))
    each = adjusted_level(len(pairs), 0.95)
    rows: list[list[Interval | None]] = [[None] * len(policies) for _ in policies]
    for i, j in pairs:
        rows[i][j] = mean_of_deals(state.pairs[f"{i},{j}"], each)
        rows[j][i] = mean_of_deals(state.pairs[f"{i},{j}"][::-1], each)  # what one wins the other loses
    return tuple(map(tuple, rows))


def _respond(rules: Any, policies: Sequence[PolicyRef], mixture: Sequence[float],
             parameters_of: Callable[[PolicyRef], Any], number: int, rounds: int, games: int, seed: int, game: str,
             workers: int, meter: Meter | None, folder: Path | None) -> Round:
    """Search a response to the mixture and validate it on fresh deals."""
    kept = [(ref, share) for ref, share in zip(policies, mixture, strict=True) if share > _LEAST_SHARE]
    total = sum(share for _, share in kept)
    field = tuple(Opponent(ref, share / total) for ref, share in kept)
    start = max((at for at, ref in enumerate(policies) if parameters_of(ref)), key=lambda at: (mixture[at], at))
    parameters = parameters_of(policies[start])
    # Of the games 70 % search, 10 % choose among at most 13 finalists, 20 % validate.
    deals = max(25, int(games * 0.7 / (_POPULATION * 2 * 40 * len(field))))
    generations = max(2, int(games * 0.7 / (_POPULATION * 2 * deals * len(field))))
    at = (seed + 1_000 * number) % _SEEDS
    plan = SearchPlan(policies[start], chosen_parameters(parameters, None, policies[start], "pool"), field, at,
                      _POPULATION, generations, deals, max(50, int(games * 0.1 / (13 * 2 * len(field)))))
    search = Search(rules, plan, parameters, game=game, workers=workers, meter=meter,
                    folder=None if folder is None else folder / f"round_{number}")
    search.run()
    response = replace(search.choose().policy, label=f"response_{number}")
    found = validate(rules, response, field, seed=(at + 2) % _SEEDS, games=max(4, int(games * 0.2 / len(field))),
                     game=game, workers=workers, meter=meter, family=rounds).mean
    return Round(policies[start].label, response, tuple(mixture), found.estimate, found.low, found.high,
                 found.n_games or 0, bool(found.low > 0.5))
