"""What is to be simulated: which policies meet, under which rules, how often.

An :class:`Experiment` is complete and frozen: every rule key has its value, every policy its parameters. It comes from
an experiment file (:func:`load_experiment`), from arguments (:func:`build_experiment`), or from the manifest of a run
(:meth:`Experiment.from_dict`). A :class:`Draft` is one in the making: a file read but not yet checked, in which the
flags of the command line replace what they name.

Example::

    experiment = build_experiment(policies=["expert", "random"], games=10_000, settings={"rules.hand_size": 5})
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast, get_args

from agentsim.errors import InputError, nearest, shown
from agentsim.games.base import Game, LogLevel, PolicyRef, get_game
from agentsim.lineup import MatchupPlan, PolicySpec, pair_up, resolve_policies, seated_lineup
from agentsim.resources import experiments_dir
from agentsim.tomlfile import TomlFile, flatten, read_toml

__all__ = ["DEFAULT_GAMES", "DEFAULT_SEED", "MAX_GAMES", "MAX_SEED", "Draft", "Experiment", "build_experiment",
           "card_settings", "load_experiment"]

DEFAULT_GAME = "agent_avenue"
DEFAULT_GAMES = 100_000
DEFAULT_SEED = 1
MAX_SEED = 2**64 - 1
MAX_GAMES = 10**12
"""Most games of one matchup: years of computing, and far below what 64-bit game ids can count."""

LOG_LEVELS: tuple[LogLevel, ...] = get_args(LogLevel)
_KEYS = ("name", "game", "policies", "matchups", "games", "seed", "log")


@dataclass(frozen=True)
class Experiment:
    """An experiment, complete. ``matchups`` holds indices into ``policies``, one per seat; ``(i, i)`` is a mirror.

    ``games`` counts the games of *each* matchup. ``settings`` holds every rule key with its value.
    """

    name: str
    game: str
    policies: tuple[PolicyRef, ...]
    matchups: tuple[tuple[int, ...], ...]
    games: int
    seed: int
    log: LogLevel
    settings: Mapping[str, Any] = field(default_factory=dict)

    def rules(self) -> Any:
        """The rules object of the game for these settings."""
        return get_game(self.game).rules(self.settings)

    def pairings(self) -> list[tuple[PolicyRef, ...]]:
        """The matchups as policies, in order of their ids."""
        return [tuple(self.policies[index] for index in matchup) for matchup in self.matchups]

    def games_per_deal(self) -> tuple[int, ...]:
        """How often each deal is played, per matchup."""
        game, rules = get_game(self.game), self.rules()
        return tuple(game.games_per_deal(pairing, rules) for pairing in self.pairings())

    @property
    def total_games(self) -> int:
        """The games of all matchups together."""
        return self.games * len(self.matchups)

    def with_games(self, games: int, *, where: str = "") -> Experiment:
        """The same plan with another number of games per matchup. Raises ``InputError`` when it does not fit."""
        return replace(self, games=_check_games(games, self.games_per_deal(), where=where, key="games"))

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain JSON types; :meth:`from_dict` is the inverse."""
        return {"name": self.name, "game": self.game, "policies": [policy.as_dict() for policy in self.policies],
                "matchups": [list(matchup) for matchup in self.matchups], "games": self.games, "seed": self.seed,
                "log": self.log, "settings": dict(self.settings)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, where: str = "") -> Experiment:
        """The experiment that :meth:`as_dict` gave. Raises ``InputError`` when ``data`` is not such a dictionary."""
        try:
            policies = tuple(PolicyRef.from_dict(policy) for policy in data["policies"])
            matchups = tuple(tuple(int(index) for index in matchup) for matchup in data["matchups"])
            experiment = cls(name=str(data["name"]), game=str(data["game"]), policies=policies, matchups=matchups,
                             games=data["games"], seed=data["seed"], log=data["log"], settings=dict(data["settings"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            detail = f"'{error.args[0]}' is missing" if isinstance(error, KeyError) else "a value has the wrong type"
            raise InputError(f"does not describe an experiment: {detail}", where=where, key="experiment") from None
        if not all(0 <= index < len(policies) for matchup in matchups for index in matchup):
            raise InputError("a matchup names a policy that is not there", where=where, key="experiment.matchups")
        _check_log(experiment.log, where, "experiment.log")
        _check_seed(experiment.seed, where, "experiment.seed")
        get_game(experiment.game, where=where)
        try:
            per_deal = experiment.games_per_deal()
        except InputError as error:
            raise error.at(where=where) from None
        _check_games(experiment.games, per_deal, where=where, key="experiment.games")
        return experiment

    def plan_digest(self) -> str:
        """A hash of all that decides what the games contain.

        That is the game with its version, the rules, the policies with their parameters, the matchups, the seed and
        the level of logging; not the number of games (a run can be extended), not the name and not the path of a
        policy file (the hash of its text counts instead), and not what the game learned later as long as it is left at
        what it was before (``Game.additions``).
        """
        game = get_game(self.game)
        added = game.additions()
        policies = [{"label": policy.label, "family": policy.family, "digest": policy.digest,
                     "params": {name: float(value) for name, value in policy.params.items()
                                if (key := f"{policy.family}.{name}") not in added or added[key] != value}}
                    for policy in self.policies]
        settings = {key: value for key, value in self.settings.items() if key not in added or added[key] != value}
        plan = {"game": self.game, "version": game.version, "settings": settings,
                "policies": policies, "matchups": self.matchups, "seed": self.seed, "log": self.log}
        text = json.dumps(plan, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Draft:
    """An experiment that is not checked yet; ``None`` and empty mean "not said".

    ``places`` says for a key where its value came from (a flag), for errors; keys not in it come from ``file``.
    """

    name: str | None = None
    game: str | None = None
    policies: Sequence[PolicySpec] = ()
    matchups: MatchupPlan | None = None
    games: int | None = None
    seed: int | None = None
    log: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    file: TomlFile | None = None

    @classmethod
    def read(cls, path: str | Path) -> Draft:
        """Read an experiment file, or a shipped one by its name (``standard``).

        Raises ``InputError`` for what is not a TOML file or holds unknown keys.
        """
        file = read_toml(_find(Path(path)), what="experiment file")
        plain = {key: value for key, value in file.data.items() if key in _KEYS}
        tables = {key: value for key, value in file.data.items() if key not in _KEYS}
        draft = cls(**plain, file=file)
        # Which tables may follow is the game's affair: `[rules]`, `[cards.sentinel]` are keys of its key table.
        game = draft._game()
        groups = {key.name.split(".")[0] for key in game.rule_keys()}
        if "cards" in groups and isinstance(tables.get("cards"), str):
            draft.settings, draft.places = card_settings(file.path.parent / tables.pop("cards"), game)
        for key, value in tables.items():
            if key not in groups:
                raise draft.error("unknown key", key, allowed=", ".join((*_KEYS, *sorted(groups))),
                                  nearest=nearest(key, (*_KEYS, *groups)))
            if not isinstance(value, Mapping):
                raise draft.error(f"must be a table ([{key}]), got {shown(value)}", key)
        draft.settings |= flatten(tables)
        cards = tables.get("rules", {}).get("cards")
        if _reads_card_files(game) and isinstance(cards, str) and cards.endswith(".toml"):
            draft.settings["rules.cards"] = str(file.path.parent / cards)
        if "policies" not in plain:
            raise draft.error("is missing", "policies", allowed='a list such as ["expert", "random"]')
        return draft

    def place(self, key: str) -> str:
        """Where the value of a key came from: a flag, or a line of the file."""
        if key in self.places:
            return self.places[key]
        return self.file.place(key) if self.file else ""

    def error(self, problem: str, key: str, *, allowed: str = "", nearest: str = "") -> InputError:
        """An ``InputError`` that says where ``key`` stands. A flag is its own name, so the key is left out."""
        flag = key in self.places and key not in self.settings
        return InputError(problem, where=self.place(key), key="" if flag else key, allowed=allowed, nearest=nearest)

    def build(self) -> Experiment:
        """Check everything and fill in what was left out. Raises ``InputError`` for the first thing that is wrong."""
        game = self._game()
        rules = self._rules(game)
        log = "none" if self.log is None else self._checked("log", _check_log, self.log)
        seed = DEFAULT_SEED if self.seed is None else self._checked("seed", _check_seed, self.seed)
        folder = self.file.path.parent if self.file and "policies" not in self.places else None
        plan: Any = "auto" if self.matchups is None else self.matchups
        specs, lineup = seated_lineup(self.policies, game.seats(rules)) if plan == "auto" else (self.policies, ())
        policies = self._checked("policies", lambda: resolve_policies(game, specs, folder, rules, mirrors=True))
        matchups = lineup or self._checked("matchups", pair_up, policies, plan, game.seats(rules))
        pairings = [tuple(policies[index] for index in matchup) for matchup in matchups]
        per_deal = tuple(game.games_per_deal(pairing, rules) for pairing in pairings)
        if self.games is None:
            common = math.lcm(*per_deal)
            games = -(-DEFAULT_GAMES // common) * common
        else:
            games = self._checked("games", lambda value: _check_games(value, per_deal), self.games)
        return Experiment(name=self._name(policies), game=game.name, policies=policies, matchups=matchups, games=games,
                          seed=seed, log=cast(LogLevel, log), settings=_plain(game.rules_as_dict(rules)))

    def _game(self) -> Game:
        if self.game is None:
            return get_game(DEFAULT_GAME)
        if not isinstance(self.game, str):
            raise self.error(f"must be the name of a game, got {shown(self.game)}", "game")
        return cast(Game, self._checked("game", get_game, self.game))

    def _rules(self, game: Game) -> Any:
        try:
            return game.rules(self.settings)
        except InputError as error:
            if error.where:
                raise
            raise error.at(where=self.place(error.key or "rules")) from None

    def _checked(self, key: str, check: Any, *arguments: Any) -> Any:
        try:
            return check(*arguments)
        except InputError as error:
            if error.where:
                raise
            if key in self.places:  # a flag is its own name
                within = "" if error.key == key else error.key
                raise InputError(error.problem, where=self.places[key], key=within, allowed=error.allowed,
                                 nearest=error.nearest) from None
            # The key of a complaint about a policy may be the policy's name, which is not a key of the file.
            place = error.key if error.key.partition(".")[0] in _KEYS else key
            raise error.at(where=self.place(place), key=key) from None

    def _name(self, policies: Sequence[PolicyRef]) -> str:
        if self.name is None:
            if self.file is not None:
                return self.file.path.stem
            labels = [policy.label for policy in policies]
            if len(labels) > 2:
                return f"{len(labels)} policies"
            return " against ".join([*labels, "itself"][:2])
        name: Any = self.name
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise self.error(f"must be one line of text, got {shown(name)}", "name")
        if len(name) > 200:
            raise self.error(f"must have at most 200 characters, has {len(name)}", "name")
        return name.strip()


def load_experiment(path: str | Path) -> Experiment:
    """Read and check an experiment file (TOML; docs/experiments.md describes it).

    Paths of policy files in it are relative to its folder. Raises ``InputError`` that names the file, the line and
    the key for anything that cannot be used.
    """
    return Draft.read(path).build()


def card_settings(path: str | Path, game: Game | None = None) -> tuple[dict[str, Any], dict[str, str]]:
    """Settings from a card table (a TOML file with a table per card), and for each the line it stands in.

    Cards and attributes that the file leaves out keep the game's values; ``names`` are for people and are not settings.
    A game that reads card files itself, which is one whose key ``rules.cards`` takes them, gets the path as that key.
    Raises ``InputError`` for what is not such a file; the game checks the values.
    """
    if game is not None and _reads_card_files(game):
        return {"rules.cards": str(path)}, {"rules.cards": str(path)}
    file = read_toml(path, what="card table")
    prefix = "cards." if set(file.data) == {"cards"} and isinstance(file.data["cards"], Mapping) else ""
    table: Mapping[str, Any] = file.data["cards"] if prefix else file.data
    settings: dict[str, Any] = {}
    for card, entry in table.items():
        if not isinstance(entry, Mapping):
            raise InputError(f"must be a table ([{card}]), got {shown(entry)}", where=file.place(prefix + card),
                             key=card)
        settings |= flatten({key: value for key, value in entry.items() if key != "names"}, f"cards.{card}")
    return settings, {key: file.place(prefix + key.removeprefix("cards.")) for key in settings}


def _reads_card_files(game: Game) -> bool:
    return any(key.name == "rules.cards" and ".toml" in key.allowed for key in game.rule_keys())


def build_experiment(policies: str | Sequence[PolicySpec], *, game: str = DEFAULT_GAME, games: int | None = None,
                     seed: int = DEFAULT_SEED, log: LogLevel = "none", settings: Mapping[str, Any] | None = None,
                     matchups: MatchupPlan = "auto", name: str | None = None) -> Experiment:
    """An experiment from arguments.

    Parameters
    ----------
    policies : policy specs (``"greedy"``, ``"planner(bluff=0.5)"``, ``"./mine.py:cautious"``), policies that are
        complete already (``PolicyRef``), or tables as in an experiment file; a string is split at its commas.
    games : games of each matchup, a multiple of the games per deal (2 for two different policies, as many as seatings
        and roles for more); 100,000, rounded up to that, if left out.
    seed : 0 to 2**64 - 1.
    settings : rule keys with values, for example ``{"rules.hand_size": 5}``; the rest keeps its defaults.
    matchups : ``"auto"`` (one policy: its mirror, as many as seats: one matchup, other numbers: a round robin with
        mirrors, one among others at tables of three and more), ``"round_robin"``, ``"pairs"`` (without mirrors),
        ``"mirrors"``, ``"one_among"``, ``"against:NAME"``, or a list of label tuples.

    Raises ``InputError`` that names the argument.
    """
    from agentsim.lineup import spec_list

    try:
        specs = spec_list(policies)
    except InputError as error:
        raise error.at(key="policies") from None
    if settings is not None and not isinstance(settings, Mapping):
        raise InputError(f"must be rule keys with values, got {shown(settings)}", key="settings",
                         allowed='such as {"rules.discards": 2}')
    return Draft(name=name, game=game, policies=specs, matchups=matchups, games=games, seed=seed, log=log,
                 settings=dict(settings or {})).build()


def _find(path: Path) -> Path:
    """The path itself, or that of the shipped experiment which a bare word names."""
    if path.suffix or path.parent != Path() or not path.name or path.exists():
        return path
    shipped = {file.stem: file for file in experiments_dir().glob("*.toml")}
    if path.name not in shipped:
        raise InputError("no such experiment file", where=str(path), allowed="a path, or " + ", ".join(sorted(shipped)),
                         nearest=nearest(path.name, shipped))
    return shipped[path.name]


def whole_number(value: Any, low: int, high: int, *, where: str = "", key: str = "") -> int:
    """``value`` as an int within bounds. A float is refused even when it is whole: a file should say what it means."""
    if isinstance(value, float):
        hint = f"; write {int(value):_}" if value.is_integer() and low <= value <= high else ""
        raise InputError(f"must be a whole number, got {value!r}{hint}", where=where, key=key)
    try:
        if isinstance(value, bool):
            raise TypeError
        number = int(value.__index__())
    except (TypeError, AttributeError):
        raise InputError(f"must be a whole number, got {shown(value)}", where=where, key=key) from None
    if not low <= number <= high:
        raise InputError(f"must be {_bounds(low, high)}, got {_digits(number)}", where=where, key=key)
    return number


def _check_games(value: Any, per_deal: Iterable[int], *, where: str = "", key: str = "") -> int:
    games = whole_number(value, 1, MAX_GAMES, where=where, key=key)
    step = math.lcm(*per_deal)
    if games % step:
        below = games - games % step
        near = f"{below + step}" if below == 0 else f"{below} or {below + step}"
        what, times = ("even", "twice") if step == 2 else (f"a multiple of {step}", f"{step} times")
        raise InputError(f"must be {what}: each deal is played {times}; nearest: {near}", where=where, key=key)
    return games


def _check_seed(value: Any, where: str = "", key: str = "") -> int:
    return whole_number(value, 0, MAX_SEED, where=where, key=key)


def _check_log(value: Any, where: str = "", key: str = "") -> str:
    if value not in LOG_LEVELS:
        raise InputError(f"must be a level of logging, got {shown(value)}", where=where, key=key,
                         allowed=", ".join(LOG_LEVELS), nearest=nearest(str(value), LOG_LEVELS))
    return str(value)


def _plain(value: Any) -> Any:
    # Settings go through JSON (the manifest): tuples must not differ from the lists that come back.
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _bounds(low: int, high: int) -> str:
    top = "2^64 - 1" if high == MAX_SEED else f"{high:,}"
    return f"{low} to {top}"


def _digits(number: int) -> str:
    # The text of an int of thousands of digits is refused by Python and of no use to a reader.
    return str(number) if abs(number) < 10**24 else f"a number of about 10^{round(number.bit_length() * 0.30103)}"
