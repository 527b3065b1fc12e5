"""From what a person types to one of the actions that are possible now."""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.errors import InputError
from agentsim.games.agent_avenue.modes.actions import (
    Action,
    Discard,
    FaceDown,
    FaceUp,
    Gain,
    MoveDivisionM,
    Offer,
    PickCard,
    PlayerUp,
    RecruitAgain,
    Take,
    Target,
)
from agentsim.games.agent_avenue.notation.clauses import clause
from agentsim.games.agent_avenue.notation.reading import parse_action
from agentsim.games.agent_avenue.notation.words import find_name
from agentsim.games.agent_avenue.rules import Rules

__all__ = ["choose"]


def choose(text: str, legal: Sequence[Action], rules: Rules) -> Action:
    """The legal action that a text means: its number in the list (from 1), its words, or just the card's name.

    ``sen enf`` offers sentinel face up and enforcer face down. Raises InputError with what is wrong and what is
    possible.
    """
    word = " ".join(text.strip().lower().split())
    if word.isdigit():
        if not 1 <= int(word[:9]) <= len(legal):
            raise InputError(f"there is no choice {word[:9]}", allowed=f"1 to {len(legal)}")
        return legal[int(word) - 1]
    action = _meant(word, legal, rules)
    if action not in legal:
        words = [clause(one) for one in legal]
        raise InputError(f"you cannot: {clause(action)}", allowed="; ".join(words[:12]) + (
            " ..." if len(words) > 12 else ""))
    return action


def _meant(word: str, legal: Sequence[Action], rules: Rules) -> Action:
    kinds = {type(action) for action in legal}
    first, _, rest = word.partition(" ")
    if Take in kinds and first in ("u", "up", "d", "down", "hidden", "face-up", "face-down"):
        return Take("face_up" if first in ("u", "up", "face-up") else "hidden")
    if RecruitAgain in kinds and first in ("y", "yes", "n", "no"):
        return RecruitAgain(first in ("y", "yes"))
    if first == "d" and rest and Discard in kinds:
        return Discard(find_name(rest, rules.names))
    action = parse_action(word, rules)
    if action is not None:
        return action
    number = word.split(" ")[-1].lstrip("+-")
    if MoveDivisionM in kinds and number.isdigit() and len(number) < 3:
        return MoveDivisionM(int(word.split(" ")[-1]))
    if kinds & {PlayerUp, Gain} and number in ("0", "1"):
        return PlayerUp(int(number)) if PlayerUp in kinds else Gain(int(number))
    if Offer in kinds:
        up, _, down = word.replace("/", " ").replace(",", " ").partition(" ")
        if down:
            return Offer(find_name(up, rules.names), find_name(down, rules.names))
        raise InputError(f"cannot read '{word[:40]}'", allowed="a number, two cards (first the one face up), or "
                         "'discard' with a card")
    if PickCard in kinds:
        return PickCard(find_name(word, [action.card for action in legal if isinstance(action, PickCard)],
                                  what="a Black Market card here"))
    for kind in (Target, FaceUp, FaceDown):
        if kind in kinds:
            return kind(find_name(word, rules.names))
    raise InputError(f"cannot read '{word[:40]}'", allowed=f"a number from 1 to {len(legal)}, or "
                     + "; ".join(map(clause, legal[:6])))
