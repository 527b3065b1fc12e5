"""Advice: what every action of a position is worth, and what may lie face down.

Definitions. The *winning chance* of an action is the mean score (1 a win, 1/2 a draw) of the side that decides, when
it takes that action in a hidden world (:mod:`.worlds`) and both sides play on by the policies that are assumed. All
actions share worlds and decision streams. Intervals of the chances hold simultaneously over the actions, those of the
differences over all pairs of actions, so that they stay valid although the best action is found from the same rollouts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue import engine as e
from agentsim.games.agent_avenue.advice.mode_rollouts import roll_out_modes
from agentsim.games.agent_avenue.advice.mode_worlds import hidden_mode_cards
from agentsim.games.agent_avenue.advice.rollouts import roll_out
from agentsim.games.agent_avenue.advice.worlds import hidden_cards
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.actions import Action, Discard, Offer, Take
from agentsim.games.agent_avenue.modes.policies.minds import minds_for
from agentsim.games.agent_avenue.modes.policies.space import mode_scratch_space, mode_work_space
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.playing import Player, make_player, padded_rows, user_functions
from agentsim.games.agent_avenue.policies.exchange import SCRATCH_SIZE
from agentsim.games.agent_avenue.policies.planner import work_space
from agentsim.games.agent_avenue.step import GameState
from agentsim.games.agent_avenue.view import DISCARD
from agentsim.games.base import PolicyRef
from agentsim.stats import Interval, adjusted_level, critical_value
from agentsim.stats.clustered import bounded_mean
from agentsim.stats.intervals import wilson

__all__ = ["MAX_WORLDS", "WORLDS", "ActionValue", "Advice", "HiddenCard", "Rollouts", "advise", "play_out"]

State = GameState | ModeState
WORLDS = 10_000
"""Worlds that are played where nothing else is said."""
MAX_WORLDS = 2_000_000
_PILOT = 1_000
_CHUNK = 250


@dataclass(frozen=True)
class ActionValue:
    """An action, its winning chance, and how far it is behind the best one.

    ``behind``: the best action's chance minus this one's, over the same worlds. ``close``: it may be as good as the
    best (the interval of ``behind`` holds 0).
    """

    action: Action
    chance: Interval
    behind: Interval
    close: bool


@dataclass(frozen=True)
class HiddenCard:
    """How likely an agent lies face down: by the copies not seen, and given that the opponent plays as assumed.

    ``by_policy`` is None if the assumed policy would not make the offer from any hand that was tried.
    """

    name: str
    by_count: float
    by_policy: Interval | None


@dataclass(frozen=True)
class Advice:
    """The actions of a position, best first. ``hidden``: likeliest first, empty if nothing lies face down.

    ``misfits``: the share of worlds in which the assumed opponent would not have made the offer from any hand tried;
    what lies face down is random in those.
    """

    position: State
    seat: int
    actions: tuple[ActionValue, ...]
    hidden: tuple[HiddenCard, ...]
    n_worlds: int
    misfits: float
    seed: int
    mine: PolicyRef
    theirs: PolicyRef
    level: float

    @property
    def best(self) -> ActionValue:
        return self.actions[0]

    def of(self, action: Action) -> ActionValue:
        """What was found of an action. Raises KeyError for one that is not legal."""
        for value in self.actions:
            if value.action == action:
                return value
        raise KeyError(str(action))


@dataclass(frozen=True)
class Rollouts:
    """Raw results: ``scores`` (worlds, actions) in half-points, the card face down and whether it fits by world."""

    scores: NDArray[np.int8]
    hidden: NDArray[np.int8]
    fits: NDArray[np.int8]


def advise(position: State, *, mine: PolicyRef, theirs: PolicyRef, games: int | None = None,
           precision: float | None = None, seed: int = 1, level: float = 0.95, family: int = 1,
           progress: Callable[[int, int], None] | None = None) -> Advice:
    """What every legal action of a position is worth to the side that decides in it.

    Parameters
    ----------
    position : of the step API; what its decider does not see does not influence the answer.
    mine, theirs : how both sides are thought to play on; ``theirs`` also tells what an offer says of the hidden card.
    games : worlds, each of which every action is played on in (default 10,000).
    precision : instead, as many worlds as bring every difference to the best action to +-precision (a share), judged by
        the first 1,000; with ``games`` at most so many.
    seed : of worlds and decisions. family : comparisons like this one that the intervals are to hold for together.
    progress : called with the rollouts done and wanted.

    Raises InputError if the game is over, and for policies with Python methods.
    """
    if position.is_over:
        raise InputError("the game is over: there is nothing to decide", key="position")
    legal = position.legal_actions()
    most = games if games is not None else WORLDS if precision is None else MAX_WORLDS
    first = min(most, _PILOT) if precision is not None else most
    found = play_out(position, legal, mine=mine, theirs=theirs, seed=seed, first=0, n=first, progress=progress)
    n_pairs = max(len(legal) * (len(legal) - 1) // 2, 1) * family
    if precision is not None and first < most:
        wanted = _needed(found.scores, precision, critical_value(n_pairs, level), most)
        if wanted > first:
            more = play_out(position, legal, mine=mine, theirs=theirs, seed=seed, first=first, n=wanted - first,
                            progress=progress)
            found = Rollouts(*(np.concatenate([getattr(found, name), getattr(more, name)])
                               for name in ("scores", "hidden", "fits")))
    return Advice(position, position.to_move, _values(legal, found.scores, level, family, n_pairs),
                  _hidden(position, found, level), len(found.fits), float(1 - found.fits.mean()), seed, mine, theirs,
                  level)


def play_out(position: State, actions: Sequence[Action], *, mine: PolicyRef, theirs: PolicyRef, seed: int, first: int,
             n: int, progress: Callable[[int, int], None] | None = None) -> Rollouts:
    """Play actions on in the worlds ``first .. first + n - 1`` of a seed; see :func:`advise`."""
    players = [make_player(ref, position.rules) for ref in (mine, theirs)]
    for player in players:
        if player.python is not None:
            raise InputError(f"policy '{player.ref.label}' is written in Python and steps through its games; rollouts "
                             "need compiled ones", key="policies", allowed="built-in or jitted policies")
    state = position.state.copy()
    codes = np.array(_codes(position, actions), dtype=np.int64)
    found = Rollouts(np.zeros((n, len(codes)), dtype=np.int8), np.full(n, -1, dtype=np.int8),
                     np.zeros(n, dtype=np.int8))
    run = _mode_runner(position, state, players) if isinstance(position, ModeState) else _runner(position, state,
                                                                                               players)
    for start in range(0, n, _CHUNK):
        part = slice(start, min(start + _CHUNK, n))
        offender = run(codes, np.uint64(seed), first + start, found.scores[part], found.hidden[part],
                       found.fits[part])
        if offender >= 0:
            raise InputError(f"policy '{players[offender].ref.label}' made an illegal move", key="policies",
                             allowed="an answer of those that the question allows")
        if progress is not None:
            progress(min(start + _CHUNK, n) * len(codes), n * len(codes))
    return found


_Runner = Callable[[Any, Any, int, Any, Any, Any], int]


def _runner(position: GameState, state: NDArray[np.int64], players: Sequence[Player]) -> _Runner:
    families, rows = np.array([player.family for player in players], dtype=np.int64), padded_rows(players)
    offers, takes, _ = user_functions(players) or (None, None, None)
    spaces = (np.zeros(e.STATE_SIZE, dtype=np.int64), np.zeros(e.STATE_SIZE, dtype=np.int64),
              np.zeros(SCRATCH_SIZE, dtype=np.int64), work_space())
    seat = position.to_move
    return lambda codes, seed, first, scores, hidden, fits: int(roll_out(
        state, position.table, seat, codes, seed, first, families, rows, offers, takes, scores, hidden, fits, *spaces))


def _mode_runner(position: ModeState, state: NDArray[np.int64], players: Sequence[Player]) -> _Runner:
    # The order of what is left of the market pile is nobody's knowledge; sorted, it is the same for every source.
    state[x.PILE + int(state[x.BOARD]):x.PILE + int(state[x.N_PILE])].sort()
    families, rows = np.array([player.family for player in players], dtype=np.int64), padded_rows(players)
    minds, users = minds_for([player.family for player in players]), user_functions(players)
    spaces = (np.zeros(x.MODE_STATE, dtype=np.int64), np.zeros(x.MODE_STATE, dtype=np.int64), mode_scratch_space(),
              mode_work_space())
    return lambda codes, seed, first, scores, hidden, fits: int(roll_out_modes(
        state, position.table, codes, seed, first, families, rows, minds, users, scores, hidden, fits, *spaces))


def _codes(position: State, actions: Sequence[Action]) -> list[int]:
    """The engine's numbers of actions."""
    if isinstance(position, ModeState):
        known = dict(position.legal_answers())
        return [known[action] for action in actions]
    names = position.rules.names
    codes = []
    for action in actions:
        if isinstance(action, Offer):
            codes.append(16 * names.index(action.face_up) + names.index(action.face_down))
        elif isinstance(action, Discard):
            codes.append(DISCARD + names.index(action.name))
        else:
            codes.append(int(action == Take("face_up")))
    return codes


