"""Equilibria of a payoff matrix between policies: linear programs, Nash averaging, alpha-rank.

Definitions. ``A[i, j]`` is what policy ``i`` gains against ``j``; a two-sided game between policies is symmetric and
zero-sum, so ``A`` is antisymmetric (a score less 1/2 is). A mixture ``p`` is an equilibrium if ``A p <= 0``: nobody
gains against it.

- *Nash averaging* (Balduzzi, Tuyls, Perolat and Graepel 2018, "Re-evaluating evaluation"): the equilibrium of maximum
  entropy, and the *skill* ``A p`` of each policy against it: 0 for those it plays, at most 0 for all. Unlike a mean
  over the field it does not change when a policy is entered twice.
- *alpha-rank* (Omidshafiei et al. 2019), one population: a population of ``m`` plays ``s``, a mutant plays ``r``; it
  takes over with probability ``rho = (1 - e^-u) / (1 - e^-(m u))``, ``u = alpha (A[r, s] - A[s, r])``, and a mutant
  comes from every other policy with equal chance. The rank is the stationary distribution of that chain, for
  ``alpha`` so large that it no longer changes.

How. The maximum-entropy equilibrium has the union of all equilibria's supports as its support ``S`` and satisfies
``A[S, S] p = 0`` (Goldman and Tucker 1956). A measured matrix has one equilibrium only: a linear program finds ``S``,
the kernel of ``A[S, S]`` gives ``p`` to all digits. If there are several, the concave problem that remains is solved by
Newton's method with a barrier. Chances such as ``e^-(m u)`` are kept as logarithms, and the stationary distribution
comes from the elimination of Grassmann, Taksar and Heyman (1985), which never subtracts: no ``alpha`` is too large.

Both are jumpy functions of a measured matrix (a share may be 0 or 1/3 by a hair), so :func:`equilibrium_table` draws
matrices from what is known of the true one and shows the range of the results: a parametric bootstrap.

>>> import numpy as np
>>> rock_paper_scissors = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
>>> [round(float(x), 6) for x in nash_average(rock_paper_scissors).mixture]
[0.333333, 0.333333, 0.333333]
>>> [round(float(x), 6) for x in alpha_rank(rock_paper_scissors).mass]
[0.333333, 0.333333, 0.333333]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import linalg, optimize, special

from agentsim.errors import InputError
from agentsim.stats._numeric import FloatArray, check_level
from agentsim.stats.simultaneous import adjusted_level

__all__ = ["AlphaRank", "MatrixSolution", "NashAverage", "alpha_rank", "equilibrium_table", "nash_average",
           "solve_zero_sum"]

#: What counts as 0 in a solution of a linear program, relative to the largest payoff.
_TINY = 1e-8


@dataclass(frozen=True, eq=False)
class MatrixSolution:
    """Optimal mixtures of a zero-sum matrix game.

    ``row`` maximises, ``column`` minimises, ``value`` is what the row player gets. ``gap`` is what the two could gain
    together by their best replies: 0 but for rounding.
    """

    row: FloatArray
    column: FloatArray
    value: float
    gap: float


@dataclass(frozen=True, eq=False)
class NashAverage:
    """The maximum-entropy equilibrium and every policy's payoff against it.

    ``mixture`` sums to 1; ``skill`` is at most 0 (in the unit of the payoffs), and 0 where ``mixture`` is positive.
    ``unique`` says whether there is no other equilibrium.
    """

    mixture: FloatArray
    skill: FloatArray
    unique: bool


@dataclass(frozen=True, eq=False)
class AlphaRank:
    """The stationary distribution of alpha-rank's chain.

    ``mass`` sums to 1, ``alpha`` is the selection intensity it was computed at; ``sweep`` has a row for each intensity
    tried (``alpha`` and the masses), ``settled`` says whether the last step of the sweep changed nothing.
    """

    mass: FloatArray
    alpha: float
    sweep: FloatArray
    settled: bool


# ------------------------------------------------------------------------------------------------ linear programs


def payoff_matrix(payoffs: npt.ArrayLike, key: str = "payoffs") -> FloatArray:
    """``payoffs`` as a matrix of finite numbers; InputError otherwise."""
    try:
        matrix = np.asarray(payoffs, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("must hold numbers only", key=key) from None
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError(f"must be a matrix, got shape {matrix.shape}", key=key)
    if not np.isfinite(matrix).all():
        raise InputError("holds a missing or infinite value", key=key, allowed="finite numbers")
    return matrix


def antisymmetric(payoffs: npt.ArrayLike, key: str = "payoffs") -> FloatArray:
    """``payoffs`` as an antisymmetric matrix (rounding errors taken off); InputError for anything else."""
    matrix = payoff_matrix(payoffs, key)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"must be square, got shape {matrix.shape}", key=key)
    off = float(np.abs(matrix + matrix.T).max())
    if off > 1e-9 * max(1.0, float(np.abs(matrix).max())):
        raise InputError(f"is not antisymmetric: A[i, j] + A[j, i] is {off:.3g} somewhere", key=key,
                         allowed="what one wins the other loses, such as a score less 1/2")
    return (matrix - matrix.T) / 2.0


def solve_zero_sum(payoffs: npt.ArrayLike) -> MatrixSolution:
    """Optimal mixtures of both players by linear programming (HiGHS).

    Parameters
    ----------
    payoffs : shape (rows, columns), what the row player gets.

    Raises InputError for what is no matrix of finite numbers.
    """
    matrix = payoff_matrix(payoffs)
    row, column = _maximin(matrix), _maximin(-matrix.T)
    best, worst = float((matrix @ column).max()), float((row @ matrix).min())
    return MatrixSolution(row, column, (best + worst) / 2.0, best - worst)


def _maximin(matrix: FloatArray) -> FloatArray:
    """The mixture over rows whose least payoff over columns is largest."""
    n_rows, n_columns = matrix.shape
    scale = float(np.abs(matrix).max()) or 1.0
    # Unknowns: the mixture, and the value v; maximise v under matrix' x >= v.
    found = optimize.linprog(
        np.concatenate([np.zeros(n_rows), [-1.0]]),
        A_ub=np.hstack([-matrix.T / scale, np.ones((n_columns, 1))]), b_ub=np.zeros(n_columns),
        A_eq=np.concatenate([np.ones(n_rows), [0.0]])[np.newaxis, :], b_eq=[1.0],
        bounds=[(0.0, None)] * n_rows + [(None, None)], method="highs-ds")
    if found.status != 0:  # a bounded, feasible program: only numbers beyond double precision get here
        raise InputError(f"the linear program was not solved: {found.message}", key="payoffs")
    mixture: FloatArray = np.maximum(found.x[:n_rows], 0.0)
    mixture /= mixture.sum()
    return mixture


# ------------------------------------------------------------------------------------------------ Nash averaging


def nash_average(payoffs: npt.ArrayLike) -> NashAverage:
    """The maximum-entropy equilibrium of an antisymmetric payoff matrix, and the skill of each policy.

    Raises InputError unless ``payoffs`` is square, finite and antisymmetric.
    """
    matrix = antisymmetric(payoffs)
    scale = float(np.abs(matrix).max()) or 1.0
    unit = matrix / scale
    start = _maximin(unit)
    mixture = equilibrium_on(unit, start > _TINY)
    unique = mixture is not None
    if mixture is None:
        mixture = _max_entropy(unit)
    skill = matrix @ mixture
    skill = np.where(skill < -1e-12 * scale, skill, 0.0)
    return NashAverage(mixture, skill, unique)


def equilibrium_on(matrix: FloatArray, support: npt.NDArray[np.bool_]) -> FloatArray | None:
    """The only equilibrium if it has this support; None if there is none or more than one.

    It is the only one if the kernel of the support's own matrix has one dimension and everybody outside loses.
    """
    inside = np.flatnonzero(support)
    if len(inside) % 2 == 0:  # an antisymmetric matrix of even order has a kernel of even dimension
        return None
    _, singular, right = linalg.svd(matrix[np.ix_(inside, inside)])
    scale = float(np.abs(matrix).max()) or 1.0
    if len(inside) > 1 and singular[-2] < _TINY * scale:
        return None
    kernel = right[-1] / right[-1].sum()
    mixture = np.zeros(len(matrix))
    mixture[inside] = kernel
    outside = matrix[~support] @ mixture
    if (kernel <= _TINY).any() or (outside >= -_TINY * scale).any():
        return None
    return mixture


def _max_entropy(matrix: FloatArray) -> FloatArray:
    """The maximum-entropy equilibrium where there are many. ``matrix`` has entries within -1 and 1."""
    n = len(matrix)
    corners = []
    for sign, rows in ((-1.0, np.eye(n)), (1.0, matrix)):  # the largest share of each policy, the largest loss of each
        for row in rows:
            found = optimize.linprog(sign * row, A_ub=matrix, b_ub=np.zeros(n), A_eq=np.ones((1, n)), b_eq=[1.0],
                                     bounds=(0.0, None), method="highs-ds")
            if found.status == 0:
                corners.append(np.maximum(found.x, 0.0))
    inner = np.mean(corners, axis=0)  # inside of all constraints that any equilibrium is inside of
    support = np.max(corners, axis=0) > 1e-6
    inside = np.flatnonzero(support)
    own = matrix[np.ix_(inside, inside)]
    flat = np.vstack([own, np.ones(len(inside))])
    basis = linalg.null_space(flat, rcond=1e-7)
    # Move the start onto the plane, to all digits.
    at = inner[inside] / inner[inside].sum()
    target = np.concatenate([np.zeros(len(inside)), [1.0]])
    at = at + linalg.lstsq(flat, target - flat @ at)[0]
    bounds = matrix[np.ix_(~support, support)]
    at = _newton(at, basis, bounds[(bounds @ at) < -1e-7])
    mixture = np.zeros(n)
    mixture[inside] = np.maximum(at, 0.0) / np.maximum(at, 0.0).sum()
    return mixture


def _newton(at: FloatArray, basis: FloatArray, bounds: FloatArray) -> FloatArray:
    """Maximise the entropy of ``at + basis z`` while it is positive and ``bounds @ . < 0`` (log barrier, shrinking)."""
    if basis.shape[1] == 0:
        return at

    def value(p: FloatArray, weight: float) -> float:
        slack = -(bounds @ p)
        if (p <= 0).any() or (slack <= 0).any():
            return np.inf
        return float(special.xlogy(p, p).sum() - weight * np.log(slack).sum())

    for weight in 10.0 ** -np.arange(2, 13) if len(bounds) else [0.0]:
        for _ in range(100):
            slack = -(bounds @ at)
            pull = bounds / slack[:, np.newaxis]
            gradient = basis.T @ (np.log(at) + 1.0 + weight * pull.sum(axis=0))
            hessian = basis.T @ (basis / at[:, np.newaxis]) + weight * (pull @ basis).T @ (pull @ basis)
            step = -linalg.solve(hessian, gradient, assume_a="pos")
            slope = float(gradient @ step)
            if -slope < 1e-18:
                break
            length, here, move = 1.0, value(at, weight), basis @ step
            while value(at + length * move, weight) > here + 0.25 * length * slope and length > 1e-12:
                length /= 2.0
            if length <= 1e-12:
                break
            at = at + length * move
    return at


# ------------------------------------------------------------------------------------------------ alpha-rank


def alpha_rank(payoffs: npt.ArrayLike, *, population: int = 50, alpha: float | None = None,
               tolerance: float = 1e-6) -> AlphaRank:
    """alpha-rank of one population.

    Parameters
    ----------
    payoffs : square; only differences ``A[r, s] - A[s, r]`` matter, so scores do as well as scores less 1/2.
    population : the ``m`` of the paper.
    alpha : one selection intensity; by default it is doubled until no mass changes by more than ``tolerance`` and the
        smallest difference decides almost surely.

    Raises InputError for what is no square matrix, a population below 2 and an intensity that is not positive.
    """
    matrix = payoff_matrix(payoffs)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"must be square, got shape {matrix.shape}", key="payoffs")
    if population != int(population) or population < 2:
        raise InputError(f"must be at least 2, got {population}", key="population")
    gains = matrix - matrix.T
    if alpha is not None:
        if not 0.0 < alpha < np.inf:
            raise InputError(f"must be positive, got {alpha}", key="alpha")
        mass = stationary(_log_chain(gains, float(alpha), int(population)))
        return AlphaRank(mass, float(alpha), np.concatenate([[alpha], mass])[np.newaxis, :], False)
    sizes = np.abs(gains[np.abs(gains) > 1e-12])
    if sizes.size == 0:
        mass = np.full(len(matrix), 1.0 / len(matrix))
        return AlphaRank(mass, 0.0, np.concatenate([[0.0], mass])[np.newaxis, :], True)
    intensity, enough = 0.1 / (population * float(sizes.max())), 40.0 / float(sizes.min())
    rows: list[FloatArray] = []
    settled, last = False, np.zeros(len(matrix))
    while not settled and intensity < 1e300:
        mass = stationary(_log_chain(gains, intensity, int(population)))
        rows.append(np.concatenate([[intensity], mass]))
        settled = intensity >= enough and float(np.abs(mass - last).max()) <= tolerance
        last = mass
        intensity *= 2.0
    return AlphaRank(last, float(rows[-1][0]), np.array(rows), settled)


def _log_chain(gains: FloatArray, alpha: npt.ArrayLike, population: int) -> FloatArray:
    """Logarithms of the chain's transition rates from ``s`` (row) to ``r`` (column), off the diagonal.

    ``gains[..., r, s]`` is what ``r`` gains on ``s``; the factor 1 / (n - 1) of all rates is left out.
    """
    u = np.swapaxes(gains, -1, -2) * np.asarray(alpha, dtype=np.float64)[..., np.newaxis, np.newaxis]
    size = np.abs(u)
    with np.errstate(divide="ignore", invalid="ignore"):
        # rho(-u) = e^-(m - 1)u rho(u)
        rate = np.log(-np.expm1(-size)) - np.log(-np.expm1(-population * size))
        rate = np.where(u < 0, rate - (population - 1) * size, rate)
    chain: FloatArray = np.where(population * size < 1e-12, -np.log(population), rate)
    return chain


def stationary(log_rates: FloatArray) -> FloatArray:
    """The stationary distribution of chains given by logarithms of their rates; the diagonal is ignored.

    Shape (..., n, n), from row to column; returns (..., n). State by state is taken out of the chain (Grassmann,
    Taksar and Heyman 1985), in logarithms: sums and quotients of positive numbers only.
    """
    rates = np.array(log_rates, dtype=np.float64)
    n = rates.shape[-1]
    leave = np.zeros(rates.shape[:-1])
    for k in range(n - 1, 0, -1):
        leave[..., k] = special.logsumexp(rates[..., k, :k], axis=-1)
        through = rates[..., :k, k, np.newaxis] + (rates[..., k, :k] - leave[..., k, np.newaxis])[..., np.newaxis, :]
        rates[..., :k, :k] = np.logaddexp(rates[..., :k, :k], through)
    mass = np.zeros(rates.shape[:-1])
    for k in range(1, n):
        mass[..., k] = special.logsumexp(mass[..., :k] + rates[..., :k, k], axis=-1) - leave[..., k]
    mass = np.exp(mass - special.logsumexp(mass, axis=-1, keepdims=True))
    result: FloatArray = mass / mass.sum(axis=-1, keepdims=True)
    return result


# ------------------------------------------------------------------------------------------------ measured matrices


def equilibrium_table(names: Sequence[str], scores: npt.ArrayLike, errors: npt.ArrayLike, *, level: float = 0.95,
                      replicates: int = 2000, seed: int = 0, population: int = 50) -> pd.DataFrame:
    """Nash averaging and alpha-rank of a measured matrix, with intervals by parametric bootstrap over the matrix.

    Parameters
    ----------
    names : the n policies.
    scores : shape (n, n), the score in [0, 1] of row against column; the two of a pair add up to 1. The diagonal is
        not read.
    errors : shape (n, n), standard errors, if the pairs are independent; or the covariance of the scores of the pairs
        (0, 1), (0, 2) .. (1, 2) .., shape (n (n - 1) / 2,) * 2, for policies that met on the same deals.
    level : of the intervals of one column together (Sidak over the policies).
    replicates, seed : normal draws of the matrix (clipped to [0, 1]), and their seed.

    Columns ``policy``; ``nash`` (share of the maximum-entropy equilibrium), ``skill`` (score against that equilibrium
    less 1/2), ``mass`` (of alpha-rank), each with ``_low`` and ``_high`` (percentiles, made to hold the estimate);
    ``replicates, level, family_size``. A share of a replicate is a share of *its* equilibrium. Raises InputError for
    shapes that do not match and scores that do not add up to 1.
    """
    n = len(names)
    matrix, spread = payoff_matrix(scores, "scores"), payoff_matrix(errors, "errors")
    rows, columns = np.triu_indices(n, 1)
    if n < 2 or matrix.shape != (n, n):
        raise InputError(f"shape {matrix.shape} for {n} policies", key="scores", allowed="square, 2 policies or more")
    above = matrix[rows, columns]
    if np.abs(above + matrix[columns, rows] - 1.0).max() > 1e-9 or (above < 0).any() or (above > 1).any():
        raise InputError("holds a pair whose scores do not add up to 1", key="scores", allowed="0 to 1")
    if replicates != int(replicates) or replicates < 100:
        raise InputError(f"must be at least 100, got {replicates}", key="replicates")
    if spread.shape == (n, n) and (n != 3 or (np.diag(spread) == 0).all()):
        root = np.diag(spread[rows, columns])
    elif spread.shape == (len(rows), len(rows)):
        values, vectors = linalg.eigh((spread + spread.T) / 2.0)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
    else:
        raise InputError(f"shape {spread.shape} for {n} policies", key="errors",
                         allowed=f"({n}, {n}) with a diagonal of 0, or ({len(rows)}, {len(rows)})")
    payoffs = np.zeros((n, n))
    payoffs[rows, columns], payoffs[columns, rows] = above - 0.5, 0.5 - above
    average, ranked = nash_average(payoffs), alpha_rank(payoffs, population=population)

    draws = np.random.default_rng(seed).standard_normal((int(replicates), len(rows))) @ root.T
    drawn = np.zeros((int(replicates), n, n))
    drawn[:, rows, columns] = np.clip(above + draws, 0.0, 1.0) - 0.5
    drawn -= np.swapaxes(drawn, 1, 2)
    mixtures = _mixtures(drawn)
    skills = np.minimum(np.einsum("rij,rj->ri", drawn, mixtures), 0.0)
    masses = _limit_masses(drawn, int(population))
    tail = (1.0 - adjusted_level(n, check_level(level))) / 2.0
    table = pd.DataFrame({"policy": list(names)})
    for name, estimate, values in (("nash", average.mixture, mixtures), ("skill", average.skill, skills),
                                   ("mass", ranked.mass, masses)):
        low, high = np.quantile(values, [tail, 1.0 - tail], axis=0)
        table = table.assign(**{name: estimate, f"{name}_low": np.minimum(low, estimate),
                                f"{name}_high": np.maximum(high, estimate)})
    return table.assign(replicates=int(replicates), level=float(level), family_size=n)


def _mixtures(drawn: FloatArray) -> FloatArray:
    """The equilibrium of each matrix. Supports seen before are tried first: a check costs less than a program."""
    supports: list[npt.NDArray[np.bool_]] = []
    mixtures = np.empty(drawn.shape[:2])
    for at, matrix in enumerate(drawn):
        for place, support in enumerate(supports[:12]):
            mixture = equilibrium_on(matrix, support)
            if mixture is not None:
                supports.insert(0, supports.pop(place))
                break
        else:
            mixture = nash_average(matrix).mixture
            supports.insert(0, mixture > _TINY)
        mixtures[at] = mixture
    return mixtures


def _limit_masses(drawn: FloatArray, population: int) -> FloatArray:
    """alpha-rank of each matrix at an intensity at which its smallest difference decides almost surely."""
    gains = drawn - np.swapaxes(drawn, 1, 2)
    sizes = np.where(np.abs(gains) > 1e-12, np.abs(gains), np.inf).min(axis=(1, 2))
    return stationary(_log_chain(gains, 80.0 / np.where(np.isfinite(sizes), sizes, 1.0), population))
