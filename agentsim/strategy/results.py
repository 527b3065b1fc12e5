"""What a tournament found, as tables: pairs, ranking, circles, misfits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from agentsim.errors import InputError
from agentsim.games.base import PolicyRef
from agentsim.lineup import PolicySpec, resolve_policies, spec_list
from agentsim.simulation.arena import Arena
from agentsim.simulation.progress import Meter, Progress
from agentsim.stats import bradley_terry, equilibrium_table
from agentsim.stats.ratings import Ratings, pair_covariance
from agentsim.strategy import asked
from agentsim.strategy.contest import Plan, Standing, needed_games, play_tournament

__all__ = ["TournamentResult", "run_tournament"]


@dataclass(frozen=True, eq=False)
class TournamentResult:
    """A finished tournament. ``tables()`` has everything; ``standings`` the exact counts, pair by pair."""

    plan: Plan
    standings: list[Standing]
    policies: tuple[str, ...]
    full: bool
    game: str
    seed: int

    @property
    def n_games(self) -> int:
        """Games played."""
        return sum(one.test.n_deals * per for one, per in zip(self.standings, self.plan.games_per_deal, strict=True))

    def pairs(self) -> pd.DataFrame:
        """By pair: the score of ``policy_a`` with its confidence sequence (all pairs together), and what was decided.

        ``decision``: ``a``, ``b``, ``equal`` (within the margin) or ``undecided``; ``decided_at`` and ``needed`` (about
        how many games more an undecided pair wants) in games.
        """
        rows = []
        words = {"better": "a", "worse": "b", "equivalent": "equal", "undecided": "undecided"}
        for (a, b), per, one in zip(self.plan.pairs, self.plan.games_per_deal, self.standings, strict=True):
            seen, at = one.test.interval, one.test.decided_at
            rows.append((a, b, seen.estimate, seen.low, seen.high, words[one.decision],
                         None if at is None else at * per,
                         needed_games(self.plan, one, per) if one.decision == "undecided" else None,
                         one.test.n_deals, one.test.n_deals * per))
        table = pd.DataFrame(rows, columns=["policy_a", "policy_b", "score", "low", "high", "decision", "decided_at",
                                            "needed", "n_deals", "n_games"])
        return table.assign(level=self.plan.level, method="confidence-sequence, bonferroni",
                            family_size=len(rows)).astype({"decided_at": "Int64", "needed": "Int64"})

    def ratings(self) -> Ratings:
        """Bradley-Terry, every pair counting alike: who got more games depends on results."""
        return bradley_terry({pair: one.histogram for pair, one in zip(self.plan.pairs, self.standings, strict=True)},
                             blocks=self._blocks(), weights="pairs", level=self.plan.level)

    def ranking(self) -> pd.DataFrame:
        """Policies by Elo; in a round robin with the mean score and the shares of Nash averaging and alpha-rank."""
        found = self.ratings().table
        wins = {name: [0, 0, 0, 0] for name in self.policies}
        scores: dict[str, list[float]] = {name: [] for name in self.policies}
        for row in self.pairs().to_dict("records"):
            for name, own, score in ((row["policy_a"], "a", row["score"]), (row["policy_b"], "b", 1.0 - row["score"])):
                place = {"undecided": 3, "equal": 2, own: 0}.get(row["decision"], 1)
                wins[name][place] += 1
                scores[name].append(score)
        found = found.assign(score=[float(np.mean(scores[name])) for name in found["policy"]])
        for at, word in enumerate(("beats", "loses", "equal", "undecided")):
            found = found.assign(**{word: [wins[name][at] for name in found["policy"]]})
        if self.full and len(self.policies) > 2:
            found = found.merge(self.equilibrium().drop(columns=["level", "family_size"]), on="policy", how="left")
        return found

    def equilibrium(self) -> pd.DataFrame:
        """Nash averaging and alpha-rank of the matrix, by policy. Raises InputError unless all pairs met."""
        if not self.full:
            raise InputError("needs a round robin", key="equilibrium")
        names, k = list(self.policies), len(self.policies)
        matrix, order = np.full((k, k), 0.5), []
        se = np.zeros(len(self.standings))
        n = np.zeros(len(self.standings))
        for at, ((a, b), one) in enumerate(zip(self.plan.pairs, self.standings, strict=True)):
            i, j = names.index(a), names.index(b)
            mean = float(one.test.interval.estimate)
            matrix[i, j], matrix[j, i] = mean, 1.0 - mean
            deviations = one.means() - mean
            se[at] = max(float(np.sqrt((deviations**2).sum() / len(deviations)) / np.sqrt(len(deviations))), 1e-6)
            n[at] = one.test.n_deals
            order.append((min(i, j), max(i, j), 1.0 if i < j else -1.0))
        covariance, _ = pair_covariance(se, n, self._blocks())
        at_pair = sorted(range(len(order)), key=lambda at: order[at][:2])
        sign = np.array([order[at][2] for at in at_pair])
        return equilibrium_table(names, matrix, covariance[np.ix_(at_pair, at_pair)] * np.outer(sign, sign),
                                 level=self.plan.level)

    def circles(self) -> pd.DataFrame:
        """Triples in which a beats b, b beats c and c beats a, each decided."""
        beats: dict[tuple[str, str], float] = {}
        for row in self.pairs().to_dict("records"):
            if row["decision"] == "a":
                beats[row["policy_a"], row["policy_b"]] = row["score"]
            elif row["decision"] == "b":
                beats[row["policy_b"], row["policy_a"]] = 1.0 - row["score"]
        found = [(a, b, c, beats[a, b], beats[b, c], beats[c, a]) for a, b in beats for c in self.policies
                 if (b, c) in beats and (c, a) in beats and a < b and a < c]
        return pd.DataFrame(found, columns=["a", "b", "c", "score_ab", "score_bc", "score_ca"])

    def tables(self) -> dict[str, pd.DataFrame]:
        """``ranking, pairs, circles, residuals``."""
        return {"ranking": self.ranking(), "pairs": self.pairs(), "circles": self.circles(),
                "residuals": self.ratings().residuals}

    def _blocks(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        table = np.full((max(len(one.blocks) for one in self.standings), len(self.standings)), np.nan)
        for at, one in enumerate(self.standings):
            table[:len(one.blocks), at] = one.means()
        return table


def run_tournament(policies: str | Sequence[PolicySpec], field: str | Sequence[PolicySpec] | None = None, *,
                   games: int = 5_000_000, margin: float = 0.01, level: float = 0.95, seed: int = 1,
                   game: str = "agent_avenue", settings: Mapping[str, Any] | None = None, workers: int | None = None,
                   out: str | Path | None = None, progress: Callable[[Progress], None] | None = None
                   ) -> TournamentResult:
    """Play policies against each other, or each against a field, until every comparison is decided or the budget ends.

    Parameters
    ----------
    policies, field : specs, as :func:`agentsim.load_policies` takes them. Without a field all play all.
    games : the budget, over all pairs.
    margin : the indifference margin: scores within 1/2 -+ margin are equal.
    level : of all statements together.
    seed, game, settings : the deals, the game (of two sides) and its rules.
    workers : default the number of processors. Results do not depend on it.
    out : a folder that keeps what was played (``state.jsonl``), so that a stopped tournament goes on.
    progress : called now and then with how far it is.

    Raises InputError for anything that cannot be used.
    """
    found, rules = asked.table(game, settings)
    margin = asked.fraction(margin, "margin", "above 0 and below 0.5, such as 0.01, one point", high=0.5)
    level = asked.fraction(level, "level", "between 0 and 1, such as 0.95")
    games, seed, crew = asked.games(games, 1), asked.seed(seed), asked.workers(workers)
    progress, folder = asked.callback(progress), asked.folder(out)

    def resolve(specs: Any, where: str) -> tuple[PolicyRef, ...]:
        try:
            return resolve_policies(found, spec_list(specs), rules=rules)
        except InputError as error:
            key = where if error.key in ("", "policies") else error.key
            raise InputError(error.problem, where=error.where, key=key, allowed=error.allowed, nearest=error.nearest
                             ) from None

    own = resolve(policies, "policies")
    refs = {ref.label: ref for ref in own}
    if field is None:
        if len(own) < 2:
            raise InputError("one policy has nobody to play", key="policies", allowed="two or more, or a field")
        pairs = [(a.label, b.label) for at, a in enumerate(own) for b in own[at + 1:]]
    else:
        others = resolve(field, "field")
        for ref in others:
            if ref.label in refs and refs[ref.label] != ref:
                raise InputError(f"two policies have the label '{ref.label}'", key="field")
        refs |= {ref.label: ref for ref in others}
        pairs = []
        for a in own:
            pairs += [(a.label, b.label) for b in others if a.label != b.label and (b.label, a.label) not in pairs]
        if not pairs:
            raise InputError("one policy has nobody to play", key="field", allowed="another policy")
    arena = Arena(rules, [(refs[a], refs[b]) for a, b in pairs], seed, game=game, workers=crew)
    plan = Plan(tuple(pairs), tuple(arena.games_per_deal), games, margin, level)
    asked.ready(folder)
    meter = Meter(progress, 0, games)
    digest = plan.digest([game, found.version, found.rules_as_dict(rules), seed,
                          [refs[name].as_dict() for name in refs]])
    arena.warm_up(meter)
    meter.start()
    standings = play_tournament(plan, lambda spans: arena.play_each(spans, meter),
                                state=None if folder is None else folder / "state.jsonl", digest=digest)
    return TournamentResult(plan, standings, tuple(refs), len(pairs) == len(refs) * (len(refs) - 1) // 2, game, seed)
