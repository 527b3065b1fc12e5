"""Fitting the two networks of kept hands: stochastic gradient descent (Adam; Kingma and Ba 2015, arXiv:1412.6980).

Turns are grouped by public state. What is maximised is the likelihood of the hands seen there: of the offerer's type
(the set of its names), which is likelier than drawn anew by ``exp`` of the terms of its subsets; and of the receiver's
copies, by Fisher's noncentral hypergeometric distribution.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.solver.hands import FEATURES, LEADS, OUTPUTS, fill_left, type_chances
from agentsim.games.agent_avenue.solver.states import CLASSES, MAX_NAMES, Space
from agentsim.jit import jit

__all__ = ["Network", "Offerers", "Receivers", "features_of", "fit", "loss_of", "offerers_of", "receivers_of"]

BATCH = 256
HEAVY = 10.0
"""A state seen more often counts as so many rows that none stands for more turns."""
_BETA, _BETA_2, _TINY = 0.9, 0.999, 1e-8
_HAND = 4

Floats = NDArray[np.float32]


class Network:
    """One hidden layer: FEATURES inputs of 0 or 1, ``width`` sums cut at 0, ``outputs`` numbers."""

    def __init__(self, width: int, outputs: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.parts: list[Floats] = [
            random.normal(0.0, 0.4, (FEATURES, width)).astype(np.float32), np.zeros(width, np.float32),
            random.normal(0.0, 0.1 / math.sqrt(width), (width, outputs)).astype(np.float32),
            np.zeros(outputs, np.float32)]
        self._means = [np.zeros_like(part) for part in self.parts]
        self._squares = [np.zeros_like(part) for part in self.parts]
        self._steps = 0

    def weights(self) -> Floats:
        """All weights in the order in which ``hands.py`` reads them."""
        return np.concatenate([part.ravel() for part in self.parts])

    def forward(self, inputs: Floats) -> tuple[Floats, Floats]:
        """The sums, cut at 0, and the outputs."""
        hidden = np.maximum(inputs @ self.parts[0] + self.parts[1], np.float32(0.0))
        return hidden, hidden @ self.parts[2] + self.parts[3]

    def step(self, inputs: Floats, hidden: Floats, slope: Floats, rate: float) -> None:
        """One step against ``slope``, the derivative of the loss by the outputs."""
        back = (slope @ self.parts[2].T) * (hidden > 0.0)
        slopes = inputs.T @ back, back.sum(0), hidden.T @ slope, slope.sum(0)
        self._steps += 1
        for part, each, mean, square in zip(self.parts, slopes, self._means, self._squares, strict=True):
            mean += (1.0 - _BETA) * (each - mean)
            square += (1.0 - _BETA_2) * (each * each - square)
            part -= rate * (mean / (1.0 - _BETA**self._steps)) / (
                np.sqrt(square / (1.0 - _BETA_2**self._steps)) + _TINY)


def features_of(states: NDArray[np.int64], space: Space) -> Floats:
    """What the networks read of public states, (n, FEATURES)."""
    inputs = np.zeros((len(states), FEATURES), np.float32)
    rows = np.arange(len(states))
    mine, theirs = states // space.side % space.side, states % space.side
    first = 0
    for digit in space.digit[space.digit > 0]:
        inputs[rows, first + CLASSES * (mine // digit % CLASSES) + theirs // digit % CLASSES] = 1.0
        first += CLASSES * CLASSES
    inputs[rows, FEATURES - LEADS + states // space.side**2] = 1.0
    return inputs


class Offerers:
    """Types that were held in public states, by state.

    ``states`` (m,); the types ``types[k]`` with weights ``turns[k]`` for ``first[i] <= k < first[i + 1]``.
    """

    outputs = OUTPUTS

    def __init__(self, space: Space, states: NDArray[np.int64], types: NDArray[np.int64], turns: Floats) -> None:
        key, place = np.unique(states * OUTPUTS + types, return_inverse=True)
        self.space, self.types = space, key % OUTPUTS
        self.turns = np.bincount(place, turns).astype(np.float32)
        self.states, self.first = np.unique(key // OUTPUTS, return_index=True)
        self.first = np.append(self.first, len(key))
        self.usual = np.zeros((len(self.states), OUTPUTS), np.float32)
        _fill_usual(self.states, space.copies, space.digit, space.n_names, space.side, space.hand, space.sets,
                    np.zeros(1 << MAX_NAMES), np.zeros(MAX_NAMES, np.int64), np.zeros(OUTPUTS), self.usual)
        # A set's log-odds are the sum of the terms of the sets that it holds.
        self.holds = ((space.sets[:, None] & space.sets) == space.sets).astype(np.float32)

    @property
    def total(self) -> Floats:
        """Turns of every state."""
        return np.add.reduceat(self.turns, self.first[:-1])

    def slope(self, rows: NDArray[np.int64], shares: Floats, outputs: Floats) -> tuple[Floats, float]:
        """The derivative of the loss of some states, and the loss."""
        seen = np.zeros((len(rows), OUTPUTS), np.float32)
        _fill_seen(self.first, self.types, self.turns, rows, seen)
        seen *= shares[:, None]
        odds = self.usual[rows] + outputs @ self.holds.T
        odds -= odds.max(axis=1, keepdims=True)
        odds -= np.log(np.exp(odds).sum(axis=1, keepdims=True))
        return (np.exp(odds) * seen.sum(axis=1, keepdims=True) - seen) @ self.holds, -float((seen * odds).sum())


class Receivers:
    """Copies that receivers held, by public state and face-up card. ``held`` (m, names): sums over ``turns`` (m,)."""

    outputs = MAX_NAMES

    def __init__(self, space: Space, states: NDArray[np.int64], ups: NDArray[np.int64], held: NDArray[np.uint8],
                 turns: Floats) -> None:
        key, place = np.unique(states * MAX_NAMES + ups, return_inverse=True)
        self.space, self.states, self.ups = space, key // MAX_NAMES, key % MAX_NAMES
        self.turns = np.bincount(place, turns)
        self.held = np.stack([np.bincount(place, turns * held[:, name]) for name in range(held.shape[1])], axis=1)

    @property
    def total(self) -> Floats:
        """Turns of every row."""
        return self.turns.astype(np.float32)

    def slope(self, rows: NDArray[np.int64], shares: Floats, outputs: Floats) -> tuple[Floats, float]:
        """The derivative of the loss of some rows, and the loss."""
        found, loss, space = np.zeros((len(rows), MAX_NAMES)), np.zeros(1), self.space
        _fill_slopes(self.states[rows], self.ups[rows], self.held[rows] * shares[:, None], self.turns[rows] * shares,
                     outputs.astype(np.float64), space.copies, space.digit, space.n_names, space.side, found, loss)
        return found.astype(np.float32), float(loss[0])


def offerers_of(space: Space, states: NDArray[np.int64], hands: NDArray[np.int64], turns: Floats) -> Offerers:
    """Turns grouped, of offerers that hold a whole hand; ``hands``: zones."""
    cards = _copies(hands, space.n_names)
    whole = cards.sum(axis=1) == space.hand
    names = ((cards > 0) << np.arange(space.n_names)).sum(axis=1)
    types = np.full(1 << space.n_names, -1)
    types[space.sets] = np.arange(len(space.sets))
    return Offerers(space, states[whole], types[names[whole]], turns[whole])


def receivers_of(space: Space, states: NDArray[np.int64], ups: NDArray[np.int64], hands: NDArray[np.int64],
                 turns: Floats) -> Receivers:
    """Turns grouped, of receivers that hold a whole hand."""
    cards = _copies(hands, space.n_names)
    whole = cards.sum(axis=1) == space.hand
    return Receivers(space, states[whole], ups[whole], cards[whole].astype(np.uint8), turns[whole])


def _copies(zones: NDArray[np.int64], names: int) -> NDArray[np.int64]:
    return np.stack([(zones >> 4 * name) & 15 for name in range(names)], axis=1)


def fit(network: Network, data: Offerers | Receivers, seed: int, passes: int, rate: float) -> None:
    """Fit a network in place; steps shorten from ``rate`` to a fiftieth."""
    random = np.random.default_rng(seed)
    total = data.total
    times = np.maximum(1, np.ceil(total / HEAVY)).astype(np.int64)
    rows, shares = np.repeat(np.arange(len(times)), times), np.repeat(1.0 / times, times).astype(np.float32)
    batches = len(rows) // BATCH + 1
    for number in range(passes):
        order = random.permutation(len(rows))
        for batch in range(batches):
            some = order[batch::batches]
            inputs = features_of(data.states[rows[some]], data.space)
            hidden, outputs = network.forward(inputs)
            slope, _ = data.slope(rows[some], shares[some], outputs)
            turns = float((total[rows[some]] * shares[some]).sum())
            network.step(inputs, hidden, slope / np.float32(turns),
                         rate * 50.0 ** (-(number * batches + batch) / (passes * batches)))


def loss_of(network: Network | None, data: Offerers | Receivers) -> float:
    """The mean of ``-log(chance)`` of the hands that were seen; without a network, of hands drawn anew."""
    total = 0.0
    for part in np.array_split(np.arange(len(data.states)), len(data.states) // 4096 + 1):
        outputs = np.zeros((len(part), data.outputs), np.float32)
        if network is not None:
            outputs = network.forward(features_of(data.states[part], data.space))[1]
        total += data.slope(part, np.ones(len(part), np.float32), outputs)[1]
    return total / float(data.total.sum())


@jit(_nrt=True)
def _fill_usual(states, copies, digit, n, side, hand, sets, work, left, chances, found):
    """The log of the chance of every type, drawn anew."""
    for at in range(states.shape[0]):
        fill_left(states[at] // side % side, states[at] % side, copies, digit, n, left)
        type_chances(left, n, hand, sets, chances, work)
        for t in range(sets.shape[0]):
            found[at, t] = math.log(max(chances[t], 1e-30))


@jit
def _fill_seen(first, types, turns, rows, seen):
    for at in range(rows.shape[0]):
        for k in range(first[rows[at]], first[rows[at] + 1]):
            seen[at, types[k]] = turns[k]


@jit(_nrt=True)
def _fill_slopes(states, ups, held, turns, outputs, copies, digit, n, side, found, loss):
    """Per row: expected copies minus those held; the loss but for what the outputs do not change."""
    ways, left = np.zeros((MAX_NAMES, _HAND + 1)), np.zeros(MAX_NAMES, np.int64)
    before, after = np.zeros((MAX_NAMES + 1, _HAND + 1)), np.zeros((MAX_NAMES + 1, _HAND + 1))
    before[0, 0] = after[n, 0] = 1.0
    for at in range(states.shape[0]):
        fill_left(states[at] // side % side, states[at] % side, copies, digit, n, left)
        left[ups[at]] -= 1
        for name in range(n):
            each, weight = math.exp(outputs[at, name]), 1.0
            for k in range(_HAND + 1):
                ways[name, k] = weight
                weight *= each * max(left[name] - k, 0) / (k + 1)
        # The weights of all hands of the names before one, and from one on.
        for name in range(n):
            for k in range(_HAND + 1):
                total = 0.0
                for j in range(k + 1):
                    total += before[name, j] * ways[name, k - j]
                before[name + 1, k] = total
        for back in range(n):
            name = n - 1 - back
            for k in range(_HAND + 1):
                total = 0.0
                for j in range(k + 1):
                    total += after[name + 1, j] * ways[name, k - j]
                after[name, k] = total
        every = before[n, _HAND]
        loss[0] += turns[at] * math.log(every)
        for name in range(n):
            expected = 0.0
            for k in range(1, _HAND + 1):
                for j in range(_HAND + 1 - k):
                    expected += k * ways[name, k] * before[name, j] * after[name + 1, _HAND - k - j]
            found[at, name] = turns[at] * expected / every - held[at, name]
            loss[0] -= outputs[at, name] * held[at, name]
