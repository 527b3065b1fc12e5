"""Experiments on Black Market cards that a run cannot hold: games continued twice, games begun with a card.

Both count only; :mod:`analyses.market_trials` plays them and ``docs/statistics.md`` says what follows from the counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentsim.errors import InputError
from agentsim.games.agent_avenue import blocks
from agentsim.games.agent_avenue.kernel import LOG_NOTHING
from agentsim.games.agent_avenue.modes import kernel as k
from agentsim.games.agent_avenue.modes import layout as x
from agentsim.games.agent_avenue.modes.forks import FORK_RECORD, named_forks, play_forks
from agentsim.games.agent_avenue.modes.policies.minds import minds_for
from agentsim.games.agent_avenue.modes.policies.space import mode_scratch_space, mode_work_space
from agentsim.games.agent_avenue.modes.tally import named_counts, new_counts
from agentsim.games.agent_avenue.playing import Player, padded_rows, user_functions
from agentsim.games.agent_avenue.rules import Rules
from agentsim.games.agent_avenue.tally import Tally

__all__ = ["forced_tally", "forks_tally"]


def _check(rules: Rules, players: Sequence[Player]) -> None:
    if not rules.advanced:
        raise InputError("has no Black Market", key="rules.mode", allowed="advanced")
    for player in players:
        if player.python is not None:
            raise InputError(f"policy '{player.ref.label}' is written in Python and steps through its games; these "
                             "experiments need compiled ones", key="policies", allowed="built-in or jitted policies")


def forks_tally(rules: Rules, tables: NDArray[np.int64], players: Sequence[Player], seed: np.uint64, matchup: int,
                first_deal: int, n_deals: int, per_deal: int) -> Tally:
    """Fork all games of ``n_deals`` deals at their first pick: ``forks``, ``forks_with_blank`` [C, 5].

    Counts of forks by the taker's half-points with the card minus those without its effect, -2 .. 2 (index + 2); see
    ``forks.py``. Picks at the fork are made by chance whatever ``rules.picks`` says, the others as it says. Raises
    InputError without a Black Market and for policies in Python.
    """
    _check(rules, players)
    forks = np.zeros(len(rules.market_cards) * FORK_RECORD, dtype=np.int64)
    done, offender = play_forks(
        seed, matchup, first_deal * per_deal, n_deals * per_deal, per_deal // blocks.roles_per_deal(rules), tables,
        np.array([player.family for player in players], dtype=np.int64), padded_rows(players),
        minds_for([player.family for player in players]), user_functions(players),
        forks, np.zeros(x.MODE_STATE, dtype=np.int64), np.zeros((2, x.MODE_STATE), dtype=np.int64),
        mode_scratch_space(), mode_work_space())
    if offender >= 0:
        raise _illegal(players[offender], first_deal * per_deal + done, matchup)
    return named_forks(forks)


def forced_tally(rules: Rules, tables: NDArray[np.int64], players: Sequence[Player], seed: np.uint64, card: int,
                 matchup: int, first_deal: int, n_deals: int, per_deal: int) -> Tally:
    """Play all games of ``n_deals`` deals with side 0 owning a copy of ongoing card number ``card`` from the start.

    Returns the counters of every game, without those of picks. Raises InputError for an instant card, without a Black
    Market and for policies in Python.
    """
    _check(rules, players)
    if rules.market_cards[card].kind != "ongoing":
        raise InputError(f"'{rules.market_cards[card].id}' is an instant card: nobody can begin with it",
                         key="market", allowed="an ongoing card")
    counts, nothing = new_counts(), np.zeros(0, dtype=np.int64)
    no_rows = [np.zeros((0, k.GAME_WIDTH), dtype=np.int16), np.zeros((0, 2), dtype=np.int64),
               np.zeros((0, k.TURN_WIDTH), dtype=np.int32), nothing, np.zeros((0, 2), dtype=np.int64),
               np.zeros((0, k.EVENT_WIDTH), dtype=np.int32), nothing]
    spaces: list[Any] = [np.zeros(x.MODE_STATE, dtype=np.int64), np.zeros(64, dtype=np.int64), mode_scratch_space(),
                         mode_work_space()]
    done, _, _, offender = k.play_modes(
        seed, matchup, first_deal * per_deal, n_deals * per_deal, per_deal // blocks.roles_per_deal(rules), tables,
        np.array([player.family for player in players], dtype=np.int64), padded_rows(players),
        minds_for([player.family for player in players]), user_functions(players),
        LOG_NOTHING, rules.pile.index(card), counts, nothing, *no_rows, *spaces)
    if offender >= 0:
        raise _illegal(players[offender], first_deal * per_deal + done, matchup)
    return named_counts(counts, per_deal, len(rules.end_reasons), rules.players == 3)


def _illegal(player: Player, game: int, matchup: int) -> InputError:
    return InputError(f"policy '{player.ref.label}' made an illegal move in game {game} of matchup {matchup}",
                      key="policies", allowed="an answer of those that the question allows")
