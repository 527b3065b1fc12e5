"""The games of a deal: who plays which side in which of them.

Two different policies swap sides with every game. Where three play and both sides are to be the lone player
(``rules.lone = "both"``), each of these is played in both roles: with two policies four games, in the order (policy a
in side 0, lone side 0), (b, 0), (a, 1), (b, 1); in a mirror two.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.base import PolicyRef

__all__ = ["games_per_deal", "lone_side", "roles_per_deal", "swapped"]


def games_per_deal(matchup: Sequence[PolicyRef], rules: Rules) -> int:
    """How often each deal is played: 1, 2 or 4."""
    return (1 if matchup[0] == matchup[1] else 2) * roles_per_deal(rules)


def roles_per_deal(rules: Rules) -> int:
    """In how many roles each deal is played: 2 if either side is to be the lone one, else 1."""
    return 2 if rules.players == 3 and rules.lone == "both" else 1


def swapped(index: int, per_deal: int, rules: Rules) -> int:
    """1 if the matchup's second policy plays side 0 in game ``index`` of the matchup, else 0."""
    return index & 1 if per_deal > roles_per_deal(rules) else 0


def lone_side(index: int, per_deal: int, rules: Rules) -> int:
    """The side that is one player in game ``index`` of the matchup; -1 if three do not play."""
    if rules.players != 3:
        return -1
    if rules.lone != "both":
        return int(rules.lone)
    return index // (per_deal // 2) & 1
