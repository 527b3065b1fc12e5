"""Black Market cards as data: what a card is, what an effect may say.

The vocabulary is that of ``docs/rules/agent_avenue_market.md``, section "Effects as data".
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Effect", "MarketCard"]


@dataclass(frozen=True)
class Effect:
    """One effect of a Black Market card.

    ``when`` is ``"recruit"``, ``"landing"`` or ``"end"`` for an ongoing card and ``""`` for an instant one. ``condition``
    and ``source`` are the keys ``if`` and ``from`` of a card file, which Python keeps for itself. Numbers that an effect
    does not use are 0.
    """

    do: str
    when: str = ""
    agent: str = ""
    spaces: int = 0
    by: int = 0
    at_least: int = 0
    on: str = ""
    condition: str = ""
    source: str = ""
    of: str = ""
    who: str = "own"
    may_recruit: bool = False
    symbol: str | int = 0


@dataclass(frozen=True)
class MarketCard:
    """A Black Market card. ``kind`` is ``"ongoing"`` or ``"instant"``; ``provenance`` says who made the card up."""

    id: str
    kind: str
    effects: tuple[Effect, ...]
    copies: int = 1
    promo: bool = False
    provenance: str = "house"
    names: tuple[tuple[str, str], ...] = ()

    def name(self, language: str = "en") -> str:
        """The card's printed name in a language, in English where it has none, else its id."""
        names = dict(self.names)
        return names.get(language) or names.get("en", self.id)
