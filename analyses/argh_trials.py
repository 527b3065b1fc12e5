"""The experiments behind the ARGH page, played; nothing is concluded here.

Every experiment is played for two, three and four players. *Levels* are mirrors: all seats play the same policy.

- *mirrors*: whole games of each level, kept by game,
- *cards*, *offers*, *thefts*: one fork per deal of each level (kinds ``chance``, ``offer`` and ``steal`` of
  :mod:`agentsim.games.argh.forks`),
- *coin*: games of ``random`` with their turns, for its answers, which are a coin of their own,
- *answers*: forks at offers that one preset gets from the last level (two players),
- *presets*: every policy as the one among others, all of one level.

Each has a seed of its own (the given one plus 0, 1, 2 ...), so they are independent of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.experiment import build_experiment
from agentsim.games.argh.forks import FORK_COLUMNS
from agentsim.games.base import SHARE_PARTS, Batch, Game, LogLevel, PolicyRef, Session
from agentsim.simulation.parts import add_tally
from agentsim.simulation.progress import Meter
from agentsim.simulation.worker import warm_up
from agentsim.standings import Standing, standings
from agentsim.stats import adjusted_level

__all__ = ["GAMES", "PLAYERS", "Cell", "Games", "Trial", "coin_sums", "levels_of", "play_trials"]

GAMES = 60_000
"""Games of each mirror in a report of standard size; the other experiments follow in proportion."""
PLAYERS = (2, 3, 4)
LEVELS = ("random", "expert")
"""Levels of play, weakest first, where the run has them."""
CHUNK = 1 << 14
"""Deals per task."""
_CARDS, _OFFERS, _THEFTS, _COIN = 2.5, 1.0, 2.0, 4.0
_ANSWERS, _PRESETS, _PILOT = 0.4, 0.2, 2000

Cell = tuple[int, str]
"""Number of players, and level of play."""
Stage = Callable[[str, int], Meter]
_T = TypeVar("_T")


class ForkSession(Protocol):
    """What ARGH's session offers beyond :class:`agentsim.games.base.Session`."""

    def play(self, matchup: int, first_deal: int, n_deals: int, log: LogLevel) -> Batch: ...

    def forks(self, kind: str, matchup: int, first_deal: int, n_deals: int, *, horizon: int,
              slot: int | None = None) -> NDArray[np.int64]: ...


@dataclass(frozen=True)
class Games:
    """Games of a mirror, one row each: win ``shares`` [game, seat] as fractions, ``reason`` [game] (index into
    ``END_REASONS``), ``out`` [game, seat] (an odd number of spies at the end), ``turns`` [game]."""

    shares: NDArray[np.float64]
    reason: NDArray[np.int64]
    out: NDArray[np.bool_]
    turns: NDArray[np.int64]


@dataclass(frozen=True)
class Trial:
    """What was played. Forks are tables with the columns ``FORK_COLUMNS``; ``coin`` as :func:`coin_sums` makes it;
    ``presets``: the standings of one among others, by number of players and level of the others."""

    seed: int
    levels: tuple[str, ...]
    names: tuple[str, ...]
    mirrors: dict[Cell, Games] = field(repr=False)
    cards: dict[Cell, pd.DataFrame] = field(repr=False)
    offers: dict[Cell, pd.DataFrame] = field(repr=False)
    thefts: dict[Cell, pd.DataFrame] = field(repr=False)
    coin: dict[Cell, pd.DataFrame] = field(repr=False)
    answers: dict[str, pd.DataFrame] = field(repr=False)
    presets: dict[Cell, list[Standing]] = field(repr=False)


def levels_of(policies: Sequence[PolicyRef]) -> tuple[PolicyRef, ...]:
    """The levels of play of a run: ``random`` and ``expert``, or its first and its last policy."""
    by_label = {policy.label: policy for policy in policies}
    found = tuple(by_label[label] for label in LEVELS if label in by_label)
    if len(found) == len(LEVELS):
        return found
    return (policies[0], policies[-1])[:len(policies)]