# --- what follows from the scores -------------------------------------------------------------------------------------
def _needed(scores: NDArray[np.int8], precision: float, z: float, most: int) -> int:
    """Worlds for every difference to the best action to be known to +-precision."""
    half = scores.astype(np.float64) / 2
    best = int(half.mean(axis=0).argmax())
    spread = float((half[:, best, np.newaxis] - half).std(axis=0).max())
    return int(min(max(np.ceil((z * spread / precision) ** 2), len(scores)), most))


def _values(legal: Sequence[Action], scores: NDArray[np.int8], level: float, family: int,
            n_pairs: int) -> tuple[ActionValue, ...]:
    n, n_actions = scores.shape
    means = scores.mean(axis=0, dtype=np.float64) / 2
    # Equal means stand in table order.
    order = sorted(range(n_actions), key=lambda number: (-means[number], number))
    best = order[0]
    one, pair = adjusted_level(n_actions * family, level), adjusted_level(n_pairs, level)
    values = []
    for number in order:
        column = scores[:, number]
        chance = bounded_mean(float(means[number]), float(column.var(dtype=np.float64)) / 4, n, games=n, level=one,
                              bounds=(0.0, 1.0), method="rollouts")
        if number == best:
            behind = Interval(0.0, 0.0, 0.0, n, pair, "paired-rollouts", n, 2 * n)
        else:
            gap = scores[:, best] - column
            behind = bounded_mean(float(gap.mean(dtype=np.float64)) / 2, float(gap.var(dtype=np.float64)) / 4, n,
                                  games=2 * n, level=pair, bounds=(-1.0, 1.0), method="paired-rollouts")
        values.append(ActionValue(legal[number], chance, behind, number == best or behind.low <= 0.0))
    return tuple(values)


