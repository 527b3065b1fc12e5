"""From a record to text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agentsim.errors import InputError
from agentsim.games.agent_avenue.modes.actions import PickCard
from agentsim.games.agent_avenue.modes.step import ModeState
from agentsim.games.agent_avenue.notation.clauses import clause
from agentsim.games.agent_avenue.notation.record import GameRecord, State, members
from agentsim.games.agent_avenue.notation.replaying import play_record
from agentsim.games.agent_avenue.rules import Rules, make_rules, settings_of

__all__ = ["changed_settings", "settings_lines", "write_game"]


def write_game(record: GameRecord) -> str:
    """The text of a record; ``read_game`` makes the same record of it.

    Raises InputError if the record's actions are against its rules.
    """
    lines = ["Game: Agent Avenue", *settings_lines(record.rules)]
    lines += [f"Seat {seat}: {name}" for seat, name in enumerate(record.names) if name]
    if record.lone is not None:
        lines.append(f"Lone: {record.lone}")
    if record.deal is not None:
        lines.append("Deal: {} {}".format(*record.deal))
    steps = play_record(record)
    start = steps[0].game
    for (seat, player), cards in sorted(record.hands.items()):
        who = f"{seat} player {player}" if members(start, seat) == 2 else f"{seat}"
        lines.append(f"Hand {who}: {_list(cards)}")
    if record.market:
        lines.append(f"Market: {', '.join(record.market)}")
    lines.append("")
    turn, row, subject = -1, "", ""
    for step, ply in zip(steps, record.plies, strict=False):
        game = step.game
        asked = _subject(game)
        text = clause(ply.action)
        if ply.draws:
            text += f"; draws {', '.join(ply.draws)}"
        if ply.refill:
            text += f"; refill {ply.refill}"
        if game.turn != turn:
            lines += [row] if row else []
            turn, row = game.turn, f"{game.turn + 1}. {asked}: {text}"
        elif isinstance(ply.action, PickCard):
            lines.append(row)
            row = f"    {asked} {text}"
        else:
            row += f"; {text}" if asked == subject else f"; {asked} {text}"
        subject = asked
    lines += [row] if row else []
    if record.result:
        lines += ["", f"Result: {record.result}"]
    return "\n".join(lines) + "\n"


def _subject(game: State) -> str:
    seat = game.to_move
    player = game.player_to_move if isinstance(game, ModeState) else None
    return f"seat {seat} player {player}" if members(game, seat) == 2 and player is not None else f"seat {seat}"


def _list(cards: Sequence[str]) -> str:
    return ", ".join(cards)


def settings_lines(rules: Rules) -> list[str]:
    """A header line for each rule that is not the publisher's."""
    return [f"Rule: {key} = {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
            for key, value in changed_settings(rules).items()]


def changed_settings(rules: Rules) -> dict[str, Any]:
    """The fewest settings that make these rules."""
    whole = settings_of(rules)
    plain = settings_of(make_rules())
    found = {key: value for key, value in whole.items() if key.startswith("rules.") and value != plain[key]}
    if "rules.market" in found and found["rules.market"] == make_rules(
            {key: value for key, value in found.items() if key == "rules.expansion"}).market:
        del found["rules.market"]
    given = "rules.cards" in found
    shipped = {key: value for key, value in found.items() if key != "rules.cards"}
    try:
        usual = settings_of(make_rules(shipped), completely=given)
    except InputError:  # more players, say, than the shipped cards serve
        usual = {}
    changes = {key: value for key, value in whole.items() if usual.get(key) != value and key != "rules.cards"}
    # New cards join the shipped ones, each described by its keys; only without some of these all have to be described.
    for few in (shipped, shipped | changes, found | changes):
        if _make(few, rules):
            return few
    return whole


def _make(settings: dict[str, Any], rules: Rules) -> bool:
    """Whether settings make these rules; without cards that they need they make none."""
    try:
        return make_rules(settings) == rules
    except InputError:
        return False