def play_trials(game: Game, settings: dict[str, Any], policies: Sequence[PolicyRef], seed: int, games: int = GAMES, *,
                workers: int = 1, stage: Stage | None = None) -> Trial:
    """Play all experiments.

    Parameters
    ----------
    settings : the rules' keys; the number of players is set here.
    policies : those that are looked at; the levels are taken from them (:func:`levels_of`).
    games : games of each mirror; everything else is in proportion.
    workers : how many stretches of deals at a time; results do not depend on it.
    stage : asked for a meter as each experiment begins, with what it is and its number of games.

    Raises InputError for fewer than one game.
    """
    if games < 1:
        raise InputError(f"must be a whole number from 1, got {games}", key="games")
    meters = stage or (lambda title, total: Meter(None, 0, total))
    levels = levels_of(policies)
    rules = {players: game.rules({**settings, "rules.players": players}) for players in PLAYERS}
    cells = [(players, level) for players in PLAYERS for level in levels]

    def session(players: int, matchup: Sequence[PolicyRef], at: int) -> ForkSession:
        found: Any = game.session(rules[players], [matchup], (seed + at) % 2**64)
        return found  # type: ignore[no-any-return]

    mirrors, cards, offers, thefts, coin = ({} for _ in range(5))  # type: ignore[var-annotated]
    meter = _ready(meters("ARGH: mirrors", games * len(cells)), session(2, (levels[0],) * 2, 0))
    for players, level in cells:
        mirrors[players, level.label] = _mirror(session(players, (level,) * players, 0), players, games, workers, meter)
    for at, (kind, title, share, table) in enumerate((
            ("chance", "cards", _CARDS, cards), ("offer", "offers", _OFFERS, offers),
            ("steal", "thefts", _THEFTS, thefts)), 1):
        deals = max(1, round(share * games))
        meter = meters(f"ARGH: {title}, continued twice", 2 * deals * len(cells))
        meter.start()
        for players, level in cells:
            horizon = int(mirrors[players, level.label].turns.max())
            table[players, level.label] = _forks(session(players, (level,) * players, at), kind, deals, horizon,
                                                 workers, meter)
    chance = [level for level in levels if level.family == "random"]
    deals = max(1, round(_COIN * games))
    meter = meters("ARGH: random's own coin", deals * len(chance) * len(PLAYERS))
    meter.start()
    for players, level in ((players, level) for players in PLAYERS for level in chance):
        coin[players, level.label] = _coin(session(players, (level,) * players, 4), rules[players].names, deals,
                                           int(mirrors[players, level.label].turns.max()), workers, meter)
    answers = _answers(session, policies, levels[-1], games, workers, meters)
    presets = _presets(game, settings, policies, levels, (seed + 6) % 2**64, games, workers, meters)
    return Trial(seed, tuple(level.label for level in levels), rules[2].names, mirrors, cards, offers, thefts, coin,
                 answers, presets)


# ------------------------------------------------------------------------------------------------ the experiments


def _mirror(session: ForkSession, players: int, games: int, workers: int, meter: Meter) -> Games:
    def one(first: int, count: int) -> Games:
        table = session.play(0, first, count, "games").tables["games"]
        seats = range(players)
        return Games(np.stack([table[f"share_{seat}"] for seat in seats], axis=1) / SHARE_PARTS,
                     table["end_reason"].astype(np.int64),
                     np.stack([~table[f"even_spies_{seat}"].astype(bool) for seat in seats], axis=1),
                     table["n_turns"].astype(np.int64))

    parts = _each(one, games, workers, meter, 1)
    return Games(*(np.concatenate([getattr(part, name) for part in parts])
                   for name in ("shares", "reason", "out", "turns")))


def _forks(session: ForkSession, kind: str, deals: int, horizon: int, workers: int, meter: Meter,
           slot: int | None = None) -> pd.DataFrame:
    parts = _each(lambda first, count: session.forks(kind, 0, first, count, horizon=horizon, slot=slot), deals,
                  workers, meter, 2)
    return pd.DataFrame(np.concatenate(parts), columns=list(FORK_COLUMNS))


def _coin(session: ForkSession, names: Sequence[str], deals: int, horizon: int, workers: int, meter: Meter
          ) -> pd.DataFrame:
    def one(first: int, count: int) -> pd.DataFrame:
        turns = session.play(0, first, count, "turns").tables["turns"]
        offers = (turns["accepted"] >= 0) & (turns["turn"] < horizon)
        return coin_sums(turns["card"][offers], turns["accepted"][offers], turns["share_other"][offers], names)

    parts = _each(one, deals, workers, meter, 1)
    total = parts[0].set_index("card")
    for part in parts[1:]:
        total = total + part.set_index("card")
    return total.reset_index()


