"""The experiments behind the worth of a Black Market card, played and counted; nothing is concluded here.

Every experiment is a mirror of one policy, so games are games of different deals:

- *picks*: whoever lands takes a card by chance (``rules.picks = uniform``), everything else is the policy's play,
- *forks*: the same, each game continued twice from its first pick, with the card and with a blank in its place,
- *blanks*: both again in a market with blanks added, to see whether they agree,
- *landings*: some of the games of *picks* with all their landings kept,
- *forced*: seat 0 begins with an ongoing card.

Each has a seed of its own (the given one plus 0, 1, 2 ...), so they are independent of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue.cards.market import Effect, MarketCard
from agentsim.games.agent_avenue.ruleset import MAX_PILE
from agentsim.games.base import Batch, Game, LogLevel, PolicyRef
from agentsim.simulation.progress import Meter
from agentsim.simulation.worker import warm_up
from agentsim.stats import fork_effects, pick_effects

__all__ = ["BLANK", "BLANKS", "Size", "Stage", "Trial", "check_market", "play_trials", "with_blanks"]

BLANK = "blank"
BLANKS = 5
"""Blanks added to the market of the agreement experiment, and what they are called."""
CHUNK = 1 << 15
"""Deals per task."""
PILOT = 40_000
"""Deals from which the number that a precision takes is found; they count."""

Counts = dict[str, NDArray[np.int64]]
Stage = Callable[[str, int], Meter]
_T = TypeVar("_T")


class MarketSession(Protocol):
    """What a session of the modes offers beyond :class:`agentsim.games.base.Session`."""

    def play(self, matchup: int, first_deal: int, n_deals: int, log: LogLevel) -> Batch: ...

    def warm_up(self, log: LogLevel) -> bool: ...

    def forks(self, matchup: int, first_deal: int, n_deals: int) -> Counts: ...

    def forced(self, card: int, matchup: int, first_deal: int, n_deals: int) -> Counts: ...


@dataclass(frozen=True)
class Size:
    """How much is played per policy: so many games, or as many as bring every interval to a half-width.

    ``precision`` is a difference of win rates (0.005: half a point) and asks for picks and forks; ``games`` fixes their
    number instead. At most ``limit`` games of each are played. The others: games of each experiment, of ``forced`` for
    each card; 0 leaves one out.
    """

    precision: float = 0.005
    games: int | None = None
    limit: int = 20_000_000
    blanks: int = 600_000
    landings: int = 60_000
    forced: int = 20_000


@dataclass(frozen=True)
class Trial:
    """What one policy's experiments counted. ``cards`` in table order; counters as the kernels name them."""

    policy: str
    cards: tuple[str, ...]
    seed: int
    picks: Counts = field(repr=False)
    n_picks: int
    forks: Counts = field(repr=False)
    n_forks: int
    blank_cards: tuple[str, ...]
    blank_picks: Counts = field(repr=False)
    blank_forks: Counts = field(repr=False)
    n_blanks: int
    landings: dict[str, NDArray[Any]] = field(repr=False)
    n_landings: int
    forced: dict[str, Counts] = field(repr=False)
    n_forced: int

    @property
    def n_games(self) -> int:
        """Games of all experiments; a fork counts as the two that it ends as."""
        return (self.n_picks + 2 * self.n_forks + (3 * self.n_blanks) + self.n_landings
                + self.n_forced * len(self.forced))


def check_market(rules: Any) -> None:
    """Refuse rules whose market cards cannot be measured. Raises InputError."""
    if not rules.advanced:
        raise InputError("has no Black Market", key="rules.mode", allowed="advanced")
    if rules.supply < 2:
        raise InputError("a supply of one card leaves nothing to compare", key="rules.supply", allowed="2 to 6")
    if rules.players == 3 and rules.lone == "both":
        # The two games of a deal are not independent, and the estimates count games.
        raise InputError("'both' plays each deal twice, and games must be independent here", key="rules.lone",
                         allowed="0 or 1")
    if len(rules.market_cards) < 2:
        raise InputError("has one card, which leaves nothing to compare", key="market", allowed="2 cards or more")


