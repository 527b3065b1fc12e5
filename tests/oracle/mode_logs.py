"""Playing the naive game of ``modes.py`` from outside, writing its log, and playing a log again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from .agent_avenue import OracleIllegal
from .modes import ModeGame, ModeRules, PawnCard
from .table import Decision

Row = Mapping[str, Any]
Chooser = Callable[[Decision, ModeGame], Any]


# ---- playing ---------------------------------------------------------------------------------------------------------


def shuffled(rules: ModeRules, rng: Random) -> tuple[list[str], list[str]]:
    """A shuffled deck and a shuffled Black Market pile."""
    deck = [name for name, card in rules.cards.items() for _ in range(card.copies)]
    pile = rules.market_pile()
    rng.shuffle(deck)
    rng.shuffle(pile)
    return deck, pile


def random_chooser(rng: Random, discard_chance: float = 0.0) -> Chooser:
    """Every option with the same chance; a discard is made with ``discard_chance`` each time it may be made."""

    def choose(decision: Decision, _game: ModeGame) -> Any:
        if decision.kind == "discard":
            return rng.choice(decision.options[1:]) if rng.random() < discard_chance else None
        return rng.choice(decision.options)

    return choose


def play_on(game: ModeGame, chooser: Chooser) -> ModeGame:
    """Let ``chooser`` answer everything until the game is over."""
    while game.pending is not None:
        game.choose(chooser(game.pending, game))
    return game


def answer(game: ModeGame, *script: Any, **by_kind: Any) -> ModeGame:
    """Answer from a script, one option per question.

    Questions whose kind is a keyword are answered with that option every time and do not use up the script; so are,
    unless the script is meant for them by ``discard=...``, discards (never) and ``player_up`` (player 0).
    Stops when the script is used up and the next question is not one of those, or when the turn ends.
    """
    standing = {"discard": None, "player_up": 0, **by_kind}
    left = list(script)
    turn = game.turn
    while game.pending is not None and game.turn == turn:
        kind = game.pending.kind
        if kind in standing:
            game.choose(standing[kind])
        elif left:
            game.choose(left.pop(0))
        else:
            break
    if left:
        raise OracleIllegal(f"nobody asked for {left}")
    return game


# ---- the log ---------------------------------------------------------------------------------------------------------


def has_division_m(rules: ModeRules) -> bool:
    """Whether any agent shows a Division M symbol."""
    return any(isinstance(card, PawnCard) for card in rules.cards.values())


def turn_columns(game: ModeGame, full: bool = False) -> list[dict[str, Any]]:
    """The ``turns`` log without ``game_id``, of a game that is over.

    In teams ``player_up`` and ``player_down`` are added, with Division M ``m_space_0`` and ``m_space_1``; ``full`` adds
    hands and discards, in teams with the suffix of the player's role.  A lone player has the role ``up``; what would
    be in its ``down`` columns is None.
    """
    rules = game.rules
    winner = None if game.ending is None else game.ending.winner
    rows = []
    for happened in game.turn_rows:
        row = {
            key: happened[key]
            for key in (
                "turn", "active", "n_discards", "face_up", "face_down", "took_face_up",
                "recruited_active", "recruited_other", "move_active", "move_other", "lead_after",
            )
        }  # fmt: skip
        row["active_won"] = None if winner is None else row["active"] == winner
        if rules.teams:
            row |= {key: happened[key] for key in ("player_up", "player_down")}
        if has_division_m(rules):
            row |= {key: happened[key] for key in ("m_space_0", "m_space_1")}
        if full:
            for role in ("up", "down") if rules.teams else ("up",):
                suffix = f"_{role}" if rules.teams else ""
                hand, gone = happened[f"hand_{role}"], happened[f"discards_{role}"]
                row |= {f"hand_{name}{suffix}": None if hand is None else hand.count(name) for name in rules.cards}
                places = range(max(4, rules.discards))
                row |= {f"discard_{k}{suffix}": gone[k] if k < len(gone) else None for k in places}
        rows.append(row)
    return rows


def market_columns(game: ModeGame) -> list[dict[str, Any]]:
    """The ``market`` log without ``game_id``; ``member`` in teams only, ``m_space_after`` with Division M only."""
    dropped = set()
    if not game.rules.teams:
        dropped.add("member")
    if not has_division_m(game.rules):
        dropped.add("m_space_after")
    return [{key: value for key, value in row.items() if key not in dropped} for row in game.market_rows]


def final_columns(game: ModeGame) -> dict[str, Any]:
    """The columns of the ``games`` log that follow from play; ``lone_seat`` in teams only."""
    if game.ending is None:
        raise ValueError("the game is not over")
    values: dict[str, Any] = {
        "winner": game.ending.winner,
        "end_reason": game.ending.end_reason,
        "tie_rule": game.ending.tie_rule_used,
        "n_turns": game.turn,
        "lead": game.lead,
    }
    for side in game.sides:
        values |= {f"final_{side.number}_{name}": count for name, count in side.agents.items()}
    for side in game.sides:
        values[f"discards_{side.number}"] = sum(len(player.discarded) for player in side.players)
    if game.rules.teams:
        values["lone_seat"] = game.rules.lone if game.rules.players == 3 else None
    return values


# ---- a log played again ----------------------------------------------------------------------------------------------


def replay_mode(
    deck: Sequence[str],
    pile: Sequence[str],
    turns: Iterable[Row],
    market: Iterable[Row],
    rules: ModeRules,
) -> ModeGame:
    """Make the choices of a recorded game again and return the game, over, for comparison with the record.

    turns: rows of the ``turns`` log, in order, with ``discards_up`` (in teams also ``discards_down``): names in the
    order in which they went.  market: rows of the ``market`` log.  Where a Division M pawn went in the middle of a turn
    is not in the log; a way is searched that agrees with the rest of it.
    Raises OracleIllegal for a choice that the rules do not allow, or a record that stops before or after the end.
    """
    events: dict[int, list[Row]] = {}
    for event in market:
        events.setdefault(event["turn"], []).append(event)
    game = ModeGame(deck, rules, pile)
    for row in turns:
        if game.pending is None:
            raise OracleIllegal(f"the record goes on with turn {row['turn']}, but the game is over")
        game = _replay_turn(game, row, events.get(row["turn"], []), len(game.history))
    if not game.over:
        raise OracleIllegal(f"the record stops after turn {game.turn - 1}, but the game is not over")
    return game


def _replay_turn(game: ModeGame, row: Row, events: list[Row], start: int) -> ModeGame:
    """Play one turn as recorded; among several ways the first that agrees with the record, else the first."""
    turn = row["turn"]
    while game.pending is not None and game.turn == turn:
        decision = game.pending
        if decision.kind != "division_m":
            game.choose(_recorded(decision, game, row, events, start))
            continue
        aim = row[f"m_space_{decision.side}"]
        first: ModeGame | None = None
        for space in sorted(decision.options, key=lambda option: option != aim):
            way = _replay_turn(game.again([*game.history, space]), row, events, start)
            if _agrees(way, row, events):
                return way
            first = first or way
        assert first is not None
        return first
    return game


def _recorded(decision: Decision, game: ModeGame, row: Row, events: list[Row], start: int) -> Any:
    """The option that the record says was chosen."""
    if decision.kind in ("player_up", "face_up", "face_down"):
        return row[decision.kind]
    if decision.kind == "take":
        return bool(row["took_face_up"])
    if decision.kind == "discard":
        made = 0
        for question, option in zip(game.questions[start:], game.history[start:], strict=True):
            if question.kind == "discard" and question.player == decision.player and option is not None:
                made += 1
        role = "down" if game.rules.teams and decision.player != row["player_up"] else "up"
        names = row[f"discards_{role}"]
        return names[made] if made < len(names) else None
    seq = len([event for event in game.market_rows if event["turn"] == row["turn"]])
    if seq >= len(events):
        raise OracleIllegal(f"turn {row['turn']}: the record lacks Black Market event {seq}")
    event = events[seq]
    if decision.kind == "market":
        return event["taken"]
    if decision.kind == "recruit":
        return event["recruited"] is not None
    return event[decision.kind]


def _agrees(game: ModeGame, row: Row, events: list[Row]) -> bool:
    """Whether what happened in that turn is what the record says, as far as the record says it."""
    happened = next((each for each in game.turn_rows if each["turn"] == row["turn"]), None)
    if happened is None or any(happened[key] != row[key] for key in ("lead_after", "m_space_0", "m_space_1")):
        return False
    found = [each for each in game.market_rows if each["turn"] == row["turn"]]
    return len(found) == len(events) and all(
        each[key] == event[key]
        for each, event in zip(found, events, strict=True)
        for key in ("taken", "recruited", "move", "lead_after", "m_space_after")
    )
