"""Actions in the words of the notation."""

from __future__ import annotations

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

__all__ = ["clause"]


def clause(action: Action) -> str:
    """An action in the words of the notation."""
    if isinstance(action, Offer):
        return f"offers {action.face_up} up, {action.face_down} down"
    if isinstance(action, Discard):
        return f"discards {action.name}"
    if isinstance(action, Take):
        return f"takes {'up' if action.card == 'face_up' else 'down'}"
    if isinstance(action, PlayerUp):
        return f"lets player {action.player} begin"
    if isinstance(action, FaceUp):
        return f"lays {action.name} up"
    if isinstance(action, FaceDown):
        return f"lays {action.name} down"
    if isinstance(action, PickCard):
        return f"picks {action.card}" + (f" #{action.nth + 1}" if action.nth else "")
    if isinstance(action, Gain):
        return f"gives it to player {action.member}"
    if isinstance(action, Target):
        return f"chooses {action.agent}"
    if isinstance(action, RecruitAgain):
        return "recruits it" if action.recruit else "keeps it"
    assert isinstance(action, MoveDivisionM)
    return f"moves m {action.steps:+d}" if action.steps else "leaves m"
