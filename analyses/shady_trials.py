"""The experiments on Shady Agents: what is played for the page, and the tables that come of it.

Everything is played on deals of one seed, in mirrors unless said otherwise. The unit is the deal, with all rotations
of its roles. Intervals hold together over each table and number (Sidak).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agentsim.games.base import SHARE_PARTS, Game, PolicyRef
from agentsim.games.shady_agents.trials import forks, model_beliefs
from agentsim.runs import Run
from agentsim.simulation.progress import Meter
from agentsim.simulation.worker import warm_up
from agentsim.stats import adjusted_level, holm
from agentsim.stats.clustered import bounded_mean
from agentsim.stats.intervals import Interval
from analyses.calibration import Calibration, calibration
from analyses.common import LEVEL, largest
from analyses.whatif import Measured, Variant, measure

__all__ = ["ALL_SIZES", "SOME_SIZES", "Stage", "beliefs", "calls", "mirrors", "presets", "seats", "talk"]

Stage = Callable[[str, int], Meter]
Tables = dict[str, pd.DataFrame]

ALL_SIZES = tuple(range(4, 11))
SOME_SIZES = (4, 6, 7, 10)
TALK_SIZES = (5, 6, 7)
POLICIES = ("random", "bayes", "expert")
BASE, NO_BONUS, NOT_FREE = "as published", "without the bonus", "no free interrogation"
VERIFIABLE = (0.0, 0.15, 0.3, 0.5, 0.75, 1.0)
MISREAD = (0.0, 0.05, 0.15, 0.3, 0.5)
FIELDS = ("random", "bayes")


def _rules(game: Game, keys: dict[str, Any], players: int, **changes: Any) -> Any:
    return game.rules({**keys, "rules.players": players, **changes})


def _row(found: Interval, size: int, /, **names: Any) -> dict[str, Any]:
    return {**names, "estimate": found.estimate, "low": found.low, "high": found.high, "n_deals": found.n,
            "n_games": found.n_games, "family_size": size}


# ------------------------------------------------------------------------------------------------ mirrors


def mirrors(game: Game, keys: dict[str, Any], games: int, seed: int, *, workers: int = 1, stage: Stage | None = None
            ) -> Tables:
    """Every table size in mirrors, with and without the bonus and the free interrogation, on the same deals.

    Returns ``balance`` (``players, policy, rules, metric``: smaller side's share, draws; and the check ``side_law``),
    ``bonus`` and ``free`` (paired differences: what the rule changes, for the smaller side and for the first player),
    and ``tools`` (shares of the medkits that go to enemies, of the bullets that go to friends).
    """
    refs = [game.policy(name) for name in POLICIES]
    found: dict[int, Measured] = {}
    per_size = {players: 3 if players % 2 else 2 for players in ALL_SIZES}
    meter = stage("every table size", sum(max(games // n, 20) * n * v for n, v in per_size.items()) * len(refs)
                  ) if stage else None
    for players in ALL_SIZES:
        variants = [Variant(BASE, _rules(game, keys, players)),
                    Variant(NOT_FREE, _rules(game, keys, players, **{"rules.free_interrogation": False}))]
        if players % 2:
            variants.append(Variant(NO_BONUS, _rules(game, keys, players, **{"rules.odd_bonus": 0})))
        found[players] = measure(game, variants, [(ref,) * players for ref in refs], max(games // players, 20), seed,
                                 workers=workers, meter=meter)
    odd = [players for players in ALL_SIZES if players % 2]
    return {"balance": _balance(found, odd), "bonus": _gaps(found, odd, NO_BONUS, "size_smaller"),
            "free": _gaps(found, ALL_SIZES, NOT_FREE, "first_player"), "tools": _tools(found)}


def _at(measured: Measured, metric: str) -> int:
    return next(index for index, each in enumerate(measured.metrics) if each.key == metric)


def _balance(found: dict[int, Measured], odd: Sequence[int]) -> pd.DataFrame:
    sizes = {"size_smaller": len(POLICIES) * 2 * len(odd), "draws": len(POLICIES) * (len(found) + len(odd)),
             "side_law": len(POLICIES) * (len(found) + len(odd))}
    rows = []
    for metric, size in sizes.items():
        level = adjusted_level(size, LEVEL)
        for players, measured in found.items():
            if metric == "size_smaller" and players not in odd:
                continue
            for v, variant in enumerate(measured.variants):
                if variant.label == NOT_FREE:
                    continue
                rows += [_row(measured.value(m, v, _at(measured, metric), level), size, players=players,
                              policy=POLICIES[m], rules=variant.label, metric=metric) for m in range(len(POLICIES))]
    return pd.DataFrame(rows)


def _gaps(found: dict[int, Measured], sizes: Sequence[int], label: str, metric: str) -> pd.DataFrame:
    """What a rule does: the published rules minus those without it, paired by deal."""
    size = len(sizes) * len(POLICIES)
    level = adjusted_level(size, LEVEL)
    rows = []
    for players in sizes:
        measured = found[players]
        v = next(at for at, variant in enumerate(measured.variants) if variant.label == label)
        for m, policy in enumerate(POLICIES):
            gap = measured.difference(m, v, _at(measured, metric), level)
            rows.append({"players": players, "policy": policy, "estimate": -gap.estimate, "low": -gap.high,
                         "high": -gap.low, "n_deals": gap.n, "n_games": gap.n_games, "family_size": size})
    return pd.DataFrame(rows)


def _tools(found: dict[int, Measured]) -> pd.DataFrame:
    size = 2 * len(found) * len(POLICIES)
    level = adjusted_level(size, LEVEL)
    rows = []
    for tool, metric in (("medkits to enemies", "medkits_astray"), ("bullets to friends", "bullets_astray")):
        for players, measured in found.items():
            for m, policy in enumerate(POLICIES):
                value = measured.value(m, 0, _at(measured, metric), level)
                row = _row(value, size, tool=tool, players=players, policy=policy)
                # Everybody has one of each, so a count by game is a share of all tools of that kind.
                rows.append(row | {name: min(max(row[name] / players, 0.0), 1.0) for name in ("estimate", "low",
                                                                                              "high")})
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------------------------ talk


def talk(game: Game, keys: dict[str, Any], games: int, seed: int, *, workers: int = 1, stage: Stage | None = None
         ) -> pd.DataFrame:
    """How much can be checked, and how well: the smaller side's share and draws in mirrors of ``bayes``.

    Columns ``key, value, players, metric`` and the numbers; one key is varied, the other as shipped.
    """
    ref = game.policy("bayes")
    points = [("talk.verifiable", value) for value in VERIFIABLE] + [("talk.misread", value) for value in MISREAD]
    meter = stage("talk", sum(max(games // n, 20) * n for n in TALK_SIZES) * len(points)) if stage else None
    rows = []
    size = len(points) * (len(TALK_SIZES) + sum(n % 2 for n in TALK_SIZES))
    level = adjusted_level(size, LEVEL)
    for players in TALK_SIZES:
        measured = measure(game, [Variant(f"{key} {value}", _rules(game, keys, players, **{key: value}))
                                  for key, value in points], [(ref,) * players], max(games // players, 20), seed,
                           workers=workers, meter=meter)
        for v, (key, value) in enumerate(points):
            rows += [_row(measured.value(0, v, _at(measured, metric), level), size, key=key, value=value,
                          players=players, metric=metric)
                     for metric in (("size_smaller",) if players % 2 else ()) + ("draws",)]
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------------------------ seats and presets


def _play(session: Any, matchup: int, deals: int, meter: Meter | None) -> dict[str, NDArray[np.int64]]:
    batch = session.play(matchup, 0, deals, "none")
    if meter is not None:
        meter.advance(batch.n_games)
    tally: dict[str, NDArray[np.int64]] = batch.tally
    return tally


def _share(tally: dict[str, NDArray[np.int64]], kind: str, weights: NDArray[np.float64], per_deal: int, level: float,
           bounds: tuple[float, float]) -> Interval:
    """The mean over deals of a weighted sum of shares, with its exact variance: see agentsim.standings."""
    n = int(tally["deals"][0])
    sums, products = tally[f"{kind}_share"].astype(object), tally[f"{kind}_products"].astype(object)
    centred = (n * products - np.outer(sums, sums)).astype(np.float64) / n**2
    unit = SHARE_PARTS * per_deal
    mean = float(weights @ sums.astype(np.float64)) / (n * unit)
    return bounded_mean(mean, max(float(weights @ centred @ weights), 0.0) / unit**2, n, games=n * per_deal,
                        level=level, bounds=bounds)


def _lead(players: int, mine: int) -> NDArray[np.float64]:
    weights = np.full(players, -1 / (players - 1))
    weights[mine] = 1.0
    return weights


def seats(game: Game, keys: dict[str, Any], games: int, seed: int, *, stage: Stage | None = None) -> pd.DataFrame:
    """How far each seat is ahead of the mean of the others, in mirrors. Columns ``players, policy, seat``, numbers."""
    refs = [game.policy(name) for name in POLICIES]
    size = sum(SOME_SIZES) * len(refs)
    level = adjusted_level(size, LEVEL)
    meter = stage("seats", games * len(SOME_SIZES) * len(refs)) if stage else None
    rows = []
    for players in SOME_SIZES:
        session = game.session(_rules(game, keys, players), [(ref,) * players for ref in refs], seed)
        for m, policy in enumerate(POLICIES):
            tally = _play(session, m, max(games // players, 20), meter)
            rows += [_row(_share(tally, "seat", _lead(players, seat), players, level, (-1.0, 1.0)), size,
                          players=players, policy=policy, seat=seat) for seat in range(players)]
    return pd.DataFrame(rows)


def presets(game: Game, keys: dict[str, Any], games: int, seed: int, *, stage: Stage | None = None) -> pd.DataFrame:
    """Every shipped policy as the one that differs, among ``random`` and among ``bayes``.

    Columns ``field, players, policy``, the win share with its interval, and ``lead`` (ahead of the mean of the others)
    with ``lead_low, lead_high``.
    """
    refs: list[PolicyRef] = list(game.policies(_rules(game, keys, SOME_SIZES[0])))
    size = len(SOME_SIZES) * len(FIELDS) * len(refs)
    level = adjusted_level(size, LEVEL)
    meter = stage("presets", games * size) if stage else None
    rows = []
    for players in SOME_SIZES:
        field_refs = [game.policy(name) for name in FIELDS]
        matchups = [(ref, *(field,) * (players - 1)) for field in field_refs for ref in refs]
        session = game.session(_rules(game, keys, players), matchups, seed)
        for m, matchup in enumerate(matchups):
            mirror = matchup[0] == matchup[1]
            per_deal = players if mirror else players * players
            tally = _play(session, m, max(games // per_deal, 4), meter)
            # In a mirror the first policy sits in one seat; all seats play alike, so all count.
            mine = np.full(players, 1 / players) if mirror else np.eye(players)[0]
            score = _share(tally, "slot", mine, per_deal, level, (0.0, 1.0))
            lead = None if mirror else _share(tally, "slot", _lead(players, 0), per_deal, level, (-1.0, 1.0))
            rows.append(_row(score, size, field=FIELDS[m // len(refs)], players=players, policy=matchup[0].label) | {
                "lead": 0.0 if lead is None else lead.estimate, "lead_low": 0.0 if lead is None else lead.low,
                "lead_high": 0.0 if lead is None else lead.high})
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------------------------ forks


def calls(game: Game, keys: dict[str, Any], games: int, seed: int, *, stage: Stage | None = None) -> pd.DataFrame:
    """What calling an interrogation does to the caller's win share, against giving the tool it would give.

    Columns ``players, policy, turn, who`` (first, second, last player), the effect with its interval, ``would`` (how
    often the policy calls there itself), ``n_forks``.
    """
    size = 3 * len(SOME_SIZES) * len(POLICIES)
    level = adjusted_level(size, LEVEL)
    meter = stage("forks", games * len(SOME_SIZES) * len(POLICIES)) if stage else None
    if meter is not None:
        warm_up(lambda: forks(_rules(game, keys, 4), game.policy("bayes"), [0], seed, 1) is None, meter)
    rows = []
    for players in SOME_SIZES:
        turns = [0, 1, players - 1]
        for policy in POLICIES:
            shares, would = forks(_rules(game, keys, players), game.policy(policy), turns, seed, games)
            if meter is not None:
                meter.advance(games)
            for at, (turn, who) in enumerate(zip(turns, ("first", "second", "last"), strict=True)):
                gap = shares[:, at, 0] - shares[:, at, 1]
                value = bounded_mean(float(gap.mean()), float(gap.var()), games, games=2 * games, level=level,
                                     bounds=(-1.0, 1.0))
                rows.append(_row(value, size, players=players, policy=policy, turn=turn, who=who) | {
                    "would": float(would[:, at].mean()), "changed": float((gap != 0).mean()), "n_forks": games})
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------------------------ beliefs


def beliefs(game: Game, keys: dict[str, Any], run: Run, games: int, seed: int) -> Tables:
    """Whether beliefs come true. ``tests``: one row per population, ``reliability``: its bins.

    *Tested* are populations for which the beliefs are exactly right: ``random``, whose tools say nothing, with both
    likelihoods at 1/2; and at the end of the first round one that sends tools exactly as believed. *On purpose wrong*
    is ``random`` with the likelihoods at 0.8: the test has to see it. The policies of the run are only reported.
    """
    players = 6
    shipped = _rules(game, keys, players)
    half = _rules(game, keys, players, **{"belief.p_medkit_friend": 0.5, "belief.p_bullet_enemy": 0.5})
    wrong = _rules(game, keys, players, **{"belief.p_medkit_friend": 0.8, "belief.p_bullet_enemy": 0.8})
    found: list[tuple[str, str, str, Calibration]] = []
    deals = max(games // players, 20)
    for name, kind, rules in (("random, likelihoods 1/2", "tested", half),
                              ("random, likelihoods 0.8", "wrong on purpose", wrong)):
        rows = game.session(rules, [(game.policy("random"),) * players], seed).play(0, 0, deals, "full")
        table, ids = rows.tables["beliefs"], rows.tables["games"]
        deal = ids["deal_id"][np.searchsorted(ids["game_id"], table["game_id"])]
        for at, moment in enumerate(("end of round 1", "end of the game")):
            if at and kind == "tested":
                continue  # the second round tells nothing then: the same beliefs again
            mine = table["moment"] == at
            found.append((name, kind, moment, calibration(deal[mine], table["belief"][mine] / 10_000,
                                                          table["friend"][mine])))
    found.append(("tools as believed", "tested", "end of round 1", calibration(*model_beliefs(shipped, seed, games))))
    logged = run.sql("SELECT matchup_id, deal_id, moment::VARCHAR AS moment, belief, friend FROM beliefs "
                     "JOIN games USING (game_id)")
    for matchup, label in enumerate(policy.label for policy in run.experiment.policies):
        for moment, words in (("round_1", "end of round 1"), ("end", "end of the game")):
            part = logged[(logged["matchup_id"] == matchup) & (logged["moment"] == moment)]
            if len(part):
                found.append((label, "reported", words, calibration(
                    part["deal_id"].to_numpy(), part["belief"].to_numpy(dtype=float) / 10_000,
                    part["friend"].to_numpy(dtype=bool))))
    return _belief_tables(found)


def _belief_tables(found: Sequence[tuple[str, str, str, Calibration]]) -> Tables:
    tests = pd.DataFrame([{
        "population": name, "kind": kind, "moment": moment, "statistic": each.statistic, "df": each.df[0],
        "deals_df": each.df[1], "p_value": each.p_value if kind != "reported" else float("nan"),
        "worst": float(largest(each.bins, "gap", size=True)["gap"]), "n_beliefs": each.n_beliefs,
        "n_deals": each.n_deals} for name, kind, moment, each in found])
    tests["p_adjusted"] = float("nan")
    tried = (tests["kind"] != "reported") & tests["p_value"].notna()
    if tried.any():
        tests.loc[tried, "p_adjusted"] = holm(tests.loc[tried, "p_value"].to_numpy())
    reliability = pd.concat([each.bins.assign(population=name, kind=kind, moment=moment)
                             for name, kind, moment, each in found], ignore_index=True)
    return {"tests": tests, "reliability": reliability}
