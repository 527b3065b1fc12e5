"""What was picked from the Black Market, what lay beside it and how its taker fared: the counters behind card balance.

One record of :data:`RECORD` counters per card. The first landing of a game (by either side) counts by the size of the
supply; a card that lies there twice has no propensity of its own and is left out there. Results are the taker's: win,
draw, loss.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agentsim.games.agent_avenue.modes import layout as x
from agentsim.jit import jit

__all__ = ["RECORD", "count_picks", "is_blank", "named_picks", "note_pick", "supply_blank"]

SIZES = x.MAX_SUPPLY + 1
FIRST_TAKEN, FIRST_LEFT = 0, 3 * SIZES
WITH_BLANK = 6 * SIZES  # 2 x 3: this card taken, a blank taken, from a first supply that held each once
TAKEN, LEFT = WITH_BLANK + 6, WITH_BLANK + 9  # all landings
RECORD = WITH_BLANK + 12


@jit
def note_pick(state, table, side, place):
    """A landing in one word: cards that lie there (8 bits each, + 1), the one taken, the side."""
    noted = np.int64(0)
    for at in range(state[x.N_SUPPLY]):
        noted |= (table[x.COPY + state[x.SUPPLY + at]] + 1) << np.int64(8 * at)
    return noted | place << np.int64(48) | side << np.int64(56)


@jit
def count_picks(cards, picks, n, table, winner):
    """Add the landings of a game that is over to the counters."""
    for number in range(n):
        noted = picks[number & 63]
        place, side = (noted >> np.int64(48)) & 255, (noted >> np.int64(56)) & 1
        result = 1 if winner < 0 else 0 if winner == side else 2
        taken = (noted >> np.int64(8 * place)) & 255
        size = 0
        while size < x.MAX_SUPPLY and (noted >> np.int64(8 * size)) & 255:
            size += 1
        blank = _the_blank(table, noted, size) if number == 0 and table[x.BLANKS] != 0 else -1
        for at in range(size):
            card = ((noted >> np.int64(8 * at)) & 255) - 1
            record = RECORD * card
            is_taken = at == place
            cards[record + (TAKEN if is_taken else LEFT) + result] += 1
            if number > 0 or _lies(noted, size, card + 1) > 1:
                continue
            cards[record + (FIRST_TAKEN if is_taken else FIRST_LEFT) + 3 * size + result] += 1
            if blank >= 0 and blank != card:
                if is_taken:
                    cards[record + WITH_BLANK + result] += 1
                elif taken - 1 == blank:
                    cards[record + WITH_BLANK + 3 + result] += 1


@jit
def _lies(noted, size, code):
    """How often a card lies in the supply."""
    times = 0
    for at in range(size):
        times += (noted >> np.int64(8 * at)) & 255 == code
    return times


@jit
def _the_blank(table, noted, size):
    """The blank of a supply that holds exactly one, else -1."""
    found, times = -1, 0
    for at in range(size):
        card = ((noted >> np.int64(8 * at)) & 255) - 1
        if is_blank(table, card):
            found = card
            times += 1
    return found if times == 1 else -1


@jit
def supply_blank(state, table):
    """The blank that lies in the supply if exactly one does, else -1."""
    if table[x.BLANKS] == 0:
        return -1
    return _the_blank(table, note_pick(state, table, 0, 0), state[x.N_SUPPLY])


@jit
def is_blank(table, card):
    """Whether a card does nothing at all."""
    for copy in range(table[x.PILE_SIZE]):
        if table[x.COPY + copy] == card:
            return (table[x.BLANKS] >> copy) & 1 == 1
    return False


def named_picks(cards: NDArray[np.int64], supply: int) -> dict[str, NDArray[np.int64]]:
    """The counters by name, as copies, C cards.

    ``first_taken``, ``first_left`` [C, supply + 1, 3]: games whose first landing had that card taken, or on offer and
    not taken, by size of the supply and the taker's result; ``first_with_blank`` [C, 2, 3]: first landings whose supply
    held that card and one blank: the card taken, the blank taken; ``taken``, ``left`` [C, 3]: all landings.
    """
    records = cards.reshape(-1, RECORD)
    n = len(records)
    return {
        "first_taken": records[:, FIRST_TAKEN:FIRST_LEFT].reshape(n, SIZES, 3)[:, :supply + 1].copy(),
        "first_left": records[:, FIRST_LEFT:WITH_BLANK].reshape(n, SIZES, 3)[:, :supply + 1].copy(),
        "first_with_blank": records[:, WITH_BLANK:TAKEN].reshape(n, 2, 3).copy(),
        "taken": records[:, TAKEN:LEFT].copy(),
        "left": records[:, LEFT:].copy(),
    }