def coin_sums(card: NDArray[Any], accepted: NDArray[Any], share: NDArray[Any], names: Sequence[str]) -> pd.DataFrame:
    """Offers by card and answer, with exact sums of the asked player's win share in twelfths.

    ``card, accepted, share``: one entry per offer. Columns ``card``; ``n_1, sum_1, squares_1`` of the accepted,
    ``n_0, sum_0, squares_0`` of the refused. A card is drawn once per game, so offers of one card are independent.
    """
    whole = share.astype(np.int64)
    found: dict[str, Any] = {"card": list(names)}
    for answer in (1, 0):
        here = accepted == answer
        for name, weights in (("n", None), ("sum", whole[here]), ("squares", whole[here] ** 2)):
            found[f"{name}_{answer}"] = np.bincount(card[here], weights=weights, minlength=len(names)).astype(np.int64)
    return pd.DataFrame(found)


def _answers(session: Callable[[int, Sequence[PolicyRef], int], ForkSession], policies: Sequence[PolicyRef],
             field_of: PolicyRef, games: int, workers: int, meters: Stage) -> dict[str, pd.DataFrame]:
    deals = max(2, round(_ANSWERS * games))
    meter = meters("ARGH: answers of presets", 2 * deals * len(policies))
    meter.start()
    found = {}
    for policy in policies:
        table = session(2, (policy, field_of), 5)
        pilot = table.play(0, 0, min(_PILOT, deals), "games").tables["games"]["n_turns"]
        # In a mirror both seats are this policy.
        found[policy.label] = _forks(table, "offer", deals, int(pilot.max()), workers, meter,
                                     None if policy == field_of else 0)
    return found


def _presets(game: Game, settings: dict[str, Any], policies: Sequence[PolicyRef], levels: Sequence[PolicyRef],
             seed: int, games: int, workers: int, meters: Stage) -> dict[Cell, list[Standing]]:
    everybody = list(policies)
    deals = {players: max(1, round(_PRESETS * games / players)) for players in PLAYERS}
    fields = [level for level in levels if len(everybody) > 1]
    meter = meters("ARGH: one preset among others",
                   sum(deals[players] * players for players in PLAYERS) * len(fields) * (len(everybody) - 1))
    meter.start()
    # The intervals of all tables hold together: Sidak over the tables, then over the parties of each.
    level = adjusted_level(max(1, len(PLAYERS) * len(fields)))
    found = {}
    for players in PLAYERS:
        for other in fields:
            lineups = [(one.label, *(other.label,) * (players - 1)) for one in everybody if one != other]
            plan = build_experiment(everybody, game=game.name, games=players * deals[players], seed=seed,
                                    settings={**settings, "rules.players": players}, matchups=lineups)
            session = game.session(plan.rules(), plan.pairings(), plan.seed)
            tallies = []
            for matchup in range(len(lineups)):
                total: dict[str, NDArray[np.int64]] | None = None
                for part in _each(_counts(session, matchup), deals[players], workers, meter, players):
                    total = add_tally(total, part)
                tallies.append(total or {})
            found[players, other.label] = standings(plan, tallies, level)
    return found


def _counts(session: Session, matchup: int) -> Callable[[int, int], dict[str, NDArray[np.int64]]]:
    return lambda first, count: session.play(matchup, first, count, "none").tally


# ------------------------------------------------------------------------------------------------ playing


def _ready(meter: Meter, session: ForkSession) -> Meter:
    """The meter, started when what it is to measure has been compiled."""
    warm_up(lambda: (session.play(0, 0, 1, "games"), session.forks("chance", 0, 0, 1, horizon=1)), meter)
    meter.start()
    return meter


def _each(call: Callable[[int, int], _T], deals: int, workers: int, meter: Meter, weight: int) -> list[_T]:
    """The parts of ``deals`` deals in their order; ``call`` takes the first deal and how many."""
    def one(first: int) -> _T:
        count = min(CHUNK, deals - first)
        found = call(first, count)
        meter.advance(weight * count)
        return found

    with ThreadPoolExecutor(max_workers=max(1, workers)) as crew:
        try:
            return list(crew.map(one, range(0, deals, CHUNK)))
        except BaseException:
            crew.shutdown(wait=False, cancel_futures=True)
            raise