def _hidden(position: State, found: Rollouts, level: float) -> tuple[HiddenCard, ...]:
    state, names = position.state, position.rules.names
    if position.question != "take" if isinstance(position, ModeState) else state[e.PHASE] != e.TAKING:
        return ()
    up = int(state[e.UP])
    known, m = [0] * len(names), 1
    if isinstance(position, ModeState):
        slot = 2 * position.active + int(state[x.DOWN_MEMBER])
        known = [int(state[x.SHOWN + slot]) >> 4 * name & 15 for name in range(len(names))]
        single = position.players(position.active) == 1
        m = _size(int(state[x.OFFER_UP_HAND])) - 1 if single else _size(int(state[x.OFFER_DOWN_HAND]))
        pool = int(hidden_mode_cards(state, position.table))
    else:
        pool = int(hidden_cards(state, position.table, position.to_move))
    unseen = [pool >> 4 * name & 15 for name in range(len(names))]
    open_, total = sum(known), sum(unseen)
    # A card of that hand is one of those known to be in it, or any unseen one.
    weight = [copies + (m - open_) * left / total for copies, left in zip(known, unseen, strict=True)]
    if any(share > 0 for name, share in enumerate(weight) if name != up):
        weight[up] = 0.0
    fits = found.hidden[found.fits == 1]
    possible = [name for name, share in enumerate(weight) if share > 0 or (fits == name).any()]
    each = adjusted_level(max(len(possible), 1), level)
    cards = [HiddenCard(names[name], weight[name] / sum(weight),
                        wilson(int((fits == name).sum()), len(fits), each) if len(fits) else None)
             for name in possible]
    return tuple(sorted(cards, key=lambda card: (-(card.by_policy.estimate if card.by_policy else card.by_count),
                                                 card.name)))


def _size(zone: int) -> int:
    return sum(zone >> 4 * name & 15 for name in range(16))
