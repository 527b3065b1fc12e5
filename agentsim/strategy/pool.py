"""A pool of policies grown by best responses: double oracle over policies.

(PSRO, Lanctot et al. 2017, arXiv:1711.00832.) All policies of the pool meet, seats swapped, on the same deals; the
payoff matrix has an equilibrium, a mixture of the pool that none of its policies beats. CMA-ES, begun at the pool's own
members, searches a response to that mixture. If fresh deals show that it wins more than half, it joins the pool;
otherwise the pool is closed as far as this search can tell. A search shows a lower bound; another may go on.

Seeds: pairs meet on the deals of ``seed``; round r has the base ``seed + 1,000,000 r``, its searches ``base + 1000``,
``base + 2000`` ... (and the next for their finalists), its validation ``base + 2``. The state is written whole after
every pair and every round, so a pool that was cut goes on and ends the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.base import PolicyRef
from agentsim.simulation.progress import Meter
from agentsim.stats import Interval, adjusted_level, equilibrium_table, mean_of_deals
from agentsim.stats.equilibrium import nash_average
from agentsim.stats.ratings import pair_covariance
from agentsim.strategy.exploiting import SHARE_VALIDATION, search_response
from agentsim.strategy.field import Opponent, play_field, validate

__all__ = ["Pool", "Round", "grow_pool"]

_SEEDS = 2**64
_LEAST_SHARE = 1e-6
_MOST_STARTS = 4
_BLOCKS = 16
"""Pairs are played in so many blocks of deals: what they show of the correlation between pairs on the same deals."""


@dataclass(frozen=True)
class Round:
    """A response to the equilibrium of a round: fresh score against it, and whether it joined the pool.

    ``members``, ``mixture``: the equilibrium it was searched against; ``tried``: where searches began and the mean
    score of their last generations before the better half went on; ``searched``: games of all generations; ``seed``,
    ``n_games``: of the fresh deals.
    """

    number: int
    members: tuple[str, ...]
    mixture: tuple[float, ...]
    start: str
    tried: tuple[tuple[str, float], ...]
    response: PolicyRef
    score: Interval
    searched: int
    n_games: int
    seed: int
    joined: bool

    @property
    def gain(self) -> tuple[float, float, float]:
        """The score less one half, with its interval: ``(estimate, low, high)``."""
        return self.score.estimate - 0.5, self.score.low - 0.5, self.score.high - 0.5

    @property
    def at_least(self) -> float:
        """What somebody gains on this equilibrium at least: the lower end of the gain, 0 if that is negative."""
        return max(0.0, self.score.low - 0.5)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        gain = dict(zip(("gain", "gain_low", "gain_high"), self.gain, strict=True))
        return {**vars(self), "members": list(self.members), "mixture": list(self.mixture),
                "tried": [list(one) for one in self.tried], "response": self.response.as_dict(),
                "score": self.score.as_dict(), **gain, "at_least": self.at_least}


@dataclass(frozen=True, eq=False)
class Pool:
    """The policies, ``scores[i][j]`` of row against column (None on the diagonal) and the equilibrium's shares.

    The intervals of the matrix hold together over its pairs, those of the rounds over the rounds asked for (Sidak).
    ``shares``: the equilibrium as a table, ``policy, nash, nash_low, nash_high`` (a bootstrap over the matrix, see
    :func:`agentsim.stats.equilibrium_table`). ``closed``: the last response did not show a gain.
    """

    policies: tuple[PolicyRef, ...]
    scores: tuple[tuple[Interval | None, ...], ...]
    mixture: tuple[float, ...]
    shares: pd.DataFrame
    rounds: tuple[Round, ...]
    seed: int

    @property
    def closed(self) -> bool:
        """Whether the last response did not show a gain."""
        return bool(self.rounds) and not self.rounds[-1].joined

    @property
    def joined(self) -> tuple[Round, ...]:
        """The rounds whose responses are in the pool."""
        return tuple(one for one in self.rounds if one.joined)

    def matrix(self) -> pd.DataFrame:
        """The payoff matrix by pair: ``policy_a, policy_b, score, low, high, n_deals, n_games ...``."""
        pairs = _pairs(len(self.policies))
        rows = [(self.policies[i].label, self.policies[j].label, one.estimate, one.low, one.high, one.n, one.n_games,
                 one.method)
                for i, j in pairs if (one := self.scores[i][j]) is not None]
        table = pd.DataFrame(rows, columns=["policy_a", "policy_b", "score", "low", "high", "n_deals", "n_games",
                                            "method"])
        return table.assign(level=0.95, family_size=len(pairs))

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        names = ["policy", "nash", "nash_low", "nash_high", "level", "family_size", "replicates"]
        return {"policies": [ref.as_dict() for ref in self.policies], "equilibrium": list(self.mixture),
                "shares": self.shares[names].to_dict("records"),
                "scores": [[None if one is None else one.as_dict() for one in row] for row in self.scores],
                "rounds": [one.as_dict() for one in self.rounds], "closed": self.closed, "seed": self.seed}


def grow_pool(rules: Any, starts: Sequence[PolicyRef], parameters_of: Callable[[PolicyRef], Any], *, rounds: int,
              games: int, search_games: int, seed: int, game: str = "agent_avenue", workers: int = 1,
              meter: Meter | None = None, folder: Path | None = None) -> Pool:
    """Grow a pool by up to ``rounds`` responses, or until one shows no gain.

    Parameters
    ----------
    starts : the first policies, at least two, with labels of their own.
    parameters_of : the parameters of a policy that a search may vary; empty for one that cannot be tuned.
    games : of each pair of the pool. ``search_games``: of one round's search and validation (a fifth), about.
    folder : keeps the state; the same call goes on where it was cut.

    Responses are called ``br_1``, ``br_2`` ..., but for names that a start has. Raises InputError for fewer than two
    policies, for none that can be tuned, for a folder of another pool.
    """
    if len({ref.label for ref in starts}) != len(starts) or len(starts) < 2:
        raise InputError(f"{len(starts)} policies", key="starts", allowed="two or more, each once")
    if not any(parameters_of(ref) for ref in starts):
        raise InputError("none of the policies has parameters", key="starts", allowed="at least one that has")
    state = _State(folder, {"starts": [ref.as_dict() for ref in starts], "rounds": rounds, "games": games,
                            "search_games": search_games, "seed": seed, "game": game,
                            "rules": hashlib.sha256(repr(rules).encode()).hexdigest()})
    taken = {ref.label for ref in starts}
    names = (name for number in count(1) if (name := f"br_{number}") not in taken)
    done = [_round(row) for row in state.rounds]
    for _ in done:
        next(names)
    policies = [*starts, *(one.response for one in done if one.joined)]
    if meter is not None:  # what an earlier call has played
        meter.advance(len(state.pairs) * games + len(done) * search_games)
    while True:
        _meet(rules, policies, state, games, seed, game, workers, meter)
        mixture = _equilibrium(policies, state)
        if len(done) >= rounds or (done and not done[-1].joined):
            break
        number = len(done) + 1
        base = (seed + 1_000_000 * number) % _SEEDS
        field = _field(policies, mixture)
        best, start, tried, searched = search_response(
            rules, field, _starts(policies, mixture, parameters_of), parameters_of, games=search_games, seed=base,
            where="pool", game=game, workers=workers, meter=meter,
            folder=None if folder is None else folder / f"round_{number}")
        response, fresh = replace(best, label=next(names)), (base + 2) % _SEEDS
        found = validate(rules, response, field, seed=fresh, games=max(4, int(search_games * SHARE_VALIDATION
                                                                              / len(field))),
                         game=game, workers=workers, meter=meter, family=rounds)
        done.append(Round(number, tuple(ref.label for ref in policies), mixture, start, tried, response, found.mean,
                          searched, found.n_games, fresh, bool(found.mean.low > 0.5)))
        state.rounds.append(done[-1].as_dict())
        state.write()
        if done[-1].joined:
            policies.append(done[-1].response)
    return Pool(tuple(policies), _matrix(policies, state), mixture, _shares(policies, state), tuple(done), seed)


class _State:
    """Counts of pairs (block by block) and finished rounds, in ``pool_state.json`` if there is a folder."""

    def __init__(self, folder: Path | None, plan: dict[str, Any]) -> None:
        self.plan, self.pairs, self.rounds = plan, dict[str, list[list[int]]](), list[dict[str, Any]]()
        self._file = None if folder is None else folder / "pool_state.json"
        if folder is None or self._file is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            kept = json.loads(self._file.read_text(encoding="utf-8")) if self._file.exists() else None
        except OSError as error:
            raise InputError(f"cannot be used: {error.strerror or error}", where=str(folder)) from None
        except ValueError:
            raise InputError("is not the state of a pool", where=str(self._file)) from None
        if kept is None:
            for name in ("pool.toml", "matrix.csv", "pool.json"):
                if (folder / name).exists():
                    raise InputError(f"holds a {name} of something else", where=str(folder),
                                     allowed="a folder of its own")
            return
        if not isinstance(kept, dict) or kept.get("plan") != json.loads(json.dumps(plan)):
            raise InputError("holds another pool", where=str(folder), allowed="a folder of its own")
        try:
            self.pairs = {pair: _blocks(counts) for pair, counts in kept["pairs"].items()}
            self.rounds = list(kept["rounds"])
            for row in self.rounds:
                _round(row)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
            raise InputError("is not the state of a pool", where=str(self._file)) from None

    def write(self) -> None:
        """Replace the file whole."""
        if self._file is None:
            return
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps({"plan": self.plan, "pairs": self.pairs, "rounds": self.rounds}) + "\n",
                          encoding="utf-8")
        beside.replace(self._file)

    def counts(self, i: int, j: int) -> NDArray[np.int64]:
        """The histogram of the pair."""
        total: NDArray[np.int64] = np.asarray(self.pairs[f"{i},{j}"], np.int64).sum(axis=0)
        return total


def _round(row: dict[str, Any]) -> Round:
    kept = {key: row[key] for key in Round.__dataclass_fields__}
    return Round(**{**kept, "response": PolicyRef.from_dict(row["response"]), "score": Interval(**row["score"]),
                    "mixture": tuple(row["mixture"]), "members": tuple(row["members"]),
                    "tried": tuple((name, score) for name, score in row["tried"])})


def _blocks(counts: Any) -> list[list[int]]:
    """The histograms of a pair's blocks. Raises ValueError or TypeError for anything else."""
    table = np.asarray(counts)
    if table.dtype.kind != "i" or table.ndim != 2 or table.shape[0] != _BLOCKS or table.shape[1] % 2 == 0:
        raise ValueError("no histograms")
    if table.shape[1] < 3 or table.min() < 0 or not table.sum(axis=1).all():
        raise ValueError("no counts of deals")
    found: list[list[int]] = table.tolist()
    return found


