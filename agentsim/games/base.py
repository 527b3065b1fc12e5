"""What a game gives to the laboratory, and the registry of games.

A game is one folder below ``agentsim.games`` with one object that satisfies :class:`Game`. Everything above it
(experiment files, simulation, logs, analyses, the command line) speaks to the game through this module only, so a new
game needs no change anywhere else.

Three ideas carry the frame:

*Deal.* The unit of every statistic. ``seed`` and ``deal`` fix every card that chance brings, whoever draws it.
*Matchup.* A tuple of policies. Two different policies play each deal twice with the seats swapped, the hands staying
with the seats; a mirror (a policy against itself) plays each deal once. More than two policies move round the table:
each deal is played in every seating that rotation brings. Where seats have different parts (one player against a team,
roles) each deal is played in every part as well.
*Game index.* ``g`` counts the games of a matchup from 0; ``deal = g // games_per_deal``. In a run of ``M`` matchups the
``game_id`` is ``g * M + matchup_id``, so ids run from 0 without gaps and do not change when a run is extended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError, nearest

__all__ = ["SHARE_PARTS", "Batch", "CardSheet", "Column", "Facts", "Game", "Key", "LogLevel", "Parameter", "PolicyRef",
           "ScoredByShares", "Session", "Table", "WithCardFiles", "WithSlowPolicies",
           "get_game", "list_games", "register"]

LogLevel = Literal["none", "games", "turns", "full"]

SHARE_PARTS = 12
"""A whole win in the unit of win shares: wins shared by two, three, four or six are whole numbers of twelfths."""


@dataclass(frozen=True)
class Column:
    """One column of a log table.

    ``kind`` is ``"int"``, ``"bool"``, ``"enum"`` or ``"share"``. An enum is stored as codes into ``categories`` and
    written as a dictionary of strings. A share is stored exactly, as a whole number of ``1 / SHARE_PARTS``, and written
    as the fraction it means. In a nullable column the value -1 (any negative code for an enum) is written as null.
    """

    name: str
    kind: Literal["int", "bool", "enum", "share"]
    doc: str
    categories: tuple[str, ...] = ()
    nullable: bool = False


@dataclass(frozen=True)
class Table:
    """A log table: its name (also its folder in a run) and its columns in order."""

    name: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Key:
    """One documented rule key, such as ``rules.hand_size``: what files, ``--set`` and reports call it.

    ``group`` is a heading for a long list of keys.
    """

    name: str
    doc: str
    default: Any
    allowed: str
    group: str = ""


@dataclass(frozen=True)
class Facts:
    """What a list of games says about one.

    ``players``: numbers of players it is played by; ``modes``: names of its modes; ``decisions``: what a player is
    asked; ``user_policies``: whether it takes policies from users' files (``./mine.py:name``). ``levels``: shipped
    policies that stand for levels of play, the weakest first; empty: the first shipped policy alone does.
    """

    players: tuple[int, ...]
    modes: tuple[str, ...]
    decisions: tuple[str, ...]
    user_policies: bool = False
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class PolicyRef:
    """A policy, complete: everything that decides how it plays, fit for a manifest.

    ``label`` is the name shown in logs and charts (unique within a run), ``family`` the code that plays it,
    ``params`` every parameter with its value. ``source`` is ``"preset"``, ``"family"``, ``"inline"`` or the path of the
    user's file with ``digest`` the hash of its text.
    """

    label: str
    family: str
    params: Mapping[str, float] = field(default_factory=dict)
    source: str = "preset"
    digest: str = ""
    idea: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {"label": self.label, "family": self.family, "params": dict(self.params), "source": self.source,
                "digest": self.digest, "idea": self.idea}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PolicyRef:
        return cls(**{name: data[name] for name in ("label", "family", "params", "source", "digest", "idea")})


class Parameter(Protocol):
    """A number that decides how a policy plays; ``low`` and ``high`` are allowed, infinite where there is no bound.

    ``whole`` is true if only whole numbers are.
    """

    @property
    def name(self) -> str: ...

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...

    @property
    def default(self) -> float: ...

    @property
    def doc(self) -> str: ...

    @property
    def whole(self) -> bool: ...


@dataclass
class Batch:
    """What a stretch of games brings.

    ``tables``: per log table, per column, an array with one entry per row (enum columns as codes).
    ``tally``: exact integer counters by name; tallies of the same matchup are added elementwise.
    """

    n_games: int
    tables: dict[str, dict[str, NDArray[Any]]]
    tally: dict[str, NDArray[np.int64]]


class Session(Protocol):
    """A rule set and its matchups made ready to play; cheap to build, one per process, safe to use from threads."""

    def play(self, matchup: int, first_deal: int, n_deals: int, log: LogLevel) -> Batch:
        """Play the deals ``first_deal .. first_deal + n_deals - 1`` of one matchup, all games of each deal."""
        ...

    def warm_up(self, log: LogLevel) -> bool:
        """Compile what ``play`` needs. True if something had to be compiled (it was not in the cache)."""
        ...


class Game(Protocol):
    """A game of the laboratory."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def version(self) -> int: ...

    def rules(self, settings: Mapping[str, Any], *, where: str = "") -> Any:
        """Rules from flat key-value settings (``{"rules.hand_size": 5}``); InputError names the key."""
        ...

    def rules_as_dict(self, rules: Any) -> dict[str, Any]:
        """Every rule key with its value, nothing left to defaults; ``rules(rules_as_dict(r)) == r``."""
        ...

    def rule_keys(self) -> Sequence[Key]:
        """The documented key table."""
        ...

    def additions(self) -> Mapping[str, Any]:
        """Rule keys and policy parameters (``family.parameter``) newer than the game's first runs.

        With each the value that means: as before. A plan's digest leaves them out where they have it, so that runs
        which know nothing of them keep their digests and can be continued.
        """
        ...

    def policy(self, spec: str, *, where: str = "") -> PolicyRef:
        """A policy from ``name``, ``name(param=value, ...)`` or ``path/to/file.py:name``."""
        ...

    def policies(self, rules: Any = None) -> Sequence[PolicyRef]:
        """The shipped policies, baselines first; with ``rules`` only those that play as no earlier one under them."""
        ...

    def parameters(self, policy: PolicyRef) -> Sequence[Parameter]:
        """What can be changed about a policy; ``policy.params`` has a value for each."""
        ...

    def cards(self, rules: Any) -> Sequence[Mapping[str, Any]]:
        """The card table: per card its ``id``, its ``names`` by language, and its numbers, each a rule key."""
        ...

    def new_game(self, seed: int = 1, settings: Mapping[str, Any] | None = None, *, deal: int = 0) -> Any:
        """A game to be played step by step, on the cards of that deal."""
        ...

    def seats(self, rules: Any) -> int:
        """How many policies a matchup has."""
        ...

    def games_per_deal(self, matchup: Sequence[PolicyRef], rules: Any) -> int:
        """How often each deal is played under these rules: the games of its block.

        Two players: 1 for a mirror, 2 for two different policies. More where the rules give the seats different parts:
        each policy then plays each part from each seat.
        """
        ...

    def tables(self, rules: Any, log: LogLevel) -> Sequence[Table]:
        """The log tables written at a level of logging (none at ``"none"``)."""
        ...

    def session(self, rules: Any, matchups: Sequence[Sequence[PolicyRef]], seed: int) -> Session:
        """Make a rule set and matchups ready to play."""
        ...

    def story(self, rules: Any, matchups: Sequence[Sequence[PolicyRef]], seed: int, matchup: int, index: int) -> str:
        """One game of a run, retold in sentences (the game is played again from its address)."""
        ...

    def course(self, rules: Any, matchups: Sequence[Sequence[PolicyRef]], seed: int, matchup: int,
               index: int) -> Sequence[tuple[Any, Any]]:
        """One game of a run, played again by the step API: each position with the action taken, the last with None."""
        ...

    def choose(self, position: Any, policy: PolicyRef, key: int) -> Any:
        """What a policy does in a position of the step API, with the random stream ``key`` for this decision."""
        ...

    def facts(self) -> Facts:
        """What the list of games says about it."""
        ...


