"""Fitting the network: stochastic gradient descent (Adam; Kingma and Ba 2015, arXiv:1412.6980) on log loss.

Features are lists, so a position costs a few dozen rows of weights, forward and back.
"""

from __future__ import annotations

import math

import numpy as np

from agentsim.games.agent_avenue.solver.advanced.features import HAND, N_FEATURES
from agentsim.games.agent_avenue.solver.advanced.network import WIDTH
from agentsim.jit import jit
from agentsim.rng import combine, unit, word

__all__ = ["blend", "epoch", "log_odds_of", "shuffle"]

_BETA, _BETA_2 = np.float32(0.9), np.float32(0.999)
_TINY = np.float32(1e-8)


@jit
def _forward(weights, row, told, sums):
    """Fill the sums of a position; returns its log-odds. ``told``: whether the hand counts."""
    for lane in range(WIDTH):
        sums[lane] = weights[N_FEATURES, lane]
    for at in range(row.shape[0]):
        feature = row[at]
        if feature < 0 or (feature >= HAND and not told):
            break
        for lane in range(WIDTH):
            sums[lane] += weights[feature, lane]
    total = sums[WIDTH - 1]
    for lane in range(WIDTH - 1):
        total += max(sums[lane], np.float32(0.0)) * weights[N_FEATURES + 1, lane]
    return total


@jit
def log_odds_of(weights, positions, told, sums, out):
    """Fill ``out`` (m,) with the log-odds of positions (m, features.MOST), all with or all without the hand."""
    for at in range(positions.shape[0]):
        out[at] = _forward(weights, positions[at], told, sums)


@jit
def blend(scores, chances, sides, games, trust, targets):
    """Fill ``targets`` (m,): what is expected of positions in the order of play, by result and by what came next.

    A game's last position counts as its result says; each one before as the next one's target, to which the next one's
    ``chances`` add the share ``trust``: TD(lambda) with lambda = 1 - trust (Sutton 1988). Told from the side in front.
    """
    for at in range(scores.shape[0] - 1, -1, -1):
        targets[at] = scores[at]
        if at + 1 < scores.shape[0] and games[at + 1] == games[at]:
            following = np.float32(trust * chances[at + 1] + (1.0 - trust) * targets[at + 1])
            targets[at] = following if sides[at + 1] == sides[at] else np.float32(1.0) - following


@jit
def epoch(weights, moments, seconds, positions, scores, order, stream, batch, rate, decay, step, slopes, sums):
    """Go once through positions in an order; returns how many steps there have been.

    weights, moments, seconds, slopes : float32 (N_FEATURES + 2, WIDTH): the network, Adam's moments, work space
    stream : random stream; each position shows its hand or not, by half
    rate, decay : length of a step; how much a step shrinks the weights; ``step``: steps before
    """
    n = order.shape[0]
    rate, decay = np.float32(rate), np.float32(decay)
    for first in range(0, n, batch):
        last = min(first + batch, n)
        for row in range(N_FEATURES + 2):
            for lane in range(WIDTH):
                slopes[row, lane] = np.float32(0.0)
        share = np.float32(1.0 / (last - first))
        for at in range(first, last):
            row = positions[order[at]]
            told = unit(word(stream, order[at])) < 0.5
            odds = _forward(weights, row, told, sums)
            miss = (np.float32(1.0 / (1.0 + math.exp(-odds))) - scores[order[at]]) * share
            for lane in range(WIDTH - 1):
                slopes[N_FEATURES + 1, lane] += miss * max(sums[lane], np.float32(0.0))
                sums[lane] = miss * weights[N_FEATURES + 1, lane] if sums[lane] > 0 else np.float32(0.0)
            sums[WIDTH - 1] = miss
            for lane in range(WIDTH):
                slopes[N_FEATURES, lane] += sums[lane]
            for place in range(row.shape[0]):
                feature = row[place]
                if feature < 0 or (feature >= HAND and not told):
                    break
                for lane in range(WIDTH):
                    slopes[feature, lane] += sums[lane]
        step += 1
        correction = np.float32(math.sqrt(1.0 - 0.999**step) / (1.0 - 0.9**step))
        for row in range(N_FEATURES + 2):
            for lane in range(WIDTH):
                slope = slopes[row, lane]
                moments[row, lane] = _BETA * moments[row, lane] + (np.float32(1.0) - _BETA) * slope
                seconds[row, lane] = _BETA_2 * seconds[row, lane] + (np.float32(1.0) - _BETA_2) * slope * slope
                weights[row, lane] -= rate * (correction * moments[row, lane]
                                              / (np.float32(math.sqrt(seconds[row, lane])) + _TINY)
                                              + decay * weights[row, lane])
    return step


@jit
def shuffle(order, stream):
    """Put an order into a random one."""
    for at in range(order.shape[0] - 1, 0, -1):
        other = np.int64(unit(word(combine(stream, 1), at)) * (at + 1))
        order[at], order[other] = order[other], order[at]