def _pairs(n: int) -> list[tuple[int, int]]:
    """In the order of the rows of the matrix's upper half."""
    return [(i, j) for i in range(n) for j in range(i + 1, n)]


def _meet(rules: Any, policies: Sequence[PolicyRef], state: _State, games: int, seed: int, game: str, workers: int,
          meter: Meter | None) -> None:
    """Play the pairs that have not met."""
    deals = max(1, games // (2 * _BLOCKS))
    for i, j in _pairs(len(policies)):
        if f"{i},{j}" not in state.pairs:
            state.pairs[f"{i},{j}"] = [
                play_field(rules, [policies[i]], [Opponent(policies[j], 1.0)], seed=seed, first_deal=block * deals,
                           deals=deals, game=game, workers=workers, meter=meter)[0][0].tolist()
                for block in range(_BLOCKS)]
            state.write()


def _scores(n: int, state: _State) -> NDArray[np.float64]:
    scores: NDArray[np.float64] = np.full((n, n), 0.5)
    for i, j in _pairs(n):
        scores[i, j] = mean_of_deals(state.counts(i, j)).estimate
        scores[j, i] = 1.0 - scores[i, j]
    return scores


def _equilibrium(policies: Sequence[PolicyRef], state: _State) -> tuple[float, ...]:
    return tuple(nash_average(_scores(len(policies), state) - 0.5).mixture.tolist())


def _shares(policies: Sequence[PolicyRef], state: _State) -> pd.DataFrame:
    """The equilibrium with intervals. Pairs met on the same deals: their covariance is seen between the blocks."""
    pairs = _pairs(len(policies))
    blocks = np.empty((_BLOCKS, len(pairs)))
    se, n = np.zeros(len(pairs)), np.zeros(len(pairs))
    for at, (i, j) in enumerate(pairs):
        counts = state.counts(i, j)
        points = np.arange(len(counts)) / (len(counts) - 1)
        n[at] = counts.sum()
        mean = (points * counts).sum() / n[at]
        se[at] = max(float(np.sqrt(((points - mean) ** 2 * counts).sum() / n[at] / n[at])), 1e-6)
        each = np.asarray(state.pairs[f"{i},{j}"], float)
        blocks[:, at] = (each * points).sum(axis=1) / each.sum(axis=1)
    covariance, _ = pair_covariance(se, n, blocks)
    return equilibrium_table([ref.label for ref in policies], _scores(len(policies), state), covariance)


def _matrix(policies: Sequence[PolicyRef], state: _State) -> tuple[tuple[Interval | None, ...], ...]:
    pairs = _pairs(len(policies))
    each = adjusted_level(len(pairs), 0.95)
    rows: list[list[Interval | None]] = [[None] * len(policies) for _ in policies]
    for i, j in pairs:
        rows[i][j] = mean_of_deals(state.counts(i, j), each)
        rows[j][i] = mean_of_deals(state.counts(i, j)[::-1], each)  # what one wins the other loses
    return tuple(map(tuple, rows))


def _field(policies: Sequence[PolicyRef], mixture: Sequence[float]) -> tuple[Opponent, ...]:
    kept = [(ref, share) for ref, share in zip(policies, mixture, strict=True) if share > _LEAST_SHARE]
    total = sum(share for _, share in kept)
    return tuple(Opponent(ref, share / total) for ref, share in kept)


def _starts(policies: Sequence[PolicyRef], mixture: Sequence[float], parameters_of: Callable[[PolicyRef], Any]
            ) -> list[PolicyRef]:
    """The members with parameters, those with the largest shares first, of equal ones the newest; four at most."""
    able = [at for at, ref in enumerate(policies) if parameters_of(ref)]
    return [policies[at] for at in sorted(able, key=lambda at: (-mixture[at], -at))[:_MOST_STARTS]]