@runtime_checkable
class ScoredByShares(Game, Protocol):
    """A game whose result is a win share for every seat, in parts of ``SHARE_PARTS``; for any number of players.

    Its log table ``games`` has a column ``share_<seat>`` of the kind ``"share"`` per seat, and its tallies the counters
    ``end_reason`` (games by category of that column), ``turns`` (games by number of turns; may be left out where that
    is fixed) and, for the kinds ``slot`` (the i-th policy of the matchup, wherever it sits), ``seat`` and every group,

    ``<kind>_share`` (k,): sums over deals of the deal's score, which is the sum of shares over the deal's games;
    ``<kind>_products`` (k, k): sums over deals of the products of two such scores.

    From these :mod:`agentsim.standings` has every mean and every difference with its exact variance between deals.
    """

    def groups(self, rules: Any) -> Mapping[str, tuple[str, ...]]:
        """Kinds of parties other than slots and seats, with the names of the parties, such as the sides."""
        ...


@dataclass(frozen=True)
class CardSheet:
    """Cards as a reader would see them: a table whose first ``left`` columns and whose last one are text."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1
    note: str = ""


@runtime_checkable
class WithCardFiles(Game, Protocol):
    """A game whose key ``rules.cards`` takes the path of a designer's card file."""

    def card_sheets(self, rules: Any, language: str = "en") -> Sequence[CardSheet]:
        """All cards under these rules, in English sentences; their names in a language where they have one."""
        ...

    def keys_of(self, rules: Any) -> Sequence[Key]:
        """The key table of just these rules, cards of one's own included."""
        ...

    def card_modes(self) -> Mapping[str, Mapping[str, Any]]:
        """The modes in which a card file may be used: what to call each, and its settings."""
        ...

    def card_template(self, name: str) -> str:
        """A card file with comments to start from, with one new card of that name."""
        ...


@runtime_checkable
class WithSlowPolicies(Game, Protocol):
    """A game that policies may also play in Python, step by step, which is hundreds of times slower."""

    def is_slow(self, policy: PolicyRef, rules: Any) -> bool:
        """Whether games of this policy are stepped."""
        ...


_REGISTRY: dict[str, Game] = {}
# The games that come with the package; each registers itself when its module is imported.
_SHIPPED = ("agent_avenue", "argh", "shady_agents")


def register(game: Game) -> Game:
    """Add a game to the registry. A second game of the same name is an error of the program."""
    if game.name in _REGISTRY:
        raise ValueError(f"a game named {game.name!r} is registered already")
    _REGISTRY[game.name] = game
    return game


def list_games() -> list[str]:
    """The names of all games, sorted."""
    _load()
    return sorted(_REGISTRY)


def get_game(name: str, *, where: str = "") -> Game:
    """The game of that name. Raises InputError, with the nearest name, when there is none."""
    if name not in _REGISTRY:
        _load(name)
    if name not in _REGISTRY:
        known = list_games()
        raise InputError(f"unknown game '{name}'", where=where, key="game", allowed=", ".join(known),
                         nearest=nearest(name, known))
    return _REGISTRY[name]


def _load(*names: str) -> None:
    """Import shipped games, all of them by default; on first use, so that nothing waits for what it does not need."""
    for name in names or _SHIPPED:
        if name in _SHIPPED:
            import_module(f"agentsim.games.{name}")
