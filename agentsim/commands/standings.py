"""How the results of games with win shares are told: one matchup in rows and a sentence, several as a table."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from agentsim.commands.text import columns, count, decimals, interval, paragraph, percent, plus_minus
from agentsim.standings import Party, Standing, who_plays
from agentsim.stats.intervals import Interval

__all__ = ["standing_lines"]

_SCORING = ("A score is the mean win share of a seat (a win shared by k is 1/k for each of them), a lead the score "
            "minus the mean score of all others at the table.")
_DRAWN = "A score is the mean result of a seat (a win is 1, a draw 1/2), a lead the score minus that of all others."


def standing_lines(results: Sequence[Standing], width: int) -> list[str]:
    """The standings as lines of at most ``width`` characters where the names allow it."""
    if not any(result.n_games for result in results):
        return ["No games were played yet."]
    return _one(results[0], width) if len(results) == 1 else _table(results, width)


def _one(result: Standing, width: int) -> list[str]:
    rows: list[tuple[str, str, str, str]] = []
    if not result.mirror:
        for party in result.scores:
            seats = f"{party.n_seats} of {len(result.policies)} seats"
            rows.append((f"{party.name} scores", *_cells(party.score), f"{seats}; {_lead(party)}"))
    for seat, party in enumerate(result.seats):
        starts = ", who starts," if seat == 0 else ""
        rows.append((f"seat {seat}{starts} scores", *_cells(party.score), _lead(party)))
    for kind, parties in result.groups.items():
        rows += [(f"the {party.name} side scores" if kind in ("side", "size") else f"{kind} {party.name} scores",
                  *_cells(party.score), "") for party in parties]
    if result.turns is not None:
        digits = decimals(result.turns.half_width)
        rows.append(("turns in a game", f"{result.turns.estimate:.{digits}f}",
                     interval(result.turns.low, result.turns.high, 1), ""))
    ends = sorted((item for item in result.ends.items() if item[1].estimate > 0), key=lambda item: -item[1].estimate)
    rows += [(f"ends by {name.replace('_', ' ')}", *_cells(share), "") for name, share in ends]
    told = columns(("", "", "95 % interval", ""), [(*row[:3], f"  {row[3]}".rstrip()) for row in rows],
                   wrap_last=width)
    return [*told, "", *paragraph(_verdict(result), width=width, indent="  "), *_footer(result, width)]


def _verdict(result: Standing) -> str:
    if result.mirror:
        clear = [party for party in result.seats if not party.lead.contains(0)]
        if not clear:
            return "These games show no advantage of any seat: every lead's interval includes 0."
        better = [party.name for party in clear if party.lead.estimate > 0]
        worse = [party.name for party in clear if party.lead.estimate < 0]
        told = [f"{_listed(names)} {what}" for names, what in (
            (better, "better than the rest"), (worse, "worse than the rest")) if names]
        return f"By seat: {'; '.join(told)}."
    ahead = [party.name for party in result.scores if party.lead.low > 0]
    if not ahead:
        return "These games do not tell which policy is stronger: every lead's interval includes 0."
    return f"{_listed(ahead)} {'scores' if len(ahead) == 1 else 'score'} more than the others at this table."


def _footer(result: Standing, width: int) -> list[str]:
    n, scoring = result.games_per_deal, _DRAWN if "side" in result.groups else _SCORING
    times = "" if n == 1 else f", each played {n} times with everybody moved round the table"
    text = (f"{scoring} From {count(result.n_games)} games of {count(result.n_deals)} deals{times}. Intervals of "
            "policies hold together, and so do those of seats (Sidak).")
    return paragraph(text, width=width, indent="  ")


def _lead(party: Party) -> str:
    lead = party.lead
    digits = decimals(100 * lead.half_width)
    mean, low, high = (f"{100 * value:+.{digits}f}" for value in (lead.estimate, lead.low, lead.high))
    return f"leads by {mean} points ({low} to {high})"


def _table(results: Sequence[Standing], width: int) -> list[str]:
    played = [result for result in results if result.n_games]
    parties = [party for result in played for party in result.scores]
    digits = decimals(100 * statistics.median(party.score.half_width for party in parties))
    rows = []
    for result in results:
        for number, party in enumerate(result.scores):
            first = number == 0
            score, lead = _cell(party.score, digits), _cell(party.lead, digits, signed=True)
            start = "" if not first or not result.n_games else _cell(result.seats[0].lead, digits, signed=True)
            rows.append((who_plays(result.policies) if first else "", party.name, party.n_seats,
                         score if result.n_games else "no games yet", "mirror" if result.mirror else lead, start,
                         count(result.n_games) if first else "", count(result.n_deals) if first else ""))
    header = ("matchup", "policy", "seats", "scores, %", "lead, points", "seat 0 leads", "games", "deals")
    sides = "side" in results[0].groups
    text = (f"{_DRAWN if sides else _SCORING} After ±: the wider side of the interval; the {len(parties)} intervals of "
            "a column of policies hold together with 95 % (Sidak). Seat 0 starts. --json has seats, sides and ends.")
    return [*columns(header, rows, left=2), "", *paragraph(text, width=width, indent="  ")]


def _cell(found: Interval, digits: int, signed: bool = False) -> str:
    if found.is_empty:
        return ""
    text = plus_minus(found.estimate, found.low, found.high, digits)
    if round(100 * found.estimate, digits) == 0:
        return text.removeprefix("-")
    return f"+{text}" if signed and found.estimate > 0 else text


def _cells(share: Interval) -> tuple[str, str]:
    return percent(share.estimate, share.low, share.high), interval(share.low, share.high)


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