def with_blanks(rules: Any, blanks: int = BLANKS) -> tuple[Any, str]:
    """The same rules with blanks in the market, and what the blank is called."""
    taken = {card.id for card in rules.market_cards}
    name = next(name for name in (BLANK, *(f"{BLANK}_{at}" for at in range(2, 100))) if name not in taken)
    copies = min(blanks, MAX_PILE - len(rules.pile))
    if copies < 1:
        raise InputError(f"{len(rules.pile)} cards leave no room for a blank", key="market",
                         allowed=f"up to {MAX_PILE - 1} cards in the pile")
    blank = MarketCard(name, "instant", (Effect("nothing"),), copies=copies)
    return replace(rules, market_cards=(*rules.market_cards, blank)), name


# ------------------------------------------------------------------------------------------------ playing


def play_trials(
    game: Game, rules: Any, policies: Sequence[PolicyRef], seed: int, size: Size | None = None, *, workers: int = 1,
    stage: Stage | None = None,
) -> list[Trial]:
    """Play all experiments for every policy.

    Parameters
    ----------
    rules : with a Black Market; who picks does not matter, chance does here.
    policies : levels of play; each plays itself.
    size : how much is played.
    workers : how many stretches of deals at a time; results do not depend on it.
    stage : asked for a meter as each experiment begins, with what it is and its number of games.

    Raises InputError for rules without a market that can be measured.
    """
    check_market(rules)
    size = size or Size()
    meters = stage or (lambda title, games: Meter(None, 0, games))
    uniform = replace(rules, picks="uniform")
    blanked, _ = with_blanks(uniform) if size.blanks else (uniform, "")
    return [_trial(game, uniform, blanked, ref, seed, size, workers, meters) for ref in policies]


def _trial(game: Game, rules: Any, blanked: Any, ref: PolicyRef, seed: int, size: Size, workers: int, stage: Stage
           ) -> Trial:
    names = tuple(card.id for card in rules.market_cards)
    sessions = [_session(game, each, ref, (seed + at) % 2**64) for at, each in enumerate(
        (rules, rules, blanked, blanked, rules))]
    picks, n_picks = _to_precision(
        lambda first, n: sessions[0].play(0, first, n, "none").tally, workers, size,
        lambda found: pick_effects(found["first_taken"], found["first_left"], names),
        lambda n: stage(f"{ref.label}: picks by chance", n))
    forks, n_forks = _to_precision(
        lambda first, n: sessions[1].forks(0, first, n), workers, size,
        lambda found: fork_effects(found["forks"], names), lambda n: stage(f"{ref.label}: forks", 2 * n), weight=2)
    blank_picks: Counts = {}
    blank_forks: Counts = {}
    if size.blanks:
        meter = stage(f"{ref.label}: a market with blanks", 3 * size.blanks)
        blank_picks = _gather(lambda first, n: sessions[2].play(0, first, n, "none").tally, 0, size.blanks, workers,
                              meter)
        blank_forks = _gather(lambda first, n: sessions[3].forks(0, first, n), 0, size.blanks, workers, meter, weight=2)
    landings = _landings(sessions[4], rules, size.landings, workers, stage, ref.label) if size.landings else {}
    ongoing = [at for at, card in enumerate(rules.market_cards) if card.kind == "ongoing"] if size.forced else []
    forced: dict[str, Counts] = {}
    if ongoing:
        meter = stage(f"{ref.label}: begun with an ongoing card", size.forced * (len(ongoing) + 1))
        fresh = _session(game, rules, ref, (seed + 5) % 2**64)
        forced[""] = _gather(lambda first, n: fresh.play(0, first, n, "none").tally, 0, size.forced, workers, meter)
        for at in ongoing:
            forced[names[at]] = _gather(_forced(fresh, at), 0, size.forced, workers, meter)
    return Trial(ref.label, names, seed, picks, n_picks, forks, n_forks,
                 tuple(card.id for card in blanked.market_cards), blank_picks, blank_forks, size.blanks, landings,
                 size.landings, forced, size.forced)


