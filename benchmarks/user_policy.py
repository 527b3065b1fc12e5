"""A policy as users write it: ``random`` in the words of the documented interface."""

from __future__ import annotations

from typing import Any

from agentsim.games.agent_avenue.user import (
    FACE_UP,
    HIDDEN,
    below,
    jit_offer,
    jit_take,
    lowest,
    name_set,
    nth_name,
    offer_action,
    policy,
    size_of_set,
    unit,
    word,
)


@jit_offer
def uniform_offer(view: Any, table: Any, params: Any, key: Any) -> Any:
    names = name_set(view.hand)
    n = size_of_set(names)
    if n == 1:
        return offer_action(lowest(names), lowest(names))
    up = below(word(key, 0), n)
    down = below(word(key, 1), n - 1)
    return offer_action(nth_name(names, up), nth_name(names, down + (down >= up)))


@jit_take
def uniform_take(view: Any, table: Any, params: Any, key: Any) -> Any:
    return FACE_UP if unit(word(key, 0)) < 0.5 else HIDDEN


uniform = policy(uniform_offer, uniform_take, idea="offers and takes by chance")
