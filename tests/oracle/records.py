"""Whole games under the published rules, written down in letters: rare courses that tests need to meet."""

from __future__ import annotations

from typing import Any, NamedTuple

LETTERS = {
    "D": "double_agent",
    "E": "enforcer",
    "C": "codebreaker",
    "S": "saboteur",
    "R": "daredevil",
    "N": "sentinel",
    "K": "sidekick",
    "M": "mole",
}


class Record(NamedTuple):
    """A deck, one letter per card, and the turns: face up, face down, taken (u or d), then the discards before."""

    deck: str
    turns: str

    def cards(self) -> list[str]:
        """The deck by names, first card drawn first."""
        return [LETTERS[letter] for letter in self.deck]

    def choices(self) -> list[dict[str, Any]]:
        """The turns as ``replay`` reads them."""
        return [
            {
                "discards": [LETTERS[letter] for letter in turn[3:]],
                "face_up": LETTERS[turn[0]],
                "face_down": LETTERS[turn[1]],
                "took_face_up": turn[2] == "u",
            }
            for turn in self.turns.split()
        ]


# As long as a game can get: 18 turns; in the last one a hand of one name only is offered.
LONGEST = Record(
    "DCSRSMNCCEDECNDSSEDSRDNESECEKNRRNNCDRR",
    "SDu SMd CEu NDu RNu ESd SEu DSd DCd EDd CSd ENu NEu RCd NKu DRd RNd CCu",
)

# All eight discards are used and the cards run out in turn 14, by the seat that is ahead then (None: level).
OUT_OF_CARDS: dict[int | None, Record] = {
    0: Record(
        "DRCRSCNEDERNDERKENSDCCSSERDSSCECNDNRNM",
        "NRdRCDR NKuECRN EDu ESu CDu DSu CRu SDu ECu ECd DNd RSd SMd NSu ENu",
    ),
    1: Record(
        "NCDCRSDSSRCDRNRRENDNKCMECESEESCDEDNRSN",
        "RCdCCSN NEdDSRR DNu RNu DKu ESd ECu EDu SCd SCd DEd MDu NRd RNd SEd",
    ),
    None: Record(
        "DCSRSNDCSSNDECCRRNDNNDSRREMEERSKEENDCC",
        "NSuRSDC NCuDCSR DEu DRd SDu SNd RCu ENu ENu SRu REd KNd ECu MDu CEu",
    ),
}
