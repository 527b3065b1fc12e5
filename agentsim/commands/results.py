"""How the results of a run are told: one matchup in sentences, several as a table and, if it fits, a matrix."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from agentsim.commands.standings import standing_lines
from agentsim.commands.text import columns, count, decimals, interval, paragraph, percent, plus_minus
from agentsim.experiment import Experiment
from agentsim.standings import scored_by_shares, standings
from agentsim.stats.intervals import Interval
from agentsim.summary import MatchupResult, Tally, summarise

__all__ = ["result_dict", "result_lines", "results_of"]

LEVEL = 0.95
MANY = 15
"""More matchups than this are shown as a matrix alone, if it fits."""


def results_of(
    experiment: Experiment, tallies: Sequence[Tally]
) -> tuple[dict[str, Any], Callable[[int], list[str]]]:
    """The results of an experiment for ``--json``, and what makes their lines for a width of the terminal."""
    if not scored_by_shares(experiment):
        results = summarise(experiment, tallies)
        return result_dict(results), lambda width: result_lines(experiment, results, width)
    shares = standings(experiment, tallies)
    data = {"level": LEVEL, "family_size": sum(len(result.scores) for result in shares),
            "matchups": [result.as_dict() for result in shares]}
    return data, lambda width: standing_lines(shares, width)


def result_dict(results: Sequence[MatchupResult]) -> dict[str, Any]:
    """The results for ``--json``."""
    return {"level": LEVEL, "family_size": len(results), "matchups": [result.as_dict() for result in results]}


def result_lines(experiment: Experiment, results: Sequence[MatchupResult], width: int) -> list[str]:
    """The results as lines of at most ``width`` characters where the names allow it."""
    if not any(result.n_games for result in results):
        return ["No games were played yet."]
    if len(results) == 1:
        return _one(results[0], width)
    matrix = _matrix(experiment, results, width)
    if not matrix:
        return _table(results, len(results), width)
    if len(results) <= MANY:
        return [*_table(results, len(results), width), "", *matrix]
    mirrors = [result for result in results if result.mirror]
    more = paragraph("--json prints every matchup with its intervals.", width=width, indent="  ")
    return [*matrix, "", *(_table(mirrors, len(results), width) if mirrors else []), *more]


def verdict(result: MatchupResult) -> str:
    """What the interval of the score allows to say, in one sentence."""
    score = result.score_a
    if result.mirror:
        return _seat_verdict(result)
    if score.low > 0.5:
        return f"{result.policy_a} is the stronger one here."
    if score.high < 0.5:
        return f"{result.policy_b} is the stronger one here."
    return f"These games do not tell which of the two is stronger: the interval includes 50 %{_reach(score)}."


def _seat_verdict(result: MatchupResult) -> str:
    score = result.score_seat0
    if score.low > 0.5:
        return "Starting helps."
    if score.high < 0.5:
        return "Starting is a disadvantage."
    return f"These games show no advantage of either seat: the interval includes 50 %{_reach(score)}."


def _reach(score: Interval) -> str:
    widest = 100 * max(0.5 - score.low, score.high - 0.5)
    return f" (a difference from it of more than {widest:.{decimals(widest)}f} points is ruled out)"


def _one(result: MatchupResult, width: int) -> list[str]:
    a, b = result.policy_a, result.policy_b
    rows = []
    if not result.mirror:
        balance = f"{count(result.wins_a)} won, {count(result.draws)} drawn, {count(result.losses_a)} lost against {b}"
        rows.append((f"{a} scores", *_cells(result.score_a), balance))
    rows.append(("who starts scores", *_cells(result.score_seat0), "50 % would be no advantage of starting"))
    rows.append(("drawn games", *_cells(result.draw_share), f"{count(result.draws)} games"))
    turns = result.turns
    digits = decimals(turns.half_width)
    rows.append(("turns in a game", f"{turns.estimate:.{digits}f}", interval(turns.low, turns.high, 1), ""))
    ends = sorted((item for item in result.ends.items() if item[1].estimate > 0), key=lambda item: -item[1].estimate)
    rows += [(f"ends by {name.replace('_', ' ')}", *_cells(share), "") for name, share in ends]
    lines = columns(("", "", "95 % interval", ""), [(name, value, span, f"  {remark}".rstrip())
                                                    for name, value, span, remark in rows], wrap_last=width)
    return [*lines, "", *paragraph(verdict(result), width=width, indent="  "), *_games_line(result, width)]


def _games_line(result: MatchupResult, width: int) -> list[str]:
    n = result.games_per_deal
    # A mirror's deal has more games than one where the sides have different parts, such as one player against a team.
    how = "twice with the seats swapped" if n == 2 and not result.mirror else "twice" if n == 2 else f"{n} times"
    times = "" if n == 1 else f", each played {how}"
    text = f"A win scores 1, a draw 1/2. From {count(result.n_games)} games of {count(result.n_deals)} deals{times}."
    return paragraph(text, width=width, indent="  ")


def _cells(share: Interval) -> tuple[str, str]:
    return percent(share.estimate, share.low, share.high), interval(share.low, share.high)


def _table(results: Sequence[MatchupResult], family_size: int, width: int) -> list[str]:
    played = [result for result in results if result.n_games]
    scores, starts, draws, turns = (
        _column([getattr(result, name) for result in played], scale)
        for name, scale in (("score_a", 100), ("score_seat0", 100), ("draw_share", 100), ("turns", 1)))
    rows = []
    for result in results:
        if not result.n_games:
            rows.append((result.policy_a, result.policy_b, "no games yet", "", "", "", "0", "0"))
            continue
        score = "mirror" if result.mirror else scores(result.score_a)
        rows.append((result.policy_a, result.policy_b, score, starts(result.score_seat0), draws(result.draw_share),
                     turns(result.turns), count(result.n_games), count(result.n_deals)))
    header = ("a", "b", "a scores, %", "who starts scores, %", "drawn, %", "turns", "games", "deals")
    lines = columns(header, rows, left=2)
    text = (f"A win scores 1, a draw 1/2. After ±: the wider side of the interval; the {family_size} intervals of a "
            "column hold together with 95 % (Sidak).")
    return [*lines, "", *paragraph(text, width=width, indent="  ")]


def _matrix(experiment: Experiment, results: Sequence[MatchupResult], width: int) -> list[str]:
    """Row against column, strongest first, if every pair met and the matrix fits; else nothing."""
    size = len(experiment.policies)
    scores: dict[tuple[int, int], Interval] = {}
    for result, matchup in zip(results, experiment.matchups, strict=True):
        if len(matchup) == 2 and matchup[0] != matchup[1] and result.n_games:
            scores[matchup[0], matchup[1]] = result.score_a
            scores[matchup[1], matchup[0]] = result.score_a.complement()
    if size < 3 or len(scores) != size * (size - 1):
        return []
    mean = {i: sum(scores[i, j].estimate for j in range(size) if j != i) / (size - 1) for i in range(size)}
    order = sorted(range(size), key=lambda i: (-mean[i], i))
    for digits in range(decimals(100 * statistics.median(score.half_width for score in scores.values())), -1, -1):
        rows = [(f"{rank} {experiment.policies[i].label}",
                 *("-" if i == j else f"{100 * scores[i, j].estimate:.{digits}f}" for j in order),
                 f"{100 * mean[i]:.{digits}f}") for rank, i in enumerate(order, start=1)]
        lines = columns(("row scores, %", *(str(rank) for rank in range(1, size + 1)), "mean"), rows)
        if max(map(len, lines)) <= width:
            break
    else:
        return []
    worst = 100 * max(max(score.estimate - score.low, score.high - score.estimate) for score in scores.values())
    # Whatever the correlation, a mean's interval is no wider than the mean of the intervals.
    text = (f"Row's score against column, ordered by the mean. No interval, of a score or of a mean, reaches further "
            f"than {math.ceil(worst * 10**digits) / 10**digits:.{digits}f} from it.")
    return [*lines, "", *paragraph(text, width=width, indent="  ")]


def _column(found: Sequence[Interval], scale: float) -> Callable[[Interval], str]:
    """How to write the numbers of one column: all to the same digit, which the middle one of the intervals decides."""
    digits = decimals(scale * statistics.median(each.half_width for each in found))
    return lambda each: plus_minus(each.estimate, each.low, each.high, digits, scale)