def _forced(session: MarketSession, card: int) -> Callable[[int, int], Counts]:
    return lambda first, n: session.forced(card, 0, first, n)


def _session(game: Game, rules: Any, ref: PolicyRef, seed: int) -> MarketSession:
    found: Any = game.session(rules, [(ref,) * game.seats(rules)], seed)
    return found  # type: ignore[no-any-return]


def _to_precision(
    play: Callable[[int, int], Counts], workers: int, size: Size,
    table: Callable[[Counts], pd.DataFrame], meter: Callable[[int], Meter], *, weight: int = 1,
) -> tuple[Counts, int]:
    """Counters of as many deals as were asked for, or of as many as the pilot says that the precision takes."""
    first = min(PILOT if size.games is None else size.games, size.limit)
    found = _gather(play, 0, first, workers, _ready(meter(first), play), weight=weight)
    if size.games is not None:
        return found, first
    widths = ((lambda effects: (effects["high"] - effects["low"]) / 2)(table(found))).to_numpy(dtype=np.float64)
    # A card that the pilot has not seen says nothing about how many games it takes.
    widest = float(np.nanmax(widths)) if np.isfinite(widths).any() else 0.0
    wanted = min(size.limit, int(1.02 * first * (widest / size.precision) ** 2))
    if wanted > first:
        rest = _gather(play, first, wanted - first, workers, meter(wanted - first), weight=weight)
        found = {name: found[name] + rest[name] for name in found}
    return found, max(first, wanted)


def _ready(meter: Meter, call: Callable[[int, int], Counts]) -> Meter:
    """The meter, started when what it is to measure has been compiled."""
    warm_up(lambda: call(0, 1), meter)
    meter.start()
    return meter


def _gather(play: Callable[[int, int], Counts], first: int, n_deals: int, workers: int, meter: Meter, *, weight: int = 1
            ) -> Counts:
    """The sum of the counters of many stretches of deals."""
    def one(start: int) -> Counts:
        count = min(CHUNK, first + n_deals - start)
        found = play(start, count)
        meter.advance(weight * count)
        return found

    total: Counts = {}
    for part in _each(one, range(first, first + n_deals, CHUNK), workers):
        total = {name: total[name] + part[name] if total else part[name] for name in part}
    return total


def _each(call: Callable[[int], _T], jobs: Sequence[int] | range, workers: int) -> list[_T]:
    with ThreadPoolExecutor(max_workers=max(1, workers)) as crew:
        try:
            return list(crew.map(call, jobs))
        except BaseException:
            crew.shutdown(wait=False, cancel_futures=True)
            raise


def _landings(session: MarketSession, rules: Any, n_deals: int, workers: int, stage: Stage, label: str
              ) -> dict[str, NDArray[Any]]:
    """Every landing of some games: ``deal, supply [landing, place], taken, won`` (the taker's result)."""
    meter = stage(f"{label}: every landing", n_deals)

    def one(first: int) -> tuple[NDArray[Any], ...]:
        count = min(CHUNK, n_deals - first)
        tables = session.play(0, first, count, "turns").tables
        meter.advance(count)
        games, market = tables["games"], tables["market"]
        # Rows of one game stand together and games are in order: ids to positions without a join.
        at = np.searchsorted(games["game_id"], market["game_id"])
        winner = games["winner"][at]
        won = np.where(winner < 0, 0.5, winner == market["seat"])
        supply = np.stack([market[f"supply_{place}"] for place in range(rules.supply)], axis=1)
        return games["deal_id"][at], supply, market["taken"], won

    parts = _each(one, range(0, n_deals, CHUNK), workers)
    return {name: np.concatenate([part[at] for part in parts]) for at, name in enumerate(
        ("deal", "supply", "taken", "won"))}
